"""Extractors: take rows of a table out of pages."""
