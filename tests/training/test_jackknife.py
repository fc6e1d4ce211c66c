from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch

from generated_treebank import generate_treebank, generate_trees
from spanlin.config.network import ContextConfig, LexicalConfig, LossConfig, NetworkConfig, ScorerConfig
from spanlin.config.training import BatchConfig, DistillationConfig, OptimizerConfig, TrainingConfig, TreebankConfig
from spanlin.errors import CheckpointError, ConfigError, SpanlinError, TrainingError, TreeError
from spanlin.training import jackknife
from spanlin.training.checkpoint import load_model, new_model, save_model
from spanlin.training.jackknife import JackknifeResult, jackknife_tags, with_tags
from spanlin.training.loop import TrainingResult
from spanlin.training.metrics import Event
from spanlin.training.vocabulary import build_vocabularies
from spanlin.trees.brackets import read_trees
from spanlin.trees.labelled import labelled_splits

torch.set_num_threads(1)


@pytest.fixture
def config(tmp_path: Path) -> TrainingConfig:
    train_file, dev_file = generate_treebank(tmp_path / "data", train=61, dev=15)
    return TrainingConfig(
        treebanks=(TreebankConfig(name="toy", train=str(train_file), dev=str(dev_file), weight=2.0),),
        network=NetworkConfig(
            lexical=LexicalConfig(word_width=16, char_width=0, tag_width=8, dropout=0.1),
            context=ContextConfig(width=32, layers=1, dropout=0.1),
            scorer=ScorerConfig(hidden_width=16, label_width=16, dropout=0.1, tag_head=False),
        ),
        optimizer=OptimizerConfig(rate=1e-2, warm_up_steps=2),
        batch=BatchConfig(tokens=60),
        epochs=2,
    )


class FakeTraining:
    """Stands in for `train`: keeps what it was asked for, saves an untrained model, and may stop at a certain run."""

    def __init__(self) -> None:
        self.runs: list[tuple[TrainingConfig, bool]] = []
        self.train_files: list[list[str]] = []
        self.fail_at = self.interrupt_at = 0

    def __call__(self, config: TrainingConfig, folder: Path, *, resume: bool, **options: Any) -> TrainingResult:
        self.runs.append((config, resume))
        (treebank,) = config.treebanks
        self.train_files.append([str(tree) for tree in read_trees(treebank.train)])
        interrupted = len(self.runs) == self.interrupt_at
        for name in ("last",) if interrupted else ("last", "best"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            sentences = map(labelled_splits, read_trees(treebank.train))
            save_model(folder / name, new_model(config, build_vocabularies(sentences, min_word_count=1)))
        if len(self.runs) == self.fail_at:
            raise TrainingError("the power went off")
        return TrainingResult(best=folder / "best", best_score=0.0, steps=1, interrupted=interrupted)


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> FakeTraining:
    fake = FakeTraining()
    monkeypatch.setattr(jackknife, "train", fake)
    return fake


def lines(path: Path | str) -> list[str]:
    return [str(tree) for tree in read_trees(path)]


@pytest.mark.parametrize("folds", [2, 7, 10])
def test_each_fold_is_tagged_by_a_model_that_has_not_seen_it(
    config: TrainingConfig, training: FakeTraining, tmp_path: Path, folds: int
) -> None:
    gold = lines(config.treebanks[0].train)
    (tagged,) = jackknife_tags(config, tmp_path / "tags", folds=folds, device="cpu").treebanks
    assert len(training.train_files) == folds + 1
    assert training.train_files[-1] == gold
    start = 0
    for trained_on, fold in zip(training.train_files, tagged.folds, strict=False):
        size = len(lines(fold.path))
        assert trained_on == gold[:start] + gold[start + size :]
        assert abs(size - len(gold) / folds) < 1
        start += size
    assert start == len(gold)


def test_files_differ_from_the_gold_ones_in_their_tags_alone(
    config: TrainingConfig, training: FakeTraining, tmp_path: Path
) -> None:
    (tagged,) = jackknife_tags(config, tmp_path / "tags", folds=3, device="cpu").treebanks
    assert tagged.dev is not None
    for file, source in ((tagged.train, config.treebanks[0].train), (tagged.dev, config.treebanks[0].dev)):
        gold, found = list(read_trees(source)), list(read_trees(file.path))
        assert [with_tags(one, two.tags) for one, two in zip(found, gold, strict=True)] == gold
        pairs = [pair for one, two in zip(gold, found, strict=True) for pair in zip(one.tags, two.tags, strict=True)]
        assert (file.word_count, file.correct) == (len(pairs), sum(one == two for one, two in pairs))
        assert file.accuracy < 60
    assert sum(fold.correct for fold in tagged.folds) == tagged.train.correct
    assert tagged.train.path == tmp_path / "tags" / "toy" / "train.txt"


def test_taggers_read_no_tags_give_some_and_are_otherwise_as_configured(
    config: TrainingConfig, training: FakeTraining, tmp_path: Path
) -> None:
    config = dataclasses.replace(config, distillation=DistillationConfig(teachers=("anywhere",)))
    jackknife_tags(config, tmp_path / "tags", folds=2, device="cpu")
    lexical = dataclasses.replace(config.network.lexical, tag_width=0)
    scorer = dataclasses.replace(config.network.scorer, tag_head=True)
    wanted = dataclasses.replace(config.network, lexical=lexical, scorer=scorer)
    for used, resume in training.runs:
        assert not resume
        assert used.network == wanted
        assert used.distillation == DistillationConfig()
        assert (used.seed, used.epochs, used.optimizer, used.batch) == (
            config.seed,
            config.epochs,
            config.optimizer,
            config.batch,
        )
        assert used.treebanks[0].dev == config.treebanks[0].dev


def test_the_last_tagger_is_kept_and_the_others_are_not(
    config: TrainingConfig, training: FakeTraining, tmp_path: Path
) -> None:
    (tagged,) = jackknife_tags(config, tmp_path / "tags", folds=3, device="cpu").treebanks
    assert load_model(tagged.tagger).config.network.scorer.tag_head
    names = {str(path.relative_to(tmp_path / "tags" / "toy")) for path in (tmp_path / "tags" / "toy").glob("*")}
    assert names == {"train.txt", "dev.txt", "folds", "tagger", "jackknife.json"}
    assert [path.name for path in sorted((tmp_path / "tags/toy/folds").iterdir())] == ["01.txt", "02.txt", "03.txt"]


def test_what_is_done_is_not_done_again(config: TrainingConfig, training: FakeTraining, tmp_path: Path) -> None:
    training.fail_at = 3
    with pytest.raises(TrainingError, match="the power went off"):
        jackknife_tags(config, tmp_path / "tags", folds=4, device="cpu")
    first = (tmp_path / "tags/toy/folds/01.txt").stat().st_mtime_ns
    assert not (tmp_path / "tags/toy/train.txt").exists()
    result = jackknife_tags(config, tmp_path / "tags", folds=4, device="cpu")
    assert [resume for _, resume in training.runs] == [False, False, False, True, False, False]
    assert training.train_files[2] == training.train_files[3]
    assert (tmp_path / "tags/toy/folds/01.txt").stat().st_mtime_ns == first
    assert jackknife_tags(config, tmp_path / "tags", folds=4, device="cpu") == result
    assert len(training.runs) == 6


def test_an_interrupted_training_is_resumed(config: TrainingConfig, training: FakeTraining, tmp_path: Path) -> None:
    training.interrupt_at = 2
    result = jackknife_tags(config, tmp_path / "tags", folds=2, device="cpu")
    assert result == JackknifeResult(treebanks=(), interrupted=True)
    result = jackknife_tags(config, tmp_path / "tags", folds=2, device="cpu")
    assert not result.interrupted
    assert [resume for _, resume in training.runs] == [False, False, True, False]


def test_each_treebank_has_its_own_taggers(config: TrainingConfig, training: FakeTraining, tmp_path: Path) -> None:
    train_file, _ = generate_treebank(tmp_path / "more", train=20, dev=1, seed=5)
    both = (config.treebanks[0], TreebankConfig(name="more", train=str(train_file)))
    config = dataclasses.replace(config, treebanks=both)
    toy, more = jackknife_tags(config, tmp_path / "tags", folds=2, device="cpu").treebanks
    assert [len(trained_on) for trained_on in training.train_files] == [31, 30, 61, 10, 10, 20]
    assert (toy.name, more.name, more.dev) == ("toy", "more", None)
    assert more.tagger.is_dir()
    (only,) = jackknife_tags(config, tmp_path / "other", folds=2, treebanks=["more"], device="cpu").treebanks
    assert only.name == "more"
    assert not (tmp_path / "other" / "toy").exists()


@pytest.mark.slow
def test_real_taggers_learn_and_a_killed_run_ends_with_the_same_files(config: TrainingConfig, tmp_path: Path) -> None:
    notes: list[str] = []
    steps = 0

    def watch(event: Event) -> None:
        nonlocal steps
        if event.kind == "note":
            notes.append(event.text)
        if event.kind == "saved":
            steps += 1
            if steps == 5:  # in the second fold
                raise KeyboardInterrupt

    config = dataclasses.replace(config, epochs=10, evaluate_every=5, save_every=20)
    whole = jackknife_tags(config, tmp_path / "whole", folds=2, device="cpu").treebanks[0]
    with pytest.raises(KeyboardInterrupt):
        jackknife_tags(config, tmp_path / "tags", folds=2, device="cpu", watch=watch)
    (tagged,) = jackknife_tags(config, tmp_path / "tags", folds=2, device="cpu", watch=watch).treebanks
    for name in ("folds/01.txt", "folds/02.txt", "train.txt", "dev.txt"):
        assert (tmp_path / "tags/toy" / name).read_text() == (tmp_path / "whole/toy" / name).read_text()
    assert tagged.train.accuracy == whole.train.accuracy
    tags = [tag for tree in read_trees(config.treebanks[0].train) for tag in tree.tags]
    most_frequent = max(map(tags.count, set(tags)))
    assert tagged.train.correct > 1.5 * most_frequent
    assert notes[:2] == ["toy: fold 1 of 2", f"toy: fold 1 of 2: {tagged.folds[0].accuracy:.2f}% of the tags right"]
    assert tagged.dev is not None
    assert notes[-2:] == [
        "toy: all folds, for the dev trees",
        f"toy: dev: {tagged.dev.accuracy:.2f}% of the tags right",
    ]


def test_with_tags_keeps_all_but_the_tags() -> None:
    for tree in generate_trees(20, seed=3):
        numbers = [str(number) for number in range(len(tree.words))]
        changed = with_tags(tree, numbers)
        assert (changed.words, list(changed.tags)) == (tree.words, numbers)
        assert list(changed.constituents()) == list(tree.constituents())


@pytest.mark.parametrize(
    ("change", "options", "error"),
    [
        ({}, {"folds": 1}, (ConfigError, "folds must be at least 2, got 1")),
        ({}, {"folds": 62}, (TrainingError, r"train\.txt: 61 trees cannot be cut into 62 folds")),
        ({}, {"treebanks": ["wsj"]}, (ConfigError, "no treebank 'wsj' in the configuration; it has toy")),
        ({"name": "a/b"}, {}, (ConfigError, "treebank 'a/b': its name must be usable as the name of a folder")),
        ({"name": ".."}, {}, (ConfigError, r"treebank '\.\.': its name must be usable as the name of a folder")),
        ({"train": "nowhere.txt"}, {}, (TreeError, r"nowhere\.txt: cannot be read")),
        ({"dev": "nowhere.txt"}, {}, (TreeError, r"nowhere\.txt: cannot be read")),
    ],
)
def test_the_users_mistakes_are_told(
    config: TrainingConfig,
    tmp_path: Path,
    change: dict[str, str],
    options: dict[str, Any],
    error: tuple[type[SpanlinError], str],
) -> None:
    kind, message = error
    treebank = dataclasses.replace(config.treebanks[0], **change)  # type: ignore[arg-type]
    config = dataclasses.replace(config, treebanks=(treebank,))
    with pytest.raises(kind, match=message):
        jackknife_tags(config, tmp_path / "tags", **options)
    assert not (tmp_path / "tags").exists()


def test_two_treebanks_of_one_name_are_an_error(config: TrainingConfig, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"two \[\[treebanks\]\] have the name 'toy': give each its own"):
        jackknife_tags(dataclasses.replace(config, treebanks=config.treebanks * 2), tmp_path / "tags")


def test_a_tag_weight_of_nothing_is_an_error(config: TrainingConfig, tmp_path: Path) -> None:
    network = dataclasses.replace(config.network, loss=LossConfig(tag_weight=0.0))
    with pytest.raises(ConfigError, match=r"network\.loss\.tag_weight is 0"):
        jackknife_tags(dataclasses.replace(config, network=network), tmp_path / "tags")


def test_several_processes_are_an_error(
    config: TrainingConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(TrainingError, match="tagging runs in one process"):
        jackknife_tags(config, tmp_path / "tags")


def test_a_folder_with_other_files_is_an_error(config: TrainingConfig, training: FakeTraining, tmp_path: Path) -> None:
    place = tmp_path / "tags" / "toy"
    place.mkdir(parents=True)
    (place / "train.txt").write_text("mine")
    with pytest.raises(CheckpointError, match=r"toy: holds train\.txt already, not tagged trees: choose another"):
        jackknife_tags(config, tmp_path / "tags", folds=2, device="cpu")
    assert [(path.name, path.read_text()) for path in place.iterdir()] == [("train.txt", "mine")]


@pytest.mark.parametrize("what", ["folds", "config", "trees"])
def test_a_folder_made_in_another_way_is_an_error(
    config: TrainingConfig, training: FakeTraining, tmp_path: Path, what: str
) -> None:
    jackknife_tags(config, tmp_path / "tags", folds=2, device="cpu")
    if what == "config":
        config = dataclasses.replace(config, seed=7)
    if what == "trees":
        path = Path(config.treebanks[0].train)
        path.write_text(path.read_text().replace("cat", "dog"))
    with pytest.raises(CheckpointError, match=r"toy: it holds tags of other trees, .*: choose another folder"):
        jackknife_tags(config, tmp_path / "tags", folds=3 if what == "folds" else 2, device="cpu")
    assert len(training.runs) == 3


def test_a_folder_that_cannot_be_made_is_an_error(config: TrainingConfig, tmp_path: Path) -> None:
    (tmp_path / "tags").write_text("a file")
    with pytest.raises(TrainingError, match="toy: cannot be written: Not a directory"):
        jackknife_tags(config, tmp_path / "tags")
