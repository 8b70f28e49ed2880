/* routes/kit/admission: admits calls of models, and reports their limits to the client. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* admission_enter: as admit_enter; the answer to r gets the headers with the limits. */
enum admit_answer admission_enter(struct request *r, const struct gateway *g,
				  const struct call_request *rq, struct admit_wait *w,
				  struct err *e) MUST_USE;
/* admission_prompt_tokens: an estimate from the body, with names and punctuation; each medium counts
 * as a fixed number. */
int64_t admission_prompt_tokens(const struct input *in);
/* admission_tell: the headers with these limits.  admission_show: only these headers, for an answer without a call. */
void admission_tell(struct request *r, const struct rate_view *view);
void admission_show(struct request *r, const struct gateway *g);
