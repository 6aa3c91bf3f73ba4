"""A lexicon of German or English word forms with their parts of speech, from HanTa where it is installed."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

NOUNS = {"de": frozenset({"NN", "NE", "NNA", "NNI"}), "en": frozenset({"NN0", "NN1", "NN2", "NP0"})}
"""Tags of nouns: STTS for German, the British National Corpus's for English."""

MARGIN = {"de": 1.0, "en": 2.5}
"""How much likelier (as a logarithm) another part of speech may be for a word without context: "permits" is a
verb more often, but alone in a link it is a noun. English has more such words, and German shows its nouns by
a capital."""

_MODELS = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz"}


@cache
def has_lexicon() -> bool:
    """Return whether HanTa is installed, the extra `nouns`."""
    return find_spec("HanTa") is not None


class Lexicon:
    """The 25,000 most frequent forms of a language: which are nouns, and their normal forms.

    HanTa could also guess at words it does not know. A guess takes a millisecond and ten for garbage, a
    known word a microsecond: the rules of `german` and `english` do the rest.
    """

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._tagger: Any = None
        self._forms: dict[str, str] = {}

    def __contains__(self, word: str) -> bool:
        if self._tagger is None:
            # A third of a second and 40 MB: only when the language occurs.
            from HanTa.HanoverTagger import HanoverTagger  # noqa: PLC0415

            self._tagger = HanoverTagger(_MODELS[self.lang])
        return word.lower() in self._tagger.cache

    def are_nouns(self, words: Sequence[str]) -> list[bool]:
        """Return which words of a sentence are nouns there; each of them must be in the lexicon.

        The likeliest sequence of parts of speech, at 40 µs a word.
        """
        tagger, fit = self._tagger, NOUNS[self.lang]
        return [tagger.int2tag[tag] in fit for tag in tagger.tag_sent_viterbi(words)]

    def noun_form(self, word: str) -> str:
        """Return the normal form of a word that is in the lexicon, as a noun; nothing if it is never one."""
        form = self._forms.get(word)
        if form is None:
            tags = self._tagger.tag_word(word, cutoff=10, casesensitive=False)
            fit = [(value, tag) for tag, value in tags if tag in NOUNS[self.lang]]
            form = str(self._tagger.analyze(word, pos=max(fit)[1])[0]).lower() if fit else ""
            self._forms[word] = form
        return form

    def noun(self, word: str, cased: bool = False) -> str:
        """Return the normal form of a word that is in the lexicon if it can be a noun, or nothing.

        `cased` says that the first letter tells something: it begins no sentence.
        """
        tags = self._tagger.tag_word(word, cutoff=10, casesensitive=cased)
        best = max(value for _, value in tags)
        fit = [(value, tag) for tag, value in tags if tag in NOUNS[self.lang]]
        if not fit or max(fit)[0] < best - MARGIN[self.lang]:
            return ""
        return str(self._tagger.analyze(word, pos=max(fit)[1])[0]).lower()


@cache
def lexicon(lang: str) -> Lexicon | None:
    """Return the lexicon of a language, if there is one and it is installed."""
    return Lexicon(lang) if lang in NOUNS and has_lexicon() else None
