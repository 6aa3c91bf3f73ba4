"""Fetch: one link in, one response out; the only package that opens sockets to the web."""

from clew.fetch.address_guard import AddressGuard
from clew.fetch.curl import CurlFetcher

__all__ = ["AddressGuard", "CurlFetcher"]
