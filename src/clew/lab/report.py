"""The report of a race: one HTML file that needs nothing else, neither network nor library."""

import json
import math
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from itertools import groupby

from clew.lab import plots
from clew.lab.measures import MEASURES
from clew.lab.race_summary import RaceSummary
from clew.lab.standings import (
    CEILING,
    FEW,
    FLOOR,
    PolicyStanding,
    RaceCase,
    over_tasks,
    pairs,
    pairs_over_tasks,
    totals,
)
from clew.lab.tables import ReportTable, measures_table, pairs_table, totals_table

TITLE = "A race of crawl policies"

_DEAD_ENDS = {
    False: "Links that lead out of the archive were hidden.",
    True: "Links that lead out of the archive were seen; following one costs a fetch and finds nothing.",
}


def report(summary: RaceSummary) -> str:
    """Return the whole report as HTML text."""
    body = [
        f"<h1>{TITLE}</h1>",
        *_opening(summary),
        *_contents(summary),
        *_summary(summary),
        *_cases(summary),
        _method(summary),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{TITLE}</title><style>{_part('report.css')}</style></head>"
        f"<body>{''.join(body)}<script>{_part('report.js')}</script></body></html>\n"
    )


def _part(name: str) -> str:
    return files("clew.lab").joinpath(name).read_text("utf-8")


def _opening(summary: RaceSummary) -> list[str]:
    settings = summary.settings
    tasks = len({(case.world, case.task) for case in summary.cases})
    racing = [name for name in summary.policies() if name not in (FLOOR, CEILING)]
    field = f"{_many(len(racing), 'policy', 'policies')} beside breadth-first and the oracle"
    length = f"{_many(settings.runs, 'run')} each, at most {settings.pages:,} pages a run"
    lines = [
        f"<p>{field}, on {_many(tasks, 'task')}; {length}. <b>{escape(summary.settings.judged())}</b></p>"
    ]
    if summary.missing:
        missing = f"{_many(summary.missing, 'run')} not yet made: the same command goes on with them."
        lines.append(f'<p class="note">This race is not finished: {missing}</p>')
    lines += [f'<p class="note">{escape(note)}</p>' for note in summary.notes]
    return lines


def _contents(summary: RaceSummary) -> list[str]:
    if len(summary.cases) < 3:  # noqa: PLR2004
        return []
    items = [
        f'<li><a href="#heat-{i}">{escape(case.title())}</a></li>' for i, case in enumerate(summary.cases)
    ]
    return ["<nav><details open><summary>Tasks</summary><ol>", *items, "</ol></details></nav>"]


def _summary(summary: RaceSummary) -> list[str]:
    """Sum up over tasks, for each cap that has more than one."""
    parts = []
    caps = [case.cap for case in summary.cases]
    for cap in sorted(set(caps)):
        if caps.count(cap) > 1:
            table = over_tasks(summary.cases, cap)
            limit = f", at most {cap} pages a host" if cap else ""
            parts.append(f"<h2>Over all {caps.count(cap)} tasks{limit}</h2>")
            words = "The interval is over tasks (t, 95 %); runs of one task were averaged before"
            parts.append(_table(totals_table(totals(table)), f"{words}. {summary.settings.judged()}"))
            parts.append(
                _comparisons(pairs_table(pairs_over_tasks(table)), "Which differences are significant?")
            )
    return parts


def _cases(summary: RaceSummary) -> list[str]:
    parts = []
    tone = plots.colours(summary.policies())
    numbered = list(enumerate(summary.cases.items()))
    for _, group in groupby(numbered, key=lambda item: (item[1][0].world, item[1][0].task)):
        for i, (case, ranked) in group:
            parts.append(f'<h2 id="heat-{i}">{escape(case.title())}</h2>')
            parts.append(f'<p class="soft">{escape(summary.stats(case).sentence())}</p>')
            parts.append(_figure(case, ranked, tone, summary))
            mean = _mean_of(summary.settings.runs)
            words = f"{mean}; a policy clear of all others is marked. {summary.settings.judged()}"
            parts.append(_table(measures_table(ranked, summary.stats(case).budget), words))
            parts.append(_comparisons(pairs_table(pairs(ranked)), "Which differences are significant?"))
    return parts


def _mean_of(runs: int) -> str:
    if runs == 1:
        return "One run"
    return "Mean; thin lines are the single runs" if runs <= FEW else "Mean ± 95 % interval (t) over runs"


def _figure(
    case: RaceCase, ranked: Sequence[PolicyStanding], tone: dict[str, int], summary: RaceSummary
) -> str:
    """Draw the curves of a case, with their numbers for the tooltip."""
    lines = [plots.Line(each.policy, each.band, tone[each.policy]) for each in ranked]
    most = max(float(line.band.x[-1]) for line in lines)
    data = {
        "width": plots.WIDTH,
        "left": plots.LEFT,
        "right": plots.WIDTH - plots.RIGHT,
        "top": plots.TOP,
        "bottom": plots.HEIGHT - plots.BOTTOM,
        "most": most,
        "lines": [
            {
                "name": line.name,
                "colour": line.colour % len(plots.COLOURS) if line.colour >= 0 else -1,
                "x": line.band.x.astype(int).tolist(),
                "mean": [round(value, 4) for value in line.band.mean.tolist()],
                "half": [round(value, 4) for value in ((line.band.high - line.band.low) / 2).tolist()],
            }
            for line in lines
        ],
    }
    drawn = plots.drawing(lines, x_label="fetches", y_label="recall", title=f"recall, {case.title()}")
    embedded = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return (
        f'<figure class="curves">{drawn}<div class="tip"></div>'
        f'<script type="application/json">{embedded}</script>'
        f"{_legend(lines)}<figcaption>Recall of the relevant pages within reach, over fetches"
        f"{_bands(summary)}. {escape(summary.settings.judged())}</figcaption></figure>"
    )


def _bands(summary: RaceSummary) -> str:
    return "; bands are 95 % intervals over runs" if summary.settings.runs > 1 else ""


def _legend(lines: Sequence[plots.Line]) -> str:
    """Name the lines below the drawing, for screens too narrow for names at their ends."""
    items = [
        f'<li style="--tone:var(--c{line.colour % len(plots.COLOURS) if line.colour >= 0 else -1})">'
        f"{escape(line.name)}</li>"
        for line in lines
    ]
    return f'<ul class="legend">{"".join(items)}</ul>'


def _table(table: ReportTable, caption: str) -> str:
    """Write a table whose columns sort when their head is pressed."""
    heads = "".join(
        f'<th scope="col" title="{escape(meaning, quote=True)}"><button>{escape(name)}</button></th>'
        for name, meaning in table.columns
    )
    rows = []
    for row in table.rows:
        limit = ' class="limit-row"' if row[0].text in (FLOOR, CEILING) else ""
        cells = "".join(_cell(cell.text, cell.value, cell.best) for cell in row[1:])
        rows.append(f"<tr{limit}><td>{escape(row[0].text)}</td>{cells}</tr>")
    return (
        f'<div class="scroll"><table class="sortable"><thead><tr>{heads}</tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table></div><p class="soft">{escape(caption)}</p>'
    )


def _cell(text: str, value: float, best: bool) -> str:
    known = "" if math.isnan(value) else f' data-value="{min(value, 1e18):.6g}"'
    return f"<td{known}{' class=best' if best else ''}>{escape(text)}</td>"


def _comparisons(table: ReportTable, title: str) -> str:
    if not table.rows:
        return ""
    pairs_of = "Every two policies on the same start sets and seeds; sign-flip test, corrected after Holm."
    return f"<details><summary>{title}</summary>{_table(table, pairs_of)}</details>"


def _method(summary: RaceSummary) -> str:
    """Say what was measured and how, so that the numbers can be checked and cited."""
    settings = summary.settings
    listed = [f"<li><b>{escape(each.label)}</b>: {escape(each.meaning)}.</li>" for each in MEASURES]
    return _part("method.html").format(
        judged=escape(summary.settings.judged()),
        dead_ends=_DEAD_ENDS[settings.dead_ends],
        traps="The trap guard was at work." if settings.traps else "The trap guard was off.",
        runs=_many(settings.runs, "run"),
        smallest=f"{2 / 2 ** max(1, settings.runs):.2g}",
        caps=", ".join(str(cap) if cap else "as many as it has" for cap in settings.caps),
        made_by=escape(summary.made_by),
        measures="".join(listed),
    )


def _many(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
