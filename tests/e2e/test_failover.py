"""The primary server dies, and its synchronous standby takes over."""

import contextlib
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import postgres
import upstream as up
from client import Client
from test_many import WORDS, gated, wanted
from test_postgres import check_turns, loaded
from waiting import wait_until


def network_server(primary=None, **settings):
    return postgres.Server(primary, listen_addresses="127.0.0.1", port=postgres.free_port(),
                           **settings).start()


def url(database, *ports):
    hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
    return f"postgres://parley@{hosts}/{database}?target_session_attrs=read-write"


@pytest.fixture
def pair():
    """A primary, and its synchronous standby."""
    with contextlib.ExitStack() as stack:
        primary = network_server()
        stack.callback(primary.remove)
        database = primary.create()
        standby = network_server(primary)
        stack.callback(standby.remove)
        primary.has_synchronous(standby)
        yield primary, standby, database


@contextlib.contextmanager
def silent(port):
    """A place where nobody answers, as if its machine were off: the queue of the socket is full."""
    with contextlib.ExitStack() as stack:
        one = stack.enter_context(socket.socket())
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("127.0.0.1", port))
        one.listen(0)
        for _ in range(4):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        with socket.socket() as probe, pytest.raises(TimeoutError):
            probe.settimeout(0.5)
            probe.connect(("127.0.0.1", port))
        yield


@pytest.mark.parametrize("how", ["at once", "late", "silent"])
def test_a_failover_loses_no_acknowledged_turn_and_stores_none_twice(pair, start, script, how,
                                                                    record_property):
    """late: the standby takes over when every client was refused.  silent: the primary's machine is off."""
    primary, standby, database = pair
    gateways = [start(usual={"database": url(database, primary.port, standby.port)}) for _ in range(2)]
    gates, s = gated(script)
    with contextlib.ExitStack() as stack:
        # Begun at the one server, ended at the other one.
        client = stack.enter_context(Client(gateways[0].url))
        client.http.timeout = 60
        stream = stack.enter_context(client.chat_stream("go", model=s.model))
        wanted(stream, WORDS[0])
        with loaded(*gateways) as (loads, more):
            more(80)
            killed = time.monotonic()
            primary.kill()
            if how == "silent":
                stack.enter_context(silent(primary.port))
            for gate in gates[:-1]:
                gate.open()
            if how == "late":
                wait_until(lambda: all(x.refused for x in loads), "a refusal for every client")
            began = time.monotonic()
            standby.promote()
            promoted = time.monotonic()
            more(80)
            gates[-1].open()
        list(stream)
        assert all(word.strip() in "".join(b.data for b in stream.seen) for word in WORDS)
        assert client.run(stream.headers["x-run-id"])["status"] == "completed"
    if how == "at once":
        assert not any(x.refused for x in loads) or promoted - killed > 2, "nobody waited in vain"
    check_turns(loads, gateways[1], standby, database)
    gaps = [min(m for m in x.moments if m > promoted) - promoted for x in loads]
    record_property("failover", {
        "how": how,
        "killed_to_promotion": round(began - killed, 2), "promotion": round(promoted - began, 2),
        "promoted_to_first_turn": round(min(gaps), 2), "to_last_client": round(max(gaps), 2),
        "refused": sum(x.refused for x in loads), "load": os.getloadavg()[0]})


@pytest.mark.parametrize("what", ["a turn", "a change"])
def test_what_a_restarted_primary_has_is_acknowledged_when_its_standby_has_it(pair, start, script, what):
    """The commit had waited for the standby when the primary was killed; sent again, it finds itself."""
    primary, standby, database = pair
    gateway = start(usual={"database": url(database, primary.port, standby.port)})
    with Client(gateway.url) as client, ThreadPoolExecutor(1) as pool:
        client.http.timeout = 60
        conversation = client.chat("before").ok().json["conversation"]
        if what == "a turn":
            gate = up.Gate()
            s = script(up.wait(gate), up.reply(up.completion("later")))
            asked = pool.submit(client.chat, "go", model=s.model)
            gate.wait_reached()  # it has begun
            standby.stop()
            gate.open()
            stored = "SELECT count(*) FROM message WHERE position('later' IN body) > 0"
        else:
            standby.stop()
            asked = pool.submit(client.post, f"/v1/conversations/{conversation}", {"title": "later"})
            stored = "SELECT count(*) FROM conversation WHERE title = convert_to('later', 'UTF8')"

        def waits():
            return primary.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' "
                                  f"AND datname = '{database}'", "postgres")
        wait_until(waits, "a commit that waits for the standby")
        primary.kill()
        primary.start()
        assert primary.number(stored, database) == 1, "the crash has left it"
        wait_until(lambda: waits() or asked.done(), "another try")
        assert not asked.done(), "it is acknowledged, and only the primary has it"
        standby.start()
        asked.result().ok()
        primary.kill()
        standby.promote()
        wait_until(lambda: client.chat("after").status == 200, "the promoted standby")
        assert standby.number(stored, database) >= 1


def test_a_gateway_starts_while_the_first_host_is_silent(start):
    server = network_server()
    with contextlib.ExitStack() as stack:
        stack.callback(server.remove)
        gone = postgres.free_port()
        stack.enter_context(silent(gone))
        gateway = start(usual={"database": url(server.create(), gone, server.port)})
        with Client(gateway.url) as client:
            client.chat("hi").ok()
        gateway.stop()
