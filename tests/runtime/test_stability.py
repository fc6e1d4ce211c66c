"""The promise: a sentence's tree, tags and probabilities do not depend on what is parsed with it, or how."""

from __future__ import annotations

import dataclasses
import random
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from exported_networks import export_once
from generated_treebank import generate_trees
from spanlin.model_folder.folder import GRAPH, open_folder, write_manifest
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.backend import CONFIDENCE, SCORES, TREE
from spanlin.runtime.onnx import _row_multiple
from spanlin.runtime.sentences import Sentences
from spanlin.training import quantization
from spanlin.training.graph_export import Precision, reduce_precision
from stable_parses import TOLERANCE, assert_same
from varied_sentences import long_sentence, varied_sentences

Words = Sequence[str]

VARIED = [*varied_sentences(150), long_sentence(700), long_sentence(430, seed=4)]
GENERATED = [*(tree.words for tree in generate_trees(60, seed=9)), *varied_sentences(30), long_sentence(90)]


def in_precision(folder: Path, destination: Path, precision: Precision) -> Path:
    """Write an fp32 model folder in another precision, as an export does, without exporting the network once more."""
    shutil.copytree(folder, destination)
    one_by_one = reduce_precision(destination / GRAPH, precision)
    opened = dataclasses.replace(open_folder(folder), path=destination, precision=precision, one_by_one=one_by_one)
    write_manifest(opened)
    return destination


@pytest.fixture(scope="module")
def parsers(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Parser]:
    """Loads, once, a parser by its name and its number of threads.

    The name is `en`, or the precision of a tiny one, perhaps after what kind of network it is.
    """
    places = tmp_path_factory.mktemp("stable")

    @cache
    def written(name: str) -> Path:
        kind, _, precision = name.rpartition(" ")
        source = export_once(kind, tmp_path_factory).folder if kind else folder
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(quantization, "_SMALL_LSTM", 0)  # all of them are small here
            return in_precision(source, places / name, cast(Precision, precision))

    @cache
    def load(name: str, threads: int) -> Parser:
        return Parser.load("en" if name == "en" else written(name), threads=threads)

    return load


@pytest.fixture(scope="module", params=["en", "fp32", "fp16", "int8", "bilstm fp32", "bilstm int8", "transformer int8"])
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def sentences(name: str) -> list[Words]:
    return list(VARIED if name == "en" else GENERATED)


@pytest.fixture(scope="module")
def alone(name: str, sentences: list[Words], parsers: Callable[[str, int], Parser]) -> list[Parsed]:
    """What a parser says of each sentence by itself."""
    parser = parsers(name, 1)
    return [parser.parse_tokens([words])[0] for words in sentences]


@pytest.mark.parametrize("size", [2, 7, 64, 512])
def test_a_batch_says_what_each_sentence_alone_says(
    size: int, name: str, sentences: list[Words], alone: list[Parsed], parsers: Callable[[str, int], Parser]
) -> None:
    for threads in (1, 2):
        parser = parsers(name, threads)
        found: list[Parsed] = []
        for start in range(0, len(sentences), size):
            found += parser.parse_tokens(sentences[start : start + size])
        assert_same(found, alone)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_of_the_sentences_changes_nothing(
    seed: int, name: str, sentences: list[Words], alone: list[Parsed], parsers: Callable[[str, int], Parser]
) -> None:
    order = random.Random(seed).sample(range(len(sentences)), len(sentences))
    found = parsers(name, 2).parse_tokens([sentences[place] for place in order])
    assert_same(found, [alone[place] for place in order])


def test_a_stream_says_what_each_sentence_alone_says(
    name: str, sentences: list[Words], alone: list[Parsed], parsers: Callable[[str, int], Parser]
) -> None:
    parser = parsers(name, 2)
    assert_same(list(parser.stream_tokens(iter(sentences))), alone)
    for tokens in (1, 60, 3000):
        assert list(parser.bracket_lines(iter(sentences), batch_tokens=tokens)) == [
            parsed.brackets() for parsed in alone
        ]


@pytest.mark.parametrize("longest", [60, 500])
def test_padding_changes_nothing(
    longest: int, name: str, sentences: list[Words], parsers: Callable[[str, int], Parser]
) -> None:
    # Beside a sentence of many words, or one of more pieces than the encoder reads at once, all rows are padded to it.
    parser = parsers(name, 1)
    if parser._runner.backend.most_sentences == 1:
        pytest.skip("its sentences run alone, so that none is ever padded")
    chosen = [words for words in sentences if 2 <= len(words) <= 40][:40]
    outputs = [output for output in (*TREE, *CONFIDENCE, *SCORES) if output in parser._runner.backend.outputs]

    def run(batch: Sequence[Words]) -> list[dict[str, np.ndarray]]:
        made = Sentences(batch, parser._runner._table)
        rows, counts = made.rows(np.arange(len(batch)), multiple=1)
        found = parser._runner.backend.run(rows, counts, outputs)
        width = found["lefts"].shape[1]
        return [
            {output: _unpadded(output, found[output][place], count, width) for output in outputs}
            for place, count in enumerate(counts.tolist())
        ]

    together = run([*chosen, long_sentence(longest)])
    for words, padded in zip(chosen, together, strict=False):
        (plain,) = run([words])
        for output in outputs:
            if output in TREE:
                assert padded[output].tolist() == plain[output].tolist()
            else:
                assert np.exp(padded[output]) == pytest.approx(np.exp(plain[output]), rel=0, abs=TOLERANCE)


def _unpadded(output: str, values: np.ndarray, count: int, split_count: int) -> np.ndarray:
    """What is said of a sentence's own words and spans; spans of several words come before those of one."""
    if output in ("lefts", "rights", "split_labels"):
        return values[: count - 1]
    if output in ("word_labels", "tags", "tag_log_probs"):
        return values[:count]
    if output in SCORES:
        return values[:count, :count]
    return values[[*range(count - 1), *range(split_count, split_count + count)]]


def test_sentences_run_alone_where_their_company_would_change_them(parsers: Callable[[str, int], Parser]) -> None:
    # An LSTM in int8 has one scale for a batch; nothing else needs this.
    alone = {name: parsers(name, 1)._runner.backend.most_sentences for name in ("bilstm fp32", "transformer int8")}
    assert alone == {"bilstm fp32": 0, "transformer int8": 1}, "it spells words with an LSTM"
    assert b"DynamicQuantizeLSTM" in parsers("bilstm int8", 1).folder.graph.read_bytes()


def test_an_old_int8_folder_is_converted_to_what_is_exported_now(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = in_precision(folder, tmp_path / "new", "int8")
    with monkeypatch.context() as patch:
        patch.setattr(quantization, "scale_rows", lambda graph: graph)
        old = in_precision(folder, tmp_path / "old", "int8")
    assert b"DynamicQuantizeLinear" in (old / GRAPH).read_bytes()
    quantization.convert_folder(old, tmp_path / "converted")
    for file in new.iterdir():
        assert (tmp_path / "converted" / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("machine", "piece_limit", "expected"),
    [("x86_64", 512, 1), ("AMD64", 512, 1), ("aarch64", 512, 4), ("arm64", 510, 2)],
)
def test_rows_are_filled_up_to_whole_vectors_where_sums_need_it(machine: str, piece_limit: int, expected: int) -> None:
    assert _row_multiple(machine, piece_limit) == expected


def test_whole_vectors_change_no_tree(parsers: Callable[[str, int], Parser], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = parsers("en", 1).parse_tokens(VARIED)
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    parser = Parser.load("en", threads=1)
    assert parser._runner.backend.multiple == 4
    assert_same(parser.parse_tokens(VARIED), expected)


def test_equal_scores_are_decided_alike(parsers: Callable[[str, int], Parser]) -> None:
    # The same word over and over gives many near ties; its neighbours in the batch must not tip them.
    parser = parsers("en", 1)
    repeated = [("buffalo",) * count for count in range(1, 41)]
    alone = [parser.parse_tokens([words])[0] for words in repeated]
    assert_same(parser.parse_tokens([*repeated, *VARIED])[: len(repeated)], alone)
