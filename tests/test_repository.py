"""The files for people who come to the repository agree with each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import spanlin

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="not a checkout")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def readme_block(mark: str) -> list[str]:
    return read("README.md").partition(f"<!-- {mark} -->\n```sh\n")[2].partition("\n```")[0].splitlines()


def task(name: str) -> str:
    """Return the one line of a task in the Makefile."""
    (line,) = re.findall(rf"^{name}:  ## .+\n\t(.+)$", read("Makefile"), re.MULTILINE)
    return str(line)


def lint_commands() -> list[str]:
    lines = read(".ci/run").partition('echo "== lint"\n')[2].partition("  echo ")[0].splitlines()
    return [line.strip() for line in lines]


def test_pre_commit_and_make_run_the_lint_commands_of_ci() -> None:
    assert len(lint_commands()) >= 3
    hooks = re.findall(r"^ +entry: (.+)$", read(".pre-commit-config.yaml"), re.MULTILINE)
    assert hooks == lint_commands()
    assert task("lint").split(" && ") == lint_commands()


def test_make_sets_up_and_tests_as_the_readme_says() -> None:
    assert task("setup") == " && ".join(readme_block("setup"))
    assert [task("test")] == readme_block("test")
    assert task("test-all") == "bash .ci/run"
    assert task("release") == "bash .ci/release"
    assert "\n  bash .ci/release\n" in read(".ci/run")


def test_the_workflow_runs_all_checks_and_a_light_install_elsewhere() -> None:
    workflow = read(".github/workflows/ci.yml")
    commands = re.findall(r"^ +- run: (.+)$", workflow, re.MULTILINE)
    assert commands == [
        "bash .ci/run",
        "pip install .",
        'spanlin parse --text "Dogs bark."',
        "python .github/smoke.py",
    ]
    assert "[windows-latest, macos-latest]" in workflow


def test_the_smoke_test_of_the_workflow_passes_here() -> None:
    exec(compile(read(".github/smoke.py"), "smoke.py", "exec"), {"__name__": "__main__"})


def test_every_yaml_file_can_be_read() -> None:
    yaml = pytest.importorskip("yaml")
    files = [".pre-commit-config.yaml", "CITATION.cff", *ROOT.glob(".github/**/*.yml")]
    assert len(files) == 6
    for name in files:
        assert isinstance(yaml.safe_load(read(str(name))), dict), name


def test_the_citation_is_of_this_version() -> None:
    assert f"\nversion: {spanlin.__version__}\n" in read("CITATION.cff")


def test_docs_and_messages_name_extras_that_exist_in_the_form_that_works_anywhere() -> None:
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"].keys()
    pages = ["README.md", "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]
    named = [name for page in pages for name in re.findall(r"'spanlin\[(\w+)\]'", read(str(page)))]
    messages = [
        name
        for path in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"raise missing_extra\([^)]*\"(\w+)\"\)", path.read_text(encoding="utf-8"))
    ]
    assert len(named) >= 8
    assert len(messages) >= 10
    assert {*named, *messages} <= extras
    # From a checkout, before spanlin is installed.
    assert [str(page) for page in pages if "'.[" in read(str(page))] == ["README.md"]
    assert read("README.md").count("'.[") == 1


def test_no_extra_repeats_the_requirements_of_another() -> None:
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    names = [re.split(r"[\[<>=;]", item)[0] for items in extras.values() for item in items if "spanlin[" not in item]
    assert len(names) > 20
    assert len(names) == len(set(names))


def test_the_source_distribution_has_what_the_tests_import() -> None:
    included = tomllib.loads(read("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    folders = {entry.partition("/")[0] for entry in included}
    imported = {
        found
        for path in (ROOT / "tests").rglob("*.py")
        for found in re.findall(r"^ *(?:from|import) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    ours = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert {"bench", "experiments", "fuzz"} <= ours & imported <= folders
