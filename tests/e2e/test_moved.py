"""The database's files removed, replaced or moved under a running gateway: nothing is acknowledged into nothing."""

import copy
import os
import re
import shutil
import threading
import time
from pathlib import Path

import pytest

import upstream as up
from client import Client
from gateway import ENGINE
from test_store import check_integrity, readiness, texts
from waiting import soonest, wait_until

pytestmark = pytest.mark.skipif(ENGINE != "sqlite", reason="moves the file of an SQLite database")

REASON = "its database was removed, moved or replaced while it was in use"


def beside(gateway, end):
    return Path(str(gateway.database) + end)


def remove(end):
    return lambda gateway: beside(gateway, end).unlink()


def rename_over(gateway):
    other = beside(gateway, ".other")
    shutil.copy(gateway.database, other)
    os.replace(other, gateway.database)


def move_folder(gateway):
    # a file too many would say that the lock is the matter; all of it goes
    os.rename(gateway.folder, str(gateway.folder) + ".away")


WAYS = {"unlinked": remove(""), "renamed over": rename_over, "folder moved": move_folder,
        "log removed": remove("-wal"), "index of the log removed": remove("-shm")}


def noticed(client):
    wait_until(lambda: readiness(client) == 503, "readiness")


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_acknowledged_once_the_file_is_gone(start, way):
    gateway = start()
    with Client(gateway.url) as client:
        first = client.chat("one").ok().json
        WAYS[way](gateway)
        # Not even the first write behind it, which comes before anybody looks.
        reply = client.chat("two")
        assert "was removed, moved or replaced" in \
            reply.error(503, "storage_unavailable")["message"]
        assert int(reply.headers["retry-after"]) >= 1
        assert client.get("/readyz").ok(503).json["checks"] == {
            "store": "not writable", "reason": REASON, "draining": False}
        assert client.get("/livez").ok()
        with client.chat_stream("two") as stream:
            stream.reply().error(503, "storage_unavailable")
        client.post("/v1/conversations", {}).error(503, "storage_unavailable")
        upload = client.http.post("/v1/files", files={"file": ("a.txt", b"text")},
                                  data={"purpose": "user_data"})
        assert upload.status_code == 503 and upload.json()["error"]["code"] == "storage_unavailable"
        # What it still holds open would be shown as if it were kept.
        for path in (f"/v1/conversations/{first['conversation']}", "/v1/runs", "/v1/files",
                     f"/v1/conversations/{first['conversation']}/items", "/v1/search?q=one"):
            client.get(path).error(503, "storage_unavailable")
        # What nothing is kept of goes on.
        assert client.chat("three", store=False).ok()
        with client.chat_stream("three", store=False) as stream:
            assert not stream.native().error
        assert client.complete("echo", [{"role": "user", "content": "three"}]).ok()
        assert "parley_db_writable 0" in client.get("/metrics").ok().body.decode()
    gateway.wait_log(r'"event":"storage_failed".*(removed|moved|replaced)')
    assert "".join(gateway.lines).count("storage_failed") == 1, "once"


def test_it_is_noticed_within_a_second_though_nobody_writes(start):
    gateway = start()
    away = beside(gateway, ".away")

    def took():
        with Client(gateway.url) as client:
            wait_until(lambda: readiness(client) == 200, "readiness")
            gateway.database.rename(away)
            began = time.monotonic()
            noticed(client)
            seconds = time.monotonic() - began
            away.rename(gateway.database)
            return seconds
    soonest(took, 1)


@pytest.mark.parametrize("what", ["", "-wal", "-shm", "folder"])
def test_put_back_it_works_again_with_all_that_was_acknowledged(start, tmp_path, what):
    gateway = start()
    path = gateway.folder if what == "folder" else beside(gateway, what)
    with Client(gateway.url) as client:
        conversation = client.chat("one").ok().json["conversation"]
        path.rename(str(path) + ".away")
        client.chat("two", conversation=conversation).error(503, "storage_unavailable")
        # A reader may have refused it: the writer is to have met it too before the file is back.
        gateway.wait_log("storage_failed")
        Path(str(path) + ".away").rename(path)
        wait_until(lambda: readiness(client) == 200, "readiness")
        assert texts(client, conversation) == ["one", "one"]
        client.chat("three", conversation=conversation).ok()
        assert texts(client, conversation) == ["one", "one", "three", "three"]
    gateway.wait_log("storage_recovered")
    gateway.restart()
    with Client(gateway.url) as client:
        assert texts(client, conversation) == ["one", "one", "three", "three"]
    gateway.stop()
    check_integrity(gateway, tmp_path)


def test_an_end_that_came_meanwhile_is_no_success_and_is_kept_later(start, script):
    gateway = start(usual={})
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("part "), up.wait(gate), up.text("two"), *up.ending())
    away = beside(gateway, ".away")
    with Client(gateway.url) as client:
        with client.chat_stream("q", model=s.model) as stream:
            stream.until_text("part ")
            gateway.database.rename(away)
            gate.open()
            assert stream.native().error["code"] == "storage_unavailable"
        away.rename(gateway.database)
        wait_until(lambda: readiness(client) == 200, "readiness")
        run = client.run(stream.headers["x-run-id"])
        assert run["status"] in ("incomplete", "failed") and run["completed_at"]


def test_a_lost_log_is_saved_by_a_clean_stop(start, tmp_path):
    """As docs/operations.md says: the process still has it, and copies it back."""
    gateway = start()
    with Client(gateway.url) as client:
        conversation = client.chat("one").ok().json["conversation"]
        beside(gateway, "-wal").unlink()
        noticed(client)
    gateway.restart()
    with Client(gateway.url) as client:
        assert texts(client, conversation) == ["one", "one"]
        client.chat("two", conversation=conversation).ok()
    gateway.stop()
    check_integrity(gateway, tmp_path)


def target(link):
    """Where a descriptor leads; nowhere, where it is closed meanwhile, as a connection's may be."""
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return ""


def test_a_removed_database_is_saved_from_the_open_files(start, tmp_path):
    """As docs/operations.md says: nothing writes any more, so copies of the open files are whole."""
    gateway = start()
    saved = tmp_path / "saved.db"
    with Client(gateway.url) as client:
        conversation = client.chat("one").ok().json["conversation"]
        for end in ("", "-wal", "-shm"):
            beside(gateway, end).unlink()
        noticed(client)
    for link in Path(f"/proc/{gateway.process.pid}/fd").iterdir():
        found = re.fullmatch(r".*/parley\.db(-wal)? \(deleted\)", target(link))
        if found:
            shutil.copyfile(link, f"{saved}{found[1] or ''}")
    gateway.kill()
    saved.rename(gateway.database)
    Path(f"{saved}-wal").rename(beside(gateway, "-wal"))
    gateway.start()
    with Client(gateway.url) as client:
        assert texts(client, conversation) == ["one", "one"]
    gateway.stop()
    check_integrity(gateway, tmp_path)


def test_what_was_put_in_its_place_is_left_alone(start, tmp_path):
    gateway = start()
    ends = ("", "-wal", "-shm")
    with Client(gateway.url) as client:
        client.chat("one").ok()
        for end in ends:
            beside(gateway, end).rename(tmp_path / f"before.db{end}")
            beside(gateway, end).write_bytes(b"another's" + end.encode())
        noticed(client)
    gateway.stop()
    for end in ends:
        assert beside(gateway, end).read_bytes() == b"another's" + end.encode()
        beside(gateway, end).unlink()
    # A stop has put all into the moved file.
    (tmp_path / "before.db").rename(gateway.database)
    gateway.start()
    with Client(gateway.url) as client:
        assert len(client.get("/v1/conversations").ok().json["data"]) == 1


def taking_over(gateway):
    """A process that would take over from this one is refused; what it said."""
    other = copy.copy(gateway)
    other.args, other.lines = [*gateway.args, "--takeover"], []
    return other.fails_to_start()


def test_nobody_takes_over_a_database_that_is_gone(start):
    gateway = start()
    other = beside(gateway, ".other")
    with Client(gateway.url) as client:
        client.chat("one").ok()
        shutil.copy(gateway.database, other)
        gateway.database.unlink()
        code, said = taking_over(gateway)
        assert code == 75 and "in use by another process" in said, said
        assert not gateway.database.exists(), "no new, empty one either"
        other.rename(gateway.database)
        code, said = taking_over(gateway)
        assert "removed, moved or replaced" in said, (code, said)
        assert readiness(client) == 503
