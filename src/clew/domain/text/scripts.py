"""Scripts: which alphabets a text is written in, and which languages are written in them."""

from collections import Counter

UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Scripts without spaces between words, as a class of characters: kana, Han, Thai, Lao, Khmer, Burmese."""

_RANGES = {
    "latin": "0000-024f 1e00-1eff ff20-ff5f",
    "greek": "0370-03ff 1f00-1fff",
    "cyrillic": "0400-052f",
    "armenian": "0530-058f",
    "hebrew": "0590-05ff fb10-fb4f",
    "arabic": "0600-06ff 0750-077f fb50-fdff fe70-feff",
    "devanagari": "0900-097f",
    "bengali": "0980-09ff",
    "gurmukhi": "0a00-0a7f",
    "gujarati": "0a80-0aff",
    "tamil": "0b80-0bff",
    "telugu": "0c00-0c7f",
    "kannada": "0c80-0cff",
    "malayalam": "0d00-0d7f",
    "sinhala": "0d80-0dff",
    "thai": "0e00-0e7f",
    "lao": "0e80-0eff",
    "burmese": "1000-109f",
    "georgian": "10a0-10ff 1c90-1cbf",
    "hangul": "1100-11ff 3130-318f ac00-d7af ffa0-ffdf",
    "ethiopic": "1200-137f",
    "khmer": "1780-17ff",
    "kana": "3040-30ff ff60-ff9f",
    "han": "3400-4dbf 4e00-9fff f900-faff 20000-323af",
}
# Sixteen code points share a script: blocks without letters are not looked up.
_BLOCKS = {
    block: name
    for name, ranges in _RANGES.items()
    for first, _, last in (part.partition("-") for part in ranges.split())
    for block in range(int(first, 16) >> 4, (int(last, 16) >> 4) + 1)
}

LANGUAGES = {
    "greek": ("el",),
    "cyrillic": ("ru", "uk", "bg", "sr", "mk", "be", "kk", "mn", "ky", "tg"),
    "armenian": ("hy",),
    "hebrew": ("he", "yi"),
    "arabic": ("ar", "fa", "ur", "ps", "ug", "sd"),
    "devanagari": ("hi", "mr", "ne", "sa"),
    "bengali": ("bn", "as"),
    "gurmukhi": ("pa",),
    "gujarati": ("gu",),
    "tamil": ("ta",),
    "telugu": ("te",),
    "kannada": ("kn",),
    "malayalam": ("ml",),
    "sinhala": ("si",),
    "thai": ("th",),
    "lao": ("lo",),
    "burmese": ("my",),
    "georgian": ("ka",),
    "hangul": ("ko",),
    "ethiopic": ("am", "ti"),
    "khmer": ("km",),
    "kana": ("ja",),
    "han": ("zh", "ja", "ko"),
}
"""The languages of each script but Latin, the likeliest first."""

_WRITTEN = {language: {s for s, known in LANGUAGES.items() if language in known} for language in
            {language for known in LANGUAGES.values() for language in known}}  # fmt: skip
_WRITTEN["sr"].add("latin")  # both alphabets are in daily use
_LATIN = frozenset({"latin"})


def scripts_of(language: str) -> frozenset[str]:
    """Return the scripts a language is written in.

    >>> sorted(scripts_of("ja")), sorted(scripts_of("de"))
    (['han', 'kana'], ['latin'])
    """
    return frozenset(_WRITTEN.get(language, _LATIN))


def letters(text: str) -> Counter[str]:
    """Count the letters of a text by script.

    >>> letters("Google検索の使い方")["latin"], letters("2024").total()
    (6, 0)
    """
    found = Counter[str]()
    for letter, count in Counter(text).items():
        if letter.isalpha():
            found[_BLOCKS.get(ord(letter) >> 4, "other")] += count
    return found
