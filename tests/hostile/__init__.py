"""The outside run: a hostile web on loopback, a judge of its access log, and the real program between them."""
