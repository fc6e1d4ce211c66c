from __future__ import annotations

import json

from experiments.joint_rows import ROWS
from experiments.joint_table import PAGE, RESULTS, page_with, rates_on_a_cpu, results_of, section, table

from spanlin.config.training import load_config


def test_the_docs_have_the_table_of_the_results() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page_with(page, section()) == page


def test_a_cell_is_the_mean_over_the_seeds() -> None:
    first, second = (json.loads(path.read_text(encoding="utf-8")) for path in results_of("joint"))
    mean = (first["f1"]["masc"] + second["f1"]["masc"]) / 2
    (line,) = (line for line in table().splitlines() if line.startswith("| MiniLM | both, weight 0.4 |"))
    assert line.split(" | ")[5] == f"{mean:.2f}"


def test_every_row_loads_over_its_base() -> None:
    configs = {path.stem: load_config(path) for path in ROWS.glob("*.toml")}
    assert configs["joint-equal"].network.dependencies.width == 256
    assert configs["joint-equal"].network.dependencies.input == "encoder"
    assert configs["joint-wide"].network.dependencies.width == 512
    assert configs["joint-wide"].network.dependencies.input == "context"


def test_a_rate_of_a_cpu_is_not_among_those_of_a_gpu() -> None:
    (result,) = (json.loads(path.read_text(encoding="utf-8")) for path in results_of("spacy-ewt"))
    assert result["parsing"]["device"] == "cpu"
    (line,) = (line for line in table().splitlines() if line.startswith("| none | spaCy"))
    assert line.split("|")[-2].strip() == ""
    rates = [f"{rate:,.0f}" for rate in result["parsing"]["in_turn"].values()]
    assert all(f" {rate} " in rates_on_a_cpu().replace("\n", " ") for rate in rates)


def test_results_are_of_rows_that_load() -> None:
    for path in RESULTS.glob("*.json"):
        found = json.loads(path.read_text(encoding="utf-8"))
        config = load_config(ROWS / f"{found['row']}.toml")
        assert [treebank["name"] for treebank in found["config"]["treebanks"]] == [one.name for one in config.treebanks]
        assert path.stem == f"{found['row']}-{found['seed']}"
