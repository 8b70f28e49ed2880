"""The answer cache: an equal request of the same owner gets the answer again, without a call of the provider."""

import json
import random
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import gateway as gw
import keys
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider, usual_config
from upstream import in_turn
from waiting import DEADLINE, wait_until

HI = [{"role": "user", "content": "hi"}]
USE = {"x-parley-cache": "use"}
WORDS = ["one ", "two ", "three ", "```py\nprint(1)\n```", " four"]
CHAT, COMPLETIONS, TEXT = "/v1/chat", "/v1/chat/completions", "/v1/completions"
RESPONSES, MESSAGES, REBYTE = "/v1/responses", "/v1/messages", "/api/sdk/p/demo/a/{}/r"
FAMILIES = [CHAT, COMPLETIONS, RESPONSES, MESSAGES, REBYTE]
SAME = [(path, stream, store) for path in FAMILIES for stream in (False, True)
        for store in ((False, True) if path not in (MESSAGES, REBYTE) else (False,))]


def body(path, model, said="hi", *, stream=False, store=False, **more):
    messages = [{"role": "user", "content": said}]
    if path == CHAT:
        return {"messages": messages, "config": {"model": model}, "stream": stream, "store": store, **more}
    if path == RESPONSES:
        return {"model": model, "input": said, "stream": stream, "store": store, **more}
    if path == REBYTE:
        return {"inputs": [{"messages": messages}], "stream": stream, "blocking": True, **more}
    if path == TEXT:
        return {"model": model, "prompt": said, "stream": stream, **more}
    limit = {"max_tokens": 100} if path == MESSAGES else {"store": store}
    return {"model": model, "messages": messages, "stream": stream, **limit, **more}


def ask(client, path, model, *args, headers=None, **more):
    return client.request("POST", path.format(model.replace("/", "%2F")), body(path, model, *args, **more),
                          headers={**USE, **(headers or {})})


def result(reply):
    return reply.headers.get("x-parley-cache")


def bare(reply):
    """The answer without what is each run's own: ids and times."""
    text = re.sub(rb'"(created|created_at|completed_at|createdAt|updatedAt)": ?"?[^,"}]*', b"", reply.body)
    text = re.sub(rb"(run_|conv_|msg_|resp_|rs_|fc_|chatcmpl-|thread_|item_|call_)[0-9a-z]{16,}[0-9a-z_]*", b"ID", text)
    return [b for b in text.split(b"\n\n") if not b.startswith(b":")]


def metric(gateway, name, headers=None):
    with Client(gateway.url, headers) as admin:
        text = admin.get("/metrics").ok().body.decode()
    found = {}
    for line in text.splitlines():
        if line.startswith(name):
            label = line.split('"')[1] if '"' in line else ""
            found[label] = float(line.rsplit(" ", 1)[1])
    return found


def config_of(upstream, **more):
    config = usual_config(upstream, **more)
    for model in config["models"]:
        model["cache"] = {"ttl": "10m"}
    return config


@pytest.fixture(scope="module")
def cached(start_once, upstream):
    return start_once(config_of(upstream), env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})


@pytest.fixture
def caller(cached):
    with Client(cached.url) as client:
        yield client


def answers(script, stream, *pieces, **more):
    """A model whose provider says this each time."""
    pieces = pieces or WORDS
    return script(*up.stream(*pieces, **more) if stream else [up.reply(up.completion("".join(pieces), **more))])


# --- configuration and requests ---


@pytest.mark.parametrize("model, options, says", [
    ({"cache": {"ttl": "2d"}}, {}, "exceeds cache_keep"),
    ({"cache": {"ttl": "10m"}}, {"cache_size": 0}, "cache_size is 0"),
    ({"cache": {}}, {}, "needs a ttl"),
    ({"cache": {"ttl": "soon"}}, {}, "ttl"),
    ({"cache": {"tll": "10m"}}, {}, "did you mean ttl"),
    ({"cache": "10m"}, {}, "map"),
])
def test_a_cache_that_cannot_work_is_refused(start, model, options, says):
    g = start({"models": [{"name": "m", "provider": "echo", **model}], **options}, ready=False)
    code, said = g.fails_to_start()
    assert code != 0 and says in said


def test_the_cache_of_a_model_is_shown(tmp_path):
    config = tmp_path / "parley.yaml"
    config.write_text("models: [{name: m, provider: echo, cache: {ttl: 90s}}]\n")
    said = gw.run("--config", str(config), "--print-config").stdout
    assert "    cache: {ttl: 90s}\n" in said and "cache_keep: 24h" in said


@pytest.mark.parametrize("value", ["yes", "ttl=0", "ttl=x", "ttl", "use, never"])
def test_a_wrong_header_is_refused(client, value):
    reply = client.request("POST", "/v1/chat/completions", {"model": "echo", "messages": HI},
                           headers={"x-parley-cache": value})
    assert reply.status == 400 and reply.json["error"]["param"] == "x-parley-cache"


# --- hits ---


@pytest.mark.parametrize("path, stream, store", SAME)
def test_an_equal_request_gets_the_answer_again(caller, script, path, stream, store):
    s = answers(script, stream)
    first = ask(caller, path, s.model, stream=stream, store=store).ok()
    assert result(first) == "miss" and "age" not in first.headers
    again = [ask(caller, path, s.model, stream=stream, store=store).ok() for _ in range(3)]
    for reply in again:
        assert result(reply) == "hit" and 0 <= int(reply.headers["age"]) < 60
        assert bare(reply) == bare(first)
        assert reply.headers["x-parley-cached-from"].startswith("run_")
    assert len(s.exchanges) == 1
    ask(caller, path, s.model, "something else", stream=stream, store=store).ok()
    assert len(s.exchanges) == 2


@pytest.mark.parametrize("path", FAMILIES)
@pytest.mark.parametrize("stream", [False, True])
def test_a_stream_gets_a_plain_answer_and_the_other_way_round(caller, script, path, stream):
    s = answers(script, stream)
    plain = answers(script, not stream)
    ask(caller, path, s.model, stream=stream).ok()
    other = ask(caller, path, s.model, stream=not stream).ok()
    expected = ask(caller, path, plain.model, stream=not stream).ok()
    assert result(other) == "hit" and len(s.exchanges) == 1
    assert "".join(said(other, path)) == "".join(said(expected, path)) == "".join(WORDS)


def said(reply, path):
    """The pieces of text in an answer of any family."""
    blocks = [b[5:] for b in reply.body.split(b"\n") if b.startswith(b"data:")] or [reply.body]

    def texts(value):
        if isinstance(value, dict):
            kind = str(value.get("type", ""))
            if kind.endswith((".done", ".completed", ".added", "_start", "_stop")) or kind in ("file",):
                return
            for key, inner in value.items():
                if key in ("content", "text", "delta") and isinstance(inner, str):
                    yield inner
                elif key not in ("warnings", "error", "execution"):
                    yield from texts(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from texts(inner)
    return [t for b in blocks if b.strip() not in (b"", b"[DONE]") for t in texts(json.loads(b))]


def test_a_call_of_a_tool_is_given_again(caller, script):
    tool = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [tool]}
    s = script(up.reply(up.completion(message=message, finish="tool_calls")))
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]
    first = ask(caller, COMPLETIONS, s.model, tools=tools).ok()
    again = ask(caller, COMPLETIONS, s.model, tools=tools).ok()
    stream = ask(caller, COMPLETIONS, s.model, tools=tools, stream=True).ok()
    assert result(again) == result(stream) == "hit" and bare(again) == bare(first)
    assert b'"name":"f"' in stream.body and b'"finish_reason":"tool_calls"' in stream.body
    assert len(s.exchanges) == 1


def test_a_hit_of_a_stored_call_is_a_run_of_its_own(caller, script):
    s = answers(script, True)
    first = ask(caller, CHAT, s.model, stream=True, store=True).ok()
    again = ask(caller, CHAT, s.model, stream=True, store=True).ok()
    assert result(again) == "hit"
    ids = [r.headers["x-run-id"] for r in (first, again)]
    assert ids[0] != ids[1] and again.headers["x-parley-cached-from"] == ids[0]
    assert first.headers["x-conversation-id"] != again.headers["x-conversation-id"]
    runs = [caller.get(f"/v1/runs/{i}").ok().json for i in ids]
    assert [r["status"] for r in runs] == ["completed"] * 2
    assert runs[0]["usage"] == runs[1]["usage"]
    told = [[m["content"] for m in caller.messages(r.headers["x-conversation-id"])] for r in (first, again)]
    assert told[0] == told[1] and told[0][1] == "".join(WORDS)
    assert float(runs[1]["cost"]) == 0
    resumed = caller.request("GET", f"/v1/runs/{ids[1]}/events", headers={"Last-Event-ID": "2"}).ok()
    whole = caller.request("GET", f"/v1/runs/{ids[1]}/events").ok()
    assert whole.body.endswith(resumed.body) and 0 < len(resumed.body) < len(whole.body)


def told(client, reply):
    """What the run's object tells of the cache, once the ledger has the call."""
    run = f"/v1/runs/{reply.headers['x-run-id']}"
    wait_until(lambda: client.get(run).status == 200 and client.get(run).json["family"], "the call's row")
    return client.get(run).ok().json


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("store", [False, True])
def test_a_run_tells_what_the_cache_has_done(caller, script, stream, store):
    s = answers(script, stream)
    first, again = (told(caller, ask(caller, CHAT, s.model, stream=stream, store=store).ok()) for _ in range(2))
    none = told(caller, caller.post(CHAT, body(CHAT, s.model, stream=stream, store=store)).ok())
    assert (first["cache"], first["cached_from"], first["attempts"]) == ("stored", None, 1)
    assert (again["cache"], again["cached_from"], again["attempts"]) == ("hit", first["id"], 0)
    assert (none["cache"], none["cached_from"]) == (None, None)
    assert again["cost"] == "0" and (again["usage"] == first["usage"] if store else again["usage"] is None)
    listed = {r["id"]: r["cache"] for r in caller.get("/v1/runs?limit=100").ok().json["data"]}
    assert [listed[r["id"]] for r in (first, again, none)] == ["stored", "hit", None]


@pytest.mark.parametrize("stream", [False, True])
def test_a_run_tells_of_an_answer_that_is_not_kept(caller, script, stream):
    s = answers(script, stream, finish="length")
    assert told(caller, ask(caller, CHAT, s.model, stream=stream).ok())["cache"] == "miss"
    assert told(caller, ask(caller, CHAT, "echo", stream=stream, headers={
        "Cache-Control": "no-store"}).ok())["cache"] == "miss"


# --- what is no hit ---


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_an_answer_that_did_not_end_well_is_not_kept(caller, script, stream, finish):
    s = answers(script, stream, finish=finish)
    for _ in range(2):
        assert result(ask(caller, COMPLETIONS, s.model, stream=stream).ok()) == "miss"
    assert len(s.exchanges) == 2


def test_an_error_is_not_kept(caller, script):
    s = script(up.reply({"error": {"message": "no"}}, status=400))
    for _ in range(2):
        assert ask(caller, COMPLETIONS, s.model).status == 400
    assert len(s.exchanges) == 2


@pytest.mark.parametrize("elsewhere", ["fallback", "targets"])
def test_an_answer_that_went_on_at_another_target_is_not_kept(start, upstream, script, elsewhere):
    first, second = script(up.sse(), up.role(), up.text("one "), up.hang_up()), script(*up.stream("two ", "three"))
    targets = [{"provider": "a", "upstream_model": first.name, "weight": 1000},
               {"provider": "b", "upstream_model": second.name}]
    models = [{"name": "m", "targets": targets}] if elsewhere == "targets" else [
        {"name": "m", "provider": "a", "upstream_model": first.name, "fallback": ["f"]},
        {"name": "f", "provider": "b", "upstream_model": second.name}]
    models[0] |= {"resume": "fallback", "cache": {"ttl": "10m"}}
    g = start({"providers": [provider(upstream, "a"), provider(upstream, "b")], "models": models})
    with Client(g.url) as client:
        said_first = next(text for text in map(str, range(100))
                          if b"one " in ask(client, COMPLETIONS, "m", text, stream=True).ok().body)
        assert len(first.exchanges) == 1
        assert result(ask(client, COMPLETIONS, "m", said_first, stream=True).ok()) == "miss"


@pytest.mark.parametrize("more", [
    {"temperature": 0.5}, {"max_tokens": 9}, {"top_p": 0.5}, {"messages": [*HI, {"role": "user", "content": "x"}]},
    {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]}, {"seed": 3}, {"n": 2},
])
def test_other_words_are_another_request(caller, script, more):
    s = answers(script, False)
    ask(caller, COMPLETIONS, s.model).ok()
    assert result(ask(caller, COMPLETIONS, s.model, **more).ok()) == "miss"


@pytest.mark.parametrize("more", [
    {"user": "u"}, {"metadata": {"a": "b"}}, {"store": True}, {"safety_identifier": "s"}, {"prompt_cache_key": "k"},
])
def test_words_about_the_asker_are_not(caller, script, more):
    s = answers(script, False)
    ask(caller, COMPLETIONS, s.model).ok()
    assert result(ask(caller, COMPLETIONS, s.model, **more).ok()) == "hit"


def test_nobody_who_does_not_ask_gets_a_kept_answer(caller, script):
    s = answers(script, False)
    ask(caller, COMPLETIONS, s.model).ok()
    for headers in ({}, {"Cache-Control": "only-if-cached"}, {"Cache-Control": "max-age=60"}):
        reply = caller.request("POST", COMPLETIONS, body(COMPLETIONS, s.model), headers=headers).ok()
        assert result(reply) is None
    assert len(s.exchanges) == 4


def test_a_model_without_a_cache_is_passed_by(client):
    assert result(ask(client, COMPLETIONS, "echo").ok()) == "bypass"
    refused = ask(client, COMPLETIONS, "echo", headers={"x-parley-cache": "only"})
    refused.error(412, "not_cached")
    assert result(refused) == "bypass"


@pytest.mark.parametrize("stream", [False, True])
def test_errors_and_the_log_say_what_the_cache_has_done(cached, caller, script, stream):
    def logged(reply):
        line = cached.wait_log(f'"request_id":"{reply.headers["x-request-id"]}".*')
        return re.search(r'"cache":"(\w+)"', line.group(0)).group(1)
    failing, s = script(up.reply({"error": {"message": "no"}}, status=400)), answers(script, stream)
    refused = ask(caller, COMPLETIONS, s.model, stream=stream, headers={"x-parley-cache": "only"})
    first = ask(caller, COMPLETIONS, s.model, stream=stream)
    again = ask(caller, COMPLETIONS, s.model, stream=stream)
    replies = [refused, ask(caller, COMPLETIONS, failing.model, stream=stream), first, again]
    assert [r.status for r in replies] == [412, 400, 200, 200]
    assert [result(r) for r in replies] == [logged(r) for r in replies] == ["miss", "miss", "miss", "hit"]


def test_headers_narrow_what_is_asked(caller, script):
    s = answers(script, False)

    def tell(cache="use", control=None):
        more = {"Cache-Control": control} if control else {}
        return ask(caller, COMPLETIONS, s.model, headers={"x-parley-cache": cache, **more})
    tell("only").error(412, "not_cached")
    tell(control="only-if-cached").error(412, "not_cached")
    assert len(s.exchanges) == 0
    assert result(tell(control="no-store").ok()) == "miss"
    tell("only").error(412, "not_cached")
    first = tell("ttl=600").ok()
    assert result(first) == "miss" and result(tell("only").ok()) == "hit"
    assert result(tell(control="max-age=600").ok()) == "hit"
    assert result(tell("refresh").ok()) == "miss" and result(tell(control="no-cache").ok()) == "miss"
    assert result(tell("only").ok()) == "hit" and len(s.exchanges) == 4


def test_a_kept_answer_expires(caller, script):
    s = answers(script, False)
    ask(caller, COMPLETIONS, s.model, headers={"x-parley-cache": "ttl=1"}).ok()
    wait_until(lambda: ask(caller, COMPLETIONS, s.model, headers={"x-parley-cache": "only"}).status == 412,
               "the end of the answer's time")


# --- equal calls at the same time ---


@pytest.mark.parametrize("streams", [(False, False), (True, True), (False, True), (True, False)])
def test_equal_calls_at_once_are_one_call(cached, script, streams):
    gate = threading.Event()
    rest = up.stream(*WORDS) if streams[0] else [up.reply(up.completion("".join(WORDS)))]
    s = script(lambda x: gate.wait(30) and None, *rest)

    def call(stream):
        with Client(cached.url) as client:
            return ask(client, COMPLETIONS, s.model, stream=stream).ok()
    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(call, streams[0])
        s.wait(1)
        others = [pool.submit(call, streams[1]) for _ in range(4)]
        gate.set()
        assert result(first.result()) == "miss"
        assert {result(o.result()) for o in others} <= {"joined", "hit"}
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_who_waits_for_an_equal_call_may_leave(cached, script, stream):
    gate = threading.Event()
    s = script(lambda x: gate.wait(30) and None, *(up.stream(*WORDS) if stream else
                                                   [up.reply(up.completion("".join(WORDS)))]))

    def call():
        with Client(cached.url) as client:
            return ask(client, COMPLETIONS, s.model, stream=stream).ok()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(call)
        s.wait(1)
        mark = len(cached.lines)
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(cached.url + COMPLETIONS, json=body(COMPLETIONS, s.model, stream=stream), headers=USE,
                       timeout=0.5)
        cached.wait_log(r'"outcome":"client_left"', mark)
        gate.set()
        assert result(first.result()) == "miss"
        assert result(call()) == "hit"
    assert len(s.exchanges) == 1


def test_an_answer_that_is_not_kept_is_not_waited_for_again(cached, script):
    gate = threading.Event()
    s = script(lambda x: gate.wait(30) and None, up.reply(up.completion("cut", finish="length")))

    def call():
        with Client(cached.url) as client:
            return ask(client, COMPLETIONS, s.model).ok()
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(call) for _ in range(4)]
        s.wait(1)
        gate.set()
        assert {result(w.result()) for w in waiting} == {"miss"}
    assert len(s.exchanges) == 4


def test_a_stop_ends_the_wait(start, upstream, script):
    g = start(config_of(upstream), env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY}, args=["--drain-timeout", "0s"])
    gate = threading.Event()
    s = script(lambda x: gate.wait(30) and None, up.reply(up.completion("x")))

    def call():
        with Client(g.url) as client:
            return ask(client, COMPLETIONS, s.model).status
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(call)]
        s.wait(1)
        calls.append(pool.submit(call))
        wait_until(lambda: active_calls(g) == 2, "both calls")
        g.stop()
        gate.set()
        assert {c.result() for c in calls} == {503}


def active_calls(gateway):
    with Client(gateway.url) as client:
        return client.get("/v1/admin/overview").ok().json["calls"]["active"]


# --- gateways that share a database ---


@pytest.fixture
def beside(server, database, upstream, start):
    """Gateways on one PostgreSQL database, whatever engine the others use."""
    def make():
        return start(config_of(upstream, database=server.url(database), commit_after="50ms"), env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})
    return [make(), make()]


@pytest.mark.parametrize("stream", [False, True])
def test_gateways_that_share_a_database_make_one_call(beside, script, stream):
    gate = threading.Event()
    s = script(lambda x: gate.wait(30) and None,
               *(up.stream(*WORDS) if stream else [up.reply(up.completion("".join(WORDS)))]))

    def call(gateway):
        with Client(gateway.url) as client:
            return ask(client, COMPLETIONS, s.model, stream=stream).ok()
    with ThreadPoolExecutor(6) as pool:
        first = pool.submit(call, beside[0])
        s.wait(1)
        others = [pool.submit(call, g) for g in [beside[1]] * 3 + [beside[0]]]
        for gateway, active in zip(beside, (2, 3)):
            wait_until(lambda: active_calls(gateway) == active, "all calls")  # noqa: B023, it is called at once
        gate.set()
        assert result(first.result()) == "miss"
        assert [result(o.result()) for o in others] == ["joined"] * 4
        assert {tuple(bare(o.result())) for o in others} == {tuple(bare(first.result()))}
    assert len(s.exchanges) == 1


def test_gateways_that_share_a_database_share_answers(beside, script):
    s = answers(script, False)
    with Client(beside[0].url) as one, Client(beside[1].url) as two:
        first = ask(one, COMPLETIONS, s.model).ok()
        wait_until(lambda: kept(two, s.model), "the answer")
        assert bare(ask(two, COMPLETIONS, s.model).ok()) == bare(first)
        assert two.request("DELETE", "/v1/cache").ok().json["removed"] == 1
        assert not kept(one, s.model)
    assert len(s.exchanges) == 1


def test_an_answer_that_is_not_kept_is_made_by_each_gateway(beside, script):
    gate = threading.Event()
    s = script(lambda x: gate.wait(30) and None, up.reply(up.completion("cut", finish="length")))

    def call(gateway):
        with Client(gateway.url) as client:
            return result(ask(client, COMPLETIONS, s.model).ok())
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(call, beside[0])
        s.wait(1)
        other = pool.submit(call, beside[1])
        wait_until(lambda: active_calls(beside[1]) == 1, "the other call")
        gate.set()
        assert (first.result(), other.result()) == ("miss", "miss")
    assert len(s.exchanges) == 2


def test_who_waits_for_another_gateway_may_leave(beside, script):
    gate = threading.Event()
    s = script(lambda x: gate.wait(30) and None, up.reply(up.completion("x")))

    def call(gateway):
        with Client(gateway.url) as client:
            return result(ask(client, COMPLETIONS, s.model).ok())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(call, beside[0])
        s.wait(1)
        mark = len(beside[1].lines)
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(beside[1].url + COMPLETIONS, json=body(COMPLETIONS, s.model), headers=USE, timeout=0.5)
        beside[1].wait_log(r'"outcome":"client_left"', mark)
        gate.set()
        assert first.result() == "miss"
    assert len(s.exchanges) == 1


def test_a_killed_gateway_leaves_no_one_waiting(beside, script, server, database):
    gate = threading.Event()
    s = script(lambda x: gate.wait(30) and None, up.reply(up.completion("x")))

    def call(gateway):
        with Client(gateway.url) as client:
            return result(ask(client, COMPLETIONS, s.model).ok())
    with ThreadPoolExecutor(2) as pool:
        lost = pool.submit(call, beside[0])
        s.wait(1)
        other = pool.submit(call, beside[1])
        wait_until(lambda: active_calls(beside[1]) == 1, "the other call")
        beside[0].process.kill()  # kill() would end the lease in the database of the other tests
        beside[0].process.wait(DEADLINE)
        beside[0].process = None
        server.sql("UPDATE gateway SET lease_until = now() - interval '1 s' WHERE id = (SELECT "
                   "gateway FROM idempotency WHERE http = 0)", database)
        gate.set()
        assert other.result() == "miss"
        with pytest.raises(httpx.HTTPError):
            lost.result()


# --- owners ---


@pytest.fixture(scope="module")
def owners(start_once, upstream):
    """Two keys of different owners, and a model that says another thing each time."""
    g = start_once(config_of(upstream), env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})
    made = [keys.make(g, "--name", n) for n in "ab"]
    for one in made:
        keys.known(g, one)
    return g, made


def never_across(owners, script, pairs):
    g, made = owners
    dice = random.Random(pairs)
    with keys.client_of(g, made[0]["key"]) as a, keys.client_of(g, made[1]["key"]) as b:
        for number in range(pairs):
            path, streams = dice.choice([*FAMILIES, TEXT]), [dice.random() < 0.5 for _ in "ab"]
            text = f"{number} {dice.random()}"
            assert result(ask(a, path, "echo", text, stream=streams[0]).ok()) == "miss"
            other = ask(b, path, "echo", text, stream=streams[1]).ok()
            assert result(other) == "miss", (path, streams, text)
            assert result(ask(a, path, "echo", text, stream=streams[0]).ok()) == "hit"


def test_an_answer_is_never_given_to_another_owner(owners, script):
    never_across(owners, script, 40)


@pytest.mark.long
def test_an_answer_is_never_given_to_another_owner_in_1000_pairs(owners, script):
    never_across(owners, script, 1000)


# --- keys that ask ---


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", FAMILIES)
def test_a_key_asks_for_all_its_calls(owners, script, path, stream):
    g, _ = owners
    s = answers(script, stream)
    made = keys.known(g, keys.make(g, "--name", "c", "--cache", "on"))
    assert made["cache"] is True
    with keys.client_of(g, made["key"]) as client:
        assert client.get("/v1/me").ok().json["cache"] is True

        def tell(**headers):
            return result(client.request("POST", path.format(s.model.replace("/", "%2F")),
                                         body(path, s.model, stream=stream), headers=headers).ok())
        assert [tell(), tell(), tell(**{"x-parley-cache": "off"}), tell(**{"Cache-Control": "no-cache"}),
                tell(**{"Cache-Control": "no-store"}), tell(**{"x-parley-cache": "only"})] == [
                    "miss", "hit", None, "miss", "hit", "hit"]
    assert len(s.exchanges) == 3


def test_what_a_key_asks_can_be_changed(owners):
    g, _ = owners
    made = keys.known(g, keys.make(g, "--name", "d"))
    with Client(g.url, keys.bearer(admin_key(g))) as admin, keys.client_of(g, made["key"]) as client:
        for says in (True, False):
            asked = admin.post(f"/v1/admin/keys/{made['id']}", {"cache": says}).ok().json
            assert asked["cache"] is says and asked["scopes"] == ["chat", "read", "files"]
            assert asked == admin.post(f"/v1/admin/keys/{made['id']}", {"name": "d"}).ok().json
            got = client.request("POST", COMPLETIONS, body(COMPLETIONS, "echo", f"a key {says}")).ok()
            assert result(got) == ("miss" if says else None)
        admin.post(f"/v1/admin/keys/{made['id']}", {"cache": "on"}).error(400, param="cache")


def test_the_command_for_keys_knows_the_cache(owners):
    g, _ = owners
    made = keys.make(g, "--name", "e", "--cache", "on")
    assert keys.command(g, "update", made["id"], "--cache", "off", "--json").stdout.count('"cache":false') == 1
    keys.command(g, "update", made["id"], "--cache", "perhaps", code=64)


@pytest.mark.parametrize("action, says", [({"use_cache": True}, "miss"), ({"use_cache": False}, None), ({}, None)])
def test_an_agent_of_rebyte_asks_in_its_config(caller, script, action, says):
    s = answers(script, False)
    ask_so = {"config": {"MODEL_CALL": action}}
    path = REBYTE.format(s.model.replace("/", "%2F"))
    first = caller.request("POST", path, body(REBYTE, s.model, **ask_so)).ok()
    again = caller.request("POST", path, body(REBYTE, s.model, **ask_so)).ok()
    assert (result(first), result(again)) == (says, "hit" if says else None)


# --- removal ---


def kept(client, model, said="hi"):
    return ask(client, COMPLETIONS, model, said, headers={"x-parley-cache": "only"}).status == 200


def test_an_owner_removes_his_own_answers(owners, script):
    g, made = owners
    with keys.client_of(g, made[0]["key"]) as a, keys.client_of(g, made[1]["key"]) as b, \
            Client(g.url, keys.bearer(admin_key(g))) as admin:
        for one in (a, b):
            ask(one, COMPLETIONS, "echo", "of each").ok()
            wait_until(lambda one=one: kept(one, "echo", "of each"), "the answer")
        assert a.request("DELETE", "/v1/cache").ok().json["removed"] > 0
        assert not kept(a, "echo", "of each") and kept(b, "echo", "of each")
        assert a.request("DELETE", "/v1/cache").ok().json == {"object": "cache", "removed": 0}
        admin.request("DELETE", "/v1/admin/cache").error(400, param="key")
        for removes in (True, False):
            path = f"/v1/admin/cache?key={made[1]['id']}"
            assert (admin.request("DELETE", path).ok().json["removed"] > 0) is removes
        assert not kept(b, "echo", "of each")
        noted = admin.get("/v1/admin/audit?action=cache.clear").ok().json["data"]
        assert [x["object_id"] for x in noted] == [made[1]["id"]], "what removes nothing is not noted"


def admin_key(gateway):
    return keys.make(gateway, "--name", "boss", "--scopes", "admin")["key"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_deleted_conversation_takes_its_answer_along(caller, script, stream):
    s = answers(script, stream)
    first = ask(caller, CHAT, s.model, stream=stream, store=True).ok()
    hit = ask(caller, CHAT, s.model, stream=stream, store=True).ok()
    assert result(hit) == "hit"
    caller.request("DELETE", f"/v1/conversations/{hit.headers['x-conversation-id']}").ok()
    assert result(ask(caller, CHAT, s.model, stream=stream).ok()) == "hit"
    caller.request("DELETE", f"/v1/conversations/{first.headers['x-conversation-id']}").ok()
    assert result(ask(caller, CHAT, s.model, stream=stream).ok()) == "miss"


# How a stored answer is asked for, and what is deleted then: the answer, or what it answered.
DELETIONS = {
    "answer": (CHAT, lambda c, r: f"/v1/conversations/{r.headers['x-conversation-id']}/items/msg_{r.headers['x-run-id'][4:]}"),
    "question": (CHAT, lambda c, r: f"/v1/conversations/{r.headers['x-conversation-id']}/items/"
                 + c.get(f"/v1/conversations/{r.headers['x-conversation-id']}/items?order=asc").ok().json["data"][0]["id"]),
    "response": (RESPONSES, lambda c, r: f"/v1/responses/resp_{r.headers['x-run-id'][4:]}"),
    "completion": (COMPLETIONS, lambda c, r: f"/v1/chat/completions/chatcmpl-{r.headers['x-run-id'][4:]}"),
}


@pytest.mark.parametrize("what", DELETIONS)
def test_a_deleted_message_takes_its_answer_along(caller, script, what):
    path, place = DELETIONS[what]
    s = answers(script, False)
    first = ask(caller, path, s.model, store=True).ok()
    assert result(ask(caller, path, s.model).ok()) == "hit"
    caller.request("DELETE", place(caller, first)).ok()
    assert result(ask(caller, path, s.model).ok()) == "miss"


def test_a_revoked_key_reaches_no_answer_and_another_of_its_owner_does(owners):
    g, _ = owners
    old = keys.known(g, keys.make(g, "--name", "old"))
    new = keys.known(g, keys.make(g, "--name", "new", "--share", old["id"]))
    with keys.client_of(g, old["key"]) as a, keys.client_of(g, new["key"]) as b:
        ask(a, COMPLETIONS, "echo", "of the old key").ok()
        assert result(ask(b, COMPLETIONS, "echo", "of the old key").ok()) == "hit"
        keys.command(g, "revoke", old["id"])
        wait_until(lambda: a.get("/v1/models").status == 401, "the end of the key")
        ask(a, COMPLETIONS, "echo", "of the old key").error(401)
        assert kept(b, "echo", "of the old key")


def test_the_oldest_answers_go_first(start, upstream):
    g = start({"models": [{"name": "m", "provider": "echo", "cache": {"ttl": "1h"}}], "cache_size": "64KiB"})
    with Client(g.url) as client:
        for number in range(64):
            ask(client, COMPLETIONS, "m", f"{number} " + "x" * 2000).ok()
        wait_until(lambda: kept(client, "m", "63 " + "x" * 2000), "the newest answer")
        assert not kept(client, "m", "0 " + "x" * 2000)
    assert metric(g, "parley_cache_bytes")[""] <= 64 * 1024


def test_answers_survive_a_restart(start, upstream):
    g = start({"models": [{"name": "m", "provider": "echo", "cache": {"ttl": "1h"}}]})
    with Client(g.url) as client:
        ask(client, COMPLETIONS, "m").ok()
        wait_until(lambda: kept(client, "m"), "the answer")
    g.restart()
    with Client(g.url) as client:
        assert kept(client, "m")


# --- what is counted ---


def test_a_hit_costs_nothing_and_counts_as_a_request(start, upstream, script):
    config = config_of(upstream)
    for model in config["models"]:
        model["price"] = {"input": "1000", "output": "1000"}
    g = start(config, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})
    s = answers(script, True)
    made = keys.known(g, keys.make(g, "--name", "a", "--budget", "0.045"))
    with keys.client_of(g, made["key"]) as client:
        replies = [ask(client, COMPLETIONS, s.model, stream=True, max_tokens=8).ok() for _ in range(4)]
        assert [result(r) for r in replies] == ["miss", "hit", "hit", "hit"]
        wait_until(lambda: client.get("/v1/usage").ok().json["data"][0]["calls"] == 4, "the sums of the day")
        usage = client.get("/v1/usage").ok().json
        client.post(COMPLETIONS, body(COMPLETIONS, s.model, "else", max_tokens=8)).error(429, "insufficient_quota")
    [day] = usage["data"]
    assert day["calls"] == 4 and day["input_tokens"] == 11 and day["output_tokens"] == 7
    assert usage["budget"]["cost"]["spent"] == day["cost"]
    boss = keys.bearer(admin_key(g))
    saved = metric(g, "parley_cache_saved_total", boss)[""]
    assert saved == pytest.approx(3 * float(day["cost"]))
    with Client(g.url, boss) as admin:
        told = admin.get("/v1/admin/overview").ok().json["cache"]
    assert {k: told[k] for k in ("hits", "misses", "bypassed", "stored")} == {
        "hits": 3, "misses": 1, "bypassed": 0, "stored": 1}
    counted = metric(g, "parley_cache_total", boss)
    assert counted == {"miss": 1, "hit": 3, "stored": 1}
