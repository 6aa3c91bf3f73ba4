"""A restart changes nothing: dead links, traps and texts that differ in digits, stopped or killed at any page."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

import clew
from clew.store import read_sql
from tests.small_web import CONTACT, QUICK, linked, serving

WORDS = [
    "bridge",
    "river",
    "garden",
    "lamp",
    "stone",
    "water",
    "boat",
    "mill",
    "road",
    "field",
    "wall",
    "tower",
]


def prose(key: object, count: int = 60) -> str:
    return " ".join(random.Random(str(key)).choices(WORDS, k=count))


def maze(request):
    names = [f"/maze/{random.Random(request.path + str(n)).randrange(10**9)}" for n in range(6)]
    return linked(*names, text=prose(request.path))


def counted(request):
    """A page whose text differs from that of its neighbours in digits only, and that leads on."""
    at = int(request.path.rpartition("=")[2])
    return linked(f"/hits?n={at + 1}", f"/hits?n={at + 2}", text=f"{prose('hits', 20)} {at * 10**9 // 7}")


class Site(dict):
    """Made pages for whole folders, the given ones for the rest."""

    def get(self, path, default=None):
        for start, made in (("/maze/", maze), ("/hits?", counted)):
            if path.startswith(start):
                return made
        return super().get(path, default)


def site():
    names = [f"/wiki/{n}" for n in range(150)]
    dice = random.Random(5)
    pages = {
        name: linked(*dice.sample(names, 5), f"/old/{dice.randrange(90)}", text=prose(name)) for name in names
    }
    first = [f"/old/{n}" for n in range(0, 90, 3)]
    return Site({"/": linked("/maze/1", "/hits?n=1", *first, *names[:6], text=prose("front")), **pages})


def settings(policy):
    return QUICK | {"rank.policy": policy, "fetch.concurrency": 1}


def crawl(folder, web, policy):
    return clew.Crawl(
        folder,
        about="lamp tower",
        seeds=[f"{web.origin}/"],
        contact=CONTACT,
        settings=settings(policy),
    )


def paths(web):
    return [path for path in web.asked if path != "/robots.txt"]


@pytest.fixture(scope="module", params=["breadth", "keyword"])
def whole(request, tmp_path_factory):
    """The policy, and the requests of one uninterrupted run."""
    with serving(site()) as web:
        crawl(tmp_path_factory.mktemp("whole"), web, request.param).run(pages=320)
        return request.param, paths(web)


def test_the_web_has_all_that_may_differ(whole):
    _, asked = whole
    for start, least in (("/maze/", 55), ("/hits?", 20), ("/old/", 30), ("/wiki/", 140)):
        assert sum(path.startswith(start) for path in asked) >= least, start


def test_a_crawl_in_many_runs_asks_for_the_same_pages_in_the_same_order(tmp_path, whole):
    policy, asked = whole
    with serving(site()) as web:
        for pages in (1, 7, 20, 33, 61, 62, 90, 119, 150, 177, 205, 240, 281, 320):
            crawl(tmp_path, web, policy).run(pages=pages)
        assert paths(web) == asked


@pytest.mark.parametrize("policy", ["clew", "ariadne"])
def test_a_policy_and_a_judge_that_learn_go_on_as_if_they_had_not_been_stopped(tmp_path, policy):
    """The policies hash URLs with their ports: both crawls read from one server."""
    with serving(site()) as web:
        crawl(tmp_path / "whole", web, policy).run(pages=150)
        asked = paths(web)
        web.asked.clear()
        for pages in (1, 26, 27, 80, 150):
            crawl(tmp_path / "stopped", web, policy).run(pages=pages)
        assert paths(web) == asked
    assert (tmp_path / "stopped" / "derived" / "learned.npz").exists()


RUN = """
import json, sys, clew
clew.Crawl(sys.argv[1], settings=json.loads(sys.argv[3])).run(pages=int(sys.argv[2]))
"""


def run_killed(folder, pages, settings, is_time):
    """Run the crawl in another process and kill that when it is time."""
    words = [sys.executable, "-c", RUN, str(folder), str(pages), json.dumps(settings)]
    process = subprocess.Popen(words, start_new_session=True)
    while not is_time() and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None, "it should be running"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_killed_crawl_asks_for_the_same_pages_in_the_same_order(tmp_path, whole):
    """What was under way at a kill is asked for again; without such repetitions the order is the same."""
    policy, asked = whole
    with serving(site()) as web:
        crawl(tmp_path / "c", web, policy).save()
        for seen in (40, 90, 140, 200, 260):
            run_killed(tmp_path / "c", 320, settings(policy), lambda seen=seen: len(web.asked) >= seen)
        crawl(tmp_path / "c", web, policy).run(pages=320)
        found = paths(web)
    assert set(found) >= set(asked)
    assert list(dict.fromkeys(found)) == asked


def chained(number, size=80):
    """Eighty numbered pages with fresh, relevant text, linked in a chain and across, and a home page."""
    pages = {"/": linked("/p/1", text=prose(f"home {number}"))}
    for n in range(1, size):
        across = [f"/p/{n * 7 % (size - 1) + 1}"] if n % 3 == 0 else []
        following = [f"/p/{n + 1}"] if n < size - 1 else []
        pages[f"/p/{n}"] = linked(*following, *across, text=f"lamp tower {prose((number, n))}")
    return pages


STORED_PAGES = "SELECT url FROM pages JOIN links USING (id) WHERE kind = 0"


def test_twelve_honest_hosts_are_read_whole_through_five_kills(tmp_path):
    """Relevant chains on many hosts were once closed as traps after some twenty pages each."""
    anywhere = QUICK | {"scope.hosts": "any"}
    with ExitStack() as stack:
        hosts = [stack.enter_context(serving(chained(n))) for n in range(12)]
        hub = stack.enter_context(serving({"/": linked(*(f"{host.origin}/" for host in hosts))}))
        job = clew.Crawl(
            tmp_path / "c", about="lamp tower", seeds=[f"{hub.origin}/"], contact=CONTACT,
            settings=anywhere,
        )  # fmt: skip
        job.save()
        asked = [host.asked for host in hosts]
        kills = []
        for seen in (100, 250, 400, 550, 700):
            run_killed(tmp_path / "c", 0, anywhere, lambda seen=seen: sum(map(len, asked)) >= seen)
            stored = {url for (url,) in read_sql(tmp_path / "c", STORED_PAGES)}
            kills.append((stored, [len(paths(host)) for host in hosts]))
        summary = job.run()
        later = [
            {
                f"{host.origin}{path}"
                for host, count in zip(hosts, counts, strict=True)
                for path in paths(host)[count:]
            }
            for _, counts in kills
        ]
    assert (summary.pages, summary.failed) == (12 * 80 + 1, 0)
    every = {f"{host.origin}{path}" for host in hosts for path in paths(host)}
    assert len(every) == 12 * 80
    assert len(kills[0][0] & every) > 12, "some pages were stored before the first kill"
    for (stored, _), urls in zip(kills, later, strict=True):
        assert not stored & urls, "only what was not committed at a kill is asked for again"
