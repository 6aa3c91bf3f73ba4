"""The growing table: rows with their provenance, the patterns that brought them, and marks on rows."""

from typing import Any, Literal

from pydantic import Field

from clew import config as configuration
from clew.insight.preflight.folder_check import lock_holder
from clew.services.tables import WORDS, keep_marks
from clew.store import read_sql, read_table_rows
from clew.store.crawl_stats import has_links
from clew.store.export import has_table
from clew.web.operations import Call, Changes, Operation, Paging, WebPage
from clew.web.pages import Params

_PATTERNS = """SELECT patterns.id, words, patterns.confidence, prefix, count(DISTINCT stands.row),
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
    patterns = read_sql(folder, _PATTERNS)
    listed = [
        dict(zip(("id", "words", "confidence", "prefix", "rows", "struck"), each, strict=True))
        for each in patterns
    ]
    return none | {"columns": list(columns), "rows": shown, "total": len(rows), "patterns": listed}


def table_page(call: Call) -> dict[str, Any]:
    """Return the page: rows, patterns, and whether a teacher can be asked about them."""
    return {**table(call), "has_teacher": bool(configuration.load_folder(call.folder).teach.url)}


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
)
PAGES = (
    WebPage(
        path="/crawls/{name}/table",
        template="table.html",
        title="Table",
        run=table_page,
        query=RowQuery,
        of_shards=True,
    ),
)
