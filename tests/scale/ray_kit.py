"""Ray clusters on this machine: every node with an address of its own on loopback, and a token."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.scale.shard_kit import wait_for

SYSTEM = (
    '{"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000, "health_check_timeout_ms": 3000,'
    ' "health_check_failure_threshold": 3}'
)
RAY = Path(sys.executable).with_name("ray")


def need_ray():
    """Skip, or fail in CI, where there is no Ray."""
    if RAY.exists():
        return
    reason = "!!! NO RAY: crawls on a cluster are not tested; pip install 'ray[client]'"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def _command(process):
    try:
        text = Path(f"/proc/{process}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
    return text.replace("\0", " ")


def free_port():
    """Return a port that is free on all addresses, below those that Ray gives to its workers."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        if port > 25_000:
            return port


class RayNodes:
    """A cluster of nodes at 127.0.0.2, 127.0.0.3, …; node 0 is the head and has no shards."""

    def __init__(self, head_cpus=0):
        self.base = Path(tempfile.mkdtemp(prefix="clewray", dir="/tmp"))
        self.head_cpus = head_cpus
        self.port, self.client = free_port(), free_port()
        self.commands = []
        self.token = secrets.token_hex(16)
        self.environment = {
            **os.environ,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": self.token,
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_DISABLE_IMPORT_WARNING": "1",
            "RAY_enable_metrics_collection": "0",
        }

    @property
    def address(self):
        return f"ray:127.0.0.2:{self.port}"

    def start(self, node, *, wait=True, **environment):
        """Start a node; all but the head need that first."""
        log = self.base / f"start{node}.log"
        with log.open("w") as output:
            command = subprocess.Popen(
                self._command(node), env={**self.environment, **environment}, stdout=output,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
        self.commands.append(command)
        if wait:
            assert command.wait(120) == 0, log.read_text()

    def _command(self, node):
        where = ["--node-ip-address", f"127.0.0.{node + 2}", "--object-store-memory", "80000000"]
        if node == 0:
            where += ["--head", "--port", str(self.port), "--ray-client-server-port", str(self.client)]
            where += ["--temp-dir", str(self.base), "--include-dashboard", "false", "--system-config", SYSTEM]
            where += ["--num-cpus", str(self.head_cpus)]
        else:
            where += ["--address", f"127.0.0.2:{self.port}", "--num-cpus", "1"]
        return [RAY, "start", *where]

    def processes(self, part=""):
        """Return the processes of this cluster, known by its token, whose command contains some text."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if part in _command(path.name) and self.token.encode() in (path / "environ").read_bytes():
                    found.append(int(path.name))
        return found

    def kill_node(self, node):
        """Kill the raylet of a node: its actors are orphans then."""
        (raylet,) = self.raylets(node)
        self.kill(raylet)

    def raylets(self, node):
        return [
            pid
            for pid in self.processes("raylet/raylet")
            if f"--node_ip_address=127.0.0.{node + 2} " in _command(pid)
        ]

    def kill_head(self):
        """Kill the process that knows the cluster."""
        for process in self.processes("gcs/gcs_server"):
            self.kill(process)

    def kill(self, process):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)

    def kill_all(self):
        """Kill every process of the cluster, and its drivers."""

        def rest():
            found = self.processes()
            for process in found:
                self.kill(process)
            return not found

        wait_for(rest)
        for command in self.commands:
            command.wait()
        self.commands = []

    def close(self):
        self.kill_all()
        for _ in range(20):
            shutil.rmtree(self.base, ignore_errors=True)
            if not self.base.exists():
                return
            time.sleep(0.2)
