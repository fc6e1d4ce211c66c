"""`spanlin serve`: the parser as a web service, with a page."""

from __future__ import annotations

import ipaddress
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from spanlin.cli.model_options import model_options
from spanlin.errors import ConfigError, SpanlinError, missing_extra

TOKEN_VARIABLE = "SPANLIN_TOKEN"
_USUAL_WORDS = 30  # per sentence, to turn a number of sentences into a number of words


@click.command()
@model_options
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen at; 0.0.0.0 accepts other machines."
)
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port to listen at; 0 for any free one.",
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=f"A file with the token that clients must send; by default, the one in {TOKEN_VARIABLE}, if it is set.",
)
@click.option("--cors", multiple=True, metavar="ORIGIN", help="A site whose pages may call the service. Repeatable.")
@click.option("--max-body", default=1_000_000, show_default=True, help="Bytes per request.")
@click.option("--max-sentences", default=2_000, show_default=True, help="Sentences per request.")
@click.option("--max-words", default=500, show_default=True, help="Words per sentence.")
@click.option("--queue", default=4_000, show_default=True, help="Sentences that may wait before clients get a 503.")
@click.option("--time-limit", default=30.0, show_default=True, help="Seconds until a request gets a 504.")
@click.option("--access-log", is_flag=True, help="Log one line per request to stderr.")
@click.option("--shutdown-time", default=30, show_default=True, help="Seconds to answer the last requests on shutdown.")
def serve(
    *,
    model: str,
    host: str,
    port: int,
    token_file: Path | None,
    cors: tuple[str, ...],
    threads: int,
    device: str,
    max_body: int,
    max_sentences: int,
    max_words: int,
    queue: int,
    time_limit: float,
    access_log: bool,
    shutdown_time: int,
) -> None:
    """Serve a model over HTTP: a page at /, JSON at /v1/parse, the rest at /docs.

    Only this machine can reach it unless --host says otherwise. On Ctrl-C or SIGTERM, it takes no new
    requests, answers those it has, and exits with status 0.
    """
    try:
        from spanlin.server import running
        from spanlin.server.settings import ServerSettings
    except ImportError as error:
        raise missing_extra("serving needs FastAPI", "serve") from error

    token = _token(token_file)
    settings = ServerSettings(
        token=token,
        cors_origins=cors,
        max_body_bytes=max_body,
        max_sentences=max_sentences,
        max_sentence_words=max_words,
        queue_sentences=queue,
        max_words=max(max_words, _USUAL_WORDS * max_sentences),
        queue_words=max(max_words, _USUAL_WORDS * queue),
        time_limit=time_limit,
        shutdown_seconds=shutdown_time,
        # On a device, only a large batch is worth launching.
        **({"batch_words": 50_000} if device else {}),
    )
    if not token and not _is_loopback(host):
        click.echo(f"spanlin: {host} can be reached by others and no token is set: anyone may use it", err=True)

    def report(address: str) -> None:
        click.echo(f"spanlin: serving {model} at {address} (Ctrl-C stops)", err=True)

    parsers = running.load_parsers(model, threads=threads, device=device)
    with _log_on_stderr(access=access_log):
        accepted = running.serve(parsers, settings, host=host, port=port, on_start=report)
    click.echo(f"spanlin: stopped after {accepted} requests to parse", err=True)


@contextmanager
def _log_on_stderr(*, access: bool) -> Iterator[None]:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S%z"))
    logger, access_logger = logging.getLogger("spanlin"), logging.getLogger("spanlin.access")
    before = access_logger.level
    logger.addHandler(handler)
    access_logger.setLevel(logging.INFO if access else logging.WARNING)
    try:
        yield
    finally:
        access_logger.setLevel(before)
        logger.removeHandler(handler)


def _token(file: Path | None) -> str:
    """Return the token, or an empty string if none is set; a token that is set but empty is a mistake."""
    if file is None:
        if TOKEN_VARIABLE in os.environ and not os.environ[TOKEN_VARIABLE]:
            raise ConfigError(f"{TOKEN_VARIABLE} is set but empty: give it a token, or unset it")
        return os.environ.get(TOKEN_VARIABLE, "")
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SpanlinError(f"{file}: cannot be read: {error}") from error
    if not token:
        raise ConfigError(f"{file}: empty: write the token into it")
    return token


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
