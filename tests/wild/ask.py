"""Asks one thing in every family's words, and reads every family's answer into the same few members.

    said = wild.ask("messages", "anthropic", script, stream=True, text="hi", tools=[TOOL])
    said = wild.post("responses", "openai", script, {"input": "hi", "store": False}, stream=False)

`ask` prints a question in the words of each family of FAMILIES; `post` takes a body in the family's own words,
for what only one of them can say.  Both give a Said.  `script` is what the fixture of that name makes of a
provider's answer (tests/e2e/wires.py); what the provider was sent is in `script.request.json`, and the strict
providers look at every request of every test.
"""

import json
from dataclasses import dataclass, field
from decimal import Decimal

import responses
import sse
from waiting import wait_until
from wires import WIRES

DIALECTS = [w.dialect for w in WIRES]
WIRE = {w.dialect: w for w in WIRES}
FAMILIES = ("chat", "messages", "responses", "native", "lmc")
PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages", "responses": "/v1/responses",
         "native": "/v1/chat", "lmc": "/v1/chat", "completions": "/v1/completions"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"name": "get_weather", "description": "tells the weather", "parameters": SCHEMA}


@dataclass
class Said:
    """An answer of any family.  Tokens are Parley's own, of the shape's usage, in all shapes alike: `tokens_in`
    with what was cached and written, `tokens_out` with the reasoning."""

    status: int
    headers: dict
    body: object  # the JSON answer; of a stream, the list of its events
    error: dict | None = None
    text: str = ""
    reasoning: str = ""
    calls: list = field(default_factory=list)  # (id, name, arguments as an object, or as text if not JSON)
    finish: str | None = None  # in the shape's own word
    usage: dict | None = None  # raw; a stream of LMC has none
    warnings: list = field(default_factory=list)  # {code, message, …}
    log: dict = field(default_factory=dict)  # the request's line in the log: tokens_in, tokens_out, cost

    @property
    def codes(self):
        return [w["code"] for w in self.warnings]

    @property
    def tokens_in(self):
        u = self.usage
        if "input_tokens" in u and "cache_read_input_tokens" in u:
            return u["input_tokens"] + u["cache_read_input_tokens"] + u["cache_creation_input_tokens"]
        return u.get("prompt_tokens", u.get("input_tokens"))

    @property
    def tokens_out(self):
        return self.usage.get("completion_tokens", self.usage.get("output_tokens"))

    @property
    def cost(self):
        return Decimal(self.log["cost"]) if "cost" in self.log else None


def arguments(text):
    """Arguments as an object; what is none stays as it came."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


# --- questions ---


def _chat(text, instruction, tools, choice, limit):
    body = {"messages": [{"role": "user", "content": text}]}
    if instruction:
        body["messages"].insert(0, {"role": "system", "content": instruction})
    if tools:
        body["tools"] = [{"type": "function", "function": t} for t in tools]
    if choice:
        body["tool_choice"] = choice
    if limit:
        body["max_tokens"] = limit
    return body


def _messages(text, instruction, tools, choice, limit):
    body = {"max_tokens": limit or 50, "messages": [{"role": "user", "content": text}]}
    if instruction:
        body["system"] = instruction
    if tools:
        body["tools"] = [{"input_schema": t["parameters"],
                          **{k: v for k, v in t.items() if k != "parameters"}} for t in tools]
    if choice:
        body["tool_choice"] = {"type": {"required": "any"}.get(choice, choice)}
    return body


def _responses(text, instruction, tools, choice, limit):
    body = {"input": text, "store": False}
    if instruction:
        body["instructions"] = instruction
    if tools:
        body["tools"] = [{"type": "function", **t} for t in tools]
    if choice:
        body["tool_choice"] = choice
    if limit:
        body["max_output_tokens"] = limit
    return body


def _native(text, instruction, tools, choice, limit):
    body, config = {"messages": [text]}, {}
    if instruction:
        body["instruction"] = instruction
    if limit:
        config["max_tokens"] = limit
    if tools:
        config["tools"] = [{"type": "function", "function": t} for t in tools]
    if choice:
        config["tool_choice"] = choice
    return {**body, "config": config} if config else body


def _lmc(*asked):
    return {**_native(*asked), "format": "lmc"}


QUESTIONS = {"chat": _chat, "messages": _messages, "responses": _responses, "native": _native, "lmc": _lmc}


def question(family, text="hi", instruction=None, tools=(), choice=None, limit=None):
    """The same question in a family's words; choice: auto, none or required."""
    return QUESTIONS[family](text, instruction, tools, choice, limit)


# --- answers ---


def _reasoning(message):
    return message.get("reasoning_content") or message.get("reasoning") or ""


def _read_message(said, message, finish):
    said.text, said.reasoning = message.get("content") or "", _reasoning(message)
    said.calls = [(c["id"], c["function"]["name"], arguments(c["function"]["arguments"]))
                  for c in message.get("tool_calls") or []]
    said.finish = finish


def _read_chunks(said, chunks):
    calls = {}
    for chunk in chunks:
        said.usage = chunk.get("usage") or said.usage
        said.warnings += chunk.get("warnings") or []
        for choice in chunk["choices"]:
            delta = choice["delta"]
            said.text += delta.get("content") or ""
            said.reasoning += _reasoning(delta)
            said.finish = choice.get("finish_reason") or said.finish
            for piece in delta.get("tool_calls") or []:
                call = calls.setdefault(piece["index"], {"id": None, "name": None, "text": ""})
                call["id"] = call["id"] or piece.get("id")
                call["name"] = call["name"] or piece.get("function", {}).get("name")
                call["text"] += piece.get("function", {}).get("arguments") or ""
    said.calls = [(c["id"], c["name"], arguments(c["text"])) for _, c in sorted(calls.items())]


def _read_blocks(said, blocks):
    for block in blocks:
        if block["type"] == "text":
            said.text += block["text"]
        elif block["type"] == "thinking":
            said.reasoning += block["thinking"]
        elif block["type"] == "tool_use":
            said.calls.append((block["id"], block["name"], block["input"]))


def _read_response(said, response):
    for item in response["output"]:
        if item["type"] == "message":
            said.text += "".join(p.get("text", p.get("refusal")) for p in item["content"])
        elif item["type"] == "reasoning":
            said.reasoning += "".join(p["text"] for p in item["summary"] or item.get("content") or [])
        elif item["type"] in ("function_call", "custom_tool_call"):
            said.calls.append((item["call_id"], item["name"],
                               arguments(item.get("arguments", item.get("input")))))
    said.usage = response["usage"]
    said.finish = response["status"]


def _read_lmc(said, messages):
    for message in messages:
        if message["type"] == "message":
            said.text += message["content"]


def _whole(family, reply):
    said = Said(reply.status, reply.headers, reply.json)
    if reply.status != 200:
        said.error = reply.json["error"]
        return said
    body = reply.json
    said.warnings = list(body.get("warnings") or [])
    if family in ("chat", "native"):
        choice = body["choices"][0]
        _read_message(said, choice["message"], choice["finish_reason"])
        said.usage = body.get("usage")
    elif family == "messages":
        _read_blocks(said, body["content"])
        said.usage, said.finish = body["usage"], body["stop_reason"]
    elif family == "responses":
        _read_response(said, body)
    else:
        _read_lmc(said, body["messages"])
        said.usage, said.finish = body.get("usage"), body.get("finish_reason")
    return said


def _streamed(family, stream):
    said = Said(200, stream.headers, None)
    if family in ("chat", "native"):
        answer = stream.openai() if family == "chat" else stream.native()
        said.body, said.error = answer.chunks, answer.error
        _read_chunks(said, answer.chunks)
    elif family == "messages":
        answer = sse.messages(list(stream))
        said.body, said.error = answer.events, answer.error
        _read_blocks(said, answer.blocks)
        said.usage, said.finish = answer.usage, answer.stop_reason
    elif family == "responses":
        said.body = responses.events_of(stream)
        last = said.body[-1]
        if last["type"] == "error":
            said.error = last
        else:
            _read_response(said, last["response"])
            said.error = last["response"]["error"]
    else:
        answer = stream.lmc()
        said.body, said.error = answer.chunks, answer.error
        _read_lmc(said, answer.messages)
        said.warnings = list(answer.status.get("warnings") or [])
    return said


class Wild:
    """A gateway whose models DIALECT/NAME ask the scripted server in that dialect."""

    def __init__(self, gateway, client):
        self.gateway, self.client = gateway, client

    def ask(self, family, dialect, script, stream=False, **words):
        return self.post(family, dialect, script, question(family, **words), stream)

    def post(self, family, dialect, script, body, stream=False, headers=None, path=None):
        """body: in the family's words, without a model and stream.  script may be a model's name, too; path may
        have a query."""
        path = path or PATHS[family]
        model = script if isinstance(script, str) else script.under(dialect)
        body = dict(body)
        if family in ("native", "lmc"):
            body["config"] = {**body.get("config", {}), "model": model}
        else:
            body["model"] = model
        if stream:
            body["stream"] = True
        if family in ("chat", "completions") and stream:
            body.setdefault("stream_options", {"include_usage": True})
        if stream:
            with self.client.stream(path, body, headers) as answer:
                said = _streamed(family, answer) if answer.status == 200 else _whole(family, answer.reply())
        else:
            said = _whole(family, self.client.post(path, body, headers=headers))
        if "x-parley-warnings" in said.headers:
            said.warnings += json.loads(said.headers["x-parley-warnings"])
        said.log = self.line(said.headers["x-request-id"])
        return said

    def line(self, request_id):
        """The line of the log about a request, which may follow its answer."""
        def found():
            return next((json.loads(line) for line in reversed(self.gateway.lines[-300:])
                         if request_id in line and '"event":"request"' in line), None)
        return wait_until(found, f"the log line of {request_id}")
