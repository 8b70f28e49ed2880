"""What answers cost: tokens and money worked out by hand, and the same in every shape, in the run, in the sums
of usage and in the metrics.

Prices are for a million tokens, so that 1 token at 1.25 costs 0.00000125.  FULL has a price of its own for each
kind of tokens; PLAIN has two, and the others follow: cached and written tokens cost what input does, those
written for an hour twice as much, reasoning what output does.
"""

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

import pytest

import upstream as up
from ask import DIALECTS, question
from waiting import wait_until

FULL = {"input": "1.25", "output": "10", "cached": "0.125", "cache_write": "1.5625", "cache_write_1h": "2.5",
        "reasoning": "20"}
PLAIN = {"input": "1.25", "output": "10"}
FAMILIES = ("chat", "messages", "responses", "native", "lmc")


# --- how providers say it ---


def openai(usage):
    """usage None: it has none."""
    body = up.completion("ok", usage=usage)
    if usage is None:
        del body["usage"]
    return [up.reply(body)]


def openai_stream(*usages, finish=None, choice=None, ends=True, top=None):
    """The usages each in a chunk of its own after the end; finish: in the chunk with the end; choice: in the
    choice of that chunk; top: further members of it."""
    last = up.chunk({}, "stop", **({"usage": finish} if finish else {}), **(top or {}))
    if choice:
        last["choices"][0]["usage"] = choice
    return [up.sse(), up.role(), up.text("ok"), up.data(last), *[up.data(up.usage_chunk(u)) for u in usages],
            *([up.data("[DONE]")] if ends else []), up.end()]


def continuous(*usages):
    """A usage with each chunk."""
    chunks = [up.chunk({"content": "o"}, usage=u) for u in usages[:-1]]
    return [up.sse(), up.role(), *[up.data(c) for c in chunks], *openai_stream(usages[-1])[3:]]


def claude(usage):
    return [up.reply({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
                      "stop_sequence": None, "content": [{"type": "text", "text": "ok"}], "usage": usage})]


def event(value):
    return up.body(f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode())


def claude_stream(start, delta=None, text="ok", cut=False):
    events = [{"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": start}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}]
    if not cut:
        events += [{"type": "content_block_stop", "index": 0},
                   {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                    **({} if delta is None else {"usage": delta})},
                   {"type": "message_stop"}]
    return [up.sse(), *[event(e) for e in events], up.end()]


def candidate(text, **more):
    return {"content": {"role": "model", "parts": [{"text": text}] if text else []}, "index": 0, **more}


def gemini(usage):
    return [up.reply({"candidates": [candidate("ok", finishReason="STOP")], "usageMetadata": usage,
                      "modelVersion": "m", "responseId": "r"})]


def gemini_stream(*usages, each=False):
    """A usage with each event; each: with a finishReason, too."""
    last = len(usages) - 1
    return [up.sse(), *[up.data({
        "candidates": [candidate("ok", **({"finishReason": "STOP"} if each or n == last else {}))],
        **({"usageMetadata": u} if u is not None else {}), "modelVersion": "m", "responseId": "r"})
        for n, u in enumerate(usages)], up.end()]


def ollama(**counts):
    return [up.reply({"model": "m", "created_at": "2026-08-21T10:00:00Z", "done": True, "done_reason": "stop",
                      "message": {"role": "assistant", "content": "ok"}, **counts})]


def ollama_stream(**counts):
    lines = [{"model": "m", "message": {"role": "assistant", "content": "ok"}, "done": False},
             {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop",
              **counts}]
    return [up.sse("application/x-ndjson"), *[up.body(json.dumps(x).encode() + b"\n") for x in lines], up.end()]


def response(usage, status="completed"):
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "ok", "annotations": []}]}
    return {"id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": "m",
            "output": [item], "error": None, "incomplete_details": None, "usage": usage}


def responses(usage):
    return [up.reply(response(usage))]


def responses_stream(usage):
    return [up.sse(), *[event(e) for e in (
        {"type": "response.created", "response": {**response(None, "in_progress"), "output": []}},
        {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0,
         "delta": "ok"},
        {"type": "response.completed", "response": response(usage)})], up.end()]


# --- the table ---


@dataclass
class Row:
    dialect: str
    steps: list
    tokens: tuple  # in, out
    cost: str
    cached: int = 0
    written: int = 0
    thought: int = 0
    hour: int = 0  # of written
    plain: bool = False  # PLAIN, not FULL
    source: str = "provider"
    fails: bool = False

    @property
    def stream(self):
        return len(self.steps) > 1


def chat(prompt, out, total=None, **more):
    return {"prompt_tokens": prompt, "completion_tokens": out, "total_tokens": total or prompt + out, **more}


def details(cached=None, reasoning=None, **more):
    found = {}
    if cached is not None or more:
        found["prompt_tokens_details"] = {**({} if cached is None else {"cached_tokens": cached}), **more}
    if reasoning is not None:
        found["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return found


def claude_usage(fresh, out, read=0, written=0, **more):
    return {"input_tokens": fresh, "cache_creation_input_tokens": written, "cache_read_input_tokens": read,
            "output_tokens": out, **more}


def kept(minutes, hour):
    return {"cache_creation": {"ephemeral_5m_input_tokens": minutes, "ephemeral_1h_input_tokens": hour}}


def thought(n):
    return {"output_tokens_details": {"thinking_tokens": n}}


def meta(prompt=None, candidates=None, thoughts=None, cached=None, tools=None):
    all = {"promptTokenCount": prompt, "candidatesTokenCount": candidates, "thoughtsTokenCount": thoughts,
           "cachedContentTokenCount": cached, "toolUsePromptTokenCount": tools}
    return {k: v for k, v in all.items() if v is not None}


def resp(given, out, cached=0, written=None, reasoning=0, total=None):
    return {"input_tokens": given, "output_tokens": out, "total_tokens": total or given + out,
            "input_tokens_details": {"cached_tokens": cached,
                                     **({} if written is None else {"cache_write_tokens": written})},
            "output_tokens_details": {"reasoning_tokens": reasoning}}


ROWS = {
    # --- OpenAI's chat completions, and who imitates them ---
    # 1000 * 1.25 + 100 * 10 = 1250 + 1000
    "plain": Row("openai", openai(chat(1000, 100)), (1000, 100), "0.00225"),
    "plain, streamed": Row("openai", openai_stream(chat(1000, 100)), (1000, 100), "0.00225"),
    # 600 * 1.25 + 400 * 0.125 + 100 * 10 = 750 + 50 + 1000
    "cached": Row("openai", openai(chat(1000, 100, **details(400))), (1000, 100), "0.0018", cached=400),
    "cached, streamed": Row("openai", openai_stream(chat(1000, 100, **details(400))), (1000, 100), "0.0018",
                            cached=400),
    # 1000 * 1.25 + 100 * 10, as no other price is set
    "cached, at two prices": Row("openai", openai(chat(1000, 100, **details(400, 60))), (1000, 100), "0.00225",
                                 cached=400, thought=60, plain=True),
    # 200 * 1.25 + 400 * 0.125 + 400 * 1.5625 + 100 * 10 = 250 + 50 + 625 + 1000
    "written": Row("openai", openai(chat(1000, 100, **details(400, cache_write_tokens=400))), (1000, 100),
                   "0.001925", cached=400, written=400),
    "written, streamed": Row("openai", openai_stream(chat(1000, 100, **details(400, cache_write_tokens=400))),
                             (1000, 100), "0.001925", cached=400, written=400),
    # 1000 * 1.25 + 40 * 10 + 60 * 20 = 1250 + 400 + 1200
    "reasoning inside": Row("openai", openai(chat(1000, 100, **details(None, 60))), (1000, 100), "0.00285",
                            thought=60),
    "reasoning inside, streamed": Row("openai", openai_stream(chat(1000, 100, **details(None, 60))), (1000, 100),
                                      "0.00285", thought=60),
    # D9: 100 + 10 + 30 = 140, so 40 tokens come out: 100 * 1.25 + 40 * 10 = 125 + 400
    "reasoning outside": Row("openai", openai(chat(100, 10, 140, **details(None, 30))), (100, 40), "0.000525",
                             thought=30, plain=True),
    "reasoning outside, streamed": Row("openai", openai_stream(chat(100, 10, 140, **details(None, 30))), (100, 40),
                                       "0.000525", thought=30, plain=True),
    # 100 * 1.25 + 10 * 10 + 30 * 20 = 125 + 100 + 600
    "reasoning outside, with its price": Row("openai", openai(chat(100, 10, 140, **details(None, 30))), (100, 40),
                                             "0.000825", thought=30),
    # with a total of 110 the 10 tokens are all: 100 * 1.25 + 10 * 10 = 125 + 100; 8 of them are reasoning
    "reasoning inside by the total": Row("openai", openai_stream(chat(100, 10, 110, **details(None, 8))), (100, 10),
                                         "0.000225", thought=8, plain=True),
    # D29, Moonshot: in the choice: 600 * 1.25 + 400 * 0.125 + 100 * 10 = 750 + 50 + 1000
    "in the choice": Row("openai", openai_stream(choice=chat(1000, 100, cached_tokens=400)), (1000, 100), "0.0018",
                         cached=400),
    "in the choice, and no terminator": Row("openai", openai_stream(choice=chat(1000, 100, cached_tokens=400),
                                                                    ends=False), (1000, 100), "0.0018", cached=400),
    # ... and again where it should be: counted once
    "in the choice, and after it": Row("openai", openai_stream(chat(1000, 100), choice=chat(1000, 100)),
                                       (1000, 100), "0.00225"),
    # D29, Groq: 1000 * 1.25 + 100 * 10
    "Groq's own member": Row("openai", openai_stream(top={"x_groq": {"id": "req", "usage": chat(1000, 100)}}),
                             (1000, 100), "0.00225"),
    "Groq's own member, and after it": Row("openai", openai_stream(
        chat(1000, 100), top={"x_groq": {"id": "req", "usage": chat(1000, 100)}}), (1000, 100), "0.00225"),
    # D29, Qwen: 300 * 1.25 + 200 * 0.125 + 500 * 1.5625 + 100 * 10 = 375 + 25 + 781.25 + 1000
    "Qwen's writes": Row("openai", openai(chat(1000, 100, **details(200, cache_creation_input_tokens=500))),
                         (1000, 100), "0.00218125", cached=200, written=500),
    "Qwen's writes, streamed": Row("openai", openai_stream(chat(
        1000, 100, **details(200, cache_creation_input_tokens=500))), (1000, 100), "0.00218125", cached=200,
        written=500),
    # D29, DeepSeek: 300 * 1.25 + 700 * 0.125 + 100 * 10 = 375 + 87.5 + 1000
    "DeepSeek's hits": Row("openai", openai(chat(1000, 100, prompt_cache_hit_tokens=700,
                                                 prompt_cache_miss_tokens=300)), (1000, 100), "0.0014625",
                           cached=700),
    "DeepSeek's hits, streamed": Row("openai", openai_stream(chat(1000, 100, prompt_cache_hit_tokens=700)),
                                     (1000, 100), "0.0014625", cached=700),
    # LiteLLM: 100 * 1.25 + 600 * 0.125 + 300 * 1.5625 + 100 * 10 = 125 + 75 + 468.75 + 1000
    "LiteLLM's names": Row("openai", openai(chat(1000, 100, cache_read_input_tokens=600,
                                                 cache_creation_input_tokens=300)), (1000, 100), "0.00166875",
                           cached=600, written=300),
    # D56: 9.0 is 9: 9 * 1.25 + 4 * 10 = 11.25 + 40
    "floats": Row("openai", openai(chat(9.0, 4.0, 13.0)), (9, 4), "0.00005125"),
    "floats, streamed": Row("openai", openai_stream(chat(9.0, 4.0, 13.0)), (9, 4), "0.00005125"),
    # 5 * 1.25 + 4 * 0.125 + 4 * 10 = 6.25 + 0.5 + 40
    "floats in the details": Row("openai", openai(chat(9, 4, **details(4.0))), (9, 4), "0.00004675", cached=4),
    # D11: the last 0 says nothing; 600 * 1.25 + 400 * 0.125 + 9 * 10 = 750 + 50 + 90
    "a last 0": Row("openai", openai_stream(chat(1000, 1, **details(400)), chat(0, 9)), (1000, 9), "0.00089",
                    cached=400),
    # totals with each chunk: the last ones count: 1000 * 1.25 + 30 * 10 = 1250 + 300
    "totals that grow": Row("openai", continuous(chat(1000, 10), chat(1000, 20), chat(1000, 30)), (1000, 30),
                            "0.00155"),
    "with the end": Row("openai", openai_stream(finish=chat(1000, 100)), (1000, 100), "0.00225"),
    "Mistral": Row("mistral", openai_stream(finish=chat(1000, 100)), (1000, 100), "0.00225"),
    "Mistral, whole": Row("mistral", openai(chat(1000, 100)), (1000, 100), "0.00225"),
    "Azure": Row("azure", openai(chat(1000, 100, **details(400, 60))), (1000, 100), "0.003", cached=400,
                 # 600 * 1.25 + 400 * 0.125 + 40 * 10 + 60 * 20 = 750 + 50 + 400 + 1200 = 2400
                 thought=60),
    "Azure, streamed": Row("azure", openai_stream(chat(1000, 100)), (1000, 100), "0.00225"),
    # a price of a billionth: 1 * 1.25 + 1 * 10 = 11.25
    "one token": Row("openai", openai(chat(1, 1)), (1, 1), "0.00001125"),

    # --- OpenAI's Responses ---
    "Responses": Row("openai-responses", responses(resp(1000, 100)), (1000, 100), "0.00225"),
    "Responses, streamed": Row("openai-responses", responses_stream(resp(1000, 100)), (1000, 100), "0.00225"),
    # D6: 3 * 1.25 + 18011 * 1.5625 + 5 * 10 = 3.75 + 28142.1875 + 50 = 28195.9375, rounded up
    "Responses, written": Row("openai-responses", responses(resp(18014, 5, 0, 18011)), (18014, 5), "0.028195938",
                              written=18011),
    "Responses, written, streamed": Row("openai-responses", responses_stream(resp(18014, 5, 0, 18011)), (18014, 5),
                                        "0.028195938", written=18011),
    # 600 * 1.25 + 400 * 0.125 + 40 * 10 + 60 * 20 = 750 + 50 + 400 + 1200
    "Responses, cached and thought": Row("openai-responses", responses(resp(1000, 100, 400, None, 60)),
                                         (1000, 100), "0.0024", cached=400, thought=60),
    # 100 + 10 + 30 = 140: 100 * 1.25 + 40 * 10
    "Responses, reasoning outside": Row("openai-responses", responses_stream(resp(100, 10, reasoning=30, total=140)),
                                        (100, 40), "0.000525", thought=30, plain=True),
    "Responses, floats": Row("openai-responses", responses(resp(9.0, 4.0)), (9, 4), "0.00005125"),

    # --- Anthropic ---
    "Claude": Row("anthropic", claude(claude_usage(1000, 100)), (1000, 100), "0.00225"),
    "Claude, streamed": Row("anthropic", claude_stream(claude_usage(1000, 1), {"output_tokens": 100}), (1000, 100),
                            "0.00225"),
    # D15: 3 * 1.25 + 500 * 0.125 + 2000 * 1.5625 + 7 * 10 = 3.75 + 62.5 + 3125 + 70
    "Claude, written": Row("anthropic", claude(claude_usage(3, 7, 500, 2000)), (2503, 7), "0.00326125", cached=500,
                           written=2000),
    "Claude, written, streamed": Row("anthropic", claude_stream(claude_usage(3, 1, 500, 2000), {"output_tokens": 7}),
                                     (2503, 7), "0.00326125", cached=500, written=2000),
    # D10: 10 * 1.25 + 10000 * 2.5 + 1 * 10 = 12.5 + 25000 + 10
    "Claude, an hour by default": Row("anthropic", claude(claude_usage(10, 1, **kept(0, 10000))),
                                      (10010, 1), "0.0250225", written=10000, hour=10000, plain=True),
    "Claude, an hour by default, streamed": Row("anthropic", claude_stream(
        {"input_tokens": 10, "output_tokens": 1, **kept(0, 10000)}, {"output_tokens": 1}), (10010, 1), "0.0250225",
        written=10000, hour=10000, plain=True),
    # 10 * 1.25 + 400 * 1.5625 + 600 * 2.5 + 5 * 10 = 12.5 + 625 + 1500 + 50
    "Claude, five minutes and an hour": Row("anthropic", claude(claude_usage(10, 5, 0, 1000, **kept(400, 600))),
                                            (1010, 5), "0.0021875", written=1000, hour=600),
    "Claude, five minutes and an hour, streamed": Row("anthropic", claude_stream(
        claude_usage(10, 1, 0, 1000, **kept(400, 600)), {"output_tokens": 5}), (1010, 5), "0.0021875", written=1000,
        hour=600),
    # D11: 1200 * 1.25 + 800 * 0.125 + 9 * 10 = 1500 + 100 + 90
    "Claude, a last 0": Row("anthropic", claude_stream(
        {"input_tokens": 1200, "cache_read_input_tokens": 800}, {"input_tokens": 0, "output_tokens": 9}), (2000, 9),
        "0.00169", cached=800),
    "Claude, all zeros at the end": Row("anthropic", claude_stream(
        claude_usage(1200, 9, 800), claude_usage(0, 0)), (2000, 9), "0.00169", cached=800),
    # the start was an estimate: 3 * 1.25 + 400 * 0.125 + 9 * 10 = 3.75 + 50 + 90
    "Claude, an estimate at the start": Row("anthropic", claude_stream(
        claude_usage(500, 1), claude_usage(3, 9, 400)), (403, 9), "0.00014375", cached=400),
    # D54: 1000 * 1.25 + 40 * 10 + 60 * 20 = 1250 + 400 + 1200
    "Claude, thinking": Row("anthropic", claude(claude_usage(1000, 100, **thought(60))), (1000, 100), "0.00285",
                            thought=60),
    "Claude, thinking, streamed": Row("anthropic", claude_stream(
        claude_usage(1000, 1), {"output_tokens": 100, **thought(60)}), (1000, 100), "0.00285", thought=60),
    "Claude, floats": Row("anthropic", claude(claude_usage(9.0, 4.0)), (9, 4), "0.00005125"),
    # cut: 11 in were told, and 5 bytes of text are 2 tokens: 11 * 1.25 + 2 * 10 = 13.75 + 20
    "Claude, cut": Row("anthropic", claude_stream(claude_usage(11, 1), text="Hello", cut=True), (11, 2),
                       "0.00003375", source="estimated", fails=True),
    # cut, with 8 of the 11 read, and 40 bytes: 3 * 1.25 + 8 * 0.125 + 10 * 10 = 3.75 + 1 + 100
    "Claude, cut, cached": Row("anthropic", claude_stream(claude_usage(3, 1, 8), text="x" * 40, cut=True), (11, 10),
                               "0.00010475", cached=8, source="estimated", fails=True),
    # cut, with 8 of them written for an hour: 3 * 1.25 + 8 * 2.5 + 10 * 10 = 3.75 + 20 + 100
    "Claude, cut, an hour": Row("anthropic", claude_stream(claude_usage(3, 1, 0, 8, **kept(0, 8)), text="x" * 40,
                                                           cut=True), (11, 10), "0.00012375", written=8, hour=8,
                                source="estimated", fails=True),

    # --- Gemini ---
    "Gemini": Row("gemini", gemini(meta(1000, 100)), (1000, 100), "0.00225"),
    # 600 * 1.25 + 400 * 0.125 + 40 * 10 + 60 * 20 = 750 + 50 + 400 + 1200
    "Gemini, cached and thought": Row("gemini", gemini_stream(meta(1000, 40, 60, 400)), (1000, 100), "0.0024",
                                      cached=400, thought=60),
    # 1000 and 50 of tools: 1050 * 1.25 + 100 * 10 = 1312.5 + 1000
    "Gemini, tools": Row("gemini", gemini(meta(1000, 100, tools=50)), (1050, 100), "0.0023125"),
    # D11: what the last event leaves out stays: 1000 * 1.25 + 40 * 10 + 60 * 20 = 1250 + 400 + 1200
    "Gemini, a count left out": Row("gemini", gemini_stream(meta(1000, 10, 60), meta(1000, 40)), (1000, 100),
                                    "0.00285", thought=60),
    "Gemini, a last 0": Row("gemini", gemini_stream(meta(1000, 40, 60), meta(0, 0, 0)), (1000, 100), "0.00285",
                            thought=60),
    "Gemini, no usage at the end": Row("gemini", gemini_stream(meta(1000, 100), None), (1000, 100), "0.00225"),
    "Gemini, an end in each event": Row("gemini", gemini_stream(meta(1000, 10), meta(1000, 100), each=True),
                                        (1000, 100), "0.00225"),
    "Gemini, floats": Row("gemini", gemini(meta(9.0, 4.0)), (9, 4), "0.00005125"),

    # --- Ollama ---
    "Ollama": Row("ollama", ollama(prompt_eval_count=1000, eval_count=100), (1000, 100), "0.00225"),
    "Ollama, streamed": Row("ollama", ollama_stream(prompt_eval_count=1000, eval_count=100), (1000, 100),
                            "0.00225"),
    # all of the prompt was in its cache, so it tells no count: 100 * 10
    "Ollama, no prompt": Row("ollama", ollama(eval_count=100), (0, 100), "0.001"),
    "Ollama, floats": Row("ollama", ollama_stream(prompt_eval_count=9.0, eval_count=4.0), (9, 4), "0.00005125"),
}
ROWS["Azure"].cost = "0.0024"

# D56: counts that can't be read make no usage; what is told then is estimated.
UNREAD = {
    "words": ("openai", openai({"prompt_tokens": "many", "completion_tokens": 4})),
    "words, streamed": ("openai", openai_stream({"prompt_tokens": 11, "completion_tokens": "4"})),
    "nothing": ("openai", openai({})),
    "no usage": ("openai", openai(None)),
    "below zero": ("openai", openai_stream(chat(-1, 4))),
    "half a token": ("openai", openai(chat(1.5, 4))),
    "Claude's words": ("anthropic", claude_stream(claude_usage(11, 1), {"output_tokens": "4"})),
    "Gemini's words": ("gemini", gemini({"promptTokenCount": "11", "candidatesTokenCount": 4})),
    "Ollama's words": ("ollama", ollama(prompt_eval_count="11", eval_count=4)),
    "words of Responses": ("openai-responses", responses({"input_tokens": "11", "output_tokens": 4})),
}


@pytest.fixture(scope="module")
def money(make_wild):
    made = make_wild(models={d: {"price": dict(FULL)} for d in DIALECTS},
                     more_models=[{"name": f"{d}-plain/*", "provider": d, "price": dict(PLAIN)} for d in DIALECTS])
    made.sums = defaultdict(lambda: [0, 0, 0, Decimal(0)])  # of each model: calls, in, out, cost
    return made


def model_of(row, script):
    return script(*row.steps).under(row.dialect + ("-plain" if row.plain else ""))


def expect_usage(family, row, usage):
    """The usage of a shape, in its own words."""
    if family == "messages":
        assert usage["input_tokens"] == max(0, row.tokens[0] - row.cached - row.written)
        assert usage["cache_read_input_tokens"] == row.cached
        assert usage["cache_creation_input_tokens"] == row.written
        assert (usage.get("output_tokens_details") or {}).get("thinking_tokens", 0) == row.thought
        if row.hour:
            assert usage["cache_creation"] == {"ephemeral_5m_input_tokens": row.written - row.hour,
                                               "ephemeral_1h_input_tokens": row.hour}
    elif family == "responses":
        assert usage["input_tokens_details"] == {"cached_tokens": row.cached, "cache_write_tokens": row.written}
        assert usage["output_tokens_details"] == {"reasoning_tokens": row.thought}
        assert usage["total_tokens"] == sum(row.tokens)
    else:
        given = usage.get("prompt_tokens_details") or {}
        out = usage.get("completion_tokens_details") or {}
        assert given.get("cached_tokens") or 0 == row.cached
        assert given.get("cache_write_tokens") or 0 == row.written
        assert out.get("reasoning_tokens") or 0 == row.thought
        assert usage["total_tokens"] == sum(row.tokens)


def expect_run(money, row, said):
    """What was stored: the run of a conversation."""
    run = money.client.get(f"/v1/runs/{said.headers['x-run-id']}").ok().json
    usage = run["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == row.tokens
    assert usage["prompt_tokens_details"]["cached_tokens"] == row.cached
    assert usage["prompt_tokens_details"].get("cache_write_tokens", 0) == row.written
    assert usage["completion_tokens_details"]["reasoning_tokens"] == row.thought
    assert (run["usage_source"], run["cost"]) == (row.source, row.cost)


@pytest.mark.parametrize("name", ROWS)
def test_tokens_and_money(money, script, name):
    row = ROWS[name]
    for family in FAMILIES:
        said = money.post(family, row.dialect, model_of(row, script), question(family), row.stream)
        assert bool(said.error) == row.fails, (family, said)
        assert (said.log["tokens_in"], said.log["tokens_out"]) == row.tokens, family
        assert said.log["cost"] == row.cost, family
        # the provider's own words
        native = (family, row.dialect) in (("messages", "anthropic"), ("responses", "openai-responses"))
        if said.usage and not row.fails and not native:
            assert (said.tokens_in, said.tokens_out) == row.tokens, family
            expect_usage(family, row, said.usage)
        if family == "native" and not row.fails:
            expect_run(money, row, said)
        sum = money.sums[f"{row.dialect}{'-plain' if row.plain else ''}/*"]
        for i, more in enumerate((1, *row.tokens, Decimal(row.cost))):
            sum[i] += more


@pytest.mark.parametrize("name", UNREAD)
def test_counts_that_are_none_make_no_usage(wild, script, name):
    dialect, steps = UNREAD[name]
    said = wild.ask("native", dialect, script(*steps), len(steps) > 1)
    assert said.status == 200 and said.text == "ok"
    run = wild.client.get(f"/v1/runs/{said.headers['x-run-id']}").ok().json
    assert run["usage_source"] == "estimated"
    assert run["usage"]["prompt_tokens"] > 0 and run["usage"]["completion_tokens"] > 0


def test_the_sums_agree(money):
    """The rows that this process has asked so far, in the day's sums and in the metrics."""
    def sums():
        data = money.client.get("/v1/usage?group=model&limit=1000").ok().json["data"]
        return {d["model"]: [d["calls"], d["input_tokens"], d["output_tokens"], Decimal(d["cost"])] for d in data}
    wait_until(lambda: sums() == dict(money.sums), "the sums of all rows")
    found = defaultdict(dict)
    text = money.client.get("/metrics").body.decode()
    for model, kind, n in re.findall(r'parley_tokens_total\{model="([^"]+)",type="(input|output)"\} (\d+)', text):
        found[model][kind] = int(n)
    guessed = defaultdict(lambda: defaultdict(int))
    for model, kind, n in re.findall(
            r'parley_tokens_estimated_total\{model="([^"]+)",type="(input|output)"\} (\d+)', text):
        guessed[model][kind] = int(n)
    costs = {model: Decimal(n) for model, n in re.findall(r'parley_cost_total\{model="([^"]+)"\} ([\d.]+)', text)}
    for model, (_, given, out, cost) in money.sums.items():
        assert found[model].get("input", 0) + guessed[model]["input"] == given, model
        assert found[model].get("output", 0) + guessed[model]["output"] == out, model
        assert costs[model] == cost, model


def test_the_table_is_long_enough():
    assert len(ROWS) >= 60
