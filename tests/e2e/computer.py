"""A gateway with a computer: a runner of the test's own, keys, and what models say to it."""

import contextlib
import json

import keys
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

    def __init__(self, start, runner, **options):
        self.runner = runner
        options = {"computer": f"unix:{runner.path}", "computer_auto": True, **options}
        self.gateway = start(usual=options)
        self.key = keys.known(self.gateway, keys.make(self.gateway, "--name", "one", "--scopes", ALL))
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
