"""Names of functions that a provider refuses, as short ones, and back (D34)."""

import json
import re

import pytest

from ask import WIRE

LONG = "mcp__" + "a_server_with_a_name__" * 3 + "find"
TWIN = LONG + "_all"  # begins alike
DOTTED = "server.find"
BRIEF = re.compile(r"[a-zA-Z0-9_-]{1,64}")
PARAMETERS = {"type": "object", "properties": {"q": {"type": "string"}}}
OTHERS = ["openai", "azure", "mistral", "gemini", "ollama", "openai-responses"]
FAMILIES = ["messages", "responses", "native"]


def body(family, names, used=None, forced=None):
    """A question with tools of these names; used: one that was called before."""
    if family == "messages":
        turns = [{"role": "user", "content": "hi"}]
        if used:
            turns += [{"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": used, "input": {"q": "x"}}]},
                      {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]}]
        made = {"max_tokens": 50, "messages": turns, "tools": [{"name": n, "input_schema": PARAMETERS} for n in names]}
        return made | ({"tool_choice": {"type": "tool", "name": forced}} if forced else {})
    if family == "responses":
        items = [{"role": "user", "content": "hi"}]
        if used:
            items += [{"type": "function_call", "call_id": "c1", "name": used, "arguments": "{\"q\":\"x\"}"},
                      {"type": "function_call_output", "call_id": "c1", "output": "ok"}]
        made = {"input": items, "store": False,
                "tools": [{"type": "function", "name": n, "parameters": PARAMETERS} for n in names]}
        return made | ({"tool_choice": {"type": "function", "name": forced}} if forced else {})
    turns = [{"role": "user", "content": "hi"}]
    if used:
        turns += [{"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": used, "arguments": "{\"q\":\"x\"}"}}]},
                  {"role": "tool", "tool_call_id": "c1", "content": "ok"}]
    members = {"tools": [{"type": "function", "function": {"name": n, "parameters": PARAMETERS}} for n in names]}
    if forced:
        members["tool_choice"] = {"type": "function", "function": {"name": forced}}
    return {"messages": turns, **members} if family == "chat" else {"messages": turns, "config": members}


def declared(got):
    """The names that the provider was sent, in their order."""
    found = []
    for tool in got.get("tools", []):
        found += [f["name"] for f in tool.get("functionDeclarations", [tool.get("function", tool)])]
    return found


def answering(wire, name, stream):
    return wire.call(name, "call_1", {"q": "y"}) if stream else wire.whole_call(name, "call_1", {"q": "y"})


def briefs(wild, script, family, dialect, names):
    s = script(WIRE[dialect].whole("ok"))
    said = wild.post(family, dialect, s, body(family, names))
    assert said.status == 200, said
    return declared(s.request.json)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dialect", OTHERS)
def test_a_long_name_goes_and_comes_back(wild, script, family, dialect, stream):
    if (family, dialect) == ("responses", "openai-responses"):
        pytest.skip("goes in its client's own words")
    names = [LONG, "ping", TWIN] + ([DOTTED] if family == "native" else [])
    brief = briefs(wild, script, family, dialect, names)
    assert all(BRIEF.fullmatch(n) for n in brief), brief
    assert len(set(brief)) == len(names) and brief[1] == "ping"
    for full, short in zip(names, brief):
        s = script(answering(WIRE[dialect], short, stream))
        said = wild.post(family, dialect, s, body(family, names, used=full, forced=full), stream)
        assert said.status == 200 and said.error is None, said
        assert [(n, a) for _, n, a in said.calls] == [(full, {"q": "y"})], said
        got = json.dumps(s.request.json)
        assert declared(s.request.json) == brief
        assert full == short or (full not in got and got.count(f'"{short}"') >= 2), got
        if stream and family != "messages":
            assert short == full or short not in json.dumps(said.body), said.body


@pytest.mark.parametrize("dialect", OTHERS)
def test_a_name_of_the_history_alone(wild, script, dialect):
    s = script(WIRE[dialect].whole("ok"))
    said = wild.post("messages", dialect, s, body("messages", ["ping"], used=LONG))
    assert said.status == 200 and LONG not in json.dumps(s.request.json) and LONG[:40] in json.dumps(s.request.json)


def test_anthropic_takes_long_names(wild, script, stream):
    wire = WIRE["anthropic"]
    for family in FAMILIES:
        s = script(answering(wire, LONG, stream))
        said = wild.post(family, "anthropic", s, body(family, [LONG], forced=LONG), stream)
        assert declared(s.request.json) == [LONG] and [n for _, n, _ in said.calls] == [LONG]


@pytest.mark.parametrize("dialect", ["openai", "azure"])
def test_chat_completions_go_as_they_are(wild, script, dialect, stream):
    s = script(answering(WIRE[dialect], LONG, stream), allows={"tool-names tools.*": "the client's own words"})
    said = wild.post("chat", dialect, s, body("chat", [LONG], forced=LONG), stream)
    assert declared(s.request.json) == [LONG] and [n for _, n, _ in said.calls] == [LONG]


@pytest.mark.parametrize("dialect", ["mistral", "gemini", "openai-responses"])
def test_chat_completions_of_other_providers(wild, script, dialect, stream):
    brief, = briefs(wild, script, "chat", dialect, [LONG])
    s = script(answering(WIRE[dialect], brief, stream))
    said = wild.post("chat", dialect, s, body("chat", [LONG], used=LONG, forced=LONG), stream)
    assert [n for _, n, _ in said.calls] == [LONG] and LONG not in json.dumps(s.request.json)


def test_what_is_stored_has_the_clients_name(wild, script, stream):
    brief, = briefs(wild, script, "messages", "openai", [LONG])
    s = script(answering(WIRE["openai"], brief, stream))
    said = wild.post("messages", "openai", s, body("messages", [LONG], used=LONG), stream,
                     headers={"x-parley-store": "true"})
    assert [n for _, n, _ in said.calls] == [LONG]
    stored = json.dumps(wild.client.get(f"/v1/conversations/{said.headers['x-conversation-id']}/messages").ok().json)
    assert stored.count(LONG) >= 2 and brief not in stored


def test_arguments_and_texts_keep_what_looks_like_a_name(wild, script, stream):
    brief, = briefs(wild, script, "messages", "openai", [LONG])
    wire = WIRE["openai"]
    args = {"name": brief, "function": {"name": brief}}
    s = script(wire.call(brief, "call_1", args) if stream else wire.whole_call(brief, "call_1", args))
    said = wild.post("messages", "openai", s, body("messages", [LONG]), stream)
    assert [(n, a) for _, n, a in said.calls] == [(LONG, args)]
