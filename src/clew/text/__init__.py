"""Text: words, nouns and terms of any language, what language it is, and text that is safe to show.

No files of the person, no network. `words` and `stem` are rough and the same for all languages; `terms` are
stems without function words, for classifiers; `nouns` name what a text is about; `stop_words` tell nothing.
"""

from clew.text.detection import language
from clew.text.naming import extra_for, nouns, nouns_as_written
from clew.text.plain import STOP_WORDS, folded, stem, telling_words, words
from clew.text.showing import shown
from clew.text.stems import terms
from clew.text.stopping import rebuild, stop_words

__all__ = [
    "STOP_WORDS",
    "extra_for",
    "folded",
    "language",
    "nouns",
    "nouns_as_written",
    "rebuild",
    "shown",
    "stem",
    "stop_words",
    "telling_words",
    "terms",
    "words",
]
