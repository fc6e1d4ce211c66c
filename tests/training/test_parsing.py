from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from generated_treebank import generate_trees
from small_runs import splits_of, untrained_model
from spanlin.errors import ConfigError
from spanlin.training.batches import BatchMaker
from spanlin.training.examples import concatenate
from spanlin.training.parsing import DECODERS, parse_examples, score_parses
from spanlin.trees.labelled import tree_from_splits

TREES = generate_trees(40, seed=71)
SPLITS = splits_of(TREES)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("target", ["left", "both"])
def test_parses_come_in_the_order_of_the_sentences_however_they_are_batched(decoder: str, target: str) -> None:
    torch.manual_seed(1)
    model = untrained_model(TREES, scorer={"target": target})
    whole = parse_examples(model, model.featurizer(SPLITS), SPLITS, decoder=decoder)
    assert [parse.words for parse in whole] == [sentence.words for sentence in SPLITS]
    assert [parse.tags for parse in whole] == [sentence.tags for sentence in SPLITS]
    for budget in (1, 60):
        assert parse_examples(model, model.featurizer(SPLITS), SPLITS, decoder=decoder, token_budget=budget) == whole
    for sentence, parse in list(zip(SPLITS, whole, strict=True))[:5]:
        assert parse_examples(model, model.featurizer([sentence]), [sentence], decoder=decoder) == [parse]


def test_no_sentences_have_no_parses() -> None:
    model = untrained_model(TREES)
    assert parse_examples(model, model.featurizer([]), []) == []


def test_parsing_leaves_out_dropout() -> None:
    model = untrained_model(TREES, scorer={"dropout": 0.5})
    model.network.train()
    examples = model.featurizer(SPLITS)
    assert parse_examples(model, examples, SPLITS) == parse_examples(model, examples, SPLITS)


def test_gold_trees_score_100() -> None:
    assert score_parses(TREES, SPLITS).f1 == 100
    assert [tree_from_splits(sentence) for sentence in SPLITS] == [tree.children[0] for tree in TREES]


def test_an_unknown_decoder_is_an_error() -> None:
    model = untrained_model(TREES)
    with pytest.raises(ConfigError, match="unknown decoder 'viterbi': choose one of argmin, largest, cky"):
        parse_examples(model, model.featurizer(SPLITS), SPLITS, decoder="viterbi")


@pytest.mark.parametrize("parts", [(1, 39), (10, 20, 10)])
def test_examples_in_parts_make_the_same_batches_as_whole_ones(parts: tuple[int, ...]) -> None:
    model = untrained_model(TREES)
    cuts = np.cumsum([0, *parts])
    pieces = [model.featurizer(SPLITS[start:end]) for start, end in pairwise(cuts)]
    whole, joined = (BatchMaker(examples) for examples in (model.featurizer(SPLITS), concatenate(pieces)))
    for numbers in (np.arange(40), np.array([39, 0, 12])):
        one, two = whole(numbers), joined(numbers)
        assert one.lexical is not None
        assert two.lexical is not None
        assert one.lexical.words.equal(two.lexical.words)
        spelled = [lexical.spellings[lexical.spelling_of] for lexical in (one.lexical, two.lexical)]
        assert spelled[0].equal(spelled[1])
        assert one.targets is not None
        assert two.targets is not None
        assert one.targets.split_labels.equal(two.targets.split_labels)
