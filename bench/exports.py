"""What exporting a checkpoint costs: trees that change; size, F1 and speed in each precision, beside another model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.table import machine
from spanlin.model_evaluation import evaluate_parser
from spanlin.parser import Parser
from spanlin.training.checkpoint import load_model
from spanlin.training.export import Precision, export_model
from spanlin.training.parsing import parse_sentences
from spanlin.trees.brackets import read_trees
from spanlin.trees.labelled import LabelledSplits, tree_from_splits
from spanlin.trees.transforms import add_root

Log = Callable[[str], None]
Words = Sequence[str]

PRECISIONS: tuple[Precision, ...] = ("fp32", "fp16", "int8")


@dataclass(frozen=True, kw_only=True)
class Row:
    """A model in one precision; `different` counts trees, tags included, that torch does not give in fp32."""

    model: str
    precision: str
    megabytes: float
    f1: float | None
    rate: float
    different: int | None


def measure(
    checkpoints: Mapping[str, Path],
    gold: Path,
    *,
    beside: Sequence[str],
    folder: Path,
    threads: int,
    repeats: int,
    log: Log,
) -> dict[str, Any]:
    """Return the rows of all checkpoints by name, and of the models beside them, as plain values.

    Exported models are kept in `folder`, and those that are there already are used. The rate is that of the fastest
    of some passes, from words to bracket lines.
    """
    sentences = [tree.words for tree in read_trees(gold)]
    rows = []
    for name, checkpoint in checkpoints.items():
        log(f"{name}: {len(sentences)} sentences in torch, fp32")
        expected = torch_lines(checkpoint, sentences)
        for precision in PRECISIONS:
            path = folder / f"{name}-{precision}"
            if not path.exists():
                log(f"{name}: exported in {precision}")
                export_model(checkpoint, path, precision=precision)
            rows.append(_row(name, str(path), sentences, gold, threads, repeats, expected))
            log(str(rows[-1]))
    for model in beside:
        rows.append(_row(model, model, sentences, gold, threads, repeats, None))
        log(str(rows[-1]))
    return {
        "machine": machine(),
        "sentences": len(sentences),
        "threads": threads,
        "rows": [asdict(row) for row in rows],
    }


def torch_lines(checkpoint: Path, sentences: Sequence[Words]) -> list[str]:
    """Return the trees of a checkpoint as training parses in fp32 on the CPU: nothing of a model folder is used."""
    model = load_model(checkpoint)
    given = [LabelledSplits(tuple(words), ("XX",) * len(words), (), (), ()) for words in sentences]
    parses = parse_sentences(model, model.featurizer(given, has_tree=False), given)
    tagged = (parse.splits if parse.tags is None else parse.splits._replace(tags=parse.tags) for parse in parses)
    return [str(add_root(tree_from_splits(one))) for one in tagged]


def to_markdown(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield "| model | precision | MB | F1 | sentences/s | trees that differ from torch's |"
    yield "|---|---|--:|--:|--:|--:|"
    for row in figures["rows"]:
        different = "" if row["different"] is None else f"{row['different']:,} of {figures['sentences']:,}"
        f1 = "" if row["f1"] is None else f"{row['f1']:.2f}"
        yield (
            f"| {row['model']} | {row['precision']} | {row['megabytes']:.1f} | {f1} | {row['rate']:,.0f} "
            f"| {different} |"
        )


def _row(  # noqa: PLR0917 (what a row is measured with)
    name: str,
    model: str,
    sentences: Sequence[Words],
    gold: Path,
    threads: int,
    repeats: int,
    expected: list[str] | None,
) -> Row:
    parser = Parser.load(model, threads=threads)
    lines = list(parser.bracket_lines(sentences))  # a first pass warms up
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        for _ in parser.bracket_lines(sentences):
            pass
        seconds.append(time.perf_counter() - started)
    files = [file for file in parser.folder.path.iterdir() if file.is_file()]
    return Row(
        model=name,
        precision=parser.folder.precision,
        megabytes=sum(file.stat().st_size for file in files) / 1e6,
        f1=evaluate_parser(parser, gold).score.f1,
        rate=len(sentences) / min(seconds),
        different=None if expected is None else sum(map(str.__ne__, lines, expected)),
    )
