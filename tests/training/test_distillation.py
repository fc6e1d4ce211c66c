from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from generated_treebank import generate_treebank, generate_trees
from small_runs import small_config, splits_of
from spanlin.config.training import TrainingConfig
from spanlin.errors import CheckpointError, TrainingError
from spanlin.network.loss import SoftTargets, soft_targets
from spanlin.training import lessons as lessons_module
from spanlin.training.batches import BatchMaker
from spanlin.training.checkpoint import load_model
from spanlin.training.examples import concatenate, without_tags
from spanlin.training.loop import train
from spanlin.training.parsing import parse_examples, score_parses
from spanlin.trees.brackets import read_trees, write_trees
from spanlin.trees.labelled import tree_from_splits
from tiny_encoders import make_encoder

WIDER: dict[str, Any] = {
    "network": {
        "lexical": {"word_width": 32, "char_width": 16},
        "context": {"width": 64},
        "scorer": {"hidden_width": 64, "label_width": 48},
    },
    "optimizer": {"rate": 5e-3},
    "batch": {"sentences": 24},
    "evaluate_every": 50,
}


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return generate_treebank(tmp_path_factory.mktemp("treebank"), train=500, dev=60)


@pytest.fixture(scope="module")
def teacher(treebank: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher that knows the grammar well."""
    config = small_config(*treebank, epochs=6, **WIDER | {"evaluate_every": 1})
    result = train(config, tmp_path_factory.mktemp("teacher") / "run", device="cpu")
    assert result.best_score > 90
    return result.best


@pytest.fixture(scope="module")
def second_teacher(treebank: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another teacher with the same labels, of another kind and less sure."""
    config = small_config(*treebank, epochs=2, seed=2, network={"context": {"kind": "transformer"}})
    return train(config, tmp_path_factory.mktemp("teacher") / "run", device="cpu").best


@pytest.fixture(scope="module")
def unlabelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("unlabelled") / "plain.txt"
    path.write_text("".join(" ".join(tree.words) + "\n" for tree in generate_trees(400, seed=77)))
    return path


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """A treebank that is too small to learn from."""
    return generate_treebank(tmp_path / "few", train=12, dev=1, seed=1)[0]


def losses_of(folder: Path) -> list[float]:
    events = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [event["loss"] for event in events if event["kind"] == "step"]


def distilled(config: TrainingConfig, teachers: list[Path], **changes: Any) -> TrainingConfig:
    return replace(config, distillation=replace(config.distillation, teachers=tuple(map(str, teachers)), **changes))


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_distillation_lowers_the_loss(
    *,
    count: int,
    plain: bool,
    share: float,
    teacher: Path,
    second_teacher: Path,
    unlabelled: Path,
    few: Path,
    tmp_path: Path,
) -> None:
    config = small_config(
        few, batch={"sentences": 4}, optimizer={"rate": 1e-2}, epochs=2 if plain else 30, evaluate_every=50
    )
    teachers = [teacher, second_teacher][:count]
    extra: dict[str, Any] = {"unlabelled": (str(unlabelled),), "unlabelled_weight": 0.3} if plain else {}
    train(distilled(config, teachers, tree_share=share, **extra), tmp_path / "run", device="cpu")
    losses = losses_of(tmp_path / "run")
    assert len(losses) >= 2
    assert losses[-1] < 0.9 * losses[0]


def test_a_student_learns_from_a_teacher_and_plain_text_to_parse_like_it(
    teacher: Path, unlabelled: Path, few: Path, treebank: tuple[Path, Path], tmp_path: Path
) -> None:
    gold = list(read_trees(treebank[1]))
    splits = splits_of(gold)
    teaching = load_model(teacher)
    wanted = [tree_from_splits(parse) for parse in parse_examples(teaching, teaching.featurizer(splits), splits)]
    scores = {}
    for name in ("alone", "taught"):
        config = small_config(few, **WIDER, epochs=8, min_word_count=1)
        if name == "taught":
            config = distilled(config, [teacher], tree_share=0.0, unlabelled=(str(unlabelled),))
        result = train(config, tmp_path / name, device="cpu")
        model = load_model(result.best)
        scores[name] = score_parses(wanted, parse_examples(model, model.featurizer(splits), splits)).f1 or 0.0
    assert scores["taught"] > 85
    assert scores["taught"] > scores["alone"] + 10


def test_a_pretrained_teacher_can_teach_a_lexical_student(
    treebank: tuple[Path, Path], few: Path, tmp_path: Path
) -> None:
    words = [word for tree in read_trees(treebank[0]) for word in tree.words]
    folder = make_encoder(tmp_path / "encoder", words, width=16)
    network = {"input": "pretrained", "pretrained": {"folder": str(folder)}, "context": {"kind": "none"}}
    teacher = train(small_config(treebank[0], epochs=1, network=network), tmp_path / "teacher", device="cpu").best
    student = distilled(small_config(few, batch={"sentences": 4}, epochs=20), [teacher])
    train(student, tmp_path / "student", device="cpu")
    losses = losses_of(tmp_path / "student")
    assert losses[-1] < losses[0]


def test_a_distillation_resumes_exactly(teacher: Path, unlabelled: Path, few: Path, tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def stop(event: Any) -> None:
        if event.kind == "saved" and event.step >= 6:
            raise StopError

    config = small_config(few, batch={"sentences": 16}, epochs=1, save_every=3)
    config = distilled(config, [teacher], unlabelled=(str(unlabelled),), unlabelled_weight=0.4)
    train(config, tmp_path / "whole", device="cpu")
    with pytest.raises(StopError):
        train(config, tmp_path / "stopped", device="cpu", watch=stop)
    train(config, tmp_path / "stopped", device="cpu", resume=True)
    weights = [(tmp_path / run / "last" / "weights.safetensors").read_bytes() for run in ("whole", "stopped")]
    assert weights[0] == weights[1]


def test_the_students_labels_and_tags_are_the_teachers(teacher: Path, few: Path, tmp_path: Path) -> None:
    config = distilled(small_config(few, epochs=1), [teacher])
    student = load_model(train(config, tmp_path / "run", device="cpu").best)
    assert student.vocabularies.labels.items == load_model(teacher).vocabularies.labels.items
    assert student.vocabularies.tags.items == load_model(teacher).vocabularies.tags.items


def test_teachers_with_different_labels_are_an_error(teacher: Path, few: Path, tmp_path: Path) -> None:
    other_trees = tmp_path / "other.txt"
    write_trees([tree for tree in generate_trees(30, seed=5) if "SBAR" not in str(tree)], other_trees)
    other = train(small_config(other_trees, **WIDER, epochs=1), tmp_path / "other", device="cpu").best
    config = distilled(small_config(few, **WIDER), [teacher, other])
    with pytest.raises(
        CheckpointError, match="the teachers have different labels, tags or relations: they must share their treebanks"
    ):
        train(config, tmp_path / "run", device="cpu")


@pytest.mark.parametrize(
    "scorer",
    [{"target": "right"}, {"normalization": "none"}, {"normalization": "span", "target": "left"}],
    ids=["target", "none", "span"],
)
def test_a_teacher_of_something_else_is_an_error(scorer: dict[str, str], few: Path, tmp_path: Path) -> None:
    other = train(small_config(few, network={"scorer": scorer}, epochs=1), tmp_path / "other", device="cpu").best
    with pytest.raises(CheckpointError, match=r"best: a teacher with target .* cannot teach 'both' .*: they must"):
        train(distilled(small_config(few), [other]), tmp_path / "run", device="cpu")


def test_a_teacher_of_both_targets_can_teach_either(few: Path, tmp_path: Path) -> None:
    both = train(
        small_config(few, network={"scorer": {"target": "both"}}, epochs=1), tmp_path / "other", device="cpu"
    ).best
    for target in ("left", "right", "both"):
        config = distilled(small_config(few, network={"scorer": {"target": target}}, epochs=1), [both])
        assert train(config, tmp_path / target, device="cpu").steps > 0


def test_a_missing_teacher_is_an_error(few: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"nowhere: no such model; give a model folder, or one of the packaged"):
        train(distilled(small_config(few), [tmp_path / "nowhere"]), tmp_path / "run", device="cpu")


def test_a_damaged_teacher_is_an_error(teacher: Path, few: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(teacher, tmp_path / "teacher"))
    (copy / "vocabularies.json").unlink()
    with pytest.raises(CheckpointError, match=r"vocabularies\.json: cannot be read"):
        train(distilled(small_config(few), [copy]), tmp_path / "run", device="cpu")


def test_missing_plain_text_is_an_error(teacher: Path, few: Path, tmp_path: Path) -> None:
    config = distilled(small_config(few), [teacher], unlabelled=(str(tmp_path / "nowhere.txt"),))
    with pytest.raises(TrainingError, match=r"distillation\.unlabelled: .*nowhere\.txt: cannot be read: No such file"):
        train(config, tmp_path / "run", device="cpu")


class Asked:
    """Counts how often a teacher is asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0

        def counted(*args: Any, **keywords: Any) -> SoftTargets:
            self.count += 1
            return soft_targets(*args, **keywords)

        monkeypatch.setattr(lessons_module, "soft_targets", counted)


def test_a_teacher_is_asked_once_while_there_is_memory(
    teacher: Path, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config(few, batch={"sentences": 4}, epochs=5, evaluate_every=50)
    asked = Asked(monkeypatch)
    train(distilled(config, [teacher]), tmp_path / "remembered", device="cpu")
    assert asked.count == 3
    train(distilled(config, [teacher], memory_gib=0.0), tmp_path / "forgotten", device="cpu")
    assert asked.count == 3 + 3 * 5
    # Remembered or asked again, the answers are the same.
    weights = [load_model(tmp_path / name / "best").network.state_dict() for name in ("remembered", "forgotten")]
    for name, weight in weights[0].items():
        torch.testing.assert_close(weight, weights[1][name], rtol=0, atol=0)


def test_where_there_is_no_tree_the_teachers_best_one_is_taught(teacher: Path, unlabelled: Path) -> None:
    model = load_model(teacher)
    gold = splits_of(generate_trees(3, seed=5))
    plain = [without_tags(sentence.words) for sentence in splits_of(generate_trees(2, seed=6))]
    examples = concatenate([model.featurizer(gold), model.featurizer(plain, has_tree=False)])
    batch = BatchMaker(examples)(np.arange(5))
    assert batch.has_tree is not None
    soft = soft_targets([model.network], [batch], gold=batch.targets, has_tree=batch.has_tree)
    taught = soft.trees(batch)
    assert taught.targets is not None
    assert batch.targets is not None
    assert taught.has_tree is not None
    assert taught.has_tree.all()
    parse = model.network(batch)
    for row, count in enumerate(batch.lengths.tolist()):
        for name in ("split_lefts", "split_rights", "split_labels", "word_labels", "tags"):
            width = count - name.startswith("split")
            found = getattr(taught.targets, name)[row, :width]
            source = batch.targets if row < 3 else parse
            theirs = name if row < 3 else name.replace("split_lefts", "lefts").replace("split_rights", "rights")
            assert found.tolist() == getattr(source, theirs)[row, :width].tolist()
        assert (taught.targets.word_labels[row, count:] == -1).all()
        assert (taught.targets.split_labels[row, count - 1 :] == -1).all()
