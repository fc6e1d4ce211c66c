"""Imports point one way: what each part of the package may import, and which modules may import which library."""

from __future__ import annotations

from pathlib import Path

import pytest

import spanlin
from import_graph import Rules, broken_rules, read_graph

PACKAGE = Path(spanlin.__file__).parent

# To allow an import, add the part to the importer's row; to move a module, move its name. What is in parentheses may be
# imported inside functions and for types only. A permission that nothing uses is an error.
PARTS = {
    "errors": "",
    "atomic_files": "",
    "stop_signals": "",
    "compact_json": "",
    "decimals": "",
    "text": "errors trees",
    "config": "errors",
    "trees": "errors atomic_files",
    "dependencies": "errors atomic_files trees",
    "linearization": "errors trees",
    "evaluation": "errors trees dependencies",
    "render": "errors trees dependencies",
    "decoding": "errors trees linearization",
    "sentence_constraints": "errors trees decoding text",
    "model_folder": "errors atomic_files decoding",
    "runtime": "errors trees decoding model_folder",
    "network": "errors trees config",
    "runtime.torch": "errors config model_folder network runtime",
    "parsed_constituents": "decimals (text)",
    "parsed_dependencies": "decimals errors dependencies",
    "parsed_conllu": "errors dependencies parsed_dependencies",
    "parsed_json": "errors text parsed_dependencies",
    "parsed": (
        "compact_json decimals errors trees (text) (runtime) render "
        "parsed_conllu parsed_constituents parsed_dependencies parsed_json"
    ),
    "parsed_batch": "model_folder runtime parsed parsed_dependencies",
    "host": "errors text model_folder runtime parsed parsed_dependencies",
    "host.worker": "errors host parser",
    "parser": (
        "errors decoding text model_folder host runtime (runtime.torch) (training.runnable) "
        "sentence_constraints parsed parsed_batch parsed_dependencies"
    ),
    "training": (
        "errors atomic_files trees dependencies decoding evaluation config model_folder runtime runtime.torch network"
    ),
    "training.runnable": "errors model_folder runtime runtime.torch training",
    "model_evaluation": "errors trees dependencies evaluation runtime parsed parser",
    "benchmark": "errors text (runtime) parser",
    "corpus": (
        "compact_json decimals errors atomic_files text model_folder host runtime parsed_dependencies parsed parser"
    ),
    "client": "compact_json errors trees decoding parsed runtime sentence_constraints",
    "server": "compact_json errors stop_signals trees decoding evaluation text model_folder runtime parsed parser",
    "integrations": "",
    "integrations.reloading": "errors model_folder parser",
    "integrations.plain_parse": "trees parsed",
    "integrations.nltk": "errors trees text render integrations.reloading",
    "integrations.pandas": "errors parsed",
    "integrations.spacy_dependencies": "parsed_dependencies",
    "integrations.spacy_extensions": "errors integrations.plain_parse",
    "integrations.spacy": (
        "errors integrations.plain_parse integrations.reloading integrations.spacy_dependencies "
        "integrations.spacy_extensions"
    ),
    "cli": (
        "errors stop_signals trees dependencies linearization render model_folder "
        "(compact_json) (text) (parsed) (runtime) (host) (parser) (benchmark) (corpus) (server)"
    ),
    "cli.calibrate": "(training)",
    "cli.evaluate": "errors dependencies evaluation (runtime) cli.evaluate_dependencies cli.model_scores",
    "cli.evaluate_dependencies": "dependencies evaluation (parser) (model_evaluation)",
    "cli.model_scores": "errors model_folder (evaluation) (runtime) (parser) (model_evaluation) cli (training)",
    "cli.export": "cli (training)",
    "cli.info": "trees model_folder cli (training) (training.runnable)",
    "cli.jackknife": "cli (config) (training)",
    "cli.train": "cli cli.train_progress (config) (training)",
    "cli.train_progress": "(training)",
    "cli.main": (
        "errors (cli) (cli.calibrate) (cli.evaluate) (cli.evaluate_dependencies) (cli.export) (cli.info) "
        "(cli.jackknife) (cli.model_scores) (cli.train) (cli.train_progress)"
    ),
    "__main__": "cli.main",
    "__init__": "errors trees linearization (render) (decoding) (sentence_constraints) (parsed) (parser) (runtime)",
}
# What the light install brings, for any module; every other library for these parts and modules alone.
EVERYWHERE = frozenset({"click", "numpy", "onnxruntime", "orjson", "rich", "tokenizers"})
LIBRARIES = {
    "torch": "network training runtime.torch",
    "safetensors": "network training runtime.torch",
    "transformers": "network",
    "matplotlib": "training",
    "onnx": "training",
    "onnxscript": "training",
    "fastapi": "server",
    "httpx": "client",
    "prometheus_client": "server",
    "pydantic": "server",
    "starlette": "server",
    "uvicorn": "server",
    "nltk": "integrations.nltk render.nltk",
    "huggingface_hub": "model_folder.hub",
    "pandas": "integrations.pandas",
    "pyarrow": "corpus.parquet corpus.stores",
    "ray": "corpus.ray_driver",
    "spacy": "integrations.spacy integrations.spacy_dependencies integrations.spacy_extensions",
}


def test_imports_point_one_way() -> None:
    assert broken_rules(read_graph(PACKAGE), Rules(PARTS, EVERYWHERE, LIBRARIES)) == []


# A package in which every rule is kept, as small as the evasions below allow.
CLEAN = {
    "__init__.py": (
        "from importlib import import_module\n"
        "from small.trees.tree import Tree\n"
        "_LATER = {'Parser': 'small.parser'}\n"
        "def __getattr__(name):\n"
        "    return getattr(import_module(_LATER[name]), name)\n"
    ),
    "trees/__init__.py": "",
    "trees/tree.py": "class Tree: ...\n",
    "runtime/__init__.py": "",
    "runtime/onnx.py": "import numpy\nfrom small.trees.tree import Tree\n",
    "runtime/torch.py": "import torch\nfrom small.runtime.onnx import Tree\n",
    "parser.py": "from small.runtime import onnx\ndef load():\n    from small.runtime.torch import Tree\n",
    "integrations/__init__.py": "",
    "integrations/nltk.py": "import nltk\nfrom small.parser import load\n",
    "integrations/spacy.py": "import spacy\nfrom small import Parser\n",
    "cli.py": "import importlib\ndef run(name):\n    importlib.import_module(f'small.integrations.{name}')\n",
}
RULES = Rules(
    {
        "__init__": "trees (parser)",
        "trees": "",
        "runtime": "trees",
        "runtime.torch": "runtime",
        "parser": "runtime (runtime.torch)",
        "integrations": "",
        "integrations.nltk": "parser",
        "integrations.spacy": "parser",
        "cli": "(integrations.nltk) (integrations.spacy)",
    },
    frozenset({"numpy"}),
    {"torch": "runtime.torch", "nltk": "integrations.nltk", "spacy": "integrations.spacy"},
)


def check(folder: Path, rules: Rules = RULES, **changed: str) -> list[str]:
    """Write the clean package with some files changed, their names without .py, and return what is wrong with it."""
    package = folder / "small"
    for name, text in (CLEAN | {f"{name.replace('__', '/')}.py": text for name, text in changed.items()}).items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    return broken_rules(read_graph(package), rules)


def test_a_package_that_keeps_the_rules_has_no_problems(tmp_path: Path) -> None:
    assert check(tmp_path) == []


def test_the_torch_backend_must_not_be_imported_when_the_parser_is(tmp_path: Path) -> None:
    found = check(tmp_path, parser="from small.runtime import onnx\nfrom small.runtime.torch import Tree\n")
    assert "small.parser, line 2: parser may import runtime.torch inside a function only" in found
    assert "small.parser may not load torch: small.parser -> small.runtime.torch -> torch" in found
    # And what imports the parser loads it, too.
    chain = "small.integrations.nltk -> small.parser -> small.runtime.torch -> torch"
    assert f"small.integrations.nltk may not load torch: {chain}" in found


def test_one_integration_must_not_import_another(tmp_path: Path) -> None:
    changed = "import nltk\nfrom small.parser import load\ndef convert():\n    import small.integrations.spacy\n"
    assert "small.integrations.nltk, line 4: integrations.nltk may not import integrations.spacy" in check(
        tmp_path, integrations__nltk=changed
    )


@pytest.mark.parametrize(
    "body",
    [
        "from small import Parser",
        "import small; return small.Parser",
        "import small as s; return s.parser.load",
        "from small.parser import load",
    ],
)
def test_a_public_name_inside_a_function_is_followed_to_its_module(tmp_path: Path, body: str) -> None:
    changed = f"class Tree: ...\ndef parse():\n    {body}\n"
    assert "small.trees.tree, line 3: trees may not import parser" in check(tmp_path, trees__tree=changed)


@pytest.mark.parametrize(
    "call",
    [
        "import_module('small.parser')",
        "importlib.import_module('small.parser')",
        "__import__('small.parser')",
        "load('small.parser')",
        "import_module(f'small.{name}')",
        "run([sys.executable, '-m', 'small.parser'])",
    ],
)
def test_an_import_by_name_is_an_import(tmp_path: Path, call: str) -> None:
    changed = f"class Tree: ...\ndef parse(name):\n    {call}\n"
    assert "small.trees.tree, line 3: trees may not import parser" in check(tmp_path, trees__tree=changed)


@pytest.mark.parametrize("call", ["import_module(name)", "__import__('sm' + 'all')", "import_module(f'{name}.parser')"])
def test_an_import_whose_name_cannot_be_read_is_a_problem(tmp_path: Path, call: str) -> None:
    changed = f"class Tree: ...\ndef parse(name):\n    {call}\n"
    assert "small.trees.tree, line 3: an import of a computed name" in check(tmp_path, trees__tree=changed)


def test_a_relative_import_is_a_problem(tmp_path: Path) -> None:
    assert "small.parser, line 1: a relative import" in check(tmp_path, parser="from .runtime import onnx\n")


@pytest.mark.parametrize("line", ["import torch", "def f():\n    import torch.nn", "x = __import__('torch')"])
def test_a_library_stays_in_its_modules(tmp_path: Path, line: str) -> None:
    found = check(tmp_path, trees__tree=f"class Tree: ...\n{line}\n")
    assert any(line.startswith("small.trees.tree, line ") and line.endswith("may not import torch") for line in found)


def test_an_import_for_types_needs_a_permission_but_loads_nothing(tmp_path: Path) -> None:
    lines = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from small.runtime.torch import Tree\n"
    found = check(tmp_path, runtime__onnx=f"import numpy\nfrom small.trees.tree import Tree\n{lines}")
    assert found == ["small.runtime.onnx, line 5: runtime may not import runtime.torch"]


def test_a_permission_that_nothing_uses_is_a_problem(tmp_path: Path) -> None:
    parts = {**RULES.parts, "integrations.nltk": "parser trees", "gone": "trees"}
    found = check(tmp_path, Rules(parts, RULES.everywhere, {**RULES.libraries, "torch": "runtime.torch trees"}))
    assert "integrations.nltk never imports trees: take the permission away" in found
    assert "trees never imports torch: take the permission away" in found
    assert "gone has a row and no module" in found


def test_a_module_without_a_row_is_a_problem(tmp_path: Path) -> None:
    assert "small.corpus has no row" in check(tmp_path, corpus="")


def test_permissions_that_make_a_circle_are_a_problem(tmp_path: Path) -> None:
    parts = {**RULES.parts, "trees": "(parser)"}
    found = check(tmp_path, Rules(parts, RULES.everywhere, RULES.libraries))
    assert any(line.startswith("a circle: ") and "trees -> parser" in line for line in found)
