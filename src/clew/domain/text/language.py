"""The language of a page or a link as a two-letter code: the stated one, checked against its script."""

import re
from collections import Counter
from functools import lru_cache

from clew.domain.text.language_model import likeliest_language
from clew.domain.text.scripts import LANGUAGES, letters, scripts_of

_CODE = re.compile(r"\s*([A-Za-z]{2})(?:[-_][A-Za-z0-9_-]{0,40})?\s*(?:[,;]|$)")
_SAMPLE = 2_000
_SHORT = 100
_LITTLE = 40  # characters; below this a guess is unreliable
# Without Latin, Luxembourgish and the like, which short texts in common languages are mistaken for.
_LIKELY = [
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hr",
    "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr",
    "sv", "ta", "th", "tr", "uk", "ur", "vi", "zh",
]  # fmt: skip
_WRONG = {"jp": "ja", "cn": "zh", "kr": "ko", "cz": "cs", "dk": "da", "gr": "el", "ua": "uk", "iw": "he"}
_LATIN = frozenset(name for name in _LIKELY if "latin" in scripts_of(name))


def code(stated: str) -> str:
    """Return the two-letter code of a language tag, or nothing.

    >>> code("en-GB"), code("jp"), code("generic")
    ('en', 'ja', '')
    """
    found = _CODE.match(stated)
    if not found:
        return ""
    name = found[1].lower()
    return _WRONG.get(name, name)


def language(text: str, stated: str = "", near: str = "") -> str:
    """Return the language of `text` as a two-letter code, or nothing when it could be any.

    `stated` is what page or header say, `near` the language of the page a link stands on: a link is too
    short to guess. Both are believed unless the script says otherwise: templates say "en" on many a
    Japanese page, and an "English" link on it is English.

    >>> language("Home"), language("Kontakt", near="de"), language("Download", near="ja")
    ('', 'de', 'en')
    >>> language("風力発電の許可", stated="en-US"), language("検索", near="ja"), language("Погода", near="en")
    ('ja', 'ja', 'ru')
    """
    known = code(stated or near) if stated or near else ""
    if text.isascii() and (known in _LATIN or (not known and len(text) < _LITTLE)):
        return known  # the common case, in a microsecond
    few = _LITTLE if stated else 1
    return _remembered(text, known, few) if len(text) <= _SHORT else _read(text[:_SAMPLE], known, few)


def _read(sample: str, known: str, few: int) -> str:
    """Compare the stated language with the letters of a sample."""
    found = letters(sample)
    total = found.total()
    if not total:
        return known
    if found["kana"] * 8 > total:  # nothing else is written in kana
        return "ja"
    main = max(found, key=found.__getitem__)
    if known and not _contradicted(known, found, total, few):
        return known
    return _guess(sample, main, known)


_remembered = lru_cache(maxsize=30_000)(_read)  # links of a site are the same on many pages


def _contradicted(known: str, found: Counter[str], total: int, few: int) -> bool:
    """Return whether letters contradict a language: Latin ones occur in any text, others only in their own.

    Fewer Latin letters than `few`, as in product names, are no contradiction.
    """
    home = sum(found[script] for script in scripts_of(known))
    if "latin" in scripts_of(known):
        return home * 2 < total
    return home * 50 < total and (total >= few or found["latin"] < total)


def _guess(sample: str, main: str, known: str) -> str:
    """Return the likeliest language of a text by its letters, and by its words if it has enough of them."""
    possible = LANGUAGES.get(main, ())
    if len(possible) == 1 or (possible and len(sample) < _LITTLE):
        return possible[0]
    if len(sample) < _LITTLE:
        return "en" if known and main == "latin" else ""
    among = [name for name in possible if name in _LIKELY] or _LIKELY
    return likeliest_language(sample, among) or (possible[0] if possible else "")
