"""Events that only say that the connection lives, ends that come early, and requests that a server fails at."""

import json

import pytest

import frames
import upstream as up
from ask import DIALECTS, WIRE, question

FAMILIES = ("chat", "messages", "responses", "native", "lmc")
NAMED = ["event: ping\ndata: {}\n\n", "event: ping\ndata: now\n\n", "event: keepalive\ndata: \"\"\n\n",
         "event: heartbeat\ndata: {\"at\":\n\n", ": a comment\n\n", "data: \"\"\n\n"]
LINES = ["\"\"\n"]
FRAMES = [frames.frame("ping", {}), frames.frame("heartbeat", b'{"at":'), frames.frame("initial-response", b"")]


def with_beats(steps, beats):
    """After the head, and before each further step."""
    return [steps[0], *[s for step in steps[1:-1] for s in (*[up.body(b if isinstance(b, bytes) else b.encode()) for b in beats], step)],
            steps[-1]]


@pytest.mark.parametrize("family", FAMILIES)
def test_heartbeats_are_no_part_of_the_answer(wild, script, family, dialect):
    """D40; messages on anthropic are native."""
    beats = {"ollama": LINES, "bedrock": FRAMES}.get(dialect, NAMED)
    said = wild.ask(family, dialect, script(*with_beats(WIRE[dialect].say("Hel", "lo"), beats)), stream=True)
    assert (said.status, said.error, said.text) == (200, None, "Hello"), said


def test_the_provider_s_own_ping_goes_through(wild, script):
    """Natively: its client gets the provider's objects as they are."""
    steps = with_beats(WIRE["anthropic"].say("Hi"), ['event: ping\ndata: {"type": "ping"}\n\n'])
    said = wild.ask("messages", "anthropic", script(*steps), stream=True)
    assert said.text == "Hi" and said.error is None


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d != "ollama"])
def test_an_event_without_a_name_is_no_heartbeat(wild, script, dialect):
    steps = WIRE[dialect].say("Hel", "lo")
    said = wild.ask("chat", dialect, script(steps[0], up.body(b"data: now\n\n"), *steps[1:]), stream=True)
    assert said.status == 502 or said.error


# --- Gemini's ends ---


def gemini(*candidates):
    return [up.sse(), *[up.data({"candidates": [c], "modelVersion": "m", "responseId": "r",
                                 "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2}})
                        for c in candidates], up.end()]


def candidate(text=None, reason=None):
    return {"index": 0, **({"content": {"role": "model", "parts": [{"text": text}]}} if text else {}),
            **({"finishReason": reason} if reason else {})}


@pytest.mark.parametrize("family", FAMILIES)
def test_an_end_with_each_event_is_one_end(wild, script, family):
    """D50"""
    said = wild.ask(family, "gemini", script(*gemini(candidate("Hel", "STOP"), candidate("lo", "STOP"))), stream=True)
    assert (said.text, said.error) == ("Hello", None)
    if family == "messages":
        starts = [e for e in said.body if e["type"] == "content_block_start"]
        assert len(starts) == 1
    if family in ("chat", "native"):
        assert [c["finish_reason"] for chunk in said.body for c in chunk["choices"] if c["finish_reason"]] == ["stop"]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("reason", ["MALFORMED_RESPONSE", "MALFORMED_FUNCTION_CALL", "MISSING_THOUGHT_SIGNATURE",
                                    "A_REASON_OF_LATER_DAYS"])
def test_a_failure_is_no_normal_end(wild, script, family, reason, stream):
    """D41"""
    body = candidate(reason=reason)
    steps = gemini(body) if stream else [up.reply({"candidates": [body], "responseId": "r", "modelVersion": "m"})]
    said = wild.ask(family, "gemini", script(*steps), stream)
    assert said.status == 502 and reason in json.dumps(said.error), said


@pytest.mark.parametrize("family", ["chat", "messages", "responses"])
def test_a_reason_of_later_days_after_a_text_is_told(wild, script, family, stream):
    body = candidate("Hel", "A_REASON_OF_LATER_DAYS")
    steps = gemini(body) if stream else [up.reply({"candidates": [body], "responseId": "r", "modelVersion": "m"})]
    said = wild.ask(family, "gemini", script(*steps), stream)
    assert said.text == "Hel"
    assert said.finish == {"chat": "content_filter", "messages": "refusal", "responses": "incomplete"}[family]


# --- R2: a server that fails at some requests, and answers others ---

IMAGE = {"error": {"code": 500, "message": "image input is not supported", "type": "server_error"}}


def play(*turns):
    """Each request has the next answer, the last one for ever."""
    return up.in_turn(*turns)


@pytest.fixture(scope="module")
def strict(make_wild):
    return make_wild(options={"openai": {"retries": 2, "health": {"failures": 5, "window": "60s", "pause": "60s"}}})


def attempts(said):
    return int(said.headers["x-parley-attempts"])


def test_a_few_faulty_requests_do_not_take_a_model_from_everybody(strict, script):
    good, bad = up.reply(up.completion()), up.reply(IMAGE, 500)
    s = script(play(good, *[bad] * 12, good))
    assert strict.ask("chat", "openai", s).status == 200
    for _ in range(6):
        said = strict.ask("chat", "openai", s)
        assert said.status == 502 and attempts(said) == 2, said  # once more, not three times
        assert "image input is not supported" in said.error["message"]
    assert strict.ask("chat", "openai", s).status == 200  # 6 quarters of a failure


def test_one_run_is_one_failure(make_wild, script):
    """However often the run asks: 502 is a failure, and four runs are four."""
    wild = make_wild(options={"openai": {"retries": 2, "health": {"failures": 5, "pause": "60s"}}})
    s = script(play(*[up.reply(b"bad gateway", 502, "text/html")] * 15, up.reply(up.completion())))
    for n in range(5):
        said = wild.post("chat", "openai", s, question("chat"))
        assert said.status == 502 and attempts(said) == (3 if n < 4 else 1), n
    assert wild.post("chat", "openai", s, question("chat")).status == 503  # the breaker is open
