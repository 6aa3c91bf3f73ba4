"""What a notebook shows: tables and texts as HTML, and the progress of a run."""

import html
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from clew.domain.text import printable
from clew.engine.run import CrawlRun

SECONDS = 0.5
"""Seconds between two updates of the progress."""

_CELL = 200


def as_pre(lines: Iterable[str]) -> str:
    """Return lines as HTML in a font of fixed width, whatever style the notebook has."""
    text = html.escape("\n".join(lines))
    return f'<pre style="font-family: monospace; white-space: pre; overflow-x: auto">{text}</pre>'


def as_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], note: str = "") -> str:
    """Return rows as an HTML table; long cells are cut, and nothing in them is markup."""
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{html.escape(note)}</p>"


def _cell(value: object) -> str:
    text = "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
    return html.escape(printable(text, _CELL))


class RowList(list[dict[str, Any]]):
    """A list of rows that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        columns = list(dict.fromkeys(name for row in self for name in row))
        shown = self[:50]
        note = f"{len(self):,} rows" + (f", the first {len(shown)} shown" if len(shown) < len(self) else "")
        return as_table(columns, [[row.get(name) for name in columns] for row in shown], note)


class RunProgress:
    """One line about a run, renewed while it goes on: in a notebook's cell, or on a terminal."""

    def __init__(self, *, wanted: bool | None = None) -> None:
        self._cell = _display_cell() if wanted is not False else None
        self._terminal = bool(wanted) and self._cell is None
        self._next = 0.0

    def update(self, run: CrawlRun, *, last: bool = False) -> None:
        """Show where the run is, at most every half second."""
        now = time.monotonic()
        if not (self._cell or self._terminal) or (now < self._next and not last):
            return
        self._next = now + SECONDS
        totals, limit = run.engine.totals, run.budget.pages
        of = f" of {limit:,}" if limit else ""
        share = f" ({totals.relevant / totals.pages:.0%})" if totals.pages else ""
        queued = f"{run.engine.frontier.open:,} queued"
        line = f"{totals.pages:,}{of} pages, {totals.relevant:,} relevant{share}, {queued}"
        if self._cell:
            self._cell.update(_Line(line))
        else:
            sys.stderr.write(f"\r{line}\x1b[K" + "\n" * last)
            sys.stderr.flush()


class _Line:
    """A line of text, as a notebook displays it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return as_pre([self.text])


def _display_cell() -> Any:  # noqa: ANN401 - a display handle of IPython, which is not installed with clew
    """Return a place in the output of the running cell; None outside a notebook."""
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    if shell is None or "Terminal" in type(shell).__name__:
        return None
    from IPython.display import display  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    return display(_Line("starting …"), display_id=True)  # type: ignore[no-untyped-call,unused-ignore]
