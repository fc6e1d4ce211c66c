"""The limit of a CPU parser: its encoder's graph alone in onnxruntime, over batches that lie ready in memory."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

PIECE_LIMIT = 512
"""Longer sentences are cut here, which favours the bare encoder."""

Feeds = list[dict[str, Any]]


class BareEncoder:
    """A session with its batches ready; the faster of all threads on one batch and a batch on each thread."""

    def __init__(self, graph: str, tokenizer: str, sentences: Sequence[list[str]], *, batch: int, threads: int) -> None:
        self.sessions: list[tuple[Any, int]] = []
        onnxruntime = importlib.import_module("onnxruntime")
        for on_one_batch, side_by_side in sorted({(threads, 1), (1, threads)}):
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads, options.inter_op_num_threads = on_one_batch, 1
            # As our own runtime runs it: that fusion would slow the encoder down, and flatter us.
            session = onnxruntime.InferenceSession(
                graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
            )
            self.sessions.append((session, side_by_side))
        self.feeds = make_feeds(session, tokenizer, sentences, batch)
        for session, _ in self.sessions:
            for feed in self.feeds[:: max(1, len(self.feeds) // 10)]:
                session.run(None, feed)

    def seconds(self) -> float:
        """Return the seconds of one pass over all batches."""
        return min(self._pass(session, side_by_side) for session, side_by_side in self.sessions)

    def _pass(self, session: Any, side_by_side: int) -> float:
        with ThreadPoolExecutor(side_by_side) as pool:
            start = time.perf_counter()
            for _ in pool.map(lambda feed: session.run(None, feed), self.feeds):
                pass
            return time.perf_counter() - start


def make_feeds(session: Any, tokenizer: str, sentences: Sequence[list[str]], batch: int) -> Feeds:
    """Return the inputs of every batch, by the names that the graph gives them."""
    numpy = importlib.import_module("numpy")
    names = [item.name for item in session.get_inputs()]
    feeds: Feeds = []
    for rows in cut_batches(word_pieces(tokenizer, sentences), batch):
        longest = len(rows[-1])
        ids = numpy.zeros((len(rows), longest), dtype=numpy.int64)
        mask = numpy.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        feed = {}
        for name in names:
            if "mask" in name:
                feed[name] = mask
            elif "type" in name:
                feed[name] = numpy.zeros_like(ids)
            elif "count" in name:
                feed[name] = mask.sum(axis=1)
            else:
                feed[name] = ids
        feeds.append(feed)
    return feeds


def cut_batches(rows: Sequence[list[int]], batch: int) -> Iterator[list[list[int]]]:
    """Yield the rows, shortest first, as many together as fit the budget with their padding; at least one."""
    waiting: list[list[int]] = []
    for row in sorted(rows, key=len):
        if waiting and (len(waiting) + 1) * len(row) > batch:
            yield waiting
            waiting = []
        waiting.append(row)
    if waiting:
        yield waiting


def word_pieces(tokenizer: str, sentences: Sequence[list[str]]) -> list[list[int]]:
    """Return the ids of each sentence, the special ones included."""
    encoder = importlib.import_module("tokenizers").Tokenizer.from_file(tokenizer)
    encoder.no_padding()
    encoder.enable_truncation(PIECE_LIMIT)
    found = encoder.encode_batch(list(sentences), is_pretokenized=True)
    return [item.ids for item in found]
