from __future__ import annotations

import pytest
from experiments.models.en.plain_labels import plain_labels

from spanlin.trees.brackets import parse_tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(TOP (HEADING (NP (NNS Results))))", "(TOP (NP (NNS Results)))"),
        (
            "(TOP (CAPTION (S (VP (VB Click) (ADVP (RB here))) (. .))))",
            "(TOP (S (VP (VB Click) (ADVP (RB here))) (. .)))",
        ),
        ("(TOP (TITLE (FRAG (NP (NN A)) (: :) (NP (NN B)))))", "(TOP (FRAG (NP (NN A)) (: :) (NP (NN B))))"),
        ("(TOP (CAPTION (NP (NN Bar)) (. .)))", "(TOP (NP (NN Bar) (. .)))"),
        ("(TOP (HEADING (NNS Cats)))", "(TOP (NP (NNS Cats)))"),
        ("(TOP (HEADING (IN Above) (. .)))", "(TOP (FRAG (IN Above) (. .)))"),
        ("(TOP (HEADING (NP (NN A)) (PP (IN of) (NP (NN B)))))", "(TOP (FRAG (NP (NN A)) (PP (IN of) (NP (NN B)))))"),
        (
            "(NP (NP (NN test)) (CIT (-LRB- -LRB-) (NNP Wu) (FW et) (FW al.) (CD 1999) (-RRB- -RRB-)))",
            "(NP (NP (NN test)) (PRN (-LRB- -LRB-) (NP (NNP Wu) (FW et) (FW al.) (CD 1999)) (-RRB- -RRB-)))",
        ),
        (
            "(CIT (-LRB- [) (NNP Wu) (CD 1999) (: ;) (NNP Lan) (CD 2000) (-RRB- ]))",
            "(PRN (-LRB- [) (NP (NP (NNP Wu) (CD 1999)) (: ;) (NP (NNP Lan) (CD 2000))) (-RRB- ]))",
        ),
        ("(CIT (-LRB- -LRB-) (VBN submitted) (-RRB- -RRB-))", "(PRN (-LRB- -LRB-) (VP (VBN submitted)) (-RRB- -RRB-))"),
        ("(TOP (CIT (NNP Wu) (CD 2001) (: :) (NN 5) (. .)))", "(TOP (NP (NNP Wu) (CD 2001) (: :) (NN 5) (. .)))"),
        ("(S (NP (NN a)) (VP (VBZ is)))", "(S (NP (NN a)) (VP (VBZ is)))"),
    ],
)
def test_labels_of_text_structure_become_what_the_words_are(text: str, expected: str) -> None:
    assert str(plain_labels(parse_tree(text))) == expected
