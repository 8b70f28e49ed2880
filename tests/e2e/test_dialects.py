"""One suite for all dialects: the same questions, the same answers, in both shapes."""

import json

import pytest

import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider
from wires import USAGE, WIRES

TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}}}}]
ARGS = {"city": 'Köln "K"'}


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    """DIALECT/NAME asks the scripted server in that dialect."""
    return start_once({
        "providers": [provider(upstream, w.dialect, dialect=w.dialect,
                               api_key_env="TEST_UPSTREAM_KEY") for w in WIRES],
        "models": [{"name": f"{w.dialect}/*", "provider": w.dialect} for w in WIRES],
    }, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


@pytest.fixture(params=WIRES, ids=lambda w: w.dialect)
def wire(request):
    return request.param


def counts(usage):
    return usage["prompt_tokens"], usage["completion_tokens"]


def test_the_key_goes_where_the_provider_wants_it(client, script, wire):
    s = script(wire.whole("ok"))
    client.complete(s.under(wire.dialect)).ok()
    headers = [v for n, v in s.request.headers if UPSTREAM_KEY in v]
    assert len(headers) == 1 and s.request.method == "POST"
    assert s.request.target == wire.target.replace("NAME", s.name)


@pytest.mark.parametrize("name", [".", ".."])
@pytest.mark.parametrize("dialect", ["azure", "gemini"])
def test_a_name_that_would_leave_the_path_is_refused(start, upstream, dialect, name):
    """Servers and proxies resolve such a segment, and the key would go to another address."""
    there = provider(upstream, "p", dialect=dialect, completions=dialect == "azure")
    gateway = start({"providers": [there | {"base_url": upstream.url.removesuffix("/v1")}],
                     "models": [{"name": "p/*", "provider": "p"}]})
    strays = len(upstream.strays)
    with Client(gateway.url) as client:
        asks = [("/v1/chat", {"messages": ["x"]}), ("/v1/embeddings", {"input": "x"}),
                ("/v1/chat/completions", {"messages": [{"role": "user", "content": "x"}]})]
        if dialect == "azure":
            asks.append(("/v1/completions", {"prompt": "x"}))
        for path, body in asks:
            how = {"config": {"model": f"p/{name}"}} if path == "/v1/chat" else {"model": f"p/{name}"}
            error = client.post(path, {**body, **how}).error(400, "invalid_value")
            assert "URL" in error["message"]
    assert len(upstream.strays) == strays


def test_a_stream_in_openais_shape(client, script, wire):
    s = script(wire.say("Hel", "lo ü\n", '"x"'))
    with client.complete_stream(s.under(wire.dialect),
                                stream_options={"include_usage": True}) as answer:
        said = answer.openai()
    assert said.text == 'Hello ü\n"x"' and said.finishes == ["stop"] and said.error is None
    assert counts(said.usage) == USAGE
    *before, last = said.chunks
    assert last["usage"], "clients look for it in the last chunk"
    assert not any(chunk.get("usage") for chunk in before)


def test_usage_stays_away_from_those_who_did_not_ask(client, script, wire):
    s = script(wire.say("a"))
    with client.complete_stream(s.under(wire.dialect)) as answer:
        assert answer.openai().usage is None


def test_a_plain_answer(client, script, wire):
    s = script(wire.whole('Hello ü\n"x"'))
    answer = client.complete(s.under(wire.dialect)).ok().json
    choice = answer["choices"][0]
    assert choice["message"]["content"] == 'Hello ü\n"x"'
    assert choice["finish_reason"] == "stop" and counts(answer["usage"]) == USAGE


def test_lmc_whole_and_streamed(client, script, wire):
    s = script(wire.say("Say:\n```python\n1", "+1\n```\n"))
    with client.chat_stream("go", model=s.under(wire.dialect), format="lmc") as answer:
        said = answer.lmc()
    assert [(m["type"], m["content"]) for m in said.messages] == [("message", "Say:"),
                                                                  ("code", "1+1")]
    assert said.error is None and len(said.confirmations) == 1
    s = script(wire.whole("Say:\n```python\n1+1\n```\n"))
    answer = client.chat("go", model=s.under(wire.dialect), format="lmc").ok().json
    assert [m["content"] for m in answer["messages"]] == ["Say:", "1+1"]
    assert counts(answer["usage"]) == USAGE


@pytest.mark.parametrize("streamed", [True, False])
def test_a_call_and_what_it_gave_back(client, script, wire, streamed):
    s = script(wire.call("weather", "call_1", ARGS) if streamed
               else wire.whole_call("weather", "call_1", ARGS))
    more = {"tools": TOOLS, "model": s.under(wire.dialect)}
    ask = {"role": "user", "content": "?"}
    if streamed:
        with client.complete_stream(messages=[ask], **more) as answer:
            said = answer.openai()
        pieces = [c for chunk in said.chunks for choice in chunk["choices"]
                  for c in choice["delta"].get("tool_calls") or []]
        call = {"id": pieces[0]["id"], "type": "function", "function": {
            "name": pieces[0]["function"]["name"],
            "arguments": "".join(p["function"].get("arguments") or "" for p in pieces)}}
        assert said.finishes == ["tool_calls"]
    else:
        choice = client.complete(messages=[ask], **more).ok().json["choices"][0]
        assert choice["finish_reason"] == "tool_calls"
        call, = choice["message"]["tool_calls"]
    assert call["function"]["name"] == "weather" and call["id"]
    assert json.loads(call["function"]["arguments"]) == ARGS
    s = script(wire.whole("fine"))
    client.complete(s.under(wire.dialect), tools=TOOLS, messages=[
        ask, {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": "it rains"}]).ok()
    sent = json.dumps(s.request.json)
    assert sent.count("it rains") == 1 and "city" in sent
    # In the definition, in the call, and for some providers with what it gave back.
    assert sent.count('"weather"') in (2, 3)


def test_a_conversation_goes_on(client, script, wire):
    s = script(wire.say("My name is ", "Bob."))
    with client.chat_stream("Who?", model=s.under(wire.dialect), instruction="Be brief.") as answer:
        said = answer.native()
    conversation = said.chunks[0]["conversation"]
    run = client.run(said.chunks[0]["run"])
    assert run["status"] == "completed" and counts(run["usage"]) == USAGE
    assert (run["finish_reason"], run["native_finish_reason"]) == ("stop", wire.native)
    s = script(wire.whole("Bob."))
    client.chat("Again?", model=s.under(wire.dialect), conversation=conversation).ok()
    sent = json.dumps(s.request.json)
    for text in ("Be brief.", "Who?", "My name is Bob.", "Again?"):
        assert sent.count(text) == 1


def test_a_cut_stream_is_told(client, script, wire):
    s = script(wire.cut("Hel", "lo"))
    with client.complete_stream(s.under(wire.dialect)) as answer:
        said = answer.openai()
    assert said.text == "Hello" and said.error["code"] == "stream_incomplete"


def test_an_error_within_a_stream(client, script, wire):
    s = script(wire.fail("Hel", "lo"))
    with client.complete_stream(s.under(wire.dialect)) as answer:
        said = answer.openai()
    assert said.text == "Hello" and said.error["message"] == "it broke"
    # In front of all content it is still a status.
    s = script(wire.fail())
    client.complete(s.under(wire.dialect), stream=True).error(502)


def test_errors_with_a_status(client, script, wire):
    s = script(wire.refuse(400, "no such thing"))
    refused = client.complete(s.under(wire.dialect)).error(400)
    assert refused["message"] == "no such thing"
    s = script(wire.refuse(401, "bad key"))
    client.complete(s.under(wire.dialect)).error(403, "upstream_auth_failed")


def test_logprobs_are_asked_for_or_told_to_be_left_out(client, script, wire):
    s = script(wire.whole("ok"))
    answer = client.chat("hi", model=s.under(wire.dialect),
                         config={"extra": {"logprobs": True}}).ok().json
    sent = s.request.json.get("logprobs") is True
    assert sent == (wire.dialect in ("openai", "azure"))
    codes = [w["code"] for w in answer.get("warnings", [])]
    assert codes == ([] if sent else ["parameter_dropped"])


@pytest.mark.parametrize("streamed", [False, True])
def test_a_completion_says_in_a_header_what_was_left_out(client, script, wire, streamed):
    s = script(wire.say("ok") if streamed else wire.whole("ok"))
    ask = {"logprobs": True, "stream": streamed}
    answer = client.complete(s.under(wire.dialect), **ask)
    assert answer.status == 200
    if wire.dialect in ("openai", "azure"):
        assert "x-parley-warnings" not in answer.headers
    else:
        (told,) = json.loads(answer.headers["x-parley-warnings"])
        assert told["code"] == "parameter_dropped" and "logprobs" in told["message"]


def test_logprobs_come_through(client, script):
    said = {"content": [{"token": "ok", "logprob": -0.5, "bytes": [111, 107],
                         "top_logprobs": []}], "refusal": None}
    whole = up.completion("ok")
    whole["choices"][0]["logprobs"] = said
    answer = client.complete(script(up.reply(whole)).under("openai"), logprobs=True).ok().json
    assert answer["choices"][0]["logprobs"] == said
    piece = up.chunk({"content": "ok"})
    piece["choices"][0]["logprobs"] = said
    s = script([up.sse(), up.role(), up.data(piece), *up.ending(usage=False)])
    with client.complete_stream(s.under("openai"), logprobs=True) as answer:
        chunks = answer.openai().chunks
    assert [c["choices"][0]["logprobs"] for c in chunks
            if c["choices"] and c["choices"][0].get("logprobs")] == [said]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/chat", "/v1/responses"])
def test_a_key_with_escapes_is_the_same_key(client, script, path):
    s = script(WIRES[[w.dialect for w in WIRES].index("gemini")].whole("ok"))
    said = r'"temper\u0061ture":0.5,"m\u006fdel":"%s"' % s.under("gemini")
    body = {"/v1/chat/completions": '{%s,"messages":[{"role":"user","content":"x"}]}',
            "/v1/chat": '{"config":{%s},"messages":["x"]}',
            "/v1/responses": '{%s,"input":"x"}'}[path]
    client.post(path, (body % said).encode()).ok()
    assert s.request.json["generationConfig"]["temperature"] == 0.5


def test_an_answer_over_the_limit_is_the_providers_fault_and_no_shortage(client, script):
    s = script(WIRES[[w.dialect for w in WIRES].index("anthropic")].whole("a" * (33 << 20)))
    error = client.complete(s.under("anthropic")).error(502, "upstream_bad_response")
    assert "too large" in error["message"]


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/messages"])
def test_anthropics_address_may_have_its_version_or_not(start, upstream, script, tail):
    s = script(up.reply({"type": "error", "error": {"type": "invalid_request_error",
                                                    "message": "no"}}, 400))
    gateway = start({"providers": [provider(
        upstream, "a", dialect="anthropic", base_url=upstream.url.removesuffix("/v1") + tail)],
        "models": [{"name": "m", "provider": "a", "upstream_model": s.name}]})
    with Client(gateway.url) as client:
        client.chat("hi", model="m").error(400)
    assert s.request.target == "/v1/messages"



def test_openais_clients_mark_what_anthropic_caches(client, script):
    mark = {"type": "ephemeral"}
    wire = next(w for w in WIRES if w.dialect == "anthropic")
    s = script(wire.whole("ok"))
    client.complete(s.under("anthropic"), [
        {"role": "system", "content": [{"type": "text", "text": "be", "cache_control": mark}]},
        {"role": "user", "content": [{"type": "text", "text": "a"},
                                     {"type": "text", "text": "b", "cache_control": mark}]},
        {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {
            "name": "weather", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "r", "cache_control": mark}],
        tools=[{**TOOLS[0], "cache_control": mark}]).ok()
    got = s.request.json
    assert got["system"] == [{"type": "text", "text": "be", "cache_control": mark}]
    assert got["messages"][0]["content"][1]["cache_control"] == mark
    assert got["messages"][2]["content"][0]["cache_control"] == mark
    assert got["tools"][0]["cache_control"] == mark


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_model_that_refuses_sampling_is_not_sent_it(start, upstream, script, dialect):
    wire = next(w for w in WIRES if w.dialect == dialect)
    s, other = script(up.reply({}, 500)), script(wire.whole("ok"))
    gateway = start({"providers": [provider(upstream, "p", dialect=dialect)], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "no_sampling": True,
         "fallback": ["n"]},
        {"name": "n", "provider": "p", "upstream_model": other.name}]})
    with Client(gateway.url) as client:
        for name in ("temperature", "top_p"):  # Anthropic takes one of the two
            reply = client.complete("m", **{name: 0.5}, seed=1).ok()
            assert reply.headers["x-parley-attempts"] == "2"
            assert name not in s.exchanges[-1].request.json
            assert other.exchanges[-1].request.json[name] == 0.5
        only = script(wire.whole("ok"))
        upstream.scripts[s.name] = only
        told = json.loads(client.complete("m", temperature=0.5).ok().headers["x-parley-warnings"])
        assert "temperature" in told[0]["message"]


def test_the_version_of_anthropics_api_is_the_providers(start, upstream, script):
    wire = next(w for w in WIRES if w.dialect == "anthropic")
    s = script(wire.whole("ok"))
    gateway = start({"providers": [provider(upstream, "p", dialect="anthropic", headers={
        "anthropic-version": "2026-10-21", "anthropic-beta": "x"})],
        "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as client:
        client.complete("m").ok()
    assert s.request.header("anthropic-version") == "2026-10-21"
    assert s.request.header("anthropic-beta") == "x"
