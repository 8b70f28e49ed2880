#!/usr/bin/env python3
"""Holds openapi.yaml against itself, against schema/ and against the table of errors.

usage: openapi.py [--no-npm]

Checks that the bundle is up to date and refers to nothing outside itself, that each example
is valid (streams too, block by block), that each operation has what it must have, and runs the
linter of tests/lint/openapi (installed there by npm ci if it is missing; --no-npm leaves it out).
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import yaml
from jsonschema_rs import Draft202012Validator, meta

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import bundle_openapi  # noqa: E402

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
problems = []


def problem(text):
    problems.append(text)


def operations(document):
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                yield f"{method.upper()} {path}", operation


def resolve(document, node):
    while isinstance(node, dict) and "$ref" in node:
        target = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def validator(document, schema):
    """For a schema of the bundle, whose references all point into its components."""
    return Draft202012Validator({"components": document["components"], **schema})


def check_bundle():
    made = bundle_openapi.render()
    for name, text in made.items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            problem(f"{name} is not up to date; run scripts/bundle_openapi.py")
    return json.loads(made["openapi.json"])


def check_references(node, document, where="openapi.json"):
    if isinstance(node, list):
        for i, item in enumerate(node):
            check_references(item, document, f"{where}[{i}]")
    elif isinstance(node, dict):
        ref = node.get("$ref")
        if isinstance(ref, str):
            try:
                assert ref.startswith("#/")
                resolve(document, node)
            except (AssertionError, KeyError):
                problem(f"{where}: {ref} leads nowhere in the bundle")
        for key, value in node.items():
            check_references(value, document, f"{where}.{key}")


def blocks(text):
    """The blocks of a stream: (fields, data) each."""
    for block in re.split(r"\n\n", text.removesuffix("\n\n")):
        fields = {}
        for line in block.split("\n"):
            name, _, value = line.partition(": ")
            if name in fields:
                problem(f"a stream's example has two lines {name!r} in one block")
            fields[name] = value
        yield fields


TYPED = {"ResponseStream": ("response.completed", "response.incomplete", "response.failed", "error"),
         "MessageStream": ("message_stop", "error")}  # the types of a last event


def check_typed(where, schema, text, ends):
    """Each block is an event with the name of its type."""
    seen = list(blocks(text))
    for n, fields in enumerate(seen):
        value = json.loads(fields["data"])
        if fields.get("event") != value["type"]:
            problem(f"{where}: block {n + 1}: its event is not its type")
        for error in schema.iter_errors(value):
            problem(f"{where}: block {n + 1}: {error.message}")
        if value["type"] in ends and n < len(seen) - 1:
            problem(f"{where}: block {n + 1}: an end before the last event")


def check_stream(document, where, schema, text):
    for name, ends in TYPED.items():
        if schema is resolve(document, {"$ref": f"#/components/schemas/{name}"}):
            check_typed(where, validator(document, schema["contentSchema"]), text, ends)
            return
    native = schema is resolve(document, {"$ref": "#/components/schemas/NativeStream"})
    check = validator(document, schema["contentSchema"])
    seen = list(blocks(text))
    if not text.endswith("\n\n"):
        problem(f"{where}: the last block does not end with an empty line")
    for n, fields in enumerate(seen):
        last = n == len(seen) - 1
        data = fields.get("data")
        if not data:
            problem(f"{where}: block {n + 1} has no data")
            continue
        if native != ("id" in fields):
            problem(f"{where}: block {n + 1}: an id belongs to every native block and to no other")
        if data == "[DONE]":
            if not last or (native and fields.get("event") != "done"):
                problem(f"{where}: [DONE] is not as it must be")
            continue
        value = json.loads(data)
        for error in check.iter_errors(value):
            problem(f"{where}: block {n + 1}: {error.message}")
        if last and "error" not in value:
            problem(f"{where}: ends neither with [DONE] nor with an error")
        if "error" in value and native and fields.get("event") != "error":
            problem(f"{where}: the error has no event: error")
        if not last and "event" in fields:
            problem(f"{where}: block {n + 1}: only the last block is an event with a name")


def check_content(document, where, content):
    for media, entry in content.items():
        schema = resolve(document, entry.get("schema", {}))
        examples = entry.get("examples", {})
        if not examples and where[-3:] not in ("200",):
            problem(f"{where} {media}: no example")
        for name, example in examples.items():
            here = f"{where} {media} example {name}"
            if media == "text/event-stream":
                check_stream(document, here, schema, example["value"])
                continue
            for error in validator(document, schema).iter_errors(example["value"]):
                spot = "/".join(map(str, error.instance_path))
                problem(f"{here}: {spot}: {error.message}")


def check_schema_examples(document):
    for name, schema in document["components"]["schemas"].items():
        meta.validate(schema)
        for example in schema.get("examples", []):
            for error in validator(document, schema).iter_errors(example):
                problem(f"schema {name}: its example: {error.message}")


def check_paths(document):
    """A parameter is a whole segment; in the last one, a verb may follow it: {model}:embed."""
    for path in document["paths"]:
        segment = r"/(?:\{\w+\}|[^/{}:]+)"
        if path != "/" and not re.fullmatch(rf"(?:{segment})+(?:(?<=\}}):\w+)?", path):
            problem(f"{path}: a parameter is no whole segment, or a verb is not at the end")


def check_operations(document, codes):
    seen = set()
    for where, operation in operations(document):
        for key in ("operationId", "summary", "tags", "responses"):
            if key not in operation:
                problem(f"{where}: no {key}")
        if operation.get("operationId") in seen:
            problem(f"{where}: its operationId stands twice")
        seen.add(operation.get("operationId"))
        if "requestBody" in operation:
            check_content(document, where, resolve(document, operation["requestBody"])["content"])
        for status, response in operation["responses"].items():
            response = resolve(document, response)
            here = f"{where} {status}"
            if "x-request-id" not in response.get("headers", {}):
                problem(f"{here}: x-request-id is not among its headers")
            check_content(document, here, response.get("content", {}))
            for media in response.get("content", {}).values():
                for example in media.get("examples", {}).values():
                    check_error(here, int(status), example["value"], codes)


def check_error(where, status, value, codes):
    """An error in an example is one that the gateway can send, with its status."""
    if not isinstance(value, dict) or set(value) != {"error"}:
        return
    error = value["error"]
    # in Ollama's shape or Google's, whose example stands for all statuses
    if isinstance(error, str) or "status" in error:
        return
    # the words of a provider come with the provider's status
    if error["code"] != "upstream_rejected" and (status, error["type"]) != codes.get(error["code"]):
        problem(f"{where}: {error['code']} is not as in err.def")


def error_codes():
    """code to (status, type), from src/base/err.def."""
    text = (ROOT / "src/base/err.def").read_text(encoding="utf-8")
    rows = re.findall(r'^X\(\w+,\s*(\d+),\s*"([^"]+)",\s*"([^"]+)"', text, re.M)
    return {code: (int(status), kind) for status, kind, code in rows}


def check_with_npm():
    folder = ROOT / "tests/lint/openapi"
    env = os.environ | {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    if not (folder / "node_modules/.bin/redocly").exists():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                       env=env, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["npm", "run", "--silent", "lint"], cwd=folder, env=env,
                          capture_output=True, text=True)
    if done.returncode:
        problem(f"the linter complains:\n{done.stdout}{done.stderr}")


def main(arguments):
    if arguments not in ([], ["--no-npm"]):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    document = check_bundle()
    check_references(document, document)
    check_schema_examples(document)
    check_paths(document)
    check_operations(document, error_codes())
    if not arguments:
        check_with_npm()
    for text in problems:
        print(f"openapi: {text}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
