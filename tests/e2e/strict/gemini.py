"""Gemini's own generateContent and batchEmbedContents."""

import re

from strict.rules import rule
from strict.types import MORE, strict_validator, types_of

DOCS = "https://ai.google.dev/api/"
STOPS = 5


def _request():
    from google.genai import types as of

    # The package's GenerationConfig is of another API; these two members are of this one.
    class Generation(of.GenerationConfig):
        image_config: of.ImageConfig | None = None

    class Request(of._common.BaseModel):
        contents: list[of.Content]
        system_instruction: of.Content | None = None
        tools: list[of.Tool] | None = None
        tool_config: of.ToolConfig | None = None
        safety_settings: list[of.SafetySetting] | None = None
        generation_config: Generation | None = None
        cached_content: str | None = None
        labels: dict[str, str] | None = None
        service_tier: str | None = None
        store: bool | None = None
    return Request


@types_of("gemini")
def _generate(beta):
    from google.genai.version import __version__
    return strict_validator(_request()), f"google-genai {__version__}, types.py"


@types_of("gemini.count")
def _count(beta):
    from google.genai import types as of
    from google.genai.version import __version__

    class Counted(_request()):
        model: str

    class Request(of._common.BaseModel):
        contents: list[of.Content] | None = None
        generate_content_request: Counted | None = None
    return strict_validator(Request), f"google-genai {__version__}, types.py and {DOCS}tokens"


@types_of("gemini.embeddings")
def _embeddings(beta):
    from google.genai import types as of
    from google.genai.version import __version__

    class One(of._common.BaseModel):
        model: str
        content: of.Content
        task_type: str | None = None
        title: str | None = None
        output_dimensionality: int | None = None

    class Request(of._common.BaseModel):
        requests: list[One]
    return strict_validator(Request), f"google-genai {__version__}, types.py and {DOCS}embeddings"


def _converted(request):
    """What the package refuses when it converts a request for this API: members of Google's other one."""
    from google.genai import models
    try:
        for content in [*request.contents, *filter(None, [request.system_instruction])]:
            models._Content_to_mldev(content)
        for tool in request.tools or []:
            models._Tool_to_mldev(tool)
        for setting in request.safety_settings or []:
            models._SafetySetting_to_mldev(setting)
        if request.tool_config:
            models._ToolConfig_to_mldev(request.tool_config)
    except ValueError as error:
        yield str(error)
    generation = request.generation_config
    for name in ("audio_timestamp", "routing_config", "model_selection_config"):
        if generation is not None and getattr(generation, name) is not None:
            yield f"{name} is of Google's other API"


MORE["gemini"] = _converted

CALLS = "https://github.com/google-gemini/gemini-cli/issues/16984 (number of function response parts)"
SCHEMA = DOCS + "caching#Schema"


def parts(body):
    for i, content in enumerate(body["contents"]):
        for k, part in enumerate(content["parts"]):
            yield f"contents.{i}.parts.{k}", part


def count(content, name):
    return sum(1 for p in content["parts"] if name in p)


@rule("contents-alternate", "gemini", "https://github.com/NousResearch/hermes-agent/issues/55125 "
      "(multiturn requests alternate between user and model)")
def _(body):
    """What follows the results of tools may be a turn of the user of its own, as AI SDK sends it
    (@ai-sdk/google, convert-to-google-generative-ai-messages)."""
    contents = body["contents"]
    if not contents:
        yield "contents", "is empty"
    for i, content in enumerate(contents):
        if content.get("role", "user") not in ("user", "model"):
            yield f"contents.{i}.role", f"{content['role']!r} is neither user nor model"
        if i and content.get("role", "user") == contents[i - 1].get("role", "user") and \
                not count(contents[i - 1], "functionResponse"):
            yield f"contents.{i}.role", "two turns of one role"
        if not content.get("parts"):
            yield f"contents.{i}.parts", "is empty"
    if contents and contents[-1].get("role", "user") != "user":
        yield f"contents.{len(contents) - 1}.role", "the last turn is not the user's"


@rule("function-counts", "gemini", CALLS)
def _(body):
    """A turn of responses comes directly after a turn of calls, and has as many."""
    contents = body["contents"]
    for i, content in enumerate(contents):
        asked = count(content, "functionCall")
        after = contents[i + 1] if i + 1 < len(contents) else None
        if asked and (after is None or count(after, "functionResponse") != asked):
            yield f"contents.{i}", "not as many responses as calls"
        if asked and i == 0:
            yield f"contents.{i}", "a call turn comes after the user's"
        if count(content, "functionResponse") and (i == 0 or not count(contents[i - 1], "functionCall")):
            yield f"contents.{i}", "responses to no call"
        if asked and after is not None:
            names = sorted(p["functionCall"]["name"] for p in content["parts"] if "functionCall" in p)
            told = sorted(p["functionResponse"]["name"] for p in after["parts"] if "functionResponse" in p)
            if names != told and len(told) == asked:
                yield f"contents.{i + 1}", f"responses of {told} to calls of {names}"


@rule("one-datum", "gemini", DOCS + "caching#Part (data is a union)")
def _(body):
    members = {"text", "inlineData", "functionCall", "functionResponse", "fileData", "executableCode",
               "codeExecutionResult"}
    for path, part in parts(body):
        if len(members & set(part)) != 1:
            yield path, f"has {sorted(members & set(part))}"


NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")


def declared(body):
    for i, tool in enumerate(body.get("tools") or []):
        for k, one in enumerate(tool.get("functionDeclarations") or []):
            yield f"tools.{i}.functionDeclarations.{k}", one


@rule("function-names", "gemini", DOCS + "caching#FunctionDeclaration")
def _(body):
    for path, one in declared(body):
        if not NAME.fullmatch(one["name"]):
            yield f"{path}.name", f"{one['name']!r} is not {NAME.pattern}"
        if "parameters" in one and "parametersJsonSchema" in one:
            yield f"{path}.parameters", "is there with parametersJsonSchema"


def each_schema(schema, path):
    yield path, schema
    for i, one in enumerate(schema.get("anyOf") or []):
        yield from each_schema(one, f"{path}.anyOf.{i}")
    if schema.get("items"):
        yield from each_schema(schema["items"], f"{path}.items")
    for name, one in (schema.get("properties") or {}).items():
        yield from each_schema(one, f"{path}.properties.{name}")


@rule("schema-subset", "gemini", SCHEMA)
def _(body):
    wanted = [(f"{path}.parameters", one["parameters"]) for path, one in declared(body) if "parameters" in one]
    generation = body.get("generationConfig") or {}
    if "responseSchema" in generation:
        wanted.append(("generationConfig.responseSchema", generation["responseSchema"]))
    for path, schema in wanted:
        for where, one in each_schema(schema, path):
            kind = one.get("type", "").upper()
            if "enum" in one and kind and kind != "STRING":
                yield f"{where}.enum", f"of a {kind}: only a STRING has one"
            if kind == "ARRAY" and not one.get("items"):
                yield f"{where}.items", "is missing"
            lost = set(one.get("required") or []) - set(one.get("properties") or {})
            if lost:
                yield f"{where}.required", f"{sorted(lost)} are no properties"


@rule("stops", "gemini", DOCS + "generate-content#generationconfig")
def _(body):
    stops = (body.get("generationConfig") or {}).get("stopSequences") or []
    if len(stops) > STOPS:
        yield "generationConfig.stopSequences", f"{len(stops)}, and {STOPS} are the most"
    if "" in stops:
        yield "generationConfig.stopSequences", "one is empty"


@rule("response-forms", "gemini", DOCS + "generate-content#generationconfig")
def _(body):
    generation = body.get("generationConfig") or {}
    forms = [n for n in ("responseSchema", "responseJsonSchema") if n in generation]
    if len(forms) > 1:
        yield "generationConfig.responseJsonSchema", "is there with responseSchema"
    if forms and generation.get("responseMimeType") not in ("application/json", "text/x.enum"):
        yield f"generationConfig.{forms[0]}", "needs a responseMimeType"
    if "logprobs" in generation and not generation.get("responseLogprobs"):
        yield "generationConfig.logprobs", "needs responseLogprobs"


@rule("calling-modes", "gemini", DOCS + "caching#FunctionCallingConfig")
def _(body):
    calling = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
    names = calling.get("allowedFunctionNames")
    if names and calling.get("mode") not in ("ANY", "VALIDATED"):
        yield "toolConfig.functionCallingConfig.allowedFunctionNames", "is for ANY and VALIDATED"
    if set(names or []) - {one["name"] for _, one in declared(body)}:
        yield "toolConfig.functionCallingConfig.allowedFunctionNames", "names what is not declared"
    if calling.get("mode") in ("ANY", "VALIDATED") and not body.get("tools"):
        yield "toolConfig", "forces a function where none is declared"


MEDIA = set("""image/png image/jpeg image/webp image/heic image/heif image/gif application/pdf text/plain
text/html text/css text/csv text/xml text/rtf text/markdown text/md text/javascript text/x-python application/json
application/x-javascript application/x-python application/rtf application/xml audio/wav audio/mp3 audio/mpeg
audio/aiff audio/aac audio/ogg audio/flac audio/m4a audio/opus audio/pcm audio/webm video/mp4 video/mpeg video/mov
video/quicktime video/avi video/x-flv video/mpg video/webm video/wmv video/3gpp""".split())


@rule("media-types", "gemini", "https://ai.google.dev/gemini-api/docs/file-input-methods#supported-content-types")
def _(body):
    for path, part in parts(body):
        for name in ("inlineData", "fileData"):
            kind = part.get(name, {}).get("mimeType")
            if name in part and kind not in MEDIA and (name == "inlineData" or kind is not None):
                yield f"{path}.{name}.mimeType", f"{kind!r} is not supported"


THINKING = "https://ai.google.dev/gemini-api/docs/thinking#set-budget"


@rule("thinking-by-model", "gemini", THINKING, "model")
def _(body, model):
    thinking = (body.get("generationConfig") or {}).get("thinkingConfig") or {}
    budget, where = thinking.get("thinkingBudget"), "generationConfig.thinkingConfig"
    if budget is not None and "thinkingLevel" in thinking:
        yield where, "thinkingBudget and thinkingLevel"
    model = model or ""
    if thinking and "gemini-2.0" in model:
        yield where, f"{model} does not think"
    if "thinkingLevel" in thinking and "gemini-2.5" in model:
        yield f"{where}.thinkingLevel", f"{model} has budgets"
    lowest = {"gemini-2.5-pro": 128, "gemini-2.5-flash-lite": 512}
    for name, low in lowest.items():
        if name in model and budget is not None and budget not in (-1,) and budget < low and (
                budget or name == "gemini-2.5-pro"):
            yield f"{where}.thinkingBudget", f"{budget} is below {low}"


@rule("json-with-tools", "gemini",
      "https://ai.google.dev/gemini-api/docs/structured-output#structured_outputs_with_tools",
      "model")
def _(body, model):
    generation = body.get("generationConfig") or {}
    if re.search(r"gemini-[12]\.", model or "") and body.get("tools") and (
            generation.get("responseMimeType") == "application/json"):
        yield "generationConfig.responseMimeType", f"{model} has no function calls with JSON"
