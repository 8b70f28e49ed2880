"""Rebyte's API, generation 1: runs of agents, whole, polled and streamed; threads, messages, files."""

import json

import pytest

import keys
import rebyte as rb
import upstream as up
from client import Client
from fixtures import usual_config
from rebyte_client import Rebyte, RunError
from waiting import wait_until

USER = {"role": "user", "content": "hi"}


def asked(script, n=-1):
    return script.exchanges[n].request.json


def warnings(reply):
    return [w["code"] for w in json.loads(reply.headers.get("x-parley-warnings", "[]"))]


@pytest.mark.parametrize("transcript", rb.TRANSCRIPTS, ids=lambda t: t["name"].replace(" ", "_"))
def test_transcripts(client, script, transcript):
    s = script(up.either("two words"))
    rb.play(client, transcript, {"$agent": s.model})


# --- runs -----------------------------------------------------------------------------------------


def test_a_run_is_a_run_of_parleys(client, script):
    s = script(up.either("two words"))
    reply = rb.run(client, "a rare hippogriff", agent=s.model).ok()
    run = reply.json["run"]
    assert reply.headers["x-run-id"] == run["id"]
    found = client.run(run["id"])
    assert found["status"] == "completed" and found["conversation"] == run["thread_id"]
    assert found["model"] == s.model and reply.json["usage"] == found["usage"]
    assert [m["content"] for m in client.messages(run["thread_id"])] == [
        "a rare hippogriff", "two words"]
    hits = client.get("/v1/search?q=hippogriff").ok().json["data"]
    assert run["thread_id"] in [h["conversation"] for h in hits]


def test_members_reach_the_provider(client, script):
    s = script(up.either("ok"))
    reply = rb.run(client, USER, agent=s.model, version=3, block_filter=["A"], config={
        "MODEL_CALL": {"provider_id": "openai", "model_id": "gpt-3.5-turbo-1106",
                       "use_cache": True, "use_stream": False, "seed": None,
                       "response_format": {"type": "json_object"}, "temperature": 0,
                       "max_tokens": 9, "stop": ["a"], "top_p": 0.5, "odd": 1},
        "OUTPUT_STREAM": {"use_semantic_cache": True, "seed": 4}, "NONE": None}).ok()
    sent = asked(s)
    assert sent["messages"] == [USER] and sent["temperature"] == 0 and sent["max_tokens"] == 9
    assert sent["stop"] == ["a"] and sent["top_p"] == 0.5 and sent["seed"] == 4
    assert sent["response_format"] == {"type": "json_object"}
    assert set(sent) == {"model", "messages", "temperature", "max_tokens", "stop", "top_p", "seed",
                         "response_format"}
    assert sorted(warnings(reply)) == ["cache_off", "parameter_dropped", "parameter_dropped"]


def test_an_agent_is_a_model_entry_with_its_defaults(start, upstream, script):
    s = script(up.either("ok"))
    usual = usual_config(upstream)
    gateway = start({**usual, "models": [
        {"name": "poet", "provider": "local", "upstream_model": s.name,
         "defaults": {"instruction": "Rhyme.", "config": {"temperature": 0.5}}}],
        "default_model": "poet"}, env={"TEST_UPSTREAM_KEY": "k"})
    with Client(gateway.url) as client:
        rb.run(client, "hi", agent="poet", config={"MODEL_CALL": {"top_p": 1}}).ok()
    assert asked(s)["messages"] == [{"role": "system", "content": "Rhyme."}, USER]
    assert asked(s)["temperature"] == 0.5 and asked(s)["top_p"] == 1


def test_attachments_become_parts(client, script):
    s = script(up.either("ok"))
    rb.run(client, {"role": "user", "content": "look", "name": "anna", "parts": [
        {"type": "text", "text": "more"},
        {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
        {"type": "blob", "blob": {"mime_type": "image/png", "url": "AAAA"}},
        {"type": "blob", "blob": {"mime_type": "application/pdf", "url": "AAAA"}},
        {"type": "link", "link": {"url": "https://x/", "title": "a \"b\"", "id": "1"}},
        {"type": "link", "link": {"url": "https://x/"}},
        {"type": "table", "table": {"name": "t", "columns": ["a", "b"], "data": [
            {"value": ["1", "2"]}, {"value": ["3", "\u00fc"]}]}},
    ]}, {"role": "assistant", "content": "seen", "parts": None}, agent=s.model).ok()
    assert asked(s)["messages"] == [
        {"role": "user", "name": "anna", "content": [
            {"type": "text", "text": "look"},
            {"type": "text", "text": "more"},
            {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "file", "file": {"filename": "file",
                                      "file_data": "data:application/pdf;base64,AAAA"}},
            {"type": "text", "text": "a \"b\": https://x/"},
            {"type": "text", "text": "https://x/"},
            {"type": "text", "text": "t\na\tb\n1\t2\n3\t\u00fc\n"}]},
        {"role": "assistant", "content": "seen"}]


def test_a_thread_goes_on(client, script):
    s = script(up.either("ok"))
    first = rb.run(client, "one", agent=s.model).ok().json["run"]
    for thread in (first["thread_id"], first["thread_id"].removeprefix("conv_")):
        run = rb.run(client, "two", agent=s.model, thread_id=thread).ok().json["run"]
        assert run["thread_id"] == first["thread_id"]
    assert [m["content"] for m in asked(s)["messages"]] == ["one", "ok", "two", "ok", "two"]


def test_a_run_may_be_polled(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("ok"), up.wait(gate), *up.ending())
    reply = rb.run(client, "hi", agent=s.model, blocking=False).ok()
    run = reply.json["run"]
    assert reply.json["run_id"] == run["id"] == reply.headers["x-run-id"]
    assert run["status"] == "running" and run["results"] is None and run["agent_id"] == s.model
    assert client.run(run["id"])["status"] == "running"
    gate.open()
    wait_until(lambda: client.run(run["id"])["status"] == "completed", "the end of the run")


def test_a_failed_run_is_an_error(client, script):
    s = script(up.reply({"error": {"message": "boom", "type": "server_error"}}, 500))
    rb.run(client, "hi", agent=s.model).error(502, "upstream_error", type="run_error")


def test_a_stream_that_fails_has_its_end(client, script):
    s = script(up.sse(), up.role(), up.text("half"), up.hang_up())
    found = rb.events(client, "hi", agent=s.model)
    assert rb.text_of(found) == "half" and found[-1] == "[DONE]"
    kinds = [e["type"] for e in found[:-1]]
    assert kinds == ["run_status", "tokens", "block_execution", "error", "run_status", "final"]
    assert found[-3]["content"]["status"] == "errored"
    result = found[2]["content"]["execution"][0][0]
    assert result["value"] is None and "closed the connection" in result["error"]
    assert found[3]["content"]["type"] == "run_error"


def test_streamed_and_whole_answers_are_the_same(client, script):
    s = script(up.either("the very same words"))
    found = rb.events(client, "hi", agent=s.model)
    run = found[0]["content"]["run_id"]
    stored = client.messages(found[0]["content"]["thread_id"])[1]["content"]
    value = found[-4]["content"]["execution"][0][0]["value"]
    assert rb.text_of(found) == value["content"] == stored
    assert client.run(run)["status"] == "completed"


def test_calls_are_told(start, upstream, script):
    """Tools come from the thread's other clients; an agent's own API can't send any."""
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f",
                                                                      "arguments": ""}}
    s = script(up.sse(), up.data(up.chunk({"role": "assistant", "tool_calls": [call]})),
               up.data(up.chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]})),
               *up.ending("tool_calls"))
    gateway = start(usual_config(upstream), env={"TEST_UPSTREAM_KEY": "k"})
    with Client(gateway.url) as client:
        found = rb.events(client, "hi", agent=s.model)
    assert [e["type"] for e in found[:-1]] == [
        "run_status", "function_call", "function_call_arguments_tokens", "block_execution",
        "run_status", "final"]
    assert found[1]["content"]["function_call"] == {"name": "f"}
    assert found[3]["content"]["execution"][0][0]["value"]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]


def test_the_same_key_gets_the_same_answer(client, script):
    s = script(up.either("ok"))
    for fields in ({}, {"contentOnly": True}, {"blocking": False}):
        headers = {"Idempotency-Key": "-".join(["rebyte", *fields])}
        first = rb.run(client, "hi", agent=s.model, headers=headers, **fields).ok()
        if "blocking" in fields:
            run = first.json["run_id"]
            wait_until(lambda: client.run(run)["status"] == "completed", "the end of the run")
        again = rb.run(client, "hi", agent=s.model, headers=headers, **fields).ok()
        assert again.headers["content-type"] == first.headers["content-type"]
        assert again.headers["idempotency-replayed"] == "true"
        if "blocking" in fields:
            assert again.json["run_id"] == run and again.json["run"]["status"] == "succeeded"
            assert rb.value_of(again)["content"].strip() == "ok"
        else:
            assert again.body == first.body
    assert len(s.exchanges) == 3


# --- threads --------------------------------------------------------------------------------------

THREADS = "/api/sdk/threads"


def thread(client, *contents, **fields):
    return client.post(THREADS, {"messages": [{"content": c} for c in contents],
                                 **fields}).ok().json["id"]


def listed(client, path, query=""):
    return client.get(f"{path}?{query}").ok().json["list"]


def test_a_thread_is_a_conversation(client):
    made = thread(client, "one", metadata={"a": "b"})
    assert client.get(f"/v1/conversations/{made}").ok().json["metadata"] == {"a": "b"}
    client.post(f"{THREADS}/{made.removeprefix('conv_')}/messages", {"content": "two"}).ok()
    assert [m["content"] for m in client.messages(made)] == ["one", "two"]
    native = client.chat("three", conversation=made).ok().json
    last = listed(client, f"{THREADS}/{made}/messages", "limit=1")[0]
    assert (last["id"], last["run_id"]) == (native["message_id"], native["run"])
    assert last["agent_id"] == "echo" and last["role"] == "assistant"


def test_metadata_of_a_message_reaches_no_provider(client, script):
    s = script(up.either("ok"))
    made = thread(client)
    client.post(f"{THREADS}/{made}/messages", {"content": "hi", "metadata": {"a": "b"}}).ok()
    rb.run(client, agent=s.model, thread_id=made).ok()
    assert asked(s)["messages"] == [USER]
    found = client.messages(made)[0]
    assert found["context"]["metadata"] == {"a": "b"}
    client.chat(found).ok()  # it is a message of LLM Chat


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_messages_are_read_page_by_page_both_ways(client, order):
    made = thread(client, *"abcdefg")
    path = f"{THREADS}/{made}/messages"
    whole = listed(client, path, f"order={order}")
    assert "".join(m["content"] for m in whole) == ("abcdefg" if order == "asc" else "gfedcba")
    pages, cursor = [], ""
    while page := listed(client, path, f"order={order}&limit=3&after={cursor}&before="):
        pages.append(page)
        cursor = page[-1]["id"]
    assert [len(p) for p in pages] == [3, 3, 1] and sum(pages, []) == whole
    back = listed(client, path, f"order={order}&limit=3&before={pages[2][0]['id']}")
    assert back == pages[1]
    assert listed(client, path, f"order={order}&limit=3&before={back[0]['id']}") == pages[0]
    assert listed(client, path, f"order={order}&limit=2&before={pages[0][1]['id']}") == [whole[0]]
    assert listed(client, path, f"order={order}&before={whole[0]['id']}") == []


def test_threads_are_read_page_by_page_both_ways(start):
    with Client(start({}).url) as client:
        made = [thread(client) for _ in range(5)]
        assert [t["id"] for t in listed(client, THREADS)] == made[::-1]
        assert [t["id"] for t in listed(client, THREADS, "order=asc&limit=2")] == made[:2]
        assert [t["id"] for t in listed(client, THREADS, f"limit=2&after={made[3]}")] == \
            [made[2], made[1]]
        assert [t["id"] for t in listed(client, THREADS, f"limit=2&before={made[1]}")] == \
            [made[3], made[2]]
        assert [t["id"] for t in listed(client, THREADS, f"order=asc&limit=2&before={made[3]}")] \
            == [made[1], made[2]]


def test_a_list_shows_all_kinds_of_messages(client):
    made = client.chat({"role": "user", "content": [{"type": "text", "text": "a "}, {
        "type": "image_url", "image_url": {"url": "https://x/"}}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
        {"role": "user", "type": "message", "content": "lmc"}).ok().json["conversation"]
    found = listed(client, f"{THREADS}/{made}/messages", "order=asc")
    assert [m["content"] for m in found][:4] == ["a b", "", "r", "lmc"]
    assert [m["role"] for m in found][:3] == ["user", "assistant", "tool"]


def test_a_key_makes_one_thread_and_one_message(client):
    key = {"Idempotency-Key": "rebyte-thread"}
    first, again = (client.post(THREADS, {}, headers=key).ok() for _ in range(2))
    assert first.json == again.json and again.headers["idempotency-replayed"] == "true"
    path = f"{THREADS}/{first.json['id']}/messages"
    key = {"Idempotency-Key": "rebyte-message"}
    one, same = (client.post(path, {"content": "x"}, headers=key).ok().json for _ in range(2))
    assert one == same and len(listed(client, path)) == 1


def test_a_long_message_is_read_and_shown(client):
    made, text = thread(client), "long " * 200_000
    added = client.post(f"{THREADS}/{made}/messages", {"content": text}).ok().json
    assert added["content"] == text
    assert client.get(f"{THREADS}/{made}/messages/{added['id']}").ok().json == added
    client.post(f"{THREADS}/{made}/messages", {"content": text, "odd": 1}).error(400, param="odd")


def test_the_metadata_of_a_message_is_replaced_and_nothing_else(client, script):
    s = script(up.either("ok"))
    made = thread(client)
    path = f"{THREADS}/{made}/messages"
    was = client.post(path, {"content": "h\u00e9 \\n 1.50", "metadata": {"a": "b", "c": "d"}}).ok().json
    now = client.post(f"{path}/{was['id']}", {"metadata": {"a": "e"}, "role": "assistant",
                                              "content": "other"}).ok().json
    assert now == {**was, "metadata": {"a": "e"}}
    assert client.post(f"{path}/{was['id']}", {}).ok().json == now
    assert client.get(f"{path}/{was['id']}").ok().json == now
    rb.run(client, agent=s.model, thread_id=made).ok()
    answer = listed(client, path, "limit=1")[0]
    assert answer["role"] == "assistant" and "metadata" not in answer
    labelled = client.post(f"{path}/{answer['id']}", {"metadata": {"rated": "good"}}).ok().json
    assert labelled == {**answer, "metadata": {"rated": "good"}}
    rb.run(client, agent=s.model, thread_id=made).ok()
    assert asked(s)["messages"] == [{"role": "user", "content": was["content"]},
                                    {"role": "assistant", "content": "ok"}]
    client.post(f"{path}/{was['id']}", {"metadata": {"a": 1}}).error(400, param="metadata.a")
    client.request("DELETE", f"/v1/conversations/{made}/items/{was['id']}").ok()
    client.post(f"{path}/{was['id']}", {"metadata": {}}).error(404, "not_found")


def test_unknown_threads_are_not_found(client):
    made = thread(client, "x")
    message = listed(client, f"{THREADS}/{made}/messages")[0]["id"]
    for id in ("x", rb.NOBODY, "conv_" + rb.NOBODY, "msg_" + made[5:], "V1StGXR8_Z5jdHi6B-myT"):
        path = f"{THREADS}/{id}"
        for reply in (client.get(path), client.post(path, {"metadata": {}}),
                      client.get(f"{path}/messages"),
                      client.post(f"{path}/messages", {"content": "x"}),
                      client.get(f"{path}/messages/{message}"),
                      client.post(f"{path}/messages/{message}", {"metadata": {}}),
                      client.post(f"{THREADS}/{made}/messages/{id}", {"metadata": {}}),
                      client.get(f"{THREADS}/{made}/messages/{id}")):
            error = reply.error(404, "not_found", type="invalid_request_error")
            assert "conversation" not in error["message"]
    other = thread(client)
    client.get(f"{THREADS}/{other}/messages/{message}").error(404, "not_found")


@pytest.mark.parametrize("query, param", [
    ("limit=0", "limit"), ("limit=101", "limit"), ("limit=x", "limit"), ("order=up", "order"),
    ("after=x", "after"), ("before=x", "before"), ("after=" + rb.NOBODY, "after"),
    ("before=" + rb.NOBODY, "before"), (f"after={rb.NOBODY}&before={rb.NOBODY}", "before")])
def test_wrong_pages_are_refused(client, query, param):
    made = thread(client)
    for path in (THREADS, f"{THREADS}/{made}/messages"):
        client.get(f"{path}?{query}").error(400, "invalid_value", param)


@pytest.mark.parametrize("path, body, param", [
    ("", {"messages": "x"}, "messages"),
    ("", {"messages": [{"role": "asistant", "content": "x"}]}, "messages[0].role"),
    ("", {"messages": [{"role": "user"}]}, "messages[0].content"),
    ("", {"messages": [{"content": "x"}] * 21}, "messages"),
    ("", {"metadata": {"a": 1}}, "metadata.a"),
    ("", {"metadata": {"a": "b" * 513}}, "metadata.a"),
    ("", {"metadata": {str(n): "" for n in range(17)}}, "metadata"),
    ("", {"odd": 1}, "odd"),
    ("/T", {"metadata": "x"}, "metadata"),
    ("/T/messages", {"role": "user"}, "content"),
    ("/T/messages", {"role": "owner", "content": "x"}, "role"),
    ("/T/messages", {"content": "x", "metadata": {"k" * 65: "x"}}, "metadata." + "k" * 64),
    ("/T/messages", {"content": "x", "file_ids": ["f"]}, "file_ids[0]"),
])
def test_what_is_wrong_in_a_thread_is_named(client, path, body, param):
    path = THREADS + path.replace("T", thread(client))
    assert client.post(path, body).json["error"]["param"] == param


# --- runs by their ids, files, ping ---------------------------------------------------------------


def test_runs_are_read_by_their_ids(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("ok"), up.wait(gate), *up.ending())
    made = rb.run(client, "hi", agent=s.model, blocking=False).ok().json["run"]
    path = f"/api/sdk/runs/{made['id']}"
    assert client.get(path).ok().json == made
    gate.open()
    wait_until(lambda: client.get(path).ok().json["status"] != "running", "the end of the run")
    found = client.get(f"/api/sdk/runs/{made['id'].removeprefix('run_')}").ok().json
    assert found == {**made, "status": "succeeded", "results": [
        [{"value": {"role": "assistant", "content": "ok"}, "error": None}]]}
    row = {k: v for k, v in found.items() if k != "results"}
    assert listed(client, f"{THREADS}/{made['thread_id']}/runs") == [row]


def test_a_failed_run_is_read(client, script):
    s = script(up.sse(), up.role(), up.text("half"), up.hang_up())
    made = rb.run(client, "hi", agent=s.model, blocking=False).ok().json["run"]
    path = f"/api/sdk/runs/{made['id']}"
    wait_until(lambda: client.get(path).ok().json["status"] == "errored", "the end of the run")
    result = client.get(path).ok().json["results"][0][0]
    assert result["value"] is None and "closed the connection" in result["error"]


def test_a_cancelled_run_is_errored(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("half"), up.wait(gate), *up.ending())
    made = rb.run(client, "hi", agent=s.model, blocking=False).ok().json["run"]
    client.post(f"/v1/runs/{made['id']}/cancel", {}).ok()
    found = client.get(f"/api/sdk/runs/{made['id']}").ok().json
    assert found["status"] == "errored" and "cancel" in found["results"][0][0]["error"]


def test_runs_of_other_routes_are_shown(client):
    chat = client.chat("hi").ok().json
    found = client.get(f"/api/sdk/runs/{chat['run']}").ok().json
    assert found["thread_id"] == chat["conversation"] and found["agent_id"] == "echo"
    assert found["results"][0][0]["value"] == {"role": "assistant", "content": "hi"}


def test_a_key_that_may_only_chat_polls_the_runs_of_agents_alone(start):
    gateway = start({}, args=["--admin-listen", "127.0.0.1:0"])
    made = keys.known(gateway, keys.make(gateway, "--scopes", "chat"))
    with keys.client_of(gateway, made["key"]) as client:
        run = rb.run(client, "hi").ok().json["run_id"]
        client.get(f"/api/sdk/runs/{run}").ok()
        other = client.chat("hi").ok().json["run"]
        client.get(f"/api/sdk/runs/{other}").error(404, "not_found")
        client.get(THREADS).error(403)


def test_the_runs_of_a_thread_are_listed(client):
    first = rb.run(client, "a").ok().json["run"]
    runs = [first["id"], *(rb.run(client, "b", thread_id=first["thread_id"]).ok().json["run_id"]
                           for _ in range(2))]
    path = f"{THREADS}/{first['thread_id']}/runs"
    assert [r["id"] for r in listed(client, path, "after=&before=&order=")] == runs[::-1]
    assert [r["id"] for r in listed(client, path, f"limit=1&after={runs[2]}")] == [runs[1]]
    assert [r["id"] for r in listed(client, path, "order=asc&limit=2")] == runs[:2]
    assert [r["id"] for r in listed(client, path, f"order=asc&after={runs[1]}")] == [runs[2]]
    assert [r["id"] for r in listed(client, path, f"order=asc&before={runs[2]}")] == runs[:2]
    assert [r["id"] for r in listed(client, path, f"limit=1&before={runs[0]}")] == [runs[1]]
    assert listed(client, f"{THREADS}/{thread(client)}/runs") == []
    for id in ("x", rb.NOBODY):
        client.get(f"{THREADS}/{id}/runs").error(404, "not_found")
        client.get(f"/api/sdk/runs/{id}").error(404, "not_found")
    for query, param in (("order=up", "order"), ("before=x", "before"),
                         (f"before={runs[0]}&after={runs[1]}", "before"), ("after=x", "after"), ("after=" + rb.NOBODY, "after"),
                         ("limit=0", "limit")):
        client.get(f"{path}?{query}").error(400, param=param)


def upload(client, name, content, type="text/plain"):
    form = (f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            f'Content-Type: {type}\r\n\r\n').encode() + content + b"\r\n--b--\r\n"
    return client.post("/api/sdk/files", form,
                       headers={"Content-Type": "multipart/form-data; boundary=b"})


@pytest.mark.parametrize("name, shown, content", [
    ("a.txt", "a.txt", b"text"), ("\u00fcber.txt", "\u00fcber.txt", b"x"), ("e", "e", b""),
    ("../../etc/passwd", "passwd", b"x")])
def test_files_are_kept(client, name, shown, content):
    made = upload(client, name, content).ok().json
    id = made["fileId"]
    assert made["message"] == "upload file success" and made["path"].endswith(f"/{id}")
    path = f"/api/sdk/files/{id}"
    file = client.get(path).ok().json["file"]
    assert file.pop("createdAt")[10] == "T"
    assert file == {"uuid": id, "name": shown, "mimeType": "text/plain", "size": len(content),
                    "projectId": "default"}
    assert id in [f["uuid"] for f in client.get("/api/sdk/files").ok().json["files"]]
    assert client.get(f"{path}/content").ok().body == content
    assert client.get(f"/v1/files/file-{id}").ok().json["purpose"] == "user_data"
    assert client.request("DELETE", path).ok().json == {"message": "deleted", "fileId": id}
    for reply in (client.request("DELETE", path), client.get(path),
                  client.get(f"{path}/content"), client.get("/api/sdk/files/x")):
        assert reply.error(404)["type"] == "invalid_request_error"


def test_files_reach_the_model(client, script):
    s = script(up.either("ok"))
    id = upload(client, "notes.txt", b"Rain.").ok().json["fileId"]
    rb.run(client, {"content": "read", "parts": [
        {"type": "file", "file": {"id": id, "name": "n\u00f6tes.txt"}}]}, agent=s.model).ok()
    assert asked(s)["messages"] == [
        {"role": "user", "content": '<file name="n\u00f6tes.txt">\nRain.\n</file>\n\nread'}]
    rb.run(client, {"content": "read", "file_ids": [id]}, agent=s.model).ok()
    assert "Rain." in asked(s)["messages"][0]["content"]
    missing = id[:-12] + "0" * 12
    rb.run(client, {"content": "read", "file_ids": [missing]}).error(
        404, "not_found", "inputs[0].messages[0]")


def test_ping_says_whether_the_key_is_good(client, start):
    assert client.get("/api/sdk/ext/ping").ok().json == {"pId": "default"}
    gateway = start({}, env={"PARLEY_API_KEY": "sk-right-right-right"})
    with Client(gateway.url) as nobody:
        nobody.get("/api/sdk/ext/ping").error(401)
    with Client(gateway.url, {"Authorization": "Bearer sk-right-right-right"}) as somebody:
        assert somebody.get("/api/sdk/ext/ping").ok().json["pId"]


# --- a client -------------------------------------------------------------------------------------


def test_a_client_like_the_cli_and_the_wrapper(shared, script):
    s = script(up.either("some words"))
    agent = rb.quote(s.model, safe="")
    rebyte = Rebyte(shared.url)
    assert rebyte.ping()
    assert rebyte.run(agent, [USER]) == "some words"
    assert rebyte.run(agent, [USER], contentOnly=True) == "some words"
    assert "".join(rebyte.stream(agent, [USER])).strip() == "some words"
    assert rebyte.poll(agent, [USER]).strip() == "some words"
    thread = rebyte.create_thread(messages=[USER], metadata={"a": "b"})
    file = rebyte.upload("notes.txt", b"Rain.")
    rebyte.add_message(thread, "read", file_ids=[file])
    assert rebyte.run(agent, thread_id=thread) == "some words"
    assert "Rain." in asked(s)["messages"][1]["content"]
    assert [m["content"] for m in rebyte.list(f"/threads/{thread}/messages", order="asc")] == [
        "hi", "read", "some words"]
    assert thread in [t["id"] for t in rebyte.list("/threads", limit=100)]
    assert len(rebyte.list(f"/threads/{thread}/runs")) == 1


def test_a_client_sees_failures(shared, start, script):
    rebyte = Rebyte(shared.url)
    broken = rb.quote(script(up.sse(), up.role(), up.text("half"), up.hang_up()).model, safe="")
    with pytest.raises(RunError):
        list(rebyte.stream(broken, [USER]))
    with pytest.raises(RunError, match="closed the connection"):
        rebyte.poll(broken, [USER])
    with pytest.raises(RunError, match="app_not_found"):
        rebyte.run("nobody", [USER])
    gateway = start({}, env={"PARLEY_API_KEY": "sk-right-right-right"})
    assert not Rebyte(gateway.url, "sk-wrong").ping()
    assert Rebyte(gateway.url, "sk-right-right-right").run("echo", [USER]) == "hi"


# --- what is refused ------------------------------------------------------------------------------


def message(**fields):
    return {"inputs": rb.row({"role": "user", "content": "hi", **fields})}


def part(value):
    return message(parts=[value])


@pytest.mark.parametrize("body, code, param", [
    ({}, "missing_required_parameter", "inputs"),
    ({"inputs": []}, "invalid_value", "inputs"),
    ({"inputs": [{"messages": []}]}, "invalid_value", "inputs"),
    ({"inputs": "x"}, "invalid_type", "inputs"),
    ({"inputs": ["x"]}, "invalid_type", "inputs[0]"),
    ({"inputs": rb.row("a") + rb.row("b")}, "invalid_value", "inputs"),
    ({"inputs": [{"question": "x"}]}, "missing_required_parameter", "inputs[0].messages"),
    ({"inputs": [{"messages": "x"}]}, "invalid_type", "inputs[0].messages"),
    ({"inputs": [{"messages": ["x"]}]}, "invalid_type", "inputs[0].messages[0]"),
    (message(content=None), "missing_required_parameter", "inputs[0].messages[0].content"),
    (message(content=["x"]), "invalid_type", "inputs[0].messages[0].content"),
    (message(role="asistant"), "invalid_value", "inputs[0].messages[0].role"),
    (message(name="a b"), "invalid_value", "inputs[0].messages[0].name"),
    (message(odd=1), "unknown_parameter", "inputs[0].messages[0].odd"),
    (message(metadata={"a": 1}), "invalid_type", "inputs[0].messages[0].metadata.a"),
    (message(file_ids=["nope"]), "not_found", "inputs[0].messages[0].file_ids[0]"),
    (message(file_ids=[1]), "invalid_type", "inputs[0].messages[0].file_ids[0]"),
    (message(file_ids=["x"] * 11), "invalid_value", "inputs[0].messages[0].file_ids"),
    (part("x"), "invalid_value", "inputs[0].messages[0].parts[0].type"),
    (part({"type": "odd"}), "invalid_value", "inputs[0].messages[0].parts[0].type"),
    (part({"type": "text"}), "missing_required_parameter", "inputs[0].messages[0].parts[0].text"),
    (part({"type": "link"}), "missing_required_parameter", "inputs[0].messages[0].parts[0].link"),
    (part({"type": "link", "link": {"url": 1}}), "invalid_type",
     "inputs[0].messages[0].parts[0].link.url"),
    (part({"type": "image_url", "image_url": {"url": "x", "detail": "auto"}}), "invalid_value",
     "inputs[0].messages[0].parts[0].image_url.detail"),
    (part({"type": "blob", "blob": {"mime_type": "png", "url": "AAAA"}}), "invalid_value",
     "inputs[0].messages[0].parts[0].blob.mime_type"),
    (part({"type": "blob", "blob": {"mime_type": "image/png", "url": "A"}}), "invalid_value",
     "inputs[0].messages[0].parts[0].blob.url"),
    (part({"type": "file", "file": {"id": "x"}}), "not_found",
     "inputs[0].messages[0].parts[0].file.id"),
    (part({"type": "table", "table": {"name": "t", "columns": ["a"], "data": [["x"]]}}),
     "invalid_type", "inputs[0].messages[0].parts[0].table.data[0].value"),
    ({**message(), "version": 0}, "invalid_value", "version"),
    ({**message(), "version": "newest"}, "invalid_value", "version"),
    ({**message(), "thread_id": "x"}, "not_found", "thread_id"),
    ({**message(), "thread_id": rb.NOBODY}, "not_found", "thread_id"),
    ({**message(), "thread_id": "run_" + rb.NOBODY}, "not_found", "thread_id"),
    ({**message(), "thread_id": ""}, "invalid_value", "thread_id"),
    ({**message(), "blocking": "yes"}, "invalid_type", "blocking"),
    ({**message(), "stream": True, "contentOnly": True}, "invalid_value", "contentOnly"),
    ({**message(), "blocking": False, "contentOnly": True}, "invalid_value", "contentOnly"),
    ({**message(), "block_filter": "x"}, "invalid_type", "block_filter"),
    ({**message(), "block_filter": [1]}, "invalid_type", "block_filter[0]"),
    ({**message(), "odd": 1}, "unknown_parameter", "odd"),
    ({**message(), "config": []}, "invalid_type", "config"),
    ({**message(), "config": {"A": 1}}, "invalid_type", "config.A"),
    ({**message(), "config": {"A": {"temperature": 2.5}}}, "invalid_value", "config.A.temperature"),
    ({**message(), "config": {"A": {"max_tokens": 0}}}, "invalid_value", "config.A.max_tokens"),
    ({**message(), "config": {"A": {"stop": [1]}}}, "invalid_type", "config.A.stop"),
    ({**message(), "config": {"A": {"seed": 1}, "B": {"seed": 1}}}, "invalid_value",
     "config.B.seed"),
    ({**message(), "config": {"A": {"max_tokens": 1}, "B": {"max_tokens": 1}}}, "invalid_value",
     "config.B.max_tokens"),
])
def test_what_is_wrong_is_named(client, body, code, param):
    error = client.post(rb.path(), body).error(404 if code == "not_found" else 400, code, param)
    assert error["type"] == "invalid_request_error"


def test_a_member_with_escapes_is_the_same_member(client):
    """Each action says the seed in another spelling: none may slip through as another member."""
    spellings = ["".join(f"\\u{ord(c):04x}" if n >> i & 1 else c for i, c in enumerate("seed"))
                 for n in range(16)]
    for count in (2, 16):
        actions = ",".join(f'"A{i}":{{"{spelling}":{i}}}'
                           for i, spelling in enumerate(spellings[:count]))
        body = f'{{"inputs":[{{"content":"hi"}}],"config":{{{actions}}}}}'
        client.post(rb.path(), body.encode(), headers={"Content-Type": "application/json"}).error(
            400, "invalid_value", "config.A1.seed")


def test_keys_are_asked_for_in_rebytes_words(start):
    gateway = start({}, env={"PARLEY_API_KEY": "sk-right-right-right"})
    for headers, type in (({}, "missing_authorization_header_error"),
                          ({"Authorization": "Basic x"}, "malformed_authorization_header_error"),
                          ({"Authorization": "Bearer sk-wrong"}, "invalid_api_key_error")):
        with Client(gateway.url, headers) as client:
            rb.run(client, "hi").error(401, type=type)
    with Client(gateway.url, {"Authorization": "Bearer sk-right-right-right"}) as client:
        rb.run(client, "hi").ok()
