"""The goal `data`: judges, rows, the baseline ranker, and all of it from `clew new` to a catalogue of files."""

import asyncio
import csv
import subprocess
import sys
from dataclasses import replace
from ipaddress import ip_network

import numpy as np
import pytest

from clew import registry, store, urls
from clew.api import Crawl
from clew.config.judge_spec import JudgeSpec
from clew.domain.datafiles import look
from clew.errors import ConfigError
from clew.extract.data import DataFileExtractor
from clew.fetch.curl import CurlFetcher
from clew.insight.preflight.goal_choice import judge_of
from clew.judge.combine import AllOf
from clew.judge.data import DataJudge, FilesJudge
from clew.judge.schema import SchemaJudge
from clew.lab import synthetic
from clew.rank.baselines.ext_first import ExtFirst
from clew.rank.baselines.files_first import FilesFirst
from clew.testing import check_extractor, check_judge, check_ranker, sample_outcome, sample_page
from clew.types import Kind, Link, Links, Outcome, Page, Response, Verdict
from tests.datafiles.file_kit import BYTES, FIGURES, PEOPLE, as_csv, as_xlsx
from tests.small_web import CONTACT, serving

QUICK = ("--set", "fetch.delay=0", "--set", "fetch.allow=127.0.0.0/8", "--set", "store.min_free=0")
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def clew(*words):
    command = [sys.executable, "-m", "clew", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)


def links(*addresses, anchors=None, types=None):
    plain = Links.plain(list(addresses), Kind.PAGE)
    return replace(plain, anchors=anchors or plain.anchors, types=types or plain.types)


def file(url, body, mime="text/csv", **headers):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n" + "".join(
        f"{k.replace('_', '-')}: {v}\r\n" for k, v in headers.items()
    )
    link = Link(id=9, url=url, origin=urls.origin(url), anchor="Table 1")
    return Page(
        response=Response(link=link, started=0, ended=0, status=200, head=head.encode(), body=body), mime=mime
    )


@pytest.mark.parametrize(
    "name",
    ["data", "files:pdf", "files:xlsx+ods", "schema:Recipe", "all:data,words", "any:data,schema:Dataset"],
)
def test_judges_pass_the_entrance_examination(name):
    check_judge(registry.make("judge", name))


def test_extractor_and_ranker_pass_the_entrance_examination():
    check_extractor(registry.make("extractor", "data"))
    check_ranker(registry.make("ranker", "ext-first"))
    check_ranker(registry.make("ranker", "files-first"))


def test_a_page_is_wanted_for_its_links():
    page = sample_page(
        links=links("http://a.org/t.csv", "http://a.org/about", anchors=["Births 2020", "About"])
    )
    verdict = DataJudge().judge(page)
    assert verdict.value > 0.85
    assert verdict.why == ('0.90 csv by .csv: "Births 2020" http://a.org/t.csv',)
    assert DataJudge().judge(sample_page(links=links("http://a.org/about"))).value == 0
    typed = sample_page(links=links("http://a.org/item/1", types=["text/csv"]))
    assert DataJudge().judge(typed).value > 0.85
    many = sample_page(links=links(*(f"http://a.org/{i}.csv" for i in range(9))))
    assert DataJudge().judge(many).why[-1] == "9 links to files in all"


def test_a_file_is_wanted_for_its_cells():
    judge = DataJudge()
    assert judge.judge(file("http://a.org/t.csv", as_csv(FIGURES))).value > 0.8
    assert judge.judge(file("http://a.org/p.csv", as_csv(PEOPLE))).value < 0.2
    sheet = judge.judge(file("http://a.org/t.xlsx", as_xlsx(FIGURES), XLSX))
    assert sheet.value > 0.8
    assert "21 rows × 4 columns" in sheet.why[0]
    assert judge.judge(file("http://a.org/x.dta", BYTES["dta"], "application/octet-stream")).value > 0.9


def test_files_that_were_looked_at_count_for_the_links_to_them():
    judge = DataJudge()
    page = sample_page(links=links("http://a.org/1.csv"))
    before = judge.judge(page).value
    for number in range(2, 8):
        judge.judge(file(f"http://a.org/{number}.csv", as_csv(PEOPLE)))
    assert judge.judge(page).value < 0.5 < before
    elsewhere = sample_page(links=links("http://b.org/1.csv"))
    assert judge.judge(elsewhere).value == before
    judge.judge(file("http://a.org/1.csv", as_csv(FIGURES)))
    assert judge.judge(page).value > 0.8


def test_a_page_that_calls_itself_a_dataset():
    verdict = DataJudge().judge(replace(sample_page(), kinds=("WebPage", "Dataset")))
    assert (verdict.value, verdict.why) == (0.4, ("calls itself a Dataset",))


def test_what_is_shown_cannot_steer_the_terminal():
    page = sample_page(links=links("http://a.org/t.csv", anchors=["\x1b[31mred"]))
    assert "\x1b" not in " ".join(DataJudge().judge(page).why)
    assert "\x1b" not in " ".join(cell for row in DataFileExtractor().extract(page) for cell in row.values)


def test_files_of_a_kind():
    page = sample_page(links=links("http://a.org/a.pdf", "http://a.org/b.pdf", anchors=["Report", ""]))
    verdict = FilesJudge(of="pdf").judge(page)
    assert verdict.value > 0.9
    assert verdict.why[-1] == "2 links to such files"
    assert FilesJudge(of="xlsx").judge(page).value == 0
    assert FilesJudge(of="xlsx+pdf").judge(page).value > 0.9
    assert FilesJudge(of="pdf").judge(file("http://a.org/x", BYTES["pdf"], "application/pdf")).value > 0.9
    assert DataJudge().judge(page).value == 0
    with pytest.raises(ConfigError, match=r"known: .*pdf"):
        FilesJudge(of="pfd").prepare()


def test_types_of_schema():
    page = replace(sample_page(), kinds=("WebPage", "Recipe"))
    assert SchemaJudge(of="recipe").judge(page).value == 1
    assert SchemaJudge(of="Event").judge(page).why == (
        "no Event in its markup, which states WebPage, Recipe",
    )
    assert SchemaJudge(of="Event+Recipe").judge(page).why == ("its markup states Recipe",)
    with pytest.raises(ConfigError, match="schema:Recipe"):
        SchemaJudge().prepare()


def test_rows_of_files():
    extractor = DataFileExtractor()
    page = sample_page(links=links("http://a.org/t.csv", "http://a.org/a.html", anchors=["Births", ""]))
    (linked,) = extractor.extract(page)
    assert linked.columns == (
        "file",
        "kind",
        "state",
        "statistical",
        "bytes",
        "rows",
        "columns",
        "words",
        "found_on",
    )
    assert linked.values == ("http://a.org/t.csv", "csv", "linked", "0.90", "", "", "", "Births", page.url)
    assert extractor.extract(page) == (), "a file is listed once"
    (read,) = extractor.extract(
        file("http://a.org/t.csv", as_csv(FIGURES), Content_Range="bytes 0-99/123456")
    )
    assert read.values[:3] == ("http://a.org/t.csv", "csv", "read")
    assert read.values[4:] == ("123456", "21", "4", "Births", page.url)


def test_extension_first():
    found = links("http://a.org/a.html", "http://a.org/t.csv", "http://a.org/x", types=["", "", "text/csv"])
    assert ExtFirst().score(sample_outcome(), found).tolist() == [0.5, 1.0, 1.0]
    assert np.array_equal(
        sum(ExtFirst().parts(sample_outcome(), found).values()), ExtFirst().score(sample_outcome(), found)
    )


@pytest.mark.parametrize(
    ("judge", "rows"),
    [
        ("data", "data"),
        ("all:data,words", "data"),
        ("any:place:jp,data", "data"),
        ("files:pdf", "none"),
        ("auto", "none"),
        ("words", "none"),
    ],
)
def test_the_goal_brings_its_rows(judge, rows):
    assert JudgeSpec.parse(judge).extractor == rows


@pytest.mark.parametrize(
    ("goal", "about", "judge"),
    [
        ("data", "", "data"),
        ("data", "births", "all:data,words"),
        ("files=pdf", "", "files:pdf"),
        ("schema=Recipe", "tea", "all:schema:Recipe,words"),
        ("files", "", None),
        ("schema", "", None),
        ("data=csv", "", None),
        ("dada", "", None),
        ("files=pfd", "", None),
        ("nonsense", "", None),
    ],
)
def test_goals_on_the_command_line(goal, about, judge):
    if judge:
        assert judge_of(goal, about) == judge
    else:
        with pytest.raises(ConfigError) as caught:
            judge_of(goal, about)
        assert str(caught.value).startswith(f"--goal {goal}: ")
        assert any(
            word in str(caught.value)
            for word in ("did you mean", "there is", "files=csv", "known", "such as")
        )


def ranged(body, mime):
    """Answer like a server that knows about ranges."""

    def answer(request):
        asked = request.headers.get("Range", "")
        if not asked:
            return 200, {"Content-Type": mime}, body
        end = int(asked.removeprefix("bytes=0-"))
        part = body[: end + 1]
        return 206, {"Content-Type": mime, "Content-Range": f"bytes 0-{len(part) - 1}/{len(body)}"}, part

    return answer


def test_from_new_to_a_catalogue(tmp_path):
    long = as_csv(
        [["year", "births", "deaths"], *([str(1000 + i), str(7 * i), str(5 * i)] for i in range(40_000))]
    )
    with serving({
        "/": '<a href="/data">Data</a> <a href="/about">About us</a>',
        "/data": '<title>Data</title><a href="/t.csv">Births by region</a> <a href="/people.csv">Our staff</a> <a href="/long.csv">All years</a> <a href="/get?id=7">Sheet (XLSX, 9 kB)</a> <a href="/gone.csv">Gone</a>',
        "/about": '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization"}</script>Hello',
        "/t.csv": (200, {"Content-Type": "text/csv"}, as_csv(FIGURES)),
        "/people.csv": (200, {"Content-Type": "text/csv"}, as_csv(PEOPLE)),
        "/long.csv": ranged(long, "text/csv"),
        "/get?id=7": (200, {"Content-Type": XLSX, "Content-Disposition": "attachment; filename=b.xlsx"}, as_xlsx(FIGURES)),
    }) as web:  # fmt: skip
        crawl = tmp_path / "c"
        made = clew(
            "new",
            crawl,
            "--goal",
            "data",
            "--seed",
            f"{web.origin}/",
            "--contact",
            CONTACT,
            *QUICK,
            "--no-check",
            "--set",
            "rank.policy=ext-first",
        )
        assert made.returncode == 0, made.stderr
        assert 'judge = "data"' in (crawl / "clew.toml").read_text()
        run = clew("run", crawl, "--set", "goal.data_bytes=4096")
        assert run.returncode == 0, run.stderr
        assert {"/t.csv", "/people.csv", "/long.csv", "/gone.csv", "/get?id=7"} < set(web.asked)
    out = tmp_path / "files.csv"
    assert clew("export", crawl, out, "--records").returncode == 0
    with out.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    read = {row["file"].rpartition("/")[2]: row for row in rows if row["state"] == "read"}
    assert set(read) == {"t.csv", "people.csv", "long.csv", "get?id=7"}
    assert float(read["t.csv"]["statistical"]) > 0.8
    assert float(read["people.csv"]["statistical"]) < 0.2
    assert read["get?id=7"]["kind"] == "xlsx"
    assert read["long.csv"]["bytes"] == str(len(long))
    assert read["t.csv"]["words"] == "Births by region"
    assert read["t.csv"]["found_on"] == f"{web.origin}/data"
    assert sum(row["state"] == "linked" for row in rows) == 5
    ((status, size),) = store.read_sql(
        crawl, "SELECT status, bytes FROM pages JOIN links USING (id) WHERE url LIKE '%long.csv'"
    )
    assert (status, size) == (206, 4096)
    ((verdict,),) = store.read_sql(
        crawl, "SELECT verdict FROM pages JOIN links USING (id) WHERE url LIKE '%/data'"
    )
    assert verdict > 0.8


def fetched(web, path, **settings):
    async def fetch():
        fetcher = CurlFetcher(agent="clew-test", allow=(ip_network("127.0.0.0/8"),), **settings)
        try:
            url = f"{web.origin}{path}"
            return await fetcher.fetch(Link(id=1, url=url, origin=web.origin))
        finally:
            await fetcher.aclose()

    return asyncio.run(fetch())


LONG = as_csv([["year", "births"], *([str(i), str(7 * i)] for i in range(50_000))])


def test_only_the_beginning_of_a_data_file_is_asked_for():
    with serving({"/long.csv": ranged(LONG, "text/csv"), "/page": ranged(LONG, "text/html")}) as web:
        part = fetched(web, "/long.csv", data_bytes=65_536)
        assert (part.status, len(part.body), part.truncated) == (206, 65_536, False)
        assert b"Range: bytes=0-65535\r\n" in part.request
        assert fetched(web, "/page", data_bytes=65_536).body == LONG
        whole = fetched(web, "/long.csv")
        assert (whole.status, whole.body) == (200, LONG)
        assert b"Range" not in whole.request


def test_a_server_that_sends_all_the_same_is_cut_short():
    with serving({"/long.csv": (200, {"Content-Type": "text/csv"}, LONG)}) as web:
        part = fetched(web, "/long.csv", data_bytes=65_536)
    assert (part.status, len(part.body), part.truncated, part.error) == (200, 65_536, True, "")
    found = look(part.body, url=part.link.url, cut=True)
    assert found.statistical > 0.5


def test_one_fetcher_asks_for_pages_after_files():
    async def fetch(origin):
        fetcher = CurlFetcher(
            agent="clew-test", allow=(ip_network("127.0.0.0/8"),), data_bytes=100, concurrency=1
        )
        try:
            paths = ("/a.csv", "/page", "/b.csv", "/page")
            return [await fetcher.fetch(Link(id=1, url=f"{origin}{path}", origin=origin)) for path in paths]
        finally:
            await fetcher.aclose()

    with serving(
        {
            "/a.csv": ranged(LONG, "text/csv"),
            "/b.csv": ranged(LONG, "text/csv"),
            "/page": ranged(LONG, "text/html"),
        }
    ) as web:
        visits = asyncio.run(fetch(web.origin))
    assert [visit.status for visit in visits] == [206, 200, 206, 200]
    assert [len(visit.body) for visit in visits] == [100, len(LONG), 100, len(LONG)]


def crawled(folder, judge, seeds, pages=0, **settings):
    crawl = Crawl(
        folder,
        seeds=seeds,
        contact=CONTACT,
        settings={
            "goal.judge": judge,
            "fetch.delay": 0,
            "fetch.allow": ["127.0.0.0/8"],
            "store.min_free": 0,
            "parse.workers": 1,
            **settings,
        },
    )
    crawl.run(pages=pages)


def test_recipes_by_their_markup(tmp_path):
    recipe = '<title>Soup</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe"}</script>'
    with serving(
        {"/": '<a href="/soup">Soup</a> <a href="/about">About</a>', "/soup": recipe, "/about": "We cook."}
    ) as web:
        crawled(tmp_path / "c", "schema:Recipe", [f"{web.origin}/"])
    found = store.read_sql(tmp_path / "c", "SELECT url FROM pages JOIN links USING (id) WHERE relevant")
    assert [url for (url,) in found] == [f"{web.origin}/soup"]


def test_stored_pages_keep_their_verdicts_when_the_goal_changes(tmp_path):
    relevant = "SELECT url FROM pages JOIN links USING (id) WHERE relevant ORDER BY url"
    with serving(
        {"/": '<a href="/t.csv">Births</a>', "/t.csv": (200, {"Content-Type": "text/csv"}, as_csv(FIGURES))}
    ) as web:
        crawled(tmp_path / "c", "data", [f"{web.origin}/"])
        assert len(store.read_sql(tmp_path / "c", relevant)) == 2
        crawled(tmp_path / "c", "data", [f"{web.origin}/"], **{"goal.keep": 0.95})
    assert [url for (url,) in store.read_sql(tmp_path / "c", relevant)] == [f"{web.origin}/t.csv"]
    assert AllOf(of="words,data").needs_whole_page
    assert not AllOf(of="words").needs_whole_page


def test_on_the_made_up_web(tmp_path):
    web, crawl = synthetic.Web(1_000, seed=3), tmp_path / "c"
    with synthetic.serving(web) as proxy:
        crawled(
            crawl,
            "data",
            web.seeds("lighthouses", 5),
            200,
            **{"fetch.proxy": proxy, "rank.policy": "ext-first"},
        )
    rows = store.read_sql(crawl, "SELECT cells FROM records")
    assert len(rows) > 4
    assert all("/files/" in cells for (cells,) in rows)
    assert any('"read"' in cells for (cells,) in rows)
    verdicts = store.read_sql(
        crawl, "SELECT url FROM pages JOIN links USING (id) WHERE verdict > 0.5 AND url NOT LIKE '%/files/%'"
    )
    assert verdicts, "pages that link to files"


def test_files_first_learns_what_comes():
    ranker = FilesFirst()
    found = links("http://a.org/1.csv", "http://a.org/2.csv", "http://b.org/1.csv", "http://a.org/x/page")
    first = ranker.score(sample_outcome(), found)
    assert first[0] == first[2] == 1
    assert first[3] < 0.5
    gone = [f"http://a.org/gone{i}.csv" for i in range(12)]
    ranker.score(sample_outcome(), links(*gone))
    for url in gone:
        ranker.learn(Outcome(file(url, b""), Verdict(0.0)))
    names, scores = ranker.rerank()
    now = dict(zip(names.tolist(), scores.tolist(), strict=True))
    assert now[int(found.hashes[1])] < 0.2 < now[int(found.hashes[2])]
    assert ranker.rerank() is None, "nothing has happened since"


def test_files_first_goes_where_pages_led_to_files():
    ranker = FilesFirst()
    good, bad = ([f"http://a.org/{folder}/{i}" for i in range(8)] for folder in ("tables", "news"))
    ranker.score(sample_outcome(), links(*good, *bad))
    for at, url in enumerate(good[:5]):
        ranker.learn(Outcome(file(url, b"", "text/html"), Verdict(0.9)))
        ranker.score(Outcome(file(url, b"", "text/html"), Verdict(0.9)), links(f"http://a.org/f{at}.csv"))
    for url in bad[:5]:
        ranker.learn(Outcome(file(url, b"", "text/html"), Verdict(0.0)))
    names, scores = ranker.rerank()
    now = dict(zip(names.tolist(), scores.tolist(), strict=True))
    assert now[urls.fingerprint(good[6])] > now[urls.fingerprint(bad[6])]
