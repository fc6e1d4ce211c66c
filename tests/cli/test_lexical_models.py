"""A network with embeddings of its own, exported, is a model like any other for every command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from exported_networks import TREES, random_model, random_sentences
from spanlin.cli.main import main
from spanlin.decoding import Constraints
from spanlin.model_folder.folder import open_folder
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.server.app import create_app
from spanlin.training.checkpoint import save_model
from spanlin.trees.brackets import parse_tree, write_trees
from spanlin.trees.tree import Span

TEXT = "The dog sees unseen cats."


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A calibrated folder of a parser that reads tags and of its tagger, both with words and characters."""
    root = tmp_path_factory.mktemp("lexical")
    changes: dict[str, dict[str, Any]] = {
        "parser": {"lexical": {"tag_width": 8}},
        "tagger": {"lexical": {"word_width": 0}},
    }
    for name, change in changes.items():
        (root / name).mkdir()
        save_model(root / name, random_model(change, root, seed=3))
    write_trees([tree for tree in TREES if len(tree.words) <= 12], root / "dev.txt")
    output = run(
        *("export", root / "parser", root / "mine", "--tagger", root / "tagger", "--precision", "fp32"),
        *("--calibrate", root / "dev.txt"),
    )
    assert ": fp32, 0." in output
    return root / "mine"


def test_info_tells_what_it_is(mine: Path) -> None:
    facts = json.loads(run("info", mine, "--json"))
    assert facts["calibrated"]
    assert (facts["input"], facts["tagger"]) == ("lexical", True)
    assert {file.name for file in mine.iterdir()} == {
        *("manifest.json", "graph.onnx", "labels.onnx", "lexicon.json", "tagger_lexicon.json", "card.md")
    }


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--decoder", "cky"],
        ["--decoder", "labelled"],
        ["--decoder", "minimum-risk"],
        ["--k-best", "3"],
        ["--root-label", "NP"],
    ],
)
def test_every_decoder_parses(options: list[str], mine: Path) -> None:
    (line,) = run("parse", "--model", mine, "--format", "json", *options, "--text", TEXT).splitlines()
    found = json.loads(line)
    assert found["words"] == ["The", "dog", "sees", "unseen", "cats", "."]
    assert parse_tree(found["brackets"]).words == tuple(found["words"])
    assert set(found["tags"]) <= set(open_folder(mine).tags)
    if "--k-best" in options:
        assert 1 <= len(found["alternatives"]) <= 2


def test_constraints_are_kept(mine: Path) -> None:
    words = TEXT[:-1].split()
    wanted = Constraints(required=((0, 2), (3, 5)))
    (parsed,) = Parser.load(mine).parse_tokens([words], constraints=[wanted])
    assert {Span(0, 2), Span(3, 5)} <= {Span(found.left, found.right) for found in parsed.constituents()}


def test_marginals_are_probabilities(mine: Path) -> None:
    for parsed in Parser.load(mine).parse_tokens(random_sentences(4, longest=9), ParseOptions(marginals=True)):
        assert all(0 <= found.probability <= 1 for found in parsed.constituents())


def test_the_service_answers(mine: Path) -> None:
    httpx = pytest.importorskip("httpx")
    from running_service import run_app

    assert httpx
    parser = Parser.load(mine, threads=1)
    with run_app(create_app(parser)) as client:
        answer = client.post("/v1/parse", json={"text": TEXT}).json()
    assert answer["results"] == [{"sentences": [parsed.to_json() for parsed in parser.parse(TEXT)]}]
