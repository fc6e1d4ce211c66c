"""Raw text to every kind of result, end to end, on sentences none of which comes twice: sentences per second.

One run measures all paths on one machine, new words and known ones. A path that fails is reported, and the others run.
"""

from __future__ import annotations

import gc
import itertools
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.host import Log
from bench.host import measure as measure_stages
from bench.table import machine
from spanlin.corpus import CorpusOptions, parse_corpus
from spanlin.corpus.documents import DocumentOptions
from spanlin.corpus.report import RunProgress
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.text import iter_sentences, segmenter

_FIRST = 20_000  # sentences right after the start
_PARAGRAPH = 5  # sentences of a paragraph of the text
_STAGE_SENTENCES = 3000
_LEFT, _RIGHT = set("([{$#") | {"``", "“", "‘"}, set(".,;:?!)]}%") | {"''", "”", "’", "...", "n't"}
_TARGETS = {  # sentences per second on an H200 machine with 16 cores
    "first 20,000": 20_000,
    "text to brackets": 40_000,
    "text to Parsed, constituents read": 15_000,
    "text to JSON lines": 20_000,
    "corpus to Parquet": 25_000,
    "text to brackets, cky": 20_000,
}


@dataclass(kw_only=True)
class PathFigure:
    """What one path took; an `error` is why it could not be measured, or not to its end."""

    path: str
    processes: int
    words: str
    """"new" if every process has seen none of them, "known" in later passes."""
    sentences: int = 0
    seconds: float = 0.0
    here: float = 0.0
    """Microseconds of CPU time per sentence in the process that runs the network, in all threads."""
    main: float = 0.0
    """The same of its main thread."""
    error: str = ""
    details: dict[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Sentences per second."""
        return self.sentences / self.seconds if self.seconds else 0.0


def read_sentences(files: Sequence[Path], *, count: int, tokenized: bool) -> list[str]:
    """Return distinct lines of files as raw text, at most so many; tokens are joined as English is written."""
    found: dict[str, None] = {}
    for file in files:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                if text := detokenize(line.split()) if tokenized else line.strip():
                    found[text] = None
                if len(found) == count:
                    return list(found)
    return list(found)


def detokenize(words: Sequence[str]) -> str:
    r"""Return words as text: roughly, but without a blank before what takes none.

    >>> detokenize("She did n't say : `` Go ( now ) ! ''".split())
    'She didn\'t say: "Go (now)!"'
    """
    parts: list[str] = []
    is_joined = True
    for word in words:
        starts_joined = word in _RIGHT or bool(re.match(r"['’](?:s|re|ve|ll|d|m|S)\Z", word))
        parts.append(("" if is_joined or starts_joined else " ") + {"``": '"', "''": '"'}.get(word, word))
        is_joined = word in _LEFT
    return "".join(parts)


def write_text(sentences: Sequence[str]) -> str:
    """Return sentences as paragraphs with blank lines between them."""
    source = iter(sentences)
    return "\n\n".join(" ".join(some) for some in iter(lambda: list(itertools.islice(source, _PARAGRAPH)), [])) + "\n"


class PathBench:
    """Measures paths one after another, as long as there is time."""

    def __init__(
        self, model: str, device: str, sentences: Sequence[str], *, processes: int | None, seconds: float, log: Log
    ) -> None:
        self.found: list[PathFigure] = []
        self._model, self._device, self._log = model, device, log
        self._sentences = sentences
        self._end = time.monotonic() + seconds
        self._wanted = processes
        start = time.monotonic()
        self.parser = Parser.load(model, device=device, processes=processes)
        self.details = {"load seconds": time.monotonic() - start}
        self.plain = Parser(
            self.parser.folder, self.parser.backend, workers=self.parser._runner._workers
        )  # the same network, all else in this process

    @property
    def count(self) -> int:
        """How many processes there are beside this one."""
        return self.parser.processes.count if self.parser.processes is not None else 0

    def start(self) -> None:
        """Start the processes anew, so that they know no words, and wait for them."""
        self.parser.close()
        if self.parser.processes is not None:
            start = time.monotonic()
            self.parser.processes.wait()
            self.details.setdefault("start of processes, seconds", time.monotonic() - start)
        for _ in self.parser.stream_brackets("Dogs bark. " * 64):
            pass

    def measure(
        self,
        path: str,
        results: Callable[[Parser], Iterable[Any]],
        *,
        words: str,
        is_plain: bool = False,
        seconds: float = 25.0,
    ) -> PathFigure:
        """Add the figure of a path, whose results are as many as its sentences; it is cut off after some time."""
        figure = PathFigure(path=path, processes=0 if is_plain else self.count, words=words)
        self.found.append(figure)
        limit = min(seconds, self._end - time.monotonic())
        if limit <= 1:
            figure.error = "no time left"
            return figure
        gc.collect()
        clock, cpu, thread = time.monotonic(), time.process_time(), time.thread_time()
        try:
            source = iter(results(self.plain if is_plain else self.parser))
            for _ in source:
                figure.sentences += 1
                if not figure.sentences & 255 and time.monotonic() - clock > limit:
                    break
            figure.seconds = time.monotonic() - clock
            count = max(1, figure.sentences)
            figure.here = 1e6 * (time.process_time() - cpu) / count
            figure.main = 1e6 * (time.thread_time() - thread) / count
            if hasattr(source, "close"):
                source.close()
        except Exception as error:
            figure.error = f"{type(error).__name__}: {error}"[:300]
        self._log(_line(figure))
        return figure

    def measure_corpus(self, sentences: Sequence[str], folder: Path) -> PathFigure:
        """Add the figure of `spanlin corpus` to Parquet; the time starts with the first sentence that is parsed."""
        figure = PathFigure(path="corpus to Parquet", processes=max(1, self.count), words="new")
        self.found.append(figure)
        if self._end - time.monotonic() < 10:
            figure.error = "no time left"
            return figure
        source = folder / "documents.txt"
        paragraphs = write_text(sentences).split("\n\n")
        source.write_text("\n".join(paragraphs), encoding="utf-8")
        progress = RunProgress()
        first = [0.0, 0]
        over = threading.Event()

        def watch() -> None:
            while not over.wait(0.02):
                if done := progress.sentences + progress.live.sentences:
                    first[:] = [time.monotonic(), done]
                    return

        watcher = threading.Thread(target=watch)
        watcher.start()
        begun = time.monotonic()
        try:
            report = parse_corpus(
                [str(source)],
                str(folder / "shards"),
                options=CorpusOptions(output_format="parquet", documents=DocumentOptions()),
                input_format="text",
                model=self._model,
                device=self._device,
                engine="plain",
                processes=self._wanted,
                progress=progress,
            )
            end = time.monotonic()
            if first[1] in {0, report.sentences}:  # none was seen in time, or all at once: too few to say more
                first[:] = [begun, 0]
            figure.sentences = report.sentences - int(first[1])
            figure.seconds = end - first[0]
            figure.details = {"sentences": report.sentences, "seconds with loading": round(end - begun, 2)}
        except Exception as error:
            figure.error = f"{type(error).__name__}: {error}"[:300]
        finally:
            over.set()
            watcher.join()
        self._log(_line(figure))
        return figure

    def measure_command(self, sentences: Sequence[str], folder: Path, output_format: str) -> PathFigure:
        """Add the figure of `spanlin parse FILE`, from its start to its end."""
        figure = PathFigure(path=f"spanlin parse --format {output_format}", processes=self.count, words="new")
        self.found.append(figure)
        left = self._end - time.monotonic()
        if left < 15:
            figure.error = "no time left"
            return figure
        source = folder / "text.txt"
        source.write_text(write_text(sentences), encoding="utf-8")
        command = [sys.executable, "-m", "spanlin", "parse", str(source), "--model", self._model, "-q"]
        command += ["--format", output_format, "--device", self._device]
        if self._wanted is not None:
            command += ["--processes", str(self._wanted)]
        begun = time.monotonic()
        try:
            with open(folder / "output", "wb") as output:
                subprocess.run(command, stdout=output, stderr=subprocess.PIPE, check=True, timeout=left)
            figure.seconds = time.monotonic() - begun
            with open(folder / "output", "rb") as written:
                figure.sentences = sum(1 for _ in written)
        except subprocess.CalledProcessError as error:
            figure.error = f"status {error.returncode}: {error.stderr[-300:].decode(errors='replace')}"
        except subprocess.TimeoutExpired:
            figure.error = f"not done in {left:.0f} seconds"
        self._log(_line(figure))
        return figure


def measure(
    model: str,
    sentences: Sequence[str],
    *,
    device: str,
    processes: int | None,
    seconds: float,
    log: Log,
    plain_count: int = 20_000,
) -> dict[str, Any]:
    """Return the figures of all paths as plain values; all is over after about so many seconds."""
    bench = PathBench(model, device, sentences, processes=processes, seconds=seconds, log=log)
    text = write_text(sentences)
    some = sentences[:plain_count]
    some_text = write_text(some)
    with closing(bench.parser), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench.start()
        brackets: Callable[[Parser], Iterator[str]] = lambda parser: parser.stream_brackets(text)  # noqa: E731
        start_text = write_text(sentences[-_FIRST:])
        bench.measure("first 20,000", lambda parser: parser.stream_brackets(start_text), words="new")
        bench.start()
        bench.measure("text to brackets", brackets, words="new")
        bench.measure("text to brackets", brackets, words="known")
        log("splitting the text once more, for lists of tokens")
        tokens = [sentence.words for sentence in iter_sentences(text)]
        bench.measure("tokens to brackets", lambda parser: parser.bracket_lines(tokens), words="known")
        bench.measure(
            "text to Parsed, constituents read",
            lambda parser: (parsed.constituents() for parsed in parser.stream(text)),
            words="known",
        )
        lines = folder / "lines.jsonl"
        bench.measure("text to JSON lines", lambda parser: _written(parser, text, lines), words="known")
        bench.measure_corpus(sentences, folder)
        bench.measure(
            "text to brackets, cky",
            lambda parser: parser.stream_made(text, Parsed.brackets, ParseOptions(decoder="cky")),
            words="known",
            seconds=15,
        )
        few = tokens[: len(some)]
        segmenter._reader.cache_clear()  # what this process knows of words
        for words in ("new", "known"):
            bench.measure(
                "text to brackets", lambda parser: parser.stream_brackets(some_text), words=words, is_plain=True
            )
        bench.measure("tokens to brackets", lambda parser: parser.bracket_lines(few), words="known", is_plain=True)
        bench.measure(
            "text to Parsed, constituents read",
            lambda parser: (parsed.constituents() for parsed in parser.stream(some_text)),
            words="known",
            is_plain=True,
            seconds=10,
        )
        bench.measure_command(sentences, folder, "json")
        figures = {
            "machine": machine(),
            "model": bench.parser.folder.path.name,
            "device": bench.parser.backend.device,
            "precision": bench.parser.backend.precision,
            "dependencies": bench.parser.has_dependencies,
            "sentences": len(tokens),
            "words": sum(map(len, tokens)),
            **{name: round(value, 2) for name, value in bench.details.items()},
            "paths": [_to_json(figure) for figure in bench.found],
        }
    try:
        batch_tokens = bench.parser.backend.batch_tokens
        stages = measure_stages(
            [model], sentences[:_STAGE_SENTENCES], batch_tokens=batch_tokens, repeats=2, log=log, device=device
        )
        figures["stages"] = stages["models"][0]["stages"]
    except Exception as error:
        figures["stages_error"] = f"{type(error).__name__}: {error}"[:300]
    return figures


def _written(parser: Parser, text: str, path: Path) -> Iterator[None]:
    with open(path, "w", encoding="utf-8") as stream:
        for line in parser.stream_made(text, Parsed.to_json_line):
            stream.write(line)
            stream.write("\n")
            yield


def _to_json(figure: PathFigure) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": figure.path,
        "processes": figure.processes,
        "words": figure.words,
        "sentences": figure.sentences,
        "seconds": round(figure.seconds, 3),
        "sentences_per_second": round(figure.rate),
        "microseconds_here": round(figure.here, 1),
        "microseconds_of_main_thread": round(figure.main, 1),
        **figure.details,
    }
    if figure.error:
        found["error"] = figure.error
    if figure.processes and figure.path in _TARGETS:
        found["target"] = _TARGETS[figure.path]
    return found


def _line(figure: PathFigure) -> str:
    beside = f"{figure.processes} processes" if figure.processes else "one process"
    if figure.error:
        return f"{figure.path}, {beside}: failed: {figure.error}"
    return f"{figure.path}, {beside}, words {figure.words}: {figure.rate:,.0f}/s, here {figure.here:.1f} µs"


def to_markdown(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table of paths, and of that of stages."""
    yield "| path | processes beside | words | sentences/s | µs here | of its main thread |"
    yield "|---|--:|---|--:|--:|--:|"
    for one in figures["paths"]:
        rate = one.get("error") or f"{one['sentences_per_second']:,}"
        yield (
            f"| {one['path']} | {one['processes']} | {one['words']} | {rate} | {one['microseconds_here']} "
            f"| {one['microseconds_of_main_thread']} |"
        )
    if "stages" in figures:
        yield ""
        yield "| stage, one process, without the network | words new, µs | words known, µs |"
        yield "|---|--:|--:|"
        for stage in figures["stages"]:
            cold = "" if stage["cold"] is None else f"{stage['cold']:.1f}"
            yield f"| {stage['stage']} | {cold} | {stage['warm']:.1f} |"


def read_figures(path: Path) -> dict[str, Any]:
    """Return what a run has written."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
