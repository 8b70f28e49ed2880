/* provider/openai/openai: the parts of OpenAI's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "msg/prompt.h"
#include "provider/decode.h"
#include "provider/dialect.h"

/* The members of a chunk or completion that matter; JSON_ABSENT: none. */
struct openai_top {
	json_at    id;
	json_at    object;
	json_at    created;
	json_at    model;
	json_at    choices;
	json_at    usage;
	json_at    error;
	json_at    tier;
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
/* openai_scan_object: a plain answer that has to be an object. */
enum errc openai_scan_object(struct decode *d, struct str body, struct err *e) MUST_USE;
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
/* openai_bill: the cost, if a usage has it, as OpenRouter and xAI tell it. */
void openai_bill(const struct json_doc *doc, json_at usage, struct usage *ret);
/* openai_class: the class that a value of service_tier names. */
enum usage_class openai_class(const struct json_doc *doc, json_at tier);
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

/* --- openai_call: the calls in a stream of OpenAI's chunks.  The pieces of a call should
 * name the call's index, and its first piece an id of its own, but servers number two calls alike,
 * or none, repeat an id, and leave ids and arguments out.  Internal to provider/openai. */

/* The suffix of an id that a provider has given to another call before, followed by a number: a
 * client pairs results with calls by their ids.  On its way back to the provider, the id loses it. */
#define OPENAI_CALL_TWIN "_parley_"

/* openai_call_read: finds the call of each piece in list, the tool_calls of one delta.
 * *ret_raw: set to false if a client would read the pieces otherwise.  Errors:
 * UPSTREAM_BAD_RESPONSE for a member of a wrong type, and for too many calls; OVERLOADED. */
enum errc openai_call_read(struct decode *d, uint32_t choice, json_at list, bool *ret_raw,
			   struct err *e) MUST_USE;
/* openai_call_take: the events of the next piece that was read, of which there are at most two; they
 * are valid until the next call.  Each piece that was read must be taken once. */
enum errc openai_call_take(struct decode *d, struct event ret[2], size_t *ret_count,
			   struct err *e) MUST_USE;
/* openai_call_numbered: whether the provider numbers the choice's calls; true if there is none. */
bool openai_call_numbered(const struct decode *d, uint32_t choice);
/* openai_call_bare: the next call of the choice that has no arguments: *ret_block.  Clients parse
 * the arguments as JSON, so such a call gets some, and fill is set.  False: there is none. */
bool openai_call_bare(struct decode *d, uint32_t choice, bool fill, uint32_t *ret_block);

/* openai_call_id_twin: appends an id for the nth call, from 2 on, to which the provider gave this one. */
bool openai_call_id_twin(struct str id, uint32_t nth, struct buf *out) MUST_USE;
/* openai_call_put_back: prints a message of a request with the ids as the provider gave them. */
bool openai_call_put_back(struct str message, struct buf *out) MUST_USE;
/* openai_call_hash: of an id, to compare it with others. */
uint64_t openai_call_hash(struct str s);

/* --- openai_mend: plain answers that clients would misread, written anew in OpenAI's
 * form: calls without ids or arguments, calls that share an id, arguments that are an object, content
 * that is a list of parts, and counts of tokens that stand elsewhere.  Internal to provider/openai. */

enum openai_mend {
	MEND_CALLS = 1,
	MEND_PARTS = 2,
	MEND_USAGE = 4,
};

/* openai_mend_look: what the answer needs, in bits of enum openai_mend; *ret_usage: its usage, not known if
 * there is none.  Errors: UPSTREAM_BAD_RESPONSE for a known member of a wrong type. */
enum errc openai_mend_look(const struct json_doc *doc, const struct openai_top *top, unsigned *ret,
			   struct usage *ret_usage, struct err *e) MUST_USE;
/* openai_mend: scans d->doc again from the text of the mended answer, which is left in out.  Errors:
 * UPSTREAM_BAD_RESPONSE for an answer that is too large; OVERLOADED. */
enum errc openai_mend(struct decode *d, unsigned needs, struct buf *out, struct err *e) MUST_USE;

/* --- openai_system: the system messages of a prompt as one, for servers that take one
 * alone, in the first place.  Internal to provider/.
 *
 * OpenAI has the roles system and developer, any number of times.  DeepSeek and Moonshot refuse the
 * role developer; the chat templates of Qwen and others raise an error at a second system message;
 * Mistral refuses one after a message of the user. */

/* Zeroed, or read; all zero: nothing is to be changed. */
struct openai_system {
	bool *are; /* owned; for each message, whether it is one of these; NULL: none is moved */
	struct buf text; /* owned; their texts, escaped, with an empty line between two */
};

/* openai_system_read: a prompt whose only system message stands first, with the role system, is left
 * as it is.  Warns of each one that is moved (system_moved).  Errors: UNSUPPORTED_PARAMETER with its
 * path for a part that is no text, REQUEST_TOO_LARGE, OVERLOADED. */
enum errc openai_system_read(struct openai_system *ret, const struct prompt *p,
			     struct err *e) MUST_USE;
/* openai_system_has: whether a message is part of the one that is made. */
static inline bool openai_system_has(const struct openai_system *s, size_t message)
{
	return s->are && s->are[message];
}
/* openai_system_put: appends the message, unless there is no text; *first as in ask_put_comma. */
bool openai_system_put(const struct openai_system *s, bool *first, struct buf *out) MUST_USE;
/* openai_system_finish: a zeroed one is fine. */
void openai_system_finish(struct openai_system *s);

/* --- openai_text: OpenAI's older completions of a prompt.  The request and the answer
 * are the client's and the provider's own bytes.  Internal to provider/. */

/* The functions of a dialect whose prompts have `text` set (msg/prompt.h). */
enum errc openai_text_encode(const struct provider_options *o, const struct prompt *p,
			     struct buf *out, struct err *e);
enum errc openai_text_decode_event(struct decode *d, struct str name, struct str data,
				   struct err *e);
enum errc openai_text_decode_whole(struct decode *d, struct str body, struct err *e);
extern const struct dialect openai_text;
