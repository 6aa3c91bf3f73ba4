"""Check example pages: can they be used, and what are their URLs?"""

import re
from difflib import get_close_matches
from html import unescape
from itertools import islice
from pathlib import Path

from clew import urls
from clew.config.seeds import read_seeds
from clew.errors import ConfigError
from clew.store import crawl_stats

_READ = 100_000
"""Bytes of a file that are searched: the URL of a page is in its head."""

_MAX_FILES = 2_000
"""Files of a folder that are checked: one usable page is enough."""

_URL = re.compile(r"https?://\S+")
_OWN = re.compile(
    r"<!--\s*saved from url=\(\d+\)(?P<saved>\S+?)\s*-->"
    r"|<link\b(?=[^>]*\brel\s*=\s*[\"']?canonical\b)[^>]*?\bhref\s*=\s*[\"']?(?P<canonical>[^\"'\s>]+)"
    r"|<meta\b(?=[^>]*\bproperty\s*=\s*[\"']og:url\b)[^>]*?\bcontent\s*=\s*[\"']?(?P<graph>[^\"'\s>]+)",
    re.IGNORECASE,
)


def saved_page_urls(example: Path, canon: urls.Canon) -> list[str]:
    """Return the URLs of saved pages, given a file or a folder.

    Browsers record where a page was saved from, and most pages name their URL (`canonical`, `og:url`).
    """
    files = sorted(p for p in example.rglob("*") if p.is_file()) if example.is_dir() else [example]
    found: dict[str, None] = {}
    for path in files:
        with path.open("rb") as file:
            text = file.read(_READ).decode("utf-8", "replace")
        for match in _OWN.finditer(text):
            url = canon(unescape(match["saved"] or match["canonical"] or match["graph"]))
            if url:
                found[url] = None
                break
    return list(found)


def check_example(name: str) -> str:
    """Return an example as written into clew.toml; raise `ConfigError` for one that no judge can learn from.

    It is a URL, a saved page, a folder of saved pages, or the folder of a crawl with relevant pages.
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
        files = islice((file for file in path.rglob("*") if file.is_file()), _MAX_FILES)
        if all(_problem(file) for file in files):
            msg = f"folder {name} contains no page with text; put saved pages (.html or .txt) into it"
            raise ConfigError(msg)
    elif path.exists():
        if why := _problem(path):
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
    if not crawl_stats.count_pages(folder).relevant:
        msg = f"crawl {folder} has no relevant pages to learn from; run it longer, or give pages"
        raise ConfigError(msg)


def _problem(path: Path) -> str:
    """Return why a file cannot be an example page, or an empty string."""
    try:
        with path.open("rb") as file:
            data = file.read(_READ)
    except OSError as error:
        return f"cannot be read: {error.strerror}; check its permissions"
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    if data[:4] == b"%PDF" or (b"\0" in data and not wide):
        return "is not text; save the page as HTML, or its text as .txt"
    text = data.decode("utf-16" if wide else "utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return "is empty; save the page again"
    if all(_URL.fullmatch(line.strip()) for line in lines):
        return f"is a list of URLs, not a page; give each of them: --good {lines[0].strip()}"
    return ""
