"""What a request is taken to weigh before anybody has counted (D51)."""

import json

import pytest

import keys
from client import Client

LONG = "QUJD" * 10_000  # looks like base64
MEDIA = 1024


def body(content, **more):
    return {"model": "echo", "messages": [{"role": "user", "content": content, **more}]}


def source(kind, **more):
    return [{"type": kind, "source": {"type": "base64", "media_type": "x/y", "data": LONG, **more}}]


def text(t):
    return [{"type": "text", "text": t}]


IMAGE = f"data:image/png;base64,{LONG}"
COUNTED = [
    body([{"type": "image_url", "image_url": {"url": IMAGE}}]),
    body([{"type": "image_url", "image_url": IMAGE}]),
    body([{"type": "input_image", "image_url": IMAGE}]),
    body([{"type": "input_audio", "input_audio": {"data": LONG, "format": "wav"}}]),
    body([{"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{LONG}"}}]),
    body([{"type": "file", "file": {"file_data": LONG}}]),
    body([{"type": "input_file", "file_data": LONG}]),
    body(source("image")), body(source("document")),
    body(LONG, type="image", format="base64.png"),
    body("hi", input=[{"type": "image_generation_call", "id": "ig_1", "result": LONG}]),
]
TEXTS = [
    body(LONG), body(text(LONG)), body(text(IMAGE)), body([{"type": "input_text", "text": LONG}]),
    body([{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": LONG}}]),
    body([{"type": "file", "file": {"filename": "a.txt", "file_data": f"data:text/plain;base64,{LONG}"}}]),
    body([{"type": "tool_result", "tool_use_id": "c1", "content": LONG}]),
    body([{"type": "tool_use", "id": "c1", "name": "f", "input": {"data": LONG, "result": LONG}}]),
    body([{"type": "thinking", "thinking": LONG, "signature": LONG}]),
    body("hi", input=[{"type": "function_call_output", "call_id": "c1", "output": LONG}]),
]


def size(body):
    return len(json.dumps(body, separators=(",", ":")))


@pytest.mark.parametrize("body", COUNTED, ids=range(len(COUNTED)))
def test_data_counts_as_media(counting, body):
    got = counting.post("/v1/messages/count_tokens", body).ok().json["input_tokens"]
    assert MEDIA <= got < MEDIA + 100


@pytest.mark.parametrize("body", TEXTS, ids=range(len(TEXTS)))
def test_a_text_never_does(counting, body):
    got = counting.post("/v1/messages/count_tokens", body).ok().json["input_tokens"]
    assert abs(got - size(body) / 4) < size(body) / 40


def gemini(type, data="data", member="inlineData", name="mimeType"):
    return {"contents": [{"parts": [{member: {name: type, data: LONG}}]}]}


def count(client, body):
    """The number of a body whose slashes and pluses are escaped, as PHP and .NET do it."""
    text = json.dumps(body, separators=(",", ":")).replace("/", "\\/").replace("+", "\\u002B")
    return client.post("/v1beta/models/echo:countTokens", text.encode()).ok().json["totalTokens"]


def test_data_of_geminis_and_ollamas_apis(counting):
    for body in (gemini("image/png"), gemini("image/svg+xml"), gemini("video/mp4", member="inline_data", name="mime_type"),
                 {"messages": [{"role": "user", "content": "hi", "images": [LONG, "short"]}]},
                 {"prompt": "hi", "images": ["AA/+" * 10_000]}):
        assert MEDIA <= count(counting, body) < MEDIA + 100, str(body)[:99]
    for body in (gemini("text/plain"), gemini("application/json"), gemini(""), gemini("image/png", data="other"),
                 gemini("image/png", member="args"), {"messages": [{"role": "user", "images": ["so it is " * 5000]}]}):
        assert abs(count(counting, body) - size(body) / 4) < size(body) / 40, str(body)[:99]


@pytest.fixture(scope="module")
def counting(start_once):
    with Client(start_once({}).url) as client:
        yield client


def test_a_budget_reserves_for_a_pdf_what_its_pages_may_have(start_once):
    """Not one token for each byte."""
    gateway = start_once({"providers": [{"name": "e", "dialect": "echo"}], "models": [
        {"name": "echo", "provider": "e", "max_output": 100, "price": {"input": 1, "output": 1}}]})
    key = keys.known(gateway, keys.make(gateway, "--budget-tokens", "60000"))
    pdf = [{"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{LONG * 5}"}},
           {"type": "text", "text": "hi"}]
    with Client(gateway.url, keys.bearer(key["key"])) as client:
        client.post("/v1/chat/completions", body(pdf)).ok()
        client.post("/v1/chat/completions", body(text("x" * 70_000))).error(429)


def test_a_limit_counts_the_media_of_geminis_and_ollamas_apis(start_once):
    gateway = start_once({"models": [{"name": "echo", "provider": "e", "max_output": 100}],
                          "providers": [{"name": "e", "dialect": "echo"}]})
    for path, media in (
            ("/v1beta/models/echo:generateContent", {"contents": gemini("application/pdf")["contents"] * 2}),
            ("/api/chat", {**body("hi", images=["iVBORw0KGgoA" + LONG] * 2), "stream": False})):
        key = keys.known(gateway, keys.make(gateway, "--limit", "tokens=9000/1m"))
        with Client(gateway.url, keys.bearer(key["key"])) as client:
            client.post(path, media).ok()
