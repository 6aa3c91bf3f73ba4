"""The live screen on a real pseudo-terminal, read back by a terminal emulator; plain lines; JSON."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pyte
import pytest
from rich.cells import cell_len

from clew.cli import screen, text_cells
from clew.cli.live import LiveScreen
from clew.cli.resource_usage import Throttled
from clew.cli.run_counts import RunCounts
from clew.config import build
from clew.frontier import Frontier
from clew.insight import sparklines
from clew.insight.summary import Summary
from clew.types import Kind, Link, Page, PageResult, Response, State, Verdict
from tests.small_web import CONTACT, linked, serving

PATIENCE = 200
"""Seconds after which a wait for a condition fails; no test waits that long on a busy machine."""
FRAME_BEGIN, FRAME_END = b"\x1b[?7l", b"\x1b[?7h"

SLOW = ("--set", "fetch.delay=0.1", "--set", "fetch.allow=127.0.0.0/8", "--set", "store.min_free=0")
COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")


class endless(dict):  # noqa: N801 - reads as what it gives
    """A web whose every page links to two more, all relevant; responses wait while `flowing` is cleared.

    The trap guard gives up such a web after some fifty pages. After twenty they come slowly, so that no run
    ends before a test has done with it, however busy the machine is.
    """

    def __init__(self, title="Lighthouse “灯台” מגדלור"):
        self.title = title
        self.served = 0
        self.flowing = threading.Event()
        self.flowing.set()
        self.waiting = threading.Event()
        """Set when a request has come that does not get its response."""

    def get(self, path, otherwise=None):
        return otherwise if path == "/robots.txt" else self.page

    def page(self, request):
        if not self.flowing.is_set():
            self.waiting.set()
            self.flowing.wait(PATIENCE)
        self.served += 1
        if self.served > 20:
            time.sleep(2)
        name = request.path.strip("/") or "p"
        text = f"lighthouse beacon {name} " * 4
        return 200, {}, linked(f"/{name}a", f"/{name}b", text=text, title=self.title).encode()


def crawl(folder, web, about="lighthouse beacon"):
    folder.mkdir()
    (folder / "clew.toml").write_text(
        f'[crawl]\ncontact = "{CONTACT}"\nseeds = ["{web.origin}/"]\n[goal]\nabout = "{about}"\n'
    )
    return folder


class Seat:
    """The program on a pseudo-terminal: read its screen and type keys."""

    def __init__(self, process, master, columns, rows):
        self.process, self.master = process, master
        self.raw = b""
        self._unfed = b""
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)

    def _receive(self, seconds):
        """Read what the program wrote, waiting at most this long for it; return whether there was any."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            output = os.read(self.master, 65_536)
        except OSError:  # the program has closed its end
            return False
        self.raw += output
        self._unfed += output
        return True

    def _pictures(self):
        """Yield the screen after each complete frame, and after output that is no part of a frame."""
        while self._unfed:
            before, end, after = self._unfed.partition(FRAME_END)
            if not end and FRAME_BEGIN in before:
                return  # the rest of the frame is still to come
            self._unfed = after
            self.stream.feed(before + end)
            yield "\n".join(self.screen.display)

    def look(self, seconds=0.05):
        """Read output for a while; return the screen as text."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self._receive(left):
            pass
        for _ in self._pictures():
            pass
        return "\n".join(self.screen.display)

    def wait_for(self, *patterns):
        """Read until one screen matches every pattern; return it. No frame is skipped, however late we read."""
        end = time.monotonic() + PATIENCE
        shown = "\n".join(self.screen.display)
        pictures = iter([shown])
        while True:
            for shown in pictures:
                if all(re.search(pattern, shown) for pattern in patterns):
                    return shown
            ended = self.process.poll() is not None
            received = self._receive(0.05)
            assert received or (not ended and time.monotonic() < end), f"{patterns!r} never came:\n{shown}"
            pictures = self._pictures()

    def wait_for_frames(self, number):
        """Read until this many complete frames are read; return their bytes."""
        self.look()
        start, end = len(self.raw), time.monotonic() + PATIENCE
        while self.raw.count(FRAME_END, start) <= number:
            ended = self.process.poll() is not None
            received = self._receive(0.05)
            assert received or (not ended and time.monotonic() < end), f"no frames come:\n{self.look()}"
        self.look(0)
        return self.raw[start:]

    def press(self, keys):
        os.write(self.master, keys.encode())

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def modes(self):
        return termios.tcgetattr(self.master)[3] & (termios.ICANON | termios.ECHO)

    def leave(self):
        """Wait for the program to end; return its exit code and the screen."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.look()
        return self.process.wait(1), self.look(0.3)


@contextmanager
def on_terminal(*words, columns=120, rows=35, starter=("-m", "clew"), **env):
    """Start the program on a pseudo-terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, *starter, *map(str, words)],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        env={**kept, "TERM": "xterm-256color", **env},
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - a terminal to control
    )  # fmt: skip
    # Kept open here, so that the modes can be asked for after the program has gone.
    try:
        yield Seat(process, master, columns, rows)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(5)
        os.close(master)
        os.close(slave)


def test_a_run_is_shown_and_controlled_by_keys(tmp_path):
    with (
        serving(endless()) as web,
        on_terminal("run", crawl(tmp_path / "job", web), "--pages", 400, *SLOW) as terminal,
    ):
        terminal.wait_for(
            r"pages +[3-9]", "job · policy clew · judge auto", "of 400", "relevant", "frontier", "fetching",
            "pages/s", "memory", r"delay 0\.1 s", "✓", "Lighthouse", "← from /", "q stop",
        )  # fmt: skip
        assert terminal.modes() == 0
        assert COLOUR.search(terminal.raw)

        terminal.press("p")
        pages = re.search(r"pages +(\d+)", terminal.wait_for("paused", r"\b0 fetching"))[1]
        terminal.wait_for_frames(4)
        assert re.search(r"pages +(\d+)", terminal.look())[1] == pages
        terminal.press("w")
        terminal.wait_for("Explain which page")
        terminal.press("1")
        terminal.wait_for("judged", "path")
        terminal.press(" ")
        terminal.wait_for("← from /")
        terminal.press("?")
        terminal.wait_for("exclude a host or URLs: not followed")
        terminal.press("\x1b[A")  # an arrow closes nothing
        terminal.wait_for_frames(2)
        assert "exclude a host or URLs: not followed" in terminal.look()
        terminal.press(" p")
        terminal.wait_for(r"resume|pause ")

        terminal.press("x")
        terminal.wait_for("Exclude what")
        terminal.press("*/zz*\r")
        terminal.wait_for(r"URLs like \*/zz\* are excluded from now on: 0 queued links")
        terminal.press("i")
        terminal.wait_for("Include what again", r"1 +\*/zz\*")
        terminal.press("1")
        terminal.wait_for("are crawled again")
        terminal.press("x")
        terminal.wait_for("Exclude what")
        terminal.press("nonesuch\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f1\r")
        assert "127.0.0.1 is excluded from now on" in terminal.wait_for("127.0.0.1 is excluded from now on")
        code, shown = terminal.leave()
        assert terminal.modes() == termios.ICANON | termios.ECHO
    assert code == 0
    assert "nothing is left to fetch" in shown
    assert "relevant" in shown  # the last picture stays
    assert "clew export" in shown
    assert terminal.raw.endswith(b"\n")
    assert terminal.raw.count(b"\x1b[?25h") == terminal.raw.count(b"\x1b[?25l") == 1


@pytest.mark.parametrize("how", ["SIGTERM", "Ctrl-C twice", "error"])
def test_the_terminal_is_restored_however_the_run_ends(tmp_path, how):
    (tmp_path / "broken.py").write_text(
        "from clew.types import Verdict\n"
        "class Judge:\n"
        "    def __init__(self, **_): self.left = 3\n"
        "    def learn(self, label, page): ...\n"
        "    def judge(self, page):\n"
        "        self.left -= 1\n"
        "        return Verdict(1 / self.left)\n"
    )
    words = ("--set", "goal.judge=broken:Judge") if how == "error" else ()
    with serving(endless()) as web:
        folder = crawl(tmp_path / "job", web)
        with on_terminal("run", folder, *words, *SLOW, PYTHONPATH=str(tmp_path)) as terminal:
            terminal.wait_for(r"pages +[1-9]")
            assert how == "error" or terminal.modes() == 0
            if how == "SIGTERM":
                terminal.process.terminate()
            elif how == "Ctrl-C twice":
                web.pages.flowing.clear()
                assert web.pages.waiting.wait(PATIENCE)
                terminal.wait_for("1 fetching")
                terminal.press("\x03")
                terminal.wait_for("stopping: 1 request")
                terminal.press("\x03")
            code, shown = terminal.leave()
            web.pages.flowing.set()
            assert terminal.modes() == termios.ICANON | termios.ECHO
    assert terminal.raw.rfind(b"\x1b[?25h") > terminal.raw.rfind(b"\x1b[?25l") > 0
    if how == "error":
        assert code == 1, shown
        assert "clew: ZeroDivisionError" in shown
    else:
        assert code == 3, shown
        assert "stopped after" in shown
        assert "clew run" in shown


def test_ctrl_z_and_fg(tmp_path):
    """With a shell of our own: the kernel suspends no job whose parent cannot resume it."""
    shell = (
        "import os, signal, subprocess, sys\n"
        "signal.signal(signal.SIGTTOU, signal.SIG_IGN)\n"
        "job = subprocess.Popen([sys.executable, '-m', 'clew', *sys.argv[1:]], process_group=0,\n"
        "    preexec_fn=lambda: signal.signal(signal.SIGTTOU, signal.SIG_DFL))\n"
        "os.tcsetpgrp(0, job.pid)\n"
        "_, status = os.waitpid(job.pid, os.WUNTRACED)\n"
        "os.tcsetpgrp(0, os.getpgrp())\n"
        "print('SUSPENDED', os.WIFSTOPPED(status), flush=True)\n"
        "sys.stdin.readline()\n"
        "os.tcsetpgrp(0, job.pid)\n"
        "os.killpg(job.pid, signal.SIGCONT)\n"
        "sys.exit(job.wait())\n"
    )
    with serving(endless()) as web:
        folder = crawl(tmp_path / "job", web)
        with on_terminal("run", folder, *SLOW, starter=("-c", shell)) as terminal:
            terminal.wait_for(r"pages +[1-9]")
            terminal.press("\x1a")
            terminal.wait_for("SUSPENDED True")
            assert terminal.modes() == termios.ICANON | termios.ECHO
            terminal.press("\n")
            before = len(terminal.raw)
            terminal.wait_for("q stop")
            end = time.monotonic() + PATIENCE
            while (terminal.modes() or b"frontier" not in terminal.raw[before:]) and time.monotonic() < end:
                terminal.look()
            assert terminal.modes() == 0
            terminal.press("q")
            code, shown = terminal.leave()
            assert terminal.modes() == termios.ICANON | termios.ECHO
    assert code == 3, shown


def test_frames_fit_every_size_and_no_color_is_respected(tmp_path):
    title = "洋上風力発電の許可 " * 9 + "\x1b[2J\u202eevil"
    with serving(endless(title)) as web:
        folder = crawl(tmp_path / "job", web)
        with on_terminal("run", folder, *SLOW, columns=60, rows=16, NO_COLOR="1") as terminal:
            terminal.wait_for(r"✓ .*洋")
            assert b"\x1b[2J" not in terminal.raw
            for columns, rows in ((60, 16), (80, 24), (250, 50), (70, 18)):
                terminal.resize(columns, rows)
                while not any("─" * columns in lines for lines in frames(terminal.wait_for_frames(2))):
                    pass  # a frame of the size before
                raw = terminal.wait_for_frames(3)
                shown = terminal.look(0)
                assert shown.count("frontier") == 1
                assert "q stop" in shown
                assert "─" * columns in shown
                counts = [
                    line for line in shown.splitlines() if re.match(" (pages|relevant|hosts|speed) ", line)
                ]
                assert counts
                assert not any("…" in line for line in counts), "parts are shown whole or not at all"
                painted = list(frames(raw))
                assert len(painted) >= 2
                for lines in painted:
                    assert 10 < len(lines) < rows
                    assert max(map(cell_len, lines)) <= columns
                assert not COLOUR.search(raw)
                assert "\u202e".encode() not in raw
            terminal.press("q")
            assert terminal.leave()[0] == 3


def frames(raw):
    """Return the lines of every complete frame in the output."""
    for frame in raw.split(b"\x1b[?7l")[1:-1]:
        painted = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frame.partition(b"\x1b[?7h")[0].decode())
        yield painted.replace("\r", "").split("\n")


def cpu_seconds(pid):
    """Return the CPU time of a process."""
    process = subprocess.run(
        ["ps", "-o", "cputimes=", "-p", str(pid)], capture_output=True, text=True, check=True
    )
    return int(process.stdout)


def test_the_first_frame_comes_at_once_and_paused_hosts_are_named(tmp_path):
    seen = threading.Event()

    def late(_):
        seen.wait(PATIENCE)
        return 404, {}, b""

    def busy(_):
        return 429, {"Retry-After": "77"}, b""

    pages = {"/robots.txt": late, "/": linked("/a", "/b"), "/a": busy, "/b": busy}
    with serving(pages) as web:
        folder = crawl(tmp_path / "job", web)
        with on_terminal("run", folder, *SLOW) as terminal:
            terminal.wait_for("opening the crawl")
            assert cpu_seconds(terminal.process.pid) < 1.0  # 0.03 s; other work on the machine does not count
            terminal.wait_for("reading robots.txt of 1 host")
            seen.set()
            terminal.wait_for(r"is paused for \d:\d\d: 429, Retry-After 77", "1 paused")
            terminal.wait_for(r"\d\d:\d\d:\d\d +127.0.0.1:\d+ is paused")
            terminal.press("q")
            code, shown = terminal.leave()
    assert code == 3
    assert re.search(r"\d\d:\d\d:\d\d 127.0.0.1:\d+ is paused", shown)  # once more after the run


def test_a_dumb_terminal_gets_plain_lines(tmp_path):
    pages = {"/": linked("/a", text="lighthouse beacon " * 4), "/a": linked()}
    with (
        serving(pages) as web,
        on_terminal("run", crawl(tmp_path / "job", web), *SLOW, TERM="dumb") as terminal,
    ):
        code, shown = terminal.leave()
    assert code == 0, shown
    assert re.search(r"pages \d +relevant \d", shown)
    assert b"\x1b" not in terminal.raw


def test_no_keys_without_a_keyboard_and_ascii_without_unicode(tmp_path):
    deaf = "import os, sys; os.dup2(os.open(os.devnull, 0), 0); from clew.cli import main; main()"
    env = {"PYTHONIOENCODING": "ascii"}
    with serving(endless()) as web:
        folder = crawl(tmp_path / "job", web)
        with on_terminal("run", folder, *SLOW, starter=("-c", deaf), **env) as terminal:
            shown = terminal.wait_for(r"\+ 127\.0\.0\.1")
            terminal.process.send_signal(signal.SIGINT)
            assert terminal.leave()[0] == 3
    assert "q stop" not in shown
    assert "+ 127.0.0.1" in shown
    assert terminal.raw.isascii()


def test_json_output_is_only_json_including_notes(tmp_path):
    with serving(endless()) as web:
        command = [sys.executable, "-m", "clew", "run", str(crawl(tmp_path / "job", web)), "--json", *SLOW]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        said = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.send_signal(signal.SIGINT)
        said += [json.loads(line) for line in process.communicate(timeout=90)[0].splitlines()]
    assert process.returncode == 3
    steps = [one for one in said if "url" in one]
    assert [set(one) for one in steps] == [{
        "url", "kind", "state", "status", "error", "verdict", "relevant", "title", "depth", "score", "links",
        "pages", "failed", "requests", "open",
    }] * len(steps)  # fmt: skip
    assert any(one["note"].startswith("stopping: ") for one in said if "note" in one)
    assert set(said[-1]) == {"ended", "pages", "failed", "relevant", "notes"}


# ---- the parts -------------------------------------------------------------------------------


def step(number, relevant):
    link = Link(id=number, url=f"http://a.example/{number}", origin="http://a.example", kind=Kind.PAGE)
    page = Page(response=Response(link=link, started=0, ended=1, status=200, body=b"x" * 100))
    return PageResult(page=page, state=State.DONE, verdict=Verdict(float(relevant)), relevant=relevant)


def test_run_counts_stay_small_and_return_the_share():
    tally = RunCounts()
    for number in range(20_000):
        tally.add(step(number, number >= 10_000))
    assert tally.share() == (1.0, 200)
    shares = tally.shares()
    assert 50 < len(shares) <= 128
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert (tally.pages, tally.bytes, len(tally.last)) == (20_000, 2_000_000, 40)


def test_slow_values_are_computed_seldom(monkeypatch):
    clock = 100.0
    looks = []

    def look():
        nonlocal clock
        clock += 0.01
        looks.append(clock)
        return len(looks)

    monkeypatch.setattr("clew.cli.resource_usage.time", SimpleNamespace(monotonic=lambda: clock))
    throttled = Throttled(look)
    assert [throttled() for _ in range(50)] == [1] * 50
    clock += 1.9
    assert throttled() == 1
    clock += 0.2
    assert throttled() == 2
    throttled.invalidate()
    assert throttled() == 3


def test_frontier_stats_count_links_by_score():
    frontier = Frontier()
    scores = [1.0, 0.95, 0.9, 0.85, 0.1, 0.05, 0.0]
    frontier.add(1, ["http://a.example"] * 7, np.arange(1, 8, dtype=np.uint64), np.array(scores, np.float32),
                 np.ones(7, bool))  # fmt: skip
    assert frontier.stats(0.0).scores == (3, 1, 0, 0, 0, 0, 0, 0, 1, 2)


@pytest.mark.parametrize("text", ["灯台の歴史", "plain", "é", "מגדלור", "👩‍🔬", "", "a灯b台"])
@pytest.mark.parametrize("width", [1, 2, 3, 7, 20])
def test_text_fits_its_cells(text, width):
    assert cell_len(text_cells.fit(text_cells.tidy(text), width)) == width
    line = [(text, "good"), (text, "")]
    assert text_cells.length(text_cells.trimmed(line, width)) <= width


def test_curves():
    assert sparklines.bar(1.5, 4) == ("████", "")
    assert sparklines.bar(0.0, 4) == ("", "────")
    assert len(sparklines.curve([0.5] * 1000, 30)) == 30
    assert text_cells.encodable("✓ 58 % ▁█ …", "ascii") == "+ 58 % .# ~"


@pytest.mark.parametrize(
    ("ended", "more"),
    [
        ("the budget of 600 pages is spent", "--pages 1200"),
        ("the budget of 1,500 requests is spent", "--requests 3000"),
    ],
)
def test_the_live_screen_ends_a_spent_budget_with_the_next_command(tmp_path, capsys, ended, more):
    config = build({"crawl": {"contact": CONTACT, "seeds": ["http://x.org/"]}}, "x")
    LiveScreen(tmp_path, config).end(Summary(ended=ended, pages=600, open=7))
    assert f"more:    clew run {tmp_path} {more}\n" in capsys.readouterr().out
    option = more.partition(" ")[0]
    again = f"clew run {tmp_path} {option} 7 --policy reseed"
    LiveScreen(tmp_path, config, again).end(Summary(ended=ended, pages=600, open=7))
    assert f"more:    clew run {tmp_path} --policy reseed {more}\n" in capsys.readouterr().out


def test_sentences_are_broken_between_words_and_urls_kept_whole(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    screen.print_error(
        "seed 'htp://ely-friends.com/links/5': there is no htp; did you mean http://ely-friends.com/links/5 ?"
    )
    lines = capsys.readouterr().err.splitlines()
    assert all(len(line) < 60 for line in lines)
    assert any("http://ely-friends.com/links/5 ?" in line for line in lines)
    long = f"http://a.example/{'x' * 90}"
    screen.print_error(f"not fetched: {long} for a reason")
    assert long in capsys.readouterr().err, "a URL that fits no line is not broken, so that it can be copied"
