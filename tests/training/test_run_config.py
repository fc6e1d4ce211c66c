from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from generated_treebank import generate_treebank
from small_runs import small_config
from spanlin.config.by_size import is_settled, settle
from spanlin.config.training import TrainingConfig, TreebankConfig, config_to_toml, load_config
from spanlin.errors import CheckpointError, TrainingError
from spanlin.training.checkpoint import load_model
from spanlin.training.loop import train
from spanlin.training.metrics import Event
from spanlin.training.run_config import RUN_CONFIG, require_own_config, resumed_config, write_run_config

FILES = TrainingConfig(treebanks=(TreebankConfig(name="t", train="train.txt"),))


def saved(folder: Path, config: TrainingConfig) -> Path:
    (folder / RUN_CONFIG).write_text(config_to_toml(config), encoding="utf-8")
    return folder


def test_what_is_written_beside_a_run_is_its_configuration(tmp_path: Path) -> None:
    config = settle(FILES, tokens=3000)
    write_run_config(tmp_path / "run", config)
    assert load_config(tmp_path / "run" / RUN_CONFIG) == config
    require_own_config(tmp_path / "run")
    write_run_config(tmp_path / "run", replace(config, epochs=3))
    assert load_config(tmp_path / "run" / RUN_CONFIG).epochs == 3


def test_a_configuration_that_no_run_wrote_is_not_replaced(tmp_path: Path) -> None:
    require_own_config(tmp_path)
    saved(tmp_path, FILES)
    with pytest.raises(TrainingError, match=r"config\.toml: not written by a run, so it is not replaced: move it"):
        require_own_config(tmp_path)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match=r"config\.toml: cannot be written: "):
        write_run_config(tmp_path / "file", FILES)


def test_a_run_resumes_with_the_numbers_it_was_started_with(tmp_path: Path) -> None:
    settled = settle(FILES, tokens=3000)
    saved(tmp_path, settled)
    assert resumed_config(FILES, tmp_path) == settled
    longer = replace(FILES, epochs=999, max_minutes=5.0)
    assert resumed_config(longer, tmp_path) == replace(settled, epochs=999, max_minutes=5.0)


def test_another_changed_key_is_an_error_that_names_it(tmp_path: Path) -> None:
    saved(tmp_path, settle(FILES, tokens=3000))
    other = replace(FILES, batch=replace(FILES.batch, tokens=77))
    with pytest.raises(CheckpointError, match=r"the run was started with another value of batch\.tokens: put it back"):
        resumed_config(other, tmp_path)


def test_the_files_of_a_treebank_may_move_but_none_may_come_or_go(tmp_path: Path) -> None:
    both = replace(FILES, treebanks=(TreebankConfig(name="t", train="train.txt", dev="dev.txt"),))
    saved(tmp_path, settle(both, tokens=3000))
    moved = replace(FILES, treebanks=(TreebankConfig(name="t", train="there/train.txt", dev="there/dev.txt"),))
    assert resumed_config(moved, tmp_path).treebanks == moved.treebanks
    for other in (FILES, replace(FILES, treebanks=(TreebankConfig(name="u", train="train.txt", dev="dev.txt"),))):
        with pytest.raises(CheckpointError, match=r"another value of treebanks: put it back"):
            resumed_config(other, tmp_path)


def test_a_run_is_settled_by_the_size_of_its_treebanks(tmp_path: Path) -> None:
    treebank = generate_treebank(tmp_path, train=40, dev=5)
    config = small_config(*treebank, batch={"tokens": 0, "sentences": 0}, optimizer={"warm_up_steps": 0}, epochs=4)
    events: list[Event] = []
    result = train(config, tmp_path / "run", device="cpu", watch=events.append)
    beside = load_config(tmp_path / "run" / RUN_CONFIG)
    assert is_settled(beside)
    assert load_model(result.best).config == load_config(result.best / RUN_CONFIG) == beside
    plan, warning = (event for event in events if event.kind in {"plan", "warning"})
    assert plan.text.startswith("40 sentences of ")
    assert f"4 epochs in batches of {beside.batch.tokens} tokens, {result.steps} steps" in plan.text
    assert warning.text.startswith(f"the run has only {result.steps} steps")

    again = train(config, tmp_path / "run", device="cpu", resume=True)
    assert again.steps == result.steps
