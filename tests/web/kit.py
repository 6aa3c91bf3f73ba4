"""A crawl whose pages try to break out of the pages that show them, and a client for the application."""

import contextlib
import shutil
import sqlite3
import time

from starlette.testclient import TestClient

import clew
from clew.config import template
from clew.lab.synthetic import BookWeb
from clew.lab.synthetic import serving as serving_synthetic
from clew.lab.synthetic.books import example_rows
from clew.store import add_label, read_sql
from clew.store.teacher_answers import TeacherAnswers
from clew.store.teacher_log import PlannedCall, TeacherBudget, TeacherLog
from clew.types import Label
from clew.web.app import make_app
from clew.web.crawls import CrawlFolders
from clew.web.guard import LOOPBACK
from clew.web.server_state import ServerState
from tests.small_web import CONTACT, QUICK, serving

XSS = '"><script>window.hacked=1</script><img src=x onerror=window.hacked=1>'
ESCAPED = "&lt;script&gt;window.hacked=1"
RTL = "מגדלור על החוף"
TEXT = "The lighthouse keeper lights the lantern; the lighthouse stands at the harbour. "
PHONES_HOME = """<html><head><title>Calls home</title><meta http-equiv=refresh content="0;url=/beacon?refresh">
<link rel=dns-prefetch href=//evil.example><link rel=stylesheet href=/beacon?css><base href=/beacon/>
<style>@import url(/beacon?import); body{background:url(/beacon?bg)}</style></head>
<body onload="fetch('/beacon?load')"><p>lighthouse lantern keeper</p><img src=/beacon?img><iframe src=/beacon?frame></iframe>
<form action=/beacon?form><input autofocus onfocus="location='/beacon?focus'"></form><a href="javascript:top.hacked=1" id=bait>bait</a>
<script>top.hacked=1; new Image().src='/beacon?script'</script><object data=/beacon?object></object>
<svg><script>top.hacked=1</script></svg><video src=/beacon?video autoplay></video><a href=/beacon?click target=_top>leave</a></body></html>"""


def html(title, body, links=()):
    anchors = "".join(f'<p><a href="{path}">{text}</a></p>' for path, text in links)
    return f"<html lang=en><head><title>{title}</title></head><body><main><p>{body}</p>{anchors}</main></body></html>"


def quoted(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def web_pages():
    """Return the pages of the small web."""
    bad = quoted(XSS)
    names = [f"/p{n}" for n in range(12)]
    links = [
        ("/bad", bad),
        ("/home", "calls home lighthouse"),
        ("/rtl", RTL),
        ("/x%22%3E%3Cscript%3Ewindow.hacked=1%3C/script%3E", bad),
    ]
    links += [(name, f"lighthouse {name}") for name in names]
    made = {
        "/": html("Start of lighthouses", TEXT, links),
        "/bad": html(bad, f"lighthouse lantern {bad} keeper", [("/soup", "soup")]),
        "/home": PHONES_HOME,
        "/rtl": html(RTL, f"{RTL} lighthouse lantern"),
        "/x%22%3E%3Cscript%3Ewindow.hacked=1%3C/script%3E": html("odd URL", TEXT),
        "/soup": html("Onion soup", "onion soup with bread and salt, nothing else at all"),
    }
    made |= {name: html(f"Lighthouse {name}", TEXT * (1 + n % 3)) for n, name in enumerate(names)}
    return made


@contextlib.contextmanager
def hostile_crawl(place, name="light"):
    """Yield the folder of a finished crawl of the small web, and the web."""
    with serving(web_pages()) as web:
        folder = place / name
        clew.Crawl(folder, "lighthouse lantern keeper", [web.origin], CONTACT, settings=QUICK).run()
        yield folder, web


def make_client(*places, trust=False, token="", hosts=LOOPBACK, **more):
    """Return a client of the application; it is called localhost."""
    server = ServerState(crawls=CrawlFolders(list(places)), trust=trust, token=token)
    client = TestClient(make_app(server, hosts), base_url="http://localhost", follow_redirects=False, **more)
    client.server = server
    return client


def copy_of(folder, place):
    """Return a copy of a crawl that a test may change."""
    target = place / folder.name
    shutil.copytree(folder, target)
    return target


def refresh_changed(folder, web):
    """Refresh a crawl after one page has changed, one has gone and one is new; the web is as it was after."""
    before = dict(web.pages)
    with sqlite3.connect(folder / "crawl.db") as db:
        db.execute("UPDATE pages SET fetched_at = ?", (time.time() - 86_400 * 30,))
    bad = quoted(XSS)
    web.pages["/p1"] = html("Lighthouse /p1", f"{TEXT} {bad} painted green", [("/p99", bad)])
    web.pages["/p99"] = html(f"Brand new {bad}", f"{TEXT} brand new {bad}")
    del web.pages["/p2"]
    try:
        clew.Crawl(folder, settings=QUICK).refresh(requests=60)
    finally:
        web.pages.clear()
        web.pages.update(before)


def add_teacher(folder):
    """Let a teacher have labelled three pages, and a person one of them; return their URLs."""
    log = TeacherLog(folder)
    answers = TeacherAnswers(log)
    query = "SELECT url FROM fetched WHERE url LIKE '%/p_' ORDER BY url LIMIT 3"
    urls = [url for (url,) in read_sql(folder, query)]
    for number, url in enumerate(urls):
        planned = PlannedCall(
            purpose="page", subject=url, model="small", prompt=f"{number:x}", tokens=120, cost=0.001
        )
        id = log.begin(planned, TeacherBudget(labels=40))
        log.end(id, tokens=100, cost=0.0005, answer="{}", cause="")
        answers.add(url, bool(number), reason=f"because {XSS}", passage="the passage", verdict=0.5)
    answers.add_labels(answers.all())
    add_label(folder, Label(urls[0], True, time.time() + 1))
    return urls


def divided(finished, folder):
    """Return a crawl in two shards, each a copy of a finished one."""
    folder.mkdir()
    shutil.copy(finished / "clew.toml", folder)
    for number in range(2):
        shutil.copytree(finished, folder / "shards" / str(number))
    return folder


def crawl_books(folder, pages):
    """Crawl until a table has grown from five books and from one whose title is markup."""
    web = BookWeb(per_subject=24)
    with serving_synthetic(web) as proxy:
        template.write_new(
            folder, contact=CONTACT, seeds=web.seeds()[:1],
            settings={"goal.records": "records.csv", "rank.policy": "breadth", "fetch.proxy": proxy,
                      "fetch.delay": 0, "store.min_free": 0, "parse.workers": 1},
        )  # fmt: skip
        markup = XSS.replace('"', '""')
        rows = "".join(f"{author},{title}\n" for author, title in example_rows())
        (folder / "records.csv").write_text(f'author,title\n{rows}Nobody,"{markup}"\n')
        clew.Crawl(folder).run(pages=pages)


def crawl_places(folder):
    """Crawl three pages with postal addresses."""
    offices = ("Marktplatz 1, 28195 Bremen", "Unter den Linden 6, 10117 Berlin", "Domkloster 4, 50667 Köln")
    paths = [f"/office{n}" for n in range(len(offices))]
    pages = {"/": html("Offices", "Kontakt", [(path, "Kontakt") for path in paths])}
    pages |= {
        path: html("Büro", f"Firma GmbH, {office}. Telefon 0421 12345.")
        for path, office in zip(paths, offices, strict=True)
    }
    with serving(pages) as web:
        clew.Crawl(
            folder, seeds=[web.origin], contact=CONTACT, settings={**QUICK, "goal.judge": "place:de"}
        ).run()
