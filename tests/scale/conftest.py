"""A real PostgreSQL server for the tests of this folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest


def programs():
    """Return the folder with initdb and pg_ctl, None if PostgreSQL is not installed."""
    found = [*sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")), shutil.which("initdb")]
    return Path(found[-1] or found[0]).parent if any(found) else None


class PostgresServer:
    """A server in a folder of its own, reached by a socket there."""

    def __init__(self, where):
        self.where = where
        self.base = Path(tempfile.mkdtemp(prefix="clew-pg-"))
        self.address = f"postgresql://clew@/postgres?host={self.base}"
        self.user = {}
        if os.geteuid() == 0:  # the server refuses to run as root
            known = pwd.getpwnam("postgres")
            os.chown(self.base, known.pw_uid, known.pw_gid)
            self.user = {"user": known.pw_uid, "group": known.pw_gid, "extra_groups": []}
        self._call("initdb", "-U", "clew", "-A", "trust", "--no-sync")

    def start(self):
        options = f"-c listen_addresses= -c unix_socket_directories={self.base} -c fsync=off"
        self._call("pg_ctl", "-o", options, "-l", str(self.base / "log"), "-w", "start")

    def stop(self):
        self._call("pg_ctl", "-m", "immediate", "-w", "stop")

    def _call(self, name, *args):
        command = [str(self.where / name), "-D", str(self.base / "data"), *args]
        subprocess.run(
            command,
            check=True,
            timeout=60,
            cwd=self.base,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **self.user,
        )


@pytest.fixture(scope="session")
def postgres_server():
    """Start a server for all tests; one that stops it must start it again."""
    where = programs()
    if where is None:
        reason = "!!! NO POSTGRESQL: the coordinator is tested on SQLite only; apt-get install postgresql"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    server = PostgresServer(where)
    try:
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(server.base, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(postgres_server):
    """Return the address of a server."""
    return postgres_server.address


@pytest.fixture
def fresh_schema(postgres):
    """Return the address of an empty schema of a server."""
    import psycopg

    schema = f"t{time.monotonic_ns()}"
    with psycopg.connect(postgres, autocommit=True) as db:
        db.execute(f"CREATE SCHEMA {schema}")
    return f"{postgres}&options=-csearch_path%3D{schema}"
