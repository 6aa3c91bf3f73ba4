"""A web of honest sites and traps, crawled by the product's own loop in virtual time."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, cast

import xxhash

from bench.trap_honest import HONEST
from bench.trap_text import ABOUT, MISSING, VIEW, Answer, Prose
from bench.trap_traps import TRAPS
from clew import urls
from clew.builder import add_seeds, build_engine
from clew.config import Config, build
from clew.engine.budget import Budget
from clew.engine.clock import Clock
from clew.engine.parts import make_parts
from clew.engine.run import CrawlRun
from clew.lab.memory_store import MemoryStore
from clew.lab.virtual_time import VirtualLoop, run_virtually
from clew.parse import read
from clew.types import Kind, Link, Page, Response

HUB = "http://www.hub.example/"


@dataclass(slots=True)
class TrapWeb:
    """Honest sites of given sizes and traps, each on a host of its own, and a hub that links to all.

    It is a fetcher and a parser; `requested` lists the requests in order, `waited` those of them whose links
    waited as suspect, `parsed` the pages by their bytes. `released` are the links that waited, by id. `contents`
    says what was on each page that was requested, `mixed` are honest sites with views of their pages.
    """

    honest: dict[str, int]
    traps: tuple[str, ...]
    relevant: bool
    parsed: dict[int, Page] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)
    waited: set[str] = field(default_factory=set)
    released: Mapping[int, str] = field(default_factory=dict)
    sites: dict[str, Any] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    mixed: set[str] = field(default_factory=set)
    _canon: urls.Canon = field(default_factory=urls.Canon)

    def __post_init__(self) -> None:
        prose = Prose(relevant=self.relevant)
        for name, size in self.honest.items():
            self.sites[f"http://www.{name.replace('_', '-')}.example"] = HONEST[name][0](prose, size)
        for name in self.traps:
            self.sites[f"http://www.{name.replace('_', '-')}.example"] = TRAPS[name][0](prose)

    def entrances(self) -> list[str]:
        """Return the first URL of every site."""
        first = {
            **{name: HONEST[name][1] for name in self.honest},
            **{name: TRAPS[name][1] for name in self.traps},
        }
        return [f"http://www.{name.replace('_', '-')}.example{path}" for name, path in first.items()]

    def answer(self, url: str) -> Answer:
        """Return what the web answers."""
        if url == HUB:
            return Answer("a hub of all sites", tuple(self.entrances()))
        origin = urls.origin(url)
        path = url[len(origin) :]
        if origin not in self.sites:
            origin = (
                f"http://www.{urls.site(urls.host(origin))}"  # a trap may have all names below its domain
            )
        if origin not in self.sites or path in ("/robots.txt", "/favicon.ico"):
            return MISSING
        try:
            answer = self.sites[origin](path)
        except (IndexError, KeyError, ValueError):  # a path that this site has no page for
            return MISSING if path != "/" else Answer(Prose(relevant=self.relevant)(f"home of {origin}"))
        return cast("Answer", answer)

    def reachable(self) -> dict[str, set[str]]:
        """Return the pages of each honest site that can be reached from its entrance, by their content."""
        found: dict[str, set[str]] = {}
        for name in self.honest:
            origin = f"http://www.{name.replace('_', '-')}.example"
            waiting = [self._canon(origin + HONEST[name][1]) or ""]
            seen, pages = set(waiting), set()
            while waiting:
                url = waiting.pop()
                answer = self.answer(url)
                if answer.content == VIEW:
                    self.mixed.add(name)
                if answer.content == VIEW or (
                    answer.content and _content(name, url, answer.content) in pages
                ):
                    continue
                if answer.status == 200 and not answer.redirect:
                    pages.add(_content(name, url, answer.content))
                for path in (*answer.links, answer.redirect):
                    target = self._canon(path, base=url) if path else ""
                    if target and target not in seen:
                        seen.add(target)
                        waiting.append(target)
            found[name] = pages
        return found

    async def fetch(self, link: Link) -> Response:
        """Answer after some latency, which is the same for the same URL."""
        started = cast("VirtualLoop", asyncio.get_running_loop()).wall()
        if link.kind is Kind.PAGE:
            self.requested.append(link.url)
            if link.id in self.released:
                self.waited.add(link.url)
        await asyncio.sleep(0.02 + xxhash.xxh3_64_intdigest(link.url.encode()) % 1000 / 5_000)
        ended = cast("VirtualLoop", asyncio.get_running_loop()).wall()
        answer = self.answer(link.url)
        self.contents[link.url] = answer.content
        if answer.redirect:
            head = f"HTTP/1.1 302 Found\r\nLocation: {answer.redirect}\r\n\r\n".encode()
            return Response(link=link, started=started, ended=ended, status=302, head=head)
        items = "".join(f'<li><a href="{escape(each)}">{_anchor(each)}</a></li>' for each in answer.links)
        body = f"<html><head><title>{_anchor(link.url)}</title></head><body><main><p>{escape(answer.text)}</p></main><ul>{items}</ul></body></html>"
        head = b"HTTP/1.1 %d X\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" % answer.status
        return Response(
            link=link, started=started, ended=ended, status=answer.status, head=head, body=body.encode()
        )

    async def parse(self, response: Response) -> Page:
        """Parse as a worker would; a page that an earlier crawl has parsed is not parsed again."""
        key = xxhash.xxh3_128_intdigest(response.link.url.encode() + response.head + response.body)
        page = self.parsed.get(key)
        if page is None:
            page = self.parsed[key] = read(response, canon=self._canon, max_bytes=8_000_000)
        return replace(page, response=response)

    async def aclose(self) -> None:
        """Do nothing."""


def _anchor(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2].replace("-", " ").replace("_", " ")[:40] or "home"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a crawl of the web read.

    `lost` are honest pages that were never read, `open_requests` the requests a trap got while honest pages
    were left, `beside` those while honest pages were left that did not wait as suspect themselves, `requests`
    all of them, each by site.
    """

    pages: int
    lost: dict[str, int]
    open_requests: dict[str, int]
    beside: dict[str, int]
    requests: dict[str, int]
    ended: str
    seconds: float


def crawl(
    web: TrapWeb, policy: str, concurrency: int, *, pages: int, settings: dict[str, Any] | None = None
) -> Outcome:
    """Crawl the web and count what was read of every site."""
    return run_virtually(lambda: _crawl(web, policy, concurrency, pages, settings or {}))


async def _crawl(
    web: TrapWeb, policy: str, concurrency: int, pages: int, settings: dict[str, Any]
) -> Outcome:
    loop = cast("VirtualLoop", asyncio.get_running_loop())
    config: Config = build(
        {
            "crawl": {"contact": "https://github.com/clew-crawler/clew", "pages": pages},
            "goal": {"about": ABOUT},
            "fetch": {"delay": 0, "per_host": min(64, concurrency), "concurrency": concurrency},
            **settings,
        },
        "the trap bench",
    )
    parts = make_parts(config, {"ranker": policy})
    engine = build_engine(config, MemoryStore(), Clock(loop.time, loop.wall), parts, seeds=[HUB])
    web.released = engine.rules.suspects.released
    add_seeds(engine, [HUB])
    run = CrawlRun(engine=engine, fetcher=web, parse=web.parse, concurrency=concurrency, budget=Budget(pages))
    async for _ in run.results():
        pass
    return outcome_of(web, run.ended, loop.time())


def _content(site: str, url: str, content: str) -> str:
    """Return what a page of a site is known by: its content if that has a name, else its URL."""
    return f"{site} {content}" if content else url


def outcome_of(web: TrapWeb, ended: str, seconds: float) -> Outcome:
    """Compare the requests with what the honest sites hold."""
    reachable = web.reachable()
    hosts = {
        urls.origin(url): name for name, url in zip((*web.honest, *web.traps), web.entrances(), strict=True)
    }
    by_domain = {urls.site(urls.host(origin)): name for origin, name in hosts.items()}
    names = [by_domain.get(urls.site(urls.host(urls.origin(url))), "hub") for url in web.requested]
    at: dict[str, int] = {}
    waited = set()
    for n, (url, name) in enumerate(zip(web.requested, names, strict=True)):
        content = _content(name, url, web.contents.get(url, ""))
        if content not in at and url in web.waited:
            waited.add(content)
        at.setdefault(content, n)
    lost = {name: sum(page not in at for page in pages) for name, pages in reachable.items()}
    honest = [page for pages in reachable.values() for page in pages if page in at]
    last = max((at[page] for page in honest), default=-1)
    last_prompt = max((at[page] for page in honest if page not in waited), default=-1)
    early, beside, total = Counter(names[: last + 1]), Counter(names[: last_prompt + 1]), Counter(names)
    return Outcome(
        pages=len(web.requested), lost={name: n for name, n in lost.items() if n},
        open_requests={name: early[name] for name in web.traps},
        beside={name: beside[name] for name in web.traps},
        requests={name: total[name] for name in (*web.honest, *web.traps)}, ended=ended, seconds=seconds,
    )  # fmt: skip
