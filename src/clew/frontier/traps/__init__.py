"""Traps: URL spaces without end, and the evidence by which they are told from honest sites."""
