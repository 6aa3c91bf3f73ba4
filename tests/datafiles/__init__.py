"""Data files: names, bytes, statistics, and the goal."""
