"""Mistral's chat completions and embeddings."""

import re

from strict.openai_chat import calls
from strict.rules import rule
from strict.types import strict_validator, types_of

COMMON = "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py"


@types_of("mistral")
def _chat(beta):
    from mistralai.client import models
    from mistralai.client._version import __version__
    return (strict_validator(models.ChatCompletionRequest),
            f"mistralai {__version__}, models/chatcompletionrequest.py")


@types_of("mistral.embeddings")
def _embeddings(beta):
    from mistralai.client import models
    from mistralai.client._version import __version__
    return (strict_validator(models.EmbeddingRequest), f"mistralai {__version__}, models/embeddingrequest.py")


ID = re.compile(r"[a-zA-Z0-9]{9}")
AFTER = {"system": {"user", "assistant", "system"}, "user": {"assistant", "system", "user"},
         "assistant": {"assistant", "user", "tool"}, "tool": {"assistant", "tool"}}


@rule("nine-characters", "mistral", COMMON)
def _(body):
    for i, message in enumerate(body["messages"]):
        for k, call in enumerate(calls(message)):
            if not ID.fullmatch(call.get("id", "")):
                yield f"messages.{i}.tool_calls.{k}.id", f"is not {ID.pattern}"
        if message["role"] == "tool" and not ID.fullmatch(message.get("tool_call_id") or ""):
            yield f"messages.{i}.tool_call_id", f"is not {ID.pattern}"


@rule("role-order", "mistral", COMMON + " and https://github.com/datapizza-labs/datapizza-ai/issues/98 (code 3230)")
def _(body):
    messages = body["messages"]
    for i in range(1, len(messages)):
        before, role = messages[i - 1]["role"], messages[i]["role"]
        if role not in AFTER[before]:
            yield f"messages.{i}.role", f"{role} after {before}"
    last = messages[-1] if messages else {"role": "user"}
    if last["role"] not in ("user", "tool", "system") and not last.get("prefix"):
        yield f"messages.{len(messages) - 1}.role", f"the last message is of role {last['role']}"


@rule("call-count", "mistral", COMMON)
def _(body):
    """As many results as calls, each of one of them."""
    waiting, last = [], 0
    for i, message in enumerate([*body["messages"], {"role": "end"}]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                yield f"messages.{i}.tool_call_id", "answers no call"
            else:
                waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            yield f"messages.{last}.tool_calls", f"calls without a result: {waiting}"
        waiting, last = [c.get("id") for c in calls(message)], i


@rule("assistant-says", "mistral", COMMON + " (either content or tool_calls)")
def _(body):
    for i, message in enumerate(body["messages"]):
        if message["role"] == "assistant" and not message.get("content") and not message.get("tool_calls"):
            yield f"messages.{i}", "an assistant's message of nothing"


@rule("prefix-last", "mistral", COMMON)
def _(body):
    for i, message in enumerate(body["messages"][:-1]):
        if message.get("prefix"):
            yield f"messages.{i}.prefix", "only the last message is a prefix"
