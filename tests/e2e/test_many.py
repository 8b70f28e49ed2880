"""Several gateways on one PostgreSQL database.

These tests start a server of their own, whatever engine the others use."""

import contextlib
import json
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import httpx
import pytest

import responses as rs
import upstream as up
from client import Client, Stream, texts
from gateway import PROJECT, run
from test_budget_open import crowd
from waiting import DEADLINE, wait_until

WORDS = ["one ", "two ", "three ", "four"]


@contextlib.contextmanager
def clients(*gateways, headers=None):
    """A client of each."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Client(g.url, headers)) for g in gateways]


@contextlib.contextmanager
def events(client, path):
    """A later reader of a run."""
    response = client.http.send(client.http.build_request("GET", path), stream=True)
    try:
        yield Stream(response, f"GET {path}")
    finally:
        response.close()


def said(blocks):
    """What readers must see alike: all bytes but comments."""
    return [block.raw for block in blocks if not block.is_comment]


def gated(script, words=WORDS):
    """A stream that waits behind each of its words."""
    gates = [up.Gate() for _ in words]
    steps = [step for word, gate in zip(words, gates) for step in (up.text(word), up.wait(gate))]
    return gates, script(up.sse(), up.role(), *steps, *up.ending())


def command(server, database, *args):
    done = run(*args, "--database", server.url(database))
    assert done.returncode == 0, done.stderr
    return done.stdout


def new_key(server, database, *args):
    return json.loads(command(server, database, "keys", "create", "--json", *args))


# --- following ------------------------------------------------------------------------------------

# How a stream is begun, and where its later readers find it.
CHAT = ("/v1/chat", {"messages": ["go"], "stream": True},
        lambda model: {"config": {"model": model}},
        lambda headers: f"/v1/runs/{headers['x-run-id']}/events")
MESSAGES = ("/v1/messages",
            {"max_tokens": 100, "messages": [{"role": "user", "content": "go"}], "stream": True},
            lambda model: {"model": model},
            lambda headers: f"/v1/messages/msg_{headers['x-run-id'][4:]}/events")
RESPONSES = ("/v1/responses", {"input": "go", "stream": True}, lambda model: {"model": model},
             lambda headers: f"/v1/responses/resp_{headers['x-run-id'][4:]}?stream=true")


@pytest.mark.parametrize("durability", ["strict", "relaxed"])
@pytest.mark.parametrize("begin", [CHAT, MESSAGES, RESPONSES],
                         ids=["chat", "messages", "responses"])
def test_a_stream_is_read_at_another_gateway_as_it_comes(join, script, begin, durability):
    path, body, of_model, place = begin
    a, b, c = (join(durability=durability) for _ in range(3))
    gates, s = gated(script)
    with clients(a, b, c) as (one, two, three), contextlib.ExitStack() as stack:
        first = stack.enter_context(one.stream(path, {**body, **of_model(s.model)},
                                               {"x-parley-store": "true"}))
        first.check_head()
        readers = [stack.enter_context(events(x, place(first.headers))) for x in (two, three)]
        for word, gate in zip(WORDS, gates):
            for stream in (first, *readers):
                wanted(stream, word)
            gate.open()
        for stream in (first, *readers):
            list(stream)
        assert said(readers[0].seen) == said(readers[1].seen)
        # The head of a message is told anew, without an estimate of the prompt.
        heads = 1 if begin is MESSAGES else 0
        assert said(readers[0].seen)[heads:] == said(first.seen)[heads:]
        # And once more, when it has ended.
        with events(three, place(first.headers)) as again:
            list(again)
            assert said(again.seen) == said(readers[0].seen)


def wanted(stream, word):
    """Reads on until the word has come."""
    for block in stream:
        if not block.is_comment and word.strip() in block.data:
            return
    raise AssertionError(f"the stream ended before {word!r}: {stream.seen}")


def test_a_foreign_reader_is_not_far_behind(join, script, record_property):
    a, b = join(), join()
    words = [f"word{n} " for n in range(40)]
    gates, s = gated(script, words)
    behind = []
    with clients(a, b) as (one, two), one.chat_stream("go", model=s.model) as first:
        with events(two, f"/v1/runs/{first.headers['x-run-id']}/events") as reader:
            for word, gate in zip(words, gates):
                wanted(first, word)
                began = time.monotonic()
                wanted(reader, word)
                behind.append(time.monotonic() - began)
                gate.open()
            list(reader)
            list(first)
            assert said(reader.seen) == said(first.seen)
    record_property("behind_ms", [round(1000 * x) for x in behind])
    assert min(behind) < 0.1, "a busy machine may be late, but not always"


@pytest.mark.parametrize("begin", [CHAT, RESPONSES], ids=["chat", "responses"])
def test_what_a_killed_gateway_has_said_is_read_to_its_end_elsewhere(join, server, database, script,
                                                                    begin):
    path, body, of_model, place = begin
    a, b = join(durability="strict"), join()
    gates, s = gated(script)
    with clients(a, b) as (one, two):
        with one.stream(path, {**body, **of_model(s.model)}) as first:
            wanted(first, WORDS[0])
            gates[0].open()
            wanted(first, WORDS[1])
            where = place(first.headers)
            with events(two, where) as reader:
                wanted(reader, WORDS[0])
                a.process.kill()
                a.process.wait(DEADLINE)
                a.process = None
                server.lapse(database)
                list(reader)
        last = json.loads([b for b in reader.seen if not b.is_comment and b.data != "[DONE]"][-1].data)
        if begin is CHAT:
            assert "server_stopped" in json.dumps(last), reader.seen[-3:]
        else:
            assert last["type"] == "response.failed", reader.seen[-3:]
        seen = said(first.seen)
        assert said(reader.seen)[:len(seen)] == seen, "strict: what was sent is in the log"
        # A client of the dead one goes on where it was.
        if begin is CHAT:
            with events(two, f"{where}?after={first.seen[-1].id}") as rest:
                list(rest)
            assert seen + said(rest.seen) == said(reader.seen)
        found = two.run(first.headers["x-run-id"])
        assert found["status"] == "incomplete"
        assert texts(two, found["conversation"])[-1] == "one two "
        two.chat("and on", conversation=found["conversation"]).ok()
    for gate in gates:
        gate.open()


def test_a_reader_gets_the_end_of_a_killed_gateway_within_the_lease(join, script, record_property):
    """Nothing helps the lease to its end here."""
    a, b = join(), join()
    gates, s = gated(script)
    with clients(a, b) as (one, two):
        two.http.timeout = 60
        with one.chat_stream("go", model=s.model) as first:
            wanted(first, WORDS[0])
            with events(two, f"/v1/runs/{first.headers['x-run-id']}/events") as reader:
                wanted(reader, WORDS[0])
                a.process.kill()
                began = time.monotonic()
                a.process.wait(DEADLINE)
                a.process = None
                list(reader)
                took = time.monotonic() - began
        assert b"server_stopped" in reader.seen[-1].raw + reader.seen[-2].raw
        record_property("seconds", round(took, 1))
        assert 12 < took < 17 + (DEADLINE - 15)
    for gate in gates:
        gate.open()


# --- cancelling -----------------------------------------------------------------------------------


def test_a_run_is_cancelled_from_another_gateway(join, server, database, script):
    a, b = join(), join()
    gates, s = gated(script)
    with clients(a, b) as (one, two), one.chat_stream("go", model=s.model) as first:
        wanted(first, WORDS[0])
        run_id = first.headers["x-run-id"]
        with events(two, f"/v1/runs/{run_id}/events") as reader:
            began = time.monotonic()
            assert two.post(f"/v1/runs/{run_id}/cancel").ok().json["status"] == "cancelled"
            took = time.monotonic() - began
            s.wait().wait_closed()
            list(reader)
            list(first)
        assert said(reader.seen) == said(first.seen)
        assert one.run(run_id)["status"] == "cancelled"
        # It was ended at once, and not by a lease.
        assert took < 2 + (DEADLINE - 15)
        # Once more it changes nothing.
        assert two.post(f"/v1/runs/{run_id}/cancel").ok().json["status"] == "cancelled"
        wait_until(lambda: server.number("SELECT count(*) FROM signal", database) == 0, "no signal")


def test_a_run_that_is_not_stored_is_at_its_gateway_alone(join, script):
    a, b = join(), join()
    gates, s = gated(script)
    with clients(a, b) as (one, two), one.chat_stream("go", model=s.model, store=False) as first:
        wanted(first, WORDS[0])
        run_id = first.headers["x-run-id"]
        for path in (f"/v1/runs/{run_id}", f"/v1/runs/{run_id}/events", f"/v1/responses/resp_{run_id[4:]}"):
            message = two.get(path).error(404, "run_elsewhere")["message"]
            assert "only the gateway that began it" in message
        two.post(f"/v1/runs/{run_id}/cancel").error(404, "run_elsewhere")
        one.run(run_id)
        # What has ended is in the ledger, whose rows all gateways have.
        mine = two.chat("x", store=False).ok().headers["x-run-id"]
        wait_until(lambda: one.get(f"/v1/runs/{mine}").status == 200, "the ledger's row")
        for gate in gates:
            gate.open()
        list(first)
        # Nobody has its events when its gateway is gone.
    a.stop()
    with clients(b) as (two,):
        run = two.run(run_id)
        assert (run["stored"], run["outcome"]) == (False, "completed")
        two.get(f"/v1/runs/{run_id}/events").error(404, "not_found")


def test_a_response_in_the_background_is_cancelled_from_another_gateway(join, script):
    a, b = join(), join()
    gates, s = gated(script)
    with clients(a, b) as (one, two):
        made = rs.create(one, model=s.model, background=True).ok().json["id"]
        gates[0].wait_reached()
        found = two.post(f"{rs.PATH}/{made}/cancel").ok().json
        assert rs.check(found)["status"] == "cancelled"
        s.wait().wait_closed()
        with rs.stream(one, model=s.model) as plain:
            s.wait(2)
            id = "resp_" + plain.headers["x-run-id"][4:]
            two.post(f"{rs.PATH}/{id}/cancel").error(400)
            for gate in gates:
                gate.open()
            list(plain)


def test_runs_of_others_are_not_cancelled(join, server, database, script):
    mine, yours = (new_key(server, database, "--name", n)["key"] for n in ("mine", "yours"))
    a, b = join(), join()
    gates, s = gated(script)
    with Client(a.url, {"Authorization": f"Bearer {mine}"}) as one, \
            Client(b.url, {"Authorization": f"Bearer {yours}"}) as two, \
            one.chat_stream("go", model=s.model) as first:
        wanted(first, WORDS[0])
        run_id = first.headers["x-run-id"]
        # As for a run that nobody has stored: its id says which gateway made it.
        two.post(f"/v1/runs/{run_id}/cancel").error(404, "run_elsewhere")
        two.get(f"/v1/runs/{run_id}/events").error(404, "run_elsewhere")
        for gate in gates:
            gate.open()
        assert first.native().text == "".join(WORDS)
        assert one.run(run_id)["status"] == "completed"


def test_a_run_of_a_dead_gateway_that_is_to_be_cancelled_gets_the_end_of_the_dead(
        join, server, database, script):
    a, b = join(), join()
    gates, s = gated(script)
    with clients(a, b) as (one, two), one.chat_stream("go", model=s.model) as first:
        wanted(first, WORDS[0])
        run_id = first.headers["x-run-id"]
        a.process.kill()
        a.process.wait(DEADLINE)
        a.process = None
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(two.post, f"/v1/runs/{run_id}/cancel")
            wait_until(lambda: server.number("SELECT count(*) FROM signal", database) == 1,
                       "a signal that nobody hears")
            server.lapse(database)
            assert asked.result().ok().json["status"] == "incomplete"
        wait_until(lambda: server.number("SELECT count(*) FROM signal", database) == 0, "no signal")
    for gate in gates:
        gate.open()


# --- one of them ends -----------------------------------------------------------------------------


def test_one_drains_while_another_goes_on(join, server, database, script):
    a, b = join(drain_timeout="30s"), join()
    gates, s = gated(script)
    stop, answers = threading.Event(), []

    def load():
        with Client(b.url) as client:
            while not stop.is_set():
                answers.append(client.chat("meanwhile").status)

    with clients(a, b) as (one, two), one.chat_stream("go", model=s.model) as first:
        wanted(first, WORDS[0])
        run_id = first.headers["x-run-id"]
        assert two.get("/readyz").status == 200
        loader = threading.Thread(target=load)
        loader.start()
        with events(two, f"/v1/runs/{run_id}/events") as reader:
            a.signal(signal.SIGTERM)
            a.wait_log("drain")
            for gate in gates:
                gate.open()
            assert first.native().text == reader.native().text == "".join(WORDS)
            assert said(reader.seen) == said(first.seen)
        assert a.wait_exit() == 0
        # Its row was given back, and its runs have ended.
        assert server.number("SELECT count(*) FROM gateway WHERE dead = 0", database) == 1
        before = len(answers)
        wait_until(lambda: len(answers) > before + 5, "calls after its end")
        stop.set()
        loader.join(DEADLINE)
        assert set(answers) == {200}
        assert two.run(run_id)["status"] == "completed"


@pytest.fixture
def balanced(tmp_path):
    """balanced(gateways): the balancer of examples/compose-postgres before these two, on a socket."""
    text = (PROJECT / "examples/compose-postgres/nginx.conf").read_text()
    place, running = tmp_path / "nginx", []
    place.mkdir()

    def make(*gateways):
        conf = text
        for n, gateway in enumerate(gateways, 1):
            conf = conf.replace(f"gateway{n}:8080", f"127.0.0.1:{gateway.port}")
        conf = conf.replace("listen 8080", f"listen unix:{place}/socket")
        own = "".join(f"{kind}_temp_path {place}/{kind}; " for kind in
                      ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (place / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {place}/pid;\n"
            + conf.replace("http {", "http { " + own, 1))
        running.append(subprocess.Popen(["nginx", "-e", place / "error.log", "-c",
                                         place / "nginx.conf"]))
        wait_until((place / "socket").exists, "the balancer's socket")
        return httpx.Client(base_url="http://localhost", trust_env=False, timeout=4 * DEADLINE,
                            transport=httpx.HTTPTransport(uds=str(place / "socket")))
    yield make
    for process in running:
        process.terminate()
        process.wait(DEADLINE)


def test_behind_a_balancer_nobody_misses_a_killed_gateway(join, server, database, script, balanced):
    gateways = join(durability="strict"), join(durability="strict")
    gates, s = gated(script)
    with balanced(*gateways) as http:
        request = http.build_request("POST", "/v1/chat", json={
            "messages": ["go"], "config": {"model": s.model}, "stream": True})
        first = http.send(request, stream=True)
        pieces, seen = first.iter_raw(), b""
        while WORDS[0].encode() not in seen:
            seen += next(pieces)
        # nginx begins with the first one of its list.
        gateways[0].process.kill()
        gateways[0].process.wait(DEADLINE)
        gateways[0].process = None
        with pytest.raises(httpx.RemoteProtocolError):
            list(pieces)
        first.close()
        server.lapse(database)
        rest = http.get(f"/v1/runs/{first.headers['x-run-id']}/events")
        assert rest.status_code == 200 and rest.content.startswith(
            b"\n\n".join(b for b in seen.split(b"\n\n")[:2] if not b.startswith(b":")))
        assert b"server_stopped" in rest.content
        for n in range(10):
            assert http.post("/v1/chat", json={"messages": [f"turn {n}"]}).status_code == 200
    for gate in gates:
        gate.open()


# --- one of everything ----------------------------------------------------------------------------


def test_a_conversation_has_one_turn_over_four_gateways(join, server, database):
    gateways = [join() for _ in range(4)]
    with clients(*gateways) as all_of_them:
        conversation = all_of_them[0].chat("first").ok().json["conversation"]
        for _ in range(5):
            barrier = threading.Barrier(8)

            def turn(n):
                with Client(gateways[n % 4].url) as client:
                    barrier.wait()
                    return client.chat("again", conversation=conversation)
            with ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(turn, range(8)))
            assert {a.status for a in answers} <= {200, 409}, answers
            assert any(a.status == 200 for a in answers)
            [a.error(409, "conversation_busy") for a in answers if a.status == 409]
        # Each answered turn is there once, one behind the other.
        done = server.number("SELECT count(*) FROM run WHERE status = 2", database)
        assert len(all_of_them[1].items(conversation)["data"]) == 2 * done
        assert server.number("SELECT count(DISTINCT prev) - count(prev) FROM message", database) == 0


def test_tickets_are_good_everywhere_and_after_a_restart(join, server, database):
    key = new_key(server, database, "--name", "k")["key"]
    a, b = join(), join()
    with clients(a, headers={"Authorization": f"Bearer {key}"}) as (one,):
        run_id = one.chat("hi").ok().headers["x-run-id"]
        url = one.post(f"/v1/runs/{run_id}/ticket").ok().json["url"]
    with clients(b) as (bare,):
        bare.get(url.partition("?")[0]).error(401)
        assert b"event: done" in bare.http.get(url).content
    b.restart()
    with clients(b) as (bare,):
        assert b"event: done" in bare.http.get(url).content


PRICED = {"name": "echo", "provider": "echo", "price": {"input": 1, "output": 2},
          "max_output": 100}


def test_a_budget_is_exact_over_four_gateways(join, server, database):
    limit = Decimal("0.002")
    key = new_key(server, database, "--name", "poor", "--budget", str(limit))
    head = {"Authorization": f"Bearer {key['key']}"}
    gateways = [join(models=[PRICED]) for _ in range(4)]
    codes = []

    def spend(n):
        with Client(gateways[n % 4].url, head) as client:
            client.http.timeout = 4 * DEADLINE
            for _ in range(60):
                reply = client.chat("hello there", config={"max_tokens": 50})
                codes.append(reply.status)
                if reply.status == 429:
                    return
    while 429 not in codes[-8:]:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(spend, range(8)))
    assert set(codes) == {200, 429}

    def cost(client):
        return client.get("/v1/usage").ok().json["budget"]["cost"]
    with clients(*gateways, headers=head) as all_of_them:
        wait_until(lambda: cost(all_of_them[0])["reserved"] == "0", "the end of all reservations")
        spent = {Decimal(cost(client)["spent"]) for client in all_of_them}
        assert len(spent) == 1 and max(spent) <= limit
        runs = server.number("SELECT sum(cost_nano) FROM run", database)
        assert spent == {Decimal(runs) / 10**9}
        wait_until(lambda: sum(d["calls"] for d in all_of_them[1].get("/v1/usage").ok().json["data"])
                   == codes.count(200), "the day's sums")


def test_streams_that_grow_never_pass_a_budget_over_four_gateways(join, server, database):
    limit = Decimal("0.002")
    key = new_key(server, database, "--name", "poor", "--budget", str(limit))
    slow = {"name": "slow", "dialect": "echo", "delay": "5ms"}
    endless = {"name": "echo", "provider": "slow", "price": PRICED["price"]}
    gateways = [join(providers=[slow], models=[endless], budget_reserve=4) for _ in range(4)]
    codes, bodies = [], []
    with clients(gateways[0], headers={"Authorization": f"Bearer {key['key']}"}) as (client,):
        def cost():
            return client.get("/v1/usage").ok().json["budget"]["cost"]
        while 429 not in codes[-16:]:
            crowd([g.url for g in gateways], key["key"], 16, codes, bodies)
            wait_until(lambda: cost()["reserved"] == "0", "the end of all reservations")
            assert Decimal(cost()["spent"]) <= limit
    assert 200 in codes and set(codes) <= {200, 429}
    assert any("is used up" in body for body in bodies)

# --- Idempotency-Keys -----------------------------------------------------------------------------

SHAPES = [(path, {"stream": stream, "store": store})
          for path in ("/v1/chat", "/v1/chat/completions")
          for stream in (False, True) for store in (True, False)]
NAMES = [f"{p.split('/')[-1]}-{'stream' if f['stream'] else 'plain'}-"
         f"{'stored' if f['store'] else 'unstored'}" for p, f in SHAPES]


def call(path, model, fields):
    messages = [{"role": "user", "content": "go"}]
    if path == "/v1/chat":
        return {"messages": messages, "config": {"model": model}, **fields}
    return {"model": model, "messages": messages, **fields}


def ask(gateway, path, body, key):
    with Client(gateway.url) as client:
        client.http.timeout = 2 * DEADLINE
        return client.post(path, body, headers={"Idempotency-Key": key})


def same(reply):
    """What must be the same each time; an older version does not end the line of a plain answer."""
    blocks = [b for b in reply.body.rstrip().split(b"\n\n") if not b.startswith(b":")]
    return reply.status, blocks, reply.headers.get("x-run-id"), reply.headers["content-type"]


def is_replayed(reply):
    return reply.headers.get("idempotency-replayed") == "true"


@pytest.fixture(scope="module")
def four(server, start_once):
    """Four gateways on one database, for tests that do them no harm."""
    url = server.url(server.create())
    return [start_once(usual={"database": url}) for _ in range(4)]


@pytest.mark.parametrize("path, fields", SHAPES, ids=NAMES)
def test_a_new_key_makes_one_call_over_all(four, script, path, fields):
    gate = up.Gate()
    if fields["stream"]:
        s = script(up.wait(gate), up.sse(), up.role(), *map(up.text, WORDS), *up.ending())
    else:
        s = script(up.wait(gate), up.reply(up.completion("".join(WORDS))))
    barrier = threading.Barrier(12)

    def one(n):
        barrier.wait()
        return ask(four[n % 4], path, call(path, s.model, fields), "key-" + s.name)
    with ThreadPoolExecutor(12) as pool:
        waiting = [pool.submit(one, n) for n in range(12)]
        gate.wait_reached()
        with pytest.raises(AssertionError):
            s.wait(2, deadline=0.5)  # none of the others asks, as long as they may wait
        gate.open()
        replies = [w.result().ok() for w in waiting]
    assert len(s.exchanges) == 1
    assert all(same(r) == same(replies[0]) for r in replies)
    assert sum(not is_replayed(r) for r in replies) == 1
    # Later, each of them knows the answer; and another request is refused by each.
    for gateway in four:
        again = ask(gateway, path, call(path, s.model, fields), "key-" + s.name).ok()
        assert same(again) == same(replies[0]) and is_replayed(again)
        ask(gateway, path, call(path, "echo", fields), "key-" + s.name).error(422)
    assert len(s.exchanges) == 1


def test_a_stored_stream_with_a_key_is_followed_elsewhere_as_it_comes(four, script):
    gates, s = gated(script)
    body = {"messages": ["go"], "config": {"model": s.model}, "stream": True}
    head = {"Idempotency-Key": "k-" + s.name}
    with clients(*four[:2]) as (one, two), one.stream("/v1/chat", body, head) as first:
        wanted(first, WORDS[0])
        with two.stream("/v1/chat", body, head) as second:
            wanted(second, WORDS[0])
            for gate in gates:
                gate.open()
            list(first)
            list(second)
        assert said(first.seen) == said(second.seen)
        assert second.headers["idempotency-replayed"] == "true"
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("store", [True, False], ids=["stored", "unstored"])
def test_a_call_that_failed_frees_its_key_everywhere(four, script, store):
    gate = up.Gate()
    s = script(up.in_turn([up.wait(gate), up.reply({"error": {"message": "no"}}, 400)],
                          up.reply(up.completion("better"))))
    body = call("/v1/chat", s.model, {"store": store})
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(ask, four[0], "/v1/chat", body, "f-" + s.name)
        gate.wait_reached()
        second = pool.submit(ask, four[1], "/v1/chat", body, "f-" + s.name)
        with pytest.raises(AssertionError):
            s.wait(2, deadline=0.3)
        gate.open()
        first.result().error(400)
        assert second.result().ok().text == "better"
    assert ask(four[2], "/v1/chat", body, "f-" + s.name).ok().text == "better"
    assert len(s.exchanges) == 2


@pytest.mark.parametrize("store", [True, False], ids=["stored", "unstored"])
def test_the_key_of_a_killed_gateway_is_free(join, server, database, script, store):
    """Its provider had not begun to answer."""
    a, b = join(), join()
    gate = up.Gate()
    s = script(up.in_turn([up.wait(gate)], up.reply(up.completion("anew"))))
    body = call("/v1/chat", s.model, {"store": store})
    with ThreadPoolExecutor(2) as pool:
        lost = pool.submit(ask, a, "/v1/chat", body, "k")
        gate.wait_reached()
        waiting = pool.submit(ask, b, "/v1/chat", body, "k")
        a.process.kill()
        a.process.wait(DEADLINE)
        a.process = None
        assert lost.exception(DEADLINE)
        server.sql("UPDATE gateway SET lease_until = now() - interval '1 s' WHERE id = (SELECT "
                   "gateway FROM idempotency WHERE http = 0)", database)
        assert waiting.result().ok().text == "anew"
    gate.open()


def test_an_answer_in_the_background_is_made_once_over_all(four, script):
    gates, s = gated(script)
    body = {"model": s.model, "input": "x", "background": True}
    replies = [ask(g, rs.PATH, body, "b-" + s.name).ok() for g in four]
    assert len({r.json["id"] for r in replies}) == 1
    gates[0].wait_reached()
    for gate in gates:
        gate.open()
    with clients(four[3]) as (client,):
        wait_until(lambda: client.get(f"{rs.PATH}/{replies[0].json['id']}").ok().json["status"]
                   == "completed", "its end")
    assert len(s.exchanges) == 1


# --- what all of them share -------------------------------------------------------------------------


def test_two_gateways_share_conversations_and_refuse_two_turns_at_once(join, script):
    a, b = join(), join()
    gate = up.Gate()
    s = script(up.wait(gate), up.reply(up.completion("late")))
    with Client(a.url) as one, Client(b.url) as two:
        conversation = one.chat("from a").ok().json["conversation"]
        two.chat("from b", conversation=conversation).ok()
        assert texts(one, conversation) == ["from a", "from a", "from b", "from b"]
        busy = threading.Thread(target=one.chat, args=("slow",),
                                kwargs={"conversation": conversation, "model": s.model})
        busy.start()
        s.wait()
        two.chat("between", conversation=conversation).error(409, "conversation_busy")
        gate.open()
        busy.join(DEADLINE)
        two.chat("after", conversation=conversation).ok()


def test_another_gateway_ends_the_runs_of_a_killed_one(join, server, database, script):
    a, b = join(), join()
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("as far as this"), up.wait(gate), *up.ending())
    with Client(a.url) as one, Client(b.url) as two:
        with one.chat_stream("go", model=s.model) as stream:
            run_id = stream.headers["x-run-id"]
            seen = stream.next_data().data
            while "as far" not in seen:
                seen += stream.next_data().data
            wait_until(lambda: server.number("SELECT count(*) FROM event", database), "a log")
            a.process.kill()
            a.process.wait(DEADLINE)
            a.process = None
        assert two.run(run_id)["status"] == "running", "its lease lasts"
        server.lapse(database)
        wait_until(lambda: two.run(run_id)["status"] == "incomplete", "an end by the other gateway")
        conversation = two.run(run_id)["conversation"]
        assert texts(two, conversation)[-1] == "as far as this"
    gate.open()


def test_a_paused_gateway_writes_nothing_after_its_lease(join, server, database, script):
    a, b = join(), join()
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("before "), up.wait(gate), up.text("after"),
               *up.ending())
    with Client(a.url) as one, Client(b.url) as two:
        one.http.timeout = 60
        with one.chat_stream("go", model=s.model) as stream:
            run_id = stream.headers["x-run-id"]
            seen = stream.next_data().data
            while "before" not in seen:
                seen += stream.next_data().data
            wait_until(lambda: server.number("SELECT count(*) FROM event", database), "a log")
            a.process.send_signal(signal.SIGSTOP)
            try:
                server.lapse(database)
                wait_until(lambda: two.run(run_id)["status"] == "incomplete", "the reaper's end")
                gate.open()
            finally:
                a.process.send_signal(signal.SIGCONT)
            for _ in stream:
                pass
        assert two.run(run_id)["status"] == "incomplete"
        conversation = two.run(run_id)["conversation"]
        assert texts(two, conversation)[-1].strip() == "before"
        # It goes on as a new gateway.
        wait_until(lambda: one.chat("again").status == 200, "stored calls")


def test_a_gateway_that_cannot_renew_its_lease_begins_no_stored_calls(join, server, database, script):
    """Before the others may declare it dead.  What runs goes on, and so do calls that are not stored."""
    a = join()
    gates, s = gated(script)
    with clients(a) as (one,), one.chat_stream("go", model=s.model) as stream:
        wanted(stream, WORDS[0])
        with server.holding("SELECT id FROM gateway WHERE dead = 0 FOR UPDATE", database):
            began = time.monotonic()
            wait_until(lambda: one.get("/readyz").status == 503, "not ready", DEADLINE)
            took = time.monotonic() - began
            left = server.number("SELECT extract(epoch FROM lease_until - now())::int FROM gateway", database)
            assert took > 6 and left > 0
            one.chat("stored").error(503, "storage_unavailable")
            keyed = {"Idempotency-Key": "k"}
            one.post("/v1/chat", call("/v1/chat", "echo", {"store": False}),
                     headers=keyed).error(503, "storage_unavailable")
            one.chat("kept nowhere", store=False).ok()
            assert server.number("SELECT count(*) FROM run", database) == 1
            for gate in gates:
                gate.open()
            list(stream)
        assert one.run(stream.headers["x-run-id"])["status"] == "completed"
        wait_until(lambda: one.get("/readyz").status == 200, "readiness")
        one.chat("stored").ok()
    a.wait_log("lease of this gateway can't be renewed")


def test_a_revoked_key_is_refused_by_all_gateways(join, server, database):
    url = server.url(database)
    made = run("keys", "create", "--name", "one", "--database", url)
    assert made.returncode == 0, made.stderr
    key = made.stdout.split()[-1]
    a, b = join(), join()
    with Client(a.url, {"Authorization": f"Bearer {key}"}) as one, Client(b.url, {"Authorization": f"Bearer {key}"}) as two:
        one.chat("hi").ok()
        two.chat("hi").ok()
        listed = run("keys", "list", "--database", url).stdout
        name = next(word for word in listed.split() if word.startswith("key_"))
        done = run("keys", "revoke", name, "--database", url)
        assert done.returncode == 0, done.stderr
        wait_until(lambda: one.chat("hi").status == 401 and two.chat("hi").status == 401,
                   "the revocation", 1.5)


def test_an_ended_session_is_ended_everywhere(join, server, database):
    url = server.url(database)
    made = run("keys", "create", "--name", "k", "--database", url)
    assert made.returncode == 0, made.stderr
    a, b = join(), join()
    with Client(a.url) as one, Client(b.url) as two:
        key = {"Authorization": f"Bearer {made.stdout.strip().splitlines()[-1]}"}
        token = one.http.post("/v1/session", headers=key).json()["token"]
        mine = {"Authorization": f"Bearer {token}"}
        assert two.http.get("/v1/me", headers=mine).status_code == 200
        assert one.http.delete("/v1/session", headers=mine).status_code in (200, 204)
        assert one.http.get("/v1/me", headers=mine).status_code == 401
        wait_until(lambda: two.http.get("/v1/me", headers=mine).status_code == 401, "the end", 1.5)


def test_what_one_has_stored_the_other_finds(join):
    a, b = join(), join()
    with Client(a.url) as one, Client(b.url) as two:
        conversation = one.chat("a wombat walks").ok().json["conversation"]
        stored = one.http.post("/v1/files", files={"file": ("w.txt", b"wombat" * 100_000)},
                               data={"purpose": "user_data"})
        file = stored.json()["id"]
        assert two.http.get(f"/v1/files/{file}/content").content == b"wombat" * 100_000
        wait_until(lambda: two.get("/v1/search?q=wombat").ok().json["data"], "the other's message")
        assert len(two.get(f"/v1/conversations/{conversation}/tree").ok().json["data"]) == 2
        archive = two.http.get(f"/v1/conversations/{conversation}/export").text
        assert "a wombat walks" in archive
        two.http.delete(f"/v1/conversations/{conversation}").raise_for_status()
        assert one.get("/v1/search?q=wombat").ok().json["data"] == []
        two.http.delete(f"/v1/files/{file}").raise_for_status()
        assert one.http.get(f"/v1/files/{file}/content").status_code == 404
