from __future__ import annotations

import json

import pytest

from conllu_samples import small_sentence
from spanlin.dependencies import parse_conllu
from spanlin.evaluation.ud_model_score import DependencyModelScore, WordParse, score_model_dependencies

GOLD = list(parse_conllu(small_sentence((2, "det"), (0, "root"), (2, "obj"))))
PARSES = [
    [
        WordParse(2, "det", "DET", "DT", 0.9),
        WordParse(0, "root", "NOUN", "NN", 0.8),
        WordParse(1, "obj", "NOUN", "NN", 0.6),
    ]
]
ABOUT = {"model": "mine", "device": "cpu", "precision": "int8"}


def scored(parses: list[list[WordParse]], *, calibrated: bool = False) -> DependencyModelScore:
    return score_model_dependencies(GOLD, parses, **ABOUT, calibrated=calibrated, seconds=0.5)


def test_dependencies_and_tags_are_the_models_and_nothing_else_is_gold() -> None:
    found = scored(PARSES)
    assert found.score.uas == pytest.approx(100 * 2 / 3)
    assert found.score.metrics["UPOS"].correct == 2
    assert found.score.metrics["Lemmas"].correct == 0
    (sentence,) = found.sentences
    assert sentence.forms == GOLD[0].forms
    assert sentence.dependencies.heads == (2, 0, 1)


def test_the_calibration_error_is_that_of_the_heads() -> None:
    # One in each bin: 0.1 and 0.2 too little, 0.6 too much.
    assert scored(PARSES).calibration_error == pytest.approx((0.1 + 0.2 + 0.6) / 3)
    sure = [[parse._replace(probability=1.0) for parse in PARSES[0][:2]] + [PARSES[0][2]._replace(probability=0.0)]]
    assert scored(sure).calibration_error == 0.0


def test_text_and_json_say_whether_the_model_is_calibrated() -> None:
    assert "calibration error of arcs     0.3000 (uncalibrated)" in scored(PARSES).to_text()
    assert "0.3000 (calibrated)" in scored(PARSES, calibrated=True).to_text()
    about = json.loads(scored(PARSES).to_json())["model"]
    assert about["calibration_error"] == pytest.approx(0.3)
    assert (about["dependencies_calibrated"], about["path"], about["sentences_per_second"]) == (False, "mine", 2.0)
