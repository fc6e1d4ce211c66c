"""Penn Treebank 3, Wall Street Journal: sections 02-21 to train, 22 to dev, 23 to test."""

from __future__ import annotations

import re
from pathlib import Path

from spanlin.errors import TreebankError
from spanlin.trees.treebanks.folders import existing_folder, find_folder, list_folder, roots
from spanlin.trees.treebanks.treebank import Treebank, TreebankDocument, bracket_reader, whole

_CHAINS = (("treebank_3", "parsed", "mrg", "wsj"), ("combined", "wsj"))
_SECTIONS = {"train": range(2, 22), "dev": range(22, 23), "test": range(23, 24)}
# The section is the first two digits of the file name, also in a copy without section folders.
_MERGED_FILE = re.compile(r"wsj_(\d\d)\d\d\.mrg(?:\.gz)?", re.IGNORECASE)
_EXPECTED = "the PTB-3 root, or its folder parsed/mrg/wsj with 00/wsj_0001.mrg and so on"


def find_ptb(source: Path) -> Treebank:
    """Return the Penn Treebank below `source`: the LDC root, its `wsj` folder, or one between; in either case."""
    by_section: dict[int, dict[str, Path]] = {}
    folder, paths = _merged_files(existing_folder(source, _EXPECTED))
    for path in paths:
        match = _MERGED_FILE.fullmatch(path.name)
        assert match is not None
        section = by_section.setdefault(int(match[1]), {})
        name = path.name[:8].lower()
        if name in section:
            raise TreebankError(f"{path}: a second copy of {section[name]}; keep one of them")
        section[name] = path
    documents = []
    for split, sections in _SECTIONS.items():
        for number in sections:
            if number not in by_section:
                raise TreebankError(f"{folder}: section {number:02} is missing; {split} needs all of its sections")
            documents += [
                TreebankDocument(name=name, path=path, read=bracket_reader(path), split_of=whole(split))
                for name, path in sorted(by_section[number].items())
            ]
    return Treebank(
        name="ptb",
        source=source,
        splits=tuple(_SECTIONS),
        documents=tuple(documents),
        known_counts={"train": 39_832, "dev": 1_700, "test": 2_416},
        release="PTB-3 (LDC99T42), WSJ sections 02-21, 22 and 23",
        left_out=sum(map(len, by_section.values())) - len(documents),
    )


def _merged_files(source: Path) -> tuple[Path, list[Path]]:
    """Return the folder of the merged files, and those in it and in its section folders."""
    for root in roots(source):
        folder = find_folder(root, _CHAINS)
        entries = list_folder(folder)
        for section in [entry for entry in entries if entry.is_dir() and re.fullmatch(r"\d\d", entry.name)]:
            entries += list_folder(section)
        if paths := [entry for entry in entries if _MERGED_FILE.fullmatch(entry.name)]:
            return folder, paths
    raise TreebankError(f"{source}: no wsj_*.mrg files; expected {_EXPECTED}")
