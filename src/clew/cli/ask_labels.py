"""Ask a person about pages: one card and one key each; plain lines where there is no terminal."""

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
from clew.services.labels import LabelQuestion

WIDEST = 110
"""Cells of a line of text at most: longer ones are hard to read, however wide the window is."""

KEYS = {"y": "yes", "n": "no", "s": "skip", "q": "quit"}
_WORDS = {"yes": "y", "no": "n", "skip": "s", "quit": "q", "": "s", "\x1b": "q", "\x04": "q"}
_LABEL = 9  # cells before the text of a row


def card(question: LabelQuestion, keep: float, width: int, place: str = "") -> list[Line]:
    """Return what is known of a page as lines of at most `width` cells; all of it is safe to show."""
    room = max(20, min(width, WIDEST) - _LABEL - 1)
    thinks = f"{'yes' if question.verdict >= keep else 'no'}, {question.verdict:.2f}"
    rows: list[tuple[str, str, str]] = [
        ("page", question.title or "(it has no title)", "name"),
        ("at", question.url, ""),
        ("says", question.excerpt or "(it has no text)", ""),
        ("Clew", f"{thinks}: {question.why or 'without a reason'}", "warn"),
        ("asked", "; ".join(question.because) or "nothing better is left to ask", "dim"),
    ]
    lines: list[Line] = [[(place, "key")]] if place else []
    for name, text, pen in rows:
        for number, part in enumerate(folded(tidy(text, 2_000), room) or [""]):
            label = name if number == 0 else ""
            lines.append([(f"{label:>{_LABEL - 2}}  ", "label"), (part, pen)])
    return [trimmed(line, width) for line in lines]


def folded(text: str, width: int) -> list[str]:
    """Break text at blanks into lines of at most `width` cells; what has no blanks is broken anywhere.

    >>> folded("灯台の歴史 is long", 6)
    ['灯台の', '歴史', 'is', 'long']
    """
    console = Console(width=width, force_terminal=False, color_system=None)
    lines = [str(line).strip() for line in Text(text).wrap(console, width)]
    return [part for line in lines for part in (chop_cells(line, width) if line else [])]


def answers(questions: Sequence[LabelQuestion], keep: float) -> Iterator[tuple[LabelQuestion, bool]]:
    """Show each page and yield what a person says about it; skipped ones are not answered."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    pens = Pens() if on_terminal else None
    for number, question in enumerate(questions, 1):
        width = max(30, _columns()) if on_terminal else WIDEST
        for line in card(question, keep, width, f"{number} of {len(questions)}"):
            screen.say(pens.paint(line) if pens else "".join(text for text, _ in line).rstrip())
        key = _key() if on_terminal else _typed()
        if key == "q":
            return
        if key in "yn":
            yield question, key == "y"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 80


def _typed() -> str:
    """Read an answer as a line; the end of the input ends the questions."""
    while True:
        _write("  y yes · n no · s skip · q quit > ")
        line = sys.stdin.readline()
        word = line.strip().lower()
        screen.say(word)
        if not line:
            return "q"
        if word in KEYS or word in _WORDS:
            return _WORDS.get(word, word)
        screen.say(f"  ! {tidy(word, 40)}: y, n, s or q is wanted")


def _key() -> str:
    """Wait for one of the four keys, or Escape; others mean nothing."""
    _write("  y yes · n no · s skip · q quit ")
    with _single_keys():
        while True:
            typed = os.read(sys.stdin.fileno(), 64).decode("utf-8", "ignore").lower()
            pressed = [_WORDS.get(sign, sign) for sign in SEQUENCE.sub("", typed)]
            key = "q" if not typed else next((sign for sign in pressed if sign in KEYS), "")
            if key:  # nothing typed at all: the terminal is gone
                _write(f"› {KEYS[key]}\n\n")
                return key


@contextmanager
def _single_keys() -> Iterator[None]:
    """Let keys come one by one, unseen; Ctrl-C stays what it is, and all is given back."""
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
