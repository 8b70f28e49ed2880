"""How each dialect's providers answer: the same things said in their words, for one suite.

A wire is made of functions that return steps for a script:

  say(*pieces)            a streamed answer, ended as it should be
  call(name, id, args)    a streamed answer that is one tool call; args is an object
  whole(text), whole_call a plain answer
  cut(*pieces)            a stream whose terminal event never comes
  fail(*pieces, text=)    a stream that ends in the provider's error
  refuse(status, text)    an error with a status
  vectors(*lists)         embeddings, where `embeds` says where it is asked for them
"""

import json

import upstream as up

USAGE = (11, 7)  # tokens in and out that every answer tells


class OpenAI:
    dialect = "openai"
    target = "/v1/chat/completions"
    reasons = {"stop": "stop", "tool_calls": "tool_calls"}
    native = "stop"  # its own word for the end of say()

    def say(self, *pieces):
        return up.stream(*pieces)

    def call(self, name, id, args):
        delta = {"tool_calls": [{"index": 0, "id": id, "type": "function",
                                 "function": {"name": name, "arguments": json.dumps(args)}}]}
        return [up.sse(), up.role(), up.data(up.chunk(delta)), *up.ending("tool_calls")]

    def whole(self, text):
        return up.reply(up.completion(text))

    def whole_call(self, name, id, args):
        calls = [{"id": id, "type": "function",
                  "function": {"name": name, "arguments": json.dumps(args)}}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        return up.reply(up.completion(message=message, finish="tool_calls"))

    def cut(self, *pieces):
        return [up.sse(), up.role(), *[up.text(p) for p in pieces], up.end()]

    def fail(self, *pieces, text="it broke"):
        error = {"error": {"message": text, "type": "server_error"}}
        return [up.sse(), *([up.role()] if pieces else []), *[up.text(p) for p in pieces],
                up.data(error), up.end()]

    def refuse(self, status, text):
        return up.reply({"error": {"message": text, "type": "invalid_request_error"}}, status)

    embeds = "/v1/embeddings"

    def vectors(self, *lists):
        return up.embeddings(*lists)


class Anthropic:
    dialect = "anthropic"
    native = "end_turn"
    target = "/v1/messages"
    usage = {"input_tokens": USAGE[0], "cache_creation_input_tokens": 0,
             "cache_read_input_tokens": 0, "output_tokens": USAGE[1]}

    def _stream(self, *events, end=("end_turn",)):
        start = {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "upstream-model",
            "content": [], "stop_reason": None, "stop_sequence": None,
            "usage": {**self.usage, "output_tokens": 1}}}
        last = [{"type": "message_delta", "usage": self.usage,
                 "delta": {"stop_reason": reason, "stop_sequence": None}} for reason in end]
        last += [{"type": "message_stop"}] if end else []
        return [up.sse(), *[self._event(e) for e in [start, *events, *last]], up.end()]

    def _event(self, value):
        return up.body(f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode())

    def _text(self, *pieces):
        return [{"type": "content_block_start", "index": 0,
                 "content_block": {"type": "text", "text": ""}},
                *[{"type": "content_block_delta", "index": 0,
                   "delta": {"type": "text_delta", "text": p}} for p in pieces],
                {"type": "content_block_stop", "index": 0}]

    def say(self, *pieces):
        return self._stream(*self._text(*pieces))

    def call(self, name, id, args):
        text = json.dumps(args)
        return self._stream(
            {"type": "content_block_start", "index": 0,
             "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}},
            *[{"type": "content_block_delta", "index": 0,
               "delta": {"type": "input_json_delta", "partial_json": p}}
              for p in (text[:5], text[5:])],
            {"type": "content_block_stop", "index": 0}, end=("tool_use",))

    def _whole(self, block, reason):
        return up.reply({"id": "msg_1", "type": "message", "role": "assistant",
                         "model": "upstream-model", "content": [block], "stop_reason": reason,
                         "stop_sequence": None, "usage": self.usage})

    def whole(self, text):
        return self._whole({"type": "text", "text": text}, "end_turn")

    def whole_call(self, name, id, args):
        return self._whole({"type": "tool_use", "id": id, "name": name, "input": args}, "tool_use")

    def cut(self, *pieces):
        return self._stream(*self._text(*pieces)[:-1], end=())

    def fail(self, *pieces, text="it broke"):
        error = {"type": "error", "error": {"type": "api_error", "message": text}}
        if not pieces:
            return [up.sse(), self._event(error), up.end()]
        return self._stream(*self._text(*pieces)[:-1], error, end=())

    def refuse(self, status, text):
        return up.reply({"type": "error", "error": {"type": "invalid_request_error",
                                                    "message": text}}, status)


class Ollama:
    dialect = "ollama"
    native = "stop"
    target = "/v1/api/chat"

    def _part(self, message=None, done=None):
        value = {"model": "upstream-model", "created_at": "2026-08-21T10:00:00.123456789Z",
                 "message": {"role": "assistant", "content": "", **(message or {})},
                 "done": done is not None}
        if done is not None:
            value |= {"done_reason": done, "total_duration": 5191566416,
                      "prompt_eval_count": USAGE[0], "eval_count": USAGE[1]}
        return value

    def _stream(self, *parts):
        return [up.sse("application/x-ndjson"),
                *[up.body(json.dumps(p).encode() + b"\n") for p in parts], up.end()]

    def _texts(self, pieces):
        return [self._part({"content": p}) for p in pieces]

    def _call(self, name, args):
        return {"tool_calls": [{"function": {"name": name, "arguments": args}}]}

    def say(self, *pieces):
        return self._stream(*self._texts(pieces), self._part(done="stop"))

    def call(self, name, id, args):
        return self._stream(self._part(self._call(name, args)), self._part(done="stop"))

    def whole(self, text):
        return up.reply(self._part({"content": text}, "stop"))

    def whole_call(self, name, id, args):
        return up.reply(self._part(self._call(name, args), "stop"))

    def cut(self, *pieces):
        return self._stream(*self._texts(pieces))

    def fail(self, *pieces, text="it broke"):
        return self._stream(*self._texts(pieces), {"error": text})

    def refuse(self, status, text):
        return up.reply({"error": text}, status)

    embeds = "/v1/api/embed"

    def vectors(self, *lists):
        return up.reply({"model": "upstream-model", "embeddings": lists, "total_duration": 14143917,
                         "load_duration": 1019500, "prompt_eval_count": USAGE[0]})


class OpenAIResponses:
    dialect = "openai-responses"
    native = "completed"
    target = "/v1/responses"

    def _response(self, status, output=(), **more):
        return {"id": "resp_1", "object": "response", "created_at": 1741476777, "status": status,
                "model": "upstream-model", "output": list(output), "error": None,
                "incomplete_details": None, "store": False,
                "usage": {"input_tokens": USAGE[0], "output_tokens": USAGE[1],
                          "total_tokens": sum(USAGE)} if status == "completed" else None, **more}

    def _stream(self, *events):
        start = [{"type": f"response.{name}", "response": self._response("in_progress")}
                 for name in ("created", "in_progress")]
        lines = [json.dumps({**event, "sequence_number": n})
                 for n, event in enumerate([*start, *events])]
        types = [e["type"] for e in [*start, *events]]
        return [up.sse(), *[up.body(f"event: {t}\ndata: {line}\n\n".encode())
                            for t, line in zip(types, lines, strict=True)], up.end()]

    def _completed(self, item):
        return {"type": "response.completed", "response": self._response("completed", [item])}

    def _message(self, text):
        return {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}

    def _texts(self, pieces):
        return [{"type": "response.output_item.added", "output_index": 0,
                 "item": {**self._message(""), "status": "in_progress", "content": []}},
                {"type": "response.content_part.added", "item_id": "msg_1", "output_index": 0,
                 "content_index": 0, "part": {"type": "output_text", "text": ""}},
                *[{"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0,
                   "content_index": 0, "delta": p, "logprobs": []} for p in pieces]]

    def _call(self, name, id, arguments):
        return {"id": "fc_1", "type": "function_call", "status": "completed", "name": name,
                "call_id": id, "arguments": arguments}

    def say(self, *pieces):
        text = "".join(pieces)
        return self._stream(*self._texts(pieces), {
            "type": "response.output_text.done", "item_id": "msg_1", "output_index": 0,
            "content_index": 0, "text": text}, {
            "type": "response.output_item.done", "output_index": 0,
            "item": self._message(text)}, self._completed(self._message(text)))

    def call(self, name, id, args):
        text = json.dumps(args)
        item = self._call(name, id, text)
        at = {"item_id": "fc_1", "output_index": 0}
        return self._stream(
            {"type": "response.output_item.added", "output_index": 0,
             "item": self._call(name, id, "")},
            *[{"type": "response.function_call_arguments.delta", **at, "delta": p}
              for p in (text[:5], text[5:])],
            {"type": "response.function_call_arguments.done", **at, "arguments": text},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            self._completed(item))

    def whole(self, text):
        return up.reply(self._response("completed", [self._message(text)]))

    def whole_call(self, name, id, args):
        return up.reply(self._response("completed", [self._call(name, id, json.dumps(args))]))

    def cut(self, *pieces):
        return self._stream(*self._texts(pieces))

    def fail(self, *pieces, text="it broke"):
        error = {"type": "error", "code": "server_error", "message": text, "param": None}
        if not pieces:
            return [up.sse(), up.body(f"event: error\ndata: {json.dumps(error)}\n\n".encode()),
                    up.end()]
        return self._stream(*self._texts(pieces), error)

    def refuse(self, status, text):
        return up.reply({"error": {"message": text, "type": "invalid_request_error",
                                   "param": None, "code": None}}, status)

    embeds = "/v1/embeddings"

    def vectors(self, *lists):
        return up.embeddings(*lists)


class Gemini:
    dialect = "gemini"
    native = "STOP"
    target = "/v1/models/NAME:generateContent"

    def _response(self, parts=None, reason=None):
        candidate = {"index": 0}
        if parts is not None:
            candidate["content"] = {"role": "model", "parts": parts}
        if reason:
            candidate["finishReason"] = reason
        return {"candidates": [candidate], "modelVersion": "upstream-model",
                "responseId": "resp_1",
                "usageMetadata": {"promptTokenCount": USAGE[0],
                                  "candidatesTokenCount": USAGE[1] if reason else 1}}

    def _stream(self, *responses):
        return [up.sse(), *[up.data(r) for r in responses], up.end()]

    def _texts(self, pieces):
        return [self._response([{"text": p}]) for p in pieces]

    def _call(self, name, args):
        return {"functionCall": {"name": name, "args": args}, "thoughtSignature": "QUJD+/8="}

    def say(self, *pieces):
        return self._stream(*self._texts(pieces), self._response([{"text": ""}], "STOP"))

    def call(self, name, id, args):
        return self._stream(self._response([self._call(name, args)]),
                            self._response([{"text": ""}], "STOP"))

    def whole(self, text):
        return up.reply(self._response([{"text": text}], "STOP"))

    def whole_call(self, name, id, args):
        return up.reply(self._response([self._call(name, args)], "STOP"))

    def cut(self, *pieces):
        return self._stream(*self._texts(pieces))

    def fail(self, *pieces, text="it broke"):
        error = {"error": {"code": 500, "message": text, "status": "INTERNAL"}}
        return self._stream(*self._texts(pieces), error)

    def refuse(self, status, text):
        return up.reply({"error": {"code": status, "message": text,
                                   "status": "INVALID_ARGUMENT"}}, status)

    embeds = "/v1/models/NAME:batchEmbedContents"

    def vectors(self, *lists):
        return up.reply({"embeddings": [{"values": v} for v in lists],
                         "usageMetadata": {"promptTokenCount": USAGE[0]}})


class Azure(OpenAI):
    dialect = "azure"
    target = "/v1/chat/completions"


class Mistral(OpenAI):
    """Calls whole in one chunk, usage with the end, errors of another shape."""
    dialect = "mistral"

    def _end(self, reason):
        end = up.chunk({"content": ""}, finish=reason)
        return [up.data({**end, "usage": {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1],
                                          "total_tokens": sum(USAGE)}}),
                up.body(b"data: [DONE]\n\n"), up.end()]

    def say(self, *pieces):
        return [up.sse(), up.role(), *[up.text(p) for p in pieces], *self._end("stop")]

    def call(self, name, id, args):
        delta = {"tool_calls": [{"index": 0, "id": "D681PevKs", "function": {
            "name": name, "arguments": json.dumps(args)}}]}
        return [up.sse(), up.role(), up.data(up.chunk(delta)), *self._end("tool_calls")]

    def fail(self, *pieces, text="it broke"):
        error = {"object": "error", "message": text, "type": "server_error", "param": None,
                 "code": None}
        return [up.sse(), *([up.role()] if pieces else []), *[up.text(p) for p in pieces],
                up.data(error), up.end()]

    def refuse(self, status, text):
        return up.reply({"object": "error", "message": text, "type": "invalid_request_error",
                         "param": None, "code": None}, status)


WIRES = [OpenAI(), Azure(), Mistral(), Anthropic(), Gemini(), Ollama(), OpenAIResponses()]
