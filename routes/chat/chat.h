/* routes/chat/chat: POST /v1/chat. */
#pragma once

#include "base/buf.h"
#include "json/input.h"
#include "routes/kit/gateway.h"
#include "schema/schema.h"
#include "shape/reasoning.h"
#include "store/completion.h"

/* chat_read_how: how an answer is to be made and given: all of a chat request but its messages and
 * where they belong.  Errors: with the path of the culprit. */
enum errc chat_read_how(struct input *in, const struct gateway *g, const struct chat_request *c,
			struct str default_model, struct call_request *ret, struct err *e) MUST_USE;

/* --- chat_messages: the messages of LLM Chat, checked and made into what is stored. */

/* chat_messages_read: each element of the array at `messages` becomes what is stored: a message
 * object with a role, or an LMC message as it came; raw JSON, borrowed from the body or made in the
 * input's arena.  paths: images may be named by a path.
 * Whether uploaded files are there is seen later, by the run.
 * Errors: with the path of the culprit. */
enum errc chat_messages_read(struct input *in, json_at messages, bool paths, struct str **ret,
			     size_t *ret_count, struct err *e) MUST_USE;

/* --- completion_print: stored completions and their messages, as OpenAI's API shows them. */

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
