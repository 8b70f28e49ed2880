"""Hooks: what is asked, and what is made of the verdicts."""

import json
import socket
import threading

import pytest

import hook as hooks
import upstream as up
from client import Client
from fixtures import provider
from hook import Hook, allow, block, forbids, masks, replace
from waiting import wait_until

SAY = {"messages": [{"role": "user", "content": "say it"}]}


@pytest.fixture
def make_hook(tmp_path):
    made = []

    def make(**more):
        made.append(Hook(**more))
        return made[-1]
    yield make
    for one in made:
        one.close()


@pytest.fixture
def hook(make_hook):
    return make_hook()


@pytest.fixture
def guarded(start, upstream, tmp_path):
    """guarded(hook, …): a gateway whose models o/SCRIPT pass the hooks."""
    made = []

    def make(*list_of, env=None, entries=None, **more):
        g = start({"providers": [provider(upstream, "o")], "models": [{"name": "o/*", "provider": "o"}],
                   "hooks": entries or [h.config(**more) for h in list_of], "log_format": "json"}, env=env)
        made.append(Client(g.url))
        return g, made[-1]
    yield make
    for one in made:
        one.close()


def chat(client, script, stream=False, **more):
    body = {"model": script.under("o"), **SAY, **more}
    if not stream:
        return client.post("/v1/chat/completions", body)
    with client.stream("/v1/chat/completions", {**body, "stream": True}) as answer:
        return answer.openai() if answer.status == 200 else answer.reply()


def streamed(*pieces):
    return [up.sse(), up.role(), *[up.text(p) for p in pieces], *up.ending()]


def test_what_a_hook_allows_goes_on_as_it_is(hook, guarded, script):
    g, client = guarded(hook)
    s = script(up.reply(up.completion("hi there")))
    said = chat(client, s)
    assert said.status == 200 and said.json["choices"][0]["message"]["content"] == "hi there"
    assert [a.phase for a in hook.asked] == ["request", "response"]
    assert hook.texts("request") == ["say it"] and hook.texts("response") == ["hi there"]


@pytest.mark.parametrize("stored", [False, True])
def test_a_blocked_request_reaches_nobody(hook, guarded, script, stored):
    hook.judge = forbids("say")
    g, client = guarded(hook)
    s = script(up.reply(up.completion("hi")))
    path, body = ("/v1/chat", {"messages": ["say it"], "config": {"model": s.under("o")}}) if stored else (
        "/v1/chat/completions", {"model": s.under("o"), **SAY})
    said = client.post(path, body)
    assert said.status == 400, said.json
    assert said.json["error"]["code"] == "content_blocked"
    assert not s.exchanges


def test_a_blocked_answer_is_one_that_the_filter_ended(hook, guarded, script):
    hook.judge = forbids("secret")
    g, client = guarded(hook)
    said = chat(client, script(up.reply(up.completion("the secret is out"))))
    assert said.status == 200
    assert said.json["choices"][0]["finish_reason"] == "content_filter"
    assert not said.json["choices"][0]["message"]["content"]
    assert said.json["usage"]["completion_tokens"] > 0
    answer = chat(client, script(*streamed("the ", "sec", "ret is out")), stream=True)
    assert answer.text == "" and answer.finish_reason == "content_filter"


# --- requests ---

ROUTES = {
    "chat": ("/v1/chat", lambda m, t: {"messages": [t], "config": {"model": m}}),
    "completions": ("/v1/chat/completions", lambda m, t: {"model": m, "messages": [{"role": "user", "content": t}]}),
    "parts": ("/v1/chat/completions", lambda m, t: {"model": m, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "so"}, {"type": "text", "text": t}]}]}),
    "system": ("/v1/chat/completions", lambda m, t: {"model": m, "messages": [
        {"role": "system", "content": t}, {"role": "user", "content": "hi"}]}),
    "tool result": ("/v1/chat/completions", lambda m, t: {"model": m, "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": t}]}),
    "arguments": ("/v1/chat/completions", lambda m, t: {"model": m, "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps({"x": t})}}]},
        {"role": "tool", "tool_call_id": "c", "content": "so"}]}),
    "text": ("/v1/completions", lambda m, t: {"model": m, "prompt": t}),
    "texts": ("/v1/completions", lambda m, t: {"model": m, "prompt": [t]}),
    "messages": ("/v1/messages", lambda m, t: {"model": m, "max_tokens": 9,
                                               "messages": [{"role": "user", "content": t}]}),
    "messages system": ("/v1/messages", lambda m, t: {"model": m, "max_tokens": 9, "system": t,
                                                      "messages": [{"role": "user", "content": "hi"}]}),
    "responses": ("/v1/responses", lambda m, t: {"model": m, "input": t}),
    "instructions": ("/v1/responses", lambda m, t: {"model": m, "input": "hi", "instructions": t}),
    "items": ("/v1/responses", lambda m, t: {"model": m, "input": [
        {"role": "user", "content": [{"type": "input_text", "text": t}]}]}),
    "embeddings": ("/v1/embeddings", lambda m, t: {"model": m, "input": t}),
    "embeddings list": ("/v1/embeddings", lambda m, t: {"model": m, "input": ["so", t]}),
    "lmc": ("/v1/chat", lambda m, t: {"format": "lmc", "config": {"model": m}, "messages": [
        {"role": "user", "type": "message", "content": t}]}),
    "instruction": ("/v1/chat", lambda m, t: {"messages": ["hi"], "instruction": t, "config": {"model": m}}),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("route", ROUTES)
def test_each_route_asks_before_anything_else(hook, guarded, script, route, stream):
    hook.judge = forbids("forbidden")
    g, client = guarded(hook)
    s = script(up.reply(up.completion("hi")))
    path, body = ROUTES[route]
    if stream and route in ("embeddings", "embeddings list"):
        pytest.skip("no stream")
    body = body(s.under("o"), "something forbidden here")
    said = client.post(path, {**body, "stream": True} if stream else body)
    said.error(400, "content_blocked")
    assert not s.exchanges
    assert any("something forbidden here" in t for t in hook.texts("request"))
    assert "forbidden" not in "".join(g.lines)
    assert b"something forbidden" not in hooks.files_of(g.folder)


@pytest.mark.parametrize("verdict", ["allow", "block", "replace", "fail"])
def test_a_count_is_asked_about_before_a_provider_is(hook, start, upstream, script, verdict):
    hook.judge = lambda a: {"allow": allow, "block": block, "replace": lambda: replace(["x"] * len(a.texts)),
                            "fail": lambda: hooks.Verdict("allow", status=500)}[verdict]()
    g = start({"providers": [provider(upstream, "o", "anthropic")], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config()]})
    s = script(up.reply({"input_tokens": 7}))
    with Client(g.url) as client:
        said = client.post("/v1/messages/count_tokens", {"model": s.under("o"), "system": "sys", **SAY})
    assert hook.asked[0].texts == ["sys", "say it"]
    assert bool(s.exchanges) is (verdict == "allow")
    if verdict in ("block", "fail"):
        said.error(*{"block": (400, "content_blocked"), "fail": (529, "hook_unavailable")}[verdict])
    else:
        assert (said.ok().json["input_tokens"] == 7) is (verdict == "allow")


def test_tokens_are_no_texts(hook, guarded, script):
    g, client = guarded(hook)
    client.post("/v1/embeddings", {"model": script().under("o"), "input": [1, 2]}).error(400, "content_blocked")


@pytest.mark.parametrize("history", ["new", "all", None])
def test_how_much_of_a_conversation_is_asked_about(hook, guarded, script, history):
    g, client = guarded(hook, **({"history": history} if history else {}))
    s = script(up.either("fine"))
    first = client.post("/v1/chat", {"messages": ["one"], "config": {"model": s.under("o")}}).ok().json
    client.post("/v1/chat", {"messages": ["two"], "conversation": first["conversation"],
                             "config": {"model": s.under("o")}}).ok()
    last = [a.texts for a in hook.asked if a.phase == "request"][-1]
    assert last == (["two"] if history == "new" else ["one", "fine", "two"])


def test_a_changed_request_is_what_is_sent_and_stored(hook, guarded, script):
    hook.judge = lambda a: masks("4711", "####")(a) if a.phase == "request" else allow()
    g, client = guarded(hook)
    s = script(up.either("fine"))
    said = client.post("/v1/chat", {"messages": ["my pin is 4711, yes"], "config": {"model": s.under("o")}}).ok().json
    assert s.request.json["messages"][-1]["content"] == "my pin is ####, yes"
    assert b"4711" not in json.dumps(client.items(said["conversation"])).encode()
    assert b"4711" not in hooks.files_of(g.folder)


@pytest.mark.parametrize("dialect, path, body", [
    ("anthropic", "/v1/messages", {"max_tokens": 9, "system": "4711", "messages": [
        {"role": "user", "content": [{"type": "text", "text": "pin 4711", "cache_control": {"type": "ephemeral"}}]}]}),
    ("openai-responses", "/v1/responses", {"instructions": "4711", "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "pin 4711"}]}]}),
    ("openai", "/v1/embeddings", {"input": ["pin 4711", "so"]}),
    ("openai", "/v1/completions", {"prompt": "pin 4711"}),
])
def test_the_clients_own_words_are_changed_too(hook, start, upstream, script, dialect, path, body):
    hook.judge = lambda a: masks("4711", "#\"\\é")(a) if a.phase == "request" else allow()
    g = start({"providers": [provider(upstream, "o", dialect)], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config()]})
    s = script(up.reply(up.completion("x")))
    with Client(g.url) as client:
        client.post(path, {"model": s.under("o"), **body})
    sent = json.dumps(s.request.json, ensure_ascii=False)
    assert "4711" not in sent and json.dumps("pin #\"\\é", ensure_ascii=False)[1:-1] in sent
    assert ("cache_control" in sent) is (dialect == "anthropic")


def test_images_and_tools_go_with_it_by_option(make_hook, guarded, script):
    one, two = make_hook(), make_hook()
    g, client = guarded(entries=[one.config(name="one", images=True, tools=True), two.config(name="two")])
    picture = "data:image/png;base64," + "iVBORw0KGgo" * 9 + "A"
    tool = {"type": "function", "function": {"name": "f", "description": "finds", "parameters": {"type": "object",
                                                                                          "properties": {}}}}
    s = script(up.reply(up.completion("hi")))
    client.post("/v1/chat/completions", {"model": s.under("o"), "tools": [tool], "messages": [
        {"role": "user", "content": [{"type": "text", "text": "see"},
                                     {"type": "image_url", "image_url": {"url": picture}}]}]}).ok()
    assert one.asked[0].body["images"] == [picture] and one.asked[0].body["tools"] == [tool]
    assert two.asked[0].body["images"] is None and two.asked[0].body["tools"] is None
    assert one.asked[0].texts == two.asked[0].texts == ["see"]


# --- what is told of it ---


def test_a_run_tells_its_checks(hook, guarded, script):
    g, client = guarded(hook)
    s = script(up.reply(up.completion("fine")))
    said = client.post("/v1/chat", {"messages": ["one"], "config": {"model": s.under("o")}}).ok()
    run = client.get(f"/v1/runs/{said.headers['x-run-id']}").ok().json
    assert [(c["hook"], c["phase"], c["verdict"], c["count"]) for c in run["checks"]] == [
        ("dlp", "request", "allow", 1), ("dlp", "response", "allow", 1)]
    assert all(c["ms"] >= 0 for c in run["checks"]) and len(run["attempt_list"]) == 1
    text = client.get("/metrics").body.decode()
    assert 'parley_hook_total{hook="dlp",phase="request",verdict="allow"} 1' in text
    assert 'parley_hook_seconds_count{hook="dlp"} 2' in text


@pytest.mark.parametrize("keep", [False, True])
def test_a_blocked_stored_request_is_a_failed_run(hook, guarded, script, keep):
    hook.judge = forbids("forbidden")
    g, client = guarded(hook, keep_blocked=keep)
    client.post("/v1/chat", {"messages": ["forbidden fruit"], "config": {"model": script().under("o")}}).error(
        400, "content_blocked")
    runs = client.get("/v1/runs").ok().json["data"]
    assert [r["status"] for r in runs] == ["failed"]
    run = client.get(f"/v1/runs/{runs[0]['id']}").ok().json
    assert run["error"]["code"] == "content_blocked" and run["attempts"] == 0
    assert [(c["phase"], c["verdict"]) for c in run["checks"]] == [("request", "block")]
    assert ("forbidden" in json.dumps(client.items(run["conversation"]))) is keep
    assert keep or b"forbidden" not in hooks.files_of(g.folder)


# --- hooks that fail ---

FAILURES = {
    "refuses": None,
    "500": lambda: hooks.Verdict("allow", status=500),
    "garbage": lambda: hooks.Verdict(raw=b"<html>"),
    "no object": lambda: hooks.Verdict(raw=b"[]"),
    "empty": lambda: hooks.Verdict(raw=b""),
    "no action": lambda: hooks.Verdict(raw=b"{}"),
    "another action": lambda: hooks.Verdict("NONE"),
    "too long": lambda: hooks.Verdict("allow", padding="x" * 200000),
    "too many texts": lambda: replace(["a", "b", "c", "d"]),
    "too few texts": lambda: replace([]),
    "no texts": lambda: hooks.Verdict("replace"),
    "texts of another kind": lambda: replace([1]),
    "changed images": lambda: replace(["x"], images=["y"]),
}


@pytest.mark.parametrize("phase", ["request", "response"])
@pytest.mark.parametrize("on_failure", ["refuse", "allow"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("how", [*FAILURES, "slow"])
def test_a_hook_that_has_no_verdict(make_hook, start, upstream, script, how, stream, on_failure, phase):
    hook = make_hook()
    gate = threading.Event()
    verdict = (lambda: allow(gate=gate)) if how == "slow" else FAILURES[how]
    if verdict:
        hook.judge = lambda asked: verdict() if asked.phase == phase else allow()
    entry = hook.config(on_failure=on_failure, on=[phase], timeout="300ms" if how == "slow" else "20s")
    if how == "refuses":
        from fixtures import DEAD
        entry["url"] = f"http://127.0.0.1:{DEAD.getsockname()[1]}/"
    g = start({"providers": [provider(upstream, "o")], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [entry], "log_format": "json"})
    s = script(*streamed("it ", "is fine")) if stream else script(up.reply(up.completion("it is fine")))
    with Client(g.url) as client:
        said = chat(client, s, stream)
        if on_failure == "allow":
            assert said.text == "it is fine"
        else:
            said.error(503, "hook_unavailable")
            assert said.headers["x-should-retry"] == "true"
        text = client.get("/metrics").body.decode()
    gate.set()
    assert f'parley_hook_total{{hook="dlp",phase="{phase}",verdict="error"}} 1' in text
    assert bool(s.exchanges) is (phase == "response" or on_failure == "allow")


def test_a_failure_in_the_middle_is_an_error_event(hook, guarded, script):
    hook.judge = lambda a: hooks.Verdict("allow", status=500) if "later" in "".join(a.texts) else allow()
    g, client = guarded(hook, window=20, overlap=5)
    answer = chat(client, script(*streamed("this is long enough to leave at once, ", "and this is later " * 5)), True)
    assert answer.text and "later" not in answer.text
    assert answer.error["code"] == "hook_unavailable"


# --- answers ---


def test_text_leaves_while_the_answer_goes_on(hook, guarded, script):
    gate = up.Gate()
    g, client = guarded(hook, window=30, overlap=10)
    s = script(up.sse(), up.role(), *[up.text("tea and more tea, ")] * 5, up.wait(gate), up.text("done"), *up.ending())
    with client.stream("/v1/chat/completions", {"model": s.under("o"), **SAY, "stream": True}) as answer:
        first = ""
        while not first:  # the gate is closed: the text is one that has left before the end
            first = answer.next_data().json["choices"][0]["delta"].get("content") or ""
        assert first.startswith("tea")
        gate.wait_reached()
        gate.open()
        assert answer.openai().text == "tea and more tea, " * 5 + "done"
    assert len([a for a in hook.asked if a.phase == "response"]) > 1


def test_a_word_that_crosses_a_window_is_seen_whole(hook, guarded, script):
    hook.judge = forbids("Ŋ secret Ŋ of Ŋ mine")
    g, client = guarded(hook, window=30, overlap=25)
    for n in range(60):
        answer = chat(client, script(*streamed(*("a " * n), *"Ŋ secret Ŋ of Ŋ mine", " and so on")), stream=True)
        assert "Ŋ" not in answer.text and "secret" not in answer.text
        assert answer.finish_reason == "content_filter"


def test_two_choices_are_two_texts(hook, guarded, script):
    hook.judge = forbids("ŊĦŦĸ")
    g, client = guarded(hook, window=10, overlap=5)
    mixed = [up.data({**up.chunk({"content": c}), "choices": [{"index": i, "delta": {"content": c}, "finish_reason": None}]})
             for c in "some words before ŊĦŦĸ" for i in (0, 1)]
    s = script(up.sse(), up.role(), *mixed, *up.ending())
    body = {"model": s.under("o"), **SAY, "stream": True, "n": 2}
    with client.stream("/v1/chat/completions", body) as answer:
        chunks = answer.openai().chunks
    assert not set("ŊĦŦĸ") & set(json.dumps(chunks, ensure_ascii=False))
    ends = [(c["index"], c["finish_reason"]) for chunk in chunks for c in chunk["choices"] if c.get("finish_reason")]
    assert sorted(ends) == [(0, "content_filter"), (1, "content_filter")]


def test_log_probabilities_hold_tokens(hook, guarded, script):
    g, client = guarded(hook)
    probs = {"content": [{"token": "Ŋ", "logprob": -1, "bytes": [1], "top_logprobs": []}], "refusal": None}
    whole = up.completion("fine")
    whole["choices"][0]["logprobs"] = probs
    said = chat(client, script(up.reply(whole)), logprobs=True)
    assert "Ŋ" not in said.body.decode() and "\\u014a" not in said.body.decode()
    chunk = up.chunk({"content": "fine"})
    chunk["choices"][0]["logprobs"] = probs
    answer = chat(client, script(up.sse(), up.role(), up.data(chunk), *up.ending()), stream=True, logprobs=True)
    assert answer.text == "fine" and "Ŋ" not in json.dumps(answer.chunks, ensure_ascii=False)


MEMBERS = {
    "reasoning": {"reasoning_content": "ŊĦŦĸ"}, "refusal": {"refusal": "ŊĦŦĸ"},
    "arguments": {"tool_calls": [{"index": 0, "id": "c", "type": "function",
                                  "function": {"name": "f", "arguments": '{"x":"ŊĦŦĸ"}'}}]},
    "a function's name": {"tool_calls": [{"index": 0, "id": "c", "type": "function",
                                          "function": {"name": "ŊĦŦĸ", "arguments": "{}"}}]},
    "details": {"reasoning_details": [{"type": "reasoning.text", "text": "ŊĦŦĸ"}]},
    "annotations": {"annotations": [{"type": "url_citation", "url_citation": {"title": "ŊĦŦĸ", "url": "x"}}]},
    "an unknown one": {"whatever": {"deep": ["ŊĦŦĸ"]}},
    "audio": {"audio": {"id": "a", "transcript": "ŊĦŦĸ"}},
    "images": {"images": [{"type": "image_url", "image_url": {"url": "https://x.example/ŊĦŦĸ"}}]},
}


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/chat", "/v1/messages", "/v1/responses"])
def test_each_member_of_an_answer_is_looked_at(hook, guarded, script, path, stream, member):
    hook.judge = forbids("ŊĦŦĸ")
    g, client = guarded(hook)
    more = MEMBERS[member]
    s = (script(up.sse(), up.role(), up.data(up.chunk(more)), up.text("so"), *up.ending()) if stream else
         script(up.reply(up.completion(message={"role": "assistant", "content": "so", **more}))))
    m = s.under("o")
    body = {"/v1/chat": {"messages": ["hi"], "config": {"model": m}}, "/v1/responses": {"model": m, "input": "hi"},
            "/v1/messages": {"model": m, "max_tokens": 9, **SAY}}.get(path, {"model": m, **SAY})
    said = client.post(path, {**body, "stream": True} if stream else body)
    seen = said.body.decode()
    assert said.status == 200
    # Of a stream, members that only the provider's own bytes have are left out.
    left_out = stream and member in ("annotations", "an unknown one", "audio")
    assert any("ŊĦŦĸ" in t for t in hook.texts("response")) is not left_out
    assert not [c for c in "ŊĦŦĸ" if c in seen or json.dumps(c)[1:-1] in seen]
    assert not [c for c in ("ŊĦ", "ĦŦ", "Ŧĸ") if c.encode() in hooks.files_of(g.folder)]


def test_arguments_leave_whole(hook, guarded, script):
    g, client = guarded(hook, window=5, overlap=2)
    pieces = ['{"city":"', "Par", "is ", "and more", '"}']
    deltas = [up.data(up.chunk({"tool_calls": [{"index": 0, **(
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": p}} if i == 0 else
        {"function": {"arguments": p}})}]})) for i, p in enumerate(pieces)]
    s = script(up.sse(), up.role(), *deltas, *up.ending("tool_calls"))
    chat(client, s, stream=True)
    assert "".join(pieces) in hook.texts("response")
    assert not [t for t in hook.texts("response") if t and t != "".join(pieces) and t in "".join(pieces)]


def test_a_hook_of_the_end_only_tells(hook, guarded, script):
    hook.judge = lambda a: block() if a.phase == "response" else allow()
    g, client = guarded(hook, stream="end")
    s = script(*streamed("it is", " out"))
    with client.stream("/v1/chat", {"messages": ["hi"], "config": {"model": s.under("o")}, "stream": True}) as answer:
        run = answer.headers["x-run-id"]
        assert answer.native().text == "it is out"
    assert hook.texts("response") == ["it is out"]
    checks = wait_until(lambda: client.get(f"/v1/runs/{run}").ok().json.get("checks"), "the checks")
    assert checks[-1]["verdict"] == "block"


def test_hooks_are_asked_in_order(make_hook, guarded, script):
    one, two = make_hook(), make_hook(protocol="litellm")
    one.judge, two.judge = masks("fine", "good"), masks("good", "best")
    g, client = guarded(entries=[one.config(name="one"), two.config(name="two")])
    assert chat(client, script(up.reply(up.completion("it is fine")))).text == "it is best"
    assert two.texts("response") == ["it is good"]


def test_models_and_keys_choose_hooks(hook, start, upstream, script):
    hook.judge = lambda a: block()
    g = start({"providers": [provider(upstream, "o")],
               "models": [{"name": "o/*", "provider": "o"}, {"name": "p/*", "provider": "o"}],
               "hooks": [hook.config(models=["p/*"])]})
    with Client(g.url) as client:
        s = script(up.either("hi"))
        client.post("/v1/chat/completions", {"model": s.under("o"), **SAY}).ok()
        client.post("/v1/chat/completions", {"model": s.under("p"), **SAY}).error(400, "content_blocked")


def test_a_hook_on_a_unix_socket_that_proves_who_asks(make_hook, guarded, script, tmp_path):
    secret = "s3cret-of-the-hook-that-is-longer-than-a-block-of-the-digest-which-has-64-bytes"
    hook = make_hook(path=tmp_path / "hook.sock", secret=secret)
    g, client = guarded(hook, secret_env="HOOK_KEY", env={"HOOK_KEY": secret})
    chat(client, script(up.reply(up.completion("hi")))).ok()
    assert len(hook.asked) == 2 and secret not in "".join(g.lines)


# --- readers ---


def test_readers_and_replays_get_what_was_let_out(hook, guarded, script):
    hook.judge = forbids("ŊĦŦĸ")
    g, client = guarded(hook, window=20, overlap=8)
    s = script(*streamed(*"some words go before it and then ŊĦŦĸ comes and more"))
    body = {"messages": ["hi"], "config": {"model": s.under("o")}, "stream": True}
    key = {"Idempotency-Key": "k1"}
    with client.stream("/v1/chat", body, key) as answer:
        run = answer.headers["x-run-id"]
        first = answer.native()
    assert first.finish_reason == "content_filter" and first.text
    seen = []
    for headers in ({}, {"Last-Event-ID": "2"}):
        seen.append(client.get(f"/v1/runs/{run}/events", headers=headers).body.decode())
    with client.stream("/v1/chat", body, key) as answer:
        again = answer.native()
        assert answer.headers["idempotency-replayed"] == "true"
    assert again.text == first.text
    seen += [client.get(f"/v1/runs/{run}").body.decode(), json.dumps(again.chunks, ensure_ascii=False),
             client.get("/v1/runs").body.decode()]
    conversation = client.get(f"/v1/runs/{run}").ok().json["conversation"]
    seen += [client.get(f"/v1/conversations/{conversation}/{what}").body.decode() for what in ("items", "messages", "export")]
    assert not [c for c in "ŊĦŦĸ" for text in seen if c in text or json.dumps(c)[1:-1] in text]
    assert len(s.exchanges) == 1
    assert not [c for c in ("ŊĦ", "ĦŦ", "Ŧĸ") if c.encode() in hooks.files_of(g.folder)]


def test_a_follower_sees_nothing_before_the_verdict(hook, guarded, script):
    gate, said = threading.Event(), []
    hook.judge = lambda a: allow(gate=gate) if a.phase == "response" else allow()
    g, client = guarded(hook)
    s = script(*streamed("it is out"))

    def follow(run):
        with Client(g.url) as other, other.http.stream("GET", f"/v1/runs/{run}/events") as events:
            said.extend(events.iter_bytes())
    with client.stream("/v1/chat", {"messages": ["hi"], "config": {"model": s.under("o")}, "stream": True}) as answer:
        follower = threading.Thread(target=follow, args=[answer.headers["x-run-id"]], daemon=True)
        follower.start()
        wait_until(lambda: any(a.phase == "response" for a in hook.asked), "the question")
        assert b"out" not in b"".join(said) and b"it is out" not in hooks.files_of(g.folder)
        gate.set()
        assert answer.native().text == "it is out"
    follower.join(20)
    assert b"it is out" in b"".join(said)


# --- ends ---


@pytest.mark.parametrize("phase", ["request", "response"])
def test_the_gateway_stops_while_it_is_checked(hook, guarded, script, phase):
    gate = threading.Event()
    hook.judge = lambda a: allow(gate=gate if a.phase == phase else None)
    g, client = guarded(hook)
    s = script(*streamed("it is out"))
    with socket.create_connection(("127.0.0.1", int(g.url.rsplit(":", 1)[1]))) as sock:
        body = json.dumps({"model": s.under("o"), **SAY, "stream": True}).encode()
        sock.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                     b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        wait_until(lambda: any(a.phase == phase for a in hook.asked), "the question")
        g.process.terminate()
        gate.set()
        g.wait_exit()
        g.process = None
