"""Targets behind nginx: their sessions stay, and move when it answers 502 or 504 for a server that is gone."""

import pytest

import upstream as up
from client import Client
from nginx import Nginx
from upstream import Upstream
from waiting import wait_until

HI = [{"role": "user", "content": "hi"}]
# A target that has failed is not asked again in this test.
ONCE = {"failures": 1, "pause": "1h", "cooling": "1h", "dead_key": "1h"}
SESSIONS = [f"s{i}" for i in range(24)]


@pytest.fixture
def two(tmp_path, start):
    """(gateway's client, nginx, the two servers behind it); the model `m` has a target at each."""
    servers = [Upstream(), Upstream()]
    scripts = [server.script(up.either(name), name="m") for name, server in zip("ab", servers, strict=True)]
    nginx = Nginx(tmp_path / "nginx", [server.port for server in servers], read="1s")
    gateway = start({
        "providers": [{"name": name, "dialect": "openai", "base_url": url, "retries": 0, "health": dict(ONCE)}
                      for name, url in zip("ab", nginx.urls, strict=True)],
        "models": [{"name": "m", "targets": [{"provider": "a"}, {"provider": "b"}]}],
    })
    with Client(gateway.url) as client:
        yield client, nginx, servers, scripts
    nginx.stop()
    for server in servers:
        server.close()


def ask(client, session):
    """The target, which has to be the one that has answered."""
    reply = client.post("/v1/chat/completions", {"model": "m", "messages": HI},
                        headers={"x-parley-session": session}).ok()
    name = reply.headers["x-parley-target"]
    assert reply.json["choices"][0]["message"]["content"] == name
    return name


def test_sessions_share_two_servers_over_few_connections(two):
    client, nginx, _, scripts = two
    seen = {session: ask(client, session) for session in SESSIONS}
    assert {session: ask(client, session) for session in SESSIONS} == seen
    assert set(seen.values()) == {"a", "b"}
    for n, name in enumerate("ab"):
        expected = 2 * list(seen.values()).count(name)
        # nginx writes its log after the answer
        answered = wait_until(lambda n=n, expected=expected: len(nginx.answered(n)) >= expected and nginx.answered(n),
                              "the lines of its log")
        assert len(answered) == len(scripts[n].exchanges) == expected
        assert len({connection for connection, _ in answered}) == 1  # it was kept, for calls in turn


@pytest.mark.parametrize("status", [502, 504])
def test_a_server_that_is_gone_moves_its_sessions_alone(two, status):
    client, nginx, servers, scripts = two
    before = {session: ask(client, session) for session in SESSIONS}
    if status == 502:
        servers[1].close()  # nobody listens any more
    else:
        scripts[1].steps = [up.wait(up.Gate())]  # it is silent
    first = next(session for session, name in before.items() if name == "b")
    run = client.post("/v1/chat", {"config": {"model": "m"}, "messages": HI},
                      headers={"x-parley-session": first}).ok()
    assert run.headers["x-parley-target"] == "a"
    assert [(x["provider"], x["http_status"]) for x in client.run(run.json["run"])["attempt_list"]] == \
        [("b", status), ("a", 200)]
    assert {ask(client, session) for session in SESSIONS} == {"a"}
    # One call met it; the breaker spared the others.
    wait_until(lambda: status in [answer for _, answer in nginx.answered(1)], "the line of its log")
    assert [answer for _, answer in nginx.answered(1)].count(status) == 1
