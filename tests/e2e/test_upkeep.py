"""parley backup and parley vacuum: beside a gateway that serves, without one, and cut off."""

import contextlib
import fcntl
import hashlib
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

import pytest

import gateway as gw
import upstream as up
from client import Client, item_text
from test_durable import events
from test_files import folder, on_disk, place, upload
from waiting import DEADLINE, wait_until

LONG = DEADLINE * 4
PAGE = 4096  # bytes of a page of a new database
EX_USAGE, EX_DATAERR, EX_NOINPUT, EX_CANTCREAT, EX_IOERR, EX_TEMPFAIL = 64, 65, 66, 73, 74, 75


def command(name, database, *args, code=0, **more):
    done = gw.run(name, "--database", database, *args, **more)
    assert done.returncode == code, f"{done.returncode}: {done.stdout}{done.stderr}"
    assert not gw.SANITIZER.search(done.stderr), done.stderr
    return done.stdout if code == 0 else done.stderr


def sound(database):
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("conversation", "message", "run", "file")}


def contents(database):
    """The digests that the rows name, and whether each is there and is what its name says."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        names = {row[0].hex() for row in db.execute("SELECT sha256 FROM file")}
    found = {p.name for p in database.with_name(database.name + ".files").rglob("*") if p.is_file()}
    for name in found:
        path = database.with_name(database.name + ".files") / name[:2] / name[2:4] / name
        assert hashlib.sha256(path.read_bytes()).hexdigest() == name
    return names, found


def traces(target):
    return sorted(p.name for p in target.parent.iterdir() if p.name.startswith(target.name))


def open_copy(start, target):
    """A gateway on the copy, as after an accident."""
    return start(args=["--database", target])


def fill(database, mebibytes):
    """Rows of nobody, so that copying takes a while."""
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.executemany(
            "INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, body) "
            "VALUES (?,1,0,1,0,1,0,?)",
            ((n, '{"x":"' + "y" * 16000 + '"}') for n in range(1, mebibytes * 64 + 1)))
        db.commit()


@contextlib.contextmanager
def writing(gateway, work, threads=2):
    """work(client, n) again and again from threads, until the end; what it returned is yielded."""
    done, failed, stop = [], [], threading.Event()

    def go():
        try:
            with Client(gateway.url) as client:
                while not stop.is_set():
                    done.append(work(client, len(done)))
        except BaseException as error:
            failed.append(error)

    workers = [threading.Thread(target=go) for _ in range(threads)]
    for worker in workers:
        worker.start()
    try:
        wait_until(lambda: len(done) >= 5 or failed, "the first writes")
        yield done
    finally:
        stop.set()
        for worker in workers:
            worker.join()
    assert not failed, failed


def turn(client, n):
    return client.chat(f"turn {n}").ok().json["conversation"]


# --- backup ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("serving", [True, False], ids=["serving", "stopped"])
def test_a_copy_opens_as_what_it_was(start, tmp_path, serving):
    gateway, target = start(), tmp_path / "copy.db"
    with Client(gateway.url) as client:
        conversation = client.chat("one").ok().json["conversation"]
        client.chat("two", conversation=conversation).ok()
        file = upload(client, b"content" * 1000, "a.bin").ok().json
        if serving:
            said = command("backup", gateway.database, target)
            client.chat("three", conversation=conversation).ok()
            client.request("DELETE", f"/v1/files/{file['id']}").ok()
    if not serving:
        gateway.stop()
        said = command("backup", gateway.database, target)
        assert traces(gateway.database) == [gateway.database.name, gateway.database.name + ".files",
                                            gateway.database.name + ".lock",
                                            gateway.database.name + ".search"], "nothing else is left"
    assert "1 conversations, 4 messages, 1 files" in said and str(target) in said
    assert traces(target) == ["copy.db", "copy.db.files"]
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.with_name("copy.db.files").stat().st_mode & 0o777 == 0o700
    assert sound(target)["conversation"] == 1
    copy = open_copy(start, target)
    with Client(copy.url) as client:
        assert [item_text(i) for i in client.items(conversation)["data"]] == \
            ["one", "one", "two", "two"]
        assert client.get(f"/v1/files/{file['id']}/content").ok().body == b"content" * 1000
        client.chat("after", conversation=conversation).ok()
        client.request("DELETE", f"/v1/files/{file['id']}").ok()
        upload(client, b"more").ok()


def test_a_copy_under_writes_ends_and_lacks_nothing(start, tmp_path):
    gateway, target = start(), tmp_path / "copy.db"
    with writing(gateway, turn) as done:
        for n in range(3):
            before = list(done)
            command("backup", gateway.database, tmp_path / f"copy{n}.db")
            with contextlib.closing(sqlite3.connect(tmp_path / f"copy{n}.db")) as db:
                stored = {row[0] for row in db.execute("SELECT id FROM conversation")}
            assert {int(c[5:21], 16) for c in before} <= stored, "what was acknowledged before"
            wait_until(lambda: len(done) > len(before) + 5, "writes go on")
    assert sound(tmp_path / "copy0.db")["conversation"] < sound(tmp_path / "copy2.db")["conversation"]
    command("backup", gateway.database, target)
    copy = open_copy(start, target)
    with Client(copy.url) as client:
        for conversation in done[-20:]:
            assert len(client.items(conversation)["data"]) == 2


def test_a_run_that_goes_on_is_incomplete_in_the_copy(start, script, tmp_path):
    gateway, gate = start(usual={}), up.Gate()
    s = script(up.sse(), up.role(), up.text("so far"), up.wait(gate), up.text(" rest"), *up.ending())
    with Client(gateway.url) as client, client.chat_stream("go", model=s.model) as stream:
        stream.until_text("so far")
        run = stream.headers["x-run-id"]
        wait_until(lambda: any(b.data and b"so far" in b.raw for b in seen(client, run)), "the log")
        command("backup", gateway.database, tmp_path / "copy.db")
        gate.open()
        assert stream.native().text == "so far rest"
    copy = open_copy(start, tmp_path / "copy.db")
    with Client(copy.url) as client:
        assert client.run(run)["status"] == "incomplete"
        blocks = seen(client, run)
        assert any(b"so far" in b.raw for b in blocks) and blocks[-1].event == "error"


def seen(client, run):
    """What of a run's stream is there at once."""
    found = []
    with events(client, run) as blocks:
        for block in blocks:
            if block.is_comment:
                break
            found.append(block)
            if b"so far" in block.raw and client.run(run)["status"] == "running":
                break
    return found


def test_files_that_come_and_go_are_whole_in_every_copy(start, tmp_path):
    gateway = start()
    with Client(gateway.url) as client:
        for n in range(20):
            upload(client, b"stays %d" % n).ok()

    def churn(client, n):
        file = upload(client, b"%d of %d" % (n, threading.get_ident())).ok().json
        client.request("DELETE", f"/v1/files/{file['id']}").ok()

    with writing(gateway, churn):
        for n in range(4):
            done = gw.run("backup", "--database", gateway.database, tmp_path / f"c{n}.db")
            assert done.returncode == 0, done.stderr
            names, found = contents(tmp_path / f"c{n}.db")
            assert len(names) >= 20 and found <= names, "nothing that was deleted"
            # four tries were in vain: said, and told how many
            lost = f"contents of {len(names - found)} uploaded files" if names - found else ""
            assert (lost in done.stderr) if lost else not done.stderr


def test_a_content_that_is_lost_is_told(start, tmp_path):
    gateway = start()
    with Client(gateway.url) as client:
        upload(client, b"lost").ok()
        upload(client, b"kept").ok()
    gateway.stop()
    place(gateway, b"lost").unlink()
    done = gw.run("backup", "--database", gateway.database, tmp_path / "copy.db")
    assert done.returncode == 0 and "contents of 1 uploaded files are missing" in done.stderr
    names, found = contents(tmp_path / "copy.db")
    assert len(names) == 2 and found == {hashlib.sha256(b"kept").hexdigest()}


def test_files_are_linked_where_that_can_be_and_copied_where_not(start, tmp_path):
    gateway = start()
    with Client(gateway.url) as client:
        upload(client, b"z" * 600_000).ok()
    command("backup", gateway.database, tmp_path / "near.db")
    original = place(gateway, b"z" * 600_000)
    name = original.relative_to(folder(gateway))
    assert (tmp_path / "near.db.files" / name).stat().st_ino == original.stat().st_ino
    here = os.stat(tmp_path).st_dev
    other = next((d for d in ("/dev/shm", "/tmp", "/var/tmp") if os.path.isdir(d) and os.stat(d).st_dev != here), None)
    if not other:
        pytest.skip("there is no second file system")
    far = tmp_path / "far"
    far.symlink_to(os.path.join(other, f"parley-test-{os.getpid()}"))
    os.mkdir(os.readlink(far))
    try:
        command("backup", gateway.database, far / "copy.db")
        copied = far / "copy.db.files" / name
        assert copied.read_bytes() == b"z" * 600_000 and copied.stat().st_mode & 0o777 == 0o600
        assert traces(far / "copy.db") == ["copy.db", "copy.db.files"]
    finally:
        shutil.rmtree(os.readlink(far))


@pytest.fixture
def made(tmp_path):
    """A database with one row that counts, and no gateway."""
    database = tmp_path / "parley.db"
    command("migrate", database)
    fill(database, 1)
    return database


@pytest.mark.parametrize("target, code, word", [
    ("parley.db", EX_CANTCREAT, "is there already"),
    ("exists.db", EX_CANTCREAT, "is there already"),
    ("dangling", EX_CANTCREAT, "is there already"),
    ("directory", EX_CANTCREAT, "is there already"),
    ("directory/", EX_CANTCREAT, "Is a directory"),
    ("", EX_CANTCREAT, "Is a directory"),
    ("no/such/copy.db", EX_CANTCREAT, "there is no folder no/such; make it first"),
    ("exists.db/copy.db", EX_CANTCREAT, "Not a directory"),
    ("x" * 300, EX_CANTCREAT, "File name too long"),
    ("y/" * 3000 + "x", EX_CANTCREAT, "File name too long"),
    ("parley.db-wal", EX_CANTCREAT, "belongs to the database"),
    ("parley.db.files", EX_CANTCREAT, "belongs to the database"),
    ("stale.db", EX_CANTCREAT, "taken for a part of the copy"),
    ("filed.db", EX_CANTCREAT, "filed.db.files is there already"),
    ("link/exists.db", EX_CANTCREAT, "is there already"),
])
def test_a_copy_overwrites_nothing(made, target, code, word):
    here = made.parent
    (here / "exists.db").write_bytes(b"precious")
    (here / "dangling").symlink_to("nowhere")
    (here / "directory").mkdir()
    (here / "link").symlink_to(".")
    (here / "stale.db-wal").write_bytes(b"old")
    (here / "filed.db.files").mkdir()
    (here / "filed.db.files" / "mine").write_bytes(b"mine")
    before = sorted(p.name for p in here.iterdir())
    assert word in command("backup", made, target, code=code, cwd=here)
    assert sorted(p.name for p in here.iterdir()) == before
    assert (here / "exists.db").read_bytes() == b"precious"
    assert (here / "filed.db.files" / "mine").read_bytes() == b"mine"
    sound(made)


@pytest.mark.parametrize("name", ["backup", "vacuum"])
@pytest.mark.parametrize("database, code, word", [
    ("missing.db", EX_NOINPUT, "there is no database"),
    (".", EX_DATAERR, "no regular file"),
    ("text.db", EX_DATAERR, "not a database"),
    ("empty.db", EX_DATAERR, "nothing in it"),
    ("theirs.db", EX_DATAERR, "another program"),
    ("newer.db", EX_DATAERR, "newer version"),
])
def test_what_is_no_database_of_ours_is_refused(tmp_path, name, database, code, word):
    (tmp_path / "text.db").write_bytes(b"no database at all\n" * 2000)
    (tmp_path / "empty.db").touch()
    with contextlib.closing(sqlite3.connect(tmp_path / "theirs.db")) as db:
        db.execute("CREATE TABLE theirs (a)")
    command("migrate", tmp_path / "newer.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "newer.db")) as db:
        db.execute("INSERT INTO schema_migration SELECT max(number) + 1, 'next', 'x', 0 "
                   "FROM schema_migration")
        db.commit()
    before = {p: p.read_bytes() for p in tmp_path.iterdir() if p.suffix == ".db"}
    args = ["copy.db"] if name == "backup" else []
    assert word in command(name, database, *args, code=code, cwd=tmp_path)
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(("copy", "missing"))]
    assert before == {p: p.read_bytes() for p in before}, "they are left as they were"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
@pytest.mark.parametrize("name, args", [("backup", ["copy.db"]), ("vacuum", [])])
def test_a_file_that_may_not_be_read_is_refused(made, name, args):
    made.chmod(0)
    assert "Permission denied" in command(name, made, *args, code=EX_NOINPUT, cwd=made.parent)


@pytest.mark.parametrize("name, args, word", [
    ("backup", [], "usage: parley backup FILE"),
    ("backup", ["a", "b"], "unexpected argument 'b'"),
    ("vacuum", ["a"], "unexpected argument 'a'"),
])
def test_wrong_arguments_are_refused(made, name, args, word):
    assert word in command(name, made, *args, code=EX_USAGE, cwd=made.parent)


def test_a_damaged_database_is_not_copied(made, tmp_path):
    with made.open("r+b") as file:
        for page in range(30, 60):
            file.seek(page * PAGE)
            file.write(b"\x5a" * PAGE)
    assert command("backup", made, tmp_path / "copy.db", code=EX_DATAERR)
    assert traces(tmp_path / "copy.db") == []


def small_disk(limit):
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))}


def test_a_full_disk_leaves_no_half_copy(made, tmp_path):
    fill_size = made.stat().st_size
    said = command("backup", made, tmp_path / "copy.db", code=EX_IOERR, **small_disk(fill_size // 2))
    assert "full" in said or "I/O" in said
    assert traces(tmp_path / "copy.db") == []


def test_an_older_database_is_copied_before_it_is_migrated(tmp_path):
    database = tmp_path / "old.db"
    old = (gw.PROJECT / "migrations/0001_core.sql").read_text()
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.executescript(
            "PRAGMA application_id = 1349676153; CREATE TABLE schema_migration (number INTEGER "
            "PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_ms INTEGER NOT NULL)"
            " STRICT;" + old)
        db.execute("INSERT INTO schema_migration VALUES (1, '0001_core', ?, 0)",
                   [hashlib.sha256(old.encode()).hexdigest()])
        db.commit()
    assert "0 messages, 0 files" in command("backup", database, tmp_path / "copy.db")
    assert " migrations applied" in command("migrate", tmp_path / "copy.db")


def test_two_at_once_do_not_meet(made, tmp_path):
    target = tmp_path / "copy.db"
    partial = tmp_path / "copy.db.partial"
    partial.mkdir()
    held = os.open(partial, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert "another backup" in command("backup", made, target, code=EX_TEMPFAIL)
    assert partial.exists()
    os.close(held)
    command("backup", made, target)
    assert traces(target) == ["copy.db"], "what the dead one left is gone"


def until_end(process):
    code = process.wait(LONG)
    process.stdout.close()
    return code


def begin(name, database, *args):
    return subprocess.Popen([str(gw.BINARY), name, "--database", database, *args],
                            env=gw.environment(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def duration(name, database, *args):
    start = time.monotonic()
    process = begin(name, database, *args)
    said = process.stdout.read()
    assert until_end(process) == 0, said
    return time.monotonic() - start


def after_a_while(process, seconds):
    """Waits for a moment that chance has picked, or for the end."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


@pytest.mark.long
def test_killed_backups_leave_no_copy_and_do_no_harm(start, tmp_path):
    gateway = start()
    with Client(gateway.url) as client:
        for n in range(30):
            upload(client, b"content %d" % n).ok()
    fill(gateway.database, 12)
    usual = duration("backup", gateway.database, tmp_path / "first.db")
    chance, target, killed = random.Random(4), tmp_path / "copy.db", 0
    for _ in range(20):
        process = begin("backup", gateway.database, target)
        began = time.monotonic()
        after_a_while(process, chance.uniform(0, usual))
        process.kill()
        if until_end(process) == 0:  # the machine is less busy now than it was
            usual = min(usual, time.monotonic() - began)
        if target.exists():  # it was quicker: then it is whole
            sound(target)
            names, found = contents(target)
            assert names == found
            target.unlink()
            for path in on_disk_of(target):
                path.unlink()
            remove_empty(target.with_name("copy.db.files"))
            partial = target.with_name("copy.db.partial")
            if partial.exists():
                partial.rmdir()
        else:
            killed += 1
    assert killed >= 5, "most were killed on their way"
    command("backup", gateway.database, target)
    assert traces(target) == ["copy.db", "copy.db.files"]
    names, found = contents(target)
    assert names == found and len(names) == 30
    with Client(gateway.url) as client:
        client.chat("still there").ok()
    gateway.stop()
    sound(gateway.database)


def on_disk_of(target):
    return [p for p in target.with_name(target.name + ".files").rglob("*") if p.is_file()]


def remove_empty(path):
    for below in sorted(path.rglob("*"), reverse=True):
        below.rmdir()
    if path.exists():
        path.rmdir()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_backup_cleans_up(start, tmp_path, number):
    gateway, target = start(), tmp_path / "copy.db"
    fill(gateway.database, 60)
    process = begin("backup", gateway.database, target)
    wait_until(lambda: (tmp_path / "copy.db.partial" / "db").exists() or
               process.poll() is not None, "it begins")
    process.send_signal(number)
    said = process.stdout.read()
    code = until_end(process)
    assert (code, traces(target)) in ((-number, []), (0, ["copy.db"])), said
    assert not gw.SANITIZER.search(said.decode())


# --- vacuum ---------------------------------------------------------------------------------------


def numbers(database):
    with contextlib.closing(sqlite3.connect(database)) as db:
        return [db.execute(f"PRAGMA {p}").fetchone()[0]
                for p in ("page_count", "freelist_count", "auto_vacuum")]


def make_room(database):
    """Frees the pages of most rows that fill() made, here and there."""
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.execute("DELETE FROM message WHERE conversation = 1 AND id % 4 > 0")
        db.commit()


def test_a_stopped_database_is_written_anew(start):
    gateway = start()
    with Client(gateway.url) as client:
        conversation = client.chat("one").ok().json["conversation"]
    gateway.stop()
    fill(gateway.database, 8)
    make_room(gateway.database)
    pages, free, _ = numbers(gateway.database)
    size = gateway.database.stat().st_size
    assert free > 100
    said = command("vacuum", gateway.database)
    now, left, mode = numbers(gateway.database)
    assert now <= pages - free and left == 0 and mode == 2
    assert gateway.database.stat().st_size == now * PAGE < size
    assert f"{pages} pages" in said and f"{now} pages" in said and "serves" not in said
    assert gateway.database.name + "-wal" not in traces(gateway.database)
    sound(gateway.database)
    gateway.start()
    with Client(gateway.url) as client:
        assert [item_text(i) for i in client.items(conversation)["data"]] == ["one", "one"]


def test_beside_a_gateway_pages_are_given_back_while_it_writes(start):
    gateway = start()
    fill(gateway.database, 24)
    make_room(gateway.database)
    pages, free, _ = numbers(gateway.database)
    with writing(gateway, turn) as done:
        before = len(done)
        said = command("vacuum", gateway.database)
        wait_until(lambda: len(done) > before, "writes go on")
    assert "A gateway serves it" in said
    with Client(gateway.url) as client:
        for conversation in done[::10]:
            assert len(client.items(conversation)["data"]) == 2
    gateway.stop()
    now, left, _ = numbers(gateway.database)
    assert now < pages - free // 2 and left < free // 10
    assert gateway.database.stat().st_size == now * PAGE
    sound(gateway.database)


def test_a_file_without_auto_vacuum_gets_it_when_nobody_serves(start, tmp_path):
    gateway = start()
    with Client(gateway.url) as client:
        conversation = client.chat("one").ok().json["conversation"]
    gateway.stop()
    with contextlib.closing(sqlite3.connect(gateway.database, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA auto_vacuum = NONE")
        db.execute("VACUUM")
    assert numbers(gateway.database)[2] == 0
    gateway.start()
    assert "while none does" in command("vacuum", gateway.database, code=EX_TEMPFAIL)
    gateway.stop()
    command("vacuum", gateway.database)
    assert numbers(gateway.database)[2] == 2
    gateway.start()
    with Client(gateway.url) as client:
        assert len(client.items(conversation)["data"]) == 2


def test_contents_without_a_row_go_and_nothing_else(start):
    gateway = start()
    with Client(gateway.url) as client:
        upload(client, b"kept").ok()
    stray = hashlib.sha256(b"stray").hexdigest()
    path = folder(gateway) / stray[:2] / stray[2:4] / stray
    path.parent.mkdir(parents=True)
    path.write_bytes(b"stray")
    other = folder(gateway) / "README"
    other.write_bytes(b"somebody put this here")
    assert "contents of" not in command("vacuum", gateway.database)
    assert path.exists(), "a gateway may be about to give it a row"
    gateway.stop()
    assert "1 contents of files" in command("vacuum", gateway.database)
    assert on_disk(gateway) == sorted([other, place(gateway, b"kept")])
    gateway.start()
    with Client(gateway.url) as client:
        upload(client, b"stray").ok()


def test_a_vacuum_on_a_full_disk_changes_nothing(made):
    make_room(made)
    before = numbers(made)
    said = command("vacuum", made, code=EX_IOERR, **small_disk(100_000))
    assert "full" in said or "I/O" in said
    assert numbers(made) == before
    sound(made)
    command("vacuum", made)


def test_a_vacuum_waits_for_nobody_for_ever(made):
    with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        assert "locked" in command("vacuum", made, code=EX_TEMPFAIL)
        db.execute("ROLLBACK")
    sound(made)


@pytest.mark.long
@pytest.mark.parametrize("serving", [True, False], ids=["serving", "stopped"])
def test_killed_vacuums_leave_the_database_whole(start, serving):
    gateway = start()
    with Client(gateway.url) as client:
        conversation = client.chat("one").ok().json["conversation"]
    if not serving:
        gateway.stop()
    chance, usual = random.Random(7), None
    for n in range(20):
        if n % 5 == 0:
            fill_again(gateway.database)
            usual = usual or duration("vacuum", gateway.database)
            fill_again(gateway.database)
        process = begin("vacuum", gateway.database)
        after_a_while(process, chance.uniform(0, usual))
        process.kill()
        until_end(process)
        assert sound(gateway.database)["conversation"] == 1
    command("vacuum", gateway.database)
    if not serving:
        gateway.start()
    with Client(gateway.url) as client:
        client.chat("two", conversation=conversation).ok()
        assert len(client.items(conversation)["data"]) == 4


def fill_again(database):
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.execute("DELETE FROM message WHERE conversation = 1")
        db.commit()
    fill(database, 6)
    make_room(database)


# --- as it is documented --------------------------------------------------------------------------


def test_the_documented_commands_work(start, tmp_path):
    page = (gw.PROJECT / "docs/operations.md").read_text()
    shown = dict(re.findall(r"^<!-- run (\w+) -->\n```sh\n(.*?)^```", page, re.M | re.S))
    assert list(shown) == ["backup", "restore", "vacuum"]
    line = re.search(r"^```text\n(copy\.db: .*)\n```", page, re.M)[1]
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "parley").symlink_to(gw.BINARY)
    gateway = start(config={"database": "parley.db"})

    def shell(name):
        env = gw.environment({"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
        done = subprocess.run(["sh", "-eu", "-c", shown[name]], cwd=gateway.folder, env=env,
                              text=True, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LONG)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    with Client(gateway.url) as client:
        conversation = client.chat("one").ok().json["conversation"]
        file = upload(client, b"content").ok().json["id"]
        said = shell("backup").strip()
        figure = re.compile(r"[\d.]+")
        assert figure.sub("0", said) == figure.sub("0", line)
        client.chat("two", conversation=conversation).ok()
        client.request("DELETE", f"/v1/files/{file}").ok()
        assert "A gateway serves it" in shell("vacuum")
    gateway.stop()
    shell("restore")
    gateway.start()
    with Client(gateway.url) as client:
        assert len(client.items(conversation)["data"]) == 2
        assert client.get(f"/v1/files/{file}/content").ok().body == b"content"
    gateway.stop()
    assert "serves" not in shell("vacuum")
