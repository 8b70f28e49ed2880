"""PgBouncer between gateways and the server."""

import contextlib
import subprocess
import tempfile
from pathlib import Path

import pytest

import postgres
from client import Client, texts
from gateway import Gateway
from test_postgres import EX_CANTCREAT, check_turns, loaded
from waiting import DEADLINE, wait_until


@contextlib.contextmanager
def bouncer(server, mode, **settings):
    """url(database) of a PgBouncer before the server."""
    port = postgres.free_port()  # names its socket
    with tempfile.TemporaryDirectory(prefix="parley-pgb-", dir="/tmp") as name:
        folder = Path(name)
        lines = [f"* = host={server.folder} port={server.port} user=parley", "[pgbouncer]"]
        lines += [f"{k} = {v}" for k, v in {
            "pool_mode": mode, "auth_type": "any", "unix_socket_dir": folder, "listen_port": port,
            "server_login_retry": 1, "default_pool_size": 40, **settings}.items()]
        file = folder / "pgbouncer.ini"
        file.write_text("\n".join(["[databases]", *lines, ""]))
        folder.chmod(0o777)
        process = subprocess.Popen(["/usr/sbin/pgbouncer", "-q", str(file)], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, **server.as_user())
        try:
            wait_until((folder / f".s.PGSQL.{port}").exists, "PgBouncer's socket")
            yield lambda database: f"postgres:///{database}?host={folder}&port={port}&user=parley"
        finally:
            process.terminate()
            process.wait(DEADLINE)


def test_gateways_use_a_server_through_pgbouncer_that_is_killed(server, database, start):
    with bouncer(server, "session") as url, contextlib.ExitStack() as stack:
        gateways = [start(usual={"database": url(database)}) for _ in range(2)]
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


@pytest.mark.parametrize("settings", [{}, {"server_reset_query_always": 1}],
                         ids=["named statements stay", "a new session each time"])
def test_pools_of_transactions_are_refused(server, database, tmp_path, settings):
    with bouncer(server, "transaction", **settings) as url:
        for again in ("first", "second"):
            code, log = Gateway(tmp_path / again, {"database": url(database)}).fails_to_start()
            assert code == EX_CANTCREAT, log
            assert "pool_mode = session" in log and len(log.strip().splitlines()) == 1, log
    assert server.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", database)
