"""Idempotency keys of a gateway that was away for longer than its lease: one key has one answer.

These tests start a server of their own, whatever engine the others use."""

import contextlib
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

import upstream as up
from client import Client
from waiting import DEADLINE, wait_until

KEY = {"Idempotency-Key": "the-key"}


@contextlib.contextmanager
def asleep(gateway, server, database):
    """The gateway that has the one key sleeps, and is declared dead."""
    gateway.process.send_signal(signal.SIGSTOP)
    try:
        server.sql("UPDATE gateway SET lease_until = now() - interval '1 s' WHERE id IN "
                   "(SELECT gateway FROM idempotency)", database)
        wait_until(lambda: server.number("SELECT count(*) FROM idempotency", database) == 0, "a free key")
        yield
    finally:
        gateway.process.send_signal(signal.SIGCONT)


def ask(gateway, model, stream, store=False):
    with Client(gateway.url) as client:
        client.http.timeout = 60
        body = {"messages": ["go"], "store": store, "config": {"model": model}}
        if not stream:
            return client.post("/v1/chat", body, headers=KEY)
        answer = client.http.post("/v1/chat", json={**body, "stream": True}, headers=KEY)
        answer.status, answer.body = answer.status_code, answer.content
        return answer


def answers(stream, *words):
    """What the provider says: to each call another word."""
    return [up.stream(word) if stream else [up.reply(up.completion(word))] for word in words]


@pytest.mark.parametrize("over", [True, False], ids=["answered", "running"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_gateway_that_slept_past_its_lease_gives_no_second_answer(join, server, database, script, stream, over):
    a, b = join(), join()
    gates = up.Gate(), up.Gate()
    first, second = answers(stream, "first", "second")
    s = script(up.in_turn([up.wait(gates[0]), *first], [up.wait(gates[1]), *second]))
    with ThreadPoolExecutor() as pool:
        one = pool.submit(ask, a, s.model, stream)
        gates[0].wait_reached()
        with asleep(a, server, database):
            two = pool.submit(ask, b, s.model, stream)
            gates[1].wait_reached()
            if over:
                gates[1].open()
                assert b"second" in two.result(DEADLINE).body
            gates[0].open()
        lost = one.result(DEADLINE)
        assert lost.status == 409 and b"idempotency_key_lost" in lost.body, lost.body
        gates[1].open()
        assert b"second" in two.result(DEADLINE).body
        again = ask(a, s.model, stream)
        assert again.status == 200 and b"second" in again.body
        assert again.headers["Idempotency-Replayed"] == "true"


def test_a_key_that_nobody_else_took_has_the_answer(join, server, database, script):
    a = join()
    join()
    gate = up.Gate()
    s = script(up.in_turn([up.wait(gate), up.reply(up.completion("first"))]))
    with ThreadPoolExecutor() as pool:
        one = pool.submit(ask, a, s.model, False)
        gate.wait_reached()
        with asleep(a, server, database):
            gate.open()
        assert one.result(DEADLINE).ok().text == "first"
        assert ask(a, s.model, False).ok().text == "first"


def test_a_refusal_is_not_the_answer_of_a_key_that_is_free_again(join, server, database, script):
    """The call that another gateway has made meanwhile fails just after this one was refused."""
    a, b = join(), join()
    gates = up.Gate(), up.Gate()
    hold = up.Gate()
    begun = [up.sse(), up.role(), up.text("first"), up.wait(hold), *up.ending()]
    second = answers(True, "second")[0]
    s = script(up.in_turn([up.wait(gates[0]), *begun], [up.wait(gates[1]), *second], second))
    with ThreadPoolExecutor() as pool:
        one = pool.submit(ask, a, s.model, True)
        gates[0].wait_reached()
        with asleep(a, server, database):
            two = pool.submit(ask, b, s.model, True)
            gates[1].wait_reached()
            server.sql("CREATE FUNCTION back() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM idempotency "
                       "WHERE http = 0 AND outcome = 0; RETURN NULL; END'; CREATE TRIGGER back AFTER INSERT "
                       "ON idempotency FOR EACH STATEMENT EXECUTE FUNCTION back()", database)
        gates[0].open()
        lost = one.result(DEADLINE)
        assert lost.status == 409 and b"idempotency_key_lost" in lost.body, lost.body
        server.sql("DROP TRIGGER back ON idempotency", database)
        assert server.number("SELECT count(*) FROM idempotency WHERE http = 409", database) == 0
        hold.open()
        gates[1].open()
        two.result(DEADLINE)
        again = ask(a, s.model, True)
        assert again.status == 200 and b"second" in again.body


def test_a_turn_whose_claim_a_crash_took_does_not_begin(join, server, database, script):
    a, b = join(), join()
    s = script(up.in_turn(*answers(False, "first", "second")))
    waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    with ThreadPoolExecutor() as pool:
        with server.session(database) as do:
            do("BEGIN; LOCK TABLE message IN SHARE MODE")
            one = pool.submit(ask, a, s.model, False, True)
            wait_until(lambda: server.number(waits, database) > 0, "a turn that waits")
            server.sql("DELETE FROM idempotency", database)
            two = pool.submit(ask, b, s.model, False, True)
            wait_until(lambda: server.number(waits, database) > 1, "two turns that wait")
            do("ROLLBACK")
        one.result(DEADLINE).error(503, "storage_unavailable")
        assert two.result(DEADLINE).ok().text == "first"
        assert ask(a, s.model, False, True).ok().text == "first"
