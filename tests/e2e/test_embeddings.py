"""POST /v1/embeddings: what goes out, what comes back in which form, and how it fails."""

import base64
import json
import math
import struct

import pytest

import upstream as up
from client import Client
from fixtures import DEAD, provider
from raw import Raw, post
from wires import USAGE, WIRES

VECTORS = [[0.25, -1.5, 1e-3], [3.0, 0.0, -0.0625]]
EMBEDDING = [w for w in WIRES if getattr(w, "embeds", None)]


def packed(vector):
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def unpacked(text):
    data = base64.b64decode(text, validate=True)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def near(got, wanted):
    return len(got) == len(wanted) and all(math.isclose(a, b, rel_tol=1e-6)
                                           for a, b in zip(got, wanted, strict=True))


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    """DIALECT/NAME asks the scripted server in that dialect."""
    port = DEAD.getsockname()[1]
    dialects = sorted({"anthropic", "lmc", *[w.dialect for w in WIRES]})
    return start_once({
        "providers": [
            *[provider(upstream, d, dialect=d) for d in dialects],
            provider(upstream, "brief", timeouts={"total": "1s"}),
            provider(upstream, "quick", timeouts={"first_byte": "1s"}),
            {**provider(upstream, "dead"), "base_url": f"http://127.0.0.1:{port}/v1"},
            {**provider(upstream, "pasted"), "base_url": f"{upstream.url}/embeddings"},
        ],
        "models": [{"name": f"{p}/*", "provider": p}
                   for p in [*dialects, "brief", "quick", "dead", "pasted"]] + [
            {"name": "echo", "provider": "echo"}],
    })


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


@pytest.fixture(params=EMBEDDING, ids=lambda w: w.dialect)
def wire(request):
    return request.param


def embed(client, model, input="hi", headers=None, **more):
    return client.post("/v1/embeddings", {"model": model, "input": input, **more}, headers=headers)


# --- every dialect ---------------------------------------------------------------------------------


def test_numbers(client, script, wire):
    s = script(wire.vectors(*VECTORS))
    reply = embed(client, s.under(wire.dialect), ["a", "b ü"]).ok()
    assert reply.headers["x-parley-attempts"] == "1" and "x-conversation-id" not in reply.headers
    answer = reply.json
    assert answer["object"] == "list" and answer["usage"]["prompt_tokens"] == USAGE[0]
    assert [d["index"] for d in answer["data"]] == [0, 1]
    assert [d["embedding"] for d in answer["data"]] == VECTORS
    assert s.request.target == wire.embeds.replace("NAME", s.name)
    assert "b ü" in json.dumps(s.request.json, ensure_ascii=False)


def test_base64(client, script, wire):
    s = script(wire.vectors(*VECTORS))
    answer = embed(client, s.under(wire.dialect), ["a", "b"], encoding_format="base64").ok().json
    assert [d["embedding"] for d in answer["data"]] == [packed(v) for v in VECTORS]


def test_errors_with_a_status(client, script, wire):
    s = script(wire.refuse(400, "no such thing"))
    assert embed(client, s.under(wire.dialect)).error(400)["message"] == "no such thing"
    s = script(wire.refuse(401, "bad key"))
    embed(client, s.under(wire.dialect)).error(403, "upstream_auth_failed")


def test_a_wrong_count_names_the_provider(client, script, wire):
    s = script(wire.vectors(VECTORS[0]))
    error = embed(client, s.under(wire.dialect), ["a", "b"]).error(502, "upstream_bad_response")
    assert f"'{wire.dialect}' sent 1 embeddings where 2" in error["message"]


@pytest.mark.parametrize("dialect", sorted({w.dialect for w in WIRES} -
                                           {w.dialect for w in EMBEDDING}) + ["lmc"])
def test_a_dialect_without_embeddings(client, script, dialect):
    s = script(up.embeddings([1]))
    error = embed(client, s.under(dialect)).error(400, "unsupported_parameter", "model")
    assert f"'{dialect}'" in error["message"] and "/v1/embeddings" in error["message"]
    assert not s.exchanges


# --- OpenAI's providers ----------------------------------------------------------------------------


def test_all_of_it_goes_through_byte_for_byte(client, script):
    s = script(up.reply(b'{"object": "list","x":1e2,"data":[ {"index":0,"embedding":[1E0,0.10]}],'
                        b'"model":"a\\/b"}\n'), allows={
        "types truncate": "a member of a server that nobody knows", "types user": "null, as it came"})
    body = (f'{{"input": "h\\u00e9" ,"model":"openai/{s.name}","dimensions":2,"user":null,'
            '"truncate":1.0,"encoding_format":"float"}').encode()
    reply = client.post("/v1/embeddings", body).ok()
    assert s.request.body == (f'{{"model":"{s.name}","input": "h\\u00e9","dimensions":2,"user":null,'
                              '"truncate":1.0,"encoding_format":"float"}').encode()
    assert reply.body == (b'{"object": "list","x":1e2,"data":[ {"index":0,"embedding":[1E0,0.10]}],'
                          b'"model":"a\\/b"}\n')


def test_base64_goes_through_too(client, script):
    s = script(up.embeddings(packed(VECTORS[0])))
    answer = embed(client, s.under("openai"), encoding_format="base64").ok().json
    assert answer["data"][0]["embedding"] == packed(VECTORS[0])
    assert s.request.json["encoding_format"] == "base64"


def test_base64_that_nobody_asked_for(client, script):
    s = script(up.embeddings(packed(VECTORS[0])))
    answer = embed(client, s.under("openai")).ok().json
    assert near(answer["data"][0]["embedding"], VECTORS[0])


@pytest.mark.parametrize("input", [[1, 2, 3], [[1, 2], [3]]])
def test_tokens(client, script, input):
    s = script(up.embeddings(*[[1.0]] * (2 if isinstance(input[0], list) else 1)))
    embed(client, s.under("openai"), input).ok()
    assert s.request.json["input"] == input
    for dialect in ("gemini", "ollama"):
        embed(client, s.under(dialect), input).error(400, "unsupported_parameter", "input")


def test_the_whole_endpoint_may_be_configured(client, script):
    s = script(up.embeddings([1.0]))
    embed(client, s.under("pasted")).ok()
    assert s.request.target == "/v1/embeddings"
    s = script(up.reply(up.completion("ok")))
    client.complete(s.under("pasted")).ok()
    assert s.request.target == "/v1/chat/completions"


# --- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("body", "code", "param"), [
    ({"input": "x"}, "missing_required_parameter", "model"),
    ({"model": "echo"}, "missing_required_parameter", "input"),
    ({"model": "echo", "input": None}, "missing_required_parameter", "input"),
    ({"model": "echo", "input": []}, "invalid_value", "input"),
    ({"model": "echo", "input": 7}, "invalid_type", "input"),
    ({"model": "echo", "input": {}}, "invalid_type", "input"),
    ({"model": "echo", "input": [None]}, "invalid_type", "input"),
    ({"model": "echo", "input": [{"text": "x"}]}, "invalid_type", "input"),
    ({"model": "echo", "input": ["a", 1]}, "invalid_type", "input[1]"),
    ({"model": "echo", "input": [1, "a"]}, "invalid_type", "input[1]"),
    ({"model": "echo", "input": [1, -1]}, "invalid_type", "input[1]"),
    ({"model": "echo", "input": [1.5]}, "invalid_type", "input[0]"),
    ({"model": "echo", "input": [[1], "a"]}, "invalid_type", "input[1]"),
    ({"model": "echo", "input": [[1], []]}, "invalid_value", "input[1]"),
    ({"model": "echo", "input": [[1], [2, "a"]]}, "invalid_type", "input[1][1]"),
    ({"model": "echo", "input": ["a"] * 2049}, "invalid_value", "input"),
    ({"model": "echo", "input": "x", "encoding_format": "hex"}, "invalid_value",
     "encoding_format"),
    ({"model": "echo", "input": "x", "dimensions": "4"}, "invalid_type", "dimensions"),
    ({"model": "echo", "input": "x", "dimensions": 0}, "invalid_value", "dimensions"),
    ({"model": "echo", "input": "x", "dimensions": 257}, "invalid_value", "dimensions"),
])
def test_bad_input(client, body, code, param):
    client.post("/v1/embeddings", body).error(400, code, param)


def test_a_model_that_nobody_configured(client):
    error = embed(client, "nobody").error(404, "model_not_found", "model")
    assert "openai/*" in error["message"]


# --- failures --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "status", "code"), [
    (up.reply(b"<html>sorry</html>", content_type="text/html"), 502, "upstream_bad_response"),
    (up.reply(b""), 502, "upstream_bad_response"),
    (up.reply(b'{"data":'), 502, "upstream_bad_response"),
    (up.reply(b'{"data":"\xff"}'), 502, "upstream_bad_response"),
    (up.reply({"data": [{"index": 0, "embedding": [True]}]}), 502, "upstream_bad_response"),
    (up.reply({"data": [{"index": 0, "embedding": [1e39]}]}), 502, "upstream_bad_response"),
    (up.reply({"data": [{"index": 5, "embedding": [1]}]}), 502, "upstream_bad_response"),
    (up.reply(up.completion("a chat's answer")), 502, "upstream_bad_response"),
    (up.reply({"error": {"message": "it broke"}}), 502, "upstream_error"),
    (up.reply({"error": {"message": "slow down"}}, 429, headers=[("Retry-After", "7")]), 429,
     "rate_limit_exceeded"),
    (up.reply({"error": {"message": "too long"}}, 413), 413, "upstream_rejected"),
    (up.reply({"error": {"message": "broken"}}, 500), 502, "upstream_error"),
    ([up.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"),
      up.hang_up()], 502, ("stream_incomplete", "upstream_bad_response")),
])
def test_failures(client, script, step, status, code):
    s = script(step)
    reply = embed(client, s.under("openai"), encoding_format="base64")
    error = reply.error(status, code)
    assert reply.headers["x-parley-attempts"] == "1" and error["message"]
    if status == 429:
        assert reply.headers["retry-after"] == "7"
    if code == "upstream_bad_response":
        assert "'openai'" in error["message"]


def test_nobody_there(client):
    embed(client, "dead/m").error(502, "upstream_connect_failed")


@pytest.mark.parametrize(("prefix", "code"), [("quick", "first_byte_timeout"),
                                              ("brief", "total_timeout")])
def test_time_limits(client, script, prefix, code):
    gate = up.Gate()
    s = script(up.wait(gate))
    embed(client, s.under(prefix)).error(504, code)
    s.wait().wait_closed()
    gate.open()


def test_an_answer_over_the_limit_names_it(client, script):
    s = script(up.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                      b"Content-Length: 67108865\r\n\r\n{"), up.wait(up.Gate()))
    error = embed(client, s.under("openai")).error(502, "upstream_bad_response")
    assert "67108864" in error["message"]


def test_who_leaves_ends_the_call(gateway, script):
    gate = up.Gate()
    s = script(up.wait(gate))
    with Raw(gateway) as raw:
        raw.send(post("/v1/embeddings", json.dumps({"model": s.under("openai"),
                                                    "input": "hi"}).encode()))
        gate.wait_reached()
    s.wait().wait_closed()
    gate.open()


# --- attempts --------------------------------------------------------------------------------------


def test_retries_targets_and_fallbacks(start, upstream, script):
    bad = script(up.reply({"error": {"message": "busy"}}, 500))
    good = script(up.embeddings([1.0]))
    g = start({
        "providers": [{**provider(upstream, "a"), "retries": 1},
                      provider(upstream, "c", dialect="anthropic")],
        "models": [
            {"name": "m", "provider": "a", "upstream_model": bad.name, "fallback": ["chat", "last"]},
            {"name": "chat", "provider": "c", "upstream_model": bad.name},
            {"name": "last", "targets": [{"provider": "c", "upstream_model": bad.name},
                                         {"provider": "a", "upstream_model": good.name}]},
        ],
    })
    with Client(g.url) as client:
        reply = embed(client, "m", encoding_format="base64").ok()
        # Twice the first, then neither the model nor the target that has no embeddings.
        assert reply.headers["x-parley-attempts"] == "3"
        assert [d["embedding"] for d in reply.json["data"]] == [packed([1.0])]
        assert len(bad.exchanges) == 2 and len(good.exchanges) == 1
        metrics = client.get("/metrics").body.decode()
        assert 'parley_tokens_total{model="m",type="input"} 11' in metrics
        g.wait_log(r'"route":"embeddings".*"tokens_in":11\b')


# --- keys ------------------------------------------------------------------------------------------


def test_an_idempotency_key(client, script):
    s = script(up.embeddings(*VECTORS))
    headers = {"Idempotency-Key": f"embed-{s.name}"}
    first = embed(client, s.under("openai"), ["a", "b"], headers, encoding_format="base64").ok()
    again = embed(client, s.under("openai"), ["a", "b"], headers, encoding_format="base64").ok()
    assert again.body == first.body and again.headers["idempotency-replayed"] == "true"
    assert len(s.exchanges) == 1
    embed(client, s.under("openai"), ["a", "c"], headers).error(422, "idempotency_key_reused")


# --- large answers ---------------------------------------------------------------------------------


def test_a_large_answer_is_converted(client, script):
    vector = [((i * 7919) % 20001 - 10000) / 16384 for i in range(1536)]
    s = script(up.embeddings(*[vector] * 200))
    answer = embed(client, s.under("openai"), ["x"] * 200, encoding_format="base64").ok().json
    assert len(answer["data"]) == 200
    assert {d["embedding"] for d in answer["data"]} == {packed(vector)}


# --- echo ------------------------------------------------------------------------------------------


def test_echo_is_near_where_words_are_shared(client):
    texts = ["the cat sat on the mat", "The cat sat on a mat", "wholly different words here"]
    answer = embed(client, "echo", texts, dimensions=64).ok().json
    a, b, c = [d["embedding"] for d in answer["data"]]
    assert all(math.isclose(sum(x * x for x in v), 1, rel_tol=1e-5) for v in (a, b, c))
    assert sum(x * y for x, y in zip(a, b, strict=True)) > 0.6
    assert sum(x * y for x, y in zip(a, c, strict=True)) < 0.5
    assert answer["usage"] == {"prompt_tokens": 16, "total_tokens": 16}
    once = embed(client, "echo", texts[0], dimensions=64, encoding_format="base64").ok().json
    assert near(unpacked(once["data"][0]["embedding"]), a)
    assert len(embed(client, "echo", "").ok().json["data"][0]["embedding"]) == 16
    assert len(embed(client, "echo", [[1], [2]]).ok().json["data"]) == 2


@pytest.mark.parametrize("dialect, answer", [
    ("openai", '{"object":"list","model":"m","data":[{"object":"embedding","index":0,'
               '"embedding":[0.5,NUMBER]}]}'),
    ("openai", '{"data":[{"index":0,"embedding":[NUMBER,0.5]}]}'),
    ("gemini", '{"embeddings":[{"values":[0.5,NUMBER,1]}]}'),
    ("ollama", '{"model":"m","embeddings":[[NUMBER]]}')])
@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_what_is_no_finite_number(client, script, dialect, answer, encoding):
    for number in ("1e400", "-1E+400", "1e39", "9" * 40, "0.5e40"):
        s = script(up.reply(answer.replace("NUMBER", number).encode()))
        error = embed(client, s.under(dialect), encoding_format=encoding)
        error.error(502, "upstream_bad_response")
        assert "no float32" in error.json["error"]["message"], error
    for number in ("1e-400", "1e38", "-3.4E+38", "9" * 38, "0." + "1" * 60, "1" * 45 + "e-20"):
        s = script(up.reply(answer.replace("NUMBER", number).encode()))
        embed(client, s.under(dialect), encoding_format=encoding).ok()
