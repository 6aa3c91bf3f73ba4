"""Names for versions of code: results of other code get another name, and are computed again."""

import inspect
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

import xxhash

from clew import registry, urls

_ROOT = Path(urls.__file__).parent

CRAWLING = (
    "builder.py", "contracts/*.py", "registry/*.py", "types/*.py", "urls.py",
    "config/*.py", "domain/**/*.*",
    "engine/*.py", "extract/*.py", "frontier/**/*.py", "judge/*.py", "parse/**/*.*", "services/**/*.py",
)  # fmt: skip
"""Code that determines the course of a crawl, apart from the policy."""

REPLAYING = (
    "lab/build_page_store.py", "lab/memory_store.py", "lab/page_store.py", "lab/replay.py",
    "lab/site_verdicts.py", "lab/synthetic_world.py", "lab/task.py", "lab/teacher.py", "lab/trial.py",
    "lab/trial_parts.py", "lab/virtual_time.py", "lab/warc_reader.py",
)  # fmt: skip

KNOWING = ("lab/world_graph.py", "lab/site_verdicts.py", "lab/sparse.py", "lab/oracle.py")
"""Code that determines the oracle."""

INVENTING = ("lab/synthetic/**/*.*",)


@lru_cache(maxsize=64)
def version_of(*patterns: str) -> str:
    """Return a short name for the present state of some of our files.

    >>> version_of("urls.py") == version_of("urls.py") != version_of("types/links.py")
    True
    """
    return _digest(path for pattern in patterns for path in _ROOT.glob(pattern) if path.suffix != ".pyc")


def policy_version(policy: str) -> str:
    """Return a short name for a policy's code: its own file, and those that policies share.

    A change to one policy leaves the results of others valid.
    """
    own = _source("ranker", policy)
    of_others = {entry.module for entry in entry_points(group=registry.GROUPS["ranker"])}
    shared = [path for path in _ROOT.glob("rank/**/*.py") if _module(path) not in of_others]
    return _digest({own, *shared})


def _module(path: Path) -> str:
    return ".".join(("clew", *path.relative_to(_ROOT).with_suffix("").parts))


def judge_version(judge: str) -> str:
    """Return a short name for the code of a judge that is not ours; ours are part of `CRAWLING`."""
    return _digest({_source("judge", judge)}) if ":" in judge else ""


def _source(kind: str, name: str) -> Path:
    part = registry.find(kind, name)
    return Path(inspect.getsourcefile(part if inspect.isclass(part) else type(part)) or "")


def _digest(paths: Iterable[Path]) -> str:
    digest = xxhash.xxh3_64()
    for path in sorted(paths):
        digest.update(path.name.encode() + (path.read_bytes() if path.is_file() else b""))
    return digest.hexdigest()[:10]
