/* routes/messages/token_count: how many tokens a request would have.  A provider that speaks the client's API is asked;
 * otherwise, or if the provider can't say it, the number is an estimate, as for the limits.  Nothing is charged. */
#pragma once

#include "base/err.h"
#include "http/request.h"
#include "msg/family.h"
#include "msg/prompt.h"
#include "routes/kit/gateway.h"

/* An API's way of asking. */
struct token_count_api {
	const struct family *family;
	unsigned    takes;  /* enum provider_takes: the bit of providers that can be asked */
	const char *before; /* the text of the answer from its first member to the number */
	/* read: checks the body.  *ret_local: it names what only this gateway has, so the number is an estimate. */
	enum errc (*read)(struct input *in, struct str *ret_model, bool *ret_local, struct err *e);
	/* head: the headers that the provider gets; NULL: none. */
	enum errc (*head)(const struct request *r, struct prompt_native *n, struct err *e);
};

/* token_count_estimate: answers with an estimate, and a warning that says so; before: as in struct token_count_api. */
void token_count_estimate(struct request *r, const char *before, int64_t tokens);
/* token_count_serve: reads the request's body and answers.  model: that of the place; empty: read says it. */
void token_count_serve(struct request *r, struct gateway *g, const struct token_count_api *api,
		       struct str model);
