"""Logged events that a crash of the database's server takes along, because their commit did not wait for its disk.

These tests start a server of their own, whatever engine the others use."""

import contextlib
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import postgres
from client import Client, texts
from test_many import clients, events, gated, said, wanted
from waiting import wait_until

WORDS = [f"word{n} " for n in range(8)]
# An answer so long that a worker prints it.
LONG = [f"{n:x>70000} " for n in range(6)]
ROWS = "SELECT count(*) FROM event"
KEY = {"Idempotency-Key": "the-key"}


@pytest.fixture(scope="module")
def server():
    """In this module: one that writes its log to the disk late, if no commit asks for it."""
    one = postgres.Server(wal_writer_delay="10s", autovacuum="off", full_page_writes="off").start()
    yield one
    one.remove()


def logged(server, database, stream):
    """The number of the newest event of the stream in the log."""
    run = int(stream.headers["x-run-id"][4:20], 16)
    return server.number(f"SELECT coalesce(max(last), 0) FROM event WHERE run = {run}", database)


def say(server, database, stream, gates, n, words=WORDS):
    """The n-th word comes, and is in the log."""
    before = logged(server, database, stream) if n > 0 else 0
    if n > 0:
        gates[n - 1].open()
    wanted(stream, words[n])
    wait_until(lambda: logged(server, database, stream) > before, "the word in the log")


def crash(server, database, stream):
    """Whether the log has lost something."""
    before = logged(server, database, stream)
    server.kill()
    server.start()
    return logged(server, database, stream) < before


@contextlib.contextmanager
def opened(gates):
    """At the end, whatever happened: the gateway would wait for its stream."""
    try:
        yield
    finally:
        for gate in gates:
            gate.open()


def text_of(blocks):
    chunks = [json.loads(b.data) for b in blocks if not b.is_comment and b.data != "[DONE]"]
    return "".join(choice["delta"].get("content") or "" for c in chunks for choice in c.get("choices", []))


def again(client, model):
    """The answer to the same key."""
    with client.stream("/v1/chat", {"messages": ["go"], "stream": True, "config": {"model": model}},
                       headers=KEY) as stream:
        assert stream.headers["Idempotency-Replayed"] == "true"
        list(stream)
    return stream.seen


def begin(client, model):
    return client.stream("/v1/chat", {"messages": ["go"], "stream": True, "config": {"model": model}}, headers=KEY)


def ended(server, database, client, script, words=WORDS):
    """A run whose log has a row for each word; its path."""
    gates, s = gated(script, words)
    with opened(gates), begin(client, s.model) as first:
        for n in range(len(words)):
            say(server, database, first, gates, n, words)
        gates[-1].open()
        list(first)
    return s.model, first.headers["x-run-id"], first.seen


def test_a_crash_in_mid_stream_takes_no_event(join, server, database, script):
    a, b = join(durability="relaxed"), join(durability="relaxed")
    gates, s = gated(script, WORDS)
    with opened(gates), clients(a, b) as (one, two):
        one.http.timeout = two.http.timeout = 60
        with begin(one, s.model) as first:
            where = f"/v1/runs/{first.headers['x-run-id']}/events"
            say(server, database, first, gates, 0)
            lost = False
            for n in range(1, len(WORDS) - 1):
                say(server, database, first, gates, n)
                # a slow machine gives the server the time to write some of it
                if n % 2 == 0 or not lost:
                    lost |= crash(server, database, first)
            assert lost, "the test's server lost nothing"
            with events(two, where) as reader:
                wanted(reader, WORDS[0])
                for gate in gates:
                    gate.open()
                list(first)
                list(reader)
        assert said(reader.seen) == said(first.seen)
        for client in (one, two):
            with events(client, where) as reader:
                list(reader)
            assert said(reader.seen) == said(first.seen)
            assert said(again(client, s.model)) == said(first.seen)


def looked(server, database, client, script):
    """The gateway has looked whether something is missing, and has written it again."""
    gates, s = gated(script, WORDS)
    with opened(gates), client.chat_stream("go", model=s.model) as other:
        for n in range(2):
            say(server, database, other, gates, n)
        run = int(other.headers["x-run-id"][4:20], 16)
        rows = f"{ROWS} WHERE run = {run}"
        before = server.number(rows, database)
        server.sql(f"DELETE FROM event WHERE run = {run} AND last = (SELECT max(last) FROM event WHERE run = {run})",
                   database)
        wait_until(lambda: server.number(rows, database) >= before, "what was lost")


@pytest.mark.parametrize("which, words", [("first", WORDS), ("middle", WORDS), ("last", WORDS), ("middle", LONG)],
                         ids=["first", "middle", "last", "long"])
def test_a_log_with_a_hole_is_answered_with_the_stored_answer(join, server, database, script, which, words):
    gateway = join(durability="relaxed")
    with Client(gateway.url) as client:
        model, run, seen = ended(server, database, client, script, words)
        rows = [int(row[0]) for row in server.sql("SELECT last FROM event ORDER BY last", database)]
        assert len(rows) >= len(words)
        gone = {"first": rows[0], "middle": rows[3], "last": rows[-1]}[which]
        gateway.stop()  # which would write again what it has logged a moment ago
        server.sql(f"DELETE FROM event WHERE last = {gone}; UPDATE run SET completed_ms = completed_ms - 60000", database)
    with Client(join(durability="relaxed").url) as client:
        with events(client, f"/v1/runs/{run}/events") as reader:
            list(reader)
        assert text_of(reader.seen) == "".join(words) == text_of(again(client, model))
        assert reader.seen[-1].data == "[DONE]"
        # Whoever has some of the blocks gets no others in their place.
        client.get(f"/v1/runs/{run}/events?after={seen[2].id}").error(410, "gone")


def test_what_is_not_known_to_be_synced_is_written_again(join, server, database, script):
    """Nobody sees the crash: a pooler may hide it."""
    a, b = join(durability="relaxed"), join(durability="relaxed")
    gates, s = gated(script, WORDS)
    with opened(gates), clients(a, b) as (one, two), begin(one, s.model) as first:
        where = f"/v1/runs/{first.headers['x-run-id']}/events"
        for n in range(3):
            say(server, database, first, gates, n)
        rows = server.number("SELECT count(*) FROM event", database)
        server.sql("DELETE FROM event WHERE last > 2", database)
        wait_until(lambda: server.number("SELECT count(*) FROM event", database) == rows, "the same rows")
        server.sql("DELETE FROM event WHERE last = (SELECT max(last) FROM event)", database)
        with events(two, where) as reader:
            for gate in gates:
                gate.open()
            list(first)
            list(reader)
        assert said(reader.seen) == said(first.seen)
        assert said(again(two, s.model)) == said(first.seen)


def test_what_was_deleted_is_not_written_again(join, server, database, script):
    gateway = join(durability="relaxed")
    with Client(gateway.url) as client:
        _, run, _ = ended(server, database, client, script)
        conversation = client.run(run)["conversation"]
        answer = client.items(conversation)["data"][-1]["id"]
        client.request("DELETE", f"/v1/conversations/{conversation}/items/{answer}").ok()
        assert server.number(ROWS, database) == 0
        looked(server, database, client, script)
        assert server.number("SELECT count(DISTINCT run) FROM event", database) == 1


def test_what_is_deleted_meanwhile_is_not_written_again(join, server, database, script):
    gateway = join(durability="relaxed")
    waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO event%'"
    with Client(gateway.url) as client, ThreadPoolExecutor() as pool:
        _, run, _ = ended(server, database, client, script)
        conversation = client.run(run)["conversation"]
        answer = client.items(conversation)["data"][-1]["id"]
        kept = f"{ROWS} WHERE run = {int(run[4:20], 16)}"
        row = server.sql("SELECT run, first, last, encode(data, 'hex') FROM event ORDER BY last", database)[6]
        with server.session(database) as do:
            do(f"DELETE FROM event WHERE last = {row[2]}; BEGIN; INSERT INTO event VALUES "
               f"({row[0]}, {row[1]}, {row[2]}, decode('{row[3]}', 'hex'))")
            wait_until(lambda: server.number(waits, database) > 0, "a rewriting that waits")
            gone = pool.submit(client.request, "DELETE", f"/v1/conversations/{conversation}/items/{answer}")
            wait_until(lambda: gone.done() or server.number(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'", database) > 1, "a deletion")
            do("ROLLBACK")
        gone.result().ok()
        looked(server, database, client, script)
        assert server.number(kept, database) == 0


def test_what_retention_removes_is_not_written_again(join, server, database, script):
    gateway = join(durability="relaxed", events_keep="1s")
    with Client(gateway.url) as client:
        _, run, _ = ended(server, database, client, script)
        kept = f"{ROWS} WHERE run = {int(run[4:20], 16)}"
        wait_until(lambda: server.number(kept, database) == 0, "a log that is removed")
        looked(server, database, client, script)
        assert server.number(kept, database) == 0


def test_what_is_dropped_behind_an_end_is_not_written_later(join, server, database, script):
    gateway = join(durability="relaxed")
    with Client(gateway.url) as client:
        gates, s = gated(script, WORDS)
        with opened(gates), begin(client, s.model) as first:
            for n in range(2):
                say(server, database, first, gates, n)
            run = int(first.headers["x-run-id"][4:20], 16)
            rows = f"SELECT first, last FROM event WHERE run = {run} ORDER BY last"
            # As this gateway ends it after the server was away for long.
            server.sql("UPDATE run SET status = 3, completed_ms = created_ms + 100, last_seq = 1025, error = '{}'",
                       database)
            before = server.sql(rows, database)
            gates[1].open()
            wanted(first, WORDS[2])
            looked(server, database, client, script)
            assert server.sql(rows, database) == before


def test_what_the_server_refuses_takes_nothing_else_along(join, server, database, script):
    gateway = join(durability="relaxed")
    with Client(gateway.url) as one, Client(gateway.url) as two:
        gates, s = gated(script, WORDS)
        others, o = gated(script, WORDS)
        with opened(gates), opened(others), begin(one, s.model) as first, \
                two.chat_stream("go", model=o.model) as second:
            say(server, database, first, gates, 0)
            say(server, database, second, others, 0)
            say(server, database, first, gates, 1)
            say(server, database, second, others, 1)
            last = logged(server, database, second)
            run = int(first.headers["x-run-id"][4:20], 16)
            server.sql(f"ALTER TABLE event ADD CONSTRAINT odd CHECK (run <> {run}) NOT VALID; "
                       "DELETE FROM event WHERE last > 2", database)
            wait_until(lambda: logged(server, database, second) == last, "the other's rows")
            server.sql("ALTER TABLE event DROP CONSTRAINT odd", database)


def test_the_first_reader_waits_until_a_hole_is_mended(join, server, database, script):
    """Else it would have the answer under numbers that other events have later."""
    a, b = join(durability="relaxed"), join(durability="relaxed")
    with clients(a, b) as (one, two):
        _, run, seen = ended(server, database, one, script)
        rows = server.number(ROWS, database)
        server.sql("DELETE FROM event WHERE last = (SELECT last FROM event ORDER BY last OFFSET 3 LIMIT 1)", database)
        with events(two, f"/v1/runs/{run}/events") as reader:
            list(reader)
        assert server.number(ROWS, database) == rows
        assert said(reader.seen) == said(seen)


def test_an_end_ahead_of_the_clock_keeps_no_reader_waiting(join, server, database, script):
    gateway = join(durability="relaxed")
    with Client(gateway.url) as client:
        _, run, seen = ended(server, database, client, script)
        row = server.sql("SELECT last FROM event ORDER BY last", database)[3][0]
        gateway.stop()
    server.sql(f"DELETE FROM event WHERE last = {row}; UPDATE run SET completed_ms = completed_ms + 60000", database)
    with Client(join(durability="relaxed").url) as client:
        client.http.timeout = 20
        client.get(f"/v1/runs/{run}/events?after={seen[2].id}").error(410, "gone")


def test_a_run_with_a_hole_that_another_gateway_ends(join, server, database, script):
    """The answer ends where the hole is, and so do its events."""
    a, b = join(durability="relaxed"), join(durability="relaxed")
    gates, s = gated(script, WORDS)
    with opened(gates), clients(a, b) as (one, two):
        with begin(one, s.model) as first:
            for n in range(6):
                say(server, database, first, gates, n)
            a.process.kill()
            a.process.wait()
            a.process = None
        rows = [int(row[0]) for row in server.sql("SELECT last FROM event ORDER BY last", database)]
        server.sql(f"DELETE FROM event WHERE last = {rows[3]}", database)
        server.lapse(database)
        run = first.headers["x-run-id"]
        wait_until(lambda: two.run(run)["status"] == "incomplete", "an end")
        answer = texts(two, two.run(run)["conversation"])[-1]
        assert answer and "".join(WORDS).startswith(answer) and WORDS[5] not in answer
        with events(two, f"/v1/runs/{run}/events") as reader:
            list(reader)
        assert text_of(reader.seen) == answer
        assert "server_stopped" in reader.seen[-1].data
