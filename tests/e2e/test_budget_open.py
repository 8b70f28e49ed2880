"""Budgets of calls that nobody has limited: what is reserved grows with a stream, and is a limit for other answers."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import httpx
import pytest

import keys
import upstream as up
from client import NO_TLS
from test_budget import (COST, MILLIONTH, PRICE, cost, gateway, holder, model, report,  # noqa: F401
                         rows, settled)
from waiting import DEADLINE, wait_until

STEP = 100
HELLO = [{"role": "user", "content": "hi"}]
# A stream of each API whose requests may lack a limit; Anthropic's may not.
STREAMS = {
    "/v1/chat": {"messages": ["hi"], "config": {"model": "m"}},
    "/v1/chat/completions": {"model": "m", "messages": HELLO},
    "/v1/responses": {"model": "m", "input": "hi"},
    "/v1/completions": {"model": "m", "prompt": "hi"},
}


def endless(script, **more):
    entry = model(script, **more)
    del entry["max_output"]
    return entry


@pytest.fixture
def named(upstream):
    """named(name, step…): a script under the name of a model that the table has."""
    made = []

    def make(name, *steps):
        made.append(name)
        return upstream.script(*steps, name=name)
    yield make
    for name in made:
        upstream.scripts.pop(name)


def asked(script):
    return [x.request.json.get("max_tokens") for x in script.exchanges]


# --- streams --------------------------------------------------------------------------------------


def test_more_is_reserved_as_the_answer_grows(holder, script):
    gates = [up.Gate(), up.Gate()]
    s = script(up.sse(), up.role(), up.text("x"), up.wait(gates[0]), up.text("y" * 1000),
               up.wait(gates[1]), *up.ending())
    client = holder(endless(s), budget_reserve=STEP)
    with client.http.stream("POST", "/v1/chat/completions",
                            json={**STREAMS["/v1/chat/completions"], "stream": True}) as answer:
        gates[0].wait_reached()
        first = Decimal(cost(client)["reserved"])
        assert 2 * STEP * MILLIONTH < first < 2 * (STEP + 100) * MILLIONTH
        gates[0].open()
        wait_until(lambda: Decimal(cost(client)["reserved"]) >= first + 2 * 500 * MILLIONTH - 2 * STEP * MILLIONTH,
                   "more to be reserved")
        gates[1].open()
        assert "[DONE]" in answer.read().decode()
    assert asked(s) == [None]
    assert settled(client) == COST and rows(client, "reservation") == 0


@pytest.mark.parametrize("store", [True, False], ids=["stored", "unstored"])
@pytest.mark.parametrize("path", STREAMS)
def test_an_answer_ends_where_the_budget_does(holder, script, path, store):
    if path == "/v1/completions" and store:
        pytest.skip("such a call is never stored")
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("y" * 1200), up.wait(gate), *up.ending())
    client = holder(endless(s), budget=("--budget", "0.001/1h"), budget_reserve=STEP)
    body = {**STREAMS[path], "stream": True, **({} if path == "/v1/completions" else {"store": store})}
    with client.http.stream("POST", path, json=body) as answer:
        text = answer.read().decode()
        run = answer.headers.get("x-run-id")
    gate.open()
    assert answer.status_code == 200 and "y" * 1200 in text
    assert "insufficient_quota" in text and "this key's budget of 0.001 is used up" in text
    assert "renewed in" in text and "[DONE]" not in text
    spent = settled(client)  # what came, at about four bytes a token
    assert 600 * MILLIONTH < spent < 700 * MILLIONTH and rows(client, "reservation") == 0
    if store:
        kept = client.run(run)
        assert kept["status"] == "incomplete" and kept["error"]["code"] == "insufficient_quota"
        assert Decimal(kept["cost"]) == spent


def test_tokens_end_it_likewise(holder, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("y" * 1200), up.wait(gate), *up.ending())
    client = holder(endless(s), budget=("--budget-tokens", "500"), budget_reserve=STEP)
    with client.http.stream("POST", "/v1/chat/completions",
                            json={**STREAMS["/v1/chat/completions"], "stream": True}) as answer:
        text = answer.read().decode()
    gate.open()
    assert "this key's budget of 500 tokens is used up" in text
    wait_until(lambda: report(client)["budget"]["tokens"]["reserved"] == 0, "its end")
    assert report(client)["budget"]["tokens"]["spent"] < 500


def test_no_more_is_reserved_than_the_model_writes(holder, named):
    gate = up.Gate()
    s = named("gpt-4-20240101", up.sse(), up.role(), up.text("y" * 30000), up.wait(gate), *up.ending())
    client = holder(endless(s, name="m"), budget_reserve=5000)
    with client.http.stream("POST", "/v1/chat/completions",
                            json={**STREAMS["/v1/chat/completions"], "stream": True}) as answer:
        gate.wait_reached()
        most = 2 * 10000 + 200
        wait_until(lambda: 2 * 8192 * MILLIONTH < Decimal(cost(client)["reserved"]) < most * MILLIONTH,
                   "two steps")
        gate.open()
        answer.read()
    assert settled(client) == COST


# --- other answers --------------------------------------------------------------------------------


def test_an_answer_that_nobody_sees_grow_has_a_limit(holder, script):
    s = script(up.reply(up.completion("fine")))
    client = holder(endless(s), budget=("--budget", "0.001"), budget_reserve=STEP)
    reply = client.post("/v1/chat/completions", STREAMS["/v1/chat/completions"]).ok()
    warning, = json.loads(reply.headers["x-parley-warnings"])
    assert warning["code"] == "answer_limited" and "at most 100 tokens" in warning["message"]
    assert client.post("/v1/chat", STREAMS["/v1/chat"]).ok().json["warnings"][0]["code"] == "answer_limited"
    assert asked(s) == [STEP, STEP]
    assert settled(client) == 2 * COST
    poor = holder(endless(s), budget=("--budget", "0.0001"), budget_reserve=STEP)
    poor.post("/v1/chat", STREAMS["/v1/chat"]).error(429, "insufficient_quota")


GPT = "gpt-4o-2024-08-06"  # writes at most 16384 tokens, by the table


def test_the_table_knows_how_much_a_model_writes(holder, named):
    s = named(GPT, up.reply(up.completion("fine")))
    client = holder(endless(s))
    reply = client.post("/v1/chat/completions", STREAMS["/v1/chat/completions"]).ok()
    assert asked(s) == [None] and "x-parley-warnings" not in reply.headers


def test_a_call_leaves_half_for_others(holder, named):
    gates = [up.Gate() for _ in range(3)]
    s = named(GPT, up.in_turn(*[[up.wait(gate), up.reply(up.completion("fine"))] for gate in gates]))
    client = holder(endless(s), budget=("--budget", "0.01"), budget_reserve=STEP)
    with ThreadPoolExecutor(3) as pool:
        calls = []
        for _ in range(3):
            calls.append(pool.submit(client.post, "/v1/chat/completions", STREAMS["/v1/chat/completions"]))
            s.wait(len(calls))
        assert rows(client, "reservation") == 3
        for gate in gates:
            gate.open()
        for call in calls:
            call.result().ok()
    limits = asked(s)
    assert 2400 < limits[0] < 2500 and 1150 < limits[1] < 1250 and 500 < limits[2] < 625
    assert settled(client) == 3 * COST


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
def test_what_a_model_thinks_has_a_limit_in_a_stream_too(holder, named, stream):
    answer = up.stream("fine") if stream else up.reply(up.completion("fine"))
    s = named("o3-mini-2025-01-31", *(answer if stream else [answer]))
    client = holder(endless(s), budget=("--budget", "0.01"), budget_reserve=STEP)
    client.post("/v1/chat/completions", {**STREAMS["/v1/chat/completions"], "stream": stream}).ok()
    limit, = asked(s)
    assert 2400 < limit < 2500


def test_without_the_table_nothing_is_known(holder, named):
    s = named(GPT, up.reply(up.completion("fine")))
    client = holder(endless(s), budget_reserve=STEP, price_table=False)
    client.post("/v1/chat", STREAMS["/v1/chat"]).ok()
    assert asked(s) == [STEP]


# --- many -----------------------------------------------------------------------------------------


def crowd(urls, key, number, codes, bodies):
    """Streams without a limit, from as many threads, all at once, of the gateways in turn."""
    barrier = threading.Barrier(number)

    def one(n):
        barrier.wait()
        with httpx.Client(base_url=urls[n % len(urls)], timeout=DEADLINE * 4, verify=NO_TLS, trust_env=False,
                          headers=keys.bearer(key)) as http:
            reply = http.post("/v1/chat", json={
                "messages": ["hello there " * 20], "store": n % 4 < 2, "stream": True,
                "config": {"model": "echo"}})
            codes.append(reply.status_code)
            bodies.append(reply.text)
    with ThreadPoolExecutor(number) as pool:
        list(pool.map(one, range(number)))


def test_a_hundred_streams_that_grow_never_pass_the_limit(holder):
    limit = Decimal("0.02")
    client = holder({"name": "echo", "provider": "echo", "price": PRICE}, budget=("--budget", str(limit)),
                    providers=[{"name": "echo", "dialect": "echo", "delay": "5ms"}], budget_reserve=4)
    codes, bodies = [], []
    while 429 not in codes[-20:]:
        crowd([client.gateway.url], client.key["key"], 20 if codes else 100, codes, bodies)
        assert settled(client) <= limit and rows(client, "reservation") == 0
    assert 200 in codes and set(codes) <= {200, 429}
    assert any("is used up" in b for b in bodies)
