"""The tables of `clew.toml`: every key with its type, default, bounds and description."""

import re
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from clew import urls
from clew.config.contact import checked_contact
from clew.errors import ConfigError


def _listed(value: object) -> object:
    """Accept a single string, or a comma-separated one, as a list."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Strings = Annotated[list[str], BeforeValidator(_listed)]


def _sentences(value: object) -> object:
    """Accept a single sentence as a list."""
    return [value] if isinstance(value, str) and value.strip() else value or []


def _known_hosts(hosts: list[str]) -> list[str]:
    """Reject a word that cannot be a host, usually a misspelt "seeds" or "any"."""
    for text in hosts:
        if text not in ("any", "seeds", "localhost") and not set(text) & set(".*:"):
            near = get_close_matches(text, ["any", "seeds"], n=1, cutoff=0.5)
            hint = (
                f'did you mean "{near[0]}"?' if near else 'write "any", "seeds", or patterns like "*.gov.uk"'
            )
            msg = f'"{text}" is not a host; {hint}'
            raise ValueError(msg)
    return hosts


class ConfigTable(BaseModel):
    """A table of the file: frozen, and unknown keys are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CrawlTable(ConfigTable):
    """Contact, seeds and budget."""

    contact: Annotated[str, BeforeValidator(checked_contact)] = Field(
        description="How site owners reach you: a URL or e-mail address, sent with every request."
    )
    seeds: Strings = Field(default=[], description="Start URLs, or files with one URL per line.")
    pages: int = Field(default=0, ge=0, description="Total budget of pages read; 0 means no limit.")
    requests: int = Field(
        default=0, ge=0, description="Total budget of requests, failed ones included; 0 means no limit."
    )
    hours: float = Field(default=0, ge=0, description="Time limit of a run, in hours; 0 means no limit.")
    shards: int = Field(
        default=1,
        ge=1,
        le=4096,
        description="Number of engines that share the crawl, each with its own part of the hosts.",
    )
    replicate: str = Field(
        default="",
        description="Where `clew run` keeps a copy of the crawl that it can go on from: a path on another "
        "disk, or a URL like s3://bucket/wind.",
    )
    least: float = Field(
        default=0,
        ge=0,
        le=100,
        description="Stop when the next 100 pages promise fewer relevant ones than this, by what the last "
        "200 brought; 0 means never.",
    )


class GoalTable(ConfigTable):
    """Which pages are relevant."""

    about: str = Field(default="", description="The topic in words; if empty, every page is relevant.")
    criteria: Annotated[list[str], BeforeValidator(_sentences)] = Field(
        default=[],
        description="What makes a page relevant, one sentence each, for a teacher (docs/guides/teacher.md).",
    )
    good: Strings = Field(default=[], description="Relevant example pages: files, folders or URLs.")
    bad: Strings = Field(default=[], description="Irrelevant example pages: files, folders or URLs.")
    records: str = Field(
        default="", description="Example rows (.csv, .tsv, .jsonl); pages with similar rows are relevant."
    )
    patterns: Literal["trees", "dipre", "dipre-merged"] = Field(
        default="trees",
        description='How rows are extracted: "trees" by page structure, "dipre" by the surrounding text, '
        '"dipre-merged" without splitting groups of rows by their URLs.',
    )
    judge: str = Field(
        default="auto",
        description='How pages are judged: "auto" (by the topic, and by examples if there are any; with '
        'goal.records "records", or "all:records,auto" if there is a topic too), "words", "examples", '
        '"bayes", "place:jp", "data", "files:pdf", "schema:Recipe", "all:place:jp,words", or your own '
        '"module:Class".',
    )
    keep: float = Field(default=0.5, ge=0, le=1, description="Pages with at least this verdict are relevant.")
    data_bytes: int = Field(
        default=65_536,
        ge=0,
        description='Bytes fetched of each data file by the judge "data"; 0 means whole files.',
    )

    @model_validator(mode="before")
    @classmethod
    def _judge_for_records(cls, table: Any) -> Any:  # noqa: ANN401 - raw TOML
        """Judge by the example rows when `judge` is not set."""
        if isinstance(table, dict) and table.get("records") and table.get("judge", "auto") == "auto":
            topic = any(table.get(key) for key in ("about", "good", "bad"))
            return {**table, "judge": "all:records,auto" if topic else "records"}
        return table


class RankTable(ConfigTable):
    """How links are ordered."""

    policy: str = Field(
        default="clew",
        description='The ranking policy: a name (docs/policies.md), or "module:Class".',
    )
    seed: int = Field(default=0, ge=0, description="Random seed of the policy.")
    diversity: float = Field(
        default=0.0,
        ge=0,
        le=10,
        description="Policy clew: down-weights hosts that already yielded relevant pages; 0 means off.",
    )
    explore: int = Field(
        default=0,
        ge=0,
        description="Policy sites: page budget of the exploration phase; 0 ends it automatically.",
    )
    explorer: str = Field(
        default="gain",
        description='Policy sites: how sites to explore are chosen: "gain", "delta", "delta-sample", '
        '"delta-literal", "ucb", "thompson", "epsilon" or "random".',
    )
    classifier: Literal["logistic", "svm"] = Field(
        default="logistic",
        description='Policy sites: the classifier of sites by their words: "logistic", or "svm", a linear '
        "support vector machine.",
    )
    within: str = Field(
        default="keyword", description="Policy sites: the policy that orders the links of one site."
    )
    options: dict[str, Any] = Field(
        default={},
        description="Options of the policy (docs/policies.md names them), e.g. {leaf = 2}; of the policy "
        "within, if the policy is sites.",
    )


class ScopeTable(ConfigTable):
    """Which links may be followed."""

    hosts: Annotated[Strings, AfterValidator(_known_hosts)] = Field(
        default=["any"], description='"any", "seeds" (the hosts of the seeds), or patterns like "*.gov.uk".'
    )
    exclude: Strings = Field(default=[], description='URL patterns that are never fetched, e.g. "*/login*".')
    depth: int = Field(default=100_000, ge=0, description="Maximum link distance from a seed.")
    suspect_pages: int = Field(
        default=150,
        ge=0,
        description="Maximum requests without new content to a folder that looks generated; 0: no limit.",
    )
    per_host: int = Field(default=0, ge=0, description="Maximum pages per host; 0 means no limit.")
    site: Literal["host", "domain"] = Field(
        default="host", description="Policy sites: whether a site is a host or a registered domain."
    )
    sitemaps: bool = Field(default=True, description="Read the sitemaps listed in robots.txt.")
    feeds: bool = Field(default=True, description="Read the RSS and Atom feeds that pages link to.")
    drop_params: Strings = Field(
        default=list(urls.TRACKING + urls.SESSIONS),
        description="Query parameters removed from URLs because they do not change the page.",
    )


class FetchTable(ConfigTable):
    """Politeness and limits of fetching."""

    delay: float = Field(default=1.0, ge=0, description="Minimum seconds between two requests to one host.")
    per_host: int = Field(default=1, ge=1, le=64, description="Maximum concurrent requests to one host.")
    focus: int = Field(
        default=4,
        ge=0,
        description="With a page budget: more requests in flight only for the best links; 0 means no limit.",
    )
    concurrency: int = Field(default=64, ge=1, le=2000, description="Maximum concurrent requests in all.")
    timeout: float = Field(default=30, gt=0, le=60, description="Timeout of a whole request, in seconds.")
    max_bytes: int = Field(
        default=8_000_000, ge=1_000, description="Maximum bytes read of one response, decoded or not."
    )
    tries: int = Field(default=4, ge=1, le=12, description="Maximum attempts for a URL that fails.")
    max_rest: float = Field(
        default=300,
        ge=0,
        description="Longest Retry-After to wait for, in seconds; a host that asks for more is dropped.",
    )
    robots: bool = Field(default=True, description="Obey robots.txt, meta robots and X-Robots-Tag.")
    agent: str = Field(
        default="clew", pattern=r"^[A-Za-z_-]+$", description="Product name in robots.txt and User-Agent."
    )
    browser: Literal["never", "auto", "always"] = Field(
        default="never",
        description="Render pages in Chromium; auto renders those that are empty without JavaScript.",
    )
    browsers: Strings = Field(
        default=[],
        description="Debugging ports of Chromium on other machines, which render instead of one here: "
        '["http://10.0.0.7:9222"].',
    )
    proxy: str = Field(default="", description="HTTP proxy for every request, e.g. http://127.0.0.1:8080.")
    allow: Strings = Field(default=[], description="Private IP ranges (CIDR) that may be fetched.")
    headers: Strings = Field(
        default=[],
        description="More request headers, for all hosts or one: "
        '["Accept-Language: de", "intranet.example Authorization: Bearer ${TOKEN}"].',
    )
    cookies: str = Field(default="", description="A Netscape cookie file; each cookie goes to its own site.")

    def networks(self) -> list[IPv4Network | IPv6Network]:
        """Return `allow` as address ranges."""
        try:
            return [ip_network(text, strict=False) for text in self.allow]
        except ValueError as error:
            msg = f"fetch.allow: {error}; write a range like 127.0.0.0/8"
            raise ConfigError(msg) from None


class ParseTable(ConfigTable):
    """Parsing processes and their limits."""

    workers: int = Field(default=0, ge=0, le=64, description="Parsing processes; 0 means one per core.")
    timeout: float = Field(default=5, gt=0, description="Maximum seconds of parsing per page.")
    memory: int = Field(default=512, ge=64, description="MiB of memory a parsing process may allocate.")
    text: Literal["clew", "trafilatura"] = Field(
        default="clew", description='Who extracts the main text; "trafilatura" needs the extra of that name.'
    )


class RefreshTable(ConfigTable):
    """Visiting known pages again (docs/guides/refresh.md)."""

    pages: int = Field(
        default=500,
        ge=0,
        description="Pages that one refresh reads, known ones that have not been modified left out; 0 means "
        "no limit.",
    )
    requests: int = Field(default=0, ge=0, description="Requests of one refresh; 0 means no limit.")
    changed: float = Field(
        default=0.1,
        ge=0,
        description="What a change of a known relevant page is worth beside a new relevant page.",
    )


class StoreTable(ConfigTable):
    """Limits of the store."""

    min_free: int = Field(default=1024, ge=0, description="Stop when the disk has fewer MiB free.")
    warc_size: int = Field(default=1024, ge=1, description="Start a new WARC file after this many MiB.")


class SeekTable(ConfigTable):
    """Search engines as a source of seeds (docs/guides/search.md)."""

    search: Strings = Field(
        default=[],
        description='Engines, queried in order: "brave", "searxng=http://127.0.0.1:8888", "local=DIR", …',
    )
    results: int = Field(default=10, ge=1, le=100, description="Top results of each query that become seeds.")
    learn: int = Field(default=100, ge=1, le=1000, description="Results fetched to learn the topic terms.")
    others: Strings = Field(
        default=[],
        description="Subjects that are searched for to learn what the topic is not, none of them near it; "
        "empty for ten usual ones.",
    )
    words: int = Field(default=1000, ge=1, description="Maximum number of topic terms, best first.")
    reseed: bool = Field(default=False, description="Search again when few of the last pages were relevant.")
    window: int = Field(default=50, ge=1, description="Number of last pages that threshold looks at.")
    threshold: float = Field(
        default=0.2, ge=0, le=1, description="Search again when a smaller share of the window is relevant."
    )
    next: Literal["yield", "array"] = Field(
        default="yield",
        description='How the next query is chosen: "yield" by past results, "array" the best unused term.',
    )
    queries: int = Field(default=100, ge=0, description="Maximum queries per run; 0 means none.")
    languages: Strings = Field(
        default=[], description='Languages to search in, e.g. ["ja", "de"]; empty: engine default.'
    )
    proxy: str = Field(
        default="", description="HTTP proxy for search engines; fetch.proxy is not used there."
    )
    timeout: float = Field(default=20, gt=0, le=120, description="Timeout of one search request, in seconds.")
    delay: float = Field(default=1.0, ge=0, description="Minimum seconds between two requests to one engine.")


def _endpoint(url: str) -> str:
    """Refuse a URL that is none, or that holds a key: this file is no place for secrets."""
    if not url:
        return url
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        msg = "write the URL of an OpenAI-compatible server, e.g. http://127.0.0.1:11434/v1"
        raise ValueError(msg)
    if parts.username or parts.password or re.search(r"(?i)(key|token|secret|sig)[^=&]*=", parts.query):
        msg = "a key does not belong into this file; set the environment variable named by teach.key"
        raise ValueError(msg)
    return url


class TeachTable(ConfigTable):
    """A language model that labels pages (docs/guides/teacher.md)."""

    url: Annotated[str, AfterValidator(_endpoint)] = Field(
        default="",
        description='An OpenAI-compatible server, e.g. "http://127.0.0.1:11434/v1"; empty for no teacher.',
    )
    model: str = Field(default="", description="The name of the model, as the server knows it.")
    key: str = Field(
        default="CLEW_TEACHER_KEY",
        pattern=r"^[A-Za-z_-]+$",
        description="The environment variable that holds the key of the server, if it wants one.",
    )
    labels: int = Field(default=40, ge=0, description="Pages (or rows) it is asked about in all.")
    tokens: int = Field(default=0, ge=0, description="Tokens it may use in all; 0 means no limit.")
    money: float = Field(
        default=0, ge=0, description="What it may cost in all, in the currency of the prices; 0: no limit."
    )
    price_in: float = Field(default=0, ge=0, description="Price of a million tokens of questions.")
    price_out: float = Field(default=0, ge=0, description="Price of a million tokens of answers.")
    text: int = Field(
        default=4_000, ge=200, le=100_000, description="Characters of the main text of a page that are sent."
    )
    answer: int = Field(default=400, ge=50, le=20_000, description="Maximum tokens of an answer.")
    twice: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="Ask once more, with the words of the page shuffled: auto where the answer contradicts "
        "the judge or the page speaks to the model.",
    )
    timeout: float = Field(default=120, gt=0, le=600, description="Timeout of one answer, in seconds.")
    proxy: str = Field(default="", description="HTTP proxy for the teacher; fetch.proxy is not used there.")

    @model_validator(mode="after")
    def _prices(self) -> "TeachTable":
        if self.money and not (self.price_in or self.price_out):
            msg = "a budget of money needs prices: set teach.price_in and teach.price_out"
            raise ValueError(msg)
        return self
