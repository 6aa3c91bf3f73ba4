"""Example pages that a person named: can they be used, and where on the web were they?"""

import re
from difflib import get_close_matches
from html import unescape
from itertools import islice
from pathlib import Path

from clew import urls
from clew.config.seeds import read_seeds
from clew.errors import ConfigError
from clew.store import read_sql

_READ = 100_000
"""Bytes of a file that are searched: an address of its own stands in the head of a page."""

_LOOKED_AT = 2_000
"""Files of a folder that are looked at: one good page among them is enough."""

_ADDRESS = re.compile(r"https?://\S+")
_OWN = re.compile(
    r"<!--\s*saved from url=\(\d+\)(?P<saved>\S+?)\s*-->"
    r"|<link\b(?=[^>]*\brel\s*=\s*[\"']?canonical\b)[^>]*?\bhref\s*=\s*[\"']?(?P<canonical>[^\"'\s>]+)"
    r"|<meta\b(?=[^>]*\bproperty\s*=\s*[\"']og:url\b)[^>]*?\bcontent\s*=\s*[\"']?(?P<graph>[^\"'\s>]+)",
    re.IGNORECASE,
)


def own_addresses(example: Path, canon: urls.Canon) -> list[str]:
    """Return the web addresses that saved pages, a file or all of a folder, name as their own.

    Browsers write where a page was saved from, and most pages say where they belong (`canonical`, `og:url`).
    """
    files = sorted(p for p in example.rglob("*") if p.is_file()) if example.is_dir() else [example]
    found: dict[str, None] = {}
    for path in files:
        with path.open("rb") as file:
            text = file.read(_READ).decode("utf-8", "replace")
        for match in _OWN.finditer(text):
            address = canon(unescape(match["saved"] or match["canonical"] or match["graph"]))
            if address:
                found[address] = None
                break
    return list(found)


def checked_example(name: str) -> str:
    """Return an example as it goes into clew.toml; raise `ConfigError` for what no judge could learn from.

    It is a URL, a saved page, a folder of saved pages, or the folder of a crawl that has found something.
    """
    if "://" in name:
        try:
            return read_seeds(Path(), [name], urls.Canon())[0]
        except ConfigError as error:
            raise ConfigError(str(error).replace("seed ", "example ", 1)) from None
    path = Path(name).expanduser()
    if (path / "crawl.db").exists() or (path / "clew.toml").exists():
        _check_crawl(path)
    elif path.is_dir():
        files = islice((file for file in path.rglob("*") if file.is_file()), _LOOKED_AT)
        if all(_unfit(file) for file in files):
            msg = f"the folder {name} holds no page with text; put saved pages (.html or .txt) into it"
            raise ConfigError(msg)
    elif path.exists():
        if why := _unfit(path):
            msg = f"example {name} {why}"
            raise ConfigError(msg)
    else:
        beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        near = get_close_matches(path.name, beside, n=1)
        hint = (
            f"did you mean {path.parent / near[0]}?"
            if near
            else "--good and --bad take files, folders or URLs"
        )
        msg = f"example {name} does not exist; {hint}"
        raise ConfigError(msg)
    return str(path.resolve())


def _check_crawl(folder: Path) -> None:
    ((relevant,),) = read_sql(folder, "SELECT count(*) FROM pages WHERE relevant")
    if not relevant:
        msg = f"the crawl {folder} has no relevant pages to learn from; run it further, or name pages"
        raise ConfigError(msg)


def _unfit(path: Path) -> str:
    """Say why a file is no example page, or nothing if it is one."""
    try:
        with path.open("rb") as file:
            data = file.read(_READ)
    except OSError as error:
        return f"cannot be read: {error.strerror}; give yourself access to it"
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    if data[:4] == b"%PDF" or (b"\0" in data and not wide):
        return "is no text; save the page as HTML, or its text as .txt"
    text = data.decode("utf-16" if wide else "utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return "is empty; save the page again"
    if all(_ADDRESS.fullmatch(line.strip()) for line in lines):
        return f"is a list of addresses, not a page; give each of them: --good {lines[0].strip()}"
    return ""
