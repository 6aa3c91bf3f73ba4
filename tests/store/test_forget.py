"""Delete means delete: nothing of a forgotten site is on the disk, everything else is as it was."""

import asyncio
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from store_kit import rows, some_found, some_link, some_step, sound, strict_records

from clew.errors import ConfigError, FolderBusy, StoreError
from clew.store import add_label, add_rule, export
from clew.store.folder import free_space
from clew.store.forget import LEARNED, open_eraser, parse_host
from clew.store.sqlite import SqliteStore
from clew.store.warc import member, read_member, read_record
from clew.types import Kind, Label, Record, Rule, State, Verdict

HERE = Path(__file__).parent
SECRET = b"zanzi"
"""Every word that only the forgotten site used begins like this: zanzibody, zanzititle, zanziroom …"""


def forget(folder: Path, host: str = "news.test"):
    with open_eraser(folder, host) as eraser:
        share = eraser.measure()
        eraser.erase(share)
    return share


def secret_step(link, **more):
    return some_step(
        link,
        visit={"body": b"<p>zanzibody</p>" + os.urandom(3_000), "request": b"GET /zanziask HTTP/1.1\r\n\r\n"},
        page={"title": "zanzititle", "text": "zanzitext " * 400, "margin": "zanzimargin"},
        verdict=Verdict(0.9, ("zanziwhy +0.5",)),
        records=(Record(("zanzicolumn",), ("zanzicell",), 1),),
        **more,
    )


def own_words(count: int) -> dict[str, list[str]]:
    return {
        "anchors": ["zanzianchor"] * count,
        "contexts": ["zanzicontext"] * count,
        "paths": ["body/p.zanzipath/a"] * count,
    }


async def fill(folder: Path, rounds: int, warc_size: float) -> None:
    """Two sites that link to each other, in turns, so that every WARC file has records of both."""
    store = SqliteStore(folder, min_free=0, warc_size=warc_size)
    store.open()
    settings = {"crawl": {"seeds": ["http://news.test/zanziseed", "http://kept.test/"], "pages": 0}}
    store.control.begin_run(policy="breadth", judge="words", first_link=1, settings=json.dumps(settings))
    store.add_links(some_found(1, ["http://kept.test/", "http://news.test/zanziseed"], depth=0))
    robots = some_link(3, "http://news.test/robots.txt", kind=Kind.ROBOTS)
    for text in ("# zanzirules of yesterday", "# zanzirules of today"):  # each answer is archived
        store.add(some_step(robots, visit={"body": text.encode()}, page={"text": text}, verdict=None))
        await store.commit()
    moved = some_link(4, "https://news.test/zanzi.txt", kind=Kind.ROBOTS, rules_for="http://kept.test")
    store.add(some_step(moved, visit={"body": b"# zanzimoved"}, page={"text": "# zanzimoved"}, verdict=None))
    store.save_trap_state(
        {"news.test/zanziroom/ section": "{}", "news.test:8080": "{}", "kept.test/a/": "{}"}
    )
    id = 10
    for turn in range(rounds):
        mine = [f"http://kept.test/{turn}", f"http://third.test/{turn}", f"http://hop.test/{turn}"]
        theirs = [f"http://news.test:8080/zanzi{turn}", f"https://news.test/zanzi{turn}"]
        source = store.link(1 if turn == 0 else id - 10)
        store.add(
            some_step(source, new_links=some_found(id, [mine[0], *theirs]), visit={"body": os.urandom(3_000)})
        )
        news = store.link(id + 1)
        store.add(secret_step(news, new_links=some_found(id + 3, mine[1:], depth=2, columns=own_words(2))))
        hop = some_found(id + 5, [f"http://third.test/landed{turn}"], depth=2, hops=1,
                         columns=own_words(1))  # fmt: skip
        store.add(some_step(store.link(id + 4), new_links=hop, visit={"status": 301}, page={"text": ""}))
        store.add(
            some_step(
                store.link(id + 2), page={"title": "zanzi again", "text": "zanzimore"}, duplicate_of=id + 1
            )
        )
        store.add(some_step(store.link(id + 3), duplicate_of=id + 1, page={"text": f"of the third, {turn}"}))
        store.raise_scores([id + 3], np.array([0.75], np.float32), source=1)
        stood = some_found(id, [mine[0], theirs[0]], columns=own_words(2)).links
        store.raise_scores([id, id + 4], np.array([0.7, 0.7], np.float32), source=id + 1, links=stood)
        await store.commit()
        id += 10
    away = some_link(id, "http://kept.test/away")
    store.add(
        some_step(away, visit={"status": 302}, page={"redirect": "http://news.test/zanziaway", "text": ""})
    )
    store.add(some_step(store.link(2), State.FAILED, reason="zanzireason", visit={"status": 500}))
    await store.aclose()
    add_label(folder, Label("HTTP://News.test/zanzilabel", True, 1.0))
    add_label(folder, Label("http://kept.test/1", True, 2.0))
    (folder / "models").mkdir()
    for name in LEARNED:
        (folder / "models" / name).write_bytes(SECRET + b"model\t1.0\n")


def filled(folder: Path, rounds: int = 12, warc_size: float = 0.03) -> Path:
    asyncio.run(fill(folder, rounds, warc_size))
    return folder


def remains(folder: Path, word: bytes = SECRET) -> list[str]:
    """Every file of the folder in which a word is found, WARC members unpacked."""
    found = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "clew.toml"):
        data = path.read_bytes()
        if path.name.endswith(".warc.gz"):
            rest, data = data, b""
            while rest:
                unpack = zlib.decompressobj(wbits=31)
                data += unpack.decompress(rest)
                rest = unpack.unused_data
        if word in data:
            found.append(path.name)
    return found


def kept_records(folder: Path) -> dict[bytes, int]:
    """Every WARC member but those of the site, byte for byte, and how often it is there."""
    found: dict[bytes, int] = {}
    for path in (folder / "pages").iterdir():
        with path.open("rb") as file:
            offset, size = 0, path.stat().st_size
            while offset < size:
                data, length = read_member(file, offset)
                file.seek(offset)
                raw = file.read(length)
                if b"//news.test" not in data.partition(b"\r\n\r\n")[0]:
                    found[raw] = found.get(raw, 0) + 1
                offset += length
    return found


def check_whole(folder: Path) -> None:
    """No page without its record, no record damaged, no row that points nowhere, no file unaccounted for."""
    assert sound(folder)
    for path in (folder / "pages").iterdir():
        strict_records(path)
    check_places(folder)
    committed = dict(rows(folder, "SELECT name, length FROM warcs"))
    assert {p.name: p.stat().st_size for p in (folder / "pages").iterdir()} == committed
    assert rows(folder, "SELECT * FROM meta WHERE key NOT LIKE 'made%'") == []


def check_places(folder: Path) -> None:
    places = rows(folder, "SELECT url, warc_file, warc_offset, warc_length FROM pages JOIN links USING (id)")
    for url, name, offset, length in places:
        with (folder / "pages" / name).open("rb") as file:
            stored = read_record(file, offset)
        assert (stored.header["warc-target-uri"], stored.length) == (url, length)


def reopen(folder: Path) -> None:
    store = SqliteStore(folder, min_free=0)
    store.open()
    store.control.load()
    asyncio.run(store.aclose())


def test_nothing_is_left_and_nothing_else_is_lost(tmp_path):
    folder = filled(tmp_path / "crawl")
    before, files = kept_records(folder), {p.name for p in (folder / "pages").iterdir()}
    kept = "SELECT url, status, digest, text FROM fetched WHERE url NOT LIKE '%//news.test%' ORDER BY url"
    was = rows(folder, kept)
    assert len(files) > 3
    assert set(remains(folder)) == {"crawl.db", *LEARNED, *files}  # the search can find
    share = forget(folder)
    assert (share.hosts, share.records, share.labels) == ({"news.test": 25}, 12, 1)
    assert share.links == rows(folder, "SELECT 2 + 2 * 12 + 1")[0][0]
    check_whole(folder)
    assert remains(folder) == []
    assert remains(folder, b"news.test/") == []
    assert remains(folder, b"news.test") == ["crawl.db"]  # the rule that keeps it away
    assert kept_records(folder) == before
    assert rows(folder, kept) == was
    reopen(folder)
    check_whole(folder)


def test_links_elsewhere_stay_without_its_words(tmp_path):
    folder = filled(tmp_path / "crawl")
    forget(folder)
    links = "SELECT parent, anchor, path, context, position FROM links WHERE url = ?"
    assert rows(folder, links, "http://third.test/3") == [(1, None, None, None, None)]  # page 1 named it too
    assert rows(folder, links, "http://hop.test/3") == [(None, None, None, None, None)]
    parent, *words = rows(folder, links, "http://third.test/landed3")[0]
    assert rows(folder, "SELECT url FROM links WHERE id = ?", parent) == [("http://hop.test/3",)]
    assert words == [None] * 4
    anchor, context = rows(folder, "SELECT anchor, context FROM links WHERE url = 'http://kept.test/3'")[0]
    assert (anchor, context) == ("anchor 0", "words around 0")
    assert rows(folder, "SELECT count(*) FROM pages WHERE duplicate_of IS NOT NULL") == [(0,)]
    assert rows(folder, "SELECT redirect FROM pages WHERE redirect IS NOT NULL") == [("",)]
    assert rows(folder, "SELECT count(*), count(source) FROM raised") == [(36, 12)]
    assert rows(folder, "SELECT robots_status FROM hosts WHERE origin = 'http://kept.test'") == [(None,)]
    assert rows(folder, "SELECT key FROM places") == [("kept.test/a/",)]
    assert rows(folder, "SELECT url FROM labels") == [("http://kept.test/1",)]
    ((settings,),) = rows(folder, "SELECT settings FROM runs")
    assert json.loads(settings) == {"crawl": {"seeds": ["http://kept.test/"], "pages": 0}}
    assert rows(folder, "SELECT host, kind FROM rules") == [("news.test", "forget")]


def test_every_column_with_words_has_been_thought_of(tmp_path):
    reopen(tmp_path)
    tables = rows(tmp_path, "SELECT name FROM sqlite_schema WHERE type = 'table'")
    columns = {
        f"{table}.{column}"
        for (table,) in tables
        for _, column, kind, *_ in rows(tmp_path, f"PRAGMA table_info({table})")
        if kind not in ("INTEGER", "REAL")
    }
    # A new one here: can it hold words or addresses of a site? Then `clew forget` must know it.
    assert columns == {
        "hosts.origin", "hosts.robots_text", "labels.url", "links.anchor", "links.context", "links.parts",
        "links.path", "links.reason", "links.rules_for", "links.url", "marks.cells", "marks.word",
        "markup.packed", "patterns.prefix", "patterns.words", "rows.cells", "meta.key", "meta.value", "pages.address",
        "pages.digest", "pages.encoding", "pages.error", "pages.lang", "pages.mime", "pages.redirect",
        "pages.parts", "pages.title", "pages.warc_file", "pages.why", "places.key", "places.state", "raised.anchor",
        "raised.context", "raised.parts", "raised.path",
        "records.cells", "records.columns", "rules.host", "rules.kind", "runs.ended", "runs.judge",
        "runs.parts", "runs.policy", "runs.settings", "runs.software", "search_results.title",
        "search_results.url", "searches.engine", "searches.error", "searches.lang", "searches.query",
        "searches.why", "texts.margin", "texts.text", "warcs.name", "pages.etag", "pages.modified",
        "versions.digest", "versions.etag", "versions.lang", "versions.modified", "versions.records",
        "versions.text", "versions.title", "versions.warc_file", "versions.why", "visits.change", "visits.digest",
        "visits.reason", "visits.redirect", "visits.warc_file",
    }  # fmt: skip


def test_a_folder_whose_pages_were_moved_away(tmp_path):
    folder = filled(tmp_path / "crawl", rounds=2)
    (folder / "pages").rename(tmp_path / "elsewhere")
    share = forget(folder)
    assert len(share.missing) == len(list((tmp_path / "elsewhere").iterdir()))
    assert remains(folder) == []


def test_a_star_means_all_below_and_counts_before_older_words(tmp_path):
    folder = filled(tmp_path / "crawl", rounds=2)
    add_rule(folder, Rule("deep.news.test", "include", 1.0))
    share = forget(folder, "*.test")
    assert len(share.hosts) == 4
    assert rows(folder, "SELECT count(*) FROM links") == [(0,)]
    assert list((folder / "pages").iterdir()) == []  # a file with only a warcinfo is not worth keeping
    said = rows(folder, "SELECT host FROM rules WHERE kind = 'forget' ORDER BY host")
    assert [host for (host,) in said] == [
        "*.test",
        "deep.news.test",
        "hop.test",
        "kept.test",
        "news.test",
        "third.test",
    ]
    reopen(folder)
    check_whole(folder)


def test_only_the_named_host_goes(tmp_path):
    folder = tmp_path / "crawl"

    async def go() -> None:
        store = SqliteStore(folder, min_free=0)
        store.open()
        names = ["news.test", "www.news.test", "news.test.evil.test", "badnews.test"]
        for id, name in enumerate(names, 1):
            store.add(some_step(some_link(id, f"http://{name}/")))
        await store.aclose()

    asyncio.run(go())
    forget(folder)
    assert [url for (url,) in rows(folder, "SELECT url FROM links ORDER BY id")] == [
        "http://www.news.test/", "http://news.test.evil.test/", "http://badnews.test/",
    ]  # fmt: skip
    check_whole(folder)


def test_a_revisit_goes_with_the_record_that_holds_its_payload(tmp_path):
    folder = filled(tmp_path / "crawl", rounds=1)
    ((name, length),) = rows(folder, "SELECT name, length FROM warcs ORDER BY name DESC LIMIT 1")
    revisit = member(
        b"WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        b"WARC-Target-URI: http://kept.test/0\r\nWARC-Refers-To-Target-URI: http://news.test/zanzi\r\n"
        b"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
        b"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    asked = member(
        b"WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: <urn:uuid:2>\r\nWARC-Target-URI: http://kept.test/0\r\n"
        b"WARC-Concurrent-To: <urn:uuid:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    with (folder / "pages" / name).open("ab") as file:
        file.write(revisit + asked)
    with closing(sqlite3.connect(folder / "crawl.db")) as db:
        db.execute("UPDATE warcs SET length = ? WHERE name = ?", (length + len(revisit + asked), name))
        db.execute(
            "UPDATE pages SET warc_file = ?, warc_offset = ?, warc_length = ? WHERE id = 14",
            (name, length, len(revisit)),
        )
        db.commit()
    forget(folder)
    assert remains(folder) == []
    assert remains(folder, b"urn:uuid:2>") == []
    assert rows(folder, "SELECT warc_file, warc_offset, warc_length FROM pages WHERE id = 14") == [
        (None,) * 3
    ]
    with closing(sqlite3.connect(folder / "crawl.db")) as db:
        db.execute("DELETE FROM pages WHERE id = 14")
        db.commit()
    check_whole(folder)


def test_what_an_old_crash_left_behind_goes_too(tmp_path):
    folder = filled(tmp_path / "crawl", rounds=2)
    name = max(p.name for p in (folder / "pages").iterdir())
    with (folder / "pages" / name).open("ab") as file:
        file.write(b"zanzitail that was never committed")
    with closing(
        sqlite3.connect(folder / "crawl.db")
    ) as db:  # a row deleted by a careless tool, still in its page
        db.execute("PRAGMA secure_delete = OFF")
        db.execute("DELETE FROM texts WHERE page = 11")
        db.commit()
    forget(folder)
    assert remains(folder) == []
    check_whole(folder)


def test_a_reader_beside_it_keeps_no_old_log(tmp_path):
    folder = filled(tmp_path / "crawl", rounds=3)
    with closing(sqlite3.connect(folder / "crawl.db")) as reader:
        assert reader.execute("SELECT count(*) FROM texts WHERE text LIKE 'zanzi%'").fetchone() == (6,)
        forget(folder)
        assert (folder / "crawl.db-wal").exists()
        assert remains(folder) == []


def test_a_reader_that_never_lets_go_is_named_and_the_rest_is_done_later(tmp_path, monkeypatch):
    monkeypatch.setattr("clew.store.database.BUSY_WAIT", 0.2)
    folder = filled(tmp_path / "crawl", rounds=2)
    with closing(sqlite3.connect(folder / "crawl.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM links").fetchone()
        with pytest.raises(StoreError, match=r"another program has been reading .* close that program"):
            forget(folder)
        assert rows(folder, "SELECT count(*) FROM links WHERE url LIKE '%news.test%'") == [(0,)]
    reopen(folder)  # what `clew run` does first
    assert remains(folder) == []
    check_whole(folder)


def test_too_little_space_changes_nothing(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.xfail("a small disk needs the right to mount one")
    try:
        folder = filled(disk / "crawl", rounds=2)
        before = remains(folder)
        (disk / "ballast").write_bytes(bytes(free_space(disk) - 100_000))
        with pytest.raises(StoreError, match=r"needs \d MiB .* nothing was changed\. Free some space"):
            forget(folder)
        assert remains(folder) == before
        check_whole(folder)
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.parametrize(("warc_size", "limit"), [(0.03, 20_000), (1, 30_000)], ids=["database", "WARC file"])
def test_a_disk_that_fails_half_way_changes_nothing(tmp_path, warc_size, limit):
    folder = filled(tmp_path / "crawl", warc_size=warc_size)
    before = {p: p.read_bytes() for p in (folder / "pages").iterdir()}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fail() -> None:
        with open_eraser(folder, "news.test") as eraser:
            share = eraser.measure()
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            eraser.erase(share)

    try:
        with pytest.raises(StoreError, match=r"size limit of this system|failed to read or write"):
            fail()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert warc_size < 1 or {p: p.read_bytes() for p in (folder / "pages").iterdir()} == before
    reopen(folder)
    check_whole(folder)
    assert {p: p.read_bytes() for p in (folder / "pages").iterdir()} == before


def test_damaged_and_missing_files(tmp_path):
    folder = filled(tmp_path / "crawl")
    first, second, *_ = sorted(p for p in (folder / "pages").iterdir())
    first.rename(tmp_path / "elsewhere.warc.gz")
    (folder / "pages" / "mine.warc.gz").write_bytes(member(b"my own"))
    whole = second.read_bytes()
    second.write_bytes(whole[:200] + b"damage" + whole[206:])
    with pytest.raises(StoreError, match=rf"{second.name} is damaged at byte \d+, and nothing was changed"):
        forget(folder)
    second.write_bytes(whole)
    share = forget(folder)
    assert (share.missing, share.strange) == ((first.name,), ("mine.warc.gz",))
    assert remains(folder) == []
    assert (folder / "pages" / "mine.warc.gz").read_bytes() == member(b"my own")


def judge(folder: Path, number: int) -> bool:
    """Look at a folder after a kill, mend it in one of two ways, and say whether it had been forgotten."""
    check_places(folder)  # before anybody mended anything
    assert export(folder, folder.with_suffix(".jsonl")) > 0
    done = bool(rows(folder, "SELECT 1 FROM rules"))
    assert (rows(folder, "SELECT count(*) FROM links WHERE url LIKE '%news.test%'") == [(0,)]) == done
    if number % 2:
        reopen(folder)
        assert (remains(folder) == []) == done
        check_whole(folder)
    forget(folder)
    assert remains(folder) == []
    check_whole(folder)
    return done


def test_killed_at_every_line(tmp_path):
    folder, work = filled(tmp_path / "crawl", rounds=2), tmp_path / "work"
    work.mkdir()
    program = [sys.executable, HERE / "forgetter_to_kill.py", folder, work, "news.test"]
    ran = subprocess.run(program, capture_output=True, text=True, timeout=250, check=False)
    assert ran.returncode == 0, ran.stderr
    assert remains(work / "whole") == []
    lines = len(ran.stdout.splitlines())
    assert lines > 60
    looked_at = [number for number in range(lines) if number % 3 == 0 or number > lines - 30]
    ends = [judge(work / str(number), number) for number in looked_at]
    assert ends == sorted(ends)  # the old state up to one instant, the new one from then on
    assert 10 < sum(ends) < 30


def test_killed_at_random(tmp_path):
    chance = random.Random(5)
    whole = filled(tmp_path / "whole", rounds=40)
    program = (
        "import sys; from pathlib import Path; from clew.store.forget import open_eraser\n"
        "with open_eraser(Path(sys.argv[1]), 'news.test') as eraser:\n"
        "    share = eraser.measure(); print('ready', flush=True); eraser.erase(share)\n"
    )
    for number in range(4):
        folder = tmp_path / str(number)
        subprocess.run(["cp", "-r", whole, folder], check=True)
        with subprocess.Popen([sys.executable, "-c", program, folder], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.12))
            process.send_signal(signal.SIGKILL)
        judge(folder, number)


def test_one_at_a_time(tmp_path):
    folder = filled(tmp_path / "crawl", rounds=1)
    with open_eraser(folder, "news.test"), pytest.raises(FolderBusy, match=r"already works on .* kill"):
        forget(folder)


@pytest.mark.parametrize(
    ("text", "host"),
    [("News.Test", "news.test"), ("https://news.test:8443/a?b", "news.test"), ("news.test:80", "news.test"),
     ("*.news.test", "*.news.test"), ("127.0.0.1", "127.0.0.1"), ("http://[::1]:8080/", "[::1]"),
     ("bücher.test", "xn--bcher-kva.test"), ("news.test.", "news.test")],
)  # fmt: skip
def test_hosts_in_many_spellings(text, host):
    assert parse_host(text) == host


@pytest.mark.parametrize("text", ["", "*", "*.", "a b", "ftp://news.test/", "news.*"])
def test_what_names_no_host(text):
    with pytest.raises(ConfigError, match=r"is not a host; write news\.example"):
        parse_host(text)


def test_a_hundred_thousand_links_take_seconds(tmp_path):
    folder = tmp_path / "crawl"

    async def go() -> None:
        store = SqliteStore(folder, min_free=0)
        store.open()
        for page in range(1_000):
            host = "news" if page % 2 else "kept"
            addresses = [f"http://{'kept' if i % 2 else 'news'}.test/{page}/{i}" for i in range(100)]
            found = some_found(2_000 + 100 * page, addresses)
            store.add(some_step(some_link(page + 1, f"http://{host}.test/{page}"), new_links=found))
        await store.aclose()

    asyncio.run(go())
    began = time.process_time()
    share = forget(folder)
    assert time.process_time() - began < 8  # measured: 1 s
    assert (share.links, share.pages) == (50_500, 500)
    assert rows(folder, "SELECT count(*), sum(anchor IS NULL) FROM links") == [(50_500, 25_000)]
    check_whole(folder)
