"""Hostile clients by the hundred: raw sockets of one thread, and what a gateway looks like meanwhile."""

import contextlib
import os
import resource
import select
import socket
import statistics
import struct
import threading
import time

from raw import Closed, Raw, get, post
from waiting import wait_until

# PARLEY_OVERLOAD=full takes the counts of docs/operations.md; without it the same in small.
FULL = os.environ.get("PARLEY_OVERLOAD") == "full"
BEAT = 0.5  # seconds between two bytes of a slow writer


def count(few, many):
    return many if FULL else few


def raise_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def told(name, value):
    """A figure of a full run, for bench/RESULTS.md."""
    if FULL:
        print(f"\n    {name}: {value}")


class Crowd:
    """Clients that are all alike in what they wait for; each has what it still drips."""

    def __init__(self, gateway):
        self.gateway = gateway
        self.began = {}  # socket: when it was opened
        self.ended = []  # seconds that each lived until the gateway closed it
        self.drips = {}
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.poll = select.poll()
        self.by_fd = {}
        self.thread = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave()

    def open(self, first=b"", drip=None, receive_buffer=None):
        """first is sent at once; drip gives what is sent at each beat."""
        sock = socket.socket()
        if receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.settimeout(30)
        sock.connect((self.gateway.host, self.gateway.port))
        with contextlib.suppress(OSError):
            sock.sendall(first)
        sock.setblocking(False)
        with self.lock:
            self.began[sock] = time.monotonic()
            self.by_fd[sock.fileno()] = sock
            if drip is not None:
                self.drips[sock] = drip
            self.poll.register(sock, select.POLLRDHUP)
        if not self.thread:
            self.thread = threading.Thread(target=self._run, daemon=True)
            self.thread.start()
        return sock

    def _run(self):
        while not self.stop.wait(BEAT):
            with self.lock:
                self._see_ends()
                for sock, drip in list(self.drips.items()):
                    with contextlib.suppress(OSError):
                        sock.send(next(drip))

    def _see_ends(self):
        for fd, _ in self.poll.poll(0):
            sock = self.by_fd.pop(fd)
            self.poll.unregister(fd)
            self.drips.pop(sock, None)
            self.ended.append(time.monotonic() - self.began.pop(sock))
            sock.close()

    def alive(self):
        with self.lock:
            self._see_ends()
            return len(self.began)

    def leave(self, reset=False):
        self.stop.set()
        if self.thread:
            self.thread.join()
        for sock in self.began:
            if reset:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()
        self.began.clear()


def forever(data):
    while True:
        yield data


def bytes_of(data):
    while True:
        for i in range(len(data)):
            yield data[i:i + 1]


# --- what is seen of the gateway ------------------------------------------------------------------


def ask(gateway, path="/livez"):
    with Raw(gateway) as raw:
        return raw.send(get(path, "Connection: close")).read()


def metric(gateway, name):
    """The sum of a family's series; name may hold one series' labels."""
    text = ask(gateway, "/metrics").body.decode()
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith((name + " ", name + "{")) or
               (name.endswith("}") and line.startswith(name)))


def idle(gateway):
    """Nothing is going on but the look itself."""
    return metric(gateway, "parley_http_requests_in_flight") <= 1 and \
        metric(gateway, "parley_http_connections") <= 1


def descriptors(gateway):
    return len(os.listdir(f"/proc/{gateway.process.pid}/fd"))


def cpu_seconds(gateway):
    with open(f"/proc/{gateway.process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def call_ms(gateway, calls=15):
    """The median of ordinary calls, each over a connection of its own."""
    took = []
    for _ in range(calls):
        began = time.monotonic()
        with Raw(gateway) as raw:
            reply = raw.send(post("/v1/chat", b'{"messages":["hi"],"store":false}')).read()
            assert reply.status == 200, reply
        took.append((time.monotonic() - began) * 1000)
    return statistics.median(took)


@contextlib.contextmanager
def sampled(gateway):
    """The most memory that is seen while the block runs, beyond what there was."""
    seen = {"before": gateway.rss_bytes(), "most": 0}
    stop = threading.Event()

    def run():
        while not stop.wait(0.05):
            seen["most"] = max(seen["most"], gateway.rss_bytes())
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join()
        seen["grown"] = max(seen["most"], gateway.rss_bytes()) - seen["before"]


def returns_to(gateway, files):
    """All is over: no request, no connection, no descriptor is left behind."""
    wait_until(lambda: idle(gateway), "no request and no connection is left")
    wait_until(lambda: descriptors(gateway) <= files + 8, "the descriptors are given back")
