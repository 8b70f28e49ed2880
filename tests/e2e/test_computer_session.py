"""What has no computer, and the session that a conversation has."""

import json

import pytest

import computer as cp
import fixtures
import keys
import upstream as up
from client import Client
from computer import client, computer, division, module_runner, run_of, streamed, waits  # noqa: F401
from runner import needs_sandbox
from waiting import wait_until

pytestmark = needs_sandbox


# --- what is refused ---


def test_requests_that_can_not_have_a_computer(computer, client, script):
    model = division(script)

    def refused(status, code, param, **more):
        body = computer.body(model, **{k: v for k, v in more.items() if k == "computer"})
        config = more.pop("config", {})
        more.pop("computer", None)
        body["config"].update(config)
        client.post("/v1/chat", {**body, **more}).error(status, code, param)

    refused(400, "unsupported_parameter", "config.computer", format="openai")
    refused(400, "unsupported_parameter", "config.computer.confirm", computer={}, store=False)
    refused(400, "unsupported_parameter", "config.computer.languages[1]",
            computer={"languages": ["python", "cobol"]})
    refused(400, "unsupported_parameter", "config.tools[0]",
            config={"tools": [{"type": "function", "function": {"name": "execute"}}]})
    refused(400, "invalid_value", "config.computer.max_steps", computer={"max_steps": 51})
    refused(400, "invalid_value", "config.computer.confirm", computer={"confirm": "always"})
    refused(400, "unknown_parameter", "config.computer.step", computer={"step": 1})
    assert not model.exchanges


def test_a_provider_with_a_computer_of_its_own(start, runner, upstream):
    providers = [fixtures.provider(upstream, "local"),
                 {"name": "speaker", "dialect": "lmc", "base_url": upstream.url}]
    models = [{"name": "echo", "provider": "echo"}, {"name": "l", "provider": "speaker"}]
    computer = cp.Computer(start, runner, providers=providers, models=models)
    computer.client.post("/v1/chat", computer.body("l")).error(
        400, "unsupported_parameter", "config.computer")


def test_a_key_without_the_scope_reaches_nothing(computer, client, script):
    model = division(script)
    _, stream = waits(computer, client, model)
    made = keys.make(computer.gateway, "--name", "other")
    keys.known(computer.gateway, made)
    with Client(computer.gateway.url, keys.bearer(made["key"])) as other:
        other.post("/v1/chat", computer.body(model)).error(403, "insufficient_scope", "config.computer")
        other.post(f"/v1/runs/{run_of(stream)}/approve", {"approve": True}).error(
            403, "insufficient_scope")
    with Client(computer.gateway.url, keys.bearer(keys.known(computer.gateway, keys.make(
            computer.gateway, "--name", "third", "--scopes", cp.ALL))["key"])) as third:
        third.post(f"/v1/runs/{run_of(stream)}/approve", {"approve": True}).error(404, "not_found")


def test_a_gateway_without_a_computer_refuses(start, script):
    model = division(script)
    gateway = start(usual={})
    body = {"messages": ["x"], "format": "lmc", "config": {"model": model.model, "computer": {}}}
    with Client(gateway.url) as client:
        client.post("/v1/chat", body).error(400, "unsupported_parameter", "config.computer")


def test_a_gateway_without_keys_has_none(start, script, runner):
    gateway = start(usual={"computer": f"unix:{runner.path}"})
    body = {"messages": ["x"], "format": "lmc", "config": {"model": "echo", "computer": {}}}
    with Client(gateway.url) as client:
        client.post("/v1/chat", body).error(400, "unsupported_parameter", "config.computer")


def test_approvals_can_not_be_skipped_without_the_option(start, runner, script):
    computer = cp.Computer(start, runner, computer_auto=False)
    computer.client.post("/v1/chat", computer.body("echo")).error(
        400, "unsupported_parameter", "config.computer.confirm")


def test_without_a_runner_nobody_is_asked(start, script, runner, tmp_path):
    model = division(script)
    computer = cp.Computer(start, runner, computer=f"unix:{tmp_path}/none")
    computer.client.post("/v1/chat", computer.body(model)).error(503, "computer_unavailable")
    assert not model.exchanges
    assert computer.client.get("/v1/runs").ok().json["data"] == []


@pytest.mark.parametrize("value", ["/run/x", "unix:run/x", "tcp:1"])
def test_a_wrong_socket_is_refused_at_the_start(start, value):
    code, said = start(usual={"computer": value}, ready=False).fails_to_start()
    assert "computer" in said and "unix:PATH" in said


# --- the session of a conversation ---


def test_a_conversations_session(computer, client, script):
    code = "import os\nos.mkdir('d')\nopen('d/made é.txt', 'w').write('x' * 700000)\nos.symlink('/etc/passwd', 'link')"
    model = script(up.in_turn(cp.calls(("python", code)), up.stream("Made.")))
    _, _, stream = streamed(client, computer.body(model))
    path = f"/v1/conversations/{stream.headers['x-conversation-id']}/computer"
    state = client.get(path).ok().json
    assert (state["state"], state["languages"]) == ("idle", ["python"]) and state["memory"] > 0
    files = client.get(f"{path}/files").ok().json["data"]
    assert files == [{"path": "d/made é.txt", "bytes": 700000}]
    found = client.get(f"{path}/files/d%2Fmade%20%C3%A9.txt").ok()
    assert found.body == b"x" * 700000 and found.headers["content-disposition"] == "attachment"
    assert found.headers["content-length"] == "700000"
    for name in ("none", "link", "..%2F..%2Fetc%2Fpasswd", "d"):
        client.get(f"{path}/files/{name}").error(404, "not_found")
    assert client.request("DELETE", path).ok().json["state"] == "none"
    wait_until(lambda: client.get(path).ok().json["state"] == "none", "the session's end")
    assert client.get(f"{path}/files").ok().json["data"] == []
    client.get(f"{path}/files/d").error(404, "not_found")


def test_a_long_list_of_files_says_so(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "for i in range(1000): open(f'f{i}', 'w')")), up.stream("Made."),
                              cp.calls(("python", "open('more', 'w')")), up.stream("One more.")))
    _, _, stream = streamed(client, computer.body(model))
    conversation = stream.headers["x-conversation-id"]
    path = f"/v1/conversations/{conversation}/computer/files"
    found = client.get(path).ok().json
    assert (len(found["data"]), found["has_more"]) == (1000, False)
    empty = client.get(f"{path}/f0").ok()
    assert (empty.body, empty.headers["content-length"]) == (b"", "0")
    streamed(client, computer.body(model, conversation=conversation))
    found = client.get(path).ok().json
    assert (len(found["data"]), found["has_more"]) == (1000, True)


def test_a_session_is_its_owners(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "x = 1")), up.stream("Set.")))
    _, _, stream = streamed(client, computer.body(model))
    path = f"/v1/conversations/{stream.headers['x-conversation-id']}/computer"
    made = keys.known(computer.gateway, keys.make(computer.gateway, "--name", "fourth", "--scopes", cp.ALL))
    with Client(computer.gateway.url, keys.bearer(made["key"])) as other:
        other.get(path).error(404, "not_found")
        other.request("DELETE", path).error(404, "not_found")
        other.get(path + "/files").error(404, "not_found")
    made = keys.known(computer.gateway, keys.make(computer.gateway, "--name", "fifth"))
    with Client(computer.gateway.url, keys.bearer(made["key"])) as other:
        other.request("DELETE", path).error(403, "insufficient_scope")
    assert client.get(path).ok().json["state"] == "idle"


def test_an_unstored_run_leaves_no_session(start, script):
    with cp.runner() as own:
        computer = cp.Computer(start, own)
        streamed(computer.client, computer.body(division(script), store=False))

        def sessions():
            with own.connect() as c:
                return json.loads(c.ask("P")[1])["sessions"]
        wait_until(lambda: sessions() == 0, "the end of the session")
        streamed(computer.client, computer.body(division(script)))
        assert sessions() == 1
