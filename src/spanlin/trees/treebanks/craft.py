"""CRAFT, full-text biomedical articles: its own id lists say which article is train, dev or test."""

from __future__ import annotations

from pathlib import Path

from spanlin.errors import TreebankError
from spanlin.trees.treebanks.folders import (
    check_disjoint,
    existing_folder,
    list_folder,
    missing_documents,
    read_id_list,
    roots,
)
from spanlin.trees.treebanks.treebank import Treebank, TreebankDocument, bracket_reader, whole

_SPLITS = ("train", "dev", "test")
_IDS = "articles/ids"
_TREES = "structural-annotation/treebank/penn"
_EXPECTED = f"a CRAFT release, with {_IDS}/craft-ids-train.txt and {_TREES}/*.tree"


def find_craft(source: Path) -> Treebank:
    """Return CRAFT in the root folder of a release, or in the folder above it."""
    for root in roots(existing_folder(source, _EXPECTED)):
        if (root / _IDS).is_dir() and (root / _TREES).is_dir():
            break
    else:
        raise TreebankError(f"{source}: no folder {_IDS} beside {_TREES}; expected {_EXPECTED}")
    folder = root / _TREES
    paths = {path.stem: path for path in list_folder(folder) if path.suffix == ".tree"}
    lists = {split: read_id_list(root / _IDS / f"craft-ids-{split}.txt") for split in _SPLITS}
    check_disjoint(lists)
    if missing := [f"{name}.tree" for ids in lists.values() for name in ids if name not in paths]:
        raise missing_documents(missing, folder)
    documents = tuple(
        TreebankDocument(name=name, path=paths[name], read=bracket_reader(paths[name]), split_of=whole(split))
        for split, ids in lists.items()
        for name in ids
    )
    return Treebank(
        name="craft",
        source=source,
        splits=_SPLITS,
        documents=documents,
        known_counts={"train": 18_951, "dev": 2_780},
        release="CRAFT at commit 2abe82b",
        left_out=len(paths) - len(documents),
    )
