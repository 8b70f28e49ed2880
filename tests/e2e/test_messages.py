"""POST /v1/messages and what belongs to it, with Anthropic's own SDK, pinned and unmodified."""

import json
import threading

import anthropic
import pytest
from anthropic.types import Message, ModelInfo, RawMessageStreamEvent
from pydantic import TypeAdapter

import keys
import sse
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider
from gateway import CANARY
from waiting import DEADLINE, wait_until
from wires import USAGE, WIRES

PATH = "/v1/messages"
HELLO = [{"role": "user", "content": "Hello, big world"}]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = [{"name": "weather", "description": "The weather", "input_schema": SCHEMA}]
PNG = "iVBORw0KGgo="
EVENT = TypeAdapter(RawMessageStreamEvent)


def asked(model="echo", messages=None, **more):
    return {"model": model, "max_tokens": 50, "messages": messages or HELLO, **more}


def checked(answer):
    """A whole answer that the SDK's own model accepts as it is."""
    Message.model_validate_json(json.dumps(answer), strict=True)
    return answer


def streamed(client, body, headers=None):
    with client.stream(PATH, {**body, "stream": True}, headers) as stream:
        stream.check_head()
        assert stream.headers["request-id"] == stream.headers["x-request-id"]
        said = sse.messages(list(stream))
    for event in said.events:
        EVENT.validate_json(json.dumps(event), strict=True)
    return said


def refused(reply, status, kind, start=""):
    """An error in Anthropic's shape, whose message begins with the path."""
    assert reply.status == status, repr(reply)
    answer = reply.json
    assert answer["type"] == "error" and answer["error"]["type"] == kind, repr(reply)
    assert answer["error"]["message"].startswith(start), repr(reply)
    assert answer["request_id"] == reply.headers["request-id"] == reply.headers["x-request-id"]
    return answer["error"]


@pytest.fixture
def sdk(shared):
    with anthropic.Anthropic(base_url=shared.url, api_key="not needed", timeout=DEADLINE,
                             max_retries=0, _strict_response_validation=True) as client:
        yield client


# --- the SDK --------------------------------------------------------------------------------------


def test_create(sdk):
    answer = sdk.messages.create(**asked())
    assert [b.text for b in answer.content] == ["Hello, big world"]
    assert (answer.stop_reason, answer.model, answer.role) == ("end_turn", "echo", "assistant")
    assert answer.id.startswith("msg_") and answer._request_id.startswith("req_")
    assert answer.usage.output_tokens == 3


def test_create_streamed(sdk):
    with sdk.messages.create(**asked(), stream=True) as events:
        kinds = [event.type for event in events]
    assert kinds == ["message_start", "content_block_start", *["content_block_delta"] * 3,
                     "content_block_stop", "message_delta", "message_stop"]


def test_the_stream_helper(sdk):
    with sdk.messages.stream(**asked()) as stream:
        pieces = list(stream.text_stream)
        final = stream.get_final_message()
    assert pieces == ["Hello, ", "big ", "world"]
    assert final.content[0].text == "Hello, big world" and final.stop_reason == "end_turn"
    assert final.usage.output_tokens == 3 and final.usage.input_tokens == 3


async def _ask(url):
    async with anthropic.AsyncAnthropic(base_url=url, api_key="x", timeout=DEADLINE,
                                        _strict_response_validation=True) as client:
        async with client.messages.stream(**asked()) as stream:
            return await stream.get_final_text()


def test_the_asynchronous_client(shared):
    import asyncio
    assert asyncio.run(_ask(shared.url)) == "Hello, big world"


def test_tools_from_the_call_to_the_answer(sdk, script):
    call = {"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
                            "function": {"name": "weather", "arguments": '{"city":"X"}'}}]}
    s = script(up.in_turn([up.sse(), up.role(), up.data(up.chunk(call)), *up.ending("tool_calls")],
                          up.reply(up.completion("Rain"))))
    with sdk.messages.stream(**asked(s.model), tools=TOOLS,
                             tool_choice={"type": "any", "disable_parallel_tool_use": True}) as t:
        first = t.get_final_message()
    assert first.stop_reason == "tool_use"
    assert (first.content[0].name, first.content[0].input) == ("weather", {"city": "X"})
    answer = sdk.messages.create(**asked(s.model, [
        *HELLO, {"role": "assistant", "content": first.content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1",
                                      "content": "wet"}]}]), tools=TOOLS)
    assert answer.content[0].text == "Rain"
    one, two = (s.wait(n).request.json for n in (1, 2))
    assert one["tools"] == [{"type": "function", "function": {
        "name": "weather", "description": "The weather", "parameters": SCHEMA}}]
    assert (one["tool_choice"], one["parallel_tool_calls"]) == ("required", False)
    assert two["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function",
             "function": {"name": "weather", "arguments": '{"city":"X"}'}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "wet"}]


def test_errors_are_the_sdks_classes(sdk, script):
    for status, kind in ((400, anthropic.BadRequestError), (404, anthropic.NotFoundError),
                         (413, anthropic.RequestTooLargeError),
                         (429, anthropic.RateLimitError), (503, anthropic.OverloadedError),
                         (529, anthropic.OverloadedError), (500, anthropic.InternalServerError)):
        s = script(up.reply({"error": {"message": "no", "type": "t"}}, status))
        with pytest.raises(kind) as caught:
            sdk.messages.create(**asked(s.model))
        assert caught.value.body["type"] == "error" and caught.value.request_id
    with pytest.raises(anthropic.NotFoundError, match="nobody"):
        sdk.messages.create(**asked("nobody"))
    with pytest.raises(anthropic.BadRequestError, match=r"messages\.0\.content\.0"):
        sdk.messages.create(**asked(messages=[{"role": "user", "content": [{"type": "x"}]}]))


def test_the_sdk_tries_again(shared, script):
    s = script(up.in_turn(up.reply({}, 503, headers=[("retry-after-ms", "10")]),
                          up.reply(up.completion("at last"))))
    with anthropic.Anthropic(base_url=shared.url, api_key="x", timeout=DEADLINE,
                             _strict_response_validation=True) as client:
        assert client.messages.create(**asked(s.model)).content[0].text == "at last"
    assert len(s.exchanges) == 2


def test_a_stream_that_breaks_raises(sdk, script):
    s = script(up.sse(), up.role(), up.text("so far"), up.hang_up())
    seen = []
    with pytest.raises(anthropic.APIStatusError) as caught, \
            sdk.messages.stream(**asked(s.model)) as stream:
        seen += stream.text_stream
    assert seen == ["so far"] and "stream_incomplete" in str(caught.value.body)


def test_models(sdk):
    ids = [m.id for m in sdk.models.list(limit=1)]  # the SDK reads page by page
    assert ids[:2] == ["echo", *ids[1:2]] and len(ids) == len(set(ids))
    assert sdk.models.retrieve("echo").display_name == "echo"
    with pytest.raises(anthropic.NotFoundError):
        sdk.models.retrieve("nobody")


def test_count_tokens(sdk):
    count = sdk.messages.count_tokens(model="echo", messages=HELLO, system="be brief", tools=TOOLS)
    assert 20 < count.input_tokens < 200
    with pytest.raises(anthropic.NotFoundError):
        sdk.messages.count_tokens(model="nobody", messages=HELLO)


# --- keys -----------------------------------------------------------------------------------------


def test_the_key_comes_in_two_headers(start):
    gateway = start(args=["--admin-listen", "127.0.0.1:0"])
    made = keys.known(gateway, keys.make(gateway))
    with Client(gateway.url) as client:
        for headers in ({"x-api-key": made["key"]}, {"authorization": f"Bearer {made['key']}"}):
            client.post(PATH, asked(), headers=headers).ok()
            client.get("/v1/models", headers={**headers, "anthropic-version": "x"}).ok()
        for headers in ({}, {"x-api-key": "nonsense"}):
            refused(client.post(PATH, asked(), headers=headers), 401, "authentication_error")
            refused(client.post(f"{PATH}/count_tokens", asked(), headers=headers), 401,
                    "authentication_error")
            refused(client.get("/v1/models", headers={**headers, "anthropic-version": "x"}), 401,
                    "authentication_error")
    for key in ({"api_key": made["key"]}, {"auth_token": made["key"]}):
        with anthropic.Anthropic(base_url=gateway.url, timeout=DEADLINE, **key,
                                 _strict_response_validation=True) as sdk:
            assert sdk.messages.create(**asked()).content


# --- the request ----------------------------------------------------------------------------------


def test_every_member_is_translated_or_told(client, script):
    s = script(up.reply(up.completion("ok")))
    reply = client.post(PATH, asked(
        s.model, system=[{"type": "text", "text": "be", "cache_control": {"type": "ephemeral"}}],
        messages=[{"role": "user", "content": [
            {"type": "text", "text": "look"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                         "data": PNG}}]}],
        temperature=0.5, top_p=0.9, top_k=4, stop_sequences=["a", "b", "c", "d", "e"],
        metadata={"user_id": "u" * 100}, service_tier="auto", tools=TOOLS,
        tool_choice={"type": "tool", "name": "weather"},
        thinking={"type": "enabled", "budget_tokens": 9000},
        output_config={"format": {"type": "json_schema", "schema": SCHEMA}},
        context_management={"edits": []})).ok()
    got = s.request.json
    user = got.pop("user")
    assert len(user) == 64 and user != "u" * 64
    assert got.pop("max_completion_tokens", None) or got.pop("max_tokens") == 50
    assert got == {
        "model": s.name, "temperature": 0.5, "top_p": 0.9, "stop": ["a", "b", "c", "d"],
        "messages": [
            {"role": "system", "content": "be"},
            {"role": "user", "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]}],
        "tools": [{"type": "function", "function": {
            "name": "weather", "description": "The weather", "parameters": SCHEMA}}],
        "tool_choice": {"type": "function", "function": {"name": "weather"}},
        "response_format": {"type": "json_schema", "json_schema": {
            "name": "output", "schema": SCHEMA}}}
    told = json.loads(reply.headers["x-parley-warnings"])
    assert [w["code"] for w in told] == ["parameter_dropped", "parameter_clamped",
                                         "parameter_dropped", "parameter_dropped"]
    for word, warning in zip(("top_k", "stop_sequences", "thinking", "context_management"), told,
                             strict=True):
        assert word in warning["message"]


@pytest.mark.parametrize("more, effort", [
    ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, "low"),
    ({"thinking": {"type": "enabled", "budget_tokens": 4096}}, "medium"),
    ({"thinking": {"type": "enabled", "budget_tokens": 32000}}, "high"),
    ({"thinking": {"type": "disabled"}}, "none"), ({"thinking": {"type": "adaptive"}}, None),
    ({"thinking": {"type": "adaptive"}, "output_config": {"effort": "medium"}}, "medium"),
    ({"output_config": {"effort": "max"}}, "high"),
])
def test_thinking_becomes_an_effort_where_the_model_reasons(start, upstream, script, more, effort):
    s = script(up.reply(up.completion("ok")))
    gateway = start({"providers": [provider(upstream, "p")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "reasons": True,
         "max_output": 40}]})
    with Client(gateway.url) as client:
        reply = client.post(PATH, asked("m", **more)).ok()
    assert s.request.json.get("reasoning_effort") == effort
    assert 40 in s.request.json.values()
    assert [w["code"] for w in json.loads(reply.headers["x-parley-warnings"])] == \
        ["parameter_clamped"]


@pytest.mark.parametrize("more, path", [
    ({"max_tokens": None}, "max_tokens: "), ({"max_tokens": 0}, "max_tokens: "),
    ({"model": 1}, "model: "), ({"messages": []}, "messages: "),
    ({"messages": [{"role": "user", "content": [{"type": "image", "source": {
        "type": "base64", "media_type": "image/png", "data": "?"}}]}]},
     "messages.0.content.0.source.data: "),
    ({"messages": [*HELLO, {"role": "robot", "content": "x"}]}, "messages.1.role: "),
    ({"tools": [*TOOLS, {"type": "web_search_20250305", "name": "web_search"}]}, "tools.1.type: "),
    ({"tools": [{"name": "x"}]}, "tools.0.input_schema: "),
    ({"tools": TOOLS, "tool_choice": {"type": "x"}}, "tool_choice.type: "),
    ({"mcp_servers": [{}]}, "mcp_servers: "), ({"thread": {"type": "create"}}, "thread: "), ({"stop_sequences": [1]}, "stop_sequences.0: "),
    ({"output_config": {"format": {"type": "x"}}}, "output_config.format.type: "),
    ({"metadata": {"user_id": 1}}, "metadata.user_id: "), ({"system": 1}, "system: "),
])
def test_the_path_of_what_is_wrong(client, more, path):
    for stream in (False, True):
        refused(client.post(PATH, {**asked(), "stream": stream, **more}), 400,
                "invalid_request_error", path)


def test_a_thread_is_refused_so_that_the_sdks_send_all_messages(sdk, client, script):
    reply = client.post(PATH, asked(thread={"type": "continue", "previous_message_id": "msg_1"}))
    assert reply.json["error"]["details"] == {
        "error_code": "thread_unsupported_request", "unsupported": ["thread"]}

    @anthropic.beta_tool
    def weather(city: str) -> str:
        """The weather."""
        return "wet"
    call = {"id": "call_1", "type": "function",
            "function": {"name": "weather", "arguments": '{"city":"X"}'}}
    s = script(up.in_turn(up.reply(up.completion(message={
        "role": "assistant", "content": None, "tool_calls": [call]}, finish="tool_calls")),
        up.reply(up.completion("Rain"))))
    runner = sdk.beta.messages.tool_runner(**asked(s.model), tools=[weather])
    assert runner.until_done().content[0].text == "Rain"
    assert [m["role"] for m in s.wait(2).request.json["messages"]] == ["user", "assistant", "tool"]
    assert s.wait(2).request.json["tools"] == s.wait(1).request.json["tools"]


def test_no_other_path_below_it(client):
    for method, path in (("POST", f"{PATH}/batches"), ("GET", f"{PATH}/batches/x/results"),
                         ("POST", f"{PATH}/other")):
        refused(client.request(method, path, b"{}"), 404, "not_found_error")
    refused(client.get(PATH), 405, "invalid_request_error")
    refused(client.post("/v1/nowhere", {}, headers={"anthropic-version": "2023-06-01"}), 404,
            "not_found_error")
    refused(client.post(PATH, b"{"), 400, "invalid_request_error")
    client.post(f"{PATH}?beta=true", asked(), headers={
        "anthropic-beta": "a,b", "anthropic-version": "2026-10-21"}).ok()


def test_cache_marks_reach_anthropic(dialects, start, upstream, script):
    mark = {"type": "ephemeral", "ttl": "1h"}
    body = {
        "system": [{"type": "text", "text": "be", "cache_control": mark}],
        "tools": [{**TOOLS[0], "cache_control": mark}], "cache_control": mark,
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "a", "cache_control": mark},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                             "data": PNG}, "cache_control": mark}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "b", "cache_control": mark},
                {"type": "tool_use", "id": "c1", "name": "weather", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "r",
                 "cache_control": mark}]}]}
    wire = next(w for w in WIRES if w.dialect == "anthropic")
    many = {"cache-marks ": "one in each place, which are more than it takes"}
    s = script(wire.whole("ok"), allows=many)
    with Client(dialects.url) as client:
        reply = client.post(PATH, asked(s.under("anthropic"), **body)).ok()
        assert "x-parley-warnings" not in reply.headers
    got = s.request.json
    assert (got["system"], got["tools"], got["cache_control"]) == (
        body["system"], body["tools"], mark)
    assert got["messages"][:2] == body["messages"][:2]
    assert got["messages"][2:] == body["messages"][2:]

    # Another API has none.
    s = script(wire.refuse(500, "no"), allows=many)
    other = script(up.reply(up.completion("ok")))
    gateway = start({"providers": [provider(upstream, "p", dialect="anthropic"),
                                   provider(upstream, "q")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "fallback": ["n"]},
        {"name": "n", "provider": "q", "upstream_model": other.name}]})
    with Client(gateway.url) as client:
        client.post(PATH, asked("m", **body)).ok()
    assert b"cache_control" in s.request.body
    assert b"cache_control" not in other.request.body


# --- the answer -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dialects(start_once, upstream):
    return start_once({
        "providers": [provider(upstream, w.dialect, dialect=w.dialect,
                               api_key_env="TEST_UPSTREAM_KEY") for w in WIRES],
        "models": [{"name": f"{w.dialect}/*", "provider": w.dialect} for w in WIRES],
    }, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})


@pytest.mark.parametrize("wire", WIRES, ids=lambda w: w.dialect)
def test_every_dialect(dialects, script, wire):
    with Client(dialects.url) as client:
        model = script(wire.say("Hel", "lo ü\n", '"x"')).under(wire.dialect)
        said = streamed(client, asked(model))
        assert said.blocks == [{"type": "text", "text": 'Hello ü\n"x"'}]
        # Anthropic's own answers pass through.
        name = "upstream-model" if wire.dialect == "anthropic" else model
        assert (said.stop_reason, said.start["model"]) == ("end_turn", name)
        assert (said.usage["input_tokens"], said.usage["output_tokens"]) == USAGE
        assert said.start["usage"]["input_tokens"] > 0

        answer = checked(client.post(PATH, asked(script(wire.whole("ok")).under(
            wire.dialect))).ok().json)
        assert answer["content"] == [{"type": "text", "text": "ok"}]
        assert (answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]) == USAGE

        args = {"city": 'Köln "K"'}
        for steps, stream in ((wire.call("weather", "c1", args), True),
                              (wire.whole_call("weather", "c1", args), False)):
            body = asked(script(steps).under(wire.dialect), tools=TOOLS)
            got = streamed(client, body) if stream else client.post(PATH, body).ok()
            blocks = [b for b in (got.blocks if stream else checked(got.json)["content"])
                      if b["type"] != "redacted_thinking"]  # which carries Gemini's signature
            assert [(b["type"], b["name"], b["input"]) for b in blocks] == \
                [("tool_use", "weather", args)]
            assert (got.stop_reason if stream else got.json["stop_reason"]) == "tool_use"
            assert blocks[0]["id"]

        said = streamed(client, asked(script(wire.cut("so far")).under(wire.dialect)))
        assert said.text == "so far" and said.error["type"] == "api_error"


def parallel(*turns):
    """A stream whose pieces of arguments take turns."""
    starts = [{"index": i, "id": f"call_{i}", "type": "function",
               "function": {"name": f"f{i}", "arguments": ""}} for i in range(2)]
    pieces = [{"index": i, "function": {"arguments": text}} for i, text in turns]
    return b"".join(b"data: %s\n\n" % (c if isinstance(c, bytes) else json.dumps(c).encode())
                    for c in [up.chunk({"role": "assistant", "content": "Wait"}),
                              *[up.chunk({"tool_calls": [p]}) for p in [*starts, *pieces]],
                              up.chunk({}, "tool_calls"), up.usage_chunk(), b"[DONE]"])


TURNS = [(0, '{"a"'), (1, '{"b":'), (0, ":1"), (1, "[2"), (1, "]}"), (0, "}")]


@pytest.mark.parametrize("step", [1, 2, 3, 7, 64, 1 << 20])
def test_any_cut_of_the_providers_stream_gives_the_same_blocks(client, script, step):
    content = parallel(*TURNS)
    s = script(up.sse(), up.split(content, range(step, len(content), step)) if step < len(content)
               else up.body(content), up.end())
    said = streamed(client, asked(s.model))
    assert said.blocks == [
        {"type": "text", "text": "Wait"},
        {"type": "tool_use", "id": "call_0", "name": "f0", "input": {"a": 1}},
        {"type": "tool_use", "id": "call_1", "name": "f1", "input": {"b": [2]}}]
    assert said.stop_reason == "tool_use"


def test_thinking_has_no_made_up_signature(client, script):
    pieces = [up.data(up.chunk({"reasoning_content": t})) for t in ("Let me ", "see")]
    s = script(up.sse(), up.role(), *pieces, up.text("42"), *up.ending())
    said = streamed(client, asked(s.model))
    assert said.blocks == [{"type": "thinking", "thinking": "Let me see", "signature": ""},
                           {"type": "text", "text": "42"}]
    assert not any("signature_delta" in json.dumps(e) for e in said.events)
    s = script(up.reply(up.completion(message={"role": "assistant", "content": "42",
                                               "reasoning": "hm"})))
    assert checked(client.post(PATH, asked(s.model)).ok().json)["content"][0] == {
        "type": "thinking", "thinking": "hm", "signature": ""}


def test_usage_is_without_the_cached_tokens(client, script):
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105,
             "prompt_tokens_details": {"cached_tokens": 60}}
    s = script(up.in_turn([up.sse(), up.role(), up.text("x"), up.data(up.chunk({}, "stop")),
                           up.data(up.usage_chunk(usage)), up.data("[DONE]"), up.end()],
                          up.reply({**up.completion("x"), "usage": usage})))
    want = {"input_tokens": 40, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 60,
            "output_tokens": 5}
    assert streamed(client, asked(s.model)).usage == want
    assert s.request.json["stream_options"] == {"include_usage": True}
    unknown = dict.fromkeys(["cache_creation", "inference_geo", "output_tokens_details", "server_tool_use",
                             "service_tier"])
    assert client.post(PATH, asked(s.model)).ok().json["usage"] == {**want, **unknown}


def test_arguments_that_are_no_object_reach_the_client(client, script):
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": [1'}}
    s = script(up.reply(up.completion(finish="length", message={
        "role": "assistant", "content": None, "tool_calls": [call]})))
    answer = checked(client.post(PATH, asked(s.model)).ok().json)
    assert answer["content"][0]["input"] == {"INVALID_JSON": '{"a": [1'}
    assert answer["stop_reason"] == "max_tokens"


def test_a_silent_stream_sends_pings(start, upstream, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("a"), up.wait(gate), up.text("b"), *up.ending())
    gateway = start({"providers": [provider(upstream, "p")], "keep_alive": "1s",
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as client, client.stream(PATH, asked("m", stream=True)) as stream:
        kinds = [next(stream).event for _ in range(4)]
        assert kinds[-1] == "content_block_delta"
        assert next(stream).event == "ping"
        gate.open()
        assert sse.messages([*stream.seen, *stream]).text == "ab"


def test_a_key_answers_a_second_time(client, script):
    for stream, steps in ((True, up.stream("one")), (False, [up.reply(up.completion("one"))])):
        s = script(*steps)
        first, again = (client.post(PATH, asked(s.model, stream=stream), headers={
            "Idempotency-Key": f"messages-{s.name}"}) for _ in range(2))
        assert first.ok().body == again.ok().body and len(s.exchanges) == 1
        assert again.headers["idempotency-replayed"] == "true"


def test_it_counts_as_usage_and_is_not_kept(start, upstream, script):
    s = script(up.reply(up.completion(f"{CANARY} answer")))
    gateway = start({"providers": [provider(upstream, "p")],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as client:
        reply = client.post(PATH, asked("m")).ok()
        client.post(f"{PATH}/count_tokens", asked("m")).ok()
        assert "x-conversation-id" not in reply.headers
        assert client.get("/v1/conversations").ok().json["data"] == []
        wait_until(lambda: client.get("/v1/usage?group=model").ok().json["data"], "its usage")
        row, = client.get("/v1/usage?group=model").ok().json["data"]
    assert (row["model"], row["calls"], row["input_tokens"]) == ("m", 1, 11)


@pytest.mark.parametrize("long", [False, True])
def test_what_a_dialect_refuses_is_named_as_in_the_request(dialects, long):
    image = {"type": "image", "source": {"type": "url", "url": "http://127.0.0.1/x.png"}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "x" * (400000 if long else 1)}
    with Client(dialects.url) as client:
        reply = client.post(PATH, asked("ollama/x", [
            *HELLO, {"role": "assistant", "content": [
                {"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
            {"role": "user", "content": [result, image]}], system="be"))
    refused(reply, 400, "invalid_request_error", "messages.2: ")


# --- models ---------------------------------------------------------------------------------------


def test_models_come_in_pages(start, upstream):
    names = [*(f"m{i}" for i in range(4)), "echo"]
    gateway = start({"providers": [provider(upstream, "p")],
                     "models": [{"name": n, "provider": "p"} for n in names[:4]]})
    version = {"anthropic-version": "2023-06-01"}
    with Client(gateway.url) as client:
        def page(query):
            got = client.get(f"/v1/models?{query}", headers=version).ok().json
            for model in got["data"]:
                ModelInfo.model_validate_json(json.dumps(model), strict=True)
            ids = [m["id"] for m in got["data"]]
            assert (got["first_id"], got["last_id"]) == ((ids[0], ids[-1]) if ids else (None, None))
            return ids, got["has_more"]
        assert page("") == (names, False)
        assert page("limit=2") == (["m0", "m1"], True)
        assert page("limit=2&after_id=m1") == (["m2", "m3"], True)
        assert page("limit=2&after_id=m3") == (["echo"], False)
        assert page("limit=2&before_id=m3") == (["m1", "m2"], True)
        assert page("limit=5&before_id=m2") == (["m0", "m1"], False)
        assert page("after_id=gone") == ([], False)
        for query in ("limit=0", "limit=1001", "limit=x", "after_id=m1&before_id=m2"):
            refused(client.get(f"/v1/models?{query}", headers=version), 400, "invalid_request_error")
        assert client.get("/v1/models").ok().json["object"] == "list"


def test_many_streams_at_once(shared, script):
    """Blocks of one stream never reach another one."""
    s = script(up.sse(), up.body(parallel(*TURNS)), up.end())
    wrong = []

    def ask():
        with Client(shared.url) as client:
            said = streamed(client, asked(s.model))
            if [b["type"] for b in said.blocks] != ["text", "tool_use", "tool_use"]:
                wrong.append(said.blocks)
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(DEADLINE)
    assert not wrong and len(s.exchanges) == 8


def test_settings_of_the_reasoning_name_hide_it(start, upstream, script):
    s = script(up.sse(), up.role(), up.data(up.chunk({"reasoning": "secret"})), up.text("x"),
               *up.ending())
    gateway = start({"providers": [provider(upstream, "p")], "reasoning_name": "none",
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as client:
        assert streamed(client, asked("m")).blocks == [{"type": "text", "text": "x"}]
