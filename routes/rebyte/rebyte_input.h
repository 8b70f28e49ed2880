/* routes/rebyte/rebyte_input: messages in Rebyte's form as messages of LLM Chat.  Pure. */
#pragma once

#include "json/input.h"

/* rebyte_input_read: the array at list, whose place is path; *ret are messages as they are stored,
 * in the input's arena.  Errors: with the path of the culprit. */
enum errc rebyte_input_read(struct input *in, json_at list, const char *path, struct str **ret,
			    size_t *ret_count, struct err *e) MUST_USE;
/* rebyte_input_read_one: the same for one message; "" is the path of the root. */
enum errc rebyte_input_read_one(struct input *in, json_at message, const char *path,
				struct str *ret, struct err *e) MUST_USE;
