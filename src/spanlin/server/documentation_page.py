"""The page /docs in HTML: each route with its keys, a command that calls it, and what comes back. It runs no script."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from html import escape
from typing import Any

_ADDRESS = "http://localhost:8000"  # never that of the request, which anyone can write into its header
_WIDTH = 100  # of a line of an example
_MOST_ITEMS = 3  # of a list that does not fit into a line
_MOST_LINES = 6  # of an answer that is not JSON
_ERROR = {
    "error": {"code": "unprocessable", "message": "tokens[1][1]: input should be a valid string", "request_id": "job-7"}
}


def documentation_page(found: dict[str, Any], answers: Mapping[str, str]) -> str:
    """Return the page for a description in OpenAPI, with those answers to the examples, by path, that there are."""
    info = found["info"]
    secured = "securitySchemes" in found["components"]
    schemas = found["components"]["schemas"]
    routes = [
        (method, path, operation) for path, methods in found["paths"].items() for method, operation in methods.items()
    ]
    links = "".join(
        f'<li><a href="#{_anchor(path)}"><span class="method">{method.upper()}</span> {escape(path)}</a></li>\n'
        for method, path, _ in routes
    )
    token = (
        '<p class="note">This service needs a token: send the header <code>Authorization: Bearer TOKEN</code>.</p>\n'
        if secured
        else ""
    )
    sections = [
        _section(method, path, operation, schemas, answers.get(path), secured=secured)
        for method, path, operation in routes
    ]
    title = f"{escape(info['title'])} {escape(info['version'])}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}: the service</title>\n"
        '<link rel="icon" href="static/favicon.svg" type="image/svg+xml">\n'
        '<link rel="stylesheet" href="static/style.css">\n<link rel="stylesheet" href="static/docs.css">\n'
        "</head>\n<body>\n"
        '<header class="top">\n<img class="logo" src="static/favicon.svg" alt="" width="34" height="34">\n'
        f'<h1>{escape(info["title"])} <span class="tagline">the service, {escape(info["version"])}</span></h1>\n'
        '<nav class="top-actions" aria-label="Elsewhere"><a class="plain" href="./">The page</a>'
        '<a class="plain" href="openapi.json">OpenAPI</a></nav>\n</header>\n'
        f'<main class="docs">\n<p>{escape(info["description"])} JSON in, JSON out.</p>\n{token}'
        f'<nav aria-label="Routes"><ul class="routes">\n{links}<li><a href="#errors">Errors</a></li>\n</ul></nav>\n'
        + "".join(sections)
        + '<section id="errors">\n<h2>Errors</h2>\n<p>Every error has this form, with a message of one line:</p>\n'
        + _code(_written(_ERROR))
        + "</section>\n</main>\n</body>\n</html>\n"
    )


def example_body(operation: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any] | None:
    """Return a body that a route takes, or None if it takes none."""
    schema = _body_schema(operation, schemas)
    if schema is None:
        return None
    example = {name: item["examples"][0] for name, item in schema["properties"].items() if "examples" in item}
    return dict([next(iter(example.items()))]) if "oneOf" in schema else example  # exactly one of them may be given


def _body_schema(operation: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any] | None:
    body = operation.get("requestBody")
    if body is None:
        return None
    schema: dict[str, Any] = schemas[body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]]
    return schema


def _section(
    method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any], answer: str | None, *, secured: bool
) -> str:
    parts = [
        f'<section id="{_anchor(path)}">\n<h2><span class="method">{method.upper()}</span> {escape(path)}</h2>\n'
        f"<p>{escape(operation['summary'])}.</p>\n"
    ]
    schema = _body_schema(operation, schemas)
    if schema is not None:
        parts += [f"<p>{escape(schema['description'])}</p>\n", _table(schema, schemas)]
    parts += [
        "<h3>Try it</h3>\n",
        _code(_curl(path, example_body(operation, schemas), secured and "security" in operation)),
    ]
    if answer is not None:
        parts += ["<h3>The answer</h3>\n", _code(_shown(answer))]
    statuses = ", ".join(operation["responses"])
    parts.append(f'<p class="muted">Statuses: {escape(statuses)}.</p>\n</section>\n')
    return "".join(parts)


def _curl(path: str, body: dict[str, Any] | None, secured: bool) -> str:
    """Return a command that calls a route, as one types it."""
    parts = [f"curl -s {_ADDRESS}{path}"]
    if secured:
        parts.append('-H "Authorization: Bearer $SPANLIN_TOKEN"')
    if body is not None:
        parts += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(json.dumps(body))}"]
    return " \\\n  ".join(parts)


def _shown(answer: str) -> str:
    """Return an answer with long lists cut short."""
    try:
        return _written(json.loads(answer))
    except json.JSONDecodeError:
        lines = answer.splitlines()
        return "\n".join([*lines[:_MOST_LINES], "…"] if len(lines) > _MOST_LINES else lines)


def _written(value: Any, indent: str = "", used: int = 0) -> str:
    """Return JSON in short lines: what fits stands in one, long lists have their first items."""
    line = json.dumps(value, ensure_ascii=False)
    if used + len(indent) + len(line) <= _WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = indent + " "
    if isinstance(value, dict):
        items = [f"{json.dumps(name)}: {_written(item, inner, len(name) + 4)}" for name, item in value.items()]
        return "{\n" + ",\n".join(f"{inner}{item}" for item in items) + f"\n{indent}}}"
    if all(isinstance(item, int | float | str) or item is None for item in value):
        told = [json.dumps(item, ensure_ascii=False) for item in value[: 2 * _MOST_ITEMS]]
        return f"[{', '.join(told)}, …]"
    items = [_written(item, inner) for item in value[:_MOST_ITEMS]] + ["…"] * (len(value) > _MOST_ITEMS)
    return "[\n" + ",\n".join(f"{inner}{item}" for item in items) + f"\n{indent}]"


def _code(text: str) -> str:
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>\n'


def _prose(text: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _anchor(path: str) -> str:
    return path.strip("/").replace("/", "-")


def _table(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    rows = [
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(_kind(item, schemas))}</td>"
        f"<td>{_prose(item.get('description', ''))}</td></tr>\n"
        for name, item in schema["properties"].items()
    ]
    return f"<table>\n<tr><th>key</th><th>value</th><th></th></tr>\n{''.join(rows)}</table>\n"


def _kind(item: dict[str, Any], schemas: dict[str, Any]) -> str:
    if "$ref" in item:
        keys = schemas[item["$ref"].rpartition("/")[2]]["properties"]
        return f"object of {', '.join(keys)}"
    if "enum" in item:
        return " | ".join(map(str, item["enum"]))
    if item.get("type") == "array":
        return f"list of {_kind(item['items'], schemas)}"
    return str(item.get("type", "value"))
