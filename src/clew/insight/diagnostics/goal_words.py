"""The words of the topic and the language they are probably in."""

import re

from clew.domain.text import words
from clew.judge.words import goal_terms

LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian",
    "lv": "Latvian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip

_SCRIPTS = {
    "Arabic": ("[\u0600-\u06ff]", {"ar", "fa", "ur"}),
    "Bengali": ("[\u0980-\u09ff]", {"bn"}),
    "Chinese": ("[\u4e00-\u9fff]", {"zh", "ja"}),
    "Cyrillic": ("[\u0400-\u04ff]", {"bg", "ru", "sr", "uk"}),
    "Devanagari": ("[\u0900-\u097f]", {"hi"}),
    "Greek": ("[\u0370-\u03ff]", {"el"}),
    "Hebrew": ("[\u0590-\u05ff]", {"he"}),
    "Japanese": ("[\u3040-\u30ff]", {"ja"}),
    "Korean": ("[\uac00-\ud7af]", {"ko"}),
    "Thai": ("[\u0e00-\u0e7f]", {"th"}),
}
# Only words and letters that no other of these languages has: a wrong guess misleads, and
# statistical guessers take "university department course pages" for French.
_FUNCTION_WORDS = {
    "en": "the of and for with from about in on by to how what which",
    "de": "der die das und für mit von über bei zur zum auf den dem eine",
    "fr": "le les des du et pour avec sur dans au aux une",
    "es": "el los las y para con sobre del una por",
    "it": "il gli della delle di dei per con sul una nel",
    "pt": "os das dos da do para com sobre uma em",
    "nl": "het een van voor met over bij naar",
}
_LETTERS = {"de": "äöüß", "es": "ñ¿", "pl": "łąęśż", "pt": "ãõ", "cs": "řůě", "tr": "ığş", "hu": "őű"}


def wanted_words(about: str) -> dict[str, str]:
    """Return the stems that the judge looks for, each with its word.

    >>> wanted_words("planning permits for farms")
    {'plann': 'planning', 'permit': 'permits', 'farm': 'farms'}
    """
    return {term: word for word in re.split(r"[\s,;.]+", about) for term in goal_terms(word)}


def language_of(about: str) -> tuple[str, frozenset[str]]:
    """Return the probable language as a name and as codes; empty when it could be any.

    >>> language_of("permits for wind farms")
    ('English', frozenset({'en'}))
    >>> language_of("lighthouse beacon")
    ('', frozenset())
    """
    for name, (letters, codes) in _SCRIPTS.items():
        if re.search(letters, about):
            if name == "Chinese" and re.search("[\u3040-\u30ff]", about):
                continue
            return name, frozenset(codes)
    found = set(words(about))
    votes = {
        code: len(found.intersection(function_words.split()))
        for code, function_words in _FUNCTION_WORDS.items()
    }
    for code, letters in _LETTERS.items():
        votes[code] = votes.get(code, 0) + any(letter in about.lower() for letter in letters)
    best = max(votes, key=lambda code: votes[code])
    others = max(count for code, count in votes.items() if code != best)
    return (LANGUAGES[best], frozenset({best})) if votes[best] > others else ("", frozenset())


def is_latin(code: str) -> bool:
    """Return whether a language is written in Latin letters."""
    return not any(code in codes for _, codes in _SCRIPTS.values())
