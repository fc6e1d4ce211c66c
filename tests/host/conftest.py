"""A small model with dependencies, parsed with in this process and in others beside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from joint_networks import joint_folder
from spanlin.host import tasks
from spanlin.parser import Parser


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    return Parser.load(joint_folder(tmp_path_factory), threads=1)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parser]:
    """Two processes, which get a few sentences at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "BLOCK_SENTENCES", 3)
        parser = Parser.load(joint_folder(tmp_path_factory), threads=1, processes=2)
        assert parser.processes is not None
        parser.processes.wait()
        yield parser
        parser.close()
        assert not parser.processes.done_again
