"""Describe the REST interface as an OpenAPI document, from the table of operations."""

import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from clew.domain.installation import __version__
from clew.web.operations import Operation

_PARAMETER = re.compile(r"{(\w+)}")


def describe(operations: Sequence[Operation], prefix: str) -> dict[str, Any]:
    """Return the document."""
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {}
    for each in operations:
        paths.setdefault(prefix + each.path, {})[each.method.lower()] = _operation(each, schemas)
    paths[f"{prefix}/crawls/{{name}}/events"] = {
        "get": {
            "summary": "What happens in the crawl, as server-sent events: state, note.",
            "parameters": [_path_parameter("name")],
            "responses": {"200": {"description": "a stream", "content": {"text/event-stream": {}}}},
        }
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Clew",
            "version": __version__,
            "description": "Everything the pages do. Bodies are JSON. With a token: Authorization: Bearer.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(each: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "summary": each.summary,
        "operationId": _operation_id(each),
        "parameters": [*map(_path_parameter, _PARAMETER.findall(each.path)), *_query_parameters(each.query)],
        "responses": {
            "200": {"description": "the answer", "content": {each.returns: {}}},
            "400": {"description": "not possible, with the reason in `error`"},
            "404": {"description": "there is no such thing"},
        },
    }
    if each.body is not None:
        name = each.body.__name__
        schema = each.body.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(schema.pop("$defs", {}))
        schemas[name] = schema
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}},
        }
    return described


def _operation_id(each: Operation) -> str:
    path = re.sub(r"{name}$", "one", each.path)
    words = [word for word in re.split(r"[^\w]+", path) if word and word != "name"]
    return "_".join([each.method.lower(), *words])


def _path_parameter(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _query_parameters(query: type[BaseModel]) -> list[dict[str, Any]]:
    schema = query.model_json_schema()
    required = schema.get("required", [])
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": field.pop("description", ""),
            "schema": field,
        }
        for name, field in schema.get("properties", {}).items()
    ]
