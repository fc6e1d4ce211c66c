"""The Dockerfile: linted; its health check, its user, its files and a read-only system tried; built where Docker is."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import spanlin

ROOT = Path(__file__).parent.parent
SETTINGS = {"PYTHONDONTWRITEBYTECODE": "1", "HOME": "/nonexistent"}
TREE = "(TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))"

pytestmark = pytest.mark.skipif(not (ROOT / "Dockerfile").exists(), reason="not a checkout")


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, each on one line, such as ("USER", "10001:10001")."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, rest in lines]


def values(name: str) -> list[str]:
    return [rest for found, rest in instructions() if found == name]


def health_check(port: int) -> int:
    """Run the health check's own command, with another port, and return its status."""
    (check,) = values("HEALTHCHECK")
    program, *arguments = json.loads(check.partition("CMD ")[2])
    assert program == "python"
    assert ":8000/" in arguments[-1]
    command = [sys.executable, *(argument.replace(":8000/", f":{port}/") for argument in arguments)]
    return subprocess.run(command, check=False, capture_output=True, timeout=60).returncode


@contextmanager
def service(*before: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The image's command, with a free port, behind some other words of a command line; and its port."""
    (entry,), (command,) = values("ENTRYPOINT"), values("CMD")
    assert json.loads(entry) == ["spanlin"]
    process = subprocess.Popen(
        [*before, sys.executable, "-m", "spanlin", *json.loads(command), "--port", "0"],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, **SETTINGS, "PYTHONPATH": str(Path(spanlin.__file__).parents[1])},
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("spanlin: 0.0.0.0 can be reached by others and no token is set")
        found = re.search(r"serving en at http://0\.0\.0\.0:(\d+) ", process.stderr.readline())
        assert found
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


def test_the_linter_has_nothing_to_say() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if linter is None:
        pytest.skip("needs hadolint")
    command = [linter, "--no-color", str(ROOT / "Dockerfile")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout + found.stderr) == (0, "")


def test_the_image_runs_as_a_user_without_rights() -> None:
    names = [name for name, _ in instructions()]
    assert values("USER") == ["10001:10001"]
    assert "RUN" not in names[names.index("USER") :]
    assert "COPY" not in names[names.index("USER") :]


def test_the_health_check_tells_a_service_from_none() -> None:
    pytest.importorskip("uvicorn")
    with service() as (process, port):
        assert health_check(port) == 0
        process.terminate()
        assert process.wait(30) == 0
        assert health_check(port) != 0


@pytest.mark.slow
def test_what_is_copied_is_enough_to_build_the_package(tmp_path: Path) -> None:
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"]
    for copied in values("COPY"):
        if copied.startswith("--from"):
            continue
        *sources, dest = copied.split()
        for source in sources:
            assert any(fnmatch.fnmatch(source, pattern) for pattern in kept), source
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, tmp_path / dest, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, tmp_path / dest)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


READ_ONLY = (
    "mount -o remount,bind,ro / && ! touch {folder}/file 2> {nowhere} && "
    'exec unshare --user --map-user=10001 --map-group=10001 "$@"'
)


def test_it_serves_from_a_read_only_system_to_a_user_without_rights(tmp_path: Path) -> None:
    """What `docker run --read-only` does, by the means of the kernel that it uses."""
    pytest.importorskip("uvicorn")
    script = READ_ONLY.format(folder=tmp_path, nowhere=os.devnull)
    before = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    try:
        found = subprocess.run([*before, "id", "-u"], capture_output=True, text=True, check=False, timeout=60)
    except FileNotFoundError:
        pytest.skip("needs unshare")
    if found.returncode:
        pytest.skip(f"needs user namespaces: {found.stderr.strip()}")
    assert found.stdout == "10001\n"
    with service(*before) as (_, port):
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/v1/parse",
            data=json.dumps({"text": "Dogs bark."}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert TREE in answer.read().decode()
        assert health_check(port) == 0


@pytest.mark.slow
def test_docker_builds_and_runs_it() -> None:
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True, check=False).returncode:
        pytest.skip("needs a Docker daemon")
    built = subprocess.run([docker, "build", "-q", str(ROOT)], capture_output=True, text=True, check=True, timeout=900)
    options = ["--rm", "--read-only", "--cap-drop", "ALL", "--network", "none", "-i"]
    found = subprocess.run(
        [docker, "run", *options, built.stdout.strip(), "parse"],
        input="Dogs bark.\n",
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    assert found.stdout == f"{TREE}\n"
