"""Names for versions of code: what was made by other code gets another name, and is made anew."""

import inspect
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

import xxhash

import clew
from clew import registry
from clew.version import __version__

_ROOT = Path(clew.__file__).parent

CRAWLING = ("*.py", "frontier/*.py", "parse/*.py", "judge/*.py", "extract/*.py")
"""What decides how a crawl goes, the policy apart."""

REPLAYING = (
    "lab/build.py", "lab/invented.py", "lab/memory_store.py", "lab/replay.py", "lab/shelf.py",
    "lab/task.py", "lab/trial.py", "lab/virtual.py", "lab/warcs.py",
)  # fmt: skip

KNOWING = ("lab/atlas.py", "lab/sparse.py", "lab/oracle.py")
"""What decides where the oracle goes."""

INVENTING = ("madeup/*.py",)


@lru_cache(maxsize=64)
def version_of(*patterns: str) -> str:
    """Return a short name for the present state of some of our files.

    >>> version_of("urls.py") == version_of("urls.py") != version_of("types.py")
    True
    """
    digest = xxhash.xxh3_64(__version__.encode())
    for path in sorted(path for pattern in patterns for path in _ROOT.glob(pattern)):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:10]


def policy_version(policy: str) -> str:
    """Return a short name for a policy's code: its own file, and those that policies share.

    A change to one policy leaves what others did as it is.
    """
    part = registry.find("ranker", policy)
    digest = xxhash.xxh3_64()
    own = Path(inspect.getsourcefile(part if inspect.isclass(part) else type(part)) or "")
    of_others = {entry.module for entry in entry_points(group=registry.GROUPS["ranker"])}
    for path in sorted({own, *_ROOT.glob("rank/*.py")}):
        if path == own or f"clew.rank.{path.stem}" not in of_others:
            digest.update(path.name.encode() + (path.read_bytes() if path.is_file() else b""))
    return digest.hexdigest()[:10]
