"""Traces: what a collector is sent, and that nobody waits for one."""

import http.server
import json
import re
import threading

import pytest

import upstream as up
from client import Client
from fixtures import provider
from waiting import wait_until

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
CANARY = "canary-of-content"


class Collector:
    """What an OpenTelemetry collector would have got; answers as it is told."""

    def __init__(self):
        self.bodies, self.heads, self.status = [], [], 200
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                outer.heads.append((self.path, dict(self.headers)))
                outer.bodies.append(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(outer.status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def spans(self):
        found = []
        for body in self.bodies:
            for resource in json.loads(body)["resourceSpans"]:
                names = {a["key"]: a["value"] for a in resource["resource"]["attributes"]}
                assert names["service.name"] == {"stringValue": "parley"}
                for scope in resource["scopeSpans"]:
                    found.extend(scope["spans"])
        return found

    def wait(self, count):
        return wait_until(lambda: len(self.spans) >= count and self.spans, f"{count} spans")

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def collector():
    made = Collector()
    yield made
    made.close()


@pytest.fixture
def traced(start, upstream, collector):
    """traced(**options): a client of a gateway that tells the collector."""
    made = []

    def make(models=(), env=None, **more):
        gateway = start({"otlp_endpoint": collector.url, "default_model": "echo", "providers": [
            {**provider(upstream, "p"), "retries": 1}], "models": [
            {"name": "echo", "provider": "echo"},
            *({"name": m, "provider": "p", "upstream_model": m} for m in models)], **more},
            env=env or {})
        made.append(Client(gateway.url))
        return made[-1], gateway
    yield make
    for client in made:
        client.close()


def attributes(span):
    found = {}
    for one in span["attributes"]:
        ((kind, value),) = one["value"].items()
        found[one["key"]] = (int(value) if kind == "intValue" else
                             [v["stringValue"] for v in value["values"]] if kind == "arrayValue"
                             else value)
    assert len(found) == len(span["attributes"]), "an attribute twice"
    return found


def of_kind(spans, kind):
    return [s for s in spans if s["kind"] == kind]


def test_a_call_is_two_spans_in_the_callers_trace(traced, collector, script):
    s = script(*up.stream("a ", "b"))
    client, gateway = traced([s.name])
    with client.stream("/v1/chat", {"messages": [CANARY], "stream": True,
                                    "config": {"model": s.name}},
                       headers={"traceparent": PARENT}) as stream:
        run = stream.headers["x-run-id"]
        assert stream.native().text == "a b"
    spans = collector.wait(2)
    (server,), (call,) = of_kind(spans, 2), of_kind(spans, 3)
    assert server["traceId"] == call["traceId"] == PARENT[3:35]
    assert server["parentSpanId"] == PARENT[36:52] and call["parentSpanId"] == server["spanId"]
    assert server["name"] == "POST /v1/chat" and call["name"] == f"chat {s.name}"
    assert int(server["startTimeUnixNano"]) <= int(call["startTimeUnixNano"])
    assert int(call["startTimeUnixNano"]) < int(call["endTimeUnixNano"])
    told = attributes(call)
    assert told["gen_ai.usage.input_tokens"] == 11 and told["gen_ai.usage.output_tokens"] == 7
    assert told["gen_ai.response.finish_reasons"] == ["stop"] and told["parley.run"] == run
    assert told["gen_ai.request.stream"] is True and told["gen_ai.provider.name"] == "p"
    assert 0 <= told["gen_ai.response.time_to_first_chunk"] < 30
    told = attributes(server)
    assert told["http.route"] == "/v1/chat" and told["http.response.status_code"] == 200
    assert "status" not in server and "status" not in call
    (line,) = [m for m in map(json.loads, gateway.lines) if m.get("run") == run]
    assert line["trace_id"] == server["traceId"] and line["span_id"] == server["spanId"]
    assert not any(CANARY.encode() in body for body in collector.bodies)
    assert all(path == "/v1/traces" and head["Content-Type"] == "application/json"
               for path, head in collector.heads)


def test_embeddings_are_named_as_what_they_are(traced, collector, script):
    s = script(up.embeddings([1.0]))
    client, _ = traced([s.name])
    client.post("/v1/embeddings", {"model": s.name, "input": CANARY}).ok()
    (call,) = of_kind(collector.wait(2), 3)
    told = attributes(call)
    assert call["name"] == f"embeddings {s.name}"
    assert told["gen_ai.operation.name"] == "embeddings"
    assert told["gen_ai.usage.input_tokens"] == 11
    assert "gen_ai.response.finish_reasons" not in told
    assert not any(CANARY.encode() in body for body in collector.bodies)


def test_only_who_may_know_gets_a_traceparent(start, upstream, collector, script):
    s, other = script(up.reply(up.completion("x"))), script(up.reply(up.completion("x")))
    gateway = start({"otlp_endpoint": collector.url, "providers": [
        provider(upstream, "knows", propagate_trace=True), provider(upstream, "not")], "models": [
        {"name": "m", "provider": "knows", "upstream_model": s.name},
        {"name": "n", "provider": "not", "upstream_model": other.name}]})
    with Client(gateway.url) as client:
        for model in "mnm":
            client.post("/v1/chat", {"messages": ["hi"], "config": {"model": model}},
                        headers={"traceparent": PARENT}).ok()
    calls = of_kind(collector.wait(6), 3)
    sent = [x.request.header("traceparent") for x in s.exchanges]
    assert sorted(sent) == sorted(f"00-{PARENT[3:35]}-{c['spanId']}-01" for c in calls
                                  if attributes(c)["gen_ai.request.model"] == "m")
    assert other.request.header("traceparent") is None
    assert s.request.header("content-type") == "application/json"


def test_each_attempt_is_a_span_and_failures_say_which(traced, collector, script):
    s = script(up.reply({"error": {"message": "no"}}, 500))
    client, _ = traced([s.name])
    client.chat("hi", model=s.name).error(502)
    spans = collector.wait(3)
    (server,), calls = of_kind(spans, 2), of_kind(spans, 3)
    assert sorted(attributes(c)["parley.attempt"] for c in calls) == [1, 2]
    for span in spans:
        assert span["traceId"] == server["traceId"] and span["status"] == {"code": 2}
    assert all(attributes(c)["error.type"] == "upstream_error" for c in calls)
    assert "parentSpanId" not in server, "nobody called it"


@pytest.mark.parametrize("header", [
    PARENT + "-more", PARENT.upper(), "ff" + PARENT[2:], PARENT[:-1], "00-" + "0" * 32 + PARENT[35:],
    PARENT[:36] + "0" * 16 + "-01", "x", PARENT.replace("-", "_"), "-"])
def test_a_bad_header_begins_a_trace(traced, collector, header):
    client, _ = traced()
    client.post("/v1/chat", {"messages": ["hi"]}, headers={"traceparent": header}).ok()
    for span in collector.wait(2):
        assert re.fullmatch("[0-9a-f]{32}", span["traceId"]) and span["traceId"] != PARENT[3:35]


def test_a_later_version_is_read(traced, collector):
    client, _ = traced()
    client.post("/v1/chat", {"messages": ["hi"]},
                headers={"traceparent": "cc" + PARENT[2:] + "-what-the-future-brings"}).ok()
    assert {s["traceId"] for s in collector.wait(2)} == {PARENT[3:35]}


def test_what_is_not_sampled_is_not_sent(traced, collector):
    client, gateway = traced(trace_sample=0)
    client.post("/v1/chat", {"messages": ["not"]}).ok()
    client.post("/v1/chat", {"messages": ["nor"]}, headers={"traceparent": PARENT[:-1] + "0"}).ok()
    client.post("/v1/chat", {"messages": ["but"]}, headers={"traceparent": PARENT}).ok()
    collector.wait(2)
    gateway.stop()
    assert {s["traceId"] for s in collector.spans} == {PARENT[3:35]}
    assert len(collector.spans) == 2


def test_headers_for_the_collector(traced, collector):
    client, gateway = traced(env={"PARLEY_OTLP_HEADERS": "authorization=Bearer spoken-to-nobody,x-team=chat"})
    client.chat("hi").ok()
    collector.wait(2)
    _, head = collector.heads[0]
    assert head["authorization"] == "Bearer spoken-to-nobody" and head["x-team"] == "chat"
    assert not any("spoken-to-nobody" in line for line in gateway.lines)


def test_a_collector_that_is_away_holds_nobody_up(traced, collector):
    collector.status = 503
    client, gateway = traced()
    client.chat("hi").ok()

    def failed():
        return re.search(r'parley_trace_spans_total{result="failed"} (\d+)',
                         client.get("/metrics").body.decode())
    wait_until(failed, "the batch has failed")
    assert int(failed()[1]) >= 2
    wait_until(lambda: any('"event":"trace"' in line for line in gateway.lines), "the log says so")
    collector.status = 200
    client.chat("hi").ok()
    wait_until(lambda: 'parley_trace_spans_total{result="sent"}' in
               client.get("/metrics").body.decode(), "a later batch is sent")


def test_the_last_spans_are_sent_at_the_end(traced, collector):
    client, gateway = traced(loops=1)
    client.chat("hi").ok()
    gateway.stop()
    assert len(collector.spans) == 2


def test_without_a_collector_a_callers_trace_is_in_the_log(client, shared):
    mark = len(shared.lines)
    client.post("/v1/chat", {"messages": ["hi"]}, headers={"traceparent": PARENT}).ok()
    wait_until(lambda: any(PARENT[3:35] in line for line in shared.lines[mark:]), "the log has it")


@pytest.mark.parametrize("url", ["ftp://x", "http://u:p@x", "nonsense", "localhost:4318"])
def test_bad_endpoints_are_told_at_start(start, url):
    code, message = start({"otlp_endpoint": url}, ready=False).fails_to_start()
    assert code == 78 and "otlp_endpoint" in message and "base_url" not in message
