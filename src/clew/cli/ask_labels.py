"""Ask the user to label pages: one card and one key per page; plain lines without a terminal."""

import os
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.cells import chop_cells
from rich.console import Console
from rich.text import Text

from clew.cli import screen
from clew.cli.terminal import SEQUENCE
from clew.cli.text_cells import Line, Pens, encodable, tidy, trimmed
from clew.domain.verdict_text import verdict_text
from clew.services.labels import LabelQuestion

WIDEST = 110
"""Maximum cells in a line of text: longer lines are hard to read, however wide the window is."""

KEYS = {"y": "yes", "n": "no", "s": "skip", "q": "quit"}
_ALIASES = {"yes": "y", "no": "n", "skip": "s", "quit": "q", "": "s", "\x1b": "q", "\x04": "q"}
_LABEL = 9  # cells before the text of a row


def card(question: LabelQuestion, keep: float, width: int, position: str = "") -> list[Line]:
    """Return the description of a page as lines of at most `width` cells, safe to print."""
    room = max(20, min(width, WIDEST) - _LABEL - 1)
    verdict = f"{'yes' if question.verdict >= keep else 'no'}, {verdict_text(question.verdict, keep)}"
    rows: list[tuple[str, str, str]] = [
        ("page", question.title or "(no title)", "name"),
        ("url", question.url, ""),
        ("text", question.excerpt or "(no text)", ""),
        ("judge", f"{verdict}: {question.why or 'no reason given'}", "warn"),
        ("asked", "; ".join(question.because) or "no more informative page is left", "dim"),
    ]
    lines: list[Line] = [[(position, "key")]] if position else []
    for name, text, pen in rows:
        for number, part in enumerate(folded(tidy(text, 2_000), room) or [""]):
            label = name if number == 0 else ""
            lines.append([(f"{label:>{_LABEL - 2}}  ", "label"), (part, pen)])
    return [trimmed(line, width) for line in lines]


def folded(text: str, width: int) -> list[str]:
    """Wrap text at blanks into lines of at most `width` cells; longer words are split.

    >>> folded("灯台の歴史 is long", 6)
    ['灯台の', '歴史', 'is', 'long']
    """
    console = Console(width=width, force_terminal=False, color_system=None)
    lines = [str(line).strip() for line in Text(text).wrap(console, width)]
    return [part for line in lines for part in (chop_cells(line, width) if line else [])]


def ask_each(questions: Sequence[LabelQuestion], keep: float) -> Iterator[tuple[LabelQuestion, bool]]:
    """Show each page and yield it with the label the user gives; skipped pages are not yielded."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    pens = Pens() if on_terminal else None
    for number, question in enumerate(questions, 1):
        width = max(30, _columns()) if on_terminal else WIDEST
        for line in card(question, keep, width, f"{number} of {len(questions)}"):
            screen.echo(pens.paint(line) if pens else "".join(text for text, _ in line).rstrip())
        key = _read_key() if on_terminal else _read_line()
        if key == "q":
            return
        if key in "yn":
            yield question, key == "y"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 80


def _read_line() -> str:
    """Read a label as a line; the end of the input quits."""
    while True:
        _write("  y yes · n no · s skip · q quit > ")
        line = sys.stdin.readline()
        word = line.strip().lower()
        screen.echo(word)
        if not line:
            return "q"
        if word in KEYS or word in _ALIASES:
            return _ALIASES.get(word, word)
        screen.echo(f"  ! {tidy(word, 40)}: type y, n, s or q")


def _read_key() -> str:
    """Wait for one of the four keys, or Escape; ignore others."""
    _write("  y yes · n no · s skip · q quit ")
    with _single_keys():
        while True:
            typed = os.read(sys.stdin.fileno(), 64).decode("utf-8", "ignore").lower()
            pressed = [_ALIASES.get(char, char) for char in SEQUENCE.sub("", typed)]
            key = "q" if not typed else next((char for char in pressed if char in KEYS), "")
            if key:  # an empty read means that the terminal is gone
                _write(f"› {KEYS[key]}\n\n")
                return key


@contextmanager
def _single_keys() -> Iterator[None]:
    """Read single keys without echo and restore the terminal afterwards; Ctrl-C still interrupts."""
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    tty.setcbreak(fd, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _write(text: str) -> None:
    sys.stdout.write(encodable(text, sys.stdout.encoding))
    sys.stdout.flush()
