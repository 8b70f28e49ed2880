"""A gateway that loses its database's network without being told, for shorter and for longer than its lease.

The gateway and its provider are in a network namespace of their own, with one link to the server; clients
come by a unix socket."""

import contextlib
import re
import select
import signal
import socket
import struct
import tempfile
import threading
import time
from pathlib import Path

import pytest

import postgres
import upstream as up
from client import Client, texts
from fixtures import gateways
from netns import Namespace
from test_many import WORDS, clients, events, gated, new_key, said, wanted
from waiting import DEADLINE, wait_until, within

PRICED = [{"name": name, "provider": provider, "price": {"input": 1, "output": 2}, "max_output": 50}
          for name, provider in (("echo", "echo"), ("t/*", "local"))]


class Far:
    """Gateways in a network of their own, with a provider there."""

    def __init__(self, network, server, database, stack):
        self.network, self.server, self.database, self.stack = network, server, database, stack
        self.upstream = network.inside(up.Upstream)
        stack.callback(self.upstream.close)

    def url(self, host, port):
        return f"postgres://parley@{host}:{port}/{self.database}?sslmode=disable&gssencmode=disable"

    def start(self, host=None, port=None, **usual):
        # The path of a socket has at most 107 bytes.
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="p", dir="/tmp")))
        make = self.stack.enter_context(gateways(folder, self.upstream))
        url = self.url(host or self.network.here, port or self.server.port)
        return make(usual={"database": url, "models": PRICED, **usual}, listen=f"unix:{folder}/socket",
                    preexec_fn=self.network.enter)

    def script(self, *steps):
        return self.upstream.script(*steps)


@pytest.fixture
def network():
    made = Namespace()
    yield made
    made.close()


@pytest.fixture
def server(network):
    """In this module: one that listens at the link, too."""
    one = postgres.Server(listen_addresses=network.here, port=postgres.free_port())
    with (one.folder / "data" / "pg_hba.conf").open("a") as hba:
        hba.write(f"host all all {network.there}/32 trust\n")
    one.start()
    yield one
    one.remove()


@pytest.fixture
def far(network, server, database):
    with contextlib.ExitStack() as stack:
        yield Far(network, server, database, stack)
        network.mend()  # the gateways take their leave


def metric(client, name):
    return float(re.search(rf"^parley_{name} (\S+)$", client.http.get("/metrics").text, re.M)[1])


def rows(server, database, last):
    """All that is stored of the runs up to this one."""
    return server.sql(f"SELECT 'run', x::text FROM run x WHERE id <= {last} UNION ALL "
                      f"SELECT 'message', x::text FROM message x WHERE run <= {last} UNION ALL "
                      f"SELECT 'event', x::text FROM event x WHERE run <= {last} ORDER BY 1, 2", database)


@pytest.mark.parametrize("how", ["part", "silence"])
def test_a_parting_within_the_lease_is_a_pause(far, network, server, database, how):
    """part: nothing arrives.  silence: batches arrive, and are stored, but no answer to them does."""
    # The reservation of a budget would be the first one that gets no answer.
    poor, rich = (new_key(server, database, "--name", "k", *more)["key"] for more in (["--budget", "1"], []))
    dead = server.number("SELECT count(*) FROM gateway WHERE dead = 1", database)
    gateway = far.start()
    gates, s = gated(far.script)
    late = "a turn of the time of the parting"
    with Client(gateway.url, {"Authorization": f"Bearer {poor}"}) as client, \
            Client(gateway.url, {"Authorization": f"Bearer {rich}"}) as other, \
            client.chat_stream("go", model=s.model) as stream:
        client.http.timeout = other.http.timeout = 4 * DEADLINE
        wanted(stream, WORDS[0])
        replies = []
        asking = threading.Thread(target=lambda: replies.append(other.chat(late)))
        with within(9):  # an end waits for 10 s, and so does a batch that may have been stored
            getattr(network, how)()
            asking.start()
            for gate, word in zip(gates, WORDS[1:]):
                gate.open()
                wanted(stream, word)
            wait_until(lambda: client.get("/readyz").status == 503, "a gateway that misses its server")
            if how == "silence":
                assert server.number("SELECT count(*) FROM message WHERE position("
                                     f"'{late}' IN body) > 0", database) >= 1, "its batch has arrived"
            assert not replies, "it was not answered before its time"
            gates[-1].open()
            network.mend()
            assert stream.native().text == "".join(WORDS)
        asking.join(DEADLINE)
        assert client.run(stream.headers["x-run-id"])["status"] == "completed"
        assert replies[0].ok().text == late
        assert texts(other, replies[0].json["conversation"]) == [late, late]
        # Each call is counted once.
        wait_until(lambda: server.sql("SELECT sum(calls) FROM usage_day", database) == [["2"]], "two calls")
        assert server.number("SELECT count(*) FROM run", database) == 2
        assert server.sql("SELECT spent_nano, reserved_nano FROM budget", database) == \
            server.sql("SELECT cost_nano, 0 FROM run WHERE id = (SELECT min(id) FROM run)", database)
    assert server.number("SELECT count(*) FROM gateway WHERE dead = 1", database) == dead
    assert "lease_lost" not in "".join(gateway.lines)


def test_what_is_away_over_its_lease_has_lost_its_runs(far, network, server, database, join, script,
                                                       record_property):
    """One gateway is parted, and one is stopped; nothing helps their leases to their ends."""
    parted, stopped, witness = far.start(), join(), join()
    paths = {parted: gated(far.script), stopped: gated(script)}
    with clients(parted, stopped, witness) as (one, two, three), contextlib.ExitStack() as stack:
        streams = {}
        for gateway, client in ((parted, one), (stopped, two)):
            client.http.timeout = three.http.timeout = 4 * DEADLINE
            streams[gateway] = stack.enter_context(
                client.chat_stream("go", model=paths[gateway][1].model))
            wanted(streams[gateway], WORDS[0])
        runs = [streams[g].headers["x-run-id"] for g in (parted, stopped)]
        wait_until(lambda: server.number("SELECT count(DISTINCT run) FROM event", database) == 2, "logs")
        network.part()
        stopped.signal(signal.SIGSTOP)
        began = time.monotonic()
        for gate in paths[parted][0]:
            gate.open()
        # What was asked of the provider comes, but its end can't be stored.
        list(streams[parted])
        assert all(word.strip() in "".join(b.data for b in streams[parted].seen) for word in WORDS)
        assert "storage_unavailable" in "".join(b.data for b in streams[parted].seen[-2:])
        one.chat("more").error(503, "storage_unavailable")
        wait_until(lambda: all(three.run(run)["status"] == "incomplete" for run in runs),
                   "ends by the other gateway", 2 * DEADLINE)
        took = time.monotonic() - began
        record_property("seconds", round(took, 1))
        assert 12 < took < 17 + (DEADLINE - 15)
        last = server.number("SELECT max(id) FROM run", database)
        before = rows(server, database, last)
        read = []
        for run in runs:
            with events(three, f"/v1/runs/{run}/events") as reader:
                list(reader)
                read.append(said(reader.seen))
        assert metric(one, "db_unfinished") == 1, "an end that is to be stored late"
        for gate in paths[stopped][0]:
            gate.open()
        network.mend()
        stopped.signal(signal.SIGCONT)
        list(streams[stopped])
        assert '"error"' in "".join(b.data for b in streams[stopped].seen[-2:]), streams[stopped].seen[-3:]
        for gateway, client in ((parted, one), (stopped, two)):
            gateway.wait_log("lease_lost")
            wait_until(lambda c=client: c.chat("again").status == 200, "stored calls")
            wait_until(lambda c=client: metric(c, "db_leases_lost_total") == 1, "one lost lease")
            wait_until(lambda c=client: metric(c, "db_unfinished") == 0, "no end that is not stored")
        # Nothing of what they wrote late has landed.
        assert rows(server, database, last) == before
        for run, was in zip(runs, read):
            for client in (one, two, three):
                with events(client, f"/v1/runs/{run}/events") as reader:
                    list(reader)
                    assert said(reader.seen) == was
            conversation = three.run(run)["conversation"]
            assert texts(three, conversation)[-1].strip() == WORDS[0].strip()


class Withholding(threading.Thread):
    """A way to the server, in a network, that passes on a statement with the word, but neither what commits it
    nor anything after that."""

    def __init__(self, network, server, word):
        super().__init__(daemon=True)
        self.network, self.server, self.word = network, server, word
        self.listener = network.inside(lambda: socket.create_server(("127.0.0.1", 0)))
        self.port = self.listener.getsockname()[1]
        self.withheld = threading.Event()
        self.ways = {}  # socket -> its other side
        self.pending = {}  # of a client's socket: the beginning of a message that is not whole
        self.begun, self.found = set(), set()  # clients' sockets: their first message, the word was there
        self.closing, self.wake = socket.socketpair()

    def run(self):
        while True:
            for one in select.select([self.closing, self.listener, *self.ways], [], [])[0]:
                if one is self.closing:
                    return
                if one is self.listener:
                    self.accept()
                elif one in self.ways:
                    self.move(one)

    def accept(self):
        client, _ = self.listener.accept()
        if self.withheld.is_set():
            client.close()
            return
        way = self.network.inside(lambda: socket.create_connection((self.network.here, self.server.port)))
        for one in (client, way):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ways.update({client: way, way: client})
        self.pending[client] = b""

    def move(self, one):
        data = one.recv(1 << 16)
        if self.withheld.is_set():
            del self.ways[one]  # and keeps it open
        elif not data:
            for side in (one, self.ways[one]):
                self.ways.pop(side).close()
        elif one in self.pending:
            self.ways[one].sendall(self.passed(one, data))
        else:
            self.ways[one].sendall(data)

    def passed(self, one, data):
        """The messages that may go on; the first one of a connection has no type."""
        self.pending[one] += data
        out, pending = b"", self.pending[one]
        while True:
            head = 0 if one not in self.begun else 1
            if len(pending) < head + 4:
                break
            size = head + struct.unpack_from(">I", pending, head)[0]
            if len(pending) < size:
                break
            message, pending = pending[:size], pending[size:]
            self.begun.add(one)
            if head and self.word in message:
                self.found.add(one)
            if head and one in self.found and message[:1] == b"S":
                self.withheld.set()
                break
            out += message
        self.pending[one] = pending
        return out

    def close(self):
        self.wake.close()
        self.join(DEADLINE)
        for one in (self.closing, self.listener, *self.ways):
            one.close()


def test_what_a_parted_gateway_has_not_ended_holds_no_run(far, network, server, database, join):
    """The end of a run has reached the server, but not what commits it."""
    way = Withholding(network, server, b"first, and the last word")
    way.start()
    parted, witness = far.start("127.0.0.1", way.port), join()
    gate = up.Gate()
    s = far.script(up.sse(), up.role(), up.text("first"), up.wait(gate), up.text(", and the last word"), *up.ending())
    with clients(parted, witness) as (one, other):
        one.http.timeout = 4 * DEADLINE
        with one.chat_stream("go", model=s.model) as stream:
            wanted(stream, "first")
            run = stream.headers["x-run-id"]
            wait_until(lambda: server.number("SELECT count(*) FROM event", database), "a log")
            gate.open()
            assert way.withheld.wait(DEADLINE)
            network.part()
            server.lapse(database)
            wait_until(lambda: other.run(run)["status"] == "incomplete", "an end by the other gateway",
                       2 * DEADLINE)
        assert texts(other, other.run(run)["conversation"])[-1] == "first"
        other.chat("and on", conversation=other.run(run)["conversation"]).ok()
    network.mend()
    way.close()
    parted.kill()
