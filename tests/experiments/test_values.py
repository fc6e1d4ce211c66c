"""Placeholders in prose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from experiments.results import Brackets, Decoded, Result, Results
from experiments.values import MissingValueError, Values, listed, wrapped

from spanlin.errors import EvaluationError


def result(row: str, seed: int, matched: int) -> Result:
    def counts(right: int) -> Brackets:
        return Brackets(
            signature="by hand",
            status=[0] * 10,
            length=[9] * 10,
            gold=[10] * 10,
            predicted=[10] * 10,
            matched=[right] * 10,
            by_label={"NP": [60, 60, 6 * right], "VP": [40, 40, 40 - right]},
            by_span_length={"1-5": [60, 60, 6 * right], ">5": [40, 40, 40 - right]},
        )

    decoders = {
        name: Decoded(brackets=counts(right), legal=9, splits=90, changed=1, seconds=1.0)
        for name, right in (("cky", matched), ("argmin", matched - 1))
    }
    return Result(
        row=row,
        title=row,
        treebank="genia",
        seed=seed,
        brackets=counts(matched),
        training={"minutes": 1.26, "epochs": 12, "trees": 14326},
        decoders=decoders,
    )


@pytest.fixture
def values(tmp_path: Path) -> Values:
    (tmp_path / "day.json").write_text(
        json.dumps({"results": [{"name": "spanlin en", "best_rate": 1234.5}, {"name": "benepar", "best_rate": 100.0}]})
    )
    (tmp_path / "some.json").write_text(json.dumps({"values": {"a": {"b": 12345.678}}}))
    found = [result("bilstm", 1, 8), result("bilstm", 2, 9), result("psn", 1, 7), result("psn", 2, 7)]
    return Values(Results(found), records=tmp_path, bench=tmp_path)


@pytest.mark.parametrize(
    ("placeholder", "text"),
    [
        ("f1:bilstm:genia", "85.00"),
        ("f1:bilstm:genia:1", "85.0"),
        ("diff:bilstm:psn:genia", "+15.00"),
        ("above:psn:bilstm:genia", "15.00 below"),
        ("decoder:bilstm:argmin:cky:genia", "10.00 below"),
        ("legal:bilstm:genia", "90"),
        ("paper:PTB.Transformer:PTB.BiLSTM", "1.10 above"),
        ("rate:day:spanlin en", "1,234"),
        ("times:day:spanlin en", "12"),
        ("record:some:a.b:,.1f", "12,345.7"),
        ("trees:bilstm:genia", "14,326"),
        ("epochs:bilstm:genia", "12"),
        ("minutes:bilstm:genia", "1.3"),
        ("seeds:bilstm:genia", "2"),
        ("types-ahead:genia", "1 of 2"),
        ("types-behind:genia", "VP"),
        ("type-most:genia", "NP"),
        ("lengths-ahead:genia", "1-5"),
        ("lengths-behind:genia", ">5"),
        ("worst-length:genia", ">5 words (3.75 below, on 40 spans)"),
        ("setting:bilstm:network.scorer.hidden_width", "512"),
        ("paper-setting:most epochs", "150"),
    ],
)
def test_a_placeholder_is_looked_up(values: Values, placeholder: str, text: str) -> None:
    assert values.fill(f"({{{placeholder}}})", "here") == f"({text})"


@pytest.mark.parametrize(
    ("placeholder", "message"),
    [
        ("fl:bilstm:genia", "no such kind of value; known: above, "),
        ("f1:bilstm", "1 is not its number of arguments"),
        ("f1:none:genia", "no result of none on genia"),
        ("f1:bilstm:craft", "no result of bilstm on craft"),
        ("verdict:some:genia", "no verdict on some on genia"),
        ("record:none:a", "there is no none.json in experiments/records"),
        ("record:some:a.c", "records/some.json has no a.c"),
        ("rate:none:spanlin en", "there is no none.json in bench/results"),
        ("setting:bilstm:network.none", "network.none: there is no such key"),
        ("paper-setting:none", "the paper says nothing of it"),
    ],
)
def test_a_placeholder_without_a_value_is_an_error(values: Values, placeholder: str, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        values.fill(f"so {{{placeholder}}}", "here.md")
    assert str(caught.value).startswith(f"here.md: {{{placeholder}}}: {message}")


def test_only_what_is_not_measured_yet_may_be_left_out(values: Values) -> None:
    text = "Ours has {f1:bilstm:genia}.\n\nTheirs has {f1:none:genia}."
    told = "Ours has 85.00.\n\n*Not told yet: here: {f1:none:genia}: no result of none on genia.*"
    assert values.fill_paragraphs(text, "here") == told
    with pytest.raises(MissingValueError):
        values.fill(text, "here")
    with pytest.raises(EvaluationError, match="no such kind"):
        values.fill_paragraphs("{none:genia}", "here")


def test_a_paragraph_or_item_is_told_only_under_its_condition(values: Values) -> None:
    key = "bilstm:network.context.kind"
    text = f"{{when:{key}:bilstm}} One.\n\n{{unless:{key}:bilstm}} Two.\n\n- Three.\n- {{when:{key}:none}} Four."
    assert values.fill(text, "here") == "One.\n\n- Three."
    assert values.fill("{unless:bilstm:network.new:True} Five.", "here") == "Five."


def test_braces_that_are_no_placeholder_stay(values: Values) -> None:
    for text in ("{train,dev}.txt", "a {b} c", '{"a": 1}'):
        assert values.fill(text, "here") == text


def test_lines_are_filled_again_but_for_tables_and_code() -> None:
    words = " ".join(["word"] * 40)
    assert all(len(line) <= 120 for line in wrapped(f"{words}\n\n- {words}\n- {words}").splitlines())
    assert wrapped("- a\n  b\n- c") == "- a b\n- c"
    for kept in ("| a |\n| b |", "```sh\na\nb\n```", "# A\nb"):
        assert wrapped(kept) == kept


def test_lists_read_as_in_a_sentence() -> None:
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "none",
        "a",
        "a and b",
        "a, b and c",
    ]
