"""GUM, English of many genres: const/*.ptb, split by splits.md; documents without words are left out."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from spanlin.errors import TreebankError
from spanlin.trees.brackets import read_trees
from spanlin.trees.treebanks.folders import check_disjoint, existing_folder, list_folder, missing_documents, roots
from spanlin.trees.treebanks.treebank import Treebank, TreebankDocument, bracket_reader, whole

_NEEDED = ("train", "dev", "test")
_EXPECTED = "a GUM repository, with splits.md and const/*.ptb"
MASKED = "its words are underscores"


def find_gum(source: Path) -> Treebank:
    """Return GUM in its repository folder, or in the folder above it; `test2` (GENTLE) where splits.md has it."""
    for root in roots(existing_folder(source, _EXPECTED)):
        if (root / "splits.md").is_file() and (root / "const").is_dir():
            break
    else:
        raise TreebankError(f"{source}: no splits.md beside a folder const; expected {_EXPECTED}")
    lists = read_splits(root / "splits.md")
    folder = root / "const"
    paths = {path.stem: path for path in list_folder(folder) if path.suffix == ".ptb"}
    if missing := [f"{name}.ptb" for ids in lists.values() for name in ids if name not in paths]:
        raise missing_documents(missing, folder)
    documents = tuple(
        TreebankDocument(
            name=name,
            path=paths[name],
            read=bracket_reader(paths[name]),
            split_of=whole(split),
            reason_to_drop=partial(_reason_to_drop, paths[name]),
        )
        for split, ids in lists.items()
        for name in ids
    )
    return Treebank(
        name="gum",
        source=source,
        splits=tuple(lists),
        documents=documents,
        known_counts={"train": 10_224, "dev": 1_575},
        release="GUM at commit 72ce5ac",
        left_out=len(paths) - len(documents),
    )


def read_splits(path: Path) -> dict[str, list[str]]:
    """Return the documents of each split: headings `## train`, below them bullets with one document each."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TreebankError(f"{path}: cannot be read: {error}") from error
    found: dict[str, list[str]] = {}
    split = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := re.fullmatch(r"##\s+(\w+)\s*", line):
            split = heading[1].lower()
        elif bullet := re.fullmatch(r"\s*[*-]\s+(\w+)\s*", line):
            if not split:
                raise TreebankError(f"{path}:{number}: {bullet[1]} is not under a heading such as '## train'")
            found.setdefault(split, []).append(bullet[1])
    for split in _NEEDED:
        if split not in found:
            raise TreebankError(f"{path}: no documents under '## {split}'; expected one bullet for each")
    check_disjoint(found)
    return {split: found[split] for split in (*_NEEDED, *sorted(found.keys() - set(_NEEDED)))}


def _reason_to_drop(path: Path) -> str:
    """Return why a document is left out: in the repository, Reddit's words are underscores for users to fill in."""
    trees = read_trees(path, on_bad=lambda _error: None)
    words = (word for tree in trees for word in tree.words)
    first = next(words, "")
    # The first real word ends the search, so only documents without words are read twice.
    return MASKED if first and not first.strip("_") and not any(word.strip("_") for word in words) else ""
