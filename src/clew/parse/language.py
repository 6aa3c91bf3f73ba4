"""The language of a page as a two-letter code: what it says, checked against its script, or a guess."""

import re

from resiliparse.parse.lang import detect_fast

_CODE = re.compile(r"\s*([A-Za-z]{2})(?:[-_][A-Za-z0-9_-]{0,40})?\s*(?:[,;]|$)")
_KANA = re.compile("[ぁ-ゖァ-ヺ]")
_SAMPLE = 2_000
_LITTLE = 40  # characters; below this a guess is a coin toss
# Without Latin, Luxembourgish and the like, which short texts in big languages are taken for.
_LIKELY = [
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hr",
    "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr",
    "sv", "ta", "th", "tr", "uk", "ur", "vi", "zh",
]  # fmt: skip
_WRONG = {"jp": "ja", "cn": "zh", "kr": "ko", "cz": "cs", "dk": "da", "gr": "el", "ua": "uk", "iw": "he"}


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


def of(text: str, stated: str) -> str:
    """Return the language of `text`, given what page or header state.

    Kana outweigh the statement: templates say "en" on many a Japanese page, and nothing else is
    written in kana.
    """
    known = code(stated)
    sample = text[:_SAMPLE]
    if not sample.isascii() and known != "ja":
        kana = len(_KANA.findall(sample))
        if kana * 8 > len(sample):
            return "ja"
    if known or len(sample) < _LITTLE:
        return known
    name = str(detect_fast(sample, langs=_LIKELY)[0])
    return name if len(name) == 2 else ""  # noqa: PLR2004 - "unknown"
