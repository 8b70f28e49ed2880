/* lmc/translate: POST /v1/translate without HTTP: a request in, an answer out (rules G1 to G3). */
#pragma once

#include "base/err.h"
#include "json/scan.h"

#include <stdint.h>

/* What the chunks of an OpenAI stream say of themselves (rule S7); plain text. */
struct translate_about {
	struct str id;
	struct str model;
	int64_t    created_s;
};

/* translate: d is the request's body, checked JSON.  Appends {"object":"translation",…} to out, whose
 * max also bounds what is put together on the way.  Any thread.
 * Errors: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER with the culprit's path; OVERLOADED (memory),
 * REQUEST_TOO_LARGE (the answer would be).  out is unchanged then. */
enum errc translate(const struct json_doc *d, const struct translate_about *about, struct buf *out,
		    struct err *e) MUST_USE;
