"""The answer cache where something is wrong: with a kept answer, with the answer to be kept, or with who asks."""

import contextlib
import json
import re
import socket
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import keys
import postgres
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider
from gateway import ENGINE
from test_cache import CHAT, COMPLETIONS, HI, RESPONSES, USE, active_calls, admin_key, answers, ask, bare, body, config_of, kept, metric, result
from upstream import in_turn
from waiting import wait_until
from wires import WIRES

ENV = {"TEST_UPSTREAM_KEY": UPSTREAM_KEY}


def change(gateway, sql):
    """A statement that no gateway makes."""
    if ENGINE != "sqlite":
        postgres.shared().sql(sql, gateway.database_name)
        return
    with contextlib.closing(sqlite3.connect(gateway.file, timeout=30)) as db, db:
        db.execute(sql)


def ask_until_kept(client, model, *args, **more):
    reply = ask(client, COMPLETIONS, model, *args, **more).ok()
    wait_until(lambda: kept(client, model), "the answer")
    return reply


# --- kept answers that can't be read ---


HALF = {"sqlite": "substr(body, 1, length(body) / 2)", "postgres": "substring(body, 1, length(body) / 2)"}
WORD = {"sqlite": "x'0102030405'", "postgres": r"'\x0102030405'"}
NONE = {"sqlite": "x''", "postgres": r"'\x'"}
ENGINE_NAME = "sqlite" if ENGINE == "sqlite" else "postgres"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("damage", [HALF, WORD, NONE])
@pytest.mark.parametrize("sized", [False, True])
def test_a_kept_answer_that_cannot_be_read_is_made_anew(start, upstream, script, damage, stream, sized):
    p = provider(upstream, "local", api_key_env="TEST_UPSTREAM_KEY")
    del p["retries"]
    g = start({"providers": [p], "models": [{"name": "t/*", "provider": "local", "cache": {"ttl": "10m"}}]}, env=ENV)
    s = answers(script, stream)
    with Client(g.url) as client:
        first = ask_until_kept(client, s.model, stream=stream)
        change(g, f"UPDATE cached SET body = {damage[ENGINE_NAME]}")
        if sized:
            change(g, "UPDATE cached SET size = length(body) + 512")
        again = ask(client, COMPLETIONS, s.model, stream=stream).ok()
        assert result(again) == "miss" and again.status == first.status
        wait_until(lambda: kept(client, s.model), "the new answer")
    assert g.alive() and len(s.exchanges) == 2


# --- whose answer is kept ---


def test_an_answer_of_a_fallback_that_was_stayed_at_is_not_kept(start, upstream, script):
    down = [True]

    def main(exchange):
        reply = up.reply({"error": {"message": "down"}}, status=500) if down[0] else up.reply(up.completion("main"))
        return reply(exchange)
    s, f = script(main), script(up.reply(up.completion("fallback")))
    g = start({"providers": [provider(upstream, name, api_key_env="TEST_UPSTREAM_KEY") for name in ("a", "b")],
               "models": [{"name": "m", "provider": "a", "upstream_model": s.name, "cache": {"ttl": "10m"},
                           "fallback": ["f"], "affinity": "session"},
                          {"name": "f", "provider": "b", "upstream_model": f.name}]}, env=ENV)
    with Client(g.url) as client:
        def chat(said, **more):
            asked = {"messages": said, "config": {"model": "m"}, **more}
            return client.request("POST", CHAT, asked, headers=USE).ok()
        first = chat(HI)
        down[0] = False
        second = chat([{"role": "user", "content": "more"}], conversation=first.headers["x-conversation-id"])
        assert second.text == "fallback"
        again = chat([*HI, {"role": "assistant", "content": "fallback"}, {"role": "user", "content": "more"}],
                     store=False)
        assert (result(again), again.text) == ("miss", "main")


# --- what is left out of an answer, or of its end ---


@pytest.fixture(scope="module")
def g(start_once, upstream):
    return start_once(config_of(upstream), env=ENV)


@pytest.fixture
def caller(g):
    with Client(g.url) as client:
        yield client


def given(client, model, **more):
    """Whether such a call is given a kept answer."""
    return ask(client, COMPLETIONS, model, headers={"x-parley-cache": "only"}, **more).status == 200


def play(exchange, steps):
    for step in steps:
        step(exchange)


CITED = [{"type": "url_citation", "url_citation": {"url": "http://x", "title": "t", "start_index": 0, "end_index": 1}}]
SPOKEN = {"id": "audio_1", "data": "AAAA", "transcript": "hi", "expires_at": 1}


@pytest.mark.parametrize("message, top", [
    ({"annotations": CITED}, {}), ({"audio": SPOKEN, "content": None}, {}), ({"unheard": {"of": 1}}, {}),
    ({}, {"citations": ["http://x"]}),
])
def test_a_plain_answer_that_a_stream_would_not_have_whole_is_for_plain_calls(caller, script, message, top):
    whole = up.completion(message={"role": "assistant", "content": "a", **message}, **top)
    s = script(lambda x: play(x, up.stream("a") if json.loads(x.request.body).get("stream") else [up.reply(whole)]))
    first = ask(caller, COMPLETIONS, s.model).ok()
    wait_until(lambda: given(caller, s.model), "the answer")
    again = ask(caller, COMPLETIONS, s.model).ok()
    assert result(again) == "hit" and bare(again) == bare(first)
    assert result(ask(caller, COMPLETIONS, s.model, stream=True).ok()) == "miss"


@pytest.mark.parametrize("delta, top", [({"annotations": CITED}, {}), ({"unheard": 1}, {}), ({}, {"citations": ["x"]})])
def test_a_stream_that_a_plain_answer_would_not_have_whole_is_for_streams(caller, script, delta, top):
    chunks = [up.sse(), up.role(), up.text("a"), up.data(up.chunk(delta, **top)), *up.ending()]
    s = script(lambda x: play(x, chunks if json.loads(x.request.body).get("stream") else [up.reply(up.completion())]))
    ask(caller, COMPLETIONS, s.model, stream=True).ok()
    wait_until(lambda: given(caller, s.model, stream=True), "the answer")
    assert result(ask(caller, COMPLETIONS, s.model, stream=True).ok()) == "hit"
    assert result(ask(caller, COMPLETIONS, s.model).ok()) == "miss"


def test_a_usual_answer_is_for_both_kinds(caller, script):
    usual = {"role": "assistant", "content": "a", "refusal": None, "annotations": [], "audio": None, "tool_calls": []}
    s = script(up.reply(up.completion(message=usual, system_fingerprint="fp", service_tier="default")))
    ask(caller, COMPLETIONS, s.model).ok()
    wait_until(lambda: given(caller, s.model), "the answer")
    assert result(ask(caller, COMPLETIONS, s.model, stream=True).ok()) == "hit"


def test_calls_for_speech_are_apart(caller, script):
    s = script(up.reply(up.completion("a")))
    more = {"modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "pcm16"}}
    ask(caller, COMPLETIONS, s.model, **more).ok()
    wait_until(lambda: given(caller, s.model, **more), "the answer")
    assert ask(caller, COMPLETIONS, s.model, stream=True, headers={"x-parley-cache": "only"}, **more).status == 412


@pytest.mark.parametrize("second", ["length", "content_filter", None])
def test_one_of_several_answers_that_did_not_end_well_keeps_none(caller, script, second):
    two = up.completion("a")
    two["choices"].append({"index": 1, "message": {"role": "assistant", "content": "b"}, "finish_reason": second})
    s = script(up.reply(two))
    for _ in range(2):
        assert result(ask(caller, COMPLETIONS, s.model, n=2).ok()) == "miss"
    assert len(s.exchanges) == 2


def test_several_answers_that_ended_well_are_kept(caller, script):
    two = up.completion("a")
    two["choices"].append({"index": 1, "message": {"role": "assistant", "content": "b"}, "finish_reason": "stop"})
    s = script(up.reply(two))
    ask(caller, COMPLETIONS, s.model, n=2).ok()
    wait_until(lambda: given(caller, s.model, n=2), "the answers")
    assert result(ask(caller, COMPLETIONS, s.model, n=2).ok()) == "hit"


def test_an_answer_without_a_reason_for_its_end_is_not_kept(caller, script):
    s = script(up.reply(up.completion("x", finish=None)))
    for _ in range(2):
        assert result(ask(caller, COMPLETIONS, s.model).ok()) == "miss"
    assert len(s.exchanges) == 2


# --- what a client asks ---


@pytest.mark.parametrize("header, lines", [
    ("Cache-Control", ["no-store", "max-age=60"]), ("Cache-Control", ["max-age=60", "no-store"]),
    ("Cache-Control", ["no-store"]),
])
def test_each_line_of_a_header_counts(g, caller, script, header, lines):
    s = script(up.reply(up.completion("x")))
    sent = [("x-parley-cache", "use"), *((header, line) for line in lines)]
    reply = httpx.post(g.url + COMPLETIONS, json=body(COMPLETIONS, s.model), headers=sent)
    assert reply.headers["x-parley-cache"] == "miss"
    assert result(ask(caller, COMPLETIONS, s.model).ok()) == "miss"


def test_lines_of_the_gateways_own_header_are_one_list(g, caller, script):
    s = script(up.reply(up.completion("x")))
    ask(caller, COMPLETIONS, s.model).ok()
    wait_until(lambda: given(caller, s.model), "the answer")
    sent = [("x-parley-cache", "refresh"), ("x-parley-cache", "ttl=60")]
    reply = httpx.post(g.url + COMPLETIONS, json=body(COMPLETIONS, s.model), headers=sent)
    assert reply.headers["x-parley-cache"] == "miss"


def test_an_age_of_nothing_asks_for_a_new_answer(caller, script):
    s = script(up.reply(up.completion("x")))
    ask(caller, COMPLETIONS, s.model).ok()
    wait_until(lambda: given(caller, s.model), "the answer")
    assert result(ask(caller, COMPLETIONS, s.model, headers={"Cache-Control": "max-age=0"}).ok()) == "miss"
    assert len(s.exchanges) == 2


def test_no_answer_is_older_than_may_be_kept_now(start):
    g = with_one(start, cache_keep="1h")
    change(g, "UPDATE cached SET created_ms = created_ms - 3590000")
    with Client(g.url) as client:
        assert kept(client, "m")
        change(g, "UPDATE cached SET created_ms = created_ms - 3600000")
        assert not kept(client, "m")


# --- which requests are equal ---


@pytest.mark.parametrize("path", [COMPLETIONS, RESPONSES])
def test_what_a_provider_is_told_of_storing_counts(caller, script, path):
    s = script(up.reply(up.completion("x")))
    model = s.under("keeper")
    ask(caller, path, model).ok()
    wait_until(lambda: ask(caller, path, model, headers={"x-parley-cache": "only"}).status == 200, "the answer")
    assert result(ask(caller, path, model, store=True).ok()) == "miss"
    assert result(ask(caller, path, model).ok()) == "hit"


def test_storing_counts_where_the_clients_own_words_are_sent(start, upstream, script):
    g = start({"providers": [provider(upstream, "r", dialect="openai-responses", api_key_env="TEST_UPSTREAM_KEY")],
               "models": [{"name": "r/*", "provider": "r", "cache": {"ttl": "10m"}}]}, env=ENV)
    s = script(next(w for w in WIRES if w.dialect == "openai-responses").whole("x"))
    with Client(g.url) as client:
        ask(client, RESPONSES, s.under("r")).ok()
        wait_until(lambda: stored(g) == 1, "the answer")
        assert result(ask(client, RESPONSES, s.under("r")).ok()) == "hit"
        assert result(ask(client, RESPONSES, s.under("r"), store=True).ok()) == "miss"


@pytest.mark.parametrize("model, entry", [
    ({"max_output": 7}, {}), ({"no_sampling": True}, {}), ({}, {"max_tokens_field": "max_completion_tokens"}),
    ({}, {"base_url": "/v1/"}), ({}, {"headers": {"x-region": "eu"}}), ({}, {"system_messages": "one"}),
])
def test_what_the_entries_say_of_answers_counts(start, upstream, script, model, entry):
    p = provider(upstream, "local", api_key_env="TEST_UPSTREAM_KEY")
    config = {"providers": [p], "models": [{"name": "t/*", "provider": "local", "cache": {"ttl": "10m"}}]}
    g = start(config, env=ENV)
    s = answers(script, False)
    with Client(g.url) as client:
        ask_until_kept(client, s.model)
    config["models"][0] |= model
    p |= {k: p[k].replace("127.0.0.1", "localhost") if k == "base_url" else v for k, v in entry.items()}
    g.stop()
    g.write_config(config)
    g.start()
    with Client(g.url) as client:
        assert not kept(client, s.model)


def test_the_name_of_the_limit_counts(caller, script):
    s = answers(script, False)
    ask(caller, COMPLETIONS, s.model, max_tokens=9).ok()
    wait_until(lambda: given(caller, s.model, max_tokens=9), "the answer")
    assert not given(caller, s.model, max_completion_tokens=9)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
def test_a_hit_has_the_warnings_of_the_first_call(start, upstream, script, path, stream):
    p = provider(upstream, "local", api_key_env="TEST_UPSTREAM_KEY")
    g = start({"providers": [p], "models": [{"name": "t/*", "provider": "local", "cache": {"ttl": "10m"},
                                             "no_sampling": True}]}, env=ENV)
    s = answers(script, stream)
    with Client(g.url) as client:
        asked = body(path, s.model, stream=stream)
        (asked["config"] if path == CHAT else asked)["temperature"] = 0.5
        first = client.request("POST", path, asked, headers=USE).ok()
        wait_until(lambda: stored(g) == 1, "the answer")
        again = client.request("POST", path, asked, headers=USE).ok()
    told = [r.headers.get("x-parley-warnings") for r in (first, again)]
    assert result(again) == "hit" and told[0] == told[1]
    assert told[0] if path == COMPLETIONS else b"parameter_dropped" in first.body
    assert (b"parameter_dropped" in first.body) == (b"parameter_dropped" in again.body)


# --- calls at the same time ---


def held(script, *replies):
    """A model whose first answer waits for the gate."""
    gate = threading.Event()
    first, *others = [up.reply(up.completion(text)) for text in replies]
    return gate, script(in_turn([lambda x: gate.wait(30) and None, first], *others))


def stored(gateway):
    return metric(gateway, "parley_cache_total").get("stored", 0)


def texts_kept(client, model):
    reply = ask(client, COMPLETIONS, model, headers={"x-parley-cache": "only"})
    return reply.text if reply.status == 200 else None


def test_an_older_call_does_not_replace_a_newer_answer(g, caller, script):
    gate, s = held(script, "old", "new")

    def first():
        with Client(g.url) as client:
            return ask(client, COMPLETIONS, s.model).ok()
    with ThreadPoolExecutor(1) as pool:
        old = pool.submit(first)
        s.wait(1)
        before = stored(g)
        ask(caller, COMPLETIONS, s.model, headers={"x-parley-cache": "refresh"}).ok()
        wait_until(lambda: stored(g) == before + 1, "the new answer")
        gate.set()
        assert old.result().text == "old"
        wait_until(lambda: stored(g) == before + 2, "the end of the older call")
        assert texts_kept(caller, s.model) == "new"


def test_an_answer_of_a_call_that_began_before_a_removal_is_not_given(g, caller, script):
    gate, s = held(script, "old")

    def first():
        with Client(g.url) as client:
            return ask(client, COMPLETIONS, s.model).ok()
    with ThreadPoolExecutor(1) as pool:
        old = pool.submit(first)
        s.wait(1)
        caller.request("DELETE", "/v1/cache").ok()
        before = stored(g)
        gate.set()
        old.result()
        wait_until(lambda: stored(g) == before + 1, "the end of the call")
        assert texts_kept(caller, s.model) is None


def raw_call(gateway, path, asked, room=None):
    """A connection on which the call was sent; room: for what is received."""
    host, port = gateway.url.split("//")[1].split(":")
    connection = socket.socket()
    if room:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    connection.connect((host, int(port)))
    content = json.dumps(asked).encode()
    connection.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
                       f"x-parley-cache: use\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)
    return connection


def test_nobody_who_has_left_waits_for_an_equal_call(start, upstream, script):
    g = start(config_of(upstream), env=ENV)
    gate, s = held(script, "x")

    def call():
        with Client(g.url) as client:
            return ask(client, COMPLETIONS, s.model).ok()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(call)
        s.wait(1)
        for _ in range(100):
            raw_call(g, COMPLETIONS, body(COMPLETIONS, s.model)).close()
        wait_until(lambda: active_calls(g) == 1, "the end of those whose clients left")
        gate.set()
        assert result(first.result()) == "miss"


def test_a_stored_hit_that_a_kill_cuts_off_costs_nothing(start, upstream, script):
    config = config_of(upstream)
    for model in config["models"]:
        model["price"] = {"input": "1000", "output": "1000"}
    g = start(config, env=ENV)
    s = script(*up.stream(*["x" * 600] * 4000))
    asked = body(CHAT, s.model, stream=True, store=True)
    with Client(g.url) as client:
        client.request("POST", CHAT, asked, headers=USE).ok()
        wait_until(lambda: stored(g) == 1, "the answer")
        wait_until(lambda: client.get("/v1/usage").ok().json["data"], "the cost of the call")
        cost = client.get("/v1/usage").ok().json["data"][0]["cost"]
    connection = raw_call(g, CHAT, asked, room=4096)
    head = connection.recv(2000).decode("latin-1").lower()
    assert "x-parley-cache: hit" in head
    run = re.search(r"x-run-id: (\S+)", head).group(1)
    g.kill()
    connection.close()
    g.start()
    with Client(g.url) as client:
        cut = wait_until(lambda: ended(client, run), "the end of the run")
        assert (cut["status"], cut["cost"]) == ("incomplete", "0")
        assert client.get("/v1/usage").ok().json["data"][0]["cost"] == cost


def ended(client, run):
    shown = client.get(f"/v1/runs/{run}").ok().json
    return shown if shown["status"] not in ("running", "queued") else None


# --- who waits for an equal call is like one whose provider is silent ---


def gated(script, finish="stop"):
    gate = threading.Event()
    first = [lambda x: gate.wait(30) and None, up.reply(up.completion("first", finish=finish))]
    return gate, script(in_turn(first, up.stream("second")))


def told(client, run):
    """The run, once the ledger has what the cache has done for it."""
    return wait_until(lambda: (shown := ended(client, run)) and shown.get("cache") and shown, "what became of the run")


@contextlib.contextmanager
def first_call(gateway, s, **more):
    """An equal call that goes on meanwhile."""
    def call():
        with Client(gateway.url) as client:
            return ask(client, CHAT, s.model, **more).ok()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(call)
        s.wait(1)
        yield first


@pytest.fixture
def eager(start, upstream):
    return start(config_of(upstream, keep_alive="1s", commit_after="50ms"), env=ENV)


@pytest.mark.parametrize("good", [True, False])
@pytest.mark.parametrize("store", [False, True])
def test_a_stream_that_waits_for_an_equal_call_is_kept_open(eager, script, store, good):
    gate, s = gated(script, "stop" if good else "length")
    with first_call(eager, s, store=store), Client(eager.url) as client, \
            client.stream(CHAT, body(CHAT, s.model, stream=True, store=store), USE) as stream:
        assert stream.headers["x-parley-cache"] == "joined" and "age" not in stream.headers
        run = stream.headers["x-run-id"]
        assert next(stream).is_comment
        if store:
            assert client.run(run)["status"] == "running"
        gate.set()
        assert stream.native().text == ("first" if good else "second")
        if store:
            shown = told(client, run)
            assert (shown["cache"], bool(shown.get("cached_from"))) == ("joined" if good else "stored", good)
    assert len(s.exchanges) == 1 + (not good)


def test_a_background_run_that_waits_is_known(eager, script):
    gate, s = gated(script)
    with first_call(eager, s, store=True), Client(eager.url) as client:
        asked = {**body(CHAT, s.model, store=True), "background": True}
        del asked["stream"]
        run = client.request("POST", CHAT, asked, headers=USE).ok(202).json["id"]
        assert client.run(run)["status"] == "running"
        gate.set()
        shown = told(client, run)
        assert (shown["status"], shown["cache"]) == ("completed", "joined")


@pytest.mark.parametrize("how", ["cancel", "kill"])
def test_a_run_that_waits_can_be_ended_and_costs_nothing(start, upstream, script, how):
    config = config_of(upstream, commit_after="50ms")
    for model in config["models"]:
        model["price"] = {"input": "1000", "output": "1000"}
    g = start(config, env=ENV)
    gate, s = gated(script)
    with ThreadPoolExecutor(1) as pool, Client(g.url) as client:
        first = pool.submit(lambda: raw_call(g, CHAT, body(CHAT, s.model)))
        s.wait(1)
        with client.stream(CHAT, body(CHAT, s.model, stream=True, store=True), USE) as stream:
            run = stream.headers["x-run-id"]
            if how == "cancel":
                client.post(f"/v1/runs/{run}/cancel").ok()
                assert stream.native().error["code"] == "cancelled"
            else:
                wait_until(lambda: g.rows("SELECT 1 FROM run WHERE bill_dropped IS NOT NULL AND status < 2"), "its news")
        if how == "kill":
            g.kill()
            g.start()
        gate.set()
        first.result().close()
    with Client(g.url) as client:
        shown = wait_until(lambda: ended(client, run), "the run's end")
        assert shown["status"] == ("cancelled" if how == "cancel" else "incomplete")
        assert shown.get("cost") in (None, "0")


@pytest.mark.parametrize("good", [True, False])
def test_a_spent_budget_does_not_stop_who_waits(start, upstream, script, good):
    config = config_of(upstream, commit_after="50ms")
    for model in config["models"]:
        model["price"] = {"input": "1000", "output": "1000"}
    g = start(config, env=ENV)
    gate, s = gated(script, "stop" if good else "length")
    made = keys.known(g, keys.make(g, "--name", "a", "--budget", "0.045"))

    def call():
        with keys.client_of(g, made["key"]) as client:
            return ask(client, COMPLETIONS, s.model, max_tokens=8)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(call)
        s.wait(1)
        second = pool.submit(call)
        with Client(g.url, keys.bearer(admin_key(g))) as admin:
            wait_until(lambda: admin.get("/v1/admin/overview").ok().json["calls"]["active"] == 2, "both calls")
        gate.set()
        assert first.result().status == 200
        assert second.result().status == (200 if good else 429)
    assert len(s.exchanges) == 1


# --- many answers ---

MANY = 1000
COPIES = {"sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) ", "postgres": ""}
NUMBERS = {"sqlite": "n", "postgres": "generate_series(1, {}) AS n(i)"}
DIGEST = {"sqlite": "randomblob(32)", "postgres": "sha256(i::text::bytea)"}


def multiply(gateway, count):
    """Copies of the one kept answer, with older names."""
    change(gateway, COPIES[ENGINE_NAME].format(count) +
           "INSERT INTO cached SELECT i, 1, owner, key, " + DIGEST[ENGINE_NAME] + ", began_ms, created_ms, expires_ms, "
           "stream, apart, nano, size, body FROM cached, " + NUMBERS[ENGINE_NAME].format(count))


def weight(gateway):
    """The size of all kept answers, as it is known and as it is."""
    return [int(gateway.rows(sql)[0][0]) for sql in ("SELECT coalesce(sum(bytes), 0) FROM cached_size",
                                                     "SELECT coalesce(sum(size), 0) FROM cached")]


def with_one(start, **options):
    g = start({"models": [{"name": "m", "provider": "echo", "cache": {"ttl": "1h"}}], **options})
    with Client(g.url) as client:
        ask_until_kept(client, "m")
    return g


def test_all_answers_of_an_owner_are_removed(start):
    g = with_one(start)
    multiply(g, MANY)
    with Client(g.url) as client:
        assert client.request("DELETE", "/v1/cache").ok().json["removed"] == MANY + 1
    assert weight(g) == [0, 0]


@pytest.mark.parametrize("whose", ["/v1/cache", "/v1/admin/cache?key=k"])
def test_what_nobody_could_be_given_does_not_count_as_removed(start, whose):
    g = with_one(start)
    multiply(g, 3)
    for sql in ("UPDATE cached SET key = 'k'", "UPDATE cached SET began_ms = 5 WHERE id = 1",
                "INSERT INTO cached_clear VALUES ('k', 5)", "UPDATE cached SET expires_ms = 1 WHERE id = 2"):
        change(g, sql)
    with Client(g.url) as client:
        assert [client.request("DELETE", whose).ok().json["removed"] for _ in range(2)] == [2, 0]


def test_the_size_of_all_answers_is_known(start):
    g = with_one(start)
    with Client(g.url) as client:
        for number in range(3):
            ask(client, COMPLETIONS, "m", "x" * 1000 * number).ok()
        for _ in range(2):
            ask(client, COMPLETIONS, "m", "x" * 1000, headers={"x-parley-cache": "refresh"}).ok()
        wait_until(lambda: metric(g, "parley_cache_total")["stored"] == 6, "all answers")
    change(g, "DELETE FROM cached WHERE id = (SELECT min(id) FROM cached)")
    assert weight(g)[0] == weight(g)[1] > 0


def test_many_answers_too_many_go_a_few_at_a_time(start):
    g = with_one(start, cache_size="64KiB")
    multiply(g, MANY)
    assert weight(g)[0] > 64 * 1024
    with Client(g.url) as client:
        ask(client, COMPLETIONS, "m", "x" * 4096).ok()
        wait_until(lambda: weight(g)[1] <= 64 * 1024, "less answers")
    assert weight(g)[0] == weight(g)[1] > 0
