"""The ranker that chooses between sites: explore a few pages of each, then collect from the best."""
