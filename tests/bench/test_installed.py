from __future__ import annotations

from pathlib import Path

import pytest
from bench.peers.installed import installed_size


def write_distribution(folder: Path, name: str, *requirements: str) -> None:
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1", *(f"Requires-Dist: {one}" for one in requirements)]
    (info / "METADATA").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / f"{name}.py").write_bytes(b"#" * 1000)
    (info / "RECORD").write_text(f"{name}.py,,\n", encoding="utf-8")


def test_a_size_counts_all_requirements_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_distribution(tmp_path, "first_a", "second-a[more]>=1", "third-a")
    write_distribution(tmp_path, "second_a", "third_a; extra == 'more'", "fourth-a; extra == 'other'", "first-a")
    write_distribution(tmp_path, "third_a")
    write_distribution(tmp_path, "fourth_a")
    monkeypatch.syspath_prepend(tmp_path)
    assert installed_size(["first-a"]) == {"install_bytes": 3000, "install_missing": []}


def test_extras_that_are_asked_for_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_distribution(tmp_path, "first_b", "second-b[more, other]>=1")
    write_distribution(tmp_path, "second_b", "fourth-b>2 ; sys_platform == 'linux' and extra == 'other'")
    write_distribution(tmp_path, "fourth_b")
    monkeypatch.syspath_prepend(tmp_path)
    assert installed_size(["first-b"])["install_bytes"] == 3000


def test_requirements_that_are_not_there_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_distribution(tmp_path, "first_c", "no-such-thing", "nor-such; python_version < '3'")
    monkeypatch.syspath_prepend(tmp_path)
    assert installed_size(["first-c"]) == {"install_bytes": 1000, "install_missing": ["no-such-thing"]}
    assert installed_size(["no-such-thing"]) == {"install_bytes": 0, "install_missing": ["no-such-thing"]}


def test_the_size_of_a_real_package_is_plausible() -> None:
    assert installed_size(["numpy"])["install_bytes"] > 10**6
