/* Reads the tags of a call from its headers, from its body and from its key. */
#include "routes/call/tags_of.h"

#include "base/limits.h"
#include "http/request.h"
#include "json/input.h"
#include "lmc/warnings.h"
#include "msg/call_request.h"
#include "msg/usage_tag.h"
#include "routes/kit/gateway.h"

#include <stdio.h>

static const char prefix[] = "x-parley-tag-";
static const char litellm_header[] = "x-litellm-tags";

/* tag_take: keeps a checked value. */
static enum errc tag_take(struct str value, const char *path, struct str *to, struct err *e)
{
	const char *wrong = usage_tag_wrong(value);

	if (wrong)
		return err_set(e, ERR_INVALID_VALUE, path, "%s", wrong);
	*to = value;
	return ERR_OK;
}

static enum errc tag_list(struct usage_tags *t, struct str value, const char *path, struct err *e)
{
	if (value.n == 0)
		return ERR_OK;
	if (t->listed_count == LIMIT_TAGS_LISTED)
		return err_set(e, ERR_INVALID_VALUE, path, "must have at most %d tags",
			       LIMIT_TAGS_LISTED);
	enum errc rc = tag_take(value, path, &t->listed[t->listed_count], e);
	t->listed_count += rc == ERR_OK;
	return rc;
}

/* --- the body --- */

/* blank_member: puts spaces in the place of a member, and of a comma beside it. */
static void blank_member(struct buf *body, const struct json_doc *d, json_at key)
{
	struct str  member = json_member(d, key);
	const char *end = body->data + body->len;
	char       *at = body->data + (member.p - d->text);
	char       *after = at + member.n;
	char       *before = at - 1;

	memset(at, ' ', member.n);
	while (after < end && strchr(" \t\r\n", *after))
		after++;
	while (before > body->data && strchr(" \t\r\n", *before))
		before--;
	if (after < end && *after == ',')
		*after = ' ';
	else if (*before == ',')
		*before = ' ';
}

/* body_text: a copy, as the body's bytes may go. */
static bool body_text(struct input *in, json_at i, struct str *ret)
{
	struct str text;

	if (!json_text(&in->doc, i, &in->arena, &text))
		return false;
	*ret = arena_str(&in->arena, text);
	return ret->p;
}

/* body_value: a member of the metadata; *ret_blank: no provider may see it. */
static enum errc body_value(struct input *in, json_at key, const struct usage_tag_names *n,
			    size_t place, struct usage_tags *t, bool *ret_blank, struct err *e)
{
	const struct json_doc *d = &in->doc;
	json_at                value = json_value(key);
	struct str             text;
	char                   path[64];

	snprintf(path, sizeof path, "metadata.%s", n->names[place]);
	if (n->litellm && str_is(str_of(n->names[place]), USAGE_TAGS_LISTED) &&
	    json_kind(d, value) == JSON_ARRAY) {
		*ret_blank = true;
		JSON_EACH (i, d, value) {
			if (json_kind(d, i) != JSON_STRING)
				return err_set(e, ERR_INVALID_TYPE, path,
					       "must be a list of strings");
			if (!body_text(in, i, &text))
				return err_no_memory(e);
			if (tag_list(t, text, path, e) != ERR_OK)
				return e->code;
		}
		return ERR_OK;
	}
	if (json_kind(d, value) == JSON_NULL)
		return ERR_OK;
	if (json_kind(d, value) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, path, "must be a string");
	if (!body_text(in, value, &text))
		return err_no_memory(e);
	return tag_take(text, path, &t->values[place], e);
}

enum errc tags_of_body(struct input *in, const struct gateway *g, const struct family *f,
		       struct call_request *rq, struct err *e)
{
	const struct usage_tag_names *n = &g->now->usage_tags;
	const struct json_doc        *d = &in->doc;
	struct usage_tags            *t;
	bool                          blanks = false;

	if (n->count == 0 || d->count == 0 || json_kind(d, 0) != JSON_OBJECT)
		return ERR_OK;
	json_at metadata = json_get(d, 0, "metadata");
	if (!json_is_kind(d, metadata, JSON_OBJECT))
		return ERR_OK;
	t = arena_alloc(&in->arena, sizeof *t);
	if (!t)
		return err_no_memory(e);
	rq->caller.tags_said = t;
	JSON_EACH_MEMBER (k, d, metadata) {
		bool   out = f->metadata_is_bare;
		size_t place = 0;

		while (place < n->count && !json_is(d, k, n->names[place]))
			place++;
		if (place == n->count)
			continue;
		if (body_value(in, k, n, place, t, &out, e) != ERR_OK)
			return e->code;
		if (out)
			blank_member(&in->body, d, k);
		blanks |= out;
	}
	/* The rest is read again, because all places have changed. */
	return blanks ? json_scan(&in->doc, in->body.data, in->body.len, &json_limits_request, e)
		      : ERR_OK;
}

/* --- the headers --- */

struct reading {
	const struct usage_tag_names *names;
	struct arena                 *arena;
	struct usage_tags            *tags;
	struct warnings               warnings;
	struct err                   *e;
	bool                          headed[LIMIT_TAG_NAMES];
};

static void read_header(void *arg, struct str name, struct str value)
{
	struct reading *x = arg;
	char            lower[LIMIT_TAG_NAME + 1] = "";
	char            path[64];

	if (name.n <= LIMIT_TAG_NAME)
		for (size_t i = 0; i < name.n; i++)
			lower[i] = (char)(name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] | 0x20
									       : name.p[i]);
	size_t place = usage_tag_place(x->names, str_of(lower));
	if (place == x->names->count) {
		warnings_add(&x->warnings, 0, "tag_unknown",
			     "the header %s%.*s was ignored: usage_tags does not name it", prefix,
			     name.n < LIMIT_TAG_NAME ? (int)name.n : LIMIT_TAG_NAME, name.p);
		return;
	}
	if (value.n == 0 || x->e->code != ERR_OK)
		return;
	snprintf(path, sizeof path, "%s%s", prefix, lower);
	if (str_is(str_of(lower), USAGE_TAGS_LISTED))
		x->tags->listed_count = 0;
	x->headed[place] = tag_take(value, path, &x->tags->values[place], x->e) == ERR_OK;
}

/* read_litellm: a list with commas, which goes before the one of the metadata. */
static enum errc read_litellm(struct str list, struct usage_tags *t, struct err *e)
{
	if (list.n > 0)
		t->listed_count = 0;
	while (list.n > 0) {
		const char *comma = memchr(list.p, ',', list.n);
		struct str  one = { list.p, comma ? (size_t)(comma - list.p) : list.n };

		if (tag_list(t, str_trim(one), litellm_header, e) != ERR_OK)
			return e->code;
		list = comma ? (struct str){ comma + 1, list.n - one.n - 1 } : STR_NONE;
	}
	return ERR_OK;
}

/* --- the key --- */

/* tags_of_key: values of the key's metadata that can be none are passed over: the caller can't change them. */
static void tags_of_key(const struct usage_tag_names *n, struct str metadata, struct arena *a,
			struct usage_tags *t)
{
	struct json_doc d = { 0 };
	struct err      e;
	size_t          lack = 0;

	for (size_t i = 0; i < n->count; i++)
		lack += t->values[i].n == 0;
	if (lack == 0 || metadata.n == 0 ||
	    json_scan(&d, metadata.p, metadata.n, &json_limits_stored, &e) != ERR_OK)
		return;
	for (size_t i = 0; i < n->count; i++) {
		bool       listed = str_is(str_of(n->names[i]), USAGE_TAGS_LISTED);
		struct str value;

		if (t->values[i].n > 0 || (listed && t->listed_count > 0) ||
		    !json_text(&d, json_get(&d, 0, n->names[i]), a, &value) || value.n == 0 ||
		    usage_tag_wrong(value))
			continue;
		/* A copy, as the metadata goes with the key. */
		t->values[i] = arena_str(a, value);
	}
	json_doc_finish(&d);
}

/* --- the call --- */

static bool tags_keep(struct call_request *rq, const struct usage_tag_names *n,
		      const struct usage_tags *t)
{
	struct buf text;

	buf_init(&text, LIMIT_TAGS);
	bool ok = usage_tags_print(n, t, &text);
	if (ok)
		rq->caller.tags = arena_str(&rq->input->arena, buf_view(&text));
	buf_finish(&text);
	return ok && rq->caller.tags.p;
}

static bool tags_warn(struct call_request *rq, const struct warnings *w)
{
	if (w->count == 0)
		return true;
	rq->caller.warnings = arena_str(&rq->input->arena, buf_view(&w->json));
	rq->caller.warning_count = w->count;
	return rq->caller.warnings.p;
}

enum errc tags_of(const struct request *r, const struct gateway *g, struct call_request *rq,
		  struct err *e)
{
	const struct usage_tag_names *n = &g->now->usage_tags;
	struct usage_tags             t = { .listed_count = 0 };
	struct reading                x = { .names = n, .tags = &t, .e = e };
	bool                          headers = request_view(r)->head.tags;

	if (n->count == 0 && !headers)
		return ERR_OK;
	e->code = ERR_OK;
	if (rq->caller.tags_said)
		t = *rq->caller.tags_said;
	warnings_init(&x.warnings);
	if (n->litellm)
		(void)read_litellm(request_header(r, litellm_header), &t, e);
	if (headers)
		request_headers_with(r, prefix, read_header, &x);
	if (e->code == ERR_OK && n->count > 0)
		tags_of_key(n, rq->caller.who->metadata, &rq->input->arena, &t);
	bool ok = tags_warn(rq, &x.warnings) && (n->count == 0 || tags_keep(rq, n, &t));
	warnings_finish(&x.warnings);
	return ok || e->code != ERR_OK ? e->code : err_no_memory(e);
}
