"""What openapi.yaml says of methods and queries holds for each of its paths."""

import pytest

import spec
from raw import Raw, get

SPEC = spec.document()


def filled(path):
    return spec.filled(path, "x")


@pytest.mark.parametrize("path", SPEC["paths"])
def test_allow_lists_the_methods_of_the_path(shared, path):
    methods = {m.upper() for m in SPEC["paths"][path]} - {"PARAMETERS", "SERVERS"}
    with Raw(shared) as raw:
        told = raw.send(get(filled(path), method="OPTIONS")).read().headers["allow"]
    # HEAD goes without saying where GET is
    assert set(told.split(", ")) - {"HEAD"} == (methods | {"OPTIONS"}) - {"HEAD"}
    assert ("HEAD" in told) <= ("GET" in methods)


def test_the_import_is_no_conversation(shared):
    with Raw(shared) as raw:
        assert raw.send(get("/v1/conversations/import", method="OPTIONS")).read().headers["allow"] \
            == "POST, OPTIONS"
        for method in ("GET", "DELETE", "PUT"):
            reply = raw.send(get("/v1/conversations/import", method=method)).read()
            assert reply.status == 405 and reply.headers["allow"] == "POST, OPTIONS"


def queries():
    for path, methods in SPEC["paths"].items():
        for described in methods.get("get", {}).get("parameters", []):
            described = spec.resolved(described)
            if described["in"] == "query":
                yield path, described["name"]


QUERIES = list(queries())


def test_there_are_queries():
    assert {"order", "limit", "status", "format", "after"} <= {name for _, name in QUERIES}


@pytest.mark.parametrize("path, name", QUERIES)
def test_an_empty_value_means_absent(shared, path, name):
    with Raw(shared) as raw:
        without = raw.send(get(filled(path))).read()
        for query in (f"{name}=", name, f"{name}=&{name}="):
            reply = raw.send(get(f"{filled(path)}?{query}")).read()
            assert reply.status == without.status, (query, reply)
            if without.status == 400:
                assert reply.body.split(b"request_id")[0] == without.body.split(b"request_id")[0]
