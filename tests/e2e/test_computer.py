"""The computer: the assistant's code runs, and its output streams back, as in docs/computer.md."""

import json
import os
import subprocess
import sys
import tempfile

import pytest

import computer as cp
import fixtures
import gateway as gw
import keys
import upstream as up
from client import Client
from computer import (ANSWER, CODE, CONSOLE, MESSAGE, RAN, client, coded, computer,  # noqa: F401
                      confirmation, console, division, events, module_runner, run_of, said, streamed, told)
from runner import needs_sandbox
from waiting import wait_until

pytestmark = needs_sandbox


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


FENCED = "Look:\n```python\n6 * 7\n```\nIt printed 41.\n```python\nprint('twice')\n```\n"


@pytest.mark.parametrize("stream", [True, False])
def test_what_stands_behind_fenced_code_in_one_event_is_cut(computer, client, script, stream):
    first = up.stream(FENCED) if stream else [up.reply(up.completion(FENCED))]
    second = up.stream("It is 42.") if stream else [up.reply(up.completion("It is 42."))]
    model = script(up.in_turn(first, second))
    body = computer.body(model, lmc={"code": "fence"}, content=f"cut {stream}")
    if stream:
        chunks, _, answer = streamed(client, body)
        assert told(chunks) == [*said("Look:"), *coded("6 * 7"), confirmation("6 * 7"),
                                *console(1, "42\n"), *said("It is 42.")]
    else:
        answer = client.post("/v1/chat", {**body, "stream": False}).ok()
    stored = client.messages(answer.headers["x-conversation-id"], "lmc")
    assert [m["content"] for m in stored if m["type"] == "code"] == ["6 * 7"]
    # Ids and the model's name are random.
    assert "41" not in json.dumps([m["content"] for m in stored])
    assert "41" not in json.dumps({**model.exchanges[1].request.json, "model": ""})


def test_fences_of_other_languages_are_no_code_to_run(computer, client, script):
    model = script(*up.stream('```json\n{"a": 1}\n```\nand\n```yaml\na: 1\n```\n'))
    chunks, status, _ = streamed(client, computer.body(model, lmc={"code": "fence"}))
    assert {c["type"] for c in chunks} == {"message", "code"} and "finish_reason" not in status
    assert len(model.exchanges) == 1


def test_a_model_is_told_the_output_of_a_call_that_is_not_stored(computer, client, script):
    model = script(up.in_turn(cp.calls(("python", "6 * 7")), up.stream("It is 42.")))
    chunks, _, _ = streamed(client, computer.body(model, store=False))
    assert told(chunks)[-3:] == said("It is 42.") and len(model.exchanges) == 2
    assert "42" in model.exchanges[1].request.json["messages"][-1]["content"]


def test_each_html_is_a_step(computer, client, script):
    model = script(*cp.calls(("html", "<b>hi</b>")))
    _, status, _ = streamed(client, computer.body(model, {"confirm": "never", "max_steps": 2}))
    assert status["finish_reason"] == "max_steps" and len(model.exchanges) == 2


def test_the_reason_of_an_end_has_no_secrets(computer, client, script):
    model = script(up.sse(), up.role(), up.text("x"), *up.ending(f"stop {fixtures.UPSTREAM_KEY}"))
    _, status, stream = streamed(client, computer.body(model))
    assert status["finish_reason"] == "stop [key]"
    run = client.run(cp.run_of(stream))
    assert fixtures.UPSTREAM_KEY not in json.dumps(run)


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


def test_what_is_no_image_is_told_and_takes_no_output_along(computer, client, script):
    code = ("class P:\n    def __init__(self, b): self.b = b\n    def _repr_png_(self):\n        return self.b\n"
            "print('one')\nP(b'\\x89PNG')")
    jpeg = "print('two')\nP(b'\\xff\\xd8\\xff' + bytes(9))"
    model = script(up.in_turn(cp.calls(("python", code), ("python", jpeg)), up.stream("Made.")))
    chunks, _, _ = streamed(client, computer.body(model))
    assert [c["format"] for c in chunks if c["type"] == "image" and "content" in c] == ["base64.jpeg"]
    results = [m["content"] for m in model.exchanges[1].request.json["messages"] if m["role"] == "tool"]
    assert results[0].split("\n")[:2] == ["one", "[an image is left out: it is neither PNG nor JPEG]"]
    assert results[1].startswith("two")


def test_images_beyond_what_an_answer_holds_are_left_out(computer, client, script):
    code = ("class P:\n    def _repr_png_(self):\n        return b'\\x89PNG\\r\\n\\x1a\\n' + bytes(7_900_000)\nP()")
    model = script(up.in_turn(cp.calls(*[("python", code)] * 3), up.stream("Made.")))
    chunks, _, stream = streamed(client, computer.body(model))
    assert len([c for c in chunks if c["type"] == "image" and "content" in c]) == 2
    assert "[an image is left out: the answer has too many]\n" in [c.get("content") for c in chunks]
    assert client.run(run_of(stream))["status"] == "completed"


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
    assert [a["outcome"] for a in run["attempt_list"]] == ["completed", "failed"]
    model = script(up.reply(up.completion("Again.")))
    client.post(f"/v1/runs/{run['id']}/continue", {
        "config": {"model": model.model, "computer": cp.NEVER}, "format": "lmc"}).ok()
    assert model.exchanges[0].request.json["messages"][-1]["role"] == "tool"


def test_each_call_has_its_own_attempts(start, runner, upstream, script):
    providers = [fixtures.provider(upstream, "local", retries=1)]
    computer = cp.Computer(start, runner, providers=providers, models=[
        {"name": "echo", "provider": "echo"}, {"name": "t/*", "provider": "local"}])
    refused = up.reply({"error": {"message": "busy"}}, status=503)
    model = script(up.in_turn(refused, cp.calls(("python", "34 / 24")), refused, up.stream(*ANSWER)))
    chunks, _, stream = streamed(computer.client, computer.body(model))
    assert told(chunks) == [*coded(), confirmation(), *RAN, *said()]
    run = computer.client.run(run_of(stream))
    attempts = run["attempt_list"]
    assert [a["outcome"] for a in attempts] == ["failed", "completed", "failed", "completed"]
    assert [a["first_token_at_ms"] is not None for a in attempts] == [False, True, False, True]
    assert all(a["started_at_ms"] <= a["first_token_at_ms"] <= a["ended_at_ms"] for a in attempts[1::2])
    for kind in "prompt_tokens", "completion_tokens":
        assert run["usage"][kind] == sum(a["usage"][kind] for a in attempts[1::2])
        assert attempts[3]["usage"][kind] < run["usage"][kind]
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


def test_open_interpreters_terminal(computer, client, script):
    """examples/open_interpreter.py: Open Interpreter's own front end shows code and output, and asks in between."""
    python = os.environ.get("PARLEY_OPEN_INTERPRETER")
    if not python:
        pytest.skip("PARLEY_OPEN_INTERPRETER does not name a Python that has open-interpreter")
    model = script(up.in_turn(cp.calls(("python", "34 / 24"), before=["I compute."]), up.stream("It is 1.42."),
                              cp.calls(("python", "1 / 0")), up.stream("As you like.")))
    program = gw.PROJECT / "examples" / "open_interpreter.py"
    done = subprocess.run([python, program, model.model], text=True, capture_output=True, timeout=120,
                          input="What is 34/24?\ny\nAnd 1/0?\nn\nThen not.\n",
                          env={"PARLEY_URL": computer.gateway.url, "PARLEY_KEY": computer.key["key"],
                               "HOME": tempfile.mkdtemp(), "PATH": os.environ["PATH"], "COLUMNS": "100"})
    for text in ("I compute.", "34 / 24", "1.4166666666666667", "It is 1.42.", "1 / 0", "As you like."):
        assert text in done.stdout, (done.stdout, done.stderr[-3000:])
    assert done.stdout.count("Would you like to run this code?") == 2
    assert "ZeroDivisionError" not in done.stdout
    asked = [message.get("content") for message in model.exchanges[3].request.json["messages"]]
    assert asked[-2:] == ["I have declined to run this code.", "Then not."]
