"""Every dialect and every kind of part: it reaches the provider, or is a 400 that names both."""

import base64

import pytest

import upstream as up
from client import Client
from fixtures import provider
from wires import WIRES, OpenAI

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(16)).decode()
WAV = base64.b64encode(b"RIFF\x24\0\0\0WAVEfmt " + bytes(24)).decode()
PDF = base64.b64encode(b"%PDF-1.4\n%%EOF\n").decode()
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "weather", "schema": CITY}}


def image(url):
    return {"type": "image_url", "image_url": {"url": url}}


# What a user's message or the request has, and how the provider's request shows it.
PARTS = {
    "image_url": (image("https://images.example/cat.png"), "images.example"),
    "image_data": (image(f"data:image/png;base64,{PNG}"), PNG),
    "audio": ({"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}}, WAV),
    "pdf": ({"type": "file", "file": {"filename": "a.pdf",
                                      "file_data": f"data:application/pdf;base64,{PDF}"}}, PDF),
    "file_id": ({"type": "file", "file": {"file_id": "file-of-theirs"}}, "file-of-theirs"),
    "video": ({"type": "video_url", "video_url": {"url": "https://v.example/a.mp4"}}, "v.example"),
}
MEMBERS = {
    "tool": ({"tools": [{"type": "function", "function": {"name": "weather",
                                                          "parameters": CITY}}]}, '"city"'),
    "custom_tool": ({"tools": [{"type": "custom", "custom": {"name": "weather"}}]}, "weather"),
    "json_object": ({"response_format": {"type": "json_object"}}, "json"),
    "json_schema": ({"response_format": SCHEMA}, '"city"'),
}
# What of these each dialect can't be told: where the culprit is.  All else is sent.
PART, MESSAGE = "messages[0].content[1]", "tools"
REFUSED = {
    "openai": {},
    "azure": {},
    "anthropic": {"audio": PART, "file_id": PART, "video": PART, "custom_tool": MESSAGE},
    "mistral": {"video": "messages[0].content", "custom_tool": "tools[0].type"},
    "gemini": {"file_id": PART, "video": PART, "custom_tool": MESSAGE},
    "gemini-interactions": {"file_id": PART, "video": PART, "custom_tool": MESSAGE},
    "bedrock": {"image_url": PART, "file_id": PART, "video": PART, "custom_tool": MESSAGE},
    "ollama": {"image_url": PART, "audio": PART, "pdf": PART, "file_id": PART, "video": PART,
               "custom_tool": MESSAGE},
    "openai-responses": {"audio": PART, "file_id": PART, "video": PART, "custom_tool": MESSAGE},
    "lmc": {"pdf": PART, "file_id": PART, "video": PART},
}
# What is left out with a warning instead.
DROPPED = {("anthropic", "json_object"), ("bedrock", "json_object")}


class Lmc:
    dialect = "lmc"


# A dialect that is OpenAI's with other parameters takes what OpenAI takes, unless it is named above.
WAYS = [w for w in [*WIRES, Lmc()] if w.dialect in REFUSED or isinstance(w, OpenAI)]


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    return start_once({
        "providers": [provider(upstream, f"my-{w.dialect}", dialect=w.dialect) for w in WAYS],
        "models": [{"name": f"{w.dialect}/*", "provider": f"my-{w.dialect}"} for w in WAYS],
    })


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


def test_every_dialect_is_here():
    assert {w.dialect for w in WIRES} <= {w.dialect for w in WAYS}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("part", [*PARTS, *MEMBERS])
@pytest.mark.parametrize("wire", WAYS, ids=lambda w: w.dialect)
def test_a_part_is_sent_or_refused(client, script, wire, part, stream):
    # Whatever is answered, only what was asked counts.
    s = script(up.reply({"error": {"message": "seen"}}, 422))
    text = {"type": "text", "text": "see"}
    value, shown = (PARTS | MEMBERS)[part]
    more = value if part in MEMBERS else {}
    content = [text] if part in MEMBERS else [text, value]
    reply = client.complete(s.under(wire.dialect), [{"role": "user", "content": content}],
                            stream=stream, **more)
    where = REFUSED.get(wire.dialect, {}).get(part)
    if where:
        error = reply.error(400, ("unsupported_parameter", "invalid_value"), where)
        assert f"'my-{wire.dialect}'" in error["message"]
        assert not s.exchanges
        return
    reply.error(422)
    sent = s.request.body.decode().replace("\\/", "/").replace('\\"', '"').replace(": ", ":")
    assert (shown in sent) != ((wire.dialect, part) in DROPPED)
