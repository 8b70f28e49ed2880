"""OpenAI's chat completions, text completions and embeddings, and what servers like OpenAI's know besides."""

import re

from strict import schemas
from strict.rules import rule
from strict.types import KNOWN, strict_validator, types_of


@types_of("openai")
def _chat(beta):
    from openai import __version__
    from openai.types.chat import completion_create_params as of
    return (strict_validator(of.CompletionCreateParamsBase, stream=True),
            f"openai {__version__}, types/chat/completion_create_params.py")


@types_of("openai.completions")
def _completions(beta):
    from openai import __version__
    from openai.types import completion_create_params as of
    return (strict_validator(of.CompletionCreateParamsBase, stream=True),
            f"openai {__version__}, types/completion_create_params.py")


@types_of("openai.embeddings")
def _embeddings(beta):
    from openai import __version__
    from openai.types.embedding_create_params import EmbeddingCreateParams
    return (strict_validator(EmbeddingCreateParams),
            f"openai {__version__}, types/embedding_create_params.py")


# What only servers like OpenAI's know, and where each says so.  Members of OpenAI's other families, and Parley's
# own, are in none of these.
VLLM = "https://docs.vllm.ai/en/latest/serving/openai_compatible_server/ (extra parameters)"
LLAMA = "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md"
OPENROUTER = "https://openrouter.ai/docs/api/reference/parameters"
DEEPSEEK = "https://api-docs.deepseek.com/guides/thinking_mode"
GEMINI = "https://ai.google.dev/gemini-api/docs/openai"
ANY_OF_THEM = {
    VLLM: "top_k min_p repetition_penalty length_penalty stop_token_ids include_stop_str_in_output ignore_eos "
          "min_tokens skip_special_tokens chat_template chat_template_kwargs add_generation_prompt "
          "stream_options.continuous_usage_stats continue_final_message guided_json guided_regex guided_choice "
          "structured_outputs "
          "messages.*.reasoning messages.*.content.*=video_url messages.*.content.*=audio_url",
    LLAMA: "cache_prompt id_slot grammar mirostat n_predict typical_p timings_per_token",
    OPENROUTER: "provider models route transforms plugins reasoning include_reasoning top_a usage "
                "messages.*.reasoning_details messages.*.images messages.*.content.*.cache_control",
    DEEPSEEK: "thinking messages.*.reasoning_content messages.*.prefix",
    GEMINI: "extra_body messages.*.tool_calls.*.extra_content messages.*.extra_content",
}
KNOWN.update({("openai", name): source for source, names in ANY_OF_THEM.items() for name in names.split()})
# vLLM has an API of Responses, and Mistral's models in its own dialect, too.
KNOWN.update({(kind, name): VLLM for kind in ("responses", "mistral")
              for name in ("top_k", "min_p", "repetition_penalty", "chat_template_kwargs")})

SAID_BY_OPENAI = "https://platform.openai.com/docs/api-reference/chat/create"
PAIRS = "https://github.com/openai/openai-python/issues/2677 (must be followed by tool messages)"
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def functions(body):
    """(path, function) of each tool that is one, as chat completions have them."""
    for i, tool in enumerate(body.get("tools") or []):
        if isinstance(tool.get("function"), dict):
            yield f"tools.{i}.function", tool["function"]
    for i, one in enumerate(body.get("functions") or []):
        yield f"functions.{i}", one


def calls(message):
    return [c for c in message.get("tool_calls") or []]


@rule("tool-pairs", "openai", PAIRS)
def _(body):
    """Each call has its result directly after it, and each result its call."""
    open_calls, last = [], None
    for i, message in enumerate([*body["messages"], {"role": "end"}]):
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                yield f"messages.{i}.tool_call_id", "answers no call of the message before"
            else:
                open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            yield f"messages.{last}.tool_calls", f"calls without a result: {open_calls}"
        open_calls, last = [c["id"] for c in calls(message)], i


@rule("tool-call-ids", "openai mistral", PAIRS)
def _(body):
    for i, message in enumerate(body["messages"]):
        ids = [c["id"] for c in calls(message)]
        if len(set(ids)) < len(ids):
            yield f"messages.{i}.tool_calls", f"an id is there twice: {ids}"


@rule("tool-names", "openai mistral", SAID_BY_OPENAI + "#chat-create-tools")
def _(body):
    for path, function in functions(body):
        if not NAME.fullmatch(function["name"]):
            yield f"{path}.name", f"{function['name']!r} is not {NAME.pattern}"
    for i, message in enumerate(body["messages"]):
        for k, call in enumerate(calls(message)):
            if "function" in call and not NAME.fullmatch(call["function"]["name"]):
                yield f"messages.{i}.tool_calls.{k}.function.name", f"is not {NAME.pattern}"


@rule("tool-properties", "openai", "https://github.com/spring-projects/spring-ai/issues/4776 "
      "(object schema missing properties)")
def _(body):
    for path, function in functions(body):
        parameters = function.get("parameters")
        if parameters is None or parameters == {}:
            continue
        for where, schema in schemas.each(parameters, f"{path}.parameters"):
            if schemas.is_object(schema) and where == f"{path}.parameters" and "properties" not in schema:
                yield where, "an object without properties"
            if "required" in schema and not isinstance(schema["required"], list):
                yield f"{where}.required", "is no list"


@rule("tool-strict", "openai", "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas")
def _(body):
    """A strict schema has additionalProperties: false and all of its properties required."""
    wanted = [(f"{path}.parameters", f["parameters"]) for path, f in functions(body)
              if f.get("strict") and f.get("parameters")]
    form = (body.get("response_format") or {}).get("json_schema")
    if form and form.get("strict") and "schema" in form:
        wanted.append(("response_format.json_schema.schema", form["schema"]))
    for path, schema in wanted:
        for where, one in schemas.each(schema, path):
            if schemas.is_object(one):
                if one.get("additionalProperties") is not False:
                    yield f"{where}.additionalProperties", "is not false"
                if set(one.get("required") or []) != set(one.get("properties") or {}):
                    yield f"{where}.required", "does not name each property"


@rule("format-name", "openai", SAID_BY_OPENAI + "#chat-create-response_format")
def _(body):
    form = (body.get("response_format") or {}).get("json_schema")
    if form and not NAME.fullmatch(form["name"]):
        yield "response_format.json_schema.name", f"is not {NAME.pattern}"


@rule("only-with-tools", "openai", "https://github.com/openai/swarm/issues/30")
def _(body):
    if not body.get("tools"):
        for name in ("tool_choice", "parallel_tool_calls"):
            if body.get(name) is not None and body.get(name) != "none":
                yield name, "is only allowed when tools are there"
    if body.get("tools") == []:
        yield "tools", "is empty"


@rule("chosen-tool", "openai mistral", SAID_BY_OPENAI + "#chat-create-tool_choice")
def _(body):
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice["type"] == "function":
        if choice["function"]["name"] not in [f["name"] for _, f in functions(body)]:
            yield "tool_choice.function.name", "is none of the tools"


@rule("stop-list", "openai openai.completions", SAID_BY_OPENAI + "#chat-create-stop")
def _(body):
    stop = body.get("stop")
    if isinstance(stop, list) and len(stop) > 4:
        yield "stop", f"{len(stop)} sequences, and 4 are the most"


@rule("logprobs-pair", "openai", SAID_BY_OPENAI + "#chat-create-top_logprobs")
def _(body):
    if body.get("top_logprobs") is not None and not body.get("logprobs"):
        yield "top_logprobs", "needs logprobs"


@rule("stream-options", "openai openai.completions", SAID_BY_OPENAI + "#chat-create-stream_options")
def _(body):
    if body.get("stream_options") is not None and not body.get("stream"):
        yield "stream_options", "is only allowed with stream"


@rule("limits-exclude", "openai", SAID_BY_OPENAI + "#chat-create-max_completion_tokens")
def _(body):
    if body.get("max_tokens") is not None and body.get("max_completion_tokens") is not None:
        yield "max_tokens", "is there with max_completion_tokens"


@rule("messages-empty", "openai mistral anthropic anthropic.count", SAID_BY_OPENAI + "#chat-create-messages")
def _(body):
    if not body["messages"]:
        yield "messages", "is empty"


@rule("assistant-empty", "openai", SAID_BY_OPENAI + " (content is required unless tool_calls or function_call is)")
def _(body):
    for i, message in enumerate(body["messages"]):
        if message["role"] == "assistant" and message.get("content") is None and not any(
                message.get(k) for k in ("tool_calls", "function_call", "refusal", "audio")):
            yield f"messages.{i}", "an assistant's message of nothing"
        if message["role"] == "assistant" and message.get("tool_calls") == []:
            yield f"messages.{i}.tool_calls", "is empty"


DATA = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*")


@rule("image-data", "openai responses",
      "https://platform.openai.com/docs/guides/images-vision (image input requirements)")
def _(body):
    for path, part in parts(body):
        url = part.get("image_url")
        url = url.get("url") if isinstance(url, dict) else url
        if isinstance(url, str) and not url.startswith(("http://", "https://")) and not DATA.fullmatch(url):
            yield f"{path}.image_url", f"{url[:60]!r} is neither an address nor data of an image"


def parts(body):
    """(path, part) of each message that is a list."""
    name = "messages" if "messages" in body else "input"
    for i, message in enumerate(body[name] if isinstance(body.get(name), list) else []):
        if isinstance(message.get("content"), list):
            for k, part in enumerate(message["content"]):
                yield f"{name}.{i}.content.{k}", part


@rule("embeddings-empty", "openai.embeddings mistral.embeddings",
      "https://platform.openai.com/docs/api-reference/embeddings/create#embeddings-create-input")
def _(body):
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    if not texts or "" in texts:
        yield "input", "a text is empty"
