"""The rows of the list of conversations: titles, origins, pins, and what their turns have written."""

import pytest

from client import Client
from fixtures import usual_config
from gateway import Gateway


@pytest.fixture
def gateway(upstream, tmp_path):
    gateway = Gateway(tmp_path, usual_config(upstream), env={"TEST_UPSTREAM_KEY": "k"})
    gateway.start()
    yield gateway
    gateway.stop()


def first(client, query=""):
    return client.get(f"/v1/conversations?limit=1{query}").ok().json["data"][0]


def test_a_turn_writes_the_row(gateway):
    with Client(gateway.url) as client:
        said = client.chat("How far is it to the moon, and how long would a train take?").ok().json
        row = first(client)
        assert row["id"] == said["conversation"]
        assert row["title"] == "How far is it to the moon, and how long would a train take?"
        assert (row["title_source"], row["origin"], row["pinned"]) == ("words", "api", False)
        assert (row["message_count"], row["model"], row["cost"]) == (2, "echo", None)
        assert row["excerpt"] == "How far is it to the moon, and how long would a train take?"
        assert row["updated_at"] >= row["created_at"]
        client.chat("And back?", conversation=row["id"]).ok()
        row = first(client)
        assert (row["message_count"], row["excerpt"]) == (4, "And back?")
        assert row["title"].startswith("How far")
        one = client.get(f"/v1/conversations/{row['id']}").ok().json
        assert "excerpt" not in one and one["title"] == row["title"]


def test_a_title_that_a_user_gives_takes_the_place_of_the_words(gateway):
    with Client(gateway.url) as client:
        at = f"/v1/conversations/{client.chat('hello').ok().json['conversation']}"
        named = client.post(at, {"title": "A name"}).ok().json
        assert (named["title"], named["title_source"]) == ("A name", "user")
        named = client.post(at, {"title": ""}).ok().json
        assert (named["title"], named["title_source"]) == ("hello", "words")


def test_pinned_conversations_are_a_list(gateway):
    with Client(gateway.url) as client:
        one, two = (client.chat(text).ok().json["conversation"] for text in ("one", "two"))
        tag = client.get(f"/v1/conversations/{one}").ok().headers["etag"]
        done = client.post(f"/v1/conversations/{one}", {"pinned": True}).ok()
        assert done.json["pinned"] and done.json["title"] == "one" and done.headers["etag"] != tag
        pinned = client.get("/v1/conversations?pinned=true").ok().json["data"]
        assert [c["id"] for c in pinned] == [one]
        client.post(f"/v1/conversations/{one}", {"title": "still pinned"}).ok()
        assert client.get("/v1/conversations?pinned=true").ok().json["data"][0]["pinned"]
        client.post(f"/v1/conversations/{one}", {"pinned": False}).ok()
        assert client.get("/v1/conversations?pinned=true").ok().json["data"] == []
        assert [c["id"] for c in client.get("/v1/conversations").ok().json["data"]] == [two, one]


def test_the_console_s_conversations_are_a_list_of_their_own(gateway):
    """In a gateway without keys, a page of the gateway is the console."""
    with Client(gateway.url) as client:
        page = {"Origin": gateway.url, "Sec-Fetch-Site": "same-origin"}
        asked = {"config": {"model": "echo"}, "messages": [{"role": "user", "content": "from the page"}]}
        talk = [client.request("POST", "/v1/chat", asked, headers=page).ok().json["conversation"]
                for _ in range(3)]
        made = client.request("POST", "/v1/conversations", {}, headers=page).ok().json
        assert made["origin"] == "console"
        other = client.chat("from a program").ok().json["conversation"]
        foreign = client.request("POST", "/v1/conversations", {"title": "x"}).ok().json
        assert foreign["origin"] == "api"

        def ids(query):
            return [c["id"] for c in client.get(f"/v1/conversations?{query}").ok().json["data"]]

        assert ids("origin=api") == [foreign["id"], other]
        assert ids("origin=console") == [made["id"], *talk[::-1]]
        client.request("POST", "/v1/chat", {**asked, "conversation": talk[0]}, headers=page).ok()
        recent = ids("origin=console&sort=recent")
        assert recent == [talk[0], made["id"], talk[2], talk[1]]
        assert ids(f"origin=console&sort=recent&limit=2&after={recent[1]}") == recent[2:]
        assert len(ids("")) == 6 and ids("") == ids("order=desc")
        assert ids("order=asc") == ids("")[::-1]


@pytest.mark.parametrize("query, path", [
    ("origin=me", "origin"), ("pinned=false", "pinned"), ("sort=title", "sort"), ("sort=recent", "sort"),
    ("sort=recent&origin=api", "sort"), ("origin=api&pinned=true", "pinned"),
    ("origin=api&metadata[a]=b", "metadata"),
])
def test_lists_without_an_index_are_refused(gateway, query, path):
    with Client(gateway.url) as client:
        error = client.get(f"/v1/conversations?{query}").error(400, "invalid_value")
        assert error["param"] == path


def test_removed_content_is_in_no_row(gateway):
    with Client(gateway.url) as client:
        talk = client.chat("secret words").ok().json["conversation"]
        for item in client.items(talk)["data"]:
            client.request("DELETE", f"/v1/conversations/{talk}/items/{item['id']}").ok()
        row = first(client)
        assert "secret" not in str(row) and row["message_count"] == 0
