"""Export: every format, with a preview."""

import json
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from clew import config as configuration
from clew import store
from clew.cli.shard_feedback import check_not_sharded
from clew.errors import ConfigError
from clew.insight.corpus import CorpusOptions, describe_goal, export_corpus
from clew.insight.link_graph import GRAPH_FORMATS, export_graph
from clew.store import read_sql
from clew.store.export import ExportOptions, has_table
from clew.store.reading import FIELDS
from clew.web.charts import begun_parts
from clew.web.operations import Call, MissingThing, Nothing, Operation, WebPage
from clew.web.table import RowQuery, table

FORMATS = {
    "csv": "Spreadsheet (CSV)",
    "xlsx": "Excel",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "db": "SQLite database",
    "warc.gz": "Web archive (WARC)",
    "wacz": "Web archive for replayweb.page (WACZ)",
    "cdxj": "Index of the archive (CDXJ)",
    "geojson": "Map of rows (GeoJSON)",
    "gexf": "Link graph for Gephi (GEXF)",
    "graphml": "Link graph (GraphML)",
    "corpus.tar": "Corpus for language models",
}
NOTES = {
    "warc.gz": "every response as it came",
    "wacz": "every response as it came, with an index of pages",
    "cdxj": "a line for every response: where it is in the archive",
    "gexf": "a node for every page that was read, an edge for every link between them",
    "graphml": "a node for every page that was read, an edge for every link between them",
    "corpus.tar": "a folder of texts for datasets.load_dataset, without duplicates and without pages whose"
    " owners reserve their rights; README.md says what was left out and why",
}
"""What a file holds that has no rows to show."""

LINK_COLUMNS = ["source", "target", "anchor", "target_read"]
PREVIEW_ROWS = 5


class ExportQuery(Nothing):
    """What to export."""

    format: Literal[
        "csv", "xlsx", "jsonl", "parquet", "db", "warc.gz", "wacz", "cdxj", "geojson", "gexf", "graphml",
        "corpus.tar",
    ] = "csv"  # fmt: skip
    what: Literal["pages", "rows", "links"] = Field(
        default="pages", description="Pages, rows extracted from them, or links between them."
    )
    only: Literal["", "relevant"] = Field(default="relevant", description="All pages, or relevant ones.")
    text: bool = Field(default=True, description="With the text of the pages.")
    fields: str = Field(default="", max_length=1_000, description="Only these fields: url,title,verdict.")


def export_file(call: Call) -> Response:
    """Write an export to a temporary file and send it."""
    query: ExportQuery = call.query
    folder = call.folder
    if not begun_parts(folder):
        raise MissingThing
    place = tempfile.TemporaryDirectory(prefix="clew-export-")
    name = (
        "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in call.name)[:60] or "crawl"
    )
    target = Path(place.name) / f"{name}-{query.what}.{query.format}"
    try:
        _write(call, target)
    except BaseException:
        place.cleanup()
        raise
    return FileResponse(
        target,
        media_type="application/octet-stream",
        filename=target.name,
        background=BackgroundTask(place.cleanup),
    )


def _write(call: Call, target: Path) -> None:
    query: ExportQuery = call.query
    only_relevant = query.only == "relevant"
    if query.format == "corpus.tar":
        _write_corpus(call.folder, target, CorpusOptions(only_relevant=only_relevant))
        return
    if query.what == "links" or f".{query.format}" in GRAPH_FORMATS:
        check_not_sharded(call.folder, "the link graph")
        config = configuration.load_folder(call.folder)
        export_graph(call.folder, config, target, only_relevant=only_relevant)
        return
    fields = [name.strip() for name in query.fields.split(",") if name.strip()]
    options = ExportOptions(
        only_relevant=only_relevant,
        records=query.what == "rows" or query.format == "geojson",
        text=query.text,
        fields=fields,
    )
    store.export(call.folder, target, options)


def _write_corpus(folder: Path, target: Path, options: CorpusOptions) -> None:
    """Write the folder of a corpus as one file; its parts are compressed already."""
    corpus = target.with_name("corpus")
    export_corpus(folder, corpus, options, goal=describe_goal(folder))
    with tarfile.open(target, "w") as archive:
        archive.add(corpus, "corpus")
    shutil.rmtree(corpus)


def preview(call: Call) -> dict[str, Any]:
    """Return the first rows of an export."""
    query: ExportQuery = call.query
    begun = begun_parts(call.folder)
    if not begun:
        return {"columns": [], "rows": [], "note": "nothing was read yet"}
    folder = begun[0]
    if query.what == "rows" or query.format == "geojson":
        name = call.name if folder == call.folder else f"{call.name}:{folder.name}"
        shown = table(Call(server=call.server, name=name, query=RowQuery(limit=PREVIEW_ROWS)))
        if shown["columns"]:
            return {
                "columns": shown["columns"],
                "rows": [list(row["values"]) for row in shown["rows"]],
                "note": "",
            }
        rows = read_sql(folder, "SELECT columns, cells FROM records LIMIT ?", PREVIEW_ROWS)
        columns = json.loads(rows[0][0]) if rows else []
        return {
            "columns": columns,
            "rows": [json.loads(cells) for _, cells in rows],
            "note": "" if rows else "no rows were extracted",
        }
    if query.format in NOTES:
        return {"columns": [], "rows": [], "note": NOTES[query.format]}
    if query.what == "links":
        return {
            "columns": LINK_COLUMNS,
            "rows": [],
            "note": "a row for every link of every page that was read",
        }
    where = "AND pages.relevant = 1" if query.only == "relevant" else ""
    names = [name.strip() for name in query.fields.split(",") if name.strip()]
    known = (
        "url",
        "title",
        "verdict",
        "relevant",
        "lang",
        "mime",
        "fetched_at",
        "anchor",
        "depth",
        "host",
        "text",
    )
    if unknown := [name for name in names if name not in FIELDS]:
        msg = f"there is no field {unknown[0][:60]}; fields: {', '.join(FIELDS)}"
        raise ConfigError(msg)
    chosen = [name for name in names if name in known] or [
        name for name in known if query.text or name != "text"
    ]
    listed = ", ".join(f"substr(fetched.{name}, 1, 120)" for name in chosen)
    rows = read_sql(
        folder,
        f"SELECT {listed} FROM pages JOIN fetched USING (id) WHERE kind = 'page' {where} LIMIT ?",  # noqa: S608 - names of ours
        PREVIEW_ROWS,
    )
    return {"columns": chosen, "rows": [list(row) for row in rows], "note": "" if rows else "no page matches"}


def export_page(call: Call) -> dict[str, Any]:
    """Return the form of the exports."""
    rows = any(
        has_table(path) or read_sql(path, "SELECT 1 FROM records LIMIT 1")
        for path in begun_parts(call.folder)
    )
    return {"formats": FORMATS, "has_rows": rows, "folder": str(call.folder)}


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/export",
        summary="The crawl as a file.",
        run=export_file,
        query=ExportQuery,
        returns="application/octet-stream",
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/export/preview",
        summary="The first rows of an export.",
        run=preview,
        query=ExportQuery,
    ),
)
PAGES = (WebPage(path="/crawls/{name}/export", template="export.html", title="Export", run=export_page),)
