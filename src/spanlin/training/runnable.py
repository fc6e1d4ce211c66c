"""A checkpoint as a parser runs it: what a model folder would say of it, its network in torch, how it knows words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import ModelFolder
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.input_rows import WordFeatures
from spanlin.runtime.lexical_features import LexicalFeatures
from spanlin.runtime.torch import TorchBackend
from spanlin.training.checkpoint import Model, load_model


@dataclass(frozen=True, kw_only=True)
class RunnableCheckpoint:
    """What `Parser` needs of a checkpoint; no file of `folder` is read again."""

    folder: ModelFolder
    backend: TorchBackend
    features: WordFeatures


def open_checkpoint(path: str | Path, *, device: str = "") -> RunnableCheckpoint:
    """Return a checkpoint on a device, by default the GPU if there is one; in bfloat16 there, in fp32 on a CPU."""
    path = Path(path)
    model = load_model(path)
    _require_runnable(model, path)
    folder = checkpoint_folder(model, path)
    features: WordFeatures = (
        LexicalFeatures(lexicon=model.featurizer.lexicon) if model.network.pretrained is None else features_of(folder)
    )
    return RunnableCheckpoint(
        folder=folder, backend=TorchBackend(folder, device=device, network=model.network), features=features
    )


def checkpoint_folder(model: Model, path: Path) -> ModelFolder:
    """Return what the manifest of an exported model would say; its probabilities are uncalibrated."""
    pretrained = model.network.pretrained
    return ModelFolder(
        path=path,
        precision="fp32",
        input="lexical" if pretrained is None else "pieces",
        piece_limit=0 if pretrained is None else pretrained.limit,
        shape_step=0 if pretrained is None else pretrained.shape_step,
        labels=model.vocabularies.labels.items,
        tags=model.tags,
        relations=model.vocabularies.relations.items,
        universal_tags=model.vocabularies.universal_tags.items,
        details={"treebank": "", "treebanks": list(model.vocabularies.treebanks.items)},
    )


def _require_runnable(model: Model, path: Path) -> None:
    """Raise a CheckpointError if a network makes trees only with what a parser does not have."""
    config = model.config.network
    reason = ""
    if config.scorer.normalization == "span":
        reason = "it scores each span by itself (network.scorer.normalization = 'span')"
    elif model.reads_tags:
        reason = "it reads tags (network.lexical.tag_width; `spanlin export --tagger` adds what gives them)"
    if reason:
        raise CheckpointError(f"{path}: {reason}: only `spanlin evaluate` can parse with it")
