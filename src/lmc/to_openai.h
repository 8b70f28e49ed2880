/* lmc/to_openai: translates LMC messages, one after the other, into OpenAI's messages (rules L1 to
 * L17).
 *
 * A conversation may have messages of both kinds.  OpenAI's own messages go through unchanged, with
 * two exceptions.  The calls of an assistant's own message form a group like LMC's calls (L11):
 * they are answered by tool messages with their ids, or by LMC console output, which is dealt to
 * the calls without an answer; a call that stays without one gets `No output`.  And in tools mode,
 * a text of the assistant, of either kind, becomes one message with the LMC call that follows
 * (L14), because templates with alternating roles refuse two messages of the assistant in a row. */
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
/* to_openai_reserve: reserves the call ids of a later message of OpenAI's, so that no id made for
 * an LMC call is the same.  The ids of messages that were passed in already are reserved without
 * this. */
void to_openai_reserve(struct to_openai *t, const struct json_doc *d, json_at message);
/* to_openai_calls: the LMC messages that follow stand beside these tool_calls of OpenAI's in an answer
 * of which they were made; the calls among them get their ids, and what the provider wants back, if there
 * are as many of one as of the other.  JSON_ABSENT: no longer. */
void to_openai_calls(struct to_openai *t, const struct json_doc *d, json_at calls);
/* to_openai_lmc: adds the next message, an LMC message; nothing of d is borrowed.  path: the
 * message's own, such as messages[2], for errors; index: of the message, for warnings.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER, with the path of the wrong member;
 * OVERLOADED (memory). */
enum errc to_openai_lmc(struct to_openai *t, const struct json_doc *d, json_at message,
			const char *path, size_t index, struct err *e) MUST_USE;
/* to_openai_own: adds the next message, one of OpenAI's.  d, message: the scanned message; raw: the
 * bytes that are printed, which may differ from the scanned ones (rendered files). */
enum errc to_openai_own(struct to_openai *t, const struct json_doc *d, json_at message,
			struct str raw, struct err *e) MUST_USE;
/* to_openai_end: prints what is held after the last message. */
enum errc to_openai_end(struct to_openai *t, struct err *e) MUST_USE;
