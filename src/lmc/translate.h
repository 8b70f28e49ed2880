/* lmc/translate: POST /v1/translate without HTTP: reads a request, prints the answer (rules G1 to
 * G3).
 *
 * The comments in src/lmc/ refer to the rules of translation by letter and number.  The examples in
 * tests/fixtures/lmc/ name the rules that they show. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"
#include "lmc/speech.h"

#include <stdint.h>

/* The id, model and time in the chunks of an OpenAI stream (rule S7); plain text. */
struct translate_about {
	struct str id;
	struct str model;
	int64_t    created_s;
};

/* translate_messages: d is the request's body, scanned.  Appends {"object":"translation",…} to out; out's
 * max also bounds the working memory.  Threads: any.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER, with the path of the wrong member;
 * OVERLOADED (memory); REQUEST_TOO_LARGE (the answer would be too large).  out is unchanged
 * then. */
enum errc translate_messages(const struct json_doc *d, const struct translate_about *about,
			     struct buf *out, struct err *e) MUST_USE;

/* --- delta: reads chunks of OpenAI's stream into a turn (rules K1, K3, K4). */

/* The state of a stream; all zero at its beginning. */
struct delta {
	bool any;   /* the turn has received something */
	bool ended; /* a chunk had an error: later chunks are ignored */
};

/* delta_add: adds a chunk, an object, to the turn in speech; index: of the chunk, for warnings.
 * False: no memory, or a function of speech failed. */
bool delta_add(struct delta *s, const struct json_doc *d, json_at chunk, size_t index,
	       struct speech *speech, struct warnings *warnings) MUST_USE;

/* --- say: prints the assistant's part of stored LMC messages as chunks of OpenAI's stream
 * (rules S1 to S7), for a complete list. */

/* say_chunks: appends chat.completion.chunk objects with commas between them to out.  messages: an
 * array of LMC messages that were checked by the rules L.  fence: code as fenced text, else as tool
 * calls.  id, model: plain text.  False: no memory. */
bool say_chunks(const struct json_doc *d, json_at messages, bool fence, struct str id,
		struct str model, int64_t created_s, struct buf *out) MUST_USE;
