"""Anthropic's Messages."""

import base64
import re

from strict import schemas
from strict.rules import rule
from strict.types import KNOWN, strict_validator, types_of

KINDS = "anthropic anthropic.count"
DOCS = "https://platform.claude.com/docs/en/"


@types_of("anthropic")
def _messages(beta):
    from anthropic import __version__
    if beta:
        from anthropic.types.beta import message_create_params as of
    else:
        from anthropic.types import message_create_params as of
    return (strict_validator(of.MessageCreateParamsBase, ("model",), stream=True),
            f"anthropic {__version__}, types/{'beta/' if beta else ''}message_create_params.py")


@types_of("anthropic.count")
def _count(beta):
    from anthropic import __version__
    if beta:
        from anthropic.types.beta.message_count_tokens_params import MessageCountTokensParams
    else:
        from anthropic.types.message_count_tokens_params import MessageCountTokensParams
    return (strict_validator(MessageCountTokensParams, ("model",)),
            f"anthropic {__version__}, types/{'beta/' if beta else ''}message_count_tokens_params.py")


# The package's types are of the version 2026-10-21, which took these away; Parley asks for the one before.
OLDER, NEWER = "2023-06-01", "2026-10-21"
MOVED = DOCS + "api/versioning#version-history"
REMOVED = ("temperature", "top_p", "top_k")
KNOWN.update({("anthropic", name): MOVED for name in REMOVED})


@rule("removed-sampling", "anthropic", MOVED, "version")
def _(body, version):
    for name in REMOVED if version == NEWER else ():
        if name in body:
            yield name, f"is not in version {version}"


ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def blocks(body):
    """(path, block) of each block of the messages."""
    for i, message in enumerate(body["messages"]):
        if isinstance(message["content"], list):
            for k, block in enumerate(message["content"]):
                yield f"messages.{i}.content.{k}", block


def of_type(content, kind):
    return [b for b in content if b["type"] == kind] if isinstance(content, list) else []


@rule("tool-use-ids", KINDS, "https://github.com/anthropics/claude-code/issues/14369 "
      "(tool_use.id: String should match pattern)")
def _(body):
    for path, block in blocks(body):
        for name in ("id", "tool_use_id"):
            if block["type"] in ("tool_use", "tool_result") and name in block:
                if not ID.fullmatch(block[name]):
                    yield f"{path}.{name}", f"{block[name]!r} is not {ID.pattern}"


@rule("tool-use-pairs", KINDS, DOCS + "agents-and-tools/tool-use/implement-tool-use#handling-results-from-client-tools")
def _(body):
    """The results of all calls come first in the next turn of the user, and answer nothing else."""
    if body.get("thread"):  # the calls are in messages that the provider keeps (anthropic 2.14, types/beta)
        return
    waiting, seen = [], set()
    turns = []
    for i, message in enumerate(body["messages"]):  # neighbours of one role are one turn
        content = message["content"] if isinstance(message["content"], list) else [
            {"type": "text", "text": message["content"]}]
        if turns and turns[-1][1] == message["role"]:
            turns[-1][2].extend(content)
        else:
            turns.append((i, message["role"], list(content)))
    for i, role, content in turns:
        if role == "user":
            results = [b["tool_use_id"] for b in of_type(content, "tool_result")]
            if sorted(results) != sorted(waiting):
                yield f"messages.{i}", f"results of {results} where the calls are {waiting}"
            if results and any(b["type"] == "tool_result" for b in content[len(results):]):
                yield f"messages.{i}", "results are not the first of the turn"
            waiting = []
        elif role == "assistant":
            if waiting:
                yield f"messages.{i}", f"calls without a result: {waiting}"
            waiting = [b["id"] for b in of_type(content, "tool_use")]
            if len(set(waiting)) < len(waiting) or seen & set(waiting):
                yield f"messages.{i}", "tool_use ids must be unique"
            seen |= set(waiting)
    if waiting:
        yield f"messages.{len(body['messages']) - 1}", f"calls without a result: {waiting}"


@rule("blank-texts", KINDS, "https://github.com/anthropics/claude-code/issues/23440 "
      "(text content blocks must contain non-whitespace text)")
def _(body):
    for path, block in blocks(body):
        if block["type"] == "text" and not block["text"].strip():
            yield f"{path}.text", "is blank"
        if block["type"] == "tool_result":
            for k, part in enumerate(of_type(block.get("content"), "text")):
                if not part["text"].strip():
                    yield f"{path}.content.{k}.text", "is blank"
    for i, message in enumerate(body["messages"]):
        if isinstance(message["content"], str) and not message["content"].strip():
            yield f"messages.{i}.content", "is blank"
        if message["content"] == [] and (message["role"] == "user" or message is not body["messages"][-1]):
            yield f"messages.{i}.content", "is empty"
    system = body.get("system")
    for k, part in enumerate(of_type(system, "text")):
        if not part["text"].strip():
            yield f"system.{k}.text", "is blank"


@rule("first-role", KINDS, "https://github.com/lobehub/lobehub/issues/1601 (first message must use the user role)")
def _(body):
    if body["messages"] and body["messages"][0]["role"] != "user":
        yield "messages.0.role", "the first message is the user's"


@rule("prefill", "anthropic", "https://github.com/anthropics/anthropic-sdk-python/issues/461 "
      "(final assistant content cannot end with trailing whitespace)")
def _(body):
    last = body["messages"][-1] if body["messages"] else {"role": "user"}
    if last["role"] == "assistant":
        content = last["content"]
        text = content if isinstance(content, str) else (content[-1].get("text", "") if content else "")
        if text != text.rstrip():
            yield f"messages.{len(body['messages']) - 1}.content", "ends with white space"


@rule("tool-use-names", KINDS, DOCS + "api/messages#body-tools")
def _(body):
    tools = [t for t in body.get("tools") or [] if t.get("type", "custom") in ("custom", None)]
    for i, tool in enumerate(tools):
        if not NAME.fullmatch(tool["name"]):
            yield f"tools.{i}.name", f"{tool['name']!r} is not {NAME.pattern}"
    names = [t["name"] for t in tools]
    if len(set(names)) < len(names):
        yield "tools", "tool names must be unique"


@rule("input-schemas", KINDS, "https://github.com/anthropics/claude-code/issues/4886 "
      "(input_schema does not support oneOf, allOf, or anyOf at the top level)")
def _(body):
    for i, tool in enumerate(body.get("tools") or []):
        if "input_schema" in tool and tool["input_schema"].get("type") != "object":
            yield f"tools.{i}.input_schema.type", "is not object"
        for word in ("oneOf", "allOf", "anyOf"):
            if word in tool.get("input_schema", {}):
                yield f"tools.{i}.input_schema.{word}", "is not supported at the top"


@rule("tool-choice-needs-tools", KINDS, DOCS + "api/messages#body-tool_choice")
def _(body):
    choice = body.get("tool_choice")
    if choice and not body.get("tools"):
        yield "tool_choice", "is only allowed where tools are"
    elif choice and choice["type"] == "tool" and choice["name"] not in [t.get("name") for t in body["tools"]]:
        yield "tool_choice.name", "is none of the tools"


def thinks(body):
    return (body.get("thinking") or {}).get("type") in ("enabled", "adaptive")


@rule("thinking-excludes", KINDS, DOCS + "build-with-claude/extended-thinking#feature-compatibility")
def _(body):
    if thinks(body):
        if body.get("temperature", 1) != 1:
            yield "temperature", "is only 1 with thinking"
        if body.get("top_k") is not None:
            yield "top_k", "is not there with thinking"
        if not 0.95 <= body.get("top_p", 1) <= 1:
            yield "top_p", "is 0.95 to 1 with thinking"
        if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
            yield "tool_choice", "forces a tool with thinking"
        if body["thinking"]["type"] == "enabled" and body["messages"][-1]["role"] == "assistant":
            yield f"messages.{len(body['messages']) - 1}", "an answer is begun with thinking"


@rule("thinking-budget", KINDS, DOCS + "build-with-claude/extended-thinking#how-to-use-extended-thinking")
def _(body):
    budget = (body.get("thinking") or {}).get("budget_tokens")
    if budget is not None and budget < 1024:
        yield "thinking.budget_tokens", f"{budget} is below 1024"
    if budget is not None and budget >= body.get("max_tokens", budget + 1):
        yield "thinking.budget_tokens", f"{budget} is not below max_tokens {body['max_tokens']}"


@rule("thinking-first", KINDS, "https://github.com/anthropics/claude-code/issues/12311 "
      "(Expected thinking or redacted_thinking, but found tool_use)")
def _(body):
    """With thinking, the turn whose calls are answered last begins with what was thought.  It goes back to the
    user's last question: a model that does not think between its calls has thought before the first one alone
    (https://github.com/BerriAI/litellm/blob/main/litellm/utils.py, any_assistant_message_has_thinking_blocks)."""
    if (body.get("thinking") or {}).get("type") != "enabled":
        return
    messages, first = body["messages"], None
    for i in range(len(messages) - 1, 0, -1):
        if messages[i]["role"] == "user":
            if not of_type(messages[i]["content"], "tool_result"):
                break
        elif of_type(messages[i]["content"], "tool_use"):
            first = i
    if first is not None:
        content = messages[first]["content"]
        if content[0]["type"] not in ("thinking", "redacted_thinking"):
            yield f"messages.{first}.content.0", f"thinking was expected, and {content[0]['type']} is there"


@rule("temperature-or-top-p", KINDS, "https://github.com/BerriAI/litellm/issues/15097 "
      "(temperature and top_p cannot both be specified for this model)")
def _(body):
    if body.get("temperature") is not None and body.get("top_p") is not None:
        yield "top_p", "is there with temperature"


@rule("ranges", "anthropic", DOCS + "api/messages#body-temperature")
def _(body):
    if not 0 <= (body.get("temperature") or 0) <= 1:
        yield "temperature", f"{body['temperature']} is not 0 to 1"
    if body["max_tokens"] < 1:
        yield "max_tokens", f"{body['max_tokens']} is below 1"


EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]+")
PHONE = re.compile(r"\+?[\d()\s.-]{7,20}")


@rule("user-id", KINDS, "https://github.com/BerriAI/litellm/issues/10106 (user_id appears to contain an email address)")
def _(body):
    user = (body.get("metadata") or {}).get("user_id")
    if user is not None and (EMAIL.search(user) or PHONE.fullmatch(user.strip())):
        yield "metadata.user_id", f"{user!r} looks like an address or number of a person"
    if user is not None and len(user) > 256:
        yield "metadata.user_id", f"{len(user)} characters, and 256 are the most"


@rule("stop-sequences", "anthropic", "https://github.com/BerriAI/litellm/issues/3286 "
      "(each stop sequence must contain non-whitespace)")
def _(body):
    for i, stop in enumerate(body.get("stop_sequences") or []):
        if not stop.strip():
            yield f"stop_sequences.{i}", f"{stop!r} is blank"


# What anthropic/lib/_parse/_transform.py leaves as it is; it puts all else into the description.
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
WORDS = {"$defs", "definitions", "$ref", "type", "anyOf", "allOf", "enum", "const", "description", "title",
         "properties", "additionalProperties", "required", "format", "items", "minItems", "default", "$schema",
         "$id"}
SUBSET = DOCS + "build-with-claude/structured-outputs#json-schema-limitations"


def beyond(schema, path):
    """What of a schema no grammar can be made of."""
    for where, one in schemas.each(schema, path):
        if schemas.is_object(one) and one.get("additionalProperties") is not False:
            yield f"{where}.additionalProperties", "is not false"
        for word in sorted(set(one) - WORDS):
            yield f"{where}.{word}", "is not supported"
        if one.get("format", "date") not in FORMATS:
            yield f"{where}.format", f"{one['format']!r} is not supported"
        if one.get("minItems", 0) not in (0, 1):
            yield f"{where}.minItems", "is neither 0 nor 1"


@rule("format-schemas", "anthropic", SUBSET)
def _(body):
    form = (body.get("output_config") or {}).get("format") or body.get("output_format")
    if form:
        yield from beyond(form["schema"], "output_config.format.schema")


@rule("strict-tools", KINDS, "https://github.com/camel-ai/camel/pull/4171 and " + SUBSET)
def _(body):
    strict = [(i, t) for i, t in enumerate(body.get("tools") or []) if t.get("strict")]
    if len(strict) > 20:
        yield "tools", f"{len(strict)} strict tools, and 20 are the most"
    for i, tool in strict:
        yield from beyond(tool["input_schema"], f"tools.{i}.input_schema")


@rule("cache-marks", KINDS, DOCS + "build-with-claude/prompt-caching#what-can-be-cached")
def _(body):
    marked = [b for _, b in blocks(body)] + of_type(body.get("system"), "text") + (body.get("tools") or [])
    count = sum(1 for b in marked if b.get("cache_control"))
    if count > 4:
        yield "", f"{count} blocks have cache_control, and 4 are the most"


@rule("source-data", KINDS, DOCS + "build-with-claude/vision#base64-encoded-image-example")
def _(body):
    for path, block in blocks(body):
        source = block.get("source")
        if isinstance(source, dict) and source.get("type") == "base64":
            try:
                good = base64.b64decode(source["data"], validate=True) != b""
            except ValueError:
                good = False
            if not good:
                yield f"{path}.source.data", "is no base64"
