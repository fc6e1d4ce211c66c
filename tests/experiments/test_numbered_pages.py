"""Every measured number in README and docs comes from a file that is kept, or is listed with a reason."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from experiments.all_values import Values
from experiments.kept_figures import RECORDS
from experiments.numbered_pages import ROOT, TEMPLATES, filled, made_pages, names_in, pages
from experiments.results import Results

from spanlin.errors import EvaluationError

ALLOWED = tomllib.loads((Path(__file__).parent / "allowed_numbers.toml").read_text(encoding="utf-8"))["allowed"]
MADE = re.compile(
    r"^<!-- (?:numbers: [\w-]+|table: [\w-]+|bench) -->$.*?^<!-- (?:/numbers|end of table|/bench) -->$",
    re.DOTALL | re.MULTILINE,
)
CODE = re.compile(r"^```.*?^```|^ {4}\S.*?$", re.DOTALL | re.MULTILINE)
NUMBER = r"\d[\d,]*(?:\.\d+)?"
UNIT = (
    r"(?:F1\b|%|per ?cent\b|points?\b|sentences/s|sentences (?:per|a) second|lines of text per second|words per second"
    r"|times as (?:many|long|fast)|UAS\b|LAS\b|M[i]?B\b|ms\b|minutes?\b)"
)
WITH_UNIT = re.compile(rf"{NUMBER}(?:,? (?:and|to|or|/) {NUMBER})*[ -]?(?:distinct )?{UNIT}")
AFTER_NAME = re.compile(r"(?:F1|accuracy|UAS|LAS|ECE)\b[^.|\n]{0,40}?\d+\.\d+")
MEASURES = re.compile(r"F1|per ?cent|sentences/s|UAS|LAS|MB\b|certified|minutes|per second")


def numbers_of(text: str) -> Iterator[str]:
    """Yield what looks measured outside of what is made: numbers with a unit, and rows of tables of such numbers."""
    text = CODE.sub("", MADE.sub("", text))
    header = ""
    for line in text.splitlines():
        if line.startswith("|"):
            if header and MEASURES.search(header) and re.search(r"\d", line):
                yield line
            header = header or line
            continue
        header = ""
        for pattern in (WITH_UNIT, AFTER_NAME):
            for match in pattern.finditer(line):
                yield match[0]


@pytest.fixture(scope="module")
def values() -> Values:
    return Values(Results.read(ROOT / "experiments/results"))


def test_every_page_is_as_render_makes_it(values: Values) -> None:
    for path, text in made_pages(values):
        assert text == path.read_text(encoding="utf-8"), f"{path.name}: run python -m experiments render"


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_number_that_nothing_made_is_listed_with_a_reason(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    allowed = {item["number"]: item["reason"] for item in ALLOWED if item["page"] == name}
    found = set(numbers_of(path.read_text(encoding="utf-8")))
    assert found <= allowed.keys(), "make it from a file (experiments/templates), or say why not (allowed_numbers.toml)"
    assert allowed.keys() <= found, "no longer there: take it off allowed_numbers.toml"
    assert all(len(reason) > 10 for reason in allowed.values())


def test_new_numbers_are_found() -> None:
    assert list(numbers_of("It is fast: 1,234 sentences per second.")) == ["1,234 sentences per second"]
    assert list(numbers_of("in `<!-- numbers: NAME -->` 12% are\n<!-- numbers: a -->\n13%\n<!-- /numbers -->")) == [
        "12%"
    ]
    assert list(numbers_of("F1 rises to 93.4 then")) == ["F1 rises to 93.4"]
    assert list(numbers_of("from 0.3 to 0.9 F1 and 12%")) == ["0.3 to 0.9 F1", "12%"]
    assert list(numbers_of("| a | F1 |\n|---|---|\n| b | 93.4 |")) == ["| b | 93.4 |"]
    assert (
        list(numbers_of("<!-- numbers: a -->\n93.4 F1\n<!-- /numbers -->\n```\n93.4 F1\n```\nat 127.0.0.1:8000")) == []
    )


def test_every_template_has_its_marker_and_every_marker_its_template(values: Values) -> None:
    named = [name for path in pages() for name in names_in(path.read_text(encoding="utf-8"))]
    assert sorted(named) == sorted(path.stem for path in TEMPLATES.glob("*.md"))
    with pytest.raises(EvaluationError, match=r"there is no none\.md in experiments/templates"):
        filled("<!-- numbers: none -->\n<!-- /numbers -->\n", values)


def test_what_is_between_markers_is_made_anew(values: Values, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text("It is {record:text:tokens}.\n")
    page = "a\n<!-- numbers: one -->\nold\n<!-- /numbers -->\nb\n"
    made = filled(page, values, tmp_path)
    assert made == page.replace("old", "It is 99.85.")
    assert filled(made, values, tmp_path) == made


def test_a_record_says_where_it_comes_from() -> None:
    import json

    records = sorted(RECORDS.glob("*.json"))
    assert records
    for path in records:
        record = json.loads(path.read_text(encoding="utf-8"))
        assert record.keys() - {"tables"} == {"about", "date", "machine", "command", "source", "values"}, path.name
        assert re.fullmatch(r"2\d{3}-\d\d-\d\d", record["date"])
        for table in record.get("tables", {}).values():
            assert all(len(row) == len(table["columns"]) == len(table["decimals"]) for row in table["rows"])
