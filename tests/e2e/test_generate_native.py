"""Gemini's API where the provider speaks it: both directions pass through unchanged."""

import base64
import json
import re

import pytest
from google import genai
from google.genai import errors, types

import keys
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider
from hook import Hook, allow, block, masks, replace
from waiting import DEADLINE, wait_until

HELLO = [{"role": "user", "parts": [{"text": "Hello"}]}]
STORE = {"x-parley-store": "true"}
WEB = {"groundingMetadata": {"webSearchQueries": ["tea"], "groundingChunks": [{"web": {"uri": "https://e.x/", "title": "T"}}],
                             "groundingSupports": [{"segment": {"endIndex": 3, "text": "tea"}, "groundingChunkIndices": [0],
                                                    "confidenceScores": [0.5]}]},
       "citationMetadata": {"citationSources": [{"startIndex": 1, "endIndex": 3, "uri": "https://e.x/"}]},
       "safetyRatings": [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE"}]}
ODDS = {"avgLogprobs": -0.25, "logprobsResult": {"chosenCandidates": [{"token": "tea", "tokenId": 7, "logProbability": -0.5}],
                                                  "topCandidates": [{"candidates": [{"token": "tea", "logProbability": -0.5}]}]}}
CODE = [{"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}}]
USAGE = {"promptTokenCount": 11, "candidatesTokenCount": 4, "thoughtsTokenCount": 3, "totalTokenCount": 18}


def content(*parts):
    return {"parts": list(parts), "role": "model"}


def response(*candidates, **more):
    return {"candidates": list(candidates), "modelVersion": "gemini-up-1", "responseId": "up-1", **more}


ANSWER = response(
    {"content": content({"text": "h\u00fcm", "thought": True}, *CODE, {"text": "tea", "thoughtSignature": "QUJD+/8="}),
     "finishReason": "STOP", "index": 0, **WEB, **ODDS}, usageMetadata=USAGE, ofTomorrow={"a": [1.50]})
# json.dumps puts blanks between tokens and escapes what is not ASCII: both have to stay.
WHOLE = json.dumps(ANSWER).encode()
PIECES = [response({"content": content({"text": "h\u00fcm", "thought": True}), "index": 0}),
          response({"content": content(*CODE), "index": 0}),
          response({"content": content({"text": "te"}), "index": 0, "avgLogprobs": -0.5}),
          response({"content": content({"text": "a"}), "finishReason": "STOP", "index": 0, **WEB}, usageMetadata=USAGE)]


def asked(contents=None, **more):
    return {"contents": contents or HELLO, **more}


def at(model, verb="generateContent", alt=""):
    return f"/v1beta/models/{model}:{verb}{alt}"


def sse(*pieces):
    return b"".join(b"data: " + json.dumps(p).encode() + b"\n\n" for p in pieces)


def stream_of(*pieces, end=(up.end(),)):
    return [up.sse(), *[up.data(p) for p in pieces], *end]


@pytest.fixture(scope="module")
def native(start_once, upstream):
    port = {"api_key_env": "TEST_UPSTREAM_KEY"}
    return start_once({
        "hosted_tools": "refuse",
        "providers": [provider(upstream, "real", dialect="gemini", **port), provider(upstream, "other", **port)],
        "models": [
            {"name": "g/*", "provider": "real"}, {"name": "o/*", "provider": "other"},
            {"name": "old/*", "provider": "real", "max_output": 40, "no_sampling": True},
            {"name": "says/*", "provider": "real", "defaults": {"instruction": "Be \"brief\".", "config": {
                "temperature": 0.2, "top_p": 0.5, "stop": "END", "seed": 7, "reasoning_effort": "low"}}},
            {"name": "both/*", "provider": "real", "fallback": ["o/x"]}],
    }, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})


@pytest.fixture
def client(native):
    with Client(native.url) as client:
        yield client


def sdk_of(url):
    return genai.Client(api_key="x", http_options={"base_url": url, "timeout": DEADLINE * 1000})


# --- both ways ------------------------------------------------------------------------------------


ODD = (b'{"system_instruction" : {"parts":{"text":"be"}}, "contents":[ {"role":"user","parts":[{"text":"a\\u00e4"},'
       b'{"fileData":{"fileUri":"https://e.x/v","mimeType":"video/mp4"},"videoMetadata":{"fps":1e0},"ofTomorrow":1}]},'
       b'\n {"role":"model","parts":[{"text":"t","thoughtSignature":"QUJD+/8="},{"executableCode":{"language":"PYTHON",'
       b'"code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"partOfTomorrow":{"a":1.50}}]},'
       b'{"role":"user","parts":[{"text":"so"}]} ],"tools":[{"googleSearch":{}},{"codeExecution":{}},{"urlContext":{}}],'
       b'"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}],"unknown":{"k":[1,2]},'
       b'"generationConfig":{"maxOutputTokens": 50,"topK":4.0,"responseLogprobs":true,"logprobs":2,"speechOfTomorrow":{}}}')
# What the strict provider has against it.
OF_ODD = {"types unknown": "a member of tomorrow", "types contents.*": "members of tomorrow",
          "types generationConfig.speechOfTomorrow": "a member of tomorrow", "types system_instruction*": "the other spelling",
          "one-datum contents.1.parts.3": "a part of tomorrow"}


@pytest.mark.parametrize("way", ["whole", "sse", "array"])
def test_the_request_and_the_answer_are_as_they_came(client, script, way):
    s = script(up.reply(WHOLE) if way == "whole" else stream_of(*PIECES), allows=OF_ODD)
    verb, alt = {"whole": ("generateContent", ""), "sse": ("streamGenerateContent", "?alt=sse"),
                 "array": ("streamGenerateContent", "")}[way]
    reply = client.post(at(s.under("g"), verb, alt), ODD, headers={
        "content-type": "application/json", "x-goog-api-key": "the gateway's", "x-goog-api-client": "x"}).ok()
    assert s.request.body == ODD and s.request.header("x-goog-api-key") == UPSTREAM_KEY
    assert s.request.target == f"/v1/models/{s.name}:" + ("generateContent" if way == "whole" else "streamGenerateContent?alt=sse")
    assert not s.request.header("x-goog-api-client") and "x-parley-warnings" not in reply.headers
    if way == "array":
        assert reply.json == PIECES
    else:
        assert reply.body == (WHOLE + b"\n" if way == "whole" else sse(*PIECES))


CONFIG = types.GenerateContentConfig(
    system_instruction="be brief", temperature=0.5, candidate_count=2, max_output_tokens=99, response_logprobs=True, logprobs=1,
    tools=[types.Tool(google_search=types.GoogleSearch()), types.Tool(url_context=types.UrlContext())],
    safety_settings=[types.SafetySetting(category="HARM_CATEGORY_HARASSMENT", threshold="BLOCK_NONE")],
    thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=128),
    response_mime_type="application/json", response_schema={"type": "OBJECT", "properties": {
        "b": {"type": "STRING", "nullable": True}, "a": {"type": "INTEGER"}}, "propertyOrdering": ["b", "a"]})


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_the_sdk_is_as_with_google(native, upstream, script, stream):
    """The same request with the gateway and without it."""
    second = {"content": content({"text": '{"b": null}'}), "finishReason": "MAX_TOKENS", "index": 1}
    both = [{**ANSWER, "candidates": [*ANSWER["candidates"], second]}]
    if stream:
        both = [*PIECES[:-1], response(second), PIECES[-1]]
    s = script(stream_of(*both) if stream else up.reply(both[0]),
               allows={"types generationConfig.*": "the SDK's own spelling of some names"})
    said = []
    for url, model in ((upstream.url.removesuffix("/v1"), s.name), (native.url, s.under("g"))):
        sdk = sdk_of(url)
        models = sdk.models
        ask = models.generate_content_stream if stream else models.generate_content
        got = ask(model=model, contents="tea?", config=CONFIG)
        said.append([p.model_dump(exclude={"sdk_http_response"}) for p in (got if stream else [got])])
    assert s.wait(1).request.body == s.wait(2).request.body and b"candidateCount" in s.request.body
    assert said[0] == said[1]
    last = said[1][-1]["candidates"][0]
    assert last["grounding_metadata"]["grounding_chunks"][0]["web"]["uri"] == "https://e.x/"
    assert [c["index"] for p in said[1] for c in p["candidates"]].count(1) == 1


@pytest.mark.parametrize("cut", range(len(PIECES) + 1))
def test_a_stream_that_is_cut(client, script, cut):
    """What has come is passed on, and an answer that is not whole never says that it has ended."""
    broken = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
    for end in ([up.hang_up()], [up.end()], [up.data(broken), up.end()]):
        s = script(stream_of(*PIECES[:cut], end=end))
        reply = client.post(at(s.under("g"), "streamGenerateContent", "?alt=sse"), asked())
        if reply.status != 200:
            assert cut < 1 and reply.json["error"]["code"] == reply.status
            continue
        got = [json.loads(b[6:]) for b in reply.body.split(b"\n\n") if b.startswith(b"data: ")]
        if cut == len(PIECES) and len(end) == 1:
            assert got == PIECES
            continue
        assert got.pop()["error"]["status"] in ("UNAVAILABLE", "INTERNAL")
        want = json.loads(json.dumps(PIECES[:cut]))
        for piece in want:
            piece["candidates"][0].pop("finishReason", None)
        assert got == want


def test_a_candidate_that_has_not_ended(client, script):
    half = response({"content": content({"text": "b"}), "index": 1})
    s = script(stream_of(*PIECES[:-1], half, PIECES[-1]))
    body = asked(generationConfig={"candidateCount": 2})
    got = client.post(at(s.under("g"), "streamGenerateContent", "?alt=sse"), body).ok()
    assert b"stream_incomplete" in got.body and b"finishReason" not in got.body
    s = script(up.reply(response(ANSWER["candidates"][0], half["candidates"][0])))
    assert client.post(at(s.under("g")), body).status == 502


def test_errors_of_the_provider(client, native, script):
    for status, word in ((400, "INVALID_ARGUMENT"), (429, "RESOURCE_EXHAUSTED"), (503, "UNAVAILABLE")):
        s = script(up.reply({"error": {"code": status, "message": "said so", "status": word}}, status))
        with sdk_of(native.url) as sdk, pytest.raises(errors.APIError) as caught:
            sdk.models.generate_content(model=s.under("g"), contents="x")
        assert (caught.value.code, caught.value.status) == (status, word) and "said so" in caught.value.message


def test_a_prompt_that_is_blocked(client, script):
    blocked = {"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": WEB["safetyRatings"]}, "responseId": "r",
               "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 3}, "modelVersion": "v"}
    s = script(up.reply(blocked))
    assert client.post(at(s.under("g")), asked()).ok().json == blocked
    s = script(stream_of(blocked))
    assert client.post(at(s.under("g"), "streamGenerateContent", "?alt=sse"), asked()).ok().body == sse(blocked)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_long_answers_pass_through_workers(client, script, stream):
    long = response({"content": content({"text": "x" * 700_000}), "finishReason": "STOP", "index": 0}, usageMetadata=USAGE)
    s = script(stream_of(PIECES[0], long) if stream else up.reply(long))
    body = asked([{"role": "user", "parts": [{"text": "y" * 400_000}]}])
    reply = client.post(at(s.under("g"), "streamGenerateContent" if stream else "generateContent"), body).ok()
    assert reply.json == ([PIECES[0], long] if stream else long) and s.request.json == body


def test_arguments_that_come_in_pieces(client, script):
    """As a client asks for them, with streamFunctionCallArguments."""
    pieces = [response({"content": content({"functionCall": c}), "index": 0}) for c in (
        {"name": "f", "partialArgs": [{"jsonPath": "$.city", "stringValue": "Bo", "willContinue": True}], "willContinue": True},
        {"partialArgs": [{"jsonPath": "$.city", "stringValue": "nn"}], "willContinue": True}, {})]
    s = script(stream_of(*pieces, PIECES[-1]))
    assert client.post(at(s.under("g"), "streamGenerateContent"), asked()).ok().json == [*pieces, PIECES[-1]]


# --- what is changed ------------------------------------------------------------------------------


def call(name="f", signature=None, **more):
    return {"functionCall": {"name": name, "args": {}, **more}, **({"thoughtSignature": signature} if signature else {})}


def result(name="f", **more):
    return {"functionResponse": {"name": name, "response": {"v": 1}, **more}}


GOOGLES = "skip_thought_signature_validator"
OURS = "cGFybGV5X3JkOnt9"
FUNCTIONS = [{"functionDeclarations": [{"name": n} for n in "fg"]}]


@pytest.mark.parametrize("parts, want", [
    ([call(signature="QUJD"), call("g")], [call(signature="QUJD"), call("g")]),
    ([{"text": "x", "thoughtSignature": "QUJD"}, call(), call("g")],
     [{"text": "x", "thoughtSignature": "QUJD"}, call(signature=GOOGLES), call("g")]),
    ([call(signature=OURS, id="call_1"), call("g", OURS)], [call(signature=GOOGLES, id="call_1"), call("g")]),
    ([call(signature="QUJD", id="gemini_0123"), call("g", id="x")], [call(signature="QUJD"), call("g", id="x")]),
])
def test_signatures_and_ids_of_other_models(client, script, parts, want):
    s = script(up.reply(WHOLE))
    back = lambda ps: {"role": "user", "parts": [result(p["functionCall"]["name"], **(  # noqa: E731
        {"id": p["functionCall"]["id"]} if "id" in p["functionCall"] else {})) for p in ps if "functionCall" in p]}
    turns = lambda ps: [*HELLO, {"role": "model", "parts": ps}, back(ps)]  # noqa: E731
    client.post(at(s.under("g")), asked(turns(parts), tools=FUNCTIONS)).ok()
    assert s.request.json == asked(turns(want), tools=FUNCTIONS)


def test_a_signature_that_the_provider_refuses(client, script):
    no = {"error": {"code": 400, "message": "Corrupted thought signature.", "status": "INVALID_ARGUMENT"}}
    s = script(up.in_turn(up.reply(no, 400), up.reply(WHOLE)))
    signed = [{"text": "x", "thoughtSignature": "QUJD"}, call(signature="QUJE")]
    turns = lambda ps: asked([*HELLO, {"role": "model", "parts": ps}, {"role": "user", "parts": [result()]}], tools=FUNCTIONS)  # noqa: E731
    reply = client.post(at(s.under("g")), turns(signed)).ok()
    assert s.wait(2).request.json == turns([{"text": "x"}, call(signature=GOOGLES)])
    assert "reasoning of earlier answers" in reply.headers["x-parley-warnings"]


@pytest.mark.parametrize("config, want", [
    ({"temperature": 1, "topP": 0.5, "maxOutputTokens": 50, "top_k": 3}, {"maxOutputTokens": 40}),
    ({"seed": 1, "max_output_tokens": 7}, {"seed": 1, "max_output_tokens": 7}),
    ({"topK": 3, "topP": 1}, {}), ({"seed": None}, {"seed": None}),
])
def test_what_the_configuration_demands(client, script, config, want):
    s = script(up.reply(WHOLE), allows={"types generationConfig.max_output_tokens": "the other spelling"}
               if "max_output_tokens" in config else None)
    reply = client.post(at(s.under("old")), asked(generationConfig=config, model="models/x")).ok()
    assert s.request.json == asked(generationConfig=want)
    assert ("refuses it" in reply.headers.get("x-parley-warnings", "")) == ("topP" in config)


SAYS = {"stopSequences": ["END"], "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "low"}, "temperature": 0.2,
        "topP": 0.5, "seed": 7}


def test_the_models_defaults(client, script):
    told = {"systemInstruction": {"parts": [{"text": 'Be "brief".'}]}}
    for body, want in (
            ({}, {"generationConfig": SAYS, **told}), ({"generationConfig": {}}, {"generationConfig": SAYS, **told}),
            ({"generationConfig": {"temperature": None, "maxOutputTokens": None}}, {"generationConfig": SAYS, **told}),
            ({"generationConfig": None, "systemInstruction": None}, {"generationConfig": SAYS, **told}),
            ({"generationConfig": {"topK": 4, "temperature": 1, "stopSequences": [], "thinkingConfig": {"thinkingBudget": 0}},
              "systemInstruction": {"parts": [{"text": "own"}]}},
             {"generationConfig": {"topK": 4, "temperature": 1, "stopSequences": [], "thinkingConfig": {"thinkingBudget": 0},
                                   "topP": 0.5, "seed": 7}, "systemInstruction": {"parts": [{"text": "own"}]}})):
        s = script(up.reply(WHOLE))
        client.post(at(s.under("says")), asked(**body)).ok()
        assert s.request.json == asked(**want)


# --- other targets --------------------------------------------------------------------------------


@pytest.mark.parametrize("begun", [False, True])
def test_another_provider_answers_in_translation(start, upstream, script, begun):
    s = script(stream_of(response({"content": content({"text": ""}), "index": 0})) if begun else up.reply(
        {"error": {"code": 500, "message": "no", "status": "INTERNAL"}}, 500))
    back = script(up.stream("from ", "there"))
    gateway = start({"commit_after": "20s", "providers": [provider(upstream, "p", dialect="gemini"), provider(upstream, "q")],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name, "fallback": ["n"]},
                                {"name": "n", "provider": "q", "upstream_model": back.name}]})
    with Client(gateway.url) as client:
        body = asked(tools=[{"googleSearch": {}}], safetySettings=[])
        reply = client.post(at("m", "streamGenerateContent"), body).ok()
    assert "".join(p["text"] for x in reply.json for p in x["candidates"][0]["content"]["parts"]) == "from there"
    assert {x["modelVersion"] for x in reply.json} == {"m"}
    assert s.request.json == body and "tools" not in back.request.json
    assert [w in reply.headers["x-parley-warnings"] for w in ("googleSearch", "safetySettings")] == [True] * 2


def test_what_others_can_not_be_told_goes_to_gemini_alone(client, script):
    no = {"error": {"code": 500, "message": "no", "status": "INTERNAL"}}
    for body, path in (({"tools": [{"googleSearch": {}}]}, "tools[0].googleSearch"), ({"cachedContent": "cachedContents/x"}, "cachedContent")):
        s = script(up.reply(no, 500))
        client.post(at(s.under("both")), asked(**body)).error(502)
        assert s.request.json == asked(**body)
        client.post(at("o/x"), asked(**body)).error(400, param=path)
    # A request that can't be told is not stored, nor is a second candidate.
    client.post(at("g/x"), asked(tools=[{"googleSearch": {}}]), headers=STORE).error(400, param="tools[0].googleSearch")
    two = asked(generationConfig={"candidateCount": 2})
    for model, head in (("both/x", {}), ("o/x", {}), ("g/x", STORE)):
        client.post(at(model), two, headers=head).error(400, param="generationConfig.candidateCount")
    client.post(at("g/x"), asked(generationConfig={"candidateCount": 9})).error(400, param="generationConfig.candidateCount")
    for more in ({"maxOutputTokens": 1, "max_output_tokens": 2}, {"candidateCount": 1, "candidate_count": 2}):
        client.post(at("g/x"), asked(generationConfig=more)).error(400, param=f"generationConfig.{list(more)[0]}")
    client.post(at("g/x"), asked(generationConfig={}, generation_config={})).error(400, param="generationConfig")
    # What is wrong in every API is a 400 of the gateway's, as ever.
    client.post(at("g/x"), asked([{"role": "robot", "parts": []}])).error(400, param="contents[0].role")


def test_an_answer_that_broke_off_goes_on_elsewhere(start, upstream, script):
    said = response({"content": content({"text": "The tea is "}), "index": 0})
    for first, goes in ((said, True), (response({"content": content({"text": "The tea is "}, *CODE), "index": 0}), False)):
        s, back = script(stream_of(first, end=[up.hang_up()])), script(up.stream("hot"))
        gateway = start({"providers": [provider(upstream, "p", dialect="gemini"), provider(upstream, "q")],
                         "models": [{"name": "m", "resume": "fallback", "provider": "p", "upstream_model": s.name, "fallback": ["n"]},
                                    {"name": "n", "provider": "q", "upstream_model": back.name}]})
        with Client(gateway.url) as client:
            got = client.post(at("m", "streamGenerateContent"), asked()).ok().json
        assert got[0] == first
        if goes:
            assert "".join(p["text"] for x in got for p in x["candidates"][0]["content"]["parts"]) == "The tea is hot"
            assert [x["candidates"][0].get("finishReason") for x in got][-1] == "STOP"
        else:
            assert "error" in got[-1]


# --- what all families have -----------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_stored_answer_and_its_replay(client, script, stream):
    s = script(stream_of(*PIECES) if stream else up.reply(WHOLE))
    verb, alt = ("streamGenerateContent", "?alt=sse") if stream else ("generateContent", "")
    head = {**STORE, "Idempotency-Key": f"native-{s.name}"}
    first, again = (client.post(at(s.under("g"), verb, alt), asked(), headers=head).ok() for _ in range(2))
    run = first.headers["x-run-id"]
    want = sse(*PIECES) if stream else WHOLE + b"\n"
    assert first.body == again.body == want.replace(b'"up-1"', f'"{run}"'.encode()) and len(s.exchanges) == 1
    shown = client.get(f"/v1/runs/{run}").ok().json
    assert (shown["status"], shown["usage"]["prompt_tokens"], shown["usage"]["completion_tokens"]) == ("completed", 11, 7)
    assert shown["native_finish_reason"] == "STOP"
    items = client.items(shown["conversation"])["data"]
    assert [i["role"] for i in items] == ["user", "assistant"] and "tea" in json.dumps(items[1])
    for form in ("openai", "lmc"):  # by readers of other APIs
        assert b"tea" in client.get(f"/v1/runs/{run}/events?format={form}").ok().body.replace(b'te"', b"tea")
    # And without being stored.
    s.exchanges.clear()
    head = {"Idempotency-Key": f"plain-{s.name}"}
    first, again = (client.post(at(s.under("g"), verb, alt), asked(), headers=head).ok() for _ in range(2))
    assert first.body == again.body == want and len(s.exchanges) == 1


def test_another_tenant(start, upstream, script):
    s = script(up.reply(WHOLE))
    gateway = start({"providers": [provider(upstream, "p", dialect="gemini")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "cache": {"ttl": "10m"}}]}, args=["--admin-listen", "127.0.0.1:0"])
    one, two = (keys.known(gateway, keys.make(gateway))["key"] for _ in range(2))
    head = lambda key: {"x-goog-api-key": key, "x-parley-cache": "use", "Idempotency-Key": "same", **STORE}  # noqa: E731
    with Client(gateway.url) as client:
        first = client.post(at("m"), asked(), headers=head(one)).ok()
        other = client.post(at("m"), asked(), headers=head(two)).ok()
        assert len(s.exchanges) == 2 and first.headers["x-run-id"] != other.headers["x-run-id"]
        client.get(f"/v1/runs/{first.headers['x-run-id']}", headers={"authorization": f"Bearer {two}"}).error(404)


def test_an_answer_of_the_cache(start, upstream, script):
    s = script(up.in_turn(up.reply(WHOLE), stream_of(*PIECES), up.reply(WHOLE)))
    gateway = start({"providers": [provider(upstream, "p", dialect="gemini")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "cache": {"ttl": "10m"}}]})
    use = {"x-parley-cache": "use"}
    with Client(gateway.url) as client:
        for verb, alt, want in (("generateContent", "", WHOLE + b"\n"), ("streamGenerateContent", "?alt=sse", sse(*PIECES))):
            for found in ("miss", "hit"):
                got = client.post(at("m", verb, alt), asked(), headers=use).ok()
                assert got.headers["x-parley-cache"] == found and got.body == want
        assert len(s.exchanges) == 2
        other = client.post(at("m"), asked(tools=[{"googleSearch": {}}]), headers=use).ok()
        assert other.headers["x-parley-cache"] == "miss"


def test_a_key_with_a_budget(start, upstream, script):
    s = script(up.reply(WHOLE))
    gateway = start({"providers": [provider(upstream, "p", dialect="gemini")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "max_output": 40, "price": {"input": 1, "output": 2}}]},
        args=["--admin-listen", "127.0.0.1:0"])
    key = keys.known(gateway, keys.make(gateway, "--budget", "1"))["key"]
    with Client(gateway.url, keys.bearer(key)) as client:
        for config, want in ({}, {"maxOutputTokens": 40}), ({"topK": 4}, {"topK": 4, "maxOutputTokens": 40}), (
                {"maxOutputTokens": 7, "candidateCount": 2}, {"maxOutputTokens": 7, "candidateCount": 2}):
            client.post(at("m"), asked(generationConfig=config)).ok()
            assert s.exchanges[-1].request.json == asked(generationConfig=want)
        used = wait_until(lambda: [r for r in client.get("/v1/runs").ok().json["data"] if r["cost"]][2:], "all costs")
        assert {r["cost"] for r in client.get("/v1/runs").ok().json["data"]} == {used[0]["cost"]}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_hooks_see_and_change_texts(start, upstream, script, stream):
    hook = Hook()
    gateway = start({"providers": [provider(upstream, "p", dialect="gemini")], "models": [{"name": "g/*", "provider": "p"}],
                     "hooks": [hook.config()]})
    answer = stream_of(*PIECES) if stream else up.reply(WHOLE)
    verb = "streamGenerateContent" if stream else "generateContent"
    text = lambda t: {"inlineData": {"mimeType": "text/plain", "data": t}}  # noqa: E731
    with Client(gateway.url) as client:
        def post(body):
            s = script(answer)
            return s, client.post(at(s.under("g"), verb), body)
        hook.judge = lambda a: block() if a.phase == "response" and "tea" in "".join(a.texts) else allow()
        s, reply = post(asked())
        assert reply.status == 200 and "tea" not in reply.body.decode() and b"SAFETY" in reply.body and len(s.exchanges) == 1
        # In the client's own bytes.
        hook.judge = masks("secret", "kettle")
        tools = [{"googleSearch": {}}]
        s, reply = post(asked([{"role": "user", "parts": [{"text": "a secret"}, {"text": "secret too"}]}], tools=tools))
        assert reply.status == 200 and "secret" not in s.request.body.decode() and "kettle" in s.request.body.decode()
        s, reply = post(asked([{"role": "user", "parts": [{"text": "a secret"}]}], tools=tools))
        assert s.request.json == asked([{"role": "user", "parts": [{"text": "a kettle"}]}], tools=tools)
        # A text in base64 can't be changed there: its translation is sent.
        s, reply = post(asked([{"role": "user", "parts": [text("YSBzZWNyZXQ=")]}]))
        assert s.request.json["contents"] == [{"role": "user", "parts": [{"text": "a kettle"}]}]
        seen = [t for a in hook.asked for t in a.texts]
        assert "a secret" in seen and not [t for t in seen if t in ("model", "user")]
        # Several candidates have no place in what hooks leave of an answer.
        silent = script(allows=None)
        client.post(at(silent.under("g"), verb), asked(generationConfig={"candidateCount": 2})).error(
            400, param="generationConfig.candidateCount")
        assert not silent.exchanges
    hook.close()


# --- what a hook that looks at requests must have seen --------------------------------------------

LONG = "a secret that is long enough for its base64 to look like a picture, and which a hook has to see"


def b64(text):
    return base64.b64encode(text.encode()).decode()


def blob(text=LONG, spelled="mimeType", **types_):
    return {"inlineData": {**(types_ or {spelled: "text/plain"}), "data": b64(text)}}


def says(*parts, role="user"):
    return {"role": role, "parts": list(parts)}


TWICE = '{"mimeType":"image/png","mimeType":"text/plain","data":"%s","data":"%s"}' % ("A" * 80, b64(LONG))
PNG = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo" + "A" * 80}}
CALLED = [says({"text": "x"}), says({"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "QUJD"}, role="model")]
# Each has LONG in base64, or a text that stands elsewhere as well.
HIDDEN = {
    "the same elsewhere": [says(blob("secret")), says({"text": "x"}, role="model"), says({"text": "secret"})],
    "in pieces": [says({"text": "my se"}, {"text": "cret"}), says({"text": "ok"}, role="model"), says({"text": "x"})],
    "in pieces of the model": [says({"text": "x"}), says({"text": "my se"}, role="model"), says({"text": "cret"}, role="model"),
                               says({"text": "x"}), says({"text": "z"}, {"executableCode": {"language": "PYTHON", "code": "my secret"}},
                                                         role="model"), says({"text": "x"})],
    "two types": [says({"text": "x"}, blob(mimeType="image/png", mime_type="text/plain"))],
    "two types, turned": [says({"text": "x"}, blob(mime_type="text/plain", mimeType="image/png"))],
    "two values": [*CALLED, says({"functionResponse": {"name": "f", "response": {}, "parts": [{"inlineData": "@@"}]}})],
    "of the model": [says({"text": "x"}), says(blob(), role="model"), says({"text": "x"})],
    "a result of the model": [says({"text": "x"}), says({"functionResponse": {"name": "f", "response": {}, "parts": [blob()]}},
                                                        role="model"), says({"text": "x"})],
    "a part of tomorrow": [says({"text": "x"}, {"ofTomorrow": {"mime_type": "text/plain", "data": b64(LONG)}})],
    "capitals": [says(blob(mimeType="TEXT/plain"))], "no type": [says({"text": "x"}, {"ofTomorrow": {
        "inlineData": {"data": b64(LONG)}}})],
    "a script": [says(blob(mimeType="application/x-python"))], "a drawing": [says(blob(mimeType="image/svg+xml"))],
}


@pytest.fixture(scope="module")
def asks(start_once, upstream):
    hook = Hook()
    gateway = start_once({"providers": [provider(upstream, "p", dialect="gemini")], "models": [{"name": "g/*", "provider": "p"}],
                          "hosted_tools": "refuse", "hooks": [hook.config(on=["request"])]})
    with Client(gateway.url) as client:
        yield hook, client
    hook.close()


@pytest.mark.parametrize("name", HIDDEN)
def test_nothing_goes_around_a_hook_of_requests(asks, script, name):
    """What it has not seen as it is, is not sent; and what it has replaced, is nowhere else."""
    hook, client = asks
    hook.judge = lambda a: replace([re.sub(r"se\s*cret", "kettle", t) for t in a.texts])
    s = script(up.reply(WHOLE), allows=None)
    body = json.dumps(asked(HIDDEN[name], generationConfig={"stopSequences": ["secret", "my se\n\ncret", "my secret"]}))
    client.post(at(s.under("g")), body.replace('"@@"', TWICE).encode(), headers={"content-type": "application/json"}).ok()
    sent = [s.request.body.decode(), *[base64.b64decode(d[:len(d) // 4 * 4]).decode("utf-8", "replace")
                                       for d in re.findall(r"[A-Za-z0-9+/=]{8,}", s.request.body.decode())]]
    hidden = [t for t in sent if "secret" in t or '"cret"' in t]
    # A picture is one, whatever its bytes are.
    assert not hidden or (name.startswith("two types") and '"mimeType":"image/png"' in sent[0] and "text/plain" not in sent[0])


def test_pictures_and_texts_alone_stay_as_they_are(asks, script):
    hook, client = asks
    hook.judge = masks("secret", "kettle")
    for contents in ([says({"text": "a secret"}, PNG), says({"text": "so", "thought": True}, {"text": "the secret"}, role="model"),
                      says({"text": "the secret"})],
                     [*CALLED, says({"functionResponse": {"name": "f", "response": {"v": 1}, "parts": [PNG]}})]):
        s = script(up.reply(WHOLE), allows=None)
        hook.asked.clear()
        body = asked(contents, tools=[{"googleSearch": {}}])
        assert "x-parley-warnings" not in client.post(at(s.under("g")), body).ok().headers
        assert s.request.json == json.loads(json.dumps(body).replace("secret", "kettle"))
        assert PNG["inlineData"]["data"] not in [t for a in hook.asked for t in a.texts]
    # What no provider decodes is shown as it stands.
    odd = {"mimeType": "image/png", "data": b64(LONG)}
    s = script(up.reply(WHOLE), allows=None)
    client.post(at(s.under("g")), asked([says({"text": "x", "partMetadata": odd})])).ok()
    assert b64(LONG) in hook.asked[-1].texts


def test_what_can_not_be_translated_is_refused_where_a_hook_can_not_see_it(asks, script):
    hook, client = asks
    hook.judge = masks("secret", "kettle")
    silent = script(allows=None)
    for more, word in (({"generationConfig": {"candidateCount": 2}}, "candidateCount"), ({"tools": [{"googleSearch": {}}]}, "its own API")):
        for contents in ([says(blob())], [says({"text": "my "}, {"text": "secret"})]):
            error = client.post(at(silent.under("g")), asked(contents, **more)).error(400, "content_blocked")
            assert word in error["message"]
    assert not silent.exchanges


def test_a_count_goes_around_no_hook(asks, script):
    hook, client = asks
    hook.judge = lambda a: allow()
    silent = script(allows=None)
    for name in ("two types", "two values", "a part of tomorrow", "no type"):
        body = json.dumps(asked(HIDDEN[name])).replace('"@@"', TWICE).encode()
        reply = client.post(at(silent.under("g"), "countTokens"), body, headers={"content-type": "application/json"}).ok()
        assert "estimated" in reply.headers["x-parley-warnings"]
    assert not silent.exchanges
    picture = asked([says({"text": "of a cat"}, PNG)])
    for body in (picture, {"generateContentRequest": {"model": "models/x", **picture}}):
        hook.asked.clear()
        assert client.post(at(script(up.reply(json.dumps(COUNT).encode()), allows=None).under("g"), "countTokens"), body).ok().json == COUNT
        texts = hook.texts("request")
        assert "of a cat" in texts and PNG["inlineData"]["data"] not in texts


def test_a_budget_counts_what_no_translation_has(start, upstream, script):
    gateway = start({"providers": [provider(upstream, "p", dialect="gemini")], "models": [
        {"name": "g/*", "provider": "p", "price": {"input": 1, "output": 2}, "max_output": 100}]}, args=["--admin-listen", "127.0.0.1:0"])
    key = keys.known(gateway, keys.make(gateway, "--budget", "0.02"))
    long = "word " * 40_000
    silent = script(allows=None)
    with Client(gateway.url, keys.bearer(key["key"])) as client:
        for part in ({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": long}}, {"ofTomorrow": {"a": list(range(30_000))}},
                     {"toolResponse": {"response": {"parts": [{"inlineData": {"mimeType": "image/png", "data": "A" * 200_000}}]}}}):
            client.post(at(silent.under("g")), asked([says({"text": "x"}, part)])).error(429)
        assert not silent.exchanges
        picture = {"inlineData": {"mimeType": "image\\/png", "data": "iVBORw0KGgo" + "A" * 200_000}}
        s = script(up.reply(WHOLE), allows=None)
        body = json.dumps(asked([says({"text": "x"}, picture)])).replace("\\\\", "\\").encode()
        client.post(at(s.under("g")), body, headers={"content-type": "application/json"}).ok()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_the_providers_key_does_not_come_back(client, script, stream):
    for spot in ({"finishReason": UPSTREAM_KEY}, {"finishReason": "STOP", "finishMessage": f"key {UPSTREAM_KEY}"}):
        last = {**PIECES[-1], "candidates": [{**PIECES[-1]["candidates"][0], **spot}]}
        s = script(stream_of(*PIECES[:-1], last) if stream else up.reply(last))
        verb = "streamGenerateContent" if stream else "generateContent"
        reply = client.post(at(s.under("g"), verb), asked()).ok()
        assert UPSTREAM_KEY.encode() not in reply.body and b'"finishReason"' in reply.body and b'"a"' in reply.body


def test_thinking_that_a_setting_hides(start, upstream, script):
    gateway = start({"providers": [provider(upstream, "p", dialect="gemini")], "reasoning_name": "none",
                     "models": [{"name": "g/*", "provider": "p"}]})
    with Client(gateway.url) as client:
        for steps, verb in ((up.reply(WHOLE), "generateContent"), (stream_of(*PIECES), "streamGenerateContent")):
            reply = client.post(at(script(steps).under("g"), verb), asked()).ok()
            assert b"h\\u00fcm" not in reply.body and b"up-1" not in reply.body


# --- counting -------------------------------------------------------------------------------------

COUNT = {"totalTokens": 31, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 31}]}


def test_gemini_counts_its_own_tokens(client, native, script):
    s = script(up.reply(json.dumps(COUNT).encode()))
    reply = client.post(at(s.under("g"), "countTokens"), asked()).ok()
    assert reply.json == COUNT and "x-parley-warnings" not in reply.headers
    assert s.request.target == f"/v1/models/{s.name}:countTokens" and s.request.json == asked()
    assert s.request.header("x-goog-api-key") == UPSTREAM_KEY
    with sdk_of(native.url) as sdk:
        assert sdk.models.count_tokens(model=s.under("g"), contents="x").total_tokens == 31
    whole = {"generateContentRequest": {"model": f"models/{s.under('g')}", **asked(tools=[{"googleSearch": {}}])}}
    client.post(at(s.under("g"), "countTokens"), whole).ok()
    assert s.wait(3).request.json["generateContentRequest"] == {**whole["generateContentRequest"], "model": f"models/{s.name}"}
    row, = wait_until(lambda: client.get(f"/v1/runs?model={s.under('g')}&limit=1").ok().json["data"], "its row")
    assert row["family"] == "count_tokens" and row["cost"] is None


def test_a_count_that_fails_is_an_estimate_or_a_refusal(client, script):
    no = {"error": {"code": 400, "message": "no such part", "status": "INVALID_ARGUMENT"}}
    s = script(up.reply(no, 400))
    assert "no such part" in client.post(at(s.under("g"), "countTokens"), asked()).error(400)["message"]
    for steps in (up.reply({}, 404), up.reply({}, 500), up.reply({"totalTokens": "x"}), up.hang_up()):
        reply = client.post(at(script(steps).under("g"), "countTokens"), asked()).ok()
        assert reply.json["totalTokens"] > 5 and "estimated" in reply.headers["x-parley-warnings"]
    text = asked([{"parts": [{"inlineData": {"mimeType": "text/plain", "data": "YSBzZWNyZXQ="}}]}])
    silent = script(allows=None)
    for model in (silent.under("g"), "o/x"):  # no hook could read the first one
        assert "estimated" in client.post(at(model, "countTokens"), text).ok().headers["x-parley-warnings"]
    assert not silent.exchanges
    client.post(at("g/x", "countTokens"), b"[]", headers={"content-type": "application/json"}).error(400)
    client.post(at("nobody", "countTokens"), asked()).error(404)


# --- what a hostile request or answer may try -----------------------------------------------------


@pytest.mark.parametrize("count", ["8", 1.5, True, [3], 0, 9])
def test_candidates_are_a_number_from_1_to_8(client, script, count):
    """The provider might read a text as a number, and make as many."""
    s = script(up.reply(WHOLE))
    reply = client.post(at(s.under("g")), asked(generationConfig={"candidateCount": count}))
    assert (reply.status, s.exchanges) == (400, []) and "candidateCount" in reply.json["error"]["message"]


@pytest.mark.parametrize("more, where", [
    ({"systemInstruction": {"parts": [{"text": "a"}]}, "system_instruction": {"parts": [{"text": "b"}]}}, "systemInstruction"),
    ({"cachedContent": "a", "cached_content": "b"}, "cachedContent"),
    ({"generationConfig": {"stopSequences": ["a"], "stop_sequences": ["b"]}}, "generationConfig.stopSequences"),
])
def test_a_member_in_both_spellings_is_refused(client, script, more, where):
    s = script(up.reply(WHOLE))
    reply = client.post(at(s.under("g")), asked(**more))
    assert (reply.status, s.exchanges) == (400, []) and where in reply.json["error"]["message"]


def test_a_signature_that_is_null_is_replaced(client, script):
    s = script(up.reply(WHOLE))
    call = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": None}
    result = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"a": 1}}}]}
    client.post(at(s.under("g")), asked([*HELLO, {"role": "model", "parts": [call]}, result])).ok()
    assert s.request.json["contents"][1]["parts"] == [{**call, "thoughtSignature": "skip_thought_signature_validator"}]


def test_the_key_in_a_message_before_the_end(client, script):
    piece = response({"content": content({"text": "te"}), "index": 0, "finishMessage": f"it was {UPSTREAM_KEY}"})
    s = script(stream_of(piece, PIECES[-1]))
    got = client.post(at(s.under("g"), "streamGenerateContent", "?alt=sse"), asked()).ok().body
    assert UPSTREAM_KEY.encode() not in got and b'"te"' in got


def two(*, text=None, index=0, **more):
    return response({**({"content": content({"text": text})} if text else {}), "index": index, **more})


def test_a_secret_ends_the_providers_words_and_not_the_answer(client, script):
    """The second candidate is not waited for then."""
    s = script(stream_of(two(text="a"), two(text="b", index=1), two(finishReason="STOP", finishMessage=f"k {UPSTREAM_KEY}"),
                         two(finishReason="STOP", index=1)))
    got = client.post(at(s.under("g"), "streamGenerateContent", "?alt=sse"),
                      asked(generationConfig={"candidateCount": 2})).ok().body
    assert UPSTREAM_KEY.encode() not in got and b'"error"' not in got and b'"finishReason":"STOP"' in got.replace(b" ", b"")


# Pieces of which no event is made: each is content, which commits the answer, and counts.
UNSEEN = {
    "code": lambda text: response({"content": content({"executableCode": {"language": "PYTHON", "code": text}}), "index": 0}),
    "arguments": lambda text: response({"content": content({"functionCall": {
        "name": "f", "willContinue": True, "partialArgs": [{"jsonPath": "$.a", "stringValue": text}]}}), "index": 0}),
    "another candidate": lambda text: two(text=text, index=1),
}


@pytest.mark.parametrize("piece", UNSEEN.values(), ids=UNSEEN)
def test_what_only_the_provider_says_counts_in_a_budget(start, upstream, script, piece):
    gateway = start({"providers": [provider(upstream, "p", dialect="gemini")],
                     "models": [{"name": "g/*", "provider": "p", "price": {"input": 1, "output": 2}}]},
                    args=["--admin-listen", "127.0.0.1:0"])
    gate = up.Gate()
    s = script([up.sse(), *[up.data(piece("x" * 20000))] * 3, up.wait(gate), up.data(PIECES[-1]), up.end()])
    key = keys.known(gateway, keys.make(gateway, "--budget", "0.02"))
    with Client(gateway.url, keys.bearer(key["key"])) as client:
        got = client.post(at(s.under("g"), "streamGenerateContent", "?alt=sse"), asked()).ok().body
        assert b"budget of 0.02 is used up" in got[-2000:], got[-500:]
        # at least one piece's
        wait_until(lambda: float(client.get("/v1/usage").ok().json["budget"]["cost"]["spent"]) > 0.01, "the call's cost")


@pytest.mark.parametrize("piece", UNSEEN.values(), ids=UNSEEN)
def test_what_only_the_provider_says_is_not_held_back(client, script, piece):
    gate = up.Gate()
    s = script([up.sse(), up.data(piece("so")), up.wait(gate), up.data(PIECES[-1]), up.data(two(finishReason="STOP", index=1)), up.end()])
    with client.stream(at(s.under("g"), "streamGenerateContent", "?alt=sse"),
                       asked(generationConfig={"candidateCount": 2})) as reply:
        blocks = iter(reply)
        assert "so" in next(blocks).data
        gate.open()
        assert "STOP" in [b.data for b in blocks][-1]


def test_hidden_thoughts_have_one_candidate(start, upstream, script):
    gateway = start({"reasoning_name": "none", "providers": [provider(upstream, "p", dialect="gemini")],
                     "models": [{"name": "g/*", "provider": "p"}]})
    s = script(up.reply(WHOLE))
    with Client(gateway.url) as client:
        reply = client.post(at(s.under("g")), asked(generationConfig={"candidateCount": 2}))
    assert (reply.status, s.exchanges) == (400, []) and "candidateCount" in reply.json["error"]["message"], reply.body
