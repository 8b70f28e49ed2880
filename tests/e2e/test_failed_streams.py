"""How the body of a stream that fails after its first content ends, in each API."""

import httpx
import pytest

import upstream as up
from client import Client

GONE = up.data({"error": {"message": "the model fell over", "type": "server_error", "code": "x"}})
HELLO = [{"role": "user", "content": "hi"}]
OPENAI = {
    "/v1/chat/completions": {"messages": HELLO},
    "/v1/completions": {"prompt": "hi"},
}
OTHERS = {
    "/v1/chat": {"messages": ["hi"]},
    "/v1/responses": {"input": "hi"},
    "/v1/messages": {"messages": HELLO, "max_tokens": 50},
}
LANGCHAIN4J = {"User-Agent": "langchain4j-openai"}


def failing(script):
    return script(up.sse(), up.role(), up.text("The sun rises "), GONE, up.end())


def body(path, model, **more):
    fields = {**OPENAI, **OTHERS}[path]
    named = {"config": {"model": model}} if path == "/v1/chat" else {"model": model}
    return {**fields, **named, "stream": True, **more}


def read(client, path, sent, headers=None):
    """The body, and whether it was cut."""
    text = b""
    with client.http.stream("POST", path, json=sent, headers=headers) as answer:
        assert answer.status_code == 200
        try:
            for piece in answer.iter_raw():
                text += piece
        except httpx.RemoteProtocolError:
            return text.decode(), True
    return text.decode(), False


def is_whole_error(text):
    last = text.rstrip("\n").rpartition("\n\n")[2]
    return "the model fell over" in last and "[DONE]" not in text and '"finish_reason": "stop"' not in text


@pytest.fixture
def aborting(start):
    with Client(start(usual={"abort_failed_streams": True}).url) as client:
        yield client


@pytest.mark.parametrize("path", [*OPENAI, *OTHERS])
def test_it_ends_with_the_error_and_properly(client, script, path):
    text, cut = read(client, path, body(path, failing(script).model))
    assert is_whole_error(text) and not cut
    # the connection is still good
    assert client.get("/v1/models").status == 200


@pytest.mark.parametrize("path", [*OPENAI, *OTHERS])
def test_an_option_breaks_the_body_of_openai_s_older_apis(aborting, script, path):
    text, cut = read(aborting, path, body(path, failing(script).model))
    assert is_whole_error(text) and cut == (path in OPENAI)


@pytest.mark.parametrize("path", [*OPENAI, *OTHERS])
def test_a_client_that_would_take_half_for_the_whole_gets_a_broken_body(client, script, path):
    text, cut = read(client, path, body(path, failing(script).model), LANGCHAIN4J)
    assert is_whole_error(text) and cut == (path in OPENAI)


@pytest.mark.parametrize("store", [True, False], ids=["stored", "unstored"])
@pytest.mark.parametrize("agent", [None, LANGCHAIN4J], ids=["any", "langchain4j"])
def test_a_replayed_answer_ends_alike(client, script, store, agent):
    s = failing(script)
    path = "/v1/chat/completions"
    head = {"Idempotency-Key": f"k-{s.name}", **(agent or {})}
    answers = [read(client, path, body(path, s.model, store=store), head) for _ in range(2)]
    assert len(s.exchanges) == 1
    for text, cut in answers:
        assert is_whole_error(text) and cut == (agent is not None)
    other = {"Idempotency-Key": head["Idempotency-Key"], **({} if agent else LANGCHAIN4J)}
    text, cut = read(client, path, body(path, s.model, store=store), other)
    assert is_whole_error(text) and cut == (agent is None)
