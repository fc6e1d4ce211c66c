"""A treebank written as one cleaned tree per line, a file for each split, with every tree accounted for."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from spanlin.atomic_files import NewFile
from spanlin.errors import TreebankError, TreeSyntaxError
from spanlin.trees.transforms import ROOT_LABELS, clean_tree
from spanlin.trees.tree import Tree
from spanlin.trees.treebanks.summary import CountDifference, Preparation, SplitSummary
from spanlin.trees.treebanks.treebank import Remarks, Treebank, TreebankDocument

ROOT = "TOP"
MANIFEST = "manifest.json"
MALFORMED = "malformed"
WITHOUT_WORDS = "no words after cleaning"
_SHOWN_ERRORS = 10


def prepare_treebank(
    treebank: Treebank, destination: Path, *, skip_bad: bool = False, strict: bool = False
) -> Preparation:
    """Write the splits of a treebank and their manifest below `destination`, and return what was written and dropped.

    Memory does not grow with the treebank. Files appear only when all trees are read; after an error the folder is as
    it was. With `skip_bad`, malformed trees are counted and skipped; with `strict`, counts other than the known ones
    are an error.
    """
    names = [f"{split}.txt" for split in treebank.splits]
    check_destination([document.path for document in treebank.documents], names, destination)
    try:
        destination.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            files = {split: stack.enter_context(NewFile(destination / f"{split}.txt")) for split in treebank.splits}
            preparation = _write_splits(treebank, files, skip_bad)
            if strict and preparation.differences:
                raise TreebankError(f"{treebank.source}: {'; '.join(preparation.warnings())}; nothing is written")
            manifest = stack.enter_context(NewFile(destination / MANIFEST))
            manifest.stream.write(f"{preparation.to_json()}\n".encode())
            for file in (*files.values(), manifest):
                file.publish()
    except OSError as error:
        raise TreebankError(f"{destination}: cannot be written: {error.strerror or error}") from error
    return preparation


def _write_splits(treebank: Treebank, files: dict[str, NewFile], skip_bad: bool) -> Preparation:
    writers = {split: _SplitWriter(split, file) for split, file in files.items()}
    remarks = Remarks()
    errors: list[TreeSyntaxError] = []
    read_count = 0
    for document in treebank.documents:
        read_count += _write_document(document, read_count, writers, remarks, errors if skip_bad else None)
    summaries = tuple(writer.summary() for writer in writers.values())
    # Nothing is lost silently.
    assert read_count == sum(summary.sentences + summary.dropped_count for summary in summaries)
    for summary in summaries:
        if not summary.sentences:
            raise TreebankError(f"{treebank.source}: no tree for {summary.name}; {treebank.advice}")
    return Preparation(
        treebank=treebank.name,
        release=treebank.release,
        source=str(treebank.source),
        splits=summaries,
        documents_left_out=treebank.left_out,
        differences=tuple(
            CountDifference(summary.name, treebank.known_counts[summary.name], summary.sentences)
            for summary in summaries
            if treebank.known_counts.get(summary.name, summary.sentences) != summary.sentences
        ),
        malformed=tuple(str(error) for error in errors),
        remarks=remarks.lines(),
    )


def clean_with_root(tree: Tree) -> Tree | None:
    """Return the cleaned tree under the one root TOP, or None if it has no words."""
    cleaned = clean_tree(tree)
    if cleaned is None:
        return None
    # A root over several constituents, or over a bare word, only has to be renamed.
    return Tree(ROOT, cleaned.children if cleaned.label in ROOT_LABELS else (cleaned,))


def _write_document(
    document: TreebankDocument,
    first_number: int,
    writers: dict[str, _SplitWriter],
    remarks: Remarks,
    errors: list[TreeSyntaxError] | None,
) -> int:
    """Write the trees of one document and return how many were read, malformed ones included."""
    number = first_number
    reason = document.reason_to_drop()

    def on_bad(error: TreeSyntaxError) -> None:
        nonlocal number
        assert errors is not None
        if len(errors) < _SHOWN_ERRORS:
            errors.append(error)
        writers[document.split_of(number)].drop(document.name, reason or MALFORMED)
        number += 1

    for tree in document.read(on_bad if errors is not None else None, remarks):
        writer = writers[document.split_of(number)]
        number += 1
        if reason:
            writer.drop(document.name, reason)
        elif (cleaned := clean_with_root(tree)) is None:
            writer.drop(document.name, WITHOUT_WORDS)
        else:
            writer.write(document.name, cleaned)
    if number == first_number:
        remarks.add("documents without a tree", document.name)
    elif reason:
        writers[document.split_of(first_number)].dropped_documents[reason] += 1
    return number - first_number


class _SplitWriter:
    """Writes the trees of one split and counts them."""

    def __init__(self, split: str, file: NewFile) -> None:
        self.split = split
        self.dropped_documents: Counter[str] = Counter()
        self._file = file
        self._dropped: Counter[str] = Counter()
        self._labels: Counter[str] = Counter()
        self._documents = self._sentences = self._words = self._bytes = 0
        self._last_document = ""
        self._digest = hashlib.sha256()

    def write(self, document: str, tree: Tree) -> None:
        line = f"{tree}\n".encode()
        self._file.stream.write(line)
        self._digest.update(line)
        self._bytes += len(line)
        self._sentences += 1
        self._see(document)
        for node in tree.preorder():
            if isinstance(node, Tree):
                self._labels[node.label] += 1
            else:
                self._words += 1
        self._labels[ROOT] -= 1

    def drop(self, document: str, reason: str) -> None:
        self._dropped[reason] += 1
        self._see(document)

    def _see(self, document: str) -> None:
        if document != self._last_document:
            self._last_document = document
            self._documents += 1

    def summary(self) -> SplitSummary:
        return SplitSummary(
            name=self.split,
            file=self._file.path.name,
            documents=self._documents,
            sentences=self._sentences,
            words=self._words,
            labels={label: count for label, count in sorted(self._labels.items()) if count},
            dropped=dict(sorted(self._dropped.items())),
            dropped_documents=dict(sorted(self.dropped_documents.items())),
            bytes=self._bytes,
            sha256=self._digest.hexdigest(),
        )


def check_destination(sources: Iterable[Path], names: Sequence[str], destination: Path) -> None:
    """Raise a TreebankError if writing files of these names, and the manifest, would overwrite what is not ours."""
    outputs = {(destination / name).resolve() for name in names}
    for path in sources:
        if path.resolve() in outputs:
            raise TreebankError(f"{path}: would be overwritten by its own result; choose another DEST")
    taken = [destination / name for name in (*names, MANIFEST) if os.path.lexists(destination / name)]
    if taken and not _is_prepared(destination):
        raise TreebankError(
            f"{taken[0]}: would be overwritten, and {destination} is not from `spanlin prepare`; choose another DEST"
        )


def _is_prepared(folder: Path) -> bool:
    """Return whether a folder has the manifest of a preparation."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and {"release", "source", "splits"} <= found.keys()
