"""Model folders as an attacker would make them: each a change to a copy of a good one, and what is to be said of it."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from fuzz.protobuf import read_fields, write_fields

from spanlin.model_folder.folder import CARD, GRAPH, LABEL_GRAPH, MANIFEST, TOKENIZER, WEIGHTS, file_hash

Change = Callable[[Path, Path], None]


class Hostile(NamedTuple):
    """`change` is given the folder and a file outside it; `before` tells that no graph may be loaded at all.

    `of` is the good folder that is changed.
    """

    name: str
    change: Change
    message: str
    before: bool = True
    of: str = "en"


def field(number: int, value: bytes | int) -> bytes:
    """One field in protobuf's wire format."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def renew(path: Path, raw: bytes) -> None:
    """Write a file anew: it is linked to that of other folders."""
    path.unlink(missing_ok=True)
    path.write_bytes(raw)


def manifest_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return found


def says(**changes: object) -> Change:
    """A manifest with other values."""

    def change(folder: Path, _: Path) -> None:
        renew(folder / MANIFEST, json.dumps(manifest_of(folder) | changes).encode())

    return change


def without(*keys: str) -> Change:
    """A manifest without these keys."""

    def change(folder: Path, _: Path) -> None:
        kept = {key: value for key, value in manifest_of(folder).items() if key not in keys}
        renew(folder / MANIFEST, json.dumps(kept).encode())

    return change


def raw_manifest(raw: bytes) -> Change:
    return lambda folder, _: renew(folder / MANIFEST, raw)


def in_manifest(old: str, new: str) -> Change:
    def change(folder: Path, _: Path) -> None:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
        assert re.search(old, text)
        renew(folder / MANIFEST, re.sub(old, lambda _: new, text, count=1).encode())

    return change


def resum(folder: Path, name: str) -> None:
    """Let the manifest have the right sum of a file that was changed."""
    manifest = manifest_of(folder)
    manifest["files"][name] = file_hash(folder / name)
    renew(folder / MANIFEST, json.dumps(manifest).encode())


def file_of(name: str, make: Callable[[bytes], bytes]) -> Change:
    """Another file, with the right sum."""

    def change(folder: Path, _: Path) -> None:
        renew(folder / name, make((folder / name).read_bytes()))
        resum(folder, name)

    return change


def more_model(part: bytes) -> Change:
    """More fields at the end of a model."""
    return file_of(GRAPH, lambda raw: raw + part)


def more_graph(part: bytes, name: str = GRAPH) -> Change:
    """More bytes at the end of a model's graph."""

    def make(raw: bytes) -> bytes:
        fields = read_fields(raw)
        (graph,) = (found for found in fields if found.number == 7)
        assert isinstance(graph.value, bytes)
        graph.value += part
        return write_fields(fields)

    return file_of(name, make)


def node(operator: str, *, domain: str = "", more: bytes = b"") -> bytes:
    return field(1, field(2, b"new") + field(4, operator.encode()) + field(7, domain.encode()) + more)


BEYOND = 2**29
"""What protobuf of C++ drops from a field's number: it cuts keys to 32 bits."""


def external(location: str | None, name: str = GRAPH, *, beyond: int = 0, **more: int) -> Change:
    """A weight that lies in another file; None is for the file outside, by its full path."""

    def change(folder: Path, outside: Path) -> None:
        entries = {"location": location or str(outside), **{key: str(value) for key, value in more.items()}}
        pairs = (field(1, key.encode()) + field(2, value.encode()) for key, value in entries.items())
        tensor = field(1, 4) + field(2, 1) + field(8, b"w") + b"".join(field(beyond + 13, pair) for pair in pairs)
        renew(folder / "inside.bin", bytes(16))
        (folder / "link.bin").symlink_to(outside)
        more_graph(field(5, tensor + field(beyond + 14, 1)), name)(folder, outside)

    return change


def constant(tensor: bytes) -> bytes:
    """A weight in an attribute."""
    return node("Constant", more=field(5, field(1, b"value") + field(5, tensor) + field(20, 4)))


def value(name: bytes, kind: int) -> bytes:
    """A scalar that a graph takes or gives."""
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, b"")))


def loop(*, beyond: int = 0) -> bytes:
    """A loop that never ends: what it starts with is true, and stays as it was."""
    body = field(1, field(1, b"still") + field(2, b"again") + field(4, b"Identity")) + field(2, b"body")
    body += field(11, value(b"round", 7)) + field(11, value(b"still", 9)) + field(12, value(b"again", 9))
    attribute = field(1, b"body") + field(beyond + 6, body) + field(beyond + 20, 5)
    start = field(5, field(2, 9) + field(5, 1) + field(8, b"true"))
    return start + field(1, field(1, b"") + field(1, b"true") + field(4, b"Loop") + field(5, attribute))


def overlong(number: int, raw: bytes) -> bytes:
    """A field whose key has a byte more than it needs."""
    key = varint(number << 3 | 2)
    return key[:-1] + bytes([key[-1] | 0x80, 0]) + varint(len(raw)) + raw


def swapped(folder: Path, _: Path) -> None:
    graph, labels = folder / GRAPH, folder / LABEL_GRAPH
    first, second = graph.read_bytes(), labels.read_bytes()
    renew(graph, second)
    renew(labels, first)


def swapped_with_sums(folder: Path, outside: Path) -> None:
    swapped(folder, outside)
    resum(folder, GRAPH)
    resum(folder, LABEL_GRAPH)


def linked(name: str, *, listed: bool = True) -> Change:
    """A file that is a link to the one outside, by its right sum if it is listed."""

    def change(folder: Path, outside: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        manifest = manifest_of(folder) if name != MANIFEST else {}
        (folder / name).symlink_to(outside)
        if name == MANIFEST:
            return
        if listed:
            manifest["files"][name] = "0" * 64
        else:
            manifest["files"].pop(name, None)
        renew(folder / MANIFEST, json.dumps(manifest).encode())

    return change


def pipe(name: str) -> Change:
    """A file that whoever opens it waits for."""

    def change(folder: Path, _: Path) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return change


def folder_for(name: str) -> Change:
    def change(folder: Path, _: Path) -> None:
        (folder / name).unlink()
        (folder / name).mkdir()

    return change


def huge(name: str, size: int) -> Change:
    """A file that takes no room and has very many bytes."""

    def change(folder: Path, _: Path) -> None:
        renew(folder / name, b"")
        os.truncate(folder / name, size)

    return change


def listed_too(name: str) -> Change:
    def change(folder: Path, _: Path) -> None:
        manifest = manifest_of(folder)
        manifest["files"][name] = "0" * 64
        renew(folder / MANIFEST, json.dumps(manifest).encode())

    return change


def tokenizer(**changes: object) -> Change:
    return file_of(TOKENIZER, lambda raw: json.dumps(json.loads(raw) | changes).encode())


def split_by(pattern: str) -> Change:
    return tokenizer(
        pre_tokenizer={"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    )


def sequence(steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": steps}


def normalized(steps: list[dict[str, Any]]) -> Change:
    return tokenizer(normalizer=sequence(steps))


def pre_tokenized(steps: list[dict[str, Any]]) -> Change:
    return tokenizer(pre_tokenizer={"type": "Sequence", "pretokenizers": steps})


def replaced(old: str, new: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def table(text: str) -> dict[str, Any]:
    """A step that has some text for a character; its trie is empty."""
    raw = (4).to_bytes(4, "little") + bytes(4) + text.encode() + b"\0"
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(raw).decode()}


def template(*, texts: int = 1, ids: int = 1) -> dict[str, Any]:
    """A step that puts a piece before a text."""
    first, text = {"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}
    return {
        "type": "TemplateProcessing",
        "single": [first, *[text] * texts],
        "pair": [text, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [101] * ids, "tokens": ["[CLS]"] * ids}},
    }


def model(**changes: object) -> Change:
    """A tokenizer with another model."""

    def make(raw: bytes) -> bytes:
        found = json.loads(raw)
        return json.dumps(found | {"model": found["model"] | changes}).encode()

    return file_of(TOKENIZER, make)


def larger_ids(raw: bytes) -> bytes:
    """A tokenizer whose words are beyond every embedding."""
    found = json.loads(raw)
    special = {item["content"] for item in found["added_tokens"]}
    vocabulary = found["model"]["vocab"]
    found["model"]["vocab"] = {word: number + (word not in special) * 10**8 for word, number in vocabulary.items()}
    return json.dumps(found).encode()


MANY = "its steps can make more than 2000 characters of one"
REPLACE_TWICE = replaced("a", "aa")
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": False}
BYTE_LEVELS = {"type": "Sequence", "pretokenizers": [BYTE_LEVEL] * 2}
META_SPACE = {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": True}
DEEP = b'{"format": 2, "details": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
FOLDERS = [
    # The manifest.
    Hostile("empty_manifest", raw_manifest(b""), "manifest.json: damaged"),
    Hostile("list_for_manifest", raw_manifest(b"[]"), "format NoneType, but this version reads format 2"),
    Hostile("manifest_not_utf8", raw_manifest(b'{"format": "\xff"}'), "manifest.json: damaged: .*utf-8"),
    Hostile("deep_manifest", raw_manifest(DEEP), "nested too deeply"),
    Hostile(
        "deep_details",
        in_manifest('"details": ', '"details": ' + '{"a":' * 100 + "{}" + "}" * 100 + ', "x": '),
        "nested deeper",
    ),
    Hostile("key_twice", in_manifest(r"\{", '{"labels": ["A"], '), "the key 'labels' appears twice"),
    Hostile("nan", in_manifest(r'"offset": [^\s,}]+', '"offset": NaN'), "NaN is not a JSON number"),
    Hostile("infinite", in_manifest(r'"offset": [^\s,}]+', '"offset": 1e999'), "calibration.offset must be a number"),
    Hostile("digits", in_manifest('"piece_limit": 512', '"piece_limit": ' + "9" * 5000), "manifest.json: damaged"),
    Hostile("surrogate", says(details={"x": "\ud800"}), "half a surrogate pair"),
    Hostile("other_format", says(format=10**30), "but this version reads format 2"),
    Hostile("no_files", without("files"), "files is missing"),
    Hostile("files_no_object", says(files=[[GRAPH, "0"]]), "files must be an object"),
    Hostile("no_graph_listed", says(files={}), "its files lack graph.onnx, labels.onnx, tokenizer.json"),
    Hostile("parent_listed", listed_too("../outside.bin"), "'../outside.bin' is not a plain file name"),
    Hostile("absolute_listed", listed_too("/etc/hostname"), "'/etc/hostname' is not a plain file name"),
    Hostile("backslash_listed", listed_too("..\\outside.bin"), "is not a plain file name"),
    Hostile("newline_listed", listed_too("a\nspanlin: all is well"), r"'a\\nspanlin: all is well' is not a plain file"),
    Hostile("sum_no_string", says(files=dict.fromkeys([GRAPH, LABEL_GRAPH, TOKENIZER], 5)), "has no SHA-256 sum"),
    Hostile("piece_limit_absurd", says(piece_limit=10**9), "piece_limit must be a whole number from 3 to"),
    Hostile("piece_limit_small", says(piece_limit=2), "piece_limit must be a whole number from 3"),
    Hostile("piece_limit_bool", says(piece_limit=True), "piece_limit must be a whole number"),
    Hostile("shape_step_negative", says(shape_step=-30522), "shape_step must be a whole number from 0"),
    Hostile("labels_no_list", says(labels="NP VP S"), "labels must be a list"),
    Hostile("labels_of_numbers", says(labels=[1, 2]), r"labels\[0\] must be a name"),
    Hostile("labels_too_many", says(labels=["A"] * 30_000), "labels must be a list of 1 to 20000"),
    Hostile("label_with_brackets", says(labels=["∅", "S) (EVIL"]), r"labels\[1\] must be a name without"),
    Hostile("tag_with_escape", says(tags=["\x1b[2J"]), r"tags\[0\] must be a name without"),
    Hostile("label_of_two_lines", says(labels=["∅", "S\u2028NP"]), r"labels\[1\] must be a name without"),
    Hostile("label_wide_space", says(labels=["∅", "S\u3000NP"]), r"labels\[1\] must be a name without"),
    Hostile("tag_backwards", says(tags=["\u202eNN"]), r"tags\[0\] must be a name without"),
    Hostile("arcs_without_relations", without("relations"), "damaged: relations is missing"),
    Hostile("calibration_lacks", says(calibration={"span": 1.0}), "calibration must be an object of"),
    Hostile("precision_long", says(precision="x" * 10_000), "precision must be a short word"),
    Hostile("details_no_object", says(details=7), "details must be an object"),
    # Files.
    Hostile("graph_missing", lambda folder, _: (folder / GRAPH).unlink(), "graph.onnx: cannot be read"),
    Hostile("graph_cut", lambda folder, _: renew(folder / GRAPH, (folder / GRAPH).read_bytes()[:-9]), "SHA-256"),
    Hostile("graphs_swapped", swapped, "SHA-256"),
    Hostile("graph_folder", folder_for(GRAPH), "graph.onnx: is not a plain file"),
    Hostile("manifest_linked", linked(MANIFEST), "manifest.json: is a link to outside"),
    Hostile("graph_linked", linked(GRAPH), "graph.onnx: is a link to outside"),
    Hostile("card_linked", linked(CARD), "card.md: is a link to outside"),
    Hostile("card_unlisted", linked(CARD, listed=False), "card.md: is not listed in manifest.json"),
    Hostile("weights_unlisted", linked(WEIGHTS, listed=False), "weights.safetensors: is not listed in"),
    Hostile("manifest_pipe", pipe(MANIFEST), "manifest.json: is not a plain file"),
    Hostile("tokenizer_pipe", pipe(TOKENIZER), "tokenizer.json: is not a plain file"),
    Hostile("manifest_huge", huge(MANIFEST, 10**12), "bytes, but at most 8 MB"),
    Hostile("tokenizer_huge", huge(TOKENIZER, 10**12), "bytes, but at most 64 MB"),
    Hostile("graph_huge", huge(GRAPH, 10**13), "bytes, but at most 2148 MB"),
    Hostile("card_huge", huge(CARD, 10**12), "bytes, but at most 8 MB"),
    # Graphs.
    Hostile("external_inside", external("inside.bin"), "graph.onnx: .*takes data from another file"),
    Hostile("external_parent", external("../outside.bin"), "takes data from another file"),
    Hostile("external_absolute", external(None), "takes data from another file"),
    Hostile("external_link", external("link.bin"), "takes data from another file"),
    Hostile("external_memory", external("*/_ORT_MEM_ADDR_/*", offset=4096, length=16), "takes data from another file"),
    Hostile("external_labels", external("../outside.bin", LABEL_GRAPH), "labels.onnx: .*takes data from another file"),
    Hostile(
        "external_attribute",
        more_graph(constant(field(1, 4) + field(2, 1) + field(14, 1))),
        "takes data from another file",
    ),
    Hostile("loop", more_graph(loop()), "control flow"),
    Hostile("functions", more_model(field(25, field(1, b"f"))), "functions of its own"),
    Hostile("training", more_model(field(20, b"")), "training information"),
    Hostile("operator_elsewhere", more_graph(node("Exec", domain="evil.ops")), "domain 'evil.ops'"),
    Hostile("operator_set_elsewhere", more_model(field(8, field(1, b"evil") + field(2, 1))), "domain 'evil'"),
    Hostile("many_parts", more_graph(field(1, b"") * 600_000), "more than 500000 parts"),
    # Graphs whose bytes another reader takes for something else.
    Hostile("external_beyond_32_bits", external(None, beyond=BEYOND), r"key is 0 or beyond 32 bits"),
    Hostile("external_labels_beyond", external("../outside.bin", LABEL_GRAPH, beyond=BEYOND), "beyond 32 bits"),
    Hostile("loop_beyond_32_bits", more_graph(loop(beyond=BEYOND)), "control flow"),
    Hostile(
        "body_beyond_32_bits",
        more_graph(node("Abs", more=field(5, field(1, b"body") + field(BEYOND + 6, b"")))),
        "key is 0 or beyond 32 bits",
    ),
    Hostile("functions_beyond", more_model(field(BEYOND + 25, field(1, b"f"))), "beyond 32 bits"),
    Hostile("graph_beyond", more_model(field(BEYOND + 7, loop())), "beyond 32 bits"),
    Hostile("key_of_64_bits", more_model(field(2**40 + 25, field(1, b"f"))), "longer than it has to be"),
    Hostile("key_overlong", more_model(overlong(25, field(1, b"f"))), "longer than it has to be"),
    Hostile("key_without_end", more_model(b"\xff" * 20), "longer than it has to be"),
    Hostile("key_of_zero", more_model(b"\x02\x00"), "key is 0"),
    Hostile("length_overlong", more_model(b"\x32\x80\x00"), "longer than it has to be"),
    Hostile("group", more_model(b"\xcb\x01\xcc\x01"), "a group"),
    Hostile("wrong_kind", more_graph(field(1, 7)), "field 1 of its graph is of another kind"),
    Hostile("graph_twice", more_model(field(7, b"")), "its model has the field 7 twice"),
    Hostile("operator_twice", more_graph(node("Abs", more=field(4, b"Loop"))), "its node has the field 4 twice"),
    Hostile(
        "type_beyond_32_bits",
        more_graph(node("Abs", more=field(5, field(1, b"body") + field(20, 2**32 + 5)))),
        "its attribute has 4294967301 in the field 20",
    ),
    Hostile("unknown_field", more_graph(field(99, b"")), "its graph has a field 99 that is not known"),
    Hostile("overload", more_graph(node("Abs", more=field(8, b"evil"))), "its node has a field 8 that is not known"),
    # Operators without graphs inside, and numbers.
    Hostile("loop_without_body", more_graph(node("Loop")), r"control flow \(the operator Loop\)"),
    Hostile("chance", more_graph(node("RandomUniform")), "the operator 'RandomUniform', which"),
    Hostile("texts", more_graph(node("StringSplit", domain="ai.onnx")), "the operator 'ai.onnx.StringSplit', which"),
    Hostile(
        "search", more_graph(node("BeamSearch", domain="com.microsoft")), "operator 'com.microsoft.BeamSearch', which"
    ),
    Hostile("operator_nameless", more_graph(field(1, field(2, b"new"))), "the operator '', which"),
    Hostile("operator_almost", more_graph(node("Abs\0")), r"the operator 'Abs\\x00', which"),
    Hostile("sparse", more_graph(field(15, b"")), "sparse tensors"),
    Hostile(
        "tensor_of_nothing",
        more_graph(field(5, field(1, 10**6) + field(1, 10**6) + field(2, 1) + field(8, b"w") + field(9, bytes(16)))),
        "a tensor of more elements than it has bytes",
    ),
    Hostile(
        "tensor_negative",
        more_graph(constant(field(1, 2**64 - 1) + field(2, 1))),
        "a tensor of more elements than it has bytes",
    ),
    Hostile("no_graph", file_of(GRAPH, lambda _: b"\x7fELF" + bytes(100)), "damaged, or no ONNX"),
    Hostile(
        "other_runtime_format", file_of(GRAPH, lambda _: b"\x18\0\0\0ORTM" + bytes(64)), "onnxruntime's own format"
    ),
    Hostile(
        "graph_without_nodes", file_of(GRAPH, lambda _: field(1, 10)), "graph.onnx: cannot be loaded", before=False
    ),
    Hostile("graph_cut_with_sum", file_of(GRAPH, lambda raw: raw[: len(raw) // 2]), "damaged, or no ONNX"),
    Hostile("graphs_swapped_with_sums", swapped_with_sums, "graph.onnx: its inputs are not a parser's", before=False),
    Hostile("too_few_labels", says(labels=["∅", "NP"]), "goes beyond the manifest's 2", before=False),
    Hostile("too_few_tags", says(tags=["NN"]), "the output tags goes beyond the manifest's 1", before=False),
    Hostile(
        "too_many_labels",
        lambda folder, _: says(labels=[*manifest_of(folder)["labels"], "X"])(folder, folder),
        "labels.onnx: does not fit",
        before=False,
    ),
    # Tokenizers.
    Hostile("tokenizer_no_json", file_of(TOKENIZER, lambda _: b"{"), "tokenizer.json: damaged"),
    Hostile("tokenizer_list", file_of(TOKENIZER, lambda _: b"[]"), "tokenizer.json: not a tokenizer"),
    Hostile("tokenizer_deep", file_of(TOKENIZER, lambda _: b"[" * 10**6), "tokenizer.json: damaged: nested too deeply"),
    Hostile("tokenizer_model_unknown", tokenizer(model={"type": "Evil"}), "not a tokenizer .*the model 'Evil'"),
    Hostile("tokenizer_model_list", tokenizer(model={"type": ["BPE"]}), "not a tokenizer .*the model"),
    Hostile("tokenizer_model_missing", tokenizer(model=None), "not a tokenizer .*it has no model"),
    Hostile("tokenizer_without_edges", tokenizer(post_processor=None), "no start and stop pieces", before=False),
    Hostile("tokenizer_regex", split_by("(a+)+$"), r"its regular expression '\(a\+\)\+\$' may never end"),
    Hostile(
        "tokenizer_hidden_regex",
        file_of(
            TOKENIZER,
            lambda raw: re.sub(
                rb'"pre_tokenizer":\s*\{', b'"pre_tokenizer": {"pattern": {"\\\\u0052egex": "(a*)*b"}, ', raw
            ),
        ),
        "may never end",
    ),
    Hostile(
        "tokenizer_bad_table",
        tokenizer(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        "not a tokenizer",
    ),
    Hostile("tokenizer_byte_order", file_of(TOKENIZER, lambda raw: b"\xef\xbb\xbf" + raw), "tokenizer.json: damaged"),
    Hostile(
        "tokenizer_key_twice",
        file_of(TOKENIZER, lambda raw: raw.replace(b"{", b'{"normalizer": null, ', 1)),
        "the key 'normalizer' appears twice",
    ),
    Hostile("tokenizer_surrogate", tokenizer(version="\ud800"), "half a surrogate pair"),
    Hostile("tokenizer_unknown_key", tokenizer(evil=1), "the tokenizer has the key 'evil'"),
    # Each step of these doubles what it is given.
    Hostile("tokenizer_bomb", normalized([REPLACE_TWICE] * 40), "more than 20 steps of the normalizer"),
    Hostile("tokenizer_bomb_of_twenty", normalized([REPLACE_TWICE] * 19), MANY),
    Hostile("tokenizer_bomb_of_bytes", pre_tokenized([BYTE_LEVEL] * 19), MANY),
    Hostile("tokenizer_bomb_of_starts", pre_tokenized([META_SPACE] * 12), MANY),
    Hostile(
        "tokenizer_bomb_of_both", tokenizer(normalizer=sequence([REPLACE_TWICE] * 8), pre_tokenizer=BYTE_LEVELS), MANY
    ),
    Hostile("tokenizer_bomb_of_forms", normalized([{"type": "NFKD"}, replaced("\u0644", "\ufdfa")] * 3), MANY),
    Hostile("tokenizer_bomb_of_a_table", normalized([table("a" * 40), table("b" * 60)]), MANY),
    Hostile("tokenizer_long_table", normalized([table("a" * 10**5)]), "turns one into very many"),
    Hostile("tokenizer_long_replacement", normalized([replaced("a", "b" * 200)]), "has more than 100 characters"),
    Hostile("tokenizer_empty_pattern", normalized([replaced("", "a")]), "pattern of the normalizer Replace is empty"),
    Hostile(
        "tokenizer_empty_match",
        normalized([{"type": "Replace", "pattern": {"Regex": "o*"}, "content": "b"}]),
        "'o\\*' may never end",
    ),
    Hostile("tokenizer_slow_regex", split_by("a+b"), r"its regular expression 'a\+b' may never end"),
    Hostile(
        "tokenizer_step_untyped",
        tokenizer(normalizer={"pattern": {"String": "a"}, "content": "aa"}),
        "a step without a type",
    ),
    Hostile(
        "tokenizer_step_guessed",
        tokenizer(normalizer={"type": "Evil", "pattern": {"String": "a"}, "content": "aa"}),
        "the normalizer 'Evil' is not known here",
    ),
    Hostile(
        "tokenizer_step_with_more",
        tokenizer(pre_tokenizer={"type": "BertPreTokenizer", "length": 3}),
        "the pre_tokenizer BertPreTokenizer has the key 'length'",
    ),
    Hostile("tokenizer_step_a_text", tokenizer(decoder="Fuse"), "a step without a type"),
    Hostile("tokenizer_text_twice", tokenizer(post_processor=template(texts=2)), "must have each text once"),
    Hostile("tokenizer_many_edges", tokenizer(post_processor=template(ids=1000)), "at most 20 pieces each"),
    Hostile(
        "tokenizer_two_templates",
        tokenizer(post_processor={"type": "Sequence", "processors": [template(), template()]}),
        "more than one step of the post_processor adds pieces",
    ),
    Hostile("tokenizer_slow_words", model(max_input_chars_per_word=10**9), "max_input_chars_per_word of the model"),
    Hostile("tokenizer_long_prefix", model(continuing_subword_prefix="#" * 10**6), "has more than 100 characters"),
    Hostile("tokenizer_long_piece", model(vocab={"[UNK]": 0, "a" * 10**6: 1}), "a piece of more than 500 characters"),
    Hostile("tokenizer_chance", model(dropout=0.5), "dropout of the model must be 0"),
    Hostile("tokenizer_odd_unknown", model(unk_token=5), "unk_token of the model must be a piece"),
    Hostile("tokenizer_added_empty", tokenizer(added_tokens=[{"id": 0, "content": ""}]), "an object with content"),
    Hostile(
        "tokenizer_added_many",
        tokenizer(added_tokens=[{"id": number, "content": f"{number:0500}"} for number in range(1000)]),
        "added_tokens have more than 100000 characters",
    ),
    Hostile("tokenizer_ids_beyond", file_of(TOKENIZER, larger_ids), "graph.onnx: failed", before=False),
]
