"""Routes and openapi.yaml are the same set, both ways, and the document is sound."""

import json

import pytest

import gateway
import spec


def binary_routes():
    result = gateway.run("--dump-routes")
    assert result.returncode == 0, result.stderr
    rows = {tuple(line.split(None, 1)) for line in result.stdout.splitlines() if line.strip()}
    return {(method, template.strip()) for method, template in rows
            if method not in ("HEAD", "OPTIONS")}


def plain(rows):
    """Names of parameters do not matter for the comparison."""
    return {(m, spec.filled(t, "{}")) for m, t in rows}


def test_routes_and_contract_are_the_same_set():
    ours, theirs = plain(binary_routes()), plain(spec.routes())
    assert ours - theirs == set(), "routes that openapi.yaml does not have"
    assert theirs - ours == set(), "paths of openapi.yaml that are not served"


def test_every_operation_has_an_id_and_errors():
    ids = []
    for template, item in spec.document()["paths"].items():
        for method, operation in item.items():
            if method not in spec.METHODS:
                continue
            where = f"{method} {template}"
            assert operation.get("operationId"), where
            ids.append(operation["operationId"])
            assert operation["responses"], where
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("path", ["/v1/chat", "/v1/chat/completions"])
def test_streams_are_described_with_examples(path):
    content = spec.document()["paths"][path]["post"]["responses"]["200"]["content"]
    assert "application/json" in content
    stream = content["text/event-stream"]
    assert "data: [DONE]" in json.dumps(stream)
