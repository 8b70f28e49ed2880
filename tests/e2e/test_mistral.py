"""What Mistral takes and gives otherwise than OpenAI."""

import re

import pytest

import upstream as up
from client import Client
from fixtures import provider

ID = re.compile("[a-zA-Z0-9]{9}")
CALL = {"id": "call_made_elsewhere", "type": "function",
        "function": {"name": "weather", "arguments": "{}"}}


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    return start_once({
        "providers": [provider(upstream, "m", dialect="mistral")],
        "models": [{"name": "m/*", "provider": "m"}]})


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


def test_ids_of_calls_are_its_own_and_stay_pairs(client, script):
    s = script(up.reply(up.completion("fine")))
    answer = client.chat(model=s.under("m"), messages=[
        "?", {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": CALL["id"], "content": "rain"}, "and?"]).ok().json
    sent = s.request.json["messages"]
    id = sent[1]["tool_calls"][0]["id"]
    assert ID.fullmatch(id) and sent[2]["tool_call_id"] == id
    assert [m["role"] for m in sent] == ["user", "assistant", "tool", "assistant", "user"]
    assert [w["code"] for w in answer["warnings"]] == ["message_added"]
    # The next turn tells of the same call by the same id.
    s = script(up.reply(up.completion("fine")))
    client.chat("again", model=s.under("m"), conversation=answer["conversation"]).ok()
    assert s.request.json["messages"][1]["tool_calls"][0]["id"] == id


def test_thinking_in_parts_is_reasoning_whole_and_streamed(client, script):
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "Let me see"}]},
             {"type": "text", "text": "42"}]
    s = script(up.reply(up.completion(message={"role": "assistant", "content": parts})))
    message = client.complete(s.under("m")).ok().json["choices"][0]["message"]
    assert (message["content"], message["reasoning_content"]) == ("42", "Let me see")
    s = script([up.sse(), up.role(), up.data(up.chunk({"content": parts[:1]})),
                up.data(up.chunk({"content": parts[1:]})), *up.ending(usage=False)])
    with client.complete_stream(s.under("m")) as answer:
        said = answer.openai()
    assert said.text == "42" and said.finishes == ["stop"]
    assert [c["choices"][0]["delta"].get("reasoning_content") for c in said.chunks
            if c["choices"][0]["delta"].get("reasoning_content")] == ["Let me see"]


def test_what_its_schema_refuses_is_told_with_its_place(client, script):
    s = script(up.reply({"detail": [{"type": "missing", "loc": ["body", "messages", 0, "content"],
                                     "msg": "Field required"}]}, 422))
    refused = client.complete(s.under("m")).error(422)
    assert refused["message"] == "Field required"
    assert refused["param"] == "messages[0].content"
