"""`clew new --records`: example rows from a file or typed in, checked before use."""

import sys
from pathlib import Path

from clew.cli import screen
from clew.domain.records.example_table import (
    EXAMPLES_FILE,
    ExampleTable,
    parse_table,
    parse_typed_table,
    read_table,
    write_table,
)
from clew.domain.text import printable
from clew.errors import ConfigError, StoreError

TYPED = "-"
"""File name for typed rows or standard input."""

_SUFFIXES = (".csv", ".tsv", ".jsonl", ".txt", ".json")
_SHOWN = 3


def is_table(answer: str) -> bool:
    """Return whether an answer names a table rather than a topic."""
    return answer == TYPED or (answer.lower().endswith(_SUFFIXES) and " " not in answer.strip())


def read_example_rows(name: str, *, interactive: bool) -> ExampleTable:
    """Read a table of example rows, and print a preview."""
    if name != TYPED:
        table = read_table(Path(name).expanduser())
    elif interactive:
        table = _prompt_rows()
    else:
        table = parse_table(sys.stdin.buffer.read(), "standard input")
    count, columns = len(table.rows), ", ".join(printable(column, 30) for column in table.columns)
    screen.echo(f"✓ {count:,} example row{'s' * (count != 1)} of {columns}, such as:")
    for row in table.rows[:_SHOWN]:
        screen.echo(f"  {' · '.join(printable(value, 60) for value in row)}")
    for note in table.notes:
        screen.echo(f"  ! {note}")
    return table


def _prompt_rows() -> ExampleTable:
    """Prompt for column names and rows until an empty line ends a valid table."""
    screen.echo("Column names, separated by commas (author, title):")
    names = ""
    while not names:
        names = input("> ").strip()
    screen.echo('Example rows, one per line; quote values that contain a comma ("…"). Enter ends:')
    rows: list[str] = []
    while True:
        if line := input("> ").strip():
            try:
                parse_typed_table([names, line])
                rows.append(line)
            except ConfigError as error:
                screen.echo(f"  ! {printable(str(error))}")
            continue
        try:
            return parse_typed_table([names, *rows])
        except ConfigError as error:
            screen.echo(f"  ! {printable(str(error))}")


def check_no_rows(folder: Path) -> None:
    """Raise if the folder already has a table; it is never overwritten."""
    if (folder / EXAMPLES_FILE).exists():
        msg = f"{folder / EXAMPLES_FILE} already exists; move it away, or choose another folder"
        raise ConfigError(msg)


def write_rows(folder: Path, table: ExampleTable) -> None:
    """Write the table into the folder of a new crawl."""
    try:
        write_table(folder / EXAMPLES_FILE, table)
    except OSError as error:
        msg = f"{folder / EXAMPLES_FILE} cannot be written: {error.strerror}; free some space, then try again"
        raise StoreError(msg) from None
