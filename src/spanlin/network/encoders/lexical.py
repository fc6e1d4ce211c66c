"""Word, character, tag and pretrained word-vector embeddings, concatenated (Wei et al. 2020, sec. 3.1)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.config.network import LexicalConfig
from spanlin.network.batch import LexicalInput
from spanlin.network.encoders.dropout import SharedDropout
from spanlin.network.encoders.exported_lstm import exported_lstm
from spanlin.network.encoders.recurrent_dropout import run_lstm
from spanlin.network.encoders.reversal import pick, reversed_places


class LexicalEmbedding(nn.Module):
    """Returns [batch, positions, width]: x_i = [word; characters; tag; vector]."""

    def __init__(
        self, config: LexicalConfig, *, word_count: int, char_count: int, tag_count: int, vectors: Tensor | None
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(word_count, config.word_width) if config.word_width else None
        self.tags = nn.Embedding(tag_count, config.tag_width) if config.tag_width else None
        self.vectors: nn.Embedding | None = None
        if vectors is not None:
            self.vectors = nn.Embedding(vectors.shape[0], vectors.shape[1], _weight=vectors.clone())
            self.vectors.weight.requires_grad_(config.train_vectors)
        self.spelling = _Spelling(char_count, config) if config.char_width else None
        self.dropout = SharedDropout(config.dropout)
        self.joined_dropout = SharedDropout(config.joined_dropout)
        self.width = (
            config.word_width
            + config.tag_width
            + config.char_width
            + (0 if self.vectors is None else self.vectors.embedding_dim)
        )
        self.norm = nn.LayerNorm(self.width)

    def forward(self, batch: LexicalInput) -> Tensor:
        parts: list[Tensor] = []
        if self.words is not None:
            parts.append(self.words(batch.words))
        if self.spelling is not None:
            distinct = self.spelling(batch.spellings, batch.spelling_lengths)
            parts.append(F.embedding(batch.spelling_of, distinct))  # on GPUs, learns faster than an index does
        if self.tags is not None:
            parts.append(self.tags(batch.tags))
        if self.vectors is not None:
            parts.append(self.vectors(batch.vectors))
        joined = torch.cat([self.dropout(part) for part in parts], dim=-1)
        x: Tensor = self.norm(self.joined_dropout(joined))
        return x


class _Spelling(nn.Module):
    """The last states of a character LSTM in either direction, [distinct words, width]."""

    def __init__(self, char_count: int, config: LexicalConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(char_count, config.char_embedding_width)
        self.dropout = nn.Dropout(config.dropout)
        self.rightward, self.leftward = (
            nn.LSTM(config.char_embedding_width, config.char_width // 2, batch_first=True) for _ in range(2)
        )

    def forward(self, spellings: Tensor, lengths: Tensor) -> Tensor:
        embedded = self.dropout(self.embedding(spellings))
        if torch.onnx.is_in_onnx_export():
            pair = (self.rightward, self.leftward)
            ends = [exported_lstm(embedded, lengths, pair[way], leftward=bool(way))[1] for way in range(2)]
            return torch.cat(ends, dim=-1)
        last = (lengths - 1).unsqueeze(1)
        turned = pick(embedded, reversed_places(lengths, spellings.shape[1]))
        from_left, from_right = run_lstm(self.rightward, embedded), run_lstm(self.leftward, turned)
        return torch.cat([pick(from_left, last), pick(from_right, last)], dim=-1).squeeze(1)
