/* The digest of a request.  Each value is hashed with its kind and its length before it, seven bits a byte, so that
 * no two sequences of values are the same bytes. */
#include "run/cache_digest.h"

#include "base/buf.h"
#include "base/limits.h"
#include "json/member.h"
#include "json/scan.h"

#include <stdlib.h>

enum { HELD = 512, HEAD_MOST = 1 + 10 };

struct canon {
	struct hash_sum *sum;
	size_t           held_count;
	char             held[HELD]; /* small values, which are hashed together */
	struct buf       text;       /* scratch: a string's value */
	struct json_doc  doc;        /* scratch */
	bool             failed;
};

/* A member of an object; borrowed. */
struct canon_member {
	struct str key;
	json_at    value; /* JSON_ABSENT: it is raw */
	struct str raw;
};

/* Members that only say who asks, or how the answer is to be handed over. */
static const char *const left_out[] = {
	"stream", "stream_options",   "user", "safety_identifier", "metadata",
	"store",  "prompt_cache_key",
};

static bool is_left_out(struct str key)
{
	for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
		if (str_is(key, left_out[i]))
			return true;
	return false;
}

static void canon_flush(struct canon *c)
{
	hash_sum_add(c->sum, c->held, c->held_count);
	c->held_count = 0;
}

static void canon_put(struct canon *c, char kind, struct str s)
{
	size_t n = s.n;

	if (c->held_count + HEAD_MOST + s.n > HELD)
		canon_flush(c);
	c->held[c->held_count++] = kind;
	for (; n >= 0x80; n >>= 7)
		c->held[c->held_count++] = (char)(n | 0x80);
	c->held[c->held_count++] = (char)n;
	if (HEAD_MOST + s.n > HELD) {
		canon_flush(c);
		hash_sum_add(c->sum, s.p, s.n);
	} else if (s.n > 0) {
		memcpy(c->held + c->held_count, s.p, s.n);
		c->held_count += s.n;
	}
}

static void canon_count(struct canon *c, char kind, size_t n)
{
	uint32_t count = (uint32_t)n; /* no request has so many values */

	canon_put(c, kind, (struct str){ (const char *)&count, sizeof count });
}

/* canon_string: inner: still escaped. */
static void canon_string(struct canon *c, char kind, struct str inner)
{
	if (inner.n > 0 && memchr(inner.p, '\\', inner.n)) {
		buf_clear(&c->text);
		if (!json_unescape(inner, &c->text)) {
			c->failed = true;
			return;
		}
		inner = buf_view(&c->text);
	}
	canon_put(c, kind, inner);
}

static int compare_members(const void *a, const void *b)
{
	const struct canon_member *x = a, *y = b;
	size_t                     n = x->key.n < y->key.n ? x->key.n : y->key.n;
	int                        order = n > 0 ? memcmp(x->key.p, y->key.p, n) : 0;

	return order ? order : (x->key.n > y->key.n) - (x->key.n < y->key.n);
}

static void canon_value(struct canon *c, const struct json_doc *d, json_at i);

static void canon_object(struct canon *c, const struct json_doc *d, json_at object, bool top)
{
	struct canon_member *list = malloc((d->tok[object].count + 1) * sizeof *list);
	size_t               n = 0;

	if (!list) {
		c->failed = true;
		return;
	}
	JSON_EACH_MEMBER (i, d, object)
		if (!top || !is_left_out(json_inner(d, i)))
			list[n++] = (struct canon_member){ .key = json_inner(d, i),
							   .value = json_value(i) };
	qsort(list, n, sizeof *list, compare_members);
	canon_count(c, '{', n);
	for (size_t i = 0; i < n && !c->failed; i++) {
		canon_string(c, 'k', list[i].key);
		canon_value(c, d, list[i].value);
	}
	free(list);
}

static void canon_value(struct canon *c, const struct json_doc *d, json_at i)
{
	switch (json_kind(d, i)) {
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE:
	case JSON_NUMBER: canon_put(c, 'v', json_raw(d, i)); break;
	case JSON_STRING: canon_string(c, 's', json_inner(d, i)); break;
	case JSON_OBJECT: canon_object(c, d, i, false); break;
	case JSON_ARRAY:
		canon_count(c, '[', d->tok[i].count);
		JSON_EACH (k, d, i)
			canon_value(c, d, k);
		break;
	}
}

static void canon_text(struct canon *c, struct str json)
{
	struct err e;

	if (c->failed)
		return;
	if (json_scan(&c->doc, json.p, json.n, &json_limits_stored, &e) == ERR_OK)
		canon_value(c, &c->doc, 0);
	else
		c->failed = true;
}

/* canon_members: members of the request's body, in their keys' order. */
static void canon_members(struct canon *c, const struct prompt *p)
{
	struct canon_member *list = malloc((p->member_count + 1) * sizeof *list);
	size_t               n = 0;

	if (!list) {
		c->failed = true;
		return;
	}
	for (size_t i = 0; i < p->member_count; i++) {
		struct str key = json_member_key(p->members[i]);

		if (!is_left_out(key))
			list[n++] =
				(struct canon_member){ .key = key,
						       .raw = json_member_value(p->members[i]) };
	}
	qsort(list, n, sizeof *list, compare_members);
	canon_count(c, '{', n);
	for (size_t i = 0; i < n; i++) {
		canon_string(c, 'k', list[i].key);
		canon_text(c, list[i].raw.n > 0 ? list[i].raw : STR("null"));
	}
	free(list);
}

static void canon_prompt(struct canon *c, const struct prompt *p)
{
	canon_count(c, 'm', p->message_count);
	for (size_t i = 0; i < p->message_count; i++)
		canon_text(c, p->messages[i]);
	canon_members(c, p);
	canon_put(c, 't', p->max_tokens);
	canon_put(c, 't', str_of(p->max_tokens_key ? p->max_tokens_key : ""));
	canon_count(c, 'p', p->text);
	if (!p->native)
		return;
	canon_put(c, 'a', p->native->version);
	canon_put(c, 'b', p->native->beta);
	canon_object(c, p->native->doc, 0, true);
}

bool cache_digest(const struct cache_subject *s, unsigned char ret[HASH_BYTES])
{
	struct canon c = { .sum = hash_sum_begin() };
	bool         stream = s->apart && s->prompt->stream;

	if (!c.sum)
		return false;
	buf_init(&c.text, LIMIT_BODY_MAX);
	canon_put(&c, 'o', (struct str){ (const char *)&s->owner, sizeof s->owner });
	canon_put(&c, 'f', s->family);
	canon_put(&c, 'n', s->model);
	canon_count(&c, 'u', s->target_count);
	for (size_t i = 0; i < s->target_count; i++) {
		canon_put(&c, 'u', s->targets[i].provider);
		canon_put(&c, 'u', s->targets[i].model);
		canon_put(&c, 'e',
			  (struct str){ (const char *)&s->targets[i].settings,
					sizeof s->targets[i].settings });
	}
	canon_count(&c, 'x', (size_t)s->apart + (size_t)stream + 4 * (size_t)s->keeps);
	canon_prompt(&c, s->prompt);
	canon_flush(&c);
	hash_sum_end(c.sum, ret);
	hash_sum_destroy(c.sum);
	buf_finish(&c.text);
	json_doc_finish(&c.doc);
	return !c.failed;
}
