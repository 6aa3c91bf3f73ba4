"""Why: the path to a URL, its score as bars that add up, the link in its surroundings, and cures."""

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from pydantic import Field
from starlette.responses import RedirectResponse, Response

from clew.cli.shard_feedback import begun_shards
from clew.domain.verdict_text import verdict_text
from clew.errors import ConfigError
from clew.insight.explain import Explanation, UnclearUrl, explain, explain_link
from clew.store import find_urls
from clew.store.crawl_stats import has_links
from clew.store.link_history import read_link_row
from clew.web.operations import Call, MissingThing, Nothing, Operation, WebPage
from clew.web.pages import keep_of, labels_of

TERMS = 6


class WhyQuery(Nothing):
    """Which URL is meant: by itself, by a part of it, or by the id of its link."""

    url: str = Field(
        default="", max_length=8_000, description="A URL, or a part that only one known URL contains."
    )
    id: int = Field(default=0, ge=0, le=2**50, description="The id of a link or page.")


def why(call: Call) -> dict[str, Any]:
    """Explain one URL."""
    query: WhyQuery = call.query
    if not query.url and not query.id:
        return {"card": None, "asked": ""}
    id = query.id or page_id(call.folder, query.url.strip())
    card = explain_link(call.folder, id) if id else explain(call.folder, query.url.strip())
    if card is None:
        raise MissingThing
    keep = keep_of(call.folder)
    page = page_id(call.folder, card.url) if not id and card.state == "fetched" else id
    return {
        "card": card.as_dict(),
        "asked": query.url or card.url,
        "bars": bars(card),
        "keep": keep,
        "changes": changes(card, keep),
        "label": labels_of(call.server, call.folder).get(card.url),
        "page": page,
    }


def why_page(call: Call) -> dict[str, Any] | Response:
    """Explain one URL, or ask for one; of a divided crawl, on the page of the shard that knows it."""
    if shards := begun_shards(call.folder):
        owner = next(
            (path for path in shards if call.query.url and find_urls(path, call.query.url)), shards[0]
        )
        address = f"/crawls/{quote(f'{call.name}:{owner.name}', safe='')}/why"
        return RedirectResponse(f"{address}?{urlencode({'url': call.query.url})}", 307)
    nothing = {"card": None, "asked": call.query.url, "similar": (), "problem": ""}
    if not has_links(call.folder):
        return nothing
    try:
        return {**nothing, **why(call)}
    except UnclearUrl as unclear:
        return {**nothing, "similar": unclear.similar}
    except ConfigError as error:
        return {**nothing, "problem": str(error)}


def page_id(folder: Path, url: str) -> int:
    """Return the id of a known URL, 0 if it is unknown."""
    row = read_link_row(folder, url)
    return int(row["id"]) if row else 0


def bars(card: Explanation) -> list[dict[str, Any]]:
    """Return the parts of the score with where each bar begins and ends, so that they add up to the score."""
    if card.ranking is None:
        return []
    at = 0.0
    rows: list[dict[str, Any]] = []
    for name, value in card.ranking.parts:
        terms = sorted(card.ranking.terms.get(name, ()), key=lambda term: -abs(term[1]))[:TERMS]
        rows.append({"part": name, "value": value, "from": at, "to": at + value, "terms": terms})
        at += value
    low = min([0.0, *(min(row["from"], row["to"]) for row in rows)])
    high = max([card.ranking.score, 1e-6, *(max(row["from"], row["to"]) for row in rows)])
    for row in rows:
        start, end = sorted((row["from"], row["to"]))
        row["x"] = 100 * (start - low) / (high - low)
        row["width"] = max(0.6, 100 * (end - start) / (high - low))
        row["zero"] = 100 * (0.0 - low) / (high - low)
    return rows


def changes(card: Explanation, keep: float) -> list[str]:
    """Return what would change the outcome for this URL, one sentence each."""
    found = []
    verdict = card.page.verdict
    if card.state == "fetched" and verdict is not None:
        other = "not relevant" if card.page.relevant else "relevant"
        found.append(
            f"Your label comes before the judge: label it {other}, and judge and policy learn from it."
        )
        side = f"{'above' if card.page.relevant else 'at or below'} {verdict_text(verdict, keep)}"
        found.append(f"A threshold (goal.keep) {side} instead of {keep:.2f} would change its side.")
    if card.state == "open":
        found.append("Labelled relevant, it is fetched first; labelled not relevant, last.")
        if len(card.path) > 1:
            found.append("A label on the page it was found on moves all links of that page.")
    if card.state == "refused" and "robots" in card.reason:
        found.append("Only the owner of the site can change this, in robots.txt.")
    elif card.state == "refused" and "scope." in card.reason:
        found.append("It is outside your own [scope]: change it in the settings.")
    if card.state == "unknown":
        found.append("Add it to the seeds in the settings to have it fetched.")
    return found


OPERATIONS = (
    Operation(
        method="GET",
        path="/crawls/{name}/why",
        summary="Why a URL was fetched, waits or was refused.",
        run=why,
        query=WhyQuery,
    ),
)
PAGES = (WebPage(path="/crawls/{name}/why", template="why.html", title="Why", run=why_page, query=WhyQuery),)
