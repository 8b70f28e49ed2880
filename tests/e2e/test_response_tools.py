"""Tools of responses on every dialect: what the provider is asked, and the call that comes back."""

import json

import pytest

import responses as rs
from test_dialects import client, gateway, wire  # noqa: F401: fixtures

WEATHER = {"type": "function", "name": "get_weather", "description": "of a city", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}}}
TIME = {"type": "function", "name": "get_time", "parameters": {"type": "object", "properties": {}}}
CUSTOM = {"type": "custom", "name": "patch", "description": "applies a patch"}
TOOLS = [WEATHER, TIME, CUSTOM]
NAMES = [t["name"] for t in TOOLS]
ARGS = {"city": 'Köln "K"'}


def allowed(mode, *names):
    return {"type": "allowed_tools", "mode": mode, "tools": [
        {"type": "custom" if n == "patch" else "function", "name": n} for n in names]}


# The choice, the tools that are left, and the same in the words of OpenAI's chat: auto, none, required, or the
# name of a tool.
CHOICES = {
    "absent": (None, NAMES, None),
    "auto": ("auto", NAMES, "auto"),
    "none": ("none", NAMES, "none"),
    "required": ("required", NAMES, "required"),
    "function": ({"type": "function", "name": "get_time"}, NAMES, "get_time"),
    "custom": ({"type": "custom", "name": "patch"}, NAMES, "patch"),
    "allowed-auto": (allowed("auto", "get_weather"), ["get_weather"], "auto"),
    "allowed-required": (allowed("required", "get_time", "patch"), ["get_time", "patch"], "required"),
}
MODES = {"auto", "none", "required"}


def openai(sent):
    return [t["function"]["name"] for t in sent.get("tools", [])], sent.get("tool_choice")


def flat(sent):
    return [t["name"] for t in sent.get("tools", [])], sent.get("tool_choice")


def gemini(sent):
    declared = [f["name"] for t in sent.get("tools", []) for f in t["functionDeclarations"]]
    return declared, sent.get("toolConfig", {}).get("functionCallingConfig")


def interactions(sent):
    return [t["name"] for t in sent.get("tools", [])], sent.get("generation_config", {}).get("tool_choice")


def bedrock(sent):
    config = sent.get("toolConfig", {})
    return [t["toolSpec"]["name"] for t in config.get("tools", [])], config.get("toolChoice")


# How each dialect has the tools' names and the choice; the words of a choice that is no name; a name.
WORDS = {
    "openai": (openai, {}, lambda n: {"type": "function", "function": {"name": n}}),
    "mistral": (openai, {}, lambda n: {"type": "function", "function": {"name": n}}),
    "openai-responses": (flat, {}, None),
    "anthropic": (flat, {"auto": {"type": "auto"}, "none": {"type": "none"}, "required": {"type": "any"}},
                  lambda n: {"type": "tool", "name": n}),
    "gemini": (gemini, {"auto": {"mode": "AUTO"}, "none": {"mode": "NONE"}, "required": {"mode": "ANY"}},
               lambda n: {"mode": "ANY", "allowedFunctionNames": [n]}),
    "gemini-interactions": (interactions, {"required": "any"}, lambda n: {"allowed_tools": {"mode": "any", "tools": [n]}}),
    "bedrock": (bedrock, {"auto": {"auto": {}}, "required": {"any": {}}}, lambda n: {"tool": {"name": n}}),
    "ollama": (openai, {"auto": None, "required": None}, lambda n: None),  # its API has no choice
}
WORDS["azure"] = WORDS["openai"]


def respond(client, stream, **asked):
    """The response, whichever way it came."""
    if not stream:
        return rs.check(rs.create(client, **asked).ok().json)
    with rs.stream(client, **asked) as reply:
        return rs.check_events(rs.events_of(reply.check_head()))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("parallel", [None, False, True], ids=["", "one", "many"])
def test_each_choice_reaches_each_dialect(client, script, wire, stream, choice, parallel):
    given, names, want = CHOICES[choice]
    asked = {k: v for k, v in {"tool_choice": given, "parallel_tool_calls": parallel}.items() if v is not None}
    s = script(wire.call("get_weather", "call_1", ARGS) if stream
               else wire.whole_call("get_weather", "call_1", ARGS))
    found = respond(client, stream, model=s.under(wire.dialect), input="hi", store=False, tools=TOOLS, **asked)
    call, = [i for i in found["output"] if i["type"] != "reasoning"]  # which carries Gemini's signature
    assert (call["type"], call["name"], json.loads(call["arguments"])) == ("function_call", "get_weather", ARGS)
    read, words, named = WORDS[wire.dialect]
    sent = s.request.json
    got_names, got = read(sent)
    if wire.dialect == "openai-responses":
        assert (got_names, got, sent.get("parallel_tool_calls")) == (NAMES, given, parallel), "as the client sent it"
        return
    if wire.dialect in ("ollama", "bedrock") and want == "none":
        assert (got_names, got) == ([], None), "without tools there is no call"
        return
    assert got_names == names
    if wire.dialect == "anthropic" and parallel is False and want != "none":
        assert got.pop("disable_parallel_tool_use") is True
        want = want or "auto"
    assert got == (None if want is None else words.get(want, want) if want in MODES else named(want))
    if wire.dialect in ("openai", "azure", "mistral"):
        assert sent.get("parallel_tool_calls") == parallel


def test_without_tools_there_is_no_choice_either(client, script, wire):
    s = script(wire.whole("hello"))
    found = respond(client, False, model=s.under(wire.dialect), input="hi", store=False, tools=[],
                    tool_choice="auto", parallel_tool_calls=True)
    assert rs.text_of(found) == "hello"
    left = {"tools", "tool_choice", "toolConfig", "parallel_tool_calls"} & set(s.request.json)
    assert len(left) == (3 if wire.dialect == "openai-responses" else 0)  # the client's own words
