"""GET /v1/runs/live and GET /v1/admin/runs/live: runs as they begin, change and end, and no content."""

import contextlib
import json
import os
import signal
import threading

import pytest

import keys
import spec
import upstream as up
from client import Client, Stream
from fixtures import provider
from raw import Raw
from upstream import in_turn
from waiting import DEADLINE, wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
SECRET = "zebraword"


@contextlib.contextmanager
def live(client, path="/v1/runs/live"):
    """The stream, when it has told the runs that go on; those are in .before."""
    request, sent = client._build("GET", path, None, None)
    response = client.http.send(request, stream=True)
    try:
        spec.check("GET", path, response.status_code, response.headers,
                   None if response.status_code == 200 else response.read())
        stream = Stream(response, sent).check_head()
        stream.before = []
        while (state := stream.next_data().json) != {"object": "ready"}:
            stream.before.append(state)
        yield stream
    finally:
        response.close()


def states(stream, run, until):
    """The states of a run up to one with this status."""
    seen = []
    while not seen or seen[-1]["status"] != until:
        block = stream.next_data()
        assert block.id is None and block.event is None, block
        if block.json["id"] == run:
            seen.append(block.json)
    return seen


@pytest.fixture
def slow(start, upstream, script):
    """slow(*answers): a gateway whose model m plays them in turn, m2 falls back on it."""
    def make(*answers, **more):
        name = script(in_turn(*answers)).name
        return start({"providers": [provider(upstream, "p"), provider(upstream, "q")],
                      "models": [{"name": "m", "provider": "p", "upstream_model": name,
                                  "price": {"input": 1, "output": 2}, "fallback": ["n"]},
                                 {"name": "n", "provider": "q", "upstream_model": name}], **more},
                     args=ADMIN)
    return make


def waiting_answer(gate):
    return [up.sse(), up.role(), up.text(SECRET + " "), up.wait(gate), *up.ending()]


def test_a_run_begins_changes_and_ends(slow):
    gate = up.Gate()
    gateway = slow(waiting_answer(gate))
    with Client(gateway.url) as client, Client(gateway.url) as watcher, live(watcher) as stream:
        assert stream.before == []
        with client.chat_stream(SECRET, model="m") as answer:
            answer.until_text(SECRET + " ")
            run = answer.headers["x-run-id"]
            seen = []
            while not seen or not seen[-1]["first_token_at"]:
                seen.append(stream.next_data().json)
            assert {s["id"] for s in seen} == {run} and seen[-1]["status"] == "running"
            assert seen[-1] == {**seen[-1], "object": "run", "stored": True, "model": "m",
                                "conversation": answer.headers["x-conversation-id"],
                                "provider": "p", "completed_at": None, "usage": None,
                                "finish_reason": None, "cost": None, "error_code": None,
                                "attempts": 1}
            gate.open()
            answer.native()
        end = states(stream, run, "completed")[-1]
        stored = client.run(run)
        for member in ("status", "conversation", "model", "provider", "created_at", "completed_at",
                       "first_token_at", "finish_reason", "usage", "usage_source", "cost",
                       "attempts"):
            assert end[member] == stored[member], member
        assert float(end["cost"]) > 0 and "key" not in end
    assert all(SECRET not in block.raw.decode() for block in stream.seen)


def test_runs_that_go_on_come_first(slow):
    gate = up.Gate()
    gateway = slow(waiting_answer(gate))
    with Client(gateway.url) as client, Client(gateway.url) as watcher:
        with client.chat_stream("hi", model="m") as answer:
            answer.until_text(SECRET + " ")
            with live(watcher) as stream:
                state, = stream.before
                assert state["id"] == answer.headers["x-run-id"]
                assert state["status"] == "running" and state["first_token_at"]
                gate.open()
                answer.native()
                states(stream, state["id"], "completed")
            with live(watcher) as stream:
                assert stream.before == []


def test_further_attempts_errors_and_runs_that_are_not_stored(slow):
    gateway = slow(up.reply({"error": {"message": SECRET}}, 500), up.either(),
                   up.reply({"error": {"message": SECRET}}, 500),
                   up.reply({"error": {"message": SECRET}}, 503))
    with Client(gateway.url) as client, Client(gateway.url) as watcher, live(watcher) as stream:
        run = client.chat("hi", model="m").ok().json["run"]
        seen = states(stream, run, "completed")
        assert seen[-1]["attempts"] == 2 and seen[-1]["provider"] == "q"
        run = client.chat("hi", model="m", store=False).headers["x-run-id"]
        end = states(stream, run, "failed")[-1]
        assert (end["stored"], end["conversation"]) == (False, None)
        assert end["error_code"] == "upstream_unavailable" and end["first_token_at"] is None
        client.get(f"/v1/runs/{run}").error(404)
    assert all(SECRET not in block.raw.decode() for block in stream.seen)


def test_a_cancelled_run(slow):
    gate = up.Gate()
    gateway = slow(waiting_answer(gate))
    with Client(gateway.url) as client, Client(gateway.url) as watcher, live(watcher) as stream:
        with client.chat_stream("hi", model="m") as answer:
            answer.until_text(SECRET + " ")
            run = answer.headers["x-run-id"]
            with Client(gateway.url) as other:
                other.post(f"/v1/runs/{run}/cancel").ok()
            end = states(stream, run, "cancelled")[-1]
            assert end["error_code"] == "cancelled" and end["finish_reason"] is None
        gate.open()


def test_each_sees_its_own_and_an_operator_all(slow):
    gateway = slow(up.either())
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin"))
    a, b = (keys.known(gateway, keys.make(gateway)) for _ in range(2))
    with Client(gateway.url, keys.bearer(a["key"])) as first, \
            Client(gateway.url, keys.bearer(b["key"])) as second, \
            Client(gateway.url, keys.bearer(a["key"])) as watcher, \
            keys.client_of(gateway, root["key"], admin=True) as admin, \
            live(watcher) as own, live(admin, "/v1/admin/runs/live") as every:
        foreign = second.chat("hi", model="m").ok().json["run"]
        mine = first.chat("hi", model="m").ok().json["run"]
        states(own, mine, "completed")
        assert foreign not in {block.json["id"] for block in own.seen if "id" in block.json}
        assert states(every, foreign, "completed")[-1]["key"] == {"id": b["id"]}
        assert states(every, mine, "completed")[-1]["key"] == {"id": a["id"]}
        watcher2 = Client(keys.admin_url(gateway), keys.bearer(a["key"]))
        watcher2.get("/v1/admin/runs/live").error(403, "insufficient_scope")
        watcher2.close()


def test_a_revoked_key_reads_no_longer(slow):
    gateway = slow(up.either())
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin"))
    key = keys.known(gateway, keys.make(gateway))
    with Client(gateway.url, keys.bearer(key["key"])) as watcher, \
            keys.client_of(gateway, root["key"], admin=True) as admin, live(watcher) as stream:
        admin.request("DELETE", f"/v1/admin/keys/{key['id']}").ok()
        last = stream.next_data()
        assert last.event == "error" and last.json["error"]["code"] == "invalid_api_key"
        assert next(iter(stream), None) is None


def test_the_first_key_ends_what_an_open_gateway_lets_read(slow):
    gateway = slow(up.either())
    with Client(gateway.url) as watcher, live(watcher) as stream:
        keys.known(gateway, keys.make(gateway))
        assert stream.next_data().json["error"]["code"] == "invalid_api_key"


@pytest.mark.parametrize("loops", [1, 4])
def test_runs_of_all_loops_and_none_is_lost(start, loops):
    """Many at once, from connections that any loop may have: each has a last state, told once."""
    gateway = start({"loops": loops, "providers": [{"name": "echo", "dialect": "echo"}],
                     "models": [{"name": "echo", "provider": "echo"}]})
    many, each = 8, 25
    made = [[] for _ in range(many)]

    def talk(mine):
        for _ in range(each):
            with Client(gateway.url) as client:  # another connection, maybe to another loop
                mine.append(client.chat("hi").ok().json["run"])
    with Client(gateway.url) as watcher, live(watcher) as stream:
        threads = [threading.Thread(target=talk, args=(mine,)) for mine in made]
        for t in threads:
            t.start()
        ended = []
        while len(ended) < many * each:
            state = stream.next_data().json
            if state["status"] == "completed":
                ended.append(state["id"])
            else:
                assert state["status"] == "running" and state["id"] not in ended
        for t in threads:
            t.join()
    assert sorted(ended) == sorted(sum(made, []))


def test_a_slow_reader_is_bounded_and_told_or_gets_the_last_states(start):
    gateway = start({"loops": 1, "providers": [{"name": "echo", "dialect": "echo"}],
                     "models": [{"name": "echo", "provider": "echo"}]})
    with Raw(gateway, receive_buffer=4096) as reader, Client(gateway.url) as client:
        reader.send(b"GET /v1/runs/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        last = [client.chat("hi").ok().json["run"] for _ in range(3000)][-1]
        text = b""
        while b"event: error" not in text and last.encode() not in text:
            piece = reader.sock.recv(65536)
            assert piece, text[-500:]
            text += piece
        if b"event: error" in text:
            assert b'"overloaded"' in text


def test_a_stop_ends_it_well(slow):
    gateway = slow(up.either())
    with Client(gateway.url) as watcher, live(watcher) as stream:
        gateway.process.send_signal(signal.SIGTERM)
        last = stream.next_data()
        assert (last.event, last.data) == ("done", "[DONE]")
        assert next(iter(stream), None) is None
    assert gateway.process.wait(DEADLINE) == 0


def test_silence_has_comments(slow):
    gateway = slow(up.either(), keep_alive="50ms")
    with Client(gateway.url) as watcher:
        with live(watcher) as stream:
            for block in stream:
                if block.is_comment:
                    break


def test_so_many_and_no_more(start):
    gateway = start()
    with contextlib.ExitStack() as stack:
        for _ in range(256):
            reader = stack.enter_context(Raw(gateway))
            reader.send(b"GET /v1/runs/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"200 OK" in reader.sock.recv(4096)
        client = stack.enter_context(Client(gateway.url))
        client.get("/v1/runs/live").error(503, "overloaded")
    with Client(gateway.url) as client:
        def again():
            with contextlib.suppress(AssertionError), live(client):
                return True
        wait_until(again, "a place")
