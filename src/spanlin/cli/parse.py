"""`spanlin parse`: text or sentences to trees."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

import click

from spanlin.errors import SpanlinError
from spanlin.render.latex import STYLES, LatexStyle
from spanlin.trees.escapes import unescape_word

if TYPE_CHECKING:
    from spanlin.parsed import Parsed
    from spanlin.parser import Parser
    from spanlin.text import Token


@click.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option(
    "--model", default="en", show_default=True, help="A packaged model, or a folder as `spanlin export` writes it."
)
@click.option("--lines", "form", flag_value="lines", help="FILE has one sentence a line.")
@click.option(
    "--tokenized", "form", flag_value="tokenized", help="FILE has one sentence a line, tokens separated by spaces."
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["brackets", "json", "pretty", "svg", "latex", "columns"]),
    default="brackets",
    show_default=True,
    help="Brackets, JSON or SVG, one sentence a line; or, with an empty line after each, box characters, LaTeX, or "
    "columns of words, tags and brackets.",
)
@click.option(
    "--style", type=click.Choice(STYLES), default="forest", show_default=True, help="The package, for --format latex."
)
@click.option("--threads", default=0, show_default="one a core", help="Cores to use.")
@click.option("--device", default="", help="cuda or cuda:N, for a model exported with its weights; needs torch.")
def parse(
    file: BinaryIO, *, model: str, form: str | None, output_format: str, style: LatexStyle, threads: int, device: str
) -> None:
    """Print the tree of each sentence in FILE, in order.

    FILE is English text, or - for standard input; it is split into sentences and tokens. With --lines or --tokenized
    an empty line gives an empty line (in JSON, a sentence without words). Brackets among tokens may be plain or escaped
    (-LRB-, -RRB-). JSON and SVG tell how probable each constituent is.
    """
    from spanlin.parser import Parser

    parser = Parser.load(model, threads=threads, device=device)
    lines = _lines(file)
    if output_format == "brackets":
        for line in parser.stream(_sentences(lines, form)):
            click.echo(line)
    else:
        for parsed in _parses(parser, lines, form):
            click.echo(_written(parsed, output_format, style))


def _sentences(lines: Iterator[str], form: str | None) -> Iterator[Sequence[str]]:
    from spanlin.text import iter_sentences, tokenize_sentence

    if form == "tokenized":
        return ([unescape_word(token) for token in line.split()] for line in lines)
    if form == "lines":
        return ([token.text for token in tokenize_sentence(line)] for line in lines)
    return (sentence.words for sentence in iter_sentences(lines))


def _parses(parser: Parser, lines: Iterator[str], form: str | None) -> Iterator[Parsed]:
    """Yield the parses; offsets count from the start of the text, with --lines from that of each line."""
    from spanlin.text import tokenize_sentence

    if form is None:
        yield from parser.parse_stream(lines)
    elif form == "tokenized":
        yield from parser.stream_parses(_sentences(lines, form))
    else:
        waiting: deque[tuple[Token, ...]] = deque()

        def words() -> Iterator[Sequence[str]]:
            for line in lines:
                waiting.append(tokenize_sentence(line))
                yield [token.text for token in waiting[-1]]

        for parsed in parser.stream_parses(words()):
            parsed.offsets = tuple((token.start, token.end) for token in waiting.popleft())
            yield parsed


def _written(parsed: Parsed, output_format: str, style: LatexStyle) -> str:
    """Return what is printed of a sentence; if of several lines, then with an empty line behind it."""
    if output_format == "json":
        return _json_line(parsed)
    if not parsed.words:
        return ""
    if output_format == "svg":
        return parsed.svg()
    if output_format == "latex":
        return parsed.latex(style) + "\n"
    return (parsed.columns() if output_format == "columns" else parsed.pretty()) + "\n"


def _json_line(parsed: Parsed) -> str:
    found = parsed.to_json()
    line = json.dumps(found, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:  # a lone surrogate, written in the input as an escape
        return json.dumps(found)
    return line


def _lines(file: BinaryIO) -> Iterator[str]:
    for number, line in enumerate(file, start=1):
        try:
            yield line.decode("utf-8" if number > 1 else "utf-8-sig")
        except UnicodeDecodeError as error:
            raise SpanlinError(f"line {number}: not UTF-8 (byte {error.start + 1}): convert the file first") from error
