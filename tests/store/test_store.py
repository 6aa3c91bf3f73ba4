"""The store keeps what it was given: groups, read-your-writes, restart, order of durability."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from store_kit import (
    no_answer,
    responses,
    rows,
    some_found,
    some_link,
    some_step,
    sound,
)  # fmt: skip

from clew import contracts
from clew.errors import StoreError
from clew.store.labels import add_label
from clew.store.sqlite import SqliteStore
from clew.types import Kind, Label, Link, Record, RobotsDirectives, State

A, B, C = "http://a.test/", "http://a.test/b", "https://c.test/x?y=1"


def opened(folder: Path, **options) -> SqliteStore:
    store = SqliteStore(folder, **({"min_free": 0} | options))
    store.open()
    return store


def walk(folder: Path, *steps, seeds=(A,), **options) -> None:
    """Open, plant the seeds as links 1, 2 …, take the steps, close."""

    async def go() -> None:
        store = opened(folder, **options)
        if seeds:
            store.add_links(some_found(1, seeds, depth=0))
        for step in steps:
            store.add(step)
        await store.commit()
        await store.aclose()

    asyncio.run(go())


def test_is_a_store(tmp_path):
    assert isinstance(SqliteStore(tmp_path), contracts.FolderStore)


def test_link_sees_what_is_not_committed_yet(tmp_path):
    async def go() -> None:
        store = opened(tmp_path)
        store.add_links(some_found(1, [A], depth=0))
        seed = store.link(1)
        assert seed == Link(id=1, url=A, origin="http://a.test", anchor="anchor 0", score=0.5)
        store.add(some_step(seed, new_links=some_found(10, [B, C], depth=1, hops=2)))
        store.add(
            some_step(store.link(10), new_links=some_found(2, [C + "&z"], depth=2))
        )  # smaller ids, later
        assert store.link(10).tries == 1  # its step is in the group already
        expected = [store.link(i) for i in (1, 2, 10, 11)]
        assert expected[3] == Link(
            id=11, url=C, origin="https://c.test", parent=1, anchor="anchor 1", depth=1, hops=2, score=0.5
        )
        for missing in (0, 3, 9, 12):
            with pytest.raises(KeyError):
                store.link(missing)
        committing = asyncio.create_task(store.commit())
        await asyncio.sleep(0)
        assert [store.link(i) for i in (1, 2, 10, 11)] == expected
        await committing
        assert [store.link(i) for i in (1, 2, 10, 11)] == expected
        with pytest.raises(KeyError):
            store.link(12)
        await store.aclose()

    asyncio.run(go())


def test_a_link_tried_again_counts_its_tries_and_gets_no_page(tmp_path):
    async def go() -> None:
        store = opened(tmp_path)
        store.add_links(some_found(1, [A, B], depth=0))
        await store.commit()
        store.add(some_step(store.link(1), State.OPEN, reason="status 503", visit={"status": 503}))
        assert store.link(1).tries == 1
        await store.commit()
        assert store.link(1).tries == 1
        store.add(some_step(store.link(1), State.OPEN, reason="timeout", visit=no_answer()))
        assert store.link(1).tries == 2
        await store.commit()
        assert rows(tmp_path, "SELECT state, tries, reason FROM links") == [(0, 2, "timeout"), (0, 0, None)]
        assert rows(tmp_path, "SELECT * FROM pages") == []
        assert responses(tmp_path) == {}
        store.add(some_step(store.link(1), State.FAILED, reason="timeout", visit=no_answer(), relevant=False))
        await store.aclose()

    asyncio.run(go())
    assert rows(tmp_path, "SELECT state, tries, reason FROM links WHERE id = 1") == [(2, 3, "timeout")]
    assert rows(tmp_path, "SELECT id, status, error, warc_file FROM pages") == [(1, 0, "timeout", None)]
    assert responses(tmp_path) == {}


def test_refused_links_keep_their_reason(tmp_path):
    async def go() -> None:
        store = opened(tmp_path)
        store.add_links(some_found(1, [A, B, C], depth=0, refused=["", "scope", ""]))
        store.refuse(3, "robots.txt")
        store.add(some_step(store.link(1), State.REFUSED, reason="trap", visit=no_answer("")))
        await store.aclose()

    asyncio.run(go())
    assert rows(tmp_path, "SELECT state, tries, reason FROM links") == [
        (3, 0, "trap"),
        (3, 0, "scope"),
        (3, 0, "robots.txt"),
    ]
    assert rows(tmp_path, "SELECT * FROM pages") == []


def test_the_last_change_of_a_link_counts_within_one_transaction(tmp_path):
    async def go() -> None:
        store = opened(tmp_path)
        store.add_links(some_found(1, [A, B, C], depth=0, refused=["", "", "policy: no"]))
        store.refuse(1, "policy: no")
        store.reopen([1])
        store.add(some_step(store.link(1)))
        store.refuse(2, "policy: no")
        store.reopen([2])
        store.reopen([3])
        store.refuse(3, "policy: still no")
        await store.aclose()

    asyncio.run(go())
    assert rows(tmp_path, "SELECT state, reason FROM links") == [
        (State.DONE, None),
        (State.OPEN, None),
        (State.REFUSED, "policy: still no"),
    ]


def test_everything_about_a_page_is_kept(tmp_path):
    step = some_step(
        some_link(1, A),
        page={
            "mime": "text/html", "encoding": "utf-8", "title": "Ünïcode\x00", "lang": "de", "text": "日本 text", "margin": "foot",
            "fingerprint": 2**64 - 5, "truncated": True, "error": "parse timeout", "redirect": B,
        },
        records=(Record(("name", "city"), ("Ann", "Köln"), 3, 0.5),),
        duplicate_of=1,
        clock=1_800_000_000.5,
    )  # fmt: skip
    walk(tmp_path, step)
    page = rows(tmp_path, "SELECT * FROM pages")[0]
    assert page[:16] == (
        1, 200, "parse timeout", 1, "text/html", "utf-8", "Ünïcode\x00", "de", 1.0, None, 0.75, 1, "words +0.5; title +0.25",
        B, 1, 0,
    )  # fmt: skip
    assert page[16:20] == (1_700_000_000.25, 0.5, 18, "192.0.2.7")
    assert page[21] == -5
    assert rows(tmp_path, "SELECT * FROM texts") == [(1, "日本 text", "foot")]
    assert rows(
        tmp_path, "SELECT page, columns, json_extract(cells, '$[1]'), source, confidence FROM records"
    ) == [(1, '["name", "city"]', "Köln", 3, 0.5)]
    assert rows(tmp_path, "SELECT origin, next_at FROM hosts") == [("http://a.test", 1_800_000_000.5)]
    assert sound(tmp_path)


def test_noindex_pages_keep_row_links_and_warc_but_no_words(tmp_path):
    step = some_step(
        some_link(1, A), page={"directives": RobotsDirectives(noindex=True)}, new_links=some_found(2, [B])
    )
    walk(tmp_path, step)
    assert rows(tmp_path, "SELECT title, noindex FROM pages") == [(None, 1)]
    assert rows(tmp_path, "SELECT * FROM texts") == []
    assert rows(tmp_path, "SELECT url, parent FROM links WHERE id = 2") == [(B, 1)]
    assert list(responses(tmp_path)) == [A]


def test_half_characters_do_not_stop_the_store(tmp_path):
    step = some_step(
        some_link(1, A),
        page={"title": "bad \ud800 title", "text": "more \udfff"},
        new_links=some_found(2, [B], columns={"anchors": ["\ud83d"], "contexts": ["x" * 5_000]}),
    )
    walk(tmp_path, step)
    assert rows(tmp_path, "SELECT title FROM pages") == [("bad ? title",)]
    assert rows(tmp_path, "SELECT anchor, length(context) FROM links WHERE id = 2") == [("?", 200)]
    assert list(responses(tmp_path)) == [A]


def test_robots_answers_stand_with_the_origin_they_rule(tmp_path):
    robots = some_link(7, "http://a.test/robots.txt", kind=Kind.ROBOTS)
    moved = some_link(8, "http://b.test/robots.txt", kind=Kind.ROBOTS, parent=7, rules_for="http://a.test")
    own = some_link(9, "http://c.test/robots.txt", kind=Kind.ROBOTS)
    walk(
        tmp_path,
        some_step(robots, visit={"status": 301}, page={"redirect": moved.url, "text": ""}, verdict=None),
        some_step(moved, page={"text": "User-agent: *\nDisallow: /x"}, verdict=None),
        some_step(own, State.FAILED, visit=no_answer(), page={"text": ""}, verdict=None),
    )

    async def go() -> None:
        store = opened(tmp_path)
        assert store.control.load().robots_links == {"http://a.test": 7, "http://c.test": 9}
        loaded = store.control.load().host_rows
        known = dict(
            zip(loaded.origins, zip(loaded.robots_status, loaded.robots_texts, strict=True), strict=True)
        )
        assert known == {
            "http://a.test": (200, "User-agent: *\nDisallow: /x"),
            "http://b.test": (-1, ""),
            "http://c.test": (0, ""),
        }
        assert loaded.robots_at.tolist()[:1] == [1_700_000_000.75]
        assert store.link(8) == Link(
            id=8,
            url=moved.url,
            origin="http://b.test",
            kind=Kind.ROBOTS,
            parent=7,
            tries=1,
            rules_for="http://a.test",
        )
        await store.aclose()

    asyncio.run(go())
    assert rows(tmp_path, "SELECT count(*) FROM links WHERE kind = 1") == [(3,)]
    assert sound(tmp_path)


def test_load_gives_back_what_a_frontier_needs(tmp_path):
    found = some_found(
        3, [B, C], refused=["", "scope"], scores=np.array([0.25, np.nan], np.float32),
        columns={"kinds": [Kind.FEED, Kind.PAGE]},
    )  # fmt: skip
    redirected = some_step(
        some_link(2, A + "old"), visit={"status": 301}, page={"redirect": A, "fingerprint": 2**63}
    )
    walk(tmp_path, some_step(some_link(1, A), new_links=found), redirected, seeds=(A, A + "old"))

    async def go() -> None:
        store = opened(tmp_path)
        loaded = store.control.load()
        assert loaded.ids.tolist() == [1, 2, 3, 4]
        assert loaded.hashes.dtype == np.uint64
        assert loaded.hashes.tolist()[2:] == found.links.hashes.tolist()
        assert loaded.scores.tolist() == [0.5, 0.5, 0.25, 0.0]
        assert loaded.states.tolist() == [1, 1, 0, 3]
        assert loaded.kinds.tolist() == [0, 0, 3, 0]
        assert [loaded.host_rows.origins[i] for i in loaded.hosts] == ["http://a.test"] * 3 + [
            "https://c.test"
        ]
        assert loaded.next_id == 5
        assert (loaded.pages, loaded.relevant, loaded.bytes) == (1, 1, 36)
        assert loaded.fetched.urls == [A, A + "old"]
        assert loaded.fetched.fingerprints.tolist() == [0, 2**63]
        assert loaded.fetched.status.tolist() == [200, 301]
        store.raise_scores(np.array([3, 1]), np.array([0.625, 0.75], np.float32))
        store.raise_scores([3], np.array([0.875], np.float32))
        await store.commit()
        assert store.control.load().scores.tolist() == [0.75, 0.5, 0.875, 0.0]
        await store.aclose()

    asyncio.run(go())


def test_an_empty_crawl_loads(tmp_path):
    store = opened(tmp_path / "new" / "crawl")
    loaded = store.control.load()
    assert (len(loaded.ids), loaded.next_id, loaded.pages, loaded.fetched.urls) == (0, 1, 0, [])
    asyncio.run(store.aclose())
    assert sorted(p.name for p in (tmp_path / "new" / "crawl").iterdir()) == [
        "crawl.db",
        "crawl.lock",
        "pages",
    ]


def test_warc_files_are_full_at_their_size_and_the_last_goes_on(tmp_path):
    noise = np.random.default_rng(1)

    def crowd(first: int) -> list:
        return [
            some_step(some_link(i, f"{A}{i}"), visit={"body": noise.bytes(300_000)})
            for i in range(first, first + 10)
        ]

    walk(tmp_path, *crowd(10), warc_size=1)
    assert len(list((tmp_path / "pages").iterdir())) == 3
    walk(tmp_path, *crowd(20)[:1], warc_size=1, seeds=())
    assert len(list((tmp_path / "pages").iterdir())) == 3
    assert sum(map(len, responses(tmp_path).values())) == 11
    lengths = {p.name: p.stat().st_size for p in (tmp_path / "pages").iterdir()}
    assert dict(rows(tmp_path, "SELECT name, length FROM warcs")) == lengths


def test_steps_may_come_while_a_group_is_written(tmp_path):
    async def go() -> None:
        store = opened(tmp_path)
        store.add_links(some_found(1, [f"{A}{i}" for i in range(1, 201)], depth=0))
        commits = []
        for i in range(1, 201):
            store.add(some_step(store.link(i)))
            if i % 10 == 0:
                commits.append(asyncio.create_task(store.commit()))
                await asyncio.sleep(0)
        commits[3].cancel()  # the caller goes away; the group does not
        await asyncio.gather(*commits, return_exceptions=True)
        assert rows(tmp_path, "SELECT count(*) FROM pages") == [(200,)]
        await store.aclose()

    asyncio.run(go())
    assert sorted(responses(tmp_path)) == sorted(f"{A}{i}" for i in range(1, 201))
    assert {len(bodies) for bodies in responses(tmp_path).values()} == {1}


def test_columns_of_unequal_length_are_refused_at_once(tmp_path):
    store = SqliteStore(tmp_path)
    with pytest.raises(ValueError, match="anchors has 1 rows"):
        store.add_links(some_found(1, [A, B], columns={"anchors": ["one"]}))
    with pytest.raises(ValueError, match="2 links came with 1 scores"):
        store.add_links(some_found(1, [A, B], scores=np.zeros(1, np.float32)))


def test_labels_are_durable_and_never_go_back_in_time(tmp_path):
    async def go() -> None:
        store = opened(tmp_path)
        add_label(tmp_path, Label(A, True, 100.0))
        add_label(tmp_path, Label(B, False, 50.0))  # a slower clock
        first, second = store.reader.labels(0)
        assert (first, second.url, second.relevant) == (Label(A, True, 100.0), B, False)
        assert second.at > 100.0
        assert store.reader.labels(first.at) == [second]
        assert store.reader.labels(second.at) == []
        await store.aclose()

    asyncio.run(go())


def test_a_nearly_full_disk_stops_after_the_group_is_safe(tmp_path):
    async def go() -> None:
        store = opened(tmp_path)
        store.min_free = 10**9
        store.add_links(some_found(1, [A], depth=0))
        store.add(some_step(some_link(1, A)))
        with pytest.raises(StoreError, match="disk nearly full") as caught:
            await store.commit()
        assert caught.value.exit_code == 5
        store.add(some_step(some_link(2, B)))  # under way when the crawl was told to stop
        await store.aclose()

    asyncio.run(go())
    assert rows(tmp_path, "SELECT id FROM pages") == [(1,), (2,)]
    assert sorted(responses(tmp_path)) == [A, B]
    with pytest.raises(StoreError, match="disk nearly full"):
        opened(tmp_path, min_free=10**9)


def test_a_fault_of_ours_stops_the_store_and_leaves_nothing_half_done(tmp_path):
    async def go() -> None:
        store = opened(tmp_path)
        store.add_links(some_found(1, [A, B], depth=0))
        store.add(some_step(store.link(1)))
        await store.commit()
        before = {p.name: p.read_bytes() for p in (tmp_path / "pages").iterdir()}
        store.add(some_step(store.link(2), duplicate_of=2**70))  # no such number in SQLite
        with pytest.raises(StoreError, match="the store failed"):
            await store.commit()
        store.add(some_step(some_link(3, C)))
        with pytest.raises(StoreError, match="the store failed"):
            await store.commit()
        assert {p.name: p.read_bytes() for p in (tmp_path / "pages").iterdir()} == before
        await store.aclose()

    asyncio.run(go())
    assert rows(tmp_path, "SELECT id, state FROM links") == [(1, 1), (2, 0)]
    assert sound(tmp_path)


def test_views_tell_the_story(tmp_path):
    walk(
        tmp_path,
        some_step(some_link(1, A), relevant=False, new_links=some_found(2, [B, C])),
        some_step(some_link(3, C, parent=1), new_links=some_found(4, [C + "&z=1"], depth=2)),
    )
    trail = rows(tmp_path, "SELECT step, url, anchor, depth FROM trail WHERE page = ? ORDER BY step", 4)
    assert trail == [(0, C + "&z=1", "anchor 0", 2), (1, C, "anchor 1", 1), (2, A, "anchor 0", 0)]
    plan = " ".join(r[3] for r in rows(tmp_path, "EXPLAIN QUERY PLAN SELECT * FROM trail WHERE page = 4"))
    assert "SCAN start" not in plan
    assert "SCAN links" not in plan
    assert rows(tmp_path, "SELECT url, parent FROM good_pages") == [(C, A)]
    assert rows(tmp_path, "SELECT url, kind FROM links_open") == [(B, "page"), (C + "&z=1", "page")]
    assert rows(tmp_path, "SELECT host, links, open, done, relevant FROM hosts_summary") == [
        ("http://a.test", 2, 1, 1, 0),
        ("https://c.test", 2, 1, 1, 1),
    ]
