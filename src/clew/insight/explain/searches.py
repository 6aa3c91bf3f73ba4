"""What a crawl has searched for: each query with its reason and what it brought, as values and as lines."""

from pathlib import Path
from typing import Any

from clew.domain.text import shown
from clew.insight.explain.card import clock
from clew.store.searches import Search, read_searches


def searches(folder: Path) -> list[dict[str, Any]]:
    """Return every query, oldest first, as plain values; `relevant` counts pages among its new addresses."""
    return [
        {
            **{name: getattr(each, name) for name in Search.__slots__},
            "new": each.new or 0,
            "relevant": each.relevant or 0,
        }
        for each in read_searches(folder)
    ]


def told_searches(folder: Path) -> list[str]:
    """Say the same in lines that fit a terminal, with the sum at the end."""
    found = searches(folder)
    if not found:
        return ["nothing was searched for yet; engines are named in seek.search (docs/guides/search.md)"]
    said = []
    for each in found:
        lang = f" ({each['lang']})" if each["lang"] else ""
        engine = shown(each["engine"])
        said.append(
            f"{clock(each['at'])}  «{shown(each['query'], 60)}»{lang} on {engine}: {shown(each['why'])}"
        )
        came = f"{each['count']} results, {each['new']} new, {each['relevant']} of these relevant"
        said.append(f"  failed: {shown(each['error'], 120)}" if each["error"] else f"  {came}")
    new, relevant = (sum(each[name] for each in found) for name in ("new", "relevant"))
    queries = f"{len(found)} quer{'y' if len(found) == 1 else 'ies'}"
    return [*said, f"{queries} brought {new} addresses nobody had met, {relevant} of them relevant"]
