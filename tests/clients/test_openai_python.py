"""The official OpenAI SDK for Python, pinned and unmodified, against the gateway."""

import asyncio
import json
import threading

import openai
import pytest

import upstream as up
from gateway import Gateway
from waiting import DEADLINE

IMAGE = "data:image/png;base64,iVBORw0KGgo="
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": CITY}}]
HELLO = [{"role": "user", "content": "Hello, big world"}]


@pytest.fixture
def sdk(shared):
    with openai.OpenAI(base_url=shared.url + "/v1", api_key="not needed", timeout=DEADLINE,
                       max_retries=0, _strict_response_validation=True) as client:
        yield client


def loose(sdk):
    """Without validation: for answers that OpenAI's own API gives in the same form, against the package's types."""
    return sdk.with_options(_extra_kwargs={"_strict_response_validation": False})


def test_models(sdk):
    ids = [m.id for m in sdk.models.list()]
    assert "echo" in ids
    assert sdk.models.retrieve("echo").object == "model"
    assert sdk.models.retrieve("t/tiny").id == "t/tiny"
    with pytest.raises(openai.NotFoundError):
        sdk.models.retrieve("nobody")


def test_chat_plain(sdk):
    answer = sdk.chat.completions.create(model="echo", messages=HELLO)
    assert answer.choices[0].message.content == "Hello, big world"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.completion_tokens == 3
    assert answer._request_id.startswith("req_")


def test_chat_stream(sdk):
    pieces = []
    with sdk.chat.completions.create(model="echo", messages=HELLO, stream=True) as stream:
        for chunk in stream:
            assert chunk.usage is None
            pieces += [c.delta.content for c in chunk.choices if c.delta.content]
    assert pieces == ["Hello, ", "big ", "world"]


@pytest.mark.parametrize("vectors", [[[0.25, -1.5], [1.0, 2.0]],
                                     ["AACAPgAAwL8=", "AACAPwAAAEA="]])
def test_embeddings(sdk, script, vectors):
    """The SDK asks for base64 by itself, whatever the provider then sends, and validates before it decodes."""
    s, sdk = script(up.embeddings(*vectors)), loose(sdk)
    answer = sdk.embeddings.create(model=s.model, input=["a", "b"])
    assert s.request.json["encoding_format"] == "base64"
    assert [d.embedding for d in answer.data] == [[0.25, -1.5], [1.0, 2.0]]
    assert answer.usage.prompt_tokens == 11
    answer = sdk.embeddings.create(model=s.model, input=["a", "b"], encoding_format="float")
    assert answer.data[0].embedding == [0.25, -1.5]
    answer = sdk.embeddings.create(model="echo", input="Hello there", dimensions=4)
    assert len(answer.data[0].embedding) == 4


def test_usage_of_a_stream(sdk):
    chunks = list(sdk.chat.completions.create(model="echo", messages=HELLO, stream=True,
                                              stream_options={"include_usage": True}))
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens == 3


def test_the_accumulating_stream(sdk):
    with sdk.chat.completions.stream(model="echo", messages=HELLO) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_completion()
    assert "content.delta" in kinds and "content.done" in kinds
    assert final.choices[0].message.content == "Hello, big world"


def parallel_calls():
    def call(index, **more):
        return up.data(up.chunk({"tool_calls": [{"index": index, **more}]}))
    return [up.sse(), up.data(up.chunk({"role": "assistant", "content": None})),
            call(0, id="call_a", type="function", function={"name": "weather", "arguments": ""}),
            call(1, id="call_b", type="function", function={"name": "weather", "arguments": ""}),
            call(0, function={"arguments": "{\"city\":"}),
            call(1, function={"arguments": "{\"city\":\"B\"}"}),
            call(0, function={"arguments": "\"A\"}"}), *up.ending("tool_calls")]


def test_parallel_tool_calls_in_a_stream(sdk, script):
    s = script(*parallel_calls())
    with sdk.chat.completions.stream(model=s.model, messages=HELLO, tools=TOOLS) as stream:
        message = stream.get_final_completion().choices[0].message
    assert [(c.id, c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls] \
        == [("call_a", "weather", {"city": "A"}), ("call_b", "weather", {"city": "B"})]
    assert s.request.json["tools"] == TOOLS


def test_tool_results_go_back(sdk, script):
    calls = [{"id": "call_a", "type": "function",
              "function": {"name": "weather", "arguments": "{}"}}]
    s = script(up.reply(up.completion(message={"role": "assistant", "content": None,
                                               "tool_calls": calls}, finish="tool_calls")))
    first = sdk.chat.completions.create(model=s.model, messages=HELLO, tools=TOOLS)
    message = first.choices[0].message
    assert first.choices[0].finish_reason == "tool_calls"
    sdk.chat.completions.create(model=s.model, messages=[
        *HELLO, message, {"role": "tool", "tool_call_id": message.tool_calls[0].id,
                          "content": "sunny"}])
    got = s.wait(2).request.json["messages"]
    assert got[1]["tool_calls"] == calls and got[2]["content"] == "sunny"


def test_images_names_and_unknown_fields(sdk, script):
    s = script(up.either("a picture"))
    message = {"role": "user", "name": "meowoof", "content": [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": IMAGE, "detail": "low"}}]}
    sdk.chat.completions.create(model=s.model, messages=[message], temperature=0,
                                extra_body={"top_k": 5, "chat_template_kwargs": {"a": True}})
    got = s.request.json
    assert got["messages"] == [message]
    assert got["top_k"] == 5 and got["chat_template_kwargs"] == {"a": True}
    assert got["temperature"] == 0
    assert not [n for n, _ in s.request.headers if n.startswith("x-stainless")]


ERRORS = [
    (400, openai.BadRequestError, 400), (404, openai.NotFoundError, 404),
    (422, openai.UnprocessableEntityError, 422), (429, openai.RateLimitError, 429),
    (401, openai.PermissionDeniedError, 403), (500, openai.InternalServerError, 502)]


@pytest.mark.parametrize("status, kind, seen", ERRORS)
@pytest.mark.parametrize("stream", [False, True])
def test_errors_are_the_right_classes(sdk, script, status, kind, seen, stream):
    s = script(up.reply({"error": {"message": "theirs", "type": "t", "param": "p", "code": "c"}},
                        status, headers=[("Retry-After", "9")]))
    with pytest.raises(kind) as caught:
        sdk.chat.completions.create(model=s.model, messages=HELLO, stream=stream)
    error = caught.value
    assert error.status_code == seen and error.request_id.startswith("req_")
    if seen == status:
        assert (error.code, error.param, error.type) == ("c", "p", "t")


def test_errors_of_our_own(sdk, shared):
    with pytest.raises(openai.NotFoundError) as caught:
        sdk.chat.completions.create(model="nobody", messages=HELLO)
    assert caught.value.code == "model_not_found" and caught.value.param == "model"
    with pytest.raises(openai.BadRequestError) as caught:
        sdk.chat.completions.create(model="echo", messages=[{"role": "robot", "content": "x"}])
    assert caught.value.param == "messages[0].role"
    wrong = openai.OpenAI(base_url=shared.url, api_key="x", max_retries=0,
                          _strict_response_validation=True)
    with pytest.raises(openai.NotFoundError, match="/v1"):
        wrong.chat.completions.create(model="echo", messages=HELLO)


def test_keys(tmp_path):
    gateway = Gateway(tmp_path, env={"PARLEY_API_KEY": "the-right-key"})
    gateway.start()
    try:
        url = gateway.url + "/v1"
        good = openai.OpenAI(base_url=url, api_key="the-right-key",
                             _strict_response_validation=True)
        assert [m.id for m in good.models.list()] == ["echo"]
        with pytest.raises(openai.AuthenticationError) as caught:
            openai.OpenAI(base_url=url, api_key="wrong",
                          _strict_response_validation=True).models.list()
        assert caught.value.code == "invalid_api_key"
    finally:
        gateway.stop()


def test_an_error_in_a_stream_raises(sdk, script):
    s = script(up.sse(), up.role(), up.text("so far"), up.hang_up())
    got = []
    with pytest.raises(openai.APIError) as caught:
        for chunk in sdk.chat.completions.create(model=s.model, messages=HELLO, stream=True):
            got += [c.delta.content for c in chunk.choices if c.delta.content]
    assert got == ["so far"] and caught.value.code == "stream_incomplete"


def test_the_sdks_retries_reach_the_provider_again(shared, script):
    tries = []

    def step(x):
        tries.append(x)
        up.reply({"error": {"message": "busy"}}, 503)(x) if len(tries) == 1 \
            else up.reply(up.completion("second"))(x)
    s = script(up.call(step))
    sdk = openai.OpenAI(base_url=shared.url + "/v1", api_key="x", max_retries=1,
                        _strict_response_validation=True)
    answer = sdk.chat.completions.create(model=s.model, messages=HELLO)
    assert answer.choices[0].message.content == "second" and len(tries) == 2


@pytest.mark.parametrize("status, kind, gateways, calls", [
    (401, openai.PermissionDeniedError, 2, 1), (403, openai.PermissionDeniedError, 2, 1),
    (500, openai.InternalServerError, 1, 2), (500, openai.InternalServerError, 0, 3),
    (429, openai.RateLimitError, 0, 3)])
@pytest.mark.parametrize("stream", [False, True])
def test_retries_of_the_sdk_and_the_gateway_do_not_multiply(start, upstream, script, status, kind,
                                                            gateways, calls, stream):
    s = script(up.reply({"error": {"message": "no"}}, status,
                        headers=[("retry-after-ms", "20")] if status == 429 else []))
    gateway = start({"providers": [{
        "name": "p", "dialect": "openai", "base_url": upstream.url, "retries": gateways,
        "health": {"failures": 0, "cooling": "0s", "dead_key": "0s"}}],
        "models": [{"name": "*", "provider": "p"}]})
    with openai.OpenAI(base_url=gateway.url + "/v1", api_key="x", max_retries=2,
                       _strict_response_validation=True) as sdk:
        with pytest.raises(kind) as caught:
            sdk.chat.completions.create(model=s.name, messages=HELLO, stream=stream)
        if status in (401, 403):
            whose = {401: "the gateway's own key", 403: "the gateway's account"}
            assert whose[status] in caught.value.message
    assert len(s.exchanges) == calls


def test_leaving_a_stream_closes_the_providers_connection(sdk, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate))
    stream = sdk.chat.completions.create(model=s.model, messages=HELLO, stream=True)
    for chunk in stream:
        if any(c.delta.content for c in chunk.choices):
            break
    stream.close()
    s.wait().wait_closed()


def test_raw_responses(sdk):
    raw = sdk.chat.completions.with_raw_response.create(model="echo", messages=HELLO)
    assert raw.headers["x-request-id"].startswith("req_")
    assert raw.headers["content-type"].startswith("application/json")
    assert raw.parse().choices[0].message.content == "Hello, big world"
    with sdk.chat.completions.with_streaming_response.create(
            model="echo", messages=HELLO, stream=True) as streamed:
        lines = list(streamed.iter_lines())
    assert lines[-2:] in (["data: [DONE]", ""], ["", "data: [DONE]"])


def test_stored_completions_have_ids(sdk):
    raw = sdk.chat.completions.with_raw_response.create(
        model="echo", messages=HELLO, store=True, metadata={"a": "b"})
    run, conversation = raw.headers["x-run-id"], raw.headers["x-conversation-id"]
    assert run.startswith("run_")
    assert sdk.conversations.retrieve(conversation).id == conversation
    items = list(sdk.conversations.items.list(conversation, order="asc"))
    assert [i.role for i in items] == ["user", "assistant"]


def keep(sdk, text, topic, model="echo", **more):
    return sdk.chat.completions.create(model=model, store=True, metadata={"topic": topic},
                                       messages=[{"role": "user", "content": text}], **more)


def test_stored_completions(sdk):
    made = keep(sdk, "Hello, big world", "read", temperature=0.2, tools=TOOLS, user="somebody")
    found = sdk.chat.completions.retrieve(made.id)
    assert found.id == made.id and found.choices[0].message.content == "Hello, big world"
    assert found.usage == made.usage and found.choices[0].finish_reason == "stop"
    assert found.metadata == {"topic": "read"} and found.temperature == 0.2
    assert found.tools == TOOLS and found.input_user == "somebody"
    asked = loose(sdk).chat.completions.messages.list(made.id).data  # the type knows the assistant's role alone
    assert [(m.id, m.role, m.content, m.content_parts) for m in asked] == [
        (made.id + "-0", "user", "Hello, big world", None)]
    changed = sdk.chat.completions.update(made.id, metadata={"topic": "changed"})
    assert changed.id == made.id and changed.metadata == {"topic": "changed"}
    gone = sdk.chat.completions.delete(made.id)
    assert gone.deleted and gone.id == made.id and gone.object == "chat.completion.deleted"
    with pytest.raises(openai.NotFoundError):
        sdk.chat.completions.retrieve(made.id)
    with pytest.raises(openai.NotFoundError):
        sdk.chat.completions.messages.list(made.id)


def test_a_stored_stream_is_found_by_its_id(sdk, script):
    s = script(*parallel_calls())
    with sdk.chat.completions.create(model=s.model, messages=HELLO, tools=TOOLS, stream=True,
                                     store=True) as stream:
        ids = {chunk.id for chunk in stream}
    found = sdk.chat.completions.retrieve(ids.pop())
    assert not ids and found.choices[0].finish_reason == "tool_calls"
    assert [c.id for c in found.choices[0].message.tool_calls] == ["call_a", "call_b"]


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_paging_through_stored_completions(sdk, order):
    topic = "pages " + order
    made = [keep(sdk, str(n), topic).id for n in range(7)]
    seen = []
    for one in sdk.chat.completions.list(metadata={"topic": topic}, order=order, limit=2):
        seen.append(one.id)
        if len(seen) < 4:
            made.append(keep(sdk, "later", topic).id)
    assert seen == (made if order == "asc" else made[6::-1])
    assert sdk.chat.completions.list(metadata={"topic": topic}, model="nobody").data == []
    assert len(sdk.chat.completions.list(metadata={"topic": topic}, model="echo").data) == 10
    raw = sdk.chat.completions.create(model="echo", store=True, messages=[
        {"role": "user", "content": str(n)} for n in range(7)])
    pages = loose(sdk).chat.completions.messages.list(raw.id, order=order, limit=3)
    said = [m.content for m in pages]
    assert said == sorted(map(str, range(7)), reverse=order == "desc")
    with pytest.raises(openai.BadRequestError) as error:
        sdk.chat.completions.list(after="chatcmpl-1")
    assert error.value.param == "after"


def test_paging_through_items(sdk):
    raw = sdk.chat.completions.with_raw_response.create(
        model="echo", store=True,
        messages=[{"role": "user", "content": str(i)} for i in range(7)])
    items = list(sdk.conversations.items.list(raw.headers["x-conversation-id"], limit=3))
    assert len(items) == 8 and len({i.id for i in items}) == 8


def said(text):
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def test_conversations_and_their_items(sdk):
    c = sdk.conversations.create(metadata={"topic": "demo"}, items=[
        {"type": "message", "role": "user", "content": "Hello!"}])
    assert c.object == "conversation" and c.metadata == {"topic": "demo"} and c.created_at > 0
    assert sdk.conversations.update(c.id, metadata={"topic": "other"}).metadata == {"topic": "other"}
    assert sdk.conversations.retrieve(c.id).metadata == {"topic": "other"}
    added = sdk.conversations.items.create(c.id, items=[
        said("How are you?"),
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "fine"}])
    assert [i.type for i in added.data] == ["message", "function_call", "function_call_output"]
    listed = list(sdk.conversations.items.list(c.id, order="asc", limit=1))
    assert [i.id for i in listed[1:]] == [i.id for i in added.data]
    assert listed[0].content[0].text == "Hello!"
    call = sdk.conversations.items.retrieve(added.data[1].id, conversation_id=c.id)
    assert (call.call_id, call.name) == ("c1", "f")
    left = sdk.conversations.items.delete(listed[0].id, conversation_id=c.id)
    assert left.id == c.id and left.object == "conversation"
    assert len(list(sdk.conversations.items.list(c.id))) == 3
    gone = sdk.conversations.delete(c.id)
    assert gone.deleted and gone.id == c.id and gone.object == "conversation.deleted"
    with pytest.raises(openai.NotFoundError):
        sdk.conversations.retrieve(c.id)
    assert sdk.conversations.create().metadata == {}


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_paging_while_items_come_in(sdk, order):
    c = sdk.conversations.create(items=[said(str(n)) for n in range(20)]).id
    seen = []
    for item in sdk.conversations.items.list(c, order=order, limit=3):
        seen.append(int(item.content[0].text))
        if len(seen) <= 10:
            sdk.conversations.items.create(c, items=[said(str(19 + len(seen)))])
    assert seen == (list(range(30)) if order == "asc" else list(range(19, -1, -1)))


def test_the_async_client(shared, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate), up.text("two"), *up.ending())

    async def talk():
        async with openai.AsyncOpenAI(base_url=shared.url + "/v1", api_key="x",
                                      max_retries=0, _strict_response_validation=True) as sdk:
            plain = await asyncio.gather(*[
                sdk.chat.completions.create(
                    model="echo", messages=[{"role": "user", "content": str(i)}])
                for i in range(20)])
            assert [p.choices[0].message.content for p in plain] == [str(i) for i in range(20)]
            got = []
            async for chunk in await sdk.chat.completions.create(
                    model=s.model, messages=HELLO, stream=True):
                got += [c.delta.content for c in chunk.choices if c.delta.content]
                if got == ["one"]:
                    gate.open()
            assert got == ["one", "two"]

    asyncio.run(talk())


def test_cancelling_an_async_call_closes_the_providers_connection(shared, script):
    gate = up.Gate()
    s = script(up.wait(gate))

    async def talk():
        async with openai.AsyncOpenAI(base_url=shared.url + "/v1", api_key="x",
                                      max_retries=0, _strict_response_validation=True) as sdk:
            task = asyncio.create_task(sdk.chat.completions.create(model=s.model, messages=HELLO))
            await asyncio.to_thread(gate.wait_reached)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(talk())
    s.wait().wait_closed()


def test_many_threads_share_one_client(sdk):
    results = []

    def ask(number):
        answer = sdk.chat.completions.create(
            model="echo", messages=[{"role": "user", "content": str(number)}])
        results.append(answer.choices[0].message.content == str(number))
    threads = [threading.Thread(target=ask, args=(i,)) for i in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 32


def test_files(sdk, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(b"Bring an umbrella.")
    made = [sdk.files.create(file=path, purpose="user_data"),
            sdk.files.create(file=("b.bin", bytes(1 << 20)), purpose="batch"),
            sdk.files.create(file=("c.png", b"\x89PNG", "image/png"), purpose="vision")]
    assert [(f.filename, f.bytes, f.purpose) for f in made] == [
        ("notes.txt", 18, "user_data"), ("b.bin", 1 << 20, "batch"), ("c.png", 4, "vision")]
    assert sdk.files.retrieve(made[0].id) == made[0]
    assert sdk.files.content(made[0].id).read() == b"Bring an umbrella."
    assert sdk.files.content(made[1].id).content == bytes(1 << 20)
    listed = [f.id for f in sdk.files.list(limit=1, order="asc")]  # page after page
    assert [id for id in listed if id in {f.id for f in made}] == [f.id for f in made]
    assert made[1].id in [f.id for f in sdk.files.list(purpose="batch")]
    assert sdk.files.wait_for_processing(made[0].id).status == "processed"
    for file in made:
        assert sdk.files.delete(file.id).deleted
    with pytest.raises(openai.NotFoundError):
        sdk.files.retrieve(made[0].id)
    with pytest.raises(openai.BadRequestError):
        sdk.files.create(file=("a", b""), purpose="fun")
