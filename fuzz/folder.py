"""Model folders: a changed one is refused in one line, or it parses; nothing outside it is touched.

Each input is some changes to a tiny model whose sums are mostly set right, since the sums alone would stop all of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import random
import shutil

from fuzz.folder_edits import MANIFEST, edited_files, model_files, read_edits, write_edits
from fuzz.folder_mutations import mutate, random_edit
from fuzz.messages import check_message
from fuzz.target import Target, is_drawn, work_folder
from fuzz.watch import watched
from spanlin.cli.info import model_facts
from spanlin.errors import SpanlinError
from spanlin.model_folder.folder import open_folder
from spanlin.model_folder.graph_tensors import read_tensors
from spanlin.model_folder.wire_format import WireError
from spanlin.parser import Parser
from spanlin.runtime.options import ParseOptions

_AROUND = work_folder()
_FOLDER = _AROUND / "model"
_OUTSIDE = _AROUND / "outside"
_TEXT = "The dog (old) saw it. No 😀!"


def _check(raw: bytes) -> None:
    found = read_edits(raw)
    if found is None:
        return
    files = edited_files(*found)
    _lay_out(files)
    refusal = None
    printed = io.StringIO()
    try:
        with watched(), contextlib.redirect_stdout(printed):
            _use(with_card=is_drawn(raw, one_in=8))
    except SpanlinError as error:
        refusal = error
        check_message(error, names=str(_FOLDER))
    assert not printed.getvalue(), "nothing is printed"
    if files == model_files():
        assert refusal is None, "what is not changed is not refused"
    if refusal is None:
        _check_sums(files)
    assert sorted(path.name for path in _AROUND.iterdir()) == ["model", "outside"], "nothing is written beside it"
    assert _OUTSIDE.read_bytes() == b"outside"


def _lay_out(files: dict[str, bytes | str]) -> None:
    shutil.rmtree(_FOLDER, ignore_errors=True)
    _FOLDER.mkdir()
    _OUTSIDE.write_bytes(b"outside")
    for name, content in files.items():
        path = _FOLDER / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif content == "folder":
            path.mkdir()
        else:
            path.symlink_to(_OUTSIDE)


def _use(*, with_card: bool) -> None:
    """Do all that a model folder is for; torch reads its weights, and the last trees need the graph of labels."""
    if with_card:
        json.dumps(model_facts(_FOLDER), ensure_ascii=False).encode()
    folder = open_folder(_FOLDER)
    for tensor in read_tensors(folder.graph.read_bytes()).values():
        with contextlib.suppress(WireError):
            tensor.array()
    parser = Parser.from_folder(folder, threads=1)
    for parsed in (*parser.parse(_TEXT), *parser.parse(_TEXT, ParseOptions(k_best=2, marginals=True))):
        assert parsed.words, "a sentence has words"
        assert all(0 <= item.probability <= 1 for item in parsed.constituents())
        json.dumps(parsed.to_json(), ensure_ascii=False).encode()
        parsed.brackets().encode()


def _check_sums(files: dict[str, bytes | str]) -> None:
    """Check that a folder which was taken has the sums that its manifest says."""
    raw = files[MANIFEST]
    assert isinstance(raw, bytes), "the manifest is a plain file"
    for name, expected in json.loads(raw)["files"].items():
        content = files[name]
        assert isinstance(content, bytes), f"{name} is a plain file"
        assert hashlib.sha256(content).hexdigest() == expected, f"{name} has the sum of the manifest"


def _seeds() -> list[bytes]:
    generator = random.Random(1)
    return [write_edits(True, []), *(write_edits(True, [random_edit(generator)]) for _ in range(60))]


TARGET = Target(check=_check, mutate=mutate, seeds=_seeds, longest=4_000, blind_share=0.02)
