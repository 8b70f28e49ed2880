/* call/admission: what a call of a model is estimated to take of its limits. */
#pragma once

#include "desk/admit.h"

struct call_request;
struct input;

/* admission_estimate: the tokens of the call; admission_estimate_of: with a prompt of so many. */
void admission_estimate(const struct call_request *rq, struct admit_ask *ret);
void admission_estimate_of(const struct call_request *rq, int64_t prompt, struct admit_ask *ret);
/* admission_prompt_tokens: an estimate from the body, with names and punctuation; each medium counts
 * as a fixed number. */
int64_t admission_prompt_tokens(const struct input *in);
