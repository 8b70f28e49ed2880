/* Checks messages of LLM Chat (strings, objects and LMC) beyond what a table of fields can. */
#include "routes/chat/chat.h"

#include "base/id.h"
#include "base/limits.h"
#include "shape/transcript.h"
#include "routes/kit/check.h"
#include "schema/schema.h"

/* label_ok: the name is part of the text that the provider sees, and must not close its tag. */
static bool label_ok(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < 0x20 || strchr("\"<>\x7f", name.p[i]))
			return false;
	return true;
}

static enum errc check_file(const struct json_doc *d, json_at i, const char *path,
			    struct arena *arena, struct err *e)
{
	struct context_file f = context_file_init;
	struct id           id;
	char                at[160];
	enum errc           rc;

	if (json_kind(d, i) != JSON_OBJECT)
		return err_set(e, ERR_INVALID_TYPE, path,
			       "must be an object: {uuid, name} or {name, content}");
	rc = fields_read(&context_file_fields, d, i, path, arena, &f, e);
	if (rc != ERR_OK)
		return rc;
	if (f.uuid.p && f.content.p)
		return err_set(e, ERR_INVALID_VALUE, path, "uuid and content exclude each other");
	if (f.uuid.p && !file_id_parse(f.uuid, true, &id)) {
		check_path(at, "%s.uuid", path);
		return err_set(e, ERR_NOT_FOUND, at, "there is no such file");
	}
	if (!f.uuid.p && (!f.name.p || !f.content.p))
		return err_set(e, ERR_MISSING_PARAMETER, path,
			       "a file needs uuid, or name and content");
	if (f.name.p && !label_ok(f.name)) {
		check_path(at, "%s.name", path);
		return err_set(e, ERR_INVALID_VALUE, at,
			       "must have no control characters, quotes or angle brackets");
	}
	return ERR_OK;
}

static enum errc check_context(const struct json_doc *d, json_at context, const char *message,
			       struct arena *arena, struct err *e)
{
	struct chat_context c = chat_context_init;
	char                path[160];
	size_t              n = 0;
	enum errc           rc;

	check_path(path, "%s.context", message);
	rc = fields_read(&chat_context_fields, d, context, path, arena, &c, e);
	if (rc == ERR_OK && c.metadata != JSON_ABSENT &&
	    check_metadata(d, c.metadata, e) != ERR_OK) {
		err_at(e, path);
		return e->code;
	}
	if (rc != ERR_OK || c.files == JSON_ABSENT)
		return rc;
	JSON_EACH (f, d, c.files) {
		check_path(path, "%s.context.files[%zu]", message, n++);
		rc = check_file(d, f, path, arena, e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* chat_messages_check_parts: checks that content parts are objects with a type. The provider checks
 * the rest. */
static enum errc chat_messages_check_parts(const struct json_doc *d, json_at parts,
					   const char *message, struct err *e)
{
	size_t n = 0;
	char   path[160];

	if (d->tok[parts].count > LIMIT_PARTS) {
		check_path(path, "%s.content", message);
		return err_set(e, ERR_INVALID_VALUE, path, "must have at most %d parts",
			       LIMIT_PARTS);
	}
	JSON_EACH (i, d, parts) {
		json_at type = json_get(d, i, "type");

		check_path(path, "%s.content[%zu]", message, n++);
		if (json_kind(d, i) != JSON_OBJECT)
			return err_set(e, ERR_INVALID_TYPE, path,
				       "a content part must be an object");
		if (type == JSON_ABSENT) {
			err_set(e, ERR_MISSING_PARAMETER, "type", "a content part needs a type");
			err_at(e, path);
			return e->code;
		}
		if (json_kind(d, type) != JSON_STRING) {
			err_set(e, ERR_INVALID_TYPE, "type", "must be a string");
			err_at(e, path);
			return e->code;
		}
		if (json_is(d, type, "text")) {
			json_at text = json_get(d, i, "text");

			if (text == JSON_ABSENT || json_kind(d, text) != JSON_STRING) {
				err_set(e,
					text == JSON_ABSENT ? ERR_MISSING_PARAMETER
							    : ERR_INVALID_TYPE,
					"text", "a text part needs text, a string");
				err_at(e, path);
				return e->code;
			}
		}
	}
	return ERR_OK;
}

static enum errc at_member(struct err *e, const char *message, enum errc code, const char *member,
			   const char *text)
{
	err_set(e, code, member, "%s", text);
	err_at(e, message);
	return code;
}

static enum errc check_message(const struct json_doc *d, const struct chat_message *m,
			       const char *path, struct arena *arena, struct err *e)
{
	if (m->content != JSON_ABSENT) {
		enum json_kind kind = json_kind(d, m->content);

		if (kind != JSON_STRING && kind != JSON_ARRAY)
			return at_member(e, path, ERR_INVALID_TYPE, "content",
					 "must be a string or an array of content parts");
		if (kind == JSON_ARRAY) {
			enum errc rc = chat_messages_check_parts(d, m->content, path, e);
			if (rc != ERR_OK)
				return rc;
		}
	} else if (m->tool_calls == JSON_ABSENT) {
		return at_member(e, path, ERR_MISSING_PARAMETER, "content",
				 "a message needs content, a string or an array of content parts");
	}
	if (m->tool_calls != JSON_ABSENT && m->role != CHAT_ROLE_ASSISTANT)
		return at_member(e, path, ERR_INVALID_VALUE, "tool_calls",
				 "only a message of the assistant has tool calls");
	if (m->role == CHAT_ROLE_TOOL && !m->tool_call_id.p)
		return at_member(e, path, ERR_MISSING_PARAMETER, "tool_call_id",
				 "a message of role tool needs the id of the call it answers");
	if (m->role != CHAT_ROLE_TOOL && m->tool_call_id.p)
		return at_member(e, path, ERR_INVALID_VALUE, "tool_call_id",
				 "only a message of role tool has it");
	if (m->name.p && !check_name(m->name))
		return at_member(e, path, ERR_INVALID_VALUE, "name",
				 "must be 1 to 64 of A-Z, a-z, 0-9, _ and -");
	if (m->context != JSON_ABSENT)
		return check_context(d, m->context, path, arena, e);
	return ERR_OK;
}

/* chat_messages_joined: copies a, b and c into the arena as one text. */
static struct str chat_messages_joined(struct arena *arena, struct str a, struct str b,
				       struct str c)
{
	size_t n = a.n + b.n + c.n;
	char  *at = arena_alloc(arena, n + 1);

	if (!at)
		return STR_NONE;
	memcpy(at, a.p, a.n);
	memcpy(at + a.n, b.p, b.n);
	if (c.n > 0)
		memcpy(at + a.n + b.n, c.p, c.n);
	return (struct str){ at, n };
}

/* stored_form: the message with an explicit role. */
static struct str stored_form(const struct json_doc *d, json_at i, struct arena *arena)
{
	struct str raw = json_raw(d, i);

	if (json_kind(d, i) == JSON_STRING)
		return chat_messages_joined(arena, STR("{\"role\":\"user\",\"content\":"), raw,
					    STR("}"));
	if (json_get_some(d, i, "role") != JSON_ABSENT)
		return raw;
	/* A null role would be a duplicate of the added one. This is rare, so only then a member is
	 * cut out. */
	json_at role = json_get(d, i, "role");
	if (role != JSON_ABSENT) {
		struct str front = { raw.p, (size_t)(json_raw(d, role).p - raw.p) };
		struct str back = { json_raw(d, role).p + 4, raw.n - front.n - 4 };

		return chat_messages_joined(arena, front, STR("\"user\""), back);
	}
	return chat_messages_joined(arena, STR("{\"role\":\"user\","),
				    (struct str){ raw.p + 1, raw.n - 1 }, STR_NONE);
}

static enum errc chat_messages_read_one(struct input *in, json_at i, size_t n, bool paths,
					struct str *ret, struct err *e)
{
	const struct json_doc *d = &in->doc;
	char                   path[160];

	check_element(path, STR("messages"), n);
	if (json_kind(d, i) == JSON_OBJECT && json_get(d, i, "type") != JSON_ABSENT) {
		enum errc rc = transcript_check(d, i, path, paths, e);

		if (rc != ERR_OK)
			return rc;
		*ret = json_raw(d, i); /* stored unchanged, with unknown keys */
		return ERR_OK;
	}
	if (json_kind(d, i) == JSON_OBJECT) {
		struct chat_message m = chat_message_init;
		enum errc           rc;

		rc = fields_read(&chat_message_fields, d, i, path, &in->arena, &m, e);
		if (rc == ERR_OK)
			rc = check_message(d, &m, path, &in->arena, e);
		if (rc != ERR_OK)
			return rc;
	} else if (json_kind(d, i) != JSON_STRING) {
		return err_set(e, ERR_INVALID_TYPE, path,
			       "must be a string, a message object or an LMC message");
	}
	*ret = stored_form(d, i, &in->arena);
	return ret->p ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
}

enum errc chat_messages_read(struct input *in, json_at messages, bool paths, struct str **ret,
			     size_t *ret_count, struct err *e)
{
	const struct json_doc *d = &in->doc;
	size_t                 count = d->tok[messages].count;
	struct str            *list = arena_alloc(&in->arena, (count + 1) * sizeof *list);
	size_t                 n = 0;

	if (!list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the messages");
	JSON_EACH (i, d, messages) {
		enum errc rc = chat_messages_read_one(in, i, n, paths, &list[n], e);

		if (rc != ERR_OK)
			return rc;
		n++;
	}
	*ret = list;
	*ret_count = n;
	return ERR_OK;
}
