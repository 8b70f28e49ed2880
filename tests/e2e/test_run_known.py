"""What a run tells of itself while it goes on, and after a crash: nothing that is known is left out, and
what may have cost is estimated."""

import copy
import json
import resource
import sqlite3
from contextlib import ExitStack
from decimal import Decimal

import pytest

import keys
import upstream as up
from client import Client
from fixtures import provider
from raw import Raw, post
from test_budget import MILLIONTH, PRICE
from upstream import in_turn
from waiting import wait_until

WORDS = "forty characters of an answer, exactly. "


@pytest.fixture
def priced(start, upstream):
    """priced(script): a gateway with that as the model m, which has a price and may be asked twice."""
    def make(s, price=PRICE, **more):
        return start({"providers": [provider(upstream, "p") | {"retries": 1}],
                      "models": [{"name": "m", "provider": "p", "upstream_model": s.name,
                                  "max_output": 100} | ({"price": price} if price else {})],
                      "price_table": False, **more}, args=["--admin-listen", "127.0.0.1:0"])
    return make


def slow(script, gate):
    """Fails once, then begins to answer and waits."""
    return script(in_turn(up.reply({"error": {"message": "no"}}, 500),
                          [up.sse(), up.role(), up.text(WORDS), up.wait(gate),
                           *up.ending()]))


def listed(client, run):
    return next(r for r in client.get("/v1/runs").ok().json["data"] if r["id"] == run)


@pytest.mark.parametrize("stored", [True, False], ids=["stored", "unstored"])
def test_a_run_that_goes_on_tells_its_attempts_and_its_first_token(priced, script, stored):
    gate = up.Gate()
    gateway = priced(slow(script, gate))
    with Client(gateway.url) as client:
        with client.chat_stream("hi", model="m", store=stored) as stream:
            stream.until_text(WORDS)
            run = stream.headers["x-run-id"]
            for seen in [client.run(run)] + ([listed(client, run)] if stored else []):
                assert seen["status"] == "running" and seen["attempts"] == 2, seen
                assert seen["first_token_at"] >= seen["created_at"], seen
                assert seen["completed_at"] is None and seen["usage"] is None
            gate.open()
            assert not stream.native().error
        if stored:
            ended = client.run(run)
            assert ended["attempts"] == 2 and ended["first_token_at"] == seen["first_token_at"]


def logged(gateway, text):
    """The event log has come so far."""
    with sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as db:
        wait_until(lambda: db.execute("SELECT 1 FROM event WHERE instr(data, ?)",
                                      (text.encode(),)).fetchone(), "the event log")


def start_again(gateway):
    gateway.before = len(gateway.lines)
    gateway.start()


def usage(gateway, key=None):
    found = gateway.wait_log(r"keys on (http://[0-9.:]+)", start=gateway.before)
    with Client(found[1], key and keys.bearer(key)) as admin:
        return admin.get("/v1/admin/usage?group=key&group=model").ok().json["data"]


def killed_in_the_middle(gateway, client, gate, **fields):
    with client.chat_stream("hi", model="m", **fields) as stream:
        stream.until_text(WORDS)
        logged(gateway, WORDS)
        gateway.kill()
    gate.open()
    start_again(gateway)
    client.http.base_url = gateway.url
    return client.run(stream.headers["x-run-id"])


@pytest.mark.parametrize("price", [PRICE, None], ids=["priced", "unpriced"])
def test_after_a_kill_it_tells_them_too_and_what_it_may_have_cost(priced, script, price):
    gate = up.Gate()
    gateway = priced(slow(script, gate), price=price)
    with Client(gateway.url) as client:
        run = killed_in_the_middle(gateway, client, gate)
    assert run["status"] == "incomplete" and run["provider"] == "p"
    assert run["attempts"] == 2 and run["first_token_at"] >= run["created_at"]
    assert run["usage_source"] == "estimated"
    assert run["usage"]["completion_tokens"] == len(WORDS) // 4
    assert 0 < run["usage"]["prompt_tokens"] < 40
    day, = usage(gateway)
    assert (day["calls"], day["calls_estimated"]) == (1, 1) and day["model"] == "m"
    assert day["output_tokens"] == run["usage"]["completion_tokens"]
    assert day["input_tokens"] == run["usage"]["prompt_tokens"]
    if price:
        assert Decimal(run["cost"]) == Decimal(day["cost"]) == MILLIONTH * (
            day["input_tokens"] + 2 * day["output_tokens"])
    else:
        assert run["cost"] is None and day["calls_unpriced"] == 1


def test_a_killed_run_s_key_is_charged_the_same_estimate(priced, script):
    gate = up.Gate()
    gateway = priced(slow(script, gate))
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin,read"))
    key = keys.known(gateway, keys.make(gateway, "--budget", "1"))
    with Client(gateway.url, keys.bearer(key["key"])) as client:
        run = killed_in_the_middle(gateway, client, gate)
        budget = client.get("/v1/usage").ok().json["budget"]["cost"]
        assert budget["reserved"] == "0" and Decimal(budget["spent"]) == Decimal(run["cost"])
    day, = usage(gateway, root["key"])
    assert day["key"] == key["id"] and day["calls"] == 1
    assert Decimal(day["cost"]) == Decimal(run["cost"])


def test_what_the_provider_told_before_the_kill_counts(priced, script):
    """Its usage came, and then the process ended in front of the answer's end."""
    gate = up.Gate()
    told = {"prompt_tokens": 1234, "completion_tokens": 77, "total_tokens": 1311}
    s = script(up.sse(), up.role(), up.text(WORDS),
               up.data({**up.chunk(), "choices": [], "usage": told}), up.text("behind"),
               up.wait(gate), *up.ending())
    gateway = priced(s)
    with Client(gateway.url) as client:
        with client.chat_stream("hi", model="m") as stream:
            stream.until_text("behind")
            logged(gateway, "behind")
            gateway.kill()
        gate.open()
        start_again(gateway)
        client.http.base_url = gateway.url
        run = client.run(stream.headers["x-run-id"])
    assert run["usage_source"] == "provider" and run["usage"]["prompt_tokens"] == 1234
    assert run["usage"]["completion_tokens"] == 77


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
def test_a_kill_before_the_answer_leaves_the_prompt_to_pay(priced, script, stream):
    gate = up.Gate()
    gateway = priced(script(up.wait(gate)))
    with Raw(gateway) as raw:
        raw.send(post("/v1/chat", json.dumps({"messages": ["x" * 4000], "stream": stream,
                                              "config": {"model": "m"}}).encode()))
        gate.wait_reached()
        with Client(gateway.url) as client:
            run, = client.get("/v1/runs").ok().json["data"]
            assert run["attempts"] == 1 and run["first_token_at"] is None
        gateway.kill()
    gate.open()
    start_again(gateway)
    with Client(gateway.url) as client:
        run = client.run(run["id"])
    assert run["attempts"] == 1 and run["first_token_at"] is None
    assert 1000 <= run["usage"]["prompt_tokens"] <= 1020
    assert run["usage"]["completion_tokens"] == 0 and run["usage_source"] == "estimated"
    assert usage(gateway)[0]["calls"] == 1


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
def test_a_kill_between_two_attempts_leaves_nothing_to_pay(priced, script, stream):
    """The first one was refused, and nobody was asked when the process ended."""
    gateway = priced(script(up.reply({"error": {"message": "no"}}, 503, headers=[("Retry-After", "2")])))
    with Raw(gateway) as raw:
        raw.send(post("/v1/chat", json.dumps({"messages": ["x" * 4000], "stream": stream,
                                              "config": {"model": "m"}}).encode()))
        with sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as db:
            wait_until(lambda: db.execute("SELECT 1 FROM run WHERE attempts = 1 AND bill_dropped IS NOT NULL").fetchone(),
                       "the first one's end")
        gateway.kill()
    start_again(gateway)
    with Client(gateway.url) as client:
        run, = client.get("/v1/runs").ok().json["data"]
    assert run["status"] == "incomplete" and run["attempts"] == 1
    assert run["usage"] is None and run["usage_source"] is None and run["cost"] is None
    assert usage(gateway) == []


def dropped(gateway):
    """The store knows of a second attempt."""
    with sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as db:
        wait_until(lambda: db.execute("SELECT 1 FROM run WHERE attempts = 2").fetchone(),
                   "the second attempt")


@pytest.mark.parametrize("price", [PRICE, None], ids=["priced", "unpriced"])
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
def test_what_dropped_attempts_have_used_outlives_a_kill(start, upstream, script, stream, price):
    """The first one broke off, and the second one goes on when the process ends: of a stream the provider
    had told what it used, a plain answer without choices is estimated."""
    gate = up.Gate()
    first = script(*([up.sse(), up.data(up.usage_chunk()), up.hang_up()] if stream else
                     [up.reply({**up.completion(), "choices": []})]))
    gateway = start({"providers": [provider(upstream, "p")], "price_table": False, "models": [
        {"name": name, "provider": "p", "upstream_model": s.name, **more}
        | ({"price": dict(price)} if price else {})
        for name, s, more in (("m", first, {"fallback": ["n"]}), ("n", script(up.wait(gate)), {}))]},
        args=["--admin-listen", "127.0.0.1:0"])
    with Raw(gateway) as raw:
        raw.send(post("/v1/chat", json.dumps({"messages": ["x" * 4000], "stream": stream,
                                              "config": {"model": "m"}}).encode()))
        gate.wait_reached()
        with Client(gateway.url) as client:
            run, = client.get("/v1/runs").ok().json["data"]
        dropped(gateway)
        gateway.kill()
    gate.open()
    start_again(gateway)
    with Client(gateway.url) as client:
        run = client.run(run["id"])
    assert run["attempts"] == 2 and run["usage_source"] == "estimated"
    one = run["usage"]["prompt_tokens"]
    assert 1000 <= one <= 1020 and run["usage"]["completion_tokens"] == 0
    day, = usage(gateway)
    assert (day["calls"], day["calls_estimated"]) == (1, 1)
    assert day["input_tokens"] == one + (up.USAGE["prompt_tokens"] if stream else one)
    assert day["output_tokens"] == (up.USAGE["completion_tokens"] if stream else 0)
    if price:
        assert Decimal(run["cost"]) == Decimal(day["cost"]) == MILLIONTH * (
            day["input_tokens"] + 2 * day["output_tokens"])
    else:
        assert run["cost"] is None and day["calls_unpriced"] == 1


@pytest.mark.parametrize("budget", [False, True], ids=["no budget", "budget"])
def test_runs_whose_ends_come_late_are_booked_once(start, upstream, script, budget):
    """The disk is full when several long answers end, then it has room for the end of one of them alone,
    and the process is killed: the next one ends the others."""
    count, text, mark = 4, "y" * 700_000, "the last piece"
    gates = [up.Gate() for _ in range(count)]
    s = script(in_turn(*([up.sse(), up.role(), up.text(text), up.text(mark), up.wait(gate),
                          *up.ending()] for gate in gates)))
    gateway = start({"providers": [provider(upstream, "p")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "price": PRICE,
         "max_output": 1_000_000}]}, args=["--admin-listen", "127.0.0.1:0"],
        restore_signals=False)  # SIGXFSZ stays ignored
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin,read"))
    key = keys.known(gateway, keys.make(gateway, *(["--budget", "1000"] if budget else [])))
    pid = gateway.process.pid
    wal = gateway.database.with_name(gateway.database.name + "-wal")
    streams = []
    with Client(gateway.url, keys.bearer(key["key"])) as client, \
            sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as db, ExitStack() as all:
        for _ in range(count):
            streams.append(all.enter_context(client.chat_stream("hi", model="m")))
            streams[-1].until_text(mark)
        # What the log lacks is written with the end, and would take of the room for it.
        wait_until(lambda: db.execute("SELECT count(DISTINCT run) FROM event WHERE instr(data, ?) > 0",
                                      (mark.encode(),)).fetchone()[0] == count, "the event log")
        # A reader keeps the write-ahead log from starting over, so that its size is the room.
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM run").fetchone()
        at = max(wal.stat().st_size, gateway.database.stat().st_size)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (at, resource.RLIM_INFINITY))
        for gate in gates:
            gate.open()
        for stream in streams:
            assert stream.native().error["code"] == "storage_unavailable"
        at = wal.stat().st_size + 1_200_000
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (at, resource.RLIM_INFINITY))
        with sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as now:
            wait_until(lambda: now.execute("SELECT 1 FROM run WHERE status > 1").fetchone(),
                       "the first end")
            wait_until(lambda: now.execute("SELECT 1 FROM usage_day").fetchone(), "its usage")
            ended = now.execute("SELECT count(*) FROM run WHERE status > 1").fetchone()[0]
        assert 0 < ended < count, "the disk had room for too much"
        gateway.kill()
    start_again(gateway)
    wait_until(lambda: usage(gateway, root["key"]), "the books")
    day, = usage(gateway, root["key"])
    assert day["calls"] == count
    with Client(gateway.url, keys.bearer(key["key"])) as client:
        runs = client.get("/v1/runs").ok().json["data"]
        assert [r["status"] for r in runs] == ["incomplete"] * count
        assert sum(Decimal(r["cost"]) for r in runs) == Decimal(day["cost"])
        if budget:
            cost = client.get("/v1/usage").ok().json["budget"]["cost"]
            assert cost["reserved"] == "0" and Decimal(cost["spent"]) == Decimal(day["cost"])


def test_another_process_knows_it_too(priced, script):
    """A takeover: the run goes on in the process before."""
    gate = up.Gate()
    gateway = priced(slow(script, gate))
    second = copy.copy(gateway)
    second.process, second.lines, second.args = None, [], [*gateway.args, "--takeover"]
    try:
        with Client(gateway.url) as client, client.chat_stream("hi", model="m") as stream:
            stream.until_text(WORDS)
            logged(gateway, WORDS)
            second.start()
            with Client(second.url) as other:
                seen = other.run(stream.headers["x-run-id"])
                assert seen["status"] == "running" and seen["attempts"] == 2
                assert seen["first_token_at"]
            gate.open()
            assert not stream.native().error
        assert gateway.wait_exit() == 0
    finally:
        second.stop()
