"""`spanlin linearize`: trees to boundaries and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO

import click

from spanlin.errors import LinearizationError, TreeSyntaxError
from spanlin.linearization import delinearize, delinearize_right, linearize_tree, linearize_tree_right
from spanlin.trees.brackets import read_trees
from spanlin.trees.labelled import LabelledSplits, tree_from_splits
from spanlin.trees.lines import byte_lines
from spanlin.trees.transforms import EMPTY_LABEL, clean_tree
from spanlin.trees.tree import Span, Tree

_INTEGER = re.compile(rb"-?[0-9]{1,9}")


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--right", is_flag=True, help="Right boundaries instead of left ones.")
@click.option("--inverse", is_flag=True, help="Read boundaries, one sentence per line, and print their binary trees.")
@click.option("--clean", is_flag=True, help="Drop empty elements (-NONE-) from the trees first.")
@click.option(
    "--skip-bad", is_flag=True, help="Skip malformed trees and report them, instead of stopping at the first."
)
def linearize(file: BinaryIO, right: bool, inverse: bool, clean: bool, skip_bad: bool) -> None:
    """Print the linearization of each tree in FILE: a line of n integers for a tree of n words.

    The j-th integer is the left end of the longest span that ends after word j. With --right, it is the right end
    of the longest span that starts before word j. FILE may be - for standard input, and may be gzip.

    \b
    Example:
      echo '(S (NP (PRP She)) (VP (VBZ sleeps)) (. .))' | spanlin linearize
    """  # noqa: D301 (click's mark for lines that stay as they are)
    if inverse:
        for tree in _trees_of_boundaries(file, right):
            click.echo(str(tree) if tree else "")
        return
    bad: list[TreeSyntaxError] = []
    for tree in read_trees(file, on_bad=bad.append if skip_bad else None):
        cleaned = clean_tree(tree) if clean else tree
        if cleaned is None:
            click.echo("")
        else:
            click.echo(" ".join(map(str, linearize_tree_right(cleaned) if right else linearize_tree(cleaned))))
    for error in bad:
        click.echo(f"spanlin: skipped: {error}", err=True)
    if bad:
        click.echo(f"spanlin: {len(bad)} malformed trees skipped", err=True)


def _trees_of_boundaries(file: BinaryIO, right: bool) -> Iterator[Tree | None]:
    for number, line in enumerate(byte_lines(file), start=1):
        fields = line.split()
        bad = next((field for field in fields if not _INTEGER.fullmatch(field)), None)
        if bad is not None:
            shown = bad.decode("utf-8", "backslashreplace")
            raise LinearizationError(
                f"line {number}: {shown!r:.40} is not a place between words: write integers separated by spaces"
            )
        boundaries = [int(field) for field in fields]
        if not boundaries:
            yield None
            continue
        try:
            spans = delinearize_right(boundaries) if right else delinearize(boundaries)
        except LinearizationError as error:
            raise LinearizationError(f"line {number}: {error}") from error
        yield _unlabelled_tree(spans, len(boundaries))


def _unlabelled_tree(spans: frozenset[Span], word_count: int) -> Tree:
    """Return a tree of these spans with X for every label and tag, and the words w1 to wn."""
    by_split: dict[int, Span] = {}
    rights: dict[int, list[int]] = {}
    for left, right in sorted(spans):
        rights.setdefault(left, []).append(right)
    for left, ends in rights.items():
        # Spans with one left edge are nested: the end of each is where the next larger one is divided.
        for end, larger in pairwise(ends):
            by_split[end] = Span(left, larger)
    tree = tree_from_splits(
        LabelledSplits(
            words=tuple(f"w{position}" for position in range(1, word_count + 1)),
            tags=("X",) * word_count,
            spans=tuple(by_split[split_point] for split_point in range(1, word_count)),
            split_labels=("X",) * (word_count - 1),
            word_labels=(EMPTY_LABEL,) * word_count,
        )
    )
    return tree if tree.label == "TOP" else Tree("TOP", (tree,))
