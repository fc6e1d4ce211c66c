"""`spanlin parse`: text or sentences to trees."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import click

from spanlin.cli.model_options import model_options, processes_option
from spanlin.cli.progress import ParseProgress
from spanlin.cli.sources import Source, SourceSentence, encoding_option
from spanlin.cli.whole_lines import WholeLines
from spanlin.render.latex import STYLES, LatexStyle
from spanlin.stop_signals import Stopped

if TYPE_CHECKING:
    from spanlin.parsed import Parsed
    from spanlin.parser import Parser
    from spanlin.runtime.options import ParseOptions, ParserDecoder
    from spanlin.text.forms import InputForm

DECODERS = ("argmin", "largest", "strict", "cky", "min-change", "minimum-risk", "labelled", "joint")
"""The choices of `ParseOptions`, which is not imported to print a help text."""

OF_DEPENDENCIES = ("conllu", "arcs", "svg-arcs")
"""The formats that a model trained on trees alone cannot give."""


_LARGE = 1 << 20  # bytes of input that take longer to parse than processes to start


class _Writer(Protocol):
    def __call__(self, parsed: Parsed, sentence: SourceSentence) -> str | None: ...


@click.command()
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--text", "texts", multiple=True, metavar="TEXT", help="Parse this text instead of files. Repeatable.")
@click.option("--lines", is_flag=True, help="One sentence per line: it is only split into tokens.")
@click.option("--tokenized", is_flag=True, help="One sentence per line, its tokens separated by spaces.")
@encoding_option
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["brackets", "json", "pretty", "svg", "latex", "columns", *OF_DEPENDENCIES]),
    default="brackets",
    show_default=True,
    help="Brackets, JSON or SVG, one sentence per line; or a drawing in box characters (pretty), LaTeX, or columns of "
    "words, tags and brackets, each followed by an empty line. If the model has dependencies, also CoNLL-U, or arcs in "
    "box characters or SVG.",
)
@click.option(
    "--style", type=click.Choice(STYLES), default="forest", show_default=True, help="The package, for --format latex."
)
@click.option(
    "--decoder",
    type=click.Choice(DECODERS),
    default="argmin",
    show_default=True,
    help="How a tree is chosen: greedily (argmin, largest), the most probable one by its splits (cky) or by splits and "
    "labels together (labelled), with the fewest changed boundaries (min-change), with the most spans expected to be "
    "correct (minimum-risk); strict stops where the greedy boundaries belong to no tree; joint finds the best tree and "
    "heads that go together, if the model has dependencies.",
)
@click.option("--root-label", default="", metavar="LABEL", help="The label every tree must have below TOP, such as NP.")
@click.option(
    "--k-best",
    type=click.IntRange(min=1),
    default=1,
    metavar="K",
    help="With --format json: give the K most probable trees, all but the first as `alternatives`.",
)
@model_options
@processes_option(
    "Separate processes that read text and write results, beside the one that runs the network.", without_gpu="none"
)
@click.option("-q", "--quiet", is_flag=True, help="Show no progress bar. In a pipe, there is none anyway.")
def parse(
    *,
    files: tuple[str, ...],
    texts: tuple[str, ...],
    lines: bool,
    tokenized: bool,
    encoding: str,
    output_format: str,
    style: LatexStyle,
    decoder: ParserDecoder,
    root_label: str,
    k_best: int,
    model: str,
    threads: int,
    device: str,
    processes: int | None,
    quiet: bool,
) -> None:
    """Print the tree of each sentence in the FILEs, in order.

    A FILE is English text, in UTF-8 or in --encoding, and may be compressed with gzip. It is split into sentences and
    tokens. Without a FILE, or for -, standard input is read. With --lines or --tokenized, an empty line gives an empty
    line (in JSON, a sentence without words). Brackets among tokens may be plain or escaped (-LRB-, -RRB-). JSON and SVG
    show how probable each constituent is. CoNLL-U leaves out sentences without words, but counts them.

    Ctrl-C stops the command after a whole line, with exit status 130.

    \b
    Examples:
      spanlin parse story.txt > trees.txt
      spanlin parse --text "Time flies like an arrow." --format pretty
      spanlin parse --tokenized --format json corpus/*.txt | gzip > corpus.jsonl.gz
    """  # noqa: D301 (click's mark for lines that stay as they are)
    if texts and files:
        raise click.UsageError("--text takes the place of files: leave out one of them.")
    if texts and encoding != "utf-8":
        raise click.UsageError("--encoding is that of files: leave it out with --text.")
    if lines and tokenized:
        raise click.UsageError("--lines and --tokenized are two forms of input: leave out one of them.")
    if k_best > 1 and output_format != "json":
        raise click.UsageError("--k-best works only with JSON: add --format json.")
    names = () if texts else files or ("-",)
    if not quiet and "-" in names and sys.stdin.isatty() and sys.stderr.isatty():
        keys = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
        click.echo(f"spanlin: reading from the terminal; end with {keys}", err=True)
    shown = not quiet and sys.stderr.isatty() and not sys.stdout.isatty()  # else trees themselves tell how far it is
    with WholeLines(sys.stdout.buffer) as output, ExitStack() as stack:
        try:
            from spanlin.parser import Parser
            from spanlin.runtime.options import ParseOptions

            form: InputForm = "lines" if lines else "tokenized" if tokenized else "text"
            source = Source(names, texts=texts, form=form, encoding=encoding)
            parser = stack.enter_context(
                closing(Parser.load(model, threads=threads, device=device, processes=processes))
            )
            if output_format in OF_DEPENDENCIES:
                parser.check_dependencies()
            options = ParseOptions(decoder=decoder, root_label=root_label, k_best=k_best)
            write: _Writer | None = None
            if output_format == "conllu":
                write = _Conllu()
            elif output_format != "brackets" or options != ParseOptions():
                write = _Lines(output_format, style, several=len(names) > 1)
            records = _records(parser, source, form, options, write)
            with ParseProgress(shown=shown, total_bytes=source.total_bytes) as progress, closing(records):
                for place, record in records:
                    if record is not None:
                        output.write(record)
                    progress.advance(place)
                progress.finish()
        except Stopped as stopped:
            sentences = f"{output.written:,} sentence{'' if output.written == 1 else 's'}"
            click.echo(f"spanlin: interrupted: {sentences} written, each whole", err=True)
            click.get_current_context().exit(stopped.exit_status)
    if source.error:
        raise source.error


def _records(
    parser: Parser, source: Source, form: InputForm, options: ParseOptions, write: _Writer | None
) -> Generator[tuple[int, str | None]]:
    """Yield what is written of each sentence, if anything, and up to where the sources were read for it."""
    if parser.processes is not None and not isinstance(write, _Conllu):  # which numbers the sentences before it
        from spanlin.cli.parse_blocks import BlockRecords

        if source.total_bytes is None or source.total_bytes > _LARGE:
            parser.processes.start()
        task = BlockRecords(form, options, write)
        with closing(parser.processes.run(parser, source.blocks(), task)) as found:
            for block, records in found:
                yield from ((block.place, record) for record in records)
    elif write is None:
        for sentence, line in parser.bracket_items(source, _words):
            yield sentence.place, line
    else:
        for sentence, parsed in parser.parse_items(source, _words, options):
            yield sentence.place, write(parsed, sentence)


def _words(sentence: SourceSentence) -> Sequence[str]:
    return sentence.words


@dataclass(frozen=True)
class _Lines:
    """Writes parses in any format but CoNLL-U; one of several lines has an empty line behind it."""

    output_format: str
    style: LatexStyle
    several: bool  # files, so that JSON has to name them

    def __call__(self, parsed: Parsed, sentence: SourceSentence) -> str:
        parsed.sentence = sentence.sentence  # its offsets count from the start of a text, with --lines from a line's
        if self.output_format == "json":
            from spanlin.compact_json import compact_json

            found = {"file": sentence.file, **parsed.to_json()} if self.several else parsed.to_json()
            return compact_json(found).decode()
        if self.output_format == "brackets":
            return parsed.brackets()
        if not parsed.words:
            return ""
        if self.output_format in ("svg", "svg-arcs"):
            return parsed.svg() if self.output_format == "svg" else parsed.svg_arcs()
        if self.output_format == "latex":
            return parsed.latex(self.style) + "\n"
        drawn = {"columns": parsed.columns, "pretty": parsed.pretty, "arcs": parsed.pretty_arcs}
        return drawn[self.output_format]() + "\n"


class _Conllu:
    """Writes parses in CoNLL-U; a new file is a new document, and sentences are numbered over all files.

    The format has no sentence without words. It gets a number all the same, so that numbers are those of lines.
    """

    def __init__(self) -> None:
        self._number = 0
        self._file = ""

    def __call__(self, parsed: Parsed, sentence: SourceSentence) -> str | None:
        self._number += 1
        if not parsed.words:
            return None
        parsed.sentence = sentence.sentence
        opening = ""
        if sentence.file != self._file:
            self._file = sentence.file
            opening = f"# newdoc id = {'_'.join(sentence.file.split())}\n"
        return opening + parsed.to_conllu(sent_id=str(self._number)).removesuffix("\n")
