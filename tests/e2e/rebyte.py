"""Rebyte's API as tests use it: runs of agents, and transcripts with names in the place of ids."""

import json
import re
from urllib.parse import quote

from gateway import PROJECT

TRANSCRIPTS = json.loads((PROJECT / "tests/fixtures/rebyte/transcripts.json").read_text())
NOBODY = "0" * 15 + "1" * 17


def path(agent="echo", project="any"):
    return f"/api/sdk/p/{project}/a/{quote(agent, safe='')}/r"


def row(*messages):
    return [{"messages": [m if isinstance(m, dict) else {"role": "user", "content": m}
                          for m in messages]}]


def run(client, *messages, agent="echo", headers=None, **fields):
    body = {"inputs": row(*messages), **fields}
    return client.post(path(agent), body, headers=headers)


def events(client, *messages, agent="echo", **fields):
    """The events of a streamed run, each but the last an object."""
    with client.stream(path(agent), {"inputs": row(*messages), "stream": True, **fields}) as s:
        assert s.status == 200, s.reply()
        assert s.headers["content-type"].startswith("text/event-stream")
        list(s)
    return read_events(s)


def read_events(stream):
    found = []
    for block in stream.seen:
        if block.is_comment:
            continue
        assert set(block.fields) == {"data"}, block
        found.append(block.data if block.data == "[DONE]" else json.loads(block.data))
    return found


def text_of(found):
    return "".join(e["content"]["tokens"]["text"] for e in found[:-1] if e["type"] == "tokens")


def value_of(reply):
    result = reply.json["run"]["results"][0][0]
    assert result["error"] is None
    return result["value"]


def match(expected, actual, names, where="the answer"):
    """Whether an answer is as in a transcript; "$name" is bound where it stands first."""
    if isinstance(expected, str) and expected.startswith("$"):
        if expected == "$any":
            return
        if expected == "$time":
            assert isinstance(actual, int) and actual > 10**9, f"{where}: no time: {actual!r}"
        else:
            assert names.setdefault(expected, actual) == actual, f"{where}: another {expected}"
    elif isinstance(expected, dict):
        assert isinstance(actual, dict) and set(actual) == set(expected), f"{where}: {actual!r}"
        for key, value in expected.items():
            match(value, actual[key], names, f"{where}.{key}")
    elif isinstance(expected, list):
        assert isinstance(actual, list) and len(actual) == len(expected), f"{where}: {actual!r}"
        for n, value in enumerate(expected):
            match(value, actual[n], names, f"{where}[{n}]")
    else:
        assert actual == expected, f"{where}: {actual!r}"


def filled(text, names):
    return re.sub(r"\$[a-z]+", lambda m: quote(str(names[m[0]]), safe=""), text)


def filled_body(value, names):
    if isinstance(value, dict):
        return {k: filled_body(v, names) for k, v in value.items()}
    if isinstance(value, list):
        return [filled_body(v, names) for v in value]
    return names.get(value, value) if isinstance(value, str) else value


def play(client, transcript, names):
    """Sends the requests of a transcript, and compares the answers."""
    for step in transcript["steps"]:
        method, target = filled(step["send"], names).split(" ")
        body = filled_body(step.get("body"), names)
        if "events" in step:
            with client.stream(target, body) as stream:
                assert stream.status == step["status"], stream.reply()
                list(stream)
            match(step["events"], read_events(stream), names)
            continue
        reply = client.request(method, target, body)
        assert reply.status == step["status"], reply
        if "text" in step:
            assert reply.headers["content-type"] == "text/plain; charset=utf-8"
            assert reply.body.decode() == step["text"]
        else:
            match(step["answer"], reply.json, names)
