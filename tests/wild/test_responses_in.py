"""POST /v1/responses: what clients of OpenAI's newest packages send, to providers of every dialect."""

import pytest

from ask import TOOL, WIRE

pytestmark = pytest.mark.once

FUNCTION = {"type": "function", **TOOL}
TIME = {"type": "function", "name": "get_time", "parameters": {"type": "object", "properties": {}}}
CUSTOM = {"type": "custom", "name": "run_js", "description": "runs JavaScript"}


def text_of(dialect, stream):
    return WIRE[dialect].say("Hel", "lo") if stream else WIRE[dialect].whole("Hello")


# --- D1: the choice is a member of its own ---

# choice in the request, and what the provider is sent: auto, none, any, or the function's name
CHOICES = [
    ("auto", "auto"),
    ("none", "none"),
    ("required", "any"),
    ({"type": "function", "name": "get_weather"}, "get_weather"),
    ({"type": "custom", "name": "run_js"}, "run_js"),
    ({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "get_time"}]}, "auto"),
]
ONE = {"type": "function", "function": {"name": "NAME"}}
CHAT = {"auto": "auto", "none": "none", "any": "required", "one": ONE}
# what a dialect says for each; Ollama has no such member
WORDS = {
    "openai": ("tool_choice", CHAT),
    "azure": ("tool_choice", CHAT),
    "mistral": ("tool_choice", {**CHAT, "any": "any"}),
    "anthropic": ("tool_choice", {"auto": {"type": "auto"}, "none": {"type": "none"}, "any": {"type": "any"},
                                  "one": {"type": "tool", "name": "NAME"}}),
    "gemini": ("toolConfig", {k: {"functionCallingConfig": v} for k, v in {
        "auto": {"mode": "AUTO"}, "none": {"mode": "NONE"}, "any": {"mode": "ANY"},
        "one": {"mode": "ANY", "allowedFunctionNames": ["NAME"]}}.items()}),
}


def filled(value, name):
    if isinstance(value, dict):
        return {k: filled(v, name) for k, v in value.items()}
    if isinstance(value, list):
        return [filled(v, name) for v in value]
    return name if value == "NAME" else value


@pytest.mark.parametrize("choice, said", CHOICES, ids=["auto", "none", "required", "function", "custom", "allowed"])
def test_a_choice_reaches_every_provider(wild, script, dialect, stream, choice, said):
    s = script(text_of(dialect, stream))
    answer = wild.post("responses", dialect, s, {
        "input": "hi", "store": False, "tools": [FUNCTION, TIME, CUSTOM], "tool_choice": choice,
        "parallel_tool_calls": False}, stream)
    assert (answer.status, answer.text) == (200, "Hello"), answer.error
    sent = s.request.json
    if said != "none":  # some providers have no word for it, and are sent no tools
        assert sent["tools"]
    if dialect in WORDS:
        key, words = WORDS[dialect]
        got, want = sent.get(key), filled(words.get(said, words["one"]), said)
        if said == "none" and got is None:
            assert "tools" not in sent
        else:
            assert {k: got[k] for k in want} == want if isinstance(want, dict) else got == want, sent
