"""Write a new `clew.toml`: one commented file, few keys, the rest by default."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from clew.errors import ConfigError, StoreError

TEMPLATE = """\
# clew.toml: one file, one crawl. `clew run` begins it, and goes on with it whenever it is run again.
# Every key has a default but crawl.contact and crawl.seeds; docs/configuration.md lists them all.

[crawl]
contact = ""
#         shown to site owners in every request, so that they can reach you
seeds   = []
#         where to begin: URLs, or files with one URL a line
pages   = 0                  # stop after this many pages in all; 0 means no limit

[goal]
about   = ""
#         what you are looking for, in words; empty means every page is wanted
good    = []                 # pages like these: files, folders or URLs
bad     = []                 # not pages like these
keep    = 0.5                # verdicts from here up count as relevant

[rank]
policy  = "clew"             # learns from every page which links to trust; others: docs/policies.md

[scope]
hosts   = ["any"]            # or ["seeds"], or patterns such as ["*.gov.uk"]
exclude = []                 # never fetch addresses like these, e.g. ["*/login*", "*/cart*"]
depth   = 50                 # links from a seed, at most

[fetch]
delay       = 1.0            # seconds between two requests to one host, at least
per_host    = 1              # requests under way at one host
concurrency = 64             # requests under way in all
"""

_KEY = re.compile(r"(?P<key>\w+)(?P<pad> *)= (?P<value>.*?)(?P<remark> +#.*)?")


def quoted(value: object) -> str:
    """Return a value as TOML: text, numbers, truth, and lists of them."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def written(
    *,
    contact: str,
    seeds: list[str],
    about: str = "",
    good: list[str] | None = None,
    bad: list[str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> str:
    """Return the text of a new file; `settings` are more keys, as `{"fetch.delay": 2}`."""
    given = {
        "crawl.contact": contact,
        "crawl.seeds": seeds,
        "goal.about": about,
        "goal.good": good or [],
        "goal.bad": bad or [],
        **(settings or {}),
    }
    text = TEMPLATE
    for name, value in given.items():  # each key once: what a person wrote is never taken for a remark
        text = _with(text, name, quoted(value))
    return text


def _with(text: str, name: str, value: str) -> str:
    """Return the text with one key changed in its place, or added at the end of its table."""
    table, _, key = name.partition(".")
    lines = text.splitlines()
    if f"[{table}]" not in lines:
        return f"{text}\n[{table}]\n{key} = {value}\n"
    at = lines.index(f"[{table}]") + 1
    while at < len(lines) and lines[at].strip():
        known = _KEY.fullmatch(lines[at])
        if known and known["key"] == key:
            remark = known["remark"] or ""
            gap = len(known["value"]) + len(remark) - len(remark.lstrip())
            lines[at] = f"{key}{known['pad']}= " + (f"{value:{gap - 1}} " + remark.lstrip()).rstrip()
            return "\n".join(lines) + "\n"
        at += 1
    lines.insert(at, f"{key} = {value}")
    return "\n".join(lines) + "\n"


def count_keys(text: str) -> int:
    """Count the keys that a file sets."""
    return sum(len(keys) for keys in tomllib.loads(text).values())


def check_free(folder: Path) -> None:
    """Raise at once if `write_new` could not make a crawl in this folder: questions come later."""
    if (folder / "clew.toml").exists() or (folder.exists() and not folder.is_dir()):
        raise _taken(folder)
    above = folder.absolute()
    while not above.exists():
        above = above.parent
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        what = "permission denied" if above.is_dir() else f"{above} is a file, not a folder"
        msg = f"{folder} cannot be written: {what}; choose another place"
        raise StoreError(msg)


def write_new(
    folder: Path,
    *,
    contact: str,
    seeds: list[str],
    about: str = "",
    good: list[str] | None = None,
    bad: list[str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> Path:
    """Make the folder and its clew.toml; an existing crawl is never overwritten."""
    path = folder / "clew.toml"
    text = written(contact=contact, seeds=seeds, about=about, good=good, bad=bad, settings=settings)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _taken(folder) from None
    except OSError as error:
        msg = f"{folder} cannot be written: {error.strerror}; choose another place"
        raise StoreError(msg) from None
    return path


def _taken(folder: Path) -> ConfigError:
    if (folder / "clew.toml").exists():
        return ConfigError(
            f"{folder} is a crawl already; go on with: clew run {folder}, or choose another name"
        )
    return ConfigError(f"{folder} is a file, not a folder; choose another name")
