from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from bench.__main__ import main
from click.testing import CliRunner

from exported_networks import export_once
from spanlin.model_folder.lookup import find_model


def test_the_graph_is_the_encoder_of_the_model_alone(tmp_path: Path) -> None:
    folder, graph = find_model("en-small"), tmp_path / "encoder.onnx"
    done = CliRunner().invoke(main, ["encoder-graph", str(folder), str(graph)])
    assert (done.exit_code, done.output) == (0, f"{graph}\n")
    pieces, counts = np.array([[2, 30, 31, 3], [2, 40, 3, 0]]), np.array([4, 3])
    (found,) = onnxruntime.InferenceSession(graph).run(None, {"pieces": pieces, "piece_counts": counts})
    assert found.shape == (2, 4, 384)
    (alone,) = onnxruntime.InferenceSession(graph).run(None, {"pieces": pieces[1:, :3], "piece_counts": counts[1:]})
    np.testing.assert_allclose(found[1:, :3], alone, atol=1e-5)
    assert graph.stat().st_size < 0.95 * (folder / "graph.onnx").stat().st_size


def test_a_model_without_an_encoder_has_no_such_graph(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    folder = export_once("bilstm", tmp_path_factory).folder
    done = CliRunner().invoke(main, ["encoder-graph", str(folder), str(tmp_path / "encoder.onnx")])
    assert done.exit_code == 1
    assert "has no pretrained encoder" in done.output
