"""Every sentence of real treebanks, byte for byte; needs SPANLIN_DATA."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spanlin.dependencies import read_conllu
from spanlin.dependencies.conllu import format_conllu
from spanlin.dependencies.validation import sentence_problems

pytestmark = pytest.mark.treebanks
FILES = sorted(Path(os.environ.get("SPANLIN_DATA", "/nowhere")).glob("*/*.conllu"))


@pytest.mark.skipif(not FILES, reason="SPANLIN_DATA has no CoNLL-U files")
@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}-{path.stem}" for path in FILES])
def test_every_sentence_of_a_treebank_is_written_as_it_was_read(path: Path) -> None:
    texts = []
    for sentence in read_conllu(path):
        texts.append(format_conllu(sentence))
        assert list(sentence_problems(sentence)) == []
        assert [sentence.text[start:end] for start, end in sentence.offsets] == list(sentence.forms)
    assert "".join(texts).encode() == path.read_bytes()
