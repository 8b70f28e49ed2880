"""Bedrock's ways with `auth: {kind: aws}`: OpenAI's routes, Claude by InvokeModel, Converse.  botocore checks each signature."""

import time
from concurrent.futures import ThreadPoolExecutor
from email.message import Message

import pytest

import frames
import upstream as up
from client import Client
from cloud import REGION, Cloud
from fixtures import provider
from waiting import wait_until
from wires import Bedrock, OnBedrock, OpenAI, OpenAIResponses

# By the name of the entry.
WAYS = {
    "openai": (OpenAI(), {"dialect": "openai"}, "/openai/v1"),
    "responses": (OpenAIResponses(), {"dialect": "openai-responses"}, "/openai/v1"),
    "invoke": (OnBedrock(), {"dialect": "anthropic", "hosting": "bedrock"}, ""),
    "converse": (Bedrock(), {"dialect": "bedrock"}, ""),
}
FRAMED = ["invoke", "converse"]


@pytest.fixture(scope="module")
def cloud():
    made = Cloud()
    yield made
    made.close()


def config(upstream):
    """Entries of the ways, and for frames those that try a call twice."""
    root = upstream.url.removesuffix("/v1")
    entries = {name: {**entry, "base_url": root + path} for name, (_, entry, path) in WAYS.items()}
    entries |= {f"{name}-twice": {**entries[name], "retries": 1} for name in FRAMED}
    return {"providers": [{**provider(upstream, name), **entry, "auth": {"kind": "aws", "region": REGION}}
                          for name, entry in entries.items()],
            "models": [{"name": f"{name}/*", "provider": name} for name in entries]}


@pytest.fixture(scope="module")
def client(start_once, upstream, cloud):
    with Client(start_once(config(upstream), env=cloud.env["imds"]).url) as one:
        yield one


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


def signer(cloud, exchange):
    """The keys that a request is signed with."""
    request, headers = exchange.request, Message()
    for name, value in request.headers:
        headers[name] = value
    return cloud.check(request.method, request.target, headers, request.body, "bedrock")


def ask(client, model, stream):
    """A client's answer: its text, or its error."""
    if not stream:
        reply = client.complete(model)
        return reply.json["choices"][0]["message"]["content"] if reply.status == 200 else reply
    with client.complete_stream(model) as answer:
        if answer.status != 200:
            return answer.reply()
        return answer.openai()


def test_every_way_is_signed_and_answers(client, cloud, script, way):
    wire = WAYS[way][0]
    s = script(up.in_turn(wire.whole("Hello"), wire.say("Hel", "lo")))
    assert ask(client, s.under(way), False) == "Hello"
    said = ask(client, s.under(way), True)
    assert (said.text, said.error, said.finishes) == ("Hello", None, ["stop"])
    assert [signer(cloud, x).refused for x in s.exchanges] == [False, False]
    assert {"openai": "/openai/v1/chat/completions", "responses": "/openai/v1/responses"}.get(
        way, f"/model/{s.name}/") in s.request.target


# Status, body, the exception in the header, and the code that clients get; None: no code of Parley's.
ERRORS = [
    (400, {"message": "1 validation error detected"}, "ValidationException", None),
    (400, {"error": {"message": "1 validation error detected", "type": "invalid_request_error", "param": None,
                     "code": "validation_error"}}, None, None),
    (429, {"message": "Too many requests"}, "ThrottlingException", "rate_limit_exceeded"),
    (403, {"Message": "User: x is not authorized to perform: bedrock:InvokeModel"}, "AccessDeniedException", "upstream_denied"),
]


def test_an_error_is_what_amazon_s_means(client, script, way):
    for status, body, kind, code in ERRORS:
        headers = [("x-amzn-ErrorType", f"{kind}:http://internal.amazon.com/coral/")] if kind else []
        s = script(up.reply(body, status, headers=headers))
        for stream in (False, True):
            reply = ask(client, s.under(way), stream)
            assert reply.status == status, reply
            error = reply.json["error"]
            assert code is None or error["code"] == code, error
            assert status == 403 or (body.get("error") or body)["message"] in error["message"], error
        assert len(s.exchanges) == 2


def test_keys_that_are_refused_are_renewed_for_a_stream(client, cloud, script, way):
    """Also where the body is the exception, as OpenAI's clients are told."""
    bodies = [{"message": "The security token included in the request is expired"},
              {"error": {"message": "no", "code": "ExpiredTokenException", "type": "x", "param": None}}]
    s = script(up.in_turn(*[step for body in bodies for step in (up.reply(body, 403), WAYS[way][0].say("again"))]))
    for _ in bodies:
        assert ask(client, s.under(way), True).text == "again"
    keys = [signer(cloud, x).id for x in s.exchanges]
    assert len(keys) == 4 and keys[0] != keys[1] == keys[2] != keys[3]


def test_keys_end_while_streams_last(start, upstream, script):
    cloud, gates, scripts = Cloud(), [up.Gate() for _ in FRAMED], []
    cloud.lives = 3
    for gate, way in zip(gates, FRAMED, strict=True):
        steps = WAYS[way][0].say("Hel", "lo")
        scripts.append(script(up.in_turn([*steps[:4], up.wait(gate), *steps[4:]], WAYS[way][0].say("new"))))
    models = [s.under(way) for s, way in zip(scripts, FRAMED, strict=True)]
    gateway = start(config(upstream), env=cloud.env["imds"])
    with Client(gateway.url) as one, Client(gateway.url) as two, ThreadPoolExecutor(2) as pool:
        said = [pool.submit(ask, client, model, True) for client, model in zip((one, two), models, strict=True)]
        for gate in gates:
            gate.wait_reached()
        cloud.lives = 3600
        for keys in list(cloud.keys.values()):
            keys.ends = None  # however slow the machine is
        first = [signer(cloud, s.wait(1)) for s in scripts]
        with Client(gateway.url) as admin:
            wait_until(lambda: all((p["auth"]["expires_at"] or 0) > time.time() + 3000
                                   for p in admin.get("/v1/admin/overview").json["providers"] if p["name"] in FRAMED), "new keys")
        for keys in first:
            keys.ends = 1
        for gate in gates:
            gate.open()
        assert [f.result().text for f in said] == ["Hello", "Hello"]
        assert [ask(one, model, True).text for model in models] == ["new", "new"]
    assert [signer(cloud, s.wait(2)) in first for s in scripts] == [False, False]
    cloud.close()


@pytest.mark.parametrize("way", FRAMED)
def test_an_exception_is_the_status_or_the_stream_s_error(client, cloud, script, way):
    fault = up.body(frames.frame("throttlingException", {"message": "slow down"}, "exception"))
    steps = WAYS[way][0].cut("Hel")[:-1]
    s = script(up.in_turn([steps[0], fault, up.end()], [*steps, fault, up.end()]))
    reply = ask(client, s.under(way), True)
    assert reply.status == 429 and "slow down" in reply.json["error"]["message"], reply
    said = ask(client, s.under(way), True)
    assert said.text == "Hel" and said.error["code"] == "rate_limit_exceeded" and not said.finishes, said.error
    assert [signer(cloud, x).refused for x in s.exchanges] == [False, False]
    gone = up.body(frames.frame("serviceUnavailableException", {"message": "gone"}, "exception"))
    again = script(up.in_turn([steps[0], gone, up.end()], WAYS[way][0].say("again")))
    assert ask(client, again.under(f"{way}-twice"), True).text == "again"
    assert [signer(cloud, x).refused for x in again.exchanges] == [False, False]
