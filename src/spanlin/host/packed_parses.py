"""Parses on their way from one process to another: arrays of many sentences, from which the same parses are made."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanlin.model_folder.folder import ModelFolder
from spanlin.parsed import Parsed
from spanlin.parsed_dependencies import DependencyRecord
from spanlin.runtime.garbage import no_collections
from spanlin.runtime.results import JoinedRecords, RecordMaker, join_records
from spanlin.text import Sentence


class PackedParses(NamedTuple):
    """Parses in a row. What records have is joined; parses that are more than that are there whole."""

    words: list[tuple[str, ...]]
    lines: list[str]
    decoders: list[str]
    certified: list[bool]
    probabilities: list[tuple[float | None, float | None]]
    records: JoinedRecords
    dependencies: tuple[NDArray[np.int32], NDArray[np.float64]] | None
    places: tuple[NDArray[np.int64], NDArray[np.int64], list[str]] | None
    whole: dict[int, Parsed]

    @no_collections()
    def unpack(self, folder: ModelFolder, records: RecordMaker) -> list[Parsed]:
        """Return the parses; `folder` and `records` are of the model that made them."""
        made = iter(self._from_records(folder, records))
        total = len(self.words) + len(self.whole)
        return [self.whole[number] if number in self.whole else next(made) for number in range(total)]

    def _from_records(self, folder: ModelFolder, records: RecordMaker) -> list[Parsed]:
        stretches = list(itertools.pairwise(itertools.accumulate(self.records.words, initial=0)))
        calibrated = folder.is_calibrated
        arcs: Sequence[DependencyRecord | None] = [None] * len(stretches)
        if self.dependencies is not None:
            numbers, chances = self.dependencies
            names = folder.relations, folder.universal_tags, folder.dependencies_calibrated
            arcs = [DependencyRecord(numbers[:, a:b].copy(), chances[a:b].copy(), *names) for a, b in stretches]
        parses = [
            Parsed._from_record(
                record,
                dependencies,
                words=words,
                brackets=line,
                decoder=decoder,
                certified=certified,
                calibrated=calibrated,
                probability=probability,
                log_probability=log_probability,
                left_boundary_log_probs=None,
                right_boundary_log_probs=None,
                marginals=None,
                alternatives=(),
            )
            for record, dependencies, words, line, decoder, certified, (probability, log_probability) in zip(
                records.divide(self.records),
                arcs,
                self.words,
                self.lines,
                self.decoders,
                self.certified,
                self.probabilities,
                strict=True,
            )
        ]
        if self.places is not None:
            first, last, texts = self.places
            starts, stops = first.tolist(), last.tolist()
            for parsed, text, (a, b) in zip(parses, texts, stretches, strict=True):
                parsed._sentence = Sentence(parsed.words, tuple(starts[a:b]), tuple(stops[a:b]), text)
        return parses


def pack_parses(parses: Sequence[Parsed]) -> PackedParses:
    """Return parses as arrays; all of them are by one parser, and either all or none are of sentences of a text."""
    whole = {number: parsed for number, parsed in enumerate(parses) if not _is_plain(parsed)}
    plain = [parsed for number, parsed in enumerate(parses) if number not in whole]
    arcs = [parsed._dependency_record for parsed in plain]
    found = [one for one in arcs if one is not None]
    sentences = [parsed._sentence for parsed in plain if parsed._sentence is not None]
    return PackedParses(
        words=[parsed.words for parsed in plain],
        lines=[parsed.brackets() for parsed in plain],
        decoders=[parsed.decoder for parsed in plain],
        certified=[parsed.certified for parsed in plain],
        probabilities=[(parsed.probability, parsed.log_probability) for parsed in plain],
        records=join_records([parsed._record for parsed in plain]),
        dependencies=(
            np.concatenate([one.numbers for one in found], axis=1),
            np.concatenate([one.chances for one in found]),
        )
        if found
        else None,
        places=(
            _flat([sentence.starts for sentence in sentences]),
            _flat([sentence.ends for sentence in sentences]),
            [sentence.text for sentence in sentences],
        )
        if sentences
        else None,
        whole=whole,
    )


def _is_plain(parsed: Parsed) -> bool:
    """Whether a parse is no more than its record says."""
    return (
        hasattr(parsed, "_record")
        and not parsed.alternatives
        and parsed.marginals is None
        and parsed.left_boundary_log_probs is None
        and parsed.right_boundary_log_probs is None
    )


def _flat(parts: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return np.fromiter(itertools.chain.from_iterable(parts), dtype=np.int64)
