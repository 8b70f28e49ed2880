"""The failure contract, cell by cell: tests/e2e/failures.py is the table.

A test is a row, a dialect and a moment.  It makes the call in each shape, stored and not, with one
target that is asked once, with a retry, and with a healthy model to fall back on; all of them at
once, as some wait.
"""

import collections
import concurrent.futures
import copy
import itertools
import json
import re
import socket
import ssl
import subprocess
import threading
import zlib

import pytest

import failures
import frames
import sse
import upstream as up
from client import Client, item_text
from failures import THEIRS, Answers, Breaks, Fails
from fixtures import DEAD, once
from gateway import Gateway
from waiting import wait_until

SO_FAR = ("so ", "far")
SPARE = "from the spare one"
WAYS = ("alone", "again", "spare")
SHAPES = ("openai", "native", "lmc")
# Anthropic's shape has types of its own, by the status, and another status for the overloaded.
MESSAGES = "messages"
OVERLOADED = {503: 529}
MESSAGE_TYPES = {401: "authentication_error", 402: "billing_error", 403: "permission_error",
                 404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
                 504: "timeout_error", 529: "overloaded_error"}
MOMENTS = ("plain", "before", "after")

# --- what the dialects say ------------------------------------------------------------------------


class OpenAI:
    """head, opening, text, finish, done: the parts of a stream; words: code, type and param as a
    client gets them, of the error in a stream and of a refusal."""
    dialect = "openai"
    content_type = "text/event-stream"
    opening = [up.role()]
    finish = [up.data(up.chunk({}, "stop")), up.data(up.usage_chunk())]
    done = [up.data("[DONE]")]
    cut_event = b'data: {"choi'
    told = None  # tokens in and out that a stream's opening tells
    error_words = ("their_code", "their_type", None)
    refusal_words = {429: ("their_code", "their_type", "messages"),
                     None: ("their_code", "their_type", "messages")}

    @property
    def head(self):
        return up.sse(self.content_type)

    def event(self, data):
        return up.body(b"data: " + data + b"\n\n")

    def text(self, piece):
        return up.text(piece)

    def error(self):
        return {"error": {"message": "it broke", "type": "their_type", "code": "their_code"}}

    def refusal(self, status):
        return {"error": {"message": "no", "type": "their_type", "code": "their_code",
                          "param": "messages"}}

    def broken_text(self):
        return b'{"choices":[{"index":0,"delta":{"content":"\xff\xfe"}}]}'

    def whole_error(self):
        return self.error()


class Anthropic(OpenAI):
    dialect = "anthropic"
    told = (11, 1)
    error_words = ("upstream_error", "upstream_error", None)
    refusal_words = {429: ("rate_limit_exceeded", "their_type", None),
                     None: ("upstream_rejected", "their_type", None)}

    def _named(self, value):
        return up.body(f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode())

    def __init__(self):
        self.opening = [
            self._named({"type": "message_start", "message": {
                "id": "msg_1", "type": "message", "role": "assistant", "model": "upstream-model",
                "content": [], "usage": {"input_tokens": 11, "output_tokens": 1}}}),
            self._named({"type": "content_block_start", "index": 0,
                         "content_block": {"type": "text", "text": ""}})]

    def text(self, piece):
        return self._named({"type": "content_block_delta", "index": 0,
                            "delta": {"type": "text_delta", "text": piece}})

    def error(self):
        return {"type": "error", "error": {"type": "their_type", "message": "it broke"}}

    def refusal(self, status):
        return {"type": "error", "error": {"type": "their_type", "message": "no"}}

    def broken_text(self):
        return (b'{"type":"content_block_delta","index":0,'
                b'"delta":{"type":"text_delta","text":"\xff\xfe"}}')


class Gemini(OpenAI):
    dialect = "gemini"
    error_words = ("INTERNAL", "upstream_error", None)
    refusal_words = {429: ("THEIR_STATUS", "requests", None),
                     None: ("THEIR_STATUS", "invalid_request_error", None)}

    @property
    def opening(self):
        return [self.text("")]

    def text(self, piece):
        return up.data({"candidates": [{"index": 0, "content": {
            "role": "model", "parts": [{"text": piece}]}}], "modelVersion": "upstream-model"})

    def error(self):
        return {"error": {"code": 500, "message": "it broke", "status": "INTERNAL"}}

    def refusal(self, status):
        return {"error": {"code": status, "message": "no", "status": "THEIR_STATUS"}}

    def broken_text(self):
        return (b'{"candidates":[{"index":0,"content":{"role":"model",'
                b'"parts":[{"text":"\xff\xfe"}]}}]}')


class Ollama(OpenAI):
    dialect = "ollama"
    content_type = "application/x-ndjson"
    error_words = ("upstream_error", "upstream_error", None)
    refusal_words = {429: ("rate_limit_exceeded", "requests", None),
                     None: ("upstream_rejected", "invalid_request_error", None)}

    @property
    def opening(self):
        return [self.text("")]

    def event(self, data):
        return up.body(data + b"\n")

    def text(self, piece):
        return self.event(json.dumps({
            "model": "upstream-model", "message": {"role": "assistant", "content": piece},
            "done": False}).encode())

    def error(self):
        return {"error": "it broke"}

    def refusal(self, status):
        return {"error": "no"}

    def broken_text(self):
        return b'{"message":{"role":"assistant","content":"\xff\xfe"},"done":false}'


class Responses(OpenAI):
    dialect = "openai-responses"
    error_words = ("upstream_error", "upstream_error", None)

    def _event(self, type, **more):
        value = {"type": f"response.{type}", "sequence_number": 1, **more}
        return up.body(f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode())

    def __init__(self):
        item = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
        self.opening = [
            self._event("created", response={"id": "resp_1", "object": "response",
                                             "model": "upstream-model", "status": "in_progress"}),
            self._event("output_item.added", output_index=0, item=item)]

    def text(self, piece):
        return self._event("output_text.delta", item_id="msg_1", output_index=0, content_index=0,
                           delta=piece)

    def error(self):
        return {"type": "error", "code": "their_code", "message": "it broke", "param": None}

    def whole_error(self):
        return {"id": "resp_1", "object": "response", "model": "upstream-model",
                "status": "failed", "error": {"code": "their_code", "message": "it broke"}}

    def broken_text(self):
        return (b'{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,'
                b'"content_index":0,"delta":"\xff\xfe"}')


class Bedrock(OpenAI):
    dialect = "bedrock"
    content_type = frames.TYPE
    cut_event = frames.frame("contentBlockDelta", {"delta": {"text": "lost"}, "contentBlockIndex": 0})[:-5]
    opening = [up.body(frames.frame("messageStart", {"role": "assistant"}))]
    error_words = ("upstream_error", "upstream_error", None)
    refusal_words = {429: ("rate_limit_exceeded", "requests", None),
                     None: ("upstream_rejected", "invalid_request_error", None)}

    def event(self, data):
        if b'"it broke"' in data:
            return up.body(frames.frame("internalServerException", data, "exception"))
        return up.body(frames.frame("contentBlockDelta", data))

    def text(self, piece):
        return self.event(json.dumps({"contentBlockIndex": 0, "delta": {"text": piece}}).encode())

    def error(self):
        return {"message": "it broke"}

    def refusal(self, status):
        return {"message": "no"}

    def broken_text(self):
        return b'{"contentBlockIndex":0,"delta":{"text":"\xff\xfe"}}'

    def whole_error(self):
        return {"__type": "InternalServerException", "message": "it broke"}


KITS = {kit.dialect: kit for kit in (OpenAI(), Anthropic(), Gemini(), Ollama(), Responses(), Bedrock())}


# --- what the provider does -----------------------------------------------------------------------

NEVER = up.Gate()  # nobody opens it


def everywhere(*steps):
    """The same, whatever was asked for."""
    return lambda kit: {"plain": steps, "before": steps}


def refuses(status, **headers):
    fields = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return lambda kit: dict.fromkeys(
        ("plain", "before"), [up.reply(kit.refusal(status), status, headers=fields)])


def breaks(*steps, plain=None, opened=True):
    """A stream that goes wrong, after its opening and after content; steps: of a kit, or made."""
    def make(kit):
        tail = [step(kit) if getattr(step, "of_kit", False) else step for step in steps]
        start = [kit.head, *(kit.opening if opened else [])]
        content = [kit.head, *kit.opening, *map(kit.text, SO_FAR)]
        return {"plain": plain, "before": [*start, *tail], "after": [*content, *tail]}
    return make


def of_kit(function):
    function.of_kit = True
    return function


def event(data):
    """An event of these bytes, or of what the kit makes of it."""
    return of_kit(lambda kit: kit.event(data(kit) if callable(data) else data))


def ends(*steps, usage=up.USAGE, plain=None):
    """A good stream of OpenAI's, that ends with the steps."""
    return lambda kit: {"plain": plain, "before": [kit.head, *kit.opening,
                                                   *map(kit.text, SO_FAR), *steps]}


def whole(content, **more):
    return [up.reply(content, **more)]


def large_event(x):
    """A line that grows over its limit; the gateway hangs up on the way."""
    x.send_body(b'data: {"choices":[{"index":0,"delta":{"content":"')
    for _ in range(9):
        x.send_body(b"x" * (1 << 20))


def as_text(kit):
    pieces = [*kit.opening, *map(kit.text, SO_FAR), *kit.finish, *kit.done, up.end()]
    return {"plain": whole(up.completion("".join(SO_FAR)), content_type="text/plain"),
            "before": [up.sse("text/plain"), *pieces]}


NO_USAGE = {k: v for k, v in up.completion("".join(SO_FAR)).items() if k != "usage"}
FINISH = up.data(up.chunk({}, "stop"))
DONE = up.data("[DONE]")
GZIP = b"\x1f\x8b" + zlib.compress(b"{}")
HTML = b"<html><body>502 Bad Gateway</body></html>"
BROKEN_JSON = b'{"choices":[{"index":0,"delta":'

SCRIPTS = {
    "refused": everywhere(), "dns": everywhere(), "tls": everywhere(),
    "connect_timeout": everywhere(),
    "first_byte": everywhere(up.wait(NEVER)),
    "idle": breaks(up.wait(NEVER), plain=[
        up.raw(up.head(200, [("Content-Length", 9)]) + b"{"), up.wait(NEVER)]),
    "total": breaks(up.wait(NEVER), plain=[
        up.raw(up.head(200, [("Content-Length", 9)]) + b"{"), up.wait(NEVER)]),
    **{f"status_{n}": refuses(n) for n in (400, 401, 402, 403, 404, 413, 422, 500, 502, 503, 504,
                                           529)},
    "limit_short": refuses(429, retry_after_ms="20"),
    "limit_long": refuses(429, Retry_After="7"),
    "limit": refuses(429),
    "quota": everywhere(*whole({"error": {"message": "no", "type": "their_type",
                                          "code": "insufficient_quota"}}, status=429)),
    "key_403": everywhere(*whole({"error": {"message": "no", "code": "invalid_api_key"}}, status=403)),
    "moderated": everywhere(*whole({"error": {
        "message": "it broke", "type": "their_type", "code": "their_code", "param": "messages",
        "metadata": {"reasons": ["violence"], "flagged_input": "..."}}}, status=403)),
    "busy_short": refuses(503, retry_after_ms="20"),
    "busy_long": refuses(503, Retry_After="7"),
    "error_page": everywhere(*whole(HTML, status=500, content_type="text/html")),
    "redirect": everywhere(*whole(b"", status=302, headers=[("Location", "http://127.0.0.1:9/")])),
    "html": everywhere(*whole(HTML, content_type="text/html")),
    "empty": everywhere(*whole(b"")),
    "not_a_stream": everywhere(*whole(up.completion("whole"))),
    "a_stream": lambda kit: {"plain": [kit.head, *kit.opening, *map(kit.text, SO_FAR), up.end()]},
    "text_plain": as_text,
    "gzip": everywhere(*whole(GZIP, headers=[("Content-Encoding", "gzip")])),
    "header_line": everywhere(up.raw(up.head(200, [("X-Long", "x" * (2 << 20))]))),
    "no_choices": breaks(event(json.dumps({**up.chunk(), "choices": []}).encode()), DONE, up.end(),
                         opened=False, plain=whole({**up.completion(), "choices": []})),
    "types": breaks(event(b'{"choices":"x"}'), up.end(), opened=False,
                    plain=whole({**up.completion(), "choices": {"a": 1}})),
    "malformed": breaks(event(BROKEN_JSON), up.end(), opened=False, plain=whole(BROKEN_JSON)),
    "utf8": breaks(event(lambda kit: kit.broken_text()), up.end(), opened=False,
                   plain=whole(b'{"choices":[{"index":0,"message":{"role":"assistant",'
                               b'"content":"\xff"},"finish_reason":"stop"}]}')),
    "event_size": breaks(large_event, up.end(), opened=False),
    "body_size": everywhere(up.raw(up.head(200, [("Content-Length", (64 << 20) + 1)]) + b"{"),
                            up.wait(NEVER)),
    "error_first": lambda kit: {
        "plain": whole(kit.whole_error()),
        "before": [kit.head, kit.event(json.dumps(kit.error()).encode()), up.end()]},
    "error_status": everywhere(*whole({"error": {"message": "no", "type": "their_type",
                                                 "code": 429}})),
    "error_opened": breaks(event(lambda kit: json.dumps(kit.error()).encode()), up.end()),
    "error": breaks(event(lambda kit: json.dumps(kit.error()).encode()), up.end()),
    "hang_up": everywhere(up.hang_up()),
    "empty_stream": breaks(up.end(), opened=False),
    "cut_in_event": breaks(of_kit(lambda kit: up.body(kit.cut_event)), up.hang_up(), plain=[
        up.raw(up.head(200, [("Content-Length", 100)]) + b'{"choices'), up.hang_up()]),
    "cut": breaks(up.hang_up()),
    "no_finish": breaks(up.end()),
    "done_only": breaks(DONE, up.end()),
    "no_done": ends(FINISH, up.data(up.usage_chunk()), up.end()),
    "cut_finished": ends(FINISH, up.data(up.usage_chunk()), up.hang_up()),
    "no_usage": ends(FINISH, DONE, up.end(), plain=whole(NO_USAGE)),
    "usage_twice": ends(
        up.data(up.usage_chunk({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})),
        FINISH, up.data(up.usage_chunk()), DONE, up.end()),
}


# --- the gateway ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def unsigned(tmp_path_factory):
    """A server whose certificate nobody has signed: its port, and a file of another authority."""
    folder = tmp_path_factory.mktemp("tls")
    key = folder / "key.pem"
    for name in ("other", "cert"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
                        "-out", folder / f"{name}.pem"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", key)
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def serve():
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            try:
                context.wrap_socket(sock, server_side=True).close()
            except OSError:
                sock.close()  # the gateway has looked at the certificate and left

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener.getsockname()[1], str(folder / "other.pem")
    listener.shutdown(socket.SHUT_RDWR)
    thread.join()
    listener.close()


@pytest.fixture(scope="session")
def full():
    """A listener whose queue is full: the kernel answers no further connection; its port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    port = listener.getsockname()[1]
    waiting = []
    for _ in range(4):
        sock = socket.socket()
        sock.setblocking(False)
        sock.connect_ex(("127.0.0.1", port))
        waiting.append(sock)
    yield port
    for sock in waiting:
        sock.close()
    listener.close()


@pytest.fixture(scope="session")
def fresh(upstream):
    """A provider that plays the same scripts, on connections that are always new: libcurl asks once
    more where one that was used before is closed without an answer."""
    server = up.Upstream()
    server.scripts = upstream.scripts
    yield server
    server.close()


def providers(unsigned, full, fresh):
    """By their names in the table: settings of the entries."""
    brief = "800ms"
    return {
        "refused": {"base_url": f"http://127.0.0.1:{DEAD.getsockname()[1]}/v1"},
        # No name server needs to be asked for this one, as a label has 63 characters at most.
        "nameless": {"base_url": f"http://{'a' * 64}.invalid/v1"},
        "unsigned": {"base_url": f"https://127.0.0.1:{unsigned[0]}/v1", "ca_file": unsigned[1]},
        "full": {"base_url": f"http://127.0.0.1:{full}/v1", "timeouts": {"connect": "300ms"}},
        "slow_start": {"timeouts": {"first_byte": brief}},
        "slow": {"timeouts": {"idle": brief}},
        "slow_in_all": {"timeouts": {"total": "2s"}},  # also until content has come
        **{name: {"dialect": name} for name in KITS},
        **{f"{name}-fresh": {"dialect": name, "base_url": fresh.url} for name in KITS},
    }


@pytest.fixture(scope="session")
def contract(upstream, unsigned, full, fresh, tmp_path_factory):
    """One gateway for all cells: each row has an entry with a retry and one without."""
    entries, models = [], []
    for name, more in providers(unsigned, full, fresh).items():
        for way, retries in (("alone", 0), ("again", 1)):
            entries.append({"dialect": "openai", "base_url": upstream.url, **once(),
                            **copy.deepcopy(more), "name": f"{name}-{way}", "retries": retries})
        models += [{"name": f"{name}-alone/*", "provider": f"{name}-alone"},
                   {"name": f"{name}-again/*", "provider": f"{name}-again"},
                   {"name": f"{name}-spare/*", "provider": f"{name}-alone", "fallback": ["spare"]}]
    entries.append({"name": "spare", "dialect": "openai", "base_url": upstream.url, **once()})
    models.append({"name": "spare", "provider": "spare"})
    upstream.script(up.either(SPARE), name="spare")
    gateway = Gateway(tmp_path_factory.mktemp("failures"), {"providers": entries, "models": models})
    gateway.start()
    yield gateway
    gateway.stop()


COUNTED = re.compile(r'parley_(upstream_attempts|upstream_requests|upstream_retries|stream_aborts|'
                     r'dropped_tokens)_total(\{.*\}) (\d+)')


def metrics(client):
    found = COUNTED.findall(client.get("/metrics").body.decode())
    return collections.Counter({name + labels: int(n) for name, labels, n in found})


# --- one call -------------------------------------------------------------------------------------


def call(shape, model, **more):
    """Path and body."""
    if shape == "openai":
        return "/v1/chat/completions", {
            "model": model, "messages": [{"role": "user", "content": "hi"}], **more}
    if shape == MESSAGES:
        more.pop("store")
        return "/v1/messages", {"model": model, "max_tokens": 9,
                                "messages": [{"role": "user", "content": "hi"}], **more}
    return "/v1/chat", {"messages": ["hi"], "config": {"model": model},
                        "format": "lmc" if shape == "lmc" else "openai", **more}


class Cell:
    """A call in a shape and a way, and what must become of it."""

    def __init__(self, row, dialect, moment, opened, shape, stored, way):
        self.row, self.kit, self.moment = row, KITS[dialect], moment
        self.opened, self.shape, self.stored, self.way = opened, shape, stored, way
        entry = {"local": dialect, "fresh": f"{dialect}-fresh"}.get(row.provider, row.provider)
        self.want = getattr(row, moment)
        self.model = f"{entry}-{way}"
        self.provider = f"{entry}-{'again' if way == 'again' else 'alone'}"
        early = isinstance(self.want, Fails)
        self.saved = early and row.other and way == "spare"
        self.attempts = 2 if self.saved or early and row.again and way == "again" else 1
        self.asked = (1 if self.saved else self.attempts) if row.reached else 0

    def __str__(self):
        return f"{self.shape}, {'stored' if self.stored else 'unstored'}, {self.way}"

    @property
    def streamed(self):
        return self.moment != "plain"

    def words(self):
        """Code, type and param that the client must see."""
        want = self.want
        if want.type != THEIRS:
            return want.code, want.type, None
        if isinstance(want, Breaks) or want.counted == "upstream_error":
            return self.kit.error_words
        code, kind, param = self.kit.refusal_words[429 if want.status == 429 else None]
        if self.row.id == "quota":
            return want.code, kind, None
        return ("rate_limit_exceeded", kind, None) if self.row.id == "error_status" else \
            (code, kind, param)

    def counts(self):
        """What the metrics must have counted for it."""
        outcome = failures.counted(self.want)
        last = "ok" if self.saved else outcome
        ended = "spare" if self.saved else self.provider
        label = f"{self.model}/*"
        names = [f'upstream_attempts{{upstream="{self.provider}",outcome="{outcome}"}}'
                 ] * (1 if self.saved else self.attempts)
        if self.saved:
            names.append('upstream_attempts{upstream="spare",outcome="ok"}')
        if self.attempts == 2:
            names.append(f'upstream_retries{{reason="{outcome}"}}')
        if isinstance(self.want, Breaks):
            names.append(f'stream_aborts{{side="upstream",reason="{outcome}"}}')
        names.append(f'upstream_requests{{upstream="{ended}",model="{label}",outcome="{last}"}}')
        if self.attempts == 2 and self.opened and self.kit.told:
            for kind, n in zip(("input", "output"), self.kit.told, strict=True):
                names += [f'dropped_tokens{{upstream="{self.provider}",type="{kind}"}}'] * n
        return collections.Counter(names)

    def check(self, client, script):
        reply = client.post(*call(self.shape, f"{self.model}/{script.name}", store=self.stored,
                                  stream=self.streamed))
        assert reply.headers["x-parley-attempts"] == str(self.attempts), repr(reply)
        if self.saved:
            self.check_answer(reply, SPARE)
        elif isinstance(self.want, Answers):
            self.check_answer(reply, "".join(SO_FAR))
        elif isinstance(self.want, Fails):
            self.check_error(reply)
        else:
            self.check_break(reply)
        assert len(script.exchanges) == self.asked, "calls that the provider got"
        if self.stored:
            self.check_stored(client, reply)
            self.check_events(client, reply)
        elif "x-run-id" in reply.headers:  # in the ledger, a moment later
            found = client.get(f"/v1/runs/{reply.headers['x-run-id']}")
            assert found.status == 404 or found.ok().json["stored"] is False

    def read(self, reply):
        """Text, error and usage of a stream, which obeys the rules of its dialect."""
        blocks = list(sse.Blocks([reply.body]))
        if self.shape == MESSAGES:
            answer = sse.messages(blocks)
            return answer.text, answer.error
        if self.shape == "lmc":
            answer = sse.lmc(blocks)
            return "".join(m["content"] for m in answer.messages), answer.error
        answer = (sse.openai if self.shape == "openai" else sse.native)(blocks)
        return answer.text, answer.error

    def check_answer(self, reply, text):
        reply.ok()
        assert "x-should-retry" not in reply.headers
        if self.streamed:
            got, error = self.read(reply)
            assert (got.strip(), error) == (text, None), repr(reply)
        elif self.shape == MESSAGES:
            assert [b["text"] for b in reply.json["content"]] == [text], repr(reply)
            assert reply.json["stop_reason"] == "end_turn"
        elif self.shape == "lmc":
            assert [m["content"] for m in reply.json["messages"]] == [text], repr(reply)
        else:
            assert reply.text == text and reply.json["choices"][0]["finish_reason"] == "stop"

    def check_error(self, reply):
        code, kind, param = self.words()
        if self.shape == MESSAGES:
            status = 529 if self.row.id == "status_529" else OVERLOADED.get(self.want.status,
                                                                            self.want.status)
            error = reply.json["error"]
            assert (reply.status, error["code"], error["param"]) == (status, code, param), repr(reply)
            assert error["type"] == self.message_type(status), repr(reply)
            assert reply.json["type"] == "error"
            assert reply.json["request_id"] == reply.headers["request-id"], repr(reply)
        else:
            reply.error(self.want.status, code, param, kind)
        assert reply.headers.get("retry-after") == self.want.retry_after, repr(reply)
        tried = self.attempts > 1 and self.want.status in (500, 502, 504)
        final = "false" if self.want.final or tried else None
        assert reply.headers.get("x-should-retry") == final, repr(reply)

    @staticmethod
    def message_type(status):
        return MESSAGE_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")

    def check_break(self, reply):
        reply.ok()
        text, error = self.read(reply)
        assert text == "".join(SO_FAR), repr(reply)
        code, kind, param = self.words()
        if self.shape == MESSAGES:
            kind = self.message_type(504 if kind == "timeout_error" else 502)
        assert (error["code"], error["type"], error["param"]) == (code, kind, param), repr(reply)
        assert error["message"]
        assert b"[DONE]" not in reply.body

    def check_stored(self, client, reply):
        run = client.run(reply.headers["x-run-id"])
        texts = [(i["role"], item_text(i).strip())
                 for i in client.items(reply.headers["x-conversation-id"])["data"]]
        answer = SPARE if self.saved else "".join(SO_FAR)
        if self.saved or isinstance(self.want, Answers):
            status, error, finish = "completed", None, "stop"
        else:
            status = "incomplete" if isinstance(self.want, Breaks) else "failed"
            error, finish = self.words(), None
        said = [("assistant", answer)] if status != "failed" else []
        assert run["status"] == status, run
        assert texts == [("user", "hi"), *said], texts
        got = run["error"] and (run["error"]["code"], run["error"]["type"], run["error"]["param"])
        assert got == error, run
        assert run["finish_reason"] == finish, run
        assert run["attempts"] == self.attempts, run
        assert run["provider"] == ("spare" if self.saved else self.provider), run
        assert (run["first_token_at"] is None) == (status == "failed"), run
        tokens = run["usage"] and (run["usage"]["prompt_tokens"],
                                   run["usage"]["completion_tokens"])
        # What the provider did not tell is estimated where it may have cost, and says so.
        told = self.kit.told if self.opened else None
        if run["usage_source"] == "estimated":
            assert tokens[0] > 0 and (not told or tokens[0] == told[0] and tokens[1] >= told[1]), run
            tokens = None
        if status == "incomplete":
            told = None  # there may have been more than was told
        if status == "completed":
            assert tokens == ((11, 7) if self.saved or self.want.usage else None), run
        else:
            assert tokens == told, run


    def check_events(self, client, reply):
        """Its stream once more: the same to the byte, or no answer and the error."""
        events = client.get(f"/v1/runs/{reply.headers['x-run-id']}/events").ok()
        if reply.status == 200 and self.streamed and self.shape != "openai":
            assert events.body == reply.body
        elif reply.status != 200:
            blocks = list(sse.Blocks([events.body]))
            answer = (sse.lmc if self.shape == "lmc" else sse.native)(blocks)
            assert not answer.chunks, blocks
            error = answer.error
            assert (error["code"], error["type"], error["param"]) == self.words(), blocks


# --- the tests ------------------------------------------------------------------------------------

TESTS = [(dialect, row, moment) for dialect in KITS for row in failures.ROWS for moment in MOMENTS
         if getattr(row, moment) and (dialect == "openai" or row.everywhere)]


@pytest.mark.parametrize("dialect, row, moment", TESTS,
                         ids=[f"{d}-{r.id}-{m}" for d, r, m in TESTS])
def test_a_failure_is_told_as_the_table_says(contract, upstream, dialect, row, moment):
    steps = SCRIPTS[row.id](KITS[dialect])[moment]
    opened = moment != "plain" and any(step in KITS[dialect].opening for step in steps)
    cells = [Cell(row, dialect, moment, opened, *more)
             for more in [*itertools.product(SHAPES, (False, True), WAYS),
                          *itertools.product([MESSAGES], [False], WAYS)]]

    def play(cell):
        script = upstream.script(*steps)
        try:
            with Client(contract.url) as client:
                cell.check(client, script)
        except AssertionError as error:
            return f"{cell}: {error}"
        finally:
            upstream.scripts.pop(script.name)
        return None

    with Client(contract.url) as client, concurrent.futures.ThreadPoolExecutor(len(cells)) as pool:
        before = metrics(client)
        wrong = [text for text in pool.map(play, cells) if text]
        assert not wrong, "\n".join(wrong)
        want = sum((cell.counts() for cell in cells), collections.Counter())
        assert metrics(client) - before == want


def test_every_row_has_its_script():
    assert set(SCRIPTS) == {row.id for row in failures.ROWS}
    for row in failures.ROWS:
        made = SCRIPTS[row.id](KITS["openai"])
        assert all(made.get(moment) is not None for moment in MOMENTS if getattr(row, moment))


# --- without a provider's answer ------------------------------------------------------------------


ILL = {
    "open": (up.reply({"error": {"message": "no"}}, 500), {"failures": 1, "pause": "1m"}, 503,
             "no_healthy_upstream", "server_error", "60", None),
    "cooling": (up.reply({"error": {"message": "no"}}, 429), {"cooling": "1m"}, 429,
                "upstream_rate_limited", "requests", "60", None),
    "dead key": (up.reply({"error": {"message": "no"}}, 401), {"dead_key": "1m"}, 403,
                 "upstream_credentials_exhausted", "upstream_error", None, None),
}


@pytest.mark.parametrize("state", ILL)
def test_no_target_is_healthy(start, upstream, script, state):
    answer, health, status, code, kind, retry_after, should_retry = ILL[state]
    s = script(answer)
    gateway = start({"providers": [{"name": "p", "dialect": "openai", "base_url": upstream.url,
                                    **once(), "health": {**once()["health"], **health}}],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as client:
        assert client.chat("hi", model="m").headers["x-parley-attempts"] == "1"
        for shape, stream in itertools.product(SHAPES, (False, True)):
            reply = client.post(*call(shape, "m", stream=stream, store=True))
            reply.error(status, code, None, kind)
            assert reply.headers.get("x-should-retry") == should_retry
            assert "x-parley-attempts" not in reply.headers
            if retry_after:
                assert 50 <= int(reply.headers["retry-after"]) <= int(retry_after)
            run = client.run(reply.headers["x-run-id"])
            assert (run["status"], run["attempts"], run["error"]["code"]) == ("failed", 0, code)
            items = client.items(reply.headers["x-conversation-id"])["data"]
            assert [item_text(i) for i in items] == ["hi"]
    assert len(s.exchanges) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_an_error_after_the_status_went_out_comes_in_the_stream(start, upstream, script, shape):
    gate = up.Gate()
    s = script(up.wait(gate), up.reply({"error": {"message": "no", "code": "c", "type": "t"}}, 400))
    gateway = start({"providers": [{"name": "p", "dialect": "openai", "base_url": upstream.url,
                                    **once()}], "commit_after": "200ms", "keep_alive": "1s",
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    path, body = call(shape, "m", stream=True, store=True)
    with Client(gateway.url) as client, client.stream(path, body) as stream:
        stream.check_head()
        assert next(stream).is_comment
        gate.open()
        answer = {"openai": stream.openai, "native": stream.native, "lmc": stream.lmc}[shape]()
        assert not answer.chunks
        assert (answer.error["code"], answer.error["type"]) == ("c", "t")
        run = client.run(stream.headers["x-run-id"])
        assert (run["status"], run["error"]["code"], run["attempts"]) == ("failed", "c", 1)
        items = client.items(stream.headers["x-conversation-id"])["data"]
        assert [item_text(i) for i in items] == ["hi"]
        assert metrics(client)['stream_aborts{side="upstream",reason="upstream_rejected"}'] == 1


@pytest.mark.parametrize("how", ["left", "cancelled"])
def test_a_stream_that_the_client_ends_is_counted_once(contract, upstream, script, how):
    s = script(up.sse(), up.role(), up.text("x"), up.wait(NEVER))
    path, body = call("native", f"openai-alone/{s.name}", stream=True, store=False)
    with Client(contract.url) as client:
        before = metrics(client)
        with client.stream(path, body) as stream:
            stream.until_text("x")
            if how == "cancelled":
                client.post(f"/v1/runs/{stream.headers['x-run-id']}/cancel").ok()
                assert stream.native().error["code"] == "cancelled"
        s.wait().wait_closed()
        names = {f'stream_aborts{{side="client",reason="{how}"}}': 1,
                 'upstream_attempts{upstream="openai-alone",outcome="cancelled"}': 1,
                 'upstream_requests{upstream="openai-alone",model="openai-alone/*",'
                 'outcome="cancelled"}': 1}
        wait_until(lambda: metrics(client) - before == names, f"the metrics {names}")
