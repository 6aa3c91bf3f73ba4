"""One file, one crawl: `clew.toml`, read strictly, with a default for every key but three.

A wrong key is refused with the nearest right one; `--set table.key=value` goes through the same
checks as the file, so the two cannot disagree about what is allowed.
"""

import tomllib
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from clew import urls
from clew.contact import checked_contact
from clew.errors import ConfigError


def _listed(value: object) -> object:
    """Let a single string (or a comma list from the command line) stand for a list."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Strings = Annotated[list[str], BeforeValidator(_listed)]


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
        default="best-first", description='"best-first", "breadth", or your own "module:Class".'
    )
    seed: int = Field(
        default=0, ge=0, description="Where the dice of a policy begin: same seed, same throws."
    )


class ScopeTable(Table):
    """Which links may be followed at all."""

    hosts: Strings = Field(
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
    try:
        with path.open("rb") as file:
            tables = tomllib.load(file)
    except FileNotFoundError:
        msg = (
            f"{path} does not exist; make a crawl with: clew new {path.parent} --about … --seed … --contact …"
        )
        raise ConfigError(msg) from None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}"
        raise ConfigError(msg) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path} is not valid TOML: {error}"
        raise ConfigError(msg) from None
    for setting in settings or []:
        lay_over(tables, setting)
    return build(tables, str(path))


def build(tables: dict[str, Any], where: str) -> Config:
    """Check tables from `where` and make them a Config."""
    try:
        config = Config.model_validate(tables)
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(e, where) for e in error.errors())) from None
    config.fetch.networks()
    return config


def lay_over(tables: dict[str, Any], setting: str) -> None:
    """Lay one `table.key=value` over tables; the value is TOML, or plain words."""
    name, equals, text = setting.partition("=")
    table, dot, key = name.strip().partition(".")
    if not (equals and dot and table and key):
        msg = f"--set {setting}: write table.key=value, for example --set fetch.delay=2"
        raise ConfigError(msg)
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    tables.setdefault(table, {})[key] = value


def _explain(error: Any, where: str) -> str:  # noqa: ANN401 - pydantic's own dictionaries
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        tables = Config.model_fields
        first, *rest = error["loc"]
        known = list(tables[first].annotation.model_fields) if rest else list(tables)  # type: ignore[union-attr]
        near = get_close_matches(str(error["loc"][-1]), known, n=1)
        prefix = f"{first}." if rest else ""
        hint = f"did you mean {prefix}{near[0]}?" if near else f"known here: {', '.join(known)}"
        return f"{where}: there is no key {place}; {hint}"
    if error["type"] == "missing":
        return f"{where}: {place} is missing; every crawl needs it"
    message = error["msg"].removeprefix("Value error, ")
    return f"{where}: {place} = {error['input']!r}: {message[0].lower() + message[1:]}"


KEYS: dict[str, Literal[True]] = {
    f"{table}.{key}": True
    for table, field in Config.model_fields.items()
    for key in field.annotation.model_fields  # type: ignore[union-attr]
}
"""Every key there is, as `table.key`; the documentation is tested against it."""
