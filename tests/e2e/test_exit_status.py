"""What is wrong with a database tells every command's exit status, the same for all of them."""

import contextlib
import os
import sqlite3

import pytest

import gateway as gw
from test_archive import simple, text

OK, EX_DATAERR, EX_NOINPUT, EX_CANTCREAT, EX_TEMPFAIL = 0, 65, 66, 73, 75


def arguments(tmp_path):
    """Each command that uses the database, with what else it needs."""
    (tmp_path / "archive.jsonl").write_bytes(text(*simple()))
    return {
        "serve": ["serve", "--listen", "127.0.0.1:0"], "migrate": ["migrate"],
        "export": ["export", "--output", tmp_path / "out.jsonl"],
        "import": ["import", tmp_path / "archive.jsonl"],
        "create": ["keys", "create", "--name", "x"], "list": ["keys", "list"],
        "revoke": ["keys", "revoke", "key_7h2kq9vx"],
        "update": ["keys", "update", "key_7h2kq9vx", "--name", "x"],
        "backup": ["backup", tmp_path / "copy.db"], "vacuum": ["vacuum"],
    }


COMMANDS = ["serve", "migrate", "export", "import", "create", "list", "revoke", "update", "backup",
            "vacuum"]
LOOKS_FIRST = set(COMMANDS) - {"serve", "migrate"}  # at what must be there


def ours(path):
    assert gw.run("migrate", "--database", path).returncode == OK
    return path


def garbage(path):
    path.write_bytes(b"this is no database at all, sorry" * 400)


def truncated(path):
    ours(path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.truncate(path, 8192)


def theirs(path):
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs (a)")


def newer(path):
    ours(path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO schema_migration SELECT max(number) + 1, 'next', 'x', 0 "
                   "FROM schema_migration")
        db.commit()


def ends_with(tmp_path, name, database, code):
    done = gw.run(*arguments(tmp_path)[name], "--database", database)
    assert done.returncode == code, f"{done.returncode}: {done.stdout}{done.stderr}"
    assert not gw.SANITIZER.search(done.stderr), done.stderr
    assert code == OK or done.stderr.startswith("parley: "), done.stderr
    return done.stderr


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("fault", [garbage, truncated, theirs, newer], ids=lambda f: f.__name__)
def test_a_database_that_is_not_good(tmp_path, name, fault):
    database = tmp_path / "parley.db"
    fault(database)
    assert "parley.db" in ends_with(tmp_path, name, database, EX_DATAERR)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_place_where_none_can_be(tmp_path, name):
    code = EX_NOINPUT if name in LOOKS_FIRST else EX_CANTCREAT
    ends_with(tmp_path, name, tmp_path / "no" / "such" / "parley.db", code)


def test_one_process_serves_and_others_work_beside_it(start, tmp_path):
    gateway = start()
    for name in ("serve", "migrate"):
        assert "in use" in ends_with(tmp_path, name, gateway.database, EX_TEMPFAIL)
    for name in ("import", "export", "create", "list", "backup", "vacuum"):
        ends_with(tmp_path, name, gateway.database, OK)


# Commands on keys and archives wait longer for it: half a minute.
@pytest.mark.parametrize("name", ["serve", "migrate", "backup", "vacuum"])
def test_another_program_holds_it(tmp_path, name):
    database = ours(tmp_path / "parley.db")
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("CREATE TABLE more (a)")
        db.execute("COMMIT")
        assert "locked" in ends_with(tmp_path, name, database, EX_TEMPFAIL)
