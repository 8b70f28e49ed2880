"""A stage that makes the letters of an answer upper case: no client, reader or row gets around it."""

import contextlib
import json
import re

import pytest

import computer as cp
import gateway as gw
import rebyte as rb
import upstream as up
from client import Client
from fixtures import provider
from runner import needs_sandbox
from test_lmc_provider import MESSAGE, segment, whole
from test_lmc_provider import stream as lmc_stream
from test_text_completions import USAGE, answer, said
from waiting import wait_until
from wires import WIRES

UPPER = "scratch-upper"
WORDS = ["zebra ", "yak ü\n\t", '"quoted" \\', "xenon"]
TEXT = "".join(WORDS)
RAISED = TEXT.replace("ü", "\0").upper().replace("\0", "ü")
SMALL = re.compile(rb"zebra|yak|quoted|xenon")


class LMC:
    dialect = "lmc"

    def say(self, *pieces):
        return lmc_stream(*segment(MESSAGE, *pieces))

    def whole(self, text):
        return whole({**MESSAGE, "content": text})


WIRES = [*WIRES, LMC()]


def of_chunks(values, key="content"):
    return "".join(c["delta"].get(key) or "" for v in values for c in v.get("choices", ()))


def of_lmc(values):
    return "".join(v["content"] for v in values if v.get("role") == "assistant" and "content" in v)


# How each family is asked, and where the text stands in its answer and in the blocks of its stream.
FAMILIES = {
    "chat": (lambda m: ("/v1/chat", {"messages": ["hi"], "config": {"model": m}}),
             lambda a: a["choices"][0]["message"]["content"], of_chunks),
    "lmc": (lambda m: ("/v1/chat", {"messages": ["hi"], "format": "lmc", "config": {"model": m}}),
            lambda a: of_lmc(a["messages"]), of_lmc),
    "completions": (lambda m: ("/v1/chat/completions",
                               {"model": m, "messages": [{"role": "user", "content": "hi"}]}),
                    lambda a: a["choices"][0]["message"]["content"], of_chunks),
    "stored": (lambda m: ("/v1/chat/completions",
                          {"model": m, "messages": [{"role": "user", "content": "hi"}], "store": True}),
               lambda a: a["choices"][0]["message"]["content"], of_chunks),
    "responses": (lambda m: ("/v1/responses", {"model": m, "input": "hi"}),
                  lambda a: "".join(p["text"] for i in a["output"] for p in i.get("content", ())),
                  lambda v: "".join(e["delta"] for e in v if e["type"] == "response.output_text.delta")),
    "messages": (lambda m: ("/v1/messages", {"model": m, "max_tokens": 99,
                                             "messages": [{"role": "user", "content": "hi"}]}),
                 lambda a: "".join(b["text"] for b in a["content"]),
                 lambda v: "".join(e["delta"].get("text", "") for e in v if e["type"] == "content_block_delta")),
    "text": (lambda m: ("/v1/completions", {"model": m, "prompt": "hi"}),
             lambda a: a["choices"][0]["text"],
             lambda v: "".join(c["text"] for e in v for c in e["choices"])),
    "rebyte": (lambda m: (rb.path(m), {"inputs": rb.row("hi")}),
               lambda a: a["run"]["results"][0][0]["value"]["content"],
               lambda v: "".join(e["content"]["tokens"]["text"] for e in v if e["type"] == "tokens")),
    "scratch": (lambda m: (f"/scratch/{m}:ask", {"text": "hi"}),
                lambda a: a["choices"][0]["message"]["content"], of_chunks),
}


def blocks_of(body):
    """The values of a stream, of events or of lines."""
    lines = [line.removeprefix(b"data: ") for line in body.splitlines() if line.startswith((b"data: ", b"{"))]
    return [json.loads(line) for line in lines if line != b"[DONE]"]


def ask(client, family, model, stream, **more):
    """The bytes of an answer, and the text in it."""
    asked, text, texts = FAMILIES[family]
    path, body = asked(model)
    if not stream:
        reply = client.post(path, {**body, **more}).ok()
        return reply.body, text(reply.json)
    response = client.http.post(path, json={**body, "stream": True, **more})
    assert response.status_code == 200, response.content
    return response.content, texts(blocks_of(response.content))


def check(got, *where):
    body, text = got
    assert text == RAISED, (*where, text, body)
    assert not SMALL.search(body), (*where, body)


def config(upstream, dialect="openai", **more):
    providers = [provider(upstream, "p", dialect=dialect, **more)]
    return {"providers": providers, "models": [{"name": f"{name}/*", "provider": "p"} for name in (UPPER, "as-is")]}


@pytest.mark.parametrize("wire", WIRES, ids=lambda w: w.dialect)
def test_no_answer_goes_around_it(start, upstream, script, wire):
    """Among them those that go through in the provider's own bytes."""
    plain, said = script(wire.whole(TEXT)), script(wire.say(*WORDS))
    with Client(start(config=config(upstream, wire.dialect)).url) as client:
        for family in FAMILIES:
            for s in (plain, said):
                check(ask(client, family, s.under(UPPER), s is said), family, s is said)
        assert ask(client, "completions", plain.under("as-is"), False)[1] == TEXT


def test_a_long_answer(start, upstream, script):
    """A worker decodes it, and the loop gets its pieces, or the whole twice."""
    text = "zebra yak " * 40_000
    s = script(up.in_turn(up.reply(up.completion(text)), up.stream(text), up.reply(up.completion(text))))
    with Client(start(config=config(upstream)).url) as client:
        for family, stream in (("completions", False), ("completions", True), ("lmc", False)):
            body, told = ask(client, family, s.under(UPPER), stream)
            assert told == text.upper() and not SMALL.search(body)


def test_completions_of_a_prompt(start, upstream, script):
    """Prompts that the provider completes itself."""
    plain = script(up.reply(answer(TEXT, usage=USAGE)))
    told = script(up.sse(), *[said(w) for w in WORDS], said("", finish="length", usage=USAGE), up.data("[DONE]"),
                  up.end())
    with Client(start(config=config(upstream, completions=True)).url) as client:
        check(ask(client, "text", plain.under(UPPER), False))
        check(ask(client, "text", told.under(UPPER), True))
        assert plain.request.target == "/v1/completions"
        whole, _ = ask(client, "text", plain.under(UPPER), False)
        assert json.loads(whole)["usage"]["total_tokens"] == 5
        assert ask(client, "text", plain.under("as-is"), False)[1] == TEXT


def test_several_answers_of_one_call(start, upstream, script):
    """Whole, a provider's answer has them in its own bytes alone."""
    chunks = [up.chunk({"role": "assistant", "content": w}, index=n) for n, w in enumerate(WORDS[:2])]
    ends = [up.chunk({}, "stop", index=n) for n in range(2)]
    s = script(up.sse(), *[up.data(c) for c in chunks + ends], up.data("[DONE]"), up.end())
    with Client(start(config=config(upstream, completions=True)).url) as client:
        body, text = ask(client, "completions", s.under(UPPER), True, n=2)
        assert text == "ZEBRA YAK ü\n\t" and not SMALL.search(body)
        assert {c["index"] for v in blocks_of(body) for c in v["choices"]} == {0, 1}
        for path, more in (("/v1/chat/completions", {"messages": [{"role": "user", "content": "hi"}], "n": 2}),
                           ("/v1/completions", {"prompt": ["a", "b"]})):
            client.post(path, {"model": s.under(UPPER), **more}).error(400, "not_supported_yet", "n")
    assert len(s.exchanges) == 1


def test_embeddings_have_no_text(start, upstream, script):
    s = script(up.embeddings([1.5, 2]))
    with Client(start(config=config(upstream)).url) as client:
        made = client.post("/v1/embeddings", {"model": s.under(UPPER), "input": "hi"}).ok().json
    assert made["data"][0]["embedding"] == [1.5, 2]


def test_what_is_dropped_is_paid_for(start, upstream, script):
    s = script(up.stream("so ", *["drop"] * 40, "far", usage=False))
    with Client(start(config=config(upstream, stream_usage=False)).url) as client:
        with client.chat_stream("hi", model=s.under(UPPER)) as stream:
            assert stream.native().text == "SO FAR"
        run = client.run(stream.headers["x-run-id"])
    assert run["usage_source"] == "estimated" and run["usage"]["completion_tokens"] >= 40


def test_what_is_held_is_shown_before_a_failure(start, upstream, script):
    s = script(up.sse(), up.role(), *[up.text(w) for w in WORDS], up.hang_up())
    with Client(start(config=config(upstream)).url) as client:
        body, text = ask(client, "chat", s.under(UPPER), True)
        assert text == RAISED and b"stream_incomplete" in body and not SMALL.search(body)


# --- read again ---


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request, monkeypatch):
    monkeypatch.setattr(gw, "ENGINE", request.param)


def read(client, path):
    reply = client.http.get(path)
    assert reply.status_code == 200, (path, reply.content)
    assert not SMALL.search(reply.content), (path, reply.content)
    return reply.content


@pytest.mark.parametrize("dialect", ["openai", "openai-responses", "anthropic"])
def test_what_is_stored(start, engine, upstream, script, dialect):
    wire = next(w for w in WIRES if w.dialect == dialect)
    for stream in (False, True):
        gateway = start(config=config(upstream, dialect))
        s = script(wire.say(*WORDS) if stream else wire.whole(TEXT))
        with Client(gateway.url) as client:
            head = client.http.post("/v1/responses", json={"model": s.under(UPPER), "input": "hi", "stream": stream})
            run, conversation = head.headers["x-run-id"], head.headers["x-conversation-id"]
            id = re.search(rb"resp_\w+", head.content)[0].decode()
            assert not SMALL.search(head.content)
            asked = {"model": s.under(UPPER), "input": "and?", "previous_response_id": id, "stream": stream}
            assert not SMALL.search(client.http.post("/v1/responses", json=asked).content)
            sent = s.exchanges[-1].request.body
            assert RAISED.split()[0].encode() in sent and not SMALL.search(sent)
            stored, _ = ask(client, "stored", s.under(UPPER), stream)
            completion = re.search(rb"chatcmpl-\w+", stored)[0].decode()
        for again in (lambda: None, gateway.restart):
            again()
            with Client(gateway.url) as client:
                response = json.loads(read(client, f"/v1/responses/{id}"))
                assert FAMILIES["responses"][1](response) == RAISED
                read(client, f"/v1/conversations/{conversation}/messages?format=openai")
                read(client, f"/v1/conversations/{conversation}/messages?format=lmc")
                said = [m["content"] for m in client.messages(conversation) if m["role"] == "assistant"]
                assert said == [RAISED] * 2
                read(client, f"/v1/runs/{run}/events")
                read(client, f"/v1/responses/{id}?stream=true")
                completed = json.loads(read(client, f"/v1/chat/completions/{completion}"))
                assert completed["choices"][0]["message"]["content"] == RAISED


@pytest.mark.parametrize("family", ["chat", "completions", "messages", "text", "responses"])
def test_a_key_gets_the_answer_again(start, engine, upstream, script, family):
    gateway = start(config=config(upstream))
    plain, said = script(up.reply(up.completion(TEXT))), script(up.stream(*WORDS))
    for s in (plain, said):
        seen = []
        for _ in range(2):
            with Client(gateway.url, {"Idempotency-Key": s.name}) as client:
                got = ask(client, family, s.under(UPPER), s is said)
            check(got)
            seen.append(got[1])
            gateway.restart()
        assert seen == [RAISED] * 2 and len(s.exchanges) == 1


@pytest.mark.parametrize("format", ["openai", "lmc"])
def test_whoever_follows(start, engine, upstream, script, format):
    """While the provider still answers, and after a kill."""
    gateway = start(config=config(upstream) | {"durability": "strict"})
    gate = up.Gate()
    s = script(up.sse(), up.role(), *[up.text(w) for w in [*WORDS, "held"]], up.wait(gate), *up.ending())
    seen = b""
    with Client(gateway.url) as client, contextlib.suppress(Exception), client.chat_stream(
            "hi", model=s.under(UPPER), format=format) as stream:
        run, conversation = stream.headers["x-run-id"], stream.headers["x-conversation-id"]
        while b"XENON" not in seen:
            seen += stream.next_data().raw
        with client.http.stream("GET", f"/v1/runs/{run}/events") as response:
            got = b""
            for piece in response.iter_raw():
                got += piece
                if b"XENON" in got:
                    break
        gateway.kill()
    assert not SMALL.search(seen) and not SMALL.search(got)
    gateway.start()
    with Client(gateway.url) as client:
        assert b"XENON" in read(client, f"/v1/runs/{run}/events?format={format}")
        assert client.messages(conversation)[-1]["content"] == RAISED


# --- with a computer ---


@pytest.fixture
def runner():
    with cp.runner() as one:
        yield one


@needs_sandbox
def test_the_output_of_code(start, runner, upstream, script):
    """The code itself runs as the model wrote it; the model gets its output as everybody sees it.  The stage is
    started before each call of the run, and the computer only once."""
    s = script(up.in_turn(cp.calls(("shell", "echo zebra"), before=["a yak "]),
                          cp.calls(("shell", "true"), ("shell", "false")), up.stream(*WORDS)))
    prefix = f"{UPPER}/"
    computer = cp.Computer(start, runner)
    settings = computer.gateway.config_file.read_text()
    computer.gateway.config_file.write_text(settings.replace("name: t/*", f"name: {prefix}*"))
    computer.gateway.restart()
    client = computer.again()
    with client.stream("/v1/chat", computer.body(prefix + s.name)) as stream:
        chunks, status = cp.blocks(stream)
        run, conversation = stream.headers["x-run-id"], stream.headers["x-conversation-id"]
    assert status["type"] == "status", chunks
    assert of_lmc([c for c in chunks if c["type"] == "message"]) == "A YAK " + RAISED
    console = "".join(c["content"] for c in chunks if c["type"] == "console" and isinstance(c.get("content"), str))
    assert console == "ZEBRA\n"
    assert "echo zebra" in str([c for c in chunks if c["type"] in ("code", "confirmation")])
    asked = [exchange.request.json for exchange in s.exchanges]
    result = asked[1]["messages"][-1]
    assert (result["role"], result["content"].strip()) == ("tool", "ZEBRA")
    assert [[tool["function"]["name"] for tool in one["tools"]] for one in asked] == [["execute"]] * 3
    kept = client.messages(conversation, "lmc")
    assert [m["content"] for m in kept if m["type"] == "console"][0] == "ZEBRA\n"

    def starts():
        lines = [json.loads(line) for line in list(computer.gateway.lines) if "scratch_upper" in line]
        return [line["calls"] for line in lines if line["run"] == run]
    wait_until(lambda: len(starts()) >= 3, "three starts in the log")
    assert starts() == [0, 1, 2]
