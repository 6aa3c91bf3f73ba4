"""Libraries and gazetteers that come with the extra `places`."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from clew.domain.installation import install_command
from clew.errors import ConfigError


def library(name: str) -> Any:  # noqa: ANN401 - a module
    """Import a library of the extra `places`, or raise an error that tells how to install it."""
    try:
        return import_module(name)
    except ImportError:
        raise _missing(name) from None


@cache
def data_file(package: str, *parts: str) -> Path:
    """Return a data file that a package ships, without importing the package."""
    spec = find_spec(package)
    path = Path(spec.origin).parent.joinpath(*parts) if spec and spec.origin else None
    if path is None or not path.exists():
        raise _missing(package)
    return path


def _missing(name: str) -> ConfigError:
    return ConfigError(f"finding places needs {name}; get it with: {install_command('places')}")
