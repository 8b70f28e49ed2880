"""Each way in and out with hooks: calls whole, streamed and in the background, stored and not, in every family's words;
and afterwards every route by which something can be read.  What a hook forbids is nowhere."""

import itertools
import json
import random
from urllib.parse import quote

import pytest

import upstream as up
from client import Client
from fixtures import provider
from hook import Hook, allow, files_of, forbids, masks
from test_hook_leaks import cut, fill, leaks
from waiting import wait_until
from wires import Gemini

WORD = "ŊĦŦĸ"


def chat(m, t, **more):
    return "/v1/chat", {"messages": [t], "config": {"model": m}, **more}


def completions(m, t, **more):
    return "/v1/chat/completions", {"model": m, "messages": [{"role": "user", "content": t}], **more}


def responses(m, t, **more):
    return "/v1/responses", {"model": m, "input": t, **more}


def rebyte(m, t, **more):
    return f"/api/sdk/p/demo/a/{quote(m, safe='')}/r", {"inputs": [{"messages": [{"role": "user", "content": t}]}], **more}


def gemini(m, t, verb="generateContent", **more):
    return f"/v1beta/models/{m}:{verb}", {"contents": [{"role": "user", "parts": [{"text": t}]}], **more}


def native(m):
    return m.replace("o/", "g/", 1)


def ollama(m, t, **more):
    return "/api/chat", {"model": m, "messages": [{"role": "user", "content": t}], "stream": False, **more}


def lmc(t):
    return [{"role": "user", "type": "message", "content": t}]


STREAM, ALONE = {"stream": True}, {"store": False}
WAYS = {
    "chat": lambda m, t: chat(m, t), "chat streamed": lambda m, t: chat(m, t, **STREAM),
    "chat alone": lambda m, t: chat(m, t, **ALONE), "chat alone streamed": lambda m, t: chat(m, t, **ALONE, **STREAM),
    "lmc": lambda m, t: ("/v1/chat", {"format": "lmc", "messages": lmc(t), "config": {"model": m}}),
    "lmc streamed": lambda m, t: ("/v1/chat", {"format": "lmc", "messages": lmc(t), "config": {"model": m}, **STREAM}),
    "lmc alone streamed": lambda m, t: ("/v1/chat", {"format": "lmc", "messages": lmc(t), "config": {"model": m}, **STREAM, **ALONE}),
    "completions stored": lambda m, t: completions(m, t, store=True),
    "completions stored streamed": lambda m, t: completions(m, t, store=True, **STREAM),
    "responses": lambda m, t: responses(m, t), "responses streamed": lambda m, t: responses(m, t, **STREAM),
    "responses alone streamed": lambda m, t: responses(m, t, **ALONE, **STREAM),
    "responses in the background": lambda m, t: responses(m, t, background=True),
    "responses in the background, streamed": lambda m, t: responses(m, t, background=True, **STREAM),
    "rebyte": lambda m, t: rebyte(m, t), "rebyte streamed": lambda m, t: rebyte(m, t, **STREAM),
    "rebyte later": lambda m, t: rebyte(m, t, blocking=False), "rebyte bare": lambda m, t: rebyte(m, t, contentOnly=True),
    "messages streamed": lambda m, t: ("/v1/messages", {"model": m, "max_tokens": 99, "messages": [
        {"role": "user", "content": t}], **STREAM}),
    "ollama": lambda m, t: ollama(m, t), "ollama streamed": lambda m, t: ollama(m, t, **STREAM),
    "ollama's prompt": lambda m, t: ("/api/generate", {"model": m, "prompt": t, "stream": False}),
    "ollama's prompt streamed": lambda m, t: ("/api/generate", {"model": m, "prompt": t}),
    "prompt": lambda m, t: ("/v1/completions", {"model": m, "prompt": t}),
    "gemini": lambda m, t: gemini(m, t), "gemini as an array": lambda m, t: gemini(m, t, "streamGenerateContent"),
    "gemini streamed": lambda m, t: gemini(m, t, "streamGenerateContent?alt=sse"),
    "gemini in its own words": lambda m, t: gemini(native(m), t),
    "gemini in its own words, as an array": lambda m, t: gemini(native(m), t, "streamGenerateContent"),
}
# What only goes in.
INWARDS = {
    "embeddings": lambda m, t: ("/v1/embeddings", {"model": m, "input": ["so", t]}),
    "ollama's embeddings": lambda m, t: ("/api/embed", {"model": m, "input": ["so", t]}),
    "count_tokens": lambda m, t: ("/v1/messages/count_tokens", {"model": m.replace("o/", "a/", 1), "messages": [
        {"role": "user", "content": t}]}),
    "input_tokens": lambda m, t: ("/v1/responses/input_tokens", {"model": m.replace("o/", "r/", 1), "input": t}),
    "countTokens": lambda m, t: gemini(native(m), t, "countTokens"),
    "embedContent": lambda m, t: (f"/v1beta/models/{m}:embedContent", {"content": {"parts": [{"text": "so"}, {"text": t}]}}),
    "batchEmbedContents": lambda m, t: (f"/v1beta/models/{m}:batchEmbedContents", {"requests": [
        {"content": {"parts": [{"text": p}]}} for p in ("so", t)]}),
}
LISTS = ("/v1/runs", "/v1/conversations", "/v1/chat/completions", "/v1/files", "/api/sdk/threads", "/v1/usage", "/metrics",
         "/v1/search?q=tea", "/v1/admin/runs", "/v1/admin/overview", "/v1/admin/log")
OF_CONVERSATION = ("", "/items", "/messages?format=native", "/messages?format=openai", "/messages?format=lmc", "/tree", "/export")
OF_RUN = ("/v1/runs/{}", "/v1/runs/{}/events", "/v1/runs/{}/events?format=lmc", "/v1/runs/{}/events?format=openai",
          "/v1/responses/{}", "/v1/responses/{}?stream=true", "/v1/responses/{}/input_items", "/v1/chat/completions/{}",
          "/v1/chat/completions/{}/messages", "/api/sdk/runs/{}", "/v1/admin/runs/{}")


@pytest.fixture(scope="module")
def hook():
    one = Hook()
    yield one
    one.close()


@pytest.fixture(scope="module")
def guarded(start_once, upstream, hook):
    gateway = start_once({
        "providers": [provider(upstream, "o", completions=True), provider(upstream, "a", "anthropic"),
                      provider(upstream, "r", "openai-responses"), provider(upstream, "g", "gemini")], "log_content": True,
        "models": [{"name": f"{name}/*", "provider": name} for name in "oarg"],
        "hooks": [hook.config(window=40, overlap=20)]})
    with Client(gateway.url) as client:
        yield gateway, client


def read_all(client):
    """(address, text) of everything that can be read."""
    for path in LISTS:
        if path == "/v1/admin/log":
            with client.http.stream("GET", path) as answer:
                yield path, next(answer.iter_text(), "")
        else:
            yield path, client.get(path).body.decode()
    for conversation in client.get("/v1/conversations?limit=100").ok().json["data"]:
        for what in OF_CONVERSATION:
            path = f"/v1/conversations/{conversation['id']}{what}"
            yield path, client.get(path).body.decode("utf-8", "replace")
        thread = f"/api/sdk/threads/{conversation['id']}"
        for path in (thread, f"{thread}/messages", f"{thread}/runs"):
            yield path, client.get(path).body.decode()
    for run in client.get("/v1/runs?limit=100").ok().json["data"]:
        for what in OF_RUN:
            path = what.format(run["id"].replace("run_", "resp_") if "responses" in what else run["id"])
            yield path, client.get(path).body.decode("utf-8", "replace")


def over(client):
    wait_until(lambda: not [r for r in client.get("/v1/runs?limit=100").ok().json["data"]
                            if r["status"] in ("queued", "running")], "the ends of all runs")


def test_what_is_forbidden_is_nowhere(guarded, hook, script):
    gateway, client = guarded
    rng = random.Random("ways")
    hook.judge = forbids(WORD)
    for name, way in WAYS.items():
        text = fill(rng, rng.randrange(120)) + WORD + fill(rng, 90)
        stream = [up.sse(), up.role(), *[up.text(p) for p in cut(text, rng)], *up.ending()]
        whole = up.completion(text)
        if name == "prompt":
            whole["choices"] = [{"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}]
        if "own words" in name:
            stream, whole = Gemini().say(*cut(text, rng)), Gemini().whole(text)
        s = script(lambda x, a=stream, b=whole: [step(x) for step in a] if up.streams(x.request) else (
            b if callable(b) else up.reply(b))(x))
        path, body = way(s.under("o"), "tell me of tea")
        said = client.post(path, body)
        assert said.status in (200, 202), (name, said)
        over(client)
        assert s.exchanges and not leaks(WORD, said.body.decode()), (name, said.body)
        # And on the way in.
        silent = script(allows=None)
        path, body = way(silent.under("o"), f"a {WORD} of tea")
        said = client.post(path, body)
        over(client)
        assert said.status >= 400 or "background" in name or name == "rebyte later", (name, said)
        assert not silent.exchanges and not leaks(WORD, said.body.decode()), name
    for name, way in INWARDS.items():
        silent = script(allows=None)
        path, body = way(silent.under("o"), f"a {WORD} of tea")
        said = client.post(path, body).ok(400)
        assert path.startswith("/api/") or said.error(400, "content_blocked"), name
        assert not silent.exchanges, name
    seen = 0
    for path, text in read_all(client):
        seen += "tea" in text
        assert not leaks(WORD, text), (path, text)
    assert seen > 100
    assert not leaks(WORD, "".join(gateway.lines)) and [line for line in gateway.lines if "content" in line]
    assert not [c for c in itertools.pairwise(WORD) if "".join(c).encode() in files_of(gateway.folder)]


@pytest.mark.parametrize("name", ["chat", "chat streamed", "lmc streamed", "responses streamed", "rebyte streamed",
                                  "completions stored", "responses in the background"])
def test_what_is_changed_is_changed_everywhere(guarded, hook, script, name):
    gateway, client = guarded
    rng = random.Random(name)
    hook.judge = masks(WORD, "kettle")
    text = (fill(rng, 90) + WORD + fill(rng, 90)).strip()
    s = script(up.either(text))
    path, body = WAYS[name](s.under("o"), f"a {WORD} of tea")
    said = client.post(path, body)
    over(client)
    assert "a kettle of tea" in json.dumps(s.request.json) and not leaks(WORD, said.body.decode())
    run = client.get("/v1/runs?limit=1").ok().json["data"][0]
    items = json.dumps(client.items(run["conversation"]), ensure_ascii=False)
    assert "a kettle of tea" in items and " ".join(text.replace(WORD, "kettle").split()) in " ".join(json.loads(
        json.dumps(items)).replace("\\n", "\n").split())
    # The turn after it, on each way of going on, and in a fork.
    again = script(up.either("so it is"))
    fork = client.post(f"/v1/conversations/{run['conversation']}/fork").ok().json["id"]
    for conversation in (run["conversation"], fork):
        client.post("/v1/chat", {"messages": ["go on"], "conversation": conversation, "config": {"model": again.under("o")}}).ok()
        assert not leaks(WORD, json.dumps(again.request.json, ensure_ascii=False))
    for path, text in read_all(client):
        assert not leaks(WORD, text), (path, text)
    hook.judge = lambda asked: allow()


EVERYWHERE = {
    "responses": {"instructions": "be a §", "metadata": {"a": "the §"}, "user": "§", "prompt_cache_key": "k §",
                  "text": {"format": {"type": "json_schema", "name": "x", "schema": {
                      "type": "object", "description": "of a §", "properties": {}, "additionalProperties": False}}}},
    "completions stored": {"metadata": {"a": "the §"}, "user": "§"},
    "chat": {"instruction": "be a §", "metadata": {"a": "the §"}},
    "gemini": {"systemInstruction": {"parts": [{"text": "be a §"}]}, "tools": [{"functionDeclarations": [{
        "name": "f", "description": "of a §", "parameters": {"type": "OBJECT", "properties": {
            "x": {"type": "STRING", "description": "the §"}}}}]}], "generationConfig": {"stopSequences": ["§"],
        "responseMimeType": "application/json", "responseSchema": {"type": "STRING", "description": "§"}}},
    "rebyte": {"inputs": [{"messages": [{"role": "user", "content": "a §", "metadata": {"a": "§"}}]}]},
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", EVERYWHERE)
def test_what_is_changed_is_changed_in_every_member(guarded, hook, script, name, stream):
    gateway, client = guarded
    hook.judge = masks(WORD, "kettle")
    s = script(up.either("so it is"))
    path, body = WAYS[name](s.under("o"), "tell me")
    body |= json.loads(json.dumps(EVERYWHERE[name]).replace("§", WORD)) | {"stream": stream}
    said = client.post(path, body)
    over(client)
    assert said.status == 200 and not leaks(WORD, said.body.decode()), said
    for path, text in read_all(client):
        assert not leaks(WORD, text), (path, text)
    assert not [c for c in itertools.pairwise(WORD) if "".join(c).encode() in files_of(gateway.folder)]
