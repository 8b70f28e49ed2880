"""EventSource in Chromium: the events of a run, read by a page of another origin.

It comes back by itself, at the same address, with the id of the last event that it saw; and it
ends by itself once it is told that there is nothing more (204).
"""

import asyncio
import contextlib
import threading

import pytest

import upstream as up
from client import Client
from clients import CHROMIUM
from fixtures import UPSTREAM_KEY, usual_config
from gateway import Gateway
from programs import Program
from waiting import DEADLINE, wait_until

PIECES = ["The sun rises ", "over the sea, ", "slowly."]
KEY = "the-page-does-not-have-this-key"

pytestmark = [
    pytest.mark.xdist_group("event-source"),
    pytest.mark.skipif(CHROMIUM.lacks() is not None, reason=str(CHROMIUM.lacks())),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = Program(CHROMIUM, tmp_path_factory.mktemp("browser") / "log")
    yield program
    program.close()


@pytest.fixture(params=[False, True], ids=["open", "ticket"])
def gateway(request, upstream, tmp_path):
    """With keys, a page needs a ticket."""
    made = Gateway(tmp_path, usual_config(upstream, cors_origins=["*"]),
                   env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY,
                        **({"PARLEY_API_KEY": KEY} if request.param else {})})
    made.has_keys = request.param
    made.start()
    made.listen = f"{made.host}:{made.port}"  # also when it is started again
    yield made
    made.stop()


class Wire:
    """What lies between a page and the gateway, and can be cut."""

    def __init__(self, gateway):
        self.to = gateway.host, gateway.port
        self.writers = set()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._join, "127.0.0.1", 0), self.loop).result()
        self.url = "http://127.0.0.1:%d" % self.server.sockets[0].getsockname()[1]

    async def _join(self, reader, writer):
        far_reader, far_writer = await asyncio.open_connection(*self.to)
        self.writers |= {writer, far_writer}
        await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))

    async def _carry(self, reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        writer.close()

    def cut(self):
        self.loop.call_soon_threadsafe(lambda: [w.transport.abort() for w in self.writers])

    async def _end(self):
        self.server.close()
        for writer in self.writers:
            writer.transport.abort()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}),
                             return_exceptions=True)

    def close(self):
        asyncio.run_coroutine_threadsafe(self._end(), self.loop).result(DEADLINE)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


class Run:
    """A run that goes on in the background, and the page that follows it."""

    def __init__(self, gateway, browser, script, at=None):
        self.gate = up.Gate()
        self.script = script(up.sse(), up.role(), up.text(PIECES[0]), up.text(PIECES[1]),
                             up.wait(self.gate), up.text(PIECES[2]), *up.ending())
        self.gateway = gateway
        with self.client() as client:
            answer = client.post("/v1/chat", {
                "messages": ["Tell me of the sun"], "stream": True, "background": True,
                "config": {"model": self.script.model}}).ok(202)
            self.path = f"/v1/runs/{answer.json['id']}/events"
            url = client.post(self.path.replace("events", "ticket")).ok().json["url"] \
                if gateway.has_keys else self.path
        self.page = browser.ask(url=(at or gateway.url) + url)
        wait_until(lambda: self.page.began == "".join(PIECES[:2]), "what came so far")

    def client(self):
        return Client(self.gateway.url, {"Authorization": f"Bearer {KEY}"})


def test_a_run_is_read_to_its_end(gateway, browser, script):
    run = Run(gateway, browser, script)
    run.gate.open()
    seen = run.page.wait()
    assert (seen["text"], seen["error"], seen["opened"]) == ("".join(PIECES), None, 1)


def test_a_connection_that_breaks(gateway, browser, script):
    """The run goes on meanwhile; the page gets the rest, and nothing twice."""
    wire = Wire(gateway)
    run = Run(gateway, browser, script, at=wire.url)
    wire.cut()
    run.gate.open()
    seen = run.page.wait()
    wire.close()
    assert (seen["text"], seen["error"], seen["opened"]) == ("".join(PIECES), None, 2)


def test_a_kill_in_between(gateway, browser, script):
    """All that was seen was kept; the page learns that there is no more, and why."""
    run = Run(gateway, browser, script)
    gateway.kill()
    gateway.start()
    seen = run.page.wait()
    assert seen["text"] == "".join(PIECES[:2])
    assert seen["error"]["code"] == "server_stopped" and seen["opened"] == 2
