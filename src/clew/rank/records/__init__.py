"""Rankers for goals with a table of example records."""
