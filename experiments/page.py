"""The page of all tables and figures, made from result files and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from experiments.all_values import Values
from experiments.deviations import deviations_section
from experiments.figures import draw_curve, draw_lengths
from experiments.peer_reports import peer_notes
from experiments.results import Result, Results
from experiments.sections import DECODER_NAMES, SECTIONS, bench_section, paper_section, scores_section, title_of
from experiments.tables import DECODER, TABLES, Table
from experiments.verdicts import CLAIMS, MARGIN, Claim, Judged, claims_section, judge, read_claims, summary

PAGE = "paper-tables.md"
NOT_MEASURED = "Not measured yet."
_FIGURES = {"lengths": draw_lengths, "curve": draw_curve}
_ABOUT = {
    "main": "The paper's objective with each encoder, beside other parsers trained on the same trees. Differences and "
    "p are relative to the first row.",
    "faithful": "The paper's settings as it states them, and as its authors' code has them, trained until nothing "
    "improves: up to 150 epochs, the rate halved whenever F1 on held-out training trees (2 percent) stops rising. Tags "
    "come from jackknifing; word vectors have 50 dimensions, not 100.",
    "recipes": "What we would train today: both linearizations, labels on predicted trees, trees by minimum risk. The "
    "recipe was chosen on the dev trees that it is scored on here, so these scores flatter it.",
    "types": "F1 of the nine most frequent constituent types, for ours and for per-span normalization (PSN).",
    "lengths": "F1 by the number of words in a span, for ours and for PSN. The paper draws this without printing "
    "numbers; its model is ahead from 11 to 45 words.",
    "ablation": "The full BiLSTM model and the paper's three changes to it.",
    "inference": "Every decoder on the same scores. Minimum change and minimum risk are not in the paper.",
    "speed": "How fast the rows parse, from words in memory to labelled spans with the argmin decoder, and how fast "
    "they were trained, including evaluation on dev. Rows that ran side by side shared the device.",
    "beyond": "Changes to the paper's objective: the mirrored linearization, both linearizations at once, labels "
    "trained on predicted trees instead of gold ones, the last two together, and the same scores normalized over whole "
    "trees.",
    "settings": "The paper's objective, three changes to it, and all of them together, on two treebanks.",
    "settings-minilm": "The same over MiniLM, the small pretrained encoder of the packaged model.",
    "curve": "The BiLSTM trained on part of the trees.",
    "languages": "Trained on the treebank alone, without word vectors or pretrained encoders.",
}


def render(
    results: Path, docs: Path, *, bench: Sequence[Path] = (), claims: Path = CLAIMS, is_strict: bool = False
) -> Path:
    """Write the page and its figures into a docs folder; return the page.

    With `is_strict`, prose that needs a value which is not measured is an error; otherwise a line says so in its place.
    """
    found = Results.read(results)
    comparisons = [json.loads(path.read_text(encoding="utf-8")) for path in bench]
    comparisons = [comparison for comparison in comparisons if "results" in comparison and "settings" in comparison]
    claimed = read_claims(claims)
    judged = judge(claimed, found)
    page = _Page(found, docs, comparisons, _Prose(Values(found, judged), claims, is_strict), claimed, judged)
    parts = [
        "# The paper's tables",
        "This page repeats every table and figure of Wei, Wu and Lan (2020), *A Span-based Linearization for "
        "Constituent Trees*, on treebanks that anyone can download, and adds some more.",
        "- Scores are labelled brackets on dev trees, as `spanlin evaluate` counts them (COLLINS parameters, gold "
        "tags), of trees found by exact inference unless a line says otherwise. Each is a mean over seeds ± its "
        "standard deviation.\n"
        "- p counts seeds as well as sentences: it is the chance of so large a difference between two equally good "
        "rows if both were trained again with other seeds and scored on other sentences. The variance between the "
        "seeds of each row and that between sentences, paired, are added up, and the difference is compared with "
        "Student's t (`experiments/significance.py`, after Hillis 2014). A row with one seed has no p.\n"
        "- In the tables, p is that of one difference. Verdicts follow from p corrected for all claims of this page "
        "(Holm): a claim *holds* or *does not hold* if corrected p is below 0.05 for it or against it, and otherwise "
        f"*cannot be told*. *No worse* means behind by less than {MARGIN} F1.{' ' * bool(judged)}"
        f"{summary(judged) if judged else ''}\n"
        "- The paper's own numbers are from other treebanks, so compare differences, not scores.\n"
        "- `python -m experiments TABLE --data DIR` trains the rows of a table, and `python -m experiments render` "
        "makes this page, prose included, from the results.",
        *_what_is_old(found),
        *(page.part(table) for table in TABLES.values()),
        "## Deviations from the paper",
        "Rows that stand for the paper's model, beside what the paper says of its settings and what its authors' "
        "code does. ≠ marks what differs from either. A row that has results is shown as it was run.",
        deviations_section(found),
        *page.prose.of("deviations"),
    ]
    docs.mkdir(parents=True, exist_ok=True)
    path = docs / PAGE
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def _what_is_old(found: Results) -> list[str]:
    """Return a paragraph on rows whose settings have changed since they were run, and on tables without results."""
    run = {
        (row, treebank)
        for table in TABLES.values()
        for treebank in table.treebanks
        for row in table.rows
        if found.of(row, treebank)
    }
    old = [one for one in run if found.changed_keys(*one)]
    measured = {row for row, _ in run}
    missing = [f"*{table.title}*" for table in TABLES.values() if not measured.intersection(table.rows)]
    said = []
    if old:
        said.append(
            f"Of {len(run)} rows with results, each counted once per treebank, {len(old)} ran before their "
            "settings were last changed. Their scores are those of the settings that they had then; the tables name "
            "these rows, and do not compare them with rows that have run since."
        )
    if run and missing:
        said.append(f"Not measured yet: {', '.join(missing)}.")
    return [f"**What is not up to date.** {' '.join(said)}"] if said else []


class _Prose(NamedTuple):
    """What is said of each table, and of deviations: `claims/TABLE.md` with its values."""

    values: Values
    folder: Path
    is_strict: bool

    def of(self, name: str) -> list[str]:
        path = self.folder / f"{name}.md"
        if not path.exists():
            return []
        text, where = path.read_text(encoding="utf-8").strip(), f"claims/{path.name}"
        return [self.values.fill(text, where) if self.is_strict else self.values.fill_paragraphs(text, where)]


class _Page(NamedTuple):
    """All that the parts of the page are made from."""

    found: Results
    docs: Path
    comparisons: Sequence[dict[str, Any]]
    prose: _Prose
    claimed: Sequence[Claim]
    judged: Sequence[Judged]

    def part(self, table: Table) -> str:
        source = f" (the paper's {table.source})" if table.source else ""
        parts = [f"## {table.title}{source}", _ABOUT.get(table.name, "")]
        # Prose is about the table's own treebanks, and needs one of them.
        if any(self.found.of(row, treebank) for row in table.rows for treebank in table.treebanks):
            parts += self.prose.of(table.name)
        if told := [item for item in self.judged if item.claim.table == table.name]:
            claimed = [claim for claim in self.claimed if claim.table == table.name]
            parts.append(claims_section(told, self.prose.values.has_setting, claimed, self.found))
        parts += _measured(table, self.found, self.docs) or [
            f"*{NOT_MEASURED}* `python -m experiments {table.name} --data DIR`"
        ]
        if table.name == "speed" and self.comparisons:
            parts.append(bench_section(self.comparisons))
        if paper := paper_section(table.name):
            parts += [f"### {table.title} in the paper", paper]
        return "\n\n".join(part for part in parts if part)


def _measured(table: Table, found: Results, docs: Path) -> list[str]:
    """Return the parts for each treebank with results."""
    parts: list[str] = []
    for treebank in found.treebanks(table.rows, table.treebanks):
        text = SECTIONS.get(table.name, scores_section)(found, table, treebank)
        if not text:
            continue
        parts += [f"### {table.title} on {treebank}", text]
        draw = _FIGURES.get(table.name)
        picture = f"paper-figures/{table.name}-{treebank}.svg"
        if draw is not None and draw(found, table, treebank, docs / picture):
            parts.append(f"![{table.title} on {treebank}]({picture})")
        parts += _caveats(table, found, treebank)
        parts.append(_provenance([result for row in (*table.rows, *table.peers) for result in found.of(row, treebank)]))
    return parts


def _caveats(table: Table, found: Results, treebank: str) -> list[str]:
    """Return which rows have other decoders than the others, or were run with settings that their files had before."""
    decoders: dict[str, list[str]] = {}
    old: dict[str, list[str]] = {}
    for row in table.rows:
        results = found.of(row, treebank)
        decoder = results[0].config.get("row", {}).get("decoder", DECODER) if results else DECODER
        if decoder != DECODER:
            decoders.setdefault(decoder, []).append(title_of(row))
        if keys := found.changed_keys(row, treebank):
            old.setdefault(", ".join(f"`{key}`" for key in keys), []).append(title_of(row))
    lines = [f"Trees by {DECODER_NAMES[name]}: {', '.join(rows)}." for name, rows in decoders.items()]
    if old:
        told = (f"{'; '.join(rows)} ({keys})" for keys, rows in old.items())
        lines.append(f"Run with earlier settings than these rows have now: {'; '.join(told)}.")
    return lines


def _provenance(results: Sequence[Result]) -> str:
    """Return on what, when and by which commits the results were made: trained, and scored."""
    ours = [result for result in results if result.key]
    scored = [
        {
            "machine": result.machine.get("gpu") or result.machine.get("cpu", "") or result.device,
            "date": result.date,
            "commit": result.commit,
        }
        for result in ours
    ]
    known = [*scored, *(result.trained for result in ours if result.trained)]
    machines, dates, commits = (sorted({each[key] for each in known}) for key in ("machine", "date", "commit"))
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    peers = peer_notes(results)
    return f"<small>{', '.join(machines)}; {when}; commit {', '.join(commits)}.{' ' * bool(peers)}{peers}</small>"
