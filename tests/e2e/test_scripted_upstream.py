"""The scripted provider itself: what the other tests rely on, shown with plain clients."""

import json
import socket

import httpx
import pytest

import sse
import upstream as up
from waiting import DEADLINE


def ask(upstream, script, **more):
    # No dialect's place: what is asked here is for no provider.
    return httpx.Request("POST", f"{upstream.url}/x",
                         content=json.dumps({"model": script.name, **more}))


@pytest.fixture
def http():
    with httpx.Client(trust_env=False, timeout=DEADLINE) as client:
        yield client


def test_it_answers_whole_and_keeps_the_raw_request(upstream, script, http):
    s = script(up.reply(up.completion("hi"), headers=[("Retry-After", "3")]))
    answer = http.send(ask(upstream, s, x="é"))
    assert answer.json()["choices"][0]["message"]["content"] == "hi"
    assert answer.headers["retry-after"] == "3"
    assert s.request.body == answer.request.content
    assert s.request.method == "POST" and s.request.target == "/v1/x"


def test_a_stream_split_at_every_byte_arrives_whole(upstream, script, http):
    content = b"data: {\"choices\":[]}\r\n\r\ndata: [DONE]\r\n\r\n"
    s = script(up.sse(), up.bytewise(content), up.end())
    assert http.send(ask(upstream, s)).content == content


def test_a_gate_holds_the_stream_until_it_is_opened(upstream, script, http):
    gate = up.Gate()
    s = script(up.sse(), up.text("one"), up.wait(gate), up.text("two"), *up.ending())
    with http.stream("POST", f"{upstream.url}/x", content=json.dumps({"model": s.name})) as answer:
        blocks = sse.Blocks(answer.iter_raw())
        assert sse.text_of(blocks.next_data().json) == "one"
        gate.wait_reached()
        gate.open()
        assert sse.text_of(blocks.next_data().json) == "two"
        assert [b.data for b in blocks][-1] == "[DONE]"


def test_the_leaving_of_the_peer_is_noticed_while_stalled(upstream, script, http):
    gate = up.Gate()
    s = script(up.sse(), up.text("one"), up.wait(gate))
    with http.stream("POST", f"{upstream.url}/x", content=json.dumps({"model": s.name})):
        gate.wait_reached()
        assert not s.wait().closed.is_set()
    s.wait().wait_closed()  # the gate is still shut


@pytest.mark.parametrize("reset", [False, True])
def test_it_hangs_up_in_the_middle(upstream, script, http, reset):
    s = script(up.sse(), up.text("one"), up.hang_up(reset))
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        http.send(ask(upstream, s))


def test_a_connection_is_used_again(upstream, script, http):
    s = script(up.either("hi"))
    before = upstream.connections
    for stream in (True, False, True):
        http.send(ask(upstream, s, stream=stream))
    assert upstream.connections == before + 1 and len(s.exchanges) == 3


def test_a_chunked_request_is_understood(upstream, script):
    s = script(up.reply({}))
    body = json.dumps({"model": s.name}).encode()
    with socket.create_connection(("127.0.0.1", upstream.port), timeout=DEADLINE) as sock:
        sock.sendall(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                     + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        assert sock.recv(100).startswith(b"HTTP/1.1 200")
    assert s.request.body == body
