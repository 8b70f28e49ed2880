"""What is asked of each member: its values, from the types of OpenAI's and Anthropic's packages and from schema/.

Where a value needs others beside it, CONTEXT has them; where more values say more, MORE has them.
"""

import json

from anthropic.types.beta import message_create_params as claude
from openai.types import completion_create_params as completions
from openai.types.chat import completion_create_params as chat
from openai.types.responses import response_create_params as responses

from gateway import PROJECT
from variants import SCHEMA, members, values

KINDS = {"chat": chat.CompletionCreateParamsBase, "responses": responses.ResponseCreateParamsBase,
         "messages": claude.MessageCreateParamsBase, "completions": completions.CompletionCreateParamsBase}
# Asked by every request, and `betas`, which is a header.
BASE = {"model", "messages", "input", "prompt", "betas"}

NAMED = {"name": "get_weather"}
TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}
FLAT = {"type": "function", "name": "get_weather", "parameters": SCHEMA, "strict": False}
CLAUDES = {"name": "get_weather", "input_schema": SCHEMA}
JSON_SCHEMA = {"type": "json_schema", "json_schema": {"name": "city", "schema": SCHEMA, "strict": True}}

# Members that a value of another makes sense beside.
CONTEXT = {
    ("chat", "tool_choice"): {"tools": [TOOL]}, ("chat", "parallel_tool_calls"): {"tools": [TOOL]},
    ("chat", "top_logprobs"): {"logprobs": True}, ("native", "tool_choice"): {"config": {"tools": [TOOL]}},
    ("responses", "tool_choice"): {"tools": [FLAT]}, ("responses", "parallel_tool_calls"): {"tools": [FLAT]},
    ("responses", "background_options"): {"store": True},
    ("messages", "tool_choice"): {"tools": [CLAUDES]},
}

# Values beside the made ones, and in place of those with the same label.
MORE = {
    ("chat", "temperature"): [("1.7", 1.7), ("0", 0)],
    ("chat", "tools"): [("[function, full]", [{"type": "function", "function": {
        "name": "get_weather", "description": "tells the weather", "parameters": SCHEMA, "strict": True}}])],
    ("chat", "tool_choice"): [("allowed_tools", {"type": "allowed_tools", "allowed_tools": {
        "mode": "auto", "tools": [{"type": "function", "function": NAMED}]}})],
    ("chat", "response_format"): [("json_schema", JSON_SCHEMA)],
    ("chat", "stop"): [("[six]", list("uvwxyz")), ("[blank]", [" ", "x"])],
    ("chat", "moderation"): [("object, full", {"model": "x", "policy": {"input": {"mode": "block"}}})],
    ("chat", "prediction"): [("content", {"type": "content", "content": "x"})],
    ("chat", "max_tokens"): [("2", 200)], ("chat", "max_completion_tokens"): [("2", 200)],
    ("chat", "user"): [("email", "ann@example.com")],
    ("chat", "audio"): [("object", {"format": "wav", "voice": "alloy"})],
    ("chat", "top_k"): [("2", 2)], ("chat", "chat_template_kwargs"): [("object", {"enable_thinking": False})],
    ("responses", "temperature"): [("1.7", 1.7)],
    ("responses", "max_output_tokens"): [("2", 200), ("low", 2)],
    ("responses", "text"): [("json_schema", {"format": {"type": "json_schema", "name": "city", "schema": SCHEMA,
                                                        "strict": True}}),
                            ("json_object", {"format": {"type": "json_object"}})],
    ("responses", "reasoning"): [("effort", {"effort": "low"}), ("summary", {"summary": "auto"}),
                                 ("context", {"context": "auto"}), ("mode", {"mode": "x"})],
    ("responses", "tool_choice"): [
        ("allowed_tools", {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", **NAMED}]})],
    ("responses", "context_management"): [("[x]", [{"type": "compaction"}]), (
        "[x, full]", [{"type": "compaction", "compact_threshold": 200000}])],
    ("responses", "client_metadata"): [("object", {"installation": "k1"})],
    ("responses", "moderation"): [("object, full", {"model": "x", "policy": {"input": {"mode": "block"}}})],
    ("responses", "presence_penalty"): [("0.5", 0.5)], ("responses", "frequency_penalty"): [("0.5", 0.5)],
    ("responses", "top_k"): [("2", 2)],
    ("messages", "temperature"): [("0.5", 0.5)], ("messages", "top_p"): [("0.5", 0.5)],
    ("messages", "top_k"): [("2", 2)], ("messages", "max_tokens"): [("2", 200)],
    ("messages", "thinking"): [("enabled, full", {"type": "enabled", "budget_tokens": 2048, "display": "summarized"})],
    ("messages", "stop_sequences"): [("[six]", list("uvwxyz"))],
    ("messages", "metadata"): [("object, full", {"user_id": "a" * 80}), ("user", {"user_id": "ann"})],
    ("messages", "output_config"): [("effort", {"effort": "low"}), (
        "format", {"format": {"type": "json_schema", "schema": SCHEMA}})],
    ("messages", "mcp_servers"): [("[]", [])],
    ("messages", "system"): [("[text, full]", [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}])],
    ("completions", "max_tokens"): [("2", 200)],
}

OURS = ("[function, full]", "[custom, full]", "[object, full]")

# What the strict providers refuse, and rightly: the mistake is the client's, and only the provider knows.
WAIVED = {"types top_k": "a provider's own", "types chat_template_kwargs": "a provider's own",
          "stop-list stop": "each provider has its own bound"}

# A warning may call a member by the name that a chat has for it.
NAMES = {
    ("messages", "metadata"): ["user"], ("messages", "stop_sequences"): ["stop "],
    ("messages", "output_config"): ["effort of thinking"], ("messages", "tool_choice"): ["parallel_tool_calls"],
    ("responses", "tools"): ["a tool of type"], ("responses", "tool_choice"): ["choice of a tool"],
    ("responses", "include"): ["logprobs", "not encrypted"], ("responses", "text"): ["verbosity", "response_format"],
    ("responses", "truncation"): ["nothing is left out"], ("responses", "max_output_tokens"): ["max_tokens"],
    ("native", "extra"): ["user", "top_k"],
    ("ollama", "options"): ["presence_penalty", "frequency_penalty", "seed", "stop"],
    ("ollama", "format"): ["response_format"], ("ollama", "think"): ["reasoning_effort"],
}

# LLM Chat's members are its own: schema/chat_config.json has their names, and these their values.
NATIVE = {
    "max_tokens": [("2", 200)], "temperature": [("0.5", 0.5), ("1.7", 1.7)], "top_p": [("0.5", 0.5)],
    "stop": [("text", "x"), ("[text]", ["x"])], "seed": [("2", 2)], "presence_penalty": [("0.5", 0.5)],
    "frequency_penalty": [("0.5", 0.5)],
    "response_format": [("text", {"type": "text"}), ("json_object", {"type": "json_object"}),
                        ("json_schema", JSON_SCHEMA)],
    "tools": [("[function]", [TOOL])],
    "tool_choice": [(json.dumps(w), w) for w in ("none", "auto", "required")] + [
        ("function", {"type": "function", "function": NAMED})],
    "reasoning_effort": [(json.dumps(w), w) for w in ("none", "low", "high")],
    "extra": [("top_k", {"top_k": 2}), ("user", {"user": "ann"})],
}
# Ollama's own package has types for answers only.
OLLAMA = {
    "options": [(name, {name: value}) for name, value in (
        ("temperature", 0.5), ("top_p", 0.5), ("top_k", 2), ("seed", 2), ("num_predict", 200), ("stop", ["x"]),
        ("presence_penalty", 0.5), ("frequency_penalty", 0.5), ("num_ctx", 4096))],
    "tools": [("[function]", [TOOL])], "format": [('"json"', "json"), ("schema", SCHEMA)],
    "think": [("true", True), ("false", False), ('"low"', "low")],
    "keep_alive": [('"5m"', "5m")], "truncate": [("true", True)],
}
# Handled before anything is asked of a provider; other tests are about it.
NATIVE_OWN = {"model", "computer", "max_cost"}
# As above: they need what is stored, or another way of asking.
APART = {("responses", "conversation"), ("responses", "previous_response_id"),
         ("responses", "background")}


def asked(family):
    """member -> [(label, value)]."""
    if family in ("native", "ollama"):
        return {"native": NATIVE, "ollama": OLLAMA}[family]
    found = {name: dict(values(kind)) for name, kind in members(KINDS[family]).items()
             if name not in BASE and (family, name) not in APART}
    for (whose, name), more in MORE.items():
        if whose == family:
            found.setdefault(name, {}).update(more)
    # Tools that a provider runs are alike, with all that they may have or without it.
    return {name: [(label, value) for label, value in given.items() if name != "tools" or label in OURS
                   or not label.endswith(", full]")] for name, given in found.items()}


def body_with(family, base, member, value):
    """The body without the member, and with it."""
    body = {**base, **CONTEXT.get((family, member), {})}
    if family == "native":
        return body, {**body, "config": {**body.get("config", {}), member: value}}
    return {k: v for k, v in body.items() if k != member or member in base}, {**body, member: value}


def schema_members(family):
    """The names that Parley's own description has."""
    name = {"chat": "completion_request", "responses": "response_request", "messages": "message_request",
            "completions": "text_completion_request", "native": "chat_config",
            "ollama": "ollama_chat_request"}[family]
    return set(json.loads((PROJECT / "schema" / f"{name}.json").read_text())["properties"])
