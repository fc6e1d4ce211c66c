"""A model folder without the dependencies that it may have: for tests of models that were trained on trees alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from spanlin.model_folder.manifest import MANIFEST

_OF_DEPENDENCIES = ("relations", "universal_tags", "arc_calibration")
_GRAPH = "relations.onnx"


def trees_alone(folder: Path, dest: Path) -> Path:
    """Write a copy of a model folder that has no dependencies; return it."""
    shutil.copytree(folder, dest)
    manifest = json.loads((dest / MANIFEST).read_text(encoding="utf-8"))
    for key in _OF_DEPENDENCIES:
        manifest.pop(key, None)
    manifest["files"].pop(_GRAPH, None)
    (dest / _GRAPH).unlink(missing_ok=True)
    (dest / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return dest
