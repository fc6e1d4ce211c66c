from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from generated_treebank import generate_treebank
from small_runs import small_config, splits_of, untrained_model
from spanlin.training.data import load_data
from spanlin.training.run_batches import RunBatches
from spanlin.trees.brackets import read_trees

WORDS_WITHOUT_TREES = "she sees the dog\na cat sleeps\n"


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate_treebank(tmp_path_factory.mktemp("treebank"), train=25, dev=5)[0]


def batches_of(treebank: Path, *, rank: int = 0, world: int = 1, multiple: int = 1, **changes: Any) -> RunBatches:
    config = small_config(treebank, batch={"tokens": 60, **changes})
    return RunBatches(
        load_data(config),
        untrained_model(list(read_trees(treebank))),
        [],
        config,
        lessons=None,
        multiple=multiple,
        rank=rank,
        world=world,
        device=torch.device("cpu"),
    )


def sentences_of(batches: RunBatches, *, epoch: int, start: int = 0) -> list[list[int]]:
    jobs = batches.jobs(batches.plan(epoch), epoch=epoch, start=start)
    return [np.frombuffer(job().sentences, np.int64).tolist() for job in jobs]


def test_an_epoch_has_every_sentence_once(treebank: Path) -> None:
    batches = batches_of(treebank)
    assert batches.sentence_count == 25
    for epoch in (0, 1):
        assert sorted(number for batch in sentences_of(batches, epoch=epoch) for number in batch) == list(range(25))


def test_batches_hold_the_words_of_their_sentences(treebank: Path) -> None:
    batches = batches_of(treebank)
    lengths = [len(sentence.words) for sentence in splits_of(list(read_trees(treebank)))]
    for job in batches.jobs(batches.plan(0), epoch=0, start=0):
        made = job()
        numbers = np.frombuffer(made.sentences, np.int64)
        assert made.batch.word_counts.tolist() == [lengths[number] for number in numbers]
        assert made.for_teachers == []


@pytest.mark.parametrize("accumulate", [1, 2])
def test_processes_share_the_steps_and_one_without_a_batch_gets_anothers(treebank: Path, accumulate: int) -> None:
    shared = [batches_of(treebank, rank=rank, world=3, accumulate=accumulate) for rank in range(3)]
    plan = shared[0].plan(0)
    assert all(len(step) == 3 * accumulate for step in plan[:-1])
    assert 1 <= len(plan[-1]) <= 3 * accumulate
    by_process = [sentences_of(one, epoch=0) for one in shared]
    assert len({len(found) for found in by_process}) == 1  # all take part in every step
    planned = Counter(tuple(batch.tolist()) for step in plan for batch in step)
    made = Counter(tuple(batch) for found in by_process for batch in found)
    assert made.keys() == planned.keys()
    assert sum(made.values()) == sum(-(-len(step) // 3) * 3 for step in plan)


def test_a_resumed_epoch_goes_on_where_it_was(treebank: Path) -> None:
    batches = batches_of(treebank)
    whole = sentences_of(batches, epoch=3)
    assert len(whole) > 4
    assert sentences_of(batches, epoch=3, start=4) == whole[4:]


def test_lengths_are_rounded_up_where_graphs_are_recorded(treebank: Path) -> None:
    plain, rounded = batches_of(treebank), batches_of(treebank, multiple=8)
    assert (rounded.costs % 8 == 0).all()
    assert ((rounded.costs - plain.costs >= 0) & (rounded.costs - plain.costs < 8)).all()


def test_sentences_without_trees_come_last_with_their_own_weight(treebank: Path, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text(WORDS_WITHOUT_TREES)
    distillation = {"teachers": ["t"], "unlabelled": [str(tmp_path / "plain.txt")], "unlabelled_weight": 3.0}
    config = small_config(treebank, distillation=distillation)
    teacher = untrained_model(list(read_trees(treebank)))
    batches = RunBatches(
        load_data(config),
        teacher,
        [teacher],
        config,
        lessons=None,
        multiple=1,
        rank=0,
        world=1,
        device=torch.device("cpu"),
    )
    assert batches.sentence_count == 27
    counts = Counter(number for batch in sentences_of(batches, epoch=0) for number in batch)
    assert [counts[number] for number in range(27)] == [1] * 25 + [3] * 2
    first, second = ({tuple(batch) for batch in sentences_of(batches, epoch=epoch)} for epoch in (0, 1))
    assert first == second  # so that the teachers' answers serve again
