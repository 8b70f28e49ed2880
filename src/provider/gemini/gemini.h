/* provider/gemini/gemini: the parts of Gemini's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"

struct arena;
struct ask;

/* The beginning of ids that the gateway makes for calls without one; such ids are not sent back. */
#define GEMINI_MADE_ID "gemini_"

extern const struct dialect_embed gemini_embed;
enum errc gemini_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e);
/* gemini_place: prints "/models/NAME:generateContent", or the method for streams. */
bool gemini_place(const struct provider_options *o, const struct prompt *p, struct buf *out);

/* The abilities of a model. All zero: it does not think. */
struct gemini_model {
	int      least;   /* tokens of a budget for thinking */
	int      most;    /* 0: the model has no budgets */
	bool     off;     /* a budget of 0 is taken, too */
	unsigned levels;  /* bits of the file that reads them; 0: the model has no levels */
	bool     fetches; /* the API fetches files by https for it */
	bool     newer;   /* Gemini 3 or later: media in results of functions, JSON beside tools */
};
/* gemini_model_of: the row for the prompt's model; for an unknown one, the newest's. */
const struct gemini_model *gemini_model_of(const struct prompt *p);
/* gemini_effort_put: prints reasoning_effort as a thinkingConfig, with a comma as ask_put_comma does;
 * warns of an effort that the model lacks (parameter_clamped). Errors: INVALID_VALUE,
 * REQUEST_TOO_LARGE. */
enum errc gemini_effort_put(const struct prompt *p, bool *first, struct buf *out,
			    struct err *e) MUST_USE;

/* gemini_schema_put: prints `,"simple":schema` if the API's own kind of schema can express all of
 * it, else `,"full":schema`; full is the name of the member that takes JSON Schema. False: out is
 * full, or memory is short. */
bool gemini_schema_put(struct str schema, const char *simple, const char *full, struct buf *out);
/* gemini_schema_empty: whether a schema is an object without properties, which the API refuses: the
 * member must be left out. */
bool gemini_schema_empty(struct str schema);
