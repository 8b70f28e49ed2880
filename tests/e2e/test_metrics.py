"""What is counted, as Prometheus' own parsers read it."""

import re
import threading

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as plain_text

import upstream as up
from client import Client
from fixtures import provider
from waiting import wait_until

FORMATS = {"text/plain": (plain_text, "text/plain; version=0.0.4; charset=utf-8"),
           "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5":
           (open_metrics, "application/openmetrics-text; version=1.0.0; charset=utf-8")}


def families(client, accept="text/plain"):
    parse, kind = FORMATS[accept]
    reply = client.get("/metrics", headers={"Accept": accept}).ok()
    assert reply.headers["content-type"] == kind
    return {family.name: family for family in parse(reply.body.decode())}


def value(client, sample, **labels):
    """A sample's value; 0 where it is not there yet."""
    for family in families(client).values():
        for one in family.samples:
            if one.name == sample and labels.items() <= one.labels.items():
                return one.value
    return 0


@pytest.mark.parametrize("accept", FORMATS)
def test_prometheus_reads_them(client, script, accept):
    s = script(*up.stream("a ", "b ", "c "))
    with client.chat_stream("hi", model=s.model) as stream:
        assert stream.native().text == "a b c "
    client.chat("hi").ok()
    found = families(client, accept)
    kinds = {name: family.type for name, family in found.items()}
    assert kinds["parley_gateway_overhead_seconds"] == "histogram"
    assert kinds["parley_http_request_size_bytes"] == "histogram"
    assert kinds["process_start_time_seconds"] == "gauge"
    assert "counter" in (kinds.get("parley_tokens"), kinds.get("parley_tokens_total"))
    for family in found.values():
        assert family.documentation, family.name
        if family.type != "histogram":
            continue
        series = {}
        for sample in family.samples:
            key = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
            series.setdefault(key, {}).setdefault(sample.name[len(family.name):], []).append(sample)
        for of in series.values():
            counts = [s.value for s in of["_bucket"]]
            assert counts == sorted(counts) and counts[-1] == of["_count"][0].value
            bounds = [float(s.labels["le"]) for s in of["_bucket"]]
            assert bounds == sorted(bounds) and bounds[-1] == float("inf")


def test_a_call_is_measured(start, script):
    gateway = start(usual={})
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18,
             "prompt_tokens_details": {"cached_tokens": 5},
             "completion_tokens_details": {"reasoning_tokens": 3}}
    s = script(up.sse(), up.role(), up.text("one "), up.text("two"), up.data(up.chunk({}, "stop")),
               up.data(up.usage_chunk(usage)), up.data("[DONE]"), up.end())
    with Client(gateway.url) as client:
        with client.chat_stream("hi", model=s.model) as stream:
            assert stream.native().text == "one two"
        wait_until(lambda: value(client, "parley_gateway_overhead_seconds_count", route="chat") == 1,
                   "the call is counted")
        for kind, n in ("input", 11), ("output", 7), ("cached", 5), ("reasoning", 3):
            assert value(client, "parley_tokens_total", type=kind) == n
        assert value(client, "parley_upstream_time_per_output_token_seconds_count") == 1
        assert value(client, "parley_http_request_size_bytes_sum", route="chat") > 20
        assert value(client, "parley_http_response_size_bytes_sum", route="chat") > 200
        assert value(client, "parley_db_transaction_seconds_count", op="write") >= 1
        assert value(client, "parley_config_last_reload_success_timestamp_seconds") > 1.7e9
        assert value(client, "process_start_time_seconds") > 1.7e9
        overhead = value(client, "parley_gateway_overhead_seconds_sum", route="chat")
        assert 0 < overhead < value(client, "parley_http_request_duration_seconds_sum", route="chat")


def test_counts_that_would_overflow_are_none(start, script):
    huge = 2**63 - 1
    gateway = start(usual={})
    with Client(gateway.url) as client:
        for _ in range(2):
            s = script(up.reply({**up.completion(), "usage": {
                "prompt_tokens": huge, "completion_tokens": huge, "total_tokens": huge}}))
            client.chat("hi", model=s.model).ok()
        assert value(client, "parley_tokens_total") == 0


def test_resumed_streams_are_counted(start, script):
    gateway = start(usual={})
    with Client(gateway.url) as client:
        run = client.chat("hi", model=script(up.either("a b c")).model).ok().json["run"]
        url = f"/v1/runs/{run}/events"
        client.get(url).ok()
        assert value(client, "parley_stream_resumes_total") == 0, "from its start is no resume"
        client.get(f"{url}?after=1").ok()
        assert value(client, "parley_stream_resumes_total", result="ok") == 1
        client.get(f"{url}?after=9999")
        assert value(client, "parley_stream_resumes_total", result="nothing_left") == 1


def test_retries_and_breakers_show(start, upstream, script):
    s = script(up.reply({"error": {"message": "no"}}, 502))
    entry = {"base_url": upstream.url, "dialect": "openai", "retries": 1,
             "health": {"failures": 2, "window": "60s", "pause": "60s"}}
    gateway = start({"providers": [{"name": "p", **entry}, provider(upstream, "q")],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as client:
        assert value(client, "parley_upstream_up", upstream="p") == 1
        client.chat("hi", model="m").error(502)
        assert len(s.exchanges) == 2
        assert value(client, "parley_upstream_retries_total", reason="upstream_error") == 1
        assert value(client, "parley_circuit_state", upstream="p") == 0  # a run is one failure
        client.chat("hi", model="m").error(502)
        assert len(s.exchanges) == 3
        assert value(client, "parley_circuit_state", upstream="p") == 2
        assert value(client, "parley_upstream_up", upstream="p") == 0
        assert value(client, "parley_circuit_state", upstream="q") == 0
        assert value(client, "parley_upstream_up", upstream="q") == 1


def timing(reply):
    parts = re.findall(r"(\w+);dur=(\d+\.\d{3})(?:, |$)", reply.headers["server-timing"])
    assert "".join(f", {n};dur={d}" for n, d in parts)[2:] == reply.headers["server-timing"]
    return {name: float(ms) for name, ms in parts}


@pytest.mark.parametrize("path", ["/v1/chat", "/v1/chat/completions"])
def test_server_timing_says_where_the_time_went(client, script, path):
    gate = up.Gate()
    s = script(up.call(lambda _: threading.Timer(0.05, gate.open).start()), up.wait(gate),
               up.reply(up.completion("ok")))
    body = ({"messages": ["hi"], "config": {"model": s.model}} if path == "/v1/chat" else
            {"messages": [{"role": "user", "content": "hi"}], "model": s.model})
    got = timing(client.post(path, body).ok())
    assert set(got) >= {"queue", "upstream", "gateway", "total"}
    assert got["upstream"] > 20 and got["gateway"] < got["total"]
    assert abs(got["upstream"] + got["gateway"] - got["total"]) < 0.01


def test_a_stream_says_what_it_knows(client, script):
    with client.chat_stream("hi", model=script(*up.stream("a")).model) as stream:
        stream.next_data()
        got = timing(stream)
    assert set(got) <= {"queue", "upstream_ttfb"} and "queue" in got


def test_no_call_no_timing(client):
    assert "server-timing" not in client.get("/v1/models").ok().headers
    assert "server-timing" not in client.chat("hi", model="nobody").headers
