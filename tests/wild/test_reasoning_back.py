"""Reasoning that a provider must get back: OpenRouter's reasoning_details (D32)."""

import json

import pytest

import upstream as up
from ask import TOOL, WIRE
from client import Client
from fixtures import UPSTREAM_KEY, provider
from gateway import Gateway

pytestmark = pytest.mark.once

CALL = {"id": "call_a", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'}}
RESULT = {"role": "tool", "tool_call_id": "call_a", "content": "sunny"}
HIDDEN = {"type": "reasoning.encrypted", "data": "QUJD\u2028+/8=", "id": "rs_1", "format": "openai-responses-v1", "index": 1}
PIECES = [
    [{"type": "reasoning.text", "text": "Which ", "format": "anthropic-claude-v1", "index": 0, "signature": None}],
    [{"type": "reasoning.text", "text": "city? \U0001f600", "format": "anthropic-claude-v1", "index": 0}],
    [{"type": "reasoning.text", "signature": "EqQB+/8=", "format": "anthropic-claude-v1", "index": 0}],
    [HIDDEN],
]
DETAILS = [{"type": "reasoning.text", "text": "Which city? \U0001f600", "format": "anthropic-claude-v1", "index": 0,
            "signature": "EqQB+/8="}, HIDDEN]
TOOLS = {"native": {"type": "function", "function": TOOL}, "responses": {"type": "function", **TOOL}}


def thought(pieces, text):
    for p in pieces:
        words = "".join(d.get("text", "") for d in p)
        yield up.data(up.chunk({"content": "", **({"reasoning": words} if words and text else {}),
                                "reasoning_details": p}))


def streamed(pieces=PIECES, text=True, calls=(CALL,)):
    more = [up.data(up.chunk({"tool_calls": [{"index": n, **c}]})) for n, c in enumerate(calls)]
    return [up.sse(), up.role(), *thought(pieces, text), *more, *up.ending("tool_calls")]


def whole():
    return [up.reply(up.completion(finish="tool_calls", message={
        "role": "assistant", "content": None, "reasoning": "Which city?", "reasoning_details": DETAILS,
        "tool_calls": [CALL]}))]


def fine(dialect):
    return WIRE[dialect].whole("fine")


def again(client, conversation, s, dialect="openai", messages=(RESULT,), tool=TOOLS["native"]):
    """The next turn of a conversation by /v1/chat."""
    client.post("/v1/chat", {"conversation": conversation, "messages": list(messages),
                             "config": {"model": s.under(dialect), "tools": [tool]}}).ok()
    return s.request.json["messages"][1] if dialect == "openai" else None


def first(wild, script, steps, stream):
    return wild.post("native", "openai", script(*steps), {"messages": ["hi"], "config": {"tools": [TOOLS["native"]]}},
                     stream)


@pytest.mark.parametrize("steps, want", [
    (streamed(), DETAILS), (streamed(text=False), DETAILS), (streamed([[HIDDEN], [{**HIDDEN, "id": "rs_2"}]]),
                                                             [HIDDEN, {**HIDDEN, "id": "rs_2"}]),
    (streamed([[{"type": "reasoning.summary", "summary": "So", "index": 0}],
               [{"type": "reasoning.summary", "summary": " it is", "index": 0}]]),
     [{"type": "reasoning.summary", "summary": "So it is", "index": 0}]),
], ids=["text", "details alone", "two ids", "summary"])
def test_a_stored_stream_goes_back(wild, script, steps, want):
    said = first(wild, script, steps, True)
    assert [c[0] for c in said.calls] == ["call_a"], said
    sent = again(wild.client, said.headers["x-conversation-id"], script(fine("openai")))
    assert sent["reasoning_details"] == want and [c["id"] for c in sent["tool_calls"]] == ["call_a"]


def test_a_stored_answer_goes_back(wild, script):
    said = first(wild, script, whole(), False)
    assert again(wild.client, said.headers["x-conversation-id"], script(fine("openai")))["reasoning_details"] == DETAILS


def shown(chunks):
    deltas = [c["choices"][0]["delta"] for c in chunks if c["choices"]]
    return [d["reasoning_details"] for d in deltas if "reasoning_details" in d]


def test_a_whole_answer_that_is_read_as_a_stream_has_the_list(wild, script):
    said = first(wild, script, whole(), False)
    events = wild.client.http.get(f"/v1/runs/{said.body['run']}/events").text
    assert shown([json.loads(line[6:]) for line in events.split("\n") if line.startswith("data: {")]) == [DETAILS]


def test_a_chunk_that_is_printed_anew_keeps_the_list(wild, script):
    odd = {**up.chunk({}), "choices": [{"delta": {"reasoning_details": [HIDDEN]}, "finish_reason": None}]}
    s = script(up.sse(), up.role(), up.data(odd), up.text("ok"), *up.ending("stop"))
    said = wild.ask("chat", "openai", s, stream=True)
    assert shown(said.body) == [[HIDDEN]]


def test_reasoning_without_a_call_is_stored_and_stays_here(wild, script):
    said = first(wild, script, [up.sse(), up.role(), *thought(PIECES, True), up.text("ok"), *up.ending("stop")], True)
    stored = wild.client.messages(said.headers["x-conversation-id"])
    assert "EqQB+/8=" in json.dumps(stored)
    assert again(wild.client, said.headers["x-conversation-id"], script(fine("openai")), messages=["more"]) == {"role": "assistant", "content": "ok"}


@pytest.mark.parametrize("other", [d for d in WIRE if d not in ("openai", "azure")])
def test_other_dialects_are_not_sent_it(wild, script, other):
    said = first(wild, script, streamed(), True)
    s = script(fine(other))
    again(wild.client, said.headers["x-conversation-id"], s, other)
    assert "EqQB" not in s.request.body.decode() and "reasoning_details" not in s.request.body.decode()


def test_another_host_that_refuses_what_was_signed_is_asked_without(wild, script):
    said = first(wild, script, streamed(), True)
    s = script(up.in_turn(WIRE["openai"].refuse(400, "messages.1.content.0: Invalid `signature` in `thinking` block"),
                          fine("openai")))
    again(wild.client, said.headers["x-conversation-id"], s)
    before, after = [e.request.json["messages"] for e in s.exchanges]
    assert before[1].pop("reasoning_details") == DETAILS and before == after


@pytest.mark.parametrize("stream", [True, False])
def test_a_stored_response_goes_back(wild, script, stream):
    s = script(*(streamed() if stream else whole()))
    body = {"input": "hi", "tools": [TOOLS["responses"]]}
    said = wild.post("responses", "openai", s, body, stream)
    id = said.body[-1]["response"]["id"] if stream else said.body["id"]
    s = script(fine("openai"))
    wild.post("responses", "openai", s, {"previous_response_id": id, "tools": [TOOLS["responses"]], "input": [
        {"type": "function_call_output", "call_id": "call_a", "output": "sunny"}]})
    assert s.request.json["messages"][1]["reasoning_details"] == DETAILS


def test_a_name_that_is_turned_back_keeps_the_list(wild, script):
    """The chunks of such an answer are printed anew."""
    long = {**TOOL, "name": "mcp__" + "a_server_with_a_name__" * 3 + "find"}
    tools = {"config": {"tools": [{"type": "function", "function": long}]}}

    def answer(x):
        call = {**CALL, "function": {**CALL["function"], "name": x.request.json["tools"][0]["function"]["name"]}}
        for step in streamed(calls=(call,)):
            step(x)
    said = wild.post("native", "openai", script(answer), {"messages": ["hi"], **tools}, True)
    assert said.calls[0][1] == long["name"]
    sent = again(wild.client, said.headers["x-conversation-id"], script(fine("openai")), tool=tools["config"]["tools"][0])
    assert sent["reasoning_details"] == DETAILS


def test_a_log_that_a_killed_gateway_left_has_the_list(upstream, tmp_path, script):
    gate = up.Gate()
    s = script(*streamed()[:-2], up.text("all of it"), up.wait(gate))
    gateway = Gateway(tmp_path, {"providers": [provider(upstream, "openai")],
                                 "models": [{"name": "openai/*", "provider": "openai"}], "durability": "strict"},
                      env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY}).start()
    with Client(gateway.url) as client:
        body = {"messages": ["hi"], "stream": True, "config": {"model": s.under("openai"), "tools": [TOOLS["native"]]}}
        with client.stream("/v1/chat", body) as stream:
            while "all of it" not in stream.next_data().data:
                pass
            conversation = stream.headers["x-conversation-id"]
            gateway.kill()
    gate.open()
    gateway.start()
    with Client(gateway.url) as client:
        assert again(client, conversation, script(fine("openai")))["reasoning_details"] == DETAILS
    gateway.stop()
