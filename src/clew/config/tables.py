"""The tables of `clew.toml`: every key with its type, its default, its bounds and a line that explains it."""

from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from clew import urls
from clew.config.contact import checked_contact
from clew.errors import ConfigError


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


class ConfigTable(BaseModel):
    """A table of the file: no unknown keys, nothing changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CrawlTable(ConfigTable):
    """Who crawls, from where, and how much."""

    contact: Annotated[str, BeforeValidator(checked_contact)] = Field(
        description="How site owners reach you: a URL or e-mail address, sent with every request."
    )
    seeds: Strings = Field(default=[], description="Where to begin: URLs, or files with one URL a line.")
    pages: int = Field(default=0, ge=0, description="Stop after this many pages in all; 0 means no limit.")
    hours: float = Field(default=0, ge=0, description="Stop a run after this many hours; 0 means no limit.")


class GoalTable(ConfigTable):
    """What the person is looking for."""

    about: str = Field(default="", description="The topic in words; empty means every page is wanted.")
    good: Strings = Field(default=[], description="Pages like these: files, folders or URLs.")
    bad: Strings = Field(default=[], description="Not pages like these: files, folders or URLs.")
    records: str = Field(
        default="", description="A table of example rows (.csv, .tsv, .jsonl): pages with rows like these."
    )
    patterns: Literal["trees", "dipre"] = Field(
        default="trees",
        description='How rows are recognised: "trees" by the structure of pages, "dipre" by the text around.',
    )
    judge: str = Field(
        default="auto",
        description='Who judges pages: "auto" (by your words, and by examples as soon as there are any; with '
        'a table "records", or "all:records,auto" if there are words or examples too), "words", "examples", '
        '"bayes", "place:jp", "data", "files:pdf", "schema:Recipe", "all:place:jp,words", or your own '
        '"module:Class".',
    )
    keep: float = Field(default=0.5, ge=0, le=1, description="Verdicts from here up count as relevant.")
    data_bytes: int = Field(
        default=65_536,
        ge=0,
        description='Bytes fetched of a data file when the judge is "data"; 0 means whole files.',
    )

    @model_validator(mode="before")
    @classmethod
    def _by_rows(cls, given: Any) -> Any:  # noqa: ANN401 - as it stands in the file
        """Let the table be judged by, where a person has not said who judges."""
        if isinstance(given, dict) and given.get("records") and given.get("judge", "auto") == "auto":
            topic = any(given.get(key) for key in ("about", "good", "bad"))
            return {**given, "judge": "all:records,auto" if topic else "records"}
        return given


class RankTable(ConfigTable):
    """Which links come first."""

    policy: str = Field(
        default="clew",
        description='Which links come first: a name (docs/policies.md), or "module:Class".',
    )
    seed: int = Field(
        default=0, ge=0, description="Where the dice of a policy begin: same seed, same throws."
    )
    diversity: float = Field(
        default=0.0,
        ge=0,
        le=10,
        description="Policy clew: let hosts give way the more good pages they gave; 1 is much, 0 not at all.",
    )
    explore: int = Field(
        default=0,
        ge=0,
        description="Policy sites: pages for finding out which sites hold it; 0: as long as that pays.",
    )
    explorer: str = Field(
        default="gain",
        description='Policy sites: which site is looked at next: "gain", "delta", "delta-sample", "ucb", '
        '"thompson", "epsilon" or "random".',
    )
    within: str = Field(
        default="keyword", description="Policy sites: the policy that orders the links of one site."
    )


class ScopeTable(ConfigTable):
    """Which links may be followed at all."""

    hosts: Annotated[Strings, AfterValidator(_known_hosts)] = Field(
        default=["any"], description='"any", "seeds" (the hosts of the seeds), or patterns like "*.gov.uk".'
    )
    exclude: Strings = Field(default=[], description='Never fetch addresses like these, e.g. "*/login*".')
    depth: int = Field(default=50, ge=0, description="Links from a seed, at most.")
    per_host: int = Field(default=0, ge=0, description="Pages from one host, at most; 0 means no limit.")
    site: Literal["host", "domain"] = Field(
        default="host", description="Policy sites: what counts as one site."
    )
    sitemaps: bool = Field(default=True, description="Read sitemaps named in robots.txt.")
    feeds: bool = Field(default=True, description="Read RSS and Atom feeds that pages announce.")
    drop_params: Strings = Field(
        default=list(urls.TRACKING + urls.SESSIONS),
        description="Query parameters that do not change a page and are left out.",
    )


class FetchTable(ConfigTable):
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
    browser: Literal["never", "auto", "always"] = Field(
        default="never",
        description="Let Chromium finish pages; auto: those that are empty without JavaScript.",
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


class ParseTable(ConfigTable):
    """How pages are read."""

    workers: int = Field(default=0, ge=0, le=64, description="Parsing processes; 0 means one for each core.")
    timeout: float = Field(default=5, gt=0, description="Seconds of work on one page before it is given up.")
    memory: int = Field(default=512, ge=64, description="MiB a parsing process may use beyond its start.")


class StoreTable(ConfigTable):
    """Where results are kept."""

    min_free: int = Field(default=1024, ge=0, description="Stop when the disk has fewer MiB free.")
    warc_size: int = Field(default=1024, ge=1, description="Begin a new WARC file after this many MiB.")


class SeekTable(ConfigTable):
    """Search engines as a source of seeds (docs/guides/search.md)."""

    search: Strings = Field(
        default=[],
        description='Engines, asked in order: "brave", "searxng=http://127.0.0.1:8888", "local=DIR", …',
    )
    results: int = Field(default=10, ge=1, le=100, description="Top results of a query that become seeds.")
    learn: int = Field(default=100, ge=1, le=1000, description="Results read to learn the words of a topic.")
    words: int = Field(default=1000, ge=1, description="Words of the topic that are kept, best first.")
    reseed: bool = Field(default=False, description="Search again when the crawl runs dry.")
    window: int = Field(default=50, ge=1, description="Last pages among which the relevant are counted.")
    threshold: float = Field(
        default=0.2, ge=0, le=1, description="Search again when fewer of the window are relevant."
    )
    next: Literal["yield", "array"] = Field(
        default="yield",
        description='The next query: "yield" asks for what pays, "array" for the best word not used yet.',
    )
    queries: int = Field(default=100, ge=0, description="Queries in a run, at most; 0 means none.")
    languages: Strings = Field(
        default=[], description='Languages to search in, e.g. ["ja", "de"]; empty leaves it to the engine.'
    )
    proxy: str = Field(
        default="", description="HTTP proxy for search engines; fetch.proxy is not used there."
    )
    timeout: float = Field(default=20, gt=0, le=120, description="Seconds for one answer of an engine.")
    delay: float = Field(default=1.0, ge=0, description="Seconds between two questions to one engine.")
