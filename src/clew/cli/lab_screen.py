"""Output of a race: progress while it runs, and tables of its results."""

import json as jsons
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Self

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from clew.cli.screen import echo, print_error
from clew.cli.terminal import can_paint
from clew.cli.text_cells import Line, Pens, fit
from clew.domain.text import printable
from clew.lab.catalogue import CatalogueEntry
from clew.lab.race_summary import RaceSummary
from clew.lab.standings import CEILING, FLOOR, over_tasks, pairs, pairs_over_tasks, totals
from clew.lab.tables import ReportTable, headline, measures_table, totals_table
from clew.lab.worker_pool import Done

LINE_SECONDS = 5.0
"""Seconds between two plain lines without a terminal."""

COLUMNS = ("gain", "area", "found", "wrong", "harvest", "to_50", "hosts", "auc", "cpu", "recall", "to_90")
"""Measures by importance: as many are shown as fit the window."""

MANY = 3
"""With more cases than this only the totals are shown."""

PLAIN_WIDTH = 120
"""Width of a table that is written to a file or a pipe."""


class RaceProgress(AbstractContextManager["RaceProgress"]):
    """Show the progress of a race: a bar on a terminal, plain lines elsewhere, nothing if `silent`."""

    def __init__(self, *, silent: bool = False) -> None:
        self.silent = silent
        self._bar: Progress | None = None
        self._last = 0.0
        self._reported: set[tuple[str, str]] = set()
        self._total = self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, total: int, done: int) -> None:
        """Show the number of runs, and how many of them were finished before."""
        self._total, self._done = total, done
        before = f", {done:,} of them finished before" if done else ""
        self.note(f"{total:,} runs{before}")
        if can_paint() and not self.silent and done < total:
            self._bar = Progress(
                TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                console=Console(), transient=True,
            )  # fmt: skip
            self._bar.add_task(fit("", 40), total=total, completed=done)
            self._bar.start()

    def ran(self, done: Done) -> None:
        """Show a finished run."""
        self._done += 1
        result = f"{done.entry.policy} on {done.entry.case.task}: {done.found:,} found"
        if done.error and (done.entry.policy, done.error) not in self._reported:
            self._reported.add((done.entry.policy, done.error))
            print_error(f"{done.entry.policy} on {done.entry.case.title()}: {done.error}")
        if self._bar is not None:
            task = self._bar.task_ids[0]
            self._bar.update(task, advance=1, description=fit(printable(result), 40))
        elif time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            self.note(f"{self._done:,} of {self._total:,} runs; {result}")

    def note(self, text: str) -> None:
        """Print a note."""
        if self.silent:
            return
        if self._bar is not None:
            self._bar.console.print(printable(text), markup=False, highlight=False)
        else:
            echo(printable(text))


def summary_lines(summary: RaceSummary) -> Iterator[str]:
    """Yield the lines of a race's tables; with many cases only the totals, the report has the rest."""
    width, pens = (Console().width, Pens()) if can_paint() else (PLAIN_WIDTH, None)
    caps = [case.cap for case in summary.cases]
    for cap in dict.fromkeys(caps):
        if caps.count(cap) > 1:
            limit = f", at most {cap} pages per host" if cap else ""
            yield f"\nover {caps.count(cap)} tasks{limit}"
            table = over_tasks(summary.cases, cap)
            ranked_totals = totals(table)
            yield printable(headline(pairs_over_tasks(table), [total.policy for total in ranked_totals]))
            yield from _lines(totals_table(ranked_totals), pens)
    for case, ranked in summary.cases.items() if len(summary.cases) <= MANY else ():
        stats = summary.stats(case)
        yield f"\n{printable(case.title())}"
        yield printable(stats.sentence())
        yield printable(headline(pairs(ranked), [standing.policy for standing in ranked]))
        # A narrow window shows only the more important columns.
        tables = (measures_table(ranked, stats.budget, COLUMNS[:n]) for n in range(len(COLUMNS), 0, -1))
        chosen = next((each for each in tables if sum(_widths(each)) + 2 * len(each.columns) <= width), None)
        yield from _lines(chosen or measures_table(ranked, stats.budget, COLUMNS[:1]), pens)
    yield f"\n{summary.settings.judged()}"
    yield "Normalised area: 0 is breadth-first, 1 the oracle. Mean ± 95 % interval, from four runs on;"
    yield "* marks a policy whose interval is clear of all others"
    for note in summary.notes:
        yield f"note: {printable(note)}"
    if summary.missing:
        yield f"not finished: {summary.missing:,} runs are missing; the same command continues"


def _widths(table: ReportTable) -> list[int]:
    """Return the width of each column, including the mark after the best cells."""
    rows = [[name for name, _ in table.columns], *([cell.text for cell in row] for row in table.rows)]
    return [max(cell_len(printable(row[i])) for row in rows) + (i > 0) for i in range(len(table.columns))]


def _lines(table: ReportTable, pens: Pens | None) -> Iterator[str]:
    """Yield a table as text: names left, numbers right, bounds dim, the best cells bold and marked."""
    widths = _widths(table)
    head: Line = [
        (_cell(name, width, i, " "), "label")
        for i, ((name, _), width) in enumerate(zip(table.columns, widths, strict=True))
    ]
    yield _painted(head, pens)
    for row in table.rows:
        is_bound = row[0].text in (CEILING, FLOOR)
        line: Line = []
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            pen = "dim" if is_bound else "name" if cell.best else ""
            line.append((_cell(cell.text, width, i, "*" if cell.best else " "), pen))
        yield _painted(line, pens)


def _cell(text: str, width: int, column: int, mark: str) -> str:
    shown = printable(text)
    padding = " " * (width - cell_len(shown) - (column > 0))
    return f"{shown}{padding}" if not column else f"  {padding}{shown}{mark or ' '}"


def _painted(line: Line, pens: Pens | None) -> str:
    return pens.paint(line) if pens else "".join(text for text, _ in line).rstrip()


def world_lines(entry: CatalogueEntry, *, json: bool) -> Iterator[str]:
    """Yield the lines that describe a world."""
    if json:
        yield jsons.dumps(entry.as_dict(), ensure_ascii=False)
        return
    if entry.pages:
        languages = f", {', '.join(entry.languages)}" if entry.languages else ""
        hosts = f"{entry.hosts:,} host{'s' * (entry.hosts != 1)}"
        yield f"{printable(entry.name)}  {entry.pages:,} pages, {hosts}{languages}"
    else:
        yield printable(entry.name)
    for name, count, kind in entry.tasks:
        share = f"{count / entry.pages:6.1%}" if entry.pages else ""
        yield f"    {fit(printable(name), 44)} {count:7,} relevant {share}  {kind}"
    for note in entry.notes:
        yield f"    note: {printable(note)}"
