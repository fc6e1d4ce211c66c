"""The values of placeholders that come from records, sizes and bench/results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from experiments.kept_figures import KeptFigures
from experiments.placeholders import Placeholders, public_methods

from spanlin.errors import EvaluationError

RECORD = {
    "values": {"a": {"b": 12345.678}, "list": [1, 2]},
    "tables": {
        "some": {
            "columns": ["model", "F1", "note"],
            "decimals": [None, 2, None],
            "rows": [["one", 90.5, "good"], ["two", 90.25, None]],
        }
    },
}
RATES = [
    {"name": "spanlin en", "ours": True, "best_rate": 1234.5, "bytes": 2_500_000},
    {"name": "benepar", "ours": False, "best_rate": 100.0, "bytes": 1},
    {"name": "SuPar CRF", "ours": False, "best_rate": 50.0, "bytes": 1},
]


@pytest.fixture
def text(tmp_path: Path) -> Placeholders:
    (tmp_path / "some.json").write_text(json.dumps(RECORD))
    (tmp_path / "mine-300.json").write_text(json.dumps({"f1": 61.25}))
    old, new = ([{**item, "best_rate": factor * float(str(item["best_rate"]))} for item in RATES] for factor in (9, 1))
    (tmp_path / "2026-01-02-cpu.json").write_text(json.dumps({"results": old}))
    (tmp_path / "2026-01-03-cpu.json").write_text(json.dumps({"results": new}))
    (tmp_path / "2026-01-04-other-cpu.json").write_text(json.dumps({"results": []}))
    kept = KeptFigures(records=tmp_path, sizes=tmp_path, bench=tmp_path)
    return Placeholders(public_methods(kept), has_setting=lambda *_: False, is_run=lambda *_: False)


@pytest.mark.parametrize(
    ("placeholder", "value"),
    [
        ("record:some:a.b:,.1f", "12,345.7"),
        ("record:some:list.1", "2"),
        ("cell:some.some:one:F1", "90.50"),
        ("cell:some.some:one:F1:.1f", "90.5"),
        ("cell:some.some:one:note", "good"),
        ("gap:some.some:two:one:F1", "0.25"),
        ("size:mine-300:f1:.1f", "61.2"),
        ("rate:cpu:spanlin en", "1,234"),
        ("times:cpu:spanlin en", "12"),
        ("bench:cpu:results.0.bytes:M.1f", "2.5"),
        ("bench-sum:cpu:results:bytes", "2,500,002"),
        ("bench-mean:cpu:results:best_rate:.1f", "461.5"),
        ("estimate:cpu:spanlin en:2:rate", "617"),
        ("estimate:cpu:spanlin en:2:hours", "4,500"),
        ("estimate:cpu:spanlin en:2:day", "188"),
        ("estimate:cpu:spanlin en:2:share", "7"),
    ],
)
def test_a_value_is_looked_up(text: Placeholders, placeholder: str, value: str) -> None:
    assert text.fill(f"({{{placeholder}}})", "here") == f"({value})"


def test_a_table_is_made_whole(text: Placeholders) -> None:
    made = text.fill("{table:some.some}", "here")
    assert made == "| model | F1 | note |\n| --- | ---: | --- |\n| one | 90.50 | good |\n| two | 90.25 |  |"


@pytest.mark.parametrize(
    ("placeholder", "message"),
    [
        ("record:none:a", "there is no none.json in "),
        ("record:some:a.c", "some has no a.c"),
        ("record:some:list.2", "some has no list.2"),
        ("cell:some.some:three:F1", "the table some.some has no three or no F1"),
        ("table:some.other", "some has no other"),
        ("rate:gpu:spanlin en", "there is no DATE-gpu.json in bench/results"),
        ("rate:cpu:Stanza", "no parser Stanza in the newest cpu of bench/results"),
        ("estimate:cpu:spanlin en:2:years", "no estimate of years: choose one of rate, hours, day, share, cores"),
        ("joint:none:craft", "joint/results has no craft of none"),
    ],
)
def test_what_is_not_there_is_named(text: Placeholders, placeholder: str, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        text.fill(f"so {{{placeholder}}}", "here.md")
    assert str(caught.value).startswith(f"here.md: {{{placeholder}}}: {message}")


def test_a_peer_that_failed_is_passed_over(tmp_path: Path) -> None:
    failed = {"name": "benepar", "ours": False, "failed": "no memory"}
    (tmp_path / "2026-01-02-cpu.json").write_text(json.dumps({"results": [RATES[0], failed, RATES[2]]}))
    assert KeptFigures(bench=tmp_path).times("cpu", "spanlin en") == "25"
    (tmp_path / "2026-01-02-cpu.json").write_text(json.dumps({"results": [RATES[0], failed]}))
    with pytest.raises(EvaluationError, match="no peer has a rate in the newest cpu of bench/results"):
        KeptFigures(bench=tmp_path).times("cpu", "spanlin en")
    with pytest.raises(EvaluationError, match="no parser benepar in the newest cpu of bench/results"):
        KeptFigures(bench=tmp_path).rate("cpu", "benepar")


def test_the_rows_of_joint_are_means_over_seeds(text: Placeholders) -> None:
    from experiments.joint_table import results_of

    found = [json.loads(path.read_text(encoding="utf-8"))["f1"]["craft"] for path in results_of("joint")]
    assert text.fill("{joint:joint:craft:.4f}", "here") == f"{sum(found) / len(found):.4f}"
