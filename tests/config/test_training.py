from __future__ import annotations

import dataclasses
import typing
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.config.table import config_from_table
from spanlin.config.training import TrainingConfig, config_to_toml, load_config, load_saved_config
from spanlin.errors import ConfigError

MINIMAL = '[[treebanks]]\nname = "t"\ntrain = "train.txt"\n'


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(text, encoding="utf-8")
    return path


def tables_of(kind: type[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Strategy of tables for a configuration dataclass, with any of its keys, of the right types."""
    fields = {}
    hints = typing.get_type_hints(kind)
    for item in dataclasses.fields(kind):
        fields[item.name] = values_of(hints[item.name])
    return st.fixed_dictionaries({}, optional=fields)


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    if dataclasses.is_dataclass(hint):
        return tables_of(typing.cast(type[Any], hint))
    if typing.get_origin(hint) is Literal:
        return st.sampled_from(typing.get_args(hint))
    if typing.get_origin(hint) is tuple:
        first, *others = typing.get_args(hint)
        if others == [Ellipsis]:
            return st.lists(values_of(first), max_size=2)
        return st.tuples(*map(values_of, (first, *others))).map(list)
    return {
        bool: st.booleans(),
        int: st.integers(0, 40).map(lambda number: number * 4),
        float: st.floats(0, 0.99) | st.just(0),
        str: st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    }[hint]


@given(tables_of(TrainingConfig))
def test_a_configuration_comes_back_from_its_toml(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, Any]
) -> None:
    for treebank in (treebanks := table.setdefault("treebanks", []) or [{}]):
        treebank |= {"name": treebank.get("name", "x"), "train": treebank.get("train", "y")}
    table["treebanks"] = treebanks
    try:
        config = config_from_table(TrainingConfig, table)
    except ConfigError:
        return  # keys that contradict each other; what they say is tested below
    path = write(tmp_path_factory.mktemp("config"), config_to_toml(config))
    assert load_config(path) == config


@pytest.mark.parametrize("name", ['"', "\\", "\n", "\x7f", "\x00", "é", "😀", "[x]", "a = 1"])
def test_any_name_survives_toml(name: str, tmp_path: Path) -> None:
    config = config_from_table(TrainingConfig, {"treebanks": [{"name": name, "train": name}]})
    assert load_config(write(tmp_path, config_to_toml(config))) == config


def test_defaults_fill_in_and_whole_numbers_pass_for_floats(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, "averaging = 0\n" + MINIMAL + "weight = 2\n"))
    assert config.treebanks[0].weight == 2.0
    assert isinstance(config.averaging, float)
    assert (config.network.scorer.target, config.network.scorer.separate_boundaries) == ("both", False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[batch]\ntoken = 3\n", r"unknown key batch\.token; known here: accumulate, .*tokens"),
        ("epoch = 3\n" + MINIMAL, "unknown key epoch; known here: "),
        ("[network.scorer]\nfoo = 1\n", r"unknown key network\.scorer\.foo; known here: "),
        ("[[treebanks]]\nname = 't'\ntrain = 'x'\nweigth = 1\n", r"unknown key treebanks\[0\]\.weigth"),
        ('epochs = "3"\n' + MINIMAL, "epochs must be of type int, got '3'"),
        ("epochs = true\n" + MINIMAL, "epochs must be of type int, got True"),
        ("epochs = 1.5\n" + MINIMAL, "epochs must be of type int, got 1.5"),
        ("averaging = true\n" + MINIMAL, "averaging must be of type float, got True"),
        ("network = 3\n" + MINIMAL, "network must be a table, got 3"),
        ("treebanks = 3\n", "treebanks must be a list, got 3"),
        ("[optimizer]\nbetas = [0.9]\n", r"optimizer\.betas must have 2 items, got 1"),
        ('precision = "fp16"\n' + MINIMAL, "precision must be one of 'fp32', 'bf16', got 'fp16'"),
        ("", "the key treebanks is missing"),
        ("treebanks = []\n", r"no \[\[treebanks\]\]: name at least one with its train file"),
        (
            '[[treebanks]]\nname = "t"\n',
            r"treebank 't': nothing to train on: give it train, train_dependencies or both",
        ),
        (MINIMAL + MINIMAL, r"two \[\[treebanks\]\] have the name 't': give each its own"),
        (MINIMAL.replace('"t"', '"mean"'), "a treebank has the name 'mean', which the mean of all dev scores has"),
        ('[[treebanks]]\nname = "t"\ntrain = "x"\nweight = 0\n', "treebank 't': weight must be positive, got 0.0"),
        ("[optimizer]\nrate = 0.0\n" + MINIMAL, "optimizer.rate must be positive"),
        ("[batch]\naccumulate = 0\n" + MINIMAL, r"batch\.accumulate must be at least 1, got 0"),
        ("[distillation]\ntree_share = 1.5\n" + MINIMAL, r"distillation\.tree_share must be in \[0, 1\], got 1.5"),
        ('[distillation]\nunlabelled = ["x"]\n' + MINIMAL, r"distillation\.unlabelled needs distillation\.teachers"),
        ("epochs = -1\n" + MINIMAL, "epochs and evaluate_every must not be negative"),
        ("[optimizer]\nwarm_up_steps = -1\n" + MINIMAL, r"optimizer\.warm_up_steps must not be negative, got -1"),
        ("[batch]\ntokens = -1\n" + MINIMAL, r"batch\.tokens must be at least 0, got -1"),
        ("averaging = 1.0\n" + MINIMAL, r"averaging must be in \[0, 1\), got 1.0"),
        ("seed = -1\n" + MINIMAL, "seed must be in 0..4294967295, got -1"),
        (f"seed = {2**32}\n" + MINIMAL, "seed must be in 0..4294967295, got 4294967296"),
        (
            '[distillation]\nteachers = ["t"]\n[network.scorer]\ntarget = "left"\nnormalization = "span"\n' + MINIMAL,
            r"distillation\.teachers needs network\.scorer\.normalization = 'right-boundary', .* got 'span'",
        ),
        ("[network.lexical]\ndropout = 1.0\n" + MINIMAL, r"network\.lexical\.dropout must be in \[0, 1\), got 1.0"),
        (
            "[network.lexical]\nword_width = 0\nchar_width = 0\n" + MINIMAL,
            r"network\.lexical: every part is off; give word_width or char_width a size",
        ),
        ("[network.lexical]\nchar_width = 5\n" + MINIMAL, r"network\.lexical\.char_width must be even .*, got 5"),
        ("[network.lexical]\nunknown_z = -1.0\n" + MINIMAL, r"network\.lexical\.unknown_z must not be negative"),
        ("[network.pretrained]\ndropout = -0.1\n" + MINIMAL, r"network\.pretrained\.dropout must be in"),
        ('[network]\ninput = "pretrained"\n' + MINIMAL, r"network\.pretrained\.folder is missing"),
        ("[network.context]\nwidth = 6\n" + MINIMAL, r"network\.context\.width must be a multiple of 4, got 6"),
        ("[network.context]\nhead_width = 7\n" + MINIMAL, r"network\.context\.head_width must be even .*, got 7"),
        ("[network.context]\nwidth = -4\n" + MINIMAL, r"network\.context\.width must be a multiple of 4, got -4"),
        ("[network.context]\nlayers = -1\n" + MINIMAL, r"network\.context\.layers must not be negative, got -1"),
        (
            '[network.context]\nkind = "none"\n' + MINIMAL,
            r"network\.context\.kind = 'none' goes with input = 'pretrained'",
        ),
        (
            '[network.scorer]\nnormalization = "span"\ntarget = "both"\n' + MINIMAL,
            r"network\.scorer: normalization = 'span' has no direction; set target = 'left'",
        ),
        ("[network.loss]\nlabel_smoothing = 1.0\n" + MINIMAL, r"network\.loss\.label_smoothing must be in"),
        ("a = = 3", "not TOML: "),
    ],
)
def test_a_wrong_configuration_is_an_error_that_names_the_file_and_the_key(
    text: str, message: str, tmp_path: Path
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.toml: cannot be read: No such file"):
        load_config(tmp_path / "nothing.toml")


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not TOML"):
        load_config(path)


def test_a_file_changes_keys_of_its_base(tmp_path: Path) -> None:
    (tmp_path / "bases").mkdir()
    (tmp_path / "bases" / "first.toml").write_text(
        "epochs = 3\nseed = 5\n[network.scorer]\nhidden_width = 8\nlabel_width = 16\n" + MINIMAL, encoding="utf-8"
    )
    (tmp_path / "bases" / "second.toml").write_text('base = "first.toml"\nepochs = 4\n', encoding="utf-8")
    config = load_config(write(tmp_path, 'base = "bases/second.toml"\n[network.scorer]\nhidden_width = 12\n'))
    assert (config.epochs, config.seed) == (4, 5)
    assert (config.network.scorer.hidden_width, config.network.scorer.label_width) == (12, 16)
    assert [treebank.name for treebank in config.treebanks] == ["t"]
    assert "base" not in config_to_toml(config)


def test_a_list_of_the_base_is_replaced_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "first.toml").write_text(MINIMAL + MINIMAL.replace('"t"', '"u"'), encoding="utf-8")
    config = load_config(write(tmp_path, 'base = "first.toml"\n' + MINIMAL.replace('"t"', '"v"')))
    assert [treebank.name for treebank in config.treebanks] == ["v"]


@pytest.mark.parametrize(
    ("text", "other", "message"),
    [
        ('base = "run.toml"\n' + MINIMAL, "", r"its bases form a circle: run\.toml comes up twice"),
        ('base = "other.toml"\n', 'base = "./run.toml"\n', r"its bases form a circle: run\.toml comes up twice"),
        ('base = "nothing.toml"\n', "", r"its base .*nothing\.toml: cannot be read: No such file"),
        ('base = "."\n', "", r"its base .*: cannot be read: Is a directory"),
        ('base = "other.toml"\n', "a = = 3", r"its base .*other\.toml: not TOML"),
        ('base = "other.toml"\n' + MINIMAL, "epoch = 3\n", "unknown key epoch; known here: "),
        ("base = 3\n" + MINIMAL, "", "base must be the path of another configuration, got 3"),
        ('base = ""\n' + MINIMAL, "", "base must be the path of another configuration, got ''"),
        ('base = "\\u0000"\n' + MINIMAL, "", r"base must be the path of another configuration, got '\\x00'"),
        ('base = "a\\nb"\n' + MINIMAL, "", r"base must be the path of another configuration, got 'a\\nb'"),
        (f'base = "{"a" * 300}"\n' + MINIMAL, "", "base must be the path of another configuration, got 'aaa"),
    ],
)
def test_a_wrong_base_is_an_error_that_names_the_file(text: str, other: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(other, encoding="utf-8")
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_saved_configuration_has_no_base(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(MINIMAL, encoding="utf-8")
    with pytest.raises(ConfigError, match="unknown key base"):
        load_saved_config(write(tmp_path, 'base = "other.toml"\n'))
