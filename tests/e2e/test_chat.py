"""POST /v1/chat: every field of a native request, whole and streamed, and what providers see."""

import json
import threading

import pytest

import upstream as up
from client import item_text


def sent_messages(script, number=1):
    return script.wait(number).request.json["messages"]


# --- answers --------------------------------------------------------------------------------------


def test_echo_answers_whole(client):
    reply = client.chat("Hello,  big world").ok()
    value = reply.json
    assert value["object"] == "chat.completion"
    assert value["id"].startswith("chatcmpl-")
    assert value["conversation"].startswith("conv_")
    assert value["run"].startswith("run_")
    assert value["message_id"].startswith("msg_")
    assert value["model"] == "echo"
    assert isinstance(value["created"], int)
    assert "warnings" not in value
    choice, = value["choices"]
    assert choice["message"]["role"] == "assistant"
    assert choice["message"]["content"] == "Hello,  big world"
    assert choice["finish_reason"] == "stop"
    assert value["usage"]["completion_tokens"] == 3
    assert value["usage"]["total_tokens"] == value["usage"]["prompt_tokens"] + 3
    assert reply.headers["x-run-id"] == value["run"]
    assert reply.headers["x-conversation-id"] == value["conversation"]
    assert "location" not in reply.headers


def test_echo_streams_a_word_at_a_time(client):
    with client.chat_stream("Hello,  big world") as stream:
        stream.check_head()
        answer = stream.native()
    assert stream.seen[-1].raw.endswith(b"event: done\ndata: [DONE]")
    assert answer.text == "Hello,  big world"
    pieces = [c["choices"][0]["delta"].get("content") for c in answer.chunks if c["choices"]]
    assert [p for p in pieces if p] == ["Hello,  ", "big ", "world"]
    assert answer.finishes == ["stop"]
    first = answer.chunks[0]
    assert first["object"] == "chat.completion.chunk"
    assert first["choices"][0]["delta"]["role"] == "assistant"
    assert first["run"] == stream.headers["x-run-id"]
    assert first["conversation"] == stream.headers["x-conversation-id"]
    assert first["message_id"].startswith("msg_")
    assert all("conversation" not in c and "run" not in c for c in answer.chunks[1:])
    assert stream.headers["location"] == f"/v1/runs/{first['run']}/events"
    assert answer.chunks[-1]["choices"] == [], "a native stream ends with a usage chunk"
    assert answer.chunks[-1]["usage"]["completion_tokens"] == 3


def test_max_tokens_cuts_echo_with_length(client):
    reply = client.chat("one two three four", config={"max_tokens": 2}).ok()
    assert reply.json["choices"][0]["finish_reason"] == "length"
    assert reply.text.split() == ["one", "two"]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "a\n b\t c ", "é \U0001f600 中文",
                                  "\\ \" / \u2028", "\u0001 \u007f", "x" * 100_000])
def test_echo_gives_the_text_back_unchanged(client, text):
    assert client.chat(text).ok().text == text
    with client.chat_stream(text) as stream:
        assert stream.native().text == text


# --- messages -------------------------------------------------------------------------------------


PARTS = [{"type": "text", "text": "look"},
         {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="},
          "cache_control": {"type": "ephemeral", "own_key": 1.50}}]
CALLS = [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}}]

FORMS = [
    ("a string is the user's", ["hi"], [{"role": "user", "content": "hi"}]),
    ("an object without role is the user's", [{"content": "hi"}],
     [{"role": "user", "content": "hi"}]),
    ("kinds mix", ["a", {"content": "b", "role": "assistant"}, "c"],
     [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
      {"role": "user", "content": "c"}]),
    ("all roles", [{"role": "system", "content": "s"}, {"role": "developer", "content": "d"}, "u"],
     [{"role": "system", "content": "s\n\nd"}, {"role": "user", "content": "u"}]),
    ("names are kept", [{"content": "hi", "name": "meowoof"}],
     [{"role": "user", "content": "hi", "name": "meowoof"}]),
    ("parts are kept, their own keys too", [{"content": PARTS}],
     [{"role": "user", "content": PARTS}]),
    ("tool calls without content", ["q", {"role": "assistant", "tool_calls": CALLS},
                                    {"role": "tool", "tool_call_id": "call_1", "content": "r"}],
     [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": CALLS},
      {"role": "tool", "tool_call_id": "call_1", "content": "r"}]),
    ("tool calls with null content",
     ["q", {"role": "assistant", "content": None, "tool_calls": CALLS},
      {"role": "tool", "tool_call_id": "call_1", "content": "r"}],
     [{"role": "user", "content": "q"},
      {"role": "assistant", "content": None, "tool_calls": CALLS},
      {"role": "tool", "tool_call_id": "call_1", "content": "r"}]),
    ("an empty string", [""], [{"role": "user", "content": ""}]),
]


@pytest.mark.parametrize("given, expected", [f[1:] for f in FORMS], ids=[f[0] for f in FORMS])
def test_message_forms_reach_the_provider(client, script, given, expected):
    s = script(up.reply(up.completion("ok")))
    assert client.chat(*given, model=s.model).ok().text == "ok"
    got = sent_messages(s)
    for message in got + expected:  # null and absent mean the same here
        if message.get("content") is None:
            message.pop("content", None)
    assert got == expected


@pytest.mark.parametrize("value, sent", [("Be brief.", True), ("", False), (None, False)])
def test_the_instruction_is_the_first_system_message(client, script, value, sent):
    s = script(up.reply(up.completion("ok")))
    client.chat("hi", model=s.model, instruction=value).ok()
    system = [{"role": "system", "content": value}] if sent else []
    assert sent_messages(s) == [*system, {"role": "user", "content": "hi"}]


def test_inline_files_are_rendered_in_front_of_the_text(client, script):
    s = script(up.reply(up.completion("ok")))
    message = {"content": "Summarise it.", "name": "meowoof",
               "context": {"files": [{"name": "plan.txt", "content": "first line\nsecond \"line\""},
                                     {"name": "b.md", "content": "# B"}]}}
    reply = client.chat(message, model=s.model).ok()
    got, = sent_messages(s)
    content = got["content"]
    if not isinstance(content, str):
        content = "".join(part["text"] for part in content)
    order = [content.index(x) for x in ("plan.txt", "first line\nsecond \"line\"", "b.md", "# B",
                                        "Summarise it.")]
    assert order == sorted(order), content
    assert content.endswith("Summarise it.")
    assert "context" not in got and got["name"] == "meowoof" and got["role"] == "user"
    # what is stored is what came, not its rendering
    first = client.items(reply.json["conversation"])["data"][0]
    assert item_text(first).endswith("Summarise it.")


def test_inline_files_stand_in_front_of_parts(client, script):
    s = script(up.reply(up.completion("ok")))
    client.chat({"content": PARTS, "context": {"files": [{"name": "a.txt", "content": "AAA"}]}},
                model=s.model).ok()
    content = sent_messages(s)[0]["content"]
    assert "a.txt" in content[0]["text"] and "AAA" in content[0]["text"]
    assert content[-1] == PARTS[1], "the image part stays as it came"


# --- config ---------------------------------------------------------------------------------------


CONFIG = [("temperature", 0), ("temperature", 2), ("temperature", 0.7), ("top_p", 0.5),
          ("stop", "END"), ("stop", ["a", "b", "c", "d"]), ("seed", 42), ("seed", -1),
          ("presence_penalty", -2), ("frequency_penalty", 1.5),
          ("response_format", {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}),
          ("tools", [{"type": "function", "function": {"name": "f", "parameters": {"a": [1.0]}}}]),
          ("tool_choice", "auto"), ("reasoning_effort", "low"), ("max_tokens", 1),
          ("max_tokens", 1_000_000)]


@pytest.mark.parametrize("name, value", CONFIG)
@pytest.mark.parametrize("stream", [False, True])
def test_config_fields_reach_the_provider(client, script, name, value, stream):
    s = script(up.either("ok"))
    tool = {"type": "function", "function": {"name": "f"}}
    config = {name: value, **({"tools": [tool]} if name == "tool_choice" else {})}
    if stream:
        with client.chat_stream("hi", model=s.model, config=config) as answer:
            answer.native()
    else:
        client.chat("hi", model=s.model, config=config).ok()
    got = s.request.json
    if name == "max_tokens":
        assert (got.get("max_tokens") or got.get("max_completion_tokens")) == value
    else:
        assert got[name] == value
    assert got["model"] == s.name
    assert got.get("stream", False) is stream


def test_nothing_is_invented(client, script):
    s = script(up.reply(up.completion("ok")))
    client.chat("hi", model=s.model).ok()
    assert set(s.request.json) <= {"model", "messages", "stream"}


def test_extra_is_merged_untouched(client, script):
    s = script(up.reply(up.completion("ok")), allows={
        f"types {name}": "members of a server that nobody knows" for name in ("deep", "big")})
    body = (b'{"messages":["hi"],"config":{"model":"%s","extra":{"top_k":1E2,"min_p":0.10,'
            b'"deep":{"a":[1,{"b":"\\u00e9"}]},"big":123456789012345678901234567890}}}'
            % s.model.encode())
    client.post("/v1/chat", body).ok()
    for piece in (b'"top_k":1E2', b'"min_p":0.10', b'"deep":{"a":[1,{"b":"\\u00e9"}]}',
                  b'"big":123456789012345678901234567890'):
        assert piece in s.request.body


@pytest.mark.parametrize("key", ["model", "messages", "stream", "stream_options", "n", "store",
                                 "max_tokens", "temperature", "top_p", "stop", "seed",
                                 "presence_penalty", "frequency_penalty", "response_format",
                                 "tools", "tool_choice", "reasoning_effort"])
def test_extra_may_not_hold_what_the_gateway_sets(client, key):
    client.chat("hi", config={"extra": {key: 1}}).error(400, param=f"config.extra.{key}")


@pytest.mark.parametrize("prefix, name", [("older", "max_tokens"),
                                          ("newer", "max_completion_tokens")])
def test_max_tokens_goes_by_the_providers_name(client, script, prefix, name):
    s = script(up.reply(up.completion("ok")))
    client.chat("hi", model=s.under(prefix), config={"max_tokens": 9}).ok()
    got = s.request.json
    assert got[name] == 9
    assert len({"max_tokens", "max_completion_tokens"} & set(got)) == 1


def test_an_unknown_model_is_404_at_its_path(client):
    client.chat("hi", model="nobody").error(404, "model_not_found", "config.model")


# --- conversations --------------------------------------------------------------------------------


def test_continuing_sends_the_whole_branch(client, script):
    s = script(up.either("fine"))
    first = client.chat("one", model=s.model, instruction="Be brief.").ok().json
    second = client.chat("two", {"content": "three", "name": "ann"}, model=s.model,
                         conversation=first["conversation"]).ok().json
    assert second["conversation"] == first["conversation"]
    assert second["run"] != first["run"]
    assert sent_messages(s, 2) == [
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "one"},
        {"role": "assistant", "content": "fine"}, {"role": "user", "content": "two"},
        {"role": "user", "content": "three", "name": "ann"}]
    with client.chat_stream("four", model=s.model, conversation=first["conversation"],
                            instruction="") as stream:
        stream.native()
    third = sent_messages(s, 3)
    assert third[0] == {"role": "user", "content": "one"}, "an empty instruction ends the old one"
    assert third[-1] == {"role": "user", "content": "four"} and len(third) == 6
    texts = [item_text(i) for i in client.items(first["conversation"])["data"]]
    assert [t.strip() for t in texts] == ["one", "fine", "two", "three", "fine", "four", "fine"]


def test_a_new_instruction_replaces_the_old_one(client, script):
    s = script(up.either("fine"))
    conversation = client.chat("1", model=s.model, instruction="A").ok().json["conversation"]
    client.chat("2", model=s.model, instruction="B", conversation=conversation).ok()
    client.chat("3", model=s.model, conversation=conversation).ok()
    for number in (2, 3):
        system = [m["content"] for m in sent_messages(s, number) if m["role"] == "system"]
        assert system == ["B"]


def test_tool_calls_are_stored_and_continued_from(client, script):
    message = {"role": "assistant", "content": None, "tool_calls": CALLS}
    s = script(up.reply(up.completion(message=message, finish="tool_calls")))
    first = client.chat("q", model=s.model).ok().json
    assert first["choices"][0]["message"]["tool_calls"] == CALLS
    assert first["choices"][0]["finish_reason"] == "tool_calls"
    client.chat({"role": "tool", "tool_call_id": "call_1", "content": "42"}, model=s.model,
                conversation=first["conversation"]).ok()
    got = sent_messages(s, 2)
    assert [m["role"] for m in got] == ["user", "assistant", "tool"]
    assert got[1]["tool_calls"] == CALLS


def test_streamed_tool_calls_are_stored_whole(client, script):
    s = script(up.sse(), up.data(up.chunk({"role": "assistant", "content": None, "tool_calls": [
        {"index": 0, "id": "call_1", "type": "function",
         "function": {"name": "f", "arguments": ""}}]})),
        *[up.data(up.chunk({"tool_calls": [{"index": 0, "function": {"arguments": a}}]}))
          for a in ("{\"a\"", ":1}")], *up.ending("tool_calls"))
    with client.chat_stream("q", model=s.model) as stream:
        answer = stream.native()
    assert answer.finish_reason == "tool_calls"
    with client.chat_stream({"role": "tool", "tool_call_id": "call_1", "content": "42"},
                            model=s.model, conversation=stream.headers["x-conversation-id"]) as two:
        list(two)
    assert sent_messages(s, 2)[1]["tool_calls"] == CALLS


def test_an_empty_turn_continues_a_conversation(client, script):
    s = script(up.either("more"))
    first = client.chat("one", model=s.model).ok().json
    client.chat(model=s.model, conversation=first["conversation"]).ok()
    assert [m["role"] for m in sent_messages(s, 2)] == ["user", "assistant"]


@pytest.mark.parametrize("name", ["conv_" + "0" * 32, "conv_1", "nonsense", "", "run_" + "0" * 32,
                                  "conv_" + "f" * 32, "../../x"])
def test_an_unknown_conversation_is_404_at_its_path(client, name):
    reply = client.chat("hi", conversation=name)
    if reply.status == 400 and name == "":
        return
    reply.error(404, "not_found", "conversation")


def test_a_live_leaf_makes_the_next_turn_busy(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.text("slowly"), up.wait(gate), *up.ending())
    with client.chat_stream("one", model=s.model) as stream:
        stream.until_text("slowly")
        conversation = stream.headers["x-conversation-id"]
        reply = client.chat("two", conversation=conversation)
        reply.error(409, "conversation_busy", type="conflict_error")
        assert reply.headers["retry-after"] == "1"
        gate.open()
        assert stream.native().error is None
    client.chat("two", conversation=conversation).ok()
    assert len(client.items(conversation)["data"]) == 4


def test_two_turns_at_once_do_not_both_get_in(client, script):
    gate = up.Gate()
    s = script(up.wait(gate), up.reply(up.completion("ok")))
    conversation = client.chat("one").ok().json["conversation"]
    results = []
    thread = threading.Thread(target=lambda: results.append(
        client.chat("two", model=s.model, conversation=conversation)))
    thread.start()
    gate.wait_reached()
    client.chat("three", conversation=conversation).error(409, "conversation_busy")
    gate.open()
    thread.join()
    results[0].ok()


def test_a_failed_turn_is_kept_but_not_continued_from(client, script):
    bad = script(up.reply({"error": {"message": "no", "type": "x"}}, 400))
    good = script(up.either("fine"))
    conversation = client.chat("one", model=good.model).ok().json["conversation"]
    failed = client.chat("two", model=bad.model, conversation=conversation)
    failed.error(400)
    assert failed.headers["x-conversation-id"] == conversation
    assert client.run(failed.headers["x-run-id"])["status"] == "failed"
    client.chat("three", model=good.model, conversation=conversation).ok()
    assert [m["content"] for m in sent_messages(good, 2)] == ["one", "fine", "three"]


def test_errors_of_stored_calls_carry_their_ids(client, script):
    s = script(up.reply({"error": {"message": "no"}}, 400))
    failed = client.chat("hi", model=s.model)
    failed.error(400)
    run = client.run(failed.headers["x-run-id"])
    assert run["status"] == "failed" and run["error"]["message"]
    assert run["conversation"] == failed.headers["x-conversation-id"]
    assert run["completed_at"]


# --- runs, conversations, items -------------------------------------------------------------------


def test_a_run_says_what_happened(client, script):
    s = script(up.either("fine"))
    value = client.chat("hi", model=s.model).ok().json
    run = client.run(value["run"])
    assert set(run) >= {"id", "object", "status", "conversation", "model", "provider", "created_at",
                        "first_token_at", "completed_at", "finish_reason", "usage", "error",
                        "attempts", "continues"}
    assert run["id"] == value["run"] and run["object"] == "run"
    assert run["status"] == "completed" and run["finish_reason"] == "stop"
    assert run["conversation"] == value["conversation"]
    assert run["provider"] == "local" and run["error"] is None and run["continues"] is None
    assert run["created_at"] <= run["completed_at"]


def test_items_list_pages(client):
    conversation = client.chat("1").ok().json["conversation"]
    for text in ("2", "3"):
        client.chat(text, conversation=conversation).ok()
    value = client.get(f"/v1/conversations/{conversation}").ok().json
    assert value["id"] == conversation and value["object"] == "conversation"
    assert isinstance(value["created_at"], int) and value["metadata"] == {}
    newest = client.get(f"/v1/conversations/{conversation}/items").ok().json
    assert newest["object"] == "list" and newest["has_more"] is False
    assert [item_text(i) for i in newest["data"]] == ["3", "3", "2", "2", "1", "1"], "newest first"
    assert [i["role"] for i in newest["data"]] == ["assistant", "user"] * 3
    ids = [i["id"] for i in newest["data"]]
    assert all(i.startswith("msg_") for i in ids) and len(set(ids)) == 6
    seen, after = [], ""
    while True:
        page = client.get(f"/v1/conversations/{conversation}/items?limit=4&order=asc{after}").ok()
        seen += [i["id"] for i in page.json["data"]]
        assert page.json["first_id"] == page.json["data"][0]["id"]
        assert page.json["last_id"] == page.json["data"][-1]["id"]
        if not page.json["has_more"]:
            break
        after = f"&after={page.json['last_id']}"
    assert seen == ids[::-1]


def test_a_page_of_large_messages_is_cut_and_all_items_come_once(client):
    messages = [f"{i}:" + "x" * (5_000_000 if i == 4 else 900_000) for i in range(9)] + ["end"]
    conversation = client.chat(*messages).ok().json["conversation"]
    for order in ("asc", "desc"):
        texts, sizes, after = [], [], ""
        while True:
            page = client.get(f"/v1/conversations/{conversation}/items?limit=100&order={order}"
                              + after).ok().json
            texts += [item_text(i) for i in page["data"] if i["role"] == "user"]
            sizes.append(sum(len(item_text(i)) for i in page["data"]))
            assert page["last_id"] == page["data"][-1]["id"], "no page is empty"
            if not page["has_more"]:
                break
            after = f"&after={page['last_id']}"
        assert texts == (messages if order == "asc" else messages[::-1])
        assert max(sizes) < 5_100_000 and len(sizes) == 3


@pytest.mark.parametrize("query, param", [("limit=0", "limit"), ("limit=101", "limit"),
                                          ("limit=x", "limit"), ("order=up", "order"),
                                          ("after=nonsense", "after")])
def test_bad_list_queries_are_400(client, query, param):
    conversation = client.chat("1").ok().json["conversation"]
    client.get(f"/v1/conversations/{conversation}/items?{query}").error(400, param=param)


@pytest.mark.parametrize("path", ["/v1/runs/run_" + "0" * 32, "/v1/runs/x",
                                  "/v1/conversations/conv_" + "1" * 32, "/v1/conversations/x",
                                  "/v1/conversations/x/items", "/v1/models/nobody"])
def test_unknown_ids_are_404(client, path):
    client.get(path).error(404)


def test_an_id_needs_all_of_its_digits(client):
    """An id is unguessable: its time half alone finds nothing."""
    run = client.chat("hi").ok().json["run"]
    other = run[:-1] + ("0" if run[-1] != "0" else "1")
    client.get(f"/v1/runs/{other}").error(404)
    client.get(f"/v1/runs/{run.upper()}").error(404)


# --- store, metadata, on_disconnect ---------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_store_false_leaves_nothing(client, script, stream):
    s = script(up.either("fine"))
    if stream:
        with client.chat_stream("hi", model=s.model, store=False) as answer:
            assert answer.native().text.strip() == "fine"
            run = answer.headers.get("x-run-id")
            conversation = answer.headers.get("x-conversation-id")
    else:
        reply = client.chat("hi", model=s.model, store=False).ok()
        run, conversation = reply.headers.get("x-run-id"), reply.json.get("conversation")
    assert run, "a call is a run, stored or not"
    client.get(f"/v1/runs/{run}").error(404)
    if conversation:
        client.get(f"/v1/conversations/{conversation}").error(404)
    assert "store" not in s.request.json


def test_metadata_is_stored_and_not_forwarded(client, script):
    s = script(up.either("fine"))
    metadata = {"k" * 64: "v" * 512, "ключ": "значение", **{f"k{i}": "" for i in range(14)}}
    value = client.chat("hi", model=s.model, metadata=metadata).ok().json
    got = client.get(f"/v1/conversations/{value['conversation']}").ok().json
    assert got["metadata"] == metadata
    assert "metadata" not in s.request.json


@pytest.mark.parametrize("metadata, why", [
    ({f"k{i}": "" for i in range(17)}, "17 pairs"), ({"k" * 65: ""}, "key of 65"),
    ({"k": "v" * 513}, "value of 513"), ({"k": 1}, "a number"), ([], "an array"), ("x", "a string"),
    ({"k": None}, "null")])
def test_metadata_limits(client, metadata, why):
    client.chat("hi", metadata=metadata).error(
        400, param=lambda p: p is not None and p.startswith("metadata"))


def test_the_defaults_may_be_spelled_out(client):
    client.post("/v1/chat", {
        "messages": ["hi"], "format": "openai", "background": False, "stream": False,
        "store": True, "on_disconnect": "finish", "metadata": {}, "instruction": None,
        "config": {"model": "echo", "extra": {}}}).ok()


def test_a_byte_order_mark_is_skipped(client):
    assert client.post("/v1/chat", b"\xef\xbb\xbf" + json.dumps({"messages": ["hi"]}).encode()
                       ).ok().text == "hi"


def test_a_conversation_of_many_messages(client):
    messages = [{"role": ("user", "assistant")[i % 2], "content": str(i)} for i in range(2047)]
    assert client.chat(*messages, "last").ok().text == "last"
