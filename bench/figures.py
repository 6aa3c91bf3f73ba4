"""Publish what a bench measured: data files in docs/lab/data, and the pages that show them.

`python docs/figures.py` fills the pages again from the data files at any time.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence

from bench.measure import facts
from docs import figures
from docs.figures import Table, from_markdown


def publish(tables: Mapping[str, Table | str], command: str, *, dry: bool = False, **header: object) -> None:
    """Write tables (Markdown is read first) as data files with their origin, and fill the pages.

    With `dry`, the tables are printed and nothing is written.
    """
    read = {name: from_markdown(table) if isinstance(table, str) else table for name, table in tables.items()}
    if dry:
        for name, table in read.items():
            print(f"{name}\n\n{figures.markdown(table)}")
        return
    known = facts()
    written = {"command": command, "date": str(known["date"])[:10], "commit": known["commit"]}
    for name, table in read.items():
        figures.save(name, table, **written, **header)
        print(f"docs/lab/data/{name}.csv is written")
    try:
        for page in figures.refresh():
            print(f"{page.name} is filled from it")
    except LookupError as error:
        print(
            f"a page names a figure that is no longer there: {error}; mend it, then: python docs/figures.py"
        )


def options_of(parser: ArgumentParser, options: Namespace, names: Sequence[str]) -> str:
    """Return the options that differ from their defaults, as they would be typed."""
    found = ((name, getattr(options, name)) for name in names)
    changed = [(name, value) for name, value in found if value != parser.get_default(name)]
    return "".join(f" --{name.replace('_', '-')} {value}" for name, value in changed)


def with_keys(table: Table | str, **keys: object) -> Table:
    """Return a table with columns put before it that have one value each."""
    table = from_markdown(table) if isinstance(table, str) else table
    values = tuple(map(str, keys.values()))
    return Table((*keys, *table.columns), tuple((*values, *row) for row in table.rows))


def stacked(tables: Sequence[Table]) -> Table:
    """Return the rows of all tables; a column that a table lacks is empty there."""
    names = list(dict.fromkeys(name for table in tables for name in table.columns))
    columns = figures.in_order(names)
    rows = [dict(zip(table.columns, row, strict=True)) for table in tables for row in table.rows]
    return Table(columns, tuple(tuple(row.get(name, "") for name in columns) for row in rows))


def with_header(names: Sequence[str], lines: Sequence[str]) -> str:
    """Return a Markdown table with other names of columns."""
    rows = [line for line in lines if line.startswith("|")]
    return "\n".join([f"| {' | '.join(names)} |", *rows[1:]])
