from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from spanlin.model_folder.folder import MANIFEST, ModelFolder, open_folder, write_manifest
from spanlin.model_folder.manifest import read_facts
from spanlin.model_folder.network_input import NetworkInput
from spanlin.model_folder.strict_json import read_strictly

PIECES = NetworkInput(piece_limit=40, shape_step=7)
LEXICAL = NetworkInput(kind="lexical")


def test_words_are_looked_up_in_one_file() -> None:
    assert (PIECES.file, LEXICAL.file) == ("tokenizer.json", "lexicon.json")


@pytest.mark.parametrize("own", [PIECES, LEXICAL])
@pytest.mark.parametrize("tagger", [None, PIECES, LEXICAL])
@pytest.mark.parametrize("one_by_one", [True, False])
def test_a_manifest_tells_how_each_network_knows_words(
    own: NetworkInput, tagger: NetworkInput | None, one_by_one: bool, tmp_path: Path
) -> None:
    folder = ModelFolder(
        path=tmp_path,
        precision="fp32",
        input=own.kind,
        piece_limit=own.piece_limit,
        shape_step=own.shape_step,
        tagger=tagger,
        one_by_one=one_by_one,
        labels=("", "S"),
        tags=("X",),
        details={},
    )
    write_manifest(folder)
    manifest = read_strictly((tmp_path / MANIFEST).read_bytes(), MANIFEST)
    assert ModelFolder(path=tmp_path, **read_facts(manifest, MANIFEST)) == folder
    assert list(folder.inputs.values()) == [own, *([] if tagger is None else [tagger])]
    assert manifest["format"] == 2


def test_a_folder_from_before_there_were_others_takes_pieces(tmp_path: Path) -> None:
    path = shutil.copytree(Path(__file__).parents[2] / "src/spanlin/models/en", tmp_path / "en")
    manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    manifest.pop("input", None)
    (path / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    folder = open_folder(path)
    assert folder.input == "pieces"
    assert folder.tagger is None
    assert not folder.one_by_one
    assert replace(folder, input="lexical").inputs[""].kind == "lexical"
