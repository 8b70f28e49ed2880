"""Refusals reach clients that send all of their body before they read: once, and at a bounded price."""

import contextlib
import json
import signal
import time

import pytest

import keys
import upstream as up
from gateway import sanitized
from overload import descriptors, idle, metric, returns_to
from raw import Raw, get, post
from secure import certificate
from waiting import DEADLINE, wait_until

MIB = 1 << 20
KEY = "a-key-of-the-environment"
MIDDLE = 5 * 1000 * 1000
LARGE = 22 * 1000 * 1000
LINGERS = 64
LINGERED = 'parley_http_lingered_total{end="%s"}'


@pytest.fixture(params=[False, True], ids=["plain", "tls"])
def locked(request, start, tmp_path):
    config = {}
    if request.param:
        both = certificate(tmp_path)
        config = {"tls_cert": str(both), "tls_key": str(both)}
    return start(config, env={"PARLEY_API_KEY": KEY})


FORM = (b'--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--x\r\n'
        b'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')
JSON = "Content-Type: application/json"
MULTIPART = "Content-Type: multipart/form-data; boundary=x"
# path, key, more of the head, the first bytes of the body, how much of it there is: the answer
REFUSED = {
    "no key": ("/v1/chat", None, [JSON], b"{", MIDDLE, 401, "missing_api_key"),
    "wrong key": ("/v1/chat/completions", "wrong", [JSON], b"{", LARGE, 401, "invalid_api_key"),
    "upload without a key": ("/v1/files", None, [MULTIPART], FORM, LARGE, 401, "missing_api_key"),
    "unknown URL": ("/v2/chat", KEY, [JSON], b"{", LARGE, 404, "unknown_url"),
    "method": ("/v1/models", KEY, [JSON], b"{", MIDDLE, 405, "method_not_allowed"),
    "too large": ("/v1/chat", KEY, [JSON], b"{", LARGE, 413, "request_too_large"),
    "compressed upload": ("/v1/files", KEY, [MULTIPART, "Content-Encoding: gzip"], FORM, MIDDLE, 415,
                          "unsupported_media_type"),
    "no form": ("/v1/files", KEY, ["Content-Type: text/plain"], b"a", LARGE, 415,
                "unsupported_media_type"),
    "two hosts": ("/v1/chat", KEY, [JSON, "Host: localhost"], b"{", MIDDLE, 400, "bad_request"),
}


def send_all(raw, chunked, path, key, lines, first, size):
    """The whole request; whoever reads meanwhile sees no more than who does not."""
    if key:
        lines = [*lines, f"Authorization: Bearer {key}"]
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", *lines,
             "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"]
    raw.sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    body = first + b" " * (size - len(first))
    step = 1 << 18 if chunked else len(body)
    for at in range(0, len(body), step):
        piece = body[at:at + step]
        raw.sock.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
    if chunked:
        raw.sock.sendall(b"0\r\n\r\n")


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunks"])
@pytest.mark.parametrize("what", REFUSED)
def test_who_sends_all_before_it_reads_sees_why(locked, what, chunked):
    path, key, lines, first, size, status, code = REFUSED[what]
    files = descriptors(locked)
    with Raw(locked) as raw:
        send_all(raw, chunked, path, key, lines, first, size)
        reply = raw.read("POST", path)
        assert reply.status == status, reply
        assert json.loads(reply.body)["error"]["code"] == code
    returns_to(locked, files)


def test_a_key_that_may_not_sees_why(start):
    gateway = start()
    made = keys.known(gateway, keys.make(gateway, "--name", "reader", "--scopes", "read"))
    with Raw(gateway) as raw:
        send_all(raw, False, "/v1/chat", made["key"], [JSON], b"{", MIDDLE)
        reply = raw.read("POST", "/v1/chat")
        assert reply.status == 403, reply


def test_a_stop_that_still_waits_tells_why(start, script):
    gate = up.Gate()
    gateway = start(usual={})
    model = script(up.sse(), up.role(), up.text("one "), up.wait(gate), *up.ending()).model
    call = post("/v1/chat", json.dumps({"messages": ["q"], "stream": True,
                                        "config": {"model": model}}).encode())
    with Raw(gateway) as old, Raw(gateway) as stream:
        stream.send(call).read_head()
        assert old.send(get("/livez")).read().status == 200
        mark = len(gateway.lines)
        gateway.signal(signal.SIGTERM)
        gateway.wait_log("drain", mark)
        send_all(old, False, "/v1/chat", None, [JSON], b"{", MIDDLE)
        assert old.read("POST", "/v1/chat").status == 503
        gate.open()
        stream.rest()
    assert gateway.wait_exit() == 0


def test_a_small_refusal_keeps_the_connection(locked):
    with Raw(locked) as raw:
        for _ in range(3):
            reply = raw.send(post("/v1/chat", b" " * 65536)).read("POST", "/v1/chat")
            assert reply.status == 401 and not reply.closes


@pytest.mark.parametrize("size", [10, MIDDLE])
def test_who_asks_for_leave_is_refused_at_once(locked, size):
    """Nothing is read, so nothing has to be thrown away."""
    with Raw(locked) as raw:
        raw.send(post("/v1/chat", b"", f"Content-Length: {size}", "Expect: 100-continue", length=False))
        reply = raw.read("POST", "/v1/chat")
        assert reply.status == 401 and reply.closes
        assert raw.at_end()
    assert metric(locked, "parley_http_lingered_total") == 0


# --- what it may cost -----------------------------------------------------------------------------

def refused_head(size):
    return post("/v1/chat", b"", f"Content-Length: {size}", length=False)


def test_a_refused_body_is_read_so_far_and_no_farther(start):
    """64 MiB of one, and of what is read none is held."""
    gateway = start(env={"PARLEY_API_KEY": KEY})
    files = descriptors(gateway)
    before = gateway.rss_bytes()
    piece = b" " * MIB
    with Raw(gateway) as raw, pytest.raises(OSError):
        raw.sock.sendall(refused_head(1000 * MIB))
        for _ in range(200):
            raw.sock.sendall(piece)
    assert metric(gateway, LINGERED % "bytes") == 1
    assert 64 * MIB < metric(gateway, "parley_http_dropped_bytes_total") < 65 * MIB
    if not sanitized():
        assert gateway.rss_bytes() - before < 4 * MIB
    returns_to(gateway, files)


def test_so_many_at_once_and_no_more(start):
    """The others are answered too, and closed."""
    gateway = start(env={"PARLEY_API_KEY": KEY})
    wait_until(lambda: idle(gateway), "nobody but the one who looks")
    files = descriptors(gateway)
    before = gateway.rss_bytes()
    with contextlib.ExitStack() as stack:
        raws = [stack.enter_context(Raw(gateway)) for _ in range(LINGERS + 10)]
        for raw in raws:
            raw.send(refused_head(MIDDLE))
            assert raw.read("POST", "/v1/chat").status == 401
            assert raw.at_end()
        wait_until(lambda: metric(gateway, LINGERED % "crowd") == 10, "ten that are not waited for")
        for raw in raws[:LINGERS]:
            raw.sock.sendall(b" " * MIB)
        assert abs(descriptors(gateway) - files - LINGERS) < 8  # and not the ten others
        wait_until(lambda: idle(gateway), "no request is in flight, and no connection counted")
        if not sanitized():
            assert gateway.rss_bytes() - before < 8 * MIB
    wait_until(lambda: metric(gateway, LINGERED % "client") == LINGERS, "the clients' closing is seen")
    returns_to(gateway, files)


@pytest.mark.long
def test_their_time_is_bounded_and_a_stop_does_not_wait(start):
    gateway = start(env={"PARLEY_API_KEY": KEY})
    with Raw(gateway) as raw:
        raw.send(refused_head(MIDDLE) + b" " * 1000).read("POST", "/v1/chat")
        began = time.monotonic()
        wait_until(lambda: metric(gateway, LINGERED % "time") == 1, "its time is over", 30 + DEADLINE)
        assert time.monotonic() - began > 25
    with Raw(gateway) as raw:
        raw.send(refused_head(MIDDLE) + b" " * 1000).read("POST", "/v1/chat")
        gateway.signal(signal.SIGTERM)
        assert gateway.wait_exit(5) == 0
