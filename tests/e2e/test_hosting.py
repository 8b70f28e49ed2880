"""Claude on Amazon Bedrock and on Vertex AI: Anthropic's messages at another place, in another frame.

The judges are others': the clients AnthropicBedrock and AnthropicVertex send the same as Parley does, and read with
botocore's parser what the scripted provider says in Amazon's frames.
"""

import base64
import json
from urllib.parse import unquote

import anthropic
import pytest

import frames
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider
from gateway import PROJECT
from wires import Anthropic, Bedrock, OnBedrock, chunk, compact

PLACE = "/v1/projects/p1/locations/eu"
BASES = {"vertex": PLACE, "vertex-publisher": PLACE + "/publishers/anthropic", "vertex-bare": PLACE[3:]}
SAY = [{"role": "user", "content": "hi"}]
ASK = {"max_tokens": 100, "messages": SAY}


WIRES = {"bedrock": OnBedrock(), "vertex": Anthropic()}


@pytest.fixture(scope="module")
def hosts(start_once, upstream):
    root = upstream.url.removesuffix("/v1")
    entries = {"bedrock": {"hosting": "bedrock", "base_url": root}, "bedrock-v1": {"hosting": "bedrock"},
               "flags": {"hosting": "bedrock", "headers": {"anthropic-beta": "one-2026-01-01"}},
               **{name: {"hosting": "vertex", "base_url": root + path} for name, path in BASES.items()}}
    return start_once({
        "providers": [provider(upstream, name, dialect="anthropic", api_key_env="TEST_UPSTREAM_KEY", **entry)
                      for name, entry in entries.items()],
        "models": [*[{"name": f"{name}/*", "provider": name} for name in entries],
                   *[{"name": f"cached-{name}/*", "provider": name, "prompt_cache": "auto"} for name in entries]]},
        env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})


@pytest.fixture(scope="module")
def client(hosts):
    one = Client(hosts.url)
    yield one
    one.close()


@pytest.fixture(params=["bedrock", "vertex"])
def place(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request):
    return request.param


def sdk(place, upstream):
    root = upstream.url.removesuffix("/v1")
    if place == "bedrock":
        return anthropic.AnthropicBedrock(api_key="k", aws_region="eu-central-1", base_url=root, max_retries=0)
    return anthropic.AnthropicVertex(access_token="k", project_id="p1", region="eu", base_url=root + "/v1", max_retries=0)


def recorded():
    """Of Claude Code: signatures, cache_control, tools; texts replaced."""
    for path in sorted((PROJECT / "tests/fixtures/requests").glob("claude*.json")):
        record = json.loads(path.read_text())
        if record["path"].startswith("/v1/messages") and "count_tokens" not in record["path"]:
            yield pytest.param(record, id=path.stem)


def texts(message):
    return "".join(b.text for b in message.content if b.type == "text")


# --- what is sent ---


@pytest.mark.parametrize("record", recorded())
def test_claude_code_s_requests_are_what_the_sdk_sends(hosts, upstream, script, client, place, record):
    """The client's own words, but for the model and the flags."""
    body = {k: v for k, v in record["body"].items() if k != "model"}
    wire = WIRES[place]
    s = script(*(wire.say("good ", "day") if body.get("stream") else [wire.whole("good day")]),
               allows={"hosting anthropic_version": "the SDK asks for the API's latest version",
                       "headers anthropic-version": up.strict.Perhaps("the SDK has none on Vertex AI")})
    flags = "context-1m-2025-08-07,interleaved-thinking-2025-05-14"
    more = {"anthropic-beta": flags}
    own = sdk(place, upstream)
    made = own.beta.messages.create(model=s.name, extra_headers=more, max_tokens=body["max_tokens"],
                                    messages=body["messages"], stream=body.get("stream", False),
                                    extra_body={k: v for k, v in body.items()
                                                if k not in ("messages", "max_tokens", "stream")})
    if body.get("stream"):  # the judge of the stub's frames
        made = [e for e in made if e.type == "content_block_delta"]
        assert "".join(e.delta.text for e in made) == "good day"
    else:
        assert texts(made) == "good day"
    if body.get("stream"):
        with client.stream("/v1/messages", {**body, "model": s.under(place)}, more) as reply:
            assert reply.status == 200
            reply.reply()
    else:
        client.post("/v1/messages", {**body, "model": s.under(place)}, headers=more).ok()
    theirs, ours = s.wait(1).request, s.wait(2).request
    assert unquote(ours.target) == unquote(theirs.target)
    versions = {"bedrock": "bedrock-2023-05-31", "vertex": "vertex-2023-10-16"}
    assert {**ours.json, "anthropic_version": None} == {**theirs.json, "anthropic_version": None}
    assert ours.json["anthropic_version"] == versions[place]
    assert ours.header("authorization") == f"Bearer {UPSTREAM_KEY}"
    assert ours.header("anthropic-beta") == (flags if place == "vertex" else None)


@pytest.mark.parametrize("base", ["bedrock", "bedrock-v1", *BASES])
def test_the_place_whatever_the_base_url_ends_with(client, script, base, stream):
    wire = WIRES[base.split("-")[0]]
    s = script(*(wire.say("ok") if stream else [wire.whole("ok")]))
    body = {**ASK, "model": s.under(base), **({"stream": True} if stream else {})}
    if stream:
        with client.stream("/v1/messages", body) as reply:
            assert "ok" in reply.reply().body.decode()
    else:
        client.post("/v1/messages", body).ok()
    names = {False: "rawPredict", True: "streamRawPredict"}
    invoke = {False: "invoke", True: "invoke-with-response-stream"}
    assert s.request.target == (f"/model/{s.name}/{invoke[stream]}" if base.startswith("bedrock") else
                                f"{PLACE}/publishers/anthropic/models/{s.name}:{names[stream]}")


ARN = "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0"


@pytest.mark.parametrize("model, path", [
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "us.anthropic.claude-sonnet-4-5-20250929-v1%3A0"),
    (ARN, ARN.replace(":", "%3A").replace("/", "%2F"))])
@pytest.mark.parametrize("dialect", ["anthropic", "bedrock"])
def test_names_are_one_segment_of_the_path(client, converse, upstream, dialect, model, path):
    count = len(upstream.strays)
    who = client if dialect == "anthropic" else converse
    who.post("/v1/messages", {**ASK, "model": f"bedrock/{model}"})
    assert [x.request.target for x in upstream.strays[count:]] == [
        f"/model/{path}/{'invoke' if dialect == 'anthropic' else 'converse'}"]


def test_flags_that_the_place_refuses_are_left_out(client, script, place):
    s = script(WIRES[place].whole("ok"))
    given = "claude-code-20250219, files-api-2025-04-14,context-1m-2025-08-07,advanced-tool-use-2025-11-20"
    reply = client.post("/v1/messages", {**ASK, "model": s.under(place)}, headers={"anthropic-beta": given}).ok()
    sent = s.request.json.get("anthropic_beta") if place == "bedrock" else s.request.header("anthropic-beta").split(",")
    assert sent == ["context-1m-2025-08-07", "tool-search-tool-2025-10-19"]
    warned = json.loads(reply.headers["x-parley-warnings"])
    assert len(warned) == 1 and "files-api-2025-04-14" in warned[0]["message"]


def test_configured_flags_are_in_every_body(client, script):
    s = script(WIRES["bedrock"].whole("ok"))
    client.post("/v1/chat/completions", {"messages": SAY, "model": s.under("flags")}).ok()
    client.post("/v1/messages", {**ASK, "model": s.under("flags")}, headers={"anthropic-beta": "two-2026-01-01"}).ok()
    assert [x.request.json["anthropic_beta"] for x in s.exchanges] == [
        ["one-2026-01-01"], ["one-2026-01-01", "two-2026-01-01"]]
    assert all(x.request.header("anthropic-beta") is None for x in s.exchanges)


def test_a_mark_of_the_whole_request_stands_at_its_last_part(client, script, place):
    s = script(WIRES[place].whole("ok"))
    client.post("/v1/chat/completions", {"messages": SAY, "model": s.under(f"cached-{place}")}).ok()
    assert "cache_control" not in s.request.json
    assert s.request.json["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}


MARK = {"type": "ephemeral", "ttl": "1h"}


@pytest.mark.parametrize("content, want", [
    ("hi", [{"type": "text", "text": "hi", "cache_control": MARK}]),
    ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
     [{"type": "text", "text": "a"}, {"type": "text", "text": "b", "cache_control": MARK}]),
    ([{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}],
     [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}])], ids=["text", "blocks", "marked"])
def test_members_of_anthropic_alone_are_left_out_of_its_own_words(client, script, place, content, want):
    """Both places refuse the whole request: "cache_control: Extra inputs are not permitted"."""
    s = script(WIRES[place].whole("ok"))
    reply = client.post("/v1/messages", {"cache_control": MARK, **ASK, "model": s.under(place), "service_tier": "auto",
                                         "messages": [*SAY, {"role": "assistant", "content": "yes?"},
                                                      {"role": "user", "content": content}]}).ok()
    sent = s.request.json
    assert "cache_control" not in sent and "service_tier" not in sent
    assert sent["messages"][2]["content"] == want and sent["messages"][0] == SAY[0]
    assert ["service_tier" in w["message"] for w in json.loads(reply.headers["x-parley-warnings"])] == [True]


# --- what comes back ---


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/chat"])
def test_every_family_gets_its_answer(client, script, place, path, stream):
    wire, call = WIRES[place], ("get_weather", "toolu_1", {"city": "Ulm"})
    tool = {"type": "object", "properties": {"city": {"type": "string"}}}
    body = {"/v1/chat/completions": {"messages": SAY, "tools": [
                {"type": "function", "function": {"name": "get_weather", "parameters": tool}}]},
            "/v1/messages": {**ASK, "tools": [{"name": "get_weather", "input_schema": tool}]},
            "/v1/responses": {"input": "hi", "tools": [{"type": "function", "name": "get_weather", "parameters": tool}]},
            "/v1/chat": {"messages": ["hi"]}}[path]
    if path == "/v1/chat":
        steps = wire.say("Hel", "lo") if stream else [wire.whole("Hello")]
    else:
        steps = wire.calls(call, text="Hello") if stream else [wire.whole_calls(call, text="Hello")]
    s = script(*steps)
    name = s.under(place)
    body |= {"config": {"model": name}} if path == "/v1/chat" else {"model": name}
    if stream:
        with client.stream(path, {**body, "stream": True}) as reply:
            said = reply.reply().body.decode()
    else:
        said = client.post(path, body).ok().body.decode()
    assert ("Hel" in said and "lo" in said and "error" not in said) or "Hello" in said
    assert path == "/v1/chat" or ("get_weather" in said and "Ulm" in said.replace("\\", ""))


def streamed(client, model, path="/v1/messages"):
    with client.stream(path, {**ASK, "model": model, "stream": True}) as reply:
        return reply.reply()


CHAT = "/v1/chat/completions"


@pytest.mark.parametrize("cut", ["nothing", "a frame", "no message_stop", "in a frame"])
def test_a_stream_without_its_end_is_an_error(client, script, place, cut):
    wire = WIRES[place]
    whole = wire.say("Hel", "lo")
    steps = {"nothing": [whole[0], up.end()], "a frame": [*whole[:2], up.end()], "no message_stop": [*whole[:-2], up.end()],
             "in a frame": [*whole[:-2], up.body(frames.frame("chunk", {"bytes": "e30="})[:-5]), up.end()]}[cut]
    said = streamed(client, script(*steps).under(place))
    text = said.body.decode()
    assert "message_stop" not in text and '"error"' in text
    assert said.status == (502 if cut in ("nothing", "a frame") else 200), said


EXCEPTIONS = [("throttlingException", 429), ("validationException", 400), ("serviceUnavailableException", 503),
              ("modelTimeoutException", 504), ("internalServerException", 502), ("modelStreamErrorException", 502)]


@pytest.mark.parametrize("name, status", EXCEPTIONS)
@pytest.mark.parametrize("dialect", ["anthropic", "bedrock"])
def test_an_exception_in_the_first_frame_is_a_status(client, script, converse, dialect, name, status):
    """And later the error of a stream that has begun."""
    fault = up.body(frames.frame(name, {"message": "their words"}, "exception"))
    who = client if dialect == "anthropic" else converse
    said = streamed(who, script(up.sse(frames.TYPE), fault, up.end()).under("bedrock"), CHAT)
    assert said.status == status and "their words" in said.body.decode(), said
    wire = WIRES["bedrock"] if dialect == "anthropic" else CONVERSE
    said = streamed(who, script(*wire.cut("Hel")[:-1], fault, up.end()).under("bedrock"))
    text = said.body.decode()
    assert said.status == 200 and "Hel" in text and "their words" in text and "message_stop" not in text


@pytest.mark.parametrize("dialect", ["anthropic", "bedrock"])
@pytest.mark.parametrize("status, body, want", [
    (400, {"message": "Malformed input request"}, 400), (429, {"message": "Too many requests"}, 429),
    (403, {"message": "You don't have access to the model"}, 403), (408, {"message": "Model timed out"}, 504),
    (424, {"message": "failed", "originalStatusCode": 503}, 503), (500, {"message": "oh"}, 502),
    (503, {"message": "busy"}, 503), (404, {"message": "no such model"}, 404)])
def test_a_plain_error_where_a_stream_was_asked(client, converse, script, dialect, status, body, want):
    s = script(up.reply(body, status))
    who = client if dialect == "anthropic" else converse
    said = streamed(who, s.under("bedrock"), CHAT)
    assert said.status == want and body["message"] in said.body.decode(), said
    again = who.post(CHAT, {**ASK, "model": s.under("bedrock")})
    assert again.status == want
    if status == 408:
        assert again.headers["x-should-retry"] == "false"


@pytest.mark.parametrize("message", ["The security token included in the request is expired",
                                     "Authentication failed: Please make sure your API Key is valid."])
def test_a_refused_key_is_the_gateway_s(client, script, message):
    s = script(up.reply({"message": message}, 403))
    client.post("/v1/chat/completions", {"messages": SAY, "model": s.under("bedrock")}).error(403, "upstream_auth_failed")


def test_damaged_frames_are_no_answer(client, script):
    whole = frames.frame("chunk", {"bytes": base64.b64encode(b'{"type":"message_start"}').decode()})
    for damaged in (bytes([*whole[:20], whole[20] ^ 1, *whole[21:]]), b"data: {}\n\n" * 3, frames.frame("chunk", {"bytes": "%%"})):
        said = streamed(client, script(up.sse(frames.TYPE), up.body(damaged), up.end()).under("bedrock"))
        assert said.status == 502, said


def test_frames_may_be_cut_anywhere(client, script):
    whole = b"".join(frames.frame("chunk", {"bytes": base64.b64encode(compact(e).encode()).decode()}) for e in [
        {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
                                              "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hällo"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"}])
    said = streamed(client, script(up.sse(frames.TYPE), up.bytewise(whole), up.end()).under("bedrock"))
    assert said.status == 200 and "H\\u00e4llo" in said.body.decode() and "message_stop" in said.body.decode()


# --- counting ---


def test_tokens_are_counted_where_the_place_can(client, upstream, place):
    """On Bedrock of the model itself, whatever profile is asked; on Vertex AI in a place that names no model."""
    answer = {"inputTokens": 17} if place == "bedrock" else {"input_tokens": 17}
    name = "anthropic.claude-counted" if place == "bedrock" else "count-tokens"
    s = upstream.script(up.reply(answer), name=name)
    body = {"messages": SAY, "model": f"{place}/us.anthropic.claude-counted"}
    reply = client.post("/v1/messages/count_tokens", body).ok()
    assert reply.json == {"input_tokens": 17}
    sent = s.request
    if place == "vertex":
        assert sent.target == PLACE + "/publishers/anthropic/models/count-tokens:rawPredict"
        assert sent.json == {**body, "model": "us.anthropic.claude-counted", "anthropic_version": "vertex-2023-10-16"}
        return
    assert sent.target == f"/model/{name}/count-tokens"
    inner = json.loads(base64.b64decode(sent.json["input"]["invokeModel"]["body"]))
    assert inner == {"messages": SAY, "max_tokens": 1, "anthropic_version": "bedrock-2023-05-31"}
    client.post("/v1/messages/count_tokens", {**body, "thinking": {"type": "enabled", "budget_tokens": 2048}}).ok()
    inner = json.loads(base64.b64decode(s.wait(2).request.json["input"]["invokeModel"]["body"]))
    assert inner["max_tokens"] == 2049


# --- Converse ---


CONVERSE = Bedrock()


@pytest.fixture(scope="module")
def converse(start_once, upstream):
    gateway = start_once({"providers": [provider(upstream, "bedrock", dialect="bedrock")],
                          "models": [{"name": "bedrock/*", "provider": "bedrock"},
                                     {"name": "cached/*", "provider": "bedrock", "prompt_cache": "auto"}]})
    one = Client(gateway.url)
    yield one
    one.close()


POINT = {"cachePoint": {"type": "default"}}
HOUR = {"cachePoint": {"type": "default", "ttl": "1h"}}


def test_marks_of_the_cache_are_blocks_of_their_own(converse, script):
    mark, hour = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}
    s = script(CONVERSE.whole("ok"))
    converse.post("/v1/messages", {
        "model": s.under("bedrock"), "max_tokens": 100,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": hour}],
        "tools": [{"name": "f", "input_schema": {"type": "object"}, "cache_control": hour}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": mark}]},
                     {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
                     {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "cache_control": hour,
                                                   "content": [{"type": "text", "text": "done"}]}]}]}).ok()
    sent = s.request.json
    assert sent["system"] == [{"text": "Be brief."}, HOUR]
    assert sent["toolConfig"]["tools"][1:] == [HOUR]
    assert sent["messages"][0]["content"] == [{"text": "hi"}, POINT]
    assert sent["messages"][2]["content"] == [
        {"toolResult": {"toolUseId": "toolu_1", "content": [{"text": "done"}]}}, HOUR]


@pytest.mark.parametrize("model, points", [("us.meta.llama4-maverick", 0), ("us.amazon.nova-pro", 1), ("anthropic.claude-x", 1)])
def test_models_without_a_cache_get_no_marks(converse, upstream, model, points):
    s = upstream.script(CONVERSE.whole("ok"), name=model)
    converse.post("/v1/chat/completions", {"messages": SAY, "model": s.under("cached")}).ok()
    assert s.request.json["messages"][0]["content"] == [{"text": "hi"}, *[POINT] * points]


def test_tools_are_there_where_the_history_has_calls(converse, script):
    s = script(CONVERSE.whole("ok"))
    messages = [*SAY, {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function",
                                                           "function": {"name": "f", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "call_1", "content": "done"}]
    converse.post("/v1/chat/completions", {"messages": messages, "model": s.under("bedrock")}).ok()
    assert len(s.request.json["toolConfig"]["tools"]) == 1 and "toolChoice" not in s.request.json["toolConfig"]


def test_the_prompt_is_all_that_was_read_and_written(converse, script, stream):
    usage = {"inputTokens": 5, "outputTokens": 7, "totalTokens": 42, "cacheReadInputTokens": 10, "cacheWriteInputTokens": 20,
             "cacheDetails": [{"ttl": "1h", "inputTokens": 20}]}
    s = script(*(CONVERSE.say("ok", usage=usage) if stream else [CONVERSE.whole("ok", usage=usage)]))
    body = {"messages": SAY, "model": s.under("bedrock")}
    if stream:
        with client_stream(converse, {**body, "stream": True, "stream_options": {"include_usage": True}}) as reply:
            text = reply.reply().body.decode()
    else:
        text = converse.post("/v1/chat/completions", body).ok().body.decode()
    assert '"prompt_tokens":35' in text and '"completion_tokens":7' in text and '"cached_tokens":10' in text


def client_stream(client, body):
    return client.stream("/v1/chat/completions", body)


def test_the_usage_after_the_end_is_awaited_and_not_needed(converse, script):
    whole = CONVERSE.say("ok")
    gate = up.Gate()
    s = script(*whole[:-2], up.wait(gate), *whole[-2:])
    with client_stream(converse, {"messages": SAY, "model": s.under("bedrock"), "stream": True,
                                  "stream_options": {"include_usage": True}}) as reply:
        gate.wait_reached()
        gate.open()
        assert '"prompt_tokens":11' in reply.reply().body.decode()
    s = script(*whole[:-2], up.end())
    with client_stream(converse, {"messages": SAY, "model": s.under("bedrock"), "stream": True}) as reply:
        text = reply.reply().body.decode()
    assert '"finish_reason":"stop"' in text and "[DONE]" in text
    s = script(*whole[:-3], up.end())  # without messageStop
    with client_stream(converse, {"messages": SAY, "model": s.under("bedrock"), "stream": True}) as reply:
        text = reply.reply().body.decode()
    assert "stream_incomplete" in text and "[DONE]" not in text and '"finish_reason":"stop"' not in text


@pytest.mark.parametrize("dialect", ["anthropic", "bedrock"])
def test_an_exception_after_the_end_fails_no_answer(client, script, converse, dialect):
    """Converse's end is messageStop, before the usage."""
    fault = up.body(frames.frame("internalServerException", {"message": "late"}, "exception"))
    whole = (WIRES["bedrock"] if dialect == "anthropic" else CONVERSE).say("Hel")
    s = script(*whole[:-1 if dialect == "anthropic" else -2], fault, up.end())
    text = streamed(client if dialect == "anthropic" else converse, s.under("bedrock")).body.decode()
    assert "Hel" in text and "message_stop" in text and '"error"' not in text


@pytest.mark.parametrize("reason, finish", [
    ("max_tokens", "length"), ("model_context_window_exceeded", "length"), ("stop_sequence", "stop"),
    ("guardrail_intervened", "content_filter"), ("content_filtered", "content_filter"), ("malformed_tool_use", None)])
def test_why_an_answer_ended(converse, script, reason, finish):
    s = script(up.reply({"output": {"message": {"role": "assistant", "content": [{"text": "Hel"}]}}, "stopReason": reason,
                         "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}}))
    reply = converse.post("/v1/chat/completions", {"messages": SAY, "model": s.under("bedrock")})
    if finish:
        assert reply.ok().json["choices"][0]["finish_reason"] == finish
    else:
        assert reply.status == 502 and reason in reply.body.decode()


def test_thinking_goes_back_with_the_call_that_it_led_to(converse, script, stream):
    call = ("f", "tooluse_1", {"a": 1})
    thought = {"reasoningContent": {"reasoningText": {"text": "let me think", "signature": "QQ=="}}}
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    s = script(up.in_turn(CONVERSE.calls(call, reasoning="let me think") if stream else
                          CONVERSE.whole_calls(call, reasoning="let me think"), CONVERSE.whole("done")))
    body = {"model": s.under("bedrock"), "tools": [tool], "messages": list(SAY), "thinking": {"type": "enabled", "budget_tokens": 2000}}
    if stream:
        with client_stream(converse, {**body, "stream": True}) as reply:
            chunks = [json.loads(line[6:]) for line in reply.reply().body.decode().splitlines()
                      if line.startswith("data: {")]
        deltas = [c["choices"][0]["delta"] for c in chunks if c["choices"]]
        made = next(d["tool_calls"][0] for d in deltas if d.get("tool_calls"))
        made["function"]["arguments"] = "".join(d["tool_calls"][0]["function"].get("arguments", "")
                                                for d in deltas if d.get("tool_calls"))
        made.pop("index", None)
        said = {"role": "assistant", "content": None, "tool_calls": [made]}
    else:
        said = converse.post("/v1/chat/completions", body).ok().json["choices"][0]["message"]
    body["messages"] += [said, {"role": "tool", "tool_call_id": "tooluse_1", "content": "ok"}]
    converse.post("/v1/chat/completions", body).ok()
    sent = s.wait(2).request.json
    assert sent["messages"][1]["content"] == [thought, {"toolUse": {"toolUseId": "tooluse_1", "name": "f", "input": {"a": 1}}}]
    assert sent["additionalModelRequestFields"] == {"thinking": {"type": "enabled", "budget_tokens": 2000}}


def test_a_client_that_asks_for_a_later_version_gets_it(client, script, place):
    s = script(WIRES[place].whole("ok"), allows={"hosting anthropic_version": "the client's own"})
    client.post("/v1/messages", {**ASK, "model": s.under(place)}, headers={"anthropic-version": "2026-10-21"}).ok()
    assert s.request.json["anthropic_version"] == "2026-10-21"
