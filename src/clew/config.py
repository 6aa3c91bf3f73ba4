"""One file, one crawl: `clew.toml`, read strictly, with a default for every key but three.

A wrong key is refused with the nearest right one; `--set table.key=value` goes through the same
checks as the file, so the two cannot disagree about what is allowed.
"""

import json
import re
import tomllib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from clew import urls
from clew.contact import checked_contact
from clew.errors import ConfigError
from clew.nearby import no_crawl
from clew.text import shown


def _listed(value: object) -> object:
    """Let a single string (or a comma list from the command line) stand for a list."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Strings = Annotated[list[str], BeforeValidator(_listed)]


def _known_hosts(hosts: list[str]) -> list[str]:
    """Refuse a word that can be no host: most often a slip for "seeds" or "any"."""
    for text in hosts:
        if text not in ("any", "seeds", "localhost") and not set(text) & set(".*:"):
            near = get_close_matches(text, ["any", "seeds"], n=1, cutoff=0.5)
            hint = (
                f'did you mean "{near[0]}"?' if near else 'write "any", "seeds", or patterns like "*.gov.uk"'
            )
            msg = f'"{text}" is no host; {hint}'
            raise ValueError(msg)
    return hosts


class Table(BaseModel):
    """A table of the file: no unknown keys, nothing changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CrawlTable(Table):
    """Who crawls, from where, and how much."""

    contact: Annotated[str, BeforeValidator(checked_contact)] = Field(
        description="How site owners reach you: a URL or e-mail address, sent with every request."
    )
    seeds: Strings = Field(default=[], description="Where to begin: URLs, or files with one URL a line.")
    pages: int = Field(default=0, ge=0, description="Stop after this many pages in all; 0 means no limit.")
    hours: float = Field(default=0, ge=0, description="Stop a run after this many hours; 0 means no limit.")


class GoalTable(Table):
    """What the person is looking for."""

    about: str = Field(default="", description="The topic in words; empty means every page is wanted.")
    good: Strings = Field(default=[], description="Pages like these: files, folders or URLs.")
    bad: Strings = Field(default=[], description="Not pages like these: files, folders or URLs.")
    judge: str = Field(default="words", description='Who judges pages: "words", or your own "module:Class".')
    keep: float = Field(default=0.5, ge=0, le=1, description="Verdicts from here up count as relevant.")


class RankTable(Table):
    """Which links come first."""

    policy: str = Field(
        default="keyword",
        description='Which links come first: a name (docs/policies.md), or "module:Class".',
    )
    seed: int = Field(
        default=0, ge=0, description="Where the dice of a policy begin: same seed, same throws."
    )


class ScopeTable(Table):
    """Which links may be followed at all."""

    hosts: Annotated[Strings, AfterValidator(_known_hosts)] = Field(
        default=["any"], description='"any", "seeds" (the hosts of the seeds), or patterns like "*.gov.uk".'
    )
    exclude: Strings = Field(default=[], description='Never fetch addresses like these, e.g. "*/login*".')
    depth: int = Field(default=50, ge=0, description="Links from a seed, at most.")
    per_host: int = Field(default=0, ge=0, description="Pages from one host, at most; 0 means no limit.")
    sitemaps: bool = Field(default=True, description="Read sitemaps named in robots.txt.")
    feeds: bool = Field(default=True, description="Read RSS and Atom feeds that pages announce.")
    drop_params: Strings = Field(
        default=list(urls.TRACKING + urls.SESSIONS),
        description="Query parameters that do not change a page and are left out.",
    )


class FetchTable(Table):
    """How politely, and within which limits, pages are fetched."""

    delay: float = Field(default=1.0, ge=0, description="Seconds between two requests to one host, at least.")
    per_host: int = Field(default=1, ge=1, le=64, description="Requests under way at one host, at most.")
    concurrency: int = Field(default=64, ge=1, le=2000, description="Requests under way in all.")
    timeout: float = Field(default=30, gt=0, le=60, description="Seconds for one whole answer.")
    max_bytes: int = Field(
        default=8_000_000, ge=1_000, description="Bytes read of one answer, decoded or not."
    )
    tries: int = Field(default=4, ge=1, le=12, description="Attempts for a page that fails.")
    max_rest: float = Field(
        default=300,
        ge=0,
        description="Seconds to wait for a host that asks for a rest; for longer it is left.",
    )
    robots: bool = Field(default=True, description="Obey robots.txt, meta robots and X-Robots-Tag.")
    agent: str = Field(
        default="clew", pattern=r"^[A-Za-z_-]+$", description="Our name in robots.txt and User-Agent."
    )
    proxy: str = Field(default="", description="HTTP proxy for every request, e.g. http://127.0.0.1:8080.")
    allow: Strings = Field(
        default=[], description="Private address ranges (CIDR) that may be fetched all the same."
    )

    def networks(self) -> list[IPv4Network | IPv6Network]:
        """Return `allow` as address ranges."""
        try:
            return [ip_network(text, strict=False) for text in self.allow]
        except ValueError as error:
            msg = f"fetch.allow: {error}; write a range like 127.0.0.0/8"
            raise ConfigError(msg) from None


class ParseTable(Table):
    """How pages are read."""

    workers: int = Field(default=0, ge=0, le=64, description="Parsing processes; 0 means one for each core.")
    timeout: float = Field(default=5, gt=0, description="Seconds of work on one page before it is given up.")
    memory: int = Field(default=512, ge=64, description="MiB a parsing process may use beyond its start.")


class StoreTable(Table):
    """Where results are kept."""

    min_free: int = Field(default=1024, ge=0, description="Stop when the disk has fewer MiB free.")
    warc_size: int = Field(default=1024, ge=1, description="Begin a new WARC file after this many MiB.")


class Config(Table):
    """The whole file."""

    crawl: CrawlTable
    goal: GoalTable = GoalTable()
    rank: RankTable = RankTable()
    scope: ScopeTable = ScopeTable()
    fetch: FetchTable = FetchTable()
    parse: ParseTable = ParseTable()
    store: StoreTable = StoreTable()


def load(path: Path, settings: list[str] | None = None) -> Config:
    """Read `path` and lay `table.key=value` settings over it."""
    tables = read_tables(path)
    given = {_lay_over(tables, setting): setting for setting in settings or []}
    return build(tables, str(path), given)


def read_tables(path: Path) -> dict[str, Any]:
    """Read a file as TOML, as any editor may have saved it."""
    try:
        data = path.read_bytes()
        text = data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig")
        return tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        raise no_crawl(path.parent) from None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}; give yourself access to it"
        raise ConfigError(msg) from None
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 (byte {error.start + 1:,}); save it as UTF-8 in your editor"
        raise ConfigError(msg) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_explain_syntax(path, text, str(error))) from None


def build(tables: dict[str, Any], where: str, settings: Mapping[str, str] | None = None) -> Config:
    """Check tables from `where` and make them a Config; `settings` are keys given on the command line."""
    try:
        config = Config.model_validate(tables)
    except ValidationError as error:
        said = [_explain(e, where, settings or {}) for e in error.errors()]
        more = [f"and {len(said) - _MOST} more like these"] if len(said) > _MOST + 1 else said[_MOST:]
        raise ConfigError("\n".join(said[:_MOST] + more)) from None
    config.fetch.networks()
    return config


def _lay_over(tables: dict[str, Any], setting: str) -> str:
    """Put one setting into the tables; return its name."""
    name, equals, text = (part.strip() for part in setting.partition("="))
    table, dot, key = name.partition(".")
    if not (equals and dot and table and key):
        homes = _homes(name)
        meant = f"{homes[0] if homes else name if name in KEYS else 'fetch.delay'}={text or '2'}"
        msg = f"--set {setting}: write table.key=value without blanks, for example --set {meant}"
        raise ConfigError(msg)
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        value = text
    home = tables.setdefault(table, {})
    if isinstance(home, dict):  # else the file is wrong, and is told so
        home[key] = value
    return name


def _homes(key: str) -> list[str]:
    """Return the full names of the keys that are called so, whatever their table."""
    return [name for name in KEYS if name.partition(".")[2] == key]


def _explain(error: Any, where: str, settings: Mapping[str, str]) -> str:  # noqa: ANN401 - pydantic's own
    place = ".".join(str(part) for part in error["loc"][:2])
    where = f"--set {settings[place]}" if place in settings else where
    if error["type"] == "extra_forbidden":
        what = "key" if "." in place else "table"
        return f"{where}: there is no {what} {place}; {_meant(error['loc'])}"
    if error["type"] == "missing":
        return f"{where}: {place} is missing; {_MISSING.get(place, 'every crawl needs it')}"
    if error["type"] == "model_type":
        return f"{where}: {place} is a table; write [{place}] on a line of its own, and its keys below"
    value = shown(json.dumps(error["input"], ensure_ascii=False, default=str), 60)
    said = "" if place in settings else f" {place} = {value}:"
    if error["type"] == "value_error":
        return f"{where}:{said} {error['msg'].removeprefix('Value error, ')}"
    table, _, key = place.partition(".")
    field = Config.model_fields[table].annotation.model_fields[key]  # type: ignore[union-attr]
    wanted = _WANTED.get(error["type"], error["msg"].lower()).format(**error.get("ctx", {}))
    example = field.get_default()
    shape = f", e.g. {json.dumps(example)}" if example or isinstance(example, bool) else ""
    return f"{where}:{said} {wanted}{shape} ({field.description.rstrip('.')})"


def _meant(loc: tuple[str, ...]) -> str:
    """Say which key was meant by one that does not exist."""
    *table, key = map(str, loc[:2])
    tables = list(Config.model_fields)
    if homes := _homes(key):
        belongs = " or ".join(f"[{home.partition('.')[0]}]" for home in homes)
        return f"{key} belongs to {belongs}: {' or '.join(homes)}"
    if not table:
        near = get_close_matches(key, tables, n=1)
        return f"did you mean {near[0]}?" if near else f"known here: {', '.join(tables)}"
    known = list(Config.model_fields[table[0]].annotation.model_fields)  # type: ignore[union-attr]
    if near := get_close_matches(key, known, n=1):
        return f"did you mean {table[0]}.{near[0]}?"
    if near := get_close_matches(key, [name.partition(".")[2] for name in KEYS], n=1, cutoff=0.75):
        return f"did you mean {_homes(near[0])[0]}?"
    return f"known here: {', '.join(known)}"


def _explain_syntax(path: Path, text: str, said: str) -> str:
    """Show the line that is not TOML, and say what it lacks."""
    lines = text.splitlines() or [""]
    at = re.search(r" \(at line (\d+)", said)
    number = int(at[1]) if at else len(lines)
    line = lines[min(number, len(lines)) - 1]
    if "“" in line or "”" in line or "„" in line:
        cure = 'use straight quotation marks: "…"'
    elif line.count("[") > line.count("]"):
        cure = "a closing ] is missing"
    elif re.search(r"=\s*\d+,\d", line):
        cure = "numbers have a point, not a comma: 1.5"
    else:
        cure = next(
            (cure for sign, cure in _SYNTAX.items() if sign in said), said.partition(" (at")[0].lower()
        )
    return f"{path}, line {number} is not valid TOML: {shown(line, 80)}\n{cure}"


_MOST = 2
"""Mistakes explained at once, and a line that counts the rest."""

_MISSING = {
    "crawl": "write [crawl] with contact and seeds below it",
    "crawl.contact": 'say how site owners reach you: contact = "https://…" below [crawl]',
}
_WANTED = {
    "float_parsing": "a number is wanted",
    "float_type": "a number is wanted",
    "int_parsing": "a whole number is wanted",
    "int_type": "a whole number is wanted",
    "int_from_float": "a whole number is wanted",
    "bool_parsing": "true or false is wanted",
    "bool_type": "true or false is wanted",
    "string_type": "text in quotation marks is wanted",
    "list_type": "a list is wanted",
    "greater_than_equal": "{ge:g} or more is wanted",
    "greater_than": "more than {gt:g} is wanted",
    "less_than_equal": "{le:g} at most is wanted",
    "string_pattern_mismatch": "only letters, _ and - may stand here",
}
_SYNTAX = {
    "Invalid value": 'text needs quotation marks (key = "some text"), numbers a point (1.5)',
    "Expected '='": "write key = value; names of tables stand in brackets: [fetch]",
    "Illegal character": "a quotation mark is missing at the end of a text",
    "Unterminated": "a quotation mark is missing at the end of a text",
    "Unclosed array": "a closing ] is missing",
    "Expected newline": "one key a line, and all of a text in one pair of quotation marks",
    "Cannot overwrite": "this key stands in the file twice; delete one",
    "Cannot declare": "this table stands in the file twice; put its keys together",
    "Invalid statement": "write key = value, e.g. delay = 1.0; remarks begin with #",
}

KEYS: dict[str, Literal[True]] = {
    f"{table}.{key}": True
    for table, field in Config.model_fields.items()
    for key in field.annotation.model_fields  # type: ignore[union-attr]
}
"""Every key there is, as `table.key`; the documentation is tested against it."""
