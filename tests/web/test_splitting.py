"""JavaScript splits text as Python does: the same sentences and tokens, at the same places."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from node_scripts import run_script
from spanlin.text import tokenize
from spanlin.trees.brackets import read_trees
from text.nasty_inputs import NASTY_INPUTS
from varied_sentences import varied_sentences

_JOINS = ("", " ", "  ", "\n", "\n\n", ". ", '" ', "-", "'s ", "...", "\t", ".\n- ")


def drawn_texts(count: int, *, seed: int = 11) -> list[str]:
    """Return texts of pieces of nasty inputs and made sentences, joined in all ways."""
    draw = random.Random(seed)
    sources = [*NASTY_INPUTS, *(" ".join(words) for words in varied_sentences(200))]
    sources = [text for text in sources if not any("\ud800" <= char <= "\udfff" for char in text)]
    texts = list(sources)
    while len(texts) < count:
        parts = []
        for _ in range(draw.randrange(1, 7)):
            source = draw.choice(sources)
            start = draw.randrange(len(source) + 1)
            parts += [source[start : start + draw.randrange(1, 40)], draw.choice(_JOINS)]
        texts.append("".join(parts))
    return texts[:count]


def in_units(text: str) -> list[Any]:
    """Return Python's sentences of a text, with places in UTF-16 units."""
    units = [0, *accumulate(2 if char > "\uffff" else 1 for char in text)]
    return [
        [list(found.words), [units[at] for at in found.starts], [units[at] for at in found.ends], found.text]
        for found in tokenize(text)
    ]


def assert_split_alike(texts: Sequence[str]) -> None:
    found = run_script("split_lines.mjs", texts)
    different = [text for text, one in zip(texts, found, strict=True) if one != in_units(text)]
    assert different == []


def test_javascript_splits_a_thousand_drawn_texts_like_python() -> None:
    assert_split_alike(drawn_texts(1000))


@pytest.mark.slow
def test_javascript_splits_twenty_thousand_drawn_texts_like_python() -> None:
    assert_split_alike(drawn_texts(20_000, seed=12))


@pytest.mark.treebanks
@pytest.mark.skipif("SPANLIN_DATA" not in os.environ, reason="needs SPANLIN_DATA")
def test_javascript_splits_real_text_like_python() -> None:
    data = Path(os.environ["SPANLIN_DATA"])
    texts = [path.read_text(encoding="utf-8") for path in sorted((data / "unlabelled").glob("*.txt"))]
    texts += [line for text in texts for line in text.split("\n")]
    for name in ("craft", "genia", "gum", "masc"):
        texts += [" ".join(tree.words) for tree in read_trees(data / name / "dev.txt")]
    assert len(texts) > 10_000
    assert_split_alike(texts)
