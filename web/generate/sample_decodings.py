"""Trees that Python's decoders find for drawn scores: what the decoders of the npm package must find too."""

from __future__ import annotations

from itertools import islice
from typing import Any, get_args

import numpy as np

from spanlin.decoding import LabelledProblem, LabelSet, SpanRules, Temperatures, decode, decode_heads
from spanlin.decoding.decode import Decoder
from spanlin.decoding.tree_roles import Role
from spanlin.errors import LinearizationError

LABELS = ("∅", "S", "NP", "S+VP", "TOP")
TEMPERATURES = Temperatures(splits=2.0, labels=0.5)
_TREES = 4  # of each sentence, by splits and labels together
_SIDES = ((True, True), (True, False), (False, True))


def sample_decodings(*, count: int = 30, seed: int = 5) -> list[dict[str, Any]]:
    """Return scores of sentences of 1 to 9 words, and what each decoder makes of them."""
    draw = np.random.default_rng(seed)
    return [_sample(draw, 1 + number % 9, *_SIDES[number % len(_SIDES)]) for number in range(count)]


def _sample(draw: np.random.Generator, words: int, has_left: bool, has_right: bool) -> dict[str, Any]:
    # Eighths are exact in binary, so that sums are too and ties are ties in every language.
    left, right = (-draw.integers(0, 33, (words, words)) / 8 for _ in range(2))
    labels = -draw.integers(0, 33, (len(Role), words + 1, words + 1, len(LABELS))) / 8
    arcs = -draw.integers(0, 33, (words, words + 1)) / 8
    sides = left if has_left else None, right if has_right else None
    trees: dict[str, Any] = {}
    for decoder in get_args(Decoder):
        try:
            found = decode(*sides, decoder=decoder)
        except LinearizationError as error:
            trees[decoder] = {"error": error.problem}
            continue
        trees[decoder] = {"spans": _listed(found.spans), "certified": found.certified, "log_prob": found.log_prob}
    label_set = LabelSet(LABELS)
    rules = SpanRules(label_set, words)
    problem = LabelledProblem.of_sentence(*sides, labels, label_set, rules=rules, temperatures=TEMPERATURES)
    return {
        "left": None if sides[0] is None else left.tolist(),
        "right": None if sides[1] is None else right.tolist(),
        "labels": labels.tolist(),
        "trees": trees,
        "labelled": [
            {"spans": _listed(tree.spans), "labels": list(tree.labels), "log_prob": round(tree.log_prob, 9)}
            for tree in islice(problem.ranked_trees(0), _TREES)
        ],
        "marginals": np.round(problem.marginals()[0], 9).tolist(),
        "arcs": arcs.tolist(),
        "heads": list(decode_heads(arcs).heads),
    }


def _listed(spans: Any) -> list[list[int]]:
    return [[int(left), int(right)] for left, right in spans]
