"""Hash the words in and around links into token ids, once for each page, where it is parsed.

The words of a link text, and of the text around it, are split and roughly stemmed, in the same way for all
languages: a link text is too short to detect its language. The tokens of a URL are its host, its folders from
the host down, the extension of its file name, and the words in it.
"""

import re
from array import array
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import TypeAlias
from urllib.parse import unquote
from zlib import crc32

import numpy as np

from clew.domain.text.tokenizing import STOP_WORDS, has_signs, stem, words
from clew.types import TokenColumns

TEXT, URL = "text", "address"
"""The families of tokens: the same word is another token in a link text than in a URL."""

TEXT_COLUMNS, URL_COLUMNS, CONTEXT_COLUMNS = 7, 11, 16
"""Tokens that are returned of a link text, of a URL and of the text around a link."""

MAX_LETTERS = 40
"""Letters of a token: longer ones are identifiers, and their beginning will do."""

MAX_CHARACTERS = 200
"""Characters of a link text or a file name that are read: as many as the store keeps."""

_MAX_DEPTH = 4  # folders of a URL that have their own tokens
_LONG_NUMBER = 5  # digits: such numbers are nobody's topic, and nearly every URL has one of its own
_CACHE_SIZE = 100_000
_CACHED_FOLDERS = 20_000
_HALF = np.uint64(32)
_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_TEXT_SEED, _URL_SEED = crc32(f"{TEXT} ".encode()), crc32(f"{URL} ".encode())
_SEPARATOR = "\0"
_NONE = (0,) * max(TEXT_COLUMNS, URL_COLUMNS, CONTEXT_COLUMNS)
_LOWER = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) == _SEPARATOR else 32 for code in range(128)
) + bytes([32] * 128)


_Folder: TypeAlias = tuple[list[int], list[int], list[str]]
_LinkTokens: TypeAlias = tuple[str, tuple[int, ...], tuple[int, ...], list[str], list[str], list[str]]
"""A link's text, the packed tokens of text and URL, the words of text and file name, and those of folders."""

_TEXT_WORDS, _URL_WORDS, _FOLDER_WORDS = itemgetter(3), itemgetter(4), itemgetter(5)


class _TokenIds(dict[str, int]):
    """Map words to the ids of their tokens, that of a link text below that of a URL; ignored words get 0.

    One number for both families: a word that is not in the cache of the processor is looked up once.
    """

    def __missing__(self, word: str) -> int:
        if _is_long_number(word):  # nearly all of those occur once, and none has an ending
            return _packed(word[:MAX_LETTERS])
        if len(self) >= _CACHE_SIZE:
            self.clear()
        self[word] = packed = _packed(link_term(word))
        return packed


def _packed(token: str) -> int:
    """Return what `hashed` returns for a token in both families."""
    data = token.encode("utf-8", "replace")
    return (crc32(data, _URL_SEED) or 1) << 32 | (crc32(data, _TEXT_SEED) or 1) if token else 0


def link_term(word: str) -> str:
    """Return the token of a folded word: its rough stem, empty for function words and pairs with hiragana."""
    if word in STOP_WORDS or (not word.isascii() and _HIRAGANA.search(word)):
        return ""
    return stem(word)[:MAX_LETTERS]


def _is_long_number(word: str) -> bool:
    return len(word) >= _LONG_NUMBER and word.isdecimal()


def hashed(family: str, token: str) -> int:
    """Return the 32-bit id of a token; it is never 0."""
    return crc32(f"{family} {token}".encode("utf-8", "replace")) or 1


class LinkTokenizer:
    """Turn link texts, URLs and the texts around links into columns of token ids.

    >>> columns = LinkTokenizer().columns(["Wind farms"], ["https://a.test/en/wind_2.html"], ["of Kent"])
    >>> [int((ids > 0).sum()) for ids in (columns.text, columns.url, columns.context)]
    [2, 5, 1]
    >>> columns.words.split()
    ['wind', 'farms', '2', 'en', 'of', 'kent']
    """

    def __init__(self, *, cached: int = 10_000) -> None:
        self.cached = cached  # links, and texts around links, whose tokens are remembered
        self._ids = _TokenIds()
        self._links: dict[str, _LinkTokens] = {}
        self._contexts: dict[str, tuple[tuple[int, ...], list[str]]] = {}
        self._folders: dict[str, _Folder] = {}
        self._endings: dict[str, int] = {"": 0}

    def columns(
        self, anchors: Sequence[str], urls: Sequence[str], contexts: Sequence[str] = ()
    ) -> TokenColumns:
        """Return the token ids of links: a row each for their texts, their URLs and what is around them."""
        links, around = self._tokens(anchors, urls), self._around(contexts)
        text, url, context = array("Q"), array("Q"), array("Q")
        for link in links:
            text.extend(link[1])
            url.extend(link[2])
        for name in contexts:
            context.extend(around[name][0])
        found = dict.fromkeys(
            chain(
                *map(_TEXT_WORDS, links),
                *map(_URL_WORDS, links),
                *{id(folder): folder for folder in map(_FOLDER_WORDS, links)}.values(),
                *(words_ for _, words_ in around.values()),
            )
        )
        distinct = [word for word in found if not _is_long_number(word)]
        word_ids = array("Q", list(map(self._ids.__getitem__, distinct)))
        return TokenColumns(
            text=np.frombuffer(text, np.uint64).astype(np.uint32).reshape(len(urls), TEXT_COLUMNS),
            url=(np.frombuffer(url, np.uint64) >> _HALF).astype(np.uint32).reshape(len(urls), URL_COLUMNS),
            context=np.frombuffer(context, np.uint64).astype(np.uint32).reshape(-1, CONTEXT_COLUMNS),
            word_ids=np.frombuffer(word_ids, np.uint64).astype(np.uint32),
            words=" ".join(distinct),
        )

    def _tokens(self, anchors: Sequence[str], urls: Sequence[str]) -> "list[_LinkTokens]":
        """Return the tokens of links; those of a menu are on every page of a site and are read once."""
        known = self._links
        found = [known.get(url) for url in urls]
        fresh = [
            row
            for row, (link, text) in enumerate(zip(found, anchors, strict=True))
            if link is None or link[0] != text
        ]
        if fresh:
            if len(known) >= self.cached:
                known.clear()
            read = self._read([anchors[row] for row in fresh], [urls[row] for row in fresh])
            for row, link in zip(fresh, read, strict=True):
                found[row] = known[urls[row]] = link
        return found  # type: ignore[return-value]  # all of them are read now

    def _around(self, contexts: Sequence[str]) -> dict[str, tuple[tuple[int, ...], list[str]]]:
        """Return the packed tokens and the words of texts around links; links of one block have the same."""
        known = self._contexts
        distinct = dict.fromkeys(contexts)
        fresh = [text for text in distinct if text not in known]
        if len(known) >= self.cached:
            known.clear()
            fresh = list(distinct)
        for text, words_ in zip(fresh, split_all([each[:MAX_CHARACTERS] for each in fresh]), strict=True):
            known[text] = _row(dict.fromkeys(map(self._ids.__getitem__, words_)), CONTEXT_COLUMNS), words_
        return {text: known[text] for text in distinct}

    def _read(self, anchors: Sequence[str], urls: Sequence[str]) -> "list[_LinkTokens]":
        packed = self._ids.__getitem__
        text_words = split_all([anchor[:MAX_CHARACTERS] for anchor in anchors])
        parts = [split_url(url) for url in urls]
        files = [split_extension(name) for _, name in parts]
        url_words = split_all([rest for _, rest in files])
        read = []
        for anchor, words_, (folder, _), (ending, _), names in zip(
            anchors, text_words, parts, files, url_words, strict=True
        ):
            own, above, folder_words = self._folder(folder)
            text = _row(dict.fromkeys(map(packed, words_)), TEXT_COLUMNS)
            url = (*own, self._ending(ending), *map(packed, names), *above)
            read.append((anchor, text, _row(dict.fromkeys(url), URL_COLUMNS), words_, names, folder_words))
        return read

    def _ending(self, ending: str) -> int:
        known = self._endings.get(ending)
        if known is None:
            if len(self._endings) >= _CACHED_FOLDERS:
                self._endings = {"": 0}
            known = self._endings[ending] = hashed(URL, ending) << 32
        return known

    def _folder(self, folder: str) -> "_Folder":
        """Return the ids of a folder's directories, the ids of its words, and the words; each once."""
        known = self._folders.get(folder)
        if known is None:
            if len(self._folders) >= _CACHED_FOLDERS:
                self._folders.clear()
            found = words(folder_text(folder))
            known = self._folders[folder] = (
                [hashed(URL, directory) << 32 for directory in directories(folder)],
                [self._ids[word] for word in found],
                found,
            )
        return known


def split_all(texts: Sequence[str]) -> list[list[str]]:
    """Split many texts into words as `words` does; plain ASCII, the common case, in one pass."""
    joined = _SEPARATOR.join(texts)
    whole = joined.count(_SEPARATOR) == len(texts) - 1
    if whole and joined.isascii() and "'" not in joined and not has_signs(joined):
        lowered = joined.encode().translate(_LOWER).decode()
        return [part.split() for part in lowered.split(_SEPARATOR)]
    return [words(text) for text in texts]


def url_text(url: str) -> str:
    """Return a URL as text: without its scheme, percent-encoding decoded.

    >>> url_text("https://a.example/permits/%E9%A2%A8%E5%8A%9B?page=2")
    'a.example/permits/風力?page=2'
    """
    text = url.partition("://")[2]
    return unquote(text) if "%" in text else text


def split_url(url: str) -> tuple[str, str]:
    """Split a URL into host with folders, and the rest."""
    path, question, query = url_text(url).partition("?")
    folder, slash, name = path.rpartition("/")
    return (folder, f"{name[:MAX_CHARACTERS]}{question}{query[:MAX_CHARACTERS]}") if slash else (path, "")


def split_extension(name: str) -> tuple[str, str]:
    """Split a file name into its extension and the rest, with its query."""
    file, _, query = name.partition("?")
    before, dot, ending = file.rpartition(".")
    if dot and before and ending.isalnum():
        return f".{ending[:8].lower()}", f"{before} {query}"
    return "", name


def directories(folder: str) -> list[str]:
    """Return the directories around a page, from the host down."""
    host, *names = folder.split("/")
    found = [f"//{host}"]
    for name in names[:_MAX_DEPTH]:
        found.append(f"{found[-1].removesuffix('/')}/{name[:MAX_LETTERS]}/")
    return found


def folder_text(folder: str) -> str:
    """Return folders as text, the nearest first; the host is no word."""
    return " ".join(reversed(folder.split("/")[1:]))


def _row(ids: dict[int, None], columns: int) -> tuple[int, ...]:
    """Return a row of distinct ids, padded with 0."""
    ids.pop(0, None)
    return (*ids, *_NONE)[:columns]
