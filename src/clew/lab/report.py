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
    FLOOR,
    Heat,
    PolicyStanding,
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


def report(account: RaceSummary) -> str:
    """Return the whole report as HTML text."""
    body = [
        f"<h1>{TITLE}</h1>",
        *_opening(account),
        *_contents(account),
        *_summary(account),
        *_heats(account),
        _method(account),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{TITLE}</title><style>{_part('report.css')}</style></head>"
        f"<body>{''.join(body)}<script>{_part('report.js')}</script></body></html>\n"
    )


def _part(name: str) -> str:
    return files("clew.lab").joinpath(name).read_text("utf-8")


def _opening(account: RaceSummary) -> list[str]:
    settings = account.settings
    tasks = len({(heat.world, heat.task) for heat in account.heats})
    racing = [name for name in account.policies() if name not in (FLOOR, CEILING)]
    field = f"{_many(len(racing), 'policy', 'policies')} beside breadth-first and the oracle"
    length = f"{_many(settings.runs, 'run')} each, at most {settings.pages:,} fetches a run"
    lines = [
        f"<p>{field}, on {_many(tasks, 'task')}; {length}. <b>{escape(account.settings.judged())}</b></p>"
    ]
    if account.missing:
        left = f"{_many(account.missing, 'run')} not yet made: the same command goes on with them."
        lines.append(f'<p class="note">This race is not finished: {left}</p>')
    lines += [f'<p class="note">{escape(note)}</p>' for note in account.notes]
    return lines


def _contents(account: RaceSummary) -> list[str]:
    if len(account.heats) < 3:  # noqa: PLR2004
        return []
    items = [
        f'<li><a href="#heat-{i}">{escape(heat.title())}</a></li>' for i, heat in enumerate(account.heats)
    ]
    return ["<nav><details open><summary>Tasks</summary><ol>", *items, "</ol></details></nav>"]


def _summary(account: RaceSummary) -> list[str]:
    """Sum up over tasks, for each cap that has more than one."""
    parts = []
    caps = [heat.cap for heat in account.heats]
    for cap in sorted(set(caps)):
        if caps.count(cap) > 1:
            table = over_tasks(account.heats, cap)
            limit = f", at most {cap} pages a host" if cap else ""
            parts.append(f"<h2>Over all {caps.count(cap)} tasks{limit}</h2>")
            words = "The interval is over tasks (t, 95 %); runs of one task were averaged before"
            parts.append(_table(totals_table(totals(table)), f"{words}. {account.settings.judged()}"))
            parts.append(
                _duels(pairs_table(pairs_over_tasks(table)), "Which differences are more than luck?")
            )
    return parts


def _heats(account: RaceSummary) -> list[str]:
    parts = []
    tone = plots.colours(account.policies())
    numbered = list(enumerate(account.heats.items()))
    for _, group in groupby(numbered, key=lambda item: (item[1][0].world, item[1][0].task)):
        for i, (heat, ranked) in group:
            parts.append(f'<h2 id="heat-{i}">{escape(heat.title())}</h2>')
            parts.append(f'<p class="soft">{escape(account.course(heat).sentence())}</p>')
            parts.append(_figure(heat, ranked, tone, account))
            mean = "Mean ± 95 % interval (t) over runs" if account.settings.runs > 1 else "One run"
            words = f"{mean}; best policy marked. {account.settings.judged()}"
            parts.append(_table(measures_table(ranked, account.course(heat).budget), words))
            parts.append(_duels(pairs_table(pairs(ranked)), "Which differences are more than luck?"))
    return parts


def _figure(heat: Heat, ranked: Sequence[PolicyStanding], tone: dict[str, int], account: RaceSummary) -> str:
    """Draw a heat's curves, with their numbers for whoever points at them."""
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
    drawn = plots.drawing(lines, x_label="fetches", y_label="recall", title=f"recall, {heat.title()}")
    embedded = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return (
        f'<figure class="curves">{drawn}<div class="tip"></div>'
        f'<script type="application/json">{embedded}</script>'
        f"{_legend(lines)}<figcaption>Recall of the relevant pages within reach, over fetches"
        f"{_bands(account)}. {escape(account.settings.judged())}</figcaption></figure>"
    )


def _bands(account: RaceSummary) -> str:
    return "; bands are 95 % intervals over runs" if account.settings.runs > 1 else ""


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


def _duels(table: ReportTable, title: str) -> str:
    if not table.rows:
        return ""
    pairs_of = "Every two policies on the same start sets and dice; sign-flip test, corrected after Holm."
    return f"<details><summary>{title}</summary>{_table(table, pairs_of)}</details>"


def _method(account: RaceSummary) -> str:
    """Say what was measured and how, so that the numbers can be checked and cited."""
    settings = account.settings
    listed = [f"<li><b>{escape(each.label)}</b>: {escape(each.meaning)}.</li>" for each in MEASURES]
    return _part("method.html").format(
        judged=escape(account.settings.judged()),
        dead_ends=_DEAD_ENDS[settings.dead_ends],
        traps="The trap guard was at work." if settings.traps else "The trap guard was off.",
        runs=_many(settings.runs, "run"),
        smallest=f"{2 / 2 ** max(1, settings.runs):.2g}",
        caps=", ".join(str(cap) if cap else "as many as it has" for cap in settings.caps),
        made_by=escape(account.made_by),
        measures="".join(listed),
    )


def _many(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
