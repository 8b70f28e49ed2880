"""Clients that run tools: each request brings the provider all that was said and called before.

Clients send history back in several ways: whole, as references to items that the gateway keeps,
or as the id of the response before.  All are the same messages to the provider.
"""

import contextlib
import itertools
import json

import pytest

import upstream as up
from clients import CLIENTS
from fixtures import provider
from gateway import Gateway
from programs import Program
from said import seen
from wires import WIRES

PROMPT, MORE = "Tell me of the sun", "And of the moon?"
CALL = {"text": "it rises"}
SAID = ["Let me note it. ", "Noted. ", "Nothing new."]
# How often the provider is asked: those that are asked twice have no words for a further turn.
LOOPS = {"openai-python-3-responses": 3, "openai-node-responses-22": 3, "ai-openai-22": 3,
         "ai-responses-22": 3, "ai-anthropic-22": 3, "langchain-python": 3,
         "langchain-python-responses": 3, "langchain-python-anthropic": 3,
         "anthropic-python": 2, "anthropic-node-22": 2, "google-python": 3, "ai-google-22": 3}
# Results of Google's API are objects, which clients make of what a tool returns.
RESULTS = {"google-python": '{"result": "taken"}', "ai-google-22": '{"name":"note","content":"taken"}'}
# One for each API; the provider speaks every dialect.
EACH_API = ["langchain-python", "ai-responses-22", "openai-python-3-responses", "anthropic-python"]
# Clients of Messages, which return unread what the gateway has them carry.
CARRIERS = ["ai-anthropic-22", "langchain-python-anthropic", "anthropic-python", "anthropic-node-22"]
DETAILS = [{"type": "reasoning.text", "text": "Note it.", "signature": "EqQB+/8=", "format": "anthropic-claude-v1", "index": 0},
           {"type": "reasoning.encrypted", "data": "gAAA+/8=", "format": "openai-responses-v1", "index": 1}]
AGENTS = ["agents-22", "agents-responses-22", "agents-python"]


def turn(text, tool=None, arguments=CALL, id="call_a", details=None):
    """An answer with this text, and a call of this tool, to which reasoning_details led."""
    calls = [{"id": id, "type": "function",
              "function": {"name": tool, "arguments": json.dumps(arguments)}}] if tool else []
    ending = "tool_calls" if tool else "stop"
    more = {"reasoning_details": details} if details else {}

    def step(x):
        if x.request.json.get("stream"):
            deltas = [more] if more else []
            deltas += [{"content": text}] if text else []
            deltas += [{"tool_calls": [{"index": 0, **call}]} for call in calls]
            steps = [up.sse(), up.role(), *[up.data(up.chunk(d)) for d in deltas],
                     *up.ending(ending)]
        else:
            message = {"role": "assistant", "content": text or None, **more,
                       **({"tool_calls": calls} if calls else {})}
            steps = [up.reply(up.completion(message=message, finish=ending))]
        for inner in steps:
            inner(x)
    return up.call(step)


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def plain(messages):
    """What is alike whatever the client: role, text, and the calls."""
    return [(m["role"], text_of(m).strip(),
             [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"]))
              for c in m.get("tool_calls") or []]) for m in messages]


def turn_of(wire, text="", tool=None):
    """An answer in the words of a dialect: a text, or a call of this tool."""
    def step(x):
        streamed = up.streams(x.request)
        if tool:
            steps = wire.call(tool, "call_a", CALL) if streamed else [wire.whole_call(tool, "call_a", CALL)]
        else:
            steps = wire.say(text) if streamed else [wire.whole(text)]
        for inner in steps:
            inner(x)
    return up.call(step)


@contextlib.contextmanager
def talker(id, upstream, folder):
    """ask(steps, stream, dialect): what the client has heard, and the provider's requests."""
    client = next(c for c in CLIENTS if c.id == id)
    if client.lacks():
        pytest.skip(client.lacks())
    gateway = Gateway(folder, {
        "providers": [provider(upstream, w.dialect, dialect=w.dialect) for w in WIRES],
        "models": [{"name": f"{w.dialect}-*", "provider": w.dialect} for w in WIRES]}).start()
    program = Program(client, folder / "client.log")

    def ask(steps, stream, dialect="openai"):
        script = upstream.script(up.in_turn(*steps))
        try:
            result = program.ask(url=gateway.url + client.base, model=f"{dialect}-{script.name}",
                                 prompt=PROMPT, loop=MORE, stream=stream, tools=True).wait()
        finally:
            upstream.scripts.pop(script.name)
        assert result["error"] is None, (dialect, result)
        return result["text"], [x.request.json for x in script.exchanges]
    try:
        yield ask
    finally:
        program.close()
        gateway.stop()


def play(id, stream, upstream, folder, steps):
    with talker(id, upstream, folder) as ask:
        return ask(steps, stream)


streams = pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])


def each(ids):
    return pytest.mark.parametrize("id", [
        pytest.param(id, marks=pytest.mark.xdist_group(id)) for id in ids])


@streams
@each(LOOPS)
def test_a_tool_is_run_and_the_talk_goes_on(id, stream, upstream, tmp_path):
    text, asked = play(id, stream, upstream, tmp_path, [
        turn(SAID[0], "note"), turn(SAID[1]), turn(SAID[2])])
    assert text == "".join(SAID[:LOOPS[id]])
    history = [("user", PROMPT, []),
               ("assistant", SAID[0].strip(), [("call_a", "note", CALL)]), ("tool", RESULTS.get(id, "taken"), []),
               ("assistant", SAID[1].strip(), []), ("user", MORE, [])]
    assert [plain(a["messages"]) for a in asked] == \
        [history[:1], history[:3], history][:LOOPS[id]]


@streams
@each(CARRIERS)
def test_what_a_provider_signed_comes_back(id, stream, upstream, tmp_path):
    _, asked = play(id, stream, upstream, tmp_path, [
        turn(SAID[0], "note", details=DETAILS), turn(SAID[1]), turn(SAID[2])])
    assert [m.get("reasoning_details") for m in asked[1]["messages"] if m["role"] == "assistant"] == [DETAILS]


@each(EACH_API)
def test_every_dialect_is_brought_the_history(id, upstream, tmp_path):
    times = LOOPS[id]
    with talker(id, upstream, tmp_path) as ask:
        for wire, stream in itertools.product(WIRES, (False, True)):
            text, asked = ask([turn_of(wire, tool="note"), turn_of(wire, SAID[1]), turn_of(wire, SAID[2])],
                              stream, wire.dialect)
            assert text == "".join(SAID[1:times]) and len(asked) == times, wire.dialect
            last = seen(wire.dialect, asked[-1])
            if "thread" in asked[-1]:  # natively, the provider keeps what came before
                assert wire.dialect == "anthropic" and last.results == ["taken"], (wire.dialect, last)
                continue
            assert last.tools == ["note"] and last.calls == [("note", CALL)], (wire.dialect, last)
            assert len(last.results) == 1 and "taken" in last.results[0], (wire.dialect, last)
            assert last.texts_of("user") == [PROMPT, MORE][:times - 1], (wire.dialect, last)
            assert [t.strip() for t in last.texts_of("assistant") if t.strip()] == \
                [SAID[1].strip()][:times - 2], (wire.dialect, last)


@streams
@each(AGENTS)
def test_an_agent_hands_over_to_another(id, stream, upstream, tmp_path):
    text, asked = play(id, stream, upstream, tmp_path, [
        turn("", "transfer_to_able", {}), turn("", "note", id="call_b"), turn(SAID[1])])
    assert text == SAID[1]
    one, two, three = (plain(a["messages"]) for a in asked)
    assert one[-1] == ("user", PROMPT, []) and two[0] == ("system", "Be able.", [])
    assert [m[2] for m in two if m[2]] == [[("call_a", "transfer_to_able", {})]]
    assert three[:len(two)] == two
    assert three[len(two):] == [("assistant", "", [("call_b", "note", CALL)]),
                                ("tool", "taken", [])]
    assert [[t["function"]["name"] for t in a["tools"]] for a in asked] == \
        [["transfer_to_able"], ["note"], ["note"]]
