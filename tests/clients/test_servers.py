"""Two llama.cpp servers as targets of one model, by themselves and behind nginx: sessions stay, one server is
killed in the middle of an answer, and comes back."""

import subprocess

import pytest

from client import Client
from clients import BUILD, HERE
from nginx import Nginx
from waiting import DEADLINE, wait_until

PYTHON = BUILD / "venv-servers" / "bin" / "python"
HI = [{"role": "user", "content": "hi"}]
ONCE = {"failures": 1, "pause": "1s", "cooling": "1s", "dead_key": "1s"}
SESSIONS = [f"s{i}" for i in range(24)]

pytestmark = pytest.mark.skipif(not PYTHON.exists(),
                                reason="build/venv-servers is not there: scripts/test clients was not run")


class Llama:
    """A server, which has the same port after each start."""

    def __init__(self, folder):
        self.folder, self.port = folder, 0
        folder.mkdir()
        self.start()

    def start(self):
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [PYTHON, HERE / "servers/llama_server.py", self.folder, str(self.port)],
                stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("ready on "), (self.folder / "log").read_text()[-2000:]
        self.port = int(line.rsplit(":", 1)[1])

    def kill(self):
        self.process.kill()
        self.process.wait(DEADLINE)
        self.process.stdout.close()


@pytest.fixture(params=["alone", "behind nginx"])
def two(request, tmp_path, start):
    """(gateway's client, the two servers); the model `m` has a target at each."""
    servers = [Llama(tmp_path / name) for name in "ab"]
    urls = [f"http://127.0.0.1:{server.port}/v1" for server in servers]
    nginx = Nginx(tmp_path / "nginx", [server.port for server in servers]) if request.param != "alone" else None
    gateway = start({
        "providers": [{"name": name, "dialect": "openai", "base_url": url, "retries": 0, "health": dict(ONCE)}
                      for name, url in zip("ab", nginx.urls if nginx else urls, strict=True)],
        "models": [{"name": "m", "targets": [{"provider": "a"}, {"provider": "b"}]}],
    })
    with Client(gateway.url) as client:
        yield client, servers
    if nginx:
        nginx.stop()
    for server in servers:
        server.kill()


def ask(client, session):
    reply = client.post("/v1/chat/completions", {"model": "m", "messages": HI, "max_tokens": 4},
                        headers={"x-parley-session": session}).ok()
    assert len(reply.json["choices"][0]["message"]["content"].split()) == 4
    return reply.headers["x-parley-target"]


def turn(client, conversation=None, say="hi"):
    more = {"conversation": conversation} if conversation else {}
    reply = client.post("/v1/chat", {"config": {"model": "m", "max_tokens": 20}, "messages": [say], **more}).ok()
    return reply.json, reply.headers["x-parley-target"]


def stream(client, session, tokens):
    return client.stream("/v1/chat/completions", {"model": "m", "messages": HI, "stream": True, "max_tokens": tokens},
                         headers={"x-parley-session": session})


def test_a_conversation_finds_its_cache(two):
    client, _ = two
    talks = [turn(client, say=f"{word} " * 50) for word in ("one", "two", "three", "four", "five", "six")]
    for _ in range(3):
        for first, name in talks:
            run, now = turn(client, first["conversation"])
            usage = client.run(run["run"])["usage"]
            assert now == name
            # all but what is new of it
            assert usage["prompt_tokens_details"]["cached_tokens"] > usage["prompt_tokens"] / 2


def test_a_killed_server_moves_its_sessions_until_it_is_back(two):
    client, servers = two
    before = {session: ask(client, session) for session in SESSIONS}
    assert set(before.values()) == {"a", "b"}
    at = {name: session for session, name in before.items()}
    talk = next(run["conversation"] for run, name in iter(lambda: turn(client), None) if name == "b")

    # of the first one, the server has work for many seconds
    with stream(client, at["b"], 20_000) as broken, stream(client, at["a"], 1000) as whole:
        for one, name in ((broken, "b"), (whole, "a")):
            assert one.response.headers["x-parley-target"] == name
        begun = [next(iter(broken)) for _ in range(10)]
        servers[1].kill()
        assert begun and "error" in list(broken)[-1].data
        assert list(whole)[-1].data == "[DONE]"

    assert {ask(client, session) for session in SESSIONS} == {"a"}
    assert turn(client, talk)[1] == "a"

    servers[1].start()
    wait_until(lambda: ask(client, at["b"]) == "b", "the server is asked again")
    assert {session: ask(client, session) for session in SESSIONS} == before
    assert turn(client, talk)[1] == "a"  # its cache is there now
