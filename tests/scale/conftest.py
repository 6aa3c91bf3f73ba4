"""A real PostgreSQL server for the tests of this folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


def programs():
    """Return the folder with initdb and pg_ctl, None if PostgreSQL is not installed."""
    found = [*sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")), shutil.which("initdb")]
    return Path(found[-1] or found[0]).parent if any(found) else None


@pytest.fixture(scope="session")
def postgres():
    """Start a server in a folder of its own, reached by a socket there; return its address."""
    where = programs()
    if where is None:
        reason = "!!! NO POSTGRESQL: the coordinator is tested on SQLite only; apt-get install postgresql"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    base = Path(tempfile.mkdtemp(prefix="clew-pg-"))
    user = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        known = pwd.getpwnam("postgres")
        os.chown(base, known.pw_uid, known.pw_gid)
        user = {"user": known.pw_uid, "group": known.pw_gid, "extra_groups": []}

    def call(name, *args):
        command = [str(where / name), "-D", str(base / "data"), *args]
        subprocess.run(
            command,
            check=True,
            timeout=60,
            cwd=base,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **user,
        )

    try:
        call("initdb", "-U", "clew", "-A", "trust", "--no-sync")
        options = f"-c listen_addresses= -c unix_socket_directories={base} -c fsync=off"
        call("pg_ctl", "-o", options, "-l", str(base / "log"), "-w", "start")
        try:
            yield f"postgresql://clew@/postgres?host={base}"
        finally:
            call("pg_ctl", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(base, ignore_errors=True)
