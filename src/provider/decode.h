/* provider/decode: what the readers of all dialects share: pieces that are handed on, and members that
 * are read with care.  Internal to provider/. */
#pragma once

#include "provider/dialect.h"

/* decode_bad: the error of an answer that breaks its API's rules: "the provider sent WHAT". */
enum errc decode_bad(struct err *e, const char *what);

static inline void decode_give(struct decode *d, struct event ev)
{
	d->on_event(d->arg, &ev);
}
/* decode_start: START, in front of the first piece, once. */
void decode_start(struct decode *d, struct str id, struct str model);
/* decode_piece: a piece of text; an empty one is none. */
void decode_piece(struct decode *d, enum event_kind kind, struct str text);
/* decode_end: FINISH, with the reason in OpenAI's words and in the provider's own.  Usage stands behind
 * it, as OpenAI's clients look for it in the last chunk; NULL, or not known: none. */
void decode_end(struct decode *d, struct str word, struct str native, const struct usage *usage);

/* decode_text: a member's string, still escaped; empty where it is absent or null.  False: it is of
 * another kind. */
bool decode_text(const struct json_doc *doc, json_at obj, const char *key, struct str *ret);
/* decode_count: a member's number of tokens; 0 for what is no count. */
int64_t decode_count(const struct json_doc *doc, json_at obj, const char *key);
