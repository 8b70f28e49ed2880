/* call/session_of: which session a call belongs to, as its client says: the calls of one session go to one of a
 * model's targets, which has what they begin with in its cache. */
#pragma once

#include <stdint.h>

struct call_request;
struct request;

/* session_of: a hash of the owner and the session's name; 0: the client names none, or the model's calls go
 * anywhere. */
uint64_t session_of(const struct request *r, const struct call_request *rq);
/* session_named: the same, wherever the model's calls go; 0: the client names none. */
uint64_t session_named(const struct request *r, const struct call_request *rq);
