"""SIGTERM under 200 live streams of all kinds: nothing new, and each ends as it should."""

import json
import selectors
import signal
import socket
import threading
import time

import pytest

import sse
import upstream as up
from client import Client, native_body, openai_body
from raw import Closed, Raw, get, post
from waiting import DEADLINE

STREAMS = 200
# Stored or not, as chunks of OpenAI's or of LMC, from either route.
KINDS = ["chat openai stored", "chat lmc stored", "chat openai", "chat lmc", "completion",
         "completion stored"]


def asked(kind, model):
    stored = kind.endswith("stored")
    if kind.startswith("completion"):
        body = openai_body(model, None, {"store": stored})
    else:
        body = native_body(["q"], {"model": model, "store": stored,
                                   "format": "lmc" if "lmc" in kind else "openai"})
    path = "/v1/chat/completions" if kind.startswith("completion") else "/v1/chat"
    return post(path, json.dumps({**body, "stream": True}).encode())


def unchunked(data):
    """The body, and whether it has its last chunk."""
    body = b""
    while data:
        size, data = data.split(b"\r\n", 1)
        if int(size, 16) == 0:
            assert data == b"\r\n"
            return body, True
        body, data = body + data[:int(size, 16)], data[int(size, 16) + 2:]
    return body, False


class Streams:
    """Many clients in one thread: sockets, and what came from each."""

    def __init__(self, gateway, model):
        self.kinds = [KINDS[i % len(KINDS)] for i in range(STREAMS)]
        self.bytes = [b""] * STREAMS
        self.selector = selectors.DefaultSelector()
        self.open = STREAMS
        for i, kind in enumerate(self.kinds):
            s = socket.create_connection((gateway.host, gateway.port))
            s.sendall(asked(kind, model))
            s.setblocking(False)
            self.selector.register(s, selectors.EVENT_READ, i)
        self.read(lambda: all(b"one" in b for b in self.bytes), "all streams begin")

    def read(self, condition, what):
        end = time.monotonic() + 4 * DEADLINE
        while not condition():
            assert time.monotonic() < end, f"not in time: {what}"
            for key, _ in self.selector.select(1):
                got = key.fileobj.recv(1 << 16)
                self.bytes[key.data] += got
                if not got:
                    self.selector.unregister(key.fileobj)
                    key.fileobj.close()
                    self.open -= 1

    def results(self):
        """(kind, error, body, run) of each, read to its end."""
        self.read(lambda: self.open == 0, "all streams end")
        for kind, data in zip(self.kinds, self.bytes):
            head, body = data.split(b"\r\n\r\n", 1)
            head = head.decode().lower()
            assert head.startswith("http/1.1 200"), head
            body, whole = unchunked(body)
            blocks = list(sse.Blocks([body]))
            read = (sse.openai if kind.startswith("completion") else
                    sse.lmc if "lmc" in kind else sse.native)
            run = head.partition("x-run-id: ")[2].split("\r\n")[0]
            error = read(blocks).error
            assert whole, kind
            yield kind, error, body, run


def nobody_new(gateway):
    try:
        with Raw(gateway) as raw:
            return raw.send(get("/readyz")).read().status == 503
    except (ConnectionError, Closed):
        return True


@pytest.mark.parametrize("ends", ["well", "late"])
def test_two_hundred_streams(start, script, ends, record_property):
    gateway = start(usual={"drain_timeout": "60s" if ends == "well" else "1s"})
    gate = threading.Event()  # for all of them at once
    s = script(up.sse(), up.role(), up.text("one"), up.call(lambda x: gate.wait(8 * DEADLINE)), up.text(" two"), *up.ending())
    with Raw(gateway) as old:
        assert old.send(get("/readyz")).read().status == 200
        streams = Streams(gateway, s.model)
        mark = len(gateway.lines)
        began = time.monotonic()
        gateway.signal(signal.SIGTERM)
        gateway.wait_log("drain", mark)
        if ends == "well":
            # Its connection is not closed, as it is ours to ask; and it says no.
            assert old.send(get("/readyz")).read().status == 503
            assert nobody_new(gateway)
            gate.set()
        results = list(streams.results())
    assert gateway.wait_exit(4 * DEADLINE) == 0
    took = time.monotonic() - began
    record_property("seconds", round(took, 2))
    gate.set()
    assert len(results) == STREAMS
    for kind, error, body, _ in results:
        assert b"one" in body and (b" two" in body) == (ends == "well"), kind
        code = error and error["code"]
        assert code == (None if ends == "well" else "server_shutting_down"), kind
    gateway.start()
    with Client(gateway.url) as client:
        stored = [run for kind, *_, run in results if kind.endswith("stored")]
        assert len(set(stored)) == sum(1 for kind, *_ in results if kind.endswith("stored"))
        status = {client.run(run)["status"] for run in stored}
    assert status == ({"completed"} if ends == "well" else {"incomplete"})
