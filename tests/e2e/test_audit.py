"""GET /v1/admin/audit: who did what to which object, kept over restarts, without secrets and content."""

import csv
import io
import json
import signal
import urllib.parse
import uuid

import pytest

import keys
from client import Client
from test_owners import FORM_TYPE, form
from waiting import wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
SECRET = "zebraword"


@pytest.fixture
def gateway(start):
    return start(args=ADMIN)


def entries(admin, **query):
    return admin.get("/v1/admin/audit?" + urllib.parse.urlencode(query)).ok().json["data"]


def acts(admin, **query):
    return [(e["action"], e["actor"], e["object_id"]) for e in entries(admin, **query)]


def test_an_open_gateway_notes_what_nobody_did(gateway):
    with Client(keys.admin_url(gateway)) as admin:
        conversation = admin.chat(SECRET).ok().json["conversation"]
        assert entries(admin) == []
        reply = admin.request("DELETE", f"/v1/conversations/{conversation}").ok()
        only, = entries(admin)
        assert only["action"] == "conversation.delete"
        assert only["actor"] == "nobody" and only["object_id"] == conversation
        assert only["address"] == "127.0.0.1" and only["session"] is None
        assert only["request_id"] == reply.headers["x-request-id"]
        assert only["object"] == "audit.entry" and only["id"].startswith("audit_")
        assert abs(only["at"] * 1000 - only["at_ms"]) < 1000
        # What is refused has no entry.
        assert admin.request("DELETE", f"/v1/conversations/{conversation}").status == 404
        assert admin.request("DELETE", f"/v1/conversations/conv_{uuid.uuid4().hex}").status == 404
        assert len(entries(admin)) == 1


def test_keys_sessions_and_deletions_have_their_entries(gateway):
    boss = keys.known(gateway, keys.make(gateway, "--name", SECRET, "--scopes", "admin,chat,read,files"))
    with keys.client_of(gateway, boss["key"], admin=True) as admin:
        assert acts(admin) == [("key.create", "program", boss["id"])]
        made = admin.post("/v1/admin/keys", {"name": SECRET}).ok().json
        admin.post(f"/v1/admin/keys/{made['id']}", {"name": "x"}).ok()
        admin.post(f"/v1/admin/keys/{made['id']}/rotate", {}).ok()
        admin.request("DELETE", f"/v1/admin/keys/{made['id']}").ok()
        admin.request("DELETE", f"/v1/admin/keys/{made['id']}").ok()  # revoked before: nothing changes
        assert acts(admin, object=made["id"]) == [
            (f"key.{act}", boss["id"], made["id"]) for act in ("revoke", "rotate", "update", "create")]
        file = admin.post("/v1/files", form(SECRET), headers=FORM_TYPE).ok().json["id"]
        admin.request("DELETE", f"/v1/files/{file}").ok()
        answer = admin.post("/v1/responses", {"input": SECRET}).ok().json["id"]
        admin.request("DELETE", f"/v1/responses/{answer}").ok()
        completion = admin.complete(store=True, messages=[{"role": "user", "content": SECRET}]).ok().json["id"]
        admin.request("DELETE", f"/v1/chat/completions/{completion}").ok()
        turn = admin.chat(SECRET).ok().json
        admin.request("DELETE", f"/v1/conversations/{turn['conversation']}/items/{turn['message_id']}").ok()
        assert acts(admin, limit=4) == [
            ("item.delete", boss["id"], turn["message_id"]),
            ("completion.delete", boss["id"], completion),
            ("response.delete", boss["id"], answer), ("file.delete", boss["id"], file)]
        session = admin.post("/v1/session", {}).ok().json
        # The session's next token is no other sign-in.
        renewed = admin.post("/v1/session", {}, headers=keys.bearer(session["token"])).ok().json
        assert renewed["id"] == session["id"]
        admin.request("DELETE", "/v1/session", headers=keys.bearer(renewed["token"])).ok()
        assert acts(admin, limit=2) == [("session.end", boss["id"], session["id"]),
                                        ("session.begin", boss["id"], session["id"])]
        ended, began = entries(admin, limit=2)
        assert began["session"] is None and ended["session"] == session["id"]
        told = admin.get("/v1/admin/audit").body.decode()
        assert SECRET not in told and boss["key"] not in told and session["token"] not in told


def test_entries_stay_over_a_restart_and_a_reload_has_one(start):
    gateway = start()
    with Client(gateway.url) as admin:
        admin.request("DELETE", f"/v1/conversations/{admin.chat('hi').ok().json['conversation']}").ok()
    gateway.restart()
    gateway.signal(signal.SIGHUP)
    with Client(gateway.url) as admin:
        wait_until(lambda: len(entries(admin)) == 2, "the entry of the reload")
        assert acts(admin)[0] == ("configuration.reload", "program", None)
        assert entries(admin)[0]["address"] is None


def test_pages_filters_and_csv(gateway):
    with Client(keys.admin_url(gateway)) as admin:
        for _ in range(5):
            admin.request("DELETE", f"/v1/conversations/{admin.chat('hi').ok().json['conversation']}").ok()
        everything = entries(admin)
        page = admin.get("/v1/admin/audit?" + urllib.parse.urlencode({"limit": 2})).ok().json
        assert page["has_more"] and page["data"] == everything[:2]
        page = admin.get("/v1/admin/audit?" + urllib.parse.urlencode({"limit": 3, "after": page["last_id"]})).ok().json
        assert not page["has_more"] and page["data"] == everything[2:]
        at = everything[0]["at"]
        assert entries(admin, since=at + 1) == [] == entries(admin, until=everything[-1]["at"] - 1)
        assert entries(admin, since=everything[-1]["at"], until=at) == everything
        assert entries(admin, actor="somebody") == []
        assert len(entries(admin, actor="nobody", action="conversation.delete")) == 5
        told = admin.get("/v1/admin/audit?" + urllib.parse.urlencode({"format": "csv", "limit": 3})).ok()
        assert told.headers["content-type"] == "text/csv; charset=utf-8"
        assert "audit.csv" in told.headers["content-disposition"]
        head, *rows = csv.reader(io.StringIO(told.body.decode()))
        assert head == ["at", "actor", "session", "address", "action", "object", "request_id", "id"]
        assert [row[-1] for row in rows] == [e["id"] for e in everything[:3]]
        assert rows[0][0].endswith("Z") and rows[0][5] == everything[0]["object_id"]


@pytest.mark.parametrize("query, member", [
    ({"action": "key.eat"}, "action"), ({"after": "audit_1"}, "after"), ({"since": "soon"}, "since"),
    ({"until": "-1"}, "until"), ({"actor": "a" * 65}, "actor"), ({"format": "xml"}, "format"),
    ({"limit": 1001}, "limit"), ({"after": "audit_" + "1" * 32}, "after")])
def test_wrong_queries_are_told(gateway, query, member):
    with Client(keys.admin_url(gateway)) as admin:
        reply = admin.get("/v1/admin/audit?" + urllib.parse.urlencode(query))
        assert reply.status == 400 and reply.json["error"]["param"] == member, json.dumps(reply.json)


def test_the_audit_is_for_administrators(gateway):
    made = keys.known(gateway, keys.make(gateway))
    with keys.client_of(gateway, made["key"], admin=True) as client:
        assert client.get("/v1/admin/audit").status == 403
    with keys.client_of(gateway, made["key"]) as client:
        assert client.get("/v1/admin/audit").status in (403, 404)
