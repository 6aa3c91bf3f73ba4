"""Crawls on a Ray cluster of three nodes, killed piece by piece, judged from the server's log and the export."""

import pytest

from tests.scale.ray_crawl import RayCrawl
from tests.scale.ray_kit import RayNodes, need_ray
from tests.scale.test_kill import judge
from tests.scale.tree_web import TreeWeb, serving

pytestmark = [pytest.mark.timed, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def nodes():
    """A cluster of three nodes."""
    need_ray()
    made = RayNodes(head_cpus=1)
    try:
        for node in range(3):
            made.start(node)
        yield made
    finally:
        made.close()


def test_a_crawl_survives_the_death_of_each_part_and_of_the_whole_cluster(
    tmp_path, nodes, postgres_server, fresh_schema
):
    with serving(TreeWeb(pages=400, hosts=10, latency=0.02, growing=True)) as web:
        crawl = RayCrawl(tmp_path / "tree", web, nodes=nodes, postgres=postgres_server, address=fresh_schema)
        crawl.drive()
        for what in ("shard", "parser", "postgres", "driver", "node", "cluster"):
            crawl.wait_pages(25)
            crawl.kill(what)
        crawl.wait_pages(1)
        web.finish()
        crawl.finish()
        judge(crawl.folder, web, crawl.kills)
    output = crawl.log.read_text()
    assert "(raylet)" not in output
    assert "watching it again" in output
    assert "taken over by 127.0.0." in output
    assert "moves from 127.0.0." in output
    assert not nodes.processes("clew.cli.shard_process")
