"""What Anthropic's API refuses, and clients send all the same: each request leaves in a form that the API takes,
or is refused at its path."""

import base64
import copy
import json
import re

import pytest

import upstream as up
from ask import WIRE
from upstream import in_turn

HI = [{"role": "user", "content": "hi"}]
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
          "additionalProperties": False}
FORMAT = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}
WEATHER = {"type": "function", "function": {"name": "w", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}}}}


def answers(script, dialect, stream=False, text="ok", allows=None):
    wire = WIRE[dialect]
    return script(wire.say(text) if stream else wire.whole(text), allows=allows)


@pytest.fixture
def claude(wild, script):
    """claude(body, …) -> (Said, what the provider was sent or None)."""
    def ask(body, family="chat", dialect="anthropic", stream=False, headers=None, allows=None):
        s = answers(script, dialect, stream, allows=allows)
        said = wild.post(family, dialect, s, body, stream, headers)
        return said, s.request.json if said.status == 200 else None
    return ask


# --- D14: one object, though two say something of it ---

MEETING = [
    # dialect, what the client adds to a chat, what the provider gets, warnings
    ("anthropic", {"output_config": {"effort": "low"}, "response_format": FORMAT},
     {"output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}}, []),
    ("anthropic", {"output_config": {"effort": "low", "format": {"type": "x"}}, "response_format": FORMAT},
     {"output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}},
     ["parameter_dropped"]),
    ("anthropic", {"output_config": {"effort": "low"}}, {"output_config": {"effort": "low"}}, []),
    ("anthropic", {"stop_sequences": ["A"]}, {"stop_sequences": ["A"]}, []),
    ("anthropic", {"system": "be brief"}, {"system": "be brief"}, []),
    ("gemini", {"generationConfig": {"topK": 3, "max_output_tokens": 5}, "max_tokens": 9, "top_p": 0.5},
     {"generationConfig": {"topK": 3, "maxOutputTokens": 9, "topP": 0.5}}, ["parameter_dropped"]),
    ("ollama", {"options": {"num_ctx": 8, "num_predict": 3}, "max_tokens": 9},
     {"options": {"num_ctx": 8, "num_predict": 9}}, ["parameter_dropped"]),
    ("ollama", {"think": True, "reasoning_effort": "low"}, {"think": True}, ["parameter_dropped"]),
    ("ollama", {"format": "json", "response_format": FORMAT}, {"format": SCHEMA}, ["parameter_dropped"]),
    ("mistral", {"seed": 1, "random_seed": 2}, {"random_seed": 2}, ["parameter_dropped"]),
    ("openai-responses", {"text": {"verbosity": "low"}, "response_format": FORMAT},
     {"text": {"verbosity": "low", "format": {"type": "json_schema", "name": "s", "schema": SCHEMA}}}, []),
    ("openai-responses", {"text": {"verbosity": "low"}, "verbosity": "high"},
     {"text": {"verbosity": "low"}}, ["parameter_dropped"]),
    ("openai-responses", {"reasoning": {"summary": "auto"}, "reasoning_effort": "low"},
     {"reasoning": {"summary": "auto", "effort": "low"}}, []),
]


@pytest.mark.parametrize(("dialect", "given", "sent", "codes"), MEETING)
def test_two_that_speak_of_one_member_make_one(claude, dialect, given, sent, codes):
    said, body = claude({"messages": HI, **given}, dialect=dialect)
    assert said.status == 200, said
    assert {k: body.get(k) for k in sent} == sent
    assert said.codes == codes


@pytest.mark.parametrize(("dialect", "given", "path"), [
    ("anthropic", {"stop_sequences": ["A"], "stop": "B"}, "stop_sequences"),
    ("anthropic", {"system": "A", "messages": [{"role": "system", "content": "B"}, *HI]}, "system"),
    ("anthropic", {"output_format": {"type": "json_schema"}, "response_format": FORMAT}, "output_format"),
    ("anthropic", {"output_config": "low", "response_format": FORMAT}, "output_config"),
    ("gemini", {"generationConfig": [1]}, "generationConfig"),
    ("openai-responses", {"text": "low", "verbosity": "low"}, "text"),
])
def test_two_that_can_not_be_one_are_refused(claude, dialect, given, path):
    said, _ = claude({"messages": HI, **given}, dialect=dialect)
    assert (said.status, said.error["param"]) == (400, path), said


# --- D17: ids that other models gave to calls ---


def history(*ids, family="chat"):
    """A call of each id, each with its result, and a question."""
    if family == "messages":
        turns = [[{"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "w", "input": {}}]},
                  {"role": "user", "content": [{"type": "tool_result", "content": str(n), "tool_use_id": i}]}]
                 for n, i in enumerate(ids)]
    elif family == "responses":
        turns = [[{"type": "function_call", "call_id": i, "name": "w", "arguments": "{}"},
                  {"type": "function_call_output", "call_id": i, "output": str(n)}]
                 for n, i in enumerate(ids)]
    else:
        turns = [[{"role": "assistant", "content": None, "tool_calls": [
                     {"id": i, "type": "function", "function": {"name": "w", "arguments": "{}"}}]},
                  {"role": "tool", "tool_call_id": i, "content": str(n)}] for n, i in enumerate(ids)]
    items = [*HI, *[m for turn in turns for m in turn], {"role": "user", "content": "go on"}]
    return {"input": items, "store": False} if family == "responses" else \
        {"messages": items, **({"max_tokens": 9} if family == "messages" else {})}


def ids_of(body):
    """(id of the call, id of its result, text of the result), in order; as Anthropic's API is sent them."""
    blocks = [b for m in body["messages"] if not isinstance(m["content"], str) for b in m["content"]]
    calls = [b["id"] for b in blocks if b["type"] == "tool_use"]
    results = [b for b in blocks if b["type"] == "tool_result"]
    texts = [b["content"] if isinstance(b["content"], str) else "".join(p["text"] for p in b["content"])
             for b in results]
    return calls, [b["tool_use_id"] for b in results], texts


@pytest.mark.parametrize("family", ["chat", "responses", "messages"])
@pytest.mark.parametrize("ids", [("functions.Bash:0",), ("functions.Bash:0", "functions.Bash:1"),
                                 ("a|b", "a b"), ("k\u00f6ln",), ("call_0", "call_0", "call_0"), ("toolu_1",)])
def test_ids_of_calls_are_in_the_alphabet_and_unique(claude, family, ids):
    said, body = claude(history(*ids, family=family), family)
    assert said.status == 200, said
    calls, results, texts = ids_of(body)
    assert calls == results and texts == [str(n) for n in range(len(ids))]
    assert len(set(calls)) == len(ids)
    assert all(re.fullmatch("[a-zA-Z0-9_-]+", i) for i in calls)
    assert calls[0] == ids[0] or not re.fullmatch("[a-zA-Z0-9_-]+", ids[0])
    # the next request says the same, which the provider's cache depends on
    assert ids_of(claude(history(*ids, "more.1", family=family), family)[1])[0][:-1] == calls


def test_two_calls_of_one_turn_that_share_an_id(claude):
    body = history("x")
    body["messages"][1]["tool_calls"] *= 2  # its own message: history() makes new ones
    body["messages"].insert(3, {"role": "tool", "tool_call_id": "x", "content": "second"})
    calls, results, texts = ids_of(claude(body)[1])
    assert calls == results and len(set(calls)) == 2 and texts == ["0", "second"]


def test_native_bytes_stay_but_for_the_ids(wild, script):
    ask = b'''{"max_tokens": 9,"model": "MODEL", "messages":[{"role":"user","content":"hi"},{"role":"assistant",
 "content":[ {"input":{"id":"a.b"},"id" : "a.b","type":"tool_use","name":"w"}, {"type":"text","text":"a.b"}]},
 {"content": [{"tool_use_id":"a.b", "type":"tool_result","content":"a.b"}],"role":"user"}],"temperature": 1.0}'''
    s = answers(script, "anthropic")
    ask = ask.replace(b"MODEL", s.under("anthropic").encode())
    reply = wild.client.post("/v1/messages", ask)
    assert reply.status == 200, reply.body
    made = ids_of(s.request.json)[0][0].encode()
    sent = s.request.body
    assert sent.count(made) == 2
    assert sent.replace(b'"' + made + b'"', b'"a.b"').replace(s.name.encode(), s.under("anthropic").encode()) == ask


def test_an_error_names_the_id(wild, script):
    text = "`tool_use` ids were found without `tool_result` blocks: functions.Bash:0"
    s = script(WIRE["anthropic"].refuse(400, text))
    said = wild.post("chat", "anthropic", s, {"messages": HI})
    assert said.status == 400 and "functions.Bash:0" in said.error["message"], said


# --- D19: media types ---

PNG = "iVBORw0KGgo="


@pytest.mark.parametrize(("head", "type_"), [
    ("data:image/jpg;base64,", "image/jpeg"), ("DATA:image/PNG;BASE64,", "image/png"),
    ("data:image/png;charset=utf-8;base64,", "image/png"), ("data:Image/Webp;name=a.b;Base64,", "image/webp")])
@pytest.mark.parametrize(("family", "dialect"), [
    *[("chat", d) for d in ("anthropic", "gemini", "ollama", "openai-responses")],
    *[("responses", d) for d in ("anthropic", "gemini", "ollama")]])  # to Responses, the client's own words go
def test_a_data_url_in_any_spelling(claude, family, dialect, head, type_):
    if family == "chat":
        body = {"messages": [{"role": "user", "content": [
            {"type": "text", "text": "?"}, {"type": "image_url", "image_url": {"url": head + PNG}}]}]}
    else:
        body = {"store": False, "input": [{"role": "user", "content": [
            {"type": "input_text", "text": "?"}, {"type": "input_image", "image_url": head + PNG}]}]}
    said, sent = claude(body, family, dialect)
    assert said.status == 200, said
    text = json.dumps(sent)
    assert PNG in text and (dialect == "ollama" or type_ in text), text
    assert "jpg" not in text.lower() and "charset" not in text and "IMAGE" not in text, text


@pytest.mark.parametrize(("dialect", "within"), [("anthropic", False), ("anthropic", True), ("gemini", False)])
def test_a_media_type_of_messages(claude, dialect, within):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/jpg", "data": PNG}}
    body = copy.deepcopy(history("c1", family="messages"))
    if within:
        body["messages"][2]["content"][0]["content"] = [image]
    else:
        body["messages"] = [{"role": "user", "content": [image]}]
    said, sent = claude(body, "messages", dialect)
    assert said.status == 200 and '"image/jpeg"' in json.dumps(sent) and "image/jpg" not in json.dumps(sent), sent


# --- D18: white space; D53: nothing but instructions ---

BLANKS = ["\n\n", " ", "\t\r\n", "\u00a0", "\u3000 \u2003", "\u2028", "\f\v"]


def texts(turns, key="text"):
    """The texts of a list of turns."""
    return [[b.get(key) for b in m["content"]] for m in turns]


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize("form", ["string", "part"])
def test_a_text_of_white_space_is_an_empty_text(claude, blank, form):
    body = history("c1")
    body["messages"][1]["content"] = blank if form == "string" else [{"type": "text", "text": blank}]
    body["messages"].insert(0, {"role": "system", "content": body["messages"][1]["content"]})
    body["messages"][-1]["content"] = [{"type": "text", "text": blank}, {"type": "text", "text": "a" + blank + "b"}]
    said, sent = claude(body)
    assert said.status == 200 and "system" not in sent, said
    assert [b["type"] for b in sent["messages"][1]["content"]] == ["tool_use"]
    assert texts(sent["messages"])[2][1:] == ["a" + blank + "b"]


@pytest.mark.parametrize("text", ["\\n", "\\u2000", "\u200b", "x", "\u2010", "\u00a1", "\\u200b"])
def test_what_is_no_white_space_stays(claude, text):
    assert texts(claude({"messages": [{"role": "user", "content": text}]})[1]["messages"]) == [[text]]


@pytest.mark.parametrize("dialect", ["anthropic", "gemini"])
def test_white_space_alone_is_told(claude, dialect):
    said, _ = claude({"messages": [{"role": "user", "content": " \n"}]}, dialect=dialect)
    assert (said.status, said.error["param"]) == (400, "messages") and "white space" in said.error["message"]


def test_an_answer_to_continue_has_no_white_space_at_its_end(claude):
    body = {"messages": [*HI, {"role": "assistant", "content": "Well, \\n\n\u00a0 "}]}
    assert texts(claude(body)[1]["messages"]) == [["hi"], ["Well, \\n"]]


@pytest.mark.parametrize(("family", "body"), [
    ("chat", {"messages": [{"role": "system", "content": "A"}, {"role": "developer", "content": "B"}]}),
    ("responses", {"instructions": "A", "store": False, "input": [{"role": "developer", "content": "B"}]})])
def test_instructions_alone_are_the_users(claude, family, body):
    said, sent = claude(body, family)
    assert texts(sent["messages"]) == [["A", "B"]] and sent["messages"][0]["role"] == "user"
    assert "system" not in sent and said.codes == ["system_moved"] * 2
    said, sent = claude(body, family, "gemini")
    assert sent["contents"] == [{"role": "user", "parts": [{"text": "A"}, {"text": "B"}]}]
    assert "systemInstruction" not in sent and said.codes == ["system_moved"] * 2


# --- D24: schemas of answers; D25: strict tools; D43: schemas of tools ---


def obj(properties, **more):
    return {"type": "object", "properties": properties, **more}


def with_schema(family, schema):
    if family == "responses":
        return {"input": "hi", "store": False, "text": {"format": {"type": "json_schema", "name": "s", "schema": schema}}}
    response_format = {"type": "json_schema", "json_schema": {"name": "s", "schema": schema}}
    if family == "chat":
        return {"messages": HI, "response_format": response_format}
    return {"messages": ["hi"], "config": {"response_format": response_format}}


@pytest.mark.parametrize("family", ["chat", "responses", "native"])
def test_a_schema_in_the_subset_that_is_enforced(claude, family):
    schema = obj({"a": {"type": "integer", "minimum": 0}, "b": obj({"c": {"type": "string", "maxLength": 9}})},
                 required=["a"])
    said, sent = claude(with_schema(family, schema), family)
    assert said.status == 200 and said.codes == [], said
    assert sent["output_config"]["format"]["schema"] == obj({
        "a": {"type": "integer", "description": "{minimum: 0}"},
        "b": obj({"c": {"type": "string", "description": "{maxLength: 9}"}}, additionalProperties=False),
    }, required=["a"], additionalProperties=False)


@pytest.mark.parametrize(("schema", "why"), [
    ({"$ref": "#/$defs/n", "$defs": {"n": obj({"next": {"$ref": "#/$defs/n"}})}}, "recursive"),
    (obj({"a": {"$ref": "#/$defs/a"}}, **{"$defs": {"a": obj({"b": {"$ref": "#/$defs/b"}}),
                                                    "b": obj({"a": {"$ref": "#/$defs/a"}})}}), "recursive"),
    (obj({"a": {"$ref": "#"}}), "refers"),
    (obj({"a": {"$ref": "https://a.example/s.json"}}), "refers"),
    (obj({"a": {}}), "any value"), (obj({"a": True}), "any value"),
    (obj({"a": {"allOf": [obj({"b": {"type": "null"}}), obj({"c": {"type": "null"}})]}}), "allOf"),
])
def test_a_schema_that_can_not_be_enforced(claude, schema, why):
    said, _ = claude(with_schema("chat", schema))
    assert (said.status, said.error["param"]) == (400, "response_format") and why in said.error["message"], said
    tool = {"type": "function", "function": {"name": "w", "strict": True, "parameters": {"type": "object", **schema}}}
    said, sent = claude({"messages": HI, "tools": [tool]})
    assert sent["tools"] == [{"name": "w", "input_schema": tool["function"]["parameters"]}]
    assert said.codes == ["parameter_dropped"] and why in said.warnings[0]["message"]


def test_an_object_of_any_properties_is_told(claude):
    schema = obj({"a": {"type": "object", "additionalProperties": {"type": "string"}}})
    said, sent = claude(with_schema("chat", schema))
    assert said.codes == ["parameter_clamped"]
    assert sent["output_config"]["format"]["schema"]["properties"]["a"] == {
        "type": "object", "additionalProperties": False}
    tool = {"type": "function", "function": {"name": "w", "strict": True, "parameters": schema}}
    said, sent = claude({"messages": HI, "tools": [tool]})
    assert sent["tools"] == [{"name": "w", "input_schema": schema}] and said.codes == ["parameter_dropped"]


@pytest.mark.parametrize("family", ["chat", "responses"])
def test_strict_tools(claude, family):
    schema = obj({"a": {"type": "array", "items": {"type": "string"}, "maxItems": 3}}, required=["a"])
    tools = [{"name": f"t{n}", "strict": True, "parameters": schema} for n in range(22)]
    body = {"messages": HI, "tools": [{"type": "function", "function": t} for t in tools]} if family == "chat" else \
        {"input": "hi", "store": False, "tools": [{"type": "function", **t} for t in tools]}
    said, sent = claude(body, family)
    assert [t.get("strict") for t in sent["tools"]] == [True] * 20 + [None] * 2
    assert said.codes == ["parameter_dropped"] * 2 and "t20" in said.warnings[0]["message"]
    assert sent["tools"][0]["input_schema"] == obj({
        "a": {"type": "array", "items": {"type": "string"}, "description": "{maxItems: 3}"}},
        required=["a"], additionalProperties=False)
    assert sent["tools"][21]["input_schema"] == schema


@pytest.mark.parametrize("many", [
    obj({f"p{n}": {"type": "string"} for n in range(13)}),
    obj({f"p{n}": {"type": ["string", "null"]} for n in range(9)}, required=[f"p{n}" for n in range(9)])])
def test_the_sums_that_strict_tools_may_have(claude, many):
    tools = [{"type": "function", "function": {"name": n, "strict": True, "parameters": s}}
             for n, s in (("a", many), ("b", many), ("c", obj({})))]
    said, sent = claude({"messages": HI, "tools": tools})
    assert [t.get("strict") for t in sent["tools"]] == [True, None, True] and said.codes == ["parameter_dropped"]


@pytest.mark.parametrize(("parameters", "sent"), [
    (None, {"type": "object"}), ({}, {"type": "object"}),
    ({"properties": {"a": {}}}, {"type": "object", "properties": {"a": {}}}),
    ({"type": None, "properties": {}}, {"type": "object", "properties": {}}),
    ({"type": ["object", "null"]}, {"type": "object"}), (obj({"a": {"minimum": 1.50}}), obj({"a": {"minimum": 1.5}}))])
def test_a_tools_schema_is_of_an_object(claude, parameters, sent):
    function = {"name": "w", "parameters": parameters}
    if parameters is None:
        del function["parameters"]
    said, body = claude({"messages": HI, "tools": [{"type": "function", "function": function}]})
    assert body["tools"] == [{"name": "w", "input_schema": sent}] and said.codes == []


def test_a_tools_schema_that_is_no_object(claude):
    said, _ = claude({"messages": HI, "tools": [{"type": "function", "function": {"name": "w", "parameters": [1]}}]})
    assert (said.status, said.error["param"]) == (400, "tools")


# --- D26: how it samples; D27: the budget; D28: thinking that can't be ---


def budget(n):
    return {"thinking": {"type": "enabled", "budget_tokens": n}}


ADAPTIVE = {"thinking": {"type": "adaptive"}}
NONE = {"temperature": None, "top_p": None, "top_k": None}


@pytest.mark.parametrize("family", ["chat", "responses", "native"])
@pytest.mark.parametrize(("given", "sent", "codes"), [
    ({"temperature": 0.5, "top_p": 0.9}, {"temperature": 0.5, "top_p": None}, ["parameter_dropped"]),
    ({"top_p": 0.9}, {"temperature": None, "top_p": 0.9}, []),
    ({"temperature": 0.5, "top_k": 3}, {"temperature": 0.5, "top_k": 3}, []),
    ({**ADAPTIVE, "temperature": 0.5, "top_p": 0.9, "top_k": 3}, {**NONE, **ADAPTIVE}, ["parameter_dropped"] * 3),
    ({**budget(2000), "temperature": 1, "max_tokens": 3000}, {"temperature": 1, **budget(2000)}, []),
    ({"thinking": {"type": "disabled"}, "temperature": 0.5}, {"temperature": 0.5, "thinking": {"type": "disabled"}}, []),
])
def test_how_it_samples(claude, family, given, sent, codes):
    known = {"temperature", "top_p", "max_tokens"}
    if family == "chat":
        body = {"messages": HI, **given}
    elif family == "responses":
        body = {"input": "hi", "store": False,
                **{"max_output_tokens" if k == "max_tokens" else k: v for k, v in given.items()}}
    else:
        body = {"messages": ["hi"], "config": {**{k: v for k, v in given.items() if k in known},
                                               "extra": {k: v for k, v in given.items() if k not in known}}}
    said, got = claude(body, family)
    assert said.status == 200, said
    assert {k: got.get(k) for k in sent} == sent and said.codes == codes


def test_native_requests_say_both(claude):
    body = {"messages": HI, "max_tokens": 9, "temperature": 0.5, "top_p": 0.9}
    said, got = claude(body, "messages", allows={"temperature-or-top-p top_p": "the client's own words"})
    assert (got["temperature"], got["top_p"], said.codes) == (0.5, 0.9, [])


@pytest.mark.parametrize(("given", "max_", "thinking", "codes"), [
    (budget(8000), 8000 + 4096, budget(8000), []),
    ({**budget(8000), "max_tokens": 9000}, 9000, budget(8000), []),
    ({**budget(8000), "max_tokens": 8000}, 8000, budget(7999), ["parameter_clamped"]),
    ({**budget(8000), "max_completion_tokens": 1024}, 1024, {}, ["parameter_dropped"]),
    (budget(100), 1024 + 4096, budget(1024), ["parameter_clamped"]),
    (ADAPTIVE, 4096, ADAPTIVE, []),
])
def test_the_budget_is_less_than_the_limit(claude, given, max_, thinking, codes):
    said, got = claude({"messages": HI, **given})
    assert said.status == 200, said
    assert (got["max_tokens"], {k: v for k, v in got.items() if k == "thinking"}, said.codes) == (max_, thinking, codes)


def test_the_most_that_a_model_writes_bounds_the_budget(make_wild, script):
    wild = make_wild(models={"anthropic": {"max_output": 9000}})
    for n, sent, codes in ((8000, 8000, []), (9500, 8999, ["parameter_clamped"])):
        s = answers(script, "anthropic")
        said = wild.post("chat", "anthropic", s, {"messages": HI, **budget(n)})
        assert (s.request.json["max_tokens"], s.request.json["thinking"]["budget_tokens"]) == (9000, sent)
        assert said.codes == codes


CALL = {"id": "c1", "type": "function", "function": {"name": "w", "arguments": "{}"}}
THOUGHT = {**CALL, "extra_content": {"anthropic": {"thinking_blocks": [
    {"type": "thinking", "thinking": "hm", "signature": "s"}]}}}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "1"}


def called(call):
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.mark.parametrize(("messages", "stays"), [
    ([*HI, called(CALL), RESULT], False),
    ([*HI, called(THOUGHT), RESULT], True),
    ([*HI, called(THOUGHT), RESULT, called({**CALL, "id": "c2"}), {**RESULT, "tool_call_id": "c2"}], True),
    ([*HI, called(CALL), RESULT, called({**THOUGHT, "id": "c2"}), {**RESULT, "tool_call_id": "c2"}], False),
    ([*HI, called(CALL), RESULT, *HI], False),  # one turn of the user, with the result
    ([*HI, called(CALL), RESULT, {"role": "assistant", "content": "well"}, *HI], True),
    ([*HI, {"role": "assistant", "content": "A"}, *HI], True),
    (HI, True),
])
def test_thinking_that_the_history_lacks(claude, messages, stays):
    said, got = claude({"messages": messages, **budget(1500)})
    assert ("thinking" in got) == stays and said.codes == ([] if stays else ["parameter_dropped"]), got
    blocks = [b["type"] for m in got["messages"] for b in m["content"]]
    assert stays or "thinking" not in blocks  # without the one, the API refuses the other
    said, got = claude({"messages": messages, **ADAPTIVE})
    assert got["thinking"] == ADAPTIVE["thinking"] and said.codes == []


@pytest.mark.parametrize("thinking", [budget(1500), ADAPTIVE])
def test_thinking_before_an_answer_to_continue(claude, thinking):
    said, got = claude({"messages": [*HI, {"role": "assistant", "content": "The answer is"}], **thinking})
    assert "thinking" not in got and said.codes == ["parameter_dropped"]


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "w"}}, "auto", "none"])
@pytest.mark.parametrize("thinking", [budget(1500), ADAPTIVE])
def test_thinking_beside_a_forced_tool(claude, choice, thinking):
    said, got = claude({"messages": HI, "tools": [WEATHER], "tool_choice": choice, **thinking})
    stays = choice in ("auto", "none")
    assert ("thinking" in got) == stays and said.codes == ([] if stays else ["parameter_dropped"])


def test_thinking_of_another_type(claude):
    said, _ = claude({"messages": HI, "thinking": True})
    assert (said.status, said.error["param"]) == (400, "thinking")


# --- D21: service tiers; D22: ids of users; D44: stop sequences ---


@pytest.mark.parametrize("family", ["chat", "responses"])
@pytest.mark.parametrize(("tier", "sent"), [
    ("auto", "auto"), ("default", "standard_only"), ("standard_only", "standard_only"),
    ("flex", None), ("priority", None), ("scale", None)])
def test_service_tiers(claude, family, tier, sent):
    body = {"messages": HI} if family == "chat" else {"input": "hi", "store": False}
    said, got = claude({**body, "service_tier": tier}, family)
    assert said.status == 200, said
    assert got.get("service_tier") == sent and said.codes == ([] if sent else ["parameter_dropped"])


@pytest.mark.parametrize(("user", "stays"), [
    ("u1", True), ("user-3f2a.b:c_d", True), ("12345", True), ("x" * 256, True),
    ("ann@example.com", False), ("+49 170 0000000", False), ("0170-0000000", False), ("4917000000", False),
    ("x" * 300, False), ("Ann Example", False), ("k\u00f6ln", False)])
def test_the_id_of_a_user(claude, user, stays):
    said, got = claude({"messages": HI, "user": user})
    sent = got["metadata"]["user_id"]
    assert sent == user if stays else re.fullmatch("[0-9a-f]{64}", sent)
    assert claude({"messages": HI, "user": user})[1]["metadata"]["user_id"] == sent
    assert said.codes == []


@pytest.mark.parametrize(("stop", "sent", "codes"), [
    ("\n", None, ["parameter_dropped"]), ("END", ["END"], []),
    (["\n\n", "A", " ", "", "B"], ["A", "B"], ["parameter_dropped"] * 3),
    (["1", "2", "3", "4", "5", "6"], ["1", "2", "3", "4", "5", "6"], [])])
def test_stop_sequences(claude, stop, sent, codes):
    said, got = claude({"messages": HI, "stop": stop})
    assert got.get("stop_sequences") == sent and said.codes == codes


def test_stop_sequences_of_other_providers(claude):
    stop = ["\n", "", "1", "2", "3", "4", "5"]
    said, got = claude({"messages": HI, "stop": stop}, dialect="gemini")
    assert got["generationConfig"]["stopSequences"] == ["\n", "1", "2", "3", "4"]
    assert said.codes == ["parameter_dropped", "parameter_clamped"]
    assert claude({"messages": HI, "stop": stop}, dialect="ollama")[1]["options"]["stop"] == ["\n", *stop[2:]]


# --- D38: files of text ---


def with_file(family, data, name=None):
    named = {"filename": name} if name else {}
    if family == "responses":
        return {"store": False, "input": [{"role": "user", "content": [
            {"type": "input_text", "text": "?"}, {"type": "input_file", "file_data": data, **named}]}]}
    return {"messages": [{"role": "user", "content": [
        {"type": "text", "text": "?"}, {"type": "file", "file": {"file_data": data, **named}}]}]}


@pytest.mark.parametrize("family", ["chat", "responses"])
@pytest.mark.parametrize(("data", "name", "text"), [
    ("data:text/plain;base64,aGVsbG8=", None, "hello"),
    ("data:text/csv;charset=utf-8;base64," + base64.b64encode("k\u00f6ln\t\"1\"\n".encode()).decode(), "a.csv", "k\u00f6ln\t\"1\"\n"),
    ("data:application/json;base64,e30=", "a.json", "{}")])
def test_files_of_text(claude, family, data, name, text):
    _, sent = claude(with_file(family, data, name), family)
    assert sent["messages"][0]["content"][1] == {
        "type": "document", "source": {"type": "text", "media_type": "text/plain", "data": text},
        **({"title": name} if name else {})}
    _, sent = claude(with_file(family, data, name), family, "ollama")
    assert sent["messages"][0]["content"] == "?\n" + (f"{name}\n" if name else "") + text


@pytest.mark.parametrize("dialect", ["anthropic", "ollama"])
@pytest.mark.parametrize("data", ["data:text/plain;base64,/w==", "data:application/zip;base64,aGVsbG8="])
def test_files_that_are_no_text(claude, dialect, data):
    said, _ = claude(with_file("chat", data), dialect=dialect)
    assert (said.status, said.error["param"]) == (400, "messages[0].content[1]"), said


# --- D30: what another host signed ---

ANTHROPIC_REFUSAL = "messages.1.content.0: Invalid `signature` in `thinking` block"
SIGNED = [{"type": "thinking", "thinking": "hm", "signature": "sig-of-b"}, {"type": "redacted_thinking", "data": "d"}]


def refuses_once(script, dialect, refusal, stream, allows=None):
    wire = WIRE[dialect]
    return script(in_turn(refusal, *([wire.say("ok")] if stream else [wire.whole("ok")])), allows=allows)


def sent(s):
    return [e.request.json for e in s.exchanges]


@pytest.mark.parametrize("thinking", [{}, ADAPTIVE, budget(1500)])
def test_thinking_that_another_host_signed(wild, script, stream, thinking):
    s = refuses_once(script, "anthropic", WIRE["anthropic"].refuse(400, ANTHROPIC_REFUSAL), stream)
    said = wild.post("chat", "anthropic", s, {"messages": [*HI, called(THOUGHT), RESULT], **thinking}, stream)
    assert said.status == 200 and said.text == "ok", said
    first, second = sent(s)
    assert "sig" not in json.dumps(second) and first["messages"][1]["content"][0]["type"] == "thinking"
    assert [b["type"] for b in second["messages"][1]["content"]] == ["tool_use"]
    assert second.get("thinking") == (None if thinking == budget(1500) else thinking.get("thinking"))
    assert said.codes == ["parameter_dropped"] * (2 if thinking == budget(1500) else 1)
    assert "signed" in json.dumps(said.warnings) and said.log["attempts"] == 2


@pytest.mark.parametrize("thinking", [{}, ADAPTIVE, budget(1500)])
def test_native_thinking_that_another_host_signed(wild, script, stream, thinking):
    messages = [*HI, {"role": "assistant", "content": [*SIGNED, {"type": "text", "text": "a"}]}, *HI,
                {"role": "assistant", "content": [*SIGNED, {"type": "tool_use", "id": "c1", "name": "w", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "1"}]}]
    s = refuses_once(script, "anthropic", WIRE["anthropic"].refuse(400, ANTHROPIC_REFUSAL), stream)
    said = wild.post("messages", "anthropic", s, {"messages": messages, "max_tokens": 5000, **thinking}, stream)
    assert said.status == 200 and said.text == "ok", said
    first, second = sent(s)
    assert {k: v for k, v in first.items() if k not in ("model", "stream")} == {
        "messages": messages, "max_tokens": 5000, **thinking}
    assert second["messages"] == [{**m, "content": [b for b in m["content"] if b not in SIGNED]} if
                                  isinstance(m["content"], list) else m for m in messages]
    assert second.get("thinking") == (None if thinking == budget(1500) else thinking.get("thinking"))
    assert said.codes == ["parameter_dropped"] and "signed" in said.warnings[0]["message"]


ENCRYPTED = {**CALL, "extra_content": {"openai": {"reasoning": [
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAb"}]}}}
THOUGHT_BY_GEMINI = {**CALL, "extra_content": {"google": {"thought_signature": "QUJDRA=="}}}


@pytest.mark.parametrize(("dialect", "call", "error"), [
    ("openai-responses", ENCRYPTED, {"error": {
        "code": "invalid_encrypted_content", "message": "The encrypted content gAAA...b could not be verified.",
        "param": None, "type": "invalid_request_error"}}),
    ("gemini", THOUGHT_BY_GEMINI, {"error": {
        "code": 400, "message": "Corrupted thought signature.", "status": "INVALID_ARGUMENT"}})])
def test_reasoning_that_another_host_signed(wild, script, stream, dialect, call, error):
    s = refuses_once(script, dialect, up.reply(error, 400), stream)
    body = {"messages": [*HI, called(call), RESULT], "tools": [WEATHER]}
    said = wild.post("chat", dialect, s, body, stream)
    assert said.status == 200 and said.text == "ok", said
    first, second = map(json.dumps, sent(s))
    secret = "gAAAb" if dialect == "openai-responses" else "QUJDRA=="
    assert secret in first and secret not in second and said.codes == ["parameter_dropped"]


@pytest.mark.parametrize("retries", [0, 2])
def test_it_is_asked_once_more_and_no_more(make_wild, script, retries):
    wild = make_wild(options={"anthropic": {"retries": retries}})
    s = script(WIRE["anthropic"].refuse(400, ANTHROPIC_REFUSAL))
    said = wild.post("chat", "anthropic", s, {"messages": [*HI, called(THOUGHT), RESULT]})
    assert said.status == 400 and said.error["code"] == "upstream_signature_refused", said
    assert ANTHROPIC_REFUSAL in said.error["message"] and len(s.exchanges) == 2


def test_a_stored_conversation_that_changes_its_host(wild, script):
    """B signs, A refuses what B has signed, and the conversation goes on."""
    wire = WIRE["anthropic"]
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "b", "stop_reason": "tool_use",
              "stop_sequence": None, "usage": wire.usage,
              "content": [*SIGNED, {"type": "tool_use", "id": "c1", "name": "w", "input": {}}]}
    b = script(up.reply(answer))
    body = {"messages": ["hi"], "config": {"model": b.under("anthropic"), "tools": [WEATHER]}}
    first = wild.client.post("/v1/chat", body)
    assert first.status == 200, first.body
    a = refuses_once(script, "anthropic", wire.refuse(400, ANTHROPIC_REFUSAL), False)
    reply = wild.client.post("/v1/chat", {
        "conversation": first.json["conversation"], "messages": [RESULT],
        "config": {"model": a.under("anthropic"), "tools": [WEATHER]}})
    assert reply.status == 200, reply.body
    before, after = map(json.dumps, sent(a))
    assert "sig-of-b" in before and "sig-of-b" not in after
