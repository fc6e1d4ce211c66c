from __future__ import annotations

import pytest
from fuzz.protobuf import Field as Written
from fuzz.protobuf import write_fields
from hypothesis import given
from hypothesis import strategies as st

from spanlin.model_folder.wire_format import LENGTH, VARINT, WireError, read_fields, read_packed, read_varint

NUMBERS = st.integers(1, 2**29 - 1)
FIELDS = st.one_of(
    st.builds(Written, NUMBERS, st.just(VARINT), st.integers(0, 2**64 - 1)),
    st.builds(Written, NUMBERS, st.just(LENGTH), st.binary(max_size=300)),
    st.builds(Written, NUMBERS, st.just(1), st.binary(min_size=8, max_size=8)),
    st.builds(Written, NUMBERS, st.just(5), st.binary(min_size=4, max_size=4)),
)


def fields_of(raw: bytes) -> list[Written]:
    return [
        Written(field.number, field.wire, field.value if field.wire == VARINT else raw[field.start : field.end])
        for field in read_fields(memoryview(raw), 0, len(raw))
    ]


@given(st.lists(FIELDS, max_size=5))
def test_what_is_written_is_read(fields: list[Written]) -> None:
    assert fields_of(write_fields(fields)) == fields


@given(st.binary(max_size=40))
def test_whatever_is_read_has_one_way_to_be_written(raw: bytes) -> None:
    try:
        fields = fields_of(raw)
    except WireError:
        return
    assert write_fields(fields) == raw


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\x80", "is cut short"),
        (b"\x08", "is cut short"),
        (b"\x88\x00\x01", "longer than it has to be"),
        (b"\x08\x81\x00", "longer than it has to be"),
        (b"\x08" + b"\xff" * 9 + b"\x02", "longer than it has to be"),
        (b"\x08" + b"\xff" * 10 + b"\x01", "longer than it has to be"),
        (b"\x88\x80\x80\x80\x10\x01", "beyond 32 bits"),
        (b"\x88\x80\x80\x80\x80\x01\x01", "longer than it has to be"),
        (b"\x00\x01", "key is 0"),
        (b"\x0b\x0c", "a group"),
        (b"\x0e", "of no known kind"),
        (b"\x0a\x02\x01", "longer than its message"),
        (b"\x0d\x01\x02\x03", "longer than its message"),
        (b"\x09\x01\x02\x03\x04\x05\x06\x07", "longer than its message"),
    ],
)
def test_what_readers_take_for_different_things_is_an_error(raw: bytes, message: str) -> None:
    with pytest.raises(WireError, match=message):
        fields_of(raw)


def test_the_largest_number_and_key_are_read() -> None:
    assert fields_of(b"\xf8\xff\xff\xff\x0f" + b"\xff" * 9 + b"\x01") == [Written(2**29 - 1, VARINT, 2**64 - 1)]


def test_packed_numbers_are_read_one_by_one() -> None:
    raw = memoryview(b"\x00\x7f\x80\x01\xff\xff\x03")
    assert list(read_packed(raw, 0, len(raw))) == [0, 127, 128, 65535]
    assert read_varint(raw, 2, 4) == (128, 4)
