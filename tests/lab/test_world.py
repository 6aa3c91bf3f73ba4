"""Worlds: what they answer, what they leave out and say so, and the shelves they stand on."""

import json
import multiprocessing
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from lab_kit import HTML, make_world, moved, page, proxy, small_web, topic_of

import clew
from clew.errors import ConfigError
from clew.lab import open_world, record, run_trial
from clew.lab.graph import distances
from clew.store import add_label
from clew.types import Label

WEB = small_web()
H0 = "http://h0.museum-web.org"


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    """A folder with a cache in it: the same web is parsed once for all tests."""
    made = tmp_path_factory.mktemp("worlds")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(made / "cache"))
        yield made


@pytest.fixture(scope="module")
def shared(home):
    """A world for the tests that only look."""
    return open_world(make_world(home / "small", WEB))


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A cache for a test that spoils it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def shelves(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "cache/clew/worlds").iterdir() if path.is_dir()]


def test_a_world_knows_its_pages_tasks_and_truth(shared):
    assert len(shared.pages) == len(WEB)
    assert shared.notes == []
    (task,) = shared.tasks
    assert (task.about, task.kind, task.truth.relevant) == ("lighthouse lamp", "topic", len(topic_of(WEB)))
    assert task.starts["seeds"] == (f"{H0}/", "http://h2.museum-web.org/")
    assert task.truth.grade(topic_of(WEB)[0]) == 1.0
    assert task.truth.grade(f"{H0}/") == 0.0


def test_rows_give_back_what_was_recorded(shared):
    for url, (status, _, body) in WEB.items():
        row = shared.pages.find(url)
        recorded = shared.recorded(row)
        assert (shared.pages.url(row), recorded.status, recorded.body) == (url, status, body)
    assert shared.pages.find(f"{H0}/not-there") == -1


def test_links_between_pages_are_known(shared):
    store = shared.page_store
    front = store.find(f"{H0}/")
    targets = store.ways[store.starts[front] : store.starts[front + 1]].tolist()
    assert [store.url(row) if row >= 0 else None for row in targets] == [
        f"{H0}/p0.html", f"{H0}/p1.html", f"{H0}/p2.html", "http://h1.museum-web.org/", None, f"{H0}/old",
    ]  # fmt: skip
    assert store.moved[store.find(f"{H0}/old")] == store.find(f"{H0}/new/")
    far = distances(store, np.array([front], np.int32))
    assert far[store.find(f"{H0}/p1.html")] == 1
    assert far[store.find(f"{H0}/new/")] == 1, "a redirect on the way costs nothing"
    assert far[store.find(f"{H0}/old")] == -1, "and is no page itself"
    assert far[store.find("http://h3.museum-web.org/p0.html")] == 4


def test_tasks_by_number_and_by_name(shared):
    assert shared.task(0) is shared.task("lighthouses") is shared.task("light") is shared.task("0")
    with pytest.raises(ConfigError, match='did you mean "lighthouses"'):
        shared.task("lighthuoses")
    with pytest.raises(ConfigError, match='no task "7"'):
        shared.task(7)


def test_unknown_worlds_get_suggestions(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match="there is no world"):
        open_world(tmp_path / "nothing")
    (tmp_path / "worlds/webkb").mkdir(parents=True)
    monkeypatch.setenv("CLEW_WORLDS", str(tmp_path / "worlds"))
    with pytest.raises(ConfigError, match='did you mean "webkb"'):
        open_world("wekb")
    with pytest.raises(ConfigError, match="holds no WARC file"):
        open_world("webkb")
    with pytest.raises(ConfigError, match="madeup:PAGES:SEED"):
        open_world("madeup:many")


def test_what_cannot_be_used_is_noted_and_the_rest_is_used(tmp_path):
    folder = make_world(tmp_path / "odd", WEB)
    with (folder / "labels.tsv").open("a") as labels:
        labels.write("http://elsewhere.museum-web.org/\tlight\nhttp://elsewhere.museum-web.org/b\tweb\n")
    tasks = json.loads((folder / "tasks.json").read_text())
    tasks["tasks"].append({"topic": "castles", "keywords": ["castle"], "positive_labels": ["castle"]})
    (folder / "tasks.json").write_text(json.dumps(tasks))
    packed = (folder / "pages.warc.gz").read_bytes()
    (folder / "pages.warc.gz").write_bytes(packed[:-40])
    world = open_world(folder)
    assert [task.name for task in world.tasks] == ["lighthouses"]
    damaged, strangers, castles = world.notes
    assert "1 damaged records were left out" in damaged
    assert f"{len(WEB) - 1:,} are used" in damaged
    assert "of " in strangers
    assert "labels name pages that are not in the archive; the others are used" in strangers
    assert "'castles' is left out" in castles
    assert len(run_trial(world, world.tasks[0], "breadth", pages=10)) == 10


def test_seeds_outside_the_archive_are_an_error_with_a_hint(tmp_path):
    world = open_world(make_world(tmp_path / "w", WEB, seeds=["http://nowhere.museum-web.org/"]))
    with pytest.raises(ConfigError, match="none of the 1 seeds"):
        run_trial(world, world.tasks[0], "breadth", pages=5)
    with pytest.raises(ConfigError, match='no start set "pool"'):
        run_trial(world, world.tasks[0], "breadth", pages=5, start="pool")


def test_rules_sites_and_records_define_relevant_pages(tmp_path):
    folder = make_world(tmp_path / "w", WEB)
    pages = [url for url in WEB if url.endswith(".html")]
    rows = [f"{url}\t{url.split('/')[2]}\thtml\t{n}" for n, url in enumerate(pages)]
    (folder / "labels.tsv").write_text("url\thost\tkind\thits\n" + "\n".join(rows) + "\n")
    (folder / "sites.tsv").write_text("host\tlabel\nh0.museum-web.org\t1\nh1.museum-web.org\t0\n")
    (folder / "records.tsv").write_text(f"page_url\tauthor\n{pages[0]}\tA\n{pages[0]}\tB\n{pages[4]}\tC\n")
    (folder / "urls.txt").write_text("\n".join(pages))
    tasks = [
        {
            "id": "many",
            "kind": "pages",
            "question": "pages with many hits",
            "truth": "labels.tsv, kind=html and hits > 40",
        },
        {"id": "lists", "question": "lists", "positives": "labels.tsv hits>=46"},
        {"id": "where", "kind": "sites", "question": "which sites", "truth": "sites.tsv, column label"},
        {"id": "rows", "examples": [{"author": "A", "title": "T", "pages": 3}]},
    ]
    (folder / "tasks.json").write_text(json.dumps({"tasks": tasks, "relation": ["author"]}))
    world = open_world(folder)
    assert world.notes == []
    assert [(task.kind, task.truth.relevant) for task in world.tasks] == [
        ("pages", len(pages) - 41), ("pages", len(pages) - 46), ("sites", 12), ("records", 2),
    ]  # fmt: skip
    assert world.task("where").sites == {"h0.museum-web.org": True, "h1.museum-web.org": False}
    assert world.task("rows").about == "A, T"
    assert len(world.task("rows").starts["pool"]) == len(pages)
    trace = run_trial(world, world.task("rows"), "breadth", pages=100, start="pool")
    assert trace.relevant.sum() == 2
    tasks[0]["truth"] = "labels.tsv, colour=red"
    (folder / "tasks.json").write_text(json.dumps({"tasks": tasks}))
    with pytest.raises(ConfigError, match="asks for a column colour"):
        open_world(folder)


def test_other_spellings_host_names_and_schemes_are_found(tmp_path):
    web = {
        "http://a.museum-web.org/": page(
            "A",
            "x",
            "/b(c).html",
            "http://www.a.museum-web.org/d.html",
            "d.html",
            "https://a.museum-web.org/e.html",
        ),
        "http://a.museum-web.org/b(c).html": page("B", "x"),
        "http://a.museum-web.org/d.html": page("D", "x", "f.html"),
        "http://a.museum-web.org/e.html": page("E", "x"),
        "http://a.museum-web.org/f.html": page("F", "x"),
    }
    folder = make_world(tmp_path / "w", web, seeds=["http://a.museum-web.org/"], positive_labels=["web"])
    (folder / "aliases.tsv").write_text("alias_host\thost\nwww.a.museum-web.org\ta.museum-web.org\n")
    world = open_world(folder)
    assert (
        world.pages.url(world.pages.find("http://a.museum-web.org/b%28c%29.html"))
        == "http://a.museum-web.org/b(c).html"
    )
    log: list[str] = []
    trace = clew.lab.run_on(world, world.tasks[0], "breadth", clew.lab.TrialSettings(pages=20), log)
    assert "https://a.museum-web.org/e.html" in log, "the other scheme is sent on"
    assert "http://www.a.museum-web.org/f.html" in log, "links are read as of the address that was asked for"
    assert trace.status.tolist() == [200] * len(trace)
    assert trace.relevant.sum() == len(web) == len(set(trace.rows.tolist())), "each page is found once"
    assert len(trace) == len(web) + 2, "d.html and f.html were read under two names"


@pytest.mark.usefixtures("own_cache")
def test_a_page_store_is_built_once(tmp_path):
    folder = make_world(tmp_path / "w", WEB)
    open_world(folder)
    (made,) = shelves(tmp_path)
    stamps = {path.name: path.stat().st_mtime_ns for path in made.iterdir()}
    copy = shutil.copytree(folder, tmp_path / "copy")
    open_world(copy)
    assert [path.name for path in shelves(tmp_path)] == [made.name]
    assert {path.name: path.stat().st_mtime_ns for path in made.iterdir()} == stamps
    (folder / "labels.tsv").write_text(f"{H0}/p0.html\tlight\n")
    assert open_world(folder).tasks[0].truth.relevant == 1, "labels are read anew each time"


@pytest.mark.usefixtures("own_cache")
def test_a_damaged_page_store_is_rebuilt(tmp_path):
    folder = make_world(tmp_path / "w", WEB)
    world = open_world(folder)
    whole = run_trial(world, world.tasks[0], "breadth", pages=30)
    for what in ("ways.npy", "spots.npy gone", "blobs.bin short", "blobs.bin"):
        (made,) = shelves(tmp_path)
        name, _, how = what.partition(" ")
        spoiled = bytearray((made / name).read_bytes())
        if how == "short":
            del spoiled[-10:]
        for offset in range(len(spoiled) - 5, 0, -400):
            spoiled[offset] ^= 0x01
        (made / name).unlink()
        if how != "gone":
            (made / name).write_bytes(spoiled)
        again = open_world(folder)
        assert run_trial(again, again.tasks[0], "breadth", pages=30).same(whole), what
        assert len(shelves(tmp_path)) == 1, what


def _open_and_count(folder, start):
    start.wait()
    world = open_world(folder)
    return len(run_trial(world, world.tasks[0], "breadth", pages=20))


def _child(folder, start, results):
    results.put(_open_and_count(folder, start))


@pytest.mark.usefixtures("own_cache")
def test_two_processes_at_once_build_one_page_store(tmp_path):
    folder = make_world(tmp_path / "w", WEB)
    context = multiprocessing.get_context("spawn")
    start, results = context.Event(), context.Queue()
    children = [context.Process(target=_child, args=(folder, start, results)) for _ in range(2)]
    for child in children:
        child.start()
    start.set()
    assert [results.get(timeout=60) for _ in children] == [20, 20]
    for child in children:
        child.join()
    assert len(shelves(tmp_path)) == 1


def test_a_bare_warc_file_is_a_world_without_tasks(tmp_path):
    folder = make_world(tmp_path / "w", WEB)
    world = open_world(folder / "pages.warc.gz")
    assert (world.name, len(world.pages), world.tasks) == ("pages", len(WEB), [])
    (tmp_path / "empty.warc").write_bytes(b"")
    with pytest.raises(ConfigError, match="no answer that can be replayed"):
        open_world(tmp_path / "empty.warc")


def test_a_crawl_is_a_world_and_can_be_recorded(tmp_path):
    good = f"{H0}/p3.html"
    with proxy(WEB) as (address, _):
        crawl = clew.Crawl(
            tmp_path / "crawl", about="lighthouse lamp", seeds=[f"{H0}/"], good=[good], contact="https://crawler.uni-x.org/bot",
            settings={"fetch.proxy": address, "fetch.delay": 0, "store.min_free": 0, "fetch.allow": ["127.0.0.0/8"]},
        )  # fmt: skip
        summary = crawl.run(pages=40)
    relevant = {row["url"] for row in crawl.pages if row["relevant"]}
    struck = min(relevant - {good})
    add_label(tmp_path / "crawl", Label(struck, relevant=False, at=time.time()))
    add_label(tmp_path / "crawl", Label(f"{H0}/", relevant=True, at=time.time()))
    world = open_world(tmp_path / "crawl")
    (task,) = world.tasks
    expected = (relevant - {struck, good}) | {f"{H0}/"}
    assert summary.pages == 40
    assert {url for url in WEB if task.truth.grade(url) == 1.0} == expected
    assert (task.kind, task.good, task.starts["seeds"]) == ("crawl", (good,), (f"{H0}/",))

    count = record(tmp_path / "crawl", tmp_path / "world")
    recorded = open_world(tmp_path / "world")
    assert (count, recorded.notes) == (len(recorded.pages), [])
    assert recorded.tasks[0].truth.grades == task.truth.grades
    assert run_trial(recorded, recorded.tasks[0], "best-first", pages=30).hashes.tolist() == (
        run_trial(world, task, "best-first", pages=30).hashes.tolist()
    )
    (archive,) = (tmp_path / "crawl/pages").glob("*.warc.gz")
    packed = bytearray(archive.read_bytes())
    packed[len(packed) // 2 :] = b"\0" * (len(packed) - len(packed) // 2)
    archive.write_bytes(packed)
    record(tmp_path / "crawl", tmp_path / "half")
    half = open_world(tmp_path / "half")
    assert "damaged records were left out" in half.notes[0]
    assert 10 < len(half.pages) < len(recorded.pages)
    with pytest.raises(ConfigError, match="is not empty"):
        record(tmp_path / "crawl", tmp_path / "world")
    with pytest.raises(ConfigError, match=r"holds no crawl\.db"):
        record(tmp_path / "world", tmp_path / "third")


def test_a_synthetic_web_is_a_world():
    world = open_world("madeup:2000:3")
    task = world.task("lighthouses")
    trace = run_trial(world, task, "best-first", pages=60, judge="labels")
    assert len(trace) == 60
    assert trace.relevant.sum() == sum(
        task.truth.grade(world.pages.url(row)) == 1.0 for row in trace.rows.tolist()
    )
    assert trace.facts["relevant_there"] > 0
    assert trace.same(run_trial(open_world("madeup:2000:3"), task, "best-first", pages=60, judge="labels"))


def test_https_pages_stay_https_unless_plain_is_set(tmp_path):
    web = {
        "https://s.museum-web.org/": page("S", "x", "https://s.museum-web.org/t.html"),
        "http://s.museum-web.org/": moved("https://s.museum-web.org/"),
        "https://s.museum-web.org/t.html": (200, HTML, b"<title>T</title>t"),
    }
    folder = make_world(tmp_path / "w", web, seeds=["https://s.museum-web.org/"], positive_labels=["web"])
    for plain, scheme in ((False, "https"), (True, "http")):
        world = open_world(folder, plain=plain)
        log: list[str] = []
        clew.lab.run_on(
            world, world.tasks[0], "breadth", clew.lab.TrialSettings(pages=9, dead_ends=True), log
        )
        assert log == [f"{scheme}://s.museum-web.org/{name}" for name in ("robots.txt", "", "t.html")]
