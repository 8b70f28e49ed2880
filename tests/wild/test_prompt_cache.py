"""`prompt_cache: auto`: the member by which a provider keeps what the calls of a session begin with.

OpenAI's `prompt_cache_key` (openai 2.x, CompletionCreateParams; Mistral's API reference), and Anthropic's top-level
`cache_control`, by which the last block that can be marked counts as marked.
"""

import pytest

from ask import DIALECTS, FAMILIES, WIRE, question

KEYED = ("openai", "azure", "mistral", "openai-responses")
NATIVE = {("messages", "anthropic"), ("responses", "openai-responses")}  # the client's own words go on as they are
SESSION = {"x-parley-session": "s-1"}
MARK = {"type": "ephemeral"}


@pytest.fixture(scope="module")
def cached(make_wild):
    return make_wild(models={d: {"prompt_cache": "auto"} for d in DIALECTS})


def sent(wild, script, family, dialect, stream=False, headers=SESSION, **more):
    wire = WIRE[dialect]
    s = script(wire.say("ok") if stream else wire.whole("ok"))
    said = wild.post(family, dialect, s, {**question(family), **more}, stream, headers)
    assert said.status == 200 and not said.codes, said
    return s.request.json


@pytest.mark.parametrize("family", FAMILIES)
def test_the_member_of_each_dialect(cached, script, family, dialect, stream):
    body = sent(cached, script, family, dialect, stream)
    if (family, dialect) in NATIVE:
        assert "prompt_cache_key" not in body and "cache_control" not in body
        return
    if dialect in KEYED:
        assert body["prompt_cache_key"].startswith("parley-") and len(body["prompt_cache_key"]) == 23
        again = sent(cached, script, family, dialect, stream)
        assert again["prompt_cache_key"] == body["prompt_cache_key"]
        other = sent(cached, script, family, dialect, stream, headers={"x-parley-session": "s-2"})
        assert other["prompt_cache_key"] != body["prompt_cache_key"]
    else:
        assert "prompt_cache_key" not in body
    assert body.get("cache_control") == (MARK if dialect == "anthropic" else None)


@pytest.mark.parametrize("dialect", KEYED)
def test_without_a_session_there_is_no_key(cached, script, dialect, stream):
    assert "prompt_cache_key" not in sent(cached, script, "chat", dialect, stream, headers={})


@pytest.mark.parametrize("dialect", KEYED)
def test_the_client_s_own_key_wins(cached, script, dialect, stream):
    assert sent(cached, script, "chat", dialect, stream, prompt_cache_key="mine")["prompt_cache_key"] == "mine"


def test_the_client_s_own_mark_wins(cached, script, stream):
    part = {"type": "text", "text": "long", "cache_control": MARK}
    body = sent(cached, script, "chat", "anthropic", stream, messages=[{"role": "user", "content": [part]}])
    assert "cache_control" not in body
    assert body["messages"][0]["content"][0]["cache_control"] == MARK


@pytest.mark.parametrize("family", ["chat", "responses"])
def test_another_api_s_key_is_no_mark(cached, script, family, stream):
    wire = WIRE["anthropic"]
    s = script(wire.say("ok") if stream else wire.whole("ok"))
    said = cached.post(family, "anthropic", s, {**question(family), "prompt_cache_key": "mine"}, stream, SESSION)
    assert said.status == 200
    assert s.request.json["cache_control"] == MARK and "prompt_cache_key" not in s.request.json


@pytest.mark.parametrize("dialect", ["mistral", "openai-responses"])
def test_another_api_s_mark_is_no_key(cached, script, dialect, stream):
    """These have no such mark: it is left out."""
    wire = WIRE[dialect]
    s = script(wire.say("ok") if stream else wire.whole("ok"))
    part = {"type": "text", "text": "long", "cache_control": MARK}
    body = {**question("chat"), "messages": [{"role": "user", "content": [part]}]}
    assert cached.post("chat", dialect, s, body, stream, SESSION).status == 200
    assert s.request.json["prompt_cache_key"].startswith("parley-") and "cache_control" not in str(s.request.json)


def test_a_stored_conversation_is_a_session(cached, script):
    s = script(WIRE["openai"].whole("ok"))
    first = cached.client.post("/v1/chat", {"messages": ["hi"], "config": {"model": s.under("openai")}}).ok()
    cached.client.post("/v1/chat", {"messages": ["more"], "config": {"model": s.under("openai")},
                                    "conversation": first.json["conversation"]}).ok()
    cached.client.post("/v1/chat", {"messages": ["hi"], "config": {"model": s.under("openai")}}).ok()
    key = [x.request.json["prompt_cache_key"] for x in s.exchanges]
    assert key[0] == key[1] != key[2]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_is_added_where_the_model_does_not_say_so(wild, script, dialect, stream):
    body = sent(wild, script, "chat", dialect, stream)
    assert "prompt_cache_key" not in body and "cache_control" not in body
