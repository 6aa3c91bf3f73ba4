"""Sites: the probability that each is relevant, and marks on them."""

import time
from typing import Any, Literal

from pydantic import Field

from clew.domain.sites.site_report import describe_phase
from clew.insight.site_listing import count_sites, known_site, load_sites_policy, site_rows
from clew.store import add_rules
from clew.store.crawl_stats import has_links
from clew.types import Rule
from clew.web.operations import Call, Changes, Operation, Paging, WebPage
from clew.web.pages import Params


class SiteBody(Changes):
    """A mark on a site: yes, no, or open to take it back."""

    site: str = Field(min_length=1, max_length=300)
    mark: Literal["yes", "no", "open"]


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
        counts = count_sites(policy, rows, folder)
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


OPERATIONS = (
    Operation(
        method="GET", path="/crawls/{name}/sites", summary="Sites with estimates.", run=sites, query=Paging
    ),
    Operation(
        method="POST", path="/crawls/{name}/sites", summary="Mark a site.", run=mark_site, body=SiteBody
    ),
)
PAGES = (
    WebPage(
        path="/crawls/{name}/sites",
        template="sites.html",
        title="Sites",
        run=sites,
        query=Paging,
        of_shards=True,
    ),
)
