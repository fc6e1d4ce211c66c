"""Documents to sentences, and parses to the rows of a shard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, TypeAlias, get_args

from spanlin.compact_json import compact_json
from spanlin.corpus.documents import Document
from spanlin.corpus.parquet import ParquetShard
from spanlin.decimals import round_all
from spanlin.parsed import Parsed
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.text import Sentence, iter_sentences
from spanlin.text.forms import InputForm, read_sentence

OutputFormat: TypeAlias = Literal["jsonl", "parquet"]
OUTPUT_FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)

_DECIMALS = 4  # of probabilities: calibration is no more precise, and rounded numbers compress well
# Columns that are there for every model, so that readers need not know which it was.
_NO_ARCS = dict.fromkeys(("heads", "relations", "universal_tags", "arc_probabilities"))


class DocumentSentence(NamedTuple):
    """A sentence, its number in its document, and the document."""

    document: Document
    number: int
    sentence: Sentence


def split_document(document: Document, form: InputForm, *, longest_sentence: int) -> Iterator[DocumentSentence]:
    """Yield the sentences of a document; by lines or tokenized, the document is one sentence, or none without words.

    Raises a ValueError if such a sentence has more words than allowed; those of running text are cut instead.
    """
    if form == "text":
        sentences = iter_sentences(document.text, longest_sentence=longest_sentence)
        for number, sentence in enumerate(sentences):
            yield DocumentSentence(document, number, sentence)
        return
    sentence = read_sentence(document.text, form)
    if len(sentence.words) > longest_sentence:
        raise ValueError(f"too long: a sentence of {len(sentence.words)} words, of at most {longest_sentence}")
    if sentence.words:
        yield DocumentSentence(document, 0, sentence)


def make_row(found: DocumentSentence, parsed: Parsed) -> dict[str, Any]:
    """Return the row of a sentence: offsets count characters of its document, edges of constituents count words."""
    document, number, sentence = found
    start, end = sentence.starts[0], sentence.ends[-1]
    log_probability = parsed.log_probability
    probabilities = round_all([span[3] for span in parsed.spans], _DECIMALS)
    return {
        "document": document.id,
        "sentence": number,
        "start": start,
        "end": end,
        "text": sentence.text,
        "tokens": list(sentence.words),
        "token_starts": list(sentence.starts),
        "token_ends": list(sentence.ends),
        "tags": list(parsed.tags),
        "tag_probabilities": round_all(parsed.tag_probabilities, _DECIMALS),
        "brackets": parsed.brackets(),
        "constituents": [
            {"label": label, "left": left, "right": right, "probability": probability}
            for probability, (label, left, right, _) in zip(probabilities, parsed.spans, strict=True)
        ],
        "log_probability": None if log_probability is None else round(log_probability, _DECIMALS),
        "certified": parsed.certified,
        **(_NO_ARCS if parsed.dependencies is None else _arcs(parsed.dependencies)),
    }


def _arcs(found: ParsedDependencies) -> dict[str, Any]:
    return {
        "heads": list(found.heads),
        "relations": list(found.relations),
        "universal_tags": list(found.universal_tags),
        "arc_probabilities": round_all(found.arc_probabilities, _DECIMALS),
    }


class Shard(Protocol):
    """A file of rows."""

    def add(self, row: dict[str, Any]) -> None:
        """Add the parse of a sentence."""

    def close(self) -> None:
        """Write what is left."""


class JsonLinesShard:
    """Writes rows of parses as JSON lines."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def add(self, row: dict[str, Any]) -> None:
        """Add the parse of a sentence."""
        self._stream.write(compact_json(row) + b"\n")

    def close(self) -> None:
        """Do nothing: every row is already written."""


def open_shard(stream: BinaryIO, output_format: OutputFormat) -> Shard:
    """Return a shard that writes to the stream."""
    return ParquetShard(stream) if output_format == "parquet" else JsonLinesShard(stream)
