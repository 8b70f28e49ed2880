"""What Ollama's native dialect has of its own."""

import pytest

from client import Client
from fixtures import provider
from wires import Ollama

WIRE = Ollama()
BASES = {"plain": "", "slash": "/", "api": "/api", "api_slash": "/api/", "whole": "/api/chat"}


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    """NAME/MODEL asks the scripted server, whose address is written as in BASES."""
    return start_once({
        "providers": [provider(upstream, name, dialect="ollama", base_url=upstream.url + tail)
                      for name, tail in BASES.items()],
        "models": [{"name": f"{name}/*", "provider": name} for name in BASES]})


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


@pytest.mark.parametrize("base", BASES)
def test_the_address_may_be_written_in_several_ways(client, script, base):
    s = script(WIRE.whole("ok"))
    client.complete(s.under(base)).ok()
    assert s.request.target == WIRE.target
    # It needs no key, and without one nothing is sent as one.
    assert not [n for n, _ in s.request.headers if n.lower() == "authorization"]


def test_a_plain_call_is_not_streamed(client, script):
    s = script(WIRE.whole("ok"))
    client.complete(s.under("plain")).ok()
    assert s.request.json["stream"] is False


def test_reasoning_reaches_the_client(client, script):
    s = script(WIRE._stream(WIRE._part({"thinking": "hm"}), *WIRE._texts(["so"]),
                            WIRE._part(done="stop")))
    with client.complete_stream(s.under("plain"), reasoning_effort="low") as answer:
        said = answer.openai()
    thought = "".join(c["choices"][0]["delta"].get("reasoning_content") or ""
                      for c in said.chunks if c["choices"])
    assert (thought, said.text) == ("hm", "so") and s.request.json["think"] == "low"


def test_calls_have_ids_unlike_each_other(client, script):
    """Also where the server tells neither an id nor the time."""
    call = WIRE._call("weather", {"city": "Ulm"})["tool_calls"][0]
    answer = WIRE._part({"tool_calls": [call, call]}, "stop")
    del answer["created_at"]
    ids = []
    for _ in range(2):
        s = script(WIRE._stream(answer))
        with client.complete_stream(s.under("plain")) as stream:
            said = stream.openai()
        ids += [c["id"] for chunk in said.chunks for choice in chunk["choices"]
                for c in choice["delta"].get("tool_calls") or [] if c.get("id")]
        assert said.finishes == ["tool_calls"]
    assert len(ids) == 4 and len(set(ids)) == 4


def test_a_picture_by_address_is_refused(client, script):
    s = script(WIRE.whole("ok"))
    refused = client.complete(s.under("plain"), messages=[{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "https://pictures.example/a.png"}}]}]).error(400)
    assert refused["param"] == "messages[0].content[0]" and "ollama" in refused["message"]


def test_an_empty_text_has_a_vector(client, script):
    """Alone it only loads a model; in a list it is a text."""
    s = script(WIRE.vectors([0.5]))
    assert len(client.post("/v1/embeddings", {"model": s.under("plain"), "input": ""}).ok().json["data"]) == 1
    assert s.request.json["input"] == [""]
