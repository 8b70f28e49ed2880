"""Makes values of a member from the types of a package that the API's owner publishes.

Each part of a union appears at least once, each word of a literal too, each object with only the members that it
must have and with all that it may have.  Where a made value would be silly, HAND has one for the name of the member
that it stands in.
"""

import json
import types
import typing

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
          "additionalProperties": False}
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")

# For any member of this name, however deep it stands.
HAND = {
    "parameters": SCHEMA, "input_schema": SCHEMA, "schema": SCHEMA, "url": "https://example.org/a.png",
    "image_url": f"data:image/png;base64,{PIXEL}", "file_data": "data:text/plain;base64,aGVsbG8=",
    "arguments": '{"city":"Oslo"}', "input": {"city": "Oslo"}, "name": "get_weather",
    "server_url": "https://example.org",
    "user_id": "ann", "image_data": PIXEL, "city": "Oslo", "budget_tokens": 2048, "server_label": "files",
    "definition": "start: /a+/", "effort": "low", "description": "tells the weather",
    "cache_control": {"type": "ephemeral"},
    "vector_store_ids": ["vs_1"], "path": "a.txt", "compact_threshold": 200000, "tools": [
        {"type": "function", "name": "get_weather", "parameters": SCHEMA, "strict": False}],
}
DEEP = 6  # of objects in objects; types may hold themselves


def stripped(annotation):
    """Without Annotated, Required and aliases that say nothing of values; whether it is required."""
    required = False
    while True:
        origin = typing.get_origin(annotation)
        if origin in (typing.Required, typing.NotRequired):
            required = origin is typing.Required
            annotation = typing.get_args(annotation)[0]
        elif origin is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif isinstance(annotation, typing.TypeVar):
            annotation = annotation.__bound__ or str
        else:
            return annotation, required


def members(kind):
    """A TypedDict's or a model's members: name -> annotation."""
    if hasattr(kind, "model_fields"):
        return {field.alias or name: field.annotation for name, field in kind.model_fields.items()}
    return typing.get_type_hints(kind, include_extras=True)


def union(annotation):
    """The parts of a union, and of the unions in it; anything else is its own only part."""
    annotation, _ = stripped(annotation)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [part for arg in typing.get_args(annotation) for part in union(arg)]
    return [annotation]


def is_object(kind):
    return isinstance(kind, type) and hasattr(kind, "__annotations__") and kind not in (str, int)


def words(kind, key="type"):
    """The words by which an object's `type` (or another member) tells it from others."""
    found = members(kind).get(key)
    return [w for part in union(found) for w in typing.get_args(part)] if found else []


def tags(annotation, key="type"):
    """The words of all objects of a union."""
    return [w for part in union(annotation) if is_object(part) for w in words(part, key)]


def _object(kind, full, deep):
    made = {}
    for name, annotation in members(kind).items():
        inner, required = stripped(annotation)
        required = required or (not _optional(kind) and typing.get_origin(annotation) is not typing.NotRequired)
        if required or (full and deep < DEEP):
            made[name] = HAND[name] if name in HAND and not _literal(inner) else _first(inner, full, deep + 1)
    return made


def _first(annotation, full, deep):
    """A value of the first part; an object with all that it may have, if the one around it is so."""
    part = next(p for p in union(annotation) if p is not type(None))
    return _object(part, full, deep) if is_object(part) else next(v for _, v in values(part, deep))


def _optional(kind):
    """Its members may be left out unless they say otherwise."""
    return getattr(kind, "__total__", True) is False or not issubclass(kind, dict)


def _literal(annotation):
    return all(typing.get_origin(part) is typing.Literal for part in union(annotation) if part is not type(None))


def _label(value):
    kind = value.get("type", value.get("role")) if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else "object"


def values(annotation, deep=0):
    """(label, value) of each variant."""
    for part in union(annotation):
        origin = typing.get_origin(part)
        if part is type(None):
            continue
        if origin is typing.Literal:
            yield from ((json.dumps(w), w) for w in typing.get_args(part))
        elif part is bool:
            yield from [("true", True), ("false", False)] if deep == 0 else [("true", True)]
        elif part is int:
            yield "2", 2
        elif part is float:
            yield "0.5", 0.5
        elif is_object(part):
            least, full = _object(part, False, deep), _object(part, True, deep)
            yield _label(least), least
            if full != least:
                yield f"{_label(least)}, full", full
        elif origin in (dict, typing.Mapping) or part is dict or (origin and issubclass(origin, typing.Mapping)):
            inner = typing.get_args(part)[1] if typing.get_args(part) else str
            yield "object", {"50256": 2} if int in union(inner) else {"k": _first(inner, False, deep + 1)}
        elif origin is not None and issubclass(origin, typing.Iterable):
            yield from ((f"[{label}]", [value]) for label, value in values(typing.get_args(part)[0], deep))
        elif part is str:
            yield "text", "x"
        else:
            yield "text", "x"  # anything
