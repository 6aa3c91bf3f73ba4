"""Open engines from `seek.search`: names, URLs and keys, checked before the first query."""

import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from clew.config.tables import SeekTable
from clew.contracts import SearchEngine
from clew.domain.text import printable
from clew.errors import ConfigError
from clew.search.commoncrawl import CommonCrawl
from clew.search.dialect import Dialect
from clew.search.http import HttpClient
from clew.search.http_engine import HttpEngine
from clew.search.keyed_engines import Brave, Kagi, Marginalia, Mojeek
from clew.search.local_engine import open_local
from clew.search.opensearch import OpenSearch
from clew.search.searxng import SearXNG
from clew.search.url_file import FileEngine

_KEYED: dict[str, Callable[[str, str], Dialect]] = {
    "brave": Brave,
    "mojeek": Mojeek,
    "kagi": Kagi,
    "marginalia": Marginalia,
}
_EXAMPLES = {
    "searxng": "searxng=http://127.0.0.1:8888",
    "opensearch": "opensearch=https://…/opensearch.xml",
    "file": "file=urls.txt",
    "local": "local=DIR",
}
KINDS = ("searxng", *_KEYED, "commoncrawl", "opensearch", "file", "local")
"""All kinds of engines."""


def open_engines(
    table: SeekTable, folder: Path, *, environment: Mapping[str, str] = os.environ
) -> list[SearchEngine]:
    """Open the engines of `seek.search`; paths are resolved in `folder`, then in the working directory."""
    return [open_engine(name, table, folder, environment=environment) for name in table.search]


def open_engine(
    name: str, table: SeekTable, folder: Path, *, environment: Mapping[str, str] = os.environ
) -> SearchEngine:
    """Open one engine by its name, `kind` or `kind=location`; raises ConfigError with the remedy."""
    kind, _, location = (part.strip() for part in name.partition("="))
    kind = kind.lower()
    if kind not in KINDS:
        raise ConfigError(_unknown_engine(name))
    if kind in _EXAMPLES and not location:
        msg = f'{kind} needs to know where; write "{_EXAMPLES[kind]}"'
        raise ConfigError(msg)
    if kind == "file":
        path, _, column = location.partition("#")
        return FileEngine(f"file={location}", _resolve_path(folder, path), column).read()
    if kind == "local":
        return open_local(f"local={location}", _resolve_path(folder, location))
    if kind == "opensearch" and "://" not in location:
        dialect: Dialect = _read_description(_resolve_path(folder, location))
    else:
        dialect = _dialect(kind, _check_url(kind, location), environment)
    key, login = dialect.key, environment.get(f"CLEW_{kind.upper()}_LOGIN", "")
    return HttpEngine(
        name=f"{kind}={location}" if location else kind,
        dialect=dialect,
        client=HttpClient(proxy=table.proxy, timeout=table.timeout),
        delay=table.delay,
        login=login,
        secrets=(key, login) if key != "public" else (login,),
    )


def _dialect(kind: str, base: str, environment: Mapping[str, str]) -> Dialect:
    if kind in _KEYED:
        return _KEYED[kind](_key(kind, environment), base)
    if kind == "searxng":
        return SearXNG(base)
    return CommonCrawl(base) if kind == "commoncrawl" else OpenSearch(base)


def _key(kind: str, environment: Mapping[str, str]) -> str:
    variable = f"CLEW_{kind.upper()}_KEY"
    key = environment.get(variable, "").strip()
    if not key and kind == "marginalia":
        return "public"
    if not key:
        msg = f"no key for {kind}: set {variable} in the environment, or use searxng=URL"
        raise ConfigError(msg)
    if not key.isascii() or not key.isprintable() or " " in key:
        msg = f"{variable} is not a key: it contains spaces or invalid characters; copy it again"
        raise ConfigError(msg)
    return key


def _check_url(kind: str, location: str) -> str:
    """Return a valid URL of an engine; passwords are refused, as the URL is stored in files."""
    if not location:
        return ""
    try:
        parts = urlsplit(location if "://" in location else f"http://{location}")
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https") or location != "".join(location.split()):
        msg = f'"{printable(location, 80)}" is not a URL; write "{_EXAMPLES.get(kind, kind + "=https://…")}"'
        raise ConfigError(msg)
    if "@" in parts.netloc:
        msg = (
            f"no password in the address of {kind}: it would be stored; "
            f"set CLEW_{kind.upper()}_LOGIN=user:password in the environment"
        )
        raise ConfigError(msg)
    return parts.geturl()


def _resolve_path(folder: Path, name: str) -> Path:
    wanted = Path(name).expanduser()
    return folder / wanted if (folder / wanted).exists() else wanted


def _read_description(path: Path) -> Dialect:
    try:
        return OpenSearch.from_file(path)
    except OSError as error:
        msg = (
            f"opensearch={path} cannot be read: {error.strerror}; write https://…/opensearch.xml, or its file"
        )
        raise ConfigError(msg) from None
    except ValueError as error:
        msg = f"opensearch={path}: {error}"
        raise ConfigError(msg) from None


def _unknown_engine(name: str) -> str:
    """Describe an unknown engine, and suggest a known one."""
    kind = name.partition("=")[0].strip().lower()
    near = get_close_matches(kind, KINDS, n=1)
    if near:
        cure = f'did you mean "{_EXAMPLES.get(near[0], near[0])}"?'
    elif "://" in name:
        cure = f'say what answers there: "searxng={printable(name, 60)}"'
    elif Path(name).expanduser().exists():
        cure = f'did you mean "{"local" if Path(name).is_dir() else "file"}={printable(name, 60)}"?'
    else:
        cure = f"there are {', '.join(KINDS)}"
    return f'there is no engine "{printable(name, 60)}"; {cure}'
