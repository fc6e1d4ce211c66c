"""Verdicts follow from difference and corrected p alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiments.results import Brackets, Decoded, Result, Results
from experiments.rows import load_row
from experiments.tables import PEERS, TABLES
from experiments.verdicts import CLAIMS, Claim, claims_section, judge, paper_f1, read_claims, summary

from spanlin.errors import EvaluationError


def results(row: str, chance: float, *, seeds: int = 3, treebank: str = "genia", spread: float = 0.0) -> list[Result]:
    """Networks of which each bracket is right with this chance."""
    found = []
    for seed in range(1, seeds + 1):
        generator = np.random.default_rng([seed, len(row), *row.encode()])
        gold = np.full(400, 20)
        own = chance + spread * (-1) ** seed
        counts = Brackets(
            signature="drawn",
            status=[0] * 400,
            length=[20] * 400,
            gold=gold.tolist(),
            predicted=gold.tolist(),
            matched=generator.binomial(gold, own).tolist(),
        )
        found.append(Result(row=row, title=row, treebank=treebank, seed=seed, brackets=counts))
    return found


def claim(row: str, other: str, **changes: Any) -> Claim:
    return Claim(**{"name": f"{row}-{other}", "table": "main", "says": "so", "row": row, "other": other, **changes})


def verdicts(claims: list[Claim], found: list[Result]) -> list[str]:
    return [item.verdict for item in judge(claims, Results(found))]


def test_a_better_row_holds_a_worse_one_does_not_and_equals_cannot_be_told() -> None:
    found = [*results("a", 0.9), *results("b", 0.8), *results("c", 0.9)]
    assert verdicts([claim("a", "b"), claim("b", "a"), claim("a", "c")], found) == [
        "holds",
        "does not hold",
        "cannot be told",
    ]


def test_no_worse_holds_for_equals_if_they_are_measured_well_enough() -> None:
    found = [*results("a", 0.99), *results("b", 0.99), *results("c", 0.98)]
    kind = {"kind": "no worse"}
    assert verdicts([claim("a", "c", **kind), claim("c", "a", **kind)], found) == ["holds", "does not hold"]
    (equal,) = judge([claim("a", "b", **kind)], Results(found))
    low, _ = equal.difference.interval
    assert (equal.verdict == "holds") == (equal.p_value < 0.05)
    assert low < 0


def test_seeds_that_differ_much_leave_a_claim_open() -> None:
    found = [*results("a", 0.9, spread=0.02, seeds=2), *results("b", 0.88, seeds=2)]
    (judged,) = judge([claim("a", "b")], Results(found))
    assert judged.verdict == "cannot be told"
    low, high = judged.difference.interval
    assert low < 0 < judged.difference.value < high


def test_more_claims_make_each_harder() -> None:
    found = [*results("a", 0.9), *results("b", 0.893), *results("c", 0.9)]
    (alone,) = judge([claim("a", "b")], Results(found))
    among = judge([claim("a", "b"), *(claim("a", "c", name=f"more-{n}") for n in range(20))], Results(found))
    assert alone.p_value < among[0].p_value <= 21 * alone.p_value + 1e-12


def test_decoders_of_one_network_are_compared_within_it() -> None:
    found = []
    for own, other in zip(results("a", 0.9, spread=0.05), results("b", 0.9, spread=0.05), strict=True):
        worse = [max(0, matched - (place % 3 == 0)) for place, matched in enumerate(own.brackets.matched)]
        decoded = {
            name: Decoded(brackets=counts, legal=1, splits=1, changed=0, seconds=1.0)
            for name, counts in (
                ("cky", own.brackets),
                ("argmin", Brackets(**{**vars(own.brackets), "matched": worse})),
            )
        }
        found.append(Result(**{**vars(own), "decoders": decoded}))
        found.append(other)
    assert verdicts([claim("cky", "argmin", decoders_of="a")], found) == ["holds"]
    assert verdicts([claim("a", "b")], found) == ["cannot be told"]


def test_what_is_not_measured_is_not_judged() -> None:
    assert judge([claim("a", "b")], Results(results("a", 0.9))) == []
    assert judge([claim("a", "b")], Results([*results("a", 0.9), *results("b", 0.9, seeds=1)])) == []


def test_the_table_has_the_papers_difference_beside_ours() -> None:
    found = Results([*results("a", 0.9), *results("b", 0.8)])
    judged = judge([claim("a", "b", paper=("PTB.Transformer", "PTB.BiLSTM"))], found)
    line = claims_section(judged, lambda *_: False).splitlines()[2]
    value = judged[0].difference.value
    assert line.startswith(f"| so | +1.10 | genia | {value:+.2f} | ")
    assert line.endswith("| < 0.001 | **holds** |")
    assert summary(judged).startswith("Of 1 claims, each counted once per treebank, 1 hold, 0 do not hold")


def test_a_confounded_claim_says_so_until_its_row_has_run_otherwise() -> None:
    found = Results([*results("a", 0.9), *results("b", 0.8)])
    judged = judge([claim("a", "b", confounded_unless=("a", "key", "True"))], found)
    assert "| so (confounded, see above) |" in claims_section(judged, lambda *_: False)
    assert "| so |" in claims_section(judged, lambda *setting: setting == ("a", "key", "True", "genia"))


def test_the_claims_are_of_tables_and_rows_that_exist() -> None:
    claims = read_claims()
    assert len(claims) > 10
    for one in claims:
        assert one.table in TABLES
        assert one.treebanks
        if one.paper:
            assert one.paper_difference is not None
        for row in (one.decoders_of,) if one.decoders_of else (one.row, one.other):
            assert row in PEERS or load_row(row).title


def test_mistakes_in_the_claims_are_named(tmp_path: Path) -> None:
    assert read_claims(tmp_path) == []
    (tmp_path / "claims.toml").write_text('[[claims]]\nname = "a"\nkind = "worse"\n')
    with pytest.raises(EvaluationError, match=r"claims\.toml: not a list of claims: kind must be one of"):
        read_claims(tmp_path)
    one = '[[claims]]\nname = "a"\ntable = "main"\nsays = "so"\nrow = "x"\nother = "y"\n'
    (tmp_path / "claims.toml").write_text(one * 2)
    with pytest.raises(EvaluationError, match="two claims have the name a: rename one"):
        read_claims(tmp_path)
    with pytest.raises(EvaluationError, match=r"PTB\.none: the paper has no such figure"):
        paper_f1("PTB.none")


def test_every_text_of_claims_is_of_a_table_or_of_the_deviations() -> None:
    assert {path.stem for path in CLAIMS.glob("*.md")} <= TABLES.keys() | {"deviations"}


def test_a_claim_without_results_is_not_measured() -> None:
    claims = [claim("a", "b"), claim("a", "c", treebanks=("genia", "craft"), paper=("PTB.Transformer", "PTB.BiLSTM"))]
    judged = judge(claims, Results([*results("a", 0.9), *results("b", 0.8), *results("c", 0.8)]))
    told = claims_section(judged, lambda *_: True, claims)
    assert [line.split(" | ")[2] for line in told.splitlines()[2:]] == ["genia", "genia", "craft"]
    assert told.endswith("| so | +1.10 | craft |  |  |  | not measured |")
