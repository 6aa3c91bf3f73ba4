"""Read seeds: URLs as people type them, and files of URLs as editors save them."""

import codecs
import re
from difflib import get_close_matches
from pathlib import Path

from clew import urls
from clew.config.config import Config
from clew.errors import ConfigError

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+-]*)://+")
_SLIP = re.compile(r"(https?)(?::/?|//)(?=[^/:])", re.IGNORECASE)  # http:/a.org, https//a.org
_FILE_LIKE = re.compile(
    r"[./~]|(?!localhost|\[)[^.]*/.|[^/]*\.(?:txt|csv|tsv|list|lst|urls?|json|jsonl|xml|html?|gz|xlsx?)$",
    re.IGNORECASE,
)

_LOOKED_AT = 2_000  # letters of a file of seeds by which it is told from a binary file


def seeds_and_examples(folder: Path, config: Config, *, needed: bool) -> tuple[list[str], dict[str, bool]]:
    """Return the seeds, and the URLs of example pages with whether they are relevant.

    If seeds are `needed`, there must be one.
    """
    canon = urls.Canon(config.scope.drop_params)
    seeds = read_seeds(folder, config.crawl.seeds, canon)
    good, bad = _example_urls(config.goal.good, canon), _example_urls(config.goal.bad, canon)
    seeds += [url for url in good if url not in seeds]
    if needed and not seeds and not config.seek.search:
        msg = f"{folder}: no seeds; name one under crawl.seeds in clew.toml, or an engine under seek.search"
        raise ConfigError(msg)
    return seeds, dict.fromkeys(good, True) | dict.fromkeys(bad, False)


def _example_urls(names: list[str], canon: urls.Canon) -> list[str]:
    return [url for name in names if "://" in name and (url := canon(name))]


def read_seeds(folder: Path, names: list[str], canon: urls.Canon) -> list[str]:
    """Return canonical seed URLs, from URLs and from files with one URL per line."""
    found: list[str] = []
    for name in names:
        if (path := _file(folder, name)) is not None:
            found += (_seed_url(entry, canon, where, folder) for where, entry in _lines(path))
        else:
            found.append(_seed_url(name.strip(), canon, "seed", folder))
    return list(dict.fromkeys(found))


def _file(folder: Path, name: str) -> Path | None:
    if "://" in name:
        return None
    for path in (folder / name, Path(name).expanduser()):
        if path.is_file():
            return path
    return None


def _lines(path: Path) -> list[tuple[str, str]]:
    """Return the lines of a file that are not blank or comments, each with the text that locates it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; give yourself access to it, or name another file"
        raise ConfigError(msg) from None
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
    if encoding == "utf-8" and b"\0" in data[:200]:  # UTF-16 without its mark, or no text at all
        encoding = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = "" if "16" in encoding else data.decode("latin-1")  # a comment in an old encoding does no harm
    entries = [
        (f"{path}, line {number}: seed", line.strip())
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    strange = sum(not (letter.isprintable() or letter.isspace()) for letter in text[:_LOOKED_AT])
    if data[:2] == b"PK" or (data and not text) or strange * 20 > len(text[:_LOOKED_AT]):
        msg = f"{path} is not a text file; save it as plain text with one URL per line"
        raise ConfigError(msg)
    if not entries:
        msg = f"{path} contains no URLs; write one URL per line"
        raise ConfigError(msg)
    return entries


def _seed_url(entry: str, canon: urls.Canon, where: str, folder: Path) -> str:
    """Return the canonical URL of one entry; raise with what is wrong with it and a suggestion."""
    scheme = _SCHEME.match(entry) or _SLIP.match(entry)
    if scheme and scheme[1].lower() not in ("http", "https"):
        msg = f"{where} {entry!r}: {_foreign(scheme[1], entry[scheme.end() :])}"
        raise ConfigError(msg)
    if not scheme and where == "seed" and _FILE_LIKE.match(entry):
        raise ConfigError(_no_file(entry, folder))
    if entry.count("://") > 1 and re.search(r"[\s,;]", entry):
        msg = f"{where} {entry!r} is several URLs; give each its own --seed, or its own line in a file"
        raise ConfigError(msg)
    if not scheme and "@" in entry.partition("/")[0]:
        msg = f"{where} {entry!r} looks like an e-mail address; seeds are URLs: https://…"
        raise ConfigError(msg)
    if scheme and "@" in entry[scheme.end() :].partition("/")[0]:
        bare = f"{scheme[1]}://{entry[scheme.end() :].partition('@')[2]}"
        msg = (
            f"{where} {bare} has a user name or password before its host, which would be written into the "
            f"folder; write {bare} and set the environment variable CLEW_AUTH={urls.host(canon(bare) or '')}="
            "user:password (see fetch.headers in docs/configuration.md)"
        )
        raise ConfigError(msg)
    url = canon(f"{scheme[1]}://{entry[scheme.end() :]}" if scheme else f"http://{entry}")
    host = urls.host(url) if url else ""
    if not url or not ("." in host or ":" in host or host == "localhost") or re.search(r"\s", entry):
        if "[" in entry:
            msg = (
                f"{where} {entry!r} is no URL; an IPv6 address stands between brackets: http://[2001:db8::1]/"
            )
        elif re.search(r"\s", entry) and scheme:
            msg = f"{where} {entry!r} has a blank in it; write %20 in a path, none in a host"
        elif port := re.search(r":(\d+)(?:/|$)", entry):
            msg = f"{where} {entry!r} is no URL: is its port {port[1]} right? Ports are 1 to 65535"
        else:
            msg = f"{where} {entry!r} {_no_seed(entry, host if scheme else '')}"
        raise ConfigError(msg)
    return url


def _no_seed(entry: str, host: str) -> str:
    """Say what an entry is that is no URL, and what to write; `host` is that of an entry with a scheme."""
    if host:
        return f"has a host without a dot; write its whole name, as in https://{host}.example.org/"
    is_folder = bool(entry) and Path(entry).is_dir()
    what = "is a folder, not a file" if is_folder else "is neither a URL nor a file"
    return f"{what}; write it as https://…"


def _foreign(scheme: str, rest: str) -> str:
    """Say what to write instead of a scheme other than http and https."""
    if scheme.lower() == "file":
        return f"name the file itself: /{rest.lstrip('/')}"
    near = get_close_matches(scheme.lower(), ["https", "http"], n=1)
    if near:
        return f"there is no {scheme}; did you mean {near[0]}://{rest} ?"
    return f"clew fetches only http and https, not {scheme}; start at a web page"


def _no_file(name: str, folder: Path) -> str:
    """Say that a seed file does not exist, and suggest a similar one."""
    path = Path(name).expanduser()
    if path.is_dir():
        return f"seed {name} is a folder; seeds are URLs or files of URLs (example pages go to --good)"
    folders = [Path(), folder, folder.parent, path.parent]
    there = {
        file.name: file for place in folders if place.is_dir() for file in place.iterdir() if file.is_file()
    }
    near = get_close_matches(path.name, there, n=1, cutoff=0.8)
    cure = f"did you mean {there[near[0]]}?" if near else "check its name, or write URLs as https://…"
    return f"the file {name} does not exist (looked in {Path.cwd()}); {cure}"


def looks_like_sitemap(url: str) -> bool:
    """Tell a seed that is most likely a sitemap by its name.

    >>> looks_like_sitemap("https://a.test/sitemap_index.xml.gz"), looks_like_sitemap("https://a.test/map")
    (True, False)
    """
    name = url.partition("?")[0].rpartition("/")[2].lower()
    return "sitemap" in name and name.endswith((".xml", ".xml.gz", ".txt", ".gz"))
