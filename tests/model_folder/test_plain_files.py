from __future__ import annotations

from pathlib import Path

import pytest

from spanlin.errors import CheckpointError
from spanlin.model_folder.plain_files import require_plain_file, require_size

COMMIT = "0" * 40


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    """A file's place in a cache of the hub; its bytes may be in the model's `blobs` or in those of all models."""
    model = tmp_path / "hub" / "models--some--parser"
    for folder in (model / "snapshots" / COMMIT, model / "blobs", tmp_path / "hub" / "blobs" / "ab"):
        folder.mkdir(parents=True)
    (model / "blobs" / "abc").write_bytes(b"own")
    (tmp_path / "hub" / "blobs" / "ab" / "abc").write_bytes(b"shared")
    (tmp_path / "outside").write_bytes(b"secret")
    return model / "snapshots" / COMMIT / "card.md"


def refuse(path: Path) -> None:
    with pytest.raises(CheckpointError, match="is a link to outside the model folder; put the file itself there"):
        require_plain_file(path)


def test_a_file_of_the_hubs_cache_is_a_link_to_its_blobs(cached: Path) -> None:
    cached.symlink_to("../../blobs/abc")
    require_plain_file(cached)


def test_blobs_may_be_shared_by_all_models_of_the_cache(cached: Path) -> None:
    blob = cached.parents[2] / "blobs" / "def"
    blob.symlink_to("../../blobs/ab/abc")
    cached.symlink_to("../../blobs/def")
    require_plain_file(cached)


def test_a_link_from_the_cache_to_elsewhere_is_refused(cached: Path, tmp_path: Path) -> None:
    cached.symlink_to(tmp_path / "outside")
    refuse(cached)


def test_a_blob_that_leads_elsewhere_is_refused(cached: Path, tmp_path: Path) -> None:
    (cached.parents[2] / "blobs" / "def").symlink_to(tmp_path / "outside")
    cached.symlink_to("../../blobs/def")
    refuse(cached)


def test_blobs_that_lie_elsewhere_are_refused(cached: Path, tmp_path: Path) -> None:
    blobs = cached.parents[2] / "blobs"
    (blobs / "abc").unlink()
    blobs.rmdir()
    blobs.symlink_to(tmp_path)
    cached.symlink_to("../../blobs/outside")
    refuse(cached)


def test_only_the_hubs_layout_is_the_hubs_cache(cached: Path) -> None:
    cached.symlink_to("../../blobs/abc")
    model = cached.parents[2]
    model.rename(model.with_name("some-parser"))
    refuse(model.with_name("some-parser") / "snapshots" / COMMIT / "card.md")


def test_sizes_have_limits_by_name() -> None:
    require_size("here", "card.md", 8_000_000)
    with pytest.raises(CheckpointError, match=r"^here: has 8000001 bytes, but at most 8 MB are read$"):
        require_size("here", "card.md", 8_000_001)
    require_size("here", "graph.onnx", 8_000_001)
