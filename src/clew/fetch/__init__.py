"""Fetch: one link in, one visit out; the only room that opens sockets to the web."""

from clew.fetch.curl import CurlFetcher
from clew.fetch.guard import Guard

__all__ = ["CurlFetcher", "Guard"]
