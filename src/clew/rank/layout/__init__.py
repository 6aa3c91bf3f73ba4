"""Rankers that use the position of a link on its page."""
