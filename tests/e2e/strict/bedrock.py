"""Amazon Bedrock's Converse, as the service model of botocore has it."""

import base64
import functools
import json
import re

from strict.rules import rule
from strict.types import MORE, types_of

API = "https://docs.aws.amazon.com/bedrock/latest/APIReference/"


@functools.cache
def model():
    from botocore.loaders import Loader
    from botocore.model import ServiceModel
    return ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))


def _faults(shape, value, path):
    """What botocore's own validator leaves to the server: words, patterns, most, and base64."""
    told = shape.metadata
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        for name, inner in (value or {}).items():
            if name in shape.members:
                yield from _faults(shape.members[name], inner, f"{path}.{name}")
    elif shape.type_name == "list":
        for n, inner in enumerate(value or []):
            yield from _faults(shape.member, inner, f"{path}.{n}")
    elif shape.type_name == "string":
        if told.get("enum") and value not in told["enum"]:
            yield path, f"{value!r} is none of {told['enum']}"
        if told.get("pattern") and not re.fullmatch(told["pattern"], value):
            yield path, f"{value!r} is not {told['pattern']}"
        if len(value) > told.get("max", len(value)):
            yield path, f"has more than {told['max']} characters"
    elif shape.type_name in ("integer", "long", "float") and value > told.get("max", value):
        yield path, f"{value} is more than {told['max']}"
    elif shape.type_name == "blob":
        try:
            base64.b64decode(value, validate=True)
        except ValueError:
            yield path, f"{value[:40]!r} is no base64"


def faults(shape, value):
    """What of a value its shape does not allow: a list of texts."""
    from botocore.validate import ParamValidator
    report = ParamValidator().validate(value, shape)
    if report.has_errors():
        return report.generate_report().splitlines()
    return [f"{path}: {text}" for path, text in _faults(shape, value, "")]


class Reader:
    """In the place of a validator, which gives the value to MORE."""

    def validate_json(self, body, **_):
        return json.loads(body)


@types_of("bedrock")
def _converse(beta):
    import botocore
    return Reader(), f"botocore {botocore.__version__}, bedrock-runtime, Converse"


def _more(body):
    """The place has the model; without messages, the API wants a stored prompt, which nobody here has."""
    if "messages" not in body:
        return ["messages is missing"]
    return faults(model().shape_for("ConverseRequest"), {**body, "modelId": "m"})


MORE["bedrock"] = _more


def judge_answer(streamed, value):
    """As judge_answer of strict.types; an event is {its name: its object}."""
    return faults(model().shape_for("ConverseStreamOutput" if streamed else "ConverseResponse"), value)


def blocks(body):
    for i, message in enumerate(body["messages"]):
        for k, block in enumerate(message["content"]):
            yield f"messages.{i}.content.{k}", block


@rule("turns", "bedrock", API + "API_runtime_Message.html (the first is the user's, and roles alternate)")
def _(body):
    for i, message in enumerate(body["messages"]):
        if message["role"] != ("user", "assistant")[i % 2]:
            yield f"messages.{i}.role", f"{message['role']} at this place"
        if not message["content"]:
            yield f"messages.{i}.content", "is empty"


@rule("blank-blocks", "bedrock", "https://github.com/langchain-ai/langchain-aws/issues/96 "
      "(The text field in the ContentBlock object is blank)")
def _(body):
    for path, block in [*blocks(body), *((f"system.{n}", b) for n, b in enumerate(body.get("system") or []))]:
        if "text" in block and not block["text"].strip():
            yield f"{path}.text", "is blank"


@rule("tool-config", "bedrock", "https://github.com/BerriAI/litellm/issues/5747 "
      "(The toolConfig field must be defined when using toolUse and toolResult content blocks)")
def _(body):
    if "toolConfig" not in body:
        for path, block in blocks(body):
            if "toolUse" in block or "toolResult" in block:
                yield path, "there is no toolConfig"


@rule("tool-results", "bedrock", API + "API_runtime_ToolResultBlock.html")
def _(body):
    """The results of all calls stand in the next turn, and answer nothing else."""
    waiting, seen = [], set()
    for i, message in enumerate(body["messages"]):
        results = [b["toolResult"]["toolUseId"] for b in message["content"] if "toolResult" in b]
        if sorted(results) != sorted(waiting):
            yield f"messages.{i}", f"results of {results} where the calls are {waiting}"
        waiting = [b["toolUse"]["toolUseId"] for b in message["content"] if "toolUse" in b]
        if len(set(waiting)) < len(waiting) or seen & set(waiting):
            yield f"messages.{i}", "toolUseIds must be unique"
        seen |= set(waiting)
    if waiting:
        yield f"messages.{len(body['messages']) - 1}", f"calls without a result: {waiting}"


@rule("document-names", "bedrock", API + "API_runtime_DocumentBlock.html")
def _(body):
    names = []
    for path, block in blocks(body):
        inner = [block, *block.get("toolResult", {}).get("content", [])]
        for name in [b["document"]["name"] for b in inner if "document" in b]:
            if not re.fullmatch(r"(?!.*\s\s)[\w\s\-()\[\]]+", name, re.ASCII):
                yield path, f"{name!r} has other characters, or two blanks"
            if name in names:
                yield path, f"{name!r} is there twice"
            names.append(name)


@rule("cache-points", "bedrock", "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html")
def _(body):
    lists = [body.get("system") or [], (body.get("toolConfig") or {}).get("tools") or [],
             *[m["content"] for m in body["messages"]]]
    for items in lists:
        if items and "cachePoint" in items[0]:
            yield "", "a cachePoint without anything before it"
    if sum("cachePoint" in item for items in lists for item in items) > 4:
        yield "", "more than four cachePoints"
