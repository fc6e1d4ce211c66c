"""Checkpoints: folders of TOML, JSON and safetensors, written whole or not at all, and nothing pickled."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from spanlin.atomic_files import FolderKind, replace_folder, why_not_replace
from spanlin.config.training import TrainingConfig, config_to_toml, load_saved_config
from spanlin.errors import CheckpointError, TrainingError
from spanlin.model_folder.folder import (
    CARD,
    GRAPH,
    LABEL_GRAPH,
    LEXICON,
    MANIFEST,
    RELATION_GRAPH,
    TAGGER,
    TOKENIZER,
    WEIGHTS,
)
from spanlin.model_folder.path_kinds import CHECKPOINT_FILE, describe_other
from spanlin.network.encoders.pretrained import Encoder, PretrainedEncoder, load_pretrained
from spanlin.network.network import ParserNetwork
from spanlin.runtime.pieces import WordPieces
from spanlin.training.examples import Featurizer
from spanlin.training.vectors import WordVectors
from spanlin.training.vocabulary import Vocabularies

FORMAT = 1
NO_TAG = "XX"
"""The tag of every word where a network gives none."""

CHECKPOINT = FolderKind(
    name="checkpoint",
    required=frozenset([CHECKPOINT_FILE, "config.toml", "vocabularies.json", "weights.safetensors"]),
    optional=frozenset(
        ["tokenizer.json", "encoder", "encoder/config.json", "vector_words.txt", "state.safetensors", "progress.json"]
    ),
)
MODEL_FOLDER = FolderKind(
    name="model folder",
    required=frozenset([MANIFEST, GRAPH]),
    optional=frozenset(
        [CARD, LABEL_GRAPH, RELATION_GRAPH, TOKENIZER, LEXICON, TAGGER + TOKENIZER, TAGGER + LEXICON, WEIGHTS]
    ),
)


@dataclass(frozen=True, kw_only=True)
class Model:
    """A network with all it needs to read sentences."""

    config: TrainingConfig
    network: ParserNetwork
    vocabularies: Vocabularies
    featurizer: Featurizer

    @property
    def reads_tags(self) -> bool:
        """Whether its network takes the tags of words."""
        return self.network.lexical is not None and self.network.lexical.tags is not None

    @property
    def tags(self) -> tuple[str, ...]:
        """What its network tags words with."""
        return (NO_TAG,) if self.network.tag_head is None else self.vocabularies.tags.items


def new_model(config: TrainingConfig, vocabularies: Vocabularies) -> Model:
    """Return an untrained model, with the pretrained parts its configuration names."""
    network = config.network
    vectors = pieces = encoder = None
    if network.input == "pretrained":
        encoder = load_pretrained(network.pretrained.folder, drop_layers=network.pretrained.drop_layers)
        step = encoder.vocabulary_size if network.pretrained.shapes else 0
        pieces = WordPieces.from_folder(network.pretrained.folder, shape_step=step)
    elif network.lexical.vectors:
        vectors = WordVectors.load(network.lexical.vectors, limit=network.lexical.vector_limit)
    return Model(
        config=config,
        network=ParserNetwork(
            network,
            vocabularies.sizes,
            vectors=None if vectors is None else torch.from_numpy(vectors.table),
            pretrained=encoder,
        ),
        vocabularies=vocabularies,
        featurizer=make_featurizer(vocabularies, pieces, encoder, vectors),
    )


def make_featurizer(
    vocabularies: Vocabularies,
    pieces: WordPieces | None,
    encoder: Encoder | PretrainedEncoder | None,
    vectors: WordVectors | None = None,
) -> Featurizer:
    """Return what makes ids of sentences: of word pieces for an encoder, else of words and characters."""
    return Featurizer(
        vocabularies,
        pieces=pieces,
        piece_limit=0 if encoder is None else encoder.limit,
        vectors=vectors,
        lexical=pieces is None,
    )


def save_model(folder: Path, model: Model, weights: Mapping[str, Tensor] | None = None) -> None:
    """Write a model's files into an existing folder; `weights` may stand in for the network's own."""
    state = dict(model.network.state_dict() if weights is None else weights)
    save_file(
        {name: value.detach().contiguous().cpu() for name, value in state.items()}, folder / "weights.safetensors"
    )
    (folder / "config.toml").write_text(config_to_toml(model.config), encoding="utf-8")
    model.vocabularies.save(folder / "vocabularies.json")
    featurizer = model.featurizer
    if featurizer.pieces is not None:
        (folder / "tokenizer.json").write_text(featurizer.pieces.text, encoding="utf-8")
        assert model.network.pretrained is not None
        (folder / "encoder").mkdir(exist_ok=True)
        table = model.network.pretrained.model.config_table()
        (folder / "encoder" / "config.json").write_text(json.dumps(table, indent=1, default=str), encoding="utf-8")
    if featurizer.vectors is not None:
        (folder / "vector_words.txt").write_text("\n".join(featurizer.vectors.words), encoding="utf-8")
    (folder / CHECKPOINT_FILE).write_text(json.dumps({"format": FORMAT}), encoding="utf-8")


def load_model(folder: str | Path) -> Model:
    """Return the model of a checkpoint folder, on the CPU."""
    folder = Path(folder)
    try:
        found = json.loads((folder / CHECKPOINT_FILE).read_text(encoding="utf-8"))["format"]
    except OSError as error:
        what = describe_other(folder, wanted="checkpoint")
        said = f"this is {what}" if what else f"no checkpoint here ({CHECKPOINT_FILE}: {error.strerror})"
        raise CheckpointError(f"{folder}: {said}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{folder / CHECKPOINT_FILE}: damaged: {error}") from error
    if found != FORMAT:
        raise CheckpointError(f"{folder}: format {found}, but this version reads format {FORMAT}: train it again")
    config = load_saved_config(folder / "config.toml")
    vocabularies = Vocabularies.load(folder / "vocabularies.json")
    state = read_tensors(folder / "weights.safetensors")
    pieces = encoder = vectors = table = None
    if config.network.input == "pretrained":
        encoder = load_pretrained(folder / "encoder", weights=False)
        step = encoder.vocabulary_size if config.network.pretrained.shapes else 0
        pieces = WordPieces.from_folder(folder, shape_step=step)
    elif config.network.lexical.vectors:
        table = state.get("lexical.vectors.weight")
        try:
            words = (folder / "vector_words.txt").read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise CheckpointError(f"{folder}/vector_words.txt: cannot be read: {error.strerror}") from error
        vectors = WordVectors(words, np.zeros((0, 0), dtype=np.float32))
    network = ParserNetwork(config.network, vocabularies.sizes, vectors=table, pretrained=encoder)
    load_weights(network, state, folder)
    return Model(
        config=config,
        network=network.eval(),
        vocabularies=vocabularies,
        featurizer=make_featurizer(vocabularies, pieces, encoder, vectors),
    )


def load_weights(network: ParserNetwork, weights: Mapping[str, Tensor], where: Path) -> None:
    """Give a network these weights, which are those of a checkpoint."""
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        first = str(error).splitlines()[-1].strip()
        raise CheckpointError(f"{where}: the weights do not fit the configuration: {first}") from error


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file."""
    try:
        tensors: dict[str, Tensor] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot be read: {error}") from error
    return tensors


def write_folder(folder: Path, fill: Callable[[Path], None], kind: FolderKind = MODEL_FOLDER) -> None:
    """Fill a new folder and put it in place of an old one of that name; the old one stays until the new is whole.

    Raises a TrainingError if it cannot be written, or if there is something that is not a folder of this `kind`.
    """
    require_replaceable(folder, kind)
    try:
        replace_folder(folder, fill, kind)
    except (OSError, SafetensorError) as error:
        raise TrainingError(f"{folder}: cannot be written: {error}; the last good checkpoint is kept") from error


def require_replaceable(folder: Path, kind: FolderKind) -> None:
    """Raise a TrainingError if a folder is there that `write_folder` would not replace."""
    try:
        reason = why_not_replace(folder, kind)
    except OSError as error:
        raise TrainingError(f"{folder}: cannot be read: {error.strerror}") from error
    if reason:
        raise TrainingError(f"{folder}: {reason}")
