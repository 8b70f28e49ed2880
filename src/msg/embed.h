/* msg/embed: a request for vectors of texts. Plain data; borrowed like the prompt that it is
 * part of. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct embed {
	/* Raw JSON: a string, or an array of strings, of integers, or of arrays of integers. */
	struct str input;
	size_t     count; /* of the vectors that the client asks for */
	/* input consists of integers: the client has already turned the texts into tokens. */
	bool tokens;
	/* Vectors are returned as base64 of float32, little endian (OpenAI's encoding_format); else
	 * as numbers. */
	bool base64;
};
