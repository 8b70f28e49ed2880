/* Renames items, and joins the provider's response with the gateway's. */
#include "shape/response.h"

#include "base/limits.h"
#include "json/scan.h"

#include <stdio.h>
#include <stdlib.h>

/* The types of items whose ids mean nothing to the provider, as it stores nothing.  The ids of others are
 * answered by further items (an mcp_approval_request by its response). */
static const struct raw_kind {
	const char *type;
	const char *prefix;
	unsigned
		counted; /* kinds of one number are counted together; the first: enum response_kind */
} raw_kinds[] = {
	{ "reasoning", "rs_", RESPONSE_REASONING },
	{ "message", ID_MESSAGE, RESPONSE_MESSAGE },
	{ "function_call", "fc_", RESPONSE_CALL },
	{ "custom_tool_call", "ctc_", RESPONSE_CALL },
	{ "image_generation_call", "ig_", RESPONSE_IMAGE },
	{ "web_search_call", "ws_", 4 },
	{ "file_search_call", "fs_", 5 },
	{ "code_interpreter_call", "ci_", 6 },
	{ "computer_call", "cu_", 7 },
	{ "local_shell_call", "lsh_", 8 },
	{ "shell_call", "sh_", 9 },
	{ "apply_patch_call", "apc_", 10 },
	{ "tool_search_call", "tsc_", 11 },
	{ "tool_search_output", "tso_", 12 },
	{ "mcp_call", "mcp_", 13 },
	{ "mcp_list_tools", "mcpl_", 14 },
	{ "compaction", "cmp_", 15 },
};
enum { RAW_KINDS = 16 };

struct raw_name {
	char from[RESPONSE_OWN_ID]; /* from, to: with quotes */
	char to[RESPONSE_ID + 2];
};

struct response_raw {
	struct id       run;
	bool            renames;
	struct buf      names; /* struct raw_name */
	size_t          nth[RAW_KINDS];
	struct buf      items;
	struct json_doc doc;      /* scratch */
	struct json_doc settings; /* settings of the response */
};

/* --- ids --- */

static struct raw_name *raw_names(const struct response_raw *x)
{
	return (struct raw_name *)(void *)x->names.data;
}

struct str response_raw_id(struct response_raw *x, struct str id)
{
	for (size_t i = x->names.len / sizeof(struct raw_name); id.n > 0 && i > 0; i--)
		if (str_is(id, raw_names(x)[i - 1].from))
			return str_of(raw_names(x)[i - 1].to);
	return id;
}

static const struct raw_kind *raw_kind_of(const struct json_doc *d, json_at item)
{
	for (size_t i = 0; i < ARRAY_LEN(raw_kinds); i++)
		if (json_get_is(d, item, "type", raw_kinds[i].type))
			return &raw_kinds[i];
	return NULL;
}

/* raw_add_name: the id of a second item of a kind ends in "_2". */
static bool raw_add_name(struct response_raw *x, const struct json_doc *d, json_at item)
{
	const struct raw_kind *kind = raw_kind_of(d, item);
	json_at                at = json_get(d, item, "id");
	struct str             id = json_is_kind(d, at, JSON_STRING) ? json_raw(d, at) : STR_NONE;
	struct raw_name        name;
	char                   body[ID_MAX];

	if (!x->renames || !kind || id.n <= 2 || id.n >= RESPONSE_OWN_ID ||
	    response_raw_id(x, id).p != id.p)
		return true;
	str_copy(name.from, sizeof name.from, id);
	id_text(x->run, kind->prefix, body);
	if (++x->nth[kind->counted] > 1)
		snprintf(name.to, sizeof name.to, "\"%s_%zu\"", body, x->nth[kind->counted]);
	else
		snprintf(name.to, sizeof name.to, "\"%s\"", body);
	return buf_add(&x->names, &name, sizeof name);
}

/* raw_scan: false: no memory; what can't be read is printed as it is. */
static bool raw_scan(struct json_doc *d, struct str json)
{
	struct err e;

	return json_scan(d, json.p, json.n, &json_limits_stored, &e) == ERR_OK ||
	       e.code != ERR_OVERLOADED;
}

bool response_raw_name(struct response_raw *x, struct str item)
{
	return !x->renames ||
	       (raw_scan(&x->doc, item) && (x->doc.count == 0 || raw_add_name(x, &x->doc, 0)));
}

/* --- items --- */

/* raw_put_item: an item of d with its new id. */
static bool raw_put_item(struct response_raw *x, const struct json_doc *d, json_at item,
			 struct buf *out)
{
	json_at    at = json_get(d, item, "id");
	struct str raw = json_raw(d, item);
	struct str id = json_is_kind(d, at, JSON_STRING) ? json_raw(d, at) : STR_NONE;

	if (id.n == 0)
		return buf_str(out, raw);
	struct str before = { raw.p, (size_t)(id.p - raw.p) };
	struct str after = { id.p + id.n, raw.n - before.n - id.n };
	return buf_str(out, before) && buf_str(out, response_raw_id(x, id)) && buf_str(out, after);
}

bool response_raw_add(struct response_raw *x, struct str item)
{
	if (!raw_scan(&x->doc, item))
		return false;
	return x->doc.count == 0 ||
	       (raw_add_name(x, &x->doc, 0) && (x->items.len == 0 || buf_text(&x->items, ",")) &&
		raw_put_item(x, &x->doc, 0, &x->items));
}

void response_raw_counts(const struct response_raw *x, size_t ret[RESPONSE_KIND__COUNT])
{
	memcpy(ret, x->nth, RESPONSE_KIND__COUNT * sizeof *ret);
	ret[RESPONSE_CUSTOM] = 0; /* counted as calls */
}

struct str response_raw_output(const struct response_raw *x)
{
	return buf_view(&x->items);
}

/* --- the object --- */

/* The members before the settings. */
static const char *const raw_first[] = { "id",           "object", "created_at",         "status",
					 "completed_at", "error",  "incomplete_details", "output",
					 "usage" };

/* Settings that are the gateway's business, whatever the provider says of them. */
static const char *const raw_ours[] = {
	"model", "metadata", "store", "background", "previous_response_id", "conversation"
};

static bool raw_is_one(const struct json_doc *d, json_at k, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (json_is(d, k, list[i]))
			return true;
	return false;
}

/* raw_named: the member of d with the key at k of another document; absent: there is none. */
static json_at raw_named(const struct json_doc *d, const struct json_doc *other, json_at k)
{
	struct str key = json_inner(other, k);

	if (d->count > 0 && json_kind(d, 0) == JSON_OBJECT)
		JSON_EACH_MEMBER (i, d, 0)
			if (str_eq(json_inner(d, i), key))
				return json_value(i);
	return JSON_ABSENT;
}

static bool raw_put_settings(struct response_raw *x, struct buf *out)
{
	const struct json_doc *s = &x->settings;

	if (s->count == 0 || json_kind(s, 0) != JSON_OBJECT)
		return true;
	JSON_EACH_MEMBER (k, s, 0) {
		json_at own = raw_is_one(s, k, raw_ours, ARRAY_LEN(raw_ours))
				      ? JSON_ABSENT
				      : raw_named(&x->doc, s, k);

		if (!buf_text(out, ",") || !buf_str(out, json_raw(s, k)) || !buf_text(out, ":") ||
		    !buf_str(out, own != JSON_ABSENT && json_kind(&x->doc, own) != JSON_NULL
					  ? json_raw(&x->doc, own)
					  : json_raw(s, json_value(k))))
			return false;
	}
	return true;
}

static bool raw_put_others(struct response_raw *x, struct buf *out)
{
	const struct json_doc *d = &x->doc;

	if (d->count == 0 || json_kind(d, 0) != JSON_OBJECT)
		return true;
	JSON_EACH_MEMBER (k, d, 0) {
		if (raw_is_one(d, k, raw_first, ARRAY_LEN(raw_first)) ||
		    raw_is_one(d, k, raw_ours, ARRAY_LEN(raw_ours)) ||
		    raw_named(&x->settings, d, k) != JSON_ABSENT)
			continue;
		if (!buf_text(out, ",") || !buf_str(out, json_member(d, k)))
			return false;
	}
	return true;
}

static bool raw_put_output(struct response_raw *x, struct buf *out)
{
	const struct json_doc *d = &x->doc;
	json_at                list = d->count > 0 ? json_get(d, 0, "output") : JSON_ABSENT;
	bool                   ok = buf_text(out, ",\"output\":[");
	bool                   first = true;

	/* Some providers leave the items out of the last event, and some send them nowhere else. */
	if (!json_is_kind(d, list, JSON_ARRAY) || d->tok[list].count == 0)
		return ok && buf_str(out, buf_view(&x->items)) && buf_text(out, "]");
	JSON_EACH (i, d, list) {
		ok = ok && raw_add_name(x, d, i) && (first || buf_text(out, ",")) &&
		     raw_put_item(x, d, i, out);
		first = false;
	}
	return ok && buf_text(out, "]");
}

bool response_raw_put_usage(const struct usage *u, struct buf *out)
{
	return buf_fmt(out,
		       "{\"input_tokens\":%lld,\"input_tokens_details\":{\"cached_tokens\":%lld,"
		       "\"cache_write_tokens\":%lld},\"output_tokens\":%lld,"
		       "\"output_tokens_details\":{\"reasoning_tokens\":%lld},"
		       "\"total_tokens\":%lld}",
		       (long long)u->in, (long long)u->cached_read, (long long)u->cached_write,
		       (long long)u->out, (long long)u->reasoning,
		       (long long)u->in + (long long)u->out);
}

/* raw_put_rest: the members of an object that only the provider has. */
static bool raw_put_rest(const struct json_doc *d, json_at object, const char *const *known,
			 size_t count, struct buf *out)
{
	bool ok = true;

	if (json_is_kind(d, object, JSON_OBJECT))
		JSON_EACH_MEMBER (k, d, object)
			ok = ok && (raw_is_one(d, k, known, count) ||
				    (buf_text(out, ",") && buf_str(out, json_member(d, k))));
	return ok;
}

/* raw_put_counts: the counts that were read, which are those of the bill, and further ones. */
static bool raw_put_counts(const struct json_doc *d, json_at usage, const struct usage *u,
			   struct buf *out)
{
	static const char *const known[] = { "input_tokens", "input_tokens_details",
					     "output_tokens", "output_tokens_details",
					     "total_tokens" };
	static const char *const in[] = { "cached_tokens", "cache_write_tokens" };
	static const char *const of[] = { "reasoning_tokens" };

	return buf_fmt(out,
		       "{\"input_tokens\":%lld,\"input_tokens_details\":{\"cached_tokens\":%lld,"
		       "\"cache_write_tokens\":%lld",
		       (long long)u->in, (long long)u->cached_read, (long long)u->cached_write) &&
	       raw_put_rest(d, json_get(d, usage, known[1]), in, ARRAY_LEN(in), out) &&
	       buf_fmt(out,
		       "},\"output_tokens\":%lld,\"output_tokens_details\":{\"reasoning_tokens\":"
		       "%lld",
		       (long long)u->out, (long long)u->reasoning) &&
	       raw_put_rest(d, json_get(d, usage, known[3]), of, ARRAY_LEN(of), out) &&
	       buf_fmt(out, "},\"total_tokens\":%lld", (long long)u->in + (long long)u->out) &&
	       raw_put_rest(d, usage, known, ARRAY_LEN(known), out) && buf_text(out, "}");
}

static bool raw_put_usage(const struct response_raw *x, const struct response_frame *f,
			  struct buf *out)
{
	json_at usage = x->doc.count > 0 ? json_get(&x->doc, 0, "usage") : JSON_ABSENT;

	if (!buf_text(out, ",\"usage\":"))
		return false;
	if (!f->over || !f->usage->known)
		return buf_text(out, "null");
	return json_is_kind(&x->doc, usage, JSON_OBJECT)
		       ? raw_put_counts(&x->doc, usage, f->usage, out)
		       : response_raw_put_usage(f->usage, out);
}

/* raw_put_first: a member of the provider's, or what stands for it. */
static bool raw_put_first(const struct response_raw *x, const char *key, const char *instead,
			  struct buf *out)
{
	json_at i = x->doc.count > 0 ? json_get_some(&x->doc, 0, key) : JSON_ABSENT;

	return buf_fmt(out, ",\"%s\":", key) &&
	       (i != JSON_ABSENT ? buf_str(out, json_raw(&x->doc, i)) : buf_text(out, instead));
}

bool response_raw_print(struct response_raw *x, const struct response_frame *f, struct str provider,
			struct buf *out)
{
	char id[ID_MAX];
	char status[32];
	char ended[32] = "null";

	if (provider.n == 0)
		json_doc_finish(&x->doc);
	else if (!raw_scan(&x->doc, provider))
		return false;
	if (x->settings.count == 0 && f->settings.n > 0 && !raw_scan(&x->settings, f->settings))
		return false;
	id_text(f->run, ID_RESPONSE, id);
	snprintf(status, sizeof status, "\"%s\"", f->status);
	if (f->completed_s > 0 && strcmp(f->status, "completed") == 0)
		snprintf(ended, sizeof ended, "%lld", (long long)f->completed_s);
	return buf_fmt(out, "{\"id\":\"%s\",\"object\":\"response\",\"created_at\":%lld", id,
		       (long long)f->created_s) &&
	       raw_put_first(x, "status", status, out) &&
	       raw_put_first(x, "completed_at", ended, out) &&
	       raw_put_first(x, "error", "null", out) &&
	       raw_put_first(x, "incomplete_details", "null", out) && raw_put_output(x, out) &&
	       raw_put_usage(x, f, out) && raw_put_settings(x, out) && raw_put_others(x, out) &&
	       buf_text(out, "}");
}

/* --- birth and death --- */

struct response_raw *response_raw_create(struct id run, bool renames)
{
	struct response_raw *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	x->run = run;
	x->renames = renames;
	buf_init(&x->names, LIMIT_RESPONSE_ITEMS * sizeof(struct raw_name));
	buf_init(&x->items, LIMIT_UPSTREAM_BODY);
	return x;
}

void response_raw_destroy(struct response_raw *x)
{
	if (!x)
		return;
	buf_finish(&x->names);
	buf_finish(&x->items);
	json_doc_finish(&x->doc);
	json_doc_finish(&x->settings);
	free(x);
}
