"""What the Gemini API is sent, by what its models can do."""

import json

import pytest

from ask import TOOL, WIRE

PNG = "iVBORw0KGgo="
HI = {"role": "user", "content": "hi"}
IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
INLINE = {"inlineData": {"mimeType": "image/png", "data": PNG}}


@pytest.fixture(scope="module")
def gemini(make_wild, upstream):
    """gemini(family, model, body): what the provider got, and what was said."""
    wild = make_wild(models={"gemini": {"reasons": True}})

    def ask(family, model, body, stream=False):
        wire = WIRE["gemini"]
        name = model.removeprefix("models/")
        s = upstream.script(wire.say("ok") if stream else wire.whole("ok"), name=name)
        said = wild.post(family, "gemini", f"gemini/{model}", body, stream)
        upstream.scripts.pop(name)
        return s.request.json if s.exchanges else None, said
    return ask


def chat(*turns, **more):
    return {"messages": list(turns) or [HI], **more}


# --- efforts (D37) ---

LEVEL, BUDGET, CLAMPED = "thinkingLevel", "thinkingBudget", ["parameter_clamped"]
EFFORTS = [
    ("gemini-2.5-flash", "none", BUDGET, 0, []),
    ("gemini-2.5-flash", "minimal", BUDGET, 1024, []),
    ("gemini-2.5-flash", "high", BUDGET, 24576, []),
    ("gemini-2.5-flash", "xhigh", BUDGET, 24576, CLAMPED),
    ("gemini-2.5-flash", "max", BUDGET, 24576, CLAMPED),
    ("gemini-2.5-flash-lite", "none", BUDGET, 0, []),
    ("gemini-2.5-flash-lite", "medium", BUDGET, 8192, []),
    ("gemini-2.5-pro", "none", BUDGET, 128, CLAMPED),
    ("models/gemini-2.5-pro", "none", BUDGET, 128, CLAMPED),
    ("gemini-2.5-pro", "low", BUDGET, 1024, []),
    ("gemini-2.5-pro", "max", BUDGET, 32768, []),
    ("gemini-3-pro-preview", "none", LEVEL, "low", CLAMPED),
    ("gemini-3-pro-preview", "minimal", LEVEL, "low", CLAMPED),
    ("gemini-3-pro-preview", "low", LEVEL, "low", []),
    ("gemini-3-pro-preview", "medium", LEVEL, "high", CLAMPED),
    ("gemini-3-pro-preview", "max", LEVEL, "high", CLAMPED),
    ("gemini-3.1-pro-preview", "medium", LEVEL, "medium", []),
    ("gemini-3-flash-preview", "none", LEVEL, "minimal", CLAMPED),
    ("gemini-3-flash-preview", "minimal", LEVEL, "minimal", []),
    ("gemini-3-flash-preview", "xhigh", LEVEL, "high", CLAMPED),
    ("gemini-9-new", "max", LEVEL, "high", CLAMPED),
    ("gemini-2.0-flash", "none", None, None, []),
    ("gemini-2.0-flash", "low", None, None, CLAMPED),
    ("models/gemini-2.0-flash-lite", "max", None, None, CLAMPED),
    ("gemini-1.5-pro", "high", None, None, CLAMPED),
    ("gemini-2.5-flash-image", "high", None, None, CLAMPED),
]


@pytest.mark.parametrize("model, effort, key, value, codes", EFFORTS)
def test_efforts_that_a_model_has(gemini, stream, model, effort, key, value, codes):
    got, said = gemini("chat", model, chat(reasoning_effort=effort), stream)
    config = got.get("generationConfig", {}).get("thinkingConfig")
    assert config == (key and {"includeThoughts": effort != "none", key: value})
    assert said.status == 200 and said.codes == codes


@pytest.mark.parametrize("family, body", [
    ("native", {"messages": ["hi"], "config": {"reasoning_effort": "none"}}),
    ("lmc", {"messages": ["hi"], "format": "lmc", "config": {"reasoning_effort": "none"}}),
    ("responses", {"input": "hi", "store": False, "reasoning": {"effort": "none"}}),
    ("messages", {"max_tokens": 50, "messages": [HI], "thinking": {"type": "disabled"}}),
])
def test_each_family_says_no_thinking(gemini, family, body):
    got, said = gemini(family, "gemini-2.5-pro", body)
    assert got["generationConfig"]["thinkingConfig"] == {"includeThoughts": False, BUDGET: 128}
    assert said.codes == CLAMPED


@pytest.mark.parametrize("effort", ["huge", "\"", ""])
def test_an_unknown_effort_is_refused(gemini, effort):
    _, said = gemini("chat", "gemini-2.0-flash", chat(reasoning_effort=effort))
    assert (said.status, said.error["param"]) == (400, "reasoning_effort")


# --- audio (D46) ---


@pytest.mark.parametrize("format, type", [
    ("wav", "audio/wav"), ("mp3", "audio/mp3"), ("ogg", "audio/ogg"), ("flac", "audio/flac"), ("aac", "audio/aac"),
    ("aiff", "audio/aiff")])
def test_audio_of_all_formats(gemini, format, type):
    got, _ = gemini("chat", "gemini-2.5-flash", chat({"role": "user", "content": [
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": format}}]}))
    assert got["contents"][0]["parts"] == [{"inlineData": {"mimeType": type, "data": "AAAA"}}]


@pytest.mark.parametrize("dialect, format, param", [
    ("gemini", "midi", "messages[0].content[0]"), ("openai-responses", "ogg", "messages[0].content[0]")])
def test_audio_that_is_not_taken(wild, script, dialect, format, param):
    s = script(WIRE[dialect].whole("ok"))
    said = wild.post("chat", dialect, s, chat({"role": "user", "content": [
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": format}}]}))
    assert (said.status, said.error["param"]) == (400, param)


# --- addresses (D47) ---

URL = "https://a.example/b"
URLS = [(f"{URL}.png", {"mimeType": "image/png", "fileUri": f"{URL}.png"}),
        (f"{URL}.JPG?x=.png#y", {"mimeType": "image/jpeg", "fileUri": f"{URL}.JPG?x=.png#y"}),
        (URL, {"fileUri": URL})]


@pytest.mark.parametrize("url, there", URLS)
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview", "models/gemini-2.5-pro"])
def test_images_by_https(gemini, model, url, there):
    for family, content in (
            ("chat", [{"type": "image_url", "image_url": {"url": url}}]),
            ("messages", [{"type": "image", "source": {"type": "url", "url": url}}])):
        got, said = gemini(family, model, {"max_tokens": 50, "messages": [{"role": "user", "content": content}]})
        assert got["contents"][0]["parts"] == [{"fileData": there}] and not said.warnings


@pytest.mark.parametrize("dialect, there", [
    ("mistral", {"type": "document_url", "document_url": f"{URL}.pdf"}),
    ("openai-responses", {"type": "input_file", "file_url": f"{URL}.pdf"}),
    ("gemini", {"fileData": {"mimeType": "application/pdf", "fileUri": f"{URL}.pdf"}}),
    ("openai", None), ("azure", None), ("ollama", None),
])
def test_documents_by_https(wild, script, dialect, there):
    s = script(WIRE[dialect].whole("ok"))
    said = wild.post("messages", dialect, s, {"max_tokens": 50, "messages": [{"role": "user", "content": [
        {"type": "document", "source": {"type": "url", "url": f"{URL}.pdf"}}]}]})
    if there is None:
        assert (said.status, said.error["param"]) == (400, "messages.0.content.0.source"), said
        return
    assert said.status == 200, said
    body = s.request.json
    first = (body.get("contents") or body.get("messages") or body.get("input"))[0]
    assert (first.get("parts") or first["content"]) == [there]


@pytest.mark.parametrize("model, url", [("gemini-2.0-flash", f"{URL}.png"), ("gemini-2.5-flash", "http://a.example/b.png"),
                                        ("gemini-2.5-flash", "ftp://a.example/b.png")])
def test_addresses_that_are_not_fetched(gemini, model, url):
    got, said = gemini("chat", model, chat({"role": "user", "content": [
        {"type": "text", "text": "?"}, {"type": "image_url", "image_url": {"url": url}}]}))
    assert (got, said.status, said.error["param"]) == (None, 400, "messages[0].content[1]")


@pytest.mark.parametrize("url", ["gs://b/a.png", "https://generativelanguage.googleapis.com/v1beta/files/a"])
def test_googles_own_files_are_for_all_models(gemini, url):
    got, _ = gemini("chat", "gemini-2.0-flash", chat({"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": url}}]}))
    assert got["contents"][0]["parts"][0]["fileData"]["fileUri"] == url


# --- images in results (D48) ---


def call(id):
    return {"id": id, "type": "function", "function": {"name": "shot", "arguments": "{}"}}


def result(id, *parts):
    return {"role": "tool", "tool_call_id": id, "content": list(parts)}


def text(t):
    return {"type": "text", "text": t}


SHOTS = [HI, {"role": "assistant", "content": None, "tool_calls": [call("c1"), call("c2"), call("c3")]},
         result("c1", text("one"), IMAGE), result("c2", text("two")), result("c3", IMAGE, IMAGE)]


def response(id, said):
    return {"functionResponse": {"id": id, "name": "shot", "response": {"result": said}}}


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-2.0-flash", "models/gemini-2.5-pro"])
@pytest.mark.parametrize("more", [[], [{"role": "user", "content": "and?"}]])
def test_images_stand_after_the_results(gemini, stream, model, more):
    got, said = gemini("chat", model, chat(*SHOTS, *more), stream)
    assert said.status == 200 and not said.warnings
    assert got["contents"][2:] == [
        {"role": "user", "parts": [response("c1", "one"), response("c2", "two"), response("c3", "")]},
        {"role": "user", "parts": [
            {"text": "From the result of the call c1:"}, INLINE, {"text": "From the result of the call c3:"}, INLINE,
            INLINE, *[{"text": m["content"]} for m in more]]}]


def test_newer_models_take_images_in_results(gemini):
    got, _ = gemini("chat", "gemini-3-pro-preview", chat(*SHOTS))
    assert [p["functionResponse"].get("parts") for p in got["contents"][2]["parts"]] == [[INLINE], None, [INLINE, INLINE]]
    assert len(got["contents"]) == 3


def test_a_wrong_address_in_a_result_is_told(gemini):
    bad = {"type": "image_url", "image_url": {"url": "http://a.example/b.png"}}
    got, said = gemini("chat", "gemini-2.5-flash", chat(*SHOTS[:4], result("c3", text("x"), bad)))
    assert (got, said.status, said.error["param"]) == (None, 400, "messages[4].content[1]")


# --- JSON beside tools (D49) ---

FORMAT = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}}
TOOLS = [{"type": "function", "function": TOOL}]
DROPPED = ["parameter_dropped"]


@pytest.mark.parametrize("model, more, tools, mime, codes", [
    ("gemini-2.5-flash", {}, True, None, DROPPED),
    ("gemini-2.0-flash", {"response_format": {"type": "json_object"}}, True, None, DROPPED),
    ("gemini-2.5-flash", {"tool_choice": "none"}, False, "application/json", []),
    ("gemini-2.5-flash", {"tools": []}, False, "application/json", []),
    ("gemini-2.5-flash", {"response_format": {"type": "text"}}, True, None, []),
    ("gemini-3-pro-preview", {}, True, "application/json", []),
])
def test_json_beside_tools(gemini, stream, model, more, tools, mime, codes):
    got, said = gemini("chat", model, chat(tools=TOOLS, response_format=FORMAT) | more, stream)
    assert ("tools" in got) == tools and said.codes == codes
    assert got.get("generationConfig", {}).get("responseMimeType") == mime
    assert tools or "toolConfig" not in got


def test_json_beside_tools_of_messages(gemini):
    got, said = gemini("messages", "gemini-2.5-flash", {
        "max_tokens": 50, "messages": [HI], "tools": [{"name": "f", "input_schema": TOOL["parameters"]}],
        "output_config": {"format": {"type": "json_schema", "schema": TOOL["parameters"]}}})
    assert "tools" in got and "responseMimeType" not in json.dumps(got) and said.codes == DROPPED
