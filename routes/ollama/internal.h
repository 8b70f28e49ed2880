/* routes/ollama/internal: what the readers of Ollama's requests share. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "http/request.h"
#include "json/scan.h"
#include "lmc/warnings.h"
#include "msg/call_request.h"

/* The state of reading one request. */
struct ollama_reading {
	const struct json_doc *doc; /* borrowed: the request */
	struct arena          *arena;
	struct buf             out; /* the JSON that is made of it */
	struct warnings        warnings;
	unsigned               takes; /* enum provider_takes: what all targets of the model take */
	struct str            *members; /* in the arena; the prompt's, as they are made */
	size_t                 member_count;
	int64_t                max_tokens; /* 0: the request does not say */
	bool                   unthinking; /* the client wants no thoughts */
};

/* --- ollama_turns: messages as OpenAI's, one for one.  Strings stay escaped.  Pure. */

/* ollama_turns_read: *ret, in the arena: JSON objects.  Errors, with paths such as messages[1].images[0]: INVALID_TYPE,
 * INVALID_VALUE, MISSING_PARAMETER, OVERLOADED. */
enum errc ollama_turns_read(struct ollama_reading *x, json_at messages, const struct str **ret,
			    size_t *ret_count, struct err *e) MUST_USE;
/* ollama_turns_prompt: the messages of a prompt with its system prompt and its images, any of which may be absent. */
enum errc ollama_turns_prompt(struct ollama_reading *x, json_at system, json_at prompt,
			      json_at images, struct call_what *ret, struct err *e) MUST_USE;

/* --- ollama_members: the other members of a request as those of a prompt. */

/* ollama_members_begin: makes room for them. */
enum errc ollama_members_begin(struct ollama_reading *x, struct err *e) MUST_USE;
/* ollama_members_add: the bytes of x->out, a member, become one of the prompt's; nothing if !ok. */
enum errc ollama_members_add(struct ollama_reading *x, bool ok, struct err *e) MUST_USE;
/* ollama_members_read: options, format, think, tools, truncate, and a warning for whatever else there is. */
enum errc ollama_members_read(struct ollama_reading *x, int64_t max_output, struct prompt *ret,
			      struct err *e) MUST_USE;
/* ollama_members_done: gives members and warnings to the call. */
enum errc ollama_members_done(struct ollama_reading *x, struct call_request *ret,
			      struct err *e) MUST_USE;

/* --- ollama_load: requests that only load a model. */

struct gateway;

/* The answers, by what they have nothing of. */
enum ollama_load { OLLAMA_LOAD_CHAT, OLLAMA_LOAD_TEXT, OLLAMA_LOAD_VECTORS, OLLAMA_LOAD_VECTOR };

/* ollama_load_is: whether the member that has what a model works on is absent or empty. */
bool ollama_load_is(const struct input *in, const char *key);
/* ollama_load_answer: answers the request; takes its input. */
void ollama_load_answer(struct request *r, const struct gateway *g, enum ollama_load what);
