"""Evaluation: brackets as EVALB counts them, dependencies as CoNLL 2018 did, and what can be said about the score."""

from __future__ import annotations

from spanlin.evaluation.counts import Counts, SentenceScore, Status, Totals
from spanlin.evaluation.evalb import EvalbOutput
from spanlin.evaluation.files import evalb_files, score_files
from spanlin.evaluation.parameters import COLLINS, NK, Parameters, find_parameters, read_parameters
from spanlin.evaluation.score import Problem, Score, score_trees
from spanlin.evaluation.significance import Comparison, Interval, compare_scores
from spanlin.evaluation.ud_counts import UDCounts
from spanlin.evaluation.ud_score import UDScore, compare_ud_scores, score_conllu_files, score_dependencies

__all__ = [
    "COLLINS",
    "NK",
    "Comparison",
    "Counts",
    "EvalbOutput",
    "Interval",
    "Parameters",
    "Problem",
    "Score",
    "SentenceScore",
    "Status",
    "Totals",
    "UDCounts",
    "UDScore",
    "compare_scores",
    "compare_ud_scores",
    "evalb_files",
    "find_parameters",
    "read_parameters",
    "score_conllu_files",
    "score_dependencies",
    "score_files",
    "score_trees",
]
