"""What a crawl has found besides pages: the table, sites, searches; and exports of it."""

import json
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from clew import config as configuration
from clew import store
from clew.domain.sites.site_report import describe_phase
from clew.insight.explain import searches
from clew.insight.link_graph import GRAPH_FORMATS, export_graph
from clew.insight.preflight.folder_check import lock_holder
from clew.insight.site_listing import count_sites, known_site, load_sites_policy, site_rows
from clew.services.tables import WORDS, keep_marks
from clew.store import add_rules, read_sql, read_table_rows
from clew.store.crawl_stats import has_links
from clew.store.export import ExportOptions, has_table
from clew.types import Rule
from clew.web.operations import Call, Changes, MissingThing, Nothing, Operation, Paging, WebPage
from clew.web.pages import Params

FORMATS = {
    "csv": "Spreadsheet (CSV)",
    "xlsx": "Excel",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "db": "SQLite database",
    "warc.gz": "Web archive (WARC)",
    "geojson": "Map of rows (GeoJSON)",
    "gexf": "Link graph for Gephi (GEXF)",
    "graphml": "Link graph (GraphML)",
}
PREVIEW_ROWS = 5
_PATTERNS = """SELECT patterns.id, words, confidence, prefix, count(DISTINCT stands.row),
    patterns.id IN (SELECT pattern FROM struck)
FROM patterns LEFT JOIN stands ON stands.pattern = patterns.id
GROUP BY patterns.id ORDER BY 5 DESC LIMIT 50"""


class RowQuery(Paging):
    """Which rows of the table."""

    find: str = Field(default="", description="Part of a value.")
    out: bool = Field(default=False, description="Also rows that were left out.")


class MarkBody(Changes):
    """Labels on rows: right, off-topic, noise, or an empty word to take one back."""

    marks: dict[int, Literal["right", "off-topic", "noise", ""]] = Field(min_length=1, max_length=10_000)


class SiteBody(Changes):
    """A mark on a site: yes, no, or open to take it back."""

    site: str = Field(min_length=1, max_length=300)
    mark: Literal["yes", "no", "open"]


class ExportQuery(Nothing):
    """What to export."""

    format: Literal["csv", "xlsx", "jsonl", "parquet", "db", "warc.gz", "geojson", "gexf", "graphml"] = "csv"
    what: Literal["pages", "rows"] = Field(default="pages", description="Pages, or rows extracted from them.")
    only: Literal["", "relevant"] = Field(default="relevant", description="All pages, or relevant ones.")
    text: bool = Field(default=True, description="With the text of the pages.")
    fields: str = Field(default="", max_length=1_000, description="Only these fields: url,title,verdict.")


# ---- table -------------------------------------------------------------------------------------


def table(call: Call) -> dict[str, Any]:
    """Return the rows of the growing table with their provenance."""
    query: RowQuery = call.query
    folder = call.folder
    params = Params(query.model_dump(exclude_defaults=True))
    none = {"columns": [], "rows": [], "total": 0, "patterns": [], "params": params, "words": WORDS}
    if not has_links(folder) or not has_table(folder):
        return none
    columns, found = read_table_rows(folder, all=query.out)
    wanted = query.find.casefold()
    rows = [row for row in found if not wanted or any(wanted in value.casefold() for value in row.values)]
    rows.reverse()
    shown = [
        {
            "id": row.id,
            "values": row.values,
            "confidence": row.confidence,
            "given": row.given,
            "mark": row.mark,
            "pages": row.pages,
            "sites": row.sites,
            "url": row.url,
            "pattern": row.pattern,
            "out": row.out,
        }
        for row in rows[query.offset : query.offset + query.limit]
    ]
    patterns = read_sql(
        folder,
        _PATTERNS,
    )
    listed = [
        dict(zip(("id", "words", "confidence", "prefix", "rows", "struck"), each, strict=True))
        for each in patterns
    ]
    return none | {"columns": list(columns), "rows": shown, "total": len(rows), "patterns": listed}


def mark_rows(call: Call) -> dict[str, Any]:
    """Label rows; noise also strikes the pattern that brought it."""
    labels, gained = keep_marks(call.folder, list(call.body.marks.items()))
    removed = (
        f"; {-gained:,} rows left out with it"
        if gained < 0
        else f"; {gained:,} rows are back"
        if gained
        else ""
    )
    when = "the running crawl applies it" if lock_holder(call.folder) else "the next run applies it"
    return {"marked": len(labels), "gained": gained, "message": f"{len(labels)} saved{removed}; {when}"}


# ---- sites and searches ------------------------------------------------------------------------


def sites(call: Call) -> dict[str, Any]:
    """Return the sites with the probability that each is relevant."""
    query: Paging = call.query
    params = Params(query.model_dump(exclude_defaults=True))
    folder = call.folder
    if not has_links(folder):
        return {"sites": [], "total": 0, "status": "", "params": params}

    def read() -> tuple[str, list[dict[str, Any]]]:
        policy = load_sites_policy(folder)
        rows = site_rows(policy, folder)
        counts = count_sites(policy, rows)
        return describe_phase(counts, policy.explored, policy.explore, policy.collecting), rows

    status, rows = call.server.cached("sites", folder, read).value(2.0)
    return {
        "sites": rows[query.offset : query.offset + query.limit],
        "total": len(rows),
        "status": status,
        "params": params,
    }


def mark_site(call: Call) -> dict[str, Any]:
    """Mark a site as relevant or not."""
    policy = load_sites_policy(call.folder)
    host = known_site(policy, call.folder, call.body.site)
    add_rules(call.folder, [Rule(host, call.body.mark, time.time())])
    call.server.forget("sites", call.folder)
    return {"site": host, "mark": call.body.mark, "message": f"{host}: {call.body.mark}"}


def list_searches(call: Call) -> dict[str, Any]:
    """Return the queries to search engines and what they brought."""
    found = searches(call.folder) if has_links(call.folder) else []
    engines = configuration.load(call.folder / "clew.toml").seek.search
    return {"searches": list(reversed(found))[:500], "total": len(found), "engines": engines}


# ---- export ------------------------------------------------------------------------------------


def export_file(call: Call) -> Response:
    """Write an export to a temporary file and send it."""
    query: ExportQuery = call.query
    folder = call.folder
    if not has_links(folder):
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
    if f".{query.format}" in GRAPH_FORMATS:
        config = configuration.load(call.folder / "clew.toml")
        export_graph(call.folder, config, target, only_relevant=query.only == "relevant")
        return
    fields = [name.strip() for name in query.fields.split(",") if name.strip()]
    options = ExportOptions(
        only_relevant=query.only == "relevant",
        records=query.what == "rows" or query.format == "geojson",
        text=query.text,
        fields=fields,
    )
    store.export(call.folder, target, options)


def preview(call: Call) -> dict[str, Any]:
    """Return the first rows of an export."""
    query: ExportQuery = call.query
    folder = call.folder
    if not has_links(folder):
        return {"columns": [], "rows": [], "note": "nothing was read yet"}
    if query.what == "rows" or query.format == "geojson":
        shown = table(Call(server=call.server, name=call.name, query=RowQuery(limit=PREVIEW_ROWS)))
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
    if query.format in ("warc.gz", "gexf", "graphml"):
        return {"columns": [], "rows": [], "note": FORMATS[query.format]}
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
    rows = has_links(call.folder) and (
        has_table(call.folder) or bool(read_sql(call.folder, "SELECT 1 FROM records LIMIT 1"))
    )
    return {"formats": FORMATS, "has_rows": rows, "folder": str(call.folder)}


OPERATIONS = (
    Operation(
        method="GET", path="/crawls/{name}/rows", summary="Rows of the table.", run=table, query=RowQuery
    ),
    Operation(
        method="POST",
        path="/crawls/{name}/rows",
        summary="Label rows: right, off-topic, noise.",
        run=mark_rows,
        body=MarkBody,
    ),
    Operation(
        method="GET", path="/crawls/{name}/sites", summary="Sites with estimates.", run=sites, query=Paging
    ),
    Operation(
        method="POST", path="/crawls/{name}/sites", summary="Mark a site.", run=mark_site, body=SiteBody
    ),
    Operation(
        method="GET",
        path="/crawls/{name}/searches",
        summary="Queries and what they brought.",
        run=list_searches,
    ),
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
PAGES = (
    WebPage(path="/crawls/{name}/table", template="table.html", title="Table", run=table, query=RowQuery),
    WebPage(path="/crawls/{name}/sites", template="sites.html", title="Sites", run=sites, query=Paging),
    WebPage(path="/crawls/{name}/searches", template="searches.html", title="Searches", run=list_searches),
    WebPage(path="/crawls/{name}/export", template="export.html", title="Export", run=export_page),
)
