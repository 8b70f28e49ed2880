"""OpenAI's Responses."""

from strict import schemas
from strict.openai_chat import NAME
from strict.rules import rule
from strict.types import KNOWN, strict_validator, types_of

KNOWN["responses", "client_metadata"] = "https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/common.rs"
# The other servers of this API take these: https://www.openresponses.org/reference (CreateResponseBody).
KNOWN.update({("responses", name): "https://www.openresponses.org/reference"
              for name in ("presence_penalty", "frequency_penalty")})
# What clients in wide use leave out, and the API takes all the same:
# https://github.com/vercel/ai/blob/main/packages/openai/src/responses/convert-to-openai-responses-input.ts
LEFT_OUT = {("ResponseInputImageParam", "detail"), ("FunctionToolParam", "strict"),
            ("ResponseOutputTextParam", "annotations"), ("ResponseOutputMessageParam", "id"),
            ("ResponseOutputMessageParam", "status"), ("ResponseOutputMessageParam", "type"),
            # and what Codex sends back of the items that it was given
            ("Message", "id"), ("EasyInputMessageParam", "id"), ("ResponseCustomToolCallParam", "status")}
CREATE = "https://platform.openai.com/docs/api-reference/responses/create"


@types_of("responses")
def _responses(beta):
    from openai import __version__
    from openai.types.responses import response_create_params as of
    return (strict_validator(of.ResponseCreateParamsBase, stream=True, optional=LEFT_OUT),
            f"openai {__version__}, types/responses/response_create_params.py")


@types_of("responses.count")
def _count(beta):
    from openai import __version__
    from openai.types.responses.input_token_count_params import InputTokenCountParams
    return (strict_validator(InputTokenCountParams, ("model",), optional=LEFT_OUT),
            f"openai {__version__}, types/responses/input_token_count_params.py")


def items(body):
    return list(enumerate(body["input"] if isinstance(body.get("input"), list) else []))


@rule("items-pair", "responses", "https://github.com/openai/openai-agents-python/issues/673 "
      "(No tool output found for function call)")
def _(body):
    """Each output follows its call, and each call has an output."""
    if body.get("previous_response_id") or body.get("conversation"):
        return
    for kind, output in (("function_call", "function_call_output"),
                         ("custom_tool_call", "custom_tool_call_output")):
        open_calls = {}
        for i, item in items(body):
            if item.get("type") == kind:
                if item["call_id"] in open_calls:
                    yield f"input.{i}.call_id", "an id is there twice"
                open_calls[item["call_id"]] = i
            elif item.get("type") == output and open_calls.pop(item["call_id"], None) is None:
                yield f"input.{i}.call_id", "answers no call before it"
        for i in open_calls.values():
            yield f"input.{i}", "a call without an output"


@rule("items-empty", "responses", CREATE + "#responses-create-input")
def _(body):
    if body.get("input") in ([], ""):
        yield "input", "is empty"


@rule("item-names", "responses", CREATE + "#responses-create-tools")
def _(body):
    for i, tool in enumerate(body.get("tools") or []):
        if tool["type"] in ("function", "custom") and not NAME.fullmatch(tool["name"]):
            yield f"tools.{i}.name", f"is not {NAME.pattern}"
    for i, item in items(body):
        if item.get("type") in ("function_call", "custom_tool_call") and not NAME.fullmatch(item["name"]):
            yield f"input.{i}.name", f"is not {NAME.pattern}"


@rule("item-properties", "responses", "https://github.com/everruns/everruns/pull/984 "
      "(object schema missing properties)")
def _(body):
    for i, tool in enumerate(body.get("tools") or []):
        parameters = tool.get("parameters")
        if tool["type"] == "function" and parameters and schemas.is_object(parameters) and (
                "properties" not in parameters):
            yield f"tools.{i}.parameters", "an object without properties"


@rule("item-strict", "responses", "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas")
def _(body):
    wanted = [(f"tools.{i}.parameters", t["parameters"]) for i, t in enumerate(body.get("tools") or [])
              if t["type"] == "function" and t.get("strict") and t.get("parameters")]
    form = (body.get("text") or {}).get("format") or {}
    if form.get("strict"):
        wanted.append(("text.format.schema", form["schema"]))
    for path, schema in wanted:
        for where, one in schemas.each(schema, path):
            if schemas.is_object(one):
                if one.get("additionalProperties") is not False:
                    yield f"{where}.additionalProperties", "is not false"
                if set(one.get("required") or []) != set(one.get("properties") or {}):
                    yield f"{where}.required", "does not name each property"


@rule("choice-needs-tools", "responses", CREATE + "#responses-create-tool_choice")
def _(body):
    choice = body.get("tool_choice")
    if choice not in (None, "auto", "none") and not body.get("tools"):
        yield "tool_choice", "names a tool where none is"


@rule("state-excludes", "responses", CREATE + "#responses-create-previous_response_id")
def _(body):
    if body.get("previous_response_id") and body.get("conversation"):
        yield "previous_response_id", "is there with conversation"
