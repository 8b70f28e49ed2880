"""Providers that repeat a key or a secret header: nobody is shown it, whatever it looks like.

Each provider of one gateway has a secret of another kind, and each repeats its own and its
neighbour's.  Everything that the gateway shows or keeps is searched.
"""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

import upstream as up
import wires
from client import Client
from fixtures import once
from test_traces import Collector

SECRETS = {
    "uuid": "3f2b8c1e-9d4a-4e7b-8a6c-5d0e1f2a3b4c",
    "phrase": "correct horse battery staple",
    "dotted": "alpha.team.project.key",
    "short": "zq7pw",
    "header": 'vio/let+otter=77&"sesame\\seed"',
}


def b64(text):
    return base64.b64encode(text.encode()).decode()


def url_safe(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


FORMS = {
    "raw": lambda s: s,
    "upper": lambda s: s.upper() if len(s) > 7 else s,
    "percent": lambda s: quote(s, safe=""),
    "percent, lower": lambda s: quote_plus(s).replace("%2F", "%2f").replace("%2B", "%2b"),
    "every byte percent": lambda s: "".join(f"%{ord(c):02x}" for c in s),
    "base64": b64,
    "Bearer": lambda s: b64("Bearer " + s),
    "Basic": lambda s: b64("user:" + s),
    "URL-safe": url_safe,
    "URL-safe, ?": lambda s: url_safe("?" + s) if len(s) > 7 else url_safe("me:" + s),
    "JSON": lambda s: json.dumps(json.dumps(s)).replace("/", "\\/"),
    "every sign \\u": lambda s: "".join(f"\\u{ord(c):04x}" for c in s[:20]),
}


def shown(secret, text):
    """What of a secret stands in a text: it, a half of it, or all of it in another writing."""
    if len(secret) < 8:
        parts = [secret]
    else:
        half = max(8, (len(secret) + 1) // 2)
        parts = [secret[i:i + half] for i in range(len(secret) - half + 1)]
    parts += [form(secret) for form in FORMS.values()]
    return [part for part in parts if part in text]


class Place:
    """A gateway with all secrets, and all that it has shown."""

    def __init__(self, start, upstream, dialect):
        self.collector = Collector()
        self.seen = []
        providers, models, env = [], [], {}
        for name, secret in SECRETS.items():
            env[f"SECRET_{name.upper()}"] = secret
            at = {"env": f"SECRET_{name.upper()}"}
            providers.append({"name": name, "dialect": dialect, "base_url": upstream.url, **once(),
                              **({"headers": {"X-Tenant": at}} if name == "header" else
                                 {"api_key_env": at["env"]})})
            models.append({"name": f"{name}/*", "provider": name})
        self.gateway = start({"providers": providers, "models": models, "default_model": "uuid/x",
                              "log_level": "debug", "otlp_endpoint": self.collector.url}, env=env)
        self.client = Client(self.gateway.url)

    def ask(self, script, name, stream, shape="native"):
        model = script.under(name)
        if shape == "openai":
            reply = self.client.post("/v1/chat/completions", {
                "model": model, "stream": stream, "messages": [{"role": "user", "content": "hi"}]})
        else:
            reply = self.client.post("/v1/chat", {
                "messages": [{"role": "user", "content": "hi"}], "stream": stream,
                "config": {"model": model}})
            run = self.client.get(f"/v1/runs/{reply.headers['x-run-id']}").ok()
            self.seen += [run.body, self.client.get(
                f"/v1/runs/{reply.headers['x-run-id']}/events").body]
        self.seen += [reply.body, repr(reply.headers.raw).encode()]
        return reply

    def check(self):
        self.seen.append(self.client.get("/metrics").ok().body)
        self.client.close()
        self.gateway.stop()
        self.collector.close()
        assert self.collector.bodies
        files = [f.read_bytes() for f in self.gateway.database.parent.glob("parley.db*")]
        assert files
        everything = b"\n\0\n".join([*self.seen, *self.collector.bodies, *files,
                                     "".join(self.gateway.lines).encode()])
        text = everything.decode("utf-8", "replace")
        for secret in SECRETS.values():
            found = [text[max(0, at - 500):at + 200] for at in map(text.find, shown(secret, text))]
            assert not found, (secret, found[0])


@pytest.fixture
def place(start, upstream):
    made = []

    def make(dialect):
        made.append(Place(start, upstream, dialect))
        return made[-1]
    yield make
    for one in made:
        one.client.close()
        one.collector.close()


def neighbours():
    """Each provider with its own secret and with the next one's."""
    names = list(SECRETS)
    for i, name in enumerate(names):
        for secret in (name, names[(i + 1) % len(names)]):
            yield name, SECRETS[secret]


def test_in_every_writing(place, script):
    here = place("openai")
    for name, secret in neighbours():
        for form, write in FORMS.items():
            text = f"Incorrect API key provided: '{write(secret)}'. See the docs."
            reply = here.ask(script(up.reply({"error": {"message": text}}, 400)), name, False)
            message = reply.error(400)["message"]
            assert "[key]" in message, (form, secret, message)
            assert message.startswith("Incorrect API key provided: '"), message
            assert message.endswith(" See the docs."), message
    here.check()


def places(text):
    """Where an OpenAI-compatible provider may repeat something."""
    error = {"message": text, "type": "invalid_request_error", "code": "bad_key", "param": "model"}
    yield up.reply({"error": error}, 400)
    yield up.reply({"error": error}, 500)
    yield up.reply({"error": error}, 200)
    for member in ("type", "code", "param"):
        yield up.reply({"error": {**error, "message": "no", member: text}}, 422)
    yield up.reply({"error": {**error, "code": 429}}, 200)
    yield up.reply({"error": text}, 404)
    yield up.reply({"detail": [{"loc": ["body", text], "msg": f"bad {text}"}]}, 422)
    yield up.reply(text.encode(), 401, "text/plain")
    yield up.raw(up.head(403, [("Content-Length", 0), ("x-request-id", text), ("Server", text),
                               ("x-ratelimit-limit-requests", text), ("Retry-After", text)],
                         text))
    yield up.raw(up.head(429, [("Content-Length", 2), ("retry-after-ms", text)], text) + b"{}")
    yield up.raw(up.head(200, [("Content-Length", 2), ("Content-Type", text)], text) + b"no")
    yield up.raw(f"HTTP/1.1 {text}\r\n\r\n".encode())
    yield up.raw(f"HTTP/1.1 200 OK\r\n{text}\r\n\r\n".encode())
    yield up.reply(b"x", 200, headers=[("Content-Encoding", text)])
    yield [up.sse(), up.body(f"event: error\ndata: {text}\n\n".encode()), up.end()]
    yield [up.sse(), up.role(), up.data({"error": error}), up.end()]
    yield [up.sse(), up.role(), up.text("so far"), up.data({"error": {**error, "code": text}}),
           up.end()]
    yield [up.sse(), up.role(), up.text("so far"),
           up.body(f"error: {json.dumps(error)}\n\n".encode()), up.end()]


@pytest.mark.long
def test_in_every_place(place, script):
    here = place("openai")
    for name, secret in neighbours():
        for text in (secret, f"key={secret}"):
            for steps in places(text):
                one = script(*(steps if isinstance(steps, list) else [steps]))
                streamed = isinstance(steps, list)
                here.ask(one, name, streamed)
                here.ask(one, name, streamed, "openai")
    here.check()


def test_why_an_answer_ended(place, script):
    """In chunks, rows, logs and traces; a whole answer's body goes through as it came."""
    here = place("openai")
    for name, secret in neighbours():
        for end in ({"finish_reason": secret},
                    {"finish_reason": "stop", "native_finish_reason": secret}):
            choice = {"index": 0, **end}
            here.ask(script(up.sse(), up.role(), up.text("all"),
                            up.data({**up.chunk(), "choices": [{**choice, "delta": {}}]}),
                            up.data("[DONE]"), up.end()), name, True)
            message = {"role": "assistant", "content": "x"}
            reply = here.ask(script(up.reply({
                **up.completion(), "choices": [{**choice, "message": message}]})), name, False)
            run = here.client.get(f"/v1/runs/{reply.headers['x-run-id']}").ok().json
            assert run["status"] == "completed" and run["native_finish_reason"] == "[key]", run
            here.seen.remove(reply.body)
    here.check()


@pytest.mark.parametrize("wire", wires.WIRES, ids=lambda w: w.dialect)
def test_in_every_dialect(place, script, wire):
    here = place(wire.dialect)
    for name, secret in neighbours():
        text = f"bad key: {secret}"
        told = [here.ask(script(wire.refuse(status, text)), name, False)
                for status in (400, 401, 429, 500)]
        told.append(here.ask(script(*wire.fail(text=text)), name, True))
        for reply in told[:1] + told[2:]:
            assert "bad key: [key]" in reply.body.decode(), reply
        broken = here.ask(script(*wire.fail("so ", "far", text=text)), name, True)
        assert "far" in broken.body.decode() and "bad key: [key]" in broken.body.decode(), broken
    here.check()
