from __future__ import annotations

from pathlib import Path

import pytest

from generated_treebank import generate_trees
from spanlin.errors import DecodingError, EvaluationError, TreeSyntaxError
from spanlin.evaluation.files import score_files
from spanlin.model_evaluation import evaluate_parser
from spanlin.parser import Parser
from spanlin.trees.brackets import read_trees, write_trees

TREES = generate_trees(40, seed=11)
ENGLISH = """\
(TOP (S (NP (PRP She)) (VP (VBZ loves) (S (VP (VBG writing) (NP (NN code))))) (. .)))
(TOP (S (NP (JJ Old) (NNS cats)) (VP (VBP sleep) (NP (DT all) (NN day))) (. .)))
(S (NP (NNS Dogs)) (VP (VBP bark)) (. .))
"""


@pytest.fixture
def english(tmp_path: Path) -> Path:
    path = tmp_path / "gold.txt"
    path.write_text(ENGLISH, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load(threads=1)


def test_the_packaged_model_is_scored_without_torch(english: Path, parser: Parser) -> None:
    found = evaluate_parser(parser, english, name="en")
    assert (found.score.f1, found.word_count, len(found.trees)) == (100.0, 14, 3)
    assert (found.model, found.device, found.precision, found.decoder) == ("en", "cpu", "int8", "argmin")
    assert found.tagging_accuracy == 100.0
    assert found.legal == 3
    assert [tree.label for tree in found.trees] == ["TOP", "TOP", "S"]  # as the gold trees have it
    assert evaluate_parser(parser, english, decoder="cky").legal is None


def test_predicted_tags_are_what_evalb_sees_in_the_output(english: Path, parser: Parser, tmp_path: Path) -> None:
    odd = tmp_path / "odd.txt"
    odd.write_text(ENGLISH.replace("(. .)", "(NN .)"), encoding="utf-8")  # in the gold trees, a word that counts
    output = tmp_path / "output.txt"
    by_predicted = evaluate_parser(parser, odd, tags="predicted", output=output)
    assert by_predicted.score.f1 == score_files(odd, output).f1
    assert by_predicted.correct_tags == 14 - 3
    assert evaluate_parser(parser, odd).score.f1 == 100.0
    assert tuple(read_trees(output)) == by_predicted.trees


def test_malformed_trees_are_handed_on_and_others_scored(english: Path, parser: Parser) -> None:
    english.write_text(f"(S (X a)\n{ENGLISH}", encoding="utf-8")
    bad: list[TreeSyntaxError] = []
    assert len(evaluate_parser(parser, english, on_bad=bad.append).trees) == 3
    assert len(bad) == 1


def test_what_cannot_be_scored_is_an_error_before_anything_is_parsed(
    english: Path, parser: Parser, tmp_path: Path
) -> None:
    with pytest.raises(EvaluationError, match="its folder does not exist: create it first"):
        evaluate_parser(parser, english, output=tmp_path / "nowhere" / "trees.txt")
    with pytest.raises(DecodingError, match="unknown decoder 'best'"):
        evaluate_parser(parser, english, decoder="best")  # type: ignore[arg-type]
    english.write_text("", encoding="utf-8")
    with pytest.raises(EvaluationError, match=r"gold\.txt: no trees to score against"):
        evaluate_parser(parser, english)


@pytest.mark.parametrize("target", ["left", "both"])
@pytest.mark.parametrize("decoder", ["argmin", "largest", "cky", "minimum-risk"])
def test_a_checkpoint_scores_by_its_parser_what_it_scores_in_training(
    decoder: str, target: str, tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    from small_runs import untrained_model
    from spanlin.training.checkpoint import CHECKPOINT, save_model, write_folder
    from spanlin.training.evaluation import evaluate_model

    torch.manual_seed(4)
    model = untrained_model(TREES, scorer={"target": target})
    write_folder(tmp_path / "best", lambda path: save_model(path, model), CHECKPOINT)
    write_trees(TREES, tmp_path / "gold.txt")
    expected = evaluate_model(tmp_path / "best", tmp_path / "gold.txt", decoder=decoder, device="cpu")
    parser = Parser.load(tmp_path / "best", device="cpu")
    found = evaluate_parser(parser, tmp_path / "gold.txt", decoder=decoder)  # type: ignore[arg-type]
    assert found.trees == expected.trees
    assert (found.score.f1, found.correct_tags) == (expected.score.f1, expected.correct_tags)
    assert found.legal == expected.legal
