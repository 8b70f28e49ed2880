/* Messages with blocks, as messages of OpenAI's. */
#include "routes/messages/internal.h"

#include "msg/prompt.h"
#include "routes/kit/check.h"
#include "shape/carry.h"

#include <string.h>

/* The list that is made.  A message without a pointer is the next `n` bytes of x->out. */
struct turn_list {
	struct message_reading *x;
	struct str             *list;
	uint32_t                place; /* place of the message that is read, or PROMPT_SYSTEM */
	size_t                  count;
	size_t                  start; /* where the open message begins in x->out */
};

static enum errc turns_no_memory(struct err *e)
{
	return err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
}

static enum errc turns_done(bool ok, struct err *e)
{
	return ok ? ERR_OK : turns_no_memory(e);
}

static bool turn_open(struct turn_list *t, const char *text)
{
	t->start = t->x->out.len;
	t->x->message = (uint32_t)t->count;
	return buf_text(&t->x->out, text);
}

static void turn_add(struct turn_list *t, struct str message)
{
	t->x->origins[t->count] = t->place;
	t->list[t->count++] = message;
}

static bool turn_close(struct turn_list *t)
{
	if (!buf_text(&t->x->out, "}"))
		return false;
	turn_add(t, (struct str){ NULL, t->x->out.len - t->start });
	return true;
}

/* turn_list_max: no message makes more than one of OpenAI's for each block, and two besides. */
static size_t turn_list_max(const struct json_doc *d, json_at messages)
{
	size_t n = 2;

	JSON_EACH (i, d, messages) {
		json_at content = json_get(d, i, "content");

		n += 2;
		if (json_is_kind(d, content, JSON_ARRAY))
			n += d->tok[content].count;
	}
	return n;
}

/* --- system --- */

/* is_billing: a block that Claude Code puts before its prompt.  The text changes with each
 * request, so that no other provider could keep the prompt in its cache. */
static bool is_billing(const struct json_doc *d, json_at block)
{
	return str_starts(json_get_inner(d, block, "text"), STR("x-anthropic-billing-header:"));
}

static enum errc read_system_blocks(struct turn_list *t, json_at blocks, const char *path,
				    struct err *e)
{
	struct message_reading *x = t->x;
	struct message_sink     s = { .gap = "\\n\\n", .array = message_parts_marked(x, blocks) };
	enum errc rc = turns_done(turn_open(t, s.array ? "{\"role\":\"system\",\"content\":["
						       : "{\"role\":\"system\",\"content\":\""),
				  e);
	size_t    n = 0;

	for (json_at i = json_first(x->doc, blocks); rc == ERR_OK && i != json_end(x->doc, blocks);
	     i = json_next(x->doc, i), n++) {
		char at[160];

		check_path(at, "%s.%zu", path, n);
		if (message_parts_kind(x->doc, i) != BLOCK_TEXT)
			return err_set(e, ERR_INVALID_VALUE, at, "must be a text block");
		if (!is_billing(x->doc, i))
			rc = message_parts_put(x, &s, i, at, e);
	}
	if (rc != ERR_OK)
		return rc;
	if (s.count == 0) {
		x->out.len = t->start;
		return ERR_OK;
	}
	return turns_done(buf_text(&x->out, s.array ? "]" : "\"") && turn_close(t), e);
}

static enum errc read_system(struct turn_list *t, json_at system, const char *path, struct err *e)
{
	const struct json_doc *d = t->x->doc;

	if (json_is_kind(d, system, JSON_ARRAY))
		return read_system_blocks(t, system, path, e);
	if (!json_is_kind(d, system, JSON_STRING))
		return err_set(e, ERR_INVALID_TYPE, path, "must be a string or an array of blocks");
	if (json_inner(d, system).n == 0)
		return ERR_OK;
	return turns_done(turn_open(t, "{\"role\":\"system\",\"content\":") &&
				  buf_str(&t->x->out, json_raw(d, system)) && turn_close(t),
			  e);
}

/* --- results of tools --- */

static void warn_foreign(struct message_reading *x, size_t message, json_at block)
{
	struct str type = json_get_inner(x->doc, block, "type");

	warnings_add(&x->warnings, message, "part_dropped",
		     "a block of type %.*s was not sent: only Anthropic's models know it",
		     (int)(type.n < 64 ? type.n : 64), type.p);
}

/* put_result_texts: the escaped text of a result; media go after the results. */
static enum errc put_result_texts(struct turn_list *t, json_at content, size_t message,
				  const char *path, struct err *e)
{
	struct message_reading *x = t->x;
	struct message_sink     s = { .gap = "\\n\\n" };
	enum errc               rc = ERR_OK;
	size_t                  n = 0;

	if (content == JSON_ABSENT || json_kind(x->doc, content) == JSON_NULL)
		return ERR_OK;
	if (json_kind(x->doc, content) == JSON_STRING)
		return turns_done(buf_str(&x->out, json_inner(x->doc, content)), e);
	if (json_kind(x->doc, content) != JSON_ARRAY)
		return err_set(e, ERR_INVALID_TYPE, path, "must be a string or an array of blocks");
	for (json_at i = json_first(x->doc, content);
	     rc == ERR_OK && i != json_end(x->doc, content); i = json_next(x->doc, i), n++) {
		char               at[160];
		enum message_block kind = message_parts_kind(x->doc, i);

		check_path(at, "%s.%zu", path, n);
		if (kind == BLOCK_FOREIGN)
			warn_foreign(x, message, i);
		else if (message_parts_is_text(x->doc, i))
			rc = message_parts_put(x, &s, i, at, e);
		else if (kind != BLOCK_IMAGE && kind != BLOCK_DOCUMENT)
			rc = err_set(e, ERR_INVALID_VALUE, at,
				     "a block of this type is not allowed in a tool_result");
	}
	return rc;
}

/* mark_error: a provider's tool message can't say that the tool has failed; so its text does. */
static bool mark_error(struct message_reading *x, json_at block, size_t start)
{
	static const char mark[] = "Error: ";
	json_at           is_error = json_get(x->doc, block, "is_error");
	struct str        text = { x->out.data + start, x->out.len - start };

	if (!json_is_kind(x->doc, is_error, JSON_TRUE) ||
	    (text.n > 0 && memmem(text.p, text.n, "rror", 4)))
		return true;
	if (!buf_text(&x->out, mark))
		return false;
	memmove(x->out.data + start + sizeof mark - 1, x->out.data + start, text.n);
	memcpy(x->out.data + start, mark, sizeof mark - 1);
	return true;
}

/* marked_within: the result, or the last block in it with a mark of the cache if the result itself has none. */
static json_at marked_within(const struct message_reading *x, json_at block)
{
	json_at content = json_get(x->doc, block, "content");
	json_at last = block;

	if (!message_parts_is_marked(x, block) && json_is_kind(x->doc, content, JSON_ARRAY))
		JSON_EACH (i, x->doc, content)
			if (message_parts_is_marked(x, i))
				last = i;
	return last;
}

static enum errc read_result(struct turn_list *t, json_at block, size_t message, const char *path,
			     struct err *e)
{
	struct message_reading *x = t->x;
	json_at                 id = json_get(x->doc, block, "tool_use_id");
	char                    at[160];

	if (!json_is_kind(x->doc, id, JSON_STRING)) {
		check_path(at, "%s.tool_use_id", path);
		return err_set(e, id == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_TYPE, at,
			       "must be a string");
	}
	if (!turn_open(t, "{\"role\":\"tool\",\"tool_call_id\":") ||
	    !buf_str(&x->out, json_raw(x->doc, id)) || !buf_text(&x->out, ",\"content\":\""))
		return turns_no_memory(e);

	size_t start = x->out.len;
	check_path(at, "%s.content", path);
	enum errc rc = put_result_texts(t, json_get(x->doc, block, "content"), message, at, e);
	if (rc != ERR_OK)
		return rc;
	return turns_done(mark_error(x, block, start) && buf_text(&x->out, "\"") &&
				  message_parts_mark(x, marked_within(x, block)) && turn_close(t),
			  e);
}

/* result_media: whether a result has images or documents that are no text. */
static bool result_media(const struct json_doc *d, json_at block)
{
	json_at content = json_get(d, block, "content");

	if (!json_is_kind(d, content, JSON_ARRAY))
		return false;
	JSON_EACH (i, d, content) {
		enum message_block kind = message_parts_kind(d, i);

		if ((kind == BLOCK_IMAGE || kind == BLOCK_DOCUMENT) && !message_parts_is_text(d, i))
			return true;
	}
	return false;
}

static enum errc put_result_media(struct message_reading *x, struct message_sink *s, json_at block,
				  const char *path, struct err *e)
{
	json_at   content = json_get(x->doc, block, "content");
	enum errc rc = ERR_OK;
	size_t    n = 0;

	if (!message_parts_text(x, s, STR("From the result of the call ")))
		return turns_no_memory(e);
	/* The id is put into the text before its closing quote and brace. */
	x->out.len -= 2;
	if (!buf_str(&x->out, json_get_inner(x->doc, block, "tool_use_id")) ||
	    !buf_text(&x->out, ":\"}"))
		return turns_no_memory(e);
	for (json_at i = json_first(x->doc, content);
	     rc == ERR_OK && i != json_end(x->doc, content); i = json_next(x->doc, i), n++) {
		char               at[160];
		enum message_block kind = message_parts_kind(x->doc, i);

		check_path(at, "%s.content.%zu", path, n);
		if ((kind == BLOCK_IMAGE || kind == BLOCK_DOCUMENT) &&
		    !message_parts_is_text(x->doc, i))
			rc = message_parts_put(x, s, i, at, e);
	}
	return rc;
}

/* --- the user --- */

static enum errc check_user_block(struct message_reading *x, json_at block, size_t message,
				  const char *path, struct err *e)
{
	switch (message_parts_kind(x->doc, block)) {
	case BLOCK_FOREIGN: warn_foreign(x, message, block); return ERR_OK;
	case BLOCK_TEXT:
	case BLOCK_IMAGE:
	case BLOCK_DOCUMENT:
	case BLOCK_SEARCH_RESULT:
	case BLOCK_TOOL_RESULT: return ERR_OK;
	case BLOCK_TOOL_USE:
	case BLOCK_THINKING:
		return err_set(e, ERR_INVALID_VALUE, path,
			       "a user's message can't have a block of this type");
	case BLOCK_UNKNOWN: break;
	}
	return err_set(e, ERR_INVALID_VALUE, path, "must be a block of a known type");
}

static bool is_rest(enum message_block kind)
{
	return kind == BLOCK_TEXT || kind == BLOCK_IMAGE || kind == BLOCK_DOCUMENT ||
	       kind == BLOCK_SEARCH_RESULT;
}

/* read_rest: what the user's message says besides results. */
static enum errc read_rest(struct turn_list *t, json_at content, const char *path, struct err *e)
{
	struct message_reading *x = t->x;
	struct message_sink     s = { .gap = "\\n\\n" };
	enum errc               rc;
	size_t                  n = 0;

	JSON_EACH (i, x->doc, content)
		s.array = s.array ||
			  (is_rest(message_parts_kind(x->doc, i)) && message_parts_is_marked(x, i));
	JSON_EACH (i, x->doc, content) {
		enum message_block kind = message_parts_kind(x->doc, i);

		s.array = s.array || (kind == BLOCK_TOOL_RESULT && result_media(x->doc, i)) ||
			  (is_rest(kind) && !message_parts_is_text(x->doc, i));
	}
	rc = turns_done(turn_open(t, s.array ? "{\"role\":\"user\",\"content\":["
					     : "{\"role\":\"user\",\"content\":\""),
			e);
	for (json_at i = json_first(x->doc, content);
	     rc == ERR_OK && i != json_end(x->doc, content); i = json_next(x->doc, i), n++) {
		enum message_block kind = message_parts_kind(x->doc, i);
		char               at[160];

		check_path(at, "%s.%zu", path, n);
		if (kind == BLOCK_TOOL_RESULT && result_media(x->doc, i))
			rc = put_result_media(x, &s, i, at, e);
		else if (is_rest(kind))
			rc = message_parts_put(x, &s, i, at, e);
	}
	if (rc != ERR_OK)
		return rc;
	if (s.count == 0) {
		x->out.len = t->start;
		return ERR_OK;
	}
	return turns_done(buf_text(&x->out, s.array ? "]" : "\"") && turn_close(t), e);
}

static enum errc read_user(struct turn_list *t, json_at content, size_t message, const char *path,
			   struct err *e)
{
	enum errc rc = ERR_OK;
	size_t    n = 0;

	for (json_at i = json_first(t->x->doc, content);
	     rc == ERR_OK && i != json_end(t->x->doc, content); i = json_next(t->x->doc, i), n++) {
		char at[160];

		check_path(at, "%s.%zu", path, n);
		rc = check_user_block(t->x, i, message, at, e);
		if (rc == ERR_OK && message_parts_kind(t->x->doc, i) == BLOCK_TOOL_RESULT)
			rc = read_result(t, i, message, at, e);
	}
	return rc == ERR_OK ? read_rest(t, content, path, e) : rc;
}

/* --- the assistant --- */

static enum errc need_member(const struct json_doc *d, json_at block, const char *key,
			     enum json_kind kind, const char *path, json_at *ret, struct err *e)
{
	char at[160];

	*ret = json_get(d, block, key);
	if (json_is_kind(d, *ret, kind))
		return ERR_OK;
	check_path(at, "%s.%s", path, key);
	return err_set(e, *ret == JSON_ABSENT ? ERR_MISSING_PARAMETER : ERR_INVALID_TYPE, at,
		       kind == JSON_OBJECT ? "must be an object" : "must be a string");
}

static enum errc put_tool_use(struct message_reading *x, json_at block, struct carry *carry,
			      bool first, const char *path, struct err *e)
{
	json_at   id;
	json_at   name;
	json_at   input;
	enum errc rc = need_member(x->doc, block, "id", JSON_STRING, path, &id, e);

	if (rc == ERR_OK)
		rc = need_member(x->doc, block, "name", JSON_STRING, path, &name, e);
	if (rc == ERR_OK)
		rc = need_member(x->doc, block, "input", JSON_OBJECT, path, &input, e);
	if (rc != ERR_OK)
		return rc;
	return turns_done(
		buf_text(&x->out, first ? ",\"tool_calls\":[{\"id\":" : ",{\"id\":") &&
			buf_str(&x->out, json_raw(x->doc, id)) &&
			carry_put_extra(carry, json_inner(x->doc, id), &x->out) &&
			buf_text(&x->out, ",\"type\":\"function\",\"function\":{\"name\":") &&
			buf_str(&x->out, json_raw(x->doc, name)) &&
			buf_text(&x->out, ",\"arguments\":\"") &&
			buf_json_escape(&x->out, json_raw(x->doc, input)) &&
			buf_text(&x->out, "\"}}"),
		e);
}

/* read_assistant_texts: *ret_calls: there are calls to follow. */
static enum errc read_assistant_texts(struct turn_list *t, struct message_sink *s, json_at content,
				      size_t message, const char *path, bool *ret_calls,
				      struct err *e)
{
	struct message_reading *x = t->x;
	enum errc               rc = ERR_OK;
	size_t                  n = 0;

	for (json_at i = json_first(x->doc, content);
	     rc == ERR_OK && i != json_end(x->doc, content); i = json_next(x->doc, i), n++) {
		char at[160];

		check_path(at, "%s.%zu", path, n);
		switch (message_parts_kind(x->doc, i)) {
		case BLOCK_TEXT: rc = message_parts_put(x, s, i, at, e); break;
		case BLOCK_TOOL_USE: *ret_calls = true; break;
		case BLOCK_THINKING: break;
		case BLOCK_FOREIGN: warn_foreign(x, message, i); break;
		case BLOCK_IMAGE:
		case BLOCK_DOCUMENT:
		case BLOCK_SEARCH_RESULT:
		case BLOCK_TOOL_RESULT:
			rc = err_set(e, ERR_INVALID_VALUE, at,
				     "an assistant's message can't have a block of this type");
			break;
		case BLOCK_UNKNOWN:
			rc = err_set(e, ERR_INVALID_VALUE, at, "must be a block of a known type");
			break;
		}
	}
	return rc;
}

/* put_thinking: the thinking of models that sign none, in the member in which they gave it: some want
 * it back with the calls to which it led.  Claude's own is signed, and no other provider's. */
static bool put_thinking(struct message_reading *x, json_at content)
{
	bool any = false;
	bool ok = true;

	JSON_EACH (i, x->doc, content) {
		struct str text = json_get_inner(x->doc, i, "thinking");

		if (message_parts_kind(x->doc, i) != BLOCK_THINKING || text.n == 0 ||
		    json_get_inner(x->doc, i, "signature").n > 0)
			continue;
		ok = ok && buf_text(&x->out, any ? "\\n\\n" : ",\"reasoning_content\":\"") &&
		     buf_str(&x->out, text);
		any = true;
	}
	return ok && (!any || buf_text(&x->out, "\""));
}

/* read_carried: what blocks carry for the provider that made the calls (shape/carry).
 * *ret, which the caller owns: NULL: nothing.  False: memory is short. */
static bool read_carried(struct message_reading *x, json_at content, size_t message,
			 struct carry **ret)
{
	*ret = NULL;
	JSON_EACH (i, x->doc, content) {
		struct str data = json_get_inner(x->doc, i, "data");
		bool       ours;

		if (message_parts_kind(x->doc, i) != BLOCK_THINKING || !carry_is(data))
			continue;
		if (!*ret)
			*ret = carry_create();
		if (!*ret || !carry_read(*ret, data, &ours))
			return false;
		if (!ours)
			warnings_add(
				&x->warnings, message, "reasoning_dropped",
				"the data of a redacted_thinking block was not sent: it is not "
				"as the gateway gave it");
	}
	return true;
}

static enum errc put_tool_uses(struct turn_list *t, json_at content, size_t message,
			       const char *path, struct err *e)
{
	struct message_reading *x = t->x;
	struct carry           *carry;
	bool                    first = true;
	size_t                  n = 0;
	enum errc               rc = turns_done(
			      read_carried(x, content, message, &carry) && carry_put_details(carry, &x->out), e);

	for (json_at i = json_first(x->doc, content);
	     rc == ERR_OK && i != json_end(x->doc, content); i = json_next(x->doc, i), n++) {
		char at[160];

		if (message_parts_kind(x->doc, i) != BLOCK_TOOL_USE)
			continue;
		check_path(at, "%s.%zu", path, n);
		rc = put_tool_use(x, i, carry, first, at, e);
		first = false;
	}
	carry_destroy(carry);
	return rc == ERR_OK ? turns_done(buf_text(&x->out, "]"), e) : rc;
}

static enum errc read_assistant(struct turn_list *t, json_at content, size_t message,
				const char *path, struct err *e)
{
	struct message_reading *x = t->x;
	struct message_sink     s = { .gap = "" };
	bool                    calls = false;
	enum errc rc = turns_done(turn_open(t, "{\"role\":\"assistant\",\"content\":\""), e);

	if (rc == ERR_OK)
		rc = read_assistant_texts(t, &s, content, message, path, &calls, e);
	if (rc != ERR_OK)
		return rc;
	if (s.count == 0 && !calls) { /* nothing but thinking, perhaps */
		x->out.len = t->start;
		return ERR_OK;
	}
	x->out.len -= s.count == 0; /* the quote */
	if (!buf_text(&x->out, s.count == 0 ? "null" : "\"") || !put_thinking(x, content))
		return turns_no_memory(e);
	if (calls)
		rc = put_tool_uses(t, content, message, path, e);
	return rc == ERR_OK ? turns_done(turn_close(t), e) : rc;
}

/* --- all --- */

static bool is_role(const struct json_doc *d, json_at message)
{
	return json_get_is(d, message, "role", "user") ||
	       json_get_is(d, message, "role", "assistant") ||
	       json_get_is(d, message, "role", "system");
}

static enum errc read_turn(struct turn_list *t, json_at message, size_t n, struct err *e)
{
	const struct json_doc *d = t->x->doc;
	char                   path[160];
	json_at                content;

	t->place = (uint32_t)n;
	check_path(path, "messages.%zu", n);
	if (json_kind(d, message) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
	check_path(path, "messages.%zu.role", n);
	if (!is_role(d, message))
		return err_set(e,
			       json_get(d, message, "role") == JSON_ABSENT ? ERR_MISSING_PARAMETER
									   : ERR_INVALID_VALUE,
			       path, "must be one of: user, assistant, system");
	content = json_get(d, message, "content");
	check_path(path, "messages.%zu.content", n);
	if (content == JSON_ABSENT)
		return err_set(e, ERR_MISSING_PARAMETER, path,
			       "must be a string or an array of blocks");
	if (json_get_is(d, message, "role", "system"))
		return read_system(t, content, path, e);
	/* Such a message is the same in both APIs. */
	if (json_kind(d, content) == JSON_STRING && d->tok[message].count == 2) {
		turn_add(t, json_raw(d, message));
		return ERR_OK;
	}
	if (json_kind(d, content) == JSON_STRING)
		return turns_done(
			turn_open(t, "{\"role\":") &&
				buf_str(&t->x->out, json_raw(d, json_get(d, message, "role"))) &&
				buf_text(&t->x->out, ",\"content\":") &&
				buf_str(&t->x->out, json_raw(d, content)) && turn_close(t),
			e);
	if (json_kind(d, content) != JSON_ARRAY)
		return err_set(e, ERR_INVALID_TYPE, path, "must be a string or an array of blocks");
	return json_get_is(d, message, "role", "user") ? read_user(t, content, n, path, e)
						       : read_assistant(t, content, n, path, e);
}

static enum errc read_turns(struct turn_list *t, json_at system, json_at messages, struct err *e)
{
	const struct json_doc *d = t->x->doc;
	enum errc rc = system != JSON_ABSENT ? read_system(t, system, "system", e) : ERR_OK;
	size_t    n = 0;

	for (json_at i = json_first(d, messages); rc == ERR_OK && i != json_end(d, messages);
	     i = json_next(d, i))
		rc = read_turn(t, i, n++, e);
	if (rc == ERR_OK && t->count == 0)
		rc = err_set(e, ERR_INVALID_VALUE, "messages", "must not be empty");
	return rc;
}

enum errc message_turns_read(struct message_reading *x, struct arena *arena, json_at system,
			     json_at messages, const struct str **ret, size_t *ret_count,
			     struct err *e)
{
	struct turn_list t = { .x = x, .place = PROMPT_SYSTEM };
	size_t           from = x->out.len;
	size_t           max = turn_list_max(x->doc, messages);

	x->arena = arena;
	t.list = arena_alloc(arena, max * sizeof *t.list);
	x->origins = arena_alloc(arena, max * sizeof *x->origins);
	if (!t.list || !x->origins)
		return turns_no_memory(e);
	enum errc rc = read_turns(&t, system, messages, e);
	if (rc != ERR_OK)
		return rc;

	struct str made = STR_NONE;
	if (x->out.len > from) {
		made = arena_str(arena, (struct str){ x->out.data + from, x->out.len - from });
		if (!made.p)
			return turns_no_memory(e);
	}
	for (size_t i = 0; i < t.count; i++) {
		if (t.list[i].p)
			continue;
		t.list[i].p = made.p;
		made.p += t.list[i].n;
	}
	*ret = t.list;
	*ret_count = t.count;
	return ERR_OK;
}
