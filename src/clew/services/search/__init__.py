"""Searching as a service of the crawl: first seeds, the words of a topic, new seeds when it runs dry."""

from clew.services.search.add_results import add_results
from clew.services.search.judge_training import OTHERS
from clew.services.search.search_log import MemorySearchLog, SearchLog, StoredSearchLog
from clew.services.search.service import SearchService
from clew.services.search.settings import SearchSettings
from clew.services.search.setup import MODELS, check_search, make_search_service
from clew.services.search.vocabulary import STOPWORDS, TopicVocabulary

__all__ = [
    "MODELS",
    "OTHERS",
    "STOPWORDS",
    "MemorySearchLog",
    "SearchLog",
    "SearchService",
    "SearchSettings",
    "StoredSearchLog",
    "TopicVocabulary",
    "add_results",
    "check_search",
    "make_search_service",
]
