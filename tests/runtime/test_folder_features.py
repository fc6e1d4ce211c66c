from __future__ import annotations

from dataclasses import replace

import pytest

from exported_networks import KINDS, export_once, random_sentences
from spanlin.errors import CheckpointError
from spanlin.model_folder.folder import open_folder
from spanlin.runtime.folder_features import features_of, graph_inputs
from spanlin.runtime.joined_rows import JoinedFeatures
from spanlin.runtime.sentences import Sentences
from spanlin.runtime.words import WordTable


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind in ("bilstm", "tagged")])
def test_a_graph_takes_what_its_rows_have(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = open_folder(export_once(kind, tmp_path_factory).folder)
    features = features_of(folder)
    assert isinstance(features, JoinedFeatures) == (kind == "tagged")
    sentences = Sentences(random_sentences(3), WordTable(features))
    rows, _ = sentences.rows(sentences.batches(tokens=1000, multiple=1)[0], multiple=1)
    assert (*rows.arrays, "word_counts") == graph_inputs(folder)


def test_a_lexicon_that_has_gone_is_an_error(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = open_folder(export_once("bilstm", tmp_path_factory).folder)
    with pytest.raises(CheckpointError, match=r"lexicon\.json: cannot be read: No such file"):
        features_of(replace(folder, path=tmp_path_factory.mktemp("empty")))
