"""What Anthropic's API refuses, and clients send all the same: each request leaves in a form that the API takes,
or is refused at its path."""

import pytest

from ask import WIRE

pytestmark = pytest.mark.once

HI = [{"role": "user", "content": "hi"}]
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
          "additionalProperties": False}
FORMAT = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}
WEATHER = {"type": "function", "function": {"name": "w", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}}}}


def answers(script, dialect, stream=False, text="ok"):
    wire = WIRE[dialect]
    return script(wire.say(text) if stream else wire.whole(text))


@pytest.fixture
def claude(wild, script):
    """claude(body, …) -> (Said, what the provider was sent or None)."""
    def ask(body, family="chat", dialect="anthropic", stream=False, headers=None):
        s = answers(script, dialect, stream)
        said = wild.post(family, dialect, s, body, stream, headers)
        return said, s.request.json if said.status == 200 else None
    return ask


# --- D14: one object, though two say something of it ---

MEETING = [
    # dialect, what the client adds to a chat, what the provider gets, warnings
    ("anthropic", {"output_config": {"effort": "low"}, "response_format": FORMAT},
     {"output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}}, []),
    ("anthropic", {"output_config": {"effort": "low", "format": {"type": "x"}}, "response_format": FORMAT},
     {"output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}},
     ["parameter_dropped"]),
    ("anthropic", {"output_config": {"effort": "low"}}, {"output_config": {"effort": "low"}}, []),
    ("anthropic", {"stop_sequences": ["A"]}, {"stop_sequences": ["A"]}, []),
    ("anthropic", {"system": "be brief"}, {"system": "be brief"}, []),
    ("gemini", {"generationConfig": {"topK": 3, "max_output_tokens": 5}, "max_tokens": 9, "top_p": 0.5},
     {"generationConfig": {"topK": 3, "maxOutputTokens": 9, "topP": 0.5}}, ["parameter_dropped"]),
    ("ollama", {"options": {"num_ctx": 8, "num_predict": 3}, "max_tokens": 9},
     {"options": {"num_ctx": 8, "num_predict": 9}}, ["parameter_dropped"]),
    ("ollama", {"think": True, "reasoning_effort": "low"}, {"think": True}, ["parameter_dropped"]),
    ("ollama", {"format": "json", "response_format": FORMAT}, {"format": SCHEMA}, ["parameter_dropped"]),
    ("mistral", {"seed": 1, "random_seed": 2}, {"random_seed": 2}, ["parameter_dropped"]),
    ("openai-responses", {"text": {"verbosity": "low"}, "response_format": FORMAT},
     {"text": {"verbosity": "low", "format": {"type": "json_schema", "name": "s", "schema": SCHEMA}}}, []),
    ("openai-responses", {"text": {"verbosity": "low"}, "verbosity": "high"},
     {"text": {"verbosity": "low"}}, ["parameter_dropped"]),
    ("openai-responses", {"reasoning": {"summary": "auto"}, "reasoning_effort": "low"},
     {"reasoning": {"summary": "auto", "effort": "low"}}, []),
]


@pytest.mark.parametrize(("dialect", "given", "sent", "codes"), MEETING)
def test_two_that_speak_of_one_member_make_one(claude, dialect, given, sent, codes):
    said, body = claude({"messages": HI, **given}, dialect=dialect)
    assert said.status == 200, said
    assert {k: body.get(k) for k in sent} == sent
    assert said.codes == codes


@pytest.mark.parametrize(("dialect", "given", "path"), [
    ("anthropic", {"stop_sequences": ["A"], "stop": "B"}, "stop_sequences"),
    ("anthropic", {"system": "A", "messages": [{"role": "system", "content": "B"}, *HI]}, "system"),
    ("anthropic", {"output_format": {"type": "json_schema"}, "response_format": FORMAT}, "output_format"),
    ("anthropic", {"output_config": "low", "response_format": FORMAT}, "output_config"),
    ("gemini", {"generationConfig": [1]}, "generationConfig"),
    ("openai-responses", {"text": "low", "verbosity": "low"}, "text"),
])
def test_two_that_can_not_be_one_are_refused(claude, dialect, given, path):
    said, _ = claude({"messages": HI, **given}, dialect=dialect)
    assert (said.status, said.error["param"]) == (400, path), said
