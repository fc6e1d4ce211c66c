"""What can be said of one run of visible characters alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.text import chunks
from spanlin.text.chunks import CHUNK, ChunkReader, Ending, Start

READER = ChunkReader(split_hyphens=True)
PARTS = [
    "a",
    "It",
    "Mr",
    "U.S",
    ".",
    "...",
    "?",
    "!",
    "”",
    ")",
    "(",
    "'",
    "1",
    "No",
    "p",
    "B",
    "end",
    "。",
    "—",
    "-",
    "'s",
]
runs = st.one_of(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=8).map("".join),
    st.text(min_size=1, max_size=40).filter(CHUNK.fullmatch),
)


def words(tokens: tuple[tuple[str, int, int], ...]) -> list[str]:
    return [word for word, _, _ in tokens]


@given(runs)
def test_tokens_cover_the_run_whether_its_last_stop_is_joined_or_not(run: str) -> None:
    chunk = READER[run]
    for tokens in (chunk.tokens, chunk.joined):
        assert "".join(words(tokens)) == run
        assert [run[start:end] for _, start, end in tokens] == words(tokens)
    assert len(chunk.tokens) - len(chunk.joined) in (0, 1)
    assert all(0 < end < len(chunk.tokens) for end in chunk.inner_ends)
    assert chunk.plain == (len(chunk.tokens) == 1 and chunk.ending is Ending.NONE)


@pytest.mark.parametrize(
    ("run", "ending"),
    [
        ("dog", Ending.NONE),
        ("dog,", Ending.NONE),
        ("a.b", Ending.NONE),
        ("dog.", Ending.STOP),
        ("dog.)”", Ending.STOP),
        (".", Ending.STOP),
        ("Why?", Ending.MARK),
        ("Why?!”", Ending.MARK),
        ("well...", Ending.ELLIPSIS),
        ("well…", Ending.ELLIPSIS),
        ("etc.", Ending.TRAILING),
        ("U.S.", Ending.TRAILING),
        ("Mr.", Ending.LEADING),
        ("e.g.", Ending.LEADING),
        ("No.", Ending.NUMBERED),
        ("p.", Ending.NUMBERED),
        ("Sat.", Ending.AMBIGUOUS),
        ("sat.", Ending.STOP),
        ("min.", Ending.SHORTENED),
        ("Min.", Ending.AMBIGUOUS),
        ("tbsp.", Ending.TRAILING),
        ("B.", Ending.INITIAL),
        ("2.1.", Ending.ITEM),
        ("--", Ending.DASH),
        ("—", Ending.DASH),
    ],
)
def test_how_a_run_may_end_a_sentence(run: str, ending: Ending) -> None:
    assert READER[run].ending is ending


@pytest.mark.parametrize(
    ("run", "start"),
    [
        ("dog", Start.LOWER),
        ("“dog", Start.LOWER),
        ("Dog", Start.CAPITAL),
        ("(Dog", Start.CAPITAL),
        ("The", Start.STARTER),
        ("“It’s", Start.STARTER),
        ("I’ve", Start.FIRST_PERSON),
        ("Ian", Start.CAPITAL),
        ("25th", Start.NUMBER),
        ("[4],", Start.CITATION),
        ("[Dog]", Start.CAPITAL),
        (".", Start.DOT),
        (".”", Start.DOT),
        (".yet", Start.SYMBOL),
        (")", Start.CLOSER),
        ("”.", Start.CLOSER),
        ("—", Start.SYMBOL),
        ("“", Start.SYMBOL),
    ],
)
def test_how_a_run_may_start_a_sentence(run: str, start: Start) -> None:
    assert READER[run].start is start


@pytest.mark.parametrize(
    ("run", "tokens", "joined"),
    [
        ("Mr.", ["Mr."], ["Mr."]),
        ("No.", ["No", "."], ["No."]),
        ("(B.)", ["(", "B", ".", ")"], ["(", "B.", ")"]),
        ("dog.", ["dog", "."], ["dog", "."]),
        ("Inc.,", ["Inc.", ","], ["Inc.", ","]),
        ("cannot", ["can", "not"], ["can", "not"]),
        ("Gonna,", ["Gon", "na", ","], ["Gon", "na", ","]),
    ],
)
def test_a_stop_that_only_the_next_run_can_judge_is_joined_beside(
    run: str, tokens: list[str], joined: list[str]
) -> None:
    assert (words(READER[run].tokens), words(READER[run].joined)) == (tokens, joined)


@pytest.mark.parametrize(
    ("run", "parts"),
    [
        ("end.The", [["end", "."], ["The"]]),
        ("who?Me", [["who", "?"], ["Me"]]),
        ("你好。世界。", [["你好", "。"], ["世界", "。"]]),
        ("www.Go.Then", [["www.Go.Then"]]),
        ("U.S.A", [["U.S.A"]]),
    ],
)
def test_a_sentence_may_end_inside_a_run(run: str, parts: list[list[str]]) -> None:
    chunk = READER[run]
    edges = [0, *chunk.inner_ends, len(chunk.tokens)]
    found = words(chunk.tokens)
    assert [found[left:right] for left, right in pairwise(edges)] == parts


def test_a_closing_quote_is_known_and_hyphens_are_split_as_asked() -> None:
    assert [READER[run].quoted for run in ("no.”", "no”.", "no.'")] == [True, False, True]
    whole = ChunkReader(split_hyphens=False)
    assert (words(READER["so-so"].tokens), words(whole["so-so"].tokens)) == (["so", "-", "so"], ["so-so"])


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "_REMEMBERED_CHUNKS", 10)
    reader = ChunkReader(split_hyphens=True)
    first = reader["dog."]
    assert reader["dog."] is first
    for number in range(25):
        assert words(reader[f"dog{number}."].tokens) == [f"dog{number}", "."]
        assert len(reader) <= 10
    long_run = "a" * 33
    assert words(reader[long_run].tokens) == [long_run]
    assert long_run not in reader
