"""Files of sites as people have them: one host or address a line, with or without what is known of it."""

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path

from clew import urls
from clew.errors import ConfigError

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_TRUTH = {
    "yes": True, "y": True, "1": True, "true": True, "+": True,
    "no": False, "n": False, "0": False, "false": False, "-": False,
}  # fmt: skip
_ODD = re.compile(r"[\s@\"'<>|]")


@dataclass(slots=True)
class SiteList:
    """Sites of a file, in order and each once, and the lines that name none or one that was there already.

    `said` is what the second column says of them, by host. Lines are numbers with what stands there.
    """

    urls: list[str] = field(default_factory=list)
    labels: dict[str, bool] = field(default_factory=dict)
    duplicates: list[tuple[int, str]] = field(default_factory=list)
    invalid: list[tuple[int, str]] = field(default_factory=list)

    @property
    def hosts(self) -> int:
        """How many hosts the addresses name."""
        return len({urls.clock_key(urls.origin(url)) for url in self.urls})


def read_site_list(path: Path, *, truth: bool = False) -> SiteList:
    """Read a file of sites; with `truth` each line must say yes or no behind a tab, a comma or blanks.

    A file without any site is a fault; single lines that make no sense are listed, and left out.
    """
    found, seen = SiteList(), set[str]()
    canon = urls.Canon()
    for number, line in enumerate(_text(path).splitlines(), 1):
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        name, *rest = re.split(r"[\t,;]\s*|\s+(?=\S+$)", entry, maxsplit=1)
        said = _TRUTH.get(rest[0].strip().lower()) if rest else None
        url = site_url(name, canon) if said is not None or not truth else None
        if url is None or (rest and said is None and not line.count("\t")):
            found.invalid.append((number, entry))
        elif url in seen:
            found.duplicates.append((number, entry))
        else:
            seen.add(url)
            found.urls.append(url)
        if url is not None and said is not None:
            found.labels[urls.clock_key(urls.origin(url))] = said
    if not found.urls:
        shape = "host<TAB>yes or host<TAB>no" if truth else "one host or address"
        first = f", line {found.invalid[0][0]} says {found.invalid[0][1][:40]!r}" if found.invalid else ""
        msg = f"{path} names no site{first}; write {shape} a line"
        raise ConfigError(msg)
    return found


def site_url(name: str, canon: urls.Canon) -> str | None:
    """Return where a site begins, None for what can be no site.

    >>> site_url("Data.example.org", urls.Canon()), site_url("https://a.test/x", urls.Canon())
    ('http://data.example.org/', 'https://a.test/x')
    >>> site_url("not a site", urls.Canon()), site_url("readme", urls.Canon())
    (None, None)
    """
    name = name.strip().removeprefix("//")
    scheme, colon, _ = name.partition("://")
    if _ODD.search(name) or (colon and scheme.lower() not in ("http", "https")):
        return None
    url = canon(name if colon else f"http://{name}")
    host = urls.host(url) if url else ""
    labelled = re.fullmatch(r"[\w-]+(\.[\w-]+)*\.[a-z][\w-]*", host) is not None
    numbered = host in name and re.fullmatch(r"\d{1,3}(\.\d{1,3}){3}", host) is not None  # and not 1.2
    return url if labelled or numbered or host == "localhost" or host.startswith("[") else None


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; name a file with one host or address a line"
        raise ConfigError(msg) from None
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
    text = data.decode(encoding, "replace")
    if data[:2] == b"PK" or "\0" in text:
        msg = f"{path} is no text file; save it as plain text with one host or address a line"
        raise ConfigError(msg)
    return text
