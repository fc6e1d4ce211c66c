from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generated_treebank import generate_trees
from small_runs import random_dependencies, small_config, splits_of, untrained_model
from spanlin.config.table import config_from_table
from spanlin.config.training import TrainingConfig
from spanlin.errors import ConfigError
from spanlin.network.batch import Batch
from spanlin.network.network import SpanScores
from spanlin.training.checkpoint import load_model
from spanlin.training.dependencies import KnownDependencies, read_dependencies
from spanlin.training.dependency_parsing import parse_with_dependencies, predict_dependencies, score_attachments
from spanlin.training.loop import train
from spanlin.training.metrics import Event
from spanlin.training.parsing import parse_examples
from spanlin.trees.brackets import write_trees
from spanlin.trees.labelled import LabelledSplits

TREES = generate_trees(12, seed=21)
SPLITS = splits_of(TREES)


def heads_of(sentence: LabelledSplits) -> KnownDependencies:
    """Dependencies that can be learned: all words hang from the last one, except that equal tags hang together."""
    count = len(sentence.words)
    heads = [count] * (count - 1) + [0]
    relations = ["dep" if tag.startswith("N") else "dep:other" for tag in sentence.tags[:-1]] + ["root"]
    return KnownDependencies(tuple(heads), tuple(relations), tuple(tag[:1] for tag in sentence.tags))


def write_conllu_of(path: Path, sentences: list[LabelledSplits]) -> Path:
    lines = []
    for sentence in sentences:
        known = heads_of(sentence)
        columns = zip(sentence.words, sentence.tags, *known, strict=True)
        for number, (word, tag, head, relation, universal) in enumerate(columns, start=1):
            lines.append(f"{number}\t{word}\t_\t{universal}\t{tag}\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def test_predicted_heads_are_a_tree_with_one_root() -> None:
    model = untrained_model(TREES, random_dependencies(SPLITS, seed=1))
    examples = model.featurizer(SPLITS, has_tree=False)
    for sentence, found in zip(SPLITS, predict_dependencies(model, examples), strict=True):
        assert len(found.heads) == len(found.relations) == len(found.universal_tags) == len(sentence.words)
        assert found.heads.count(0) == 1
        for word in range(1, len(found.heads) + 1):
            steps = 0
            while word:
                word = found.heads[word - 1]
                steps += 1
                assert steps <= len(found.heads)


def test_a_model_without_dependencies_says_so() -> None:
    model = untrained_model(TREES)
    with pytest.raises(ConfigError, match="the model was trained without dependencies"):
        predict_dependencies(model, model.featurizer(SPLITS, has_tree=False))


def test_trees_and_dependencies_come_from_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    model = untrained_model(TREES, random_dependencies(SPLITS, seed=1))
    examples = model.featurizer(SPLITS, has_tree=False)
    wanted = parse_examples(model, examples, SPLITS), predict_dependencies(model, examples)
    runs: list[int] = []
    score = model.network.score

    def counted(batch: Batch) -> SpanScores:
        runs.append(len(batch.lengths))
        return score(batch)

    monkeypatch.setattr(model.network, "score", counted)
    assert parse_with_dependencies(model, examples, SPLITS) == wanted
    assert sum(runs) == len(SPLITS)


def test_scores_count_all_words_and_leave_out_subtypes() -> None:
    gold = [KnownDependencies((2, 0, 2), ("nsubj:pass", "root", "obj"), ("NOUN", "VERB", "NOUN"))]
    found = [KnownDependencies((2, 0, 1), ("nsubj", "root", "obj"), ("NOUN", "AUX", "X"))]
    score = score_attachments(gold, found)
    assert score == pytest.approx((200 / 3, 200 / 3, 100 / 3))
    other = [KnownDependencies((2, 0, 2), ("obj", "root", "obj"), ("NOUN", "VERB", "NOUN"))]
    assert score_attachments(gold, other) == pytest.approx((100.0, 200 / 3, 100.0))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("joint")
    for name, count, seed in (("train", 80, 1), ("dev", 12, 2), ("more", 60, 3)):
        trees = generate_trees(count, seed=seed)
        write_trees(trees, folder / f"{name}.txt")
        write_conllu_of(folder / f"{name}.conllu", splits_of(trees))
    return folder


def joint_config(files: Path, **changes: Any) -> TrainingConfig:
    table: dict[str, Any] = {
        "treebanks": [
            {
                "name": "both",
                "train": str(files / "train.txt"),
                "dev": str(files / "dev.txt"),
                "train_dependencies": str(files / "train.conllu"),
                "dev_dependencies": str(files / "dev.conllu"),
            },
            {
                "name": "alone",
                "train_dependencies": str(files / "more.conllu"),
                "dev_dependencies": str(files / "dev.conllu"),
            },
        ],
        "epochs": 6,
    }
    return small_config(files / "unused", **{**table, **changes})


def test_trees_and_dependencies_are_learned_together_and_kept(files: Path, tmp_path: Path) -> None:
    events: list[Event] = []
    result = train(joint_config(files), tmp_path / "run", device="cpu", watch=events.append)
    scores = [event.scores for event in events if event.kind == "evaluation"]
    assert set(scores[-1]) == {"both", "both LAS", "alone LAS", "mean"}
    assert scores[-1]["both LAS"] > 90
    assert scores[-1]["alone LAS"] == scores[-1]["both LAS"]
    assert scores[-1]["mean"] == pytest.approx(sum(scores[-1][name] for name in ("both", "both LAS", "alone LAS")) / 3)
    model = load_model(result.best)
    dev = read_dependencies(files / "dev.conllu")
    found = predict_dependencies(model, model.featurizer(dev.sentences, has_tree=False))
    best = max(scores, key=lambda one: one["mean"])
    assert score_attachments(dev.dependencies, found).las == pytest.approx(best["both LAS"])


def test_dependencies_can_be_learned_without_trees(files: Path, tmp_path: Path) -> None:
    treebank = {
        "name": "alone",
        "train_dependencies": str(files / "more.conllu"),
        "dev_dependencies": str(files / "dev.conllu"),
    }
    config = joint_config(files, treebanks=[treebank])
    events: list[Event] = []
    train(config, tmp_path / "run", device="cpu", watch=events.append)
    scores = [event.scores for event in events if event.kind == "evaluation"]
    assert set(scores[-1]) == {"alone LAS", "mean"}
    assert scores[-1]["alone LAS"] > 90


def test_a_treebank_needs_something_to_train_on() -> None:
    with pytest.raises(
        ConfigError, match="treebank 'empty': nothing to train on: give it train, train_dependencies or both"
    ):
        config_from_table(TrainingConfig, {"treebanks": [{"name": "empty"}]})
