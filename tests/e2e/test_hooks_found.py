"""Hooks: ways past them that there were once."""

import json
import re
import socket
import threading

import pytest

import hook as hooks
import upstream as up
from client import Client
from fixtures import provider
from hook import allow, block, forbids, masks, replace
from test_hooks import FAILURES, SAY, chat, guarded, hook, make_hook, streamed  # noqa: F401
from strict import Perhaps
from waiting import wait_until
from wires import WIRES

WIRE = {w.dialect: w for w in WIRES}

KINDS = {"one of several of another kind": lambda: replace(["x", 1, "y"])}


@pytest.mark.parametrize("phase", ["request", "response"])
@pytest.mark.parametrize("how", [how for how in FAILURES if how != "refuses"] + [*KINDS])
def test_a_hook_that_fails_hides_nothing_from_the_next(make_hook, guarded, script, how, phase):
    one, two = make_hook(), make_hook()
    verdict = FAILURES.get(how) or KINDS[how]
    one.judge = lambda a: verdict() if a.phase == phase else allow()
    two.judge = lambda a: forbids("secret")(a) if a.phase == phase else allow()
    g, client = guarded(entries=[one.config(name="one", on_failure="allow"), two.config(name="two")])
    secret = {"role": "user", "content": "the secret is out"}
    s = script(up.reply(up.completion("the secret is out")))
    said = client.post("/v1/chat/completions", {"model": s.under("o"), "messages": [
        {"role": "system", "content": "be nice"}, {"role": "user", "content": "so"},
        secret if phase == "request" else {"role": "user", "content": "go"}]})
    texts = [a.texts for a in two.asked if a.phase == phase][0]
    assert texts == [a.texts for a in one.asked if a.phase == phase][0] and "the secret is out" in texts
    if phase == "request":
        said.error(400, "content_blocked")
        assert not s.exchanges
    else:
        assert said.json["choices"][0]["finish_reason"] == "content_filter" and b"secret" not in said.body


def test_what_a_hook_has_changed_stays_where_the_next_one_fails(make_hook, guarded, script):
    one, two = make_hook(), make_hook()
    one.judge = masks("4711", "####")
    two.judge = lambda a: replace([1] * len(a.texts))
    g, client = guarded(entries=[one.config(name="one"), two.config(name="two", on_failure="allow")])
    s = script(up.reply(up.completion("the pin is 4711")))
    said = client.post("/v1/chat/completions", {"model": s.under("o"), "messages": [
        {"role": "user", "content": "my pin is 4711"}]})
    assert s.request.json["messages"][-1]["content"] == "my pin is ####"
    assert said.json["choices"][0]["message"]["content"] == "the pin is ####"


# --- stored messages that no hook has seen ---


def add_items(client, g, script):
    c = client.post("/v1/conversations", {"items": [
        {"type": "message", "role": "user", "content": "the forbidden fruit"}]}).ok().json["id"]
    return c


def other_model(client, g, script):
    return client.post("/v1/chat", {"messages": ["the forbidden fruit"], "config": {
        "model": script.under("free")}}).ok().json["conversation"]


@pytest.mark.parametrize("history", [None, "all", "new"])
@pytest.mark.parametrize("origin", [add_items, other_model])
@pytest.mark.parametrize("path", ["/v1/chat", "/v1/responses"])
def test_what_a_conversation_has_is_shown_unless_the_operator_says_so(
        hook, start, upstream, script, path, origin, history):
    hook.judge = forbids("forbidden")
    more = {"history": history} if history else {}
    g = start({"providers": [provider(upstream, "o")], "models": [
        {"name": "o/*", "provider": "o"}, {"name": "free/*", "provider": "o"}],
        "hooks": [hook.config(models=["o/*"], **more)]})
    s = script(up.either("fine"))
    with Client(g.url) as client:
        conversation = origin(client, g, s)
        before = len(s.exchanges)
        body = {"messages": ["go on"], "conversation": conversation, "config": {"model": s.under("o")}}
        if path == "/v1/responses":
            body = {"input": "go on", "conversation": conversation, "model": s.under("o")}
        said = client.post(path, body)
    if history == "new":
        said.ok()
    else:
        said.error(400, "content_blocked")
    assert (len(s.exchanges) > before) is (history == "new")


# --- members of a request ---

EXTRAS = [
    {"response_format": {"type": "json_schema", "json_schema": {
        "name": "x", "schema": {"type": "object", "description": "forbidden"}}}},
    {"stop": ["forbidden"]}, {"documents": [{"text": "forbidden"}]}, {"user": "forbidden"},
    {"chat_template_kwargs": {"x": "forbidden"}}, {"guided_regex": "forbidden"}, {"service_tier": "forbidden"},
    {"functions": [{"name": "f", "description": "forbidden"}]}, {"metadata": {"a": "forbidden"}},
    {"web_search_options": {"user_location": {"type": "approximate", "approximate": {"city": "forbidden"}}}},
    {"tool_choice": {"type": "function", "function": {"name": "forbidden"}}}, {"prompt_cache_key": "forbidden"},
    {"system": "forbidden"}, {"input": "forbidden"}, {"instructions": "forbidden"}, {"type": "forbidden"},
]
NATIVE = {
    "anthropic": [
        {"stop_sequences": ["forbidden"]}, {"metadata": {"user_id": "forbidden"}}, {"unknown": ["forbidden"]},
        {"output_config": {"format": {"type": "json_schema", "schema": {
            "type": "object", "description": "forbidden", "additionalProperties": False}}}}],
    "openai-responses": [
        {"text": {"format": {"type": "json_schema", "name": "x", "schema": {
            "type": "object", "description": "forbidden"}}}},
        {"prompt_cache_key": "forbidden"}, {"user": "forbidden"}, {"metadata": {"a": "forbidden"}}],
}


@pytest.mark.parametrize("extra", EXTRAS, ids=lambda e: next(iter(e)))
def test_every_member_of_a_request_is_shown(hook, start, upstream, script, extra):
    hook.judge = forbids("forbidden")
    g = start({"providers": [provider(upstream, "o", forward_store=True)], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config()]})
    s = script(allows=None)
    with Client(g.url) as client:
        client.post("/v1/chat/completions", {"model": s.under("o"), **SAY, **extra}).error(400, "content_blocked")
    assert not s.exchanges


@pytest.mark.parametrize("extra", [EXTRAS[0], {"stop": ["forbidden"]}, {"user": "forbidden"},
                                   {"metadata": {"a": "forbidden"}, "store": True}], ids=lambda e: next(iter(e)))
def test_members_of_a_request_are_changed(hook, start, upstream, script, extra):
    hook.judge = lambda a: masks("forbidden", "mended")(a) if a.phase == "request" else allow()
    g = start({"providers": [provider(upstream, "o", forward_store=True)], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config()]})
    s = script(up.reply(up.completion("hi")))
    with Client(g.url) as client:
        client.post("/v1/chat/completions", {"model": s.under("o"), **SAY, **extra}).ok()
    assert {k: s.request.json[k] for k in extra} == json.loads(json.dumps(extra).replace("forbidden", "mended"))


@pytest.mark.parametrize("dialect, extra", [(d, e) for d in NATIVE for e in NATIVE[d]],
                         ids=[f"{d} {next(iter(e))}" for d in NATIVE for e in NATIVE[d]])
def test_every_member_of_the_clients_own_words_is_shown(hook, start, upstream, script, dialect, extra):
    hook.judge = forbids("forbidden")
    g = start({"providers": [provider(upstream, "o", dialect)], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config()]})
    s = script(up.reply({}), allows=None)
    with Client(g.url) as client:
        if dialect == "anthropic":
            said = client.post("/v1/messages", {"model": s.under("o"), "max_tokens": 9, **SAY, **extra})
        else:
            said = client.post("/v1/responses", {"model": s.under("o"), "input": "hi", **extra})
    assert said.status == 400 and "forbidden" in "".join(hook.texts("request")), said.body
    assert not s.exchanges


PIECES = {
    "anthropic": ("/v1/messages", lambda *t: {"max_tokens": 9, "messages": [
        {"role": "user", "content": [{"type": "text", "text": x} for x in t]}]}),
    "openai-responses": ("/v1/responses", lambda *t: {"store": False, "input": [
        {"role": "user", "content": "x"},
        {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "content": [
            {"type": "output_text", "text": x, "annotations": []} for x in t]},
        {"role": "user", "content": "y"}]}),
}


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("dialect", PIECES)
def test_a_text_that_is_changed_across_its_pieces_is_sent_changed(hook, start, upstream, script, dialect, elsewhere):
    """Not in the client's own words then, which have the pieces; a change within a piece leaves them their own."""
    path, body_of = PIECES[dialect]
    hook.judge = lambda a: replace([re.sub(r"se\s*cret", "kettle", t) for t in a.texts])
    g = start({"providers": [provider(upstream, "o", dialect)], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config(on=["request"])]})
    more = {"metadata": {"user_id": "my se\n\ncret", "a": "my secret"}} if elsewhere else {}
    with Client(g.url) as client:
        for texts in (("my se", "cret"), ("my secret", "is here")):
            s = script(WIRE[dialect].whole("Hello"), allows={"types metadata.a": Perhaps("OpenAI's own has it")})
            client.post(path, {"model": s.under("o"), **body_of(*texts), **more}).ok()
            sent = s.request.body.decode()
            assert '"my kettle"' in sent and "cret" not in sent and ('"is here"' in sent) == ("is here" in texts), sent


def test_tokens_are_no_texts_wherever_they_are(hook, guarded, script):
    g, client = guarded(hook)
    for path, body in (("/v1/embeddings", {"input": [[1, 2]]}), ("/v1/completions", {"prompt": [1, 2]}),
                       ("/v1/completions", {"prompt": ["a\\\"", 1]})):
        s = script(allows=None)
        assert client.post(path, {"model": s.under("o"), **body}).status == 400
        assert not s.exchanges
    s = script(up.reply({"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}],
                         "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}))
    client.post("/v1/embeddings", {"model": s.under("o"), "input": ["a \" 1 \\"]}).ok()


# --- what is no media, no word and no identifier ---

NO_MEDIA = [
    {"content": "data: the forbidden word is hunter2, tell nobody ;base64,"},
    {"content": "data:text/plain;base64,forbidden"},
    {"content": [{"type": "text", "text": "data:image/png;base64,forbidden"}]},
    {"content": [{"type": "image_url", "image_url": {"url": "data:the forbidden fruit;base64,aaaa"}}]},
    {"content": [{"type": "image_url", "image_url": {"url": "https://x.example/forbidden"}}]},
    {"content": "so", "url": "forbidden"}, {"content": "so", "data": "forbidden"},
    {"content": "so", "data": "forbidden" * 20}, {"content": "so", "signature": "forbidden" * 20},
    {"content": "so", "whatever": {"type": "forbidden", "role": "forbidden"}},
    {"content": "so", "whatever": {"status": "forbidden"}}, {"content": "so", "detail": "forbidden"},
    {"content": "so", "whatever": {"id": "a forbidden fruit"}},
]


@pytest.mark.parametrize("message", NO_MEDIA, ids=json.dumps)
def test_what_only_looks_like_media_is_a_text(hook, guarded, script, message):
    hook.judge = forbids("forbidden")
    g, client = guarded(hook)
    s = script(allows=None)
    said = client.post("/v1/chat/completions", {"model": s.under("o"), "messages": [{"role": "user", **message}]})
    assert said.status == 400 and "forbidden" in "".join(hook.texts("request")), said.body
    assert not s.exchanges


def test_media_are_no_texts(hook, guarded, script):
    g, client = guarded(hook)
    picture = "iVBORw0KGgo" * 9 + "A"
    s = script(up.reply(up.completion("hi")), allows=None)
    client.post("/v1/chat/completions", {"model": s.under("o"), "messages": [{"role": "user", "content": [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
        {"type": "input_audio", "input_audio": {"format": "wav", "data": picture}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;name=a;base64,{picture}"}}]}]})
    assert hook.asked[0].texts == ["see", "a.pdf"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_the_id_of_a_call_is_an_id_or_a_text(hook, guarded, script, stream):
    hook.judge = lambda a: masks("secret", "hidden")(a) if a.phase == "response" else allow()
    g, client = guarded(hook)
    for name, expected in (("the secret is out", "the hidden is out"), ("call_secret", "call_secret")):
        call = {"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        s = (script(up.sse(), up.role(), up.data(up.chunk({"tool_calls": [{"index": 0, **call}]})),
                    *up.ending("tool_calls")) if stream else
             script(up.reply(up.completion(message={"role": "assistant", "content": None, "tool_calls": [call]}))))
        said = client.post("/v1/chat/completions", {"model": s.under("o"), **SAY, "stream": stream})
        assert said.status == 200 and json.dumps(expected) in said.body.decode()
        assert name == expected or b"secret" not in said.body


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("member", ["id", "model", "system_fingerprint", "service_tier"])
def test_what_a_provider_calls_its_answer_hides_no_words(hook, guarded, script, stream, member):
    hook.judge = lambda a: forbids("secret")(a) if a.phase == "response" else allow()
    g, client = guarded(hook)
    chunk = {**up.chunk({"role": "assistant", "content": "fine"}), member: "the secret is out"}
    s = (script(up.sse(), up.data(chunk), up.data({**up.chunk({}, "stop"), member: "the secret is out"}), up.data("[DONE]"), up.end())
         if stream else script(up.reply({**up.completion("fine"), member: "the secret is out"})))
    for path, body in (("/v1/chat/completions", {"model": s.under("o"), **SAY, "stream": stream}),
                       ("/v1/messages", {"model": s.under("o"), "max_tokens": 9, **SAY, "stream": stream}),
                       ("/v1/responses", {"model": s.under("o"), "input": "hi", "stream": stream}),
                       ("/v1/chat", {"messages": ["hi"], "config": {"model": s.under("o")}, "stream": stream})):
        assert b"secret" not in client.post(path, body).body, path


CALLS = [{"id": f"call_{n}", "type": "function", "function": {"name": "f", "arguments": json.dumps({"x": f"pin {word}"})}}
         for n, word in enumerate(("4711", "1234"))]


@pytest.mark.parametrize("protocol", ["parley", "litellm"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_calls_of_tools_are_shown_as_calls(make_hook, guarded, script, stream, protocol):
    one, two = make_hook(), make_hook(protocol=protocol)
    one.judge = lambda a: masks("4711", "####")(a) if a.phase == "response" else allow()
    g, client = guarded(entries=[one.config(name="one"), two.config(name="two")])
    s = (script(up.sse(), up.role(), *[up.data(up.chunk({"tool_calls": [{"index": n, **call}]})) for n, call in enumerate(CALLS)],
                *up.ending("tool_calls")) if stream else
         script(up.reply(up.completion(message={"role": "assistant", "content": None, "tool_calls": CALLS}))))
    client.post("/v1/chat/completions", {"model": s.under("o"), **SAY, "stream": stream})

    def shown(hook):
        return [c for a in hook.asked for c in a.body["tool_calls"] or []]
    assert [{k: v for k, v in c.items() if k != "index"} for c in shown(one)] == CALLS
    masked = json.loads(json.dumps(CALLS).replace("4711", "####"))
    assert [{k: v for k, v in c.items() if k != "index"} for c in shown(two)] == masked
    assert not [a for a in two.asked if "4711" in a.raw.decode()]


def test_a_hook_may_want_a_key(hook, guarded, script):
    g, client = guarded(hook, api_key_env="HOOK_API_KEY", env={"HOOK_API_KEY": "sk-of-the-hook"})
    chat(client, script(up.reply(up.completion("hi")))).ok()
    assert [a.headers["x-api-key"] for a in hook.asked] == ["sk-of-the-hook"] * 2
    assert "sk-of-the-hook" not in "".join(g.lines)


# --- streams ---

THINK = up.data(up.chunk({"reasoning_content": "hm, let me think about all of this for a while, it is hard."}))


@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_hook_may_escape_otherwise_than_the_provider(hook, guarded, script, ascii_only):
    hook.judge = lambda a: masks("Foo", "Bar")(a) if a.phase == "response" else allow()
    g, client = guarded(hook, window=40, overlap=20)
    first, gate = "x" * 60 + " äöü ßäö üßä öüß äöü ßäö", up.Gate()
    piece = up.data(json.dumps(up.chunk({"content": first}), ensure_ascii=ascii_only))
    s = script(up.sse(), up.role(), piece, THINK, up.wait(gate), up.text(" ihr lieben Foo, ein langer Satz."), *up.ending())
    with client.stream("/v1/chat/completions", {"model": s.under("o"), **SAY, "stream": True}) as answer:
        gate.wait_reached()
        wait_until(lambda: len(hook.texts("response")) > 1, "the checks")
        gate.open()
        assert answer.openai().text == first + " ihr lieben Bar, ein langer Satz."


def of_choice(index, content, finish=None):
    return up.data({**up.chunk({}), "choices": [{"index": index, "delta": {"content": content} if content else {},
                                                "finish_reason": finish}]})


def test_a_choice_has_one_end(hook, guarded, script):
    hook.judge = forbids("secret")
    g, client = guarded(hook, window=20, overlap=5)
    gate = up.Gate()
    s = script(up.sse(), up.role(), of_choice(0, "all is fine here and more and more "), of_choice(0, "", "stop"),
               *[of_choice(1, "now a long text comes that is fine ")] * 3, up.wait(gate),
               *[of_choice(1, "secret is out and that is that ")] * 5, of_choice(1, "", "stop"), up.end())
    with client.stream("/v1/chat/completions", {"model": s.under("o"), **SAY, "stream": True, "n": 2}) as answer:
        gate.wait_reached()
        wait_until(lambda: len(hook.texts("response")) > 1, "the checks")
        gate.open()
        chunks = answer.openai().chunks
    ends = [(c["index"], c["finish_reason"]) for chunk in chunks for c in chunk["choices"] if c.get("finish_reason")]
    assert sorted(ends) == [(0, "stop"), (1, "content_filter")]


def test_nothing_comes_after_an_end(hook, guarded, script):
    g, client = guarded(hook, window=20, overlap=5)
    s = script(up.sse(), up.role(), up.text("all is fine here and more and more "), up.data(up.chunk({}, "stop")),
               up.text("and something after it that is long enough"), up.data(up.chunk({}, "stop")), up.end())
    answer = chat(client, s, stream=True)
    assert answer.text == "all is fine here and more and more " and answer.finish_reason == "stop"


# --- ends ---


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("phase", ["request", "response"])
def test_a_key_is_free_when_a_hook_had_no_verdict(hook, guarded, script, phase, stream, stored):
    hook.judge = lambda a: hooks.Verdict("allow", status=500) if a.phase == phase else allow()
    g, client = guarded(hook)
    s = script(up.either("fine"))
    body = {"messages": ["hi"], "config": {"model": s.under("o")}, "store": stored, "stream": stream}
    key = {"Idempotency-Key": "k"}
    first = client.post("/v1/chat", body, headers=key)
    first.error(503, "hook_unavailable")
    assert first.headers["x-should-retry"] == "true"
    hook.judge = lambda a: allow()
    again = client.post("/v1/chat", body, headers=key).ok()
    assert "idempotency-replayed" not in again.headers and "fine" in again.body.decode()


def test_a_key_stays_with_a_stream_that_has_begun(hook, guarded, script):
    hook.judge = lambda a: hooks.Verdict("allow", status=500) if "later" in "".join(a.texts) else allow()
    g, client = guarded(hook, window=20, overlap=5)
    s = script(*streamed("this is long enough to leave at once, ", "and this is later " * 5))
    body = {"messages": ["hi"], "config": {"model": s.under("o")}, "stream": True}
    seen = [client.post("/v1/chat", body, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert "this is" in seen[0].body.decode() and "hook_unavailable" in seen[0].body.decode()
    assert seen[1].body == seen[0].body and seen[1].headers["idempotency-replayed"] == "true"
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("how", ["it dies", "it says an error", "it is cancelled", "the client leaves", "it is blocked"])
def test_a_hook_of_the_end_sees_an_answer_that_broke_off(make_hook, start, upstream, script, how):
    hook, other, gate, judged = make_hook(), make_hook(), up.Gate(), threading.Event()
    hook.judge = lambda a: block(gate=judged) if a.phase == "response" else allow()
    other.judge = forbids("secret")
    entries = [hook.config(stream="end", name="end"), other.config(name="other", window=20, overlap=5)]
    g = start({"providers": [provider(upstream, "o", retries=0)], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": entries if how == "it is blocked" else entries[:1]})
    last = {"it dies": up.hang_up(), "it says an error": up.data({"error": {"message": "no", "code": 500}}),
            "it is blocked": up.text("the secret is out, and so on and on")}.get(how, up.text("never"))
    s = script(up.sse(), up.role(), up.text("some words that leave at once, "), up.wait(gate), last, up.end())
    body = {"messages": ["hi"], "config": {"model": s.under("o")}, "stream": True,
            "on_disconnect": "cancel"}
    with Client(g.url) as client, Client(g.url) as watcher, Client(g.url) as other_client:
        with client.stream("/v1/chat", body) as answer:
            run = answer.headers["x-run-id"]
            gate.wait_reached()
            if how == "the client leaves":
                answer.response.close()
            elif how == "it is cancelled":
                cancels = threading.Thread(target=other_client.post, args=[f"/v1/runs/{run}/cancel"], daemon=True)
                cancels.start()
            if how in ("it dies", "it says an error", "it is blocked"):
                gate.open()
            wait_until(lambda: [a for a in hook.asked if a.phase == "response"], "the question")
            assert watcher.get(f"/v1/runs/{run}").ok().json["status"] == "running"
            judged.set()
        gate.open()
        if how == "it is cancelled":
            cancels.join(20)
        told = wait_until(lambda: [c for c in watcher.run(run).get("checks", []) if c["hook"] == "end"
                                   and c["phase"] == "response"], "the checks")
    assert [(c["verdict"], c["count"]) for c in told] == [("block", 1)]
    seen = [a.texts for a in hook.asked if a.phase == "response"]
    assert len(seen) == 1 and "some words that leave".startswith(seen[0][0][:20])


@pytest.mark.parametrize("mode", ["window", "end"])
def test_a_seam_is_seen_after_a_kill(hook, start, upstream, script, mode):
    hook.judge = lambda a: forbids("forbidden fruit")(a) if a.phase == "response" else allow()
    gate = up.Gate()
    s = script(up.in_turn([up.sse(), up.role(), up.text("alpha beta gamma delta forbidden xx yy zz xx yy zz xx "), up.wait(gate)],
                          up.stream("fruit is what follows")))
    g = start({"providers": [provider(upstream, "o")], "commit_after": "50ms",
               "models": [{"name": "o/*", "provider": "o", "resume": "restart"}],
               "hooks": [hook.config(stream=mode, window=30, overlap=20)]})
    with Client(g.url) as client, client.stream("/v1/chat", {
            "messages": ["hi"], "config": {"model": s.under("o")}, "stream": True}) as answer:
        run = answer.headers["x-run-id"]
        gate.wait_reached()
        wait_until(lambda: any("forbidden" in b.data for b in [answer.next_data()]), "the text")
        g.kill()
    let_out = "alpha beta gamma delta forbidden " + ("xx yy zz xx yy zz xx " if mode == "end" else "")
    g.start()
    with Client(g.url) as client:
        wait_until(lambda: client.run(run)["status"] not in ("queued", "running"), "the end")
        got = client.run(run)
        said = client.items(got["conversation"])["data"][-1]["content"][0]["text"]
    last = hook.texts("response")[-1]
    if mode == "window":
        assert said == let_out and got["finish_reason"] == "content_filter"
        assert last.endswith("forbidden fruit is what follows")
    else:  # it sees all of the answer, as if there had been no kill
        assert said == let_out + "fruit is what follows" == last


def raw_call(g, s):
    sock = socket.create_connection(("127.0.0.1", int(g.url.rsplit(":", 1)[1])))
    body = json.dumps({"model": s.under("o"), **SAY, "stream": True}).encode()
    sock.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                 b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    return sock


@pytest.mark.parametrize("phase", ["request", "response"])
def test_a_check_ends_with_the_client_that_waits_for_it(hook, start, upstream, script, phase):
    gate = threading.Event()
    hook.judge = lambda a: allow(gate=gate if a.phase == phase else None)
    g = start({"providers": [provider(upstream, "o")], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config(timeout="60s")], "limits": {"concurrent": 1}})
    s = script(*streamed("it is out"))
    with Client(g.url) as client:
        with raw_call(g, s):
            wait_until(lambda: any(a.phase == phase for a in hook.asked), "the question")
        hook.judge = lambda a: allow()

        def place_is_free():
            return client.post("/v1/chat/completions", {
                "model": script(up.reply(up.completion("hi"))).under("o"), **SAY}).status == 200
        wait_until(place_is_free, "the place", deadline=15)
    gate.set()


def test_a_gateway_that_stops_waits_for_no_check(hook, start, upstream, script):
    gate = threading.Event()
    hook.judge = lambda a: allow(gate=gate)
    g = start({"providers": [provider(upstream, "o")], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config(timeout="60s")], "drain_timeout": "1s"})
    s = script(allows=None)
    with raw_call(g, s):
        wait_until(lambda: hook.asked, "the question")
        g.process.terminate()
        g.process.wait(20)
        g.process = None
    gate.set()
    assert not s.exchanges


# --- counts of tokens ---


@pytest.mark.parametrize("more, seen", [
    ({"tools": [{"name": "f", "input_schema": {"type": "object"}}]}, "tools"),
    ({"messages": [{"role": "user", "content": [{"type": "image", "source": {
        "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 9 + "A"}}]}]}, "images"),
    ({"tool_choice": {"type": "tool", "name": "forbidden"}}, "texts"),
], ids=["tools", "images", "a member"])
def test_a_count_shows_what_a_call_shows(hook, start, upstream, script, more, seen):
    hook.judge = lambda a: block()
    g = start({"providers": [provider(upstream, "o", "anthropic")], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config(images=True, tools=True)]})
    s = script(allows=None)
    with Client(g.url) as client:
        client.post("/v1/messages/count_tokens", {"model": s.under("o"), **SAY, **more}).error(400, "content_blocked")
    assert hook.asked[0].body[seen] and not s.exchanges
    assert seen != "texts" or "forbidden" in hook.asked[0].texts


# --- two questions at a time ---


@pytest.mark.parametrize("verdict", ["allow", "block", "replace", "fail"])
@pytest.mark.parametrize("early", [False, True], ids=["in order", "the second first"])
def test_two_windows_are_on_their_way(hook, guarded, script, verdict, early):
    gates, fails = [threading.Event() for _ in range(2)], hooks.Verdict("allow", status=500)
    pieces = [f"window {word} of the answer has some words, " for word in ("one", "two", "three", "four")]

    def judge(asked):
        if asked.phase == "request":
            return allow()
        gate = gates["one" not in "".join(asked.texts)]
        if "two" not in "".join(asked.texts) or verdict == "allow":
            return allow(gate=gate)
        if verdict == "replace":
            return replace([t.replace("two", "2") for t in asked.texts], gate=gate)
        made = block() if verdict == "block" else fails
        made.gate = gate
        return made
    hook.judge = judge
    g, client = guarded(hook, window=40, overlap=10)
    s = script(*streamed(*pieces))
    with client.stream("/v1/chat/completions", {"model": s.under("o"), **SAY, "stream": True}) as answer:
        pass_on = threading.Thread(target=lambda: answer.openai(), daemon=True)
        pass_on.start()
        wait_until(lambda: len([a for a in hook.asked if a.phase == "response"]) == 2, "the second question")
        first, second = sorted(hook.texts("response"), key=lambda t: "one" not in t)
        assert "one" in first and "two" not in first and "two" in second
        assert not [b for b in answer.seen if b.data and "window" in b.data]
        for gate in reversed(gates) if early else gates:
            gate.set()
        pass_on.join(20)
        got = answer.openai()
    if verdict in ("allow", "replace"):
        assert got.text == "".join(pieces).replace("two", "2" if verdict == "replace" else "two")
    else:
        assert got.text.startswith("window one of the ") and "two" not in got.text
        assert (got.finish_reason == "content_filter") is (verdict == "block")
        assert (got.error or {}).get("code") == ("hook_unavailable" if verdict == "fail" else None)


# --- what is large ---


def test_a_long_conversation_is_shown_whole(hook, guarded, script):
    g, client = guarded(hook)
    s = script(up.either("fine"))
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"message {n} " + "tea " * 200} for n in range(999)]
    # not by client.post, which would look at each message by openapi.yaml
    first = client.http.post("/v1/chat/completions", json={"model": s.under("o"), "messages": messages, "store": True})
    conversation = client.run(first.headers["x-run-id"])["conversation"]
    hook.asked.clear()
    client.post("/v1/chat", {"messages": ["go on"], "conversation": conversation, "config": {"model": s.under("o")}}).ok()
    assert hook.asked[0].texts == [*[m["content"] for m in messages], "fine", "go on"]
    # A word in the first message blocks each turn; what is changed is changed in all of it.
    hook.judge = masks("message 0 ", "message X ")
    client.post("/v1/chat", {"messages": ["and on"], "conversation": conversation, "config": {"model": s.under("o")}}).ok()
    assert s.exchanges[-1].request.json["messages"][0]["content"].startswith("message X ")
    hook.judge = forbids("message 0 ")
    client.post("/v1/chat", {"messages": ["more"], "conversation": conversation, "config": {"model": s.under("o")}}).error(
        400, "content_blocked")
    assert len(s.exchanges) == 3


@pytest.mark.parametrize("on_failure", ["refuse", "allow"])
def test_more_than_a_hook_may_see_is_refused(hook, guarded, script, on_failure):
    g, client = guarded(hook, on_failure=on_failure)
    s = script(allows=None)
    said = client.http.post("/v1/chat/completions", json={"model": s.under("o"), "messages": [
        {"role": "user", "content": "x" * (8 << 20)}]})
    assert said.status_code == 413 and said.json()["error"]["code"] == "request_too_large"
    assert not s.exchanges and not hook.asked and "8 MiB" in said.json()["error"]["message"]
