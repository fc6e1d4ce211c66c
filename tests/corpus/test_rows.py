"""Documents to sentences, and parses to rows."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from spanlin.corpus.documents import Document
from spanlin.corpus.rows import JsonLinesShard, make_row, open_shard, split_document
from spanlin.parsed import Parsed
from spanlin.parsed_dependencies import ParsedDependencies
from spanlin.text import Sentence
from spanlin.text.forms import InputForm

TEXT = "Dogs bark . Cats  -LRB- sleep -RRB- ."


def sentences(text: str, form: InputForm, longest: int = 500) -> list[Sentence]:
    found = list(split_document(Document(7, "x", text), form, longest_sentence=longest))
    assert [one.number for one in found] == list(range(len(found)))
    assert all(one.document.id == "x" for one in found)
    return [one.sentence for one in found]


def test_running_text_is_split_into_sentences_with_places_in_the_document() -> None:
    first, second = sentences("Dogs bark.\nCats sleep. ", "text")
    assert (first.words, second.words) == (("Dogs", "bark", "."), ("Cats", "sleep", "."))
    assert (second.starts[0], second.ends[-1]) == (11, 22)


def test_a_document_may_be_one_sentence() -> None:
    (tokenized,) = sentences(TEXT, "tokenized")
    assert tokenized.words == ("Dogs", "bark", ".", "Cats", "(", "sleep", ")", ".")
    assert tokenized.starts == (0, 5, 10, 12, 18, 24, 30, 36)
    (line,) = sentences(TEXT, "lines")
    assert (tokenized.text, line.text) == (TEXT, TEXT)


@pytest.mark.parametrize("form", ["lines", "tokenized"])
def test_a_document_without_words_has_no_sentence(form: InputForm) -> None:
    assert sentences(" \t", form) == []


def test_a_sentence_that_is_too_long_is_cut_in_text_and_refused_otherwise() -> None:
    words = " ".join(["a"] * 7)
    assert [len(one.words) for one in sentences(words, "text", longest=5)] == [5, 2]
    assert len(sentences(words, "tokenized", longest=7)) == 1
    for form in ("lines", "tokenized"):
        with pytest.raises(ValueError, match=r"^too long: a sentence of 7 words, of at most 6$"):
            sentences(words, form, longest=6)


def parsed(sentence: Sentence, log_probability: float | None) -> Parsed:
    return Parsed(
        words=sentence.words,
        tags=("NNS", "VBP"),
        tag_probabilities=(0.123456, 1.0),
        brackets="(S (NNS Dogs) (VBP bark))",
        spans=(("S", 0, 2, 0.98765432),),
        log_probability=log_probability,
        certified=True,
    )


def test_a_row_counts_characters_of_the_document_and_rounds_to_four_decimals() -> None:
    sentence = Sentence(("Dogs", "bark"), (10, 15), (14, 19), "Dogs bark")
    (found,) = split_document(Document(0, "x", "Dogs bark"), "lines", longest_sentence=9)
    row = make_row(found._replace(number=3, sentence=sentence), parsed(sentence, -0.123456))
    assert row == {
        "document": "x",
        "sentence": 3,
        "start": 10,
        "end": 19,
        "text": "Dogs bark",
        "tokens": ["Dogs", "bark"],
        "token_starts": [10, 15],
        "token_ends": [14, 19],
        "tags": ["NNS", "VBP"],
        "tag_probabilities": [0.1235, 1.0],
        "brackets": "(S (NNS Dogs) (VBP bark))",
        "constituents": [{"label": "S", "left": 0, "right": 2, "probability": 0.9877}],
        "log_probability": -0.1235,
        "certified": True,
        "heads": None,
        "relations": None,
        "universal_tags": None,
        "arc_probabilities": None,
    }
    assert make_row(found, parsed(sentence, None))["log_probability"] is None


def test_a_row_has_dependencies_where_the_model_has() -> None:
    sentence = Sentence(("Dogs", "bark"), (0, 5), (4, 9), "Dogs bark")
    (found,) = split_document(Document(0, "x", "Dogs bark"), "lines", longest_sentence=9)
    with_heads = parsed(sentence, None)
    with_heads.dependencies = ParsedDependencies((2, 0), ("nsubj", "root"), ("NOUN", "VERB"), (0.123456, 1.0), True)
    row, without = make_row(found, with_heads), make_row(found, parsed(sentence, None))
    assert list(row) == list(without)
    assert {key: value for key, value in row.items() if value != without[key]} == {
        "heads": [2, 0],
        "relations": ["nsubj", "root"],
        "universal_tags": ["NOUN", "VERB"],
        "arc_probabilities": [0.1235, 1.0],
    }


def test_json_lines_are_one_line_a_row_in_utf8() -> None:
    stream = io.BytesIO()
    shard = open_shard(stream, "jsonl")
    assert isinstance(shard, JsonLinesShard)
    rows: list[dict[str, Any]] = [{"text": "é\u2028\n"}, {"text": None}]
    for row in rows:
        shard.add(row)
    shard.close()
    lines = stream.getvalue().split(b"\n")
    assert [json.loads(line) for line in lines[:-1]] == rows
    assert lines[-1] == b""
    assert "é".encode() in lines[0]
