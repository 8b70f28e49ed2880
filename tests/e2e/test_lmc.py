"""POST /v1/chat for clients that speak LMC: what they send, what they get, what is kept."""

import base64
import json
import random

import pytest

import upstream as up
from client import item_text
from fixtures import usual_config
from gateway import Gateway

QUESTION = {"role": "user", "type": "message", "content": "What's 2380*3875?"}
CODE = {"role": "assistant", "type": "code", "format": "python", "content": "2380*3875"}
OUTPUT = {"role": "computer", "type": "console", "format": "output", "content": "9222500"}
RESULT = {"role": "assistant", "type": "message",
          "content": "The result of multiplying 2380 by 3875 is 9222500."}

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 16


def b64(data):
    return base64.b64encode(data).decode()


def message(content, role="assistant"):
    return {"role": role, "type": "message", "content": content}


def code(content, language="python"):
    return {"role": "assistant", "type": "code", "format": language, "content": content}


def tool_chunk(index, arguments="", name=None, id=None):
    call = {"index": index, "function": {"arguments": arguments}}
    if name:
        call = {"index": index, "id": id or f"call_{index}", "type": "function",
                "function": {"name": name, "arguments": arguments}}
    return up.data(up.chunk({"tool_calls": [call]}))


def execute(language, text):
    return json.dumps({"language": language, "code": text})


def called(arguments, name="execute", id="call_1"):
    """A plain answer that is one call."""
    return up.reply(up.completion(finish="tool_calls", message={
        "role": "assistant", "content": None, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}]}))


def sent(script, number=1):
    return script.wait(number).request.json["messages"]


def tool_stream(*pieces, before=(), finish="tool_calls"):
    return [up.sse(), up.role(), *[up.text(b) for b in before],
            tool_chunk(0, "", "execute"), *[tool_chunk(0, p) for p in pieces],
            *up.ending(finish)]


# --- the seeds' own examples ----------------------------------------------------------------------


def test_2380_times_3875_message_by_message(client, script):
    s = script(called(execute("python", "2380*3875")))
    first = client.chat(QUESTION, model=s.model, format="lmc").ok().json
    assert first["object"] == "lmc.messages" and first["messages"] == [CODE]
    assert first["finish_reason"] == "tool_calls" and first["run"].startswith("run_")
    assert first["usage"]["total_tokens"] == 18 and "warnings" not in first

    t = script(up.either(RESULT["content"]))
    second = client.chat(OUTPUT, model=t.model, format="lmc",
                         conversation=first["conversation"]).ok().json
    assert [m["content"].strip() for m in second["messages"]] == [RESULT["content"]]
    got = sent(t)
    assert [m["role"] for m in got] == ["user", "assistant", "tool"]
    assert got[0] == {"role": "user", "content": QUESTION["content"]}
    call = got[1]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"language": "python", "code": "2380*3875"}
    assert got[2] == {"role": "tool", "tool_call_id": call["id"], "content": "9222500"}

    assert client.messages(first["conversation"], "lmc") == [QUESTION, CODE, OUTPUT, RESULT]


SEED_CODE = [
    {"role": "assistant", "type": "code", "format": "python", "start": True},
    {"role": "assistant", "type": "code", "format": "python", "content": "34"},
    {"role": "assistant", "type": "code", "format": "python", "content": " /"},
    {"role": "assistant", "type": "code", "format": "python", "content": " "},
    {"role": "assistant", "type": "code", "format": "python", "content": "24"},
    {"role": "assistant", "type": "code", "format": "python", "end": True},
    {"role": "computer", "type": "confirmation", "format": "execution",
     "content": {"type": "code", "format": "python", "content": "34 / 24"}},
]
SEED_TEXT = ["The", " result", " of", " the", " division", " ", "34", "/", "24", " is",
             " approximately", " ", "1", ".", "42", "."]


def test_34_over_24_chunk_by_chunk(client, script):
    s = script(tool_stream('{"language": "python", "code": "', "34", " /", " ", "24", '"}'))
    with client.chat_stream(message("What's 34/24?", "user"), model=s.model,
                            format="lmc") as stream:
        answer = stream.check_head().lmc()
    assert answer.chunks == SEED_CODE
    assert answer.status == {"role": "server", "type": "status", "content": "complete"}

    t = script(up.stream(*SEED_TEXT))
    with client.chat_stream(
            {"role": "computer", "type": "console", "format": "active_line", "content": "1"},
            {**OUTPUT, "content": "1.4166666666666667\n"},
            model=t.model, format="lmc",
            conversation=stream.headers["x-conversation-id"]) as two:
        answer = two.check_head().lmc()
    text = "".join(SEED_TEXT)
    assert answer.chunks[0] == {"role": "assistant", "type": "message", "start": True}
    assert answer.chunks[-1] == {"role": "assistant", "type": "message", "end": True}
    pieces = [c["content"] for c in answer.chunks[1:-1]]
    assert "".join(pieces) == text
    # A space may belong to a fence, so it waits for what follows; nothing else waits.
    assert pieces == ["The", " result", " of", " the", " division", " 34", "/", "24", " is",
                      " approximately", " 1", ".", "42", "."]
    assert sent(t)[-1]["content"] == "1.4166666666666667"
    # The line number is kept and not sent on, and that is told.
    assert [w["code"] for w in answer.status["warnings"]] and answer.status["warnings"][0]["index"] == 0


# --- what goes out --------------------------------------------------------------------------------


def test_fenced_code_becomes_code_unless_fences_are_off(client, script):
    text = "Plan:\n```python\nprint(1)\n```\nDone."
    s = script(up.reply(up.completion(text)))
    on = client.chat("go", model=s.model, format="lmc").ok().json
    assert on["messages"] == [message("Plan:"), code("print(1)"), message("Done.")]
    off = client.chat("go", model=s.model, format="lmc", lmc={"fences": False}).ok().json
    assert off["messages"] == [message(text)]
    again = client.chat("go", model=s.model, format="lmc", lmc={"fences": None}).ok().json
    assert again["messages"] == on["messages"]


def test_code_reaches_a_provider_without_tools_as_fenced_text(client, script):
    s = script(up.either("fine"))
    client.chat(QUESTION, CODE, OUTPUT, "And now?", model=s.model, lmc={"code": "fence"}).ok()
    assert sent(s) == [
        {"role": "user", "content": QUESTION["content"]},
        {"role": "assistant", "content": "```python\n2380*3875\n```"},
        {"role": "user", "content": "Output of the code:\n9222500"},
        {"role": "user", "content": "And now?"}]


def test_strings_objects_and_lmc_messages_mix(client, script):
    s = script(up.either("fine"))
    client.chat("one", {"content": "two", "name": "ann"}, QUESTION, CODE, OUTPUT,
                {"role": "assistant", "content": "ok"}, message("last", "user"),
                model=s.model).ok()
    got = sent(s)
    assert [m["role"] for m in got] == ["user", "user", "user", "assistant", "tool", "assistant",
                                        "user"]
    assert got[1] == {"role": "user", "content": "two", "name": "ann"}


def test_a_call_that_is_left_without_an_answer_gets_one(client, script):
    s = script(called(execute("shell", "ls"), id="call_native"))
    first = client.chat("list", model=s.model, format="lmc").ok().json
    t = script(up.either("fine"))
    client.chat("never mind", model=t.model, format="lmc",
                conversation=first["conversation"]).ok()
    assert [m["role"] for m in sent(t)] == ["user", "assistant", "tool", "user"]
    assert sent(t)[2] == {"role": "tool", "tool_call_id": "call_native", "content": "No output"}


def roles(messages):
    return [m["role"] + "+calls" * ("tool_calls" in m) for m in messages]


def test_a_text_and_the_code_behind_it_reach_the_provider_as_one_message(client, script):
    s = script(up.either("fine"))
    first = client.chat(QUESTION, message("I'll compute."), CODE, OUTPUT, message("Once more."), CODE,
                        OUTPUT, "And?", model=s.model, lmc={"code": "tools"}).ok().json
    assert roles(sent(s)) == ["user", "assistant+calls", "tool", "assistant+calls", "tool", "user"]
    assert [sent(s)[i]["content"] for i in (1, 3)] == ["I'll compute.", "Once more."]
    # What is kept is what was sent.
    assert client.messages(first["conversation"], "lmc")[:3] == [QUESTION, message("I'll compute."), CODE]


@pytest.mark.parametrize("text", [message("I'll compute."), {"role": "assistant", "content": "I'll compute."}])
def test_so_do_a_text_of_an_earlier_turn_and_the_code_of_this_one(client, script, text):
    s = script(up.either("Shall I?"))
    first = client.chat(QUESTION, model=s.model, format="lmc").ok().json
    client.chat(CODE, OUTPUT, model=s.model, format="lmc", conversation=first["conversation"]).ok()
    got = sent(s, 2)
    assert roles(got) == ["user", "assistant+calls", "tool"] and got[1]["content"].strip() == "Shall I?"
    # A branch that goes on behind what a client itself put there.
    made = client.post("/v1/conversations", {}).ok().json["id"]
    client.chat("q", text, model=s.model, conversation=made).ok()
    branch = client.items(made)["data"][1]["id"]
    client.chat(CODE, OUTPUT, model=s.model, conversation=made, parent=branch).ok()
    assert roles(sent(s, 4)) == ["user", "assistant+calls", "tool"]
    assert sent(s, 4)[1]["content"] == "I'll compute."


def test_a_translation_makes_one_message_of_them_too(client):
    given = [QUESTION, message("I'll compute."), CODE, OUTPUT]
    made = client.post("/v1/translate", {"from": "lmc", "to": "openai", "messages": given}).ok().json
    assert roles(made["messages"]) == ["user", "assistant+calls", "tool"]
    assert made["messages"][1]["content"] == "I'll compute."


def test_an_image_of_the_computer_comes_behind_the_output(client, script):
    s = script(called(execute("python", "plot()")))
    first = client.chat("plot", model=s.model, format="lmc").ok().json
    t = script(up.either("nice"))
    image = {"role": "computer", "type": "image", "format": "base64.png", "content": b64(PNG)}
    client.chat(image, {**OUTPUT, "content": "done"}, model=t.model, format="lmc",
                conversation=first["conversation"]).ok()
    got = sent(t)
    assert [m["role"] for m in got] == ["user", "assistant", "tool", "user"]
    assert got[2]["content"] == "done"
    assert got[3]["content"][0]["image_url"]["url"] == "data:image/png;base64," + b64(PNG)


@pytest.mark.parametrize("stream", [False, True])
def test_what_is_never_sent_is_kept_and_told(client, script, stream):
    review = {"role": "assistant", "type": "review", "format": "safe", "content": "ok"}
    asked = {"role": "computer", "type": "confirmation", "format": "execution",
             "content": {"type": "code", "format": "python", "content": "1"}}
    private = {**OUTPUT, "recipient": "user"}
    trouble = {"role": "computer", "type": "error", "content": "boom"}
    given = [message("hi", "user"), review, asked, private, trouble]
    s = script(up.either("fine"))
    if stream:
        with client.chat_stream(*given, model=s.model) as reader:
            answer = reader.native()
        warnings = answer.chunks[0]["warnings"]
        assert not any("warnings" in c for c in answer.chunks[1:])
        conversation = reader.headers["x-conversation-id"]
    else:
        answer = client.chat(*given, model=s.model).ok().json
        warnings, conversation = answer["warnings"], answer["conversation"]
    assert [w["index"] for w in warnings] == [1, 2, 3, 4]
    assert sent(s) == [{"role": "user", "content": "hi"}]
    assert client.messages(conversation)[:5] == given
    # They were told of once; the next turn is quiet.
    t = script(up.either("fine"))
    more = client.chat("more", model=t.model, conversation=conversation).ok().json
    assert "warnings" not in more and [m["role"] for m in sent(t)] == ["user", "assistant", "user"]


# --- what comes back ------------------------------------------------------------------------------


HARD = ("Sure 😀:\r\n\r\n```js {\"a\": 1}\nlet s = `x`; // \u00e4 \"quoted\" \\ \U0001f600\n```\n\n"
        "and ``` inline ``` too.\n````md\n```\ninner\n```\n````\nend `")
HARD_MESSAGES = [
    message("Sure 😀:"), code("let s = `x`; // \u00e4 \"quoted\" \\ \U0001f600", "js"),
    message("and ``` inline ``` too."), code("```\ninner\n```", "md"), message("end `")]


def cut(text, edges):
    edges = [0, *sorted(edges), len(text)]
    return [text[a:b] for a, b in zip(edges, edges[1:]) if a < b]


def cuts_of(text):
    random.seed(5)
    yield [text]
    yield list(text)
    for _ in range(4):
        yield cut(text, random.sample(range(len(text)), 12))


def test_the_answer_depends_on_the_text_and_not_on_its_pieces(client, script):
    for pieces in cuts_of(HARD):
        s = script(up.stream(*pieces))
        with client.chat_stream("go", model=s.model, format="lmc") as stream:
            assert stream.lmc().messages == HARD_MESSAGES, pieces


def test_the_answer_depends_on_the_text_and_not_on_its_packets(client, script):
    body = b"".join(f"data: {json.dumps(up.chunk(d))}\n\n".encode() for d in (
        {"role": "assistant"}, {"content": HARD[:20]}, {"content": HARD[20:]}))
    body += f"data: {json.dumps(up.chunk({}, 'stop'), ensure_ascii=False)}\n\n".encode()
    s = script(up.sse(), up.bytewise(body), up.data("[DONE]"), up.end())
    with client.chat_stream("go", model=s.model, format="lmc") as stream:
        assert stream.lmc().messages == HARD_MESSAGES


def test_a_character_cut_into_two_escapes_comes_whole(client, script):
    halves = [up.body(b'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m",'
                      b'"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % half)
              for half in (b"a\\ud83d", b"\\ude00b")]
    s = script(up.sse(), up.role(), *halves, *up.ending())
    with client.chat_stream("go", model=s.model, format="lmc") as stream:
        answer = stream.lmc()
    assert [c["content"] for c in answer.chunks[1:-1]] == ["a", "\U0001f600b"]


def test_parallel_calls_keep_apart(client, script):
    one, two = execute("python", "a = 1\nprint(a)"), execute("shell", "ls -l")
    weather = '{"city": "Rome"}'
    steps = [up.sse(), up.role(), up.text("Working. "), tool_chunk(0, "", "execute"),
             tool_chunk(1, "", "execute"), tool_chunk(2, "", "weather")]
    for i in range(40):
        for index, text in enumerate((one, two, weather)):
            if text[i:i + 1]:
                steps.append(tool_chunk(index, text[i:i + 1]))
    steps += [tool_chunk(0, one[40:])] if one[40:] else []
    s = script(*steps, up.text("After."), *up.ending("tool_calls"))
    with client.chat_stream("go", model=s.model, format="lmc") as stream:
        answer = stream.lmc()
    assert answer.messages == [
        message("Working."[:8] + " "), code("a = 1\nprint(a)"), code("ls -l", "shell"),
        {"role": "assistant", "type": "tool_call", "format": "weather", "content": weather},
        message("After.")]
    assert [c["content"] for c in answer.confirmations] == ["a = 1\nprint(a)", "ls -l"]
    assert "unknown_function" in [w["code"] for w in answer.status["warnings"]]


def test_pieces_go_out_at_once(client, script):
    gates = [up.Gate() for _ in range(3)]
    s = script(up.sse(), up.role(), up.text("One"), up.wait(gates[0]),
               up.text(" two.\n```py\nx = 1"), up.wait(gates[1]),
               up.text("\ny = 2"), up.wait(gates[2]), up.text("\n```"), *up.ending())
    with client.chat_stream("go", model=s.model, format="lmc") as stream:
        assert stream.next_data().json["start"] is True
        assert stream.next_data().json["content"] == "One"
        gates[0].open()
        assert stream.next_data().json["content"] == " two."
        assert stream.next_data().json["end"] is True
        assert stream.next_data().json["start"] is True
        assert stream.next_data().json["content"] == "x = 1"
        gates[1].open()
        assert stream.next_data().json["content"] == "\ny = 2"
        gates[2].open()
        answer = stream.lmc()
    assert answer.messages == [message("One two."), code("x = 1\ny = 2", "py")]


def test_an_unusual_end_and_lost_reasoning_are_told(client, script):
    s = script(up.sse(), up.data(up.chunk({"role": "assistant", "reasoning_content": "hm"})),
               up.text("cut"), *up.ending("length"))
    with client.chat_stream("go", model=s.model, format="lmc") as stream:
        answer = stream.lmc()
    assert answer.status["finish_reason"] == "length" and answer.messages == [message("cut")]
    assert [w["code"] for w in answer.status["warnings"]] == ["reasoning_not_sent"]
    whole = script(up.reply(up.completion(finish="length", message={
        "role": "assistant", "content": "cut", "reasoning_content": "hm"})))
    answer = client.chat("go", model=whole.model, format="lmc").ok().json
    assert answer["finish_reason"] == "length"
    assert [w["code"] for w in answer["warnings"]] == ["reasoning_not_sent"]


def test_a_refusal_is_a_message(client, script):
    s = script(up.reply(up.completion(message={"role": "assistant", "content": None,
                                               "refusal": "I won't."})))
    assert client.chat("go", model=s.model, format="lmc").ok().json["messages"] == [
        message("I won't.")]
    t = script(up.sse(), up.role(), up.data(up.chunk({"refusal": "I won't."})), *up.ending())
    with client.chat_stream("go", model=t.model, format="lmc") as stream:
        assert stream.lmc().messages == [message("I won't.")]


def test_an_answer_without_text_still_ends(client, script):
    s = script(up.stream())
    with client.chat_stream("go", model=s.model, format="lmc") as stream:
        answer = stream.lmc()
    assert answer.messages == [] and answer.error is None


@pytest.mark.parametrize("store", [True, False])
def test_a_broken_stream_ends_its_segment_and_says_why(client, script, store):
    s = script(up.sse(), up.role(), up.text("Look:\n```py\nprint(1)\n"), up.hang_up())
    with client.chat_stream("go", model=s.model, format="lmc", store=store) as stream:
        answer = stream.lmc()
    assert answer.messages == [message("Look:"), code("print(1)", "py")]
    assert answer.error["code"] == "stream_incomplete" and answer.error["type"] == "upstream_error"
    assert {"message", "type", "param", "code"} <= set(answer.error)
    assert answer.confirmations == [], "code that may be half is not to be run"


def test_a_failure_before_the_first_piece_is_a_status(client, script):
    s = script(up.reply({"error": {"message": "no", "type": "server_error"}}, 500))
    for stream in (False, True):
        client.post("/v1/chat", {"messages": ["go"], "config": {"model": s.model},
                                 "format": "lmc", "stream": stream}).error(502, "upstream_error")


# --- what is kept ---------------------------------------------------------------------------------


def test_messages_are_kept_as_they_came(client, script):
    odd = {"id": "m-1", "created_at": 12.50, "role": "computer", "type": "console",
           "format": "output", "content": "x\u0000y", "recipient": None,
           "extra": {"a": [1, None, "\ud83d"], "b": 1e10}}
    s = script(up.either("fine"))
    first = client.chat("hi", CODE, odd, model=s.model).ok().json
    conversation = first["conversation"]
    assert client.messages(conversation)[:3] == [{"role": "user", "content": "hi"}, CODE, odd]
    assert client.messages(conversation, "lmc")[:3] == [message("hi", "user"), CODE, odd]
    shown = client.messages(conversation, "openai")
    assert [m["role"] for m in shown] == ["user", "assistant", "tool", "assistant"]
    assert shown[2]["content"] == "x\u0000y"


def test_items_show_lmc_messages_too(client, script):
    s = script(up.either("fine"))
    image = {"role": "user", "type": "image", "format": "base64.jpeg", "content": b64(JPEG)}
    review = {"role": "assistant", "type": "review", "format": "safe", "content": "looks fine"}
    first = client.chat(QUESTION, CODE, OUTPUT, image, review, model=s.model).ok().json
    items = client.items(first["conversation"])["data"]
    assert [i["type"] for i in items] == ["message"] * 6
    assert item_text(items[1]) == "```python\n2380*3875\n```"
    assert item_text(items[2]) == "Output of the code:\n9222500"
    assert items[3]["content"][0]["type"] == "input_image"
    assert item_text(items[4]) == "looks fine"


@pytest.mark.parametrize("query, param", [
    ("format=xml", "format"), ("order=up", "order"), ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=x", "limit"),
    ("after=nonsense", "after"), ("after=msg_" + "0" * 31 + "1", "after")])
def test_bad_queries_for_messages(client, query, param):
    conversation = client.chat("hi").ok().json["conversation"]
    client.get(f"/v1/conversations/{conversation}/messages?{query}").error(400, param=param)


def test_messages_of_nobody_are_404(client):
    for name in ("conv_" + "0" * 31 + "1", "nonsense"):
        client.get(f"/v1/conversations/{name}/messages").error(404, "not_found")


def all_pages(client, conversation, query):
    """The messages of a conversation, read page by page."""
    shown, after = [], ""
    while True:
        page = client.get(f"/v1/conversations/{conversation}/messages?{query}&after={after}").ok().json
        shown += page["data"]
        if not page["has_more"]:
            return shown
        after = page["last_id"]


@pytest.mark.parametrize("limit", [3, 4, 5])
def test_calls_and_their_results_are_on_one_page(client, limit):
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    sent = [{"role": "user", "content": "a\"},{\\"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": i, **call} for i in ("t1", "t2")]},
            {"role": "tool", "tool_call_id": "t1", "content": "r1"},
            {"role": "tool", "tool_call_id": "t2", "content": "r2"}, {"role": "user", "content": "so?"}]
    conversation = client.chat(*sent).ok().json["conversation"]
    whole = client.messages(conversation, "openai")
    assert [m["content"] for m in whole][2:4] == ["r1", "r2"]
    assert all_pages(client, conversation, f"format=openai&limit={limit}") == whole
    for format in ("openai", "native", "lmc"):
        assert all_pages(client, conversation, f"format={format}&limit={limit}&order=desc") == \
            client.messages(conversation, format)[::-1]


def test_messages_come_in_pages(client, script):
    s = script(up.either("fine"))
    conversation = client.chat(*[f"m{i}" for i in range(9)], model=s.model).ok().json["conversation"]
    seen = [m["content"].strip() for m in all_pages(client, conversation, "limit=4")]
    assert seen == [f"m{i}" for i in range(9)] + ["fine"]
    newest = client.get(f"/v1/conversations/{conversation}/messages?limit=2&order=desc").ok().json
    assert [m["content"].strip() for m in newest["data"]] == ["fine", "m8"] and newest["has_more"]


def test_a_large_conversation_is_printed(client, script):
    s = script(up.either("fine"))
    big = {**OUTPUT, "content": "line\n" * 40000}
    conversation = client.chat("hi", CODE, big, model=s.model).ok().json["conversation"]
    assert client.messages(conversation, "lmc")[2] == big
    assert len(client.messages(conversation, "openai")[2]["content"]) == 40000 * 5 - 1


# --- what is refused ------------------------------------------------------------------------------


BAD = [
    ({"role": "robot", "type": "message", "content": "x"}, "role"),
    ({"type": "message", "content": "x"}, "role"),
    ({"role": "user", "type": 5, "content": "x"}, "type"),
    ({"role": "user", "type": "message", "format": 5, "content": "x"}, "format"),
    ({"role": "user", "type": "message"}, "content"),
    ({"role": "user", "type": "image", "format": "tiff", "content": "AAAA"}, "format"),
    ({"role": "user", "type": "image", "format": "path", "content": "/etc/passwd"}, "format"),
    ({"role": "user", "type": "image", "format": "base64.png", "content": 5}, "content"),
    ({"role": "user", "type": "image", "format": "base64.png", "content": ""}, "content"),
    ({"role": "user", "type": "image", "format": "base64.png", "content": "!!!!"}, "content"),
    ({"role": "user", "type": "image", "format": "base64.png", "content": b64(PNG)[:-1]}, "content"),
    ({"role": "user", "type": "image", "format": "base64.png", "content": b64(PNG) + "\n"}, "content"),
    ({"role": "user", "type": "image", "format": "base64.png", "content": b64(JPEG)}, "content"),
    ({"role": "user", "type": "image", "content": b64(JPEG)}, "content"),
    ({"role": "user", "type": "image", "format": "base64.jpeg", "content": b64(PNG)}, "content"),
    ({"role": "user", "type": "image", "format": "url", "content": "ftp://x"}, "content"),
    ({"role": "user", "type": "audio", "format": "ogg", "content": "AAAA"}, "format"),
    ({"role": "user", "type": "audio", "format": "wav", "content": "A"}, "content"),
    ({"role": "user", "type": "audio", "format": "wav", "content": "AAA-"}, "content"),
]


@pytest.mark.parametrize("given, member", BAD, ids=[f"{m}-{i}" for i, (_, m) in enumerate(BAD)])
def test_a_message_that_breaks_the_rules_is_named(client, script, given, member):
    s = script(up.either("never"))
    client.chat("fine", given, model=s.model).error(400, param=f"messages[1].{member}",
                                                    type="invalid_request_error")
    assert not s.exchanges


@pytest.mark.parametrize("fields, param", [
    ({"lmc": {"code": "x"}}, "lmc.code"), ({"lmc": {"fences": 1}}, "lmc.fences"),
    ({"lmc": {"fence": True}}, "lmc.fence"), ({"lmc": []}, "lmc"), ({"format": "xml"}, "format")])
def test_bad_options_are_named(client, fields, param):
    client.chat("hi", **fields).error(400, param=param)


# --- images by path -------------------------------------------------------------------------------


@pytest.fixture
def rooted(upstream, tmp_path):
    from client import Client
    root = tmp_path / "images"
    (root / "sub").mkdir(parents=True)
    (root / "a.png").write_bytes(PNG)
    (root / "sub" / "b.jpg").write_bytes(JPEG)
    (root / "no.png").write_bytes(b"plain text")
    (tmp_path / "outside.png").write_bytes(PNG)
    (root / "link.png").symlink_to(tmp_path / "outside.png")
    (root / "dir.png").mkdir()
    gateway = Gateway(tmp_path / "g", usual_config(upstream, image_root=str(root)),
                      env={"TEST_UPSTREAM_KEY": "k"})
    gateway.start()
    with Client(gateway.url) as client:
        client.root = root
        yield client
    gateway.stop()


def by_path(path):
    return {"role": "user", "type": "image", "format": "path", "content": path}


def test_an_image_below_the_root_is_read(rooted, script):
    s = script(up.either("fine"))
    given = [by_path("a.png"), by_path("sub/b.jpg"), by_path(str(rooted.root / "a.png"))]
    first = rooted.chat(*given, model=s.model).ok().json
    urls = [m["content"][0]["image_url"]["url"] for m in sent(s)]
    png, jpeg = "data:image/png;base64," + b64(PNG), "data:image/jpeg;base64," + b64(JPEG)
    assert urls == [png, jpeg, png]
    assert rooted.messages(first["conversation"])[:3] == given
    # A file that is gone at the next turn is missed, and that is told.
    (rooted.root / "sub" / "b.jpg").unlink()
    t = script(up.either("fine"))
    more = rooted.chat("more", model=t.model, conversation=first["conversation"]).ok().json
    assert [w["code"] for w in more["warnings"]] == ["image_unreadable"]
    assert [m["role"] for m in sent(t)] == ["user", "user", "assistant", "user"]


@pytest.mark.parametrize("path", ["missing.png", "../outside.png", "link.png", "dir.png", "",
                                  "/etc/passwd", "no.png", "sub/../../outside.png", "a.png\0"])
@pytest.mark.parametrize("store", [True, False])
def test_an_image_outside_the_root_is_refused(rooted, script, path, store):
    s = script(up.either("never"))
    error = rooted.chat("x", by_path(path), model=s.model, store=store).error(
        400, param="messages[1].content")
    assert str(rooted.root) not in error["message"] and not s.exchanges
