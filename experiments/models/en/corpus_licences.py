"""What share of the unlabelled text is under which kind of licence, by the counts in sources.tsv.

python -m experiments.models.en.corpus_licences [SOURCES.TSV]
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from pathlib import Path

SOURCES = Path(__file__).parent / "sources.tsv"

_KINDS = (
    ("public domain", re.compile(r"public domain", re.IGNORECASE)),
    ("GPL", re.compile(r"\b[AL]?GPL")),
    ("CC BY-SA", re.compile(r"CC BY-SA")),
    ("GFDL", re.compile(r"GFDL|GNU documentation")),
)
OTHER = "other free licences"


def kind_of(licence: str) -> str:
    """Return the kind of a licence, the strictest where it names several of a text; a package's own does not count.

    >>> kind_of("public domain (Poe, d. 1849); package Artistic/GPL"), kind_of("GPL-2+ or CC BY-SA 3.0")
    ('public domain', 'GPL')
    """
    text = re.sub(r"[;,]\s*package\b.*", "", licence)
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), OTHER)


def licence_counts(path: Path = SOURCES) -> dict[str, int]:
    """Return how many sentences there are of each kind, most first."""
    counts: Counter[str] = Counter()
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            counts[kind_of(row["licence"])] += int(row["sentences"])
    return dict(counts.most_common())


def licence_sentence(path: Path = SOURCES) -> str:
    """Return the shares in words, as a model's card gives them."""
    counts = licence_counts(path)
    total = sum(counts.values())
    shares = ", ".join(f"{100 * count / total:.0f} % {kind}" for kind, count in counts.items())
    return f"{total:,} sentences: {shares}"


def main() -> None:
    """Print the shares."""
    print(licence_sentence(*map(Path, sys.argv[1:2])))


if __name__ == "__main__":
    main()
