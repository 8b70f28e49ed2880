/* routes/messages/message_schema: the schema of a tool, as OpenAI's functions take it.  Pure.
 *
 * Anthropic's API takes an object's schema without properties, and null for a keyword that is not there.
 * OpenAI refuses both ("object schema missing properties", "None is not of type 'array'").  Source:
 * "Function calling" in OpenAI's documentation, and the texts of its errors. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* message_schema_put: appends the schema, an object; with its own bytes if there is nothing to mend.
 * False: out is full. */
bool message_schema_put(const struct json_doc *d, json_at schema, struct buf *out) MUST_USE;
