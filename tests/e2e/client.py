"""The tests' own HTTP client: plain calls and streams, every answer noted for openapi.yaml."""

import contextlib
import json
import ssl

import httpx

import spec
import sse
from waiting import DEADLINE

ANY = object()
# Nothing here speaks TLS; without this each client would load all of the system's authorities.
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Reply:
    def __init__(self, response, body, sent):
        self.status = response.status_code
        self.headers = response.headers
        self.body = body
        self.sent = sent

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.json["choices"][0]["message"]["content"]

    def __repr__(self):
        return (f"\n  request:  {self.sent[:1500]}\n  answer:   {self.status} "
                f"{self.headers.get('content-type')} {self.body[:1500]!r}")

    def ok(self, status=200):
        assert self.status == status, f"expected {status}:{self!r}"
        return self

    def error(self, status, code=ANY, param=ANY, type=ANY):
        """It is this error, with the members that errors of all shapes have."""
        wanted = f"expected {status} code={_show(code)} param={_show(param)}:{self!r}"
        assert self.status == status, wanted
        assert self.headers["content-type"].startswith("application/json"), wanted
        error = self.json["error"]
        if isinstance(error, str):  # Ollama's has nothing but a text
            error = {"message": error, "type": "", "param": None, "code": code,
                     "request_id": self.headers["x-request-id"]}
            param = type = code = ANY
        if self.json.get("type") == "error":  # Anthropic's shape has the id beside it
            error = {**error, "request_id": self.json["request_id"]}
        if isinstance(error.get("details"), list):  # Google's
            error = of_google(error)
        assert set(error) >= {"message", "type", "param", "code", "request_id"}, wanted
        assert isinstance(error["message"], str) and error["message"], wanted
        assert isinstance(error["type"], str), wanted
        assert error["request_id"] == self.headers["x-request-id"], wanted
        for name, value in (("code", code), ("param", param), ("type", type)):
            if callable(value):
                assert value(error[name]), wanted
            elif isinstance(value, (tuple, set)):
                assert error[name] in value, wanted
            elif value is not ANY:
                assert error[name] == value, wanted
        return error


    def error_id(self, status):
        """It is an error, and names the row of the ledger that the call has."""
        self.error(status)
        assert "x-run-id" in self.headers, f"no id: {self!r}"
        return self.headers["x-run-id"]


def of_google(error):
    """The members of an error in Google's shape, by the names of the others."""
    assert set(error) == {"code", "message", "status", "details"}, error
    details = {d["@type"].rsplit(".", 1)[1]: d for d in error["details"]}
    fields = details.get("BadRequest", {"fieldViolations": [{"field": None}]})["fieldViolations"]
    return {"message": error["message"], "type": error["status"], "param": fields[0]["field"],
            "code": details["ErrorInfo"]["reason"], "request_id": details["RequestInfo"]["requestId"]}


def _show(value):
    return "any" if value is ANY else value


class Stream(sse.Blocks):
    """A streamed answer that is being read."""

    def __init__(self, response, sent):
        super().__init__([response.content] if response.is_stream_consumed
                         else response.iter_raw())
        self.response = response
        self.status = response.status_code
        self.headers = response.headers
        self.sent = sent

    def check_head(self):
        assert self.status == 200, f"expected a stream: {self.reply()!r}"
        assert self.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert self.headers["cache-control"] == "no-store, no-transform"
        assert self.headers["x-accel-buffering"] == "no"
        assert self.headers["x-request-id"].startswith("req_")
        assert "content-length" not in self.headers and "content-encoding" not in self.headers
        return self

    def reply(self):
        """The answer, where it is no stream."""
        return Reply(self.response, bytes(self.buffer) + b"".join(self.pieces), self.sent)

    def openai(self):
        """Reads to the end."""
        list(self)
        return sse.openai(self.seen)

    def native(self):
        list(self)
        return sse.native(self.seen)

    def lmc(self):
        list(self)
        return sse.lmc(self.seen)


class Client:
    def __init__(self, url, headers=None):
        """url: as a gateway prints it, also unix:PATH."""
        over = {"base_url": url, "verify": NO_TLS,
                "limits": httpx.Limits(max_keepalive_connections=None)}
        if str(url).startswith("unix:"):
            over = {"base_url": "http://any.example",
                    "transport": httpx.HTTPTransport(uds=url.removeprefix("unix:"))}
        self.http = httpx.Client(headers=headers or {}, trust_env=False, timeout=DEADLINE, **over)

    def close(self):
        self.http.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _build(self, method, path, body, headers):
        content = None
        headers = dict(headers or {})
        if body is not None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            if not any(k.lower() == "content-type" for k in headers):
                headers["Content-Type"] = "application/json"
        headers = {k: v for k, v in headers.items() if v is not None}
        request = self.http.build_request(method, path, content=content, headers=headers)
        shown = (content or b"")[:2000].decode("utf-8", "backslashreplace")
        return request, f"{method} {path} {shown}"

    def request(self, method, path, body=None, headers=None):
        request, sent = self._build(method, path, body, headers)
        response = self.http.send(request, stream=True)
        try:
            body = b"".join(response.iter_raw())
        finally:
            response.close()
        spec.check(method, path, response.status_code, response.headers, body)
        assert response.headers.get("x-request-id"), f"no x-request-id on {sent}"
        return Reply(response, body, sent)

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.request("POST", path, body, **more)

    def chat(self, *messages, **fields):
        """POST /v1/chat, whole."""
        return self.post("/v1/chat", native_body(messages, fields))

    def complete(self, model="echo", messages=None, **fields):
        """POST /v1/chat/completions, whole."""
        return self.post("/v1/chat/completions", openai_body(model, messages, fields))

    @contextlib.contextmanager
    def stream(self, path, body, headers=None):
        request, sent = self._build("POST", path, body, headers)
        response = self.http.send(request, stream=True)
        try:
            spec.check("POST", path, response.status_code, response.headers,
                       None if response.status_code == 200 else response.read())
            yield Stream(response, sent)
        finally:
            response.close()

    def chat_stream(self, *messages, **fields):
        return self.stream("/v1/chat", {**native_body(messages, fields), "stream": True})

    def complete_stream(self, model="echo", messages=None, **fields):
        return self.stream("/v1/chat/completions",
                           {**openai_body(model, messages, fields), "stream": True})

    def run(self, run):
        return self.get(f"/v1/runs/{run}").ok().json

    def messages(self, conversation, format="native"):
        """A conversation's messages in a shape."""
        page = self.get(f"/v1/conversations/{conversation}/messages?format={format}").ok().json
        assert page["object"] == "list" and page["has_more"] is False
        return page["data"]

    def items(self, conversation, query="order=asc&limit=100"):
        return self.get(f"/v1/conversations/{conversation}/items?{query}").ok().json


def native_body(messages, fields):
    fields = dict(fields)
    body = {"messages": list(messages)}
    config = dict(fields.pop("config", {}))
    if "model" in fields:
        config["model"] = fields.pop("model")
    if config:
        body["config"] = config
    return {**body, **fields}


def openai_body(model, messages, fields):
    return {"model": model, "messages": messages or [{"role": "user", "content": "hello there"}],
            **fields}


def item_text(item):
    """The text of an item of a conversation."""
    content = item["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def texts(client, conversation):
    """The texts of a conversation's items."""
    return [item_text(i) for i in client.items(conversation)["data"]]
