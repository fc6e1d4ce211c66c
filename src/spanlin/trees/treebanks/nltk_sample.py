"""NLTK's sample of the Penn Treebank: 199 articles, folder or zip, split by document."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from spanlin.errors import TreebankError
from spanlin.trees.brackets import OnBad, read_trees
from spanlin.trees.tree import Tree
from spanlin.trees.treebanks.folders import existing_folder, find_folder, list_folder, missing_documents
from spanlin.trees.treebanks.treebank import (
    DocumentReader,
    NamedBytes,
    Remarks,
    Treebank,
    TreebankDocument,
    bracket_reader,
    guarded,
    whole,
)

_CHAINS = (("nltk_data", "corpora", "treebank", "combined"),)
_ARTICLES = {"train": range(1, 144), "dev": range(144, 172), "test": range(172, 200)}
_MERGED_FILE = re.compile(r"(?:.*/)?combined/(wsj_\d{4})\.mrg")
_EXPECTED = "NLTK's corpora/treebank folder or treebank.zip, with combined/wsj_0001.mrg to wsj_0199.mrg"


def find_nltk_sample(source: Path) -> Treebank:
    """Return NLTK's sample below `source`: nltk_data, its `treebank` or `combined` folder, or `treebank.zip`."""
    readers = _zip_readers(source) if source.is_file() else _folder_readers(source)
    if not readers:
        raise TreebankError(f"{source}: no wsj_*.mrg files; expected {_EXPECTED}")
    articles = {split: [f"wsj_{number:04}" for number in numbers] for split, numbers in _ARTICLES.items()}
    if missing := [name for names in articles.values() for name in names if name not in readers]:
        raise missing_documents(missing, source)
    documents = tuple(
        TreebankDocument(name=name, path=readers[name][0], read=readers[name][1], split_of=whole(split))
        for split, names in articles.items()
        for name in names
    )
    return Treebank(
        name="nltk-sample",
        source=source,
        splits=tuple(_ARTICLES),
        documents=documents,
        known_counts={"train": 3_169, "dev": 349, "test": 396},
        release="the sample of PTB in nltk_data, articles 0001-0143, 0144-0171 and 0172-0199",
        left_out=len(readers) - len(documents),
    )


def _folder_readers(source: Path) -> dict[str, tuple[Path, DocumentReader]]:
    folder = find_folder(existing_folder(source, _EXPECTED), _CHAINS)
    paths = [path for path in list_folder(folder) if re.fullmatch(r"wsj_\d{4}\.mrg", path.name)]
    return {path.stem: (path, bracket_reader(path)) for path in paths}


def _zip_readers(source: Path) -> dict[str, tuple[Path, DocumentReader]]:
    try:
        with zipfile.ZipFile(source) as archive:
            matches = [match for name in archive.namelist() if (match := _MERGED_FILE.fullmatch(name))]
    except (OSError, zipfile.BadZipFile) as error:
        raise TreebankError(f"{source}: not a zip file that can be read ({error}); expected {_EXPECTED}") from error
    return {match[1]: (source, _member_reader(source, match[0])) for match in matches}


def _member_reader(source: Path, member: str) -> DocumentReader:
    def read(on_bad: OnBad | None, _remarks: Remarks) -> Iterator[Tree]:
        return guarded(read_member(on_bad), source)

    def read_member(on_bad: OnBad | None) -> Iterator[Tree]:
        with zipfile.ZipFile(source) as archive:
            content = archive.read(member)
        yield from read_trees(NamedBytes(content, f"{source}/{member}"), on_bad=on_bad)

    return read
