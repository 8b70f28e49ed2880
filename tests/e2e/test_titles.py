"""Titles that a model makes, with the option title_model: the program's own calls, for the key of the conversation."""

import json

import pytest

import keys
from client import Client
from fixtures import usual_config
from gateway import Gateway
from waiting import wait_until


@pytest.fixture
def start(upstream, tmp_path):
    made = []

    def make(title_model):
        gateway = Gateway(tmp_path, usual_config(upstream, title_model=title_model),
                          env={"TEST_UPSTREAM_KEY": "k"})
        made.append(gateway)
        gateway.start()
        return gateway

    yield make
    for gateway in made:
        gateway.stop()


def title_of(client, conversation):
    c = client.get(f"/v1/conversations/{conversation}").ok().json
    return c["title"], c["title_source"]


def calls(gateway):
    """The log lines of calls that the program has made itself."""
    found = [json.loads(line) for line in "".join(gateway.lines).splitlines() if line.startswith("{")]
    return [line for line in found if line.get("purpose") == "title"]


def test_the_first_turn_gets_a_title_by_the_model(start):
    gateway = start("echo")  # which repeats what it is asked for: what was said
    with Client(gateway.url) as client:
        talk = client.chat("How far is it?").ok().json["conversation"]
        wait_until(lambda: title_of(client, talk) == ("User: How far is it?", "model"), "the title")
        wait_until(lambda: len(calls(gateway)) == 1, "the log line")
        line = calls(gateway)[0]
        assert line["model"] == "echo" and line["tokens_in"] > 0 and "How far" not in str(line)
        client.chat("And back?", conversation=talk).ok()
        with client.chat_stream("streamed") as stream:
            assert stream.status == 200
            list(stream)
        wait_until(lambda: len(calls(gateway)) == 2, "one call for each conversation")
        row = client.get("/v1/conversations?limit=2").ok().json["data"]
        wait_until(lambda: title_of(client, row[0]["id"])[1] == "model", "the title of a stream")
        assert title_of(client, talk) == ("User: How far is it?", "model")
        assert len(client.get("/v1/search?q=streamed&kind=title").ok().json["data"]) == 1


def test_a_title_by_the_model_takes_no_precondition_away(start):
    gateway = start("echo")
    with Client(gateway.url) as client:
        made = client.post("/v1/conversations").ok()
        path = f"/v1/conversations/{made.json['id']}"

        def asked(method, tag, body=None, header="If-Match"):
            return client.request(method, path, body, headers={header: tag})

        client.chat("How far is it?", conversation=made.json["id"]).ok()
        wait_until(lambda: title_of(client, made.json["id"])[1] == "model", "the title")
        titled = client.get(path).headers["etag"]
        before = titled.replace(".t", "")  # what a client has read just before the title came
        assert before != titled and before != made.headers["etag"]
        assert asked("GET", before, header="If-None-Match").ok().json["title_source"] == "model"
        assert asked("GET", titled, header="If-None-Match").ok(304).headers["etag"] == titled
        asked("GET", before).ok()
        asked("GET", made.headers["etag"]).error(412, "precondition_failed")
        changed = asked("POST", before, {"metadata": {"a": "b"}}).ok()
        assert changed.json["title_source"] == "model" and changed.headers["etag"] == client.get(path).headers["etag"]
        asked("POST", titled, {"metadata": {}}).error(412, "precondition_failed")
        mine = asked("POST", changed.headers["etag"], {"title": "Mine"}).ok()
        assert mine.headers["etag"].strip('"').isdigit()
        asked("DELETE", mine.headers["etag"]).ok()


def test_a_user_s_title_needs_no_model(start):
    gateway = start("echo")
    with Client(gateway.url) as client:
        talk = client.post("/v1/conversations", {"title": "Mine"}).ok().json["id"]
        client.chat("hello", conversation=talk).ok()
        later = client.post("/v1/conversations").ok().json["id"]
        client.chat("hello again", conversation=later).ok()
        wait_until(lambda: title_of(client, later)[1] == "model", "the title of an empty conversation")
        assert title_of(client, talk) == ("Mine", "user")
        wait_until(lambda: len(calls(gateway)) == 1, "the log line of the call")


def test_a_failure_leaves_the_words(start):
    gateway = start("dead/x")
    with Client(gateway.url) as client:
        talk = client.chat("hello").ok().json["conversation"]
        wait_until(lambda: len(calls(gateway)) == 1, "the call")
        assert calls(gateway)[0]["error_code"]
        assert title_of(client, talk) == ("hello", "words")


def test_its_tokens_are_the_key_s(start):
    gateway = start("echo")
    key = keys.known(gateway, keys.make(gateway))
    with Client(gateway.url, headers=keys.bearer(key["key"])) as client:
        talk = client.chat("hello").ok().json["conversation"]
        wait_until(lambda: title_of(client, talk)[1] == "model", "the title")
        wait_until(lambda: calls(gateway), "the log line")
        assert calls(gateway)[0]["key_id"] == key["id"]
        wait_until(lambda: sum(day["calls"] for day in client.get("/v1/usage").ok().json["data"]) == 2,
                   "the usage of both calls")
