"""The table of a crawl in shards: a row for each shard, or for each machine."""

import io

import pytest
from rich.console import Console

from clew.cli.shard_views import LiveShards
from clew.config import Config
from clew.scale.coordinator import ShardState


@pytest.fixture
def view():
    return LiveShards(
        Config.model_validate({"crawl": {"contact": "https://crawler.uni-x.org/bot", "pages": 500}})
    )


def rows(view, states):
    console = Console(file=io.StringIO(), width=140)
    console.print(view.table(states))
    title, head, *found = console.file.getvalue().splitlines()
    return title.strip(), head.split(), [line.split() for line in found]


def test_on_one_machine_every_shard_has_a_row(view):
    states = [
        ShardState(shard=0, owner="desk:11", pages=40, relevant=9, open=7, above=2, lag=3, silent=0.4),
        ShardState(shard=1, owner="desk:12", pages=2, idle=True),
    ]
    title, head, found = rows(view, states)
    assert title.startswith("pages 0/500")
    assert head == ["shard", "owner", "pages/s", "pages", "relevant", "open", "above", "lag", "heard"]
    assert found[0] == ["0", "desk:11", "40", "9", "7", "2", "3", "0.4", "s", "ago"]
    assert found[1] == ["1", "desk:12", "2", "0", "0", "0", "0", "idle"]


def test_on_several_machines_every_machine_has_a_row_and_the_longest_silence(view):
    states = [
        ShardState(shard=0, owner="10.0.0.2:11", pages=40, lag=3, silent=0.4),
        ShardState(shard=1, owner="10.0.0.3:12", pages=2, silent=0.1),
        ShardState(shard=2, owner="10.0.0.2:13", pages=60, relevant=5, lag=4, silent=6.0, idle=True),
        ShardState(shard=3),
    ]
    _, head, found = rows(view, states)
    assert head[:2] == ["machine", "shards"]
    assert found == [
        ["10.0.0.2", "2", "100", "5", "0", "0", "7", "6.0", "s", "ago"],
        ["10.0.0.3", "1", "2", "0", "0", "0", "0", "0.1", "s", "ago"],
        ["no", "owner", "1", "0", "0", "0", "0", "0", "no", "owner"],
    ]
