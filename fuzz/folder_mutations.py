"""Random changes to the tiny model folder: other operators, shapes, names and numbers, other steps of its tokenizer."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

from fuzz.folder_edits import FILES, GRAPHS, JSONS, MANIFEST, model_files, read_edits, write_edits
from fuzz.protobuf import Place, all_places, read_fields, varint
from spanlin.model_folder.graph_operators import OPERATORS

_MOST_EDITS = 6


def _words(text: str) -> list[str]:
    return text.split()


_OPERATORS = _words("""
    Abs Add And ArgMax Attention AveragePool BatchNormalization BiasGelu BitShift Cast CastLike Celu Clip Compress
    Concat ConcatFromSequence Constant ConstantOfShape Conv ConvInteger ConvTranspose CumSum DepthToSpace
    DequantizeLinear Det DynamicQuantizeLinear DynamicQuantizeMatMul EmbedLayerNormalization Einsum Equal Expand
    EyeLike FastGelu Flatten GRU FusedConv FusedMatMul Gather GatherElements GatherND Gelu Gemm GridSample
    GroupNormalization GroupQueryAttention HannWindow Hardmax Identity If ImageDecoder InstanceNormalization LRN LSTM
    LayerNormalization Loop LpPool MatMul MatMulInteger MatMulNBits MaxPool MaxUnpool MelWeightMatrix Mod
    MultiHeadAttention Multinomial MurmurHash3 NegativeLogLikelihoodLoss NGramRepeatBlock NonMaxSuppression NonZero
    OneHot Optional OptionalGetElement Pad Pow QAttention QEmbedLayerNormalization QLinearConv QLinearMatMul
    QuantizeLinear RNN RandomNormal RandomUniformLike Range ReduceMax ReduceSum RegexFullMatch Reshape Resize
    ReverseSequence RoiAlign RotaryEmbedding STFT Scan ScatterElements ScatterND SequenceAt SequenceConstruct
    SequenceEmpty SequenceInsert SequenceMap Shape Shrink SkipLayerNormalization Slice Softmax SpaceToDepth
    SparseToDenseMatMul Split SplitToSequence Squeeze StringConcat StringNormalizer StringSplit TensorScatter
    TfIdfVectorizer Tile TopK Transpose Trilu Unique Unsqueeze Upsample WordConvEmbedding Where
""")
_OPERATORS += [
    f"com.microsoft:{name}"
    for name in _words("""
    Attention BiasGelu BiasSoftmax BiasSplitGelu CDist ConvTransposeWithDynamicPads CropAndResize
    DecoderMaskedMultiHeadAttention DequantizeWithOrder DynamicQuantizeLSTM DynamicQuantizeMatMul DynamicTimeWarping
    EmbedLayerNormalization ExpandDims FastGelu FusedConv FusedGemm FusedMatMul GatherBlockQuantized GatherND Gelu
    GreedySearch GridSample GroupQueryAttention Inverse Irfft MatMulBnb4 MatMulInteger16 MatMulIntegerToFloat
    MatMulNBits MaxpoolWithMask MoE MulInteger MultiHeadAttention MurmurHash3 NGramRepeatBlock NhwcMaxPool Pad
    QAttention QEmbedLayerNormalization QLinearAdd QLinearAveragePool QLinearConcat QLinearGlobalAveragePool
    QLinearLeakyRelu QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax QLinearWhere QMoE QuantizeWithOrder
    QuickGelu Range ReduceSumInteger Rfft RotaryEmbedding SampleOp Sampling SkipLayerNormalization
    SkipSimplifiedLayerNormalization SparseAttention SparseToDenseMatMul Tokenizer TorchEmbedding TransposeMatMul
    Trilu UnfoldTensor Unique WhisperBeamSearch WordConvEmbedding QuantizeLinear DequantizeLinear
    """)
]
_ALLOWED = [f"{domain}:{name}" if domain else name for domain in OPERATORS for name in sorted(OPERATORS[domain])]
_OPERATORS += 2 * _ALLOWED  # of the others, most are refused before anything is run
_ATTRIBUTES = ["axis", "axes", "to", "value", "keepdims", "perm", "shape", "num_heads", "dtype", "k", "equation"]
_ATTRIBUTES += ["mode"]
_ATTRIBUTES += ["batch_dims", "exclusive", "pads", "strides", "kernel_shape", "group", "blocksize", "pattern"]
_ATTRIBUTES += ["epsilon"]
_NUMBERS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 16, 20, 21, 255, 256, 65536, 2**31 - 1, 2**31, 2**32, 2**63 - 1]
_NUMBERS += [-1, -2, -(2**31), -(2**63), 10**6, 10**9]
_VALUES: list[Any] = [None, True, False, 0, 1, -1, 2, 3, 10**6, 10**20, 1.5, -0.0, "", "a", "A B", "(", "é", "\ud800"]
_VALUES += ["\n"]
_VALUES += [[], {}, [[]], [0], ["a"], {"a": 1}, 1e300, "x" * 600, "\x1b[2J", "NP+VP", "∅", [1, 2], "../x", 2**31, 2**32]
_STEPS: list[dict[str, Any]] = [  # of tokenizers
    {"type": "Lowercase"},
    {"type": "NFKD"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Prepend", "prepend": "_"},
    {"type": "Replace", "pattern": {"String": "o"}, "content": "ooo"},
    {"type": "Replace", "pattern": {"Regex": "o+"}, "content": ""},
    {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": True},
    {"type": "Split", "pattern": {"Regex": "\\s+"}, "behavior": "Isolated", "invert": False},
    {"type": "Split", "pattern": {"Regex": "(a*)*b"}, "behavior": "Removed", "invert": True},
    {"type": "Digits", "individual_digits": True},
    {"type": "Punctuation", "behavior": "Isolated"},
    {"type": "UnicodeScripts"},
    {"type": "FixedLength", "length": 0},
    {"type": "Sequence", "normalizers": [{"type": "Replace", "pattern": {"String": "o"}, "content": "oo"}] * 40},
    {"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "Lowercase"}, {"type": "StripAccents"}]},
    {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}] * 4},
    {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Digits", "individual_digits": True}]},
    {"pattern": {"String": "o"}, "content": "oo"},
    {"type": "Sequence", "normalizers": [], "pretokenizers": [], "processors": []},
    {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    {"type": "RobertaProcessing", "sep": ["x", 99], "cls": ["y", 98], "trim_offsets": True, "add_prefix_space": True},
    {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]], "unk_token": "a"},
    {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "q"]]},
    {"type": "Unigram", "vocab": [["a", -1.0], ["b", 0.0]], "unk_id": 0},
    {"type": "Unigram", "vocab": [], "unk_id": 7},
    {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "b"},
    {
        "type": "WordPiece",
        "vocab": {},
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "",
        "max_input_chars_per_word": 0,
    },
]


def mutate(raw: bytes, generator: random.Random) -> bytes:
    """Return an input with one edit more, less or changed."""
    found = read_edits(raw)
    sums, edits = found or (True, [])
    if edits and (len(edits) >= _MOST_EDITS or generator.randrange(4) == 0):
        del edits[generator.randrange(len(edits))]
    elif generator.randrange(40) == 0:
        sums = not sums
    else:
        edits.insert(generator.randrange(len(edits) + 1), random_edit(generator))
    return write_edits(sums or generator.randrange(4) == 0, edits)


def random_edit(generator: random.Random) -> list[Any]:
    """Return one edit, most often of a graph."""
    kind = generator.randrange(20)
    if kind < 11:
        return _graph_edit(generator)
    if kind < 14:
        return _json_edit(MANIFEST, generator)
    if kind < 18:
        return _json_edit("tokenizer.json", generator)
    name = generator.choice(FILES)
    if kind == 18:
        place = generator.randrange(len(model_files()[name]))
        return [
            name,
            "bytes",
            place,
            generator.randrange(4),
            generator.randbytes(generator.randrange(4)).decode("latin-1"),
        ]
    return [name, generator.choice(("missing", "folder", "link"))]


@cache
def _places(name: str) -> list[Place]:
    return all_places(model_files()[name])


@cache
def _names(name: str) -> list[str]:
    """Return the names of values in a graph."""
    nodes = [place.field.value for place in _places(name) if place.kind == "node"]
    parts = [part.value for node in nodes if isinstance(node, bytes) for part in read_fields(node) if part.number < 3]
    return sorted({value.decode() for value in parts if isinstance(value, bytes)})


def _graph_edit(generator: random.Random) -> list[Any]:
    name = generator.choice((*GRAPHS, GRAPHS[0], GRAPHS[0]))
    if generator.randrange(4) == 0:
        operator, inputs, outputs, attributes = _random_node(_names(name), generator)
        if generator.randrange(4) == 0:
            return [name, "node", operator, inputs, outputs, attributes]
        node = generator.choice([place.places for place in _places(name) if place.kind == "node"])
        return [name, "splice", node, generator.randrange(2), operator, inputs[:-1], attributes]
    # By kind first: a graph has far more names of nodes than it has inputs, types or operator sets.
    around = generator.choice(sorted({place.around for place in _places(name)}))
    found = generator.choice([place for place in _places(name) if place.around == around])
    places, field = found.places, found.field
    if generator.randrange(5) == 0:
        return [name, "key", places, random_key(field.number, field.wire, generator).decode("latin-1")]
    match generator.randrange(8):
        case 0:
            return [name, "cut", places]
        case 1:
            return [name, "twice", places]
        case 2:
            value: Any = generator.choice((*_NUMBERS, "", "a"))
            return [name, "add", places if found.kind else places[:-1], _any_number(generator), value]
        case _ if isinstance(field.value, int):
            return [name, "field", places, generator.choice(_NUMBERS)]
        case _ if found.kind:
            return [name, "cut", places]
        case _:
            return [name, "field", places, _other_bytes(field.value, _names(name), generator)]


def random_key(number: int, wire: int, generator: random.Random) -> bytes:
    """Return another key for a field, most often one that some readers take for a key that they know."""
    match generator.randrange(6):
        case 0:  # what is left of it in 32 bits is what it was, or what may not be there
            number = generator.choice((number, _any_number(generator))) % 2**29 + 2**29 * 2 ** generator.randrange(6)
        case 1:
            number = _any_number(generator)
        case 2:
            wire = generator.choice((0, 1, 2, 3, 4, 5, 6, 7))
        case 3:
            number = 0
        case 4:
            return generator.randbytes(generator.randrange(1, 12))
        case _:
            key = varint(generator.choice((number, _any_number(generator))) << 3 | wire)
            longer = [*key[:-1], key[-1] | 0x80, *[0x80] * generator.randrange(10)]
            return bytes([*longer, generator.choice((0, 0, 0, 1))])
    return varint(number << 3 | wire)


def _any_number(generator: random.Random) -> int:
    """Return the number of a field, one in four times by more than 32 bits of key."""
    return generator.randrange(1, 27) + (generator.randrange(4) == 0) * 2**29


def _other_bytes(old: bytes, names: list[str], generator: random.Random) -> str:
    match generator.randrange(5):
        case 0:
            return generator.choice(_OPERATORS)
        case 1:
            return generator.choice(names)
        case 2:
            return generator.choice(("", "com.microsoft", "ai.onnx", "ai.onnx.ml", old.decode("latin-1") * 2))
        case 3:
            return old.decode("latin-1")[: generator.randrange(len(old) + 1)]
        case _:
            place = generator.randrange(len(old) + 1)
            noise = generator.choice((b"\x00", b"\xff" * 4, b"\x80", generator.randbytes(3)))
            return (old[:place] + noise + old[place + len(noise) :]).decode("latin-1")


def _random_node(names: list[str], generator: random.Random) -> tuple[str, list[str], list[str], dict[str, Any]]:
    inputs = generator.choices([*names, "", "pieces", "word_counts"], k=generator.randrange(5))
    outputs = [
        generator.choice((f"new{number}", generator.choice(names))) for number in range(generator.randrange(1, 3))
    ]
    attributes: dict[str, Any] = {}
    for _ in range(generator.randrange(3)):
        numbers = generator.choices(_NUMBERS, k=generator.randrange(4))
        attributes[generator.choice(_ATTRIBUTES)] = generator.choice((numbers, generator.choice(_NUMBERS), "constant"))
    return generator.choice(_OPERATORS), inputs, outputs, attributes


@cache
def _paths(name: str) -> list[list[Any]]:
    """Return the path of every value in a JSON file, shallow ones first."""
    assert name in JSONS
    waiting: list[tuple[list[Any], Any]] = [([], json.loads(model_files()[name]))]
    found: list[list[Any]] = []
    for path, value in waiting:
        found.append(path)
        if isinstance(value, dict):
            waiting += [([*path, key], item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [([*path, place], item) for place, item in enumerate([*value, None])]
    return [path for path in found if path]


def _json_edit(name: str, generator: random.Random) -> list[Any]:
    paths = _paths(name)
    path = generator.choice(paths if generator.randrange(2) else [one for one in paths if len(one) < 3])
    if generator.randrange(8) == 0:
        return [name, "drop", path]
    if name == "tokenizer.json" and generator.randrange(3) == 0:
        steps = generator.choice(("normalizer", "pre_tokenizer", "post_processor", "model", "decoder"))
        return [name, "set", [steps], generator.choice(_STEPS)]
    if generator.randrange(8) == 0:
        path = [*path[:-1], generator.choice(("labels", "files", "x", "Regex", "type", "vocab", "unk_token"))]
    return [name, "set", path, generator.choice(_VALUES)]
