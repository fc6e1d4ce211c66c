"""`python -m experiments score`: any model, any files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from experiments.__main__ import main
from experiments.results import Brackets, Result
from experiments.tables import DECODER, DECODERS

from experiments import scoring
from generated_treebank import generate_trees
from parsers_with_heads import ParserWithHeads
from small_runs import random_dependencies, splits_of, untrained_model
from spanlin.dependencies.conllu import write_conllu
from spanlin.dependencies.sentence import ConlluSentence, Word
from spanlin.model_folder.lookup import find_model
from spanlin.training.checkpoint import load_model, save_model
from spanlin.training.dependencies import KnownDependencies
from spanlin.training.dependency_parsing import predict_dependencies, score_attachments
from spanlin.training.evaluation import evaluate_model
from spanlin.trees.brackets import write_trees
from trees_alone import trees_alone

TREES = generate_trees(12, seed=3)
DEPENDENCIES = random_dependencies(splits_of(TREES), seed=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with its best checkpoint, and gold files of both kinds."""
    folder = tmp_path_factory.mktemp("scoring")
    (folder / "run/best").mkdir(parents=True)
    save_model(folder / "run/best", untrained_model(TREES, DEPENDENCIES, dependencies={"width": 16}))
    write_trees(TREES, folder / "gold.txt")
    write_conllu(
        (sentence(tree.words, known) for tree, known in zip(TREES, DEPENDENCIES, strict=True)), folder / "gold.conllu"
    )
    return folder


def sentence(words: tuple[str, ...], known: KnownDependencies) -> ConlluSentence:
    rows = zip(words, known.heads, known.relations, known.universal_tags, strict=True)
    return ConlluSentence(tuple(Word(form=form, head=head, deprel=rel, upos=tag) for form, head, rel, tag in rows))


def score(*arguments: object, status: int = 0) -> Any:
    done = CliRunner().invoke(main, ["score", *map(str, arguments)])
    assert done.exit_code == status, done.output
    return json.loads(done.stdout) if status == 0 else done.output


def test_a_run_is_scored_as_its_best_checkpoint_by_the_tables_decoder(folder: Path) -> None:
    gold = folder / "gold.txt"
    found = score(folder / "run", gold, "--device", "cpu")
    assert found["files"][str(gold)]["trees"].keys() == {DECODER}
    own = found["files"][str(gold)]["trees"][DECODER]
    expected = evaluate_model(folder / "run/best", gold, decoder=DECODER, device="cpu")
    assert (own["f1"], own["recall"]) == (expected.score.f1, expected.score.recall)
    assert own["sentences"] == 12
    assert "brackets" not in own
    assert found["config"]["network"]["context"]["width"] == 32
    assert found["config"]["treebanks"] == ["generated"]
    assert len(found["files"][str(gold)]["sha256"]) == 64
    for key in ("commit", "date", "machine", "device"):
        assert found[key]
    assert score(folder / "run/best", gold, "--device", "cpu")["files"][str(gold)]["trees"][DECODER]["f1"] == own["f1"]


def test_every_decoder_with_the_counts_of_each_sentence(folder: Path) -> None:
    gold = folder / "gold.txt"
    trees = score(folder / "run", gold, "--device", "cpu", "--decoder", "all", "--counts")["files"][str(gold)]["trees"]
    assert tuple(trees) == DECODERS
    for one in trees.values():
        counts = one["brackets"]
        both = sum(counts["gold"]) + sum(counts["predicted"])
        assert one["f1"] == pytest.approx(200 * sum(counts["matched"]) / both)


def test_dependencies_are_scored_by_the_official_rules(folder: Path) -> None:
    gold = folder / "gold.conllu"
    found = score(folder / "run", gold, folder / "gold.txt", "--device", "cpu")["files"]
    assert found.keys() == {str(gold), str(folder / "gold.txt")}
    model = load_model(folder / "run/best")
    predicted = predict_dependencies(model, model.featurizer(splits_of(TREES), has_tree=False))
    expected = score_attachments(DEPENDENCIES, predicted)
    own = found[str(gold)]["dependencies"]
    assert (own["uas"], own["las"], own["upos"]) == pytest.approx(expected)
    assert own["words"] == sum(len(tree.words) for tree in TREES)


def test_a_model_folder_is_scored_as_its_users_run_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = folder / "gold.txt"
    found = score("en", gold, "--decoder", "argmin")["files"][str(gold)]["trees"]["argmin"]
    assert found["computed_in"] == "int8"
    assert found["f1"] > 50
    assert found["tagging_accuracy"] > 50
    monkeypatch.setattr(scoring, "Parser", ParserWithHeads)
    own = score("en", folder / "gold.conllu")["files"][str(folder / "gold.conllu")]["dependencies"]
    # The made-up heads are all the first word.
    right = sum(heads[0] == 0 for heads, *_ in DEPENDENCIES) + sum(
        h == 1 for heads, *_ in DEPENDENCIES for h in heads[1:]
    )
    assert own["uas"] == pytest.approx(100 * right / own["words"])


def test_the_json_goes_to_a_file_if_asked(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["score", "en", str(folder / "gold.txt"), "--output", str(tmp_path / "scores.json")]
    )
    assert done.output == f"{tmp_path / 'scores.json'}\n"
    assert json.loads((tmp_path / "scores.json").read_text())["model"] == "en"


def test_a_run_is_decoded_as_its_row_is_in_the_tables(tmp_path: Path) -> None:
    counts = Brackets(signature="", status=[0], length=[1], gold=[1], predicted=[1], matched=[1])
    row = {"row": {"decoder": "minimum-risk"}}
    Result(row="a", title="a", treebank="b", seed=1, brackets=counts, key="f00", config=row).write(tmp_path)
    assert scoring.decoders_of("row", "runs/paper/f00", tmp_path) == ("minimum-risk",)
    assert scoring.decoders_of("row", "runs/paper/f01", tmp_path) == (DECODER,)
    assert scoring.decoders_of("argmin", "runs/paper/f00", tmp_path) == ("argmin",)


def test_a_row_that_reads_tags_is_given_predicted_ones(folder: Path) -> None:
    (folder / "tagged").mkdir()
    save_model(folder / "tagged", untrained_model(TREES, lexical={"tag_width": 8}))
    said = score(folder / "tagged", folder / "gold.txt", status=1)
    assert said.endswith("this row reads tags: give --tagger, a checkpoint that predicts them\n")
    gold = folder / "gold.txt"
    found = score(folder / "tagged", gold, "--tagger", folder / "run/best", "--device", "cpu", "--counts")
    counts = found["files"][str(gold)]["trees"][DECODER]["brackets"]
    # Punctuation is told by gold tags, so that as many gold brackets count as ever.
    own = score(folder / "run", gold, "--device", "cpu", "--counts")["files"][str(gold)]["trees"][DECODER]["brackets"]
    assert counts["gold"] == own["gold"]
    assert counts["length"] == own["length"]


def test_mistakes_are_one_line(folder: Path, tmp_path: Path) -> None:
    said = score("en", folder / "gold.txt", "--decoder", "best", status=1)
    assert said == f"Error: no decoder best: choose row, all or one of {', '.join(DECODERS)}\n"
    alone = trees_alone(find_model("en"), tmp_path / "en")
    said = score(alone, folder / "gold.conllu", status=1)
    assert said.startswith("Error: en: this model was trained on trees alone and has no dependencies")
    said = score(tmp_path / "none", folder / "gold.txt", status=1)
    assert len(said.splitlines()) == 1
