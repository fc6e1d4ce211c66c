"""Speed of the decoders on one core: `python bench/decoding.py` prints the table."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from spanlin.decoding import (
    GreedyRule,
    LabelSet,
    arc_marginals_batch,
    decode,
    decode_batch,
    decode_heads_batch,
    decode_joint,
    greedy_trees,
    k_best_trees,
    legalize_batch,
    sample_trees,
    span_marginals_batch,
)

Row = tuple[str, float, str, bool]
Boundaries = npt.NDArray[np.int64]

SHORT, LONG = 25, 400
ALWAYS = float("inf")


def rows() -> list[Row]:
    """Return (name, measured, target, met) for each figure; seconds unless the name says otherwise."""
    return [*greedy_rows(), *exact_rows(), *head_rows(), *joint_rows()]


def greedy_rows() -> list[Row]:
    """Return the figures of the batched linear-time decoders over left boundaries."""
    generator = np.random.default_rng(0)
    found: list[Row] = []
    rules: tuple[GreedyRule, ...] = ("argmin", "largest")
    for name, draw in (("random illegal", random_sequences), ("realistic", realistic_sequences)):
        short, long = draw(generator, 100_000, SHORT), draw(generator, 16_000, LONG)
        for rule in rules:
            short_time, long_time = best_times(partial(greedy, short, rule), partial(greedy, long, rule), repeats=10)
            ratio = (long_time / len(long)) / (short_time / len(short))
            found.append(row(f"greedy {rule}, 100,000 {name} sentences of {SHORT} words", short_time, 2.0))
            found.append(row(f"greedy {rule}, {name}, cost at {LONG} over cost at {SHORT} words (ratio)", ratio, 20.0))
    return found


def exact_rows() -> list[Row]:
    """Return the figures of the decoders over log-probabilities, on scores whose boundaries are mostly illegal."""
    generator = np.random.default_rng(1)
    batch, counts = random_log_probs(generator, 1000, SHORT), np.full(1000, SHORT)
    one = random_log_probs(generator, 1, 200)[0]
    illegal = random_sequences(generator, 1000, SHORT)
    return [
        row("CKY, 1,000 sentences of 25 words", best_time(lambda: decode_batch(counts, batch, decoder="cky")), 1.5),
        row("CKY, one sentence of 200 words", best_time(lambda: decode(one, decoder="cky")), 0.3),
        row("argmin from log-probabilities, 1,000 of 25 words", best_time(lambda: decode_batch(counts, batch)), ALWAYS),
        row("span marginals, 1,000 of 25 words", best_time(lambda: span_marginals_batch(counts, batch)), ALWAYS),
        row(
            "minimum risk, 1,000 of 25 words",
            best_time(lambda: decode_batch(counts, batch, decoder="minimum-risk")),
            ALWAYS,
        ),
        row("minimum change, 1,000 of 25 words", best_time(lambda: legalize_batch(illegal, counts)), ALWAYS),
        row("100 best trees of 25 words", best_time(lambda: k_best_trees(batch[0], count=100)), ALWAYS),
        row(
            "1,000 sampled trees of 25 words",
            best_time(lambda: sample_trees(batch[0], count=1000, generator=generator)),
            ALWAYS,
        ),
    ]


def head_rows() -> list[Row]:
    """Return the figures of the decoders of heads, on scores whose best heads are nearly never a tree."""
    generator = np.random.default_rng(2)
    scores = generator.normal(size=(1000, SHORT, SHORT + 1))
    counts = np.full(1000, SHORT)
    return [
        row(f"heads, {name}, 1,000 of {SHORT} words", best_time(action), ALWAYS)
        for name, action in (
            ("greedy", partial(decode_heads_batch, counts, scores, decoder="greedy")),
            ("spanning", partial(decode_heads_batch, counts, scores, decoder="spanning")),
            ("projective", partial(decode_heads_batch, counts, scores, decoder="projective")),
            ("marginals", partial(arc_marginals_batch, counts, scores)),
        )
    ]


def joint_rows() -> list[Row]:
    """Return the figures of joint decoding, for scores that prefer nothing, and for a tree and heads that disagree."""
    found = []
    for words in (10, 20, 30, 40):
        for name, sharpness in (("flat", 0.0), ("sharp", 6.0)):
            arguments = joint_scores(np.random.default_rng(words), words, sharpness)
            if decode_joint(*arguments).agreed:
                raise ValueError("the best tree and the best heads go together: there is nothing to measure")
            seconds = best_times(partial(decode_joint, *arguments), repeats=3)[0]
            found.append(row(f"tree and heads together, {name} scores, one of {words} words", seconds, ALWAYS))
    return found


def joint_scores(generator: np.random.Generator, words: int, sharpness: float) -> tuple[Any, ...]:
    """Return scores that prefer a right-branching tree, and chains of heads that now and then leave it."""
    labels = LabelSet(("∅", *"ABCDEFGHIJ"))
    label_scores = generator.normal(size=(words + 1, words + 1, len(labels)))
    left = generator.normal(size=(words, words))
    arcs = generator.normal(size=(words, words + 1))
    for place in range(words):
        label_scores[place, words, 1] += sharpness
        left[place, place if place < words - 1 else 0] += sharpness
        # Each word governs the next; each sixth is governed from two words before.
        arcs[place, place - 1 if place % 6 == 5 else place] += sharpness
    label_scores[:, :-1, 0] += sharpness
    left = np.where(np.tri(words, dtype=np.bool_), left, -np.inf)
    return log_softmax(left), None, log_softmax(label_scores), labels, log_softmax(arcs)


def log_softmax(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the scores normalised along the last axis."""
    normalised: npt.NDArray[np.float64] = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    return normalised


def random_sequences(generator: np.random.Generator, batch_size: int, word_count: int) -> Boundaries:
    """Return left boundaries that are uniform over their ranges, hence nearly always illegal."""
    return (generator.random((batch_size, word_count)) * np.arange(1, word_count + 1)).astype(np.int64)


def realistic_sequences(generator: np.random.Generator, batch_size: int, word_count: int) -> Boundaries:
    """Return left boundaries of trees with 3% of the items replaced, as a trained model might predict."""
    noise = random_sequences(generator, batch_size, word_count)
    lefts, _ = greedy_trees(random_sequences(generator, batch_size, word_count), np.full(batch_size, word_count))
    legal = np.pad(lefts, ((0, 0), (0, 1)))
    return np.where(generator.random(legal.shape) < 0.03, noise, legal)


def random_log_probs(generator: np.random.Generator, batch_size: int, word_count: int) -> npt.NDArray[np.float64]:
    """Return normalised log P(i|j) that prefer nothing in particular."""
    scores = generator.normal(size=(batch_size, word_count, word_count))
    scores = np.where(np.tri(word_count, dtype=np.bool_), scores, -np.inf)
    return log_softmax(scores)


def greedy(left_boundaries: Boundaries, rule: GreedyRule) -> None:
    """Decode a batch without padding."""
    greedy_trees(left_boundaries, np.full(len(left_boundaries), left_boundaries.shape[1]), rule=rule)


def best_time(action: Callable[[], object]) -> float:
    """Return the shortest of several times, which other processes disturbed least."""
    return best_times(action, repeats=5)[0]


def best_times(*actions: Callable[[], object], repeats: int) -> list[float]:
    """Return the shortest time of each action; they take turns, so that what disturbs one disturbs the others too."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(repeats):
        for action, own_times in zip(actions, times, strict=True):
            start = time.perf_counter()
            action()
            own_times.append(time.perf_counter() - start)
    return [min(own_times) for own_times in times]


def row(name: str, measured: float, limit: float) -> Row:
    """Return a figure beside its target, an infinite one being none."""
    return name, measured, "" if limit == ALWAYS else f"<= {limit:g}", measured <= limit


def main() -> None:
    """Print the table."""
    for name, measured, target, met in rows():
        print(f"{name:72} {measured:9.4f}  {target:8} {'' if not target else 'met' if met else 'MISSED'}")


if __name__ == "__main__":
    main()
