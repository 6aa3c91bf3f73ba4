"""Kill a real crawl at random moments, start it again each time, and judge what is left at the end.

Every second kill takes the whole family at once, as a power cut does; the others take the parent only,
and its orphaned children must neither stay nor hold the folder.
"""

import os
import random
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from . import judge, program
from .content import gzipped, page, prose
from .judge import Asked, Evidence
from .server import HTML, Answer, Request, Site, Web, Wire

MakeWeb = Callable[[Path, int], tuple[Web, str, dict[str, int]]]
SITES = 8
GRACE = 2.0
"""An answer that was complete this many seconds before a kill is never fetched again."""
SLOW_DELAY = 1.5


@dataclass
class KillRun:
    """What a kill loop leaves behind."""

    evidence: Evidence
    expected: dict[str, int]
    kills: list[float] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    output: str = ""
    unsound: list[str] = field(default_factory=list)
    took: float = 0.0

    @property
    def lives(self) -> list[int]:
        """How many requests each life had before its kill."""
        bounds = [0.0, *self.kills]
        return [sum(a < x.started <= b for x in self.evidence.asked) for a, b in pairwise(bounds)]


def killable_web(folder: Path, pages: int) -> tuple[Web, str, dict[str, int]]:
    """Return a web of honest sites, its hub, and the status that every address on it gives."""
    web = Web(folder)
    hub = web.site("hub")
    sites = [web.site(f"site{n}") for n in range(SITES)]
    patient = web.site("patient")
    patient.robots(f"User-agent: *\nCrawl-delay: {SLOW_DELAY}\n")
    hub.on("/", Answer(page("hub", *(s.url("/") for s in (*sites, patient)))))
    expected = {hub.url("/"): 200}
    for site in sites:
        expected |= fill(site, pages, sites)
    expected |= fill(patient, max(10, pages // 15), [])
    return web, hub.url("/"), expected


def chained_web(folder: Path, pages: int) -> tuple[Web, str, dict[str, int]]:
    """Return a web of twelve sites whose pages are numbered chains with links to each other's pages."""
    web, dice = Web(folder), random.Random("chains")
    hub = web.site("hub")
    sites = [web.site(f"chain{n}") for n in range(12)]
    hub.on("/", Answer(page("hub", *(site.url("/") for site in sites))))
    expected = {hub.url("/"): 200}
    for site in sites:
        paths = ["/", *(f"/p/{n}" for n in range(1, pages + 1))]
        for path, following in zip(paths, [*paths[1:], "/"], strict=True):
            cross = dice.choice(sites).url(f"/p/{dice.randint(1, pages)}")
            words = f"rivers, gardens and bridges: {prose((site.name, path), 60)}"
            site.on(path, Answer(page(f"{path} of {site.name}", following, cross, body=words)))
            expected[site.url(path)] = 200
    return web, hub.url("/"), expected


def fill(site: Site, pages: int, others: list[Site]) -> dict[str, int]:
    """Fill a site with a tree of honest pages; return the status that each of its addresses gives."""
    dice = random.Random(site.name)
    paths = ["/"] + [
        f"/{prose((site.name, n), 2).lower().strip('.').replace(' ', '/')}/{n}" for n in range(1, pages)
    ]
    expected = {}
    for number, path in enumerate(paths):
        children = paths[8 * number + 1 : 8 * number + 9]
        cross = [dice.choice(paths)] + ([dice.choice(others).url("/")] if others else [])
        extra = [f"/moved/{number}"] if number % 20 == 7 else []
        extra += [f"/missing/{number}"] if number % 20 == 3 else []
        body = page(f"{path} of {site.name}", *children, *cross, *extra, words=dice.choice((80, 300, 2000)))
        packed = number % 3 == 1
        headers = (HTML, ("Content-Encoding", "gzip")) if packed else (HTML,)
        answer = Answer(
            gzipped(body) if packed else body, headers=headers, framing=dice.choice(("length", "chunked"))
        )
        site.on(path, _later(answer) if number % 11 == 5 else answer)
        expected[site.url(path)] = 200
        if number % 20 == 7:
            site.on(f"/moved/{number}", Answer(status=301, headers=(("Location", path),)))
            expected[site.url(f"/moved/{number}")] = 301
        if number % 20 == 3:
            expected[site.url(f"/missing/{number}")] = 404
    return expected


def _later(answer: Answer):
    async def slowly(_: Request, wire: Wire) -> None:
        data = answer.encode()
        await wire.send(data[:50])
        await wire.pause(0.4)
        await wire.send(data[50:])
        wire.keep = True

    return slowly


def kill_loop(
    folder: Path, *, kills: int, seed: int, pages: int, look_every: int = 5, make: MakeWeb = killable_web
) -> KillRun:
    """Crawl a web with `kills` deaths on the way, then to the end."""
    dice = random.Random(seed)
    web, hub, expected = make(folder, pages)
    crawl, output = folder / "crawl", folder / "output.txt"
    run = KillRun(Evidence(web.log_path, crawl, folder / "pages.jsonl"), expected)
    words = ["run", str(crawl), "--plain", *program.settings(
        "fetch.allow=127.1.0.0/16", f"fetch.delay={judge.DELAY}", "fetch.per_host=1", "store.min_free=16"
    )]  # fmt: skip
    began = time.monotonic()
    with web:
        program.new(crawl, hub)
        while len(run.kills) < kills:
            process = program.start(*words, output=output)
            if not _live(process, web, dice):
                run.codes.append(process.returncode)
                break  # ended by itself: too few pages for so many deaths, or a fault; the judge tells
            _kill(process, run, whole=len(run.kills) % 2 == 0)
            if len(run.kills) % look_every == 0:
                run.unsound += _look(crawl, folder / "copy")
        if len(run.kills) == kills:
            process = program.start(*words, output=output)
            try:
                run.codes.append(process.wait(max(240, pages)))
            finally:
                program.kill_group(process)
        run.orphans = [
            pid for pid in run.orphans if not program.wait_until(lambda pid=pid: not _alive(pid), 15)
        ]
        done = program.clew("export", str(crawl), str(run.evidence.export))
        assert done.returncode == 0, done.stderr
    run.took = time.monotonic() - began
    run.output = output.read_text("utf-8", "replace")
    return run


def _live(process: subprocess.Popen[str], web: Web, dice: random.Random) -> bool:
    """Let the program live for a while; tell whether it still does. One life in four ends while it starts."""
    if dice.random() < 0.25:
        end = time.monotonic() + dice.uniform(0.05, 1.5)
    else:
        before = web.requests
        program.wait_until(lambda: web.requests > before or process.poll() is not None, 30, every=0.005)
        end = time.monotonic() + dice.uniform(0.0, 1.2)
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    return process.poll() is None


def _kill(process: subprocess.Popen[str], run: KillRun, *, whole: bool) -> None:
    children = [pid for pid in program.family(process.pid) if pid != process.pid]
    if whole:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
        run.orphans += children
    process.wait(10)
    run.kills.append(time.time())


def _alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def _look(crawl: Path, copy: Path) -> list[str]:
    """Check a copy of the database, as the kill left it."""
    copy.mkdir(exist_ok=True)
    for name in ("crawl.db", "crawl.db-wal"):
        (copy / name).unlink(missing_ok=True)
        if (crawl / name).exists():
            (copy / name).write_bytes((crawl / name).read_bytes())
    if not (copy / "crawl.db").exists():
        return []
    with closing(sqlite3.connect(copy / "crawl.db")) as db:
        bad = [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
        return bad + [str(row) for row in db.execute("PRAGMA foreign_key_check")]


# The judge's part ----------------------------------------------------------------------------------


def nothing_lost_nothing_invented(run: KillRun) -> None:
    """Every address of the web is stored once, with the status it gives; nothing else is."""
    rows = {u: r for u, r in run.evidence.by_url.items() if not u.endswith("/robots.txt")}
    twice = [u for u, n in Counter(str(r["url"]) for r in run.evidence.rows).items() if n > 1]
    assert not twice, f"stored twice: {twice[:5]}"
    lost = sorted(set(run.expected) - set(rows))
    assert not lost, f"{len(lost)} of {len(run.expected)} lost: {lost[:5]}"
    invented = sorted(set(rows) - set(run.expected))
    assert not invented, f"invented: {invented[:5]}"
    wrong = [
        (u, rows[u]["status"], rows[u]["error"]) for u, s in run.expected.items() if rows[u]["status"] != s
    ]
    assert not wrong, f"{len(wrong)} with the wrong status: {wrong[:5]}"
    broken = [
        (u, rows[u]["error"])
        for u, s in run.expected.items()
        if s == 200 and (rows[u]["error"] or rows[u]["truncated"])
    ]
    assert not broken, f"{len(broken)} not whole: {broken[:5]}"


def only_what_was_in_flight_again(run: KillRun) -> None:
    """Between two requests for one address lies a kill, at most two seconds after the first answer."""
    by_url: dict[str, list[Asked]] = {}
    for asked in run.evidence.asked:
        by_url.setdefault(asked.url, []).append(asked)
    again = []
    for url, asked in by_url.items():
        for one, two in pairwise(asked):
            between = [k for k in run.kills if one.started <= k <= two.started]
            if not between or (one.complete and all(one.ended < k - GRACE for k in between)):
                again.append(f"{url} ({two.started - one.ended:.2f} s later, {len(between)} kills between)")
    assert not again, f"{len(again)} fetched again without need: {again[:5]}"


def polite_across_restarts(run: KillRun) -> None:
    """No host notices a restart as a burst."""
    judge.polite(run.evidence)
    for one, two in pairwise(run.evidence.by_site["patient"]):
        if one.target == two.target == "/robots.txt":
            continue  # killed before the rules were stored: nobody could know of the delay
        gap = two.started - one.started
        assert gap >= SLOW_DELAY * judge.TOLERANCE, (
            f"Crawl-delay {SLOW_DELAY}: {one.target} → {two.target} after {gap:.2f} s"
        )


def archive_agrees(run: KillRun) -> None:
    """The WARC files read strictly, hold every stored answer once, and hold what was sent."""
    files = judge.warc_files(run.evidence.folder)
    found = judge.warc_responses(files)
    stored = {str(r["url"]) for r in run.evidence.rows if r["status"]}
    pages = {u: n for u, n in found.items() if not u.endswith("/robots.txt")}
    twice = [u for u, n in pages.items() if n > 1]
    assert not twice, f"archived twice: {twice[:5]}"
    assert set(pages) == {u for u in stored if not u.endswith("/robots.txt")}
    payloads = judge.warc_payloads(files)
    sent = {a.url: a.digest for a in run.evidence.asked if a.digest and a.status == 200}
    wrong = [u for u, digest in sent.items() if not u.endswith("/robots.txt") and payloads[u] != digest]
    assert not wrong, f"{len(wrong)} payloads differ from what was sent: {wrong[:5]}"


def database_is_sound(run: KillRun) -> None:
    """Integrity and foreign keys hold at the end and held after the kills that were looked at."""
    assert not run.unsound, run.unsound[:5]
    with closing(sqlite3.connect(run.evidence.folder / "crawl.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def ended_well(run: KillRun, kills: int) -> None:
    """All deaths happened, the last run went to its end and said so, and no child stayed behind."""
    assert len(run.kills) == kills, f"only {len(run.kills)} kills: {run.codes} {run.output[-1500:]}"
    assert run.codes == [0], f"exit codes {run.codes}: {run.output[-1500:]}"
    busy = sum(life > 0 for life in run.lives)
    assert busy >= kills // 2, f"only {busy} of {kills} deaths came while pages were fetched: {run.lives}"
    assert not run.orphans, f"children outlived their parent: {run.orphans}"


CHECKS = (
    nothing_lost_nothing_invented,
    only_what_was_in_flight_again,
    polite_across_restarts,
    archive_agrees,
    database_is_sound,
)
