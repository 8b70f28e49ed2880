"""Known scalars of the wrong type are refused at their path, whatever the provider (R10)."""

import pytest

from ask import DIALECTS, WIRE
from client import Client

HI = [{"role": "user", "content": "hi"}]
NUMBER, BOOL, STRING, INTEGER = ["hot", True, [1]], ["yes", 1, {}], [7, True, ["x"]], ["7", True, 1.5]
CHAT = {
    "temperature": NUMBER, "top_p": NUMBER, "presence_penalty": NUMBER, "frequency_penalty": NUMBER, "seed": NUMBER,
    "logprobs": BOOL, "parallel_tool_calls": BOOL, "stream": BOOL, "store": BOOL,
    "reasoning_effort": STRING, "verbosity": STRING, "service_tier": STRING, "user": STRING,
    "safety_identifier": STRING, "prompt_cache_key": STRING, "prompt_cache_retention": STRING,
    "top_logprobs": INTEGER, "n": INTEGER, "max_tokens": INTEGER, "max_completion_tokens": INTEGER}
PROMPT = {"temperature": NUMBER, "top_p": NUMBER, "presence_penalty": NUMBER, "frequency_penalty": NUMBER, "seed": NUMBER,
          "user": STRING, "suffix": STRING, "stream": BOOL, "echo": BOOL, "n": INTEGER, "best_of": INTEGER,
          "max_tokens": INTEGER, "logprobs": INTEGER}
EMBED = {"user": STRING, "dimensions": INTEGER, "encoding_format": STRING}
MESSAGES = {"temperature": NUMBER, "top_p": NUMBER, "top_k": INTEGER, "max_tokens": INTEGER, "stream": BOOL,
            "service_tier": STRING}
ROUTES = {
    "/v1/chat/completions": ({"messages": HI}, CHAT), "/v1/completions": ({"prompt": "hi"}, PROMPT),
    "/v1/embeddings": ({"input": "hi"}, EMBED), "/v1/messages": ({"messages": HI, "max_tokens": 50}, MESSAGES)}
ROWS = [(path, base, key, value) for path, (base, members) in ROUTES.items() for key, values in members.items()
        for value in values]


@pytest.mark.parametrize("path, base, key, value", ROWS, ids=[f"{p}-{k}-{v}" for p, _, k, v in ROWS])
def test_a_wrong_type_is_refused_at_its_path(wild, script, path, base, key, value):
    s = script(WIRE["openai"].whole("ok"))
    error = wild.client.post(path, {**base, "model": s.under("openai"), key: value}).error(400, param=key)
    assert not s.exchanges and "must be" in error["message"]


@pytest.fixture(scope="module")
def echo(start_once):
    with Client(start_once({}).url) as client:
        yield client


@pytest.mark.parametrize("path, base, key", [(p, base, k) for p, (base, members) in ROUTES.items() for k in members])
def test_null_is_as_if_it_were_absent(echo, path, base, key):
    if key == "max_tokens" and path == "/v1/messages":
        return  # is required there
    echo.post(path, {**base, "model": "echo", key: None}).ok()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_spared(wild, script, dialect):
    s = script(WIRE[dialect].whole("ok"))
    said = wild.post("chat", dialect, s, {"messages": HI, "temperature": "hot"})
    assert (said.status, said.error["param"]) == (400, "temperature") and not s.exchanges


@pytest.mark.parametrize("member, rule", [
    ({"temperature": -9}, None), ({"top_p": 99}, None), ({"top_logprobs": 500}, "logprobs-pair top_logprobs"), ({"seed": 2 ** 64}, None),
    ({"reasoning_effort": "huge"}, "types reasoning_effort"), ({"service_tier": ""}, "types service_tier"),
    ({"max_tokens": -1}, None)])
def test_ranges_and_words_stay_the_providers_business(wild, script, member, rule):
    s = script(WIRE["openai"].whole("ok"), allows={rule: "the client's own words"} if rule else {})
    said = wild.post("chat", "openai", s, {"messages": HI, **member})
    assert said.status == 200 and member.items() <= s.request.json.items()
