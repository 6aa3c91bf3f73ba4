"""Searches: what search engines were asked, and what it brought."""

from typing import Any

from clew import config as configuration
from clew.insight.explain import searches
from clew.store.crawl_stats import has_links
from clew.web.operations import Call, Operation, WebPage


def list_searches(call: Call) -> dict[str, Any]:
    """Return the queries to search engines and what they brought."""
    found = searches(call.folder) if has_links(call.folder) else []
    engines = configuration.load_folder(call.folder).seek.search
    return {"searches": list(reversed(found))[:500], "total": len(found), "engines": engines}


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/searches",
        summary="Queries and what they brought.",
        run=list_searches,
    ),
)
PAGES = (
    WebPage(
        path="/crawls/{name}/searches",
        template="searches.html",
        title="Searches",
        run=list_searches,
        of_shards=True,
    ),
)
