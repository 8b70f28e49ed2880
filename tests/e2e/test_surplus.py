"""A provider that sends more than one answer: what came behind an answer reaches no other call.

HTTP/1.1 tells answers apart by their order alone.  A surplus that is there before the next request is
sent must be found; one that comes later can't be told from that request's answer (docs/providers.md, Connections)."""

import collections
import contextlib
import fcntl
import itertools
import json
import signal
import socket
import struct
import termios
import threading
from pathlib import Path

import httpx
import pytest

import secure
import upstream as up
from client import NO_TLS, Client
from fixtures import once
from test_connections import at_once
from waiting import wait_until

# Which client of HTTP/1.1 asks: ours without and with TLS, and libcurl's where HTTP/2 was offered, or through a
# proxy, which the provider itself is.
KEPT = {"http": (secure.PLAIN, {}), "https": (secure.TLS, {"http2": "off"}),
        "https-h2-offered": (secure.TLS, {"http2": "auto"})}
WAYS = KEPT | {"proxy": (secure.PLAIN, {"base_url": "http://provider.example/v1"})}
# Where a read may end: of TLS for a connection that libcurl sets up, its other buffers, ours.
BORDERS = [700, 1024, 2048, 16 << 10, 64 << 10]
CASES = list(itertools.product(WAYS, [False, True], BORDERS, ["one write", "two writes"]))
WIDEN = 512 << 10  # bytes that make the kernel widen the window of a connection
CALLS = 500


def name_of(case):
    return "-".join(str(part).replace(" ", "-") for part in case)


def http(kind, body, chunked):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n".encode()
    if chunked:
        return head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    return head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def answer(text, stream, size=0):
    """A whole answer of HTTP, of exactly so many bytes."""
    def padded(pad):
        if stream:
            events = [up.chunk({"content": text}), up.chunk({}, "stop")]
            body = "".join(f"data: {json.dumps(e)}\n\n" for e in events) + "data: [DONE]\n\n"
            return http("text/event-stream", b": " + b" " * pad + b"\n" + body.encode(), True)
        return http("application/json", json.dumps(up.completion(text)).encode() + b" " * pad, False)
    pad = 0
    while size and len(padded(pad)) != size:
        pad += size - len(padded(pad))
        assert pad >= 0, "the answer alone is larger"
    return padded(pad)


def send_at_once(ask, *pieces):
    """All that is written leaves together; what fits a segment arrives together, too."""
    sock = ask.connection.sock
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    with ask.connection.lock:
        for piece in pieces:
            ask.connection._write(piece)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)


def unacknowledged(sock):
    return struct.unpack("i", fcntl.ioctl(sock, termios.TIOCOUTQ, b"\0" * 4))[0]


@contextlib.contextmanager
def standing_still(gateway, sock):
    """What is written to the socket is all there when the gateway looks."""
    threads = Path(f"/proc/{gateway.process.pid}/task")
    gateway.signal(signal.SIGSTOP)
    try:
        wait_until(lambda: all(" T " in (t / "stat").read_text() for t in threads.iterdir()),
                   "it stands still")
        yield
        wait_until(lambda: unacknowledged(sock) == 0, "all has arrived")
    finally:
        gateway.signal(signal.SIGCONT)


@pytest.fixture(scope="module")
def providers(tmp_path_factory):
    pem = secure.certificate(tmp_path_factory.mktemp("tls"))
    made = {way: secure.Provider(protocol, pem) for way, (protocol, _) in WAYS.items()}
    yield made
    for one in made.values():
        one.close()


@pytest.fixture(scope="module")
def gateway(start_once, providers):
    """Each case has an entry of its own, for after a surplus an entry keeps no connections."""
    names = [(case[0], name_of(case)) for case in CASES]
    names += [(way, f"{way}-{kind}-{stream}") for way in WAYS for stream in (False, True)
              for kind in ("idle", "many")]

    def entry(way, name):
        over = {"proxy": providers[way].url.removesuffix("/v1")} if way == "proxy" else {}
        return {**providers[way].entry(name), **WAYS[way][1], **over, **once()}
    return start_once({
        "providers": [entry(way, name) for way, name in names],
        "models": [{"name": f"{name}/*", "provider": name} for _, name in names],
        "max_calls": 1}, args=["--loops", "1"])


def said(gateway, model, stream):
    """The text that a call gets."""
    reply = httpx.post(f"{gateway.url}/v1/chat/completions", verify=NO_TLS, trust_env=False, timeout=60, json={
        "model": model, "stream": stream, "messages": [{"role": "user", "content": "x"}]})
    assert reply.status_code == 200, reply.text
    if not stream:
        return reply.json()["choices"][0]["message"]["content"]
    events = [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: {")]
    return "".join(c["delta"].get("content") or "" for e in events for c in e["choices"])


def metric(gateway, name, **labels):
    with Client(gateway.url) as client:
        text = client.get("/metrics").ok().body.decode()
    want = name + ("{" + ",".join(f'{k}="{v}"' for k, v in labels.items()) + "}" if labels else "")
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.rsplit(" ", 1)[0] == want)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_call_that_waits_for_a_place_gets_its_own_answer(gateway, providers, case):
    """It takes the place, and might take the connection, in the moment in which the answer is over."""
    way, stream, size, writes = case
    p, entry = providers[way], name_of(case)
    gave = []

    def doubled(ask):
        wait_until(lambda: metric(gateway, "parley_queue_depth") == 1, "the other call waits")
        gave.append(ask)
        first, second = answer("mine", stream, size), answer("a surplus", stream)
        with standing_still(gateway, ask.connection.sock):
            send_at_once(ask, *([first + second] if writes == "one write" else [first, second]))

    def own(ask):
        send_at_once(ask, answer("own", stream, size + WIDEN))
    warm, double, wait = p.on(own), p.on(doubled), p.on(own)
    for _ in range(2):
        assert said(gateway, f"{entry}/{warm}", stream) == "own"
    asked = len(p.asks)
    first = threading.Thread(target=lambda: gave.append(said(gateway, f"{entry}/{double}", stream)))
    first.start()
    p.ask(asked + 1)  # it has the only place
    assert said(gateway, f"{entry}/{wait}", stream) == "own"
    first.join()
    assert gave[1] == "mine"
    assert p.asks[-1].connection is not gave[0].connection


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("way", KEPT)
def test_a_surplus_that_comes_later_is_found_before_the_next_call(gateway, providers, way, stream):
    p, entry = providers[way], f"{way}-idle-{stream}"

    def own(ask):
        send_at_once(ask, answer("own", stream))
    model = p.on(own)
    for _ in range(3):
        assert said(gateway, f"{entry}/{model}", stream) == "own"
    idle = p.asks[-1].connection
    assert p.asks[-2].connection is idle, "it is kept"
    idle.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with idle.lock:
        idle._write(answer("a surplus", stream))
    wait_until(lambda: metric(gateway, "parley_upstream_surplus_total", upstream=entry) == 1,
               "the surplus is counted")
    seen = []
    for _ in range(3):
        assert said(gateway, f"{entry}/{model}", stream) == "own"
        seen.append(p.asks[-1].connection)
    assert len({id(c) for c in [*seen, idle]}) == 4, "no connection is kept for a while"
    gateway.wait_log(rf"upstream_surplus.*\b{entry}\b")


class Relay:
    """Passes bytes on between the gateway and a provider, and keeps the provider's last ones back."""

    def __init__(self, port):
        self.port_behind = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.accepted = []
        self.keeps = 0  # bytes
        self.kept = {}  # by the sink
        self._start(self._accept)

    def _start(self, target, *args):
        threading.Thread(target=target, args=args, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.port_behind))
                self.accepted.append(near)
                self._start(self._pass, near, far, False)
                self._start(self._pass, far, near, True)

    def _pass(self, source, sink, back):
        with contextlib.suppress(OSError):
            while some := source.recv(1 << 16):
                if back:
                    some = self.kept.pop(sink, b"") + some
                    if self.keeps:
                        some, self.kept[sink] = some[:-self.keeps], some[-self.keeps:]
                sink.sendall(some)
            sink.shutdown(socket.SHUT_RDWR)

    def close(self):
        for one in [self.listener, *self.accepted]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@pytest.mark.parametrize("came", [1, 5, 6, -1], ids=["a byte", "the header", "a byte more", "all but a byte"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_surplus_whose_record_of_tls_is_not_whole_yet(start, providers, stream, came):
    """TLS has taken what has come of it, and gives nothing."""
    p = providers["https"]
    relay = Relay(p.port)
    gateway = start({"providers": [p.entry("p", base_url=f"https://127.0.0.1:{relay.port}/v1", http2="off",
                                           **once())],
                     "models": [{"name": "p/*", "provider": "p"}]}, args=["--loops", "1"])

    def doubled(ask):
        surplus = answer("a surplus", stream)
        record = 5 + len(surplus) + 1 + 16  # header, kind, tag of AES-GCM or ChaCha20 (RFC 8446, section 5.2)
        relay.keeps = record - came if came > 0 else 1
        send_at_once(ask, answer("mine", stream), surplus)

    def own(ask):
        send_at_once(ask, answer("own", stream))
    first, second = f"p/{p.on(doubled)}", f"p/{p.on(own)}"
    assert said(gateway, second, stream) == "own"
    assert said(gateway, first, stream) == "mine"
    wait_until(lambda: relay.kept and unacknowledged(relay.accepted[0]) == 0, "the beginning of the surplus has arrived")
    relay.keeps = 0  # the rest follows with whatever the provider sends next
    assert said(gateway, second, stream) == "own"
    assert len(relay.accepted) == 2
    relay.close()


@pytest.mark.parametrize("line", ["HTTP/2 200", "HTTP/2.0 200 OK"])
def test_a_provider_that_only_says_that_it_speaks_http2(start, providers, line):
    """What libcurl reads of the status line does not make calls share a connection."""
    p = providers["https-h2-offered"]
    gateway = start({"providers": [p.entry("p", **once())], "models": [{"name": "p/*", "provider": "p"}]},
                    args=["--loops", "1"])

    def own(ask):
        text = answer(ask.json["model"], False).replace(b"HTTP/1.1 200 OK", line.encode(), 1)
        send_at_once(ask, text, text)

    def call(_):
        return httpx.post(f"{gateway.url}/v1/chat/completions", verify=NO_TLS, trust_env=False, timeout=60, json={
            "model": f"p/{p.on(own)}", "messages": [{"role": "user", "content": "x"}]})
    for _ in range(8):
        for reply in at_once(8, call):
            assert reply.status_code == 502 and reply.json()["error"]["code"] == "upstream_bad_response"


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("way", WAYS)
def test_a_provider_that_doubles_one_answer_of_a_hundred(gateway, providers, way, stream):
    p, entry = providers[way], f"{way}-many-{stream}"
    counter = itertools.count(1)
    models = collections.deque()

    def echoed(ask):
        own = answer(ask.json["model"], stream)
        send_at_once(ask, own, *([own] if next(counter) % 100 == 0 else []))
    for _ in range(CALLS):
        models.append(p.on(echoed))

    def calls(_):
        wrong = []
        while True:
            try:
                model = models.popleft()
            except IndexError:
                return wrong
            got = said(gateway, f"{entry}/{model}", stream)
            wrong += [] if got == model else [(model, got)]
    assert at_once(8, calls) == [[]] * 8
    assert next(counter) == CALLS + 1
    if way in KEPT:
        assert metric(gateway, "parley_upstream_surplus_total", upstream=entry) >= 1
