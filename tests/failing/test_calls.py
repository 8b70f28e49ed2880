"""Whole calls in which the n-th allocation fails, for n = 1, 2, ... until a call meets no failure.

The gateway neither dies nor leaks (the sanitizers look), and serves the next call.  The client has the
whole answer, or an error; an answer that it has is stored, and is what its key gives again.
"""

import json
import mmap
import os
import struct
import uuid
from functools import partial

import httpx
import pytest

import gateway as gateways
import keys
import responses
import upstream as up
from client import Client

CHAT, COMPLETIONS = "/v1/chat", "/v1/chat/completions"
RESPONSES, MESSAGES, TEXTS = "/v1/responses", "/v1/messages", "/v1/completions"
WORDS = ["one ", "two ", "```py\nprint(1)\n```", " three"]
WHOLE = "".join(WORDS)
MOST = 20_000  # more than a call ever takes
# with PARLEY_TEST_TELL set the log has the stack of each call that was refused
TELL = {"PARLEY_REFUSE_TELL": "1"} if "PARLEY_TEST_TELL" in os.environ else {}

pytestmark = pytest.mark.skipif(not gateways.BINARY.exists(),
                                reason="only clang's ASan build has parley_refuse")


class Refuse:
    """What refuse.c reads: the members of struct refuse, each of eight bytes."""
    PLACES = 1 << 14

    def __init__(self, path):
        path.write_bytes(bytes(8 * (5 + self.PLACES)))
        self.path = path
        with path.open("r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)

    def _put(self, index, value):
        self.map[8 * index:8 * index + 8] = struct.pack("=Q", value)

    def arm(self, number, libraries):
        self._put(1, 0)
        self._put(3, libraries)
        self._put(0, number)

    def disarm(self):
        """Whether a call was refused."""
        self._put(0, 0)
        return struct.unpack("=Q", self.map[8:16])[0] > 0


def error_of(reply):
    """A replay has the first answer's bytes, and so its request id.  Anthropic's shape has fewer members."""
    if reply.headers.get("idempotency-replayed") or reply.json.get("type") == "error":
        return reply.json["error"]
    return reply.error(reply.status)


def asked(path, model, stream, store):
    user = {"role": "user", "content": "go"}
    return {"stream": stream, **{
        CHAT: {"messages": [user], "store": store, "config": {"model": model}},
        COMPLETIONS: {"messages": [user], "store": store, "model": model},
        RESPONSES: {"input": [user], "store": store, "model": model},
        MESSAGES: {"messages": [user], "max_tokens": 100, "model": model},
        TEXTS: {"prompt": "go", "model": model},
    }[path]}


def said(path, answer):
    """The text of a whole answer."""
    if path == RESPONSES:
        return responses.text_of(answer)
    if path == MESSAGES:
        return "".join(block["text"] for block in answer["content"])
    choice = answer["choices"][0]
    return choice["text"] if path == TEXTS else choice["message"]["content"]


class Streamed:
    """The text of a stream of these routes, and its error."""

    def __init__(self, path, stream):
        events = [json.loads(b.data) for b in stream if not b.is_comment and b.data != "[DONE]"]
        last = stream.seen[-1].data
        self.error = next((e["error"] for e in events if e.get("error")), None)
        if path == TEXTS:
            self.text = "".join(c["text"] for e in events for c in e.get("choices", []))
            whole = last == "[DONE]"
        else:
            key = "text_delta" if path == MESSAGES else "response.output_text.delta"
            deltas = [e["delta"] if path == MESSAGES else e for e in events if "delta" in e]
            self.text = "".join(d["text" if path == MESSAGES else "delta"] for d in deltas
                                if d.get("type") == key)
            whole = events[-1]["type"] in ("message_stop", "response.completed")
        assert whole != bool(self.error), f"no end: {stream.seen}"


class Seen:
    """What a client has of a call: an answer, an error, or a connection that broke."""

    def __init__(self, url, path, body, key):
        self.done = self.broke = False
        self.error = self.conversation = self.body = None
        headers = {"Idempotency-Key": key} if key else {}
        try:
            with Client(url) as client:
                (self._stream if body["stream"] else self._plain)(client, path, body, headers)
        except (httpx.NetworkError, httpx.RemoteProtocolError):
            self.broke = True

    def _plain(self, client, path, body, headers):
        reply = client.post(path, body, headers=headers)
        self.conversation = reply.headers.get("x-conversation-id")
        if reply.status == 200:
            assert said(path, reply.json) == WHOLE, f"neither the answer nor an error: {reply!r}"
            self.done, self.body = True, reply.body
        else:
            assert reply.status >= 500, f"no client's fault:{reply!r}"
            self.error = error_of(reply)

    def _stream(self, client, path, body, headers):
        with client.stream(path, body, headers) as stream:
            self.conversation = stream.headers.get("x-conversation-id")
            if stream.status != 200:
                self.error = error_of(stream.reply())
                assert stream.status >= 500
                return
            stream.check_head()
            answer = (stream.native() if path == CHAT else stream.openai() if path == COMPLETIONS
                      else Streamed(path, stream))
            self.error = answer.error
            if not self.error:
                assert answer.text == WHOLE, f"neither the answer nor an error: {stream.seen}"
                self.done = True
                self.body = [b.data for b in stream.seen if not b.is_comment]

    def __repr__(self):
        return f"done={self.done} broke={self.broke} error={self.error}"


def is_stored(client, seen):
    """An acknowledged turn is there, whole; another one is not there with another answer."""
    reply = client.get(f"/v1/conversations/{seen.conversation}/items?order=asc&limit=100")
    if not seen.done and reply.status == 404:
        return
    items = reply.ok().json["data"]
    texts = ["".join(part.get("text", "") for part in item["content"] or [])
             for item in items if item["role"] == "assistant" and item["status"] == "completed"]
    assert texts == [WHOLE] if seen.done else texts in ([], [WHOLE]), f"{seen}: {items}"


def is_given_again(client, path, body, key, seen, model):
    """With the same key: the answer that was given; the provider has then been asked once.  An answer that is
    stored nowhere else may be lost to its key; then the key is free, or says so."""
    again = Seen(client.http.base_url, path, body, key)
    if seen.done and body.get("store"):
        assert again.done and again.body == seen.body, f"{seen}, then {again}"
        assert len(model.exchanges) == 1
    else:
        assert not again.broke and (again.done or again.error)
        assert len(model.exchanges) <= 2


# How a call is kept: stored or not, with a key or not.
KEPT = {path: [(False, False), (True, False), (True, True)] for path in (CHAT, COMPLETIONS, RESPONSES)}
KEPT |= {path: [(False, False), (False, True)] for path in (MESSAGES, TEXTS)}
KINDS = [(path, stream, store, keyed) for path, ways in KEPT.items() for stream in (False, True)
         for store, keyed in ways]
NAMES = {CHAT: "chat", COMPLETIONS: "completions", RESPONSES: "responses", MESSAGES: "messages",
         TEXTS: "texts"}


def name_of(kind):
    path, stream, store, keyed = kind
    return "-".join([NAMES[path], "stream" if stream else "plain",
                     "keyed" if keyed else "stored" if store else "unstored"])


@pytest.mark.parametrize("libraries", [False, True], ids=["ours", "all"])
@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_each_allocation_of_a_call_fails(start, script, tmp_path, kind, libraries):
    path, stream, store, keyed = kind
    refuse = Refuse(tmp_path / "refuse")
    gateway = start(usual={}, env={"PARLEY_REFUSE": str(refuse.path), **TELL})
    ends = {"done": 0, "error": 0, "broke": 0}
    with Client(gateway.url) as client:
        for number in range(1, MOST):
            model = script(*up.stream(*WORDS)) if stream else script(up.reply(up.completion(WHOLE)))
            body = asked(path, model.model, stream, store)
            key = str(uuid.uuid4()) if keyed else None
            refuse.arm(number, libraries)
            try:
                seen = Seen(gateway.url, path, body, key)
            finally:
                touched = refuse.disarm()
            assert gateway.alive(), f"it died at {number}:\n{gateway.log()}"
            ends["done" if seen.done else "broke" if seen.broke else "error"] += 1
            for look in ([partial(is_stored, client, seen)] if store and seen.conversation else []) + (
                    [partial(is_given_again, client, path, body, key, seen, model)] if keyed else []):
                try:
                    look()
                except AssertionError as error:
                    raise AssertionError(f"at {number}, {seen}: {error}\n{gateway.log()}") from error
            if not touched:
                assert seen.done, f"no allocation failed: {seen}\n{gateway.log()}"
                break
        else:
            pytest.fail(f"each of {MOST} calls was refused memory")
    assert number > 10, "hardly any allocation was seen"
    print(f"{number - 1} allocations, {ends}")


# Routes whose answers, or requests, are json-c's trees; and one that this key may not use.
ADMINISTERED = {
    "usage": (200, "GET", "/v1/usage", None),
    "usage-of-all": (200, "GET", "/v1/admin/usage", None),
    "keys": (200, "GET", "/v1/admin/keys", None),
    "new-key": (200, "POST", "/v1/admin/keys",
                {"name": "other", "limits": {"requests": {"count": 5, "window": "1m"}}}),
    "refusal": (403, "GET", "/v1/conversations", None),
}


@pytest.mark.parametrize("name", ADMINISTERED)
def test_each_allocation_of_an_administrators_call_fails(start, tmp_path, name):
    status, method, path, body = ADMINISTERED[name]
    refuse = Refuse(tmp_path / "refuse")
    gateway = start(usual={}, args=["--admin-listen", "127.0.0.1:0"],
                    env={"PARLEY_REFUSE": str(refuse.path), **TELL})
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin,chat"))
    ends = {"usual": 0, "error": 0, "broke": 0}
    for number in range(1, MOST):
        with keys.client_of(gateway, root["key"], admin="admin" in path) as client:
            refuse.arm(number, libraries=True)
            try:
                reply = client.request(method, path, body)
            except (httpx.NetworkError, httpx.RemoteProtocolError):
                ends["broke"] += 1
            else:
                assert reply.status == status or reply.status >= 500, f"{number}: {reply!r}"
                ends["usual" if reply.status == status else "error"] += 1
                assert reply.json if reply.status < 300 else reply.error(reply.status)
            finally:
                touched = refuse.disarm()
            assert gateway.alive(), f"it died at {number}:\n{gateway.log()}"
        if not touched:
            break
    else:
        pytest.fail(f"each of {MOST} calls was refused memory")
    assert number > 10, "hardly any allocation was seen"
    assert ends["usual"] > 0, ends
    print(f"{number - 1} allocations, {ends}")
