"""Files of an untrusted folder: they lie in it, are plain, and are not too large."""

from __future__ import annotations

import stat
from pathlib import Path

from spanlin.errors import CheckpointError
from spanlin.model_folder.manifest import CARD, GRAPH, LABEL_GRAPH, MANIFEST, TOKENIZER, WEIGHTS

_MEGABYTE = 1_000_000
_MOST_MEGABYTES = {
    MANIFEST: 8,
    CARD: 8,
    TOKENIZER: 64,
    GRAPH: 2_148,  # what ONNX can hold in one file
    LABEL_GRAPH: 512,
    WEIGHTS: 20_000,
}
_MOST_OTHERS = 64


def require_plain_file(path: Path) -> None:
    """Raise a CheckpointError if a file lies outside its folder, is not a plain file or too large.

    Raises an OSError if it is not there.
    """
    found = path.stat()
    if path.resolve().parent != path.parent.resolve():
        raise CheckpointError(f"{path}: is a link to outside the model folder; put the file itself there")
    if not stat.S_ISREG(found.st_mode):
        raise CheckpointError(f"{path}: is not a plain file; copy the model again")
    most = _MOST_MEGABYTES.get(path.name, _MOST_OTHERS)
    if found.st_size > most * _MEGABYTE:
        raise CheckpointError(f"{path}: has {found.st_size} bytes, but at most {most} MB are read")
