"""What a person wants to know about a crawl: explanations, diagnostics, preflight checks, a summary."""
