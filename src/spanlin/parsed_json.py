"""What a parse is in JSON: its arrays, and the way back to all that a `Parsed` is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spanlin.errors import DependencyError, SpanlinError
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.text.tokens import Sentence

FloatArray = NDArray[np.float64]

_LEAST_MARGINAL = 0.0005  # less is left out


def read_line(line: str) -> Any:
    """Return what a line of JSON says, or raise a SpanlinError."""
    try:
        return json.loads(line)
    except ValueError as error:
        raise SpanlinError(f"not a sentence as Parsed.to_json_line gives it: {error}") from error


def log_probs_to_rows(log_probs: FloatArray) -> list[list[float | None]]:
    """Return rows of log-probabilities with six decimals, None where something is impossible."""
    return [[None if value == -np.inf else round(value, 6) for value in row] for row in log_probs.tolist()]


def rows_to_log_probs(rows: Sequence[Sequence[float | None]]) -> FloatArray:
    """Return the array of such rows."""
    values = [[-np.inf if value is None else value for value in row] for row in rows]
    return np.array(values, dtype=np.float64).reshape(len(rows), len(rows))


def marginals_to_spans(marginals: FloatArray) -> list[list[int | float]]:
    """Return left and right edge and probability of each constituent, if it is 0.0005 or more."""
    lefts, rights = np.nonzero(marginals >= _LEAST_MARGINAL)
    places = zip(lefts.tolist(), rights.tolist(), marginals[lefts, rights].tolist(), strict=True)
    return [[left, right, round(probability, 6)] for left, right, probability in places]


def spans_to_marginals(spans: Sequence[Sequence[float]], word_count: int) -> FloatArray:
    """Return the array of such spans of a sentence, with 0 for what was left out."""
    marginals = np.zeros((word_count + 1, word_count + 1))
    for left, right, probability in spans:
        marginals[int(left), int(right)] = probability
    return marginals


def read_fields(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a `Parsed` is made of, except its alternatives, or raise a SpanlinError."""
    try:
        words, offsets = tuple(found["words"]), found["offsets"]
        starts, ends = zip(*offsets, strict=True) if offsets else ((), ())
        left_rows, right_rows, spans = (found.get(key) for key in ("left_log_probs", "right_log_probs", "marginals"))
        return {
            "words": words,
            "tags": tuple(found["tags"]),
            "tag_probabilities": tuple(found["tag_probabilities"]),
            "brackets": found["brackets"],
            "spans": tuple(
                (one["label"], one["left"], one["right"], one["probability"]) for one in found["constituents"]
            ),
            "sentence": None if offsets is None else Sentence(words, starts, ends, found["text"]),
            "decoder": found["decoder"],
            "certified": found["certified"],
            "calibrated": found["calibrated"],
            "splits": tuple((left, right) for left, right in found.get("splits", ())),
            "left_boundaries": _tuple(found["left_boundaries"]),
            "right_boundaries": _tuple(found["right_boundaries"]),
            "probability": found.get("probability"),
            "log_probability": found.get("log_probability"),
            "left_boundary_log_probs": None if left_rows is None else rows_to_log_probs(left_rows),
            "right_boundary_log_probs": None if right_rows is None else rows_to_log_probs(right_rows),
            "marginals": None if spans is None else spans_to_marginals(spans, len(words)),
            "dependencies": ParsedDependencies.from_json(found, len(words)),
        }
    except (AttributeError, DependencyError, KeyError, IndexError, TypeError, ValueError) as error:
        raise SpanlinError(f"not a sentence as Parsed.to_json gives it: {error!r:.80}") from error


def _tuple(values: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if values is None else tuple(values)
