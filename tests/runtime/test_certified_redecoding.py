"""Sentences that are certified keep their trees, and nothing of them is decoded; all is as if everything had been."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast, get_args

import numpy as np
import pytest

from oracles.random_decoding import pad, random_log_probs
from spanlin.decoding import Constraints, Decoder, LabelSet, Temperatures, decode_batch
from spanlin.errors import DecodingError
from spanlin.runtime.backend import BOUNDARIES, CONFIDENCE, LABEL_HALVES, SCORES, TREE, Arrays
from spanlin.runtime.batch_trees import own_boundaries
from spanlin.runtime.options import ParseOptions
from spanlin.runtime.redecoding import Redecoder
from spanlin.runtime.sentences import RunBatch

LABELS = ("", "A", "B")
DECODERS = [decoder for decoder in get_args(Decoder) if decoder != "strict"]
COUNTS = np.array([1, 2, 3, 3, 5, 7, 7, 9, 9, 9, 12, 12, 12, 12])
WIDTH = 13


class Kept:
    """Scores of which only single cells, or whole rows, are read, as of those that stay on a GPU; it notes the rows."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        self.rows: set[int] = set()

    def __getitem__(self, key: Any) -> np.ndarray:
        rows, *_ = key if isinstance(key, tuple) else (key,)
        found: np.ndarray = self.values[key]
        if found.ndim == 3:
            self.rows.update(np.ravel(rows).tolist())
        return found


class Labels:
    """A backend that labels spans by their edges alone."""

    outputs = frozenset([*TREE, *CONFIDENCE, *BOUNDARIES, *SCORES, *LABEL_HALVES])

    def label(self, lefts: np.ndarray, rights: np.ndarray, children: np.ndarray, roots: np.ndarray) -> np.ndarray:
        scores = np.sin(np.arange(3) + lefts[:, :1] * 7 + rights[:, :1] * 3 + children[:, np.newaxis] + roots[:, None])
        return cast(np.ndarray, np.log(np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)).astype(np.float32))


def found_by_network(kind: str, sides: str, seed: int) -> Arrays:
    """What a network that has such scores finds of sentences with COUNTS words, as its graph does."""
    generator = np.random.default_rng(seed)
    batch = len(COUNTS)
    found: Arrays = {}
    for name, side in zip(SCORES, ("left", "right"), strict=True):
        if sides in (side, "both"):
            scores = [pad(random_log_probs(generator, 1, int(n), kind, side=side), WIDTH, -1e4) for n in COUNTS]
            found[name] = np.concatenate(scores).astype(np.float32)
    given = found.get("left_log_probs"), found.get("right_log_probs")
    trees = decode_batch(COUNTS, *given)
    found |= {"lefts": trees.lefts, "rights": trees.rights}
    if given[0] is not None:
        found["left_boundaries"] = given[0].argmax(axis=2)
    if given[1] is not None:
        found["right_boundaries"] = WIDTH - given[1][:, :, ::-1].argmax(axis=2)
    halves = np.broadcast_to(np.arange(WIDTH + 1, dtype=np.float32)[:, np.newaxis], (batch, WIDTH + 1, 1))
    found |= dict.fromkeys(LABEL_HALVES, halves)
    found |= {"split_labels": np.zeros((batch, WIDTH - 1), dtype=np.int64)}
    found |= dict.fromkeys(("word_labels", "tags"), np.zeros((batch, WIDTH), dtype=np.int64))
    found |= dict.fromkeys(("span_log_probs", "label_log_probs"), np.zeros((batch, 2 * WIDTH - 1), dtype=np.float32))
    return found | {"tag_log_probs": np.zeros((batch, WIDTH), dtype=np.float32)}


def batch_of(found: Arrays) -> RunBatch[Any]:
    sentences = SimpleNamespace(word_counts=COUNTS, given=[["w"] * int(count) for count in COUNTS])
    return RunBatch(
        sentences=cast(Any, sentences),
        members=np.arange(len(COUNTS)),
        items=[None] * len(COUNTS),
        before=0,
        found=found,
    )


def redecoder(decoder: Decoder, *, constrained: bool = False) -> Redecoder:
    options = ParseOptions(decoder=decoder)
    return Redecoder(cast(Any, Labels()), LabelSet(LABELS), Temperatures(), options, constrained=constrained)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("sides", ["left", "right", "both"])
@pytest.mark.parametrize("kind", ["plain", "ties", "sharp"])
def test_trees_are_those_of_decoding_every_sentence(kind: str, sides: str, decoder: Decoder) -> None:
    kept_own = 0
    for seed in range(5):
        found = found_by_network(kind, sides, seed)
        scores = [found.get(name) for name in SCORES]
        expected = decode_batch(COUNTS, *scores, decoder=decoder)
        before = {name: value.copy() for name, value in found.items()}
        trees, marginals = redecoder(decoder)(batch_of(found), [None] * len(COUNTS))
        assert marginals is None
        is_split = np.arange(1, WIDTH) < COUNTS[:, np.newaxis]
        np.testing.assert_array_equal(np.where(is_split, trees.found["lefts"], 0), expected.lefts)
        np.testing.assert_array_equal(np.where(is_split, trees.found["rights"], 0), expected.rights)
        assert trees.log_probs is not None
        np.testing.assert_array_equal(trees.log_probs, expected.log_probs)
        if decoder != "argmin":  # there the boundaries themselves say it
            np.testing.assert_array_equal(trees.certified, expected.certified)
        for name, value in before.items():  # others may read it too
            np.testing.assert_array_equal(found[name], value)
        kept_own += int(expected.certified.sum())
    assert bool(kept_own) == (decoder != "minimum-risk")  # else only the charts are tested


@pytest.mark.parametrize("decoder", ["cky", "largest", "min-change"])
def test_scores_are_read_of_no_sentence_that_is_certified(decoder: Decoder) -> None:
    found = found_by_network("sharp", "both", seed=1)
    kept = {name: Kept(found[name]) for name in SCORES}
    certified = decode_batch(COUNTS, *(found[name] for name in SCORES)).certified
    batch = batch_of({**found, **cast(Any, kept)})
    redecoder(decoder)(batch, [None] * len(COUNTS))
    assert certified.any()
    assert all(one.rows == set(np.flatnonzero(~certified).tolist()) for one in kept.values())


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_scores_that_are_no_numbers_are_named(value: float) -> None:
    found = found_by_network("plain", "left", seed=2)
    found["left_log_probs"][-1, 8, 3] = value
    found["left_boundaries"][-1, 8] = 3
    with pytest.raises(DecodingError, match=r"^sentence 14 \('w w .*\): left_boundary_log_probs\[8, 3\] is (nan|inf)"):
        redecoder("cky")(batch_of(found), [None] * len(COUNTS))
    with pytest.raises(DecodingError, match=r"^sentence 14 \('w w .*\): left_boundary_log_probs\[8, 3\] is (nan|inf)"):
        redecoder("argmin", constrained=True)(batch_of(found), [None] * 12 + [Constraints([(0, 2)])] * 2)


def test_a_tree_whose_own_scores_are_no_numbers_is_named() -> None:
    found = found_by_network("sharp", "left", seed=1)
    certified = decode_batch(COUNTS, found["left_log_probs"]).certified
    sentence = int(np.flatnonzero(certified & (COUNTS > 2))[-1])
    found["left_log_probs"][sentence, 0, 0] = np.nan  # it has no other boundary
    with pytest.raises(DecodingError, match=rf"^sentence {sentence + 1} \('w w .*\): left_boundary_log_probs\[0, 0\]"):
        redecoder("cky")(batch_of(found), [None] * len(COUNTS))


def test_a_graph_without_boundaries_or_scores_certifies_nothing() -> None:
    found = found_by_network("plain", "both", seed=3)
    for name in (*BOUNDARIES, *SCORES):
        del found[name]
    assert not own_boundaries(COUNTS, found).any()


def test_a_graph_without_boundaries_certifies_nothing() -> None:
    found = found_by_network("plain", "both", seed=3)
    expected = decode_batch(COUNTS, *(found[name] for name in SCORES), decoder="cky")
    del found["right_boundaries"]
    trees, _ = redecoder("cky")(batch_of(found), [None] * len(COUNTS))
    is_split = np.arange(1, WIDTH) < COUNTS[:, np.newaxis]
    np.testing.assert_array_equal(np.where(is_split, trees.found["lefts"], 0), expected.lefts)
