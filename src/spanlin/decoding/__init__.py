"""From boundaries, or their log-probabilities, to binary trees (Wei et al. 2020, sec. 3.4); from arcs to heads."""

from spanlin.decoding.arc_marginals import arc_marginals, arc_marginals_batch
from spanlin.decoding.arcs import ArcConstraints
from spanlin.decoding.constituents import Constraints, LabelSet, SpanRules
from spanlin.decoding.constraints import SpanConstraints
from spanlin.decoding.decode import Decoder, decode, decode_batch, most_probable_trees
from spanlin.decoding.exact import log_partition, log_partition_batch, span_marginals, span_marginals_batch
from spanlin.decoding.greedy import GreedyRule, greedy_tree, greedy_trees, legal_rows
from spanlin.decoding.heads import DecodedHeads, HeadBatch, HeadDecoder, decode_heads, decode_heads_batch
from spanlin.decoding.joint import JointParse, decode_joint
from spanlin.decoding.kbest import best_trees, k_best_trees
from spanlin.decoding.labelled import LabelledProblem, LabelledTree, RankedLabels, Temperatures
from spanlin.decoding.legalization import LegalizedTree, legalize, legalize_batch
from spanlin.decoding.results import DecodedTree, ScoredTree, TreeBatch
from spanlin.decoding.sampling import sample_trees

__all__ = [
    "ArcConstraints",
    "Constraints",
    "DecodedHeads",
    "DecodedTree",
    "Decoder",
    "GreedyRule",
    "HeadBatch",
    "HeadDecoder",
    "JointParse",
    "LabelSet",
    "LabelledProblem",
    "LabelledTree",
    "LegalizedTree",
    "RankedLabels",
    "ScoredTree",
    "SpanConstraints",
    "SpanRules",
    "Temperatures",
    "TreeBatch",
    "arc_marginals",
    "arc_marginals_batch",
    "best_trees",
    "decode",
    "decode_batch",
    "decode_heads",
    "decode_heads_batch",
    "decode_joint",
    "greedy_tree",
    "greedy_trees",
    "k_best_trees",
    "legal_rows",
    "legalize",
    "legalize_batch",
    "log_partition",
    "log_partition_batch",
    "most_probable_trees",
    "sample_trees",
    "span_marginals",
    "span_marginals_batch",
]
