"""`spanlin prepare`: turn a treebank as its owner ships it into train, dev and test files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from spanlin.dependencies.preparation import prepare_ud
from spanlin.errors import TreebankError
from spanlin.trees.treebanks import (
    Treebank,
    find_brackets,
    find_craft,
    find_ctb,
    find_example,
    find_genia,
    find_gum,
    find_listed_brackets,
    find_nltk_sample,
    find_ptb,
    prepare_treebank,
)
from spanlin.trees.treebanks.bracket_files import SPLITS, SplitUnit

_Command = TypeVar("_Command", bound=Callable[..., Any])
_PATH = click.Path(path_type=Path)


@click.group()
def prepare() -> None:
    """Turn the treebank at SOURCE into DEST/train.txt, dev.txt and test.txt, one cleaned tree per line.

    `spanlin prepare example DEST` needs no source: it makes a few hundred trees to try things with.

    Empty elements, function tags and co-indices are removed, and every tree gets the root TOP. DEST/manifest.json
    records the counts, what was dropped and why, and a checksum of each file. Dependencies (ud) are written as
    CoNLL-U instead.

    \b
    Example:
      spanlin prepare brackets my-trees data/mine --ratio 80/10/10
    """  # noqa: D301 (click's mark for lines that stay as they are)


def _arguments(command: _Command) -> _Command:
    """Add the arguments that every treebank takes."""
    for decorate in (
        click.option(
            "--strict",
            is_flag=True,
            help="Fail, and write nothing, if a split has more or fewer trees than in the treebank's release. Of "
            "bracket files of your own, no counts are known.",
        ),
        click.option("--skip-bad", is_flag=True, help="Skip malformed trees and report them, instead of stopping."),
        click.argument("dest", type=_PATH),
        click.argument("source", type=_PATH),
    ):
        command = decorate(command)
    return command


@prepare.command()
@_arguments
def ptb(source: Path, dest: Path, skip_bad: bool, strict: bool) -> None:
    """Penn Treebank 3: WSJ sections 02-21, 22 and 23.

    SOURCE is the root of the LDC release, its folder parsed/mrg/wsj, or one in between; names may be in upper or lower
    case.
    """
    _prepare(find_ptb(source), dest, skip_bad, strict)


@prepare.command()
@_arguments
def ctb(source: Path, dest: Path, skip_bad: bool, strict: bool) -> None:
    """Chinese Treebank 5.1: articles 001-270 and 440-1151, 301-325, 271-300.

    SOURCE is the root of the LDC release or its folder "bracketed"; files may be in GB or UTF-8.
    """
    _prepare(find_ctb(source), dest, skip_bad, strict)


@prepare.command(name="nltk-sample")
@_arguments
def nltk_sample(source: Path, dest: Path, skip_bad: bool, strict: bool) -> None:
    """NLTK's sample of the Penn Treebank: articles 0001-0143, 0144-0171, 0172-0199.

    SOURCE is NLTK's corpora/treebank folder or its treebank.zip.
    """
    _prepare(find_nltk_sample(source), dest, skip_bad, strict)


@prepare.command()
@_arguments
def craft(source: Path, dest: Path, skip_bad: bool, strict: bool) -> None:
    """CRAFT: the articles of its own id lists.

    SOURCE is a release, with articles/ids and structural-annotation/treebank/penn.
    """
    _prepare(find_craft(source), dest, skip_bad, strict)


@prepare.command()
@_arguments
@click.option(
    "--ids", type=_PATH, help="Folder of train.pmids, dev.pmids and test.pmids; by default, they are below SOURCE."
)
def genia(source: Path, dest: Path, skip_bad: bool, strict: bool, ids: Path | None) -> None:
    """GENIA Treebank 1.0: the abstracts of the *.pmids lists.

    SOURCE holds the XML files, at any depth. The list future_use is used too, if it is there.
    """
    _prepare(find_genia(source, ids=ids), dest, skip_bad, strict)


@prepare.command()
@click.argument("dest", type=_PATH)
def example(dest: Path) -> None:
    """Trees to try things with, made by a small grammar of English.

    The same 400, 60 and 60 trees every time.
    """
    _prepare(find_example(), dest, skip_bad=False, strict=False)


@prepare.command()
@_arguments
def gum(source: Path, dest: Path, skip_bad: bool, strict: bool) -> None:
    """GUM: the documents of splits.md (test2 too, if it is there).

    SOURCE is the repository, with splits.md and const. Documents whose words are underscores are dropped.
    """
    _prepare(find_gum(source), dest, skip_bad, strict)


@prepare.command()
@click.argument("source", type=_PATH)
@click.argument("dest", type=_PATH)
@click.option("--skip-bad", is_flag=True, help="Skip malformed sentences and report them, instead of stopping.")
@click.option("--strict", is_flag=True, help="Fail, and write nothing, if a sentence has a problem.")
def ud(source: Path, dest: Path, skip_bad: bool, strict: bool) -> None:
    """Universal Dependencies: train.conllu, dev.conllu and test.conllu, unchanged and checked.

    SOURCE is a treebank's folder, with files such as en_ewt-ud-train.conllu. Sentences whose words are underscores are
    dropped. Problems such as a sentence without a root are reported.
    """
    preparation = prepare_ud(source, dest, skip_bad=skip_bad, strict=strict)
    click.echo(preparation.to_text())
    for error in preparation.malformed:
        click.echo(f"spanlin: skipped: {error}", err=True)
    for problem in preparation.problems:
        click.echo(f"spanlin: warning: {problem}", err=True)


@prepare.command()
@_arguments
@click.option(
    "--ratio", metavar="A/B/C", help="Shares of train, dev and test; by default 80/10/10, unless lists are given."
)
@click.option(
    "--unit",
    type=click.Choice(["file", "block"]),
    help="What is never split up: files, if there are enough, otherwise blocks of trees.",
)
@click.option("--block-size", type=int, default=50, show_default=True, help="Trees per block.")
@click.option("--seed", type=int, help="Spread the units at random instead of evenly.")
@click.option("--train-list", type=_PATH, help="A file that names the files to train on, one per line.")
@click.option("--dev-list", type=_PATH, help="The same for dev.")
@click.option("--test-list", type=_PATH, help="The same for test.")
def brackets(
    *,
    source: Path,
    dest: Path,
    skip_bad: bool,
    strict: bool,
    ratio: str | None,
    unit: SplitUnit | None,
    block_size: int,
    seed: int | None,
    **lists: Path | None,
) -> None:
    """Any bracketed trees: split by ratio or by lists.

    SOURCE is a file, or a folder with any number of files; all may be compressed with gzip.
    """
    given = {split: path for split in SPLITS if (path := lists[f"{split}_list"])}
    if not given:
        shares = _parse_ratio(ratio or "80/10/10")
        treebank = find_brackets(source, ratio=shares, unit=unit, block_size=block_size, seed=seed)
    elif ratio or unit or seed is not None:
        raise TreebankError("lists already say where each file goes: leave out --ratio, --unit and --seed")
    else:
        treebank = find_listed_brackets(source, given)
    _prepare(treebank, dest, skip_bad, strict)


def _parse_ratio(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split("/")]
    except ValueError:
        raise TreebankError(f"--ratio {text}: expected three whole numbers such as 80/10/10") from None


def _prepare(treebank: Treebank, dest: Path, skip_bad: bool, strict: bool) -> None:
    """Prepare the treebank and report what was written (on stdout) and what went wrong (on stderr)."""
    preparation = prepare_treebank(treebank, dest, skip_bad=skip_bad, strict=strict)
    click.echo(preparation.to_text())
    for error in preparation.malformed:
        click.echo(f"spanlin: skipped: {error}", err=True)
    for warning in preparation.warnings():
        click.echo(f"spanlin: warning: {warning}", err=True)
