"""Crawls in shards: many engines, one crawl, on one machine or on many."""
