"""Published and well-known policies, to compare with."""
