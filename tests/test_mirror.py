"""Every module has a test file of its own name, or one that covers it is named here."""

from __future__ import annotations

import re
from pathlib import Path

import spanlin
from import_graph import Graph, read_graph

TESTS = Path(__file__).parent
PACKAGE = Path(spanlin.__file__).parent

# Test files, and the modules without a mirror that they test through what they import: shrink this, do not add to it.
COVERED_BY = {
    "test_parser.py": "parsed_batch runtime.argument_checks runtime.flat_pieces",
    "cli/test_calibrate.py": "training.calibrating",
    "config/test_training.py": "config.table config.toml_files",
    "decoding/test_constraints.py": "decoding.problem",
    "decoding/test_decode.py": "decoding.mirror decoding.results decoding.scores",
    "decoding/test_heads.py": "decoding.arborescence decoding.projective",
    "decoding/test_joint.py": "decoding.joint_chart decoding.joint_scores decoding.joint_tables",
    "decoding/test_labelled.py": "decoding.constituents decoding.tree_roles",
    "dependencies/test_sentence.py": "dependencies.text_offsets",
    "network/test_network.py": "network.batch network.span_scorer",
    "network/encoders/test_encoders.py": (
        "network.encoders.bilstm network.encoders.dropout network.encoders.lexical network.encoders.reversal "
        "network.encoders.transformer"
    ),
    "network/encoders/test_pretrained.py": "network.encoders.native runtime.piece_rows",
    "runtime/test_export.py": "runtime.backend runtime.found_check runtime.onnx training.export",
    "runtime/test_graph_weights.py": "training.weight_names",
    "runtime/test_redecoding.py": "runtime.label_ranking runtime.options runtime.batch_trees",
    "runtime/test_torch_gpu.py": "runtime.torch",
    "server/test_documentation.py": "server.documentation_page",
    "training/test_distillation.py": "training.lessons training.examples training.loss_module",
    "training/test_loop.py": "network.device training.data training.dev_scores training.metrics training.optimizer",
    "training/test_quantization.py": "training.graph_rewriter",
    "training/test_recipe.py": "config.recipe training.card training.packaged",
}


def mirror(graph: Graph, module: str) -> Path:
    path = graph.modules[module].relative_to(PACKAGE)
    return TESTS / path.parent / f"test_{path.name}"


def reached(graph: Graph, test: Path) -> set[str]:
    """Return the modules that a test file, or a conftest.py beside it or above it, imports, and all that these do."""
    conftests = [folder / "conftest.py" for folder in test.parents if folder.is_relative_to(TESTS)]
    waiting = set()
    for path in [test, *(path for path in conftests if path.exists())]:
        text = path.read_text(encoding="utf-8")
        for module, names in re.findall(r"(spanlin[\w.]*)(?: import (.*))?", text):
            waiting |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))}
        waiting |= {"spanlin.parser"} if re.search(r"from spanlin import .*\bParser\b", text) else set()
    found: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module in graph.modules and module not in found:
            found.add(module)
            waiting |= {one.target for one in graph.imports if one.importer == module}
    return found


def test_every_module_has_a_test_file_or_a_place_in_the_list() -> None:
    graph = read_graph(PACKAGE)
    modules = {module for module, path in graph.modules.items() if not path.name.startswith("__")}
    without = {graph.short(module) for module in modules if not mirror(graph, module).exists()}
    listed = [module for row in COVERED_BY.values() for module in row.split()]
    assert sorted(listed) == sorted(without)


def test_the_files_in_the_list_reach_their_modules() -> None:
    graph = read_graph(PACKAGE)
    for name, modules in COVERED_BY.items():
        found = {graph.short(module) for module in reached(graph, TESTS / name)}
        assert set(modules.split()) <= found, name
