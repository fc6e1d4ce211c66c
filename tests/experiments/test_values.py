"""The values of placeholders that come from results."""

from __future__ import annotations

import pytest
from experiments.all_values import Values
from experiments.results import Brackets, Decoded, Result, Results

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
def values() -> Values:
    found = [result("bilstm", 1, 8), result("bilstm", 2, 9), result("psn", 1, 7), result("psn", 2, 7)]
    return Values(Results(found))


@pytest.mark.parametrize(
    ("placeholder", "text"),
    [
        ("f1:bilstm:genia", "85.00"),
        ("f1:bilstm:genia:1", "85.0"),
        ("diff:bilstm:psn:genia", "+15.00"),
        ("above:psn:bilstm:genia", "15.00 below"),
        ("decoder:bilstm:argmin:cky:genia", "10.00 below"),
        ("legal:bilstm:genia", "90"),
        ("legal:bilstm:genia:1", "90.0"),
        ("paper:PTB.Transformer:PTB.BiLSTM", "1.10 above"),
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
        ("setting:bilstm:network.context.width", "1,024"),
        ("paper-setting:most epochs", "150"),
    ],
)
def test_a_placeholder_is_looked_up(values: Values, placeholder: str, text: str) -> None:
    assert values.fill(f"({{{placeholder}}})", "here") == f"({text})"


@pytest.mark.parametrize(
    ("placeholder", "message"),
    [
        ("f1:none:genia", "no result of none on genia"),
        ("f1:bilstm:craft", "no result of bilstm on craft"),
        ("verdict:some:genia", "no verdict on some on genia"),
        ("setting:bilstm:network.none", "network.none: there is no such key"),
        ("paper-setting:none", "the paper says nothing of it"),
    ],
)
def test_a_placeholder_without_a_value_is_an_error(values: Values, placeholder: str, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        values.fill(f"so {{{placeholder}}}", "here.md")
    assert str(caught.value).startswith(f"here.md: {{{placeholder}}}: {message}")


def test_a_paragraph_or_item_is_told_only_under_its_condition(values: Values) -> None:
    key = "bilstm:network.context.kind"
    text = f"{{when:{key}:bilstm}} One.\n\n{{unless:{key}:bilstm}} Two.\n\n- Three.\n- {{when:{key}:none}} Four."
    assert values.fill(text, "here") == "One.\n\n- Three."
    assert values.fill("{unless:bilstm:network.new:True} Five.", "here") == "Five."
    assert values.fill("{run:bilstm,psn:genia} Six.\n\n{run:bilstm,none:genia} Seven.", "here") == "Six."
