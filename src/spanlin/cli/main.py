"""The `spanlin` command group: finds the subcommands and turns our errors into one line."""

from __future__ import annotations

import difflib
import errno
import importlib
import io
import os
import sys
from typing import Any, NoReturn

import click
from click.exceptions import NoArgsIsHelpError
from click.shell_completion import CompletionItem

from spanlin import __version__
from spanlin.errors import SpanlinError

# Commands are imported when they are called, so that `spanlin --help` and the light ones start at once.
_COMMANDS = {
    "bench": "Measure how fast a model parses on this machine.",
    "calibrate": "Fit the probabilities of a model folder on gold trees and dependencies.",
    "corpus": "Parse documents by the million into shards, on one machine or a Ray cluster.",
    "draw": "Draw trees for a terminal, as SVG or in LaTeX.",
    "evaluate": "Score predicted trees (as EVALB does), predicted dependencies (as UD does), or a model.",
    "export": "Turn a trained checkpoint into a model folder that needs no torch.",
    "info": "Show what a model is: its card, labels, tags, size and licences.",
    "jackknife": "Replace the tags of treebanks with predicted ones, by k-fold jackknifing.",
    "linearize": "Print the span-based linearization of trees, or go back from it.",
    "package": "Make a wheel of a model folder, for pip to install.",
    "serve": "Serve a model over HTTP: a page, JSON, metrics.",
    "train": "Train a parser on files of trees, or as a configuration file says.",
    "parse": "Parse English text, or sentences, into trees.",
    "prepare": "Turn a treebank as its owner ships it into train, dev and test files.",
}
# What a write to a full disk, or to one that fails, raises.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


class _Commands(click.Group):
    """A group that knows its commands' names and help without importing them."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command = getattr(importlib.import_module(f"spanlin.cli.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            close = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            if not close:
                raise
            raise click.UsageError(f"No such command {args[0]!r}. Did you mean {close[0]!r}?", context) from error

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _COMMANDS[name]) for name in self.list_commands(context)])

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that start so; click's own would import each of them at every press of Tab."""
        if incomplete and not incomplete[0].isalnum():
            return super().shell_complete(context, incomplete)
        return [
            CompletionItem(name, help=text) for name, text in sorted(_COMMANDS.items()) if name.startswith(incomplete)
        ]

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **settings)
        except click.UsageError as error:
            _exit_with_usage(error)

    def invoke(self, context: click.Context) -> Any:
        _write_utf8()
        try:
            return super().invoke(context)
        except click.UsageError as error:
            _exit_with_usage(error)
        except KeyboardInterrupt:
            click.echo("spanlin: interrupted", err=True)
            context.exit(130)
        except SpanlinError as error:
            click.echo(f"spanlin: {error}", err=True)
            context.exit(1)
        except BrokenPipeError:
            # The reader has gone (as with `| head`): nothing is left to tell.
            _drop_output()
            context.exit(141)
        except OSError as error:
            if error.filename is not None or error.errno not in _NO_ROOM:
                raise
            click.echo(f"spanlin: the output cannot be written: {error.strerror}", err=True)
            _drop_output()
            context.exit(1)


def _drop_output() -> None:
    """Let what still waits to be written go nowhere; at shutdown it would be another error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_utf8() -> None:
    """Write UTF-8 into files and pipes on every system; on Windows they have cp1252, which lacks most characters."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
            stream.reconfigure(encoding="utf-8", errors=stream.errors)


def _exit_with_usage(error: click.UsageError) -> NoReturn:
    """Tell what was wrong in one line, as of every other error, and where to look; the exit status is 2."""
    if isinstance(error, NoArgsIsHelpError):
        raise error
    path = error.ctx.command_path if error.ctx else "spanlin"
    message = " ".join(error.format_message().split())
    message += "" if message.endswith((".", "?", "!")) else "."
    click.echo(f"{path}: {message} See {path} --help.", err=True)
    raise click.exceptions.Exit(error.exit_code)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="spanlin")
def main() -> None:
    """Parse text into phrase-structure trees and dependencies, by the span-based linearization of trees (Wei, Wu & Lan,
    ACL 2020).

    \b
    Try:  spanlin parse --text "She loves writing code." --format pretty
    Then: spanlin COMMAND --help
    """  # noqa: D301 (click's mark for lines that stay as they are)
