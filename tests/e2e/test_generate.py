"""Gemini's generateContent API for any model, with Google's own SDK, pinned and unmodified."""

import base64
import json

import httpx
import openai
import pytest
from google import genai
from google.genai import errors, types

import keys
import upstream as up
from client import Client, of_google
from fixtures import UPSTREAM_KEY, provider
from waiting import DEADLINE
from wires import USAGE, WIRES

HELLO = [{"role": "user", "parts": [{"text": "Hello, big world"}]}]
PNG = "iVBORw0KGgo="
SCHEMA = {"type": "OBJECT", "properties": {
    "city": {"type": "STRING", "description": "of a type", "nullable": True, "enum": ["a", "b"]},
    "type": {"type": "ARRAY", "min_items": "1", "items": {"anyOf": [{"type": "INTEGER"}, {"type": "NUMBER"}]}}},
    "required": ["city"], "propertyOrdering": ["city", "type"]}
PLAIN = {"type": "object", "properties": {
    "city": {"type": ["string", "null"], "description": "of a type", "enum": ["a", "b", None]},
    "type": {"type": "array", "minItems": 1, "items": {"anyOf": [{"type": "integer"}, {"type": "number"}]}}},
    "required": ["city"]}
TOOLS = [{"functionDeclarations": [{"name": "weather", "description": "The weather", "parameters": SCHEMA}]}]


def at(model, verb="generateContent", alt=""):
    return f"/v1beta/models/{model}:{verb}{alt}"


def asked(contents=None, **more):
    return {"contents": contents or HELLO, **more}


def checked(answer):
    """An answer that the SDK's own model, which lets no unknown member in, accepts as it is."""
    types.GenerateContentResponse.model_validate_json(json.dumps(answer))
    return answer


def parts(answer):
    return answer["candidates"][0]["content"]["parts"]


class Said:
    """A stream: its pieces, its parts, its end, or its error."""

    def __init__(self, pieces):
        self.error = pieces.pop()["error"] if "error" in pieces[-1] else None
        self.pieces = [checked(p) for p in pieces]
        self.parts = [p for piece in self.pieces for p in parts(piece)]
        self.text = "".join(p.get("text", "") for p in self.parts if not p.get("thought"))
        ends = [p["candidates"][0]["finishReason"] for p in self.pieces if "finishReason" in p["candidates"][0]]
        assert len(ends) == (self.error is None), ends
        self.end = ends[0] if ends else None
        self.usage = self.pieces[-1].get("usageMetadata") if self.pieces else None
        assert len({p["responseId"] for p in self.pieces}) <= 1


def streamed(client, model, body, headers=None):
    """The answer as both kinds of streams; they say the same."""
    with client.stream(at(model, "streamGenerateContent", "?alt=sse"), body, headers) as stream:
        stream.check_head()
        return Said([b.json for b in stream if not b.is_comment])


def listed(client, model, body):
    reply = client.post(at(model, "streamGenerateContent"), body).ok()
    assert reply.headers["content-type"] == "application/json; charset=utf-8"
    return Said(reply.json)


@pytest.fixture
def sdk(shared):
    return genai.Client(api_key="not needed", http_options={"base_url": shared.url, "timeout": DEADLINE * 1000})


# --- the SDK --------------------------------------------------------------------------------------


def test_the_sdk(sdk):
    assert sdk.models.generate_content(model="echo", contents="Hello, big world").text == "Hello, big world"
    pieces = list(sdk.models.generate_content_stream(model="echo", contents="Hello, big world"))
    assert [p.text for p in pieces] == ["Hello, ", "big ", "world", ""]
    assert pieces[-1].candidates[0].finish_reason == "STOP" and pieces[-1].usage_metadata.total_token_count == 6
    assert 5 < sdk.models.count_tokens(model="echo", contents="Hello").total_tokens < 50
    vectors = sdk.models.embed_content(model="echo", contents=["a", "b"], config={"output_dimensionality": 3})
    assert [len(v.values) for v in vectors.embeddings] == [3, 3]
    assert "models/echo" in [m.name for m in sdk.models.list()]
    assert "generateContent" in sdk.models.get(model="echo").supported_actions
    for model in ("nobody", "models/nobody"):
        with pytest.raises(errors.ClientError) as caught:
            sdk.models.generate_content(model=model, contents="x")
        assert (caught.value.code, caught.value.status) == (404, "NOT_FOUND")


def test_a_conversation_whose_pieces_are_contents(sdk, script):
    """The SDK keeps each piece of a stream as a content of the model; they are one message."""
    s = script(up.in_turn(up.stream("Hel", "lo"), up.stream("again")))
    chat = sdk.chats.create(model=s.model)
    assert "".join(p.text for p in chat.send_message_stream("one")) == "Hello"
    assert "".join(p.text for p in chat.send_message_stream("two")) == "again"
    assert s.wait(2).request.json["messages"] == [
        {"role": "user", "content": "one"}, {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "two"}]


def test_the_sdk_runs_functions(sdk, script):
    def weather(city: str) -> str:
        """The weather."""
        return f"wet in {city}"
    calls = [{"index": i, "id": f"c{i}", "type": "function", "function": {
        "name": "weather", "arguments": json.dumps({"city": city})}} for i, city in enumerate("XY")]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    s = script(up.in_turn(up.reply(up.completion(message=message, finish="tool_calls")),
                          up.reply(up.completion("Rain"))))
    assert sdk.models.generate_content(model=s.model, contents="?", config={"tools": [weather]}).text == "Rain"
    sent = s.wait(2).request.json["messages"]
    assert [c["id"] for c in sent[1]["tool_calls"]] == ["c0", "c1"]
    assert [(m["tool_call_id"], json.loads(m["content"])) for m in sent[2:]] == [
        ("c0", {"result": "wet in X"}), ("c1", {"result": "wet in Y"})]
    assert s.request.json["tools"][0]["function"]["parameters"]["properties"] == {"city": {"type": "string"}}


def test_errors_are_the_sdks_classes(sdk, script):
    for status, word, kind in ((400, "INVALID_ARGUMENT", errors.ClientError), (404, "NOT_FOUND", errors.ClientError),
                               (413, "INVALID_ARGUMENT", errors.ClientError), (429, "RESOURCE_EXHAUSTED", errors.ClientError),
                               (500, "UNAVAILABLE", errors.ServerError), (503, "UNAVAILABLE", errors.ServerError)):
        s = script(up.reply({"error": {"message": "no", "type": "t"}}, status))
        with pytest.raises(kind) as caught:
            sdk.models.generate_content(model=s.model, contents="x")
        assert caught.value.status == word, status


@pytest.mark.parametrize("alt", ["sdk", "?alt=sse", ""])
def test_a_stream_that_breaks(sdk, client, script, alt):
    s = script(up.sse(), up.role(), up.text("so far"), up.hang_up())
    if alt == "sdk":
        seen = []
        with pytest.raises(errors.APIError, match="stream_incomplete"):
            for piece in sdk.models.generate_content_stream(model=s.model, contents="x"):
                seen.append(piece.text)
        assert seen == ["so far"]
    else:
        said = (streamed if alt else listed)(client, s.model, asked())
        assert said.text == "so far" and of_google(said.error)["code"] == "stream_incomplete"


# --- keys and paths -------------------------------------------------------------------------------


def test_the_key_comes_in_a_header_or_in_the_query(start):
    gateway = start(args=["--admin-listen", "127.0.0.1:0"])
    key = keys.known(gateway, keys.make(gateway))["key"]
    with Client(gateway.url) as client:
        for query, headers in ((f"?key={key}", {}), ("", {"x-goog-api-key": key}),
                               ("", {"authorization": f"Bearer {key}"})):
            client.post(at("echo", alt=query), asked(), headers=headers).ok()
            assert client.get(f"/v1beta/models{query}", headers=headers).ok().json["models"]
            assert client.get(f"/v1/models{query}", headers={**headers, "x-goog-api-client": "x"}).ok().json["models"]
        for query, headers in (("", {}), ("?key=nonsense", {}), ("", {"x-goog-api-key": "nonsense"})):
            for reply in (client.post(at("echo", alt=query), asked(), headers=headers),
                          client.get(f"/v1beta/models{query}", headers=headers)):
                assert reply.error(401)["type"] == "UNAUTHENTICATED"
        # Other routes take no key from a query.
        client.post(f"/v1/chat/completions?key={key}", {"messages": []}).error(401, "missing_api_key")
    lines = "".join(gateway.stop() or gateway.lines)
    assert "generateContent" in lines and key not in lines


def test_paths(client):
    assert set(client.get("/v1/models").ok().json) == {"object", "data"}
    for headers in ({"x-goog-api-key": "x"}, {"x-goog-api-client": "google-genai-sdk/2"}):
        assert client.get("/v1/models/echo", headers=headers).ok().json["name"] == "models/echo"
    client.post("/v1/models/echo:generateContent", asked()).ok()
    for method, path, status in (("POST", at("echo", "other"), 404), ("GET", at("echo"), 405), ("GET", "/v1beta/files", 404),
                                 ("GET", "/v1beta/models/nobody", 404), ("GET", "/v1beta/models?pageSize=x", 400)):
        assert client.request(method, path, b"{}" if method == "POST" else None).error(status), path


@pytest.mark.parametrize("size", [0, 1000, 1001, 10**30])
def test_a_page_is_as_large_as_it_may_be(client, size):
    assert client.get(f"/v1beta/models?pageSize={size}").ok().json["models"]


@pytest.mark.parametrize("path", ["/v1beta/models/%s", "/v1beta/%s"])
def test_a_name_has_slashes(start, upstream, script, path):
    """@ai-sdk/google takes a name with a slash for a path below its base URL."""
    s = script(up.either("ok"))
    gateway = start({"providers": [provider(upstream, "p")], "models": [{"name": "o/*", "provider": "p"}]})
    with Client(gateway.url) as client:
        name = f"o/{s.name}"
        assert client.post(path % f"{name}:generateContent", asked()).ok().json["candidates"]
        assert client.get(f"/v1beta/models/{name}").ok().json["name"] == f"models/{name}"
        assert client.get(f"/v1/models/{name}").ok().json["id"] == name
    with genai.Client(api_key="k", http_options={"base_url": gateway.url}) as sdk:
        assert sdk.models.get(model=name).name == f"models/{name}"


def test_googles_base_url_for_openais_clients(shared, client):
    with openai.OpenAI(base_url=f"{shared.url}/v1beta/openai/", api_key="x", max_retries=0,
                       default_headers={"x-goog-api-client": "x"}) as sdk:
        assert "echo" in [m.id for m in sdk.models.list()]
        assert sdk.models.retrieve("echo").object == "model"
        with pytest.raises(openai.NotFoundError) as caught:
            sdk.models.retrieve("nobody")
        assert caught.value.body["code"] == "model_not_found"
        said = sdk.chat.completions.create(model="echo", messages=[{"role": "user", "content": "x"}])
        assert said.choices[0].message.content == "x"
    assert client.get("/v1beta/openai/nothing").error(404)["type"] == "invalid_request_error"


# --- the request ----------------------------------------------------------------------------------


def test_every_member_is_translated_or_told(client, script):
    s = script(up.reply(up.completion("ok")))
    reply = client.post(at(s.model), asked(
        [{"parts": [{"text": "look"}, {"inline_data": {"mime_type": "image/png", "data": PNG.rstrip("=")}},
                    {"inlineData": {"mimeType": "text/plain", "data": base64.urlsafe_b64encode("ü?>".encode()).decode()}},
                    {"inlineData": {"mimeType": "audio/mpeg", "data": "AAAA"}, "video_metadata": {"fps": 1}},
                    {"inlineData": {"mimeType": "application/pdf", "data": "JVBERg", "displayName": "a.pdf"}},
                    {"fileData": {"mimeType": "image/png", "fileUri": "https://e.xample/a.png"}}]}],
        system_instruction={"parts": [{"text": "be"}, {"text": "brief"}]}, tools=[*TOOLS, {"googleSearch": {}}],
        toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}},
        generationConfig={
            "temperature": 0.5, "topP": 0.9, "topK": 40.0, "max_output_tokens": 50, "seed": 3, "presencePenalty": 0.1,
            "frequencyPenalty": 0.2, "stopSequences": list("abcdef"), "candidateCount": 1, "responseMimeType":
            "application/json", "responseSchema": SCHEMA, "thinkingConfig": {"thinkingBudget": 9000},
            "responseModalities": ["TEXT"], "mediaResolution": "MEDIA_RESOLUTION_LOW", "responseLogprobs": True},
        safetySettings=[{}], labels={})).ok()
    got = s.request.json
    assert got.pop("max_completion_tokens", None) or got.pop("max_tokens") == 50
    assert got == {
        "model": s.name, "temperature": 0.5, "top_p": 0.9, "seed": 3, "presence_penalty": 0.1, "frequency_penalty": 0.2,
        "stop": list("abcd"), "messages": [
            {"role": "system", "content": "be\n\nbrief"},
            {"role": "user", "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
                {"type": "text", "text": "ü?>"},
                {"type": "input_audio", "input_audio": {"format": "mp3", "data": "AAAA"}},
                {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}},
                {"type": "image_url", "image_url": {"url": "https://e.xample/a.png"}}]}],
        "tools": [{"type": "function", "function": {
            "name": "weather", "description": "The weather", "parameters": PLAIN}}],
        "tool_choice": {"type": "function", "function": {"name": "weather"}},
        "response_format": {"type": "json_schema", "json_schema": {"name": "output", "schema": PLAIN}}}
    told = [w["message"] for w in json.loads(reply.headers["x-parley-warnings"])]
    for word in ("topK", "stopSequences", "thinking", "mediaResolution", "responseLogprobs", "safetySettings", "labels",
                 "googleSearch", "videoMetadata"):
        assert [word in t for t in told].count(True) == 1, (word, told)
    assert len(told) == 9


def test_calls_are_paired_with_their_results(client, script):
    s = script(up.reply(up.completion("ok")))
    call = lambda n, **more: {"functionCall": {"name": n, "args": {}, **more}}  # noqa: E731
    result = lambda n, v, **more: {"functionResponse": {"name": n, "response": {"v": v}, **more}}  # noqa: E731
    client.post(at(s.model), asked([
        *HELLO, {"role": "model", "parts": [{"text": "let me", "thought": True}, {"text": "so"}, call("f"), call("g", id="x")]},
        {"role": "model", "parts": [call("f")]},
        {"role": "function", "parts": [result("g", 1, id="x"), result("f", 2, id="of the client")]},
        {"role": "user", "parts": [result("f", 3, parts=[{"inlineData": {"mimeType": "image/png", "data": PNG}}]),
                                   {"text": "now"}]},
        {"role": "model", "parts": [call("f")]}, {"parts": [result("f", 4)]}])).ok()
    made = lambda i, n: {"id": i, "type": "function", "function": {"name": n, "arguments": "{}"}}  # noqa: E731
    assert s.request.json["messages"][1:] == [
        {"role": "assistant", "content": "so", "reasoning_content": "let me",
         "tool_calls": [made("gemini_1", "f"), made("x", "g"), made("gemini_2", "f")]},
        *({"role": "tool", "tool_call_id": i, "content": json.dumps({"v": v}, separators=(", ", ": "))} for i, v in (
            ("x", 1), ("gemini_1", 2), ("gemini_2", 3))),
        {"role": "user", "content": [{"type": "text", "text": "From the result of f:"},
                                     {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
                                     {"type": "text", "text": "now"}]},
        {"role": "assistant", "content": None, "tool_calls": [made("gemini_3", "f")]},
        {"role": "tool", "tool_call_id": "gemini_3", "content": '{"v": 4}'}]


def test_one_object_stands_for_a_list_of_it(client, script):
    s = script(up.reply(up.completion("ok")))
    one = {**TOOLS[0], "functionDeclarations": TOOLS[0]["functionDeclarations"][0]}
    for contents, tools in (([{"parts": [{"text": "x"}]}], TOOLS), ({"role": "user", "parts": {"text": "x"}}, one)):
        for verb in ("generateContent", "streamGenerateContent"):
            client.post(at(s.model, verb), {"contents": contents, "systemInstruction": {"parts": {"text": "be"}}, "tools": tools})
    first, *others = ({k: v for k, v in x.request.json.items() if "stream" not in k} for x in s.exchanges)
    assert len(others) == 3 and others == [first] * 3 and first["messages"][0]["content"] == "be" and first["tools"]
    client.post(at("echo", "embedContent"), {"content": {"parts": {"text": "x"}}}).ok()


def test_slashes_and_pluses_may_be_escaped(client, script):
    """PHP and .NET write them so."""
    def post(path, body):
        return client.post(path, json.dumps(body).replace("/", "\\/").replace("+", "\\u002B").encode()).ok()
    s = script(up.reply(up.completion("ok")))
    post(at(s.model), asked([{"parts": [
        {"inlineData": {"mimeType": "image/png", "data": PNG}}, {"inlineData": {"mimeType": "text/plain", "data": "aGk/"}},
        {"inlineData": {"mimeType": "audio/mpeg", "data": "AAA+"}},
        {"fileData": {"mimeType": "image/png", "fileUri": "https://e.xample/a"}}]}]))
    image = lambda url: {"type": "image_url", "image_url": {"url": url}}  # noqa: E731
    assert s.request.json["messages"][0]["content"] == [
        image(f"data:image/png;base64,{PNG}"), {"type": "text", "text": "hi?"},
        {"type": "input_audio", "input_audio": {"format": "mp3", "data": "AAA+"}}, image("https://e.xample/a")]
    post(at("echo", "batchEmbedContents"), {"requests": [{"model": "models/echo", "content": {"parts": [{"text": "x"}]}}]})


@pytest.mark.parametrize("more, path", [
    ({"contents": None}, "contents"), ({"contents": []}, "contents"), ({"contents": "x"}, "contents"), ({"contents": [{}] * 2049}, "contents"), ({"tools": 1}, "tools"), ({"contents": [{"parts": []}]}, "contents"),
    ({"contents": [{"role": "robot", "parts": []}]}, "contents[0].role"), ({"contents": [1]}, "contents[0]"),
    ({"contents": [{"parts": 1}]}, "contents[0].parts"), ({"contents": [{"parts": [{"text": 1}]}]}, "contents[0].parts[0].text"),
    ({"contents": [{"parts": [{"other": 1}]}]}, "contents[0].parts[0]"),
    ({"contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": "?"}}]}]}, "contents[0].parts[0].inlineData.data"),
    ({"contents": [{"parts": [{"inlineData": {"mimeType": 'a"b', "data": "AAAA"}}]}]}, "contents[0].parts[0].inlineData.mimeType"),
    ({"contents": [*HELLO, {"parts": [{"functionCall": {"name": "f"}}]}]}, "contents[1].parts[0]"),
    ({"contents": [*HELLO, {"parts": [{"functionResponse": {"name": "f"}}]}]}, "contents[1].parts[0].functionResponse"),
    ({"contents": [{"role": "model", "parts": [{"functionCall": {"name": "f"}, "thoughtSignature": '{"a'}]}]},
     "contents[0].parts[0].thoughtSignature"),
    ({"systemInstruction": "x"}, "systemInstruction"), ({"tools": [{"functionDeclarations": [{}]}]}, "tools[0].functionDeclarations[0].name"),
    ({"tools": TOOLS, "toolConfig": {"functionCallingConfig": {"mode": "x"}}}, "toolConfig.functionCallingConfig.mode"),
    ({"cachedContent": "cachedContents/x"}, "cachedContent"),
    *(({"generationConfig": {k: v}}, f"generationConfig.{k}") for k, v in (
        ("candidateCount", 2), ("topK", 1.5), ("temperature", "1"), ("maxOutputTokens", 0), ("thinkingConfig", 1))),
    ({"generationConfig": {"stopSequences": [1]}}, "generationConfig.stopSequences[0]"),
])
def test_the_path_of_what_is_wrong(client, more, path):
    for verb in ("generateContent", "streamGenerateContent"):
        error = client.post(at("echo", verb), {**asked(), **more}).error(400, param=path)
        assert error["type"] == "INVALID_ARGUMENT" and error["message"].startswith(path)


def test_choices_and_efforts(start, upstream, script):
    s = script(up.reply(up.completion("ok")))
    gateway = start({"providers": [provider(upstream, "p")], "hosted_tools": "refuse", "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "reasons": True, "max_output": 40},
        *({"name": n, "provider": "p"} for n in "xyz")]})
    with genai.Client(api_key="x", http_options={"base_url": gateway.url}) as sdk:  # which reads page by page
        pages = sdk.models.list(config={"page_size": 2})
        assert len(pages.page) == 2 and [m.name for m in pages] == [f"models/{n}" for n in ("m", "x", "y", "z", "echo")]
        assert pages.page and sdk.models.get(model="m").output_token_limit == 40
    two = [{"functionDeclarations": [{"name": n, "parametersJsonSchema": {"type": "object"}} for n in "fg"]}]
    with Client(gateway.url) as client:
        for thinking, effort in (({"thinkingBudget": 0}, "none"), ({"thinkingBudget": -1}, None), ({"thinkingBudget": 4096}, "medium"),
                                 ({"thinkingLevel": "HIGH"}, "high"), ({"thinking_level": "minimal"}, "minimal")):
            client.post(at("m"), asked(generationConfig={"thinkingConfig": thinking, "maxOutputTokens": 99})).ok()
            sent = s.exchanges[-1].request.json
            assert sent.get("reasoning_effort") == effort and 40 in sent.values(), thinking
        for config in ({"thinkingConfig": {"thinkingLevel": "ULTRA"}}, {"responseSchema": {"type": "STRING"}}):
            said = client.post(at("m"), asked(generationConfig=config)).ok().headers["x-parley-warnings"]
            assert [w["code"] for w in json.loads(said)] == ["parameter_dropped"] and next(iter(config)) in said
        for mode, names, choice in (("AUTO", [], "auto"), ("NONE", ["f"], "none"), ("VALIDATED", [], "auto"), ("ANY", [], "required"),
                                    ("ANY", ["f", "g"], {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [
                                        {"type": "function", "function": {"name": n}} for n in "fg"]}})):
            client.post(at("m"), asked(tools=two, toolConfig={"functionCallingConfig": {
                "mode": mode, "allowedFunctionNames": names}})).ok()
            assert s.exchanges[-1].request.json["tool_choice"] == choice
        assert s.exchanges[-1].request.json["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}
        client.post(at("m"), asked(tools=[{"googleSearch": {}}])).error(400, param="tools[0].googleSearch")


# --- the answer -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dialects(start_once, upstream):
    return start_once({
        "providers": [provider(upstream, w.dialect, dialect=w.dialect, api_key_env="TEST_UPSTREAM_KEY") for w in WIRES],
        "models": [{"name": f"{w.dialect}/*", "provider": w.dialect} for w in WIRES],
    }, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})


SIMPLE = [{"functionDeclarations": [{"name": "weather", "parameters": {
    "type": "OBJECT", "properties": {"city": {"type": "STRING"}}}}]}]
THINK = {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}


@pytest.mark.parametrize("wire", WIRES, ids=lambda w: w.dialect)
def test_every_dialect(dialects, script, wire):
    with Client(dialects.url) as client:
        for stream in (streamed, listed):
            said = stream(client, script(wire.say("Hel", "lo ü\n", '"x"')).under(wire.dialect), asked())
            assert (said.text, said.end) == ('Hello ü\n"x"', "STOP")
            assert (said.usage["promptTokenCount"], said.usage["totalTokenCount"]) == (USAGE[0], sum(USAGE))
        whole = lambda steps, **more: checked(client.post(  # noqa: E731
            at(script(steps).under(wire.dialect)), asked(**more)).ok().json)
        answer = whole(wire.whole("ok"))
        assert parts(answer) == [{"text": "ok"}] and answer["usageMetadata"]["totalTokenCount"] == sum(USAGE)

        args = {"city": 'Köln "K"'}
        for made in (streamed(client, script(wire.call("weather", "c1", args)).under(wire.dialect), asked(tools=SIMPLE)).parts[:-1],
                     parts(whole(wire.whole_call("weather", "c1", args), tools=SIMPLE))):
            assert [(p["functionCall"]["name"], p["functionCall"]["args"]) for p in made] == [("weather", args)]
            assert made[0]["functionCall"].get("id") or wire.dialect == "gemini"  # whose calls need none

        thought = [{"text": "hm", "thought": True}, {"text": "ok"}]
        assert parts(whole(wire.whole("ok", reasoning="hm"), **THINK)) == thought
        model = script(wire.say("ok", reasoning="hm")).under(wire.dialect)
        assert streamed(client, model, asked(**THINK)).parts[:-1] == thought
        if wire.dialect != "gemini":  # whose answer is passed on, and has them only if they were asked for
            assert streamed(client, model, asked()).parts[:-1] == thought[1:]

        said = streamed(client, script(wire.cut("so far")).under(wire.dialect), asked())
        assert said.text == "so far" and said.error["status"] == "UNAVAILABLE"


def test_the_type_of_a_file_reaches_gemini(dialects, script):
    s = script(WIRES[[w.dialect for w in WIRES].index("gemini")].whole("ok"))
    files = [{"fileData": {"mimeType": t, "fileUri": f"gs://b/{n}"}} for n, t in (("a", "image/png"), ("b", "video/mp4"))]
    with Client(dialects.url) as client:
        for headers in ({}, {"x-parley-store": "true"}):
            client.post(at(s.under("gemini")), asked([{"role": "user", "parts": files}]), headers=headers).ok()
            assert s.exchanges[-1].request.json["contents"][0]["parts"] == files


def test_signatures_survive_gemini_behind_gemini(dialects, script):
    wire = next(w for w in WIRES if w.dialect == "gemini")
    own = {"safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
           "generationConfig": {"topK": 4, "thinkingConfig": {"thinkingBudget": 128, "includeThoughts": True},
                                "mediaResolution": "MEDIA_RESOLUTION_LOW", "stopSequences": list("abcde")}}
    with Client(dialects.url) as client:
        for steps, stream in ((wire.call("weather", "", {}), True), (wire.whole_call("weather", "", {}), False)):
            s = script(up.in_turn(steps, wire.whole("Rain")))
            model = s.under("gemini")
            body = asked(tools=SIMPLE, **own)
            made = streamed(client, model, body).parts[:-1] if stream else parts(client.post(at(model), body).ok().json)
            assert made[0]["thoughtSignature"] == "QUJD+/8="
            if stream:  # as Google's SDK for Python writes bytes
                made[0]["thoughtSignature"] = "QUJD-_8="
            client.post(at(model), asked([*HELLO, {"role": "model", "parts": made}, {"role": "user", "parts": [
                {"functionResponse": {"name": "weather", "response": {"v": 1}}}]}], tools=SIMPLE)).ok()
            sent = s.wait(2).request.json["contents"]
            assert sent[1]["parts"] == [{"functionCall": {"name": "weather", "args": {}},
                                         "thoughtSignature": made[0]["thoughtSignature"]}]
            assert sent[2]["parts"] == [{"functionResponse": {"name": "weather", "response": {"v": 1}}}]
            first = s.wait(1).request.json
            assert first["safetySettings"] == own["safetySettings"]
            assert first["generationConfig"] == own["generationConfig"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_what_another_provider_wants_back_comes_back(client, script, stream):
    details = [{"type": "reasoning.encrypted", "data": "c2VjcmV0", "id": "r", "format": "x", "index": 0}]
    calls = [{"index": i, "id": f"c{i}", "type": "function", "extra_content": {"x": {"n": i}},
              "function": {"name": "f", "arguments": "{}"}} for i in range(2)]
    message = {"role": "assistant", "content": None, "reasoning_details": details, "tool_calls": calls}
    first = up.reply(up.completion(message={**message, "tool_calls": [
        {k: v for k, v in c.items() if k != "index"} for c in calls]}, finish="tool_calls"))
    if stream:
        first = [up.sse(), up.role(), up.data(up.chunk({"reasoning_details": details})),
                 up.data(up.chunk({"tool_calls": calls})), *up.ending("tool_calls")]
    s = script(up.in_turn(first, up.reply(up.completion("ok"))))
    made = streamed(client, s.model, asked()).parts[:-1] if stream else parts(client.post(at(s.model), asked()).ok().json)
    for part in made:  # as a client does that writes bytes for URLs, and keeps no ids
        types.Part.model_validate(part)
        part["thoughtSignature"] = part["thoughtSignature"].replace("+", "-").replace("/", "_").rstrip("=")
        del part["functionCall"]["id"]
    client.post(at(s.model), asked([*HELLO, {"role": "model", "parts": made}, {"role": "user", "parts": [
        {"functionResponse": {"name": "f", "response": {}}} for _ in made]}])).ok()
    sent = s.wait(2).request.json["messages"][1]
    assert sent["reasoning_details"] == details
    assert [c["extra_content"] for c in sent["tool_calls"]] == [{"x": {"n": 0}}, {"x": {"n": 1}}]
    # A signature that somebody has changed is not sent, and that is said.
    made[0]["thoughtSignature"] = "cGFybGV5X3JkOnt9eA"
    again = client.post(at(s.model), asked([{"role": "model", "parts": made[:1]}, {"role": "user", "parts": [
        {"functionResponse": {"name": "f", "response": {}}}]}])).ok()
    assert "reasoning_dropped" in again.headers["x-parley-warnings"]


TURNS = [(0, '{"a"'), (1, '{"b":'), (0, ":1"), (1, "[2"), (1, "]}"), (0, "}")]


def test_calls_that_take_turns_come_whole_and_in_their_order(client, script):
    starts = [{"index": i, "id": f"call_{i}", "type": "function", "function": {"name": f"f{i}", "arguments": ""}} for i in range(2)]
    pieces = [{"index": i, "function": {"arguments": text}} for i, text in TURNS]
    s = script(up.sse(), up.role(), up.text("Wait"), *(up.data(up.chunk({"tool_calls": [p]})) for p in [*starts, *pieces]),
               *up.ending("tool_calls"))
    assert streamed(client, s.model, asked()).parts == [
        {"text": "Wait"}, {"functionCall": {"id": "call_0", "name": "f0", "args": {"a": 1}}},
        {"functionCall": {"id": "call_1", "name": "f1", "args": {"b": [2]}}}, {"text": ""}]


def test_the_end_of_an_answer(client, script):
    for finish, word in (("length", "MAX_TOKENS"), ("content_filter", "SAFETY"), ("tool_calls", "STOP")):
        s = script(up.either("x"), )
        s.steps = up.reply(up.completion("x", finish)),
        assert client.post(at(s.model), asked()).ok().json["candidates"][0]["finishReason"] == word
    broken = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a'}}]}
    s = script(up.reply(up.completion(message=broken, finish="length")))
    assert parts(client.post(at(s.model), asked()).ok().json)[0]["functionCall"]["args"] == {"INVALID_JSON": '{"a'}


# --- what all families have -----------------------------------------------------------------------


def test_a_stored_answer(client, script):
    s = script(up.stream("so ", "it is"))
    with client.stream(at(s.model, "streamGenerateContent", "?alt=sse"), asked(), {"x-parley-store": "true"}) as stream:
        run = stream.headers["x-run-id"]
        assert [b.json["responseId"] for b in stream if not b.is_comment] == [run] * 3
    shown = client.get(f"/v1/runs/{run}").ok().json
    assert shown["status"] == "completed"
    items = client.items(shown["conversation"])["data"]
    assert [i["role"] for i in items] == ["user", "assistant"] and "so it is" in json.dumps(items)
    client.post(at(s.model), asked(), headers={"x-parley-store": "x"}).error(400, param="x-parley-store")
    assert "x-conversation-id" not in client.post(at("echo"), asked()).ok().headers


def test_a_key_stands_for_one_framing(client, script):
    s = script(up.stream("once"))
    head = {"Idempotency-Key": f"generate-{s.name}"}
    first = client.post(at(s.model, "streamGenerateContent"), asked(), headers=head).ok()
    again = client.post(at(s.model, "streamGenerateContent"), asked(), headers=head).ok()
    assert again.body == first.body and again.headers["idempotency-replayed"] == "true" and len(s.exchanges) == 1
    assert again.headers["content-type"] == first.headers["content-type"]
    client.post(at(s.model, "streamGenerateContent", "?alt=sse"), asked(), headers=head).error(422, "idempotency_key_reused")


def test_a_client_that_leaves_ends_the_call(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("so far"), up.wait(gate), up.end())
    with client.stream(at(s.model, "streamGenerateContent"), asked()) as stream:
        assert b"so far" in next(stream.pieces)
    s.exchanges[0].wait_closed()


def test_a_silent_array_stays_json(start, upstream, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("a"), up.wait(gate), up.text("b"), *up.ending())
    gateway = start({"providers": [provider(upstream, "p")], "keep_alive": "50ms",
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as client, client.stream(at("m", "streamGenerateContent"), asked()) as stream:
        got = b""
        while not got.endswith(b"\n\n"):
            got += next(stream.pieces)
        gate.open()
        got += b"".join(stream.pieces)
    assert Said(json.loads(got)).text == "ab"


# --- embeddings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", [w for w in WIRES if hasattr(w, "embeds")], ids=lambda w: w.dialect)
def test_embeddings_of_every_dialect(dialects, script, wire):
    with Client(dialects.url) as client:
        s = script(wire.vectors([0.5, -0.25], [1, 0]))
        config = {"outputDimensionality": 2}
        texts = [{"content": {"parts": [{"text": t}]}, "model": f"models/{s.under(wire.dialect)}", **config} for t in "ab"]
        got = client.post(at(s.under(wire.dialect), "batchEmbedContents"), {"requests": texts}).ok().json
        assert got["embeddings"] == [{"values": [0.5, -0.25]}, {"values": [1, 0]}]
        types.EmbedContentResponse.model_validate_json(json.dumps(got))
        one = script(wire.vectors([0.5, -0.25]))
        got = client.post(at(one.under(wire.dialect), "embedContent"), {
            "content": {"parts": [{"text": "a"}, {"text": "b"}]}, **config, "taskType": "SEMANTIC_SIMILARITY"}).ok()
        assert got.json["embedding"] == {"values": [0.5, -0.25]}
        assert ("x-parley-warnings" in got.headers) == (wire.dialect != "gemini")


def test_the_path_of_what_is_wrong_with_an_embedding(client):
    good = {"content": {"parts": [{"text": "x"}]}}
    for verb, body, path in (
            ("embedContent", {}, "content"), ("embedContent", {"content": {}}, "content.parts"),
            ("embedContent", {"content": {"parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}]}}, "content.parts[0]"),
            ("batchEmbedContents", {"requests": []}, "requests"), ("batchEmbedContents", {"requests": [good, {}]}, "requests[1].content.parts"),
            ("batchEmbedContents", {"requests": [good, {**good, "outputDimensionality": 2}]}, "requests[1].outputDimensionality"),
            ("batchEmbedContents", {"requests": [{**good, "model": "models/other"}]}, "requests[0].model")):
        client.post(at("echo", verb), body).error(400, param=path)


def test_what_is_not_sent_may_differ_in_a_batch(client):
    good = {"content": {"parts": [{"text": "x"}]}}
    said = client.post(at("echo", "batchEmbedContents"), {"requests": [
        good, {**good, "taskType": "X", "title": "a"}, {**good, "title": "b"}]}).ok()
    assert len(said.json["embeddings"]) == 3
    assert [w["message"].partition(" ")[0] for w in json.loads(said.headers["x-parley-warnings"])] == ["taskType", "title"]


def test_an_answer_of_the_cache(start, upstream, script):
    s = script(up.reply(up.completion("so it is")))
    gateway = start({"providers": [provider(upstream, "p")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "cache": {"ttl": "10m"}}]})
    use = {"x-parley-cache": "use"}
    with Client(gateway.url) as client:
        body = asked([{"parts": [{"text": "x"}]}])
        assert client.post(at("m"), body, headers=use).ok().headers["x-parley-cache"] == "miss"
        whole = client.post(at("m"), body, headers=use).ok()
        assert whole.headers["x-parley-cache"] == "hit" and parts(whole.json) == [{"text": "so it is"}]
        assert streamed(client, "m", body, use).text == "so it is" and len(s.exchanges) == 1


def test_a_stream_that_fails_is_broken_for_who_would_take_it_for_whole(client, script):
    for agent, cut in (("GeminiCLI-tui/0.61.0/m (linux; x64; terminal)", True), ("google-genai-sdk/3.3.0", False)):
        s = script(up.sse(), up.role(), up.text("so far"), up.hang_up())
        text, broke = b"", False
        with client.http.stream("POST", at(s.model, "streamGenerateContent", "?alt=sse"), json=asked(),
                                headers={"User-Agent": agent}) as answer:
            try:
                for piece in answer.iter_raw():
                    text += piece
            except httpx.RemoteProtocolError:
                broke = True
        assert broke == cut and b'"stream_incomplete"' in text


def test_a_stored_array_is_replayed_as_one(client, script):
    s = script(up.stream("once ", "more"))
    head = {"Idempotency-Key": f"stored-{s.name}", "x-parley-store": "true"}
    first, again = (client.post(at(s.model, "streamGenerateContent"), asked(), headers=head).ok() for _ in range(2))
    assert again.json == first.json and again.headers["idempotency-replayed"] == "true" and len(s.exchanges) == 1
    assert Said(again.json).text == "once more"


def test_a_text_of_control_characters_takes_no_more_memory_than_its_request(client):
    def send(text):
        data = base64.b64encode(text).decode()
        return client.post("/v1beta/models/echo:generateContent", {"contents": [
            {"parts": [{"inlineData": {"mimeType": "text/plain", "data": data}}]}]})

    assert send(b"a\t\"\n" * 50_000).ok()
    error = send(b"\x01" * 100_000).error(400, "invalid_value")
    assert "control characters" in error["message"] and error["param"].endswith("inlineData.data")
