"""Planted words: no key, header or content is ever in a log line, a metric or an error."""

import json
import re

import pytest

import upstream as up
from client import Client
from gateway import CANARY
from raw import Raw, post


@pytest.mark.parametrize("level", ["info", "debug"])
@pytest.mark.parametrize("form", ["json", "text"])
def test_planted_words_stay_out_of_logs_metrics_and_errors(start, script, level, form):
    key = f"pk-{CANARY}-client"
    gateway = start(usual={"log_level": level, "log_format": form},
                    env={"PARLEY_API_KEY": key, "TEST_UPSTREAM_KEY": f"sk-{CANARY}"})
    good = script(up.either(f"answer {CANARY}"))
    bad = script(up.reply({"error": {"message": f"you sent {CANARY}: sk-{CANARY}",
                                     "type": "x"}}, 400))
    cut = script(up.sse(), up.role(), up.text(CANARY), up.hang_up())
    junk = script(up.reply(f"<html>{CANARY}</html>".encode(), 200, "text/html"))
    headers = {"Authorization": f"Bearer {key}", "Cookie": CANARY, "User-Agent": "plain"}
    with Client(gateway.url, headers) as client:
        for model in (good.model, bad.model, cut.model, junk.model, "dead/x"):
            client.chat(CANARY, model=model, instruction=CANARY, metadata={"k": CANARY})
            with client.chat_stream(CANARY, model=model) as stream:
                list(stream.pieces)
        errors = [
            client.get(f"/v1/models?key={CANARY}", headers={"Authorization": f"Bearer {CANARY}"}),
            client.get("/v1/models", headers={"Authorization": f"Basic {CANARY}"}),
            client.get("/v1/models", headers={"Authorization": "", "api-key": CANARY}),
            client.post("/v1/chat", f'{{"messages":["{CANARY}" x'.encode()),
            client.chat({"content": CANARY, "role": 7}),
            client.chat({"content": {"x": CANARY}}),
        ]
        for reply in errors:
            assert 400 <= reply.status < 500, reply
            assert CANARY not in json.dumps(reply.json["error"]["message"]), reply
        assert CANARY not in client.get("/metrics").body.decode()
    with Raw(gateway) as raw:
        raw.send(post("/v1/chat", b"{}", f"X-Odd\x01: {CANARY}"))
        raw.read()
    gateway.stop()  # looks for the word in the whole log


def test_one_line_a_request_and_no_injection(start):
    gateway = start()
    evil = "a\\r\\nlevel=error"
    with Client(gateway.url) as client:
        client.chat("hi", model=f"no\n{{\"evil\":1}}\u2028 {evil}").error(404)
        reply = client.get("/v1/models/x%0a%7b%22evil%22%3a1%7d?secret=query")
        assert reply.status in (400, 404)
        request_id = client.get("/v1/models").ok().headers["x-request-id"]
    gateway.stop()
    lines = [line for line in gateway.lines if request_id in line]
    assert len(lines) == 1, lines
    for line in gateway.lines:
        value = json.loads(line)
        assert {"ts", "level", "event"} <= set(value), line
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value["ts"]), line
        assert "secret=query" not in line
    value = json.loads(lines[0])
    assert value["status"] == 200 and value["method"] == "GET"
    assert value["path"] == "/v1/models" and value["route"]


def test_no_secret_is_left_in_the_process_environment(start):
    gateway = start(env={"PARLEY_API_KEY": f"pk-{CANARY}"})
    with Client(gateway.url) as client:
        client.get("/livez").ok()
    with open(f"/proc/{gateway.process.pid}/cmdline", "rb") as file:
        assert CANARY.encode() not in file.read()


def test_a_provider_that_repeats_its_headers_reveals_no_key(start, script):
    """Whatever is asked about a failing provider, its key stays inside."""
    gateway = start(usual={})
    echoing = script(up.call(lambda x: up.reply({"error": {
        "message": "headers: " + x.request.head.decode(), "type": "x"}}, 400)(x)))
    with Client(gateway.url) as client:
        reply = client.chat("hi", model=echoing.model)
        assert CANARY not in reply.error(400)["message"]
        run = client.run(reply.headers["x-run-id"])
        assert CANARY not in json.dumps(run)
