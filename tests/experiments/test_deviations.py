"""Deviations from the paper, from configurations alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiments.deviations import (
    ENCODERS,
    Setting,
    deviations_section,
    read_settings,
    resolved,
    rows_for_the_paper,
    value_at,
)
from experiments.results import Brackets, Result, Results
from experiments.rows import load_row

from spanlin.errors import ConfigError

NONE = Results([])


def result(row: str, treebank: str, epochs: int, trees: int, **config: object) -> Result:
    counts = Brackets(signature="", status=[0], length=[1], gold=[1], predicted=[1], matched=[1])
    return Result(
        row=row,
        title=row,
        treebank=treebank,
        seed=1,
        brackets=counts,
        training={"trees": trees},
        config={"epochs": epochs, **config},
    )


def test_every_setting_is_a_key_of_every_row_that_it_is_for() -> None:
    settings = read_settings()
    assert len(settings) > 30
    for encoder in ENCODERS:
        assert encoder in rows_for_the_paper(encoder)
        for row in rows_for_the_paper(encoder):
            config = resolved(row, NONE)
            assert value_at(config, "network.context.kind") == encoder
            for setting in settings:
                setting.of(config)


def test_a_cell_says_from_what_it_differs() -> None:
    width = load_row("bilstm").config["network"]["scorer"]["hidden_width"]
    key = "network.scorer.hidden_width"
    settings = [
        Setting(what="one", key=key, paper=width + 1, code=width + 1),
        Setting(what="two", key=key, paper=width, code=width + 1),
        Setting(what="three", key=key, paper=width + 1),
        Setting(what="four", key=key, paper=width, code=width),
        Setting(what="five", key=key),
        Setting(what="six", key=key, is_any=True, paper=False),
        Setting(what="seven", key=key, only="transformer", paper=1),
    ]
    text = deviations_section(NONE, settings).partition("### Deviations of the Transformer")[0]
    own = next(line for line in text.splitlines() if line.startswith("| setting")).split(" | ").index("`bilstm` |")
    cells = {line.split(" | ")[0].strip("| "): line.split(" | ")[own] for line in text.splitlines() if " | " in line}
    assert cells["one"].startswith(f"{width} (≠ paper and code)")
    assert cells["two"].startswith(f"{width} (≠ code)")
    assert cells["three"].startswith(f"{width} (≠ paper)")
    assert cells["six"].startswith("yes (≠ paper)")
    assert "seven" not in cells
    assert "four; five." in text


def test_a_result_says_what_was_run_and_newer_keys_have_their_defaults() -> None:
    found = Results([result("bilstm", "genia", 18, 14326, averaging=0.5), result("bilstm", "craft", 14, 18951)])
    config = resolved("bilstm", Results([found.all[1]]))
    assert (config["treebanks"], config["trees"], config["epochs"], config["averaging"]) == ("genia", 14326, 18, 0.5)
    assert config["optimizer"]["kind"] == "adamw"
    both = resolved("bilstm", found)
    assert (both["treebanks"], both["trees"], both["epochs"]) == ("craft, genia", "14326 to 18951", "14 to 18")


def test_a_row_stands_with_its_present_settings_if_any_treebank_has_results_with_them() -> None:
    now = {key: value for key, value in resolved("bilstm", NONE).items() if key not in {"treebanks", "trees", "epochs"}}
    old, new = result("bilstm", "craft", 14, 18951, averaging=0.5), result("bilstm", "genia", 18, 14326, **now)
    config = resolved("bilstm", Results([old, new]))
    assert (config["treebanks"], config["trees"], config["averaging"]) == ("genia", 14326, now["averaging"])


def test_a_row_that_is_not_run_yet_is_compared_by_its_file() -> None:
    config = resolved("bilstm", NONE)
    assert config["treebanks"] == "not run yet"
    assert config["epochs"] == load_row("bilstm").config["epochs"]


def test_a_key_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=r"network\.none: there is no such key .*mend settings_of_the_paper\.toml"):
        value_at(resolved("bilstm", NONE), "network.none")


def test_a_key_that_is_newer_than_the_code_has_its_default() -> None:
    assert Setting(what="new", key="network.context.new", default="as ever").of(resolved("bilstm", NONE)) == "as ever"


def test_rows_for_the_paper_come_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from experiments.tables import Table

    from experiments import deviations

    table = Table(
        name="x", title="x", source="", rows=("bilstm", "psn", "paper-bilstm", "code-bilstm", "paper-transformer")
    )
    monkeypatch.setattr(deviations, "TABLES", {"x": table})
    assert rows_for_the_paper("bilstm") == ["paper-bilstm", "code-bilstm", "bilstm"]
    assert rows_for_the_paper("transformer") == ["paper-transformer"]
