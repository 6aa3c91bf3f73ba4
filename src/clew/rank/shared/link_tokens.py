"""Features of links as token ids: source page, link text and URL."""

import re
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from clew.domain.text import STOP_WORDS, stem, words
from clew.rank.shared.goal_terms import GoalTerms, url_text
from clew.types import Features, Links, Page

BINS = 1 << 18
"""Bins that tokens are hashed into: a table of them takes a megabyte."""

LEVELS = 16
"""Levels of the verdict on a page, and of its cosine with the words of the goal."""

PAGE, TEXT, URL = 4, 8, 12
"""Columns of each group: 24 together, 96 bytes a link. The last of each marks random exploration."""

NO_TOKEN, EXPLORED, VERDICT_LEVEL = 0, 1, 2
"""Reserved ids: no token; random exploration; the first of the levels of verdicts."""

COSINE_LEVEL = VERDICT_LEVEL + LEVELS
"""The first of the levels of cosines with the words of the goal; a cosine of one half is the last."""

FIRST_HASHED = COSINE_LEVEL + LEVELS
"""The first id that words are hashed to."""

_MAX_DEPTH = 4  # folders of a URL that have their own tokens
_MAX_LETTERS = 40  # letters of a token: longer ones are identifiers, and their beginning will do
_MAX_CHARACTERS = 200  # characters of a link text or a file name: as many as the store keeps
_CACHE_SIZE = 10_000
_JUDGED = [f"judged {step / LEVELS:.2f}" for step in range(LEVELS)]
_NEAR = [f"near {step / LEVELS / 2:.2f}" for step in range(LEVELS)]
LEVEL_TOKENS = {token: VERDICT_LEVEL + step for step, token in enumerate(_JUDGED + _NEAR)}
"""The tokens of a page that have reserved ids."""

_HIRAGANA = re.compile(r"[\u3040-\u309f]")


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
        self._texts: dict[str, list[int]] = {}
        self._folders: dict[str, list[list[int]]] = {}
        self._urls: dict[str, list[int]] = {}
        self._terms: dict[str, str] = {}
        self._id_caches: dict[str, dict[str, int]] = {"text": {}, "address": {}}

    def rows(self, page: Sequence[int], links: Links, explored: int = -1) -> Features:
        """Return one row for each link of a page; link number `explored` was chosen at random."""
        rows = [
            [*page, *self.text_row(anchor), *self.url_row(url)]
            for anchor, url in zip(links.anchors, links.urls, strict=True)
        ]
        features = np.array(rows, np.uint32).reshape(len(rows), PAGE + TEXT + URL)
        if explored >= 0:
            features[explored, [PAGE - 1, PAGE + TEXT - 1, PAGE + TEXT + URL - 1]] = EXPLORED
        return features

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

    def page_row(self, tokens: Sequence[str]) -> list[int]:
        """Return the columns of a source page."""
        found = [token_id("page", token) for token in tokens]
        return found + [NO_TOKEN] * (PAGE - len(found))

    def text_row(self, anchor: str) -> list[int]:
        """Return the columns of a link text."""
        row = self._texts.get(anchor)
        if row is None:
            row = _padded(self._ids("text", anchor[:_MAX_CHARACTERS]), TEXT)
            _cache(self._texts, anchor, row)
        return row

    def url_row(self, url: str) -> list[int]:
        """Return the columns of a URL, from the cache if it was seen on another page."""
        row = self._urls.get(url)
        if row is None:
            row = self._url_ids(url)
            _cache(self._urls, url, row)
        return row

    def _url_ids(self, url: str) -> list[int]:
        """Return the columns of a URL; a folder is read once for all its pages."""
        folder, name = _split_url(url)
        known = self._folders.get(folder)
        if known is None:
            known = [
                [token_id("address", directory) for directory in _directories(folder)],
                self._ids("address", _folder_text(folder)),
            ]
            _cache(self._folders, folder, known)
        ending, rest = _split_extension(name)
        own = self._ids("address", rest)
        return _padded([*known[0], token_id("address", ending), *own, *known[1]], URL)

    def text_tokens(self, anchor: str, *, whole: bool = False) -> list[str]:
        """Return the tokens of a link text as in its row, or the `whole` words they come from."""
        return _unique_tokens("text", self._word_tokens(anchor[:_MAX_CHARACTERS]), TEXT, whole)

    def url_tokens(self, url: str, *, whole: bool = False) -> list[str]:
        """Return the tokens of a URL: folders from the host down, extension, words of file and folders."""
        folder, name = _split_url(url)
        ending, rest = _split_extension(name)
        fixed = [(token, token) for token in (*_directories(folder), ending)]
        return _unique_tokens(
            "address",
            [*fixed, *self._word_tokens(rest), *self._word_tokens(_folder_text(folder))],
            URL,
            whole,
        )

    def _word_tokens(self, text: str) -> list[tuple[str, str]]:
        """Return the words of a text, each with its token, empty for ignored words."""
        return [(self._term(word), word) for word in words(text)]

    def terms(self, text: str) -> list[str]:
        """Return the stems of the words of a text without ignored ones."""
        return [term for word in words(text) if (term := self._term(word))]

    def _term(self, word: str) -> str:
        term = self._terms.get(word)
        if term is None:
            ignored = word in STOP_WORDS or _HIRAGANA.search(word)
            term = "" if ignored else self._goal.term(word) or stem(word)[:_MAX_LETTERS]
            _cache(self._terms, word, term)
        return term

    def _ids(self, family: str, text: str) -> list[int]:
        """Return the ids of the words of a text, 0 for ignored ones."""
        known = self._id_caches[family]
        try:
            return [known[word] for word in words(text)]
        except KeyError:
            return [self._id(family, word) for word in words(text)]

    def _id(self, family: str, word: str) -> int:
        at = self._id_caches[family].get(word)
        if at is None:
            token = self._term(word)
            at = token_id(family, token) if token else NO_TOKEN
            _cache(self._id_caches[family], word, at)
        return at


def token_id(family: str, token: str) -> int:
    """Return the id of a token of a family; no token and the levels of pages have reserved ids."""
    if not token:
        return NO_TOKEN
    if family == "page" and token in LEVEL_TOKENS:
        return LEVEL_TOKENS[token]
    return FIRST_HASHED + crc32(f"{family} {token}".encode("utf-8", "replace")) % (BINS - FIRST_HASHED)


def parent_folder(token: str) -> str:
    """Return the parent directory of a directory, empty for hosts and for words.

    >>> [parent_folder(token) for token in ("//a.test/en/wind/", "//a.test/en/", "//a.test", "wind")]
    ['//a.test/en/', '//a.test', '', '']
    """
    if not token.startswith("//") or not token.endswith("/"):
        return ""
    upper = token[:-1].rpartition("/")[0]
    return f"{upper}/" if "/" in upper[2:] else upper


def _split_url(url: str) -> tuple[str, str]:
    """Split a URL into host with folders, and the rest."""
    path, question, query = url_text(url).partition("?")
    folder, slash, name = path.rpartition("/")
    return (folder, f"{name[:_MAX_CHARACTERS]}{question}{query[:_MAX_CHARACTERS]}") if slash else (path, "")


def _directories(folder: str) -> list[str]:
    host, *names = folder.split("/")
    directories = [f"//{host}"]
    for name in names[:_MAX_DEPTH]:
        directories.append(f"{directories[-1].removesuffix('/')}/{name[:_MAX_LETTERS]}/")
    return directories


def _level(value: float) -> int:
    return min(LEVELS - 1, max(0, int(value * LEVELS)))


def _folder_text(folder: str) -> str:
    """Return folders as text, the nearest first; the host is no word."""
    return " ".join(reversed(folder.split("/")[1:]))


def _split_extension(name: str) -> tuple[str, str]:
    """Split a file name into its extension and the rest, with its query."""
    file, _, query = name.partition("?")
    before, dot, ending = file.rpartition(".")
    return (
        (f".{ending[:8].lower()}", f"{before} {query}") if dot and before and ending.isalnum() else ("", name)
    )


def _padded(numbers: list[int], columns: int) -> list[int]:
    """Return a row: each id once, the last column reserved for random exploration."""
    found = dict.fromkeys(numbers)
    found.pop(NO_TOKEN, None)
    row = list(found)[: columns - 1]
    return row + [NO_TOKEN] * (columns - len(row))


def _unique_tokens(family: str, pairs: list[tuple[str, str]], columns: int, whole: bool) -> list[str]:
    """Return the tokens of a row, as `_padded` chooses them, or the words they come from."""
    named: dict[int, str] = {}
    for token, word in pairs:
        if token:
            named.setdefault(token_id(family, token), word if whole else token)
    return list(named.values())[: columns - 1]


def _cache(cache: dict[Any, Any], key: object, value: object) -> None:
    if len(cache) >= _CACHE_SIZE:
        cache.clear()
    cache[key] = value
