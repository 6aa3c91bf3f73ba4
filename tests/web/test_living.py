"""What is new, the teacher and shards, on the pages and in the REST interface."""

import json
import sqlite3
from xml.etree import ElementTree as ET

import pytest

from clew.scale.coordinator_file import coordinator_of, settle_place
from clew.store import read_sql
from clew.store.crawl_stats import count_pages
from tests.teacher.teacher_server import reply, teaching
from tests.web.kit import ESCAPED, XSS, add_teacher, copy_of, divided, make_client, refresh_changed

API, BASE = "/api/v1/crawls/light", "/crawls/light"


@pytest.fixture
def refreshed(finished, tmp_path):
    """A client of a crawl whose web has changed since, and which was refreshed."""
    folder = copy_of(finished[0], tmp_path)
    refresh_changed(folder, finished[1])
    return make_client(tmp_path), folder


def kinds(answer):
    return {page["change"] for page in answer["pages"]}


def test_new_changed_and_gone_pages_are_listed_with_what_has_changed(refreshed):
    client, _ = refreshed
    answer = client.get(f"{API}/changes").json()
    assert kinds(answer) == {"new", "changed", "gone"}
    assert answer["counts"] == {"new": 1, "changed": 1, "gone": 1}
    changed = next(page for page in answer["pages"] if page["change"] == "changed")
    added = " ".join(text for passage in changed["passages"] for text, became in passage if became == "added")
    assert "painted green" in added
    only = client.get(f"{API}/changes?change=gone").json()
    assert kinds(only) == {"gone"}
    assert only["total"] == 1
    assert client.get(f"{API}/changes?since=2100-01-01").json()["total"] == 0
    assert client.get(f"{API}/changes?since=60d").json()["counts"]["new"] > 10  # all that was read since


def test_a_wrong_date_is_answered_with_a_sentence(refreshed):
    client, _ = refreshed
    answer = client.get(f"{API}/changes?since=yesterday")
    assert answer.status_code == 400
    assert "is no date" in answer.json()["error"]
    assert "is no date" in client.get(f"{BASE}/changes?since=yesterday").text


def test_the_page_shows_changes_and_no_markup_of_theirs(refreshed):
    client, _ = refreshed
    text = client.get(f"{BASE}/changes").text
    assert "<ins>" in text
    assert "painted green" in text
    assert ESCAPED in text
    assert "<script>window" not in text
    assert f'href="{API}/changes/feed?' in text


def test_feeds_are_feeds(refreshed):
    client, _ = refreshed
    atom = client.get(f"{API}/changes/feed")
    assert atom.headers["content-type"].startswith("application/atom+xml")
    assert len(ET.fromstring(atom.text).findall("{http://www.w3.org/2005/Atom}entry")) == 3
    feed = client.get(f"{API}/changes/feed?format=json").json()
    assert len(feed["items"]) == 3


def test_a_crawl_that_was_never_refreshed_says_what_a_refresh_does(client):
    text = client.get(f"{BASE}/changes?since=2100-01-01").text
    assert "Nothing new" in text
    assert "Refresh now" in text


def test_a_refresh_is_started_from_the_page(finished, tmp_path):
    folder = copy_of(finished[0], tmp_path)
    client = make_client(tmp_path)
    answer = client.post(f"{API}/refresh", json={"pages": 3})
    assert answer.status_code == 200, answer.text
    child = client.server.processes._children[folder]
    assert child.wait(timeout=120) == 0
    assert read_sql(folder, "SELECT pages FROM rounds WHERE ended_at NOT NULL") == [(3,)]


@pytest.fixture
def taught(own):
    """A client of a crawl in which a teacher has labelled three pages, and a person one of them."""
    client, folder = own
    return client, folder, add_teacher(folder)


def labels(folder):
    return dict(read_sql(folder, "SELECT url, good FROM labels ORDER BY at"))


def test_the_page_says_what_the_teacher_said_and_what_it_cost(taught):
    client, _, urls = taught
    teacher = client.get(f"{API}/teacher").json()["teacher"]
    assert teacher["counts"] == {"yes": 2, "no": 1, "unsure": 0, "held": 3}
    assert teacher["spent"]["tokens"] == 300
    by_url = {each["url"]: each for each in teacher["answers"]}
    assert by_url[urls[0]]["person"] == "yes"
    assert not by_url[urls[0]]["holds"]
    assert by_url[urls[1]]["holds"]
    assert by_url[urls[1]]["reason"] == f"because {XSS}"
    text = client.get(f"{BASE}/teach").text
    assert "3 of 40 labels" in text
    assert "you said yes" in text
    assert ESCAPED in text
    assert "<script>window" not in text


def test_one_label_of_the_teacher_or_all_are_taken_back(taught):
    client, folder, urls = taught
    assert client.post(f"{API}/teacher/undo", json={"urls": [urls[1]]}).json()["removed"] == 1
    assert urls[1] not in labels(folder)
    assert urls[2] in labels(folder)
    assert client.post(f"{API}/teacher/undo", json={}).json()["removed"] >= 1
    assert labels(folder) == {urls[0]: 1}  # the person's


def test_a_crawl_without_a_teacher_has_none(client):
    assert client.get(f"{API}/teacher").json() == {"teacher": None}
    assert "The teacher" not in client.get(f"{BASE}/teach").text


def test_a_teacher_proposes_and_a_person_decides(own):
    client, folder = own
    refused = client.post(f"{API}/teacher/propose", json={})
    assert (refused.status_code, "no teacher" in refused.json()["error"]) == (400, True)
    path = folder / "clew.toml"
    said = json.dumps({"add": ["fresnel", "lens"], "strike": [], "examples": [], "criteria": ["It tells."]})
    with teaching(lambda *_: reply(said)) as server:
        path.write_text(f'{path.read_text()}\n[teach]\nurl = "{server.url}"\nmodel = "small"\n')
        proposed = client.post(f"{API}/teacher/propose", json={}).json()["proposals"]
    assert [each["kind"] for each in proposed] == ["add", "add", "criterion"]
    page = client.get(f"{BASE}/teach").text
    assert "Add the word fresnel" in page
    assert "Ask for proposals" in page
    first, second, third = (each["id"] for each in proposed)
    answer = client.post(f"{API}/teacher/decide", json={"accept": [first, third], "reject": [second]})
    assert answer.json()["message"] == "2 accepted, 1 rejected"
    terms = client.get(f"{API}/terms").json()["terms"]
    assert [each["term"] for each in terms if each["term"] in ("fresnel", "lens")] == ["fresnel"]
    assert "It tells." in path.read_text()
    again = client.post(f"{API}/teacher/decide", json={"accept": [first]})
    assert (again.status_code, "no open proposal" in again.json()["error"]) == (400, True)


@pytest.fixture
def in_shards(finished, tmp_path):
    folder = divided(finished[0], tmp_path / "light")
    for path in folder.glob("shards/*/clew.toml"):
        path.unlink()  # a shard has the settings of its crawl
    coordinator = settle_place(folder, "", 2).open(folder)
    coordinator.join("light", 2)
    coordinator.close()
    return folder


def test_shards_have_a_row_each_and_the_overview_adds_them_up(finished, in_shards):
    client = make_client(in_shards.parent)
    rows = client.get(f"{API}/shards").json()["shards"]
    pages = count_pages(finished[0]).pages
    assert [row["shard"] for row in rows] == [0, 1]
    assert {row["pages"] for row in rows} == {pages}
    overview = client.get(BASE).text
    assert "divided between 2 processes" in overview
    live = client.get(API).json()["live"]
    assert live["pages"] == 2 * pages
    assert live["curve"][-1] == [2 * pages, live["relevant"]]
    assert sum(live["verdicts"]) == 2 * pages
    assert len(live["best"]) == 2
    assert {host["shard"] for host in live["best"]} == {"0", "1"}
    assert 'href="/crawls/light%3A1/pages?host=' in overview


def test_pages_of_a_divided_crawl_show_its_first_shard_and_lead_to_the_others(finished, in_shards):
    client = make_client(in_shards.parent)
    for page in ("pages?sort=oldest", "teach", "changes", "links", "table", "map", "sites", "searches"):
        answer = client.get(f"{BASE}/{page}")
        assert (answer.status_code, answer.headers["Location"]) == (307, f"/crawls/light%3A0/{page}")
        shown = client.get(answer.headers["Location"]).text
        assert "divided between 2 shards" in shown
        assert f'href="/crawls/light%3A1/{page}"' in shown
        assert client.get(f"{BASE}:1/{page}").status_code == 200
    assert client.get(f"{API}:1/pages").json()["total"] == count_pages(finished[0]).pages
    assert client.get(f"{API}:2/pages").status_code == 404
    assert client.get(f"{API}:..%2f0/pages").status_code == 404


def test_why_is_shown_by_the_shard_that_knows_the_url(in_shards):
    client = make_client(in_shards.parent)
    with sqlite3.connect(in_shards / "shards/0/crawl.db") as db:
        db.execute("UPDATE links SET url = replace(url, '/soup', '/broth')")
    assert client.get(f"{BASE}/why?url=broth").headers["Location"] == "/crawls/light%3A0/why?url=broth"
    answer = client.get(f"{BASE}/why?url=soup")
    assert answer.headers["Location"] == "/crawls/light%3A1/why?url=soup"
    assert "Onion soup" in client.get(answer.headers["Location"]).text


def test_the_export_of_a_divided_crawl_has_the_pages_of_all_shards(finished, in_shards):
    client = make_client(in_shards.parent)
    query = {"format": "jsonl", "only": "relevant", "fields": "url"}
    assert client.get(f"{API}/export/preview", params=query).json()["rows"]
    ((relevant,),) = read_sql(finished[0], "SELECT count(*) FROM pages WHERE relevant")
    assert len(client.get(f"{API}/export", params=query).text.splitlines()) == 2 * relevant
    graph = client.get(f"{API}/export", params={"format": "gexf"})
    assert (graph.status_code, "the link graph" in graph.json()["error"]) == (400, True)


def test_labels_and_rules_of_a_shard_are_those_of_the_crawl(in_shards):
    client = make_client(in_shards.parent)
    url = client.get(f"{API}:1/pages").json()["pages"][0]["url"]
    answer = client.post(f"{API}:1/labels", json={"labels": [{"url": url, "good": True}]})
    assert answer.status_code == 200, answer.text
    assert client.post(f"{API}:1/rules", json={"pattern": "*/soup*", "verb": "exclude"}).status_code == 200
    coordinator = coordinator_of(in_shards)
    assert [(label.url, label.relevant) for label in coordinator.labels(0)] == [(url, True)]
    assert [(rule.host, rule.verb) for rule in coordinator.rules(0)] == [("*/soup*", "exclude")]
    coordinator.close()


@pytest.mark.parametrize("what", ["start", "stop", "pause", "resume", "apply", "refresh"])
def test_a_shard_is_not_run_by_itself(in_shards, what):
    client = make_client(in_shards.parent)
    answer = client.post(f"{API}:1/{what}", json={})
    assert answer.status_code == 400
    assert "this is for the whole crawl, light" in answer.json()["error"]


def test_a_crawl_that_is_not_divided_says_nothing_of_shards(client):
    assert client.get(f"{API}/shards").json() == {"shards": []}
    assert "divided" not in client.get(BASE).text


def test_the_overview_of_shards_lists_their_last_pages_with_links_into_them(in_shards):
    client = make_client(in_shards.parent)
    newest = client.get(API).json()["newest"]
    assert {row["crawl"] for row in newest} == {"light:0", "light:1"}
    assert "/crawls/light%3A1/why?id=" in client.get(BASE).text
