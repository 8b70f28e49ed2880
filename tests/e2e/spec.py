"""Every answer that the tests see is held against openapi.yaml."""

import json
import os
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from gateway import PROJECT

FILE = PROJECT / "openapi.yaml"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")

violations = []  # of the running test; a fixture empties it and fails the test


def retrieve(uri):
    text = Path(unquote(urlsplit(uri).path)).read_text()
    return DRAFT202012.create_resource(
        json.loads(text) if uri.endswith(".json") else yaml.safe_load(text))


@cache
def registry():
    return Registry(retrieve=retrieve)


@cache
def document():
    return yaml.safe_load(FILE.read_text())


@cache
def templates():
    rows = []
    for template in document()["paths"]:
        pattern = re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(template))
        rows.append((template, re.compile(pattern)))
    return sorted(rows, key=lambda row: row[0].count("{"))


def routes():
    """The set of (METHOD, /template) in the contract."""
    return {(method.upper(), template) for template, item in document()["paths"].items()
            for method in item if method in METHODS}


def _follow(base, node):
    """Resolves a $ref that stands in place of an OpenAPI object."""
    while isinstance(node, dict) and "$ref" in node:
        found = registry().resolver(base).lookup(node["$ref"])
        base, node = found.resolver._base_uri or base, found.contents
    return base, node


def _problem(method, path, status, headers, body):
    path = re.sub(r"/+", "/", path.split("?")[0])
    if len(path) > 1:
        path = path.rstrip("/")
    template = next((t for t, pattern in templates() if pattern.fullmatch(path)), None)
    if template is None:
        return None if status in (400, 401, 403, 404) else "a path that is not in openapi.yaml"
    base = FILE.as_uri()
    base, item = _follow(base, document()["paths"][template])
    operation = item.get(method.lower())
    if operation is None:
        return None if status in (400, 401, 403, 405) else "a method that is not in openapi.yaml"
    responses = {str(k).upper(): v for k, v in operation["responses"].items()}
    response = responses.get(str(status)) or responses.get(f"{status // 100}XX") \
        or responses.get("DEFAULT")
    if response is None:
        return f"status {status} is not in openapi.yaml"
    base, response = _follow(base, response)
    content = response.get("content")
    media = headers.get("content-type", "").split(";")[0].strip()
    if not content:
        return None if not body else "a body where openapi.yaml has none"
    if media not in content:
        return f"content type {media!r} is not in openapi.yaml ({', '.join(content)})"
    schema = content[media].get("schema")
    if schema is None or media != "application/json" or method == "HEAD":
        return None
    # A schema that stands in the document is checked where it stands, so that its $refs hold.
    validator = Draft202012Validator({"$schema": Draft202012Validator.META_SCHEMA["$schema"],
                                      **_rebased(schema, base)}, registry=registry())
    try:
        value = json.loads(body)
    except ValueError as error:
        return f"the body is not JSON: {error}"
    errors = sorted(validator.iter_errors(value), key=lambda e: len(e.absolute_path))
    if errors:
        first = errors[0]
        where = "/".join(map(str, first.absolute_path)) or "the body"
        return f"{where}: {first.message[:400]}"
    return None


def _rebased(node, base):
    """A copy whose relative $refs are absolute."""
    if isinstance(node, dict):
        return {k: (_absolute(v, base) if k == "$ref" and isinstance(v, str)
                    else _rebased(v, base)) for k, v in node.items()}
    if isinstance(node, list):
        return [_rebased(v, base) for v in node]
    return node


def _absolute(reference, base):
    from urllib.parse import urljoin
    return urljoin(base, reference)


def check(method, path, status, headers, body):
    """Notes what is wrong with an answer; headers: a mapping with lower-case names."""
    if os.environ.get("PARLEY_SPEC") == "off" or not FILE.exists():
        return
    problem = _problem(method, path, status, headers, body)
    if problem:
        shown = body[:600] if body else b""
        violations.append(f"{method} {path} -> {status}: {problem}\n  body: {shown!r}")
