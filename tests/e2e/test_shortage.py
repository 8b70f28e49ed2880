"""Descriptors run out on our side: 503 `overloaded`, and no provider's health suffers from it."""

import os
import resource

import pytest

import upstream as up
import wires
from client import Client
from waiting import wait_until

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
