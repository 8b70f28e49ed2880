"""The commit point: until an answer begins, a failure is a status, a retry or a fallback, in every
dialect and shape; an attempt that failed by then leaves nothing behind."""

import json
import uuid

import pytest

import upstream as up
from client import Client, native_body
from fixtures import provider
from raw import Raw, post
from waiting import wait_until
from wires import USAGE, WIRES

ANTHROPIC = next(w for w in WIRES if w.dialect == "anthropic")
OPENAI = next(w for w in WIRES if w.dialect == "openai")


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    """DIALECT/NAME may be tried again once; spare/DIALECT/NAME has echo to fall back on."""
    dialects = [*(w.dialect for w in WIRES), "lmc"]
    return start_once({
        "providers": [provider(upstream, d, dialect=d, retries=1) for d in dialects],
        "models": [*({"name": f"{d}/*", "provider": d} for d in dialects),
                   *({"name": f"spare/{d}/*", "provider": d, "fallback": ["echo"]}
                     for d in dialects),
                   {"name": "echo", "provider": "echo"}]})


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


@pytest.fixture(params=WIRES, ids=lambda w: w.dialect)
def wire(request):
    return request.param


SHAPES = ["native", "openai", "lmc"]


def asked(shape, model, **fields):
    """Path and body of a call."""
    if shape == "openai":
        fields["messages"] = [{"role": "user", "content": "hello there"}]
        return "/v1/chat/completions", {"model": model, **fields}
    if shape == "lmc":
        fields["format"] = "lmc"
    return "/v1/chat", native_body(["hello there"], {"model": model, **fields})


def text_of(shape, said):
    return said.messages[0]["content"] if shape == "lmc" else said.text


def attempts(answer):
    return int(answer.headers["x-parley-attempts"])


def metric(client, line):
    """The value of a series; 0 before it is there."""
    for seen in client.get("/metrics").body.decode().splitlines():
        if seen.startswith(line + " "):
            return int(seen.split()[-1])
    return 0


def said_once(client, shape, path, body, count, text):
    """The stream is that of one good answer, and stored ones are read again the same."""
    with client.stream(path, body) as stream:
        stream.check_head()
        said = getattr(stream, shape)()
    assert text_of(shape, said) == text and said.error is None
    assert attempts(stream) == count
    if not body.get("store", shape != "openai"):
        return
    run = client.run(stream.headers["x-run-id"])
    assert run["attempts"] == count and run["status"] == "completed" and run["error"] is None
    assert counts(run["usage"]) != (0, 0)
    messages = client.messages(stream.headers["x-conversation-id"])
    assert [m["content"] for m in messages] == ["hello there", text]
    if shape == "openai":
        return
    again = client.get(f"/v1/runs/{run['id']}/events").ok()
    assert again.body == b"".join(b.raw + b"\n\n" for b in stream.seen if not b.is_comment)


def counts(usage):
    return usage["prompt_tokens"], usage["completion_tokens"]


# --- streams ---


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("store", [True, False], ids=["stored", "not stored"])
def test_an_error_behind_the_opening_is_tried_again(client, script, wire, shape, store):
    s = script(up.in_turn(wire.fail(""), wire.say("fi", "ne")))
    path, body = asked(shape, s.under(wire.dialect), stream=True, store=store)
    said_once(client, shape, path, body, 2, "fine")
    assert len(s.exchanges) == 2
    assert s.exchanges[0].request.body == s.exchanges[1].request.body


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("store", [True, False], ids=["stored", "not stored"])
def test_a_cut_behind_the_opening_goes_to_the_fallback(client, script, wire, shape, store):
    s = script(wire.cut(""))
    path, body = asked(shape, f"spare/{s.under(wire.dialect)}", stream=True, store=store)
    said_once(client, shape, path, body, 2, "hello there")
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_a_cut_behind_the_opening_is_a_status(client, script, wire, shape):
    s = script(wire.cut(""))
    path, body = asked(shape, s.under(wire.dialect), stream=True)
    answer = client.post(path, body)
    answer.error(502, "stream_incomplete")
    assert attempts(answer) == len(s.exchanges) == 1


def broken(wire):
    """An opening, and something that is no event of the dialect."""
    opening = wire.cut("")[:-1]
    return [*opening, up.body(b"[1,\n") if wire.dialect == "ollama" else up.data("[1,"), up.end()]


def hung_up(wire):
    return [*wire.cut("")[:-1], up.hang_up()]


@pytest.mark.parametrize("failure", [broken, hung_up])
def test_other_ends_behind_the_opening_go_to_the_fallback(client, script, wire, failure):
    s = script(failure(wire))
    path, body = asked("openai", f"spare/{s.under(wire.dialect)}", stream=True)
    said_once(client, "openai", path, body, 2, "hello there")
    alone = client.post(*asked("openai", s.under(wire.dialect), stream=True))
    alone.error(502, {"stream_incomplete", "upstream_bad_response"})
    assert attempts(alone) == 1 and len(s.exchanges) == 2


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("store", [True, False], ids=["stored", "not stored"])
def test_an_opened_segment_of_lmc_is_no_answer_yet(client, script, shape, store):
    message = {"role": "assistant", "type": "message"}
    opening = [up.sse(), up.data({**message, "start": True})]
    s = script(up.in_turn(
        [*opening, up.data({"role": "server", "type": "error", "content": {
            "message": "it broke", "code": 503}}), up.end()],
        [*opening, up.data({**message, "content": "fine"}), up.data({**message, "end": True}),
         up.data({"role": "server", "type": "status", "content": "complete",
                  "usage": up.USAGE}), up.end()]))
    path, body = asked(shape, s.under("lmc"), stream=True, store=store)
    said_once(client, shape, path, body, 2, "fine")
    assert len(s.exchanges) == 2


@pytest.mark.parametrize("end", ["fail", "cut"])
def test_content_is_the_answers_beginning(client, script, wire, end):
    s = script(getattr(wire, end)("half"))
    with client.chat_stream("hi", model=f"spare/{s.under(wire.dialect)}") as stream:
        said = stream.native()
    assert said.text == "half" and said.error is not None and attempts(stream) == 1
    run = client.run(stream.headers["x-run-id"])
    assert run["status"] == "incomplete" and run["attempts"] == len(s.exchanges) == 1


# --- errors that have a status ---


def anthropic_error(type):
    return {"type": "error", "error": {"type": type, "message": "it broke"}}


def openai_error(status):
    return {"error": {"message": "it broke", "type": "some_error", "code": status}}


ERRORS = [
    # its own error, the answer's status and code, attempts where it is alone and with a fallback
    (ANTHROPIC, anthropic_error("overloaded_error"), 503, "upstream_unavailable", 2, 3),
    (ANTHROPIC, anthropic_error("api_error"), 502, "upstream_error", 2, 3),
    (ANTHROPIC, anthropic_error("rate_limit_error"), 429, "rate_limit_exceeded", 1, 2),
    (ANTHROPIC, anthropic_error("authentication_error"), 403, "upstream_auth_failed", 1, 2),
    (ANTHROPIC, anthropic_error("permission_error"), 403, "upstream_denied", 1, 2),
    (ANTHROPIC, anthropic_error("invalid_request_error"), 400, "upstream_rejected", 1, 1),
    (ANTHROPIC, anthropic_error("request_too_large"), 413, "upstream_rejected", 1, 1),
    (OPENAI, openai_error(None), 502, "upstream_error", 2, 3),
    (OPENAI, openai_error(500), 502, "upstream_error", 2, 3),
    (OPENAI, openai_error(503), 503, "upstream_unavailable", 2, 3),
    (OPENAI, openai_error(504), 504, "upstream_error", 2, 3),
    (OPENAI, openai_error(429), 429, "rate_limit_exceeded", 1, 2),
    (OPENAI, openai_error(403), 403, "upstream_denied", 1, 2),
    (OPENAI, openai_error(400), 400, "upstream_rejected", 1, 1),
    (OPENAI, openai_error(404), 404, "upstream_rejected", 1, 1),
]


def first_event(wire, error):
    event = f"event: error\ndata: {json.dumps(error)}\n\n" if wire is ANTHROPIC else \
        f"data: {json.dumps(error)}\n\n"
    return [up.sse(), up.body(event.encode()), up.end()]


def behind_the_opening(wire, error):
    return [*wire.cut("")[:-1], *first_event(wire, error)[1:]]


def in_place_of_a_stream(wire, error):
    return [up.reply(error)]


PLACES = [first_event, behind_the_opening, in_place_of_a_stream]


@pytest.mark.parametrize("wire, error, status, code, alone, spared", ERRORS,
                         ids=[f"{e[0].dialect}-{e[1]['error'].get('code', e[1]['error']['type'])}"
                              for e in ERRORS])
@pytest.mark.parametrize("place", [*PLACES, None], ids=[*(p.__name__ for p in PLACES), "plain"])
def test_an_error_in_a_200_has_its_status(client, script, wire, error, status, code, alone, spared,
                                          place):
    stream = place is not None
    s = script(place(wire, error) if stream else up.reply(error))
    path, body = asked("native", s.under(wire.dialect), stream=stream)
    answer = client.post(path, body)
    answer.error(status, lambda got: got in (code, "some_error"))
    assert attempts(answer) == len(s.exchanges) == alone
    assert client.run(answer.headers["x-run-id"])["status"] == "failed"
    path, body = asked("native", f"spare/{s.under(wire.dialect)}", stream=stream)
    answer = client.post(path, body)
    assert answer.status == (200 if spared > 1 else status) and attempts(answer) == spared
    assert len(s.exchanges) == alone + max(spared - 1, 1)


# --- plain answers ---


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("store", [True, False], ids=["stored", "not stored"])
@pytest.mark.parametrize("failure", [
    up.reply(up.completion() | {"choices": []}), up.reply(b"{"), up.hang_up(),
    up.reply(b"<html>", content_type="text/html"), up.reply(b""),
], ids=["empty choices", "no JSON", "hung up", "html", "empty"])
def test_what_is_no_answer_goes_to_the_fallback(client, script, shape, store, failure):
    s = script(failure)
    path, body = asked(shape, f"spare/{s.under('openai')}", store=store)
    answer = client.post(path, body).ok()
    assert attempts(answer) == 2 and b"hello there" in answer.body
    if store:
        run = client.run(answer.headers["x-run-id"])
        assert run["attempts"] == 2 and run["provider"] == "echo"
    path, body = asked(shape, s.under("openai"), store=store)
    answer = client.post(path, body)
    answer.error(502, "upstream_bad_response")
    assert attempts(answer) == 1


# --- what it cost ---


def test_tokens_of_an_attempt_that_another_followed_are_counted(client, gateway, script):
    s = script(up.in_turn(behind_the_opening(ANTHROPIC, anthropic_error("overloaded_error")),
                          ANTHROPIC.say("fine")))
    dropped = 'parley_dropped_tokens_total{upstream="anthropic",type="input"}'
    tokens = 'parley_tokens_total{model="anthropic/*",type="input"}'
    before, all_before = metric(client, dropped), metric(client, tokens)
    with client.chat_stream("hi", model=s.under("anthropic")) as stream:
        stream.native()
    run = client.run(stream.headers["x-run-id"])
    assert counts(run["usage"]) == USAGE
    assert metric(client, dropped) == before + USAGE[0]
    assert metric(client, tokens) == all_before + 2 * USAGE[0]
    wait_until(lambda: any("attempt_dropped" in line and run["id"] in line
                           for line in gateway.lines), "a line in the log")


def test_tokens_of_the_last_attempt_are_the_runs(client, script):
    s = script(behind_the_opening(ANTHROPIC, anthropic_error("rate_limit_error")))
    answer = client.post(*asked("native", s.under("anthropic"), stream=True))
    answer.error(429)
    run = client.run(answer.headers["x-run-id"])
    assert run["status"] == "failed" and run["usage"]["prompt_tokens"] == USAGE[0]


def test_a_key_is_free_after_an_error_in_place_of_an_answer(client, script):
    failing = behind_the_opening(ANTHROPIC, anthropic_error("rate_limit_error"))
    for store in (True, False):
        s = script(up.in_turn(failing, ANTHROPIC.say("fine")))
        path, body = asked("native", s.under("anthropic"), stream=True, store=store)
        key = {"Idempotency-Key": uuid.uuid4().hex}
        client.post(path, body, headers=key).error(429)
        answer = client.post(path, body, headers=key).ok()
        assert b"fine" in answer.body and "idempotency-replayed" not in answer.headers
        assert client.post(path, body, headers=key).ok().body == answer.body
        assert len(s.exchanges) == 2


@pytest.mark.parametrize("store", [True, False], ids=["stored", "not stored"])
def test_a_key_stays_with_an_end_that_may_have_cost(client, script, store):
    s = script(up.in_turn(ANTHROPIC.cut(""), ANTHROPIC.say("fine")))
    path, body = asked("native", s.under("anthropic"), stream=True, store=store)
    key = {"Idempotency-Key": uuid.uuid4().hex}
    first = client.post(path, body, headers=key)
    again = client.post(path, body, headers=key)
    first.error(502, "stream_incomplete")
    assert again.status == 502 and again.json == first.json and len(s.exchanges) == 1
    assert again.headers["x-should-retry"] == "false"


# --- time, and leaving ---


@pytest.fixture
def impatient(start, upstream):
    """Waits 200 ms for content; logs strictly."""
    g = start({"durability": "strict", "commit_after": "200ms",
               "providers": [provider(upstream, "p", retries=1)],
               "models": [{"name": "p/*", "provider": "p", "fallback": ["echo"]},
                          {"name": "echo", "provider": "echo"}]})
    with Client(g.url) as client:
        yield client


def test_what_is_held_goes_out_in_time_and_binds(impatient, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.wait(gate), up.data(openai_error(503)), up.end())
    with impatient.chat_stream("hi", model=s.under("p")) as stream:
        assert stream.next_data().json["choices"][0]["delta"]["role"] == "assistant"
        gate.open()
        said = stream.native()
    assert said.error is not None and attempts(stream) == 1
    run = impatient.run(stream.headers["x-run-id"])
    assert run["status"] == "failed" and run["attempts"] == len(s.exchanges) == 1


def test_a_provider_without_a_word_can_still_be_replaced(impatient, script):
    gate = up.Gate()
    s = script(up.wait(gate), up.reply(openai_error(429), 429))
    with impatient.chat_stream("hi", model=s.under("p")) as stream:
        assert stream.status == 200
        gate.open()
        said = stream.native()
    assert said.text == "hi" and said.error is None
    # The head went out before.
    assert attempts(stream) == 1
    run = impatient.run(stream.headers["x-run-id"])
    assert run["status"] == "completed" and run["attempts"] == 2 and run["provider"] == "echo"


def test_strict_streams_hold_too(impatient, script):
    s = script(up.in_turn(OPENAI.fail(""), OPENAI.say("fine")))
    path, body = asked("native", s.under("p"), stream=True)
    with impatient.stream(path, body) as stream:
        said = stream.native()
    assert said.text == "fine" and len(s.exchanges) == 2


@pytest.mark.parametrize("how", ["cancel", "leave"])
def test_an_attempt_that_holds_ends_when_nobody_wants_it(client, gateway, script, how):
    gate = up.Gate()
    s = script(*ANTHROPIC.cut("")[:-1], up.wait(gate), up.end())
    path, body = asked("native", s.under("anthropic"), on_disconnect="cancel",
                       **({"background": True} if how == "cancel" else {"stream": True}))
    with Raw(gateway) as raw:
        raw.send(post(path, json.dumps(body).encode()))
        exchange = s.wait()
        gate.wait_reached()
        run = client.get("/v1/runs?limit=1").ok().json["data"][0]["id"]
        if how == "cancel":
            client.post(f"/v1/runs/{run}/cancel").ok()
    exchange.wait_closed()
    wait_until(lambda: client.run(run)["status"] == "cancelled", "the run is cancelled")
    assert client.run(run)["attempts"] == len(s.exchanges) == 1
