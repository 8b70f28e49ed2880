"""Images that models make: in both shapes, stored, read again, and sent back to who made them."""

import json

import pytest

import upstream as up
from client import Client
from fixtures import provider
from wires import Gemini

DATA = "iVBORw0KGgo="
PART = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}
GEMINI = Gemini()
INLINE = {"inlineData": {"mimeType": "image/png", "data": DATA}, "thoughtSignature": "QUJD"}


def gemini(streamed):
    if not streamed:
        return up.reply(GEMINI._response([{"text": "see"}, INLINE], "STOP"))
    return GEMINI._stream(GEMINI._response([{"text": "see"}]), GEMINI._response([INLINE]),
                          GEMINI._response([{"text": ""}], "STOP"))


def openrouter(streamed):
    if not streamed:
        return up.reply(up.completion(message={"role": "assistant", "content": "see",
                                               "images": [PART]}))
    return [up.sse(), up.role(), up.text("see"),
            up.data(up.chunk({"content": "", "images": [{**PART, "index": 0}]})),
            *up.ending(usage=False)]


WIRES = {"gemini": gemini, "openai": openrouter}


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    return start_once({
        "providers": [provider(upstream, name, dialect=name) for name in WIRES],
        "models": [{"name": f"{name}/*", "provider": name} for name in WIRES]})


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


def urls(images):
    return [part["image_url"]["url"] for part in images or []]


def images_of(chunks):
    return [url for c in chunks for choice in c["choices"]
            for url in urls(choice["delta"].get("images"))]


@pytest.mark.parametrize("name", WIRES)
def test_images_in_openais_shape(client, script, name):
    says = WIRES[name]
    message = client.complete(script(says(False)).under(name)).ok().json["choices"][0]["message"]
    assert message["content"] == "see" and urls(message["images"]) == urls([PART])
    with client.complete_stream(script(says(True)).under(name)) as answer:
        said = answer.openai()
    assert said.text == "see" and images_of(said.chunks) == urls([PART])


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("streamed", [True, False])
def test_images_are_stored_and_read_again(client, script, name, streamed):
    model = script(WIRES[name](streamed)).under(name)
    if streamed:
        with client.chat_stream("draw", model=model) as answer:
            said = answer.native()
        first = said.chunks[0]
        again = client.http.get(f"/v1/runs/{first['run']}/events").text
        chunks = [json.loads(line[6:]) for line in again.split("\n") if line.startswith("data: {")]
        assert images_of(chunks) == images_of(said.chunks) == urls([PART])
    else:
        first = client.chat("draw", model=model).ok().json
    stored = client.messages(first["conversation"])[-1]
    assert stored["content"] == "see" and urls(stored["images"]) == urls([PART])
    # The next turn tells the model what it drew.
    s = script(WIRES[name](False))
    client.chat("more blue", model=s.under(name), conversation=first["conversation"]).ok()
    if name == "gemini":
        assert s.request.json["contents"][1]["parts"] == [{"text": "see"}, INLINE]
    else:
        assert urls(s.request.json["messages"][1]["images"]) == urls([PART])


@pytest.mark.parametrize("name", WIRES)
def test_images_in_lmc(client, script, name):
    image = {"role": "assistant", "type": "image", "format": "base64.png", "content": DATA}
    answer = client.chat("draw", model=script(WIRES[name](False)).under(name),
                         format="lmc").ok().json
    assert answer["messages"] == [
        {"role": "assistant", "type": "message", "content": "see"}, image]
    assert not answer.get("warnings")
    with client.chat_stream("draw", model=script(WIRES[name](True)).under(name),
                            format="lmc") as answer:
        said = answer.lmc()
    assert said.messages[1:] == [image] and said.messages[0]["content"] == "see"
    # A client of that shape sends it back as it got it.
    s = script(WIRES[name](False))
    client.chat("draw", *said.messages, "more", model=s.under(name)).ok()
    assert json.dumps(s.request.json).count(DATA) == 1


def test_sound_is_left_out(client, script):
    s = script(up.reply(GEMINI._response([{"text": "a"}, {"inlineData": {
        "mimeType": "audio/L16", "data": "QUJD"}}], "STOP")))
    answer = client.complete(s.under("gemini")).ok().json
    assert answer["choices"][0]["message"] == {"role": "assistant", "content": "a", "refusal": None}
