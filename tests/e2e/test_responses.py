"""OpenAI's Responses API: whole answers, streams, stored responses, and what is refused."""

import base64
import json
import re
import sqlite3

import openai
import pytest

import responses as rs
import upstream as up
from client import Client, Stream
from fixtures import provider, usual_config
from gateway import Gateway
from test_attached import PNG, block, image, put, text
from waiting import wait_until

NOBODY = "resp_" + "0" * 15 + "1" * 17
TOOL = {"type": "function", "name": "weather", "description": "of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}},
                       "required": ["city"], "additionalProperties": False},
        "strict": True}
CUSTOM = {"type": "custom", "name": "patch", "description": "applies a patch"}


def asked(script, n=-1):
    return script.exchanges[n].request.json


def call(index, id=None, name=None, arguments=""):
    made = {"index": index, "function": {"arguments": arguments}}
    if id is not None:
        made |= {"id": id, "type": "function"}
    if name:
        made["function"]["name"] = name
    return up.data(up.chunk({"tool_calls": [made]}))


# --- whole answers --------------------------------------------------------------------------------


def test_a_text_is_answered(client):
    reply = rs.create(client, metadata={"a": "b"}, instructions="be kind").ok()
    found = rs.check(reply.json)
    assert found["status"] == "completed" and rs.text_of(found) == "hello"
    assert found["id"][5:] == reply.headers["x-run-id"][4:] == found["output"][0]["id"][4:]
    assert found["store"] is True and found["conversation"] is None
    assert found["metadata"] == {"a": "b"} and found["instructions"] == "be kind"
    assert found["created_at"] <= found["completed_at"]
    assert client.get(f"{rs.PATH}/{found['id']}").ok().json == found


def test_what_is_not_stored_is_not_found(client):
    reply = rs.create(client, store=False).ok()
    found = rs.check(reply.json)
    assert found["store"] is False and "x-conversation-id" not in reply.headers
    client.get(f"{rs.PATH}/{found['id']}").error(404, "not_found")
    client.request("DELETE", f"{rs.PATH}/{found['id']}").error(404, "not_found")


def test_items_become_messages(client, script):
    s = script(up.either("ok"))
    rs.check(rs.create(client, model=s.model, instructions="sys", store=False, input=[
        {"role": "user", "content": "one"},
        {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "two"},
            {"type": "input_image", "image_url": "https://x/y.png", "detail": "low"},
            {"type": "input_file", "file_data": "data:application/pdf;base64,AAAA",
             "filename": "a.pdf"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
         "phase": "commentary",
         "content": [{"type": "output_text", "text": "th", "annotations": []},
                     {"type": "output_text", "text": "ree", "annotations": []}]},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{\"a\": 1}"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "a \"b\"\n"},
        {"type": "function_call_output", "call_id": "c1", "output": "r1"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": [
            {"type": "input_text", "text": "r2"},
            {"type": "input_image", "image_url": "https://x/z.png"}]},
        {"role": "developer", "content": [{"type": "input_text", "text": "dev"}]},
    ]).ok().json)
    assert asked(s)["messages"] == [
        {"role": "system", "content": "sys\n\ndev"},
        {"role": "user", "content": "one"},
        {"role": "user", "content": [
            {"type": "text", "text": "two"},
            {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA",
                                      "filename": "a.pdf"}}]},
        {"role": "assistant", "content": "three", "reasoning_content": "hm", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}},
            {"id": "c2", "type": "function",
             "function": {"name": "patch", "arguments": json.dumps({"input": "a \"b\"\n"}).replace(
                 ": ", ":")}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "r1"},
        {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "r2"}]},
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "https://x/z.png"}}]},
    ]


def test_members_get_the_names_of_a_chat(client, script):
    s = script(up.either("ok"), allows={"types odd": "what only a provider knows goes through"})
    anything = {"type": "object", "properties": {}, "additionalProperties": False}
    found = rs.check(rs.create(
        client, model=s.model, max_output_tokens=77, temperature=0.5, top_p=0.9, user="u",
        service_tier="flex", prompt_cache_key="k", safety_identifier="s", odd={"x": [1]},
        parallel_tool_calls=False, reasoning={"effort": "low", "summary": "auto"},
        text={"format": {"type": "json_schema", "name": "n", "schema": anything,
                         "strict": True}, "verbosity": "low"},
        tools=[TOOL, CUSTOM], tool_choice={"type": "function", "name": "weather"},
        include=["reasoning.encrypted_content"], truncation="disabled", stream_options=None,
        metadata={"a": "b"}, max_tool_calls=3).ok().json)
    sent = asked(s)
    for key in ("messages", "model"):
        del sent[key]
    assert sent == {
        "max_tokens": 77, "temperature": 0.5, "top_p": 0.9, "user": "u", "service_tier": "flex",
        "prompt_cache_key": "k", "safety_identifier": "s", "odd": {"x": [1]},
        "parallel_tool_calls": False, "reasoning_effort": "low", "verbosity": "low",
        "response_format": {"type": "json_schema", "json_schema": {
            "name": "n", "schema": anything, "strict": True}},
        "tools": [
            {"type": "function", "function": {k: v for k, v in TOOL.items() if k != "type"}},
            {"type": "function", "function": {
                "name": "patch", "description": "applies a patch", "parameters": {
                    "type": "object", "properties": {"input": {"type": "string"}},
                    "required": ["input"], "additionalProperties": False}}}],
        "tool_choice": {"type": "function", "function": {"name": "weather"}},
    }
    assert found["tools"] == [TOOL, CUSTOM] and found["reasoning"]["effort"] == "low"
    assert found["text"]["format"]["name"] == "n" and found["max_output_tokens"] == 77
    assert found["service_tier"] == "flex" and found["max_tool_calls"] == 3


def test_what_is_asked_for_in_vain_is_told(client):
    reply = rs.create(client, include=["reasoning.encrypted_content"], truncation="auto",
                      reasoning={"summary": "auto", "generate_summary": "concise"}).ok()
    warned = json.loads(reply.headers["x-parley-warnings"])
    assert [w["code"] for w in warned] == [
        "truncation_off", "reasoning_not_encrypted", "parameter_dropped"]
    assert "x-parley-warnings" not in rs.create(client, include=[], reasoning={}).ok().headers


def test_members_without_tools_are_not_sent_alone(client, script):
    s = script(up.either("ok"))
    rs.create(client, model=s.model, parallel_tool_calls=True, tool_choice="auto", tools=[],
              text={"format": {"type": "text"}}).ok()
    assert set(asked(s)) == {"model", "messages"}


def test_allowed_tools_leave_the_others_out(client, script):
    s = script(up.either("ok"))
    choice = {"type": "allowed_tools", "mode": "required",
              "tools": [{"type": "custom", "name": "patch"}]}
    found = rs.create(client, model=s.model, tools=[TOOL, CUSTOM], tool_choice=choice).ok().json
    assert [t["function"]["name"] for t in asked(s)["tools"]] == ["patch"]
    assert asked(s)["tool_choice"] == "required" and found["tool_choice"] == choice


def test_calls_and_reasoning_are_items(client, script):
    message = {"role": "assistant", "content": "text", "reasoning_content": "hm", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}},
        {"id": "c1", "type": "function",
         "function": {"name": "patch", "arguments": "{\"input\": \"a\\n\"}"}},
        {"id": "c3", "type": "function", "function": {"name": "patch", "arguments": "odd"}}]}
    s = script(up.reply(up.completion(finish="tool_calls", message=message)))
    found = rs.check(rs.create(client, model=s.model, tools=[TOOL, CUSTOM]).ok().json)
    body = found["id"][5:]
    assert [i["type"] for i in found["output"]] == [
        "reasoning", "message", "function_call", "custom_tool_call", "custom_tool_call"]
    assert [i["id"] for i in found["output"]] == [
        f"rs_{body}", f"msg_{body}", f"fc_{body}", f"ctc_{body}_2", f"ctc_{body}_3"]
    assert found["output"][0]["summary"] == [{"type": "summary_text", "text": "hm"}]
    assert [i.get("input") for i in found["output"][3:]] == ["a\n", "odd"]
    assert client.get(f"{rs.PATH}/{found['id']}").ok().json == found


DRAWN = [image(PNG), {"type": "image_url", "image_url": {"url": "https://x/y.png?a=\u00e9"}}]


def test_images_of_an_answer_are_items(client, script):
    whole = script(up.reply(up.completion(message={
        "role": "assistant", "content": "see ", "reasoning": "hm", "images": DRAWN})))
    live = script(up.sse(), up.role(), up.data(up.chunk({"reasoning": "hm"})), up.text("see "),
                  *[up.data(up.chunk({"content": "", "images": [{**p, "index": n}]}))
                    for n, p in enumerate(DRAWN)], *up.ending())
    found = []
    for s in (whole, live):
        if s is live:
            found.append(rs.check_events(streamed(client, model=s.model)))
        else:
            found.append(rs.check(rs.create(client, model=s.model).ok().json))
        output = found[-1]["output"]
        assert [i["type"] for i in output] == [
            "reasoning", "message", "image_generation_call", "message"]
        assert output[2]["id"] == f"ig_{found[-1]['id'][5:]}"
        assert output[2]["result"] == base64.b64encode(PNG).decode()
        assert output[3]["content"][0]["text"] == "![image](https://x/y.png?a=\u00e9)"
        assert client.get(f"{rs.PATH}/{found[-1]['id']}").ok().json == found[-1]
    # Whoever keeps the history itself sends the items back, or names them.
    s = script(up.either("ok"))
    rs.create(client, model=s.model, input=[MESSAGE, *found[0]["output"][:3], MESSAGE]).ok()
    assert asked(s)["messages"] == [
        MESSAGE, {"role": "assistant", "content": "see "},
        {"role": "user", "content": [image(PNG)]}, MESSAGE]
    rs.create(client, model=s.model, input=[
        {"type": "item_reference", "id": i["id"]} for i in found[0]["output"][1:3]]).ok()
    assert [m["images"] for m in asked(s)["messages"]] == [DRAWN]


def test_an_answer_of_an_image_alone(client, script):
    s = script(up.sse(), up.role(), up.data(up.chunk({"images": DRAWN[:1]})), *up.ending())
    found = rs.check_events(streamed(client, model=s.model))
    assert [i["type"] for i in found["output"]] == ["image_generation_call"]


@pytest.mark.parametrize("finish, reason", [("length", "max_output_tokens"),
                                            ("content_filter", "content_filter")])
def test_an_answer_that_ends_early_is_incomplete(client, script, finish, reason):
    s = script(up.reply(up.completion("half", finish)))
    found = rs.check(rs.create(client, model=s.model).ok().json)
    assert found["status"] == "incomplete" and found["incomplete_details"] == {"reason": reason}
    assert found["output"][0]["status"] == "incomplete" and found["completed_at"] is None
    assert client.get(f"{rs.PATH}/{found['id']}").ok().json == found


def test_a_failure_is_an_http_error(client, script):
    s = script(up.reply({"error": {"message": "no", "type": "x", "code": "y"}}, status=400))
    rs.create(client, model=s.model).error(400)
    s = script(up.hang_up())
    rs.create(client, model=s.model, stream=True).error(502)


def test_uploaded_files_take_the_place_of_their_parts(client, script):
    s = script(up.either("ok"))
    png, note = put(client, PNG, "a.png"), put(client, b"be brief", "note.txt")
    content = [{"type": "input_text", "text": "first:"},
               {"type": "input_image", "file_id": png, "detail": "low"},
               {"type": "input_text", "text": "then:"},
               {"type": "input_file", "file_id": note},
               {"type": "input_file", "file_id": note, "filename": "mine"}]
    made = rs.create(client, model=s.model, input=[{"role": "user", "content": content}]).ok()
    picture = image(PNG)
    picture["image_url"]["detail"] = "low"
    said = [text("first:"), picture, text("then:"), text(block("note.txt", "be brief")),
            text(block("mine", "be brief"))]
    assert asked(s)["messages"] == [{"role": "user", "content": said}]
    page = rs.check_page(client.get(f"{rs.PATH}/{made.json['id']}/input_items").ok().json)
    assert page["data"][0]["content"] == content
    # A later turn sends them again, and tells of one that has gone.
    client.request("DELETE", f"/v1/files/{note}").ok()
    again = rs.create(client, model=s.model, input="more",
                      previous_response_id=made.json["id"]).ok()
    assert asked(s)["messages"][0]["content"][:3] == said[:3]
    assert 'missing=\\"deleted\\"' in json.dumps(asked(s)["messages"][0]["content"][3:])
    assert "file_deleted" in again.headers["x-parley-warnings"]


def test_an_uploaded_file_of_a_result_goes_to_the_user(client, script):
    s = script(up.either("ok"))
    png = put(client, PNG, "a.png")
    rs.create(client, model=s.model, store=False, input=[
        MESSAGE, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": [
            {"type": "input_text", "text": "here"},
            {"type": "input_image", "file_id": png}]}]).ok()
    assert asked(s)["messages"][2:] == [
        {"role": "tool", "tool_call_id": "c", "content": [text("here")]},
        {"role": "user", "content": [image(PNG)]}]


def test_files_that_are_not_there_or_not_taken(client, start, upstream):
    gone = put(client, PNG, "a.png")
    client.request("DELETE", f"/v1/files/{gone}").ok()
    for id in (gone, "nonsense", NOBODY):
        for kind in ("input_image", "input_file"):
            rs.create(client, input=[MESSAGE, {"role": "user", "content": [
                {"type": "input_text", "text": "x"}, {"type": kind, "file_id": id}]}]).error(
                    404, "not_found", "input[1].content[1].file_id")
    junk = put(client, b"\0\1\2", "junk")
    rs.create(client, input=[{"role": "user", "content": [
        {"type": "input_file", "file_id": junk}]}]).error(
            400, "invalid_value", "input[0].content[0]")
    gateway = start({"providers": [provider(upstream, "p")], "models": [
        {"name": "blind", "provider": "p", "images": False}]})
    with Client(gateway.url) as other:
        png = put(other, PNG, "a.png")
        rs.create(other, model="blind", input=[{"role": "user", "content": [
            {"type": "input_image", "file_id": png}]}]).error(
                400, "unsupported_parameter", "input[0].content[0]")


# --- what is refused ------------------------------------------------------------------------------

MESSAGE = {"role": "user", "content": "x"}
REFUSED = [
    ({"input": None}, "missing_required_parameter", "input"),
    ({"input": []}, "invalid_value", "input"),
    ({"input": 5}, "invalid_type", "input"),
    ({"input": ["x"]}, "invalid_type", "input[0]"),
    ({"input": [MESSAGE, {}]}, "missing_required_parameter", "input[1].type"),
    ({"input": [{"role": "tool", "content": "x"}]}, "invalid_value", "input[0].role"),
    ({"input": [{"role": "user"}]}, "missing_required_parameter", "input[0].content"),
    ({"input": [{"role": "user", "content": {}}]}, "invalid_type", "input[0].content"),
    ({"input": [MESSAGE, MESSAGE, {"role": "user", "content": [
        {"type": "input_image", "image_url": {"url": "x"}}]}]},
     "invalid_type", "input[2].content[0].image_url"),
    ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]},
     "missing_required_parameter", "input[0].content[0].image_url"),
    ({"input": [{"role": "user", "content": [{"type": "input_text", "text": "x"},
                                             {"type": "odd"}]}]},
     "invalid_value", "input[0].content[1].type"),
    ({"input": [{"role": "user", "content": [{"type": "input_text"}]}]},
     "missing_required_parameter", "input[0].content[0].text"),
    ({"input": [{"role": "user", "content": [{"type": "input_file", "file_url": "x"}]}]},
     "not_supported_yet", "input[0].content[0].file_url"),
    ({"input": [{"role": "user", "content": [{"type": "input_file"}]}]},
     "missing_required_parameter", "input[0].content[0].file_data"),
    ({"input": [{"role": "user", "content": [{"type": "input_image", "file_id": 5}]}]},
     "invalid_type", "input[0].content[0].file_id"),
    ({"input": [{"role": "user", "content": [
        {"type": "input_image", "file_id": "x", "image_url": "https://x/y.png"}]}]},
     "invalid_value", "input[0].content[0].file_id"),
    ({"input": [{"role": "user", "content": [
        {"type": "input_file", "file_id": "x", "file_url": "https://x/y.pdf"}]}]},
     "invalid_value", "input[0].content[0].file_url"),
    ({"input": [{"role": "assistant", "content": [{"type": "input_image", "image_url": "x"}]}]},
     "invalid_value", "input[0].content[0].type"),
    ({"input": [{"type": "function_call", "name": "f", "arguments": "{}"}]},
     "missing_required_parameter", "input[0].call_id"),
    ({"input": [{"type": "function_call_output", "call_id": "c"}]},
     "missing_required_parameter", "input[0].output"),
    ({"input": [{"type": "function_call_output", "call_id": "c", "output": [{"type": "odd"}]}]},
     "invalid_value", "input[0].output[0].type"),
    ({"input": [{"type": "reasoning", "summary": [{"text": 1}]}]},
     "invalid_type", "input[0].summary[0].text"),
    ({"input": [{"type": "image_generation_call", "id": "ig_1"}]},
     "missing_required_parameter", "input[0].result"),
    ({"input": [{"type": "odd_call", "id": "odd_1"}]}, "unsupported_parameter", "input[0].type"),
    ({"tools": [{}]}, "missing_required_parameter", "tools[0].type"),
    ({"tools": [{"type": "function"}]}, "missing_required_parameter", "tools[0].name"),
    ({"tools": ["x"]}, "invalid_type", "tools[0]"),
    ({"tool_choice": "maybe"}, "invalid_value", "tool_choice"),
    ({"tool_choice": {}}, "unsupported_parameter", "tool_choice.type"),
    ({"tool_choice": {"type": "function"}}, "missing_required_parameter", "tool_choice.name"),
    ({"text": {"format": {"type": "odd"}}}, "invalid_value", "text.format.type"),
    ({"text": {"format": "text"}}, "invalid_type", "text.format"),
    ({"reasoning": {"effort": 3}}, "invalid_type", "reasoning.effort"),
    ({"include": ["odd"]}, "invalid_value", "include[0]"),
    ({"include": ["message.output_text.logprobs", "odd"]}, "invalid_value", "include[1]"),
    ({"include": "message.output_text.logprobs"}, "invalid_type", "include"),
    ({"top_logprobs": 21}, "invalid_value", "top_logprobs"),
    ({"top_logprobs": -1}, "invalid_value", "top_logprobs"),
    ({"prompt": {"id": "p"}}, "unsupported_parameter", "prompt"),
    ({"moderation": {}}, "unsupported_parameter", "moderation"),
    ({"messages": [MESSAGE]}, "unsupported_parameter", "messages"),
    ({"max_tokens": 5}, "unsupported_parameter", "max_tokens"),
    ({"truncation": "odd"}, "invalid_value", "truncation"),
    ({"metadata": {"a": 1}}, "invalid_type", "metadata.a"),
    ({"background": True, "store": False}, "invalid_value", "background"),
    ({"conversation": {"id": 3}}, "invalid_type", "conversation"),
    ({"conversation": "conv_1", "previous_response_id": NOBODY},
     "invalid_value", "previous_response_id"),
    ({"instructions": ["x"]}, "invalid_type", "instructions"),
]


@pytest.mark.parametrize("body, code, param", REFUSED, ids=[f"{r[2]}-{r[1]}" for r in REFUSED])
def test_the_culprit_is_named(client, body, code, param):
    rs.create(client, **body).error(400, code, param)


# What a provider names in the chat that it is sent, and the place of it in the request below.
PLACES = [
    ("messages[0].content", "instructions"),
    ("messages[1]", "input[0]"),
    ("messages[1].content", "input[0].content"),
    ("messages.1.role", "input[0].role"),
    ("messages[2].content[1].image_url.url", "input[1].content[1].image_url"),
    ("messages[2].content[1].image_url.detail", "input[1].content[1].detail"),
    ("messages[2].content[0].odd", "input[1].content[0]"),
    ("messages[3].content", "input[3].content"),
    ("messages[3].tool_calls[0].function.arguments", "input[4].arguments"),
    ("messages[3].tool_calls[1].function.arguments", "input[5].input"),
    ("messages[3].tool_calls[1].id", "input[5].call_id"),
    ("messages[4].tool_call_id", "input[6].call_id"),
    ("messages[4].content", "input[6].output"),
    ("messages[5].content[0].text", "input[7].output[1].text"),
    ("messages[6].content[0].text", "input[8].output[1].text"),
    ("messages[7].content[0].image_url", "input[7].output[0].image_url"),
    ("messages[7].content[1].file.file_data", "input[8].output[0].file_data"),
    ("messages[8].content", "input[9].content"),
    ("messages[99].content", "input"),
    ("messages", "input"),
    ("input[3].content", "input"),
    ("tools[0].function.parameters", "tools[1].parameters"),
    ("tools[0].function.name", "tools[1].name"),
    ("tool_choice.function.name", "tool_choice.name"),
    ("response_format.json_schema.schema", "text.format.schema"),
    ("response_format", "text.format"),
    ("reasoning_effort", "reasoning.effort"),
    ("max_tokens", "max_output_tokens"),
    ("max_tokens_odd", "max_tokens_odd"),
    ("temperature", "temperature"),
]
NAMED_INPUT = [
    MESSAGE,
    {"role": "user", "content": [{"type": "input_text", "text": "two"},
                                 {"type": "input_image", "image_url": "https://x/y.png"}]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"role": "assistant", "content": "three"},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "a"},
    {"type": "function_call_output", "call_id": "c1", "output": "r1"},
    {"type": "custom_tool_call_output", "call_id": "c2", "output": [
        {"type": "input_image", "image_url": "https://x/z.png"},
        {"type": "input_text", "text": "r2"}]},
    {"type": "function_call_output", "call_id": "c3", "output": [
        {"type": "input_file", "file_data": "data:application/pdf;base64,AAAA"},
        {"type": "input_text", "text": "r3"}]},
    {"role": "user", "content": [{"type": "input_text", "text": "last"}]},
]


@pytest.mark.parametrize("theirs, ours", PLACES, ids=[p[0] for p in PLACES])
def test_a_providers_refusal_names_the_clients_place(client, script, theirs, ours):
    s = script(up.reply({"error": {"message": f"Invalid '{theirs}': odd", "type": "x",
                                   "param": theirs, "code": "y"}}, status=400),
               allows={"tool-pairs messages.*.tool_call_id": "its last result has no call"})
    choice = {"type": "allowed_tools", "tools": [CUSTOM]}
    body = {"model": s.model, "instructions": "sys", "input": NAMED_INPUT, "tools": [TOOL, CUSTOM],
            "tool_choice": choice, "reasoning": {"effort": "low"}}
    for stream in (False, True):
        refused = client.post(rs.PATH, {**body, "stream": stream}).error(400, "y", ours)
        assert refused["message"] == f"Invalid '{ours}': odd"


def test_a_refusal_of_an_earlier_message_names_what_brought_it(client, script):
    s = script(up.reply({"error": {"message": "odd", "param": "messages[1].content"}}, status=400))
    first = rs.create(client, input="one").ok()
    for more, ours in (({"previous_response_id": first.json["id"]}, "previous_response_id"),
                       ({"conversation": first.headers["x-conversation-id"]}, "conversation")):
        rs.create(client, model=s.model, input="two", **more).error(400, param=ours)
    s = script(up.reply({"error": {"message": "odd", "param": "messages[2].content"}}, status=400))
    rs.create(client, model=s.model, input="two", previous_response_id=first.json["id"]).error(
        400, param="input")


def test_a_dialects_refusal_names_the_clients_place(start, upstream):
    gateway = start({"providers": [provider(upstream, "p", dialect="anthropic")],
                     "models": [{"name": "m", "provider": "p"}]})
    image = {"type": "input_image", "image_url": "data:image/png;base64,!"}
    with Client(gateway.url) as client:
        rs.create(client, model="m", instructions="sys", input=[
            MESSAGE, {"role": "user", "content": [{"type": "input_text", "text": "x"}, image]},
        ]).error(400, param="input[1].content[1]")
        rs.create(client, model="m", input=[
            MESSAGE, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": [
                {"type": "input_text", "text": "x"}, image]}]).error(
                    400, param="input[2].output[1]")


def test_unknown_ids_are_not_found(client):
    for path in ("", "/input_items", "?stream=true"):
        for id in (NOBODY, "nonsense", "run_" + NOBODY[5:]):
            client.get(f"{rs.PATH}/{id}{path}").error(404, "not_found")
    client.post(f"{rs.PATH}/{NOBODY}/cancel").error(404, "not_found")
    client.request("DELETE", f"{rs.PATH}/{NOBODY}").error(404, "not_found")
    rs.create(client, previous_response_id=NOBODY).error(404, "not_found", "previous_response_id")
    rs.create(client, previous_response_id="x").error(404, "not_found", "previous_response_id")
    rs.create(client, conversation="conv_" + NOBODY[5:]).error(404, "not_found", "conversation")


def test_runs_of_other_families_are_no_responses(client):
    run = client.chat("hi").ok().json["run"]
    client.get(f"{rs.PATH}/resp_{run[4:]}").error(404, "not_found")
    client.get(f"{rs.PATH}/resp_{run[4:]}?stream=true").error(404, "not_found")
    rs.create(client, previous_response_id=f"resp_{run[4:]}").error(404, "not_found")


def test_hosted_tools_are_dropped_or_refused(upstream, tmp_path, script):
    s = script(up.either("ok"))
    config = usual_config(upstream, responses_store=False)
    gateway = Gateway(tmp_path, config, env={"TEST_UPSTREAM_KEY": "k"}).start()
    with Client(gateway.url) as client:
        reply = rs.create(client, model=s.model, tools=[{"type": "web_search"}, TOOL]).ok()
        assert [w["code"] for w in json.loads(reply.headers["x-parley-warnings"])] == [
            "hosted_tool_dropped"]
        assert rs.check(reply.json)["tools"] == [TOOL] and reply.json["store"] is False
        assert len(asked(s)["tools"]) == 1
        rs.create(client, tools=[{}]).error(400, param="tools[0].type")
    gateway.stop()
    gateway = Gateway(tmp_path, {**config, "hosted_tools": "refuse"}, env={"TEST_UPSTREAM_KEY": "k"}).start()
    with Client(gateway.url) as client:
        for body, path in (({"tools": [TOOL, {"type": "web_search"}]}, "tools[1].type"),
                           ({"tool_choice": {"type": "mcp"}}, "tool_choice.type"),
                           ({"input": [{"type": "web_search_call", "id": "ws_1"}]}, "input[0].type")):
            rs.create(client, **body).error(400, "unsupported_parameter", path)
    gateway.stop()


def test_a_grammar_is_lost_with_a_warning(client):
    tool = {**CUSTOM, "format": {"type": "grammar", "syntax": "lark", "definition": "x"}}
    reply = rs.create(client, tools=[tool], truncation="auto").ok()
    assert [w["code"] for w in json.loads(reply.headers["x-parley-warnings"])] == [
        "tool_format_dropped", "truncation_off"]
    assert rs.check(reply.json)["truncation"] == "disabled"


# --- streams --------------------------------------------------------------------------------------


def streamed(client, **body):
    with rs.stream(client, **body) as stream:
        stream.check_head()
        return rs.events_of(stream)


def test_a_long_stream_ends_as_others_do(client, script):
    """The last events repeat the text four times, a worker prints the most of them."""
    piece = "abcdefgh" * (3 << 17)
    s = script(up.sse(), up.role(), *[up.text(piece) for _ in range(3)], *up.ending())
    found = rs.check_events(streamed(client, model=s.model))
    assert found["status"] == "completed" and rs.text_of(found) == 3 * piece
    assert rs.check_events(again(client, found["id"])) == found
    broken = script(up.sse(), up.role(), up.text(piece), up.hang_up())
    last = rs.check_events(streamed(client, model=broken.model))
    assert last["status"] == "failed" and rs.text_of(last) == piece


def again(client, id, after=None):
    query = "" if after is None else f"&starting_after={after}"
    request, sent = client._build("GET", f"{rs.PATH}/{id}?stream=true{query}", None, None)
    response = client.http.send(request)
    if response.status_code == 204:
        return []
    return rs.events_of(Stream(response, sent))


def test_a_stream_has_the_whole_grammar(client, script):
    s = script(up.sse(), up.role(),
               up.data(up.chunk({"reasoning_content": "h"})),
               up.data(up.chunk({"reasoning_content": "m\n"})),
               up.text("Hel"), up.text("lo \"you\""),
               call(0, "c1", "weather", ""), call(0, arguments="{\"ci"),
               call(1, "c2", "patch", ""), call(1, arguments="{\"input\":\"a"),
               call(0, arguments="ty\":1}"), call(1, arguments="\\nb\"}"),
               *up.ending("tool_calls"))
    events = streamed(client, model=s.model, tools=[TOOL, CUSTOM])
    last = rs.check_events(events)
    assert [e["type"].removeprefix("response.") for e in events] == [
        "created", "in_progress",
        "output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta",
        "reasoning_summary_text.delta", "reasoning_summary_text.done",
        "reasoning_summary_part.done", "output_item.done",
        "output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
        "output_text.done", "content_part.done", "output_item.done",
        "output_item.added", "function_call_arguments.delta",
        "output_item.added", "function_call_arguments.delta",
        "function_call_arguments.done", "output_item.done",
        "custom_tool_call_input.delta", "custom_tool_call_input.done", "output_item.done",
        "completed"]
    assert last["status"] == "completed" and rs.text_of(last) == "Hello \"you\""
    assert last["output"][2]["arguments"] == "{\"city\":1}"
    assert last["output"][3]["input"] == "a\nb"
    assert last["usage"]["total_tokens"] == 18
    found = client.get(f"{rs.PATH}/{last['id']}").ok().json
    assert found == last
    for after in (None, 0, 7, 16, len(events) - 2, len(events) - 1):
        first = 0 if after is None else after + 1
        assert again(client, last["id"], after) == events[first:]


def token(text, **more):
    """A token as chat completions have it."""
    return {"token": text, "logprob": -0.5, "bytes": list(text.encode()),
            "top_logprobs": [{"token": "x", "logprob": -1, "bytes": [120]}]} | more


def probable(delta, *tokens):
    chunk = up.chunk(delta)
    chunk["choices"][0]["logprobs"] = {"content": list(tokens), "refusal": None}
    return up.data(chunk)


WITH_LOGPROBS = {"include": ["message.output_text.logprobs"], "top_logprobs": 1}


def test_log_probabilities_come_with_the_text(client, script):
    s = script(up.sse(), up.role(), probable({"content": "He"}, token("H"), token("e")),
               up.text("l"), probable({"content": "lo"}, token("lo", bytes=None)),
               probable({}, token("<end>", top_logprobs=None)), *up.ending())
    events = streamed(client, model=s.model, **WITH_LOGPROBS)
    last = rs.check_events(events)
    sent = asked(s)
    assert sent["logprobs"] is True and sent["top_logprobs"] == 1
    assert [e["logprobs"] for e in events if e["type"] == "response.output_text.delta"] == [
        [token("H"), token("e")], [], [token("lo", bytes=[])]]
    every = [token("H"), token("e"), token("lo", bytes=[]), token("<end>", top_logprobs=[])]
    assert [e["logprobs"] for e in events if e["type"] == "response.output_text.done"] == [every]
    assert last["output"][0]["content"][0]["logprobs"] == every and last["top_logprobs"] == 1
    for after in (None, 3, 4):
        assert again(client, last["id"], after) == events[0 if after is None else after + 1:]
    found = client.get(f"{rs.PATH}/{last['id']}").ok().json
    assert found["output"][0]["content"][0]["logprobs"] == []


@pytest.mark.parametrize("store", [True, False])
def test_log_probabilities_of_a_plain_response(client, script, store):
    whole = up.completion("Hi")
    whole["choices"][0]["logprobs"] = {"content": [token("Hi"), {"token": 1}, "odd"]}
    s = script(up.reply(whole))
    answer = rs.create(client, model=s.model, include=WITH_LOGPROBS["include"], store=store).ok()
    part = rs.check(answer.json)["output"][0]["content"][0]
    assert part["text"] == "Hi" and part["logprobs"] == [token("Hi")]
    assert asked(s)["logprobs"] is True and "top_logprobs" not in asked(s)


def test_log_probabilities_come_only_where_they_were_asked_for(client, script):
    s = script(up.sse(), up.role(), probable({"content": "Hi"}, token("Hi")), *up.ending())
    events = streamed(client, model=s.model)
    assert "logprobs" not in asked(s) and rs.text_of(rs.check_events(events)) == "Hi"
    assert not any(e.get("logprobs") for e in events)


@pytest.mark.parametrize("said", [None, [], {"content": None}, {"content": {}}, {"content": [3]},
                                  {"content": [{"token": "a", "logprob": "b"}]}])
def test_odd_log_probabilities_are_left_out(client, script, said):
    chunk = up.chunk({"content": "Hi"})
    chunk["choices"][0]["logprobs"] = said
    s = script(up.sse(), up.role(), up.data(chunk), *up.ending())
    events = streamed(client, model=s.model, **WITH_LOGPROBS)
    assert rs.text_of(rs.check_events(events)) == "Hi"
    assert not any(e.get("logprobs") for e in events)


def test_refusals_are_parts(client, script):
    s = script(up.sse(), up.role(), up.data(up.chunk({"refusal": "I "})),
               up.data(up.chunk({"refusal": "won't"})), *up.ending())
    last = rs.check_events(streamed(client, model=s.model))
    assert last["output"][0]["content"] == [{"type": "refusal", "refusal": "I won't"}]
    assert client.get(f"{rs.PATH}/{last['id']}").ok().json == last


def test_text_behind_a_refusal_or_a_call_is_a_message_of_its_own(client, script):
    s = script(up.sse(), up.role(), up.data(up.chunk({"refusal": "no"})), up.text("yes"),
               call(0, "c", "weather", "{}"), up.text("more"), *up.ending("tool_calls"))
    last = rs.check_events(streamed(client, model=s.model))
    body = last["id"][5:]
    assert [i["id"] for i in last["output"]] == [
        f"msg_{body}", f"msg_{body}_2", f"fc_{body}", f"msg_{body}_3"]


def test_an_empty_answer_has_an_item(client, script):
    s = script(up.sse(), up.role(), *up.ending())
    last = rs.check_events(streamed(client, model=s.model))
    assert rs.text_of(last) == "" and len(last["output"]) == 1


def test_calls_always_have_ids_of_their_own(client, script):
    s = script(up.sse(), up.role(), call(0, "same", "weather", "{}"),
               call(1, "same", "weather", "{}"), *up.ending("tool_calls"))
    rs.check_events(streamed(client, model=s.model))


def test_an_early_end_is_the_last_event(client, script):
    s = script(*up.stream("half", finish="length"))
    events = streamed(client, model=s.model)
    last = rs.check_events(events)
    assert events[-1]["type"] == "response.incomplete"
    assert last["incomplete_details"] == {"reason": "max_output_tokens"}
    assert last["output"][0]["status"] == "incomplete"
    assert again(client, last["id"], 3) == events[4:]


def test_a_broken_stream_says_so_twice(client, script):
    s = script(up.sse(), up.role(), up.text("half"), up.hang_up())
    events = streamed(client, model=s.model)
    assert [e["type"] for e in events[-2:]] == ["error", "response.failed"]
    assert events[-2]["code"] == events[-2]["error"]["code"] == "stream_incomplete"
    last = rs.check_events(events)
    assert last["status"] == "failed" and last["error"]["code"] == "server_error"
    assert rs.text_of(last) == "half" and last["output"][0]["status"] == "incomplete"
    assert again(client, last["id"]) == events
    found = rs.check(client.get(f"{rs.PATH}/{last['id']}").ok().json)
    assert (found["status"], found["error"], found["output"]) == (
        "failed", last["error"], last["output"])


def test_a_stream_that_is_not_stored_leaves_nothing(client):
    events = streamed(client, store=False)
    last = rs.check_events(events)
    client.get(f"{rs.PATH}/{last['id']}?stream=true").error(404, "not_found")


def test_any_cut_of_the_providers_stream_gives_the_same_events(client, script):
    held = up.Held(up.Exchange(None, None, None))
    for step in (up.data(up.chunk({"role": "assistant", "reasoning_content": "hm"})),
                 up.text("Gr\u00fc\u00dfe \U0001f600 \"x\""), call(0, "c1", "weather", "{\"a"),
                 call(0, arguments="\":1}"), up.data(up.chunk({}, "tool_calls")),
                 up.data(up.usage_chunk()), up.data("[DONE]")):
        step(held)
    seen = set()
    cuts = [list(range(1, len(held.bytes)))] + [[n] for n in range(1, len(held.bytes), 13)]
    for cut in cuts:
        s = script(up.sse(), up.split(held.bytes, cut), up.end())
        events = streamed(client, model=s.model, store=False)
        text = json.dumps(events).replace(events[0]["response"]["id"][5:], "ID")
        seen.add(re.sub(r'"(created|completed)_at": \d+', "", text.replace(s.model, "M")))
    assert len(seen) == 1


# --- state ----------------------------------------------------------------------------------------


def test_a_response_continues_another_one(client, script):
    s = script(up.either("first"))
    first = rs.create(client, model=s.model, input="one", instructions="sys").ok()
    s2 = script(up.either("second"))
    second = rs.create(client, model=s2.model, input=[{"role": "user", "content": "two"}],
                       previous_response_id=first.json["id"]).ok()
    assert asked(s2)["messages"] == [{"role": "user", "content": "one"},
                                     {"role": "assistant", "content": "first"},
                                     {"role": "user", "content": "two"}]
    assert second.json["previous_response_id"] == first.json["id"]
    assert second.headers["x-conversation-id"] == first.headers["x-conversation-id"]
    # Another branch from the same answer, streamed and not stored.
    s3 = script(up.either("third"))
    last = rs.check_events(streamed(client, model=s3.model, input="three", store=False,
                                    previous_response_id=first.json["id"]))
    assert rs.text_of(last).strip() == "third"
    assert [m["content"] for m in asked(s3)["messages"]] == ["one", "first", "three"]


def test_results_of_calls_follow_their_calls(client, script):
    message = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]}
    s = script(up.in_turn([up.reply(up.completion(finish="tool_calls", message=message))],
                          [up.either("sunny")]))
    first = rs.create(client, model=s.model, tools=[TOOL]).ok().json
    found = rs.create(client, model=s.model, tools=[TOOL], previous_response_id=first["id"], input=[
        {"type": "function_call_output", "call_id": first["output"][0]["call_id"],
         "output": "21"}]).ok().json
    assert rs.text_of(found) == "sunny"
    assert [m["role"] for m in asked(s)["messages"]] == ["user", "assistant", "tool"]


def test_a_conversation_grows_by_a_response(client, script):
    conversation = client.post("/v1/conversations", {}).ok().json["id"]
    for n, given in enumerate((conversation, {"id": conversation})):
        found = rs.check(rs.create(client, input=f"q{n}", conversation=given).ok().json)
        assert found["conversation"] == {"id": conversation}
    items = client.items(conversation)["data"]
    assert [i["content"][0]["text"] for i in items] == ["q0", "q0", "q1", "q1"]
    rs.create(client, conversation=conversation, store=False).error(400, param="store")


def test_a_response_is_a_run(client):
    reply = rs.create(client, input="findable zweihundert").ok()
    run = client.run(reply.headers["x-run-id"])
    assert run["status"] == "completed" and run["model"] == "echo"
    conversation = reply.headers["x-conversation-id"]
    assert any(r["id"] == run["id"] for r in
               client.get(f"/v1/runs?conversation={conversation}").ok().json["data"])
    wait_until(lambda: client.get("/v1/search?q=zweihundert").ok().json["data"],
               "the response is found")


def test_input_items_are_those_of_one_request(client):
    first = rs.create(client, input="one").ok().json
    second = rs.create(client, previous_response_id=first["id"], input=[
        {"role": "user", "content": [{"type": "input_text", "text": "two"},
                                     {"type": "input_image", "image_url": "data:image/png;base64,x",
                                      "detail": "auto"}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "r"},
        {"role": "user", "content": "three"}]).ok().json
    path = f"{rs.PATH}/{second['id']}/input_items"
    page = rs.check_page(client.get(f"{path}?order=asc").ok().json)
    assert [i["type"] for i in page["data"]] == [
        "message", "function_call", "function_call_output", "message"]
    newest = rs.check_page(client.get(f"{path}?limit=1").ok().json)
    assert newest["data"][0]["content"][0]["text"] == "three" and newest["has_more"]
    rest = client.get(f"{path}?after={newest['last_id']}").ok().json
    assert len(rest["data"]) == 3 and not rest["has_more"]
    assert len(client.get(f"{rs.PATH}/{first['id']}/input_items").ok().json["data"]) == 1


def test_a_deleted_response_is_gone(client):
    first = rs.create(client, input="one").ok()
    second = rs.create(client, input="two", previous_response_id=first.json["id"]).ok()
    conversation = first.headers["x-conversation-id"]
    for reply, left in ((second, ["one", "one", "two"]), (first, ["one", "two"])):
        path = f"{rs.PATH}/{reply.json['id']}"
        assert client.request("DELETE", path).ok().json == {
            "id": reply.json["id"], "object": "response", "deleted": True}
        for query in ("", "?stream=true", "/input_items"):
            client.get(path + query).error(404, "not_found")
        client.request("DELETE", path).error(404, "not_found")
        rs.create(client, previous_response_id=reply.json["id"]).error(404)
        found = client.items(conversation)["data"]
        assert [i["content"][0]["text"] for i in found] == left
    alone = rs.create(client).ok()
    client.request("DELETE", f"{rs.PATH}/{alone.json['id']}").ok()
    client.get(f"/v1/conversations/{alone.headers['x-conversation-id']}").error(404)


def test_a_conversation_that_was_not_made_for_a_response_stays(client):
    conversation = client.post("/v1/conversations", {"title": "mine"}).ok().json["id"]
    id = rs.create(client, input="one", conversation=conversation).ok().json["id"]
    client.request("DELETE", f"{rs.PATH}/{id}").ok()
    client.get(f"{rs.PATH}/{id}").error(404, "not_found")
    assert client.get(f"/v1/conversations/{conversation}").ok().json["id"] == conversation
    assert [i["content"][0]["text"] for i in client.items(conversation)["data"]] == ["one"]


def test_a_failed_response_can_be_deleted_and_not_continued(client, script):
    s = script(up.hang_up())
    made = rs.create(client, model=s.model)
    made.error(502)
    id = "resp_" + made.headers["x-run-id"][4:]
    found = rs.check(client.get(f"{rs.PATH}/{id}").ok().json)
    assert found["status"] == "failed" and found["output"] == []
    rs.create(client, previous_response_id=id).error(400, "invalid_value", "previous_response_id")
    client.request("DELETE", f"{rs.PATH}/{id}").ok()


# --- items that are named -------------------------------------------------------------------------


def test_items_are_named_by_their_ids(client, script):
    """As AI SDK's default model asks for the second step of a loop with tools."""
    calls = [{"id": f"c{n}", "type": "function", "extra_content": {"google": {"x": n}},
              "function": {"name": "weather", "arguments": "{}"}} for n in (1, 2)]
    message = {"role": "assistant", "content": "text", "reasoning_content": "hm",
               "tool_calls": calls}
    s = script(up.in_turn([up.reply(up.completion(finish="tool_calls", message=message))],
                          [up.either("sunny")]))
    first = rs.create(client, model=s.model, tools=[TOOL]).ok().json
    ids = [i["id"] for i in first["output"]]
    user = client.get(f"{rs.PATH}/{first['id']}/input_items").ok().json["data"][0]["id"]
    results = [{"type": "function_call_output", "call_id": f"c{n}", "output": "21"} for n in (1, 2)]
    given = [{"type": "function_call", "call_id": f"c{n}", "name": "weather", "arguments": "{}"}
             for n in (1, 2)]
    said = [{"role": "user", "content": "hello"}, message,
            *[{"role": "tool", "tool_call_id": f"c{n}", "content": "21"} for n in (1, 2)]]
    for store in (False, True):
        for named in ([{"type": "item_reference", "id": ids[0]}, {"id": ids[1]}, *given],
                      [{"type": None, "id": i} for i in ids]):
            rs.create(client, model=s.model, tools=[TOOL], store=store, input=[
                {"type": "item_reference", "id": user}, *named, *results]).ok()
            assert asked(s)["messages"] == said
    # Calls that are not named stay away, and the items of two responses are two messages.
    other = rs.create(client, input="other").ok().json
    rs.create(client, model=s.model, input=[
        {"type": "item_reference", "id": ids[1]},
        {"type": "item_reference", "id": other["output"][0]["id"]},
        {"role": "assistant", "content": "mine"}]).ok()
    assert [m["content"] for m in asked(s)["messages"]] == ["text", "other", "mine"]
    assert all("tool_calls" not in m for m in asked(s)["messages"])


def test_items_that_are_not_there_are_not_found(client):
    gone = rs.create(client).ok().json
    client.request("DELETE", f"{rs.PATH}/{gone['id']}").ok()
    here = rs.create(client).ok().json["output"][0]["id"]
    kept = rs.create(client, store=False).ok().json["output"][0]["id"]
    for id in ("nonsense", "msg_1", "msg_" + NOBODY[5:], gone["output"][0]["id"], kept,
               here + "_x", here + "_", "fc_" + here[4:], f"fc_{here[4:]}_99999"):
        rs.create(client, input=[MESSAGE, {"type": "item_reference", "id": id}]).error(
            404, "not_found", "input[1].id")
    rs.create(client, input=[{"type": "item_reference"}]).error(400, param="input[0].id")
    rs.create(client, input=[{"type": "item_reference", "id": 5}]).error(400, param="input[0].id")


# --- in the background ----------------------------------------------------------------------------


def test_a_background_response_is_polled(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("slow"), up.wait(gate), *up.ending())
    started = rs.check(rs.create(client, model=s.model, background=True).ok().json)
    assert started["status"] == "in_progress" and started["background"] is True
    path = f"{rs.PATH}/{started['id']}"
    gate.wait_reached()
    assert rs.check(client.get(path).ok().json)["status"] == "in_progress"
    client.request("DELETE", path).error(409)
    rs.create(client, previous_response_id=started["id"]).error(
        409, "conversation_busy", "previous_response_id")
    gate.open()
    wait_until(lambda: client.get(path).ok().json["status"] == "completed", "it ends")
    found = rs.check(client.get(path).ok().json)
    assert rs.text_of(found) == "slow"
    assert rs.check_events(again(client, found["id"])) == found


def test_a_key_gets_the_background_response_again(client, script):
    s = script(up.either("ok"))
    body = {"model": s.model, "input": "x", "background": True}
    first, second = (client.post(rs.PATH, body, headers={"Idempotency-Key": "bg-1" + s.model}).ok()
                     for _ in range(2))
    assert first.json["id"] == rs.check(second.json)["id"]
    wait_until(lambda: client.get(f"{rs.PATH}/{first.json['id']}").ok().json["status"]
               == "completed", "it ends")
    assert len(s.exchanges) == 1


def test_a_key_gets_the_same_answer(client, script):
    s = script(up.either("one two"))
    body = {"model": s.model, "input": "x"}
    first, second = (client.post(rs.PATH, body, headers={"Idempotency-Key": "p" + s.model}).ok()
                     for _ in range(2))
    assert first.body == second.body and len(s.exchanges) == 1
    found = []
    for _ in range(2):
        with rs.stream(client, headers={"Idempotency-Key": "s" + s.model}, **body) as stream:
            found.append(rs.events_of(stream.check_head()))
    assert found[0] == found[1] and len(s.exchanges) == 2


def test_cancel_ends_a_background_response(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("half"), up.wait(gate), *up.ending())
    id = rs.create(client, model=s.model, background=True).ok().json["id"]
    gate.wait_reached()
    wait_until(lambda: client.get(f"/v1/runs/run_{id[5:]}").ok().json["first_token_at"],
               "the text has come")
    for _ in range(2):
        found = rs.check(client.post(f"{rs.PATH}/{id}/cancel").ok().json)
        assert found["status"] == "cancelled" and found["error"] is None
    assert rs.text_of(found) == "half"
    events = again(client, id)
    assert events[-1]["type"] == "response.failed"
    assert rs.check_events(events)["status"] == "cancelled"
    plain = rs.create(client).ok().json["id"]
    client.post(f"{rs.PATH}/{plain}/cancel").error(400)


# --- later readers --------------------------------------------------------------------------------


def test_a_live_stream_is_read_from_any_number(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one "), up.text("two "), up.wait(gate),
               up.text("three"), *up.ending())
    with rs.stream(client, model=s.model, background=True) as stream:
        seen = [json.loads(stream.next_data().data) for _ in range(6)]
        id = seen[0]["response"]["id"]
        with client.http.stream("GET", f"{rs.PATH}/{id}?stream=true&starting_after=4") as live:
            pieces = live.iter_raw()
            first = next(pieces)
            assert b'"sequence_number":5,' in first
            gate.open()
            rest = (first + b"".join(pieces)).decode()
        seen += rs.events_of(stream)
    later = [json.loads(b.split("data: ")[1]) for b in rest.split("\n\n") if "data: " in b]
    assert later == seen[5:] and rs.check_events(seen)
    assert again(client, id, 4) == seen[5:] and again(client, id, len(seen)) == []
    client.get(f"{rs.PATH}/{id}?stream=true&starting_after=x").error(400, param="starting_after")
    client.get(f"{rs.PATH}/{id}?stream=maybe").error(400, param="stream")


def test_a_plain_answer_is_a_stream_too(client):
    found = rs.create(client, input="one two").ok().json
    events = again(client, found["id"])
    assert rs.check_events(events, gapless=False) == found
    assert again(client, found["id"], 3) == events[4:]


def test_a_stream_outlives_the_gateway(upstream, tmp_path, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), *[up.text(f"w{n} ") for n in range(40)], up.wait(gate))
    gateway = Gateway(tmp_path, usual_config(upstream), env={"TEST_UPSTREAM_KEY": "k"}).start()
    seen = []
    with Client(gateway.url) as client, rs.stream(client, model=s.model) as stream:
        while sum(e["type"] == "response.output_text.delta" for e in seen) < 40:
            seen.append(json.loads(stream.next_data().data))
        gateway.kill()
    gateway.start()
    gate.open()
    with Client(gateway.url) as client:
        id = seen[0]["response"]["id"]
        events = again(client, id)
        last = rs.check_events(events, gapless=False)
        assert last["status"] == "failed" and events[-1]["sequence_number"] > len(seen)
        assert seen[:len(events) - 2] == events[:-2]
        rest = again(client, id, seen[-1]["sequence_number"])
        assert [e["type"] for e in rest] == ["error", "response.failed"]
        assert rs.text_of(client.get(f"{rs.PATH}/{id}").ok().json) == rs.text_of(last)
    gateway.stop()


@pytest.mark.sqlite
def test_events_that_are_not_kept_any_more(upstream, tmp_path):
    gateway = Gateway(tmp_path, usual_config(upstream, events_keep="24h"),
                      env={"TEST_UPSTREAM_KEY": "k"}).start()
    with Client(gateway.url) as client:
        last = rs.check_events(streamed(client, input="one two three"))
    gateway.stop()
    with sqlite3.connect(gateway.database) as db:
        db.execute("DELETE FROM event")
    gateway.start()
    with Client(gateway.url) as client:
        assert rs.check_events(again(client, last["id"]), gapless=False) == last
        client.get(f"{rs.PATH}/{last['id']}?stream=true&starting_after=3").error(410, "gone")
        assert client.get(f"{rs.PATH}/{last['id']}").ok().json == last
    gateway.stop()


# --- OpenAI's SDK ---------------------------------------------------------------------------------


def test_the_sdk_creates_reads_and_deletes(shared, script):
    client = rs.sdk(shared)
    made = client.responses.create(model="echo", input="hello")
    assert made.output_text == "hello"
    assert client.responses.retrieve(made.id).output_text == "hello"
    assert [i.id for i in client.responses.input_items.list(made.id)]
    more = client.responses.create(model="echo", input="more", previous_response_id=made.id)
    assert more.output_text == "more"
    client.responses.delete(more.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(more.id)


def test_the_sdk_streams(shared, script):
    client = rs.sdk(shared)
    kinds = [e.type for e in client.responses.create(model="echo", input="one two", stream=True)]
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed"
    with client.responses.stream(model="echo", input="one two") as stream:
        text = "".join(e.delta for e in stream if e.type == "response.output_text.delta")
        assert text == stream.get_final_response().output_text == "one two"
    s = script(up.sse(), up.role(), call(0, "c1", "weather", "{\"ci"),
               call(0, arguments="ty\":\"Rome\"}"), *up.ending("tool_calls"))
    with client.responses.stream(model=s.model, input="x", tools=[TOOL]) as stream:
        for _ in stream:
            pass
        assert stream.get_final_response().output[0].parsed_arguments == {"city": "Rome"}


def test_the_sdk_resumes_a_background_stream(shared):
    client = rs.sdk(shared)
    events = list(client.responses.create(model="echo", input="a b c", stream=True,
                                          background=True))
    id = events[0].response.id
    rest = list(client.responses.retrieve(id, stream=True, starting_after=4))
    assert [e.sequence_number for e in rest] == [e.sequence_number for e in events[5:]]


def test_the_sdk_cancels_and_sees_failures(shared, script):
    client = rs.sdk(shared)
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("half"), up.wait(gate), *up.ending())
    made = client.responses.create(model=s.model, input="x", background=True)
    gate.wait_reached()
    assert client.responses.cancel(made.id).status == "cancelled"
    s = script(up.sse(), up.role(), up.text("half"), up.hang_up())
    with pytest.raises(openai.APIError):
        list(client.responses.create(model=s.model, input="x", stream=True))
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(model="echo", input="x", tools=[{"type": "function"}])
    assert refused.value.param == "tools[0].name"
