"""A parser that libraries may pickle, copy and carry into other processes."""

from __future__ import annotations

import os
from pathlib import Path

from spanlin.errors import ConfigError
from spanlin.model_folder.lookup import pin_model
from spanlin.parser import Parser


class ReloadingParser:
    """A model's parser, loaded once in every process that asks for it."""

    def __init__(self, model: str | Path, *, threads: int) -> None:
        if threads < 0:
            raise ConfigError(f"threads must be 0 (every core) or more, got {threads}")
        self.model = pin_model(model)  # other processes must get the same
        self.threads = threads
        self._loaded: tuple[int, Parser] | None = None
        self.get()  # so that a wrong name is an error here and not later

    def get(self) -> Parser:
        """Return the parser of this process."""
        # A forked process has its parent's memory, but none of the threads a session may have started.
        if self._loaded is None or self._loaded[0] != os.getpid():
            self._loaded = (os.getpid(), Parser.load(self.model, threads=self.threads))
        return self._loaded[1]

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_loaded": None}
