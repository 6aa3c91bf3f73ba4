"""The language of a page as a two-letter code: what it says, checked against its script, or a guess."""

import re

from resiliparse.parse.lang import detect_fast

_CODE = re.compile(r"\s*([A-Za-z]{2})(?:[-_][A-Za-z0-9_-]{0,40})?\s*(?:[,;]|$)")
_KANA = re.compile("[ぁ-ゖァ-ヺ]")
_SAMPLE = 2_000
_LITTLE = 40  # characters; below this a guess is a coin toss
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
    name = str(detect_fast(sample)[0])
    return name if len(name) == 2 else ""  # noqa: PLR2004 - "unknown", or a dialect's longer code
