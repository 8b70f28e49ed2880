"""What Mistral's API is sent, and servers that speak it."""

import pytest

from ask import FAMILIES, TOOL, WIRE

HI = {"role": "user", "content": "hi"}


def function(**f):
    return {"type": "function", "function": f}


def whole(wild, script, body, family="chat"):
    s = script(WIRE["mistral"].whole("ok"))
    return s, wild.post(family, "mistral", s, body)


@pytest.mark.parametrize("given, there", [
    (function(name="f"), function(name="f", parameters={"type": "object", "properties": {}})),
    (function(description="d", parameters=None, name="f"),
     function(description="d", name="f", parameters={"type": "object", "properties": {}})),
    (function(name="f", parameters=TOOL["parameters"], strict=True),
     function(name="f", parameters=TOOL["parameters"], strict=True)),
    (function(name="f", parameters={}), function(name="f", parameters={})),
])
def test_a_function_has_parameters(wild, script, given, there):  # R6
    s, said = whole(wild, script, {"messages": [HI], "tools": [given, function(**TOOL)]})
    assert said.status == 200 and s.request.json["tools"] == [there, function(**TOOL)]


@pytest.mark.parametrize("family", ["chat", "native"])
def test_a_custom_tool_is_refused_at_its_path(wild, script, family):
    tools = [function(**TOOL), {"type": "custom", "custom": {"name": "sh"}}]
    body = {"messages": [HI]}
    body |= {"tools": tools} if family == "chat" else {"config": {"tools": tools}}
    s, said = whole(wild, script, body, family)
    assert (said.status, said.error["param"]) == (400, "tools[1].type"), said


@pytest.mark.parametrize("family", FAMILIES)
def test_a_forced_call_in_openais_word(wild, script, family):
    s = script(WIRE["mistral"].whole_call("get_weather", "call12345", {}))
    said = wild.ask(family, "mistral", s, tools=[TOOL], choice="required")
    assert said.status == 200 and s.request.json["tool_choice"] == "required", said
