/* json/input: a request's body with everything that points into it, so that it can move as one from
 * the connection that brought it to the run that outlives the connection. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "json/scan.h"

struct input {
	struct buf      body;
	struct json_doc doc;                /* of body; empty if the body is no JSON */
	struct arena    arena;              /* scratch that dies with it */
	unsigned char   digest[HASH_BYTES]; /* of body, if digested */
	bool            digested;
	size_t          held; /* what it counts for among all inputs; input_hold */
};

/* input_create: owned, empty; NULL when memory is short. */
struct input *input_create(size_t max_body) MUST_USE;
void          input_destroy(struct input *in);
/* input_digest: of the body, which changes no more; once, so that a worker may do it before. */
const unsigned char *input_digest(struct input *in);
/* input_hold: it counts for `bytes` from now on, until it is destroyed.  false, and nothing has
 * changed: all inputs together would be above max, and this one above LIMIT_BODY_FREE.  Inputs of
 * all threads count together. */
bool input_hold(struct input *in, size_t bytes, size_t max) MUST_USE;
/* input_drop_body: frees the body, and it counts for nothing. */
void input_drop_body(struct input *in);
/* input_held: what all of them count for; any thread. */
size_t input_held(void);
OWNABLE(input);
