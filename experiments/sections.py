"""Each table as Markdown, from results alone; nothing where nothing is measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from experiments import paper_values
from experiments.cells import MISSING, chance, difference, large, number, table
from experiments.results import Brackets, Result, Results, counts_of
from experiments.rows import load_row
from experiments.seed_means import Mean, f1_of, mean, mean_of
from experiments.significance import compare
from experiments.tables import DECODERS, PEERS, Table
from spanlin.evaluation.counts import Counts

Point = tuple[str, int, Mean | None, Mean | None]

_FIGURES: tuple[Callable[[Counts], float | None], ...] = (
    lambda counts: counts.recall,
    lambda counts: counts.precision,
    lambda counts: counts.f1,
)
DECODER_NAMES = {
    "cky": "exact (CKY)",
    "largest": "largest k",
    "argmin": "argmin",
    "min-change": "minimum change",
    "minimum-risk": "minimum risk",
}


def title_of(row: str) -> str:
    """Return how a row is called in tables."""
    return PEERS[row] if row in PEERS else load_row(row).title


def scores(found: Results, rows: Sequence[str], treebank: str, *, against: str = "") -> str:
    """Return recall, precision and F1 of rows; with `against`, how they differ from that row, where comparable."""
    reference = found.of(against, treebank)
    lines = []
    for row in rows:
        results = found.of(row, treebank)
        means = [mean_of(results, figure) for figure in _FIGURES]
        line = [title_of(row), *map(number, means), str(len(results))]
        if against:
            told = row != against and found.comparable((row, against), treebank)
            line += [difference(f1_of(reference), f1_of(results)), _p(reference, results)] if told else ["", ""]
        lines.append(line)
    header = ["", "recall", "precision", "F1", "seeds", *(["difference", "p"] if against else [])]
    return table(header, lines)


def _p(one: Sequence[Result], two: Sequence[Result]) -> str:
    found = compare([result.brackets for result in one], [result.brackets for result in two])
    return chance(None if found is None else found.p_value)


def scores_section(found: Results, of: Table, treebank: str) -> str:
    """Return the rows and peers that are measured against the first of them; a line names the others.

    Which rows are missing is said on the table's own treebanks alone.
    """
    rows = [row for row in (*of.rows, *of.peers) if found.of(row, treebank)]
    text = scores(found, rows, treebank, against=rows[0])
    missing = [title_of(row) for row in (*of.rows, *of.peers) if row not in rows]
    if missing and treebank in of.treebanks:
        text += f"\n\nNot run yet: {', '.join(missing)}."
    return text


def types_section(found: Results, of: Table, treebank: str) -> str:
    """Return F1 of the nine most frequent constituent types, ours against PSN."""
    points = type_points(found, of, treebank)
    if not points:
        return ""
    ours, theirs = (found.of(row, treebank) for row in of.rows[:2])
    points.append(("all", ours[0].brackets.total.gold, f1_of(theirs), f1_of(ours)))
    lines = [[label, f"{count:,}", number(psn), number(own), difference(psn, own)] for label, count, psn, own in points]
    return (
        f"{table(['type', 'count', 'PSN', 'ours', 'difference'], lines)}\n\n"
        f"{len(ours)} seeds of ours and {len(theirs)} of PSN; p of the difference over all types: "
        f"{_p(theirs, ours) or MISSING}."
    )


def type_points(found: Results, of: Table, treebank: str) -> list[Point]:
    """Return for each of the nine most frequent types its name, its gold brackets, F1 of PSN and F1 of ours."""
    ours, theirs = (found.of(row, treebank) for row in of.rows[:2])
    if not ours or not theirs:
        return []
    labels = ours[0].brackets.by_label
    frequent = sorted(labels, key=lambda label: -labels[label][0])[:9]
    return [
        (label, labels[label][0], _part(theirs, "by_label", label), _part(ours, "by_label", label))
        for label in frequent
    ]


def _part(results: Sequence[Result], kind: Literal["by_label", "by_span_length"], name: str) -> Mean | None:
    return mean(counts_of(getattr(result.brackets, kind), name).f1 for result in results)


def lengths_section(found: Results, of: Table, treebank: str) -> str:
    """Return F1 by span length, ours against PSN."""
    points = length_points(found, of, treebank)
    lines = [[name, f"{count:,}", number(psn), number(own), difference(psn, own)] for name, count, psn, own in points]
    return table(["words", "count", "PSN", "ours", "difference"], lines) if points else ""


def length_points(found: Results, of: Table, treebank: str) -> list[Point]:
    """Return for each bucket of lengths its name, its gold spans, F1 of PSN and F1 of ours."""
    ours, theirs = (found.of(row, treebank) for row in of.rows[:2])
    if not ours or not theirs:
        return []
    return [
        (name, counts[0], _part(theirs, "by_span_length", name), _part(ours, "by_span_length", name))
        for name, counts in ours[0].brackets.by_span_length.items()
    ]


def inference_section(found: Results, of: Table, treebank: str) -> str:
    """Return what each decoder makes of the same scores."""
    results = [result for result in found.of(of.rows[0], treebank) if result.decoders]
    if not results:
        return ""
    exact = [result.decoders["cky"].brackets for result in results]
    lines = []
    for name in DECODERS:
        decoded = [result.decoders[name] for result in results]
        parts: list[Brackets] = [item.brackets for item in decoded]
        figures = [mean(figure(part.total) for part in parts) for figure in _FIGURES]
        changed = mean(100 * item.changed / max(item.splits, 1) for item in decoded)
        speed = mean(len(item.brackets.gold) / max(item.seconds, 1e-9) for item in decoded)
        unlike = None if name == "cky" else compare(exact, parts, same_networks=True)
        lines.append(
            [
                DECODER_NAMES[name],
                *map(number, figures),
                chance(None if unlike is None else unlike.p_value),
                "" if changed is None else f"{sum(item.changed for item in decoded):,} ({changed.value:.2f}%)",
                large(None if speed is None else speed.value),
            ]
        )
    legal = mean(100 * result.decoders["argmin"].legal / len(result.brackets.gold) for result in results)
    header = ["", "recall", "precision", "F1", "p", "splits unlike argmin's", "sentences/s"]
    return (
        f"{table(header, lines)}\n\n{number(legal)} percent of the greedy sequences are legal, so their trees are "
        f"provably the most probable ones. {len(results)} seeds; p is that of the difference from exact inference. "
        "Sentences per second are for decoding alone, in NumPy on the CPU; exact inference takes over argmin's tree "
        "where it is certified."
    )


def speed_section(found: Results, of: Table, treebank: str) -> str:
    """Return how fast rows parse and train."""
    lines = []
    for row in of.rows:
        results = found.of(row, treebank)
        if not results:
            continue
        parsing, training, minutes = (
            mean(part.get(key) for part in parts)
            for parts, key in (
                ([result.parsing for result in results], "sentences_per_second"),
                ([result.training for result in results], "sentences_per_second"),
                ([result.training for result in results], "minutes"),
            )
        )
        figures = (None if value is None else value.value for value in (parsing, training, minutes))
        lines.append([title_of(row), *map(large, figures), results[0].machine.get("gpu", results[0].device)])
    return table(["", "parsing, sentences/s", "training, sentences/s", "training, minutes", "device"], lines)


def bench_section(comparisons: Sequence[dict[str, Any]]) -> str:
    """Return the speeds of `python -m bench parsers --json`, ours and the peers', a table for each machine."""
    parts = []
    for comparison in comparisons:
        settings = comparison["settings"]
        machine = comparison["machine"]
        where = machine.get("gpu") or f"{machine['cpu']}, {machine['cores']} cores"
        lines = [[item["name"], large(item.get("best_rate"))] for item in comparison["results"]]
        encoder = f"{settings['encoder'] or 'no pretrained'} encoder"
        parts.append(
            f"{where}, {encoder}, {comparison['date']} (`python -m bench parsers`):\n\n"
            f"{table(['', 'sentences/s'], lines)}"
        )
    return "\n\n".join(parts)


def curve_section(found: Results, of: Table, treebank: str) -> str:
    """Return F1 by the number of trees trained on."""
    lines = [
        [title_of(row), f"{trees:,.0f}", number(f1), str(0 if f1 is None else f1.seeds)]
        for row, trees, f1 in curve_points(found, of, treebank)
    ]
    return table(["", "trees", "F1", "seeds"], lines) if lines else ""


def curve_points(found: Results, of: Table, treebank: str) -> list[tuple[str, float, Mean | None]]:
    """Return for each row that is measured the trees it was trained on and its F1; a single point is not a curve."""
    measured = [(row, results) for row in of.rows if (results := found.of(row, treebank))]
    points = [(row, results[0].training["trees"], f1_of(results)) for row, results in measured]
    return points if len(points) > 1 else []


def paper_section(name: str) -> str:
    """Return the paper's own numbers for a table; nothing where it has none."""
    scored = ["recall", "precision", "F1"]
    match name:
        case "main":
            rows = [["PTB", *row] for row in _triples(paper_values.PTB)]
            rows += [["CTB", *row] for row in _triples(paper_values.CTB)]
            return table(["test set", "model", *scored], rows)
        case "types":
            rows = [
                [label, f"{count:,}", number(psn), number(ours), f"{ours - psn:+.2f}"]
                for label, (count, psn, ours) in paper_values.TYPES.items()
            ]
            return table(["type", "count", "PSN", "ours", "difference"], rows)
        case "ablation":
            named = {title_of(row): values for row, values in paper_values.ABLATION.items()}
            return table(["", *scored], _triples(named))
        case "inference":
            named = {DECODER_NAMES[decoder]: values for decoder, values in paper_values.INFERENCE.items()}
            return table(["", *scored], _triples(named))
        case "speed":
            return table(["", "sentences/s"], [[model, str(rate)] for model, rate in paper_values.SPEED.items()])
        case _:
            return ""


def _triples(values: dict[str, tuple[float, float, float]]) -> list[list[str]]:
    # As many decimals as the paper has.
    return [[name, *map(str, figures)] for name, figures in values.items()]


SECTIONS: dict[str, Callable[[Results, Table, str], str]] = {
    "main": scores_section,
    "types": types_section,
    "lengths": lengths_section,
    "ablation": scores_section,
    "inference": inference_section,
    "speed": speed_section,
    "faithful": scores_section,
    "recipes": scores_section,
    "beyond": scores_section,
    "settings": scores_section,
    "settings-minilm": scores_section,
    "curve": curve_section,
    "languages": scores_section,
}
