"""Every answer that the tests see is held against openapi.yaml."""

import gzip
import json
import re
from functools import cache

from jsonschema_rs import Draft202012Validator, Registry

from gateway import PROJECT

# What openapi.yaml says, without references to other files; a lint checks that they are the same.
FILE = PROJECT / "openapi.json"
BASE = "urn:parley"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch")

violations = []  # of the running test; a fixture empties it and fails the test


@cache
def document():
    """Its $refs are absolute, so that any schema in it can be checked by itself."""
    return json.loads(FILE.read_text(), object_hook=lambda node: {
        key: BASE + value if key == "$ref" else value for key, value in node.items()})


@cache
def registry():
    return Registry([(BASE, document())])


@cache
def templates():
    rows = []
    for template in document()["paths"]:
        pattern = re.sub(r"\\\{[^/]+?\\\}(?=:)", ".+", re.escape(template))  # a name before a verb
        if template == "/v1/models/{id}":  # slashes are a part of the name
            pattern = "/v1/models/.+"
        pattern = re.sub(r"\\\{[^/]+?\\\}", "[^/]+", pattern)
        rows.append((template, re.compile(pattern)))
    return sorted(rows, key=lambda row: (row[0].count("{"), "}:" not in row[0]))


def filled(template, value):
    """A path with value in place of each parameter."""
    return re.sub(r"\{[^/]+?\}", lambda _: value, template)


def routes():
    """The set of (METHOD, /template) in the contract."""
    return {(method.upper(), template) for template, item in document()["paths"].items()
            for method in item if method in METHODS}


def resolved(node):
    """What stands in place of a $ref; all point into the document."""
    while "$ref" in node:
        found = document()
        for step in node["$ref"].removeprefix(f"{BASE}#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        node = found
    return node


@cache
def _responses(method, template):
    """The described answers by status; None: no such method."""
    operation = resolved(document()["paths"][template]).get(method.lower())
    return operation and {str(status).upper(): resolved(response)
                          for status, response in operation["responses"].items()}


@cache
def _validator(method, template, status, media):
    schema = _responses(method, template)[status]["content"][media].get("schema")
    return schema and Draft202012Validator(schema, registry=registry())


def _problem(method, path, status, headers, body):
    if status == 426 or method == "OPTIONS":  # of any route, as the description says once for all
        return None
    path = re.sub(r"/+", "/", path.split("?")[0])
    if len(path) > 1:
        path = path.rstrip("/")
    template = next((t for t, pattern in templates() if pattern.fullmatch(path)), None)
    if template is None:
        return None if status in (400, 401, 403, 404) else "a path that is not in openapi.yaml"
    responses = _responses(method, template)
    if responses is None:
        verb = status == 404 and ":" in path  # no name: an unknown verb
        return None if verb or status in (400, 401, 403, 405) else "a method that is not in openapi.yaml"
    key = next((k for k in (str(status), f"{status // 100}XX", "DEFAULT") if k in responses), None)
    if key is None:
        return f"status {status} is not in openapi.yaml"
    content = responses[key].get("content")
    media = headers.get("content-type", "").split(";")[0].strip()
    if not content:
        return None if not body else "a body where openapi.yaml has none"
    if media not in content and "*/*" in content:
        media = "*/*"
    if media not in content:
        return f"content type {media!r} is not in openapi.yaml ({', '.join(content)})"
    validator = _validator(method, template, key, media)
    if validator is None or media != "application/json" or body is None:  # None: a stream, which is read later
        return None
    try:
        value = json.loads(gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body)
    except ValueError as error:
        return f"the body is not JSON: {error}"
    errors = sorted(validator.iter_errors(value), key=lambda e: len(e.instance_path))
    if errors:
        where = "/".join(map(str, errors[0].instance_path)) or "the body"
        return f"{where}: {errors[0].message[:400]}"
    return None


def meant(path):
    """Azure's paths and Gemini's are further spellings of ours."""
    path = re.sub(r"^/openai/deployments/[^/]+/(chat/completions|embeddings|completions)(?=$|\?)",
                  r"/v1/\1", path)
    path = re.sub(r"^/v1beta/(?!models/|openai/)(?=.*:[^/]+$)", "/v1/models/", path)
    path = re.sub(r"^/v1beta/(models(?=[/?]|$)|openai(?=/))", lambda m: "/v1" + "/models" * (m[1] == "models"), path)
    return re.sub(r"^/openai/(v1/|(?=models|responses))", "/v1/", path)


def check(method, path, status, headers, body):
    """Notes what is wrong with an answer; headers: a mapping with lower-case names."""
    problem = _problem(method, meant(path), status, headers, body)
    if problem:
        shown = body[:600] if body else b""
        violations.append(f"{method} {path} -> {status}: {problem}\n  body: {shown!r}")
