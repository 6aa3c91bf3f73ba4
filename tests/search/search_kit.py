"""Shared helpers for tests of search engines: open one against a local server, and query it."""

import asyncio
from pathlib import Path

import numpy as np
from servers import KEY

from clew import urls
from clew.config.tables import SeekTable
from clew.search import open_engine
from clew.store import SqliteStore
from clew.types import Kind, Link, Links, NewLinks, Page, PageResult, Response, State, Verdict

KEYS = {f"CLEW_{name}_KEY": KEY for name in ("BRAVE", "MOJEEK", "KAGI", "MARGINALIA")}


def opened(name, *, max_wait=0.5, environment=KEYS, folder=Path(), **settings):
    table = SeekTable(**({"delay": 0.0, "timeout": 5.0} | settings))
    engine = open_engine(name, table, folder, environment=environment)
    if hasattr(engine, "max_wait"):
        engine.max_wait = max_wait
    return engine


def asked(name, query="lighthouse", count=10, lang="", **more):
    engine = opened(name, **more)

    async def ask():
        try:
            return await engine.search(query, count, lang)
        finally:
            await engine.aclose()

    return asyncio.run(ask())


def crawl(folder, texts, first=1):
    """Add pages with these texts to a crawl, through the store itself."""

    async def fill():
        store = SqliteStore(folder, min_free=0)
        store.open()
        links = Links.plain([url for url, _ in texts], Kind.PAGE)
        count = len(links)
        scores = np.full(count, 0.5, np.float32)
        store.add_links(NewLinks(first=first, links=links, scores=scores, refused=[""] * count, depth=0))
        for id, (url, text) in enumerate(texts, first):
            link = Link(id=id, url=url, origin=urls.origin(url))
            head = b"HTTP/1.1 200 OK\r\n\r\n"
            response = Response(link=link, started=1.0, ended=2.0, status=200, head=head, body=text.encode())
            page = Page(response=response, mime="text/html", title="A page", text=text, lang="en")
            store.add(PageResult(page=page, state=State.DONE, verdict=Verdict(0.9), relevant=True))
        await store.commit()
        await store.aclose()

    asyncio.run(fill())
