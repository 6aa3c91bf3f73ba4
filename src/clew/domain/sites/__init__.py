"""Which sites hold it: the arithmetic of looking at a few pages of many sites, without network or disk."""
