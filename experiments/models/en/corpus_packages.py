"""The Debian packages that the unlabelled text is built from, pinned by version and SHA-256 in packages.tsv."""

from __future__ import annotations

import csv
import hashlib
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

PINS = Path(__file__).parent / "packages.tsv"
DESCRIPTIONS = "Translation-en"
EVERY_PACKAGE = "*"


class Pin(NamedTuple):
    """A package in one version."""

    package: str
    version: str
    sha256: str


def read_pins(path: Path = PINS) -> dict[str, Pin]:
    """Return the pinned packages by name."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["package"]: Pin(**row) for row in rows}


def write_pins(pins: Iterable[Pin], path: Path = PINS) -> None:
    """Write pins, in order of their names."""
    lines = ["\t".join(Pin._fields), *("\t".join(pin) for pin in sorted(pins))]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def pin_of(package: str, file: Path) -> Pin:
    """Return the pin of a package's file."""
    version = "bookworm" if package == DESCRIPTIONS else file.name.split("_")[1].replace("%3a", ":")
    return Pin(package, version, hashlib.sha256(file.read_bytes()).hexdigest())


def deb_file(debs: Path, package: str) -> Path | None:
    """Return the newest file of a package."""
    if package == DESCRIPTIONS:
        return debs / package if (debs / package).exists() else None
    return max(debs.glob(f"{package}_*.deb"), default=None)


def check_pins(debs: Path, pins: Iterable[Pin]) -> list[str]:
    """Return a line for each package that is missing or is not the pinned one."""
    problems = []
    for pin in pins:
        file = deb_file(debs, pin.package)
        if file is None:
            problems.append(f"{pin.package} {pin.version}: missing")
        elif (found := pin_of(pin.package, file)) != pin:
            problems.append(f"{pin.package}: {found.version} {found.sha256[:12]}, not {pin.version} {pin.sha256[:12]}")
    return problems


def fetch(debs: Path, *, packages: Iterable[str], pin: bool) -> None:
    """Download the packages that are not there yet; `pin` takes today's versions and writes them down."""
    debs.mkdir(parents=True, exist_ok=True)
    names = [name for name in dict.fromkeys(packages) if name != EVERY_PACKAGE]
    pins = {} if pin else read_pins()
    for name in names:
        if deb_file(debs, name) is not None:
            continue
        if name == DESCRIPTIONS:
            _fetch_descriptions(debs / name)
        else:
            wanted = name if pin else f"{name}={pins[name].version}"
            subprocess.run(["apt-get", "download", "-q", wanted], cwd=debs, check=True)
    if pin:
        write_pins(pin_of(name, file) for name in names if (file := deb_file(debs, name)) is not None)
        return
    problems = check_pins(debs, pins.values())
    if problems:
        more = "snapshot.debian.org has old versions; --pin takes those at hand, which gives another text"
        sys.exit("\n".join([*problems, more]))


def _fetch_descriptions(file: Path) -> None:
    subprocess.run(["apt-get", "update", "-q", "-o", "Acquire::Languages=en"], check=True)
    found = sorted(Path("/var/lib/apt/lists").glob("*bookworm_main_i18n_Translation-en*"))
    with file.open("wb") as stream:
        subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", str(found[0])], stdout=stream, check=True)
