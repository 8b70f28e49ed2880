/* provider/gemini/gemini: the parts of Gemini's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"

/* In front of the ids that this side makes for calls: they are not sent back. */
#define GEMINI_MADE_ID "gemini_"

extern const struct dialect_embed gemini_embed;
enum errc gemini_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e);
/* gemini_place: "/models/NAME:generateContent", or the method that streams. */
bool gemini_place(const struct provider_options *o, const struct prompt *p, struct buf *out);

/* gemini_schema_put: `,"simple":schema` where the API's own schemas can say all of it, else
 * `,"full":schema`, the member that takes JSON Schema.  False: out is full, or memory is short. */
bool gemini_schema_put(struct str schema, const char *simple, const char *full, struct buf *out);
/* gemini_schema_empty: an object without any properties, which the API wants left out. */
bool gemini_schema_empty(struct str schema);
