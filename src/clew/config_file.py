"""Write a new `clew.toml`: one commented file, few keys, the rest by default."""

import json
from pathlib import Path

from clew.errors import ConfigError, StoreError

TEMPLATE = """\
# clew.toml: one file, one crawl. `clew run` begins it, and goes on with it whenever it is run again.
# Every key has a default but crawl.contact and crawl.seeds; docs/configuration.md lists them all.

[crawl]
contact = {contact}
#         shown to site owners in every request, so that they can reach you
seeds   = {seeds}
#         where to begin: URLs, or files with one URL a line
pages   = 0                  # stop after this many pages in all; 0 means no limit

[goal]
about   = {about}
#         what you are looking for, in words; empty means every page is wanted
good    = {good}             # pages like these: files, folders or URLs
bad     = {bad}             # not pages like these
keep    = 0.5                # verdicts from here up count as relevant

[rank]
policy  = "best-first"       # links of relevant pages first; "breadth" takes the oldest first

[scope]
hosts   = ["any"]            # or ["seeds"], or patterns such as ["*.gov.uk"]
exclude = []                 # never fetch addresses like these, e.g. ["*/login*", "*/cart*"]
depth   = 50                 # links from a seed, at most

[fetch]
delay       = 1.0            # seconds between two requests to one host, at least
per_host    = 1              # requests under way at one host
concurrency = 64             # requests under way in all
"""


def quoted(value: str | list[str]) -> str:
    """Return a TOML string or list of strings."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def write_new(
    folder: Path,
    *,
    contact: str,
    seeds: list[str],
    about: str = "",
    good: list[str] | None = None,
    bad: list[str] | None = None,
) -> Path:
    """Make the folder and its clew.toml; an existing crawl is never overwritten."""
    path = folder / "clew.toml"
    text = TEMPLATE.format(
        contact=quoted(contact),
        seeds=quoted(seeds),
        about=quoted(about),
        good=quoted(good or []),
        bad=quoted(bad or []),
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        what = "is a crawl already" if path.exists() else "is a file, not a folder"
        msg = f"{folder} {what}; go on with: clew run {folder}, or choose another name"
        raise ConfigError(msg) from None
    except OSError as error:
        msg = f"{folder} cannot be written: {error.strerror}"
        raise StoreError(msg) from None
    return path
