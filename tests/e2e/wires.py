"""How each dialect's providers answer: the same things said in their words, for one suite.

A wire is made of functions that return steps for a script:

  say(*pieces)            a streamed answer, ended as it should be
  call(name, id, args)    a streamed answer that is one tool call; args is an object
  whole(text), whole_call a plain answer
  cut(*pieces)            a stream whose terminal event never comes
  fail(*pieces)           a stream that ends in the provider's error
  refuse(status, text)    an error with a status
"""

import json

import upstream as up

USAGE = (11, 7)  # tokens in and out that every answer tells


class OpenAI:
    dialect = "openai"
    target = "/v1/chat/completions"
    reasons = {"stop": "stop", "tool_calls": "tool_calls"}

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

    def fail(self, *pieces):
        error = {"error": {"message": "it broke", "type": "server_error"}}
        return [up.sse(), *([up.role()] if pieces else []), *[up.text(p) for p in pieces],
                up.data(error), up.end()]

    def refuse(self, status, text):
        return up.reply({"error": {"message": text, "type": "invalid_request_error"}}, status)


class Anthropic:
    dialect = "anthropic"
    target = "/v1/messages"

    def _stream(self, *events, end=("end_turn",)):
        start = {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "upstream-model",
            "content": [], "usage": {"input_tokens": USAGE[0], "output_tokens": 1}}}
        last = [{"type": "message_delta", "delta": {"stop_reason": reason},
                 "usage": {"output_tokens": USAGE[1]}} for reason in end]
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
                         "usage": {"input_tokens": USAGE[0], "output_tokens": USAGE[1]}})

    def whole(self, text):
        return self._whole({"type": "text", "text": text}, "end_turn")

    def whole_call(self, name, id, args):
        return self._whole({"type": "tool_use", "id": id, "name": name, "input": args}, "tool_use")

    def cut(self, *pieces):
        return self._stream(*self._text(*pieces)[:-1], end=())

    def fail(self, *pieces):
        error = {"type": "error", "error": {"type": "api_error", "message": "it broke"}}
        if not pieces:
            return [up.sse(), self._event(error), up.end()]
        return self._stream(*self._text(*pieces)[:-1], error, end=())

    def refuse(self, status, text):
        return up.reply({"type": "error", "error": {"type": "invalid_request_error",
                                                    "message": text}}, status)


class Gemini:
    dialect = "gemini"
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

    def fail(self, *pieces):
        error = {"error": {"code": 500, "message": "it broke", "status": "INTERNAL"}}
        return self._stream(*self._texts(pieces), error)

    def refuse(self, status, text):
        return up.reply({"error": {"code": status, "message": text,
                                   "status": "INVALID_ARGUMENT"}}, status)


WIRES = [OpenAI(), Anthropic(), Gemini()]
