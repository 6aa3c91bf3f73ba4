"""Hash the words in and around links into token ids, once for each page, where it is parsed.

The words of a link text, and of the text around it, are split and roughly stemmed, in the same way for all
languages: a link text is too short to detect its language. The tokens of a URL are its host, its folders from
the host down, the extension of its file name, and the words in it.
"""

import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote
from zlib import crc32

import numpy as np

from clew.domain.text.compiled import LinkScanner, WordTable
from clew.domain.text.tokenizing import STOP_WORDS, new_stem, stem, words
from clew.domain.text.word_table import FolderTokens
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
_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_TEXT_SEED, _URL_SEED = crc32(f"{TEXT} ".encode()), crc32(f"{URL} ".encode())
_LOWER = bytes(ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(128)) + bytes(
    [32] * 128
)


def token_number(word: str) -> int:
    """Return the ids of a word's token, that of a link text below that of a URL; 0 for ignored words.

    One number for both families: a word is looked up once.
    """
    return _packed(word[:MAX_LETTERS] if is_long_number(word) else _link_term(word, new_stem))


def _packed(token: str) -> int:
    """Return what `hashed` returns for a token in both families."""
    data = token.encode("utf-8", "replace")
    return (crc32(data, _URL_SEED) or 1) << 32 | (crc32(data, _TEXT_SEED) or 1) if token else 0


def link_term(word: str) -> str:
    """Return the token of a folded word: its rough stem, empty for function words and pairs with hiragana."""
    return _link_term(word, stem)


def _link_term(word: str, stem: Callable[[str], str]) -> str:
    if word in STOP_WORDS or (not word.isascii() and _HIRAGANA.search(word)):
        return ""
    return stem(word)[:MAX_LETTERS]


def is_long_number(word: str) -> bool:
    """Return whether a word is a number that is nobody's topic."""
    return len(word) >= _LONG_NUMBER and word.isdecimal()


def hashed(family: str, token: str) -> int:
    """Return the 32-bit id of a token; it is never 0."""
    return crc32(f"{family} {token}".encode("utf-8", "replace")) or 1


class LinkTokenizer:
    """Turn link texts, URLs and the texts around links into columns of token ids.

    `repeat` false reports a word once and not once for each page: enough for a reader that remembers.

    >>> columns = LinkTokenizer().columns(["Wind farms"], ["https://a.test/en/wind_2.html"], ["of Kent"])
    >>> [int((ids > 0).sum()) for ids in (columns.text, columns.url, columns.context)]
    [2, 5, 1]
    >>> sorted(columns.words.split())
    ['2', 'en', 'farms', 'kent', 'of', 'wind']
    """

    def __init__(self, *, repeat: bool = True) -> None:
        self.repeat = repeat
        self._folders: dict[str, FolderTokens] = {}
        self._scanner = LinkScanner(
            WordTable(_LOWER, token_number, "utf-8", _CACHE_SIZE),
            words,
            _url_parts,
            self._folder,
            _TEXT_SEED,
            _URL_SEED,
            MAX_CHARACTERS,
            repeat,
        )

    def columns(
        self, anchors: Sequence[str], urls: Sequence[str], contexts: Sequence[str] = ()
    ) -> TokenColumns:
        """Return the token ids of links: a row each for their texts, their URLs and what is around them."""
        text, url, context, found, ids = self._scanner.columns(
            anchors, urls, contexts, TEXT_COLUMNS, URL_COLUMNS, CONTEXT_COLUMNS
        )
        return TokenColumns(
            text=np.frombuffer(text, np.uint32).reshape(len(urls), TEXT_COLUMNS),
            url=np.frombuffer(url, np.uint32).reshape(len(urls), URL_COLUMNS),
            context=np.frombuffer(context, np.uint32).reshape(-1, CONTEXT_COLUMNS),
            word_ids=np.array(ids, np.uint32),
            words=found,
        )

    def _folder(self, folder: str) -> "FolderTokens":
        """Return the ids of a folder's directories, the ids of its words, and the words; each once."""
        known = self._folders.get(folder)
        if known is None:
            if len(self._folders) >= _CACHED_FOLDERS:
                self._folders.clear()
            found = words(folder_text(folder))
            known = self._folders[folder] = (
                [hashed(URL, directory) << 32 for directory in directories(folder)],
                [token_number(word) for word in found],
                found,
            )
        return known


def _url_parts(url: str) -> tuple[str, int, list[str]]:
    """Return the folder of a URL, the number of its extension, and the words of its file name and query."""
    folder, name = split_url(url)
    ending, rest = split_extension(name)
    return folder, hashed(URL, ending) << 32 if ending else 0, words(rest)


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
