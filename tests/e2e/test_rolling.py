"""A new version takes the place of an old one, gateway by gateway, on one PostgreSQL database."""

import contextlib
import signal

import pytest

import previous
from client import texts
from test_many import WORDS, ask, call, clients, events, gated, is_replayed, said, same, wanted
from test_postgres import EX_DATAERR, check_turns, loaded
from waiting import wait_until


def applied(server, database):
    return [name for name, in server.sql("SELECT name FROM schema_migration ORDER BY number", database)]


@pytest.mark.long  # it builds that version
def test_a_new_version_takes_the_place_of_the_one_before_its_migration(join, server, database, script):
    """Both serve for a while, and nothing is lost."""
    before = previous.binary()
    old = join(binary=before)
    known = previous.migrations()
    assert applied(server, database) == previous.migrations_before() != known
    (of_old, s), (of_new, t) = gated(script), gated(script)
    with contextlib.ExitStack() as stack:
        one, = stack.enter_context(clients(old))
        begun = stack.enter_context(one.chat_stream("go", model=s.model))
        wanted(begun, WORDS[0])
        of_old[0].open()
        loads, more = stack.enter_context(loaded(old, clients=3))
        more(20)
        new = join()
        assert applied(server, database) == known
        two, = stack.enter_context(clients(new))
        both, more_of_both = stack.enter_context(loaded(new, clients=3))
        more_of_both(20)
        more(20)
        # A stream of the old one is followed at the new one; each goes on with conversations of the other.
        reader = stack.enter_context(events(two, f"/v1/runs/{begun.headers['x-run-id']}/events"))
        wanted(begun, WORDS[1])
        wanted(reader, WORDS[1])
        beside = stack.enter_context(two.chat_stream("go", model=t.model))
        wanted(beside, WORDS[0])
        conversation = one.chat("at the old one").ok().json["conversation"]
        two.chat("at the new one", conversation=conversation).ok()
        one.chat("again at the old one", conversation=conversation).ok()
        # An Idempotency-Key of the one is known to the other.
        for here, there, key in ((old, new, "k1"), (new, old, "k2")):
            body = call("/v1/chat", "echo", {"store": True})
            first, again = (ask(g, "/v1/chat", body, key).ok() for g in (here, there))
            assert same(first) == same(again) and is_replayed(again)
        # No old one starts any more.
        code, log = join(binary=before, ready=False).fails_to_start()
        assert code == EX_DATAERR and "newer version" in log, log
        # The old ones' callers come to the new one, and the old one ends when it has nothing more to do.
        for load in loads:
            load.stop.set()
        for load in loads:
            load.join()
        old.signal(signal.SIGTERM)
        old.wait_log("drain")
        for gate in (*of_old, *of_new):
            gate.open()
        for stream in (begun, reader, beside):
            assert stream.native().text == "".join(WORDS)
        assert said(reader.seen) == said(begun.seen)
        assert old.wait_exit() == 0
        more_of_both(20)
    with clients(new) as (two,):
        for stream in (begun, beside):
            assert two.run(stream.headers["x-run-id"])["status"] == "completed"
        assert texts(two, conversation)[::2] == ["at the old one", "at the new one", "again at the old one"]
    assert len(check_turns(loads + both, new, server, database)) >= 80
    assert server.number("SELECT count(*) FROM gateway WHERE dead = 0", database) == 1
    new.stop()
    assert server.number("SELECT count(*) FROM run WHERE status <> 2", database) == 0


LATER = """
SELECT format('ALTER TABLE %I ADD COLUMN later bigint NOT NULL DEFAULT 7', c.relname) FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
AND c.relname <> 'schema_migration'"""


def migrate(server, database):
    """In one transaction, again where the server has ended it: it and a gateway waited for each other's tables."""
    later = len(previous.migrations()) + 1
    text = ("BEGIN; " + ";".join(row[0] for row in server.sql(LATER, database)) +
            "; CREATE TABLE later (id bigint PRIMARY KEY); INSERT INTO schema_migration VALUES "
            f"({later}, '{later:04}_later', 'x', 0); COMMIT")
    for _ in range(10):
        try:
            server.sql(text, database)
            return
        except AssertionError as error:
            if "deadlock detected" not in str(error):
                raise
    raise AssertionError("each try was a deadlock")


def test_a_migration_of_a_later_version_lets_running_gateways_go_on(join, server, database, script):
    """It may add: here, a table and a column to each table."""
    a, b = join(), join()
    gates, s = gated(script)
    with clients(a, b) as (one, two), one.chat_stream("go", model=s.model) as begun:
        wanted(begun, WORDS[0])
        conversation = one.chat("a wombat walks").ok().json["conversation"]
        with loaded(a, b, clients=4) as (loads, more):
            more(20)
            migrate(server, database)
            more(40)
        with events(two, f"/v1/runs/{begun.headers['x-run-id']}/events") as reader:
            wanted(reader, WORDS[0])
            for gate in gates:
                gate.open()
            assert begun.native().text == reader.native().text == "".join(WORDS)
        two.chat("and on", conversation=conversation).ok()
        two.post(f"/v1/conversations/{conversation}", {"title": "later"}).ok()
        one.post(f"/v1/conversations/{conversation}/fork", {}).ok()
        stored = two.http.post("/v1/files", files={"file": ("w.txt", b"wombat")}, data={"purpose": "user_data"})
        assert one.http.get(f"/v1/files/{stored.json()['id']}/content").content == b"wombat"
        wait_until(lambda: one.get("/v1/search?q=wombat").ok().json["data"], "a message")
        # Leases and the configuration are renewed as before.
        a.signal(signal.SIGHUP)
        a.wait_log("reload")
        lease = "SELECT bool_and(lease_until - now() > interval '13.5 s')::int FROM gateway WHERE dead = 0"
        wait_until(lambda: server.number(lease, database) == 1, "renewed leases")
        code, log = join(ready=False).fails_to_start()
        assert code == EX_DATAERR and "newer version" in log, log
        check_turns(loads, b, server, database)
        a.stop()
        two.chat("still", conversation=conversation).ok()
