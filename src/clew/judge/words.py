"""The `words` judge: how well do a page's own words match what the person typed."""

import math
import re
from collections import Counter
from pathlib import Path

from clew.errors import ConfigError
from clew.text import STOP_WORDS, folded, stem, telling_words
from clew.types import Label, Page, Verdict

_RUN = re.compile(
    r"[\u4e00-\u9fff\u3400-\u4dbf々]+|[\u30a0-\u30ffー]+|[\u0e00-\u0eff]+|[\uac00-\ud7af]+|[^\W_\u3040-\u30ff]+"
)
_TYPICAL_LENGTH = 4_000
"""Characters of a typical page's main text: longer pages need more mentions to count as much."""


class Words:
    """Count the goal's words in title and text, with saturation, and see how many of them occur.

    A term counts fully after a handful of mentions, less in a very long page, and three times in a
    title. The verdict rises with the share of the goal's terms that are present: a page on all of
    "offshore wind permits" beats one that says "wind" fifty times. Scripts without blanks are
    matched as substrings, others by word beginning, so that "permit" also finds "permits".

    `about` is the topic in words; `good` and `bad` are files or folders of example pages, whose
    most telling words are added with half the weight. With neither, every page is wanted.

    >>> from clew.testing import sample_page
    >>> judge = Words(about="lighthouse fog signal")
    >>> round(judge.judge(sample_page(title="Fog signals", text="The lighthouse has a fog signal.")).value, 2)
    0.78
    >>> judge.judge(sample_page(text="A recipe for onion soup.")).value
    0.0
    """

    def __init__(self, *, about: str = "", good: tuple[str, ...] = (), bad: tuple[str, ...] = ()) -> None:
        self.about = about
        self.good = good
        self.bad = bad
        self._weights: dict[str, float] | None = None
        self._named: dict[str, str] = {}
        self._longer: dict[str, list[str]] = {}
        self._unspaced = re.compile(r"(?!)")
        self._has_unspaced = False

    def judge(self, page: Page) -> Verdict:
        if self._weights is None:
            self._prepare()
        if not self._weights:
            return Verdict(1.0, ("no topic was given, every page is wanted",))
        in_text, in_title = self._mentions(folded(page.text)), self._mentions(folded(page.title))
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
            f'"{self._named[term]}" {n}×{" and in the title" if t else ""}' for _, term, n, t in parts[:5]
        ) or ("none of the goal's words",)
        return Verdict(min(1.0, value), why)

    def learn(self, label: Label, page: Page) -> None:
        """Take the most telling words of a page the person called good, with half the weight."""
        if self._weights is None:
            self._prepare()
        if label.good:
            self._extend(telling_words([f"{page.title} {page.text}"], most=8))

    def _prepare(self) -> None:
        self._named = terms(self.about)
        self._weights = dict.fromkeys(self._named, 1.0)
        good = [_words_of(path) for name in self.good for path in _files(name)]
        bad = [_words_of(path) for name in self.bad for path in _files(name)]
        if good:
            self._extend(telling_words(good, bad))
        self._compile()

    def _extend(self, more: list[str]) -> None:
        assert self._weights is not None
        for word in more:
            self._weights.setdefault(stem(word), 0.5)
            self._named.setdefault(stem(word), word)
        self._compile()

    def _compile(self) -> None:
        assert self._weights is not None
        # Longest first: alternation takes the first that fits.
        ordered = sorted(self._weights, key=len, reverse=True)
        unspaced = [re.escape(term) for term in ordered if not term.isascii()]
        self._has_unspaced = bool(unspaced)
        self._unspaced = re.compile("|".join(unspaced) or "(?!)")
        self._longer = {t: [] for t in ordered if t.isascii()}
        for term in self._longer:
            shorter = next((t for t in ordered if t != term and t.isascii() and term.startswith(t)), None)
            if shorter:
                self._longer[shorter].append(term)

    def _mentions(self, text: str) -> Counter[str]:
        """Count each term; a word that begins with two of them counts for the longer.

        Plain searching, because one expression for all terms takes six times as long (330 µs for 17 KB).
        """
        plain = text.isascii() or not self._has_unspaced
        found = Counter[str]() if plain else Counter(self._unspaced.findall(text))
        begun = {term: _beginnings(text, term) for term in self._longer}
        for term, longer in self._longer.items():
            found[term] = begun[term] - sum(begun[word] for word in longer)
        return found


def _beginnings(text: str, term: str) -> int:
    """Count the words of `text` that begin with `term`."""
    count, at = 0, text.find(term)
    while at >= 0:
        before = text[at - 1] if at else " "
        count += not (before.isalnum() or before == "_")
        at = text.find(term, at + len(term))
    return count


def terms(text: str) -> dict[str, str]:
    """Return stems to look for (runs of one script where there are no blanks), each with its word.

    >>> list(terms("planning permits for offshore wind farms"))
    ['plann', 'permit', 'offshor', 'wind', 'farm']
    >>> list(terms("洋上風力発電の許可"))
    ['洋上風力発電', '許可']
    """
    found: dict[str, str] = {}
    for word in _RUN.findall(folded(text)):
        if word not in STOP_WORDS and (len(word) > 1 or not word.isascii()):
            found.setdefault(stem(word), word)
    return found


def _files(name: str) -> list[Path]:
    if name.startswith(("http://", "https://")):
        return []  # fetched as a seed and learned as a label when it arrives
    path = Path(name).expanduser()
    if path.is_dir():
        return sorted(p for p in path.rglob("*") if p.is_file())
    if not path.exists():
        msg = f"example {name} does not exist; goal.good and goal.bad take files, folders or URLs"
        raise ConfigError(msg)
    return [path]


def _words_of(path: Path) -> str:
    # Tags out, roughly: good enough to count words of an example.
    return re.sub(
        r"<(script|style)[^>]*>.*?</\1>|<[^>]*>",
        " ",
        path.read_text("utf-8", "replace"),
        flags=re.DOTALL | re.IGNORECASE,
    )
