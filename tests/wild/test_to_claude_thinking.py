"""What Claude is sent of the effort that a client of another API asks for, by what its models can do.

Sources: Anthropic's pages on thinking and on effort, its package's types of a request, and Amazon's user guide,
"Adaptive thinking"."""

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from pydantic import TypeAdapter

from ask import WIRE

HI = {"role": "user", "content": "hi"}
CLAMPED, DROPPED = ["parameter_clamped"], ["parameter_dropped"]
OFF = {"type": "disabled"}
MODELS = {d: {"reasons": True} for d in ("anthropic", "bedrock")}


def budget(n):
    return {"type": "enabled", "budget_tokens": n}


def adaptive(effort):
    return {"type": "adaptive", "display": "summarized"}, effort


@pytest.fixture(scope="module", params=["anthropic", "bedrock"])
def claude(request, make_wild, upstream):
    """claude(family, model, body): (thinking, effort, what the provider got), and what was said."""
    wild = make_wild(models=MODELS)
    dialect = request.param
    wire = WIRE[dialect]

    def ask(family, model, body, stream=False):
        name = model if dialect == "anthropic" else f"eu.anthropic.{model}"
        s = upstream.script(wire.say("ok") if stream else wire.whole("ok"), name=name)
        said = wild.post(family, dialect, f"{dialect}/{name}", body, stream)
        upstream.scripts.pop(name)
        got = s.request.json if s.exchanges else {}
        of = got.get("additionalModelRequestFields", {}) if dialect == "bedrock" else got
        if got and dialect == "anthropic":
            TypeAdapter(MessageCreateParamsNonStreaming).validate_python({k: v for k, v in got.items() if k != "stream"})
        return (of.get("thinking"), of.get("output_config", {}).get("effort"), got), said
    return ask


EFFORTS = [
    ("claude-opus-5", "low", *adaptive("low"), []),
    ("claude-opus-5", "minimal", *adaptive("low"), CLAMPED),
    ("claude-opus-5", "xhigh", *adaptive("xhigh"), []),
    ("claude-opus-5", "none", OFF, None, []),
    ("claude-opus-5-5", "none", None, None, CLAMPED),
    ("claude-fable-5-1", "none", None, None, CLAMPED),
    ("claude-fable-5-1", "max", *adaptive("max"), []),
    ("claude-sonnet-5", "high", *adaptive("high"), []),
    ("claude-opus-4-8", "none", None, None, []),
    ("claude-opus-4-7", "xhigh", *adaptive("xhigh"), []),
    ("claude-opus-4-6", "xhigh", *adaptive("high"), CLAMPED),
    ("claude-sonnet-4-6", "max", *adaptive("max"), []),
    ("claude-opus-4-5-20251101", "minimal", budget(1024), None, []),
    ("claude-sonnet-4-20250514", "low", budget(2048), None, []),
    ("claude-haiku-4-5", "medium", budget(8192), None, []),
    ("claude-3-7-sonnet-20250219", "high", budget(24576), None, []),
    ("claude-opus-4-1", "max", budget(32000), None, []),
]


@pytest.mark.parametrize("model, effort, thinking, level, codes", EFFORTS)
def test_efforts_that_a_model_has(claude, stream, model, effort, thinking, level, codes):
    (sent, asked, got), said = claude("chat", model, {"messages": [HI], "reasoning_effort": effort}, stream)
    assert said.status == 200, said
    assert (sent, asked, said.codes) == (thinking, level, codes)
    if thinking and "budget_tokens" in thinking:
        limit = got["max_tokens"] if "max_tokens" in got else got["inferenceConfig"]["maxTokens"]
        assert limit > thinking["budget_tokens"]


@pytest.mark.parametrize("family, body", [
    ("native", {"messages": ["hi"], "config": {"reasoning_effort": "high"}}),
    ("lmc", {"messages": ["hi"], "format": "lmc", "config": {"reasoning_effort": "high"}}),
    ("responses", {"input": "hi", "store": False, "reasoning": {"effort": "high"}}),
])
def test_each_family_says_how_much(claude, stream, family, body):
    (sent, asked, _), said = claude(family, "claude-opus-5", body, stream)
    assert said.status == 200, said
    assert (sent, asked) == adaptive("high") and said.codes == []


def test_a_format_stands_beside_an_effort(claude):
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
    (_, asked, got), said = claude("chat", "claude-opus-5", {
        "messages": [HI], "reasoning_effort": "low",
        "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": schema}}})
    assert said.status == 200 and asked == "low", said
    assert "json_schema" in (got.get("output_config", {}).get("format") or got["outputConfig"]["textFormat"])["type"]


@pytest.mark.parametrize("more, thinking, codes", [
    ({"thinking": budget(2000)}, budget(2000), DROPPED),  # the provider's own word counts
    ({"max_tokens": 1000}, None, DROPPED),  # no room
    ({"max_tokens": 2000}, budget(1999), CLAMPED),
    ({"temperature": 0.5}, budget(24576), DROPPED),  # thinking excludes it
])
def test_what_thinking_leaves_out(claude, more, thinking, codes):
    (sent, _, _), said = claude("chat", "claude-sonnet-4-5", {"messages": [HI], "reasoning_effort": "high", **more})
    assert said.status == 200 and (sent, said.codes) == (thinking, codes), said


@pytest.mark.parametrize("effort", ["huge", "\"", ""])
def test_an_unknown_effort_is_refused(claude, effort):
    _, said = claude("chat", "claude-opus-5", {"messages": [HI], "reasoning_effort": effort})
    assert (said.status, said.error["param"]) == (400, "reasoning_effort")


@pytest.mark.parametrize("effort, codes", [("high", DROPPED), ("none", [])])
def test_a_model_whose_entry_says_nothing_is_not_made_to_think(wild, script, effort, codes):
    s = script(WIRE["anthropic"].whole("ok"))
    said = wild.post("chat", "anthropic", s, {"messages": [HI], "reasoning_effort": effort})
    assert said.status == 200 and said.codes == codes
    assert "thinking" not in s.request.json and "output_config" not in s.request.json
