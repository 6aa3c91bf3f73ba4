"""The default ranker `clew`."""
