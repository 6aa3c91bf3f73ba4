"""The link graph of a crawl: which page links to which, as GEXF, GraphML or a table of edges.

The database keeps for each URL the page where it was found first. All links of a page are only in its
response, so the stored responses are parsed again, by the same workers as in a crawl.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from clew import urls
from clew.config import Config
from clew.domain.text import printable
from clew.parse import ParsePool
from clew.store.export import ArchiveReader, replace_atomically
from clew.store.folder import PAGES
from clew.store.reading import read_sql
from clew.store.table_formats import TABLE_FORMATS, ExportTable
from clew.types import Link, Page, Response

BATCH = 64
"""Pages parsed at once."""

_NODES = """SELECT links.id, url, coalesce(title, ''), verdict, relevant, origin, redirect, warc_file,
    warc_offset, warc_length, status FROM pages JOIN links USING (id) JOIN hosts ON hosts.id = links.host
    WHERE kind = 0 AND warc_file IS NOT NULL ORDER BY links.id"""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A page that was read."""

    id: int
    url: str
    title: str
    verdict: float | None
    relevant: bool
    host: str


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A link from one page to another URL; `target` is the id of the page there, 0 if it was not read."""

    source: int
    target: int
    source_url: str
    target_url: str
    anchor: str


class PageGraph:
    """The pages of a crawl that were read, and their links; a link to a redirect leads to its target."""

    def __init__(self, folder: Path, config: Config, *, only_relevant: bool = False) -> None:
        self.folder = folder
        self.config = config
        rows = read_sql(folder, _NODES)
        self._redirects = {url: target for _, url, _, _, _, _, target, *_ in rows if target}
        pages = [row for row in rows if not row[6] and (row[4] or not only_relevant)]
        self.nodes = [
            GraphNode(id, url, title, verdict, bool(relevant), host)
            for id, url, title, verdict, relevant, host, *_ in pages
        ]
        self._records = [(row[0], row[1], row[7:]) for row in pages]
        self._ids = {node.url: node.id for node in self.nodes}

    def edges(self) -> Iterator[GraphEdge]:
        """Yield each link of each page once, in the order of the pages."""
        fetch, parse = self.config.fetch, self.config.parse
        loop = asyncio.new_event_loop()
        pool = ParsePool(
            workers=parse.workers, timeout=parse.timeout, memory=parse.memory, max_bytes=fetch.max_bytes,
            drop=tuple(self.config.scope.drop_params), agent=fetch.agent,
        )  # fmt: skip
        try:
            with ArchiveReader(self.folder / PAGES) as archive:
                for start in range(0, len(self._records), BATCH):
                    responses = [_response(archive, *each) for each in self._records[start : start + BATCH]]
                    for page in loop.run_until_complete(_parse(pool, responses)):
                        yield from self._links(page)
        finally:
            loop.run_until_complete(pool.aclose())
            loop.close()

    def _links(self, page: Page) -> Iterator[GraphEdge]:
        source, seen = self._ids[page.url], set()
        for url, anchor in zip(page.links.urls, page.links.anchors, strict=True):
            target = self._redirects.get(url, url)
            if target not in seen and target != page.url:
                seen.add(target)
                yield GraphEdge(source, self._ids.get(target, 0), page.url, target, anchor)


async def _parse(pool: ParsePool, responses: list[Response]) -> list[Page]:
    return await asyncio.gather(*map(pool, responses))


def _response(archive: ArchiveReader, id: int, url: str, place: tuple[str, int, int, int]) -> Response:
    name, offset, length, status = place
    head, body = archive.response(name, offset, length).http
    link = Link(id=id, url=url, origin=urls.origin(url))
    return Response(link=link, started=0.0, ended=0.0, status=status, head=head, body=body)


# ---- files -------------------------------------------------------------------------------------

GraphWriter: TypeAlias = Callable[[PageGraph, BinaryIO], int]


def write_gexf(graph: PageGraph, file: BinaryIO) -> int:
    """Write GEXF 1.3, for Gephi: pages that were read, and the links between them."""
    _write(file, '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">')
    _write(file, '<graph defaultedgetype="directed"><attributes class="node">')
    for name, kind in (("url", "string"), ("host", "string"), ("verdict", "double"), ("relevant", "boolean")):
        _write(file, f'<attribute id="{name}" title="{name}" type="{kind}"/>')
    _write(file, "</attributes><nodes>")
    for node in graph.nodes:
        values = "".join(
            f'<attvalue for="{name}" value={_quoted(value)}/>' for name, value in _values(node).items()
        )
        label = _quoted(node.title or node.url)
        _write(file, f'<node id="{node.id}" label={label}><attvalues>{values}</attvalues></node>')
    _write(file, "</nodes><edges>")
    count = 0
    for edge in graph.edges():
        if edge.target:
            count += 1
            ends = f'source="{edge.source}" target="{edge.target}"'
            _write(file, f'<edge id="{count}" {ends} label={_quoted(edge.anchor)}/>')
    _write(file, "</edges></graph></gexf>")
    return count


def write_graphml(graph: PageGraph, file: BinaryIO) -> int:
    """Write GraphML, for networkx, igraph and yEd: pages that were read, and the links between them."""
    _write(file, '<?xml version="1.0" encoding="UTF-8"?>')
    _write(file, '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    keys = {"url": "string", "title": "string", "host": "string", "verdict": "double", "relevant": "boolean"}
    for name, kind in keys.items():
        _write(file, f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>')
    _write(file, '<key id="anchor" for="edge" attr.name="anchor" attr.type="string"/>')
    _write(file, '<graph edgedefault="directed">')
    for node in graph.nodes:
        values = {"title": node.title, **_values(node)}
        data = "".join(f'<data key="{name}">{_text(value)}</data>' for name, value in values.items())
        _write(file, f'<node id="{node.id}">{data}</node>')
    count = 0
    for edge in graph.edges():
        if edge.target:
            count += 1
            ends = f'source="{edge.source}" target="{edge.target}"'
            _write(file, f'<edge {ends}><data key="anchor">{_text(edge.anchor)}</data></edge>')
    _write(file, "</graph></graphml>")
    return count


def _values(node: GraphNode) -> dict[str, str]:
    known = {} if node.verdict is None else {"verdict": f"{node.verdict:.4f}"}
    return {"url": node.url, "host": node.host, "relevant": str(node.relevant).lower(), **known}


def _write(file: BinaryIO, line: str) -> None:
    file.write(f"{line}\n".encode())


def _quoted(text: str) -> str:
    return quoteattr(printable(text))


def _text(text: str) -> str:
    return escape(printable(text))


GRAPH_FORMATS: dict[str, GraphWriter] = {".gexf": write_gexf, ".graphml": write_graphml}
"""The writers of graphs by the suffix of the file."""


def export_graph(folder: Path, config: Config, target: Path, *, only_relevant: bool = False) -> int:
    """Write the link graph; a table has also the links to pages that were not read. Return the edges."""
    graph = PageGraph(folder, config, only_relevant=only_relevant)
    name = target.name.lower()
    with replace_atomically(target) as file:
        if write := next((write for suffix, write in GRAPH_FORMATS.items() if name.endswith(suffix)), None):
            return write(graph, file)
        suffix = max((each for each in TABLE_FORMATS if name.endswith(each)), key=len)
        rows = ((edge.source_url, edge.target_url, edge.anchor, bool(edge.target)) for edge in graph.edges())
        columns = ("source", "target", "anchor", "target_read")
        table = ExportTable("links", columns, ("string", "string", "string", "bool"), rows)
        return TABLE_FORMATS[suffix](table, file)
