"""Limits of keys that several gateways share.

These tests start a server of their own, whatever engine the others use."""

import contextlib
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import keys
import upstream as up
from client import Client
from gateway import run
from waiting import DEADLINE, wait_until

WORKERS = 3  # clients of each gateway
TAKEN = "SELECT coalesce(sum(taken), 0) FROM rate_share WHERE gateway <> 0 AND policy = {}"


@pytest.fixture
def key(server, database):
    """key(limit...): the headers of a new key with these limits."""
    def make(*limits):
        words = [word for limit in limits for word in ("--limit", limit)]
        done = run("keys", "create", "--json", *words, "--database", server.url(database))
        assert done.returncode == 0, done.stderr
        return keys.bearer(json.loads(done.stdout)["key"])
    return make


@contextlib.contextmanager
def clients(gateways, headers):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Client(g.url, headers)) for g in gateways]


def hammer(gateways, headers, refusals=3, until=None, **fields):
    """Calls at all gateways at once, by each client until it was refused so often in a row; or until
    `until` says so.  The answers of those that got through."""
    passed, lock = [], threading.Lock()

    def client_of(gateway):
        refused = 0
        with Client(gateway.url, headers) as client:
            client.http.timeout = 2 * DEADLINE
            while not until() if until else refused < refusals:
                try:
                    reply = client.complete(**fields)
                except httpx.HTTPError:
                    return  # it was killed
                refused = refused + 1 if reply.status == 429 else 0
                if reply.status == 429:
                    reply.error(429, "rate_limit_exceeded")
                    time.sleep(0.02)  # no condition: a client that tries on
                    continue
                with lock:
                    passed.append(reply.ok())
    with ThreadPoolExecutor(WORKERS * len(gateways)) as pool:
        list(pool.map(client_of, gateways * WORKERS))
    return passed


@pytest.mark.parametrize("limit", [3, 40, 400])
def test_four_gateways_let_through_what_one_would(join, server, database, key, limit, record_property):
    head = key(f"requests={limit}/1h")
    gateways = [join() for _ in range(4)]
    passed = hammer(gateways, head)
    record_property("passed", len(passed))
    assert 0.9 * limit <= len(passed) <= limit
    assert server.number(TAKEN.format(0), database) <= limit
    left = [int(r.headers["x-ratelimit-remaining-requests"]) for r in passed]
    assert max(left) < limit and min(left) >= 0
    with clients(gateways, head) as all_of_them:
        for client in all_of_them:
            refused = client.complete()
            refused.error(429, "rate_limit_exceeded")
            assert 3400 < int(refused.headers["retry-after"]) <= 3600
            assert refused.headers["x-ratelimit-remaining-requests"] == "0"


def test_the_limit_of_all_callers_is_that_of_all_gateways(join):
    gateways = [join(limits={"requests": {"count": 100, "window": "1h"}}) for _ in range(4)]
    assert 90 <= len(hammer(gateways, None)) <= 100


def test_windows_begin_and_end_for_all_at_once(join, server, database, key, record_property):
    limit, began = 60, set()
    head = key(f"requests={limit}/2s")
    gateways = [join() for _ in range(4)]
    stop = threading.Event()

    def watch():
        while not stop.is_set():
            began.update(row[0] for row in server.sql(
                "SELECT began_ms FROM rate_share WHERE gateway = 0 AND policy = 0", database))
    watcher = threading.Thread(target=watch)
    watcher.start()
    passed = hammer(gateways, head, until=lambda: len(began) >= 4)
    stop.set()
    watcher.join(DEADLINE)
    record_property("windows", len(began))
    record_property("passed", len(passed))
    assert len(passed) <= limit * len(began)
    # The first window was whole, and the last one had just begun.
    assert len(passed) >= 0.9 * limit * (len(began) - 1)


def test_tokens_are_counted_by_all(join, server, database, key, record_property):
    limit = 6000
    head = key(f"tokens={limit}/1h")
    gateways = [join() for _ in range(4)]
    passed = hammer(gateways, head, max_tokens=60)
    used = sum(reply.json["usage"]["total_tokens"] for reply in passed)
    record_property("used", used)
    record_property("calls", len(passed))
    # A call is refused if less than its estimate is left.
    assert 0.9 * limit <= used <= limit
    wait_until(lambda: server.number(TAKEN.format(1), database) == used,
               "the store's sum, which has no estimates any more")


def test_a_killed_gateway_s_share_is_lost_and_not_doubled(join, server, database, key,
                                                         record_property):
    limit = 400
    head = key(f"requests={limit}/1h")
    gateways = [join() for _ in range(4)]
    with clients(gateways, head) as (one, *_):
        one.complete().ok()
        gateways[0].process.kill()
        gateways[0].process.wait(DEADLINE)
        gateways[0].process = None
    lost = server.number(TAKEN.format(0), database)
    assert lost > 1
    passed = hammer(gateways[1:], head)
    record_property("lost", lost)
    record_property("passed", len(passed))
    assert len(passed) == limit - lost >= 0.9 * limit
    again = join()  # in the same window
    with clients([again], head) as (client,):
        client.complete().error(429)


def test_a_gateway_killed_under_load_makes_nobody_pass_more(join, server, database, key):
    limit = 300
    head = key(f"requests={limit}/1h")
    gateways = [join() for _ in range(4)]
    killed = threading.Event()

    def kill():
        wait_until(lambda: server.number(TAKEN.format(0), database) > 100, "some load")
        gateways[3].process.kill()
        gateways[3].process.wait(DEADLINE)
        gateways[3].process = None
        killed.set()
    killer = threading.Thread(target=kill)
    killer.start()
    passed = hammer(gateways, head)
    killer.join(2 * DEADLINE)
    assert killed.is_set() and len(passed) <= limit


def test_what_a_gateway_does_not_use_comes_back(join, server, database, key):
    limit = 160
    head = key(f"requests={limit}/1h")
    gateways = [join() for _ in range(4)]
    with clients(gateways[:3], head) as some:
        for client in some:
            client.complete().ok()
    assert server.number(TAKEN.format(0), database) > 3
    wait_until(lambda: server.number(TAKEN.format(0), database) == 3, "the rest of three shares")
    assert len(hammer(gateways[3:], head)) == limit - 3


def test_a_gateway_that_stops_gives_its_share_back(join, server, database, key):
    head = key("requests=500/1h")
    a = join()
    with clients([a], head) as (client,):
        client.complete().ok()
    assert server.number(TAKEN.format(0), database) > 1
    a.stop()
    assert server.number(TAKEN.format(0), database) == 1


# --- calls at once --------------------------------------------------------------------------------


def test_calls_at_once_are_counted_over_all_gateways(join, server, database, key, script):
    head = key("concurrent=3")
    gateways = [join() for _ in range(4)]
    gates = [up.Gate() for _ in range(3)]
    scripts = [script(up.sse(), up.role(), up.text("a"), up.wait(gate), *up.ending()) for gate in gates]
    with clients(gateways, head) as callers, contextlib.ExitStack() as stack:
        streams = [stack.enter_context(client.complete_stream(s.model))
                   for client, s in zip(callers, scripts)]
        for client in callers:
            refused = client.complete()
            assert "3 calls at once" in refused.error(429, "rate_limit_exceeded")["message"]
            assert refused.headers["retry-after"] == "1"
        gates[0].open()
        streams[0].openai()
        # Whoever calls one after the other is not refused, wherever the next call goes.
        for n in range(12):
            callers[n % 4].complete().ok()
        # What a dead gateway had is free when it is known to be dead.
        gateways[1].process.kill()
        gateways[1].process.wait(DEADLINE)
        gateways[1].process = None
        callers[0].complete().ok()
        with callers[3].complete_stream(script(up.sse(), up.role(), up.text("b"), up.wait(gates[1]),
                                               *up.ending()).model) as more:
            callers[0].complete().error(429)
            server.sql("UPDATE gateway SET lease_until = now() - interval '1 s' WHERE id IN (SELECT "
                       "gateway FROM rate_share WHERE policy = 2 AND taken > 0 AND gateway <> 0 "
                       "ORDER BY began_ms LIMIT 1)", database)
            wait_until(lambda: callers[0].complete().status == 200, "a free place")
            gates[1].open()
            gates[2].open()
            more.openai()
            streams[2].openai()
    wait_until(lambda: server.number("SELECT coalesce(sum(taken), 0) FROM rate_share r JOIN gateway g "
                                     "ON g.id = r.gateway AND g.dead = 0 WHERE policy = 2", database) == 0,
               "nothing that is held")


# --- without the store ----------------------------------------------------------------------------


def test_without_the_store_a_share_is_spent_and_no_more(join, server, database, key, record_property):
    big, small = key("requests=160/1h"), key("requests=10/1h")
    a, b = join(), join()
    with clients([a, b], big) as both, clients([a, b], small) as (few, other):
        for client in (*both, few):
            client.complete().ok()
        server.kill()
        try:
            began = time.monotonic()
            refused = few.complete()
            refused.error(503, "storage_unavailable")
            assert refused.headers["x-ratelimit-remaining-requests"] == "9"
            assert time.monotonic() - began < 3 + (DEADLINE - 15)
            spent = 0
            for client in both:
                while (reply := client.complete()).status == 200:
                    spent += 1
                reply.error(503, "storage_unavailable")
            assert 0 < spent <= 158
        finally:
            server.start()
        for client in (few, other):
            wait_until(lambda: client.complete().status == 200, "the store")
        passed = 2 + spent + len(hammer([a, b], big))
        record_property("passed", passed)
        assert passed <= 160
