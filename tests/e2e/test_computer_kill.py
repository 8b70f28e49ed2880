"""The computer and kills: nothing is executed twice, and every run has an end."""

import json
import threading

import pytest

import computer as cp
import computer_loop
import upstream as up
from computer import CONSOLE, approve, coded, console, run_of, told, waits
from runner import needs_sandbox
from waiting import wait_until

pytestmark = needs_sandbox

SLOW = "open('ran', 'a').write('x')\nprint('go')\nimport time\ntime.sleep(600)"
GONE = "[the gateway stopped: whether this ran to its end is not known]\n"


@pytest.fixture
def runner():
    with cp.runner() as one:
        yield one


@pytest.fixture
def computer(start, runner):
    # strict: what a client has seen is in the log
    return cp.Computer(start, runner, durability="strict")


def until_output(stream, text="go\n"):
    for block in stream.check_head():
        if not block.is_comment and block.json.get("content") == text:
            return
    raise AssertionError("no output came")


def cut(computer, model, path="/v1/chat", body=None):
    """Kills the gateway while the code runs; the run's id and its conversation's."""
    with computer.client.stream(path, body or computer.body(model)) as stream:
        until_output(stream)
        computer.gateway.kill()
        made = run_of(stream), stream.headers["x-conversation-id"]
    computer.gateway.start()
    computer.again()
    return made


def test_a_kill_in_an_execution_is_told(computer, runner, script):
    model = script(up.in_turn(cp.calls(("python", SLOW)), up.stream("I see.")))
    run, conversation = cut(computer, model)
    client = computer.client
    found = client.run(run)
    assert (found["status"], found["error"]["code"]) == ("incomplete", "server_stopped")
    execution, = found["executions"]
    assert (execution["language"], execution["outcome"]) == ("python", "unknown")
    step, = found["attempt_list"]
    assert step["outcome"] == "completed" and step["usage"]["prompt_tokens"] > 0
    assert (found["usage"], found["usage_source"]) == (step["usage"], step["usage_source"])
    messages = client.messages(conversation, "lmc")
    assert [(m["type"], m["content"]) for m in messages[1:]] == [
        ("code", SLOW), ("console", "go\n" + GONE)]
    with client.http.stream("GET", f"/v1/runs/{run}/events") as response:
        text = b"".join(response.iter_raw()).decode()
    chunks = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    assert told(chunks[:3]) == coded(SLOW)[:1] + [told(chunks[:3])[1]]
    assert chunks[-3] == {**CONSOLE, "end": True}
    assert (chunks[-2]["type"], chunks[-1]["type"]) == ("error", "status")
    # the runner has stopped it, and nothing executes it again
    client.post(f"/v1/runs/{run}/continue", {
        "config": {"model": model.model, "computer": cp.NEVER}, "format": "lmc", "stream": True}).ok()
    result = model.exchanges[1].request.json["messages"][-1]
    assert result["role"] == "tool" and result["content"] == "go\n" + GONE.rstrip()
    assert len(client.run(run)["executions"]) == 1
    computer.client.post(f"/v1/runs/{run}/approve", {"approve": True}).error(409, "not_continuable")
    model = script(up.in_turn(cp.calls(("python", "len(open('ran').read())")), up.stream("Once.")))
    with client.stream("/v1/chat", computer.body(model, conversation=conversation)) as stream:
        chunks, _ = cp.blocks(stream.check_head())
    assert [c["content"] for c in chunks if c.get("format") == "output"] == ["1\n"]


def test_a_kill_in_an_approved_execution_is_told(computer, script):
    model = script(up.in_turn(cp.calls(("python", SLOW)), up.stream("I see.")))
    _, stream = waits(computer, computer.client, model)
    first = run_of(stream)
    run, conversation = cut(computer, model, f"/v1/runs/{first}/approve", {"approve": True, "stream": True})
    assert computer.client.run(run)["executions"][0]["outcome"] == "unknown"
    computer.client.post(f"/v1/runs/{first}/approve", {"approve": True}).error(409, "not_continuable")
    messages = computer.client.messages(conversation, "lmc")
    assert [(m["type"], m["content"]) for m in messages[1:]] == [
        ("code", SLOW), ("console", "go\n" + GONE)]


def test_a_wait_for_an_approval_survives_a_kill(computer, script):
    model = script(up.in_turn(cp.calls(("python", "34 / 24")), up.stream("So.")))
    _, stream = waits(computer, computer.client, model)
    computer.gateway.kill()
    computer.gateway.start()
    chunks, _, _ = approve(computer.again(), run_of(stream))
    assert told(chunks)[:5] == console(1, "1.4166666666666667\n")


def test_a_plain_answer_is_recorded_too(computer, script):
    model = script(up.reply(up.completion(message={
        "role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {
                "name": "execute", "arguments": json.dumps({"language": "python", "code": SLOW})}}]},
        finish="tool_calls")))
    body = computer.body(model, stream=False)
    request, _ = computer.client._build("POST", "/v1/chat", body, {})
    def ask():
        try:
            computer.client.http.send(request)
        except Exception:
            pass
    thread = threading.Thread(target=ask)
    thread.start()
    wait_until(lambda: any(b"python3" in _cmdline(pid) for pid in computer.runner.processes()),
               "the code's begin")
    wait_until(lambda: _runs(computer) and _runs(computer)[0]["status"] == "running", "the run")
    computer.gateway.kill()
    thread.join()
    computer.gateway.start()
    computer.again()
    run = computer.client.run(_runs(computer)[0]["id"])
    assert run["status"] == "incomplete" and run["executions"][0]["outcome"] == "unknown"


def _cmdline(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def _runs(computer):
    with cp.Client(computer.gateway.url, cp.keys.bearer(computer.key["key"])) as other:
        return other.get("/v1/runs").ok().json["data"]


def test_a_kill_of_the_runner_ends_the_run(computer, runner, script):
    model = script(up.in_turn(cp.calls(("python", SLOW)), up.stream("Never.")))
    with computer.client.stream("/v1/chat", computer.body(model)) as stream:
        until_output(stream)
        below = runner.processes()
        runner.process.kill()
        runner.process.wait()
        chunks, _ = cp.blocks(stream)
    assert [c["content"] for c in chunks if c.get("format") == "output"] == [
        "[the computer stopped: whether this ran to its end is not known]\n"]
    assert (chunks[-1]["type"], chunks[-1]["content"]["code"]) == ("error", "computer_unavailable")
    run = computer.client.run(run_of(stream))
    assert run["status"] == "incomplete" and run["executions"][0]["outcome"] == "unknown"
    assert len(model.exchanges) == 1
    wait_until(lambda: not any(_cmdline(pid) for pid in below), "the end of the sandbox")
    computer.client.post("/v1/chat", computer.body(model)).error(503, "computer_unavailable")


def test_a_new_session_says_so(start, script):
    with cp.runner() as first:
        computer = cp.Computer(start, first)
        model = script(up.in_turn(cp.calls(("python", "x = 1")), up.stream("Set."),
                                  cp.calls(("python", "2")), up.stream("Two.")))
        with computer.client.stream("/v1/chat", computer.body(model)) as stream:
            cp.blocks(stream.check_head())
        conversation = stream.headers["x-conversation-id"]
        first.restart()
        with computer.client.stream("/v1/chat", computer.body(model, conversation=conversation)) as stream:
            chunks, _ = cp.blocks(stream.check_head())
    said = "[new session: earlier variables and files are gone]\n"
    assert "".join(c["content"] for c in chunks if c.get("format") == "output") == said + "2\n"


def test_a_stop_ends_an_execution(computer, script):
    model = script(up.in_turn(cp.calls(("python", SLOW)), up.stream("Never.")))
    computer.gateway.args += ["--drain-timeout", "1s"]
    computer.gateway.restart()
    with computer.again().stream("/v1/chat", computer.body(model)) as stream:
        until_output(stream)
        computer.gateway.stop()
        chunks, _ = cp.blocks(stream)
    assert chunks[-1]["content"]["code"] == "server_shutting_down"
    computer.gateway.start()
    run = computer.again().run(run_of(stream))
    assert run["executions"][0]["outcome"] == "interrupted" and run["status"] == "incomplete"


def test_some_rounds_of_the_kill_loop(start, runner, upstream):
    loop = computer_loop.Loop(start, runner, upstream, "some")
    for _ in range(6):
        loop.round()
    assert loop.figures["rounds"] == 6
