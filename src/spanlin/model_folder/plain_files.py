"""Files of an untrusted folder: they lie in it, are plain, and are not too large."""

from __future__ import annotations

import stat
from pathlib import Path

from spanlin.errors import CheckpointError
from spanlin.model_folder.manifest import CARD, GRAPH, LABEL_GRAPH, MANIFEST, WEIGHTS

_MEGABYTE = 1_000_000
_MOST_MEGABYTES = {
    MANIFEST: 8,
    CARD: 8,
    GRAPH: 2_148,  # what ONNX can hold in one file
    LABEL_GRAPH: 512,
    WEIGHTS: 20_000,
}
_MOST_OTHERS = 64  # tokenizers and lexicons among them


def require_plain_file(path: Path) -> None:
    """Raise a CheckpointError if a file lies outside its folder, is not a plain file or too large.

    In the cache of Hugging Face's hub, files are links to where the cache keeps their bytes; these are allowed.

    Raises an OSError if it is not there.
    """
    found = path.stat()
    folder, target = path.parent.resolve(), path.resolve()
    if target.parent != folder and not _is_cached_blob(folder, target):
        raise CheckpointError(f"{path}: is a link to outside the model folder; put the file itself there")
    if not stat.S_ISREG(found.st_mode):
        raise CheckpointError(f"{path}: is not a plain file; copy the model again")
    require_size(str(path), path.name, found.st_size)


def require_size(source: str, name: str, size: int) -> None:
    """Raise a CheckpointError if a file of this name has more bytes than any model needs."""
    most = _MOST_MEGABYTES.get(name, _MOST_OTHERS)
    if size > most * _MEGABYTE:
        raise CheckpointError(f"{source}: has {size} bytes, but at most {most} MB are read")


def _is_cached_blob(folder: Path, target: Path) -> bool:
    """Tell whether a link leads from a folder of the hub's cache to its blobs, those of the model or those of all.

    The layout is CACHE/models--OWNER--NAME/snapshots/COMMIT; both paths are without links.
    """
    if len(folder.parts) < 4 or folder.parent.name != "snapshots" or not folder.parents[1].name.startswith("models--"):
        return False
    model, cache = folder.parents[1], folder.parents[2]
    return target.parent == model / "blobs" or target.is_relative_to(cache / "blobs")
