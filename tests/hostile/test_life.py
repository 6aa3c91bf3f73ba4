"""A crawl's life as a user meets it: stopping, two at once, dying workers, limits."""

import os
import resource
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from . import judge, program
from .content import page
from .server import Answer, Request, Web, Wire
from .small import asked, evidence, run_words, running, site_of, whole

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_a_stop_drains_and_the_next_run_goes_on(tmp_path: Path, word: signal.Signals) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 12, slow={4: 1.0})
    with web:
        program.new(tmp_path / "crawl", seed)
        with running(tmp_path / "crawl") as process:
            assert program.wait_until(lambda: asked(web, "/page/4"))
            os.kill(process.pid, word)
            assert process.wait(30) == 3, (tmp_path / "output.txt").read_text()
        done = program.clew(*run_words(tmp_path / "crawl"))
        assert done.returncode == 0, done.stdout + done.stderr
        seen = evidence(web, tmp_path / "crawl")
    whole(seen, 12)
    judge.fetched_once(seen)


def test_ctrl_c_from_the_terminal_reaches_everybody_and_still_drains(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 11, slow={4: 1.0})
    with web:
        program.new(tmp_path / "crawl", seed)
        with running(tmp_path / "crawl") as process:
            assert program.wait_until(lambda: asked(web, "/page/4"))
            os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the parsing processes too
            assert process.wait(30) == 3, (tmp_path / "output.txt").read_text()
        assert "Traceback" not in (tmp_path / "output.txt").read_text()
        assert program.clew(*run_words(tmp_path / "crawl")).returncode == 0
        seen = evidence(web, tmp_path / "crawl")
    whole(seen, 11)
    judge.fetched_once(seen)


def test_a_second_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 10, slow={4: 60})
    with web:
        program.new(tmp_path / "crawl", seed)
        with running(tmp_path / "crawl") as process:
            assert program.wait_until(lambda: asked(web, "/page/4"))
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            assert process.poll() is None, "the first one did not wait for what was under way"
            process.send_signal(signal.SIGINT)
            assert process.wait(15) == 3  # the request under way may take 20 s
        stored = [r for r in evidence(web, tmp_path / "crawl").rows if r["status"] == 200]
    assert len([r for r in stored if "/page/" in str(r["url"])]) >= 3


def test_two_processes_on_one_folder(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 8, slow={3: 6})
    with web:
        program.new(tmp_path / "crawl", seed)
        with running(tmp_path / "crawl") as first:
            assert program.wait_until(lambda: asked(web, "/page/3"))
            second = program.clew(*run_words(tmp_path / "crawl"))
            assert second.returncode == 5, second.stdout + second.stderr
            assert f"process {first.pid}" in second.stdout + second.stderr
            assert first.wait(60) == 0
        seen = evidence(web, tmp_path / "crawl")
    whole(seen, 8)
    judge.fetched_once(seen)


def test_a_parsing_process_that_dies_costs_one_page_at_most(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 40)
    with web:
        program.new(tmp_path / "crawl", seed)
        with running(tmp_path / "crawl") as process:
            assert program.wait_until(lambda: asked(web, "/page/10"))
            for child in [pid for pid in program.family(process.pid) if pid != process.pid]:
                os.kill(child, signal.SIGKILL)
            assert process.wait(60) == 0, (tmp_path / "output.txt").read_text()
        rows = evidence(web, tmp_path / "crawl").rows
    pages = [r for r in rows if "/page/" in str(r["url"])]
    assert len(pages) == 39
    assert len([r for r in pages if r["error"]]) <= 4


def test_few_file_descriptors_for_many_hosts(tmp_path: Path) -> None:
    web = Web(tmp_path)
    hub = web.site("hub")
    fronts = []
    for number in range(300):
        site = web.site(f"site{number}")

        async def slowly(request: Request, wire: Wire, name: str = site.name) -> None:
            await wire.pause(0.5)
            await wire.send(Answer(page(f"front of {name}")).encode())
            wire.keep = True

        site.on("/", slowly)
        fronts.append(site.url("/"))
    hub.on("/", Answer(page("hub", *fronts)))
    with web:
        program.new(tmp_path / "crawl", hub.url("/"))
        done = subprocess.run(
            [program.CLEW, *run_words(tmp_path / "crawl", "--set", "fetch.concurrency=400")],
            capture_output=True, text=True, timeout=250, check=False, env=program.environment(),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)),
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        seen = evidence(web, tmp_path / "crawl")
    whole(seen, 301)
    judge.robots_first(seen)


def test_a_budget_of_pages(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 12)
    with web:
        program.new(tmp_path / "crawl", seed)
        assert program.clew(*run_words(tmp_path / "crawl", "--pages", "7")).returncode == 0
        pages = Counter(t for s in web.sites.values() for t in s.visits if t != "/robots.txt")
        assert sum(pages.values()) == 7, pages
        assert program.clew(*run_words(tmp_path / "crawl", "--pages", "12")).returncode == 0
        whole(evidence(web, tmp_path / "crawl"), 12)


def test_a_second_run_of_a_finished_crawl_asks_for_nothing(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 5)
    with web:
        program.new(tmp_path / "crawl", seed)
        assert program.clew(*run_words(tmp_path / "crawl")).returncode == 0
        before = web.log_path.read_text().count('"request"')
        assert program.clew(*run_words(tmp_path / "crawl")).returncode == 0
        assert web.log_path.read_text().count('"request"') == before
