"""Check the computer: versions, limits, disk, memory, clock, network settings."""

import datetime as dt
import os
import platform
import resource
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import pycurl

from clew.domain.installation import __version__, install_command
from clew.domain.text.compiled import IS_COMPILED
from clew.fetch.curl import OTHER_FILES
from clew.insight.preflight.findings import Check, mask_passwords
from clew.insight.preflight.install_size import describe_install_size

CONCURRENCY = 64
"""`fetch.concurrency` without a crawl."""

_LIBRARIES = ("numpy", "selectolax", "pydantic", "typer", "rich", "certifi")
_EXTRAS = {"pandas": "pandas", "pyarrow": "parquet"}
_GIB = 1 << 30
_PACKAGE = Path(__file__).parent.parent.parent
_LEAST_DISK = 2 * _GIB
_LEAST_MEMORY = _GIB // 2
_TLS_BACKENDS = ("OpenSSL", "GnuTLS", "LibreSSL", "BoringSSL", "SecureTransport", "mbedTLS", "wolfSSL")


def check_machine(place: Path, concurrency: int = CONCURRENCY) -> list[Check]:
    """Return all checks; `place` is the folder of the crawl, which need not exist."""
    return [
        Check("✓", "clew", f"{__version__}, in {_home(_PACKAGE)}"),
        _python(),
        Check(
            "✓", "system", f"{platform.system()} {platform.release()} {platform.machine()}{_distribution()}"
        ),
        _curl(),
        _sqlite(),
        _libraries(),
        _compiled(),
        *_extras(),
        Check("✓", "size", describe_install_size()),
        _terminal(),
        _files(concurrency),
        _disk(place),
        _memory(),
        _clock(),
        _names(),
        *_proxies(),
    ]


def _python() -> Check:
    words = f"{platform.python_version()} ({platform.python_implementation()}), {_home(Path(sys.executable))}"
    if sys.version_info < (3, 11):  # noqa: UP036 - the install may have been forced
        return Check("✗", "python", words, "clew needs Python 3.11 or newer")
    return Check("✓", "python", words)


def _compiled() -> Check:
    if IS_COMPILED:
        return Check("✓", "compiled", "words are looked up by compiled code")
    if os.environ.get("CLEW_PURE_PYTHON"):
        return Check("✓", "compiled", "no: CLEW_PURE_PYTHON is set, so everything runs in plain Python")
    words = "no: the results are the same, but pages take longer"
    return Check("!", "compiled", words, "install a C compiler, then install clew again")


def _distribution() -> str:
    try:
        return f", {platform.freedesktop_os_release()['PRETTY_NAME']}"
    except (OSError, KeyError):
        return ""


def _curl() -> Check:
    facts = pycurl.version_info()
    tls = facts[5] or "no TLS"
    protocols = facts[8]
    http2 = "http2" if facts[4] & pycurl.VERSION_HTTP2 else "no http2"
    words = f"{facts[1]}, {tls}, {http2} (not needed), pycurl {_version('pycurl')}"
    if "https" not in protocols or not tls.startswith(_TLS_BACKENDS):
        return Check("✗", "libcurl", words, "no https: reinstall with: pip install --force-reinstall pycurl")
    return Check("✓", "libcurl", words)


def _sqlite() -> Check:
    with closing(sqlite3.connect(":memory:")) as db:
        options = {row[0].partition("=")[0] for row in db.execute("PRAGMA compile_options")}
        try:
            db.execute("SELECT count(*) FILTER (WHERE value) FROM json_each('[1]')").fetchone()
        except sqlite3.OperationalError as error:
            return Check(
                "✗", "sqlite", f"{sqlite3.sqlite_version}: {error}", "use a Python with SQLite 3.38+"
            )
        longest = db.getlimit(sqlite3.SQLITE_LIMIT_LENGTH)
        variables = db.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    words = f"{sqlite3.sqlite_version}, rows to {longest / 1e6:,.0f} MB, {variables:,} variables"
    if sqlite3.threadsafety == 0 or "OMIT_WAL" in options:
        return Check("✗", "sqlite", f"{words}, built without threads or WAL", "use another build of Python")
    return Check("✓", "sqlite", words)


def _libraries() -> Check:
    found = {name: _version(name) for name in _LIBRARIES}
    words = ", ".join(f"{name} {number or 'missing'}" for name, number in found.items())
    if not all(found.values()):
        return Check("✗", "libraries", words, "reinstall: pip install --force-reinstall clew")
    return Check("✓", "libraries", words)


def _extras() -> Iterator[Check]:
    there = [f"{module} {_version(module)}" for module in _EXTRAS if find_spec(module)]
    if there:
        yield Check("✓", "extras", ", ".join(there))
    for module, extra in _EXTRAS.items():
        if not find_spec(module):
            yield Check("!", "extras", f"{module} is missing", f"if you want it: {install_command(extra)}")


def _terminal() -> Check:
    encoding = (sys.stdout.encoding or "unknown").lower()
    size = shutil.get_terminal_size()
    colours = "no colours (NO_COLOR)" if os.environ.get("NO_COLOR") else os.environ.get("TERM") or "no TERM"
    where = f"{size.columns}×{size.lines}" if sys.stdout.isatty() else "not a terminal"
    words = f"{where}, {colours}, {encoding}"
    if encoding.replace("-", "") != "utf8":
        return Check("!", "terminal", words, "non-ASCII titles cannot be shown: export PYTHONUTF8=1")
    return Check("✓", "terminal", words)


def _files(concurrency: int) -> Check:
    limit, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = concurrency + OTHER_FILES
    words = f"limit {limit:,} (ulimit -n), {needed:,} needed for fetch.concurrency {concurrency}"
    if limit >= needed:
        return Check("✓", "files", words)
    room = max(4, limit - OTHER_FILES)
    cure = f"only {room} requests at once: ulimit -n {min(most, max(needed, 4_096))}"
    return Check("!", "files", words, cure)


def _disk(place: Path) -> Check:
    there = place.absolute()
    while not there.exists():
        there = there.parent
    free = shutil.disk_usage(there).free
    words = f"{free / _GIB:,.1f} GiB free at {_home(there)}"
    if not os.access(there, os.W_OK):
        return Check("✗", "disk", f"{words}, not writable", "choose another folder", 5)
    if free < _LEAST_DISK:
        return Check("!", "disk", words, "a crawl stops at 1 GiB (store.min_free): free some space")
    return Check("✓", "disk", words)


def _memory() -> Check:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        kib = {line.partition(":")[0]: int(line.split()[1]) for line in lines}
        free, total = kib["MemAvailable"] << 10, kib["MemTotal"] << 10
    except (OSError, KeyError, ValueError, IndexError):
        return Check("✓", "memory", "free memory is not known on this system")
    try:
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
        free = min(free, total - int(Path("/sys/fs/cgroup/memory.current").read_text("ascii")))
    except (OSError, ValueError):
        pass  # no container, or one without a limit
    words = f"{max(0, free) / _GIB:,.1f} of {total / _GIB:,.1f} GiB free, {os.cpu_count()} cores"
    if free < _LEAST_MEMORY:
        return Check("!", "memory", words, "low: close other programs, or set parse.workers = 1")
    return Check("✓", "memory", words)


def _clock() -> Check:
    now = dt.datetime.now().astimezone()
    words = now.strftime("%Y-%m-%d %H:%M:%S %z")
    if time.time() < (_PACKAGE / "__init__.py").stat().st_mtime - 86_400:
        return Check("!", "clock", words, "earlier than the installation of clew: set the clock")
    return Check("✓", "clock", words)


def _names() -> Check:
    try:
        lines = Path("/etc/resolv.conf").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    servers = [line.split()[1] for line in lines if line.startswith("nameserver") and len(line.split()) > 1]
    if not servers:
        return Check("!", "names", "no name server in /etc/resolv.conf", "go online, or set fetch.proxy")
    return Check("✓", "names", f"name server{'s' * (len(servers) > 1)} {', '.join(servers)}")


def _proxies() -> Iterator[Check]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        for variable in (name, name.upper()):
            if value := os.environ.get(variable):
                yield Check(
                    "!",
                    "proxy",
                    f"{variable}={mask_passwords(value)} is not used",
                    "if you need it, set fetch.proxy",
                )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _home(path: Path) -> str:
    """Return a path with the home folder as ~: this goes into bug reports."""
    try:
        return f"~/{path.absolute().relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
