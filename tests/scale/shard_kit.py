"""Start crawls in shards as a user does, and read what they export."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

CLEW = [sys.executable, "-m", "clew"]
PATIENCE = 240.0
"""Seconds that a test waits for something before it fails."""


def new_crawl(folder, web, *, delay=0.0, more=""):
    """Write the settings of a crawl of a tree web."""
    folder.mkdir(exist_ok=True)
    (folder / "clew.toml").write_text(
        f"""[crawl]
contact = "https://crawler.uni-x.org/bot"
seeds = ["{web.url(0)}"]
{more}
[goal]
about = "lighthouse keeper"
[fetch]
proxy = "{web.proxy}"
delay = {delay}
[parse]
workers = 1
[store]
min_free = 0
"""
    )
    return folder


def clew(*args, check=True, env=None):
    """Run a command to its end; return what it printed."""
    done = subprocess.run(
        [*CLEW, *map(str, args)], capture_output=True, text=True, timeout=PATIENCE, check=False, env=env
    )
    if check:
        assert done.returncode == 0, done.stdout + done.stderr
    return done


def start(log, *args, env=None):
    """Start a command that prints to a file, after what others have printed there."""
    with log.open("a") as file:
        command = [*CLEW, *map(str, args)]
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, text=True, env=env)


def exported(folder):
    """Return the exported pages by URL; one that occurs twice is an error."""
    target = Path(f"{folder}.jsonl")
    clew("export", folder, target)
    pages = {}
    for line in target.read_text().splitlines():
        row = json.loads(line)
        if row["kind"] == "page" and row["status"] == 200:
            assert row["url"] not in pages, f"{row['url']} is stored twice"
            pages[row["url"]] = row
    return pages


def wait_for(what, patience=PATIENCE):
    """Wait until something holds; return it."""
    until = time.monotonic() + patience
    while not (found := what()):
        assert time.monotonic() < until, f"waited {patience} s in vain"
        time.sleep(0.05)
    return found


def shard_processes(parent):
    """Return the processes of shards by number, children of one that runs `clew run --shards`."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
            status = (path.parent / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if b"clew.cli.shard_process" in words and int(status[1]) == parent:
            found[json.loads(words[words.index(b"clew.cli.shard_process") + 1])["shard"]] = int(
                path.parent.name
            )
    return found


def kill(process):
    """Kill a process, if it is still there."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return
