"""What a trained row does on the dev trees: its score, its speed, and what each decoder makes of its scores."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray

from experiments.results import Brackets, Decoded
from experiments.tables import DECODER, DECODERS
from spanlin.decoding.decode import Decoder, decode_batch
from spanlin.evaluation.model_score import score_model
from spanlin.evaluation.score import Score
from spanlin.network.device import choose_device
from spanlin.training.batches import BatchMaker, cut_batches
from spanlin.training.checkpoint import Model
from spanlin.training.evaluation import evaluate_model
from spanlin.training.parsing import autocast, parse_sentences, score_parses
from spanlin.trees.brackets import read_trees
from spanlin.trees.labelled import LabelledSplits, labelled_splits
from spanlin.trees.transforms import strip_root
from spanlin.trees.tree import Span

_Trees = tuple[NDArray[np.int64], NDArray[np.int64]]


def measure(
    model: Model, dev: Path, *, device: str, decoder: str = DECODER, tagged: Path | None = None
) -> tuple[Brackets, float]:
    """Return the counts by a decoder, and sentences per second by the argmin one.

    A model that reads tags is given those of the `tagged` dev trees; the gold ones say what is punctuation.
    """
    score = (
        evaluate_model(model, dev, decoder=decoder, device=device).score
        if tagged is None
        else _score_tagged(model, dev, tagged, decoder=decoder, device=device)
    )
    # The second pass finds the device warm.
    speed = evaluate_model(model, dev, decoder="argmin", device=device).sentences_per_second
    return Brackets.of(score), speed


def _score_tagged(model: Model, dev: Path, tagged: Path, *, decoder: str, device: str) -> Score:
    where = choose_device(device)
    precision = model.config.precision if where.type == "cuda" else "fp32"
    model.network.to(where)
    given = [labelled_splits(strip_root(tree)) for tree in read_trees(tagged)]
    examples = model.featurizer(given, has_tree=False)
    parses = parse_sentences(model, examples, given, decoder=decoder, device=where, precision=precision)
    return score_model(
        list(read_trees(dev)), parses, model="", decoder=decoder, device=device, precision=precision, seconds=0.0
    ).score


@torch.inference_mode()
def measure_decoders(model: Model, dev: Path, *, device: str) -> dict[str, Decoded]:
    """Return what every decoder makes of the same scores, all in NumPy on the CPU so that their times compare."""
    where = choose_device(device)
    precision = model.config.precision if where.type == "cuda" else "fp32"
    trees = [strip_root(tree) for tree in read_trees(dev)]
    sentences = [labelled_splits(tree) for tree in trees]
    examples = model.featurizer(sentences, has_tree=False)
    maker = BatchMaker(examples)
    model.network.to(where).eval()
    parses: dict[str, dict[int, LabelledSplits]] = {name: {} for name in DECODERS}
    seconds = dict.fromkeys(DECODERS, 0.0)
    changed = dict.fromkeys(DECODERS, 0)
    legal = splits = 0
    order = np.argsort(examples.costs, kind="stable")
    for members in cut_batches(order, examples.costs, token_budget=20_000, sentence_budget=1000):
        batch = maker(members).to(where)
        with autocast(where, precision):
            scores = model.network.score(batch)
        sides = [None if side is None else side.double().cpu().numpy() for side in (scores.left, scores.right)]
        counts = batch.lengths.numpy()
        found: dict[str, _Trees] = {}
        for name in DECODERS:
            started = time.perf_counter()
            decoded = decode_batch(counts, *sides, decoder=cast(Decoder, name))
            seconds[name] += time.perf_counter() - started
            found[name] = decoded.lefts, decoded.rights
            if name == "argmin":
                legal += int(decoded.certified.sum())
            lefts, rights = (torch.from_numpy(np.ascontiguousarray(part)).to(where) for part in found[name])
            with autocast(where, precision):
                parse = model.network.label_tree(scores, lefts, rights, batch.word_counts, lefts)
            labels = parse.split_labels.tolist(), parse.word_labels.tolist()
            for row, number in enumerate(members.tolist()):
                parses[name][number] = _parse(model, sentences[number], found[name], labels, row)
        inside = np.arange(1, found["argmin"][0].shape[1] + 1) < counts[:, np.newaxis]
        splits += int(inside.sum())
        for name, (lefts_found, rights_found) in found.items():
            other = (lefts_found != found["argmin"][0]) | (rights_found != found["argmin"][1])
            changed[name] += int((other & inside).sum())
    brackets = {
        name: Brackets.of(score_parses(trees, [found_by[number] for number in range(len(trees))]), whole=False)
        for name, found_by in parses.items()
    }
    return {
        name: Decoded(brackets=brackets[name], legal=legal, splits=splits, changed=changed[name], seconds=seconds[name])
        for name in DECODERS
    }


def _parse(
    model: Model,
    sentence: LabelledSplits,
    trees: _Trees,
    labels: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]],
    row: int,
) -> LabelledSplits:
    """Return one sentence of a batch with its own tags."""
    names = model.vocabularies.labels.items
    count = len(sentence.words)
    lefts, rights = (part[row, : count - 1].tolist() for part in trees)
    split_labels, word_labels = (part[row] for part in labels)
    return LabelledSplits(
        sentence.words,
        sentence.tags,
        tuple(map(Span, lefts, rights)),
        tuple(names[label] for label in split_labels[: count - 1]),
        tuple(names[label] for label in word_labels[:count]),
    )
