"""The routes around the work: health, metrics, the contract, and what HTTP expects."""

import gzip
import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

import gateway as gw
from raw import Raw, get, post


CONTRACT = gw.PROJECT / "openapi.json"


def ask(gateway, request, method="GET", path=None):
    with Raw(gateway) as raw:
        return raw.send(request).read(method, path)


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz"])
def test_health(client, path):
    assert client.get(path).ok()
    assert client.get(path + "?verbose").ok()


def test_metrics_are_prometheus_text(client, shared):
    client.chat("hi").ok()
    client.chat("hi", model="nobody").error(404)
    reply = client.get("/metrics").ok()
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    text = reply.body.decode()
    assert text.endswith("\n")
    families, seen = {}, set()
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in families, f"TYPE twice: {name}"
            families[name] = kind
        elif line.startswith("# HELP "):
            continue
        else:
            match = re.fullmatch(r'([a-z_:][a-z0-9_:]*)(\{[^{}]*\})? (\S+)', line, re.I)
            assert match, f"odd line: {line}"
            float(match[3])
            family = re.sub(r"_(bucket|sum|count)$", "", match[1])
            assert family in families or match[1] in families, f"no TYPE for {line}"
            assert (match[1], match[2]) not in seen, f"twice: {line}"
            seen.add((match[1], match[2]))
            assert re.match(r"parley_|process_", line), line
    for name in ("parley_build_info", "parley_http_requests_total", "process_open_fds",
                 "process_resident_memory_bytes"):
        assert any(s[0] == name for s in seen), f"no {name}"
    assert 'nobody' not in text, "a label from a client"


def test_the_contract_is_served(client):
    plain = {"Accept-Encoding": "identity"}
    reply = client.get("/openapi.yaml", headers=plain).ok()
    assert "yaml" in reply.headers["content-type"]
    document = yaml.safe_load(reply.body)
    assert document["openapi"].startswith("3.1")
    bundled = client.get("/openapi.json", headers=plain).ok().json
    assert set(bundled["paths"]) == set(document["paths"])
    references = re.findall(r'"\$ref":\s*"([^"]*)"', json.dumps(bundled))
    assert all(r.startswith("#") for r in references), "bundled: no reference outside itself"


@pytest.mark.parametrize("kind", ["yaml", "json"])
@pytest.mark.parametrize("accepts", [None, "gzip", "identity", "gzip;q=0", "*"])
def test_the_contract_is_compressed_for_clients_that_take_it(shared, kind, accepts):
    headers = [f"Accept-Encoding: {accepts}"] if accepts else []
    reply = ask(shared, get(f"/openapi.{kind}", *headers))
    wants = accepts in ("gzip", "*")
    assert reply.status == 200 and reply.headers["content-type"] == f"application/{kind}"
    assert (reply.headers.get("content-encoding") == "gzip") == wants
    assert (gzip.decompress(reply.body) if wants else reply.body) == CONTRACT.read_bytes()
    assert reply.headers["vary"] == "Accept-Encoding"
    tag = reply.headers["etag"]
    assert tag.endswith('-gzip"') == wants, "two forms of a file have two tags"
    known = ask(shared, get(f"/openapi.{kind}", *headers, f"If-None-Match: {tag}"))
    assert known.status == 304 and known.body == b"" and known.headers["etag"] == tag


def test_the_program_has_the_contract_once_and_compressed():
    program = gw.BINARY.read_bytes()
    packed = subprocess.run(["gzip", "-9nc", CONTRACT], capture_output=True, check=True).stdout
    assert len(packed) <= 90_000
    assert program.count(packed) == 1, "as it was compressed at build time"
    assert b'"operationId"' not in program and b"operationId:" not in program, "a raw copy"


def test_models_are_listed_and_found(client, script):
    value = client.get("/v1/models").ok().json
    assert value["object"] == "list"
    ids = [m["id"] for m in value["data"]]
    assert "echo" in ids and len(set(ids)) == len(ids)
    for model in value["data"]:
        assert model["object"] == "model" and isinstance(model["created"], int)
        assert isinstance(model["owned_by"], str)
    assert client.get("/v1/models/echo").ok().json["id"] == "echo"
    client.get("/v1/models/nobody").error(404, "model_not_found")


def test_a_model_id_may_hold_an_escaped_slash(shared, script):
    reply = ask(shared, get("/v1/models/t%2Ftiny%3A7b"), path="/v1/models/t%2Ftiny%3A7b")
    assert reply.status == 200 and json.loads(reply.body)["id"] == "t/tiny:7b"


@pytest.mark.parametrize("path", ["/chat/completions", "/models", "/chat", "/conversations/x",
                                  "/embeddings"])
def test_a_path_without_v1_gets_a_hint(client, path):
    reply = client.post(path, {}) if "chat" in path else client.get(path)
    assert "/v1" in reply.error(404, "unknown_url")["message"]


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/", "/v1/nothing", "/v2/chat", "/v1/chat/x/y",
                                  "/v1/chats", "/favicon.ico", "/v1/runs/a/b/c"])
def test_unknown_paths_are_404(client, path):
    client.get(path).error(404, "unknown_url")


@pytest.mark.parametrize("method, path, allowed", [
    ("GET", "/v1/chat", {"POST"}), ("DELETE", "/v1/models", {"GET", "HEAD"}),
    ("PUT", "/v1/chat/completions", {"POST"}), ("PATCH", "/livez", {"GET", "HEAD"}),
    ("BREW", "/v1/chat", {"POST"}), ("POST", "/v1/models", {"GET", "HEAD"}),
    ("POST", "/metrics", {"GET", "HEAD"})])
def test_a_wrong_method_is_405_with_allow(client, method, path, allowed):
    reply = client.request(method, path)
    reply.error(405, "method_not_allowed")
    got = {m.strip() for m in reply.headers["allow"].split(",")}
    assert allowed <= got and method not in got


# Codex tries a socket first: on 405 it asks five times more, on 404 it warns, on 426 it goes on over HTTP.
@pytest.mark.parametrize("path, wanted", [
    ("/v1/responses", "websocket"), ("/v1/messages", "h2c, WebSocket"), ("/v1/chat/completions", "websocket"),
    ("/v1/chat", "WEBSOCKET,h2c"), ("/v1/models", "websocket"), ("/v1/conversations", "websocket")])
def test_a_websocket_is_refused_at_once(client, path, wanted):
    socket = {"Connection": "Upgrade", "Upgrade": wanted, "Sec-WebSocket-Version": "13",
              "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "OpenAI-Beta": "responses_websockets=2026-02-06"}
    reply = client.get(path, headers=socket)
    reply.error(426, "websocket_not_supported")
    assert "upgrade" not in reply.headers
    client.get("/v1/nothing", headers=socket).error(404, "unknown_url")
    assert client.get("/v1/models", headers={"Upgrade": "h2c", "Connection": "Upgrade"}).status == 200
    assert client.post("/v1/chat/completions", {"model": "echo", "messages": [{"role": "user", "content": "a"}]},
                       headers=socket).status == 200


@pytest.mark.parametrize("path", ["/livez", "/v1/models", "/openapi.json", "/metrics",
                                  "/v1/models/echo"])
def test_head_is_get_without_its_body(shared, path):
    with Raw(shared) as raw:
        head = raw.send(get(path, method="HEAD")).read("HEAD")
        body = raw.send(get(path)).read("GET")
    assert head.status == body.status == 200
    assert head.headers["content-type"] == body.headers["content-type"]
    if path != "/metrics":
        assert head.headers["content-length"] == body.headers["content-length"]


def test_head_of_what_is_not_there(shared):
    assert ask(shared, get("/v1/models/nobody", method="HEAD"), "HEAD").status == 404


@pytest.mark.parametrize("path", ["/v1/chat", "/v1/models", "/v1/runs/x"])
def test_options_tells_what_is_allowed(client, path):
    reply = client.request("OPTIONS", path)
    assert reply.status == 204 and not reply.body
    assert "OPTIONS" in reply.headers["allow"]
    assert "content-type" not in reply.headers


def test_options_of_the_server(shared):
    assert ask(shared, get("*", method="OPTIONS"), "OPTIONS").status in (200, 204)


def preflight(client, origin, headers="authorization, content-type, x-stainless-lang"):
    return client.request("OPTIONS", "/v1/chat/completions", headers={
        "Origin": origin, "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": headers})


def test_cors_is_off_by_default(client):
    assert "access-control-allow-origin" not in preflight(client, "http://a.example").headers
    reply = client.get("/v1/models", headers={"Origin": "http://a.example"})
    assert "access-control-allow-origin" not in reply.headers


def test_cors_answers_the_origins_of_the_list(start):
    from client import Client
    gateway = start({"cors_origins": ["http://a.example"]},
                    env={"PARLEY_API_KEY": "some-key-of-the-tests"})
    with Client(gateway.url) as client:
        reply = preflight(client, "http://a.example")
        assert reply.status == 204, "a preflight has no key"
        assert reply.headers["access-control-allow-origin"] == "http://a.example"
        assert "origin" in reply.headers["vary"].lower()
        assert "POST" in reply.headers["access-control-allow-methods"]
        allowed = reply.headers["access-control-allow-headers"].lower()
        for name in ("authorization", "content-type", "x-stainless-lang"):
            assert name in allowed
        assert int(reply.headers["access-control-max-age"]) > 0
        assert "access-control-allow-origin" not in preflight(client, "http://b.example").headers
        bad = preflight(client, "http://a.example", "a b, c\x01d").headers
        assert "\x01" not in bad.get("access-control-allow-headers", "")
        for headers in ({"api-key": "some-key-of-the-tests"}, {}):
            reply = client.get("/v1/models", headers={"Origin": "http://a.example", **headers})
            assert reply.headers["access-control-allow-origin"] == "http://a.example", "401 too"
            exposed = reply.headers["access-control-expose-headers"].lower()
            assert "x-request-id" in exposed and "retry-after" in exposed
        with client.stream("/v1/chat", {"messages": ["hi"], "stream": True}, headers={
                "Origin": "http://a.example", "api-key": "some-key-of-the-tests"}) as stream:
            assert stream.headers["access-control-allow-origin"] == "http://a.example"
            stream.native()


@pytest.mark.parametrize("target", ["//v1//models", "/v1/models/", "///v1/models//",
                                    "http://localhost/v1/models", "/v1/%6dodels", "/v1/models?",
                                    "/v1/models?a=b&c"])
def test_paths_are_made_plain(shared, target):
    reply = ask(shared, get(target))
    assert reply.status == 200 and json.loads(reply.body)["object"] == "list", reply


@pytest.mark.parametrize("target", ["/v1/../v1/models", "/v1/./models", "/v1/%2e%2e/models",
                                    "/v1/models/%00", "/v1/models/%zz", "/v1/models/%4",
                                    "/v1/models/%", "/v1/models/a%00b", "/v1/models/%ff"])
def test_odd_paths_are_refused(shared, target):
    reply = ask(shared, get(target))
    assert reply.status in (400, 404), reply
    if "%" in target and "%2e" not in target and "%ff" not in target:
        assert reply.status == 400, reply


def test_every_answer_has_a_request_id_of_its_own(client, shared):
    ids = set()
    for path in ("/livez", "/v1/models", "/nothing", "/metrics", "/v1/runs/x", "/openapi.yaml"):
        reply = client.get(path, headers={"x-request-id": "mine-1"})
        assert re.fullmatch(r"req_[0-9a-f]{32}", reply.headers["x-request-id"]), path
        ids.add(reply.headers["x-request-id"])
    assert len(ids) == 6
    reply = ask(shared, post("/v1/chat", b"{"))
    assert reply.headers["x-request-id"] == json.loads(reply.body)["error"]["request_id"]


def test_json_answers_have_a_length_and_are_not_cached(client):
    reply = client.chat("hi").ok()
    assert int(reply.headers["content-length"]) == len(reply.body)
    assert reply.headers["content-type"].startswith("application/json")
    assert "no-store" in reply.headers["cache-control"]


def test_accept_is_not_negotiated(client):
    for accept in ("text/html", "application/json", "text/event-stream", "image/png;q=1"):
        client.post("/v1/chat", {"messages": ["hi"]}, headers={"Accept": accept}).ok()


def test_pipelined_requests_are_answered_in_order(shared):
    with Raw(shared) as raw:
        bodies = [b'{"messages":["%d"]}' % i for i in range(10)]
        raw.send(b"".join(post("/v1/chat", b) for b in bodies))
        for i in range(10):
            reply = raw.read("POST", "/v1/chat")
            assert json.loads(reply.body)["choices"][0]["message"]["content"] == str(i)


def test_a_request_may_come_a_byte_at_a_time(shared):
    with Raw(shared) as raw:
        for byte in post("/v1/chat", b'{"messages":["slow"]}'):
            raw.send(bytes([byte]))
        assert b"slow" in raw.read("POST", "/v1/chat").body


def test_expect_100_continue_is_answered(shared):
    body = b'{"messages":["hi"]}'
    with Raw(shared) as raw:
        request = post("/v1/chat", body, "Expect: 100-continue")
        raw.send(request[:-len(body)])
        assert raw.read_head().status == 100
        assert raw.send(body).read("POST", "/v1/chat").status == 200


def test_a_chunked_request_body_is_fine(shared):
    with Raw(shared) as raw:
        raw.send(post("/v1/chat", b'4\r\n{"me\r\nf\r\nssages":["hi"]}\r\n0\r\n\r\n',
                      "Transfer-Encoding: chunked", length=False))
        assert raw.read("POST", "/v1/chat").status == 200


def test_an_idle_gateway_has_not_begun_with_tls_for_providers(start):
    """libcrypto costs two megabytes at its first use, which a gateway that asks nobody never has."""
    gateway = start()
    touched = {}
    for line in (Path("/proc") / str(gateway.process.pid) / "smaps").read_text().splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            name = line.split()[5].rpartition("/")[2] if len(line.split()) > 5 else ""
        elif line.startswith("Rss:"):
            touched[name] = touched.get(name, 0) + int(line.split()[1])
    crypto = [kb for name, kb in touched.items() if name.startswith("libcrypto.so")]
    assert len(crypto) == 1 and crypto[0] < 2048, touched
