"""What the host does beside the network, stage by stage, in CPU time: text, pieces, rows, brackets, objects, files."""

from __future__ import annotations

import gc
import io
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from bench.table import machine
from spanlin.corpus.documents import Document
from spanlin.corpus.parquet import ParquetShard
from spanlin.corpus.rows import DocumentSentence, make_row
from spanlin.host.packed_parses import pack_parses
from spanlin.model_folder.folder import ModelFolder, open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.backend import TREE, Arrays, Backend, IntArray
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.input_rows import InputRows
from spanlin.runtime.results import RecordMaker
from spanlin.runtime.sentences import RunBatch
from spanlin.text import Sentence, iter_sentences
from spanlin.text.blocks import text_blocks

Log = Callable[[str], None]

_DOCUMENT = Document(place=0, id="bench", text="")


class HostBenchError(Exception):
    """Nothing could be measured; the message is one line."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Microseconds of CPU time per sentence: in the first pass, where words are new, and in the fastest later one."""

    stage: str
    cold: float | None
    warm: float


class Replay:
    """A backend that asks another once, keeps its answers in their order, and from then on only gives them back."""

    def __init__(self, backend: Backend, *, batch_tokens: int = 0) -> None:
        """Replay what `backend` answers; `batch_tokens` takes the place of its own, as on another device."""
        self._backend = backend
        self.batch_tokens = batch_tokens or backend.batch_tokens
        self.chunk = max(backend.chunk, batch_tokens // 2)  # as torch has them on a GPU
        if batch_tokens:
            self.batch_overhead = 0
        self._kept: dict[str, list[Any]] = {}
        self._next = 0
        self._pass = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def start(self, name: str) -> None:
        """Begin a pass; passes of one name must ask for the same, as those over the same sentences do."""
        self._pass, self._next = name, 0
        self._kept.setdefault(name, [])

    def run(self, rows: InputRows, word_counts: IntArray, outputs: Sequence[str] = TREE) -> Arrays:
        """Return the outputs asked for."""
        return dict(self._answer(lambda: self._backend.run(rows, word_counts, outputs)))

    def label(self, *inputs: Any) -> Any:
        """Return the log-probabilities of labels."""
        return self._answer(lambda: self._backend.label(*inputs))

    def relate(self, *inputs: Any) -> Any:
        """Return the log-probabilities of relations."""
        return self._answer(lambda: self._backend.relate(*inputs))

    def _answer(self, ask: Callable[[], Any]) -> Any:
        kept = self._kept[self._pass]
        if self._next == len(kept):
            kept.append(ask())
        self._next += 1
        return kept[self._next - 1]


def read_texts(files: Sequence[Path]) -> list[str]:
    """Return the distinct lines of files that are not empty."""
    lines = (line.strip() for file in files for line in file.read_text(encoding="utf-8").splitlines())
    return list(dict.fromkeys(line for line in lines if line))


def measure(
    models: Sequence[str],
    texts: Sequence[str],
    *,
    batch_tokens: int,
    repeats: int,
    log: Log,
    device: str = "",
) -> dict[str, Any]:
    """Return the time of each stage over distinct texts, such as lines of one sentence, as plain values.

    What becomes of the words is measured for each model, with the batches of a CPU or others. The network runs in
    onnxruntime, or in torch on a `device`; its time is not counted.
    """
    if not texts:
        raise HostBenchError("no sentences")
    _split(texts[:1])  # patterns are compiled when first used
    cold, split = timed(lambda: _split(texts))
    warm = _fastest(lambda: _split(texts), repeats)
    text = [_stage("text to sentences and words", len(split), cold, warm)]
    paragraphs = "\n\n".join("\n".join(texts[place : place + 5]) for place in range(0, len(texts), 5))
    cut = _fastest(lambda: list(text_blocks(paragraphs)), repeats)
    text.append(_stage("text cut for processes", len(split), None, cut))
    sentences = list({sentence.words: sentence for sentence in split}.values())
    found = []
    for model in models:
        folder = open_folder(find_model(model))
        replay = Replay(_backend(folder, device), batch_tokens=batch_tokens)
        log(f"{folder.path.name}: {len(sentences)} distinct sentences through the network, once for each output")
        stages = [*text, *_time_parser(folder, replay, sentences, repeats=repeats, log=log)]
        found.append(
            {
                "model": folder.path.name,
                "dependencies": bool(folder.relations),
                "batch_tokens": replay.batch_tokens,
                "stages": [asdict(stage) for stage in stages],
                "paths": _paths({stage.stage: stage.warm for stage in stages}),
            }
        )
    return {
        "machine": machine(),
        "sentences": len(sentences),
        "words": sum(len(sentence.words) for sentence in sentences),
        "repeats": repeats,
        "models": found,
    }


def _backend(folder: ModelFolder, device: str) -> Backend:
    """Return what answers the first time; with a device, torch there."""
    return Parser.from_folder(folder, threads=1, device=device, processes=0).backend


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of this process that some work takes, in all threads, and what comes of it."""
    gc.collect()  # not of what was made before
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def _split(texts: Sequence[str]) -> list[Sentence]:
    return [sentence for text in texts for sentence in iter_sentences(text)]


def _stage(name: str, count: int, cold: float | None, warm: float) -> Stage:
    per_sentence = 1e6 / count
    return Stage(
        stage=name, cold=None if cold is None else round(cold * per_sentence, 2), warm=round(warm * per_sentence, 2)
    )


def _time_parser(
    folder: ModelFolder, replay: Replay, sentences: Sequence[Sentence], *, repeats: int, log: Log
) -> Iterator[Stage]:
    """Yield the stages after the text. What takes place in batches is the time of a pass less that of its rows."""
    backend = cast(Backend, replay)

    def rows(runner: BatchRunner) -> None:
        replay.start("rows")
        for _ in runner.run(sentences, _words, TREE, _nothing):
            pass

    def brackets(parser: Parser) -> None:
        replay.start("brackets")
        for _ in parser.bracket_items(sentences, _words):
            pass

    def parses(parser: Parser) -> list[Parsed]:
        replay.start("parses")
        found = []
        for sentence, parsed in parser.parse_items(sentences, _words):
            parsed.sentence = sentence  # as `Parser.parse` does
            found.append(parsed)
        return found

    count = len(sentences)
    parser = Parser(folder, backend, workers=1)
    brackets(parser)
    parses(parser)  # now the network has answered everything
    rows(BatchRunner(features_of(folder), backend, workers=1))
    runner = BatchRunner(features_of(folder), backend, workers=1)
    cold, _ = timed(lambda: rows(runner))
    row_seconds = _fastest(lambda: rows(runner), repeats)
    yield _stage("words to pieces and rows", count, cold, row_seconds)
    yield _stage("bracket lines", count, None, _fastest(lambda: brackets(parser), repeats) - row_seconds)
    reading = _readings(folder)
    whole = []
    taken: dict[str, list[float]] = {name: [] for name in reading}
    for turn in range(repeats):
        log(f"pass {turn + 1} of {repeats}")
        for name, read in reading.items():
            # Anew for each, as a parse keeps what it was asked for.
            seconds, found = timed(lambda: parses(parser))
            whole.append(seconds)
            taken[name].append(timed(lambda read=read, found=found: read(found))[0])  # type: ignore[misc]
    yield _stage("Parsed", count, None, min(whole) - row_seconds)
    for name, each in taken.items():
        yield _stage(name, count, None, min(each))
    found = parses(parser)
    yield _stage("packed for another process", count, None, _fastest(lambda: _packed(found), repeats))
    sent = _packed(found)
    records = RecordMaker(folder.labels, folder.tags, folder.calibration)
    unpack = _fastest(lambda: pickle.loads(sent).unpack(folder, records), repeats)
    yield _stage("unpacked in another process", count, None, unpack)


def _fastest(work: Callable[[], object], repeats: int) -> float:
    return min(timed(work)[0] for _ in range(repeats))


def _packed(parses: Sequence[Parsed]) -> bytes:
    return pickle.dumps(pack_parses(parses))


def _words(sentence: Sentence) -> Sequence[str]:
    return sentence.words


def _nothing(batch: RunBatch[Any]) -> list[None]:
    return [None] * len(batch.members)


def _readings(folder: ModelFolder) -> dict[str, Callable[[Sequence[Parsed]], object]]:
    """Return what is done with parses, by name."""
    found: dict[str, Callable[[Sequence[Parsed]], object]] = {
        "brackets and tags read": lambda parses: [(one.brackets(), one.tags) for one in parses],
        "constituents read": lambda parses: [one.constituents() for one in parses],
        "JSON": lambda parses: [one.to_json_line() for one in parses],
    }
    if folder.relations:
        found["heads and relations read"] = lambda parses: [(one.heads, one.relations) for one in parses]
        found["CoNLL-U"] = lambda parses: [one.to_conllu() for one in parses]
    found["rows of a corpus"] = lambda parses: [make_row(*_document_parse(one)) for one in parses]
    if find_spec("pyarrow"):
        found["Parquet"] = _parquet
    return found


def _document_parse(parsed: Parsed) -> tuple[DocumentSentence, Parsed]:
    assert parsed.sentence is not None
    return DocumentSentence(_DOCUMENT, 0, parsed.sentence), parsed


def _parquet(parses: Sequence[Parsed]) -> None:
    shard = ParquetShard(io.BytesIO())
    for parsed in parses:
        shard.add(make_row(*_document_parse(parsed)))
    shard.close()


def _paths(warm: Mapping[str, float]) -> dict[str, float]:
    """Return what the stages from a text to some result come to together, in microseconds per sentence."""
    start = warm["text to sentences and words"] + warm["words to pieces and rows"]
    found = {"text to bracket lines": start + warm["bracket lines"], "text to Parsed": start + warm["Parsed"]}
    for name in ("constituents read", "JSON", "heads and relations read", "CoNLL-U", "Parquet"):
        if name in warm:
            found[f"text to Parsed, {name}"] = start + warm["Parsed"] + warm[name]
    return {name: round(value, 2) for name, value in found.items()}


def to_markdown(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a table for each model."""
    for model in figures["models"]:
        yield f"| {model['model']}, batches of {model['batch_tokens']} pieces | words new, µs | words known, µs |"
        yield "|---|--:|--:|"
        for stage in model["stages"]:
            cold = "" if stage["cold"] is None else f"{stage['cold']:.1f}"
            yield f"| {stage['stage']} | {cold} | {stage['warm']:.1f} |"
        for name, value in model["paths"].items():
            yield f"| *{name}* | | {value:.1f} |"
        yield ""
