"""Streams: when pieces go out, how they end, who notices that somebody left, and what it costs."""

import contextlib
import json
import resource
import threading
import time

import pytest

import sse
import upstream as up
from client import item_text
from gateway import sanitized
from raw import Closed, Raw, post
from waiting import DEADLINE, TooSlow, Watch, paced, wait_until, within

ROUTES = ["/v1/chat", "/v1/chat/completions"]
# How soon the provider's connection must be closed after the client left.
AT_ONCE = 2.0 if sanitized() else 0.5


def body_for(route, model, **more):
    if route == "/v1/chat":
        return {"messages": ["hi"], "config": {"model": model}, "stream": True, **more}
    return {"messages": [{"role": "user", "content": "hi"}], "model": model, "stream": True, **more}


def finish(route, stream):
    return stream.native() if route == "/v1/chat" else stream.openai()


@pytest.fixture(params=ROUTES)
def route(request):
    return request.param


# --- pieces as they come --------------------------------------------------------------------------


def test_each_piece_goes_out_before_the_next_comes_in(client, script, route):
    pieces = ["one ", "two ", "three ", "four"]
    gates = [up.Gate() for _ in pieces]
    steps = [up.sse(), up.role()]
    for piece, gate in zip(pieces, gates):
        steps += [up.text(piece), up.wait(gate)]
    s = script(*steps, *up.ending())
    with client.stream(route, body_for(route, s.model)) as stream:
        for piece, gate in zip(pieces, gates):
            assert stream.until_text(piece).endswith(piece)
            gate.open()
        answer = finish(route, stream)
    assert answer.text == "".join(pieces) and answer.error is None


def test_reasoning_and_tool_pieces_are_content_too(client, script, route):
    deltas = [{"reasoning_content": "hm"},
              {"tool_calls": [{"index": 0, "id": "c", "type": "function",
                               "function": {"name": "f", "arguments": ""}}]},
              {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}]
    gates = [up.Gate() for _ in deltas]
    steps = [up.sse(), up.role()]
    for delta, gate in zip(deltas, gates):
        steps += [up.data(up.chunk(delta)), up.wait(gate)]
    s = script(*steps, *up.ending("tool_calls"))
    with client.stream(route, body_for(route, s.model)) as stream:
        for delta, gate in zip(deltas, gates):
            for block in stream:
                got = block.json["choices"][0]["delta"]
                if all(got.get(k) == v for k, v in delta.items()):
                    break
            gate.open()
        assert finish(route, stream).finish_reason == "tool_calls"


def test_the_head_waits_for_the_first_content(shared, script, route):
    gates = [up.Gate(), up.Gate()]
    s = script(up.sse(), up.role(), up.wait(gates[0]), up.text("x"), up.wait(gates[1]),
               *up.ending())
    body = json.dumps(body_for(route, s.model)).encode()
    with Raw(shared) as raw:
        raw.send(post(route, body))
        gates[0].wait_reached()
        raw.sock.settimeout(0.3)
        with pytest.raises(TimeoutError):
            raw.sock.recv(1)
        raw.sock.settimeout(DEADLINE)
        gates[0].open()
        assert raw.read_head().status == 200
        gates[1].open()


def test_what_was_held_comes_with_the_head_in_one_piece(shared, script, route):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("first"), up.wait(gate), *up.ending())
    with Raw(shared) as raw:
        raw.send(post(route, json.dumps(body_for(route, s.model)).encode()))
        head = raw.read_head()
        blocks = sse.Blocks(raw.pieces(head))
        while "first" not in (blocks.next_data().data or ""):
            pass
        gate.open()
        list(blocks)


@pytest.mark.parametrize("steps", [
    [up.reply({"error": {"message": "no", "code": "c"}}, 422)],
    [up.sse(), up.data({"error": {"message": "no", "code": 422, "type": "x"}}), up.end()],
    [up.sse(), up.role(), up.data({"error": {"message": "no", "type": "x"}}), up.end()],
    [up.sse(), up.end()], [up.sse(), up.hang_up()], [up.sse(), up.role(), up.hang_up(True)],
    [up.sse(), up.data("[DONE]"), up.end()], [up.sse(), up.data("{nonsense"), up.end()],
    [up.sse(), up.role(), up.data("[DONE]"), up.end()],
    [up.sse(), up.body(b'{"error":"plain line"}\n'), up.end()],
    [up.sse(), up.body(b'error: {"message":"old llama"}\n\n'), up.end()],
], ids=["status", "first event", "after role", "nothing", "hang up", "reset after role",
        "done only", "no json", "done after role", "bare json line", "error field"])
def test_a_failure_before_the_first_content_is_a_real_status(client, script, route, steps):
    s = script(*steps)
    with client.stream(route, body_for(route, s.model)) as stream:
        assert stream.status >= 400, list(stream)
        reply = stream.reply()
        reply.error(stream.status)
        if route == "/v1/chat":
            assert client.run(reply.headers["x-run-id"])["status"] == "failed"


CUTS = [
    ("in the middle of an event", [up.body(b'data: {"choices":[{"ind'), up.hang_up()],
     "stream_incomplete"),
    ("reset", [up.hang_up(True)], "stream_incomplete"),
    ("between events", [up.end()], "stream_incomplete"),
    ("between events, without the last chunk", [up.hang_up()], "stream_incomplete"),
    ("[DONE] without a finish", [up.data("[DONE]"), up.end()], "stream_incomplete"),
    ("a malformed chunk", [up.data('{"choices":[{"index":0,"delta":{"content":"x"'), up.end()],
     None),
    ("a chunk of another shape", [up.data('{"choices":"x"}'), up.end()], None),
    ("NaN in a chunk", [up.data('{"choices":[{"index":0,"delta":{"content":NaN}}]}'), up.end()],
     None),
    ("bad utf-8", [up.body(b'data: {"choices":[{"index":0,"delta":{"content":"\xc0\xaf"}}]}\n\n'),
                   up.end()], None),
    ("html", [up.body(b"<html>502</html>\n\n"), up.hang_up()], None),
    ("an error event", [up.data({"error": {"message": "overloaded", "type": "server_error",
                                           "code": "overloaded"}}), up.end()], "overloaded"),
    ("an error and [DONE]", [up.data({"error": {"message": "overloaded", "type": "server_error",
                                                "code": "overloaded"}}), up.data("[DONE]"),
                             up.end()], "overloaded"),
    ("an error with choices", [up.data({**up.chunk({}, "error"), "error": {
        "message": "overloaded", "code": 502}}), up.data("[DONE]"), up.end()], None),
]


@pytest.mark.parametrize("steps, code", [c[1:] for c in CUTS], ids=[c[0] for c in CUTS])
def test_a_failure_after_content_is_an_error_and_never_a_clean_end(client, script, route, steps,
                                                                  code):
    s = script(up.sse(), up.role(), up.text("so "), up.text("far"), *steps)
    with client.stream(route, body_for(route, s.model)) as stream:
        assert stream.status == 200
        answer = finish(route, stream)
    assert answer.text == "so far", "everything received is handed on"
    assert answer.error and answer.error["message"]
    assert set(answer.error) >= {"message", "type", "param", "code"}
    if code:
        assert answer.error["code"] == code
    if route == "/v1/chat":
        run = client.run(stream.headers["x-run-id"])
        assert run["status"] in ("failed", "incomplete") and run["error"]["message"]
        texts = [item_text(i) for i in client.items(stream.headers["x-conversation-id"])["data"]]
        assert texts == ["hi", "so far"], "the text so far is kept"


def test_a_good_end_without_done(client, script, route):
    s = script(up.sse(), up.role(), up.text("x"), up.data(up.chunk({}, "stop")), up.end())
    with client.stream(route, body_for(route, s.model)) as stream:
        answer = finish(route, stream)
    assert answer.error is None and answer.text == "x" and answer.finishes == ["stop"]


# --- bytes ----------------------------------------------------------------------------------------


def whole_stream(line_end="\n", space=" ", last=True):
    events = [json.dumps(up.chunk({"role": "assistant", "content": ""})),
              json.dumps(up.chunk({"content": "é\U0001f600"}), ensure_ascii=False),
              json.dumps(up.chunk({"content": "\\ud83d"})).replace("\\\\u", "\\u"),
              json.dumps(up.chunk({"content": "\\ude00 end"})).replace("\\\\u", "\\u"),
              json.dumps(up.chunk({}, "stop")), "[DONE]"]
    content = "".join(f"data:{space}{e}{line_end}{line_end}" for e in events)
    return (content if last else content.rstrip()).encode()


WIRES = [("LF", whole_stream()), ("CRLF", whole_stream("\r\n")), ("CR", whole_stream("\r")),
         ("no space", whole_stream(space="")), ("no last blank line", whole_stream(last=False)),
         ("BOM", b"\xef\xbb\xbf" + whole_stream()),
         ("comments", b": hello\n\n" + whole_stream().replace(b"\n\n", b"\n\n: ping\n\n")),
         ("ids and events",
          whole_stream().replace(b"data:", b"id: 7\nevent: message\nretry: 5\ndata:"))]


@pytest.mark.parametrize("content", [w[1] for w in WIRES], ids=[w[0] for w in WIRES])
def test_a_stream_may_be_split_at_every_byte(client, script, route, content):
    s = script(up.sse(), up.bytewise(content), up.end())
    with client.stream(route, body_for(route, s.model)) as stream:
        answer = finish(route, stream)
    joined = "".join(sse.text_of(c) for c in answer.chunks)
    joined = joined.encode("utf-16", "surrogatepass").decode("utf-16")
    assert answer.error is None
    assert joined == "é\U0001f600\U0001f600 end"


@pytest.mark.parametrize("at", range(1, 9))
def test_a_stream_may_be_cut_into_two_packets_anywhere(client, script, at):
    content = whole_stream("\r\n")
    s = script(up.sse(), up.split(content, [len(content) * at // 9]), up.end())
    with client.complete_stream(s.model) as stream:
        assert stream.openai().error is None


def test_many_events_in_one_packet(client, script, route):
    events = b"".join(b"data: " + json.dumps(up.chunk({"content": f"{i} "})).encode() + b"\n\n"
                      for i in range(2000))
    s = script(up.sse(), up.role(), up.body(events), *up.ending())
    with client.stream(route, body_for(route, s.model)) as stream:
        assert finish(route, stream).text.split() == [str(i) for i in range(2000)]


def test_a_very_large_event_passes(client, script, route):
    piece = "x" * (3 << 20)
    s = script(*up.stream("a", piece, "b"))
    with client.stream(route, body_for(route, s.model)) as stream:
        answer = finish(route, stream)
    assert answer.error is None and answer.text == f"a{piece}b"


def test_a_stream_that_was_asked_for_but_came_whole(client, script, route):
    """A provider that ignores `stream` either gives a stream or an honest error."""
    s = script(up.reply(up.completion("whole")))
    with client.stream(route, body_for(route, s.model)) as stream:
        if stream.status == 200:
            assert finish(route, stream).text == "whole"
        else:
            stream.reply().error(502)


def test_http_1_0_gets_the_stream_up_to_the_close(shared, script, route):
    s = script(*up.stream("one ", "two"))
    with Raw(shared) as raw:
        raw.send(post(route, json.dumps(body_for(route, s.model)).encode(), version="HTTP/1.0"))
        head = raw.read_head()
        assert head.status == 200 and "transfer-encoding" not in head.headers
        blocks = list(sse.Blocks(raw.pieces(head)))
        answer = sse.native(blocks) if route == "/v1/chat" else sse.openai(blocks)
    assert answer.text == "one two"


def test_the_connection_serves_again_after_a_stream_or_says_that_it_closes(shared, script, route):
    s = script(*up.stream("x"))
    request = post(route, json.dumps(body_for(route, s.model)).encode())
    with Raw(shared) as raw:
        for _ in range(3):
            reply = raw.send(request).read("POST", route)
            assert reply.status == 200 and b"[DONE]" in reply.body
            if reply.closes:
                assert raw.at_end()
                return


def test_head_on_a_stream_route_is_no_call(shared, route):
    with Raw(shared) as raw:
        raw.send(f"HEAD {route} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        # The list of stored completions has the same path.
        assert raw.read("HEAD").status == (405 if route == "/v1/chat" else 200)


# --- time limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_the_first_byte_limit(client, script, route, stream):
    gate = up.Gate()
    s = script(up.wait(gate))
    began = time.monotonic()
    reply = client.post(route, {**body_for(route, s.under("quick")), "stream": stream})
    reply.error(504, "first_byte_timeout", type="timeout_error")
    assert time.monotonic() - began >= 0.9
    s.wait().wait_closed()


def test_the_first_byte_limit_counts_body_bytes(client, script, route):
    gate = up.Gate()
    s = script(up.sse(), up.wait(gate))
    client.post(route, body_for(route, s.under("quick"))).error(504, "first_byte_timeout")


def test_the_idle_limit(client, script, route):
    gate = up.Gate()
    s = script(up.at_once(up.sse(), up.role(), up.text("x")), up.wait(gate))
    with client.stream(route, body_for(route, s.under("stalls"))) as stream:
        answer = finish(route, stream)
    assert answer.text == "x" and answer.error["code"] == "idle_timeout"
    s.wait().wait_closed()


@paced(1, 1, 1, 1)
def test_any_byte_keeps_a_stream_from_being_idle(client, script, unit):
    """Comments come ten times as often as they must, for two and a half times the limit."""
    pauses = []

    def pings(x):
        for _ in range(25):
            began = time.monotonic()
            time.sleep(unit / 10)  # the pace is what is tested
            x.send_body(b": ping\n\n")
            pauses.append(time.monotonic() - began)
    s = script(up.at_once(up.sse(), up.role(), up.text("x")), up.call(pings), *up.ending())
    with client.complete_stream(s.under("stalls")) as stream:
        error = stream.openai().error
    if max(pauses) > unit / 2:
        raise TooSlow(f"a pause of {max(pauses)} s")
    assert error is None and len(pauses) == 25


@paced(1, 1, 1, 1)
def test_the_total_limit_of_a_stream(client, script, unit):
    gate = up.Gate()
    s = script(up.at_once(up.sse(), up.role(), up.text("x")), up.wait(gate))
    with contextlib.ExitStack() as stack:
        with within(unit):
            stream = stack.enter_context(client.complete_stream(s.under("brief")))
            stream.until_text("x")
        assert stream.openai().error["code"] == "total_timeout"
    s.wait().wait_closed()


def test_the_total_limit_of_a_plain_call(client, script):
    gate = up.Gate()
    s = script(up.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), up.wait(gate))
    client.complete(s.under("brief")).error(504, "total_timeout")


def test_a_limit_that_fires_ends_the_run(client, script):
    gate = up.Gate()
    s = script(up.wait(gate))
    reply = client.chat("hi", model=s.under("quick"))
    reply.error(504, "first_byte_timeout")
    run = client.run(reply.headers["x-run-id"])
    assert run["status"] == "failed" and run["error"]["code"] == "first_byte_timeout"


# --- keep-alive and the commit --------------------------------------------------------------------


@pytest.fixture
def eager(start):
    return start(usual={"keep_alive": "1s", "commit_after": "1s"})


def test_silence_is_filled_with_comments(eager, script, route):
    from client import Client
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("x"), up.wait(gate), *up.ending())
    with Client(eager.url) as client, client.stream(route, body_for(route, s.model)) as stream:
        comments = 0
        for block in stream:
            if block.is_comment:
                assert block.raw == b": keep-alive"
                comments += 1
                if comments == 2:
                    gate.open()
        answer = sse.native(stream.seen) if route == "/v1/chat" else sse.openai(stream.seen)
    assert comments >= 2 and answer.error is None


def test_after_the_commit_errors_come_in_the_stream(eager, script, route):
    """The provider is silent for longer than commit_after: 200, comments, then its refusal."""
    from client import Client
    gate = up.Gate()
    s = script(up.wait(gate), up.reply({"error": {"message": "no", "code": "c", "type": "t"}}, 400))
    with Client(eager.url) as client, client.stream(route, body_for(route, s.model)) as stream:
        assert stream.status == 200
        assert next(stream).is_comment
        gate.open()
        list(stream)
    answer = sse.native(stream.seen) if route == "/v1/chat" else sse.openai(stream.seen)
    assert answer.error["code"] == "c" and not answer.chunks


# --- the client leaves ----------------------------------------------------------------------------


MOMENTS = {
    "before the provider answers": lambda gate: [up.wait(gate)],
    "after the provider's head": lambda gate: [up.sse(), up.wait(gate)],
    "in the middle": lambda gate: [up.sse(), up.role(), up.text("x"), up.wait(gate)],
}


def leave(shared, script, route, steps, gate, reset=False, streaming=False, **fields):
    """Asks, leaves once the gate is reached; returns the exchange, watched since then, and the head."""
    s = script(*steps)
    raw = Raw(shared)
    raw.send(post(route, json.dumps(body_for(route, s.model, **fields)).encode()))
    gate.wait_reached()
    head = raw.read_head() if streaming else None
    if reset:
        raw.sock.setsockopt(up.socket.SOL_SOCKET, up.socket.SO_LINGER,
                            up.struct.pack("ii", 1, 0))
    x = s.wait()
    x.closed.watch = Watch(shared)
    raw.close()
    return x, head


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("reset", [False, True], ids=["FIN", "RST"])
def test_leaving_an_unstored_stream_cancels_at_once(shared, script, route, moment, reset):
    gate = up.Gate()
    x, _ = leave(shared, script, route, MOMENTS[moment](gate), gate, reset,
                 moment == "in the middle", store=False)
    x.wait_closed()
    assert x.closed.watch.seconds() < AT_ONCE, "the provider's connection stayed open"


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_leaving_with_the_last_byte_of_the_request_is_noticed(shared, script, route, stream):
    """The client's FIN comes in together with its request; five times, for it is a race."""
    for _ in range(5):
        gate = up.Gate()
        s = script(up.wait(gate))
        with Raw(shared) as raw:
            raw.send(post(route, json.dumps({**body_for(route, s.model), "stream": stream,
                                             "store": False}).encode()))
            raw.close()
        watch = Watch(shared)
        try:
            x = s.wait(deadline=0.3)
        except AssertionError:
            continue  # it never got as far as the provider
        x.wait_closed()
        assert watch.seconds() < AT_ONCE * 2


def test_leaving_a_plain_unstored_call_cancels_at_once(shared, script, route):
    gate = up.Gate()
    x, _ = leave(shared, script, route, [up.wait(gate)], gate, store=False, stream=False)
    x.wait_closed()
    assert x.closed.watch.seconds() < AT_ONCE


def test_on_disconnect_cancel_cancels_a_stored_run(shared, client, script):
    gate = up.Gate()
    x, head = leave(shared, script, "/v1/chat", MOMENTS["in the middle"](gate), gate,
                    streaming=True, on_disconnect="cancel")
    x.wait_closed()
    assert x.closed.watch.seconds() < AT_ONCE
    run = head.headers["x-run-id"]
    value = wait_until(lambda: (r := client.run(run))["status"] not in ("queued", "running") and r,
                       "the run's end")
    assert value["status"] == "cancelled" and value["finish_reason"] is None
    texts = [item_text(i) for i in client.items(value["conversation"])["data"]]
    assert texts == ["hi", "x"], "partial text is stored"


@pytest.mark.parametrize("route, fields", [
    ("/v1/chat", {}), ("/v1/chat", {"on_disconnect": "finish"}),
    ("/v1/chat/completions", {"store": True})])
def test_a_stored_run_goes_on_without_its_client(shared, client, script, route, fields):
    gate = up.Gate()
    steps = [*MOMENTS["in the middle"](gate), up.text(" and the rest"), *up.ending()]
    x, head = leave(shared, script, route, steps, gate, streaming=True, **fields)
    run = head.headers["x-run-id"]
    assert client.run(run)["status"] == "running"
    gate.open()
    assert x.done.wait(DEADLINE) and not x.closed.is_set()
    value = wait_until(lambda: (r := client.run(run))["status"] != "running" and r, "the run's end")
    assert value["status"] == "completed" and value["finish_reason"] == "stop"
    texts = [item_text(i) for i in client.items(value["conversation"])["data"]]
    assert texts == ["hi", "x and the rest"]


def test_a_plain_stored_call_goes_on_without_its_client(shared, client, script):
    gate = up.Gate()
    s = script(up.wait(gate), up.reply(up.completion("late")))
    first = client.chat("one").ok().json
    raw = Raw(shared)
    raw.send(post("/v1/chat", json.dumps({
        "messages": ["two"], "config": {"model": s.model},
        "conversation": first["conversation"]}).encode()))
    gate.wait_reached()
    raw.close()
    gate.open()
    items = wait_until(
        lambda: len(d := client.items(first["conversation"])["data"]) == 4 and d, "the late answer")
    assert item_text(items[-1]) == "late"


# --- slow readers ---------------------------------------------------------------------------------


TOTAL = 50 << 20


def test_a_slow_reader_costs_a_bounded_buffer(shared, script, route):
    piece = json.dumps(up.chunk({"content": "y" * 16000})).encode()
    block = b"data: " + piece + b"\n\n"
    count = TOTAL // len(block)

    def flood(x):
        x.sock.setsockopt(up.socket.SOL_SOCKET, up.socket.SO_SNDBUF, 1 << 16)
        for _ in range(count):
            x.send_body(block)
    s = script(up.sse(), up.role(), up.call(flood), *up.ending())
    with Raw(shared, receive_buffer=1 << 16) as raw:
        before = shared.rss_bytes()
        raw.send(post(route, json.dumps(body_for(route, s.model, store=False)).encode()))
        head = raw.read_head()
        x = s.wait()

        def stuck():
            sent = x.sent
            return not x.done.wait(0.5) and x.sent == sent and sent > 0
        wait_until(stuck, "the provider to be held back", DEADLINE)
        assert x.sent < TOTAL * 3 // 4, "the gateway took everything without a reader"
        if not sanitized():
            grown = shared.rss_bytes() - before
            assert grown < 12 << 20, f"{grown >> 20} MiB for one slow reader"
        text = done = 0
        for data in raw.pieces(head):
            text += data.count(b"y")
            done += data.count(b"data: [DONE]")
    assert done == 1 and text >= count * 16000


def test_a_slow_reader_does_not_slow_others(shared, client, script):
    s = script(up.sse(), up.role(),
               up.call(lambda x: [x.send_body(b"data: " + json.dumps(
                   up.chunk({"content": "y" * 16000})).encode() + b"\n\n") for _ in range(2000)]),
               *up.ending())
    with Raw(shared, receive_buffer=1 << 16) as raw:
        raw.send(post("/v1/chat", json.dumps(
            body_for("/v1/chat", s.model, store=False)).encode()))
        raw.read_head()
        for _ in range(20):
            watch = Watch(shared)
            client.chat("hi", store=False).ok()
            assert watch.seconds() < 2


def test_many_streams_at_once(shared, client, script):
    """200 streams stand open together and each gets its own text."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    gates = []

    def hold(x):
        x.send_body(b"data: " + json.dumps(up.chunk(
            {"content": x.request.json["messages"][0]["content"]})).encode() + b"\n\n")
        gate = up.Gate()
        gates.append(gate)
        x.wait_gate(gate)
    s = script(up.sse(), up.call(hold), *up.ending())
    raws = []
    try:
        for i in range(200):
            raw = Raw(shared)
            raws.append(raw)
            raw.send(post("/v1/chat/completions", json.dumps(
                {"model": s.model, "stream": True,
                 "messages": [{"role": "user", "content": f"number-{i}"}]}).encode()))
        wait_until(lambda: len(gates) == 200, "all streams to be open")
        for gate in gates:
            gate.open()
        for i, raw in enumerate(raws):
            reply = raw.read("POST", "/v1/chat/completions")
            assert f'"number-{i}"'.encode() in reply.body and b"[DONE]" in reply.body
    except Closed as error:
        pytest.fail(f"a stream was closed: {error}")
    finally:
        for raw in raws:
            raw.close()
