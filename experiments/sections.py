"""Each table as Markdown, from results alone; nothing where nothing is measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from experiments import paper_values
from experiments.cells import chance, difference, large, number, table
from experiments.results import Brackets, Result, Results, counts_of
from experiments.rows import load_row
from experiments.seed_means import Mean, mean, mean_of, p_value, paired
from experiments.tables import DECODERS, PEERS, Table
from spanlin.evaluation.counts import Counts

_FIGURES: tuple[Callable[[Counts], float | None], ...] = (
    lambda counts: counts.recall,
    lambda counts: counts.precision,
    lambda counts: counts.f1,
)
_DECODER_NAMES = {
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
    """Return recall, precision and F1 of rows; with `against`, how they differ from that row."""
    reference = found.of(against, treebank)
    lines = []
    for row in rows:
        results = found.of(row, treebank)
        means = [mean_of(results, figure) for figure in _FIGURES]
        line = [title_of(row), *map(number, means), str(len(results))]
        if against:
            one, two = paired(reference, results)
            f1s = [mean_of(part, _FIGURES[2]) for part in (one, two)]
            line += ["", ""] if row == against else [difference(*f1s), chance(_p_value(one, two))]
        lines.append(line)
    header = ["", "recall", "precision", "F1", "seeds", *(["difference", "p"] if against else [])]
    return table(header, lines)


def _p_value(one: Sequence[Result], two: Sequence[Result]) -> float | None:
    return p_value([result.brackets for result in one], [result.brackets for result in two])


def scores_section(found: Results, of: Table, treebank: str) -> str:
    """Return rows and peers against the first row; on treebanks other than the table's own, those that are measured."""
    rows = [row for row in (*of.rows, *of.peers) if treebank in of.treebanks or found.of(row, treebank)]
    return scores(found, rows, treebank, against=of.rows[0])


def types_section(found: Results, of: Table, treebank: str) -> str:
    """Return F1 of the nine most frequent constituent types, ours against PSN."""
    ours, theirs = paired(*(found.of(row, treebank) for row in of.rows))
    if not ours:
        return ""
    labels = ours[0].brackets.by_label
    frequent = sorted(labels, key=lambda label: -labels[label][0])[:9]
    lines = []
    for label in frequent:
        psn, own = (mean(counts_of(result.brackets.by_label, label).f1 for result in part) for part in (theirs, ours))
        lines.append([label, f"{labels[label][0]:,}", number(psn), number(own), difference(psn, own)])
    all_of = [mean_of(part, _FIGURES[2]) for part in (theirs, ours)]
    gold = f"{ours[0].brackets.total.gold:,}"
    lines.append(["all", gold, *map(number, all_of), difference(*all_of)])
    test = chance(_p_value(theirs, ours))
    return (
        f"{table(['type', 'count', 'PSN', 'ours', 'difference'], lines)}\n\n"
        f"{len(ours)} seeds; p of the difference over all types: {test}."
    )


def lengths_section(found: Results, of: Table, treebank: str) -> str:
    """Return F1 by span length, ours against PSN."""
    points = length_points(found, of, treebank)
    lines = [[name, f"{count:,}", number(psn), number(own), difference(psn, own)] for name, count, psn, own in points]
    return table(["words", "count", "PSN", "ours", "difference"], lines) if points else ""


def length_points(found: Results, of: Table, treebank: str) -> list[tuple[str, int, Mean | None, Mean | None]]:
    """Return for each bucket of lengths its name, its gold spans, F1 of PSN and F1 of ours."""
    ours, theirs = paired(*(found.of(row, treebank) for row in of.rows))
    if not ours:
        return []
    return [
        (
            name,
            counts[0],
            *(mean(counts_of(result.brackets.by_span_length, name).f1 for result in part) for part in (theirs, ours)),
        )  # type: ignore[misc]
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
        lines.append(
            [
                _DECODER_NAMES[name],
                *map(number, figures),
                "" if name == "cky" else chance(p_value(exact, parts)),
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
        parts.append(
            f"{where}, {settings['encoder']} encoder, {comparison['date']} (`python -m bench parsers`):\n\n"
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
    points = [(row, results[0].training["trees"], mean_of(results, _FIGURES[2])) for row, results in measured]
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
            named = {_DECODER_NAMES[decoder]: values for decoder, values in paper_values.INFERENCE.items()}
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
