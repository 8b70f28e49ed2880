"""Prompts and answers are in the log only where somebody wants them there."""

import json
import signal

import pytest

import upstream as up
from client import Client
from fixtures import usual_config

SAID, HEARD = "what-was-asked", "what-was-answered"


def content(gateway):
    return [line for line in map(json.loads, gateway.lines) if line["event"] == "content"]


def talk(client, script, streamed, store):
    s = script(up.either(HEARD))
    body = {"messages": [SAID], "config": {"model": s.model}, "store": store}
    if not streamed:
        return client.post("/v1/chat", body).ok().json["run"]
    with client.stream("/v1/chat", {**body, "stream": True}) as stream:
        assert HEARD in stream.native().text
        return stream.headers["x-run-id"]


@pytest.mark.parametrize("store", [True, False], ids=["stored", "unstored"])
@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "plain"])
def test_content_is_logged_where_it_is_wanted(start, script, streamed, store):
    gateway = start(usual={"log_content": True})
    with Client(gateway.url) as client:
        run = talk(client, script, streamed, store)
        gateway.wait_log('"direction":"out"')
        asked, answered = content(gateway)
        assert asked["direction"] == "in" and json.loads(asked["body"])["content"] == SAID
        assert answered["direction"] == "out" and HEARD in json.loads(answered["body"])["content"]
        assert asked["run"] == answered["run"] == run
        assert asked["request_id"] == answered["request_id"]


def test_a_long_text_is_cut(start, script):
    gateway = start(usual={"log_content": True})
    with Client(gateway.url) as client:
        client.chat("x" * 4000, model=script(up.either("y")).model).ok()
    gateway.wait_log('"direction":"out"')
    asked = content(gateway)[0]
    assert asked["body"].endswith("x\u2026") and len(asked["body"]) == 1025


def test_off_is_off_and_a_reload_switches_it(start, script, upstream):
    gateway = start(usual={})
    with Client(gateway.url) as client:
        talk(client, script, False, True)
        for on in (True, False):
            gateway.write_config(usual_config(upstream, log_content=on))
            mark = len(gateway.lines)
            gateway.signal(signal.SIGHUP)
            gateway.wait_log("read again", mark)
            assert not content(gateway)[2:]
            talk(client, script, False, True)
            gateway.wait_log('"direction":"out"')
    assert len(content(gateway)) == 2, "only the one call while it was on"
