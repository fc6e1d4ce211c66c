"""What the commands say if a package that only some of them need is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from spanlin.errors import missing_extra


@contextmanager
def needs_train_extra(purpose: str) -> Iterator[None]:
    """Turn a failed import of torch and the like into a MissingExtraError that names the command to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "spanlin":
            raise
        raise missing_extra(f"{purpose} needs {error.name}", "train") from error
