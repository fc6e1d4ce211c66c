"""What any trained row scores on any files of gold trees or dependencies, as JSON: `python -m experiments score`.

A model is a checkpoint, a run's folder (its best checkpoint), a model folder or the name of a packaged model.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from experiments.planning import commit_here
from experiments.results import Brackets, read_results
from experiments.tables import DECODER, DECODERS
from experiments.work import machine
from spanlin.dependencies.conllu import read_conllu
from spanlin.dependencies.heads import Dependencies
from spanlin.dependencies.sentence import ConlluSentence, Word
from spanlin.errors import EvaluationError
from spanlin.evaluation.model_score import ModelScore
from spanlin.evaluation.ud_score import score_dependencies
from spanlin.model_evaluation import evaluate_parser
from spanlin.model_folder.lookup import find_model
from spanlin.model_folder.path_kinds import is_checkpoint
from spanlin.network.device import choose_device
from spanlin.parser import Parser
from spanlin.runtime.options import TreeDecoder
from spanlin.training.checkpoint import Model, load_model
from spanlin.training.dependencies import KnownDependencies, read_dependencies
from spanlin.training.dependency_parsing import predict_dependencies
from spanlin.training.evaluation import evaluate_model

_CONLLU = (".conllu", ".conllu.gz")
_METRICS = ("UAS", "LAS", "CLAS", "UPOS")


def score_files(
    model: str, files: Sequence[Path], *, decoders: Sequence[str], device: str, tagger: Path | None, counts: bool
) -> dict[str, Any]:
    """Return the scores of a model on files, trees by each decoder, with what they depend on.

    `counts` adds those of each sentence, from which significance can be computed.
    """
    path = find_model(model)
    if is_checkpoint(path / "best"):
        path /= "best"
    scorer: _Checkpoint | _Exported
    scorer = _Checkpoint(path, device, tagger) if is_checkpoint(path) else _Exported(path, device)
    found: dict[str, Any] = {}
    for file in files:
        about: dict[str, Any] = {"sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        if file.name.endswith(_CONLLU):
            about["dependencies"] = _dependency_score(file, scorer.dependencies)
        else:
            about["trees"] = {name: _tree_score(scorer.trees(file, name), counts=counts) for name in decoders}
        found[str(file)] = about
    return {
        "model": model,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit_here(),
        "device": scorer.device,
        "machine": machine(scorer.device),
        "config": scorer.config,
        "files": found,
    }


class _Checkpoint:
    """A checkpoint, as training itself evaluates it."""

    def __init__(self, path: Path, device: str, tagger: Path | None) -> None:
        self._model: Model = load_model(path)
        if self._model.reads_tags and tagger is None:
            raise EvaluationError(f"{path}: this row reads tags: give --tagger, a checkpoint that predicts them")
        self._tagger = tagger
        self._where = choose_device(device)
        self.device = str(self._where)
        # Where the files lay that it was trained on says nothing.
        names = [treebank.name for treebank in self._model.config.treebanks]
        self.config: dict[str, Any] = {**asdict(self._model.config), "treebanks": names}

    def trees(self, gold: Path, decoder: str) -> ModelScore:
        # Whatever tags it is given, the gold ones say what is punctuation.
        return evaluate_model(self._model, gold, decoder=decoder, device=self.device, tagger=self._tagger)

    def dependencies(self, gold: Path) -> list[KnownDependencies]:
        self._model.network.to(self._where)
        examples = self._model.featurizer(read_dependencies(gold).sentences, has_tree=False)
        return predict_dependencies(self._model, examples, device=self._where)


class _Exported:
    """A model folder, as its users run it."""

    def __init__(self, path: Path, device: str) -> None:
        self._parser = Parser.load(path, device=device)
        self.device = self._parser.backend.device
        self.config: dict[str, Any] = {}

    def trees(self, gold: Path, decoder: str) -> ModelScore:
        return evaluate_parser(self._parser, gold, decoder=cast(TreeDecoder, decoder))

    def dependencies(self, gold: Path) -> list[KnownDependencies]:
        self._parser.check_dependencies()
        parses = self._parser.parse_tokens([sentence.forms for sentence in read_conllu(gold)])
        found = [parsed.dependencies for parsed in parses]
        return [KnownDependencies(one.heads, one.relations, one.universal_tags) for one in found if one is not None]


def _tree_score(found: ModelScore, *, counts: bool) -> dict[str, Any]:
    interval = found.score.interval
    return {
        "f1": found.score.f1,
        "precision": found.score.precision,
        "recall": found.score.recall,
        "complete_match": found.score.complete_match,
        "interval": None if interval is None else [interval.low, interval.high],
        "sentences": len(found.trees),
        "decoder": found.decoder,
        "computed_in": found.precision,
        "tagging_accuracy": found.tagging_accuracy,
        "legal": found.legal,
        "sentences_per_second": found.sentences_per_second,
        "signature": found.score.signature,
        **({"brackets": asdict(Brackets.of(found.score))} if counts else {}),
    }


def _dependency_score(gold: Path, predict: Callable[[Path], list[KnownDependencies]]) -> dict[str, Any]:
    sentences = list(read_conllu(gold))
    predicted = [_with(*pair) for pair in zip(sentences, predict(gold), strict=True)]
    score = score_dependencies(sentences, predicted)
    return {
        **{name.lower(): score.metrics[name].f1 for name in _METRICS},
        "sentences": len(sentences),
        "words": sum(len(sentence.words) for sentence in sentences),
        "signature": score.signature,
    }


def _with(sentence: ConlluSentence, found: KnownDependencies) -> ConlluSentence:
    """Return a gold sentence with predicted heads, relations and universal tags."""
    predicted = sentence.with_dependencies(Dependencies(found.heads, found.relations))
    tags = iter(found.universal_tags)
    rows = tuple(row._replace(upos=next(tags)) if isinstance(row, Word) else row for row in predicted.rows)
    return ConlluSentence(rows, predicted.comments)


def decoders_of(name: str, model: str, results: Path) -> tuple[str, ...]:
    """Return the decoders that a name stands for: `all`, one of them, or `row`, that of the row whose run this is."""
    if name == "row":
        # A run's folder is named after the key of its results.
        keys = {result.key: result.config.get("row", {}) for result in read_results(results) if result.key}
        return (keys.get(Path(model).resolve().name, {}).get("decoder", DECODER),)
    if name != "all" and name not in DECODERS:
        raise EvaluationError(f"no decoder {name}: choose row, all or one of {', '.join(DECODERS)}")
    return DECODERS if name == "all" else (name,)
