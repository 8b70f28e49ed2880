"""The recorded requests of real programs (tests/fixtures/requests), sent to providers of every dialect.

Each must be answered, and nothing of what it says may be lost without a warning: the user's last text, each tool,
each call and each result has to arrive at the provider, in the request's order, no member twice.
"""

import copy
import json

import pytest

import upstream as up
from ask import DIALECTS, PATHS, WIRE
from gateway import PROJECT
from said import seen

FOLDER = PROJECT / "tests" / "fixtures" / "requests"
RECORDS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
FAMILY = {path: family for family, path in PATHS.items() if family not in ("native", "lmc")}
# Programs send these along; an API key is not among them, and lengths are the client's own.
LEFT_OUT = ("content-length", "host", "x-goog-api-key", "authorization", "x-api-key")

# Requests of Gemini's and Ollama's APIs, which are not read here (tests/e2e), and of a page.
CLOUDS = ["gemini-01", *[f"ollama-0{n}" for n in range(1, 6)]]
FACE = ["claude-01", "claude-reason-01", "claude-two-01"]

# Programs whose requests every dialect has words for: nothing is warned of.  Others are told what was left out.
QUIET = ("aider", "aisdk", "cline", "cn", "dspy", "langgraph", "llm", "owui", "pi", "qwen")

# What fails today: (prefix of the record's name, dialects) -> why.  A row that holds for no failing record fails.
EXPECTED = []


def family(record):
    return FAMILY.get(record["path"].partition("?")[0])


CHATS = [name for name, record in RECORDS.items() if family(record)]


def why_not(name, dialect):
    return next((why for start, dialects, why in EXPECTED
                 if name.startswith(start) and (dialects is None or dialect in dialects)), None)


def cells():
    for name in CHATS:
        for dialect in [*DIALECTS, "echo"]:
            why = why_not(name, dialect)
            marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
            yield pytest.param(name, dialect, marks=marks, id=f"{name}-{dialect}")


@pytest.fixture(scope="module")
def wild(make_wild):
    return make_wild(more_models=[{"name": name, "provider": "echo"} for name in ("echo", "small-fast", "x")])


def answer(wire, text):
    """A stream or not, as the provider was asked."""
    def step(x):
        streamed = up.streams(x.request)
        for inner in wire.say(*text.partition(" ")) if streamed else [wire.whole(text)]:
            up.in_turn(inner)(x)
    return step


def marked(record):
    """The body with texts that differ from each other: recorded, all of them begin in the same way."""
    body, count = copy.deepcopy(record["body"]), 0

    def mark(holder, key):
        nonlocal count
        if isinstance(holder.get(key), str) and holder[key]:
            count += 1
            holder[key] += f" (text {count})"
        elif isinstance(holder.get(key), list):
            for part in holder[key]:
                if part.get("type") in ("text", "input_text", "output_text"):
                    mark(part, "text")
                elif part.get("type") == "tool_result":
                    mark(part, "content")
    for holder in [*(body.get("messages") or []), *(body["input"] if isinstance(body.get("input"), list) else [])]:
        mark(holder, "content")
        mark(holder, "output")
    return body


def refer(wild, body):
    """Makes each reference one to an answer that is stored here; returns the texts of those."""
    texts = []
    for item in body["input"] if isinstance(body.get("input"), list) else []:
        if item.get("type") == "item_reference":
            texts.append(f"stored {len(texts)}")
            said = wild.post("responses", "echo", "echo", {"input": texts[-1], "store": True})
            item["id"] = said.body["output"][0]["id"]
    return texts


def told(said, name):
    """A warning names it, or tells of a whole namespace."""
    return any(name in w["message"] or "namespace" in w["message"] for w in said.warnings)


def has_tool(got, name):
    """Also under a name that begins with its namespace's."""
    return any(other == name or other.endswith(f"__{name}") for other in got.tools)


def in_order(wanted, have):
    """The first of `wanted` that `have` does not give in its turn; None: all are there."""
    rest = iter(have)
    return next((one for one in wanted if not any(other == one for other in rest)), None)


@pytest.mark.parametrize("name, dialect", cells())
def test_nothing_is_lost(wild, script, name, dialect):
    record = RECORDS[name]
    kind, body = family(record), marked(record)
    stored = refer(wild, body)
    stream = bool(body.pop("stream", False))
    asked = seen(kind, body)
    headers = {k: v for k, v in record["headers"].items() if k.lower() not in LEFT_OUT}
    s = "echo" if dialect == "echo" else script(answer(WIRE[dialect], "good day"))
    said = wild.post(kind, dialect, s, body, stream, headers=headers, path=record["path"])
    assert said.status == 200 and said.error is None, said
    if dialect == "echo":
        assert said.text.endswith(asked.texts_of("user")[-1]), said
        return
    assert said.text == "good day", said
    assert not said.warnings or not name.startswith(QUIET), said.warnings
    assert len(s.exchanges) == 1
    sent = s.request.json
    assert sent.get("model", s.name) == s.name  # Gemini's is in the path, by which the script was found
    got = seen(dialect, sent)
    assert any(asked.texts_of("user")[-1] in text for text in got.texts_of("user")), got.texts
    for text in stored:
        assert any(text in other for other in got.texts_of("assistant")), got.texts
    lost = [tool for tool in asked.tools if not has_tool(got, tool) and not told(said, tool)]
    assert not lost, f"tools that did not arrive: {lost}; warnings: {said.warnings}"
    assert len(set(got.tools)) == len(got.tools), got.tools
    lost = in_order(asked.calls, got.calls)
    assert lost is None or told(said, lost[0]), f"{lost} did not arrive: {got.calls}"
    for result in asked.results:
        assert any(result in json.loads(f'"{other}"') if other.startswith('"') else result in other
                   for other in got.results), f"the result {result!r} did not arrive: {got.results}"
    assert got.media >= asked.media or said.warnings, said


@pytest.mark.parametrize("name", [n for n, r in RECORDS.items() if r["path"] == "/v1/embeddings"])
@pytest.mark.parametrize("dialect", [d for d in DIALECTS if hasattr(WIRE[d], "embeds")])
def test_embeddings(wild, script, name, dialect):
    body = dict(RECORDS[name]["body"])
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    s = script(WIRE[dialect].vectors(*[[0.5, n] for n in range(len(texts))]))
    reply = wild.client.post("/v1/embeddings", {**body, "model": s.under(dialect)}).ok()
    assert len(reply.json["data"]) == len(texts)


def test_the_list_of_models(wild):
    assert wild.client.get(RECORDS["owui-01"]["path"]).ok().json["data"]


@pytest.mark.parametrize("name", CLOUDS)
def test_other_apis(wild, name):
    record = RECORDS[name]
    reply = wild.client.http.request(record["method"], record["path"], json=record["body"])
    assert reply.status_code == 200, reply.text
    body = record["body"] or {}
    said = body.get("prompt") or "".join(m["content"] for m in body.get("messages") or [])
    assert said in reply.text and "error" not in reply.text[:9]


@pytest.mark.parametrize("name", FACE)
def test_the_page(wild, name):
    assert wild.client.http.head(RECORDS[name]["path"]).status_code == 200


def test_every_record_is_sent():
    """None is forgotten, and INDEX.tsv names them all."""
    rest = {n for n, r in RECORDS.items() if r["path"] in ("/v1/embeddings", "/v1/models")}
    assert {*CHATS, *CLOUDS, *FACE, *rest} == set(RECORDS)
    lines = (FOLDER / "INDEX.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == [f"{name}.json" for name in RECORDS]
    for start, dialects, why in EXPECTED:
        assert any(n.startswith(start) for n in CHATS), f"an expected failure of no record: {start} {why}"
