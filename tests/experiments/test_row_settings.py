"""Results with earlier settings than their rows' files have now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from experiments.all_values import Values
from experiments.page import render
from experiments.results import Brackets, Result, Results
from experiments.row_settings import changed_keys, settings_now
from experiments.sections import scores
from experiments.verdicts import Claim, claims_section, judge

from spanlin.config.toml_files import merge_tables
from spanlin.errors import EvaluationError

NOW = settings_now("bilstm")
HIDDEN = "network.scorer.hidden_width"


def with_width(width: int) -> dict[str, Any]:
    return merge_tables(NOW, {"network": {"scorer": {"hidden_width": width}}})


def result(seed: int, config: dict[str, Any], *, treebank: str = "genia", matched: int = 8) -> Result:
    status, length, gold, predicted, right = ([value] * 5 for value in (0, 9, 10, 10, matched))
    counts = Brackets(signature="by hand", status=status, length=length, gold=gold, predicted=predicted, matched=right)
    return Result(
        row="bilstm",
        title="bilstm",
        treebank=treebank,
        seed=seed,
        key="k",
        brackets=counts,
        training={"trees": 9},
        config={**config, "epochs": 3, "treebanks": [{"name": treebank}]},
    )


def test_a_row_whose_file_has_changed_since_it_was_run_is_told_with_the_keys() -> None:
    assert changed_keys("bilstm", {}) == []
    assert changed_keys("bilstm", {**NOW, "epochs": 3, "seed": 9}) == []
    assert changed_keys("bilstm", {**with_width(4), "averaging": 0.5}) == [HIDDEN, "averaging"]
    assert changed_keys("a removed row", {"averaging": 0.5}) == []


def test_a_result_without_a_newer_key_was_run_with_its_default() -> None:
    old = {**NOW, "network": {**NOW["network"], "scorer": dict(NOW["network"]["scorer"])}}
    del old["network"]["scorer"]["graph_layers"]
    assert changed_keys("bilstm", old) == []
    del old["network"]["scorer"]["separate_boundaries"]
    assert changed_keys("bilstm", old) == ["network.scorer.separate_boundaries"]


def test_settings_do_not_mix_in_a_mean() -> None:
    old = [result(seed, with_width(4), matched=2) for seed in (1, 2, 3)]
    elsewhere = result(1, with_width(4), treebank="craft")
    found = Results([result(1, NOW), *old[1:], elsewhere])
    assert [(one.seed, one.brackets.matched[0]) for one in found.of("bilstm", "genia")] == [(1, 8)]
    assert found.changed_keys("bilstm", "genia") == []
    assert found.of("bilstm", "craft") == [elsewhere]
    assert found.changed_keys("bilstm", "craft") == [HIDDEN]
    assert Results(old).of("bilstm", "genia") == old


def test_a_page_with_a_rerun_seed_has_no_mean_of_two_settings(tmp_path: Path) -> None:
    for one in (result(1, NOW), *(result(seed, with_width(4), matched=2) for seed in (2, 3))):
        one.write(tmp_path / "results")
    page = render(tmp_path / "results", tmp_path / "docs", claims=tmp_path / "none").read_text(encoding="utf-8")
    own = page.partition("### Ablation on genia")[2].partition("<small>")[0]
    assert "| BiLSTM | 80.00 | 80.00 | 80.00 | 1 |  |  |" in own
    assert "earlier settings" not in own


def test_every_result_with_other_settings_is_told_not_only_the_first() -> None:
    found = Results([result(1, with_width(4)), result(2, {**NOW, "averaging": 0.5})])
    assert found.changed_keys("bilstm", "genia") == [HIDDEN, "averaging"]


@pytest.mark.parametrize(("widths", "is_set"), [((4, 4), True), ((4, 5), False), ((5, 4), False)])
def test_a_row_has_a_setting_only_if_all_its_results_have_it(widths: tuple[int, int], is_set: bool) -> None:
    found = [
        replace(result(seed, with_width(width)), treebank=treebank)
        for seed, width, treebank in zip((1, 2), widths, ("craft", "genia"), strict=True)
    ]
    assert Values(Results(found)).has_setting("bilstm", HIDDEN, "4") is is_set
    assert Values(Results(found)).has_setting("bilstm", HIDDEN, str(widths[1]), "genia")
    assert Values(Results([])).has_setting("bilstm", HIDDEN, str(NOW["network"]["scorer"]["hidden_width"]))


def two_rows(one: int, other: int) -> Results:
    """The row `bilstm` with one width of its MLPs, and `psn` with another, in two seeds each."""
    of_psn = merge_tables(settings_now("psn"), {"network": {"scorer": {"hidden_width": other}}})
    found = [result(seed, with_width(one), matched=7 + seed) for seed in (1, 2)]
    found += [replace(result(seed, of_psn, matched=5 + seed), row="psn") for seed in (1, 2)]
    return Results([*found, replace(result(1, {}, matched=5), row="supar")])


NEW = NOW["network"]["scorer"]["hidden_width"]


@pytest.mark.parametrize(
    ("widths", "is_told"), [((NEW, NEW), True), ((4, 4), True), ((NEW, 4), False), ((4, NEW), False)]
)
def test_rows_of_old_and_new_settings_are_not_compared(widths: tuple[int, int], is_told: bool) -> None:
    found = two_rows(*widths)
    assert found.comparable(("bilstm", "psn"), "genia") is is_told
    assert found.comparable(("bilstm", "supar"), "genia"), "others' parsers have no rows of ours"
    values = Values(found)
    assert values.is_run("bilstm,psn", "genia") is is_told
    claim = Claim(name="psn", table="types", says="so", row="bilstm", other="psn")
    assert len(judge([claim], found)) == is_told
    told = claims_section([], lambda *_: True, [claim, replace(claim, other="none")], found).splitlines()[2:]
    assert [line.endswith("| only one was run again |") for line in told] == [not is_told, False]
    assert told[1].endswith("| not measured |")
    if is_told:
        assert values.fill("{above:bilstm:psn:genia}", "here") == "20.00 above"
    else:
        with pytest.raises(
            EvaluationError, match="only one of bilstm and psn has run on genia with its present settings"
        ):
            values.fill("{above:bilstm:psn:genia}", "here")
    line = scores(found, ["bilstm", "psn"], "genia", against="bilstm").splitlines()[-1]
    assert line.startswith("| PSN | 65.00")
    assert line.endswith("|  |  |") is not is_told
