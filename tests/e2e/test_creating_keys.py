"""Idempotency-Key where something is made without a call: conversations, items, files."""

import sqlite3
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import upstream as up
from client import Client
from gateway import CANARY
from test_archive import JSONL
from test_archive import text as archive_text
from test_files import END, FORM, form, on_disk, part
from waiting import wait_until

WORD = "Quetzalcoatlus"
NOBODY = "conv_" + "0" * 15 + "1" * 17
USED = (422, "idempotency_key_reused", "Idempotency-Key", "invalid_request_error")


def of_kind(kind, gateway):
    with Client(gateway.url) as client:
        client.post("/v1/conversations").ok()  # the contract is read by one thread
        return kind(client)


def new_key():
    return str(uuid.uuid4())


def said(text):
    return {"type": "message", "role": "user", "content": text}


def replayed(reply):
    return reply.headers.get("idempotency-replayed") == "true"


class Conversations:
    path = "/v1/conversations"
    table = "conversation"

    def __init__(self, client):
        pass

    def ask(self, client, key, text="one"):
        return client.post(self.path, {"metadata": {"m": text}, "title": text,
                                       "items": [said(text)]}, headers={"Idempotency-Key": key})

    def remove(self, client, made):
        client.request("DELETE", f"/v1/conversations/{made['id']}").ok()


class Items:
    table = "message"

    def __init__(self, client):
        self.conversation = client.post("/v1/conversations").ok().json["id"]
        self.path = f"/v1/conversations/{self.conversation}/items"

    def ask(self, client, key, text="one"):
        return client.post(self.path, {"items": [said(text)]}, headers={"Idempotency-Key": key})

    def remove(self, client, made):
        client.request("DELETE", f"/v1/conversations/{self.conversation}").ok()


class Forks:
    table = "conversation"

    def __init__(self, client):
        self.conversation = client.post("/v1/conversations", {"items": [said("one")]}).ok().json["id"]
        self.path = f"/v1/conversations/{self.conversation}/fork"

    def ask(self, client, key, text="one"):
        return client.post(self.path, {"title": text}, headers={"Idempotency-Key": key})

    def remove(self, client, made):
        client.request("DELETE", f"/v1/conversations/{made['id']}").ok()


class Files:
    path = "/v1/files"
    table = "file"

    def __init__(self, client):
        pass

    def ask(self, client, key, text="one"):
        return client.post(self.path, form(text.encode()),
                           headers={**FORM, "Idempotency-Key": key})

    def remove(self, client, made):
        client.request("DELETE", f"/v1/files/{made['id']}").ok()


class Imports:
    path = "/v1/conversations/import"
    table = "conversation"

    def __init__(self, client):
        pass

    def ask(self, client, key, text="one"):
        return client.post(self.path, archive_text(*archive(text)),
                           headers={**JSONL, "Idempotency-Key": key})


def archive(text):
    """A conversation whose ids are in use the second time."""
    one, two = "conv_" + "0" * 15 + "2" * 17, "msg_" + "0" * 15 + "3" * 17
    return [{"type": "conversation", "version": 1, "id": one, "created_at_ms": 5, "tip": two},
            {"type": "message", "id": two, "created_at_ms": 5,
             "message": {"role": "user", "content": text}}]


KINDS = [Conversations, Items, Forks, Files]


def rows(gateway, table):
    with sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as db:
        return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


@pytest.fixture
def gateway(start):
    return start(usual={})


@pytest.fixture
def own(gateway):
    with Client(gateway.url) as client:
        yield client


@pytest.mark.parametrize("kind", [*KINDS, Imports])
def test_made_once_across_restarts(gateway, kind):
    key = new_key()
    with Client(gateway.url) as client:
        k = kind(client)
        first = k.ask(client, key).ok()
        again = k.ask(client, f'"{key}"').ok()
        assert not replayed(first) and replayed(again)
        other = k.ask(client, new_key()).ok()
        assert not replayed(other) and other.body != first.body
    for end in (gateway.restart, lambda: (gateway.kill(), gateway.start())):
        end()
        with Client(gateway.url) as client:
            again = k.ask(client, key).ok()
            assert replayed(again) and again.body == first.body
            assert again.headers.get("etag") == first.headers.get("etag")
            assert again.headers["x-request-id"] != first.headers["x-request-id"]
    assert rows(gateway, k.table) == 2 + (kind is Forks)


@pytest.mark.parametrize("kind", KINDS)
def test_many_at_once_make_one(gateway, kind):
    key, ready = new_key(), threading.Barrier(50)
    k = of_kind(kind, gateway)
    before = rows(gateway, k.table)

    def one(_):
        with Client(gateway.url) as client:
            ready.wait()
            return k.ask(client, key).ok()
    with ThreadPoolExecutor(50) as pool:
        replies = list(pool.map(one, range(50)))
    assert len({r.body for r in replies}) == 1
    assert sum(not replayed(r) for r in replies) == 1
    assert rows(gateway, k.table) == before + 1
    if kind is Files:
        assert len(on_disk(gateway)) == 1


def test_imports_at_once_are_one(gateway, own):
    key, k = new_key(), Imports(own)
    own.post("/v1/conversations").ok()

    def one(_):
        with Client(gateway.url) as client:
            return wait_until(lambda: (r := k.ask(client, key)).status != 503 and r, "an answer").ok()
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(one, range(8)))
    assert len({r.body for r in replies}) == 1
    assert sum(not replayed(r) for r in replies) == 1
    assert rows(gateway, "conversation") == 2
    made = replies[0].json["conversations"][0]["id"]
    own.request("DELETE", f"/v1/conversations/{made}").ok()
    again = k.ask(own, key).ok()
    assert replayed(again) and again.body == replies[0].body
    assert rows(gateway, "conversation") == 1
    broken = archive_text({**archive("x")[0], "tip": 7})
    head = {**JSONL, "Idempotency-Key": (key := new_key())}
    own.post(k.path, broken, headers=head).error(400)
    assert not replayed(k.ask(own, key).ok())


@pytest.mark.parametrize("kind", [*KINDS, Imports])
def test_another_request_is_refused(gateway, own, kind):
    key, k = new_key(), kind(own)
    k.ask(own, key).ok()
    k.ask(own, key, text="two").error(*USED)
    other = Files(own) if kind is not Files else Conversations(own)
    other.ask(own, key).error(*USED)
    own.post("/v1/chat", {"messages": ["hi"]}, headers={"Idempotency-Key": key}).error(*USED)
    assert replayed(k.ask(own, key).ok())
    assert len(on_disk(gateway)) == (kind is Files)


@pytest.mark.parametrize("kind", [*KINDS, Imports])
@pytest.mark.parametrize("key", ["", "a b", '""', "k" * 256, "\xe4"])
def test_bad_keys(client, kind, key):
    kind(client).ask(client, key.encode("latin-1")).error(400, "invalid_value", "Idempotency-Key")


def test_refusals_leave_the_key_free(own):
    key = new_key()
    head = {"Idempotency-Key": key}
    own.post("/v1/conversations", {"metadata": 1}, headers=head).error(400)
    own.post("/v1/conversations", b"{", headers=head).error(400)
    own.post(f"/v1/conversations/{NOBODY}/items", {"items": [said("x")]}, headers=head).error(404)
    own.post("/v1/files", part("purpose", b"batch") + END, headers={**FORM, **head}).error(400)
    own.post("/v1/files", form(purpose="nonsense"), headers={**FORM, **head}).error(400)
    c = Conversations(own).ask(own, key).ok()
    assert not replayed(c)
    items, key = f"/v1/conversations/{c.json['id']}/items", new_key()
    stale = {"Idempotency-Key": key, "If-Match": '"7"'}
    own.post(items, {"items": [said("x")]}, headers=stale).error(412)
    fresh = {"Idempotency-Key": key, "If-Match": c.headers["etag"]}
    first = own.post(items, {"items": [said("x")]}, headers=fresh).ok()
    # The second try says what the first one said: the revision from before it.
    again = own.post(items, {"items": [said("x")]}, headers=fresh).ok()
    assert replayed(again) and again.body == first.body and not replayed(first)


def test_while_a_run_goes_on_the_key_stays_free(own, script):
    gate, key = up.Gate(), new_key()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), *up.ending())
    with own.chat_stream("hi", model=s.model) as stream:
        stream.until_text("one ")
        path = f"/v1/conversations/{stream.headers['x-conversation-id']}/items"
        body, head = {"items": [said("x")]}, {"Idempotency-Key": key}
        own.post(path, body, headers=head).error(409, "conversation_busy")
        gate.open()
        list(stream)
    assert not replayed(own.post(path, body, headers=head).ok())


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_deleted_is_not_made_again(gateway, kind):
    key = new_key()
    with Client(gateway.url) as client:
        k = kind(client)
        made = k.ask(client, key).ok().json
        k.remove(client, made)
    before = rows(gateway, k.table)
    for _ in range(2):
        with Client(gateway.url) as client:
            k.ask(client, key).error(410, "gone")
        gateway.restart()
    assert rows(gateway, k.table) == before
    with Client(gateway.url) as client:
        k.ask(client, key, text="two").error(*USED)
    assert not on_disk(gateway)


@pytest.mark.parametrize("kind", [Conversations, Files])
@pytest.mark.sqlite
def test_killed_while_things_are_made(gateway, kind):
    """Whatever a client saw before the kill it sees again, and each key has made one thing."""
    seen, keys = {}, [new_key() for _ in range(40)]

    def ask(key):
        try:
            with Client(gateway.url) as client:
                reply = k.ask(client, key, text=key).ok()
        except httpx.TransportError:
            return  # killed
        assert seen.setdefault(key, reply.body) == reply.body
    k = of_kind(kind, gateway)
    before = rows(gateway, k.table)
    for n in range(4):
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(ask, key) for key in keys]
            wait_until(lambda n=n: len(seen) >= 8 * (n + 1) or all(a.done() for a in asked),
                       "some answers")
            gateway.kill()
            for one in asked:
                one.result()
        gateway.start()
    for key in keys:
        ask(key)
    assert len(seen) == len(set(seen.values())) == len(keys)
    assert rows(gateway, k.table) == before + len(keys)
    with sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    if kind is Files:
        assert len(on_disk(gateway)) == len(keys)


def files_of(gateway):
    return b"".join(p.read_bytes() for p in gateway.database.parent.glob("*.db*") if p.is_file())


def test_nothing_that_was_deleted_is_left_in_an_answer(gateway):
    with Client(gateway.url) as client:
        k = Items(client)
        keys = [new_key() for _ in range(3)]
        made = [k.ask(client, key, text=f"{WORD} {n}").ok().json for n, key in enumerate(keys)]
        asked = client.post("/v1/chat", {"messages": [WORD], "conversation": k.conversation},
                            headers={"Idempotency-Key": (key := new_key())}).ok()
        one = made[0]["data"][0]["id"]
        client.request("DELETE", f"{k.path}/{one}").ok()
        k.ask(client, keys[0], text=f"{WORD} 0").error(410, "gone")
        assert replayed(k.ask(client, keys[1], text=f"{WORD} 1").ok())
        client.request("DELETE", f"{k.path}/{asked.json['message_id']}").ok()
        again = client.post("/v1/chat", {"messages": [WORD], "conversation": k.conversation},
                            headers={"Idempotency-Key": key})
        again.error(410, "gone")
        client.request("DELETE", f"/v1/conversations/{k.conversation}").ok()
    gateway.stop()
    assert WORD.encode() not in files_of(gateway)


def test_keys_belong_to_their_owners(start):
    keys = [f"pk-{CANARY}-one", f"pk-{CANARY}-two"]
    gateway = start(usual={"api_keys": [{"env": f"KEY_{n}"} for n in "ab"]},
                    env={f"KEY_{n}": k for n, k in zip("ab", keys)})
    key = new_key()
    for kind in (Conversations, Files):
        replies = []
        for owner in keys * 2:
            with Client(gateway.url, headers={"Authorization": f"Bearer {owner}"}) as client:
                replies.append(kind(client).ask(client, f"{key}-{kind.table}").ok())
        assert [replayed(r) for r in replies] == [False, False, True, True]
        assert replies[0].body == replies[2].body != replies[1].body


def test_they_expire(start):
    gateway = start(usual={"idempotency_keep": "1s"})
    key = new_key()
    with Client(gateway.url) as client:
        k = Conversations(client)
        first = k.ask(client, key).ok()
        wait_until(lambda: rows(gateway, "idempotency") == 0, "the key's end", 60)
        again = k.ask(client, key).ok()
    assert not replayed(again) and again.json["id"] != first.json["id"]


def test_an_upload_is_what_its_form_says(own):
    """The boundary and the order of the fields do not matter; content, name, type and purpose do."""
    key = new_key()
    first = own.post("/v1/files", form(b"x"), headers={**FORM, "Idempotency-Key": key}).ok()
    turned = part("file", b"x", "a.txt", "text/plain") + part("purpose", b"user_data") + END
    other = {"Content-Type": "multipart/form-data; boundary=other"}
    again = own.post("/v1/files", turned.replace(b"x-boundary-7", b"other"),
                     headers={**other, "Idempotency-Key": key}).ok()
    assert replayed(again) and again.body == first.body
    for differs in ({"content": b"y"}, {"filename": "b.txt"}, {"type": "text/html"},
                    {"purpose": "batch"}):
        own.post("/v1/files", form(**{"content": b"x", **differs}),
                 headers={**FORM, "Idempotency-Key": key}).error(*USED)


def test_what_creates_nothing_takes_no_notice_of_a_key(own):
    head = {"Idempotency-Key": new_key()}
    c = Conversations(own).ask(own, new_key()).ok().json
    run = own.post("/v1/chat", {"messages": ["hi"]}).ok().headers["x-run-id"]
    for _ in range(2):
        for path, body in ((f"/v1/conversations/{c['id']}", {"title": "new"}),
                           (f"/v1/runs/{run}/cancel", None)):
            assert not replayed(own.post(path, body, headers=head).ok())
    for _ in range(2):
        assert not replayed(own.post(f"/v1/runs/{run}/ticket", headers=head).ok())
