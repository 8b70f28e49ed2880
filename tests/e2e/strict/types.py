"""The packages' own types as judges: pydantic's schemas of them, made strict all the way down.

As they are, they let much pass: unknown members, an Iterable whose items nobody looks at, enumerations that take
any word, and numbers as texts.
"""

import functools
import json
import re

from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

from strict.rules import Breach


def _literals(field):
    """The words that a field may hold; none where it may hold others."""
    schema = field["schema"]
    while schema["type"] in ("default", "nullable", "function-after"):
        schema = schema["schema"]
    return schema["expected"] if schema["type"] == "literal" else []


def _telling(name, otherwise=None):
    """What tells an object's choice: its word, in marks, for no member has such a name (see _path)."""
    def tell(value):
        word = value.get(name, otherwise) if isinstance(value, dict) else None
        return f"<{word}>" if isinstance(word, str) else None
    return tell


class Tightener:
    """Makes one schema strict, in place."""

    def __init__(self, schema, drop=(), open_models=(), optional=()):
        self.drop = drop
        self.optional = {}
        for name, member in optional:
            self.optional.setdefault(name, []).append(member)
        self.open = open_models
        self.plain = []  # unions that stay what they are
        self.definitions = {d["ref"]: d for d in schema.get("definitions", [])}

    def target(self, schema):
        while schema["type"] in ("definition-ref", "function-before", "model", "nullable"):
            schema = (self.definitions[schema["schema_ref"]] if schema["type"] == "definition-ref"
                      else schema["schema"])
        return schema

    def walk(self, schema):
        if isinstance(schema, dict):
            if isinstance(schema.get("type"), str):
                self.tighten(schema)
            for key, value in schema.items():
                if key not in ("metadata", "serialization"):
                    self.walk(value)
        elif isinstance(schema, (list, tuple)):
            for value in schema:
                self.walk(value)
        return schema

    def tighten(self, schema):
        kind = schema["type"]
        if kind == "generator":
            schema["type"] = "list"
        elif kind in ("typed-dict", "model-fields") and "extras_schema" not in schema:
            schema["extra_behavior"] = "ignore" if schema.get("model_name") in self.open else "forbid"
            for name in self.optional.get(getattr(schema.get("cls"), "__name__", None), ()):
                schema["fields"][name] = {**schema["fields"].get(name, ANY), "required": False}
        elif kind == "enum":
            words = [m.value for m in schema["members"]]
            if schema["cls"].__name__ in ("Type", "ThinkingLevel"):  # Google's own examples write these small, too
                words += [w.lower() for w in words]
            schema.clear()
            schema.update(type="literal", expected=words)
        elif kind == "function-before":  # they let the packages' own users write something shorter
            inner = schema["schema"]
            schema.clear()
            schema.update(inner)
            self.tighten(schema)
        elif kind == "tagged-union" and isinstance(schema["discriminator"], str):
            name = schema["discriminator"]
            schema["choices"] = {f"<{word}>": one for word, one in schema["choices"].items()}
            schema["discriminator"] = _telling(name)
        elif kind == "union" and not any(schema is p for p in self.plain):
            self.untangle(schema)

    def untangle(self, union):
        """A union of objects that a member tells apart has one error for each fault, not one for each choice."""
        choices = [c[0] if isinstance(c, tuple) else c for c in union["choices"]]
        choices = [c for c in choices if not self.dropped(c)]
        union["choices"] = choices = choices or union["choices"]
        objects = [c for c in choices if self.target(c)["type"] in ("typed-dict", "model-fields")]
        for name in ("type", "role"):
            fields = [self.target(c)["fields"].get(name) for c in objects]
            if len(objects) > 1 and all(f and _literals(f) for f in fields):
                self.tag(union, choices, objects, name)
                return

    def dropped(self, schema):
        if schema["type"] == "definition-ref":
            return self.dropped(self.definitions[schema["schema_ref"]])
        if schema["type"] == "tagged-union":
            return all(self.dropped(c) for c in schema["choices"].values())
        return schema["type"] in self.drop

    def tag(self, union, choices, objects, name):
        tagged, optional = {}, None
        for choice in objects:
            field = self.target(choice)["fields"][name]
            if not field.get("required", True) or field["schema"]["type"] == "default":
                optional = optional or _literals(field)[0]
            for word in _literals(field):
                tagged.setdefault(f"<{word}>", []).append(choice)
        same = {w: c[0] if len(c) == 1 else {"type": "union", "choices": c} for w, c in tagged.items()}
        self.plain += [u for w, u in same.items() if len(tagged[w]) > 1]
        one = {"type": "tagged-union", "choices": same, "discriminator": _telling(name, optional)}
        rest = [c for c in choices if not any(c is o for o in objects)]
        if rest:
            union["choices"] = [*rest, one]
        else:
            del union["choices"]
            union.update(one)


ANY = {"type": "typed-dict-field", "schema": {"type": "any"}}
STREAM = {"type": "typed-dict-field", "required": False,
          "schema": {"type": "nullable", "schema": {"type": "bool"}}}


def strict_validator(of, drop=(), open_models=(), stream=False, optional=()):
    """A validator of one type, in which nothing is unknown and no value is turned into another.

    drop: kinds of schemas that no union may choose.  open_models: models whose unknown members are ignored, not
    refused.  stream: the type is the common part of a streamed and another one.  optional: (type, member) that the
    package requires or does not know, and the API takes or leaves.
    """
    adapter = TypeAdapter(of)
    adapter.rebuild(force=True, raise_errors=True)
    schema = _copy(adapter.core_schema)
    tightener = Tightener(schema, drop, open_models, optional)
    root = schema["schema"] if schema["type"] == "definitions" else schema
    if stream:
        tightener.target(root)["fields"]["stream"] = STREAM
    # Validators that the models were built with would stand in for what is made strict here.
    return SchemaValidator(tightener.walk(schema), _use_prebuilt=False)


def _copy(schema):
    """Copies what is changed: what the schema points to are the packages' own classes."""
    if isinstance(schema, dict):
        return {k: v if k in ("metadata", "serialization") else _copy(v) for k, v in schema.items()}
    if isinstance(schema, list):
        return [_copy(v) for v in schema]
    if isinstance(schema, tuple):
        return tuple(_copy(v) for v in schema)
    return schema


LONE = re.compile(rb"\\u[dD][89a-fA-F]")

# kind: a function that gives the validator and the name of what judges; each dialect adds its own
MAKERS = {}
# (kind, path with * for indices): why a member that the types do not know is right there
KNOWN = {}
# kind: what else the package itself says of a valid body
MORE = {}


def types_of(*kinds):
    """Marks a function that makes (validator, source) for kinds; beta: whether beta members may be there."""
    def add(make):
        for kind in kinds:
            MAKERS[kind] = functools.cache(make)
        return make
    return add


def get_ready(kinds):
    """Makes the validators of kinds, which takes a second: too long while a test measures its gateway's time."""
    for kind in kinds:
        for beta in {False, kind.startswith("anthropic")}:
            MAKERS[kind](beta)


def _path(loc, value):
    """Where in the body an error is: what names no member, as a union's choices do, is left out."""
    path = []
    for step in loc:
        if (isinstance(value, dict) and step in value) or (
                isinstance(value, list) and isinstance(step, int) and step < len(value)):
            value = value[step]
            path.append(str(step))
    return path


def _known(kind, path, error, value):
    """Whether KNOWN has a member that is too many, or the word by which a choice should be told."""
    name = ".".join("*" if p.isdigit() else p for p in path)
    if error == "union_tag_invalid":
        for step in path:
            value = value[int(step) if isinstance(value, list) else step]
        name += f"={value.get('type')}"
    elif error != "extra_forbidden":
        return False
    return (kind, name) in KNOWN


def _judge(kind, source, validator, body, value):
    """What the validator makes of a body, and the breaches it finds."""
    if LONE.search(body):  # half of a pair, escaped: JSON's grammar has it, pydantic's reader does not
        body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    try:
        return validator.validate_json(body, strict=True, by_alias=True, by_name=False), []
    except ValidationError as error:
        told = {}
        for one in error.errors(include_url=False, include_context=False, include_input=False):
            path = _path(one["loc"], value)
            if one["type"] == "missing":
                path.append(str(one["loc"][-1]))
            told.setdefault(tuple(path), None if _known(kind, path, one["type"], value) else one["msg"])
        # A choice of a union that failed above what is wrong says nothing more.
        return None, [Breach("types", ".".join(path), text, source) for path, text in told.items()
                      if text and not any(len(p) > len(path) and p[:len(path)] == path for p in told)]


def judge_types(kind, body, value, beta):
    """What of a request's body the package's type refuses."""
    validator, source = MAKERS[kind](beta)
    made, found = _judge(kind, source, validator, body, value)
    if made is None or kind not in MORE:
        return found
    return [Breach("types", "", text, source) for text in MORE[kind](made)]


@functools.cache
def _answers(dialect, streamed):
    """The type of a dialect's whole answer (False), event of a stream (True), or embeddings ("vectors")."""
    if dialect in ("openai", "azure"):
        from openai.types import CreateEmbeddingResponse, chat
        of = {False: chat.ChatCompletion, True: chat.ChatCompletionChunk, "vectors": CreateEmbeddingResponse}
    elif dialect == "openai-responses":
        from openai.types import CreateEmbeddingResponse, responses
        of = {False: responses.Response, True: responses.ResponseStreamEvent,
              "vectors": CreateEmbeddingResponse}
    elif dialect == "anthropic":
        from anthropic import types
        of = {False: types.Message, True: types.RawMessageStreamEvent}
    elif dialect == "mistral":
        from mistralai.client import models
        of = {False: models.ChatCompletionResponse, True: models.CompletionChunk,
              "vectors": models.EmbeddingResponse}
    elif dialect == "ollama":
        import ollama
        of = {False: ollama.ChatResponse, True: ollama.ChatResponse, "vectors": ollama.EmbedResponse}
    else:
        from google.genai import types

        class Vectors(types._common.BaseModel):
            embeddings: list[types.ContentEmbedding]
            usage_metadata: types.UsageMetadata | None = None
        of = {False: types.GenerateContentResponse, True: types.GenerateContentResponse, "vectors": Vectors}
        if dialect == "gemini-interactions":
            from strict import interactions
            of |= interactions.answers()
    return strict_validator(of[streamed])


def judge_answer(dialect, streamed, value):
    """What of a scripted answer no real one is like: it is only as good as what the tests' providers say."""
    if dialect == "bedrock":
        from strict import bedrock
        return [Breach("types", "", text, "botocore's shapes") for text in bedrock.judge_answer(streamed, value)]
    body = json.dumps(value).encode()
    return _judge(dialect, "the answer's type", _answers(dialect, streamed), body, value)[1]
