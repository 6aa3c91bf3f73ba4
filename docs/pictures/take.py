"""Take the README's picture: run `clew try` in a real terminal (tmux) and keep what it shows half-way.

Run:  python docs/pictures/take.py [PAGES]
"""

import re
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

COLUMNS, ROWS = 112, 30
CLEW = Path(sys.executable).with_name("clew")
_PAGES = re.compile(r"pages +([\d,]+) of")


def tmux(*words: str) -> str:
    """Speak to a tmux server of our own."""
    done = subprocess.run(["tmux", "-L", "clew-picture", *words], capture_output=True, text=True, check=True)  # noqa: S603, S607
    return done.stdout


def main(pages: int) -> None:
    """Run, wait until so many pages are read, keep."""
    command = f"PS1= COLORTERM=truecolor {CLEW} try"
    tmux("new-session", "-d", "-s", "s", "-x", str(COLUMNS), "-y", str(ROWS), command)
    try:
        while not (read := _PAGES.search(tmux("capture-pane", "-p", "-t", "s"))) or _number(read[1]) < pages:
            time.sleep(0.1)
        picture = tmux("capture-pane", "-e", "-p", "-t", "s")
    finally:
        tmux("kill-server")
    lines = picture.rstrip("\n").split("\n")
    start = next(i for i, line in enumerate(lines) if "policy" in line)
    console = Console(record=True, width=COLUMNS, force_terminal=True, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    console.print(Text.from_ansi("\n".join(lines[start:])))
    console.save_svg(str(Path(__file__).with_name("live.svg")), title="clew try", theme=MONOKAI)


def _number(text: str) -> int:
    return int(text.replace(",", ""))


if __name__ == "__main__":
    main(_number(sys.argv[1]) if len(sys.argv) > 1 else 1000)
