"""The search queries of a crawl with their reasons and results, as values and as lines of text."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from clew.domain.text import printable
from clew.insight.explain.card import clock
from clew.store.searches import read_searches


def searches(folder: Path) -> list[dict[str, Any]]:
    """Return every query as plain values, oldest first; `relevant` counts pages among its new URLs."""
    return [
        {
            **{name: value for name, value in asdict(each).items() if name != "results"},
            "new": each.new or 0,
            "relevant": each.relevant or 0,
        }
        for each in read_searches(folder)
    ]


def search_lines(folder: Path) -> list[str]:
    """Return the queries as lines for a terminal, with totals at the end."""
    found = searches(folder)
    if not found:
        return ["no searches yet; set engines in seek.search (docs/guides/search.md)"]
    lines = []
    for each in found:
        lang = f" ({each['lang']})" if each["lang"] else ""
        engine = printable(each["engine"])
        lines.append(
            f"{clock(each['at'])}  «{printable(each['query'], 60)}»{lang} on {engine}: "
            f"{printable(each['why'])}"
        )
        results = f"{each['count']} results, {each['new']} new, {each['relevant']} of these relevant"
        lines.append(f"  failed: {printable(each['error'], 120)}" if each["error"] else f"  {results}")
    new, relevant = (sum(each[name] for each in found) for name in ("new", "relevant"))
    queries = f"{len(found)} quer{'y' if len(found) == 1 else 'ies'}"
    return [*lines, f"{queries} found {new} new URLs, {relevant} of them relevant"]
