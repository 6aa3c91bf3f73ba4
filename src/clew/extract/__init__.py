"""Extract: rows of a table, taken out of pages."""
