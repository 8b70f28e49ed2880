"""What Ollama's own API is sent."""

import pytest

from ask import FAMILIES, WIRE


@pytest.fixture(scope="module")
def cutting(make_wild):
    return make_wild({"ollama": {"truncate": True}})


@pytest.mark.parametrize("family", FAMILIES)
def test_a_long_prompt_is_not_cut(wild, cutting, script, family, stream):  # R4
    wire = WIRE["ollama"]
    for gateway, there in ((wild, False), (cutting, None)):
        s = script(wire.say("ok") if stream else wire.whole("ok"))
        said = gateway.ask(family, "ollama", s, stream)
        assert said.status == 200 and s.request.json.get("truncate") is there


@pytest.mark.parametrize("said", [True, False])
def test_the_client_may_say_so_itself(wild, cutting, script, said):
    for gateway in (wild, cutting):
        s = script(WIRE["ollama"].whole("ok"))
        answer = gateway.post("chat", "ollama", s, {
            "messages": [{"role": "user", "content": "hi"}], "truncate": said, "shift": False})
        assert answer.status == 200 and not answer.warnings
        assert (s.request.json["truncate"], s.request.json["shift"]) == (said, False)
