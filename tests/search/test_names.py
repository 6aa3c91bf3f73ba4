"""From names to engines: files, several engines at once, and what is said about wrong names."""

import asyncio

import pytest
from search_kit import asked, opened
from servers import Reply, commoncrawl, running, searxng

from clew.config.tables import SeekTable
from clew.contracts import SearchAnswer, SearchEngine, SearchQuery, SearchResult
from clew.errors import ConfigError
from clew.search import KINDS, merge_results, open_engines, query_engines
from clew.search.queries import parse_query

ADDRESSES = ["http://a.test/1", "http://b.test/2"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.txt", "# remark\nhttp://a.test/1\n\n  http://b.test/2  \nnot one\n"),
        ("list.txt", "\ufeffhttp://a.test/1\r\nhttp://b.test/2\r\n"),
        ("list.csv", "id,where,title\n1,http://a.test/1,One\n2,http://b.test/2,Two\n"),
        ("list.csv#where", "other,where\nhttp://x.test/,http://a.test/1\nhttp://y.test/,http://b.test/2\n"),
        ("list.tsv", "n\turl\n1\thttp://a.test/1\n2\thttp://b.test/2\n"),
        ("list.jsonl", '{"url": "http://a.test/1", "title": "One"}\n{"no": 1}\n{"url": "http://b.test/2"}\n'),
        ("list.jsonl#at", '{"at": "http://a.test/1"}\n{"at": "http://b.test/2"}\n'),
    ],
)
def test_a_file_of_addresses(tmp_path, name, text):
    (tmp_path / name.partition("#")[0]).write_text(text, "utf-8")
    answer = asked(f"file={name}", "anything", folder=tmp_path)
    assert [result.url for result in answer.results] == ADDRESSES
    assert isinstance(opened(f"file={name}", folder=tmp_path), SearchEngine)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gone.txt", None, "cannot be read"),
        ("list.txt", "", "contains no URLs"),
        ("list.txt", "nothing here\n", "contains no URLs"),
        ("list.csv#nix", "a,b\n1,http://a.test/\n", "no column nix; it has a, b"),
        ("list.jsonl", "oops\n", "line 1 is not JSON"),
    ],
)
def test_files_that_cannot_be_used(tmp_path, name, text, said):
    if text is not None:
        (tmp_path / name.partition("#")[0]).write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said):
        opened(f"file={name}", folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("goggle", "there are searxng, brave"),
        ("bravo", 'did you mean "brave"'),
        ("serxng=http://x", 'did you mean "searxng='),
        ("searxng", "needs to know where"),
        ("searxng=", "needs to know where"),
        ("searxng=ftp://x", "is not a URL"),
        ("searxng=http://a b", "is not a URL"),
        ("searxng=http://[::1", "is not a URL"),
        ("searxng=http://h:99999", "is not a URL"),
        ("searxng=http://me:secret@h", "CLEW_SEARXNG_LOGIN=user:password"),
        ("http://127.0.0.1:8888", 'say what answers there: "searxng=http://127.0.0.1:8888"'),
        ("opensearch=nix.xml", "cannot be read"),
        ("\x1b[31m", "there is no engine"),
        ("", "there is no engine"),
    ],
)
def test_wrong_names_are_answered(name, said, tmp_path):
    with pytest.raises(ConfigError) as error:
        opened(name, folder=tmp_path)
    assert said in str(error.value)
    assert "secret" not in str(error.value)
    assert str(error.value).isprintable()


def test_a_key_with_a_line_break_is_refused():
    with pytest.raises(ConfigError, match="copy it again"):
        opened("brave", environment={"CLEW_BRAVE_KEY": "a b"})


def test_a_login_comes_from_the_environment():
    with running(searxng()) as server:
        asked(f"searxng={server.url}", environment={"CLEW_SEARXNG_LOGIN": "me:secret"})
    assert server.log[0].headers["authorization"].startswith("Basic ")


def test_every_kind_opens_and_keeps_its_name(tmp_path):
    (tmp_path / "urls.txt").write_text("http://a.test/\n")
    where = {"searxng": "=http://h:1", "opensearch": "=http://h/o.xml", "file": "=urls.txt"}
    names = [kind + where.get(kind, "") for kind in KINDS if kind != "local"]
    keys = {f"CLEW_{kind.upper()}_KEY": "k" for kind in KINDS}
    engines = open_engines(SeekTable(search=names), tmp_path, environment=keys)
    assert [engine.name for engine in engines] == names
    for engine in engines:
        asyncio.run(engine.aclose())


# ---- several ------------------------------------------------------------------------------------------


def answer_of(*addresses):
    return SearchAnswer(
        results=tuple(SearchResult(url=url, rank=rank) for rank, url in enumerate(addresses, 1))
    )


def test_what_two_engines_name_stands_higher():
    both = merge_results(
        [answer_of("http://a/", "http://b/", "http://c/"), answer_of("http://c/", "http://d/")], 3
    )
    assert [(result.rank, result.url) for result in both.results] == [
        (1, "http://c/"),
        (2, "http://a/"),
        (3, "http://b/"),
    ]


def test_one_fault_is_a_note_and_only_faults_are_an_error():
    fault = SearchAnswer(error="x: broken; mend it")
    one = merge_results([fault, answer_of("http://a/")], 5)
    assert (one.error, one.notes) == ("", ("x: broken; mend it",))
    assert merge_results([fault, SearchAnswer()], 5).error == ""
    assert merge_results([fault, fault], 5).error.count("mend it") == 2


def test_engines_are_asked_in_order_and_merged():
    with (
        running(searxng()) as server,
        running(commoncrawl()) as index,
        running(lambda a: Reply(500)) as broken,
    ):
        engines = [
            opened(name)
            for name in (f"commoncrawl={index.url}", f"searxng={server.url}", f"searxng={broken.url}")
        ]

        async def go():
            try:
                return await query_engines(engines, "lighthouse", 10)
            finally:
                for engine in engines:
                    await engine.aclose()

        answer = asyncio.run(go())
    assert len(answer.results) == 10
    assert answer.error == ""
    assert len(answer.notes) == 2


# ---- questions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("wind AND sea bed", SearchQuery(text="wind", also=("sea bed",))),
        ("wind and sea", SearchQuery(text="wind and sea")),
        ("SITE:Example.org wind", SearchQuery(text="wind", site="example.org")),
        ('say "cheese', SearchQuery(text="say cheese")),
        ('"fog signal" x', SearchQuery(text='"fog signal" x')),
        (SearchQuery(text="a\x07b", also=('"c"', " \x00")), SearchQuery(text="a b", also=("c",))),
    ],
)
def test_questions_are_taken_apart(said, query):
    assert parse_query(said)[0] == query


def test_a_question_writes_itself():
    assert (
        str(SearchQuery(text="wind", also=("sea bed", "sand"), site="x.org"))
        == 'wind AND "sea bed" AND sand site:x.org'
    )


@pytest.mark.parametrize("said", ["x" * 5000, "word " * 900, '"' + "quoted " * 200 + '"', "灯" * 900])
def test_long_questions_are_cut(said):
    query, notes = parse_query(said)
    assert 300 <= len(query.text) <= 400 or len(query.text.split()) == 49
    assert query.text.count('"') % 2 == 0
    assert len(notes) == 1


def test_a_long_question_stays_within_the_limits_with_all_its_parts():
    query, notes = parse_query(
        SearchQuery(text="x" * 900, also=("sea bed " * 99, "y" * 500), site="example.org")
    )
    assert 250 < len(str(query)) <= 400
    assert len(str(query).split()) <= 50
    assert notes
