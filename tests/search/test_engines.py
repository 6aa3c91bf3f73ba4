"""Every engine in its own protocol, against a server that speaks it."""

import asyncio
import time
from itertools import pairwise

import pytest
from search_kit import KEYS, asked, opened
from servers import (
    KEY,
    Reply,
    brave,
    commoncrawl,
    kagi,
    known,
    marginalia,
    mojeek,
    opensearch,
    running,
    searxng,
)

from clew.contracts import SearchEngine, SearchQuery
from clew.errors import ConfigError

ENGINES = {
    "searxng": (searxng, "searxng={url}"),
    "brave": (brave, "brave={url}"),
    "mojeek": (mojeek, "mojeek={url}"),
    "kagi": (kagi, "kagi={url}"),
    "marginalia": (marginalia, "marginalia={url}"),
    "opensearch": (opensearch, "opensearch={url}/opensearch.xml"),
}
WORDS = {"searxng": "q", "brave": "q", "mojeek": "q", "kagi": "q", "marginalia": "query", "opensearch": "q"}


@pytest.fixture(params=ENGINES)
def engine(request):
    make, name = ENGINES[request.param]
    with running(make()) as server:
        server.kind, server.name = request.param, name.format(url=server.url)
        server.words = lambda: [
            a.query[WORDS[request.param]] for a in server.log if WORDS[request.param] in a.query
        ]
        yield server


def test_results_come_in_order_with_titles_and_ranks(engine):
    answer = asked(engine.name, count=10)
    assert answer.error == ""
    assert [result.url for result in answer.results] == [url for url, _, _ in known(10)]
    assert [result.rank for result in answer.results] == list(range(1, 11))
    assert answer.results[3].title == "Title 3"
    assert answer.results[3].snippet.startswith("Words about 3")
    assert isinstance(opened(engine.name), SearchEngine)


def test_pages_are_turned_until_there_is_enough(engine):
    answer = asked(engine.name, count=33)
    assert len(answer.results) == 33
    assert len({result.url for result in answer.results}) == 33


def test_paging_ends_where_the_results_end():
    for kind in ("searxng", "mojeek", "marginalia", "opensearch"):
        make, name = ENGINES[kind]
        with running(make(count=25)) as server:
            answer = asked(name.format(url=server.url), count=100)
            assert len(answer.results) == 25, kind
            assert answer.error == "", kind
            assert len(server.log) <= 6, kind


def test_brave_is_never_asked_for_more_than_it_allows():
    with running(brave(count=1000)) as server:
        answer = asked(f"brave={server.url}", count=300)
    assert len(answer.results) == 200  # ten pages of twenty
    assert answer.error == ""
    assert [a.query["offset"] for a in server.log] == [str(i) for i in range(10)]


def test_a_topic_and_a_word_reach_the_engine_in_its_own_syntax(engine):
    asked(engine.name, SearchQuery(text="wind farm", also=("sea bed",), site="example.org"))
    words = engine.words()[0]
    format_query = " AND " if engine.kind in ("brave", "kagi") else " "
    assert words.startswith(f'wind farm{format_query}"sea bed"')
    assert ("site:example.org" in words) == (engine.kind != "mojeek")
    if engine.kind == "mojeek":
        assert engine.log[0].query["site"] == "example.org"


@pytest.mark.parametrize(
    "query",
    [
        'say "cheese',
        "😀🗼",
        "a\x00b\nc\x1b[31m",
        "x" * 1000,
        "灯台 " * 500,
        "'; DROP TABLE pages; --",
        "100% & more = ?#",
    ],
)
def test_any_keyword_is_safe(engine, query):
    answer = asked(engine.name, query)
    assert answer.error == ""
    assert len(answer.results) == 10
    words = engine.words()[0]
    assert words.isprintable()
    assert len(words) <= 400
    assert words.count('"') % 2 == 0
    if len(query) > 400:
        assert "long" in answer.notes[0]


def test_nothing_is_asked_for_an_empty_question(engine):
    answer = asked(engine.name, " \x00 ")
    assert "give at least a word" in answer.error
    assert engine.log == []


def test_the_language_is_told():
    for kind, parameter, code in (
        ("searxng", "language", "ja"),
        ("brave", "search_lang", "jp"),
        ("mojeek", "lb", "JA"),
    ):
        make, name = ENGINES[kind]
        with running(make()) as server:
            asked(name.format(url=server.url), lang="ja")
            assert server.log[0].query[parameter] == code


def test_there_is_a_pause_between_two_questions():
    with running(searxng()) as server:
        asked(f"searxng={server.url}", count=30, delay=0.15)
    times = [a.at for a in server.log]
    assert len(times) == 3
    assert min(b - a for a, b in pairwise(times)) > 0.14


def test_kagi_speaks_its_newer_version_too():
    def answer(asked):
        return Reply.of(
            {"meta": {}, "data": {"search": [{"url": "http://a.test/", "title": "A", "snippet": "s"}]}}
        )

    with running(answer) as server:
        assert [r.url for r in asked(f"kagi={server.url}").results] == ["http://a.test/"]


# ---- what is not answered ---------------------------------------------------------------------------


def test_a_key_that_is_missing_or_wrong():
    for kind in ("brave", "mojeek", "kagi"):
        with pytest.raises(ConfigError, match=f"no key for {kind}: set CLEW_{kind.upper()}_KEY"):
            opened(kind, environment={})
    assert opened("marginalia", environment={}).dialect.key == "public"
    for kind in ("brave", "mojeek", "kagi", "marginalia"):
        make, name = ENGINES[kind]
        wrong = {f"CLEW_{kind.upper()}_KEY": "wr0ng"}
        with running(make()) as server:
            answer = asked(name.format(url=server.url), environment=wrong)
            assert answer.results == ()
            assert f"CLEW_{kind.upper()}_KEY" in answer.error, answer.error
            assert len(server.log) == 1


def test_a_key_is_never_shown():
    with running(lambda asked: Reply.of({"error": f"bad key {KEY}"}, 401)) as server:
        for kind in ("brave", "mojeek", "kagi", "marginalia"):
            answer = asked(f"{kind}={server.url}")
            assert answer.error
            assert KEY not in answer.error + repr(answer.notes)
            engine = opened(
                f"{kind}={server.url}", environment=KEYS | {f"CLEW_{kind.upper()}_LOGIN": "me:pass"}
            )
            assert KEY not in engine.name + repr(engine)
            assert "pass" not in repr(engine)


def test_a_key_does_not_travel_to_another_host():
    with (
        running(brave()) as thief,
        running(
            lambda a: Reply(302, headers={"Location": f"http://localhost:{thief.server_port}/"})
        ) as server,
    ):
        answer = asked(f"brave={server.url}")
    assert "moved to http://localhost" in answer.error
    assert thief.log == []


def test_a_redirect_within_the_host_is_followed():
    speak = searxng()

    def answer(asked):
        if asked.path == "/search":
            return Reply(301, headers={"Location": f"/moved/search?q={asked.query['q']}&format=json"})
        asked.path = "/search"
        return speak(asked)

    with running(answer) as server:
        assert len(asked(f"searxng={server.url}", count=10).results) == 10
    with running(lambda a: Reply(302, headers={"Location": "/search"})) as server:
        assert "redirects" in asked(f"searxng={server.url}").error


def test_kagi_without_money():
    said = {"data": None, "error": [{"code": 101, "msg": "Insufficient credit", "ref": None}]}
    with running(lambda asked: Reply.of(said, 400)) as server:
        answer = asked(f"kagi={server.url}")
    assert "Insufficient credit" in answer.error
    assert "add funds" in answer.error


def test_mojeek_at_its_daily_limit():
    with running(lambda asked: Reply.of({"response": {"status": "ERROR: Daily Limit Reached"}})) as server:
        answer = asked(f"mojeek={server.url}")
    assert "Daily Limit Reached" in answer.error
    assert "another engine" in answer.error


def test_a_searxng_that_does_not_speak_json():
    for reply in (Reply(403, b"<html>403", "text/html"), Reply(200, b"<!doctype html><html>", "text/html")):
        with running(lambda asked, reply=reply: reply) as server:
            answer = asked(f"searxng={server.url}")
        assert "search.formats in its settings.yml" in answer.error
    silent = {"results": [], "unresponsive_engines": [["google", "access denied"], ["bing", "timeout"]]}
    with running(lambda asked: Reply.of(silent)) as server:
        assert "google (access denied)" in asked(f"searxng={server.url}").error


# ---- Common Crawl ------------------------------------------------------------------------------------


def test_common_crawl_lists_addresses_of_a_site():
    with running(commoncrawl()) as server:
        answer = asked(f"commoncrawl={server.url}", "site:host.test", count=30)
        assert [result.url for result in answer.results] == [f"http://host.test/page/{i}" for i in range(30)]
        assert server.log[0].path == "/collinfo.json"
        assert server.log[1].query["url"] == "*.host.test"
        everything = asked(
            f"commoncrawl={server.url}/CC-MAIN-2026-40-index", "http://host.test/page/", count=500
        )
    assert server.log[-1].query["url"] == "host.test/page/*"
    assert len(everything.results) == 45
    assert everything.error == ""
    assert everything.notes == ()


def test_common_crawl_knows_no_words_and_says_so():
    with running(commoncrawl()) as server:
        for words in ("lighthouse", "wind farm", SearchQuery(text="host.test", also=("wind",))):
            answer = asked(f"commoncrawl={server.url}", words)
            assert "knows addresses, not words" in answer.error
            assert "site:example.org" in answer.error
    assert server.log == []


def test_common_crawl_without_captures():
    with running(commoncrawl()) as server:
        answer = asked(f"commoncrawl={server.url}", "site:nothing.test")
        assert (answer.results, answer.error) == ((), "")
        assert "404" in asked(f"commoncrawl={server.url}/CC-MAIN-1999-01-index", "site:host.test").error


# ---- OpenSearch ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["rss", "atom", "json"])
def test_a_described_search_is_read(kind):
    with running(opensearch(kind=kind)) as server:
        answer = asked(f"opensearch={server.url}/opensearch.xml", "two words & more", count=25)
    assert len(answer.results) == 25
    assert answer.results[24].url == known(25)[24][0]
    assert answer.error == ""
    assert server.log[1].query["q"] == "two words & more"
    assert [a.query["start"] for a in server.log[1:]] == ["0", "10", "20"]
    assert answer.total == (45 if kind == "rss" else None)


def test_a_search_that_cannot_be_paged_is_asked_once():
    with running(opensearch(paged=False)) as server:
        answer = asked(f"opensearch={server.url}/opensearch.xml", count=25)
    assert len(answer.results) == 10
    assert len(server.log) == 2


BOMB = (
    b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><OpenSearchDescription>&b;</OpenSearchDescription>'
)
NS = 'xmlns="http://a9.com/-/spec/opensearch/1.1/"'


@pytest.mark.parametrize(
    ("description", "said"),
    [
        (b"<html><body>no", "cannot be read as XML"),
        (BOMB, "a DTD"),
        (b"<rss/>", "no OpenSearch description"),
        (f'<OpenSearchDescription {NS}><Url type="text/html" template="http://127.0.0.1/?q={{searchTerms}}"/></OpenSearchDescription>'.encode(), "text/html only"),
        (f'<OpenSearchDescription {NS}><Url type="application/rss+xml" template="http://elsewhere.org/?q={{searchTerms}}"/></OpenSearchDescription>'.encode(), "elsewhere"),
        (f'<OpenSearchDescription {NS}><Url type="application/rss+xml" template="http://127.0.0.1/?q={{searchTerms}}&amp;k={{apiKey}}"/></OpenSearchDescription>'.encode(), "{apiKey}"),
        (f'<OpenSearchDescription {NS}><Url type="application/rss+xml" template="file:///etc/{{searchTerms}}"/></OpenSearchDescription>'.encode(), "no address only"),
        (b"", "cannot be read as XML"),
    ],
)  # fmt: skip
def test_descriptions_that_cannot_be_used(description, said, tmp_path):
    with running(lambda asked: Reply(200, description, "text/xml")) as server:
        answer = asked(f"opensearch={server.url}/opensearch.xml")
        assert said in answer.error
        assert len(server.log) == 1
    if said != "elsewhere":
        (tmp_path / "os.xml").write_bytes(description)
        with pytest.raises(ConfigError):
            opened("opensearch=os.xml", folder=tmp_path)


def test_a_description_in_a_file(tmp_path):
    with running(opensearch()) as server:
        text = server.answer(
            type("A", (), {"path": "/opensearch.xml", "headers": {"host": server.url[7:]}})()
        ).body
        (tmp_path / "os.xml").write_bytes(text)
        assert len(asked("opensearch=os.xml", folder=tmp_path, count=5).results) == 5


# ---- life --------------------------------------------------------------------------------------------


def test_a_search_can_be_given_up():
    async def give_up(engine):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(engine.search("light", 10), 0.2)
        await engine.aclose()

    with running(lambda asked: Reply(trick="hang")) as server:
        started = time.monotonic()
        asyncio.run(give_up(opened(f"searxng={server.url}", timeout=100.0)))
        assert time.monotonic() - started < 50


def test_seek_proxy_is_used_and_a_dead_one_named():
    with running(searxng()) as proxy:
        answer = asked("searxng=http://engine.test", proxy=proxy.url)
        assert len(answer.results) == 10
        assert proxy.log[0].headers["host"] == "engine.test"
    assert "the proxy" in asked("searxng=http://engine.test", proxy=proxy.url).error


def test_the_proxy_of_the_environment_is_not_for_engines(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with running(searxng()) as server:
        assert len(asked(f"searxng={server.url}").results) == 10
