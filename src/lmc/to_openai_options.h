/* lmc/to_openai_options: how LMC messages are to become OpenAI's, and where each goes. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct warnings;

struct to_openai_options {
	bool             fence;    /* code as fenced text instead of tool calls */
	bool             vision;   /* false: images are left out, with a warning */
	struct warnings *warnings; /* borrowed; NULL: nobody asks */
	/* image_path: what a message of type image and format path becomes: sets *ret_format
	 * ("base64.png", …) and *ret_data (base64) for the message with this index; NULL, or false:
	 * refused at its format, as L7 has it. */
	bool (*image_path)(void *arg, size_t index, struct str *ret_format, struct str *ret_data);
	void *arg;
	/* made: one OpenAI message, printed; called in order.  The bytes are borrowed for the call.
	 * False: no memory. */
	bool (*made)(void *arg, struct str message);
};
