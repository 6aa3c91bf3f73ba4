"""What to do next with a crawl that does not run, as a sentence and links to the pages that do it."""

from collections.abc import Mapping, Sequence
from typing import Any

FEW_LABELS = 10
"""Labels below which the overview proposes to teach."""


def next_steps(state: Mapping[str, Any], ended: str, labels: Sequence[int]) -> list[dict[str, str]]:
    """Return what is worth doing now, the most useful first; nothing while it runs or before its first page.

    >>> [step["to"] for step in next_steps({"pages": 90, "relevant": 12, "open": 5}, "stopped", (0, 0))]
    ['pages?relevant=yes', 'teach', 'export']
    >>> [step["to"] for step in next_steps({"pages": 90, "relevant": 0, "open": 5}, "stopped", (0, 0))]
    ['teach', 'pages?sort=verdict', 'settings']
    >>> [step["to"] for step in next_steps({"pages": 90, "relevant": 12, "open": 0}, "", (8, 7))]
    ['pages?relevant=yes', 'export', 'changes']
    """
    if not state["pages"] or state.get("running"):
        return []
    taught = sum(labels) >= FEW_LABELS
    if not state["relevant"]:
        return [
            _step(
                "teach",
                "Say which pages are relevant",
                "none was so far; a few labels help",
            ),
            _step("pages?sort=verdict", "Look at the best pages", "they show what the judge saw"),
            _step("settings", "Change the goal", "topic, start URLs, threshold"),
        ]
    count = f"{state['relevant']:,} relevant page{'s' * (state['relevant'] != 1)}"
    steps = [_step("pages?relevant=yes", f"Look at the {count}", "search, filter, read, correct")]
    if not taught:
        steps.append(_step("teach", "Teach it", "each answer moves links and pages"))
    steps.append(_step("export", "Export", "spreadsheet, JSON, archive, corpus"))
    if not state["open"] or ended not in ("", "stopped"):
        steps.append(_step("changes", "See what is new", "a refresh finds what has changed since"))
    return steps


def _step(to: str, label: str, why: str) -> dict[str, str]:
    return {"to": to, "label": label, "why": why}
