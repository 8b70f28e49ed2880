/* provider/openai/openai_mend: plain answers that clients would misread, written anew in OpenAI's
 * form: calls without ids or arguments, calls that share an id, arguments that are an object, content
 * that is a list of parts, and counts of tokens that stand elsewhere.  Internal to provider/openai. */
#pragma once

#include "provider/openai/openai.h"

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
