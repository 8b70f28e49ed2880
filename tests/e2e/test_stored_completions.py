"""Chat completions that are stored: their ids, and reading, labelling and deleting them."""

import json
import sqlite3
import threading
import time
from urllib.parse import quote

import pytest

import sse
import upstream as up
from client import Client
from fixtures import usual_config
from gateway import Gateway
from waiting import DEADLINE, wait_until

PATH = "/v1/chat/completions"
NOBODY = "chatcmpl-" + "0" * 15 + "1" * 17
SETTINGS = ("temperature", "top_p", "seed", "presence_penalty", "frequency_penalty", "tools",
            "tool_choice", "response_format", "input_user", "service_tier", "system_fingerprint")
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]


@pytest.fixture
def own(upstream, tmp_path):
    gateway = Gateway(tmp_path, usual_config(upstream), env={"TEST_UPSTREAM_KEY": "k"})
    gateway.start()
    with Client(gateway.url) as client:
        yield gateway, client
    gateway.stop()


def one(client, id):
    return client.get(f"{PATH}/{id}").ok().json


def stored(client, text="hello there", **fields):
    return client.complete(messages=[{"role": "user", "content": text}], store=True,
                           **fields).ok().json


def page(client, query=""):
    found = client.get(f"{PATH}?{query}").ok().json
    ids = [c["id"] for c in found["data"]]
    assert found["object"] == "list"
    assert found["first_id"] == (ids[0] if ids else None)
    assert found["last_id"] == (ids[-1] if ids else None)
    return found


def walk(client, query, limit):
    ids, after = [], ""
    while True:
        found = page(client, f"{query}&limit={limit}&after={after}")
        ids += [c["id"] for c in found["data"]]
        if not found["has_more"]:
            return ids
        assert len(found["data"]) == limit
        after = found["last_id"]


def count(path, table, where="1"):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return db.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0]


def same_body(id, run):
    return id == "chatcmpl-" + run.removeprefix("run_")


# --- whose id and time an answer has ------------------------------------------------------------------

THEIRS = {"chatcmpl-up", 1700000000}  # as tests/e2e/upstream.py says them


def ours(answer, run):
    """An answer, or a chunk, with an id of its run and a time of now."""
    return same_body(answer["id"], run) and abs(answer["created"] - time.time()) < 2 * DEADLINE


def test_a_stored_answer_has_an_id_of_ours(client, script):
    raw = '{ "choices" : [ { "index":0, "message":{"role":"assistant","content":"id"},' \
          ' "finish_reason":"stop"} ], "id" : "chatcmpl-up" , "object":"chat.completion",' \
          ' "created":1700000000, "model":"upstream-model", "odd":1.50 }'
    s = script(up.reply(raw.encode()))
    answer = client.complete(s.model, store=True).ok()
    assert ours(answer.json, answer.headers["x-run-id"])
    # All else is as the provider sent it.
    assert answer.body.decode() == raw.replace('"chatcmpl-up"', f'"{answer.json["id"]}"').replace(
        "1700000000", str(answer.json["created"])) + "\n"
    assert one(client, answer.json["id"])["created"] == answer.json["created"]
    assert one(client, answer.json["id"])["choices"][0]["message"]["content"] == "id"
    assert client.complete(s.model).ok().body.decode() == raw + "\n"


@pytest.mark.parametrize("usage", [False, True])
def test_all_chunks_of_a_stored_stream_have_an_id_of_ours(client, script, usage):
    again = up.data(up.chunk({"role": "assistant", "content": "two"}))
    odd = up.data({**up.chunk({"content": " three"}), "created": None})  # one that is made anew
    s = script(up.sse(), up.role(), up.text("one "), again, odd, *up.ending())
    options = {"stream_options": {"include_usage": True}} if usage else {}
    with client.complete_stream(s.model, store=True, **options) as stream:
        run = stream.check_head().headers["x-run-id"]
        answer = stream.openai()
        assert answer.text == "one two three" and bool(answer.usage) is usage
        assert all(ours(c, run) for c in answer.chunks)
        assert len({c["created"] for c in answer.chunks}) == 1
    found = one(client, answer.chunks[0]["id"])
    assert found["choices"][0]["message"]["content"] == "one two three"
    assert found["usage"]["total_tokens"] == 18
    with client.complete_stream(s.model, **options) as stream:
        assert {v for c in stream.openai().chunks[:2] for v in (c["id"], c["created"])} == THEIRS


@pytest.mark.parametrize("store", [True, False])
def test_a_native_answer_is_ours_where_it_is_stored(client, script, store):
    s = script(up.either("hi there"))
    whole = client.chat("x", model=s.model, store=store).ok()
    with client.chat_stream("x", model=s.model, store=store) as stream:
        headers, answer = stream.check_head().headers, stream.native()
    if not store:
        assert {whole.json["id"], whole.json["created"]} == THEIRS
        assert {v for c in answer.chunks for v in (c["id"], c["created"])} == THEIRS
        return
    assert ours(whole.json, whole.json["run"])
    assert all(ours(c, headers["x-run-id"]) for c in answer.chunks)
    assert len({c["created"] for c in answer.chunks}) == 1
    again = client.get(f"/v1/runs/{headers['x-run-id']}/events").ok()
    assert sse.native(sse.Blocks([again.body])).chunks == answer.chunks
    assert whole.json["created"] == client.run(whole.json["run"])["created_at"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_native_answer_is_ours_after_a_retry_and_in_a_replay(script, start, upstream, stream):
    gateway = start({"providers": [{"name": "again", "dialect": "openai", "retries": 1,
                                    "base_url": upstream.url}],
                     "models": [{"name": "again/*", "provider": "again"}]})
    s = script(up.in_turn(up.reply({"error": {"message": "no"}}, 500), up.either("one two")))
    body = {"messages": ["x"], "config": {"model": s.under("again")}, "stream": stream}
    headers = {"Idempotency-Key": f"native-{s.name}"}
    with Client(gateway.url) as client:
        first = client.post("/v1/chat", body, headers=headers).ok()
        second = client.post("/v1/chat", body, headers=headers).ok()
    assert len(s.exchanges) == 2
    assert second.headers["idempotency-replayed"] == "true" and second.body == first.body
    answers = sse.native(sse.Blocks([first.body])).chunks if stream else [first.json]
    assert all(ours(a, first.headers["x-run-id"]) for a in answers)


def test_replayed_and_resumed_events_have_the_same_id(client, script):
    s = script(*up.stream("one ", "two"))
    with client.complete_stream(s.model, store=True) as stream:
        answer, headers = stream.openai(), stream.headers
    run = headers["x-run-id"]
    reply = client.get(f"/v1/runs/{run}/events").ok()
    whole = sse.native(sse.Blocks([reply.body]))
    assert whole.text == answer.text
    assert {c["id"] for c in whole.chunks} == {answer.chunks[0]["id"]}
    resumed = client.get(f"/v1/runs/{run}/events", headers={"Last-Event-ID": "2"}).ok()
    assert resumed.body in reply.body and same_body(answer.chunks[0]["id"], run)
    assert b"chatcmpl-up" not in resumed.body and answer.chunks[0]["id"].encode() in resumed.body


@pytest.mark.parametrize("stream", [False, True])
def test_a_key_replays_the_same_id(client, script, stream):
    s = script(up.either("one two"))
    body = {"model": s.model, "messages": [{"role": "user", "content": "x"}], "store": True,
            "stream": stream}
    headers = {"Idempotency-Key": f"stored-{s.name}"}
    first = client.post(PATH, body, headers=headers).ok()
    second = client.post(PATH, body, headers=headers).ok()
    assert second.headers["idempotency-replayed"] == "true"
    assert second.body == first.body and len(s.exchanges) == 1
    body = first.headers["x-run-id"].removeprefix("run_").encode()
    assert b"chatcmpl-" + body in first.body and b"chatcmpl-up" not in first.body


# --- one ----------------------------------------------------------------------------------------------


def test_what_is_shown_of_a_completion(client):
    settings = {"temperature": 0.2, "top_p": 0.5, "seed": 7, "presence_penalty": 0.1,
                "frequency_penalty": -0.1, "tools": TOOLS, "tool_choice": "auto",
                "response_format": {"type": "text"}, "user": "somebody", "service_tier": "default"}
    sent = client.complete(store=True, metadata={"a": "b"}, max_tokens=100, **settings).ok()
    found = one(client, sent.json["id"])
    assert found["object"] == "chat.completion" and found["model"] == "echo"
    assert found["created"] == sent.json["created"]
    assert found["request_id"] == sent.headers["x-request-id"]
    assert found["usage"] == sent.json["usage"] and found["metadata"] == {"a": "b"}
    assert found["choices"] == [{
        "index": 0, "finish_reason": "stop", "logprobs": None,
        "message": {"role": "assistant", "content": "hello there", "refusal": None}}]
    for name in SETTINGS[:-1]:
        assert found[name] == settings["user" if name == "input_user" else name], name
    bare = one(client, stored(client)["id"])
    assert bare["metadata"] == {} and all(bare[name] is None for name in SETTINGS)


def test_all_that_a_message_has_is_shown(client, script):
    calls = [{"id": "call_a", "type": "function",
              "function": {"name": "weather", "arguments": "{\"city\":\"Köln\"}"}}]
    message = {"role": "assistant", "content": None, "refusal": "no", "tool_calls": calls,
               "audio": {"id": "audio_1", "data": "AAAA"}, "annotations": [], "odd": 1}
    s = script(up.reply(up.completion(message=message, finish="tool_calls")))
    choice = one(client, client.complete(s.model, store=True).ok().json["id"])["choices"][0]
    assert choice["message"] == message and choice["finish_reason"] == "tool_calls"

    def call(**more):
        return up.data(up.chunk({"tool_calls": [{"index": 0, **more}]}))
    s = script(up.sse(), up.data(up.chunk({"role": "assistant", "content": None})),
               call(id="call_a", type="function", function={"name": "weather", "arguments": ""}),
               call(function={"arguments": "{\"city\":"}), call(function={"arguments": "\"Köln\"}"}),
               *up.ending("tool_calls"))
    with client.complete_stream(s.model, store=True, tools=TOOLS) as stream:
        id = stream.openai().chunks[0]["id"]
    found = one(client, id)
    assert found["choices"][0]["message"] == {
        "role": "assistant", "content": None, "refusal": None, "tool_calls": calls}
    assert found["choices"][0]["finish_reason"] == "tool_calls" and found["tools"] == TOOLS


def test_only_what_was_stored_and_ended_well_is_a_completion(own, script):
    gateway, client = own
    cut = script(*up.stream("one", finish="length"))
    good = client.complete(cut.model, store=True, stream=True).ok()
    assert page(client)["data"][0]["choices"][0]["finish_reason"] == "length"
    client.complete().ok()  # not stored
    client.chat("native").ok()
    failed = script(up.reply({"error": {"message": "no", "type": "t"}}, 400))
    client.complete(failed.model, store=True).error(400)
    broken = script(up.sse(), up.role(), up.text("one"), up.end())
    with client.complete_stream(broken.model, store=True) as stream:
        answer = stream.openai()
        assert answer.error and answer.text == "one"
    client.get(f"{PATH}/{answer.chunks[0]['id']}").error(404, "not_found")
    assert len(page(client)["data"]) == 1 and good.headers["x-run-id"]
    native = client.chat("native").ok().json["run"]
    client.get(f"{PATH}/chatcmpl-{native.removeprefix('run_')}").error(404, "not_found")


@pytest.mark.parametrize("id", [NOBODY, "chatcmpl-1", "run_" + "0" * 32, "x"])
def test_unknown_completions(client, id):
    for method, rest in (("GET", ""), ("DELETE", ""), ("GET", "/messages")):
        client.request(method, f"{PATH}/{id}{rest}").error(404, "not_found", None)
    client.post(f"{PATH}/{id}", {"metadata": {}}).error(404, "not_found", None)


def test_a_wrong_secret_is_unknown(client):
    id = stored(client)["id"]
    wrong = id[:-1] + ("0" if id[-1] != "0" else "1")
    client.get(f"{PATH}/{wrong}").error(404, "not_found")
    client.request("DELETE", f"{PATH}/{wrong}").error(404, "not_found")
    client.post(f"{PATH}/{wrong}", {"metadata": {"a": "b"}}).error(404, "not_found")
    client.get(f"{PATH}?after={wrong}").error(400, "invalid_value", "after")
    native = client.chat("x").ok().json["run"].removeprefix("run_")
    client.get(f"{PATH}?after=chatcmpl-{native}").error(400, "invalid_value", "after")
    assert one(client, id)["metadata"] == {}


def test_more_than_one_choice_is_not_stored(client):
    client.complete(store=True, n=2).error(400, "not_supported_yet", "n")


# --- metadata -----------------------------------------------------------------------------------------


def test_metadata_is_its_conversations(client):
    sent = client.complete(store=True, metadata={"a": "1"}).ok()
    path = f"{PATH}/{sent.json['id']}"
    conversation = f"/v1/conversations/{sent.headers['x-conversation-id']}"
    assert client.get(conversation).ok().json["metadata"] == {"a": "1"}
    changed = client.post(path, {"metadata": {"b": "2", "c": "ä"}}).ok().json
    assert changed == one(client, sent.json["id"]) and changed["metadata"] == {"b": "2", "c": "ä"}
    assert client.get(conversation).ok().json["metadata"] == {"b": "2", "c": "ä"}
    client.post(conversation, {"metadata": {"d": "3"}}).ok()
    assert one(client, sent.json["id"])["metadata"] == {"d": "3"}
    for body in ({}, {"metadata": None}):
        assert client.post(path, body).ok().json["metadata"] == {"d": "3"}
    assert client.post(path, {"metadata": {}}).ok().json["metadata"] == {}


@pytest.mark.parametrize("body, code, param", [
    ({"metadata": {"a": 1}}, "invalid_type", "metadata.a"),
    ({"metadata": []}, "invalid_type", "metadata"),
    ({"metadata": {str(n): "" for n in range(17)}}, "invalid_value", "metadata"),
    ({"metadata": {"a": "x" * 513}}, "invalid_value", "metadata.a"),
    ({"model": "echo"}, "unknown_parameter", "model"),
    ([], "invalid_type", None),
])
def test_wrong_updates(client, body, code, param):
    id = stored(client, metadata={"a": "b"})["id"]
    client.post(f"{PATH}/{id}", body).error(400, code, lambda p: param is None or p == param)
    assert one(client, id)["metadata"] == {"a": "b"}


# --- lists --------------------------------------------------------------------------------------------


def test_lists_in_pages_and_filtered(own, script):
    _, client = own
    assert page(client) == {"object": "list", "data": [], "first_id": None, "last_id": None,
                            "has_more": False}
    other = script(up.either("x"))
    made = []
    for n in range(7):
        metadata = {"parity": str(n % 2), "n": str(n)}
        if n == 3:
            made.append(client.complete(other.model, store=True, metadata=metadata).ok().json["id"])
        else:
            made.append(stored(client, str(n), metadata=metadata)["id"])
    assert [c["id"] for c in page(client)["data"]] == made
    assert [c["id"] for c in page(client, "order=desc")["data"]] == made[::-1]
    for limit in (1, 2, 3, 7, 100):
        assert walk(client, "order=asc", limit) == made
        assert walk(client, "order=desc", limit) == made[::-1]
    assert walk(client, "model=echo", 2) == made[:3] + made[4:]
    assert walk(client, "model=echo&order=desc", 2) == (made[:3] + made[4:])[::-1]
    assert walk(client, f"model={quote(other.model, safe='')}", 1) == [made[3]]
    assert walk(client, "metadata[parity]=1", 1) == made[1::2]
    assert walk(client, "metadata%5Bparity%5D=0&order=desc", 2) == made[::2][::-1]
    assert walk(client, "metadata[parity]=1&metadata[n]=5", 2) == [made[5]]
    assert walk(client, "metadata[parity]=1&model=echo", 1) == [made[1], made[5]]
    assert walk(client, "metadata[parity]=1&metadata[n]=4", 2) == []
    assert walk(client, "model=nobody", 2) == [] and walk(client, "metadata[x]=1", 2) == []
    client.post(f"{PATH}/{made[1]}", {"metadata": {"parity": "0"}}).ok()
    assert walk(client, "metadata[parity]=0", 2) == [made[0], made[1], made[2], made[4], made[6]]
    # What its conversation is called is found by, too; a plain conversation is no completion.
    client.post("/v1/conversations", {"metadata": {"parity": "0"}}).ok()
    client.chat("x", metadata={"parity": "0"}).ok()
    assert len(walk(client, "metadata[parity]=0", 2)) == 5


@pytest.mark.parametrize("query, param", [
    ("limit=0", "limit"), ("limit=101", "limit"), ("limit=x", "limit"), ("order=up", "order"),
    (f"after={NOBODY}", "after"), ("after=chatcmpl-1", "after"), ("after=run_" + "0" * 32, "after"),
    ("&".join(f"metadata[{n}]=x" for n in range(17)), "metadata"), ("metadata[a]=%ff", "metadata"),
    ("model=%ff", "model"),
])
def test_wrong_queries(client, query, param):
    client.get(f"{PATH}?{query}").error(400, "invalid_value", param)


def test_pages_lose_and_repeat_nothing_while_others_come_in(own):
    gateway, client = own
    there = [stored(client, str(n))["id"] for n in range(12)]
    stop, made = threading.Event(), []

    def insert():
        with Client(gateway.url) as another:
            while not stop.is_set():
                made.append(stored(another, "more")["id"])
    thread = threading.Thread(target=insert)
    thread.start()
    try:
        wait_until(lambda: len(made) > 2, "completions that come in")
        back = walk(client, "order=desc", 2)
        assert len(set(back)) == len(back) and back[-12:] == there[::-1]
        ids, after = [], ""
        while len(ids) < 30:
            found = page(client, f"limit=3&after={after}")
            ids += [c["id"] for c in found["data"]]
            after = found["last_id"] or after
    finally:
        stop.set()
        thread.join()
    assert ids == (there + made)[:len(ids)]


def test_a_page_of_large_completions_is_bounded(own, script):
    _, client = own
    big = script(up.reply(up.completion("x" * 1_500_000)))
    made = [client.complete(big.model, store=True).ok().json["id"] for _ in range(4)]
    found = page(client)
    assert found["has_more"] and 1 <= len(found["data"]) < 4
    assert [c["id"] for c in found["data"]] == made[:len(found["data"])]
    ids, after = [], ""
    for _ in made:
        found = page(client, f"after={after}")
        ids += [c["id"] for c in found["data"]]
        after = found["last_id"]
        if not found["has_more"]:
            break
    assert ids == made
    assert len(one(client, made[0])["choices"][0]["message"]["content"]) == 1_500_000


# --- messages -----------------------------------------------------------------------------------------


def messages(client, id, query=""):
    return client.get(f"{PATH}/{id}/messages?{query}").ok().json


def test_messages_are_those_of_the_request(client):
    parts = [{"type": "text", "text": "What is it?"},
             {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]
    call = {"id": "call_a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    sent = [{"role": "system", "content": "Be brief."},
            {"role": "user", "content": parts, "name": "Eve"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_a", "content": "42"},
            {"role": "user", "content": "thanks\n\"ü\"", "id": "mine", "content_parts": 1}]
    id = client.complete(messages=sent, store=True).ok().json["id"]
    found = messages(client, id)
    none = {"content_parts": None, "name": None}
    assert found["data"] == [
        {"id": f"{id}-0", **none, **sent[0]},
        {"id": f"{id}-1", "role": "user", "content": None, "content_parts": parts, "name": "Eve"},
        {"id": f"{id}-2", **none, **sent[2]},
        {"id": f"{id}-3", **none, **sent[3]},
        {**none, "role": "user", "content": sent[4]["content"], "id": f"{id}-4"}]
    assert (found["first_id"], found["last_id"], found["has_more"]) == (f"{id}-0", f"{id}-4", False)

    def ids(query):
        found = messages(client, id, query)
        return [int(m["id"].rsplit("-", 1)[1]) for m in found["data"]], found["has_more"]
    assert ids("limit=2") == ([0, 1], True) and ids(f"limit=2&after={id}-1") == ([2, 3], True)
    assert ids(f"limit=2&after={id}-3") == ([4], False) and ids(f"after={id}-4") == ([], False)
    assert ids("order=desc&limit=2") == ([4, 3], True)
    assert ids(f"order=desc&after={id}-1") == ([0], False)
    assert ids(f"order=desc&after={id}-0") == ([], False) and ids("limit=5") == ([0, 1, 2, 3, 4], False)
    other = stored(client)["id"]
    for after in (f"{id}-5", f"{other}-0", id, f"{id}-", f"{id}-01", f"{id}--1", f"{id}-x",
                  f"{id}-9999999999", NOBODY + "-0"):
        client.get(f"{PATH}/{id}/messages?after={after}").error(400, "invalid_value", "after")
    client.get(f"{PATH}/{id}/messages?limit=0").error(400, "invalid_value", "limit")
    client.get(f"{PATH}/{id}/messages?order=x").error(400, "invalid_value", "order")


def test_what_was_said_later_is_no_message_of_it(client):
    sent = client.complete(store=True).ok()
    conversation = sent.headers["x-conversation-id"]
    client.chat("and then?", conversation=conversation).ok()
    found = messages(client, sent.json["id"])
    assert [m["content"] for m in found["data"]] == ["hello there"]
    # One that is taken out of the conversation is not shown, and the others keep their ids.
    two = client.complete(messages=[{"role": "user", "content": c} for c in "abc"], store=True).ok()
    conversation = two.headers["x-conversation-id"]
    item = client.items(conversation)["data"][1]["id"]
    client.request("DELETE", f"/v1/conversations/{conversation}/items/{item}").ok()
    id = two.json["id"]
    assert [m["id"] for m in messages(client, id)["data"]] == [f"{id}-0", f"{id}-2"]
    assert [m["id"] for m in messages(client, id, f"after={id}-1")["data"]] == [f"{id}-2"]
    found = messages(client, id, "limit=1")
    assert found["has_more"] and found["last_id"] == f"{id}-0"


# --- deleting -----------------------------------------------------------------------------------------


@pytest.mark.sqlite
def test_deleting_takes_a_conversation_that_is_nothing_else(own):
    gateway, client = own
    kept = stored(client, "kept", metadata={"a": "b"})["id"]
    headers = {"Idempotency-Key": "gone"}
    body = {"model": "echo", "messages": [{"role": "user", "content": "Xylophonium"}],
            "store": True, "metadata": {"a": "b"}}
    sent = client.post(PATH, body, headers=headers).ok()
    path = f"{PATH}/{sent.json['id']}"
    assert client.request("DELETE", path).ok().json == {
        "object": "chat.completion.deleted", "id": sent.json["id"], "deleted": True}
    client.get(path).error(404, "not_found")
    client.request("DELETE", path).error(404, "not_found")
    client.post(path, {"metadata": {}}).error(404, "not_found")
    client.get(path + "/messages").error(404, "not_found")
    client.get(f"/v1/conversations/{sent.headers['x-conversation-id']}").error(404, "not_found")
    client.get(f"/v1/runs/{sent.headers['x-run-id']}").error(404, "not_found")
    assert [c["id"] for c in page(client)["data"]] == [kept]
    assert [c["id"] for c in page(client, "metadata[a]=b")["data"]] == [kept]
    for table in ("conversation", "run", "conversation_label"):
        assert count(gateway.database, table) == 1, table
    assert count(gateway.database, "message", "body LIKE '%Xylophonium%'") == 0
    assert count(gateway.database, "idempotency", "body IS NOT NULL") == 0


@pytest.mark.parametrize("how", ["turn", "item", "branch"])
@pytest.mark.sqlite
def test_deleting_leaves_a_conversation_that_went_on(own, how):
    gateway, client = own
    body = {"model": "echo", "messages": [{"role": "user", "content": "Xylophonium"}],
            "store": True}
    sent = client.post(PATH, body, headers={"Idempotency-Key": "gone"}).ok()
    id, conversation = sent.json["id"], sent.headers["x-conversation-id"]
    if how == "turn":
        client.chat("later", conversation=conversation).ok()
    elif how == "item":
        client.post(f"/v1/conversations/{conversation}/items",
                    {"items": [{"role": "user", "content": "later"}]}).ok()
    else:
        parent = client.items(conversation)["data"][0]["id"]
        client.chat("later", conversation=conversation, parent=parent).ok()
    assert one(client, id)["id"] == id
    client.request("DELETE", f"{PATH}/{id}").ok()
    client.get(f"{PATH}/{id}").error(404, "not_found")
    client.request("DELETE", f"{PATH}/{id}").error(404, "not_found")
    assert page(client)["data"] == []
    left = json.dumps(client.items(conversation))
    assert "later" in left and id.removeprefix("chatcmpl-") not in left
    assert client.get(f"/v1/runs/{sent.headers['x-run-id']}").ok().json["status"] == "completed"
    assert b"Xylophonium" not in client.get(f"/v1/runs/{sent.headers['x-run-id']}/events").ok().body
    # The question stays, the answer is nowhere any more.
    assert count(gateway.database, "message", "body LIKE '%Xylophonium%'") == 1
    assert count(gateway.database, "idempotency", "body IS NOT NULL") == 0


def test_an_answer_that_is_removed_is_no_completion_any_more(client):
    sent = client.complete(store=True).ok()
    conversation = sent.headers["x-conversation-id"]
    item = "msg_" + sent.json["id"].removeprefix("chatcmpl-")
    client.request("DELETE", f"/v1/conversations/{conversation}/items/{item}").ok()
    client.get(f"{PATH}/{sent.json['id']}").error(404, "not_found")


def test_all_of_it_is_there_after_a_restart(own):
    gateway, client = own
    made = [stored(client, str(n), metadata={"n": str(n)}, temperature=0.5)["id"] for n in range(3)]
    before = page(client)
    asked = messages(client, made[1])
    gateway.stop()
    gateway.start()
    with Client(gateway.url) as client:
        assert page(client) == before
        assert messages(client, made[1]) == asked
        assert page(client, "metadata[n]=2")["first_id"] == made[2]
        assert stored(client)["id"] > made[2]
