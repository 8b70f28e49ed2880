"""Who may ask: keys in every form, the three 401s apart, and the Host rule without keys."""

import hashlib

import pytest

from client import Client
from gateway import CANARY
from raw import Raw, get

KEY = f"pk-{CANARY}-one"
OTHER = f"pk-{CANARY}-two"


def status(gateway, headers, path="/v1/models"):
    with Client(gateway.url) as client:
        return client.get(path, headers=headers).status


@pytest.fixture
def locked(start):
    return start(env={"PARLEY_API_KEY": KEY})


@pytest.mark.parametrize("headers", [
    {"Authorization": f"Bearer {KEY}"}, {"authorization": f"bearer {KEY}"},
    {"Authorization": f"BEARER {KEY}"}, {"Authorization": f"bEaReR  {KEY}"},
    {"x-api-key": KEY}, {"X-API-Key": KEY}, {"api-key": KEY}, {"API_KEY": KEY}])
def test_a_key_is_taken_in_every_form(locked, headers):
    with Client(locked.url) as client:
        client.get("/v1/models", headers=headers).ok()
        client.post("/v1/chat", {"messages": ["hi"]}, headers=headers).ok()


CASES = [
    ({}, "missing_api_key"),
    ({"Authorization": "Bearer"}, "malformed_authorization"),
    ({"Authorization": f"Basic {KEY}"}, "malformed_authorization"),
    ({"Authorization": KEY}, "malformed_authorization"),
    ({"Authorization": f"Bearer {KEY} more"}, "malformed_authorization"),
    ({"Authorization": "Bearer " + 9000 * "k"}, "malformed_authorization"),
    ({"x-api-key": "ey." + 9000 * "k"}, "malformed_authorization"),
    ({"Authorization": "Bearer wrong"}, "invalid_api_key"),
    ({"Authorization": f"Bearer {KEY}x"}, "invalid_api_key"),
    ({"Authorization": f"Bearer {KEY[:-1]}"}, "invalid_api_key"),
    ({"Authorization": f"Bearer {KEY.upper()}"}, "invalid_api_key"),
    ({"x-api-key": "wrong"}, "invalid_api_key"),
    ({"api-key": "sha256:" + hashlib.sha256(KEY.encode()).hexdigest()}, "invalid_api_key"),
]


@pytest.mark.parametrize("headers, code", CASES)
def test_the_401s_are_told_apart(locked, headers, code):
    with Client(locked.url) as client:
        for reply in (client.get("/v1/models", headers=headers),
                      client.post("/v1/chat", {"messages": ["hi"]}, headers=headers),
                      client.post("/v1/chat", b"{not json", headers=headers)):
            error = reply.error(401, code, type="invalid_request_error")
            assert reply.headers["www-authenticate"].startswith("Bearer")
            assert KEY not in error["message"]


def test_a_refused_body_is_not_read(locked):
    """401 comes before a large body has to be sent."""
    with Raw(locked) as raw:
        raw.send(b"POST /v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n")
        reply = raw.read()
    assert reply.status == 401, "not 100 Continue"


def test_service_routes_need_no_key(locked):
    for path in ("/livez", "/readyz", "/healthz", "/openapi.yaml", "/openapi.json"):
        assert status(locked, {}, path) == 200, path


def test_with_a_key_any_host_is_fine(locked):
    with Raw(locked) as raw:
        raw.send(get("/v1/models", f"Authorization: Bearer {KEY}", host="gateway.example"))
        assert raw.read("GET", "/v1/models").status == 200


@pytest.mark.parametrize("host, allowed", [
    ("localhost", True), ("localhost:8080", True), ("LOCALHOST", True), ("127.0.0.1", True),
    ("127.0.0.1:1", True), ("[::1]", True), ("[::1]:8080", True), ("evil.example", False),
    ("evil.example:8080", False), ("localhost.evil.example", False), ("127.0.0.1.evil.example",
                                                                      False),
    ("localhost@evil.example", False), ("0.0.0.0", False), ("[::2]", False)])
def test_without_keys_only_local_host_names_are_served(shared, host, allowed):
    for path in ("/v1/models", "/livez"):
        with Raw(shared) as raw:
            reply = raw.send(get(path, host=host)).read("GET", path)
        if allowed:
            assert reply.status == 200, reply
        elif path != "/livez":
            assert reply.status in (400, 403), reply
            if reply.status == 403:
                assert b'"host_not_allowed"' in reply.body


def test_listening_elsewhere_without_keys_is_refused(start):
    for listen in ("0.0.0.0:0", "[::]:0"):
        gateway = start(listen=listen, ready=False)
        code, said = gateway.fails_to_start()
        assert "key" in said.lower() and listen.rsplit(":", 1)[0].strip("[]") in said, said


def test_listening_elsewhere_with_a_key_is_fine(start):
    gateway = start(listen="0.0.0.0:0", env={"PARLEY_API_KEY": KEY},
                    args=["--admin-listen", "127.0.0.1:0"])
    gateway.host = "127.0.0.1"
    with Client(f"http://127.0.0.1:{gateway.port}") as client:
        client.get("/v1/models", headers={"api-key": KEY}).ok()
        client.get("/v1/models").error(401)
        assert client.get("/metrics").status == 404, "metrics are on admin_listen only"


def test_keys_of_a_file_and_as_hashes(start, tmp_path):
    """The environment's key, one of a file and a hashed one are all good."""
    file = tmp_path / "key"
    file.write_text(OTHER + "\n")
    file.chmod(0o600)
    third = f"pk-{CANARY}-three"
    gateway = start({"api_keys": [
        {"file": str(file)}, {"env": "THIRD"}, {"env": "HASHED"}]}, env={
            "THIRD": third, "HASHED": "sha256:" + hashlib.sha256(KEY.encode()).hexdigest()})
    for key in (KEY, OTHER, third):
        assert status(gateway, {"Authorization": f"Bearer {key}"}) == 200
    assert status(gateway, {"Authorization": "Bearer sha256:" +
                            hashlib.sha256(KEY.encode()).hexdigest()}) == 401


def test_every_refused_key_is_counted_by_its_reason(locked):
    for headers in ({}, {"Authorization": KEY}, {"x-api-key": "wrong"}, {"x-api-key": "wrong"}):
        assert status(locked, headers) == 401
    with Client(locked.url) as client:
        lines = client.get("/metrics").body.decode().splitlines()
    counted = {line for line in lines if line.startswith("parley_auth_failures_total{")}
    assert counted == {
        'parley_auth_failures_total{reason="missing_api_key"} 1',
        'parley_auth_failures_total{reason="malformed_authorization"} 1',
        'parley_auth_failures_total{reason="invalid_api_key"} 2',
    }
