"""Heads and relations from end to end: a network that scores them, its checkpoint, its export, the parser."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from joint_networks import SENTENCES as KNOWN_SENTENCES
from joint_networks import joint_folder, joint_model
from spanlin import ParseOptions, Parser
from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import MANIFEST, RELATION_GRAPH
from spanlin.network.dependency_scorer import DependencyScorer
from spanlin.runtime.onnx import OnnxBackend
from spanlin.training.checkpoint import CHECKPOINT, Model, load_model, save_model, write_folder
from spanlin.training.dependency_parsing import predict_dependencies
from spanlin.training.examples import without_tags

SENTENCES = [*KNOWN_SENTENCES, ["Unknown"], ["words", "xyzzy", "and", "more"]]


@pytest.fixture(scope="module")
def model() -> Model:
    return joint_model()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return joint_folder(tmp_path_factory)


@pytest.fixture(scope="module")
def checkpoint(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checkpoint") / "best"
    write_folder(path, lambda new: save_model(new, model), CHECKPOINT)
    return path


@pytest.mark.parametrize("kind", ["folder", "checkpoint"])
def test_parses_have_the_dependencies_that_the_network_gives(
    kind: str, model: Model, request: pytest.FixtureRequest
) -> None:
    parser = Parser.load(request.getfixturevalue(kind))
    assert parser.has_dependencies
    sentences = [without_tags(words) for words in SENTENCES]
    wanted = predict_dependencies(model, model.featurizer(sentences, has_tree=False))
    changed = 0
    for parsed, known in zip(parser.parse_tokens(SENTENCES), wanted, strict=True):
        assert (parsed.heads, parsed.relations, parsed.universal_tags) == known
        assert parsed.dependencies is not None
        assert parsed.dependencies.certified
        assert parsed.arc_probabilities is not None
        assert all(0 < probability <= 1 for probability in parsed.arc_probabilities)
        changed += min(parsed.arc_probabilities) < 0.2
    assert changed  # an untrained network is unsure


def test_a_sentence_has_the_same_dependencies_alone(folder: Path) -> None:
    parser = Parser.load(folder)
    together = parser.parse_tokens(SENTENCES)
    assert [parser.parse_tokens([words])[0] for words in SENTENCES] == together


def test_all_trees_of_a_sentence_have_its_dependencies(folder: Path) -> None:
    (parsed,) = Parser.load(folder).parse_tokens([SENTENCES[0]], ParseOptions(k_best=3))
    assert parsed.alternatives
    assert all(other.dependencies == parsed.dependencies for other in parsed.alternatives)


def test_a_sentence_without_words_has_no_heads(folder: Path) -> None:
    parsed = Parser.load(folder).parse_tokens([[], SENTENCES[0]])[0]
    assert (parsed.heads, parsed.relations, parsed.universal_tags) == ((), (), ())


def test_trees_are_those_of_the_network_without_dependencies(model: Model, folder: Path) -> None:
    lines = list(Parser.load(folder).bracket_lines(SENTENCES))
    assert lines == [parsed.brackets() for parsed in Parser.load(folder).parse_tokens(SENTENCES)]


@pytest.mark.parametrize("kind", ["folder", "checkpoint"])
def test_brackets_alone_need_no_dependencies(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = Parser.load(request.getfixturevalue(kind))
    wanted = [parsed.brackets() for parsed in parser.parse_tokens(SENTENCES)]

    def refuse(*_: object) -> None:
        raise AssertionError

    if kind == "folder":
        monkeypatch.setattr(parser.backend, "_session", None)  # which gives dependencies, too
    else:
        monkeypatch.setattr(DependencyScorer, "forward", refuse)
    assert list(parser.bracket_lines(SENTENCES)) == wanted


def test_a_checkpoint_from_before_the_keys_of_their_cost_loads(model: Model, checkpoint: Path, tmp_path: Path) -> None:
    shutil.copytree(checkpoint, tmp_path / "old")
    config = tmp_path / "old" / "config.toml"
    new = ("relation_width = 0", 'input = "context"', 'universal_tags = "own"')
    lines = config.read_text(encoding="utf-8").splitlines()
    assert set(new) <= set(lines)
    config.write_text("\n".join(line for line in lines if line not in new), encoding="utf-8")
    assert load_model(tmp_path / "old").config.network == model.config.network


def test_the_packaged_model_has_dependencies() -> None:
    parser = Parser.load()
    assert parser.has_dependencies
    assert parser.parse("Dogs bark.")[0].heads == (2, 0, 2)


def test_a_folder_without_its_graph_of_relations_is_refused(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in folder.iterdir():
        if file.name != RELATION_GRAPH:
            (copy / file.name).write_bytes(file.read_bytes())
    with pytest.raises(CheckpointError, match=r"relations\.onnx: cannot be read"):
        Parser.load(copy)
    manifest = json.loads((copy / MANIFEST).read_text())
    del manifest["files"][RELATION_GRAPH]
    (copy / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match=r"damaged: its files lack relations\.onnx"):
        Parser.load(copy)


def test_brackets_wait_for_no_lock_once_the_graph_without_dependencies_is_there(folder: Path) -> None:
    parser = Parser.load(folder, threads=2)
    backend = parser.backend
    assert isinstance(backend, OnnxBackend)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: list(parser.bracket_lines(SENTENCES)), range(4)))
        session = backend._trees
        assert list(pool.map(lambda _: backend._trees, range(4))) == [session] * 4
        with backend._lock:
            waiting = pool.submit(lambda: list(parser.bracket_lines(SENTENCES)))
            assert waiting.result(timeout=60) == found[0]
    assert found == [found[0]] * 4
