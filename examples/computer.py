#!/usr/bin/env python3
"""A terminal client that asks before code runs: examples/computer.py [MODEL]; needs nothing but Python.
PARLEY_URL (default http://127.0.0.1:8080) and PARLEY_KEY, a key with the scopes chat and execute."""

import json
import os
import sys
import urllib.error
import urllib.request

URL = os.environ.get("PARLEY_URL", "http://127.0.0.1:8080")
CONFIG = {"computer": {"confirm": "ask"}, **({"model": sys.argv[1]} if sys.argv[1:] else {})}


def post(path, body):
    """The chunks of the answer; the first one has the ids of the run and its conversation."""
    body = {"format": "lmc", "stream": True, "config": CONFIG, **body}
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), {
        "Content-Type": "application/json", "Authorization": f"Bearer {os.environ['PARLEY_KEY']}"})
    try:
        with urllib.request.urlopen(request) as answer:
            yield {"run": answer.headers["X-Run-Id"], "conversation": answer.headers["X-Conversation-Id"]}
            for line in answer:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
    except urllib.error.HTTPError as error:
        sys.exit(json.load(error)["error"]["message"])


def show(chunks):
    """Prints an answer; returns the ids, and whether code waits for an approval."""
    ids, waits = next(chunks), False
    for chunk in chunks:
        kind, content = chunk.get("type"), chunk.get("content")
        if chunk.get("start") and kind in ("code", "image", "file"):
            print(f"\n[{kind} {chunk.get('format', '')}]")
        elif chunk.get("end"):
            print()
        elif content is not None and kind in ("message", "code", "file") or chunk.get("format") == "output":
            print(content, end="", flush=True)
        elif kind == "error":
            print(f"\nerror: {content['message']}")
        elif kind == "status":
            waits = chunk.get("finish_reason") == "confirmation"
    return ids, waits


def main():
    conversation = {}
    while text := input("> ").strip():
        ids, waits = show(post("/v1/chat", {"messages": [text], **conversation}))
        while waits:
            word = input("Run this code? [y, or why not] ").strip()
            answer = {"approve": True} if word == "y" else {"approve": False, "reason": word or "no"}
            ids, waits = show(post(f"/v1/runs/{ids['run']}/approve", answer))
        conversation = {"conversation": ids["conversation"]}


if __name__ == "__main__":
    main()
