from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conllu_samples import DOGS, small_sentence
from spanlin.cli.main import main


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["prepare", "ud", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "UD_Doglish"
    folder.mkdir()
    for name in ("train-a", "train-b", "dev", "test"):
        text = DOGS.replace("dogs-1", name)
        path = folder / f"en_dog-ud-{name}.conllu"
        path.write_text(text, encoding="utf-8")
    (folder / "README.md").write_text("Dogs.", encoding="utf-8")
    return folder


def test_files_are_put_into_their_splits_unchanged(tmp_path: Path, source: Path) -> None:
    packed = source / "en_dog-ud-train-b.conllu"
    (source / "en_dog-ud-train-b.conllu.gz").write_bytes(gzip.compress(packed.read_bytes()))
    packed.unlink()
    status, out, err = run(source, tmp_path / "out")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "split  documents  sentences  words  multi-word  empty  relations  dropped",
        "train          2          2     10           2      2          5        0",
        "dev            1          1      5           1      1          5        0",
        "test           1          1      5           1      1          5        0",
    ]
    written = (tmp_path / "out/train.conllu").read_text(encoding="utf-8")
    assert written == DOGS.replace("dogs-1", "train-a") + DOGS.replace("dogs-1", "train-b")
    manifest = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert manifest["splits"][0]["relations"] == {"advmod": 2, "aux": 2, "nsubj": 2, "punct": 2, "root": 2}
    assert run(source, tmp_path / "out")[0] == 0  # its own output may be replaced


def test_a_treebank_may_have_only_a_test_part(tmp_path: Path) -> None:
    (tmp_path / "en_pud-ud-test.conllu").write_text(DOGS, encoding="utf-8")
    assert run(tmp_path, tmp_path / "out")[0] == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["manifest.json", "test.conllu"]


def test_problems_are_reported_or_with_strict_an_error(tmp_path: Path, source: Path) -> None:
    (source / "en_dog-ud-dev.conllu").write_text(small_sentence((2, "x"), (1, "x")) + DOGS + DOGS, encoding="utf-8")
    status, _, err = run(source, tmp_path / "out")
    assert status == 0
    assert err.splitlines() == [
        "spanlin: warning: no comment sent_id: 1, first in en_dog-ud-dev.conllu, sentence 1",
        "spanlin: warning: no comment text: 1, first in en_dog-ud-dev.conllu, sentence 1",
        "spanlin: warning: a cycle: 1, first in en_dog-ud-dev.conllu, sentence 1",
        "spanlin: warning: a sent_id that an earlier sentence has: 1, first in en_dog-ud-dev.conllu, sentence dogs-1",
    ]
    status, _, err = run(source, tmp_path / "strict", "--strict")
    assert status == 1
    assert err.endswith("; nothing is written\n")
    assert list((tmp_path / "strict").iterdir()) == []


def test_masked_and_malformed_sentences_are_dropped_and_counted(tmp_path: Path, source: Path) -> None:
    masked = small_sentence((0, "root"), (1, "x"), (1, "x"), forms="___")
    (source / "en_dog-ud-dev.conllu").write_text(f"{masked}bad\n\n{DOGS}", encoding="utf-8")
    status, out, err = run(source, tmp_path / "out")
    assert (status, out) == (1, "")
    assert err == f"spanlin: {source / 'en_dog-ud-dev.conllu'}:5: 1 columns, expected 10 with tabs between them\n"
    status, out, err = run(source, tmp_path / "out", "--skip-bad")
    assert status == 0
    assert "dropped from dev: 1 sentences, words are underscores" in out.splitlines()
    assert "dropped from dev: 1 sentences, malformed" in out.splitlines()
    assert err.startswith("spanlin: skipped: ")


def test_only_the_first_malformed_sentences_are_kept(tmp_path: Path, source: Path) -> None:
    (source / "en_dog-ud-dev.conllu").write_text("bad\n\n" * 12 + DOGS, encoding="utf-8")
    _, out, err = run(source, tmp_path / "out", "--skip-bad")
    assert "dropped from dev: 12 sentences, malformed" in out.splitlines()
    assert err.count("spanlin: skipped: ") == 10


def test_what_is_missing_or_in_the_way_is_one_line(tmp_path: Path, source: Path) -> None:
    status, _, err = run(tmp_path / "nowhere", tmp_path / "out")
    assert (status, len(err.splitlines())) == (1, 1)
    assert "no such folder; expected a Universal Dependencies treebank" in err
    (tmp_path / "empty").mkdir()
    assert "no file for train, dev or test" in run(tmp_path / "empty", tmp_path / "out")[2]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/dev.conllu").write_text("precious", encoding="utf-8")
    assert "would be overwritten" in run(source, tmp_path / "mine")[2]
    (source / "en_dog-ud-dev.conllu").write_text("\n", encoding="utf-8")
    assert "no sentence for dev" in run(source, tmp_path / "out")[2]
