from __future__ import annotations

import gzip
import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import TreebankError
from spanlin.trees.treebanks import find_brackets, find_listed_brackets, prepare_treebank
from spanlin.trees.treebanks.bracket_files import SPLITS, spread

shares = st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(any)
seeds = st.one_of(st.none(), st.integers())


def tree(word: str) -> str:
    return f"(TOP (NP (NN {word})))\n"


def make_files(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = tree(name).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return folder


def words(path: Path) -> list[str]:
    return [line.split("(NN ")[1].rstrip(")") for line in path.read_text(encoding="utf-8").splitlines()]


def splits_of(source: Path, out: Path, **options: object) -> dict[str, list[str]]:
    prepare_treebank(find_brackets(source, **options), out)  # type: ignore[arg-type]
    return {path.stem: words(path) for path in out.glob("*.txt")}


@given(shares, seeds, st.integers(0, 5))
def test_every_run_of_units_is_divided_exactly(shares: list[int], seed: int | None, run: int) -> None:
    split_of_unit = spread(shares, seed)
    length = sum(shares)
    counts = Counter(split_of_unit(number) for number in range(run * length, (run + 1) * length))
    assert [counts[split] for split in SPLITS] == shares


@given(shares, st.integers(1, 200))
def test_without_a_seed_the_shares_hold_for_any_number_of_units(shares: list[int], unit_count: int) -> None:
    split_of_unit = spread(shares, None)
    counts = Counter(map(split_of_unit, range(unit_count)))
    for split, share in zip(SPLITS, shares, strict=True):
        assert math.isclose(counts[split], unit_count * share / sum(shares), abs_tol=2)


@given(shares, st.integers())
def test_a_seed_gives_the_same_division_again(shares: list[int], seed: int) -> None:
    one, two = spread(shares, seed), spread(shares, seed)
    assert list(map(one, range(100))) == [two(number) for number in reversed(range(100))][::-1]


def test_seeds_divide_differently() -> None:
    assert len({tuple(map(spread((8, 1, 1), seed), range(100))) for seed in range(5)}) == 5


def test_a_division_by_seed_stays_the_same_for_ever() -> None:
    assert [SPLITS.index(spread((8, 1, 1), 0)(number)) for number in range(20)] == [
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        0,
        0,
        2,
        0,
        2,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ]


def test_files_stay_whole_if_there_are_enough(tmp_path: Path) -> None:
    names = [f"{number:02}.mrg" for number in range(20)]
    make_files(tmp_path / "in", *names)
    found = splits_of(tmp_path / "in", tmp_path / "out")
    assert {split: len(files) for split, files in found.items()} == {"train": 16, "dev": 2, "test": 2}
    assert sorted(name for names_found in found.values() for name in names_found) == names


def test_blocks_are_used_if_there_are_too_few_files(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("".join(tree(f"w{number}") for number in range(25)), encoding="utf-8")
    found = splits_of(tmp_path / "one.txt", tmp_path / "out", ratio=(3, 1, 1), block_size=5)
    assert {split: len(trees) for split, trees in found.items()} == {"train": 15, "dev": 5, "test": 5}
    start = int(found["dev"][0][1:])
    assert found["dev"] == [f"w{number}" for number in range(start, start + 5)]


def test_blocks_go_on_from_file_to_file(tmp_path: Path) -> None:
    names = [f"{number:02}.txt" for number in range(10)]
    make_files(tmp_path / "in", *names)
    found = splits_of(tmp_path / "in", tmp_path / "out", ratio=(3, 1, 1), unit="block", block_size=2)
    assert {split: len(trees) for split, trees in found.items()} == {"train": 6, "dev": 2, "test": 2}


def test_a_share_of_nothing_leaves_out_the_split(tmp_path: Path) -> None:
    make_files(tmp_path / "in", "a.ptb", "b.ptb")
    assert splits_of(tmp_path / "in", tmp_path / "out", ratio=(1, 1, 0)).keys() == {"train", "dev"}


def test_folders_are_searched_for_bracket_files_plain_or_gzip(tmp_path: Path) -> None:
    make_files(tmp_path, "b/x.mrg", "a.txt.gz", "c.PTB", "notes.md", ".hidden.mrg", "d.tree")
    treebank = find_brackets(tmp_path, ratio=(1, 0, 0))
    assert [document.name for document in treebank.documents] == ["a.txt.gz", "b/x.mrg", "c.PTB", "d.tree"]


def test_lists_name_files_by_path_by_name_or_without_ending(tmp_path: Path) -> None:
    source = make_files(tmp_path / "in", "a/one.mrg", "b/one.mrg", "two.mrg.gz", "three.txt", "four.txt", "five.txt")
    for name, text in [("train", "# first\na/one.mrg\ntwo\n"), ("dev", "b/one.mrg\n\nthree.txt\n"), ("test", "four")]:
        (tmp_path / name).write_text(text, encoding="utf-8")
    treebank = find_listed_brackets(source, {split: tmp_path / split for split in SPLITS})
    assert [(document.name, document.split_of(0)) for document in treebank.documents] == [
        ("a/one.mrg", "train"),
        ("two.mrg.gz", "train"),
        ("b/one.mrg", "dev"),
        ("three.txt", "dev"),
        ("four.txt", "test"),
    ]
    assert treebank.left_out == 1


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({"train": "one"}, r"train: one may be a/one\.mrg or b/one\.mrg; give its path"),
        ({"train": "two", "dev": "two.mrg.gz"}, r"document two\.mrg\.gz is listed twice, in train and in dev"),
        ({"train": "two\nnine\n"}, r"1 listed document\(s\) missing: nine"),
        ({"train": ""}, "train: the id list is empty"),
    ],
)
def test_lists_that_do_not_fit_are_errors(tmp_path: Path, lists: dict[str, str], message: str) -> None:
    source = make_files(tmp_path / "in", "a/one.mrg", "b/one.mrg", "two.mrg.gz")
    for split, text in lists.items():
        (tmp_path / split).write_text(text, encoding="utf-8")
    with pytest.raises(TreebankError, match=message):
        find_listed_brackets(source, {split: tmp_path / split for split in lists})


@pytest.mark.parametrize("ratio", [(1, 2), (0, 0, 0), (-1, 1, 1), ()])
def test_a_ratio_that_is_none_is_an_error(tmp_path: Path, ratio: tuple[int, ...]) -> None:
    with pytest.raises(TreebankError, match="is not three whole numbers for train, dev and test, such as 80/10/10"):
        find_brackets(make_files(tmp_path, "a.txt"), ratio=ratio)


def test_other_options_that_make_no_sense_are_errors(tmp_path: Path) -> None:
    make_files(tmp_path, "a.txt")
    with pytest.raises(TreebankError, match="the block size must be at least 1, got 0"):
        find_brackets(tmp_path, block_size=0)
    with pytest.raises(TreebankError, match="the ratio 1000000/1/0 is too fine"):
        find_brackets(tmp_path, ratio=(1_000_000, 1, 0))


def test_a_source_without_bracket_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match=r"nowhere: no such file or folder; expected bracket files"):
        find_brackets(tmp_path / "nowhere")
    with pytest.raises(TreebankError, match=r"no bracket files; expected names that end in \.mrg, \.ptb"):
        find_brackets(tmp_path)
