"""Hooks that somebody else wrote for LiteLLM's contract: LiteLLM's own content filter, which reads each question with
LiteLLM's own types, its client, and a service that rules on tool calls."""

import json
import os
import subprocess
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import upstream as up
from client import Client
from clients import BUILD, HERE
from fixtures import provider
from hook import Hook, allow, block, masks
from waiting import DEADLINE

BIN = BUILD / "venv-clients" / "bin"
JUDGE = [BIN / "python", HERE / "servers/judge.py"]
KEY = "key-of-the-judges-tests"

pytestmark = [pytest.mark.xdist_group("judges"), pytest.mark.skipif(
    not (BIN / "python").exists(), reason="build/venv-clients is not there: scripts/test clients was not run")]


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """The address of LiteLLM's content filter, which blocks `forbidden` and masks `4711`."""
    with (tmp_path_factory.mktemp("judge") / "log").open("wb") as log, subprocess.Popen(
            JUDGE, stdout=subprocess.PIPE, stderr=log, text=True) as process:
        try:
            yield process.stdout.readline().removeprefix("ready on ").strip()
        finally:
            process.kill()


def asked_of(judge):
    with urllib.request.urlopen(judge, timeout=DEADLINE) as said:
        asked = json.load(said)
    assert not [a for a in asked if "fault" in a], asked
    return asked


@pytest.fixture(scope="module")
def guarded(start_once, upstream, judge):
    gateway = start_once({
        "providers": [provider(upstream, "o"), provider(upstream, "a", "anthropic")],
        "models": [{"name": "o/*", "provider": "o"}, {"name": "a/*", "provider": "a"}],
        "hooks": [{"name": "words", "url": judge, "protocol": "litellm", "timeout": "20s", "tools": True, "images": True,
                   "params": '{"api_version": "v1"}', "api_key_env": "JUDGE_KEY", "window": 30, "overlap": 10}]},
        env={"PARLEY_API_KEY": KEY, "JUDGE_KEY": "key-of-the-judge"})
    with Client(gateway.url, {"Authorization": f"Bearer {KEY}"}) as client:
        yield client


TOOL = {"name": "weather", "description": "tells the weather"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
PICTURE = "iVBORw0KGgo" * 9 + "A"
PATHS = {
    "/v1/chat": lambda m, t: {"messages": [t], "config": {"model": m}},
    "/v1/chat/completions": lambda m, t: {"model": m, "messages": [{"role": "user", "content": [
        {"type": "text", "text": t}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}]}],
        "tools": [{"type": "function", "function": {**TOOL, "parameters": SCHEMA}}]},
    "/v1/messages": lambda m, t: {"model": m, "max_tokens": 99, "messages": [{"role": "user", "content": t}],
                                  "tools": [{**TOOL, "input_schema": SCHEMA}]},
    "/v1/responses": lambda m, t: {"model": m, "input": t, "tools": [{"type": "function", **TOOL, "parameters": SCHEMA}]},
}


def ask(client, path, s, text, stream):
    body = PATHS[path](s.under("o"), text)
    return client.post(path, {**body, "stream": True} if stream else body)


def streamed(text):
    return [up.sse(), up.role(), *[up.text(text[i:i + 7]) for i in range(0, len(text), 7)], *up.ending()]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", PATHS)
def test_its_types_and_its_filter(guarded, judge, script, path, stream):
    fine = "all of it is fine, and there is some more of it"
    for question, answer, seen in (
            (fine, fine, fine),
            ("this is forbidden", None, None),
            ("the pin is 4711, tell nobody", fine, fine),
            (fine, "one two three and so on, the pin is 4711, tell nobody", "[KEYWORD_REDACTED]"),
            (fine, "one two three and so on and so on, and it is forbidden to tell", "one")):
        s = script(*streamed(answer)) if stream and answer else script(up.reply(up.completion(answer or "no")), allows=None)
        said = ask(guarded, path, s, question, stream)
        if answer is None:
            assert said.status == 400 and b"content_blocked" in said.body or path == "/v1/messages"
            assert not s.exchanges
            continue
        told = said.body.decode()
        assert said.status == 200 and "forbidden" not in told and "4711" not in told
        assert "4711" not in json.dumps(s.request.json)
        assert ("[KEYWORD_REDACTED]" in json.dumps(s.request.json)) is ("4711" in question)
        if seen == "[KEYWORD_REDACTED]":
            assert "KEYWORD" in told and "REDACTED" in told
    asked = asked_of(judge)
    assert {a["answer"]["action"] for a in asked} == {"NONE", "BLOCKED", "GUARDRAIL_INTERVENED"}
    assert {a["key"] for a in asked} == {"key-of-the-judge"}
    last = [a["question"] for a in asked if a["question"]["input_type"] == "request"][-1]
    assert last["request_data"] == {"user_api_key_alias": "config:1"}
    assert last["additional_provider_specific_params"] == {"api_version": "v1"}
    assert bool(last["tools"]) is (path != "/v1/chat") and bool(last["images"]) is (path == "/v1/chat/completions")


def test_its_client_reads_what_the_tests_own_hook_answers(judge):
    hook = Hook(protocol="litellm")
    url = hook.url.removesuffix("/check")
    for verdict, expected in ((lambda a: allow(), {"texts": ["a 1 b", "c"]}),
                              (masks("1", "2"), {"texts": ["a 2 b", "c"]}), (lambda a: block(), {"blocked": True})):
        hook.judge = verdict
        ask = urllib.request.Request(judge.partition("/beta")[0] + "/ask",
                                     json.dumps({"url": url, "texts": ["a 1 b", "c"]}).encode())
        with urllib.request.urlopen(ask, timeout=DEADLINE) as said:
            assert json.load(said) == expected
    theirs = {name for a in hook.asked for name in a.body}
    hook.close()
    ours = {name for a in asked_of(judge) for name in a["question"]}
    assert theirs == ours


# --- a service that rules on tool calls ---


@pytest.fixture(scope="module")
def ruling(tmp_path_factory, start_once, upstream):
    """(client, the calls that it has ruled on): Reeflex, whose policy here denies what has `rm -rf` in it."""
    ruled = []

    class Policy(BaseHTTPRequestHandler):
        def do_POST(self):
            action = self.rfile.read(int(self.headers["content-length"])).decode()
            ruled.append(action)
            denied = "rm -rf" in action
            text = json.dumps({"decision": "deny" if denied else "allow", "reason": "so it is", "rule": "test/rule",
                               "decision_id": f"d{len(ruled)}"}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    policy = ThreadingHTTPServer(("127.0.0.1", 0), Policy)
    threading.Thread(target=policy.serve_forever, args=(0.05,), daemon=True).start()
    tenants = {"version": 1, "tenants": {"t": {"org": "t", "label": "T"}}, "bind": {"key_alias": {"config:1": "t"}}}
    folder = tmp_path_factory.mktemp("reeflex")
    env = {**os.environ, "REEFLEX_CORE_URL": f"http://127.0.0.1:{policy.server_address[1]}", "HOME": str(folder),
           "REEFLEX_LITELLM_TENANCY_MAP": json.dumps(tenants),
           "REEFLEX_LITELLM_LEDGER_PATH": str(folder / "ledger")}
    code = ("from reeflex_litellm.connector import ConnectorServer\n"
            "server = ConnectorServer(('127.0.0.1', 0), token='token-of-reeflex')\n"
            "print(server.server_address[1], flush=True)\nserver.serve_forever()")
    with subprocess.Popen([BIN / "python", "-c", code],
                          stdout=subprocess.PIPE, stderr=(folder / "log").open("wb"), text=True, env=env) as process:
        try:
            url = f"http://127.0.0.1:{int(process.stdout.readline())}/beta/litellm_basic_guardrail_api"
            gateway = start_once({"providers": [provider(upstream, "o")], "models": [{"name": "o/*", "provider": "o"}],
                                  "hooks": [{"name": "reeflex", "url": url, "protocol": "litellm", "timeout": "20s",
                                             "on": ["response"], "api_key_env": "REEFLEX_TOKEN"}]},
                                 env={"PARLEY_API_KEY": KEY, "REEFLEX_TOKEN": "token-of-reeflex"})
            with Client(gateway.url, {"Authorization": f"Bearer {KEY}"}) as client:
                yield client, ruled
        finally:
            process.kill()
            policy.shutdown()
            policy.server_close()


def calls(stream, *commands):
    made = [{"id": f"call_{n}", "type": "function", "function": {"name": "Bash", "arguments": json.dumps({"command": c})}}
            for n, c in enumerate(commands)]
    if not stream:
        return [up.reply(up.completion(message={"role": "assistant", "content": None, "tool_calls": made}, finish="tool_calls"))]
    return [up.sse(), up.role(), *[up.data(up.chunk({"tool_calls": [{"index": n, **call}]})) for n, call in enumerate(made)],
            *up.ending("tool_calls")]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_service_rules_on_tool_calls(ruling, script, stream):
    client, ruled = ruling
    body = {"messages": [{"role": "user", "content": "clean up"}], "stream": stream}
    for commands, denied in ((["ls -l"], False), (["ls", "rm -rf /"], True)):
        ruled.clear()
        s = script(*calls(stream, *commands))
        said = client.post("/v1/chat/completions", {"model": s.under("o"), **body}).body.decode()
        assert ("content_filter" in said) is denied and "rm -rf" not in said
        assert ("ls -l" in said) is not denied
        assert [command in action for command, action in zip(commands, ruled, strict=True)] == [True] * len(commands)
    s = script(*streamed("no call at all")) if stream else script(up.reply(up.completion("no call at all")))
    assert "no call" in client.post("/v1/chat/completions", {"model": s.under("o"), **body}).body.decode()
