/* Messages and prompts, as messages of OpenAI's. */
#include "routes/ollama/internal.h"

#include "base/limits.h"
#include "lmc/media.h"
#include "msg/prompt.h"
#include "routes/kit/check.h"

#include <stdio.h>

#define MADE_ID "ollama_"

/* A call that may still be answered. */
struct asked_call {
	struct str id;   /* escaped; of the request, or made */
	struct str name; /* escaped */
	bool       made; /* the request has no id for it */
	bool       answered;
};

struct ollama_turns {
	struct ollama_reading *x;
	struct str            *list;
	size_t                 count;
	struct asked_call     *calls; /* the calls of the last message that has some; LIMIT_TOOLS */
	size_t                 call_count;
	unsigned               made; /* ids so far */
};

static enum errc ollama_turns_ok(bool ok, struct err *e)
{
	return ok ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
}

/* turn_text: a member that is a string; JSON_ABSENT: there is none, or it is null. */
static enum errc turn_text(const struct json_doc *d, json_at message, const char *key,
			   const char *path, json_at *ret, struct err *e)
{
	char at[160];

	*ret = json_get_some(d, message, key);
	if (*ret == JSON_ABSENT || json_kind(d, *ret) == JSON_STRING)
		return ERR_OK;
	check_path(at, "%s.%s", path, key);
	return err_set(e, ERR_INVALID_TYPE, at, "must be a string");
}

/* --- images --- */

static json_at turn_images(const struct json_doc *d, json_at list)
{
	return json_is_kind(d, list, JSON_ARRAY) && d->tok[list].count == 0 ? JSON_ABSENT : list;
}

/* ollama_turns_put_image: its kind is told by its first bytes, because the request does not say it. */
static enum errc ollama_turns_put_image(struct ollama_reading *x, json_at image, const char *path,
					struct err *e)
{
	struct str  text;
	const char *kind;

	if (json_kind(x->doc, image) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
	if (!json_text(x->doc, image, x->arena, &text))
		return ollama_turns_ok(false, e);
	if (media_is_data(text)) {
		char type[MEDIA_TYPE];

		(void)!media_data(text, type, &text);
	}
	kind = media_base64(text) ? media_kind_base64(text) : NULL;
	if (!kind)
		return err_set(e, ERR_INVALID_VALUE, path,
			       "must be a PNG, JPEG, GIF or WebP image in base64");
	return ollama_turns_ok(
		buf_text(&x->out, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/") &&
			buf_text(&x->out, kind) && buf_text(&x->out, ";base64,") &&
			buf_str(&x->out, text) && buf_text(&x->out, "\"}}"),
		e);
}

/* put_content: a text, or a text and images: `path` is theirs. */
static enum errc put_turn_content(struct ollama_reading *x, struct str text, json_at images,
				  const char *path, struct err *e)
{
	bool   any = false;
	size_t n = 0;

	if (images == JSON_ABSENT)
		return ollama_turns_ok(buf_text(&x->out, "\"") && buf_str(&x->out, text) &&
					       buf_text(&x->out, "\""),
				       e);
	if (json_kind(x->doc, images) != JSON_ARRAY)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an array");
	bool ok = buf_text(&x->out, "[");
	if (ok && text.n > 0) {
		ok = buf_text(&x->out, "{\"type\":\"text\",\"text\":\"") &&
		     buf_str(&x->out, text) && buf_text(&x->out, "\"}");
		any = true;
	}
	enum errc rc = ollama_turns_ok(ok, e);
	for (json_at i = json_first(x->doc, images); rc == ERR_OK && i != json_end(x->doc, images);
	     i = json_next(x->doc, i)) {
		char at[160];

		check_path(at, "%s[%zu]", path, n++);
		rc = ollama_turns_ok(!any || buf_text(&x->out, ","), e);
		if (rc == ERR_OK)
			rc = ollama_turns_put_image(x, i, at, e);
		any = true;
	}
	return rc == ERR_OK ? ollama_turns_ok(buf_text(&x->out, "]"), e) : rc;
}

/* --- calls --- */

static enum errc ollama_turns_add_call(struct ollama_turns *t, struct str id, struct str name,
				       const char *path, struct err *e)
{
	struct asked_call *c;
	char               text[32];

	if (t->call_count == LIMIT_TOOLS)
		return err_set(e, ERR_INVALID_VALUE, path, "the message has more than %d calls",
			       LIMIT_TOOLS);
	c = &t->calls[t->call_count++];
	*c = (struct asked_call){ .id = id, .name = name, .made = id.n == 0 };
	if (id.n > 0)
		return ERR_OK;
	snprintf(text, sizeof text, MADE_ID "%u", ++t->made);
	c->id = arena_str(t->x->arena, str_of(text));
	return ollama_turns_ok(c->id.p, e);
}

/* call_input: appends the arguments as a string; clients that imitate OpenAI's have one already. */
static bool call_input(struct ollama_reading *x, json_at input)
{
	return buf_text(&x->out, ",\"arguments\":\"") &&
	       (json_is_kind(x->doc, input, JSON_STRING)
			? buf_str(&x->out, json_inner(x->doc, input))
			: buf_json_escape(&x->out, input == JSON_ABSENT
							   ? STR("{}")
							   : json_raw(x->doc, input))) &&
	       buf_text(&x->out, "\"}}");
}

static enum errc turn_put_call(struct ollama_turns *t, json_at call, const char *path,
			       struct err *e)
{
	struct ollama_reading *x = t->x;
	json_at                function = json_get_some(x->doc, call, "function");
	json_at                input = json_is_kind(x->doc, function, JSON_OBJECT)
					       ? json_get_some(x->doc, function, "arguments")
					       : JSON_ABSENT;
	struct str             name = json_is_kind(x->doc, function, JSON_OBJECT)
					      ? json_get_inner(x->doc, function, "name")
					      : STR_NONE;
	char                   at[160];

	check_path(at, "%s.function.name", path);
	if (name.n == 0)
		return err_set(e, ERR_MISSING_PARAMETER, at, "must be a string");
	check_path(at, "%s.function.arguments", path);
	if (input != JSON_ABSENT && json_kind(x->doc, input) != JSON_OBJECT &&
	    json_kind(x->doc, input) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, at, "must be an object");
	bool      first = t->call_count == 0;
	enum errc rc = ollama_turns_add_call(t, json_get_inner(x->doc, call, "id"), name, path, e);
	if (rc != ERR_OK)
		return rc;
	return ollama_turns_ok(
		buf_text(&x->out, first ? ",\"tool_calls\":[{\"id\":\"" : ",{\"id\":\"") &&
			buf_str(&x->out, t->calls[t->call_count - 1].id) &&
			buf_text(&x->out, "\",\"type\":\"function\",\"function\":{\"name\":\"") &&
			buf_str(&x->out, name) && buf_text(&x->out, "\"") && call_input(x, input),
		e);
}

static enum errc turn_put_calls(struct ollama_turns *t, json_at calls, const char *path,
				struct err *e)
{
	const struct json_doc *d = t->x->doc;
	enum errc              rc = ERR_OK;
	size_t                 n = 0;
	char                   at[160];

	check_path(at, "%s.tool_calls", path);
	if (json_kind(d, calls) != JSON_ARRAY)
		return err_set(e, ERR_INVALID_TYPE, at, "must be an array");
	if (d->tok[calls].count == 0)
		return ERR_OK;
	t->call_count = 0;
	for (json_at i = json_first(d, calls); rc == ERR_OK && i != json_end(d, calls);
	     i = json_next(d, i)) {
		check_path(at, "%s.tool_calls[%zu]", path, n++);
		rc = json_kind(d, i) == JSON_OBJECT
			     ? turn_put_call(t, i, at, e)
			     : err_set(e, ERR_INVALID_TYPE, at, "must be an object");
	}
	return rc == ERR_OK ? ollama_turns_ok(buf_text(&t->x->out, "]"), e) : rc;
}

/* answered_call: the call that a result is of: by its id; or else the first of this name, or the first of all, that has
 * no result. */
static struct asked_call *answered_call(const struct ollama_turns *t, struct str id,
					struct str name)
{
	struct asked_call *first = NULL;

	for (size_t i = 0; i < t->call_count; i++) {
		struct asked_call *c = &t->calls[i];

		if (c->answered)
			continue;
		if (id.n > 0 && str_eq(c->id, id))
			return c;
		if (!first && (id.n == 0 || c->made) && (name.n == 0 || str_eq(c->name, name)))
			first = c;
	}
	return first;
}

/* --- messages --- */

static enum errc read_tool_turn(struct ollama_turns *t, json_at message, struct str text,
				const char *path, struct err *e)
{
	struct ollama_reading *x = t->x;
	struct str             name = json_get_inner(x->doc, message, "tool_name");

	if (name.n == 0)
		name = json_get_inner(x->doc, message, "name");
	struct asked_call *call =
		answered_call(t, json_get_inner(x->doc, message, "tool_call_id"), name);
	if (!call)
		return err_set(e, ERR_INVALID_VALUE, path,
			       "must follow a tool call of this id or name that has no result yet");
	call->answered = true;
	return ollama_turns_ok(buf_text(&x->out, "{\"role\":\"tool\",\"tool_call_id\":\"") &&
				       buf_str(&x->out, call->id) &&
				       buf_text(&x->out, "\",\"content\":\"") &&
				       buf_str(&x->out, text) && buf_text(&x->out, "\"}"),
			       e);
}

static enum errc read_assistant_turn(struct ollama_turns *t, json_at message, struct str text,
				     const char *path, struct err *e)
{
	struct ollama_reading *x = t->x;
	json_at                calls = json_get_some(x->doc, message, "tool_calls");
	json_at                thinking;
	enum errc              rc = turn_text(x->doc, message, "thinking", path, &thinking, e);

	bool called = json_is_kind(x->doc, calls, JSON_ARRAY) && x->doc->tok[calls].count > 0;
	if (rc == ERR_OK)
		rc = ollama_turns_ok(buf_text(&x->out, "{\"role\":\"assistant\",\"content\":") &&
					     (called && text.n == 0
						      ? buf_text(&x->out, "null")
						      : buf_text(&x->out, "\"") &&
								buf_str(&x->out, text) &&
								buf_text(&x->out, "\"")),
				     e);
	struct str thought = rc == ERR_OK ? json_inner_of(x->doc, thinking) : STR_NONE;
	if (thought.n > 0)
		rc = ollama_turns_ok(buf_text(&x->out, ",\"reasoning_content\":\"") &&
					     buf_str(&x->out, thought) && buf_text(&x->out, "\""),
				     e);
	if (rc == ERR_OK && calls != JSON_ABSENT)
		rc = turn_put_calls(t, calls, path, e);
	return rc == ERR_OK ? ollama_turns_ok(buf_text(&x->out, "}"), e) : rc;
}

static enum errc read_plain_turn(struct ollama_reading *x, const char *role, struct str text,
				 json_at images, const char *path, struct err *e)
{
	char      at[160];
	enum errc rc =
		ollama_turns_ok(buf_text(&x->out, "{\"role\":\"") && buf_text(&x->out, role) &&
					buf_text(&x->out, "\",\"content\":"),
				e);

	check_path(at, "%s.images", path);
	if (rc == ERR_OK)
		rc = put_turn_content(x, text, images, at, e);
	return rc == ERR_OK ? ollama_turns_ok(buf_text(&x->out, "}"), e) : rc;
}

static enum errc turn_read(struct ollama_turns *t, json_at message, const char *path, struct err *e)
{
	const struct json_doc *d = t->x->doc;
	json_at                role = json_get(d, message, "role");
	json_at                images = turn_images(d, json_get_some(d, message, "images"));
	json_at                content;
	char                   at[160];

	if (json_kind(d, message) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path, "must be an object");
	if (turn_text(d, message, "content", path, &content, e) != ERR_OK)
		return e->code;
	struct str text = json_inner_of(d, content);
	if (json_is_kind(d, role, JSON_STRING) && json_is(d, role, "user"))
		return read_plain_turn(t->x, "user", text, images, path, e);
	check_path(at, "%s.images", path);
	if (images != JSON_ABSENT)
		return err_set(e, ERR_INVALID_VALUE, at, "must be in a message of the user's");
	if (json_is_kind(d, role, JSON_STRING) && json_is(d, role, "system"))
		return read_plain_turn(t->x, "system", text, JSON_ABSENT, path, e);
	if (json_is_kind(d, role, JSON_STRING) && json_is(d, role, "assistant"))
		return read_assistant_turn(t, message, text, path, e);
	if (json_is_kind(d, role, JSON_STRING) && json_is(d, role, "tool"))
		return read_tool_turn(t, message, text, path, e);
	check_path(at, "%s.role", path);
	return err_set(e, ERR_INVALID_VALUE, at, "must be one of: system, user, assistant, tool");
}

/* turns_keep: the messages, whose lengths the list has so far, go to the arena. */
static enum errc turns_keep(struct ollama_reading *x, struct str *list, size_t count, struct err *e)
{
	struct str all = arena_str(x->arena, buf_view(&x->out));
	size_t     at = 0;

	buf_clear(&x->out);
	if (!all.p)
		return ollama_turns_ok(false, e);
	for (size_t i = 0; i < count; i++) {
		list[i].p = all.p + at;
		at += list[i].n;
	}
	return ERR_OK;
}

enum errc ollama_turns_read(struct ollama_reading *x, json_at messages, const struct str **ret,
			    size_t *ret_count, struct err *e)
{
	struct ollama_turns t = { .x = x };
	size_t              most = x->doc->tok[messages].count;
	enum errc           rc = ERR_OK;

	t.list = arena_alloc(x->arena, (most + 1) * sizeof *t.list);
	t.calls = arena_alloc(x->arena, LIMIT_TOOLS * sizeof *t.calls);
	if (!t.list || !t.calls)
		return ollama_turns_ok(false, e);
	for (json_at i = json_first(x->doc, messages);
	     rc == ERR_OK && i != json_end(x->doc, messages); i = json_next(x->doc, i)) {
		size_t start = x->out.len;
		char   path[160];

		check_element(path, STR("messages"), t.count);
		rc = turn_read(&t, i, path, e);
		t.list[t.count++].n = x->out.len - start;
	}
	if (rc == ERR_OK)
		rc = turns_keep(x, t.list, t.count, e);
	*ret = t.list;
	*ret_count = t.count;
	return rc;
}

enum errc ollama_turns_prompt(struct ollama_reading *x, json_at system, json_at prompt,
			      json_at images, struct call_what *ret, struct err *e)
{
	struct str *list = arena_alloc(x->arena, 2 * sizeof *list);
	uint32_t   *origins = arena_alloc(x->arena, 2 * sizeof *origins);
	struct str  instruction = json_inner_of(x->doc, system);
	enum errc   rc = ERR_OK;
	size_t      n = 0;

	if (!list || !origins)
		return ollama_turns_ok(false, e);
	if (rc == ERR_OK && instruction.n > 0) {
		rc = read_plain_turn(x, "system", instruction, JSON_ABSENT, "", e);
		origins[n] = PROMPT_SYSTEM;
		list[n++].n = x->out.len;
	}
	size_t start = x->out.len;
	if (rc == ERR_OK)
		rc = ollama_turns_ok(buf_text(&x->out, "{\"role\":\"user\",\"content\":"), e);
	if (rc == ERR_OK)
		rc = put_turn_content(x, json_inner_of(x->doc, prompt), turn_images(x->doc, images),
				      "images", e);
	if (rc == ERR_OK)
		rc = ollama_turns_ok(buf_text(&x->out, "}"), e);
	if (rc != ERR_OK)
		return rc;
	list[n++].n = x->out.len - start;
	ret->messages = list;
	ret->message_count = n;
	ret->prompt.origins = origins;
	return turns_keep(x, list, n, e);
}
