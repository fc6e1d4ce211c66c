from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import spanlin
from spanlin.cli.main import main


def package(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["package", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_pip_installs_the_wheel_and_its_model_is_found_by_name(tmp_path: Path) -> None:
    licence = tmp_path / "LICENSE"
    licence.write_text("Do as you like.\n", encoding="utf-8")
    status, out, error = package("en", "--name", "Mine", "--output", str(tmp_path / "dist"), "--licence", str(licence))
    wheel = tmp_path / "dist" / "spanlin_model_mine-0.1.0-py3-none-any.whl"
    assert (status, out.partition(": ")[0]) == (0, str(wheel))
    assert error == f"Next: pip install {wheel} && spanlin info mine\n"
    site = tmp_path / "site"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(site),
        str(wheel),
    ]
    subprocess.run([*command, "--disable-pip-version-check"], check=True, timeout=120)
    assert spanlin_there(site, "parse", "--model", "mine", "--text", "Dogs bark.") == (
        "(TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))\n"
    )
    found = json.loads(spanlin_there(site, "info", "mine", "--json"))
    assert (found["model"], found["package"]) == ("mine", "spanlin-model-mine 0.1.0")
    assert found["folder"] == str(site / "spanlin_model_mine" / "mine")
    listed = json.loads(spanlin_there(site, "info", "--json"))["installed"]
    packaged = [("en", spanlin.__version__), ("en-small", spanlin.__version__)]
    assert [(model["name"], model["version"]) for model in listed] == [*packaged, ("mine", "0.1.0")]
    here = f"spanlin {spanlin.__version__}"
    shown = f"all models     en ({here}), en-small ({here}), mine (spanlin-model-mine 0.1.0)\n"
    assert shown in spanlin_there(site, "info")


def spanlin_there(site: Path, *arguments: str) -> str:
    """What a command prints where packages of this folder are installed."""
    source = str(Path(spanlin.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([source, str(site)])}
    command = [sys.executable, "-m", "spanlin", *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", check=True, timeout=120
    ).stdout


def test_a_wheel_without_a_licence_says_so(tmp_path: Path) -> None:
    status, _, error = package("en", "--name", "mine", "--output", str(tmp_path))
    assert status == 0
    assert error.splitlines()[0] == "It has no licence; before you share it, give one with --licence."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["en", "--name", "../x"], "spanlin: '../x' cannot be a model's name: "),
        (["en", "--name", "x", "--version", "one"], "spanlin: 'one' is not a version as pip writes it: "),
        (["none", "--name", "x"], "spanlin: none: no such model; "),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    status, out, error = package(*arguments, "--output", str(tmp_path / "out"))
    assert (status, out) == (1, "")
    assert error.startswith(message)
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()
