"""Searching as a service of the crawl: first seeds, the words of a topic, new seeds when it runs dry."""

from clew.reseeding.log import Kept, Log, Remembered
from clew.reseeding.opening import MODELS, check_search, open_searching
from clew.reseeding.planting import plant_results
from clew.reseeding.service import Reseeding
from clew.reseeding.training import OTHERS
from clew.reseeding.vocabulary import STOPWORDS, Vocabulary

__all__ = [
    "MODELS",
    "OTHERS",
    "STOPWORDS",
    "Kept",
    "Log",
    "Remembered",
    "Reseeding",
    "Vocabulary",
    "check_search",
    "open_searching",
    "plant_results",
]
