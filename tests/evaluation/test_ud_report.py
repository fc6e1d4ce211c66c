"""The scores of dependencies as tables and as JSON."""

from __future__ import annotations

import json

from conllu_samples import OFFICIAL_METRICS, small_sentence
from spanlin.dependencies import parse_conllu
from spanlin.evaluation import score_dependencies

GOLD = small_sentence((2, "det"), (3, "nsubj"), (0, "root"), (3, "obj:x"), (3, "punct"))


def test_the_tables_and_the_json_have_all_scores() -> None:
    score = score_dependencies(parse_conllu(GOLD), parse_conllu(GOLD.replace("\t2\tdet", "\t3\tdet")))
    lines = score.to_text().splitlines()
    assert lines[0] == "Metric         F1   Prec.  Recall aligned  correct     gold predicted"
    assert lines[1] == "Tokens     100.00  100.00  100.00                5        5         5"
    assert lines[9] == "UAS         80.00   80.00   80.00   80.00        4        5         5"
    assert "det                0.00    0.00    0.00        0        1         1" in lines
    assert lines[-1].startswith("Signature: ud|conll2018|")
    found = json.loads(score.to_json())
    assert [name for name in OFFICIAL_METRICS if name not in found] == []
    assert found["LAS"]["aligned_accuracy"] == 80.0
    assert found["by_relation"]["det"]["f1"] == 0.0


def test_what_cannot_be_divided_is_null_and_not_available() -> None:
    score = score_dependencies([], [])
    found = json.loads(score.to_json())
    assert (found["LAS"]["f1"], found["LAS"]["gold"], found["interval"]) == (None, 0, None)
    lines = score.to_text().splitlines()
    assert lines[10].split() == ["LAS", "n/a", "n/a", "n/a", "n/a", "0", "0", "0"]
    assert "95% interval of LAS: n/a, for no word is scored" in lines
