"""The list against ONNX's own descriptions of its operators."""

from __future__ import annotations

import pytest

from spanlin.model_folder.graph_operators import DOMAINS, OPERATORS


def test_every_operator_is_one_of_onnx_and_holds_no_graph() -> None:
    onnx = pytest.importorskip("onnx")
    schemas = {schema.name: schema for schema in onnx.defs.get_all_schemas()}
    newer = {"Attention", "RMSNormalization", "RotaryEmbedding", "Swish"}  # which older versions do not know
    assert OPERATORS[""] - schemas.keys() <= newer
    graphs = {onnx.defs.OpSchema.AttrType.GRAPH, onnx.defs.OpSchema.AttrType.GRAPHS}
    for name in OPERATORS[""] & schemas.keys():
        assert not graphs & {attribute.type for attribute in schemas[name].attributes.values()}, name


def test_no_operator_gives_a_sequence_a_map_or_an_optional() -> None:
    onnx = pytest.importorskip("onnx")
    for schema in onnx.defs.get_all_schemas():
        if schema.name in OPERATORS[""] - {"Identity"}:  # which gives what it gets, and there is nothing else to get
            allowed = {kind for constraint in schema.type_constraints for kind in constraint.allowed_type_strs}
            assert not [kind for kind in allowed if not kind.startswith("tensor(")], schema.name


def test_chance_time_files_and_loops_are_not_among_them() -> None:
    refused = ("Random", "Bernoulli", "Multinomial", "Dropout", "Loop", "Scan", "If", "Sequence", "Optional", "String")
    assert not [name for names in OPERATORS.values() for name in names if name.startswith(refused)]


def test_each_domain_goes_by_one_name() -> None:
    assert set(DOMAINS.values()) == set(OPERATORS)
    assert all(DOMAINS[name] == name for name in OPERATORS)
