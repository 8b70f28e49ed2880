"""GET /v1/models: what is listed behind names with a star, and that nobody waits for it long."""

import time

import pytest

import keys
import upstream as up
from client import Client
from fixtures import once
from test_metrics import value
from upstream import Upstream
from waiting import DEADLINE, wait_until

OPENAI = up.reply({"object": "list", "data": [{"id": "small"}, {"id": "org/large:7b"}, {"id": "small"},
                                              {"id": "bad\n"}, {"id": ""}, {"id": 5}, {"no": 1}, 7,
                                              {"id": "wild*"}, {"id": "x" * 257}]})


@pytest.fixture
def lister():
    server = Upstream()
    yield server
    server.close()
    assert not server.faults, "\n".join(server.faults)


def provider(server, dialect="openai", **more):
    root = "" if dialect in ("anthropic", "ollama", "gemini") else "/v1"
    return {"name": "p", "dialect": dialect, "base_url": f"http://127.0.0.1:{server.port}{root}", **once(),
            **more}


def ids(client):
    listed = client.get("/v1/models").ok().json
    assert listed["object"] == "list"
    return [m["id"] for m in listed["data"]]


def serving(start, *providers, models=None, **more):
    models = models or [{"name": "p/*", "provider": "p"}]
    return start({"providers": list(providers), "models": [{"name": "echo", "provider": "echo"}, *models],
                  **more}, env={"KEY_OF_P": "secret-of-p"})


@pytest.mark.parametrize("dialect, target, answer", [
    ("openai", "/v1/models", OPENAI), ("mistral", "/v1/models", OPENAI), ("lmc", "/v1/models", OPENAI),
    ("openai-responses", "/v1/models", OPENAI),
    ("anthropic", "/v1/models?limit=1000", up.reply({"data": [{"type": "model", "id": "small"},
                                                              {"type": "model", "id": "org/large:7b"}]})),
    ("gemini", "/models?pageSize=1000", up.reply({"models": [{"name": "models/small"},
                                                             {"name": "models/org/large:7b"}]})),
    ("ollama", "/api/tags", up.reply({"models": [{"name": "org/large:7b"}, {"name": "small"}]})),
])
def test_the_providers_own_models_stand_in_the_place_of_a_star(start, lister, dialect, target, answer):
    lister.listing = [answer]
    gateway = serving(start, provider(lister, dialect, api_key_env="KEY_OF_P"))
    with Client(gateway.url) as client:
        assert ids(client) == ["echo", "p/org/large:7b", "p/small"]
        assert client.get("/v1/models/p%2Fsmall").ok().json["owned_by"] == "p"
        assert len(ids(client)) == 3 and len(lister.listed) == 1, "it is kept"
    request = lister.listed[0]
    assert request.method == "GET" and request.target == target and request.body == b""
    assert "secret-of-p" in request.head.decode()


def test_a_listed_model_can_be_called(start, lister):
    script = lister.script(up.either("fine"))
    lister.listing = [up.reply({"data": [{"id": script.name}]})]
    gateway = serving(start, provider(lister), models=[{"name": "*", "provider": "p"}])
    with Client(gateway.url) as client:
        assert ids(client) == ["echo", script.name]
        assert client.complete(script.name).ok().json["choices"][0]["message"]["content"] == "fine"
    assert script.request.json["model"] == script.name


def test_names_that_lead_elsewhere_are_not_listed_twice(start, lister):
    lister.listing = [up.reply({"data": [{"id": n} for n in ("echo", "deep/a", "b", "fixed")]})]
    gateway = serving(start, provider(lister), models=[
        {"name": "*", "provider": "p"}, {"name": "deep/*", "provider": "p", "upstream_model": "one"},
        {"name": "fixed", "provider": "echo"}, {"name": "e/*", "provider": "echo"}])
    with Client(gateway.url) as client:
        # Behind deep/* is one model whatever the name, and echo has no list.
        assert ids(client) == ["echo", "b", "fixed"]


def test_a_key_sees_its_own_models_of_a_star_alone(start, lister):
    lister.listing = [up.reply({"data": [{"id": n} for n in ("a1", "a2", "b1")]})]
    gateway = serving(start, provider(lister), admin_listen="127.0.0.1:0")
    made = keys.known(gateway, keys.make(gateway, "--models", "p/a*,p/b1,p/other"))
    with keys.client_of(gateway, made["key"]) as client:
        assert ids(client) == ["p/a1", "p/a2", "p/b1", "p/other"]
        client.get("/v1/models/p%2Fb2").error(404, "model_not_found")


@pytest.mark.parametrize("answer", [
    up.reply({"error": "no"}, 500), up.reply({"data": 5}), up.reply(b"no json"), up.hang_up(),
    up.reply(b"[" * 5000), up.reply(b'{"data":[]' + b" " * (5 << 20) + b"}"),
])
def test_a_provider_that_fails_is_left_out_and_told(start, lister, answer):
    lister.listing = [answer]
    gateway = serving(start, provider(lister, api_key_env="KEY_OF_P"))
    with Client(gateway.url) as client:
        assert ids(client) == ["echo"]
        line = gateway.wait_log(r'.*"event":"models_not_listed".*')[0]
        assert '"provider":"p"' in line and "secret-of-p" not in line
        assert ids(client) == ["echo"] and len(lister.listed) == 1, "it is not asked at once again"
        assert value(client, "parley_upstream_model_lists_total", upstream="p", result="failed") == 1
        assert client.get("/readyz").status == 200


def test_nobody_waits_long_for_a_silent_provider(start, lister):
    gate = up.Gate()
    lister.listing = [up.wait(gate), OPENAI]
    gateway = serving(start, provider(lister))
    with Client(gateway.url) as client:
        begun = time.monotonic()
        assert ids(client) == ["echo"]
        assert 0.9 < time.monotonic() - begun < DEADLINE
        client.complete("echo").ok()
        gate.open()
        wait_until(lambda: len(ids(client)) == 3, "the late answer")
    assert len(lister.listed) == 1


def test_a_stop_does_not_wait_for_a_list(start, lister):
    gate = up.Gate()
    lister.listing = [up.wait(gate), OPENAI]
    gateway = serving(start, provider(lister))
    with Client(gateway.url) as client:
        assert ids(client) == ["echo"]
    gate.wait_reached()
    gateway.stop()
