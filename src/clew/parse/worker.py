"""A parsing process: parses one response after the other from its socket until it is closed or killed.

Forked from a server that has loaded what it needs, with a socket as its only connection. It limits its own
memory, ignores Ctrl-C (the main process decides when to stop) and does not outlive its parent.
"""

import ctypes
import gc
import marshal
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from clew.parse import ipc
from clew.parse.fork_server import ORDER, REAP, STATUS
from clew.parse.options import ParseOptions
from clew.parse.page_reader import read
from clew.types import Link, Page, Response
from clew.urls import Canon

_PR_SET_PDEATHSIG = 1
_ROOM = 1 << 19  # bytes that are received at once, at most; a longer message gets more
_BIG = 1_000_000  # bytes of a body after which freed memory is given back to the system


def serve(number: int, parent: int) -> None:
    """Fork workers as the process `parent` orders over the socket with file descriptor `number`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    die_with(parent)
    with socket.socket(fileno=number) as control:
        _warm_up()
        _collect_rarely()
        while True:
            data, sockets, _, _ = socket.recv_fds(control, ORDER.size, 1)
            if len(data) < ORDER.size:  # the main process is gone
                return
            order, pid = ORDER.unpack(data)
            if order == REAP:
                control.sendall(STATUS.pack(_exit_status(pid)))
                continue
            with socket.socket(fileno=sockets[0]) as sock:
                server = os.getpid()
                if os.fork() == 0:
                    control.close()
                    die_with(server)
                    _work(sock)
                    return


def _exit_status(pid: int) -> int:
    """Wait for a worker that has ended or was killed; return how it ended, 0 if nobody knows."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return 0


def _work(sock: socket.socket) -> None:
    """Parse what comes through the socket."""
    inbox = _Inbox(sock)
    settings, _ = inbox.read()
    memory, timeout, max_bytes, drop, agent, options = settings
    canon = Canon(drop)
    limit_memory(memory)
    _send(sock, ipc.pack((os.getpid(),)))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    with suppress(EOFError, ConnectionError):
        while True:
            response = ipc.response_of(*inbox.read())
            # If the main process is gone and no kernel signals it: an alarm ends even C code.
            signal.setitimer(signal.ITIMER_REAL, 2 * timeout + 1)
            page = _read(response, canon, max_bytes, agent, ParseOptions(*options))
            signal.setitimer(signal.ITIMER_REAL, 0)
            _send(sock, ipc.reply(page))
            if len(response.body) > _BIG:
                del response, page
                _trim()


def limit_memory(mebibytes: int) -> None:
    """Allow this much memory beyond what the process has now. On macOS the call has no effect."""
    with suppress(OSError, ValueError):
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - before anything else is loaded
            now = int(file.read().split()[0]) * resource.getpagesize()
        limit = now + (mebibytes << 20)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def die_with(parent: int) -> None:
    """Ask the kernel for a SIGKILL when the parent dies (Linux); leave at once if it is dead already."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)


def _read(response: Response, canon: Canon, max_bytes: int, agent: str, options: ParseOptions) -> Page:
    try:
        return read(response, canon=canon, max_bytes=max_bytes, agent=agent, options=options)
    except MemoryError:
        return Page(response=response, error=ipc.OUT_OF_MEMORY)
    except Exception as fault:  # noqa: BLE001 - a bug of ours costs one page and is recorded there
        return Page(response=response, error=f"parser failed ({type(fault).__name__})")


def _warm_up() -> None:
    """Load and build everything that is created lazily, so that no worker has to."""
    body = "<html><title>x</title><p>Ä warm page with <a href='/a?b=1'>a link</a>, ça va".encode("latin-1")
    link = Link(id=0, url="http://warm.up/", origin="")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    read(
        Response(link=link, started=0, ended=0, status=200, head=head, body=body),
        canon=Canon(),
        max_bytes=1_000,  # without the option `new_words`: every worker has to report all words itself
    )


def _collect_rarely() -> None:
    """Let the garbage collector skip what was loaded and run rarely: a page leaves next to no cycles.

    That saves 1 to 2 % of the time of a page.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


class _Inbox:
    """The messages of the main process: most come whole, so that one call of the system reads them."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._buffer = bytearray(_ROOM)
        self._begin = self._end = 0

    def read(self) -> tuple[tuple[Any, ...], bytes]:
        """Return the next message: its values and the raw bytes behind them."""
        self._receive(ipc.HEADER.size)
        packed, raw = ipc.HEADER.unpack_from(self._buffer, self._begin)
        self._receive(ipc.HEADER.size + packed + raw)
        begin = self._begin + ipc.HEADER.size
        with memoryview(self._buffer) as view:
            values = marshal.loads(view[begin : begin + packed])  # noqa: S302 - from our own main process
            body = bytes(view[begin + packed : begin + packed + raw])
        self._begin = begin + packed + raw
        if self._begin == self._end:
            self._begin = self._end = 0
            if len(self._buffer) > _ROOM:
                self._buffer = bytearray(_ROOM)
        return values, body

    def _receive(self, size: int) -> None:
        """Receive until there are this many bytes."""
        if self._begin + size > len(self._buffer):
            rest = self._buffer[self._begin : self._end]
            self._buffer = bytearray(max(_ROOM, size))
            self._buffer[: len(rest)] = rest
            self._begin, self._end = 0, len(rest)
        while self._end - self._begin < size:
            with memoryview(self._buffer) as view:
                received = self._sock.recv_into(view[self._end :])
            if not received:
                raise EOFError
            self._end += received


def _send(sock: socket.socket, pieces: list[bytes]) -> None:
    for piece in pieces:
        sock.sendall(piece)


def _trim() -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
