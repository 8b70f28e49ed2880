/* routes/rebyte/internal: what the handlers of Rebyte's API share. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "json/input.h"
#include "routes/kit/lookup.h"
#include "store/conversation.h"

/* --- rebyte_input: messages in Rebyte's form as messages of LLM Chat.  Pure. */

/* rebyte_input_read: the array at list, whose place is path; *ret are messages as they are stored,
 * in the input's arena.  Errors: with the path of the culprit. */
enum errc rebyte_input_read(struct input *in, json_at list, const char *path, struct str **ret,
			    size_t *ret_count, struct err *e) MUST_USE;
/* rebyte_input_read_one: the same for one message; "" is the path of the root. */
enum errc rebyte_input_read_one(struct input *in, json_at message, const char *path,
				struct str *ret, struct err *e) MUST_USE;

/* --- rebyte_agent: POST /api/sdk/p/{project}/a/{agent}/r. */

/* rebyte_agent_id: reads an id with or without its prefix. */
bool rebyte_agent_id(struct str text, const char *prefix, struct id *ret);

/* --- rebyte_print: threads and messages as Rebyte's clients see them, and the common
 * parts of their lists. */

/* rebyte_print_thread: {"id":…,"created_at":…,"metadata":…}.  False: out is full. */
bool rebyte_print_thread(struct buf *out, const struct store_conversation *c) MUST_USE;
/* rebyte_print_message: a stored message, in whatever form it is stored.  False: out is full, or
 * memory is short. */
bool rebyte_print_message(struct buf *out, struct id thread,
			  const struct store_item *item) MUST_USE;

/* A page of a list.  A page before a cursor is read backwards. */
struct rebyte_page {
	struct id after;
	bool      descending;
	bool      backwards;
	size_t    limit;
};
/* rebyte_page_read: reads limit, order, after and before, whose ids have this prefix or none.
 * False: the request was refused and answered. */
bool rebyte_page_read(struct request *r, const char *prefix, struct rebyte_page *ret) MUST_USE;
/* rebyte_page_failed: names what a client has said: the cursor, and a thread. */
void rebyte_page_failed(const struct rebyte_page *p, struct err *e);
/* rebyte_page_at: the place in what was read of the n-th of count rows of the answer. */
size_t rebyte_page_at(const struct rebyte_page *p, size_t n, size_t count);

/* rebyte_print_id: the id of a thread in the path.  False: refused. */
bool rebyte_print_id(struct request *r, struct id *ret) MUST_USE;
/* rebyte_print_message_id: those of a thread and of its message.  False: refused. */
bool rebyte_print_message_id(struct request *r, struct id *ret_thread, struct id *ret) MUST_USE;
