"""Hooks and what runs are made of: code and its output, titles, fallbacks, budgets, the configuration."""

import json
import signal

import pytest

import computer as cp
import gateway as gw
import hook as hooks
import keys
import upstream as up
from client import Client
from computer import Computer, module_runner, streamed  # noqa: F401
from fixtures import provider, usual_config
from hook import Hook, allow, block, forbids, masks
from runner import needs_sandbox
from waiting import wait_until


@pytest.fixture(scope="module")
def hook():
    one = Hook()
    yield one
    one.close()


@pytest.fixture(autouse=True)
def fresh(hook):
    hook.judge = lambda asked: allow()
    hook.asked.clear()


# --- code and its output ---


@pytest.fixture(scope="module")
def guarded(start_once, runner, hook):
    return Computer(start_once, runner, hooks=[hook.config(window=40, overlap=20)])


def seen(guarded, stream):
    run = cp.run_of(stream)
    return (b"".join(block.raw for block in stream.seen) + cp.events(guarded.client, run)
            + guarded.client.get(f"/v1/runs/{run}").body).decode()


def leaks(text, word="ŊĦŦĸ"):
    return [c for c in word if c in text or json.dumps(c)[1:-1] in text]


@needs_sandbox
def test_allowed_code_runs_as_it_did(guarded, hook, script):
    chunks, status, stream = streamed(guarded.client, guarded.body(cp.division(script)))
    assert cp.told(chunks) == [*cp.coded(), cp.confirmation(), *cp.RAN, *cp.said()]
    assert cp.events(guarded.client, cp.run_of(stream)) == b"".join(
        b.raw + b"\n\n" for b in stream.seen if not b.is_comment)
    told = "".join(hook.texts("response"))
    assert "34 / 24" in told and "1.4166666666666667" in told and "The result is 1.42." in told


@needs_sandbox
def test_blocked_code_does_not_run(guarded, hook, script):
    hook.judge = forbids("ŊĦŦĸ")
    model = script(up.in_turn(cp.calls(("python", "print('ŊĦŦĸ')"), before=["I compute "]), up.stream("so")))
    chunks, status, stream = streamed(guarded.client, guarded.body(model))
    assert len(model.exchanges) == 1
    assert not leaks(seen(guarded, stream))
    run = guarded.client.run(cp.run_of(stream))
    assert run["finish_reason"] == "content_filter" and not run.get("executions")


@needs_sandbox
def test_changed_code_does_not_run(guarded, hook, script):
    hook.judge = lambda a: masks("34", "35")(a) if a.phase == "response" else allow()
    model = cp.division(script)
    chunks, status, stream = streamed(guarded.client, guarded.body(model))
    run = guarded.client.run(cp.run_of(stream))
    assert run["finish_reason"] == "content_filter" and not run.get("executions")


@needs_sandbox
@pytest.mark.parametrize("code", ["print(w)", "for c in w: print(c, end='', flush=True)", "print('so ' * 50 + w)"])
def test_blocked_output_is_seen_by_nobody(guarded, hook, script, code):
    hook.judge = forbids("ŊĦŦĸ")
    code = f"w = ''.join(map(chr, {[ord(c) for c in 'ŊĦŦĸ']}))\n{code}"
    model = script(up.in_turn(cp.calls(("python", code)), up.stream("so it is")))
    chunks, status, stream = streamed(guarded.client, guarded.body(model))
    assert not leaks(seen(guarded, stream))
    assert len(model.exchanges) == 1  # the model is not told either
    run = guarded.client.run(cp.run_of(stream))
    assert run["finish_reason"] == "content_filter" and len(run["executions"]) == 1


@needs_sandbox
def test_changed_output_is_what_the_model_gets(guarded, hook, script):
    hook.judge = lambda a: masks("1.41", "3.14")(a) if a.phase == "response" else allow()
    model = cp.division(script)
    chunks, status, stream = streamed(guarded.client, guarded.body(model))
    assert "3.146666" in json.dumps(chunks) and "1.41" not in json.dumps(chunks)
    assert model.exchanges[1].request.json["messages"][-1]["content"] == "3.1466666666666667"


@needs_sandbox
def test_a_hook_that_fails_ends_a_run_with_a_computer(guarded, hook, script):
    hook.judge = lambda a: hooks.Verdict(raw=b"{}") if "1.4166" in "".join(a.texts) else allow()
    model = cp.division(script)
    with guarded.client.stream("/v1/chat", guarded.body(model)) as stream:
        blocks = [b.json for b in stream if not b.is_comment]
    assert "hook_unavailable" in json.dumps(blocks[-2]) and len(model.exchanges) == 1


@needs_sandbox
@pytest.mark.parametrize("plain", [{"stream": False}, {"stream": False, "store": False}])
def test_a_plain_run_with_a_computer(guarded, hook, script, plain):
    hook.judge = forbids("1.4166")

    def model():
        return script(up.in_turn(up.reply(up.completion(message={"role": "assistant", "content": "Let me see.", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {
                "name": "execute", "arguments": '{"language":"python","code":"34 / 24"}'}}]}, finish="tool_calls")),
            up.reply(up.completion("It is 1.42."))))
    answer = guarded.client.post("/v1/chat", guarded.body(model(), **plain)).ok().json
    assert answer["finish_reason"] == "content_filter" and "1.41" not in json.dumps(answer)
    hook.judge = lambda a: allow()
    answer = guarded.client.post("/v1/chat", guarded.body(model(), **plain)).ok().json
    assert answer["finish_reason"] == "stop" and "1.4166" in json.dumps(answer)


@pytest.fixture(scope="module")
def asking(start_once, runner, hook):
    return Computer(start_once, runner, hooks=[hook.config(on=["request"])])


@needs_sandbox
@pytest.mark.parametrize("blocks", [False, True])
def test_the_reason_of_a_refusal_is_shown(asking, hook, script, blocks):
    word = "ŊĦŦĸ"
    hook.judge = (lambda a: forbids(word)(a)) if blocks else (lambda a: masks(word, "mended")(a))
    model = script(up.in_turn(cp.calls(("python", "1")), up.reply(up.completion("so it is"))))
    with asking.client.stream("/v1/chat", asking.body(model, computer={"confirm": "ask"})) as stream:
        assert [b for b in stream]
        run = cp.run_of(stream)
    said = asking.client.post(f"/v1/runs/{run}/approve", {"approve": False, "reason": f"the {word} reason"})
    assert any(f"the {word} reason" in a.texts for a in hook.asked)
    sent = [json.dumps(x.request.json, ensure_ascii=False) for x in model.exchanges]
    assert not [one for one in sent if word in one]
    assert said.status == (400 if blocks else 200), said.body
    assert len(sent) == (1 if blocks else 2) and ("the mended reason" in sent[-1]) is not blocks


# --- titles, fallbacks, budgets ---


def test_a_title_is_looked_at(start, upstream, script, hook):
    hook.judge = lambda a: forbids("ŊĦŦĸ")(a) if a.phase == "response" else allow()
    title = script(up.reply(up.completion("Of ŊĦŦĸ")))
    s = script(up.reply(up.completion("fine")))
    g = start({"providers": [provider(upstream, "o")], "models": [{"name": "o/*", "provider": "o"}],
               "title_model": title.under("o"), "hooks": [hook.config()]})
    with Client(g.url) as client:
        said = client.post("/v1/chat", {"messages": ["hi"], "config": {"model": s.under("o")}}).ok().json
        wait_until(lambda: len([a for a in hook.asked if a.phase == "response"]) == 2, "the title's check")
        title.wait()
        conversation = client.get(f"/v1/conversations/{said['conversation']}")
        assert not leaks(conversation.body.decode())
    assert not [c for c in ("ŊĦ", "ĦŦ", "Ŧĸ") if c.encode() in hooks.files_of(g.folder)]


def test_a_fallback_gets_what_was_let_out(start, upstream, script, hook):
    hook.judge = lambda a: forbids("ŊĦŦĸ")(a) if a.phase == "response" else allow()
    gate = up.Gate()
    first = script(up.sse(), up.role(), up.text("some words that may leave at once, and "), up.wait(gate),
                   up.text("others"), up.hang_up())
    second = script(up.stream("go on ", "here"))
    g = start({"providers": [provider(upstream, "a"), provider(upstream, "b")],
               "models": [{"name": "m", "provider": "a", "upstream_model": first.name, "fallback": ["f"],
                           "resume": "fallback"},
                          {"name": "f", "provider": "b", "upstream_model": second.name}],
               "hooks": [hook.config(window=20, overlap=10)]})
    with Client(g.url) as client:
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
        with client.stream("/v1/chat/completions", body) as answer:
            head = answer.next_data()
            gate.wait_reached()
            gate.open()
            text = answer.openai().text
    assert head and "others" not in text and text.endswith("go on here")
    let_out = text.removesuffix("go on here")
    assert "some words that may leave at once, and others".startswith(let_out)
    assert second.request.json["messages"][-2] == {"role": "assistant", "content": let_out}


def test_an_attempt_of_which_nothing_left_is_made_again(start, upstream, script, hook):
    first = script(up.sse(), up.role(), up.text("nothing of it"), up.hang_up())
    second = script(up.stream("all of it"))
    g = start({"providers": [provider(upstream, "a"), provider(upstream, "b")],
               "models": [{"name": "m", "provider": "a", "upstream_model": first.name, "fallback": ["f"]},
                          {"name": "f", "provider": "b", "upstream_model": second.name}],
               "hooks": [hook.config()]})
    with Client(g.url) as client:
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
        with client.stream("/v1/chat/completions", body) as answer:
            assert answer.openai().text == "all of it"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("phase", ["request", "response"])
def test_what_is_blocked_is_paid_for_if_it_was_made(start, upstream, script, hook, phase, stream):
    hook.judge = lambda a: block() if a.phase == phase else allow()
    s = script(up.stream("x" * 400)) if stream else script(up.reply(up.completion("x" * 400)))
    g = start({"providers": [provider(upstream, "o")],
               "models": [{"name": "o/*", "provider": "o", "price": {"input": "1", "output": "1"}}],
               "hooks": [hook.config()]})
    key = keys.known(g, keys.make(g, "--budget", "1000"))
    with Client(g.url, keys.bearer(key["key"])) as client:
        body = {"model": s.under("o"), "messages": [{"role": "user", "content": "hi"}], "stream": stream}
        if stream and phase == "response":
            with client.stream("/v1/chat/completions", body) as answer:
                assert answer.openai().finish_reason == "content_filter"
        else:
            client.post("/v1/chat/completions", body)
        assert bool(s.exchanges) is (phase == "response")

        def settled():
            cost = client.get("/v1/usage").ok().json["budget"]["cost"]
            return cost["reserved"] == "0" and cost
        spent = wait_until(settled, "the budget")["spent"]
    assert (spent != "0") is (phase == "response"), spent


# --- the configuration ---

BASE = """\
database: {folder}/x.db
providers:
  - {name: local, dialect: openai, base_url: "http://127.0.0.1:9/v1"}
models:
  - {name: small, provider: local}
  - {name: "local/*", provider: local}
hooks:
  - %s
"""
GOOD = 'name: dlp, url: "https://dlp.example/check"'
WRONG = {
    'url: "https://dlp.example/check"': "a hook needs a name and a url",
    "name: dlp": "a hook needs a name and a url",
    'name: dlp, url: "http://dlp.example/check"': "must be https://",
    'name: dlp, url: "http://localhost.example/check"': "must be https://",
    'name: dlp, url: "http://localhost:x@dlp.example/check"': "must be https://",
    'name: dlp, url: "unix:relative"': "must be https://",
    'name: dlp, url: "ftp://dlp.example/"': "must be https://",
    GOOD + ", models: [smal]": "there is no model 'smal'",
    GOOD + ', models: ["remote/*"]': "there is no model 'remote/*'",
    GOOD + ', models: ["*l"]': "only stand at the end",
    GOOD + ", models: []": "leave it out for all",
    GOOD + ", window: 100, overlap: 100": "must be less than window",
    GOOD + ", on: [answer]": "must be request or response",
    GOOD + ", on: []": "needs request, response or both",
    GOOD + ", protocol: portkey": "protocol",
    GOOD + ", stream: never": "stream",
    GOOD + ", on_failure: ignore": "on_failure",
    GOOD + ", secret_env: NO_SUCH_SECRET": "NO_SUCH_SECRET",
    GOOD + ", secret: abc": "unknown key; allowed",
    GOOD + ", secret_evn: abc": "did you mean secret_env?",
    GOOD + ', params: "[1]"': "must be a JSON object",
    GOOD + ", ca_file: /no/such/file": "can't be read",
    GOOD + ", timeout: 0s": "timeout",
    **{GOOD + f', keys: ["config:1", "{key}"]': "must be the id of a key or of a group"
       for key in ("bob", "key-12", "key_1", "KEY_7h2kq9vx", "grp_7h2kq9vl", "config:x", "config:", "jwt:bob", "keys_*",
                   "key_7h2kq9vx7*")},
}
RIGHT = [GOOD, 'name: dlp, url: "http://127.0.0.1:1/x"', 'name: dlp, url: "http://[::1]/"', 'name: dlp, url: "unix:/run/x"',
         GOOD + ', models: ["small", "lo*", "local/x", "*"], keys: [key_7h2kq9vx, "config:*", grp_7h2kq9vx, "jwt:*", "jwt:abcdefghjkmnpqr", "k*", "*"], on: [request]',
         GOOD + ', protocol: litellm, stream: hold, window: 10, overlap: 0, params: "{\\"a\\": 1}", keep_blocked: true']


def checked(tmp_path, entry, command="--check-config"):
    file = tmp_path / "parley.yaml"
    file.write_text((BASE % ("{" + entry + "}")).replace("{folder}", str(tmp_path)))
    return gw.run(command, "--config", file)


@pytest.mark.parametrize("entry", WRONG)
def test_what_can_not_work_is_found(tmp_path, entry):
    result = checked(tmp_path, entry)
    assert result.returncode == 78, result.stderr
    assert WRONG[entry] in result.stderr and "parley.yaml:" in result.stderr


def test_keys_that_there_are_not_are_told_at_the_start(start, tmp_path):
    gateway = start(usual={}, ready=False)
    keys.migrate(gateway)
    made = keys.make(gateway)["id"]
    gateway.write_config(gateway.config_file.read_text() + "hooks:\n  - {%s, keys: [%s]}\n" % (
        GOOD, f'{made}, key_7h2kq9vx, grp_7h2kq9vx, "config:1", "config:*", "jwt:*"'))
    gateway.start()
    for gone in ("key_7h2kq9vx", "grp_7h2kq9vx", "config:1"):
        gateway.wait_log(f"the hook dlp: there is no valid {gone} among")
    assert sum('"hooks"' in line for line in gateway.lines) == 3


@pytest.mark.parametrize("entry", RIGHT)
def test_what_can_work_is_taken_and_printed(tmp_path, entry):
    result = checked(tmp_path, entry)
    assert result.returncode == 0, result.stderr
    shown = checked(tmp_path, entry, "--print-config")
    assert "hooks:" in shown.stdout and 'name: "dlp"' in shown.stdout


def test_two_of_a_name_are_a_mistake(tmp_path):
    file = tmp_path / "parley.yaml"
    file.write_text((BASE % ("{" + GOOD + "}")).replace("{folder}", str(tmp_path)) + "  - {" + GOOD + "}\n")
    assert "a second hook of this name" in gw.run("--check-config", "--config", file).stderr


def test_a_reload_changes_hooks_for_later_calls(start, upstream, script, hook):
    hook.judge = lambda a: block()
    config = {"providers": [provider(upstream, "o")], "models": [{"name": "o/*", "provider": "o"}]}
    g = start(config)
    s = script(up.either("hi"))
    body = {"model": s.under("o"), "messages": [{"role": "user", "content": "hi"}]}
    with Client(g.url) as client:
        gate = up.Gate()
        slow = script(up.sse(), up.role(), up.wait(gate), up.text("so it is"), *up.ending())
        with client.stream("/v1/chat/completions", {**body, "model": slow.under("o"), "stream": True}) as answer, \
                Client(g.url) as other:
            gate.wait_reached()
            g.write_config({**config, "hooks": [hook.config()]})
            g.signal(signal.SIGHUP)
            wait_until(lambda: other.post("/v1/chat/completions", body).status == 400, "the hook")
            gate.open()
            assert answer.openai().text == "so it is"
