"""GENIA Treebank 1.0, MEDLINE abstracts: one XML file each, split by lists of their ids (*.pmids)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spanlin.errors import TreebankError
from spanlin.trees.brackets import OnBad
from spanlin.trees.tree import Tree
from spanlin.trees.treebanks.folders import (
    check_disjoint,
    existing_folder,
    list_folder,
    missing_documents,
    read_id_list,
)
from spanlin.trees.treebanks.genia_xml import read_genia_xml
from spanlin.trees.treebanks.treebank import DocumentReader, Remarks, Treebank, TreebankDocument, guarded, whole

_NEEDED = ("train", "dev", "test")
_FURTHER = ("future_use",)
_EXPECTED = "the folder of GENIA_treebank_v1 with one XML file an abstract"
_LISTS = "train.pmids, dev.pmids and test.pmids (McClosky's division)"


def find_genia(source: Path, *, ids: Path | None = None) -> Treebank:
    """Return the GENIA Treebank below `source`; the id lists are below `ids`, or below `source` too."""
    folders = _folders(existing_folder(source, _EXPECTED))
    lists = _read_lists(_folders(existing_folder(ids, _LISTS)) if ids else folders, ids or source)
    for folder in folders:
        # File names lack the leading zero of the lists.
        paths = {int(path.stem): path for path in list_folder(folder) if path.suffix == ".xml" and path.stem.isdigit()}
        # Pubmed's own records come under the same names; only the treebank's files have constituents.
        if paths and _has_constituents(next(iter(paths.values()))):
            break
    else:
        raise TreebankError(f"{source}: no XML files with <cons> elements; expected {_EXPECTED}")
    if missing := [f"{number}.xml" for numbers in lists.values() for number in numbers if number not in paths]:
        raise missing_documents(missing, folder)
    documents = tuple(
        TreebankDocument(
            name=paths[number].stem, path=paths[number], read=_xml_reader(paths[number]), split_of=whole(split)
        )
        for split, numbers in lists.items()
        for number in numbers
    )
    return Treebank(
        name="genia",
        source=source,
        splits=tuple(lists),
        documents=documents,
        known_counts={"train": 14_326, "dev": 1_361, "test": 1_360, "future_use": 1_494},
        release="GENIA Treebank 1.0 in McClosky's division",
        left_out=len(paths) - len(documents),
    )


def _folders(folder: Path) -> list[Path]:
    """Return the folder and all below it, the nearer first."""
    found = [folder]
    for one in found:
        found += [entry for entry in list_folder(one) if entry.is_dir() and not entry.is_symlink()]
    return found


def _has_constituents(path: Path) -> bool:
    try:
        return b"<cons" in path.read_bytes()
    except OSError as error:
        raise TreebankError(f"{path}: cannot be read: {error.strerror}") from error


def _read_lists(folders: list[Path], place: Path) -> dict[str, list[int]]:
    folder = next((folder for folder in folders if (folder / "train.pmids").is_file()), None)
    if folder is None:
        raise TreebankError(f"{place}: no train.pmids; give the folder that holds {_LISTS} with --ids")
    splits = _NEEDED + tuple(split for split in _FURTHER if (folder / f"{split}.pmids").is_file())
    lists: dict[str, list[int]] = {}
    for split in splits:
        lists[split] = []
        for name in read_id_list(folder / f"{split}.pmids"):
            if not name.isdecimal():
                raise TreebankError(f"{folder / f'{split}.pmids'}: {name!r} is not a PubMed id; expected digits")
            lists[split].append(int(name))
    check_disjoint({split: map(str, numbers) for split, numbers in lists.items()})
    return lists


def _xml_reader(path: Path) -> DocumentReader:
    def read(on_bad: OnBad | None, remarks: Remarks) -> Iterator[Tree]:
        return guarded(read_genia_xml(path, on_bad=on_bad, remarks=remarks), path)

    return read
