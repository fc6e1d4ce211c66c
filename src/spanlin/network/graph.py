"""The whole parser as plain tensors in and out, as it is exported or recorded: one static graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.network.batch import LexicalInput, PieceInput
from spanlin.network.dependency_graph import dependency_outputs
from spanlin.network.network import (
    ParserNetwork,
    SpanScores,
    all_spans,
    greedy_boundaries,
    left_children,
    without_empty_roots,
)


class TaggerGraph(nn.Module):
    """A network of which only the tags are wanted, for a parser that reads them or has none of its own."""

    def __init__(self, network: ParserNetwork, *, treebank: int) -> None:
        super().__init__()
        self.network = network
        self.treebank = treebank

    def forward(self, rows: Sequence[Tensor], word_counts: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log-probability of each word's tag and the tag itself, [batch, words] each."""
        assert self.network.tag_head is not None
        _, positions = _encode(self.network, rows, word_counts, self.treebank, tags=None)
        best = F.log_softmax(self.network.tag_head(positions)[:, 1:-1].float(), dim=-1).max(dim=-1)
        return best.values, best.indices


class TagIds(nn.Module):
    """A parser's ids for the tags of its tagger, and for the edges of a sentence."""

    def __init__(self, ids: Tensor, *, start: int, stop: int) -> None:
        super().__init__()
        self.register_buffer("ids", ids, persistent=False)
        self.ids: Tensor
        self.start, self.stop = start, stop

    def forward(self, tags: Tensor, word_counts: Tensor) -> Tensor:
        """Return [batch, words + 2] from tags, [batch, words]: start, tags, stop; 0 beyond."""
        places = torch.arange(tags.shape[1] + 2, device=tags.device)
        stops = word_counts.unsqueeze(1) + 1
        inside = torch.where(places < stops, F.pad(self.ids[tags], (1, 1)), 0)
        return torch.where(places == 0, self.start, torch.where(places == stops, self.stop, inside))


class ParserGraph(nn.Module):
    """A network from what it takes of a batch, as plain tensors, to labelled spans.

    The treebank whose annotation is wanted is fixed. A `tagger` gives tags to a network that reads them, which
    `tag_ids` has ids for, or that has no tag head. Without either, all words have the tag 0.
    """

    def __init__(
        self,
        network: ParserNetwork,
        *,
        treebank: int,
        tagger: TaggerGraph | None = None,
        tag_ids: TagIds | None = None,
    ) -> None:
        super().__init__()
        self.network = network
        self.treebank = treebank
        self.tagger = tagger
        self.tag_ids = tag_ids

    def forward(self, *inputs: Tensor, trees_only: bool = False, dependencies: bool = True) -> dict[str, Tensor]:
        """Return the trees, the network's confidence in them, and the scores from which other trees can be made.

        Inputs are the arrays of `spanlin.runtime.input_rows`, in their order, then those of the tagger, and last the
        counts of words. Outputs are as `spanlin.runtime.backend` names them, in its order; with `trees_only`, those
        of TREE alone; without `dependencies`, none of those.
        """
        network = self.network
        *rows, word_counts = inputs
        given = None if self.tagger is None else self.tagger(rows[_input_count(network) :], word_counts)
        read = None if self.tag_ids is None or given is None else self.tag_ids(given[1], word_counts)
        features, positions = _encode(network, rows[: _input_count(network)], word_counts, self.treebank, tags=read)
        with_arcs = dependencies and not trees_only
        scores = network.score_positions(positions, word_counts, features=features, dependencies=with_arcs)
        left, right = greedy_boundaries(scores)
        lefts, rights = network.infer_tree_from(scores, left, right, word_counts)
        halves = network.labels.halves(scores.left_edges, scores.right_edges)
        label_scores = network.label_scores_from(halves, lefts, rights, word_counts)
        split_count = lefts.shape[1]
        labels = (label_scores if trees_only else F.log_softmax(label_scores, dim=-1)).max(dim=-1)
        if scores.tags is not None:
            given = (scores.tags if trees_only else F.log_softmax(scores.tags, dim=-1)).max(dim=-1)
        elif given is None:
            nothing = torch.zeros_like(label_scores[:, split_count:, 0])
            given = nothing, nothing.long()
        tag_log_probs, tags = given
        outputs = {
            "lefts": lefts,
            "rights": rights,
            "split_labels": labels.indices[:, :split_count],
            "word_labels": labels.indices[:, split_count:],
            "tags": tags,
        }
        if trees_only:
            return outputs
        outputs |= {
            "span_log_probs": span_log_probs(scores, lefts, rights, word_counts),
            "label_log_probs": labels.values,
            "tag_log_probs": tag_log_probs,
            "label_lefts": halves[0],
            "label_rights": halves[1],
        }
        if scores.left is not None:
            assert left is not None
            outputs |= {"left_boundaries": left, "left_log_probs": scores.left}
        if scores.right is not None:
            assert right is not None
            outputs |= {"right_boundaries": right, "right_log_probs": scores.right}
        if network.dependencies is not None and scores.dependencies is not None:
            outputs |= dependency_outputs(network.dependencies, scores.dependencies)
        return outputs


def _input_count(network: ParserNetwork) -> int:
    """Return how many arrays a network takes of a batch."""
    return len(fields(PieceInput)) if network.lexical is None else len(fields(LexicalInput)) - 1  # tags are no array


def _encode(
    network: ParserNetwork, rows: Sequence[Tensor], word_counts: Tensor, treebank: int, *, tags: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return features and positions, each one vector per position, [batch, words + 2, width], of a batch's arrays."""
    features: Tensor
    if network.lexical is not None:
        words, vectors, spellings, spelling_lengths, spelling_of = rows
        features = network.lexical(
            LexicalInput(
                words=words,
                vectors=vectors,
                tags=torch.zeros_like(words) if tags is None else tags,
                spellings=spellings,
                spelling_lengths=spelling_lengths,
                spelling_of=spelling_of,
            )
        )
    else:
        assert network.pretrained is not None
        pieces, piece_counts, first_pieces, last_pieces = rows
        features = network.pretrained(
            PieceInput(pieces=pieces, piece_counts=piece_counts, first_pieces=first_pieces, last_pieces=last_pieces)
        )
    return features, network.contextualize(features, word_counts, torch.full_like(word_counts, treebank))


class LabelGraph(nn.Module):
    """The part of a network that labels given spans, of any tree."""

    def __init__(self, network: ParserNetwork) -> None:
        super().__init__()
        self.labels = network.labels

    def forward(
        self, label_lefts: Tensor, label_rights: Tensor, are_left_children: Tensor, are_roots: Tensor
    ) -> Tensor:
        """Return [spans, labels], log-probabilities; a root is not left empty.

        The first two are [spans, width], what `ParserGraph` gives for the edges of each span; the others [spans].
        """
        found = self.labels(label_lefts, label_rights, are_left_children)
        return F.log_softmax(without_empty_roots(found, are_roots), dim=-1)


def span_log_probs(scores: SpanScores, lefts: Tensor, rights: Tensor, word_counts: Tensor) -> Tensor:
    """Return [batch, 2 * words - 1]: the network's confidence in each span of a tree, given the span around it.

    A left child (i, j) is the longest span that ends at j, so log P(i|j) applies to it; a right child is the longest
    that starts at i. Where only one of them is scored, it applies to both children of a span. The root is certain.
    """
    by_left = by_right = None
    if scores.left is not None:
        by_left = scores.left[:, :-1].gather(2, lefts.unsqueeze(2)).squeeze(2)
    if scores.right is not None:
        by_right = scores.right[:, 1:].gather(2, (rights - 1).clamp(min=0).unsqueeze(2)).squeeze(2)
    by_left = by_right if by_left is None else by_left
    by_right = by_left if by_right is None else by_right
    assert by_left is not None
    assert by_right is not None
    left_edges, right_edges = all_spans(lefts, rights)
    is_root = (left_edges == 0) & (right_edges == word_counts.unsqueeze(1))
    is_left_child = left_children(lefts, left_edges, right_edges, word_counts)
    # Split points 0 and n divide nothing.
    by_left, by_right = (F.pad(one, (1, 1)) for one in (by_left, by_right))
    each = torch.where(is_left_child, by_left.gather(1, right_edges), by_right.gather(1, left_edges))
    return torch.where(is_root, 0.0, each)
