"""Execute the notebooks of the documentation, offline, and keep their outputs.

Run:  python docs/notebooks/execute.py

`tests/test_notebooks.py` executes them as well, and fails when one does not run to its end.
"""

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

HERE = Path(__file__).parent
SECONDS = 240
"""Time limit of one cell."""


def executed(path: Path, folder: Path) -> NotebookNode:
    """Return a notebook with its outputs; what it writes goes to `folder`."""
    notebook = nbformat.read(path, as_version=4)
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    client = NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of day
        cell.id = f"cell-{notebook.cells.index(cell)}"
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    notebook.metadata = {"kernelspec": notebook.metadata.get("kernelspec", {"name": "python3"})}
    return notebook


def main() -> None:
    """Execute each notebook and write it back."""
    for path in sorted(HERE.glob("*.ipynb")):
        with tempfile.TemporaryDirectory(prefix="clew-notebook-") as folder:
            nbformat.write(executed(path, Path(folder)), path)
        sys.stdout.write(f"{path.name} is executed\n")


if __name__ == "__main__":
    main()
