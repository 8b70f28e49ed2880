/* routes/call/tags_of: the tags of a call (msg/usage_tag): a header x-parley-tag-NAME, else the member NAME of the
 * request's metadata, else that of the key's metadata. */
#pragma once

#include "base/err.h"

struct call_request;
struct family;
struct gateway;
struct input;
struct request;

/* tags_of_body: what the body says, before it is read; on a worker, too.  What no provider may see goes out of the
 * body: LiteLLM's list, and in a family whose provider takes nothing else in its metadata, all tags.
 * Errors: INVALID_VALUE, INVALID_TYPE, with the path in the body. */
enum errc tags_of_body(struct input *in, const struct gateway *g, const struct family *f,
		       struct call_request *rq, struct err *e) MUST_USE;
/* tags_of: the same with the headers and the key; writes rq->caller.tags.  Headers with other names than those of the
 * configuration are warned of. */
enum errc tags_of(const struct request *r, const struct gateway *g, struct call_request *rq,
		  struct err *e) MUST_USE;
