"""What every test may rely on."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent
TIMED = (
    "hostile", "scale/test_kill.py", "synthetic/test_server.py", "test_browser.py", "test_screen.py", "web/test_in_chromium.py",
    "web/test_large_crawl.py",
)  # fmt: skip
"""Where tests measure time, or drive a terminal or a browser."""

# How long an example takes says nothing about a loaded machine.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

# Jobs in the background of a script ignore Ctrl-C, and so would every program the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Mark what should have the machine nearly to itself."""
    for item in items:
        if any(item.path.is_relative_to(ROOT / name) for name in TIMED):
            item.add_marker(pytest.mark.timed)
