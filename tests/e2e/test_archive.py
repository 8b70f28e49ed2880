"""Export and import of conversations, by HTTP and from the command line."""

import contextlib
import copy
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import threading

import pytest

import gateway as gw
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, usual_config
from gateway import Gateway
from raw import Raw, get
from waiting import DEADLINE, wait_until

JSONL = {"Content-Type": "application/jsonl"}
FIXTURE = gw.PROJECT / "tests/fixtures/chatgpt/conversations.json"
NOBODY = "conv_" + "0" * 15 + "1" * 17
TABLES = ("conversation", "message", "run", "conversation_label")


@pytest.fixture
def two(upstream, tmp_path):
    """Two gateways, each with a database of its own."""
    gateways = [Gateway(tmp_path / name, usual_config(upstream), env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})
                for name in ("one", "two")]
    clients = [Client(g.start().url) for g in gateways]
    yield gateways[0], clients[0], gateways[1], clients[1]
    for client in clients:
        client.close()
    for gateway in gateways:
        gateway.stop()


def exported(client, conversation):
    reply = client.get(f"/v1/conversations/{conversation}/export").ok()
    assert reply.headers["content-type"] == "application/jsonl"
    assert reply.headers["content-disposition"] == f'attachment; filename="{conversation}.jsonl"'
    return reply.body


def imported(client, body):
    answer = client.post("/v1/conversations/import", body, headers=JSONL).ok().json
    assert answer["object"] == "conversation.import"
    return answer


def lines(archive):
    return [json.loads(line) for line in archive.splitlines()]


def text(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def counts(gateway):
    with sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as db:
        return {t: db.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in TABLES}


def whole(gateway):
    with sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as db:
        return db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def varied(client, script):
    """A conversation with all that there can be in one."""
    said = {"type": "message", "role": "system", "content": "first"}
    c = client.post("/v1/conversations", {"metadata": {"topic": "networks", "a b": "\n\"\U0001f600"},
                                          "title": "T\u00e4st", "items": [said, said]}).ok().json["id"]
    answer = client.chat("q1", conversation=c, instruction="be short").ok().json
    lmc = {"role": "user", "type": "message", "content": "lmc", "x-own": {"a": [1, 2.50, None]}}
    client.chat(lmc, {"role": "user", "content": "two", "name": "Ann"}, conversation=c,
                metadata={"turn": "2"}, instruction="").ok()
    client.chat("aside", conversation=c, parent=answer["message_id"], model="dead/x").error(502)
    s = script(up.sse(), up.role(), up.text("half"), up.hang_up())
    with client.chat_stream("cut", conversation=c, model=s.model) as stream:
        list(stream)
    run = stream.headers["x-run-id"]
    client.chat("again", conversation=c, parent=answer["message_id"]).ok()
    client.post(f"/v1/conversations/{c}/items", {"items": [said, {**said, "content": "out"}]}).ok()
    out = client.items(c)["data"][-1]["id"]
    client.request("DELETE", f"/v1/conversations/{c}/items/{out}").ok()
    return c, run


def everything(client, c):
    """What the routes show of a conversation."""
    runs = client.get(f"/v1/runs?conversation={c}&limit=100").ok().json["data"]
    one = client.get(f"/v1/conversations/{c}").ok()
    return (one.json, one.headers["etag"], runs, client.items(c)["data"],
            [client.messages(c, f) for f in ("native", "openai", "lmc")])


# --- there and back -------------------------------------------------------------------------------


def test_a_round_trip_loses_nothing(two, script):
    one, a, other, b = two
    c, run = varied(a, script)
    archive = exported(a, c)
    kinds = [line["type"] for line in lines(archive)]
    assert kinds[0] == "conversation" and kinds.count("run") == 5
    assert {line["status"] for line in lines(archive) if line["type"] == "run"} >= {"completed", "failed"}
    assert sum("removed" in line for line in lines(archive)) == 1

    answer = imported(b, archive)
    messages = kinds.count("message")
    assert answer["conversations"] == [{"id": c, "source_id": c, "messages": messages}]
    assert answer["warnings"] == []
    assert exported(b, c) == archive, "byte for byte"
    assert everything(b, c) == everything(a, c)
    assert b.get("/v1/conversations?metadata[topic]=networks").ok().json["data"][0]["id"] == c
    b.get(f"/v1/runs/{run}/events").error(410, "gone")
    there, here = a.run(run), b.run(run)
    # An archive has no log of attempts: what is known of the last one is in the run itself.
    assert here.pop("attempt_list")[-1]["outcome"] == there.pop("attempt_list")[-1]["outcome"]
    assert here == there


def test_a_message_without_content_can_be_read(client):
    rows = [{"type": "conversation", "version": 1, "id": CONV, "created_at_ms": 1700000000000, "tip": LOOSE},
            {"type": "message", "id": LOOSE, "created_at_ms": 1700000000000, "message": {"role": "user"}}]
    conversation = imported(client, text(*rows))["conversations"][0]["id"]
    for format in ("native", "openai", "lmc"):
        client.messages(conversation, format)
    page = client.get(f"/v1/conversations/{conversation}/messages?format=lmc").ok().json
    assert page["data"] == [] and page["warnings"][0]["code"] == "not_shown"


def test_a_stored_completion_comes_along(two, script):
    _, one, _, other = two
    s = script(up.reply(up.completion("ok")))
    made = one.complete(s.model, store=True, temperature=0.5, metadata={"a": "b"}).ok().json
    before = one.get(f"/v1/chat/completions/{made['id']}").ok().json
    run = one.get("/v1/runs").ok().json["data"][0]
    archive = exported(one, run["conversation"])
    imported(other, archive)
    assert exported(other, run["conversation"]) == archive
    assert other.get(f"/v1/chat/completions/{made['id']}").ok().json == before
    assert before["temperature"] == 0.5 and before["metadata"] == {"a": "b"}


def test_a_finish_reason_of_any_text_comes_along(two, script):
    _, one, _, other = two
    s = script(up.reply(up.completion("ok", finish='st"o\\p\n')))
    made = one.complete(s.model, store=True).ok().json
    run = one.get("/v1/runs").ok().json["data"][0]
    archive = exported(one, run["conversation"])
    assert lines(archive)[1]["finish_reason"] == run["finish_reason"] == 'st"o\\p\n'
    imported(other, archive)
    assert exported(other, run["conversation"]) == archive
    for client in (one, other):
        listed = client.get("/v1/chat/completions").ok().json["data"][0]
        assert listed["choices"][0]["finish_reason"] == 'st"o\\p\n' and listed["id"] == made["id"]


def test_a_forks_instruction_comes_along(two, script):
    _, one, _, other = two
    c = one.chat("q", instruction="Be brief.").ok().json["conversation"]
    fork = one.post(f"/v1/conversations/{c}/fork", {}).ok().json["id"]
    archive = exported(one, fork)
    imported(other, archive)
    assert exported(other, fork) == archive
    s = script(up.reply(up.completion("ok")))
    other.chat("next", conversation=fork, model=s.model).ok()
    assert s.request.json["messages"][0] == {"role": "system", "content": "Be brief."}


def test_it_is_gone_on_with(two, script):
    _, a, _, b = two
    c, _ = varied(a, script)
    imported(b, exported(a, c))
    said = b.items(c)["data"]
    etag = b.get(f"/v1/conversations/{c}").headers["etag"]
    s = script(up.reply(up.completion("on")))
    b.chat("next", conversation=c, model=s.model).ok()
    sent = [m["content"] for m in s.request.json["messages"]]
    # The three system messages are one with the instruction.
    assert sent[-1] == "next" and sent[0] == "be short" + 3 * "\n\nfirst" and len(sent) == len(said) - 1
    assert [i["content"][0]["text"] for i in b.items(c)["data"]][-2:] == ["next", "on"]
    assert b.get(f"/v1/conversations/{c}").headers["etag"] != etag
    first = next(i["id"] for i in said if i["content"][0]["text"] == "q1")
    b.chat("branch", conversation=c, parent=first).ok()
    assert [i["content"][0]["text"] for i in b.items(c)["data"]] == ["first", "first", "q1", "branch", "branch"]
    b.post(f"/v1/conversations/{c}/items",
           {"items": [{"type": "message", "role": "user", "content": "loose"}]}).ok()
    b.chat("last", conversation=c).ok()
    exported(b, c)
    b.request("DELETE", f"/v1/conversations/{c}").ok()
    assert all(n == 0 for n in counts(two[2]).values())


def test_what_is_there_already_comes_in_under_new_ids(two, script):
    _, a, gateway, b = two
    c, _ = varied(a, script)
    archive = exported(a, c)
    imported(b, archive)
    before = counts(gateway)
    again = imported(b, archive + archive)["conversations"]
    assert [r["source_id"] for r in again] == [c, c]
    ids = [c, *(r["id"] for r in again)]
    assert len(set(ids)) == 3
    assert counts(gateway) == {t: 3 * n for t, n in before.items()}

    def anonymous(archive):
        """Ids by the order in which they are met."""
        seen = {}
        # a run's answer has its body
        return re.sub(rb"(?<=_)[0-9a-f]{32}", lambda m: seen.setdefault(m[0], b"%d" % len(seen)), archive)
    assert len({anonymous(exported(b, id)) for id in ids}) == 1
    listed = [x["id"] for x in b.get("/v1/conversations?order=asc").ok().json["data"]]
    assert sorted(listed) == listed and set(listed) == set(ids)
    for id in ids:
        b.chat("on", conversation=id).ok()


def test_bodies_stay_as_they_were_sent(two):
    _, a, _, b = two
    body = (b'{"messages": [{"role":"user",\n "content" : "\\u00e4\\/\\ud83d\\ude00 1.50",\t"name":"x"},'
            b'{"role":"user","type":"message","content":"y","k":1.000000000000000000001e+2}],'
            b'"metadata":{"k":\n"v"}}')
    answer = a.post("/v1/chat", body).ok().json
    archive = exported(a, answer["conversation"])
    assert b'"content" : "\\u00e4\\/\\ud83d\\ude00 1.50",\t"name"' in archive
    assert b'"k":1.000000000000000000001e+2' in archive
    imported(b, archive)
    assert exported(b, answer["conversation"]) == archive


def test_a_run_that_goes_on_comes_in_as_incomplete(two, script):
    _, a, _, b = two
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("half"), up.wait(gate), *up.ending())
    with a.chat_stream("go", model=s.model) as stream:
        c, run = stream.headers["x-conversation-id"], stream.headers["x-run-id"]
        archive = exported(a, c)
        gate.open()
        list(stream)
    assert [line.get("status") for line in lines(archive)][1] == "running"
    imported(b, archive)
    assert b.run(run)["status"] == "incomplete"
    assert b.run(run)["error"]["code"] == "exported_unfinished"
    b.chat("once more", conversation=c).ok()


def test_ids_of_a_time_to_come_are_not_kept(client):
    rows = simple()
    late = json.loads(json.dumps(rows).replace("00064217c0a1f0", "7fffffffffffff"))
    (answer,) = imported(client, text(*late))["conversations"]
    assert answer["source_id"].startswith("conv_7fff") and answer["id"].startswith("conv_18bcfe56800")
    assert client.chat("on", conversation=answer["id"]).ok().json["conversation"] == answer["id"]


# --- what is wrong ---------------------------------------------------------------------------------

BODY = "9b1c4e7a2d8f3b60"
CONV, RUN, MSG = "conv_00064217c0a1f000" + BODY, "run_00064217c0a1f001" + BODY, "msg_00064217c0a1f002" + BODY
ANSWER, LOOSE = "msg_" + RUN[4:], "msg_00064217c0a1f003" + BODY


def simple():
    return [
        {"type": "conversation", "version": 1, "id": CONV, "created_at_ms": 1700000000000, "leaf": RUN, "tip": LOOSE},
        {"type": "run", "id": RUN, "status": "completed", "created_at_ms": 1700000000001, "model": "echo"},
        {"type": "message", "id": MSG, "run": RUN, "created_at_ms": 1700000000001,
         "message": {"role": "user", "content": "hi"}},
        {"type": "message", "id": ANSWER, "parent": MSG, "run": RUN, "created_at_ms": 1700000000002,
         "message": {"role": "assistant", "content": "ho"}},
        {"type": "message", "id": LOOSE, "parent": ANSWER, "created_at_ms": 1700000000003,
         "message": {"role": "user", "content": "more"}},
    ]


def change(line, **members):
    def fn(rows):
        rows[line - 1].update(members)
        for key in [k for k, v in members.items() if v is ...]:
            del rows[line - 1][key]
    return fn


def body(line, **members):
    return lambda rows: rows[line - 1]["message"].update(members)


BROKEN = [
    (change(1, version=2), "invalid_value", "lines[1].version"),
    (change(1, id="conv_1"), "invalid_value", "lines[1].id"),
    (change(1, leaf="run_" + "0" * 15 + "1" * 17), "invalid_value", "lines[1].leaf"),
    (change(1, tip=ANSWER), "invalid_value", "lines[1].tip"),
    (change(1, title="x" * 513), "invalid_value", "lines[1].title"),
    (change(1, metadata={"a": 1}), "invalid_value", "lines[1].metadata"),
    (change(1, more=1), "unknown_parameter", "lines[1].more"),
    (change(1, type="talk"), "invalid_value", "lines[1].type"),
    (change(1, created_at_ms=-1), "invalid_value", "lines[1].created_at_ms"),
    (change(1, created_at_ms="1"), "invalid_type", "lines[1].created_at_ms"),
    (change(2, status="great"), "invalid_value", "lines[2].status"),
    (change(2, status="running"), "invalid_value", "lines[4].run"),
    (change(2, base=MSG), "invalid_value", "lines[2].base"),
    (change(2, continues=RUN), "invalid_value", "lines[2].continues"),
    (change(2, id=...), "missing_required_parameter", "lines[2].id"),
    (change(2, usage={"input_tokens": "x"}), "invalid_type", "lines[2].usage.input_tokens"),
    (change(3, parent=ANSWER), "invalid_value", "lines[3].parent"),
    (change(3, parent=MSG), "invalid_value", "lines[3].parent"),
    (change(3, run="run_" + "0" * 15 + "1" * 17), "invalid_value", "lines[3].run"),
    (change(3, message=...), "missing_required_parameter", "lines[3].message"),
    (change(3, removed=True), "invalid_value", "lines[3].message"),
    (change(3, message="hi"), "invalid_type", "lines[3].message"),
    (body(3, role="king"), "invalid_value", "lines[3].message.role"),
    (body(3, role=None), "missing_required_parameter", "lines[3].message.role"),
    (body(3, content=7), "invalid_type", "lines[3].message.content"),
    (body(3, type=7), "invalid_type", "lines[3].message.type"),
    (change(4, parent=...), "invalid_value", "lines[4].parent"),
    (change(4, id="msg_00064217c0a1f001" + "0" * 16), "invalid_value", "lines[4].id"),
    (change(5, id=MSG), "invalid_value", "lines[5].id"),
    (change(5, id=ANSWER), "invalid_value", "lines[5].id"),
    (change(5, parent=LOOSE), "invalid_value", "lines[5].parent"),
    (lambda rows: rows.append(rows[2]), "invalid_value", "lines[6].run"),
    (lambda rows: rows.pop(0), "invalid_value", "lines[1].type"),
    (lambda rows: rows.insert(1, rows.pop(2)), "invalid_value", "lines[2].run"),
    (lambda rows: rows.append([]), "invalid_type", "lines[6]"),
]


@pytest.mark.parametrize("at", range(len(BROKEN)))
def test_a_broken_line_is_named_and_nothing_comes_in(shared, client, at):
    fn, code, param = BROKEN[at]
    before = counts(shared)
    rows = simple()
    fn(rows)
    client.post("/v1/conversations/import", text(*rows), headers=JSONL).error(400, code, param)
    # also behind one that is good
    number = int(re.search(r"\d+", param)[0]) + 5
    good = text(*json.loads(json.dumps(simple()).replace("00064217c0a1", "00064217c0a2")))
    later = re.sub(r"\d+", str(number), param, count=1)
    if rows[0].get("type") == "conversation":
        client.post("/v1/conversations/import", good + text(*rows), headers=JSONL).error(400, code, later)
    assert counts(shared) == before


@pytest.mark.parametrize("raw, code, param", [
    (b"", "invalid_value", None),
    (b" \n \n", "invalid_value", None),
    (b"[]", "invalid_value", None),
    (b"\xef\xbb\xbf\n[ \n]\r\n", "invalid_value", None),
    (b"hello", "invalid_json", "lines[1]"),
    (b'{"type":"conversation"', "invalid_json", "lines[1]"),
    (b'\n\n{"type":"run","type":"run"}', "invalid_json", "lines[3].type"),
    (b'{"type":"run"}\xff\n', "invalid_json", "lines[1]"),
    (b"[" * 100, "invalid_value", lambda path: path.startswith("conversations[0][0][0]")),
    (b"[1]", "invalid_type", "conversations[0]"),
    (b"[{}]", "missing_required_parameter", "conversations[0].mapping"),
    (b"[] x", "invalid_json", None),
    (b'[{"mapping":{}} {"mapping":{}}]', "invalid_json", None),
    (b'[{"mapping":{}},', "invalid_json", "conversations[1]"),
    (b'[{"mapping":{"a":1}}]', "invalid_value", "conversations[0].mapping.a"),
    (b'[{"mapping":{"a":{"parent":"b"}}}]', "invalid_value", "conversations[0].mapping.a.parent"),
    (b'[{"mapping":{"a":{"parent":"b"},"b":{"parent":"a"}}}]', "invalid_value",
     "conversations[0].mapping.a.parent"),
    (b'[{"mapping":{"a":{}}},{"mapping":{"a":{"message":{"author":{"role":"king"}}}}}]',
     "invalid_value", "conversations[1].mapping.a.message.author.role"),
    (b'[{"mapping":{"a":{}},"current_node":"b"}]', "invalid_value", "conversations[0].current_node"),
])
def test_what_is_no_archive(shared, client, raw, code, param):
    before = counts(shared)
    client.post("/v1/conversations/import", raw, headers=JSONL).error(400, code, param)
    assert counts(shared) == before


@pytest.mark.parametrize("magic, name", [(b"\x1f\x8b\x08\0", "gzip"), (b"PK\x03\x04xx", "zip")])
def test_what_is_packed_has_to_be_unpacked(client, magic, name):
    error = client.post("/v1/conversations/import", magic, headers=JSONL).error(415, "unsupported_media_type")
    assert name in error["message"] and "unpack" in error["message"]


def test_unknown_and_foreign_conversations(client):
    for id in (NOBODY, "conv_1", "x"):
        client.get(f"/v1/conversations/{id}/export").error(404, "not_found")
    c = client.chat("x").ok().json["conversation"]
    wrong = c[:-1] + ("0" if c[-1] != "0" else "1")
    client.get(f"/v1/conversations/{wrong}/export").error(404, "not_found")
    assert client.http.head(f"/v1/conversations/{c}/export").status_code == 405
    assert client.get(f"/v1/conversations/{c}/export").ok().body


def test_a_body_over_the_limit_leaves_nothing(start):
    gateway = start(args=["--max-file", "1MiB"])
    with Client(gateway.url) as client:
        big = text(*simple(), {"type": "message", "id": MSG, "created_at_ms": 1, "message":
                               {"role": "user", "content": "x" * 2**20}})
        client.post("/v1/conversations/import", big, headers=JSONL).error(413, "request_too_large")
        assert counts(gateway)["conversation"] == 0
    assert not [p for p in (gateway.folder / "parley.db.files").rglob("*") if p.is_file()]


def test_an_import_that_is_broken_off_leaves_nothing(start):
    gateway = start()
    with Raw(gateway) as raw:
        archive = text(*simple())
        raw.send(b"POST /v1/conversations/import HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                 % (len(archive) + 1) + archive)
    with Client(gateway.url) as client:
        assert imported(client, archive)["conversations"][0]["id"] == CONV
    assert counts(gateway)["conversation"] == 1


def test_a_client_that_leaves_while_its_rows_are_written(start):
    gateway = start({"loops": 1})
    archive = text(*simple())
    files = gateway.folder / "parley.db.files"
    with Client(gateway.url) as client, contextlib.closing(
            sqlite3.connect(gateway.database, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")  # the writer waits
        raw = Raw(gateway)
        raw.send(b"POST /v1/conversations/import HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                 % len(archive) + archive)
        wait_until(files.exists, "the body's place")
        for _ in range(20):
            client.get("/livez").ok()
        raw.close()
        for _ in range(20):
            client.get("/livez").ok()
        db.execute("COMMIT")
        wait_until(lambda: len(client.get("/v1/conversations").ok().json["data"]) == 1, "the rows")
        assert len(lines(exported(client, CONV))) == 5


def test_clients_that_leave_while_it_is_checked(start):
    gateway = start()
    archive = text(*chain(3000, 1000))
    with Client(gateway.url) as client:
        for _ in range(30):
            raw = Raw(gateway)
            raw.send(b"POST /v1/conversations/import HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: %d\r\n\r\n" % len(archive) + archive)
            raw.close()
        # none of them holds a place for ever
        wait_until(lambda: client.http.post("/v1/conversations/import", content=archive).status_code == 200,
                   "a place")
    assert whole(gateway)


# --- large ----------------------------------------------------------------------------------------


def chain(n, size=10):
    """A conversation of n loose messages."""
    rows = [{"type": "conversation", "version": 1, "id": CONV, "created_at_ms": 1700000000000,
             "tip": f"msg_{0x64217c0a1f002 + n - 1:016x}{BODY}"}]
    parent = {}
    for i in range(n):
        id = f"msg_{0x64217c0a1f002 + i:016x}{BODY}"
        rows.append({"type": "message", "id": id, **parent, "created_at_ms": 1700000000000 + i,
                     "message": {"role": "user", "content": "x" * size}})
        parent = {"parent": id}
    return rows


def test_many_messages(client):
    archive = text(*chain(5000, 300))
    got = exported(client, imported(client, archive)["conversations"][0]["id"])
    assert len(lines(got)) == 5001


def test_an_export_is_never_whole_in_memory(start):
    gateway = start()
    with Client(gateway.url) as client:
        id = imported(client, text(*chain(150, 2**20)))["conversations"][0]["id"]
        before = gateway.rss_bytes()
        total, most = 0, 0
        with Raw(gateway) as raw:
            raw.send(get(f"/v1/conversations/{id}/export", "Connection: close"))
            assert raw.read_head().status == 200
            while piece := raw.sock.recv(2**20):
                total += len(piece)
                most = max(most, gateway.rss_bytes())
        assert total > 150 * 2**20
        if not gw.sanitized():
            assert most - before < 40 * 2**20

def test_a_deleted_conversation_breaks_its_export_off(start):
    """Of 24 MiB the kernel and the gateway hold ten at the most."""
    gateway = start()
    with Client(gateway.url) as client, Raw(gateway, receive_buffer=1 << 16) as raw:
        id = imported(client, text(*chain(24, 2**20)))["conversations"][0]["id"]
        raw.send(f"GET /v1/conversations/{id}/export HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        raw.read_head()
        client.request("DELETE", f"/v1/conversations/{id}").ok()
        rest = b"".join(iter(lambda: raw.sock.recv(2**20), b""))
        assert not rest.endswith(b"0\r\n\r\n") and len(rest) < 24 * 2**20


def test_kill_while_an_import_is_written(start):
    archive = text(*chain(20000, 1000))
    for grown in (10**6, 8 * 10**6, 16 * 10**6):
        gateway = start()
        sender = threading.Thread(target=broken_off, args=(gateway.url, archive))
        sender.start()
        # it is killed where it writes: the log of this new database grows
        wal = gateway.database.parent / (gateway.database.name + "-wal")
        wait_until(lambda: wal.stat().st_size > grown or not sender.is_alive(), "the import writes",
                   deadline=4 * DEADLINE)
        gateway.kill()
        sender.join(DEADLINE)
        gateway.start()
        assert whole(gateway)
        n = counts(gateway)
        assert (n["conversation"], n["message"]) in ((0, 0), (1, 20000))
        gateway.stop()


def broken_off(url, archive):
    with Client(url) as client:
        try:
            client.http.post("/v1/conversations/import", content=archive)
        except Exception:  # its gateway was killed
            pass


# --- ChatGPT --------------------------------------------------------------------------------------


def test_a_chatgpt_export(client, script):
    answer = imported(client, FIXTURE.read_bytes())
    first, second = answer["conversations"]
    assert first["source_id"] == "6553f3a0-0000-4000-8000-000000000001" and first["messages"] == 10
    assert second["messages"] == 0
    assert [(w["index"], w["code"]) for w in answer["warnings"]] == [
        (0, "media_not_imported"), (0, "content_not_imported")]
    c = client.get(f"/v1/conversations/{first['id']}").ok().json
    assert c["title"] == "Ein Ausflug \U0001f600" and c["created_at"] == 1700000000
    assert c["metadata"] == {"imported_from": "chatgpt", "chatgpt_id": first["source_id"]}
    native = client.messages(first["id"])
    shown = [(m["role"], m.get("type"), m["content"]) for m in native]
    assert shown == [
        ("system", None, "I live in Rome.\nBe short."),
        ("user", None, "Where to?\nQuick \"answer\"."),
        ("assistant", None, "To the sea."),
        ("user", None, "[image: file-AbC123]\nLike here?\nspoken\n[recording: file_0001]"),
        ("assistant", "code", "print('sea')"),
        ("computer", "console", "sea\n"),
        ("computer", "console", "found it"),
        ("computer", "console", "Sea\nhttps://example.org/\nWater."),
        ("assistant", None, "Yes, \nthere."),
    ]
    assert native[4]["format"] == "python"
    client.messages(first["id"], "openai")
    client.messages(first["id"], "lmc")
    archive = exported(client, first["id"])
    other = next(x for x in lines(archive) if x.get("message", {}).get("content") == "To the hills.")
    assert other["created_at_ms"] == 1700000002000
    s = script(up.reply(up.completion("on")))
    client.chat("next", conversation=first["id"], model=s.model).ok()
    sent = s.request.json["messages"]
    assert sent[0] == {"role": "system", "content": "I live in Rome.\nBe short."}
    assert sent[-1]["content"] == "next"
    s = script(up.reply(up.completion("off")))
    client.chat("why?", conversation=first["id"], parent=other["id"], model=s.model).ok()
    assert [i["content"][0]["text"] for i in client.items(first["id"])["data"]][-3:] == [
        "To the hills.", "why?", "off"]


def test_many_chatgpt_conversations(client):
    one = json.loads(FIXTURE.read_bytes())[0]
    many = []
    for i in range(300):
        many.append(copy.deepcopy(one))
        many[-1]["title"] = str(i)
    answer = imported(client, json.dumps(many).encode())
    assert len(answer["conversations"]) == 300
    assert len({c["id"] for c in answer["conversations"]}) == 300
    assert len(answer["warnings"]) <= 257


# --- commands -------------------------------------------------------------------------------------


def command(name, gateway, *args, code=0, **more):
    done = gw.run(name, "--database", gateway.database, *args, **more)
    assert done.returncode == code, done
    assert not gw.SANITIZER.search(done.stderr), done.stderr
    return done


def test_the_commands_beside_a_gateway(two, script, tmp_path):
    one, a, other, b = two
    c, _ = varied(a, script)
    d = a.chat("another").ok().json["conversation"]
    target = tmp_path / "all.jsonl"
    done = command("export", one, "--output", target)
    assert done.stdout == "" and "2 conversations" in done.stderr
    assert target.stat().st_mode & 0o777 == 0o600 and os.listdir(tmp_path).count("all.jsonl.tmp") == 0
    archive = target.read_text()
    assert command("export", one).stdout == archive
    alone = command("export", one, "--conversation", d).stdout
    assert lines(alone)[0]["id"] == d and archive.endswith(alone)
    assert json.loads(archive.splitlines()[0])["owner"] == "0"
    done = command("import", other, target)
    assert "2 conversations" in done.stderr
    assert command("export", other).stdout == archive
    assert everything(b, c) == everything(a, c)
    b.chat("on", conversation=d).ok()
    assert b.get(f"/v1/conversations/{d}").ok().json["id"] == d


def test_the_commands_without_a_gateway(tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_bytes(text(*simple()))
    gateway = Gateway(tmp_path)
    command("migrate", gateway)
    command("import", gateway, source)
    out = command("export", gateway).stdout
    assert len(lines(out)) == 5
    done = subprocess.run([gw.BINARY, "import", "--database", gateway.database, "-"], input=out.encode(),
                          capture_output=True, env=gw.environment(), timeout=DEADLINE)
    assert done.returncode == 0, done
    assert counts(gateway)["conversation"] == 2 and whole(gateway)
    gateway.start()
    with Client(gateway.url) as client:
        assert client.chat("on", conversation=CONV).ok()
    gateway.stop()


def test_owners_come_along_by_command(tmp_path):
    keys = ("first-key-of-two", "second-key-of-two")
    hashed = ["sha256:" + hashlib.sha256(key.encode()).hexdigest() for key in keys]
    one, two = (Gateway(tmp_path / name, {"api_keys": hashed}) for name in ("one", "two"))
    said = {}
    one.start()
    for key in keys:
        with Client(one.url, {"Authorization": f"Bearer {key}"}) as client:
            said[key] = client.chat(key).ok().json["conversation"]
    one.stop()
    archive = tmp_path / "all.jsonl"
    assert gw.run("export", "--database", one.database, "--output", archive).returncode == 0
    command("migrate", two)
    command("import", two, archive)
    two.start()
    for key, conversation in said.items():
        with Client(two.url, {"Authorization": f"Bearer {key}"}) as client:
            client.get(f"/v1/conversations/{conversation}").ok()
            other, = set(said.values()) - {conversation}
            client.get(f"/v1/conversations/{other}").error(404)
    two.stop()


def test_commands_that_fail(tmp_path):
    gateway = Gateway(tmp_path)
    source = tmp_path / "in.jsonl"
    rows = simple()
    rows[4]["message"]["role"] = "king"
    source.write_bytes(text(*rows))
    for name in ("export", "import"):
        assert "there is no database" in command(name, gateway, code=66).stderr
    assert not gateway.database.exists()
    command("migrate", gateway)
    assert "lines[5].message.role" in command("import", gateway, source, code=65).stderr
    command("import", gateway, tmp_path / "none", code=66)
    command("export", gateway, "--conversation", "x", code=64)
    source.write_bytes(text(*simple()))
    command("import", gateway, source)
    assert NOBODY in command("export", gateway, "--conversation", NOBODY, code=66).stderr
    command("export", gateway, "--output", tmp_path / "no" / "where", code=73)
    command("import", gateway, source, "--output", "x", code=64)
    command("serve", gateway, "--conversation", CONV, code=64)


def test_a_run_answered_in_lmc_comes_in_again(two):
    _, client, _, other = two
    conversation = client.chat("hello", format="lmc").ok().json["conversation"]
    archive = exported(client, conversation)
    assert b'"shape":"lmc"' in archive
    imported(other, archive)
    assert other.messages(conversation) == client.messages(conversation)
    assert exported(other, conversation) == archive
