from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from spanlin.cli.evaluate import DECODERS
from spanlin.cli.main import main

GOLD = "(TOP (S (NP (NN é)) (VP (VB go) (PRT (RP on)))))\n(TOP (NP (DT the) (NN cat)))\n"
GOOD = GOLD
POOR = "(TOP (S (NP (NN é)) (VP (VB go) (NP (RP on)))))\n(TOP (X (DT the) (NN cat)))\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("gold", GOLD), ("good", GOOD), ("poor", POOR)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    paths = [str(folder / argument) if (folder / argument).exists() else argument for argument in arguments]
    result = CliRunner().invoke(main, ["evaluate", *paths])
    return result.exit_code, result.stdout, result.stderr


def test_the_table_is_the_default(files: Path) -> None:
    status, output, errors = run(files, "gold", "poor")
    assert (status, errors) == (0, "")
    assert output.splitlines()[1].split() == ["labelled", "60.00", "60.00", "60.00", "3", "5", "5"]
    assert "Signature: evalb|labelled:yes|" in output


def test_json_is_one_object(files: Path) -> None:
    status, output, _ = run(files, "gold", "poor", "--format", "json")
    assert status == 0
    report = json.loads(output)
    assert (report["f1"], report["unlabelled"]["f1"], report["complete_match"]) == (60.0, 100.0, 0.0)
    assert report["by_label"]["ADVP=PRT"]["recall"] == 0.0


def test_evalb_format_writes_errors_to_stderr(files: Path) -> None:
    (files / "other").write_text(GOLD.replace("é", "ü"), encoding="utf-8")
    status, output, errors = run(files, "gold", "other", "--format", "evalb")
    assert status == 0
    assert errors == "1 : Words unmatch (é|ü)\n"
    assert output.splitlines()[4] == "   2    2    0  100.00 100.00     1      1    1      0      2     2   100.00"


def test_evalb_format_ends_with_status_1_after_too_many_errors(files: Path) -> None:
    (files / "other").write_text(GOLD.replace("é", "ü").replace("cat", "dog"), encoding="utf-8")
    (files / "strict.prm").write_text("MAX_ERROR 0\n")
    status, output, errors = run(files, "gold", "other", "--format", "evalb", "--params", "strict.prm")
    assert (status, errors.count("\n")) == (1, 2)
    assert "Summary" not in output


def test_two_predictions_are_compared(files: Path) -> None:
    status, output, _ = run(files, "gold", "poor", "good")
    assert status == 0
    assert "F1 60.00 -> 100.00: +40.00, p = " in output
    assert "compared on 2 sentences valid in both; 0 left out" in output
    report = json.loads(run(files, "gold", "poor", "good", "--format", "json")[1])
    assert (report["first"]["f1"], report["second"]["f1"]) == (60.0, 100.0)
    assert report["comparison"]["difference"] == 40.0


def test_parameters_are_taken_by_name_or_file(files: Path) -> None:
    (files / "my.prm").write_text("DELETE_LABEL TOP\nLABELED 0\n")
    assert "delete:! '' , -NONE- . : ? S1 TOP ``" in run(files, "gold", "poor", "--params", "nk")[1]
    assert json.loads(run(files, "gold", "poor", "--params", "my.prm", "--format", "json")[1])["f1"] == 100.0


def test_malformed_trees_stop_or_are_counted(files: Path) -> None:
    (files / "bad").write_text(GOLD.splitlines()[0] + "\n(TOP (NP (DT the) (NN cat))\n")
    status, output, errors = run(files, "gold", "bad", "--params", "nk")
    assert (status, output) == (1, "")
    assert errors.startswith("spanlin: ")
    assert "bad:2:1: this tree is never closed" in errors
    for output_format in ("table", "evalb"):
        status, output, errors = run(files, "gold", "bad", "--skip-bad", "--format", output_format)
        assert status == 0
        assert "counted as an empty line: " in errors
        assert errors.endswith("spanlin: 1 malformed trees\n")
    assert "   2    2    2    0.00" in output


def test_a_bad_gold_tree_is_reported_once_for_two_predictions(files: Path) -> None:
    (files / "bad").write_text(GOLD + "(TOP (NP (DT the) (NN cat))\n")
    for name in ("good", "poor"):
        (files / name).write_text((files / name).read_text() + "(TOP (NN a))\n")
    assert run(files, "bad", "good", "poor", "--skip-bad")[2].endswith("spanlin: 1 malformed trees\n")


def test_the_users_mistakes_are_one_line(files: Path) -> None:
    (files / "short").write_text(GOLD.splitlines()[0])
    status, _, errors = run(files, "gold", "short")
    assert status == 1
    assert errors.count("\n") == 1
    assert "2 gold trees but 1 predicted ones" in errors
    status, _, errors = run(files, "gold", "good", "--params", "missing.prm")
    assert (status, errors.count("\n")) == (1, 1)
    assert "missing.prm: cannot be read" in errors


def test_evalb_format_takes_one_prediction(files: Path) -> None:
    status, _, errors = run(files, "gold", "good", "poor", "--format", "evalb")
    assert status == 2
    assert "leave out PREDICTED2" in errors


@pytest.fixture
def checkpoint(files: Path) -> Path:
    """An untrained model of the gold trees, in a folder."""
    torch = pytest.importorskip("torch")
    from spanlin.config.network import ContextConfig, LexicalConfig, NetworkConfig, ScorerConfig
    from spanlin.config.training import TrainingConfig, TreebankConfig
    from spanlin.training.checkpoint import new_model, save_model
    from spanlin.training.vocabulary import build_vocabularies
    from spanlin.trees.brackets import read_trees
    from spanlin.trees.labelled import labelled_splits
    from spanlin.trees.transforms import strip_root

    torch.set_num_threads(1)
    torch.manual_seed(1)
    network = NetworkConfig(
        lexical=LexicalConfig(word_width=8, char_width=8),
        context=ContextConfig(width=16, layers=1),
        scorer=ScorerConfig(hidden_width=8, label_width=8),
    )
    config = TrainingConfig(treebanks=(TreebankConfig(name="toy", train="gold"),), network=network)
    sentences = [labelled_splits(strip_root(tree)) for tree in read_trees(files / "gold")]
    (files / "model").mkdir()
    save_model(files / "model", new_model(config, build_vocabularies(sentences, min_word_count=1)))
    return files


def test_a_checkpoint_is_scored_in_tables(checkpoint: Path) -> None:
    status, output, errors = run(checkpoint, "gold", "--model", "model", "--decoder", "cky", "--device", "cpu")
    assert (status, errors) == (0, "")
    assert output.splitlines()[1].split()[0] == "labelled"
    assert "decoder                       cky" in output
    assert "sentences/s" in output
    assert "n/a (not greedy)" in output


def test_a_checkpoint_is_scored_in_json(checkpoint: Path) -> None:
    report = json.loads(run(checkpoint, "gold", "--model", "model", "--format", "json", "--device", "cpu")[1])
    assert report["sentences"]["valid"] == 2
    assert report["model"]["words"] == 5
    assert report["model"]["legal"] in range(3)


def test_a_checkpoint_is_scored_as_evalb_prints_it(checkpoint: Path) -> None:
    arguments = ("--model", "model", "--device", "cpu", "--tags", "predicted", "--output", str(checkpoint / "trees"))
    status, output, errors = run(checkpoint, "gold", *arguments, "--format", "evalb")
    assert status == 0
    assert output == run(checkpoint, "gold", "trees", "--format", "evalb")[1]
    assert "tagging accuracy, all words" in errors


def test_evalb_format_of_a_checkpoint_ends_with_status_1_after_too_many_errors(checkpoint: Path) -> None:
    # Every tag but one has no length: unless the model gives that one to all words, the words differ.
    (checkpoint / "strict.prm").write_text("MAX_ERROR -1\nDELETE_LABEL TOP\nDELETE_LABEL NN\nDELETE_LABEL DT\n")
    arguments = ("--model", "model", "--device", "cpu", "--tags", "predicted", "--params", "strict.prm")
    status, output, _ = run(checkpoint, "gold", *arguments, "--format", "evalb")
    assert status == 1
    assert "Summary" not in output


def test_the_output_has_one_tree_a_line(checkpoint: Path) -> None:
    status, _, _ = run(checkpoint, "gold", "--model", "model", "--device", "cpu", "--output", str(checkpoint / "trees"))
    assert status == 0
    assert (checkpoint / "trees").read_text(encoding="utf-8").count("\n") == 2


def test_malformed_gold_trees_are_left_out_of_a_checkpoints_score(checkpoint: Path) -> None:
    (checkpoint / "bad").write_text(GOLD + "(TOP (NP (DT the) (NN cat))\n", encoding="utf-8")
    status, output, errors = run(checkpoint, "bad", "--model", "model", "--device", "cpu", "--skip-bad")
    assert status == 0
    assert "left out: " in errors
    assert errors.endswith("spanlin: 1 malformed trees\n")
    assert "sentences                            2" in output


def test_the_decoders_are_those_of_the_library() -> None:
    parsing = pytest.importorskip("spanlin.training.parsing")
    assert DECODERS == parsing.DECODERS


def test_predictions_and_a_model_do_not_mix(files: Path) -> None:
    status, _, errors = run(files, "gold", "good", "--model", str(files))
    assert status == 2
    assert "--model makes the predicted trees itself: leave out PREDICTED, or --model." in errors


def test_one_of_predictions_and_a_model_is_needed(files: Path) -> None:
    status, _, errors = run(files, "gold")
    assert status == 2
    assert "Missing argument 'PREDICTED': give the predicted trees, or --model to make them." in errors


@pytest.mark.parametrize(
    "option",
    [("--decoder", "cky"), ("--device", "cpu"), ("--precision", "fp32"), ("--tags", "file"), ("--output", "x")],
)
def test_a_models_options_need_a_model(files: Path, option: tuple[str, str]) -> None:
    status, _, errors = run(files, "gold", "good", *option)
    assert status == 2
    assert f"{option[0]} goes with --model" in errors


def test_a_folder_without_a_model_is_one_line(files: Path) -> None:
    pytest.importorskip("torch")
    status, _, errors = run(files, "gold", "--model", str(files), "--device", "cpu")
    assert (status, errors.count("\n")) == (1, 1)
    assert "no model here" in errors


@pytest.mark.parametrize("option", [("--precision", "fp32"), ("--treebank", "mine"), ("--tagger", ".")])
def test_options_of_checkpoints_do_not_go_with_other_models(files: Path, option: tuple[str, str]) -> None:
    status, _, errors = run(files, "gold", "--model", "en", *option)
    assert status == 2
    assert f"{option[0]} is for checkpoints, and fixed in en: leave it out." in errors


def test_without_torch_only_a_checkpoint_is_out_of_reach(files: Path) -> None:
    def run_without_torch(*arguments: str) -> subprocess.CompletedProcess[str]:
        code = "import sys; sys.modules['torch'] = None; from spanlin.cli.main import main; main()"
        return subprocess.run(
            [sys.executable, "-c", code, "evaluate", *arguments], capture_output=True, text=True, check=False
        )

    gold = str(files / "gold")
    assert run_without_torch(gold, str(files / "good")).returncode == 0
    scored = run_without_torch(gold, "--model", "en", "--format", "json")
    assert (scored.returncode, scored.stderr) == (0, "")
    about = json.loads(scored.stdout)["model"]
    assert (about["path"], about["precision"], about["words"]) == ("en", "int8", 5)
    (files / "model.json").write_text("{}", encoding="utf-8")
    refused = run_without_torch(gold, "--model", str(files))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == f"spanlin: {files}: evaluating a checkpoint needs torch: pip install 'spanlin[train]'\n"
