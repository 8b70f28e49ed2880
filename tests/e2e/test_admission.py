"""Limits at work: windows, tokens, calls at once, bodies, and the queue in front of the places."""

import contextlib
import json
import re
import signal
import socket
import threading
import time
import urllib.request

import pytest

import gateway as gw
import keys
import spec
import upstream as up
from client import Client
from waiting import wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
CONTENT = {"parts": [{"text": "x"}]}
# What they want beside a model, where it is not what most want.
BODIES = {"/v1/completions": {"prompt": "x"}, "/v1/responses": {"input": "x"},
          "/v1/messages": {"max_tokens": 9, "messages": [{"role": "user", "content": "x"}]},
          "/api/generate": {"prompt": "x"}, "/api/embeddings": {"prompt": "x"}, "/v1/runs/{id}/continue": None,
          "/v1/models/{model}:embedContent": {"content": CONTENT},
          "/v1/models/{model}:batchEmbedContents": {"requests": [{"content": CONTENT}]},
          "/v1/models/{model}:generateContent": {"contents": [CONTENT]},
          "/v1/models/{model}:streamGenerateContent": {"contents": [CONTENT]}}
ASKING = {("POST", template) for template in (*BODIES, "/v1/chat", "/v1/chat/completions", "/v1/embeddings", "/api/chat",
                                              "/api/embed")}


def metric(gateway, line):
    with urllib.request.urlopen(gateway.url + "/metrics") as reply:
        found = re.search(rf"^{re.escape(line)} (\S+)$", reply.read().decode(), re.M)
    return float(found[1]) if found else 0


def keyed(gateway, *args):
    """A client with a new key."""
    made = keys.known(gateway, keys.make(gateway, *args))
    return Client(gateway.url, keys.bearer(made["key"])), made


@contextlib.contextmanager
def calls(client, model, n):
    """So many calls at once, each on a thread and so a connection of its own; replies as they come."""
    replies = []

    def one():
        replies.append(client.complete(model))
    threads = [threading.Thread(target=one, daemon=True) for _ in range(n)]
    for thread in threads:
        thread.start()
    yield replies
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


# --- windows ---

def test_exactly_so_many_of_parallel_calls_get_in(start):
    gateway = start({"limits": {"requests": {"count": 7, "window": "1h"}}, "loops": 3})
    with Client(gateway.url) as client:
        client.complete(model="nobody").error(404)  # reads the contract, and is not counted
        with calls(client, "echo", 30) as replies:
            wait_until(lambda: len(replies) == 30, "all answers", 60)
    assert sorted(reply.status for reply in replies) == [200] * 7 + [429] * 23
    left = sorted(int(reply.headers["x-ratelimit-remaining-requests"]) for reply in replies)
    assert left == [0] * 24 + [1, 2, 3, 4, 5, 6]
    assert metric(gateway, 'parley_rate_limited_total{policy="all-requests"}') == 23


def test_the_key_s_window_is_told_and_refuses(start):
    gateway = start(args=ADMIN)
    client, _ = keyed(gateway, "--limit", "requests=2/1h", "--limit", "concurrent=5")
    with client:
        first = client.complete().ok()
        assert first.headers["ratelimit-policy"] == (
            '"requests";q=2;w=3600, "concurrent";q=5;qu="concurrent-requests"')
        assert first.headers["ratelimit"] == '"requests";r=1;t=3600, "concurrent";r=4'
        assert first.headers["x-ratelimit-limit-requests"] == "2"
        assert first.headers["x-ratelimit-remaining-requests"] == "1"
        assert first.headers["x-ratelimit-reset-requests"] == "1h0m0s"
        assert "x-ratelimit-limit-tokens" not in first.headers
        # what never becomes a call takes nothing, and is told how it stands
        wrong = client.complete(model="nobody")
        wrong.error(404)
        assert wrong.headers["x-ratelimit-remaining-requests"] == "1"
        with client.complete_stream() as stream:
            assert stream.headers["x-ratelimit-remaining-requests"] == "0"
            stream.openai()
        refused = client.complete()
        error = refused.error(429, "rate_limit_exceeded", type="requests")
        assert "this API key" in error["message"] and "2 times in 1h" in error["message"]
        assert 3500 < int(refused.headers["retry-after"]) <= 3600
        assert 3500000 < int(refused.headers["retry-after-ms"]) <= 3600001
        assert refused.headers["x-ratelimit-remaining-requests"] == "0"
        assert "x-should-retry" not in refused.headers
        # others have their own, and what asks no model is not counted
        client.get("/v1/models").ok()
        other, _ = keyed(gateway)
        with other:
            assert "ratelimit" not in other.complete().ok().headers


def test_a_window_is_over_when_its_time_is(start):
    gateway = start({"limits": {"requests": {"count": 1, "window": "1s"}}})
    with Client(gateway.url) as client:
        client.complete().ok()
        refused = client.complete()
        if refused.status == 429:
            assert re.fullmatch(r"\d+ms|1s", refused.headers["x-ratelimit-reset-requests"])
        wait_until(lambda: client.complete().status == 200, "the next window")


def test_tokens_are_taken_by_estimate_and_settled(start, script):
    gateway = start(usual={"limits": {"tokens": {"count": 3000, "window": "1h"}}})
    gate = up.Gate()
    slow = script(up.sse(), up.text("a"), up.wait(gate), up.ending())
    with Client(gateway.url) as client:
        def left(reply):
            return int(reply.headers["x-ratelimit-remaining-tokens"])

        with client.complete_stream("t/" + slow.name, max_tokens=2500,
                                    stream_options={"include_usage": True}) as stream:
            reserved = left(stream)
            assert 400 < reserved < 500
            refused = client.complete(max_tokens=600)
            error = refused.error(429, "rate_limit_exceeded", type="tokens")
            assert "all callers" in error["message"] and "600" not in error["message"][:4]
            gate.open()
            usage = stream.openai().usage
        after = left(client.complete(max_tokens=600))
        assert usage["total_tokens"] < 100
        assert 3000 - usage["total_tokens"] - 700 < after < 3000 - usage["total_tokens"] - 600
        never = client.complete(max_tokens=3001)
        assert "make it shorter" in never.error(429, "rate_limit_exceeded", type="tokens")["message"]
        assert never.headers["x-should-retry"] == "false" and "retry-after" not in never.headers


def test_what_no_provider_took_is_given_back(start, script):
    gateway = start(usual={"limits": {"tokens": {"count": 100000, "window": "1h"},
                                      "requests": {"count": 50, "window": "1h"}}})
    refusing = script(up.reply({"error": {"message": "slow down"}}, status=429))
    with Client(gateway.url) as client:
        theirs = client.complete("t/" + refusing.name, max_tokens=90000)
        error = theirs.error(429, "rate_limit_exceeded")
        assert "slow down" in error["message"] and "API key" not in error["message"]
        again = client.complete(max_tokens=90000).ok()
        assert again.headers["x-ratelimit-remaining-requests"] == "48"


def test_one_call_for_one_key_costs_once(start):
    gateway = start({"limits": {"requests": {"count": 2, "window": "1h"}}})
    with Client(gateway.url) as client:
        body = {"model": "echo", "messages": [{"role": "user", "content": "hello"}]}
        for replayed in (None, "true", "true", "true"):
            reply = client.post("/v1/chat/completions", body, headers={"Idempotency-Key": "one"}).ok()
            assert reply.headers.get("idempotency-replayed") == replayed
            assert reply.headers["x-ratelimit-remaining-requests"] == "1"
        client.complete().ok()
        client.complete().error(429, "rate_limit_exceeded")
        client.post("/v1/chat/completions", body, headers={"Idempotency-Key": "one"}).ok()


def test_a_changed_limit_counts_at_once(start):
    gateway = start(args=ADMIN)
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin"))
    client, made = keyed(gateway, "--limit", "requests=1/1h")
    with client, keys.client_of(gateway, root["key"], admin=True) as admin:
        client.complete().ok()
        client.complete().error(429)
        path = "/v1/admin/keys/" + made["id"]
        admin.post(path, {"limits": {"requests": {"count": 2, "window": "1h"}}}).ok()
        client.complete().ok()
        client.complete().error(429)
        admin.post(path, {"limits": {}}).ok()
        assert "ratelimit" not in client.complete().ok().headers


def test_a_reload_changes_the_limits_of_all(start):
    gateway = start({"limits": {"requests": {"count": 1, "window": "1h"}}})
    with Client(gateway.url) as client:
        client.complete().ok()
        client.complete().error(429)
        gateway.write_config({"limits": {"requests": {"count": 1000, "window": "1h"}}})
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: client.complete().status == 200, "the new limit")


# --- every route ---

def test_all_that_asks_a_model_is_counted(start, script):
    """A new route belongs into ASKING, or it is shown here that it asks no model."""
    gateway = start(usual={"limits": {"requests": {"count": 1, "window": "1h"}}})
    model = script(up.either())
    with Client(gateway.url) as client:
        run = client.chat("hello", store=True).ok().headers["x-run-id"]
        rows = gw.run("--dump-routes").stdout.split("\n")[:-1]
        counted = set()
        for row in rows:
            method, template = row.split()[:2]
            path = re.sub(r"\{id\}", run, template.replace("{model}", "t%2F" + model.name))
            path = re.sub(r"\{\w+\}", run, path)
            if "/admin/" in path:
                continue
            body = None
            if method == "POST":
                body = {"model": "t/" + model.name, "messages": [{"role": "user", "content": "x"}],
                        "input": "x"}
                if template == "/v1/chat":
                    body = {"messages": ["x"], "config": {"model": "t/" + model.name}}
                if template in BODIES:
                    more = BODIES[template]
                    body = {} if more is None else more if "{model}" in template else {"model": body["model"], **more}
            if template == "/v1/runs/live": # its answer has no end
                with client.http.stream(method, path) as response:
                    status = response.status_code
            else:
                status = client.request(method, path, body).status
            if status == 429:
                counted.add((method, template))
        assert counted == ASKING
        assert not model.exchanges, "a model was asked past the limit"


def test_one_place_starts_runs():
    """Whoever starts a run elsewhere starts it past the limits."""
    sources = [path for folder in ("src", "routes") for path in (gw.PROJECT / folder).rglob("*.c")]
    calling = {path.name for path in sources if re.search(r"\brun_start\(", path.read_text())}
    assert calling == {"run.c", "door.c"}


def test_the_contract_names_the_headers():
    for method, template in ASKING:
        item = spec.document()["paths"][template][method.lower()]["responses"]
        assert "429" in item, template
        for status in ("200", "202"):
            if status in item:
                assert "RateLimit" in item[status]["headers"], (template, status)


# --- at once ---

def test_a_key_s_calls_at_once(start, script):
    gateway = start(usual={}, args=ADMIN)
    gate = up.Gate()
    slow = script(up.sse(), up.text("a"), up.wait(gate), up.ending())
    client, _ = keyed(gateway, "--limit", "concurrent=1")
    with client:
        with client.complete_stream("t/" + slow.name) as stream:
            refused = client.complete()
            error = refused.error(429, "rate_limit_exceeded", type="requests")
            assert "1 calls at once" in error["message"]
            assert refused.headers["retry-after"] == "1"
            assert refused.headers["ratelimit"] == '"concurrent";r=0'
            gate.open()
            stream.openai()
        wait_until(lambda: client.complete().status == 200, "the end of the call")


def test_bodies_of_a_key_and_of_all(start):
    gateway = start({"limits": {"max_body": "4KiB"}}, args=ADMIN)
    large = [{"role": "user", "content": "x" * 3000}]
    client, _ = keyed(gateway, "--limit", "body=1KiB")
    with client:
        error = client.complete(messages=large).error(413, "request_too_large")
        assert "1024 bytes" in error["message"]
        client.complete().ok()
        # without a length it is noticed on the way
        reply = client.http.post("/v1/chat/completions", headers={"Content-Type": "application/json"},
                                 content=iter([b'{"model":"echo","messages":[', b'{},' * 1000, b"]}"]))
        assert reply.status_code == 413 and "1024 bytes" in reply.text
    other, _ = keyed(gateway, "--limit", "body=1MiB")
    with other:
        other.complete(messages=large).ok()
        error = other.complete(messages=large * 2).error(413, "request_too_large")
        assert "4096 bytes" in error["message"]


# --- places, and the queue in front of them ---

@pytest.fixture
def narrow(start, script):
    """A gateway with one place, and a stream that holds it until its gate opens."""
    def make(**more):
        gateway = start(usual={"max_calls": 1, "loops": 2, **more})
        gate = up.Gate()
        slow = script(up.sse(), up.text("a"), up.wait(gate), up.ending())
        return gateway, gate, "t/" + slow.name
    return make


def waiting(gateway, n):
    wait_until(lambda: metric(gateway, "parley_queue_depth") == n, f"{n} calls that wait")


def test_first_come_first_served(narrow, script):
    gateway, gate, slow = narrow(wait="60s")
    order, seen = [], []  # one place: each ends before the next begins
    scripts = [script(up.call(lambda _, i=i: order.append(i)), up.reply(up.completion(str(i))))
               for i in range(6)]

    def one(i):
        seen.append((i, client.complete("t/" + scripts[i].name).ok()))
    threads = []
    with Client(gateway.url) as client, client.complete_stream(slow) as stream:
        for i in range(6):
            threads.append(threading.Thread(target=one, args=(i,), daemon=True))
            threads[-1].start()
            waiting(gateway, i + 1)
        assert not any(s.exchanges for s in scripts)
        gate.open()
        stream.openai()
        for thread in threads:
            thread.join(30)
    assert order == list(range(6)) and len(seen) == 6
    assert metric(gateway, "parley_queue_wait_seconds_count") == 6
    queue = re.search(r"queue;dur=([0-9.]+)", dict(seen)[5].headers["server-timing"])
    assert float(queue[1]) > 0


def test_the_ledger_counts_from_a_call_s_arrival(narrow):
    """Its time and its duration begin together, so that what has ended has not ended in the future."""
    gateway, gate, slow = narrow(wait="60s")
    with Client(gateway.url) as client, client.complete_stream(slow) as stream:
        with calls(client, "echo", 1):
            waiting(gateway, 1)
            came_ms = time.time_ns() // 1_000_000
            gate.open()
            stream.openai()
        seen = wait_until(lambda: client.get("/v1/runs?model=echo").ok().json["data"], "the call's row")[0]
    assert seen["created_at_ms"] <= came_ms
    assert seen["created_at_ms"] + seen["duration_ms"] >= came_ms - 1  # both are rounded
    assert seen["created_at_ms"] + seen["duration_ms"] <= time.time_ns() // 1_000_000 + 1


def test_more_than_may_wait_is_refused(narrow):
    gateway, gate, slow = narrow(max_waiting=2, wait="60s")
    with Client(gateway.url) as client, client.complete_stream(slow) as stream:
        with calls(client, "echo", 2) as replies:
            waiting(gateway, 2)
            refused = client.complete()
            refused.error(503, "overloaded")
            assert int(refused.headers["retry-after"]) >= 1
            # what asks no model goes on
            client.get("/v1/models").ok()
            gate.open()
            stream.openai()
        assert [reply.status for reply in replies] == [200, 200]
    assert metric(gateway, 'parley_overloaded_total{reason="full"}') == 1


def test_nobody_waits_longer_than_said(narrow):
    gateway, gate, slow = narrow(wait="100ms")
    with Client(gateway.url) as client, client.complete_stream(slow) as stream:
        late = client.complete()
        assert "in time" in late.error(503, "overloaded")["message"]
        assert metric(gateway, "parley_queue_depth") == 0
        gate.open()
        stream.openai()
    assert metric(gateway, 'parley_overloaded_total{reason="wait"}') == 1


def test_a_waiting_client_that_leaves_frees_its_place(narrow, script):
    gateway, gate, slow = narrow(max_waiting=1, wait="60s")
    never = script(up.either())
    with Client(gateway.url) as client, client.complete_stream(slow) as stream:
        host, port = gateway.url.split("//")[1].split(":")
        body = json.dumps({"model": "t/" + never.name, "store": True,
                           "messages": [{"role": "user", "content": "x"}]}).encode()
        with socket.create_connection((host, int(port))) as gone:
            gone.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                         b"Content-Type: application/json\r\nIdempotency-Key: left\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(body) + body)
            waiting(gateway, 1)
            client.complete().error(503, "overloaded")
        waiting(gateway, 0)
        with calls(client, "echo", 1) as replies:
            waiting(gateway, 1)
            gate.open()
            stream.openai()
        assert [reply.status for reply in replies] == [200]
        assert not never.exchanges
        # its idempotency key is free again
        client.post("/v1/chat/completions", body, headers={"Idempotency-Key": "left"}).ok()
    wait_until(lambda: metric(gateway, "parley_calls_active") == 0, "no calls")


def test_draining_refuses_who_waits(narrow):
    gateway, gate, slow = narrow(wait="60s")
    with Client(gateway.url) as client, client.complete_stream(slow) as stream:
        with calls(client, "echo", 3) as replies:
            waiting(gateway, 3)
            gateway.signal(signal.SIGTERM)
            wait_until(lambda: len(replies) == 3, "their refusals")
        for reply in replies:
            reply.error(503, "draining")
            assert reply.headers["retry-after"]
        gate.open()
        assert stream.openai()
    assert gateway.wait_exit() == 0


def test_streams_that_are_read_again_are_no_calls(narrow):
    gateway, gate, slow = narrow(max_waiting=0)
    with Client(gateway.url) as client:
        with client.chat_stream("x", model=slow, store=True) as stream:
            run = stream.headers["x-run-id"]
            with client.http.stream("GET", f"/v1/runs/{run}/events") as again:
                assert again.status_code == 200
                client.complete().error(503, "overloaded")
                gate.open()
                assert b"[DONE]" in b"".join(again.iter_bytes())
            stream.native()
        wait_until(lambda: client.complete().status == 200, "the place")


def test_a_thousand_calls_at_four_places(start):
    gateway = start({"max_calls": 4, "max_waiting": 40, "wait": "60s", "loops": 4,
                     "limits": {"concurrent": 1000}})
    replies = []
    lock = threading.Lock()

    def some():
        for _ in range(20):
            reply = client.complete()
            with lock:
                replies.append(reply)
    with Client(gateway.url) as client:
        threads = [threading.Thread(target=some, daemon=True) for _ in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert len(replies) == 1000
    assert {reply.status for reply in replies} <= {200, 503}
    assert sum(reply.status == 200 for reply in replies) > 500
    for reply in replies:
        if reply.status == 503:
            reply.error(503, "overloaded")
    wait_until(lambda: metric(gateway, "parley_calls_active") == 0, "no calls")
    assert metric(gateway, "parley_queue_depth") == 0
    with Client(gateway.url) as client:
        assert client.complete().ok().headers["ratelimit"] == '"all-concurrent";r=999'


@pytest.mark.parametrize("config, says", [
    ({"limits": {"requests": {"count": 0, "window": "1m"}}}, "out of range"),
    ({"limits": {"requests": {"count": -1, "window": "1m"}}}, "whole number"),
    ({"limits": {"requests": {"count": 5}}}, "needs count and window"),
    ({"limits": {"requests": {"count": 5, "window": "0s"}}}, "from 1s to 366d"),
    ({"limits": {"requests": 5}}, "has to be a map"),
    ({"limits": {"request": {"count": 5, "window": "1m"}}}, "did you mean requests"),
    ({"limits": {"requests": {"counts": 5, "window": "1m"}}}, "did you mean count"),
    ({"limits": [1]}, "has to be a map"),
    ({"limits": {"concurrent": 0}}, "out of range"),
    ({"limits": {"max_body": "1GiB"}}, "out of range"),
    ({"max_calls": 0}, "out of range"),
    ({"wait": "10y"}, "duration"),
])
def test_nonsense_in_the_configuration_is_refused(tmp_path, config, says):
    file = tmp_path / "parley.yaml"
    file.write_text(json.dumps(config))
    done = gw.run("--check-config", "--config", str(file))
    assert done.returncode == 78 and says in done.stderr, done


def test_the_configuration_is_printed(tmp_path):
    file = tmp_path / "parley.yaml"
    file.write_text(json.dumps({"limits": {"requests": {"count": 60, "window": "60s"},
                                           "concurrent": 4, "max_body": "1MiB"}}))
    out = gw.run("--print-config", "--config", str(file)).stdout
    assert "limits:\n  requests: {count: 60, window: 1m}\n  concurrent: 4\n  max_body: 1MiB\n" in out
