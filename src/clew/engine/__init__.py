"""The engine: takes each page through judge, extractor, ranker, frontier and store."""
