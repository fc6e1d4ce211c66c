"""What an index would get: the wheel and the source distribution. `.ci/release` installs and tries them."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

import spanlin

ROOT = Path(__file__).parent.parent

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="not a checkout")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both, the wheel made from the source distribution."""
    for module in ("build", "hatchling", "twine"):
        pytest.importorskip(module)
    dest = tmp_path_factory.mktemp("dist")
    run("build", "--no-isolation", "--outdir", str(dest), str(ROOT))
    return dest


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, encoding="utf-8", check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_both_pass_the_checks_of_an_index(built: Path) -> None:
    found = run("twine", "--no-color", "check", "--strict", *map(str, built.iterdir()))
    assert found.count("PASSED") == 2


def test_the_wheel_has_model_card_licence_and_version(built: Path) -> None:
    version = spanlin.__version__
    with ZipFile(built / f"spanlin-{version}-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())
        metadata = wheel.read(f"spanlin-{version}.dist-info/METADATA").decode()
        licence = wheel.read(f"spanlin-{version}.dist-info/licenses/LICENSE")
        card = wheel.read("spanlin/models/en/card.md")
    assert licence == (ROOT / "LICENSE").read_bytes()
    assert card == (ROOT / "src/spanlin/models/en/card.md").read_bytes()
    assert f"\nVersion: {version}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\n" in metadata
    assert {"spanlin/py.typed", "spanlin/server/static/index.html", "spanlin/models/en/graph.onnx"} <= names
    assert not [name for name in names if not name.startswith(("spanlin/", f"spanlin-{version}.dist-info/"))]


def test_the_source_distribution_has_what_it_takes_to_test_it(built: Path) -> None:
    with tarfile.open(built / f"spanlin-{spanlin.__version__}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "src/spanlin/models/en/card.md"} <= names
    assert {"tests/test_packaged.py", "tests/test_distribution.py", "experiments/models/build.py"} <= names


def test_the_version_is_in_one_place() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for path in [ROOT / "pyproject.toml", *(ROOT / "src").rglob("*.py")]
        if f'"{spanlin.__version__}"' in path.read_text(encoding="utf-8")
    ]
    # The second is what `spanlin package` calls the first version of a model.
    assert [name for name in found if "wheel.py" not in name and "cli/package.py" not in name] == [
        "src/spanlin/__init__.py"
    ]
