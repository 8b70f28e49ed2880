"""Every answer that the tests see is held against openapi.yaml."""

import json
import os
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from gateway import PROJECT

FILE = PROJECT / "openapi.yaml"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")

# libyaml's parser, where PyYAML was built with it: a seventh of the time, in each of a run's processes
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

violations = []  # of the running test; a fixture empties it and fails the test


@cache
def retrieve(uri):
    text = Path(unquote(urlsplit(uri).path)).read_text()
    return DRAFT202012.create_resource(
        json.loads(text) if uri.endswith(".json") else yaml.load(text, LOADER))


@cache
def registry():
    return Registry(retrieve=retrieve)


@cache
def document():
    return yaml.load(FILE.read_text(), LOADER)


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


@cache
def _responses(method, template):
    """The described answers by status, each with its base for $refs; None: no such method."""
    base, item = _follow(FILE.as_uri(), document()["paths"][template])
    operation = item.get(method.lower())
    if operation is None:
        return None
    return {str(status).upper(): _follow(base, response)
            for status, response in operation["responses"].items()}


@cache
def _validator(method, template, status, media):
    base, response = _responses(method, template)[status]
    schema = response["content"][media].get("schema")
    # A schema that stands in the document is checked where it stands, so that its $refs hold.
    return schema and Draft202012Validator(rebased(schema, base), registry=registry())


def _problem(method, path, status, headers, body):
    if method == "OPTIONS":
        return None
    path = re.sub(r"/+", "/", path.split("?")[0])
    if len(path) > 1:
        path = path.rstrip("/")
    template = next((t for t, pattern in templates() if pattern.fullmatch(path)), None)
    if template is None:
        return None if status in (400, 401, 403, 404) else "a path that is not in openapi.yaml"
    responses = _responses(method, template)
    if responses is None:
        return None if status in (400, 401, 403, 405) else "a method that is not in openapi.yaml"
    key = next((k for k in (str(status), f"{status // 100}XX", "DEFAULT") if k in responses), None)
    if key is None:
        return f"status {status} is not in openapi.yaml"
    content = responses[key][1].get("content")
    media = headers.get("content-type", "").split(";")[0].strip()
    if not content:
        return None if not body else "a body where openapi.yaml has none"
    if media not in content and "*/*" in content:
        media = "*/*"
    if media not in content:
        return f"content type {media!r} is not in openapi.yaml ({', '.join(content)})"
    validator = _validator(method, template, key, media)
    if validator is None or media != "application/json":
        return None
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


def rebased(node, base):
    """A copy whose relative $refs are absolute."""
    if isinstance(node, dict):
        return {k: (urljoin(base, v) if k == "$ref" and isinstance(v, str) else rebased(v, base))
                for k, v in node.items()}
    if isinstance(node, list):
        return [rebased(v, base) for v in node]
    return node


def meant(path):
    """Azure's paths are further spellings of ours."""
    path = re.sub(r"^/openai/deployments/[^/]+/(chat/completions|embeddings|completions)(?=$|\?)",
                  r"/v1/\1", path)
    return re.sub(r"^/openai/(v1/|(?=models|responses))", "/v1/", path)


def check(method, path, status, headers, body):
    """Notes what is wrong with an answer; headers: a mapping with lower-case names."""
    if os.environ.get("PARLEY_SPEC") == "off" or not FILE.exists():
        return
    problem = _problem(method, meant(path), status, headers, body)
    if problem:
        shown = body[:600] if body else b""
        violations.append(f"{method} {path} -> {status}: {problem}\n  body: {shown!r}")
