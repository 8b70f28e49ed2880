"""`resume: restart`: after kill -9, the next process goes on with the answers that were cut, under their ids."""

import collections
import contextlib
import json
import random
import signal
import threading
import time

import httpx
import pytest

import keys
import sse
import upstream as up
from client import Client
from fixtures import provider
from test_resume import LINE
from test_takeover import succeed  # noqa: F401
from waiting import wait_until

PIECES = ("Tea \u8336 is ", "a drink:\n", "```py\nprint('", "\U0001f375')\n```\n", "and it is made")
FIRST, SECOND = "".join(PIECES), " of leaves and hot water."
PRICE = {"input": "1000000", "output": "1000000"}

BODIES = {
    "chat": ("/v1/chat", {"messages": ["Tell me of tea"], "config": {"temperature": 0.5, "max_tokens": 99}}),
    "lmc": ("/v1/chat", {"messages": ["Tell me of tea"], "format": "lmc", "instruction": "Be short."}),
    "completions": ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Tell me of tea"}],
                                             "store": True, "temperature": 0.5}),
    "responses": ("/v1/responses", {"input": "Tell me of tea", "instructions": "Be short.", "store": True}),
}
FAMILIES = list(BODIES)


def config(upstream, first, second=None, resume="restart", **model):
    """A model `m` that asks the script `first`; with a second one, its fallback asks that."""
    model = json.dumps(model)  # no two entries have one object
    made = [{"name": "m", "provider": "a", "upstream_model": first.name, "resume": resume, **json.loads(model)}]
    if second:
        made[0]["fallback"] = ["f"]
        made.append({"name": "f", "provider": "b", "upstream_model": second.name, **json.loads(model)})
    return {"providers": [provider(upstream, "a"), provider(upstream, "b")], "models": made, "log_format": "json", "commit_after": "50ms"}


def gated(script, steps, second):
    """A script that stops after its steps, and another one for whoever asks again; and the gate."""
    gate = up.Gate()
    first = [*steps, up.wait(gate)]
    return gate, script(up.in_turn(first, second))


def body_of(family, **more):
    path, body = BODIES[family]
    config = {**body.get("config", {}), **more.pop("config", {}), "model": "m"} if path == "/v1/chat" else None
    return path, {**body, **({"config": config} if config else {"model": "m"}), "stream": True, **more}


def run_of(stream):
    return stream.headers["x-run-id"]


def logged(gateway):
    """The number of the last event in the log of the newest run."""
    return int(gateway.rows("SELECT coalesce(max(last), 0) FROM event WHERE run = (SELECT max(id) FROM run)")[0][0])


def kill(gateway, stream, gate, last=0):
    """The blocks that the client has got when the gateway is killed while its provider waits, and the log has so
    many events."""
    gate.wait_reached()
    wait_until(lambda: logged(gateway) >= last, f"event {last} in the log")
    gateway.kill()
    with contextlib.suppress(httpx.HTTPError):
        list(stream)
    return [b for b in stream.seen if not b.is_comment]


def ended(client, run, status="completed"):
    wait_until(lambda: client.run(run)["status"] not in ("queued", "running"), "the end of the run")
    got = client.run(run)
    assert got["status"] == status, got
    return got


def answer_of(client, run):
    return client.items(run["conversation"])["data"][-1]["content"][0]["text"]


def followed(client, run, family, after=None):
    """What a reader gets that comes back with the number of the last block that it has."""
    path = f"/v1/runs/{run}/events?format={'lmc' if family == 'lmc' else 'openai'}"
    if family == "responses":
        path = f"/v1/responses/{run.replace('run_', 'resp_')}?stream=true" + (f"&starting_after={after}" if after else "")
    response = client.http.send(client.http.build_request(
        "GET", path, headers={"Last-Event-ID": after} if after and family != "responses" else {}), stream=True)
    try:
        blocks = sse.Blocks(response.iter_raw())
        return [b for b in blocks if not b.is_comment]
    finally:
        response.close()


def text_of(blocks, family):
    """The text of a stream's blocks."""
    made = ""
    for b in blocks:
        if b.data in (None, "[DONE]"):
            continue
        j = b.json
        if family == "responses":
            made += j["delta"] if j["type"] == "response.output_text.delta" else ""
        elif family == "lmc":
            made += j.get("content", "") if j.get("type") in ("message", "code") else ""
        else:
            made += "".join((c["delta"].get("content") or "") for c in j.get("choices", []))
    return made


def shown(text, family):
    """What LMC shows of a text with fences, and without the ends of its lines."""
    return text.replace("```py", "").replace("```", "").replace("\n", "") if family == "lmc" else text


def number(block, family):
    if family == "responses":
        return (block.json["sequence_number"],)
    return tuple(map(int, block.id.split("."))) if block.id else None


def numbers(blocks, family):
    return [n for b in blocks if b.data != "[DONE]" and (n := number(b, family)) is not None]


def last_id(blocks, family="chat"):
    """What its client tells when it comes back: nothing, where it has got nothing."""
    return ".".join(map(str, number(blocks[-1], family) or ())) if blocks else None


CUTS = range(len(PIECES) + 2)  # how many steps of the provider come before the death


@pytest.mark.parametrize("family", FAMILIES)
def test_each_event_may_be_the_last_one(start, upstream, script, family):
    steps = [up.sse(), up.role(), *[up.text(p) for p in PIECES]]
    gates, scripts = zip(*[gated(script, steps[:n + 1], up.stream(SECOND)) for n in CUTS])
    g = start({**config(upstream, scripts[0]),
               "models": [config(upstream, s)["models"][0] | {"name": f"m{n}"} for n, s in enumerate(scripts)]})
    for n, (gate, s) in enumerate(zip(gates, scripts)):
        path, body = body_of(family)
        body = json.loads(json.dumps(body).replace('"model": "m"', f'"model": "m{n}"'))
        with Client(g.url) as client, client.stream(path, body) as stream:
            before = kill(g, stream, gate, n + 1)
            run = run_of(stream)
        g.start()
        with Client(g.url) as client:
            last = last_id(before, family)
            rest = followed(client, run, family, last)
            got = ended(client, run)
            whole = followed(client, run, family)
            old = "".join(PIECES[:max(n - 1, 0)])  # before the first one, the role
            assert answer_of(client, got) == old + SECOND, (n, got)
            assert shown(text_of(whole, family), family) == shown(old + SECOND, family)
            assert (got["attempts"], got["finish_reason"]) == (2, "stop"), got
            if family != "completions":
                assert text_of(before, family) + text_of(rest, family) == text_of(whole, family), (n, before, rest)
                assert numbers(before, family) + numbers(rest, family) == numbers(whole, family)
                assert numbers(whole, family) == sorted(set(numbers(whole, family)))
            assert len(s.exchanges) == 2
            sent = [x.request.json for x in s.exchanges]
            again = sent[1]["messages"]
            assert again[:len(sent[0]["messages"])] == sent[0]["messages"]
            if old:
                assert [m["content"] for m in again[-2:]] == [old, LINE]
            one, two = ({k: v for k, v in x.items() if k not in ("messages", "max_tokens")} for x in sent)
            assert one == two
            if "max_tokens" in sent[0]:  # what was said is taken off
                assert (sent[0]["max_tokens"] > sent[1]["max_tokens"]) == bool(old)


def one(upstream, script, second=None, steps=None, **more):
    """(gate, script, configuration) of a model whose first answer stops after FIRST."""
    steps = steps or [up.sse(), up.role(), up.text(FIRST)]
    gate, s = gated(script, steps, second or up.stream(SECOND))
    return gate, s, config(upstream, s, **more)


def cut(gateway, family="chat", gate=None, last=3, headers=None, key=None, **more):
    """Asks, kills the gateway when the log has its events, and returns the id and the blocks."""
    path, body = body_of(family, **more)
    with Client(gateway.url, keys.bearer(key) if key else None) as client, \
            client.stream(path, body, headers) as stream:
        run = run_of(stream)
        return run, kill(gateway, stream, gate, last)


def as_ever(client, run):
    """The run has the end that recovery gives."""
    got = ended(client, run, "incomplete")
    assert got["error"]["code"] == "server_stopped", got
    assert answer_of(client, got) == FIRST
    return got


def test_a_background_run_and_its_key(start, upstream, script):
    gate, s, conf = one(upstream, script)
    g = start(conf)
    path, body = body_of("chat", background=True)
    body.pop("stream")
    headers = {"Idempotency-Key": "tea"}
    with Client(g.url) as client:
        run = client.post(path, body, headers=headers).ok(202).json["id"]
        gate.wait_reached()
        wait_until(lambda: logged(g) >= 3, "its log")
    g.kill()
    g.start()
    with Client(g.url) as client:
        again = client.post(path, body, headers=headers).ok(202).json
        assert again["id"] == run
        assert answer_of(client, ended(client, run)) == FIRST + SECOND
        assert client.post(path, body, headers=headers).ok(202).json["status"] == "completed"
        assert len(s.exchanges) == 2


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_key_gets_the_same_answer(start, upstream, script, family):
    gate, s, conf = one(upstream, script)
    g = start(conf)
    headers = {"Idempotency-Key": "tea"}
    run, before = cut(g, family, gate, headers=headers)
    g.start()
    path, body = body_of(family)
    with Client(g.url) as client:
        with client.stream(path, body, headers) as stream:
            assert run_of(stream) == run and stream.headers["idempotency-replayed"] == "true"
            whole = [b for b in stream if not b.is_comment]
        assert shown(text_of(whole, family), family) == shown(FIRST + SECOND, family)
        assert [b.raw for b in whole[:len(before)]] == [b.raw for b in before]
        assert whole[-1].data == "[DONE]" or family in ("responses", "lmc")
        assert len(s.exchanges) == 2
        ended(client, run)


PLAIN = {
    **BODIES,
    "messages": ("/v1/messages", {"max_tokens": 99, "messages": [{"role": "user", "content": "Tell me of tea"}]}),
}


def plain(client, family, headers):
    path, body = PLAIN[family]
    config = {"config": {**body.get("config", {}), "model": "m"}} if path == "/v1/chat" else {"model": "m"}
    return client.post(path, {**body, **config}, headers=headers)


@pytest.mark.parametrize("family", PLAIN)
def test_a_plain_call_is_asked_again(start, upstream, script, family):
    """Its client has nothing of the answer: whoever asks with its key gets the one of the run that went on."""
    gate, late = up.Gate(), up.Gate()
    s = script(up.in_turn([up.wait(gate)], [up.sse(), up.role(), up.text(FIRST), up.wait(late), up.text(SECOND),
                                            *up.ending()], up.reply(up.completion(FIRST + SECOND))))
    g = start(config(upstream, s, price=PRICE))
    headers = {"Idempotency-Key": "tea", "x-parley-store": "true"}

    def lose():
        with contextlib.suppress(httpx.HTTPError), Client(g.url) as client:
            plain(client, family, headers)
    first = threading.Thread(target=lose)
    first.start()
    gate.wait_reached()
    g.kill()
    first.join()
    g.start()
    late.wait_reached()  # it goes on before anybody asks for it
    with Client(g.url) as client:
        answers = []
        again = threading.Thread(target=lambda: answers.append(plain(client, family, headers).ok()))
        again.start()
        run = client.get("/v1/runs").ok().json["data"][0]["id"]
        assert client.run(run)["status"] == "running"
        late.open()
        again.join()
        got = ended(client, run)
        answers.append(plain(client, family, headers).ok())
        assert answers[0].body == answers[1].body and answers[0].headers["x-run-id"] == run
        assert len(s.exchanges) == 2 and [a["outcome"] for a in got["attempt_list"]] == ["lost", "completed"]
        assert answer_of(client, got) == FIRST + SECOND
        assert text_of(followed(client, run, "chat"), "chat") == FIRST + SECOND
        whole = plain(client, family, {"x-parley-store": "true"}).ok()  # a call that nobody killed
        assert shape_of(whole.json) == shape_of(answers[0].json)
        other = whole.headers["x-run-id"]
        assert text_of(followed(client, other, "chat"), "chat") == FIRST + SECOND
        assert g.rows("SELECT count(*) FROM event WHERE run = (SELECT max(id) FROM run)")[0][0] in (0, "0")


def shape_of(value):
    """A JSON value without what differs between two answers of one text, one of them in its provider's bytes."""
    if isinstance(value, dict):
        return {k: shape_of(v) for k, v in value.items() if v is not None and k not in ("usage", "model")}
    if isinstance(value, list):
        return [shape_of(v) for v in value]
    return value if isinstance(value, str) and not any(c.isdigit() for c in value) else type(value).__name__


@pytest.mark.parametrize("second", ["refused", "hung up"])
def test_a_plain_call_that_fails_again(start, upstream, script, second):
    """Its key is free."""
    gate = up.Gate()
    s = script(up.in_turn([up.wait(gate)], FAILS[second], up.reply(up.completion("tea"))))
    g = start(config(upstream, s))
    headers = {"Idempotency-Key": "tea"}

    def lose():
        with contextlib.suppress(httpx.HTTPError), Client(g.url) as client:
            plain(client, "chat", headers)
    first = threading.Thread(target=lose)
    first.start()
    gate.wait_reached()
    g.kill()
    first.join()
    g.start()
    with Client(g.url) as client:
        run = client.get("/v1/runs").ok().json["data"][0]["id"]
        ended(client, run, "failed")
        assert plain(client, "chat", headers).ok().text == "tea" and len(s.exchanges) == 3


def test_it_goes_on_once(start, upstream, script):
    gate, other = up.Gate(), up.Gate()
    s = script(up.in_turn([up.sse(), up.role(), up.text(FIRST), up.wait(gate)],
                          [up.sse(), up.role(), up.text(SECOND), up.wait(other)], up.reply(up.completion("more"))))
    g = start(config(upstream, s, price=PRICE))
    run, before = cut(g, "chat", gate)
    g.start()
    other.wait_reached()
    wait_until(lambda: logged(g) >= 5, "what the second one said")  # after that it goes on
    g.kill()
    g.start()
    with Client(g.url) as client:
        got = ended(client, run, "incomplete")
        assert got["error"]["code"] == "server_stopped" and answer_of(client, got) == FIRST + SECOND
        assert len(s.exchanges) == 2 and got["attempts"] == 2
        rest = followed(client, run, "chat", last_id(before))
        assert text_of(before, "chat") + text_of(rest, "chat") == FIRST + SECOND
        assert len([b for b in rest if "error" in b.data]) == 1
        more = client.post(f"/v1/runs/{run}/continue", {}).ok().json  # as of any such run
        assert more["run"] != run


def test_a_death_before_it_goes_on(start, upstream, script):
    """Whoever dies between taking it up and asking has taken its one chance."""
    gate, late = up.Gate(), up.Gate()
    s = script(up.in_turn([up.sse(), up.role(), up.text(FIRST), up.wait(gate)], [up.wait(late), up.hang_up()]))
    g = start(config(upstream, s))
    run, _ = cut(g, "chat", gate)
    g.start()
    late.wait_reached()
    g.kill()
    g.start()
    with Client(g.url) as client:
        as_ever(client, run)


FAILS = {
    "refused": up.reply({"error": {"message": "no"}}, 400),
    "hung up": up.hang_up(),
    "more text": [up.sse(), up.role(), up.text(SECOND), up.hang_up()],
}


@pytest.mark.parametrize("how", FAILS)
def test_the_second_one_fails(start, upstream, script, how):
    gate, s, conf = one(upstream, script, second=FAILS[how], price=PRICE)
    g = start(conf)
    run, before = cut(g, "chat", gate)
    g.start()
    with Client(g.url) as client:
        got = ended(client, run, "incomplete")
        more = SECOND if how == "more text" else ""
        assert got["error"]["code"] == "server_stopped" and answer_of(client, got) == FIRST + more
        rest = followed(client, run, "chat", last_id(before))
        assert text_of(before, "chat") + text_of(rest, "chat") == FIRST + more
        assert 'parley_resumed_total{upstream="a",result="' in client.get("/metrics").ok().body.decode()
        past = got["attempt_list"]
        assert len(past) == got["attempts"] == 2 and [a["outcome"] for a in past] == ["lost", "failed"]
        assert past[0]["ended_at_ms"] is None and past[1]["error_code"] != "server_stopped"


def test_nobody_had_seen_anything(start, upstream, script):
    """It is asked again as if it were new, and fails as such."""
    for second, status in ((up.stream(SECOND), "completed"), (up.reply({"error": {"message": "no"}}, 400), "failed")):
        gate, s, conf = one(upstream, script, second, steps=[up.sse()], price=PRICE)
        g = start(conf)
        run, before = cut(g, "chat", gate, 1)
        assert not before
        g.start()
        with Client(g.url) as client:
            got = ended(client, run, status)
            sent = [x.request.json for x in s.exchanges]
            assert sent[0] == sent[1] and len(sent) == 2
            assert [a["outcome"] for a in got["attempt_list"]] == ["lost", status]
            if status == "completed":
                whole = followed(client, run, "chat")
                assert answer_of(client, got) == text_of(whole, "chat") == SECOND
                assert "resumed" not in b"".join(b.raw for b in whole).decode()
            else:
                assert got["error"]["code"] != "server_stopped"
        g.stop()


def test_between_two_attempts(start, upstream, script):
    s = script(up.in_turn(up.reply({"error": {"message": "later"}}, 503, headers=[("Retry-After", "2")]),
                          up.stream(SECOND)))
    conf = config(upstream, s)
    conf["providers"][0]["retries"] = 1
    g = start(conf)
    path, body = body_of("chat", background=True)
    body.pop("stream")
    with Client(g.url) as client:
        run = client.post(path, body).ok(202).json["id"]
        wait_until(lambda: g.rows("SELECT 1 FROM run WHERE attempt_log LIKE '%503%' AND status < 2"), "the first one")
    g.kill()
    g.start()
    with Client(g.url) as client:
        got = ended(client, run)
        assert answer_of(client, got) == SECOND and got["attempts"] == 2
        assert [(a["outcome"], a["http_status"]) for a in got["attempt_list"]] == [("failed", 503), ("completed", 200)]


def test_a_fallback_goes_on(start, upstream, script):
    gate = up.Gate()
    first = script(up.in_turn([up.sse(), up.role(), up.text(FIRST), up.wait(gate)], up.reply({"error": {}}, 503)))
    second = script(up.stream(SECOND))
    first.name = 'the "green" tea'
    upstream.scripts[first.name] = first
    g = start(config(upstream, first, second, resume=["restart", "fallback"], price=PRICE))
    run, _ = cut(g, "chat", gate)
    g.start()
    with Client(g.url) as client:
        got = ended(client, run)
        assert answer_of(client, got) == FIRST + SECOND and got["provider"] == "b"
        assert [(a["provider"], a["model"]) for a in got["attempt_list"]] == [
            ("a", first.name), ("a", first.name), ("b", second.name)]
        assert 'parley_resumed_total{upstream="b",result="ok"} 1' in client.get("/metrics").ok().body.decode()
        assert '"resumed":{"provider":"b","at":' in b"".join(b.raw for b in followed(client, run, "chat")).decode()


TOOL_CALL = {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{"}}]}
NEVER = {
    "a tool call": [up.sse(), up.role(), up.text(FIRST), up.data(up.chunk(TOOL_CALL))],
    "a refusal": [up.sse(), up.role(), up.text(FIRST), up.data(up.chunk({"refusal": "no"}))],
    "its end": [up.sse(), up.role(), up.text(FIRST), up.data(up.chunk({}, "stop"))],
}


@pytest.mark.parametrize("name", NEVER)
def test_what_can_not_be_unsaid_does_not_go_on(start, upstream, script, name):
    gate, s, conf = one(upstream, script, steps=NEVER[name])
    g = start(conf)
    run, _ = cut(g, "chat", gate, 4, config={"tools": [{"type": "function", "function": {"name": "f"}}]})
    g.start()
    with Client(g.url) as client:
        got = ended(client, run, "incomplete")
        assert got["error"]["code"] == "server_stopped" and len(s.exchanges) == 1
        assert FIRST in json.dumps(client.items(got["conversation"]), ensure_ascii=False).replace("\\n", "\n")
        g.wait_log("run_not_taken_up")


def test_others_end_as_ever(start, upstream, script):
    """A model without it, a header against it, and one that has lost it meanwhile."""
    for resume, header, after in (("off", None, "off"), ("restart", "off", "restart"), ("restart", None, "off"),
                                  ("fallback", None, "restart")):
        gate, s, conf = one(upstream, script, resume=resume)
        if resume == "fallback":
            conf["models"][0]["fallback"] = ["f"]
            conf["models"].append({"name": "f", "provider": "b"})
        g = start(conf)
        run, _ = cut(g, "chat", gate, 2, headers={"x-parley-resume": header} if header else None)
        conf["models"][0]["resume"] = after
        g.write_config(conf)
        g.start()
        with Client(g.url) as client:
            as_ever(client, run)
        assert len(s.exchanges) == 1
        g.stop()


def test_a_request_that_ends_in_an_answer_and_json(start, upstream, script):
    """What the model has to go on with in the middle is its own beginning only where it prefills."""
    for prefill in (False, True):
        gate, s, conf = one(upstream, script, prefill=prefill)
        g = start(conf)
        run, _ = cut(g, "completions", gate, response_format={"type": "json_object"})
        g.start()
        with Client(g.url) as client:
            got = ended(client, run, "completed" if prefill else "incomplete")
            assert len(s.exchanges) == 1 + prefill and answer_of(client, got) == FIRST + SECOND * prefill
            if prefill:
                assert s.exchanges[1].request.json["response_format"] == {"type": "json_object"}
        g.stop()


def reserved(gateway):
    return int(gateway.rows("SELECT count(*) FROM reservation")[0][0])


@pytest.mark.parametrize("what", ["spent", "enough", "revoked"])
def test_its_key(start, upstream, script, what):
    gate, s, conf = one(upstream, script, price={"input": "1", "output": "1000"}, max_output=1000)
    g = start(conf, args=["--admin-listen", "127.0.0.1:0"])
    made = keys.known(g, keys.make(g, "--budget", "100" if what == "enough" else "1.1"))
    run, _ = cut(g, "chat", gate, key=made["key"], config={"max_tokens": 1000})
    other = keys.make(g, "--budget", "5")
    if what == "revoked":
        keys.command(g, "revoke", made["id"])
    g.start()
    key = other["key"] if what == "revoked" else made["key"]
    if what == "revoked":
        wait_until(lambda: "run_not_taken_up" in g.log(), "its end")
        assert len(s.exchanges) == 1
        wait_until(lambda: not reserved(g), "the end of its reservation")
        return
    with Client(g.url, keys.bearer(key)) as client:
        if what == "spent":
            as_ever(client, run)
            assert len(s.exchanges) == 1
        else:
            assert answer_of(client, ended(client, run)) == FIRST + SECOND
        assert not reserved(g)
        budget = client.get("/v1/usage").ok().json["budget"]["cost"]
        assert float(budget["spent"]) == float(client.run(run)["cost"]) > 0 and budget["reserved"] == "0"


@pytest.mark.parametrize("before, after", [("1.1", "none"), ("none", "100")])
def test_the_budget_of_its_key_has_changed(start, upstream, script, before, after):
    """It has the reservation that it had, or makes its first one."""
    gate, _, conf = one(upstream, script, price={"input": "1", "output": "1000"}, max_output=1000)
    g = start(conf, args=["--admin-listen", "127.0.0.1:0"])
    made = keys.known(g, keys.make(g, *(() if before == "none" else ("--budget", before))))
    run, _ = cut(g, "chat", gate, key=made["key"], config={"max_tokens": 1000})
    keys.command(g, "update", made["id"], "--budget", after)
    g.start()
    with Client(g.url, keys.bearer(made["key"])) as client:
        assert answer_of(client, ended(client, run)) == FIRST + SECOND
        wait_until(lambda: not reserved(g), "the end of its reservation")
        (spent, left), = g.rows("SELECT spent_nano, reserved_nano FROM budget")
        assert int(left) == 0 and int(spent) == float(client.run(run)["cost"]) * 10**9 > 0


@pytest.mark.parametrize("cancelled", [False, True])
def test_they_take_their_places_among_the_calls(start, upstream, script, cancelled):
    gates, late = [up.Gate(), up.Gate()], [up.Gate(), up.Gate()]
    first = [up.sse(), up.role(), up.text(FIRST)]
    s = script(up.in_turn(*[[*first, up.wait(g)] for g in gates],
                          *[[up.sse(), up.role(), up.wait(g), up.text(SECOND), *up.ending()] for g in late]))
    conf = config(upstream, s)
    g = start(conf)
    path, body = body_of("chat")
    with Client(g.url) as client, client.stream(path, body) as one, client.stream(path, body) as two:
        runs = [run_of(one), run_of(two)]
        for gate in gates:
            gate.wait_reached()
        wait_until(lambda: g.rows("SELECT count(*) FROM event WHERE last >= 3")[0][0] in (2, "2"), "their logs")
        g.kill()
    g.write_config({**conf, "max_calls": 1, "max_waiting": 0})
    g.start()
    with Client(g.url) as client:
        late[0].wait_reached()
        client.chat("hi", model="m").error(503, "overloaded")
        assert len(s.exchanges) == 3 and {client.run(run)["status"] for run in runs} == {"running"}
        if cancelled:  # while it waits for its place
            waits = next(r for r in runs if client.run(r)["attempts"] == 1)
            assert client.post(f"/v1/runs/{waits}/cancel").ok().json["status"] == "cancelled"
            assert answer_of(client, client.run(waits)) == FIRST
            late[0].open()
            assert answer_of(client, ended(client, next(r for r in runs if r != waits))) == FIRST + SECOND
            assert len(s.exchanges) == 3
            return
        late[0].open()
        late[1].wait_reached()  # its turn, when the other one has ended
        late[1].open()
        assert [answer_of(client, ended(client, run)) for run in runs] == [FIRST + SECOND] * 2


@pytest.mark.parametrize("limit, goes", [("requests=1/1h", False), ("requests=2/1h", True)])
def test_they_take_of_the_limits_of_their_key(start, upstream, script, limit, goes):
    """A new process has counted nothing yet, and counts the runs that it takes up."""
    gate, s, conf = one(upstream, script)
    g = start(conf, args=["--admin-listen", "127.0.0.1:0"])
    made = keys.known(g, keys.make(g, "--limit", limit))
    run, _ = cut(g, "chat", gate, key=made["key"])
    g.start()
    with Client(g.url, keys.bearer(made["key"])) as client:
        ended(client, run)
        reply = client.post("/v1/chat", {"messages": ["hi"], "config": {"model": "m"}})
        assert (reply.status != 429) == goes


def test_a_run_that_goes_on_can_be_cancelled(start, upstream, script):
    gate, late = up.Gate(), up.Gate()
    s = script(up.in_turn([up.sse(), up.role(), up.text(FIRST), up.wait(gate)], [up.sse(), up.role(), up.wait(late)]))
    g = start(config(upstream, s))
    run, _ = cut(g, "chat", gate)
    g.start()
    late.wait_reached()
    with Client(g.url) as client:
        client.post(f"/v1/runs/{run}/cancel")
        got = ended(client, run, "cancelled")
        assert answer_of(client, got) == FIRST


def test_the_conversation_goes_on_after_it(start, upstream, script):
    """The restarted answer is a turn like others: what came before it was sent, and it is with the next one."""
    gate, s, conf = one(upstream, script)
    s = script(up.in_turn(up.reply(up.completion("First.")), [up.sse(), up.role(), up.text(FIRST), up.wait(gate)],
                          up.stream(SECOND), up.reply(up.completion("Last."))))
    g = start(config(upstream, s))
    with Client(g.url) as client:
        first = client.chat("one", model="m", instruction="Be short.").ok().json
    path, body = body_of("chat", conversation=first["conversation"], messages=["two"])
    with Client(g.url) as client, client.stream(path, body) as stream:
        run = run_of(stream)
        kill(g, stream, gate, 3)
    g.start()
    with Client(g.url) as client:
        ended(client, run)
        client.chat("three", model="m", conversation=first["conversation"]).ok()
    sent = [x.request.json["messages"] for x in s.exchanges]
    assert sent[2][:-2] == sent[1]
    assert [m["content"] for m in sent[3]] == ["Be short.", "one", "First.", "two", FIRST + SECOND, "three"]


def test_a_run_that_continues_another_one(start, upstream, script):
    gate = up.Gate()
    s = script(up.in_turn([up.sse(), up.role(), up.text("One, "), up.hang_up()],
                          [up.sse(), up.role(), up.text("two, "), up.wait(gate)], up.stream("three.")))
    g = start(config(upstream, s))
    with Client(g.url) as client, client.chat_stream("count", model="m") as stream:
        list(stream)
        first = run_of(stream)
    with Client(g.url) as client, client.stream(f"/v1/runs/{first}/continue", {"stream": True}) as stream:
        run = run_of(stream)
        kill(g, stream, gate, 3)
    g.start()
    with Client(g.url) as client:
        got = ended(client, run)
        assert answer_of(client, got) == "two, three." and got["continues"] == first
        sent = [[m["content"] for m in x.request.json["messages"]] for x in s.exchanges]
        assert sent[1] == ["count", "One, ", LINE] and sent[2] == [*sent[1], "two, ", LINE]


def test_a_stored_stream_of_the_messages_api(start, upstream, script):
    gate, s, conf = one(upstream, script)
    g = start(conf)
    body = {"model": "m", "max_tokens": 99, "stream": True, "system": "Be short.",
            "messages": [{"role": "user", "content": "Tell me of tea"}]}
    with Client(g.url) as client, client.stream("/v1/messages", body, {"x-parley-store": "true"}) as stream:
        run = run_of(stream)
        before = kill(g, stream, gate, 3)
    g.start()
    with Client(g.url) as client:
        assert answer_of(client, ended(client, run)) == FIRST + SECOND
        response = client.http.get(f"/v1/messages/{run.replace('run_', 'msg_')}/events")
        whole = [b for b in sse.Blocks([response.content]) if not b.is_comment]
        # The first block has a guess of the prompt's tokens, which no reader gets again.
        assert [b.raw for b in whole[1:len(before)]] == [b.raw for b in before[1:]]
        said = "".join(b.json["delta"].get("text", "") for b in whole if b.event == "content_block_delta")
        assert said == FIRST + SECOND and whole[-1].event == "message_stop"
        sent = [x.request.json for x in s.exchanges]
        assert sent[1]["messages"][:-2] == sent[0]["messages"] and sent[0]["max_tokens"] > sent[1]["max_tokens"]


@pytest.mark.sqlite
def test_the_one_that_has_taken_over_takes_up_its_runs(start, succeed, upstream, script):  # noqa: F811
    gate, s, conf = one(upstream, script)
    first = start(conf)
    with Client(first.url) as client, client.chat_stream("go", model="m") as stream:
        run = run_of(stream)
        gate.wait_reached()
        wait_until(lambda: logged(first) >= 3, "its log")
        second = succeed(first)
        with Client(second.url) as other:
            assert other.run(run)["status"] == "running" and len(s.exchanges) == 1
            first.kill()
            assert answer_of(other, ended(other, run)) == FIRST + SECOND
            assert text_of(followed(other, run, "chat"), "chat") == FIRST + SECOND


# --- gateways that share a PostgreSQL database ---


def shared(start, server, database, conf, count):
    made = [start({**conf, "database": server.url(database)}) for _ in range(count)]
    for gateway in made:
        gateway.database_name = None  # whatever engine the others use
    return made


def expire(server, database):
    """No test waits for a lease to end."""
    server.sql("UPDATE gateway SET lease_until = now() - interval '1 s' WHERE id IN (SELECT gateway FROM run "
               "WHERE status < 2)", database)


def test_another_gateway_takes_it_up_and_no_second_one(start, server, database, upstream, script):
    gates, scripts = zip(*[gated(script, [up.sse(), up.role(), up.text(FIRST)], up.stream(SECOND)) for _ in range(6)])
    conf = config(upstream, scripts[0])
    conf["models"] = [{"name": f"m{n}", "provider": "a", "upstream_model": s.name, "resume": "restart"}
                      for n, s in enumerate(scripts)]
    a, b, c = shared(start, server, database, conf, 3)
    with contextlib.ExitStack() as stack:
        mine, one, two = (stack.enter_context(Client(g.url)) for g in (a, b, c))
        streams = [stack.enter_context(mine.chat_stream("go", model=f"m{n}")) for n in range(6)]
        runs = [run_of(s) for s in streams]
        for gate in gates:
            gate.wait_reached()
        wait_until(lambda: server.number("SELECT count(*) FROM event WHERE last >= 3", database) == 6, "their logs")
        responses = [stack.enter_context(client.http.stream("GET", f"/v1/runs/{run}/events"))
                     for client, run in zip((one, two) * 3, runs)]
        a.kill()
        expire(server, database)
        for run, response, s in zip(runs, responses, scripts):
            blocks = [x for x in sse.Blocks(response.iter_raw()) if not x.is_comment]
            assert text_of(blocks, "chat") == FIRST + SECOND, blocks
            assert numbers(blocks, "chat") == sorted(set(numbers(blocks, "chat")))
            got = ended(two, run)
            assert answer_of(one, got) == FIRST + SECOND and got["attempts"] == 2
            assert len(s.exchanges) == 2
        taken = [line for g in (b, c) for line in g.lines if "run_taken_up" in line]
        assert len(taken) == 6


def test_a_gateway_that_was_only_asleep_has_lost_it(start, server, database, upstream, script):
    gate, late = up.Gate(), up.Gate()
    s = script(up.in_turn([up.sse(), up.role(), up.text(FIRST), up.wait(gate), up.text(" of dust."), *up.ending()],
                          [up.sse(), up.role(), up.text(SECOND), up.wait(late), *up.ending()]))
    a, b = shared(start, server, database, config(upstream, s), 2)
    with Client(a.url) as mine, Client(b.url) as other, mine.chat_stream("go", model="m") as stream:
        run = run_of(stream)
        gate.wait_reached()
        wait_until(lambda: server.number("SELECT count(*) FROM event WHERE last >= 3", database) == 1, "its log")
        a.signal(signal.SIGSTOP)
        expire(server, database)
        late.wait_reached()
        a.signal(signal.SIGCONT)
        gate.open()
        with contextlib.suppress(httpx.HTTPError):
            list(stream)
        assert "dust" not in text_of(stream.seen, "chat") and other.run(run)["status"] == "running"
        late.open()
        assert answer_of(other, ended(other, run)) == FIRST + SECOND
        whole = followed(other, run, "chat")
        assert text_of(whole, "chat") == FIRST + SECOND and len(s.exchanges) == 2


# --- again and again ---


def counting(count, pace):
    """A provider that counts on from whatever it is shown: `w0 w1 …`."""
    def play(x):
        texts = [m["content"] for m in x.request.json["messages"] if m["role"] == "assistant"]
        done = len(texts[-1].split()) if texts else 0
        for step in (up.sse(), up.role()):
            step(x)
        for n in range(done, count):
            time.sleep(pace)
            up.text(f"w{n} ")(x)
        for step in up.ending():
            step(x)
    return up.call(play)


def words(count):
    return "".join(f"w{n} " for n in range(count))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_random_kills(start, upstream, script, seed):
    """Nothing is lost and nothing comes twice, whenever it is killed; an answer is whole, or a beginning."""
    rng, count = random.Random(seed), 60
    s = script(counting(count, 0.004))
    g = start(config(upstream, s))
    runs = {}

    def ask(family):
        path, body = body_of(family)
        with contextlib.suppress(httpx.HTTPError), Client(g.url) as client, client.stream(path, body) as stream:
            run = run_of(stream)
            runs[run] = (family, stream)
            list(stream)

    for _ in range(5):
        threads = [threading.Thread(target=ask, args=(rng.choice(("chat", "lmc", "responses")),)) for _ in range(6)]
        for thread in threads:
            thread.start()
        time.sleep(rng.uniform(0.05, 0.4))
        g.kill()
        for thread in threads:
            thread.join()
        g.start()
        if rng.random() < 0.5:  # in the middle of going on
            time.sleep(rng.uniform(0, 0.2))
            g.kill()
            g.start()
        with Client(g.url) as client:
            for run in runs:
                wait_until(lambda: client.run(run)["status"] not in ("queued", "running"), "its end")
    g.wait_log("run_taken_up")
    ends = collections.Counter()
    with Client(g.url) as client:
        for run, (family, stream) in runs.items():
            got = client.run(run)
            ends[got["status"]] += 1
            items = client.items(got["conversation"])["data"]
            text = items[-1]["content"][0]["text"] if items[-1]["role"] == "assistant" else ""
            assert text == words(len(text.split())), (got, text)
            assert (text == words(count)) >= (got["status"] == "completed"), (got, text)
            before = [b for b in stream.seen if not b.is_comment]
            whole = followed(client, run, family)
            assert text_of(whole, family).split() == text.split()
            assert [b.raw for b in whole[:len(before)]] == [b.raw for b in before]
            assert numbers(whole, family) == sorted(set(numbers(whole, family)))
    assert set(ends) <= {"completed", "incomplete"} and ends["completed"] > 0, ends
