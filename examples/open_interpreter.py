#!/usr/bin/env python3
"""Open Interpreter's own terminal, with Parley as its model and its computer: examples/open_interpreter.py [MODEL]
Needs `pip install open-interpreter`, and what examples/computer.py needs. Code is run as the model has written it."""

import itertools

import interpreter.core.core as core
from computer import post

conversation = {}


def respond(terminal):
    """Takes the place of the function that asks a model and runs code: chunks of LMC, without starts and ends."""
    said = list(itertools.takewhile(lambda message: message["role"] == "user", reversed(terminal.messages)))[::-1]
    path, body = "/v1/chat", {"messages": said, **conversation}
    while path:
        chunks = post(path, body)
        ids, path, question = next(chunks), None, None
        conversation["conversation"] = ids["conversation"]
        for chunk in chunks:
            if chunk["type"] == "error":
                raise RuntimeError(chunk["content"]["message"])
            if chunk["type"] == "confirmation":
                question = chunk  # is asked when the answer has ended
            elif chunk["type"] != "status" and "content" in chunk:
                yield chunk
        if question:
            yield question  # who says no ends this generator here
            path, body = f"/v1/runs/{ids['run']}/approve", {"approve": True}


core.respond = respond
if __name__ == "__main__":
    core.OpenInterpreter(offline=True, disable_telemetry=True).chat()
