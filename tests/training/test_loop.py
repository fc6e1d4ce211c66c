from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from generated_treebank import generate_treebank, generate_trees
from small_runs import small_config, splits_of
from spanlin.config.toml_files import merge_tables
from spanlin.config.training import OptimizerConfig
from spanlin.errors import ConfigError, TrainingError, TreeSyntaxError
from spanlin.training import loop
from spanlin.training.checkpoint import load_model
from spanlin.training.data import load_data
from spanlin.training.loop import train
from spanlin.training.metrics import Event
from spanlin.training.optimizer import Plateau, rate_factor
from spanlin.training.parsing import parse_examples, score_parses
from spanlin.trees.brackets import read_trees
from tiny_encoders import make_encoder

Treebank = tuple[Path, Path]


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Treebank:
    return generate_treebank(tmp_path_factory.mktemp("treebank"), train=60, dev=10)


@pytest.fixture(scope="module")
def large_treebank(tmp_path_factory: pytest.TempPathFactory) -> Treebank:
    return generate_treebank(tmp_path_factory.mktemp("large"), train=800, dev=100)


def metrics_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


WIDER: dict[str, Any] = {
    "network": {
        "lexical": {"word_width": 32, "char_width": 16},
        "context": {"width": 64},
        "scorer": {"hidden_width": 64, "label_width": 48},
    },
    "batch": {"sentences": 24},
}
ENOUGH: dict[str, dict[str, Any]] = {
    "bilstm": {"epochs": 6, "optimizer": {"rate": 5e-3}},
    "transformer": {
        "network": {"context": {"kind": "transformer", "layers": 2, "heads": 4, "feed_forward_width": 128}},
        "epochs": 8,
    },
    "pretrained": {
        "network": {"input": "pretrained", "context": {"kind": "none"}},
        "epochs": 12,
        "optimizer": {"rate": 2e-3},
    },
}


@pytest.mark.parametrize(
    "encoder",
    ["bilstm", pytest.param("transformer", marks=pytest.mark.slow), pytest.param("pretrained", marks=pytest.mark.slow)],
)
def test_a_training_on_a_generated_treebank_reaches_95_f1(
    encoder: str, large_treebank: Treebank, tmp_path: Path
) -> None:
    changes = merge_tables(WIDER, ENOUGH[encoder])
    if encoder == "pretrained":
        words = [word for tree in read_trees(large_treebank[0]) for word in tree.words]
        folder = make_encoder(tmp_path / "encoder", words)
        changes = merge_tables(changes, {"network": {"pretrained": {"folder": str(folder)}}})
    events: list[Event] = []
    result = train(small_config(*large_treebank, **changes), tmp_path / "run", device="cpu", watch=events.append)
    assert result.best_score > 95
    assert not result.interrupted

    # What was kept is what was scored, and it says so itself.
    gold = list(read_trees(large_treebank[1]))
    model = load_model(result.best)
    splits = splits_of(gold)
    score = score_parses(gold, parse_examples(model, model.featurizer(splits), splits))
    assert score.f1 == pytest.approx(result.best_score)
    tags = parse_examples(model, model.featurizer(splits), splits, predicted_tags=True)
    right = sum(one == two for a, b in zip(tags, splits, strict=True) for one, two in zip(a.tags, b.tags, strict=True))
    assert right / sum(len(sentence.words) for sentence in splits) > 0.95

    losses = [event.loss for event in events if event.kind == "step"]
    assert losses[-1] < 0.2 * losses[0]


def test_a_run_leaves_metrics_tensorboard_files_and_a_picture(treebank: Treebank, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    events: list[Event] = []
    config = small_config(*treebank, epochs=6, batch={"tokens": 100})
    result = train(config, folder, device="cpu", watch=events.append)
    assert sorted(path.name for path in folder.iterdir()) == [
        "best",
        "config.toml",
        "curves.png",
        "last",
        "metrics.jsonl",
        "tensorboard",
    ]
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "curves.png").stat().st_size > 5000
    assert any((folder / "tensorboard").iterdir())
    metrics = metrics_of(folder)
    steps = [event for event in metrics if event["kind"] == "step"]
    assert [event["step"] for event in steps] == [1, *range(20, result.steps + 1, 20)]
    assert all(event["loss"] > 0 and event["rate"] > 0 and event["sentences_per_second"] > 0 for event in steps)
    evaluations = [event for event in metrics if event["kind"] == "evaluation"]
    assert [event["epoch"] for event in evaluations] == [1, 2, 3, 4, 5, 6]
    assert all(set(event["scores"]) == {"generated", "mean"} for event in evaluations)
    assert max(event["scores"]["mean"] for event in evaluations) == result.best_score
    assert metrics[-1] == merge_tables(metrics[-1], {"kind": "end", "step": result.steps, "text": "finished"})
    reported = [(event.kind, event.step) for event in events]
    assert {(event["kind"], event["step"]) for event in metrics} <= set(reported)
    assert reported[:2] == [("plan", 0), ("warning", 0)]  # for who watches; the log would have them again on resume


def test_the_shortest_run_reports_its_first_step_and_has_a_picture(treebank: Treebank, tmp_path: Path) -> None:
    train(small_config(treebank[0], epochs=1, optimizer={"warm_up_steps": 1}), tmp_path / "run", device="cpu")
    assert [event["kind"] for event in metrics_of(tmp_path / "run")] == ["step", "end"]
    assert (tmp_path / "run" / "curves.png").exists()


def test_the_reported_loss_is_a_mean_whatever_an_epochs_length(treebank: Treebank, tmp_path: Path) -> None:
    # With next to no rate the loss stays what it is at the start, in every report, also where epochs end in between.
    config = small_config(*treebank, epochs=12, batch={"tokens": 120}, optimizer={"rate": 1e-12}, evaluate_every=12)
    train(config, tmp_path / "run", device="cpu")
    events = [event for event in metrics_of(tmp_path / "run") if event["kind"] == "step"]
    losses = [event["loss"] for event in events]
    assert len(losses) >= 4
    assert max(losses) < 1.25 * min(losses)


def test_one_seed_gives_one_run_and_another_seed_another(treebank: Treebank, tmp_path: Path) -> None:
    weights = []
    for number, seed in enumerate((1, 1, 2)):
        folder = tmp_path / str(number)
        torch.manual_seed(number)  # what happened before must not matter
        train(small_config(*treebank, seed=seed, epochs=1, network={"scorer": {"dropout": 0.3}}), folder, device="cpu")
        weights.append((folder / "last" / "weights.safetensors").read_bytes())
    assert weights[0] == weights[1]
    assert weights[0] != weights[2]


def test_without_dev_trees_the_last_model_is_the_best(treebank: Treebank, tmp_path: Path) -> None:
    result = train(small_config(treebank[0]), tmp_path / "run", device="cpu")
    assert result.best_score == 0
    best, last = (tmp_path / "run" / name / "weights.safetensors" for name in ("best", "last"))
    assert best.read_bytes() == last.read_bytes()


def test_several_treebanks_are_mixed_and_scored_apart(treebank: Treebank, tmp_path: Path) -> None:
    other = generate_treebank(tmp_path / "other", train=10, dev=4, seed=9)
    config = small_config(*treebank, batch={"tokens": 300, "sentences": 1})
    one = config.treebanks[0]
    two = replace(one, name="other", train=str(other[0]), dev=str(other[1]), weight=2.5)
    config = replace(config, treebanks=(one, two), epochs=1)
    result = train(config, tmp_path / "run", device="cpu")
    assert result.steps == 60 + 25  # a batch for each sentence
    (scores,) = [event["scores"] for event in metrics_of(tmp_path / "run") if event["kind"] == "evaluation"]
    assert set(scores) == {"generated", "other", "mean"}
    assert scores["mean"] == pytest.approx((scores["generated"] + scores["other"]) / 2)


def test_treebank_vectors_tell_treebanks_apart_that_annotate_differently(tmp_path: Path) -> None:
    one = generate_treebank(tmp_path / "one", train=300, dev=40)
    other = generate_treebank(tmp_path / "other", train=300, dev=40)
    for path in other:
        path.write_text(path.read_text().replace("(NP ", "(NX ").replace("(VP ", "(VX "))
    scores = {}
    for told in (True, False):
        changes = merge_tables(WIDER, {"network": {"treebank_vectors": told}, "optimizer": {"rate": 5e-3}})
        config = small_config(*one, epochs=6, evaluate_every=6, **changes)
        second = replace(config.treebanks[0], name="other", train=str(other[0]), dev=str(other[1]))
        config = replace(config, treebanks=(*config.treebanks, second))
        scores[told] = train(config, tmp_path / str(told), device="cpu").best_score
    assert scores[True] > 90
    assert scores[False] < 75  # the same words have two trees, and it cannot know which is wanted


def test_long_sentences_can_be_left_out_of_training(treebank: Treebank, tmp_path: Path) -> None:
    config = small_config(*treebank, batch={"sentences": 1, "max_words": 6}, epochs=1)
    short = sum(len(tree.words) <= 6 for tree in read_trees(treebank[0]))
    assert train(config, tmp_path / "run", device="cpu").steps == short


def test_averaged_weights_are_evaluated_and_kept(treebank: Treebank, tmp_path: Path) -> None:
    train(small_config(*treebank, averaging=0.95, epochs=3), tmp_path / "run", device="cpu")
    best = load_model(tmp_path / "run" / "best").network.state_dict()
    last = load_model(tmp_path / "run" / "last").network.state_dict()
    assert not all(best[name].equal(last[name]) for name in best)


def test_training_stops_when_the_dev_score_does_not_rise(treebank: Treebank, tmp_path: Path) -> None:
    config = small_config(*treebank, optimizer={"rate": 1e-12}, patience=2, epochs=50)
    result = train(config, tmp_path / "run", device="cpu")
    assert len([event for event in metrics_of(tmp_path / "run") if event["kind"] == "evaluation"]) == 3
    assert not result.interrupted


def test_a_time_limit_ends_the_run_and_its_schedule(
    treebank: Treebank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count()  # a hundredth of a second passes each time that somebody looks
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: next(clock) / 100))
    config = small_config(*treebank, max_minutes=0.02, epochs=100_000, batch={"tokens": 100}, evaluate_every=1000)
    result = train(config, tmp_path / "run", device="cpu")
    assert not result.interrupted
    assert json.loads((tmp_path / "run" / "last" / "progress.json").read_text())["finished"]
    rates = [event["rate"] for event in metrics_of(tmp_path / "run") if event["kind"] == "step"]
    assert rates[-1] < 0.5 * rates[0]  # the linear decay aims at the end of the time, not of the epochs
    assert any(event["kind"] == "evaluation" for event in metrics_of(tmp_path / "run"))


def test_training_in_bf16_learns_what_fp32_does(treebank: Treebank, tmp_path: Path) -> None:
    losses = {}
    for precision in ("fp32", "bf16"):
        folder = tmp_path / precision
        train(small_config(*treebank, precision=precision, epochs=8, batch={"tokens": 100}), folder, device="cpu")
        losses[precision] = [event["loss"] for event in metrics_of(folder) if event["kind"] == "step"]
    assert losses["bf16"] != losses["fp32"]
    assert losses["bf16"] == pytest.approx(losses["fp32"], rel=0.05)
    assert losses["bf16"][-1] < 0.8 * losses["bf16"][0]
    weights = load_model(tmp_path / "bf16" / "best").network.state_dict()
    assert all(value.dtype == torch.float32 for value in weights.values())


@pytest.mark.parametrize("kind", ["adam", "adamw"])
@pytest.mark.parametrize("decay", ["constant", "linear", "cosine", "plateau"])
def test_every_optimizer_and_schedule_trains(kind: str, decay: str, treebank: Treebank, tmp_path: Path) -> None:
    config = small_config(*treebank, optimizer={"kind": kind, "decay": decay, "plateau_patience": 0}, epochs=3)
    assert train(config, tmp_path / "run", device="cpu").steps > 0


def test_rates_rise_and_fall_as_they_should() -> None:
    config = OptimizerConfig(warm_up_steps=4, decay="linear")
    assert [rate_factor(config, step, 0.0) for step in range(4)] == [0.25, 0.5, 0.75, 1.0]
    assert rate_factor(config, 50, 0.75) == pytest.approx(0.25)
    assert rate_factor(config, 50, 1.5) == 0
    cosine = replace(config, decay="cosine")
    assert [rate_factor(cosine, 50, share) for share in (0.0, 0.5, 1.0)] == pytest.approx([1.0, 0.5, 0.0])
    for flat in ("constant", "plateau"):
        assert rate_factor(replace(config, decay=flat), 50, 0.9) == 1.0
    assert rate_factor(replace(config, warm_up_steps=0), 0, 0.0) == 1.0


def test_a_plateau_lowers_the_rate_after_its_patience() -> None:
    plateau = Plateau(OptimizerConfig(decay="plateau", plateau_patience=1, plateau_factor=0.5))
    factors = []
    for better in (True, False, False, False, False, True, False):
        plateau.saw(better=better)
        factors.append(plateau.factor)
    assert factors == [1.0, 1.0, 0.5, 0.5, 0.25, 0.25, 0.25]
    unused = Plateau(OptimizerConfig(decay="linear", plateau_patience=0))
    unused.saw(better=False)
    assert unused.factor == 1.0


def test_a_missing_treebank_is_an_error_that_names_it(treebank: Treebank, tmp_path: Path) -> None:
    config = small_config(tmp_path / "nowhere.txt", treebank[1])
    with pytest.raises(TrainingError, match=r"treebank 'generated': .*nowhere\.txt: cannot be read: No such file"):
        train(config, tmp_path / "run", device="cpu")
    config = small_config(treebank[0], tmp_path / "nowhere.txt")
    with pytest.raises(TrainingError, match=r"treebank 'generated': .*nowhere\.txt: cannot be read: No such file"):
        train(config, tmp_path / "run", device="cpu")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("place", ["train", "dev"])
def test_a_bad_tree_is_an_error_with_file_line_and_column(place: str, treebank: Treebank, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("(TOP (S (X one)))\n(TOP (S (X two)\n")
    config = small_config(bad, treebank[1]) if place == "train" else small_config(treebank[0], bad)
    with pytest.raises(TreeSyntaxError, match=r"bad\.txt:2:\d+: ") as caught:
        train(config, tmp_path / "run", device="cpu")
    assert "\n" not in str(caught.value)


def test_a_treebank_without_trees_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(TrainingError, match=r"empty\.txt: no trees to train on"):
        train(small_config(tmp_path / "empty.txt"), tmp_path / "run", device="cpu")


def test_a_dev_file_without_trees_is_an_error(treebank: Treebank, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(TrainingError, match=r"empty\.txt: no trees to score on"):
        train(small_config(treebank[0], tmp_path / "empty.txt"), tmp_path / "run", device="cpu")


def test_trees_that_are_named_and_missing_are_not_made_up_for_by_dependencies(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    one_word = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n"
    (tmp_path / "one.conllu").write_text(f"{one_word}\n")
    files = {"train": str(tmp_path / "empty.txt"), "train_dependencies": str(tmp_path / "one.conllu")}
    with pytest.raises(TrainingError, match=r"empty\.txt: no trees to train on"):
        train(small_config(tmp_path, treebanks=[{"name": "t", **files}]), tmp_path / "run", device="cpu")
    files.pop("train")
    config = small_config(tmp_path, treebanks=[{"name": "t", **files}], batch={"max_words": 1})
    assert len(load_data(config).treebanks[0].train) == 1
    (tmp_path / "one.conllu").write_text(f"{one_word}2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_\n\n")
    with pytest.raises(TrainingError, match=r"one\.conllu: no sentences to train on"):
        load_data(config)


@pytest.mark.parametrize("device", ["gpu", "cuda:99", "cpu:x"])
def test_an_unknown_device_is_an_error(device: str, treebank: Treebank, tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=f"device '{device}' cannot be used: .*; choose cpu, cuda or cuda:N"
    ) as caught:
        train(small_config(*treebank), tmp_path / "run", device=device)
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_made_is_an_error(treebank: Treebank, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="cannot be written: Not a directory"):
        train(small_config(*treebank), tmp_path / "file" / "run", device="cpu")


def test_a_sentence_of_ten_thousand_nested_constituents_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep.txt"
    trees = generate_trees(3, seed=1)
    path.write_text("".join(f"{tree}\n" for tree in trees) + "(S " * 10_000 + "(X x)" + ")" * 10_000 + "\n")
    assert train(small_config(path, epochs=1), tmp_path / "run", device="cpu").steps > 0
