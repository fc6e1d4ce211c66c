"""`spanlin info`: what a model is."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from spanlin.cli.extras import needs_train_extra
from spanlin.model_folder.folder import CARD, ModelFolder, open_folder
from spanlin.model_folder.hub import pinned_name
from spanlin.model_folder.installed import normal_name
from spanlin.model_folder.lookup import find_model, named_models
from spanlin.model_folder.path_kinds import is_checkpoint
from spanlin.trees.transforms import EMPTY_LABEL, split_chain

_LICENCE = re.compile(r"^\*\*(?:(?P<part>[^*]+)\.\*\* Licence: |Licence\.\*\* )(?P<terms>.+)$", re.MULTILINE)
_UNCALIBRATED = "uncalibrated, so overconfident; see `spanlin calibrate`"
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # a card is untrusted: it must not steer a terminal


@click.command()
@click.argument("model", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def info(model: str | None, as_json: bool) -> None:
    """Show what MODEL is: its precision, size, labels, tags and licences, and its whole card.

    MODEL is the name of a packaged or installed model, a folder that `spanlin export` made, hf:OWNER/NAME on Hugging
    Face's hub, or a checkpoint (needs torch). The files of a folder are checked against their sums. Without MODEL, it
    describes en and lists all models that are installed.
    """
    facts = model_facts(find_model(model or "en"))
    named = named_models()
    packages = [f"{found.distribution} {found.version}" for found in named if found.name == normal_name(model or "en")]
    facts = {**facts, "package": packages[0] if packages else None}
    if model is None:
        facts["installed"] = [asdict(found) for found in named]
    click.echo(json.dumps(facts, ensure_ascii=False, indent=2) if as_json else _text(facts))


def model_facts(path: Path) -> dict[str, Any]:
    """Return what a model folder or a checkpoint tells of itself, as plain values."""
    folder = _checkpoint(path) if is_checkpoint(path) else open_folder(path)
    card_path = folder.path / CARD
    card = card_path.read_text(encoding="utf-8", errors="replace") if card_path.exists() else ""
    chains = [split_chain(label) for label in folder.labels if label != EMPTY_LABEL]
    return {
        "model": pinned_name(folder.path) or folder.path.resolve().name,
        "folder": str(path),
        "kind": "checkpoint" if is_checkpoint(path) else "model folder",
        "precision": folder.precision,
        "input": folder.input,
        "tagger": folder.tagger is not None,
        "bytes": sum(file.stat().st_size for file in folder.path.iterdir() if file.is_file()),
        "labels": list(dict.fromkeys(part for chain in chains for part in chain)),
        "label_chains": list(folder.labels),
        "tags": list(folder.tags),
        "relations": list(folder.relations),
        "universal_tags": list(folder.universal_tags),
        "calibrated": folder.is_calibrated,
        "dependencies_calibrated": folder.dependencies_calibrated,
        "temperatures": asdict(folder.temperatures),
        "details": {name: value for name, value in folder.details.items() if name != "weights"},  # names of tensors
        "licences": {found["part"] or "model": found["terms"] for found in _LICENCE.finditer(card)},
        "card": card,
    }


def _checkpoint(path: Path) -> ModelFolder:
    with needs_train_extra(f"{path}: reading a checkpoint"):
        from spanlin.training.checkpoint import load_model
        from spanlin.training.runnable import checkpoint_folder

    return checkpoint_folder(load_model(path), path)


def _text(facts: dict[str, Any]) -> str:
    rows = {
        "model": facts["model"],
        **({"package": facts["package"]} if facts["package"] else {}),
        "folder": facts["folder"],
        **({"kind": facts["kind"]} if facts["kind"] == "checkpoint" else {}),
        "precision": facts["precision"],
        "size": f"{facts['bytes'] / 1e6:.1f} MB",
        "labels": f"{len(facts['labels'])}: {' '.join(facts['labels'])}",
        "tags": f"{len(facts['tags'])}: {' '.join(facts['tags'])}",
        **({"relations": f"{len(facts['relations'])}: {' '.join(facts['relations'])}"} if facts["relations"] else {}),
        "probabilities": _probabilities(facts),
        **({"of arcs": _arc_probabilities(facts)} if facts["relations"] else {}),
        **({"all models": _installed(facts["installed"])} if "installed" in facts else {}),
    }
    licences = [f"  {part}: {terms}" for part, terms in facts["licences"].items()]
    lines = [
        *(f"{name:<15}{value}" for name, value in rows.items()),
        "licences" if licences else "licences       none are named",
        *licences,
        "",
        facts["card"].strip() or "This model has no card.",
    ]
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", "\n".join(lines))


def _installed(models: list[dict[str, str]]) -> str:
    return ", ".join(f"{model['name']} ({model['distribution']} {model['version']})" for model in models)


def _arc_probabilities(facts: dict[str, Any]) -> str:
    return "calibrated" if facts["dependencies_calibrated"] else _UNCALIBRATED


def _probabilities(facts: dict[str, Any]) -> str:
    if not facts["calibrated"]:
        return _UNCALIBRATED
    temperatures = ", ".join(f"{name} {value:.2f}" for name, value in facts["temperatures"].items())
    return f"calibrated; temperatures of {temperatures}"
