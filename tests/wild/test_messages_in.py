"""What clients of Anthropic's Messages API send to providers of other APIs."""

import pytest

from ask import WIRE


def use(id, name="ping", input=None):
    return {"type": "tool_use", "id": id, "name": name, "input": input or {}}


def result(id, content="ok"):
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def sent(wild, script, dialect, body, stream=False, family="messages"):
    """What the provider got for a request."""
    wire = WIRE[dialect]
    s = script(wire.say("ok") if stream else wire.whole("ok"))
    said = wild.post(family, dialect, s, body, stream)
    assert said.status == 200, said
    return s.request.json, said


# --- thinking (D8) ---


def thought(*blocks):
    return {"max_tokens": 50, "messages": [
        {"role": "user", "content": "weather?"},
        {"role": "assistant", "content": [*blocks, use("c1")]},
        {"role": "user", "content": [result("c1")]}],
        "tools": [{"name": "ping", "input_schema": {"type": "object", "properties": {}}}]}


def thinking(text, signature=""):
    return {"type": "thinking", "thinking": text, "signature": signature}


TEXT = {"type": "text", "text": "I ask."}
ASK = {"type": "thinking", "thinking": [{"type": "text", "text": "ask the tool"}]}


@pytest.mark.parametrize("blocks, content, reasoning", [
    ((thinking("ask the tool"),), None, "ask the tool"),
    ((thinking("ask the tool"), TEXT), "I ask.", "ask the tool"),
    ((thinking("one"), TEXT, thinking("say \"two\"")), "I ask.", "one\n\nsay \"two\""),
    ((thinking("of Claude", "c2lnbmVk"), TEXT), "I ask.", None),
    (({"type": "redacted_thinking", "data": "eA=="},), None, None),
])
@pytest.mark.parametrize("dialect", ["openai", "azure"])
def test_thinking_comes_back(wild, script, dialect, blocks, content, reasoning):
    body, said = sent(wild, script, dialect, thought(*blocks))
    message = body["messages"][1]
    assert (message["content"], message.get("reasoning_content")) == (content, reasoning)
    assert message["tool_calls"][0]["id"] == "c1" and not said.warnings


def test_thinking_without_a_call_comes_back(wild, script):
    body, _ = sent(wild, script, "openai", {"max_tokens": 9, "messages": [
        {"role": "user", "content": "a"}, {"role": "assistant", "content": [thinking("hm"), TEXT]},
        {"role": "user", "content": "b"}, {"role": "assistant", "content": [thinking("only thought")]},
        {"role": "user", "content": "c"}]})
    assert body["messages"][1] == {"role": "assistant", "content": "I ask.", "reasoning_content": "hm"}
    assert [m["content"] for m in body["messages"]] == ["a", "I ask.", "b", "c"]


@pytest.mark.parametrize("blocks, content", [
    ((thinking("ask the tool"),), [ASK]),
    ((thinking("ask the tool"), TEXT), [ASK, TEXT]),
    ((thinking("of Claude", "c2lnbmVk"), TEXT), "I ask."),
])
def test_thinking_in_mistrals_place(wild, script, blocks, content):
    body, _ = sent(wild, script, "mistral", thought(*blocks))
    assert body["messages"][1]["content"] == content


def test_thinking_in_ollamas_place(wild, script):
    body, _ = sent(wild, script, "ollama", thought(thinking("ask the tool"), TEXT))
    assert body["messages"][1]["thinking"] == "ask the tool"
    assert body["messages"][1]["content"] == "I ask."


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("content, there", [(None, [ASK]), ("I ask.", [ASK, TEXT]), ([TEXT], [ASK, TEXT]),
                                            ([ASK, TEXT], [ASK, TEXT])])
def test_reasoning_of_chat_in_mistrals_place(wild, script, name, content, there):
    call = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
    body, _ = sent(wild, script, "mistral", {"messages": [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": content, name: "ask the tool", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"}]}, family="chat")
    assert body["messages"][1]["content"] == there


# --- tools (D20) ---

EMPTY = {"type": "object", "properties": {}}
NESTED = {"type": "object", "required": None, "$schema": None, "properties": {
    "a": {"type": "object", "required": None, "default": None},
    "b": {"anyOf": [{"type": "string", "title": None}, {"type": "null", "const": None}]},
    "c": {"type": "array", "items": {"type": ["string", "null"], "enum": ["x", None], "format": None}},
    "required": {"type": "string"}}}
MENDED = {"type": "object", "properties": {
    "a": {"type": "object", "default": None},
    "b": {"anyOf": [{"type": "string"}, {"type": "null", "const": None}]},
    "c": {"type": "array", "items": {"type": ["string", "null"], "enum": ["x", None]}},
    "required": {"type": "string"}}}


@pytest.mark.parametrize("schema, there", [
    ({"type": "object"}, EMPTY),
    ({}, EMPTY),
    ({"type": "object", "properties": None, "required": None}, EMPTY),
    ({"properties": {"a": {}}}, {"properties": {"a": {}}, "type": "object"}),
    ({"type": "object", "properties": {}, "required": []}, {**EMPTY, "required": []}),
    ({"type": "object", "$defs": {"s": {"type": "string", "description": None}}, "properties": {"a": {"$ref": "#/$defs/s"}}},
     {"type": "object", "$defs": {"s": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/s"}}}),
    (NESTED, MENDED),
])
@pytest.mark.parametrize("dialect", ["openai", "azure", "mistral", "ollama", "openai-responses"])
def test_schemas_of_tools(wild, script, dialect, schema, there):
    body, said = sent(wild, script, dialect, {
        "max_tokens": 50, "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"name": "ping", "input_schema": schema}]})
    tool = body["tools"][0]
    assert tool.get("function", tool)["parameters"] == there and not said.warnings
