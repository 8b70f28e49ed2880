"""A scripted provider: raw sockets, so that every byte, stall and hang-up is the test's own.

A test registers a script (a list of steps) and gets a model name; a request for that model plays
the script.  Every request is kept with the raw bytes of its head and body, and knows when the gateway
has closed the connection.
"""

import itertools
import json
import os
import re
import select
import socket
import struct
import threading
import time

import strict
from waiting import DEADLINE, Moment


class Gone(Exception):
    """The gateway closed the connection, or the test is over."""


def once_each(pairs):
    """An object none of whose members is there twice: a provider would refuse it, or take either one."""
    made = dict(pairs)
    assert len(made) == len(pairs), f"a member is there twice: {[key for key, _ in pairs]}"
    return made


class Gate:
    """A stall: steps wait at it until the test opens it."""

    def __init__(self):
        self.fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.reached = threading.Event()

    def open(self):
        os.eventfd_write(self.fd, 1)

    def wait_reached(self):
        assert self.reached.wait(DEADLINE), "the provider's script never came to its gate"

    def __del__(self):
        os.close(self.fd)


class Request:
    def __init__(self, head, body):
        self.head = head
        self.body = body
        lines = head.split(b"\r\n")
        self.method, self.target, _ = lines[0].decode("latin-1").split(" ", 2)
        self.headers = []
        for line in lines[1:]:
            if line:
                name, value = line.split(b":", 1)
                self.headers.append((name.decode("latin-1").lower(),
                                     value.strip().decode("latin-1")))

    def header(self, name):
        values = [v for n, v in self.headers if n == name.lower()]
        assert len(values) < 2, f"header {name} was sent {len(values)} times"
        return values[0] if values else None

    @property
    def json(self):
        return json.loads(self.body, object_pairs_hook=once_each)


class Exchange:
    """One request and what is written in answer to it."""

    def __init__(self, upstream, sock, request):
        self.upstream = upstream
        self.sock = sock
        self.request = request
        self.closed = Moment()  # the gateway closed its end while the script ran
        self.done = threading.Event()  # the script has ended, or was cut short
        self.sent = 0
        self.chunked = False
        self.ended = False
        self.keep = True

    def _gone(self):
        self.closed.set()
        raise Gone

    def _wait(self, read=(), write=(), seconds=DEADLINE * 4):
        """Waits for one of the descriptors, watching for the gateway's leaving all the time."""
        stop = self.upstream.stop_fd
        end = time.monotonic() + seconds
        while True:
            watched = [self.sock, stop, *read]
            ready, writable, _ = select.select(watched, write, [], max(0, end - time.monotonic()))
            if stop in ready:
                raise Gone
            if self.sock in ready:
                try:
                    if self.sock.recv(1, socket.MSG_PEEK) == b"":
                        self._gone()
                except OSError:
                    self._gone()
            if writable or any(fd in ready for fd in read):
                return
            if time.monotonic() >= end:
                raise Gone

    def send(self, data):
        # Bytes behind an answer would be taken for the next one on this connection.
        if self.ended:
            self.upstream.faults.append(f"bytes behind the end of an answer: {data[:80]!r}")
            raise Gone
        view = memoryview(data)
        while view:
            self._wait(write=[self.sock])
            try:
                count = self.sock.send(view, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
            except BlockingIOError:
                continue
            except OSError:
                self._gone()
            self.sent += count
            view = view[count:]

    def send_body(self, data):
        if self.chunked and data:
            self.send(b"%x\r\n%s\r\n" % (len(data), data))
        else:
            self.send(data)

    def wait_gate(self, gate):
        gate.reached.set()
        self._wait(read=[gate.fd])
        os.eventfd_read(gate.fd)

    def wait_closed(self, deadline=DEADLINE):
        assert self.closed.wait(deadline), "the connection to the provider was not closed"


class Held(Exchange):
    """Keeps what is sent."""

    def __init__(self, exchange):
        super().__init__(exchange.upstream, exchange.sock, exchange.request)
        self.chunked = exchange.chunked
        self.bytes = b""

    def send(self, data):
        self.bytes += data


# --- steps ----------------------------------------------------------------------------------------


def head(status=200, headers=(), reason="Any"):
    lines = [f"HTTP/1.1 {status} {reason}"] + [f"{n}: {v}" for n, v in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def raw(data):
    """Bytes as they are, head included."""
    return lambda x: x.send(data)


def reply(body=b"", status=200, content_type="application/json", headers=()):
    """A whole answer with a Content-Length."""
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()

    def step(x):
        fields = [("Content-Length", len(body)), *headers]
        if content_type:
            fields.insert(0, ("Content-Type", content_type))
        x.send(head(status, fields) + body)
    return step


def sse(content_type="text/event-stream", headers=()):
    """The head of a stream; what follows goes out in chunks."""
    def step(x):
        x.chunked = True
        x.send(head(200, [("Content-Type", content_type), ("Transfer-Encoding", "chunked"),
                          *headers]))
    return step


def body(data):
    return lambda x: x.send_body(data)


def data(value):
    """One event."""
    text = value if isinstance(value, str) else json.dumps(value)
    return body(f"data: {text}\n\n".encode())


def at_once(*steps):
    """What the steps send, in one packet: no limit of time is over between them."""
    def step(x):
        held = Held(x)
        for one in steps:
            one(held)
        x.chunked = held.chunked
        x.send(held.bytes)
        x.ended = held.ended
    return step


def split(content, positions):
    """Body bytes in pieces that end at the positions, each in a chunk and a packet of its own."""
    def step(x):
        edges = [0, *positions, len(content)]
        for start, end in itertools.pairwise(edges):
            x.send_body(content[start:end])
    return step


def bytewise(content):
    return split(content, range(1, len(content)))


def wait(gate):
    return lambda x: x.wait_gate(gate)


def end():
    """The end of a chunked body."""
    def step(x):
        x.send(b"0\r\n\r\n")
        x.chunked = False
        x.ended = True
    return step


def hang_up(reset=False):
    def step(x):
        if reset:
            x.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        x.keep = False
        raise Gone
    return step


def call(function):
    return lambda x: function(x)


def streams(request):
    """Whether a request asks for a stream: some APIs say it in the place, others in the body."""
    return bool(re.search(r":streamGenerateContent|/converse-stream$|/invoke-with-response-stream$", request.target)) or bool(
        request.json.get("stream"))


def in_turn(*answers):
    """The first request gets the first answer, …, and all further ones the last."""
    turn = itertools.count()

    def step(x):
        answer = answers[min(next(turn), len(answers) - 1)]
        for inner in answer if isinstance(answer, list) else [answer]:
            inner(x)
    return step


# --- what providers say ---------------------------------------------------------------------------


def chunk(delta=None, finish=None, index=0, **top):
    return {"id": "chatcmpl-up", "object": "chat.completion.chunk", "created": 1700000000,
            "model": "upstream-model",
            "choices": [{"index": index, "delta": {} if delta is None else delta,
                         "finish_reason": finish}], **top}


def role(**more):
    return data(chunk({"role": "assistant", "content": "", **more}))


def text(piece):
    return data(chunk({"content": piece}))


USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def usage_chunk(usage=None):
    return {**chunk(), "choices": [], "usage": usage or USAGE}


def ending(finish="stop", usage=True):
    steps = [data(chunk({}, finish))]
    if usage:
        steps.append(data(usage_chunk()))
    return [*steps, data("[DONE]"), end()]


def stream(*pieces, finish="stop", usage=True):
    """A whole good stream."""
    return [sse(), role(), *[text(p) for p in pieces], *ending(finish, usage)]


def completion(content="ok", finish="stop", message=None, **top):
    return {"id": "chatcmpl-up", "object": "chat.completion", "created": 1700000000,
            "model": "upstream-model",
            "choices": [{"index": 0, "message": message or {"role": "assistant",
                                                            "content": content},
                         "finish_reason": finish}],
            "usage": USAGE, **top}


def embedding(index, value):
    return {"object": "embedding", "index": index, "embedding": value}


def embeddings(*values, **top):
    """Each value is a list of numbers, or base64."""
    return reply({"object": "list", "data": [embedding(i, v) for i, v in enumerate(values)],
                  "model": "upstream-model", "usage": {"prompt_tokens": 11, "total_tokens": 11},
                  **top})


def either(content="ok"):
    """A plain answer or a stream, as the request asks."""
    def step(x):
        if x.request.json.get("stream"):
            for inner in stream(*[w + " " for w in content.split()]):
                inner(x)
        else:
            reply(completion(content))(x)
    return step


# --- the server -----------------------------------------------------------------------------------


class Script:
    def __init__(self, name, steps, waivers=()):
        self.name = name
        self.steps = steps
        self.waivers = waivers  # what the strict provider lets pass
        self.exchanges = []
        self.model = "t/" + name  # as the tests' usual configuration calls it
        self._changed = threading.Condition()

    def under(self, prefix):
        return f"{prefix}/{self.name}"

    def add(self, exchange):
        with self._changed:
            self.exchanges.append(exchange)
            self._changed.notify_all()

    def wait(self, number=1, deadline=DEADLINE):
        """The exchange of the script's number-th request."""
        with self._changed:
            ok = self._changed.wait_for(lambda: len(self.exchanges) >= number, deadline)
        assert ok, f"request {number} did not reach the provider ({len(self.exchanges)} did)"
        return self.exchanges[number - 1]

    @property
    def request(self):
        return self.wait(1).request


class Upstream:
    def __init__(self):
        self.stop_fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.scripts = {}
        self.listing = []  # steps that answer a GET of models; none: an empty list
        self.listed = []  # the requests for it
        self.strays = []  # requests that no script was found for
        self.faults = []  # of scripts
        self.connections = 0
        self._numbers = itertools.count(1)
        self._threads = []
        self._start(self._accept)

    def _start(self, target, *args):
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def script(self, *steps, name=None, allows=None):
        """allows: {"RULE PATH": "why"}, what requests for it may break (see strict/__init__.py)."""
        name = name or f"m{os.getpid()}-{next(self._numbers)}"
        flat = []
        for step in steps:
            flat.extend(step if isinstance(step, list) else [step])
        script = Script(name, flat, strict.JUDGE.waive(allows or {}))
        self.scripts[name] = script
        return script

    def close(self):
        os.eventfd_write(self.stop_fd, 1)
        for thread in self._threads:
            thread.join(DEADLINE)
        self.listener.close()

    def idle(self):
        """Nobody is connected, and all that was ever sent here has been noted."""
        if select.select([self.listener], [], [], 0)[0]:
            return False
        return not any(thread.is_alive() for thread in self._threads[1:])

    def _accept(self):
        while True:
            ready, _, _ = select.select([self.listener, self.stop_fd], [], [])
            if self.stop_fd in ready:
                return
            sock, _ = self.listener.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            self._start(self._serve, sock)

    def _recv(self, sock):
        ready, _, _ = select.select([sock, self.stop_fd], [], [])
        if self.stop_fd in ready:
            raise Gone
        try:
            some = sock.recv(1 << 16)
        except OSError:
            raise Gone from None
        if not some:
            raise Gone
        return some

    def _read_request(self, sock, pending):
        while b"\r\n\r\n" not in pending:
            pending += self._recv(sock)
        head_bytes, pending = pending.split(b"\r\n\r\n", 1)
        request = Request(head_bytes, b"")
        if request.header("transfer-encoding"):
            content = b""
            while True:
                while b"\r\n" not in pending:
                    pending += self._recv(sock)
                size, pending = pending.split(b"\r\n", 1)
                size = int(size, 16)
                while len(pending) < size + 2:
                    pending += self._recv(sock)
                content += pending[:size]
                pending = pending[size + 2:]
                if size == 0:
                    break
        else:
            size = int(request.header("content-length") or 0)
            parts = [pending]
            have = len(pending)
            while have < size:
                parts.append(self._recv(sock))
                have += len(parts[-1])
            pending = b"".join(parts)
            content, pending = pending[:size], pending[size:]
        request.body = content
        return request, pending

    def _find(self, request):
        # Gemini's requests have the model in their place.
        named = re.search(r"/models?/([^/:]+)[:/]", request.target)
        if named:
            return self.scripts.get(named[1])
        try:
            asked = json.loads(request.body)
            # LLM Chat, which servers of LMC are asked with, names it in its config.
            return self.scripts.get(asked.get("model") or asked["config"]["model"])
        except (ValueError, KeyError, TypeError, AttributeError):
            return None

    def _answer(self, x):
        """The steps that answer a request."""
        if x.request.method == "GET":
            self.listed.append(x.request)
            return self.listing or [reply({"object": "list", "data": []})]
        script = self._find(x.request)
        (script.add if script else self.strays.append)(x)
        kind, breaches = strict.JUDGE.look(x.request, script.waivers if script else ())
        if breaches:
            return [reply(strict.refusal(kind, breaches[0]), 400)]
        return script.steps if script else [
            reply({"error": {"message": "the tests have no such model", "type": "invalid_request_error",
                             "param": "model", "code": "model_not_found"}}, 404)]

    def _serve(self, sock):
        pending = b""
        with sock:
            while True:
                try:
                    request, pending = self._read_request(sock, pending)
                except Gone:
                    return
                x = Exchange(self, sock, request)
                try:
                    for step in self._answer(x):
                        step(x)
                except Gone:
                    return
                finally:
                    x.done.set()
                if not x.keep or x.chunked:
                    return
