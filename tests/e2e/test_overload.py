"""Hostile clients: memory, descriptors and everybody else's calls stay unharmed whatever they do.

PARLEY_OVERLOAD=full takes larger counts and prints the figures of bench/RESULTS.md."""

import contextlib
import itertools
import json
import random
import resource
import select
import signal
import socket
import struct
import threading
import time
from types import SimpleNamespace

import pytest

import upstream as up
from client import Client
from gateway import sanitized
from overload import (FULL, Crowd, ask, bytes_of, call_ms, count, cpu_seconds, descriptors, forever, idle,
                      metric, raise_descriptors, returns_to, sampled, told)
from raw import Closed, Raw, get, post
from waiting import DEADLINE, soonest, wait_until

MIB = 1 << 20
CUT = 'parley_http_connections_cut_total{reason="%s"}'
UNHARMED_MS = 1000 if sanitized() else 250  # an ordinary call's median; alone it takes less than one
# libcurl's handles have two descriptors each and stay; connections to providers that were cut are
# closed when libcurl next looks at them, one for each call at the most.
HANDLES = 100
# The gateway looks once a second, and the machine may be busy.
SLACK = DEADLINE


@pytest.fixture(autouse=True)
def enough_descriptors():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    raise_descriptors()
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def may_open(wanted):
    """As many as the machine allows, for this process and for the gateway with its spare ones."""
    return min(wanted, (raise_descriptors() - 1024) // 2)


def grown_less(seen, limit):
    """Bounds of memory say nothing of a build that keeps what was freed."""
    if not sanitized():
        assert seen["grown"] < limit, f"{seen['grown'] >> 20} MiB, not less than {limit >> 20}"


def unharmed(gateway):
    took = []

    def measure():
        took.append(call_ms(gateway))
        return took[-1]
    soonest(measure, UNHARMED_MS)
    return f"{min(took):.1f} ms"


# --- slow writers ---------------------------------------------------------------------------------

HEAD = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n"
FORM = (b'--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n--x\r\n'
        b'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')
MULTIPART = "Content-Type: multipart/form-data; boundary=x"


def upload_head(size):
    return (f"POST /v1/files HTTP/1.1\r\nHost: localhost\r\n{MULTIPART}\r\n"
            f"Content-Length: {size}\r\n\r\n").encode() + FORM


SLOW = [
    # what is sent at once, what is dripped, seconds until it is ended
    ("request line", b"", b"GET /" + b"x" * 1000, 10, "head"),
    ("request line behind an answer", HEAD + b"\r\n", b"GET /" + b"x" * 1000, 10, "head"),
    ("empty lines", b"", b"\r\n" * 500, 10, "head"),
    ("head", HEAD + b"X-A: ", b"a" * 1000, 10, "head"),
    ("body with its length", post("/v1/chat", b"", "Content-Length: 100000", length=False), b" " * 1000,
     15, "body"),
    ("body in chunks", post("/v1/chat", b"", "Transfer-Encoding: chunked", length=False),
     b"1\r\n \r\n" * 200, 15, "body"),
    ("body of which much has come", post("/v1/chat", b" " * 60000, "Content-Length: 10000000",
                                         length=False), b" " * 1000, 60, "body"),
    ("upload", upload_head(10 * MIB), b"a" * 1000, 15, "body"),
]


def slow_but_not_too_slow(gateway, statuses):
    """2 KiB a second, for longer than slowness is looked for."""
    body = b'{"messages":["' + b"x" * 36000 + b'"],"store":false}'
    with Raw(gateway) as raw:
        raw.send(post("/v1/chat", b"", f"Content-Length: {len(body)}", length=False))
        began = time.monotonic()
        for at in range(0, len(body), 1024):
            raw.send(body[at:at + 1024])
            # The pace is what is tested; a late one is made up for.
            time.sleep(max(0, began + (at + 1024) / 2048 - time.monotonic()))
        statuses.append(raw.read("POST", "/v1/chat").status)


@pytest.mark.long
def test_slow_writers_end_by_their_deadline(start):
    gateway = start()
    statuses = []
    honest = threading.Thread(target=slow_but_not_too_slow, args=(gateway, statuses))
    honest.start()
    files = descriptors(gateway)
    many = may_open(count(40, 1000) * len(SLOW)) // len(SLOW)
    kinds = [kind for kind in SLOW if FULL or kind[3] < 60]
    with sampled(gateway) as seen, contextlib.ExitStack() as stack:
        crowds = []
        for _, first, drip, *_ in kinds:
            crowds.append(stack.enter_context(Crowd(gateway)))
            for _ in range(min(many, 60) if b"/v1/files" in first else many):
                crowds[-1].open(first, bytes_of(drip))
        all_of_them = sum(crowd.alive() for crowd in crowds)
        calls = unharmed(gateway)
        for (name, _, _, seconds, _), crowd in zip(kinds, crowds):
            wait_until(lambda: crowd.alive() == 0, f"all of {name} are ended", seconds + SLACK)
            assert max(crowd.ended) < seconds + SLACK, name
            assert min(crowd.ended) > seconds - 2, f"{name}: cut before its time"
            told(name, f"{len(crowd.ended)} ended after {min(crowd.ended):.0f} to "
                       f"{max(crowd.ended):.0f} s")
        for reason in ("head", "body"):
            assert metric(gateway, CUT % reason) == sum(
                len(crowd.ended) for kind, crowd in zip(kinds, crowds) if kind[4] == reason)
        honest.join()
    assert statuses == [200]
    grown_less(seen, all_of_them * 128 * 1024 + 60 * MIB)
    returns_to(gateway, files)
    told("slow writers", f"{all_of_them} at once: {seen['grown'] >> 20} MiB, calls {calls}")


# --- slow readers ---------------------------------------------------------------------------------


def flood(seconds=120):
    """A provider that sends as fast as it is read, for ever."""
    block = b"data: " + json.dumps(up.chunk({"content": "y" * 16000})).encode() + b"\n\n"

    def run(x):
        x.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            x.send_body(block)
    return up.sse(), up.role(), up.call(run)


def trickles(sock, stop):
    """Reads a byte a second."""
    while not stop.wait(1):
        with contextlib.suppress(OSError):
            sock.recv(1)


@pytest.mark.long
def test_streams_that_nobody_reads(start, script):
    many = count(24, 200)
    gateway = start(usual={})
    files = descriptors(gateway)
    stop = threading.Event()
    s = script(*flood())
    request = post("/v1/chat/completions", json.dumps(
        {"model": s.model, "stream": True, "store": False,
         "messages": [{"role": "user", "content": "x"}]}).encode())
    with sampled(gateway) as seen, Crowd(gateway) as crowd:
        socks = [crowd.open(request, receive_buffer=1 << 14) for _ in range(many)]
        reader = threading.Thread(target=trickles, args=(socks[0], stop))
        reader.start()
        wait_until(lambda: metric(gateway, "parley_stream_active") == many, "all streams are open",
                   DEADLINE * 2)
        began = time.monotonic()

        def held():
            sent = sum(x.sent for x in s.exchanges)
            return not stop.wait(1) and sum(x.sent for x in s.exchanges) == sent > 0
        wait_until(held, "the provider is paused", DEADLINE * 2)
        sent = sum(x.sent for x in s.exchanges) / many
        calls = unharmed(gateway)
        wait_until(lambda: metric(gateway, "parley_stream_active") == 0, "all of them are dropped",
                   30 + SLACK * 2)
        took = time.monotonic() - began
        wait_until(lambda: all(x.done.is_set() for x in s.exchanges), "their providers' calls end")
        stop.set()
        reader.join()
    grown_less(seen, many * 2 * MIB + 32 * MIB)
    assert took > 15, "dropped before its time"
    returns_to(gateway, files + many + HANDLES)
    told("", f"{many} streams that are not read: {seen['grown'] / many / MIB:.2f} MiB each, the provider "
             f"was held after {sent / MIB:.2f} MiB, dropped after {took:.0f} s, calls {calls}")


@pytest.mark.long
def test_whole_answers_that_nobody_reads(start, script):
    """A large answer and a file: ended where hardly anything is taken, and served to who is only slow."""
    many = count(4, 8)
    size = count(15, 60) * MIB
    gateway = start(usual={})
    files = descriptors(gateway)
    said = [{"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": "z" * 15 * MIB}}
            for i in range(size // (15 * MIB))]
    s = script(up.reply(json.dumps(up.completion(choices=said)).encode()))
    body = json.dumps({"model": s.model, "store": False, "n": len(said),
                       "messages": [{"role": "user", "content": "x"}]}).encode()
    upload = FORM + b"a" * (32 * MIB) + b"\r\n--x--\r\n"
    with Raw(gateway) as raw:
        raw.send(f"POST /v1/files HTTP/1.1\r\nHost: localhost\r\n{MULTIPART}\r\nContent-Length: "
                 f"{len(upload)}\r\n\r\n".encode() + upload)
        reply = raw.read("POST", "/v1/files")
        assert reply.status == 200, reply
        file = json.loads(reply.body)["id"]
    stop = threading.Event()
    with sampled(gateway) as seen, Crowd(gateway) as crowd:
        for _ in range(many):
            crowd.open(post("/v1/chat/completions", body), receive_buffer=1 << 14)
        downloads = [crowd.open(get(f"/v1/files/{file}/content"), receive_buffer=1 << 14)
                     for _ in range(many * 4)]
        readers = [threading.Thread(target=trickles, args=(sock, stop)) for sock in downloads[:2]]
        for reader in readers:
            reader.start()
        with Raw(gateway, receive_buffer=1 << 14) as slow:
            slow.send(get(f"/v1/files/{file}/content"))
            began = time.monotonic()
            assert slow.read_head().status == 200
            calls = unharmed(gateway)

            def left():
                slow.sock.recv(1 << 16)  # 640 KB a second at the most
                time.sleep(0.1)
                return metric(gateway, "parley_http_requests_in_flight") <= 2
            wait_until(left, "all but the slow one are ended", 30 + SLACK * 2)
            took = time.monotonic() - began
            # Beside it and the one that asks, the request before may not be over yet.
            wait_until(lambda: metric(gateway, "parley_http_requests_in_flight") == 2,
                       "the slow one goes on")
        stop.set()
        for reader in readers:
            reader.join()
        assert metric(gateway, CUT % "reader") == many * 5
    assert took > 25, "ended before its time"
    grown_less(seen, many * size * 5 // 2 + 64 * MIB)
    returns_to(gateway, files + many + HANDLES)
    told("", f"{many} answers of {size >> 20} MiB and {many * 4} downloads that are not read: "
             f"{seen['grown'] / MIB:.0f} MiB, ended after {took:.0f} s, calls {calls}")


# --- the drain ------------------------------------------------------------------------------------


def test_nobody_holds_the_drain_up(start, script):
    """Slow heads, bodies, uploads and readers: SIGTERM ends in time."""
    gateway = start(usual={"drain_timeout": "2s"})
    s = script(*flood())
    stream = post("/v1/chat", json.dumps({"messages": ["x"], "stream": True, "store": False,
                                          "config": {"model": s.model}}).encode())
    whole = script(up.reply(json.dumps(up.completion("z" * 8 * MIB)).encode()))
    plain = post("/v1/chat/completions", json.dumps(
        {"model": whole.model, "messages": [{"role": "user", "content": "x"}]}).encode())
    with Crowd(gateway) as crowd:
        for _ in range(count(5, 50)):
            for _, first, drip, *_ in SLOW:
                crowd.open(first, bytes_of(drip))
            crowd.open(stream, receive_buffer=1 << 14)
            crowd.open(plain, receive_buffer=1 << 14)
            crowd.open(b"")
        wait_until(lambda: metric(gateway, "parley_stream_active") == count(5, 50), "the streams")
        began = time.monotonic()
        gateway.signal(signal.SIGTERM)
        assert gateway.wait_exit(DEADLINE * 2) == 0
        took = time.monotonic() - began
        gateway.check_log()
        assert took < 2 + SLACK
        told("", f"SIGTERM with {count(5, 50) * 11} such clients and drain_timeout 2s: {took:.1f} s")


# --- many connections -----------------------------------------------------------------------------


def test_idle_connections_cost_little(start):
    many = may_open(count(600, 10000))
    gateway = start()
    call_ms(gateway)
    files = descriptors(gateway)
    for kind, first in (("that never send", b""), ("kept after a request", get("/livez"))):
        with sampled(gateway) as seen, Crowd(gateway) as crowd:
            for _ in range(many):
                crowd.open(first)
            wait_until(lambda: metric(gateway, "parley_http_connections") == many + 1, "all are in")
            calls = unharmed(gateway)
            before = cpu_seconds(gateway)
            time.sleep(1)  # what is measured is a time in which nothing happens
            cpu = cpu_seconds(gateway) - before
            assert crowd.alive() == many
        grown_less(seen, many * 48 * 1024 + 8 * MIB)
        assert cpu < 0.5
        returns_to(gateway, files)
        told("", f"{many} connections {kind}: {seen['grown'] / many / 1024:.1f} KiB each, calls {calls}, "
                 f"{cpu * 100:.0f} % of a CPU")


def one_loop(**more):
    return {"config": {"max_connections": 20, **more}, "args": ["--loops", "1"]}


def test_the_longest_idle_connection_makes_room(start):
    gateway = start(**one_loop())
    with contextlib.ExitStack() as stack:
        raws = [stack.enter_context(Raw(gateway)) for _ in range(20)]
        for raw in [*raws, raws[0]]:  # the first one is used once more: it isn't the oldest
            assert raw.send(get("/livez")).read().status == 200
        for i in range(5):
            raw = stack.enter_context(Raw(gateway))
            assert raw.send(post("/v1/chat", b'{"messages":["x"]}')).read("POST", "/v1/chat").status == 200
        assert all(raw.at_end() for raw in raws[1:6])
        for raw in [raws[0], *raws[6:]]:
            assert raw.send(get("/livez")).read().status == 200
        assert metric(gateway, CUT % "room") >= 5


CHAT = post("/v1/chat", b'{"messages":["x"]}')


def several_loops(start, connections, **more):
    """A gateway of two loops; and its admin listener, whose connections don't count among these."""
    gateway = start(usual={"max_connections": connections, "admin_listen": "127.0.0.1:0", **more},
                    args=["--loops", "2"])
    port = int(gateway.wait_log(r"metrics and keys on http://127\.0\.0\.1:(\d+)")[1])
    return gateway, SimpleNamespace(host="127.0.0.1", port=port, url=f"http://127.0.0.1:{port}")


def is_idle(admin):
    """Who was answered waits for a request, also in the gateway's eyes."""
    wait_until(lambda: metric(admin, "parley_http_requests_in_flight") <= 1, "the answer is over")


@pytest.mark.parametrize("connections", [1, 3])
def test_idle_connections_of_another_loop_make_room(start, connections):
    """The kernel chooses the loop of each: with one connection, half of the newcomers meet no idle one on
    theirs.  That all of 40 meet one has a chance of 2^-39."""
    gateway, admin = several_loops(start, connections)
    with contextlib.ExitStack() as stack:
        raws = []
        for _ in range(40):
            raws.append(stack.enter_context(Raw(gateway)))
            reply = raws[-1].send(CHAT).read("POST", "/v1/chat")
            assert reply.status == 200 and not reply.closes, reply
            is_idle(admin)
        wait_until(lambda: metric(admin, CUT % "room") == 40 - connections, "one was closed for each")

        def alive():
            return [raw for raw in raws if not select.select([raw.sock], [], [], 0)[0]]
        wait_until(lambda: len(alive()) == connections, "so many stay")
        assert raws[-1] in alive()
        for raw in alive():
            assert raw.send(CHAT).read("POST", "/v1/chat").status == 200


def test_a_newcomer_makes_no_room_before_its_first_request(start, script):
    """Nor does one that is busy: the next is told that there is no room, whichever loop it is on."""
    gate = threading.Event()
    gateway, admin = several_loops(start, 2)
    s = script(up.sse(), up.role(), up.call(lambda _: gate.wait(DEADLINE * 2)), *up.ending())
    stream = post("/v1/chat", json.dumps({"messages": ["x"], "stream": True, "store": False,
                                          "config": {"model": s.model}}).encode())
    with Crowd(gateway) as crowd:
        crowd.open(stream)
        wait_until(lambda: len(s.exchanges) == 1, "a call")

        def told_at_once():
            """False: the machine took longer than newcomers are given."""
            with Raw(gateway) as newcomer:
                began = time.monotonic()
                wait_until(lambda: metric(admin, "parley_http_connections") == 3, "it is in")
                with Raw(gateway) as next_one:
                    refused = next_one.send(CHAT).read("POST", "/v1/chat")
                if time.monotonic() - began > 0.9:
                    return False
                assert refused.status == 503 and refused.closes, refused
                reply = newcomer.send(CHAT).read("POST", "/v1/chat")
                assert reply.status == 200, reply
            return True
        wait_until(told_at_once, "a moment in which the machine is quick")
        gate.set()


def test_silent_connections_make_room(start):
    """They never had a request, on whichever loop they are."""
    gateway, admin = several_loops(start, 4)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(Raw(gateway))
        wait_until(lambda: metric(admin, "parley_http_connections") == 5, "all are in")

        def served():
            with Raw(gateway) as raw:
                return raw.send(CHAT).read("POST", "/v1/chat").status == 200
        wait_until(served, "one of them has made room")
        assert metric(admin, CUT % "room") >= 1


@pytest.mark.long
def test_busy_connections_make_no_room(start, script):
    gate = threading.Event()
    gateway = start(usual={"max_connections": 20}, args=["--loops", "1"])
    s = script(up.sse(), up.role(), up.call(lambda _: gate.wait(DEADLINE * 2)), *up.ending())
    stream = post("/v1/chat", json.dumps({"messages": ["x"], "stream": True, "store": False,
                                          "config": {"model": s.model}}).encode())
    with Crowd(gateway) as crowd:
        for _ in range(20):
            crowd.open(stream)
        wait_until(lambda: len(s.exchanges) == 20, "20 calls")
        for _ in range(5):
            with Raw(gateway) as raw:
                reply = raw.send(post("/v1/chat", b'{"messages":["x"]}')).read("POST", "/v1/chat")
                assert reply.status == 503 and reply.closes
                assert int(reply.headers["retry-after"]) >= 1
                error = json.loads(reply.body)["error"]
                assert error["code"] == "overloaded" and "connections" in error["message"]
                assert raw.at_end()
        assert ask(gateway).status == 200, "probes are answered all the same"
        for _ in range(200):  # more than are told
            crowd.open(b"")
        wait_until(lambda: metric_of_admin(gateway) <= 20 + 64 + 1, "no more than are told stay")
        gate.set()
    wait_until(lambda: idle(gateway), "all have gone")
    with Client(gateway.url) as client:
        client.chat("hi").ok()


def metric_of_admin(gateway):
    try:
        return metric(gateway, "parley_http_connections")
    except Closed:  # there were too many just now
        return 1 << 20


@pytest.mark.long
def test_a_want_of_descriptors_neither_spins_nor_stays(start):
    few = 128
    gateway = start({"max_connections": 100000}, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, (few, few)))
    for _ in range(3):
        with Crowd(gateway) as crowd:
            for _ in range(few * 3):
                crowd.open(get("/livez"))
            # Some come and go, like those of the store.
            wait_until(lambda: descriptors(gateway) >= few - 8, "hardly a descriptor is left")
            before = cpu_seconds(gateway)
            time.sleep(2)  # a time in which nothing can be done
            cpu = cpu_seconds(gateway) - before
            assert cpu < 0.7, f"{cpu} s of CPU in 2 s"
        wait_until(lambda: idle(gateway), "service resumes")
        call_ms(gateway)
    told("", f"no descriptor left: {cpu * 50:.0f} % of a CPU, then served again")


def test_a_loop_without_connections_does_not_spin_where_descriptors_are_wanted(start):
    """Of eight loops three at the most get a connection; clients wait at the others, too."""
    gateway = start({"max_connections": 100000}, args=["--loops", "8"])
    pid = gateway.process.pid
    limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    with Crowd(gateway) as crowd:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (descriptors(gateway) + 3, limits[1]))
        for _ in range(100):
            crowd.open(get("/livez"))
        before = cpu_seconds(gateway)
        time.sleep(2)  # a time in which nothing can be done
        cpu = cpu_seconds(gateway) - before
        assert cpu < 0.7, f"{cpu} s of CPU in 2 s"
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        for _ in range(16):
            assert ask(gateway).status == 200


def test_idle_connections_make_room_where_descriptors_are_wanted(start):
    """Those who are idle stay: without more ado the next client would wait for one of them to leave."""
    few = 100
    gateway = start({"max_connections": 100000}, args=["--loops", "1"],
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)))
    with Crowd(gateway) as crowd:
        for _ in range(few):
            crowd.open(get("/livez"))
        wait_until(lambda: descriptors(gateway) >= few - 8, "hardly a descriptor is left")
        began = time.monotonic()
        assert ask(gateway).status == 200
        told("", f"no descriptor left, nobody leaves: served after {time.monotonic() - began:.1f} s")
        assert crowd.alive() < few


def test_the_limit_follows_the_descriptors(start):
    """By itself it takes half of them: what calls need is left over."""
    few = 128
    gateway = start({"loops": 2},
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)))
    with Crowd(gateway) as crowd:
        for _ in range(few * 3):
            crowd.open(get("/livez"))
        # Who came is answered, and idle: before that there is no room to be made.
        # The last of them may be told so while others are still being closed for them.
        wait_until(lambda: crowd.alive() <= few // 4 and ask(gateway, "/metrics").status == 200
                   and metric(gateway, "parley_http_requests_in_flight") <= 1
                   and metric(gateway, "parley_http_connections") <= few // 4, "room is made")
        call_ms(gateway)
        assert descriptors(gateway) < few - 16
        assert crowd.alive() <= few // 4


# --- large bodies ---------------------------------------------------------------------------------


@pytest.mark.long
def test_all_bodies_together_have_a_bound(start):
    """Each is of the largest size and stops short of its end."""
    many = count(16, 64)
    size = count(5, 20) * MIB
    gateway = start({"max_body": f"{size}", "max_bodies": f"{size * 4}"})
    files = descriptors(gateway)
    frame = b'{"messages":["' + b"x" * (size - 20)
    announced = post("/v1/chat", b"", f"Content-Length: {size}", length=False)
    chunked = post("/v1/chat", b"", "Transfer-Encoding: chunked", length=False)
    with sampled(gateway) as seen, Crowd(gateway) as crowd:
        for i in range(many):
            crowd.open(announced + frame if i % 2 else
                       chunked + f"{len(frame):x}\r\n".encode() + frame)
        # What is given up makes room for a part of the next.
        wait_until(lambda: crowd.alive() <= 8, "those above the bound are cut")
        assert 2 * size < metric(gateway, "parley_http_bodies_bytes") <= 4 * size + 10 * 65536
        calls = unharmed(gateway)
        with Raw(gateway) as raw:  # what is over soon is told
            body = b'{"messages":["' + b"x" * 300000 + b'"]}'
            held = metric(gateway, "parley_http_bodies_bytes")
            fits = 4 * size - held > len(body) * 2
            reply = raw.send(post("/v1/chat", body)).read("POST", "/v1/chat")
            assert fits or reply.status == 503, reply
            if reply.status == 503:
                assert json.loads(reply.body)["error"]["code"] == "overloaded"
                assert int(reply.headers["retry-after"]) >= 1
    grown_less(seen, size * 6 + 32 * MIB)
    returns_to(gateway, files)
    assert metric(gateway, "parley_http_bodies_bytes") == 0
    with Client(gateway.url) as client:
        client.chat("x" * (size // 2), store=False).ok()
    told("", f"{many} bodies of {size >> 20} MiB, max_bodies {size * 4 >> 20}MiB: "
             f"{seen['grown'] >> 20} MiB, calls {calls}")


def test_a_body_above_the_bound_is_told_so(start):
    gateway = start({"max_body": "1MiB", "max_bodies": "1MiB"})
    with Crowd(gateway) as crowd:
        crowd.open(post("/v1/chat", b" " * 900000, f"Content-Length: {MIB}", length=False))
        wait_until(lambda: metric(gateway, "parley_http_bodies_bytes") >= 900000, "it has come")
        with Client(gateway.url) as client:
            reply = client.chat("x" * 200000, store=False)
            reply.error(503, "overloaded")
            assert int(reply.headers["retry-after"]) >= 1
            client.chat("x" * 30000, store=False).ok()
    wait_until(lambda: metric(gateway, "parley_http_bodies_bytes") == 0, "it is forgotten")
    with Client(gateway.url) as client:
        client.chat("x" * 200000, store=False).ok()


def test_bodies_count_until_their_provider_has_them(start, script):
    """What is on its way to a provider that does not read is memory too."""
    size = 4 * MIB
    gate = threading.Event()
    gateway = start(usual={"max_body": f"{size}", "max_bodies": f"{size * 2}"})
    s = script(up.call(lambda _: gate.wait(DEADLINE * 2)), up.either())
    call = post("/v1/chat", b'{"messages":["' + b"x" * (size - 100) + b'"],"config":{"model":"'
                + s.model.encode() + b'"},"store":false}')
    with sampled(gateway) as seen, Crowd(gateway) as crowd:
        for _ in range(12):
            crowd.open(call)
        wait_until(lambda: metric(gateway, "parley_http_requests_total") >= 10 or crowd.alive() <= 2,
                   "the others are refused")
        assert metric(gateway, "parley_http_bodies_bytes") <= size * 2 + 10 * 65536
        gate.set()
    grown_less(seen, size * 8 + 64 * MIB)
    wait_until(lambda: metric(gateway, "parley_http_bodies_bytes") == 0, "all are forgotten")


BOMBS = [
    ("deep arrays", b'{"messages":' + b"[" * MIB),
    ("deep objects", b'{"messages":' + b'{"a":' * 200000),
    # more values than are read of one body: told as too many, whatever would have come behind them
    ("a million members", b'{"metadata":{' + b",".join(b'"%d":1' % i for i in range(1000000)) + b"}}"),
    ("a million elements", b'{"messages":[' + b"1," * 1000000 + b"1]}"),
    ("a million equal keys", b"{" + b'"a":1,' * 1000000 + b'"a":1}'),
    ("a million parts", b'{"messages":[{"role":"user","content":[' + b"{}," * 1000000 + b"{}]}]}"),
]


@pytest.mark.parametrize("body", [b[1] for b in BOMBS], ids=[b[0] for b in BOMBS])
def test_json_that_is_made_to_cost_much(start, body):
    status = 413 if body.count(b":") > 1000000 else 400
    gateway = start()
    files = descriptors(gateway)
    with sampled(gateway) as seen:
        threads = []

        def send():
            with Raw(gateway) as raw:
                raw.sock.settimeout(DEADLINE * 4)  # one behind the other, on a busy machine
                assert raw.send(post("/v1/chat", body)).read("POST", "/v1/chat").status == status
        began = time.monotonic()
        for _ in range(4):
            threads.append(threading.Thread(target=send))
            threads[-1].start()
        calls = unharmed(gateway)
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
    grown_less(seen, 4 * (len(body) * 2 + 48 * MIB))
    returns_to(gateway, files)
    told("", f"4 x {body[:24]!r}, {len(body) / MIB:.1f} MiB: {seen['grown'] >> 20} MiB, {took:.2f} s, "
             f"calls {calls}")


@pytest.mark.parametrize("request_bytes, statuses", [
    (b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + b"X: 1\r\n" * 4000 + b"\r\n", (400, 431)),
    (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 10 * MIB + b"\r\n\r\n", (400, 431)),
    (b"GET /" + b"a" * 10 * MIB + b" HTTP/1.1\r\n\r\n", (400, 414)),
], ids=["many headers", "a giant header", "a giant target"])
def test_heads_that_are_made_to_cost_much(start, request_bytes, statuses):
    gateway = start()
    files = descriptors(gateway)
    with sampled(gateway) as seen, Crowd(gateway) as crowd:
        for _ in range(count(20, 200)):
            crowd.open(request_bytes)
        with Raw(gateway) as raw:
            try:
                assert raw.send(request_bytes).read().status in statuses
            except Closed as closed:
                assert not closed.args[0]
        unharmed(gateway)
    grown_less(seen, count(20, 200) * 64 * 1024 + 16 * MIB)
    returns_to(gateway, files)


# --- comings and goings ---------------------------------------------------------------------------


def test_comings_and_goings_leave_nothing_behind(start):
    """Quick connections, floods of requests on one, half-closed ones, resets anywhere; twice, for the
    first time fills the allocator's stock."""
    gateway = start()
    call = post("/v1/chat", b'{"messages":["hi"],"store":false}')
    stream = post("/v1/chat", json.dumps({"messages": ["word " * 2000], "stream": True,
                                          "store": False}).encode())
    call_ms(gateway)
    files = descriptors(gateway)
    random_ = random.Random(7)
    after = []
    for _ in range(2):
        for i in range(count(500, 5000)):
            with socket.create_connection((gateway.host, gateway.port)) as sock:
                if i % 3 == 0:
                    sock.send(get("/livez")[:random_.randrange(60)])
                if i % 2:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with Crowd(gateway) as crowd:
            for _ in range(count(5, 50)):
                crowd.open(call * 20)  # and nobody reads
            for i in range(count(60, 600)):
                what = random_.choice((call, stream))
                sock = crowd.open(what[:random_.randrange(len(what) + 60)])
                if i % 2:
                    with contextlib.suppress(OSError):
                        sock.shutdown(socket.SHUT_WR)
            unharmed(gateway)
            crowd.leave(reset=True)
        returns_to(gateway, files)
        wait_until(lambda: metric(gateway, "parley_stream_active") == 0, "no stream is left")
        after.append(gateway.rss_bytes())
    if not sanitized():
        assert after[1] - after[0] < 24 * MIB, after
    told("", f"{count(500, 5000)} connections a round: {(after[1] - after[0]) >> 10} KiB more after "
             "the second")


def test_a_flood_of_requests_on_one_connection(start):
    """Each is answered, in order; who does not read is not answered on and on."""
    gateway = start()
    with Raw(gateway) as raw:
        flood_ = threading.Thread(target=raw.send, args=(get("/livez") * 5000,))
        flood_.start()
        calls = unharmed(gateway)
        assert all(raw.read().status == 200 for _ in range(5000))
        flood_.join()
    with sampled(gateway) as seen, Crowd(gateway) as crowd:
        sock = crowd.open(b"", receive_buffer=1 << 14)
        sent = 0
        requests = itertools.chain.from_iterable(forever(get("/v1/models")))
        chunk = bytes(itertools.islice(requests, 1 << 16))
        with contextlib.suppress(BlockingIOError):
            while sent < 256 * MIB:
                sent += sock.send(chunk)
        unharmed(gateway)
    assert sent < 64 * MIB, "answers were made that nobody takes"
    grown_less(seen, 16 * MIB)
    told("", f"5,000 requests at once on one connection: others' calls {calls}")
