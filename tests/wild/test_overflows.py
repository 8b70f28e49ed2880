"""What providers say of a prompt that is too long, and of what only looks like it.

Each row: where the text comes from, the dialect that meets it, the status and the body.
"""

import json

import pytest

import upstream as up
from ask import DIALECTS

FAMILIES = ("chat", "messages", "responses", "native", "lmc")
VLLM = ("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the "
        "messages, 1000 in the completion). Please reduce the length of the messages or completion.")
LLAMA = {"error": {"code": 400, "type": "exceed_context_size_error",
                   "message": "request (5000 tokens) exceeds the available context size (4096 tokens), try "
                              "increasing it", "n_prompt_tokens": 5000, "n_ctx": 4096}}


def openai(message, code=None, type="invalid_request_error", param=None):
    return {"error": {"message": message, "type": type, "param": param, "code": code}}


def anthropic(message, type="invalid_request_error"):
    return {"type": "error", "error": {"type": type, "message": message}, "request_id": "req_1"}


def gemini(message):
    return {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}


# Sources: platform.openai.com/docs/guides/error-codes, vLLM's entrypoints/openai/serving_engine.py, llama.cpp's
# tools/server, api-docs.deepseek.com, openrouter.ai/docs, LiteLLM's exception_mapping_utils.py, Ollama's
# server/routes.go, docs.anthropic.com/en/api/errors, ai.google.dev/gemini-api/docs/troubleshooting,
# docs.mistral.ai, learn.microsoft.com (Azure OpenAI), docs.x.ai, platform.moonshot.cn, SGLang's tokenizer_manager.py.
OVERFLOWS = {
    "vLLM, flat": ("openai", 400, {"object": "error", "message": VLLM, "type": "BadRequestError",
                                   "param": None, "code": 400}),
    "vLLM, nested": ("openai", 400, {"error": {"message": VLLM, "type": "BadRequestError", "param": None,
                                               "code": 400}}),
    "vLLM, a long prompt": ("openai", 400, openai(
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that "
        "`max_model_len` is no smaller than the number of text tokens.", 400, "BadRequestError")),
    "llama.cpp": ("openai", 400, LLAMA),
    "llama.cpp, by its own words": ("openai", 400, {"error": {**LLAMA["error"],
                                                              "type": "invalid_request_error"}}),
    "llama-cpp-python": ("openai", 400, openai(
        "This model's maximum context length is 512 tokens. However, you requested 600 tokens (590 in the "
        "messages, 10 in the completion).", "context_length_exceeded")),
    "DeepSeek": ("openai", 400, openai(
        "This model's maximum context length is 65536 tokens. However, you requested 76000 tokens (72000 in "
        "the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
        "invalid_request_error")),
    "OpenRouter": ("openai", 400, {"error": {"code": 400, "message":
        "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens "
        "(39000 of text input, 1000 in the output). Please reduce the length of either one."}}),
    "LiteLLM": ("openai", 400, openai(
        "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: "
        "OpenAIException - the prompt does not fit", "400", None)),
    "OpenAI": ("openai", 400, openai(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 "
        "tokens. Please reduce the length of the messages.", "context_length_exceeded", param="messages")),
    "xAI": ("openai", 400, {"code": "Client specified an invalid argument", "error":
        "This model's maximum prompt length is 131072 but the request contains 150000 tokens."}),
    "Moonshot": ("openai", 400, openai(
        "Invalid request: Your request exceeded model token limit: 8192", None)),
    "SGLang": ("openai", 400, {"object": "error", "message":
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        "type": "BadRequestError", "param": None, "code": 400}),
    "Azure": ("azure", 400, openai(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. "
        "Please reduce the length of the messages.", "context_length_exceeded", param="messages")),
    "OpenAI's Responses": ("openai-responses", 400, openai(
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "context_length_exceeded", param="input")),
    "Mistral": ("mistral", 400, {"object": "error", "message":
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context "
        "length", "type": "invalid_request_prompt", "param": None, "code": "3051"}),
    "Anthropic": ("anthropic", 400, anthropic("prompt is too long: 208310 tokens > 200000 maximum")),
    "Anthropic, with max_tokens": ("anthropic", 400, anthropic(
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length "
        "or `max_tokens` and try again")),
    "Gemini": ("gemini", 400, gemini(
        "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).")),
    "Ollama": ("ollama", 400, {"error": json.dumps(LLAMA)}),
}
LOOK_ALIKES = {
    "too many tokens asked for": ("openai", 400, openai(
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you "
        "provided 100000.", "invalid_value", param="max_tokens")),
    "a text that is too long": ("openai", 400, openai(
        "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760, but "
        "got a string with length 10485761 instead.", "string_above_max_length")),
    "a limit of a minute": ("openai", 413, openai(
        "Request too large for model `m` in organization `org` on tokens per minute (TPM): Limit 6000, "
        "Requested 7000, please reduce your message size and try again.", "rate_limit_exceeded", "tokens")),
    "an unknown member": ("openai", 400, openai("Unrecognized request argument: context_length")),
    "a number as code": ("openai", 400, openai("the tool does not exist", "400", None)),
    "too many tokens asked of Claude": ("anthropic", 400, anthropic(
        "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for m")),
    "a body that is too large": ("anthropic", 413, anthropic(
        "Request exceeds the maximum size", "request_too_large")),
    "a payload that is too large": ("gemini", 400, gemini(
        "Request payload size exceeds the limit: 20971520 bytes.")),
    "too many tokens asked of Gemini": ("gemini", 400, gemini(
        "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range "
        "is from 1 (inclusive) to 65537 (exclusive).")),
    "Mistral's tools": ("mistral", 400, {"object": "error", "message": "Tool call id was too long",
                                         "type": "invalid_request_error", "param": None, "code": "3280"}),
    "Qwen's max_tokens": ("openai", 400, openai("Range of max_tokens should be [1, 8192]",
                                                "invalid_parameter_error")),
    "an image that is too large": ("ollama", 400, {"error": "image exceeds the maximum size"}),
    "a function's name": ("openai-responses", 400, openai(
        "Invalid 'tools[0].name': string too long. Expected a string with maximum length 64", None,
        param="tools[0].name")),
    "an image of Azure": ("azure", 400, openai("Invalid image: it exceeds the maximum size",
                                               "image_too_large")),
}


def code_of(family, said):
    return said.error["details"]["error_code"] if family == "messages" else said.error["code"]


@pytest.mark.parametrize("name", OVERFLOWS)
def test_a_prompt_that_is_too_long(wild, script, name, stream):
    """D13, R3"""
    dialect, status, body = OVERFLOWS[name]
    for family in FAMILIES:
        said = wild.ask(family, dialect, script(up.reply(body, status)), stream)
        if family == "messages" and dialect == "anthropic":
            assert said.status == 400  # the provider's own words
            continue
        assert said.status == 400 and code_of(family, said) == "context_length_exceeded", (family, said)
        if family == "messages":
            assert said.error["message"].lower().startswith("prompt is too long"), said
            assert said.error["message"].lower().count("prompt is too long") == 1


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_what_only_looks_like_it(wild, script, name):
    dialect, status, body = LOOK_ALIKES[name]
    for family in FAMILIES:
        said = wild.ask(family, dialect, script(up.reply(body, status)))
        assert said.status == status, (family, said)
        assert "context_length_exceeded" not in json.dumps(said.body), (family, said)
        assert "prompt is too long" not in json.dumps(said.body)


def test_a_code_that_is_only_a_number_says_nothing(wild, script):
    """R3"""
    dialect, status, body = LOOK_ALIKES["a number as code"]
    said = wild.ask("chat", dialect, script(up.reply(body, status)))
    assert said.error["code"] == "upstream_rejected"


@pytest.mark.parametrize("family", FAMILIES)
def test_in_a_stream(wild, script, family):
    """vLLM may find it after the head went out: an error event without a status."""
    error = {"error": {"message": VLLM, "type": "BadRequestError"}}
    said = wild.ask(family, "openai", script(up.sse(), up.data(error), up.data("[DONE]"), up.end()), stream=True)
    assert said.status == 400 and code_of(family, said) == "context_length_exceeded", said


@pytest.fixture(scope="module")
def once(make_wild):
    """Each target is asked once, however often it fails."""
    return make_wild(options={d: {"retries": 0, "health": {"failures": 0, "cooling": "0s"}} for d in DIALECTS})


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_when_to_come_back(once, script, status, dialect):
    """D45: the wait is passed on with each status that a later try may mend; 529 is a 503 on chat."""
    steps = up.reply({"error": {"message": "later", "type": "overloaded_error"}}, status,
                     headers=[("Retry-After", "7")])
    said = once.ask("chat", dialect, script(steps))
    assert said.headers["retry-after"] == "7", said
    assert said.status == {500: 502, 529: 503}.get(status, status)
    assert once.ask("messages", dialect, script(steps)).headers["retry-after"] == "7"
