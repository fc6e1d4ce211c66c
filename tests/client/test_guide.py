"""The examples of the guide run against a real service."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.conftest import TOKEN
from doc_blocks import blocks

PAGE = Path(__file__).parents[2] / "docs" / "client.md"


@pytest.mark.skipif(not PAGE.exists(), reason="installed without its docs")
def test_the_examples_run(
    address: str,
    small_address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "texts.txt").write_text("Dogs bark. Cats sleep.\nYes.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPANLIN_TOKEN", TOKEN)
    scripts = [block.text for block in blocks(PAGE) if block.language == "python"]
    assert len(scripts) == 3
    names: dict[str, object] = {}
    for script in scripts:
        text = script.replace("http://127.0.0.1:8000", small_address).replace("https://parser.example.org", address)
        assert text != script
        exec(compile(text, "<page>", "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    assert [line.partition(" (TOP")[0] for line in printed] == ["The dog didn't bark.", "Why not?", "2", "1"]
