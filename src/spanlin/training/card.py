"""The card of a packaged model: what it is, what it was made from, what it scores, how far to trust it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spanlin.config.recipe import Recipe
from spanlin.decoding import Temperatures
from spanlin.model_folder.calibration import ArcCalibration, Calibration
from spanlin.training.packaged import TreebankFigures, frequent_labels
from spanlin.training.packaged_dependencies import DependencyFigures


@dataclass(frozen=True, kw_only=True)
class InputFile:
    """A file that went into a model; `use` says how."""

    file: str
    use: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Run:
    """A training run of a recipe; `minutes` is None where its folder does not say."""

    config: str
    seed: int
    minutes: float | None


@dataclass(frozen=True, kw_only=True)
class PackageFigures:
    """All that was measured of a packaged model, and all that it can be traced to."""

    treebanks: tuple[TreebankFigures, ...]
    dependencies: tuple[DependencyFigures, ...] = ()
    calibration: Calibration
    temperatures: Temperatures
    arc_calibration: ArcCalibration | None = None
    """None for a model without dependencies."""
    calibrated_on: tuple[str, ...]
    runs: tuple[Run, ...]
    inputs: tuple[InputFile, ...]
    versions: dict[str, str]
    date: str
    precision: str
    megabytes: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "date": self.date,
            "precision": self.precision,
            "megabytes": self.megabytes,
            "signature": self.treebanks[0].score.signature,
            "treebanks": {treebank.name: treebank.to_dict() for treebank in self.treebanks},
            "dependencies": {figures.name: figures.to_dict() for figures in self.dependencies},
            "calibration": asdict(self.calibration),
            "arc_calibration": None if self.arc_calibration is None else asdict(self.arc_calibration),
            "temperatures": asdict(self.temperatures),
            "calibrated_on": list(self.calibrated_on),
            "runs": [asdict(run) for run in self.runs],
            "inputs": [asdict(item) for item in self.inputs],
            "versions": self.versions,
        }


def write_card(recipe: Recipe, figures: PackageFigures) -> str:
    """Return the card in Markdown."""
    sections = [
        f"# {recipe.title}",
        recipe.description.strip(),
        f"**Licence.** {recipe.licence.strip()}",
        f"## Intended use\n\n{recipe.intended_use.strip()}",
        f"## Scores\n\n{_scores(figures)}",
        f"## Scores by label\n\n{_labels(figures.treebanks)}",
        *([f"## Dependencies\n\n{_dependencies(figures)}"] if figures.dependencies else []),
        f"## Calibration\n\n{_calibration(figures)}",
        f"## Known weaknesses\n\n{_bullets(recipe.weaknesses) or 'None are known yet.'}",
        f"## Data\n\n{_sources(recipe, figures)}",
        f"## How it was made\n\n{_making(recipe, figures)}",
    ]
    return "\n\n".join(sections) + "\n"


def _scores(figures: PackageFigures) -> str:
    rows = [
        [
            treebank.name,
            f"{len(treebank.score.sentences):,}",
            f"{treebank.word_count:,}",
            _percent(treebank.score.f1),
            _percent(treebank.score.precision),
            _percent(treebank.score.recall),
            _percent(treebank.score.complete_match),
            _percent(treebank.tagging_accuracy),
        ]
        for treebank in figures.treebanks
    ]
    table = _table(["dev", "sentences", "words", "F1", "precision", "recall", "complete", "tags"], rows)
    return (
        f"Scores of this folder ({figures.precision}, {figures.megabytes:.1f} MB) on the words of the gold trees. "
        "Labelled brackets are counted as EVALB does with COLLINS.prm, for all sentence lengths, with the gold tags in "
        f"the trees; tagging accuracy is that of all words.\n\n{table}\n\n`{figures.treebanks[0].score.signature}`"
    )


def _labels(treebanks: Sequence[TreebankFigures]) -> str:
    rows = [
        [label, f"{counts.gold:,}", *(_percent(value) for value in (counts.precision, counts.recall, counts.f1))]
        for label, counts in frequent_labels(treebanks).items()
    ]
    return f"All of the above together.\n\n{_table(['label', 'gold', 'precision', 'recall', 'F1'], rows)}"


def _dependencies(figures: PackageFigures) -> str:
    rows = [
        [
            one.name,
            f"{one.sentences:,}",
            f"{one.words:,}",
            *(_percent(value) for value in (one.uas, one.las, one.universal_tags, one.tags)),
            "n/a" if one.calibration_error is None else f"{one.calibration_error:.4f}",
        ]
        for one in figures.dependencies
    ]
    table = _table(["dev", "sentences", "words", "UAS", "LAS", "UPOS", "tags", "ECE of heads"], rows)
    return (
        "Of the same folder on the gold words, by the official evaluation of Universal Dependencies, punctuation "
        "counted. Each head has a probability of being right, whose expected calibration error (15 bins) is last."
        f"\n\n{table}"
    )


def _calibration(figures: PackageFigures) -> str:
    rows = [
        [
            treebank.name,
            *(f"{value:.4f}" for value in (treebank.calibration_error, treebank.confidence, treebank.precision)),
        ]
        for treebank in figures.treebanks
    ]
    return (
        "Each constituent has a probability of being right, span and label. Expected calibration error (15 bins of "
        "equal width, punctuation counted, every label of a unary chain by itself), mean probability, and the share "
        f"that is right:\n\n{_table(['dev', 'ECE', 'probability', 'right'], rows)}\n\n"
        f"The calibration was fitted on {', '.join(figures.calibrated_on)}, and on the same trees the temperatures of "
        f"whole trees: {figures.temperatures.splits:.2f} for splits, {figures.temperatures.labels:.2f} for labels."
    )


def _sources(recipe: Recipe, figures: PackageFigures) -> str:
    parts = []
    for source in recipe.sources:
        files = [item for item in figures.inputs if recipe.source_of(item.file) is source]
        if not files:
            continue
        about = f" {source.about.strip()}" if source.about else ""
        rows = [[f"`{item.file}`", item.use, f"`{item.sha256}`"] for item in files]
        parts.append(
            f"**{source.name}.** Licence: {source.licence}.{about}\n\n{_table(['file', 'use', 'SHA-256'], rows)}"
        )
    return "\n\n".join(parts)


def _making(recipe: Recipe, figures: PackageFigures) -> str:
    rows = [
        [f"`{run.config}`", str(run.seed), "not kept" if run.minutes is None else f"{run.minutes:.1f}"]
        for run in figures.runs
    ]
    versions = ", ".join(f"{name} {version}" for name, version in figures.versions.items())
    lines = [recipe.trained_on.strip(), _table(["run", "seed", "minutes"], rows), f"{figures.date}; {versions}."]
    return "\n\n".join(line for line in lines if line)


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item.strip()}" for item in items)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
