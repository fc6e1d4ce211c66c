"""Corpora of any size, parsed on one machine or many: cut into units, each of which becomes one shard."""

from __future__ import annotations

from spanlin.corpus.job import CorpusOptions
from spanlin.corpus.report import Report
from spanlin.corpus.run import parse_corpus

__all__ = ["CorpusOptions", "Report", "parse_corpus"]
