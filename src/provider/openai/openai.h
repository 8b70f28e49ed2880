/* provider/openai/openai: the parts of OpenAI's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "provider/decode.h"

/* The members of a chunk or completion that matter; JSON_ABSENT: none. */
struct openai_top {
	json_at    id;
	json_at    object;
	json_at    created;
	json_at    model;
	json_at    choices;
	json_at    usage;
	json_at    error;
	json_at    aside;     /* Groq's own members, which may have the usage of a stream */
	struct str usage_cut; /* the member "usage" with one neighbouring comma; empty: none */
};

/* openai_key_is: whether a key is text, which has n bytes. A key without escapes is compared in
 * place. */
static inline bool openai_key_is(const struct json_doc *doc, json_at key, const char *text,
				 size_t n)
{
	const struct json_tok *t = &doc->tok[key];

	if (t->flags & JSON_ESCAPED)
		return json_is(doc, key, text);
	return t->len == n + 2 && memcmp(doc->text + t->at + 1, text, n) == 0;
}
#define OPENAI_KEY(doc, key, literal) openai_key_is(doc, key, "" literal, sizeof(literal) - 1)

/* openai_top_read: reads the members of the root in one walk; all are absent if the root is no
 * object. */
void openai_top_read(const struct json_doc *doc, struct openai_top *ret);
/* openai_member_cut: the text of the member at key with one neighbouring comma. front: the end of
 * the value before the key, from which the text is cut; 0: the member is the first, and is cut up
 * to the next key. */
struct str openai_member_cut(const struct json_doc *doc, json_at object, json_at key, size_t front);
/* openai_scan_event, openai_scan_body: scan an event of a stream, or a plain answer, into d->doc.
 * Errors: UPSTREAM_BAD_RESPONSE for text that is no JSON; but in an event named error, such text is
 * the provider's error. */
enum errc openai_scan_event(struct decode *d, struct str name, struct str text,
			    struct err *e) MUST_USE;
enum errc openai_scan_body(struct decode *d, struct str body, struct err *e) MUST_USE;
/* openai_answer: reads the members of the scanned text. event: the name of the event; NULL: a plain
 * answer. Errors: UPSTREAM_BAD_RESPONSE for a text that is no object; the provider's error if the
 * text, or the event's name, says that there is one. */
enum errc openai_answer(const struct decode *d, const struct str *event, struct openai_top *ret,
			struct err *e) MUST_USE;
/* openai_truthy: whether JavaScript would take the value as true; false for JSON_ABSENT. */
bool openai_truthy(const struct json_doc *doc, json_at i);
/* openai_usage: reads a usage object. *ret_plain: a client of OpenAI's reads the same in it.  False:
 * i is none, or its counts are no numbers. */
bool openai_usage(const struct json_doc *doc, json_at i, struct usage *ret, bool *ret_plain);
/* openai_finish_word: a finish_reason in OpenAI's words; empty: none (null, ""). *ret_changed: the
 * provider wrote it otherwise. Errors: UPSTREAM_ERROR for a reason that reports a failure,
 * UPSTREAM_BAD_RESPONSE for one that is no string. */
enum errc openai_finish_word(const struct json_doc *doc, json_at i, struct str *ret,
			     bool *ret_changed, struct err *e);

/* openai_native: the finish reason of a choice in the provider's own word (OpenRouter: in the word
 * of the provider that it has asked). */
struct str openai_native(const struct json_doc *doc, json_at choice);

/* openai_join_parts: appends doc's text, with each list of parts in choices as a string, and the thinking in the
 * list as reasoning_content. False: out is full. */
bool openai_join_parts(const struct json_doc *doc, json_at choices, struct buf *out) MUST_USE;

enum errc openai_decode_event(struct decode *d, struct str name, struct str data, struct err *e);
/* openai_chunk_over: `over` of struct dialect. */
void openai_chunk_over(struct decode *d, bool well);

/* openai_error: fills e from an error object in an answer with status 200, which d->doc contains.
 * where: the value of the member error, or the root. Always returns an error. */
enum errc openai_error(const struct decode *d, json_at where, struct err *e);
/* openai_error_plain: the same for a text that is no JSON. */
enum errc openai_error_plain(const struct decode *d, struct str text, struct err *e);
/* openai_is_error: whether the root is an error, in one of the known forms. *ret_where: the object
 * or string that describes the error. top: zeroed if the root is no object. */
bool openai_is_error(const struct json_doc *doc, const struct openai_top *top, json_at *ret_where);
void openai_decode_error(const struct decode *d, int status, struct str body, struct err *e);
