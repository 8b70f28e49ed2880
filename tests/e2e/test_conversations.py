"""Conversations that clients make, fill, list, cut back and delete."""

import sqlite3

import pytest

import upstream as up
from client import Client
from fixtures import usual_config
from gateway import Gateway

WORD = "Xylophonium"
NOBODY = "conv_" + "0" * 15 + "1" * 17


def made(client, **body):
    return client.post("/v1/conversations", body).ok().json


def texts(client, conversation, query="order=asc&limit=100"):
    items = client.get(f"/v1/conversations/{conversation}/items?{query}").ok().json["data"]
    return [i["content"][0]["text"] if i["type"] == "message" else i["type"] for i in items]


def said(text, role="user"):
    return {"type": "message", "role": role, "content": text}


def add(client, conversation, *items):
    return client.post(f"/v1/conversations/{conversation}/items", {"items": list(items)})


def tables(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return {t: db.execute(f"SELECT count(*) FROM {t}").fetchone()[0]
                for t in ("conversation", "message", "run", "event", "conversation_label")}


@pytest.fixture
def own(upstream, tmp_path):
    gateway = Gateway(tmp_path, usual_config(upstream), env={"TEST_UPSTREAM_KEY": "k"})
    gateway.start()
    with Client(gateway.url) as client:
        yield gateway, client
    gateway.stop()



def test_made_changed_and_deleted(client):
    bare = client.post("/v1/conversations").ok().json
    assert bare["metadata"] == {} and "title" not in bare
    c = made(client, metadata={"a": "b"}, title="Ein Titel \U0001f600")
    path = f"/v1/conversations/{c['id']}"
    assert client.get(path).ok().json == c
    assert c["metadata"] == {"a": "b"} and c["title"] == "Ein Titel \U0001f600"
    changed = client.post(path, {"metadata": {"c": "d"}}).ok().json
    assert changed["metadata"] == {"c": "d"} and changed["title"] == c["title"]
    assert "title" not in client.post(path, {"title": ""}).ok().json
    assert client.get(path).ok().json["metadata"] == {"c": "d"}
    gone = client.request("DELETE", path).ok().json
    assert gone == {"id": c["id"], "object": "conversation.deleted", "deleted": True}
    for method in ("GET", "DELETE"):
        client.request(method, path).error(404, "not_found")
    client.post(path, {"metadata": {}}).error(404, "not_found")
    client.get(path + "/items").error(404, "not_found")


@pytest.mark.parametrize("body, code, param", [
    ({"metadata": {"a": 1}}, "invalid_type", "metadata.a"),
    ({"metadata": {str(n): "" for n in range(17)}}, "invalid_value", "metadata"),
    ({"title": "x" * 513}, "invalid_value", "title"),
    ({"name": "x"}, "unknown_parameter", "name"),
    ({"items": [said(str(n)) for n in range(21)]}, "invalid_value", "items"),
    ({"items": ["x"]}, "invalid_type", "items[0]"),
    ({"items": [{"type": "reasoning"}]}, "invalid_value", "items[0].type"),
    ({"items": [said("x"), {"content": "x"}]}, "missing_required_parameter", "items[1].role"),
    ({"items": [{"role": "tool", "content": "x"}]}, "invalid_value", "items[0].role"),
    ({"items": [{"role": "user"}]}, "missing_required_parameter", "items[0].content"),
    ({"items": [{"role": "user", "content": []}]}, "invalid_value", "items[0].content"),
    ({"items": [{"role": "user", "content": [{"type": "video"}]}]}, "invalid_value",
     "items[0].content[0].type"),
    ({"items": [{"role": "user", "content": [{"type": "input_text"}]}]},
     "missing_required_parameter", "items[0].content[0].text"),
    ({"items": [{"role": "user", "content": [{"type": "input_file"}]}]},
     "missing_required_parameter", "items[0].content[0]"),
    ({"items": [{"type": "function_call", "name": "f", "arguments": "{}"}]},
     "missing_required_parameter", "items[0].call_id"),
    ({"items": [{"type": "function_call", "name": "f", "call_id": "c", "arguments": {}}]},
     "invalid_type", "items[0].arguments"),
    ({"items": [{"type": "function_call_output", "call_id": "c"}]},
     "missing_required_parameter", "items[0].output"),
])
def test_bad_bodies_make_nothing(client, body, code, param):
    c = made(client)["id"]
    client.post("/v1/conversations", body).error(400, code, param)
    if "items" in body:
        add(client, c, *body["items"]).error(400, code, param)
        assert texts(client, c) == []
    else:
        client.post(f"/v1/conversations/{c}", body).error(400, code, param)


def test_no_items_are_no_request(client):
    c = made(client)["id"]
    client.post(f"/v1/conversations/{c}/items", {}).error(400, "missing_required_parameter", "items")
    add(client, c).error(400, "invalid_value", "items")


def test_items_of_every_kind(client):
    parts = [{"type": "input_text", "text": "a\U0001f600"},
             {"type": "input_image", "image_url": "data:image/png;base64,AA=="},
             {"type": "input_file", "filename": "f.pdf", "file_data": "data:application/pdf;base64,AA=="}]
    c = made(client, items=[said("begin", "system")])["id"]
    answer = add(client, c, {"role": "user", "content": parts}, said("hm", "assistant"),
                 {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{\"a\":1}"},
                 {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{}"},
                 {"type": "function_call_output", "call_id": "c1", "output": "one"},
                 {"type": "function_call_output", "call_id": "c2",
                  "output": [{"type": "input_text", "text": "two"}]}).ok().json
    data = answer["data"]
    assert [i["type"] for i in data] == ["message", "message", "function_call", "function_call",
                                         "function_call_output", "function_call_output"]
    assert (answer["first_id"], answer["last_id"]) == (data[0]["id"], data[-1]["id"])
    assert data[0]["content"][0] == parts[0] and data[0]["content"][2] == parts[2]
    assert data[0]["content"][1]["image_url"] == parts[1]["image_url"]
    assert data[1]["content"] == [{"type": "output_text", "text": "hm", "annotations": [], "logprobs": []}]
    assert [data[2][k] for k in ("call_id", "name", "arguments")] == ["c1", "f", "{\"a\":1}"]
    assert data[3]["id"] == data[2]["id"] + "_2"
    assert data[4]["output"] == "one" and data[5]["output"] == [{"type": "input_text", "text": "two"}]
    listed = client.get(f"/v1/conversations/{c}/items?order=asc").ok().json["data"]
    assert listed[1:] == data
    for item in listed:
        assert client.get(f"/v1/conversations/{c}/items/{item['id']}").ok().json == item
    native = client.get(f"/v1/conversations/{c}/messages").ok().json["data"]
    assert len(native[3]["tool_calls"]) == 2 and native[4]["tool_call_id"] == "c1"


def test_a_list_of_messages_tells_the_instruction_of_its_branch(client):
    first = client.chat("one", instruction="Be brief.").ok().json
    c, leaf = first["conversation"], first["message_id"]
    client.chat("two", conversation=c, instruction="Be long.").ok()

    def told(query=""):
        return client.get(f"/v1/conversations/{c}/messages?{query}").ok().json

    assert told()["instruction"] == told("order=desc&limit=1")["instruction"] == "Be long."
    assert told(f"leaf={leaf}")["instruction"] == "Be brief."
    assert "instruction" not in told(f"after={leaf}")
    client.chat("three", conversation=c, instruction="").ok()
    assert told()["instruction"] is None


def test_a_turn_goes_on_from_added_items(client, script):
    c = made(client, items=[said("one")])["id"]
    s = script(up.reply(up.completion("two")))
    client.chat("three", conversation=c, instruction="Be brief.", config={"model": s.model}).ok()
    assert [m["content"] for m in s.request.json["messages"]] == ["Be brief.", "one", "three"]
    add(client, c, said("four"), said("five", "assistant")).ok()
    s = script(up.reply(up.completion("seven")))
    client.chat("six", conversation=c, config={"model": s.model}).ok()
    assert [m["content"] for m in s.request.json["messages"]] == [
        "Be brief.", "one", "three", "two", "four", "five", "six"]
    assert texts(client, c) == ["one", "three", "two", "four", "five", "six", "seven"]


def tree(client, conversation, query=""):
    return client.get(f"/v1/conversations/{conversation}/tree{query}").ok().json


@pytest.mark.sqlite
def test_the_tree_has_all_branches(client, script):
    first = client.chat("one", "\t\u4e2d" * 90, instruction="Be brief.").ok().json
    c, one = first["conversation"], first["message_id"]
    client.chat("two", conversation=c).ok()
    add(client, c, said("three")).ok()
    other = client.chat("two, anew", conversation=c, parent=one).ok().json
    nodes = tree(client, c)["data"]
    assert [(n["role"], n["model"]) for n in nodes] == [
        ("user", None), ("user", None), ("assistant", "echo"), ("user", None), ("assistant", "echo"),
        ("user", None), ("user", None), ("assistant", "echo")]
    assert [n["preview"] for n in nodes if n["role"] == "user"] == [
        "one", " \u4e2d" * 40, "two", "three", "two, anew"]
    ids = [n["id"] for n in nodes]
    assert [n["parent_id"] for n in nodes] == [None, *ids[:5], ids[2], ids[6]]
    assert (ids[2], ids[7]) == (one, other["message_id"])
    assert [n["run_id"] for n in nodes] == [
        *[first["run"]] * 3, *[nodes[3]["run_id"]] * 2, None, *[other["run"]] * 2]
    assert not any("removed" in n for n in nodes)


@pytest.mark.sqlite
def test_pages_of_the_tree_are_whole_turns(client, script):
    c = client.chat("one").ok().json["conversation"]
    for i in range(3):
        add(client, c, said(f"note {i}")).ok()
        client.chat("next", conversation=c).ok()
    broken = script(up.reply({"error": {"message": "no"}}, status=400))
    client.chat("fails", conversation=c, config={"model": broken.model})
    whole = tree(client, c)
    assert not whole["has_more"] and len(whole["data"]) == 12
    for limit in range(1, 9):
        seen, after = [], ""
        while True:
            page = tree(client, c, f"?limit={limit}{after}")
            seen += page["data"]
            if not page["has_more"]:
                break
            assert len({n["run_id"] or n["id"] for n in page["data"]}) == limit
            after = "&after=" + page["last_id"]
        assert seen == whole["data"]


@pytest.mark.sqlite
def test_the_tree_tells_what_was_deleted(client):
    first = client.chat("one").ok().json
    c, one = first["conversation"], first["message_id"]
    client.request("DELETE", f"/v1/conversations/{c}/items/{one}").ok()
    asked, answer = tree(client, c)["data"]
    assert "removed" not in asked
    assert (answer["removed"], answer["preview"], answer["role"]) == (True, "", "assistant")
    assert tree(client, c, "?after=" + one)["data"] == []


@pytest.mark.sqlite
def test_bad_questions_for_a_tree(client):
    c = made(client)["id"]
    assert tree(client, c)["data"] == [] and tree(client, c)["last_id"] is None
    elsewhere = client.chat("one").ok().json["message_id"]
    for query, param in (("?limit=0", "limit"), ("?limit=1001", "limit"), ("?after=x", "after"),
                         ("?after=" + elsewhere, "after")):
        client.get(f"/v1/conversations/{c}/tree{query}").error(400, param=param)
    client.get(f"/v1/conversations/{NOBODY}/tree").error(404, "not_found")
    client.get("/v1/conversations/x/tree").error(404, "not_found")


def test_branches(client, script):
    first = client.chat("one", instruction="Be brief.").ok().json
    c, one = first["conversation"], first["message_id"]
    two = client.chat("two", conversation=c).ok().json["message_id"]
    add(client, c, said("three")).ok()
    assert texts(client, c) == ["one", "one", "two", "two", "three"]
    s = script(up.reply(up.completion("other")))
    client.chat("else", conversation=c, parent=one, config={"model": s.model}).ok()
    assert [m["content"] for m in s.request.json["messages"]] == ["Be brief.", "one", "one", "else"]
    assert texts(client, c) == ["one", "one", "else", "other"]
    asked = client.items(c)["data"][2]["id"]
    s = script(up.reply(up.completion("again")))
    client.chat(conversation=c, parent=asked, config={"model": s.model}).ok()
    assert texts(client, c) == ["one", "one", "else", "again"]
    client.chat("back", conversation=c, parent=two).ok()
    assert texts(client, c) == ["one", "one", "two", "two", "back", "back"]
    client.request("DELETE", f"/v1/conversations/{c}/items/{two}").ok()
    client.chat("x", conversation=c, parent=two).error(404, "not_found", "parent")
    client.chat("x", conversation=made(client)["id"], parent=one).error(404, "not_found", "parent")
    client.chat("x", conversation=c, parent="msg_x").error(404, "not_found", "parent")
    client.chat("x", parent=one).error(400, "invalid_value", "parent")


def test_a_branch_beside_the_first_messages(client, script):
    first = client.chat("one", instruction="Be brief.").ok().json
    c, one = first["conversation"], first["message_id"]
    title = client.get(f"/v1/conversations/{c}").ok().json["title"]
    s = script(up.reply(up.completion("edited")))
    other = client.chat("one, edited", conversation=c, parent="none", config={"model": s.model}).ok().json
    assert other["conversation"] == c
    assert [m["content"] for m in s.request.json["messages"]] == ["one, edited"]
    assert texts(client, c) == ["one, edited", "edited"]
    assert client.get(f"/v1/conversations/{c}").ok().json["title"] == title
    nodes = tree(client, c)["data"]
    assert [n["parent_id"] for n in nodes] == [None, nodes[0]["id"], None, nodes[2]["id"]]
    client.chat("two", conversation=c).ok()
    assert texts(client, c) == ["one, edited", "edited", "two", "two"]
    client.chat("back", conversation=c, parent=one).ok()
    assert texts(client, c) == ["one", "one", "back", "back"]
    client.chat(conversation=c, parent="none").error(400, "invalid_value", "messages")
    client.chat("x", parent="none").error(400, "invalid_value", "parent")
    client.chat("x", conversation=NOBODY, parent="none").error(404, "not_found", "conversation")
    # in an empty conversation, it is the first one
    empty = made(client)["id"]
    client.chat("x", conversation=empty, parent="none", instruction="Be kind.").ok()
    assert texts(client, empty) == ["x", "x"]


def test_a_branch_need_not_wait(client, script):
    first = client.chat("one").ok().json
    c, one = first["conversation"], first["message_id"]
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("a"), up.wait(gate), up.text("b"), *up.ending())
    with client.chat_stream("x", conversation=c, config={"model": s.model}) as stream:
        stream.check_head()
        client.chat("y", conversation=c).error(409, "conversation_busy")
        client.chat("y", conversation=c, parent=one).ok()
        client.request("DELETE", f"/v1/conversations/{c}").error(409, "conversation_busy")
        gate.open()
        list(stream)
    assert texts(client, c) == ["one", "one", "y", "y"]
    client.request("DELETE", f"/v1/conversations/{c}").ok()


def test_while_a_run_goes_on(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("a"), up.wait(gate), up.text("b"), *up.ending())
    with client.chat_stream("x", config={"model": s.model}) as stream:
        stream.check_head()
        c = stream.headers["x-conversation-id"]
        busy = client.request("DELETE", f"/v1/conversations/{c}")
        busy.error(409, "conversation_busy")
        assert busy.headers["retry-after"] == "1"
        add(client, c, said("y")).error(409, "conversation_busy")
        assert client.post(f"/v1/conversations/{c}", {"title": "T"}).ok().json["title"] == "T"
        gate.open()
        list(stream)
    add(client, c, said("y")).ok()
    assert texts(client, c) == ["x", "ab", "y"]
    client.request("DELETE", f"/v1/conversations/{c}").ok()


def test_removed_items_are_passed_over(client, script):
    c = made(client, items=[said("one")])["id"]
    client.chat("two", conversation=c).ok()
    add(client, c, said("three")).ok()
    ids = [i["id"] for i in client.items(c)["data"]]
    path = f"/v1/conversations/{c}/items/"
    assert client.request("DELETE", path + ids[1]).ok().json["id"] == c
    client.get(path + ids[1]).error(404, "not_found")
    client.request("DELETE", path + ids[1]).error(404, "not_found")
    assert texts(client, c) == ["one", "two", "three"]
    for order, behind in (("asc", ["two", "three"]), ("desc", ["one"])):
        for limit in (1, 2, 3):
            assert texts(client, c, f"order={order}&limit={limit}&after={ids[1]}") == behind[:limit]
    client.request("DELETE", path + ids[3]).ok()
    s = script(up.reply(up.completion("!")))
    client.chat("four", conversation=c, config={"model": s.model}).ok()
    assert [m["content"] for m in s.request.json["messages"]] == ["one", "two", "four"]
    for i in client.items(c)["data"]:
        client.request("DELETE", path + i["id"]).ok()
    assert texts(client, c) == []
    add(client, c, said("new")).ok()
    assert texts(client, c) == ["new"]


def test_items_elsewhere_are_not_found(client):
    a = made(client, items=[said("a")])["id"]
    b = made(client, items=[said("b")])["id"]
    item = client.items(a)["data"][0]["id"]
    for path in (f"{b}/items/{item}", f"{NOBODY}/items/{item}", f"{a}/items/msg_x",
                 f"{a}/items/{item}x", f"{a}/items/fc_{item[4:]}_2", f"x/items/{item}"):
        client.get("/v1/conversations/" + path).error(404, "not_found")
    client.request("DELETE", f"/v1/conversations/{b}/items/{item}").error(404, "not_found")
    client.get(f"/v1/conversations/{b}/items?after={item}").error(400, "invalid_value", "after")
    add(client, NOBODY, said("x")).error(404, "not_found")


@pytest.mark.sqlite
def test_what_is_deleted_leaves_the_file(own):
    gateway, client = own
    kept = client.chat("kept").ok().json["conversation"]
    before = tables(gateway.database)
    turn = client.chat(WORD, metadata={"k": WORD}, stream=False).ok().json
    c, run = turn["conversation"], turn["run"]
    client.chat(WORD * 3000, conversation=c).ok()
    with client.chat_stream(WORD, conversation=c) as stream:
        list(stream)
    add(client, c, said(WORD), said("short")).ok()
    client.chat(WORD, conversation=c, parent=turn["message_id"]).ok()
    first = client.items(c)["data"][0]["id"]
    client.request("DELETE", f"/v1/conversations/{c}/items/{first}").ok()
    client.request("DELETE", f"/v1/conversations/{c}").ok()
    assert tables(gateway.database) == before
    client.get(f"/v1/runs/{run}").error(404, "not_found")
    client.get(f"/v1/runs/{run}/events").error(404, "not_found")

    c = client.chat(WORD).ok().json["conversation"]
    for item in client.items(c)["data"]:
        client.request("DELETE", f"/v1/conversations/{c}/items/{item['id']}").ok()
    gateway.stop()
    for path in gateway.folder.glob("*.db*"):
        assert WORD.encode() not in path.read_bytes(), path
    gateway.start()
    with Client(gateway.url) as again:
        assert texts(again, kept) == ["kept", "kept"]
        assert texts(again, c) == []


def test_changes_only_of_what_was_seen(client):
    made = client.post("/v1/conversations", {"title": "a"}).ok()
    path, first = f"/v1/conversations/{made.json['id']}", made.headers["etag"]

    def asked(method, tag, header="If-Match", body=None, where=path):
        return client.request(method, where, body, headers={header: tag})

    assert client.get(path).headers["etag"] == first
    for tag in (first, f"W/{first}", f'"x,y", {first}', "*"):
        same = asked("GET", tag, "If-None-Match")
        assert (same.status, same.body, same.headers["etag"]) == (304, b"", first)
    second = asked("POST", first, body={"title": "b"}).ok().headers["etag"]
    assert second != first
    for tag in (first, f"W/{second}", '"x"', "", '"0"', '"' + "9" * 40 + '"'):
        asked("GET", tag).error(412, "precondition_failed")
        asked("POST", tag, body={"title": "c"}).error(412, "precondition_failed")
        asked("DELETE", tag).error(412, "precondition_failed")
        asked("POST", tag, body={"items": [said("x")]}, where=path + "/items").error(412)
    assert asked("GET", first, "If-None-Match").ok().json["title"] == "b"
    client.chat("x", conversation=made.json["id"]).ok()
    asked("DELETE", second).error(412, "precondition_failed")
    asked("DELETE", f'{first} , {client.get(path).headers["etag"]}').ok()
    asked("GET", "*").error(404, "not_found")


def test_the_list(client):
    tag = made(client)["id"]
    all = [made(client, metadata={"tag": tag, "n": str(n), "k v": "a&b=\u00e9"})["id"]
           for n in range(7)]
    all.append(client.chat("x", metadata={"tag": tag}).ok().json["conversation"])

    def page(query):
        return client.get("/v1/conversations?" + query).ok().json

    for order, want in (("asc", all), ("desc", all[::-1])):
        for limit in (1, 3, 8, 9):
            got, after = [], ""
            while True:
                p = page(f"metadata[tag]={tag}&order={order}&limit={limit}{after}")
                got += [c["id"] for c in p["data"]]
                after = f"&after={p['last_id']}"
                if not p["has_more"]:
                    break
            assert got == want
    assert [c["id"] for c in page(f"metadata%5Btag%5D={tag}&metadata[n]=3")["data"]] == [all[3]]
    assert page("metadata[k%20v]=a%26b%3D%C3%A9&metadata[n]=6")["data"][0]["id"] == all[6]
    assert page("metadata[tag]=none") == {"object": "list", "first_id": None, "last_id": None,
                                          "has_more": False, "data": []}
    newest = page("limit=1")
    assert newest["has_more"] and newest["data"][0]["id"] == newest["first_id"] == newest["last_id"]

    client.post(f"/v1/conversations/{all[3]}", {"metadata": {"tag": "other"}}).ok()
    client.request("DELETE", f"/v1/conversations/{all[5]}").ok()
    left = [c for c in all if c not in (all[3], all[5])]
    assert [c["id"] for c in page(f"metadata[tag]={tag}&order=asc&limit=100")["data"]] == left


@pytest.mark.parametrize("query, param", [
    ("limit=0", "limit"), ("limit=101", "limit"), ("order=up", "order"), ("after=x", "after"),
    (f"after={NOBODY}", "after"), ("metadata[a]=%FF", "metadata"),
    ("&".join(f"metadata[{n}]=x" for n in range(17)), "metadata"),
])
def test_bad_queries(client, query, param):
    client.get("/v1/conversations?" + query).error(400, "invalid_value", param)

