"""Measurements anybody can repeat: `python -m bench.NAME --help` says what each one shows."""
