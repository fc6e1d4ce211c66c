"""What fuzzing has found, one test each; the inputs that showed it are in fuzz/corpus too."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fuzz.folder_edits import MODEL, edited_files

from spanlin.errors import CheckpointError, ConfigError, TreeSyntaxError
from spanlin.model_folder.calibration import Calibration
from spanlin.parser import Parser
from spanlin.runtime.confidence import span_evidence
from spanlin.runtime.options import ParseOptions
from spanlin.text import iter_sentences, tokenize
from spanlin.trees.brackets import parse_tree

MINIMAL = '[[treebanks]]\nname = "t"\ntrain = "train.txt"\n'


@pytest.mark.parametrize("label", ["\x1c", "\x85", "\u2028", "\x1b[2J"])
def test_the_error_of_a_label_is_one_line_and_steers_no_terminal(label: str) -> None:
    for text in (f"(S ({label}))", f"(S a\n({label} b))", f"(S a\n({label}\n(A b)))"):
        with pytest.raises(TreeSyntaxError) as caught:
            parse_tree(text)
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("blank", [" " * 60, "\x00" * 60, " " * 60 + "\x1c", "\x0c" + " " * 60])
def test_blank_lines_change_no_sentence_of_a_text_that_comes_by_lines(blank: str) -> None:
    text = f"one two\n\n{blank}\nThree four\nFive six\n\x0c\nSeven"
    assert list(iter_sentences(io.StringIO(text, newline="\n"))) == tokenize(text)


def test_pages_are_read_one_at_a_time() -> None:
    read = 0

    def pages() -> Iterator[str]:
        nonlocal read
        for read in range(1, 1_000):
            yield f"Page {read}.\n"
            yield "\x0c\n"

    sentences = iter_sentences(pages())
    assert [next(sentences).words for _ in range(2)] == [("Page", "1", "."), ("Page", "2", ".")]
    assert read < 5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("averaging = " + "9" * 400, "averaging must be a finite number"),
        ("seed = 0x" + "f" * 5_000, "seed must be a finite number, .*, got a number of very many digits"),
        ("network = 0x" + "f" * 5_000, "network must be a table, got a number of very many digits"),
        ("max_minutes = nan", "max_minutes must be a finite number, .*, got nan"),
        ("max_minutes = inf", "max_minutes must be a finite number, .*, got inf"),
        ('"a\\nb" = 1', r"unknown key 'a\\nb'; known here"),
        ('"' + "a" * 9_000 + '" = 1', r"unknown key 'a+\.\.\.; known here"),
        ('precision = "' + "a" * 9_000 + '"', r"precision must be one of .*, got 'a+\.\.\."),
    ],
)
def test_the_error_of_an_odd_value_is_one_short_line(line: str, message: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from spanlin.config.training import load_config

    path = tmp_path / "run.toml"
    path.write_text(f"{line}\n{MINIMAL}", encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(path)
    assert len(str(caught.value)) < 1_000
    assert str(caught.value).isprintable()


def test_a_word_of_more_pieces_than_the_encoder_holds_is_parsed() -> None:
    parser = Parser.load(MODEL, threads=1)
    assert parser.folder.piece_limit == 16
    parses = parser.parse_tokens([["abcdefghij" * 10], ["a", "abcdefghij" * 10, "b"]])
    assert [len(parsed.words) for parsed in parses] == [1, 3]


def test_long_untrusted_words_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanlin.runtime.batch_runner._MOST_CHARACTERS", 5_000)
    parser = Parser.load(MODEL, threads=1)
    for number in range(40):
        parser.parse_tokens([[f"{number}" * 500]])
        assert parser._runner._table.characters <= 5_000 + 1_000
    parser.parse_tokens([["a"]])
    assert parser.parse_tokens([["a"]])[0].words == ("a",)


def made(tmp_path: Path, *edits: list[object]) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    for name, content in edited_files(True, list(edits)).items():
        assert isinstance(content, bytes)
        (folder / name).write_bytes(content)
    return folder


def test_a_graph_with_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    folder = made(tmp_path, ["graph.onnx", "field", [4, 351, 1, 0, 1, 1, 0], "positions \u00e6\b\u0010"])
    with pytest.raises(CheckpointError, match="a name that is not UTF-8"):
        Parser.load(folder, threads=1)


def test_onnxruntime_prints_nothing_of_what_is_wrong_with_a_graph(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = made(tmp_path, ["labels.onnx", "field", [4, 0, 0], "\u00ff"])
    with pytest.raises(CheckpointError, match="a name that is not UTF-8"):
        Parser.load(folder, threads=1).parse("The dog saw it.", ParseOptions(k_best=2))
    assert capfd.readouterr() == ("", "")


def test_probabilities_stay_probabilities_whatever_graph_and_manifest_say() -> None:
    odd = np.array([[-np.inf, np.inf, 0.0]])
    found = {
        "lefts": np.array([[0]]),
        "rights": np.array([[2]]),
        "span_log_probs": odd,
        "label_log_probs": odd[:, ::-1],
        "tag_log_probs": odd[:, :2],
    }
    evidence = span_evidence(np.array([2]), found)
    for weight in (0.0, 1e6, -1e6):
        chances = Calibration(span=weight, root=weight, tags=weight, sentence=weight, offset=weight)(evidence)
        assert ((chances >= 0) & (chances <= 1)).all()
