"""Rank: how promising is a link, before anybody has seen where it leads."""
