"""From treebanks as their owners ship them, one module for each, to train, dev and test files of cleaned trees."""

from __future__ import annotations

from spanlin.trees.treebanks.bracket_files import find_brackets, find_listed_brackets
from spanlin.trees.treebanks.craft import find_craft
from spanlin.trees.treebanks.ctb import find_ctb
from spanlin.trees.treebanks.example import find_example
from spanlin.trees.treebanks.genia import find_genia
from spanlin.trees.treebanks.gum import find_gum
from spanlin.trees.treebanks.nltk_sample import find_nltk_sample
from spanlin.trees.treebanks.preparation import prepare_treebank
from spanlin.trees.treebanks.ptb import find_ptb
from spanlin.trees.treebanks.summary import CountDifference, Preparation, SplitSummary
from spanlin.trees.treebanks.treebank import Treebank, TreebankDocument

__all__ = [
    "Treebank",
    "CountDifference",
    "TreebankDocument",
    "Preparation",
    "SplitSummary",
    "find_brackets",
    "find_craft",
    "find_ctb",
    "find_example",
    "find_genia",
    "find_gum",
    "find_listed_brackets",
    "find_nltk_sample",
    "find_ptb",
    "prepare_treebank",
]
