from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

spacy = pytest.importorskip("spacy")

from bench.peers import train_spacy_dependencies  # noqa: E402
from bench.peers.dependency_training import Arcs, DependencyTask, arcs_of, forms, parses_path  # noqa: E402
from bench.peers.train_spacy_dependencies import as_arcs, as_doc, config_of, write_docs  # noqa: E402

WORDS = ["Dogs", "do", "n't", "bark", "."]
ARCS: Arcs = [(4, "nsubj"), (4, "aux"), (4, "advmod"), (0, "root"), (4, "punct")]

CROSSING = ["A", "hearing", "is", "set", "on", "it"]
CROSSING_ARCS: Arcs = [(2, "det"), (4, "nsubj:pass"), (4, "aux:pass"), (0, "root"), (6, "case"), (2, "nmod")]


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "small.conllu"
    with path.open("w", encoding="utf-8") as stream:
        for words, arcs in ((WORDS, ARCS), (CROSSING, CROSSING_ARCS)) * 20:
            for number, (word, (head, relation)) in enumerate(zip(words, arcs, strict=True), 1):
                stream.write(f"{number}\t{word}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n")
            stream.write("\n")
    return path


@pytest.mark.parametrize(("words", "arcs"), [(WORDS, ARCS), (CROSSING, CROSSING_ARCS), (["Yes"], [(0, "root")])])
def test_arcs_come_back_from_a_doc(words: list[str], arcs: Arcs) -> None:
    doc = as_doc(spacy.blank("en").vocab, words, arcs)
    assert [token.text for token in doc] == words
    assert as_arcs(doc) == arcs


def test_two_roots_in_a_sentence_are_an_error() -> None:
    doc = as_doc(spacy.blank("en").vocab, ["Go", "now", "Stop"], [(0, "root"), (1, "advmod"), (0, "root")])
    with pytest.raises(ValueError, match="not one root in 'Go now Stop"):
        as_arcs(doc)


def test_every_sentence_is_a_doc_with_the_words_of_the_treebank(treebank: Path, tmp_path: Path) -> None:
    vocab = spacy.blank("en").vocab
    written = write_docs([treebank, treebank], tmp_path / "docs.spacy")
    docs = list(spacy.tokens.DocBin().from_disk(written).get_docs(vocab))
    assert [[token.text for token in doc] for doc in docs] == 2 * forms(treebank)
    assert [as_arcs(doc) for doc in docs] == 2 * arcs_of(treebank)
    assert all(len(list(doc.sents)) == 1 for doc in docs)


def test_a_small_treebank_is_learned_parsed_and_measured(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def config_of_few_steps(task: DependencyTask) -> Any:
        config = config_of(task)
        config["training"]["eval_frequency"] = 10
        return config

    monkeypatch.setattr(train_spacy_dependencies, "config_of", config_of_few_steps)
    report = tmp_path / "report.json"
    arguments = [
        *("--train", str(treebank), "--dev", f"small={treebank}", "--out", str(report)),
        *("--work", str(tmp_path / "work"), "--epochs", "15", "--rate", "0.01"),
    ]
    for more in ((), ("--measure",)):
        monkeypatch.setattr(sys, "argv", ["train_spacy_dependencies.py", *arguments, *more])
        train_spacy_dependencies.main()
    found = json.loads(report.read_text(encoding="utf-8"))
    assert not found["cut_short"]
    assert found["settings"]["max_epochs"] == 15
    assert found["parsing"]["sentences"] == 40
    assert found["parsing"]["clock"] == "process_time"
    parsed = arcs_of(parses_path(report, "small"))
    assert all(sum(head == 0 for head, _ in arcs) == 1 for arcs in parsed)
    pairs = [
        (arc, wanted)
        for arcs, gold in zip(parsed, arcs_of(treebank), strict=True)
        for arc, wanted in zip(arcs, gold, strict=True)
    ]
    assert sum(head == wanted_head for (head, _), (wanted_head, _) in pairs) > 0.9 * len(pairs)


def test_a_training_without_time_leaves_a_parser_and_says_that_it_was_cut(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.json"
    arguments = ["--train", str(treebank), "--dev", f"small={treebank}", "--out", str(report), "--minutes", "0"]
    monkeypatch.setattr(sys, "argv", ["train_spacy_dependencies.py", *arguments, "--work", str(tmp_path / "work")])
    train_spacy_dependencies.main()
    assert json.loads(report.read_text(encoding="utf-8"))["cut_short"]
    assert len(arcs_of(parses_path(report, "small"))) == 40
