"""Each request ends in the gateway's eyes, too, whatever its client did and wherever the library
gave it up: nothing stays in flight, no memory is kept, and a stop takes no longer."""

import contextlib
import json
import signal
import socket
import ssl
import struct
import time

import pytest

import upstream as up
from gateway import sanitized
from overload import descriptors, idle, metric, returns_to
from raw import Closed, Raw, get, post
from secure import certificate
from waiting import DEADLINE, wait_until

MIB = 1 << 20
CHAT = b'{"messages":["hi"],"store":false}'
HANDLES = 60  # libcurl's have two descriptors each and stay
BY_CHUNKS = {"length": False}


def options(tls, tmp_path):
    """The gateway's, plain or with a certificate."""
    if not tls:
        return {}
    both = certificate(tmp_path)
    return {"tls_cert": str(both), "tls_key": str(both)}


@pytest.fixture(params=[False, True], ids=["plain", "tls"])
def gateway(request, start, tmp_path):
    return start(usual=options(request.param, tmp_path))


def ends_at_once(gateway):
    gateway.signal(signal.SIGTERM)
    assert gateway.wait_exit(5) == 0


# --- states and endings ---------------------------------------------------------------------------

UPLOAD = ("POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"
          "Content-Type: multipart/form-data; boundary=x\r\n\r\n").encode() + (
    b'--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--x\r\n'
    b'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello')
CHUNKED = post("/v1/chat", b"", "Transfer-Encoding: chunked", **BY_CHUNKS)


def call(model, stream):
    return post("/v1/chat", json.dumps({"messages": ["hi"], "store": False, "stream": stream,
                                        "config": {"model": model}}).encode())


# What is sent to come there; MODEL's provider never ends.  The second is whether the gateway ends
# such a connection by itself within seconds.
STATES = {
    "silent": (lambda model: b"", False),
    "request line": (lambda model: b"GET /livez?a=b HT", False),  # counts as silent
    "head": (lambda model: get("/livez?a=b")[:-2], True),
    "head of HTTP/1.0": (lambda model: b"GET /livez HTTP/1.0\r\nX-A:", True),
    "body": (lambda model: post("/v1/chat", CHAT)[:-5], True),
    "body of HTTP/1.0": (lambda model: post("/v1/chat", CHAT, version="HTTP/1.0")[:-5], True),
    "body that waits for 100": (lambda model: post("/v1/chat", CHAT, "Expect: 100-continue")[:-len(CHAT)],
                                True),
    "chunk": (lambda model: CHUNKED + b"10\r\n" + CHAT[:10], True),
    "size of a chunk": (lambda model: CHUNKED + b"1\r\n{\r\n1", True),
    "size of a chunk without end": (lambda model: CHUNKED + b"1;" + b"a" * 100000, True),
    "trailer": (lambda model: CHUNKED + b"2\r\n{}\r\n0\r\nX-T: a\r\nX-U", True),
    "upload": (lambda model: UPLOAD, True),
    "refused body": (lambda model: post("/nowhere", b"", "Content-Length: 1000", **BY_CHUNKS) + b"a" * 20,
                     True),
    "behind another": (lambda model: get("/livez") + post("/v1/chat", CHAT)[:-5], True),
    "waiting": (lambda model: call(model, False), False),
    "waiting with another behind": (lambda model: call(model, False) + get("/livez"), False),
    "streaming": (lambda model: call(model, True), False),
}

# The library's room is full of what it can't take up: it reads no more, and sees no end before the deadline.
STUCK = {"size of a chunk without end"}


def half_close(raw):
    raw.sock.shutdown(socket.SHUT_WR)
    raw.rest()


def reset(raw):
    raw.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def garbage(raw):
    raw.send(b"\0\xff;no line of any kind\r\n\r\n\r\n")


def overflow(raw):
    raw.send(b"x" * 100000 + b"\r\n")


ENDINGS = [("closed", lambda raw: None), ("half closed", half_close), ("reset", reset),
           ("garbage", garbage), ("overflow", overflow)]


@pytest.fixture
def endless(script):
    """A model whose provider begins an answer, and says no more."""
    gate = up.Gate()
    model = script(up.sse(), up.role(), up.text("one "), up.wait(gate)).model
    yield model
    gate.open()


@pytest.mark.parametrize("state", [s for s in STATES if s not in STUCK])
def test_whatever_its_client_does(gateway, endless, state):
    files = descriptors(gateway)
    for name, end in ENDINGS:
        with contextlib.ExitStack() as stack:
            raws = [stack.enter_context(Raw(gateway)) for _ in range(4)]
            for raw in raws:
                raw.send(STATES[state][0](endless))
            if state not in ("silent", "request line"):
                wait_until(lambda: metric(gateway, "parley_http_requests_in_flight") >= 5,
                           "four requests and the look at them")
            for raw in raws:
                with contextlib.suppress(OSError):
                    end(raw)
        wait_until(lambda: idle(gateway), f"none is in flight, {name}")
    returns_to(gateway, files + HANDLES)
    ends_at_once(gateway)


def ended(raw):
    """The gateway has closed the connection, whatever it said before."""
    with contextlib.suppress(TimeoutError):
        raw.rest()
        return True
    return False


@pytest.mark.long
def test_when_its_time_is_over(start, endless):
    """Clients that send no more; who waits for a provider may do so."""
    gateway = start(usual={})
    with contextlib.ExitStack() as stack:
        raws = {state: stack.enter_context(Raw(gateway)).send(sent(endless))
                for state, (sent, times_out) in STATES.items() if times_out}
        wait_until(lambda: metric(gateway, "parley_http_requests_in_flight") >= 10, "they are in flight")
        for state, raw in raws.items():
            raw.sock.settimeout(20 + DEADLINE)
            assert ended(raw), state
        wait_until(lambda: idle(gateway), "none is in flight")
        ends_at_once(gateway)


# --- what the library ends by itself --------------------------------------------------------------

def headed(*lines, body=b"", line="GET /livez HTTP/1.1"):
    return "\r\n".join([line, "Host: localhost", *lines]).encode("latin-1") + b"\r\n\r\n" + body


ARGUMENTS = "&".join(["a=b"] * 500)
COOKIES = "Cookie: " + "a=b;" * 1500
# Its pool for a connection is 24 KiB; arguments, cookies and header lines cost it records of their own.
TOO_MUCH = {
    "arguments": get("/livez?" + ARGUMENTS),
    "arguments without values": get("/livez?" + "a&" * 1000),
    "arguments that fill the target": get("/livez?" + "a=b&" * 6000),
    "arguments and headers": headed(*["X: 1"] * 99, line=f"GET /livez?{ARGUMENTS} HTTP/1.1"),
    "arguments and a body": post("/v1/chat?" + ARGUMENTS, CHAT),
    "arguments of HTTP/1.0": get("/livez?" + ARGUMENTS, version="HTTP/1.0"),
    "arguments behind another": get("/livez") + get("/livez?" + ARGUMENTS),
    "cookies": headed(COOKIES),
    "cookies and a bad length": headed(COOKIES, "Content-Length: x"),
    "cookies and a huge length": headed(COOKIES, "Content-Length: " + "9" * 40),
    "cookies and a body": headed(COOKIES, f"Content-Length: {len(CHAT)}", body=CHAT,
                                 line="POST /v1/chat HTTP/1.1"),
    "one long cookie": headed("Cookie: a=" + "b" * 30000),
    "a cookie of 13 KiB": headed("Cookie: a=" + "b" * 13000),
    "headers": headed(*["X: 1"] * 4000),
    "a long header": headed("X: " + "a" * 40000),
    "a long target": get("/" + "a" * 40000),
    "a folded header": headed("X: 1", *[" " + "a" * 1000] * 40),
    "trailers": CHUNKED + b"0\r\n" + b"X: 1\r\n" * 4000 + b"\r\n",
    "a long trailer": CHUNKED + b"0\r\nX: " + b"a" * 40000 + b"\r\n\r\n",
    "a folded trailer": CHUNKED + b"0\r\nX: 1\r\n" + (b" " + b"a" * 1000 + b"\r\n") * 40 + b"\r\n",
    "a trailer without colon": CHUNKED + b"0\r\nnonsense\r\n\r\n",
    "a chunk without its end": CHUNKED + b"2\r\n{}xx",
    "a chunk of no size": CHUNKED + b"\r\n\r\n",
    "a negative chunk": CHUNKED + b"-1\r\n",
    "a header without colon": headed("nonsense"),
    "no version": b"GET /livez\r\n\r\n",
    "a strange version": b"GET /livez HTTP/3.0\r\n\r\n",
    "no target": b"GET  HTTP/1.1\r\n\r\n",
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_what_the_library_ends(gateway, what):
    """More than it has room for, or nothing that it can read."""
    files = descriptors(gateway)
    for _ in range(10):
        with Raw(gateway) as raw:
            raw.send(TOO_MUCH[what])
            if " behind " in what:
                assert raw.read().status == 200
            with contextlib.suppress(Closed):
                status = raw.read().status
                assert status in (400, 414, 431, 413, 505, 200), status
    returns_to(gateway, files)
    ends_at_once(gateway)


@pytest.mark.parametrize("what", [name for name in TOO_MUCH if name.startswith("arguments")])
def test_too_many_arguments_are_told(gateway, what):
    with Raw(gateway) as raw:
        raw.send(TOO_MUCH[what])
        if " behind " in what:
            assert raw.read().status == 200
        reply = raw.read()
        assert reply.status == 400, reply
        error = json.loads(reply.body)["error"]
        assert error["code"] == "bad_request" and "100" in error["message"]
        assert reply.headers["x-request-id"].startswith("req_")


def test_a_query_of_as_many_as_there_may_be(start):
    gateway = start()
    query = "&".join(["a=b"] * 99 + ["limit=1"])
    with Raw(gateway) as raw:
        assert raw.send(get(f"/v1/conversations?{query}")).read().status == 200
        reply = raw.send(get(f"/v1/conversations?{query}&c=d")).read()
        assert reply.status == 400 and json.loads(reply.body)["error"]["code"] == "bad_request"


@pytest.mark.long
@pytest.mark.skipif(sanitized(), reason="what was freed is kept")
def test_no_memory_is_kept(gateway):
    """12,000 of these took 100 MiB."""
    def round_():
        for _ in range(500):
            with Raw(gateway) as raw, contextlib.suppress(Closed):
                raw.send(TOO_MUCH["arguments"] + TOO_MUCH["cookies and a bad length"]).read()
        wait_until(lambda: idle(gateway), "none is in flight")
        return gateway.rss_bytes()
    round_()
    before = round_()
    assert round_() - before < MIB
