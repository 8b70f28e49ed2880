"""Databases of earlier versions are brought up to date, whatever was in them and however often that
is cut off; what can't be used is refused and left as it was."""

import contextlib
import hashlib
import random
import re
import resource
import sqlite3

import pytest

import gateway as gw
from client import Client, item_text
from test_upkeep import after_a_while, begin, command, duration, until_end

FIRST = (gw.PROJECT / "tests/fixtures/store/0001.sql").read_text()
MIGRATIONS = sorted((gw.PROJECT / "migrations").glob("*.sql"))
TALK = ["What is a lighthouse?", "What is a lighthouse?", "And in one line?", "It is a töwer 🗼.",
        "The weather?"]
EX_DATAERR, EX_CANTCREAT, EX_IOERR = 65, 73, 74


def make(database, upto=1):
    """A database as the first version left it; upto: with the first so many migrations."""
    database.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("PRAGMA page_size = 8192")
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(FIRST)
        for number, path in enumerate(MIGRATIONS[1:upto], 2):
            sql = path.read_text()
            db.executescript(f"BEGIN; {sql}; COMMIT")
            db.execute("INSERT INTO schema_migration VALUES (?,?,?,0)",
                       [number, path.stem, hashlib.sha256(sql.encode()).hexdigest()])
    return database


def rows(database, sql):
    with contextlib.closing(sqlite3.connect(database)) as db:
        return db.execute(sql).fetchall()


def schema(database):
    return sorted(rows(database, "SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def sound(database):
    assert rows(database, "PRAGMA integrity_check") == [("ok",)]


def public(kind, key, secret):
    return f"{kind}_{key & (1 << 64) - 1:016x}{secret & (1 << 64) - 1:016x}"


def ids(database, kind, table):
    return [public(kind, *row) for row in rows(database, f"SELECT id, secret FROM {table}")]


@pytest.mark.parametrize("upto", range(1, len(MIGRATIONS) + 1))
def test_every_earlier_version_becomes_the_same(tmp_path, upto):
    database = make(tmp_path / "old.db", upto)
    before = rows(database, "SELECT id, body FROM message ORDER BY id")
    said = command("migrate", database)
    left = len(MIGRATIONS) - upto
    assert said.startswith(f"{left} migration"), said
    command("migrate", tmp_path / "fresh.db")
    assert schema(database) == schema(tmp_path / "fresh.db")
    assert rows(database, "SELECT id, body FROM message ORDER BY id") == before
    assert [r[0] for r in rows(database, "SELECT name FROM schema_migration ORDER BY number")] == \
        [p.stem for p in MIGRATIONS]
    sound(database)
    assert command("migrate", database).startswith("0 migrations")


def test_what_the_first_version_stored_is_read_by_every_route(start):
    gateway = start(ready=False)
    make(gateway.database)
    places = {"conversations": ids(gateway.database, "conv", "conversation"),
              "runs": ids(gateway.database, "run", "run")}
    conversation = places["conversations"][0]
    gateway.start()
    with Client(gateway.url) as client:
        items = client.items(conversation)["data"]
        assert [item_text(i) for i in items[:5]] == TALK
        assert items[5]["type"] == "function_call" and items[5]["name"] == "weather"
        for item in items:
            assert client.get(f"/v1/conversations/{conversation}/items/{item['id']}").ok().json \
                == item
        assert client.get(f"/v1/conversations/{conversation}").ok().json["metadata"] == {
            "team": "blue", "topic": "ships"}
        assert [c["id"] for c in client.get("/v1/conversations").ok().json["data"]] == \
            sorted(places["conversations"], reverse=True)
        assert [c["id"] for c in client.get("/v1/conversations?metadata[team]=blue").ok()
                .json["data"]] == [conversation], "labels are found"
        assert [r["id"] for r in client.get("/v1/runs").ok().json["data"]] == \
            sorted(places["runs"], reverse=True)
        states = [client.run(run)["status"] for run in places["runs"]]
        assert states == ["completed"] * 3 + ["incomplete", "cancelled", "completed", "completed",
                                              "incomplete"]
        for run, state in zip(places["runs"][:-1], states):
            client.get(f"/v1/runs/{run}/events").error(410, "gone")  # there was no log then
        cut = client.http.get(f"/v1/runs/{places['runs'][-1]}/events")
        assert cut.status_code == 200 and "server_stopped" in cut.text
        for path in routes_with_ids():
            for id in places[path.split("/")[2]]:
                reply = client.http.get(path.replace("{id}", id))
                assert reply.status_code in (200, 204, 410), f"{path}: {reply.text}"


def routes_with_ids():
    """GET routes, also later ones, whose only id is a conversation's or a run's."""
    routes = re.findall(r"^GET (/v1/(?:conversations|runs)/{id}(?:/\w+)?)$",
                        gw.run("--dump-routes").stdout, re.M)
    assert len(routes) >= 4
    return routes


def test_an_old_conversation_goes_on_and_goes_away(start):
    gateway = start(ready=False)
    make(gateway.database)
    conversation, *others = ids(gateway.database, "conv", "conversation")
    gateway.start()
    with Client(gateway.url) as client:
        client.chat("and on", conversation=conversation).ok()
        assert [item_text(i) for i in client.items(conversation)["data"][-2:]] == ["and on"] * 2
        client.post(f"/v1/conversations/{conversation}", {"metadata": {"team": "red"}}).ok()
        assert client.get("/v1/conversations?metadata[team]=blue").ok().json["data"] == []
        item = client.items(conversation)["data"][0]["id"]
        client.request("DELETE", f"/v1/conversations/{conversation}/items/{item}").ok()
        for one in [conversation, *others]:
            client.request("DELETE", f"/v1/conversations/{one}").ok()
            client.get(f"/v1/conversations/{one}").error(404, "not_found")
    gateway.stop()
    assert rows(gateway.database, "SELECT count(*) FROM message") == [(0,)], "nothing is left over"
    sound(gateway.database)


@pytest.mark.long
def test_killed_migrations_begin_again(tmp_path):
    def old(name):
        """With enough in it to take a moment."""
        database = make(tmp_path / name)
        with contextlib.closing(sqlite3.connect(database)) as db:
            db.executemany(
                "INSERT INTO conversation VALUES (?,1,0,0,0,NULL,'{\"a\":\"b\",\"c\":\"d\"}')",
                ((n,) for n in range(1, 20001)))
            db.executemany("INSERT INTO run SELECT ?,1,0,?,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,NULL,"
                           "NULL,NULL,NULL,NULL,NULL,NULL", ((n, n) for n in range(1, 20001)))
            db.commit()
        return database

    usual, chance, seen = duration("migrate", old("first.db")), random.Random(9), set()
    for n in range(20):
        database = old(f"{n}.db") if n % 4 == 0 else database
        process = begin("migrate", database)
        after_a_while(process, chance.uniform(0, usual))
        process.kill()
        until_end(process)
        sound(database)
        seen.add(rows(database, "SELECT count(*) FROM schema_migration")[0][0])
        if n % 4 == 3:
            command("migrate", database)
            assert schema(database) == schema(tmp_path / "first.db")
            assert rows(database, "SELECT count(*) FROM conversation_label") == [(40002,)]
    assert min(seen) < len(MIGRATIONS), "some were cut off"


def refused(database, *words, code=EX_DATAERR):
    """By serve and by migrate, with the file's name; the file stays as it was."""
    before = database.read_bytes() if database.is_file() else None
    for name in ("migrate", "serve"):
        args = ["--listen", "127.0.0.1:0"] if name == "serve" else []
        said = command(name, database, *args, code=code)
        assert str(database) in said, said
        for word in words:
            assert word in said, said
    assert (database.read_bytes() if database.is_file() else None) == before


@pytest.mark.parametrize("sql, word", [
    ("UPDATE schema_migration SET sha256 = 'abc' WHERE number = 1", "0001_core differs"),
    ("UPDATE schema_migration SET name = '0001_other' WHERE number = 1", "0001_core differs"),
    ("INSERT INTO schema_migration VALUES (2, '0002_other', 'x', 0)", "differs"),
    ("INSERT INTO schema_migration VALUES (99, '0099_next', 'x', 0)", "lacks migration 2"),
    ("DROP TABLE schema_migration", "another program"),
], ids=["checksum", "name", "other", "gap", "none"])
def test_another_history_is_refused(tmp_path, sql, word):
    database = make(tmp_path / "old.db")
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.execute(sql)
        db.commit()
    refused(database, word)
    sound(database)


def test_a_newer_version_is_refused_by_name(tmp_path):
    database = make(tmp_path / "new.db", len(MIGRATIONS))
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.execute("INSERT INTO schema_migration VALUES (?, 'next_thing', 'x', 0)",
                   [len(MIGRATIONS) + 1])
        db.commit()
    refused(database, "newer version of parley", "next_thing")


def test_a_directory_and_other_files_are_refused(tmp_path):
    (tmp_path / "folder.db").mkdir()
    refused(tmp_path / "folder.db", code=EX_CANTCREAT)
    (tmp_path / "text.db").write_bytes(b"this is no database at all, sorry" * 400)
    refused(tmp_path / "text.db", "not a database")
    with contextlib.closing(sqlite3.connect(tmp_path / "theirs.db")) as db:
        db.execute("CREATE TABLE theirs (a)")
    refused(tmp_path / "theirs.db", "another program")
    said = command("migrate", tmp_path / "no/such/x.db", code=EX_CANTCREAT)
    assert "No such file" in said


def test_a_migration_on_a_full_disk_changes_nothing(tmp_path):
    database = make(tmp_path / "old.db")
    before = schema(database)

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    said = command("migrate", database, code=EX_IOERR, preexec_fn=small, restore_signals=False)
    assert "full" in said or "I/O" in said, said
    sound(database)
    done = rows(database, "SELECT count(*) FROM schema_migration")[0][0]
    assert done > 1 or schema(database) == before
    command("migrate", database)
    sound(database)
