from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanlin.errors import EvaluationError
from spanlin.evaluation import COLLINS, NK, Parameters, find_parameters, read_parameters

FILE = """\
## a comment
DEBUG 1
MAX_ERROR 7\t
CUTOFF_LEN  30

x
LABELED 0
DELETE_LABEL TOP
DELETE_LABEL\t#
DELETE_LABEL ,\r
DELETE_LABEL_FOR_LENGTH -NONE-
QUOTE_LABEL POS
EQ_LABEL ADVP PRT
EQ_WORD  -LRB-   [
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "my.prm"
    path.write_bytes(text.encode())
    return path


def test_every_keyword_is_read(tmp_path: Path) -> None:
    assert read_parameters(written(tmp_path, FILE)) == Parameters(
        labelled=False,
        deleted_labels=("TOP", "#", ","),
        labels_without_length=("-NONE-",),
        equal_labels=(("ADVP", "PRT"),),
        equal_words=(("(", "["),),
        quote_labels=("POS",),
        cutoff_length=30,
        max_error=7,
        debug=1,
    )


def test_an_empty_file_gives_the_defaults_of_evalb(tmp_path: Path) -> None:
    assert read_parameters(written(tmp_path, "")) == Parameters(cutoff_length=40, max_error=10, labelled=True)


def test_a_no_break_space_is_part_of_a_label(tmp_path: Path) -> None:
    assert read_parameters(written(tmp_path, "DELETE_LABEL a\u00a0b")).deleted_labels == ("a\u00a0b",)


@pytest.mark.parametrize(("name", "parameters"), [("collins", COLLINS), ("COLLINS", COLLINS), ("nk", NK)])
def test_built_in_parameters_are_found_by_name(name: str, parameters: Parameters) -> None:
    assert find_parameters(name) is parameters


def test_a_file_is_found_by_path(tmp_path: Path) -> None:
    assert find_parameters(str(written(tmp_path, "CUTOFF_LEN 3"))).cutoff_length == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("DELETE_LABELS X", "my.prm:2: unknown keyword 'DELETE_LABELS': use one of DEBUG, MAX_ERROR"),
        (" LABELED 1", "my.prm:2: unknown keyword ''"),
        ("MAX_ERROR ten", "my.prm:2: MAX_ERROR takes an integer, got 'ten'"),
        ("CUTOFF_LEN ٣", "my.prm:2: CUTOFF_LEN takes an integer, got '٣'"),
        ("DEBUG", "my.prm:2: DEBUG takes an integer, got ''"),
        ("LABELED yes", "my.prm:2: LABELED takes 0 or 1, got 'yes'"),
        ("DELETE_LABEL", "my.prm:2: DELETE_LABEL takes one label, got ''"),
        ("QUOTE_LABEL A B", "my.prm:2: QUOTE_LABEL takes one label, got 'A B'"),
        ("EQ_LABEL ADVP", "my.prm:2: EQ_LABEL takes two values, got 'ADVP'"),
        ("EQ_WORD a b c", "my.prm:2: EQ_WORD takes two values, got 'a b c'"),
    ],
)
def test_a_bad_line_is_an_error_with_its_place(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        read_parameters(written(tmp_path, f"LABELED 1\n{line}\n"))
    assert message in str(caught.value)


def test_a_file_that_is_not_there_names_the_built_in_ones(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"nowhere: cannot be read: .*; give a .* file or one of collins, nk"):
        find_parameters(str(tmp_path / "nowhere"))


def test_a_file_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "my.prm").write_bytes(b"DELETE_LABEL \xff\n")
    with pytest.raises(EvaluationError, match=r"my\.prm: not UTF-8"):
        read_parameters(tmp_path / "my.prm")


labels = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=3)
some_labels = st.lists(labels, max_size=3).map(tuple)
some_pairs = st.lists(st.tuples(labels, labels), max_size=3).map(tuple)
drawn_parameters = st.builds(
    Parameters,
    labelled=st.booleans(),
    deleted_labels=some_labels,
    labels_without_length=some_labels,
    equal_labels=some_pairs,
    equal_words=some_pairs,
    quote_labels=some_labels,
    cutoff_length=st.integers(0, 50),
)


def meaning(parameters: Parameters) -> tuple[object, ...]:
    """Return what the settings mean, whatever the order of lists and of pairs."""
    return (
        parameters.labelled,
        frozenset(parameters.deleted_labels),
        frozenset(parameters.labels_without_length),
        frozenset(map(frozenset, parameters.equal_labels)),
        frozenset(map(frozenset, parameters.equal_words)),
        frozenset(parameters.quote_labels),
        parameters.cutoff_length,
    )


@given(drawn_parameters, drawn_parameters)
def test_signatures_are_equal_only_for_equal_settings(one: Parameters, two: Parameters) -> None:
    assert (one.signature() == two.signature()) == (meaning(one) == meaning(two))


def test_signature_does_not_depend_on_order() -> None:
    one = Parameters(deleted_labels=("A", "B"), equal_labels=(("A", "B"), ("C", "D")))
    two = Parameters(deleted_labels=("B", "A", "A"), equal_labels=(("D", "C"), ("A", "B")))
    assert one.signature() == two.signature()
    assert COLLINS.signature() == (
        "labelled:yes|delete:'' , -NONE- . : TOP ``|lengthless:-NONE-|equal-labels:ADVP=PRT|equal-words:|quotes:"
        "|cutoff:40"
    )
