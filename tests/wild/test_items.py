"""Each kind of item of a response, block of a message and message of a chat, from the published types, to each dialect.

What is said by it arrives, or a warning tells of it, or the gateway refuses it at its place; nothing is lost without
a word, and nothing is sent that a provider refuses.
"""

import pytest
from anthropic.types.beta import BetaContentBlockParam
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam

from ask import WIRE
from cross import answer, ask, changes
from variants import values

CALL = {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": '{"city":"Oslo"}'}
CUSTOM = {"type": "custom_tool_call", "call_id": "call_1", "name": "get_weather", "input": "Oslo"}
USE = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
USER = {"role": "user", "content": "hi"}
ASSISTANTS = {"thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use", "fallback", "compaction"}
TOOL_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
# A call needs its result, and a result its call.
AROUND = {"function_call": ([], [{"type": "function_call_output", "call_id": "call_1", "output": "rain"}]),
          "custom_tool_call": ([], [{"type": "custom_tool_call_output", "call_id": "call_1", "output": "rain"}]),
          "function_call_output": ([CALL], []), "custom_tool_call_output": ([CUSTOM], [])}

# (API, labels, dialects): why; what is lost, or refused by the provider, today.  Strict.
EXPECTED = {}


def items():
    """(label, body without it, body with it) of an input."""
    for label, item in values(ResponseInputItemParam):
        kind = label.removesuffix(", full")
        if kind in ("item_reference", "object"):  # they need what is stored
            continue
        item = {k: v for k, v in item.items() if v is not None}
        if kind in AROUND:
            item["call_id"] = "call_1"
        before, after = AROUND.get(kind, ([], []))
        yield label, {"input": [USER], "store": False}, \
            {"input": [USER, *before, item, *after, {"role": "user", "content": "go on"}], "store": False}


def blocks():
    for label, block in values(BetaContentBlockParam):
        kind = label.removesuffix(", full")
        start = [USER]
        if kind == "tool_result":
            block = {**block, "tool_use_id": "toolu_1"}
            start += [{"role": "assistant", "content": [USE]}]
            said = [{"role": "user", "content": [block, {"type": "text", "text": "go on"}]}]
        elif kind in ASSISTANTS or kind.endswith("_result") and kind != "search_result":
            block = {**block, **({"id": "toolu_1"} if "id" in block else {})}
            said = [{"role": "assistant", "content": [block, {"type": "text", "text": "so"}]}, USER]
            if kind == "tool_use":
                said = [{"role": "assistant", "content": [block]}, {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "rain"}]}]
        else:
            said = [{"role": "user", "content": [block]}]
        yield label, {"max_tokens": 5000, "messages": [USER]}, {"max_tokens": 5000, "messages": [*start, *said]}


def messages():
    for label, message in values(ChatCompletionMessageParam):
        kind, before, after = label.removesuffix(", full"), [USER], [USER]
        message = {k: v for k, v in message.items() if k not in ("audio", "function_call", "refusal")}
        if kind == "tool":
            before = [USER, {"role": "assistant", "tool_calls": [TOOL_CALL]}]
            message["tool_call_id"] = "call_1"
        elif kind == "function":
            before = [USER, {"role": "assistant", "content": None, "function_call": TOOL_CALL["function"]}]
        elif kind == "assistant":
            message.pop("tool_calls", None)
            message["content"] = "so"
        yield label, {"messages": [USER]}, {"messages": [*before, message, *after]}


KINDS = {"responses": items, "messages": blocks, "chat": messages}


def what(without, this):
    if this.broken:
        return f"breaks {this.broken[0]}"
    if this.status != 200:
        place = this.error["param"] or ""
        return "refused" if this.status == 400 and place.startswith(("input", "messages")) else \
            f"{this.status} at {place}: {this.error['message'][:100]}"
    if this.error:
        return f"broken: {this.error['message'][:100]}"
    return "warned" if this.warnings else "arrives" if list(changes(without.sent, this.sent)) else "lost"


def why_not(family, label, dialect):
    return next((why for (whose, labels, dialects), why in EXPECTED.items() if whose in (None, family)
                 and label.removesuffix(", full") in labels and dialect in dialects), None)


@pytest.mark.parametrize("family", KINDS)
def test_each_kind(wild, script, family, dialect):
    if (family, dialect) in (("messages", "anthropic"), ("responses", "openai-responses")):
        pytest.skip("goes as it is, and made values are refused")
    s, wrong = script(answer(WIRE[dialect])), []
    for label, without, body in KINDS[family]():
        base = ask(wild.client, s, family, dialect, without, False)
        got, why = what(base, ask(wild.client, s, family, dialect, body, False)), why_not(family, label, dialect)
        if (got in ("arrives", "warned", "refused")) == bool(why):
            wrong.append(f"{label}: {got}" + (f", and no longer: {why}" if why else ""))
    assert not wrong, f"{family} > {dialect}:\n" + "\n".join(wrong)
