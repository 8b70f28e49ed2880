"""What a hook forbids leaves in no form: in every family's words, of every dialect, however its provider cuts it."""

import json
import random

import pytest

import upstream as up
from ask import FAMILIES, PATHS, TOOL, WIRE, question
from client import Client
from fixtures import provider
from hook import Hook, allow, block, files_of, forbids, masks

# Letters that stand nowhere else: not one of them may be seen.  The others are looked for from two letters on.
WORDS = ("ŊĦŦĸ", "秘密の鍵", "\U0001f511ñŦ\U0001f512Ŋ", "ŊA\\\"\nĦ")
FILL = "tea is made of leaves and hot water, as everybody knows; milk goes in first. 茶はうまい。 Grüße, мир! "
WINDOW, OVERLAP = 40, 20


def leaks(word, text):
    """The letters of the word that are in the text, escaped or not."""
    escaped = json.dumps(word)[1:-1]
    strange = {c for c in word if ord(c) > 127 and c not in FILL}
    return [c for c in strange if c in text or json.dumps(c)[1:-1] in text] + (
        [word] if word in text or escaped in text else [])


def cut(text, rng, most=6):
    """The text in pieces of random length, of one character at the least."""
    pieces = []
    while text:
        n = rng.randint(1, most)
        pieces.append(text[:n])
        text = text[n:]
    return pieces


def fill(rng, n):
    at = rng.randrange(len(FILL))
    return (FILL * (n // len(FILL) + 2))[at:at + n]


@pytest.fixture(scope="module")
def hook():
    one = Hook()
    yield one
    one.close()


@pytest.fixture(scope="module")
def guarded(make_wild, hook):
    return make_wild(hooks=[hook.config(window=WINDOW, overlap=OVERLAP)])


@pytest.fixture(scope="module")
def holding(make_wild, hook):
    return make_wild(hooks=[hook.config(stream="hold")])


def shown(said):
    return json.dumps([said.body, said.error], ensure_ascii=False) + json.dumps(dict(said.headers), ensure_ascii=False)


def is_filtered(said, family, stream):
    ends = {"chat": "content_filter", "native": "content_filter", "messages": "refusal", "responses": "incomplete",
            "lmc": None if stream else "content_filter"}
    return said.status == 200 and said.error is None and (ends[family] is None or said.finish == ends[family])


@pytest.mark.parametrize("family", FAMILIES)
def test_no_letter_of_it_leaves(guarded, hook, script, family, dialect, stream):
    rng = random.Random(f"{family} {dialect} {stream}")
    hook.judge = lambda asked: allow()
    for word in WORDS:
        before, after = fill(rng, rng.randrange(150)), fill(rng, rng.randrange(90))
        text = before + word + after
        wire = WIRE[dialect]
        hook.judge = forbids(word)
        s = script(*wire.say(*cut(text, rng))) if stream else script(wire.whole(text))
        said = guarded.ask(family, dialect, s, stream=stream, text="tell me")
        assert is_filtered(said, family, stream), (said, word)
        assert not leaks(word, shown(said)), (word, said.text)
        if stream and family != "lmc":
            assert before.startswith(said.text)
            assert len(said.text) <= len(before)
    assert not [w for w in WORDS if leaks(w, "".join(guarded.gateway.lines))]


@pytest.mark.parametrize("family", FAMILIES)
def test_what_it_allows_is_the_same(guarded, hook, script, family, dialect, stream):
    rng = random.Random(f"same {family} {dialect} {stream}")
    hook.judge = lambda asked: allow()
    text = fill(rng, 400).strip() + " \U0001f511 end"
    wire = WIRE[dialect]
    s = script(*wire.say(*cut(text, rng))) if stream else script(wire.whole(text))
    said = guarded.ask(family, dialect, s, stream=stream, text="tell me")
    assert said.text == text and said.usage is not None or family == "lmc"
    assert is_filtered(said, family, stream) is (family == "lmc" and stream)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_it_changes_is_changed_everywhere(guarded, hook, script, family, dialect, stream):
    rng = random.Random(f"changed {family} {dialect} {stream}")
    for by in ("*", "[nothing is said of this here]", ""):
        text = (fill(rng, 90) + "ŊĦŦĸ" + fill(rng, 130) + "ŊĦŦĸ").strip()
        hook.judge = masks("ŊĦŦĸ", by)
        wire = WIRE[dialect]
        s = script(*wire.say(*cut(text, rng))) if stream else script(wire.whole(text))
        said = guarded.ask(family, dialect, s, stream=stream, text="tell me")
        assert said.text == text.replace("ŊĦŦĸ", by), (by, text)
        assert not leaks("ŊĦŦĸ", shown(said))


KINDS = {
    "reasoning": lambda wire, stream, text: (wire.say("so it is", reasoning=text) if stream
                                             else wire.whole("so it is", reasoning=text)),
    "arguments": lambda wire, stream, text: (wire.call("get_weather", "call_1", {"city": text}) if stream
                                             else wire.whole_call("get_weather", "call_1", {"city": text})),
    "a second call": lambda wire, stream, text: getattr(wire, "calls" if stream else "whole_calls")(
        ("get_weather", "call_1", {"city": "Paris"}), ("get_weather", "call_2", {"city": text}), text="let me see, "),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_reasoning_and_arguments_are_texts(guarded, hook, script, family, dialect, stream, kind):
    hook.judge = forbids("ŊĦŦĸ")
    # Arguments are JSON in a string, whose letters may be escaped in it once more.
    hook.judge = lambda asked: forbids("ŊĦŦĸ")(asked) if "\\u014a" not in "".join(asked.texts).lower() else block()
    text = FILL + "ŊĦŦĸ" + FILL
    steps = KINDS[kind](WIRE[dialect], stream, text)
    s = script(*steps) if stream else script(steps)
    said = guarded.ask(family, dialect, s, stream=stream, text="tell me", tools=[TOOL])
    assert is_filtered(said, family, stream), said
    assert not leaks("ŊĦŦĸ", shown(said)), said
    assert len(said.calls) <= (kind == "a second call")
    assert not leaks("ŊĦŦĸ", "".join(guarded.gateway.lines))


@pytest.mark.parametrize("family", FAMILIES)
def test_wherever_the_bytes_are_cut(guarded, hook, script, family):
    rng = random.Random(family)
    hook.judge = forbids("ŊĦŦĸ")
    for most in (1, 3, 1000):
        before = fill(rng, 70)
        content = b"".join(b"data: " + json.dumps(c, ensure_ascii=rng.random() < 0.5).encode() + b"\n\n" for c in [
            up.chunk({"role": "assistant", "content": ""}),
            *[up.chunk({"content": p}) for p in cut(before + "ŊĦŦĸ" + fill(rng, 50), rng, most)], up.chunk({}, "stop")])
        s = script(up.sse(), up.bytewise(content + b"data: [DONE]\n\n"), up.end())
        said = guarded.ask(family, "openai", s, stream=True, text="tell me")
        assert is_filtered(said, family, True) and not leaks("ŊĦŦĸ", shown(said))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_whole_answer_is_held(holding, hook, script, family, dialect):
    hook.judge = forbids("ŊĦŦĸ")
    hook.asked.clear()
    s = script(*WIRE[dialect].say(*cut(FILL * 20 + "ŊĦŦĸ", random.Random(dialect), 30)))
    said = holding.ask(family, dialect, s, stream=True, text="tell me")
    assert is_filtered(said, family, True) and said.text == ""
    assert len([a for a in hook.asked if a.phase == "response"]) == 1


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_completions_of_a_prompt(start, upstream, script, hook, stream):
    hook.judge = forbids("ŊĦŦĸ")
    g = start({"providers": [provider(upstream, "o", completions=True)], "models": [{"name": "o/*", "provider": "o"}],
               "hooks": [hook.config(window=WINDOW, overlap=OVERLAP)]})
    part = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m"}
    choices = [{"index": 0, "text": c, "logprobs": None, "finish_reason": None} for c in FILL + "ŊĦŦĸ and more"]
    s = script(up.sse(), *[up.data({**part, "choices": [c]}) for c in choices],
               up.data({**part, "choices": [{"index": 0, "text": "", "logprobs": None, "finish_reason": "stop"}]}),
               up.data("[DONE]"), up.end()) if stream else script(up.reply({
                   **part, "choices": [{"index": 0, "text": FILL + "ŊĦŦĸ", "logprobs": None, "finish_reason": "stop"}],
                   "usage": up.USAGE}))
    with Client(g.url) as client:
        said = client.post("/v1/completions", {"model": s.under("o"), "prompt": "tell me", "stream": stream})
    seen = said.body.decode()
    assert said.status == 200 and '"content_filter"' in seen
    assert not leaks("ŊĦŦĸ", seen)


def lmc_turn(*segments):
    chunks = []
    for head, pieces in segments:
        chunks += [{**head, "start": True}, *[{**head, "content": p} for p in pieces], {**head, "end": True}]
    return [up.sse(), *[up.data(c) for c in chunks], up.data({"role": "server", "type": "status", "content": "complete"}),
            up.end()]


MESSAGE, CODE = {"role": "assistant", "type": "message"}, {"role": "assistant", "type": "code", "format": "python"}
CONSOLE = {"role": "computer", "type": "console", "format": "output"}
TURNS = {
    "message": [(MESSAGE, "some words and more of them, and ŊĦŦĸ")],
    "code": [(MESSAGE, "so"), (CODE, "print(1) # some words and more of them, and ŊĦŦĸ")],
    "console": [(CODE, "print(1)"), (CONSOLE, "some words and more of them, and ŊĦŦĸ")],
    "format": [(MESSAGE, "so"), ({**CODE, "format": "ŊĦŦĸ"}, "1")],
    "an unknown type": [({"role": "assistant", "type": "whatever"}, "some words ŊĦŦĸ")],
    "an unknown member": [({**MESSAGE, "deep": [{"x": "ŊĦŦĸ"}]}, "so")],
}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_provider_that_speaks_lmc(start, upstream, script, hook, family, turn):
    hook.judge = forbids("ŊĦŦĸ")
    g = start({"providers": [provider(upstream, "l", "lmc")], "models": [{"name": "l/*", "provider": "l"}],
               "hooks": [hook.config(window=WINDOW, overlap=OVERLAP)]})
    s = script(*lmc_turn(*TURNS[turn]))
    with Client(g.url) as client:
        path, model = PATHS[family], s.under("l")
        body = question(family)
        body = {**body, "config": {"model": model}} if path == "/v1/chat" else {**body, "model": model}
        said = client.post(path, {**body, "stream": True})
    assert not leaks("ŊĦŦĸ", said.body.decode()), said.body
    assert not [c for c in ("ŊĦ", "ĦŦ", "Ŧĸ") if c.encode() in files_of(g.folder)]
