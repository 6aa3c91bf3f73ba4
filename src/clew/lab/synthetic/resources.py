"""Word lists, sentence patterns and names of the synthetic web, read from the TOML files under `data/`."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load(name: str) -> dict[str, Any]:
    """Return the contents of `data/NAME.toml`. A file is read when it is first needed, and once."""
    path = files("clew.lab.synthetic") / "data" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def split_words(text: str) -> list[str]:
    r"""Return the entries of a comma-separated list that may run over several lines.

    >>> split_words("fog signal, lamp,\nlens")
    ['fog signal', 'lamp', 'lens']
    """
    return [word.strip() for word in text.split(",")]
