"""The fast scorer prints what the slow one prints, on trees and settings drawn to meet every rule."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.slow_scorer import Settings, SlowScorer
from spanlin.evaluation import Parameters, evalb_files, score_trees
from spanlin.trees.brackets import parse_tree
from spanlin.trees.tree import Tree

LABELS = ["S", "NP", "NP-SBJ", "VP", "ADVP", "PRT", "PP=2", "TOP", "X", "-X-", "S1"]
TAGS = ["NN", "NN", "VB", "POS", "``", "''", ",", "-NONE-", "ADVP", "PRT", "X", "CD"]
WORDS = ["a", "b", "'", '"', "/", "-LRB-", "naïve", "1\\/2", "日本"]


QUOTE_TAGS = ["``", "''", "POS", "NN"]


def leaf(rng: random.Random, quote_share: float) -> str:
    if rng.random() < quote_share:
        return f"({rng.choice(QUOTE_TAGS)} ')"
    return f"({rng.choice(TAGS)} {rng.choice(WORDS)})"


def node(rng: random.Random, leaves: list[str]) -> str:
    """Return a bracketing of these leaves, often with unary chains and repeated labels."""
    label = rng.choice(LABELS)
    if rng.random() < 0.25:
        return f"({label} {node(rng, leaves)})"
    if len(leaves) == 1:
        return leaves[0] if rng.random() < 0.5 else f"({label} {leaves[0]})"
    cuts = sorted(rng.sample(range(1, len(leaves)), rng.randint(1, min(3, len(leaves) - 1))))
    parts = [leaves[left:right] for left, right in zip([0, *cuts], [*cuts, len(leaves)], strict=True)]
    return f"({label} {' '.join(node(rng, part) for part in parts)})"


def other_leaf(rng: random.Random, text: str) -> str:
    """Return the leaf with another tag, now and then with another word."""
    tag, word = text[1:-1].split(" ")
    if rng.random() < (0.5 if word == "'" else 0.1):
        tag = rng.choice(QUOTE_TAGS if word == "'" else TAGS)
    if rng.random() < 0.01:
        word = rng.choice(WORDS)
    return f"({tag} {word})"


def lines(rng: random.Random) -> tuple[str, str]:
    if rng.random() < 0.03:
        return rng.choice([("", ""), ("", "(X (NN a))"), ("(X (NN a))", ""), ("(X (, a))", "(X (, a))")])
    quote_share = rng.choice([0.0, 0.0, 0.6])
    leaves = [leaf(rng, quote_share) for _ in range(rng.randint(1, 9))]
    gold = f"({rng.choice(LABELS)} {node(rng, leaves)})"
    if rng.random() < 0.1:
        return gold, gold
    return gold, f"({rng.choice(LABELS)} {node(rng, [other_leaf(rng, text) for text in leaves])})"


def draw_settings(rng: random.Random) -> Settings:
    def some(choices: list[str]) -> list[str]:
        return rng.sample(sorted(set(choices)), rng.randint(0, min(4, len(set(choices)))))

    pairs = [("ADVP", "PRT"), ("PRT", "X"), ("NP", "VP"), ("X", "NP"), ("TOP", "S1"), ("NN", "VB")]
    return Settings(
        labelled=rng.random() < 0.85,
        deleted=["``", "''", "TOP"] if rng.random() < 0.5 else some(["TOP", "-NONE-", ",", "``", "X", "", "NP-SBJ"]),
        lengthless=some(["-NONE-", ",", "NN"]) if rng.random() < 0.3 else ["-NONE-"],
        equal_labels=rng.sample(pairs, rng.randint(0, 4)),
        equal_words=[("a", "b"), ("b", "'")] if rng.random() < 0.3 else [],
        quotes=rng.choice([[], some(TAGS), QUOTE_TAGS]),
        cutoff=rng.choice([0, 5, 40]),
        max_error=rng.choice([-1, 0, 1, 10, 1000]),
        debug=rng.choice([0, 0, 1]),
    )


def parameters_of(slow: Settings) -> Parameters:
    return Parameters(
        labelled=slow.labelled,
        deleted_labels=tuple(slow.deleted),
        labels_without_length=tuple(slow.lengthless),
        equal_labels=tuple(slow.equal_labels),
        equal_words=tuple(slow.equal_words),
        quote_labels=tuple(slow.quotes),
        cutoff_length=slow.cutoff,
        max_error=slow.max_error,
        debug=slow.debug,
    )


def tree_of(line: str) -> Tree | None:
    return parse_tree(line) if line else None


@settings(max_examples=600, deadline=None)
@given(st.integers(0, 2**64))
def test_fast_scorer_prints_what_the_slow_one_prints(seed: int) -> None:
    rng = random.Random(seed)
    slow_settings = draw_settings(rng)
    pairs = [lines(rng) for _ in range(rng.randint(0, 8))]
    gold, predicted = [one for one, _ in pairs], [two for _, two in pairs]
    slow = SlowScorer(slow_settings)
    slow.run(gold, predicted)
    fast = score_trees(map(tree_of, gold), map(tree_of, predicted), parameters=parameters_of(slow_settings)).to_evalb()
    assert fast.output == slow.output
    assert fast.errors == slow.errors
    assert fast.exit_status == slow.exit_status


@pytest.mark.parametrize("surplus", [-2, 2])
def test_files_of_different_length_print_what_the_slow_scorer_prints(tmp_path: Path, surplus: int) -> None:
    rng = random.Random(surplus)
    pairs = [lines(rng) for _ in range(12)]
    gold, predicted = [one for one, _ in pairs][: 12 + surplus], [two for _, two in pairs][: 12 - surplus]
    (tmp_path / "gold").write_text("".join(f"{line}\n" for line in gold))
    (tmp_path / "predicted").write_text("\n".join(predicted))
    for max_error in (0, 1000):
        slow = SlowScorer(Settings(max_error=max_error))
        slow.run(gold, predicted)
        fast = evalb_files(tmp_path / "gold", tmp_path / "predicted", parameters=parameters_of(slow.settings))
        assert fast == (slow.output, slow.errors, slow.exit_status)
        assert "Number of lines unmatch" in fast.errors or max_error == 0


@pytest.mark.parametrize(("gold", "predicted"), [("(S (N a))", "(N a)"), ("(N a)", "(S (N a))"), ("(N a)", "(N a)")])
def test_a_side_without_brackets_prints_what_the_slow_scorer_prints(tmp_path: Path, gold: str, predicted: str) -> None:
    (tmp_path / "gold").write_text(gold)
    (tmp_path / "predicted").write_text(predicted)
    slow = SlowScorer(Settings())
    slow.run([gold], [predicted])
    fast = evalb_files(tmp_path / "gold", tmp_path / "predicted", parameters=parameters_of(slow.settings))
    assert fast == (slow.output, slow.errors, slow.exit_status)


def test_drawn_cases_meet_the_rules_they_are_drawn_for() -> None:
    rng = random.Random(0)
    seen = {"restored": 0, "error": 0, "skipped": 0, "crossing": 0}
    for _ in range(600):
        slow_settings = draw_settings(rng)
        gold, predicted = lines(rng)
        slow = SlowScorer(slow_settings)
        differ = len(slow.read(gold).words) != len(slow.read(predicted).words)
        slow.run([gold], [predicted])
        if slow.rows:
            seen["restored"] += differ and slow.rows[0][0] == 0
            seen["error"] += slow.rows[0][0] == 1
            seen["skipped"] += slow.rows[0][0] == 2
            seen["crossing"] += slow.rows[0][2][3] > 0
    assert all(count >= 5 for count in seen.values()), seen
