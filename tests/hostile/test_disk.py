"""Disk and folder: too little room, a full disk, a folder that cannot be written, damage, a newer schema."""

import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from . import judge, program
from .content import page
from .judge import Evidence
from .server import Answer, Web
from .small import evidence, run_words, site_of, whole

pytestmark = pytest.mark.timeout(120)

ROOT = os.geteuid() == 0


def test_too_little_room_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 3)
    with web:
        program.new(tmp_path / "crawl", seed)
        done = program.clew(*run_words(tmp_path / "crawl", "--set", "store.min_free=1000000000"))
        assert done.returncode == 5, done.stdout + done.stderr
        assert "min_free" in done.stdout + done.stderr
        assert program.clew(*run_words(tmp_path / "crawl")).returncode == 0
        whole(evidence(web, tmp_path / "crawl"), 3)


def _filling_disk(tmp_path: Path, run_limited, room: Path) -> None:
    """Crawl until the disk refuses, then again with room: nothing lost, nothing twice."""
    web = Web(tmp_path)
    site = web.site("a")
    paths = [f"/page/{n}" for n in range(50)]
    site.on("/", Answer(page("front", *paths)))
    for path in paths:
        site.on(path, Answer(os.urandom(20_000).hex().encode()))  # 20 kB each that no archive can shrink
    with web:
        program.new(room / "crawl", site.url("/"))
        code, said = run_limited(run_words(room / "crawl", "--set", "store.min_free=0"))
        assert code == 5, said
        assert "Traceback" not in said
        stopped_at = len([t for s in web.sites.values() for t in s.visits])
        assert stopped_at < 50, "the disk was never full"
        if room != tmp_path:
            subprocess.run(["mount", "-o", "remount,size=64m", str(room)], check=True)
        done = program.clew(*run_words(room / "crawl"))
        assert done.returncode == 0, done.stdout + done.stderr
        export = tmp_path / "pages.jsonl"
        assert program.clew("export", str(room / "crawl"), str(export)).returncode == 0
        seen = Evidence(web.log_path, room / "crawl", export)
        whole(seen, 51)
    with closing(sqlite3.connect(room / "crawl" / "crawl.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    def limited(words: list[str]) -> tuple[int, str]:
        done = subprocess.run(
            [program.CLEW, *words], capture_output=True, text=True, timeout=250, check=False, env=program.environment(),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY)),
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    _filling_disk(tmp_path, limited, tmp_path)


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    room = tmp_path / "small"
    room.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(room)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small file system can be mounted by root only; the limit on files is tested above")
    try:

        def limited(words: list[str]) -> tuple[int, str]:
            done = program.clew(*words)
            return done.returncode, done.stdout + done.stderr

        _filling_disk(tmp_path, limited, room)
    finally:
        subprocess.run(["umount", "-l", str(room)], check=True)


@contextmanager
def _unwritable(folder: Path) -> Iterator[None]:
    """Make a folder refuse to be written: by its mode, or for root by a mount."""
    if not ROOT:
        folder.chmod(0o555)
        yield
        folder.chmod(0o755)
        return
    mounted = subprocess.run(["mount", "-t", "tmpfs", "none", str(folder)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("neither modes nor mounts can make a folder unwritable here")
    try:
        shutil.copy(folder.with_name("clew.toml"), folder)
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    web = Web(tmp_path)
    seed = site_of(web, "a", 2)
    with web:
        program.new(tmp_path / "crawl", seed)
        shutil.copy(tmp_path / "crawl" / "clew.toml", tmp_path)
        with _unwritable(tmp_path / "crawl"):
            done = program.clew(*run_words(tmp_path / "crawl"))
        said = done.stdout + done.stderr
        assert done.returncode == 5, said
        assert str(tmp_path / "crawl") in said.replace("\n", "")
        assert "Traceback" not in said
        assert web.requests == 0


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl, to be copied and then damaged."""
    folder = tmp_path_factory.mktemp("finished")
    web = Web(folder)
    seed = site_of(web, "a", 12)
    with web:
        program.new(folder / "crawl", seed)
        assert program.clew(*run_words(folder / "crawl")).returncode == 0
    with closing(sqlite3.connect(folder / "crawl" / "crawl.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder / "crawl"


@pytest.mark.parametrize("damage", ["header", "middle", "cut", "noise", "empty"])
def test_a_damaged_database_is_said_and_not_made_worse(tmp_path: Path, finished: Path, damage: str) -> None:
    crawl = tmp_path / "crawl"
    shutil.copytree(finished, crawl)
    path = crawl / "crawl.db"
    _damage(path, damage)
    before = path.read_bytes()
    archives = {p.name: p.read_bytes() for p in judge.warc_files(crawl)}
    assert archives
    done = program.clew(*run_words(crawl))
    said = done.stdout + done.stderr
    assert {p.name: p.read_bytes() for p in judge.warc_files(crawl)} == archives, "the archive was changed"
    assert done.returncode == 5, said
    assert "crawl.db" in said
    assert "Traceback" not in said
    assert path.read_bytes() == before, "the damaged file was changed"


def _damage(path: Path, how: str) -> None:
    data = bytearray(path.read_bytes())
    if how == "header":
        data[:32] = b"\0" * 32
    elif how == "middle":
        half = len(data) // 2 // 4096 * 4096
        data[4096 : half + 4096] = b"\xa5" * half
    elif how == "cut":
        data = data[: len(data) // 2 + 100]
    elif how == "noise":
        data = bytearray(b"this is not a database\n" * 2000)
    else:
        data = bytearray()
    path.write_bytes(bytes(data))


def test_a_lost_database_leaves_the_archive_alone(tmp_path: Path, finished: Path) -> None:
    crawl = tmp_path / "crawl"
    shutil.copytree(finished, crawl)
    (crawl / "crawl.db").unlink()
    archives = {p: p.read_bytes() for p in judge.warc_files(crawl)}
    program.clew(*run_words(crawl, "--set", "fetch.tries=1"))
    assert {p: p.read_bytes() for p in archives} == archives


def test_a_newer_schema_is_refused(tmp_path: Path, finished: Path) -> None:
    crawl = tmp_path / "crawl"
    shutil.copytree(finished, crawl)
    with closing(sqlite3.connect(crawl / "crawl.db")) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        assert version > 0
        db.execute(f"PRAGMA user_version = {version + 1}")
        db.commit()
    done = program.clew(*run_words(crawl))
    assert done.returncode == 5, done.stdout + done.stderr
    assert "newer" in (done.stdout + done.stderr).lower()
