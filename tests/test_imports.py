"""Keeps the one-way rule: what each part of the package may import, and which libraries stay optional."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import spanlin

PACKAGE = Path(spanlin.__file__).parent

# A part may import itself and the parts named here.
MAY_IMPORT = {
    "errors": set(),
    "atomic_files": set(),
    "stop_signals": set(),
    "trees": {"errors", "atomic_files"},
    "linearization": {"errors", "trees"},
    "decoding": {"errors", "trees", "linearization"},
    "evaluation": {"errors", "trees"},
    "model_folder": {"errors", "trees", "decoding"},
    "config": {"errors"},
    "runtime": {"model_folder", "config", "errors", "trees", "linearization", "decoding"},
    "text": {"errors", "trees"},
    "render": {"errors", "trees"},
    "parsed": {"errors", "trees", "render"},
    "frames": {"errors", "parsed"},
    "sentence_constraints": {"errors", "trees", "decoding", "text"},
    "parsed_batch": {"runtime", "parsed"},
    "parser": {
        "model_folder",
        "config",
        *("errors", "decoding", "runtime", "text", "sentence_constraints", "parsed", "parsed_batch"),
    },
    "benchmark": {"model_folder", "config", "errors", "text", "runtime", "parser"},
    "corpus": {
        "model_folder",
        "config",
        "errors",
        "atomic_files",
        "trees",
        "decoding",
        "runtime",
        "text",
        "parsed",
        "parser",
    },
    "network": {"config", "errors", "trees", "linearization"},
    "training": {
        "model_folder",
        "config",
        *("errors", "atomic_files", "trees", "linearization", "decoding", "evaluation", "runtime"),
        "network",
    },
    "cli": {
        "model_folder",
        "config",
        *("errors", "trees", "linearization", "decoding", "evaluation"),
        *("runtime", "text", "parser", "network", "training", "render", "parsed", "frames", "benchmark"),
        *("server", "corpus", "stop_signals"),
    },
    "server": {
        "model_folder",
        "config",
        "errors",
        "trees",
        "decoding",
        "evaluation",
        "runtime",
        "text",
        "parsed",
        "parser",
        "stop_signals",
    },
    "integrations": {"model_folder", "config", "errors", "trees", "runtime", "text", "render", "parsed", "parser"},
    "__main__": {"cli"},
    "__init__": {
        "errors",
        "trees",
        "linearization",
        "decoding",
        "evaluation",
        "sentence_constraints",
        "parser",
        "runtime",
    },
}
LIGHT = {"click", "numpy", "onnxruntime", "rich", "tokenizers"}
HEAVY = {"matplotlib", "onnx", "onnxscript", "safetensors", "tensorboard", "torch", "transformers"}
MAY_IMPORT_HEAVY = {"network", "training"}
# One file of the runtime is the door to the network for those who have torch.
TORCH_DOOR = Path("runtime/torch.py")
# A host library is imported only by the files that fit the parser to it.
WEB = {"fastapi", "prometheus_client", "pydantic", "pydantic_core", "starlette", "uvicorn"}
HOSTS = {
    **{Path(f"corpus/{name}.py"): {"pyarrow"} for name in ("parquet", "stores")},
    Path("integrations/nltk.py"): {"nltk"},
    Path("integrations/spacy.py"): {"spacy"},
    Path("integrations/spacy_extensions.py"): {"spacy"},
    **{path.relative_to(PACKAGE): WEB for path in (PACKAGE / "server").glob("*.py")},
}


def imported_modules(path: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return modules


def test_imports_point_one_way() -> None:
    seen = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        is_door = path.relative_to(PACKAGE) == TORCH_DOOR
        seen.add(part)
        for module in imported_modules(path):
            top, *rest = module.split(".")
            if top == "spanlin":
                # `from spanlin import __version__` and the like name nothing of ours beyond the package itself.
                target = (
                    rest[0] if (rest and (PACKAGE / rest[0]).exists()) or (PACKAGE / f"{rest[0]}.py").exists() else part
                )
                may_import = MAY_IMPORT[part] | ({"network"} if is_door else set())
                assert target == part or target in may_import, f"{path}: {part} must not import {module}"
            elif top not in sys.stdlib_module_names:
                allowed = LIGHT | HEAVY if part in MAY_IMPORT_HEAVY or is_door else LIGHT
                allowed = allowed | HOSTS.get(path.relative_to(PACKAGE), set())
                assert top in allowed, f"{path}: {part} must not import {module}"
    assert seen <= MAY_IMPORT.keys()
