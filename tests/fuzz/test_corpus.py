"""Every kept input of every target again, and a short seeded run of each; neither needs the fuzzer."""

from __future__ import annotations

import random
from functools import cache
from importlib.util import find_spec

import pytest
from fuzz.brackets import check_reading, random_input
from fuzz.conllu import check_reading as check_conllu
from fuzz.conllu import random_input as random_conllu
from fuzz.target import NEEDS, Target, check_in_time, kept_inputs, load_target

ROUNDS = {"brackets": 4_000, "config": 1_200, "conllu": 2_000, "folder": 120, "request": 3_000, "splitter": 2_000}


@cache
def target_of(name: str) -> Target:
    if not all(map(find_spec, NEEDS[name])):
        pytest.skip(f"installed without {' or '.join(NEEDS[name])}")
    return load_target(name)


@pytest.mark.parametrize("name", NEEDS)
def test_kept_inputs_break_no_promise(name: str) -> None:
    target = target_of(name)
    paths = kept_inputs(name)
    assert len(paths) >= 20
    for path in paths:
        try:
            check_in_time(target, path.read_bytes())
        except BaseException as error:
            raise AssertionError(f"{path}: {error}") from error


@pytest.mark.parametrize("name", NEEDS)
def test_changes_to_kept_inputs_break_no_promise(name: str) -> None:
    target = target_of(name)
    generator = random.Random(8)
    inputs = [path.read_bytes() for path in kept_inputs(name)] + list(target.seeds())
    for number in range(ROUNDS[name]):
        raw = generator.choice(inputs)
        for _ in range(generator.choice((1, 1, 2, 4))):
            raw = target.mutate(raw, generator)
        try:
            check_in_time(target, raw)
        except BaseException as error:
            raise AssertionError(f"input {number}: {raw!r}") from error


def test_drawn_brackets_are_trees_often_enough_to_test_anything() -> None:
    generator = random.Random(8)
    assert sum(check_reading(random_input(generator)) for _ in range(1_000)) > 500


def test_drawn_conllu_is_read_often_enough_to_test_anything() -> None:
    generator = random.Random(8)
    assert sum(check_conllu(random_conllu(generator)) for _ in range(500)) > 250
