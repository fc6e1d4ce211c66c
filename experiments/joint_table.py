"""The table of experiments/joint from its results: `python -m experiments.joint_table` writes it into the docs.

Parsers of others stand below our rows of the same encoder, as far as they have results. Rates are a GPU's: a sentence
below the table has those of peers that were measured in turn with ours on a CPU.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from statistics import mean
from typing import Any

RESULTS = Path(__file__).parent / "joint" / "results"
PEER_RESULTS = Path(__file__).parent / "joint" / "peers"
PAGE = Path(__file__).parents[1] / "docs" / "dependencies.md"
START, END = "<!-- table: joint -->\n", "<!-- end of table -->\n"

_ROWS = {
    "MiniLM": {
        "trees": "trees alone",
        "dependencies": "dependencies alone",
        "joint": "both, weight 0.4",
        "joint-equal": "both, weight 1",
        "joint-wide": "the same, wide vectors",
        "supar-minilm": "SuPar, dependencies alone",
        "supar-minilm-long": "SuPar, 30 epochs",
        "stanza-minilm": "Stanza, dependencies alone",
    },
    "MPNet": {
        "mpnet-trees": "trees alone",
        "mpnet-dependencies": "dependencies alone",
        "mpnet-joint-equal": "both, weight 1",
        "supar-mpnet": "SuPar, dependencies alone",
        "supar-mpnet-long": "SuPar, 20 epochs",
    },
    "GloVe": {"stanza-ewt": "Stanza, dependencies of ewt alone"},
    "none": {"spacy-ewt": "spaCy, dependencies of ewt alone"},
}
_TREES = ("craft", "genia", "gum", "masc")
_DEPENDENCIES = (("ewt", "uas"), ("ewt", "las"), ("gum", "uas"), ("gum", "las"))


def table() -> str:
    """Return the table in Markdown: means over the seeds."""
    head = [
        *(f"F1 {name}" for name in _TREES),
        *(f"{kind.upper()} {name}" for name, kind in _DEPENDENCIES),
        "sentences/s",
    ]
    lines = [f"| encoder | learned | {' | '.join(head)} |", "|---|---|" + "---|" * len(head)]
    for encoder, rows in _ROWS.items():
        for row, title in rows.items():
            found = [json.loads(path.read_text(encoding="utf-8")) for path in results_of(row)]
            if found:
                lines.append(f"| {encoder} | {title} | {' | '.join(_cells(found))} |")
    return "\n".join([*lines, ""])


def section() -> str:
    """Return what stands between the marks: the table, and the rates on a CPU below it."""
    return table() + rates_on_a_cpu()


def rates_on_a_cpu() -> str:
    """Return a paragraph on the peers that were measured in turn with a model folder of ours on one core of a CPU."""
    found = []
    for rows in _ROWS.values():
        for row, title in rows.items():
            for result in (json.loads(path.read_text(encoding="utf-8")) for path in results_of(row)):
                if "in_turn" in result.get("parsing", {}):
                    found.append(_compared(title.partition(",")[0], result))
    text = f"On one core of a CPU, {'; '.join(found)}." if found else ""
    return "".join(f"{line}\n" for line in ["", *textwrap.wrap(text, 125, break_on_hyphens=False)]) if text else ""


def _compared(peer: str, result: dict[str, Any]) -> str:
    theirs, ours = (result["parsing"]["in_turn"][name] for name in (result["report"]["peer"], "spanlin"))
    treebanks = " and ".join(result["dependencies"])
    settings = result["report"]["settings"]
    return (
        f"{peer} parses {theirs:,.0f} sentences of {treebanks} per second to heads and relations, and the model folder "
        f"`{result['parsing']['beside']}` {ours:,.0f} to CoNLL-U with trees, in turn with it (processor time; {peer} "
        f"by itself {result['parsing']['sentences_per_second']:,.0f}). {peer} was trained there for "
        f"{settings['processor_minutes']:.0f} minutes of processor time, {settings['steps']:,} steps, of which step "
        f"{settings['best_step']:,} was the best"
    )


def results_of(row: str) -> list[Path]:
    """Return the files of a row, ours or a peer's, one for each seed."""
    found = [*RESULTS.glob(f"{row}-*.json"), *PEER_RESULTS.glob(f"{row}-*.json")]
    return sorted(path for path in found if path.stem.removeprefix(f"{row}-").isdecimal())


def _cells(found: list[dict[str, Any]]) -> list[str]:
    trees = [[one.get("f1", {}).get(name) for one in found] for name in _TREES]
    arcs = [[one["dependencies"].get(name, {}).get(kind) for one in found] for name, kind in _DEPENDENCIES]
    parsings = [one["parsing"] for one in found if one.get("parsing")]
    rates = [parsing["sentences_per_second"] for parsing in parsings if parsing.get("device") != "cpu"]
    scores = ["" if None in values else f"{mean(values):.2f}" for values in [*trees, *arcs]]
    return [*scores, f"{mean(rates):,.0f}" if rates else ""]


def page_with(text: str, new: str) -> str:
    """Return a page in which the table and the paragraph below it are new ones."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}{new}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), section()), encoding="utf-8")
