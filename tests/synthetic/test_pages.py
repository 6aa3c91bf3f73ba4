"""Pages of the synthetic web: the same bytes always, found again by their address, readable by Clew's own parser."""

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from clew.errors import ConfigError
from clew.lab.synthetic import Web, WebTruth
from clew.lab.synthetic.url_schemes import PageKind, UrlTarget, path, resolve
from clew.parse import read
from clew.types import Kind as LinkKind
from clew.types import Link, Response
from clew.urls import Canon, host, origin

# Change this only together with what pages say: crawls of earlier versions cannot be compared any more.
DIGEST = "770cb8fe4f847e5bab4989e2089789c1f8f841268d85d355069e0523f4b5fc7e"
PROGRAM = """
import hashlib
from clew.lab.synthetic import Web, WebTruth
web = Web(3_000, seed=7)
print(hashlib.sha256(b"".join(web.respond(url).body for url in WebTruth(web).sample(150))).hexdigest())
"""


@pytest.fixture(scope="module")
def web():
    return Web(3_000, seed=7)


def page_of(web, url, kind=LinkKind.PAGE):
    reply = web.respond(url)
    head = f"HTTP/1.1 {reply.status} X\r\n" + "".join(f"{name}: {value}\r\n" for name, value in reply.headers)
    link = Link(id=1, url=url, origin=origin(url), kind=kind)
    response = Response(
        link=link, started=0, ended=0, status=reply.status, head=head.encode(), body=reply.body
    )
    return read(response, canon=Canon(), max_bytes=8_000_000)


def targets(site):
    yield from (UrlTarget(PageKind(number)) for number in range(site.front))
    yield from (UrlTarget(PageKind.HUB, 0, position) for position in range(site.hubs))
    for section in site.sections:
        yield from (UrlTarget(PageKind.LIST, section.number, position) for position in range(section.lists))
        yield from (
            UrlTarget(PageKind.CONTENT, section.number, position) for position in range(section.count)
        )


def test_the_same_address_gives_the_same_bytes_in_every_process(web):
    made = hashlib.sha256(b"".join(web.respond(url).body for url in WebTruth(web).sample(150))).hexdigest()
    other = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": "4711"},
    )  # fmt: skip
    assert made == other.stdout.strip() == DIGEST


def test_another_seed_and_another_size_are_another_web(web):
    assert Web(3_000, seed=8).home_urls() != web.home_urls()
    assert Web(4_000, seed=7).home_urls() != web.home_urls()


def test_every_page_is_found_again_by_its_address_and_there_are_as_many_as_said(web):
    addresses = set()
    styles = set()
    for number in range(len(web.graph.names)):
        site = web.graph.site(number)
        styles.add(site.style)
        for target in targets(site):
            url_path = path(site, target)
            assert resolve(site, url_path) == target, (site.name, url_path)
            addresses.add((site.name, url_path))
    assert len(addresses) == web.pages
    assert len(styles) == 8


def test_only_the_right_spelling_is_a_page(web):
    canon = Canon()
    for number in range(len(web.graph.names)):
        site = web.graph.site(number)
        section = site.sections[0]
        good = path(site, UrlTarget(PageKind.CONTENT, 0, 0))
        wrong = [
            good + "x",
            "/0" + good,
            good + "&a=b",
            path(site, UrlTarget(PageKind.LIST, 0, section.lists + 3)),
        ]
        wrong += [
            "/files/1.exe",
            "/files/",
            "/node/",
            "/view.php?id=",
            "/²",
            "/%E3%81%82",
            "//",
            "/?",
            f"{good}?sort=name",
        ]
        for spelling in wrong:
            assert resolve(site, spelling) is None, (site.name, spelling)
            assert web.respond(f"http://{site.name}{spelling}").status in {200, 301, 403, 404}
        assert canon(f"http://{site.name}{good}") == f"http://{site.name}{good}"


def test_links_lead_to_pages_redirects_or_now_and_then_nowhere(web):
    statuses = Counter()
    for url in WebTruth(web).sample(120):
        page = page_of(web, url)
        for to in page.links.urls[:40]:
            reply = web.respond(to)
            statuses[reply.status] += 1
            if reply.status == 301:
                target = dict(reply.headers)["Location"]
                assert web.respond(target).status in {200, 403, 301}, (to, target)
    total = sum(statuses.values())
    assert set(statuses) <= {200, 301, 403, 404}
    assert statuses[404] < 0.06 * total
    assert statuses[200] > 0.9 * total


def test_pages_are_read_in_their_language_and_encoding(web):
    seen, wrong = Counter(), 0
    for number in range(len(web.graph.names)):
        site = web.graph.site(number)
        if site.is_closed:
            continue
        page = page_of(web, f"http://{site.name}{path(site, UrlTarget(PageKind.CONTENT, 0, 0))}")
        seen[site.lang, page.encoding] += 1
        wrong += page.lang != site.lang
        assert "�" not in page.text or site.lang != "en"
    assert {"shift_jis", "euc-jp", "utf-8"} <= {encoding for lang, encoding in seen if lang == "ja"}
    assert wrong < 0.08 * sum(seen.values())


def test_prose_is_made_of_sentences(web):
    for url in WebTruth(web).sample(60):
        page = page_of(web, url)
        if page.response.status == 403:
            continue
        assert not re.search(r"[\x01-\x08{}]", page.text), url
        assert not re.search(r"[\x01-\x08{}]", "".join(page.links.anchors)), url
        assert page.title, url


def test_all_eras_of_layout_occur(web):
    markup = b"".join(web.respond(home).body for home in web.home_urls())
    for sign in (b"<TABLE WIDTH=760", b"float:left", b"display:flex", b"grid-template-columns", b"<main>"):
        assert sign in markup


def test_print_versions_other_orders_and_soft_404s(web):
    sites = [web.graph.site(number) for number in range(len(web.graph.names))]
    site = next(
        s for s in sites if not s.is_closed and s.sections[0].content == 1 and s.sections[0].count > 5
    )
    plain = page_of(web, f"http://{site.name}{path(site, UrlTarget(PageKind.CONTENT, 0, 1))}")
    printed = page_of(web, f"http://{site.name}{path(site, UrlTarget(PageKind.CONTENT, 0, 1, 'print'))}")
    assert printed.title == plain.title
    assert len(printed.links) < len(plain.links)
    lists = [
        page_of(web, f"http://{site.name}{path(site, UrlTarget(PageKind.LIST, 0, 0, other))}")
        for other in ("", "year", "name")
    ]
    assert len({page.text for page in lists}) > 1
    assert len({frozenset(page.text.split()) for page in lists}) == 1
    replies = {
        site.number: web.respond(f"http://{site.name}/nothing/of/the/kind")
        for site in sites
        if not site.is_closed
    }
    soft = [number for number, reply in replies.items() if reply.status == 200]
    assert 0 < len(soft) < 0.2 * len(sites)
    assert replies[soft[0]].body


def test_files_have_the_type_they_are_offered_as():
    web = Web(20_000)
    kinds = {}
    for url in WebTruth(web).sample(1_500):
        if len(kinds) == 3:
            break
        truth = WebTruth(web).page_truth(url)
        if truth.kind == "data" and web.respond(url).status == 200:
            for to in page_of(web, url).links.urls:
                if "/files/" in to:
                    kinds.setdefault(to.rpartition(".")[2], web.respond(to))
    assert dict(kinds["csv"].headers)["Content-Type"].startswith("text/csv")
    assert kinds["csv"].body.count(b"\n") == 21
    assert kinds["xls"].body.startswith(b"\x09\x00\x04\x00")
    assert kinds["pdf"].body.startswith(b"%PDF-")
    assert kinds["pdf"].body.endswith(b"%%EOF\n")


def test_robots_sitemaps_and_feeds_are_what_clew_reads(web):
    kinds, listed, fed = Counter(), 0, 0
    for home in web.home_urls():
        reply = web.respond(f"{home}robots.txt")
        kinds[reply.status] += 1
        text = reply.body.decode()
        if "Sitemap:" in text:
            page = page_of(web, f"{home}sitemap.xml", LinkKind.SITEMAP)
            listed += len(page.links)
            assert {host(url) for url in page.links.urls} == {host(home)}
        if b"rss+xml" in web.respond(home).body:
            fed += len(page_of(web, f"{home}feed.xml", LinkKind.FEED).links)
    assert kinds[200] > kinds[404] > 0
    assert listed > 20
    assert fed > 10


def test_a_web_too_small_or_too_large_says_so():
    with pytest.raises(ConfigError, match="choose 500 to"):
        Web(10).home_urls()
