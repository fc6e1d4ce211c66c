"""Which documents of GUM may be trained on: those whose text has a licence that is stated and allows it.

The table `documents.tsv` has a line for each document: split, document, first_line, last_line (of the split's file,
from 1), genre, text_licence. "not stated per genre" (conversation, speech, textbook, vlog) is no licence, and NC is
none for a model that anyone may use.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

_OPEN = re.compile(r"CC BY(-SA)? \d\.\d|CC0|public domain", re.IGNORECASE)

_T = TypeVar("_T")


def is_open(licence: str) -> bool:
    """Return whether a licence is stated and allows any use, with credit or under the same terms.

    >>> is_open("CC BY-SA 3.0"), is_open("CC BY-NC-SA 4.0"), is_open("not stated per genre")
    (True, False, False)
    """
    return _OPEN.fullmatch(licence.strip()) is not None


def select_open(documents: Path, sentences: Sequence[_T], *, split: str) -> list[_T]:
    """Return those of a split's sentences, trees or dependencies alike, that belong to open documents."""
    kept: list[_T] = []
    last = 0
    with documents.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            if row["split"] != split:
                continue
            last = max(last, int(row["last_line"]))
            if is_open(row["text_licence"]):
                kept += sentences[int(row["first_line"]) - 1 : int(row["last_line"])]
    if last != len(sentences):
        raise SystemExit(f"{documents} lists {last} sentences of {split!r}, but there are {len(sentences)}")
    return kept
