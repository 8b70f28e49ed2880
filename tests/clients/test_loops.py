"""Clients that run tools: each request brings the provider all that was said and called before.

Clients send history back in several ways: whole, as references to items that the gateway keeps,
or as the id of the response before.  All are the same messages to the provider.
"""

import json

import pytest

import upstream as up
from clients import CLIENTS
from gateway import Gateway
from programs import Program

PROMPT, MORE = "Tell me of the sun", "And of the moon?"
CALL = {"text": "it rises"}
SAID = ["Let me note it. ", "Noted. ", "Nothing new."]
# How often the provider is asked: those that are asked twice have no words for a further turn.
LOOPS = {"openai-python-3-responses": 3, "openai-node-responses-22": 3, "ai-openai-22": 3,
         "ai-responses-22": 3, "ai-anthropic-22": 3, "langchain-python": 3,
         "langchain-python-responses": 3, "langchain-python-anthropic": 3,
         "anthropic-python": 2, "anthropic-node-22": 2}
AGENTS = ["agents-22", "agents-responses-22", "agents-python"]


def turn(text, tool=None, arguments=CALL, id="call_a"):
    """An answer with this text, and a call of this tool."""
    calls = [{"id": id, "type": "function",
              "function": {"name": tool, "arguments": json.dumps(arguments)}}] if tool else []
    ending = "tool_calls" if tool else "stop"

    def step(x):
        if x.request.json.get("stream"):
            deltas = [{"content": text}] if text else []
            deltas += [{"tool_calls": [{"index": 0, **call}]} for call in calls]
            steps = [up.sse(), up.role(), *[up.data(up.chunk(d)) for d in deltas],
                     *up.ending(ending)]
        else:
            message = {"role": "assistant", "content": text or None,
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


def play(id, stream, upstream, folder, steps):
    """What the client has heard, and the provider's requests."""
    client = next(c for c in CLIENTS if c.id == id)
    if client.lacks():
        pytest.skip(client.lacks())
    script = upstream.script(up.in_turn(*steps))
    gateway = Gateway(folder, {
        "providers": [{"name": "p", "dialect": "openai", "base_url": upstream.url}],
        "models": [{"name": "loop-*", "provider": "p"}]}).start()
    program = Program(client, folder / "client.log")
    try:
        result = program.ask(url=gateway.url + client.base, model=f"loop-{script.name}",
                             prompt=PROMPT, loop=MORE, stream=stream, tools=True).wait()
    finally:
        program.close()
        gateway.stop()
        upstream.scripts.pop(script.name)
    assert result["error"] is None, result
    return result["text"], [x.request.json for x in script.exchanges]


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
               ("assistant", SAID[0].strip(), [("call_a", "note", CALL)]), ("tool", "taken", []),
               ("assistant", SAID[1].strip(), []), ("user", MORE, [])]
    assert [plain(a["messages"]) for a in asked] == \
        [history[:1], history[:3], history][:LOOPS[id]]


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
