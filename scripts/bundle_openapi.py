#!/usr/bin/env python3
"""Makes openapi.json: openapi.yaml without references to other files.

usage: bundle_openapi.py [--check]

Each schema/NAME.json becomes components/schemas/NAME.  The version is that of CMakeLists.txt, which is
written into openapi.yaml too.  With --check nothing is written; the exit
status is 1 when a file is not what it would be.
"""

import json
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
# libyaml's parser, where PyYAML was built with it: a seventh of the time
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def source():
    """The text of openapi.yaml with the project's version."""
    project = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"^project\(parley VERSION ([0-9.]+)", project, re.M)[1]
    text = (ROOT / "openapi.yaml").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^(  version: )\S+$", rf"\g<1>{version}", text, count=1)
    return re.sub(r'(parley_build_info\{version=")[^"]*', rf"\g<1>{version}", text)


def load():
    """The document as it stands in openapi.yaml."""
    return yaml.load(source(), LOADER)


def bundle(document):
    """The document with every schema file moved into its components."""
    document.setdefault("components", {}).setdefault("schemas", {})
    schemas = {}  # of the files; the document's own may refer to them too
    waiting = []

    def name_of(ref, base):
        path = (base / ref).resolve()
        name = path.stem
        if not path.is_relative_to(ROOT) or path.suffix != ".json" or "#" in ref:
            raise SystemExit(f"bundle_openapi: {ref} is not a schema file of the project")
        if name not in schemas:
            schemas[name] = None  # keeps its place and stops the recursion
            waiting.append((name, path))
        return name

    def walk(node, base):
        if isinstance(node, list):
            return [walk(item, base) for item in node]
        if not isinstance(node, dict):
            return node
        out = {key: walk(value, base) for key, value in node.items()}
        ref = out.get("$ref")
        if isinstance(ref, str) and not ref.startswith("#"):
            out["$ref"] = f"#/components/schemas/{name_of(ref, base)}"
        return out

    document = walk(document, ROOT)
    while waiting:
        name, path = waiting.pop(0)
        schema = json.loads(path.read_text(encoding="utf-8"))
        schema.pop("$schema", None)
        schemas[name] = walk(schema, path.parent)
    schemas = document["components"]["schemas"] | schemas
    document["components"]["schemas"] = {
        name: schemas[name] for name in sorted(schemas, key=lambda n: (n.islower(), n))
    }
    return document


def render():
    """File name to text: openapi.yaml itself, and the bundle."""
    document = bundle(load())
    return {
        "openapi.yaml": source(),
        "openapi.json": json.dumps(document, indent=1, ensure_ascii=False) + "\n",
    }


def main(arguments):
    check = arguments == ["--check"]
    if arguments and not check:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    stale = 0
    for name, text in render().items():
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            print(f"{name} is not up to date; run scripts/bundle_openapi.py", file=sys.stderr)
            stale = 1
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
