"""Measurements anybody can repeat: `python -m bench.NAME --help` says what each one shows."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy, as the command line does
