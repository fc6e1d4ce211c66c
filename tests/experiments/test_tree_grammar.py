from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from experiments.models.en.tree_grammar import (
    GRAMMARS,
    Grammar,
    Rule,
    brackets,
    generate,
    inflect,
    quoted,
    read_lexicon,
    read_rules,
    tidy,
)

ROOT = Path(__file__).parents[2]
SYMBOLS = [(name, symbol) for name, files in GRAMMARS.items() for symbol in sorted(read_rules(files))]


def drawn(rules: dict[str, str], *, seed: int = 1) -> str:
    """Return what a grammar of one rule a symbol draws."""
    grammar = Grammar(
        {symbol: [Rule(1, tuple(rule.replace(")", " )").split()))] for symbol, rule in rules.items()},
        {"deal": ["buy|bought", "buy|bought"], "city": ["Dallas"], "plant": ["factory"]},
        seed,
    )
    return brackets(list(grammar.tokens("top")))


@pytest.mark.parametrize(("name", "symbol"), SYMBOLS)
def test_rules_close_their_brackets_and_name_only_what_there_is(name: str, symbol: str) -> None:
    rules, lexicon = read_rules(GRAMMARS[name]), read_lexicon(GRAMMARS[name])
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


@pytest.mark.parametrize("name", GRAMMARS)
def test_every_rule_and_word_can_be_drawn(name: str) -> None:
    rules, lexicon = read_rules(GRAMMARS[name]), read_lexicon(GRAMMARS[name])
    tokens = [token for options in rules.values() for rule in options for token in rule.tokens]
    called = {token[1:].rstrip("?").partition(":")[0] for token in tokens if token.startswith("@")}
    assert rules.keys() - called == {"top"}
    parts = [part for token in tokens if "/" in token for part in token.partition("/")[2].split("+")]
    assert lexicon.keys() - {part[1:] for part in parts} == set()


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
        ("go|went|gone", "VBZ", "goes"),
        ("have|had|had", "VBZ", "has"),
    ],
)
def test_words_take_the_form_of_their_tag(entry: str, tag: str, form: str) -> None:
    assert inflect(entry, tag) == form


def test_tidy_keeps_the_outer_comma_and_gives_an_abbreviations_stop_to_the_sentence() -> None:
    tokens = "(TOP (S (NP (NP DT/a NNP/Oak ) ,/, (NP NNP/Inc. ,/, ) ,/, ) ./. ) )"
    assert brackets(tidy(tokens.split(), drop_full_stop=True)) == (
        "(TOP (S (NP (NP (DT An) (NNP Oak)) (, ,) (NP (NNP Inc))) (. .)))"
    )


def test_a_chat_has_no_capitals_and_a_title_many() -> None:
    text = "(TOP (S (NP NNP/Ann ) (VP VBZ/goes (PP TO/to (NP NNP/Rome ) ) ) NFP/:D ) )"
    tokens = text.split()
    chat = tidy(tokens, drop_full_stop=False, manner="!lower")
    assert [token for token in chat if "/" in token] == ["NNP/ann", "VBZ/goes", "TO/to", "NNP/rome", "NFP/:D"]
    title = tidy(tokens, drop_full_stop=False, manner="!title")
    assert [token for token in title if "/" in token] == ["NNP/Ann", "VBZ/Goes", "TO/to", "NNP/Rome", "NFP/:D"]


def test_quotes_change_and_what_they_open_has_a_capital() -> None:
    text = "(S (NP PRP/he ) (VP VBD/said ,/, ``/`` (S (VP VB/go ) ) ) ./. ''/'' )"
    tokens = text.split()
    assert brackets(quoted(tokens, ("\u201c", "\u201d"))) == (
        "(S (NP (PRP he)) (VP (VBD said) (, ,) (`` \u201c) (S (VP (VB Go)))) (. .) ('' \u201d))"
    )


def test_the_command_prints_the_trees() -> None:
    command = [sys.executable, "-m", "experiments.models.en.tree_grammar", "business", "--trees", "3", "--seed", "5"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    assert printed.stdout.splitlines() == list(generate("business", 3, seed=5))
