"""What became of each attempt of a run: after its end, while it goes on, and after a kill."""

import sqlite3
from decimal import Decimal

import pytest

import upstream as up
from client import Client
from fixtures import provider
from upstream import in_turn
from waiting import wait_until

PRICE = {"input": 1, "output": 2}
WORDS = "so far an answer "
TOLD = up.data(up.usage_chunk({"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37}))


def fails(status=500):
    return up.reply({"error": {"message": "went wrong", "type": "server_error"}}, status)


@pytest.fixture
def client(start, upstream, script):
    """client(first, second): m asks p, then q; the client of a gateway for it."""
    made = []

    def make(first, second, price=PRICE, stop=None):
        models = [{"name": "m", "provider": "p", "upstream_model": script(first).name,
                   "max_output": 100, "fallback": ["n"]},
                  {"name": "n", "provider": "q", "upstream_model": script(second).name,
                   "max_output": 100}]
        gateway = start({"providers": [provider(upstream, "p"), provider(upstream, "q")],
                         "models": [m | ({"price": dict(price)} if price else {}) for m in models],
                         "price_table": False})
        made.append(Client(gateway.url))
        made[-1].gateway, made[-1].upstreams = gateway, [m["upstream_model"] for m in models]
        return made[-1]
    yield make
    for c in made:
        c.close()


def check_times(run):
    """Each begins after the one before has ended, and nothing is before the run or after its end."""
    at = run["created_at"] * 1000
    for x in run["attempt_list"]:
        assert at <= x["started_at_ms"] <= (x["ended_at_ms"] or at + 10 ** 9), run
        if x["first_token_at_ms"]:
            assert x["started_at_ms"] <= x["first_token_at_ms"], run
            assert not x["ended_at_ms"] or x["first_token_at_ms"] <= x["ended_at_ms"], run
        at = x["ended_at_ms"]
    if run["completed_at"]:
        assert run["attempt_list"][-1]["ended_at_ms"] // 1000 == run["completed_at"]


def test_the_only_attempt(client):
    c = client(up.either(), up.either())
    run = c.run(c.chat("hi", model="m").ok().json["run"])
    only, = run["attempt_list"]
    check_times(run)
    assert only == {**only, "provider": "p", "model": c.upstreams[0], "outcome": "completed",
                    "http_status": 200, "error_code": None, "usage": run["usage"],
                    "usage_source": run["usage_source"], "cost": run["cost"]}
    assert Decimal(only["cost"]) > 0
    for listed in c.get("/v1/runs").ok().json["data"]:
        assert "attempt_list" not in listed


def test_the_echo_provider_sends_no_status(start):
    with Client(start().url) as c:
        only, = c.run(c.chat("hi").ok().json["run"])["attempt_list"]
    assert (only["provider"], only["model"], only["http_status"]) == ("echo", "echo", None)


def test_a_fallback_answers(client):
    c = client(fails(503), up.either())
    run = c.run(c.chat("hi", model="m").ok().json["run"])
    check_times(run)
    failed, good = run["attempt_list"]
    assert run["attempts"] == 2
    assert failed == {**failed, "provider": "p", "model": c.upstreams[0], "outcome": "failed",
                      "http_status": 503, "error_code": "upstream_unavailable",
                      "first_token_at_ms": None, "usage": None, "usage_source": None, "cost": None}
    assert good == {**good, "provider": "q", "model": c.upstreams[1], "outcome": "completed",
                    "http_status": 200, "error_code": None, "usage": run["usage"],
                    "cost": run["cost"]}


def test_what_a_broken_attempt_has_used_is_its_own(client):
    """The provider told tokens and hung up before it said anything: they are paid, and told apart."""
    c = client([up.sse(), up.role(), TOLD, up.hang_up()], up.either())
    run = c.run(c.chat("hi", model="m", stream=True).headers["x-run-id"])
    check_times(run)
    broken, good = run["attempt_list"]
    assert broken["outcome"] == "failed" and broken["usage_source"] == "provider"
    assert (broken["usage"]["prompt_tokens"], broken["usage"]["completion_tokens"]) == (30, 7)
    assert Decimal(broken["cost"]) == (30 * 1 + 7 * 2) / Decimal(10 ** 6)
    assert good["usage"] == run["usage"]
    assert Decimal(broken["cost"]) + Decimal(good["cost"]) == Decimal(run["cost"])


def test_without_a_price_there_is_no_cost(client):
    c = client([up.sse(), up.role(), TOLD, up.hang_up()], up.either(), price=None)
    run = c.run(c.chat("hi", model="m", stream=True).headers["x-run-id"])
    assert [x["cost"] for x in run["attempt_list"]] == [None, None]
    assert run["attempt_list"][0]["usage"]["prompt_tokens"] == 30


def test_all_fail(client):
    c = client(fails(500), fails(502))
    run = c.run(c.chat("hi", model="m").headers["x-run-id"])
    check_times(run)
    assert run["status"] == "failed"
    assert [(x["provider"], x["outcome"], x["http_status"], x["error_code"])
            for x in run["attempt_list"]] == [("p", "failed", 500, "upstream_error"),
                                              ("q", "failed", 502, "upstream_error")]
    assert run["attempt_list"][-1]["error_code"] == run["error"]["code"]


@pytest.mark.parametrize("stored", [True, False], ids=["stored", "unstored"])
def test_while_it_goes_on_and_when_it_was_cancelled(client, stored):
    gate = up.Gate()
    c = client(fails(500), [up.sse(), up.role(), up.text(WORDS), up.wait(gate), *up.ending()])
    with c.chat_stream("hi", model="m", store=stored) as stream:
        stream.until_text(WORDS)
        run = c.run(stream.headers["x-run-id"])
        check_times(run)
        failed, on = run["attempt_list"]
        assert failed["outcome"] == "failed" and failed["provider"] == "p"
        assert on == {**on, "provider": "q", "model": c.upstreams[1], "outcome": "running",
                      "ended_at_ms": None, "usage": None, "cost": None}
        assert on["first_token_at_ms"] // 1000 == run["first_token_at"]
        told = c.post(f"/v1/runs/{run['id']}/cancel").ok().json["attempt_list"]
        assert [x["outcome"] for x in told] == ["failed", "cancelled"]
        gate.open()
    if stored:
        run = c.run(run["id"])
        assert [x["outcome"] for x in run["attempt_list"]] == ["failed", "cancelled"]
        assert run["attempt_list"][1]["first_token_at_ms"] == on["first_token_at_ms"]
        assert run["attempt_list"][1]["http_status"] == 200


def logged(gateway, text):
    with sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as db:
        wait_until(lambda: db.execute("SELECT 1 FROM event WHERE instr(data, ?)",
                                      (text.encode(),)).fetchone(), "the event log")


def test_a_kill_leaves_what_is_known(client):
    gate = up.Gate()
    c = client(fails(500), [up.sse(), up.role(), up.text(WORDS), up.wait(gate), *up.ending()])
    with c.chat_stream("hi", model="m") as stream:
        stream.until_text(WORDS)
        logged(c.gateway, WORDS)
        c.gateway.kill()
    gate.open()
    c.gateway.start()
    c.http.base_url = c.gateway.url
    run = c.run(stream.headers["x-run-id"])
    failed, lost = run["attempt_list"]
    assert failed["outcome"] == "failed" and failed["http_status"] == 500
    assert lost == {**lost, "provider": "q", "model": c.upstreams[1], "outcome": "lost",
                    "error_code": "server_stopped", "ended_at_ms": None,
                    "usage": run["usage"], "usage_source": "estimated"}
    assert lost["started_at_ms"] <= lost["first_token_at_ms"]


def test_a_kill_before_anything_was_noted(client):
    gate = up.Gate()
    c = client([up.wait(gate), up.either()], up.either())
    run = c.post("/v1/chat", {"messages": ["hi"], "background": True,
                              "config": {"model": "m"}}).ok(202).json["id"]
    gate.wait_reached()
    c.gateway.kill()
    gate.open()
    c.gateway.start()
    c.http.base_url = c.gateway.url
    lost, = c.run(run)["attempt_list"]
    assert lost == {**lost, "provider": "p", "model": None, "started_at_ms": None,
                    "ended_at_ms": None, "outcome": "lost", "error_code": "server_stopped"}


def test_more_than_sixteen(start, upstream, script):
    """Of twenty: three models, each asked as often as a provider may be."""
    again = up.reply({"error": {"message": "slow"}}, 503, headers=[("retry-after-ms", "1")])
    name = script(up.in_turn(*[again] * 19, up.either())).name
    gateway = start({"providers": [provider(upstream, "p") | {"retries": 10}],
                     "models": [{"name": n, "provider": "p", "upstream_model": name,
                                 "fallback": f} for n, f in (("m", ["n"]), ("n", []))]})
    with Client(gateway.url) as c:
        run = c.run(c.chat("hi", model="m").ok().json["run"])
    assert run["attempts"] == 20
    assert [x["outcome"] for x in run["attempt_list"]] == ["failed"] * 15 + ["completed"]
    assert len({x["started_at_ms"] for x in run["attempt_list"]}) > 1
