"""A hook of mkdocs: takes the page without a server along as try/, if `npm run page` has built it in web/."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "web" / "page"
_MARK = "<!-- try -->"
_BUTTON = '<a class="md-button md-button--primary" href="../try/">Open the parser</a>'
_MISSING = "*This copy of the docs was built without it: run `npm ci && npm run page` in `web/`, then `mkdocs build`.*"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page's text with the way to the parser, or why there is none."""
    return markdown.replace(_MARK, _BUTTON if (PAGE / "index.html").is_file() else _MISSING)


def on_post_build(config: Any, **_: Any) -> None:
    """Copy the page into the site."""
    if (PAGE / "index.html").is_file():
        shutil.copytree(PAGE, Path(config["site_dir"]) / "try", dirs_exist_ok=True)
