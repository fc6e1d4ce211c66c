"""How the network of a model folder knows words."""

from __future__ import annotations

from spanlin.model_folder.folder import ModelFolder
from spanlin.runtime.input_rows import WordFeatures
from spanlin.runtime.piece_features import PieceFeatures
from spanlin.runtime.pieces import MAX_PIECES, WordPieces


def features_of(folder: ModelFolder) -> WordFeatures:
    """Return the features of no words, to start a `WordTable` with."""
    # A word must fit between the start and the stop piece of a row, however few pieces the encoder holds.
    most = min(MAX_PIECES, folder.piece_limit - 2)
    splitter = WordPieces.from_file(folder.tokenizer, shape_step=folder.shape_step, max_pieces=most)
    return PieceFeatures(splitter=splitter, limit=folder.piece_limit)
