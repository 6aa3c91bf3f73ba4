"""A Scrapy spider ordered by a Clew policy: callbacks, all kinds of requests, focus, kills."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from clew.api import Crawl
from clew.errors import ConfigError
from clew.types import Kind, Links
from tests.small_web import linked, serving

pytest.importorskip("scrapy", reason="SCRAPY IS NOT INSTALLED: pip install 'clew[scrapy]'")

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from clew.scrapy import FocusedCrawl, FocusedScheduler
from clew.scrapy.addon import contact_of, crawl_of
from clew.scrapy.downloads import asked_links
from clew.scrapy.request_file import RequestFile

SPIDER = Path(__file__).with_name("scrapy_spider.py")
ABOUT = "lighthouse keeper lantern"
NAMES = [
    "Abbot",
    "Bell",
    "Cape",
    "Dune",
    "East",
    "Fair",
    "Gull",
    "Hook",
    "Isle",
    "Jura",
    "Kelp",
    "Lizard",
    "Mull",
    "Ness",
    "Orme",
    "Point",
    "Quay",
    "Rock",
]


def story(theme, number):
    """Return a text about a theme that is like no other."""
    words = [NAMES[(number * step + step * step) % len(NAMES)] for step in range(1, 60)]
    return " ".join(f"{theme} of {word} {number * 7 + at}." for at, word in enumerate(words))


def good(number):
    return story("The lighthouse keeper lights the lantern", number)


def poor(number):
    return story("The baker sells bread and rolls", number)


def start(folder, web, *, name="crawl", **settings):
    """Start the spider on a web; return the process and the file of its items."""
    items = folder / f"{name}.jsonl"
    job = {
        "items": str(items),
        "seeds": [f"{web.origin}/"],
        "settings": {
            "ADDONS": {"clew.scrapy.FocusedCrawl": 500},
            "CLEW_DIR": str(folder / name),
            "CLEW_ABOUT": ABOUT,
            "CLEW_SETTINGS": {"store.min_free": 0, "parse.workers": 1},
            "CONCURRENT_REQUESTS": 1,
            **settings,
        },
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps(job))
    root = Path(__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}"}
    log = (folder / f"{name}.log").open("ab")
    process = subprocess.Popen(
        [sys.executable, SPIDER, path], stdout=log, stderr=log, env=environment, start_new_session=True
    )
    log.close()
    return process, items


def run(folder, web, **options):
    """Run the spider to its end; return its items."""
    process, items = start(folder, web, **options)
    log = folder / f"{options.get('name', 'crawl')}.log"
    assert process.wait(200) == 0, log.read_text()
    return [json.loads(line) for line in items.read_text().splitlines()]


def states(folder):
    with sqlite3.connect(f"file:{folder}/crawl.db?mode=ro", uri=True) as database:
        return dict(database.execute("SELECT url, state FROM links_readable"))


def topical_web():
    """Thirty pages on the topic behind every other link of a hub, thirty that are not."""
    pages = {"/": linked("/hub-good", "/hub-poor", text="A list of things.")}
    pages["/hub-good"] = linked(*(f"/lighthouse/{n}" for n in range(30)), text=good(99))
    pages["/hub-poor"] = linked(*(f"/bakery/{n}" for n in range(30)), text=poor(99))
    for n in range(30):
        pages[f"/lighthouse/{n}"] = linked(f"/lighthouse/leaf{n}", text=good(n), title=f"Lighthouse {n}")
        pages[f"/lighthouse/leaf{n}"] = linked("/", text=good(n + 30), title=f"Leaf {n}")
        pages[f"/bakery/{n}"] = linked(f"/bakery/leaf{n}", text=poor(n), title=f"Bakery {n}")
        pages[f"/bakery/leaf{n}"] = linked("/", text=poor(n + 30), title=f"Bread {n}")
    return pages


def paths(web, items):
    return [item["url"].removeprefix(web.origin) for item in items]


def test_relevant_pages_come_first_and_callbacks_are_kept(tmp_path):
    with serving(topical_web()) as web:
        items = run(tmp_path, web, CLOSESPIDER_PAGECOUNT=60)
        read = paths(web, items)
        relevant = sum("lighthouse" in path or path == "/hub-good" for path in read)
        assert relevant >= 0.8 * len(read), read
        leaves = [item for item in items if "leaf" in item["url"]]
        assert leaves
        assert all(item["by"] == "leaf" for item in leaves)
        assert all(item["from"] == item["url"].replace("leaf", "") for item in leaves)
        crawl = Crawl(tmp_path / "crawl")
        assert len(crawl.pages) == len(read) == len(set(read))
        why = "\n".join(crawl.why(f"{web.origin}/lighthouse/0").lines())
        assert "/hub-good" in why
        assert "to /lighthouse/0" in why  # the text of the link, from Clew's own parser


def test_every_kind_of_request_ends(tmp_path):
    def search(request):
        request.rfile.read(int(request.headers.get("Content-Length", 0)))
        return 200, {}, linked("/from-search", text="found").encode()

    def flaky(request):
        seen.append(1)
        return (503, {}, b"busy") if len(seen) == 1 else (200, {}, linked(text="at last").encode())

    seen: list[int] = []
    ways = ("/moved", "/gone", "/broken", "/form", "/flaky", "/private/x", "/refused")
    pages = {
        "/": linked(*ways),
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/"),
        "/moved": (301, {"Location": "/target"}, b""),
        "/target": linked("/", text="here it is"),
        "/broken": linked(text="x"),
        "/after-broken": linked(text="y"),
        "/form": linked(text="z"),
        "/search": search,
        "/from-search": linked(text="w"),
        "/flaky": flaky,
        "/refused": (302, {"Location": "http://127.0.0.1:1/nobody"}, b""),
    }
    with serving(pages) as web:
        items = run(tmp_path, web)
        by = {(path, item["by"]) for path, item in zip(paths(web, items), items, strict=True)}
        assert by >= {
            ("/", "parse"), ("/target", "parse"), ("/broken", "parse"), ("/after-broken", "parse"),
            ("/form", "parse"), ("/search", "search"), ("/", "again"), ("/from-search", "parse"),
            ("/flaky", "parse"),
        }  # fmt: skip
        assert len(items) == len(by)
        stored = states(tmp_path / "crawl")
        assert {path: stored[f"{web.origin}{path}"] for path in (*ways, "/target", "/from-search")} == {
            "/moved": "done", "/gone": "done", "/broken": "done", "/form": "done", "/flaky": "done",
            "/private/x": "failed", "/refused": "done", "/target": "done", "/from-search": "done",
        }  # fmt: skip
        assert stored["http://127.0.0.1:1/nobody"] == "failed"
        assert "open" not in stored.values()
        with sqlite3.connect(tmp_path / "crawl" / "scrapy.db") as file:
            assert file.execute("SELECT count(*) FROM unranked").fetchone() == (0,)
            assert file.execute("SELECT count(*) FROM ranked").fetchone() == (0,)
        assert web.asked.count("/private/x") == 0


def test_stops_change_nothing(tmp_path):
    with serving(topical_web()) as web:
        whole = paths(web, run(tmp_path, web, name="whole", CLEW_SETTINGS=budget(40)))
        for pages in (15, 27, 40):
            run(tmp_path, web, name="parts", CLEW_SETTINGS=budget(pages))
        parts = paths(web, [json.loads(line) for line in (tmp_path / "parts.jsonl").read_text().splitlines()])
    assert parts == whole
    assert len(whole) == 40


def budget(pages):
    return {"store.min_free": 0, "parse.workers": 1, "crawl.pages": pages}


def test_kills_lose_nothing(tmp_path):
    """The process is killed when it asks for some pages; the next one goes on with all callbacks."""
    kills = {"/lighthouse/3", "/lighthouse/leaf5", "/bakery/leaf2"}
    running = []
    pages = topical_web()

    def deadly(path, text):
        def answer(_):
            if path in kills:
                kills.discard(path)
                os.killpg(running[-1].pid, signal.SIGKILL)
            return 200, {}, text.encode()

        return answer

    with serving(pages | {path: deadly(path, pages[path]) for path in kills}) as web:
        for _ in range(4):
            process, items = start(tmp_path, web)
            running.append(process)
            process.wait(200)
        assert [process.returncode for process in running] == [-signal.SIGKILL] * 3 + [0], (
            tmp_path / "crawl.log"
        ).read_text()
        stored = states(tmp_path / "crawl")
        assert set(stored) == {f"{web.origin}{path}" for path in pages}
        assert set(stored.values()) == {"done"}
        lines = items.read_text().splitlines()
        found = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
        assert all(item["by"] == ("leaf" if "leaf" in item["url"] else "parse") for item in found)
        asked = [path for path in web.asked if path != "/robots.txt"]
        assert len(asked) <= len(pages) + 3 * 25  # what was under way or uncommitted is read again


def crawler(**settings):
    return Crawler(Spider, Settings(settings))


def test_the_scheduler_alone_says_what_is_missing():
    with pytest.raises(ConfigError, match=r"clew\.scrapy\.FocusedCrawl"):
        FocusedScheduler.from_crawler(crawler(SCHEDULER="clew.scrapy.FocusedScheduler"))


def test_the_addon_switches_all_parts_on():
    settings = Settings()
    FocusedCrawl().update_settings(settings)
    assert settings["SCHEDULER"] == "clew.scrapy.FocusedScheduler"
    assert settings["SPIDER_MIDDLEWARES"]["clew.scrapy.PageMiddleware"] == 1
    assert settings["DOWNLOADER_MIDDLEWARES"]["clew.scrapy.FailureMiddleware"] == 1


@pytest.mark.parametrize(
    ("settings", "folder"),
    [({"CLEW_DIR": "there"}, "there"), ({"JOBDIR": "jobs"}, "jobs/clew"), ({}, "clew-birds")],
)
def test_where_the_crawl_is(settings, folder):
    assert crawl_of(Settings(settings), "birds").folder == Path(folder)


def test_delays_are_left_to_scrapy():
    assert crawl_of(Settings({"DOWNLOAD_DELAY": 2}), "a").config().fetch.per_host == 1
    config = crawl_of(Settings({"CLEW_SETTINGS": {"rank.policy": "shark"}}), "a").config()
    assert (config.fetch.per_host, config.fetch.delay, config.rank.policy) == (8, 0, "shark")


@pytest.mark.parametrize(
    ("agent", "contact"),
    [
        ("bot (+https://crawler.uni-x.org/bot)", "https://crawler.uni-x.org/bot"),
        ("bot (+http://www.yourdomain.com)", "https://scrapy.org"),
        ("bot/1.0 someone@uni-x.org", "someone@uni-x.org"),
    ],
)
def test_the_contact_is_that_of_the_user_agent(agent, contact):
    assert contact_of(Settings({"USER_AGENT": agent})) == contact


def test_links_are_those_the_spider_asked_for():
    page = Links.plain(["http://a.org/1", "http://a.org/2", "http://a.org/3"], Kind.FEED)
    kept = asked_links(page, ["http://a.org/9", "http://a.org/3", "http://a.org/1"])
    assert kept.urls == ["http://a.org/1", "http://a.org/3", "http://a.org/9"]
    assert kept.kinds == [Kind.PAGE] * 3


class Plain(Spider):
    name = "plain"

    def parse(self, response): ...


def test_requests_come_back_from_disk(tmp_path):
    spider = Plain()
    file = RequestFile(tmp_path, spider)
    file.add(2**64 - 1, Request("http://a.org/", callback=spider.parse, meta={"x": (1, 2)}))
    file.add(7, Request("http://a.org/7", callback=lambda response: response))
    number = file.add_unranked(Request("http://a.org/form", method="POST", body=b"q=1"))
    file.close()
    file = RequestFile(tmp_path, spider)
    request = file.get(2**64 - 1)
    assert (request.url, request.callback, request.meta) == ("http://a.org/", spider.parse, {"x": (1, 2)})
    assert file.get(7) is None  # its callback is no method of the spider
    ((found, form),) = file.unranked()
    assert (found, form.method, form.body) == (number, "POST", b"q=1")
    file.remove([2**64 - 1])
    file.remove_unranked(number)
    file.flush()
    assert file.get(2**64 - 1) is None
    assert file.unranked() == []
    file.close()
