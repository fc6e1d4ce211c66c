from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from generated_treebank import generate_trees
from small_runs import splits_of, untrained_model
from spanlin.runtime.lexicon import START, STOP, UNKNOWN
from spanlin.training.batches import BatchMaker, Prefetcher, cut_batches, plan_epoch
from spanlin.training.examples import Featurizer, concatenate, without_tags
from spanlin.training.vocabulary import build_vocabularies

TREES = generate_trees(30, seed=31)

groups_of_sentences = st.lists(
    st.tuples(st.integers(1, 30), st.sampled_from([0.4, 1.0, 1.5, 2.0, 3.25])), min_size=1, max_size=3
)


def as_groups(sizes: list[tuple[int, float]]) -> list[tuple[np.ndarray, float]]:
    starts = np.cumsum([0, *(size for size, _ in sizes)])
    return [(np.arange(start, start + size), weight) for start, (size, weight) in zip(starts, sizes, strict=False)]


@given(groups_of_sentences, st.integers(1, 300), st.integers(1, 10), st.integers(0, 2**31), st.integers(0, 50))
def test_an_epoch_has_every_sentence_as_often_as_its_weight_says_within_the_budgets(
    sizes: list[tuple[int, float]], tokens: int, sentences: int, seed: int, epoch: int
) -> None:
    groups = as_groups(sizes)
    costs = np.random.default_rng(seed).integers(1, 60, sum(size for size, _ in sizes))

    def plan(seed: int, epoch: int) -> list[list[int]]:
        planned = plan_epoch(groups, costs, seed=seed, epoch=epoch, token_budget=tokens, sentence_budget=sentences)
        return [batch.tolist() for batch in planned]

    batches = plan(seed, epoch)
    counts = Counter(number for batch in batches for number in batch)
    for members, weight in groups:
        each = [counts[number] for number in members.tolist()]
        assert set(each) <= {int(weight), int(weight) + 1}
        assert sum(each) == int(weight) * len(members) + round((weight - int(weight)) * len(members))
    for batch in batches:
        assert 0 < len(batch) <= sentences
        assert len(batch) == 1 or costs[batch].max() * len(batch) <= tokens
    assert plan(seed, epoch) == batches


def test_a_plan_depends_on_the_seed_and_the_epoch() -> None:
    costs = np.random.default_rng(0).integers(3, 30, 200)
    groups = [(np.arange(200), 1.5)]

    def plan(seed: int, epoch: int) -> list[list[int]]:
        planned = plan_epoch(groups, costs, seed=seed, epoch=epoch, token_budget=200, sentence_budget=50)
        return [batch.tolist() for batch in planned]

    assert plan(1, 0) == plan(1, 0)
    assert len({str(plan(seed, epoch)) for seed in (1, 2) for epoch in (0, 1, 2)}) == 6
    # Like lengths go together: little of a batch is padding.
    padded = sum(len(batch) * max(costs[batch]) for batch in plan(1, 0))
    assert padded < 1.2 * sum(costs[batch].sum() for batch in plan(1, 0))


@given(st.lists(st.integers(1, 50), max_size=40), st.integers(1, 200), st.integers(1, 9))
def test_cut_batches_keeps_the_order_and_the_budgets(costs: list[int], tokens: int, sentences: int) -> None:
    order = np.arange(len(costs))[::-1]
    batches = cut_batches(order, np.array(costs, dtype=np.int64), token_budget=tokens, sentence_budget=sentences)
    assert [number for batch in batches for number in batch.tolist()] == order.tolist()
    for batch in batches:
        assert len(batch) == 1 or (len(batch) <= sentences and max(costs[k] for k in batch) * len(batch) <= tokens)


def test_a_sentence_over_the_budget_is_a_batch_of_its_own() -> None:
    batches = cut_batches(np.arange(4), np.array([5, 100, 5, 5]), token_budget=20, sentence_budget=9)
    assert [batch.tolist() for batch in batches] == [[0], [1], [2, 3]]


def test_a_batch_has_start_and_stop_around_each_sentence_and_gold_trees_in_their_places() -> None:
    model = untrained_model(TREES)
    splits = splits_of(TREES)
    numbers = [5, 0, 7]
    batch = BatchMaker(model.featurizer(splits))(np.array(numbers))
    assert batch.lexical is not None
    assert batch.targets is not None
    vocabularies = model.vocabularies
    for row, number in enumerate(numbers):
        sentence = splits[number]
        count = len(sentence.words)
        assert batch.word_counts[row] == batch.lengths[row] == count
        ids = [vocabularies.words.id(word) for word in sentence.words]
        padding = [0] * (batch.lexical.words.shape[1] - count - 2)
        assert batch.lexical.words[row].tolist() == [START, *ids, STOP, *padding]
        assert batch.targets.split_lefts[row, : count - 1].tolist() == [span.left for span in sentence.spans]
        assert batch.targets.split_rights[row, : count - 1].tolist() == [span.right for span in sentence.spans]
        labels = [vocabularies.labels.items[label] for label in batch.targets.split_labels[row, : count - 1].tolist()]
        assert labels == list(sentence.split_labels)
        assert [vocabularies.labels.items[k] for k in batch.targets.word_labels[row, :count]] == list(
            sentence.word_labels
        )
        assert [vocabularies.tags.items[k] for k in batch.targets.tags[row, :count]] == list(sentence.tags)
        assert (batch.targets.split_labels[row, count - 1 :] == -1).all()
        assert (batch.targets.word_labels[row, count:] == -1).all()
        assert (batch.targets.tags[row, count:] == -1).all()


def test_a_sentence_of_one_word_has_a_padded_split_point() -> None:
    model = untrained_model(TREES)
    batch = BatchMaker(model.featurizer([without_tags(["cat"])], has_tree=False))(np.array([0]))
    assert batch.targets is not None
    assert batch.targets.split_lefts.shape == (1, 1)
    assert batch.has_tree is not None
    assert not batch.has_tree.any()


def test_words_are_hidden_as_often_as_z_and_their_counts_say() -> None:
    model = untrained_model(TREES)
    z = 2.0
    counts = Counter(word for tree in TREES for word in tree.words)
    rates = model.vocabularies.unknown_rates(z)
    for word, count in counts.items():
        assert rates[model.vocabularies.words.id(word)] == pytest.approx(z / (z + count))
    assert not rates[:4].any()  # the start and stop symbols always stay
    assert not model.vocabularies.unknown_rates(0).any()

    frequent, rare = counts.most_common()[0][0], counts.most_common()[-1][0]
    words = [frequent, rare] * 5000
    maker = BatchMaker(model.featurizer([without_tags(words)], has_tree=False), unknown_rates=rates)
    batch = maker(np.array([0]), seed=(1, 2))
    assert batch.lexical is not None
    hidden = (batch.lexical.words[0, 1:-1] == UNKNOWN).view(-1, 2).double().mean(dim=0)
    for found, word in zip(hidden.tolist(), (frequent, rare), strict=True):
        rate = z / (z + counts[word])
        assert found == pytest.approx(rate, abs=4 * (rate * (1 - rate) / 5000) ** 0.5)  # four standard errors
    assert batch.lexical.words[0, [0, -1]].tolist() == [START, STOP]


def test_hidden_words_depend_on_the_seed_and_only_training_hides_any() -> None:
    model = untrained_model(TREES)
    maker = BatchMaker(model.featurizer(splits_of(TREES)), unknown_rates=model.vocabularies.unknown_rates(5.0))

    def words(seed: tuple[int, ...] | None) -> torch.Tensor:
        batch = maker(np.arange(20), seed=seed)
        assert batch.lexical is not None
        return batch.lexical.words

    assert words((1, 0, 3)).equal(words((1, 0, 3)))
    assert not words((1, 0, 3)).equal(words((1, 0, 4)))
    assert not (words(None) == UNKNOWN).any()
    assert (words((1, 0, 3)) == UNKNOWN).any()


def test_a_hidden_word_keeps_its_spelling() -> None:
    model = untrained_model(TREES)
    maker = BatchMaker(model.featurizer(splits_of(TREES)), unknown_rates=model.vocabularies.unknown_rates(1e9))
    plain, hidden = maker(np.arange(3)).lexical, maker(np.arange(3), seed=(1,)).lexical
    assert plain is not None
    assert hidden is not None
    assert not plain.words.equal(hidden.words)
    assert plain.spellings[plain.spelling_of].equal(hidden.spellings[hidden.spelling_of])


def test_the_treebank_is_hidden_in_training_as_often_as_its_rate_says() -> None:
    trees = splits_of(TREES)
    vocabularies = build_vocabularies(trees, min_word_count=1, treebanks=["one", "two"])
    featurizer = Featurizer(vocabularies, pieces=None, piece_limit=0, vectors=None, lexical=True)
    examples = concatenate([featurizer(trees, treebank=name) for name in ("one", "two", "three", "")])
    maker = BatchMaker(examples, unknown_treebank_rate=0.25)
    numbers = np.arange(len(examples))
    told = [1] * 30 + [2] * 30 + [0] * 60  # a name that was not trained on is none in particular
    assert maker(numbers).treebanks.tolist() == told
    hidden = torch.stack([maker(numbers, seed=(1, number)).treebanks == 0 for number in range(100)])[:, :60].double()
    assert hidden.mean().item() == pytest.approx(0.25, abs=0.03)  # five standard errors
    assert maker(numbers, seed=(1, 2)).treebanks.equal(maker(numbers, seed=(1, 2)).treebanks)


def jobs(count: int, done: list[int]) -> Iterator[Callable[[], int]]:
    for number in range(count):

        def job(number: int = number) -> int:
            done.append(number)
            return number

        yield job


def test_a_prefetcher_hands_results_over_in_order_and_ends() -> None:
    prefetcher = Prefetcher(jobs(50, []), ahead=3)
    assert list(prefetcher) == list(range(50))
    assert not any(thread.name == "batches" for thread in threading.enumerate())


def test_a_prefetcher_runs_only_a_few_jobs_ahead() -> None:
    done: list[int] = []
    prefetcher = Prefetcher(jobs(1000, done), ahead=4)
    stream = iter(prefetcher)
    assert [next(stream), next(stream)] == [0, 1]
    time.sleep(0.2)
    assert len(done) <= 2 + 4 + 1  # taken, waiting, and one in hand
    prefetcher.close()
    assert not any(thread.name == "batches" for thread in threading.enumerate())
    assert len(done) <= 9


@pytest.mark.parametrize("place", ["job", "iterator"])
def test_a_prefetcher_hands_an_error_over_after_what_came_before(place: str) -> None:
    def fail() -> int:
        raise ValueError("no such sentence")

    def failing() -> Iterator[Callable[[], int]]:
        yield from jobs(3, [])
        if place == "iterator":
            raise ValueError("no such sentence")
        yield fail

    found: list[object] = []
    with pytest.raises(ValueError, match="no such sentence"):
        found.extend(Prefetcher(failing(), ahead=2))
    assert found == [0, 1, 2]
    assert not any(thread.name == "batches" for thread in threading.enumerate())


def test_leaving_a_prefetcher_early_stops_its_thread() -> None:
    for _ in Prefetcher(jobs(10_000, []), ahead=2):
        break
    deadline = time.monotonic() + 5
    while any(thread.name == "batches" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
