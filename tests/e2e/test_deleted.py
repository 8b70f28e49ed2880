"""What was deleted is gone from the files of the database, too, while the gateway goes on."""

import contextlib
import random
import sqlite3

import pytest

from client import Client
from gateway import ENGINE
from waiting import wait_until

pytestmark = pytest.mark.skipif(ENGINE != "sqlite", reason="the files of a server are its own business")
SOON = 60  # as docs/operations.md says


def rare():
    return "".join(random.choice("bcdfghjklmnpqrstvwxz") for _ in range(20))


def holders(gateway, words):
    """The files that have a word; the index leaves out what a word begins with if the one before it does, too."""
    found = set()
    for file in gateway.database.parent.glob(gateway.database.name + "*"):
        held = file.read_bytes().lower() if file.is_file() else b""
        found |= {file.name for word in words if word[5:].encode() in held}
    return found


def indexed(client, words):
    return [client.get(f"/v1/search?q={word}").ok().json["data"] for word in words]


def talk(client, text, **more):
    return client.post("/v1/chat", {"messages": [text], "config": {"model": "echo"}, **more}).ok().json["conversation"]


@pytest.fixture
def others(start):
    gateway = start()
    with Client(gateway.url) as client:
        for _ in range(40):
            talk(client, " ".join(rare() for _ in range(20)))
        yield gateway, client


def assert_gone(gateway, words):
    wait_until(lambda: not holders(gateway, words), "the files forget what was deleted", deadline=SOON)


def test_a_deleted_conversation_is_in_no_file(others):
    gateway, client = others
    words = [rare() for _ in range(6)]
    first = talk(client, f"{words[0]} {words[1]}", instruction=f"be {words[2]}", metadata={"of": words[3]})
    body = {"messages": [words[4]], "conversation": first, "stream": True, "config": {"model": "echo"}}
    with client.stream("/v1/chat", body, headers={"idempotency-key": "k"}) as stream:
        list(stream)
    client.post(f"/v1/conversations/{first}", {"title": f"on {words[5]}"}).ok()
    wait_until(lambda: all(indexed(client, [words[0], words[4], words[5]])), "they are in the index")
    assert gateway.database.name + ".search" in {n.removesuffix("-wal") for n in holders(gateway, words[:1])}
    client.request("DELETE", f"/v1/conversations/{first}").ok()
    talk(client, "and it goes on")
    assert_gone(gateway, words)
    gateway.stop()
    assert not holders(gateway, words)


def test_a_deleted_item_is_in_no_file(others):
    gateway, client = others
    gone, stays = rare(), rare()
    conversation = talk(client, f"{gone} one")
    talk(client, f"{stays} two", conversation=conversation)
    item = next(i for i in client.items(conversation)["data"] if gone in str(i) and i["role"] == "user")
    answer = next(i for i in client.items(conversation)["data"] if gone in str(i) and i["role"] == "assistant")
    wait_until(lambda: all(indexed(client, [gone, stays])), "they are in the index")
    for i in (item, answer):
        client.request("DELETE", f"/v1/conversations/{conversation}/items/{i['id']}").ok()
    assert_gone(gateway, [gone])
    assert holders(gateway, [stays]) and indexed(client, [stays])[0] and not indexed(client, [gone])[0]


def test_a_start_removes_what_a_kill_left(others):
    gateway, client = others
    word = rare()
    conversation = talk(client, word)
    wait_until(lambda: indexed(client, [word])[0], "it is in the index")
    client.request("DELETE", f"/v1/conversations/{conversation}").ok()
    gateway.kill()
    assert holders(gateway, [word])
    gateway.start()
    assert_gone(gateway, [word])


@pytest.mark.parametrize("known", [False, True])
def test_a_start_removes_what_another_process_left_in_the_queue(others, known):
    """The log is empty then; and the index may know the removal, which a kill has kept from the queue."""
    gateway, client = others
    word = rare()
    gateway.stop()
    with contextlib.closing(sqlite3.connect(gateway.database)) as db, db:
        seq = db.execute("INSERT INTO search_queue (kind, id, text) VALUES (4, 1, ?)", (word,)).lastrowid
    if known:
        with contextlib.closing(sqlite3.connect(f"{gateway.database}.search")) as db, db:
            db.execute("UPDATE state SET seq = ?", (seq,))
    assert holders(gateway, [word]) == {gateway.database.name}
    gateway.start()
    assert_gone(gateway, [word])


def test_a_long_reader_delays_nobody(others):
    """An answer that is being read holds the log for a moment only, and writes go on meanwhile."""
    gateway, client = others
    word = rare()
    conversation = talk(client, word)
    client.request("DELETE", f"/v1/conversations/{conversation}").ok()
    while holders(gateway, [word]):
        talk(client, "meanwhile")
        client.get("/v1/conversations?limit=20").ok()
    assert '"storage_failed"' not in "".join(gateway.lines)
