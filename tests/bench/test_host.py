from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from bench.__main__ import main
from bench.host import Replay, read_texts
from click.testing import CliRunner

from joint_networks import joint_folder
from spanlin.runtime.backend import TREE, Arrays, Backend, IntArray
from spanlin.runtime.input_rows import InputRows

ROWS = cast(InputRows, None)


class Counting:
    """A backend that answers with how often it was asked."""

    batch_tokens, chunk, multiple = 400, 2048, 8
    asked = 0

    def run(self, rows: InputRows, word_counts: IntArray, outputs: tuple[str, ...] = TREE) -> Arrays:
        self.asked += 1
        return {"tags": np.array([self.asked])}

    def relate(self, *_: Any) -> int:
        self.asked += 1
        return -self.asked


def test_the_network_is_asked_once_and_then_replayed_in_order() -> None:
    counting = Counting()
    replay = Replay(cast(Backend, counting))
    for _ in range(3):
        replay.start("trees")
        assert [int(replay.run(ROWS, np.ones(1, dtype=np.int64))["tags"][0]) for _ in range(2)] == [1, 2]
        assert replay.relate(None, None, None) == -3
    replay.start("others")
    assert int(replay.run(ROWS, np.ones(1, dtype=np.int64))["tags"][0]) == counting.asked == 4


def test_batches_are_those_of_the_backend_or_of_another_device() -> None:
    own, other = Replay(cast(Backend, Counting())), Replay(cast(Backend, Counting()), batch_tokens=32_768)
    assert (own.batch_tokens, own.chunk, own.multiple) == (400, 2048, 8)
    assert (other.batch_tokens, other.chunk, other.multiple) == (32_768, 16_384, 8)


def test_no_line_is_taken_twice(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("Dogs bark.\n\nCats sleep.\nDogs bark.\n", encoding="utf-8")
    (tmp_path / "two").write_text("Cats sleep.\n", encoding="utf-8")
    assert read_texts([tmp_path / "one", tmp_path / "two"]) == ["Dogs bark.", "Cats sleep."]


def test_the_command_has_a_figure_for_each_stage_and_path(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (tmp_path / "text").write_text("Dogs bark.\nThe old cat sleeps all day.\n", encoding="utf-8")
    model, found = str(joint_folder(tmp_path_factory)), tmp_path / "found.json"
    options = ["--model", model, "--repeats", "1", "--json", str(found)]
    result = CliRunner().invoke(main, ["host", "--text", str(tmp_path / "text"), *options])
    assert result.exit_code == 0, result.output
    figures = json.loads(found.read_text(encoding="utf-8"))
    assert (figures["sentences"], figures["words"]) == (2, 10)
    (of_model,) = figures["models"]
    stages = {stage["stage"]: stage for stage in of_model["stages"]}
    assert {"bracket lines", "Parsed", "constituents read", "JSON", "heads and relations read", "CoNLL-U"} <= set(
        stages
    )
    assert {"text cut for processes", "packed for another process", "unpacked in another process"} <= set(stages)
    first, second = "text to sentences and words", "words to pieces and rows"
    assert [name for name, stage in stages.items() if stage["cold"] is not None] == [first, second]
    together = sum(stages[name]["warm"] for name in (first, second, "Parsed", "JSON"))
    assert of_model["paths"]["text to Parsed, JSON"] == pytest.approx(together, abs=0.02)
    assert f"| CoNLL-U |  | {stages['CoNLL-U']['warm']:.1f} |" in result.output


def test_a_file_without_text_is_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n", encoding="utf-8")
    result = CliRunner().invoke(main, ["host", "--text", str(tmp_path / "text")])
    assert (result.exit_code, result.stderr) == (1, "Error: no sentences\n")
