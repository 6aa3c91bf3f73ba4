"""Features of links as token ids: source page, link text and URL."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.contracts import FeatureChange
from clew.domain.text import words
from clew.domain.text.link_words import (
    MAX_CHARACTERS,
    LinkTokenizer,
    directories,
    folder_text,
    hashed,
    link_term,
    split_extension,
    split_url,
    url_text,
)
from clew.rank.shared.goal_terms import GoalTerms
from clew.rank.shared.token_rows import TokenBins
from clew.types import Features, Links, Page, TokenColumns

BINS = 1 << 18
"""Bins that tokens are hashed into: a table of them takes a megabyte."""

LEVELS = 16
"""Levels of the verdict on a page, and of its cosine with the words of the goal."""

PAGE, TEXT, URL = 4, 8, 12
"""Columns of each group: 24 together, 96 bytes a link. The last of each marks links followed to learn."""

NO_TOKEN, EXPLORED, VERDICT_LEVEL = 0, 1, 2
"""Reserved ids: no token; a link followed to learn; the first of the levels of verdicts."""

EXPLORATION = "followed to learn, though it looks bad"
"""The term of a link that the static classifier rates lowest."""

EXPLORE_LOG_ODDS = 12.0
"""Log-odds of a link that is followed though it looks bad, until the first refit."""

COSINE_LEVEL = VERDICT_LEVEL + LEVELS
"""The first of the levels of cosines with the words of the goal; a cosine of one half is the last."""

FIRST_HASHED = COSINE_LEVEL + LEVELS
"""The first id that words are hashed to."""

_JUDGED = [f"judged {step / LEVELS:.2f}" for step in range(LEVELS)]
_NEAR = [f"near {step / LEVELS / 2:.2f}" for step in range(LEVELS)]
LEVEL_TOKENS = {token: VERDICT_LEVEL + step for step, token in enumerate(_JUDGED + _NEAR)}
"""The tokens of a page that have reserved ids."""

_CACHE_SIZE = 10_000


class LinkTokens:
    """Turn links into rows of token ids, the same in every crawl and on every computer.

    The tokens of a link text are its words. A word that begins with one of the goal's counts as that one,
    and pairs with hiragana (particles, endings) are ignored. A link text is too short to detect its
    language, so words are stemmed roughly, in the same way for all languages. The tokens of a URL are its
    host, its folders from the host down, the extension of its file name, and the words in it.

    >>> tokens = LinkTokens("wind permits")
    >>> tokens.text_tokens("Windfarm permits: what was granted")
    ['wind', 'permit', 'grant']
    >>> tokens.url_tokens("https://a.test/en/wind/register_2.html")
    ['//a.test', '//a.test/en/', '//a.test/en/wind/', '.html', 'regist', '2', 'wind']
    """

    def __init__(self, about: str = "") -> None:
        self.about = about
        self._goal = GoalTerms(about)
        self._tokenizer = LinkTokenizer()
        self._bins = TokenBins(size=BINS, first=FIRST_HASHED)
        self._terms: dict[str, str] = {}
        self._folders: dict[str, tuple[list[tuple[str, str]], list[tuple[str, str]]]] = {}
        self._latest: tuple[Links | None, TokenColumns | None] = None, None
        self._around: Features | None = None  # of the latest links

    def rows(self, page: Sequence[int], links: Links) -> Features:
        """Return one row for each link of a page."""
        features = np.zeros((len(links), PAGE + TEXT + URL), np.uint32)
        if not len(links):
            return features
        columns = self._columns(links)
        features[:, :PAGE] = page
        self._bins.fill(columns.text, features[:, PAGE : PAGE + TEXT - 1], once=True)
        self._bins.fill(columns.url, features[:, PAGE + TEXT : -1], once=True)
        return features

    def around(self, links: Links) -> Features:
        """Return the token ids of the words in and around each link; words of the goal count as its terms."""
        columns = self._columns(links)
        if self._around is None:
            width = columns.text.shape[1]
            self._around = np.empty((len(columns), width + columns.context.shape[1]), np.uint32)
            self._bins.fill(columns.text, self._around[:, :width])
            self._bins.fill(columns.context, self._around[:, width:])
        return self._around

    def release(self) -> None:
        """Forget the latest page: all that was asked for its links was computed."""
        self._latest, self._around = (None, None), None

    def _columns(self, links: Links) -> TokenColumns:
        """Return the tokens of links as their page came with them, or made now; once for each page."""
        if self._latest[0] is not links:
            made = links.tokens
            if made is None or (not len(made.context) and any(links.contexts)):
                made = self._tokenizer.columns(links.anchors, links.urls, links.contexts)
            self._match_goal(made)
            self._latest, self._around = (links, made), None
        assert self._latest[1] is not None, "made just now"
        return self._latest[1]

    def _match_goal(self, columns: TokenColumns) -> None:
        """Let words that begin with one of the goal's count as that one; each word is compared once."""
        if not self.about:
            return
        new = self._bins.unchecked(columns.word_ids)
        if not new:
            return
        found = columns.split_words()
        for word in map(found.__getitem__, new):
            if term := self._goal.term(word):
                for family in ("text", "address"):
                    self._bins.count_as(token_id(family, link_term(word)), token_id(family, term))

    def page_tokens(self, page: Page, verdict: float) -> list[str]:
        """Return the tokens of a source page: verdict, URL, cosine with the words of the goal.

        >>> from clew.testing import sample_page
        >>> page = sample_page("https://a.test/en/", text="Permits: none.")
        >>> LinkTokens("wind permits").page_tokens(page, 0.52)
        ['judged 0.50', 'a.test/en/', 'near 0.47']
        """
        tokens = [_JUDGED[_level(verdict)], url_text(page.url)]
        if self.about:
            tokens.append(_NEAR[_level(2 * self._goal.cosine(f"{page.title} {page.text}"))])
        return tokens

    def verdict_token(self, verdict: float) -> int:
        """Return the token in the first column of a source page."""
        return LEVEL_TOKENS[_JUDGED[_level(verdict)]]

    def verdict_change(self, verdicts: Mapping[str, float]) -> FeatureChange:
        """Return what gives links the tokens of other verdicts on their source pages, in place, by URL."""
        tokens = np.zeros(BINS, np.uint32)
        for url, verdict in verdicts.items():
            tokens[token_id("page", url_text(url))] = self.verdict_token(verdict)

        def change(features: Features) -> None:
            token = tokens[features[:, 1]]
            features[:, 0] = np.where(token > 0, token, features[:, 0])

        return change

    def page_row(self, tokens: Sequence[str]) -> list[int]:
        """Return the columns of a source page."""
        found = [token_id("page", token) for token in tokens]
        return found + [NO_TOKEN] * (PAGE - len(found))

    def text_tokens(self, anchor: str, *, whole: bool = False) -> list[str]:
        """Return the tokens of a link text as in its row, or the `whole` words they come from."""
        return _unique_tokens("text", self._word_tokens(anchor[:MAX_CHARACTERS]), TEXT, whole)

    def url_tokens(self, url: str, *, whole: bool = False) -> list[str]:
        """Return the tokens of a URL: folders from the host down, extension, words of file and folders."""
        folder, name = split_url(url)
        ending, rest = split_extension(name)
        known = self._folders.get(folder)
        if known is None:
            if len(self._folders) >= _CACHE_SIZE:
                self._folders.clear()
            nested = [(token, token) for token in directories(folder)]
            known = self._folders[folder] = nested, self._word_tokens(folder_text(folder))
        nested, above = known
        tokens = [*nested, (ending, ending), *self._word_tokens(rest), *above]
        return _unique_tokens("address", tokens, URL, whole)

    def _word_tokens(self, text: str) -> list[tuple[str, str]]:
        """Return the words of a text, each with its token, empty for ignored words."""
        return [(self._term(word), word) for word in words(text)]

    def terms(self, text: str) -> list[str]:
        """Return the stems of the words of a text without ignored ones."""
        return [term for word in words(text) if (term := self._term(word))]

    def _term(self, word: str) -> str:
        term = self._terms.get(word)
        if term is None:
            stem = link_term(word)
            term = (self._goal.term(word) or stem) if stem else ""
            if len(self._terms) >= _CACHE_SIZE:
                self._terms.clear()
            self._terms[word] = term
        return term


def token_id(family: str, token: str) -> int:
    """Return the id of a token of a family; no token and the levels of pages have reserved ids."""
    if not token:
        return NO_TOKEN
    if family == "page" and token in LEVEL_TOKENS:
        return LEVEL_TOKENS[token]
    return FIRST_HASHED + hashed(family, token) % (BINS - FIRST_HASHED)


def parent_folder(token: str) -> str:
    """Return the parent directory of a directory, empty for hosts and for words.

    >>> [parent_folder(token) for token in ("//a.test/en/wind/", "//a.test/en/", "//a.test", "wind")]
    ['//a.test/en/', '//a.test', '', '']
    """
    if not token.startswith("//") or not token.endswith("/"):
        return ""
    upper = token[:-1].rpartition("/")[0]
    return f"{upper}/" if "/" in upper[2:] else upper


def _level(value: float) -> int:
    return min(LEVELS - 1, max(0, int(value * LEVELS)))


def padded(numbers: Sequence[int], columns: int) -> list[int]:
    """Return a row: each id once, the last column reserved for links that are followed to learn."""
    found = dict.fromkeys(numbers)
    found.pop(NO_TOKEN, None)
    row = list(found)[: columns - 1]
    return row + [NO_TOKEN] * (columns - len(row))


def _unique_tokens(family: str, pairs: list[tuple[str, str]], columns: int, whole: bool) -> list[str]:
    """Return the tokens of a row, as `padded` chooses them, or the words they come from."""
    named: dict[int, str] = {}
    for token, word in pairs:
        if token:
            named.setdefault(token_id(family, token), word if whole else token)
    return list(named.values())[: columns - 1]


_SAME = 1e-6  # scores that differ by less are equal


def mark_explored(rows: Features, scores: NDArray[np.floating], rng: np.random.Generator) -> None:
    """Mark the link of a page with the lowest score, to be followed to learn; among equals a random one."""
    lowest = np.flatnonzero(scores <= scores.min() + _SAME)
    rows[lowest[rng.integers(len(lowest))], [PAGE - 1, PAGE + TEXT - 1, PAGE + TEXT + URL - 1]] = EXPLORED
