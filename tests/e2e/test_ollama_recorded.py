"""Parley's answers beside those of a real Ollama server, which tests/fixtures/ollama has: the same statuses, content
types, members and types, but for what is listed here.  The provider of the models answers as that server did."""

import json
import pathlib

import pytest

import upstream as up
from client import Client
from fixtures import provider
from test_wires import said as values_of
from wires import Ollama

FOLDER = pathlib.Path(__file__).parent.parent / "fixtures" / "ollama"
RECORDS = {r["name"]: r for r in json.loads((FOLDER / "answers.json").read_text())}
CALLS = {"/api/chat", "/api/generate", "/api/embed", "/api/embeddings"}

# What Ollama refuses because of the model, so that its provider is asked.
PASSED_ON = {"chat embedding model", "chat think unsupported", "chat tools plain", "chat image unsupported", "chat long",
             "generate embedding model", "embed long", "embed chat model", "embeddings chat model"}
# The other statuses.  docs/ollama.md says why.
STATUS = {
    "show bad name": 404, "chat bad name": 404,  # a name may have any bytes here
    "chat upper": 404,  # and its letters count
    "chat role": 400, "chat result alone": 400,  # other providers refuse them
    "chat format word": 400, "chat option type": 400, "chat option whole": 400,  # the client's fault
    "chat two values": 400, "generate no model": 400, "embed no model": 400,
    "generate raw": 400, "generate context": 400,  # no other API has them
    "embed chat model": 502, "embeddings chat model": 502,  # as of any provider that fails
    "delete unknown": 400, "copy unknown": 400, "blob head": 405,  # models are the operator's
    "chat options method": 204,  # browsers ask first
}
# What is taken here though Ollama refuses it: the answer is of the same form as that record's.
TAKEN = {"chat keep alive word": "chat stream", "chat keep alive type": "chat stream", "generate context type": "generate stream",
         "chat option stop type": "chat whole", "chat arguments text": "chat whole"}
# Members that tell of files and tokens, of which nothing is known here, and which Ollama leaves out where it knows nothing.
OTHERS = ("context", "logprobs", "tensors", "model_info", "models[].details.embedding_length",
          "license", "modelfile", "parameters", "template")


def kinds(value, path=""):
    """(path, type) of each member, in order; the elements of a list have one path."""
    if isinstance(value, dict):
        yield path, "object"
        for key, member in value.items():
            yield from kinds(member, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        yield path, "list"
        yield from dict.fromkeys(k for element in value for k in kinds(element, path + "[]"))
    else:
        yield path, "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def form(lines):
    """The forms of the lines, each once."""
    return list(dict.fromkeys(tuple(k for k in kinds(line) if not k[0].startswith(OTHERS)) for line in lines))


def said(lines):
    """All that the model said."""
    parts = [line.get("message", line) for line in lines]
    return {"text": "".join(p.get("content", p.get("response", "")) for p in parts),
            "thinking": "".join(p.get("thinking", "") for p in parts),
            "calls": [c for p in parts for c in p.get("tool_calls", [])],
            **{k: lines[-1].get(k) for k in ("done_reason", "prompt_eval_count", "eval_count", "embeddings", "embedding")}}


def loads(line):
    """A request of nothing only loads the model."""
    return line.get("done_reason") in ("load", "unload") or [] in (line.get("embeddings"), line.get("embedding"))


def as_provider(record):
    """The recorded answer as the steps of a provider, which is asked for chats and lists of vectors alone."""
    def turned(line):
        if "embedding" in line:
            return {"model": "m", "embeddings": [line["embedding"]]}
        if "response" not in line:
            return line
        message = {"role": "assistant", "content": line["response"], **{k: line[k] for k in ("thinking",) if k in line}}
        return {k: v for k, v in line.items() if k not in ("response", "thinking", "context")} | {"message": message}

    lines = [turned(line) for line in record["answer"]]
    if record["type"] != "application/x-ndjson":
        return up.reply(lines[0], record["status"], record["type"])
    return [up.sse(record["type"]), *[up.body(json.dumps(line).encode() + b"\n") for line in lines], up.end()]


@pytest.fixture(scope="module")
def client(start_once, upstream):
    gateway = start_once({"providers": [provider(upstream, "o", dialect="ollama")], "models": [
        {"name": name, "provider": "o", "context_window": 4096} for name in ("tiny", "two", "plain", "vec")]
        + [{"name": "o/*", "provider": "o"}]})
    with Client(gateway.url) as client:
        yield client


def asked(client, script, record, steps):
    """Asks what Ollama was asked.  Returns the answer, the name of the model and what the provider got."""
    body, s = record.get("body"), None
    if record["path"] in CALLS and isinstance(body, dict) and body.get("model") in ("tiny", "tiny:latest", "two", "plain", "vec"):
        s = script(steps)
        body = {**body, "model": s.under("o") + (":latest" if ":" in body["model"] else "")}
    content = record["raw"] if "raw" in record else None if body is None else json.dumps(body)
    headers = {"user-agent": "ollama-python/0.6.3", "content-type": "application/json" if content else None, **record.get("headers", {})}
    reply = client.http.request(record["method"], record["path"], content=content, headers={k: v for k, v in headers.items() if v})
    return reply, body["model"] if s else None, s


def media(text):
    return (text or "").split(";")[0]


@pytest.mark.parametrize("name", RECORDS)
def test_an_answer_is_as_that_of_ollamas_own_server(client, script, name):
    record = RECORDS[name]
    wanted = RECORDS[TAKEN[name]] if name in TAKEN else record
    reply, model, s = asked(client, script, record, as_provider(wanted) if wanted["answer"] and record["path"] in CALLS else up.reply({}))
    status = STATUS.get(name, wanted["status"])
    assert reply.status_code == status, reply.text
    if s:
        assert len(s.exchanges) == (name in PASSED_ON or status == 200 and not loads(wanted["answer"][-1]))
    if record["method"] in ("HEAD", "OPTIONS"):
        assert reply.content == b"" and (name in STATUS or media(reply.headers["content-type"]) == media(wanted["type"]))
        return
    if status >= 400:  # Ollama's own are plain text where no route takes the request
        assert media(reply.headers["content-type"]) == "application/json" and form([reply.json()]) == form([{"error": ""}])
        if status == wanted["status"] == 404 and isinstance(wanted["answer"], list):
            assert "not found" in wanted["answer"][0]["error"] and reply.json()["error"].startswith("model not found: ")
        return
    assert media(reply.headers["content-type"]) == media(wanted["type"])
    if isinstance(wanted["answer"], str):
        assert reply.text == wanted["answer"]
        return
    assert reply.text.endswith("\n") or media(wanted["type"]) != "application/x-ndjson"
    lines = [json.loads(line) for line in reply.text.splitlines()]
    if name == "ps":
        assert lines == [{"models": []}]  # nothing is loaded here
        return
    forms, real = form(lines), form(wanted["answer"])
    # Ollama streams a piece of nothing where thoughts begin and end.
    assert forms == real if name != "generate thinks stream" else sorted(forms) == sorted(real)
    if model:
        assert {line["model"] for line in lines if "model" in line} <= {model.removesuffix(":latest")}
        assert said(lines) == said(wanted["answer"])


def test_the_scripted_provider_answers_as_ollamas_server():
    wire, calls = Ollama(), [("weather", "call_1", {"city": "Bonn"}), ("weather", "call_2", {"city": "Kiel"})]
    for steps, name in ((wire.whole("so"), "chat whole"), (wire.say("so", "it"), "chat stream"),
                        (wire.whole("so", reasoning="hm"), "chat thinks whole"), (wire.say("so", reasoning="hm"), "chat thinks stream"),
                        (wire.whole_calls(*calls, text="both:"), "chat calls two whole"),
                        (wire.calls(*calls, text="both:"), "chat calls two stream"),
                        (wire.vectors([0.5], [1.0]), "embed list"), (wire.refuse(404, "no"), "chat unknown")):
        assert {frozenset(f) for f in form(values_of(steps))} == {frozenset(f) for f in form(RECORDS[name]["answer"])}, name
