"""Reads requests of every API into the same few members: what a client asks, and what a provider is sent.

`seen("messages", body)` and `seen("gemini", body)` give a Seen each, so that one can be held against the other.
"""

import json
from dataclasses import dataclass, field

from ask import arguments

# Which API's requests each family and each dialect has.
API = {"chat": "chat", "completions": "chat", "native": "chat", "openai": "chat", "azure": "chat", "mistral": "chat",
       "messages": "messages", "anthropic": "messages", "responses": "responses",
       "openai-responses": "responses", "gemini": "gemini", "ollama": "chat", "bedrock": "bedrock",
       "gemini-interactions": "interactions"}


@dataclass
class Seen:
    texts: list = field(default_factory=list)  # (role, text), in their order
    tools: list = field(default_factory=list)  # names
    calls: list = field(default_factory=list)  # (name, arguments as an object)
    results: list = field(default_factory=list)  # texts
    media: int = 0

    def texts_of(self, role):
        return [text for who, text in self.texts if who == role]


def _content(seen, role, content):
    for part in [{"text": content}] if isinstance(content, str) else content or []:
        if isinstance(part.get("text"), str):
            seen.texts.append((role, part["text"]))
        elif part.get("type") != "refusal":
            seen.media += 1


def _text(content):
    """Of a result: its texts, whatever they stand in."""
    if isinstance(content, list):
        return "".join(p.get("text") or "" for p in content)
    return content if isinstance(content, str) else json.dumps(content)


def _chat(seen, body):
    seen.tools = [t["function"]["name"] for t in body.get("tools") or []]
    for message in body["messages"]:
        role = message["role"]
        if role in ("tool", "function"):
            seen.results.append(_text(message["content"]))
            continue
        _content(seen, role, message.get("content"))
        seen.media += len(message.get("images") or [])
        seen.calls += [(c["function"]["name"], arguments(c["function"]["arguments"])
                        if isinstance(c["function"]["arguments"], str) else c["function"]["arguments"])
                       for c in message.get("tool_calls") or []]


def _messages(seen, body):
    seen.tools = [t["name"] for t in body.get("tools") or []]
    _content(seen, "system", body.get("system"))
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            kind = block["type"]
            if kind == "tool_use":
                seen.calls.append((block["name"], block["input"]))
            elif kind == "tool_result":
                seen.results.append(_text(block.get("content") or ""))
            elif kind not in ("thinking", "redacted_thinking"):
                _content(seen, message["role"], [block])


def _response_tools(tools):
    for tool in tools or []:
        if tool["type"] == "namespace":
            yield from _response_tools(tool["tools"])
        elif tool["type"] in ("function", "custom"):
            yield tool["name"]


def _responses(seen, body):
    seen.tools = list(_response_tools(body.get("tools")))
    if body.get("instructions"):
        seen.texts.append(("system", body["instructions"]))
    given = body["input"]
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        kind = item.get("type", "message")
        if kind == "message":
            _content(seen, item["role"], item["content"])
        elif kind == "function_call":
            seen.calls.append((item["name"], arguments(item["arguments"])))
        elif kind == "custom_tool_call":
            seen.calls.append((item["name"], item["input"]))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            seen.results.append(_text(item["output"]))


def _gemini(seen, body):
    seen.tools = [f["name"] for t in body.get("tools") or [] for f in t.get("functionDeclarations") or []]
    _content(seen, "system", (body.get("systemInstruction") or {}).get("parts"))
    for turn in body["contents"]:
        for part in turn["parts"]:
            if "functionCall" in part:
                seen.calls.append((part["functionCall"]["name"], part["functionCall"].get("args") or {}))
            elif "functionResponse" in part:
                seen.results.append(json.dumps(part["functionResponse"]["response"], ensure_ascii=False))
            else:
                _content(seen, {"model": "assistant"}.get(turn["role"], turn["role"]), [part])


def _bedrock(seen, body):
    seen.tools = [t["toolSpec"]["name"] for t in (body.get("toolConfig") or {}).get("tools") or [] if "toolSpec" in t]
    _content(seen, "system", [b for b in body.get("system") or [] if "text" in b])
    for message in body["messages"]:
        for block in message["content"]:
            if "toolUse" in block:
                seen.calls.append((block["toolUse"]["name"], block["toolUse"]["input"]))
            elif "toolResult" in block:
                seen.results.append(_text(block["toolResult"]["content"]))
            elif not {"reasoningContent", "cachePoint"} & set(block):
                _content(seen, message["role"], [block])


def _interactions(seen, body):
    seen.tools = [t["name"] for t in body.get("tools") or []]
    _content(seen, "system", body.get("system_instruction"))
    for step in body["input"]:
        if step["type"] == "function_call":
            seen.calls.append((step["name"], step["arguments"]))
        elif step["type"] == "function_result":
            seen.results.append(_text(step["result"]))
            seen.media += sum(part["type"] != "text" for part in step["result"] if isinstance(part, dict))
        elif step["type"] != "thought":
            _content(seen, {"user_input": "user", "model_output": "assistant"}[step["type"]], step["content"])


READERS = {"bedrock": _bedrock, "interactions": _interactions, "chat": _chat, "messages": _messages,
           "responses": _responses, "gemini": _gemini}


def seen(whose, body):
    """whose: a family of clients, or a dialect of providers."""
    found = Seen()
    READERS[API[whose]](found, body)
    return found
