"""What a person sees of a race: progress while it runs, and its tables when it is over."""

import json as jsons
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Self

from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from clew.cli.screen import complain, say
from clew.cli.terminal import can_paint
from clew.cli.text_cells import Line, Pens, fit
from clew.domain.text import printable
from clew.lab.catalogue import CatalogueEntry
from clew.lab.race_summary import RaceSummary
from clew.lab.standings import CEILING, FLOOR, over_tasks, totals
from clew.lab.tables import ReportTable, measures_table, totals_table
from clew.lab.worker_pool import Done

LINE_SECONDS = 5.0
"""A plain line this often, when nobody sits at a terminal."""

COLUMNS = ("gain", "area", "found", "harvest", "to_50", "hosts", "auc", "cpu", "recall", "to_90")
"""Measures in the order of their worth: as many as the window has room for are shown."""

MANY = 3
"""With more heats than this only the sums are shown."""

PLAIN_WIDTH = 120
"""Columns of a table that goes into a file or a pipe."""


class RaceProgress(AbstractContextManager["RaceProgress"]):
    """Show how far a race has come: a bar on a terminal, plain lines elsewhere, nothing when `silent`."""

    def __init__(self, *, silent: bool = False) -> None:
        self.silent = silent
        self._bar: Progress | None = None
        self._last = 0.0
        self._said: set[tuple[str, str]] = set()
        self._total = self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, total: int, done: int) -> None:
        """Say how many runs there are, and how many of them were made before."""
        self._total, self._done = total, done
        before = f", {done:,} of them made before" if done else ""
        self.note(f"{total:,} runs{before}")
        if can_paint() and not self.silent and done < total:
            self._bar = Progress(
                TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                console=Console(), transient=True,
            )  # fmt: skip
            self._bar.add_task(fit("", 40), total=total, completed=done)
            self._bar.start()

    def ran(self, done: Done) -> None:
        """Show a run that ended."""
        self._done += 1
        words = f"{done.entry.policy} on {done.entry.case.task}: {done.found:,} found"
        if done.error and (done.entry.policy, done.error) not in self._said:
            self._said.add((done.entry.policy, done.error))
            complain(f"{done.entry.policy} on {done.entry.case.title()}: {done.error}")
        if self._bar is not None:
            task = self._bar.task_ids[0]
            self._bar.update(task, advance=1, description=fit(printable(words), 40))
        elif time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            self.note(f"{self._done:,} of {self._total:,} runs; {words}")

    def note(self, text: str) -> None:
        """Say something in words."""
        if self.silent:
            return
        if self._bar is not None:
            self._bar.console.print(printable(text), markup=False, highlight=False)
        else:
            say(printable(text))


def account(told: RaceSummary) -> Iterator[str]:
    """Yield the lines of a race's tables; with many heats only the sums, the report has the rest."""
    width, pens = (Console().width, Pens()) if can_paint() else (PLAIN_WIDTH, None)
    caps = [heat.cap for heat in told.cases]
    for cap in dict.fromkeys(caps):
        if caps.count(cap) > 1:
            limit = f", at most {cap} pages a host" if cap else ""
            yield f"\nover {caps.count(cap)} tasks{limit}"
            yield from _lines(totals_table(totals(over_tasks(told.cases, cap))), pens)
    for heat, ranked in told.cases.items() if len(told.cases) <= MANY else ():
        course = told.stats(heat)
        yield f"\n{printable(heat.title())}"
        yield printable(course.sentence())
        # The less important columns go when the window is narrow.
        tables = (measures_table(ranked, course.budget, COLUMNS[:n]) for n in range(len(COLUMNS), 0, -1))
        table = next((each for each in tables if sum(_widths(each)) + 2 * len(each.columns) <= width), None)
        yield from _lines(table or measures_table(ranked, course.budget, COLUMNS[:1]), pens)
    yield f"\n{told.settings.judged()}"
    yield "Mean ± 95 % interval; normalised area: 0 is breadth-first, 1 the oracle; * marks the best policy"
    for note in told.notes:
        yield f"note: {printable(note)}"
    if told.missing:
        yield f"not finished: {told.missing:,} runs are missing; the same command goes on"


def _widths(table: ReportTable) -> list[int]:
    """Return how wide each column is, the mark behind the best cells included."""
    rows = [[name for name, _ in table.columns], *([cell.text for cell in row] for row in table.rows)]
    return [max(cell_len(printable(row[i])) for row in rows) + (i > 0) for i in range(len(table.columns))]


def _lines(table: ReportTable, pens: Pens | None) -> Iterator[str]:
    """Yield a table as text: names left, numbers right, limits dim, the best cells bold and marked."""
    widths = _widths(table)
    head: Line = [
        (_cell(name, width, i, " "), "label")
        for i, ((name, _), width) in enumerate(zip(table.columns, widths, strict=True))
    ]
    yield _painted(head, pens)
    for row in table.rows:
        limit = row[0].text in (CEILING, FLOOR)
        line: Line = []
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            pen = "dim" if limit else "name" if cell.best else ""
            line.append((_cell(cell.text, width, i, "*" if cell.best else " "), pen))
        yield _painted(line, pens)


def _cell(text: str, width: int, column: int, mark: str) -> str:
    words = printable(text)
    room = " " * (width - cell_len(words) - (column > 0))
    return f"{words}{room}" if not column else f"  {room}{words}{mark or ' '}"


def _painted(line: Line, pens: Pens | None) -> str:
    return pens.paint(line) if pens else "".join(text for text, _ in line).rstrip()


def world(listed: CatalogueEntry, *, json: bool) -> Iterator[str]:
    """Yield the lines that describe a world."""
    if json:
        yield jsons.dumps(listed.as_dict(), ensure_ascii=False)
        return
    if listed.pages:
        languages = f", {', '.join(listed.languages)}" if listed.languages else ""
        hosts = f"{listed.hosts:,} host{'s' * (listed.hosts != 1)}"
        yield f"{printable(listed.name)}  {listed.pages:,} pages, {hosts}{languages}"
    else:
        yield printable(listed.name)
    for name, count, kind in listed.tasks:
        share = f"{count / listed.pages:6.1%}" if listed.pages else ""
        yield f"    {fit(printable(name), 44)} {count:7,} relevant {share}  {kind}"
    for note in listed.notes:
        yield f"    note: {printable(note)}"
