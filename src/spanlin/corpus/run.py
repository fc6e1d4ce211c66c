"""A corpus to shards of parses: the entry point for scripts and for the command line."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Generator, Sequence
from contextlib import closing

from spanlin.corpus.inputs import CorpusFile, InputFormat, find_inputs
from spanlin.corpus.job import TIME_LIMIT, CorpusOptions, Job, begin_output, make_job
from spanlin.corpus.parquet import require_pyarrow
from spanlin.corpus.plain_engine import run_plainly
from spanlin.corpus.ray_engine import RaySettings, run_on_ray
from spanlin.corpus.records import UnitRecord
from spanlin.corpus.report import Engine, Report, RunProgress, finish
from spanlin.corpus.units import Unit, cut_into_units
from spanlin.corpus.work import UnitDone
from spanlin.errors import CorpusError
from spanlin.host.processes import usual_processes
from spanlin.model_folder.lookup import find_model
from spanlin.model_folder.path_kinds import is_checkpoint


def parse_corpus(
    inputs: Sequence[str],
    output: str,
    *,
    options: CorpusOptions | None = None,
    input_format: InputFormat | None = None,
    model: str = "en",
    threads: int = 0,
    device: str = "",
    time_limit: float = TIME_LIMIT,
    engine: Engine | None = None,
    ray: RaySettings | None = None,
    processes: int | None = None,
    progress: RunProgress | None = None,
) -> Report:
    """Parse all documents of files, folders, patterns or cloud addresses into shards in the folder `output`.

    A folder that was begun before is resumed: what is complete in it stays, and the rest is done. Bad documents and
    files are listed in its `_errors.jsonl` and do not stop the run; so are documents that kill a worker, or that give
    no sentence for `time_limit` seconds. Without an `engine`, `choose_engine` chooses. `threads` and `processes` are
    for the plain engine, `processes` as many as pay if it is None; on Ray, a worker has as many threads as it has CPUs.
    `progress` may be read from another thread.

    Raises a SpanlinError if there is nothing to parse, or the output cannot be written or belongs to something else.
    """
    options = options or CorpusOptions()
    settings = ray or RaySettings()
    progress = progress or RunProgress()
    progress.engine = engine or choose_engine(settings.address)
    skipped: list[str] = []
    files = find_inputs(inputs, input_format=input_format, outside=output, skipped=skipped)
    progress.skipped = tuple(skipped)
    _require_ids(files, options)
    if options.output_format == "parquet" or any(file.compression == "zst" for file in files):
        require_pyarrow()
    if progress.engine == "ray":
        threads = settings.threads
        device = device or ("cuda" if settings.gpus_per_worker else "")
    job, about = make_job(
        output, files, model=model, threads=threads, device=device, options=options, time_limit=time_limit
    )
    begin_output(job, about)
    units = list(cut_into_units(files, unit_size=options.unit_size))
    progress.units = len(units)
    records: dict[str, UnitRecord] = {}
    with closing(_run(units, job, settings, progress, processes)) as running:
        for done in running:
            progress.add(done)
            records[done.record.unit] = done.record
    return finish(job, progress, units, records)


def _require_ids(files: Sequence[CorpusFile], options: CorpusOptions) -> None:
    """Raise a CorpusError if ids are to come from a file that has no fields."""
    plain = next((file.name for file in files if file.format in {"text", "document"}), None)
    if options.documents.id_field and plain is not None:
        raise CorpusError(
            f"{plain}: plain text has no field {options.documents.id_field!r}; leave out --id-field, or give only "
            "JSON lines and Parquet"
        )


def choose_engine(address: str = "") -> Engine:
    """Return "ray" if there is a cluster to join, or if Ray is installed and not on Windows, else "plain"."""
    is_there = sys.platform != "win32" and importlib.util.find_spec("ray") is not None
    return "ray" if address or is_there else "plain"


def _run(
    units: Sequence[Unit], job: Job, settings: RaySettings, progress: RunProgress, processes: int | None
) -> Generator[UnitDone]:
    if progress.engine == "ray":
        yield from run_on_ray(
            units, job, settings, report_workers=lambda workers: setattr(progress, "workers", workers)
        )
        return
    if is_checkpoint(find_model(job.model)):
        processes = 1  # only the process that loads one can know its words
    elif processes is None:
        processes = usual_processes(job.device)
    count = max(1, min(processes, len(units)))
    progress.workers = str(count)
    yield from run_plainly(units, job, progress.live, processes=count)
