"""Small honest webs for one test each, and the words that start a crawl of them."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import judge, program
from .content import page
from .judge import Evidence
from .server import Answer, Request, Web, Wire

DELAY = 0.05

SETTINGS = program.settings(
    "fetch.allow=127.1.0.0/16", f"fetch.delay={DELAY}", "fetch.timeout=20", "store.min_free=16"
)


def run_words(crawl: Path, *more: str) -> list[str]:
    return ["run", str(crawl), "--plain", *SETTINGS, *more]


def site_of(web: Web, name: str, pages: int, *, slow: dict[int, float] | None = None) -> str:
    """Fill a site with `pages` pages, all linked from the first; some answer late. Return its first address."""
    site = web.site(name)
    paths = [f"/page/{n}" for n in range(1, pages)]
    site.on("/", Answer(page(f"front of {name}", *paths)))

    def late(answer: Answer, seconds: float):
        async def wait(_: Request, wire: Wire) -> None:
            await wire.pause(seconds)
            await wire.send(answer.encode())

        return wait

    for number, path in enumerate(paths, 1):
        answer = Answer(page(f"{path} of {name}", "/"))
        seconds = (slow or {}).get(number)
        site.on(path, late(answer, seconds) if seconds else answer)
    return site.url("/")


def evidence(web: Web, crawl: Path) -> Evidence:
    """Export the crawl and gather what the judge may see."""
    export = crawl.parent / "pages.jsonl"
    done = program.clew("export", str(crawl), str(export))
    assert done.returncode == 0, done.stderr
    return Evidence(web.log_path, crawl, export)


def whole(seen: Evidence, pages: int) -> None:
    """All pages are stored, each once, and nothing was fetched twice."""
    rows = [r for r in seen.rows if r["status"] == 200 and not str(r["url"]).endswith("robots.txt")]
    assert len(rows) == pages, f"{len(rows)} of {pages} pages"
    judge.kept(seen)
    judge.polite(seen, delay=DELAY)
    assert all(times == 1 for times in judge.warc_responses(judge.warc_files(seen.folder)).values())


def asked(web: Web, target: str) -> bool:
    """Tell whether a target was asked for and answered, or is being answered now."""
    return any(site.visits.get(target) for site in web.sites.values())


@contextmanager
def running(crawl: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A crawl under way; whatever happens, it does not outlive the test."""
    process = program.start(*run_words(crawl, *more), output=crawl.parent / "output.txt")
    try:
        yield process
    finally:
        program.kill_group(process)
