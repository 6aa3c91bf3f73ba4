"""Search engines as sources of seeds."""
