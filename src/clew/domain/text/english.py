"""English nouns: by the lexicon, and by their endings."""

import re

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
