"""What the unlabelled text is built from: nothing that models are measured on, every package pinned."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from experiments.models.en import corpus_packages
from experiments.models.en.corpus_exclusions import excluded_keys, key_of
from experiments.models.en.corpus_licences import SOURCES, kind_of, licence_counts, licence_sentence
from experiments.models.en.corpus_packages import EVERY_PACKAGE, Pin, check_pins, pin_of, read_pins, write_pins

from spanlin.config.recipe import load_recipe

FOLDER = Path(corpus_packages.__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_no_source_is_a_treebank_whose_test_is_kept_back() -> None:
    for row in (*rows("corpus.tsv"), *rows("sources.tsv")):
        said = " ".join(row.get(key, "") for key in ("source", "package", "files", "domain")).lower()
        words = set(re.findall("[a-z]+", said))
        assert words.isdisjoint({"ewt", "pud", "treebank", "conllu", "nltk", "ud", "udpipe", "stanza"}), row["source"]


def test_every_package_is_pinned_and_built_from_in_that_version() -> None:
    pins = read_pins()
    assert pins.keys() == {row["package"] for row in rows("corpus.tsv")} - {EVERY_PACKAGE}
    assert all(len(pin.sha256) == 64 for pin in pins.values())
    built = {row["package"]: row["version"] for row in rows("sources.tsv") if row["package"] in pins}
    assert built == {package: pins[package].version for package in built}


def test_a_package_that_is_missing_or_another_is_named(tmp_path: Path) -> None:
    (tmp_path / "cat_1%3a2.0-1_all.deb").write_bytes(b"meow")
    pin = pin_of("cat", tmp_path / "cat_1%3a2.0-1_all.deb")
    assert pin.version == "1:2.0-1"
    write_pins([pin, Pin("ant", "1", "0" * 64)], tmp_path / "pins.tsv")
    pins = read_pins(tmp_path / "pins.tsv")
    assert list(pins) == ["ant", "cat"]
    assert check_pins(tmp_path, pins.values()) == ["ant 1: missing"]
    (tmp_path / "cat_1%3a2.0-1_all.deb").write_bytes(b"woof")
    assert any(line.startswith("cat: 1:2.0-1") for line in check_pins(tmp_path, pins.values()))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dev.txt", "(TOP (S (NP (DT The) (NNS dogs)) (VP (VBP do) (RB n't) (VP (VB bark))) (. .)))\n"),
        ("lines.txt", "The dogs don't bark .\n"),
        (
            "dev.conllu",
            "\n".join(f"{n}\t{w}" + "\t_" * 8 for n, w in enumerate(["The", "dogs", "do", "n't", "bark", "."], 1))
            + "\n\n",
        ),
    ],
)
def test_sentences_of_any_form_are_excluded_however_they_are_spelt(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    keys = excluded_keys([tmp_path / name])
    assert key_of(["the", "dogs", "don't", "bark"]) in keys
    assert key_of(["the", "cats", "do", "n't", "bark"]) not in keys


def test_everyday_sentences_are_excluded_always() -> None:
    assert key_of(["The", "Fed", "raised", "rates", "."]) in excluded_keys([])


@pytest.mark.parametrize(
    ("licence", "kind"),
    [
        ("LGPL-2.1+", "GPL"),
        ("AGPL-3+ (Files: *), CC BY-SA 3.0 (doc/*.xml)", "GPL"),
        ("CC BY-SA 3.0+", "CC BY-SA"),
        ("GFDL-1.1+, no invariant sections", "GFDL"),
        ("public domain (Twain, 1884); package Artistic/GPL", "public domain"),
        ("Apache-2.0", "other free licences"),
    ],
)
def test_licences_are_counted_by_kind(licence: str, kind: str) -> None:
    assert kind_of(licence) == kind


def test_the_card_says_what_share_is_under_which_licence() -> None:
    assert sum(licence_counts().values()) == sum(int(row["sentences"]) for row in rows(SOURCES.name))
    recipe = load_recipe(FOLDER)
    assert licence_sentence() in recipe.source_of("data/en/unlabelled/sentences.txt").about
