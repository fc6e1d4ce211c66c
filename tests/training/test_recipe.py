from __future__ import annotations

import json
import math
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from generated_treebank import generate_treebank, generate_trees
from small_runs import small_config
from spanlin.config.recipe import load_recipe
from spanlin.config.training import config_to_toml
from spanlin.errors import CheckpointError, ConfigError, TrainingError
from spanlin.evaluation.score import score_trees
from spanlin.model_folder.folder import file_hash, open_folder
from spanlin.parser import Parser
from spanlin.training.recipe import BuiltModel, build_model, package_checkpoint, run_folder, train_run
from spanlin.trees.brackets import parse_tree, read_trees
from tiny_encoders import make_encoder

RECIPE = """
title = "A tiny parser"
description = "It parses what a small grammar says."
intended_use = "Tests."
licence = "Free for all."
weaknesses = ["It knows few words."]
teachers = ["teacher.toml"]
student = "student.toml"
trained_on = "Whatever runs the tests."

[dev]
generated = "{folder}/bank/dev.txt"
more = "{folder}/more/dev.txt"

[calibration]
generated = "{folder}/bank/dev.txt"

[[sources]]
name = "The grammar"
files = ["{folder}/bank", "{folder}/more", "{folder}/plain.txt"]
licence = "CC0"
about = "Made up."

[[sources]]
name = "The encoders"
files = ["{folder}/student-encoder", "{folder}/teacher-encoder"]
licence = "MIT"
"""


def pretrained(folder: Path, *, width: int) -> dict[str, Any]:
    return {
        "input": "pretrained",
        "pretrained": {"folder": str(folder)},
        "context": {"kind": "none", "width": width},
        "scorer": {"hidden_width": 48, "label_width": 48, "target": "both"},
    }


@pytest.fixture(scope="module")
def ingredients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe and everything that it names."""
    folder = tmp_path_factory.mktemp("ingredients")
    train, dev = generate_treebank(folder / "bank", train=500, dev=150)
    generate_treebank(folder / "more", train=1, dev=60, seed=9)
    words = {word for tree in generate_trees(300, seed=3) for word in tree.words}
    teacher_encoder = make_encoder(folder / "teacher-encoder", words, width=64, layers=1)
    student_encoder = make_encoder(folder / "student-encoder", words, width=32, layers=1)
    plain = folder / "plain.txt"
    plain.write_text("".join(" ".join(tree.words) + "\n" for tree in generate_trees(300, seed=77)))
    recipe = folder / "recipe"
    recipe.mkdir()
    shared: dict[str, Any] = {"optimizer": {"rate": 5e-3, "encoder_rate": 2e-3}, "evaluate_every": 50}
    teacher = small_config(train, dev, network=pretrained(teacher_encoder, width=64), epochs=6, seed=4, **shared)
    student = small_config(
        train,
        dev,
        network=pretrained(student_encoder, width=64),
        distillation={"teachers": ["to be replaced"], "unlabelled": [str(plain)], "tree_share": 0.3},
        epochs=6,
        seed=5,
        **shared,
    )
    (recipe / "teacher.toml").write_text(config_to_toml(teacher))
    (recipe / "student.toml").write_text(config_to_toml(student))
    (recipe / "recipe.toml").write_text(RECIPE.format(folder=folder))
    return folder


@pytest.fixture(scope="module")
def built(ingredients: Path) -> BuiltModel:
    return build_model(ingredients / "recipe", ingredients / "tiny", work=ingredients / "work", device="cpu")


@pytest.mark.slow
def test_a_recipe_makes_a_parser_that_parses_well(built: BuiltModel, ingredients: Path) -> None:
    gold = list(read_trees(ingredients / "bank" / "dev.txt"))
    predicted = list(Parser.load(built.folder).bracket_lines([tree.words for tree in gold]))
    score = score_trees(gold, map(parse_tree, predicted))
    assert score.f1 is not None
    assert score.f1 > 80
    # Here the tags of the parser, there the gold ones, decide what is punctuation.
    assert built.figures.treebanks[0].score.f1 == pytest.approx(score.f1, abs=0.5)
    accuracy = built.figures.treebanks[0].tagging_accuracy
    assert accuracy is not None
    assert accuracy > 90


@pytest.mark.slow
def test_a_packaged_parser_is_calibrated(built: BuiltModel) -> None:
    folder = open_folder(built.folder)
    assert folder.calibration == built.figures.calibration
    assert folder.precision == "int8"
    values = vars(folder.calibration).values()
    assert all(map(math.isfinite, values))
    for treebank in built.figures.treebanks:
        assert treebank.calibration_error < 0.1
        assert abs(treebank.confidence - treebank.precision) < 0.1


@pytest.mark.slow
def test_a_card_tells_scores_sources_and_sums(built: BuiltModel, ingredients: Path) -> None:
    card = (built.folder / "card.md").read_text()
    assert card.startswith("# A tiny parser\n\nIt parses what a small grammar says.\n")
    for treebank in built.figures.treebanks:
        assert f"| {treebank.name} | {len(treebank.score.sentences)} |" in card
        assert f"{treebank.score.f1:.2f} | " in card
        assert f"| {treebank.name} | {treebank.calibration_error:.4f} |" in card
    for name in ("bank/train.txt", "bank/dev.txt", "more/dev.txt", "plain.txt", "student-encoder/model.safetensors"):
        assert f"`{file_hash(ingredients / name)}`" in card
    for text in ("Free for all.", "- It knows few words.", "Licence: CC0. Made up.", "Licence: MIT.", "| NP | "):
        assert text in card
    assert re.search(r"\| `teacher\.toml` \| 4 \| \d+\.\d \|", card)  # minutes
    assert re.search(r"\| `student\.toml` \| 5 \| \d+\.\d \|", card)
    assert "fitted on generated (" in card


@pytest.mark.slow
def test_figures_are_kept_as_json(built: BuiltModel, ingredients: Path) -> None:
    assert built.figures_file == ingredients / "work" / "tiny-figures.json"
    figures = json.loads(built.figures_file.read_text())
    assert figures["treebanks"]["more"]["f1"] == built.figures.treebanks[1].score.f1
    assert figures["treebanks"]["more"]["by_label"]["NP"]["gold"] > 10
    assert {item["use"] for item in figures["inputs"]} == {
        "training",
        "distillation",
        "encoder",
        "dev, calibration",
        "dev",
    }
    assert figures["versions"].keys() >= {"spanlin", "python", "torch"}


@pytest.mark.slow
def test_a_second_build_uses_finished_runs_again(built: BuiltModel, ingredients: Path) -> None:
    weights = [
        ingredients / "work" / run / "best" / "weights.safetensors" for run in ("recipe-teacher", "recipe-student")
    ]
    before = [path.stat().st_mtime_ns for path in weights]
    again = build_model(ingredients / "recipe", ingredients / "again", work=ingredients / "work", device="cpu")
    assert [path.stat().st_mtime_ns for path in weights] == before
    graphs = [(folder / "graph.onnx").read_bytes() for folder in (built.folder, again.folder)]
    assert graphs[0] == graphs[1]
    assert again.figures.to_dict()["treebanks"] == built.figures.to_dict()["treebanks"]


@pytest.mark.slow
def test_each_run_keeps_its_minutes_and_steps(built: BuiltModel, ingredients: Path) -> None:
    for name, seed in (("teacher", 4), ("student", 5)):
        record = json.loads((ingredients / "work" / f"recipe-{name}.json").read_text())
        assert (record["config"], record["seed"], record["finished"]) == (f"{name}.toml", seed, True)
        assert record["minutes"] > 0
        assert record["steps"] > 10


@pytest.mark.slow
def test_a_build_does_not_use_a_run_of_another_configuration(built: BuiltModel, ingredients: Path) -> None:
    config = ingredients / "recipe" / "teacher.toml"
    text = config.read_text()
    config.write_text(text.replace("seed = 4", "seed = 6"))
    try:
        with pytest.raises(CheckpointError, match="the run was started with another value of seed"):
            build_model(ingredients / "recipe", ingredients / "other", work=ingredients / "work", device="cpu")
    finally:
        config.write_text(text)
    assert not (ingredients / "other").exists()


def changed(ingredients: Path, tmp_path: Path, old: str, new: str) -> Path:
    """A copy of the recipe with a change."""
    recipe = tmp_path / "recipe"
    recipe.mkdir()
    for path in (ingredients / "recipe").iterdir():
        text = path.read_text()
        if path.name == "recipe.toml":
            assert old in text
            text = text.replace(old, new)
        (recipe / path.name).write_text(text)
    return recipe


def test_an_input_without_a_source_is_an_error(ingredients: Path, tmp_path: Path) -> None:
    recipe = changed(ingredients, tmp_path, f', "{ingredients}/plain.txt"', "")
    with pytest.raises(ConfigError, match=r"no \[\[sources\]\] names .*plain.txt: add it with its licence"):
        package_checkpoint(tmp_path, recipe, tmp_path / "model", work=tmp_path)


def test_an_input_that_is_missing_is_an_error(ingredients: Path, tmp_path: Path) -> None:
    recipe = changed(ingredients, tmp_path, "more/dev.txt", "more/absent.txt")
    with pytest.raises(TrainingError, match=r"absent.txt: cannot be read: .*; a card has every input's sum"):
        package_checkpoint(tmp_path, recipe, tmp_path / "model", work=tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "A tiny parser"', "", "the key title is missing"),
        ('title = "A', 'folder = "x"\ntitle = "A', "unknown key folder"),
        ("[dev]", "[more]", "unknown key more"),
        (
            "[calibration]\ngenerated =",
            "[calibration]\ngenerated = 1\nother =",
            r"calibration\[0\].file must be of type",
        ),
        ("weaknesses", "dev = 3\nweaknesses", "not TOML"),
    ],
)
def test_a_mistake_in_a_recipe_is_an_error(ingredients: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"recipe.toml: {message}"):
        load_recipe(changed(ingredients, tmp_path, old, new))


def test_a_recipe_without_dev_files_is_an_error(tmp_path: Path) -> None:
    needed = 'title = "a"\ndescription = "b"\nintended_use = "c"\nlicence = "d"\nstudent = "e"\nsources = []\n'
    (tmp_path / "recipe.toml").write_text(needed)
    with pytest.raises(ConfigError, match=r"the table \[dev\] is empty"):
        load_recipe(tmp_path)
    (tmp_path / "recipe.toml").write_text(needed + "dev = 3\n")
    with pytest.raises(ConfigError, match="dev must be a table of names and files, got 3"):
        load_recipe(tmp_path)


def test_a_student_waits_for_its_teachers(ingredients: Path, tmp_path: Path) -> None:
    recipe = load_recipe(ingredients / "recipe")
    with pytest.raises(TrainingError, match="recipe-teacher: this teacher is not trained yet: train the"):
        train_run(recipe, recipe.student, work=tmp_path)


def test_recipes_that_name_one_configuration_share_its_run(ingredients: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shutil.copytree(ingredients / "recipe", tmp_path / "recipe")
    (other / "recipe.toml").write_text('base = "../recipe/recipe.toml"\nteachers = ["../recipe/teacher.toml"]\n')
    first, second = load_recipe(tmp_path / "recipe"), load_recipe(other)
    assert second.title == first.title
    assert run_folder(second, second.teachers[0], tmp_path) == run_folder(first, first.teachers[0], tmp_path)
    assert run_folder(second, second.student, tmp_path) != run_folder(first, first.student, tmp_path)


def test_a_folder_without_a_recipe_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"recipe\.toml: cannot be read"):
        load_recipe(tmp_path)


def test_the_recipes_of_this_project_are_whole() -> None:
    recipes = sorted((Path(__file__).parents[2] / "experiments" / "models").glob("*/recipe.toml"))
    assert recipes
    for path in recipes:
        recipe = load_recipe(path.parent)
        for name in (*recipe.teachers, recipe.student):
            config = recipe.config(name)
            for treebank in config.treebanks:
                for file in filter(None, (treebank.train, treebank.train_dependencies)):
                    assert recipe.source_of(file).licence
            for file in config.distillation.unlabelled:
                assert recipe.source_of(file).licence
        for item in (*recipe.dev, *recipe.calibration):
            assert recipe.source_of(item.file).licence
        assert recipe.calibration
