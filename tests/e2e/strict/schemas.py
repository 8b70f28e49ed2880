"""Reads JSON schemas, of which each provider takes another part."""

# Where a schema holds others: as one, in a list, by name.
ONE = ("items", "additionalProperties", "not", "contains", "if", "then", "else", "propertyNames",
       "unevaluatedProperties", "unevaluatedItems", "additionalItems")
LIST = ("anyOf", "oneOf", "allOf", "prefixItems")
NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")


def each(schema, path):
    """(path, schema) of a schema and of all in it."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for key in ONE:
        yield from each(schema.get(key), f"{path}.{key}")
    for key in LIST:
        for i, one in enumerate(schema.get(key) or []):
            yield from each(one, f"{path}.{key}.{i}")
    for key in NAMED:
        for name, one in (schema.get(key) or {}).items():
            yield from each(one, f"{path}.{key}.{name}")


def is_object(schema):
    kind = schema.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind)
