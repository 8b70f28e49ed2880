"""Connections to providers: which protocol, how they are kept and shared, and how calls leave them."""

import json
import os
import socket
import ssl
import subprocess
import threading
import time

import h2.errors
import httpx
import pytest

import secure
import upstream as up
from client import NO_TLS, Client
from fixtures import once
from gateway import sanitized
from raw import Raw, get, post
from secure import HTTP2, PLAIN, TLS
from waiting import DEADLINE, Watch, soonest, wait_until

AT_ONCE = 1.0 if sanitized() else 0.1  # seconds until a provider notices
SETUP = {"connect": "20s", "first_byte": "20s", "idle": "20s", "total": "60s"}


@pytest.fixture(scope="module")
def pem(tmp_path_factory):
    return secure.certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def provider(pem):
    """provider(protocol, …): one of the test's own."""
    made = []

    def make(protocol, **more):
        made.append(secure.Provider(protocol, pem, **more))
        return made[-1]
    yield make
    for one in made:
        one.close()


@pytest.fixture
def serve(start):
    """serve(provider, …): a gateway before it; models are named p/NAME."""
    clients = []

    def make(provider, args=(), env=None, **more):
        entry = provider if isinstance(provider, dict) else provider.entry("p")
        gateway = start({"providers": [{**entry, **once(), "timeouts": SETUP, **more}],
                         "models": [{"name": "p/*", "provider": "p"}]},
                        args=["--loops", "1", *args], env=env)
        clients.append(Client(gateway.url))
        return gateway, clients[-1]
    yield make
    for client in clients:
        client.close()


def answer(ask):
    """As it was asked for."""
    if ask.json.get("stream"):
        ask.events()
        for piece in ("to ", "you"):
            ask.event(up.chunk({"content": piece}))
        finish(ask)
    else:
        ask.reply(up.completion("to you"))


def finish(ask):
    ask.event(up.chunk({}, "stop"))
    ask.event("[DONE]")
    ask.end()


def held(gate):
    def run(ask):
        assert gate.wait(DEADLINE * 2)
        answer(ask)
    return run


def asks(client, model, **more):
    return client.complete("p/" + model, **more)


def streams(client, model, **more):
    with client.complete_stream("p/" + model, **more) as stream:
        return stream.check_head().openai()


# --- which protocol -------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol, option, want", [
    (PLAIN, {}, "Http1"), (TLS, {}, "Http1"), (HTTP2, {}, "Http2"), (HTTP2, {"http2": "auto"}, "Http2"),
    (HTTP2, {"http2": "off"}, "Http1")], ids=str)
def test_the_protocol_is_the_best_that_is_offered_and_allowed(provider, serve, protocol, option,
                                                              want):
    p = provider(protocol)
    _, client = serve(p, **option)
    model = p.on(answer)
    assert asks(client, model).ok().text == "to you"
    assert {type(c).__name__ for c in p.connections} == {want}
    assert streams(client, model).text == "to you"
    assert {type(c).__name__ for c in p.connections} == {want, "Http1"}, "a stream shares nothing"


def test_a_wrong_choice_is_refused(start):
    gateway = start({"providers": [{"name": "p", "dialect": "openai", "http2": "always",
                                    "base_url": "https://127.0.0.1:9"}]}, ready=False)
    code, said = gateway.fails_to_start()
    assert code == 78 and "http2" in said and "auto" in said


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("protocol", [PLAIN, TLS, HTTP2])
def test_a_large_request_waits_for_nothing(provider, serve, protocol, stream):
    """An Expect header would hold it back for a second."""
    p = provider(protocol)
    _, client = serve(p)
    model = p.on(answer)
    messages = [{"role": "user", "content": "x" * (3 << 20)}]
    if stream:
        streams(client, model, messages=messages)
    else:
        asks(client, model, messages=messages).ok()
    ask = p.ask()
    assert ask.header("expect") is None
    assert ask.json["messages"] == messages


# --- cancel ---------------------------------------------------------------------------------------


def part(ask):
    """Some of the answer, and then nothing."""
    if ask.json.get("stream"):
        ask.events()
        ask.event(up.chunk({"content": "some"}))
    else:
        ask.head(length=4096)
        ask.send(b'{"choices"')
    ask.wait_gone()


def nothing(ask):
    """Not a byte."""
    ask.wait_gone()


def sends(gateway, model, stream=False, **more):
    """A request whose answer nobody waits for here."""
    raw = Raw(gateway)
    text = json.dumps({"messages": ["hi"], "config": {"model": "p/" + model}, "stream": stream,
                       **more}).encode()
    return raw.send(b"POST /v1/chat HTTP/1.1\r\nHost: localhost\r\n"
                    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                    % (len(text), text))


class Asked:
    """A call whose client leaves, or cancels it; what the cancel is answered can wait for a disk."""

    def __init__(self, gateway, model, stream, how):
        self.canceller = None
        if how == "leave":
            self.raw = sends(gateway, model, stream, store=False)
            return
        with Client(gateway.url) as client:
            before = {r["id"] for r in client.get("/v1/runs?limit=100").ok().json["data"]}
            self.raw = sends(gateway, model, stream)
            run = wait_until(lambda: {r["id"] for r in client.get("/v1/runs?limit=100").json["data"]}
                             - before, "the run").pop()
        self.cancel = f"/v1/runs/{run}/cancel"
        self.canceller = Raw(gateway)
        assert self.canceller.send(get("/livez")).read().status == 200  # the connection stands

    def give_up(self):
        if self.canceller:
            self.canceller.send(post(self.cancel, b""))
        else:
            self.raw.close()

    def finish(self):
        if self.canceller:
            with self.canceller as raw:
                reply = raw.read("POST", self.cancel)
                assert reply.status == 200 and json.loads(reply.body)["status"] == "cancelled"
        self.raw.close()


@pytest.mark.parametrize("how", ["leave", "cancel"])
@pytest.mark.parametrize("moment", [nothing, part], ids=["before", "within"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("protocol", [PLAIN, TLS, HTTP2])
def test_a_cancel_reaches_the_provider_at_once(provider, serve, protocol, stream, moment, how):
    p = provider(protocol)
    gateway, client = serve(p)
    reached = threading.Event()

    def run(ask):
        reached.set()
        moment(ask)

    def measure():
        reached.clear()
        number = len(p.asks) + 1
        asked = Asked(gateway, p.on(run), stream, how)
        ask = p.ask(number)
        assert reached.wait(DEADLINE)
        ask.gone.watch = Watch(gateway)
        asked.give_up()
        ask.wait_gone()
        asked.finish()
        return ask.gone.watch.seconds()

    soonest(measure, AT_ONCE)
    assert asks(client, p.on(answer)).ok().text == "to you"


@pytest.mark.parametrize("how", ["leave", "cancel"])
def test_a_cancel_ends_a_silent_handshake(provider, serve, how):
    p = provider(HTTP2, mute=100)
    gateway, _ = serve(p)

    def measure():
        number = p.accepted + 1
        asked = Asked(gateway, "m", False, how)
        p.wait(lambda: len(p.connections) >= number, "a connection")
        closed = p.connections[number - 1].closed
        closed.watch = Watch(gateway)
        asked.give_up()
        assert closed.wait(DEADLINE), "the connection stayed open"
        asked.finish()
        return closed.watch.seconds()

    soonest(measure, AT_ONCE)


def test_who_waits_for_a_connection_of_a_cancelled_call_gets_another(provider, serve):
    """Calls that may share a connection wait for the handshake of the first one among them."""
    p = provider(HTTP2, mute=4)
    gateway, client = serve(p)
    model = p.on(answer)
    holders = []
    for number in range(1, 5):
        holders.append(Asked(gateway, model, False, "cancel"))
        p.wait(lambda number=number: len(p.connections) == number, "a connection")
    waiters = [sends(gateway, model, store=False) for _ in range(8)]
    client.get("/healthz").ok()
    waiters[7].close()
    client.get("/healthz").ok()
    assert p.accepted == 4 and not p.asks
    for asked in holders:
        asked.give_up()
        asked.finish()
    for raw in waiters[:7]:
        assert raw.read().status == 200
        raw.close()


def opening(port):
    """Connections to the port of this machine that wait for their first answer (SYN-SENT)."""
    count = 0
    with open("/proc/net/tcp") as table:
        for line in list(table)[1:]:
            fields = line.split()
            count += fields[3] == "02" and int(fields[2].split(":")[1], 16) == port
    return count


@pytest.mark.parametrize("how", ["leave", "cancel"])
def test_a_cancel_ends_an_unanswered_connect(serve, how):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    port = listener.getsockname()[1]
    fill = [socket.socket() for _ in range(4)]
    for one in fill:  # a full queue: whoever comes now is not answered
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", port))
    wait_until(lambda: opening(port) > 0, "the queue is full")
    own = opening(port)
    gateway, _ = serve({"name": "p", "dialect": "openai", "base_url": f"http://127.0.0.1:{port}/v1"})

    def measure():
        asked = Asked(gateway, "m", False, how)
        wait_until(lambda: opening(port) == own + 1, "the gateway connects")
        watch = Watch(gateway)
        asked.give_up()
        wait_until(lambda: opening(port) == own, "it gave that up")
        took = watch.seconds()
        asked.finish()
        return took

    soonest(measure, AT_ONCE + 0.02)
    for one in [*fill, listener]:
        one.close()


# --- names ----------------------------------------------------------------------------------------

RESOLVER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names that begin with "slow." are answered when a file is gone; each look-up adds a byte to it. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
		struct addrinfo **ret)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
		dlsym(RTLD_NEXT, "getaddrinfo");

	if (name && strncmp(name, "slow.", 5) == 0) {
		int fd = open(getenv("SLOW_NAMES"), O_WRONLY | O_APPEND);
		if (fd >= 0 && write(fd, "x", 1) == 1)
			close(fd);
		while (access(getenv("SLOW_NAMES"), F_OK) == 0)
			usleep(2000);
		name = "127.0.0.1";
	}
	return real(name, service, hints, ret);
}
"""


@pytest.fixture(scope="module")
def resolver(tmp_path_factory):
    folder = tmp_path_factory.mktemp("resolver")
    (folder / "slow.c").write_text(RESOLVER)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "slow.so", folder / "slow.c", "-ldl"],
                   check=True, timeout=DEADLINE * 2)
    return folder / "slow.so"


@pytest.fixture
def slow_names(resolver, tmp_path):
    """The environment of a gateway whose look-ups hang until the test ends, or calls free."""
    options = os.environ.get("ASAN_OPTIONS", "detect_leaks=1:abort_on_error=0")

    class Names:
        file = tmp_path / "names"
        env = {"LD_PRELOAD": str(resolver), "SLOW_NAMES": str(file),
               "ASAN_OPTIONS": options + ":verify_asan_link_order=0"}

        def hanging(self):
            return self.file.stat().st_size

        def free(self):
            self.file.unlink(missing_ok=True)
    Names.file.touch()
    names = Names()
    yield names
    names.free()


@pytest.mark.parametrize("how", ["leave", "cancel"])
def test_a_slow_name_look_up_holds_nobody_up(provider, serve, slow_names, how):
    p = provider(PLAIN)
    gateway, client = serve({"name": "p", "dialect": "openai",
                             "base_url": f"http://slow.example:{p.port}/v1"}, env=slow_names.env)

    def measure():
        before = slow_names.hanging()
        asked = Asked(gateway, "m", False, how)
        wait_until(lambda: slow_names.hanging() > before, "the name is looked up")
        watch = Watch(gateway)
        client.get("/healthz").ok()  # by the one loop that there is
        assert watch.seconds() < AT_ONCE * 5
        watch = Watch(gateway)
        asked.give_up()
        client.get("/healthz").ok()
        took = watch.seconds()
        asked.finish()
        return took

    soonest(measure, AT_ONCE)
    slow_names.free()
    model = p.on(answer)
    assert asks(client, model).ok().text == "to you"
    assert len(p.asks) == 1, "a call that was given up still went out"


def test_a_slow_name_look_up_has_the_connect_limit(provider, serve, slow_names):
    gateway, client = serve({"name": "p", "dialect": "openai",
                             "base_url": "http://slow.example:9/v1"},
                            env=slow_names.env, timeouts={**SETUP, "connect": "300ms"})
    watch = Watch(gateway)
    asks(client, "m").error(504, "connect_timeout")
    assert watch.seconds() < 5
    slow_names.free()


# --- kept and shared ------------------------------------------------------------------------------


def whole(gateway, model):
    """A plain call without Client's checks, which many threads at once would wait for."""
    return httpx.post(f"{gateway.url}/v1/chat/completions", verify=NO_TLS, trust_env=False,
                      timeout=DEADLINE * 2, json={
                          "model": "p/" + model, "messages": [{"role": "user", "content": "x"}]})


def good(gateway, model):
    reply = whole(gateway, model)
    assert reply.status_code == 200, reply.text
    return reply.json()["choices"][0]["message"]["content"]


def at_once(count, function):
    """Runs function(0) … function(count - 1), all at the same time; returns their values."""
    values = [None] * count
    problems = []

    def run(i):
        try:
            values[i] = function(i)
        except BaseException as error:
            problems.append(error)
    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE * 4)
    assert not problems, problems
    return values


def test_whole_answers_share_connections(provider, serve):
    p = provider(HTTP2)
    gateway, _ = serve(p)
    gate = threading.Event()
    model = p.on(held(gate))

    def call(_):
        return good(gateway, model)
    opener = threading.Thread(target=lambda: (p.ask(24), gate.set()))
    opener.start()
    assert at_once(24, call) == ["to you"] * 24
    opener.join()
    assert len(p.connections) <= 4, "one for each of the loop's handles for shared connections"


def test_first_calls_do_not_wait_for_each_other_where_http2_is_refused(provider, serve):
    """The first handshake that chooses HTTP/1.1 tells it to all of them; no request is sent twice."""
    all_wait = threading.Event()

    def before(number):
        if number <= 4:  # of the loop's handles for shared connections
            assert all_wait.wait(DEADLINE)
        else:
            p.wait(lambda: p.accepted >= 20, "all calls have a connection at the same time")
    p = provider(TLS, before=before)
    gateway, _ = serve(p)
    model = p.on(answer)

    def call(n):
        if n < 24:
            return good(gateway, model)
        with Client(gateway.url) as client:
            wait_until(lambda: b"\nparley_calls_active 24\n" in client.get("/metrics").body, "all calls wait")
        all_wait.set()
        return "to you"
    assert at_once(25, call) == ["to you"] * 25
    assert len(p.asks) == 24


def empty(ask):
    ask.head(503, length=0)
    ask.end()


@pytest.mark.parametrize("bad", [empty, lambda ask: ask.connection.reset(ask)], ids=["empty", "reset"])
def test_an_answer_that_brings_nothing_leaves_its_connection(provider, serve, bad):
    """A provider in trouble is not asked for a handshake with each error, too."""
    p = provider(HTTP2)
    gateway, _ = serve(p)
    fails, works = p.on(bad), p.on(answer)
    for _ in range(8):
        good(gateway, works)
    before = len(p.connections)
    for _ in range(8):
        assert whole(gateway, fails).status_code in (502, 503)
        good(gateway, works)
    assert len(p.connections) == before == 4


def test_no_more_streams_than_the_provider_allows(provider, serve):
    p = provider(HTTP2, streams=2)  # a third one would be among its problems: h2 counts them
    gateway, _ = serve(p)
    model = p.on(answer)

    def call(_):
        return good(gateway, model)
    for _ in range(4):
        call(0)  # so that its limits are known
    assert at_once(32, call) == ["to you"] * 32


def test_a_cancelled_call_leaves_the_others_of_its_connection_alone(provider, serve):
    p = provider(HTTP2)
    gateway, _ = serve(p)
    gate = threading.Event()
    clients = {}
    for _ in range(16):
        model = p.on(held(gate))
        clients[model] = sends(gateway, model, store=False)
    p.ask(16)
    # Which calls share a connection is the gateway's choice: half of each connection's are given up.
    given_up = [ask for c in p.connections for ask in c.asks[1::2]]
    going_on = [ask for c in p.connections for ask in c.asks[::2]]
    assert len(given_up) >= 6, "16 calls on 4 connections"
    for ask in given_up:
        clients[ask.json["model"]].close()
    for ask in given_up:
        ask.wait_gone()
    gate.set()
    for ask in going_on:
        with clients[ask.json["model"]] as raw:
            reply = raw.read("POST", "/v1/chat")
            assert reply.status == 200 and b"to you" in reply.body
    assert all(ask.reset for ask in given_up) and not any(c.closed.is_set() for c in p.connections)


@pytest.mark.parametrize("protocol", [PLAIN, TLS, HTTP2])
def test_a_reader_that_stops_stops_nobody_else(provider, serve, protocol):
    """Its provider is held back, and what it gets in the end is whole."""
    p = provider(protocol)
    gateway, client = serve(p)
    piece, count = "0123456789abcdef" * 256, 6000  # 24 MB: the kernel may hold ten
    sent = [0]

    def run(ask):
        ask.events()
        for i in range(count):
            ask.event(up.chunk({"content": f"{i} {piece}"}))
            sent[0] = i
        finish(ask)
    model, other = p.on(run), p.on(answer)
    raw = Raw(gateway, receive_buffer=4096)
    text = json.dumps({"model": "p/" + model, "stream": True, "store": False,
                       "messages": [{"role": "user", "content": "x"}]}).encode()
    raw.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
             b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))
    head = raw.read_head()

    def stalled():
        before = sent[0]
        time.sleep(0.3)  # how long a sender must stand still to count as held back
        return before > 0 and sent[0] == before
    wait_until(stalled, "the provider is held back", DEADLINE * 2)
    assert sent[0] < count - 1, "everything was taken in for a reader that does not read"
    for _ in range(20):
        assert asks(client, other).ok().text == "to you"
        assert streams(client, other).text == "to you"
    content = b"".join(raw.pieces(head))
    raw.close()
    at = 0
    for i in range(count):
        at = content.find(f'"{i} {piece}"'.encode(), at)
        assert at >= 0, f"piece {i} is missing"


@pytest.mark.parametrize("protocol", [PLAIN, TLS, HTTP2])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_kept_connection_that_the_provider_closed_makes_no_failed_call(provider, serve, protocol,
                                                                        stream):
    p = provider(protocol)
    _, client = serve(p)
    model = p.on(answer)
    call = streams if stream else lambda c, m: asks(c, m).ok()
    for _ in range(17):
        call(client, model)
    for connection in list(p.connections):
        connection.close()
    for _ in range(17):
        assert call(client, model).text == "to you"


@pytest.mark.parametrize("protocol", [PLAIN, TLS])
def test_a_kept_connection_that_ends_with_the_request_is_tried_anew(provider, serve, protocol):
    """The provider closes while the request is on its way; it read nothing of it, says nothing."""
    p = provider(protocol)
    _, client = serve(p)
    first = p.on(answer)
    for _ in range(2):  # the first one may tell that HTTP/2 is not spoken
        asks(client, first).ok()
    kept = len(p.connections)

    def closes(ask):
        if ask.connection in before:
            ask.connection.close()
        else:
            answer(ask)
    before = list(p.connections)
    assert asks(client, p.on(closes)).ok().text == "to you"
    assert len(p.connections) == kept + 1


@pytest.mark.parametrize("protocol", [TLS, HTTP2])
@pytest.mark.parametrize("tls", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def test_tls_sessions_are_resumed(provider, serve, protocol, tls):
    """Also by other loops, for another shape of call.  Where HTTP/2 was refused, the connection that told so was closed
    at once: maybe before it brought a session, and a session of TLS 1.2 ends with it."""
    p = provider(protocol, tls=tls)
    gateway, client = serve(p, args=["--loops", "4"])
    model = p.on(answer)
    asks(client, model).ok()

    def call(i):
        with Client(gateway.url) as other:
            return streams(other, model).text if i % 2 else asks(other, model).ok().text
    for i in range(24):
        assert call(i) == "to you"
    resumed = [c.resumed for c in p.connections]
    full = 2 if protocol == TLS else 1
    assert len(resumed) >= 4 and not resumed[0] and resumed.count(False) <= full


# --- HTTP/2 that breaks ---------------------------------------------------------------------------


def test_a_refused_stream_is_asked_again(provider, serve):
    p = provider(HTTP2)
    _, client = serve(p)

    def run(ask):
        if len(p.asks) == 1:
            ask.connection.reset(ask, h2.errors.ErrorCodes.REFUSED_STREAM)
        else:
            answer(ask)
    model = p.on(run)
    assert asks(client, model).ok().text == "to you" and len(p.asks) == 2


def test_a_reset_stream_is_an_honest_error(provider, serve):
    p = provider(HTTP2)
    _, client = serve(p)
    model = p.on(lambda ask: ask.connection.reset(ask))
    error = asks(client, model).error(502, "upstream_bad_response")
    assert "'p'" in error["message"] and "127.0.0.1" not in error["message"]
    assert "INTERNAL_ERROR" in error["message"], "what the provider said"
    assert len(p.asks) == 1, "it may have cost something: it was not asked again"

    assert asks(client, p.on(answer)).ok().text == "to you"


def test_a_provider_that_says_goodbye(provider, serve):
    """What it has begun ends well, what it has not seen goes out again, on another connection."""
    p = provider(HTTP2)
    _, client = serve(p)

    def last(ask):
        ask.connection.say_goodbye(ask.stream)
        answer(ask)

    def unseen(ask):
        if ask.connection in kept:
            ask.connection.say_goodbye(ask.stream - 2)
            ask.connection.close()
        else:
            answer(ask)
    for model in [p.on(last)] * 17 + [p.on(answer)] * 17:
        assert asks(client, model).ok().text == "to you"
    kept = list(p.connections)
    assert asks(client, p.on(unseen)).ok().text == "to you"


def test_a_connection_that_breaks_ends_all_its_calls(provider, serve):
    p = provider(HTTP2)
    gateway, client = serve(p)

    def breaks(ask):
        p.ask(12)
        ask.head(length=100)
        ask.send(b"{")
        ask.connection.close()
    model = p.on(breaks)

    def call(_):
        return whole(gateway, model).status_code
    assert set(at_once(12, call)) == {502}
    assert asks(client, p.on(answer)).ok().text == "to you"


@pytest.mark.parametrize("kind", ["a goodbye", "one refused"])
def test_goodbyes_under_load(provider, serve, kind):
    """Every connection ends in the middle of several calls, and none of them fails."""
    p = provider(HTTP2)
    gateway, _ = serve(p)
    lock = threading.Lock()
    said = set()

    def run(ask):
        c = ask.connection
        with lock:
            ends = c not in said and len(c.asks) >= 3
            if ends:
                said.add(c)
        if ends and kind == "a goodbye":
            c.say_goodbye(2 ** 31 - 1)  # new calls go elsewhere, those under way end well
        elif ends:
            c.reset(ask, h2.errors.ErrorCodes.REFUSED_STREAM)
            return
        answer(ask)
    model = p.on(run)
    for _ in range(4):
        assert at_once(16, lambda _: good(gateway, model)) == ["to you"] * 16
    assert said
