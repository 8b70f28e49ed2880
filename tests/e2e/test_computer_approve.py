"""Approvals: code waits until somebody allows it, for as long as it takes, and runs once."""

import json
import threading

import computer as cp
import keys
import upstream as up
from client import Client
from computer import (CONSOLE, MESSAGE, RAN, approve, client, coded, computer, confirmation,  # noqa: F401
                      console, division, events, module_runner, run_of, said, streamed, told, waits)
from runner import needs_sandbox
from waiting import wait_until

pytestmark = needs_sandbox


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
    refused = run_of(stream)
    chunks, _, second = approve(client, refused, False, reason="not today")
    refusal = "The user did not allow this code: not today"
    assert told(chunks) == [*console(refusal), *said("Well.")]
    assert model.exchanges[1].request.json["messages"][-1]["content"] == refusal
    assert "executions" not in client.run(run_of(second))
    _, stream = waits(computer, client, division(script))
    approve(client, run_of(stream))
    noted = [tuple(row) for row in computer.gateway.rows(
        "SELECT action, object FROM audit WHERE action LIKE 'code.%' ORDER BY id DESC")]
    assert noted[:2] == [("code.approve", run_of(stream)), ("code.refuse", refused)]


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


def test_a_run_that_waits_can_be_cancelled(computer, client, script):
    """It waits for nothing then: stored, streamed again, and for its key."""
    model = script(up.in_turn(cp.calls(("python", "34 / 24")), up.reply(up.completion("Well."))))
    body, key = computer.body(model, {"confirm": "ask"}), {"Idempotency-Key": "cancelled" + model.name}
    with client.stream("/v1/chat", body, headers=key) as first:
        blocks = [b for b in first.check_head() if not b.is_comment]
    run = run_of(first)
    for _ in range(2):
        told_run = client.post(f"/v1/runs/{run}/cancel").ok().json
        assert told_run["status"] == "cancelled" and told_run["finish_reason"] is None
        assert told_run["error"]["code"] == "cancelled" and told_run == client.run(run)
    with client.stream("/v1/chat", body, headers=key) as second:
        again = [b for b in second.check_head() if not b.is_comment]
    assert second.headers["idempotency-replayed"] == "true" and run_of(second) == run
    assert second.headers["x-should-retry"] == "false"
    assert events(client, run) == b"".join(b.raw + b"\n\n" for b in again)
    *pieces, _ = [b.raw for b in blocks]
    assert [b.raw for b in again][:len(pieces)] == pieces, "what was said stays"
    end = b"".join(b.raw for b in again[len(pieces):])
    assert b"cancelled" in end and b"confirmation" not in end
    for _ in range(2):
        client.post(f"/v1/runs/{run}/approve", {"approve": True}).error(409, "not_continuable")
    assert len(model.exchanges) == 1 and "executions" not in client.run(run)
    client.chat("Go on.", model=model.model, conversation=first.headers["x-conversation-id"]).ok()
    messages = model.exchanges[1].request.json["messages"]
    assert messages[2]["content"] == "This code was not executed."


def test_a_run_that_waits_no_more_is_not_cancelled(computer, client, script):
    _, stream = waits(computer, client, division(script))
    approve(client, run_of(stream))
    assert client.post(f"/v1/runs/{run_of(stream)}/cancel").ok().json["status"] == "completed"


def test_of_an_approval_and_a_cancel_at_once_one_wins(computer, client, script):
    for _ in range(10):
        model = script(up.in_turn(cp.calls(("python", "34 / 24")), up.reply(up.completion("1.42"))))
        _, stream = waits(computer, client, model)
        run, done = run_of(stream), {}

        def ask(what, body):
            with Client(computer.gateway.url, keys.bearer(computer.key["key"])) as own:
                done[what] = own.post(f"/v1/runs/{run}/{what}", body)
        threads = [threading.Thread(target=ask, args=each) for each in
                   (("approve", {"approve": True, "stream": False}), ("cancel", None))]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        cancelled = done["cancel"].ok().json["status"] == "cancelled"
        assert done["approve"].status == (409 if cancelled else 200), done
        assert client.run(run)["status"] == ("cancelled" if cancelled else "completed")
        assert len(model.exchanges) == (1 if cancelled else 2)


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


def test_what_a_continue_has_asked_again_can_be_approved(computer, client, script):
    model = cp.division(script)
    _, stream = cp.waits(computer, client, model)
    _, status, again = cp.streamed(client, {"format": "lmc", "stream": True,
                                            "config": {"computer": {"confirm": "ask"}}},
                                   f"/v1/runs/{cp.run_of(stream)}/continue")
    assert status["finish_reason"] == "confirmation"
    chunks, status, _ = cp.approve(client, cp.run_of(again))
    assert cp.told(chunks)[-3:] == cp.said() and "finish_reason" not in status


def test_a_language_that_is_not_allowed_is_not_asked_for(computer, client, script):
    model = script(up.in_turn(cp.calls(("shell", "echo no")), up.stream("I see.")))
    chunks, status, _ = cp.streamed(client, computer.body(model, {"confirm": "ask", "languages": ["python"]}))
    assert "confirmation" not in {c["type"] for c in chunks} and "finish_reason" not in status
    assert "disabled or not supported" in json.dumps(chunks)


def test_an_approval_in_the_background(computer, client, script):
    _, stream = waits(computer, client, division(script))
    reply = client.post(f"/v1/runs/{run_of(stream)}/approve", {"approve": True, "background": True}).ok(202)
    run = reply.json["id"]
    wait_until(lambda: client.run(run)["status"] == "completed", "its end")
    chunks = [json.loads(line[6:]) for line in events(client, run).decode().splitlines()
              if line.startswith("data: ")]
    assert told(chunks[:-1]) == [*RAN, *said()]
