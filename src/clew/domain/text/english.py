"""English nouns: by the lexicon and the sentence they stand in, and by their endings."""

import re
from collections.abc import Iterator, Sequence

from clew.domain.text.lexicon import lexicon
from clew.domain.text.stopword_lists import other_words, stop_words
from clew.domain.text.tokenizing import folded

_PLURALS = """
    men=man women=woman children=child people=person mice=mouse feet=foot teeth=tooth geese=goose lice=louse
    wolves=wolf lives=life knives=knife wives=wife leaves=leaf shelves=shelf halves=half thieves=thief
    indices=index matrices=matrix vertices=vertex appendices=appendix criteria=criterion phenomena=phenomenon
    movies=movie cookies=cookie pies=pie ties=tie lies=lie shoes=shoe oxen=ox alumni=alumnus fungi=fungus
    series=series species=species news=news lens=lens canvas=canvas atlas=atlas gas=gas alias=alias bias=bias
    texas=texas kansas=kansas arkansas=arkansas athens=athens paris=paris christmas=christmas
"""
_IRREGULAR = dict(pair.split("=") for pair in _PLURALS.split())
_ADVERBS_AND_ADJECTIVES = re.compile(
    r"\w{2,}(?:lly|tly|dly|ely|bly|gly|kly|rly|sly|ously|ful|less|able|ible|ous|ical|ish|ive|ized|ised|ated)"
)
_SINGULAR = re.compile(r".*(?:ss|us|is|ics)|.{1,3}")
_PARTICIPLE = re.compile(r"\w{3,}(?:[^aeiou]ed|ied|ued)")


_UNKNOWN = {"noun": "thing", "plural": "things", "other": "large", "adverb": "quickly", "past": "made"}
"""Frequent words that stand for unknown ones of the same look when a sentence is tagged."""


def nouns_in_context(words: Sequence[str], capitals: bool) -> Iterator[tuple[str, str]]:
    """Yield the nouns of a sentence with their written forms; the lexicon must be installed.

    What may be a noun or a verb ("shows", "walk") is decided by the words around it. `capitals` says that
    they are significant: not in a headline. A word that stands alone is a noun if it may be one.

    >>> list(nouns_in_context(["Permits"], capitals=True))
    [('permit', 'Permits')]
    """
    known = lexicon("en")
    if known is None or len(words) == 1:
        found = ((english_noun(word, proper=False), word) for word in words)
        yield from (each for each in found if each[0])
        return
    small = [folded(word) for word in words]
    inside = [word in known for word in small]
    shown = words if capitals else small
    tagged = [
        word if is_known else _stand_in(form)
        for word, form, is_known in zip(shown, small, inside, strict=True)
    ]
    tags = known.are_nouns(tagged)
    for at, (word, form) in enumerate(zip(words, small, strict=True)):
        proper = capitals and at > 0 and word[0].isupper()
        if len(form) < 2 or form in stop_words("en"):  # noqa: PLR2004 - a single letter is no noun
            continue
        if not inside[at]:
            noun = singular(form) if proper or not _is_other(form) else ""
        elif tags[at] or (at and tags[at - 1] and _is_head(form, small[at + 1 : at + 2])):
            noun = known.noun_form(form) or singular(form)
        else:
            noun = singular(form) if proper and not known.noun_form(form) else ""
        if noun:
            yield noun, word


def _is_head(word: str, behind: Sequence[str]) -> bool:
    """Return whether a word behind a noun heads the phrase that goes on: "planning permits for …"."""
    known = lexicon("en")
    return word.endswith("s") and [*behind] in (["of"], ["for"]) and bool(known and known.noun(word))


def _stand_in(word: str) -> str:
    """Return a known word for an unknown one, by its ending."""
    if not _is_other(word):
        return _UNKNOWN["plural" if singular(word) != word else "noun"]
    if _PARTICIPLE.fullmatch(word):
        return _UNKNOWN["past"]
    return _UNKNOWN["adverb" if word.endswith("ly") else "other"]


def english_noun(word: str, proper: bool) -> str:
    """Return the normal form of a noun, else nothing; `proper` means that its capital is significant.

    >>> english_noun("permits", proper=False), english_noun("quickly", proper=False)
    ('permit', '')
    """
    small = folded(word)
    if small in stop_words("en"):
        return ""
    known = lexicon("en")
    if known is not None and small in known:
        noun = known.noun(small)
        return noun if noun or not proper else singular(small)
    return singular(small) if proper or not _is_other(small) else ""


def _is_other(word: str) -> bool:
    """Return whether a word looks like a verb, an adjective or an adverb."""
    return word in other_words("en") or bool(
        _ADVERBS_AND_ADJECTIVES.fullmatch(word) or _PARTICIPLE.fullmatch(word)
    )


def singular(word: str) -> str:
    """Return the singular of an English noun by rule.

    >>> [singular(word) for word in ("cities", "boxes", "analyses", "physics", "women", "houses")]
    ['city', 'box', 'analysis', 'physics', 'woman', 'house']
    """
    known = _IRREGULAR.get(word)
    if known:
        return known
    if not word.endswith("s") or _SINGULAR.fullmatch(word):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("lyses", "theses", "crises")):
        return word[:-2] + "is"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]
