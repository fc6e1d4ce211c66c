"""Every value of a manifest has its type and its bounds."""

from __future__ import annotations

from typing import Any

import pytest

from spanlin.errors import CheckpointError
from spanlin.model_folder.calibration import ArcCalibration, Calibration
from spanlin.model_folder.manifest import read_facts, read_files

NUMBERS = {"span": 1, "root": 0.5, "tags": 0.0, "sentence": -1.0, "offset": 1e6}
ARC_NUMBERS = {"arc": 0.5, "tags": 0, "sentence": -1e6, "offset": 1}
NOT_ARC_NUMBERS: list[Any] = [{}, [], None, 1, {**ARC_NUMBERS, "more": 1}, {"arc": 1}]
DEPENDENCIES = {"relations": ["nsubj"], "universal_tags": ["NOUN"]}
MANIFEST: dict[str, Any] = {
    "precision": "int8",
    "piece_limit": 512,
    "shape_step": 0,
    "labels": ["∅", "S", "NP+VP"],
    "tags": ["-LRB-", "``"],
    "calibration": NUMBERS,
    "details": {"anything": [1]},
}
SUM = "0123456789abcdef" * 4
MISSING = object()


def facts(**changes: Any) -> dict[str, Any]:
    return read_facts({key: value for key, value in {**MANIFEST, **changes}.items() if value is not MISSING}, "m")


def test_a_whole_manifest_is_read() -> None:
    found = facts()
    assert found["labels"] == ("∅", "S", "NP+VP")
    assert (found["precision"], found["piece_limit"], found["input"]) == ("int8", 512, "pieces")
    assert found["calibration"] == Calibration(**NUMBERS)
    assert type(found["calibration"].span) is float
    assert found["tagger"] is None


@pytest.mark.parametrize("key", MANIFEST)
def test_every_key_is_needed(key: str) -> None:
    with pytest.raises(CheckpointError, match=f"^m: damaged: {key} is missing; export the model again$"):
        facts(**{key: MISSING})


HUGE = 10**400  # which is no float


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"details": []}, "details must be an object"),
        *(({"precision": wrong}, "precision must be a short word") for wrong in ("", "a b", "é", "x" * 21, 8)),
        *(
            ({"piece_limit": wrong}, "piece_limit must be a whole number from 3 to 100000")
            for wrong in ("many", 2, 100_001, 3.0, True, None, HUGE)
        ),
        ({"shape_step": -1}, "shape_step must be a whole number from 0 to 10000000"),
        *(({"labels": wrong}, "labels must be a list of 1 to 20000 names") for wrong in ([], 3, "S", ["S"] * 20_001)),
        *(
            ({"tags": ["X", wrong]}, r"tags\[1\] must be a name without spaces, brackets or control characters")
            for wrong in (1, "a b", "(", ")", "\n", "\u202e", "\u00a0", "x" * 501)
        ),
        ({"calibration": {}}, "calibration must be an object of span, root, tags, sentence, offset"),
        ({"calibration": {**NUMBERS, "more": 1}}, "calibration must be an object of span,"),
        *(
            ({"calibration": {**NUMBERS, "span": wrong}}, r"calibration\.span must be a number between -1e\+06 and")
            for wrong in ("1", True, None, 1e7, -1e7, HUGE, -HUGE)
        ),
        ({"temperatures": {}}, "temperatures must be an object of "),
        ({"tagger": 5}, "tagger must be an object"),
        ({"tagger": {}}, r"tagger\.\w+ is missing"),
        ({"one_by_one": 1}, "one_by_one must be true or false"),
        ({"relations": ["nsubj"]}, "universal_tags is missing"),
        ({"arc_calibration": ARC_NUMBERS}, "relations is missing"),
        *(
            ({**DEPENDENCIES, "arc_calibration": wrong}, "arc_calibration must be an object of arc, tags, sentence, ")
            for wrong in NOT_ARC_NUMBERS
        ),
        *(
            (
                {**DEPENDENCIES, "arc_calibration": {**ARC_NUMBERS, "offset": wrong}},
                r"arc_calibration\.offset must be a number between -1e\+06 and",
            )
            for wrong in ("1", True, None, 1e7, HUGE, float("nan"))
        ),
    ],
)
def test_a_value_that_is_wrong_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CheckpointError, match=f"^m: damaged: {message}") as caught:
        facts(**changes)
    assert str(caught.value).endswith("; export the model again")
    assert str(caught.value).isprintable()


def test_arcs_are_calibrated_if_the_manifest_says_how() -> None:
    assert "arc_calibration" not in facts(**DEPENDENCIES)
    found = facts(**DEPENDENCIES, arc_calibration=ARC_NUMBERS)
    assert found["arc_calibration"] == ArcCalibration(**ARC_NUMBERS)
    assert found["relations"] == ("nsubj",)


def test_temperatures_are_not_too_cold() -> None:
    names = list(vars(facts()["temperatures"]))
    assert facts(temperatures=dict.fromkeys(names, 0.001))["temperatures"] != facts()["temperatures"]
    with pytest.raises(CheckpointError, match=rf"temperatures\.{names[0]} must be at least 0\.001"):
        facts(temperatures={**dict.fromkeys(names, 1), names[0]: 0.0009})


def test_files_are_plain_names_with_sums() -> None:
    files = {"graph.onnx": SUM, "a-b_c.1": SUM}
    assert read_files({"files": files}, "m") == files


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "files must be an object of at most 100 names"),
        ({str(number): SUM for number in range(101)}, "files must be an object of at most 100 names"),
        *(
            ({name: SUM}, "is not a plain file name")
            for name in ("../outside", "..", ".", "a/b", "a\\b", "", "a b", "é", "x" * 101, "manifest.json", "a\n")
        ),
        *(({"a": wrong}, "files: a has no SHA-256 sum") for wrong in ("0", SUM.upper(), SUM + "0", SUM + "\n", 5)),
    ],
)
def test_other_files_are_refused(files: Any, message: str) -> None:
    with pytest.raises(CheckpointError, match=f"{message}; export the model again$") as caught:
        read_files({"files": files}, "m")
    assert str(caught.value).isprintable()
