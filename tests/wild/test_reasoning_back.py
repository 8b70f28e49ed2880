"""Reasoning that a provider must get back: OpenRouter's reasoning_details, and signatures of calls (D32)."""

import json

import pytest

import ask
import upstream as up
from ask import TOOL, WIRE
from client import Client
from fixtures import UPSTREAM_KEY, provider
from gateway import Gateway

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


def test_another_host_that_refuses_a_signature_of_a_call_is_asked_without(wild, script):
    said = first(wild, script, streamed([], calls=(SIGNED,)), True)
    s = script(up.in_turn(WIRE["openai"].refuse(400, "Corrupted thought signature"), fine("openai")))
    again(wild.client, said.headers["x-conversation-id"], s)
    before, after = [e.request.json["messages"] for e in s.exchanges]
    assert before[1]["tool_calls"][0].pop("extra_content") == GOOGLE and before == after


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


# --- clients that keep the history themselves ---

SECOND = {"id": "call_b", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Bergen"}'}}
GOOGLE = {"google": {"thought_signature": "CiQB+/8="}}
SIGNED = {**CALL, "extra_content": GOOGLE}


def messages_back(said, results):
    """What a client of Messages sends after an answer with calls."""
    content = said.body["content"] if isinstance(said.body, dict) else blocks(said.body)
    return {"max_tokens": 50, "tools": [{"name": TOOL["name"], "input_schema": TOOL["parameters"]}], "messages": [
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": r, "content": "sunny"} for r in results]}]}


def blocks(events):
    """The content of a stream, as the SDK puts it together."""
    content = []
    for e in events:
        if e["type"] == "content_block_start":
            content.append({**e["content_block"], "json": ""})
        elif e["type"] == "content_block_delta":
            block, delta = content[e["index"]], e["delta"]
            for key in ("text", "thinking"):
                if key in delta:
                    block[key] += delta[key]
            block["json"] += delta.get("partial_json", "")
    for block in content:
        text = block.pop("json")
        if block["type"] == "tool_use":
            block["input"] = json.loads(text or "{}")
    return content


def responses_back(said, results):
    """What a client of Responses that stores nothing sends after an answer with calls."""
    items = (said.body if isinstance(said.body, dict) else said.body[-1]["response"])["output"]
    return {"store": False, "tools": [TOOLS["responses"]], "include": ["reasoning.encrypted_content"],
            "input": [{"role": "user", "content": "hi"}, *items,
                      *({"type": "function_call_output", "call_id": r, "output": "sunny"} for r in results)]}


BACK = {"messages": messages_back, "responses": responses_back}
FAMILY = pytest.mark.parametrize("family", BACK)
STREAM = pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])


def return_to(wild, family, said, s, results=("call_a",), dialect="openai"):
    return wild.post(family, dialect, s, BACK[family](said, results), False)


def answered(calls, stream, details=DETAILS, pieces=PIECES):
    if stream:
        return streamed(pieces, calls=calls)
    return [up.reply(up.completion(finish="tool_calls", message={
        "role": "assistant", "content": None, "reasoning_details": details, "tool_calls": list(calls)}))]


def sent_back(s):
    """The assistant's message that the provider got."""
    [message] = [m for m in s.request.json["messages"] if m["role"] == "assistant"]
    return message


@FAMILY
@STREAM
def test_a_client_returns_the_details(wild, script, family, stream):
    said = wild.ask(family, "openai", script(*answered([CALL], stream)), stream=stream, tools=[TOOL])
    assert [c[0] for c in said.calls] == ["call_a"] and "EqQB" not in said.text
    s = script(fine("openai"))
    assert return_to(wild, family, said, s).text == "fine"
    assert sent_back(s)["reasoning_details"] == DETAILS


@FAMILY
@STREAM
def test_a_client_returns_what_came_with_a_call(wild, script, family, stream):
    said = wild.ask(family, "openai", script(*answered([SIGNED, SECOND], stream, [], [])), stream=stream, tools=[TOOL])
    s = script(fine("openai"))
    assert return_to(wild, family, said, s, ("call_a", "call_b")).text == "fine"
    assert [c.get("extra_content") for c in sent_back(s)["tool_calls"]] == [GOOGLE, None]
    assert "reasoning_details" not in sent_back(s)


@FAMILY
@STREAM
def test_a_client_returns_gemini_s_signature(wild, script, family, stream):
    part = {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}, "thoughtSignature": "CiQB+/8="}
    answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
              "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
    steps = [up.sse(), up.data(answer)] if stream else [up.reply(answer)]
    said = wild.ask(family, "gemini", script(*steps), stream=stream, tools=[TOOL])
    s = script(fine("gemini"))
    return_to(wild, family, said, s, [said.calls[0][0]], "gemini")
    [call] = [p for c in s.request.json["contents"] for p in c["parts"] if "functionCall" in p]
    assert call["thoughtSignature"] == "CiQB+/8="


# The thoughts' signatures, and the call's own; what is sent back: a call that nobody has signed gets a substitute.
THOUGHTS = {"one": (["CiQB+/8="], None), "several": (["CiQA", "CiQB+/8="], None), "the call's too": (["CiQA"], "CiQB+/8="),
            "the call's alone": ([], "CiQB+/8="), "none": ([], None)}


@FAMILY
@STREAM
@pytest.mark.parametrize("thoughts, own", THOUGHTS.values(), ids=THOUGHTS)
def test_a_client_returns_the_thoughts_of_an_interaction(wild, script, family, stream, thoughts, own):
    wire, call = WIRE["gemini-interactions"], {"type": "function_call", "id": "c1", "name": "get_weather"}
    call |= {"signature": own} if own else {}
    steps = [{"type": "thought", "signature": s} for s in thoughts]
    if stream:
        events = [e for n, s in enumerate(steps) for e in wire._step(n, {"type": "thought"}, {
            "type": "thought_signature", "signature": s["signature"]})]
        events += wire._step(len(steps), {**call, "arguments": {}}, {"type": "arguments_delta", "arguments": '{"city":"Oslo"}'})
        script_steps = wire._stream(*events, {"event_type": "interaction.completed", "interaction": wire._about("requires_action")})
    else:
        script_steps = [up.reply(wire._about("requires_action", steps=[*steps, {**call, "arguments": {"city": "Oslo"}}]))]
    said = wild.ask(family, "gemini-interactions", script(*script_steps), stream=stream, tools=[TOOL])
    s = script(fine("gemini-interactions"))
    return_to(wild, family, said, s, [said.calls[0][0]], "gemini-interactions")
    sent = [step for step in s.request.json["input"] if step["type"] in ("thought", "function_call")]
    told = steps if steps or own else [{"type": "thought", "signature": "skip_thought_signature_validator"}]
    assert sent == [*told, {**call, "id": sent[-1]["id"], "arguments": {"city": "Oslo"}}]


@STREAM
def test_a_client_of_messages_returns_openai_s_reasoning(wild, script, stream):
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA+/=="}
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": "get_weather", "status": "completed",
            "arguments": '{"city":"Oslo"}'}
    wire = WIRE["openai-responses"]
    events = [{"type": "response.output_item.done", "output_index": n, "item": item} for n, item in enumerate([thought, call])]
    end = wire._response("completed", [thought, call])
    steps = ([up.sse(), *map(up.data, [*events, {"type": "response.completed", "response": end}])] if stream else
             [up.reply(end)])
    said = wild.post("messages", "openai-responses", script(*steps), {
        **ask.question("messages", tools=[TOOL]), "thinking": {"type": "enabled", "budget_tokens": 2048}, "max_tokens": 4096}, stream)
    s = script(fine("openai-responses"))
    return_to(wild, "messages", said, s, dialect="openai-responses")
    assert [i for i in s.request.json["input"] if i.get("type") == "reasoning"] == [thought]


@FAMILY
def test_details_after_the_call_come_back_in_order(wild, script, family):
    late = [{"type": "reasoning.text", "signature": "EqQB+/8=", "format": "anthropic-claude-v1", "index": 0}]
    chunks = [up.sse(), up.role(), *thought(PIECES[:2], True), up.data(up.chunk({"tool_calls": [{"index": 0, **CALL}]})),
              *thought([late, [HIDDEN]], False), *up.ending("tool_calls")]
    said = wild.ask(family, "openai", script(*chunks), stream=True, tools=[TOOL])
    s = script(fine("openai"))
    return_to(wild, family, said, s)
    assert sent_back(s)["reasoning_details"] == DETAILS


@FAMILY
@STREAM
def test_an_answer_without_calls_carries_nothing(wild, script, family, stream):
    steps = ([up.sse(), up.role(), *thought(PIECES, True), up.text("ok"), *up.ending("stop")] if stream else
             [up.reply(up.completion(message={"role": "assistant", "content": "ok", "reasoning_details": DETAILS}))])
    said = wild.ask(family, "openai", script(*steps), stream=stream)
    assert "EqQB" not in json.dumps(said.body) and said.text == "ok"


@STREAM
def test_a_stored_response_keeps_it_here(wild, script, stream):
    said = wild.post("responses", "openai", script(*answered([CALL], stream)),
                     {"input": "hi", "tools": [TOOLS["responses"]]}, stream)
    assert "parley_rd" not in json.dumps(said.body)


def test_hidden_reasoning_is_not_carried(make_wild, script):
    hidden = make_wild(reasoning_name="none")
    for family in BACK:
        said = hidden.ask(family, "openai", script(*streamed()), stream=True, tools=[TOOL])
        assert "EqQB" not in json.dumps(said.body)


@pytest.mark.parametrize("family, dialect", [("messages", "anthropic"), ("responses", "openai-responses"),
                                             ("messages", "openai-responses"), ("responses", "anthropic"),
                                             ("messages", "gemini"), ("responses", "mistral"),
                                             ("messages", "ollama")])
def test_nobody_else_is_sent_it(wild, script, family, dialect):
    said = wild.ask(family, "openai", script(*streamed()), stream=True, tools=[TOOL])
    s = script(fine(dialect))
    back = return_to(wild, family, said, s, dialect=dialect)
    assert back.text == "fine" and "parley_rd" not in s.request.body.decode() and "EqQB" not in s.request.body.decode()


@FAMILY
@pytest.mark.parametrize("data", ["parley_rd:", "parley_rd:{", "parley_rd:[]", 'parley_rd:{"reasoning_details":1}'])
def test_what_was_changed_is_left_out(wild, script, family, data):
    said = wild.ask(family, "openai", script(*answered([CALL], False)), stream=False, tools=[TOOL])
    for piece in said.body.get("content", []) + said.body.get("output", []):
        for key in ("data", "encrypted_content"):
            if key in piece:
                piece[key] = data
    s = script(fine("openai"))
    back = return_to(wild, family, said, s)
    assert back.text == "fine" and "reasoning_details" not in sent_back(s)
    assert ("reasoning_dropped" in back.codes) == (not data.endswith("}"))
