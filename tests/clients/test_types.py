"""The types of the newest openai-python hold for all that /v1/responses sends."""

import json

import pytest

import upstream as up
from clients import PYTHON_3, RESPONSES, Client
from programs import Program
from test_loops import CALL, turn

TYPES = Client("openai-types", "openai-python 3", PYTHON_3, "openai_types", ["openai"],
               **RESPONSES)
DONE, SHORT, FAILED = (f"response.{how}" for how in ("completed", "incomplete", "failed"))


def said(*deltas, ending="stop"):
    """The same as a stream, and in one message."""
    whole = {"role": "assistant", "content": None}
    for delta in deltas:
        whole |= {k: (whole.get(k) or "") + v for k, v in delta.items()}

    def step(x):
        steps = [up.sse(), up.role(), *[up.data(up.chunk(d)) for d in deltas],
                 *up.ending(ending)] if x.request.json.get("stream") else \
            [up.reply(up.completion(message=whole, finish=ending))]
        for inner in steps:
            inner(x)
    return [up.call(step)]


ANSWERS = {
    "text": (said({"content": "one "}, {"content": "two"}), DONE),
    "nothing": (said(), DONE),
    "reasoning": (said({"reasoning_content": "Hm. "}, {"reasoning_content": "Yes."},
                       {"content": "two"}), DONE),
    "a call": ([turn("Let me see. ", "note", CALL)], DONE),
    "a refusal": (said({"refusal": "I will "}, {"refusal": "not."}), DONE),
    "cut short": (said({"content": "one "}, ending="length"), SHORT),
    "filtered": (said({"content": "one "}, ending="content_filter"), SHORT),
}
BREAKS = [up.sse(), up.role(), up.text("one "), up.hang_up()]


@pytest.fixture
def ask(shared, script, tmp_path):
    if TYPES.lacks():
        pytest.skip(TYPES.lacks())
    program = Program(TYPES, tmp_path / "client.log")

    def run(steps, **job):
        result = program.ask(url=shared.url + TYPES.base, model=script(*steps).model, prompt="x",
                             **{"parse": False, **job}).wait()
        assert result["error"] is None, result
        return result["text"]
    yield run
    program.close()


def test_every_object_and_event_is_of_its_type(ask):
    for name, (steps, last) in ANSWERS.items():
        assert {ask(steps, stream=s) for s in (False, True)} == {last}, name
    assert ask(BREAKS, stream=True) == FAILED


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_becomes_an_object(ask, stream):
    assert ask([turn(json.dumps(CALL))], stream=stream, parse=True) == CALL["text"]
