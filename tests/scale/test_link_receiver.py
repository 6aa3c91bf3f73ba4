"""Which shards are read in a turn, with many shards."""

from types import SimpleNamespace

from clew.scale.link_receiver import MOST_READS, LinkReceiver


def test_of_many_shards_each_is_read_in_its_turn_and_few_are_read_always():
    few = LinkReceiver(engine=SimpleNamespace(), outboxes=dict.fromkeys(range(1, 9)))
    assert [sorted(few.turn()) for _ in range(3)] == [list(range(1, 9))] * 3
    many = LinkReceiver(engine=SimpleNamespace(), outboxes=dict.fromkeys(range(1, 1_000)))
    turns = [many.turn() for _ in range(2 * 999)]
    assert {len(turn) for turn in turns} == {MOST_READS}
    read = [shard for turn in turns for shard in turn]
    assert {read.count(shard) for shard in range(1, 1_000)} == {2 * MOST_READS}
    assert LinkReceiver(engine=SimpleNamespace(), outboxes={}).turn() == []
