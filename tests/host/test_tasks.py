"""What tasks make of blocks, and how sentences are put into blocks."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joint_networks import SENTENCES
from spanlin.host import tasks
from spanlin.host.tasks import Brackets, Made, Parses, TokenBlock, token_blocks
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions
from spanlin.text.blocks import text_blocks


@given(lengths=st.lists(st.integers(0, 30), max_size=40), most=st.integers(1, 9), words=st.integers(1, 60))
def test_blocks_have_all_items_in_order_and_few_words(lengths: list[int], most: int, words: int) -> None:
    items = [(number, ["w"] * length) for number, length in enumerate(lengths)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "BLOCK_SENTENCES", most)
        patch.setattr(tasks, "_BLOCK_WORDS", words)
        blocks = list(token_blocks(items, lambda item: item[1]))
    assert list(itertools.chain.from_iterable(own for own, _ in blocks)) == items
    for own, block in blocks:
        assert block.given == [given for _, given in own]
        assert 0 < len(own) <= max(2, most)
        assert sum(map(len, block.given[1:-1])) < words


@pytest.mark.parametrize(
    "task",
    [Brackets(), Parses(ParseOptions()), Made(Parsed.brackets, ParseOptions())],
    ids=lambda task: type(task).__name__,
)
def test_a_task_counts_the_sentences_of_a_block_of_either_kind(alone: Parser, task: Parses) -> None:
    sent: Parses = pickle.loads(pickle.dumps(task))
    given: Sequence[Sequence[str]] = [*SENTENCES[:2], []]
    assert sent(alone, TokenBlock(list(given)), 0).sentences == 3
    (block,) = text_blocks("Dogs bark. Cats sleep.\n\nNobody minds.")
    assert sent(alone, block, 0).sentences == 3
