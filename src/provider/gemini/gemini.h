/* provider/gemini/gemini: the parts of Gemini's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"

/* The beginning of ids that the gateway makes for calls without one; such ids are not sent back. */
#define GEMINI_MADE_ID "gemini_"

extern const struct dialect_embed gemini_embed;
enum errc gemini_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e);
/* gemini_place: prints "/models/NAME:generateContent", or the method for streams. */
bool gemini_place(const struct provider_options *o, const struct prompt *p, struct buf *out);

/* gemini_schema_put: prints `,"simple":schema` if the API's own kind of schema can express all of
 * it, else `,"full":schema`; full is the name of the member that takes JSON Schema. False: out is
 * full, or memory is short. */
bool gemini_schema_put(struct str schema, const char *simple, const char *full, struct buf *out);
/* gemini_schema_empty: whether a schema is an object without properties, which the API refuses: the
 * member must be left out. */
bool gemini_schema_empty(struct str schema);
