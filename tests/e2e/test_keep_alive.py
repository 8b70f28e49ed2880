"""A stream leaves its connection as a plain answer does: open, in step, and for the next request."""

import contextlib
import json
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

import sse
import upstream as up
from client import Client
from raw import Closed, Raw, get, post
from waiting import DEADLINE, wait_until

ROUTES = ["/v1/chat", "/v1/chat/completions"]
STREAMS = 200
TIME_WAIT = "06"


@pytest.fixture(params=ROUTES)
def route(request):
    return request.param


def asked(route, model, *headers, **more):
    if route == "/v1/chat":
        body = {"messages": ["hi"], "config": {"model": model}, "store": False}
    else:
        body = {"messages": [{"role": "user", "content": "hi"}], "model": model}
    return post(route, json.dumps({**body, "stream": True, **more}).encode(), *headers)


def text_of(route, body):
    blocks = list(sse.Blocks([body]))
    answer = sse.native(blocks) if route == "/v1/chat" else sse.openai(blocks)
    assert answer.error is None
    return answer.text


def figures(client):
    lines = client.get("/metrics").ok().body.decode().splitlines()
    return [line.split()[1] for line in lines
            if line.startswith(("parley_http_connections ", "parley_http_requests_in_flight "))]


def whole(raw, route):
    reply = raw.read("POST", route)
    assert reply.status == 200 and "connection" not in reply.headers, reply.headers
    return text_of(route, reply.body)


def left_waiting(port):
    """Sockets of the gateway's port that it closed first."""
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    fields = [line.split() for line in lines]
    return [f for f in fields if int(f[1].split(":")[1], 16) == port and f[3] == TIME_WAIT]


def test_streams_after_another_share_one_connection(start, script, route):
    gateway = start(usual={})
    s = script(*up.stream("one ", "two"))
    with Raw(gateway) as raw:
        for _ in range(STREAMS):
            assert whole(raw.send(asked(route, s.model)), route) == "one two"
    assert not left_waiting(gateway.port)


def test_streams_and_other_answers_take_turns(shared, script, route):
    s = script(*up.stream("x"))
    with Raw(shared) as raw:
        for _ in range(3):
            assert whole(raw.send(asked(route, s.model)), route) == "x"
            assert raw.send(get("/v1/models", method="HEAD")).read("HEAD").status == 200
            assert whole(raw.send(asked(route, s.model)), route) == "x"
            preflight = raw.send(get(route, "Origin: http://localhost",
                                     "Access-Control-Request-Method: POST", method="OPTIONS"))
            assert preflight.read("OPTIONS").status == 204
            assert raw.send(post(route, b"{}")).read().status == 400
            assert whole(raw.send(asked(route, s.model)), route) == "x"


def test_requests_that_were_sent_at_once_are_answered_in_order(shared, script, route):
    s, other = script(*up.stream("first")), script(*up.stream("second"))
    with Raw(shared) as raw:
        raw.send(asked(route, s.model) + asked(route, other.model) + get("/livez") +
                 asked(route, s.model))
        assert whole(raw, route) == "first"
        assert whole(raw, route) == "second"
        assert raw.read().status == 200
        assert whole(raw, route) == "first"


def test_the_next_request_may_come_while_the_stream_goes_on(shared, script, route):
    """Bytes behind the request are no sign that the client leaves."""
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate), up.text(" two"), *up.ending())
    with Raw(shared) as raw:
        raw.send(asked(route, s.model))
        head = raw.read_head()
        pieces = raw.pieces(head)
        body = b""
        while b"one" not in body:
            body += next(pieces)
        raw.send(get("/livez"))
        gate.open()
        assert text_of(route, body + b"".join(pieces)) == "one two"
        assert raw.read().status == 200


def test_a_call_that_waits_delays_no_long_target(start, script, route):
    """The library reads it in many runs, and no event asks for them."""
    gateway = start(usual={"loops": 1})
    took = 0
    with Raw(gateway) as other:
        for _ in range(5):
            gate = up.Gate()
            s = script(up.wait(gate), up.sse(), up.role(), up.text("one"), *up.ending())
            with Raw(gateway) as raw:
                raw.send(asked(route, s.model))
                s.wait()
                began = time.monotonic()
                assert other.send(get("/livez?" + "a" * 12000)).read().status == 200
                took += time.monotonic() - began
                gate.open()
                assert whole(raw, route) == "one"
    assert took < 3  # a second each, if nothing but the next look at all connections helped


def stands(x):
    """The provider is held back, or a generous kernel has taken all that the gateway had no room for."""
    sent = x.sent
    return x.done.wait(0.2) or x.sent == sent > 0


def test_a_reader_that_pauses_keeps_its_connection(shared, script, route):
    """The socket is full for a while, at the end too: no kernel takes so much for one that does not read."""
    s = script(*up.stream(*["y" * 16000] * 600))
    with Raw(shared, receive_buffer=1 << 14) as raw:
        for number in range(1, 4):
            raw.send(asked(route, s.model))
            head = raw.read_head()
            wait_until(lambda x=s.wait(number): stands(x), "the provider to stand still")
            assert len(text_of(route, b"".join(raw.pieces(head)))) == 600 * 16000


@pytest.mark.parametrize("headers", [["Connection: close"], ["Connection: keep-alive, close"]])
def test_a_client_that_wants_it_closed_is_told(shared, script, route, headers):
    s = script(*up.stream("x"))
    with Raw(shared) as raw:
        reply = raw.send(asked(route, s.model, *headers)).read("POST", route)
        assert reply.closes and text_of(route, reply.body) == "x" and raw.at_end()


def test_one_that_leaves_in_the_middle_leaves_nothing(start, script, route):
    gateway = start(usual={})
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate))
    with Raw(gateway) as raw:
        raw.send(asked(route, s.model))
        raw.read_head()
    s.wait().wait_closed()
    with Client(gateway.url) as client:
        wait_until(lambda: figures(client) == ["1", "1"], "nobody but the one who asks")


def test_a_stream_that_ends_while_the_server_stops_is_whole_and_closes(start, script, route):
    gateway = start(usual={"drain_timeout": "60s"})
    held, gate = up.Gate(), up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate), up.text(" two"), *up.ending())
    other = script(up.sse(), up.role(), up.text("one"), up.wait(held), *up.ending())
    with Raw(gateway) as keeps, Raw(gateway) as raw:
        keeps.send(asked(route, other.model)).read_head()
        raw.send(asked(route, s.model))
        head = raw.read_head()
        mark = len(gateway.lines)
        gateway.signal(signal.SIGTERM)
        gateway.wait_log("drain", mark)
        gate.wait_reached()
        gate.open()
        assert text_of(route, b"".join(raw.pieces(head))) == "one two"
        assert raw.at_end(), "nobody else is told to come back here"
        held.open()
    assert gateway.wait_exit() == 0


# --- streams that break ---------------------------------------------------------------------------


def killed_at(start, script, route):
    """A gateway with a stream that has begun, and what the stream hangs on."""
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("half "), up.wait(gate))
    return start(usual={}), s, gate


def test_a_gateway_that_is_killed_leaves_no_whole_body(start, script, route):
    gateway, s, gate = killed_at(start, script, route)
    with Raw(gateway) as raw:
        head = raw.send(asked(route, s.model)).read_head()
        pieces = raw.pieces(head)
        body = b""
        while b"half " not in body:
            body += next(pieces)
        gateway.kill()
        with pytest.raises(Closed):
            list(pieces)
    assert "connection" not in head.headers, "Node takes the end of such a body for its real end"
    assert gate


FETCH = """
const [url, body] = process.argv.slice(1);
const reply = await fetch(url, {method: "POST", headers: {"Content-Type": "application/json"}, body});
const text = new TextDecoder();
try {
	for await (const piece of reply.body)
		process.stdout.write(text.decode(piece));
	console.log("WHOLE");
} catch (error) {
	console.log("BROKEN", error.message);
}
"""


@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")
def test_node_s_fetch_sees_that_the_gateway_was_killed(start, script, route):
    gateway, s, gate = killed_at(start, script, route)
    body = asked(route, s.model).partition(b"\r\n\r\n")[2].decode()
    node = subprocess.Popen(["node", "--input-type=module", "-e", FETCH, gateway.url + route, body],
                            stdout=subprocess.PIPE, text=True)
    seen = ""
    while "half " not in seen:
        line = node.stdout.readline()
        assert line, f"fetch ended: {seen}"
        seen += line
    gateway.kill()
    assert "BROKEN terminated" in node.communicate(timeout=DEADLINE)[0]
    assert gate


def test_the_connection_stays_after_an_error_in_mid_stream(shared, script, route):
    s = script(up.sse(), up.role(), up.text("half "), up.hang_up())
    with Raw(shared) as raw:
        head = raw.send(asked(route, s.model)).read_head()
        body = b"".join(raw.pieces(head))
        assert b'"half "' in body and b'"stream_incomplete"' in body and b"[DONE]" not in body
        assert raw.send(get("/livez")).read().status == 200
