from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from experiments.models.prune_encoder import main, words_of

from small_runs import small_config
from spanlin.config.recipe import load_recipe
from spanlin.config.training import config_to_toml
from spanlin.runtime.pieces import WordPieces
from tiny_encoders import make_encoder

RECIPE = """
title = "-"
description = "-"
intended_use = "-"
licence = "-"
student = "student.toml"
sources = []
dev = { bank = "dev.txt" }
"""


def make_recipe(folder: Path) -> Path:
    train, dev, plain = folder / "train.txt", folder / "dev.txt", folder / "plain.txt"
    train.write_text("(TOP (S (NP (NNS Dogs)) (VP (VBP bark))))\n" * 2)
    dev.write_text("(TOP (S (NP (NNS Zebras)) (VP (VBP bark))))\n")
    plain.write_text("Dogs sleep\n")
    distillation = {"teachers": ["none"], "unlabelled": [str(plain)]}
    (folder / "student.toml").write_text(config_to_toml(small_config(train, dev, distillation=distillation)))
    (folder / "recipe.toml").write_text(RECIPE)
    return folder


def test_words_of_trees_and_plain_text_count_and_those_of_dev_sets_do_not(tmp_path: Path) -> None:
    assert words_of(load_recipe(make_recipe(tmp_path))) == {"Dogs": 3, "bark": 2, "sleep": 1}


def test_the_command_writes_an_encoder_and_says_how_many_words_are_split_as_before(tmp_path: Path) -> None:
    encoder = make_encoder(tmp_path / "encoder", ["Dogs", "bark", "sleep"], width=8, layers=1)
    given = [str(make_recipe(tmp_path)), str(encoder), str(tmp_path / "small"), "--pieces", "500"]
    result = CliRunner().invoke(main, given)
    assert result.exit_code == 0, result.output
    assert "100.00 % of words are split as before" in result.output
    assert len(WordPieces.from_folder(tmp_path / "small")("bark")) == len(WordPieces.from_folder(encoder)("bark"))


def test_a_mistake_is_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [str(make_recipe(tmp_path)), str(tmp_path), str(tmp_path / "a"), "--pieces", "9"])
    assert result.exit_code == 1
    assert "config.json: cannot be read" in result.output
