"""Hooks and the cache of answers: a kept answer is looked at again, and one that was blocked is not kept."""

import pytest

import hook as hooks
import upstream as up
from client import Client
from fixtures import provider
from hook import allow, forbids, masks

USE = {"x-parley-cache": "use"}
BODY = {"model": "m", "messages": [{"role": "user", "content": "say it"}]}


@pytest.fixture
def cached(start, upstream, script):
    hook = hooks.Hook()
    s = script(up.either("the word is here"))
    g = start({"providers": [provider(upstream, "p")], "hooks": [hook.config(on=["request", "response"])],
               "models": [{"name": "m", "provider": "p", "upstream_model": s.name, "cache": {"ttl": "10m"}}]})
    with Client(g.url) as client:
        yield client, hook, s, g
    hook.close()


def ask(client, stream):
    """What the cache has done, the text (a stream's words end with spaces), the finish reason."""
    if not stream:
        reply = client.post("/v1/chat/completions", BODY, headers=USE).ok()
        choice = reply.json["choices"][0]
        return reply.headers["x-parley-cache"], (choice["message"]["content"] or "").rstrip(), choice["finish_reason"]
    with client.stream("/v1/chat/completions", {**BODY, "stream": True}, headers=USE) as stream:
        result = stream.headers["x-parley-cache"]
        chunks = [c["choices"][0] for c in stream.openai().chunks if c["choices"]]
    text = "".join(c["delta"].get("content") or "" for c in chunks)
    return result, text.rstrip(), next(c["finish_reason"] for c in reversed(chunks) if c["finish_reason"])


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_a_kept_answer_is_looked_at_again(cached, first, second):
    client, hook, s, _ = cached
    hook.judge = lambda a: allow()
    assert ask(client, first) == ("miss", "the word is here", "stop")
    asked = len(hook.asked)
    assert ask(client, second) == ("hit", "the word is here", "stop")
    assert [a.phase for a in hook.asked[asked:]][0] == "request" and hook.asked[-1].phase == "response"
    hook.judge = lambda a: forbids("word")(a) if a.phase == "response" else allow()  # the rules have changed
    result, text, finish = ask(client, second)
    assert (result, finish) == ("hit", "content_filter") and "word" not in text
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_what_was_not_let_out_is_not_kept(cached, stream):
    client, hook, s, _ = cached
    hook.judge = lambda a: forbids("word")(a) if a.phase == "response" else allow()
    assert ask(client, stream)[2] == "content_filter"
    hook.judge = lambda a: masks("word", "____")(a) if a.phase == "response" else allow()
    assert ask(client, stream) == ("miss", "the ____ is here", "stop")
    hook.judge = lambda a: allow()
    assert ask(client, stream) == ("hit", "the ____ is here", "stop"), "what is kept is what was let out"
    assert len(s.exchanges) == 2
