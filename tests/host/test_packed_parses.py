"""Parses that were packed are the parses they were."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from joint_networks import SENTENCES
from runtime.conftest import TREES, folder, model  # noqa: F401 (fixtures)
from spanlin.host.packed_parses import PackedParses, pack_parses
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions


def sent(parser: Parser, parses: list[Parsed]) -> list[Parsed]:
    packed: PackedParses = pickle.loads(pickle.dumps(pack_parses(parses)))
    return packed.unpack(parser.folder, parser._records)


@pytest.mark.parametrize(
    "options",
    [
        ParseOptions(),
        ParseOptions(decoder="labelled"),
        ParseOptions(decoder="joint"),
        ParseOptions(k_best=2),
        ParseOptions(scores=True),
    ],
    ids=str,
)
def test_all_of_a_parse_arrives(alone: Parser, options: ParseOptions) -> None:
    parses = alone.parse_tokens([[], *SENTENCES[:5], [], *SENTENCES[5:7]], options)
    found = sent(alone, parses)
    assert found == parses
    assert [one.to_json() for one in found] == [one.to_json() for one in parses]
    assert [one.splits for one in found] == [one.splits for one in parses]


def test_places_in_a_text_arrive(alone: Parser) -> None:
    parses = alone.parse("Dogs bark at 3 p.m. in the U.S. They don't mind.\n\nCats (all) sleep.")
    found = sent(alone, parses)
    assert [one.sentence for one in found] == [one.sentence for one in parses]
    assert [one.constituents() for one in found] == [one.constituents() for one in parses]


def test_trees_alone_arrive_without_dependencies(folder: Path) -> None:  # noqa: F811
    parser = Parser.load(folder, threads=1)
    parses = parser.parse_tokens([tree.words for tree in TREES[:4]])
    found = sent(parser, parses)
    assert [one.to_json() for one in found] == [one.to_json() for one in parses]
    assert found[0].dependencies is None


def test_no_parses_are_none(alone: Parser) -> None:
    assert sent(alone, []) == []
    assert sent(alone, alone.parse_tokens([[], []])) == alone.parse_tokens([[], []])
