from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from generated_treebank import generate_treebank, generate_trees
from spanlin.config.network import ContextConfig, LexicalConfig, NetworkConfig, ScorerConfig
from spanlin.config.training import BatchConfig, OptimizerConfig, TrainingConfig, TreebankConfig
from spanlin.decoding.decode import decode_batch
from spanlin.errors import CheckpointError, ConfigError, EvaluationError, SpanlinError, TreeError, TreeSyntaxError
from spanlin.evaluation.files import score_files
from spanlin.evaluation.parameters import COLLINS
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import Model, new_model, save_model
from spanlin.training.evaluation import evaluate_model
from spanlin.training.jackknife import with_tags
from spanlin.training.loop import train
from spanlin.training.parsing import DECODERS, GREEDY, parse_batch, parse_sentences, predict_tags
from spanlin.training.vocabulary import build_vocabularies
from spanlin.trees.brackets import parse_tree, read_trees, write_trees
from spanlin.trees.labelled import LabelledSplits, labelled_splits
from spanlin.trees.transforms import strip_root
from spanlin.trees.tree import Tree

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gold") / "gold.txt"
    write_trees(generate_trees(60, seed=1), path)
    return path


def sentences_of(path: Path) -> list[LabelledSplits]:
    return [labelled_splits(strip_root(tree)) for tree in read_trees(path)]


def untrained_model(path: Path, *, seed: int = 1, tag_width: int = 0, **scorer: Any) -> Model:
    """Return a model whose boundaries are noise, and so mostly illegal."""
    torch.manual_seed(seed)
    network = NetworkConfig(
        lexical=LexicalConfig(word_width=16, char_width=8, tag_width=tag_width),
        context=ContextConfig(width=32, layers=1),
        scorer=ScorerConfig(hidden_width=24, label_width=16, **scorer),
    )
    config = TrainingConfig(treebanks=(TreebankConfig(name="toy", train=str(path)),), network=network)
    model = new_model(config, build_vocabularies(sentences_of(path), min_word_count=1))
    model.network.eval()
    return model


def saved(model: Model, folder: Path) -> Path:
    folder.mkdir()
    save_model(folder, model)
    return folder


@pytest.mark.parametrize("target", ["left", "right", "both"])
@pytest.mark.parametrize("decoder", GREEDY)
def test_greedy_trees_and_their_legality_are_those_of_the_numpy_decoders(gold: Path, target: str, decoder: str) -> None:
    model = untrained_model(gold, target=target)
    sentences = sentences_of(gold)
    examples = model.featurizer(sentences)
    parses = parse_sentences(model, examples, sentences, decoder=decoder, token_budget=200)
    legal = []
    for number, parse in enumerate(parses):
        batch = BatchMaker(examples)(np.array([number]))
        with torch.inference_mode():
            scores = model.network.score(batch)
        sides = [None if side is None else side.double().numpy() for side in (scores.left, scores.right)]
        found = decode_batch(batch.lengths.numpy(), *sides, decoder=decoder)  # type: ignore[arg-type]
        assert parse.splits.spans == found.spans(0)
        legal.append(bool(found.certified[0]))
    assert [parse.legal for parse in parses] == legal
    assert 0 < sum(legal) < len(legal), "the test needs both kinds"
    assert evaluate_model(model, gold, decoder=decoder).legal == sum(legal)


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_decoder_gives_a_tree_for_every_sentence(gold: Path, decoder: str) -> None:
    result = evaluate_model(untrained_model(gold), gold, decoder=decoder)
    assert result.score.totals.valid == 60
    assert result.decoder == decoder
    assert (result.legal is None) == (decoder not in GREEDY)


def test_per_span_scores_are_decoded_by_charts_whatever_is_asked_for(gold: Path) -> None:
    model = untrained_model(gold, normalization="span", target="left")
    result = evaluate_model(model, gold, decoder="argmin")
    assert (result.decoder, result.legal) == ("cky", None)
    assert "n/a (not greedy)" in result.to_text()


def test_parse_batch_does_what_the_network_does_alone(gold: Path) -> None:
    model = untrained_model(gold)
    batch = BatchMaker(model.featurizer(sentences_of(gold)))(np.arange(20))
    ours = parse_batch(model.network, batch, model.network.score(batch), decoder="largest").parse
    with torch.inference_mode():
        alone = model.network(batch, rule="largest")
    for item in dataclasses.fields(alone):
        torch.testing.assert_close(getattr(ours, item.name), getattr(alone, item.name))


def test_tags_do_not_depend_on_how_sentences_are_batched(gold: Path) -> None:
    model = untrained_model(gold)
    sentences = sentences_of(gold)
    examples = model.featurizer(sentences)
    tags = predict_tags(model, examples)
    assert tags == predict_tags(model, examples, token_budget=1)
    assert tags == [parse.tags for parse in parse_sentences(model, examples, sentences)]
    assert [len(sentence_tags) for sentence_tags in tags] == [len(sentence.words) for sentence in sentences]


def test_scored_trees_carry_the_tags_of_the_file(gold: Path) -> None:
    result = evaluate_model(untrained_model(gold), gold)
    assert result.score.tagging_accuracy == 100.0
    assert result.tagging_accuracy is not None
    assert result.tagging_accuracy < 50.0


def test_tagging_accuracy_is_over_all_words(gold: Path) -> None:
    result = evaluate_model(untrained_model(gold), gold)
    pairs = [
        (one, two)
        for tree, predicted in zip(read_trees(gold), result.trees, strict=True)
        for one, two in zip(tree.tags, predicted.tags, strict=True)
    ]
    assert result.word_count == len(pairs)
    assert result.correct_tags == sum(one == two for one, two in pairs)
    assert result.tagging_accuracy == 100.0 * result.correct_tags / len(pairs)


def test_with_predicted_tags_the_score_is_that_of_the_output_file(gold: Path, tmp_path: Path) -> None:
    output = tmp_path / "predicted.txt"
    result = evaluate_model(untrained_model(gold), gold, tags="predicted", output=output)
    assert result.score.sentences == score_files(gold, output).sentences
    assert result.score.tagging_accuracy != 100.0


def test_the_output_has_the_words_in_order_one_tree_a_line(gold: Path, tmp_path: Path) -> None:
    output = tmp_path / "predicted.txt"
    result = evaluate_model(untrained_model(gold), gold, output=output)
    assert output.read_text() == "".join(f"{tree}\n" for tree in result.trees)
    assert [tree.words for tree in read_trees(output)] == [tree.words for tree in read_trees(gold)]
    assert all(line.startswith("(TOP (") for line in output.read_text().splitlines())


@pytest.mark.parametrize("root", ["(S {})", "( (S {}))", "(ROOT (S {}))", "(TOP (S1 (S {})))"])
def test_predicted_trees_have_the_root_of_their_gold_tree(gold: Path, tmp_path: Path, root: str) -> None:
    path = tmp_path / "gold.txt"
    path.write_text(root.format("(NP (PRP she)) (VP (VBZ sleeps))"))
    (tree,) = evaluate_model(untrained_model(gold), path).trees
    wanted = parse_tree(root.format("(X x)"))
    node: Tree = tree
    while wanted.label != "S":
        assert node.label == wanted.label
        wanted, node = wanted.children[0], node.children[0]  # type: ignore[assignment]
    assert node.label not in ("", "TOP", "ROOT", "S1")


def test_a_tagger_stands_in_for_the_tags_of_the_file(gold: Path, tmp_path: Path) -> None:
    model, tagger = untrained_model(gold, tag_width=16), untrained_model(gold, seed=2)
    tags = [tree.tags for tree in evaluate_model(tagger, gold).trees]
    retagged = tmp_path / "retagged.txt"
    write_trees(map(with_tags, read_trees(gold), tags), retagged)
    result = evaluate_model(model, gold, tagger=tagger)
    assert result.trees == evaluate_model(model, retagged).trees
    assert result.trees != evaluate_model(model, gold).trees
    assert result.trees == evaluate_model(model, gold, tagger=tagger, tags="predicted").trees


def test_without_a_tag_head_the_output_has_the_tags_that_were_given(gold: Path) -> None:
    result = evaluate_model(untrained_model(gold, tag_head=False), gold)
    assert [tree.tags for tree in result.trees] == [tree.tags for tree in read_trees(gold)]
    assert (result.correct_tags, result.tagging_accuracy) == (None, None)
    assert "n/a (no tag head)" in result.to_text()


def test_a_checkpoint_scores_as_the_training_run_said(tmp_path: Path) -> None:
    train_file, dev_file = generate_treebank(tmp_path, train=80, dev=20)
    network = NetworkConfig(
        lexical=LexicalConfig(word_width=16, char_width=0),
        context=ContextConfig(width=32, layers=1),
        scorer=ScorerConfig(hidden_width=24, label_width=16),
    )
    config = TrainingConfig(
        treebanks=(TreebankConfig(name="toy", train=str(train_file), dev=str(dev_file)),),
        network=network,
        optimizer=OptimizerConfig(rate=1e-2, warm_up_steps=2),
        batch=BatchConfig(tokens=300),
        epochs=3,
        averaging=0.5,
    )
    run = train(config, tmp_path / "run", device="cpu")
    assert evaluate_model(run.best, dev_file).score.f1 == pytest.approx(run.best_score)


def test_json_holds_the_score_and_the_model(gold: Path) -> None:
    result = evaluate_model(untrained_model(gold), gold)
    report = json.loads(result.to_json())
    about = report.pop("model")
    assert report == result.score.to_dict()
    assert about["legal"] == result.legal
    assert about["sentences_per_second"] == pytest.approx(60 / about["seconds"])


def test_the_precision_can_be_chosen(gold: Path) -> None:
    result = evaluate_model(untrained_model(gold), gold, precision="bf16", device="cpu")
    assert "(cpu, bf16)" in result.to_text()


def test_parameters_change_the_score(gold: Path) -> None:
    unlabelled = dataclasses.replace(COLLINS, labelled=False)
    model = untrained_model(gold)
    one, two = (evaluate_model(model, gold, parameters=parameters).score.f1 for parameters in (COLLINS, unlabelled))
    assert one is not None
    assert two is not None
    assert one < two


def test_malformed_gold_trees_are_left_out_if_asked(gold: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("(TOP (S (NP (PRP she))\n" + gold.read_text())
    bad: list[TreeSyntaxError] = []
    assert len(evaluate_model(untrained_model(gold), path, on_bad=bad.append).trees) == 60
    assert [error.line for error in bad] == [1]
    with pytest.raises(TreeSyntaxError, match="never closed"):
        evaluate_model(untrained_model(gold), path)


@pytest.mark.parametrize(
    ("scorer", "options", "kind", "message"),
    [
        ({}, {"decoder": "best"}, ConfigError, "unknown decoder 'best': choose one of argmin, largest, cky"),
        ({}, {"device": "toaster"}, ConfigError, "device 'toaster' cannot be used: .*; choose cpu, cuda or cuda:N"),
        ({}, {"device": "cuda:99"}, ConfigError, "device 'cuda:99' cannot be used: "),
        ({}, {"tagger": "anywhere"}, CheckpointError, "reads no tags .*: leave out the tagger"),
        ({"tag_width": 8}, {"tags": "predicted"}, CheckpointError, "reads tags: .* give a tagger"),
        ({"tag_head": False}, {"tags": "predicted"}, CheckpointError, "predicts no tags .*: take those of the file"),
        ({}, {"output": "no/such/folder/out.txt"}, EvaluationError, "out.txt: its folder does not exist"),
    ],
)
def test_the_users_mistakes_are_told(
    gold: Path, scorer: dict[str, Any], options: dict[str, Any], kind: type[SpanlinError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        evaluate_model(untrained_model(gold, **scorer), gold, **options)


def test_a_tagger_needs_a_tag_head(gold: Path, tmp_path: Path) -> None:
    tagger = saved(untrained_model(gold, tag_head=False), tmp_path / "tagger")
    with pytest.raises(ConfigError, match="the model has no tag head"):
        evaluate_model(untrained_model(gold, tag_width=8), gold, tagger=tagger)


def test_a_file_without_trees_cannot_be_scored(gold: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(EvaluationError, match=r"empty\.txt: no trees to score against"):
        evaluate_model(untrained_model(gold), tmp_path / "empty.txt")


def test_an_output_that_cannot_be_written_is_an_error(gold: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(TreeError, match="out: cannot be written: Is a directory"):
        evaluate_model(untrained_model(gold), gold, output=tmp_path / "out")
