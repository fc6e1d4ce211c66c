"""The `spanlin` command group: finds the subcommands and turns our errors into one line."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from spanlin import __version__
from spanlin.errors import SpanlinError

# Commands are imported when they are called, so that `spanlin --help` and the light ones start at once.
_COMMANDS = {
    "draw": "Draw trees for a terminal, as SVG or for LaTeX.",
    "evaluate": "Score predicted trees, or a checkpoint, against gold trees, exactly as EVALB does.",
    "export": "Turn a trained checkpoint into a model folder that needs no torch.",
    "info": "Tell what a model is: its card, labels, tags, size and licences.",
    "linearize": "Print the span-based linearization of trees, or go back from it.",
    "tag": "Write treebanks with predicted part-of-speech tags, by k-fold jackknifing.",
    "train": "Train a parser from a configuration file.",
    "parse": "Parse English text, or sentences, into trees.",
    "prepare": "Turn a treebank as its owner ships it into train, dev and test files.",
}


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

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _COMMANDS[name]) for name in self.list_commands(context)])

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except SpanlinError as error:
            click.echo(f"spanlin: {error}", err=True)
            context.exit(1)
        except BrokenPipeError:
            # The reader has gone (as with `| head`): nothing is left to tell, not even at shutdown.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            context.exit(141)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="spanlin")
def main() -> None:
    """Constituency parsing by the span-based linearization of trees (Wei, Wu & Lan, ACL 2020)."""
