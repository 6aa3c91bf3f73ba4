"""The process that parsing processes are forked from, seen from the main process.

It loads once what they all need, 0.15 seconds of CPU and 40 MB; a worker then begins in a few milliseconds,
also one that replaces another. It never sees a page, so hostile markup cannot reach later workers.
"""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import IO

FORK, REAP = b"F", b"R"
"""Orders: fork a worker for the socket that is sent along; wait for a worker that was killed or has ended."""

ORDER = struct.Struct("<ci")
"""An order, and the process that it concerns."""

STATUS = struct.Struct("<i")
"""The answer to REAP: the exit status as subprocess gives it."""

_BOOT = (
    "import json, sys; number, parent, sys.path[:] = json.loads(sys.argv[1]); "
    "from clew.parse.worker import serve; serve(number, parent)"
)
_ANSWER_TIME = 0.2  # seconds to wait for the exit status of a process that has been killed
# Freed memory stays with the process: a fresh page costs as many page faults as it has nodes, and
# without them parsing takes half the time. One thread needs one arena and no helpers of BLAS.
_ENVIRONMENT = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(32 << 20),
    "MALLOC_TOP_PAD_": str(1 << 20),
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class ForkServer:
    """A running fork server. What cannot be sent to it shows as the end of the worker's socket."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        with theirs:
            boot = json.dumps([theirs.fileno(), os.getpid(), sys.path])
            self.process = subprocess.Popen(  # noqa: S603 - ourselves, without a shell
                [sys.executable, "-c", _BOOT, boot],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                pass_fds=(theirs.fileno(),),
                env={**os.environ, **_ENVIRONMENT},
            )
        self._control.settimeout(_ANSWER_TIME)

    @property
    def is_alive(self) -> bool:
        """Whether it can still start workers."""
        return self.process.poll() is None

    def fork(self, sock: socket.socket) -> None:
        """Start a worker that serves this socket; our copy of it may be closed at once."""
        with suppress(OSError):
            socket.send_fds(self._control, [ORDER.pack(FORK, 0)], [sock.fileno()])

    def end(self, pid: int) -> int | None:
        """Kill a worker, if it has not ended yet; return its exit status, None if that is not known."""
        if not self.is_alive:
            return None  # its workers have ended with it, and the number may be another process's
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(OSError):
            self._control.sendall(ORDER.pack(REAP, pid))
            answer = self._control.recv(STATUS.size, socket.MSG_WAITALL)
            if len(answer) == STATUS.size:
                return int(STATUS.unpack(answer)[0])
        self.process.kill()  # it hangs, or the answers no longer belong to the orders: begin another one
        return None

    def error(self) -> str:
        """Return the last line that it, or a worker that could not start, has written."""
        self._stderr.seek(0)
        lines = self._stderr.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:200] if lines else f"exit status {self.process.poll()}"

    def close(self) -> None:
        """End it; its workers end with it."""
        self._control.close()
        self.process.kill()
        self.process.wait()
        self._stderr.close()
