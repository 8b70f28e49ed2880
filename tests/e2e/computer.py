"""A gateway with a computer: a runner of the test's own, keys, and what models say to it."""

import contextlib
import json

import keys
import pytest

import sse
import upstream as up
from client import Client
from runner import Runner

ALL = "chat,read,files,execute"
NEVER = {"confirm": "never"}


def call(language, code, index=0, call_id="call_1"):
    """The steps of a call of `execute`, its arguments in pieces."""
    text = json.dumps({"language": language, "code": code})
    first = {"index": index, "id": call_id, "type": "function",
             "function": {"name": "execute", "arguments": ""}}
    steps = [up.data(up.chunk({"tool_calls": [first]}))]
    for at in range(0, len(text), 9):
        steps.append(up.data(up.chunk({"tool_calls": [
            {"index": index, "function": {"arguments": text[at:at + 9]}}]})))
    return steps


def calls(*codes, finish="tool_calls", before=()):
    """A whole stream that calls `execute` for each (language, code)."""
    steps = [up.sse(), up.role(), *[up.text(piece) for piece in before]]
    for index, (language, code) in enumerate(codes):
        steps += call(language, code, index, f"call_{index + 1}")
    return [*steps, *up.ending(finish)]


class Computer:
    """The gateway, its runner and a client whose key may execute."""

    def __init__(self, start, runner, key=None, **options):
        """key: one that the gateway's database has already."""
        self.runner = runner
        options = {"computer": f"unix:{runner.path}", "computer_auto": True, **options}
        self.gateway = start(usual=options)
        self.key = key or keys.make(self.gateway, "--name", "one", "--scopes", ALL)
        keys.known(self.gateway, self.key)
        self.client = Client(self.gateway.url, keys.bearer(self.key["key"]))

    def again(self):
        """A client, where the gateway was started again."""
        self.client.close()
        self.client = Client(self.gateway.url, keys.bearer(self.key["key"]))
        return self.client

    def body(self, model, computer=NEVER, content="What's 34/24?", **more):
        return {"messages": [content], "format": "lmc", "stream": True,
                "config": {"model": getattr(model, "model", model), "computer": computer}, **more}


@contextlib.contextmanager
def runner(*options, **more):
    one = Runner(*options, **more)
    try:
        yield one
    finally:
        one.stop()


def blocks(stream):
    """The chunks of a stream, the status apart."""
    chunks = [block.json for block in stream if not block.is_comment]
    assert chunks[-1]["role"] == "server", chunks[-3:]
    return chunks[:-1], chunks[-1]


# --- what is asked and told ---


ANSWER = ["The", " result", " is", " 1.42", "."]


def division(script):
    """A model that computes 34/24, and then says it."""
    return script(up.in_turn(calls(("python", "34 / 24")), up.stream(*ANSWER)))


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
        chunks, status = blocks(stream.check_head())
        sse.lmc(stream.seen)
        return chunks, status, stream


def run_of(stream):
    return stream.headers["x-run-id"]


def events(client, run):
    """The bytes of the run's events, read again."""
    with client.http.stream("GET", f"/v1/runs/{run}/events") as response:
        assert response.status_code == 200
        return b"".join(response.iter_raw())


def waits(computer, client, model, **more):
    """The run that waits for an approval, and the answer to it."""
    chunks, status, stream = streamed(client, computer.body(model, {"confirm": "ask"}, **more))
    assert status["finish_reason"] == "confirmation"
    return chunks, stream


def approve(client, run, approves=True, **more):
    body = {"approve": approves, "stream": True, **more}
    return streamed(client, body, f"/v1/runs/{run}/approve")


# --- fixtures, for the modules that import them ---


@pytest.fixture(scope="module", name="runner")
def module_runner():
    with runner() as one:
        yield one


@pytest.fixture(scope="module")
def computer(start_once, runner):
    return Computer(start_once, runner)


@pytest.fixture
def client(computer):
    return computer.client
