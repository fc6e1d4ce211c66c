"""Changes to a tiny model folder, written as JSON so that they can be kept and changed in their turn.

An input is `{"sums": true, "edits": [[file, action, ...], ...]}`. What an edit does not find, it leaves alone. `sums`
tells whether the manifest gets the right sums at the end, without which no other file is looked into.

    [file, "set", [key, ...], value]         in JSON, a value or a new one
    [file, "drop", [key, ...]]
    [file, "field", [place, ...], value]     in ONNX, the field at these places: a number, or bytes in Latin-1
    [file, "key", [place, ...], bytes]       the field at these places by another key, in Latin-1
    [file, "cut", [place, ...]]              or [file, "twice", [place, ...]]
    [file, "add", [place, ...], number, value]   a new field of the message at these places; [] for the model
    [file, "node", operator, [input, ...], [output, ...], {attribute: value}]   of another domain: "domain:operator"
    [file, "splice", [place, place], number, operator, [input, ...], {...}]   a node before that input of the node there
    [file, "bytes", place, length, value]    in any file
    [file, "missing"]  or "folder", "link"
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.protobuf import Field, change_message, make_field, read_fields, write_fields

MODEL = Path(__file__).parent / "tiny_model"
MANIFEST = "manifest.json"
GRAPHS = ("graph.onnx", "labels.onnx")
JSONS = (MANIFEST, "tokenizer.json")
FILES = (*GRAPHS, *JSONS, "card.md")
_LARGEST = 1_000_000  # bytes of a file


@cache
def model_files() -> dict[str, bytes]:
    """Return the files of the folder that is changed."""
    return {name: (MODEL / name).read_bytes() for name in FILES}


def read_edits(raw: bytes) -> tuple[bool, list[list[Any]]] | None:
    """Return whether to write the sums anew, and the edits; None if these bytes are none."""
    try:
        found = json.loads(raw)
        edits = [edit for edit in found["edits"] if isinstance(edit, list) and len(edit) > 1 and edit[0] in FILES]
        return bool(found["sums"]), edits
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def write_edits(sums: bool, edits: list[list[Any]]) -> bytes:
    """Return edits as an input."""
    lines = ",\n".join(json.dumps(edit) for edit in edits)
    return f'{{"sums": {json.dumps(sums)}, "edits": [\n{lines}\n]}}\n'.encode()


def edited_files(sums: bool, edits: list[list[Any]]) -> dict[str, bytes | str]:
    """Return the files of the changed folder; a word instead of bytes for what is no plain file."""
    files: dict[str, bytes | str] = dict(model_files())
    for name, action, *rest in edits:
        before = files.get(name)
        if not isinstance(before, bytes):
            continue
        if action == "missing":
            del files[name]
        elif action in ("folder", "link"):
            files[name] = action
        else:
            try:
                after = _edited(name, before, action, rest)
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
                continue  # it is not written as it should be, or the place is not there
            if len(after) <= _LARGEST:
                files[name] = after
    if sums:
        _renew_sums(files)
    return files


def _renew_sums(files: dict[str, bytes | str]) -> None:
    raw = files.get(MANIFEST)
    try:
        manifest: Any = json.loads(raw) if isinstance(raw, bytes) else None
        for name in manifest["files"]:
            content = files.get(name)
            if isinstance(content, bytes):
                manifest["files"][name] = hashlib.sha256(content).hexdigest()
    except (ValueError, TypeError, KeyError, RecursionError):
        return
    files[MANIFEST] = json.dumps(manifest).encode()


def _edited(name: str, raw: bytes, action: str, rest: list[Any]) -> bytes:
    if action == "bytes":
        place, length, value = rest
        return b"".join((raw[:place], value.encode("latin-1"), raw[place + length :]))
    if name in JSONS and action in ("set", "drop"):
        return _edited_json(raw, *rest)
    if name not in GRAPHS:
        return raw
    if action == "node":
        node = make_field(1, _node(*rest))
        raw = change_message(raw, [_graph_place(raw)], lambda fields: fields.insert(0, node))
        return _with_operators(raw, rest[0])
    places, *values = rest
    if action == "splice":
        graph, node_place = places
        raw = change_message(raw, [graph], lambda fields: _splice(fields, node_place, values[0], values[1:]))
        return _with_operators(raw, values[1])
    if action == "add":
        added = make_field(values[0], _plain(values[1]))
        return change_message(raw, places, lambda fields: fields.append(added))

    def change(fields: list[Field]) -> None:
        place = places[-1]
        if action == "cut":
            del fields[place]
        elif action == "twice":
            fields.insert(place, fields[place])
        elif action == "field":
            fields[place] = make_field(fields[place].number, _plain(values[0]))
        elif action == "key":
            fields[place].key = values[0].encode("latin-1")

    return change_message(raw, places[:-1], change)


def _splice(fields: list[Field], place: int, number: int, new: list[Any]) -> None:
    """Put a new node between another one and what it takes as its input of this number."""
    operator, more, attributes = new
    node = fields[place]
    if node.number != 1 or not isinstance(node.value, bytes):
        raise LookupError
    parts = read_fields(node.value)
    taken = [part for part in parts if part.number == 1][number]
    name = f"spliced_{place}_{number}"
    inputs = [taken.value.decode() if isinstance(taken.value, bytes) else "", *more]
    taken.value = name.encode()
    fields[place] = make_field(1, write_fields(parts))
    fields.insert(place, make_field(1, _node(operator, inputs, [name], attributes)))


def _edited_json(raw: bytes, path: list[Any], *values: Any) -> bytes:
    document = json.loads(raw)
    owner = document
    for key in path[:-1]:
        owner = owner[key]
    if not values:
        del owner[path[-1]]
    elif isinstance(owner, list) and path[-1] == len(owner):
        owner.append(values[0])
    else:
        owner[path[-1]] = values[0]
    return json.dumps(document).encode()


def _plain(value: Any) -> int | bytes:
    return int(value) if isinstance(value, int | float) else value.encode("latin-1")


def _with_operators(raw: bytes, operator: str) -> bytes:
    """Return a model that may use an operator, which is written with its domain unless it is ONNX's own."""
    domain, colon, _ = operator.rpartition(":")
    if not colon:
        return raw
    return raw + write_fields([make_field(8, write_fields([make_field(1, domain), make_field(2, 1)]))])


def _graph_place(raw: bytes) -> int:
    return [field.number for field in read_fields(raw)].index(7)


def _node(operator: str, inputs: list[str], outputs: list[str], attributes: dict[str, Any]) -> bytes:
    fields = [make_field(1, name) for name in inputs] + [make_field(2, name) for name in outputs]
    domain, _, name = operator.rpartition(":")
    fields += [make_field(4, name), make_field(7, domain)]
    for key, value in attributes.items():
        if isinstance(value, int):
            parts = [make_field(3, value), make_field(20, 2)]
        elif isinstance(value, str):
            parts = [make_field(4, value), make_field(20, 3)]
        elif key == "value":  # a tensor of whole numbers
            tensor = [make_field(1, len(value)), make_field(2, 7), *(make_field(7, number) for number in value)]
            parts = [make_field(5, write_fields(tensor)), make_field(20, 4)]
        else:
            parts = [*(make_field(8, number) for number in value), make_field(20, 7)]
        fields.append(make_field(5, write_fields([make_field(1, key), *parts])))
    return write_fields(fields)
