"""EVALB's parameter files: what is deleted, what counts as equal, and the two sets that everybody uses."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from spanlin.errors import EvaluationError
from spanlin.trees.escapes import escape_word, unescape_word


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The settings of one evaluation; those left out are as in EVALB without a parameter file.

    `max_error` and `debug` change what the EVALB format prints, and no score. Equal labels and words are pairs in
    no order, and not transitive: A = B and B = C do not make A = C. Words are surface forms.
    """

    labelled: bool = True
    deleted_labels: tuple[str, ...] = ()
    labels_without_length: tuple[str, ...] = ()
    equal_labels: tuple[tuple[str, str], ...] = ()
    equal_words: tuple[tuple[str, str], ...] = ()
    quote_labels: tuple[str, ...] = ()
    cutoff_length: int = 40
    max_error: int = 10
    debug: int = 0

    def signature(self) -> str:
        """Return all that changes a score as one string, equal for equal settings whatever their order."""
        fields = {
            "labelled": "yes" if self.labelled else "no",
            "delete": _list_of(self.deleted_labels),
            "lengthless": _list_of(self.labels_without_length),
            "equal-labels": _pairs_of(self.equal_labels),
            "equal-words": _pairs_of(tuple((escape_word(one), escape_word(two)) for one, two in self.equal_words)),
            "quotes": _list_of(self.quote_labels),
            "cutoff": str(self.cutoff_length),
        }
        return "|".join(f"{name}:{value}" for name, value in fields.items())


_PUNCTUATION = (",", ":", "``", "''", ".")

# The settings of Collins' parser, which most published scores use. The limit of errors is high, so that it never
# cuts an evaluation short.
COLLINS = Parameters(
    deleted_labels=("TOP", "-NONE-", *_PUNCTUATION),
    labels_without_length=("-NONE-",),
    equal_labels=(("ADVP", "PRT"),),
    max_error=10_000,
)

# The settings of the code published with Wei et al. (2020); on the Penn Treebank they score as COLLINS does.
NK = Parameters(
    deleted_labels=("TOP", "S1", "-NONE-", *_PUNCTUATION, "?", "!"),
    labels_without_length=("-NONE-",),
    equal_labels=(("ADVP", "PRT"),),
    quote_labels=("``", "''", "POS", "NN", "CD", "VBZ", ":"),
    max_error=10_000,
)

BUILT_IN = {"collins": COLLINS, "nk": NK}


def find_parameters(name_or_path: str) -> Parameters:
    """Return the built-in parameters of that name, in any case, else those of the file."""
    return BUILT_IN.get(name_or_path.lower()) or read_parameters(name_or_path)


def read_parameters(path: str | os.PathLike[str]) -> Parameters:
    """Return the parameters in an EVALB parameter file.

    A line that starts with # or has fewer than three characters says nothing. EVALB warns of a line it does not
    understand and scores without it; here that is an EvaluationError.
    """
    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8", newline="\n") as file:
            lines = file.read().split("\n")
    except UnicodeDecodeError as error:
        raise EvaluationError(f"{name}: not UTF-8: convert the parameter file first") from error
    except OSError as error:
        raise EvaluationError(
            f"{name}: cannot be read: {error.strerror}; give a parameter file or one of {', '.join(BUILT_IN)}"
        ) from error
    values: dict[str, list[str]] = {keyword: [] for keyword in _KEYWORDS}
    for number, line in enumerate(lines, start=1):
        line = line.rstrip(_SPACE)
        if line.startswith("#") or len(line.encode()) < 3:
            continue
        keyword, _, value = line.replace("\t", " ").partition(" ")
        value = value.strip(_SPACE)
        if keyword not in _KEYWORDS:
            known = ", ".join(_KEYWORDS)
            raise EvaluationError(f"{name}:{number}: unknown keyword {keyword!r}: use one of {known}")
        expected = _KEYWORDS[keyword](value)
        if expected:
            raise EvaluationError(f"{name}:{number}: {keyword} takes {expected}, got {value!r}")
        values[keyword].append(value)
    return _parameters_of(values)


# White space is ASCII only, as in the trees: a no-break space may be part of a label.
_SPACE = " \t\r\f\v"
_FIELD = re.compile(r"[^ \t\r\f\v]+")


def _parameters_of(values: dict[str, list[str]]) -> Parameters:
    def last_integer(keyword: str, default: int) -> int:
        return int(values[keyword][-1]) if values[keyword] else default

    def pairs(keyword: str) -> list[tuple[str, str]]:
        return [(one, two) for one, two in map(_FIELD.findall, values[keyword])]

    return Parameters(
        labelled=last_integer("LABELED", 1) != 0,
        deleted_labels=tuple(values["DELETE_LABEL"]),
        labels_without_length=tuple(values["DELETE_LABEL_FOR_LENGTH"]),
        equal_labels=tuple(pairs("EQ_LABEL")),
        equal_words=tuple((unescape_word(one), unescape_word(two)) for one, two in pairs("EQ_WORD")),
        quote_labels=tuple(values["QUOTE_LABEL"]),
        cutoff_length=last_integer("CUTOFF_LEN", Parameters.cutoff_length),
        max_error=last_integer("MAX_ERROR", Parameters.max_error),
        debug=last_integer("DEBUG", Parameters.debug),
    )


def _not_an_integer(value: str) -> str:
    digits = value.removeprefix("-")
    return "" if digits.isascii() and digits.isdigit() else "an integer"


def _not_a_switch(value: str) -> str:
    return "" if value in {"0", "1"} else "0 or 1"


def _not_a_label(value: str) -> str:
    return "" if len(_FIELD.findall(value)) == 1 else "one label"


def _not_a_pair(value: str) -> str:
    return "" if len(_FIELD.findall(value)) == 2 else "two values"


# Each check returns what was expected, or nothing when the value is fine.
_KEYWORDS: dict[str, Callable[[str], str]] = {
    "DEBUG": _not_an_integer,
    "MAX_ERROR": _not_an_integer,
    "CUTOFF_LEN": _not_an_integer,
    "LABELED": _not_a_switch,
    "DELETE_LABEL": _not_a_label,
    "DELETE_LABEL_FOR_LENGTH": _not_a_label,
    "QUOTE_LABEL": _not_a_label,
    "EQ_LABEL": _not_a_pair,
    "EQ_WORD": _not_a_pair,
}


def _list_of(labels: tuple[str, ...]) -> str:
    return " ".join(sorted({_quoted(label) for label in labels}))


def _pairs_of(pairs: tuple[tuple[str, str], ...]) -> str:
    return " ".join(sorted({"=".join(sorted(map(_quoted, pair))) for pair in pairs}))


def _quoted(label: str) -> str:
    """Return the label so that it holds none of the signature's own separators."""
    return "".join(f"%{ord(char):02X}" if char in "%|= " else char for char in label)
