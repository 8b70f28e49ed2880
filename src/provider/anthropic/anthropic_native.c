/* A request of Anthropic's Messages API on its way to a provider that speaks this API: the client's
 * own bytes.  Signatures and caches depend on them, so only what has to differ is replaced: the
 * model's name, a limit above the model's, members that the model refuses, and thinking that this
 * gateway has shown of other models, which has no signature. */
#include "provider/anthropic/anthropic.h"

#include "base/decimal.h"
#include "lmc/warnings.h"
#include "provider/ask_param.h"
#include "shape/transcript.h"

#include <stdio.h>
#include <string.h>

/* Copies the text of doc into out, but for what is cut out of it on the way. */
struct copy {
	const struct json_doc *doc;
	struct buf            *out;
	const char            *at; /* the text before it was copied, or cut out */
	bool                   failed;
};

/* cut: replaces the bytes from `from` to `to`. */
static void cut(struct copy *c, const char *from, const char *to, struct str instead)
{
	struct str before = { c->at, (size_t)(from - c->at) };

	c->failed = c->failed || !buf_str(c->out, before) || !buf_str(c->out, instead);
	c->at = to;
}

static const char *end_of(struct str s)
{
	return s.p + s.n;
}

/* A walk over the children of an array or object that leaves some out, with their commas. */
struct leaving {
	struct copy *copy;
	const char  *kept; /* the end of the last child that stays; NULL: none does yet */
	const char  *from; /* the first of the children before this one that go; NULL: none goes */
	const char  *to;   /* the end of the last one */
};

static void native_leave(struct leaving *l, struct str child)
{
	if (!l->from)
		l->from = child.p;
	l->to = end_of(child);
}

static void native_stay(struct leaving *l, struct str child)
{
	if (l->from)
		cut(l->copy, l->from, child.p, STR_NONE);
	l->from = NULL;
	l->kept = end_of(child);
}

static void native_left(struct leaving *l)
{
	if (l->from)
		cut(l->copy, l->kept ? l->kept : l->from, l->to, STR_NONE);
}

/* --- thinking without a signature --- */

static bool is_unsigned(const struct json_doc *d, json_at block)
{
	return json_get_is(d, block, "type", "thinking") &&
	       json_get_inner(d, block, "signature").n == 0;
}

/* Whether none of the message's blocks, or at least one of them, stays. */
enum unsigned_blocks { UNSIGNED_NONE, UNSIGNED_SOME, UNSIGNED_ALL };

static enum unsigned_blocks unsigned_in(const struct json_doc *d, json_at content)
{
	size_t n = 0;

	if (!json_is_kind(d, content, JSON_ARRAY))
		return UNSIGNED_NONE;
	JSON_EACH (i, d, content)
		n += is_unsigned(d, i);
	return n == 0 ? UNSIGNED_NONE : n < d->tok[content].count ? UNSIGNED_SOME : UNSIGNED_ALL;
}

/* --- uploaded files --- */

/* put_data: a data URL as a source. */
static bool native_put_data(struct buf *out, struct str url)
{
	static const struct str front = { "data:", 5 };
	static const struct str mark = { ";base64,", 8 };
	const char             *at = memmem(url.p, url.n, mark.p, mark.n);

	if (!str_starts(url, front) || !at)
		return false;

	struct str type = { url.p + front.n, (size_t)(at - url.p) - front.n };
	struct str data = { at + mark.n, (size_t)(end_of(url) - at) - mark.n };
	return buf_text(out, "{\"type\":\"base64\",\"media_type\":\"") && buf_str(out, type) &&
	       buf_text(out, "\",\"data\":\"") && buf_str(out, data) && buf_text(out, "\"}");
}

/* put_source: what an uploaded file has become, a part of a chat's message, as a source. */
static bool native_put_source(struct buf *out, const struct json_doc *d, json_at part, bool image)
{
	if (json_get_is(d, part, "type", "image_url"))
		return image &&
		       native_put_data(out,
				       json_get_inner(d, json_get(d, part, "image_url"), "url"));
	if (image)
		return false;
	if (json_get_is(d, part, "type", "file"))
		return native_put_data(out,
				       json_get_inner(d, json_get(d, part, "file"), "file_data"));
	return json_get_is(d, part, "type", "text") &&
	       buf_text(out, "{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":\"") &&
	       buf_str(out, json_get_inner(d, part, "text")) && buf_text(out, "\"}");
}

static json_at native_part_at(const struct json_doc *d, uint32_t n)
{
	json_at content = json_get(d, 0, "content");

	if (json_is_kind(d, content, JSON_ARRAY))
		JSON_EACH (i, d, content)
			if (n-- == 0)
				return i;
	return JSON_ABSENT;
}

static enum errc native_made(const struct prompt *p, const struct prompt_upload *u,
			     struct json_doc *ret, struct err *e)
{
	for (size_t i = 0; i < p->made_count; i++)
		if (p->made[i].message == u->message)
			return json_scan(ret, p->made[i].text.p, p->made[i].text.n,
					 &json_limits_stored, e);
	err_set(e, ERR_INTERNAL, "", "an uploaded file was not read");
	return ERR_INTERNAL; /* never ERR_OK: *ret was not scanned */
}

/* copy_uploads: puts the contents of files in the places of their names, within one message. */
static enum errc copy_uploads(struct copy *c, const struct prompt *p, struct str message,
			      struct err *e)
{
	const struct prompt_native *n = p->native;
	struct json_doc             made = { 0 };
	enum errc                   rc = ERR_OK;

	for (size_t i = 0; rc == ERR_OK && i < n->upload_count; i++) {
		const struct prompt_upload *u = &n->uploads[i];
		struct str                  source = json_raw(c->doc, u->source);

		if (source.p < message.p || source.p >= end_of(message))
			continue;
		cut(c, source.p, end_of(source), STR_NONE);
		rc = native_made(p, u, &made, e);
		if (rc != ERR_OK ||
		    native_put_source(c->out, &made, native_part_at(&made, u->part), u->image))
			continue;
		rc = err_set(e, ERR_INVALID_VALUE, "", "%s",
			     u->image ? "the file is no image"
				      : "the file is neither PDF nor text");
		snprintf(e->path, sizeof e->path, "messages.%u.content.%u.%s", u->item, u->at,
			 u->within ? "content" : "source");
	}
	json_doc_finish(&made);
	return rc;
}

/* --- messages --- */

static enum errc copy_messages(struct copy *c, const struct prompt *p, json_at messages,
			       struct err *e)
{
	const struct json_doc *d = c->doc;
	struct leaving         l = { .copy = c };

	if (!json_is_kind(d, messages, JSON_ARRAY))
		return ERR_OK;
	JSON_EACH (i, d, messages) {
		json_at content = json_get(d, i, "content");

		switch (unsigned_in(d, content)) {
		case UNSIGNED_ALL: native_leave(&l, json_raw(d, i)); continue;
		case UNSIGNED_SOME: break;
		case UNSIGNED_NONE:
			native_stay(&l, json_raw(d, i));
			if (copy_uploads(c, p, json_raw(d, i), e) != ERR_OK)
				return e->code;
			continue;
		}
		native_stay(&l, json_raw(d, i));

		struct leaving blocks = { .copy = c };
		JSON_EACH (k, d, content) {
			if (is_unsigned(d, k))
				native_leave(&blocks, json_raw(d, k));
			else
				native_stay(&blocks, json_raw(d, k));
		}
		native_left(&blocks);
	}
	native_left(&l);
	return ERR_OK;
}

/* --- members --- */

static void copy_model(struct copy *c, const struct prompt *p, json_at model)
{
	struct str raw = json_raw(c->doc, model);

	cut(c, raw.p, end_of(raw), STR_NONE);
	c->failed = c->failed || !buf_json_string(c->out, p->model);
}

static void copy_max(struct copy *c, int64_t most, json_at max)
{
	struct str raw = json_raw(c->doc, max);
	char       digits[DECIMAL_MAX];
	int64_t    n;

	if (most > 0 && json_int(c->doc, max, &n) && n > most)
		cut(c, raw.p, end_of(raw), decimal_int(most, digits));
}

static bool is_sampling(const struct json_doc *d, json_at key)
{
	return json_is(d, key, "temperature") || json_is(d, key, "top_p") ||
	       json_is(d, key, "top_k");
}

/* put_defaults: appends what the configuration says of a model and the client does not.  The client's
 * own members are among those of the prompt, too. */
static bool native_put_defaults(const struct prompt *p, struct buf *out)
{
	static const struct {
		const char *key, *before;
	} members[] = {
		{ "temperature", ",\"temperature\":" },
		{ "top_p", ",\"top_p\":" },
	};
	const struct json_doc *d = p->native->doc;
	struct str             stop = ask_param_value(p, "stop");
	bool                   first = false;

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		struct str value = ask_param_value(p, members[i].key);

		if (value.n > 0 && json_get(d, 0, members[i].key) == JSON_ABSENT &&
		    !(buf_text(out, members[i].before) && buf_str(out, value)))
			return false;
	}
	if (json_get(d, 0, "stop_sequences") == JSON_ABSENT &&
	    !ask_put_list("\"stop_sequences\":", stop, &first, out))
		return false;
	return p->instruction.n == 0 || json_get(d, 0, "system") != JSON_ABSENT ||
	       (buf_text(out, ",\"system\":") && buf_json_string(out, p->instruction));
}

/* warn_of_defaults: tells what a model's defaults say and Anthropic's API has no member for.  A member of
 * the prompt may also be made of one of the client's own, which is sent as it is. */
static void native_warn_of_defaults(const struct prompt *p)
{
	static const struct {
		const char *key;
		const char *made_of[2];
	} members[] = {
		{ "seed", { NULL, NULL } },
		{ "presence_penalty", { NULL, NULL } },
		{ "frequency_penalty", { NULL, NULL } },
		{ "response_format", { "output_config", "output_format" } },
		{ "reasoning_effort", { "thinking", "output_config" } },
	};

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		bool made = false;

		for (size_t k = 0; k < ARRAY_LEN(members[i].made_of); k++)
			made = made ||
			       (members[i].made_of[k] &&
				json_get(p->native->doc, 0, members[i].made_of[k]) != JSON_ABSENT);
		if (!made && ask_param_value(p, members[i].key).n > 0)
			warnings_add(p->warnings, 0, "parameter_dropped",
				     "%s of the model's defaults was not sent: Anthropic's API has "
				     "no such member",
				     members[i].key);
	}
}

enum errc anthropic_native(const struct prompt *p, struct buf *out, struct err *e)
{
	const struct json_doc *d = p->native->doc;
	struct str             all = json_raw(d, 0);
	struct copy            c = { .doc = d, .out = out, .at = all.p };
	struct leaving         l = { .copy = &c };
	enum errc              rc = ERR_OK;

	if (!buf_reserve(out, all.n + p->model.n))
		return ask_too_large(e);
	JSON_EACH_MEMBER (k, d, 0) {
		if (p->unsampled && is_sampling(d, k)) {
			native_leave(&l, json_member(d, k));
			continue;
		}
		native_stay(&l, json_member(d, k));
		if (json_is(d, k, "model"))
			copy_model(&c, p, json_value(k));
		else if (json_is(d, k, "max_tokens"))
			copy_max(&c, p->native->max_tokens, json_value(k));
		else if (json_is(d, k, "messages"))
			rc = copy_messages(&c, p, json_value(k), e);
		if (rc != ERR_OK)
			return rc;
	}
	native_left(&l);
	cut(&c, end_of(all) - 1, end_of(all) - 1, STR_NONE);
	c.failed = c.failed || !native_put_defaults(p, out);
	native_warn_of_defaults(p);
	cut(&c, end_of(all), end_of(all), STR_NONE);
	return c.failed ? ask_too_large(e) : ERR_OK;
}
