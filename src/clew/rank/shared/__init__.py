"""Parts that several rankers share: link tokens, statistics of tokens, training sets, model files."""
