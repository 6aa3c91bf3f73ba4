"""Find what was compiled when Clew was installed; where it is missing, plain Python does the same.

`CLEW_PURE_PYTHON=1` chooses plain Python: to compare the two, and to find out which of them is at fault.
"""

import os
from importlib import import_module
from typing import Any


def compiled(module: str, name: str) -> Any:  # noqa: ANN401 - whatever the module has under this name
    """Return a function or class of a compiled module, or None where it is missing or not wanted."""
    if os.environ.get("CLEW_PURE_PYTHON"):
        return None
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError):  # not built, or built from an older source
        return None
