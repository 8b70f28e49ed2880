/* lmc/to_lmc: OpenAI's messages as LMC messages (rules O1 to O7, with F and T). */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"
#include "lmc/warnings.h"

/* Working memory that all messages of a list share. */
struct to_lmc_scratch {
	struct buf     text;
	struct speech *speech; /* owned; NULL: none has been needed yet */
};

struct to_lmc_options {
	bool                   fences;   /* fenced code becomes LMC code; false: text stays text */
	struct warnings       *warnings; /* borrowed; NULL: nobody reads them */
	struct to_lmc_scratch *scratch;  /* borrowed; NULL: memory is allocated for each message */
};

void to_lmc_scratch_init(struct to_lmc_scratch *s);
void to_lmc_scratch_finish(struct to_lmc_scratch *s);

/* to_lmc_message: translates one message of OpenAI's, and appends the LMC messages to out, with
 * commas between them, and one before them if out is not empty.  path: the message's own, such as
 * messages[2]; index: of the message, for warnings.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER, with the path of the wrong member (O1,
 * O3, O4); OVERLOADED: no memory.  out is unchanged then. */
enum errc to_lmc_message(const struct json_doc *d, json_at message, const char *path, size_t index,
			 const struct to_lmc_options *o, struct buf *out, struct err *e) MUST_USE;
/* to_lmc_answer: the same for a provider's answer; a refusal becomes a message after the others. */
enum errc to_lmc_answer(const struct json_doc *d, json_at message, const char *path, size_t index,
			const struct to_lmc_options *o, struct buf *out, struct err *e) MUST_USE;
