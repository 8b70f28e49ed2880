/* provider/gemini/gemini: the parts of Gemini's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"

struct arena;
struct ask;

/* Replaces a signature that the client did not send back, or that a call of another model never
 * had: newer models refuse a request without any signature. Google's page on signatures names this
 * value for the purpose. */
#define GEMINI_NO_SIGNATURE "skip_thought_signature_validator"

extern const struct dialect_embed gemini_embed;
enum errc gemini_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e);
/* gemini_decode_error: decode_error of struct dialect. */
void gemini_decode_error(const struct decode *d, int status, struct str body, struct err *e);
/* gemini_native: appends the request of p->native.  Errors: those of gemini_config_put. */
enum errc gemini_native(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e) MUST_USE;
/* gemini_carry: the next event carries the object in d->doc; from one on that has a secret, the answer is told by events
 * alone. */
void gemini_carry(struct decode *d);
/* gemini_config_put: appends the members of generationConfig that a prompt makes, with commas as ask_put_comma does.
 * Errors: INVALID_VALUE, REQUEST_TOO_LARGE. */
enum errc gemini_config_put(const struct ask *a, bool *first, struct buf *out,
			    struct err *e) MUST_USE;
/* gemini_bare: a model's name without the prefix models/ of the API's own lists. */
struct str gemini_bare(struct str model);
/* gemini_place: prints "/models/NAME:generateContent", or the method for streams or counts. */
bool gemini_place(const struct provider_options *o, const struct prompt *p, struct buf *out);

/* gemini_warn_of_tools: warns of what the API has no member for. */
void gemini_warn_of_tools(const struct ask *a);

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
/* gemini_media_fit: changes a copy of an ask: images and documents in results of tools come after
 * the results where the model takes them there alone. What is made is in the arena. Errors:
 * UNSUPPORTED_PARAMETER with its path for an address that the model does not fetch; OVERLOADED.
 * gemini_type_of: the media type of a file, by the end of the URI's path; empty: the API must know the type, as
 * it does for its own files, or reports the lack. */
enum errc  gemini_media_fit(struct ask *a, struct arena *arena, struct err *e) MUST_USE;
struct str gemini_type_of(struct str uri);
/* gemini_takes_tools: whether the request's tools are sent.  gemini_takes_format: the same of its response_format, which
 * older models don't take beside tools; warns of one that is not sent. */
bool gemini_takes_tools(const struct ask *a);
bool gemini_takes_format(const struct ask *a);
/* gemini_level: the level of thinking that reasoning_effort means for the prompt's model, for an API that has no
 * budgets; warns as gemini_effort_put does.  *ret: NULL: nothing is to be sent.  *ret_told: the client gets the
 * thoughts.  Errors: INVALID_VALUE. */
enum errc gemini_level(const struct prompt *p, const char **ret, bool *ret_told,
		       struct err *e) MUST_USE;
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
