"""POST /v1/translate: every vector of the rules, and what the vectors leave out."""

import contextlib
import json
import signal
import threading

import pytest

import gateway
import vectors
from client import Client
from raw import Closed, Raw, post

LMC = {"from": "lmc", "to": "openai"}
OPENAI = {"from": "openai", "to": "lmc"}
HELLO = {"role": "user", "type": "message", "content": "Hello"}
HELLO_OPENAI = {"role": "user", "content": "Hello"}
RANDOM_CUTS = 4


def translate(client, request, **fields):
    return client.post("/v1/translate", {**request, **fields})


def said(client, request, **fields):
    """The answer to a request that is right."""
    body = {**request, **fields}
    answer = client.post("/v1/translate", body).ok().json
    vectors.check_answer({}, answer, body)
    return answer


# --- the vectors ----------------------------------------------------------------------------------

ALL = [(suite, vector) for suite in vectors.SUITES for vector in vectors.load(suite)]


@pytest.mark.parametrize("suite, vector",
                         [pytest.param(s, v, id=f"{s}-{v['name']}") for s, v in ALL])
def test_each_vector_gives_what_it_says(client, suite, vector):
    if "stream" not in vector:
        vectors.check(vector, vector["request"], client.post("/v1/translate", vector["request"]))
        return
    cuts = [vectors.whole, vectors.points]
    cuts += [vectors.at_random(f"{vector['name']} {n}") for n in range(RANDOM_CUTS)]
    for cut in cuts:
        request = {**vector["request"], "chunks": vectors.chunks(vector["stream"], cut)}
        vectors.check(vector, request, client.post("/v1/translate", request))


@pytest.mark.parametrize("suite, vector", [
    pytest.param(s, v, id=v["name"]) for s, v in ALL if s == "openai_to_lmc" and
    "error" not in v["expect"] and len(v["request"]["messages"]) == 1 and
    v["request"]["messages"][0]["role"] == "assistant" and
    isinstance(v["request"]["messages"][0].get("content"), str)])
def test_a_whole_answer_gives_the_same_as_a_chunk(client, suite, vector):
    """K8, with the message as a chunk's (K4)."""
    request = dict(vector["request"])
    message, = request.pop("messages")
    request["chunks"] = [{"choices": [{"index": 0, "message": message}]}]
    vectors.check(vector, request, client.post("/v1/translate", request))


# --- what is refused ------------------------------------------------------------------------------

REFUSED = [
    ("no from", {"to": "lmc", "messages": []}, "from"),
    ("from null", {"from": None, "to": "lmc", "messages": []}, "from"),
    ("from nobody", {"from": "anthropic", "to": "lmc", "messages": []}, "from"),
    ("from in capitals", {"from": "LMC", "to": "openai", "messages": []}, "from"),
    ("from a number", {"from": 1, "to": "lmc", "messages": []}, "from"),
    ("nothing at all", {}, "from"),
    ("no to", {"from": "lmc", "messages": []}, "to"),
    ("to nobody", {"from": "lmc", "to": "xml", "messages": []}, "to"),
    ("to a list", {"from": "lmc", "to": ["openai"], "messages": []}, "to"),
    ("both lmc", {"from": "lmc", "to": "lmc", "messages": []}, "to"),
    ("both openai", {"from": "openai", "to": "openai", "chunks": []}, "to"),
    ("code of a third kind", {**LMC, "messages": [], "code": "text"}, "code"),
    ("code null", {**LMC, "messages": [], "code": None}, "code"),
    ("code true", {**LMC, "chunks": [], "code": True}, "code"),
    ("code empty", {**LMC, "chunks": [], "code": ""}, "code"),
    ("vision a string", {**LMC, "messages": [], "vision": "false"}, "vision"),
    ("vision a number", {**LMC, "messages": [], "vision": 0}, "vision"),
    ("vision null", {**LMC, "messages": [], "vision": None}, "vision"),
    ("fences a string", {**OPENAI, "messages": [], "fences": "true"}, "fences"),
    ("fences in a stream", {**OPENAI, "chunks": [], "fences": 1}, "fences"),
    ("no list", LMC, "messages"),
    ("no list of openai", OPENAI, "messages"),
    ("both lists", {**LMC, "messages": [], "chunks": []}, "messages"),
    ("both lists, one null", {**OPENAI, "messages": [], "chunks": None}, "messages"),
    ("messages an object", {**LMC, "messages": HELLO}, "messages"),
    ("messages a string", {**OPENAI, "messages": "Hello"}, "messages"),
    ("messages null", {**OPENAI, "messages": None}, "messages"),
    ("chunks an object", {**LMC, "chunks": {}}, "chunks"),
    ("chunks a number", {**OPENAI, "chunks": 1}, "chunks"),
    ("chunks null", {**OPENAI, "chunks": None}, "chunks"),
    ("a message that is a string", {**LMC, "messages": [HELLO, "x"]}, "messages[1]"),
    ("a message that is null", {**OPENAI, "messages": [None]}, "messages[0]"),
    ("a message that is a list", {**OPENAI, "messages": [[HELLO_OPENAI]]}, "messages[0]"),
    ("a chunk that is a number", {**LMC, "chunks": [HELLO, HELLO, 3]}, "chunks[2]"),
    ("a chunk that is a string", {**OPENAI, "chunks": ["data: [DONE]"]}, "chunks[0]"),
    ("a chunk behind an error", {**OPENAI, "chunks": [{"error": "x"}, 1]}, "chunks[1]"),
    ("the first of two", {**LMC, "messages": [{**HELLO, "role": "x"}, 1]}, "messages[0].role"),
    ("the first of two, turned", {**LMC, "messages": [1, {**HELLO, "role": "x"}]}, "messages[0]"),
    ("from before to", {"from": "x", "to": "y", "chunks": 1, "code": 1}, "from"),
    ("no role", {**LMC, "messages": [{"type": "message", "content": "x"}]}, "messages[0].role"),
    ("role null", {**LMC, "messages": [{**HELLO, "role": None}]}, "messages[0].role"),
    ("no type", {**LMC, "messages": [{"role": "user", "content": "x"}]}, "messages[0].type"),
    ("format a number", {**LMC, "messages": [{**HELLO, "format": 1}]}, "messages[0].format"),
    ("no content", {**LMC, "messages": [HELLO, {"role": "user", "type": "message"}]},
     "messages[1].content"),
    ("role before type", {**LMC, "messages": [{"type": 1}]}, "messages[0].role"),
    ("image from a file", {**LMC, "messages": [
        {"role": "user", "type": "image", "format": "path", "content": "/etc/passwd"}]},
     "messages[0].format"),
    ("image from a file, of a chunk", {**LMC, "chunks": [HELLO, {
        "role": "user", "type": "image", "format": "path", "content": "/etc/passwd"}]},
     "messages[1].format"),
    ("image of a scheme", {**LMC, "messages": [
        {"role": "user", "type": "image", "format": "url", "content": "file:///etc/passwd"}]},
     "messages[0].content"),
    ("sound that is no base64", {**LMC, "messages": [
        {"role": "user", "type": "audio", "content": "UklGR"}]}, "messages[0].content"),
    ("chunk without role", {**LMC, "chunks": [{"type": "message", "content": "x"}]},
     "chunks[0].role"),
    ("chunk without type", {**LMC, "chunks": [HELLO, {"role": "user", "content": "x"}]},
     "chunks[1].type"),
    ("chunk with a format", {**LMC, "chunks": [{**HELLO, "format": []}]}, "chunks[0].format"),
    ("role nobody has", {**OPENAI, "messages": [{"role": "computer", "content": "x"}]},
     "messages[0].role"),
    ("user without content", {**OPENAI, "messages": [{"role": "user"}]}, "messages[0].content"),
    ("content a number", {**OPENAI, "messages": [{"role": "assistant", "content": 1}]},
     "messages[0].content"),
    ("part a string", {**OPENAI, "messages": [{"role": "user", "content": ["x"]}]},
     "messages[0].content[0]"),
    ("text part without text", {**OPENAI, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "text"}]}]},
     "messages[0].content[1].text"),
    ("image of another kind", {**OPENAI, "messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "data:image/tiff;base64,AAAA"}}]}]},
     "messages[0].content[0].image_url.url"),
    ("sound of another kind", {**OPENAI, "messages": [{"role": "user", "content": [
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "ogg"}}]}]},
     "messages[0].content[0].input_audio.format"),
]


@pytest.mark.parametrize("body, param", [pytest.param(b, p, id=why) for why, b, p in REFUSED])
def test_a_bad_request_names_its_culprit(client, body, param):
    error = client.post("/v1/translate", body).error(400, param=param,
                                                     type="invalid_request_error")
    assert error["code"] in ("invalid_type", "invalid_value", "missing_required_parameter")


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b'"x"', b"{", b'{"from":"lmc"} x',
                                  b'{"from":"lmc","from":"lmc","to":"openai","messages":[]}'])
def test_a_body_that_is_no_object_is_refused(client, body):
    client.post("/v1/translate", body).error(400, type="invalid_request_error")


def test_other_methods_are_refused(client):
    client.get("/v1/translate").error(405, "method_not_allowed")


def test_a_body_over_the_limit_is_refused(start):
    with Client(start({"max_body": "64KiB"}).url) as client:
        long = {**HELLO, "content": "x" * 66000}
        translate(client, LMC, messages=[long]).error(413, "request_too_large")
        long["content"] = "x" * 65000
        assert said(client, LMC, messages=[long])["messages"][0]["content"] == long["content"]


# --- what is taken --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [LMC, OPENAI], ids=["lmc", "openai"])
def test_empty_lists_are_fine(client, form):
    assert said(client, form, messages=[]) == {
        "object": "translation", "messages": [], "warnings": []}
    answer = said(client, form, chunks=[])
    assert answer["messages"] == [] and answer["warnings"] == []
    if form is LMC:
        assert vectors.spoken(answer["chunks"]) == ("", [], "stop")
        assert len(answer["chunks"]) == 2
    else:
        assert answer["chunks"] == []


def test_unknown_members_and_options_of_other_forms_are_ignored(client):
    plain = said(client, LMC, messages=[HELLO])
    assert plain["messages"] == [HELLO_OPENAI]
    for more in ({"fences": "what"}, {"model": 1}, {"stream": True}, {"": None}):
        assert said(client, LMC, messages=[HELLO], **more) == plain
    assert said(client, LMC, chunks=[HELLO], vision="what", fences=1)["messages"] == [HELLO_OPENAI]
    assert said(client, OPENAI, messages=[HELLO_OPENAI], code=1, vision=2)["messages"] == [HELLO]
    assert said(client, OPENAI, chunks=[], code=1, vision=2)["messages"] == []


def test_vision_is_on_in_chunks(client):
    image = {"role": "user", "type": "image", "format": "url", "content": "https://x/y.png"}
    assert len(said(client, LMC, chunks=[image], vision=False)["messages"]) == 1
    none = said(client, LMC, messages=[image], vision=False)
    assert none["messages"] == [] and none["warnings"][0]["index"] == 0


@pytest.mark.parametrize("text", [
    "a\0b", "\0", "\ud83d", "a\udc00b", "\ud83d\ude00", "\ude00\ud83d", "\x01\x1f\x7f\u2028",
    "\\\"/\b\f", "é", "日本", "\U0010ffff", "\ud83d`", "a" * 70000 + "\0"],
    ids=lambda text: ascii(text)[:20])
@pytest.mark.parametrize("cut", [vectors.whole, vectors.points], ids=["whole", "points"])
def test_every_code_point_survives(client, text, cut):
    """Halves of surrogates too: what has no other half stays what it was."""
    pieces = cut(f"<{text}>")
    text = vectors.paired(f"<{text}>")
    lmc = {"role": "assistant", "type": "message", "content": text}
    openai = {"role": "assistant", "content": text}
    assert said(client, LMC, messages=[lmc])["messages"] == [openai]
    assert said(client, OPENAI, messages=[openai])["messages"] == [lmc]

    answer = said(client, OPENAI, chunks=[vectors.chunk({"content": p}) for p in pieces])
    assert answer["messages"] == [lmc] == vectors.together(answer["chunks"])
    answer = said(client, LMC, chunks=[{**lmc, "content": p} for p in pieces])
    assert answer["messages"] == [openai]
    assert vectors.paired(vectors.spoken(answer["chunks"])[0]) == text


@pytest.mark.parametrize("text", ["a\0b", "\ud83d", "\ud83d\ude00", "\"\\\n"],
                         ids=lambda text: ascii(text))
def test_every_code_point_survives_in_code(client, text):
    text = vectors.paired(text)
    code = {"role": "assistant", "type": "code", "format": "python", "content": text}
    answer = said(client, LMC, messages=[code])
    function = answer["messages"][0]["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"language": "python", "code": text}
    answer = said(client, LMC, messages=[code], code="fence")
    assert answer["messages"] == [{"role": "assistant", "content": f"```python\n{text}\n```"}]
    back = said(client, OPENAI, messages=answer["messages"])
    assert back["messages"] == [code]


def test_a_warning_names_the_message_or_the_chunk(client):
    server = {"role": "server", "type": "status", "content": "x"}
    answer = said(client, LMC, messages=[HELLO, server])
    assert [w["index"] for w in answer["warnings"]] == [1]
    blank = {**HELLO, "content": " "}
    # The third chunk is not stored; of the two messages the second is skipped.
    answer = said(client, LMC, chunks=[HELLO, {**HELLO, "content": "!"}, server, blank])
    assert answer["messages"] == [{"role": "user", "content": "Hello!"}]
    assert [w["index"] for w in answer["warnings"]] == [2, 1]


# --- much -----------------------------------------------------------------------------------------


def test_a_long_text_comes_whole(client):
    """More than one string may hold, put together from its chunks."""
    piece = "0123456789abcde\n" * 65536
    answer = said(client, LMC, chunks=[{**HELLO, "content": piece}] * 18)
    assert answer["messages"] == [{"role": "user", "content": (piece * 18).strip()}]


def test_many_messages_and_many_chunks_come_whole(client):
    text = [vectors.chunk({"content": f"{n} "}) for n in range(20000)]
    answer = said(client, OPENAI, chunks=text)
    assert answer["messages"][0]["content"] == "".join(f"{n} " for n in range(20000))
    lists = [{**HELLO, "content": str(n)} for n in range(20000)]
    assert len(said(client, LMC, messages=lists)["messages"]) == 20000


def test_an_answer_that_would_be_too_large_is_refused(client):
    """A few bytes for each call make many of the answer."""
    calls = [{}] * 900000
    body = {**OPENAI, "chunks": [{"choices": [{"delta": {"tool_calls": calls}}]}]}
    client.post("/v1/translate", body).error(413, "request_too_large", param="chunks")
    assert said(client, LMC, messages=[HELLO])["messages"] == [HELLO_OPENAI]


def test_warnings_are_bounded(client):
    server = {"role": "server", "type": "status", "content": "x"}
    answer = said(client, LMC, messages=[server] * 5000)
    assert answer["messages"] == [] and 1 < len(answer["warnings"]) < 1000


@pytest.fixture(scope="module")
def large():
    """A body that takes a while."""
    return json.dumps({**OPENAI, "chunks": [
        vectors.chunk({"content": "word `code` "}) for _ in range(60000)]}).encode()


@pytest.mark.long
def test_others_are_served_beside_a_large_translation(client, shared, large):
    replies = []

    def ask():
        with Client(shared.url) as other:
            replies.append(other.post("/v1/translate", large).status)
    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for n in range(20):
        assert said(client, LMC, messages=[{**HELLO, "content": str(n)}])["messages"] == [
            {"role": "user", "content": str(n)}]
    for thread in threads:
        thread.join()
    assert replies == [200] * 3


def test_a_client_may_leave_while_its_body_is_translated(client, shared, large):
    for _ in range(5):
        Raw(shared).send(post("/v1/translate", large)).close()
    assert said(client, LMC, messages=[HELLO])["messages"] == [HELLO_OPENAI]
    assert client.post("/v1/translate", large).ok().json["object"] == "translation"


def test_a_stop_lets_a_translation_end(start, large):
    one = start()
    with Raw(one) as raw:
        raw.send(post("/v1/translate", large))
        one.signal(signal.SIGTERM)
        # It may also have been stopped before it had read the whole request.
        with contextlib.suppress(Closed):
            assert raw.read().status in (200, 503)
    assert one.wait_exit() == 0
    one.check_log()


def test_a_stop_does_not_mind_a_translation_that_nobody_awaits(start, large):
    one = start()
    Raw(one).send(post("/v1/translate", large)).close()
    one.stop()


def test_too_many_calls_in_one_turn_are_refused_for_good(client):
    """Not as an overload, after which a client would try again."""
    calls = [{"id": "a", "type": "function"}] * 600
    message = {"role": "assistant", "tool_calls": calls}
    translate(client, OPENAI, messages=[message]).error(400, param="messages[0].tool_calls")
    chunk = {"choices": [{"delta": {"tool_calls": calls}}]}
    translate(client, OPENAI, chunks=[chunk]).error(413, "request_too_large", param="chunks")


def test_nothing_of_a_translation_is_stored_or_logged(client, shared):
    mark = len(shared.lines)
    said(client, LMC, messages=[{**HELLO, "content": f"say {gateway.CANARY}"}])
    shared.wait_log(r'"route":"translate"', start=mark)
    shared.check_log()


def test_a_key_is_needed_where_keys_are(start):
    url = start(env={"PARLEY_API_KEY": "pk-test"}).url
    body = {**LMC, "messages": [HELLO]}
    with Client(url) as client:
        client.post("/v1/translate", body).error(401)
    with Client(url, {"Authorization": "Bearer pk-test"}) as client:
        client.post("/v1/translate", body).ok()
