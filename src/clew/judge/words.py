"""The `words` judge: how well do the words of a page match the user's words?"""

import math
import re
from collections import Counter

from clew.domain.text import STOP_WORDS, folded, stem, topic_words
from clew.domain.text.begun_words import count_begun
from clew.domain.text.tokenizing import has_signs
from clew.types import Label, Page, Verdict

_WORD = re.compile(
    r"[\u4e00-\u9fff\u3400-\u4dbf々]+|[\u30a0-\u30ffー]+|[\u0e00-\u0eff]+|[\uac00-\ud7af]+|[^\W_\u3040-\u30ff]+"
)
_TYPICAL_LENGTH = 4_000
"""Characters of a typical page's main text: longer pages need more mentions to count as much."""


NO_WORDS = "none of the goal's words"
"""The reason of a page on which no word of the goal occurs."""


class WordsJudge:
    """Count the goal's words in title and text, with saturation, and score the share that occurs.

    A term counts fully after a handful of mentions, less in a very long page, and three times in a
    title. The verdict rises with the share of the goal's terms that are present: a page on all of
    "offshore wind permits" beats one that contains "wind" fifty times. Scripts without spaces are
    matched as substrings, others by prefix, so that "permit" also finds "permits".

    `about` is the topic in words; without any, every page is relevant. Examples and labels are for the judge
    `examples`: the user's words are few, and learned ones would outweigh them.

    >>> from clew.testing import sample_page
    >>> judge = WordsJudge(about="lighthouse fog signal")
    >>> round(judge.judge(sample_page(title="Fog signals", text="The lighthouse has a fog signal.")).value, 2)
    0.78
    >>> judge.judge(sample_page(text="A recipe for onion soup.")).value
    0.0
    """

    def __init__(self, *, about: str = "") -> None:
        self.about = about
        self._weights: dict[str, float] | None = None
        self._word_of_term: dict[str, str] = {}
        self._longer_terms: dict[str, list[str]] = {}
        self._unspaced = re.compile(r"(?!)")
        self._has_unspaced = False

    @property
    def has_terms(self) -> bool:
        """Whether there are words to look for."""
        if self._weights is None:
            self._prepare()
        return bool(self._weights)

    def judge(self, page: Page) -> Verdict:
        if self._weights is None:
            self._prepare()
        if not self._weights:
            return Verdict(1.0, ("no topic was given, every page is wanted",))
        in_text, in_title = self._count_mentions(page.text), self._count_mentions(page.title)
        ease = 1.5 * (0.5 + 0.5 * min(4.0, len(page.text) / _TYPICAL_LENGTH))
        parts = []
        for term, weight in self._weights.items():
            mentions = in_text[term] + 3 * in_title[term]
            if mentions:
                parts.append((weight * mentions / (mentions + ease), term, in_text[term], in_title[term]))
        share = sum(part[0] for part in parts) / sum(self._weights.values())
        # Half of the terms, well represented, is a page on the topic: 0.35 -> 0.5 and 0.7 -> 0.9.
        value = 1 - math.exp(-2 * share) if share < 1 else 1.0
        parts.sort(reverse=True)
        why = tuple(
            f'"{self._word_of_term[term]}" {n}×{" and in the title" if t else ""}'
            for _, term, n, t in parts[:5]
        ) or (NO_WORDS,)
        return Verdict(min(1.0, value), why)

    def learn(self, label: Label, page: Page) -> None:
        """Ignore labels: this judge uses the user's words only."""

    def _prepare(self) -> None:
        self._word_of_term = goal_terms(self.about)
        self._weights = dict.fromkeys(self._word_of_term, 1.0)
        self._compile()

    def _compile(self) -> None:
        assert self._weights is not None
        # Longest first: alternation takes the first match.
        ordered = sorted(self._weights, key=len, reverse=True)
        unspaced = [re.escape(term) for term in ordered if not term.isascii()]
        self._has_unspaced = bool(unspaced)
        self._unspaced = re.compile("|".join(unspaced) or "(?!)")
        self._longer_terms = {t: [] for t in ordered if t.isascii()}
        for term in self._longer_terms:
            shorter = next((t for t in ordered if t != term and _is_prefix(t, term)), None)
            if shorter:
                self._longer_terms[shorter].append(term)

    def _count_mentions(self, text: str) -> Counter[str]:
        """Count each term; a word that starts with two of them counts for the longer one."""
        found, is_folded = Counter[str](), self._has_unspaced and not text.isascii()
        if is_folded:
            text = folded(text)
            found.update(self._unspaced.findall(text))
        terms = tuple(self._longer_terms)
        begun = dict(zip(terms, count_begun(text, terms, is_folded=is_folded), strict=True))
        for term, longer in self._longer_terms.items():
            found[term] = begun[term] - sum(begun[word] for word in longer)
        return found


def _is_prefix(term: str, longer: str) -> bool:
    """Return whether words that start with `longer` would be counted for `term`, too."""
    return len(term) > 1 and term.isascii() and longer.startswith(term)


def goal_terms(text: str) -> dict[str, str]:
    """Return the stems to look for (runs of one script where there are no spaces), each with its word.

    >>> list(goal_terms("planning permits for offshore wind farms"))
    ['plann', 'permit', 'offshor', 'wind', 'farm']
    >>> list(goal_terms("洋上風力発電の許可"))
    ['洋上風力発電', '許可']
    >>> list(goal_terms("C++, C#, R and .NET"))
    ['cplusplu', 'csharp', 'r', 'dotnet']
    """
    found: dict[str, str] = {}
    typed = set(topic_words(text))
    spelled = {folded(part): part.lower() for part in re.split(r"[\s,;]+", text) if has_signs(part)}
    for word in _WORD.findall(folded(text)):
        if word not in STOP_WORDS and (word in typed or len(word) > 1 or not word.isascii()):
            found.setdefault(stem(word), spelled.get(word, word))
    return found
