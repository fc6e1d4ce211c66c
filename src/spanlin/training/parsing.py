"""Parsing with a trained model, by any decoder, and scoring what comes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spanlin.decoding.decode import Decoder, decode_batch
from spanlin.decoding.span_scores import best_span_trees
from spanlin.errors import ConfigError
from spanlin.evaluation.model_score import SentenceParse
from spanlin.evaluation.score import Score, score_trees
from spanlin.network.batch import Batch
from spanlin.network.network import Parse, ParserNetwork, SpanScores
from spanlin.training.batches import BatchMaker, cut_batches
from spanlin.training.checkpoint import Model
from spanlin.training.examples import Examples
from spanlin.trees.labelled import LabelledSplits, splits_from_numbers, tree_from_splits
from spanlin.trees.tree import Tree

GREEDY = ("argmin", "largest")
DECODERS = (*GREEDY, "cky", "min-change", "minimum-risk")


def autocast(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """Return the context in which a forward pass runs in this precision."""
    if precision == "bf16":
        return torch.autocast(device.type, dtype=torch.bfloat16)
    return nullcontext()


class BatchParse(NamedTuple):
    """The parse of a batch; of a greedy decoder, `legal`, [batch], says whether the boundaries were those of a tree."""

    parse: Parse
    legal: Tensor | None


@torch.inference_mode()
def parse_batch(network: ParserNetwork, batch: Batch, scores: SpanScores, *, decoder: str) -> BatchParse:
    """Return the parse of a batch from its scores; greedy decoders stay on the device, charts are filled on the CPU."""
    per_span = network.config.scorer.normalization == "span"
    if per_span:
        assert scores.left is not None
        # Log-odds of each span, row j-1, column i: the best tree has the largest sum of them (PSN decodes by CKY).
        trees = best_span_trees(batch.lengths.numpy(), scores.left.double().cpu().numpy())
        lefts, rights = _on_device(trees, batch)
        boundaries = lefts
    elif decoder in GREEDY:
        lefts, rights, boundaries = network.infer_tree(scores, batch.word_counts, rule=decoder)
    else:
        sides = [None if side is None else side.double().cpu().numpy() for side in (scores.left, scores.right)]
        found = decode_batch(batch.lengths.numpy(), sides[0], sides[1], decoder=cast(Decoder, decoder))
        lefts, rights = _on_device((found.lefts, found.rights), batch)
        boundaries = lefts
    is_greedy = decoder in GREEDY and not per_span
    return BatchParse(
        network.label_tree(scores, lefts, rights, batch.word_counts, boundaries),
        _is_legal(scores, lefts, rights, batch.word_counts) if is_greedy else None,
    )


def _on_device(trees: tuple[NDArray[np.int64], NDArray[np.int64]], batch: Batch) -> tuple[Tensor, Tensor]:
    lefts, rights = (torch.from_numpy(np.ascontiguousarray(part)).to(batch.word_counts.device) for part in trees)
    return lefts, rights


def _is_legal(scores: SpanScores, lefts: Tensor, rights: Tensor, word_counts: Tensor) -> Tensor:
    """Return [batch]: whether the tree has, on every side that is scored, the most probable boundary at each split."""
    split_points = torch.arange(1, lefts.shape[1] + 1, device=lefts.device)
    same = torch.ones_like(lefts, dtype=torch.bool)
    if scores.left is not None:
        same &= scores.left.argmax(dim=2)[:, :-1] == lefts
    if scores.right is not None:
        # Ties go to the longest span, as in `infer_tree`.
        same &= scores.right.shape[2] - scores.right.flip(2).argmax(dim=2)[:, 1:] == rights
    return (same | (split_points >= word_counts.unsqueeze(1))).all(dim=1)


def parse_sentences(
    model: Model,
    examples: Examples,
    sentences: Sequence[LabelledSplits],
    *,
    decoder: str = "argmin",
    device: torch.device | None = None,
    precision: str = "fp32",
    token_budget: int = 20_000,
) -> list[SentenceParse]:
    """Return the parses of sentences, in order, with the network's tags."""
    if decoder not in DECODERS:
        raise ConfigError(f"unknown decoder {decoder!r}: choose one of {', '.join(DECODERS)}")
    device = device or torch.device("cpu")
    results: dict[int, SentenceParse] = {}
    for members, batch, scores in scored_batches(model, examples, device, precision, token_budget):
        with autocast(device, precision):
            found = batch_parses(model, batch, scores, [sentences[number] for number in members], decoder=decoder)
        results.update(zip(members, found, strict=True))
    return [results[number] for number in range(len(sentences))]


def batch_parses(
    model: Model, batch: Batch, scores: SpanScores, sentences: Sequence[LabelledSplits], *, decoder: str
) -> list[SentenceParse]:
    """Return the parse of each sentence of a batch."""
    labels, tags = model.vocabularies.labels.items, model.vocabularies.tags.items
    parse, legal = parse_batch(model.network, batch, scores, decoder=decoder)
    arrays = [part.tolist() for part in (parse.lefts, parse.rights, parse.split_labels, parse.word_labels)]
    found_tags = None if parse.tags is None else parse.tags.tolist()
    found_legal = None if legal is None else legal.tolist()
    return [
        SentenceParse(
            splits_from_numbers(sentence.words, sentence.tags, *(array[row] for array in arrays), labels=labels),
            None if found_tags is None else tuple(tags[tag] for tag in found_tags[row][: len(sentence.words)]),
            None if found_legal is None else found_legal[row],
        )
        for row, sentence in enumerate(sentences)
    ]


def parse_examples(
    model: Model,
    examples: Examples,
    sentences: Sequence[LabelledSplits],
    *,
    decoder: str = "argmin",
    device: torch.device | None = None,
    precision: str = "fp32",
    token_budget: int = 20_000,
    predicted_tags: bool = False,
) -> list[LabelledSplits]:
    """Return the parses of sentences, in order. Tags are the sentences' own unless the predicted ones are asked for."""
    parses = parse_sentences(
        model, examples, sentences, decoder=decoder, device=device, precision=precision, token_budget=token_budget
    )
    if not predicted_tags:
        return [parse.splits for parse in parses]
    return [parse.splits if parse.tags is None else parse.splits._replace(tags=parse.tags) for parse in parses]


def predict_tags(
    model: Model,
    examples: Examples,
    *,
    device: torch.device | None = None,
    precision: str = "fp32",
    token_budget: int = 20_000,
) -> list[tuple[str, ...]]:
    """Return the tags of sentences, in order, without parsing them."""
    device = device or torch.device("cpu")
    items = model.vocabularies.tags.items
    counts = examples.word_counts.tolist()
    results: dict[int, tuple[str, ...]] = {}
    for members, _, scores in scored_batches(model, examples, device, precision, token_budget):
        if scores.tags is None:
            raise ConfigError("the model has no tag head (network.scorer.tag_head is off), so it cannot tag")
        for number, row in zip(members, scores.tags.argmax(dim=-1).tolist(), strict=True):
            results[number] = tuple(items[tag] for tag in row[: counts[number]])
    return [results[number] for number in range(len(examples))]


def scored_batches(
    model: Model, examples: Examples, device: torch.device, precision: str, token_budget: int
) -> Iterator[tuple[list[int], Batch, SpanScores]]:
    """Yield the sentences of each batch, shortest first, the batch on the device, and its scores.

    The network is set to evaluate.
    """
    maker = BatchMaker(examples)
    order = np.argsort(examples.costs, kind="stable")
    model.network.eval()
    for members in cut_batches(order, examples.costs, token_budget=token_budget, sentence_budget=1000):
        batch = maker(members).to(device)
        with torch.inference_mode(), autocast(device, precision):
            scores = model.network.score(batch)
        yield members.tolist(), batch, scores


def score_parses(gold: Sequence[Tree], parses: Sequence[LabelledSplits]) -> Score:
    """Return the bracket score of parses against gold trees.

    EVALB drops words by their tags; parses therefore carry the gold ones, so that a tag can neither help nor harm.
    """
    return score_trees(gold, [tree_from_splits(parse) for parse in parses])
