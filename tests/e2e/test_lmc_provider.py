"""A provider that speaks LMC: a scripted server of it, and another Parley."""

import json
import random

import pytest

import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider

ASKED = {"role": "user", "type": "message", "content": "What's 2380*3875?"}
STATUS = {"role": "server", "type": "status", "content": "complete"}
CODE = {"role": "assistant", "type": "code", "format": "python"}
CONSOLE = {"role": "computer", "type": "console"}
MESSAGE = {"role": "assistant", "type": "message"}
CONFIRMATION = {"role": "computer", "type": "confirmation", "format": "execution",
                "content": {"type": "code", "format": "python", "content": "2380*3875"}}
OUTPUT = {**CONSOLE, "format": "output", "content": "9222500"}
RESULT = "The result of multiplying 2380 by 3875 is 9222500."
USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}


def pieces(text, *cuts):
    edges = [0, *cuts, len(text)]
    return [text[a:b] for a, b in zip(edges, edges[1:])]


def segment(head, *contents):
    """Chunks of a segment."""
    return [{**head, "start": True}, *[{**head, "content": c} for c in contents],
            {**head, "end": True}]


# The turn of the seeds' example, as a server that runs its code sends it.
TURN = [
    *segment(CODE, "2380", "*3875"),
    CONFIRMATION,
    {**CONSOLE, "start": True},
    {**CONSOLE, "format": "active_line", "content": 1},
    OUTPUT,
    {**CONSOLE, "format": "active_line", "content": None},
    {**CONSOLE, "end": True},
    *segment(MESSAGE, *pieces(RESULT, 4, 20)),
]


def stream(*chunks, end=(STATUS,)):
    return [up.sse(), *[up.data(c) for c in [*chunks, *end]], up.end()]


def whole(*messages, **more):
    return up.reply({"object": "lmc.messages", "messages": list(messages), **more})


@pytest.fixture(scope="module")
def gateway(start_once, upstream):
    """In front of the scripted server: l/NAME speaks LMC, o/NAME OpenAI's shape."""
    return start_once({
        "providers": [
            provider(upstream, "lmc", dialect="lmc", api_key_env="TEST_UPSTREAM_KEY"),
            provider(upstream, "brief", dialect="lmc", timeouts={"idle": "1s"}),
            provider(upstream, "openai"),
        ],
        "models": [{"name": "l/*", "provider": "lmc"}, {"name": "b/*", "provider": "brief"},
                   {"name": "o/*", "provider": "openai"}],
    }, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})


@pytest.fixture(scope="module")
def front(start_once, gateway):
    """A Parley in front of that one: NAME of l/NAME becomes a/l/NAME."""
    return start_once({
        "providers": [{"name": "parley", "dialect": "lmc", "base_url": gateway.url + "/v1"}],
        "models": [{"name": "a/*", "provider": "parley"}],
    })


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


@pytest.fixture
def far(front):
    with Client(front.url) as client:
        yield client


def calls_of(chunks):
    """The tool calls of a stream, put together."""
    calls = {}
    for chunk in chunks:
        for choice in chunk["choices"]:
            for delta in choice["delta"].get("tool_calls") or []:
                call = calls.setdefault(delta["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] += delta.get("id") or ""
                for key, value in delta["function"].items():
                    call[key] += value
    assert all(c["id"] for c in calls.values())
    assert len({c["id"] for c in calls.values()}) == len(calls)
    return [(c["name"], c["arguments"]) for _, c in sorted(calls.items())]


def executed(calls):
    assert all(name == "execute" for name, _ in calls)
    return [json.loads(arguments) for _, arguments in calls]


def counted(usage):
    """The sums, without their details."""
    return {k: v for k, v in usage.items() if not k.endswith("_details")}


# --- the request ----------------------------------------------------------------------------------


def test_it_is_asked_with_llm_chat_in_lmc(client, script):
    s = script(whole({**MESSAGE, "content": "ok"}))
    client.complete(f"l/{s.name}", temperature=0.5, max_tokens=9, user="u", messages=[
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "What's 2380*3875?"},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "call_a", "type": "function", "function": {
                "name": "execute", "arguments": json.dumps({"language": "r", "code": "1"})}}]},
        {"role": "tool", "tool_call_id": "call_a", "content": "9222500"},
    ]).ok()
    request = s.request
    assert request.target == "/v1/chat" and request.method == "POST"
    assert request.header("authorization") == f"Bearer {UPSTREAM_KEY}"
    assert request.json == {
        "messages": [{"role": "system", "type": "message", "content": "Be brief."}, ASKED,
                     {"role": "assistant", "type": "code", "format": "r", "content": "1"},
                     OUTPUT],
        "format": "lmc", "stream": False, "store": False,
        "config": {"model": s.name, "temperature": 0.5, "max_tokens": 9, "extra": {"user": "u"}},
    }


def test_what_lmc_cannot_say_is_refused(client, script):
    s = script(whole())
    part = {"type": "file", "file": {"file_id": "file-1"}}
    client.complete(f"l/{s.name}", messages=[{"role": "user", "content": [part]}]).error(
        400, param="messages[0].content[0]")
    image = {"type": "image_url", "image_url": {"url": "ftp://x"}}
    client.complete(f"l/{s.name}", messages=[{"role": "user", "content": [image]}]).error(
        400, param="messages[0].content[0].image_url.url")
    client.complete(f"l/{s.name}", n=2).error(400, param="n")
    assert not s.exchanges


# --- OpenAI's shape -------------------------------------------------------------------------------


def test_a_message_is_text_while_it_arrives(client, script):
    gate = up.Gate()
    first, *rest = segment(MESSAGE, "Hel", "lo")
    s = script(up.sse(), up.data(first), up.data(rest[0]), up.wait(gate),
               *[up.data(c) for c in [*rest[1:], {**STATUS, "usage": USAGE}]], up.end())
    with client.complete_stream(f"l/{s.name}", stream_options={"include_usage": True}) as answer:
        answer.check_head()
        assert answer.until_text("Hel") == "Hel"
        gate.open()
        said = answer.openai()
    assert said.text == "Hello" and said.finishes == ["stop"] and said.error is None
    assert counted(said.usage) == USAGE
    assert said.chunks[0]["object"] == "chat.completion.chunk"
    assert said.chunks[0]["model"] == f"l/{s.name}"


def test_code_is_a_call_of_execute(client, script):
    s = script(stream(*TURN))
    with client.complete_stream(f"l/{s.name}") as answer:
        said = answer.openai()
    assert executed(calls_of(said.chunks)) == [{"language": "python", "code": "2380*3875"}]
    assert said.text == RESULT and said.finishes == ["tool_calls"]


def test_calls_keep_their_names(client, script):
    head = {"role": "assistant", "type": "tool_call", "format": "weather"}
    s = script(stream(*segment(head, '{"city":', '"Bonn \\"B\\""}'), *segment(CODE)))
    with client.complete_stream(f"l/{s.name}") as answer:
        calls = calls_of(answer.openai().chunks)
    assert calls[0] == ("weather", '{"city":"Bonn \\"B\\""}')
    assert executed(calls[1:]) == [{"language": "python", "code": ""}]


def test_messages_are_lines_of_their_own_and_the_users_are_left_out(client, script):
    s = script(stream(*segment(MESSAGE, "one"), *segment({**MESSAGE, "recipient": "user"}, "no"),
                      *segment({"role": "computer", "type": "message"}, "no"),
                      *segment({**MESSAGE, "recipient": "assistant"}, "two\n"),
                      *segment({"role": "assistant", "type": "review", "format": "safe"}, "no"),
                      *segment(MESSAGE, "three")))
    with client.complete_stream(f"l/{s.name}") as answer:
        assert answer.openai().text == "one\ntwo\nthree"


def test_a_whole_answer(client, script):
    s = script(whole({**MESSAGE, "content": "Look:"}, {**CODE, "content": 'print("ä")\n'}, OUTPUT,
                     {**MESSAGE, "content": RESULT}, finish_reason="tool_calls", usage=USAGE))
    answer = client.complete(f"l/{s.name}").ok().json
    choice = answer["choices"][0]
    assert choice["message"]["content"] == f"Look:\n{RESULT}"
    assert choice["finish_reason"] == "tool_calls" and counted(answer["usage"]) == USAGE
    function = choice["message"]["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"language": "python", "code": 'print("ä")\n'}
    assert "lmc" not in choice["message"]


# --- LMC's shape ----------------------------------------------------------------------------------


def test_chunks_go_through(client, script):
    s = script(stream(*TURN))
    with client.chat_stream(ASKED, model=f"l/{s.name}", format="lmc", store=False) as answer:
        datas = [b for b in answer if not b.is_comment]
    assert [b.json for b in datas] == [*TURN, STATUS]
    assert datas[-1].event == "done" and all(b.id for b in datas)
    assert s.request.json["messages"] == [ASKED]


def test_a_whole_answer_in_lmc(client, script):
    messages = [{**CODE, "content": "2380*3875"}, OUTPUT, {**MESSAGE, "content": RESULT}]
    s = script(whole(*messages, finish_reason="length", usage=USAGE))
    answer = client.chat(ASKED, model=f"l/{s.name}", format="lmc", store=False).ok().json
    assert answer["object"] == "lmc.messages" and answer["messages"] == messages
    assert answer["finish_reason"] == "length" and counted(answer["usage"]) == USAGE


def test_the_grammar_holds_whatever_comes(client, script):
    s = script(stream({**MESSAGE, "content": "a"}, {**CODE, "content": "b"},
                      {**CONSOLE, "end": True}, {**MESSAGE, "start": True, "content": "c"}))
    with client.chat_stream(ASKED, model=f"l/{s.name}", format="lmc", store=False) as answer:
        said = answer.lmc()
    assert said.messages == [{**MESSAGE, "content": "a"}, {**CODE, "content": "b"},
                             {**MESSAGE, "content": "c"}]
    assert said.error is None


@pytest.mark.parametrize("seed", range(3))
def test_a_stream_means_the_same_however_it_is_cut(client, script, seed):
    content = b"".join(f"id: {n}\ndata: {json.dumps(c)}\n\n".encode()
                       for n, c in enumerate([*TURN, STATUS]))
    cuts = sorted(random.Random(seed).sample(range(1, len(content)), 60))
    s = script(up.sse(), up.split(content, cuts), up.end())
    with client.chat_stream(ASKED, model=f"l/{s.name}", format="lmc", store=False) as answer:
        assert [b.json for b in answer if not b.is_comment] == [*TURN, STATUS]


def test_a_conversation_goes_on_and_is_read_in_either_shape(client, script):
    s = script(stream(*TURN))
    model = f"l/{s.name}"
    with client.chat_stream(ASKED, model=model, format="lmc") as answer:
        list(answer)
    conversation = answer.headers["x-conversation-id"]
    kept = [ASKED, {**CODE, "content": "2380*3875"}, OUTPUT, {**MESSAGE, "content": RESULT}]
    assert client.messages(conversation, "lmc") == kept

    again = {"role": "user", "type": "message", "content": "Sure?"}
    with client.chat_stream(again, model=model, format="lmc", conversation=conversation) as answer:
        list(answer)
    assert s.wait(2).request.json["messages"] == [*kept, again]


# --- failures -------------------------------------------------------------------------------------


BROKEN = [
    ({"role": "judge", "type": "message", "content": "a"}, "role"),
    ({"role": "assistant", "content": "a"}, "type"),
    ("[1]", "object"),
    ('{"role":', "JSON"),
]


@pytest.mark.parametrize("chunk, word", BROKEN)
def test_a_broken_chunk_is_a_502(client, script, chunk, word):
    s = script(stream(chunk))
    with client.complete_stream(f"l/{s.name}") as answer:
        error = answer.reply().error(502, code="upstream_bad_response")
    assert word in error["message"]


@pytest.mark.parametrize("chunk, word", BROKEN)
def test_and_an_error_in_the_stream_behind_content(client, script, chunk, word):
    s = script(stream({**MESSAGE, "content": "a"}, chunk))
    with client.chat_stream(ASKED, model=f"l/{s.name}", format="lmc", store=False) as answer:
        said = answer.lmc()
    assert said.error["code"] == "stream_incomplete" and word in said.error["message"]
    assert said.messages == [{**MESSAGE, "content": "a"}]


def test_an_error_of_the_server_is_told(client, script):
    failed = {"role": "server", "type": "error",
              "content": {"message": "boom", "type": "server_error", "param": None, "code": "x"}}
    s = script(stream(failed))
    client.complete(f"l/{script(whole(failed)).name}").error(502, code="x", type="server_error")
    with client.complete_stream(f"l/{s.name}") as answer:
        assert answer.reply().error(502, code="x")["message"] == "boom"
    s = script(stream({**CODE, "content": "1"}, {**failed, "content": "Traceback: boom"}))
    with client.complete_stream(f"l/{s.name}") as answer:
        said = answer.openai()
    assert said.error["message"] == "Traceback: boom"
    with client.chat_stream(ASKED, model=f"l/{s.name}", format="lmc", store=False) as answer:
        said = answer.lmc()
    assert said.error["message"] == "Traceback: boom" and not said.confirmations


def test_a_stream_without_its_status_is_incomplete(client, script):
    s = script(stream({**CODE, "content": "1"}, end=()))
    with client.complete_stream(f"l/{s.name}") as answer:
        assert answer.openai().error["code"] == "stream_incomplete"
    with client.chat_stream(ASKED, model=f"l/{s.name}", format="lmc", store=False) as answer:
        said = answer.lmc()
    assert said.error["code"] == "stream_incomplete"
    assert said.messages == [{**CODE, "content": "1"}]


@pytest.mark.parametrize("head", [CODE, {**MESSAGE}, {**MESSAGE, "type": "tool_call",
                                                       "format": "look"}],
                         ids=lambda h: h["type"])
@pytest.mark.parametrize("flags", [1, 2], ids=["opened", "closed"])
@pytest.mark.parametrize("last", [
    [up.hang_up()], [up.end()],
    [up.data({"role": "server", "type": "error", "content": {"message": "it broke"}}), up.end()],
], ids=["cut", "ended", "error"])
def test_a_segment_without_content_binds_no_attempt(start, upstream, script, head, flags, last):
    opening = [up.sse(), *[up.data(c) for c in segment(head)[:flags]], *last]
    scripts = {shape: script(up.in_turn(opening, stream(*segment(MESSAGE, "whole"))))
               for shape in ("native", "lmc")}
    gateway = start({
        "providers": [provider(upstream, "lmc", dialect="lmc")],
        "models": [{"name": f"m-{shape}", "provider": "lmc", "upstream_model": s.name,
                    "fallback": [f"spare-{shape}"]} for shape, s in scripts.items()]
        + [{"name": f"spare-{shape}", "provider": "lmc", "upstream_model": s.name}
           for shape, s in scripts.items()]})
    with Client(gateway.url) as client:
        for shape in scripts:
            with client.stream("/v1/chat", {
                    "messages": [{"role": "user", "content": "hi"}], "stream": True,
                    "config": {"model": f"m-{shape}"},
                    **({"format": "lmc"} if shape == "lmc" else {})}) as answer:
                got = answer.lmc() if shape == "lmc" else answer.native()
                text = got.messages[0]["content"] if shape == "lmc" else got.text
                assert (got.error, text) == (None, "whole"), answer.seen
                assert answer.headers["x-parley-attempts"] == "2"


def test_empty_code_is_a_call_all_the_same(client, script):
    """Once it is known that the answer was whole."""
    s = script(stream(*segment(CODE)))
    with client.stream("/v1/chat/completions", {"model": s.under("l"), "stream": True, "messages": [
            {"role": "user", "content": "hi"}]}) as answer:
        assert executed(calls_of(answer.openai().chunks)) == [{"language": "python", "code": ""}]


def test_a_silent_server_is_left(client, script):
    gate = up.Gate()
    s = script(up.at_once(up.sse(), up.data({**MESSAGE, "content": "a"})), up.wait(gate))
    with client.complete_stream(f"b/{s.name}") as answer:
        assert answer.openai().error["code"] == "idle_timeout"
    s.wait().wait_closed()


def test_the_connection_may_stay_open_behind_the_status(client, script):
    gate = up.Gate()
    s = script(up.sse(), *[up.data(c) for c in [*segment(MESSAGE, "hi"), STATUS]], up.wait(gate))
    with client.complete_stream(f"l/{s.name}") as answer:
        assert answer.openai().text == "hi"
    gate.open()


def test_an_error_status_is_handed_on(client, script):
    error = {"error": {"message": "no", "type": "invalid_request_error",
                       "param": "config.temperature", "code": "invalid_value"}}
    s = script(up.reply(error, 400))
    client.complete(f"l/{s.name}").error(400, code="invalid_value", param="config.temperature")


# --- a Parley in front of another -----------------------------------------------------------------


def test_a_parley_in_front_of_another(far, script):
    s = script(up.stream("Run this:\n\n``", "`py", "thon\n2380*", "3875\n```\nDone."))
    with far.complete_stream(f"a/o/{s.name}", stream_options={"include_usage": True}) as answer:
        said = answer.openai()
    assert executed(calls_of(said.chunks)) == [{"language": "python", "code": "2380*3875"}]
    assert said.text == "Run this:\nDone." and said.finishes == ["tool_calls"]

    with far.chat_stream(ASKED, model=f"a/o/{s.name}", format="lmc") as answer:
        said = answer.lmc()
    assert said.messages == [{**MESSAGE, "content": "Run this:"}, {**CODE, "content": "2380*3875"},
                             {**MESSAGE, "content": "Done."}]
    assert said.confirmations == [CONFIRMATION["content"]]
    assert [m["content"] for m in s.wait(2).request.json["messages"]] == [ASKED["content"]]


def test_two_of_them_whole(far, script):
    s = script(up.reply(up.completion("```python\n2380*3875\n```\nDone.", finish="length")))
    answer = far.complete(f"a/o/{s.name}").ok().json
    message = answer["choices"][0]["message"]
    assert message["content"] == "Done." and answer["choices"][0]["finish_reason"] == "length"
    assert json.loads(message["tool_calls"][0]["function"]["arguments"])["code"] == "2380*3875"
    assert counted(answer["usage"]) == up.USAGE
    answer = far.chat("hi", model=f"a/o/{s.name}", format="lmc").ok().json
    assert answer["messages"] == [{**CODE, "content": "2380*3875"}, {**MESSAGE, "content": "Done."}]


def test_the_finish_reason_comes_through(far, script):
    s = script(up.stream("Once upon", finish="length"))
    with far.complete_stream(f"a/o/{s.name}") as answer:
        assert answer.openai().finishes == ["length"]


def test_three_in_a_row_keep_every_chunk(far, script):
    s = script(stream(*TURN))
    with far.chat_stream(ASKED, model=f"a/l/{s.name}", format="lmc", store=False) as answer:
        assert [b.json for b in answer if not b.is_comment] == [*TURN, STATUS]


def test_errors_come_through_both(far, script):
    error = {"message": "slow down", "type": "requests", "code": "rate_limit_exceeded"}
    s = script(up.reply({"error": error}, 429, headers=[("Retry-After", "3")]))
    far.complete(f"a/o/{s.name}").error(429, code="rate_limit_exceeded")
    s = script(up.sse(), up.role(), up.text("a"), up.hang_up())
    with far.complete_stream(f"a/o/{s.name}") as answer:
        said = answer.openai()
    assert said.text == "a" and said.error["type"] == "upstream_error"
    far.complete("a/nothing").error(404)
