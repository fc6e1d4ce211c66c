"""Keep the trees of those documents whose text may be used commercially.

python experiments/models/select_open.py data/gum/documents.tsv data/gum/train.txt data/gum-open/train.txt

The table has a line for each document: split, document, first_line, last_line (of the split's file, from 1), genre,
text_licence. A document is kept if its licence does not say NC.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path


def select_lines(documents: Path, trees: Path, *, split: str) -> list[str]:
    """Return the lines of a file of trees, one a line, that belong to documents of this split without NC."""
    lines = trees.read_text(encoding="utf-8").splitlines()
    kept: list[str] = []
    last = 0
    with documents.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            if row["split"] != split:
                continue
            last = max(last, int(row["last_line"]))
            if "NC" not in row["text_licence"]:
                kept += lines[int(row["first_line"]) - 1 : int(row["last_line"])]
    if last != len(lines):
        sys.exit(f"{trees} has {len(lines)} lines, but {documents} lists {last} in {split!r}: they do not belong")
    return kept


def main() -> None:
    """Write the trees that are kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path)
    parser.add_argument("trees", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", default="train")
    arguments = parser.parse_args()
    kept = select_lines(arguments.documents, arguments.trees, split=arguments.split)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    print(f"{arguments.out}: {len(kept)} trees")


if __name__ == "__main__":
    main()
