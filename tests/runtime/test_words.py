"""Every word has its own number, whatever happens as it gets it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from spanlin.runtime import words as words_module
from spanlin.runtime.lexical_features import LexicalFeatures
from spanlin.runtime.lexicon import Lexicon
from spanlin.runtime.words import WordTable

WORDS = ["She", "loves", "writing", "code", "."]


class InterruptedNumbers(dict[str, int]):
    """Numbers of which only the first is put down before Ctrl-C."""

    def update(self, pairs: Iterable[tuple[str, int]]) -> None:  # type: ignore[override]
        super().update([next(iter(pairs))])
        raise KeyboardInterrupt


@pytest.mark.parametrize("where", ["before", "within"])
def test_an_interrupt_gives_no_word_what_is_known_of_another(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(word: str) -> str:
        raise KeyboardInterrupt

    lexicon = Lexicon(WORDS, [])
    table = WordTable(LexicalFeatures(lexicon=lexicon))
    table.numbers(WORDS[:1])
    with monkeypatch.context() as patch:
        if where == "before":
            patch.setattr(words_module, "escape_word", interrupt)
        else:
            patch.setattr(table, "_numbers", InterruptedNumbers(table._numbers))
        with pytest.raises(KeyboardInterrupt):
            table.numbers(WORDS[:3])
    numbers = table.numbers(WORDS)
    features = table.features
    assert isinstance(features, LexicalFeatures)
    assert features.word_ids[numbers].tolist() == list(map(lexicon.word_id, WORDS))
    assert table.written[numbers].tolist() == WORDS
