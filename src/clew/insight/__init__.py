"""Information about a crawl: explanations, diagnostics, preflight checks, a summary."""
