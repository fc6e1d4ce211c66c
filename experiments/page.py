"""The page of all tables and figures, made from result files and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.figures import draw_curve, draw_lengths
from experiments.peer_reports import peer_notes
from experiments.results import Result, Results
from experiments.sections import SECTIONS, bench_section, paper_section
from experiments.tables import TABLES, Table

CLAIMS = Path(__file__).parent / "claims"
PAGE = "paper-tables.md"
NOT_MEASURED = "Not measured yet."
_FIGURES = {"lengths": draw_lengths, "curve": draw_curve}
_ABOUT = {
    "main": "The paper's objective with each encoder, beside other parsers trained on the same trees. Differences and "
    "p are relative to the first row.",
    "faithful": "The paper's settings as it states them, and as its authors' code has them, trained until nothing gets "
    "better: up to 150 epochs, the rate halved whenever F1 on held-out training trees (2 percent) stops rising. Tags "
    "come from jackknifing; word vectors have 50 dimensions, not 100.",
    "recipes": "What we would train today: both linearizations, labels on predicted trees, trees by minimum risk.",
    "types": "F1 of the nine most frequent constituent types, for ours and for per-span normalization (PSN).",
    "lengths": "F1 by the number of words in a span, for ours and for PSN. The paper draws this without printing "
    "numbers; its model is ahead from 11 to 45 words.",
    "ablation": "The full BiLSTM model and three changes to it, one at a time.",
    "inference": "Every decoder on the same scores. Minimum change and minimum risk are not in the paper.",
    "speed": "How fast the rows parse, from words in memory to labelled spans with the argmin decoder, and how fast "
    "they were trained, including evaluation on dev. Rows that ran side by side shared the device.",
    "beyond": "Changes to the paper's objective: the mirrored linearization, both linearizations at once, labels "
    "trained on predicted trees instead of gold ones, the last two together, and the same scores normalized over whole "
    "trees.",
    "settings": "The paper's objective, each change that did better than it, and all of them together, on two "
    "treebanks.",
    "settings-minilm": "The same over MiniLM, the small pretrained encoder of the packaged model.",
    "curve": "The BiLSTM trained on part of the trees.",
    "languages": "Trained on the treebank alone, without word vectors or pretrained encoders.",
}


def render(results: Path, docs: Path, *, bench: Sequence[Path] = (), claims: Path = CLAIMS) -> Path:
    """Write the page and its figures into a docs folder; return the page."""
    found = Results.read(results)
    comparisons = [json.loads(path.read_text(encoding="utf-8")) for path in bench]
    comparisons = [comparison for comparison in comparisons if "results" in comparison and "settings" in comparison]
    parts = [
        "# The paper's tables",
        "This page repeats every table and figure of Wei, Wu and Lan (2020), *A Span-based Linearization for "
        "Constituent Trees*, on treebanks that anyone can download, and adds some more.",
        "- Scores are labelled brackets on dev trees, as `spanlin evaluate` counts them (COLLINS parameters, gold "
        "tags), of trees found by exact inference. Each is a mean over seeds ± its standard deviation. p is that of "
        "the scorer's paired test.\n"
        "- The paper's own numbers are from other treebanks, so compare differences, not scores.\n"
        "- `python -m experiments TABLE --data DIR` trains the rows of a table, and `python -m experiments render` "
        "makes this page from the results.",
        *(_part(table, found, docs, comparisons, claims) for table in TABLES.values()),
    ]
    docs.mkdir(parents=True, exist_ok=True)
    page = docs / PAGE
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return page


def _part(table: Table, found: Results, docs: Path, comparisons: Sequence[dict[str, Any]], claims: Path) -> str:
    source = f" (the paper's {table.source})" if table.source else ""
    parts = [f"## {table.title}{source}", _ABOUT[table.name]]
    measured = _measured(table, found, docs)
    claim = claims / f"{table.name}.md"
    if measured and claim.exists():
        parts.append(claim.read_text(encoding="utf-8").strip())
    parts += measured or [f"*{NOT_MEASURED}* `python -m experiments {table.name} --data DIR`"]
    if table.name == "speed" and comparisons:
        parts.append(bench_section(comparisons))
    if paper := paper_section(table.name):
        parts += [f"### {table.title} in the paper", paper]
    return "\n\n".join(parts)


def _measured(table: Table, found: Results, docs: Path) -> list[str]:
    """Return the parts for each treebank with results."""
    parts: list[str] = []
    for treebank in found.treebanks(table.rows, table.treebanks):
        text = SECTIONS[table.name](found, table, treebank)
        if not text:
            continue
        parts += [f"### {table.title} on {treebank}", text]
        draw = _FIGURES.get(table.name)
        picture = f"paper-figures/{table.name}-{treebank}.svg"
        if draw is not None and draw(found, table, treebank, docs / picture):
            parts.append(f"![{table.title} on {treebank}]({picture})")
        parts.append(_provenance([result for row in (*table.rows, *table.peers) for result in found.of(row, treebank)]))
    return parts


def _provenance(results: Sequence[Result]) -> str:
    """Return on what, when and by which commits the results were made."""
    ours = [result for result in results if result.key]
    machines = sorted({result.machine.get("gpu") or result.machine.get("cpu", "") or result.device for result in ours})
    dates = sorted({result.date for result in ours})
    commits = sorted({result.commit for result in ours})
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    peers = peer_notes(results)
    return f"<small>{', '.join(machines)}; {when}; commit {', '.join(commits)}.{' ' * bool(peers)}{peers}</small>"
