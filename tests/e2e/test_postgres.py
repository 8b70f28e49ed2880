"""The PostgreSQL engine: a killed server, and what refuses to start (several gateways: test_many.py).

These tests start a server of their own, whatever engine the others use."""

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

import computer as cp
import disk
import keys
import upstream as up
from client import Client, texts
from gateway import BINARY, Gateway, run
from runner import needs_sandbox
from waiting import DEADLINE, wait_until

EX_DATAERR, EX_NOINPUT, EX_CANTCREAT, EX_TEMPFAIL = 65, 66, 73, 75


# --- the server is killed -------------------------------------------------------------------------


class Load(threading.Thread):
    """Asks for turns, each in a conversation of its own, and notes which were acknowledged."""

    def __init__(self, gateway, stop):
        super().__init__(daemon=True)
        self.gateway, self.stop, self.acknowledged, self.problem = gateway, stop, [], None
        self.moments, self.refused = [], 0

    def run(self):
        try:
            self.ask()
        except Exception as problem:  # noqa: BLE001  # told by the test's own thread
            self.problem = problem

    def ask(self):
        with Client(self.gateway.url) as client:
            client.http.timeout = 60
            while not self.stop.is_set():
                text = f"turn {uuid.uuid4()}"
                answer = client.chat(text)
                if answer.status == 200:
                    self.acknowledged.append((text, answer.headers["x-run-id"],
                                              answer.json["conversation"]))
                    self.moments.append(time.monotonic())
                else:
                    answer.error(503, "storage_unavailable")
                    self.refused += 1


@contextlib.contextmanager
def loaded(*gateways, clients=8):
    """The clients, which ask the gateways in the block; and more(n), which waits for n more turns."""
    for gateway in gateways:
        with Client(gateway.url) as client:
            client.chat("first").ok()  # also reads openapi.yaml, before eight threads do
    stop = threading.Event()
    loads = [Load(gateways[n % len(gateways)], stop) for n in range(clients)]

    def more(wanted):
        wanted += sum(len(x.acknowledged) for x in loads)
        wait_until(lambda: sum(len(x.acknowledged) for x in loads) >= wanted
                   or any(x.problem for x in loads), f"{wanted} turns", 2 * DEADLINE)
        assert [x.problem for x in loads if x.problem] == []
    for load in loads:
        load.start()
    try:
        yield loads, more
    finally:
        stop.set()
        for load in loads:
            load.join(DEADLINE * 4)
            assert not load.is_alive()
    assert [x.problem for x in loads if x.problem] == []


def check_turns(loads, gateway, server, database):
    """Each acknowledged turn is there, none is twice, every run has an end."""
    acknowledged = [a for load in loads for a in load.acknowledged]
    stored = {row[0]: int(row[1]) for row in server.sql(
        "SELECT substring(body from 'turn [0-9a-f-]{36}') AS text, count(*) FROM message "
        "WHERE run <> id GROUP BY text", database)}
    missing = [text for text, _, _ in acknowledged if text not in stored]
    assert not missing, missing[:3]
    assert not [t for t, n in stored.items() if n != 1 and t], "a turn is stored twice"
    with Client(gateway.url) as client:
        for text, r, conversation in acknowledged[:: max(1, len(acknowledged) // 40)]:
            assert client.run(r)["status"] == "completed"
            assert texts(client, conversation) == [text, text]
    wait_until(lambda: server.number("SELECT count(*) FROM run WHERE status < 2", database) == 0,
               "an end of every run")
    return acknowledged


def test_a_killed_server_loses_no_acknowledged_turn_and_stores_none_twice(join, server, database):
    gateway = join()
    with loaded(gateway) as (loads, more):
        for _ in range(4):
            more(40)
            server.kill()
            server.start()
        more(40)
    acknowledged = check_turns(loads, gateway, server, database)
    assert len(acknowledged) > 200
    assert server.number("SELECT count(*) FROM run WHERE status = 2", database) == \
        len(acknowledged) + 1


def test_turns_do_not_read_the_many_that_came_since_they_were_planned(join, server, database):
    """The server plans a statement at its first use, and then the tables of a new database are empty."""
    def read():
        """Rows of runs; the server counts with a delay."""
        runs = server.number("SELECT count(*) FROM run", database)
        wait_until(lambda: server.number("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'run'",
                                         database) == runs, "the server's count")
        return server.number("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables "
                             "WHERE relname = 'run'", database)
    gateway = join()
    for table in "run", "message", "idempotency", "search_queue":  # autovacuum would make it plan anew
        server.sql(f"ALTER TABLE {table} SET (autovacuum_enabled = off)", database)
    with Client(gateway.url) as client:
        def turns(count):
            for _ in range(count):
                client.chat("hello").ok()
        turns(10)
        server.sql("INSERT INTO run (id, secret, owner, gateway, conversation, parent, base, status, created_ms, seq_reserved) "
                   "SELECT n, 1, 1, 1, 1, 1, 1, 2, 1, 1 FROM generate_series(1, 20000) n", database)
        found = []
        while len(found) < 6 and min(found, default=10**9) >= 500000:
            before = read()
            turns(50)  # 1,000,000 if each reads all; a chore may still do so once a second
            found.append(read() - before)
    assert found[-1] < 500000, found


def test_a_turn_does_not_wait_for_the_tables_of_the_log(join, server, database):
    with Client(join().url) as client:
        client.chat("one").ok()
        with server.holding("LOCK TABLE event IN ACCESS EXCLUSIVE MODE", database):
            client.chat("two").ok()


def test_without_a_server_stored_calls_are_refused_and_others_go_on(join, server):
    gateway = join()
    with Client(gateway.url) as client:
        client.http.timeout = 60
        conversation = client.chat("one").ok().json["conversation"]
        server.kill()
        try:
            client.chat("two", conversation=conversation).error(503, "storage_unavailable")
            client.chat("kept nowhere", store=False).ok()
            wait_until(lambda: client.get("/readyz").status == 503, "not ready")
        finally:
            server.start()
        wait_until(lambda: client.chat("three", conversation=conversation).status == 200, "writes")
        wait_until(lambda: client.get("/readyz").status == 200, "readiness")
        assert texts(client, conversation) == ["one", "one", "three", "three"]


def test_a_database_that_takes_no_writes_refuses_stored_calls(join, server):
    def writes(on):
        server.sql(f"ALTER SYSTEM SET default_transaction_read_only = {'off' if on else 'on'}")
        server.sql("SELECT pg_reload_conf()")
        shown = [["off" if on else "on"]]
        wait_until(lambda: server.sql("SHOW default_transaction_read_only") == shown, "the setting")
    with Client(join().url) as client:
        client.http.timeout = 60
        client.chat("before").ok()
        writes(False)
        try:
            client.chat("two").error(503, "storage_unavailable")
            client.chat("kept nowhere", store=False).ok()
        finally:
            writes(True)
        wait_until(lambda: client.chat("three").status == 200, "writes")


@contextlib.contextmanager
def small_disk(server):
    """A database on a disk of 20 MB, and the folder of that disk."""
    with disk.mounted("20m") as folder:
        place = folder / "place"
        place.mkdir()
        if server.user:
            os.chown(place, server.user.pw_uid, server.user.pw_gid)
        try:
            server.sql(f"CREATE TABLESPACE small LOCATION '{place}'")
            server.sql("CREATE DATABASE small TABLESPACE small")
            yield "small", folder
        finally:
            server.sql("DROP DATABASE IF EXISTS small WITH (FORCE)")
            server.sql("DROP TABLESPACE IF EXISTS small")


def test_a_full_disk_of_the_server_refuses_stored_calls(server, start):
    """And what was acknowledged is kept; other calls go on."""
    with small_disk(server) as (database, folder):
        gateway = start(usual={"database": server.url(database)})
        filler, acknowledged = folder / "filler", ["one", "one"]
        with Client(gateway.url) as client, open(filler, "wb", buffering=0) as out:
            client.http.timeout = 60
            conversation = client.chat("one").ok().json["conversation"]
            with contextlib.suppress(OSError):
                while out.write(bytes(65536)):
                    pass
            for n in range(100):  # there may be room in pages
                text = f"{n} {'x' * 8000}"
                answer = client.chat(text, conversation=conversation)
                if answer.status != 200:
                    break
                acknowledged += [text, text]
            answer.error(503, "storage_unavailable")
            assert "disk is full" in answer.json["error"]["message"] and int(answer.headers["Retry-After"]) >= 1
            client.chat("kept nowhere", store=False).ok()
            filler.unlink()
            os.truncate(out.fileno(), 0)
            wait_until(lambda: client.chat("three", conversation=conversation).status == 200, "writes")
            wait_until(lambda: client.get("/readyz").status == 200, "readiness")
            assert texts(client, conversation) == [*acknowledged, "three", "three"][-100:]
        gateway.stop()


def test_an_end_waits_for_the_server(join, server, script):
    gateway = join()
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("first "), up.wait(gate), up.text("second"),
               *up.ending())
    with Client(gateway.url) as client:
        client.http.timeout = 60
        with client.chat_stream("go", model=s.model) as stream:
            run_id = stream.headers["x-run-id"]
            seen = stream.next_data().data
            while "first" not in seen:
                seen += stream.next_data().data
            server.kill()
            gate.open()
            server.start()
            rest = "".join(event.data for event in stream)
            assert "second" in rest
        assert client.run(run_id)["status"] == "completed"


def test_a_call_counts_whose_reservation_a_crash_of_the_server_took(join, server, database, script):
    """Its commit had not waited for the disk; the begin of the turn was sent again."""
    made = run("keys", "create", "--json", "--name", "k", "--budget", "1", "--database", server.url(database))
    assert made.returncode == 0, made.stderr
    gateway = join(models=[{"name": "t/*", "provider": "local", "price": {"input": 1, "output": 2},
                            "max_output": 50}])
    gate = up.Gate()
    s = script(up.in_turn([up.reply(up.completion("one"))],
                          [up.wait(gate), up.reply(up.completion("two"))]))
    with Client(gateway.url, {"Authorization": f"Bearer {json.loads(made.stdout)['key']}"}) as client:
        client.chat("one", model=s.model).ok()
        lost = threading.Thread(target=client.chat, args=("two",), kwargs={"model": s.model})
        lost.start()
        gate.wait_reached()
        server.sql("DELETE FROM reservation; UPDATE budget SET reserved_nano = 0, reserved_tokens = 0", database)
        gate.open()
        lost.join(DEADLINE)
    assert server.sql("SELECT spent_nano, reserved_nano, spent_tokens > 0 FROM budget", database) == \
        server.sql("SELECT sum(cost_nano), 0, 't' FROM run WHERE status = 2 HAVING count(*) = 2", database)
    assert server.sql("SELECT calls FROM usage_day", database) == [["2"]]


def test_retention_keeps_up_with_many_streams(join, server, database):
    """A hundred of them write as much in half a minute."""
    join().stop()
    day = "(extract(epoch FROM now() - interval '2 days') * 1000)::bigint"
    server.sql("INSERT INTO run (id, secret, owner, gateway, conversation, parent, base, status, created_ms, completed_ms, "
               f"seq_reserved) SELECT ({day} << 20) + n, 1, 1, 1, 1, 1, 1, 2, {day}, {day}, 1000 FROM "
               "generate_series(1, 200) n; INSERT INTO event SELECT id, p, p, 'x' FROM run, generate_series(1, 600) p",
               database)
    gateway = join(events_keep="24h")
    with Client(gateway.url) as client:
        client.chat("meanwhile").ok()
        wait_until(lambda: server.number("SELECT count(*) FROM event WHERE data = 'x'", database) == 0,
                   "no old events")


def test_gateways_that_died_long_ago_leave_no_rows(join, server, database):
    a, b = join(), join()
    for gateway in a, b:
        with Client(gateway.url) as client:
            client.chat("booked", store=False).ok()
    wait_until(lambda: server.number("SELECT count(*) FROM usage_batch", database) == 2, "two sums")
    a.stop()
    b.process.kill()
    b.process.wait(DEADLINE)
    b.process = None
    server.sql("UPDATE gateway SET lease_until = now() - interval '2 days'", database)
    join()
    for table in "gateway WHERE dead = 1", "usage_batch":
        wait_until(lambda t=table: server.number(f"SELECT count(*) FROM {t}", database) == 0, f"no rows in {table}")


# --- the computer, at several gateways -------------------------------------------------------------


def expire(server, database):
    """The lease of the gateway that has a run, as if it had been silent for long."""
    server.sql("UPDATE gateway SET lease_until = now() - interval '1 s' "
               "WHERE id = (SELECT gateway FROM run WHERE status < 2)", database)


@pytest.fixture
def computers(join, server, database):
    """Two gateways with one runner, and a key that may execute."""
    made = run("keys", "create", "--json", "--name", "one", "--scopes", cp.ALL, "--database",
               server.url(database))
    assert made.returncode == 0, made.stderr
    with cp.runner() as runner:
        # strict: what a client has seen is in the log
        yield [cp.Computer(lambda usual: join(**usual), runner, key=json.loads(made.stdout),
                           durability="strict") for _ in range(2)]


@needs_sandbox
def test_another_gateway_tells_that_an_end_is_not_known(computers, server, database, script):
    a, b = computers
    code = "print('go')\nimport time\ntime.sleep(600)"
    model = script(up.in_turn(cp.calls(("python", code)), up.stream("I see.")))
    with a.client.stream("/v1/chat", a.body(model)) as stream:
        assert any(not block.is_comment and block.json.get("content") == "go\n"
                   for block in stream.check_head())
        a.gateway.process.kill()
        a.gateway.process.wait(DEADLINE)
        a.gateway.process = None
    run_id = cp.run_of(stream)
    expire(server, database)
    wait_until(lambda: b.client.run(run_id)["status"] == "incomplete", "an end by the other gateway")
    assert [x["outcome"] for x in b.client.run(run_id)["executions"]] == ["unknown"]
    outputs = [m["content"] for m in b.client.messages(stream.headers["x-conversation-id"], "lmc")
               if m["type"] == "console"]
    assert outputs == ["go\n[the gateway stopped: whether this ran to its end is not known]\n"]
    b.client.post(f"/v1/runs/{run_id}/approve", {"approve": True}).error(409, "not_continuable")


@needs_sandbox
def test_a_gateway_that_lost_its_run_executes_nothing(computers, server, database, script):
    a, b = computers
    gate = up.Gate()
    model = script(up.sse(), up.role(), up.text("before "), up.wait(gate),
                   *cp.call("python", "print('ran')"), *up.ending("tool_calls"))
    with a.client.stream("/v1/chat", a.body(model)) as stream:
        assert any(not block.is_comment and block.json.get("content") == "before "
                   for block in stream.check_head())
        a.gateway.process.send_signal(signal.SIGSTOP)
        try:
            expire(server, database)
            wait_until(lambda: b.client.run(cp.run_of(stream))["status"] == "incomplete",
                       "an end by the other gateway")
            gate.open()
        finally:
            a.gateway.process.send_signal(signal.SIGCONT)
        chunks, _ = cp.blocks(stream)
    assert chunks[-1]["type"] == "error" and not any(c["role"] == "computer" and c["type"] == "console"
                                                     for c in chunks)
    assert '"event":"executed"' not in a.runner.said()
    assert "executions" not in b.client.run(cp.run_of(stream))


def test_a_list_reads_no_more_than_its_page(join, server, database):
    gateway = join()
    server.sql("INSERT INTO conversation (id, secret, owner, created_ms, leaf, origin) SELECT "
               "((1700000000000 + n) << 20) + n, n, 0, 1700000000000 + n, 0, n % 3 % 2 FROM generate_series(1, 20000) n",
               database)
    for pair, every in (("'topic', 'tea'", 1), ("'user', 'u7'", 4000)):
        server.sql(f"INSERT INTO conversation_label (owner, key, value, conversation) SELECT 0, {pair}, id "
                   f"FROM conversation WHERE secret % {every} = 0", database)
    server.sql("VACUUM ANALYZE", database)
    count = ("SELECT coalesce(sum(idx_scan), 0), coalesce(sum(idx_tup_read), 0), (SELECT seq_tup_read FROM "
             "pg_stat_user_tables WHERE relname = 'conversation') FROM pg_stat_user_indexes WHERE relname LIKE 'conversation%'")

    def read():
        scans, *entries = map(int, server.sql(count, database)[0])
        return scans, sum(entries)

    with Client(gateway.url) as client:
        for query, wanted in (("", 10), ("&order=asc", 10), ("&origin=api", 10), ("&origin=console", 10),
                              ("&metadata[topic]=tea", 10)):
            scans, entries = read()
            for _ in range(20):
                assert len(client.get(f"/v1/conversations?limit=10{query}").ok().json["data"]) == wanted
            wait_until(lambda scans=scans: read()[0] >= scans + 20, "the server's own counts")
            assert read()[1] - entries < 20 * 100, f"a page of ten, {query}"
        scans, entries = read()
        for _ in range(20):
            both = "/v1/conversations?metadata[topic]=tea&metadata[user]=u7"
            assert len(client.get(both).ok().json["data"]) == 5
    gateway.stop()  # which ends its sessions: then all is counted
    wait_until(lambda: server.number("SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
                                     f"datname = '{database}'", "postgres") == 0, "sessions that have ended")
    # Along the common label, each of them reads 32,000; along the rare one, the planner may choose to walk
    # over all 20,000 conversations.
    assert read()[1] - entries < 20 * 25_000


def test_connections_that_break_one_by_one(join, server, database):
    """The server stays, as behind a balancer that closes connections: nobody notices."""
    gateway = join()
    stop = threading.Event()

    def cut():
        while not stop.is_set():
            server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                       f"datname = '{database}' AND usename = 'parley' AND pid <> pg_backend_pid() "
                       "ORDER BY random() LIMIT 2", "postgres")

    with Client(gateway.url) as client:
        conversation = client.chat("first").ok().json["conversation"]
        cutter = threading.Thread(target=cut)
        cutter.start()
        try:
            for i in range(25):
                client.chat(f"turn {i}", conversation=conversation).ok()
                client.get(f"/v1/conversations/{conversation}").ok()
        finally:
            stop.set()
            cutter.join()
        assert server.number("SELECT count(*) FROM message", database) == 2 * 26
        assert server.number("SELECT count(*) FROM run WHERE status = 2", database) == 26


def test_figures_of_the_database(join):
    gateway = join("--admin-listen", "127.0.0.1:0")
    with Client(gateway.url) as client, Client(keys.admin_url(gateway)) as admin:
        client.chat("a wombat walks").ok()

        def found(name):
            figures = admin.get("/metrics").body.decode()
            return float(re.search(rf"^parley_{name} (\S+)$", figures, re.M).group(1))
        wait_until(lambda: found("search_messages") == 2, "question and answer in the index")
        assert found("search_complete") == 1 and found("search_waiting") == 0
        assert found("db_gateways") == 1 and found("db_leases_lost_total") == found("db_unfinished") == 0
        sizes = admin.get("/v1/admin/overview").ok().json["store"]
        assert sizes["database_bytes"] > 1_000_000 and sizes["search"]["bytes"] > 10_000


# --- what does not start --------------------------------------------------------------------------


def refused(folder, database, env=None):
    return Gateway(folder, {"database": database}, env=env).fails_to_start()


def test_what_does_not_start(tmp_path, server, database):
    nobody = f"postgres:///p?host={tmp_path}&user=parley"
    newer, foreign = server.create(), server.create()
    done = run("migrate", "--database", server.url(newer))
    assert done.returncode == 0, done.stderr
    server.sql("INSERT INTO schema_migration VALUES (99, '0099_later', 'x', 0)", newer)
    server.sql("CREATE TABLE ours (id bigint)", foreign)
    server.sql("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    hba = server.folder / "data" / "pg_hba.conf"
    hba.write_text("local all guarded scram-sha-256\nlocal all all trust\n")
    server.sql("SELECT pg_reload_conf()")
    guarded = server.url(database).replace("user=parley", "user=guarded")
    for case, (where, env, code, said) in {
            "unreachable": (nobody, None, EX_TEMPFAIL, "can't connect to the database"),
            "no such database": (server.url("nosuch"), None, EX_NOINPUT, "does not exist"),
            "wrong password": (guarded, {"PARLEY_DATABASE_PASSWORD": "canaryZq7"}, EX_NOINPUT,
                               "password authentication failed"),
            "newer": (server.url(newer), None, EX_DATAERR, "newer version"),
            "foreign": (server.url(foreign), None, EX_DATAERR, "belongs to another program"),
            "password in the option": ("postgres://u:canaryZq7@localhost/p", None, EX_CANTCREAT,
                                       "may not contain a password"),
            "no sense": ("postgres://[", None, EX_CANTCREAT, "not a connection string")}.items():
        got, log = refused(tmp_path / case.replace(" ", "-"), where, env)
        assert got == code, (case, got, log)
        assert said in log, (case, log)
        assert "canaryZq7" not in log, case
        assert len(log.strip().splitlines()) == 1, (case, log)


def test_a_migration_that_meets_a_deadlock_is_tried_again(server, database):
    """Here, with somebody who makes a table of the same name and wants the lock of those who migrate."""
    server.sql(f"ALTER DATABASE {database} SET deadlock_timeout = '3s'")
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
    deadlocks = f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{database}'"
    with server.session(database) as other:
        other("SET deadlock_timeout = '1h'")  # so that the other one is ended
        other("BEGIN; CREATE TABLE message (id bigint)")
        migration = subprocess.Popen([BINARY, "migrate", "--database", server.url(database)],
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wait_until(lambda: server.number(waiting, database) == 1, "a migration that waits")
        other("SELECT pg_advisory_xact_lock(1349676153)")
        other("ROLLBACK")
        said = migration.communicate(timeout=DEADLINE)[0]
    assert migration.returncode == 0, said
    wait_until(lambda: server.number(deadlocks, database) == 1, "a deadlock that was counted")
    assert server.number("SELECT count(*) FROM message", database) == 0


def test_an_upload_that_meets_a_deadlock_is_tried_again(join, server, database):
    server.sql(f"ALTER DATABASE {database} SET deadlock_timeout = '3s'")
    gateway = join()
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'content_part'::regclass"
    with server.session(database) as other, ThreadPoolExecutor() as pool, Client(gateway.url) as client:
        other("SET deadlock_timeout = '1h'")  # so that the other one is ended
        other("BEGIN; LOCK TABLE content_part IN ACCESS EXCLUSIVE MODE")
        upload = pool.submit(client.http.post, "/v1/files", files={"file": ("w.txt", b"wombat")},
                             data={"purpose": "user_data"})
        wait_until(lambda: server.number(waiting, database) == 1, "an upload that waits")
        other("LOCK TABLE content IN ACCESS EXCLUSIVE MODE")
        other("COMMIT")
        answer = upload.result(DEADLINE)
        assert answer.status_code == 200, answer.text
        assert client.http.get(f"/v1/files/{answer.json()['id']}/content").content == b"wombat"


def test_the_password_comes_from_the_environment_or_a_file(tmp_path, server, database, upstream):
    server.sql("DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN PASSWORD 'right'")
    server.sql(f"ALTER DATABASE {database} OWNER TO guarded")
    (server.folder / "data" / "pg_hba.conf").write_text(
        "local all guarded scram-sha-256\nlocal all all trust\n")
    server.sql("SELECT pg_reload_conf()")
    url = server.url(database).replace("user=parley", "user=guarded")
    passfile = tmp_path / "pgpass"
    passfile.write_text("*:*:*:*:right\n")
    passfile.chmod(0o600)
    for where, env in ((url, {"PARLEY_DATABASE_PASSWORD": "right"}),
                       (f"{url}&passfile={passfile}", None)):
        done = run("migrate", "--database", where, env=env)
        assert done.returncode == 0, done.stderr


def test_commands_of_the_file_say_what_to_use_instead(server, database):
    for command in (["backup", "copy.db"], ["vacuum"]):
        done = run(*command, "--database", server.url(database))
        assert done.returncode == EX_DATAERR
        assert "PostgreSQL" in done.stderr
