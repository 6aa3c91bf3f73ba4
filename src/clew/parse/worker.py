"""A parsing process: parses one response after the other from its socket until it is closed or killed.

Started by the pool with a socket as its only connection. It limits its own memory, ignores
Ctrl-C (the main process decides when to stop) and does not outlive its parent.
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
from clew.parse.options import ParseOptions
from clew.parse.page_reader import read
from clew.types import Link, Page, Response
from clew.urls import Canon

_PR_SET_PDEATHSIG = 1
_BIG = 1_000_000  # bytes of a body after which freed memory is given back to the system


def main(number: int, parent: int) -> None:
    """Serve the socket with file descriptor `number` for the process `parent`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    die_with(parent)
    with socket.socket(fileno=number) as sock:
        settings, _ = _message(sock)
        memory, timeout, max_bytes, drop, agent, options = settings
        canon = Canon(drop)
        _warm_up(canon, agent)
        _collect_rarely()
        limit_memory(memory)
        _send(sock, ipc.pack((os.getpid(),)))
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 2)
        with suppress(EOFError, ConnectionError):
            while True:
                response = ipc.response_of(*_message(sock))
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


def _warm_up(canon: Canon, agent: str) -> None:
    """Load and build everything that is created lazily, so that the first page is not slowed down."""
    body = "<html><title>x</title><p>Ä warm page with <a href='/a?b=1'>a link</a>, ça va".encode("latin-1")
    link = Link(id=0, url="http://warm.up/", origin="")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    read(
        Response(link=link, started=0, ended=0, status=200, head=head, body=body),
        canon=canon,
        max_bytes=1_000,
        agent=agent,
    )


def _collect_rarely() -> None:
    """Let the garbage collector skip what was loaded and run rarely: a page leaves next to no cycles.

    That saves 1 to 2 % of the time of a page.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _message(sock: socket.socket) -> tuple[tuple[Any, ...], bytes]:
    packed, raw = ipc.HEADER.unpack(_exactly(sock, ipc.HEADER.size))
    values = marshal.loads(_exactly(sock, packed))  # noqa: S302 - from our own main process
    return values, bytes(_exactly(sock, raw)) if raw else b""


def _exactly(sock: socket.socket, size: int) -> bytearray:
    buffer = bytearray(size)
    view, at = memoryview(buffer), 0
    while at < size:
        received = sock.recv_into(view[at:])
        if not received:
            raise EOFError
        at += received
    return buffer


def _send(sock: socket.socket, pieces: list[bytes]) -> None:
    for piece in pieces:
        sock.sendall(piece)


def _trim() -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
