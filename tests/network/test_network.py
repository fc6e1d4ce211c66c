from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from generated_treebank import generate_trees
from oracles.random_decoding import pad, random_log_probs
from small_runs import splits_of, untrained_model
from spanlin.decoding.decode import decode_batch
from spanlin.errors import ConfigError
from spanlin.network.batch import Batch
from spanlin.network.network import (
    EMPTY_LABEL_ID,
    ParserNetwork,
    SpanScores,
    _log_sigmoid,
    all_spans,
    left_children,
    possible_spans,
)
from spanlin.network.span_scorer import LabelScorer, pick
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model
from spanlin.trees.tree import Span
from strategies import binary_spans
from tiny_encoders import KINDS, make_encoder

TREES = generate_trees(24, seed=11)  # of 1 to 20 words
WORDS = [word for tree in TREES for word in tree.words]
ENCODERS = ("bilstm", "transformer", *KINDS, "bert+bilstm", "bert+transformer")
Folders = dict[str, Path]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    root = tmp_path_factory.mktemp("encoders")
    # Long enough that no sentence of these needs windows.
    return {kind: make_encoder(root / kind, WORDS, kind=kind, limit=128, width=16) for kind in KINDS}


def model_with(encoder: str, folders: Folders, **changes: Any) -> Model:
    torch.manual_seed(5)
    first, _, above = encoder.partition("+")
    if first in ("bilstm", "transformer"):
        return untrained_model(TREES, context={"kind": first}, **changes)
    pretrained = {"folder": str(folders[first]), "piece": "mean"}
    return untrained_model(
        TREES, input="pretrained", pretrained=pretrained, context={"kind": above or "none"}, **changes
    )


def batch_of(model: Model, numbers: list[int]) -> Batch:
    return BatchMaker(model.featurizer(splits_of(TREES)))(np.array(numbers))


@pytest.mark.parametrize("encoder", ENCODERS)
def test_padding_changes_nothing(encoder: str, folders: Folders) -> None:
    model = model_with(encoder, folders, scorer={"target": "both"})
    network = model.network.eval()
    with torch.inference_mode():
        together = network.score(batch_of(model, list(range(len(TREES)))))
        parses = network(batch_of(model, list(range(len(TREES)))))
        for row, tree in enumerate(TREES):
            batch = batch_of(model, [row])
            count = len(tree.words)
            alone, parse = network.score(batch), network(batch)
            for name in ("left", "right", "tags"):
                one, many = getattr(alone, name), getattr(together, name)
                size = (count, count) if name != "tags" else (count, many.shape[2])
                torch.testing.assert_close(
                    many[row, : size[0], : size[1]], one[0, : size[0], : size[1]], atol=2e-5, rtol=1e-4
                )
            for name, more in (("lefts", -1), ("rights", -1), ("split_labels", -1), ("word_labels", 0), ("tags", 0)):
                used = slice(0, count + more)
                assert getattr(parses, name)[row, used].equal(getattr(parse, name)[0, used]), name


@pytest.mark.parametrize("encoder", ENCODERS)
def test_log_probabilities_sum_to_one_over_possible_boundaries(encoder: str, folders: Folders) -> None:
    model = model_with(encoder, folders, scorer={"target": "both"})
    with torch.inference_mode():
        scores = model.network.eval().score(batch_of(model, list(range(len(TREES)))))
    assert scores.left is not None
    assert scores.right is not None
    for row, tree in enumerate(TREES):
        count = len(tree.words)
        left, right = scores.left[row].exp(), scores.right[row].exp()
        for word in range(count):
            assert left[word, : word + 1].sum().item() == pytest.approx(1, abs=1e-5)  # split point j = word + 1: i < j
            assert not left[word, word + 1 :].any()
            assert right[word, word:count].sum().item() == pytest.approx(1, abs=1e-5)  # split point i = word: j > i
            assert not right[word, :word].any()
            assert not right[word, count:].any()


def test_a_split_point_is_what_has_read_up_to_it_from_either_side() -> None:
    network = untrained_model(TREES, context={"width": 4}).network.eval()  # split points are their own edges
    # Two words between the start and the end symbol: forward vectors 10, 20, 30, 40 and backward ones 1, 2, 3, 4.
    positions = torch.tensor([[[10.0, 11, 1, 1.5], [20, 21, 2, 2.5], [30, 31, 3, 3.5], [40, 41, 4, 4.5]]])
    scores = network.score_positions(positions, torch.tensor([2]))
    # Eq. 1: split point i is [f_i; b_(i+1)].
    assert scores.left_edges.tolist() == [[[10, 11, 2, 2.5], [20, 21, 3, 3.5], [30, 31, 4, 4.5]]]
    assert scores.right_edges.equal(scores.left_edges)


def test_a_split_point_has_read_each_word_once() -> None:
    torch.manual_seed(1)
    network = untrained_model(TREES, context={"width": 16}).network.eval()
    assert network.lexical is not None
    features, word_counts = torch.randn(2, 9, network.lexical.width), torch.tensor([7, 4])

    def edges(features: torch.Tensor) -> torch.Tensor:
        encoded = network.contextualize(features, word_counts, torch.zeros(2, dtype=torch.int64))
        return network.score_positions(encoded, word_counts).left_edges

    with torch.inference_mode():
        before = edges(features)
        for position in range(9):
            changed = features.clone()
            changed[:, position] += 1
            moved = (edges(changed) != before).view(2, 8, 2, 8).any(dim=3)  # sentence, split point, half
            for row, count in enumerate(word_counts.tolist()):
                if position < count + 2:
                    by_forward, by_backward = moved[row, : count + 1].unbind(dim=1)
                    assert by_forward.tolist() == [split_point >= position for split_point in range(count + 1)]
                    assert by_backward.equal(~by_forward)


@pytest.mark.parametrize("target", ["left", "right", "both"])
@pytest.mark.parametrize("rule", ["argmin", "largest"])
def test_forward_is_score_then_tree_then_labels(target: str, rule: str) -> None:
    torch.manual_seed(2)
    model = untrained_model(TREES, scorer={"target": target})
    network = model.network.eval()
    batch = batch_of(model, [3, 1, 2, 0])
    with torch.inference_mode():
        whole = network(batch, rule=rule)
        scores = network.score(batch)
        lefts, rights, boundaries = network.infer_tree(scores, batch.word_counts, rule=rule)
        parts = network.label_tree(scores, lefts, rights, batch.word_counts, boundaries)
    for name in ("lefts", "rights", "split_labels", "word_labels", "label_log_probs", "tags", "boundaries"):
        assert getattr(whole, name).equal(getattr(parts, name)), name
    assert scores.tags is not None
    assert whole.tags.equal(scores.tags.argmax(dim=-1))


@pytest.mark.parametrize("kind", ["plain", "ties", "sharp"])
@pytest.mark.parametrize("rule", ["argmin", "largest"])
@pytest.mark.parametrize("sides", [("left",), ("right",), ("left", "right")])
def test_the_greedy_tree_of_scores_is_the_numpy_decoders(kind: str, rule: str, sides: tuple[str, ...]) -> None:
    generator = np.random.default_rng(7)
    word_counts = np.repeat(np.arange(1, 13), 20)
    scores: dict[str, np.ndarray | None] = {"left": None, "right": None}
    for side in sides:
        parts = [random_log_probs(generator, 20, count, kind, side=side) for count in range(1, 13)]
        # In single precision, as the network's are, so that both sides see the same sums.
        padded = np.concatenate([pad(part, 12, -1e4) for part in parts]).astype(np.float32)
        scores[side] = np.maximum(padded, np.float32(-1e4))
    wanted = decode_batch(word_counts, scores["left"], scores["right"], decoder=rule)  # type: ignore[arg-type]
    tensors = {side: None if part is None else torch.from_numpy(part) for side, part in scores.items()}
    nothing = torch.zeros(0)
    given_scores = SpanScores(
        left=tensors["left"], right=tensors["right"], logits=None, left_edges=nothing, right_edges=nothing, tags=None
    )
    network = untrained_model(TREES[:2]).network
    lefts, rights, _ = network.infer_tree(given_scores, torch.from_numpy(word_counts), rule=rule)
    np.testing.assert_array_equal(lefts.numpy(), wanted.lefts)
    np.testing.assert_array_equal(rights.numpy(), wanted.rights)


@pytest.mark.parametrize("label_model", ["spans", "linearization"])
def test_the_root_never_has_the_empty_label(label_model: str) -> None:
    model = untrained_model(TREES, scorer={"label_model": label_model})
    network = model.network.eval()
    with torch.no_grad():
        outputs = [
            module for name, module in network.labels.named_modules() if name in ("output.3", "ending.4", "starting.4")
        ]
        assert outputs
        for linear in outputs:
            linear.bias[EMPTY_LABEL_ID] += 50  # a network that would leave everything empty
        parse = network(batch_of(model, list(range(len(TREES)))))
    for row, tree in enumerate(TREES):
        count = len(tree.words)
        spans = zip(parse.lefts[row, : count - 1].tolist(), parse.rights[row, : count - 1].tolist(), strict=True)
        for (left, right), label in zip(spans, parse.split_labels[row].tolist(), strict=False):
            assert (label != EMPTY_LABEL_ID) == ((left, right) == (0, count))
        for label in parse.word_labels[row, :count].tolist():
            assert (label != EMPTY_LABEL_ID) == (count == 1)
    assert (parse.label_log_probs <= 0).all()


def test_a_network_needs_the_numbers_that_a_configuration_may_leave_out() -> None:
    for key in ("width", "layers"):
        with pytest.raises(ConfigError, match=r"network\.context\.width and network\.context\.layers are 0: "):
            untrained_model(TREES, context={key: 0})


def test_tags_as_input_are_read() -> None:
    torch.manual_seed(3)
    model = untrained_model(TREES, lexical={"tag_width": 8})
    network = model.network.eval()
    batch = batch_of(model, [0])
    assert batch.lexical is not None
    with torch.inference_mode():
        before = network.score(batch).left
        batch.lexical.tags[0, 1] += 1
        after = network.score(batch).left
    assert before is not None
    assert after is not None
    assert not before.equal(after)


def test_separate_boundaries_can_be_on() -> None:
    model = untrained_model(TREES)
    scores = model.network.score(batch_of(model, [0, 1]))
    assert scores.left_edges.equal(scores.right_edges)
    separate = untrained_model(TREES, scorer={"separate_boundaries": True})
    scores = separate.network.score(batch_of(separate, [0, 1]))
    assert not scores.left_edges.equal(scores.right_edges)


def test_subtracted_label_input_is_a_linear_layer_over_the_difference_of_the_edges() -> None:
    model = untrained_model(TREES, scorer={"label_input": "subtract", "separate_boundaries": True})
    scores = model.network.eval().score(batch_of(model, [4, 5]))
    scorer = model.network.labels
    assert isinstance(scorer, LabelScorer)
    assert scorer.right.bias.any()
    lefts, rights = (torch.tensor([edges]).repeat(2, 1) for edges in ([0, 1, 0], [3, 2, 1]))
    by_left, by_right = scorer.halves(scores.left_edges, scores.right_edges)
    found = scorer(pick(by_left, lefts), pick(by_right, rights), None)
    differences = pick(scores.right_edges, rights) - pick(scores.left_edges, lefts)
    torch.testing.assert_close(found, scorer.output(scorer.right(differences)))


def test_subtracted_label_input_gives_a_span_of_equal_edges_the_bias_alone() -> None:
    model = untrained_model(TREES, scorer={"label_input": "subtract"})
    scores = model.network.eval().score(batch_of(model, [4, 5]))
    scorer = model.network.labels
    assert isinstance(scorer, LabelScorer)
    edges = torch.tensor([[0, 1, 3]]).repeat(2, 1)
    # r_j - l_i is 0 for i = j when both roles share a vector, so every such span gets the same scores.
    by_left, by_right = scorer.halves(scores.left_edges, scores.right_edges)
    found = scorer(pick(by_left, edges), pick(by_right, edges), None)
    torch.testing.assert_close(found, scorer.output(scorer.right.bias).expand_as(found))


@pytest.mark.parametrize("label_model", ["spans", "linearization"])
@pytest.mark.parametrize("is_dropped", [True, False])
def test_the_label_scorers_hidden_layer_may_be_left_whole(label_model: str, is_dropped: bool) -> None:
    torch.manual_seed(1)
    scorer = {"label_model": label_model, "label_dropout": is_dropped, "dropout": 0.5}
    network = untrained_model(TREES, scorer=scorer).network.train()
    edges = torch.randn(2, 4, network.roles.width)
    is_left_child = torch.ones(2, 4, dtype=torch.bool)
    one, two = (network.labels(*network.labels.halves(edges, edges), is_left_child) for _ in range(2))
    assert one.equal(two) is not is_dropped


def test_concatenated_label_input_has_a_matrix_for_each_edge() -> None:
    network = untrained_model(TREES).network.eval()
    lefts, rights = torch.randn(2, 1, 5, 32)
    by_left, by_right = network.labels.halves(lefts, rights)
    with torch.no_grad():
        network.labels.left.weight.mul_(2)  # type: ignore[union-attr,operator]
    assert network.labels.halves(lefts, rights)[0].allclose(2 * by_left)
    assert network.labels.halves(lefts, rights)[1].equal(by_right)
    assert not by_left.allclose(-network.labels.right(lefts))  # type: ignore[operator]


@pytest.mark.parametrize("label_model", ["spans", "linearization"])
def test_hidden_layers_of_labels_and_tags_are_normalized(label_model: str) -> None:
    torch.manual_seed(4)
    model = untrained_model(TREES, scorer={"label_model": label_model})
    network, batch = model.network.eval(), batch_of(model, [0, 1, 2])
    hidden = [
        module
        for name, module in network.named_modules()
        if name in ("labels.left", "labels.right", "labels.ending.0", "labels.starting.0", "tag_head.layers.0")
    ]
    assert len(hidden) == 3
    with torch.no_grad():
        before, tags = network(batch), network.score(batch).tags
        for linear in hidden:
            for weight in linear.parameters():
                weight.mul_(50)
        after, same_tags = network(batch), network.score(batch).tags
    torch.testing.assert_close(after.label_log_probs, before.label_log_probs, atol=1e-2, rtol=1e-2)
    torch.testing.assert_close(same_tags, tags, atol=1e-2, rtol=1e-2)


@pytest.mark.parametrize("target", ["left", "right", "both"])
def test_logits_are_those_of_the_left_boundaries_if_these_are_scored(target: str) -> None:
    torch.manual_seed(4)
    model = untrained_model(TREES, scorer={"target": target})
    network, batch = model.network.eval(), batch_of(model, [0, 1, 2])
    with torch.inference_mode():
        scores = network.score(batch)
        scorer = network.right_scorer if target == "right" else network.left_scorer
        assert scorer is not None
        raw = scorer(scores.left_edges, scores.right_edges)
    assert scores.logits is not None
    assert scores.logits.equal(raw.transpose(1, 2) if target == "right" else raw)


def test_possible_spans_are_those_of_the_sentence() -> None:
    possible = possible_spans(4, torch.tensor([3, 1, 4]))
    for row, count in enumerate((3, 1, 4)):
        for j in range(1, 5):
            for i in range(4):
                assert possible[row, j - 1, i].item() == (i < j <= count or i == j - 1)  # padding keeps its words


@settings(deadline=None)
@given(binary_spans(max_words=10), st.integers(0, 3))
def test_left_children_are_found(tree: tuple[frozenset[Span], int], padding: int) -> None:
    spans, word_count = tree
    # The widest span that ends at a place is a left child or the root; all others are right children.
    longest = {right: min(span.left for span in spans if span.right == right) for right in range(1, word_count + 1)}
    by_split = {}
    for span in spans:
        for split in range(span.left + 1, span.right):
            if Span(span.left, split) in spans and Span(split, span.right) in spans:
                by_split[split] = span
    lefts = torch.tensor([[by_split[k].left for k in range(1, word_count)] + [0] * padding], dtype=torch.int64)
    rights = torch.tensor([[by_split[k].right for k in range(1, word_count)] + [0] * padding], dtype=torch.int64)
    left_edges, right_edges = all_spans(lefts, rights)
    found = left_children(lefts, left_edges, right_edges, torch.tensor([word_count]))
    for left, right, is_left in zip(left_edges[0].tolist(), right_edges[0].tolist(), found[0].tolist(), strict=True):
        if left < right <= word_count:
            assert is_left == (longest[right] == left), (left, right)


def test_a_batch_moves_to_a_device_without_its_lengths() -> None:
    model = untrained_model(TREES)
    batch = batch_of(model, [0, 1]).to(torch.device("meta"))
    assert batch.word_counts.is_meta
    assert not batch.lengths.is_meta
    assert batch.lexical is not None
    assert batch.lexical.words.is_meta
    assert batch.targets is not None
    assert batch.targets.tags.is_meta


def test_a_network_has_only_the_parts_its_configuration_names() -> None:
    def parts(network: ParserNetwork) -> set[str]:
        return {name for name, _ in network.named_children()}

    everything = parts(untrained_model(TREES, scorer={"target": "both"}).network)
    assert everything == {"lexical", "context", "roles", "left_scorer", "right_scorer", "labels", "tag_head"}
    left = parts(untrained_model(TREES, scorer={"target": "left", "tag_head": False}).network)
    assert left == everything - {"right_scorer", "tag_head"}


def test_the_logarithm_of_a_sigmoid_is_as_exact_when_it_is_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    logits = torch.cat([torch.linspace(-200, 200, 4001), torch.tensor([-1e4, 0.0])])
    expected = _log_sigmoid(logits)
    monkeypatch.setattr(torch.onnx, "is_in_onnx_export", lambda: True)
    torch.testing.assert_close(_log_sigmoid(logits), expected, rtol=1e-5, atol=1e-37)
