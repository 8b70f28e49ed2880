"""SIGTERM drains: what runs ends well, nothing new begins, and the exit code is 0."""

import json
import signal
import socket
import threading

import httpx
import pytest

import sse
import upstream as up
from client import Client, item_text
from raw import Closed, Raw, get, post
from waiting import DEADLINE, wait_until

# Whoever waits for the drain to be over waits longer than any test does.
LONG = {"drain_timeout": "10m"}
SIGNALS = [signal.SIGTERM, signal.SIGINT]


@pytest.mark.parametrize("number", SIGNALS)
def test_an_idle_gateway_ends_at_once(start, number):
    gateway = start(LONG)
    with Client(gateway.url) as client, Raw(gateway):
        client.chat("hi").ok()
        gateway.signal(number)
        assert gateway.wait_exit() == 0


def test_a_live_stream_ends_well(start, script):
    gateway = start(usual={})
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), up.text("two"), *up.ending())
    with Client(gateway.url) as client, Raw(gateway) as old:
        assert old.send(get("/readyz")).read().status == 200
        with client.chat_stream("q", model=s.model) as stream:
            stream.until_text("one ")
            mark = len(gateway.lines)
            gateway.signal(signal.SIGTERM)
            gateway.wait_log("drain", mark)
            # an old connection is told, and closed
            reply = old.send(get("/v1/models")).read("GET", "/v1/models")
            assert reply.status == 503 and reply.closes
            assert json.loads(reply.body)["error"]["code"] == "draining"
            gate.open()
            answer = stream.native()
            assert answer.error is None and answer.text == "one two"
    assert gateway.wait_exit() == 0
    gateway.start()
    with Client(gateway.url) as client:
        assert client.run(stream.headers["x-run-id"])["status"] == "completed"
        items = client.items(stream.headers["x-conversation-id"])["data"]
        assert [item_text(i) for i in items] == ["q", "one two"]


@pytest.mark.parametrize("cut", [5, 60, 100], ids=["in the body", "in the head", "early"])
def test_clients_that_sent_half_and_went_do_not_hold_the_drain(start, cut):
    """Their FIN comes in together with what they sent."""
    gateway = start(LONG)
    request = post("/v1/chat", b'{"messages":["hi"]}')
    for _ in range(10):
        with Raw(gateway) as raw:
            raw.send(request[:-cut])
    with Client(gateway.url) as client:
        client.get("/livez").ok()
    gateway.signal(signal.SIGTERM)
    assert gateway.wait_exit() == 0


def test_nobody_new_hangs_while_it_drains(start, script):
    """A new connection is refused, or answered with 503; it does not wait for the end."""
    gateway = start(usual=LONG)
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate), *up.ending())
    with Client(gateway.url) as client, client.chat_stream("q", model=s.model) as stream:
        stream.until_text("one")
        mark = len(gateway.lines)
        gateway.signal(signal.SIGTERM)
        gateway.wait_log("drain", mark)
        try:
            with Raw(gateway) as raw:
                assert raw.send(get("/readyz")).read().status == 503
        except (ConnectionError, Closed):
            pass
        finally:
            gate.open()
        stream.native()
    assert gateway.wait_exit() == 0


def test_a_live_plain_call_ends_well(start, script):
    gateway = start(usual={})
    gate = up.Gate()
    s = script(up.wait(gate), up.reply(up.completion("late")))
    replies = []
    with Client(gateway.url) as client:
        thread = threading.Thread(target=lambda: replies.append(client.chat("q", model=s.model)))
        thread.start()
        gate.wait_reached()
        gateway.signal(signal.SIGTERM)
        gateway.wait_log("(?i)drain|stop|term|shut")
        gate.open()
        thread.join()
    assert replies[0].ok().text == "late"
    assert gateway.wait_exit() == 0


def test_the_drain_has_a_limit(start, script):
    gateway = start(usual={"drain_timeout": "1s"})
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate))
    with Client(gateway.url) as client, client.chat_stream("q", model=s.model) as stream:
        stream.until_text("one")
        gateway.signal(signal.SIGTERM)
        list(stream)
        assert stream.seen[-1].event == "error"
        assert stream.seen[-1].json["error"]["code"] == "server_shutting_down"
    s.wait().wait_closed()
    assert gateway.wait_exit() == 0
    gateway.start()
    with Client(gateway.url) as client:
        run = client.run(stream.headers["x-run-id"])
        assert run["status"] in ("incomplete", "failed", "cancelled")
        items = client.items(stream.headers["x-conversation-id"])["data"]
        assert [item_text(i) for i in items] == ["q", "one"]


def test_a_second_signal_ends_at_once(start, script):
    gateway = start(usual=LONG)
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate))
    with Client(gateway.url) as client, client.chat_stream("q", model=s.model) as stream:
        stream.until_text("one")
        mark = len(gateway.lines)
        gateway.signal(signal.SIGTERM)
        gateway.wait_log("(?i)drain|stop|term|shut", mark)
        gateway.signal(signal.SIGTERM)
        gateway.process.wait(DEADLINE)
        with pytest.raises((httpx.HTTPError, AssertionError)):
            answer = stream.native()
            assert answer.error is None, "cut off: an error or a broken body, never a good end"
    gateway.wait_exit()
    gateway.start()
    with Client(gateway.url) as client:
        assert client.run(stream.headers["x-run-id"])["status"] != "completed"


def test_an_openai_stream_is_told_too(start, script):
    gateway = start(usual={"drain_timeout": "1s"})
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate))
    with Client(gateway.url) as client, client.complete_stream(s.model) as stream:
        stream.until_text("one")
        gateway.signal(signal.SIGTERM)
        list(stream)
        assert sse.Block(stream.seen[-1].raw).json["error"]["code"] == "server_shutting_down"
    assert gateway.wait_exit() == 0


def listens(gateway):
    try:
        socket.create_connection((gateway.host, gateway.port)).close()
    except ConnectionError:
        return False
    return True


def test_a_second_signal_cuts_nothing_where_no_answer_is_left(start):
    """The last spans are on their way to a collector that says nothing, for a second."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        gateway = start(args=["--otlp-endpoint", f"http://127.0.0.1:{silent.getsockname()[1]}"])
        with Client(gateway.url) as client:
            client.chat("hi").ok()
        collector, _ = silent.accept()
        with collector:
            collector.recv(1)  # the batch is on its way
            gateway.signal(signal.SIGTERM)
            wait_until(lambda: not listens(gateway), "no new connections")
            gateway.signal(signal.SIGTERM)
            assert gateway.wait_exit() == 0
    assert "before all answers had ended" not in gateway.log()
