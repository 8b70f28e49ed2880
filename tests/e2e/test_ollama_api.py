"""Ollama's API for any model, with Ollama's own client, pinned and unmodified, whose types read every answer."""

import base64
import json
import re

import ollama
import pytest

import keys
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider
from wires import USAGE, WIRES

HELLO = [{"role": "user", "content": "Hello, big world"}]
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(16)).decode()
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "The weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]
WEATHER = {"function": {"name": "weather", "arguments": {"city": "X"}}}
DURATIONS = {"total_duration", "load_duration", "prompt_eval_duration", "eval_duration"}
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def asked(model, messages=None, **more):
    return {"model": model, "messages": messages or HELLO, **more}


def checked(answer, done):
    """It has the members that Ollama's own server gives it, and no other."""
    known = {"model", "created_at", "done", "message"} | (
        {"done_reason", "prompt_eval_count", "eval_count", *DURATIONS} if done else set())
    assert set(answer) == known and answer["done"] is done and STAMP.fullmatch(answer["created_at"]), answer
    assert all(answer[d] > 0 for d in DURATIONS & set(answer)), answer
    assert set(answer["message"]) <= {"role", "content", "thinking", "tool_calls"}, answer
    ollama.ChatResponse(**answer)
    return answer


class Said:
    """A stream of lines."""

    def __init__(self, client, body, headers=None):
        with client.stream("/api/chat", body, headers) as stream:
            assert stream.status == 200, stream.reply()
            assert stream.headers["content-type"] == "application/x-ndjson"
            self.headers, text = stream.headers, b"".join(stream.pieces).decode()
        lines = [json.loads(line) for line in text.splitlines()]
        self.error = lines.pop()["error"] if "error" in lines[-1] else None
        self.lines = [checked(line, self.error is None and line is lines[-1]) for line in lines]
        self.messages = [line["message"] for line in lines]
        self.text = "".join(m["content"] for m in self.messages)
        self.thinking = "".join(m.get("thinking", "") for m in self.messages)
        self.calls = [c for m in self.messages for c in m.get("tool_calls", [])]
        self.last = self.lines[-1] if self.lines else None


def whole(client, body):
    return checked(client.post("/api/chat", {**body, "stream": False}).ok().json, True)


def refused(reply, status, begins=""):
    error = reply.ok(status).json
    assert set(error) == {"error"} and error["error"].startswith(begins), error
    return error["error"]


@pytest.fixture
def sdk(shared):
    return ollama.Client(shared.url)


# --- the client -----------------------------------------------------------------------------------


def test_the_client(sdk, shared):
    for model in ("echo", "echo:latest"):
        assert sdk.chat(model, HELLO).message.content == "Hello, big world"
        pieces = list(sdk.chat(model, HELLO, stream=True))
        assert [p.message.content for p in pieces] == ["Hello, ", "big ", "world", ""]
        assert pieces[-1].done_reason == "stop" and pieces[-1].eval_count == 3
        assert sdk.generate(model, "Hello").response == "Hello"
        assert [p.response for p in sdk.generate(model, "Hello", stream=True)] == ["Hello", ""]
        assert sdk.show(model).capabilities == ["completion", "vision"]
        assert [len(v) for v in sdk.embed(model, ["a", "b"], dimensions=3).embeddings] == [3, 3]
        assert len(sdk.embeddings(model, "a").embedding) > 3
        assert (sdk.generate(model).done_reason, sdk.chat(model, keep_alive=0).done_reason) == ("load", "unload")
        assert (sdk.embed(model).embeddings, sdk.embed(model, []).embeddings, sdk.embeddings(model).embedding) == ([], [], [])
    assert "echo:latest" in [m.model for m in sdk.list().models]
    assert sdk.ps().models == []
    for call in (sdk.pull, sdk.push, sdk.delete, lambda m: sdk.copy(m, "b"), lambda m: sdk.create(m, from_="b")):
        with pytest.raises(ollama.ResponseError, match="operator's") as caught:
            call("a")
        assert caught.value.status_code == 400
    for call in (lambda m: sdk.chat(m, HELLO), lambda m: list(sdk.chat(m, HELLO, stream=True)), sdk.show, sdk.generate,
                 lambda m: sdk.generate(m, "x"), lambda m: sdk.embed(m, "x"), sdk.embed, sdk.embeddings):
        with pytest.raises(ollama.ResponseError, match="nobody") as caught:
            call("nobody")
        assert caught.value.status_code == 404


def test_a_client_that_runs_functions(sdk, script):
    """It keeps no ids of calls, and tells of a result by the function's name."""
    calls = [{"id": f"c{i}", "type": "function", "function": {"name": "weather", "arguments": json.dumps({"city": city})}}
             for i, city in enumerate("XY")]
    s = script(up.in_turn(up.reply(up.completion(message={"role": "assistant", "content": None, "tool_calls": calls},
                                                 finish="tool_calls")), up.reply(up.completion("Rain"))))
    messages = [*HELLO]
    answer = sdk.chat(s.model, messages, tools=TOOLS)
    messages.append(answer.message)
    for call in answer.message.tool_calls:
        messages.append({"role": "tool", "tool_name": call.function.name, "content": f"wet in {call.function.arguments['city']}"})
    assert sdk.chat(s.model, messages, tools=TOOLS).message.content == "Rain"
    sent = s.wait(2).request.json["messages"]
    assert [(c["id"], c["function"]) for c in sent[1]["tool_calls"]] == [
        (f"ollama_{i}", {"name": "weather", "arguments": f'{{"city":"{city}"}}'}) for i, city in enumerate("XY", 1)]
    assert sent[2:] == [{"role": "tool", "tool_call_id": f"ollama_{i}", "content": f"wet in {city}"}
                        for i, city in enumerate("XY", 1)]
    assert s.request.json["tools"] == TOOLS


@pytest.mark.parametrize("status", [400, 404, 429, 500])
def test_a_provider_that_refuses(sdk, script, status):
    s = script(up.reply({"error": {"message": "no such luck", "type": "t"}}, status))
    for stream in (False, True):
        with pytest.raises(ollama.ResponseError, match="no such luck") as caught:
            list(sdk.chat(s.model, HELLO, stream=stream))
        assert caught.value.status_code == {500: 502}.get(status, status)


def test_a_stream_that_breaks(sdk, client, script):
    s = script(up.sse(), up.role(), up.text("so far"), up.hang_up())
    seen = []
    with pytest.raises(ollama.ResponseError, match="closed"):
        for piece in sdk.chat(s.model, HELLO, stream=True):
            seen.append(piece.message.content)
    said = Said(client, asked(s.model))
    assert (seen, said.text) == (["so far"], "so far") and "closed" in said.error


# --- keys and paths -------------------------------------------------------------------------------


def test_keys(start):
    gateway = start(args=["--admin-listen", "127.0.0.1:0"])
    key = keys.known(gateway, keys.make(gateway))["key"]
    with Client(gateway.url) as client:
        for call in (lambda h: client.post("/api/chat", asked("echo", stream=False), headers=h),
                     lambda h: client.get("/api/tags", headers=h), lambda h: client.post("/api/show", {"model": "echo"}, headers=h)):
            call({"authorization": f"Bearer {key}"}).ok()
            refused(call({}), 401)
        client.get("/api/version").ok()


def test_paths(client):
    for agent, status in (("ollama-python/0.6.3 (x86_64 linux)", 200), ("ollama/0.12", 200), ("Mozilla/5.0 ollama", 404)):
        for method in ("GET", "HEAD"):
            reply = client.http.request(method, "/", headers={"user-agent": agent})
            assert reply.status_code == (200 if method == "HEAD" else status) and "User-Agent" in reply.headers["vary"]
            assert (reply.text == "Ollama is running") == (method == "GET" and status == 200)
    for kind in ({}, {"content-type": "application/x-www-form-urlencoded"}):  # as curl sends it
        answer = client.http.post("/api/chat", content=json.dumps(asked("echo", stream=False)), headers=kind)
        assert answer.json()["message"]["content"] == "Hello, big world"
    assert client.http.post("/api/chat", content="{", headers=kind).status_code == 400
    assert client.http.post("/api/chat", content=json.dumps(asked("echo")), headers={"origin": "https://e.xample"}).status_code == 403
    assert refused(client.get("/api/other"), 404, "unknown URL; of Ollama's API there are")
    assert refused(client.get("/api/chat"), 405)
    assert refused(client.post("/api/blobs/sha256:00", {}), 400, "models are the operator's")


def test_names_and_tags(start, upstream, script):
    s = script(up.reply(up.completion("ok")))
    gateway = start({"providers": [provider(upstream, "p")], "models": [
        {"name": n, "provider": "p", "upstream_model": s.name, **more} for n, more in (
            ("bare", {"context_window": 4096, "reasons": True}), ("own:latest", {}), ("own:8b", {}), ("nomic-embed", {}))]
        + [{"name": "s/*", "provider": "p"}]})
    with Client(gateway.url) as client:
        named = {m["name"]: m for m in client.get("/api/tags").ok().json["models"]}
        assert {"bare:latest", "own:latest", "own:8b", "nomic-embed:latest", "echo:latest"} <= set(named)
        assert named["bare:latest"]["details"]["context_length"] == 4096 and "context_length" not in named["own:8b"]["details"]
        assert named["nomic-embed:latest"]["capabilities"] == ["embedding"]
        for name in ("bare", "bare:latest", "own", "own:latest", "own:8b", s.under("s"), f"{s.under('s')}:latest"):
            whole(client, asked(name))
            assert s.exchanges[-1].request.json["model"] == s.name
        for name in ("bare:8b", "own:7b", "none:latest"):
            refused(client.post("/api/chat", asked(name)), 404, f"model not found: the model '{name}'")
        shown = client.post("/api/show", {"name": "bare"}).ok().json
        assert shown["model_info"] == {"general.architecture": "parley", "general.basename": "bare", "parley.context_length": 4096}
        assert shown["capabilities"] == ["completion", "tools", "vision", "thinking"]
        assert client.post("/api/show", {"model": "nomic-embed"}).ok().json["capabilities"] == ["embedding"]


# --- the request ----------------------------------------------------------------------------------


def test_every_member_is_translated_or_told(client, script):
    s = script(up.reply(up.completion("ok")))
    reply = client.post("/api/chat", asked(
        s.model, [{"role": "system", "content": "be brief"}, {"role": "user", "content": "look", "images": [PNG, f"data:image/png;base64,{PNG}"]},
                  {"role": "assistant", "content": "well", "thinking": "hm"}, {"role": "user", "content": "a\nb", "images": []}],
        stream=False, tools=TOOLS, format=TOOLS[0]["function"]["parameters"], think="high", keep_alive="5m", truncate=False,
        logprobs=True, shift=True, other=1, none=None, no=False,
        options={"temperature": 0.5, "top_p": 0.9, "top_k": 40.0, "seed": 3, "presence_penalty": 0.1, "frequency_penalty": 0.2,
                 "num_predict": 50, "stop": list("abcdef"), "num_ctx": 4096, "mirostat": None})).ok()
    got = s.request.json
    assert got.pop("max_completion_tokens", None) or got.pop("max_tokens") == 50
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    assert got == {
        "model": s.name, "temperature": 0.5, "top_p": 0.9, "seed": 3, "presence_penalty": 0.1, "frequency_penalty": 0.2,
        "stop": list("abcd"), "tools": TOOLS, "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "look"}, image, image]},
            {"role": "assistant", "content": "well", "reasoning_content": "hm"}, {"role": "user", "content": "a\nb"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "output", "schema": TOOLS[0]["function"]["parameters"]}}}
    told = [w["message"] for w in json.loads(reply.headers["x-parley-warnings"])]
    for word in ("top_k", "stop", "think", "num_ctx", "logprobs", "other"):
        assert [word in t for t in told].count(True) == 1, (word, told)
    assert len(told) == 6
    # A bound below 1 is none, and a format may be a word.
    client.post("/api/chat", asked(s.model, format="json", stream=False, options={"num_predict": -1, "stop": "x"})).ok()
    got = s.exchanges[-1].request.json
    assert (got["response_format"], got["stop"]) == ({"type": "json_object"}, ["x"]) and not {"max_tokens", "max_completion_tokens"} & set(got)


def test_a_prompt(client, script):
    s = script(up.reply(up.completion("ok")))
    body = {"model": s.model, "prompt": "look", "stream": False}
    reply = client.post("/api/generate", {**body, "system": "be brief", "images": [PNG], "template": "x", "raw": False, "suffix": ""}).ok()
    assert s.request.json["messages"] == [{"role": "system", "content": "be brief"}, {"role": "user", "content": [
        {"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]}]
    assert ["template" in w["message"] for w in json.loads(reply.headers["x-parley-warnings"])] == [True]
    assert reply.json["response"] == "ok" and set(ollama.GenerateResponse(**reply.json).model_dump(exclude_none=True)) == set(reply.json)
    for name, value in (("raw", True), ("suffix", "x"), ("context", [1, 2])):
        refused(client.post("/api/generate", {**body, name: value}), 400, f"{name}: ")
    for image in ("AAAA", PNG + '"},{"type":"text","text":"x', PNG[:-1] + "\\", "data:image/png;base64,?"):
        refused(client.post("/api/generate", {**body, "images": [image]}), 400, "images[0]: ")
    broken = script(up.reply({"error": {"message": "bad", "param": "messages[0].content"}}, 400))
    refused(client.post("/api/generate", {**body, "model": broken.model}), 400)


def call(name, **more):
    return {"function": {"name": name, "arguments": {}}, **more}


def result(n, **more):
    return {"role": "tool", "content": str(n), **more}


def test_calls_are_paired_with_their_results(client, script):
    s = script(up.reply(up.completion("ok")))
    client.post("/api/chat", asked(s.model, [
        *HELLO, {"role": "assistant", "content": "", "tool_calls": [call("f"), call("g", id="x"), call("f")]},
        result(1, tool_call_id="x"), result(2, tool_name="f"), result(3), {"role": "user", "content": "so"},
        {"role": "assistant", "tool_calls": [call("f"), call("h")]}, result(4, name="h"), result(5)], stream=False)).ok()
    sent = s.request.json["messages"]
    assert [c["id"] for c in sent[1]["tool_calls"]] == ["ollama_1", "x", "ollama_2"] and sent[1]["content"] is None
    assert [(m["tool_call_id"], m["content"]) for m in sent if m["role"] == "tool"] == [
        ("x", "1"), ("ollama_1", "2"), ("ollama_2", "3"), ("ollama_4", "4"), ("ollama_3", "5")]


@pytest.mark.parametrize("more, path", [
    ({"messages": 1}, "messages"), ({"messages": [1]}, "messages[0]"), ({"messages": [{"content": "x"}]}, "messages[0].role"),
    ({"messages": [{"role": "robot"}]}, "messages[0].role"), ({"messages": [{"role": "user", "content": [1]}]}, "messages[0].content"),
    ({"messages": [{"role": "user", "images": 1}]}, "messages[0].images"),
    ({"messages": [*HELLO, {"role": "user", "images": [PNG, "AAAA"]}]}, "messages[1].images[1]"),
    ({"messages": [{"role": "system", "images": [PNG]}]}, "messages[0].images"),
    ({"messages": [*HELLO, result(1)]}, "messages[1]"), ({"messages": [{"role": "assistant", "tool_calls": [{}]}]}, "messages[0].tool_calls[0].function.name"),
    ({"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": 1}}]}]},
     "messages[0].tool_calls[0].function.arguments"), ({"messages": [{"role": "assistant", "thinking": 1}]}, "messages[0].thinking"),
    ({"tools": [{}]}, "tools[0].function"), ({"tools": [{"function": {}}]}, "tools[0].function.name"), ({"format": "xml"}, "format"),
    ({"think": "hard"}, "think"), ({"options": 1}, "options"), ({"stream": "no"}, "stream"),
    *(({"options": {k: v}}, f"options.{k}") for k, v in (("top_k", 1.5), ("temperature", "1"), ("num_predict", "x"), ("stop", 1))),
    ({"options": {"stop": [1]}}, "options.stop[0]"),
])
def test_the_path_of_what_is_wrong(client, more, path):
    refused(client.post("/api/chat", {**asked("echo"), **more}), 400, f"{path}: ")


def test_efforts(start, upstream, script):
    s = script(up.either("ok"))
    gateway = start({"providers": [provider(upstream, "p")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "reasons": True, "max_output": 40}]})
    with Client(gateway.url) as client:
        for think, effort in ((False, "none"), (True, "medium"), ("low", "low"), ("high", "high"), (None, None)):
            whole(client, asked("m", think=think, options={"num_predict": 99}))
            sent = s.exchanges[-1].request.json
            assert sent.get("reasoning_effort") == effort and 40 in sent.values(), think


# --- the answer -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dialects(start_once, upstream):
    return start_once({
        "providers": [provider(upstream, w.dialect, dialect=w.dialect, api_key_env="TEST_UPSTREAM_KEY") for w in WIRES],
        "models": [{"name": f"{w.dialect}/*", "provider": w.dialect} for w in WIRES],
    }, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})


@pytest.mark.parametrize("wire", WIRES, ids=lambda w: w.dialect)
def test_every_dialect(dialects, script, wire):
    with Client(dialects.url) as client:
        def model(steps):
            return script(steps).under(wire.dialect)

        for answer, text in ((Said(client, asked(model(wire.say("Hel", "lo ü\n", '"x"')))).last, ""),
                             (whole(client, asked(model(wire.whole("ok")))), "ok")):
            assert (answer["message"], answer["done_reason"]) == ({"role": "assistant", "content": text}, "stop")
            assert (answer["prompt_eval_count"], answer["eval_count"]) == USAGE
        assert Said(client, asked(model(wire.say("Hel", "lo ü\n", '"x"')))).text == 'Hello ü\n"x"'

        args = {"city": 'Köln "K"'}
        for made in (Said(client, asked(model(wire.call("weather", "c1", args)), tools=TOOLS)).calls,
                     whole(client, asked(model(wire.whole_call("weather", "c1", args)), tools=TOOLS))["message"]["tool_calls"]):
            assert [c["function"] for c in made] == [{"index": 0, "name": "weather", "arguments": args}] and made[0]["id"]

        for think, thinking in ((None, "hm"), (False, "")):
            said = Said(client, asked(model(wire.say("ok", reasoning="hm")), think=think))
            assert (said.text, said.thinking) == ("ok", thinking)
            message = whole(client, asked(model(wire.whole("ok", reasoning="hm")), think=think))["message"]
            assert (message["content"], message.get("thinking", "")) == ("ok", thinking)

        said = Said(client, asked(model(wire.cut("so far"))))
        assert said.text == "so far" and said.error


def test_what_only_ollama_has_reaches_ollama(dialects, script):
    wire = next(w for w in WIRES if w.dialect == "ollama")
    own = {"options": {"num_ctx": 4096, "top_k": 4, "min_p": 0.1, "stop": list("abcdef"), "num_predict": 9, "temperature": 0.5},
           "think": "low", "truncate": True, "format": {"type": "object"}, "tools": TOOLS}
    with Client(dialects.url) as client:
        s = script(wire.whole("ok"))
        messages = [*HELLO, {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [WEATHER]}, result(1, tool_name="weather")]
        reply = client.post("/api/chat", asked(s.under("ollama"), messages, stream=False, **own)).ok()
        assert "x-parley-warnings" not in reply.headers
        sent = s.request.json
        assert {k: sent[k] for k in own} == own
        assert sent["messages"] == [*HELLO, {**messages[1], "tool_calls": [{"id": "ollama_1", **WEATHER}]},
                                    {**messages[2], "tool_call_id": "ollama_1"}]


def test_a_character_that_was_cut_in_two_comes_whole(sdk, client, script):
    pieces = ['a\\ud83d', '\\ude00b', '\\\\ud83d', '\\ud83d', '\\ude00', '\\uD83D', 'c', '\\ud83d']
    s = script(up.sse(), up.role(), *(up.body(b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % p.encode()) for p in pieces),
               *up.ending())
    assert "".join(p.message.content for p in sdk.chat(s.model, HELLO, stream=True)) == "a😀b\\ud83d😀\ufffdc\ufffd"
    assert Said(client, asked(s.model)).text == "a😀b\\ud83d😀\ufffdc\ufffd"


def test_calls_that_take_turns_come_whole_and_in_their_order(client, script):
    starts = [{"index": i, "id": f"call_{i}", "type": "function", "function": {"name": f"f{i}", "arguments": ""}} for i in range(2)]
    turns = [(0, '{"a"'), (1, '{"b":'), (0, ":1"), (1, "[2"), (1, "]}"), (0, "}")]
    s = script(up.sse(), up.role(), up.text("Wait"), *(up.data(up.chunk({"tool_calls": [p]})) for p in [
        *starts, *({"index": i, "function": {"arguments": text}} for i, text in turns)]), *up.ending("tool_calls"))
    assert Said(client, asked(s.model)).calls == [
        {"id": "call_0", "function": {"index": 0, "name": "f0", "arguments": {"a": 1}}},
        {"id": "call_1", "function": {"index": 1, "name": "f1", "arguments": {"b": [2]}}}]


def test_the_end_of_an_answer(client, script):
    for finish, word in (("length", "length"), ("content_filter", "content_filter"), ("tool_calls", "stop"), ("else", "stop")):
        assert whole(client, asked(script(up.reply(up.completion("x", finish))).model))["done_reason"] == word
    broken = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a'}}]}
    answer = whole(client, asked(script(up.reply(up.completion(message=broken, finish="length"))).model))
    assert answer["message"]["tool_calls"][0]["function"]["arguments"] == {"INVALID_JSON": '{"a'}


# --- what all families have -----------------------------------------------------------------------


def test_a_stored_answer(client, script):
    run = Said(client, asked(script(up.stream("so ", "it is")).model), {"x-parley-store": "true"}).headers["x-run-id"]
    shown = client.get(f"/v1/runs/{run}").ok().json
    assert shown["status"] == "completed"
    items = client.items(shown["conversation"])["data"]
    assert [i["role"] for i in items] == ["user", "assistant"] and "so it is" in json.dumps(items)
    refused(client.post("/api/chat", asked("echo"), headers={"x-parley-store": "x"}), 400, "x-parley-store: ")
    assert "x-conversation-id" not in client.post("/api/chat", asked("echo", stream=False)).ok().headers


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_key_gives_the_answer_again(client, script, stream):
    s = script(up.either("once"))
    head = {"Idempotency-Key": f"ollama-{s.name}"}
    first, again = (client.post("/api/chat", asked(s.model, stream=stream), headers=head).ok() for _ in range(2))
    assert again.body == first.body and again.headers["idempotency-replayed"] == "true" and len(s.exchanges) == 1
    refused(client.post("/api/generate", {"model": s.model, "prompt": "x"}, headers=head), 422)


def test_a_client_that_leaves_ends_the_call(client, script):
    s = script(up.sse(), up.role(), up.text("so far"), up.wait(up.Gate()), up.end())
    with client.stream("/api/chat", asked(s.model)) as stream:
        assert b"so far" in next(stream.pieces)
    s.exchanges[0].wait_closed()


def test_a_silent_stream_stays_lines(start, upstream, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("a"), up.wait(gate), up.text("b"), *up.ending())
    gateway = start({"providers": [provider(upstream, "p")], "keep_alive": "50ms",
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    got = ""
    for piece in ollama.Client(gateway.url).chat("m", HELLO, stream=True):
        got += piece.message.content
        gate.open()
    assert got == "ab"
    gate = up.Gate()
    s.steps = [up.sse(), up.role(), up.text("a"), up.wait(gate), up.text("b"), *up.ending()]
    with Client(gateway.url) as client, client.stream("/api/chat", asked("m")) as stream:
        raw = b""
        while not raw.endswith(b"  "):
            raw += next(stream.pieces)
        gate.open()
        raw += b"".join(stream.pieces)
    assert "".join(json.loads(line)["message"]["content"] for line in raw.splitlines()) == "ab"


# --- embeddings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", [w for w in WIRES if hasattr(w, "embeds")], ids=lambda w: w.dialect)
def test_embeddings_of_every_dialect(dialects, script, wire):
    with Client(dialects.url) as client:
        s = script(wire.vectors([0.5, -0.25], [1, 0]))
        reply = client.post("/api/embed", {"model": s.under(wire.dialect), "input": ["a", "b"], "dimensions": 2,
                                         "truncate": True, "options": {"num_ctx": 9}}).ok()
        got = reply.json
        assert got["embeddings"] == [[0.5, -0.25], [1, 0]] and got["total_duration"] > 0
        assert set(got) == {"model", "embeddings", "total_duration", "load_duration", "prompt_eval_count"}
        assert ("x-parley-warnings" in reply.headers) == (wire.dialect != "ollama")
        if wire.dialect == "ollama":
            assert (s.request.json["truncate"], s.request.json["options"]) == (True, {"num_ctx": 9})
        one = script(wire.vectors([0.5, -0.25]))
        assert client.post("/api/embeddings", {"model": one.under(wire.dialect), "prompt": "a"}).ok().json == {"embedding": [0.5, -0.25]}


def test_what_is_wrong_with_an_embedding(client):
    for path, body, at in (("embed", {"input": [1, 2]}, "input"), ("embed", {"input": ["a", 1]}, "input[1]"),
                           ("embeddings", {"prompt": ["a"]}, "prompt")):
        refused(client.post(f"/api/{path}", {"model": "echo", **body}), 400, at)


def test_an_answer_of_the_cache(start, upstream, script):
    s = script(up.reply(up.completion("so it is")))
    gateway = start({"providers": [provider(upstream, "p")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "cache": {"ttl": "10m"}}]})
    use = {"x-parley-cache": "use"}
    with Client(gateway.url) as client:
        def said(path, body):
            return client.post(path, {"model": "m", "stream": False, **body}, headers=use).ok()

        assert said("/api/chat", asked("m")).headers["x-parley-cache"] == "miss"
        again = said("/api/chat", asked("m:latest"))
        assert again.headers["x-parley-cache"] == "hit" and checked(again.json, True)["message"]["content"] == "so it is"
        assert Said(client, asked("m"), use).text == "so it is"
        assert said("/api/generate", {"prompt": HELLO[0]["content"]}).json["response"] == "so it is"
        assert len(s.exchanges) == 1
