"""The notebooks of the documentation run to their end, and show what they show."""

import importlib.util
from pathlib import Path

import nbformat
import pytest

from tests.docs_kit import DOCS

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def execute():
    spec = importlib.util.spec_from_file_location("execute", DOCS / "notebooks" / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outputs(notebook):
    """Return the kind and text of every output, by cell."""
    found = []
    for cell in notebook.cells:
        texts = [out.get("text") or out["data"].get("text/plain", "") for out in cell.get("outputs", [])]
        found.append("".join(texts))
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")  # of Jupyter's own packages
def test_a_notebook_runs_to_its_end(path, tmp_path):
    made = execute().executed(path, tmp_path)
    kept = nbformat.read(path, as_version=4)
    shown, before = outputs(made), outputs(kept)
    assert [bool(text) for text in shown] == [bool(text) for text in before], "run docs/notebooks/execute.py"
    assert not any("Error" in text or "Warning" in text for text in shown)
    if path.stem == "topic":
        assert (tmp_path / "lighthouses.csv").stat().st_size > 10_000
    else:
        table = next(text for text in shown if "after 300 pages" in text).splitlines()
        last = dict(zip(table[0].split(), map(int, table[-1].split()[3:]), strict=True))
        assert last["clew"] > last["breadth"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_kept_notebooks_are_executed_and_name_no_folder_of_their_author(path):
    kept = nbformat.read(path, as_version=4)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    text = Path(path).read_text("utf-8")
    assert "/tmp/" not in text
    assert "/home/" not in text
