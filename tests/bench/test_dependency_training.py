from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bench.peers.dependency_training import (
    arcs_of,
    forms,
    measured_rate,
    read_task,
    write_parses,
    write_plain,
)

from spanlin.evaluation import score_conllu_files

GOLD = """# sent_id = 1
# text = Dogs don't bark
1	Dogs	dog	NOUN	NNS	Number=Plur	4	nsubj	4:nsubj	_
2-3	don't	_	_	_	_	_	_	_	_
2	do	do	AUX	VBP	_	4	aux	4:aux	_
3	n't	not	PART	RB	_	4	advmod	4:advmod	_
3.1	not	not	PART	RB	_	_	_	4:advmod	_
4	bark	bark	VERB	VB	_	0	root	0:root	SpaceAfter=No

# text = Her cats
1	Her	she	PRON	PRP$	_	2	nmod:poss	_	_
2	cats	cat	NOUN	NNS	_	0	root	_	_

"""

ARCS = [[(4, "nsubj"), (4, "aux"), (4, "advmod"), (0, "root")], [(2, "nmod:poss"), (0, "root")]]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.conllu"
    path.write_text(GOLD, encoding="utf-8")
    return path


def test_words_are_those_that_have_heads(gold: Path) -> None:
    assert forms(gold) == [["Dogs", "do", "n't", "bark"], ["Her", "cats"]]


def test_gold_arcs_are_those_of_the_words(gold: Path) -> None:
    assert arcs_of(gold) == ARCS


def test_a_plain_copy_has_no_tag_token_or_comment_that_a_peer_could_trip_over(gold: Path, tmp_path: Path) -> None:
    lines = write_plain([gold, gold], tmp_path / "plain.conllu").read_text(encoding="utf-8").split("\n")
    assert lines[:2] == ["1\tDogs\t_\t_\t_\t_\t4\tnsubj\t_\t_", "2\tdo\t_\t_\t_\t_\t4\taux\t_\t_"]
    assert lines.count("") == 4 + 1
    assert len(lines) == 2 * 6 + 4 + 1


def test_gold_arcs_score_all_points_and_a_subtype_counts_by_itself(gold: Path, tmp_path: Path) -> None:
    path = tmp_path / "parses.conllu"
    assert score_conllu_files(gold, write_parses(gold, ARCS, path)).las == 100.0
    score = score_conllu_files(gold, write_parses(gold, [ARCS[0], [(2, "nmod"), (0, "root")]], path))
    assert (score.uas, score.las) == (100.0, 100.0)
    assert score.others["LAS, with subtypes"].f1 == pytest.approx(100 * 5 / 6)


def test_a_parse_with_too_few_heads_is_an_error(gold: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1 heads for 2 words"):
        write_parses(gold, [ARCS[0], [(0, "root")]], tmp_path / "parses.conllu")


def test_the_rate_is_that_of_the_best_batch_and_misses_no_parse() -> None:
    calls: list[int] = []

    def parse(sentences: list[str], batch: int) -> list[str]:
        calls.append(batch)
        return sentences

    found = measured_rate(["a", "b"], parse, (10, 20))
    assert found["sentences_per_second"] == max(found["by_batch_words"].values())
    assert calls == [10] * 4 + [20] * 4
    with pytest.raises(ValueError, match="2 sentences gave 1 parses"):
        measured_rate(["a", "b"], lambda sentences, _: sentences[:1], (10,))


def test_a_dev_file_without_a_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--train", "a", "--dev", "dev.conllu", "--out", str(tmp_path / "out.json"), "--work", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["train", *arguments])
    with pytest.raises(SystemExit):
        read_task("")
    assert "'dev.conllu' is not NAME=FILE" in capsys.readouterr().err
