/* provider/openai/openai: the parts of OpenAI's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "provider/decode.h"

/* The members of a chunk or completion that matter; JSON_ABSENT: not there. */
struct openai_top {
	json_at    id;
	json_at    object;
	json_at    created;
	json_at    model;
	json_at    choices;
	json_at    usage;
	json_at    error;
	struct str usage_cut; /* the member "usage" with one neighbouring comma, empty: none */
};

/* A key by its text; plain keys are compared where they stand. */
static inline bool openai_key_is(const struct json_doc *doc, json_at key, const char *text,
				 size_t n)
{
	const struct json_tok *t = &doc->tok[key];

	if (t->flags & JSON_ESCAPED)
		return json_is(doc, key, text);
	return t->len == n + 2 && memcmp(doc->text + t->at + 1, text, n) == 0;
}
#define OPENAI_KEY(doc, key, literal) openai_key_is(doc, key, "" literal, sizeof(literal) - 1)

/* openai_top_read: one walk over the members of the root; all absent when it is no object. */
void openai_top_read(const struct json_doc *doc, struct openai_top *ret);
/* openai_member_cut: the member at key with one neighbouring comma: from `front`, the end of the
 * value before it, or, where it is the first (0), to the next key. */
struct str openai_member_cut(const struct json_doc *doc, json_at object, json_at key, size_t front);
/* openai_scan_event, openai_scan_body: a stream's event, or a whole answer, into d->doc.
 * Errors: what is no JSON; an event named error that is none says what went wrong. */
enum errc openai_scan_event(struct decode *d, struct str name, struct str text,
			    struct err *e) MUST_USE;
enum errc openai_scan_body(struct decode *d, struct str body, struct err *e) MUST_USE;
/* openai_answer: the members of what was scanned; event: its name, which may be error; NULL: a
 * whole answer.  Errors: what is no object, and what the provider says in one that is an error. */
enum errc openai_answer(const struct decode *d, const struct str *event, struct openai_top *ret,
			struct err *e) MUST_USE;
/* openai_truthy: as JavaScript's clients would test it; false for JSON_ABSENT. */
bool openai_truthy(const struct json_doc *doc, json_at i);
/* openai_usage: false when i is no usage object. */
bool openai_usage(const struct json_doc *doc, json_at i, struct usage *ret);
/* openai_finish_word: the finish reason in OpenAI's words; empty: none (null, "").  *ret_changed:
 * it is not what the provider wrote.  Errors: the provider says that it failed. */
enum errc openai_finish_word(const struct json_doc *doc, json_at i, struct str *ret,
			     bool *ret_changed, struct err *e);

/* openai_native: why a choice ended in the provider's own word (OpenRouter: in that of the one
 * behind it). */
struct str openai_native(const struct json_doc *doc, json_at choice);

/* openai_has_parts: the content of some message in choices is a list of parts. */
bool openai_has_parts(const struct json_doc *doc, json_at choices);
/* openai_join_parts: doc's text with such lists made strings, and their thinking
 * reasoning_content. */
bool openai_join_parts(const struct json_doc *doc, json_at choices, struct buf *out) MUST_USE;

enum errc openai_decode_event(struct decode *d, struct str name, struct str data, struct err *e);

/* openai_error: what an error object in an answer with status 200 says; d->doc holds it.  where:
 * the error member's value, or the root.  Always returns an error. */
enum errc openai_error(const struct decode *d, json_at where, struct err *e);
/* openai_error_plain: the same for a text that is no JSON. */
enum errc openai_error_plain(const struct decode *d, struct str text, struct err *e);
/* openai_is_error: the root is an error in one of the shapes seen; *ret_where: the object or string
 * that says what.  top: zeroed where the root is no object. */
bool openai_is_error(const struct json_doc *doc, const struct openai_top *top, json_at *ret_where);
void openai_decode_error(const struct decode *d, int status, struct str body, struct err *e);
