"""What goes into the routes, checked, and what comes out of them, documented."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Strict, Tag, ValidationError

from spanlin.model_folder.strict_json import parse_strictly
from spanlin.runtime.options import TreeDecoder
from spanlin.server.answers import RequestError

Format = Literal["json", "brackets"]
OffsetUnit = Literal["code-points", "utf-16"]
_Index = Annotated[int, Field(ge=0, le=1_000_000)]
_Label = Annotated[str, Field(min_length=1, max_length=100)]
_TAGS = ("span", "labelled")  # of the two forms of a constituent; not shown in the place of an error


def _form(value: Any) -> str:
    return _TAGS[isinstance(value, list) and len(value) == 3]


# JSON only has lists, so these are as strict as the rest.
_Span = Annotated[tuple[_Index, _Index], Strict(False), Tag(_TAGS[0])]
_LabelledSpan = Annotated[tuple[_Index, _Index, _Label], Strict(False), Tag(_TAGS[1])]
_Constituent = Annotated[_Span | _LabelledSpan, Discriminator(_form)]
_Arc = Annotated[tuple[_Index, _Index], Strict(False)]
_ONE_OF: list[Any] = [{"required": ["text"]}, {"required": ["texts"]}, {"required": ["tokens"]}]


def _without_default(found: dict[str, Any]) -> None:
    """Remove the default from a key's schema: it only stands for a missing key."""
    del found["default"]


class _Body(BaseModel):
    # Without `strict`, "1" would become 1. An unknown key is a misspelt one.
    model_config = ConfigDict(strict=True, extra="forbid")


class SentenceConstraints(_Body):
    """Constituents and arcs that a sentence must or must not have.

    Constituents are half-open spans of words, with or without labels; arcs are a word and its head, counted from 1.
    """

    item: _Index = Field(default=0, description="Which text, or list of tokens, counted from 0.")
    sentence: _Index = Field(default=0, description="Which sentence of that item, counted from 0.")
    required: list[_Constituent] = Field(default=[], examples=[[[1, 4, "VP"]]])
    forbidden: list[_Constituent] = Field(default=[], examples=[[[2, 3]]])
    required_arcs: list[_Arc] = Field(
        default=[],
        description="Word and head, counted from 1; the head 0 makes the word the root. Only if the model has "
        "dependencies.",
        examples=[[[1, 2]]],
    )
    forbidden_arcs: list[_Arc] = Field(default=[], examples=[[[4, 2]]])


class ParseRequest(_Body):
    """Exactly one of text, texts and tokens, and how to parse it."""

    model_config = ConfigDict(json_schema_extra={"oneOf": _ONE_OF})

    text: str = Field(default="", examples=["She loves writing code."], json_schema_extra=_without_default)
    texts: list[str] = Field(default=[], json_schema_extra=_without_default)
    tokens: list[list[str]] = Field(
        default=[],
        description="Tokenized sentences.",
        examples=[[["She", "loves", "writing", "code", "."]]],
        json_schema_extra=_without_default,
    )
    format: Format = Field(default="json", description="`brackets` gives one tree per sentence and nothing else.")
    offsets: OffsetUnit = Field(
        default="code-points",
        description="What offsets into a text count: Unicode code points, as Python does, or UTF-16 units, as "
        "JavaScript, Java and C# do. They differ after characters such as emoji.",
    )
    decoder: TreeDecoder = "argmin"
    root_label: str = Field(default="", max_length=100, description="The label that trees must have below TOP.")
    k_best: int = Field(default=1, ge=1, le=1_000, description="How many of the most probable trees to return.")
    scores: bool = Field(default=False, description="Whether to return log P(i|j) of all boundaries.")
    marginals: bool = Field(
        default=False, description="Whether to return the probability of every possible constituent."
    )
    constraints: list[SentenceConstraints] = Field(default=[])


class EvaluateRequest(_Body):
    """Bracketed trees; a predicted tree may be an empty string if there is none."""

    gold: list[str] = Field(examples=[["(TOP (S (NP (NNS Dogs)) (VP (VBP bark))))"]])
    predicted: list[str] = Field(examples=[["(TOP (NP (NNS Dogs) (VP (VBP bark))))"]])


class _Answer(BaseModel):
    model_config = ConfigDict(extra="allow")


class ConstituentAnswer(_Answer):
    """A labelled phrase over the words from `left` up to, not including, `right`."""

    label: str
    left: int
    right: int
    probability: float
    start: int = Field(
        description="Where it starts in the text, in code points or, if asked for, UTF-16 units; -1 for tokens."
    )
    end: int
    text: str


class SentenceAnswer(_Answer):
    """One sentence; with more keys where scores, marginals or several trees were asked for."""

    text: str = Field(description="The sentence as it stands in the text; of tokens, with spaces between.")
    words: list[str]
    tags: list[str]
    tag_probabilities: list[float]
    offsets: list[list[int]] | None = Field(
        description="Where each word starts and ends in the text, in code points or, if asked for, UTF-16 units; null "
        "for tokens."
    )
    brackets: str
    constituents: list[ConstituentAnswer]
    calibrated: bool = Field(
        description="Whether the probabilities of constituents and trees were fitted on gold trees; if not, do not "
        "take them literally."
    )
    heads: list[int] = Field(
        default=[],
        description="For each word, the word that governs it, counted from 1, or 0 for the root. This and the next "
        "five keys are there if the model has dependencies.",
        json_schema_extra=_without_default,
    )
    relations: list[str] = Field(
        default=[],
        description="The relation of each word to its head, such as nsubj.",
        json_schema_extra=_without_default,
    )
    universal_tags: list[str] = Field(
        default=[], description="The universal tag of each word, such as NOUN.", json_schema_extra=_without_default
    )
    arc_probabilities: list[float] = Field(
        default=[], description="The chance that each word's head is right.", json_schema_extra=_without_default
    )
    dependencies_certified: bool = Field(
        default=False,
        description="Whether provably no dependency tree is more probable.",
        json_schema_extra=_without_default,
    )
    dependencies_calibrated: bool = Field(
        default=False,
        description="Whether the probabilities of arcs were fitted on gold dependencies; if not, do not take them "
        "literally.",
        json_schema_extra=_without_default,
    )


class ItemAnswer(_Answer):
    """The sentences of one text, or the one of a list of tokens; with format `brackets`, only their trees."""

    sentences: list[SentenceAnswer] = []
    brackets: list[str] = []


class ParseAnswer(_Answer):
    """One result for each text or list of tokens, in order."""

    model: str
    results: list[ItemAnswer]


class ModelAnswer(_Answer):
    """The service's model and its limits."""

    name: str
    version: str
    precision: str
    calibrated: bool
    dependencies_calibrated: bool = Field(
        description="Whether the probabilities of arcs are calibrated; false if the model has no dependencies."
    )
    labels: list[str]
    tags: list[str]
    relations: list[str] = Field(description="Those of dependencies; empty if the model has none.")
    universal_tags: list[str] = Field(description="Those beside dependencies; empty if the model has none.")
    decoders: list[str]
    limits: dict[str, float]


class EvaluateAnswer(_Answer):
    """Percentages as EVALB gives them, null where there is nothing to divide by; and more."""

    precision: float | None
    recall: float | None
    f1: float | None
    complete_match: float | None
    tagging_accuracy: float | None
    by_label: dict[str, Any]


class HealthAnswer(_Answer):
    """Whether the service is up."""

    status: Literal["ok"]


class ErrorBody(BaseModel):
    """What went wrong, for programs and for people."""

    code: str
    message: str = Field(description="One line: what, where, what to do.")
    request_id: str = Field(description="The header X-Request-ID of the request, or one made for it; it is in the log.")


class ErrorAnswer(BaseModel):
    """The answer to every request that failed."""

    error: ErrorBody


_Checked = TypeVar("_Checked", bound=BaseModel)


def read_body(body: bytes, kind: type[_Checked]) -> _Checked:
    """Return a request's checked body, or raise a RequestError that says where it is wrong."""
    try:
        value = parse_strictly(body)
    except UnicodeDecodeError as error:
        raise RequestError(400, f"the body is not UTF-8 (byte {error.start + 1})") from error
    except RecursionError as error:
        raise RequestError(400, "the body is nested too deeply: send the JSON that /docs describes") from error
    except ValueError as error:
        raise RequestError(400, f"the body is not JSON: {_clipped(str(error), 120)}") from error
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise RequestError(422, _one_line(error)) from error


def _one_line(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    first = found[0]
    place = ""
    for part in (part for part in first["loc"] if part not in _TAGS):
        place += f"[{part}]" if isinstance(part, int) else f"{'.' * bool(place)}{_clipped(part, 40)}"
    message = first["msg"]
    if first["type"] == "extra_forbidden":
        message = "unknown key: remove it, or see /docs for the right one"
    elif first["type"] == "model_type":  # it would name our class
        message = "input should be a JSON object"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{place or 'the body'}: {message[:1].lower()}{message[1:]}{more}"


def _clipped(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}..."
