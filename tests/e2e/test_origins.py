"""What a page of another origin may ask of a gateway without keys: a browser sends its forms and
uploads without asking first, so nothing of the kind may write."""

import json

import pytest

import gateway as gw
import keys
from client import Client

FOREIGN = ["https://evil.example", "null", "http://localhost", ""]
ALLOWED = "http://page.example"
FORM = {"Content-Type": "multipart/form-data; boundary=b"}
UPLOAD = (b'--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n'
          b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n')
LINES = json.dumps({"type": "conversation", "version": 1}).encode()


def writes():
    """(method, path) of each row of the table of routes that is not a GET."""
    rows = [row.split() for row in gw.run("--dump-routes").stdout.split("\n")[:-1]]
    return [(method, path.replace("{id}", "x")) for method, path in rows if method != "GET"]


def refused(client, method, path, origin):
    reply = client.request(method, path, b"" if method == "POST" else None,
                           headers={"Origin": origin})
    plain = path.startswith("/api/") and not path.startswith("/api/sdk/")  # Ollama's errors are a text alone
    return reply.status == 403 and (plain or b"host_not_allowed" in reply.body) and b"origin" in reply.body


@pytest.fixture(params=["main", "admin"])
def address(start, request):
    gateway = start({"cors_origins": [ALLOWED]}, args=["--admin-listen", "127.0.0.1:0"])
    return keys.admin_url(gateway) if request.param == "admin" else gateway.url


def test_no_foreign_page_writes(address):
    rows = writes()
    assert len(rows) > 30
    with Client(address) as client:
        taken = [f"{method} {path} of {origin!r}" for method, path in rows for origin in FOREIGN
                 if not refused(client, method, path, origin)]
        assert not taken
        # Not even its own port, with another scheme or with more behind it.
        for origin in (address.replace("http:", "ftp:"), address + "0", address + "/"):
            assert refused(client, "POST", "/v1/conversations", origin)


def test_its_own_pages_and_those_of_the_list_do(address):
    admin = [row for row in writes() if "/admin/" in row[1]]
    with Client(address) as client:
        assert [row for row in writes() if refused(client, *row, ALLOWED)] == admin
        assert not [row for row in writes() if refused(client, *row, address)]


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_what_a_form_can_send_stores_nothing(start, origin):
    page = {"Origin": origin}
    with Client(start().url) as client:
        for path, body, kind in (("/v1/files", UPLOAD, FORM),
                                 ("/v1/conversations/import", LINES, {"Content-Type": "text/plain"}),
                                 ("/v1/conversations", b"", {"Content-Type": "text/plain"})):
            error = client.post(path, body, headers={**kind, **page}).error(403, "host_not_allowed")
            assert "cors_origins" in error["message"] and "key" in error["message"]
        assert client.get("/v1/files").ok().json["data"] == []
        assert client.get("/v1/conversations").ok().json["data"] == []
        assert client.post("/v1/files", UPLOAD, headers=FORM).ok()
        # It may ask, and can't read the answer.
        reply = client.get("/v1/files", headers=page).ok()
        assert "access-control-allow-origin" not in reply.headers


def test_with_keys_the_key_decides(start):
    gateway = start(env={"PARLEY_API_KEY": "some-key-of-the-tests"})
    page = {"Origin": "https://evil.example"}
    with Client(gateway.url, page) as client:
        client.post("/v1/conversations").error(401, "missing_api_key")
        client.post("/v1/conversations", headers=keys.bearer("some-key-of-the-tests")).ok()
