"""How the networks of a model folder know words, and what their graph takes."""

from __future__ import annotations

from spanlin.model_folder.folder import ModelFolder
from spanlin.model_folder.lexicon_file import read_lexicon
from spanlin.model_folder.network_input import NetworkInput
from spanlin.runtime.input_rows import LEXICAL_INPUTS, PIECE_INPUTS, WORD_COUNTS, WordFeatures
from spanlin.runtime.joined_rows import JoinedFeatures
from spanlin.runtime.lexical_features import LexicalFeatures
from spanlin.runtime.lexicon import Lexicon
from spanlin.runtime.piece_features import PieceFeatures
from spanlin.runtime.pieces import MAX_PIECES, WordPieces


def features_of(folder: ModelFolder) -> WordFeatures:
    """Return the features of no words, to start a `WordTable` with."""
    (_, own), *others = folder.inputs.items()
    features = _features(own, folder, own.file)
    for prefix, other in others:
        second = _features(other, folder, prefix + other.file)
        features = JoinedFeatures(first=features, second=second, prefix=prefix)
    return features


def graph_inputs(folder: ModelFolder) -> tuple[str, ...]:
    """Return the names of what a folder's graph takes, in their order."""
    names = [
        prefix + name
        for prefix, found in folder.inputs.items()
        for name in (LEXICAL_INPUTS if found.kind == "lexical" else PIECE_INPUTS)
    ]
    return (*names, WORD_COUNTS)


def _features(found: NetworkInput, folder: ModelFolder, name: str) -> WordFeatures:
    data, source = folder.read(name), str(folder.path / name)
    if found.kind == "lexical":
        tables = read_lexicon(data, source)
        return LexicalFeatures(lexicon=Lexicon(tables.words, tables.chars, tables.vectors))
    # A word must fit between the start and the stop piece of a row, however few pieces the encoder holds.
    most = min(MAX_PIECES, found.piece_limit - 2)
    splitter = WordPieces.from_bytes(data, source, shape_step=found.shape_step, max_pieces=most)
    return PieceFeatures(splitter=splitter, limit=found.piece_limit)
