/* provider/anthropic/anthropic_schema: JSON Schemas in the subset that Anthropic's API can enforce, for the
 * format of answers and for strict tools.  Internal to the dialect.
 *
 * The API wants additionalProperties: false in each object, and refuses bounds of numbers, lengths and counts,
 * most formats, recursion, and references to elsewhere.  What it can't enforce moves to the description, where
 * the model reads it; all else stays as it came, byte for byte.  Source:
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations", and the
 * function transform_schema of the package anthropic 2.14, which does the same for clients. */
#pragma once

#include "base/buf.h"

/* The cost of a schema: the API limits the sums over all schemas of a request. */
struct anthropic_schema {
	unsigned    optional; /* properties that are not required */
	unsigned    unions;   /* anyOf, and lists of types */
	bool        narrowed; /* an object of any properties, within it, became one of none */
	bool        bare;     /* so did the schema itself */
	const char *fault;    /* why the schema can't be enforced; NULL: it can */
};

/* anthropic_schema_put: appends the schema in that subset.  If it has a fault, out is as before.  False: out is
 * full, or memory is short. */
bool anthropic_schema_put(struct str schema, struct anthropic_schema *ret,
			  struct buf *out) MUST_USE;
/* anthropic_schema_object: appends the schema of a tool's input: the API wants `"type":"object"` at its root.
 * schema is an object.  False: out is full, or memory is short. */
bool anthropic_schema_object(struct str schema, struct buf *out) MUST_USE;
