"""What is acknowledged is kept: kill -9 at any moment, full, locked, read-only and broken files."""

import json
import os
import random
import resource
import sqlite3
import threading

import pytest

import upstream as up
from client import Client, item_text
from gateway import ENGINE
from raw import Raw, post
from waiting import DEADLINE, wait_until


def check_integrity(gateway, tmp_path):
    if ENGINE != "sqlite":
        return None
    copy = gateway.copy_database(tmp_path / "copy.db")
    with sqlite3.connect(copy) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    return copy


def texts(client, conversation):
    return [item_text(i) for i in client.items(conversation)["data"]]


# --- kill -9 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_the_users_message_is_durable_before_the_provider_is_called(start, script, stream):
    gateway = start(usual={})
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("part"), up.wait(gate)) if stream else \
        script(up.wait(gate))
    with Client(gateway.url) as client:
        first = client.chat("one").ok().json
    with Raw(gateway) as raw:
        raw.send(post("/v1/chat", json.dumps({
            "messages": ["two"], "stream": stream, "config": {"model": s.model},
            "conversation": first["conversation"]}).encode()))
        gate.wait_reached()
        run = raw.read_head().headers["x-run-id"] if stream else None
        gateway.kill()
    gateway.start()
    with Client(gateway.url) as client:
        got = texts(client, first["conversation"])
        assert got[:3] == ["one", "one", "two"], "the question survived"
        if run:
            value = client.run(run)
            assert value["status"] == "incomplete" and value["completed_at"]
        client.chat("three", conversation=first["conversation"]).ok()


@pytest.mark.parametrize("durability", ["relaxed", "strict"])
@pytest.mark.parametrize("route", ["/v1/chat", "/v1/chat/completions"])
def test_an_answer_is_durable_before_its_end_is_seen(start, script, durability, route):
    gateway = start(usual={"durability": durability})
    s = script(up.either("kept for ever"))
    for stream in (True, False):
        body = {"messages": [{"role": "user", "content": "q"}], "stream": stream, "store": True}
        body |= {"config": {"model": s.model}} if route == "/v1/chat" else {"model": s.model}
        with Raw(gateway) as raw:
            raw.send(post(route, json.dumps(body).encode()))
            head = raw.read_head()
            seen = b""
            for piece in raw.pieces(head):
                seen += piece
                if b"data: [DONE]" in seen:
                    break
            gateway.kill()
        assert head.status == 200, seen
        gateway.start()
        with Client(gateway.url) as client:
            run = client.run(head.headers["x-run-id"])
            assert run["status"] == "completed" and run["finish_reason"] == "stop"
            assert run["usage"]
            got = texts(client, head.headers["x-conversation-id"])
            assert [t.strip() for t in got] == ["q", "kept for ever"]


class Load(threading.Thread):
    """Asks until the gateway is killed; keeps what was acknowledged."""

    def __init__(self, gateway, number, stop):
        super().__init__()
        self.url, self.number, self.stop = gateway.url, number, stop
        self.acknowledged = []  # (run, conversation, text): the end was seen
        self.begun = []  # runs whose head was seen
        self.problem = None

    def run(self):
        random_ = random.Random(self.number)
        import httpx
        with Client(self.url) as client:
            count = 0
            while not self.stop.is_set():
                count += 1
                text = f"turn {self.number} {count} " + "w " * random_.randint(0, 50)
                try:
                    self.turn(client, random_.randint(0, 3), text)
                except (httpx.TransportError, AssertionError) as error:
                    if not self.stop.is_set() and isinstance(error, AssertionError):
                        self.problem = error
                    return

    def turn(self, client, kind, text):
        message = [{"role": "user", "content": text}]
        if kind == 0:
            reply = client.chat(text)
        elif kind == 1:
            reply = client.complete("echo", message, store=True)
        else:
            call = client.chat_stream(text) if kind == 2 else \
                client.complete_stream("echo", message, store=True)
            with call as stream:
                ids = stream.headers["x-run-id"], stream.headers["x-conversation-id"]
                self.begun.append(ids[0])
                for block in stream:
                    if block.data == "[DONE]":
                        self.acknowledged.append((*ids, text))
            return
        if reply.status == 200:
            self.acknowledged.append((reply.headers["x-run-id"],
                                      reply.headers["x-conversation-id"], text))


@pytest.mark.long
def test_random_kills_lose_nothing_that_was_acknowledged(start, tmp_path):
    gateway = start()
    random_ = random.Random(7)
    everything = []
    for _ in range(20):
        stop = threading.Event()
        loads = [Load(gateway, random_.randint(0, 1 << 30), stop) for _ in range(4)]
        for load in loads:
            load.start()
        wanted = random_.randint(1, 60)
        wait_until(lambda: sum(len(x.acknowledged) for x in loads) >= wanted
                   or any(x.problem for x in loads), f"{wanted} acknowledged turns")
        stop.set()
        gateway.kill()
        for load in loads:
            load.join(DEADLINE)
            assert load.problem is None, load.problem
        gateway.start()
        with Client(gateway.url) as client:
            acknowledged = [a for load in loads for a in load.acknowledged]
            for run, conversation, text in acknowledged:
                assert client.run(run)["status"] == "completed"
                assert texts(client, conversation) == [text, text]
            ended = {run for run, _, _ in acknowledged}
            for run in {r for load in loads for r in load.begun} - ended:
                assert client.run(run)["status"] in ("completed", "incomplete")
            everything += acknowledged
    with Client(gateway.url) as client:
        for run, conversation, text in random_.sample(everything, min(50, len(everything))):
            assert client.run(run)["status"] == "completed"
            assert texts(client, conversation) == [text, text]
    gateway.stop()
    check_integrity(gateway, tmp_path)


@pytest.mark.sqlite
def test_kills_while_starting_do_no_harm(start, tmp_path):
    gateway = start(ready=False)
    for _ in range(5):
        gateway.launch()
        wait_until(lambda: gateway.database.exists(), "the database file")
        gateway.kill()
    gateway.start()
    with Client(gateway.url) as client:
        client.chat("hi").ok()
    gateway.stop()
    check_integrity(gateway, tmp_path)


def test_everything_is_there_after_a_clean_restart(start):
    gateway = start()
    with Client(gateway.url) as client:
        value = client.chat("hello", metadata={"a": "b"}).ok().json
    gateway.restart()
    with Client(gateway.url) as client:
        assert texts(client, value["conversation"]) == ["hello", "hello"]
        assert client.get(f"/v1/conversations/{value['conversation']}").json["metadata"] == {
            "a": "b"}
        client.chat("again", conversation=value["conversation"]).ok()


@pytest.mark.sqlite
def test_the_file_is_private_and_set_up_before_its_first_table(start):
    gateway = start()
    assert gateway.database.stat().st_mode & 0o077 == 0
    gateway.stop()
    with sqlite3.connect(gateway.database) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA auto_vacuum").fetchone() == (2,), "INCREMENTAL"
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.sqlite
def test_a_turn_that_is_not_stored_is_not_in_the_file(start):
    gateway = start()
    with Client(gateway.url) as client:
        client.chat("unforgettable-1").ok()
        client.chat("forgettable-2", store=False).ok()
        client.complete("echo", [{"role": "user", "content": "forgettable-3"}]).ok()
        with client.chat_stream("forgettable-4", store=False) as stream:
            stream.native()
    gateway.stop()
    content = b"".join(p.read_bytes() for p in gateway.folder.iterdir() if ".db" in p.name)
    assert b"unforgettable-1" in content
    for n in (b"2", b"3", b"4"):
        assert b" forgettable-" + n not in content and b'"forgettable-' + n not in content


# --- a store that fails ---------------------------------------------------------------------------


def refuses(gateway, *words):
    """It refuses to start and says why, naming the file."""
    code, said = gateway.fails_to_start()
    assert gateway.database.name in said, said
    for word in words:
        assert word in said.lower(), said
    return code


@pytest.mark.sqlite
def test_a_file_that_is_no_database_is_refused(start):
    gateway = start(ready=False)
    gateway.database.write_bytes(b"this is no database at all, sorry" * 400)
    before = gateway.database.read_bytes()
    refuses(gateway, "not a database")
    assert gateway.database.read_bytes() == before, "it is left as it was"


@pytest.mark.sqlite
def test_a_newer_schema_is_refused(start):
    gateway = start()
    gateway.stop()
    with sqlite3.connect(gateway.database) as db:
        tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        table = next(t for t in tables if "migration" in t)
        columns = [r[1] for r in db.execute(f"PRAGMA table_info({table})")]
        row = dict(zip(columns, db.execute(
            f"SELECT * FROM {table} ORDER BY 1 DESC LIMIT 1").fetchone()))
        number = next(c for c in columns if isinstance(row[c], int))
        row[number] += 1000
        row = {k: (v + "x" if isinstance(v, str) else v) for k, v in row.items()}
        db.execute(f"INSERT INTO {table} ({','.join(columns)}) VALUES "
                   f"({','.join('?' * len(columns))})", [row[c] for c in columns])
    refuses(gateway)
    gateway.process = None


def test_a_folder_that_is_not_there_is_refused(start):
    gateway = start(args=["--database", "/nowhere/at/all/x.db"], ready=False)
    _, said = gateway.fails_to_start()
    assert "/nowhere/at/all/x.db" in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.sqlite
def test_a_read_only_file_is_refused(start):
    gateway = start()
    gateway.stop()
    gateway.database.chmod(0o400)
    refuses(gateway)


def readiness(client):
    return client.get("/readyz").status


@pytest.mark.sqlite
def test_a_locked_database_is_an_error_and_then_works_again(start):
    gateway = start()
    with Client(gateway.url) as client:
        client.http.timeout = 60
        conversation = client.chat("one").ok().json["conversation"]
        lock = sqlite3.connect(gateway.database, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        try:
            client.chat("two", conversation=conversation).error(503, "storage_unavailable")
            client.chat("kept nowhere", store=False).ok()
            assert readiness(client) == 503
            assert client.get("/livez").status == 200
        finally:
            lock.execute("ROLLBACK")
            lock.close()
        wait_until(lambda: client.chat("three", conversation=conversation).status == 200,
                   "writes to work again")
        wait_until(lambda: readiness(client) == 200, "readiness")
        assert texts(client, conversation) == ["one", "one", "three", "three"]


@pytest.mark.sqlite
def test_a_full_disk_is_an_error_and_half_writes_nothing(start, tmp_path):
    """The largest allowed file stands for the disk; a write beyond it fails as on a full one."""
    gateway = start(restore_signals=False)  # SIGXFSZ stays ignored
    big = "x" * 300_000
    with Client(gateway.url) as client:
        conversation = client.chat("one").ok().json["conversation"]
        wal = gateway.database.with_name(gateway.database.name + "-wal")
        pid = gateway.process.pid
        size = max(gateway.database.stat().st_size, wal.stat().st_size) + 100_000
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        reply = client.chat(big, conversation=conversation)
        reply.error(503, "storage_unavailable")
        assert readiness(client) == 503
        with client.chat_stream(big, conversation=conversation) as stream:
            stream.reply().error(503, "storage_unavailable")
        assert texts(client, conversation) == ["one", "one"], "reading still works"
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        wait_until(lambda: client.chat("two", conversation=conversation).status == 200,
                   "writes to work again")
        wait_until(lambda: readiness(client) == 200, "readiness")
        assert texts(client, conversation) == ["one", "one", "two", "two"]
    gateway.stop()
    check_integrity(gateway, tmp_path)


@pytest.mark.sqlite
def test_an_answer_that_cannot_be_stored_is_no_success(start, tmp_path, script):
    """The disk fills while the provider speaks: what the client sees is not a good end."""
    gateway = start(usual={}, restore_signals=False)
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("x"), up.wait(gate), up.text("y" * 300_000),
               *up.ending())
    with Client(gateway.url) as client:
        with client.chat_stream("q", model=s.model) as stream:
            stream.until_text("x")
            wal = gateway.database.with_name(gateway.database.name + "-wal")
            size = max(gateway.database.stat().st_size, wal.stat().st_size)
            resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE,
                             (size + 8192, resource.RLIM_INFINITY))
            gate.open()
            answer = stream.native()
        assert answer.error and answer.error["code"] == "storage_unavailable"
        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE,
                         (resource.RLIM_INFINITY,) * 2)
        assert client.run(stream.headers["x-run-id"])["status"] != "completed"
    gateway.stop()
    check_integrity(gateway, tmp_path)


def test_a_second_gateway_on_the_same_port_is_refused(start):
    first = start()
    second = start(listen=f"127.0.0.1:{first.port}", ready=False)
    code, said = second.fails_to_start()
    assert str(first.port) in said, said
