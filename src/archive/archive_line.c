/* Reads and prints the members of an archive's lines. */
#include "archive/archive.h"

#include "base/limits.h"
#include "json/field.h"
#include "msg/family.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define LATEST_MS 253402300799999.0 /* the end of the year 9999 */
#define COUNT_MAX 9007199254740991.0

static const char *const kinds[] = {
	[ARCHIVE_CONVERSATION] = "conversation",
	[ARCHIVE_RUN] = "run",
	[ARCHIVE_MESSAGE] = "message",
	NULL,
};

/* clang-format off */
static const char *const statuses[] = {
	[ARCHIVE_QUEUED] = "queued",         [ARCHIVE_RUNNING] = "running",
	[ARCHIVE_COMPLETED] = "completed",   [ARCHIVE_INCOMPLETE] = "incomplete",
	[ARCHIVE_FAILED] = "failed",         [ARCHIVE_CANCELLED] = "cancelled",
	NULL,
};
/* clang-format on */

static const char *const shapes[] = { SHAPE_WORDS, NULL };

/* A body and its place in the messages of an archive; a stored message is not larger. */
static const struct json_limits line_limits = {
	.depth = LIMIT_JSON_DEPTH + 1,
	.tokens = LIMIT_JSON_TOKENS + 64,
	.unique = 2,
};

/* The limits are those of stored runs; a page of runs has many of these texts. */
enum { PROVIDER_MAX = 63, FINISH_MAX = 63, ERROR_MAX = 8 * KIB };

/* The members of all kinds of lines; the table of a kind says which it has. */
struct members {
	int        type;
	int64_t    version;
	struct str id;
	struct str owner;
	int64_t    created_ms;
	int64_t    revision;
	struct str title;
	json_at    metadata;
	struct str source;
	struct str leaf;
	struct str tip;
	struct str base;
	struct str continues;
	int        status;
	int64_t    first_token_ms;
	int64_t    completed_ms;
	int64_t    attempts;
	json_at    usage;
	struct str model;
	struct str provider;
	int        shape;
	struct str finish_reason;
	struct str native_reason;
	struct str instruction;
	json_at    error;
	json_at    settings;
	struct str request_id;
	struct str parent;
	struct str run;
	bool       removed;
	json_at    message;
};

/* clang-format off */
#define AT(m) offsetof(struct members, m)
#define TYPE  { "type", FIELD_ENUM, true, 0, 0, AT(type), kinds }
#define ID(name, must, at) { name, FIELD_STRING, must, 0, LIMIT_ID, AT(at), NULL }
#define TIME(name, must, at) { name, FIELD_INT, must, 0, LATEST_MS, AT(at), NULL }
#define TEXT(name, max, at) { name, FIELD_STRING, false, 0, max, AT(at), NULL }
#define OBJECT(name, at) { name, FIELD_OBJECT, false, 0, 0, AT(at), NULL }
/* clang-format on */

static const struct field conversation_rows[] = {
	TYPE,
	{ "version", FIELD_INT, true, ARCHIVE_VERSION, ARCHIVE_VERSION, AT(version), NULL },
	ID("id", true, id),
	TEXT("owner", 19, owner),
	TIME("created_at_ms", true, created_ms),
	{ "revision", FIELD_INT, false, 1, COUNT_MAX, AT(revision), NULL },
	TEXT("title", LIMIT_TITLE, title),
	OBJECT("metadata", metadata),
	TEXT("instruction", LIMIT_STORE_ROW, instruction),
	TEXT("source", LIMIT_METADATA_VALUE, source),
	ID("leaf", false, leaf),
	ID("tip", false, tip),
};

static const struct field run_rows[] = {
	TYPE,
	ID("id", true, id),
	ID("base", false, base),
	ID("continues", false, continues),
	{ "status", FIELD_ENUM, true, 0, 0, AT(status), statuses },
	TIME("created_at_ms", true, created_ms),
	TIME("first_token_at_ms", false, first_token_ms),
	TIME("completed_at_ms", false, completed_ms),
	{ "attempts", FIELD_INT, false, 0, COUNT_MAX, AT(attempts), NULL },
	OBJECT("usage", usage),
	TEXT("model", LIMIT_MODEL, model),
	TEXT("provider", PROVIDER_MAX, provider),
	{ "shape", FIELD_ENUM, false, 0, 0, AT(shape), shapes },
	TEXT("finish_reason", FINISH_MAX, finish_reason),
	TEXT("native_finish_reason", FINISH_MAX, native_reason),
	TEXT("instruction", LIMIT_STORE_ROW, instruction),
	OBJECT("metadata", metadata),
	OBJECT("error", error),
	OBJECT("settings", settings),
	TEXT("request_id", LIMIT_METADATA_VALUE, request_id),
};

static const struct field message_rows[] = {
	TYPE,
	ID("id", true, id),
	ID("parent", false, parent),
	ID("run", false, run),
	TIME("created_at_ms", true, created_ms),
	{ "removed", FIELD_BOOL, false, 0, 0, AT(removed), NULL },
	OBJECT("message", message),
};

static const struct field_set sets[] = {
	[ARCHIVE_CONVERSATION] = FIELD_SET("archive", conversation_rows),
	[ARCHIVE_RUN] = FIELD_SET("archive", run_rows),
	[ARCHIVE_MESSAGE] = FIELD_SET("archive", message_rows),
};

struct usage_members {
	int64_t in;
	int64_t out;
	int64_t cached_read;
	int64_t cached_write;
	int64_t reasoning;
	bool    estimated;
};

/* clang-format off */
#define COUNT(name, at) { name, FIELD_INT, false, 0, COUNT_MAX, offsetof(struct usage_members, at), NULL }
/* clang-format on */
static const struct field usage_rows[] = {
	COUNT("input_tokens", in),
	COUNT("output_tokens", out),
	COUNT("cached_read_tokens", cached_read),
	COUNT("cached_write_tokens", cached_write),
	COUNT("reasoning_tokens", reasoning),
	{ "estimated", FIELD_BOOL, false, 0, 0, offsetof(struct usage_members, estimated), NULL },
};
static const struct field_set usage_set = FIELD_SET("archive", usage_rows);

/* --- reading --- */

struct reading {
	const struct json_doc *doc;
	struct arena          *arena;
	const char            *path;
	struct err            *e;
};

/* archive_line_refuse: the path of the error is that of the line and `member`. */
static enum errc archive_line_refuse(const struct reading *r, enum errc code, const char *member,
				     const char *text)
{
	err_set(r->e, code, member, "%s", text);
	err_at(r->e, r->path);
	return code;
}

static bool archive_line_read_id(const struct reading *r, struct str text, const char *prefix,
				 const char *member, struct id *ret)
{
	char what[80];

	*ret = (struct id){ 0 };
	if (!text.p || id_parse(text, prefix, ret))
		return true;
	snprintf(what, sizeof what, "must be %s and 32 lower-case hexadecimal digits", prefix);
	(void)archive_line_refuse(r, ERR_INVALID_VALUE, member, what);
	return false;
}

static struct str archive_line_raw(const struct reading *r, json_at at)
{
	return at == JSON_ABSENT ? STR_NONE : json_raw(r->doc, at);
}

static size_t archive_line_characters(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

static bool archive_line_within(const struct reading *r, json_at text, size_t max)
{
	struct str value;

	return json_text(r->doc, text, r->arena, &value) && archive_line_characters(value) <= max;
}

/* The rules are those of requests with metadata. */
static enum errc check_pairs(const struct reading *r, json_at metadata)
{
	const struct json_doc *d = r->doc;

	if (metadata == JSON_ABSENT)
		return ERR_OK;
	if (d->tok[metadata].count > LIMIT_METADATA)
		return archive_line_refuse(r, ERR_INVALID_VALUE, "metadata",
					   "at most 16 pairs are allowed");
	JSON_EACH_MEMBER (k, d, metadata)
		if (json_kind(d, json_value(k)) != JSON_STRING ||
		    !archive_line_within(r, k, LIMIT_METADATA_KEY) ||
		    !archive_line_within(r, json_value(k), LIMIT_METADATA_VALUE))
			return archive_line_refuse(
				r, ERR_INVALID_VALUE, "metadata",
				"must be pairs of strings, keys of up to 64 and values of up to "
				"512 characters");
	return ERR_OK;
}
_Static_assert(LIMIT_METADATA == 16 && LIMIT_METADATA_KEY == 64 && LIMIT_METADATA_VALUE == 512,
	       "the messages name them");

static enum errc archive_line_read_usage(const struct reading *r, json_at at,
					 struct archive_run *ret)
{
	struct usage_members u = { 0 };
	char                 path[160];

	if (at == JSON_ABSENT)
		return ERR_OK;
	snprintf(path, sizeof path, "%s.usage", r->path);
	if (fields_read(&usage_set, r->doc, at, path, r->arena, &u, r->e) != ERR_OK)
		return r->e->code;
	ret->used = true;
	ret->usage = (struct usage){
		.known = !u.estimated,
		.estimated = u.estimated,
		.in = u.in,
		.out = u.out,
		.cached_read = u.cached_read,
		.cached_write = u.cached_write,
		.reasoning = u.reasoning,
	};
	return ERR_OK;
}

static bool archive_line_is_one_of(const struct json_doc *d, json_at at, const char *const *names)
{
	for (; *names; names++)
		if (json_is(d, at, *names))
			return true;
	return false;
}

/* Members of every stored message, whoever sent it and however it was made: its later readers
 * rely on no more.  Its other members are its own. */
static enum errc check_body(const struct reading *r, json_at body)
{
	static const char *const roles[] = { "user", "assistant", "system", "developer",
					     "tool", "function",  NULL };
	const struct json_doc   *d = r->doc;
	json_at                  type = json_get_some(d, body, "type");
	json_at                  role = json_get_some(d, body, "role");
	json_at                  content = json_get_some(d, body, "content");
	json_at                  calls = json_get_some(d, body, "tool_calls");

	if (json_raw(d, body).n > LIMIT_STORE_ROW - MIB)
		return archive_line_refuse(r, ERR_REQUEST_TOO_LARGE, "message",
					   "the message is too large");
	if (role == JSON_ABSENT)
		return archive_line_refuse(r, ERR_MISSING_PARAMETER, "message.role",
					   "a message needs a role");
	if (type != JSON_ABSENT) {
		if (json_kind(d, type) != JSON_STRING)
			return archive_line_refuse(r, ERR_INVALID_TYPE, "message.type",
						   "must be a string");
		if (json_kind(d, role) != JSON_STRING)
			return archive_line_refuse(r, ERR_INVALID_TYPE, "message.role",
						   "must be a string");
		return ERR_OK;
	}
	if (!archive_line_is_one_of(d, role, roles))
		return archive_line_refuse(
			r, ERR_INVALID_VALUE, "message.role",
			"must be one of: user, assistant, system, developer, tool, function");
	if (content != JSON_ABSENT && json_kind(d, content) != JSON_STRING &&
	    json_kind(d, content) != JSON_ARRAY)
		return archive_line_refuse(r, ERR_INVALID_TYPE, "message.content",
					   "must be a string or an array of content parts");
	if (calls != JSON_ABSENT && json_kind(d, calls) != JSON_ARRAY)
		return archive_line_refuse(r, ERR_INVALID_TYPE, "message.tool_calls",
					   "must be an array");
	return ERR_OK;
}

/* More digits than a JSON number keeps everywhere: so it stands in a string. */
static bool read_owner(struct str text, int64_t *ret)
{
	char  digits[20];
	char *end;

	str_copy(digits, sizeof digits, text);
	errno = 0;
	*ret = strtoll(digits, &end, 10);
	return digits[0] >= '0' && digits[0] <= '9' && *end == '\0' && errno == 0;
}

static enum errc take_conversation(const struct reading *r, const struct members *m,
				   struct archive_conversation *ret)
{
	*ret = (struct archive_conversation){
		.owned = m->owner.p != NULL,
		.created_ms = m->created_ms,
		.revision = m->revision,
		.title = m->title,
		.metadata = archive_line_raw(r, m->metadata),
		.instruction = m->instruction,
		.source = m->source,
	};
	if (ret->owned && !read_owner(m->owner, &ret->owner))
		return archive_line_refuse(r, ERR_INVALID_VALUE, "owner",
					   "must be a number of up to 63 bits");
	if (!archive_line_read_id(r, m->id, ID_CONVERSATION, "id", &ret->id) ||
	    !archive_line_read_id(r, m->leaf, ID_RUN, "leaf", &ret->leaf) ||
	    !archive_line_read_id(r, m->tip, ID_MESSAGE, "tip", &ret->tip))
		return r->e->code;
	return check_pairs(r, m->metadata);
}

/* The text between the quotes of a string member. */
static struct str archive_line_escaped(const struct reading *r, const char *member)
{
	json_at i = json_get_some(r->doc, 0, member);

	return i == JSON_ABSENT ? STR_NONE : json_inner(r->doc, i);
}

static enum errc archive_line_take_run(const struct reading *r, const struct members *m,
				       struct archive_run *ret)
{
	*ret = (struct archive_run){
		.status = (enum archive_status)m->status,
		.created_ms = m->created_ms,
		.first_token_ms = m->first_token_ms,
		.completed_ms = m->completed_ms,
		.attempts = m->attempts,
		.model = m->model,
		.provider = m->provider,
		.shape = m->shape >= 0 ? str_of(shapes[m->shape]) : STR_NONE,
		.finish_reason = archive_line_escaped(r, "finish_reason"),
		.native_reason = archive_line_escaped(r, "native_finish_reason"),
		.instruction = m->instruction,
		.metadata = archive_line_raw(r, m->metadata),
		.error = archive_line_raw(r, m->error),
		.settings = archive_line_raw(r, m->settings),
		.request_id = m->request_id,
	};
	if (!archive_line_read_id(r, m->id, ID_RUN, "id", &ret->id) ||
	    !archive_line_read_id(r, m->base, ID_MESSAGE, "base", &ret->base) ||
	    !archive_line_read_id(r, m->continues, ID_RUN, "continues", &ret->continues))
		return r->e->code;
	enum errc rc = check_pairs(r, m->metadata);
	if (rc == ERR_OK && ret->finish_reason.n > FINISH_MAX)
		rc = archive_line_refuse(r, ERR_INVALID_VALUE, "finish_reason",
					 "must have at most 63 bytes");
	if (rc == ERR_OK && ret->native_reason.n > FINISH_MAX)
		rc = archive_line_refuse(r, ERR_INVALID_VALUE, "native_finish_reason",
					 "must have at most 63 bytes");
	if (rc == ERR_OK && ret->error.n > ERROR_MAX)
		rc = archive_line_refuse(r, ERR_INVALID_VALUE, "error", "must have at most 8 KiB");
	return rc == ERR_OK ? archive_line_read_usage(r, m->usage, ret) : rc;
}

static enum errc archive_line_take_message(const struct reading *r, const struct members *m,
					   struct archive_message *ret)
{
	*ret = (struct archive_message){
		.created_ms = m->created_ms,
		.body = archive_line_raw(r, m->message),
	};
	if (!archive_line_read_id(r, m->id, ID_MESSAGE, "id", &ret->id) ||
	    !archive_line_read_id(r, m->parent, ID_MESSAGE, "parent", &ret->parent) ||
	    !archive_line_read_id(r, m->run, ID_RUN, "run", &ret->run))
		return r->e->code;
	if (m->removed && m->message != JSON_ABSENT)
		return archive_line_refuse(r, ERR_INVALID_VALUE, "message",
					   "a removed message must have no content");
	if (!m->removed && m->message == JSON_ABSENT)
		return archive_line_refuse(
			r, ERR_MISSING_PARAMETER, "message",
			"is missing; without it the line needs \"removed\": true");
	return m->removed ? ERR_OK : check_body(r, m->message);
}

static enum errc read_kind(const struct reading *r, enum archive_kind *ret)
{
	json_at at;

	if (json_kind(r->doc, 0) != JSON_OBJECT)
		return err_set(r->e, ERR_INVALID_TYPE, r->path, "a line must be a JSON object");
	at = json_get_some(r->doc, 0, "type");
	if (at == JSON_ABSENT)
		return archive_line_refuse(r, ERR_MISSING_PARAMETER, "type",
					   "must be one of: conversation, run, message");
	for (int i = 0; i < ARCHIVE_KIND__COUNT; i++)
		if (json_is(r->doc, at, kinds[i])) {
			*ret = (enum archive_kind)i;
			return ERR_OK;
		}
	return archive_line_refuse(r, ERR_INVALID_VALUE, "type",
				   "must be one of: conversation, run, message");
}

enum errc archive_line_parse(struct str line, const char *path, struct json_doc *doc,
			     struct arena *arena, struct archive_line *ret, struct err *e)
{
	const struct reading r = { doc, arena, path, e };
	struct members       m = { .revision = 1, .shape = -1 };

	if (line.n > LIMIT_STORE_ROW)
		return err_set(e, ERR_REQUEST_TOO_LARGE, path, "a line may have at most %u MiB",
			       LIMIT_STORE_ROW / MIB);
	if (json_scan(doc, line.p, line.n, &line_limits, e) != ERR_OK) {
		err_at(e, path);
		return e->code;
	}
	if (read_kind(&r, &ret->kind) != ERR_OK ||
	    fields_read(&sets[ret->kind], doc, 0, path, arena, &m, e) != ERR_OK)
		return e->code;
	switch (ret->kind) {
	case ARCHIVE_CONVERSATION: return take_conversation(&r, &m, &ret->as.conversation);
	case ARCHIVE_RUN: return archive_line_take_run(&r, &m, &ret->as.run);
	case ARCHIVE_MESSAGE: return archive_line_take_message(&r, &m, &ret->as.message);
	case ARCHIVE_KIND__COUNT: break;
	}
	return ERR_INTERNAL;
}

/* --- printing --- */

static bool archive_line_put_id(struct buf *out, const char *member, struct id id,
				const char *prefix)
{
	char text[ID_MAX];

	if (id_none(id))
		return true;
	return buf_fmt(out, ",\"%s\":\"%s\"", member, id_text(id, prefix, text).p);
}

static bool put_int(struct buf *out, const char *member, int64_t v)
{
	return buf_fmt(out, ",\"%s\":%lld", member, (long long)v);
}

static bool archive_line_put_some(struct buf *out, const char *member, int64_t v)
{
	return v == 0 || put_int(out, member, v);
}

static bool archive_line_put_text(struct buf *out, const char *member, struct str s)
{
	return !s.p || (buf_fmt(out, ",\"%s\":", member) && buf_json_string(out, s));
}

static bool put_escaped(struct buf *out, const char *member, struct str s)
{
	return !s.p ||
	       (buf_fmt(out, ",\"%s\":\"", member) && buf_str(out, s) && buf_text(out, "\""));
}

/* In valid JSON, a line break is only between tokens. */
static bool put_json(struct buf *out, const char *member, struct str json)
{
	if (!json.p)
		return true;
	if (!buf_fmt(out, ",\"%s\":", member))
		return false;

	size_t at = out->len;
	if (!buf_str(out, json))
		return false;
	for (char *p = out->data + at; p < out->data + out->len; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	return true;
}

static bool archive_line_print_conversation(struct buf *out, const struct archive_conversation *c)
{
	return buf_fmt(out, "{\"type\":\"conversation\",\"version\":%d", ARCHIVE_VERSION) &&
	       archive_line_put_id(out, "id", c->id, ID_CONVERSATION) &&
	       (!c->owned || buf_fmt(out, ",\"owner\":\"%lld\"", (long long)c->owner)) &&
	       put_int(out, "created_at_ms", c->created_ms) &&
	       put_int(out, "revision", c->revision) &&
	       archive_line_put_text(out, "title", c->title) &&
	       put_json(out, "metadata", c->metadata) &&
	       archive_line_put_text(out, "instruction", c->instruction) &&
	       archive_line_put_text(out, "source", c->source) &&
	       archive_line_put_id(out, "leaf", c->leaf, ID_RUN) &&
	       archive_line_put_id(out, "tip", c->tip, ID_MESSAGE);
}

static bool print_usage(struct buf *out, const struct archive_run *r)
{
	const struct usage *u = &r->usage;

	return !r->used || buf_fmt(out,
				   ",\"usage\":{\"input_tokens\":%lld,\"output_tokens\":%lld,"
				   "\"cached_read_tokens\":%lld,\"cached_write_tokens\":%lld,"
				   "\"reasoning_tokens\":%lld,\"estimated\":%s}",
				   (long long)u->in, (long long)u->out, (long long)u->cached_read,
				   (long long)u->cached_write, (long long)u->reasoning,
				   u->estimated ? "true" : "false");
}

static bool archive_line_print_run(struct buf *out, const struct archive_run *r)
{
	return buf_text(out, "{\"type\":\"run\"") &&
	       archive_line_put_id(out, "id", r->id, ID_RUN) &&
	       archive_line_put_id(out, "base", r->base, ID_MESSAGE) &&
	       archive_line_put_id(out, "continues", r->continues, ID_RUN) &&
	       buf_fmt(out, ",\"status\":\"%s\"", statuses[r->status]) &&
	       put_int(out, "created_at_ms", r->created_ms) &&
	       archive_line_put_some(out, "first_token_at_ms", r->first_token_ms) &&
	       archive_line_put_some(out, "completed_at_ms", r->completed_ms) &&
	       put_int(out, "attempts", r->attempts) &&
	       archive_line_put_text(out, "model", r->model) &&
	       archive_line_put_text(out, "provider", r->provider) &&
	       archive_line_put_text(out, "shape", r->shape) &&
	       archive_line_put_text(out, "instruction", r->instruction) &&
	       put_json(out, "metadata", r->metadata) &&
	       put_escaped(out, "finish_reason", r->finish_reason) &&
	       put_escaped(out, "native_finish_reason", r->native_reason) && print_usage(out, r) &&
	       put_json(out, "error", r->error) && put_json(out, "settings", r->settings) &&
	       archive_line_put_text(out, "request_id", r->request_id);
}

static bool print_message(struct buf *out, const struct archive_message *m)
{
	return buf_text(out, "{\"type\":\"message\"") &&
	       archive_line_put_id(out, "id", m->id, ID_MESSAGE) &&
	       archive_line_put_id(out, "parent", m->parent, ID_MESSAGE) &&
	       archive_line_put_id(out, "run", m->run, ID_RUN) &&
	       put_int(out, "created_at_ms", m->created_ms) &&
	       (m->body.p ? put_json(out, "message", m->body) : buf_text(out, ",\"removed\":true"));
}

bool archive_line_print(struct buf *out, const struct archive_line *line)
{
	bool ok = false;

	switch (line->kind) {
	case ARCHIVE_CONVERSATION:
		ok = archive_line_print_conversation(out, &line->as.conversation);
		break;
	case ARCHIVE_RUN: ok = archive_line_print_run(out, &line->as.run); break;
	case ARCHIVE_MESSAGE: ok = print_message(out, &line->as.message); break;
	case ARCHIVE_KIND__COUNT: break;
	}
	return ok && buf_text(out, "}\n");
}
