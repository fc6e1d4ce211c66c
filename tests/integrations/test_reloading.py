from __future__ import annotations

import pickle
from copy import deepcopy

import pytest

from spanlin.errors import CheckpointError, ConfigError
from spanlin.integrations.reloading import ReloadingParser


def test_another_process_loads_a_parser_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    reloading = ReloadingParser("en", threads=1)
    first = reloading.get()
    assert reloading.get() is first
    monkeypatch.setattr("spanlin.integrations.reloading.os.getpid", lambda: -1)
    assert reloading.get() is not first


def test_copies_are_small_and_load_a_parser_when_they_are_asked() -> None:
    reloading = ReloadingParser("en", threads=1)
    data = pickle.dumps(reloading)
    assert len(data) < 1000
    for again in (pickle.loads(data), deepcopy(reloading)):
        assert (again.model, again.threads) == (reloading.model, 1)
        assert again.get() is not reloading.get()
        assert again.get().parse_tokens([["Dogs", "bark"]]) == reloading.get().parse_tokens([["Dogs", "bark"]])


def test_wrong_settings_are_errors_at_once() -> None:
    with pytest.raises(CheckpointError, match="no such model"):
        ReloadingParser("benepar_en3", threads=1)
    with pytest.raises(ConfigError, match=r"threads must be 0 \(every core\) or more, got -1"):
        ReloadingParser("en", threads=-1)
