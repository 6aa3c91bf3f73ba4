"""Text: words, nouns and terms of any language, what language it is, and text that is safe to show.

No user files, no network. `words` and `stem` are rough and the same for all languages; `terms` are
stems without function words, for classifiers; `nouns` name what a text is about; `stop_words` tell nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clew.domain.text.display import printable
from clew.domain.text.language import language
from clew.domain.text.stopword_lists import derive_stop_words, stop_words
from clew.domain.text.tokenizing import (
    STOP_WORDS,
    count_words,
    folded,
    stem,
    topic_words,
    typical_words,
    words,
)

if TYPE_CHECKING:
    from clew.domain.text.noun_extraction import extra_for, nouns, nouns_as_written
    from clew.domain.text.stemming import terms

__all__ = [
    "STOP_WORDS",
    "count_words",
    "derive_stop_words",
    "extra_for",
    "folded",
    "language",
    "nouns",
    "nouns_as_written",
    "printable",
    "stem",
    "stop_words",
    "terms",
    "topic_words",
    "typical_words",
    "words",
]

_LATER = {
    "extra_for": "noun_extraction",
    "nouns": "noun_extraction",
    "nouns_as_written": "noun_extraction",
    "terms": "stemming",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - 30 ms of expressions, which most commands do not need
    if name not in _LATER:
        msg = f"module 'clew.domain.text' has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = found = getattr(import_module(f"clew.domain.text.{_LATER[name]}"), name)
    return found
