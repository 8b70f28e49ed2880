"""Forks of conversations, and branches read by their leaf."""

import threading
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest

import upstream as up
from client import Client
from gateway import CANARY
from test_conversations import NOBODY, add, made, said, texts
from waiting import DEADLINE


def fork(client, conversation, headers=None, **body):
    return client.post(f"/v1/conversations/{conversation}/fork", body, headers=headers)


def forked(client, conversation, **body):
    return fork(client, conversation, **body).ok().json["id"]


def sees(client, script, conversation, *messages, **fields):
    """What the provider is sent by a turn."""
    s = script(up.reply(up.completion("ok")))
    client.chat(*messages, conversation=conversation, config={"model": s.model}, **fields).ok()
    return [m["content"] for m in s.request.json["messages"]]


def branch(client, conversation, leaf=None):
    query = f"&leaf={leaf}" if leaf else ""
    page = client.get(f"/v1/conversations/{conversation}/messages?format=openai{query}").ok().json
    return [m["content"] for m in page["data"]]


def ids(client, conversation):
    return [i["id"] for i in client.items(conversation)["data"]]


@pytest.fixture
def talk(client):
    """one/one, then two/two; and beside that else/else: the newest branch."""
    one = client.chat("one", instruction="Be brief.", metadata={"a": "b"}).ok().json
    c = one["conversation"]
    two = client.chat("two", conversation=c).ok().json
    other = client.chat("else", conversation=c, parent=one["message_id"],
                        instruction="Be long.").ok().json
    client.post(f"/v1/conversations/{c}", {"title": "Talk"}).ok()
    return {"id": c, "one": one["message_id"], "two": two["message_id"],
            "else": other["message_id"]}


def test_the_provider_sees_the_branch(client, script, talk):
    c = talk["id"]
    for at, said_so_far in (({}, ["Be long.", "one", "one", "else", "else"]),
                            ({"at": talk["else"]}, ["Be long.", "one", "one", "else", "else"]),
                            ({"at": talk["two"]}, ["Be brief.", "one", "one", "two", "two"]),
                            ({"at": talk["one"]}, ["Be brief.", "one", "one"])):
        copy = forked(client, c, **at)
        again = forked(client, copy)
        assert sees(client, script, copy, "on") == [*said_so_far, "on"]
        assert sees(client, script, again, "on") == [*said_so_far, "on"]
        assert sees(client, script, again, "and") == [*said_so_far, "on", "ok", "and"]
        assert sees(client, script, again, "new", instruction="Other.") == [
            "Other.", *said_so_far[1:], "on", "ok", "and", "ok", "new"]
        assert sees(client, script, copy, "none", instruction="") == [
            *said_so_far[1:], "on", "ok", "none"]
    assert texts(client, c) == ["one", "one", "else", "else"]


def test_the_conversation_it_makes(client, talk):
    before = client.get(f"/v1/conversations/{talk['id']}").ok()
    reply = fork(client, talk["id"]).ok()
    assert reply.json["metadata"] == before.json["metadata"] == {"a": "b"}
    assert reply.json["title"] == "Talk" and reply.headers["etag"] == '"1"'
    assert client.get(f"/v1/conversations/{reply.json['id']}").ok().json == reply.json
    assert not set(ids(client, reply.json["id"])) & set(ids(client, talk["id"]))
    own = fork(client, talk["id"], title="Mine", metadata={"c": "d"}).ok().json
    assert own["title"] == "Mine" and own["metadata"] == {"c": "d"}
    bare = fork(client, talk["id"], title="", metadata={}).ok().json
    assert bare["title_source"] == "words" and bare["metadata"] == {}
    same = fork(client, talk["id"], title=None, metadata=None, at=None).ok().json
    assert same["title"] == "Talk" and same["metadata"] == reply.json["metadata"]
    assert client.post(f"/v1/conversations/{talk['id']}/fork").ok().json["title"] == "Talk"
    found = client.get("/v1/conversations?metadata[c]=d").ok().json["data"]
    assert own["id"] in [x["id"] for x in found]
    after = client.get(f"/v1/conversations/{talk['id']}").ok()
    assert after.json == before.json and after.headers["etag"] == before.headers["etag"]
    empty = forked(client, made(client)["id"])
    assert texts(client, empty) == []


def test_content_is_copied_as_it_came(client):
    parts = [{"type": "text", "text": "caf\u00e9 \U0001f600"},
             {"type": "image_url", "image_url": {"url": "https://example.com/x.png"}}]
    message = {"role": "user", "content": parts, "name": "ann",
               "context": {"files": [{"name": "a.txt", "content": "text"}]}}
    sent = client.chat(message, {"role": "user", "type": "code", "format": "python",
                                 "content": "1+1"}).ok().json
    copy = forked(client, sent["conversation"])
    for shape in ("native", "openai", "lmc"):
        path = "/v1/conversations/{}/messages?format=" + shape
        assert client.get(path.format(copy)).ok().json["data"] == (
            client.get(path.format(sent["conversation"])).ok().json["data"])


def test_items_of_every_kind_and_places_in_them(client):
    call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    out = {"type": "function_call_output", "call_id": "c1", "output": "7"}
    c = made(client, items=[said("one"), call, out, said("two", "assistant")])["id"]
    items = client.items(c)["data"]
    assert texts(client, forked(client, c)) == ["one", "function_call", "function_call_output", "two"]
    assert texts(client, forked(client, c, at=items[1]["id"])) == ["one", "function_call"]
    assert texts(client, forked(client, c, at=items[2]["id"])) == [
        "one", "function_call", "function_call_output"]
    client.request("DELETE", f"/v1/conversations/{c}/items/{items[0]['id']}").ok()
    assert texts(client, forked(client, c, at=items[3]["id"])) == [
        "function_call", "function_call_output", "two"]
    fork(client, c, at=items[0]["id"]).error(404, "not_found", "at")


def test_what_is_not_there(client, talk):
    other = client.chat("other").ok().json
    for at in (other["message_id"], "msg_" + "0" * 31 + "1", "msg_x", other["conversation"], "x"):
        fork(client, talk["id"], at=at).error(404, "not_found", "at")
    fork(client, NOBODY).error(404, "not_found", None)
    fork(client, "conv_x").error(404, "not_found", None)
    fork(client, talk["id"], at=7).error(400, "invalid_type", "at")
    fork(client, talk["id"], at="").error(400, "invalid_value", "at")
    fork(client, talk["id"], leaf="x").error(400, "unknown_parameter", "leaf")
    fork(client, talk["id"], metadata={"a": 1}).error(400, "invalid_type", "metadata.a")
    fork(client, talk["id"], title="x" * 600).error(400, "invalid_value", "title")


def test_only_of_what_was_seen(client, talk):
    tag = client.get(f"/v1/conversations/{talk['id']}").ok().headers["etag"]
    fork(client, talk["id"], headers={"If-Match": tag}).ok()
    fork(client, talk["id"], headers={"If-Match": "*"}).ok()
    add(client, talk["id"], said("more")).ok()
    fork(client, talk["id"], headers={"If-Match": tag}).error(412, "precondition_failed")


def test_while_a_run_goes_on(client, script):
    first = client.chat("one", instruction="Be brief.").ok().json
    c, gate = first["conversation"], up.Gate()
    s = script(up.sse(), up.role(), up.text("a"), up.wait(gate), up.text("b"), *up.ending())
    with client.chat_stream("x", conversation=c, config={"model": s.model}) as stream:
        stream.until_text("a")
        copy, earlier = forked(client, c), forked(client, c, at=first["message_id"])
        assert texts(client, copy) == ["one", "one", "x"]
        assert texts(client, earlier) == ["one", "one"]
        # Another model answers what this one is still being asked.
        assert sees(client, script, copy) == ["Be brief.", "one", "one", "x"]
        client.request("DELETE", f"/v1/conversations/{copy}").ok()
        gate.open()
        assert stream.native().text == "ab"
    assert texts(client, c) == ["one", "one", "x", "ab"]
    assert texts(client, earlier) == ["one", "one"]


def test_at_an_answer_that_broke_off(client, script):
    s = script(up.sse(), up.role(), up.text("half"), up.hang_up())
    with client.chat_stream("go", config={"model": s.model}) as stream:
        list(stream)
        c = stream.headers["x-conversation-id"]
    run = stream.headers["x-run-id"]
    assert client.run(run)["status"] == "incomplete"
    copy = forked(client, c, at="msg_" + run.removeprefix("run_"))
    assert sees(client, script, copy, "on") == ["go", "half", "on"]


def test_neither_needs_the_other(client, talk):
    copy = forked(client, talk["id"])
    again = forked(client, copy)
    client.request("DELETE", f"/v1/conversations/{talk['id']}").ok()
    assert texts(client, copy) == ["one", "one", "else", "else"]
    client.request("DELETE", f"/v1/conversations/{copy}/items/{ids(client, copy)[2]}").ok()
    assert texts(client, copy) == ["one", "one", "else"]
    client.request("DELETE", f"/v1/conversations/{copy}").ok()
    assert texts(client, again) == ["one", "one", "else", "else"]
    client.chat("on", conversation=again).ok()


def test_forks_live_through_a_restart(start, script):
    gateway = start(usual={})
    with Client(gateway.url) as client:
        c = client.chat("one", instruction="Be brief.").ok().json["conversation"]
        copy = forked(client, c)
    gateway.kill()
    gateway.start()
    with Client(gateway.url) as client:
        assert sees(client, script, copy, "on") == ["Be brief.", "one", "one", "on"]


def test_forks_belong_to_their_owners(start):
    keys = [f"pk-{CANARY}-one", f"pk-{CANARY}-two"]
    gateway = start(usual={"api_keys": [{"env": f"KEY_{n}"} for n in "ab"]},
                    env={f"KEY_{n}": k for n, k in zip("ab", keys)})
    one, two = [Client(gateway.url, headers={"Authorization": f"Bearer {k}"}) for k in keys]
    with one, two:
        asked = one.chat("one").ok().json
        mine = two.chat("two").ok().json
        fork(two, asked["conversation"]).error(404, "not_found", None)
        fork(two, mine["conversation"], at=asked["message_id"]).error(404, "not_found", "at")
        copy = forked(one, asked["conversation"])
        two.get(f"/v1/conversations/{copy}").error(404, "not_found")
        path = f"/v1/conversations/{mine['conversation']}/messages?leaf={asked['message_id']}"
        two.get(path).error(404, "not_found", "leaf")


def test_forks_and_writes_at_once(shared, script):
    """Each copy is a branch as it was at one moment."""
    with Client(shared.url) as client:
        c = client.chat("0").ok().json["conversation"]
    over = threading.Event()

    def write():
        with Client(shared.url) as client:
            for n in range(1, 15):
                client.chat(str(n), conversation=c).ok()
        over.set()

    def copy(_):
        copies = []
        with Client(shared.url) as client:
            while not over.is_set() and len(copies) < 200:
                copies.append(texts(client, forked(client, c)))
        return copies
    with ThreadPoolExecutor(4) as pool:
        writing = pool.submit(write)
        copies = [one for found in pool.map(copy, range(3)) for one in found]
        writing.result()
    for got in copies:
        whole = [str(n // 2) for n in range(30)]
        assert got and got == whole[:len(got)]


def test_the_sdk_lists_a_fork(shared, talk):
    with Client(shared.url) as client:
        copy = forked(client, talk["id"])
        want = ids(client, copy)
    with openai.OpenAI(base_url=shared.url + "/v1", api_key="x", timeout=DEADLINE,
                       max_retries=0, _strict_response_validation=True) as sdk:
        assert sdk.conversations.retrieve(copy).id == copy
        assert [i.id for i in sdk.conversations.items.list(copy, limit=1, order="asc")] == want
        assert sdk.conversations.items.retrieve(want[0], conversation_id=copy).id == want[0]
        sdk.conversations.items.create(copy, items=[said("more")])
        assert len(list(sdk.conversations.items.list(copy))) == len(want) + 1
        assert sdk.conversations.delete(copy).deleted


def test_any_branch_can_be_read(client, talk):
    c = talk["id"]
    assert branch(client, c) == ["one", "one", "else", "else"]
    assert branch(client, c, talk["else"]) == ["one", "one", "else", "else"]
    assert branch(client, c, talk["two"]) == ["one", "one", "two", "two"]
    assert branch(client, c, talk["one"]) == ["one", "one"]
    pages, after = [], ""
    while after is not None:
        page = client.get(f"/v1/conversations/{c}/messages?leaf={talk['two']}&limit=1"
                          f"&after={after}").ok().json
        pages += [m["content"] for m in page["data"]]
        after = page["last_id"] if page["has_more"] else None
    assert pages == ["one", "one", "two", "two"]
    path = f"/v1/conversations/{c}/messages?leaf="
    client.get(path + client.chat("x").ok().json["message_id"]).error(404, "not_found", "leaf")
    client.get(path + "msg_x").error(404, "not_found", "leaf")
    client.get(f"{path}{talk['two']}&after={talk['else']}").error(400, "invalid_value", "after")
    client.request("DELETE", f"/v1/conversations/{c}/items/{talk['two']}").ok()
    client.get(path + talk["two"]).error(404, "not_found", "leaf")
