"""Titles of conversations are found: as rows of their own, as soon as they are set, never when they are gone."""

import sqlite3

import pytest

import keys
from client import Client
from waiting import wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]


def found(client, q, **query):
    """The hits, once the index has all that was stored before; a busy machine may need more than one search."""
    def page():
        one = client.get("/v1/search?q=" + q + "".join(f"&{k}={v}" for k, v in query.items())).ok().json
        return one if one["complete"] else None
    return wait_until(page, "a complete search")["data"]


def titles(client, q, **query):
    return [h["conversation"] for h in found(client, q, **query) if h["kind"] == "title"]


def make(client, title):
    return client.post("/v1/conversations", {"title": title}).ok().json["id"]


def rename(client, conversation, title):
    client.post(f"/v1/conversations/{conversation}", {"title": title}).ok()


@pytest.fixture
def client(start):
    with Client(start().url) as c:
        yield c


def test_a_title_is_a_hit_of_its_own(client):
    c = make(client, "The tea pot of porcelain")
    hit, = found(client, "porcelain")
    assert hit == {**hit, "object": "search.result", "kind": "title", "conversation": c,
                   "title": "The tea pot of porcelain", "message_id": None, "role": None,
                   "snippet": "The tea pot of porcelain"}
    assert [s["text"] for s in hit["segments"] if s["match"]] == ["porcelain"]
    assert hit["score"] > 0 and hit["created_at"] > 1.7e9
    for q in ('"tea pot"', "porc*", "TEA", "tea%20-cup"):
        assert titles(client, q) == [c], q
    assert titles(client, "tea%20-pot") == []


def test_both_kinds_one_kind_and_roles(client):
    turn = client.chat("zebra crossing").ok().json
    c = turn["conversation"]
    rename(client, c, "About a zebra")
    hits = found(client, "zebra")
    assert sorted(h["kind"] for h in hits) == ["message", "message", "title"]
    assert {h["title"] for h in hits} == {"About a zebra"}
    assert titles(client, "zebra", kind="title") == [c]
    assert [h["kind"] for h in found(client, "zebra", kind="message")] == ["message"] * 2
    assert [h["role"] for h in found(client, "zebra", role="user")] == ["user"]
    assert titles(client, "zebra", conversation=c) == [c]
    other = make(client, "zebra too")
    assert titles(client, "zebra", conversation=c, kind="title") == [c]
    assert set(titles(client, "zebra", kind="title")) == {c, other}
    for query in ("kind=other", "kind=title&role=user"):
        client.get("/v1/search?q=zebra&" + query).error(400, "invalid_value", "kind")
    client.get("/v1/search?q=zebra&role=title").error(400, "invalid_value", "role")


def test_a_conversation_without_a_title_is_called_by_its_first_words(client):
    """As in the list of conversations; the first words are no title that is found."""
    c = client.chat("Why is the quokka so friendly?").ok().json["conversation"]
    client.chat("And the wombat?", conversation=c).ok()

    def named():
        listed, = (row["title"] for row in client.get("/v1/conversations").ok().json["data"] if row["id"] == c)
        return listed, {h["title"] for h in found(client, "wombat")}
    assert named() == ("Why is the quokka so friendly?", {"Why is the quokka so friendly?"})
    assert titles(client, "quokka") == []
    rename(client, c, "Marsupials")
    assert named() == ("Marsupials", {"Marsupials"})
    rename(client, c, "")
    assert named() == ("Why is the quokka so friendly?", {"Why is the quokka so friendly?"})
    nothing_said = client.post("/v1/conversations", {"items": [{"role": "assistant", "content": "A numbat"}]})
    assert nothing_said.ok() and [h["title"] for h in found(client, "numbat")] == [None]


def test_pages_have_titles_once(client):
    made = {make(client, f"walrus number {i}") for i in range(23)}
    client.chat("walrus").ok()
    seen, after = [], ""
    while True:
        page = client.get(f"/v1/search?q=walrus&limit=5{after}").ok().json
        seen += page["data"]
        if not page["has_more"]:
            break
        after = "&after=" + page["next"]
    assert len(seen) == 25 and {h["conversation"] for h in seen if h["kind"] == "title"} == made


def test_a_changed_title_and_a_deleted_conversation(client):
    c = make(client, "first name")
    assert titles(client, "first") == [c]
    for i in range(5):
        rename(client, c, f"second{i} name")
        assert titles(client, "first") == [] and titles(client, f"second{i}") == [c]
        rename(client, c, "first name")
        assert titles(client, f"second{i}") == [] and titles(client, "first") == [c]
    client.post(f"/v1/conversations/{c}", {"metadata": {"topic": "none"}}).ok()
    assert titles(client, "first") == [c]
    rename(client, c, "")
    assert titles(client, "first") == []
    rename(client, c, "last name")
    assert titles(client, "last") == [c]
    client.request("DELETE", f"/v1/conversations/{c}").ok()
    assert titles(client, "last") == [] and titles(client, "name") == []


def test_an_imported_and_a_forked_one(client):
    turn = client.chat("hello").ok().json["conversation"]
    rename(client, turn, "original okapi")
    archive = client.get(f"/v1/conversations/{turn}/export").ok().body
    fork = client.post(f"/v1/conversations/{turn}/fork", {"title": "forked okapi"})
    fork = fork.ok().json["id"]
    assert set(titles(client, "okapi")) == {turn, fork}
    client.request("DELETE", f"/v1/conversations/{turn}").ok()
    assert titles(client, "original") == []
    client.request("POST", "/v1/conversations/import", archive,
                   headers={"Content-Type": "application/x-ndjson"}).ok()
    assert len(titles(client, "original")) == 1


def test_a_new_index_has_them_and_one_s_own_alone(start):
    """Also those that were there before there was an index of titles, or none at all."""
    gateway = start(args=ADMIN)
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin"))
    a, b = (keys.known(gateway, keys.make(gateway)) for _ in range(2))
    with Client(gateway.url, keys.bearer(a["key"])) as client:
        mine = [make(client, f"gnu {i}") for i in range(50)]
        client.chat("hello gnu").ok()
    gateway.stop()
    for file in gateway.folder.glob("*.search*"):
        file.unlink()
    with sqlite3.connect(gateway.database) as db:
        db.execute("DELETE FROM search_queue")
    db.close()
    gateway.start()
    with Client(gateway.url, keys.bearer(a["key"])) as client:
        wait_until(lambda: client.get("/v1/search?q=gnu").json.get("complete"), "the new index")
        assert len(found(client, "gnu", limit=50, kind="title")) == 50
        assert set(titles(client, "gnu", limit=50, kind="title")) == set(mine)
    with Client(gateway.url, keys.bearer(b["key"])) as client:
        assert found(client, "gnu") == []
    assert root
