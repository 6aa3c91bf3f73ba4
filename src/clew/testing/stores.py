"""The conformance test of stores."""

import asyncio
from collections.abc import Callable

import numpy as np

from clew.contracts import SearchStore, Store, StoreControl, StoreReader, TableStore
from clew.testing.samples import name_of, sample_links
from clew.types import Link, NewLinks, Page, PageResult, Response, State, Verdict


def check_store(make: Callable[[], Store]) -> None:
    """Check a store: what was added can be read at once, what was committed also when it is opened again.

    `make` makes the same store each time it is called, not yet open; the one before is closed first.
    """
    links = sample_links(3)
    found = NewLinks(
        first=1, links=links, scores=np.array([0.5, 0.25, 1], np.float32), refused=[""] * 3, depth=0
    )

    async def check() -> None:
        store = make()
        _check_protocols(store)
        store.open()
        store.add_links(found)
        assert store.link(2).url == links.urls[1], f"{name_of(store)} does not see a link that was just added"
        await store.commit()
        result = PageResult(
            page=_answered(store.link(1)), state=State.DONE, verdict=Verdict(1.0), relevant=True
        )
        store.add(result)
        store.refuse(3, "scope")
        store.set_fact("answer", "42")
        await store.aclose()
        again = make()
        again.open()
        assert again.link(2).url == links.urls[1], f"{name_of(store)} forgot a committed link"
        assert again.link(1).tries == 1, f"{name_of(store)} forgot that a page was fetched"
        try:
            again.link(99)
        except KeyError:
            pass
        else:
            msg = f"{name_of(store)} invented link 99: unknown ids raise KeyError"
            raise AssertionError(msg)
        _check_reader(again)
        await again.aclose()

    asyncio.run(check())


def _check_protocols(store: Store) -> None:
    parts = (
        (store, Store),
        (store.reader, StoreReader),
        (store.control, StoreControl),
        (store.table, TableStore),
        (store.searches, SearchStore),
    )
    for part, contract in parts:
        assert isinstance(part, contract), (
            f"{name_of(part)} lacks a method or attribute of clew.contracts.{contract.__name__}"
        )


def _check_reader(store: Store) -> None:
    """Check what a store reads back of the crawl in `check_store`, which has no labels and no table."""
    name, reader = name_of(store), store.reader
    assert list(reader.labels(0.0)) == [], f"{name} invented a label"
    assert list(reader.rules(0)) == [], f"{name} invented a rule"
    assert list(reader.deferred_ids()) == [], f"{name} invented a deferred link"
    assert list(store.table.rows()) == [], f"{name} invented a row"
    assert list(store.searches.searches()) == [], f"{name} invented a search"
    found = dict(reader.facts("answer", "question"))
    assert found == {"answer": "42"}, f"{name} should know one fact, it read {found}"
    assert reader.last_settings() is None, f"{name} invented an earlier run"
    state = store.control.load()
    columns = (state.hashes, state.scores, state.states, state.kinds, state.hosts)
    assert all(len(column) == len(state.ids) for column in columns), (
        f"{name}.control.load() gave columns of different lengths"
    )


def _answered(link: Link) -> Page:
    response = Response(
        link=link, started=1.0, ended=1.5, status=200, head=b"HTTP/1.1 200 OK\r\n\r\n", body=b"hello",
        request=b"GET / HTTP/1.1\r\n\r\n", address="192.0.2.1:80",
    )  # fmt: skip
    return Page(response=response, mime="text/plain", text="hello")
