"""The page from results written by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from experiments.__main__ import main
from experiments.page import render
from experiments.results import Brackets, Decoded, Result, Results, read_result
from experiments.rows import ROWS, load_row, run_key, training_config
from experiments.seed_means import mean
from experiments.tables import DECODERS, TABLES

from spanlin.config.training import TrainingConfig
from spanlin.errors import ConfigError, EvaluationError

SENTENCES = 20


def brackets(matched: int, *, sentences: int = SENTENCES) -> Brackets:
    """Sentences with ten gold and ten predicted brackets, so many of them right."""
    right = matched * sentences
    return Brackets(
        signature="by hand",
        status=[0] * sentences,
        length=[12] * sentences,
        gold=[10] * sentences,
        predicted=[10] * sentences,
        matched=[matched] * sentences,
        by_label={"NP": [10 * sentences, 10 * sentences, right]},
        by_span_length={"1-5": [10 * sentences, 10 * sentences, right]},
    )


def result(row: str, seed: int, matched: int, *, treebank: str = "genia", trees: int = 1000) -> Result:
    decoders = {}
    if row == "bilstm":
        decoders = {
            name: Decoded(brackets=brackets(matched), legal=15, splits=200, changed=4, seconds=0.5) for name in DECODERS
        }
    return Result(
        row=row,
        title=row,
        treebank=treebank,
        seed=seed,
        brackets=brackets(matched),
        key="k",
        date="2026-01-02",
        commit="abc",
        machine={"cpu": "a processor"},
        device="cpu",
        training={"minutes": 2.0, "sentences_per_second": 500.0, "trees": trees},
        parsing={"sentences_per_second": 1234.0},
        decoders=decoders,
    )


def page_of(results: list[Result], folder: Path, claims: Path | None = None) -> str:
    for item in results:
        item.write(folder / "results")
    page = render(folder / "results", folder / "docs", claims=claims or folder / "none")
    return page.read_text(encoding="utf-8")


def test_without_results_every_table_says_how_to_measure_it(tmp_path: Path) -> None:
    claims = tmp_path / "claims"
    claims.mkdir()
    (claims / "types.md").write_text("It holds.")
    page = page_of([], tmp_path, claims)
    for name in TABLES:
        assert f"*Not measured yet.* `python -m experiments {name} --data DIR`" in page
    assert "It holds." not in page
    assert "not up to date" not in page
    assert "| ADJP | 893 | 73.01 | 75.14 | +2.13 |" in page  # the paper's, as facts
    assert not (tmp_path / "docs" / "paper-figures").exists()


def test_means_spread_difference_and_test_are_those_of_the_files(tmp_path: Path) -> None:
    claims = tmp_path / "claims"
    claims.mkdir()
    (claims / "types.md").write_text("It holds.")
    rows = [("bilstm", 1, 8), ("bilstm", 2, 9), ("psn", 1, 6), ("psn", 2, 6), ("no-mlp", 1, 8)]
    page = page_of([result(*row) for row in rows], tmp_path, claims)
    assert "| NP | 200 | 60.00 ± 0.00 | 85.00 ± 7.07 | +25.00 |" in page
    # Two seeds, 10 F1 apart, with one degree of freedom: all sentences are alike, so that they add nothing.
    assert "2 seeds of ours and 2 of PSN; p of the difference over all types: 0.126." in page
    assert "| BiLSTM | 85.00 ± 7.07 | 85.00 ± 7.07 | 85.00 ± 7.07 | 2 |  |  |" in page
    # One seed tells nothing of how seeds differ.
    assert "| - MLP_l and MLP_r | 80.00 | 80.00 | 80.00 | 1 | -5.00 |  |" in page
    assert "Not run yet: - normalization, + label linearization." in page
    assert "75.00 ± 0.00 percent of the greedy sequences are legal" in page
    assert "8 (2.00%)" in page
    assert "a processor; 2026-01-02; commit abc." in page
    assert page.count("It holds.") == 1
    assert (tmp_path / "docs/paper-figures/lengths-genia.svg").exists()


def test_the_same_results_give_the_same_page_and_figures(tmp_path: Path) -> None:
    rows = [("bilstm", 1, 8), ("psn", 1, 6), ("share-10", 1, 3)]
    first = page_of([result(*row) for row in rows], tmp_path / "one")
    assert page_of([result(*row) for row in rows], tmp_path / "two") == first
    pictures = sorted((tmp_path / "one/docs/paper-figures").iterdir())
    assert [picture.name for picture in pictures] == ["curve-genia.svg", "lengths-genia.svg"]
    for picture in pictures:
        assert picture.read_bytes() == (tmp_path / "two/docs/paper-figures" / picture.name).read_bytes()


def test_a_table_has_a_part_for_each_treebank_its_own_first(tmp_path: Path) -> None:
    page = page_of([result("bilstm", 1, 8, treebank=name) for name in ("another", "craft", "genia")], tmp_path)
    places = [page.index(f"### Main results on {name}") for name in ("genia", "craft", "another")]
    assert places == sorted(places)


def test_rows_that_are_not_measured_are_listed_on_the_tables_own_treebanks_only(tmp_path: Path) -> None:
    rows = [result(row, 1, 8, treebank=name) for row in ("bilstm", "no-mlp") for name in ("another", "genia")]
    page = page_of(rows, tmp_path)
    own, other = (page.partition(f"### Ablation on {name}")[2].partition("<small>")[0] for name in ("genia", "another"))
    assert "Not run yet: - normalization, + label linearization." in own
    assert "| - MLP_l and MLP_r |" in other
    assert "Not run yet" not in other


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = result("bilstm", 3, 7)
    assert read_result(written.write(tmp_path)) == written
    assert Results.read(tmp_path).of("bilstm", "genia") == [written]


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text("{}")
    with pytest.raises(EvaluationError, match=r"bad\.json: not a result: .*delete it and run its table again"):
        read_result(path)


def test_differences_are_from_the_first_row_that_is_measured(tmp_path: Path) -> None:
    page = page_of([result(row, seed, 8) for row in ("no-mlp", "no-normalization") for seed in (1, 2)], tmp_path)
    own = page.partition("### Ablation on genia")[2].partition("<small>")[0]
    assert "| - MLP_l and MLP_r | 80.00 ± 0.00 | 80.00 ± 0.00 | 80.00 ± 0.00 | 2 |  |  |" in own
    assert "| - normalization | 80.00 ± 0.00 | 80.00 ± 0.00 | 80.00 ± 0.00 | 2 | +0.00 | 1.000 |" in own
    assert "Not run yet: BiLSTM, + label linearization." in own


def test_a_row_with_another_decoder_or_older_settings_is_told(tmp_path: Path) -> None:
    kept = {"epochs": 3, "averaging": 0.5, "row": {"decoder": "minimum-risk"}}
    page = page_of([replace(result("no-mlp", 1, 8), config=kept), result("bilstm", 1, 8)], tmp_path)
    own = page.partition("### Ablation on genia")[2].partition("<small>")[0]
    assert "Trees by minimum risk: - MLP_l and MLP_r." in own
    assert "Run with earlier settings than these rows have now: - MLP_l and MLP_r (" in own
    assert "`averaging`" in own
    assert "BiLSTM (" not in own
    assert (
        "Of 2 rows with results, each counted once per treebank, 1 ran before their settings were last changed." in page
    )
    assert "Not measured yet: *The paper's own settings*," in page


def test_prose_has_its_numbers_and_a_verdict_follows_from_them(tmp_path: Path) -> None:
    claims = tmp_path / "claims"
    claims.mkdir()
    (claims / "types.md").write_text("Ours is {above:bilstm:psn:genia} PSN: it {verdict:psn:genia}.")
    (claims / "claims.toml").write_text(
        '[[claims]]\nname = "psn"\ntable = "types"\nsays = "ours is better"\nrow = "bilstm"\nother = "psn"\n'
    )
    rows = [result(row, seed, matched) for row, matched in (("bilstm", 8), ("psn", 6)) for seed in (1, 2)]
    page = page_of(rows, tmp_path / "one", claims)
    assert "Ours is 20.00 above PSN: it holds." in page
    assert "| ours is better |  | genia | +20.00 | +20.00 to +20.00 | < 0.001 | **holds** |" in page
    assert "Of 1 claims, each counted once per treebank, 1 hold, 0 do not hold, and 0 cannot be told." in page
    page = page_of(rows[:2], tmp_path / "two", claims)
    assert "*Not told yet: claims/types.md: {above:bilstm:psn:genia}: no result of psn on genia.*" in page
    with pytest.raises(EvaluationError, match=r"types\.md: \{above:bilstm:psn:genia\}: no result of psn on genia"):
        render(tmp_path / "two/results", tmp_path / "docs", claims=claims, is_strict=True)


def test_the_page_that_is_kept_is_that_of_the_results_that_are_kept(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    bench = sorted((root / "bench/results").glob("*.json"))
    page = render(root / "experiments/results", tmp_path, bench=bench, is_strict=True)
    assert page.read_text(encoding="utf-8") == (root / "docs/paper-tables.md").read_text(encoding="utf-8")


def test_a_page_tells_when_and_by_what_its_results_were_trained_and_scored(tmp_path: Path) -> None:
    trained = {"date": "2026-01-01", "commit": "000", "machine": "another processor"}
    page = page_of([replace(result("bilstm", 1, 8), trained=trained), result("psn", 1, 8)], tmp_path)
    assert "a processor, another processor; 2026-01-01 to 2026-01-02; commit 000, abc." in page


def test_a_mean_of_one_has_no_spread_and_of_nothing_is_none() -> None:
    assert str(mean([1.5, None])) == "1.50"
    assert str(mean([1.0, 2.0])) == "1.50 ± 0.71"
    assert mean([None]) is None


def test_every_row_is_some_tables_and_opens_with_its_command(tmp_path: Path) -> None:
    named = {row for table in TABLES.values() for row in table.rows}
    assert named == {path.stem for path in ROWS.glob("*.toml")}
    trees = tmp_path / "trees.txt"
    trees.write_text("(S (A a))\n")
    for name in named:
        text = (ROWS / f"{name}.toml").read_text(encoding="utf-8")
        table = text.split("# python -m experiments ")[1].split()[0]
        assert name in TABLES[table].rows
        assert training_config(load_row(name), seed=1, name="a", train=trees, dev=trees).seed == 1


def test_a_row_is_trained_on_so_many_sentences_on_any_treebank(tmp_path: Path) -> None:
    row = load_row("bilstm")
    row = replace(row, sentences=1000, config={**row.config, "epochs": 90})
    for trees, share, epochs in ((100, 1.0, 10), (300, 1.0, 4), (300, 0.5, 7), (5, 1.0, 90), (5, 0.1, 90)):
        train = tmp_path / "train.txt"
        train.write_text("(S (A a))\n" * trees)
        config = training_config(replace(row, share=share), seed=1, name="a", train=train, dev=train)
        assert (config.epochs, config.evaluate_every) == (epochs, epochs)


def test_a_row_has_what_its_base_has_but_for_its_changes() -> None:
    base, row = load_row("bilstm"), load_row("psn")
    assert row.config["network"]["scorer"] == {**base.config["network"]["scorer"], "normalization": "span"}
    assert {**row.config, "network": None} == {**base.config, "network": None}


def test_an_unknown_key_of_a_row_is_named(tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text("titel = 'x'\n")
    with pytest.raises(
        ConfigError,
        match=r"odd\.toml: unknown key titel; known here: base, config, decoder, held_out, predicted_tags, sentences",
    ):
        load_row("odd", tmp_path)
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read"):
        load_row("none", tmp_path)
    (tmp_path / "endless.toml").write_text("title = 'x'\n")
    with pytest.raises(ConfigError, match=r"endless\.toml: no `sentences`: say how many to train on in all"):
        load_row("endless", tmp_path)


def test_a_run_is_known_by_configuration_seed_and_files_but_not_by_their_place(tmp_path: Path) -> None:
    def key(folder: str, text: str, seed: int = 1, row: str = "bilstm", share: float = 1.0) -> str:
        (tmp_path / folder).mkdir(exist_ok=True)
        train, dev = tmp_path / folder / "train.txt", tmp_path / folder / "dev.txt"
        train.write_text(text)
        dev.write_text("(S (A a))\n")
        return run_key(training_config(load_row(row), seed=seed, name=folder, train=train, dev=dev), share=share)

    first = key("one", "(S (A a))\n")
    assert key("two", "(S (A a))\n") == first
    others = {
        key("one", "(S (A b))\n"),
        key("one", "(S (A a))\n", seed=2),
        key("one", "(S (A a))\n", row="psn"),
        key("one", "(S (A a))\n", share=0.5),
    }
    assert len(others | {first}) == 5


def test_a_new_key_leaves_the_names_of_runs_without_it_as_they_were(tmp_path: Path) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Newer(TrainingConfig):
        new: int = 0

    trees = tmp_path / "trees.txt"
    trees.write_text("(S (A a))\n")
    config = training_config(load_row("bilstm"), seed=1, name="a", train=trees, dev=trees)
    name = run_key(config, share=1.0)
    assert run_key(Newer(**vars(config)), share=1.0) == name
    assert run_key(Newer(**vars(config), new=1), share=1.0) != name


def test_the_trees_of_another_parser_become_its_row(tmp_path: Path) -> None:
    gold, predicted = tmp_path / "gold.txt", tmp_path / "predicted.txt"
    gold.write_text("(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sleeps))))\n")
    predicted.write_text("(TOP (S (NP (DT the) (NN cat)) (NP (VBZ sleeps))))\n")
    arguments = ["peer", "supar", str(gold), str(predicted), "--treebank", "genia", "--results", str(tmp_path / "r")]
    done = CliRunner().invoke(main, arguments)
    assert done.output.startswith("F1 66.67: ")
    page = render(tmp_path / "r", tmp_path / "docs").read_text(encoding="utf-8")
    assert "Not measured yet" in page  # of ours
    result("bilstm", 1, 8).write(tmp_path / "r")
    page = render(tmp_path / "r", tmp_path / "docs").read_text(encoding="utf-8")
    assert "| SuPar CRF | 66.67 | 66.67 | 66.67 | 1 |" in page


def test_how_a_peers_trees_were_decoded_is_kept_with_their_scores(tmp_path: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sleeps))))\n")
    arguments = ["peer", "supar-argmax", str(gold), str(gold), "--treebank", "genia", "--results", str(tmp_path)]
    assert "(decoding: unknown; give --decoding)" in CliRunner().invoke(main, arguments).output
    assert "(decoding: CKY)" in CliRunner().invoke(main, [*arguments, "--decoding", "CKY"]).output
    assert read_result(tmp_path / "genia" / "supar-argmax-1.json").config == {"decoding": "CKY"}


def test_a_peer_without_results_has_no_row(tmp_path: Path) -> None:
    result("bilstm", 1, 8).write(tmp_path / "r")
    assert "| SuPar CRF |" not in render(tmp_path / "r", tmp_path / "docs").read_text(encoding="utf-8")


def test_a_peers_report_is_told_below_the_tables_it_stands_in(tmp_path: Path) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("(TOP (S (NP (DT the) (NN cat)) (VP (VBZ sleeps))))\n")
    report = {
        "decoding": "minimum risk",
        "command": "python -m bench.peers.train_supar --seed 1",
        "ended_by": "patience",
        "curve": [50.0, 60.0],
        "device": "a GPU",
        "versions": {"supar": "1.2.3"},
        "minutes": 8.6,
        "epochs": 12,
        "train_trees": 100,
        "settings": {},
        "notes": "Without tags.",
        "vectors": "",
        "encoder": "",
        "anneal": 0.0,
    }
    gold.with_suffix(".json").write_text(json.dumps(report))
    arguments = ["peer", "supar", str(gold), str(gold), "--treebank", "genia", "--results", str(tmp_path / "r")]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    kept = read_result(tmp_path / "r/genia/supar-1.json")
    assert kept.config["command"] == report["command"]
    assert kept.machine == report["versions"]
    result("bilstm", 1, 8).write(tmp_path / "r")
    page = render(tmp_path / "r", tmp_path / "docs").read_text(encoding="utf-8")
    told = "SuPar CRF 1.2.3: 12 epochs in 9 minutes on a GPU; Without tags; parses by minimum risk."
    assert page.count(told) == 2  # with our settings too
    gold.with_suffix(".json").write_text("{}")
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert "gold.json: not a report of bench/peers: KeyError('device'); move it away or train again" in done.output
