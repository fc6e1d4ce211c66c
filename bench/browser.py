"""The npm package in Node and in Chromium beside Python: trees that differ, times, and bytes that a page loads."""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.table import machine
from spanlin.evaluation import score_trees
from spanlin.parser import Parser
from spanlin.trees.brackets import parse_tree, read_trees
from spanlin.trees.tree import Tree

WEB = Path(__file__).resolve().parents[1] / "web"
TIMED_WORDS = 25
_NORM = "network.pretrained.model.norm.weight"  # the first vector of weights that every sentence passes
_NOT_BUILT = "needs Node, Chromium and the built package: run `npm ci && npm run build && npm run page`"
_MODEL_ON_PAGE = re.compile(r'<meta name="spanlin-model" content="models/([^"]+)"')

Log = Callable[[str], None]


class BrowserError(Exception):
    """Nothing could be measured; the message is one line."""


def read_gold(folder: Path, treebanks: Sequence[str], count: int) -> list[Tree]:
    """Return so many dev trees, as many from each treebank if it has them, spread over its file."""
    found: list[Tree] = []
    for name in treebanks:
        trees = list(read_trees(folder / name / "dev.txt"))
        wanted = min(count // len(treebanks), len(trees))
        found += [trees[place * len(trees) // wanted] for place in range(wanted)]
    if not found:
        raise BrowserError(f"{folder}: no trees in {', '.join(treebanks)}")
    return found


def measure(models: Sequence[Path], gold: Sequence[Tree], *, calls: int, log: Log) -> dict[str, Any]:
    """Return the figures of models in Node and Chromium, and how their trees compare with Python's."""
    sentences = [list(tree.words) for tree in gold]
    timed = next((words for words in sentences if len(words) == TIMED_WORDS), None)
    if timed is None:
        raise BrowserError(f"no sentence has {TIMED_WORDS} words: give more")
    on_page = _models_of_page()
    if missing := [model.name for model in models if model.name not in on_page]:
        raise BrowserError(
            f"the page has no model {missing[0]}, only {', '.join(on_page)}: build it again, npm run page"
        )
    return {
        "machine": machine(),
        "sentences": len(sentences),
        "timed_words": TIMED_WORDS,
        "page_model": on_page[0],
        "models": {model.name: _measure_model(model, gold, timed, calls=calls, log=log) for model in models},
    }


def _measure_model(model: Path, gold: Sequence[Tree], timed: list[str], *, calls: int, log: Log) -> dict[str, Any]:
    sentences = [list(tree.words) for tree in gold]
    log(f"{model.name}: {len(sentences)} sentences in Python")
    parser = Parser.load(model, threads=1)
    wanted = list(parser.bracket_lines(sentences))
    log("the same with the last bit of one vector of weights changed")
    changed = _with_last_bits_changed(model, sentences)
    log("in Node and in Chromium")
    found = _run_script({"sentences": sentences, "timed": timed, "calls": calls, "model": str(model)})
    ways = {"node": found["node"], "chromium": found["chromium"]}
    return {
        "model_bytes": sum(path.stat().st_size for path in model.iterdir()),
        "page_bytes": found["chromium"]["bytes"],
        "python": {"f1": _f1(gold, wanted)},
        "python_last_bit": {"different": _different(wanted, changed), "f1": _f1(gold, changed)},
        **{
            name: {
                "version": one["version"],
                **_times(one),
                "sentences_per_second": round(len(sentences) / one["seconds"], 1),
                "different": _different(wanted, one["trees"]),
                "f1": _f1(gold, one["trees"]),
            }
            for name, one in ways.items()
        },
        "chromium_isolated_two_threads": _times(found["isolated"]),
    }


def _models_of_page() -> list[str]:
    """Return the names of the models that the built page has, the one that it opens with first."""
    index = WEB / "page" / "index.html"
    if not index.is_file():
        raise BrowserError(_NOT_BUILT)
    return _MODEL_ON_PAGE.findall(index.read_text(encoding="utf-8"))


def _times(one: dict[str, Any]) -> dict[str, float]:
    """Return a way's times in milliseconds."""
    found = {"warm_p50_ms": statistics.median(one["times"]), "warm_p90_ms": float(np.percentile(one["times"], 90))}
    found["first_tree_ms"] = one["firstTree"]
    if "secondVisit" in one:
        found["second_visit_ms"] = one["secondVisit"]
    return {name: round(value, 1) for name, value in found.items()}


def _run_script(given: dict[str, Any]) -> dict[str, Any]:
    node = shutil.which("node")
    chromium = os.environ.get("SPANLIN_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    page = WEB / "page"
    if node is None or chromium is None or not (page / "index.html").is_file() or not (WEB / "dist").is_dir():
        raise BrowserError(_NOT_BUILT)
    told = json.dumps({**given, "page": str(page), "chromium": chromium})
    command = [node, str(WEB / "scripts" / "measure.mjs")]
    done = subprocess.run(command, input=told, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise BrowserError(f"measure.mjs failed: {done.stderr.strip().splitlines()[-1:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _with_last_bits_changed(model: Path, sentences: Sequence[Sequence[str]]) -> list[str]:
    """Return Python's trees of the same model with one vector of weights moved to the next float."""
    import onnx
    import onnxruntime
    from onnx import numpy_helper

    parser = Parser.load(model, threads=1)
    graph = onnx.load(str(parser.folder.graph))
    weights = [one for one in graph.graph.initializer if one.name == _NORM]
    if not weights:
        raise BrowserError(f"{model}: has no weights named {_NORM}")
    moved = np.nextafter(numpy_helper.to_array(weights[0]), np.float32(np.inf))
    weights[0].CopyFrom(numpy_helper.from_array(moved, _NORM))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    backend: Any = parser.backend
    # Brackets of a model with dependencies come from a session of their own.
    backend._session = backend._without_dependencies = onnxruntime.InferenceSession(
        graph.SerializeToString(),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["SkipLayerNormFusion", "BiasGeluFusion"],
    )
    return list(parser.bracket_lines(sentences))


def _different(wanted: Sequence[str], found: Sequence[str]) -> int:
    return sum(one != other for one, other in zip(wanted, found, strict=True))


def _f1(gold: Sequence[Tree], lines: Sequence[str]) -> float:
    return round(score_trees(gold, [parse_tree(line) for line in lines]).f1 or 0.0, 2)
