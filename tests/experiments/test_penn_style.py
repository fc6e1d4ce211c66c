from __future__ import annotations

from pathlib import Path

import pytest
from experiments.models.en.penn_style import join_hyphens, join_hyphens_in_line, penn_style, write_joined

from spanlin.trees.brackets import parse_tree


def restyle(text: str) -> str:
    return str(penn_style(parse_tree(text)))


def joined(text: str) -> str:
    return str(join_hyphens(parse_tree(text)))


def test_to_is_always_tagged_to() -> None:
    assert restyle("(PP (IN to) (NP (NNP Rome)))") == "(PP (TO to) (NP (NNP Rome)))"
    assert restyle("(PRT (RP to))") == "(PRT (RP to))"


@pytest.mark.parametrize("number", ["(CD 80)", "($ $)", "(QP (CD 2) (CD million))"])
def test_about_is_a_preposition_before_a_number_only(number: str) -> None:
    assert restyle(f"(QP (RB about) {number})") == f"(QP (IN about) {number})"
    assert restyle("(ADVP (RB about) (RB here))") == "(ADVP (RB about) (RB here))"


def test_a_wh_pronoun_at_the_head_of_a_clause_becomes_a_whnp() -> None:
    assert restyle("(SBAR (NP (WDT that)) (S (VP (VBZ is))))") == "(SBAR (WHNP (WDT that)) (S (VP (VBZ is))))"
    assert restyle("(SBARQ (NP (WP who)) (SQ (VP (VBZ is))))") == "(SBARQ (WHNP (WP who)) (SQ (VP (VBZ is))))"


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (WP who)) (VP (VBZ is)))",
        "(SBAR (NP (PRP it)) (S (VP (VBZ is))))",
        "(SBAR (IN if) (NP (WP who)))",
        "(SBAR (NP (WP$ whose) (NN dog)) (S (VP (VBZ is))))",
    ],
)
def test_other_noun_phrases_stay(text: str) -> None:
    assert restyle(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(NP (DT a) (ADJP (CD five) (HYPH -) (NN minute)) (NN walk))", "(NP (DT a) (JJ five-minute) (NN walk))"),
        ("(NP (NN decision) (HYPH -) (VBG making))", "(NP (NN decision-making))"),
        ("(NP (NN fantasy) (HYPH -) (NN romance) (NN series))", "(NP (NN fantasy-romance) (NN series))"),
        ("(NP (NNP En) (HYPH -) (NNP Lai))", "(NP (NNP En-Lai))"),
        (
            "(ADJP (RB so) (ADJP (RB far) (HYPH -) (VBG reaching)) (PP (IN in) (NP (NN law))))",
            "(ADJP (RB so) (ADJP (JJ far-reaching)) (PP (IN in) (NP (NN law))))",
        ),
        (
            "(NP (UCP (NNS rails) (HYPH -) (IN to) (HYPH -) (NNS trails)) (NN route))",
            "(NP (NNS rails-to-trails) (NN route))",
        ),
    ],
)
def test_hyphenated_words_are_joined_and_their_wrapping_goes(text: str, expected: str) -> None:
    assert joined(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "(VP (NN go) (HYPH -) (VP (VB go)))",  # a constituent begins between the parts
        "(NP (ADJP (JJ eye)) (HYPH -) (NN tracking))",
        "(NP (NN a) (HYPH -) (, ,))",
        "(NP (HYPH -) (NN a))",
    ],
)
def test_what_a_constituent_divides_is_not_joined(text: str) -> None:
    assert joined(text) == text


def test_lines_of_tokens_are_joined_between_letters_and_digits_only() -> None:
    assert join_hyphens_in_line("a 20 - year - old dog - ) -- x - y\n") == "a 20-year-old dog - ) -- x-y\n"


def test_only_lines_that_joining_changes_are_written(tmp_path: Path) -> None:
    source, out = tmp_path / "lines.txt", tmp_path / "joined.txt"
    source.write_text("A dog .\nA well - known dog .\n", encoding="utf-8")
    assert write_joined(source, out) == 1
    assert out.read_text(encoding="utf-8") == "A well-known dog .\n"


def test_labels_of_text_structure_and_tags_of_punctuation_are_mended_too() -> None:
    assert restyle("(TOP (HEADING (NP (NNS Cats) (, ;))))") == "(TOP (NP (NNS Cats) (: ;)))"
