/* provider/openai/embed: embeddings, as OpenAI asks for them and answers.  Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"
#include "provider/embed_want.h"

/* For providers that speak OpenAI: what they answer goes through byte for byte where it is as it
 * was wanted, else with the vectors in the other form and in their order. */
extern const struct dialect_embed embed_openai;
enum errc embed_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
		       struct err *e);
enum errc embed_decode(struct decode *d, const struct embed_want *want, struct str body,
		       struct err *e);

/* embed_scan: the body of an answer, an object, into d->doc, folded; errors: what is none, and what
 * the provider says is one. */
enum errc embed_scan(struct decode *d, struct str body, struct err *e) MUST_USE;

/* A list put together for providers that answer otherwise. */
struct embed_list {
	const struct embed_want *want; /* borrowed */
	struct buf               out;
	size_t                   count;
};

void      embed_list_begin(struct embed_list *l, const struct embed_want *want);
enum errc embed_list_floats(struct embed_list *l, const float *v, size_t n, struct err *e) MUST_USE;
/* embed_list_end: the whole list is in out then; model is escaped, empty: the one that was
 * asked. */
enum errc embed_list_end(struct embed_list *l, struct str model, const struct usage *usage,
			 struct err *e) MUST_USE;
/* embed_list_give: ends it and hands it on; rc: how the dialect fared.  The list is gone. */
enum errc embed_list_give(struct embed_list *l, struct decode *d, enum errc rc, struct str model,
			  const struct usage *usage, struct err *e) MUST_USE;

/* embed_list_vectors: the arrays of the answer's member embeddings; key: within each of its
 * objects. */
enum errc embed_list_vectors(struct embed_list *l, const struct json_doc *doc, const char *key,
			     struct err *e) MUST_USE;
/* embed_list_usage: a member of obj that counts the request's tokens. */
struct usage embed_list_usage(const struct json_doc *doc, json_at obj, const char *key);

/* embed_texts_only: for dialects that take no tokens. */
enum errc embed_texts_only(const struct prompt *p, const char *dialect, struct err *e) MUST_USE;
/* embed_put: for those that know OpenAI's request but for some members: a table of ask_param. */
struct ask_param;
enum errc embed_put(const struct prompt *p, const struct ask_param *table, const char *dialect,
		    struct buf *out, struct err *e) MUST_USE;
