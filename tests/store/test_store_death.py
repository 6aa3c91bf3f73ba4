"""Death and bad disks: real kills, real full disks, two processes, damaged databases."""

import asyncio
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from crawler_to_kill import INSTANTS, body_of
from store_kit import responses, rows, some_found, some_link, some_step, sound

from clew.errors import FolderBusy, StoreError
from clew.store.export import export
from clew.store.sqlite import SqliteStore
from clew.types import Label

HERE = Path(__file__).parent


@contextmanager
def crawler(folder: Path, way: str) -> Iterator[subprocess.Popen[str]]:
    """A process at work in the folder; killed, if it still lives, at the end."""
    program = [sys.executable, str(HERE / "crawler_to_kill.py"), str(folder), way]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def reopen(folder: Path) -> None:
    store = SqliteStore(folder, min_free=0)
    store.open()
    asyncio.run(store.aclose())


def check_nothing_is_wrong(folder: Path) -> set[int]:
    """Return the ids of all pages, having compared database and WARC files in both directions."""
    assert sound(folder)
    stored = rows(folder, "SELECT url, id, digest FROM pages JOIN links USING (id)")
    kept = responses(folder)
    assert {url: [body_of(id)] for url, id, _ in stored} == kept
    committed = dict(rows(folder, "SELECT name, length FROM warcs"))
    assert {p.name: p.stat().st_size for p in (folder / "pages").iterdir()} == committed
    assert rows(folder, "SELECT count(*) FROM links WHERE (state = 1) != (id IN (SELECT id FROM pages))") == [
        (0,)
    ]
    # Every page was committed together with the three links it found.
    assert rows(folder, "SELECT count(*) FROM links WHERE parent IS NOT NULL") == [(3 * len(stored),)]
    return {id for _, id, _ in stored}


def test_killed_at_random_nothing_committed_is_lost(tmp_path):
    chance = random.Random(7)
    safe: set[int] = set()
    for _ in range(8):
        with crawler(tmp_path, "loop") as process:
            time.sleep(chance.uniform(0.01, 0.25))
            process.kill()
            said = [int(line) for line in process.stdout.read().split()]
        reopen(tmp_path)
        pages = check_nothing_is_wrong(tmp_path)
        assert safe <= pages
        assert set(said) <= pages
        safe = pages
    assert len(safe) > 5  # some came through on any machine


@pytest.mark.parametrize("way", INSTANTS)
def test_killed_at_a_chosen_instant(tmp_path, way):
    with crawler(tmp_path, way) as process:
        process.wait(20)
        assert process.returncode == -signal.SIGKILL
    tail = sum(p.stat().st_size for p in (tmp_path / "pages").iterdir())
    target = tmp_path / "seen.jsonl"
    exported = export(tmp_path, target)  # from a folder that nobody has mended yet
    reopen(tmp_path)
    pages = check_nothing_is_wrong(tmp_path)
    assert exported == len(pages) == {"after database": 8}.get(way, 4)  # groups of 1, 3 and 4 pages
    cut = tail - sum(p.stat().st_size for p in (tmp_path / "pages").iterdir())
    assert (cut > 0) == (way == "after warc, before database")


def test_files_that_are_not_ours_are_never_touched(tmp_path):
    with crawler(tmp_path, "after database") as process:
        process.wait(20)
    stranger = tmp_path / "pages" / "clew-20200101000000-00099.warc.gz"
    stranger.write_bytes(b"from an older crawl")
    reopen(tmp_path)
    assert stranger.read_bytes() == b"from an older crawl"


def test_one_folder_one_process(tmp_path):
    with crawler(tmp_path, "hold") as process:
        with pytest.raises(FolderBusy, match=f"process {process.pid} already works .* kill {process.pid}"):
            SqliteStore(tmp_path, min_free=0).open()
        process.kill()
        process.wait()
        reopen(tmp_path)
    store = SqliteStore(tmp_path, min_free=0)
    store.open()
    with pytest.raises(FolderBusy):
        SqliteStore(tmp_path, min_free=0).open()
    asyncio.run(store.aclose())


def test_the_lock_dies_with_its_owner_even_when_a_child_lives(tmp_path):
    with crawler(tmp_path, "fork") as process:
        process.kill()
        process.wait()
        reopen(tmp_path)
        os.killpg(process.pid, signal.SIGKILL)


def test_labels_come_from_another_process_while_a_crawl_writes(tmp_path):
    from clew.store.labels import add_label

    with crawler(tmp_path, "loop") as process:
        process.stdout.readline()
        for i in range(5):
            add_label(tmp_path, Label(f"http://a.test/{i}", i % 2 == 0, time.time()))
            assert len(rows(tmp_path, "SELECT * FROM labels")) == i + 1
        assert process.poll() is None
        process.kill()
    reopen(tmp_path)
    assert len(rows(tmp_path, "SELECT * FROM labels")) == 5


@contextmanager
def small_disk(place: Path) -> Iterator[None]:
    """A disk of 3 MiB when we may mount one, else files of at most 1 MiB."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "none", str(place)], capture_output=True, check=False
    )
    if mounted.returncode == 0:
        try:
            yield
            subprocess.run(["mount", "-o", "remount,size=64m", str(place)], check=True)
        except BaseException:
            subprocess.run(["umount", "-l", str(place)], check=True)
            raise
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def fill(folder: Path, *, body: int, text: int) -> int:
    """Commit until the disk is full; return how many pages were committed."""
    noise = np.random.default_rng(3)

    async def go() -> int:
        store = SqliteStore(folder, min_free=0)
        store.open()
        done = 0

        async def commit_one_by_one() -> None:
            nonlocal done
            while done < 10_000:
                link, visit = some_link(done + 1, f"http://a.test/{done}"), {"body": noise.bytes(body)}
                store.add(some_step(link, visit=visit, page={"text": "x" * text}))
                await store.commit()
                done += 1

        with pytest.raises(StoreError, match=r"full|size limit|failed to read or write") as stopped:
            await commit_one_by_one()
        assert stopped.value.exit_code == 5
        with pytest.raises(StoreError):
            await store.commit()
        await store.aclose()
        return done

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("body", "text"), [(50_000, 10), (10, 50_000)], ids=["in the WARC file", "in the database"]
)
def test_a_full_disk_stops_the_store_and_loses_nothing(tmp_path, body, text):
    folder = tmp_path / "disk"
    try:
        with small_disk(folder):
            done = fill(folder, body=body, text=text)
            assert 5 < done < 5_000
        reopen(folder)
        assert sound(folder)
        assert rows(folder, "SELECT count(*), max(id) FROM pages") == [(done, done)]
        assert len(responses(folder)) == done
    finally:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


def test_places_that_cannot_be_used_are_named_with_the_cure(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="there is a file where a folder is needed"):
        SqliteStore(tmp_path / "file", min_free=0).open()
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "pages").write_text("in the way")
    with pytest.raises(StoreError, match="there is a file where a folder is needed"):
        SqliteStore(tmp_path / "crawl", min_free=0).open()


def test_a_read_only_folder(tmp_path):
    folder = tmp_path / "crawl"
    with crawler(folder, "after database") as process:
        process.wait(20)
    reopen(folder)
    before = rows(folder, "SELECT count(*) FROM pages")
    if os.geteuid() == 0:  # root writes through modes, so the disk itself must refuse
        for command in (["mount", "--bind", folder, folder], ["mount", "-o", "remount,bind,ro", folder]):
            if subprocess.run(command, capture_output=True, check=False).returncode:
                pytest.xfail("root without the right to mount cannot make a folder read-only")
    else:
        for path in (folder / "pages", folder / "crawl.db", folder / "crawl.lock", folder):
            path.chmod(0o555)
    try:
        with pytest.raises(StoreError, match=r"read-only|permission"):
            SqliteStore(folder, min_free=0).open()
        assert export(folder, tmp_path / "out.jsonl") == before[0][0]  # reading is still possible
    finally:
        subprocess.run(["umount", "-l", folder], capture_output=True, check=False)
        folder.chmod(0o755)


def snapshot(folder: Path) -> dict[str, bytes]:
    files = [p for p in folder.rglob("*") if p.is_file() and not p.name.endswith(("-shm", ".lock"))]
    return {str(p): data for p in files if (data := p.read_bytes())}  # SQLite may leave an empty log


@pytest.mark.parametrize("where", ["header", "middle", "cut"])
def test_a_damaged_database_is_refused_and_left_as_it_is(tmp_path, where):
    with crawler(tmp_path, "after database") as process:
        process.wait(20)
    reopen(tmp_path)
    path = tmp_path / "crawl.db"
    data = bytearray(path.read_bytes())
    if where == "header":
        data[:64] = b"\xff" * 64
    elif where == "middle":
        for start in range(8192, len(data), 8192):
            data[start + 3 : start + 60] = b"\xee" * 57
    else:
        del data[len(data) // 2 :]
    path.write_bytes(data)
    before = snapshot(tmp_path)
    with pytest.raises(
        StoreError, match=r"damaged.*copy the whole folder first.*\.recover.*pages/\*\.warc\.gz"
    ):
        SqliteStore(tmp_path, min_free=0).open()
    assert snapshot(tmp_path) == before


def test_other_and_newer_databases_are_refused_unchanged(tmp_path):
    foreign = sqlite3.connect(tmp_path / "crawl.db")
    foreign.execute("CREATE TABLE mine (x)")
    foreign.commit()
    foreign.close()
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match="not a clew database"):
        SqliteStore(tmp_path, min_free=0).open()
    assert snapshot(tmp_path) == before
    shutil.rmtree(tmp_path)
    reopen(tmp_path)
    newer = sqlite3.connect(tmp_path / "crawl.db")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match=r"newer clew .*upgrade"):
        SqliteStore(tmp_path, min_free=0).open()
    assert snapshot(tmp_path) == before


def test_an_empty_database_file_is_a_fresh_start(tmp_path):
    (tmp_path / "crawl.db").touch()  # killed between making the file and filling it
    reopen(tmp_path)
    assert sound(tmp_path)


def test_a_warc_file_shorter_than_committed_is_named(tmp_path):
    with crawler(tmp_path, "after database") as process:
        process.wait(20)
    (path,) = (tmp_path / "pages").iterdir()
    os.truncate(path, 1_000)
    with pytest.raises(StoreError, match=r"shorter than the database says .* move it out"):
        SqliteStore(tmp_path, min_free=0).open()
    assert path.stat().st_size == 1_000
    path.unlink()
    reopen(tmp_path)  # moved away: the crawl goes on without it


def test_the_log_stays_small_while_somebody_reads(tmp_path):
    async def go() -> int:
        store = SqliteStore(tmp_path, min_free=0)
        store.open()
        store.add_links(some_found(1, ["http://a.test/0"], depth=0))
        await store.commit()
        largest = 0
        for round_ in range(40):
            for i in range(20):
                id = 2 + round_ * 20 + i
                store.add(some_step(some_link(id, f"http://a.test/{id}"), page={"text": "word " * 20_000}))
            await store.commit()
            store.link(1)
            largest = max(largest, (tmp_path / "crawl.db-wal").stat().st_size)
        await store.aclose()
        return largest

    assert asyncio.run(go()) < 40 << 20  # 80 MB were written
    assert not (tmp_path / "crawl.db-wal").exists()
