"""Engines that fail: every fault is a value with cause and cure, and none costs much."""

import asyncio
import json
import time
from email.utils import formatdate
from itertools import pairwise

import pytest
from search_kit import asked, opened
from servers import Reply, brave, commoncrawl, kagi, known, marginalia, mojeek, opensearch, running, searxng

KINDS = {
    "searxng": (searxng, "searxng={url}", "light"),
    "brave": (brave, "brave={url}", "light"),
    "mojeek": (mojeek, "mojeek={url}", "light"),
    "kagi": (kagi, "kagi={url}", "light"),
    "marginalia": (marginalia, "marginalia={url}", "light"),
    "opensearch": (opensearch, "opensearch={url}/opensearch.xml", "light"),
    "commoncrawl": (commoncrawl, "commoncrawl={url}", "site:host.test"),
}


@pytest.fixture(params=KINDS)
def engine(request):
    make, name, query = KINDS[request.param]
    with running(make()) as server:
        server.kind, server.name, server.query = request.param, name.format(url=server.url), query
        yield server


BAD = {
    "HTML": Reply(200, b"<!DOCTYPE html><html><body>Please prove that you are human", "text/html"),
    "nothing": Reply(200, b"", "application/json"),
    "not JSON": Reply(200, b"{'results': [oops", "application/json"),
    "a list": Reply(200, b"[1, 2, 3]", "application/json"),
    "null": Reply(200, b"null", "application/json"),
    "deep": Reply(200, b"[" * 200_000, "application/json"),
    "odd": Reply.of(
        {"results": [1, None, {"url": 5}, {"url": ["x"]}], "web": "x", "data": 7, "response": []}
    ),
    "binary": Reply(200, bytes(range(256)) * 40, "application/octet-stream"),
    "401": Reply(401, b"", "text/plain"),
    "403": Reply.of({"message": "\x1b[31mno"}, 403),
    "404": Reply(404, b"<html>not here", "text/html"),
    "500": Reply(500, b"oops", "text/plain"),
    "204": Reply(204, b""),
    "reset": Reply(trick="reset"),
    "half": Reply(200, b'{"results": [', trick="half"),
    "wrongly packed": Reply(200, b"{}", headers={"Content-Encoding": "br"}),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_answer_is_a_value_with_cause_and_cure(engine, bad):
    engine.answer = lambda asked: BAD[bad]
    answer = asked(engine.name, engine.query)
    assert answer.results == ()
    if bad in ("odd", "a list", "null") and not answer.error:
        return  # JSON of another shape may also be an answer without results
    assert answer.error.startswith(f"{engine.kind}: ")
    assert "; " in answer.error or ": " in answer.error.partition(": ")[2]
    assert answer.error.isprintable()
    assert len(answer.error) < 240


@pytest.mark.parametrize("engine", ["searxng", "opensearch"], indirect=True)
def test_a_time_out_is_kept(engine):
    engine.answer = lambda asked: Reply(trick="hang")
    answer = asked(engine.name, engine.query, timeout=0.3)
    assert "no answer within 0.3 s" in answer.error
    assert "seek.timeout" in answer.error


def test_nobody_is_there():
    for make, name, query in KINDS.values():
        with running(make()) as server:
            gone = server.url
        answer = asked(name.format(url=gone), query)
        assert f"nothing answers at {gone}" in answer.error


def test_an_answer_without_end_is_cut(engine):
    engine.answer = lambda asked: Reply(200, b'{"results": [', trick="endless")
    assert "larger than 8 MB" in asked(engine.name, engine.query).error


def test_a_packed_bomb_is_cut():
    bomb = Reply(200, b" " * 50_000_000, headers={"Content-Encoding": "gzip"})
    with running(lambda asked: bomb) as server:
        assert "larger than 8 MB" in asked(f"searxng={server.url}").error


def test_a_packed_answer_is_unpacked():
    speak = searxng()

    def answer(asked):
        reply = speak(asked)
        reply.headers["Content-Encoding"] = "gzip"
        return reply

    with running(answer) as server:
        assert len(asked(f"searxng={server.url}").results) == 10
        assert "gzip" in server.log[0].headers["accept-encoding"]


# ---- too many questions ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["searxng", "opensearch"])
def test_a_busy_engine_is_asked_again_after_the_rest_it_wants(kind):
    make, name, query = KINDS[kind]
    first = int(kind == "opensearch")  # the description comes first
    with running(make()) as server:
        server.planned = [None] * first + [Reply(429, headers={"Retry-After": "1"})]
        answer = asked(name.format(url=server.url), query, max_wait=3.0)
    assert len(answer.results) == 10
    assert server.log[first + 1].at - server.log[first].at > 0.95


@pytest.mark.parametrize("engine", ["brave", "commoncrawl"], indirect=True)
def test_a_busy_engine_that_names_no_time_is_given_some(engine):
    engine.answer = lambda asked: Reply(429)
    answer = asked(engine.name, engine.query, max_wait=1.0)
    assert "too many questions (429)" in answer.error
    assert "seek.delay" in answer.error
    assert len(engine.log) == 3
    assert all(later.at - earlier.at > 0.1 for earlier, later in pairwise(engine.log))


def test_a_long_rest_is_obeyed_by_not_asking(engine):
    engine.answer = lambda asked: Reply(429, headers={"Retry-After": "36000"})
    speaker = opened(engine.name)

    async def twice():
        one = await speaker.search(engine.query, 10)
        two = await speaker.search(engine.query, 10)
        await speaker.aclose()
        return one, two

    one, two = asyncio.run(twice())
    assert "rest of 10 h" in one.error
    assert "rest of" in two.error
    assert len(engine.log) == 1


def test_a_rest_may_be_named_as_a_date():
    later = formatdate(time.time() + 36_030, usegmt=True)
    with running(lambda asked: Reply(503, headers={"Retry-After": later})) as server:
        assert "it is busy (503): it wants a rest of 10 h" in asked(f"searxng={server.url}").error
    with running(lambda asked: Reply(429, headers={"Retry-After": "soon"})) as server:
        assert "too many questions" in asked(f"searxng={server.url}", max_wait=0.1).error


def test_brave_tells_which_window_is_used_up():
    busy = Reply(429, headers={"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 1419704"})
    with running(lambda asked: busy) as server:
        assert "rest of 394 h" in asked(f"brave={server.url}").error
    speak, soon = (
        brave(),
        Reply(429, headers={"X-RateLimit-Remaining": "0, 900", "X-RateLimit-Reset": "1, 1419704"}),
    )
    with running(speak) as server:
        server.planned = [soon]
        assert len(asked(f"brave={server.url}", max_wait=2.0).results) == 10


def test_what_came_before_a_fault_is_kept():
    speak = searxng()
    with running(lambda asked: speak(asked) if asked.query.get("pageno") == "1" else Reply(500)) as server:
        answer = asked(f"searxng={server.url}", count=50)
    assert len(answer.results) == 10
    assert "failed (500)" in answer.error


# ---- strange results ----------------------------------------------------------------------------------


def shown_by_searxng(urls):
    return lambda asked: Reply.of({"results": [{"url": url, "title": "t", "content": "c"} for url in urls]})


def test_the_same_addresses_again_end_the_paging():
    with running(shown_by_searxng([url for url, _, _ in known(7)])) as server:
        answer = asked(f"searxng={server.url}", count=50)
    assert len(answer.results) == 7
    assert len(server.log) == 2


def test_a_thousand_spam_results_do_not_crowd_out_others():
    spam = [f"http://shop{i}.buy-now.test/{i}" for i in range(1500)]
    honest = [url for url, _, _ in known(4)]
    with running(shown_by_searxng(spam[:990] + honest + spam[990:])) as server:
        answer = asked(f"searxng={server.url}", count=10)
        named = asked(f"searxng={server.url}", "site:buy-now.test", count=10)
    hosts = [result.url.split("/")[2] for result in answer.results]
    assert sum(host.endswith(".buy-now.test") for host in hosts) == 3
    assert set(honest) <= {result.url for result in answer.results}
    assert any("at most 3 of one site" in note for note in answer.notes)
    assert any("the first 1,000 were read" in note for note in answer.notes)
    assert len(named.results) == 10  # who asks for one site gets it


def test_only_web_addresses_in_one_spelling_are_kept():
    odd = ["ftp://a.test/x", "javascript:alert(1)", "mailto:a@b.test", "not an address", "", "http://",
           "HTTP://A.test:80/x?utm_source=y#top", "http://a.test/x", "http://" + "a" * 5000 + ".test/"]  # fmt: skip
    with running(shown_by_searxng(odd)) as server:
        answer = asked(f"searxng={server.url}")
    assert [result.url for result in answer.results] == ["http://a.test/x"]
    assert (
        "left out 14 that are not web addresses" in answer.notes
        or "left out 7 that are not web addresses" in answer.notes
    )


def test_titles_cannot_steer_a_terminal():
    said = {
        "results": [
            {"url": "http://a.test/", "title": "\x1b]0;owned\x07<b>T</b>\u202e" + "x" * 999, "content": None}
        ]
    }
    with running(lambda asked: Reply(200, json.dumps(said).encode())) as server:
        (result,) = asked(f"searxng={server.url}").results
    assert result.title.isprintable()
    assert "<b>" not in result.title
    assert len(result.title) <= 300
    assert result.snippet == ""
