"""--takeover: the next process gets the sockets and the database, and nobody notices."""

import copy
import itertools
import json
import os
import re
import signal
import socket
import tempfile
import threading
import time
from pathlib import Path

import pytest

import keys
import upstream as up
from client import Client
from fixtures import provider
from gateway import ENGINE
from raw import Raw, get, post
from waiting import DEADLINE, wait_until

pytestmark = pytest.mark.skipif(ENGINE != "sqlite", reason="beside PostgreSQL several gateways serve at once")


@pytest.fixture
def succeed():
    """succeed(gateway): a process that takes over from it, on the same files."""
    made = []

    def make(gateway, *args, ready=True):
        other = copy.copy(gateway)
        other.process, other.lines = None, []
        other.args = [*gateway.args, "--takeover", *args]
        made.append(other)
        return other.start() if ready else other
    yield make
    for other in made:
        other.stop()


def conversations(client):
    found, after = [], ""
    while True:
        page = client.get(f"/v1/conversations?limit=100{after}").ok().json
        found += page["data"]
        if not page["has_more"]:
            return found
        after = f"&after={page['last_id']}"


class Load:
    """Clients that ask again and again, each time with a new connection."""

    def __init__(self, gateway, threads=4, keep_alive=False, stream=False):
        self.gateway, self.keep_alive, self.stream = gateway, keep_alive, stream
        self.runs = []
        self.stopping = threading.Event()
        self.asked, self.answered, self.failed = [], [], []
        self.numbers = itertools.count()
        self.threads = [threading.Thread(target=self._run) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def _ask(self, raw, text):
        body = json.dumps({"messages": [text], "stream": self.stream}).encode()
        reply = raw.send(post("/v1/chat", body)).read()
        assert reply.status == 200, reply
        self.runs.append(reply.headers["x-run-id"])
        if self.stream:
            assert b"event: done" in reply.body
        else:
            assert json.loads(reply.body)["choices"][0]["message"]["content"] == text
        return reply

    def _run(self):
        raw = None
        while not self.stopping.is_set():
            text = f"question {next(self.numbers)}"
            self.asked.append(text)
            try:
                raw = raw or Raw(self.gateway)
                reply = self._ask(raw, text)
                self.answered.append(text)
                if not self.keep_alive or reply.closes:
                    raw.close()
                    raw = None
            except Exception as error:  # whatever it is, the test shall tell
                self.failed.append((text, repr(error)))
                raw = None

    def more(self, n=20):
        mark = len(self.answered)
        wait_until(lambda: len(self.answered) > mark + n or self.failed, "more answers")

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(DEADLINE)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["new", "keep_alive", "stream"])
def test_under_load_nobody_is_refused_and_nothing_is_lost(start, succeed, kind):
    first = start({}, args=["--loops", "3"])
    load = Load(first, **({} if kind == "new" else {kind: True}))
    try:
        load.more()
        now = first
        for loops in ("1", "4", "2"):
            before, now = now, succeed(now, "--loops", loops)
            assert now.url == first.url
            load.more()
            assert before.wait_exit() == 0
            before.check_log()
            now.wait_log("the previous process has ended; 0 of its runs")
        load.more()
    finally:
        load.stop()
    assert load.failed == []
    assert len(load.answered) == len(load.asked) > 80
    with Client(now.url) as client:
        found = conversations(client)
        assert len(found) == len(load.asked)
        seen = []
        for c in found:
            items = [i["content"][0]["text"] for i in client.items(c["id"])["data"]]
            assert len(items) == 2 and items[0] == items[1]
            seen.append(items[0])
        assert sorted(seen) == sorted(load.asked)
        for run in load.runs if kind == "stream" else []:
            assert b"event: done" in client.get(f"/v1/runs/{run}/events").ok().body


def gated(script, *more):
    gate = up.Gate()
    return gate, script(up.sse(), up.role(), up.text("one"), up.wait(gate), up.text(" two"),
                        *more, *up.ending())


def test_streams_end_where_they_began_and_can_be_followed_at_the_new_one(start, succeed, script):
    first = start(usual={})
    gate, s = gated(script)
    with Client(first.url) as client, client.chat_stream("q", model=s.model) as stream:
        stream.until_text("one")
        second = succeed(first)
        run = stream.headers["x-run-id"]
        with Client(second.url) as other:
            assert other.run(run)["status"] == "running"
            response = other.http.send(other.http.build_request(
                "GET", f"/v1/runs/{run}/events?after={stream.seen[-1].id}"), stream=True)
            assert response.status_code == 200
            gate.open()
            rest = b"".join(response.iter_raw())
            first_seen = stream.native()
            assert first_seen.error is None and first_seen.text == "one two"
            assert b" two" in rest and b"[DONE]" in rest and b'"one"' not in rest
            assert rest.split(b"\n\n")[-2] == stream.seen[-1].raw
            assert other.get(f"/v1/runs/{run}/events").ok().body.count(b'"one"') == 1
            assert first.wait_exit() == 0
            assert other.run(run)["status"] == "completed"


def test_a_run_of_the_process_before_can_be_cancelled(start, succeed, script):
    first = start(usual={})
    gate, s = gated(script)
    with Client(first.url) as client, client.chat_stream("q", model=s.model) as stream:
        stream.until_text("one")
        second = succeed(first)
        with Client(second.url) as other:
            run = stream.headers["x-run-id"]
            assert other.post(f"/v1/runs/{run}/cancel").ok().json["status"] == "cancelled"
        list(stream)
    assert first.wait_exit() == 0


def test_what_a_killed_process_before_left_going_gets_its_end(start, succeed, script):
    first = start(usual={})
    gate, s = gated(script)
    own_gate, own = gated(script)
    with Client(first.url) as client, client.chat_stream("q", model=s.model) as stream:
        stream.until_text("one")
        second = succeed(first)
        run = stream.headers["x-run-id"]
        with Client(second.url) as other, other.chat_stream("mine", model=own.model) as mine:
            mine.until_text("one")
            follower = other.http.send(other.http.build_request("GET", f"/v1/runs/{run}/events"),
                                       stream=True)
            first.kill()
            rest = b"".join(follower.iter_raw())
            assert b"event: error" in rest and b"server_stopped" in rest
            found = other.run(run)
            assert found["status"] == "incomplete"
            second.wait_log("the previous process has ended; 1 of its runs were unfinished")
            # its own run is its own
            own_gate.open()
            assert mine.native().text == "one two"
            assert other.run(mine.headers["x-run-id"])["status"] == "completed"
    gate.open()


def test_after_a_crash_of_the_new_one_a_third_starts_beside_the_old_one(start, succeed, script):
    first = start(usual={})
    gate, s = gated(script)
    with Client(first.url) as client, client.chat_stream("q", model=s.model) as stream:
        stream.until_text("one")
        second = succeed(first)
        second.kill()
        first.wait_log("the process that took over has gone")
        third = succeed(first, ready=False)
        third.args.remove("--takeover")
        third.listen = f"127.0.0.1:{first.port}"
        third.start()
        with Client(third.url) as other:
            other.chat("hi").ok()
            assert other.run(stream.headers["x-run-id"])["status"] == "running"
            gate.open()
            assert stream.native().text == "one two"
            assert first.wait_exit() == 0
            third.wait_log("the previous process has ended; 0 of its runs")
            assert other.run(stream.headers["x-run-id"])["status"] == "completed"


def test_a_key_s_call_is_made_once_over_both(start, succeed, script):
    first = start(usual={})
    gate = up.Gate()
    s = script(up.wait(gate), up.reply(up.completion("late")))
    headers = {"Idempotency-Key": "k1"}
    replies = []

    def ask(url):
        with Client(url) as client:
            replies.append(client.post("/v1/chat", {"messages": ["q"], "config": {"model": s.model}},
                                       headers=headers))
    threads = [threading.Thread(target=ask, args=(first.url,))]
    threads[0].start()
    gate.wait_reached()
    second = succeed(first)
    threads.append(threading.Thread(target=ask, args=(second.url,)))
    threads[1].start()
    with Client(second.url) as client:
        client.chat("x").ok()
    gate.open()
    for thread in threads:
        thread.join(DEADLINE)
    assert [r.ok().text for r in replies] == ["late", "late"]
    assert len({r.headers["x-run-id"] for r in replies}) == 1
    assert len(s.exchanges) == 1


def test_the_search_index_goes_on(start, succeed):
    first = start({})
    with Client(first.url) as client:
        client.chat("walrus before").ok()
    second = succeed(first)
    with Client(second.url) as client:
        client.chat("walrus after").ok()
        wait_until(lambda: len(client.get("/v1/search?q=walrus").ok().json["data"]) == 4,
                   "both are found")
    assert first.wait_exit() == 0


def test_a_process_that_can_t_serve_leaves_the_old_one_as_it_was(start, succeed):
    first = start({})
    with socket.create_server(("127.0.0.1", 0)) as used:
        code, log = succeed(first, "--listen", "127.0.0.1:%d" % used.getsockname()[1],
                            ready=False).fails_to_start()
        assert code == 69 and "can't listen" in log
    first.wait_log("this process continues to serve")
    with Client(first.url) as client:
        client.chat("walrus").ok()
        wait_until(lambda: client.get("/v1/search?q=walrus").ok().json["data"], "it is found")
    second = succeed(first)
    with Client(second.url) as client:
        client.chat("hi").ok()
    assert first.wait_exit() == 0


def test_only_one_takeover_at_a_time(start, succeed, script):
    first = start(usual={})
    gate, s = gated(script)
    with Client(first.url) as client, client.chat_stream("q", model=s.model) as stream:
        stream.until_text("one")
        second = succeed(first)
        code, log = succeed(second, ready=False).fails_to_start()
        assert code == 69 and "still ends its answers" in log
        gate.open()
        assert stream.native().text == "one two"
    assert first.wait_exit() == 0


def test_without_anybody_before_it_just_starts(start):
    gateway = start({}, args=["--takeover"])
    with Client(gateway.url) as client:
        client.chat("hi").ok()


def test_without_the_flag_a_database_in_use_and_a_used_port_are_refused(start, succeed):
    first = start({})
    other = copy.copy(first)
    other.lines = []
    code, log = other.fails_to_start()
    assert code != 0 and "in use by another process" in log
    code, log = start(listen=f"127.0.0.1:{first.port}", ready=False).fails_to_start()
    assert code == 69


def test_a_unix_socket_is_taken_over_and_stays(start, succeed, tmp_path):
    path = f"/tmp/p{time.time_ns():x}.sock"
    first = start({}, listen=f"unix:{path}")
    second = succeed(first)
    assert first.wait_exit() == 0
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.sendall(get("/livez", "Connection: close"))
        assert s.recv(4096).startswith(b"HTTP/1.1 200")
    second.stop()
    with pytest.raises(FileNotFoundError), socket.socket(socket.AF_UNIX) as s:
        s.connect(path)


def test_the_socket_of_the_takeover_is_private(start):
    gateway = start({})
    path = gateway.folder / "parley.db.takeover"
    wait_until(path.exists, "the socket")
    assert path.stat().st_mode & 0o777 == 0o600
    nowhere = f"/proc/self/fd/{os.open(gateway.folder, os.O_PATH)}/parley.db.takeover"
    for nonsense in (b"", b"x", b"\0" * 2000):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.connect(nowhere)
            s.send(nonsense)
            assert s.recv(10) == b""
    with Client(gateway.url) as client:
        client.chat("hi").ok()
    gateway.signal(signal.SIGTERM)
    assert gateway.wait_exit() == 0
    assert not path.exists()
    assert not re.search("ERROR", "".join(gateway.lines))


@pytest.mark.parametrize("killed", [False, True], ids=["ends", "is killed"])
def test_what_the_one_before_has_reserved_is_settled_by_its_end(start, succeed, script, upstream,
                                                                killed):
    gate = up.Gate()
    models = [{"name": "m", "provider": "p", "max_output": 1000,
               "upstream_model": script(up.sse(), up.role(), up.text("x"), up.wait(gate),
                                        *up.ending()).name,
               "price": {"input": 1, "output": 1}}]
    first = start({"providers": [provider(upstream, "p")], "models": models})
    key = keys.known(first, keys.make(first, "--budget", "1"))
    head = keys.bearer(key["key"])

    def budget():
        with Client(first.url, head) as client:
            return client.get("/v1/usage").ok().json["budget"]["cost"]

    with Client(first.url, head) as client, client.http.stream("POST", "/v1/chat", json={
            "messages": ["hi"], "stream": True, "config": {"model": "m"}}) as answer:
        pieces = answer.iter_raw()
        next(pieces)
        gate.wait_reached()
        reserved = float(budget()["reserved"])
        assert reserved > 0.001
        second = succeed(first)
        assert float(budget()["reserved"]) == reserved and budget()["spent"] == "0"
        if killed:
            first.kill()
        else:
            gate.open()
            assert b"event: done" in b"".join(pieces)
    if not killed:
        assert first.wait_exit() == 0
    second.wait_log("the previous process has ended")
    wait_until(lambda: budget()["reserved"] == "0", "the end of the reservation")
    if killed:
        with Client(second.url, head) as client:
            run = client.run(answer.headers["x-run-id"])
        assert run["usage_source"] == "estimated"
        assert 0 < float(budget()["spent"]) == float(run["cost"]) < reserved
        gate.open()
    else:
        assert budget()["spent"] == "0.000018"


# --- addresses that the new process does not use ---

@pytest.fixture
def short():
    """A folder whose path fits into a socket's address."""
    with tempfile.TemporaryDirectory(prefix="p") as folder:
        yield Path(folder)


# Another word than that of the old one, for which its socket would be used.
ELSEWHERE = ("--listen", "127.0.0.2:0")


def alive_at(family, address):
    """Whether somebody serves there; one who lets connect and says nothing is an error."""
    with socket.socket(family) as s:
        s.settimeout(DEADLINE)
        try:
            s.connect(address)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        s.sendall(get("/livez", "Connection: close"))
        return s.recv(4096).startswith(b"HTTP/1.1 200")


def places_of(gateway, path):
    """Its port, that of its admin listener, and its unix socket."""
    admin = int(gateway.wait_log(r"metrics and keys on http://127\.0\.0\.1:(\d+)")[1])
    return [(socket.AF_INET, ("127.0.0.1", gateway.port)), (socket.AF_INET, ("127.0.0.1", admin)),
            (socket.AF_UNIX, str(path))]


def test_addresses_that_the_new_one_does_not_use_are_closed(start, succeed, script, short):
    path = short / "p.sock"
    first = start(usual={"listen": ["127.0.0.1:0", f"unix:{path}"], "admin_listen": "127.0.0.1:0"},
                  listen=None, args=["--loops", "3"])
    places = places_of(first, path)
    assert all(alive_at(*place) for place in places)
    gate, s = gated(script)
    with Client(first.url) as client, client.chat_stream("q", model=s.model) as stream:
        stream.until_text("one")
        second = succeed(first, *ELSEWHERE, "--admin-listen", "127.0.0.2:0")
        assert second.url != first.url
        # also while the old one, which has the same sockets, still ends its answers
        assert [place for place in places if alive_at(*place)] == []
        assert not path.exists()
        second.wait_log("127.0.0.1:%d is not served any more" % first.port)
        assert alive_at(socket.AF_INET, ("127.0.0.2", second.port))
        gate.open()
        assert stream.native().text == "one two"
    assert first.wait_exit() == 0
    first.check_log()


def test_an_address_goes_and_the_others_stay(start, succeed, short):
    path = short / "p.sock"
    first = start({"listen": ["127.0.0.1:0", f"unix:{path}"]}, listen=None)
    second = succeed(first, "--listen", f"unix:{path}")
    assert alive_at(socket.AF_UNIX, str(path))
    assert not alive_at(socket.AF_INET, ("127.0.0.1", first.port))
    assert first.wait_exit() == 0
    assert second.alive() and alive_at(socket.AF_UNIX, str(path))


def test_a_file_that_somebody_has_put_in_a_socket_s_place_stays(start, succeed, short):
    path = short / "p.sock"
    first = start({"listen": ["127.0.0.1:0", f"unix:{path}"]}, listen=None)
    path.rename(short / "old.sock")
    path.write_text("mine")
    succeed(first, *ELSEWHERE)
    assert not alive_at(socket.AF_UNIX, str(short / "old.sock"))
    assert first.wait_exit() == 0
    assert path.read_text() == "mine"


def test_an_inherited_socket_that_the_new_one_does_not_use_stays_its_giver_s(start, succeed):
    with socket.create_server(("127.0.0.1", 0)) as giver:
        giver.settimeout(DEADLINE)
        first = start({}, listen=f"fd:{giver.fileno()}", pass_fds=[giver.fileno()])
        second = succeed(first, ready=False)
        second.listen = ELSEWHERE[1]
        second.start()
        assert first.wait_exit() == 0
        with socket.create_connection(giver.getsockname()):
            giver.accept()[0].close()


def test_a_failed_takeover_leaves_all_addresses_to_the_old_one(start, succeed, short):
    path = short / "p.sock"
    first = start({"listen": ["127.0.0.1:0", f"unix:{path}"], "admin_listen": "127.0.0.1:0"},
                  listen=None)
    places = places_of(first, path)
    with socket.create_server(("127.0.0.1", 0)) as used:
        code, _ = succeed(first, *ELSEWHERE, "--admin-listen",
                          "127.0.0.1:%d" % used.getsockname()[1], ready=False).fails_to_start()
        assert code == 69
    first.wait_log("this process continues to serve")
    assert all(alive_at(*place) for place in places)
    first.stop()
    assert not path.exists()
