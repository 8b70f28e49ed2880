"""Bytes that are no UTF-8, wherever a client can put them: each error is JSON in UTF-8."""

import json

import pytest

import spec
from raw import Closed, Raw, get

PATHS = sorted(spec.document()["paths"])
METHODS = ["GET", "POST", "DELETE", "PUT", "OPTIONS", "G\xffT", "\xc3("]
BODIES = [b"", b"{}", b'{"\xff":"\xfe"}', b"\xff\xfe"]


def variants(path):
    for id in ("%ff%fe", "\xff\xfe", "a\xe2\x82"):
        yield spec.filled(path, id)
    for query in ("limit=\xff", "after=%ff", "order=%c3(", "format=\xff", "%ff=1", "q=%ff\xfe",
                  "model=%ff", "status=%ff", "group=%ff", "from=\xff"):
        yield spec.filled(path, "x") + "?" + query
    yield path + "\xff"


def every_error_is_json(gateway, requests):
    seen = 0
    raw = Raw(gateway)
    for request in requests:
        try:
            reply = raw.send(request).read_head()
            stream = reply.status == 200 and "text/event-stream" in reply.headers["content-type"]
            if not stream and not request.startswith(b"HEAD"):
                reply.body = b"".join(raw.pieces(reply))
        except Closed as closed:
            pytest.fail(f"{request!r}: {closed}")
        if reply.status >= 400:
            error = json.loads(reply.body.decode("utf-8"))["error"]
            assert error if isinstance(error, str) else error["message"] and error["code"], request
            seen += 1
        if reply.closes or stream: # a stream may have no end
            raw.close()
            raw = Raw(gateway)
    raw.close()
    return seen


@pytest.mark.parametrize("method", METHODS)
def test_in_paths_and_queries_and_methods(start, method):
    gateway = start()
    mark = len(gateway.lines)
    lengths = ["Content-Length: 0"] if method == "POST" else []
    requests = [get(target, *lengths, method=method) for path in PATHS for target in variants(path)]
    # OPTIONS is answered wherever there is a path: what fails then is the one with a byte behind it
    fixed = [path for path in PATHS if not path.endswith("}") and "/admin/" not in path]
    assert every_error_is_json(gateway, requests) >= (len(fixed) if method == "OPTIONS" else len(PATHS))
    gateway.stop()
    for line in gateway.lines[mark:]:
        json.loads(line)
        assert "�" not in line  # as what is no UTF-8 would show here


@pytest.mark.parametrize("body", BODIES)
def test_in_bodies_and_headers(start, body):
    gateway = start()
    odd = ["Content-Type: application/json", "Content-Type: \xff", "Accept: \xff", "Last-Event-ID: \xff\xfe",
           "If-Match: \xff", "Idempotency-Key: \xff", "X-Client-Request-Id: \xff", "Content-Encoding: \xff"]
    requests = [get(spec.filled(path, "x"), header, f"Content-Length: {len(body)}", method="POST") + body
                for path in PATHS for header in odd]
    assert every_error_is_json(gateway, requests) > len(PATHS)


def test_what_is_quoted_is_still_told(client, shared):
    with Raw(shared) as raw:
        reply = raw.send(get("/v1/models/a%ffb%c3%bc")).read()
        error = json.loads(reply.body.decode("utf-8"))["error"]
        assert reply.status == 404 and "a\ufffdbü" in error["message"], error
