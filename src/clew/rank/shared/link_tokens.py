"""What a link says, as numbered tokens: its text, its address, and the page it stands on."""

import re
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from clew.domain.text import STOP_WORDS, stem, words
from clew.rank.shared.goal_terms import GoalTerms, url_text
from clew.types import Features, Links, Page

BINS = 1 << 18
"""Numbers that tokens are thrown into: a table of them takes a megabyte."""

LEVELS = 16
"""Steps in which the worth of a page is told, as the judge sees it and as the goal's words do."""

PAGE, TEXT, URL = 4, 8, 12
"""Columns of each family: 24 together, 96 bytes a link. The last of each says whether lots were drawn."""

NO_TOKEN, EXPLORED, VERDICT_LEVEL = 0, 1, 2
"""Numbers with a meaning of their own: no token; drawn by lot; the first of the levels of verdicts."""

COSINE_LEVEL = VERDICT_LEVEL + LEVELS
"""The first of the levels of nearness to the goal's words; a cosine of one half is the last."""

FIRST_HASHED = COSINE_LEVEL + LEVELS
"""The first number that words are thrown into."""

_DEEPEST = 4  # folders of an address that are told apart
_LONGEST = 40  # letters of a token: what is longer is an identifier, and its beginning will do
_READ = 200  # characters of a link text or a file name: as many as the store keeps
_REMEMBERED = 10_000
_JUDGED = [f"judged {step / LEVELS:.2f}" for step in range(LEVELS)]
_NEAR = [f"near {step / LEVELS / 2:.2f}" for step in range(LEVELS)]
LEVEL_TOKENS = {token: VERDICT_LEVEL + step for step, token in enumerate(_JUDGED + _NEAR)}
"""The tokens of a page that have numbers of their own."""

_HIRAGANA = re.compile(r"[\u3040-\u309f]")


class LinkTokens:
    """Read links into rows of numbers, the same in every crawl and on every computer.

    A link text gives its words. A word that begins with one of the goal's counts as that one, and pairs with
    hiragana (particles, endings) tell nothing. A link text is too short to tell its language, so words
    are cut to the house's rough stems, which are the same for all languages. An address gives its host,
    its folders from the host down, the ending of its file name, and the words in it.

    >>> tokens = LinkTokens("wind permits")
    >>> tokens.text_tokens("Windfarm permits: what was granted")
    ['wind', 'permit', 'grant']
    >>> tokens.url_tokens("https://a.test/en/wind/register_2.html")
    ['//a.test', '//a.test/en/', '//a.test/en/wind/', '.html', 'regist', '2', 'wind']
    """

    def __init__(self, about: str = "") -> None:
        self.about = about
        self._goal = GoalTerms(about)
        self._texts: dict[str, list[int]] = {}
        self._folders: dict[str, list[list[int]]] = {}
        self._addresses: dict[str, list[int]] = {}
        self._terms: dict[str, str] = {}
        self._numbers: dict[str, dict[str, int]] = {"text": {}, "address": {}}

    def rows(self, page: Sequence[int], links: Links, explored: int = -1) -> Features:
        """Return one row for each link of a page; the link number `lot` was drawn."""
        rows = [
            [*page, *self.text_row(anchor), *self.url_row(url)]
            for anchor, url in zip(links.anchors, links.urls, strict=True)
        ]
        made = np.array(rows, np.uint32).reshape(len(rows), PAGE + TEXT + URL)
        if explored >= 0:
            made[explored, [PAGE - 1, PAGE + TEXT - 1, PAGE + TEXT + URL - 1]] = EXPLORED
        return made

    def page_tokens(self, page: Page, verdict: float) -> list[str]:
        """Return the tokens of a page that links stand on: verdict, address, nearness to the goal's words.

        >>> from clew.testing import sample_page
        >>> page = sample_page("https://a.test/en/", text="Permits: none.")
        >>> LinkTokens("wind permits").page_tokens(page, 0.52)
        ['judged 0.50', 'a.test/en/', 'near 0.47']
        """
        tokens = [_JUDGED[_step(verdict)], url_text(page.url)]
        if self.about:
            tokens.append(_NEAR[_step(2 * self._goal.cosine(f"{page.title} {page.text}"))])
        return tokens

    def page_row(self, tokens: Sequence[str]) -> list[int]:
        """Return the columns of such a page."""
        found = [token_id("page", token) for token in tokens]
        return found + [NO_TOKEN] * (PAGE - len(found))

    def text_row(self, anchor: str) -> list[int]:
        """Return the columns of a link text."""
        row = self._texts.get(anchor)
        if row is None:
            row = _filled(self._read("text", anchor[:_READ]), TEXT)
            _remember(self._texts, anchor, row)
        return row

    def url_row(self, url: str) -> list[int]:
        """Return the columns of an address; a menu is read once for all pages it stands on."""
        row = self._addresses.get(url)
        if row is None:
            row = self._read_address(url)
            _remember(self._addresses, url, row)
        return row

    def _read_address(self, url: str) -> list[int]:
        """Read an address; a folder is read once for all its pages."""
        folder, name = _parted(url)
        known = self._folders.get(folder)
        if known is None:
            known = [
                [token_id("address", place) for place in _places(folder)],
                self._read("address", _below(folder)),
            ]
            _remember(self._folders, folder, known)
        ending, rest = _ended(name)
        own = self._read("address", rest)
        return _filled([*known[0], token_id("address", ending), *own, *known[1]], URL)

    def text_tokens(self, anchor: str, *, whole: bool = False) -> list[str]:
        """Return the tokens of a link text as they stand in its row, or the `whole` words behind them."""
        return _spelled("text", self._said(anchor[:_READ]), TEXT, whole)

    def url_tokens(self, url: str, *, whole: bool = False) -> list[str]:
        """Return the tokens of an address: places from the host down, ending, words of file and folders."""
        folder, name = _parted(url)
        ending, rest = _ended(name)
        fixed = [(token, token) for token in (*_places(folder), ending)]
        return _spelled("address", [*fixed, *self._said(rest), *self._said(_below(folder))], URL, whole)

    def _said(self, text: str) -> list[tuple[str, str]]:
        """Return the words of a text, each with its token, empty for those that tell nothing."""
        return [(self._term(word), word) for word in words(text)]

    def terms(self, text: str) -> list[str]:
        """Return the words of a text that tell something, cut to their stems."""
        return [term for word in words(text) if (term := self._term(word))]

    def _term(self, word: str) -> str:
        term = self._terms.get(word)
        if term is None:
            silent = word in STOP_WORDS or _HIRAGANA.search(word)
            term = "" if silent else self._goal.term(word) or stem(word)[:_LONGEST]
            _remember(self._terms, word, term)
        return term

    def _read(self, family: str, text: str) -> list[int]:
        """Return the numbers of the words of a text, 0 for those that tell nothing."""
        known = self._numbers[family]
        try:
            return [known[word] for word in words(text)]
        except KeyError:
            return [self._number(family, word) for word in words(text)]

    def _number(self, family: str, word: str) -> int:
        at = self._numbers[family].get(word)
        if at is None:
            token = self._term(word)
            at = token_id(family, token) if token else NO_TOKEN
            _remember(self._numbers[family], word, at)
        return at


def token_id(family: str, token: str) -> int:
    """Return the number of a token of a family; nothing and the levels of pages have their own."""
    if not token:
        return NO_TOKEN
    if family == "page" and token in LEVEL_TOKENS:
        return LEVEL_TOKENS[token]
    return FIRST_HASHED + crc32(f"{family} {token}".encode("utf-8", "replace")) % (BINS - FIRST_HASHED)


def parent_folder(token: str) -> str:
    """Return the place that a place lies in, empty for hosts and for words.

    >>> [parent_folder(token) for token in ("//a.test/en/wind/", "//a.test/en/", "//a.test", "wind")]
    ['//a.test/en/', '//a.test', '', '']
    """
    if not token.startswith("//") or not token.endswith("/"):
        return ""
    upper = token[:-1].rpartition("/")[0]
    return f"{upper}/" if "/" in upper[2:] else upper


def _parted(url: str) -> tuple[str, str]:
    """Return host and folders of an address, and what follows them."""
    path, question, query = url_text(url).partition("?")
    folder, slash, name = path.rpartition("/")
    return (folder, f"{name[:_READ]}{question}{query[:_READ]}") if slash else (path, "")


def _places(folder: str) -> list[str]:
    host, *names = folder.split("/")
    places = [f"//{host}"]
    for name in names[:_DEEPEST]:
        places.append(f"{places[-1].removesuffix('/')}/{name[:_LONGEST]}/")
    return places


def _step(worth: float) -> int:
    return min(LEVELS - 1, max(0, int(worth * LEVELS)))


def _below(folder: str) -> str:
    """Return folders as text, the nearest first; the host is no word."""
    return " ".join(reversed(folder.split("/")[1:]))


def _ended(name: str) -> tuple[str, str]:
    """Return the ending of a file name, and what else there is to read in it and its query."""
    file, _, query = name.partition("?")
    before, dot, ending = file.rpartition(".")
    return (
        (f".{ending[:8].lower()}", f"{before} {query}") if dot and before and ending.isalnum() else ("", name)
    )


def _filled(numbers: list[int], columns: int) -> list[int]:
    """Return a row: each number once, the last column left for lots."""
    found = dict.fromkeys(numbers)
    found.pop(NO_TOKEN, None)
    row = list(found)[: columns - 1]
    return row + [NO_TOKEN] * (columns - len(row))


def _spelled(family: str, said: list[tuple[str, str]], columns: int, whole: bool) -> list[str]:
    """Return the tokens that stand in a row, as `_filled` chooses them, or the words they come from."""
    named: dict[int, str] = {}
    for token, word in said:
        if token:
            named.setdefault(token_id(family, token), word if whole else token)
    return list(named.values())[: columns - 1]


def _remember(cache: dict[Any, Any], key: object, value: object) -> None:
    if len(cache) >= _REMEMBERED:
        cache.clear()
    cache[key] = value
