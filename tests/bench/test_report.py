from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bench.__main__ import main
from bench.peers.report import ReadmeError, all_tables, plot, put_between_markers, to_markdown
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

README = "# A parser\n\n<!-- bench -->\nold\n<!-- /bench -->\n\nThe rest.\n"


def result(name: str, *, ours: bool, **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "ours": ours,
        "threads": 1,
        "best_rate": 400.0,
        "single_rate": 200.0,
        "words25_p50_ms": 2.5,
        "words25_p99_ms": 5.0,
        "first_parse_seconds": 1.0,
        "peak_memory_bytes": 10**8,
        "install_bytes": 2 * 10**8,
        "weights": "trained",
        "dev_f1": 50.0,
    } | changes


def comparison(*results: dict[str, Any], **machine: str) -> dict[str, Any]:
    return {
        "date": "2001-02-03",
        "machine": {"cpu": "A", "cores": "2"} | machine,
        "settings": {
            "encoder": "small",
            "training": "7 trees of train.txt",
            "sentences": {"file": "x/dev.txt", "ours": 9000, "peers": 3000, "mean_words": 5.0},
        },
        "results": list(results),
    }


SOME = comparison(
    result("ours", ours=True, bare_encoder_rate=500.0, bare_encoder_share=0.8),
    result("peer", ours=False, weights="random weights", install_missing=["spacy"]),
    {"name": "broken", "ours": False, "threads": 1, "failed": "install: no"},
)


def test_the_table_has_a_row_for_each_measured_parser() -> None:
    lines = to_markdown(SOME).splitlines()
    assert "| **ours** | 1 | 400 | 200 | 2.5 / 5.0 | 100 | 1.0 | 200 | 80% |" in lines
    assert "| peer | 1 | 400 | 200 | 2.5 / 5.0 | 100 | 1.0 | ≥ 200 |  |" in lines
    assert len({line.count("|") for line in lines if line.startswith("|")}) == 1


def test_the_table_says_what_it_was_measured_on_and_what_is_random_or_missing() -> None:
    found = to_markdown(SOME)
    assert "Measured 2001-02-03" in found
    assert "9,000 (peers 3,000) sentences of x/dev.txt" in found
    assert "7 trees of train.txt" in found
    assert "- peer: random weights." in found.splitlines()
    assert "- peer: installed without spacy" in found
    assert "broken, 1 thread: not measured (install: no)" in found
    assert "80% of the bare encoder's 500 sentences/s" in found


def test_parsers_without_a_pretrained_encoder_are_said_to_have_none() -> None:
    found = comparison(result("ours", ours=True))
    found["settings"]["encoder"] = ""
    assert "Every parser has a network of its own and parses" in to_markdown(found)
    assert "**A, 2 cores, no pretrained encoder**" in all_tables([found])


def test_the_table_has_no_accuracy_of_parsers_trained_for_a_moment() -> None:
    assert "50.0" not in to_markdown(SOME)


def test_the_table_tells_where_the_time_of_a_gpu_goes() -> None:
    shares = {
        "bare_encoder_rate": 50_000.0,
        "bare_encoder_share": 0.5,
        "device_rate": 40_000.0,
        "outside_encoder_share": 0.2,
        "tree_inference_share": 0.015,
    }
    found = all_tables([comparison(result("ours", ours=True, peak_device_memory_bytes=10**9, **shares), gpu="G")])
    assert found.startswith("**G (A, 2 cores), small**\n")
    assert "100 + 1,000 GPU" in found
    assert "20.0% is outside the encoder, 1.5% tree inference" in found


def test_the_readme_has_the_tables_of_the_newest_runs() -> None:
    root = Path(__file__).parents[2]
    names = [sorted((root / "bench/results").glob(f"????-??-??-{kind}.json"))[-1] for kind in ("cpu", "h200")]
    tables = all_tables([json.loads(name.read_text(encoding="utf-8")) for name in names])
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert put_between_markers(readme, tables) == readme, f"python -m bench table {' '.join(map(str, names))} --readme"


@given(st.text(alphabet="ab\n|"), st.text(alphabet="ab\n|"), st.text(alphabet="ab\n|"))
def test_putting_a_table_between_markers_twice_is_putting_it_once(before: str, after: str, table: str) -> None:
    text = f"{before}<!-- bench --><!-- /bench -->{after}"
    once = put_between_markers(text, table)
    assert put_between_markers(once, table) == once
    assert once.startswith(before)
    assert once.endswith(after)
    assert table.strip() in once


@pytest.mark.parametrize("text", ["", "<!-- bench -->", "<!-- /bench --> <!-- bench -->", README * 2])
def test_a_text_without_one_pair_of_markers_is_refused(text: str) -> None:
    with pytest.raises(ReadmeError, match="needs one <!-- bench --> and, after it, one <!-- /bench -->"):
        put_between_markers(text, "table")


def test_the_command_changes_nothing_but_what_is_between_the_markers(tmp_path: Path) -> None:
    readme, figures = tmp_path / "README.md", tmp_path / "cpu.json"
    readme.write_text(README, encoding="utf-8")
    figures.write_text(json.dumps(SOME), encoding="utf-8")
    done = CliRunner().invoke(main, ["table", str(figures), str(figures), "--readme", str(readme)])
    assert done.exit_code == 0, done.output
    found = readme.read_text(encoding="utf-8")
    assert found == README.replace("old", all_tables([SOME, SOME]).strip())


def test_the_command_refuses_a_readme_without_markers(tmp_path: Path) -> None:
    readme, figures = tmp_path / "README.md", tmp_path / "cpu.json"
    readme.write_text("# A parser\n", encoding="utf-8")
    figures.write_text(json.dumps(SOME), encoding="utf-8")
    done = CliRunner().invoke(main, ["table", str(figures), "--readme", str(readme)])
    assert done.exit_code == 1
    assert (
        done.output.splitlines()[-1] == f"Error: {readme}: needs one <!-- bench --> and, after it, one <!-- /bench -->"
    )
    assert readme.read_text(encoding="utf-8") == "# A parser\n"


def test_the_plot_is_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot([SOME, SOME], tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
