from __future__ import annotations

from spanlin.parsed import Parsed
from spanlin.text import Sentence


def test_phrases_are_as_in_the_text_wherever_their_offsets_count_from() -> None:
    words = ("He", "did", "n't", "bark", ".")
    found = Parsed(
        words=words,
        tags=("PRP", "VBD", "RB", "VB", "."),
        tag_probabilities=(1.0,) * 5,
        brackets="(S (NP (PRP He)) (VP (VBD did) (RB n't) (VP (VB bark))) (. .))",
        spans=(("S", 0, 5, 1.0), ("VP", 1, 4, 1.0), ("VP", 3, 4, 1.0)),
        sentence=Sentence(words, (70, 73, 76, 81, 85), (72, 76, 79, 85, 86), "He didn't  bark."),
    )
    assert found.text == "He didn't  bark."
    assert [(one.text, one.start, one.end) for one in found.constituents()] == [
        ("He didn't  bark.", 70, 86),
        ("didn't  bark", 73, 85),
        ("bark", 81, 85),
    ]
    found.sentence = None
    assert found.text == "He did n't bark ."
    assert [one.text for one in found.constituents()] == ["He did n't bark .", "did n't bark", "bark"]


def test_phrases_are_as_in_the_text_where_offsets_count_utf_16_units() -> None:
    words = ("😀", "cats", "sleep")
    found = Parsed(
        words=words,
        tags=("SYM", "NNS", "VBP"),
        tag_probabilities=(1.0,) * 3,
        brackets="(S (NP (SYM 😀) (NNS cats)) (VP (VBP sleep)))",
        spans=(("S", 0, 3, 1.0), ("NP", 0, 2, 1.0), ("VP", 2, 3, 0.1234567)),
        sentence=Sentence(words, (10, 13, 18), (12, 17, 23), "😀 cats sleep"),
    )
    assert [(one.text, one.start, one.end) for one in found.constituents()] == [
        ("😀 cats sleep", 10, 23),
        ("😀 cats", 10, 17),
        ("sleep", 18, 23),
    ]
    assert found.to_json()["constituents"] == [
        {**one._asdict(), "probability": round(one.probability, 6)} for one in found.constituents()
    ]
