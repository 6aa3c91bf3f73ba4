"""A disk that becomes full under one shard: the crawl stops in words, and goes on when there is room."""

import os
import subprocess

import pytest

from tests.scale.shard_kit import PATIENCE, clew, exported, new_crawl, start, wait_for
from tests.scale.tree_web import TreeWeb, serving


@pytest.fixture
def small_disk(tmp_path):
    """A disk of its own for the folder of shard 1; needs the right to mount one."""
    place = tmp_path / "tree" / "shards" / "1"
    for shard in range(3):
        place.with_name(str(shard)).mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=30m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(path):
    """Write a file until there is no room."""
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)) == 4096:
                pass
        except OSError:
            return


def test_a_full_disk_of_one_shard_stops_the_crawl_in_words_and_loses_nothing(tmp_path, small_disk):
    with serving(TreeWeb(pages=100, hosts=12, latency=0.02, growing=True)) as web:
        folder, log = new_crawl(tmp_path / "tree", web, delay=0.1), tmp_path / "log"
        run = start(log, "run", folder, "--shards", 3, "--plain")
        wait_for(lambda: len(web.log) > 40)
        fill(small_disk / "filler")
        run.wait(PATIENCE)
        output = log.read_text()
        assert run.returncode == 5, output
        assert "shard 1: " in output
        assert "full" in output
        assert "Traceback" not in output
        (small_disk / "filler").unlink()
        web.finish()
        assert "nothing is left to fetch" in clew("run", folder, "--plain").stdout
        assert exported(folder).keys() == web.urls
