"""Forget a site again and again, killed each time a little later: python forgetter_to_kill.py FOLDER WORK HOST.

The first time, in a copy, nothing is killed: every line that `erase` comes through is written down. Then for
each of them a child does the same in a fresh copy and kills itself there; the copy is WORK/NUMBER.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

from clew.store import archive, forget, rewrite

FILES = {module.__file__ for module in (archive, forget, rewrite)}


def erase(folder: Path, host: str, watch) -> None:
    with forget.open_eraser(folder, host) as eraser:
        share = eraser.measure()
        sys.settrace(watch)
        eraser.erase(share)
        sys.settrace(None)


def instants(folder: Path, host: str) -> list[tuple[str, int]]:
    seen: dict[tuple[str, int], None] = {}

    def watch(frame, event, _):
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            seen.setdefault((frame.f_code.co_filename, frame.f_lineno))
        return watch

    erase(folder, host, watch)
    return list(seen)


def die_at(instant: tuple[str, int]):
    def watch(frame, event, _):
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line" and (frame.f_code.co_filename, frame.f_lineno) == instant:
            os.kill(os.getpid(), signal.SIGKILL)
        return watch

    return watch


def main(folder: Path, work: Path, host: str) -> None:
    for number, instant in enumerate(instants(Path(shutil.copytree(folder, work / "whole")), host)):
        place = Path(shutil.copytree(folder, work / str(number)))
        child = os.fork()
        if child == 0:
            erase(place, host, die_at(instant))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:  # a line that is reached only when two names fall into one second
            continue
        assert os.WTERMSIG(status) == signal.SIGKILL, (instant, status)
        print(number, Path(instant[0]).name, instant[1], flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
