"""Runs whose streams survive their client and their gateway: read again, followed, cancelled."""

import contextlib
import json
import random
import re
import resource
import secrets
import signal
import sqlite3
import threading
import time

import pytest

import sse
import upstream as up
from client import Client
from fixtures import usual_config
from gateway import Gateway
from overload import metric
from raw import Raw, get
from waiting import DEADLINE, paced, wait_until, within

FORMATS = ["openai", "lmc"]
WORDS = ["Plan", ":\n\n", "```py", "\nprint(1)\n", "``", "`\n", "and ", "\U0001f600 ", "done", "."]
CALLS = [
    {"tool_calls": [{"index": 0, "id": "c0", "type": "function",
                     "function": {"name": "execute", "arguments": ""}}]},
    {"tool_calls": [{"index": 1, "id": "c1", "type": "function",
                     "function": {"name": "weather", "arguments": "{\"city\":"}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": "{\"language\":\"sh\",\"code\":\"l"}}]},
    {"content": "late ", "tool_calls": [{"index": 0, "function": {"arguments": "s\"}"}},
                                        {"index": 1, "function": {"arguments": "\"Rome\"}"}}]},
]


def rich():
    """A stream with everything in it."""
    return [up.sse(), up.role(), *[up.text(w) for w in WORDS],
            up.data(up.chunk({"reasoning_content": "hm"})),
            *[up.data(up.chunk(c)) for c in CALLS], *up.ending("tool_calls")]


@contextlib.contextmanager
def events(client, run, format=None, after=None, last=None):
    query = "&".join([f"format={format}"] * bool(format) + [f"after={after}"] * bool(after))
    headers = {"Last-Event-ID": last} if last else {}
    request = client.http.build_request("GET", f"/v1/runs/{run}/events?{query}", headers=headers)
    response = client.http.send(request, stream=True)
    try:
        yield sse.Blocks(response.iter_raw()) if response.status_code == 200 else response
    finally:
        response.close()


def all_events(client, run, **where):
    with events(client, run, **where) as blocks:
        return [b for b in blocks if not b.is_comment]


def raw(blocks):
    return [b.raw for b in blocks if not b.is_comment]


def asked(client, script, format="openai", **fields):
    """A finished stream: its run's id and its blocks."""
    with client.chat_stream("go", model=script.model, format=format, **fields) as stream:
        stream.check_head()
        list(stream)
        return stream.headers["x-run-id"], stream.seen


# --- reading again --------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_a_run_is_read_again_byte_by_byte(client, script, format):
    run, seen = asked(client, script(*rich()), format)
    assert raw(all_events(client, run)) == raw(seen), "in its own format"
    assert raw(all_events(client, run, format=format)) == raw(seen)


@pytest.mark.parametrize("format", FORMATS)
def test_it_goes_on_behind_every_block(client, script, format):
    run, seen = asked(client, script(*rich()), format)
    seen = [b for b in seen if not b.is_comment]
    for i, block in enumerate(seen[:-1]):
        got = all_events(client, run, format=format, after=block.id)
        assert raw(got) == raw(seen[i + 1:]), f"after {block.id}"
    with events(client, run, format=format, last=seen[3].id, after=seen[0].id) as blocks:
        assert raw(blocks) == raw(seen[4:]), "the header counts first"
    with events(client, run, format=format, after=seen[-1].id) as response:
        assert response.status_code == 204


def test_either_format_can_be_read_of_any_run(client, script):
    s = script(*rich())
    openai, lmc = (asked(client, s, f) for f in FORMATS)
    same = lambda blocks: [  # noqa: E731
        {k: v for k, v in b.json.items() if k not in ("run", "conversation", "message_id", "id", "created")}
        for b in blocks if b.data and b.data != "[DONE]"]
    assert same(all_events(client, openai[0], format="lmc")) == same(lmc[1])
    assert same(all_events(client, lmc[0], format="openai")) == same(openai[1])


def test_warnings_and_options_hold_when_it_is_read_again(client, script):
    s = script(*rich())
    with client.chat_stream({"role": "assistant", "type": "review", "content": "x"}, "go",
                            model=s.model, format="lmc", lmc={"fences": False}) as stream:
        list(stream)
    run = stream.headers["x-run-id"]
    assert raw(all_events(client, run)) == raw(stream.seen)


@pytest.mark.parametrize("format", FORMATS)
def test_failed_and_cancelled_runs_are_read_again_with_their_end(client, script, format):
    s = script(up.sse(), up.role(), up.text("half"), up.hang_up())
    run, seen = asked(client, s, format)
    assert raw(all_events(client, run)) == raw(seen)
    assert [b for b in seen if not b.is_comment][-1].event == "error"


def test_a_stored_completion_is_a_run_too(client, script):
    s = script(*rich())
    with client.complete_stream(s.model, store=True) as stream:
        text = stream.openai().text
    answer = sse.native(all_events(client, stream.headers["x-run-id"]))
    assert answer.text == text


@pytest.mark.parametrize("format", FORMATS)
def test_a_plain_answer_is_read_as_a_stream(client, script, format):
    call = {"id": "c0", "type": "function",
            "function": {"name": "execute", "arguments": "{\"language\":\"sh\",\"code\":\"ls\"}"}}
    message = {"role": "assistant", "content": "Look \"here\":", "tool_calls": [call]}
    s = script(up.reply(up.completion(message=message, finish="tool_calls")))
    run = client.chat("go", model=s.model, format=format).ok().json["run"]
    openai = sse.native(all_events(client, run, format="openai"))
    assert openai.text == "Look \"here\":" and openai.finish_reason == "tool_calls"
    assert openai.usage == up.USAGE or openai.usage["total_tokens"] == 18
    lmc = sse.lmc(all_events(client, run, format="lmc"))
    assert [m["content"] for m in lmc.messages] == ["Look \"here\":", "ls"]
    blocks = all_events(client, run, format=format)
    for i, block in enumerate(blocks[:-1]):
        assert raw(all_events(client, run, format=format, after=block.id)) == raw(blocks[i + 1:])
    with events(client, run, format=format, after=blocks[-1].id) as response:
        assert response.status_code == 204


def test_many_readers_follow_one_run(client, script, shared):
    gates = [up.Gate() for _ in WORDS]
    steps = [up.sse(), up.role()]
    for word, gate in zip(WORDS, gates):
        steps += [up.text(word), up.wait(gate)]
    s = script(*steps, *up.ending())
    got, ready = {}, threading.Semaphore(0)

    def read(n, run, format):
        with Client(shared.url) as other, events(other, run, format=format) as blocks:
            first = blocks.next_data()
            ready.release()
            got[n] = [first.raw, *raw(blocks)]

    with client.chat_stream("go", model=s.model) as stream:
        first = stream.next_data()
        run = stream.headers["x-run-id"]
        readers = [threading.Thread(target=read, args=(n, run, FORMATS[n % 2])) for n in range(12)]
        for thread in readers:
            thread.start()
        for gate in gates[:4]:
            gate.wait_reached()
            gate.open()
        for _ in readers:
            assert ready.acquire(timeout=DEADLINE), "a reader saw nothing of a run that goes on"
        for gate in gates[4:]:
            gate.open()
        mine = [first.raw, *raw(stream)]
    for thread in readers:
        thread.join(DEADLINE)
    assert [got[n] for n in range(0, 12, 2)] == [mine] * 6
    lmc = raw(all_events(client, run, format="lmc"))
    assert [got[n] for n in range(1, 12, 2)] == [lmc] * 6


@pytest.mark.parametrize("end", ["done", "error"])
def test_a_hundred_readers_come_and_go(client, script, shared, end):
    """Each reads a few blocks, leaves and comes back, while the run goes on: nothing twice, nothing lost."""
    steps = rich()[:-4] + [up.text(w) for w in WORDS] + rich()[-4:]
    if end == "error":
        steps = [*rich()[:-4], up.hang_up()]
    slowly = [step for one in steps for step in (one, up.call(lambda _: time.sleep(0.02)))]
    run = client.chat("go", model=script(*slowly).model, background=True).ok(202).json["id"]
    got, back = {}, []

    def read(n):
        rng, format = random.Random(n), FORMATS[n % 2]
        seen, ended = [], False
        with Client(shared.url) as other:
            while not ended:
                most = rng.choice((1, 1, 2, 3, 7, 20))
                with events(other, run, format=format, after=seen[-1].id if seen else None) as some:
                    for block in some:
                        if not block.is_comment:
                            seen.append(block)
                            most -= 1
                        ended = bool(block.event)
                        if ended or most == 0:
                            break
                back.append(n)
        got[n] = seen

    readers = [threading.Thread(target=read, args=(n,)) for n in range(100)]
    for thread in readers:
        thread.start()
    for thread in readers:
        thread.join(DEADLINE * 4)
    assert len(got) == 100 and len(back) > 500
    for n, format in enumerate(FORMATS):
        whole = all_events(client, run, format=format)
        assert whole[-1].event == end
        for reader in range(n, 100, 2):
            assert raw(got[reader]) == raw(whole), f"{format}, reader {reader}"
        text = b"".join(raw(whole))
        assert b"weather" in text and (b"```py" in text) == (format == "openai")
        assert (b"hm" in text) == (format == "openai"), "LMC has no reasoning"
    assert sum("." in b.id for b in got[1]) > 3, "events that make several blocks"


def test_a_run_goes_on_without_its_client(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), up.text("two"), *up.ending())
    with client.chat_stream("go", model=s.model) as stream:
        stream.until_text("one ")
        run, last = stream.headers["x-run-id"], stream.seen[-1].id
    with events(client, run, after=last) as blocks:
        gate.open()
        rest = [b for b in blocks if not b.is_comment]
    assert sse.text_of(rest[0].json) == "two" and rest[-1].event == "done"
    assert client.run(run)["status"] == "completed"


@pytest.mark.parametrize("format", FORMATS)
def test_large_events_are_read_again(client, script, format):
    """More of them in one piece of the log than a page of it is meant to have."""
    big = up.chunk({"content": "x" * (6 << 20)})
    lines = b"".join(b"data: %s\n\n" % json.dumps(big).encode() for _ in range(4))
    run, seen = asked(client, script(up.sse(), up.role(), up.body(lines), *up.ending()), format)
    assert seen[-1].event == "done"
    assert raw(all_events(client, run)) == raw(seen)


@pytest.mark.parametrize("ended", [True, False])
def test_a_stream_has_no_head(client, script, shared, ended):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), *up.ending())
    run = client.chat("go", model=s.model, background=True).ok(202).json["id"]
    gate.wait_reached()
    if ended:
        gate.open()
        wait_until(lambda: client.run(run)["status"] == "completed", "it did not end")
    with Raw(shared) as sock:
        sock.send(b"HEAD /v1/runs/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n" % run.encode())
        head = sock.read_head()
        assert head.status == 405 and "HEAD" not in head.headers["allow"]
        # The next answer follows at once, so there was no body.
        sock.send(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert sock.read_head().status == 200
    gate.open()


@pytest.mark.parametrize("path", ["/v1/runs/live", "/v1/messages/x/events", "/v1/conversations/x/export"])
def test_streams_and_downloads_have_no_head(shared, path):
    with Raw(shared) as raw:
        head = raw.send(get(path, method="HEAD")).read("HEAD")
    assert head.status == 405 and "GET" in head.headers["allow"] and "HEAD" not in head.headers["allow"]


def test_the_head_of_a_response_is_that_of_its_object(client, script, shared):
    s = script(up.reply(up.completion("one two")))
    path = "/v1/responses/" + client.post("/v1/responses", {"model": s.model, "input": "q"}).ok().json["id"]
    with Raw(shared) as raw:
        plain = raw.send(get(path, method="HEAD")).read("HEAD")
        head = raw.send(get(path + "?stream=true", method="HEAD")).read("HEAD")
        assert raw.send(get(path)).read("GET").status == 200  # nothing is left between them
    assert head.status == 200
    assert head.headers["content-length"] == plain.headers["content-length"]


# --- in the background, cancelled, listed ---------------------------------------------------------


def test_an_answer_in_the_background(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), up.text("two"), *up.ending())
    reply = client.chat("go", model=s.model, background=True).ok(202)
    run = reply.json
    assert run["object"] == "run" and run["status"] == "running"
    assert reply.headers["location"] == f"/v1/runs/{run['id']}/events"
    with events(client, run["id"]) as blocks:
        assert blocks.until_text("one ") == "one "
        gate.open()
        assert [b for b in blocks if not b.is_comment][-1].event == "done"
    assert client.run(run["id"])["status"] == "completed"
    client.chat("go", model=s.model, background=True, store=False).error(400, param="background")


def test_a_failure_before_the_provider_is_asked_is_no_background_run(client, script):
    client.chat("go", model="no-such-model", background=True).error(404, "model_not_found")
    s = script(up.reply({"error": {"message": "no", "type": "x"}}, 500))
    run = client.chat("go", model=s.model, background=True).ok(202).json
    blocks = all_events(client, run["id"])
    assert [b.event for b in blocks] == ["error"]
    assert client.run(run["id"])["status"] == "failed"


def test_cancelling_ends_the_run_and_keeps_what_there_is(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), *up.ending())
    with client.chat_stream("go", model=s.model) as stream:
        stream.until_text("one ")
        run = stream.headers["x-run-id"]
        cancelled = client.post(f"/v1/runs/{run}/cancel").ok().json
        assert cancelled["status"] == "cancelled" and cancelled["error"]["code"] == "cancelled"
        s.wait().wait_closed()
        assert stream.native().error["code"] == "cancelled"
    assert client.post(f"/v1/runs/{run}/cancel").ok().json == cancelled, "it is idempotent"
    assert all_events(client, run)[-1].event == "error"
    done, _ = asked(client, script(up.either("x y")))
    assert client.post(f"/v1/runs/{done}/cancel").ok().json["status"] == "completed"


def test_an_unstored_run_can_be_cancelled(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), *up.ending())
    with client.chat_stream("go", model=s.model, store=False) as stream:
        stream.until_text("one ")
        run = stream.headers["x-run-id"]
        assert client.post(f"/v1/runs/{run}/cancel").ok().json["status"] == "cancelled"
        assert stream.native().error["code"] == "cancelled"


@pytest.mark.parametrize("format", FORMATS)
def test_an_unstored_run_is_read_again_while_it_goes_on(client, script, format):
    gate = up.Gate()
    s = script(up.sse(), up.role(), *[up.text(w) for w in WORDS], up.text("zebra"), up.wait(gate),
               up.text(" tail"), *up.ending())
    with client.chat_stream("go", model=s.model, store=False, format=format) as stream:
        seen = [stream.next_data()]
        while "zebra" not in seen[-1].data:
            seen.append(stream.next_data())
        run = stream.headers["x-run-id"]
        assert client.run(run)["status"] == "running"
        with events(client, run) as again, events(client, run, after=seen[2].id) as part:
            assert [again.next_data().raw for _ in seen] == raw(seen)
            gate.open()
            list(stream)
            whole = raw(stream.seen)
            assert raw(again.seen) + raw(again) == whole
            assert raw(part) == whole[3:]
    client.get(f"/v1/runs/{run}/events").error(404, "not_found")


def test_an_unstored_run_that_is_too_long_is_gone(client, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), *[up.text("x" * 65536) for _ in range(40)], up.text("zebra"),
               up.wait(gate), *up.ending())
    with client.chat_stream("go", model=s.model, store=False) as stream:
        stream.until_text("zebra")
        client.get(f"/v1/runs/{stream.headers['x-run-id']}/events").error(410, "gone")
        gate.open()
        assert stream.native().error is None


def test_runs_are_listed(client, script):
    s = script(up.either("x"))
    conversation, runs = None, []
    for _ in range(5):
        fields = {"conversation": conversation} if conversation else {}
        answer = client.chat("go", model=s.model, **fields).ok().json
        conversation = answer["conversation"]
        runs.insert(0, answer["run"])
    path = f"/v1/runs?conversation={conversation}"
    page = client.get(path).ok().json
    assert [r["id"] for r in page["data"]] == runs and page["has_more"] is False
    seen, after = [], ""
    while True:
        page = client.get(f"{path}&limit=2&after={after}").ok().json
        seen += [r["id"] for r in page["data"]]
        if not page["has_more"]:
            break
        after = page["last_id"]
    assert seen == runs
    oldest = client.get(f"{path}&order=asc&limit=2").ok().json
    assert [r["id"] for r in oldest["data"]] == runs[:-3:-1] and oldest["has_more"] is True
    page = client.get(f"{path}&order=asc&after={oldest['last_id']}&status=completed").ok().json
    assert [r["id"] for r in page["data"]] == runs[2::-1] and page["has_more"] is False
    bad = script(up.reply({"error": {"message": "no", "type": "x"}}, 500))
    client.chat("go", model=bad.model, conversation=conversation).error(502)
    assert [r["status"] for r in client.get(f"{path}&status=failed").ok().json["data"]] == ["failed"]
    assert client.get(f"{path}&status=cancelled").ok().json["data"] == []
    for status in ("failed", "completed", "running", "queued"):
        newest = client.get(f"/v1/runs?status={status}&limit=100").ok().json["data"]
        last = newest[0]["id"] if newest else None
        after = f"&after={newest[1]['id']}" if len(newest) > 1 else ""
        page = client.get(f"/v1/runs?status={status}&order=asc&limit=100{after}").ok().json["data"]
        assert last is None or last in [r["id"] for r in page]


def test_runs_since_a_time(client, script):
    s = script(up.either("x"))
    old = client.chat("go", model=s.model).ok().json
    made = old["created"]
    wait_until(lambda: int(time.time()) > made, "the next second")
    bad = script(up.reply({"error": {"message": "no", "type": "x"}}, 500))
    conversation = old["conversation"]
    new = client.chat("go", model=s.model, conversation=conversation).ok().json
    client.chat("go", model=bad.model, conversation=conversation).error(502)

    def listed(query):
        return [r["id"] for r in client.get(f"/v1/runs?{query}").ok().json["data"]]

    whole = listed(f"conversation={conversation}")
    failed, both = whole[0], [new["run"], old["run"]]
    assert whole[1:] == both
    for of in ("", f"conversation={conversation}&"):
        for state, since in (("", whole[:2]), ("status=completed&", [new["run"]]),
                             ("status=failed&", [failed]), ("status=running&", [])):
            found = listed(f"{of}{state}limit=100&created_after={made}")
            assert [r for r in found if r in whole] == since and old["run"] not in found
            found = listed(f"{of}{state}order=asc&limit=100&created_after={made}")
            assert [r for r in found if r in whole] == since[::-1]
    path = f"conversation={conversation}&created_after="
    assert listed(f"{path}{made - 1}") == whole
    assert listed(f"{path}{made}&after={failed}") == [new["run"]]
    assert listed(f"{path}{made}&limit=1") == [failed]
    assert listed(f"{path}99999999999") == listed(f"{path}99999999999&order=asc") == []


@pytest.mark.parametrize("query, param", [
    ("created_after=-1", "created_after"), ("created_after=now", "created_after"),
    ("created_after=1e3", "created_after"), ("created_after=100000000000", "created_after"),
    ("status=x", "status"), ("order=up", "order"), ("limit=0", "limit"), ("limit=101", "limit"), ("after=x", "after"),
    ("after=run_" + "0" * 31 + "1", "after")])
def test_bad_queries_for_runs(client, query, param):
    client.get(f"/v1/runs?{query}").error(400, param=param)


@pytest.mark.parametrize("run", ["run_" + "0" * 31 + "1", "x", "msg_" + "0" * 31 + "1"])
def test_runs_of_nobody_are_404(client, run):
    client.get(f"/v1/runs/{run}/events").error(404, "not_found")
    client.post(f"/v1/runs/{run}/cancel").error(404, "not_found")


@pytest.mark.parametrize("after", ["x", "-1", "1.", ".1", "1.1.1", "01", "1e3", "99999999999999999999",
                                   "1%00", "%00", "1%", "%zz"])
def test_bad_cursors_are_400(client, script, after):
    run, _ = asked(client, script(up.either("x")))
    client.get(f"/v1/runs/{run}/events?after={after}").error(400, param="after")
    if "%" not in after:
        client.get(f"/v1/runs/{run}/events", headers={"Last-Event-ID": after}).error(
            400, param="after")


def keyed(upstream, tmp_path):
    gateway = Gateway(tmp_path, usual_config(upstream),
                      env={"TEST_UPSTREAM_KEY": "k", "PARLEY_API_KEY": "secret-key"})
    gateway.start()
    return gateway


def test_a_ticket_lets_an_event_source_in_to_its_run(upstream, tmp_path, script):
    gateway = keyed(upstream, tmp_path)
    with Client(gateway.url, {"Authorization": "Bearer secret-key"}) as client, \
            Client(gateway.url) as bare:
        run, seen = asked(client, script(up.either("x y")))
        other, _ = asked(client, script(up.either("x y")))
        bare.get(f"/v1/runs/{run}/events").error(401, "missing_api_key")
        bare.post(f"/v1/runs/{run}/ticket").error(401, "missing_api_key")
        ticket = client.post(f"/v1/runs/{run}/ticket").ok().json
        assert 86000 < ticket["expires_at"] - time.time() <= 86401
        bare.get(f"/v1/runs/{other}/events?ticket={ticket['ticket']}").error(401, param="ticket")
        bare.get(f"/v1/runs/{run}?ticket={ticket['ticket']}").error(401, "missing_api_key")
        bare.get(f"/v1/conversations/x?ticket={ticket['ticket']}").error(401, "missing_api_key")
        for _ in range(3):
            response = bare.http.get(ticket["url"])
            assert response.status_code == 200
            assert [b.raw for b in sse.Blocks([response.content])] == raw(seen)
        for bad in ("", "tick_", "tick_" + "0" * 32, ticket["ticket"].upper(),
                    ticket["ticket"][:-1], ticket["ticket"] + "0"):
            bare.get(f"/v1/runs/{run}/events?ticket={bad}").error(401)
        client.post("/v1/runs/run_" + "0" * 31 + "1/ticket").error(404, "not_found")
        assert ticket["ticket"] not in "".join(gateway.lines), "a ticket is not logged"
    gateway.stop()


def test_an_event_source_comes_again_with_its_ticket(upstream, tmp_path, script):
    """Cut in the middle, then after a restart, then at the end: with one URL, as a browser does it."""
    gateway = keyed(upstream, tmp_path)
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate), up.text(" two"), *up.ending())
    with Client(gateway.url, {"Authorization": "Bearer secret-key"}) as client, \
            Client(gateway.url) as bare:
        with client.chat_stream("q", model=s.model) as stream:
            stream.until_text("one")
            last = stream.seen[-1].id
            run = stream.headers["x-run-id"]
            url = client.post(f"/v1/runs/{run}/ticket").ok().json["url"]
            with bare.http.stream("GET", url) as first:
                assert first.status_code == 200 and b"one" in next(first.iter_raw())
            gate.open()
            end = list(stream)[-1].id
        rest = bare.http.get(url, headers={"Last-Event-ID": last}).content
        assert b" two" in rest and b'"one"' not in rest
    gateway.restart()
    with Client(gateway.url) as bare:
        assert bare.http.get(url, headers={"Last-Event-ID": last}).content == rest
        assert bare.get(url, headers={"Last-Event-ID": end}).status == 204, "EventSource stops"
    gateway.stop()


def test_tickets_of_configured_keys_end_with_a_reload(upstream, tmp_path, script):
    texts = {"FIRST": "first-key", "SECOND": "second-key"}
    config = {**usual_config(upstream), "api_keys": [{"env": name} for name in texts]}
    gateway = Gateway(tmp_path, config, env={"TEST_UPSTREAM_KEY": "k", **texts})
    gateway.start()
    with Client(gateway.url) as bare:
        urls = []
        for key in texts.values():
            with Client(gateway.url, {"Authorization": f"Bearer {key}"}) as client:
                run, _ = asked(client, script(up.either("x")))
                urls.append(client.post(f"/v1/runs/{run}/ticket").ok().json["url"])
                assert bare.get(urls[-1]).status == 200
        gateway.write_config({**config, "api_keys": [{"env": "SECOND"}]})
        mark = len(gateway.lines)
        gateway.signal(signal.SIGHUP)
        gateway.wait_log('"event":"reload"', mark)
        wait_until(lambda: bare.get(urls[0]).status == 401, "the key's end on each loop")
        assert bare.get(urls[1]).status == 200, "the other key has another place in the list now"
    gateway.stop()


def test_going_on_where_an_answer_broke_off(client, script):
    s = script(up.sse(), up.role(), up.text("One, two"), up.hang_up())
    with client.chat_stream("Count.", model=s.model, instruction="Be brief.") as stream:
        assert stream.native().error["code"] == "stream_incomplete"
    run, conversation = stream.headers["x-run-id"], stream.headers["x-conversation-id"]
    t = script(up.either(", three"))
    answer = client.post(f"/v1/runs/{run}/continue", {"config": {"model": t.model}}).ok().json
    assert answer["conversation"] == conversation and answer["run"] != run
    sent = t.request.json["messages"]
    assert [m["role"] for m in sent] == ["system", "user", "assistant", "user"]
    assert sent[2]["content"] == "One, two" and "Go on" in sent[3]["content"]
    assert client.run(answer["run"])["continues"] == run
    kept = client.messages(conversation)
    assert [m["content"].strip() for m in kept] == ["Count.", "One, two", ", three"]
    client.post(f"/v1/runs/{run}/continue").error(409, "not_continuable")


def test_going_on_in_every_way(client, script):
    s = script(up.either("part"))
    first = client.chat("go", model=s.model).ok().json
    with client.stream(f"/v1/runs/{first['run']}/continue", {"stream": True, "format": "lmc"}) as st:
        answer = st.check_head().lmc()
    assert answer.messages[0]["content"].strip() == "part", "its model is the run's"
    run = client.post(f"/v1/runs/{st.headers['x-run-id']}/continue", {"background": True}).ok(202)
    assert all_events(client, run.json["id"])[-1].event == "done"


def test_what_can_not_be_gone_on_with(client, script):
    client.post("/v1/runs/run_" + "0" * 31 + "1/continue").error(404, "not_found")
    s = script(up.reply({"error": {"message": "no", "type": "x"}}, 500))
    failed = client.chat("go", model=s.model)
    client.post(f"/v1/runs/{failed.headers['x-run-id']}/continue").error(409, "not_continuable")
    done = client.chat("go", model=script(up.either("x")).model).ok().json["run"]
    for body, param in (({"stream": 1}, "stream"), ({"messages": []}, "messages"),
                        ({"config": {"temperature": 3}}, "config.temperature")):
        client.post(f"/v1/runs/{done}/continue", body).error(400, param=param)
    gate = up.Gate()
    live = script(up.sse(), up.role(), up.text("a"), up.wait(gate), *up.ending())
    with client.chat_stream("go", model=live.model) as stream:
        stream.until_text("a")
        client.post(f"/v1/runs/{stream.headers['x-run-id']}/continue").error(409, "conversation_busy")
        gate.open()
        stream.native()


# --- killed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("durability", ["strict", "relaxed"])
@pytest.mark.sqlite
def test_what_was_seen_survives_a_kill(upstream, tmp_path, script, durability, format):
    gateway = Gateway(tmp_path, usual_config(upstream, durability=durability),
                      env={"TEST_UPSTREAM_KEY": "k"})
    gateway.start()
    gate = up.Gate()
    s = script(up.sse(), up.role(), *[up.text(w) for w in WORDS], up.text("zebra"), up.wait(gate),
               *up.ending())
    with Client(gateway.url) as client, client.chat_stream("go", model=s.model,
                                                           format=format) as stream:
        seen = [stream.next_data()]
        # The last word of prose waits for nothing: everything in front of it is out.
        while "zebra" not in (seen[-1].data or ""):
            seen.append(stream.next_data())
        run = stream.headers["x-run-id"]
        conversation = stream.headers["x-conversation-id"]
        if durability == "relaxed":
            database = sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True)
            with contextlib.closing(database):
                wait_until(lambda: database.execute(
                    "SELECT max(last) FROM event").fetchone()[0] == int(seen[-1].id.split(".")[0]),
                    "the events were not logged")
        gateway.kill()
    gateway.start()
    with Client(gateway.url) as client:
        again = all_events(client, run)
        assert raw(again)[:len(seen)] == raw(seen)
        assert again[-1].event == "error"
        rest = all_events(client, run, after=seen[-1].id)
        assert raw(rest) == raw(again)[len(seen):]
        status = client.run(run)
        assert status["status"] == "incomplete" and status["error"]["code"] == "server_stopped"
        numbers = [int(b.id.split(".")[0]) for b in again]
        jumps = [b - a for a, b in zip(numbers, numbers[1:]) if b - a > 1]
        # As LMC, an event may make no block: then only the last number may be far away.
        assert (len(jumps) if format == "openai" else sum(j > 9 for j in jumps)) <= 1, numbers
        # What was answered is in the conversation, and can be gone on from.
        kept = client.messages(conversation)
        assert kept[-1]["role"] == "assistant" and kept[-1]["content"] == "".join(WORDS) + "zebra"
        t = script(up.either("fine"))
        client.chat("and?", model=t.model, conversation=conversation).ok()
        assert [m["role"] for m in t.request.json["messages"]] == ["user", "assistant", "user"]
    gateway.stop()


# --- the disk is full -----------------------------------------------------------------------------


@contextlib.contextmanager
def full_disk(gateway):
    """The largest allowed file stands for the disk, as in the tests of the store."""
    # The index's own log comes and goes; the database's stays as long as the gateway runs.
    size = max((gateway.folder / name).stat().st_size for name in ("parley.db", "parley.db-wal"))
    pid = gateway.process.pid
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


def ready(client, status):
    return client.http.get("/readyz").status_code == status


@pytest.mark.parametrize("durability", ["strict", "relaxed"])
@pytest.mark.sqlite
def test_who_waits_for_an_end_that_was_not_stored_gets_one(start, script, durability):
    """The store makes it when it takes writes again: readers and who cancelled are told."""
    gateway = start(usual={"durability": durability})
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one "), up.wait(gate), *up.ending())
    followed = []

    def follow(run):
        with Client(gateway.url) as other:
            followed.extend(all_events(other, run))

    with Client(gateway.url) as client, client.chat_stream("go", model=s.model) as stream:
        stream.until_text("one ")
        run = stream.headers["x-run-id"]
        # No events may be on their way when the disk fills: their being stored later were news.
        database = sqlite3.connect(f"file:{gateway.database}?mode=ro", uri=True)
        with contextlib.closing(database):
            wait_until(lambda: database.execute("SELECT max(last) FROM event").fetchone()[0]
                       == int(stream.seen[-1].id), "the events were not logged")
        reader = threading.Thread(target=follow, args=(run,))
        reader.start()
        with full_disk(gateway):
            gate.open()
            assert stream.native().error["code"] == "storage_unavailable"
            wait_until(lambda: ready(client, 503), "a full disk was not noticed")
            asks = threading.Thread(target=client.post, args=(f"/v1/runs/{run}/cancel",))
            asks.start()
        wait_until(lambda: client.run(run)["status"] not in ("queued", "running"),
                   "the run was given no end")
        for thread in (reader, asks):
            thread.join(DEADLINE / 2)
            assert not thread.is_alive(), "nobody told it of the end"
        assert followed[-1].event == "error"


# --- the log refuses an event ---------------------------------------------------------------------


def refuse_zebras(gateway):
    """As the database does with what it can't take."""
    with contextlib.closing(sqlite3.connect(gateway.database, isolation_level=None)) as database:
        database.execute("CREATE TRIGGER refuses BEFORE INSERT ON event WHEN instr(NEW.data, "
                         "CAST('zebra' AS BLOB)) BEGIN SELECT RAISE(ABORT, 'no zebras'); END")


@pytest.mark.parametrize("durability", ["strict", "relaxed"])
def test_a_run_whose_events_the_log_refuses_ends_with_an_error_alone(start, script, durability):
    """Trying again can't help: the run is told at once, others go on, and a stop waits for nothing."""
    gateway = start(usual={"durability": durability, "drain_timeout": "10m"})
    refuse_zebras(gateway)
    gates = up.Gate(), up.Gate()
    bad = script(up.sse(), up.role(), up.text("one "), up.wait(gates[0]), up.text("zebra "),
                 up.wait(up.Gate()))
    good = script(up.sse(), up.role(), up.text("two "), up.wait(gates[1]), *up.ending())
    with (Client(gateway.url) as client,
          client.chat_stream("go", model=bad.model) as failing,
          client.chat_stream("go", model=good.model) as well):
        failing.until_text("one ")
        well.until_text("two ")
        gates[0].open()
        answer = failing.native()
        assert answer.error["code"] == "internal_error"
        gates[1].open()
        assert well.native().error is None
        run = failing.headers["x-run-id"]
        status = client.run(run)
        assert status["status"] == "incomplete" and status["error"]["code"] == "internal_error"
        assert all_events(client, run)[-1].event == "error"
        assert client.messages(failing.headers["x-conversation-id"])[-1]["content"].startswith("one ")
        run = well.headers["x-run-id"]
        assert client.run(run)["status"] == "completed"
        assert raw(all_events(client, run)) == raw(well.seen)
    gateway.signal(signal.SIGTERM)
    assert gateway.wait_exit() == 0


def test_an_end_whose_events_the_log_refuses_is_an_error_too(start, script):
    """The same where they go with the end: the run gets one, without them, and holds nothing up."""
    gateway = start(usual={"drain_timeout": "10m"})
    refuse_zebras(gateway)
    s = script(up.sse(), up.at_once(up.role(), up.text("a zebra "), *up.ending()))
    with Client(gateway.url) as client, client.chat_stream("go", model=s.model) as stream:
        assert stream.native().error["code"] == "internal_error"
        run = stream.headers["x-run-id"]
        wait_until(lambda: client.run(run)["status"] in ("failed", "incomplete"), "it got no end")
        assert all_events(client, run)[-1].event == "error"
        client.chat("and?", conversation=stream.headers["x-conversation-id"]).ok()
    gateway.signal(signal.SIGTERM)
    assert gateway.wait_exit() == 0


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.sqlite
def test_strict_shows_nothing_that_no_log_has(start, script, format):
    gateway = start(usual={"durability": "strict"})
    gate, last = up.Gate(), up.Gate()
    s = script(up.sse(), up.role(), up.text("zebra "), up.wait(gate),
               *[up.text(f"w{i} ") for i in range(50)], up.wait(last), *up.ending())
    with Client(gateway.url) as client, client.chat_stream("go", model=s.model,
                                                           format=format) as stream:
        seen = [stream.next_data()]
        while "zebra" not in seen[-1].data:
            seen.append(stream.next_data())
        run = stream.headers["x-run-id"]
        with full_disk(gateway):
            gate.open()
            last.wait_reached()
            wait_until(lambda: ready(client, 503), "a full disk was not noticed")
            last.open()
            rest = [b for b in stream if not b.is_comment]
        wait_until(lambda: client.run(run)["status"] == "incomplete", "the run was given no end")
        kept = client.messages(stream.headers["x-conversation-id"])
        assert kept[-1]["role"] == "assistant" and kept[-1]["content"].startswith("zebra ")
        # As LMC the segment that was seen to begin ends first.
        assert [b.event for b in rest if b.event] == ["error"] and rest[-1].event, rest
        assert len(rest) == 1 or format == "lmc"
        assert not any(re.search(r"w\d", b.data) for b in rest), rest
        again = all_events(client, run)
        assert raw(again)[:len(seen)] == raw(seen) and again[-1].event == "error"


# --- retention ------------------------------------------------------------------------------------


@paced(3, 12)
def test_old_events_are_swept_and_that_is_said(start, script, unit):
    gateway = start(usual={"events_keep": f"{unit}s"})
    with Client(gateway.url) as client:
        with within(unit):
            run, _ = asked(client, script(up.either("x y z")))
            assert all_events(client, run)[-1].event == "done"
        wait_until(lambda: client.get(f"/v1/runs/{run}/events").status == 410,
                   "the events were not swept", DEADLINE + unit)
        client.get(f"/v1/runs/{run}/events").error(410, "gone")
        assert client.run(run)["status"] == "completed", "the run itself stays"


def test_the_oldest_events_go_when_there_are_too_many(start, script):
    gateway = start(usual={"events_keep": "0", "events_keep_size": "20KiB"})
    # PostgreSQL compresses what it can.
    s = script(up.sse(), up.role(), up.text(secrets.token_hex(5000)[:5000]), *up.ending())
    with Client(gateway.url) as client:
        runs = [asked(client, s)[0] for _ in range(8)]
        wait_until(lambda: client.get(f"/v1/runs/{runs[4]}/events").status == 410,
                   "the events were not swept")
        for run in runs[:5]:
            client.get(f"/v1/runs/{run}/events").error(410, "gone")
            assert client.run(run)["status"] == "completed"
        for run in runs[-3:]:
            assert all_events(client, run)[-1].event == "done", "the newest stay"


def logged(gateway):
    return metric(gateway, "parley_db_events_bytes")


def test_a_metric_tells_the_size_of_the_log(start, script):
    gateway = start(usual={"events_keep": "0", "events_keep_size": "0"})
    s = script(up.sse(), up.role(), up.text(secrets.token_hex(50_000)), *up.ending())
    with Client(gateway.url) as client:
        run, _ = asked(client, s)
        assert all_events(client, run)[-1].event == "done"
        wait_until(lambda: logged(gateway) > 50_000, "the log's size")


@pytest.mark.sqlite
def test_the_size_of_the_log_falls_with_it(start, script):
    gateway = start(usual={"events_keep": "0", "events_keep_size": "20KiB"})
    s = script(up.sse(), up.role(), up.text("a" * 15_000), *up.ending())
    with Client(gateway.url) as client:
        for _ in range(4):
            asked(client, s)
        wait_until(lambda: 15_000 < logged(gateway) <= 20 << 10, "one answer's log")
        with sqlite3.connect(gateway.database) as db:
            assert db.execute("SELECT sum(length(data)) FROM event").fetchone() == (logged(gateway),)


@pytest.mark.sqlite
def test_a_shorter_retention_counts_from_the_next_start(start, script):
    gateway = start(usual={"events_keep": "0", "events_keep_size": "0", "idempotency_keep": "0"})
    s, key = script(up.either("x y z")), {"Idempotency-Key": "kept-for-ever"}
    body = {"messages": ["go"], "config": {"model": s.model}}
    with Client(gateway.url) as client:
        run, _ = asked(client, s)
        client.post("/v1/chat", body, headers=key).ok()
        with sqlite3.connect(gateway.database) as db:  # as if they were a month old
            db.execute("UPDATE run SET created_ms = created_ms - 2592000000, "
                       "completed_ms = completed_ms - 2592000000")
            db.execute("UPDATE idempotency SET created_ms = created_ms - 2592000000")
        assert client.post("/v1/chat", body, headers=key).ok().headers.get(
            "idempotency-replayed") == "true"
        assert all_events(client, run)[-1].event == "done"
    gateway.stop()
    text = gateway.config_file.read_text()
    gateway.write_config(text.replace("events_keep: '0'", "events_keep: 720h").replace(
        "idempotency_keep: '0'", "idempotency_keep: 720h"))
    gateway.start()
    with Client(gateway.url) as client:
        wait_until(lambda: client.get(f"/v1/runs/{run}/events").status == 410, "the events' end")
        wait_until(lambda: not sqlite3.connect(gateway.database).execute(
            "SELECT count(*) FROM idempotency").fetchone()[0], "the key's end")
