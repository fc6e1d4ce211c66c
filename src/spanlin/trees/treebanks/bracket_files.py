"""Any bracket files: split by a ratio, whole files or blocks of trees, or by lists of files."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from spanlin.errors import TreebankError
from spanlin.trees.treebanks.folders import check_disjoint, list_folder, missing_documents, read_id_list
from spanlin.trees.treebanks.treebank import Treebank, TreebankDocument, bracket_reader, whole

SPLITS = ("train", "dev", "test")
SplitUnit = Literal["file", "block"]
_SUFFIXES = (".mrg", ".ptb", ".tree", ".trees", ".brackets", ".bracketed", ".parse", ".psd", ".txt")


def find_brackets(
    source: Path,
    *,
    ratio: Sequence[int] = (80, 10, 10),
    unit: SplitUnit | None = None,
    block_size: int = 50,
    seed: int | None = None,
) -> Treebank:
    """Return the bracket files at `source`, a file or a folder, split into train, dev and test by `ratio`.

    A unit, which is a whole file or `block_size` trees in a row, goes to one split, so that neighbours stay together.
    By default, units are files if there are enough for every split. Units are spread evenly in the order of file
    names, and any run of sum(ratio) units (reduced: 10 of them for 80/10/10) is divided exactly; with a `seed`, in
    random order within each run. A share of 0 leaves out that split.
    """
    shares = _check_ratio(ratio)
    if block_size < 1:
        raise TreebankError(f"the block size must be at least 1, got {block_size}")
    split_of_unit = spread(shares, seed)
    files = _bracket_files(source)
    splits = tuple(split for split, share in zip(SPLITS, shares, strict=True) if share)
    if unit is None:
        unit = "file" if {split_of_unit(number) for number in range(len(files))} >= set(splits) else "block"

    def split_of_tree(number: int) -> str:
        return split_of_unit(number // block_size)

    documents = tuple(
        TreebankDocument(
            name=name,
            path=path,
            read=bracket_reader(path),
            split_of=whole(split_of_unit(number)) if unit == "file" else split_of_tree,
        )
        for number, (name, path) in enumerate(files.items())
    )
    advice = f"{'/'.join(map(str, ratio))} asks for it; give more trees, another ratio or a smaller block size"
    return Treebank(name="brackets", source=source, splits=splits, documents=documents, advice=advice)


def find_listed_brackets(source: Path, lists: Mapping[str, Path]) -> Treebank:
    """Return the bracket files below `source` that are listed, split by split.

    A line of a list is the path of a file below `source`, its name, or its name without endings.
    """
    files = _bracket_files(source)
    by_name: dict[str, list[str]] = {}
    for name in files:
        base = name.rsplit("/", 1)[-1]
        for short in dict.fromkeys((name, base, base.removesuffix(".gz"), base.split(".")[0])):
            by_name.setdefault(short, []).append(name)
    listed: dict[str, list[str]] = {}
    missing = []
    for split, path in lists.items():
        listed[split] = []
        for line in read_id_list(path):
            found = [line] if line in files else by_name.get(line, [])
            if len(found) > 1:
                raise TreebankError(f"{path}: {line} may be {found[0]} or {found[1]}; give its path")
            missing += [] if found else [line]
            listed[split] += found
    if missing:
        raise missing_documents(missing, source)
    check_disjoint(listed)
    documents = tuple(
        TreebankDocument(name=name, path=files[name], read=bracket_reader(files[name]), split_of=whole(split))
        for split, names in listed.items()
        for name in names
    )
    return Treebank(
        name="brackets",
        source=source,
        splits=tuple(listed),
        documents=documents,
        left_out=len(files) - len(documents),
        advice="see its list",
    )


def spread(shares: Sequence[int], seed: int | None) -> Callable[[int], str]:
    """Return the assignment of units to splits: every run of sum(shares) units holds each split share times."""
    run = sum(shares)
    even: list[str] = []
    given = [0] * len(shares)
    for number in range(1, run + 1):
        # The split that is furthest behind its share is next.
        behind = [share * number - run * count for share, count in zip(shares, given, strict=True)]
        split = behind.index(max(behind))
        given[split] += 1
        even.append(SPLITS[split])

    @lru_cache(maxsize=4)
    def shuffled(run_number: int) -> list[str]:
        # Sorting by random() and not shuffle(): only the former is promised to stay the same in later Pythons.
        source = random.Random(f"{seed}/{run_number}")
        return [split for _, split in sorted((source.random(), split) for split in even)]

    def split_of_unit(number: int) -> str:
        return (even if seed is None else shuffled(number // run))[number % run]

    return split_of_unit


def _check_ratio(ratio: Sequence[int]) -> list[int]:
    shown = "/".join(map(str, ratio))
    if len(ratio) != 3 or min(ratio) < 0 or not any(ratio):
        raise TreebankError(f"the ratio {shown} is not three whole numbers for train, dev and test, such as 80/10/10")
    if sum(ratio) > 1_000_000:
        raise TreebankError(f"the ratio {shown} is too fine; its parts may add up to a million")
    return [share // math.gcd(*ratio) for share in ratio]


def _bracket_files(source: Path) -> dict[str, Path]:
    """Return the bracket files by their path below `source`, in its order."""
    if source.is_file():
        return {source.name: source}
    if not source.is_dir():
        raise TreebankError(f"{source}: no such file or folder; expected bracket files")
    found: dict[str, Path] = {}
    folders = [source]
    for folder in folders:
        for entry in list_folder(folder):
            if entry.is_dir():
                folders += [] if entry.is_symlink() else [entry]
            elif entry.name.lower().removesuffix(".gz").endswith(_SUFFIXES):
                found[entry.relative_to(source).as_posix()] = entry
    if not found:
        raise TreebankError(f"{source}: no bracket files; expected names that end in {', '.join(_SUFFIXES)} (or .gz)")
    return dict(sorted(found.items()))
