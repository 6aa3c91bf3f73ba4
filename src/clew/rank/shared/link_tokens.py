"""Features of links as token ids: source page, link text and URL."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

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
from clew.rank.shared.token_rows import Flags, TokenBins
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


class NamedToken(NamedTuple):
    """A token, and the word it stands for."""

    token: str
    word: str


Comparison: TypeAlias = tuple[Flags, NDArray[np.int64]]
"""Which terms are in and around each link, one column for each term, and the number of its words."""


class LinkTokens:
    """Turn links into rows of token ids, the same in every crawl and on every computer.

    The tokens of a link text are its words. A word that begins with one of the goal's counts as that one,
    and pairs with hiragana (particles, endings) are ignored. A link text is too short to detect its
    language, so words are stemmed roughly, in the same way for all languages. The tokens of a URL are its
    host, its folders from the host down, the extension of its file name, and the words in it.

    >>> tokens = LinkTokens("wind permits")
    >>> [token for token, _ in tokens.text_tokens("Windfarm permits: what was granted").values()]
    ['wind', 'permit', 'grant']
    >>> [token for token, _ in tokens.url_tokens("https://a.test/en/wind/register_2.html").values()]
    ['//a.test', '//a.test/en/', '//a.test/en/wind/', '.html', 'regist', '2', 'wind']
    """

    def __init__(self, about: str = "") -> None:
        self.about = about
        self._goal = GoalTerms(about)
        self._tokenizer = LinkTokenizer()
        self._bins = TokenBins(size=BINS, first=FIRST_HASHED)
        self._terms: dict[str, str] = {}
        self._folders: dict[str, tuple[list[tuple[int, NamedToken]], list[tuple[int, NamedToken]]]] = {}
        self._latest: tuple[Links | None, TokenColumns | None] = None, None
        self._compared: Comparison | None = None  # of the latest links

    def rows(self, page: Sequence[int], links: Links, width: int) -> Features:
        """Return one row for each link of a page; columns behind those of this module's groups are empty."""
        rows = np.zeros((len(links), width), np.uint32)
        if len(links):
            columns = self._columns(links)
            rows[:, :PAGE] = page
            self._bins.fill(columns.text, rows[:, PAGE : PAGE + TEXT - 1], once=True)
            self._bins.fill(columns.url, rows[:, PAGE + TEXT : PAGE + TEXT + URL - 1], once=True)
        return rows

    def compare(self, links: Links, terms: Features) -> Comparison:
        """Return which terms are in or around each link, and how many different words are.

        The same terms are compared with a page once.
        """
        columns = self._columns(links)
        if self._compared is None:
            context = columns.context if len(columns.context) else np.zeros((len(columns), 0), np.uint32)
            self._compared = self._bins.compare(columns.text, context, terms)
        return self._compared

    def release(self) -> None:
        """Forget the latest page: all that was asked for its links was computed."""
        self._latest, self._compared = (None, None), None

    def _columns(self, links: Links) -> TokenColumns:
        """Return the tokens of links as their page came with them, or made now; once for each page."""
        if self._latest[0] is not links:
            made = links.tokens
            if made is None or (not len(made.context) and any(links.contexts)):
                made = self._tokenizer.columns(links.anchors, links.urls, links.contexts)
            self._match_goal(made)
            self._latest, self._compared = (links, made), None
        assert self._latest[1] is not None, "made just now"
        return self._latest[1]

    def _match_goal(self, columns: TokenColumns) -> None:
        """Let words that begin with one of the goal's count as that one; each word is compared once."""
        if not self.about:
            return
        for word in self._bins.new_words(columns, self._goal.initials):
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

    def text_tokens(self, anchor: str) -> dict[int, NamedToken]:
        """Return the tokens of a link text as in its row, by their ids."""
        return _chosen(self._word_tokens("text", anchor[:MAX_CHARACTERS]), TEXT)

    def url_tokens(self, url: str) -> dict[int, NamedToken]:
        """Return the tokens of a URL: folders from the host down, extension, words of file and folders."""
        folder, name = split_url(url)
        ending, rest = split_extension(name)
        known = self._folders.get(folder)
        if known is None:
            if len(self._folders) >= _CACHE_SIZE:
                self._folders.clear()
            nested = [_named("address", token, token) for token in directories(folder)]
            known = self._folders[folder] = nested, self._word_tokens("address", folder_text(folder))
        nested, above = known
        file = [_named("address", ending, ending)] if ending else []
        return _chosen([*nested, *file, *self._word_tokens("address", rest), *above], URL)

    def _word_tokens(self, family: str, text: str) -> list[tuple[int, NamedToken]]:
        """Return the words of a text that are not ignored, by the ids of their tokens."""
        return [_named(family, term, word) for word in words(text) if (term := self._term(word))]

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


def _named(family: str, token: str, word: str) -> tuple[int, NamedToken]:
    return token_id(family, token), NamedToken(token, word)


def _chosen(tokens: Iterable[tuple[int, NamedToken]], columns: int) -> dict[int, NamedToken]:
    """Return the tokens of a row: each once, and one fewer than there are columns."""
    found: dict[int, NamedToken] = {}
    for id, token in tokens:
        if id not in found:
            found[id] = token
            if len(found) == columns - 1:
                break
    return found


_SAME = 1e-6  # scores that differ by less are equal


def mark_explored(rows: Features, scores: NDArray[np.floating], rng: np.random.Generator) -> None:
    """Mark the link of a page with the lowest score, to be followed to learn; among equals a random one."""
    lowest = np.flatnonzero(scores <= scores.min() + _SAME)
    rows[lowest[rng.integers(len(lowest))], [PAGE - 1, PAGE + TEXT - 1, PAGE + TEXT + URL - 1]] = EXPLORED
