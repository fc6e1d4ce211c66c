"""A Universal Dependencies treebank as train, dev and test files, checked, with every sentence accounted for."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spanlin.atomic_files import NewFile
from spanlin.dependencies.conllu import format_conllu, read_conllu
from spanlin.dependencies.sentence import ConlluSentence
from spanlin.dependencies.validation import sentence_problems
from spanlin.errors import ConlluError, TreebankError
from spanlin.trees.treebanks.folders import existing_folder, list_folder
from spanlin.trees.treebanks.preparation import MANIFEST, check_destination
from spanlin.trees.treebanks.treebank import Remarks

SPLITS = ("train", "dev", "test")
MASKED = "words are underscores"
_EXPECTED = "a Universal Dependencies treebank, with files such as en_ewt-ud-train.conllu"
_FILE = re.compile(r"(?:.*-ud-)?(train|dev|test)(?:-.*)?\.conllu(?:\.gz)?")
_SHOWN_ERRORS = 10


@dataclass(frozen=True, kw_only=True)
class UDSplit:
    """The counts of one split; `relations` by relation with its subtype, `dropped` by reason."""

    name: str
    file: str
    documents: int
    sentences: int
    words: int
    multi_word_tokens: int
    empty_nodes: int
    relations: Mapping[str, int]
    dropped: Mapping[str, int]
    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class UDPreparation:
    """The counts of a whole treebank. `problems` has a line for each kind, `malformed` the first few errors."""

    source: str
    release: str
    splits: tuple[UDSplit, ...]
    problems: tuple[str, ...]
    malformed: tuple[str, ...]

    def to_json(self) -> str:
        """Return the counts as a JSON object; the same input gives the same text."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False, indent=2)

    def to_text(self) -> str:
        """Return the counts as a table, with a line below for each reason to drop sentences."""
        rows: list[tuple[str, ...]] = [
            ("split", "documents", "sentences", "words", "multi-word", "empty", "relations", "dropped")
        ]
        for split in self.splits:
            counts = (split.documents, split.sentences, split.words, split.multi_word_tokens, split.empty_nodes)
            rest = (len(split.relations), sum(split.dropped.values()))
            rows.append((split.name, *(f"{count:,}" for count in (*counts, *rest))))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join((row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])))  # numbers to the right
            for row in rows
        ]
        for split in self.splits:
            lines += [f"dropped from {split.name}: {count:,} sentences, {why}" for why, count in split.dropped.items()]
        return "\n".join(lines)


def prepare_ud(source: Path, destination: Path, *, skip_bad: bool = False, strict: bool = False) -> UDPreparation:
    """Write train.conllu, dev.conllu and test.conllu below `destination`, as far as the treebank has them.

    Sentences stay byte for byte as they are; those whose words are underscores, for users to fill in, are dropped.
    Memory does not grow with the treebank, and files appear only when all are read. With `skip_bad`, malformed
    sentences are counted and skipped; with `strict`, problems of valid ones are an error.
    """
    files = find_ud(source)
    names = [f"{split}.conllu" for split in files]
    check_destination([path for paths in files.values() for path in paths], names, destination)
    problems = Remarks()
    malformed: list[ConlluError] = []
    try:
        destination.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            splits, outputs = [], []
            for split, paths in files.items():
                output = stack.enter_context(NewFile(destination / f"{split}.conllu"))
                writer = _SplitWriter(split, output, problems)
                for path in paths:
                    writer.write_file(path, malformed if skip_bad else None)
                splits.append(writer.summary())
                outputs.append(output)
                if not splits[-1].sentences:
                    raise TreebankError(f"{paths[0]}: no sentence for {split}; is the treebank complete?")
            shown = tuple(map(str, malformed))
            preparation = UDPreparation(
                source=str(source), release="", splits=tuple(splits), problems=problems.lines(), malformed=shown
            )
            if strict and preparation.problems:
                raise TreebankError(f"{source}: {'; '.join(preparation.problems)}; nothing is written")
            manifest = stack.enter_context(NewFile(destination / MANIFEST))
            manifest.stream.write(f"{preparation.to_json()}\n".encode())
            for output in (*outputs, manifest):
                output.publish()
    except OSError as error:
        raise TreebankError(f"{destination}: cannot be written: {error.strerror or error}") from error
    return preparation


def find_ud(source: Path) -> dict[str, list[Path]]:
    """Return the files of each split in a treebank's folder, by the names that Universal Dependencies gives them."""
    found: dict[str, list[Path]] = {}
    for path in list_folder(existing_folder(source, _EXPECTED)):
        if match := _FILE.fullmatch(path.name):
            found.setdefault(match[1], []).append(path)
    if not found:
        raise TreebankError(f"{source}: no file for train, dev or test; expected {_EXPECTED}")
    return {split: found[split] for split in SPLITS if split in found}


class _SplitWriter:
    """Writes the sentences of one split, checks them and counts them."""

    def __init__(self, split: str, output: NewFile, problems: Remarks) -> None:
        self._split = split
        self._output = output
        self._problems = problems
        self._ids: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._relations: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()
        self._digest = hashlib.sha256()

    def write_file(self, path: Path, malformed: list[ConlluError] | None) -> None:
        def on_bad(error: ConlluError) -> None:
            assert malformed is not None
            if len(malformed) < _SHOWN_ERRORS:
                malformed.append(error)
            self._dropped["malformed"] += 1

        for number, sentence in enumerate(read_conllu(path, on_bad=None if malformed is None else on_bad), start=1):
            if any(line[1:].split()[:1] == ["newdoc"] for line in sentence.comments):
                self._counts["documents"] += 1
            if _is_masked(sentence):
                self._dropped[MASKED] += 1
                continue
            known_as = sentence.sent_id or ""
            shown = known_as[:60] if known_as.isprintable() and known_as else str(number)
            self._check(sentence, f"{path.name}, sentence {shown}")
            self._write(sentence)

    def _check(self, sentence: ConlluSentence, place: str) -> None:
        for problem in sentence_problems(sentence):
            self._problems.add(problem, place)
        if sentence.sent_id:
            if sentence.sent_id in self._ids:
                self._problems.add("a sent_id that an earlier sentence has", place)
            self._ids.add(sentence.sent_id)

    def _write(self, sentence: ConlluSentence) -> None:
        text = format_conllu(sentence).encode()
        self._output.stream.write(text)
        self._digest.update(text)
        self._counts.update(
            sentences=1,
            words=len(sentence.words),
            multi_word_tokens=len(sentence.multi_word_tokens),
            empty_nodes=len(sentence.empty_nodes),
            bytes=len(text),
        )
        self._relations.update(word.deprel for word in sentence.words)

    def summary(self) -> UDSplit:
        return UDSplit(
            name=self._split,
            file=self._output.path.name,
            documents=self._counts["documents"],
            sentences=self._counts["sentences"],
            words=self._counts["words"],
            multi_word_tokens=self._counts["multi_word_tokens"],
            empty_nodes=self._counts["empty_nodes"],
            relations=dict(sorted(self._relations.items())),
            dropped=dict(sorted(self._dropped.items())),
            bytes=self._counts["bytes"],
            sha256=self._digest.hexdigest(),
        )


def _is_masked(sentence: ConlluSentence) -> bool:
    """Return whether the words are left for users to fill in; a line of underscores may well be one word, or two."""
    return len(sentence.words) > 2 and all(not form.strip("_") for form in sentence.forms)
