"""A pretrained encoder from a local transformers folder: word pieces in, one vector a position out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from spanlin.errors import CheckpointError
from spanlin.network.batch import PieceInput
from spanlin.network.config import PretrainedConfig
from spanlin.network.encoders.native import NativeEncoder, native_from_folder


class PretrainedEncoder(nn.Module):
    """Returns [batch, positions, width]. Position 0 and n + 1 are the encoder's own first and last piece.

    Sentences with more pieces than the encoder can hold are read in overlapping windows; each piece is taken from
    the window in which it stands furthest from an edge.
    """

    def __init__(self, config: PretrainedConfig, model: Encoder) -> None:
        super().__init__()
        self.model = model
        self.piece = config.piece
        self.dropout = nn.Dropout(config.dropout)
        self.width = model.width
        self.limit = model.limit
        self.layer_weights = nn.Parameter(torch.zeros(model.layer_count + 1)) if config.mix_layers else None

    def forward(self, batch: PieceInput) -> Tensor:
        positions = torch.arange(batch.pieces.shape[1], device=batch.pieces.device)
        mask = positions < batch.piece_counts.unsqueeze(1)
        if batch.pieces.shape[1] <= self.limit:
            hidden = self.encode(batch.pieces, mask)
        else:
            hidden = self.encode_windows(batch.pieces, batch.piece_counts)
        gathered: Tensor = self.dropout(self.gather(hidden, batch))
        return gathered

    def encode(self, pieces: Tensor, mask: Tensor) -> Tensor:
        layers: list[Tensor] = self.model(pieces, mask)
        if self.layer_weights is None:
            return layers[-1]
        weights = self.layer_weights.softmax(dim=0)
        return torch.stack([weight * layer for weight, layer in zip(weights, layers, strict=True)]).sum(dim=0)

    def encode_windows(self, pieces: Tensor, piece_counts: Tensor) -> Tensor:
        batch, count = pieces.shape
        stride = self.limit // 2
        starts = torch.arange(0, count - self.limit + stride, stride, device=pieces.device)
        # The last windows end with their sentence, not with the batch: no sentence depends on its neighbours.
        starts = torch.minimum(starts, (piece_counts - self.limit).clamp(min=0).unsqueeze(1))  # [batch, windows]
        inside = starts.unsqueeze(2) + torch.arange(self.limit, device=pieces.device)  # [batch, windows, limit]
        mask = inside < piece_counts.view(-1, 1, 1)
        windows = pieces.gather(1, inside.flatten(1)).view(-1, self.limit)
        encoded = self.encode(windows, mask.flatten(0, 1)).view(batch, inside[0].numel(), -1)
        # [batch, count, windows]: where each piece stands in each window
        offset = torch.arange(count, device=pieces.device).view(1, -1, 1) - starts.unsqueeze(1)
        # The first and last piece of the sentence have an edge in every window; any window that holds them will do.
        best = torch.minimum(offset, self.limit - 1 - offset).argmax(dim=2, keepdim=True)
        place = best * self.limit + offset.gather(2, best).clamp(0, self.limit - 1)  # clamped in the padding
        return encoded.gather(1, place.expand(-1, -1, encoded.shape[-1]))

    def gather(self, hidden: Tensor, batch: PieceInput) -> Tensor:
        def at(index: Tensor) -> Tensor:
            return hidden.gather(1, index.unsqueeze(-1).expand(-1, -1, hidden.shape[-1]))

        if self.piece == "first":
            return at(batch.first_pieces)
        if self.piece == "last":
            return at(batch.last_pieces)
        sums = hidden.float().cumsum(dim=1)
        before = torch.where((batch.first_pieces > 0).unsqueeze(-1), self._at(sums, batch.first_pieces - 1), 0.0)
        count = (batch.last_pieces - batch.first_pieces + 1).unsqueeze(-1)
        return ((self._at(sums, batch.last_pieces) - before) / count).to(hidden.dtype)

    @staticmethod
    def _at(sums: Tensor, index: Tensor) -> Tensor:
        return sums.gather(1, index.clamp(min=0).unsqueeze(-1).expand(-1, -1, sums.shape[-1]))


class TransformersEncoder(nn.Module):
    """An encoder that only transformers knows, such as DeBERTa, behind the same door as NativeEncoder."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        details: Any = model.config
        self.width: int = details.hidden_size
        self.layer_count: int = details.num_hidden_layers
        self.limit: int = details.max_position_embeddings

    def forward(self, pieces: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the embeddings and the output of each layer, [batch, pieces, width] each."""
        output = self.model(input_ids=pieces, attention_mask=mask.long(), output_hidden_states=True)
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
    # A parser has no use for the weights of other heads; their absence or presence is no news.
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        details = library.AutoConfig.from_pretrained(folder, local_files_only=True)
        if drop_layers:
            if not 0 < drop_layers < details.num_hidden_layers:
                raise CheckpointError(f"{folder}: cannot drop {drop_layers} of {details.num_hidden_layers} layers")
            details.num_hidden_layers -= drop_layers
        if weights:
            model = library.AutoModel.from_pretrained(folder, config=details, local_files_only=True)
        else:
            model = library.AutoModel.from_config(details)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise CheckpointError(f"{folder}: cannot be loaded: {str(error).splitlines()[0]}") from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
    return TransformersEncoder(model.float())
