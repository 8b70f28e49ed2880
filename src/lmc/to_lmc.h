/* lmc/to_lmc: OpenAI's messages as LMC messages (rules O1 to O7, with F and T). */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"

/* Memory that is used again and again for the messages of a list. */
struct to_lmc_scratch {
	struct buf     text;
	struct speech *speech; /* owned; NULL: none has been needed yet */
};

struct to_lmc_options {
	bool                   fences;
	struct warnings       *warnings; /* borrowed; NULL: nobody asks */
	struct to_lmc_scratch *scratch;  /* borrowed; NULL: each message has its own */
};

void to_lmc_scratch_init(struct to_lmc_scratch *s);
void to_lmc_scratch_finish(struct to_lmc_scratch *s);

/* to_lmc_message: the messages that one OpenAI message makes, appended to out with commas between
 * them (and in front, if out is not empty); path is the message's own, as messages[2]; index is its
 * place for warnings.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER with the culprit's path (O1, O3, O4);
 * OVERLOADED: no memory.  out is unchanged then. */
enum errc to_lmc_message(const struct json_doc *d, json_at message, const char *path, size_t index,
			 const struct to_lmc_options *o, struct buf *out, struct err *e) MUST_USE;
/* to_lmc_answer: the same for a provider's answer, whose refusal is said as a message behind the
 * others. */
enum errc to_lmc_answer(const struct json_doc *d, json_at message, const char *path, size_t index,
			const struct to_lmc_options *o, struct buf *out, struct err *e) MUST_USE;
