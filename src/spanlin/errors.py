"""Every error a user of spanlin can cause, as one family.

SpanlinError
├── TreeError               a tree that cannot be built or written
│   └── TreeSyntaxError     bracketed text that is no tree; knows file, line and column
├── DependencyError         heads and relations that are no dependency tree, cannot be read or written, or are missing
│   └── ConlluError         text that is not CoNLL-U; knows file and line
├── TreebankError           a treebank folder that is not laid out as its owner ships it
├── LinearizationError      boundaries that belong to no tree
├── DecodingError           scores from which no tree can be decoded
│   └── ConstraintError     required and forbidden spans and arcs that no tree can satisfy
├── EvaluationError         files or parameters that cannot be scored
├── ConfigError             a configuration key or value that is wrong
├── CheckpointError         a model folder that cannot be read or does not fit
├── TrainingError           a training run that cannot go on
│   └── DivergedError       one whose loss or weights are not finite, so that it would fail again
├── ProcessError            a separate process that ended while it was needed
├── CorpusError             a corpus that cannot be parsed, or an output folder that cannot be written
├── ServiceError            a service that refuses a request or does not answer it; knows the status
│   ├── ServiceDownError    no service at the address, or a broken connection
│   ├── ServiceTimeoutError an answer that did not come in time
│   ├── ServiceBusyError    a service that has too much to do, even after several tries
│   ├── ServiceTokenError   a token that is missing or wrong
│   └── RequestTooLargeError  a text, sentence or list that the service's limits do not allow
└── MissingExtraError       an optional dependency that is not installed
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial


class SpanlinError(Exception):
    """The base of all errors below; its message is one line that says what, where and what to do."""


class TreeError(SpanlinError):
    """A tree that cannot be built or written."""


class TreeSyntaxError(TreeError):
    """Bracketed text that is no tree.

    `line` and `column` count from 1; `source` is a file name or a stand-in such as ``<string>``.
    """

    def __init__(self, message: str, *, source: str, line: int, column: int) -> None:
        super().__init__(f"{source}:{line}:{column}: {message}")
        self.message = message
        self.source = source
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[Callable[[str], TreeSyntaxError], tuple[str]]:
        return partial(type(self), source=self.source, line=self.line, column=self.column), (self.message,)


class DependencyError(SpanlinError):
    """Heads and relations that are not a dependency tree, cannot be read or written, or that a model does not have."""


class ConlluError(DependencyError):
    """Text that is not CoNLL-U.

    `line` counts from 1; `source` is a file name or a stand-in such as ``<string>``.
    """

    def __init__(self, message: str, *, source: str, line: int) -> None:
        super().__init__(f"{source}:{line}: {message}")
        self.message = message
        self.source = source
        self.line = line

    def __reduce__(self) -> tuple[Callable[[str], ConlluError], tuple[str]]:
        return partial(type(self), source=self.source, line=self.line), (self.message,)


class TreebankError(SpanlinError):
    """A treebank folder that is not laid out as its owner ships it."""


class LinearizationError(SpanlinError):
    """Boundaries that belong to no tree.

    `sentence` is the place of their sentence among several, from 0, or None; the message, which is for people, counts
    from 1. `problem` is the message without that.
    """

    def __init__(self, problem: str, *, sentence: int | None = None) -> None:
        super().__init__(_numbered(problem, sentence))
        self.problem = problem
        self.sentence = sentence


class DecodingError(SpanlinError):
    """Scores from which no tree can be decoded; `sentence` and `problem` are as in `LinearizationError`."""

    def __init__(self, problem: str, *, sentence: int | None = None) -> None:
        super().__init__(_numbered(problem, sentence))
        self.problem = problem
        self.sentence = sentence


def _numbered(problem: str, sentence: int | None) -> str:
    return problem if sentence is None else f"sentence {sentence + 1}: {problem}"


class ConstraintError(DecodingError):
    """Required and forbidden spans and arcs that no tree can satisfy."""


class EvaluationError(SpanlinError):
    """Files or parameters that cannot be scored."""


class ConfigError(SpanlinError):
    """A configuration key or value that is wrong."""


class CheckpointError(SpanlinError):
    """A model folder that cannot be read or does not fit."""


class TrainingError(SpanlinError):
    """A training run that cannot go on."""


class DivergedError(TrainingError):
    """A training run whose loss or weights are not finite: with the same settings it would fail again."""


class ProcessError(SpanlinError):
    """A separate process that ended while it was needed, or did not start."""


class CorpusError(SpanlinError):
    """A corpus that cannot be parsed, or an output folder that cannot be written."""


class ServiceError(SpanlinError):
    """A service that refuses a request or does not answer it.

    `status` is that of the answer, 0 if there was none. `code` is the service's own word for the error, and
    `request_id` stands in its log; both may be empty.
    """

    def __init__(self, message: str, *, status: int = 0, code: str = "", request_id: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.request_id = request_id


class ServiceDownError(ServiceError):
    """No service at the address, or a broken connection."""


class ServiceTimeoutError(ServiceError):
    """An answer that did not come in time."""


class ServiceBusyError(ServiceError):
    """A service that has too much to do, even after several tries."""


class ServiceTokenError(ServiceError):
    """A token that is missing or wrong."""


class RequestTooLargeError(ServiceError):
    """A text, sentence or list that the service's limits do not allow."""


class MissingExtraError(SpanlinError):
    """An optional dependency that is not installed."""


def missing_extra(what: str, extra: str) -> MissingExtraError:
    """Return the error of what needs a package that comes with an extra.

    The command that it gives works wherever spanlin came from: pip adds the extra to the one that is installed.
    """
    return MissingExtraError(f"{what}: pip install 'spanlin[{extra}]'")
