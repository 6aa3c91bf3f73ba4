"""Japanese nouns: by Sudachi and its dictionary where they are installed, by their letters elsewhere."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import Any

from clew.domain.text.stopword_lists import stop_words
from clew.domain.text.tokenizing import folded

Nouns = tuple[tuple[str, str], ...]
"""Nouns in normal form, each with the way it is written."""

BATCH = 1_000
"""Characters passed to Sudachi at once: single clauses take twice as long, whole pages a tenth longer."""

CACHE_SIZE = 30_000
"""Cached clauses with their nouns, about 15 MB: menus, headings and links are the same on many pages."""

MAX_LENGTH = 40
"""Maximum letters of a noun, or of a cached clause; longer ones are machine-made or occur once."""

_BROKEN = re.compile("[\ud800-\udfff\x00_]")
_KATAKANA, _HAN = "\u30a1-\u30fa\u30fc-\u30fe", "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(
    rf"[{_KATAKANA}]{{2,}}|[{_HAN}]{{2,}}|[^\W\d_\u3040-\u30ff{_HAN}][^\W_\u3040-\u30ff{_HAN}]+"
)
_HAN_RUN = re.compile(f"[{_HAN}]{{4,}}")
_CLAUSE = re.compile(r"[^\W_](?:[\w・]*[^\W_])?")
_WORD = re.compile(r"[a-z][a-z0-9]+")
_NEVER, _ALWAYS, _NUMBER, _COUNTER, _GAP = range(5)


@cache
def has_dictionary() -> bool:
    """Return whether Sudachi and a dictionary are installed, the extra `ja`."""
    return find_spec("sudachipy") is not None and find_spec("sudachidict_core") is not None


def japanese_nouns(text: str) -> Nouns:
    """Return the nouns of a Japanese text; words in Latin letters among them count as nouns."""
    even = _BROKEN.sub(" ", text)
    if not unicodedata.is_normalized("NFKC", even):  # the check costs a fifth of the work
        even = unicodedata.normalize("NFKC", even)
    return _sudachi().nouns(even) if has_dictionary() else nouns_by_letters(even)


def nouns_by_letters(text: str) -> Nouns:
    """Take runs of katakana, of kanji and of foreign letters for nouns; hiragana is grammar.

    Four kanji and more are mostly words of two, one after the other: cut so, they agree with the
    dictionary on five to twelve nouns more in a hundred than left whole.

    >>> [noun for noun, _ in nouns_by_letters("サーバーの管理者は設置許可を使う")]
    ['サーバー', '管理者', '設置', '許可']
    """
    runs = (
        part for run in _RUN.findall(text) for part in (_split_kanji(run) if _HAN_RUN.match(run) else [run])
    )
    return tuple((noun, run) for run in runs if _is_meaningful(noun := folded(run)))


def _split_kanji(run: str) -> list[str]:
    """Split a run of kanji into pairs, an odd remainder into three."""
    even = len(run) - 3 * (len(run) % 2)
    return [run[at : at + 2] for at in range(0, even, 2)] + ([run[even:]] if even < len(run) else [])


def _is_meaningful(noun: str) -> bool:
    """Return whether a noun may name something: no number, no single letter, no function word."""
    if len(noun) > MAX_LENGTH or noun in stop_words("ja"):
        return False
    if noun.isascii():
        return _WORD.fullmatch(noun) is not None and noun not in stop_words("en")
    return noun[0].isalpha() and (len(noun) > 1 or noun > "\u30ff")


class _Sudachi:
    """Split Japanese by Sudachi in mode C, which keeps the names of teams, firms and places whole."""

    def __init__(self) -> None:
        self._lock = Lock()  # a tokenizer serves one thread at a time
        self._tokenizer: Any = None
        self._kinds: dict[int, int] = {}
        self._known: dict[str, Nouns] = {}

    def nouns(self, text: str) -> Nouns:
        clauses = _CLAUSE.findall(text)
        with self._lock:
            new = dict.fromkeys(clause for clause in clauses if clause not in self._known)
            found = dict(self._read_all(new)) if new else {}
            answer = tuple(
                noun for clause in clauses for noun in (self._known.get(clause) or found.get(clause, ()))
            )
            self._keep(found)
        return answer

    def _keep(self, found: dict[str, Nouns]) -> None:
        if len(self._known) + len(found) > CACHE_SIZE:
            self._known.clear()
        self._known.update((clause, nouns) for clause, nouns in found.items() if len(clause) <= MAX_LENGTH)

    def _open(self) -> None:
        # A quarter of a second and up to 180 MB mapped from disk: only when Japanese occurs.
        from sudachipy import Dictionary, SplitMode  # noqa: PLC0415

        dictionary = Dictionary()
        make = getattr(dictionary, "tokenizer", None) or dictionary.create  # named so before 0.7
        self._tokenizer = make(mode=SplitMode.C)

    def _read_all(self, clauses: Iterable[str]) -> Iterator[tuple[str, Nouns]]:
        """Yield clauses with their nouns; those that need the dictionary are looked up in batches."""
        batch: list[str] = []
        size = 0
        for clause in clauses:
            if clause.isascii():
                yield clause, ((folded(clause), clause),) if _is_meaningful(folded(clause)) else ()
                continue
            if size + len(clause) > BATCH and batch:
                yield from zip(batch, self._read(batch), strict=True)
                batch, size = [], 0
            batch.append(clause)
            size += len(clause)
        if batch:
            yield from zip(batch, self._read(batch), strict=True)

    def _read(self, batch: list[str]) -> list[Nouns]:
        """Return the nouns of clauses; numbers are left out, and what counts them: three *months*."""
        if self._tokenizer is None:
            self._open()
        found: list[list[tuple[str, str]]] = [[]]
        after_number = False
        for piece in _pieces("\n".join(batch)):
            for morpheme in self._tokenizer.tokenize(piece):
                kind = self._kinds.get(morpheme.part_of_speech_id())
                if kind is None:
                    kind = self._learn(morpheme)
                if kind == _ALWAYS or (kind == _COUNTER and not after_number):
                    written = morpheme.surface()
                    # The dictionary would write foreign words in kana.
                    noun = folded(written if written.isascii() else morpheme.normalized_form())
                    if _is_meaningful(noun):
                        found[-1].append((noun, written))
                elif kind == _GAP:
                    found += ([] for _ in morpheme.surface())
                after_number = kind == _NUMBER
        return [tuple(nouns) for nouns in found]

    def _learn(self, morpheme: Any) -> int:  # noqa: ANN401 - Sudachi has no types
        first, second, third = morpheme.part_of_speech()[:3]
        kind = _GAP if first == "空白" else _NEVER
        if first == "名詞" and second == "数詞":
            kind = _NUMBER
        elif first == "名詞" and second in {"普通名詞", "固有名詞"}:
            kind = _COUNTER if third == "助数詞可能" else _ALWAYS
        self._kinds[morpheme.part_of_speech_id()] = kind
        return kind


_sudachi = cache(_Sudachi)


def _pieces(text: str, size: int = 10 * BATCH) -> Iterator[str]:
    """Cut what is too long for Sudachi, which takes 49,149 bytes: natural text is shorter."""
    return (text[at : at + size] for at in range(0, len(text), size))
