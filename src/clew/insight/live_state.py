"""What a running crawl tells other programs: its state as one small file, and its notes as lines of another.

Both are in derived/ and may be deleted at any time. `live.json` is replaced as a whole, so a reader never
sees half of it; `notes.jsonl` is appended to and begins anew when it has grown large.
"""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

DERIVED = "derived"
LIVE_FILE = f"{DERIVED}/live.json"
NOTES_FILE = f"{DERIVED}/notes.jsonl"

MAX_NOTES_BYTES = 1 << 20
"""Length at which the file of notes begins anew; the old one is kept until the next time."""

STALE = 15.0
"""Seconds after which the state of a process that does not write any more is not shown as current."""


def write_live(folder: Path, state: Mapping[str, Any]) -> None:
    """Replace the state; a disk that refuses it is no reason to end a crawl."""
    path, other = folder / LIVE_FILE, folder / f"{LIVE_FILE}.{os.getpid()}"
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        other.write_text(json.dumps(dict(state), ensure_ascii=False), "utf-8")
        other.replace(path)


def read_live(folder: Path) -> dict[str, Any]:
    """Return the last state, with `age` in seconds; empty if there is none or it cannot be read."""
    try:
        state = json.loads((folder / LIVE_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(state, dict):
        return {}
    at = state.get("at")
    state["age"] = max(0.0, time.time() - at) if isinstance(at, int | float) else STALE
    return state


def add_note(folder: Path, text: str, facts: Mapping[str, object]) -> None:
    """Append a note with its time and what it says to a program."""
    path = folder / NOTES_FILE
    with suppress(OSError, TypeError, ValueError):
        path.parent.mkdir(exist_ok=True)
        if path.exists() and path.stat().st_size > MAX_NOTES_BYTES:
            path.replace(folder / f"{NOTES_FILE}.1")
        line = json.dumps({"at": time.time(), "note": text, **facts}, ensure_ascii=False)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def read_notes(folder: Path, since: float = 0.0, most: int = 200) -> list[dict[str, Any]]:
    """Return the last notes after a time, oldest first; lines that cannot be read are left out."""
    try:
        with (folder / NOTES_FILE).open("rb") as file:
            lines = file.read(2 * MAX_NOTES_BYTES).splitlines()
    except OSError:
        return []
    notes = []
    for line in lines[-2 * most :]:
        with suppress(ValueError):
            note = json.loads(line)
            if isinstance(note, dict) and isinstance(note.get("at"), float) and note["at"] > since:
                notes.append(note)
    return notes[-most:]
