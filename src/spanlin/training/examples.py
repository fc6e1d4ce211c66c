"""Sentences as flat arrays of ids, ready to be cut into batches without touching Python objects again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from spanlin.runtime.flat_pieces import FlatPieces
from spanlin.runtime.lexical_rows import FlatLexical
from spanlin.runtime.lexicon import Lexicon, with_spelled_edges
from spanlin.runtime.pieces import WordPieces
from spanlin.training.dependencies import KnownDependencies
from spanlin.training.vectors import WordVectors
from spanlin.training.vocabulary import Vocabularies
from spanlin.trees.labelled import LabelledSplits

Ids = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Examples:
    """Many sentences; those of sentence s lie at `offsets[s]:offsets[s + 1]` of each word-level array.

    Split-level arrays have an item for each word too: that of word j belongs to the split point after it, and the
    last one of a sentence means nothing. Pieces lie at `piece_offsets[s]:piece_offsets[s + 1]`, the encoder's own
    start and stop pieces included; `first_pieces` and `last_pieces` count from the start of the sentence.
    """

    offsets: NDArray[np.int64]
    words: Ids
    vectors: Ids
    input_tags: Ids
    spelling_ids: Ids
    spellings: Ids  # [distinct words + 2, SPELLING_WIDTH]; the last two are the edges of a sentence
    spelling_lengths: NDArray[np.int64]
    piece_offsets: NDArray[np.int64]
    pieces: Ids
    first_pieces: Ids
    last_pieces: Ids
    split_lefts: Ids
    split_rights: Ids
    split_labels: Ids
    word_labels: Ids
    tags: Ids
    heads: Ids
    relations: Ids
    universal_tags: Ids
    has_tree: NDArray[np.bool_]
    treebanks: Ids  # [sentences]; 0 names no treebank
    piece_limit: int  # the most pieces the encoder reads at once

    def __len__(self) -> int:
        return len(self.has_tree)

    @property
    def word_counts(self) -> NDArray[np.int64]:
        """The number of words of each sentence."""
        return np.diff(self.offsets)

    @cached_property
    def flat_pieces(self) -> FlatPieces:
        """The pieces of a network with a pretrained encoder."""
        return FlatPieces(
            pieces=self.pieces,
            piece_starts=self.piece_offsets[:-1],
            piece_counts=np.diff(self.piece_offsets),
            first_pieces=self.first_pieces,
            last_pieces=self.last_pieces,
            word_starts=self.offsets[:-1],
            word_counts=self.word_counts,
            limit=self.piece_limit,
        )

    @cached_property
    def flat_lexical(self) -> FlatLexical:
        """The words of a network with embeddings of its own."""
        return FlatLexical(
            words=self.words,
            vectors=self.vectors,
            spelling_ids=self.spelling_ids,
            spellings=self.spellings,
            spelling_lengths=self.spelling_lengths,
            word_starts=self.offsets[:-1],
            word_counts=self.word_counts,
        )

    @property
    def costs(self) -> NDArray[np.int64]:
        """The positions each sentence takes in the encoder."""
        return np.diff(self.piece_offsets) if len(self.pieces) else self.word_counts + 2


class Featurizer:
    """Turns sentences into the ids that one network reads."""

    def __init__(
        self,
        vocabularies: Vocabularies,
        *,
        pieces: WordPieces | None,
        piece_limit: int,
        vectors: WordVectors | None,
        lexical: bool,
    ) -> None:
        self.vocabularies = vocabularies
        self.piece_limit = piece_limit
        self.pieces = pieces
        self.vectors = vectors
        self.lexical = lexical
        self.lexicon = Lexicon(vocabularies.words.items, vocabularies.chars.items, vectors.words if vectors else ())

    def __call__(
        self,
        sentences: Iterable[LabelledSplits],
        *,
        dependencies: Sequence[KnownDependencies] = (),
        has_tree: bool = True,
        treebank: str = "",
    ) -> Examples:
        """Return the examples of sentences, to be annotated like a treebank.

        Without trees, their labels and spans mean nothing. Where there are `dependencies`, each sentence has its own.
        """
        vocabularies = self.vocabularies
        offsets, piece_offsets = [0], [0]
        words: list[int] = []
        vectors: list[int] = []
        input_tags: list[int] = []
        spelling_ids: list[int] = []
        spelling_of: dict[str, int] = {}
        pieces: list[int] = []
        first_pieces: list[int] = []
        last_pieces: list[int] = []
        lefts: list[int] = []
        rights: list[int] = []
        split_labels: list[int] = []
        word_labels: list[int] = []
        tags: list[int] = []
        heads: list[int] = []
        relations: list[int] = []
        universal_tags: list[int] = []
        # One look-up for all that a word brings with it.
        word_ids: dict[str, tuple[int, int]] = {}
        for sentence, known in zip_longest(sentences, dependencies):
            offsets.append(offsets[-1] + len(sentence.words))
            if self.lexical:
                for word in sentence.words:
                    ids = word_ids.get(word)
                    if ids is None:
                        ids = word_ids[word] = (self.lexicon.word_id(word), self.lexicon.vector_id(word))
                    words.append(ids[0])
                    vectors.append(ids[1])
                    spelling_ids.append(spelling_of.setdefault(word, len(spelling_of)))
                input_tags.extend(map(vocabularies.input_tags.id, sentence.tags))
            if self.pieces is not None:
                start = len(pieces)
                pieces.append(self.pieces.start)
                for word in sentence.words:
                    first_pieces.append(len(pieces) - start)
                    pieces.extend(self.pieces(word))
                    last_pieces.append(len(pieces) - start - 1)
                pieces.append(self.pieces.stop)
                piece_offsets.append(len(pieces))
            unknown = [-1] * len(sentence.words)
            if has_tree:
                lefts.extend([span.left for span in sentence.spans])
                rights.extend([span.right for span in sentence.spans])
                lefts.append(0)
                rights.append(0)
                split_labels.extend(map(vocabularies.labels.id, sentence.split_labels))
                split_labels.append(-1)
                word_labels.extend(map(vocabularies.labels.id, sentence.word_labels))
            else:
                empty = [0] * len(sentence.words)
                lefts += empty
                rights += empty
                split_labels += unknown
                word_labels += unknown
            tags.extend(map(vocabularies.tags.id, sentence.tags))
            if known is None:
                heads += unknown
                relations += unknown
                universal_tags += unknown
            else:
                heads.extend(known.heads)
                relations.extend(map(vocabularies.relations.id, known.relations))
                universal_tags.extend(map(vocabularies.universal_tags.id, known.universal_tags))
        spellings, lengths = with_spelled_edges(*self.lexicon.spell(list(spelling_of)))
        return Examples(
            offsets=np.asarray(offsets, dtype=np.int64),
            words=_ints(words),
            vectors=_ints(vectors),
            input_tags=_ints(input_tags),
            spelling_ids=_ints(spelling_ids),
            spellings=spellings,
            spelling_lengths=lengths,
            piece_offsets=np.asarray(piece_offsets, dtype=np.int64),
            pieces=_ints(pieces),
            first_pieces=_ints(first_pieces),
            last_pieces=_ints(last_pieces),
            split_lefts=_ints(lefts),
            split_rights=_ints(rights),
            split_labels=_ints(split_labels),
            word_labels=_ints(word_labels),
            tags=_ints(tags),
            heads=_ints(heads),
            relations=_ints(relations),
            universal_tags=_ints(universal_tags),
            has_tree=np.full(len(offsets) - 1, has_tree),
            piece_limit=self.piece_limit,
            treebanks=np.full(len(offsets) - 1, vocabularies.treebanks.id(treebank) + 1, dtype=np.int32),
        )


def concatenate(parts: list[Examples]) -> Examples:
    """Return several examples as one."""
    if len(parts) == 1:
        return parts[0]

    def join(name: str) -> NDArray[np.int32]:
        return np.concatenate([getattr(part, name) for part in parts])

    def join_offsets(name: str) -> NDArray[np.int64]:
        pieces = [getattr(part, name) for part in parts]
        shifts = np.cumsum([0, *(int(piece[-1]) for piece in pieces[:-1])])
        return np.concatenate([[0], *(piece[1:] + shift for piece, shift in zip(pieces, shifts, strict=True))])

    # Spellings of words come first, part by part; the edges of the sentence are the last two rows of each table.
    kept = [part.spellings[:-2] for part in parts]
    shifts = np.cumsum([0, *(len(rows) for rows in kept[:-1])]).astype(np.int32)
    return replace(
        parts[0],
        offsets=join_offsets("offsets"),
        piece_offsets=join_offsets("piece_offsets"),
        spellings=np.concatenate([*kept, parts[0].spellings[-2:]]),
        spelling_lengths=np.concatenate(
            [*(part.spelling_lengths[:-2] for part in parts), parts[0].spelling_lengths[-2:]]
        ),
        spelling_ids=np.concatenate([part.spelling_ids + shift for part, shift in zip(parts, shifts, strict=True)]),
        has_tree=np.concatenate([part.has_tree for part in parts]),
        words=join("words"),
        vectors=join("vectors"),
        input_tags=join("input_tags"),
        pieces=join("pieces"),
        first_pieces=join("first_pieces"),
        last_pieces=join("last_pieces"),
        split_lefts=join("split_lefts"),
        split_rights=join("split_rights"),
        split_labels=join("split_labels"),
        word_labels=join("word_labels"),
        tags=join("tags"),
        heads=join("heads"),
        relations=join("relations"),
        universal_tags=join("universal_tags"),
        treebanks=join("treebanks"),
    )


def without_tags(sentence_words: Iterable[str]) -> LabelledSplits:
    """Return a sentence of which nothing but the words is known."""
    words = tuple(sentence_words)
    return LabelledSplits(words, ("",) * len(words), (), (), ())


def _ints(values: list[int]) -> Ids:
    return np.asarray(values, dtype=np.int32)
