from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spanlin.decoding import ArcConstraints, decode_heads, decode_heads_batch
from spanlin.errors import ConstraintError, DecodingError

SCORES = np.zeros((3, 4))


@pytest.mark.parametrize(
    ("required", "forbidden", "message"),
    [
        ([(1, 2), (1, 3)], [], r"required arcs \(1, 2\) and \(1, 3\): a word has one head"),
        ([(1, 0), (2, 0)], [], r"required arcs \(1, 0\) and \(2, 0\): a dependency tree has one root"),
        ([(1, 2)], [(1, 2)], r"arc \(1, 2\) is both required and forbidden"),
        ([(4, 1)], [], r"required arc \(4, 1\): the word must be from 1 to 3, and its head another, or 0"),
        ([], [(1, 1)], r"forbidden arc \(1, 1\): the word must be from 1 to 3, and its head another, or 0"),
        (
            [(1, 2), (2, 1)],
            [],
            r"no dependency tree of 3 words is left by what requires \(1, 2\), \(2, 1\): require or forbid less",
        ),
        (
            [(1, 2)],
            [(3, 1), (3, 2), (3, 0)],
            r"no dependency tree of 3 words is left by what requires \(1, 2\) and forbids \(3, 1\), \(3, 2\), "
            r"\(3, 0\): require or forbid less",
        ),
    ],
)
def test_constraints_that_cannot_be_obeyed_are_one_clear_error(
    required: list[tuple[int, int]], forbidden: list[tuple[int, int]], message: str
) -> None:
    constraints = ArcConstraints(required, forbidden)  # type: ignore[arg-type] # lists are what people write
    with pytest.raises(ConstraintError, match=f"^{message}$"):
        decode_heads(SCORES, constraints=constraints)
    with pytest.raises(ConstraintError, match=f"^sentence 2: {message}$"):
        decode_heads_batch([3, 3], [SCORES, SCORES], constraints=[None, constraints])


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        ("12", r"required is '12': give a list of arcs, such as \[\(1, 2\)\]"),
        ([(1,)], r"required\[0\] is \(1,\): an arc is the number of a word and that of its head"),
        ([(1, 2), (True, 2)], r"required\[1\] is \(True, 2\): an arc is"),
        ([(1.5, 2)], r"required\[0\] is \(1\.5, 2\): an arc is"),
    ],
)
def test_what_is_not_an_arc_is_an_error(arcs: Any, message: str) -> None:
    with pytest.raises(ConstraintError, match=f"^{message}"):
        ArcConstraints(required=arcs)


def test_constraints_must_fit_the_batch() -> None:
    with pytest.raises(ConstraintError, match=r"^1 constraints for 2 sentences: give one, or None, for each$"):
        decode_heads_batch([3, 3], [SCORES, SCORES], constraints=[None])
    with pytest.raises(ConstraintError, match=r"^sentence 1: constraints are 'x': give ArcConstraints, or None$"):
        decode_heads_batch([3], [SCORES], constraints=["x"])  # type: ignore[list-item]
    assert not ArcConstraints()
    assert ArcConstraints(forbidden=((1, 2),))


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((2, 3, 3)), r"arc_log_probs: must be \[2, words, words \+ 1\] with at least 3 words, not of shape"),
        (np.zeros((1, 3, 4)), r"arc_log_probs: must be \[2, words"),
        (np.zeros((2, 2, 3)), r"arc_log_probs: must be \[2, words"),
        ([["x"]], r"arc_log_probs: not an array of numbers"),
        (np.full((2, 3, 4), np.nan), r"sentence 1: arc_log_probs\[0, 0\] is nan, not a log-probability"),
        (np.full((2, 3, 4), np.inf), r"sentence 1: arc_log_probs\[0, 0\] is inf, not a log-probability"),
        (np.full((2, 3, 4), -np.inf), r"sentence 1: every dependency tree has log-probability -inf"),
    ],
)
def test_scores_that_cannot_be_decoded_are_errors(scores: Any, message: str) -> None:
    with pytest.raises(DecodingError, match=f"^{message}"):
        decode_heads_batch([2, 3], scores)


def test_the_caller_s_scores_are_not_changed() -> None:
    scores = np.zeros((1, 3, 4))
    decode_heads_batch([3], scores, constraints=[ArcConstraints(((1, 0),), ((2, 1),))])
    assert not scores.any()
