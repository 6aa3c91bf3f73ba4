"""What an installation weighs: the libraries that the base needs, and those that only extras need."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_SHOWN = 4


def describe_install_size() -> str:
    """Return the size of the libraries in MB, the heaviest named."""
    base = _requirements("clew", extras=False)
    sizes = {name: _size(name) for name in _requirements("clew", extras=True)}
    parts = [_sentence("base", {name: sizes[name] for name in base})]
    if more := {name: size for name, size in sizes.items() if name not in base}:
        parts.append(_sentence("extras", more))
    return "; ".join(parts)


def _sentence(what: str, sizes: dict[str, int]) -> str:
    heaviest = sorted(sizes.items(), key=lambda each: -each[1])[:_SHOWN]
    named = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in heaviest)
    return f"{what} {sum(sizes.values()) / 1e6:,.0f} MB ({named} …)"


def _requirements(name: str, *, extras: bool) -> set[str]:
    """Return the installed distributions that one needs, and those that they need."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        owner = waiting.pop()
        for line in distribution(owner).requires or ():
            needed = _NAME.match(line)
            optional = "extra ==" in line and not (extras and owner == name and '"dev"' not in line)
            if needed is None or optional or needed[0].lower() in found or needed[0].lower() == name:
                continue
            try:
                distribution(needed[0])
            except PackageNotFoundError:
                continue
            found.add(needed[0].lower())
            waiting.append(needed[0])
    return found


def _size(name: str) -> int:
    files = (Path(str(path.locate())) for path in distribution(name).files or ())
    return sum(file.stat().st_size for file in files if file.is_file())
