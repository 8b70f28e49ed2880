"""What Gemini has and no other provider: signed calls, blocked prompts, errors with details."""

import pytest

import upstream as up
from client import Client
from fixtures import provider
from wires import Gemini

WIRE = Gemini()
SIGNATURE = "QUJD+/8="
ASK = {"role": "user", "content": "?"}
TOOLS = [{"type": "function", "function": {"name": "weather"}}]


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    return start_once({
        "providers": [provider(upstream, "g", dialect="gemini")],
        "models": [{"name": "gemini/*", "provider": "g"}],
    })


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


def sent_calls(request):
    return [p for c in request.json["contents"] for p in c["parts"] if "functionCall" in p]


def signed_call(client, script, streamed):
    """A call as a client got it."""
    if not streamed:
        s = script(WIRE.whole_call("weather", "", {"city": "Bonn"}))
        answer = client.complete(s.under("gemini"), [ASK], tools=TOOLS).ok().json
        return answer["choices"][0]["message"]["tool_calls"][0]
    s = script(WIRE.call("weather", "", {"city": "Bonn"}))
    with client.complete_stream(s.under("gemini"), [ASK], tools=TOOLS) as answer:
        said = answer.openai()
    pieces = [c for chunk in said.chunks for choice in chunk["choices"]
              for c in choice["delta"].get("tool_calls") or []]
    call = {k: v for k, v in pieces[0].items() if k != "index"}
    call["function"] = {"name": "weather",
                        "arguments": "".join(p["function"]["arguments"] for p in pieces)}
    return call


@pytest.mark.parametrize("streamed", [True, False])
def test_a_signature_comes_back_with_its_call(client, script, streamed):
    call = signed_call(client, script, streamed)
    assert call["extra_content"] == {"google": {"thought_signature": SIGNATURE}}
    result = {"role": "tool", "tool_call_id": call["id"], "content": "rain"}
    s = script(WIRE.whole("fine"))
    client.complete(s.under("gemini"), [
        ASK, {"role": "assistant", "content": None, "tool_calls": [call]}, result]).ok()
    sent, = sent_calls(s.request)
    assert sent == {"functionCall": {"name": "weather", "args": {"city": "Bonn"}},
                    "thoughtSignature": SIGNATURE}
    # Clients that keep only what OpenAI's calls have are served as well.
    del call["extra_content"]
    s = script(WIRE.whole("fine"))
    client.complete(s.under("gemini"), [
        ASK, {"role": "assistant", "content": None, "tool_calls": [call]}, result]).ok()
    sent, = sent_calls(s.request)
    assert sent["thoughtSignature"] == "skip_thought_signature_validator"


def test_a_signature_is_kept_with_a_conversation(client, script):
    s = script(WIRE.call("weather", "", {"city": "Bonn"}))
    with client.chat_stream("?", model=s.under("gemini")) as answer:
        said = answer.native()
    conversation = said.chunks[0]["conversation"]
    call = client.messages(conversation)[-1]["tool_calls"][0]
    s = script(WIRE.whole("fine"))
    client.chat({"role": "tool", "tool_call_id": call["id"], "content": "rain"},
                model=s.under("gemini"), conversation=conversation).ok()
    sent, = sent_calls(s.request)
    assert sent["thoughtSignature"] == SIGNATURE


@pytest.mark.parametrize("streamed", [True, False])
def test_a_blocked_prompt_is_a_filtered_answer(client, script, streamed):
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "responseId": "r",
               "usageMetadata": {"promptTokenCount": 3}}
    s = script(up.sse() if streamed else up.reply(blocked),
               *([up.data(blocked), up.end()] if streamed else []))
    if streamed:
        with client.complete_stream(s.under("gemini"), [ASK]) as answer:
            said = answer.openai()
        assert said.finishes == ["content_filter"] and said.text == "" and said.error is None
        assert s.request.target.endswith(":streamGenerateContent?alt=sse")
    else:
        choice = client.complete(s.under("gemini"), [ASK]).ok().json["choices"][0]
        assert choice["finish_reason"] == "content_filter"


def test_a_wait_that_the_body_tells(client, script):
    error = {"error": {"code": 429, "message": "Quota exceeded.", "status": "RESOURCE_EXHAUSTED",
                       "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo",
                                    "retryDelay": "12.5s"}]}}
    s = script(up.reply(error, 429))
    reply = client.complete(s.under("gemini"), [ASK])
    reply.error(429, "RESOURCE_EXHAUSTED")
    assert reply.headers["retry-after"] == "13"


def test_a_bad_key_is_no_fault_of_the_clients(client, script):
    error = {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT",
                       "details": [{"reason": "API_KEY_INVALID"}]}}
    s = script(up.reply(error, 400))
    client.complete(s.under("gemini"), [ASK]).error(403, "upstream_auth_failed")


def test_an_address_on_the_web_is_not_fetched(client, script):
    s = script(WIRE.whole("no"))
    image = {"type": "image_url", "image_url": {"url": "http://pictures.example/a.png"}}
    error = client.complete(s.under("gemini"), [{"role": "user", "content": [image]}]).error(
        400, param="messages[0].content[0]")
    assert "Gemini" in error["message"] and not s.exchanges
