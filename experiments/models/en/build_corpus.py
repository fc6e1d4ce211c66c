"""Build sentences.txt, plain English with one tokenized sentence per line, from Debian packages and files at hand.

python -m experiments.models.en.build_corpus fetch --debs DIR
python -m experiments.models.en.build_corpus build --debs DIR --unlabelled DIR --out DIR [--exclude FILE ...]

`fetch` downloads every package that corpus.tsv names with apt-get, on Debian 12, in the version that packages.tsv pins
by its sum, and the packages' descriptions (Translation-en). `--unlabelled` is the folder with inaugural.raw.txt and
state_union.raw.txt. Writes sentences.txt, sentences.src (the source of each line) and sources.tsv. Needs lxml and
dpkg-deb. Everything random is seeded: same packages, same file.

What models are measured on must not be in the text. No source is a treebank: the English Web Treebank and PUD, whose
tests are kept back, are not among them (a test). `--exclude` names dev and test sets, as trees, CoNLL-U or lines of
text, whose sentences are left out wherever they turn up; everyday/sentences.txt always is.
"""

from __future__ import annotations

import argparse
import csv
import html
import random
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.models.en import corpus_games, corpus_markup, corpus_references
from experiments.models.en.corpus_exclusions import excluded_keys, key_of
from experiments.models.en.corpus_packages import DESCRIPTIONS, EVERY_PACKAGE, deb_file, fetch
from experiments.models.en.corpus_sentences import is_good, split_sentences, tokenize

SEED = 1
REGISTRY = "Debian 12 (bookworm) main"
WHOLE = {"austen", "sword_bible", "sword_comm"}
"""Extractors that need all files of a source at once."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A line of corpus.tsv."""

    name: str
    package: str
    domain: str
    extract: str
    cap: int
    full_stop: bool
    licence: str
    where: str
    files: re.Pattern[str]

    def paragraphs(self, files: Mapping[str, bytes]) -> Iterator[str]:
        """Yield the paragraphs of this source from its files."""
        extract = extractor(self.extract)
        if self.extract in WHOLE:
            yield from extract(files)
            return
        for name, data in files.items():
            try:
                yield from extract(data, name)
            except Exception as error:  # one bad file does not stop the build
                print(f"  {self.name}: {name}: {error}", file=sys.stderr)


@dataclass(frozen=True, kw_only=True)
class Local:
    """A file that is at hand already."""

    name: str
    file: str
    domain: str
    licence: str
    cap: int = sys.maxsize


LOCAL = (
    Local(name="inaugural", file="inaugural.raw.txt", domain="speech", licence="public domain"),
    Local(
        name="state-union",
        file="state_union.raw.txt",
        domain="speech",
        licence="public domain",
        cap=11000,
    ),
)


def extractor(name: str) -> Callable[..., Iterator[str]]:
    """Return the extractor that a line of corpus.tsv names."""
    for module in (corpus_markup, corpus_games, corpus_references):
        found: Callable[..., Iterator[str]] | None = getattr(module, f"x_{name}", None)
        if found is not None:
            return found
    sys.exit(f"corpus.tsv: there is no extractor {name!r}")


def read_sources() -> list[Source]:
    """Return the lines of corpus.tsv."""
    with (Path(__file__).parent / "corpus.tsv").open(encoding="utf-8", newline="") as stream:
        return [
            Source(
                name=row["source"],
                package=row["package"],
                domain=row["domain"],
                extract=row["extract"],
                cap=sys.maxsize if row["cap"] == "-" else int(row["cap"]),
                full_stop=row["full_stop"] == "yes",
                licence=row["licence"],
                where=row["where_stated"],
                files=re.compile(row["files"]),
            )
            for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


def members(path: Path, patterns: Sequence[re.Pattern[str]]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a package whose name matches one of the patterns."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                small = member.isfile() and member.size < 40_000_000
                if small and any(pattern.search(member.name) for pattern in patterns):
                    stream = archive.extractfile(member)
                    assert stream is not None
                    yield member.name, stream.read()
        process.stdout.read()


def tidy(paragraph: str) -> str:
    """Return a paragraph without entities and invisible characters."""
    paragraph = html.unescape(paragraph) if "&" in paragraph else paragraph
    paragraph = paragraph.replace("\u00a0", " ").replace("\u200b", "").replace("\u00ad", "").replace("\ufeff", "")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", " ", paragraph)


class Collector:
    """Keeps sentences that are good and new."""

    def __init__(self, excluded: set[str]) -> None:
        self.random = random.Random(SEED)
        self._excluded = excluded
        self._seen: set[str] = set()

    def is_new(self, key: str) -> bool:
        """Return whether a sentence is new, and remember it."""
        if key in self._seen or key in self._excluded:
            return False
        self._seen.add(key)
        return True

    def collect(self, paragraphs: Iterable[str], *, full_stop: bool, counts: Counter[str]) -> list[str]:
        """Return the tokenized sentences to keep."""
        kept = []
        for paragraph in paragraphs:
            for sentence in split_sentences(tidy(paragraph)):
                if len(sentence) >= 700:
                    continue
                counts["raw"] += 1
                # Half of them with hyphens split, as newer treebanks do, half without.
                tokens = tokenize(sentence, split_hyphens=self.random.random() < 0.5)
                if not is_good(tokens, need_end=full_stop):
                    continue
                counts["good"] += 1
                if self.is_new(key_of(tokens)):
                    kept.append(" ".join(tokens))
        return kept

    def sample(self, sentences: list[str], cap: int) -> list[str]:
        """Return at most this many of them, in order."""
        if len(sentences) <= cap:
            return sentences
        return [sentences[place] for place in sorted(self.random.sample(range(len(sentences)), cap))]


def package_files(package: str, sources: Sequence[Source], every: Iterable[str], debs: Path) -> tuple[str, list[Any]]:
    """Return the version of a package and its files that some sources want."""
    patterns = [source.files for source in sources]
    if package == EVERY_PACKAGE:
        found = [deb_file(debs, name) for name in sorted(every)]
        return "as listed", [file for deb in found if deb is not None for file in members(deb, patterns)]
    if package == DESCRIPTIONS:
        return "bookworm", [(DESCRIPTIONS, (debs / DESCRIPTIONS).read_bytes())]
    deb = deb_file(debs, package)
    if deb is None:
        sys.exit(f"{debs} has no package {package}: fetch it first")
    return deb.name.split("_")[1].replace("%3a", ":"), sorted(members(deb, patterns))


def build(debs: Path, unlabelled: Path, out: Path, *, exclude: Sequence[Path], only: Sequence[str]) -> None:
    """Write the corpus."""
    collector = Collector(excluded_keys(exclude))
    result: list[tuple[str, str]] = []
    rows: list[tuple[object, ...]] = []
    for local in LOCAL:
        text = (unlabelled / local.file).read_text(encoding="utf-8", errors="replace")
        kept = collector.collect(corpus_markup.paragraphs(text), full_stop=True, counts=Counter())
        kept = collector.sample(kept, local.cap)
        result += [(local.name, sentence) for sentence in kept]
        rows.append((local.name, "given", local.file, "-", local.domain, local.licence, "with the file", len(kept)))
        print(f"{local.name:<24} {len(kept):7}", file=sys.stderr)
    by_package: dict[str, list[Source]] = {}
    every: set[str] = set()
    for source in read_sources():
        every.add(source.package)
        if not only or source.name in only:
            by_package.setdefault(source.package, []).append(source)
    for package, sources in by_package.items():
        version, files = package_files(package, sources, every - {EVERY_PACKAGE, DESCRIPTIONS}, debs)
        for source in sources:
            counts: Counter[str] = Counter()
            own = {name: data for name, data in files if source.files.search(name)}
            kept = collector.collect(source.paragraphs(own), full_stop=source.full_stop, counts=counts)
            total = len(kept)
            kept = collector.sample(kept, source.cap)
            result += [(source.name, sentence) for sentence in kept]
            rows.append(
                (source.name, REGISTRY, package, version, source.domain, source.licence, source.where, len(kept))
            )
            print(
                f"{source.name:<24} {len(kept):7} of {total:7} "
                f"({counts['raw']} raw, {counts['good']} good, {len(own)} files)",
                file=sys.stderr,
            )
    collector.random.shuffle(result)
    out.mkdir(parents=True, exist_ok=True)
    (out / "sentences.txt").write_text("".join(f"{sentence}\n" for _, sentence in result), encoding="utf-8")
    (out / "sentences.src").write_text("".join(f"{name}\n" for name, _ in result), encoding="utf-8")
    header = "source\tregistry\tpackage\tversion\tdomain\tlicence\twhere_stated\tsentences\n"
    lines = ("\t".join(map(str, row)) for row in rows)
    (out / "sources.tsv").write_text(header + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(result)} sentences", file=sys.stderr)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    fetching = commands.add_parser("fetch")
    building = commands.add_parser("build")
    for command in (fetching, building):
        command.add_argument("--debs", type=Path, required=True)
    fetching.add_argument("--pin", action="store_true", help="take today's versions and write them to packages.tsv")
    building.add_argument("--unlabelled", type=Path, required=True)
    building.add_argument("--out", type=Path, required=True)
    building.add_argument("--exclude", type=Path, nargs="*", default=[])
    building.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    if arguments.command == "fetch":
        fetch(arguments.debs, packages=[source.package for source in read_sources()], pin=arguments.pin)
    else:
        build(arguments.debs, arguments.unlabelled, arguments.out, exclude=arguments.exclude, only=arguments.only)


if __name__ == "__main__":
    main()
