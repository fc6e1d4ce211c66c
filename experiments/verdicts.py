"""What the paper, and this project, claim of the rows, and whether it holds: words that follow from the numbers.

The claims are in `claims/claims.toml`. A claim is about two rows, or two decoders of one row, on some treebanks.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from experiments import paper_values
from experiments.cells import MISSING, chance, table
from experiments.results import Results
from experiments.significance import LEVEL, Difference, compare, holm
from spanlin.config.table import config_from_table
from spanlin.errors import ConfigError, EvaluationError

CLAIMS = Path(__file__).parent / "claims"
MARGIN = 0.2
"""F1 by which a row may be behind and still count as no worse."""
OTHER_SETTINGS = "only one was run again"
"""In place of a verdict on two rows of which one has its present settings, and the other has earlier ones."""
_NO_RESULTS = Results([])
Verdict = Literal["holds", "does not hold", "cannot be told"]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """`row` is better, or no worse, than `other`; with `decoders_of`, both are decoders on the scores of that row.

    `paper` names the paper's two figures, such as `PTB.BiLSTM`, if it has them. `confounded_unless` is a row, a key of
    its configuration and the value with which the two rows differ in nothing but what the claim is about.
    """

    name: str
    table: str
    says: str
    row: str
    other: str
    kind: Literal["better", "no worse"] = "better"
    treebanks: tuple[str, ...] = ("genia",)
    decoders_of: str = ""
    paper: tuple[str, ...] = ()
    confounded_unless: tuple[str, ...] = ()

    @property
    def paper_difference(self) -> float | None:
        """How much higher the paper's figure for `row` is than that for `other`; None if it prints none."""
        if not self.paper:
            return None
        row, other = (paper_f1(name) for name in self.paper)
        return row - other


class Judged(NamedTuple):
    """A claim on a treebank: `difference` is how much higher `row` is; p is corrected, and that of the verdict."""

    claim: Claim
    treebank: str
    difference: Difference
    p_value: float
    verdict: Verdict


def read_claims(folder: Path = CLAIMS) -> list[Claim]:
    """Return the claims of `claims.toml`; none if there is no such file."""
    path = folder / "claims.toml"
    if not path.exists():
        return []
    try:
        claims = [config_from_table(Claim, item) for item in tomllib.loads(path.read_text(encoding="utf-8"))["claims"]]
    except (ConfigError, KeyError, tomllib.TOMLDecodeError) as error:
        raise EvaluationError(f"{path}: not a list of claims: {error}") from error
    names = [claim.name for claim in claims]
    if twice := {name for name in names if names.count(name) > 1}:
        raise EvaluationError(f"{path}: two claims have the name {min(twice)}: rename one")
    return claims


def paper_f1(name: str) -> float:
    """Return the paper's F1 for a place such as `PTB.BiLSTM` or `ABLATION.no-mlp`."""
    section, _, key = name.partition(".")
    values = {"PTB": paper_values.PTB, "CTB": paper_values.CTB, "ABLATION": paper_values.ABLATION}
    values["INFERENCE"] = paper_values.INFERENCE
    try:
        return values[section][key][2]
    except KeyError as error:
        raise EvaluationError(f"{name}: the paper has no such figure; paper_values.py has them all") from error


def judge(claims: Sequence[Claim], found: Results) -> list[Judged]:
    """Return what can be said of the claims whose rows have results, with two seeds at least.

    Nothing can where only one of two rows has run with its present settings. p-values are corrected for the number of
    all tests, those of a claim that a row is no worse being two.
    """
    measured = {
        f"{claim.name} on {treebank}": (claim, treebank, difference)
        for claim in claims
        for treebank in claim.treebanks
        if (difference := _difference(claim, treebank, found)) is not None
    }
    tests = {f"{name}: differs": difference.p_value for name, (_, _, difference) in measured.items()}
    tests |= {
        f"{name}: no worse": difference.p_no_worse(MARGIN)
        for name, (claim, _, difference) in measured.items()
        if claim.kind == "no worse"
    }
    corrected = holm(tests)
    judged = []
    for name, (claim, treebank, difference) in measured.items():
        differs = corrected[f"{name}: differs"]
        no_worse = corrected.get(f"{name}: no worse", 1.0)
        verdict: Verdict = "cannot be told"
        p_value = differs if claim.kind == "better" else no_worse
        if no_worse < LEVEL or (claim.kind == "better" and differs < LEVEL and difference.value > 0):
            verdict = "holds"
        elif differs < LEVEL and difference.value < 0:
            verdict, p_value = "does not hold", differs
        judged.append(Judged(claim, treebank, difference, p_value, verdict))
    return judged


def _difference(claim: Claim, treebank: str, found: Results) -> Difference | None:
    if not claim.decoders_of and not found.comparable((claim.row, claim.other), treebank):
        return None
    if claim.decoders_of:
        results = [result for result in found.of(claim.decoders_of, treebank) if result.decoders]
        one, two = ([result.decoders[name].brackets for result in results] for name in (claim.other, claim.row))
    else:
        one, two = ([result.brackets for result in found.of(row, treebank)] for row in (claim.other, claim.row))
    return compare(one, two, same_networks=bool(claim.decoders_of))


def claims_section(
    judged: Sequence[Judged],
    has_setting: Callable[..., bool],
    claimed: Sequence[Claim] = (),
    found: Results = _NO_RESULTS,
) -> str:
    """Return claims with their verdicts as a table, then those that are `claimed` but have none, and why.

    `has_setting` says whether a row was run with a setting on a treebank.
    """
    lines = []
    for item in judged:
        unless = item.claim.confounded_unless
        caveat = " (confounded, see above)" if unless and not has_setting(*unless, item.treebank) else ""
        paper = item.claim.paper_difference
        low, high = item.difference.interval
        lines.append(
            [
                f"{item.claim.says}{caveat}",
                "" if paper is None else f"{paper:+.2f}",
                item.treebank,
                f"{item.difference.value:+.2f}",
                f"{low:+.2f} to {high:+.2f}",
                chance(item.p_value),
                f"**{item.verdict}**",
            ]
        )
    is_judged = {(item.claim.name, item.treebank) for item in judged}
    for claim in claimed:
        paper = claim.paper_difference
        lines += [
            [
                claim.says,
                "" if paper is None else f"{paper:+.2f}",
                treebank,
                "",
                "",
                "",
                _why_not(claim, treebank, found),
            ]
            for treebank in claim.treebanks
            if (claim.name, treebank) not in is_judged
        ]
    return table(["claim", "in the paper", "treebank", "here", "95% interval", "corrected p", "verdict"], lines)


def _why_not(claim: Claim, treebank: str, found: Results) -> str:
    """Return why nothing can be said of a claim."""
    is_run = all(found.of(row, treebank) for row in (claim.row, claim.other))
    return OTHER_SETTINGS if is_run and not found.comparable((claim.row, claim.other), treebank) else MISSING


def summary(judged: Sequence[Judged]) -> str:
    """Return how many comparisons hold, in a sentence."""
    counts = {name: sum(item.verdict == name for item in judged) for name in ("holds", "does not hold")}
    held, failed = counts.values()
    return (
        f"Of {len(judged)} claims, each counted once per treebank, {held} hold, {failed} do not hold, and "
        f"{len(judged) - held - failed} cannot be told."
    )
