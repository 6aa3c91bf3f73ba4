"""The proxy of the synthetic web over real sockets, and Clew crawling through it."""

import http.client
import socket
import subprocess
import sys
import time
from collections import Counter

import pytest

import clew
from clew.lab.synthetic import Web, WebTruth, serving
from clew.lab.synthetic.server import ServerBehaviour
from tests.small_web import CONTACT


@pytest.fixture(scope="module")
def web():
    return Web(3_000, seed=7)


@pytest.fixture(scope="module")
def proxy(web):
    with serving(web) as address:
        yield address


@pytest.fixture(scope="module")
def home(web):
    return next(url for url in web.home_urls() if web.respond(url).status == 200 and "www." in url)


def talk(proxy, request):
    name, _, port = proxy.removeprefix("http://").partition(":")
    with socket.create_connection((name, int(port)), timeout=5) as wire:
        wire.sendall(request)
        wire.shutdown(socket.SHUT_WR)
        responses = b""
        while more := wire.recv(65_536):
            responses += more
    return responses


def get(proxy, url, method="GET"):
    connection = http.client.HTTPConnection(proxy.removeprefix("http://"), timeout=5)
    connection.request(method, url)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, dict(response.getheaders()), body


def test_the_server_sends_what_the_web_returns(web, proxy, home):
    for url in (home, *WebTruth(web).sample(12)):
        status, headers, body = get(proxy, url)
        reply = web.respond(url)
        assert (status, body) == (reply.status, reply.body)
        assert headers.keys() <= {"Content-Type", "Content-Length", "Connection", "Location"}


def test_the_server_does_not_reveal_the_truth(proxy, home):
    for task in ("truth", "topic", "?topic=1", "truth.json", ".well-known/truth", "counts"):
        status, _, body = get(proxy, home + task)
        assert status == 404 or b"not found" in body.lower() or b"nothing here" in body.lower()
    for url in ("http://truth/", "http://127.0.0.1/truth", "http://localhost/"):
        assert get(proxy, url)[0] == 502


def test_head_says_the_length_and_sends_nothing(web, proxy, home):
    status, headers, body = get(proxy, home, "HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) == len(web.respond(home).body)


def test_a_path_with_a_host_header_works_like_a_full_url(web, proxy, home):
    host = home.removeprefix("http://").rstrip("/")
    responses = talk(
        proxy, f"GET / HTTP/1.1\r\nHost: {host.upper()}:80\r\nConnection: close\r\n\r\n".encode()
    )
    assert responses.startswith(b"HTTP/1.1 200 OK\r\n")
    assert responses.endswith(web.respond(home).body)


def test_requests_one_after_the_other_on_one_connection(web, proxy, home):
    one = f"GET {home} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    last = f"GET {home}robots.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    responses = talk(proxy, one + one + last)
    assert responses.count(b"HTTP/1.1 200") + responses.count(b"HTTP/1.1 404") == 3
    assert responses.count(web.respond(home).body) == 2


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET https://a.org/ HTTP/1.1\r\n\r\n", b"400"),
        (b"CONNECT a.org:443 HTTP/1.1\r\n\r\n", b"400"),
        (b"GET http://a.org/ HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"400"),
        (b"POST http://a.org/ HTTP/1.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc", b"405"),
        (b"x" * 70_000, b"400"),
        (b"GET http://a.org/\xff\xfe HTTP/1.1\r\nConnection: close\r\n\r\n", b"502"),
    ],
)
def test_malformed_requests_are_refused(proxy, request_, status):
    assert talk(proxy, request_).split(None, 2)[1] == status


def test_addresses_that_moved(web, proxy, home):
    status, headers, _ = get(proxy, home.replace("www.", ""))
    assert (status, headers["Location"]) == (301, home)
    folders = [
        (s, s.sections[0].slug)
        for s in map(web.graph.site, range(60))
        if s.style in {0, 1, 2} and not s.is_closed
    ]
    site, slug = folders[0]
    assert get(proxy, f"http://{site.name}/{slug}")[1]["Location"] == f"http://{site.name}/{slug}/"
    moved = get(proxy, f"http://{site.name}/old/0.html")[1]["Location"]
    assert get(proxy, moved)[0] == 200


def test_slow_failing_and_busy_hosts(web, home):
    with serving(web, latency=0.02, failures=1.0) as proxy:
        began = time.perf_counter()
        assert get(proxy, f"{home}robots.txt")[0] in {200, 404}
        assert get(proxy, home)[0] == 503
        assert get(proxy, home)[0] == 200
        assert time.perf_counter() - began > 0.03
    behaviour = ServerBehaviour(lively=True)
    responses = {
        url: [behaviour.error_response(url) for _ in range(4)]
        for url in web.home_urls() + Web(20_000).home_urls()
    }
    busy = [replies for replies in responses.values() if replies[0]]
    assert 0 < len(busy) < 0.1 * len(responses)
    assert [reply and reply.status for reply in busy[0]] == [429, 429, 429, None]
    assert ("Retry-After", "1") in busy[0][0].headers


def test_a_process_of_its_own_gives_the_same_pages_and_ends_with_the_block(web, home):
    with serving(web, process=True) as proxy:
        assert get(proxy, home)[2] == web.respond(home).body
    with pytest.raises(OSError):
        get(proxy, home)


def test_the_command_says_what_is_wrong():
    ran = subprocess.run(
        [sys.executable, "-m", "clew.lab.synthetic", "--pages", "3", "--port", "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "choose 500 to" in ran.stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = subprocess.run(
            [sys.executable, "-m", "clew.lab.synthetic", "--port", port],
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 1
    assert "take another with --port" in ran.stderr


def test_clew_finds_more_best_first_and_takes_nothing_for_a_trap(tmp_path):
    web = Web(20_000, seed=2)
    truth, task = WebTruth(web), web.task("lighthouses")
    found = {}
    with serving(web, process=True) as proxy:
        for policy in ("breadth", "best-first"):
            settings = {
                "fetch.proxy": proxy,
                "fetch.delay": 0,
                "fetch.per_host": 1,
                "fetch.concurrency": 1,  # one request at a time: the order of the pages is always the same
                "store.min_free": 0,
                "rank.policy": policy,
                "goal.judge": "words",  # the same verdict whatever was read before
            }
            crawl = clew.Crawl(
                tmp_path / policy,
                about=task.words,
                seeds=web.seeds("lighthouses", 5),
                contact=CONTACT,
                settings=settings,
            )
            crawl.run(pages=300)
            read = [
                row["url"]
                for row in crawl.pages.sql("SELECT url FROM fetched WHERE kind = 'page' AND status = 200")
            ]
            found[policy] = sum(truth.is_relevant(url, task) for url in read)
            refused = Counter(
                row["reason"].partition(":")[0]
                for row in crawl.pages.sql("SELECT reason FROM links_readable WHERE state = 'refused'")
            )
            assert refused["traps"] == 0
    assert found["best-first"] >= 1.5 * found["breadth"], found
