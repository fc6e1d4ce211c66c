"""Shows the examples in docstrings as code; Markdown would take `>>>` for quotations. Used by mkdocs.yml."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class DoctestBlocks(Extension):
    """Puts a fence around every doctest."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of what was read, before it is rendered."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
