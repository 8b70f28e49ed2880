"""PgBouncer between gateways and the server."""

import contextlib
import subprocess

import pytest

from client import Client, texts
from gateway import BINARY, Gateway, run
from postgres import Pooler
from test_postgres import EX_CANTCREAT, check_turns, loaded
from waiting import DEADLINE, wait_until

POOLS = pytest.mark.parametrize("mode, settings", [
    ("session", {}), ("transaction", {"default_pool_size": 3}),
    ("transaction", {"server_reset_query_always": 1})],
    ids=["sessions", "three sessions for all", "a new session each time"])


@POOLS
def test_gateways_use_a_server_through_pgbouncer_that_is_killed(server, database, start, mode, settings):
    with Pooler(server, mode, **settings) as pool, contextlib.ExitStack() as stack:
        gateways = [start(usual={"database": pool.url(database)}) for _ in range(2)]
        one, two = (stack.enter_context(Client(g.url)) for g in gateways)
        conversation = one.chat("a wombat walks").ok().json["conversation"]
        stored = one.http.post("/v1/files", files={"file": ("w.txt", b"wombat" * 100_000)},
                               data={"purpose": "user_data"}).json()["id"]
        assert two.http.get(f"/v1/files/{stored}/content").content == b"wombat" * 100_000
        wait_until(lambda: two.get("/v1/search?q=wombat").ok().json["data"], "the other's message")
        with loaded(*gateways) as (loads, more):
            for _ in range(2):
                more(40)
                server.kill()
                server.start()
            more(40)
        check_turns(loads, gateways[1], server, database)
        assert texts(two, conversation) == ["a wombat walks"] * 2
        for gateway in gateways:  # while PgBouncer is there to take their leave
            gateway.stop()


def settings_of_a_session(pool, server, database):
    """What a client of the pool finds who has set nothing."""
    return server.sql("SELECT current_setting('synchronous_commit'), current_setting('statement_timeout'), "
                      "current_setting('plan_cache_mode'), current_setting('lock_timeout')", database,
                      through=pool)


def test_no_setting_of_a_gateway_stays_in_a_session_of_others(server, database, start):
    """Else their commits would not wait for the disk."""
    with Pooler(server, "transaction", default_pool_size=1) as pool:
        before = settings_of_a_session(pool, server, database)
        gateway = start(usual={"database": pool.url(database)})
        with Client(gateway.url) as client:
            for n in range(3):
                client.chat(f"turn {n}").ok()
                with client.chat_stream(f"stream {n}") as stream:
                    assert list(stream)
                assert settings_of_a_session(pool, server, database) == before
        assert before[0][0] == "on"


def test_a_pool_of_statements_is_refused(server, database, tmp_path):
    for migrated in (False, True):
        with Pooler(server, "statement") as pool:
            url = pool.url(database)
            code, log = Gateway(tmp_path / str(migrated), {"database": url}).fails_to_start()
            assert code == EX_CANTCREAT, log
            assert "statement pooling" in log and len(log.strip().splitlines()) == 1, log
            assert run("migrate", "--database", url).returncode == EX_CANTCREAT
        assert run("migrate", "--database", server.url(database)).returncode == 0


@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_tables_are_made_where_they_are_looked_for(server, database, mode):
    """Not in a schema that the role's own settings name first."""
    server.sql("CREATE SCHEMA parley", database)
    with Pooler(server, mode) as pool:
        for _ in range(2):
            done = run("migrate", "--database", pool.url(database))
            assert done.returncode == 0, done.stderr
    assert server.sql("SELECT DISTINCT schemaname FROM pg_tables WHERE tablename IN ('run', 'message')",
                      database) == [["public"]]


@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_a_copy_sees_a_gateway_that_came_before_its_lock(server, database, tmp_path, mode):
    assert run("migrate", "--database", server.url(database)).returncode == 0
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'gateway'::regclass"
    with Pooler(server, mode) as pool, server.session(database) as other:
        other("BEGIN; INSERT INTO gateway (id, lane, lease_until) VALUES (7, 1, now() + interval '1 h')")
        copy = subprocess.Popen([BINARY, "copy", pool.url(database), str(tmp_path / "to.db")],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wait_until(lambda: server.number(waiting, database) == 1, "a copy that waits")
        other("COMMIT")
        said = copy.communicate(timeout=DEADLINE)[0]
    assert copy.returncode == 75 and "in use by a gateway" in said, said
