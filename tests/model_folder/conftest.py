"""The folders that tests of the runtime export serve here too."""

from runtime.conftest import folder, model

__all__ = ["folder", "model"]
