"""POST /v1/chat/completions: OpenAI's call, passed through byte for byte."""

import json

import pytest

import upstream as up
from client import item_text
from fixtures import UPSTREAM_KEY
from gateway import CANARY

PATH = "/v1/chat/completions"

# Raw members that a re-serialising gateway would change.
RAW_MEMBERS = [
    b'"temperature": 0.10', b'"seed":1E2', b'"logit_bias":{"50256": -100 }',
    b'"my_field":{"deep":[1,2.50,{"a":null,"b":[[]]}],"k":"\\u00e9\\/"}',
    b'"big":123456789012345678901234567890', b'"tiny":1e-400', b'"lone":"\\ud800"',
    b'"spaces" :\t[ 1 ,2 ]', b'"empty":{}', b'"nul":"a\\u0000b"', b'"\\u006bey":1',
    b'"user":"u-1"', b'"n":1', b'"parallel_tool_calls":false', b'"prompt_cache_key":"p"',
]
RAW_MESSAGES = (b'[{"role":"system","content":"s"},{"content" : "h\\u00e9\\ud83d\\ude00 \xc3\xa9",'
                b'"role":"user", "own":[1.0]}]')


@pytest.mark.parametrize("stream", [False, True])
def test_unknown_fields_pass_byte_for_byte(client, script, stream):
    s = script(up.either("ok"), allows={
        **{f"types {name}": "a member that nobody knows" for name in (
            "my_field", "big", "tiny", "lone", "spaces", "empty", "nul", "key", "messages.1.own")},
        "types seed": "an integer in another form",
        "only-with-tools parallel_tool_calls": "what its provider makes of it is not the question"})
    body = b'{"model":"%s","messages":%s,%s,"stream":%s}' % (
        s.model.encode(), RAW_MESSAGES, b",".join(RAW_MEMBERS), json.dumps(stream).encode())
    client.post(PATH, body).ok()
    got = s.request.body
    for piece in RAW_MEMBERS:
        name, value = piece.split(b":", 1)
        assert piece in got or name.strip() + b":" + value.strip() in got, (piece, got)
    for message in (b'{"role":"system","content":"s"}', RAW_MESSAGES.split(b",", 2)[2][:-1]):
        assert message in got, (message, got)
    assert json.loads(got)["model"] == s.name


def test_only_the_gateways_own_fields_differ(client, script):
    s = script(up.reply(up.completion("ok")))
    body = {"model": s.model, "messages": [{"role": "user", "content": "x"}], "top_k": 3,
            "tools": [{"type": "function", "function": {"name": "f"}}], "stop": None}
    client.post(PATH, body).ok()
    got = s.request.json
    assert got.pop("model") == s.name
    assert got.pop("stream", False) is False
    del body["model"]
    assert got == body


def test_the_answer_passes_too(client, script):
    answer = up.completion("hi", system_fingerprint="fp", own={"x": [1, 2]},
                           service_tier="default")
    answer["choices"][0]["logprobs"] = {"content": [{"token": "hi", "logprob": -0.5}]}
    answer["choices"][0]["message"]["reasoning_content"] = "thought"
    s = script(up.reply(answer))
    got = client.complete(s.model).ok().json
    for key in ("system_fingerprint", "own", "service_tier", "choices", "usage", "created"):
        assert got[key] == answer[key]
    assert got["object"] == "chat.completion" and got["id"]


def test_several_choices_pass(client, script):
    answer = up.completion("a")
    answer["choices"].append({"index": 1, "message": {"role": "assistant", "content": "b"},
                              "finish_reason": "length"})
    s = script(up.reply(answer))
    assert client.complete(s.model, n=2).ok().json["choices"] == answer["choices"]
    assert s.request.json["n"] == 2


def test_stream_chunks_pass_with_what_they_hold(client, script):
    s = script(up.sse(), up.role(refusal=None),
               up.data(up.chunk({"reasoning_content": "hm"}, own={"a": 1.50})),
               up.text("a"), up.data(up.chunk({"content": "b"}, index=1)),
               up.data(up.chunk({}, "stop", index=1)), *up.ending())
    with client.complete_stream(s.model, n=2) as stream:
        stream.check_head()
        answer = stream.openai()
    assert any(c.get("own") == {"a": 1.5} for c in answer.chunks)
    deltas = [c["choices"][0]["delta"] for c in answer.chunks if c["choices"]]
    assert {"reasoning_content": "hm"} in deltas
    assert answer.finishes == ["stop", "stop"]


# --- store and metadata ---------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("store", [False, True])
def test_store_and_metadata_are_ours(client, script, stream, store):
    s = script(up.either("ok"))
    body = {"store": store, "metadata": {"k": "v"}}
    if stream:
        with client.complete_stream(s.model, **body) as answer:
            answer.openai()
            headers = answer.headers
    else:
        headers = client.complete(s.model, **body).ok().headers
    got = s.request.json
    assert "store" not in got and "metadata" not in got
    if store:
        run = client.run(headers["x-run-id"])
        assert run["status"] == "completed" and run["model"]
        items = client.items(headers["x-conversation-id"])["data"]
        assert [item_text(i).strip() for i in items] == ["hello there", "ok"]


def test_forward_store_sends_both(client, script):
    s = script(up.either("ok"))
    client.complete(s.under("keeper"), store=True, metadata={"k": "v"}).ok()
    assert s.request.json["store"] is True and s.request.json["metadata"] == {"k": "v"}


def test_unstored_is_the_default(client, script):
    s = script(up.either("ok"))
    reply = client.complete(s.model).ok()
    if "x-run-id" in reply.headers:
        client.get(f"/v1/runs/{reply.headers['x-run-id']}").error(404)
    assert "x-conversation-id" not in reply.headers


# --- usage ----------------------------------------------------------------------------------------


def test_usage_that_was_not_asked_for_does_not_come(client, script):
    nulls = [up.data({**up.chunk({"content": c}), "usage": None}) for c in "ab"]
    s = script(up.sse(), *nulls, *up.ending())
    with client.complete_stream(s.model) as stream:
        answer = stream.openai()
    assert answer.text == "ab"
    assert s.request.json["stream_options"]["include_usage"] is True, "the gateway counts"
    for chunk in answer.chunks:
        assert "usage" not in chunk and chunk["choices"]


def test_usage_that_was_asked_for_is_the_last_chunk(client, script):
    s = script(*up.stream("a", "b"))
    options = {"include_usage": True, "include_obfuscation": False}
    with client.complete_stream(s.model, stream_options=options) as stream:
        answer = stream.openai()
    assert answer.chunks[-1]["choices"] == [] and answer.chunks[-1]["usage"] == up.USAGE
    assert s.request.json["stream_options"] == options


def test_other_stream_options_are_kept(client, script):
    s = script(*up.stream("a"))
    options = {"include_obfuscation": False, "continuous_usage_stats": True,
               "include_usage": False}
    with client.complete_stream(s.model, stream_options=options) as stream:
        answer = stream.openai()
    assert s.request.json["stream_options"] == {**options, "include_usage": True}
    assert answer.usage is None


def test_usage_with_text_in_one_chunk_keeps_the_text(client, script):
    """Mistral sends usage in the last chunk that has a choice."""
    s = script(up.sse(), up.role(), up.data({**up.chunk({"content": "x"}, "stop"),
                                             "usage": up.USAGE}), up.data("[DONE]"), up.end())
    with client.complete_stream(s.model) as stream:
        answer = stream.openai()
    assert answer.text == "x" and answer.usage is None and answer.finish_reason == "stop"


def test_no_stream_options_in_a_plain_call(client, script):
    s = script(up.either("ok"))
    client.complete(s.model).ok()
    assert "stream_options" not in s.request.json


def test_echo_counts_words(client):
    value = client.complete("echo", [{"role": "user", "content": "one two three"}]).ok().json
    assert value["usage"] == {**value["usage"], "prompt_tokens": 3, "completion_tokens": 3,
                              "total_tokens": 6}
    empty = client.complete("echo", [{"role": "user", "content": ""}]).ok().json
    assert empty["usage"]["completion_tokens"] == 1, "at least 1"


# --- headers --------------------------------------------------------------------------------------


def test_no_header_of_the_client_leaks_upstream(shared, client, script):
    s = script(up.either("ok"))
    client.post(PATH, {"model": s.model, "messages": [{"role": "user", "content": "x"}]}, headers={
        "Authorization": f"Bearer sk-{CANARY}-client", "x-api-key": f"{CANARY}-2",
        "api-key": f"{CANARY}-3", "Cookie": f"session={CANARY}-4",
        "OpenAI-Organization": f"{CANARY}-5", "OpenAI-Project": f"{CANARY}-6",
        "X-Stainless-Lang": f"{CANARY}-7", "X-Stainless-Retry-Count": "0",
        "X-Forwarded-For": "203.0.113.9", "Origin": shared.url,
        "Referer": f"http://{CANARY}-9/", "User-Agent": "not-for-providers/1.0",
        "Idempotency-Key": f"{CANARY}-11"}).ok()
    got = s.request
    assert got.header("authorization") == f"Bearer {UPSTREAM_KEY}"
    others = [(n, v) for n, v in got.headers if n != "authorization"]
    assert not [h for h in others if CANARY in h[1] or "not-for-providers" in h[1]], others
    assert not [n for n, _ in others if n.startswith(("x-stainless", "x-forwarded", "cookie",
                                                       "origin"))]
    assert got.header("content-type") == "application/json"
    assert got.header("host") == f"127.0.0.1:{s.wait().upstream.port}"
    assert got.header("content-length") == str(len(got.body))


def test_no_key_is_sent_where_none_is_configured(client, script):
    s = script(up.either("ok"))
    client.complete(s.under("older")).ok()
    assert s.request.header("authorization") is None


def test_large_bodies_go_upstream_without_expect(client, script):
    s = script(up.either("ok"))
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 3_000_000}}
    client.complete(s.model, [{"role": "user", "content": [image]}]).ok()
    assert s.request.header("expect") is None
    assert s.request.json["messages"][0]["content"][0] == image


def test_headers_of_the_provider_do_not_leak_down(client, script):
    s = script(up.reply(up.completion("ok"), headers=[
        ("Set-Cookie", "a=b"), ("Server", "theirs"), ("x-request-id", "req_theirs"),
        ("Access-Control-Allow-Origin", "*"), ("Alt-Svc", "h3"), ("X-Secret", "s")]))
    headers = client.complete(s.model).ok().headers
    assert headers["x-request-id"] != "req_theirs"
    for name in ("set-cookie", "alt-svc", "x-secret", "access-control-allow-origin"):
        assert name not in headers
    assert headers.get("server") != "theirs"


@pytest.mark.parametrize("prefix, expected", [
    ("older", {"max_tokens": "max_tokens", "max_completion_tokens": "max_tokens"}),
    ("newer", {"max_tokens": "max_completion_tokens",
               "max_completion_tokens": "max_completion_tokens"}),
    ("t", {"max_tokens": "max_tokens", "max_completion_tokens": "max_completion_tokens"})])
def test_the_max_tokens_field_is_the_providers(client, script, prefix, expected):
    for given, wanted in expected.items():
        s = script(up.either("ok"))
        client.complete(s.under(prefix), **{given: 17}).ok()
        got = {k: v for k, v in s.request.json.items() if k.startswith("max_")}
        assert got == {wanted: 17}, f"{given} at {prefix}"


# --- checks ---------------------------------------------------------------------------------------


CALLED = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}


@pytest.mark.parametrize("role", ["developer", "system", "user", "assistant", "tool", "function"])
def test_openais_roles_pass(client, script, role):
    s = script(up.either("ok"))
    message = {"role": role, "content": "x", **({"tool_call_id": "c"} if role == "tool" else {"name": "f"})}
    messages = [*([CALLED] if role == "tool" else []), message]
    client.complete(s.model, messages).ok()
    assert s.request.json["messages"] == messages


BAD = [
    ({"messages": [{"role": "robot", "content": "x"}]}, "messages[0].role"),
    ({"messages": [{"role": "computer", "content": "x"}]}, "messages[0].role"),
    ({"messages": [{"content": "x"}]}, "messages[0].role"),
    ({"messages": [{"role": None, "content": "x"}]}, "messages[0].role"),
    ({"messages": [{"role": 1, "content": "x"}]}, "messages[0].role"),
    ({"messages": [{"role": "user\0", "content": "x"}]}, "messages[0].role"),
    ({"messages": [{"role": "user", "content": "x"}, "text"]}, "messages[1]"),
    ({"messages": [None]}, "messages[0]"),
    ({"messages": []}, "messages"),
    ({"messages": "x"}, "messages"),
    ({"messages": {}}, "messages"),
    ({"messages": None}, "messages"),
    ({"messages": [{"role": "user", "content": "x"}] * 2049}, "messages"),
    ({}, "messages"),
    ({"messages": [{"role": "user", "content": "x"}], "model": 5}, "model"),
    ({"messages": [{"role": "user", "content": "x"}], "model": ""}, "model"),
    ({"messages": [{"role": "user", "content": "x"}], "model": "echo\0x"}, "model"),
    ({"messages": [{"role": "user", "content": "x"}], "stream": "yes"}, "stream"),
    ({"messages": [{"role": "user", "content": "x"}], "store": 1}, "store"),
    ({"messages": [{"role": "user", "content": "x"}], "stream": True, "stream_options": 1},
     "stream_options"),
]


@pytest.mark.parametrize("body, param", BAD, ids=[f"{i}-{p}" for i, (_, p) in enumerate(BAD)])
def test_what_is_checked_is_refused_at_its_path(client, body, param):
    body = {"model": "echo", **body}
    reply = client.post(PATH, body)
    if param == "model" and reply.status == 404:
        reply.error(404, "model_not_found", "model")
    else:
        reply.error(400, param=param)


def test_an_unknown_model_is_404(client):
    error = client.complete("nobody").error(404, "model_not_found", "model")
    assert "nobody" in error["message"]


@pytest.mark.parametrize("body", [{"temperature": 99}, {"presence_penalty": -9}, {"tools": "x"}, {"seed": 2**64},
                                  {"max_tokens": None, "stop": None, "stream": None}])
def test_what_the_provider_checks_is_left_to_it(client, script, body):
    wrong = [name for name in ("logprobs", "tools") if name in body]
    s = script(up.either("ok"), allows={f"types {name}": "the provider's to refuse" for name in wrong})
    client.complete(s.model, **body).ok()
    got = s.request.json
    for key, value in body.items():
        if key != "stream":
            assert got.get(key) == value


# --- what providers do wrong ----------------------------------------------------------------------


ERROR = {"error": {"message": "too long", "type": "invalid_request_error", "param": "messages",
                   "code": "context_length_exceeded"}}


@pytest.mark.parametrize("status", [400, 404, 413, 422, 429])
@pytest.mark.parametrize("stream", [False, True])
def test_the_providers_refusals_pass(client, script, status, stream):
    s = script(up.reply(ERROR, status, headers=[("Retry-After", "7")] if status == 429 else []))
    reply = client.post(PATH, {"model": s.model, "stream": stream,
                               "messages": [{"role": "user", "content": "x"}]})
    error = reply.error(status, "context_length_exceeded", type="invalid_request_error")
    assert error["message"] == "too long"
    if status == 429:
        assert reply.headers["retry-after"] == "7"
        assert len(s.exchanges) == 1, "a wait of 7 s is left to the client"


FAULTS = [
    ("401", [up.reply({"error": {"message": "bad key sk-abcdef1234567890"}}, 401)], 403,
     "upstream_auth_failed"),
    ("403", [up.reply({"error": {"message": "no"}}, 403)], 403, "upstream_denied"),
    ("500", [up.reply({"error": {"message": "oops"}}, 500)], 502, None),
    ("500 html", [up.reply(b"<html>oops</html>", 500, "text/html")], 502, None),
    ("503", [up.reply({"error": {"message": "busy"}}, 503)], (502, 503), None),
    ("302", [up.reply(b"", 302, headers=[("Location", "http://127.0.0.1:9/")])], 502, None),
    ("html", [up.reply(b"<html>hi</html>", 200, "text/html")], 502, "upstream_bad_response"),
    ("broken json", [up.reply(b'{"choices":[')], 502, "upstream_bad_response"),
    ("empty body", [up.reply(b"")], 502, "upstream_bad_response"),
    ("json array", [up.reply([])], 502, "upstream_bad_response"),
    ("no choices", [up.reply({"id": "x"})], 502, "upstream_bad_response"),
    ("empty choices", [up.reply({**up.completion(), "choices": []})], 502,
     "upstream_bad_response"),
    ("choices of a wrong type", [up.reply({**up.completion(), "choices": {"a": 1}})], 502,
     "upstream_bad_response"),
    ("message of a wrong type",
     [up.reply({**up.completion(), "choices": [{"index": 0, "message": "hi"}]})], 502,
     "upstream_bad_response"),
    ("hangs up at once", [up.hang_up()], 502, None),
    ("resets at once", [up.hang_up(True)], 502, None),
    ("hangs up in the head", [up.raw(b"HTTP/1.1 200 OK\r\nContent-"), up.hang_up()], 502, None),
    ("hangs up in the body",
     [up.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"choices\""), up.hang_up()], 502,
     None),
    ("no HTTP", [up.raw(b"SSH-2.0-OpenSSH_9\r\n\r\n"), up.hang_up()], 502, None),
    ("gzip that was not asked for",
     [up.reply(b"\x1f\x8b\x08\x00\x00", headers=[("Content-Encoding", "gzip")])], 502, None),
    ("deep json", [up.reply(b'{"choices":' + b"[" * 5000 + b"]" * 5000 + b"}")], 502,
     "upstream_bad_response"),
    ("bad utf-8", [up.reply(b'{"choices":[{"index":0,"message":{"role":"assistant",'
                            b'"content":"\xff"},"finish_reason":"stop"}]}')], 502,
     "upstream_bad_response"),
    ("204", [up.raw(b"HTTP/1.1 204 No Content\r\n\r\n")], 502, None),
]


@pytest.mark.parametrize("steps, status, code", [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_failing_provider_is_a_real_status(client, script, steps, status, code, stream):
    s = script(*steps)
    reply = client.post(PATH, {"model": s.model, "stream": stream,
                               "messages": [{"role": "user", "content": "x"}]})
    assert reply.status in (status if isinstance(status, tuple) else (status,)), repr(reply)
    error = reply.error(reply.status)
    assert error["type"] in ("upstream_error", "server_error"), repr(reply)
    if code and not (stream and code == "upstream_bad_response"):
        assert error["code"] == code, repr(reply)
    assert "sk-abcdef" not in error["message"], "a key in the message"
    assert "127.0.0.1" not in error["message"], "an address in the message"


@pytest.mark.parametrize("status", [None, 400])
def test_an_error_inside_a_good_answer_is_an_error(client, script, status):
    s = script(up.reply({"error": {"message": "busy", "type": "server_error",
                                   **({"code": status} if status else {})}}))
    reply = client.complete(s.model)
    reply.error(status or 502)


def test_a_provider_that_is_not_there(client):
    client.complete("dead/x").error(502, "upstream_connect_failed")
    client.chat("hi", model="dead/x").error(502, "upstream_connect_failed")


def test_secrets_in_the_providers_error_are_scrubbed(client, script):
    s = script(up.reply({"error": {"message": f"Incorrect API key provided: {UPSTREAM_KEY}.",
                                   "type": "invalid_request_error", "code": "x"}}, 400))
    assert CANARY not in client.complete(s.model).error(400)["message"]


def test_a_wrong_content_type_of_a_good_answer_is_tolerated(client, script):
    s = script(up.reply(up.completion("ok"), content_type="text/plain"))
    assert client.complete(s.model).status in (200, 502)


def test_an_answer_in_many_packets(client, script):
    content = json.dumps(up.completion("häß\U0001f600" * 20), ensure_ascii=False).encode()

    def step(x):
        x.send(up.head(200, [("Content-Type", "application/json"),
                             ("Content-Length", len(content))]))
        for i in range(len(content)):
            x.send(content[i:i + 1])
    s = script(up.call(step))
    assert client.complete(s.model).ok().text == "häß\U0001f600" * 20
