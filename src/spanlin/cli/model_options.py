"""The options of every command that runs a model: which one, and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def model_options(command: Command) -> Command:
    """Return the command with --model, --threads and --device."""
    options = (
        click.option(
            "--model",
            default="en",
            metavar="NAME|FOLDER|hf:OWNER/NAME",
            show_default=True,
            help="A packaged or installed model, a folder that `spanlin export` made, one on Hugging Face's hub, or a "
            "checkpoint (needs torch).",
        ),
        click.option(
            "--threads", type=click.IntRange(min=0), default=0, show_default="all cores", help="How many cores to use."
        ),
        click.option(
            "--device",
            default="",
            help="cuda, cuda:N or cpu, in torch.  [default: onnxruntime; for a checkpoint, cuda if there is one]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def processes_option(what: str, *, without_gpu: str) -> Callable[[Command], Command]:
    """Return what gives a command --processes; the help says what they do, and how many there are without a GPU."""
    return click.option(
        "--processes",
        type=click.IntRange(min=0, max=1024),
        help=f"{what}  [default: with a GPU, as many as there are cores to spare, otherwise {without_gpu}]",
    )
