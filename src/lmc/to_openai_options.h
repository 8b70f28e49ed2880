/* lmc/to_openai_options: how LMC messages become OpenAI's messages, and which function receives
 * them. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct warnings;

struct to_openai_options {
	bool fence;  /* code as fenced text instead of tool calls */
	bool vision; /* false: images are left out, with a warning */
	bool unrun;  /* code without an output was not executed, and its result says so */
	struct warnings *warnings; /* borrowed; NULL: nobody reads them */
	/* image_path: finds the image of the message with this index, which names the image by its
	 * path: sets *ret_format ("base64.png", …) and *ret_data (base64).  NULL, or false: the
	 * message is refused because of its format (L7). */
	bool (*image_path)(void *arg, size_t index, struct str *ret_format, struct str *ret_data);
	void *arg;
	/* made: receives each printed message of OpenAI's, in order.  The bytes are borrowed for
	 * the call.  False: no memory; the translation stops. */
	bool (*made)(void *arg, struct str message);
};
