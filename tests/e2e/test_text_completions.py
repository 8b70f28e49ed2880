"""POST /v1/completions: a prompt instead of messages."""

import json

import openai
import pytest
from openai.types import Completion

import upstream as up
from client import Client
from fixtures import provider
from waiting import DEADLINE
from wires import WIRES

PATH = "/v1/completions"


@pytest.fixture
def sdk(shared):
    with openai.OpenAI(base_url=f"{shared.url}/v1", api_key="x", timeout=DEADLINE,
                       max_retries=0, _strict_response_validation=True) as client:
        yield client


def checked(answer):
    Completion.model_validate_json(json.dumps(answer), strict=True)
    return answer


def streamed(client, body):
    with client.stream(PATH, {**body, "stream": True}) as stream:
        stream.check_head()
        blocks = [b.data for b in stream if not b.is_comment]
    last = blocks.pop()
    chunks = [json.loads(b) for b in blocks]
    for chunk in chunks:
        assert chunk["object"] == "text_completion" and chunk["id"].startswith("cmpl-")
    assert len({c["id"] for c in chunks}) == 1
    return chunks, last if last == "[DONE]" else json.loads(last)


def text_of(chunks):
    return "".join(choice["text"] for c in chunks for choice in c["choices"])


def test_the_sdk(sdk):
    answer = sdk.completions.create(model="echo", prompt="Hello, big world")
    assert answer.choices[0].text == "Hello, big world"
    assert (answer.choices[0].finish_reason, answer.usage.completion_tokens) == ("stop", 3)
    # The package's type of a chunk wants a reason in each, OpenAI's API gives it in the last one.
    loose = sdk.with_options(_extra_kwargs={"_strict_response_validation": False})
    chunks = list(loose.completions.create(model="echo", prompt=["Hello, big world"], stream=True,
                                           stream_options={"include_usage": True}))
    assert "".join(c.choices[0].text for c in chunks if c.choices) == "Hello, big world"
    assert chunks[-1].usage.total_tokens == 6
    with pytest.raises(openai.NotFoundError):
        sdk.completions.create(model="nobody", prompt="x")


def test_the_prompt_is_a_message(client, script):
    s = script(up.either("ok"), allows={"types own": "a member that nobody knows"})
    body = (b'{"model":"%s","prompt":"h\\u00e9","temperature": 0.10,"stop":["a"],"max_tokens":7,'
            b'"own":{"a":[1.0]}}' % s.model.encode())
    answer = checked(client.post(PATH, body).ok().json)
    assert answer["choices"][0]["text"] == "ok" and answer["model"] == s.model
    assert b'{"role":"user","content":"h\\u00e9"}' in s.request.body
    assert b'"temperature": 0.10' in s.request.body and b'"own":{"a":[1.0]}' in s.request.body
    got = s.request.json
    assert 7 in (got.get("max_tokens"), got.get("max_completion_tokens"))
    assert len(got["messages"]) == 1 and "prompt" not in got


@pytest.mark.parametrize("wire", WIRES, ids=lambda w: w.dialect)
def test_every_dialect(start, upstream, script, wire):
    whole, said = script(wire.whole("Hi ü")), script(wire.say("Hi ", "ü"))
    gateway = start({"providers": [provider(upstream, "p", dialect=wire.dialect)], "models": [
        {"name": s.name, "provider": "p"} for s in (whole, said)]})
    with Client(gateway.url) as client:
        answer = checked(client.post(PATH, {"model": whole.name, "prompt": "x"}).ok().json)
        assert answer["choices"][0]["text"] == "Hi ü"
        chunks, last = streamed(client, {"model": said.name, "prompt": "x"})
        assert text_of(chunks) == "Hi ü" and last == "[DONE]"
        assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
        assert not any("usage" in c for c in chunks)


@pytest.mark.parametrize("more, param", [
    ({"suffix": "x"}, "suffix"), ({"echo": True}, "echo"), ({"logprobs": 1}, "logprobs"),
    ({"best_of": 2}, "best_of"), ({"n": 2}, "n"), ({"prompt": ["a", "b"]}, "prompt"),
    ({"n": 129}, "n"), ({"prompt": [1, 2]}, "prompt"), ({"prompt": [[1]]}, "prompt"), ({"prompt": []}, "prompt"),
    ({"prompt": None}, "prompt"), ({"prompt": 1}, "prompt"),
])
def test_what_is_refused(client, more, param):
    client.post(PATH, {"model": "echo", "prompt": "x", **more}).error(400, param=param)


def test_members_that_mean_nothing_are_taken(client):
    client.post(PATH, {"model": "echo", "prompt": "x", "suffix": "", "echo": False, "n": 1,
                       "best_of": 1, "logprobs": None, "store": True}).ok()


def test_a_stream_that_breaks(client, script):
    s = script(up.sse(), up.role(), up.text("so far"), up.hang_up())
    chunks, last = streamed(client, {"model": s.model, "prompt": "x"})
    assert text_of(chunks) == "so far" and last["error"]["code"] == "stream_incomplete"


def test_failures_and_keys_are_those_of_chats(client, script):
    s = script(up.reply({"error": {"message": "no", "type": "t", "code": "c"}}, 400))
    client.post(PATH, {"model": s.model, "prompt": "x"}).error(400, "c", type="t")
    s = script(up.reply(up.completion("one")))
    first, again = (client.post(PATH, {"model": s.model, "prompt": "x"},
                                headers={"Idempotency-Key": s.name}).ok() for _ in range(2))
    assert first.body == again.body and len(s.exchanges) == 1
    assert "x-conversation-id" not in first.headers


@pytest.mark.parametrize("finish, reason", [("length", "length"), ("tool_calls", "stop"),
                                            ("content_filter", "content_filter")])
def test_reasons(client, script, finish, reason):
    s = script(up.in_turn(up.reply(up.completion("x", finish)), up.stream("x", finish=finish)))
    answer = checked(client.post(PATH, {"model": s.model, "prompt": "x"}).ok().json)
    assert answer["choices"][0]["finish_reason"] == reason
    chunks, _ = streamed(client, {"model": s.model, "prompt": "x"})
    assert chunks[-1]["choices"][0]["finish_reason"] == reason


def test_a_providers_refusal_names_the_prompt(client, script):
    for theirs in ("messages[0].content", "messages"):
        s = script(up.reply({"error": {"message": "odd", "param": theirs}}, status=400))
        client.post(PATH, {"model": s.model, "prompt": "x"}).error(400, param="prompt")


# --- a provider that completes prompts itself ------------------------------------------------------

USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


def answer(*texts, finish="stop", **more):
    return {"id": "cmpl-theirs", "object": "text_completion", "created": 7, "model": "inside",
            "choices": [{"index": n, "text": text, "logprobs": None, "finish_reason": finish}
                        for n, text in enumerate(texts)], **more}


@pytest.fixture(scope="module")
def passing(start_once, upstream):
    gateway = start_once({
        "providers": [provider(upstream, "p", completions=True),
                      provider(upstream, "azure", dialect="azure", completions=True),
                      provider(upstream, "old", completions=True, stream_usage=False)],
        "models": [{"name": f"{name}/*", "provider": name} for name in ("p", "azure", "old")]})
    with Client(gateway.url) as client:
        yield client


ODD = {"prompt": [[1, 2], [3]], "suffix": " end", "echo": True, "best_of": 3, "n": 2,
       "logprobs": 5, "max_tokens": 4, "store": True, "own": {"a": [1.0]}, "temperature": 0}


@pytest.mark.parametrize("prefix, path", [
    ("p", "/v1/completions"), ("azure", "/v1/completions")])
def test_a_request_is_passed_on(passing, script, prefix, path):
    theirs = answer("a", "b", usage=USAGE, own=[1])
    s = script(up.reply(theirs), allows={f"types {name}": "the client's own" for name in ("own", "store")})
    reply = passing.post(PATH, {"model": s.under(prefix), **ODD}).ok()
    assert reply.json == theirs
    assert s.request.target == path
    assert s.request.json == {"model": s.name, **ODD}


def test_a_classic_azure_address(start, upstream, script):
    gateway = start({"providers": [provider(upstream, "p", dialect="azure", completions=True)
                                   | {"base_url": upstream.url.removesuffix("/v1")}],
                     "models": [{"name": "m", "provider": "p", "upstream_model": "deployed"}]})
    script = upstream.script(up.reply(answer("a")), name="deployed")
    with Client(gateway.url) as client:
        client.post(PATH, {"model": "m", "prompt": "x"}).ok()
    assert script.request.target == "/openai/deployments/deployed/completions"


def said(*texts, finish=None, **more):
    return up.data(answer(*texts, finish=finish, **more))


@pytest.mark.parametrize("asks", [False, True])
def test_a_stream_is_passed_on(passing, script, asks):
    logprobs = answer("two ")
    logprobs["choices"][0] |= {"logprobs": {"tokens": ["two "]}, "finish_reason": None}
    s = script(up.sse(), said("one "), up.data(logprobs), said("", finish="length"),
               up.data(answer(usage=USAGE)), up.data("[DONE]"), up.end())
    body = {"model": s.under("p"), "prompt": "x", "stream": True, "logprobs": 1}
    if asks:
        body["stream_options"] = {"include_usage": True}
    with passing.stream(PATH, body) as stream:
        blocks = [b.data for b in stream.check_head() if not b.is_comment]
    assert blocks.pop() == "[DONE]"
    chunks = [json.loads(b) for b in blocks]
    assert chunks[:3] == [answer("one ", finish=None), logprobs, answer("", finish="length")]
    assert chunks[3:] == ([answer(usage=USAGE)] if asks else [])
    assert s.request.json == {**body, "model": s.name, "stream_options": {"include_usage": True}}


def test_a_stream_of_several_answers(passing, script):
    def choice(index, text, finish=None):
        made = answer(text, finish=finish)
        made["choices"][0]["index"] = index
        return made
    chunks = [choice(1, "b"), choice(0, "a"), choice(1, "", "stop"), choice(0, "", "stop")]
    s = script(up.sse(), *[up.data(c) for c in chunks], up.data("[DONE]"), up.end())
    with passing.stream(PATH, {"model": s.under("old"), "prompt": ["x", "y"],
                               "stream": True}) as stream:
        blocks = [b.data for b in stream.check_head() if not b.is_comment]
    assert [json.loads(b) for b in blocks[:-1]] == chunks and blocks[-1] == "[DONE]"
    assert "stream_options" not in s.request.json


def test_a_stream_that_breaks_off_is_told(passing, script):
    for steps in ([said("one "), up.hang_up()], [said("one "), up.data("[DONE]"), up.end()]):
        s = script(up.sse(), *steps)
        with passing.stream(PATH, {"model": s.under("p"), "prompt": "x", "stream": True}) as stream:
            blocks = [b.data for b in stream.check_head() if not b.is_comment]
        assert json.loads(blocks[0]) == answer("one ", finish=None)
        assert json.loads(blocks[-1])["error"]["code"] == "stream_incomplete"


def test_answers_that_are_none(passing, script):
    for bad in ({"id": "x"}, {"choices": [3]}, {"choices": [{"index": -1, "text": "x"}]}, []):
        s = script(up.reply(bad))
        passing.post(PATH, {"model": s.under("p"), "prompt": "x"}).error(502)
    s = script(up.reply({"error": {"message": "no", "param": "suffix", "code": "c"}}, 400))
    passing.post(PATH, {"model": s.under("p"), "prompt": "x"}).error(400, "c", "suffix")


@pytest.mark.parametrize("prompt, param", [
    ([], "prompt"), (["a", 1], "prompt[1]"), ([[1], [-1]], "prompt[1][0]"), ([{}], "prompt"),
    ({}, "prompt"), ([[]], "prompt[0]"),
])
def test_prompts_that_are_none(passing, script, prompt, param):
    passing.post(PATH, {"model": "p/x", "prompt": prompt}).error(400, param=param)


def test_a_key_gets_the_passed_answer_again(passing, script):
    s = script(up.in_turn([up.reply(answer("a", usage=USAGE))]))
    first, again = (passing.post(PATH, {"model": s.under("p"), "prompt": "x"},
                                 headers={"Idempotency-Key": s.name}).ok() for _ in range(2))
    assert first.body == again.body and len(s.exchanges) == 1
    s = script(up.sse(), said("one "), said("", finish="stop"), up.data("[DONE]"), up.end())
    seen = []
    for _ in range(2):
        with passing.stream(PATH, {"model": s.under("p"), "prompt": "x", "stream": True},
                            {"Idempotency-Key": s.name}) as stream:
            seen.append([b.data for b in stream.check_head() if not b.is_comment])
    assert seen[0] == seen[1] and len(s.exchanges) == 1


def test_the_option_needs_a_dialect_that_has_them(start, upstream):
    gateway = start({"providers": [provider(upstream, "p", dialect="anthropic", completions=True)]},
                    ready=False)
    code, log = gateway.fails_to_start()
    assert code == 78 and "no completions of a prompt" in log
