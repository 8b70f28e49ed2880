/* json/input: the body of a request with everything that points into it, so that all of it moves
 * together from a connection to a run, which may outlive the connection. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "json/scan.h"

struct input {
	struct buf      body;
	struct json_doc doc;                /* tokens of body; empty if the body is no JSON */
	struct arena    arena;              /* scratch that lives as long as the input */
	unsigned char   digest[HASH_BYTES]; /* SHA-256 of body, if digested */
	bool            digested;
	size_t          held; /* bytes that this input counts for (input_hold) */
};

/* input_create: owned, empty; NULL when memory is short. */
struct input *input_create(size_t max_body) MUST_USE;
void          input_destroy(struct input *in);
/* input_digest: the SHA-256 of the body, which must not change any more; computed at the first call
 * only, which may be a worker's. */
const unsigned char *input_digest(struct input *in);
/* input_hold: from now on, the input counts for `bytes`, until it is destroyed.  False: all inputs
 * together would be above max, and this one is above LIMIT_BODY_FREE; nothing has changed.  The
 * inputs of all threads count together. */
bool input_hold(struct input *in, size_t bytes, size_t max) MUST_USE;
/* input_drop_body: frees the body; the input then counts for nothing. */
void input_drop_body(struct input *in);
/* input_held: the bytes that all inputs count for; any thread. */
size_t input_held(void);
OWNABLE(input);
