"""POST /v1/messages where the provider speaks the same API: both directions pass through unchanged."""

import base64
import json

import anthropic
import pytest

import keys
import raw
import sse
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider
from test_files import upload
from waiting import DEADLINE, wait_until

PATH = "/v1/messages"
START = (b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_01Up","type":"message",'
         b'"role":"assistant","model":"claude-up-1","content":[],"stop_reason":null,"stop_sequence":null,'
         b'"usage":{"input_tokens":5,"cache_creation_input_tokens":4,"cache_read_input_tokens":2,'
         b'"cache_creation":{"ephemeral_5m_input_tokens":4},"output_tokens":1,"service_tier":"standard"},'
         b'"container":null}}\n\n')
THINKING = [
    {"type": "content_block_start", "index": 0,
     "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0,
     "delta": {"type": "thinking_delta", "thinking": "Let me \u00fc"}},
    {"type": "content_block_delta", "index": 0,
     "delta": {"type": "signature_delta", "signature": "EqQB+/=="}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1,
     "content_block": {"type": "redacted_thinking", "data": "abc="}},
    {"type": "content_block_stop", "index": 1}]
SEARCH = [
    {"type": "content_block_start", "index": 2, "content_block": {
        "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}},
    {"type": "content_block_delta", "index": 2,
     "delta": {"type": "input_json_delta", "partial_json": '{"query":"x"}'}},
    {"type": "content_block_stop", "index": 2},
    {"type": "content_block_start", "index": 3, "content_block": {
        "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
            {"type": "web_search_result", "title": "T", "url": "http://x/", "page_age": None,
             "encrypted_content": "xyz"}]}},
    {"type": "content_block_stop", "index": 3}]
TEXT = [
    {"type": "content_block_start", "index": 4, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 4, "delta": {"type": "text_delta", "text": "Hel"}},
    {"type": "content_block_delta", "index": 4, "delta": {"type": "citations_delta", "citation": {
        "type": "web_search_result_location", "url": "http://x/", "title": "T",
        "encrypted_index": "i", "cited_text": "c"}}},
    {"type": "content_block_delta", "index": 4, "delta": {"type": "text_delta", "text": "lo"}},
    {"type": "content_block_stop", "index": 4}]
CALLS = [
    {"type": "content_block_start", "index": 5, "content_block": {
        "type": "tool_use", "id": "toolu_1", "name": "f", "input": {},
        "caller": {"type": "direct"}}},
    {"type": "content_block_delta", "index": 5,
     "delta": {"type": "input_json_delta", "partial_json": ""}},
    {"type": "content_block_delta", "index": 5,
     "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
    {"type": "content_block_delta", "index": 5,
     "delta": {"type": "input_json_delta", "partial_json": "1}"}},
    {"type": "content_block_stop", "index": 5}]
END = [
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None,
                                        "container": {"id": "c1"}},
     "usage": {"input_tokens": 5, "cache_creation_input_tokens": 4, "cache_read_input_tokens": 2,
               "output_tokens": 7, "server_tool_use": {"web_search_requests": 1}}},
    {"type": "message_stop", "amazon-bedrock-invocationMetrics": {"n": 1}}]


def event(value):
    # json.dumps puts blanks between tokens and escapes what is not ASCII: both have to stay.
    return f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode()


def answer(*events):
    return START + b"".join(event(e) for e in events)


WHOLE_STREAM = answer({"type": "ping"}, *THINKING, *SEARCH, *TEXT, *CALLS, *END)
WHOLE = (b'{ "id" : "msg_01Up", "type": "message", "role":"assistant","model":"claude-up-1",'
         b'"content":[{"type":"thinking","thinking":"h\\u00fcm","signature":"EqQB+/=="},'
         b'{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"q":1.50}},'
         b'{"type":"text","text":"ok","citations":[{"type":"char_location"}]}],'
         b'"stop_reason":"stop_sequence","stop_sequence":"END","usage":{"input_tokens":11,'
         b'"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":7},'
         b'"unknown":{"a":[1]}}')


@pytest.fixture(scope="module")
def native(start_once, upstream):
    port = {"api_key_env": "TEST_UPSTREAM_KEY"}
    return start_once({
        "providers": [
            provider(upstream, "real", dialect="anthropic", **port),
            provider(upstream, "fixed", dialect="anthropic",
                     headers={"Anthropic-Version": "2020-01-01", "anthropic-beta": "own-1"}),
            provider(upstream, "other", **port)],
        "models": [
            {"name": "n/*", "provider": "real"}, {"name": "fixed/*", "provider": "fixed"},
            {"name": "old/*", "provider": "real", "max_output": 40, "no_sampling": True},
            {"name": "says/*", "provider": "real", "defaults": {
                "instruction": "Be \"brief\".",
                "config": {"temperature": 0.2, "top_p": 0.5, "stop": "END"}}},
            {"name": "odd/*", "provider": "real", "defaults": {
                "config": {"seed": 7, "reasoning_effort": "low"}}},
            {"name": "both/*", "provider": "real", "fallback": ["o/x"]},
            {"name": "o/*", "provider": "other"}],
    }, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})


@pytest.fixture
def client(native):
    with Client(native.url) as client:
        yield client


def stream_of(content, step=None):
    if step:
        return [up.sse(), up.split(content, range(step, len(content), step)), up.end()]
    return [up.sse(), up.body(content), up.end()]


def raw_blocks(client, body, headers=None):
    with client.stream(PATH, body, headers) as stream:
        stream.check_head()
        blocks = [b.raw for b in stream]
    return b"".join(b + b"\n\n" for b in blocks)


ODD = (b'{"messages" : [ {"role":"user","content":[{"type":"text","text":"a\\u00e4",'
       b'"cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"container_upload","file_id":"f"},'
       b'{"type":"of_tomorrow","x":1.50}]},\n {"role":"assistant","content":[{"type":"thinking",'
       b'"thinking":"hm","signature":"EqQB+/=="},{"type":"server_tool_use","id":"srvtoolu_1",'
       b'"name":"web_search","input":{"q":1e2}},{"type":"tool_use","id":"t1","name":"f",'
       b'"input":{"b":1,"a":2}}]},{"role":"user","content":[{"type":"tool_result",'
       b'"tool_use_id":"t1","content":"r","cache_control":{"type":"ephemeral"}}]} ],'
       b'"max_tokens":50.0e0,"thinking":{"type":"adaptive","display":"summarized"},'
       b'"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":5}],'
       b'"mcp_servers":[{"type":"url","url":"http://x/"}],"model":"%s","unknown":{"k":[1,2]},'
       b'"context_management":{"edits":[]},"top_k":5,"stream":%s}')

# What is odd about it on purpose: it goes through as it came.
OF_ODD = {f"* {path}": "the client's own bytes" for path in (
    "unknown", "messages.0.content.2", "mcp_servers.0.name", "top_k")}


@pytest.mark.parametrize("stream", [False, True])
def test_the_request_is_the_clients_but_for_the_model(client, script, stream):
    s = script(*(stream_of(WHOLE_STREAM) if stream else [up.reply(WHOLE)]), allows=OF_ODD)
    body = ODD.replace(b"50.0e0", b"50") % (f"n/{s.name}".encode(), b"true" if stream else b"false")
    reply = client.post(PATH, body, headers={
        "content-type": "application/json", "anthropic-version": "2026-10-21",
        "anthropic-beta": "context-management-2025-06-27,a-1", "x-stainless-lang": "js",
        "x-api-key": "the gateway's"}).ok()
    assert reply.body == (WHOLE_STREAM if stream else WHOLE)
    assert "x-parley-warnings" not in reply.headers
    got = s.request
    assert got.body == body.replace(f"n/{s.name}".encode(), s.name.encode())
    assert got.target == "/v1/messages"
    assert got.header("anthropic-version") == "2026-10-21"
    assert got.header("anthropic-beta") == "context-management-2025-06-27,a-1"
    assert got.header("x-api-key") == UPSTREAM_KEY
    assert not got.header("x-stainless-lang")


def asked(model, **more):
    return {"model": model, "max_tokens": 50, "messages": [{"role": "user", "content": "Hello"}],
            **more}


def test_versions_and_beta_features(client, script):
    for prefix, sent, got in (
            ("n", {}, ("2023-06-01", None)),
            ("n", {"anthropic-version": "x"}, ("x", None)),
            ("fixed", {"anthropic-version": "x", "anthropic-beta": "b"}, ("2020-01-01", "own-1,b")),
            ("fixed", {}, ("2020-01-01", "own-1"))):
        s = script(up.reply(WHOLE))
        client.post(PATH, asked(s.under(prefix)), headers=sent).ok()
        request = s.request
        assert (request.header("anthropic-version"), request.header("anthropic-beta")) == got
    # Of a chat's request, nothing is known of all that.
    s = script(up.reply(WHOLE))
    client.post("/v1/chat/completions", asked(s.under("n")), headers={"anthropic-beta": "b"}).ok()
    assert s.request.header("anthropic-beta") is None
    for value in (b"b" * 2049, b"b\xe9"):
        reply = client.post(PATH, asked("n/x"), headers={b"anthropic-beta": value})
        assert reply.status == 400 and "anthropic-beta" in reply.json["error"]["message"]


@pytest.mark.parametrize("members, want", [
    (b'"max_tokens":50,"temperature":1,"top_p":0.5,"model":"M"', b'"max_tokens":40,"model":"M"'),
    (b'"temperature":1,"model":"M","top_p":0.5 , "max_tokens":7,"top_k":1',
     b'"model":"M","max_tokens":7'),
    (b'"model":"M","max_tokens":1, "top_p":1,"top_k":1', b'"model":"M","max_tokens":1'),
])
def test_what_the_configuration_demands(client, script, members, want):
    s = script(up.reply(WHOLE))
    messages = b'"messages":[{"role":"user","content":"x"}],'
    reply = client.post(PATH, b"{" + messages + members.replace(b'"M"', json.dumps(
        s.under("old")).encode()) + b"}", headers={"content-type": "application/json"}).ok()
    assert s.request.body == b"{" + messages + want.replace(
        b'"M"', json.dumps(s.name).encode()) + b"}"
    assert "refuses it" in reply.headers["x-parley-warnings"]


def test_the_models_defaults(client, script):
    tool = {"type": "web_search_20250305", "name": "web_search"}
    for more in ({}, {"tools": [tool]}):  # translated beside, or not at all
        s = script(up.reply(WHOLE), allows={"temperature-or-top-p top_p": "the operator's own defaults"})
        body = asked(s.under("says"), **more)
        client.post(PATH, body).ok()
        assert s.request.json == {**body, "model": s.name, "system": 'Be "brief".',
                                  "temperature": 0.2, "top_p": 0.5, "stop_sequences": ["END"]}
        s = script(up.reply(WHOLE))
        body = asked(s.under("says"), system=[], temperature=1, stop_sequences=[], top_p=None, **more)
        client.post(PATH, body).ok()
        assert s.request.json == {**body, "model": s.name}


def test_defaults_that_anthropic_has_no_member_for_are_told(client, script):
    s = script(up.reply(WHOLE))
    reply = client.post(PATH, asked(s.under("odd"))).ok()
    told = json.loads(reply.headers["x-parley-warnings"])
    assert [w["code"] for w in told] == ["parameter_dropped"] * 2
    assert "seed" in told[0]["message"] and "reasoning_effort" in told[1]["message"]
    assert s.request.json == asked(s.name)
    s = script(up.reply(WHOLE))
    reply = client.post(PATH, asked(s.under("odd"), max_tokens=2000, thinking={
        "type": "enabled", "budget_tokens": 1024})).ok()
    (told,) = json.loads(reply.headers["x-parley-warnings"])
    assert "seed" in told["message"]


UNSIGNED = {"type": "thinking", "thinking": "ours", "signature": ""}
SIGNED = {"type": "thinking", "thinking": "theirs", "signature": "s"}
SAID = {"type": "text", "text": "said"}


@pytest.mark.parametrize("blocks, want", [
    ([UNSIGNED, SAID], [SAID]), ([SAID, UNSIGNED], [SAID]), ([SIGNED, SAID], [SIGNED, SAID]),
    ([UNSIGNED, SIGNED, UNSIGNED, {"type": "thinking", "thinking": "x"}], [SIGNED]),
    ([SIGNED, UNSIGNED, SAID, UNSIGNED], [SIGNED, SAID]), ([UNSIGNED], None), ([], []),
])
def test_thinking_of_other_models_is_left_out(client, script, blocks, want):
    hello = {"role": "user", "content": "Hello"}
    for order in ((0, 1, 2), (1, 0, 2), (0, 2, 1)):
        given = [hello, {"role": "assistant", "content": blocks}, hello]
        kept = [hello, {"role": "assistant", "content": want} if want is not None else None, hello]
        sent = [kept[i] for i in order if kept[i]]
        allows = {"first-role messages.0.role": "the client's order"} if sent[0] != hello else {}
        if want == [] and sent[-1] == hello:
            allows["blank-texts messages.*.content"] = "the client's own emptiness"
        s = script(up.reply(WHOLE), allows=allows)
        client.post(PATH, asked(s.under("n"), messages=[given[i] for i in order])).ok()
        assert s.request.json["messages"] == sent


@pytest.mark.parametrize("step", [1, 2, 3, 7, 64, 1000])
def test_any_cut_of_the_providers_stream_gives_the_same_bytes(client, script, step):
    s = script(*stream_of(WHOLE_STREAM, step))
    assert raw_blocks(client, asked(s.under("n"), stream=True)) == WHOLE_STREAM


def test_the_sdk_reads_it_as_from_anthropic(native, script):
    s = script(*stream_of(WHOLE_STREAM))
    with anthropic.Anthropic(base_url=native.url, api_key="x", timeout=DEADLINE,
                             max_retries=0) as sdk:
        with sdk.messages.stream(**asked(s.under("n"), max_tokens=2000, thinking={
                "type": "enabled", "budget_tokens": 1024})) as stream:
            texts = "".join(stream.text_stream)
            final = stream.get_final_message()
        assert texts == "Hello" and final.id == "msg_01Up" and final.stop_reason == "tool_use"
        assert [b.type for b in final.content] == [
            "thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result", "text",
            "tool_use"]
        assert final.content[0].signature == "EqQB+/==" and final.content[5].input == {"a": 1}
        assert final.usage.cache_creation_input_tokens == 4
        # The history goes back with every block as it was.
        two = script(up.reply(WHOLE))
        sdk.messages.create(**asked(two.under("n"), messages=[
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": final.content},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1",
                                          "content": "r"}]}]))
        sent = two.request.json["messages"][1]["content"]
        assert sent[0] == {"type": "thinking", "thinking": "Let me \u00fc", "signature": "EqQB+/=="}
        assert sent[1] == {"type": "redacted_thinking", "data": "abc="}
        assert sent[3]["content"][0]["encrypted_content"] == "xyz"


def test_a_stream_that_breaks_ends_in_an_error(client, script):
    broken = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    for tail, kind in ((event(broken), "overloaded_error"), (b"", "api_error"),
                       (event(END[0]), "api_error"),
                       (event({"type": "message_stop"}), "api_error")):
        content = answer(*THINKING, *TEXT[:2]) + tail
        s = script(*stream_of(content))
        with client.stream(PATH, asked(s.under("n"), stream=True)) as stream:
            blocks = list(stream)
        assert blocks[-1].event == "error" and blocks[-1].json["error"]["type"] == kind
        assert blocks[-1].json["request_id"] == stream.headers["request-id"]
        assert "message_stop" not in [b.event for b in blocks]
        body = b"".join(b.raw + b"\n\n" for b in blocks[:-1])
        assert content.startswith(body) and body.startswith(answer(*THINKING, *TEXT[:2]))


@pytest.mark.parametrize("begun", [False, True])
def test_another_provider_answers_in_translation(start, upstream, script, begun):
    """Also where the first one had begun to answer without saying anything."""
    s = script(*([up.sse(), up.body(START + event(SEARCH[0])), up.end()] if begun else [up.reply(
        {"type": "error", "error": {"type": "api_error", "message": "no"}}, 500)]),
        allows={"thinking-excludes top_k": "only what becomes of it counts"})
    back = script(*up.stream("from ", "there"))
    gateway = start({"commit_after": "20s", "providers": [
        provider(upstream, "p", dialect="anthropic"), provider(upstream, "q")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "fallback": ["n"]},
        {"name": "n", "provider": "q", "upstream_model": back.name}]})
    with Client(gateway.url) as client, client.stream(
            PATH, asked("m", stream=True, top_k=1, thinking={"type": "adaptive"})) as stream:
        said = sse.messages(list(stream))
        assert "top_k" in stream.headers["x-parley-warnings"]
    assert said.text == "from there" and said.start["id"] != "msg_01Up"
    assert said.start["model"] == "m" and len(s.exchanges) == 1
    assert back.request.json["messages"] == [{"role": "user", "content": "Hello"}]


def test_what_can_not_be_translated_goes_to_anthropic_alone(client, script):
    s = script(up.reply({"type": "error", "error": {"type": "api_error", "message": "no"}}, 500))
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    reply = client.post(PATH, asked(s.under("both"), tools=tools))
    assert reply.status == 502 and reply.json["error"]["type"] == "api_error"
    reply = client.post(PATH, asked("o/x", tools=tools))
    assert reply.status == 400 and reply.json["error"]["message"].startswith("tools.0.type: ")


def test_errors_of_the_provider(client, script):
    for status, kind in ((400, "invalid_request_error"), (413, "request_too_large"),
                         (429, "rate_limit_error"), (529, "overloaded_error")):
        s = script(up.reply({"type": "error", "error": {"type": kind, "message": "said so"},
                             "request_id": "req_theirs"}, status))
        reply = client.post(PATH, asked(s.under("n")))
        assert reply.status == status and reply.json["error"]["type"] == kind
        assert "said so" in reply.json["error"]["message"]
        assert reply.json["request_id"] == reply.headers["request-id"]


def test_the_word_by_which_sdks_tell_errors_apart(client, script):
    details = {"error_code": "thread_not_found"}
    s = script(up.reply({"type": "error", "error": {"type": "not_found_error", "message": "gone",
                                                    "details": details}}, 404))
    reply = client.post(PATH, asked(s.under("n")))
    assert reply.status == 404 and reply.json["error"]["details"] == details


def test_usage_counts_the_cached_tokens(start, upstream, script):
    s = script(*stream_of(WHOLE_STREAM))
    gateway = start({"providers": [provider(upstream, "p", dialect="anthropic")],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as client:
        client.post(PATH, asked("m", stream=True)).ok()
        wait_until(lambda: client.get("/v1/usage?group=model").ok().json["data"], "its usage")
        row, = client.get("/v1/usage?group=model").ok().json["data"]
    assert (row["calls"], row["input_tokens"], row["output_tokens"]) == (1, 11, 7)


def test_other_apis_see_nothing_of_it(client, script):
    """The same provider behind chat completions answers as before."""
    s = script(*stream_of(WHOLE_STREAM))
    with client.stream("/v1/chat/completions", asked(s.under("n"), stream=True)) as stream:
        assert sse.openai(list(stream)).text == "Hello"


def test_a_key_answers_a_second_time(client, script):
    for stream, steps, want in ((True, stream_of(WHOLE_STREAM), WHOLE_STREAM),
                                (False, [up.reply(WHOLE)], WHOLE)):
        s = script(*steps)
        first, again = (client.post(PATH, asked(s.under("n"), stream=stream), headers={
            "Idempotency-Key": f"native-{s.name}"}) for _ in range(2))
        assert first.ok().body == again.ok().body == want and len(s.exchanges) == 1


def test_a_setting_that_hides_thinking_holds(start, upstream, script):
    gateway = start({"providers": [provider(upstream, "p", dialect="anthropic")],
                     "reasoning_name": "none", "models": [{"name": "n/*", "provider": "p"}]})
    with Client(gateway.url) as client:
        s = script(*stream_of(WHOLE_STREAM))
        with client.stream(PATH, asked(s.under("n"), stream=True)) as stream:
            said = sse.messages(list(stream))
        assert [b["type"] for b in said.blocks] == ["text", "tool_use"]
        s = script(up.reply(WHOLE))
        got = client.post(PATH, asked(s.under("n"))).ok().json
        assert got["content"] == [{"type": "text", "text": "ok"}]


@pytest.mark.parametrize("stream", [False, True])
def test_long_answers_pass_through_workers(client, script, stream):
    text = "x" * 700_000
    if stream:
        content = answer(TEXT[0], {"type": "content_block_delta", "index": 4, "delta": {
            "type": "text_delta", "text": text}}, TEXT[4], *END)
        s = script(*stream_of(content))
    else:
        content = WHOLE.replace(b'"ok"', json.dumps(text).encode())
        s = script(up.reply(content))
    body = asked(s.under("n"), stream=stream, system="y" * 400_000)
    assert client.post(PATH, body).ok().body == content
    assert s.request.json == {**body, "model": s.name}


# --- counting -------------------------------------------------------------------------------------


def test_anthropic_counts_its_own_tokens(client, script):
    s = script(up.reply(b'{"input_tokens": 2095, "context_management": {"original_input_tokens":1}}'),
               allows=OF_ODD)
    body = ODD.replace(b'"max_tokens":50.0e0,', b"").replace(b',"stream":%s', b"") % (
        s.under("n").encode(),)
    reply = client.post(f"{PATH}/count_tokens", body, headers={
        "content-type": "application/json", "anthropic-version": "2026-10-21",
        "anthropic-beta": "b-1"}).ok()
    assert reply.body == (b'{"input_tokens": 2095, "context_management": '
                          b'{"original_input_tokens":1}}')
    assert "x-parley-warnings" not in reply.headers
    got = s.request
    assert got.target == "/v1/messages/count_tokens"
    assert got.body == body.replace(s.under("n").encode(), s.name.encode())
    assert got.header("anthropic-version") == "2026-10-21"
    assert got.header("anthropic-beta") == "b-1" and got.header("x-api-key") == UPSTREAM_KEY


def counted(model):
    """A request for a count, which has no limit."""
    return {k: v for k, v in asked(model).items() if k != "max_tokens"}


def test_a_count_that_is_refused(client, script):
    said = {"type": "error", "error": {"type": "invalid_request_error", "message": "tools.0: no"}}
    s = script(up.reply(said, 400))
    reply = client.post(f"{PATH}/count_tokens", counted(s.under("n")))
    assert reply.status == 400 and "tools.0: no" in reply.json["error"]["message"]
    assert reply.json["error"]["type"] == "invalid_request_error"
    reply = client.post(f"{PATH}/count_tokens", asked("n/x"), headers={
        b"anthropic-beta": b"b" * 2049})
    assert reply.status == 400


@pytest.mark.parametrize("answer", [
    up.reply({"error": "not found"}, 404), up.reply({}, 500), up.reply({}, 429), up.reply({}, 401),
    up.reply({"input_tokens": "x"}), up.reply(b"<html>", content_type="text/html"), up.hang_up()])
def test_a_count_that_fails_is_an_estimate(client, script, answer):
    s = script(up.in_turn(answer, up.reply(WHOLE)))
    reply = client.post(f"{PATH}/count_tokens", counted(s.under("n"))).ok()
    assert reply.json["input_tokens"] > 0
    assert "estimated" in reply.headers["x-parley-warnings"]
    client.post(PATH, asked(s.under("n"))).ok()  # the target is as healthy as before


def test_a_client_that_leaves_while_tokens_are_counted(native, script):
    gate = up.Gate()
    s = script(up.wait(gate), up.reply({"input_tokens": 1}))
    with raw.Raw(native) as client:
        client.send(raw.post(f"{PATH}/count_tokens", json.dumps(counted(s.under("n"))).encode()))
        gate.wait_reached()
    s.wait(1).wait_closed()


def test_counts_are_in_the_ledger(native, script):
    gate = up.Gate()
    fine, refused, failed = (script(up.reply({"input_tokens": 5})), script(up.reply(
        {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}, 400)),
        script(up.reply({}, 500)))
    slow = script(up.wait(gate), up.reply({"input_tokens": 1}))
    with Client(native.url) as client:
        client.post(f"{PATH}/count_tokens", counted(fine.under("n"))).ok()
        assert client.post(f"{PATH}/count_tokens", counted(refused.under("n"))).status == 400
        client.post(f"{PATH}/count_tokens", counted(failed.under("n"))).ok()
        with raw.Raw(native) as left:
            left.send(raw.post(f"{PATH}/count_tokens", json.dumps(counted(slow.under("n"))).encode()))
            gate.wait_reached()

        def row(s):
            return client.get(f"/v1/runs?model={s.under('n')}").ok().json["data"]
        for s, outcome, status, code in ((fine, "completed", 200, None),
                                         (refused, "failed", 400, "upstream_rejected"),
                                         (failed, "failed", 200, "upstream_error"),
                                         (slow, "client_left", None, None)):
            call, = wait_until(lambda s=s: row(s), "the row")
            assert (call["outcome"], call["http_status"], call["family"], call["provider"]) == \
                (outcome, status, "count_tokens", "real")
            assert (call["error"] or {"code": None})["code"] == code
            assert call["usage"] is None and call["cost"] is None and call["attempts"] == 1


# --- sources --------------------------------------------------------------------------------------

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
                       "rkJggg==")
PDF = b"%PDF-1.4\n%x\n"


@pytest.fixture(scope="module")
def files(native):
    with Client(native.url) as client:
        return {name: upload(client, content, filename=name, type=type).ok().json["id"]
                for name, type, content in (("a.png", "image/png", PNG),
                                            ("a.pdf", "application/pdf", PDF),
                                            ("a.txt", "text/plain", b"plain \xc3\xbc"))}


def file(kind, id, **more):
    return {"type": kind, "source": {"type": "file", "file_id": id}, **more}


def content(*blocks):
    return [{"role": "user", "content": list(blocks)}]


def b64(data):
    return base64.b64encode(data).decode()


def result(*blocks):
    return {"type": "tool_result", "tool_use_id": "c1", "content": list(blocks)}


CALL = [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
    {"type": "tool_use", "id": "c1", "name": "f", "input": {}}]}]


def test_uploaded_files_reach_other_providers(client, script, files):
    s = script(up.reply(up.completion("ok")))
    client.post(PATH, asked(s.under("o"), messages=[*CALL, *content(
        result(file("image", files["a.png"]), {"type": "text", "text": "r"}),
        {"type": "text", "text": "look"}, file("image", files["a.png"]),
        file("document", files["a.pdf"], title="T.pdf"), file("document", files["a.txt"]),
        {"type": "image", "source": {"type": "url", "url": "https://x.example/a.png"}})])).ok()
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + b64(PNG)}}
    assert s.request.json["messages"][2:] == [
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
        {"role": "user", "content": [
            {"type": "text", "text": "From the result of the call c1:"}, image,
            {"type": "text", "text": "look"}, image,
            {"type": "file", "file": {"filename": "T.pdf",
                                      "file_data": "data:application/pdf;base64," + b64(PDF)}},
            {"type": "text", "text": '<file name="a.txt">\nplain ü\n</file>\n\n'},
            {"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}]}]


@pytest.mark.parametrize("stream", [False, True])
def test_uploaded_files_reach_anthropic(client, script, files, stream):
    s = script(*(stream_of(WHOLE_STREAM) if stream else [up.reply(WHOLE)]))
    mark = {"cache_control": {"type": "ephemeral"}}
    theirs = file("document", "file_011CNha8iCJcU1wXNR6q4V8w")
    by_url = {"type": "document", "source": {"type": "url", "url": "https://x.example/a.pdf"}}
    signed = {"role": "assistant", "content": [SIGNED, *CALL[1]["content"]]}
    body = asked(s.under("n"), stream=stream, messages=[CALL[0], signed, *content(
        result(file("image", files["a.png"], **mark)), file("document", files["a.pdf"], title="T"),
        file("document", files["a.txt"], citations={"enabled": True}))])
    client.post(PATH, body).ok()
    png = {"type": "base64", "media_type": "image/png", "data": b64(PNG)}
    text = {"type": "text", "media_type": "text/plain",
            "data": '<file name="a.txt">\nplain ü\n</file>\n\n'}
    assert s.request.json["messages"] == [CALL[0], signed, *content(
        result({"type": "image", "source": png, **mark}),
        {"type": "document", "title": "T", "source": {
            "type": "base64", "media_type": "application/pdf", "data": b64(PDF)}},
        {"type": "document", "source": text, "citations": {"enabled": True}})]

    # What Anthropic itself knows stays.
    s = script(up.reply(WHOLE))
    client.post(PATH, asked(s.under("n"), messages=content(theirs, by_url))).ok()
    assert s.request.json["messages"] == content(theirs, by_url)


MISSING = "file-00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize("prefix", ["n", "o"])
def test_files_that_can_not_be_sent(client, files, prefix):
    cases = [
        (content({"type": "text", "text": "x"}, file("image", MISSING)), 404,
         "messages.0.content.1.source: "),
        ([*CALL, *content(result(file("document", MISSING)))], 404,
         "messages.2.content.0.content: "),
        (content(file("image", 5)), 400, "messages.0.content.0.source.file_id: ")]
    if prefix == "n":
        cases = cases[:2] + [
            (content({"type": "text", "text": "x"}, file("image", files["a.pdf"])), 400,
             "messages.0.content.1.source: "),
            (content(file("document", files["a.png"])), 400, "messages.0.content.0.source: "),
            (content({"type": "hologram"}, file("image", files["a.png"])), 400,
             "messages.0.content.0: ")]
    else:
        cases += [
            ([*CALL[:1], *content({"type": "document", "source": {"type": "url", "url": "http://x"}})],
             400, "messages.1.content.0.source: "),
            (content(file("document", "file_011CNha8iCJcU1wXNR6q4V8w")), 400,
             "messages.0.content.0.source.file_id: ")]
    for messages, status, start in cases:
        reply = client.post(PATH, asked(f"{prefix}/x", messages=messages))
        assert (reply.status, reply.json["error"]["message"][:len(start)]) == (status, start), reply


def test_a_count_with_an_uploaded_file_is_an_estimate(client, files):
    reply = client.post(f"{PATH}/count_tokens", asked("n/x", messages=content(
        file("image", files["a.png"])))).ok()
    assert "estimated" in reply.headers["x-parley-warnings"]


# --- stored messages ------------------------------------------------------------------------------

STORE = {"x-parley-store": "true"}


def again(client, id):
    with client.http.stream("GET", f"{PATH}/{id}/events") as response:
        assert response.status_code == 200, response.read()
        return b"".join(response.iter_bytes())


def own(content, run):
    return content.replace(b"msg_01Up", b"msg_" + run.removeprefix("run_").encode())


def test_a_stored_stream_can_be_read_again(client, script):
    s = script(*stream_of(WHOLE_STREAM))
    reply = client.post(PATH, asked(s.under("n"), stream=True), headers=STORE).ok()
    run = reply.headers["x-run-id"]
    assert reply.body == own(WHOLE_STREAM, run)
    id = "msg_" + run.removeprefix("run_")
    assert again(client, id) == reply.body
    items = client.items(reply.headers["x-conversation-id"])["data"]
    assert [i["role"] for i in items if "role" in i][:2] == ["user", "assistant"]
    assert client.run(run)["status"] == "completed"

    # A whole answer, and one in translation.
    s = script(up.reply(WHOLE))
    reply = client.post(PATH, asked(s.under("n")), headers=STORE).ok()
    assert reply.body == own(WHOLE, reply.headers["x-run-id"])
    s = script(*up.stream("one ", "two"))
    reply = client.post(PATH, asked(s.under("o"), stream=True), headers=STORE).ok()
    id = "msg_" + reply.headers["x-run-id"].removeprefix("run_")
    assert sse.messages([sse.Block(b) for b in again(client, id).split(b"\n\n")[:-1]]).blocks == [
        {"type": "text", "text": "one two"}]


def test_what_can_not_be_read_again_or_stored(client, script):
    for path in ("msg_1", "msg_" + "0" * 32, "run_" + "0" * 32):
        reply = client.get(f"{PATH}/{path}/events")
        assert reply.status == 404 and reply.json["type"] == "error"
    chat = client.chat("x", model=script(up.reply(up.completion("ok"))).under("o")).ok().json
    assert client.get(f"{PATH}/{chat['message_id']}/events").status == 404
    assert client.post(PATH, asked("n/x"), headers={"x-parley-store": "yes"}).status == 400
    reply = client.post(PATH, asked("n/x", tools=[{"type": "web_search_20250305"}]), headers=STORE)
    assert reply.status == 400 and reply.json["error"]["message"].startswith("tools.0.type: ")


def test_after_a_kill_the_stream_is_there_and_ends_in_an_error(start, upstream, script):
    gate = up.Gate()
    begun = answer(*THINKING, *SEARCH, *TEXT[:2])
    s = script(up.sse(), up.body(begun), up.wait(gate))
    gateway = start({
        "durability": "strict", "providers": [provider(upstream, "p", dialect="anthropic")],
        "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    seen = []
    with Client(gateway.url) as client, client.stream(PATH, asked("m", stream=True),
                                                      STORE) as stream:
        while not seen or b"text_delta" not in seen[-1]:
            seen.append(next(stream).raw)
        run = stream.headers["x-run-id"]
        gateway.kill()
    got = b"".join(b + b"\n\n" for b in seen)
    assert got == own(begun, run)
    gateway.start()
    with Client(gateway.url) as client:
        body = again(client, "msg_" + run.removeprefix("run_"))
    assert body.startswith(got)
    last = sse.Block(body[len(got):].rstrip(b"\n"))
    assert last.event == "error" and last.json["type"] == "error"


def test_headers_of_a_call_through_a_proxy(start, upstream, script):
    """Such calls are libcurl's."""
    s = script(up.reply(WHOLE))
    gateway = start({"providers": [provider(upstream, "p", dialect="anthropic",
                                            propagate_trace=True,
                                            proxy=upstream.url.removesuffix("/v1"))],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as client:
        assert client.post(PATH, asked("m"), headers={
            "anthropic-version": "x", "anthropic-beta": "b-1,b-2",
            "traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}).ok().body == WHOLE
    got = s.request
    assert got.target.startswith("http://")
    assert (got.header("anthropic-version"), got.header("anthropic-beta")) == ("x", "b-1,b-2")
    assert got.header("traceparent").startswith(f"00-{'a' * 32}-")


def test_a_budget_counts_what_no_translation_has(start, upstream, script):
    gateway = start({"providers": [provider(upstream, "p", "anthropic")], "models": [
        {"name": "a/*", "provider": "p", "price": {"input": 1, "output": 2}, "max_output": 100}]}, args=["--admin-listen", "127.0.0.1:0"])
    key = keys.known(gateway, keys.make(gateway, "--budget", "0.05"))
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" + "A" * 200_001}
    image, long = {"type": "image", "source": source}, "word " * 40_000

    def ask(s, *content):
        return client.post(PATH, {"model": s.under("a"), "max_tokens": 9, "messages": [
            {"role": "user", "content": "x"}, {"role": "assistant", "content": list(content)}, {"role": "user", "content": [
                image, {"type": "text", "text": "y"}]}]})

    silent = script(allows=None)
    with Client(gateway.url, keys.bearer(key["key"])) as client:
        for block in ({"type": "compaction", "content": long}, {"type": "server_tool_use", "id": "srvtoolu_1", "name": "f", "input": {
                "content": [image]}}, {"type": "mcp_tool_result", "tool_use_id": "x", "content": [{"type": "text", "text": long}]}):
            ask(silent, block).error(429)
        assert not silent.exchanges
        ask(script(up.reply(WHOLE), allows=None), {"type": "text", "text": "z"}).ok()
