"""The vectors of the translation: read, their streams cut into chunks, answers compared."""

import json
import random
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "lmc"
SUITES = ("lmc_to_openai", "openai_to_lmc", "stream_openai_to_lmc", "stream_lmc_to_openai",
          "chunk_accumulation")


def load(suite):
    found = json.loads((FOLDER / f"{suite}.json").read_text(encoding="utf-8"))
    assert found["suite"] == suite
    return found["vectors"]


# --- cuts: a text in, its pieces out --------------------------------------------------------------


def whole(text):
    return [text] if text else []


def points(text):
    return list(text)


def at_random(seed):
    source = random.Random(seed)

    def cut(text):
        pieces, at = [], 0
        while at < len(text):
            n = source.choice((1, 1, 2, 3, 5, 8, 13))
            pieces.append(text[at:at + n])
            at += n
        return pieces
    return cut


# --- streams --------------------------------------------------------------------------------------


def chunk(delta, finish_reason=None):
    return {"id": "chatcmpl-v", "object": "chat.completion.chunk", "created": 1700000000,
            "model": "test-model",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def _tool(tool, cut):
    entry = {"index": tool["index"]}
    if "name" in tool:
        yield chunk({"tool_calls": [{**entry, "id": tool["id"], "type": "function",
                                     "function": {"name": tool["name"]}}]})
    for piece in cut(tool.get("arguments", "")):
        yield chunk({"tool_calls": [{**entry, "function": {"arguments": piece}}]})


def _legacy(call, cut):
    if "name" in call:
        yield chunk({"function_call": {"name": call["name"]}})
    for piece in cut(call.get("arguments", "")):
        yield chunk({"function_call": {"arguments": piece}})


def chunks(stream, cut):
    """The chunks that a stream stands for, with its texts cut."""
    made = [chunk({"role": "assistant"})]
    for piece in stream:
        (kind, value), = piece.items()
        if kind == "text":
            made += [chunk({"content": text}) for text in cut(value)]
        elif kind == "tool":
            made += _tool(value, cut)
        elif kind == "legacy":
            made += _legacy(value, cut)
        else:
            assert kind == "raw", kind
            made.append(value)
    kinds = {kind for piece in stream for kind in piece}
    reason = ("tool_calls" if "tool" in kinds else "function_call" if "legacy" in kinds else "stop")
    return made + [chunk({}, reason)]


# --- comparison -----------------------------------------------------------------------------------


def same(expected, actual, where="answer", key=None):
    """Equal by structure; arguments that are expected as an object stand for JSON text."""
    if key == "arguments" and isinstance(expected, dict):
        assert isinstance(actual, str), f"{where} is no string: {actual!r}"
        return same(expected, json.loads(actual), where)
    if isinstance(expected, dict):
        assert isinstance(actual, dict), f"{where} is no object: {actual!r}"
        assert set(expected) == set(actual), f"{where}: {actual!r} instead of {expected!r}"
        for name, value in expected.items():
            same(value, actual[name], f"{where}.{name}", name)
    elif isinstance(expected, list):
        assert isinstance(actual, list), f"{where} is no array: {actual!r}"
        assert len(actual) == len(expected), f"{where}: {actual!r} instead of {expected!r}"
        for n, value in enumerate(expected):
            same(value, actual[n], f"{where}[{n}]")
    else:
        # true is no 1
        assert type(expected) is type(actual) and expected == actual, \
            f"{where}: {actual!r} instead of {expected!r}"
    return True


def renamed(messages):
    """OpenAI messages with their calls' ids as T1, T2, …; each call has an id of its own."""
    names = {}
    made = []
    for message in messages:
        message = dict(message)
        if "tool_calls" in message:
            calls = []
            for call in message["tool_calls"]:
                assert isinstance(call["id"], str) and call["id"], f"a call without id: {call}"
                assert call["id"] not in names, f"two calls have the id {call['id']}"
                names[call["id"]] = f"T{len(names) + 1}"
                calls.append({**call, "id": names[call["id"]]})
            message["tool_calls"] = calls
        if "tool_call_id" in message:
            assert message["tool_call_id"] in names, f"an answer to no call: {message}"
            message["tool_call_id"] = names[message["tool_call_id"]]
        made.append(message)
    return made


def merged(messages):
    """Both forms of an assistant's text in front of a call as one (L14)."""
    made = []
    for message in messages:
        before = made[-1] if made else {}
        if (message.get("role") == "assistant" and message.get("tool_calls") and
                message.get("content") == "" and before.get("role") == "assistant" and
                "tool_calls" not in before and isinstance(before.get("content"), str)):
            made[-1] = {**message, "content": before["content"]}
        else:
            made.append(message)
    return made


def normal(messages, to):
    return merged(renamed(messages)) if to == "openai" else messages


def together(lmc_chunks):
    """The messages of LMC chunks that obey K6."""
    messages, current = [], None
    for one in lmc_chunks:
        kind, = {"start", "content", "end"} & set(one)  # exactly one of them
        assert isinstance(one[kind], str) and one[kind] if kind == "content" else one[kind] is True
        head = {k: v for k, v in one.items() if k != kind}
        assert set(head) in ({"role", "type"}, {"role", "type", "format"}), one
        if kind == "start":
            assert current is None, f"a message begins inside another: {one}"
            current = {**head, "content": ""}
            continue
        assert current is not None, f"outside a message: {one}"
        assert head == {k: v for k, v in current.items() if k != "content"}, one
        if kind == "content":
            current["content"] += one["content"]
        else:
            messages.append(current)
            current = None
    assert current is None, "a message is not ended"
    return [paired(m) for m in messages]


def paired(message):
    """Halves of a surrogate pair that came in two chunks are one character."""
    return json.loads(json.dumps(message))


def spoken(openai_chunks):
    """(text, tool_calls, finish_reason) of OpenAI chunks that obey S7."""
    assert len(openai_chunks) >= 2
    first = openai_chunks[0]
    text, calls, ids = "", [], set()
    assert isinstance(first["id"], str) and first["id"]
    for n, one in enumerate(openai_chunks):
        assert one["id"] == first["id"] and one["object"] == "chat.completion.chunk", one
        assert type(one["created"]) is int and isinstance(one["model"], str), one
        choice, = one["choices"]
        assert choice["index"] == 0, one
        last = n == len(openai_chunks) - 1
        assert (choice.get("finish_reason") is not None) == last, one
        delta = choice["delta"]
        assert ("role" in delta) == (n == 0) and delta.get("role", "assistant") == "assistant", one
        text += delta.get("content") or ""
        for call in delta.get("tool_calls") or []:
            assert call["index"] <= len(calls), one
            if call["index"] == len(calls):
                assert call["id"] and call["id"] not in ids and call["type"] == "function", one
                ids.add(call["id"])
                calls.append({"name": call["function"]["name"], "arguments": ""})
            else:
                assert "name" not in call["function"], one
            calls[call["index"]]["arguments"] += call["function"].get("arguments", "")
    reason = openai_chunks[-1]["choices"][0]["finish_reason"]
    assert reason == ("tool_calls" if calls else "stop")
    return text, calls, reason


def check_warnings(warnings, wanted=None):
    assert isinstance(warnings, list)
    for one in warnings:
        assert type(one["index"]) is int and isinstance(one["code"], str), one
        assert isinstance(one["message"], str) and one["message"], one
    if wanted == "some":
        assert warnings, "there is no warning"
    elif wanted == "none":
        assert not warnings, f"there are warnings: {warnings}"
    else:
        assert wanted is None, wanted


def check_error(expected, reply):
    more = {"param": expected["param"]} if "param" in expected else {}
    error = reply.error(400, type="invalid_request_error", **more)
    assert isinstance(error["code"], str) and error["code"]


def check_answer(expected, answer, request, warnings=None):
    assert set(answer) == {"object", "messages", "warnings"} | ({"chunks"} & set(request))
    assert answer["object"] == "translation"
    check_warnings(answer["warnings"], warnings)
    messages = normal(answer["messages"], request["to"])
    if request["to"] == "lmc" and "chunks" in request:
        same(together(answer["chunks"]), messages, "the chunks put together")
    said = None
    if request["to"] == "openai" and "chunks" in request:
        said = dict(zip(("text", "tool_calls", "finish_reason"), spoken(answer["chunks"])))
    for name, value in expected.items():
        if name == "messages":
            same(normal(value, request["to"]), messages, "messages")
        else:
            same(value, said[name], name)


def check(vector, request, reply):
    """The reply is one that the vector expects."""
    problems = []
    for expected in vector.get("expect_any") or [vector["expect"]]:
        try:
            if "error" in expected:
                check_error(expected["error"], reply)
            else:
                check_answer(expected, reply.ok().json, request, vector.get("warnings"))
            return
        except AssertionError as problem:
            problems.append(str(problem))
    raise AssertionError("\n".join(problems) + f"\n{reply!r}")
