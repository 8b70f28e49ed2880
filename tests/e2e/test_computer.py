"""The computer: the assistant's code runs, and its output streams back, as in docs/computer.md."""

import json

import pytest

import computer as cp
import sse
import upstream as up
from runner import needs_sandbox

pytestmark = needs_sandbox


@pytest.fixture(scope="module")
def runner():
    with cp.runner() as one:
        yield one


@pytest.fixture(scope="module")
def computer(start_once, runner):
    return cp.Computer(start_once, runner)


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
CONFIRMATION = {"role": "computer", "type": "confirmation", "format": "execution",
                "content": {"type": "code", "format": "python", "content": "34 / 24"}}
CODED = [{**CODE, "start": True}, {**CODE, "content": "34 / 24"}, {**CODE, "end": True}, CONFIRMATION]
RAN = [{**CONSOLE, "start": True},
       {**CONSOLE, "format": "active_line", "content": 1},
       {**CONSOLE, "format": "output", "content": "1.4166666666666667\n"},
       {**CONSOLE, "format": "active_line", "content": None},
       {**CONSOLE, "end": True}]
SAID = [{**MESSAGE, "start": True}, {**MESSAGE, "content": "".join(ANSWER)}, {**MESSAGE, "end": True}]


def test_a_stream_is_that_of_the_seeds(computer, script):
    model = division(script)
    with computer.client.stream("/v1/chat", computer.body(model)) as stream:
        chunks, status = cp.blocks(stream.check_head())
        assert told(chunks) == CODED + RAN + SAID
        assert status == {"role": "server", "type": "status", "content": "complete"}
        sse.lmc(stream.seen)
    asked = [x.request.json for x in model.exchanges]
    assert len(asked) == 2
    assert asked[0]["tools"][0]["function"]["name"] == "execute"
    assert asked[1]["messages"][-2]["tool_calls"][0]["id"] == "call_1"
    assert asked[1]["messages"][-1] == {"role": "tool", "tool_call_id": "call_1",
                                        "content": "1.4166666666666667\n"}
