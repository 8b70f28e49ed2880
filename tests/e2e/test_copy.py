"""parley copy: everything moves from SQLite to PostgreSQL and back, or nothing does."""

import contextlib
import hashlib
import re
import sqlite3

import pytest

import keys
import upstream as up
from client import Client, texts
from gateway import ENGINE, PROJECT, run
from waiting import DEADLINE, wait_until

EX_DATAERR, EX_NOINPUT, EX_TEMPFAIL = 65, 66, 75
# One gateway of each kind, whatever engine the other tests use.
pytestmark = pytest.mark.skipif(ENGINE != "sqlite", reason="copies from SQLite and back")
BIG = b"\x00wombat\xff" * 100_000
# Columns that each engine fills in its own way.
OWN = {"gateway", "op", "events_from", "events_to"}
# What a run's bill is to be, while it goes on.
BILL = {"bill_price_in", "bill_in", "bill_price_out", "bill_dropped", "bill_model"}
TABLES = ["conversation", "conversation_label", "message", "run", "idempotency", "file", "api_key",
          "session_ended", "budget", "reservation", "usage_day", "usage_tag", "audit",
          "provider_health", "swept", "call_block", "call_hour", "call_sum", "call_size"]


MODELS = {"models": [{"name": name, "provider": provider, "max_output": 100,
                      "price": {"input": 1, "output": 2}}
                     for name, provider in (("echo", "echo"), ("t/*", "local"))]}


def copy(source, target, code=0):
    done = run("copy", source, target)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def rows_of_sqlite(file, table):
    with contextlib.closing(sqlite3.connect(file)) as db:
        names = sorted({r[1] for r in db.execute(f"PRAGMA table_info({table})")} - OWN)
        shown = ", ".join(f"CASE typeof({n}) WHEN 'integer' THEN '' || {n} WHEN 'null' THEN '-' "
                          f"ELSE hex({n}) END" for n in names)
        return names, sorted(db.execute(f"SELECT {shown} FROM {table}").fetchall())


def rows_of_server(server, database, table, names):
    kinds = dict(server.sql("SELECT column_name, data_type FROM information_schema.columns "
                            f"WHERE table_name = '{table}'", database))

    def shown(name):
        if kinds[name] == "bigint":
            text = f"{name}::text"
        elif kinds[name] == "bytea":
            text = f"upper(encode({name}, 'hex'))"
        elif kinds[name] == "ARRAY":
            text = f"CASE WHEN {name} IS NULL THEN NULL ELSE 'array' END"
        else:
            text = f"upper(encode(convert_to({name}, 'UTF8'), 'hex'))"
        return f"coalesce({text}, '-')"
    got = server.sql(f"SELECT {', '.join(map(shown, names))} FROM {table}", database)
    return sorted(tuple(row) for row in got)


@pytest.fixture
def filled(tmp_path, upstream, start, script):
    """An SQLite database with some of everything, and what a client sees of it."""
    gateway = start(usual={**MODELS, "usage_tags": ["customer"]})
    made = keys.known(gateway, keys.make(gateway, "--name", "näme", "--budget", "1/30d",
                                         "--metadata", "a=b"))
    head = keys.bearer(made["key"])
    s = script(*up.stream("some ", "pieces ", "\\u0000 and \U0001f600"))
    with Client(gateway.url, head) as client:
        one = client.chat("a wombat walks", metadata={"label": "x"}).ok().json["conversation"]
        client.chat("and \u0000 on", conversation=one).ok()
        with client.chat_stream("stream", model=s.model) as stream:
            stream.native()
            streamed = stream.headers["x-run-id"]
        client.post(f"/v1/conversations/{one}", {"title": "the wombat's title"}).ok()
        client.post("/v1/chat", {"messages": ["kept"], "store": False},
                    headers={"Idempotency-Key": "k1", "x-parley-tag-customer": "acme"}).ok()
        bodies = [BIG, b"small", b"small"]
        files = [client.http.post("/v1/files", files={"file": (f"f{n}", body)},
                                  data={"purpose": "user_data"}).json()["id"]
                 for n, body in enumerate(bodies)]
        for n in range(40):
            client.chat(f"many {n}").ok()
    gateway.stop()
    with contextlib.closing(sqlite3.connect(gateway.database)) as db, db:
        db.execute("UPDATE run SET executions = '[{}]' WHERE id = (SELECT max(id) FROM run)")
    return gateway, head, one, streamed, files


def test_no_column_is_forgotten(filled):
    listed = {name: set(re.findall(r"\w+", columns.replace('"', "")))
              for name, columns in re.findall(r'^\t(?:\[.*?\] = )?\{ "(\w+)",((?:\s*"[a-z0-9_, ]+")+), *"?',
                                              (PROJECT / "src/store/copy.c").read_text(), re.M)}
    assert set(TABLES) <= set(listed)
    for table in TABLES:
        names, _ = rows_of_sqlite(filled[0].database, table)
        assert set(names) - BILL <= listed[table], table


def looks_the_same(gateway, filled):
    """What clients see in a copy."""
    _, head, one, streamed, files = filled
    with Client(gateway.url, head) as client:
        assert texts(client, one)[0] == "a wombat walks" and len(texts(client, one)) == 4
        assert "\u0000" in texts(client, one)[2]
        found = client.get(f"/v1/conversations/{one}").ok().json
        assert found["title"] == "the wombat's title" and found["metadata"] == {"label": "x"}
        events = client.http.get(f"/v1/runs/{streamed}/events").content
        assert b'"pieces "' in events and b"event: done" in events
        again = client.post("/v1/chat", {"messages": ["kept"], "store": False},
                            headers={"Idempotency-Key": "k1"}).ok()
        assert again.headers["idempotency-replayed"] == "true"
        for file, body in zip(files, [BIG, b"small", b"small"]):
            assert client.http.get(f"/v1/files/{file}/content").content == body
        wait_until(lambda: {h["kind"] for h in client.get("/v1/search?q=wombat").ok().json["data"]}
                   == {"message", "title"}, "the index")
        assert client.get("/v1/usage").ok().json["budget"]["cost"]["spent"] != "0"
        pages = client.get("/v1/conversations?limit=100").ok().json["data"]
        assert len(pages) == 42
        return hashlib.sha256(events).hexdigest(), pages


def test_there_and_back_again(filled, server, database, start, tmp_path):
    first = filled[0]
    url = server.url(database)
    assert "42 conversations, " in copy(first.file, url)
    for table in TABLES:
        names, rows = rows_of_sqlite(first.file, table)
        assert rows_of_server(server, database, table, names) == rows, table
    assert server.number("SELECT count(*) FROM content WHERE used <> 1", database) == 0
    assert server.number("SELECT count(*) FROM content", database) == 2
    # A copy of the copy, before a gateway has used it.
    back = tmp_path / "back.db"
    assert "42 conversations, " in copy(url, back)
    for table in TABLES:
        assert rows_of_sqlite(back, table) == rows_of_sqlite(first.file, table), table
    with contextlib.closing(sqlite3.connect(back)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        written = db.execute("SELECT sum(length(data)) FROM event").fetchone()[0]
        assert db.execute("SELECT written, removed FROM event_size").fetchall() == [(written, 0)]
    first.start()
    seen = looks_the_same(first, filled)
    assert looks_the_same(start(usual={"database": url, **MODELS}), filled) == seen
    assert looks_the_same(start(usual={"database": str(back), **MODELS}), filled) == seen


def test_what_is_not_copied(filled, server, database, tmp_path, start):
    first, url = filled[0], server.url(database)
    absent = tmp_path / "absent.db"
    said = copy(absent, url, EX_NOINPUT)
    assert str(absent) in said and not absent.exists()
    # The gateways must have stopped.
    gateway = start(usual={"database": url})
    assert "in use" in copy(first.file, url, EX_TEMPFAIL)
    with Client(gateway.url) as client:
        client.chat("hi").ok()
    assert "in use" in copy(url, tmp_path / "x.db", EX_TEMPFAIL)
    gateway.kill()
    assert "15 seconds" in copy(url, tmp_path / "y.db", EX_TEMPFAIL)
    server.sql("UPDATE gateway SET lease_until = now() - interval '1 s'", database)
    # Only an empty database is a target.
    assert "not empty" in copy(first.file, url, EX_DATAERR)
    assert "not empty" in copy(url, first.file, EX_DATAERR)
    before = rows_of_sqlite(first.file, "message")
    assert rows_of_sqlite(first.file, "message") == before
    serving = first.start()
    assert "in use" in copy(serving.file, server.url(server.create()), EX_TEMPFAIL)


def test_a_copy_that_breaks_leaves_an_empty_database(filled, server, database):
    first, url = filled[0], server.url(database)
    assert run("migrate", "--database", url).returncode == 0
    # A value that the server refuses, in the last table but one.
    server.sql("ALTER TABLE usage_day ADD CONSTRAINT no CHECK (calls < 0)", database)
    copy(first.file, url, EX_DATAERR)
    for table in TABLES:
        assert server.number(f"SELECT count(*) FROM {table}", database) == 0, table
    server.sql("ALTER TABLE usage_day DROP CONSTRAINT no", database)
    assert "42 conversations, " in copy(first.file, url)


def test_runs_that_a_killed_gateway_has_left_get_their_ends(server, database, start, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("as far "), up.wait(gate), *up.ending())
    gateway = start(usual={})
    with Client(gateway.url) as client, client.chat_stream("go", model=s.model) as stream:
        stream.until_text("as far ")
        run_id = stream.headers["x-run-id"]
        wait_until(lambda: sqlite_count(gateway.file, "event"), "a log")
        gateway.process.kill()
        gateway.process.wait(DEADLINE)
        gateway.process = None
    gate.open()
    copy(gateway.file, server.url(database))
    other = start(usual={"database": server.url(database)})
    with Client(other.url) as client:
        found = client.run(run_id)
        assert found["status"] == "incomplete"
        assert texts(client, found["conversation"])[-1] == "as far "


def sqlite_count(file, table):
    with contextlib.closing(sqlite3.connect(file)) as db:
        return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
