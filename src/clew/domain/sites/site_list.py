"""Read lists of sites: one host or URL a line, with or without a label."""

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path

from clew import urls
from clew.errors import ConfigError

_ENCODINGS_BY_BOM = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_TRUTH = {
    "yes": True, "y": True, "1": True, "true": True, "+": True,
    "no": False, "n": False, "0": False, "false": False, "-": False,
}  # fmt: skip
_INVALID_CHARACTER = re.compile(r"[\s@\"'<>|]")


@dataclass(slots=True)
class SiteList:
    """Distinct sites of a file, in order, and its lines that are invalid or duplicates.

    `labels` are those of the second column, by host. Lines are given as number and text.
    """

    urls: list[str] = field(default_factory=list)
    labels: dict[str, bool] = field(default_factory=dict)
    duplicates: list[tuple[int, str]] = field(default_factory=list)
    invalid: list[tuple[int, str]] = field(default_factory=list)

    @property
    def hosts(self) -> int:
        """Number of distinct hosts."""
        return len({urls.clock_key(urls.origin(url)) for url in self.urls})


def read_site_list(path: Path, *, truth: bool = False) -> SiteList:
    """Read a file of sites; with `truth` each line must contain yes or no after a tab, a comma or spaces.

    A file without any site is a ConfigError; single invalid lines are listed and left out.
    """
    found, seen = SiteList(), set[str]()
    canon = urls.Canon()
    for number, line in enumerate(_read_text(path).splitlines(), 1):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        name, *rest = re.split(r"[\t,;]\s*|\s+(?=\S+$)", entry, maxsplit=1)
        label = _TRUTH.get(rest[0].strip().lower()) if rest else None
        url = site_url(name, canon) if label is not None or not truth else None
        if url is None or (rest and label is None and not line.count("\t")):
            found.invalid.append((number, entry))
        elif url in seen:
            found.duplicates.append((number, entry))
        else:
            seen.add(url)
            found.urls.append(url)
        if url is not None and label is not None:
            found.labels[urls.clock_key(urls.origin(url))] = label
    if not found.urls:
        shape = "host<TAB>yes or host<TAB>no" if truth else "one host or URL"
        first = f", line {found.invalid[0][0]} is {found.invalid[0][1][:40]!r}" if found.invalid else ""
        msg = f"{path} names no site{first}; write {shape} a line"
        raise ConfigError(msg)
    return found


def site_url(name: str, canon: urls.Canon) -> str | None:
    """Return the start URL of a site, None if the name cannot be a site.

    >>> site_url("Data.example.org", urls.Canon()), site_url("https://a.test/x", urls.Canon())
    ('http://data.example.org/', 'https://a.test/x')
    >>> site_url("not a site", urls.Canon()), site_url("readme", urls.Canon())
    (None, None)
    """
    name = name.strip().removeprefix("//")
    scheme, colon, _ = name.partition("://")
    if _INVALID_CHARACTER.search(name) or (colon and scheme.lower() not in ("http", "https")):
        return None
    url = canon(name if colon else f"http://{name}")
    host = urls.host(url) if url else ""
    labelled = re.fullmatch(r"[\w-]+(\.[\w-]+)*\.[a-z][\w-]*", host) is not None
    numbered = host in name and re.fullmatch(r"\d{1,3}(\.\d{1,3}){3}", host) is not None  # and not 1.2
    return url if labelled or numbered or host == "localhost" or host.startswith("[") else None


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; name a file with one host or URL a line"
        raise ConfigError(msg) from None
    encoding = next((name for bom, name in _ENCODINGS_BY_BOM.items() if data.startswith(bom)), "utf-8")
    text = data.decode(encoding, "replace")
    if data[:2] == b"PK" or "\0" in text:
        msg = f"{path} is not a text file; save it as plain text with one host or URL a line"
        raise ConfigError(msg)
    return text
