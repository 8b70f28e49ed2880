"""models[].defaults: an instruction and a config that hold where a client gives none."""

import pytest
import yaml

import gateway as gw
import upstream as up
from client import Client
from fixtures import provider

DEFAULTS = {"instruction": "Be brief.", "config": {
    "temperature": 0.25, "max_tokens": 77, "stop": ["END", "7"], "seed": 5,
    "response_format": {"type": "json_object"}}}
SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "hi"}


@pytest.fixture
def model(start, upstream, script):
    """Makes a gateway with one model "m" that has these defaults; the client and the script."""
    clients = []

    def make(defaults=DEFAULTS, steps=None, **more):
        s = script(*(steps or [up.either("ok")]))
        url = start({"default_model": "m", "providers": [provider(upstream, "p", **more)],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name,
                                 "defaults": defaults}]}).url
        clients.append(Client(url))
        return clients[-1], s
    yield make
    for client in clients:
        client.close()


def asked(script, n=-1):
    return script.exchanges[n].request.json


def check_defaults(sent):
    assert sent["messages"] == [SYSTEM, USER]
    assert sent["temperature"] == 0.25 and sent["max_tokens"] == 77 and sent["seed"] == 5
    assert sent["stop"] == ["END", "7"] and sent["response_format"] == {"type": "json_object"}


def test_defaults_hold_on_all_routes(model):
    client, s = model()
    client.chat("hi").ok()
    check_defaults(asked(s))
    with client.chat_stream("hi") as stream:
        stream.native()
    check_defaults(asked(s))
    client.complete("m", messages=[USER]).ok()
    check_defaults(asked(s))
    client.post("/v1/responses", {"model": "m", "input": "hi"}).ok()
    check_defaults(asked(s))
    client.post("/v1/completions", {"model": "m", "prompt": "hi"}).ok()
    check_defaults(asked(s))
    client.post("/v1/messages", {"model": "m", "max_tokens": 77, "messages": [USER]}).ok()
    check_defaults(asked(s))


def test_a_client_s_own_members_have_priority(model):
    client, s = model()
    client.chat("hi", instruction="own", config={"temperature": 1, "max_tokens": 5,
                                                 "stop": "x"}).ok()
    sent = asked(s)
    assert sent["messages"] == [{"role": "system", "content": "own"}, USER]
    assert (sent["temperature"], sent["max_tokens"], sent["stop"]) == (1, 5, "x")
    assert sent["seed"] == 5
    client.complete("m", messages=[USER], temperature=1, max_completion_tokens=6).ok()
    sent = asked(s)
    assert sent["temperature"] == 1 and "max_tokens" not in sent
    assert sent["max_completion_tokens"] == 6
    client.complete("m", messages=[{"role": "developer", "content": "own"}, USER]).ok()
    assert asked(s)["messages"][0] == {"role": "developer", "content": "own"}
    assert len(asked(s)["messages"]) == 2
    client.chat("hi", instruction="").ok()
    assert asked(s)["messages"] == [USER]


def test_a_conversation_s_instruction_has_priority(model):
    client, s = model()
    first = client.chat("hi", instruction="own").ok().json
    client.chat("hi", conversation=first["conversation"]).ok()
    assert asked(s)["messages"][0] == {"role": "system", "content": "own"}
    other = client.chat("hi").ok().json
    client.chat("hi", conversation=other["conversation"]).ok()
    assert asked(s)["messages"] == [SYSTEM, USER, {"role": "assistant", "content": "ok"}, USER]


def test_embeddings_have_no_defaults(model):
    client, s = model(steps=[up.embeddings([1.0])])
    client.post("/v1/embeddings", {"model": "m", "input": "hi"}).ok()
    assert set(asked(s)) == {"model", "input"}


def test_a_printed_configuration_can_be_read_again(tmp_path):
    file = tmp_path / "parley.yaml"
    file.write_text(yaml.safe_dump({"models": [
        {"name": "m", "provider": "echo", "defaults": DEFAULTS}]}))
    printed = gw.run("--print-config", "--config", file).stdout
    assert yaml.safe_load(printed)["models"][0]["defaults"] == DEFAULTS
    file.write_text(printed)
    again = gw.run("--print-config", "--config", file)
    assert again.returncode == 0, again.stderr
    assert yaml.safe_load(again.stdout)["models"][0]["defaults"] == DEFAULTS


@pytest.mark.parametrize("defaults, told", [
    ("x", "has to be a map"),
    ({"instructions": "x"}, "did you mean instruction?"),
    ({"instruction": ["x"]}, "has to be one value"),
    ({"config": ["x"]}, "has to be a map"),
    ({"config": {"temperatur": 1}}, "did you mean temperature?"),
    ({"config": {"tools": []}}, "unknown key"),
    ({"config": {"temperature": 2.5}}, "must be a number from 0 to 2"),
    ({"config": {"temperature": "hot"}}, "must be a number from 0 to 2"),
    ({"config": {"max_tokens": 0}}, "must be an integer from 1 to 1000000"),
    ({"config": {"max_tokens": 1.5}}, "must be an integer from 1 to 1000000"),
    ({"config": {"seed": {}}}, "must be an integer"),
    ({"config": {"stop": []}}, "must be a string, or a list of up to 4 strings"),
    ({"config": {"stop": ["a"] * 5}}, "must be a string, or a list of up to 4 strings"),
    ({"config": {"stop": [["a"]]}}, "must be a string, or a list of up to 4 strings"),
    ({"config": {"response_format": "json"}}, "has to be a map"),
    ({"config": {"reasoning_effort": ["low"]}}, "must be a short string"),
])
def test_wrong_defaults_are_told_with_their_place(start, defaults, told):
    gateway = start({"models": [{"name": "m", "provider": "echo", "defaults": defaults}]},
                    ready=False)
    said = gateway.fails_to_start()[1]
    assert told in said and "defaults" in said, said
