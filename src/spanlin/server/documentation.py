"""The service's documentation: OpenAPI for programs, and a page made from it that loads nothing from elsewhere."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from spanlin.server.schema import EvaluateRequest, ParseRequest

STYLE_PATH = "/docs.css"
_REFERENCE = "#/components/schemas/{model}"
_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid; margin-top: 2rem; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid; border-radius: .25rem; }
td, th { text-align: left; vertical-align: top; padding: .15rem .75rem .15rem 0; }
"""


def request_body(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the part of OpenAPI for a route that takes such a body."""
    reference = {"$ref": _REFERENCE.format(model=kind.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": reference}}}}


def add_documentation(app: FastAPI, *, secured: bool) -> None:
    """Add the description at /openapi.json, and the page /docs."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _describe(app, secured=secured)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return Response(_page(openapi()), media_type="text/html")

    @app.get(STYLE_PATH, include_in_schema=False)
    async def style() -> Response:
        return Response(_STYLE, media_type="text/css")


def _describe(app: FastAPI, *, secured: bool) -> dict[str, Any]:
    found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    _, bodies = models_json_schema(
        [(ParseRequest, "validation"), (EvaluateRequest, "validation")], ref_template=_REFERENCE
    )
    schemas = found["components"]["schemas"]
    schemas.update(bodies["$defs"])
    # Routes read their bodies themselves, so FastAPI's own form of errors is never sent.
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    if secured:
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path, methods in found["paths"].items():
            if path != "/health":
                for operation in methods.values():
                    operation["security"] = [{"token": []}]
    return found


def _page(found: dict[str, Any]) -> str:
    info = found["info"]
    token = (
        "<p>This service needs a token: send the header <code>Authorization: Bearer TOKEN</code>.</p>\n"
        if "securitySchemes" in found["components"]
        else ""
    )
    schemas = found["components"]["schemas"]
    sections = [
        _section(method, path, operation, schemas)
        for path, methods in found["paths"].items()
        for method, operation in methods.items()
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(info['title'])} {escape(info['version'])}</title>\n"
        f'<link rel="stylesheet" href="{STYLE_PATH}">\n'
        f"</head>\n<body>\n<h1>{escape(info['title'])} {escape(info['version'])}</h1>\n"
        f'<p>{escape(info["description"])} The same for programs: <a href="/openapi.json">OpenAPI</a>.</p>\n'
        + token
        + "".join(sections)
        + "</body>\n</html>\n"
    )


def _section(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    parts = [f"<section>\n<h2>{method.upper()} {escape(path)}</h2>\n<p>{escape(operation['summary'])}.</p>\n"]
    body = operation.get("requestBody")
    if body:
        schema = schemas[body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]]
        example = {name: item["examples"][0] for name, item in schema["properties"].items() if "examples" in item}
        if "oneOf" in schema:  # exactly one of them may be given
            example = dict([next(iter(example.items()))])
        parts += [f"<p>{escape(schema['description'])}</p>\n", _table(schema, schemas)]
        parts.append(f"<pre>{escape(json.dumps(example, indent=1))}</pre>\n")
    statuses = ", ".join(operation["responses"])
    parts.append(f"<p>Answers: {escape(statuses)}.</p>\n</section>\n")
    return "".join(parts)


def _table(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    rows = [
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(_kind(item, schemas))}</td>"
        f"<td>{escape(item.get('description', ''))}</td></tr>\n"
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
