"""What does an installation weigh? Sizes of all libraries that the base and each extra need, in this environment.

    python -m bench.install_size           # in an environment with all extras; publishes the data of docs/installing.md

Counted are the files that pip has written for each distribution, byte code included. A library that several extras need
counts for each of them, unless the base needs it.
"""

import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from bench.figures import publish
from docs.figures import Table

ROOT = Path(__file__).parent.parent
NAMED = 4
UNSHOWN = ("all", "dev", "docs")


def needed(lines: Iterable[str], known: frozenset[str] = frozenset()) -> set[str]:
    """Return the names of all distributions that requirements lead to, without known ones."""
    found: set[str] = set()
    waiting = [Requirement(line) for line in lines]
    while waiting:
        one = waiting.pop()
        name = one.name.lower().replace("_", "-")
        if name in found or name in known or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        try:
            lines = distribution(name).requires or ()
        except PackageNotFoundError:
            print(f"{name} is not installed: not counted")
            continue
        found.add(name)
        inner = [Requirement(line) for line in lines]
        waiting += [each for each in inner if not each.marker or each.marker.evaluate({"extra": ""})]
        waiting += [
            each
            for each in inner
            for extra in one.extras
            if each.marker and each.marker.evaluate({"extra": extra})
        ]
    return found


def megabytes(name: str, suffix: str = "") -> float:
    """Return the size of a distribution, or of its files with a suffix."""
    files = (Path(str(path.locate())) for path in distribution(name).files or ())
    return sum(each.stat().st_size for each in files if each.is_file() and each.name.endswith(suffix)) / 1e6


def row(name: str, libraries: Iterable[str]) -> tuple[str, str, str]:
    sizes = {library: megabytes(library) for library in libraries}
    heaviest = sorted(sizes, key=lambda library: -sizes[library])[:NAMED]
    named = ", ".join(f"{library} {sizes[library]:.0f}" for library in heaviest if sizes[library] >= 1)
    return name, f"{sum(sizes.values()):.0f}", named


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    base = frozenset(needed(project["dependencies"]))
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name not in UNSHOWN}
    rows = [row("base", base)]
    rows += [row(f"`{name}`", needed(lines, base)) for name, lines in extras.items()]
    everything = needed([line for lines in extras.values() for line in lines], base)
    rows.append(row("all extras together", everything))
    table = Table(("installed", "MB", "of which"), tuple(rows))
    publish(
        {"install-size": table}, "python -m bench.install_size",
        others=round(sum(megabytes(name) for name in base - {"numpy"})),
        bytecode=round(sum(megabytes(name, ".pyc") for name in base)),
    )  # fmt: skip


if __name__ == "__main__":
    main()
