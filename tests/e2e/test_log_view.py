"""GET /v1/admin/log: the last lines of the log by level and request, and those to come."""

import contextlib
import json
import urllib.parse

import pytest

import keys
import spec
from client import Client, Stream
from waiting import wait_until

SECRET = "zebraword"


def lines(admin, **query):
    return admin.get("/v1/admin/log?" + urllib.parse.urlencode(query)).ok().json["data"]


@contextlib.contextmanager
def following(admin, **query):
    """The stream, when it has told the lines of before; those are in .before."""
    path = "/v1/admin/log?" + urllib.parse.urlencode(query)
    request, sent = admin._build("GET", path, None, {"Accept": "text/event-stream"})
    response = admin.http.send(request, stream=True)
    try:
        spec.check("GET", path, response.status_code, response.headers,
                   None if response.status_code == 200 else response.read())
        stream = Stream(response, sent).check_head()
        stream.before = []
        while (line := stream.next_data().json) != {"object": "ready"}:
            stream.before.append(line)
        yield stream
    finally:
        response.close()


@pytest.fixture
def gateway(start):
    return start(args=["--admin-listen", "127.0.0.1:0", "--log-level", "info"])


def test_the_last_lines_are_told_by_level_and_request(gateway):
    with Client(keys.admin_url(gateway)) as admin:
        done = admin.chat(SECRET).ok()
        refused = admin.post("/v1/chat", {"messages": 7})
        wait_until(lambda: lines(admin, request_id=refused.headers["x-request-id"]), "the line")
        one, = lines(admin, request_id=done.headers["x-request-id"])
        assert (one["level"], one["event"]) == ("info", "request")
        written = json.loads(one["text"])
        assert written["request_id"] == one["request_id"] == done.headers["x-request-id"]
        assert written["ts"] == one["at"] and written["status"] == 200
        assert lines(admin, level="error") == []
        everything = lines(admin)
        assert [e["at"] for e in everything] == sorted(e["at"] for e in everything)
        assert SECRET not in json.dumps(everything)
        page = admin.get("/v1/admin/log").ok().json
        later = lines(admin, after=page["last_id"])
        assert all(int(line["id"]) > int(page["last_id"]) for line in later)
        # The id of a line leads to those after it.
        assert lines(admin, after=everything[0]["id"])[0]["id"] == everything[1]["id"]
        # A process that has logged less begins anew.
        assert lines(admin, after="9" * 18)[0]["id"] == everything[0]["id"]


def test_a_stream_brings_new_lines_and_resumes(gateway):
    with Client(keys.admin_url(gateway)) as admin, Client(gateway.url) as client:
        with following(admin) as stream:
            assert stream.before
            done = client.chat("hi").ok()
            while (block := stream.next_data()).json["request_id"] != done.headers["x-request-id"]:
                pass
        again = client.chat("hi").ok()
        with following(admin, after=block.json["id"], level="info") as stream:
            seen = stream.before
            while not seen or seen[-1]["request_id"] != again.headers["x-request-id"]:
                seen.append(stream.next_data().json)
            assert all(int(line["id"]) > int(block.json["id"]) for line in seen)
        with following(admin, request_id=again.headers["x-request-id"]) as stream:
            assert len(stream.before) == 1


def test_a_stream_ends_with_its_gateway(gateway):
    with Client(keys.admin_url(gateway)) as admin:
        with following(admin, level="error") as stream:
            gateway.signal(15)
            assert stream.next_data().event == "done"
        gateway.wait_exit()


def test_a_stream_ends_with_its_key(gateway):
    boss = keys.known(gateway, keys.make(gateway, "--scopes", "admin"))
    with keys.client_of(gateway, boss["key"], admin=True) as admin:
        with following(admin, level="error") as stream:
            keys.command(gateway, "revoke", boss["id"])
            block = stream.next_data()
            assert block.event == "error" and block.json["error"]["code"] == "invalid_api_key"


def test_contents_are_not_told(start):
    gateway = start(args=["--admin-listen", "127.0.0.1:0", "--log-content", "true"])
    with Client(keys.admin_url(gateway)) as admin:
        done = admin.chat(SECRET).ok().headers["x-request-id"]
        wait_until(lambda: lines(admin, request_id=done), "the line")
        assert SECRET in gateway.log()
        assert [line["event"] for line in lines(admin, request_id=done)] == ["request"]


def test_a_text_log_is_told_too(start):
    gateway = start(args=["--admin-listen", "127.0.0.1:0", "--log-format", "text"])
    with Client(keys.admin_url(gateway)) as admin:
        done = admin.chat("hi").ok().headers["x-request-id"]
        one, = wait_until(lambda: lines(admin, request_id=done), "the line")
        assert one["text"].startswith(f"{one['at']} info request ")


@pytest.mark.parametrize("query, member", [
    ({"level": "loud"}, "level"), ({"after": "x"}, "after"), ({"request_id": "r" * 96}, "request_id")])
def test_wrong_queries_are_told(gateway, query, member):
    with Client(keys.admin_url(gateway)) as admin:
        reply = admin.get("/v1/admin/log?" + urllib.parse.urlencode(query))
        assert reply.status == 400 and reply.json["error"]["param"] == member


def test_the_log_is_for_administrators(gateway):
    made = keys.known(gateway, keys.make(gateway))
    with keys.client_of(gateway, made["key"], admin=True) as client:
        assert client.get("/v1/admin/log").status == 403
