"""Where a model is: one in the package or in another one, by its name; one on the hub; any folder, by its path."""

from __future__ import annotations

import re
from pathlib import Path

from spanlin import __version__
from spanlin.errors import CheckpointError
from spanlin.model_folder.hub import PREFIX, fetch_model, pinned_name
from spanlin.model_folder.installed import InstalledModel, find_installed, installed_models, is_model_name
from spanlin.model_folder.manifest import MANIFEST

_PACKAGED = Path(__file__).parents[1] / "models"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


def find_model(model: str | Path) -> Path:
    """Return the folder of a model: one of the package's or an installed one by its name, or any folder by its path.

    `hf:owner/name` is fetched from Hugging Face's hub, unless it is in the cache already.

    A name has letters, digits, dots, hyphens and underscores alone. All else is a path, as is a name that no model has.
    The package's own models come first, then the installed ones, then a folder; `./name` is always a folder.
    """
    if isinstance(model, str):
        if model.startswith(PREFIX):
            return fetch_model(model)
        if model in packaged_models():
            return _PACKAGED / model
        if is_model_name(model) and (installed := find_installed(model)):
            return installed.folder()
    path = Path(model)
    try:
        if model != "" and path.exists():
            return path
        reason = "no such model"
    except OSError as error:  # such as a name that is too long
        reason = error.strerror or "cannot be read"
    shown = ascii(str(model))[:100] if not str(model).isprintable() or len(str(model)) > 300 else model or "''"
    raise CheckpointError(f"{shown}: {reason}; {known_models()}")


def pin_model(model: str | Path) -> str | Path:
    """Return a name by which every process, now and later, finds the same model: on the hub, the one with a commit."""
    if isinstance(model, str) and model.startswith(PREFIX):
        return pinned_name(fetch_model(model)) or model
    return model


def packaged_models() -> list[str]:
    """Return the names of the package's own models."""
    found = (path.parent.name for path in _PACKAGED.glob(f"*/{MANIFEST}"))
    return sorted(name for name in found if _NAME.fullmatch(name))


def named_models() -> list[InstalledModel]:
    """Return all models that have a name here: the package's own, then those of other packages."""
    ours = [
        InstalledModel(name=name, version=__version__, distribution="spanlin", package="spanlin.models")
        for name in packaged_models()
    ]
    return [*ours, *(model for model in installed_models() if model.name not in packaged_models())]


def known_models() -> str:
    """Return the end of a message about something that is not a model: what to give instead."""
    names = dict.fromkeys(model.name for model in named_models())
    return f"give a model folder, or one of the packaged: {', '.join(names) or 'none'}"
