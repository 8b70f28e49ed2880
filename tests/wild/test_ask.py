"""The harness itself: one question of every family, of every dialect, whole and streamed."""

import pytest

from ask import FAMILIES, TOOL, WIRE
from wires import USAGE


@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_with_its_usage(wild, script, family, dialect, stream):
    wire = WIRE[dialect]
    s = script(wire.say("Hel", "lo") if stream else wire.whole("Hello"))
    said = wild.ask(family, dialect, s, stream, text="hi", instruction="Be brief.")
    assert (said.status, said.error, said.text, said.calls) == (200, None, "Hello", [])
    if said.usage or family != "lmc" or not stream:
        assert (said.tokens_in, said.tokens_out) == USAGE
    assert (said.log["tokens_in"], said.log["tokens_out"]) == USAGE


@pytest.mark.parametrize("family", ["chat", "messages", "native"])
def test_a_call(wild, script, family, dialect, stream):
    wire = WIRE[dialect]
    args = {"city": "Oslo"}
    s = script(wire.call("get_weather", "call_1", args) if stream
               else wire.whole_call("get_weather", "call_1", args))
    said = wild.ask(family, dialect, s, stream, tools=[TOOL], choice="auto")
    assert said.status == 200 and ("tools" in s.request.json or "toolConfig" in s.request.json), said
    assert [(name, args) for _, name, args in said.calls] == [("get_weather", args)], said
