"""What holds on a GPU, where kernels are chosen by the shape of a batch: fp32 as on the CPU, bfloat16 nearly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from generated_treebank import generate_trees
from spanlin.parsed import Parsed
from spanlin.parser import Parser
from spanlin.runtime.torch import TorchBackend
from spanlin.text import tokenize
from spanlin.training.checkpoint import Model
from spanlin.training.export import export_model
from stable_parses import assert_same, probabilities
from varied_sentences import long_sentence, varied_sentences

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")]

SENTENCES = [*(tree.words for tree in generate_trees(300, seed=9)), *varied_sentences(60), long_sentence(90)]
MOST_DIFFERENT = 0.1  # the share of trees that another batch may change in bfloat16; random weights tie often
MOST_DIFFERENT_FROM_INT8 = 0.25  # in whatever is not a sentence, too, such as a table; the CPU rounds activations
SIZES = (1, 7, 64, len(SENTENCES))


@pytest.fixture(scope="module")
def weights(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_model(model, tmp_path_factory.mktemp("weights") / "model", with_weights=True)


def parse_in_batches(parser: Parser, size: int) -> list[Parsed]:
    found: list[Parsed] = []
    for start in range(0, len(SENTENCES), size):
        found += parser.parse_tokens(SENTENCES[start : start + size])
    return found


def share_of_different(found: Sequence[Parsed], expected: Sequence[Parsed]) -> float:
    pairs = zip(found, expected, strict=True)
    return sum(one.brackets() != other.brackets() for one, other in pairs) / len(expected)


def test_bfloat16_changes_few_trees_with_the_batch(weights: Path) -> None:
    parser = Parser.load(weights, device="cuda")
    alone = parse_in_batches(parser, 1)
    for size in SIZES[1:]:
        found = parse_in_batches(parser, size)
        share = share_of_different(found, alone)
        print(f"bfloat16, batches of {size}: {share:.2%} of the trees differ from those alone")
        assert share <= MOST_DIFFERENT
        for one, other in zip(found, alone, strict=True):
            if one.brackets() == other.brackets():
                assert probabilities(one) == pytest.approx(probabilities(other), rel=0, abs=0.2)


def test_the_packaged_model_gives_nearly_the_trees_of_the_cpu() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    sentences = [sentence.words for sentence in tokenize(text) if 5 <= len(sentence.words) <= 40]
    on_gpu, on_cpu = (Parser.load(device=device).parse_tokens(sentences) for device in ("cuda", ""))
    share = share_of_different(on_gpu, on_cpu)
    print(f"en: {share:.2%} of {len(sentences)} trees differ from the CPU's")
    assert share <= MOST_DIFFERENT_FROM_INT8


def test_the_same_batch_gives_the_same_bits(weights: Path) -> None:
    parser = Parser.load(weights, device="cuda")
    first, second = (parse_in_batches(parser, 64) for _ in range(2))
    assert [probabilities(parsed) for parsed in first] == [probabilities(parsed) for parsed in second]


@pytest.mark.parametrize("size", SIZES)
def test_fp32_gives_the_trees_of_the_cpu(size: int, weights: Path) -> None:
    parser = Parser.load(weights, device="cuda")
    backend = parser._runner.backend
    assert isinstance(backend, TorchBackend)
    backend._graph.float()
    backend._dtype = torch.float32
    assert_same(parse_in_batches(parser, size), Parser.load(weights, device="cpu").parse_tokens(SENTENCES))
