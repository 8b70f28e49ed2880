/* provider/openai/embed: requests and answers of OpenAI's embeddings, and functions that other
 * dialects use to answer in OpenAI's form. Internal to provider/. */
#pragma once

#include "provider/dialect.h"
#include "provider/decode.h"

/* For providers that speak OpenAI's API. An answer in the wanted form is passed on byte for byte;
 * otherwise the vectors are converted and sorted. */
extern const struct dialect_embed embed_openai;
enum errc embed_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
		       struct err *e);
enum errc embed_decode(struct decode *d, const struct embed_want *want, struct str body,
		       struct err *e);

/* embed_scan: scans the body of an answer into d->doc, in which arrays of numbers have no tokens.
 * Errors: as openai_answer; OVERLOADED. */
enum errc embed_scan(struct decode *d, struct str body, struct err *e) MUST_USE;

/* A list in OpenAI's form, made from an answer in another form. */
struct embed_list {
	const struct embed_want *want; /* borrowed */
	struct buf               out;
	size_t                   count;
};

void      embed_list_begin(struct embed_list *l, const struct embed_want *want);
enum errc embed_list_floats(struct embed_list *l, const float *v, size_t n, struct err *e) MUST_USE;
/* embed_list_end: completes the list in out. model: JSON-escaped; empty: the model that was
 * asked. */
enum errc embed_list_end(struct embed_list *l, struct str model, const struct usage *usage,
			 struct err *e) MUST_USE;
/* embed_list_give: completes the list and gives it as events, if rc, the result of the dialect, is
 * ERR_OK. Frees the list in any case. */
enum errc embed_list_give(struct embed_list *l, struct decode *d, enum errc rc, struct str model,
			  const struct usage *usage, struct err *e) MUST_USE;

/* embed_list_vectors: adds the vectors in the answer's member embeddings. key: the member of each
 * element that is the vector; NULL: the element itself. */
enum errc embed_list_vectors(struct embed_list *l, const struct json_doc *doc, const char *key,
			     struct err *e) MUST_USE;
/* embed_list_usage: the usage from a member of obj that counts the request's tokens. */
struct usage embed_list_usage(const struct json_doc *doc, json_at obj, const char *key);

/* embed_texts_only: refuses an input of tokens, for dialects that take only texts. */
enum errc embed_texts_only(const struct prompt *p, const char *dialect, struct err *e) MUST_USE;
/* embed_put: prints the request for dialects whose request is OpenAI's except for the members in a
 * table (provider/ask_param). */
struct ask_param;
enum errc embed_put(const struct prompt *p, const struct ask_param *table, const char *dialect,
		    struct buf *out, struct err *e) MUST_USE;
