from __future__ import annotations

import threading
from pathlib import Path

import pytest

from spanlin.parser import Parser
from spanlin.runtime.backend import TREE
from spanlin.runtime.batch_runner import BatchRunner
from spanlin.runtime.folder_features import features_of
from spanlin.runtime.sentences import RunBatch


@pytest.fixture
def runner(folder: Path) -> BatchRunner:
    parser = Parser.load(folder, threads=1)
    return BatchRunner(features_of(parser.folder), parser.backend, workers=1)


def threads_of(runner: BatchRunner, sentences: list[list[str]]) -> list[str]:
    """Return the names of the threads in which sentences are run."""

    def make(batch: RunBatch[list[str]]) -> list[str | None]:
        return [threading.current_thread().name] * len(batch.members)

    found = list(runner.run(sentences, lambda words: words, TREE, make))
    assert [words for words, _ in found] == sentences
    return [name for _, name in found if name is not None]


def test_a_single_batch_waits_for_no_other_thread(runner: BatchRunner) -> None:
    here = threading.current_thread().name
    assert threads_of(runner, [["Dogs", "bark"], [], ["Cats", "meow"]]) == [here, here]


def test_several_batches_run_beside_what_is_done_with_them(runner: BatchRunner) -> None:
    names = threads_of(runner, [["Dogs", "bark"], ["very"] * 30] * 20)
    assert len(names) == 40
    assert all(name.startswith("spanlin") for name in names)


def test_a_single_batch_that_fails_says_why(runner: BatchRunner) -> None:
    def make(batch: RunBatch[list[str]]) -> list[str | None]:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        list(runner.run([["Dogs", "bark"]], lambda words: words, TREE, make))
