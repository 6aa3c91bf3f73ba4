"""`--records`: the example rows of a new crawl, from a file or typed in, looked at before they are taken."""

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
"""What stands for rows that are typed in."""

_SUFFIXES = (".csv", ".tsv", ".jsonl", ".txt", ".json")
_SHOWN = 3


def is_table(answer: str) -> bool:
    """Tell an answer that names a table from words of a topic."""
    return answer == TYPED or (answer.lower().endswith(_SUFFIXES) and " " not in answer.strip())


def given_rows(name: str, *, asks: bool) -> ExampleTable:
    """Return the table that a person named, and say what is in it."""
    if name != TYPED:
        table = read_table(Path(name).expanduser())
    elif asks:
        table = _typed()
    else:
        table = parse_table(sys.stdin.buffer.read(), "standard input")
    many, named = len(table.rows), ", ".join(printable(column, 30) for column in table.columns)
    screen.say(f"✓ {many:,} example row{'s' * (many != 1)} of {named}, such as:")
    for row in table.rows[:_SHOWN]:
        screen.say(f"  {' · '.join(printable(value, 60) for value in row)}")
    for note in table.notes:
        screen.say(f"  ! {note}")
    return table


def _typed() -> ExampleTable:
    """Ask for names and rows, line by line, until an empty line ends a table that can be used."""
    screen.say("First the names of the columns, parted by commas (author, title):")
    names = ""
    while not names:
        names = input("> ").strip()
    screen.say('Now a few rows like those you want, one a line; "…" around a value with a comma. Enter ends:')
    rows: list[str] = []
    while True:
        if line := input("> ").strip():
            try:
                parse_typed_table([names, line])
                rows.append(line)
            except ConfigError as error:
                screen.say(f"  ! {printable(str(error))}")
            continue
        try:
            return parse_typed_table([names, *rows])
        except ConfigError as error:
            screen.say(f"  ! {printable(str(error))}")


def check_place(folder: Path) -> None:
    """Raise at once when the folder has a table already: it is never overwritten."""
    if (folder / EXAMPLES_FILE).exists():
        msg = f"{folder / EXAMPLES_FILE} is there already; move it away, or choose another folder"
        raise ConfigError(msg)


def keep_rows(folder: Path, table: ExampleTable) -> None:
    """Write the table into the folder of a new crawl."""
    try:
        write_table(folder / EXAMPLES_FILE, table)
    except OSError as error:
        msg = (
            f"{folder / EXAMPLES_FILE} cannot be written: {error.strerror}; free some space, then begin anew"
        )
        raise StoreError(msg) from None
