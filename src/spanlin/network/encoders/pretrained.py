"""A pretrained encoder from a local transformers folder: word pieces in, one vector per position out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import torch
import torch.nn.functional as F
from safetensors import SafetensorError
from torch import Tensor, nn

from spanlin.config.network import PretrainedConfig
from spanlin.errors import CheckpointError
from spanlin.network.batch import PieceInput
from spanlin.network.encoders.native import NativeEncoder, native_from_folder
from spanlin.trees.shapes import SHAPES

_OFFLINE: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}  # else a folder's code may be run


class PretrainedEncoder(nn.Module):
    """Returns [batch, positions, width]. Position 0 and n + 1 are the encoder's own first and last piece.

    Rows of pieces are sentences, or windows of those that are too long; positions are read wherever they lie.
    """

    def __init__(self, config: PretrainedConfig, model: Encoder) -> None:
        super().__init__()
        self.model = model
        self.piece = config.piece
        self.dropout = nn.Dropout(config.dropout)
        self.width = model.width
        self.limit = model.limit
        self.layer_weights = nn.Parameter(torch.zeros(model.layer_count + 1)) if config.mix_layers else None
        self.shapes: nn.Embedding | None = None
        if config.shapes:
            self.shapes = nn.Embedding(SHAPES, model.input_width)
            nn.init.zeros_(self.shapes.weight)

    @property
    def shape_step(self) -> int:
        """What a word's shape is multiplied with in the ids of its pieces; 0 without shapes."""
        return 0 if self.shapes is None else self.model.vocabulary_size

    def forward(self, batch: PieceInput) -> Tensor:
        places = torch.arange(batch.pieces.shape[1], device=batch.pieces.device)
        hidden = self.encode(batch.pieces, places < batch.piece_counts.unsqueeze(1))
        gathered: Tensor = self.dropout(self.gather(hidden, batch.first_pieces, batch.last_pieces))
        return gathered

    def encode(self, pieces: Tensor, mask: Tensor) -> Tensor:
        """Return [rows, pieces, width]: the last layer, or the learned mix of all."""
        added = None
        if self.shapes is not None:
            shape = torch.div(pieces, self.shape_step, rounding_mode="floor")
            pieces = pieces - shape * self.shape_step
            added = self.shapes(shape)
        layers: list[Tensor] = self.model(pieces, mask, added)
        if self.layer_weights is None:
            return layers[-1]
        weights = self.layer_weights.softmax(dim=0)
        return torch.stack([weight * layer for weight, layer in zip(weights, layers, strict=True)]).sum(dim=0)

    def gather(self, hidden: Tensor, first_pieces: Tensor, last_pieces: Tensor) -> Tensor:
        """Return one vector per position from those of its pieces."""
        if self.piece != "mean":
            return F.embedding(last_pieces if self.piece == "last" else first_pieces, hidden.flatten(0, 1))
        if not torch.compiler.is_compiling() and len(hidden) == len(first_pieces):
            # Every sentence has a row of its own, so that a matrix product by row adds up its pieces.
            row_starts = torch.arange(len(hidden), device=hidden.device).unsqueeze(1) * hidden.shape[1]
            places = torch.arange(hidden.shape[1], device=hidden.device)
            firsts, lasts = ((edge - row_starts).unsqueeze(2) for edge in (first_pieces, last_pieces))
            shares = ((firsts <= places) & (places <= lasts)) / (lasts - firsts + 1)
            return shares.to(hidden.dtype) @ hidden
        # The sum up to and with a word's last piece, less that up to and without its first.
        upto = hidden.float().cumsum(dim=1)
        before = (upto - hidden).flatten(0, 1)
        count = (last_pieces - first_pieces + 1).unsqueeze(-1)
        inside = F.embedding(last_pieces, upto.flatten(0, 1)) - F.embedding(first_pieces, before)
        return (inside / count).to(hidden.dtype)


class TransformersEncoder(nn.Module):
    """An encoder that only transformers knows, such as DeBERTa, with the interface of NativeEncoder."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        details: Any = model.config
        self.width: int = details.hidden_size
        self.layer_count: int = details.num_hidden_layers
        self.limit: int = details.max_position_embeddings
        embeddings = self._embeddings()
        self.vocabulary_size: int = embeddings.num_embeddings
        self.input_width: int = embeddings.embedding_dim

    def _embeddings(self) -> nn.Embedding:
        # Not kept: as a part of this module too, its weights would be saved twice.
        model: Any = self.model
        embeddings: nn.Embedding = model.get_input_embeddings()
        return embeddings

    def forward(self, pieces: Tensor, mask: Tensor, added: Tensor | None = None) -> list[Tensor]:
        """Return the embeddings and the output of each layer, [batch, pieces, width] each.

        `added` is added to the pieces' vectors before anything else.
        """
        given = {"input_ids": pieces} if added is None else {"inputs_embeds": self._embeddings()(pieces) + added}
        output = self.model(**given, attention_mask=mask.long(), output_hidden_states=True)
        return list(output.hidden_states)

    def config_table(self) -> dict[str, Any]:
        """Return the model's own configuration."""
        details: Any = self.model.config
        table: dict[str, Any] = details.to_dict()
        return table


Encoder: TypeAlias = NativeEncoder | TransformersEncoder


def load_pretrained(folder: str | Path, *, drop_layers: int = 0, weights: bool = True) -> Encoder:
    """Return the encoder of a local transformers folder; without `weights`, as its config alone describes it."""
    folder = Path(folder)
    native = native_from_folder(folder, drop_layers=drop_layers, weights=weights)
    if native is not None:
        return native
    import transformers

    # Typed as Any: transformers changes its annotations from release to release, and mypy must pass with each.
    library: Any = transformers
    logging = library.utils.logging
    # A parser has no use for the weights of other heads; whether they are there does not matter.
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        details = library.AutoConfig.from_pretrained(folder, **_OFFLINE)
        if drop_layers:
            if not 0 < drop_layers < details.num_hidden_layers:
                raise CheckpointError(f"{folder}: cannot drop {drop_layers} of {details.num_hidden_layers} layers")
            details.num_hidden_layers -= drop_layers
        if weights:
            model = library.AutoModel.from_pretrained(folder, config=details, **_OFFLINE)
        else:
            model = library.AutoModel.from_config(details, trust_remote_code=False)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise CheckpointError(f"{folder}: cannot be loaded: {str(error).splitlines()[0]}") from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
    return TransformersEncoder(model.float())
