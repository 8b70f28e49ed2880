"""`resume: fallback`: an answer that breaks off goes on at another target, and is one answer."""

import contextlib
import json

import anthropic
import openai
import pytest

import keys
import responses
import upstream as up
from ask import DIALECTS, FAMILIES, TOOL, WIRE, Wild
from client import Client, Stream
from fixtures import provider
from waiting import DEADLINE, wait_until
from wires import OpenAIResponses

LINE = "Your last message broke off. Go on exactly where it ended, without repeating any of it."
PIECES = ("Tea \u8336 is ", "a drink:\n", "```py\nprint('", "\U0001f375')\n```\n", "and it is made")
FIRST, SECOND = "".join(PIECES), " of leaves and hot water."


@contextlib.contextmanager
def two(start, upstream, first, second, one="openai", other="openai", args=(), both=None, entry=None, **model):
    """A gateway whose model `m` asks the scripts in turn."""
    both = json.dumps(both or {})
    g = start({"providers": [provider(upstream, "a", one, **entry or {}), provider(upstream, "b", other)],
               "models": [{"name": "m", "provider": "a", "upstream_model": first.name, "fallback": ["f"],
                           "resume": "fallback", **json.loads(both), **model},
                          {"name": "f", "provider": "b", "upstream_model": second.name, **json.loads(both)}],
               "log_format": "json"}, args=list(args))
    with Client(g.url) as client:
        yield Wild(g, client)


def ask(wild, family, **more):
    return wild.ask(family, None, "m", stream=True, text="Tell me of tea", **more)


PREFIXES = ["".join(PIECES[:n]) for n in range(len(PIECES), -1, -1)]


def unfenced(text):
    """What LMC shows of a text with fences, and without the ends of its lines."""
    return text.replace("```py", "").replace("```", "").replace("\n", "")


def escaped(text):
    return json.dumps(text, ensure_ascii=False)[1:-1]


def says(said, family, text):
    if family != "lmc":
        return said.text == text
    shown = "".join(c.get("content", "") for c in said.body if c["type"] in ("message", "code"))
    return unfenced(shown) == unfenced(text)


@pytest.mark.parametrize("one, other", [("openai", d) for d in DIALECTS] + [(d, "openai") for d in DIALECTS[1:]])
def test_each_event_may_be_the_last_one(start, upstream, script, one, other):
    steps = WIRE[one].say(*PIECES)
    first, second = script(up.hang_up()), script(WIRE[other].say(*[SECOND[i:i + 5] for i in range(0, len(SECOND), 5)]))
    with two(start, upstream, first, second, one, other) as wild:
        for family in FAMILIES:
            seen = set()
            for k in range(1, len(steps)):
                first.steps = (*steps[:k], up.hang_up())
                before = len(second.exchanges)
                said = ask(wild, family)
                text = said.text
                if len(second.exchanges) == before:  # it had ended, or can't go on
                    assert k >= len(steps) - 3, (family, k, "only an answer that was over")
                    assert family == "lmc" or text == FIRST, (family, k, said)
                    continue
                body = json.dumps(second.exchanges[-1].request.json, ensure_ascii=False)
                prefix = next(p for p in PREFIXES if escaped(p) in body)
                assert (LINE in body) == bool(prefix) and said.error is None, (family, k, said)
                assert says(said, family, prefix + SECOND), (family, k, said)
                seen.add(prefix)
            assert len(seen) > len(PIECES) - 2, (family, seen)


REPEATS = {
    "nothing": (FIRST, SECOND),
    "the end": (FIRST, "and it is made" + SECOND),
    "all of it": (FIRST, FIRST + SECOND),
    "too little to tell": ("and it was", " was of leaves"),
    "wide characters": ("\u8336" * 20, "\u8336" * 14 + "!"),
}


@pytest.mark.parametrize("name", REPEATS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_is_repeated_is_left_out(start, upstream, script, name, size):
    old, new = REPEATS[name]
    first = script(up.sse(), up.role(), up.text(old), up.hang_up())
    second = script(up.stream(*[new[i:i + size] for i in range(0, len(new), size)]))
    want = {"the end": FIRST + SECOND, "all of it": FIRST + SECOND, "wide characters": "\u8336" * 20 + "!"}
    with two(start, upstream, first, second) as wild:
        assert ask(wild, "chat").text == want.get(name, old + new)


ENDS = {
    "hung up": [up.hang_up()],
    "no end": [up.end()],
    "an error": [up.data({"error": {"message": "overloaded", "type": "server_error", "code": 503}}), up.end()],
    "bad JSON": [up.data("{"), up.end()],
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_however_it_breaks_off(start, upstream, script, end, family):
    first = script(up.sse(), up.role(), up.text(FIRST), *ENDS[end])
    second = script(up.stream(SECOND))
    with two(start, upstream, first, second) as wild:
        said = ask(wild, family)
        assert says(said, family, FIRST + SECOND) and said.error is None


@pytest.mark.parametrize("family", FAMILIES)
def test_the_first_error_is_told_if_the_second_fails(start, upstream, script, family):
    first = script(up.sse(), up.role(), up.text(FIRST), up.hang_up())
    error = up.data({"error": {"message": "the second one", "type": "server_error"}})
    for steps, more in [([up.reply({"error": {"message": "the second one"}}, 500)], ""),
                        ([up.sse(), up.role(), up.text(SECOND), error, up.end()], SECOND)]:
        with two(start, upstream, first, script(*steps)) as wild:
            said = ask(wild, family)
            assert says(said, family, FIRST + more)
            assert "the second one" not in json.dumps(said.error) and "'a'" in json.dumps(said.error), said.error


def test_the_operator_sees_both(start, upstream, script):
    usage = {"prompt_tokens": 10, "completion_tokens": 6, "total_tokens": 16}
    first = script(up.sse(), up.role(), up.text("x" * 40), up.hang_up())
    second = script(up.sse(), up.role(), up.text(SECOND), up.data(up.chunk({}, "stop")),
                    up.data(up.usage_chunk(usage)), up.data("[DONE]"), up.end())
    price = {"input": "1000000", "output": "1000000"}
    with two(start, upstream, first, second, both={"price": price}) as wild:
        said = ask(wild, "native")
        run = wild.client.run(said.headers["x-run-id"])
        assert (run["status"], run["provider"], run["finish_reason"]) == ("completed", "b", "stop")
        past = run["attempt_list"]
        assert [(a["provider"], a["error_code"] if "error_code" in a else a.get("code")) for a in past][0][0] == "a"
        assert [a["provider"] for a in past] == ["a", "b"]
        assert float(run["cost"]) > 16 + 10  # the first one's ten tokens out, too
        metrics = wild.client.get("/metrics").ok().body.decode()
        assert 'parley_resumed_total{upstream="b",result="ok"} 1' in metrics
        marks = [c["resumed"] for c in said.body if "resumed" in c]
        assert marks == [{"provider": "b", "at": 40}]
        events = wild.client.http.get(f"/v1/runs/{said.headers['x-run-id']}/events?format=openai").text
        assert events.count('"resumed":{"provider":"b","at":40}') == 1
        lmc = ask(wild, "lmc")
        again = wild.client.http.get(f"/v1/runs/{lmc.headers['x-run-id']}/events?format=lmc").text
        assert '"resumed":{"provider":"b","at":40}' in again.rsplit("data:", 1)[1]
        item = wild.client.items(run["conversation"])["data"][-1]
        assert item["content"][0]["text"] == "x" * 40 + SECOND


def test_a_target_that_prefills_gets_the_text_last(start, upstream, script):
    first, second = script(up.sse(), up.role(), up.text(FIRST), up.hang_up()), script(up.stream(SECOND))
    with two(start, upstream, first, second, both={"prefill": True}) as wild:
        assert ask(wild, "chat").text == FIRST + SECOND
        assert second.request.json["messages"][-1] == {"role": "assistant", "content": FIRST}


@pytest.mark.parametrize("asked, left", [(150, 50), (105, 16), (9, 9), (None, None)])
def test_the_limit_holds_for_both(start, upstream, script, asked, left):
    first, second = script(up.sse(), up.role(), up.text("x" * 400), up.hang_up()), script(up.stream(SECOND))
    with two(start, upstream, first, second) as wild:
        for family in ("chat", "native", "responses"):
            ask(wild, family, **({"limit": asked} if asked else {}))
            sent = second.exchanges[-1].request.json
            assert sent.get("max_tokens", sent.get("max_completion_tokens")) == left, family


@pytest.mark.parametrize("more, joined", [(" world", "hello world"), ("world", "hello world"), ("  world", "hello  world")])
def test_white_space_that_was_not_sent_is_not_doubled(start, upstream, script, more, joined):
    first = script(up.sse(), up.role(), up.text("hello "), up.hang_up())
    second = script(up.stream(more[:1], more[1:]))
    with two(start, upstream, first, second, both={"prefill": True}) as wild:
        assert ask(wild, "chat").text == joined
        assert second.request.json["messages"][-1]["content"] == "hello"


NEVER = {
    "a tool call": [up.data(up.chunk({"tool_calls": [{"index": 0, "id": "c", "type": "function",
                                                      "function": {"name": "f", "arguments": "{"}}]}))],
    "a refusal": [up.data(up.chunk({"refusal": "no"}))],
}


@pytest.mark.parametrize("name", NEVER)
def test_what_can_not_be_unsaid_does_not_go_on(start, upstream, script, name):
    first = script(up.sse(), up.role(), up.text("I look: "), *NEVER[name], up.hang_up())
    second = script(up.stream(SECOND))
    with two(start, upstream, first, second) as wild:
        tool = {"type": "function", "function": TOOL}
        said = wild.post("chat", None, "m", {"messages": [{"role": "user", "content": "hi"}], "tools": [tool]}, True)
        assert said.error and not second.exchanges


@pytest.mark.parametrize("header, set_to, goes", [("off", "fallback", False), ("fallback", "off", True),
                                                  (None, "off", False), (None, "fallback", True)])
def test_the_request_decides_for_itself(start, upstream, script, header, set_to, goes):
    first, second = script(up.sse(), up.role(), up.text(FIRST), up.hang_up()), script(up.stream(SECOND))
    with two(start, upstream, first, second, resume=set_to) as wild:
        said = wild.post("chat", None, "m", {"messages": [{"role": "user", "content": "hi"}]}, True,
                         headers={"x-parley-resume": header})
        assert (said.text == FIRST + SECOND, said.error is None) == (goes, goes)
        wild.client.post("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
                         headers={"x-parley-resume": "yes"}).error(400, "invalid_value")


def test_json_goes_on_only_where_the_target_prefills(start, upstream, script):
    body = {"messages": [{"role": "user", "content": "hi"}], "response_format": {"type": "json_object"}}
    for prefill in (False, True):
        first = script(up.sse(), up.role(), up.text('{"a":'), up.hang_up())
        second = script(up.stream("1}"))
        with two(start, upstream, first, second, both={"prefill": True} if prefill else {}) as wild:
            said = wild.post("chat", None, "m", body, True)
            assert (said.error is None, len(second.exchanges)) == (prefill, int(prefill))


def test_reasoning_before_any_text(start, upstream, script):
    first = script(up.sse(), up.role(), up.data(up.chunk({"reasoning_content": "hm, "})), up.hang_up())
    second = script(up.sse(), up.role(), up.data(up.chunk({"reasoning_content": "tea"})), up.text(SECOND), *up.ending())
    with two(start, upstream, first, second) as wild:
        said = ask(wild, "chat")
        assert (said.reasoning, said.text, said.error) == ("hm, tea", SECOND, None)
        assert LINE not in json.dumps(second.request.json)


def test_the_budget_is_asked_first(start, upstream, script):
    first, second = script(up.sse(), up.role(), up.text("x" * 4000), up.hang_up()), script(up.stream(SECOND))
    price = {"input": "1", "output": "1000"}
    for budget, goes in (("1.1", False), ("100", True)):
        with two(start, upstream, first, second, both={"price": price, "max_output": 1000},
                 args=["--admin-listen", "127.0.0.1:0"]) as wild:
            key = keys.known(wild.gateway, keys.make(wild.gateway, "--budget", budget))["key"]
            with keys.client_of(wild.gateway, key) as client:
                said = Wild(wild.gateway, client).ask("chat", None, "m", stream=True, text="hi")
            assert (said.text == "x" * 4000 + SECOND) == goes and bool(said.error) != goes


def test_a_client_that_follows_and_one_that_leaves(start, upstream, script):
    gate = up.Gate()
    first = script(up.sse(), up.role(), up.text(FIRST), up.wait(gate), up.hang_up())
    second = script(up.stream(SECOND))
    with two(start, upstream, first, second) as wild:
        with wild.client.chat_stream("hi", model="m") as stream:
            run = stream.headers["x-run-id"]
            with wild.client.http.stream("GET", f"/v1/runs/{run}/events?format=openai") as follower:
                gate.open()
                followed = b"".join(follower.iter_raw())
            assert stream.native().text == FIRST + SECOND
        again = wild.client.http.get(f"/v1/runs/{run}/events?format=openai").content
        assert followed == again
    gate = up.Gate()
    first.steps = (up.sse(), up.role(), up.text(FIRST), up.wait(gate), up.hang_up())
    with two(start, upstream, first, second) as wild:
        with wild.client.complete_stream("m") as stream:
            next(iter(stream))
            gate.wait_reached()
        gate.open()
        wait_until(lambda: '"client_left"' in "".join(wild.gateway.lines[-40:]), "the call has ended")


# --- what a review found ---


@pytest.mark.parametrize("between", ["and it is", "and it is made", FIRST, "it is", None])
@pytest.mark.parametrize("prefill", [False, True])
def test_what_an_attempt_between_has_said_is_forgotten(start, upstream, script, between, prefill):
    first = script(up.sse(), up.role(), up.text(FIRST), up.hang_up())
    second = script(up.sse(), up.role(), *([up.text(between)] if between else []), up.hang_up())
    third = script(up.stream("and it is made", SECOND))
    g = start({"providers": [provider(upstream, n) for n in "abc"],
               "models": [{"name": "m", "provider": "a", "upstream_model": first.name, "fallback": ["f", "h"],
                           "resume": "fallback"},
                          {"name": "f", "provider": "b", "upstream_model": second.name, "prefill": prefill},
                          {"name": "h", "provider": "c", "upstream_model": third.name, "prefill": prefill}], "log_format": "json"})
    with Client(g.url) as client:
        said = ask(Wild(g, client), "chat")
        assert said.text == FIRST + SECOND and said.error is None


def costs(wild):
    """(cost, usage, attempts) of a run whose second attempt ends in a way."""
    said = ask(wild, "native")
    run = wild.client.run(said.headers["x-run-id"])
    return float(run["cost"]), run["usage"], [(a["provider"], (a.get("error") or {}).get("code") or a.get("error_code"))
                                              for a in run["attempt_list"]]


PRICE = {"price": {"input": "1000000", "output": "1000000"}}


def test_what_was_not_asked_costs_nothing(start, upstream, script):
    first = script(up.sse(), up.role(), up.text("x" * 40), up.hang_up())
    with two(start, upstream, first, script(up.stream(SECOND)), both=PRICE, resume="off") as wild:
        alone, usage, _ = costs(wild)
    refused = script(up.reply({"error": {"message": "no"}}, 500))
    with two(start, upstream, first, refused, both=PRICE) as wild:
        cost, again, attempts = costs(wild)
        assert cost == alone and again == usage
        assert [a[0] for a in attempts] == ["a", "b"]
        metrics = wild.client.get("/metrics").ok().body.decode()
        assert 'outcome="upstream_error"' in metrics and 'parley_resumed_total{upstream="b",result="' in metrics
    body = {"messages": ["Tell me of tea"], "config": {"response_format": {"type": "json_object"}}}
    ends = []
    for resume in ("off", "fallback"):
        with two(start, upstream, first, script(up.stream(SECOND)), both=PRICE, resume=resume) as wild:
            said = wild.post("native", None, "m", body, True)
            run = wild.client.run(said.headers["x-run-id"])
            ends.append((run["cost"], run["usage"]))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("reported", [False, True])
@pytest.mark.parametrize("how", ["breaks off, too", "is refused"])
def test_usage_is_that_of_the_last_attempt_that_used_something(start, upstream, script, how, reported):
    told = [up.data(up.usage_chunk())] if reported else []
    first = script(up.sse(), up.role(), up.text("x" * 8), *told, up.hang_up())
    second = script(up.reply({"error": {"message": "no"}}, 500)) if how == "is refused" else script(
        up.sse(), up.role(), up.text("and more"), *told, up.hang_up())
    with two(start, upstream, first, second, both=PRICE) as wild:
        run = wild.client.run(ask(wild, "native").headers["x-run-id"])
        a, b = run["attempt_list"]
        assert a["usage"] and (b["usage"] is None) == (how == "is refused")
        last = a if how == "is refused" else b
        assert (run["usage"], run["usage_source"]) == (last["usage"], last["usage_source"])
        assert run["usage_source"] == ("provider" if reported else "estimated")
        assert float(run["cost"]) == sum(float(x["cost"] or 0) for x in (a, b))
        metrics = wild.client.get("/metrics").ok().body.decode()
        counted = [float(line.rsplit(" ", 1)[1]) for line in metrics.splitlines()
                   if line.startswith("parley_tokens_total{") and 'type="output"' in line]
        assert sum(counted) == (7 * (1 if how == "is refused" else 2) if reported else 0)


def test_the_first_content_is_the_first_attempt_s(start, upstream, script):
    first = script(up.sse(), up.role(), up.text(FIRST), up.hang_up())
    with two(start, upstream, first, script(up.stream(SECOND))) as wild:
        said = ask(wild, "native")
        a, b = wild.client.run(said.headers["x-run-id"])["attempt_list"]
        assert a["first_token_at_ms"] >= a["started_at_ms"]
        metrics = wild.client.get("/metrics").ok().body.decode()
        assert not [line for line in metrics.splitlines() if line.rsplit(" ", 1)[1].startswith("-")]


def test_the_first_content_of_an_attempt_that_went_on_is_told_if_it_dies(start, upstream, script):
    first = script(up.sse(), up.role(), up.text(FIRST), up.hang_up())
    second = script(up.sse(), up.role(), up.text(SECOND), up.hang_up())
    with two(start, upstream, first, second) as wild:
        said = ask(wild, "native")
        a, b = wild.client.run(said.headers["x-run-id"])["attempt_list"]
        assert a["started_at_ms"] <= a["first_token_at_ms"] <= a["ended_at_ms"]
        assert b["started_at_ms"] <= b["first_token_at_ms"] <= b["ended_at_ms"]


def test_half_a_character_is_sent_to_nobody(start, upstream, script):
    half = up.body(b'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":'
                   b'[{"index":0,"delta":{"content":"tea \\ud83c"},"finish_reason":null}]}\n\n')
    first = script(up.sse(), up.role(), half, up.hang_up())
    second = script(up.stream("and more"))
    with two(start, upstream, first, second) as wild:
        with wild.client.complete_stream("m") as stream:
            list(stream)
        assert second.request.json["messages"][-2]["content"] == "tea "


def test_an_lmc_replay_has_the_warnings_of_its_stream(start, upstream, script):
    first = script(up.sse(), up.role(), up.text(FIRST), up.hang_up())
    second = script(WIRE["anthropic"].say(SECOND))
    with two(start, upstream, first, second, other="anthropic") as wild:
        body = {"messages": ["hi"], "format": "lmc", "config": {"seed": 1}}
        said = wild.post("lmc", None, "m", body, True)
        again = wild.client.http.get(f"/v1/runs/{said.headers['x-run-id']}/events?format=lmc").text
        assert ('"warnings"' in again) == bool(said.warnings)


def test_the_total_limit_tells_why_it_broke_off(start, upstream, script):
    first = script(up.sse(), up.role(), up.text(FIRST), up.hang_up())
    for second in (script(up.wait(up.Gate())), script(up.sse(), up.role(), up.text(SECOND), up.wait(up.Gate()))):
        with two(start, upstream, first, second, entry={"timeouts": {"total": "2s"}}) as wild:
            said = ask(wild, "native")
            assert "'a'" in json.dumps(said.error) and said.text.startswith(FIRST)
            run = wild.client.run(said.headers["x-run-id"])
            assert [a["provider"] for a in run["attempt_list"]] == ["a", "b"]
            assert run["error"]["code"] == "stream_incomplete"
            metrics = wild.client.get("/metrics").ok().body.decode()
            assert 'outcome="total_timeout"' in metrics


def test_both_attempts_count_for_the_limit_of_tokens(start, upstream, script):
    first, second = script(up.sse(), up.role(), up.text("x" * 4000), up.hang_up()), script(up.stream(SECOND))
    with two(start, upstream, first, second, args=["--admin-listen", "127.0.0.1:0"]) as wild:
        key = keys.known(wild.gateway, keys.make(wild.gateway, "--limit", "tokens=2000/1m"))["key"]
        with keys.client_of(wild.gateway, key) as client:
            asker = Wild(wild.gateway, client)
            assert asker.ask("chat", None, "m", stream=True, text="hi").error is None
            reply = client.post("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "hi"}]})
            assert int(reply.headers["x-ratelimit-remaining-tokens"]) < 1100


@pytest.mark.parametrize("shape", ["openai", "lmc"])
def test_a_kill_after_it_went_on_loses_nothing(start, upstream, script, shape):
    gate = up.Gate()
    first = script(up.sse(), up.role(), up.text(FIRST), up.hang_up())
    second = script(up.sse(), up.role(), up.text(SECOND), up.wait(gate))
    body = {"messages": ["hi"], "config": {"model": "m"}, "stream": True, "format": shape}
    with two(start, upstream, first, second, args=["--durability", "strict"]) as wild:
        with wild.client.http.stream("POST", "/v1/chat", json=body) as stream:
            run, got = stream.headers["x-run-id"], b""
            for piece in stream.iter_raw():
                got += piece
                if b"hot water" in got:
                    break
            wild.gateway.kill()
        wild.gateway.start()
        with Client(wild.gateway.url) as client:
            ended = wait_until(lambda: (r := client.run(run))["status"] == "incomplete" and r, "its end")
            assert client.items(ended["conversation"])["data"][-1]["content"][0]["text"] == FIRST + SECOND
            assert [a["provider"] for a in ended["attempt_list"]] == ["a", "b"]
            again = client.http.get(f"/v1/runs/{run}/events?format={shape}").content
            assert again.startswith(got) and b'"resumed":{"provider":"b"' in again


def test_the_sdks_see_one_answer(start, upstream, script):
    """The streams of the packages gather an answer, and check what they gather."""
    first, second = script(up.sse(), up.role(), up.text(FIRST), up.hang_up()), script(up.stream(SECOND))
    with two(start, upstream, first, second) as wild:
        url, hi = wild.gateway.url, [{"role": "user", "content": "hi"}]
        with openai.OpenAI(base_url=url + "/v1", api_key="x", timeout=DEADLINE, max_retries=0) as sdk:
            with sdk.chat.completions.stream(model="m", messages=hi) as stream:
                list(stream)
                choice = stream.get_final_completion().choices[0]
            assert (choice.message.content, choice.finish_reason) == (FIRST + SECOND, "stop")
            with sdk.responses.stream(model="m", input="hi", store=False) as stream:
                list(stream)
                answer = stream.get_final_response()
            assert (answer.output_text, answer.status, len(answer.output)) == (FIRST + SECOND, "completed", 1)
        with anthropic.Anthropic(base_url=url, api_key="x", timeout=DEADLINE, max_retries=0) as sdk:
            with sdk.messages.stream(model="m", max_tokens=50, messages=hi) as stream:
                list(stream)
                answer = stream.get_final_message()
            assert (answer.content[0].text, len(answer.content)) == (FIRST + SECOND, 1)
            assert answer.stop_reason == "end_turn"


# --- an API's own events that are passed on ---


def native(*events):
    wire = WIRE["anthropic"]
    return script_of(wire, [e for block in events for e in block])


def script_of(wire, events):
    return [*wire._stream(*events, end=())[:-1], up.hang_up()]


def test_a_client_of_anthropic_s_sees_one_message(start, upstream, script):
    """The provider's own events reach the client as they are, and the rest joins them."""
    wire, second = WIRE["anthropic"], script(up.stream(SECOND))
    thought = wire._block(0, {"type": "thinking", "thinking": "", "signature": ""},
                          [{"type": "thinking_delta", "thinking": "hm"}, {"type": "signature_delta", "signature": "Q"}])
    said = wire._text(*PIECES, index=1)
    ways = {"in the text": ([thought, said[:-1]], ["thinking", "text"], FIRST),
            "between": ([thought, said], ["thinking", "text", "text"], FIRST),
            "in the thoughts": ([thought[:2]], ["thinking", "text"], ""),
            "behind the thoughts": ([thought], ["thinking", "text"], "")}
    for why, (events, blocks, text) in ways.items():
        with two(start, upstream, script(*native(*events)), second, one="anthropic") as wild:
            with anthropic.Anthropic(base_url=wild.gateway.url, api_key="x", timeout=DEADLINE, max_retries=0) as sdk:
                with sdk.messages.stream(model="m", max_tokens=2000, messages=[{"role": "user", "content": "hi"}],
                                         thinking={"type": "enabled", "budget_tokens": 1024}) as stream:
                    list(stream)
                    answer = stream.get_final_message()
            assert [b.type for b in answer.content] == blocks, why
            assert "".join(b.text for b in answer.content if b.type == "text") == text + SECOND, why
            assert answer.content[0].thinking == "hm" and answer.stop_reason == "end_turn", why


def test_what_only_anthropic_can_fill_does_not_go_on(start, upstream, script):
    wire = WIRE["anthropic"]
    tool = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    stop = [{"type": "message_delta", "usage": wire.usage, "delta": {"stop_reason": "end_turn", "stop_sequence": None}}]
    for more in (wire._block(1, tool, [])[:1], stop):
        second = script(up.stream(SECOND))
        with two(start, upstream, script(*native(wire._text(FIRST), more)), second, one="anthropic") as wild:
            assert ask(wild, "messages").error and not second.exchanges


class Thinker(OpenAIResponses):
    """Answers with reasoning of two parts, and with what only this API has."""

    thought = {"id": "rs_up", "type": "reasoning", "encrypted_content": "gAAA+/=", "summary": [
        {"type": "summary_text", "text": t} for t in ("hm", "tea")]}
    probability = {"token": "T", "bytes": [84], "logprob": -0.5, "top_logprobs": []}

    def thinks(self):
        at = {"item_id": "rs_up", "output_index": 0}
        yield {"type": "response.output_item.added", "output_index": 0, "item": {**self.thought, "summary": []}}
        for n, part in enumerate(self.thought["summary"]):
            at["summary_index"] = n
            yield {"type": "response.reasoning_summary_part.added", **at, "part": {**part, "text": ""}}
            yield {"type": "response.reasoning_summary_text.delta", **at, "delta": part["text"]}
            yield {"type": "response.reasoning_summary_text.done", **at, "text": part["text"]}
            yield {"type": "response.reasoning_summary_part.done", **at, "part": part}
        yield {"type": "response.output_item.done", "output_index": 0, "item": self.thought}

    def says(self):
        for event in self._text(PIECES, 1)[0]:
            if "item" in event:
                event["item"]["phase"] = "final_answer"
            if event["type"].startswith("response.output_text"):
                event["logprobs"] = [self.probability] * (1 if "delta" in event else len(PIECES))
            yield event

    def cut(self, *events):
        return [*self._stream(*events)[:-1], up.hang_up()]


def test_a_client_of_the_responses_api_sees_one_response(start, upstream, script):
    """Wherever the provider's own events end, the rest joins them: in the text that is open, else in further items."""
    wire = Thinker()
    events = [*wire.thinks(), *wire.says()]
    first, second = script(up.hang_up()), script(WIRE["openai"].say(SECOND, reasoning=" or coffee"))
    ways = {range(3, 11): "rs rs msg", range(11, 13): "rs msg rs", range(13, 18): "rs msg", range(18, 21): "rs msg msg"}
    body = {"input": "hi", "include": ["message.output_text.logprobs"]}
    with two(start, upstream, first, second, one="openai-responses") as wild, \
            openai.OpenAI(base_url=wild.gateway.url + "/v1", api_key="x", timeout=DEADLINE, max_retries=0) as sdk:
        for k, want in [(k, want) for ks, want in ways.items() for k in ks]:
            first.steps = tuple(wire.cut(*events[:k]))
            text = "".join(PIECES[:max(0, k - 12)]) + SECOND
            for store in (False, True):
                said = wild.post("responses", None, "m", {**body, "store": store}, True)
                last = responses.check_events(said.body)
                assert (said.text, said.error) == (text, None), (k, said)
                assert " ".join(i["id"].split("_")[0] for i in last["output"]) == want, (k, last)
                message = next(i for i in last["output"] if i["type"] == "message")
                assert (message.get("phase") == "final_answer") == (k > 10), (k, last)
            with sdk.responses.stream(model="m", **body) as stream:
                list(stream)
                assert stream.get_final_response().output_text == text
            kept = wild.client.get(f"/v1/responses/{last['id']}").ok().json
            assert responses.text_of(kept) == text and kept["status"] == "completed"
            with wild.client.http.stream("GET", f"/v1/responses/{last['id']}?stream=true") as again:
                assert responses.events_of(Stream(again, "GET")) == said.body
        # The next turn has all of the text, whoever is asked.
        first.steps = (wire.whole("ok"),)
        wild.post("responses", None, "m", {"input": "and?", "previous_response_id": last["id"]})
        assert escaped(text) in json.dumps(first.exchanges[-1].request.json["input"], ensure_ascii=False)


def test_what_only_its_provider_can_do_does_not_go_on(start, upstream, script):
    """Calls, the provider's own tools, annotations, several open items."""
    wire = Thinker()
    text = list(wire.says())[:4]
    item = {"type": "response.output_item.added", "output_index": 2}
    at = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    search = {"id": "ws_1", "type": "web_search_call", "status": "in_progress", "action": {"type": "search", "query": "t"}}
    more = {"a call": [{**item, "item": wire._call("f", "c", "")}], "a search": [{**item, "item": search}],
            "a note": [{"type": "response.output_text.annotation.added", **at, "annotation_index": 0, "annotation": {}}],
            "two at once": [{**item, "item": {**wire._message(""), "id": "msg_2", "content": []}}],
            "a refusal": [{"type": "response.content_part.added", **at, "part": {"type": "refusal", "refusal": ""}}],
            "its end": [{"type": "response.completed", "response": wire._response("completed", [])}]}
    first, second = script(up.hang_up()), script(up.stream(SECOND))
    with two(start, upstream, first, second, one="openai-responses") as wild:
        for why, events in more.items():
            first.steps = tuple(wire.cut(*wire.thinks(), *text, *events))
            said = ask(wild, "responses")
            assert not second.exchanges and (said.error or why == "its end"), why
