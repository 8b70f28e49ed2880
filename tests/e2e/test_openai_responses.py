"""What the Responses API as an upstream has of its own."""

import json

import openai
import pytest

import upstream as up
from client import Client
from fixtures import provider
from wires import OpenAIResponses

WIRE = OpenAIResponses()


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    """"kept" lets store and metadata through, "plain" does not."""
    return start_once({
        "providers": [provider(upstream, name, dialect="openai-responses", forward_store=forward)
                      for name, forward in (("plain", False), ("kept", True))],
        "models": [{"name": f"{name}/*", "provider": name} for name in ("plain", "kept")]})


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


@pytest.mark.parametrize(("name", "asked", "sent"), [
    ("plain", True, False), ("plain", None, False), ("kept", True, True), ("kept", None, False)])
def test_the_provider_keeps_nothing_unless_both_want_it(client, script, name, asked, sent):
    s = script(WIRE.whole("ok"))
    more = {} if asked is None else {"store": asked, "metadata": {"a": "b"}}
    client.complete(s.under(name), **more).ok()
    assert s.request.json["store"] is sent
    assert s.request.json.get("metadata") == ({"a": "b"} if sent else None)


def test_calls_that_interleave_keep_their_own_arguments(client, script):
    def at(n):
        return {"item_id": f"fc_{n}", "output_index": n}

    events = [{"type": "response.output_item.added", "output_index": n, "item": {
        "id": f"fc_{n}", "type": "function_call", "name": "f", "call_id": f"call_{n}",
        "arguments": ""}} for n in (2, 5)]
    events += [{"type": "response.function_call_arguments.delta", **at(n), "delta": piece}
               for piece in ('{"n":', "%d}") for n in (2, 5)]
    for event in events[-2:]:
        event["delta"] %= event["output_index"]
    s = script(WIRE._stream(*events, {"type": "response.completed",
                                      "response": WIRE._response("completed")}))
    with client.complete_stream(s.under("plain")) as answer:
        said = answer.openai()
    calls = {}
    for chunk in said.chunks:
        for choice in chunk["choices"]:
            for c in choice["delta"].get("tool_calls") or []:
                call = calls.setdefault(c["index"], {"arguments": ""})
                call["id"] = c.get("id") or call["id"]
                call["arguments"] += c["function"].get("arguments") or ""
    assert [(c["id"], json.loads(c["arguments"])) for _, c in sorted(calls.items())] == [
        ("call_2", {"n": 2}), ("call_5", {"n": 5})]
    assert said.finishes == ["tool_calls"]


def test_a_mark_without_a_last_event_is_no_end(client, script):
    s = script([*WIRE.cut("Hel", "lo")[:-1], up.data("[DONE]"), up.end()])
    with client.complete_stream(s.under("plain")) as answer:
        said = answer.openai()
    assert said.text == "Hello" and said.error["code"] == "stream_incomplete"


def test_an_error_in_front_of_all_content_is_a_status(client, script):
    error = {"type": "error", "code": "invalid_prompt", "message": "no", "param": None}
    s = script([up.sse(), up.data(error), up.end()])
    refused = client.complete(s.under("plain"), stream=True).error(400)
    # The type is the error's, not the event's.
    assert (refused["code"], refused["type"]) == ("invalid_prompt", "invalid_request_error")


def test_an_answer_that_reached_its_limit(client, script):
    s = script(WIRE._stream(*WIRE._texts(["Hel"]), {
        "type": "response.incomplete", "response": WIRE._response(
            "incomplete", incomplete_details={"reason": "max_output_tokens"})}))
    with client.complete_stream(s.under("plain"), max_tokens=20) as answer:
        said = answer.openai()
    assert said.finishes == ["length"] and s.request.json["max_output_tokens"] == 20


# --- counting ---

COUNT = "/v1/responses/input_tokens"
LONG = {"input": [{"role": "user", "content": "Hello"}], "instructions": "be brief", "store": True, "stream": True,
        "max_output_tokens": 50, "metadata": {"a": "b"}, "reasoning": {"effort": "low"}, "background_options": {},
        "tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}, "strict": False}]}


def test_the_provider_counts_its_own_tokens(client, script):
    s = script(up.reply(b'{"object":"response.input_tokens", "input_tokens": 2095}'))
    reply = client.post(COUNT, {"model": s.under("plain"), **LONG}).ok()
    assert reply.json == {"object": "response.input_tokens", "input_tokens": 2095}
    assert "x-parley-warnings" not in reply.headers
    assert s.request.target.endswith("/responses/input_tokens")
    assert set(s.request.json) == {"model", "input", "instructions", "reasoning", "tools"}
    assert s.request.json["model"] == s.name


@pytest.mark.parametrize("answer", [up.reply({"error": "no"}, 404), up.reply({}, 500), up.reply({"input_tokens": -1}),
                                    up.reply({"object": "response.input_tokens"}), up.hang_up()])
def test_a_count_that_fails_is_an_estimate(client, script, answer):
    s = script(answer)
    reply = client.post(COUNT, {"model": s.under("plain"), **LONG}).ok()
    assert reply.json["object"] == "response.input_tokens" and reply.json["input_tokens"] > 0
    assert "estimated" in reply.headers["x-parley-warnings"]


def test_a_count_of_other_models_and_of_what_is_stored(gateway, client, script):
    sdk = openai.OpenAI(base_url=gateway.url + "/v1", api_key="none", max_retries=0)
    assert sdk.responses.input_tokens.count(model="echo", input="Hello there").input_tokens > 3
    for member, value in (("previous_response_id", "resp_1"), ("conversation", "conv_1")):
        refused = client.post(COUNT, {"model": "echo", "input": "a", member: value}).error(400, "unsupported_parameter")
        assert refused["param"] == member
    client.post(COUNT, {"model": "nobody", "input": "a"}).error(404, "model_not_found")
    s = script(up.reply({"error": {"message": "tools.0: no", "type": "invalid_request_error", "code": None}}, 400))
    assert "tools.0: no" in client.post(COUNT, {"model": s.under("plain"), **LONG}).error(400)["message"]
