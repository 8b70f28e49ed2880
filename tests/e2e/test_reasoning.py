"""The name of reasoning in answers of OpenAI's shape, and what providers are told of it again."""

import json

import pytest

import upstream as up
from client import Client
from wires import Anthropic, OpenAIResponses

NAMES = {  # reasoning_name: what clients see of a provider that says `reasoning`, and of one with no name
    "passthrough": ({"reasoning"}, {"reasoning_content"}),
    "reasoning_content": ({"reasoning_content"}, {"reasoning_content"}),
    "reasoning": ({"reasoning"}, {"reasoning"}),
    "both": ({"reasoning", "reasoning_content"}, {"reasoning", "reasoning_content"}),
    "none": (set(), set()),
}
CLAUDE = Anthropic()
RESPONSES = OpenAIResponses()
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def named(value):
    """The names that value has its reasoning under; all of them say the same."""
    names = {k for k in ("reasoning", "reasoning_content") if value.get(k) is not None}
    assert all(value[k] == "hm" for k in names)
    return names


def thinking(streamed):
    if not streamed:
        return CLAUDE._whole({"type": "thinking", "thinking": "hm", "signature": "QQ=="}, "end_turn")
    return CLAUDE._stream({"type": "content_block_start", "index": 0,
                           "content_block": {"type": "thinking", "thinking": "hm"}},
                          {"type": "content_block_stop", "index": 0}, *CLAUDE._text("ok"))


def saying(streamed):
    """A provider's own name for it, and a member that no one knows."""
    if not streamed:
        return up.reply(up.completion(message={"role": "assistant", "content": "ok",
                                               "reasoning": "hm", "mood": "fine"}))
    return [up.sse(), up.role(), up.data(up.chunk({"reasoning": "hm", "mood": "fine"})),
            up.text("ok"), *up.ending(usage=False)]


@pytest.fixture
def gateways(start, upstream):
    clients = []

    def make(name):
        gateway = start({
            "reasoning_name": name,
            "providers": [
                {"name": "o", "dialect": "openai", "base_url": upstream.url + "/v1"},
                {"name": "a", "dialect": "anthropic", "base_url": upstream.url + "/v1"}],
            "models": [{"name": "o/*", "provider": "o"}, {"name": "a/*", "provider": "a"}]})
        clients.append(Client(gateway.url))
        return clients[-1]
    yield make
    for client in clients:
        client.close()


@pytest.mark.parametrize("name", NAMES)
def test_reasoning_has_the_configured_name(gateways, script, name):
    client = gateways(name)
    for prefix, wire, want in (("o", saying, NAMES[name][0]), ("a", thinking, NAMES[name][1])):
        model = script(wire(False)).under(prefix)
        answer = client.complete(model, store=True).ok().json
        message = answer["choices"][0]["message"]
        assert named(message) == want
        assert message.get("mood") == ("fine" if prefix == "o" else None)
        # What was stored is shown under the same name.
        stored = client.get(f"/v1/chat/completions/{answer['id']}").ok().json
        assert named(stored["choices"][0]["message"]) == want
        with client.chat_stream("go", model=script(wire(True)).under(prefix)) as answer:
            said = answer.native()
        deltas = [c["choices"][0]["delta"] for c in said.chunks if c["choices"]]
        assert set().union(*map(named, deltas)) == want
        assert ("fine" in [d.get("mood") for d in deltas]) == (prefix == "o")
        # So is the stream that is read again.
        run = said.chunks[0]["run"]
        again = client.http.get(f"/v1/runs/{run}/events")
        chunks = [json.loads(line[6:]) for line in again.text.split("\n")
                  if line.startswith("data: {")]
        assert [c["choices"] for c in chunks] == [c["choices"] for c in said.chunks]


@pytest.mark.parametrize("streamed", [True, False])
def test_reasoning_goes_back_with_calls_alone(gateways, script, streamed):
    client = gateways("passthrough")
    s = script(saying(streamed)).under("o")
    answer = client.chat("one", model=s).ok().json if not streamed else None
    if streamed:
        with client.chat_stream("one", model=s) as stream:
            answer = stream.native().chunks[0]
    s = script(up.reply(up.completion("fine")), allows={
        "types messages.1.mood": "the provider said it"} if not streamed else None)
    client.chat("two", model=s.under("o"), conversation=answer["conversation"]).ok()
    assert s.request.json["messages"][1]["content"] == "ok"
    assert named(s.request.json["messages"][1]) == set()


def test_reasoning_that_led_to_a_call_goes_back(gateways, script):
    client = gateways("passthrough")
    s = script(up.reply(up.completion(finish="tool_calls", message={
        "role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [CALL]})))
    answer = client.chat("one", model=s.under("o")).ok().json
    s = script(up.reply(up.completion("fine")))
    client.chat(model=s.under("o"), conversation=answer["conversation"], messages=[
        {"role": "tool", "tool_call_id": "call_1", "content": "1"}]).ok()
    assert named(s.request.json["messages"][1]) == {"reasoning_content"}


def test_a_completions_own_messages_go_as_they_came(gateways, script):
    client = gateways("none")
    messages = [{"role": "user", "content": "?"},
                {"role": "assistant", "content": "a", "reasoning": "hm"},
                {"role": "user", "content": "!"}]
    s = script(up.reply(up.completion("fine")))
    client.complete(s.under("o"), messages=messages).ok()
    assert s.request.json["messages"] == messages


def claude_calls(streamed):
    """Signed thinking, then a call."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "EqQB+/8="}
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    if not streamed:
        return up.reply({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
                         "content": [thought, call], "stop_reason": "tool_use",
                         "usage": {"input_tokens": 1, "output_tokens": 2}})
    return CLAUDE._stream(
        {"type": "content_block_start", "index": 0,
         "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "signature_delta", "signature": "EqQB+/8="}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": call},
        {"type": "content_block_stop", "index": 1}, end=("tool_use",))


def responses_call(streamed):
    item = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA="}
    call = {"id": "fc_1", "type": "function_call", "status": "completed", "name": "f",
            "call_id": "call_1", "arguments": "{}"}
    if not streamed:
        return up.reply(RESPONSES._response("completed", [item, call]))
    return RESPONSES._stream(
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.output_item.added", "output_index": 1, "item": {**call, "arguments": ""}},
        {"type": "response.output_item.done", "output_index": 1, "item": call},
        {"type": "response.completed", "response": RESPONSES._response("completed", [item, call])})


SIGNED = {  # dialect: what it says, its call's id, what is sent to it again
    "anthropic": (claude_calls, "toolu_1", lambda body: body["messages"][1]["content"][0],
                  {"type": "thinking", "thinking": "hm", "signature": "EqQB+/8="}),
    "openai-responses": (responses_call, "call_1", lambda body: body["input"][1],
                         {"id": "rs_1", "type": "reasoning", "summary": [],
                          "encrypted_content": "gAAA="}),
}


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("dialect", SIGNED)
def test_signed_reasoning_comes_back_with_its_call(start, upstream, script, dialect, streamed):
    says, id, sent, want = SIGNED[dialect]
    gateway = start({"providers": [{"name": "p", "dialect": dialect,
                                    "base_url": upstream.url + "/v1"}],
                     "models": [{"name": "p/*", "provider": "p"}]})
    tools = [{"type": "function", "function": {"name": "f"}}]
    result = {"role": "tool", "tool_call_id": id, "content": "1"}
    with Client(gateway.url) as client:
        # Kept with a conversation.
        model = script(says(streamed)).under("p")
        if streamed:
            with client.chat_stream("go", model=model, config={"tools": tools}) as answer:
                said = answer.native().chunks[0]
        else:
            said = client.chat("go", model=model, config={"tools": tools}).ok().json
        s = script(says(False))
        client.chat(model=s.under("p"), conversation=said["conversation"], messages=[result],
                    config={"tools": tools}).ok()
        assert sent(s.request.json) == want
        # And with clients that send the call as they got it.
        s = script(says(False))
        message = client.complete(s.under("p"), tools=tools).ok().json["choices"][0]["message"]
        s = script(says(False))
        client.complete(s.under("p"), tools=tools, messages=[
            {"role": "user", "content": "?"}, message, result]).ok()
        assert sent(s.request.json) == want
