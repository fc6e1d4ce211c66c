from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from experiments.joint_decoding import main, read_both

from joint_networks import KNOWN, SENTENCES, TREES, joint_folder, write_conllu_of
from spanlin.errors import TrainingError
from spanlin.trees.brackets import write_trees


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    write_trees(TREES, tmp_path / "dev.txt")
    return tmp_path / "dev.txt", write_conllu_of(KNOWN, tmp_path / "dev.conllu")


def test_one_command_measures_decoders_apart_and_together(
    files: tuple[Path, Path], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    output = tmp_path / "figures.json"
    arguments = [joint_folder(tmp_path_factory), "--trees", files[0], "--conllu", files[1], "--max-words", 9]
    result = CliRunner().invoke(main, [*map(str, arguments), "--output", str(output)], catch_exceptions=False)
    assert result.exit_code == 0
    found = json.loads(output.read_text())
    assert found["sentences"] == sum(len(words) <= 9 for words in SENTENCES)
    assert list(found["decoders"]) == ["argmin", "labelled", "joint"]
    apart, joint = found["decoders"]["labelled"], found["decoders"]["joint"]
    assert joint["together"] == 100.0 > apart["together"]
    for name in ("f1", "uas", "las", "seconds_per_sentence"):
        assert all(one[name] >= 0 for one in found["decoders"].values())
    assert result.stdout.splitlines()[-1].startswith("| joint | ")


def test_some_sentences_are_from_all_over_the_file(files: tuple[Path, Path]) -> None:
    every = read_both(*files, max_words=9)
    some = read_both(*files, max_words=9, sentences=3)
    assert len(some.trees) <= 3
    assert some.trees[0] == every.trees[0]
    assert every.trees.index(some.trees[-1]) > len(every.trees) // 2


def test_files_of_other_sentences_are_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    fewer = write_conllu_of(KNOWN[:-1], tmp_path / "fewer.conllu")
    with pytest.raises(TrainingError, match=r"fewer\.conllu: sentence 30 is not that of .*dev\.txt"):
        read_both(files[0], fewer, max_words=9)
