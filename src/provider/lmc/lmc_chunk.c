/* Reads and checks the chunks of an LMC stream, and prints them again. */
#include "provider/lmc/lmc.h"

#include "base/limits.h"
#include "json/scan.h"
#include "lmc/text.h"
#include "provider/decode.h"

static const char *const roles[LMC_ROLE__COUNT] = {
	[LMC_USER] = "user",     [LMC_ASSISTANT] = "assistant", [LMC_COMPUTER] = "computer",
	[LMC_SYSTEM] = "system", [LMC_SERVER] = "server",
};

enum key {
	KEY_ROLE,
	KEY_TYPE,
	KEY_FORMAT,
	KEY_RECIPIENT,
	KEY_CONTENT,
	KEY_START,
	KEY_END,
	KEY__COUNT, /* any other member, which is passed on */
};

/* clang-format off */
static const struct str keys[KEY__COUNT] = {
	[KEY_ROLE] = { "role", 4 },           [KEY_TYPE] = { "type", 4 },
	[KEY_FORMAT] = { "format", 6 },       [KEY_RECIPIENT] = { "recipient", 9 },
	[KEY_CONTENT] = { "content", 7 },     [KEY_START] = { "start", 5 },
	[KEY_END] = { "end", 3 },
};
/* clang-format on */

void lmc_scratch_init(struct lmc_scratch *s)
{
	buf_init(&s->decoded, LIMIT_SSE_EVENT);
	for (int i = 0; i < LMC_SAID__COUNT; i++)
		buf_init(&s->printed[i], LIMIT_SSE_EVENT);
}

void lmc_scratch_finish(struct lmc_scratch *s)
{
	buf_finish(&s->decoded);
	for (int i = 0; i < LMC_SAID__COUNT; i++)
		buf_finish(&s->printed[i]);
}

/* --- reading --- */

static enum key lmc_chunk_key_of(const struct json_doc *d, json_at at)
{
	bool       escaped = d->tok[at].flags & JSON_ESCAPED;
	struct str text = json_inner(d, at);
	int        k = 0;

	while (k < KEY__COUNT && !(escaped ? json_is(d, at, keys[k].p) : str_eq(text, keys[k])))
		k++;
	return (enum key)k;
}

static json_at lmc_chunk_some(const struct json_doc *d, json_at i)
{
	return json_is_kind(d, i, JSON_NULL) ? JSON_ABSENT : i;
}

static bool is_true(const struct json_doc *d, json_at i)
{
	return json_is_kind(d, i, JSON_TRUE);
}

static bool one_line(struct str s)
{
	return !memchr(s.p, '\n', s.n) && !memchr(s.p, '\r', s.n);
}

/* find_members: the first member of each known key. */
static void find_members(struct lmc_chunk *c, json_at at[KEY__COUNT])
{
	const struct json_doc *d = c->d;
	bool                   twice = false;

	JSON_EACH_MEMBER (i, d, c->object) {
		enum key k = lmc_chunk_key_of(d, i);

		if (k == KEY__COUNT)
			c->others = true;
		else if (at[k] == JSON_ABSENT)
			at[k] = json_value(i);
		else
			twice = true;
	}
	c->has_content = at[KEY_CONTENT] != JSON_ABSENT;
	c->content = lmc_chunk_some(d, at[KEY_CONTENT]);
	if (json_is_kind(d, c->content, JSON_STRING) && json_inner(d, c->content).n == 0)
		c->content = JSON_ABSENT;
	c->start = is_true(d, at[KEY_START]);
	c->end = is_true(d, at[KEY_END]);
	/* A chunk must be one line of a stream. Of two members with one key, clients may read
	 * another one than this function. */
	c->plain = !twice && at[KEY_START] == JSON_ABSENT && at[KEY_END] == JSON_ABSENT &&
		   one_line(json_raw(d, c->object));
}

static enum errc lmc_chunk_read_role(const struct json_doc *d, json_at at, enum lmc_role *ret,
				     struct err *e)
{
	if (at == JSON_ABSENT)
		return decode_bad(e, "a chunk without a role");
	for (int i = 0; i < LMC_ROLE__COUNT; i++)
		if (json_is(d, at, roles[i])) {
			*ret = (enum lmc_role)i;
			return ERR_OK;
		}
	return decode_bad(e, "a chunk with a role that LMC does not have");
}

/* read_said: the value as JSON in one spelling, so that values can be compared. */
static bool read_said(const struct json_doc *d, json_at i, struct lmc_scratch *scratch,
		      struct buf *out, struct str *ret)
{
	bool string = json_kind(d, i) == JSON_STRING;

	if (string && !(d->tok[i].flags & JSON_ESCAPED)) {
		*ret = json_raw(d, i);
		return true;
	}
	buf_clear(&scratch->decoded);
	buf_clear(out);
	if (!(string ? text_of(d, i, &scratch->decoded) &&
			       text_quote(out, buf_view(&scratch->decoded))
		     : json_print(d, i, out)))
		return false;
	*ret = buf_view(out);
	return true;
}

enum errc lmc_chunk_read(const struct json_doc *d, json_at object, struct lmc_scratch *scratch,
			 struct lmc_chunk *ret, struct err *e)
{
	static const enum key said_key[LMC_SAID__COUNT] = { KEY_TYPE, KEY_FORMAT, KEY_RECIPIENT };
	struct lmc_chunk      c = { .d = d, .object = object };
	json_at               at[KEY__COUNT] = { 0 };

	find_members(&c, at);
	enum errc rc = lmc_chunk_read_role(d, lmc_chunk_some(d, at[KEY_ROLE]), &c.role, e);
	if (rc != ERR_OK)
		return rc;

	json_at type = lmc_chunk_some(d, at[KEY_TYPE]);
	json_at format = lmc_chunk_some(d, at[KEY_FORMAT]);
	bool    flag = (c.start || c.end) && c.content == JSON_ABSENT;
	if (type == JSON_ABSENT && !flag)
		return decode_bad(e, "a chunk without a type");
	if (type != JSON_ABSENT && json_kind(d, type) != JSON_STRING)
		return decode_bad(e, "a chunk with a type that is no string");
	if (format != JSON_ABSENT && json_kind(d, format) != JSON_STRING)
		return decode_bad(e, "a chunk with a format that is no string");

	for (int i = 0; i < LMC_SAID__COUNT; i++) {
		json_at value = lmc_chunk_some(d, at[said_key[i]]);

		if (value != JSON_ABSENT &&
		    !read_said(d, value, scratch, &scratch->printed[i], &c.said[i]))
			return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	}
	*ret = c;
	return ERR_OK;
}

/* --- printing --- */

bool lmc_head_print(enum lmc_role role, const struct str said[LMC_SAID__COUNT], struct buf *out)
{
	static const char *const names[LMC_SAID__COUNT] = {
		[LMC_TYPE] = ",\"type\":",
		[LMC_FORMAT] = ",\"format\":",
		[LMC_RECIPIENT] = ",\"recipient\":",
	};

	if (!buf_text(out, "{\"role\":\"") || !buf_text(out, roles[role]) || !buf_text(out, "\""))
		return false;
	for (int i = 0; i < LMC_SAID__COUNT; i++)
		if (said[i].n > 0 && (!buf_text(out, names[i]) || !buf_str(out, said[i])))
			return false;
	return true;
}

/* print_value: prints a value in one line. Strings keep their spelling, because a piece of text may
 * end in half a surrogate pair. */
static bool print_value(const struct json_doc *d, json_at i, struct buf *out)
{
	struct str raw = json_raw(d, i);

	return one_line(raw) ? buf_str(out, raw) : json_print(d, i, out);
}

bool lmc_others_print(const struct lmc_chunk *c, struct buf *out)
{
	const struct json_doc *d = c->d;

	if (!c->others)
		return true;
	JSON_EACH_MEMBER (i, d, c->object)
		if (lmc_chunk_key_of(d, i) == KEY__COUNT &&
		    (!buf_text(out, ",") || !buf_str(out, json_raw(d, i)) || !buf_text(out, ":") ||
		     !print_value(d, json_value(i), out)))
			return false;
	return true;
}

bool lmc_content_print(const struct lmc_chunk *c, struct buf *out)
{
	return lmc_head_print(c->role, c->said, out) && lmc_others_print(c, out) &&
	       buf_text(out, ",\"content\":") &&
	       (c->content == JSON_ABSENT ? buf_text(out, "null")
					  : print_value(c->d, c->content, out)) &&
	       buf_text(out, "}");
}
