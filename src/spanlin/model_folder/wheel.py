"""A model folder as a wheel: pip installs it, and `installed` finds the model in it.

A wheel is a zip file with four small text files beside what it installs (PyPA, "Binary distribution format"). Written
here, it needs no build tool and no network, and the same folder gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from spanlin import __version__
from spanlin.atomic_files import atomic_file
from spanlin.errors import CheckpointError, ConfigError
from spanlin.model_folder.folder import ModelFolder, manifest_bytes
from spanlin.model_folder.installed import GROUP, is_model_name, normal_name
from spanlin.model_folder.lookup import packaged_models
from spanlin.model_folder.manifest import CARD, MANIFEST, read_files
from spanlin.model_folder.strict_json import read_strictly

# PEP 440, in its normal form only, so that the wheel's name and its metadata agree.
_NUMBER = r"(?:0|[1-9][0-9]{0,8})"
_VERSION = re.compile(
    rf"(?:{_NUMBER}!)?{_NUMBER}(?:\.{_NUMBER}){{0,9}}(?:(?:a|b|rc){_NUMBER})?(?:\.post{_NUMBER})?(?:\.dev{_NUMBER})?"
)
_NOT_ON_WINDOWS = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
_TIME = (2020, 1, 1, 0, 0, 0)  # of every file: bytes must not depend on the day
_PLAIN_FILE = 0o100644 << 16
_CHUNK = 1 << 20
_MOST_LICENCE = 1_000_000  # bytes


def wheel_name(name: str, version: str) -> str:
    """Return the file name of a model's wheel, or raise a ConfigError if the name or the version cannot be used."""
    shown = ascii(name)[:60]
    if not is_model_name(name):
        raise ConfigError(
            f"{shown} cannot be a model's name: use letters and digits, with dots, hyphens or underscores between"
        )
    if normal_name(name) in packaged_models():
        raise ConfigError(f"{shown} is the name of a model that comes with spanlin; give another name")
    if _NOT_ON_WINDOWS.fullmatch(normal_name(name)):
        raise ConfigError(f"{shown} cannot be the name of a folder on Windows; give another name")
    if not _VERSION.fullmatch(version):
        raise ConfigError(f"{ascii(version)[:60]} is not a version as pip writes it: give one such as 0.1.0 or 1.0rc1")
    return f"{_package(name)}-{version}-py3-none-any.whl"


def write_wheel(
    folder: ModelFolder, output: Path, *, name: str, version: str = "0.1.0", licence: Path | None = None
) -> Path:
    """Write an open model folder as a wheel into the folder `output`, and return its path.

    It has the files that the manifest lists and no others. The card is also the package's description; the text of
    `licence` becomes the package's licence file.
    """
    path = output / wheel_name(name, version)
    package, info = _package(name), f"{_package(name)}-{version}.dist-info"
    sources = read_files(read_strictly(manifest_bytes(folder.path), str(folder.path / MANIFEST)), str(folder.path))
    card = (folder.path / CARD).read_text(encoding="utf-8", errors="replace") if CARD in sources else ""
    texts = {
        f"{package}/__init__.py": f'"""The model {normal_name(name)} for spanlin; there is no code in it."""\n',
        f"{info}/METADATA": _metadata(name, version, card, has_licence=licence is not None),
        f"{info}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: spanlin ({__version__})\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
        f"{info}/entry_points.txt": f"[{GROUP}]\n{normal_name(name)} = {package}\n",
    }
    if licence is not None:
        texts[f"{info}/licenses/LICENSE"] = _licence_text(licence)
    try:
        output.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as stream, ZipFile(stream, "w", ZIP_DEFLATED) as archive:
            record = [
                _add_file(archive, f"{package}/{normal_name(name)}/{file}", folder.path / file)
                for file in sorted([MANIFEST, *sources])
            ]
            record += [_add_text(archive, place, text) for place, text in texts.items()]
            _add_text(archive, f"{info}/RECORD", "".join([*record, f"{info}/RECORD,,\n"]))
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


def _package(name: str) -> str:
    """Return the name of the Python package for a model, which no keyword and no other library has."""
    return f"spanlin_model_{normal_name(name).replace('-', '_')}"


def _metadata(name: str, version: str, card: str, *, has_licence: bool) -> str:
    """Return the core metadata, with the model's card as the description."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {_package(name).replace('_', '-')}",
        f"Version: {version}",
        f"Summary: The model {normal_name(name)} for the constituency parser spanlin",
        "Keywords: constituency parsing,spanlin",
        *(["License-File: LICENSE"] if has_licence else []),
        f"Requires-Dist: spanlin>={__version__}",
        "Description-Content-Type: text/markdown; charset=UTF-8",
        "",
        card or f"# {normal_name(name)}\n\nA model for spanlin, without a card.\n",
    ]
    return "\n".join(lines)


def _licence_text(path: Path) -> str:
    try:
        data = path.read_bytes()[: _MOST_LICENCE + 1]
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as text in UTF-8; give the licence as a text file") from error
    if not text.strip() or len(data) > _MOST_LICENCE:
        raise ConfigError(f"{path}: is empty or too long for a licence; give the licence as a text file")
    return text


def _add_text(archive: ZipFile, place: str, text: str) -> str:
    data = text.encode("utf-8")
    archive.writestr(_entry(place, len(data)), data)
    return _record_line(place, hashlib.sha256(data).digest(), len(data))


def _add_file(archive: ZipFile, place: str, source: Path) -> str:
    digest = hashlib.sha256()
    size = 0
    with source.open("rb") as stream, archive.open(_entry(place, source.stat().st_size), "w") as target:
        for chunk in _chunks(stream):
            digest.update(chunk)
            size += len(chunk)
            target.write(chunk)
    return _record_line(place, digest.digest(), size)


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _entry(place: str, size: int) -> ZipInfo:
    entry = ZipInfo(place, _TIME)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = _PLAIN_FILE
    entry.create_system = 3  # else it would tell Windows from others
    entry.file_size = size
    return entry


def _record_line(place: str, digest: bytes, size: int) -> str:
    return f"{place},sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()},{size}\n"
