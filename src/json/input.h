/* json/input: a request's body with everything that points into it, so that it can move as one from
 * the connection that brought it to the run that outlives the connection. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "json/scan.h"

struct input {
	struct buf      body;
	struct json_doc doc;   /* of body; empty if the body is no JSON */
	struct arena    arena; /* scratch that dies with it */
};

/* input_create: owned, empty; NULL when memory is short. */
struct input *input_create(size_t max_body) MUST_USE;
void          input_destroy(struct input *in);
OWNABLE(input);
