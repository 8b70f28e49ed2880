/* lmc/to_openai: LMC messages as OpenAI's messages (rules L1 to L17), one after the other.
 *
 * Messages that are OpenAI's already may stand between them, as a conversation may mix both: they
 * go through as they are.  But the calls of such an assistant's message form a group like LMC's own
 * (L11): what answers them may be tool messages with their ids, or LMC console output, which is
 * dealt to the calls that have no answer yet; a call left without one gets `No output`.  And in
 * tools mode a text of the assistant, of either kind, is one message with the LMC call behind it
 * (L14): templates with alternating roles refuse two. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "json/scan.h"
#include "lmc/to_openai_options.h"
#include "lmc/warnings.h"

struct to_openai; /* opaque */

struct to_openai *to_openai_create(
	const struct to_openai_options *o) MUST_USE; /* NULL: no memory */
void to_openai_destroy(struct to_openai *t);
/* to_openai_reserve: message, one of OpenAI's, will come later: no id that is made until then shall
 * be one of its own.  Those of messages that came already are known without it. */
void to_openai_reserve(struct to_openai *t, const struct json_doc *d, json_at message);
/* to_openai_lmc: the next message, an LMC one.  What it needs of d is copied.  path as messages[2],
 * for errors; index for warnings.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER with the culprit's path; OVERLOADED. */
enum errc to_openai_lmc(struct to_openai *t, const struct json_doc *d, json_at message,
			const char *path, size_t index, struct err *e) MUST_USE;
/* to_openai_own: the next message, one of OpenAI's; raw are its bytes as it shall be printed, d and
 * message its scan (they may differ: context rendered into it). */
enum errc to_openai_own(struct to_openai *t, const struct json_doc *d, json_at message,
			struct str raw, struct err *e) MUST_USE;
/* to_openai_end: no more come. */
enum errc to_openai_end(struct to_openai *t, struct err *e) MUST_USE;
