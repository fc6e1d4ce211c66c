from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import TreebankError, TreeSyntaxError
from spanlin.trees.brackets import OnBad, read_trees, write_trees
from spanlin.trees.tree import Leaf, Node, Tree
from spanlin.trees.treebanks import Treebank, TreebankDocument, find_brackets, prepare_treebank
from spanlin.trees.treebanks.preparation import clean_with_root
from spanlin.trees.treebanks.treebank import Remarks
from strategies import labels, words

RUNS = "( (S (NP-SBJ-1 (PRP She)) (VP (VBZ runs) (NP (-NONE- *T*-1))) (. .)) )\n"
CLEAN_RUNS = "(TOP (S (NP (PRP She)) (VP (VBZ runs)) (. .)))\n"
EMPTY = "( (S (NP (-NONE- *)) (VP (-NONE- *?*))) )\n"
ALL_TO_TRAIN = (1, 0, 0)

tags = st.one_of(st.just("-NONE-"), labels)
roots = st.one_of(st.sampled_from(["", "TOP", "ROOT", "S1", "TOP-X"]), labels)
nodes: st.SearchStrategy[Node] = st.recursive(
    st.builds(Leaf, tags, words),
    lambda children: st.builds(Tree, roots, st.lists(children, min_size=1, max_size=4).map(tuple)),
    max_leaves=12,
)
source_trees = st.builds(Tree, roots, st.lists(nodes, min_size=1, max_size=4).map(tuple))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.mrg"
    path.write_text(RUNS, encoding="utf-8")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@given(source_trees)
def test_cleaning_twice_is_cleaning_once(tree: Tree) -> None:
    cleaned = clean_with_root(tree)
    if cleaned is None:
        assert set(tree.tags) == {"-NONE-"}
    else:
        assert cleaned.label == "TOP"
        assert clean_with_root(cleaned) == cleaned


@given(st.lists(source_trees, max_size=6))
def test_every_tree_is_written_or_dropped_and_a_second_preparation_changes_nothing(trees: list[Tree]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_trees([*trees, Tree("", (Leaf("NN", "dog"),))], folder / "source.txt")
        first = prepare_treebank(find_brackets(folder / "source.txt", ratio=ALL_TO_TRAIN), folder / "one").splits[0]
        second = prepare_treebank(find_brackets(folder / "one", ratio=ALL_TO_TRAIN), folder / "two").splits[0]
        assert first.sentences + first.dropped_count == len(trees) + 1
        assert second == replace(first, dropped={})
        assert (folder / "one/train.txt").read_bytes() == (folder / "two/train.txt").read_bytes()
        assert all(tree.label == "TOP" and "-NONE-" not in tree.tags for tree in read_trees(folder / "two/train.txt"))


def test_the_account_counts_sentences_words_and_labels(tmp_path: Path, source: Path) -> None:
    source.write_text(RUNS + EMPTY + "(NN dog)\n(ROOT (NP (NN cat)) (VP (VB go)))\n", encoding="utf-8")
    preparation = prepare_treebank(find_brackets(source, ratio=ALL_TO_TRAIN), tmp_path / "out")
    (split,) = preparation.splits
    assert (split.name, split.documents, split.sentences, split.words) == ("train", 1, 3, 6)
    assert split.labels == {"NP": 2, "S": 1, "VP": 2}
    assert split.dropped == {"no words after cleaning": 1}
    written = (tmp_path / "out/train.txt").read_text(encoding="utf-8")
    assert written == CLEAN_RUNS + "(TOP (NN dog))\n(TOP (NP (NN cat)) (VP (VB go)))\n"


def test_the_manifest_holds_the_account_and_the_checksum_of_each_file(tmp_path: Path, source: Path) -> None:
    preparation = prepare_treebank(find_brackets(source, ratio=ALL_TO_TRAIN), tmp_path / "out")
    files = contents(tmp_path / "out")
    assert sorted(files) == ["manifest.json", "train.txt"]
    manifest = json.loads(files["manifest.json"])
    assert manifest["treebank"] == "brackets"
    assert manifest["source"] == str(source)
    assert manifest["splits"][0]["sha256"] == hashlib.sha256(files["train.txt"]).hexdigest()
    assert manifest["splits"][0]["bytes"] == len(files["train.txt"])
    assert manifest["splits"][0]["labels"] == preparation.splits[0].labels


def test_the_same_source_gives_the_same_bytes_and_replaces_what_was_there(tmp_path: Path, source: Path) -> None:
    treebank = find_brackets(source, ratio=ALL_TO_TRAIN)
    prepare_treebank(treebank, tmp_path / "out")
    first = contents(tmp_path / "out")
    (tmp_path / "out/train.txt").write_text("old", encoding="utf-8")
    prepare_treebank(treebank, tmp_path / "out")
    assert contents(tmp_path / "out") == first


def test_a_tree_ten_thousand_levels_deep_is_prepared(tmp_path: Path, source: Path) -> None:
    source.write_text("(X-1 " * 10_000 + "(NN dog)" + ")" * 10_000 + "\n", encoding="utf-8")
    preparation = prepare_treebank(find_brackets(source, ratio=ALL_TO_TRAIN), tmp_path / "out")
    assert preparation.splits[0].labels == {"X": 10_000}


def test_a_malformed_tree_names_its_place_and_leaves_the_destination_as_it_was(tmp_path: Path, source: Path) -> None:
    treebank = find_brackets(source, ratio=ALL_TO_TRAIN)
    prepare_treebank(treebank, tmp_path / "out")
    before = contents(tmp_path / "out")
    source.write_text(f"{RUNS}(S (NN dog)))\n", encoding="utf-8")
    with pytest.raises(TreeSyntaxError, match=r"source\.mrg:2:13: "):
        prepare_treebank(treebank, tmp_path / "out")
    assert contents(tmp_path / "out") == before


def test_skip_bad_counts_malformed_trees_and_shows_the_first_ten(tmp_path: Path, source: Path) -> None:
    source.write_text("(S (NN dog)))\n" * 12 + RUNS, encoding="utf-8")
    treebank = find_brackets(source, ratio=ALL_TO_TRAIN)
    preparation = prepare_treebank(treebank, tmp_path / "out", skip_bad=True)
    # The tree before a stray bracket on the same line may be kept or not; each stray bracket is counted.
    assert preparation.splits[0].dropped["malformed"] == 12
    assert len(preparation.malformed) == 10
    assert preparation.malformed[0].startswith(f"{source}:1:13: ")


def with_known_counts(source: Path, **known: int) -> Treebank:
    return replace(find_brackets(source, ratio=ALL_TO_TRAIN), known_counts=known, release="the test")


def test_known_counts_that_hold_give_no_warning(tmp_path: Path, source: Path) -> None:
    assert prepare_treebank(with_known_counts(source, train=1), tmp_path / "out", strict=True).warnings() == []


def test_other_counts_are_a_warning_or_with_strict_an_error_that_writes_nothing(tmp_path: Path, source: Path) -> None:
    treebank = with_known_counts(source, train=1_700, dev=3)
    message = "train has 1 sentences, but 1,700 in the test"
    assert prepare_treebank(treebank, tmp_path / "out").warnings() == [message]
    with pytest.raises(TreebankError, match=f"{message}; nothing is written"):
        prepare_treebank(treebank, tmp_path / "strict", strict=True)
    assert contents(tmp_path / "strict") == {}


def test_a_document_without_trees_is_reported(tmp_path: Path) -> None:
    for name, text in [("a.mrg", RUNS), ("b.mrg", ""), ("c.mrg", "\n\n")]:
        (tmp_path / name).write_text(text, encoding="utf-8")
    preparation = prepare_treebank(find_brackets(tmp_path, ratio=ALL_TO_TRAIN), tmp_path / "out")
    assert preparation.remarks == ("documents without a tree: 2, first in b.mrg",)
    assert preparation.splits[0].documents == 1


def test_an_empty_split_is_an_error_that_says_which(tmp_path: Path, source: Path) -> None:
    with pytest.raises(TreebankError, match=r"source\.mrg: no tree for dev; 80/10/10 asks for it"):
        prepare_treebank(find_brackets(source), tmp_path / "out")


def test_a_source_is_never_overwritten_by_its_own_result(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(RUNS, encoding="utf-8")
    with pytest.raises(TreebankError, match=r"train\.txt: would be overwritten by its own result"):
        prepare_treebank(find_brackets(tmp_path / "train.txt", ratio=ALL_TO_TRAIN), tmp_path)
    assert (tmp_path / "train.txt").read_text(encoding="utf-8") == RUNS


@pytest.mark.parametrize("name", ["train.txt", "manifest.json"])
@pytest.mark.parametrize("text", ["years of work", "{}"])
def test_a_file_of_something_else_is_never_overwritten(tmp_path: Path, source: Path, name: str, text: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text(text)
    with pytest.raises(TreebankError, match=rf"{name}: would be overwritten, and .*out is not from `spanlin prepare`"):
        prepare_treebank(find_brackets(source, ratio=ALL_TO_TRAIN), out)
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [(name, text)]


def test_a_preparation_may_be_done_again_beside_other_files(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.md").write_text("mine")
    for _ in range(2):
        prepare_treebank(find_brackets(source, ratio=ALL_TO_TRAIN), out)
    assert (out / "notes.md").read_text() == "mine"


def test_a_destination_that_is_a_file_is_an_error(tmp_path: Path, source: Path) -> None:
    with pytest.raises(TreebankError, match=r"source\.mrg: cannot be written: File exists"):
        prepare_treebank(find_brackets(source, ratio=ALL_TO_TRAIN), source)


def test_documents_are_read_only_when_their_turn_comes(tmp_path: Path) -> None:
    opened: list[str] = []

    def document(name: str) -> TreebankDocument:
        def read(_on_bad: OnBad | None, _remarks: Remarks) -> Iterator[Tree]:
            opened.append(name)
            for _ in range(3):
                yield Tree("", (Leaf("NN", name),))
                assert opened[-1] == name

        return TreebankDocument(name=name, path=tmp_path / name, read=read, split_of=lambda _number: "train")

    treebank = Treebank(name="x", source=tmp_path, splits=("train",), documents=tuple(map(document, "abc")))
    assert prepare_treebank(treebank, tmp_path / "out").splits[0].documents == 3
    assert opened == ["a", "b", "c"]


@pytest.mark.treebanks
@pytest.mark.parametrize("treebank", ["craft", "genia", "gum", "wsj-sample"])
@pytest.mark.parametrize("split", ["train", "dev"])
def test_a_prepared_treebank_stays_as_it_is(tmp_path: Path, treebank: str, split: str) -> None:
    if "SPANLIN_DATA" not in os.environ:
        pytest.skip("SPANLIN_DATA names no folder of treebanks")
    path = Path(os.environ["SPANLIN_DATA"]) / treebank / f"{split}.txt"
    if not path.exists():
        pytest.skip(f"{treebank} is not there")
    preparation = prepare_treebank(find_brackets(path, ratio=ALL_TO_TRAIN), tmp_path)
    assert preparation.splits[0].dropped == {}
    assert (tmp_path / "train.txt").read_bytes() == path.read_bytes()
