"""Idempotency-Key: one call of the provider and one answer for each key."""

import contextlib
import sqlite3
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest

import upstream as up
from client import Client
from fixtures import usual_config
from gateway import CANARY, Gateway
from waiting import DEADLINE, paced, wait_until, within

WORDS = ["one ", "two ", "three ", "```py\nprint(1)\n```", " four"]
CHAT, COMPLETIONS = "/v1/chat", "/v1/chat/completions"


def body(path, model, **more):
    messages = [{"role": "user", "content": "go"}]
    if path == CHAT:
        format = {"format": more.pop("format")} if "format" in more else {}
        return {"messages": messages, "config": {"model": model}, **format, **more}
    return {"model": model, "messages": messages, **more}


def ask(client, path, body, key, **headers):
    """One request, read to its end."""
    return client.request("POST", path, body, headers={"Idempotency-Key": key, **headers})


def content(reply):
    """What must be the same each time: all bytes but comments, and the run's headers."""
    blocks = [b for b in reply.body.split(b"\n\n") if not b.startswith(b":")]
    names = ["x-run-id", "x-conversation-id", "location", "content-type"]
    return reply.status, blocks, [reply.headers.get(n) for n in names]


def replayed(reply):
    return reply.headers.get("idempotency-replayed") == "true"


def new_key():
    return str(uuid.uuid4())


@pytest.fixture
def gateway(start):
    return start(usual={})


SHAPES = [(path, {"stream": stream, "store": store, **format})
          for path in (CHAT, COMPLETIONS) for stream in (False, True) for store in (True, False)
          for format in ([{}, {"format": "lmc"}] if path == CHAT else [{}])]
NAMES = [f"{p.split('/')[-1]}-{'stream' if f['stream'] else 'plain'}-"
         f"{'stored' if f['store'] else 'unstored'}{'-lmc' if 'format' in f else ''}"
         for p, f in SHAPES]


def script_for(script, fields, *pieces):
    if fields["stream"]:
        return script(*up.stream(*(pieces or WORDS)))
    return script(up.reply(up.completion("".join(pieces or WORDS))))


@pytest.mark.parametrize("path, fields", SHAPES, ids=NAMES)
def test_the_answer_is_given_again(client, script, path, fields):
    s, key = script_for(script, fields), new_key()
    first = ask(client, path, body(path, s.model, **fields), key).ok()
    again = [ask(client, path, body(path, s.model, **fields), key).ok() for _ in range(3)]
    assert not replayed(first) and all(map(replayed, again))
    for reply in again:
        assert content(reply) == content(first)
        assert reply.headers["x-request-id"] != first.headers["x-request-id"]
    assert len(s.exchanges) == 1
    ask(client, path, body(path, s.model, **fields), new_key()).ok()
    assert len(s.exchanges) == 2, "another key is another call"


@pytest.mark.parametrize("path, fields", SHAPES, ids=NAMES)
def test_many_at_once_make_one_call(shared, script, path, fields):
    gate, key = up.Gate(), new_key()
    if fields["stream"]:
        s = script(up.sse(), up.role(), up.text(WORDS[0]), up.wait(gate),
                   *map(up.text, WORDS[1:]), *up.ending())
    else:
        s = script(up.wait(gate), up.reply(up.completion("".join(WORDS))))

    def one(_):
        with Client(shared.url) as other:
            return ask(other, path, body(path, s.model, **fields), key).ok()
    with ThreadPoolExecutor(50) as pool:
        waiting = [pool.submit(one, n) for n in range(50)]
        gate.wait_reached()
        threading.Event().wait(0.3)
        gate.open()
        replies = [w.result() for w in waiting]
    assert len(s.exchanges) == 1
    assert len({str(content(r)[1:]) for r in replies}) == 1
    assert sum(not replayed(r) for r in replies) == 1
    if fields["store"]:
        with Client(shared.url) as other:
            conversation = replies[0].headers["x-conversation-id"]
            items = other.items(conversation)["data"]
            assert [i["role"] for i in items] == ["user", "assistant"]


def test_who_attaches_to_a_stream_reads_it_as_it_comes(client, shared, script):
    gates = [up.Gate(), up.Gate()]
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gates[0]), up.text("two "),
               up.wait(gates[1]), *up.ending())
    for path, fields in ((CHAT, {}), (COMPLETIONS, {"store": True}),
                         (CHAT, {"store": False, "format": "openai"}), (COMPLETIONS, {})):
        sent = {**body(path, s.model, stream=True, **fields)}
        headers = {"Idempotency-Key": new_key()}
        with Client(shared.url) as other, client.stream(path, sent, headers) as first, \
                other.stream(path, sent, headers) as second:
            first.until_text("one ")
            second.until_text("one ")
            gates[0].open()
            second.until_text("two ")
            gates[1].open()
            assert second.status == first.status == 200
            assert first.openai().text == second.openai().text if path == COMPLETIONS else \
                first.native().text == second.native().text
            assert second.headers["idempotency-replayed"] == "true"


def test_the_first_client_may_leave(client, shared, script):
    gate, key = up.Gate(), new_key()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), up.text("two"), *up.ending())
    sent = body(CHAT, s.model, stream=True)
    with client.stream(CHAT, sent, {"Idempotency-Key": key}) as first:
        first.until_text("one ")
    with client.stream(CHAT, sent, {"Idempotency-Key": key}) as second:
        second.until_text("one ")
        gate.open()
        assert second.native().text == "one two"
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
def test_another_request_with_the_key_is_refused(client, script, path):
    gate, key = up.Gate(), new_key()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), *up.ending())
    sent = body(path, s.model, stream=True, store=True)
    other = body(path, s.model, stream=True, store=True, metadata={"a": "b"})
    elsewhere = COMPLETIONS if path == CHAT else CHAT
    refusal = (422, "idempotency_key_reused", "Idempotency-Key", "invalid_request_error")
    with client.stream(path, sent, {"Idempotency-Key": key}) as first:
        first.until_text("one ")
        ask(client, path, other, key).error(*refusal)
        gate.open()
        list(first)
    for where, what in ((path, other), (elsewhere, body(elsewhere, s.model)),
                        (path, {**sent, "stream": False})):
        ask(client, where, what, key).error(*refusal)
    ask(client, path, sent, key).ok()
    assert len(s.exchanges) == 1


def test_keys_belong_to_their_owners(start, script):
    keys = [f"pk-{CANARY}-one", f"pk-{CANARY}-two"]
    gateway = start(usual={"api_keys": [{"env": f"KEY_{n}"} for n in "ab"]},
                    env={f"KEY_{n}": k for n, k in zip("ab", keys)})
    s, key = script(up.either("hello")), new_key()
    with Client(gateway.url) as client:
        replies = [ask(client, CHAT, body(CHAT, s.model), key, Authorization=f"Bearer {k}").ok()
                   for k in [*keys, *keys]]
    assert [replayed(r) for r in replies] == [False, False, True, True]
    assert content(replies[0]) == content(replies[2]) != content(replies[1])
    assert len(s.exchanges) == 2


@pytest.mark.parametrize("key", ["", "a b", '""', "k" * 256, "\xe4", '"a b"'])
def test_bad_keys(client, key):
    ask(client, CHAT, {"messages": ["hi"]}, key.encode("latin-1")).error(
        400, "invalid_value", "Idempotency-Key")


def test_the_longest_key_and_quotes(client, script):
    s = script(up.either("x"))
    for key in ("k" * 251 + str(uuid.uuid4())[:4], "!" + new_key() + "~"):
        first = ask(client, CHAT, body(CHAT, s.model), key).ok()
        assert content(ask(client, CHAT, body(CHAT, s.model), f'"{key}"').ok()) == content(first)
    assert len(s.exchanges) == 2


# --- what frees a key, and what does not ----------------------------------------------------------

ERROR = {"error": {"message": "no", "type": "x", "param": None, "code": "y"}}


@pytest.mark.parametrize("store", [True, False])
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("status", [400, 422, 429, 500, 503])
def test_a_refusal_of_the_provider_frees_the_key(client, script, upstream, status, stream, store):
    key = new_key()
    bad = script(up.reply(ERROR, status=status))
    sent = body(CHAT, bad.model, stream=stream, store=store)
    assert ask(client, CHAT, sent, key).status >= 400
    bad.steps[:] = [up.either("better")]
    good = ask(client, CHAT, sent, key).ok()
    assert not replayed(good)
    assert replayed(ask(client, CHAT, sent, key).ok())
    assert len(bad.exchanges) == 2


def test_our_own_refusals_free_the_key(client, script):
    key, s = new_key(), script(up.either("x"))
    ask(client, CHAT, {"messages": 1}, key).error(400)
    ask(client, CHAT, body(CHAT, "no-such-model"), key).error(404)
    ask(client, CHAT, {**body(CHAT, s.model), "conversation": "conv_" + "0" * 31 + "1"},
        key).error(404)
    assert not replayed(ask(client, CHAT, body(CHAT, s.model), key).ok())


@pytest.mark.parametrize("prefix", ["dead", "quick"])
def test_no_connection_and_no_answer_free_the_key(client, script, prefix):
    gate, key = up.Gate(), new_key()
    s = script(up.wait(gate), up.either("x"))
    sent = body(CHAT, s.under(prefix), stream=True)
    codes = [ask(client, CHAT, sent, key) for _ in range(2)]
    assert all(r.status >= 500 and not replayed(r) for r in codes)
    assert len(s.exchanges) == (0 if prefix == "dead" else 2)
    gate.open()


def test_all_that_wait_get_the_failure(shared, script):
    gate, key = up.Gate(), new_key()
    s = script(up.wait(gate), up.reply(ERROR, status=400))

    def one(_):
        with Client(shared.url) as other:
            return ask(other, CHAT, body(CHAT, s.model), key)
    with ThreadPoolExecutor(10) as pool:
        waiting = [pool.submit(one, n) for n in range(10)]
        gate.wait_reached()
        threading.Event().wait(0.3)
        gate.open()
        assert {w.result().status for w in waiting} == {400}
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("path, fields", [x for x in SHAPES if x[1]["stream"]],
                         ids=[n for n in NAMES if "stream" in n])
def test_a_stream_that_broke_off_stays(client, script, path, fields):
    key = new_key()
    s = script(up.sse(), up.role(), up.text("half"), up.hang_up())
    first = ask(client, path, body(path, s.model, **fields), key).ok()
    again = ask(client, path, body(path, s.model, **fields), key).ok()
    assert b"error" in content(first)[1][-2] and content(again) == content(first)
    assert again.headers["x-should-retry"] == "false"
    assert len(s.exchanges) == 1


def test_a_stream_that_broke_off_before_its_content_stays(client, script):
    key = new_key()
    s = script(up.sse(), up.role(), up.hang_up())
    sent = body(CHAT, s.model, stream=True)
    first = ask(client, CHAT, sent, key)
    again = ask(client, CHAT, sent, key)
    assert first.status == again.status == 502 and first.json == again.json
    assert replayed(again) and again.headers["x-should-retry"] == "false"


def test_a_run_in_the_background(client, script):
    gate, key = up.Gate(), new_key()
    s = script(up.sse(), up.role(), up.text("x"), up.wait(gate), *up.ending())
    sent = body(CHAT, s.model, background=True)
    first = ask(client, CHAT, sent, key).ok(202)
    second = ask(client, CHAT, sent, key).ok(202)
    assert second.json["id"] == first.json["id"] and second.json["status"] == "running"
    gate.open()
    wait_until(lambda: client.run(first.json["id"])["status"] == "completed", "the run's end")
    third = ask(client, CHAT, sent, key).ok(202)
    assert third.json["status"] == "completed" and replayed(third)
    assert third.headers["location"] == f"/v1/runs/{first.json['id']}/events"
    assert len(s.exchanges) == 1


def test_going_on_with_a_run(client, script):
    key = new_key()
    s = script(up.sse(), up.role(), up.text("half"), up.hang_up())
    run = ask(client, CHAT, body(CHAT, s.model, stream=True), new_key()).headers["x-run-id"]
    s.steps[:] = [up.either("rest")]
    replies = [ask(client, f"/v1/runs/{run}/continue", b"", key).ok() for _ in range(3)]
    assert [replayed(r) for r in replies] == [False, True, True]
    assert len({r.headers["x-run-id"] for r in replies}) == 1
    assert len(s.exchanges) == 2
    ask(client, f"/v1/runs/{replies[0].headers['x-run-id']}/continue", b"", key).error(422)


# --- time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path, fields", SHAPES, ids=NAMES)
def test_keys_live_through_a_restart(start, script, path, fields):
    gateway = start(usual={})
    s, key = script_for(script, fields), new_key()
    sent = body(path, s.model, **fields)
    with Client(gateway.url) as client:
        first = ask(client, path, sent, key).ok()
    gateway.restart()
    with Client(gateway.url) as client:
        again = ask(client, path, sent, key).ok()
    assert replayed(again) and content(again) == content(first)
    gateway.kill()
    gateway.start()
    with Client(gateway.url) as client:
        assert content(ask(client, path, sent, key).ok()) == content(first)
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
def test_killed_in_the_middle_of_an_answer(start, script, path):
    gateway = start(usual={"durability": "strict"})
    gate, key = up.Gate(), new_key()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), *up.ending())
    sent = body(path, s.model, stream=True, store=True)
    with Client(gateway.url) as client, contextlib.suppress(Exception):
        with client.stream(path, sent, {"Idempotency-Key": key}) as first:
            first.until_text("one ")
            run = first.headers["x-run-id"]
            gateway.kill()
    gateway.start()
    with Client(gateway.url) as client:
        again = ask(client, path, sent, key).ok()
        assert replayed(again) and again.headers["x-should-retry"] == "false"
        assert again.headers["x-run-id"] == run
        assert b"one " in again.body and b"server_stopped" in again.body
        assert client.run(run)["status"] == "incomplete"
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("path, format", [(CHAT, {}), (CHAT, {"format": "lmc"}), (COMPLETIONS, {})])
def test_killed_as_soon_as_an_answer_begins(start, script, path, format):
    """Not even the first moment of an answer, which is not in the log yet, frees the key."""
    gateway = start(usual={})
    key = new_key()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(up.Gate()))
    sent = body(path, s.model, stream=True, store=True, **format)
    with Client(gateway.url) as client, contextlib.suppress(Exception):
        with client.stream(path, sent, {"Idempotency-Key": key}) as first:
            gateway.kill()
    gateway.start()
    with Client(gateway.url) as client:
        again = ask(client, path, sent, key).ok()
        assert replayed(again) and again.headers["x-run-id"] == first.headers["x-run-id"]
        assert b"server_stopped" in again.body
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
def test_killed_in_the_middle_of_an_answer_that_is_not_stored(start, script, path):
    gateway = start(usual={})
    gate, key = up.Gate(), new_key()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), *up.ending())
    sent = body(path, s.model, stream=True, store=False)
    with Client(gateway.url) as client, contextlib.suppress(Exception):
        with client.stream(path, sent, {"Idempotency-Key": key}) as first:
            gateway.kill()  # whoever saw the head of the answer knows that the provider was called
    gateway.start()
    with Client(gateway.url) as client:
        again = ask(client, path, sent, key)
        again.error(500, "server_stopped")
        assert replayed(again) and again.headers["x-should-retry"] == "false"
    assert len(s.exchanges) == 1


def quiet(fn, *args):
    with contextlib.suppress(Exception):
        fn(*args)


@pytest.mark.parametrize("stream", [True, False])
def test_killed_before_the_provider_answered(start, script, stream):
    gateway = start(usual={})
    gate, key = up.Gate(), new_key()
    s = script(up.wait(gate), up.either("x"))
    sent = body(CHAT, s.model, stream=stream)
    with Client(gateway.url) as client:
        thread = threading.Thread(target=quiet, args=(ask, client, CHAT, sent, key))
        thread.start()
        gate.wait_reached()
        gateway.kill()
        thread.join()
    s.steps[:] = [up.either("x")]
    gateway.start()
    with Client(gateway.url) as client:
        assert not replayed(ask(client, CHAT, sent, key).ok())
    assert len(s.exchanges) == 2


@pytest.mark.parametrize("store", [True, False])
def test_keys_expire(start, script, store):
    gateway = start(usual={"idempotency_keep": "3s"})
    s, key = script(up.either("x")), new_key()
    sent = body(CHAT, s.model, store=store)
    with Client(gateway.url) as client:
        began = time.monotonic()
        ask(client, CHAT, sent, key).ok()
        again = replayed(ask(client, CHAT, sent, key).ok())
        assert again or time.monotonic() - began > 2.5
        wait_until(lambda: not replayed(ask(client, CHAT, sent, key).ok()), "the key's end")
        assert time.monotonic() - began > 2.5
    assert len(s.exchanges) >= 2


@paced(2, 8)
@pytest.mark.sqlite
def test_an_unstored_answer_is_kept_with_its_key_and_nowhere_else(start, script, unit):
    gateway = start(usual={"idempotency_keep": f"{unit}s"})
    s, key = script(up.either("secret")), new_key()
    with Client(gateway.url) as client, contextlib.closing(sqlite3.connect(gateway.database)) as db:
        with within(unit):
            ask(client, COMPLETIONS, body(COMPLETIONS, s.model), key).ok()
            counts = [db.execute(f"SELECT count(*) FROM {t}").fetchone()[0]
                      for t in ("run", "message", "conversation", "event", "idempotency")]
            assert counts == [0, 0, 0, 0, 1]
        wait_until(lambda: db.execute("SELECT count(*) FROM idempotency").fetchone() == (0,),
                   "the key's end", DEADLINE + unit)
        assert [run["stored"] for run in client.get("/v1/runs").ok().json["data"]] == [False]


@pytest.mark.sqlite
def test_a_deleted_run_takes_its_answer_along(start, script):
    gateway = start(usual={})
    s, key = script(up.either("x")), new_key()
    with Client(gateway.url) as client:
        ask(client, CHAT, body(CHAT, s.model), key).ok()
        run = client.get("/v1/runs").ok().json["data"][0]
        client.request("DELETE", f"/v1/conversations/{run['conversation']}").ok()
        # The key stays: a late second try is no new call.
        ask(client, CHAT, body(CHAT, s.model), key).error(410, "gone")
        assert len(s.exchanges) == 1
    gateway.stop()
    with sqlite3.connect(gateway.database) as db:
        assert db.execute("SELECT http, body FROM idempotency").fetchall() == [(410, None)]


# --- OpenAI's SDK ---------------------------------------------------------------------------------


def test_the_sdk_with_a_repeated_key(shared, script):
    s, key = script(up.either("hello")), new_key()
    sdk = openai.OpenAI(base_url=shared.url + "/v1", api_key="x", max_retries=0,
                        _strict_response_validation=True)
    make = lambda **more: sdk.chat.completions.create(  # noqa: E731
        model=s.model, messages=[{"role": "user", "content": "go"}],
        extra_headers={"Idempotency-Key": key + str(sorted(more))}, **more)
    assert make().model_dump() == make().model_dump()
    streams = [[c.model_dump() for c in make(stream=True)] for _ in range(2)]
    assert streams[0] == streams[1] and len(s.exchanges) == 2
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        sdk.chat.completions.create(model=s.model, messages=[{"role": "user", "content": "else"}],
                                    extra_headers={"Idempotency-Key": key + "[]"})
    assert caught.value.code == "idempotency_key_reused"
