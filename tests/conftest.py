"""What every test may rely on."""

import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
ALONE = {"test_screen.py", "test_rendering.py", "madeup/test_server.py"}
"""Files whose tests measure time, drive a terminal or a browser, beside those of hostile/."""

# Jobs in the background of a script ignore Ctrl-C, and so would every program the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Mark what must not run beside other tests."""
    for item in items:
        name = item.path.relative_to(ROOT).as_posix()
        if name.startswith("hostile/") or name in ALONE:
            item.add_marker(pytest.mark.alone)
