"""Services beside the engine: labels, search, tables and re-ranking."""
