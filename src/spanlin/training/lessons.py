"""Teachers' answers for batches: computed once, and kept while there is memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from spanlin.config.network import ScorerConfig
from spanlin.config.training import DistillationConfig
from spanlin.errors import CheckpointError
from spanlin.network.batch import Batch, map_tensors, tensors_in
from spanlin.network.loss import SoftTargets, soft_targets
from spanlin.training.checkpoint import Model
from spanlin.training.parsing import autocast
from spanlin.training.start import read_model
from spanlin.training.vocabulary import Vocabularies


def load_teachers(config: DistillationConfig, student: ScorerConfig) -> list[Model]:
    """Return the teachers of a run, after checking that they can teach this student and agree among themselves."""
    teachers = [read_model(teacher) for teacher in config.teachers]
    for path, teacher in zip(config.teachers, teachers, strict=True):
        theirs = teacher.config.network.scorer
        if theirs.normalization != student.normalization or theirs.target not in (student.target, "both"):
            raise CheckpointError(
                f"{path}: a teacher with target {theirs.target!r} and normalization {theirs.normalization!r} "
                f"cannot teach {student.target!r} and {student.normalization!r}: they must agree"
            )
    for other in teachers[1:]:
        if _outputs(other.vocabularies) != _outputs(teachers[0].vocabularies):
            raise CheckpointError(
                "the teachers have different labels, tags or relations: they must share their treebanks"
            )
    return teachers


def with_teachers_outputs(vocabularies: Vocabularies, teachers: Sequence[Model]) -> Vocabularies:
    """Return the vocabularies with what the teachers can answer: their labels, tags and relations."""
    if not teachers:
        return vocabularies
    theirs = teachers[0].vocabularies
    vocabularies = replace(vocabularies, labels=theirs.labels, tags=theirs.tags)
    if not len(theirs.relations):  # the student learns dependencies, if at all, from treebanks alone
        return vocabularies
    return replace(vocabularies, relations=theirs.relations, universal_tags=theirs.universal_tags)


def _outputs(vocabularies: Vocabularies) -> tuple[tuple[str, ...], ...]:
    kinds = (vocabularies.labels, vocabularies.tags, vocabularies.relations, vocabularies.universal_tags)
    return tuple(kind.items for kind in kinds)


class Lessons:
    """Soft targets of batches from teachers, which then need not run again for the same sentences."""

    def __init__(
        self, teachers: Sequence[Model], config: DistillationConfig, *, device: torch.device, precision: str
    ) -> None:
        self._teachers = [teacher.network.to(device).requires_grad_(False).eval() for teacher in teachers]
        if precision == "bf16":
            self._teachers = [teacher.bfloat16() for teacher in self._teachers]  # once, not in every pass
        self._device = device
        self._precision = precision
        self._room = int(config.memory_gib * 2**30)
        self._known: dict[bytes, SoftTargets] = {}

    def knows(self, sentences: bytes) -> bool:
        """Return whether the teachers' answers for these sentences are kept, so that their batches are not needed."""
        return sentences in self._known

    @torch.no_grad()
    def __call__(self, sentences: bytes, batch: Batch, for_teachers: Sequence[Batch]) -> SoftTargets:
        """Return the teachers' answers for a batch, whose key is `sentences`; their batches hold the same sentences."""
        known = self._known.get(sentences)
        if known is not None:
            return known
        assert batch.has_tree is not None
        theirs = [one.to(self._device) for one in for_teachers]
        with autocast(self._device, self._precision):
            soft = soft_targets(self._teachers, theirs, gold=batch.targets, has_tree=batch.has_tree)
        if self._precision == "bf16":
            soft = _halved(soft)
        size = sum(tensor.nbytes for tensor in tensors_in(soft))
        if size <= self._room:
            self._room -= size
            self._known[sentences] = soft
        return soft


def _halved(soft: SoftTargets) -> SoftTargets:
    """Return the probabilities in bfloat16: a teacher is not sure of a fourth digit."""
    return map_tensors(soft, lambda value, _: value.bfloat16() if value.is_floating_point() else value)
