"""What was learned lies in files that read back the same, or say what is wrong with them."""

import os
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.domain import model_files
from clew.domain.model_files import Model, ModelTable, model_name, read_model, write_model
from clew.errors import ConfigError, StoreError

SAMPLE = Model(
    name="examples",
    facts={"about": "lighthouses\nand more", "scale": "2.5"},
    tables={
        "terms": ModelTable(
            ("term", "weight"), [("灯台", 3.25), ("fog\tsignal", -0.1), ("[x]", 1), ("# end", 2)]
        ),
        "pages": ModelTable(("url",), [("[https://a.test/]",), ("\\t",), ("",)]),
        "empty": ModelTable(("a", "b")),
    },
)


def _as_text(model):
    return {
        name: (table.columns, [tuple(map(str, row)) for row in table.rows])
        for name, table in model.tables.items()
    }


def test_a_model_reads_back_the_same(tmp_path):
    path = tmp_path / "models" / "judge.tsv"
    write_model(path, SAMPLE)
    found = read_model(path, "examples", 1)
    assert found.facts == SAMPLE.facts
    assert _as_text(found) == _as_text(SAMPLE)
    assert model_name(path) == "examples"
    assert [each.name for each in path.parent.iterdir()] == ["judge.tsv"]
    assert path.read_text("utf-8").startswith("# clew model examples 1\nabout\tlighthouses\\nand more\n")


CELL = st.one_of(st.text(max_size=12), st.floats(allow_nan=False), st.integers())


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(CELL, CELL), max_size=8), value=st.text(max_size=20))
def test_any_text_reads_back_the_same(tmp_path_factory, rows, value):
    path = tmp_path_factory.mktemp("any") / "m.tsv"
    write_model(path, Model(name="x", facts={"k": value}, tables={"t": ModelTable(("a", "b"), rows)}))
    found = read_model(path, "x", 1)

    def plain(cell):
        return str(cell).encode("utf-8", "replace").decode()

    assert found.facts == {"k": plain(value)}
    assert list(found.tables["t"].rows) == [(plain(a), plain(b)) for a, b in rows]


def test_a_missing_file_is_no_error(tmp_path):
    assert read_model(tmp_path / "judge.tsv", "examples", 1) is None
    assert model_name(tmp_path / "judge.tsv") == ""


def test_every_cut_and_every_flipped_byte_is_noticed(tmp_path):
    path = tmp_path / "judge.tsv"
    write_model(path, SAMPLE)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(ConfigError, match="delete"):
            read_model(path, "examples", 1)
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(ConfigError, match="delete"):
            read_model(path, "examples", 1)


def test_newer_and_other_models_are_named(tmp_path):
    path = tmp_path / "judge.tsv"
    write_model(path, Model(name="examples", version=3))
    with pytest.raises(
        ConfigError, match="written by a newer clew; update, or delete the file to learn again"
    ):
        read_model(path, "examples", 2)
    assert read_model(path, "examples", 4).version == 3
    with pytest.raises(ConfigError, match='a model of "examples", not of "bayes"'):
        read_model(path, "bayes", 3)
    path.write_bytes(b"\x00\xff" * 500)
    with pytest.raises(ConfigError, match="not a model of clew"):
        read_model(path, "examples", 1)


def test_other_line_ends_do_no_harm(tmp_path):
    path = tmp_path / "judge.tsv"
    write_model(path, SAMPLE)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert _as_text(read_model(path, "examples", 1)) == _as_text(SAMPLE)


def test_a_full_or_forbidden_disk_is_told(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match="cannot be written"):
        write_model(tmp_path / "file" / "judge.tsv", SAMPLE)
    with pytest.raises(StoreError, match="free some space"):
        write_model(tmp_path, SAMPLE)


def test_a_kill_leaves_a_whole_model(tmp_path):
    path = tmp_path / "judge.tsv"
    program = f"""
from pathlib import Path
from clew.domain import model_files
from clew.domain.model_files import Model, ModelTable, write_model
rows = [(f"term{{n}}", n / 7) for n in range(20_000)]
for turn in range(10_000):
    write_model(Path({str(path)!r}), Model(name="x", facts={{"turn": str(turn)}}, tables={{"t": ModelTable(("a", "b"), rows)}}))
"""
    for wait in (0.02, 0.05, 0.09):
        writer = subprocess.Popen([sys.executable, "-c", program])
        deadline = time.monotonic() + 200
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(wait)
        os.kill(writer.pid, signal.SIGKILL)
        assert writer.wait() == -signal.SIGKILL
        assert len(read_model(path, "x", 1).tables["t"].rows) == 20_000


CELLS = st.text("ab\\\t\n\r[# ", max_size=3) | st.integers()


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=4))
def test_rows_are_written_the_same_together_and_one_by_one(rows):
    assert model_files._lines(rows) == [model_files._line(row) for row in rows]
