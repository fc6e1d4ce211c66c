"""The page on labels explains every label that the packaged models give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.lookup import find_model
from spanlin.trees.transforms import EMPTY_LABEL, split_chain

PAGE = Path(__file__).parents[2] / "docs" / "labels.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="installed without its docs")


def labels_of(model: str) -> set[str]:
    chains = [chain for chain in open_folder(find_model(model)).labels if chain != EMPTY_LABEL]
    return {label for chain in chains for label in split_chain(chain)}


@pytest.mark.parametrize("model", ["en", "en-small"])
def test_every_label_of_a_packaged_model_is_explained(model: str) -> None:
    phrases = PAGE.read_text(encoding="utf-8").partition("\n## Phrases\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in phrases.splitlines() if line.startswith("| `")]
    explained = {label for row in rows for label in re.findall(r"`(\w+)`", row)}
    assert explained == labels_of(model)
