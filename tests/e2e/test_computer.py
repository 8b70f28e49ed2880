"""The computer: the assistant's code runs, and its output streams back, as in docs/computer.md."""

import json
import subprocess
import sys
import threading

import pytest

import computer as cp
import fixtures
import gateway as gw
import keys
import sse
import upstream as up
from client import Client
from runner import needs_sandbox
from waiting import wait_until

pytestmark = needs_sandbox


@pytest.fixture(scope="module")
def runner():
    with cp.runner() as one:
        yield one


@pytest.fixture(scope="module")
def computer(start_once, runner):
    return cp.Computer(start_once, runner)


@pytest.fixture
def client(computer):
    return computer.client


ANSWER = ["The", " result", " is", " 1.42", "."]


def division(script):
    """A model that computes 34/24, and then says it."""
    return script(up.in_turn(cp.calls(("python", "34 / 24")), up.stream(*ANSWER)))


def told(chunks):
    """The chunks, those of the assistant's text and code put together."""
    made = []
    for chunk in chunks:
        last = made[-1] if made else {}
        if (chunk["role"] == "assistant" and "content" in chunk and "content" in last and
                {k: last[k] for k in last if k != "content"} ==
                {k: chunk[k] for k in chunk if k != "content"}):
            last["content"] += chunk["content"]
        else:
            made.append(dict(chunk))
    return made


CODE = {"role": "assistant", "type": "code", "format": "python"}
CONSOLE = {"role": "computer", "type": "console"}
MESSAGE = {"role": "assistant", "type": "message"}


def confirmation(code="34 / 24"):
    return {"role": "computer", "type": "confirmation", "format": "execution",
            "content": {"type": "code", "format": "python", "content": code}}


def coded(code="34 / 24"):
    return [{**CODE, "start": True}, {**CODE, "content": code}, {**CODE, "end": True}]


def console(*parts):
    return [{**CONSOLE, "start": True}, *[
        {**CONSOLE, "format": "active_line" if isinstance(part, int) else "output", "content": part}
        for part in parts], {**CONSOLE, "format": "active_line", "content": None},
        {**CONSOLE, "end": True}]


def said(text="".join(ANSWER)):
    return [{**MESSAGE, "start": True}, {**MESSAGE, "content": text}, {**MESSAGE, "end": True}]


RAN = console(1, "1.4166666666666667\n")


def streamed(client, body, path="/v1/chat"):
    """The chunks of a stream, its status, and its answer."""
    with client.stream(path, body) as stream:
        chunks, status = cp.blocks(stream.check_head())
        sse.lmc(stream.seen)
        return chunks, status, stream


def run_of(stream):
    return stream.headers["x-run-id"]


def events(client, run):
    """The bytes of the run's events, read again."""
    with client.http.stream("GET", f"/v1/runs/{run}/events") as response:
        assert response.status_code == 200
        return b"".join(response.iter_raw())


# --- the stream ---


def test_a_stream_is_that_of_the_seeds(computer, client, script):
    model = division(script)
    chunks, status, stream = streamed(client, computer.body(model))
    assert told(chunks) == [*coded(), confirmation(), *RAN, *said()]
    assert status == {"role": "server", "type": "status", "content": "complete"}
    asked = [x.request.json for x in model.exchanges]
    assert len(asked) == 2
    function = asked[0]["tools"][0]["function"]
    assert function["name"] == "execute"
    assert "python" in function["parameters"]["properties"]["language"]["enum"]
    call, result = asked[1]["messages"][-2:]
    assert [(c["id"], json.loads(c["function"]["arguments"])) for c in call["tool_calls"]] == [
        ("call_1", {"language": "python", "code": "34 / 24"})]
    assert result == {"role": "tool", "tool_call_id": "call_1", "content": "1.4166666666666667"}
    assert not any("broke off" in json.dumps(m) for m in asked[1]["messages"])

    whole = b"".join(block.raw + b"\n\n" for block in stream.seen if not block.is_comment)
    assert events(client, run_of(stream)) == whole


def test_ten_streams_are_alike(computer, client, script):
    made = [streamed(client, computer.body(division(script)))[0] for _ in range(10)]
    assert all(one == made[0] for one in made)


def test_the_run_says_what_was_executed(computer, client, script):
    _, _, stream = streamed(client, computer.body(division(script)))
    run = client.run(run_of(stream))
    assert (run["status"], run["finish_reason"], run["attempts"]) == ("completed", "stop", 2)
    assert run["usage"]["prompt_tokens"] == 2 * up.USAGE["prompt_tokens"]
    assert run["usage"]["completion_tokens"] == 2 * up.USAGE["completion_tokens"]
    assert [a["outcome"] for a in run["attempt_list"]] == ["completed", "completed"]
    execution, = run["executions"]
    assert (execution["language"], execution["outcome"]) == ("python", "ok")
    assert execution["bytes"] == len("1.4166666666666667\n") and execution["ms"] >= 0
    metrics = client.http.get("/metrics").text
    assert 'parley_executions_total{outcome="ok"}' in metrics


def test_a_plain_answer_has_the_same_messages(computer, client, script):
    steps = up.in_turn(up.reply(up.completion(message={
        "role": "assistant", "content": "Let me see.", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {
                "name": "execute", "arguments": '{"language":"python","code":"34 / 24"}'}}]},
        finish="tool_calls")), up.reply(up.completion("It is 1.42.")))
    model = script(steps)
    answer = client.post("/v1/chat", computer.body(model, stream=False)).ok().json
    assert answer["messages"] == [
        {**MESSAGE, "content": "Let me see."}, {**CODE, "content": "34 / 24"},
        {**CONSOLE, "format": "output", "content": "1.4166666666666667\n"},
        {**MESSAGE, "content": "It is 1.42."}]
    assert answer["finish_reason"] == "stop"
    assert answer["usage"]["prompt_tokens"] == 2 * up.USAGE["prompt_tokens"]
    run = client.run(answer["run"])
    assert [x["outcome"] for x in run["executions"]] == ["ok"]


def test_a_conversation_can_be_read_and_goes_on(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "x = 20 + 1")), up.stream("Done."),
                              cp.calls(("python", "2 * x")), up.stream("42.")))
    _, _, stream = streamed(client, computer.body(model))
    conversation = stream.headers["x-conversation-id"]
    chunks, _, _ = streamed(client, computer.body(model, content="Twice that?",
                                                  conversation=conversation))
    assert told(chunks) == [*coded("2 * x"), confirmation("2 * x"), *console(1, "42\n"), *said("42.")]
    messages = client.messages(conversation, "lmc")
    assert [(m["role"], m["type"], m["content"]) for m in messages] == [
        ("user", "message", "What's 34/24?"), ("assistant", "code", "x = 20 + 1"),
        ("computer", "console", ""), ("assistant", "message", "Done."),
        ("user", "message", "Twice that?"), ("assistant", "code", "2 * x"),
        ("computer", "console", "42\n"), ("assistant", "message", "42.")]
    shown = client.messages(conversation, "openai")
    assert [m["role"] for m in shown] == ["user", "assistant", "tool", "assistant"] * 2
    assert shown[1]["tool_calls"][0]["id"] == shown[2]["tool_call_id"]


def test_two_calls_of_one_answer_run_in_order(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "a = 1\na"), ("shell", "echo $((1 + 1))")),
                              up.stream("Both.")))
    chunks, _, _ = streamed(client, computer.body(model))
    shell = {**CODE, "format": "shell"}
    assert [c.get("content") for c in told(chunks) if c["type"] == "console" and
            c.get("format") == "output"] == ["1\n", "2\n"]
    assert [c["content"]["content"] for c in chunks if c["type"] == "confirmation"] == [
        "a = 1\na", "echo $((1 + 1))"]
    assert {**shell, "start": True} in chunks
    results = [m for m in model.exchanges[1].request.json["messages"] if m["role"] == "tool"]
    assert [(m["tool_call_id"], m["content"]) for m in results] == [("call_1", "1"), ("call_2", "2")]


def test_text_before_the_code(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "1"), before=["I will", " compute."]),
                              up.stream("One.")))
    chunks, _, _ = streamed(client, computer.body(model))
    assert told(chunks) == [*said("I will compute."), *coded("1"), confirmation("1"),
                            *console(1, "1\n"), *said("One.")]


def test_fenced_code_runs_where_the_request_says_so(computer, client, script):
    model = script(up.in_turn(
        up.stream("Look:\n", "```python\n6 * 7\n", "```\n", "It printed 41.\n", "More"),
        up.stream("It is 42.")))
    chunks, _, _ = streamed(client, computer.body(model, lmc={"code": "fence"}))
    assert told(chunks) == [*said("Look:"), *coded("6 * 7"), confirmation("6 * 7"),
                            *console(1, "42\n"), *said("It is 42.")]
    asked = model.exchanges[1].request.json
    assert "tools" not in asked and "6 * 7" in asked["messages"][-2]["content"]
    assert "42" in asked["messages"][-1]["content"]


def test_an_open_fence_is_not_executed(computer, client, script):
    model = script(*up.stream("```python\n6 * 7\n"))
    chunks, status, _ = streamed(client, computer.body(model, lmc={"code": "fence"}))
    assert told(chunks) == coded("6 * 7") and len(model.exchanges) == 1


def test_code_that_was_cut_is_not_executed(computer, client, script):
    model = script(*cp.calls(("python", "6 * 7"), finish="length"))
    chunks, status, _ = streamed(client, computer.body(model))
    assert told(chunks) == coded("6 * 7") and status["finish_reason"] == "length"


def test_a_clients_own_function_is_the_clients(computer, client, script):
    call = {"index": 0, "id": "call_9", "type": "function",
            "function": {"name": "weather", "arguments": "{}"}}
    model = script(up.sse(), up.role(), up.data(up.chunk({"tool_calls": [call]})),
                   *up.ending("tool_calls"))
    body = computer.body(model)
    body["config"]["tools"] = [{"type": "function", "function": {"name": "weather"}}]
    chunks, _, _ = streamed(client, body)
    assert [c["type"] for c in told(chunks)] == ["tool_call"] * 3
    names = [t["function"]["name"] for t in model.exchanges[0].request.json["tools"]]
    assert names == ["weather", "execute"]


def test_html_is_shown(computer, client, script):
    model = script(up.in_turn(cp.calls(("html", "<b>hi</b>")), up.stream("There.")))
    chunks, _, _ = streamed(client, computer.body(model))
    html = {"role": "computer", "type": "code", "format": "html"}
    assert {**html, "content": "<b>hi</b>", "recipient": "user"} in chunks
    result = model.exchanges[1].request.json["messages"][-1]
    assert result["content"] == "Shown to the user." and result["role"] == "tool"


def test_images_and_files(computer, client, script):
    code = ("class P:\n    def _repr_png_(self):\n        return b'\\x89PNG\\r\\n\\x1a\\n' + bytes(9)\n"
            "open('made.txt', 'w').write('x')\nP()")
    model = script(up.in_turn(cp.calls(("python", code)), up.stream("Made.")))
    chunks, _, stream = streamed(client, computer.body(model))
    image = {"role": "computer", "type": "image", "format": "base64.png"}
    assert [c for c in chunks if c["type"] == "image"] == [
        {**image, "start": True}, {**image, "content": "iVBORw0KGgoAAAAAAAAAAAA="},
        {**image, "end": True}]
    assert {"role": "computer", "type": "file", "format": "path", "content": "made.txt",
            "recipient": "user"} in chunks
    asked = json.dumps(model.exchanges[1].request.json["messages"])
    assert "iVBORw0KGgo" in asked and "made.txt" not in asked.replace("open('made.txt'", "")


def test_images_do_not_move_outputs_to_other_calls(computer, client, script):
    code = ("class P:\n    def _repr_png_(self):\n        return b'\\x89PNG\\r\\n\\x1a\\n' + bytes(9)\n"
            "print('before')\nopen('made', 'w').write('x')\nP()")
    model = script(up.in_turn(cp.calls(("python", code), ("shell", "echo second"), ("shell", "echo third")),
                              up.stream("Made.")))
    _, _, stream = streamed(client, computer.body(model))
    results = [m["content"] for m in model.exchanges[1].request.json["messages"] if m["role"] == "tool"]
    assert [r.replace("\n", " ") for r in results] == ["before", "second", "third"]


def test_a_model_is_sent_the_ends_of_a_long_output(computer, client, script):
    code = "print('a' * 2000 + 'b' * 5000 + 'é' * 5995)\nprint('first\\rlast')"
    model = script(up.in_turn(cp.calls(("python", code)), up.stream("Long.")))
    _, _, stream = streamed(client, computer.body(model))
    sent = model.exchanges[1].request.json["messages"][-1]["content"]
    assert sent == "a" * 2000 + "\n[5001 characters left out]\n" + "é" * 5994 + "\nlast"
    kept = client.messages(stream.headers["x-conversation-id"], "lmc")[2]["content"]
    assert kept == "a" * 2000 + "b" * 5000 + "é" * 5995 + "\nfirst\rlast\n"


def test_an_error_of_the_code_is_output(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "1 / 0")), up.stream("Oh.")))
    chunks, status, stream = streamed(client, computer.body(model))
    assert "ZeroDivisionError" in "".join(
        c["content"] for c in chunks if c.get("format") == "output" and "content" in c)
    assert "finish_reason" not in status
    assert client.run(run_of(stream))["executions"][0]["outcome"] == "error"


def test_an_unknown_language_is_output_once(computer, client, script):
    model = script(*cp.calls(("cobol", "DISPLAY 1")))
    chunks, _, stream = streamed(client, computer.body(model))
    outputs = [c["content"] for c in chunks if c.get("format") == "output" and "content" in c]
    assert len(outputs) == 1 and outputs[0].startswith("`cobol` disabled or not supported; there are: ")
    assert len(model.exchanges) == 2 and "executions" not in client.run(run_of(stream))


def test_steps_have_a_limit(computer, client, script):
    model = script(*cp.calls(("python", "1")))
    chunks, status, stream = streamed(client, computer.body(
        model, {"confirm": "never", "max_steps": 3}))
    assert status["finish_reason"] == "max_steps" and len(model.exchanges) == 3
    run = client.run(run_of(stream))
    assert (run["finish_reason"], len(run["executions"])) == ("max_steps", 3)
    more, status, _ = streamed(client, {"config": {"model": model.model, "computer": {
        "confirm": "never", "max_steps": 1}}, "format": "lmc", "stream": True},
        f"/v1/runs/{run_of(stream)}/continue")
    assert told(more) == [*coded("1"), confirmation("1"), *console(1, "1\n")]
    assert "broke off" not in json.dumps(model.exchanges[3].request.json)


def test_other_words_for_a_language(computer, client, script):
    model = script(up.in_turn(cp.calls(("py", "1")), up.stream("One.")))
    chunks, _, stream = streamed(client, computer.body(model))
    assert {**CONSOLE, "format": "output", "content": "1\n"} in chunks
    assert client.run(run_of(stream))["executions"][0]["language"] == "python"


def test_languages_of_the_request(computer, client, script):
    model = script(up.in_turn(cp.calls(("shell", "echo 1")), up.stream("No.")))
    computing = {"confirm": "never", "languages": ["python"]}
    chunks, _, _ = streamed(client, computer.body(model, computing))
    assert "there are: python\n" in [c["content"] for c in chunks
                                     if c.get("format") == "output" and "content" in c][0]
    function = model.exchanges[0].request.json["tools"][0]["function"]
    assert function["parameters"]["properties"]["language"]["enum"] == ["python"]


def test_an_unstored_run_executes_too(computer, client, script):
    chunks, _, stream = streamed(client, computer.body(division(script), store=False))
    assert told(chunks) == [*coded(), confirmation(), *RAN, *said()]
    client.get(f"/v1/runs/{run_of(stream)}").error(404, "not_found")


def test_a_failing_provider_keeps_the_steps_before(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "34 / 24")), up.reply({"error": {
        "message": "no"}}, status=500)))
    chunks, _, stream = streamed(client, computer.body(model))
    assert told(chunks[:-1]) == [*coded(), confirmation(), *RAN] and chunks[-1]["type"] == "error"
    run = client.run(run_of(stream))
    assert run["status"] == "incomplete" and len(run["executions"]) == 1
    messages = client.messages(stream.headers["x-conversation-id"], "lmc")
    assert [m["type"] for m in messages] == ["message", "code", "console"]


def test_each_call_has_its_own_attempts(start, runner, upstream, script):
    providers = [fixtures.provider(upstream, "local", retries=1)]
    computer = cp.Computer(start, runner, providers=providers, models=[
        {"name": "echo", "provider": "echo"}, {"name": "t/*", "provider": "local"}])
    refused = up.reply({"error": {"message": "busy"}}, status=503)
    model = script(up.in_turn(refused, cp.calls(("python", "34 / 24")), refused, up.stream(*ANSWER)))
    chunks, _, stream = streamed(computer.client, computer.body(model))
    assert told(chunks) == [*coded(), confirmation(), *RAN, *said()]
    run = computer.client.run(run_of(stream))
    assert [a["outcome"] for a in run["attempt_list"]] == ["failed", "completed", "failed", "completed"]
    assert events(computer.client, run["id"]) == b"".join(
        block.raw + b"\n\n" for block in stream.seen if not block.is_comment)


def test_cancel_stops_the_code(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "print('go')\nimport time\ntime.sleep(600)")),
                              up.stream("No.")))
    with client.stream("/v1/chat", computer.body(model)) as stream:
        for block in stream.check_head():
            if not block.is_comment and block.json.get("content") == "go\n":
                break
        client.post(f"/v1/runs/{run_of(stream)}/cancel").ok()
        rest, _ = cp.blocks(stream)
    run = client.run(run_of(stream))
    assert (run["status"], run["executions"][0]["outcome"]) == ("cancelled", "interrupted")
    assert [c["content"] for c in rest if c.get("format") == "output"] == ["[interrupted]\n"]
    assert len(model.exchanges) == 1


def budgeted(computer, tokens):
    made = keys.known(computer.gateway, keys.make(computer.gateway, "--name", "poor", "--scopes", cp.ALL,
                                                  "--budget-tokens", str(tokens)))
    return Client(computer.gateway.url, keys.bearer(made["key"]))


def test_each_call_has_a_reservation_of_its_own(computer, script):
    model = script(up.in_turn(cp.calls(("python", "1")), cp.calls(("python", "2")), up.stream("Done.")))
    body = computer.body(model)
    body["config"]["max_tokens"] = 50
    with budgeted(computer, 100000) as poor:
        _, _, stream = streamed(poor, body)

        def spent():
            found = poor.get("/v1/usage").ok().json["budget"]["tokens"]
            return found["reserved"] == 0 and found["spent"]
        once = up.USAGE["prompt_tokens"] + up.USAGE["completion_tokens"]
        assert wait_until(spent, "the end of the reservation") == 3 * once
        assert poor.run(run_of(stream))["usage"]["total_tokens"] == 3 * once


def test_a_budget_may_end_a_run_between_two_calls(computer, script):
    model = script(up.in_turn(cp.calls(("python", "print('x' * 7000)")), up.stream("Never.")))
    body = computer.body(model)
    body["config"]["max_tokens"] = 50
    with budgeted(computer, 3000) as poor:
        chunks, _, stream = streamed(poor, body)
        assert chunks[-1]["content"]["code"] == "insufficient_quota" and len(model.exchanges) == 1
        run = poor.run(run_of(stream))
        assert run["status"] == "incomplete" and run["executions"][0]["outcome"] == "ok"
        wait_until(lambda: poor.get("/v1/usage").ok().json["budget"]["tokens"]["reserved"] == 0,
                   "the end of the reservation")


# --- approvals ---


def waits(computer, client, model, **more):
    """The run that waits for an approval, and the answer to it."""
    chunks, status, stream = streamed(client, computer.body(model, {"confirm": "ask"}, **more))
    assert status["finish_reason"] == "confirmation"
    return chunks, stream


def approve(client, run, approves=True, **more):
    body = {"approve": approves, "stream": True, **more}
    return streamed(client, body, f"/v1/runs/{run}/approve")


def test_an_approval_runs_the_code(computer, client, script):
    model = division(script)
    chunks, stream = waits(computer, client, model)
    assert told(chunks) == [*coded(), confirmation()]
    run = client.run(run_of(stream))
    assert (run["status"], run["finish_reason"]) == ("completed", "confirmation")
    assert "executions" not in run
    more, status, second = approve(client, run["id"])
    assert told(more) == [*RAN, *said()] and "finish_reason" not in status
    whole = b"".join(block.raw + b"\n\n" for block in second.seen if not block.is_comment)
    assert events(client, run_of(second)) == whole
    run = client.run(run_of(second))
    assert run["continues"] == run_of(stream) and len(run["executions"]) == 1
    call, result = model.exchanges[1].request.json["messages"][-2:]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"] == "call_1"
    assert result["content"] == "1.4166666666666667"


def test_a_plain_approval(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "34 / 24")), up.reply(up.completion("1.42"))))
    _, stream = waits(computer, client, model)
    answer = client.post(f"/v1/runs/{run_of(stream)}/approve", {"approve": True}).ok().json
    assert answer["messages"] == [{**CONSOLE, "format": "output", "content": "1.4166666666666667\n"},
                                  {**MESSAGE, "content": "1.42"}]


def test_a_refusal_is_told_to_the_model(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "34 / 24")), up.stream("Well.")))
    _, stream = waits(computer, client, model)
    chunks, _, second = approve(client, run_of(stream), False, reason="not today")
    refusal = "The user did not allow this code: not today"
    assert told(chunks) == [*console(refusal), *said("Well.")]
    assert model.exchanges[1].request.json["messages"][-1]["content"] == refusal
    assert "executions" not in client.run(run_of(second))


def test_an_approval_holds_for_one_execution(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "1"), ("python", "2")), up.stream("Both.")))
    chunks, stream = waits(computer, client, model)
    assert [c for c in chunks if c["type"] == "confirmation"] == [confirmation("1")]
    chunks, status, second = approve(client, run_of(stream))
    assert told(chunks) == [*console(1, "1\n"), confirmation("2")]
    assert status["finish_reason"] == "confirmation" and len(model.exchanges) == 1
    chunks, status, _ = approve(client, run_of(second))
    assert told(chunks) == [*console(1, "2\n"), *said("Both.")]
    results = [m["content"] for m in model.exchanges[1].request.json["messages"] if m["role"] == "tool"]
    assert results == ["1", "2"]


def test_a_second_approval_is_refused(computer, client, script):
    _, stream = waits(computer, client, division(script))
    path = f"/v1/runs/{run_of(stream)}/approve"
    approve(client, run_of(stream))
    client.post(path, {"approve": True}).error(409, "not_continuable")


def test_of_two_approvals_at_once_one_wins(computer, client, script):
    for _ in range(5):
        model = script(up.in_turn(cp.calls(("python", "n = open('n', 'a').write('x')\nlen(open('n').read())")),
                                  up.reply(up.completion("Done."))))
        _, stream = waits(computer, client, model)
        path = f"/v1/runs/{run_of(stream)}/approve"
        answers = []

        def ask():
            with Client(computer.gateway.url, keys.bearer(computer.key["key"])) as own:
                answers.append(own.post(path, {"approve": True, "format": "lmc", "stream": False}))
        threads = [threading.Thread(target=ask) for _ in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert sorted(a.status for a in answers) == [200, 409], answers
        won = next(a for a in answers if a.status == 200).json
        assert won["messages"][0]["content"] == "1\n"


def test_an_approval_with_an_idempotency_key_runs_once(computer, client, script):
    model = division(script)
    _, stream = waits(computer, client, model)
    path = f"/v1/runs/{run_of(stream)}/approve"
    made = []
    for _ in range(2):
        with client.stream(path, {"approve": True, "stream": True},
                           headers={"Idempotency-Key": "once" + run_of(stream)}) as again:
            made.append([b.raw for b in again.check_head() if not b.is_comment])
    assert made[0] == made[1] and len(model.exchanges) == 2


def test_code_that_nobody_approved_was_not_executed(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "34 / 24")), up.reply(up.completion("Never mind."))))
    _, stream = waits(computer, client, model)
    client.chat("Forget it.", model=model.model, conversation=stream.headers["x-conversation-id"]).ok()
    messages = model.exchanges[1].request.json["messages"]
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "user"]
    assert messages[2]["content"] == "This code was not executed."
    client.post(f"/v1/runs/{run_of(stream)}/approve", {"approve": True}).error(409, "not_continuable")


def test_what_does_not_wait_can_not_be_approved(computer, client, script):
    _, _, stream = streamed(client, computer.body(division(script)))
    path = f"/v1/runs/{run_of(stream)}/approve"
    client.post(path, {"approve": True}).error(409, "not_continuable")
    _, stream = waits(computer, client, division(script))
    path = f"/v1/runs/{run_of(stream)}/approve"
    client.post(path, {}).error(400, "missing_required_parameter", "approve")
    client.post(path, {"approve": True, "reason": "x"}).error(400, "invalid_value", "reason")
    client.post(path, {"approve": True, "format": "openai"}).error(
        400, "unsupported_parameter", "config.computer")
    client.post("/v1/runs/run_00064217c0a1f1119b1c4e7a2d8f3b61/approve",
                {"approve": True}).error(404, "not_found")


def test_a_continue_with_ask_asks_again(computer, client, script):
    model = division(script)
    _, stream = waits(computer, client, model)
    body = {"config": {"model": model.model, "computer": {}}, "format": "lmc", "stream": True}
    chunks, status, _ = streamed(client, body, f"/v1/runs/{run_of(stream)}/continue")
    assert told(chunks) == [confirmation()] and status["finish_reason"] == "confirmation"


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
    refused(400, "unsupported_parameter", "config.computer.files", computer={"files": "workspace"})
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


def test_an_approval_in_the_background(computer, client, script):
    _, stream = waits(computer, client, division(script))
    reply = client.post(f"/v1/runs/{run_of(stream)}/approve", {"approve": True, "background": True}).ok(202)
    run = reply.json["id"]
    wait_until(lambda: client.run(run)["status"] == "completed", "its end")
    chunks = [json.loads(line[6:]) for line in events(client, run).decode().splitlines()
              if line.startswith("data: ")]
    assert told(chunks[:-1]) == [*RAN, *said()]


def test_a_client_that_leaves_lets_the_code_run_on_or_not(computer, client, script):
    code = "print('go')\nimport time\ntime.sleep(0.5)\nprint('over')"
    for on_disconnect, status, text in (("finish", "completed", "go\nover\n"),
                                        ("cancel", "cancelled", "go\n[interrupted]\n")):
        model = script(up.in_turn(cp.calls(("python", code)), up.stream("Done.")))
        with client.stream("/v1/chat", computer.body(model, on_disconnect=on_disconnect)) as stream:
            for block in stream.check_head():
                if not block.is_comment and block.json.get("content") == "go\n":
                    break
        wait_until(lambda s=stream, w=status: client.run(run_of(s))["status"] == w, status)
        messages = client.messages(stream.headers["x-conversation-id"], "lmc")
        assert [m["content"] for m in messages if m["type"] == "console"] == [text]


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
    for name in ("none", "link", "..%2F..%2Fetc%2Fpasswd", "d"):
        client.get(f"{path}/files/{name}").error(404, "not_found")
    assert client.request("DELETE", path).ok().json["state"] == "none"
    wait_until(lambda: client.get(path).ok().json["state"] == "none", "the session's end")
    assert client.get(f"{path}/files").ok().json["data"] == []
    client.get(f"{path}/files/d").error(404, "not_found")


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


def test_the_client_among_the_examples(computer, client, script):
    """examples/computer.py asks before code runs."""
    model = script(up.in_turn(cp.calls(("python", "34 / 24")), up.stream("It is 1.42."),
                              cp.calls(("python", "1 / 0")), up.stream("As you like.")))
    program = gw.PROJECT / "examples" / "computer.py"
    done = subprocess.run([sys.executable, program, model.model], text=True, capture_output=True, timeout=60,
                          input="What is 34/24?\ny\nAnd 1/0?\nnever\n\n",
                          env={"PARLEY_URL": computer.gateway.url, "PARLEY_KEY": computer.key["key"]})
    assert done.returncode == 0, done.stderr
    assert "[code python]\n34 / 24\n" in done.stdout and "1.4166666666666667\n" in done.stdout
    assert "It is 1.42." in done.stdout and "The user did not allow this code: never" in done.stdout
    assert "As you like." in done.stdout and "ZeroDivisionError" not in done.stdout
