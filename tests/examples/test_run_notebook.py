"""The notebook runs, and shows what it shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("pandas")
run_notebook = pytest.importorskip("examples.run_notebook")

# Of Jupyter's own libraries.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def shown(notebook: Any) -> list[list[str]]:
    """Return what each cell shows: printed text, values and pictures, without the last digits of probabilities."""
    found = []
    for cell in notebook.cells:
        parts = []
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            picture = re.sub(r"<rect [^>]*>| · [\d.]+%", "", data.get("image/svg+xml", ""))
            parts += [output.get("text", ""), data.get("text/plain", ""), picture]
        found.append(parts)
    return found


def test_the_notebook_shows_what_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    kept = nbformat.read(run_notebook.NOTEBOOK, as_version=4)
    assert any("<svg" in part for cell in shown(kept) for part in cell)
    assert shown(run_notebook.run_notebook()) == shown(kept), "run python -m examples.run_notebook"
