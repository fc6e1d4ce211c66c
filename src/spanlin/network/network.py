"""The whole parser as one module: ids in, labelled spans out, without leaving the device."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from spanlin.config.network import NetworkConfig
from spanlin.errors import ConfigError
from spanlin.network.batch import Batch
from spanlin.network.dependency_scorer import DependencyScorer, DependencyScores
from spanlin.network.encoders.bilstm import BiLstm
from spanlin.network.encoders.lexical import LexicalEmbedding
from spanlin.network.encoders.pretrained import Encoder, PretrainedEncoder
from spanlin.network.encoders.transformer import PartitionedTransformer
from spanlin.network.message_passing import MessagePassing
from spanlin.network.span_scorer import (
    IMPOSSIBLE,
    BoundaryRoles,
    BoundaryScorer,
    LabelScorer,
    LabelTupleScorer,
    TagHead,
    pick,
)
from spanlin.network.tree_inference import (
    argmax_tree_right,
    argmin_and_argmax_trees,
    argmin_tree,
    largest_tree,
    largest_tree_right,
)

EMPTY_LABEL_ID = 0


@dataclass(frozen=True, kw_only=True)
class VocabularySizes:
    """How many ids of each kind there are."""

    words: int
    chars: int
    input_tags: int
    labels: int
    tags: int
    treebanks: int
    relations: int = 0
    universal_tags: int = 0
    root_relation: int = -1
    """The id of the relation that the root has; -1 if there is none."""


@dataclass(frozen=True, kw_only=True)
class SpanScores:
    """The network's scores for a batch before any tree is chosen.

    `left` is [batch, words, words], row j-1 and column i for the span (i, j); `right` is [batch, words, words], row i
    and column j-1. Both are log-probabilities where the normalization makes them so, and log-odds of the span being
    in the tree with normalization 'span'. Impossible spans and padding are very negative.
    """

    left: Tensor | None
    right: Tensor | None
    logits: Tensor | None  # of `left` before normalization; only some losses need them
    left_edges: Tensor  # [batch, split points, width], each split point as a left edge
    right_edges: Tensor  # [batch, split points, width]
    tags: Tensor | None  # [batch, words, tags]
    dependencies: DependencyScores | None = None
    earlier: tuple[tuple[Tensor | None, Tensor | None], ...] = ()  # `left` and `right` before each graph layer


@dataclass(frozen=True, kw_only=True)
class Parse:
    """Labelled spans by split point, tags, and the network's confidence in each."""

    lefts: Tensor  # [batch, words - 1]
    rights: Tensor  # [batch, words - 1]
    split_labels: Tensor  # [batch, words - 1]
    word_labels: Tensor  # [batch, words]
    label_log_probs: Tensor  # [batch, 2 * words - 1], split spans first
    tags: Tensor | None  # [batch, words]
    boundaries: Tensor  # [batch, words], the greedy choice: left ones, or right ones where only these are scored


class ParserNetwork(nn.Module):
    """Encoder, span scorer, label scorer and tag head; `forward` also infers the tree.

    With relations among its sizes, it scores the heads of words too.
    """

    def __init__(
        self,
        config: NetworkConfig,
        sizes: VocabularySizes,
        *,
        vectors: Tensor | None = None,
        pretrained: Encoder | None = None,
    ) -> None:
        super().__init__()
        if not (config.context.width and config.context.layers):
            raise ConfigError("network.context.width and network.context.layers are 0: a network needs their numbers")
        self.config = config
        self.lexical: LexicalEmbedding | None = None
        self.pretrained: PretrainedEncoder | None = None
        if config.input == "lexical":
            self.lexical = LexicalEmbedding(
                config.lexical,
                word_count=sizes.words,
                char_count=sizes.chars,
                tag_count=sizes.input_tags,
                vectors=vectors,
            )
            width = self.lexical.width
        else:
            assert pretrained is not None
            self.pretrained = PretrainedEncoder(config.pretrained, pretrained)
            width = self.pretrained.width
        features_width = width
        self.context: BiLstm | PartitionedTransformer | None = None
        self.project: nn.Linear | None = None
        if config.context.kind == "bilstm":
            self.context = BiLstm(width, config.context)
        elif config.context.kind == "transformer":
            self.context = PartitionedTransformer(width, config.context)
        else:
            self.project = nn.Linear(width, config.context.width)
        width = config.context.width
        self.treebanks: nn.Embedding | None = None
        if config.treebank_vectors:
            self.treebanks = nn.Embedding(sizes.treebanks + 1, width)
            nn.init.zeros_(self.treebanks.weight)
        scorer = config.scorer
        self.roles = BoundaryRoles(width, scorer)
        self.left_scorer = BoundaryScorer(self.roles.width) if scorer.target != "right" else None
        self.right_scorer = BoundaryScorer(self.roles.width) if scorer.target != "left" else None
        self.graph_layers: nn.ModuleList | None = None
        if scorer.graph_layers:
            layers = (MessagePassing(self.roles.width, scorer) for _ in range(scorer.graph_layers))
            self.graph_layers = nn.ModuleList(layers)
        self.labels: LabelScorer | LabelTupleScorer = (
            LabelScorer(self.roles.width, scorer, sizes.labels)
            if scorer.label_model == "spans"
            else LabelTupleScorer(self.roles.width, scorer, sizes.labels)
        )
        self.tag_head = TagHead(width, scorer, sizes.tags) if scorer.tag_head else None
        self.dependencies: DependencyScorer | None = None
        if sizes.relations:
            self.dependencies = DependencyScorer(
                features_width if config.dependencies.input == "encoder" else width,
                config.dependencies,
                scorer,
                relation_count=sizes.relations,
                universal_tag_count=sizes.universal_tags,
                root_relation=sizes.root_relation,
            )

    def output_layers(self) -> dict[str, nn.Sequential]:
        """Return the layers that end in a row for each label, tag, relation and universal tag, by these names."""
        found: dict[str, nn.Sequential] = {}
        if isinstance(self.labels, LabelScorer):
            found["labels"] = self.labels.output
        if self.tag_head is not None:
            found["tags"] = self.tag_head.layers
        if self.dependencies is not None:
            tags = self.dependencies.tags
            found["relations"] = self.dependencies.relations.output
            found["universal_tags"] = tags if isinstance(tags, nn.Sequential) else tags.layers
        return found

    def encode(self, batch: Batch) -> Tensor:
        """Return what is known of each position by itself or by the encoder, [batch, words + 2, width]."""
        encoded: Tensor
        if self.lexical is not None:
            assert batch.lexical is not None
            encoded = self.lexical(batch.lexical)
        else:
            assert self.pretrained is not None
            assert batch.pieces is not None
            encoded = self.pretrained(batch.pieces)
        return encoded

    def contextualize(self, features: Tensor, word_counts: Tensor, treebanks: Tensor) -> Tensor:
        """Return what the layers above the input make of it, [batch, words + 2, width]."""
        if self.context is not None:
            encoded: Tensor = self.context(features, word_counts + 2)
        else:
            assert self.project is not None
            encoded = self.project(features)
        if self.treebanks is not None:
            encoded = encoded + self.treebanks(treebanks).unsqueeze(1)
        return encoded

    def score(self, batch: Batch) -> SpanScores:
        """Return the scores of all spans of a batch."""
        features = self.encode(batch)
        positions = self.contextualize(features, batch.word_counts, batch.treebanks)
        return self.score_positions(positions, batch.word_counts, features=features)

    def score_positions(
        self, positions: Tensor, word_counts: Tensor, *, features: Tensor | None = None, dependencies: bool = True
    ) -> SpanScores:
        """Return the scores of all spans from one vector per position, Eq. 1 to 3.

        `features` are what `contextualize` has made these of; without `dependencies`, none are scored.
        """
        half = positions.shape[-1] // 2
        # Eq. 1: split point i lies between positions i and i + 1 (position 0 is the start symbol).
        split_points = torch.cat([positions[:, :-1, :half], positions[:, 1:, half:]], dim=-1)
        left_edges, right_edges = self.roles(split_points)
        # Edges too, and cut off afterwards: cut before, all would have to be copied.
        tags = tag_hidden = None
        if self.tag_head is not None:
            tag_hidden = self.tag_head.hidden(positions)
            tags = self.tag_head.from_hidden(tag_hidden)[:, 1:-1]
        left, right, logits = self._score_spans(left_edges, right_edges, word_counts)
        earlier = []
        for layer in self.graph_layers or ():
            earlier.append((left, right))
            left_edges, right_edges = layer(left_edges, right_edges, left, right)
            left, right, logits = self._score_spans(left_edges, right_edges, word_counts)
        arcs = None
        if self.dependencies is not None and dependencies:
            words = features if self.config.dependencies.input == "encoder" else positions
            assert words is not None
            arcs = self.dependencies(words, word_counts, tag_hidden)
        return SpanScores(
            left=left,
            right=right,
            logits=logits,
            left_edges=left_edges,
            right_edges=right_edges,
            tags=None if tags is None else tags.float(),
            dependencies=arcs,
            earlier=tuple(earlier),
        )

    def _score_spans(
        self, left_edges: Tensor, right_edges: Tensor, word_counts: Tensor
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """Return the left and right scores and the logits of `SpanScores`."""
        left = right = logits = None
        if self.left_scorer is not None:
            logits = self.left_scorer(left_edges, right_edges).float()  # row j-1, column i
            left = self._normalize(logits, word_counts, transpose=False)
        if self.right_scorer is not None:
            raw = self.right_scorer(left_edges, right_edges).float().transpose(1, 2)  # row i, column j-1
            right = self._normalize(raw, word_counts, transpose=True)
            logits = raw if logits is None else logits
        return left, right, logits

    def _normalize(self, logits: Tensor, word_counts: Tensor, *, transpose: bool) -> Tensor:
        possible = possible_spans(logits.shape[1], word_counts)  # row j-1, column i
        if transpose:
            possible = possible.transpose(1, 2)
        masked = logits.masked_fill(~possible, IMPOSSIBLE)
        match self.config.scorer.normalization:
            case "right-boundary":
                return F.log_softmax(masked, dim=2)  # Eq. 3
            case "none":
                return _log_sigmoid(masked).masked_fill(~possible, IMPOSSIBLE)
            case _:
                return masked

    def infer_tree(
        self, scores: SpanScores, word_counts: Tensor, *, rule: str = "argmin"
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the greedy tree's edges by split point, and the greedy boundaries (Eq. 4) it comes from."""
        left, right = greedy_boundaries(scores)
        lefts, rights = self.infer_tree_from(scores, left, right, word_counts, rule=rule)
        boundaries = right if left is None else left
        assert boundaries is not None
        return lefts, rights, boundaries

    def infer_tree_from(
        self,
        scores: SpanScores,
        left: Tensor | None,
        right: Tensor | None,
        word_counts: Tensor,
        *,
        rule: str = "argmin",
    ) -> tuple[Tensor, Tensor]:
        """Return the edges by split point of the tree that greedy boundaries give."""
        infer = largest_tree if rule == "largest" else argmin_tree
        infer_right = largest_tree_right if rule == "largest" else argmax_tree_right
        if right is None:
            assert left is not None
            return infer(left, word_counts)
        if left is None:
            return infer_right(right, word_counts)
        if rule == "largest":
            pairs = zip(infer(left, word_counts), infer_right(right, word_counts), strict=True)
            lefts, rights = (torch.stack(pair) for pair in pairs)
        else:
            lefts, rights = argmin_and_argmax_trees(left, right, word_counts)
        by_left, by_right = self._tree_scores(scores, lefts, rights, word_counts).unbind(-1)
        better = (by_left >= by_right).unsqueeze(1)
        return torch.where(better, lefts[0], lefts[1]), torch.where(better, rights[0], rights[1])

    @staticmethod
    def _tree_scores(scores: SpanScores, lefts: Tensor, rights: Tensor, word_counts: Tensor) -> Tensor:
        """Return [batch, trees]: the sums of log P(left | split) + log P(right | split) over a tree's inner spans.

        The edges are [trees, batch, split points].
        """
        assert scores.left is not None
        assert scores.right is not None
        split_points = torch.arange(1, scores.left.shape[1], device=lefts.device)
        by_left = scores.left[:, :-1].gather(2, lefts.permute(1, 2, 0))
        by_right = scores.right[:, 1:].gather(2, (rights - 1).clamp(min=0).permute(1, 2, 0))
        is_inner = (split_points < word_counts.unsqueeze(1)).unsqueeze(2)
        return torch.where(is_inner, by_left + by_right, 0.0).sum(dim=1)

    def label_scores(self, scores: SpanScores, lefts: Tensor, rights: Tensor, word_counts: Tensor) -> Tensor:
        """Return [batch, 2 * words - 1, labels] for a tree's spans, the split ones first; no root is left empty."""
        halves = self.labels.halves(scores.left_edges, scores.right_edges)
        return self.label_scores_from(halves, lefts, rights, word_counts)

    def label_scores_from(
        self, halves: tuple[Tensor, Tensor], lefts: Tensor, rights: Tensor, word_counts: Tensor
    ) -> Tensor:
        """Return what `label_scores` does, from the label scorer's halves."""
        left_edges, right_edges = all_spans(lefts, rights)
        is_left_child = None
        if isinstance(self.labels, LabelTupleScorer):
            is_left_child = left_children(lefts, left_edges, right_edges, word_counts)
        found = self.labels(pick(halves[0], left_edges), pick(halves[1], right_edges), is_left_child)
        return without_empty_roots(found, (left_edges == 0) & (right_edges == word_counts.unsqueeze(1)))

    def forward(self, batch: Batch, *, rule: str = "argmin") -> Parse:
        """Return the labelled spans of a batch: scores, tree and labels in one pass."""
        scores = self.score(batch)
        lefts, rights, boundaries = self.infer_tree(scores, batch.word_counts, rule=rule)
        return self.label_tree(scores, lefts, rights, batch.word_counts, boundaries)

    def label_tree(
        self, scores: SpanScores, lefts: Tensor, rights: Tensor, word_counts: Tensor, boundaries: Tensor
    ) -> Parse:
        """Return the parse with this tree, however it was found."""
        log_probs = F.log_softmax(self.label_scores(scores, lefts, rights, word_counts), dim=-1)
        best = log_probs.max(dim=-1)
        split_count = lefts.shape[1]
        return Parse(
            lefts=lefts,
            rights=rights,
            split_labels=best.indices[:, :split_count],
            word_labels=best.indices[:, split_count:],
            label_log_probs=best.values,
            tags=None if scores.tags is None else scores.tags.argmax(dim=-1),
            boundaries=boundaries,
        )


def _log_sigmoid(logits: Tensor) -> Tensor:
    """Return log P of each log-odds.

    Exported, torch's own would be minus infinity for those far below 0, and 0 for all that are above 17.
    """
    if not torch.onnx.is_in_onnx_export():
        return F.logsigmoid(logits)
    odds = torch.exp(-logits.abs())
    series = odds * (1 - odds * (0.5 - odds / 3))  # log(1 + odds), for ONNX has none that is exact near 0
    return logits.clamp(max=0) - torch.where(odds < 0.01, series, torch.log(1 + odds))


def greedy_boundaries(scores: SpanScores) -> tuple[Tensor | None, Tensor | None]:
    """Return the most probable left and right boundaries (Eq. 4), each [batch, words], None for a side not scored.

    Of equally probable ones that of the longest span is taken, as in `spanlin.decoding`.
    """
    left = None if scores.left is None else scores.left.argmax(dim=2)
    right = None if scores.right is None else scores.right.shape[2] - scores.right.flip(2).argmax(dim=2)
    return left, right


def without_empty_roots(label_scores: Tensor, is_root: Tensor) -> Tensor:
    """Return [..., labels] in fp32 where a root cannot have the empty label."""
    is_empty = torch.arange(label_scores.shape[-1], device=label_scores.device) == EMPTY_LABEL_ID
    return label_scores.float().masked_fill(is_root.unsqueeze(-1) & is_empty, IMPOSSIBLE)


def possible_spans(word_count: int, word_counts: Tensor) -> Tensor:
    """Return [batch, words, words], true at row j-1, column i where (i, j) is a span of the sentence.

    Padding keeps its one-word spans, so that no softmax runs over nothing, whichever edge it runs over.
    """
    index = torch.arange(word_count, device=word_counts.device)
    left, right = index.unsqueeze(0), index.unsqueeze(1)
    inside = right < word_counts.view(-1, 1, 1)
    return (left == right) | ((left < right) & inside)


def all_spans(lefts: Tensor, rights: Tensor) -> tuple[Tensor, Tensor]:
    """Return the edges of all 2n - 1 spans, [batch, 2 * words - 1]: the split spans, then the words."""
    words = torch.arange(lefts.shape[1] + 1, device=lefts.device).expand(lefts.shape[0], -1)
    return torch.cat([lefts, words], dim=1), torch.cat([rights, words + 1], dim=1)


def left_children(lefts: Tensor, left_edges: Tensor, right_edges: Tensor, word_counts: Tensor) -> Tensor:
    """Return which spans are left children (the root among them): those that start where their end's d says."""
    first = lefts.new_zeros(lefts.shape[0], 1)
    longest = torch.cat([first, lefts, first], dim=1)  # d at split points 0..n; padding reads as 0
    at_end = torch.where(right_edges == word_counts.unsqueeze(1), 0, longest.gather(1, right_edges))
    return at_end == left_edges
