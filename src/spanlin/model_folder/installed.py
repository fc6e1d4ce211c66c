"""Models that pip installed: packages that announce one by an entry point. None of their code is run to find it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from spanlin.errors import CheckpointError

GROUP = "spanlin.models"
"""The group of the entry points. Each has a model's name, and as its value the package in which its folder is."""
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,60}[A-Za-z0-9])?")
_PACKAGE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")  # top-level: to find any other, Python would import its parent


@dataclass(frozen=True, kw_only=True)
class InstalledModel:
    """A model that an installed package announces."""

    name: str
    version: str
    distribution: str
    """What pip calls the package."""
    package: str

    def folder(self) -> Path:
        """Return the model's folder, or raise a CheckpointError if the package does not have it."""
        for place in self._places():
            folder = Path(place) / self.name
            if folder.is_dir():
                return folder
        raise CheckpointError(
            f"{self.name}: the package {self.distribution} {self.version} announces this model but does not have it; "
            f"install it again, or pip uninstall {self.distribution}"
        )

    def _places(self) -> Iterable[str]:
        try:
            spec = find_spec(self.package) if _PACKAGE.fullmatch(self.package) else None
        except ValueError:  # the name of something that is loaded and has none
            return []
        return (spec.submodule_search_locations if spec else None) or []


def is_model_name(name: str) -> bool:
    """Tell whether an installed model may have this name: letters, digits, and dots, hyphens or underscores between."""
    return _NAME.fullmatch(name) is not None


def normal_name(name: str) -> str:
    """Return the form in which pip compares names: small letters, and one hyphen for all that is between them.

    >>> normal_name("My_own.Model")
    'my-own-model'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_models() -> list[InstalledModel]:
    """Return the models that installed packages announce, by name; two of the same name are both there."""
    found = {
        InstalledModel(
            name=normal_name(point.name),
            version=point.dist.version,
            distribution=point.dist.name,
            package=point.value.strip(),
        )
        for point in entry_points(group=GROUP)
        if is_model_name(point.name) and point.dist is not None
    }
    return sorted(found, key=lambda model: (model.name, model.distribution))


def find_installed(name: str) -> InstalledModel | None:
    """Return the installed model of this name, in any of its forms; two packages that announce it are an error."""
    found = [model for model in installed_models() if model.name == normal_name(name)]
    if len(found) > 1:
        both = " and ".join(model.distribution for model in found)
        raise CheckpointError(f"{name}: the packages {both} announce a model of this name; pip uninstall one of them")
    return found[0] if found else None
