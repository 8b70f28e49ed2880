"""Descriptors, local ports or memory run out on our side: 503 `overloaded`, and no provider's health suffers."""

import ctypes
import errno
import fcntl
import json
import os
import resource
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

import upstream as up
import wires
from client import Client
from fixtures import provider
from gateway import Gateway, sanitized
from raw import Closed, Raw, post
from waiting import DEADLINE, wait_until

ASK = {"role": "user", "content": "hi"}


# Descriptors below this one are open for as long as the gateway runs; a poll(2) of more is refused.
LASTING = 8


class Short:
    """While it stands the gateway gets no descriptor."""

    def __init__(self, gateway):
        self.pid = gateway.process.pid
        self.limits = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)

    def __enter__(self):
        taken = {int(name) for name in os.listdir(f"/proc/{self.pid}/fd")}
        assert taken.issuperset(range(LASTING)), taken
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (LASTING, self.limits[1]))

    def __exit__(self, *_):
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, self.limits)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_no_descriptor_is_no_fault_of_a_provider(start, upstream, script, host):
    health = {"failures": 1, "window": "1m", "pause": "1m", "cooling": "0s", "dead_key": "0s"}
    url = upstream.url.replace("127.0.0.1", host)
    gateway = start({
        "providers": [{"name": w.dialect, "dialect": w.dialect, "base_url": url, "retries": 2,
                       "health": dict(health)} for w in wires.WIRES],
        "models": [{"name": f"{w.dialect}/*", "provider": w.dialect, "fallback": ["spare"]}
                   for w in wires.WIRES] + [{"name": "spare", "provider": "echo"}]})
    made = {w.dialect: script(w.whole("back")) for w in wires.WIRES}
    with Client(gateway.url) as client:
        client.get("/livez").ok()  # its connection stands from here on
        with Short(gateway):
            for dialect, one in made.items():
                reply = client.complete(one.under(dialect), [ASK])
                message = reply.error(503, "overloaded", type="server_error")["message"]
                assert "no descriptor" in message and f"'{dialect}'" not in message, message
                assert reply.headers["retry-after"] == "1"
                assert "x-should-retry" not in reply.headers
        metrics = client.get("/metrics").ok().body.decode()
        assert 'parley_upstream_unhealthy{state="open"} 0' in metrics, metrics
        for dialect, one in made.items():
            reply = client.complete(one.under(dialect), [ASK]).ok()
            assert reply.text == "back" and reply.headers["x-parley-attempts"] == "1"


def test_a_stored_call_without_a_descriptor_keeps_its_message(start, script):
    gateway = start(usual={})
    s = script(up.either("back"))
    with Client(gateway.url) as client:
        client.get("/livez").ok()
        client.chat("warm", model="echo").ok()
        with Short(gateway):
            reply = client.chat("hi", model=s.model)
            reply.error(503, "overloaded")
        run = client.run(reply.headers["x-run-id"])
        assert (run["status"], run["error"]["code"]) == ("failed", "overloaded"), run
        wait_until(lambda: client.chat("hi", model=s.model).status == 200, "descriptors are back")


def test_a_long_header_line_is_the_providers_and_not_want_of_memory(client, script):
    def long(n):
        return script(up.reply(up.completion("ok"), headers=[("X-Long", "x" * n)]))
    assert client.complete(long(90 << 10).model, [ASK]).ok().text == "ok"
    for n in (101 << 10, 2 << 20):
        message = client.complete(long(n).model, [ASK]).error(502, "upstream_bad_response")["message"]
        assert message == "the provider 'local' sent a header line of more than 100 KiB"


# --- local ports ----------------------------------------------------------------------------------


CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


@pytest.fixture
def few_ports():
    """A network of its own for one thread: run(function) calls it there.  It has four local ports."""
    def enter():
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "unshare")
        with socket.socket() as s:
            fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
        Path("/proc/sys/net/ipv4/ip_local_port_range").write_text("20000 20003")

    with ThreadPoolExecutor(1) as thread:
        try:
            thread.submit(enter).result()
        except OSError as e:
            pytest.skip(f"a network of its own can't be had here: {e}")
        yield lambda function: thread.submit(function).result()


def take_ports(port):
    """Connections to the port, until there is no local one for another."""
    held = []
    while True:
        s = socket.socket()
        try:
            s.connect(("127.0.0.1", port))
        except OSError as e:
            assert e.errno == errno.EADDRNOTAVAIL, e
            return held
        held.append(s)


def test_no_local_port_is_no_fault_of_a_provider(few_ports, tmp_path):
    path = tmp_path / "sock"
    far = few_ports(up.Upstream)
    s = far.script(up.reply(up.completion("back")))
    gateway = Gateway(tmp_path, {
        "providers": [provider(far, "p", retries=2,
                               health={"failures": 1, "window": "1m", "pause": "1m"})],
        "models": [{"name": "m", "provider": "p", "upstream_model": s.name, "fallback": ["spare"]},
                   {"name": "spare", "provider": "echo"}]}, listen=f"unix:{path}")
    held = []
    try:
        few_ports(gateway.start)
        held = few_ports(lambda: take_ports(far.port))
        assert held
        with Client("http://localhost") as client:
            client.close()
            client.http = httpx.Client(base_url="http://localhost", trust_env=False, timeout=DEADLINE,
                                       transport=httpx.HTTPTransport(uds=str(path)))
            reply = client.complete("m", [ASK])
            message = reply.error(503, "overloaded", type="server_error")["message"]
            assert "no local port" in message and "x-should-retry" not in reply.headers
            while held:
                held.pop().close()
            wait_until(lambda: client.complete("m", [ASK]).status == 200, "ports are back")
            reply = client.complete("m", [ASK]).ok()
            assert reply.text == "back" and reply.headers["x-parley-attempts"] == "1"
    finally:
        for one in held:
            one.close()
        gateway.stop()
        far.close()


# --- memory ---------------------------------------------------------------------------------------


def test_want_of_memory_is_503_and_ends_nothing(start, script):
    """The address space may not grow: what needs more is refused, all else goes on, and so does that once
    there is memory again."""
    # mimalloc from 2.1 on may reserve a GiB of it ahead, unless it is told not to.
    gateway = start(usual={}, env={"MIMALLOC_ARENA_RESERVE": "0"})
    if sanitized():
        pytest.skip("a sanitizer needs address space of its own")
    pid = gateway.process.pid
    s = script(up.either("back"))
    big = "x" * (12 << 20)
    with Client(gateway.url) as client:
        client.complete(s.model, [ASK]).ok()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + (1 << 20)
        was = resource.prlimit(pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        for _ in range(3):
            for ask in (lambda: client.complete(s.model, [{**ASK, "content": big}]),
                        lambda: client.chat(big, model=s.model)):
                reply = ask()
                reply.error(503, "overloaded", type="server_error")
                assert "retry-after" in reply.headers
            assert client.get("/livez").status == 200
        resource.prlimit(pid, resource.RLIMIT_AS, was)
        assert client.complete(s.model, [{**ASK, "content": big}]).ok().text == "back"
        assert client.chat(big, model=s.model).ok()


def test_a_connection_without_memory_is_refused_or_closed(start):
    """libmicrohttpd closes it before the gateway hears of it, without an answer; nobody gets half of one,
    and all are served once there is memory again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    gateway = start(usual={"max_connections": 100000})
    if sanitized():
        pytest.skip("a sanitizer needs address space of its own")
    call = post("/v1/chat", json.dumps({"messages": ["x" * 20000], "store": False}).encode())
    pid = gateway.process.pid
    seen = set()

    def ask(raw):
        try:
            return raw.send(call).read("POST", "/v1/chat").status
        except Closed as closed:
            return closed.args[0]
    try:
        with ExitStack() as stack:
            assert ask(stack.enter_context(Raw(gateway))) == 200
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
            was = resource.prlimit(pid, resource.RLIMIT_AS,
                                   (pages * resource.getpagesize(), resource.RLIM_INFINITY))
            for _ in range(min(8000, hard // 2)):
                seen.add(ask(stack.enter_context(Raw(gateway))))
                if b"" in seen:
                    break
        resource.prlimit(pid, resource.RLIMIT_AS, was)
        assert b"" in seen and seen <= {200, 503, b""}, seen
        with Raw(gateway) as raw:
            assert ask(raw) == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("mib", [6, 16, 48, 96, 160, 256])  # below, the kernel can't map the program
def test_a_start_without_memory_says_so(start, mib):
    """It serves, as far as there is memory for connections, or says why not: no signal, no silence."""
    gateway = start(ready=False, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_AS, (mib << 20, resource.RLIM_INFINITY)))
    if sanitized():
        pytest.skip("a sanitizer needs address space of its own")
    gateway.launch()
    if gateway.started.wait(DEADLINE) and gateway.url:
        assert gateway.process.poll() is None
        return  # and it is stopped in order
    assert gateway.wait_exit() > 0, gateway.log()
    assert gateway.log().strip()
