from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from experiments.models.en import business_news
from experiments.models.en.business_news import Grammar, Rule, brackets, generate, inflect, tidy

from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Leaf, Tree

LABELS = """
TOP S SINV SQ SBAR SBARQ NP VP PP ADJP ADVP QP PRN PRT WHNP WHADVP WHPP CONJP FRAG UCP NAC
"""
TAGS = """
CC CD DT EX IN JJ JJR JJS MD NN NNP NNPS NNS PDT POS PRP PRP$ RB RBR RBS RP TO VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB
$ # `` '' , . : -LRB- -RRB-
"""
LINES = list(generate(1500, seed=5))
TREES = [parse_tree(line) for line in LINES]


def phrases() -> list[Tree]:
    return [node for tree in TREES for node in tree.preorder() if isinstance(node, Tree)]


def drawn(rules: dict[str, str], *, seed: int = 1) -> str:
    """Return what a grammar of one rule a symbol draws."""
    grammar = Grammar(
        {symbol: [Rule(1, tuple(rule.replace(")", " )").split()))] for symbol, rule in rules.items()},
        {"deal": ["buy|bought", "buy|bought"], "city": ["Dallas"], "plant": ["factory"]},
        seed,
    )
    return brackets(list(grammar.tokens("top")))


def test_the_same_seed_gives_the_same_trees_and_another_others() -> None:
    assert list(generate(50, seed=5)) == LINES[:50]
    assert set(generate(50, seed=6)).isdisjoint(LINES)


def test_every_line_is_one_tree_under_top() -> None:
    assert all(str(tree) == line for tree, line in zip(TREES, LINES, strict=True))
    assert {tree.label for tree in TREES} == {"TOP"}
    assert all(len(tree.children) == 1 for tree in TREES)


def test_labels_and_tags_are_those_of_the_penn_treebank() -> None:
    assert {phrase.label for phrase in phrases()} <= set(LABELS.split())
    assert {tag for tree in TREES for tag in tree.tags} <= set(TAGS.split())


def test_no_phrase_stands_alone_in_one_of_its_own_label() -> None:
    pairs = [(phrase, phrase.children[0]) for phrase in phrases() if len(phrase.children) == 1]
    assert not [str(phrase) for phrase, child in pairs if isinstance(child, Tree) and phrase.label == child.label]


def test_no_symbol_is_left_in_a_word() -> None:
    assert not [word for tree in TREES for word in tree.words if "@" in word or "|" in word or "+" in word]


def test_lengths_are_those_of_news() -> None:
    lengths = sorted(len(tree.words) for tree in TREES)
    assert lengths[0] >= 3
    assert lengths[-1] <= 48
    assert 14 <= lengths[len(lengths) // 2] <= 26


def test_nearly_all_sentences_and_most_shapes_differ() -> None:
    assert len({tree.words for tree in TREES}) > 0.95 * len(TREES)
    assert len({tree.tags for tree in TREES}) > 0.85 * len(TREES)
    assert len({word for tree in TREES for word in tree.words}) > 1500


def test_no_sentence_has_two_commas_together_or_one_before_its_end() -> None:
    for tree in TREES:
        pairs = set(zip(tree.words, tree.words[1:], strict=False))
        assert not pairs & {(",", ","), (",", "."), (",", ";"), (",", ")")}, tree.words


@pytest.mark.parametrize("symbol", sorted(business_news.read_rules()))
def test_rules_close_their_brackets_and_name_only_what_there_is(symbol: str) -> None:
    rules, lexicon = business_news.read_rules(), business_news.read_lexicon()
    words = lexicon.keys() | Grammar(rules, lexicon, 1).numbers.keys()
    for rule in rules[symbol]:
        kinds = Counter(token[0] for token in rule.tokens)
        assert kinds["("] == kinds[")"], rule
        for token in rule.tokens:
            if token.startswith("@"):
                assert token[1:].rstrip("?").partition(":")[0] in rules, token
            elif "/" in token and not token.startswith("("):
                parts = token.partition("/")[2].split("+")
                assert {part[1:] for part in parts if part.startswith("@")} <= words, token


def test_money_is_bracketed_as_in_the_treebank() -> None:
    found = {
        str(Tree(p.label, tuple(Leaf(n.tag, "_") if isinstance(n, Leaf) else n for n in p.children))) for p in phrases()
    }
    assert "(NP ($ _) (CD _))" in found
    assert "(NP (CD _) (NN _))" in found
    assert "(QP ($ _) (CD _) (CD _))" in found
    assert any(p.label == "ADJP" and [c.label for c in p.children if isinstance(c, Tree)] == ["QP"] for p in phrases())


def test_a_verb_form_passes_down_to_the_rule_that_was_called_for_it() -> None:
    rules = {"top": "(TOP @vp:VBD )", "vp": "(VP V/@deal @np )", "np": "(NP JJ/@city+-based NNS/@plant )"}
    assert drawn(rules) == "(TOP (VP (VBD bought) (NP (JJ Dallas-based) (NNS factories))))"


@pytest.mark.parametrize(
    ("entry", "tag", "form"),
    [
        ("carry", "VBZ", "carries"),
        ("carry", "VBD", "carried"),
        ("agree", "VBD", "agreed"),
        ("agree", "VBG", "agreeing"),
        ("price", "VBG", "pricing"),
        ("cut|cut|cut|cutting", "VBG", "cutting"),
        ("rise|rose|risen", "VBN", "risen"),
        ("tax", "NNS", "taxes"),
        ("delay", "NNS", "delays"),
        ("crisis|crises", "NNS", "crises"),
    ],
)
def test_words_take_the_form_of_their_tag(entry: str, tag: str, form: str) -> None:
    assert inflect(entry, tag) == form


def test_tidy_keeps_the_outer_comma_and_gives_an_abbreviations_stop_to_the_sentence() -> None:
    tokens = "(TOP (S (NP (NP DT/a NNP/Oak ) ,/, (NP NNP/Inc. ,/, ) ,/, ) ./. ) )"
    assert brackets(tidy(tokens.split(), drop_full_stop=True)) == (
        "(TOP (S (NP (NP (DT An) (NNP Oak)) (, ,) (NP (NNP Inc))) (. .)))"
    )


def test_the_script_prints_the_trees() -> None:
    script = Path(business_news.__file__)
    printed = subprocess.run(
        [sys.executable, str(script), "--trees", "3", "--seed", "5"], check=True, capture_output=True, text=True
    )
    assert printed.stdout.splitlines() == LINES[:3]
