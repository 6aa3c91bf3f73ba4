"""A corpus of texts from a crawl, for those who train language models: sharded, deduplicated, documented."""

from clew.insight.corpus.datasheet import describe_goal
from clew.insight.corpus.exporter import CorpusExport, export_corpus
from clew.insight.corpus.options import CorpusOptions, DropReason

__all__ = ["CorpusExport", "CorpusOptions", "DropReason", "describe_goal", "export_corpus"]
