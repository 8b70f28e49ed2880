"""Calls as real servers send them: one index or one id for two, no ids, no arguments, arguments as an object."""

import json
import re

import pytest

import upstream as up
from ask import TOOL, WIRE
from said import seen

TIME = {"name": "get_time", "description": "tells the time",
        "parameters": {"type": "object", "properties": {"tz": {"type": "string"}}}}
FAMILIES = ("chat", "messages", "responses", "native")
OPENAIS = ("openai", "azure", "mistral")
OSLO, CET = {"city": "Oslo"}, {"tz": "CET"}


def piece(index=None, id=None, name=None, args=None, **more):
    call = {} if index is None else {"index": index}
    if id is not None:
        call["id"] = id
    function = {"name": name} if name is not None else {}
    if args is not None:
        function["arguments"] = args
    return {**call, "type": "function", "function": function, **more}


def streamed(*deltas, finish="tool_calls", usage=True):
    """Each delta is a list of pieces of calls."""
    return [up.sse(), up.role(), *[up.data(up.chunk({"tool_calls": list(d)})) for d in deltas],
            *up.ending(finish, usage)]


def plain(*calls):
    return up.reply(up.completion(message={"role": "assistant", "content": None,
                                           "tool_calls": list(calls)}, finish="tool_calls"))


def text(args):
    return json.dumps(args)


# name: (steps of a stream, or of a plain answer; the calls as (id or a pattern, name, arguments))
MADE = re.compile(r"call_[0-9a-f]{24}")
STREAMS = {
    "D5 one index for two calls": (
        streamed([piece(0, "call_a", "get_weather", text(OSLO))],
                 [piece(0, "call_b", "get_time", text(CET))]),
        [("call_a", "get_weather", OSLO), ("call_b", "get_time", CET)]),
    "D5 in pieces": (
        streamed([piece(0, "call_a", "get_weather", "")], [piece(0, args='{"city":')],
                 [piece(0, args='"Oslo"}')], [piece(0, "call_b", "get_time", "{")],
                 [piece(0, args='"tz":"CET"}')]),
        [("call_a", "get_weather", OSLO), ("call_b", "get_time", CET)]),
    "D5 in one chunk": (
        streamed([piece(0, "call_a", "get_weather", text(OSLO)),
                  piece(0, "call_b", "get_time", text(CET))]),
        [("call_a", "get_weather", OSLO), ("call_b", "get_time", CET)]),
    "D5 an id in each piece is one call": (
        streamed([piece(0, "call_a", "get_weather", '{"city":')], [piece(0, "call_a", None, '"Oslo"}')]),
        [("call_a", "get_weather", OSLO)]),
    "D5 the other index is a call of its own": (
        streamed([piece(0, "call_a", "get_weather", text(OSLO))],
                 [piece(0, "call_b", "get_time", "{")], [piece(1, "call_c", "get_time", "{")],
                 [piece(0, args='"tz":"CET"}')], [piece(1, args="}")]),
        [("call_a", "get_weather", OSLO), ("call_b", "get_time", CET), ("call_c", "get_time", {})]),
    "R11 one id for two indices": (
        streamed([piece(0, "call_a", "get_weather", text(OSLO))],
                 [piece(1, "call_a", "get_time", text(CET))]),
        [("call_a", "get_weather", OSLO), ("call_a_parley_2", "get_time", CET)]),
    "D55 no ids": (
        streamed([piece(0, None, "get_weather", text(OSLO))], [piece(1, "", "get_time", text(CET))]),
        [(MADE, "get_weather", OSLO), (MADE, "get_time", CET)]),
    "D55 and D5: no ids, and one index": (
        streamed([piece(0, None, "get_weather", text(OSLO))], [piece(0, None, "get_time", text(CET))]),
        [(MADE, "get_weather", OSLO), (MADE, "get_time", CET)]),
    "D55 neither ids nor indices": (
        streamed([piece(None, None, "get_weather", text(OSLO))],
                 [piece(None, None, "get_time", text(CET))]),
        [(MADE, "get_weather", OSLO), (MADE, "get_time", CET)]),
    "D7 arguments as an object": (
        streamed([piece(0, "call_a", "get_weather", OSLO)]), [("call_a", "get_weather", OSLO)]),
    "D16 empty arguments": (
        streamed([piece(0, "call_a", "get_time", "")]), [("call_a", "get_time", {})]),
    "D16 no arguments": (
        streamed([piece(0, "call_a", "get_time")], [piece(1, "call_b", "get_weather", text(OSLO))]),
        [("call_a", "get_time", {}), ("call_b", "get_weather", OSLO)]),
    "D16 in the chunk with the end": (
        [up.sse(), up.role(), up.data(up.chunk({"tool_calls": [piece(0, "call_a", "get_time", "")]},
                                               "tool_calls")), up.data("[DONE]"), up.end()],
        [("call_a", "get_time", {})]),
}
WHOLES = {
    "D7 arguments as an object": (
        plain(piece(None, "call_a", "get_weather", OSLO)), [("call_a", "get_weather", OSLO)]),
    "D16 empty arguments": (plain(piece(None, "call_a", "get_time", "")), [("call_a", "get_time", {})]),
    "D16 no arguments": (plain(piece(None, "call_a", "get_time")), [("call_a", "get_time", {})]),
    "D55 no ids": (
        plain(piece(None, None, "get_weather", text(OSLO)), piece(None, "", "get_time", text(CET))),
        [(MADE, "get_weather", OSLO), (MADE, "get_time", CET)]),
    "R11 one id for two": (
        plain(piece(None, "call_a", "get_weather", text(OSLO)),
              piece(None, "call_a", "get_time", text(CET))),
        [("call_a", "get_weather", OSLO), ("call_a_parley_2", "get_time", CET)]),
}


def expect_calls(said, want):
    assert (said.status, said.error) == (200, None), said
    assert [(name, args) for _, name, args in said.calls] == [(name, args) for _, name, args in want]
    for (id, _, _), (wanted, _, _) in zip(said.calls, want, strict=True):
        assert wanted.fullmatch(id) if isinstance(wanted, re.Pattern) else id == wanted
    assert len({id for id, _, _ in said.calls}) == len(want)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_of_calls(wild, script, family, name):
    steps, want = STREAMS[name]
    for dialect in OPENAIS if family == "chat" else OPENAIS[:1]:
        expect_calls(wild.ask(family, dialect, script(*steps), stream=True, tools=[TOOL, TIME]), want)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", WHOLES)
def test_a_plain_answer_with_calls(wild, script, family, name):
    steps, want = WHOLES[name]
    for dialect in OPENAIS if family == "chat" else OPENAIS[:1]:
        expect_calls(wild.ask(family, dialect, script(steps), tools=[TOOL, TIME]), want)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("args", [7, [], True], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_arguments_of_another_type_are_the_providers_fault(wild, script, family, args, stream):
    call = piece(0 if stream else None, "call_a", "get_weather", args)
    said = wild.ask(family, "openai", script(*streamed([call])) if stream else script(plain(call)), stream,
                    tools=[TOOL])
    assert said.status == 502 and not said.calls, said


@pytest.mark.parametrize("dialect", ["anthropic", "openai-responses", "ollama", "gemini"])
@pytest.mark.parametrize("args, want", [({}, {}), (text(OSLO), OSLO), (OSLO, OSLO), ([7], None), (7, None)],
                         ids=str)
def test_arguments_of_the_other_dialects(wild, script, dialect, args, want):
    """D7: read, whether a string or an object, or refused: but no call comes without its arguments."""
    if dialect == "openai-responses":
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_weather",
                "arguments": args, "status": "completed"}
        s = script(up.reply({"id": "resp_1", "object": "response", "status": "completed", "model": "m",
                             "output": [item], "usage": None}))
    else:
        s = script(WIRE[dialect].whole_call("get_weather", "call_1", args))
    said = wild.ask("chat", dialect, s, tools=[TOOL])
    if dialect == "gemini" and isinstance(args, str):
        want = None
    if want is None:
        assert said.status == 502 and not said.calls
    else:
        assert [(name, got) for _, name, got in said.calls] == [("get_weather", want)]


def test_the_twin_of_an_id_is_turned_back(wild, script):
    """R11: the provider gets what it gave; a text that only looks so stays."""
    s = script(up.reply(up.completion()), allows={"tool-call-ids messages.1.tool_calls": "the provider's own ids"})
    told = 'say "id":"x_parley_2" and _parley_2'
    calls = [{"id": i, "type": "function", "function": {"name": "f", "arguments": '{"id":"y_parley_2"}'}}
             for i in ("call_a", "call_a_parley_2")]
    wild.post("chat", "openai", s, {"messages": [
        {"role": "user", "content": told}, {"role": "assistant", "content": None, "tool_calls": calls},
        *[{"role": "tool", "tool_call_id": c["id"], "content": f"{n}_parley_3"}
          for n, c in enumerate(calls)]]})
    sent = s.request.json["messages"]
    assert sent[0]["content"] == told
    assert [c["id"] for c in sent[1]["tool_calls"]] == ["call_a", "call_a"]
    assert sent[1]["tool_calls"][0]["function"]["arguments"] == '{"id":"y_parley_2"}'
    assert [(m["tool_call_id"], m["content"]) for m in sent[2:]] == [
        ("call_a", "0_parley_3"), ("call_a", "1_parley_3")]


@pytest.mark.parametrize("content", [7, {"text": "hi"}, True], ids=str)
@pytest.mark.parametrize("member", ["content", "refusal", "reasoning_content"])
def test_a_text_of_another_type_is_the_providers_fault(wild, script, member, content, stream):
    steps = ([up.sse(), up.role(), up.data(up.chunk({member: content})), *up.ending()] if stream else
             [up.reply(up.completion(message={"role": "assistant", "content": "x", member: content}))])
    for family in ("chat", "messages"):
        assert wild.ask(family, "openai", script(*steps), stream).status == 502


def test_the_terminator_ends_a_choice_that_was_forgotten(wild, script):
    """R7"""
    steps = [up.sse(), *[up.data(up.chunk({"role": "assistant", "content": c}, index=i))
                         for i, c in enumerate("ab")],
             up.data(up.chunk({}, "stop", 1)), up.data("[DONE]"), up.end()]
    said = wild.post("chat", "openai", script(*steps),
                     {"messages": [{"role": "user", "content": "hi"}], "n": 2}, stream=True)
    assert said.error is None
    ends = [c["finish_reason"] for chunk in said.body for c in chunk["choices"] if c["finish_reason"]]
    assert ends == ["stop", "stop"]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_error_of_a_choice(wild, script, family, stream):
    """D33"""
    error = {"code": 429, "message": "upstream is busy"}
    if stream:
        chunk = up.chunk({"content": ""}, "error")
        chunk["choices"][0]["error"] = error
        steps = [up.sse(), up.data(chunk), up.data("[DONE]"), up.end()]
    else:
        body = up.completion("", "error")
        body["choices"][0]["error"] = error
        steps = [up.reply(body)]
    said = wild.ask(family, "openai", script(*steps), stream)
    assert said.status == 429 and "upstream is busy" in said.error["message"], said


def test_older_calls_without_ids_pair_with_their_results(wild, script, dialect):
    """OpenAI's member function_call has no id; a function that is called twice is two calls with a result each."""
    s = script(WIRE[dialect].whole("Hello"))
    turns = [turn for n in (1, 2) for turn in (
        {"role": "assistant", "content": None, "function_call": {"name": "get_weather", "arguments": '{"n": %d}' % n}},
        {"role": "function", "name": "get_weather", "content": f"rain {n}"})]
    said = wild.post("chat", dialect, s, {"messages": [{"role": "user", "content": "hi"}, *turns]})
    if dialect == "mistral":
        assert said.status == 400 and said.error["param"].startswith("messages["), said
        return
    assert (said.status, said.text) == (200, "Hello"), said
    if dialect not in ("openai", "azure"):  # they get the client's own messages
        got = seen(dialect, s.request.json)
        assert [args for _, args in got.calls] == [{"n": 1}, {"n": 2}]
        assert ["1" in got.results[0], "2" in got.results[1]] == [True, True]
