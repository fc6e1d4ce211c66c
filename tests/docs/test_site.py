"""The docs site is built with every warning an error, and asks for nothing outside itself."""

from __future__ import annotations

import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

import spanlin.errors
from spanlin.errors import SpanlinError

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not (ROOT / "mkdocs.yml").exists(), reason="installed without its docs")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("mkdocs", "material", "mkdocstrings_handlers.python"):
        if importlib.util.find_spec(module.split(".", maxsplit=1)[0]) is None:
            pytest.skip(f"{module} is not installed: pip install -e '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


class Loads(HTMLParser):
    """Collects what a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "link" and found.get("rel") not in {"canonical", "prev", "next"}:
            self.addresses.append(found.get("href") or "")
        elif "src" in found:
            self.addresses.append(found["src"] or "")


def test_no_page_loads_anything_from_outside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        loads = Loads()
        text = page.read_text(encoding="utf-8")
        loads.feed(text)
        assert len(loads.addresses) >= 3
        assert not [address for address in loads.addresses if re.match(r"(https?:)?//", address)], page
        assert "fonts.g" not in text
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        assert f": {page.relative_to(DOCS)}\n" in navigation


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    inventory = b"".join(path.read_bytes() for path in (site / "reference").rglob("*.html")).decode()
    for name in spanlin.__all__:
        if name not in {"SpanlinError", "__version__"}:
            defined = getattr(spanlin, name)
            assert f'id="{defined.__module__}.{name}"' in inventory, name


def test_the_examples_in_docstrings_are_code(site: Path) -> None:
    page = (site / "reference" / "parser" / "index.html").read_text(encoding="utf-8")
    assert '<span class="gp">&gt;&gt;&gt; </span>' in page
    assert "<blockquote>" not in page


def test_the_figures_are_what_the_code_draws() -> None:
    figures = load(DOCS / "figures.py").figures()
    drawn = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "figures").iterdir()}
    assert drawn == figures, "run python docs/figures.py"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def every_error() -> dict[str, type[SpanlinError]]:
    """Return the whole family, wherever its members are defined."""
    for module in pkgutil.walk_packages(spanlin.__path__, "spanlin."):
        source = importlib.util.find_spec(module.name)
        assert source is not None
        assert source.origin is not None
        if re.search(r"^class \w+\((?:\w+Error)\)", Path(source.origin).read_text(encoding="utf-8"), re.MULTILINE):
            importlib.import_module(module.name)
    found, waiting = {}, [SpanlinError]
    while waiting:
        kind = waiting.pop()
        if not kind.__name__.startswith("_"):
            found[kind.__name__] = kind
        waiting += kind.__subclasses__()
    return found


def test_every_error_has_its_place_its_parent_and_a_way_out() -> None:
    pytest.importorskip("spacy")
    pytest.importorskip("torch")
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## `(\w+)`\n\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    errors = every_error()
    assert set(parts) == set(errors)
    for name, part in parts.items():
        assert "**What to do:** " in part, name
        kind = errors[name]
        if kind is not SpanlinError:
            assert kind.__bases__[0].__name__ in part.split(":")[0], name
        if kind.__module__ != "spanlin.errors":
            assert kind.__module__.removesuffix("_extensions") in part, name


def test_the_tree_of_errors_in_the_module_has_them_all() -> None:
    tree = inspect.getdoc(spanlin.errors) or ""
    for name, kind in vars(spanlin.errors).items():
        if inspect.isclass(kind) and issubclass(kind, Exception):
            assert re.search(rf"\b{name}\b", tree), name
