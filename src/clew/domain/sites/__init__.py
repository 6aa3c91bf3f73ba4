"""Explore many sites: estimate from a few pages of each which ones hold the wanted content."""
