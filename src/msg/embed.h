/* msg/embed: a request for vectors of texts. Plain data; borrowed like the prompt that it is
 * part of. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct embed {
	struct str
		input; /* raw JSON: a string, or an array of strings, of integers, of arrays of those */
	size_t count;  /* vectors asked for */
	bool   tokens; /* integers: tokens, counted out by the client */
	bool base64; /* how vectors are handed over: float32, little endian, in base64; else as numbers */
};
