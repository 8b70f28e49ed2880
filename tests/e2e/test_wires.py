"""The scripted providers answer as the real ones do: each wire's answers against the types of their packages."""

import json

import pytest

import frames
from strict.types import judge_answer
from wires import WIRES

CALLS = [("get_weather", "call_1", {"city": "Ulm"}), ("get_time", "call_2", {"tz": "CET"})]
USAGE = {
    "openai": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14,
               "prompt_tokens_details": {"cached_tokens": 4}},
    "anthropic": {"input_tokens": 9, "output_tokens": 5, "cache_read_input_tokens": 4},
    "gemini": {"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 2},
    "gemini-interactions": {"total_input_tokens": 9, "total_output_tokens": 3, "total_thought_tokens": 2, "total_tokens": 14},
    "ollama": {"prompt_eval_count": 9, "eval_count": 5},
    "bedrock": {"inputTokens": 5, "outputTokens": 5, "totalTokens": 14, "cacheReadInputTokens": 4},
    "openai-responses": {"input_tokens": 9, "output_tokens": 5, "total_tokens": 14,
                         "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
                         "output_tokens_details": {"reasoning_tokens": 2}},
}
USAGE |= {"azure": USAGE["openai"], "mistral": {k: 3 for k in USAGE["openai"] if k.endswith("tokens")}}
# What only servers like OpenAI's say, and what OpenAI's description of its API has and its package lacks, as has Ollama's
# server (test_ollama_recorded.py).
UNKNOWN = {"openai": "reasoning_content", "azure": "reasoning_content", "openai-responses": "name",
           "ollama": ("function.index", "tool_calls.0.id", "tool_calls.1.id")}


class Kept:
    """An exchange that keeps what a script sends."""

    def __init__(self):
        self.sent = b""
        self.chunked = self.ended = False

    def send(self, data):
        self.sent += data

    def send_body(self, data):
        self.sent += data


def framed(body):
    """What botocore reads in Amazon's frames; `p` hides the lengths of events, and no shape has it."""
    from botocore.eventstream import EventStreamBuffer
    buffer = EventStreamBuffer()
    buffer.add_data(body)
    events = [event.to_response_dict() for event in buffer]
    assert all(e["status_code"] == 200 for e in events)
    return [{e["headers"][":event-type"]: {k: v for k, v in json.loads(e["body"]).items() if k != "p"}}
            for e in events]


def said(steps):
    """The body of what the steps send, without the chunks' frames."""
    kept = Kept()
    for step in steps if isinstance(steps, list) else [steps]:
        step(kept)
    head, body = kept.sent.split(b"\r\n\r\n", 1)
    if frames.TYPE.encode() in head:
        return framed(body.removesuffix(b"0\r\n\r\n"))
    body = body.removesuffix(b"0\r\n\r\n").decode()
    lines = [line.removeprefix("data: ") for line in body.split("\n") if not line.startswith("event:")]
    return [json.loads(line) for line in lines if line.strip() and line != "[DONE]"]


@pytest.fixture(params=WIRES, ids=lambda w: w.dialect)
def wire(request):
    return request.param


def check(wire, streamed, values):
    for value in values:
        found = judge_answer(wire.dialect, streamed, value)
        assert [b for b in found if not b.path.endswith(UNKNOWN.get(wire.dialect, "\0"))] == [], value


@pytest.mark.parametrize("more", ["plain", "usage", "reasoning"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_answers_are_the_packages(wire, streamed, more):
    given = {"usage": USAGE[wire.dialect]} if more == "usage" else {}
    given |= {"reasoning": "let me think"} if more == "reasoning" else {}
    if streamed:
        answers = [wire.say("Hel", "lo", **given), wire.call(*CALLS[0], **given),
                   wire.calls(*CALLS, text="let me see", **given)]
    else:
        answers = [wire.whole("Hello", **given), wire.whole_call(*CALLS[0], **given),
                   wire.whole_calls(*CALLS, text="let me see", **given)]
    for steps in answers:
        values = said(steps)
        check(wire, streamed, values)
        text = json.dumps(values)
        assert ("let me think" in text) == (more == "reasoning")
        assert all(f'"{k}": {json.dumps(v)}' in text for k, v in given.get("usage", {}).items())
    assert all(w in text for name, _, args in CALLS for w in (name, *args.values()))


def test_embeddings_are_the_packages(wire):
    if getattr(wire, "embeds", None):
        check(wire, "vectors", said(wire.vectors([0.5, 1.0], [1.0, 2.0])))


def test_a_wrong_answer_is_seen(wire):
    """What is unknown, missing or of another type is found in each."""
    good = said(wire.whole("Hello"))[0]
    assert judge_answer(wire.dialect, False, {**good, "nobody_knows": 1})
    for name in {"openai": ["choices"], "azure": ["choices"], "mistral": ["choices"], "anthropic": ["content"],
                 "gemini": ["candidates"], "gemini-interactions": ["steps"], "bedrock": ["output"], "ollama": ["message"], "openai-responses": ["output"]}[wire.dialect]:
        assert judge_answer(wire.dialect, False, {**good, name: "text"})
