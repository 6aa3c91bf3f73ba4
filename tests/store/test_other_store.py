"""A crawl in another database: nothing but the Protocols stands between the run and its store."""

import asyncio

from clew.builder import open_crawl
from clew.config import build
from clew.contracts import FolderStore
from clew.lab.memory_store import MemoryStore
from tests.small_web import CONTACT, linked, serving


class CountingStore(MemoryStore):
    """A store in memory beside a folder, which counts what the run does with it."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        self.calls = []
        self.fetched = []

    def open(self):
        self.calls.append("open")

    def add(self, result):
        super().add(result)
        self.fetched.append(result.page.link.url)

    async def aclose(self):
        self.calls.append("close")


def test_a_crawl_runs_in_a_store_of_your_own(tmp_path):
    pages = {"/": linked("/a", "/b", text="lighthouse"), "/a": linked(text="lamp"), "/b": linked(text="lens")}
    store = CountingStore(tmp_path)
    assert isinstance(store, FolderStore)

    async def crawl(origin):
        config = build(
            {
                "crawl": {"contact": CONTACT, "seeds": [origin]},
                "goal": {"about": "lighthouse"},
                "fetch": {"delay": 0, "allow": ["127.0.0.0/8"]},
            },
            "test",
        )
        async with open_crawl(tmp_path, config, parts={"store": store}) as run:
            async for _ in run.results():
                pass

    with serving(pages) as web:
        asyncio.run(crawl(web.origin))
        wanted = {f"{web.origin}{path}" for path in pages}
    assert wanted <= set(store.fetched)
    assert store.calls == ["open", "close"]
    assert not (tmp_path / "crawl.db").exists()
