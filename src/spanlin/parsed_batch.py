"""A batch's trees as one `Parsed` per sentence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spanlin.model_folder.folder import ModelFolder
from spanlin.parsed import Parsed
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.runtime.backend import BOUNDARIES, DEPENDENCIES, SCORES, IntArray
from spanlin.runtime.batch_trees import Trees
from spanlin.runtime.dependency_decoding import BatchDependencies
from spanlin.runtime.options import ParseOptions
from spanlin.runtime.results import Record
from spanlin.runtime.sentences import RunBatch


def make_parses(
    batch: RunBatch[Any],
    trees: Trees,
    lines: Sequence[str],
    records: Sequence[Record],
    options: ParseOptions,
    *,
    marginals: NDArray[np.float64] | None,
    dependencies: Sequence[ParsedDependencies] | None,
    calibrated: bool,
    joint: NDArray[np.bool_] | None,
) -> list[Parsed]:
    """Return the parse of each sentence; there is a line of brackets and a record for each of the trees.

    All trees of a sentence have its one set of `dependencies`. `joint` says of which sentences both are the best pair.
    """
    words = [tuple(one) for one in batch.words]
    counts = batch.counts.tolist()
    alternatives: list[list[Parsed]] = [[] for _ in words]
    made: list[Parsed] = []
    # From the last tree on: when a sentence's best comes, its alternatives are there.
    for tree in range(len(lines) - 1, -1, -1):
        owner = int(trees.owners[tree])
        is_best = tree == 0 or trees.owners[tree - 1] != owner
        left = right = own_marginals = None
        if is_best and options.scores:
            left, right = (_side(batch, name, owner, counts[owner]) for name in SCORES)
        if is_best and marginals is not None:
            own_marginals = marginals[owner, : counts[owner] + 1, : counts[owner] + 1].copy()
        is_labelled = bool(trees.labelled[tree])
        record = records[tree]
        parsed = Parsed(
            words=words[owner],
            brackets=lines[tree],
            calibrated=calibrated,
            decoder=_decoder(options, is_labelled=is_labelled, is_joint=joint is not None and bool(joint[owner])),
            probability=float(trees.probabilities[tree]) if is_labelled else None,
            log_probability=None if trees.log_probs is None else float(trees.log_probs[tree]),
            left_boundary_log_probs=left,
            right_boundary_log_probs=right,
            marginals=own_marginals,
            alternatives=tuple(reversed(alternatives[owner])) if is_best else (),
            dependencies=None if dependencies is None else dependencies[owner],
            **record._replace(
                certified=bool(trees.certified[tree]) or (record.certified and not is_labelled)
            )._asdict(),
        )
        (made if is_best else alternatives[owner]).append(parsed)
    return made[::-1]


def make_dependencies(
    found: BatchDependencies, probabilities: NDArray[np.float64], counts: IntArray, folder: ModelFolder
) -> list[ParsedDependencies]:
    """Return the dependencies of each sentence; `probabilities`, [batch, words], are those of their arcs."""
    relations, universal_tags, calibrated = folder.relations, folder.universal_tags, folder.dependencies_calibrated
    columns = (found.heads, found.relations, found.universal_tags, probabilities)
    return [
        ParsedDependencies(
            heads=tuple(heads[:count]),
            relations=tuple(relations[number] for number in numbers[:count]),
            universal_tags=tuple(universal_tags[tag] for tag in tags[:count]),
            arc_probabilities=tuple(chances[:count]),
            certified=True,  # exact: see `find_dependencies`
            calibrated=calibrated,
        )
        for count, heads, numbers, tags, chances in zip(
            counts.tolist(), *(column.tolist() for column in columns), strict=True
        )
    ]


def no_words(outputs: Collection[str], options: ParseOptions, folder: ModelFolder) -> Parsed:
    """Return the parse of a sentence without words, as far as it has one; `outputs` are those of the sentences with."""
    left, right = (() if name in outputs else None for name in BOUNDARIES)
    left_scores, right_scores = (np.zeros((0, 0)) if options.scores and name in outputs else None for name in SCORES)
    return Parsed(
        words=(),
        tags=(),
        tag_probabilities=(),
        brackets="",
        spans=(),
        decoder=options.used_decoder,
        certified=True,
        calibrated=folder.is_calibrated,
        left_boundaries=left,
        right_boundaries=right,
        left_boundary_log_probs=left_scores,
        right_boundary_log_probs=right_scores,
        marginals=np.zeros((1, 1)) if options.marginals else None,
        dependencies=ParsedDependencies((), (), (), (), True, folder.dependencies_calibrated)
        if DEPENDENCIES[0] in outputs
        else None,
    )


def _decoder(options: ParseOptions, *, is_labelled: bool, is_joint: bool) -> str:
    if is_joint:
        return "joint"
    return "labelled" if is_labelled else options.decoder


def _side(batch: RunBatch[Any], name: str, row: int, count: int) -> NDArray[np.float64] | None:
    if name not in batch.found:
        return None
    side = batch.found[name][row, :count, :count].astype(np.float64)
    is_boundary = np.tri(count, dtype=np.bool_)
    possible: NDArray[np.float64] = np.where(is_boundary if name == SCORES[0] else is_boundary.T, side, -np.inf)
    return possible
