"""A report for a bug tracker that names no site, no person and no secret.

Only what is listed here is shown: versions, numbers, names of Clew's own components, and counts. Texts that a
user or a site has written (topic, seeds, URLs, contact, paths, headers, messages) are never copied.
"""

import os
import platform
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from clew import config as configuration
from clew import registry
from clew.config import Config
from clew.domain.installation import __version__
from clew.errors import ClewError
from clew.insight.preflight import Check, check_folder, check_machine
from clew.store.database import open_reader

OWN_WORDS = {"rank.policy": "ranker", "goal.judge": "judge"}
"""Keys whose value is the name of a component, shown if it is one of Clew's own."""

CHOICES = frozenset({"fetch.browser", "parse.text", "goal.patterns", "scope.site", "seek.next"})
"""Keys whose value is one of a few words."""

_COUNTS = {
    "links by state": "SELECT state, count(*) FROM links_readable GROUP BY 1 ORDER BY 1",
    "answers by status": "SELECT status, count(*) FROM pages GROUP BY 1 ORDER BY 1",
    "pages by type": "SELECT mime, count(*) FROM pages GROUP BY 1 ORDER BY 2 DESC LIMIT 10",
    "relevant": "SELECT relevant, count(*) FROM pages GROUP BY 1",
}
_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,60}")
_PLAIN_WORD = re.compile(r"[A-Za-z-]+")


def bug_report(folder: Path | None) -> str:
    """Return the report, in Markdown; with a crawl also its settings and counts."""
    lines = ["## What happened", "", "(what you did, what you expected, what came instead)", ""]
    lines += ["## Where", "", *_machine(folder), ""]
    if folder is not None:
        lines += ["## The crawl", "", *_crawl(folder)]
    return "\n".join(lines).rstrip() + "\n"


def _machine(folder: Path | None) -> Iterator[str]:
    yield f"- clew {__version__}, Python {platform.python_version()} ({sys.implementation.name})"
    yield f"- {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    yield f"- packages: {', '.join(_packages())}"
    yield f"- checks: {_marks(check_machine(folder or Path()))}"


def _marks(checks: list[Check]) -> str:
    return ", ".join(f"{check.name} {check.mark}" for check in checks)


def _packages() -> Iterator[str]:
    names = {
        re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0] for requirement in requires("clew") or ()
    }
    for name in sorted(names):
        try:
            yield f"{name} {version(name)}"
        except (PackageNotFoundError, ValueError):
            continue


def _crawl(folder: Path) -> Iterator[str]:
    try:
        config = configuration.load_folder(folder)
    except ClewError as error:
        yield f"- clew.toml cannot be read: {type(error).__name__}"
    else:
        yield "- settings: " + ", ".join(_settings(config))
    yield f"- checks: {_marks(check_folder(folder))}"
    try:
        with closing(open_reader(folder)) as db:
            yield from _counts(db)
    except (ClewError, sqlite3.Error) as error:
        yield f"- crawl.db cannot be read: {type(error).__name__}"


def _settings(config: Config) -> Iterator[str]:
    for table, keys in config.model_dump(exclude_unset=True).items():
        for key, value in keys.items():
            yield f"{table}.{key} = {_shown(f'{table}.{key}', value)}"


def _shown(name: str, value: object) -> str:
    """Return a value that cannot be private; of others, whether they are set and how many."""
    if isinstance(value, bool | int | float) or name in CHOICES:
        return str(value)
    if name in OWN_WORDS and _is_own(OWN_WORDS[name], str(value)):
        return str(value)
    if isinstance(value, list | dict):
        return f"({len(value)})"
    return "(set)" if value else "(empty)"


def _is_own(kind: str, name: str) -> bool:
    """Tell a component of Clew from one of a user's package."""
    return name in registry.names(kind) and registry.find(kind, name).__module__.startswith("clew.")


def _counts(db: sqlite3.Connection) -> Iterator[str]:
    for title, query in _COUNTS.items():
        cells = [f"{_safe(name)} {count:,}" for name, count in db.execute(query)]
        yield f"- {title}: {', '.join(cells) or 'none'}"
    reasons: Counter[str] = Counter()
    for reason, count in db.execute("SELECT error, count(*) FROM pages WHERE error != '' GROUP BY 1"):
        reasons[_kind_of_error(reason)] += count
    yield f"- errors: {', '.join(f'{name} {count:,}' for name, count in reasons.most_common(15)) or 'none'}"
    (runs,) = db.execute("SELECT count(*) FROM runs").fetchone()
    yield f"- runs: {runs:,}"


def _safe(value: object) -> str:
    """Return a number, a word of our own, or a media type; anything else is not shown."""
    text = str(value)
    return text if isinstance(value, int) or text.isalpha() or _TYPE.fullmatch(text) else "(other)"


def _kind_of_error(reason: str) -> str:
    """Return the first words of an error, without anything that could be a name or an address.

    >>> _kind_of_error("refused address 10.0.0.1")
    'refused address'
    >>> _kind_of_error("proxy out of reach: http://me@proxy.org")
    'proxy out of reach'
    """
    words = re.split(r"[:(]", reason, maxsplit=1)[0].split()
    return " ".join(word for word in words if _PLAIN_WORD.fullmatch(word))[:40] or "other"
