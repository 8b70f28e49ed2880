"""Where the gateway serves: unix sockets, sockets that were inherited, and what a service manager is told."""

import json
import os
import signal
import socket
import stat
import sys
import tempfile
from pathlib import Path

import httpx
import pytest

from gateway import Gateway
from waiting import DEADLINE, wait_until


@pytest.fixture
def short():
    """A folder whose path fits into a socket's address."""
    with tempfile.TemporaryDirectory(prefix="p") as folder:
        yield Path(folder)


def over(path):
    return httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://any.example",
                        timeout=DEADLINE)


def ask(client):
    reply = client.post("/v1/chat", json={"messages": ["hi"]})
    assert reply.status_code == 200, reply.text
    return reply.json()["choices"][0]["message"]["content"]


def test_a_unix_socket_serves_and_goes_with_its_process(start, short):
    path = short / "p.sock"
    gateway = start(listen=f"unix:{path}")
    assert gateway.url == f"unix:{path}"
    assert stat.S_IMODE(path.stat().st_mode) == 0o660
    with over(path) as client:
        assert ask(client) == "hi"  # under any name: no browser gets there
        assert client.get("/metrics").status_code == 200
    gateway.stop()
    assert not path.exists()


def test_the_mode_of_a_unix_socket_is_an_option(start, short):
    path = short / "p.sock"
    start(listen=f"unix:{path}", args=["--socket-mode", "600", "--loops", "3"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for _ in range(8):
        with over(path) as client:
            assert ask(client) == "hi"


def test_several_addresses_of_several_kinds(start, short):
    path = short / "p.sock"
    gateway = start({"listen": ["127.0.0.1:0", f"unix:{path}", "127.0.0.1:0"]}, listen=None)
    wait_until(lambda: len(gateway.stdout) == 3, "a line for each address")
    with over(path) as client:
        assert ask(client) == "hi"
    for line in gateway.stdout:
        if "http://" in line:
            with httpx.Client(base_url=line.split()[-1], timeout=DEADLINE) as client:
                assert ask(client) == "hi"


def test_a_socket_that_a_killed_process_left_is_replaced(start, short):
    path = short / "p.sock"
    gateway = start(listen=f"unix:{path}")
    gateway.kill()
    assert path.exists()
    gateway.start()
    with over(path) as client:
        assert ask(client) == "hi"


def test_a_socket_that_somebody_serves_stays_his(start, short):
    path = short / "p.sock"
    start(listen=f"unix:{path}")
    code, log = start(listen=f"unix:{path}", ready=False).fails_to_start()
    assert code == 69 and str(path) in log
    with over(path) as client:
        assert ask(client) == "hi"


def test_what_is_no_socket_is_not_replaced(start, short):
    path = short / "p.sock"
    path.write_text("mine")
    code, log = start(listen=f"unix:{path}", ready=False).fails_to_start()
    assert code == 69 and str(path) in log
    assert path.read_text() == "mine"


@pytest.mark.parametrize("address", ["unix:relative", "unix:", "unix:/" + "x" * 120, "fd:", "fd: 3"])
def test_nonsense_is_refused_with_what_is_allowed(start, address):
    code, log = start(listen=address, ready=False).fails_to_start()
    assert code == 78 and "listen" in log


# --- inherited ---

def listener(host="127.0.0.1"):
    s = socket.socket()
    s.bind((host, 0))
    s.listen(64)
    return s


def answer_on(waiting):
    waiting.settimeout(DEADLINE)
    waiting.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    got = b""
    while piece := waiting.recv(4096):
        got += piece
    return got.split(b"\r\n")[0]


def test_an_inherited_socket_outlives_its_processes(start):
    """Who connects between two processes waits, and is served by the second one."""
    with listener() as s:
        early = socket.create_connection(s.getsockname())
        gateway = start(listen=f"fd:{s.fileno()}", pass_fds=[s.fileno()],
                        args=["--loops", "3"])
        assert gateway.port == s.getsockname()[1]
        assert answer_on(early) == b"HTTP/1.1 200 OK"
        gateway.stop()
        between = socket.create_connection(s.getsockname())
        gateway.start()
        assert answer_on(between) == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize("number", [0, 2, 99])
def test_a_descriptor_that_is_no_listener_is_refused(start, number):
    code, log = start(listen=f"fd:{number}", ready=False).fails_to_start()
    assert code == 78 and f"descriptor {number} is no stream socket that listens" in log


def test_an_inherited_socket_for_everybody_needs_keys(start):
    with listener("0.0.0.0") as s:
        more = {"listen": f"fd:{s.fileno()}", "pass_fds": [s.fileno()]}
        code, log = start(ready=False, **more).fails_to_start()
        assert code == 78 and "is not a loopback address" in log
        gateway = start(env={"PARLEY_API_KEY": "k" * 40}, args=["--admin-listen", "127.0.0.1:0"],
                        **more)
        with httpx.Client(base_url=f"http://127.0.0.1:{gateway.port}", timeout=DEADLINE) as client:
            assert client.get("/livez").status_code == 200
            assert client.get("/metrics").status_code == 404


class Activated(Gateway):
    """As systemd starts it: sockets from descriptor 3 on, and their names in the environment."""

    sockets = ()
    names = ()

    def command(self):
        code = ("import fcntl, os, sys\n"
                "fds = [int(n) for n in sys.argv[1].split(',')]\n"
                "high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 50) for fd in fds]\n"
                "for i, fd in enumerate(high): os.dup2(fd, 3 + i)\n"
                "os.environ['LISTEN_PID'] = str(os.getpid())\n"
                "os.environ['LISTEN_FDS'] = str(len(fds))\n"
                "os.environ['LISTEN_FDNAMES'] = sys.argv[2]\n"
                "os.execv(sys.argv[3], sys.argv[3:])\n")
        return [sys.executable, "-c", code, ",".join(str(s.fileno()) for s in self.sockets),
                ":".join(self.names), *super().command()]


@pytest.fixture
def activate(tmp_path):
    made = []

    def make(sockets, names, **more):
        gateway = Activated(tmp_path / f"activated{len(made)}",
                            pass_fds=[s.fileno() for s in sockets], **more)
        gateway.sockets, gateway.names = sockets, names
        made.append(gateway)
        return gateway
    yield make
    for gateway in made:
        gateway.stop()


def test_systemd_hands_over_all_its_sockets(activate):
    with listener() as one, listener() as two:
        gateway = activate([one, two], ["web", "other"], listen="systemd").start()
        for s in (one, two):
            with httpx.Client(base_url="http://127.0.0.1:%d" % s.getsockname()[1], timeout=DEADLINE) as client:
                assert ask(client) == "hi"
        assert gateway.port == one.getsockname()[1]


def test_systemd_s_sockets_have_names(activate):
    with listener() as one, listener() as two:
        gateway = activate([one, two], ["web", "other"], listen="fd:other").start()
        assert gateway.port == two.getsockname()[1]


def test_a_name_that_was_not_handed_over_is_refused(activate):
    with listener() as one:
        code, log = activate([one], ["web"], listen="fd:other").fails_to_start()
        assert code == 78 and "no socket named other was inherited" in log


def test_nothing_was_handed_over(start):
    code, log = start(listen="systemd", ready=False, env={"LISTEN_PID": "1", "LISTEN_FDS": "1"}
                      ).fails_to_start()
    assert code == 78 and "no socket was inherited" in log


# --- what a service manager is told ---

def test_a_service_manager_is_told_how_far_it_is(start, short):
    path = short / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(path))
        manager.settimeout(DEADLINE)
        gateway = start({}, env={"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "200000"})
        assert manager.recv(4096).startswith(b"READY=1")

        def next_but(passed):
            while (got := manager.recv(4096)).startswith(passed):
                pass
            return got
        assert manager.recv(4096) == b"WATCHDOG=1"
        gateway.signal(signal.SIGHUP)
        told = next_but(b"WATCHDOG").split(b"\n")
        assert told[0] == b"RELOADING=1" and told[1].startswith(b"MONOTONIC_USEC=")
        assert next_but(b"WATCHDOG").startswith(b"READY=1")
        gateway.signal(signal.SIGTERM)
        assert next_but(b"WATCHDOG").startswith(b"STOPPING=1")
        assert gateway.wait_exit() == 0


def test_a_manager_that_has_gone_is_no_reason_to_fail(start):
    gateway = start(env={"NOTIFY_SOCKET": "/nonexistent/notify", "WATCHDOG_USEC": "1000",
                         "WATCHDOG_PID": str(os.getpid())})
    with httpx.Client(base_url=gateway.url, timeout=DEADLINE) as client:
        assert ask(client) == "hi"


# --- proxies ---

def clients_in(gateway, requests):
    mark = len(gateway.lines)
    for headers in requests:
        with httpx.Client(base_url=gateway.url, timeout=DEADLINE) as client:
            assert client.get("/v1/models", headers=headers).status_code == 200
    found = wait_until(lambda: [line for line in gateway.lines[mark:] if '"request"' in line][
        len(requests) - 1:] and [json.loads(line) for line in gateway.lines[mark:]
                                 if '"request"' in line], "the log lines")
    return [line.get("client") for line in found]


HEADERS = [{}, {"X-Forwarded-For": "198.51.100.7"}, {"Forwarded": "for=198.51.100.8"},
           {"X-Forwarded-For": "1.1.1.1, 198.51.100.9, 127.0.0.9"},
           {"X-Forwarded-For": 'x" onload="'}]


def test_nobody_s_word_on_addresses_counts_by_default(start):
    assert clients_in(start({}), HEADERS) == ["127.0.0.1"] * 5


def test_a_trusted_proxy_s_does_and_a_reload_changes_whose(start):
    gateway = start({"trusted_proxies": ["127.0.0.0/8"]})
    assert clients_in(gateway, HEADERS) == [
        "127.0.0.1", "198.51.100.7", "198.51.100.8", "198.51.100.9", "127.0.0.1"]
    gateway.write_config({"trusted_proxies": ["10.0.0.0/8"]})
    gateway.signal(signal.SIGHUP)
    gateway.wait_log("configuration was read again")
    assert clients_in(gateway, HEADERS) == ["127.0.0.1"] * 5
