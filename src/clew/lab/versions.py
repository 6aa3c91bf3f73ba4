"""Names for versions of code: what was made by other code gets another name, and is made anew."""

import inspect
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

import xxhash

import clew
from clew import registry

_ROOT = Path(clew.__file__).parent

CRAWLING = (
    "admission.py", "appraisal.py", "budget.py", "closing.py", "config.py", "config_tables.py",
    "contracts.py", "crawl.py", "detours.py", "flow.py", "gates.py", "house.py", "knowledge.py", "mind.py",
    "priorities.py", "queries.py", "types.py", "urls.py", "extract/*.py", "frontier/*.py", "judge/*.py",
    "parse/*.py", "places/*.py", "reseeding/*.py", "text/**/*.*",
)  # fmt: skip
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
    return _digest(path for pattern in patterns for path in _ROOT.glob(pattern))


def policy_version(policy: str) -> str:
    """Return a short name for a policy's code: its own file, and those that policies share.

    A change to one policy leaves what others did as it is.
    """
    own = _source("ranker", policy)
    of_others = {entry.module for entry in entry_points(group=registry.GROUPS["ranker"])}
    shared = [path for path in _ROOT.glob("rank/*.py") if f"clew.rank.{path.stem}" not in of_others]
    return _digest({own, *shared})


def judge_version(judge: str) -> str:
    """Return a short name for the code of a judge that is not ours; ours are part of what crawls."""
    return _digest({_source("judge", judge)}) if ":" in judge else ""


def _source(kind: str, name: str) -> Path:
    part = registry.find(kind, name)
    return Path(inspect.getsourcefile(part if inspect.isclass(part) else type(part)) or "")


def _digest(paths: Iterable[Path]) -> str:
    digest = xxhash.xxh3_64()
    for path in sorted(paths):
        digest.update(path.name.encode() + (path.read_bytes() if path.is_file() else b""))
    return digest.hexdigest()[:10]
