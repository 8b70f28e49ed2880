/* routes/chat/completion_print: stored completions and their messages, as OpenAI's API shows them. */
#pragma once

#include "base/buf.h"
#include "shape/reasoning.h"
#include "store/completion.h"

enum { COMPLETION_PRINT_ID = ID_MAX + 24 }; /* room for a message's id and its NUL */

/* completion_print: name: of its reasoning.  False: no memory, or out is full. */
bool completion_print(struct buf *out, const struct store_completion *c,
		      enum reasoning_name name) MUST_USE;
/* completion_print_message: one of those that the completion came in with. */
bool completion_print_message(struct buf *out, struct id run,
			      const struct completion_message *m) MUST_USE;
/* completion_print_id: a message's id: its completion's, and its place. */
void completion_print_id(struct id run, int64_t place, char ret[COMPLETION_PRINT_ID]);
/* completion_print_place: the place that such an id names, of this completion; false: it is none. */
bool completion_print_place(struct str text, struct id run, int64_t *ret) MUST_USE;
