"""Models of installed packages; pip itself installs one in tests/cli/test_package.py."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spanlin.errors import CheckpointError
from spanlin.model_folder.installed import InstalledModel, find_installed, installed_models, is_model_name, normal_name
from spanlin.model_folder.lookup import find_model, named_models
from spanlin.parser import Parser

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Makes packages look installed. Their code must never run: it would fail."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def add(distribution: str, points: str, *, package: str = "", folder: str = "", version: str = "1.2") -> Path:
        info = site / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[spanlin.models]\n{points}\n")
        if package:
            (site / package / folder).mkdir(parents=True)
            (site / package / "__init__.py").write_text("raise RuntimeError('this package was imported')\n")
        return site / package / folder

    return add


def test_a_model_is_found_by_its_name_in_any_form_and_nothing_is_imported(install: Install) -> None:
    folder = install("other-models", "my-own = other_models", package="other_models", folder="my-own")
    for name in ("my-own", "My_Own", "my.own"):
        assert find_model(name) == folder
    assert "other_models" not in sys.modules
    assert find_installed("my-own") == InstalledModel(
        name="my-own", version="1.2", distribution="other-models", package="other_models"
    )
    assert [model.name for model in named_models()][-1] == "my-own"


def test_messages_name_the_installed_models_too(install: Install) -> None:
    install("other-models", "mine = other_models")
    with pytest.raises(
        CheckpointError, match=r"^your: no such model; give a model folder, or .* packaged: en, en-small, mine$"
    ):
        Parser.load("your")


def test_a_folder_of_the_same_name_needs_a_path(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = install("other-models", "mine = other_models", package="other_models", folder="mine")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert find_model("mine") == folder
    assert find_model("./mine") == Path("mine")
    assert find_model(Path("mine")) == Path("mine")


def test_no_package_can_stand_in_for_a_model_of_ours(install: Install) -> None:
    install("evil", "en = evil", package="evil", folder="en")
    assert find_model("en").parent.name == "models"
    assert [(model.name, model.distribution) for model in named_models()] == [
        ("en", "spanlin"),
        ("en-small", "spanlin"),
    ]


def test_two_packages_with_one_name_are_an_error_that_names_both(install: Install) -> None:
    install("a-models", "mine = a_models", package="a_models", folder="mine")
    install("b-models", "Mine = b_models", package="b_models", folder="mine")
    with pytest.raises(CheckpointError) as caught:
        find_model("mine")
    assert str(caught.value) == (
        "mine: the packages a-models and b-models announce a model of this name; pip uninstall one of them"
    )


@pytest.mark.parametrize("value", ["gone", "a.b", "../outside", "", "os", "__main__", "pytest:main", "x" * 10_000])
def test_a_broken_package_is_one_line_with_what_to_do(install: Install, value: str) -> None:
    install("broken", f"mine = {value}")
    with pytest.raises(CheckpointError) as caught:
        find_model("mine")
    assert str(caught.value) == (
        "mine: the package broken 1.2 announces this model but does not have it; "
        "install it again, or pip uninstall broken"
    )


def test_an_empty_folder_in_a_package_is_no_model(install: Install) -> None:
    install("empty", "mine = empty", package="empty", folder="mine")
    with pytest.raises(CheckpointError, match="no model here"):
        Parser.load("mine")


def test_odd_names_are_not_listed(install: Install) -> None:
    install("odd", "../x = odd\na\tb = odd\n-y = odd\n\N{KELVIN SIGN} = odd\ngood = odd")
    assert [model.name for model in installed_models()] == ["good"]


@pytest.mark.parametrize("name", ["", "-a", "a-", ".", "..", "a/b", "a b", "é", "\N{KELVIN SIGN}", "a\n", "a" * 63])
def test_what_is_not_a_name(name: str) -> None:
    assert not is_model_name(name)


def test_names_are_compared_as_pip_does() -> None:
    utils = pytest.importorskip("packaging.utils")
    for name in ("Mine", "my.own", "my__own", "a-._b", "9to5", "A"):
        assert is_model_name(name)
        assert normal_name(name) == utils.canonicalize_name(name, validate=True)
