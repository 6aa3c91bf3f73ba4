"""The file with all that judge and ranker have learned, and when it holds."""

import numpy as np
import pytest

from clew.engine.learned_file import LearnedFile, LearnedStates

STATE = {"ranker": {"stats.seen": np.array([0.1, 1 / 3], np.float32), "ids": np.array([3], np.uint32)}}


@pytest.fixture
def file(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "links.tsv").write_text("# clew model links 1\n")
    (tmp_path / "derived").mkdir()
    return LearnedFile(
        path=tmp_path / "derived" / "learned.npz", models=tmp_path / "models", made_by="clew 1"
    )


def written(file, name="a"):
    file.write(LearnedStates(name=name, states=STATE, labels={"http://a.test/": True}))
    return file


def test_what_was_written_is_read_to_the_last_bit(file):
    read = written(file).read("a")
    assert read is not None
    assert read.labels == {"http://a.test/": True}
    assert {key: column.tobytes() for key, column in read.states["ranker"].items()} == {
        key: column.tobytes() for key, column in STATE["ranker"].items()
    }


def test_it_does_not_hold_after_another_commit_of_another_policy_or_with_other_models(file):
    assert written(file).read("b") is None
    other = LearnedFile(path=file.path, models=file.models, made_by="clew 2")
    assert other.read("a") is None
    (file.models / "links.tsv").write_text("# clew model links 1\nedited\n")
    assert file.read("a") is None


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"not a file of arrays", None])
def test_a_damaged_or_missing_file_is_none(file, damage):
    written(file)
    if damage is None:
        file.path.unlink()
    else:
        file.path.write_bytes(damage)
    assert file.read("a") is None


def test_a_file_cut_anywhere_is_none(file):
    whole = written(file).path.read_bytes()
    for size in range(0, len(whole), 97):
        file.path.write_bytes(whole[:size])
        assert file.read("a") is None
