"""The progress of `spanlin corpus` on a terminal, and its summary at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

from spanlin.cli.progress import PolledBar

if TYPE_CHECKING:
    from spanlin.corpus.report import Report, RunProgress


class CorpusProgressBar:
    """A bar on stderr with documents, sentences, their rate, failures and units."""

    def __init__(self, progress: RunProgress, *, shown: bool) -> None:
        self._progress = progress
        columns = (SpinnerColumn(finished_text="✓"), TextColumn("{task.fields[figures]}"), BarColumn(bar_width=16))
        self._bar = PolledBar(
            *columns, TaskProgressColumn(), TimeElapsedColumn(), console=Console(stderr=True), disable=not shown
        )
        self._task = self._bar.add_task("corpus", total=None, figures="")
        self._bar.before = self._update

    def __enter__(self) -> CorpusProgressBar:
        self._bar.start()
        return self

    def __exit__(self, *details: object) -> None:
        if not self._bar.disable:  # older versions of rich print an empty line even if the bar was never shown
            self._bar.stop()

    def _update(self) -> None:
        found = self._progress
        documents = found.documents + found.live.documents
        sentences = found.sentences + found.live.sentences
        figures = (
            f"{documents:,} documents, {sentences:,} sentences, {found.rate:,.0f}/s, "
            f"{found.failures + found.live.failures:,} failed, {found.done:,}/{found.units:,} units"
        )
        self._bar.update(self._task, completed=found.done, total=found.units or None, figures=figures)


def summary(report: Report, output: str) -> Iterator[str]:
    """Yield the lines that say what came of a run."""
    if report.kept:
        yield f"{report.kept:,} of {report.units:,} units were complete already"
    if report.remade:
        shards = ", ".join(report.remade[:3]) + (", ..." if len(report.remade) > 3 else "")
        yield f"{len(report.remade):,} damaged and rewritten: {shards}"
    if report.skipped:
        names = ", ".join(report.skipped_files[:3]) + (", ..." if report.skipped > 3 else "")
        yield f"{report.skipped:,} files skipped because their endings are unknown: {names}; see --input-format"
    yield (
        f"{report.documents:,} documents, {report.sentences:,} sentences in {report.units:,} shards, "
        f"{report.bytes / 1e6:,.1f} MB; {report.new_sentences:,} sentences in {report.seconds:,.1f} s, "
        f"{report.sentences_per_second:,.0f}/s"
    )
    if report.failures or report.incomplete:
        parts = f", {report.incomplete:,} units not read to their end" if report.incomplete else ""
        yield f"{report.failures:,} documents failed{parts}: see _errors.jsonl in {output}"
