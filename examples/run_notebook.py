"""Runs the notebook and puts what it shows into it: `python -m examples.run_notebook`, after changes to either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent / "trees.ipynb"


def run_notebook(path: Path = NOTEBOOK) -> Any:
    """Return the notebook as it is after running all its cells; an error in one of them is raised."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False)
    client.execute()
    # Which Python ran it is nobody's business, and would change with every run.
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


if __name__ == "__main__":
    nbformat.write(run_notebook(), NOTEBOOK)
