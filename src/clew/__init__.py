"""Clew: a focused web crawler that shows its thread."""

__version__ = "0.1.0"
