"""How each dialect's providers answer: the same things said in their words, for one suite.

A wire is made of functions that return steps for a script:

  say(*pieces)            a streamed answer, ended as it should be
  call(name, id, args)    a streamed answer that is one tool call; args is an object
  calls(*calls, text="")  a streamed answer of several, each (name, id, args), after a text
  whole(text), whole_call, whole_calls
                          a plain answer
  cut(*pieces)            a stream whose terminal event never comes
  fail(*pieces, text=)    a stream that ends in the provider's error
  refuse(status, text)    an error with a status
  vectors(*lists)         embeddings, where `embeds` says where it is asked for them

Answers take `usage`, the dialect's own object, and `reasoning`, a text that comes before all else.
test_wires.py holds them against the types of the providers' own packages.
"""

import base64
import itertools
import json

import frames
import upstream as up
from strict.dialects import MISTRAL

USAGE = (11, 7)  # tokens in and out that every answer tells


def compact(value):
    """JSON as the providers' own servers print it."""
    return json.dumps(value, separators=(",", ":"))


class Wire:
    """What all have: a dialect makes _streamed and _answered of pieces of text, calls, usage and reasoning."""

    def say(self, *pieces, usage=None, reasoning=None):
        return self._streamed(pieces, (), usage, reasoning)

    def call(self, name, id, args, usage=None, reasoning=None):
        return self._streamed((), [(name, id, args)], usage, reasoning)

    def calls(self, *calls, text="", usage=None, reasoning=None):
        return self._streamed([text] if text else [], calls, usage, reasoning)

    def whole(self, text, usage=None, reasoning=None):
        return self._answered(text, (), usage, reasoning)

    def whole_call(self, name, id, args, usage=None, reasoning=None):
        return self._answered("", [(name, id, args)], usage, reasoning)

    def whole_calls(self, *calls, text="", usage=None, reasoning=None):
        return self._answered(text, calls, usage, reasoning)


class OpenAI(Wire):
    dialect = "openai"
    target = "/v1/chat/completions"
    reasons = {"stop": "stop", "tool_calls": "tool_calls"}
    native = "stop"  # its own word for the end of say()

    def _calls(self, calls):
        return [{"id": id, "type": "function",
                 "function": {"name": name, "arguments": json.dumps(args)}} for name, id, args in calls]

    def _end(self, reason, usage):
        return [up.data(up.chunk({}, reason)), up.data(up.usage_chunk(usage)), up.data("[DONE]"), up.end()]

    def _reasons(self, text):
        return {"reasoning_content": text}  # as most servers like OpenAI's say it; its own do not

    def _streamed(self, pieces, calls, usage, reasoning):
        thought = [up.data(up.chunk(self._reasons(reasoning)))] if reasoning else []
        deltas = [up.data(up.chunk({"tool_calls": [{"index": i, **call}]}))
                  for i, call in enumerate(self._calls(calls))]
        return [up.sse(), up.role(), *thought, *[up.text(p) for p in pieces], *deltas,
                *self._end("tool_calls" if calls else "stop", usage)]

    def _answered(self, text, calls, usage, reasoning):
        message = {"role": "assistant", "content": text or (None if calls else text)}
        if reasoning:
            message |= self._reasons(reasoning)
        if calls:
            message["tool_calls"] = self._calls(calls)
        return up.reply(up.completion(message=message, finish="tool_calls" if calls else "stop",
                                      usage=usage or up.USAGE))

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


class Anthropic(Wire):
    dialect = "anthropic"
    native = "end_turn"
    target = "/v1/messages"
    usage = {"input_tokens": USAGE[0], "cache_creation_input_tokens": 0,
             "cache_read_input_tokens": 0, "output_tokens": USAGE[1]}

    unknown = dict.fromkeys(["cache_creation", "inference_geo", "output_tokens_details", "server_tool_use",
                             "service_tier"])

    def _stream(self, *events, end=("end_turn",), usage=None):
        usage = usage or self.usage
        start = {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "upstream-model",
            "content": [], "stop_reason": None, "stop_sequence": None,
            "usage": {**usage, "output_tokens": 1}}}
        last = [{"type": "message_delta", "usage": usage,
                 "delta": {"stop_reason": reason, "stop_sequence": None}} for reason in end]
        last += [{"type": "message_stop"}] if end else []
        return [up.sse(), *[self._event(e) for e in [start, *events, *last]], up.end()]

    def _event(self, value):
        return up.body(f"event: {value['type']}\ndata: {compact(value)}\n\n".encode())

    def _block(self, index, block, deltas):
        return [{"type": "content_block_start", "index": index, "content_block": block},
                *[{"type": "content_block_delta", "index": index, "delta": d} for d in deltas],
                {"type": "content_block_stop", "index": index}]

    def _text(self, *pieces, index=0):
        return self._block(index, {"type": "text", "text": ""},
                           [{"type": "text_delta", "text": p} for p in pieces])

    def _streamed(self, pieces, calls, usage, reasoning):
        blocks = []
        if reasoning:
            blocks.append(self._block(0, {"type": "thinking", "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": reasoning},
                {"type": "signature_delta", "signature": "QQ=="}]))
        if pieces or not calls:
            blocks.append(self._text(*pieces, index=len(blocks)))
        for name, id, args in calls:
            text = json.dumps(args)
            blocks.append(self._block(
                len(blocks), {"type": "tool_use", "id": id, "name": name, "input": {}},
                [{"type": "input_json_delta", "partial_json": p} for p in (text[:5], text[5:])]))
        return self._stream(*[e for block in blocks for e in block],
                            end=("tool_use" if calls else "end_turn",), usage=usage)

    def _whole(self, *blocks, usage=None):
        *blocks, reason = blocks
        return up.reply({"id": "msg_1", "type": "message", "role": "assistant",
                         "model": "upstream-model", "content": blocks, "stop_reason": reason,
                         "stop_sequence": None, "stop_details": None, "container": None,
                         "usage": {**self.unknown, **(usage or self.usage)}})

    def _answered(self, text, calls, usage, reasoning):
        blocks = [{"type": "thinking", "thinking": reasoning, "signature": "QQ=="}] if reasoning else []
        if text or not calls:
            blocks.append({"type": "text", "text": text})
        blocks += [{"type": "tool_use", "id": id, "name": name, "input": args} for name, id, args in calls]
        return self._whole(*blocks, "tool_use" if calls else "end_turn", usage=usage)

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


class Ollama(Wire):
    dialect = "ollama"
    native = "stop"
    target = "/v1/api/chat"

    def _part(self, message=None, done=None, usage=None):
        value = {"model": "upstream-model", "created_at": "2026-08-21T10:00:00.123456789Z",
                 "message": {"role": "assistant", "content": "", **(message or {})},
                 "done": done is not None}
        if done is not None:
            value |= {"done_reason": done, "total_duration": 5191566416, "load_duration": 2154458,
                      "prompt_eval_duration": 383809000, "eval_duration": 4799921000,
                      **(usage or {"prompt_eval_count": USAGE[0], "eval_count": USAGE[1]})}
        return value

    def _stream(self, *parts):
        return [up.sse("application/x-ndjson"),
                *[up.body(json.dumps(p).encode() + b"\n") for p in parts], up.end()]

    def _texts(self, pieces):
        return [self._part({"content": p}) for p in pieces]

    def _call(self, name, args, index=None, id=None):
        """Older servers tell neither the index nor the id."""
        function = {"name": name, "arguments": args}
        return {"tool_calls": [{"function": function} if id is None else
                               {"id": id, "function": {"index": index, **function}}]}

    def _calls(self, calls):
        return [self._call(name, args, i, id) for i, (name, id, args) in enumerate(calls)]

    def _streamed(self, pieces, calls, usage, reasoning):
        parts = [self._part({"thinking": reasoning})] if reasoning else []
        parts += self._texts(pieces) + [self._part(call) for call in self._calls(calls)]
        return self._stream(*parts, self._part(done="stop", usage=usage))

    def _answered(self, text, calls, usage, reasoning):
        message = {"content": text, **({"thinking": reasoning} if reasoning else {})}
        if calls:
            message["tool_calls"] = [c for call in self._calls(calls) for c in call["tool_calls"]]
        return up.reply(self._part(message, "stop", usage))

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


class OpenAIResponses(Wire):
    dialect = "openai-responses"
    native = "completed"
    target = "/v1/responses"
    usage = {"input_tokens": USAGE[0], "output_tokens": USAGE[1], "total_tokens": sum(USAGE),
             "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}

    def _response(self, status, output=(), **more):
        return {"id": "resp_1", "object": "response", "created_at": 1741476777, "status": status,
                "model": "upstream-model", "output": list(output), "error": None,
                "incomplete_details": None, "parallel_tool_calls": True, "tool_choice": "auto",
                "tools": [], "usage": self.usage if status == "completed" else None, **more}

    def _stream(self, *events):
        start = [{"type": f"response.{name}", "response": self._response("in_progress")}
                 for name in ("created", "in_progress")]
        lines = [compact({**event, "sequence_number": n})
                 for n, event in enumerate([*start, *events])]
        types = [e["type"] for e in [*start, *events]]
        return [up.sse(), *[up.body(f"event: {t}\ndata: {line}\n\n".encode())
                            for t, line in zip(types, lines, strict=True)], up.end()]

    def _message(self, text):
        return {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}

    def _texts(self, pieces, index=0):
        at = {"item_id": "msg_1", "output_index": index, "content_index": 0}
        return [{"type": "response.output_item.added", "output_index": index,
                 "item": {**self._message(""), "status": "in_progress", "content": []}},
                {"type": "response.content_part.added", **at,
                 "part": {"type": "output_text", "text": "", "annotations": []}},
                *[{"type": "response.output_text.delta", **at, "delta": p, "logprobs": []}
                  for p in pieces]]

    def _text(self, pieces, index):
        item = self._message("".join(pieces))
        at = {"item_id": "msg_1", "output_index": index, "content_index": 0}
        return [*self._texts(pieces, index),
                {"type": "response.output_text.done", **at, "text": "".join(pieces), "logprobs": []},
                {"type": "response.content_part.done", **at, "part": item["content"][0]},
                {"type": "response.output_item.done", "output_index": index, "item": item}], item

    def _reasoning(self, text):
        return {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}

    def _thought(self, text, index):
        item = self._reasoning(text)
        at = {"item_id": "rs_1", "output_index": index, "summary_index": 0}
        return [{"type": "response.output_item.added", "output_index": index, "item": {**item, "summary": []}},
                {"type": "response.reasoning_summary_part.added", **at,
                 "part": {"type": "summary_text", "text": ""}},
                {"type": "response.reasoning_summary_text.delta", **at, "delta": text},
                {"type": "response.reasoning_summary_text.done", **at, "text": text},
                {"type": "response.reasoning_summary_part.done", **at, "part": item["summary"][0]},
                {"type": "response.output_item.done", "output_index": index, "item": item}], item

    def _call(self, name, id, arguments, number=1):
        return {"id": f"fc_{number}", "type": "function_call", "status": "completed", "name": name,
                "call_id": id, "arguments": arguments}

    def _asked(self, name, id, args, index, number):
        text = json.dumps(args)
        item = self._call(name, id, text, number)
        at = {"item_id": item["id"], "output_index": index}
        return [{"type": "response.output_item.added", "output_index": index,
                 "item": {**item, "arguments": "", "status": "in_progress"}},
                *[{"type": "response.function_call_arguments.delta", **at, "delta": p}
                  for p in (text[:5], text[5:])],
                {"type": "response.function_call_arguments.done", **at, "name": name, "arguments": text},
                {"type": "response.output_item.done", "output_index": index, "item": item}], item

    def _streamed(self, pieces, calls, usage, reasoning):
        events, output = [], []

        def add(made):
            events.extend(made[0])
            output.append(made[1])
        if reasoning:
            add(self._thought(reasoning, len(output)))
        if pieces or not calls:
            add(self._text(pieces, len(output)))
        for number, call in enumerate(calls, 1):
            add(self._asked(*call, len(output), number))
        return self._stream(*events, {"type": "response.completed", "response": self._response(
            "completed", output, usage=usage or self.usage)})

    def _answered(self, text, calls, usage, reasoning):
        output = [self._reasoning(reasoning)] if reasoning else []
        if text or not calls:
            output.append(self._message(text))
        output += [self._call(name, id, json.dumps(args), number)
                   for number, (name, id, args) in enumerate(calls, 1)]
        return up.reply(self._response("completed", output, usage=usage or self.usage))

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


class Gemini(Wire):
    dialect = "gemini"
    native = "STOP"
    target = "/v1/models/NAME:generateContent"

    def __init__(self, model="upstream-model"):
        self.model = model

    def _response(self, parts=None, reason=None, usage=None):
        candidate = {"index": 0}
        if parts is not None:
            candidate["content"] = {"role": "model", "parts": parts}
        if reason:
            candidate["finishReason"] = reason
        return {"candidates": [candidate], "modelVersion": self.model,
                "responseId": "resp_1",
                "usageMetadata": usage or {"promptTokenCount": USAGE[0],
                                           "candidatesTokenCount": USAGE[1] if reason else 1,
                                           "totalTokenCount": USAGE[0] + (USAGE[1] if reason else 1)}}

    def _stream(self, *responses):
        return [up.sse(), *[up.data(r) for r in responses], up.end()]

    def _texts(self, pieces):
        return [self._response([{"text": p}]) for p in pieces]

    def _call(self, name, args):
        return {"functionCall": {"name": name, "args": args}, "thoughtSignature": "QUJD+/8="}

    def _thought(self, text):
        return [{"text": text, "thought": True}] if text else []

    def _streamed(self, pieces, calls, usage, reasoning):
        parts = [[p] for p in self._thought(reasoning)] + [[{"text": p}] for p in pieces]
        parts += [[self._call(name, args)] for name, _, args in calls]
        return self._stream(*[self._response(p) for p in parts],
                            self._response([{"text": ""}], "STOP", usage))

    def _answered(self, text, calls, usage, reasoning):
        parts = self._thought(reasoning) + ([{"text": text}] if text or not calls else [])
        return up.reply(self._response(parts + [self._call(name, args) for name, _, args in calls],
                                       "STOP", usage))

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


class Interactions(Gemini):
    """Google's newer API: steps with a start and a stop, and thoughts whose signatures come with every answer."""
    dialect = "gemini-interactions"
    native = "completed"
    target = "/v1/interactions"

    def _usage(self, usage):
        return usage or {"total_input_tokens": USAGE[0], "total_output_tokens": USAGE[1], "total_tokens": sum(USAGE)}

    def _about(self, status, **more):
        return {"id": "v1_1", "status": status, "object": "interaction", "model": "upstream-model", **more}

    def _stream(self, *events):
        created = {"interaction": self._about("in_progress"), "event_type": "interaction.created"}
        return [up.sse(), *[up.body(f"event: {e['event_type']}\ndata: {compact(e)}\n\n".encode())
                            for e in (created, *events)], up.end()]

    def _step(self, index, step, *deltas, stop=True):
        return [{"index": index, "step": step, "event_type": "step.start"},
                *[{"index": index, "delta": d, "event_type": "step.delta"} for d in deltas],
                *([{"index": index, "event_type": "step.stop"}] if stop else [])]

    def _texts(self, pieces):
        return self._step(0, {"type": "model_output"}, *[{"text": p, "type": "text"} for p in pieces], stop=False)

    def _thought(self, text):
        return [{"type": "text", "text": text}] if text else []

    def _streamed(self, pieces, calls, usage, reasoning):
        steps = [({"type": "thought"}, *[{"type": "thought_summary", "content": c} for c in self._thought(reasoning)],
                  {"signature": "QUJD+/8=", "type": "thought_signature"})]
        if pieces or not calls:
            steps.append(({"type": "model_output"}, *[{"text": p, "type": "text"} for p in pieces]))
        for name, id, args in calls:
            text = json.dumps(args)
            steps.append(({"type": "function_call", "id": id, "name": name, "arguments": {}},
                          *[{"arguments": p, "type": "arguments_delta"} for p in (text[:5], text[5:])]))
        events = [event for n, step in enumerate(steps) for event in self._step(n, *step)]
        done = self._about("requires_action" if calls else "completed", usage=self._usage(usage))
        return [*self._stream(*events, {"interaction": done, "event_type": "interaction.completed"})[:-1],
                up.body(b"event: done\ndata: [DONE]\n\n"), up.end()]

    def _answered(self, text, calls, usage, reasoning):
        steps = [{"type": "thought", "signature": "QUJD+/8=", **({"summary": self._thought(reasoning)} if reasoning else {})}]
        if text or not calls:
            steps.append({"type": "model_output", "content": [{"type": "text", "text": text}]})
        steps += [{"type": "function_call", "id": id, "name": name, "arguments": args} for name, id, args in calls]
        return up.reply(self._about("requires_action" if calls else "completed", steps=steps, usage=self._usage(usage)))

    def fail(self, *pieces, text="it broke"):
        error = {"error": {"code": "api_error", "message": text}, "event_type": "error"}
        return self._stream(*(self._texts(pieces) if pieces else []), error)

    def refuse(self, status, text):
        return up.reply({"error": {"message": text, "code": "invalid_request"}}, status)


class Azure(OpenAI):
    dialect = "azure"
    target = "/v1/chat/completions"


class Mistral(OpenAI):
    """Calls whole in one chunk, usage with the end, errors of another shape."""
    dialect = "mistral"
    # fixtures.provider gives it a base_url of its own: its paths are OpenAI's.
    target = MISTRAL + OpenAI.target
    embeds = MISTRAL + OpenAI.embeds

    def _calls(self, calls):
        return [{"id": f"D681PevK{i}", "type": "function",
                 "function": {"name": name, "arguments": json.dumps(args)}}
                for i, (name, _, args) in enumerate(calls)]

    def _end(self, reason, usage):
        return [up.data({**up.chunk({"content": ""}, reason), "usage": usage or up.USAGE}),
                up.body(b"data: [DONE]\n\n"), up.end()]

    def _reasons(self, text):
        return {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]}

    def _answered(self, text, calls, usage, reasoning):
        message = {"role": "assistant", "content": text}
        if reasoning:
            message["content"] = [*self._reasons(reasoning)["content"], {"type": "text", "text": text}]
        if calls:
            message["tool_calls"] = self._calls(calls)
        return up.reply(up.completion(message=message, finish="tool_calls" if calls else "stop",
                                      usage=usage or up.USAGE))

    def vectors(self, *lists):
        return up.embeddings(*lists, id="emb-up")

    def fail(self, *pieces, text="it broke"):
        error = {"object": "error", "message": text, "type": "server_error", "param": None,
                 "code": None}
        return [up.sse(), *([up.role()] if pieces else []), *[up.text(p) for p in pieces],
                up.data(error), up.end()]

    def refuse(self, status, text):
        return up.reply({"object": "error", "message": text, "type": "invalid_request_error",
                         "param": None, "code": None}, status)


class Bedrock(Wire):
    """Amazon's frames; the usage comes after the end."""
    dialect = "bedrock"
    native = "end_turn"
    target = "/model/NAME/converse"

    def _usage(self, usage):
        return usage or {"inputTokens": USAGE[0], "outputTokens": USAGE[1], "totalTokens": sum(USAGE)}

    def _stream(self, *events):
        return [up.sse(frames.TYPE), *[up.body(frames.frame(name, value)) for name, value in events], up.end()]

    def _start(self):
        return [("messageStart", {"role": "assistant", "p": "abc"})]

    def _end(self, reason, usage):
        return [("messageStop", {"stopReason": reason}),
                ("metadata", {"usage": self._usage(usage), "metrics": {"latencyMs": 812}})]

    def _deltas(self, index, deltas):
        return [("contentBlockDelta", {"contentBlockIndex": index, "delta": delta, "p": "abcdef"}) for delta in deltas]

    def _block(self, index, deltas):
        return [*self._deltas(index, deltas), ("contentBlockStop", {"contentBlockIndex": index})]

    def _streamed(self, pieces, calls, usage, reasoning):
        events, index = self._start(), itertools.count()
        if reasoning:
            events += self._block(next(index), [{"reasoningContent": {"text": reasoning}},
                                                {"reasoningContent": {"signature": "QQ=="}}])
        if pieces or not calls:
            events += self._block(next(index), [{"text": p} for p in pieces])
        for name, id, args in calls:
            text, n = json.dumps(args), next(index)
            events.append(("contentBlockStart", {"contentBlockIndex": n,
                                                 "start": {"toolUse": {"toolUseId": id, "name": name}}}))
            events += self._block(n, [{"toolUse": {"input": p}} for p in (text[:5], text[5:])])
        return self._stream(*events, *self._end("tool_use" if calls else "end_turn", usage))

    def _answered(self, text, calls, usage, reasoning):
        content = [{"reasoningContent": {"reasoningText": {"text": reasoning, "signature": "QQ=="}}}] if reasoning else []
        if text or not calls:
            content.append({"text": text})
        content += [{"toolUse": {"toolUseId": id, "name": name, "input": args}} for name, id, args in calls]
        return up.reply({"output": {"message": {"role": "assistant", "content": content}},
                         "stopReason": "tool_use" if calls else "end_turn", "usage": self._usage(usage),
                         "metrics": {"latencyMs": 812}})

    def cut(self, *pieces):
        return self._stream(*self._start(), *self._deltas(0, [{"text": p} for p in pieces]))

    def fail(self, *pieces, text="it broke"):
        events = [*self._start(), *self._deltas(0, [{"text": p} for p in pieces])] if pieces else []
        return [*self._stream(*events)[:-1],
                up.body(frames.frame("internalServerException", {"message": text}, "exception")), up.end()]

    def refuse(self, status, text):
        return up.reply({"message": text}, status)


def chunk(value):
    return up.body(frames.frame("chunk", {"bytes": base64.b64encode(compact(value).encode()).decode(), "p": "abc"}))


class OnBedrock(Anthropic):
    """Claude by InvokeModel: Anthropic's events, each as base64 in a frame."""

    def _stream(self, *events, end=("end_turn",), usage=None):
        steps = super()._stream(*events, end=end, usage=usage)
        return [up.sse(frames.TYPE), *steps[1:]]

    def _event(self, value):
        if value["type"] == "error":
            return up.body(frames.frame("internalServerException", {"message": value["error"]["message"]}, "exception"))
        return chunk(value)


WIRES = [OpenAI(), Azure(), Mistral(), Anthropic(), Gemini(), Ollama(), OpenAIResponses(), Bedrock(), Interactions()]
