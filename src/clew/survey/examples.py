"""Saved pages as a place to begin: where on the web were they?"""

import re
from html import unescape
from pathlib import Path

from clew import urls

_READ = 100_000
"""Bytes of a file that are searched: an address of its own stands in the head of a page."""

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
