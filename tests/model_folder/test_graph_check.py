"""That what passes the check of a graph is, to protobuf itself, what the check took it for."""

from __future__ import annotations

import random

import pytest
from fuzz.folder_edits import GRAPHS, edited_files, model_files
from fuzz.folder_mutations import random_key
from fuzz.protobuf import all_places, varint

from spanlin.errors import CheckpointError
from spanlin.model_folder.graph_check import check_graph
from spanlin.model_folder.graph_operators import DOMAINS, OPERATORS


def is_taken(raw: bytes) -> bool:
    try:
        check_graph(raw, "graph")
    except CheckpointError:
        return False
    return True


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_with_another_key_is_refused_or_means_what_it_says(name: str) -> None:
    onnx = pytest.importorskip("onnx")
    from google.protobuf.message import DecodeError

    raw = model_files()[name]
    assert is_taken(raw)
    places = all_places(raw)
    generator = random.Random(name)
    taken = 0
    for _ in range(400):
        place = generator.choice(places)
        key = random_key(place.field.number, place.field.wire, generator)
        changed = edited_files(False, [[name, "key", place.places, key.decode("latin-1")]])[name]
        assert isinstance(changed, bytes)
        if not is_taken(changed):
            continue
        taken += 1
        try:
            model = onnx.load_from_string(changed)
        except DecodeError:  # such as half a number, which onnxruntime refuses as well
            continue
        whole = model.SerializeToString()
        model.DiscardUnknownFields()
        assert model.SerializeToString() == whole, "no field is unknown"
        assert not model.functions
        assert not model.training_info
        assert not model.graph.sparse_initializer
        for tensor in model.graph.initializer:
            assert not tensor.external_data
            assert tensor.data_location == onnx.TensorProto.DEFAULT
        for node in model.graph.node:
            assert node.op_type in OPERATORS[DOMAINS[node.domain]]
            assert not any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute)
    assert 10 < taken < 200


@pytest.mark.parametrize("name", GRAPHS)
def test_no_key_can_be_written_longer_or_beyond_32_bits(name: str) -> None:
    raw = model_files()[name]
    for place in random.Random(2).sample(all_places(raw), 150):
        key = varint(place.field.number << 3 | place.field.wire)
        beyond = varint((place.field.number + 2**29) << 3 | place.field.wire)
        for other in (beyond, bytes([*key[:-1], key[-1] | 0x80, 0])):
            changed = edited_files(False, [[name, "key", place.places, other.decode("latin-1")]])[name]
            assert isinstance(changed, bytes)
            assert changed != raw
            assert not is_taken(changed)
