"""Write a new `clew.toml` with the most common keys, commented."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from clew.config.config import Config
from clew.errors import ConfigError, StoreError

SCHEMA_FILE = ".clew.schema.json"
"""The JSON schema of clew.toml, beside it: editors that know the first line of the template complete keys and
mark wrong values with it."""

TEMPLATE = """\
#:schema .clew.schema.json
# clew.toml: the configuration of one crawl. `clew run` starts it, or resumes it.
# Only crawl.contact and crawl.seeds are required; docs/configuration.md lists all keys.

[crawl]
contact = ""
#         shown to site owners in every request, so that they can reach you
seeds   = []
#         start URLs, or files with one URL per line
pages   = 0                  # total page budget; 0 means no limit

[goal]
about   = ""
#         the topic in words; if empty, every page is relevant
good    = []                 # relevant example pages: files, folders or URLs
bad     = []                 # irrelevant example pages
keep    = 0.5                # pages with a verdict of at least this are relevant

[rank]
policy  = "clew"             # learns from every page which links to follow; others: docs/policies.md

[scope]
hosts   = ["any"]            # or ["seeds"], or patterns such as ["*.gov.uk"]
exclude = []                 # URL patterns that are never fetched, e.g. ["*/login*", "*/cart*"]
depth   = 100000             # maximum link distance from a seed

[fetch]
delay       = 1.0            # minimum seconds between two requests to one host
per_host    = 1              # maximum concurrent requests to one host
concurrency = 64             # maximum concurrent requests in all
"""

_KEY = re.compile(r"(?P<key>\w+)(?P<pad> *)= (?P<value>.*?)(?P<remark> +#.*)?")


def quoted(value: object) -> str:
    """Return a value as TOML: text, numbers, booleans, lists of them, and tables of options.

    >>> quoted({"leaf": 2, "attributes": "a1a2"})
    '{"leaf" = 2, "attributes" = "a1a2"}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)} = {quoted(inner)}" for key, inner in value.items()) + "}"
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
    values = {
        "crawl.contact": contact,
        "crawl.seeds": seeds,
        "goal.about": about,
        "goal.good": good or [],
        "goal.bad": bad or [],
        **(settings or {}),
    }
    text = TEMPLATE
    for name, value in values.items():  # one key at a time, so a value is never parsed as a comment
        text = with_key(text, name, quoted(value))
    return text


def with_key(text: str, name: str, value: str) -> str:
    """Return the text with one key replaced, or added at the end of its table."""
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
    """Raise if `write_new` could not create a crawl in this folder."""
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
    """Create the folder and its clew.toml; never overwrite an existing crawl."""
    path = folder / "clew.toml"
    text = written(contact=contact, seeds=seeds, about=about, good=good, bad=bad, settings=settings)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        (folder / SCHEMA_FILE).write_text(json.dumps(Config.model_json_schema(), indent=1), "utf-8")
    except FileExistsError:
        raise _taken(folder) from None
    except OSError as error:
        msg = f"{folder} cannot be written: {error.strerror}; choose another place"
        raise StoreError(msg) from None
    return path


def _taken(folder: Path) -> ConfigError:
    if (folder / "clew.toml").exists():
        return ConfigError(
            f"{folder} is already a crawl; resume it with: clew run {folder}, or choose another name"
        )
    return ConfigError(f"{folder} is a file, not a folder; choose another name")
